package ptxlower

import (
	_ "embed"
	"sync"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// HeapBytes is the size of the heap of a module that calls malloc.
const HeapBytes = 8 << 20

//go:embed heap.ptx
var heapText string

// heapModule returns the functions malloc and free. They know the heap by the registers %heap_begin and %heap_end, which the checker
// permits no module.
var heapModule = sync.OnceValue(func() *ptx.Module {
	m, findings := ptx.Parse(heapText)
	if len(findings) > 0 {
		panic((&ptx.Error{Findings: findings}).Error())
	}
	return m
})

// addHeap makes malloc and free functions of the image, if the module only declares them.
func (m *Image) addHeap() {
	for _, name := range []string{"malloc", "free"} {
		if f := m.functions[name]; f != nil && f.Body == nil && !f.Entry {
			m.functions[name], m.heap = heapModule().Function(name), true
		}
	}
}

// UsesHeap reports whether the module needs a heap: Options.Heap.
func (m *Image) UsesHeap() bool { return m.heap }

// ofHeap reports whether a function is malloc or free of the heap.
func (u *unit) ofHeap(f *ptx.Function) bool {
	return u.image.heap && f == heapModule().Function(f.Name)
}

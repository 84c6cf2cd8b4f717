package vcode

import (
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/scratch"
)

// Arena is a bump allocator for the instructions and register lists of functions. All memory is freed at
// once, by Release, when no function in it is needed any more. The methods of a nil Arena allocate with make
// instead. An Arena is for one goroutine.
type Arena struct {
	insts scratch.Slab[Inst]
	regs  scratch.Slab[Reg]
}

// arenas holds idle arenas.
var arenas = sync.Pool{New: func() any { return new(Arena) }}

// AcquireArena returns an arena, idle or new; the caller must call its Release.
func AcquireArena() *Arena { return arenas.Get().(*Arena) }

// Release frees the memory of all functions in the arena and returns it to the idle ones.
func (a *Arena) Release() {
	a.insts.Reset()
	a.regs.Reset()
	arenas.Put(a)
}

// Insts returns an empty slice with capacity for n instructions.
func (a *Arena) Insts(n int) []Inst {
	if a == nil {
		return make([]Inst, 0, n)
	}
	return a.insts.Alloc(n)[:0]
}

// Regs returns a slice of n registers, all 0 (none).
func (a *Arena) Regs(n int) []Reg {
	if a == nil {
		return make([]Reg, n)
	}
	return a.regs.Alloc(n)
}

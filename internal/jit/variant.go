package jit

import (
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
	"github.com/chiaro-gpu/chiaro/internal/jit/codemem"
)

// codeReservation is how many addresses are reserved for code, of all programs.
const codeReservation = 256 << 20

// codeHeap is where the code of all programs lies. There is one for the process,
// as there is one handler of the machine's signals, which must know the range.
var codeHeap = sync.OnceValues(func() (*codemem.Heap, error) {
	h, err := codemem.New(codeReservation)
	if err != nil {
		return nil, err
	}
	return h, amd64.CatchFaults(h.Range())
})

// usesPolling is how code gives its processor back to Go's runtime, as found out
// when the first code runs.
var usesPolling = sync.OnceValues(func() (bool, error) {
	h, err := codeHeap()
	if err != nil {
		return false, err
	}
	b, err := h.Add(amd64.ProbeCode())
	if err != nil {
		return false, err
	}
	defer h.Free(b)
	return amd64.ProbePreemption(b.Entry())
})

// variant is the code of a program for one width of strips, where it can run.
// It is freed when nobody refers to it: programs, runs and caches do.
type variant struct {
	source  *ir.Program // with the strip as the subgroup
	code    *amd64.Code
	written []int // of the merge that made the strip; vectorize.Merge.Written
	heap    *codemem.Heap
	block   codemem.Block
	refs    atomic.Int64

	mu         sync.Mutex
	idleStates []*groupState // that no worker is in
}

// newVariant puts code where it can run. The caller holds the one reference.
func newVariant(strip *ir.Program, code *amd64.Code) (*variant, error) {
	heap, err := codeHeap()
	if err != nil {
		return nil, err
	}
	block, err := heap.Add(code.Bytes)
	if err != nil {
		return nil, err
	}
	v := &variant{source: strip, code: code, heap: heap, block: block}
	v.refs.Store(1)
	return v, nil
}

// retain adds a reference; the caller knows of one that stands.
func (v *variant) retain() { v.refs.Add(1) }

// release takes a reference back.
func (v *variant) release() {
	if v.refs.Add(-1) == 0 {
		v.freeStates()
		v.heap.Free(v.block)
	}
}

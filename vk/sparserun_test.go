package vk

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// TestSparseRuns binds and unbinds random ranges, and compares the number of runs with a count of the blocks that do not
// continue the bytes of the block before. Runs may be counted twice where two binds meet by chance, never too few.
func TestSparseRuns(t *testing.T) {
	const blocks = 150
	random := rand.New(rand.NewPCG(1, 2))
	memories := []*Memory{{}, {}, {}}
	r := sparseRuns{shown: make([]uint64, blocks/64+1), starts: make([]uint64, blocks/64+1), next: map[uint64]backing{}}
	var model [blocks]backing
	for step := range 3000 {
		begin := random.Uint64N(blocks)
		end := begin + 1 + random.Uint64N(min(blocks-begin, 9))
		memory, offset := memories[random.IntN(3)], SparseBlock*random.Uint64N(200)
		if step%4 == 0 && begin > 0 { // continue the block before
			memory, offset = model[begin-1].memory, model[begin-1].offset+SparseBlock
		}
		if step%5 == 0 {
			memory = nil
		}
		r.change(begin, end, memory, offset)
		for k := begin; k < end; k++ {
			model[k] = backing{memory, offset + (k-begin)*SparseBlock}
		}
		least := uint64(0)
		for k, b := range model {
			if has(r.shown, uint64(k)) != (b.memory != nil) {
				t.Fatalf("step %d: block %d", step, k)
			}
			if b.memory != nil && (k == 0 || model[k-1] != backing{b.memory, b.offset - SparseBlock}) {
				least++
			}
		}
		if r.count < least || r.count > 2*least+2 || len(r.next) > blocks {
			t.Fatalf("step %d: %d runs and %d ends, want at least %d", step, r.count, len(r.next), least)
		}
	}
	r.change(0, blocks, nil, 0)
	for k := range uint64(blocks) { // block by block, in order
		if r.change(k, k+1, memories[0], k*SparseBlock); r.count != 1 {
			t.Fatalf("%d runs after %d blocks, want 1", r.count, k+1)
		}
	}
	if r.change(0, blocks, nil, 0); r.count != 0 || len(r.next) != 0 {
		t.Errorf("%d runs of nothing", r.count)
	}
}

// TestSparseRunBound binds more ranges than the system has mappings for: an error, and nothing is bound or counted.
func TestSparseRunBound(t *testing.T) {
	sparseSystem(t)
	r := newRig(t, DeviceInfo{}, storage)
	b := must(r.dev.NewBuffer(BufferInfo{Size: 4 * SparseBlock, Usage: StorageBuffer, Flags: bufferSparse}))(t)
	memory := must(r.dev.Allocate(MemoryInfo{Size: 2 * SparseBlock, Type: SparseMemory}))(t)
	bind := SparseBind{Size: SparseBlock, Memory: memory}
	many := make([]SparseBind, maxSparseRuns/runsOfBind+1)
	for i := range many {
		many[i] = bind
	}
	if err := r.dev.Queue().BindSparse(BindSparseInfo{Buffers: []SparseBufferBind{{b, many}}}); !errors.As(err, new(*OutOfMemoryError)) {
		t.Errorf("%d binds: %v; must be out of memory", len(many), err)
	}
	bad := BindSparseInfo{Buffers: []SparseBufferBind{{b, []SparseBind{bind}}}, Signal: []SemaphoreValue{{}}}
	if err := r.dev.Queue().BindSparse(bad); err == nil {
		t.Error("a nil semaphore: no error")
	}
	other := bind
	other.Offset = 2 * SparseBlock
	r.bindSparse(t, BindSparseInfo{Buffers: []SparseBufferBind{{b, []SparseBind{bind, other}}}})
	h := &r.dev.heap
	if h.runs != 2 || h.expected != 0 {
		t.Errorf("%d runs, %d expected; want 2 and none", h.runs, h.expected)
	}
	if err := b.Close(); err != nil || h.runs != 0 {
		t.Errorf("%v, %d runs after the buffer is closed", err, h.runs)
	}
}

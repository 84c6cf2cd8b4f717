package jit

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
)

// maxOwn bounds the bytes in which a worker gathers what its atomics do, so that
// they stay in its cache.
const maxOwn = 256 << 10

// tallying chooses the handles for which each worker gathers what its atomics do
// in memory of its own: those of resources that the program touches in no other
// way, that share no byte with anything else that is bound, and that have at most
// half as many words as a worker runs lanes, as it walks them all in the end.
func (h *handles) tallying(p *ir.Program, job *exec.Job, tallies []ir.Op) {
	some := h.some[:0]
	for r, op := range tallies {
		if op != ir.Bad && r < len(job.Resources) {
			some = append(some, r)
		}
	}
	if h.some = some; len(some) == 0 || h.overlap(job, some) {
		return
	}
	lanes := min(job.GroupCount(), 1<<40) * uint64(p.Invocations()) / uint64(job.WorkerCount(p))
	left := uint64(maxOwn)
	for _, r := range some {
		first, n := h.resources[2*r], h.resources[2*r+1]
		for i := range h.list[first:][:n] {
			x := &h.list[int(first)+i]
			size := uint64(len(x.bytes)+63) &^ 63
			if size > 0 && size <= left && uint64(len(x.bytes))/2 <= lanes && !x.readOnly {
				x.tally = tallies[r]
				left -= size
			}
		}
	}
}

// tally is what the atomics of one worker on one descriptor did so far.
type tally struct {
	op    ir.Op
	total []byte   // what it shall be done to
	own   []uint32 // a word for each, where the worker does it
}

// begin begins a tally for a handle, and has the handle name the worker's own memory:
// that which the tally had, where it is enough.
func (t *tally) begin(h *handle) {
	n := (len(h.bytes) + 63) / 64 * 16 // whole lines
	t.op, t.total, t.own = h.tally, h.bytes, slices.Grow(t.own[:0], n)[:n]
	neutral, _ := amd64.Neutral(t.op)
	for i := range t.own {
		t.own[i] = neutral
	}
	h.bytes = unsafe.Slice((*byte)(unsafe.Pointer(&t.own[0])), len(h.bytes))
}

// settle does to the descriptor what was gathered.
func (t *tally) settle() {
	neutral, _ := amd64.Neutral(t.op)
	key := ir.Key{Type: ir.I32, From: ir.I32}
	for i, x := range t.own[:len(t.total)/4] {
		switch {
		case x == neutral:
		case t.op == ir.AtomAdd:
			atomic.AddUint32((*uint32)(unsafe.Pointer(&t.total[4*i])), x)
		default:
			exchange(t.total[4*i:][:4], func(old uint64) uint64 { return ir.Replacement(t.op, key, old, uint64(x), 0) })
		}
	}
	t.total = nil
}

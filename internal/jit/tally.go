package jit

import (
	"cmp"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// maxPrivateBytes bounds the private memory of a worker's tallies, so that it stays in the L2 cache.
// It is a bound for the sum over all resources of a worker.
const maxPrivateBytes = 256 << 10

// privatize chooses the handles whose atomics each worker accumulates in private memory (reduction
// privatization, Rauchwerger & Padua 1995): of resources that the program accesses in no other way,
// that share no byte with other bound resources, and that have at most half as many words as a
// worker runs lanes, since flush visits every word. A histogram in a storage buffer is the typical
// case: without it all workers compete for the same lines, with one locked instruction per lane. The
// condition on the access is in target.PrivatizableAtomics; here are the conditions on the bound
// memory.
//
// It reports whether there is one.
func (h *handles) privatize(p *ir.Program, job *exec.Job, tallies []target.Tally) (any bool) {
	candidates := h.candidates[:0]
	for r, t := range tallies {
		if t != (target.Tally{}) && (r < len(job.Resources) || p.Res[r].Set == target.BaseSet) {
			candidates = append(candidates, r)
		}
	}
	if h.candidates = candidates; len(candidates) == 0 || job.Prompt || h.aliases(job, candidates) {
		return false
	}
	lanes := min(job.GroupCount(), 1<<40) * uint64(p.Invocations()) / uint64(job.WorkerCount(p))
	left := uint64(maxPrivateBytes)
	for _, r := range candidates {
		first, n := h.resources[2*r], h.resources[2*r+1]
		for i := range h.list[first:][:n] {
			x := &h.list[int(first)+i]
			// Whole cache lines, so that private memories of two workers share none.
			size := uint64(len(x.bytes)+63) &^ 63
			word := uint64(tallies[r].Bytes())
			aligned := uint64(addressOf(x.bytes))%word == 0 // else the atomics have no effect
			if size > 0 && size <= left && 2*uint64(len(x.bytes))/word <= lanes && !x.readOnly && aligned {
				x.private, any = tallies[r], true
				left -= size
			}
		}
	}
	return any
}

// bindBase binds the region of a base to its resource, the last one.
func (h *handles) bindBase(b *target.Base, job *exec.Job) {
	if b == nil {
		return
	}
	r := len(h.layout.Resources) - 1
	address := b.Address(job.Push)
	i, found := slices.BinarySearchFunc(job.Regions, address, func(r exec.Region, a uint64) int { return cmp.Compare(r.Address, a) })
	if !found {
		i-- // the last region that begins before the address
	}
	if i < 0 {
		return
	}
	bytes := addressable(job.Regions[i].Bytes)
	if from := address - job.Regions[i].Address; from > uint64(len(bytes)) || b.Bytes > uint64(len(bytes))-from {
		return
	}
	h.list[h.layout.Resources[r]] = handle{bytes: bytes}
	h.resources[2*r], h.resources[2*r+1] = uint32(h.layout.Resources[r]), 1
}

// tally is the private accumulator of one worker for one descriptor.
type tally struct {
	of      target.Tally
	target  []byte   // memory of the descriptor
	private []uint64 // the accumulated operands, one or two words each
}

// attach starts a tally for a handle and redirects the handle to the private memory, which it
// reuses. The shader's accesses then use the private memory without a change of the code; only the
// policy in the handle tells it to omit the lock prefix. A length that is no multiple of the word
// leaves some bytes that no aligned atomic reaches.
func (t *tally) attach(h *handle) {
	n := (len(h.bytes) + 63) / 64 * 8 // whole lines
	t.of, t.target, t.private = h.private, h.bytes, slices.Grow(t.private[:0], n)[:n]
	// 0 for add, or and xor, all ones for and, the extreme value for minima and maxima.
	neutral := t.of.Neutral()
	if t.of.Type == ir.I32 {
		neutral |= neutral << 32
	}
	for i := range t.private {
		t.private[i] = neutral
	}
	h.bytes = unsafe.Slice((*byte)(unsafe.Pointer(&t.private[0])), len(h.bytes))
}

// flush applies the accumulated operands to the descriptor, atomically. No order between workers is
// necessary: the operations commute, and no invocation uses a result. Most words of a sparse
// histogram are neutral and cost no locked instruction.
func (t *tally) flush() {
	if len(t.private) > 0 && t.of.Type == ir.I64 {
		flushWords(t, t.private, atomic.AddUint64)
	} else if len(t.private) > 0 {
		flushWords(t, unsafe.Slice((*uint32)(unsafe.Pointer(&t.private[0])), 2*len(t.private)), atomic.AddUint32)
	}
	t.target = nil
}

func flushWords[T uint32 | uint64](t *tally, private []T, add func(*T, T) T) {
	neutral, size := T(t.of.Neutral()), t.of.Bytes()
	key := ir.Key{Type: t.of.Type, From: t.of.Type}
	for i, x := range private[:len(t.target)/size] {
		switch to := t.target[i*size:][:size]; {
		case x == neutral:
		case t.of.Op == ir.AtomAdd:
			add((*T)(unsafe.Pointer(&to[0])), x)
		default:
			exchange(to, func(old uint64) uint64 { return ir.Replacement(t.of.Op, key, old, uint64(x), 0) })
		}
	}
}

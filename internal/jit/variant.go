package jit

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit/codemem"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/trampoline"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// codeReservation is the address space in bytes that is reserved for the code of all programs.
// Address space alone costs no memory; a fixed range lets the signal handler recognize an address in
// code by two comparisons.
const codeReservation = 256 << 20

// codeHeap is the memory of all code. It is global because the signal handler, which must know its
// bounds, is. The handler turns a fault in machine code into the status Faulted, an error of the
// run, instead of a crash.
var codeHeap = sync.OnceValues(func() (*codemem.Heap, error) {
	h, err := codemem.New(codeReservation)
	if err != nil {
		return nil, err
	}
	return h, trampoline.CatchFaults(h.Range())
})

// release is the way of code to let the Go runtime retake its processor:
//
//	system call   after 20 microseconds or more
//	polling       after 10 milliseconds, as with Go functions
//
// If the system interrupts a batch in a system call, the runtime takes its processor and wakes a further thread. With all processors
// in batches this thread finds no work and sleeps again. So brief batches poll, and yield
// after some of them: a call of the application waits for a processor too.
type release struct {
	polls      bool // all batches poll
	pollsBrief bool // brief ones do
}

// codeRelease determines the release before the first run. Go cannot preempt our code by a signal, since it cannot unwind a foreign
// stack. Without another way a garbage collection would wait for the end of each batch.
var codeRelease = sync.OnceValues(func() (r release, err error) {
	h, err := codeHeap()
	if err != nil {
		return r, err
	}
	level, err := Choose(target.Best)
	if err != nil {
		return r, err
	}
	back := targetOf(level)
	b, err := h.Add(back.ProbeCode())
	if err != nil {
		return r, err
	}
	defer h.Free(b)
	r.polls, err = trampoline.ProbePreemption(b.Entry(), back.Control())
	r.pollsBrief = trampoline.GuardIsKnown()
	return r, err
})

// variant is executable code of a program for one strip width. It is reference counted by programs,
// runs and caches. Its code is position independent and has no address of a program or a job: all of
// them are arguments, so that many programs share it.
type variant struct {
	*compiled
	form  vcode.Form // of the code
	heap  *codemem.Heap
	block codemem.Block
	refs  atomic.Int64

	// counted is how many lanes share a step counter if it may count more steps than any subgroup takes, else 0.
	counted uint32

	groupBytes uint64 // lengthOfGroup

	mu         sync.Mutex
	idleStates []*groupState // free list
}

// newVariant makes code executable. The caller holds the only reference. A cache keeps variants when their programs are
// gone: a variant has no copy of its code, and the program without its functions.
func newVariant(c *compiled) (*variant, error) {
	heap, err := codeHeap()
	if err != nil {
		return nil, err
	}
	block, err := heap.Add(c.code.Bytes)
	if err != nil {
		return nil, err
	}
	source, code := *c.source, *c.code
	source.Funcs, source.From, source.Tables = nil, nil, nil
	code.Bytes = heap.Code(block)[:len(code.Bytes):len(code.Bytes)]
	c = &compiled{source: &source, code: &code, written: c.written}
	v := &variant{compiled: c, form: targetOf(c.code.Level).Form(c.code.Level), heap: heap, block: block}
	v.counted = min(sumsSteps(&code, uint32(v.form.Lanes)), source.SubgroupSize)
	v.groupBytes = lengthOfGroup(&code, source.Subgroups())
	v.refs.Store(1)
	return v, nil
}

// Bounds of the machine code of a brief batch, and of brief batches between two yields, in bytes. The code of textures runs 16 KiB in a
// microsecond: they are less than 100 microseconds and about a millisecond.
const (
	maxBriefBytes      = 1 << 20
	maxBriefUnyielding = 16 << 20
)

// lengthOfGroup returns the length of the machine code for a workgroup, or 0 if loops or calls leave it unknown.
func lengthOfGroup(c *target.Code, subgroups uint32) uint64 {
	for i := range c.Sites {
		if c.Sites[i].Op == vcode.Step {
			return 0
		}
	}
	return uint64(len(c.Bytes)) * uint64(subgroups)
}

// isBrief reports whether a batch of some workgroups is brief.
func (v *variant) isBrief(groups uint64) bool {
	return v.groupBytes > 0 && groups <= maxBriefBytes/v.groupBytes
}

// sumsSteps returns how many lanes share a step counter if their subgroups may take turns: if one takes the steps of one loop while
// others wait, and they take the steps of another loop. Then the counter counts more steps than each of them takes. It returns 0 if
// the counter is right for each subgroup: there is one loop, or all lanes take all steps.
func sumsSteps(c *target.Code, lanes uint32) (most uint32) {
	var first *target.Site
	several, waits := false, false
	for i := range c.Sites {
		x := &c.Sites[i]
		if x.Op != vcode.Step {
			continue
		}
		if first == nil {
			first = x
		}
		several = several || x.Value != first.Value || x.Func != first.Func
		waits = waits || slices.ContainsFunc(x.Masks, func(m target.Location) bool { return !m.Const })
		most = max(most, uint32(len(x.Masks))*lanes)
	}
	if !several || !waits {
		return 0
	}
	return most
}

// budget returns the steps that a counter may count for a job: for each subgroup that shares it, one of size lanes, the budget. So
// no job ends that need not end, but a subgroup may take more steps than its budget.
func (v *variant) budget(job *exec.Job, size uint32) uint64 {
	n, shared := job.EffectiveBudget(), uint64(subgroupsOf(v.counted, size))
	if n > math.MaxUint64/shared {
		return math.MaxUint64
	}
	return n * shared
}

// subgroupsOf returns how many subgroups of size lanes a strip can have lanes of. Strips begin at multiples of their lanes.
func subgroupsOf(strip, size uint32) uint32 {
	switch {
	case strip <= 1 || size%strip == 0:
		return 1
	case strip%size == 0:
		return strip / size
	}
	return (strip-2)/size + 2
}

// retain adds a reference; the caller must already hold one. Otherwise the count could already be 0
// and the memory in use by other code.
func (v *variant) retain() { v.refs.Add(1) }

// release drops a reference. A worker that runs the code holds a reference by its prepared job, so
// that the code and the stacks are idle here.
func (v *variant) release() {
	if v.refs.Add(-1) == 0 {
		v.freeStates()
		v.heap.Free(v.block)
	}
}

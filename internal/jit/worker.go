package jit

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
)

// Run runs the job's groups.
func (p *program) Run(ctx context.Context, job *exec.Job) error {
	if err := job.Check(p.p); err != nil {
		return err
	}
	if job.Hook != nil {
		return unsupported("observing a run", 0)
	}
	job = job.Heard(p.p)
	strip, err := p.choose(job)
	if err != nil {
		return err
	}
	defer strip.release()
	asks, err := polling()
	if err != nil {
		return err
	}
	h := newHandles(p.p, job, p.passing)
	h.tallying(p.p, job, p.tallies)
	err = job.Split(ctx, p.p, func(stop *atomic.Bool) (func(exec.Batch) error, func()) {
		w, err := newWorker(ctx, p, strip, job, h, stop)
		if err != nil {
			return func(exec.Batch) error { return err }, nil
		}
		w.ctx.Polling = asks || p.polling
		return w.batch, w.free
	})
	runtime.KeepAlive(job) // machine code holds the addresses of its buffers
	return err
}

// worker is what one goroutine needs to run groups. Machine code knows the
// addresses of its slices, which are never moved or grown.
type worker struct {
	of        *program
	p         *variant
	job       *exec.Job
	run       context.Context
	ctx       *amd64.Context
	stacks    *amd64.Stacks
	handles   []handle
	regions   int      // the first handle of a region
	native    []uint64 // the handles, as the code reads them
	resources []uint32
	shared    []uint64
	subgroups []uint64 // amd64.SubgroupBytes each
	records   []uint32 // amd64.Record.Size bytes each
	tallies   []tally
}

func newWorker(ctx context.Context, of *program, p *variant, job *exec.Job, h *handles, stop *atomic.Bool) (*worker, error) {
	n := int(p.p.Subgroups())
	stacks, err := amd64.NewStacks(n, p.code.StackBytes)
	if err != nil {
		return nil, err
	}
	w := &worker{
		run: ctx, of: of, p: p, job: job, ctx: &amd64.Context{Stop: stop}, stacks: stacks,
		regions:   h.regions,
		resources: slices.Concat(h.resources, []uint32{0, 0}),
		shared:    make([]uint64, (p.p.SharedBytes+63)/64*8+1),
		subgroups: make([]uint64, n*amd64.SubgroupBytes/8),
		records:   make([]uint32, n*int(p.code.Record.Size)/4),
	}
	w.handles = append(w.handles, h.list...)
	w.handles[amd64.HandleShared].bytes = unsafe.Slice((*byte)(unsafe.Pointer(&w.shared[0])), p.p.SharedBytes)
	for i := range w.handles {
		if x := &w.handles[i]; x.tally != ir.Bad {
			w.tallies = append(w.tallies, newTally(x))
		}
	}
	w.native = h.native(w.handles)
	for i := range n {
		w.subgroup(i)
	}
	w.arguments()
	return w, nil
}

// record returns the memory of the i-th subgroup's record.
func (w *worker) record(i int) []uint32 {
	size := int(w.p.code.Record.Size) / 4
	return w.records[i*size:][:size:size]
}

// subgroup prepares the i-th subgroup: its stack, and in its record who its
// lanes are.
func (w *worker) subgroup(i int) {
	p, r := w.p.p, w.record(i)
	top := w.stacks.Top(i)
	words := amd64.SubgroupBytes / 8
	copy(w.subgroups[i*words:], []uint64{0, uint64(top), uint64(addressOf(r))})
	r[amd64.RecordID/4] = uint32(i)
	lanes := int(w.p.code.Record.Lanes)
	local, part := r[w.p.code.Record.Local/4:], w.p.code.Level.Form().Lanes
	for lane := range int(p.SubgroupSize) {
		index := uint32(i)*p.SubgroupSize + uint32(lane)
		if index < p.Invocations() {
			r[amd64.RecordInitial/4+2*(lane/part)] |= 1 << (lane % part)
		}
		at := w.local(index)
		for row, v := range []uint32{index, at[0], at[1], at[2]} {
			local[row*lanes+lane] = v
		}
	}
}

// local returns the LocalInvocationId of an invocation: x is fastest.
func (w *worker) local(index uint32) [3]uint32 {
	x, y := w.p.p.LocalSize[0], w.p.p.LocalSize[1]
	return [3]uint32{index % x, index / x % y, index / x / y}
}

// arguments tells the code where everything is.
func (w *worker) arguments() {
	a := &w.ctx.Args
	a[amd64.ArgHandles] = addressOf(w.native)
	a[amd64.ArgResources] = addressOf(w.resources)
	a[amd64.ArgSubgroups] = addressOf(w.subgroups)
	a[amd64.ArgLast] = a[amd64.ArgSubgroups] + uintptr(8*len(w.subgroups))
	a[amd64.ArgShared] = addressOf(w.shared)
	a[amd64.ArgBudget] = uintptr(w.job.Steps())
	for i := range 3 {
		a[amd64.ArgBase+i] = uintptr(w.job.Base[i])
		a[amd64.ArgEnd+i] = uintptr(w.job.Base[i] + w.job.Groups[i])
		a[amd64.ArgNumber+i] = uintptr(w.job.Groups[i])
	}
}

// batch runs the groups of a batch in order.
func (w *worker) batch(b exec.Batch) error {
	c := w.ctx
	for i, id := range w.job.Group(b.First) {
		c.Args[amd64.ArgGroup+i] = uintptr(id)
	}
	c.Args[amd64.ArgCount] = uintptr(b.Count)
	c.PC, c.Stack = w.p.block.Entry(), w.stacks.Top(0)
	exits := uint64(0)
	defer func() { w.of.exits.Add(exits) }()
	for {
		switch amd64.Run(c) {
		case amd64.Called:
			exits++
			if err := w.serve(&w.p.code.Sites[c.Service]); err != nil {
				return err
			}
		case amd64.Polled:
			if w.ctx.Stop.Load() {
				return w.interrupted()
			}
			runtime.Gosched()
		case amd64.Faulted:
			return c.Fault()
		default:
			runtime.KeepAlive(w)
			return nil
		}
	}
}

// free does to descriptors what the worker's atomics gathered, and gives the
// stacks back, which fails only where they are none of ours.
func (w *worker) free() {
	for i := range w.tallies {
		w.tallies[i].settle()
	}
	_ = w.stacks.Close()
}

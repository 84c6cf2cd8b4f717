package jit

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"

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
	of  *program
	p   *variant
	job *exec.Job
	run context.Context
	ctx *amd64.Context
	*room
	handles   []handle
	regions   int      // the first handle of a region
	native    []uint64 // the handles, as the code reads them
	resources []uint32
	tallies   []tally
}

func newWorker(ctx context.Context, of *program, p *variant, job *exec.Job, h *handles, stop *atomic.Bool) (*worker, error) {
	room, err := p.enter()
	if err != nil {
		return nil, err
	}
	w := &worker{
		run: ctx, of: of, p: p, job: job, ctx: &amd64.Context{Stop: stop}, room: room,
		regions:   h.regions,
		resources: slices.Concat(h.resources, []uint32{0, 0}),
	}
	w.handles = append(w.handles, h.list...)
	w.handles[amd64.HandleShared].bytes = room.workgroup()
	for i := range w.handles {
		if x := &w.handles[i]; x.tally != ir.Bad {
			w.tallies = append(w.tallies, newTally(x))
		}
	}
	w.native = h.native(w.handles)
	w.arguments()
	return w, nil
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

// free does to descriptors what the worker's atomics gathered, and leaves the
// room.
func (w *worker) free() {
	for i := range w.tallies {
		w.tallies[i].settle()
	}
	w.p.leave(w.room)
}

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
func (p *program) Run(ctx context.Context, job *exec.Job) error { return exec.Run(ctx, p, job) }

// Bounds of what a program keeps for its next jobs: how many prepared ones, and of how
// many handles each.
const (
	maxKeptPrepared = 64
	maxKeptHandles  = 1 << 12
)

// prepared is a job that is ready, with the code that runs it.
type prepared struct {
	of    *program
	strip *variant // with a reference
	job   *exec.Job
	handles
	words []uint64 // the handles, as the code reads them
	own   bool     // each worker has some of its own: of workgroup memory, of tallies
}

// Prepare checks the job, chooses the code that runs it and numbers what it names.
func (p *program) Prepare(job *exec.Job) (exec.Prepared, error) {
	if err := job.Check(p.p); err != nil {
		return nil, err
	}
	if job.Hook != nil {
		return nil, unsupported("observing a run", 0)
	}
	x := p.prepared.Get()
	if x == nil {
		x = &prepared{of: p}
	}
	strip, err := p.choose(job, &x.handles)
	if err != nil {
		return nil, err
	}
	x.strip, x.job = strip, job
	x.fill(p.p, &p.places, job, p.passing)
	x.tallying(p.p, job, p.tallies)
	x.own = p.p.SharedBytes > 0 || slices.ContainsFunc(x.list, func(h handle) bool { return h.tally != ir.Bad })
	if !x.own {
		x.words = x.native(x.words, x.list)
	}
	return x, nil
}

// Release keeps what was prepared for the next job.
func (x *prepared) Release() {
	runtime.KeepAlive(x.job) // machine code holds the addresses of its buffers
	clear(x.list)
	x.push, x.job = nil, nil
	x.strip.release()
	x.strip = nil
	if cap(x.list) <= maxKeptHandles {
		x.of.prepared.Put(x, maxKeptPrepared)
	}
}

// worker is what one goroutine needs to run groups. Machine code knows the
// addresses of its slices, which are never moved or grown while it runs.
type worker struct {
	of  *program
	p   *variant
	at  *prepared // of which it runs groups
	job *exec.Job
	run context.Context
	ctx *amd64.Context
	*room
	handles []handle
	regions int      // the first handle of a region
	list    []handle // its own
	words   []uint64 // likewise, as the code reads them
	tallies []tally
}

// AcquireWorker returns a worker: one of an earlier run, or a new one.
func (p *program) AcquireWorker(ctx context.Context, stop *atomic.Bool) (exec.Worker, error) {
	asks, err := polling()
	if err != nil {
		return nil, err
	}
	w := p.workers.Get()
	if w == nil {
		w = &worker{of: p, ctx: &amd64.Context{}}
	}
	w.run, w.ctx.Stop, w.ctx.Polling = ctx, stop, asks || p.polling
	return w, nil
}

// Run runs the groups of a batch.
func (w *worker) Run(p exec.Prepared, b exec.Batch) error {
	if x := p.(*prepared); x != w.at {
		if err := w.turn(x); err != nil {
			return err
		}
	}
	return w.batch(b)
}

// turn turns to a job.
func (w *worker) turn(x *prepared) error {
	w.settle()
	if w.p != x.strip {
		w.goOut()
		room, err := x.strip.enter()
		if err != nil {
			return err
		}
		w.p, w.room = x.strip, room
	}
	w.at, w.job, w.regions = x, x.job, x.regions
	w.handles = x.list
	words := x.words
	if x.own {
		w.list = append(w.list[:0], x.list...)
		w.handles = w.list
		w.handles[amd64.HandleShared].bytes = w.workgroup()
		for i := range w.handles {
			if h := &w.handles[i]; h.tally != ir.Bad {
				n := len(w.tallies)
				w.tallies = slices.Grow(w.tallies, 1)[:n+1]
				w.tallies[n].begin(h)
			}
		}
		w.words = x.native(w.words, w.handles)
		words = w.words
	}
	w.arguments(words, x.resources)
	return nil
}

// settle does to descriptors what the worker's atomics gathered.
func (w *worker) settle() {
	for i := range w.tallies {
		w.tallies[i].settle()
	}
	w.tallies = w.tallies[:0]
}

// goOut leaves the room.
func (w *worker) goOut() {
	if w.room != nil {
		w.p.leave(w.room)
	}
	w.p, w.room = nil, nil
}

// Release settles all, and keeps the worker for the next run.
func (w *worker) Release() {
	w.settle()
	w.goOut()
	clear(w.list)
	w.at, w.job, w.run, w.handles = nil, nil, nil, nil
	if cap(w.list) <= maxKeptHandles {
		w.of.workers.Put(w, exec.MaxIdleWorkers())
	}
}

// arguments tells the code where everything is.
func (w *worker) arguments(words []uint64, resources []uint32) {
	a := &w.ctx.Args
	a[amd64.ArgHandles] = addressOf(words)
	a[amd64.ArgResources] = addressOf(resources)
	a[amd64.ArgSubgroups] = addressOf(w.subgroups)
	a[amd64.ArgLast] = a[amd64.ArgSubgroups] + uintptr(8*len(w.subgroups))
	a[amd64.ArgShared] = addressOf(w.shared)
	a[amd64.ArgBudget] = uintptr(w.job.EffectiveBudget())
	for i := range 3 {
		a[amd64.ArgBase+i] = uintptr(w.job.Base[i])
		a[amd64.ArgEnd+i] = uintptr(w.job.Base[i] + w.job.Groups[i])
		a[amd64.ArgNumber+i] = uintptr(w.job.Groups[i])
	}
}

// batch runs the groups of a batch in order.
func (w *worker) batch(b exec.Batch) error {
	c := w.ctx
	for i, id := range w.job.GroupID(b.First) {
		c.Args[amd64.ArgGroup+i] = uintptr(id)
	}
	c.Args[amd64.ArgCount] = uintptr(b.Count)
	c.PC, c.Stack = w.p.block.Entry(), w.stacks.Top(0)
	exits := uint64(0)
	defer func() {
		if exits > 0 { // all workers would write the same line of the cache
			w.of.exits.Add(exits)
		}
	}()
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

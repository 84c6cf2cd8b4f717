package interp

import (
	"context"
	"encoding/binary"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// name is the engine's name in messages.
const name = "interp"

// Engine is the reference interpreter. It runs compute programs.
type Engine struct{}

// Name returns "interp".
func (Engine) Name() string { return name }

// Compile verifies and flattens p. Recursion, stages other than compute and
// operations that only they have give an *exec.UnsupportedError.
func (Engine) Compile(p *ir.Program, o exec.Options) (exec.Program, error) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, &exec.UnsupportedError{Engine: name, Feature: "a big-endian machine"}
	}
	if err := p.Verify(); err != nil {
		return nil, err
	}
	if err := exec.CheckRunnable(name, p); err != nil {
		return nil, err
	}
	order, err := reachable(p)
	if err != nil {
		return nil, err
	}
	c := flatten(p, order, o.Stopped)
	if c.err != nil {
		return nil, c.err
	}
	if err := o.Limits.Check(p, c.laneBytes()); err != nil {
		return nil, err
	}
	return &program{p: p, code: c}, nil
}

// program is a compiled program.
type program struct {
	p    *ir.Program
	code *code

	workers  exec.FreeList[worker]
	prepared exec.FreeList[prepared]
}

// Bounds of the memory that a program retains for its next runs: bytes of one worker,
// number of jobs, and number of handles of each job.
const (
	maxKeptWorker   = 1 << 20
	maxKeptPrepared = 64
	maxKeptHandles  = 1 << 12
)

// IR returns the program that was compiled.
func (p *program) IR() *ir.Program { return p.p }

// Close does nothing: the garbage collector frees all memory.
func (p *program) Close() error { return nil }

// Run runs the job's groups.
func (p *program) Run(ctx context.Context, job *exec.Job) error {
	return exec.Run(ctx, p, job)
}

// prepared is a job that is ready.
type prepared struct {
	of  *program
	job *exec.Job
	handles
	serial uint64 // number of changes by Reuse
}

// Reusable reports that Reuse is possible.
func (x *prepared) Reusable() bool { return true }

// Reuse assigns handles again: those of the push constants have changed.
func (x *prepared) Reuse() {
	x.serial++
	x.handles.fill(x.of.p, x.job)
}

// Prepare checks the job and assigns handles to its resources.
func (p *program) Prepare(job *exec.Job) (exec.Prepared, error) {
	if err := job.Check(p.p); err != nil {
		return nil, err
	}
	x := p.prepared.Get()
	if x == nil {
		x = &prepared{of: p}
	}
	x.job = job
	x.handles.fill(p.p, job)
	return x, nil
}

// Release returns the prepared job to the free list.
func (x *prepared) Release() {
	clear(x.list)
	x.job = nil
	if cap(x.list) <= maxKeptHandles {
		x.of.prepared.Put(x, maxKeptPrepared)
	}
}

// AcquireWorker returns a worker: one of an earlier run, or a new one.
func (p *program) AcquireWorker(ctx context.Context, stop *atomic.Bool) (exec.Worker, error) {
	w := p.workers.Get()
	if w == nil {
		w = newWorker(p)
	}
	w.ctx, w.stop = ctx, stop
	return w, nil
}

// Run runs the groups of a batch.
func (w *worker) Run(p exec.Prepared, b exec.Batch) error {
	if x := p.(*prepared); x != w.at || x.serial != w.serial {
		w.serial = x.serial
		w.at, w.job, w.handleList = x, x.job, &x.handles
		w.handles = append(w.handles[:0], x.list...)
		w.handles[wgHandle].bytes = w.shared
	}
	return w.batch(b)
}

// Release returns the worker to the free list, or drops it if it is large or the list
// is full.
func (w *worker) Release() {
	w.rays.Release()
	clear(w.handles)
	w.at, w.job, w.handleList, w.ctx, w.stop = nil, nil, nil, nil, nil
	if w.bytes() <= maxKeptWorker && cap(w.handles) <= maxKeptHandles {
		w.p.workers.Put(w, exec.MaxIdleWorkers())
	}
}

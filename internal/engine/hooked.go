package engine

import (
	"context"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// Hooked is an engine for jobs with a hook: the interpreter runs the groups that the hook wants steps of, machine code runs the others.
type Hooked struct {
	code, steps exec.Engine
}

// ForHooks returns the fastest engine of this machine for jobs with a hook.
func ForHooks() exec.Engine {
	if _, err := jit.Choose(target.Best); err != nil {
		return interp.Engine{}
	}
	return Hooked{jit.Engine{Level: target.Best}, interp.Engine{}}
}

// Name returns the name of the engine that a hook observes.
func (e Hooked) Name() string { return e.steps.Name() }

// Compile compiles a program for both engines; for the interpreter alone if the JIT does not support it.
func (e Hooked) Compile(p *ir.Program, o exec.Options) (exec.Program, error) {
	steps, err := e.steps.Compile(p, o)
	if err != nil {
		return nil, err
	}
	code, err := e.code.Compile(p, o)
	if err != nil {
		return steps, o.Stopped()
	}
	return &hookedProgram{code, steps}, nil
}

// hookedProgram is a program for both engines.
type hookedProgram struct{ code, steps exec.Program }

// IR returns the program.
func (p *hookedProgram) IR() *ir.Program { return p.steps.IR() }

// Run runs the job's groups.
func (p *hookedProgram) Run(ctx context.Context, job *exec.Job) error { return exec.Run(ctx, p, job) }

// Close closes both programs.
func (p *hookedProgram) Close() error {
	err := p.steps.Close()
	if e := p.code.Close(); err == nil {
		err = e
	}
	return err
}

// hookedJob is a job that is ready for both engines.
type hookedJob struct {
	job           *exec.Job
	group         exec.Group
	relay         relay
	ofCode        exec.Job // without the hook
	ofSteps       exec.Job // with relay
	code, stepped exec.Prepared
}

// relay is the hook of groups of the interpreter: the worker has begun them, and ends them.
type relay struct {
	exec.Hook
	resume exec.Snapshot
}

func (r *relay) BeginGroup(g *exec.Group) error {
	g.Resume = r.resume
	return nil
}

func (*relay) EndGroup(*exec.Group) error { return nil }

// Yield tells the hook if it wants to know.
func (r *relay) Yield(s *exec.Step) error {
	if y, ok := r.Hook.(exec.YieldHook); ok {
		return y.Yield(s)
	}
	return nil
}

// Prepare prepares a job for the engines that it needs: both with a hook, the interpreter with a schedule, machine code otherwise.
func (p *hookedProgram) Prepare(job *exec.Job) (exec.Prepared, error) {
	x := &hookedJob{job: job, ofCode: *job, ofSteps: *job}
	var err error
	if job.Hook != nil || job.Schedule != nil {
		if job.Hook != nil {
			x.relay.Hook = job.Hook
			x.ofSteps.Hook = &x.relay
		}
		if x.stepped, err = p.steps.Prepare(&x.ofSteps); err != nil || job.Hook == nil {
			return x, err
		}
	}
	x.ofCode.Hook, x.ofCode.Prompt = nil, job.Hook != nil
	if b, ok := job.Hook.(exec.BoundedHook); ok {
		x.ofCode.Budget = min(job.EffectiveBudget(), b.Budget())
	}
	if x.code, err = p.code.Prepare(&x.ofCode); err != nil {
		x.Release()
		return nil, err
	}
	return x, nil
}

// PrepareMerged is Prepare for all groups of a job: machine code may merge them if nothing observes the run.
func (p *hookedProgram) PrepareMerged(job *exec.Job) (exec.Prepared, error) {
	m, ok := p.code.(exec.Merger)
	if !ok || job.Hook != nil || job.Schedule != nil {
		return p.Prepare(job)
	}
	x := &hookedJob{job: job, ofCode: *job}
	var err error
	if x.code, err = m.PrepareMerged(&x.ofCode); err != nil {
		return nil, err
	}
	return x, nil
}

// GroupCount returns the number of groups that batches count.
func (x *hookedJob) GroupCount() (uint64, bool) {
	if m, ok := x.code.(exec.Merged); ok {
		return m.GroupCount()
	}
	return x.job.GroupCount(), true
}

// Release releases the jobs of both engines.
func (x *hookedJob) Release() {
	if x.code != nil {
		x.code.Release()
	}
	if x.stepped != nil {
		x.stepped.Release()
	}
}

// hookedWorker has a worker of each engine.
type hookedWorker struct {
	program     *hookedProgram
	stop        *atomic.Bool
	code, steps exec.Worker
}

// AcquireWorker acquires a worker of each engine.
func (p *hookedProgram) AcquireWorker(ctx context.Context, stop *atomic.Bool) (exec.Worker, error) {
	w := &hookedWorker{program: p, stop: stop}
	var err error
	if w.steps, err = p.steps.AcquireWorker(ctx, stop); err != nil {
		return nil, err
	}
	if w.code, err = p.code.AcquireWorker(ctx, stop); err != nil {
		w.steps.Release()
		return nil, err
	}
	return w, nil
}

// Release releases both workers.
func (w *hookedWorker) Release() {
	w.code.Release()
	w.steps.Release()
}

// Run runs the groups of a batch: with a hook one by one, each with the engine that the hook wants.
func (w *hookedWorker) Run(p exec.Prepared, b exec.Batch) error {
	x := p.(*hookedJob)
	switch {
	case x.job.Hook == nil && x.stepped != nil:
		return w.steps.Run(x.stepped, b)
	case x.job.Hook == nil:
		return w.code.Run(x.code, b)
	}
	for n := b.First; n < b.First+b.Count && !w.stop.Load(); n++ {
		if err := w.group(x, n); err != nil {
			return err
		}
	}
	return nil
}

// group runs a group.
func (w *hookedWorker) group(x *hookedJob, n uint64) error {
	g, h := &x.group, x.job.Hook
	*g = exec.Group{ID: x.job.GroupID(n), Job: x.job, Program: w.program.IR()}
	err := h.BeginGroup(g)
	switch one := (exec.Batch{First: n, Count: 1}); err {
	case nil:
		x.relay.resume = g.Resume
		err = w.steps.Run(x.stepped, one)
	case exec.ErrNoSteps:
		err = w.code.Run(x.code, one)
	case exec.ErrSkipGroup:
		return nil
	}
	if err != nil || w.stop.Load() { // a group that was stopped is incomplete
		return err
	}
	return h.EndGroup(g)
}

package exec_test

import (
	"context"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// goProgram is a program implemented by a Go function that runs groups.
type goProgram struct {
	ir    ir.Program
	enter func() (run func(exec.Batch) error, leave func())
}

// inGo returns a program in which each worker calls enter once, then run for each batch, and finally leave
// unless it is nil.
func inGo(enter func() (run func(exec.Batch) error, leave func())) exec.Program {
	return &goProgram{enter: enter}
}

func (p *goProgram) IR() *ir.Program { return &p.ir }

func (p *goProgram) Run(ctx context.Context, job *exec.Job) error { return exec.Run(ctx, p, job) }

func (p *goProgram) Prepare(job *exec.Job) (exec.Prepared, error) { return p, job.Check(&p.ir) }

func (p *goProgram) Release() {}

func (p *goProgram) Close() error { return nil }

func (p *goProgram) AcquireWorker(context.Context, *atomic.Bool) (exec.Worker, error) {
	run, leave := p.enter()
	return goWorker{run, leave}, nil
}

type goWorker struct {
	run   func(exec.Batch) error
	leave func()
}

func (w goWorker) Run(_ exec.Prepared, b exec.Batch) error { return w.run(b) }

func (w goWorker) Release() {
	if w.leave != nil {
		w.leave()
	}
}

package exec_test

import (
	"context"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// goProgram is a program whose groups are run by a function in Go.
type goProgram struct {
	ir    ir.Program
	enter func() (run func(exec.Batch) error, leave func())
}

// inGo returns a program each of whose workers calls enter, and then run for each batch
// and in the end leave, where there is one.
func inGo(enter func() (run func(exec.Batch) error, leave func())) exec.Program {
	return &goProgram{enter: enter}
}

func (p *goProgram) IR() *ir.Program { return &p.ir }

func (p *goProgram) Run(ctx context.Context, job *exec.Job) error { return exec.Run(ctx, p, job) }

func (p *goProgram) Prepare(job *exec.Job) (exec.Prepared, error) { return p, job.Check(&p.ir) }

func (p *goProgram) Release() {}

func (p *goProgram) Close() error { return nil }

func (p *goProgram) Enter(context.Context, *atomic.Bool) (exec.Worker, error) {
	run, leave := p.enter()
	return goWorker{run, leave}, nil
}

type goWorker struct {
	run   func(exec.Batch) error
	leave func()
}

func (w goWorker) Run(_ exec.Prepared, b exec.Batch) error { return w.run(b) }

func (w goWorker) Leave() {
	if w.leave != nil {
		w.leave()
	}
}

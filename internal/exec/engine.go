package exec

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Engine compiles programs. Every engine gives every program the same bytes.
type Engine interface {
	// Name returns the engine's name for messages and flags, such as "interp".
	Name() string

	// Compile makes p runnable. It first verifies p and returns the
	// *ir.VerifyError where that fails; a program that an engine cannot run, such
	// as one whose texture functions are not bound ([Bound]), gives an
	// *UnsupportedError, one that is too large a *LimitError. p must not change
	// afterwards.
	Compile(p *ir.Program, o Options) (Program, error)
}

// Bound returns an *UnsupportedError where a texture function of p still waits for
// the views and samplers that will be bound, or where p has inputs, outputs or
// operations of a graphics stage, which whoever runs the stage has to replace.
// Engines ask it first in Compile.
func Bound(engine string, p *ir.Program) error {
	waits := func(origin int32, format string, args ...any) error {
		return &UnsupportedError{Engine: engine, What: fmt.Sprintf(format, args...), Origin: origin}
	}
	if p.Stage != ir.Compute {
		return waits(0, "stage %s", p.Stage)
	}
	for _, in := range p.In {
		if !in.Semantic.Engine() {
			return waits(0, "input %s", in.Semantic)
		}
	}
	if len(p.Out) > 0 {
		return waits(0, "output %s", p.Out[0].Semantic)
	}
	for _, f := range p.Funcs {
		if f.Texture != nil {
			return waits(0, "an image that is not bound: %s", f.Texture)
		}
		for _, v := range f.Code {
			if x := f.Val(v); x.Op.OfStage() {
				return waits(x.Origin, "operation %s, which is a graphics stage's", x.Op)
			}
		}
	}
	return nil
}

// Options are what a caller may ask of a compilation. The zero Options ask
// for nothing and set the default limits.
type Options struct {
	Limits Limits
}

// Program is a compiled program. It is safe for concurrent use, Close excepted.
type Program interface {
	// IR returns the program that was compiled.
	IR() *ir.Program

	// Run runs all groups of the job. It returns a *JobError for a job that
	// does not fit the program, a *BudgetError where a loop did not end within
	// the budget, and soon after ctx is done an *InterruptError that names the
	// loop that ran, or ctx.Err() where none did. Engines have it call [Run].
	Run(ctx context.Context, job *Job) error

	// Prepare makes a job ready to be run by parts. It returns a *JobError for a
	// job that does not fit the program. Neither the job nor what it names may
	// change until Release. Where the program has messages the job has a log.
	Prepare(job *Job) (Prepared, error)

	// Enter returns what runs groups in the calling goroutine, until Leave. stop is
	// set when it shall end soon.
	Enter(ctx context.Context, stop *atomic.Bool) (Worker, error)

	// Close frees what the engine holds for the program. No Run may be under
	// way, nothing may be prepared or entered, and none may follow.
	Close() error
}

// Prepared is a job of a program that is ready. Workers of the program run its groups,
// several at once.
type Prepared interface {
	// Release ends the use. No Worker may be running groups of the job, or have run
	// some and not left yet.
	Release()
}

// Worker runs groups of jobs of one program, one batch after the other.
type Worker interface {
	// Run runs the groups of a batch in order. It returns what Program.Run does,
	// but nil at once where it is stopped.
	Run(p Prepared, b Batch) error

	// Leave ends the use.
	Leave()
}

package exec

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Engine compiles programs. All engines produce the same bytes in memory for the same program and job.
type Engine interface {
	// Name returns the engine's name in messages and flags, such as "interp".
	Name() string

	// Compile prepares p for execution. It verifies p first. Errors: the *ir.VerifyError of an
	// ill-formed program; an *UnsupportedError if the engine cannot run p (see [CheckRunnable]); a
	// *LimitError if p exceeds o.Limits; the error of o.Stop. The caller must not change p afterwards.
	Compile(p *ir.Program, o Options) (Program, error)
}

// CheckRunnable returns an *UnsupportedError if p is not yet a complete compute program: if a texture
// function still has no views and samplers bound to it, or if p contains inputs, outputs or operations of a
// graphics stage, which stage lowering (package draw) must replace first. It returns nil otherwise. Every
// engine calls it at the start of Compile; engine is the engine's name for the message.
func CheckRunnable(engine string, p *ir.Program) error {
	unsupported := func(origin int32, format string, args ...any) error {
		return &UnsupportedError{Engine: engine, Feature: fmt.Sprintf(format, args...), Origin: origin}
	}
	if p.Stage != ir.Compute {
		return unsupported(0, "stage %s", p.Stage)
	}
	for _, in := range p.In {
		if !in.Semantic.Engine() {
			return unsupported(0, "input %s", in.Semantic)
		}
	}
	if len(p.Out) > 0 {
		return unsupported(0, "output %s", p.Out[0].Semantic)
	}
	for _, f := range p.Funcs {
		if f.Texture != nil {
			return unsupported(0, "an unbound image: %s", f.Texture)
		}
		for _, v := range f.Code {
			if x := f.Val(v); x.Op.OfStage() {
				return unsupported(x.Origin, "operation %s of a graphics stage", x.Op)
			}
		}
	}
	return nil
}

// Options configure one compilation. The zero Options select the default limits.
type Options struct {
	Limits Limits

	// Stop, if not nil, is polled during a compilation, which returns its error as soon as it is not nil:
	// ctx.Err of a context, for example.
	Stop func() error
}

// Stopped returns the error of Stop, or nil if there is no Stop.
func (o Options) Stopped() error {
	if o.Stop == nil {
		return nil
	}
	return o.Stop()
}

// Until returns the options with ctx.Err as Stop.
func (o Options) Until(ctx context.Context) Options {
	o.Stop = ctx.Err
	return o
}

// Program is a compiled program. All methods except Close are safe for concurrent use.
type Program interface {
	// IR returns the source program of the compilation. It must not be changed.
	IR() *ir.Program

	// Run executes all groups of the job and returns when they have ended. Errors: a *JobError if
	// the job does not fit the program; a *BudgetError if a subgroup exceeds the step budget; an
	// *AbortError if an invocation aborts; and soon after ctx is done, an *InterruptError that names
	// the running loop, or ctx.Err() if no loop was running. Engines implement it by [Run].
	Run(ctx context.Context, job *Job) error

	// Prepare resolves the job's resources so that workers can run its groups in batches. It
	// returns a *JobError if the job does not fit the program. The caller must not change the job,
	// nor anything that it refers to, until Release. If the program has messages, job.Log must be set.
	Prepare(job *Job) (Prepared, error)

	// AcquireWorker returns a worker for the calling goroutine; the caller must call its Release.
	// The worker polls stop and returns soon after it is set. ctx is only for error messages.
	AcquireWorker(ctx context.Context, stop *atomic.Bool) (Worker, error)

	// Close frees the engine's memory for the program. No Run may be in progress, no Prepared or
	// Worker may be unreleased, and the program must not be used afterwards.
	Close() error
}

// Prepared is a job that is ready to run. Several workers of the program may run its groups at once.
type Prepared interface {
	// Release frees the job's resources. No worker may be running groups of the job. A worker that has
	// run some must have been released, or next runs another job, which was prepared before Release.
	Release()
}

// Vectors is a Program that runs invocations in the lanes of vectors.
type Vectors interface {
	// Lanes returns the number of 32-bit lanes of a vector.
	Lanes() int
}

// Merger is a Program that may run several groups of a job as one, if no result can tell.
type Merger interface {
	// PrepareMerged is Prepare for a job of which all groups are to run.
	PrepareMerged(job *Job) (Prepared, error)
}

// Merged is a Prepared of PrepareMerged.
type Merged interface {
	// GroupCount returns the number of groups that batches count. It returns false if Reuse got a job that needs a new Prepare.
	GroupCount() (uint64, bool)
}

// prepareAll prepares a job of which all groups are to run.
func prepareAll(p Program, job *Job) (Prepared, error) {
	if m, ok := p.(Merger); ok {
		return m.PrepareMerged(job)
	}
	return p.Prepare(job)
}

// groupCount returns the number of groups of a job that is prepared; see Merged.
func groupCount(x Prepared, job *Job) (uint64, bool) {
	if m, ok := x.(Merged); ok {
		return m.GroupCount()
	}
	return job.GroupCount(), true
}

// Worker runs groups of jobs of one program on one goroutine, one batch after another.
type Worker interface {
	// Run executes the groups of batch b in order. It returns the errors of Program.Run, and nil as
	// soon as it notices the stop flag.
	Run(p Prepared, b Batch) error

	// Release returns the worker to its program. It must not be used afterwards.
	Release()
}

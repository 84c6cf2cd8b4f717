package compute

import (
	"context"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Pipeline is a compute program and the engine that runs it. If the program accesses
// images, its code depends on the views and samplers that are bound: the pipeline
// has it compiled when it first meets them. It is safe for concurrent use, Close
// excepted.
type Pipeline struct {
	program *ir.Program
	engine  exec.Engine
	options exec.Options

	mu       sync.Mutex
	variants Variants[struct{}] // the code depends on the views and samplers alone
}

// NewPipeline compiles a program, which must not change afterwards. A program that
// accesses images is only verified; Dispatch returns the engine's errors. o.Stop is
// for this compilation alone.
func NewPipeline(p *ir.Program, e exec.Engine, o exec.Options) (*Pipeline, error) {
	l := newPipeline(p, e, o)
	if exec.CheckRunnable(e.Name(), p) != nil {
		return l, p.Verify()
	}
	prog, err := e.Compile(p, o)
	if err != nil {
		return nil, err
	}
	l.variants.Add(&struct{}{}, prog)
	return l, nil
}

// NewDeferred is NewPipeline without a compilation: the first dispatch compiles.
func NewDeferred(p *ir.Program, e exec.Engine, o exec.Options) (*Pipeline, error) {
	return newPipeline(p, e, o), p.Verify()
}

func newPipeline(p *ir.Program, e exec.Engine, o exec.Options) *Pipeline {
	l := &Pipeline{program: p, engine: e, options: exec.Options{Limits: o.Limits}}
	l.variants = Variants[struct{}]{
		Equal: func(_, _ *struct{}) bool { return true },
		Copy:  func(*struct{}) struct{} { return struct{}{} },
		Make:  func(*struct{}) (*ir.Program, error) { return p, nil },
	}
	return l
}

// IR returns the program as it is before anything is bound.
func (l *Pipeline) IR() *ir.Program { return l.program }

// Close frees the resources of the engine. No Dispatch may be running, and none may
// follow.
func (l *Pipeline) Close() error { return l.variants.Close() }

// Dispatch runs all workgroups of args, as the function Dispatch does. Besides its
// errors it returns errors of the compilation for the views and samplers.
func (l *Pipeline) Dispatch(ctx context.Context, args Args) error {
	if err := args.check(l.program); err != nil {
		return err
	}
	v, err := l.acquire(ctx, &args)
	if err != nil {
		return err
	}
	defer l.release(v)
	return Dispatch(ctx, v.Program, args)
}

// Compile performs all steps of a Dispatch with these views and samplers before the
// run, and returns the program that it would run. The pipeline owns this program and
// closes it when it evicts the variant.
func (l *Pipeline) Compile(ctx context.Context, args Args) (exec.Program, error) {
	v, err := l.acquire(ctx, &args)
	if err != nil {
		return nil, err
	}
	defer l.release(v)
	return v.Program, nil
}

// acquire returns the variant for the bound views and samplers; it compiles one if needed.
func (l *Pipeline) acquire(ctx context.Context, args *Args) (*Variant[struct{}], error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.variants.Acquire(ctx, &struct{}{}, l.engine, l.options, args)
}

// release ends a use of a variant.
func (l *Pipeline) release(v *Variant[struct{}]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v.Release()
}

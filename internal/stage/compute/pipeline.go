package compute

import (
	"context"
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// MaxVariants is the number of programs that a pipeline retains for different views and
// samplers: the most recently used ones.
const MaxVariants = 64

// Pipeline is a compute program and the engine that runs it. If the program accesses
// images, its code depends on the views and samplers that are bound: the pipeline
// has it compiled when it first meets them. It is safe for concurrent use, Close
// excepted.
type Pipeline struct {
	program *ir.Program
	engine  exec.Engine
	options exec.Options

	mu       sync.Mutex
	variants []*variant // most recently used first
}

// variant is a program for views and samplers with certain keys.
type variant struct {
	key     []uint64
	program exec.Program
	users   int  // runs under way
	evicted bool // it is none of the pipeline's any more: the last user closes it
}

// NewPipeline compiles a program, which must not change afterwards. A program that
// accesses images is only verified; Dispatch returns the engine's errors. o.Stop is
// for this compilation alone.
func NewPipeline(p *ir.Program, e exec.Engine, o exec.Options) (*Pipeline, error) {
	l := &Pipeline{program: p, engine: e, options: exec.Options{Limits: o.Limits}}
	if exec.CheckRunnable(e.Name(), p) != nil {
		return l, p.Verify()
	}
	prog, err := e.Compile(p, o)
	if err != nil {
		return nil, err
	}
	l.variants = []*variant{{program: prog}}
	return l, nil
}

// IR returns the program as it is before anything is bound.
func (l *Pipeline) IR() *ir.Program { return l.program }

// Close frees the resources of the engine. No Dispatch may be running, and none may
// follow.
func (l *Pipeline) Close() (err error) {
	for _, v := range l.variants {
		if e := v.program.Close(); err == nil {
			err = e
		}
	}
	l.variants = nil
	return err
}

// Dispatch runs all workgroups of args, as the function Dispatch does. Besides its
// errors it returns errors of the compilation for the views and samplers.
func (l *Pipeline) Dispatch(ctx context.Context, args Args) error {
	if err := args.check(l.program); err != nil {
		return err
	}
	v, err := l.acquire(ctx, args.textures(l.program))
	if err != nil {
		return err
	}
	defer l.release(v)
	return Dispatch(ctx, v.program, args)
}

// Compile performs all steps of a Dispatch with these views and samplers before the
// run, and returns the program that it would run. The pipeline owns this program and
// closes it when it evicts the variant.
func (l *Pipeline) Compile(ctx context.Context, args Args) (exec.Program, error) {
	v, err := l.acquire(ctx, args.textures(l.program))
	if err != nil {
		return nil, err
	}
	defer l.release(v)
	return v.program, nil
}

// acquire returns the variant for the bound views and samplers; it compiles one if needed.
func (l *Pipeline) acquire(ctx context.Context, bound []texture.Bound) (*variant, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := texture.Key(l.program, bound)
	i := slices.IndexFunc(l.variants, func(v *variant) bool { return slices.Equal(v.key, key) })
	if i < 0 {
		v, err := l.compile(ctx, key, bound)
		if err != nil {
			return nil, err
		}
		l.variants = append(l.variants, v)
		i = len(l.variants) - 1
	}
	v := l.variants[i]
	copy(l.variants[1:i+1], l.variants[:i])
	l.variants[0] = v
	v.users++
	if n := len(l.variants) - 1; n >= MaxVariants {
		l.evict(l.variants[n])
		l.variants = l.variants[:n]
	}
	return v, nil
}

// compile creates a variant. The passes run again, because only now they see
// the bodies of the texture functions.
func (l *Pipeline) compile(ctx context.Context, key []uint64, bound []texture.Bound) (*variant, error) {
	p, err := texture.Bind(l.program, bound)
	if err != nil {
		return nil, &exec.UnsupportedError{Engine: l.engine.Name(), Feature: err.Error()}
	}
	p = p.Clone()
	if err := pass.RunUntil(p, ctx.Err); err != nil {
		return nil, err
	}
	prog, err := l.engine.Compile(p, l.options.Until(ctx))
	if err != nil {
		return nil, err
	}
	return &variant{key: key, program: prog}, nil
}

func (l *Pipeline) evict(v *variant) {
	if v.evicted = true; v.users == 0 {
		v.program.Close()
	}
}

func (l *Pipeline) release(v *variant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if v.users--; v.users == 0 && v.evicted {
		v.program.Close()
	}
}

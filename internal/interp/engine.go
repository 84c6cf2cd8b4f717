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
		return nil, &exec.UnsupportedError{Engine: name, What: "a big-endian machine"}
	}
	if err := p.Verify(); err != nil {
		return nil, err
	}
	if err := exec.Bound(name, p); err != nil {
		return nil, err
	}
	order, err := reachable(p)
	if err != nil {
		return nil, err
	}
	c := flatten(p, order)
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
}

// IR returns the program that was compiled.
func (p *program) IR() *ir.Program { return p.p }

// Close does nothing: the collector frees what there is.
func (p *program) Close() error { return nil }

// Run runs the job's groups.
func (p *program) Run(ctx context.Context, job *exec.Job) error {
	if err := job.Check(p.p); err != nil {
		return err
	}
	job = job.Heard(p.p)
	table := newHandles(p.p, job)
	return job.Split(ctx, p.p, func(stop *atomic.Bool) (func(exec.Batch) error, func()) {
		return newWorker(ctx, p, job, table, stop).batch, nil
	})
}

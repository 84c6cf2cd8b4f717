// Package engine chooses an execution engine: machine code if the processor and the program allow it, otherwise
// the interpreter. Both return the same bytes. It refuses to know the flags of commands and the places of caches.
//
// # Files
//
//	engine.go   the engine of a program
//	hooked.go   the engine of a program that a hook observes
package engine

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// Best returns the fastest engine of this machine for each program, with machine code of a level. cache holds machine code; nil for none.
func Best(level target.Level, cache *jit.Cache) exec.Engine {
	if _, err := jit.Choose(level); err != nil {
		return interp.Engine{}
	}
	return Preferred{jit.Engine{Level: level, Cache: cache}, interp.Engine{}}
}

// Preferred compiles a program with its first engine, and with its second if the first does not support it.
type Preferred struct {
	First, Second exec.Engine
}

// Name returns the name of the first engine.
func (e Preferred) Name() string { return e.First.Name() }

// Compile tries both engines. If both fail it returns the second engine's error.
func (e Preferred) Compile(p *ir.Program, o exec.Options) (exec.Program, error) {
	if prog, err := e.First.Compile(p, o); err == nil {
		return prog, nil
	}
	if err := o.Stopped(); err != nil {
		return nil, err
	}
	return e.Second.Compile(p, o)
}

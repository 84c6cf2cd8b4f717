package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
)

// engineFlags say what runs shaders.
type engineFlags struct {
	engine, level string
}

var engineNames = []string{"auto", "interp", "jit"}

var levelNames = []string{amd64.Best.String(), amd64.AVX512.String(), amd64.AVX2.String()}

func (f *engineFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.engine, "engine", "auto", "what runs shaders: interp, jit, or auto, which is the jit where the machine and the shader allow")
	fl.StringVar(&f.level, "level", "best", "instructions that the jit uses: avx512, avx2, or the best that the machine has")
	complete(cmd, "engine", engineNames...)
	complete(cmd, "level", levelNames...)
}

// choose returns the engine that the flags name.
func (f *engineFlags) choose() (exec.Engine, error) {
	level, ok := amd64.LevelOf(f.level)
	if !ok {
		return nil, unreadable("unknown level %q; want one of %s", f.level, strings.Join(levelNames, " "))
	}
	_, unsupported := amd64.Choose(level)
	if unsupported != nil && (f.engine == "jit" || level != amd64.Best) {
		return nil, unreadable("--engine %s --level %s: %v; --engine interp runs everywhere", f.engine, level, unsupported)
	}
	switch f.engine {
	case "interp":
		if level != amd64.Best {
			return nil, unreadable("--level %s with --engine interp; only the jit has levels", level)
		}
		return interp.Engine{}, nil
	case "jit":
		return jit.Engine{Level: level}, nil
	case "auto":
		if unsupported != nil {
			return interp.Engine{}, nil
		}
		return preferred{jit.Engine{Level: level}, interp.Engine{}}, nil
	}
	return nil, unreadable("unknown engine %q; want one of %s", f.engine, strings.Join(engineNames, " "))
}

// preferred is an engine that compiles what it can with its first, and all
// else with its second. Both give a program the same bytes.
type preferred struct {
	first, second exec.Engine
}

// Name returns the name of the engine that is preferred.
func (e preferred) Name() string { return e.first.Name() }

// Compile tries both engines. Where neither takes the program, the error is
// that of the second.
func (e preferred) Compile(p *ir.Program, o exec.Options) (exec.Program, error) {
	if prog, err := e.first.Compile(p, o); err == nil {
		return prog, nil
	}
	return e.second.Compile(p, o)
}

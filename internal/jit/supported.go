package jit

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// supported returns the functions that the entry point reaches, itself first, or an error that names
// an unsupported feature. It runs before any compilation, so that an unsupported program costs a
// walk over its reachable code only. Unreachable functions are not compiled and may contain
// anything.
func supported(p *ir.Program, level target.Level) ([]int, error) {
	if err := exec.CheckRunnable(name, p); err != nil {
		return nil, err
	}
	order, err := callOrder(p)
	if err != nil {
		return nil, err
	}
	for _, fn := range order {
		f := p.Funcs[fn]
		for _, v := range f.Code {
			if x := f.Val(v); !implemented(level, x.Op, f.Key(v)) {
				return nil, unsupported(fmt.Sprintf("operation %s is not compiled yet", x.Op), x.Origin)
			}
		}
	}
	return order, nil
}

func unsupported(what string, origin int32) error {
	return &exec.UnsupportedError{Engine: name, Feature: what, Origin: origin}
}

// implemented reports whether an operation is control flow, has machine code, can be evaluated in Go,
// or has a service.
func implemented(level target.Level, op ir.Op, k ir.Key) bool {
	return op.Is(ir.Control) || op == ir.Call || op == ir.Barrier ||
		targetOf(level).Native(level, k, op) || op.Row().Eval != nil || serviceOf(op) != nil
}

// callOrder walks the call graph from the entry point, depth first. It rejects recursion, because
// frames have a fixed size. SPIR-V forbids recursion in Vulkan's shaders, but a program can come
// from another source. The walk has an explicit stack, since a chain of calls in hostile input can
// be as long as the module.
func callOrder(p *ir.Program) ([]int, error) {
	const (
		unseen = iota
		active
		done
	)
	type walk struct{ fn, at int }
	state := make([]uint8, len(p.Funcs))
	state[0] = active
	order, stack := []int{0}, []walk{{0, 0}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		f := p.Funcs[top.fn]
		if top.at == len(f.Code) {
			state[top.fn] = done
			stack = stack[:len(stack)-1]
			continue
		}
		v := f.Code[top.at]
		top.at++
		if f.Val(v).Op != ir.Call {
			continue
		}
		// A callee that is done was reached on another path: functions form a directed acyclic
		// graph.
		switch callee := f.Callee(v); state[callee] {
		case unseen:
			state[callee] = active
			order = append(order, callee)
			stack = append(stack, walk{callee, 0})
		case active:
			return nil, unsupported(fmt.Sprintf("recursion: %q calls %q, which is active", f.Name, p.Funcs[callee].Name), f.Val(v).Origin)
		}
	}
	return order, nil
}

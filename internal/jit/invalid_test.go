package jit_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestInvalidProgram compiles a program without functions: the verifier refuses it before a pass reads its entry point.
func TestInvalidProgram(t *testing.T) {
	eachLevel(t, func(t *testing.T, engine jit.Engine) {
		p := &ir.Program{Stage: ir.Compute, SubgroupSize: 16, LocalSize: [3]uint32{16, 1, 1}}
		if _, err := engine.Compile(p, exec.Options{}); err == nil {
			t.Error("a program without functions compiles; want an error")
		}
	})
}

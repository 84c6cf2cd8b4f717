package jit_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/pass"
)

// TestArms compares the engines on programs with similar arms, which the passes meld.
func TestArms(t *testing.T) {
	from, to := irgen.Seeds(t, 100, 30)
	for seed := from; seed < to; seed++ {
		melded := func() *ir.Program {
			p := irgen.Arms(seed)
			pass.Run(p)
			return p
		}
		job := *irgen.Job()
		want := runProgram(interp.Engine{}, irgen.Arms(seed), job)
		if want.err != nil {
			t.Fatalf("seed %d: %v", seed, want.err)
		}
		for _, level := range jit.Levels() {
			if same(t, want, runProgram(jit.Engine{Level: level}, melded(), job)); t.Failed() {
				t.Fatalf("seed %d, %s:\n%s", seed, level, melded())
			}
		}
	}
}

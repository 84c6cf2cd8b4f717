package jit_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestRandom compares the engines on random programs. Whatever has failed once
// stays here by its seed. CHIARO_SEEDS=from-to runs others.
func TestRandom(t *testing.T) {
	from, to := irgen.Seeds(t, 300, 50)
	for seed := from; seed < to; seed++ {
		if seed%1000 == 999 {
			t.Logf("%d programs", seed-from)
		}
		p := irgen.Program(seed)
		if err := p.Verify(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		job := *irgen.Job()
		want := runProgram(interp.Engine{}, p, job)
		if want.err != nil {
			t.Fatalf("seed %d: %v", seed, want.err)
		}
		for _, level := range jit.Levels() {
			if same(t, want, runProgram(jit.Engine{Level: level}, irgen.Program(seed), job)); t.Failed() {
				t.Fatalf("seed %d, %s:\n%s", seed, level, p)
			}
		}
	}
}

package jit_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestRandom compares the engines on random programs. Whatever has failed once
// stays here by its seed.
func TestRandom(t *testing.T) { eachLevel(t, testRandom) }

func testRandom(t *testing.T, engine jit.Engine) {
	n := int64(300)
	if testing.Short() {
		n = 50
	}
	ran := 0
	for seed := range n {
		p := irgen.Program(seed)
		if err := p.Verify(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		job := *irgen.Job()
		text := p.String()
		want := run(interp.Engine{}, text, 0, job)
		if want.err != nil {
			t.Fatalf("seed %d: %v", seed, want.err)
		}
		ran++
		if same(t, want, run(engine, text, 0, job)); t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
	t.Logf("%d programs", ran)
}

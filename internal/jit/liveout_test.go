package jit_test

import (
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestLiveOutOfLoop reads, after a divergent loop, a parameter of a block in the loop: each lane reads the
// value of its own last iteration. It also reads a value that the loop defines after a call.
func TestLiveOutOfLoop(t *testing.T) { eachLevel(t, testLiveOutOfLoop) }

func testLiveOutOfLoop(t *testing.T, engine jit.Engine) {
	for _, file := range []string{"kept_behind_loop.ir", "kept_behind_call.ir"} {
		t.Run(file, func(t *testing.T) { testKept(t, engine, read(t, file)) })
	}
}

func testKept(t *testing.T, engine jit.Engine, text string) {
	r := rand.New(rand.NewSource(1))
	in := make([]uint32, 64)
	for range 20 {
		for i := range in {
			in[i] = r.Uint32() >> r.Intn(32)
		}
		for _, size := range []uint32{4, 8, 16, 32} {
			job := exec.Job{Groups: [3]uint32{1, 1, 1}, Resources: [][]exec.Buffer{buffer(in), buffer(make([]uint32, 512))}}
			same(t, run(interp.Engine{}, text, size, job), run(engine, text, size, job))
		}
	}
}

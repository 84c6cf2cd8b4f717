package jit_test

import (
	"math/rand"
	"os"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// TestKeptBehindLoop has a parameter of a block within a loop that is read
// behind the loop, where each lane finds that of its own last iteration,
// whatever the other lanes went on to compute.
func TestKeptBehindLoop(t *testing.T) { eachLevel(t, testKeptBehindLoop) }

func testKeptBehindLoop(t *testing.T, engine jit.Engine) {
	text, err := os.ReadFile("testdata/kept_behind_loop.ir")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewSource(1))
	in := make([]uint32, 64)
	for range 20 {
		for i := range in {
			in[i] = r.Uint32() >> r.Intn(32)
		}
		for _, size := range []uint32{4, 8, 16, 32} {
			job := exec.Job{Groups: [3]uint32{1, 1, 1}, Resources: [][]exec.Buffer{buffer(in), buffer(make([]uint32, 512))}}
			same(t, run(interp.Engine{}, string(text), size, job), run(engine, string(text), size, job))
		}
	}
}

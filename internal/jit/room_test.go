package jit_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// Workers leave their rooms to those of the next run, who find nothing in them,
// and no more rooms are kept than workers ran; closing the program gives them back.
func TestRooms(t *testing.T) { eachLevel(t, testRooms) }

func testRooms(t *testing.T, engine jit.Engine) {
	for _, k := range kernels() {
		prog := compileWith(t, engine, read(t, k.name+".ir"))
		rooms := jit.Rooms(prog)
		for run := range 3 {
			job := k.job
			job.Workers = 2
			job.Resources = slices.Clone(k.job.Resources)
			for r, list := range job.Resources {
				job.Resources[r] = []exec.Buffer{{Bytes: bytes.Clone(list[0].Bytes)}}
			}
			if err := prog.Run(context.Background(), &job); err != nil {
				t.Fatal(err)
			}
			check(t, job.Resources[k.resource][0].Bytes, k.want)
			if n := rooms(); n < 1 || n > 2 {
				t.Errorf("%s: %d rooms are kept after run %d; must be 1 or 2", k.name, n, run)
			}
		}
		if err := prog.Close(); err != nil {
			t.Error(err)
		}
		if n := rooms(); n != 0 {
			t.Errorf("%s: %d rooms are kept by a closed program", k.name, n)
		}
	}
}

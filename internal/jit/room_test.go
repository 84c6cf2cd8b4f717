package jit_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
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

// However many programs stand, the rooms that they keep together are bounded:
// their stacks are mappings, of which a process may not have many.
func TestRoomsOfManyPrograms(t *testing.T) {
	before := jit.KeptRooms()
	text := "program \"many\" compute\nsubgroup 16\nlocal 512 1 1\nshared 2048\nin local.x i32 0\nres storage 0 0 count 1\neffects writes barrier\n\nfunc \"main\"() L1 {\n" +
		"\tvA = res 0:i32, #0\n\tvs = wg\n\tvx = in.i32 #0\n\tvo = at 0:i32, vx, #4\n\tst.i32 vs, vo, vx, #0\n\tbarrier\n\tvm = xor.i32 vx, 511:i32\n\tvp = at 0:i32, vm, #4\n" +
		"\tvy = ld.i32 vs, vp, #0\n" + strings.Repeat("\tst.i32 vA, vo, vy, #0\n", 250) + "}\n" // too long for one stream of all subgroups
	want := make([]uint32, 512)
	for i := range want {
		want[i] = 511 - uint32(i)
	}
	var programs []exec.Program
	kept, refused := 0, 0
	for range 220 {
		prog := compileWith(t, jit.Engine{}, text)
		programs = append(programs, prog)
		job := &exec.Job{Groups: [3]uint32{2, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{buffer(make([]uint32, 512))}}
		if err := prog.Run(t.Context(), job); err != nil {
			t.Fatal(err)
		}
		check(t, job.Resources[0][0].Bytes, want)
		if n := jit.Rooms(prog)(); n > 0 {
			kept++
		} else {
			refused++
		}
	}
	if n := jit.KeptRooms(); n > jit.MaxKeptRooms || kept == 0 || refused == 0 {
		t.Errorf("%d programs keep rooms and %d do not, of %d bytes; must be at most %d", kept, refused, n, jit.MaxKeptRooms)
	}
	for _, prog := range programs {
		if err := prog.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := jit.KeptRooms(); n != before {
		t.Errorf("%d bytes of rooms are kept when all are closed; were %d before", n, before)
	}
}

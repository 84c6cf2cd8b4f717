package jit_test

import (
	"os"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/irgen"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/pass"
)

// TestGroupUses compares the engines on every group operation, type, cluster, subgroup size and use of the
// result, in workgroups that fill the last subgroup and in others that do not. It runs all reductions of
// whole subgroups narrower than a register, since lanes beyond the subgroup must hold the result too, and every
// 61st of the other programs: with CHIARO_LONG every fifth.
func TestGroupUses(t *testing.T) {
	step := 61
	if os.Getenv("CHIARO_LONG") != "" {
		step = 5
	}
	n := 0
	for _, size := range []uint32{1, 2, 4, 8, 16, 32, 64, 128} {
		for _, g := range irgen.GroupOps(size) {
			for _, local := range []uint32{2 * size, size + size/2 + 1} {
				if n++; n%step == 0 || size < 16 && g.Op == ir.Reduce && g.Aux>>8 == 0 {
					groupUse(t, g, size, local, n/step%2 == 0)
				}
			}
		}
	}
}

// groupUse runs the program of a group operation on both engines.
func groupUse(t *testing.T, g irgen.GroupOp, size, local uint32, optimized bool) {
	t.Helper()
	words := make([]uint32, 4*local)
	for i := range words {
		words[i] = (uint32(i) * 2654435761) >> (i % 29)
	}
	job := exec.Job{
		Groups: [3]uint32{1, 1, 1}, Workers: 1, Push: []byte{5, 0, 0, 0},
		Resources: [][]exec.Buffer{buffer(words), buffer(make([]uint32, irgen.GroupOutputs*local))},
	}
	p := irgen.Group(g, size, local)
	if err := p.Verify(); err != nil {
		t.Fatalf("%v size %d: %v\n%s", g, size, err, p)
	}
	want := runProgram(interp.Engine{}, p, job)
	if want.err != nil {
		t.Fatal(want.err)
	}
	if optimized {
		p = irgen.Group(g, size, local)
		pass.Run(p)
	}
	for _, level := range jit.Levels() {
		if same(t, want, runProgram(jit.Engine{Level: level}, p, job)); t.Failed() {
			t.Fatalf("%s %s, operator %d, cluster %d, subgroups of %d, %d invocations, level %s", g.Op, g.Type, g.Aux&0xff, g.Aux>>8, size, local, level)
		}
	}
}

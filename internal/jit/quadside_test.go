package jit_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// derivative stores the difference of the sides of a quad, and, in the lanes of an if that may have a part of a quad, the farther side.
// X is the number of the quadswap, SIDE the position of the lane: 0 in the first column or row.
const derivative = `program "derivative" compute
subgroup SIZE
local 8 8 1
quadrow ROW
` + tileOfQuads + `	va = ld.f32 vA, vo, #0
	vh = lshr.i32 vi, 3:i32
	vp = and.i32 SIDE
	vc = eq.i32 vp, 0:i32
	vs = quadswap.f32 va, #X !anynan
	vf = select.f32 vc, vs, va
	vn = select.f32 vc, va, vs
	vd = fsub.f32 vf, vn
	st.f32 vB, vo, vd, #0
	vsome = ult.i32 vi, 21:i32
	if vsome {
		vt = quadswap.f32 va, #X !anynan
		vg = select.f32 vc, vt, va
		st.f32 vB, vo, vg, #256
	}
}
`

// TestSidesOfQuads compares differences across quads with a model: of columns and rows, of quads of four consecutive lanes and of two
// rows of lanes, and of selects by another bit of the lane's number, which are no derivatives.
func TestSidesOfQuads(t *testing.T) {
	for _, c := range []struct {
		row, swap uint32
		side      string
		across    int // lanes to the partner
		bit       int // of the lane's number that selects
	}{
		{8, 1, "vx, 1:i32", 1, 1},
		{8, 2, "vy, 1:i32", 8, 8},
		{8, 1, "vi, 1:i32", 1, 1},
		{8, 2, "vi, 8:i32", 8, 8},
		{8, 2, "vh, 1:i32", 8, 8},
		{4, 2, "vi, 4:i32", 4, 4},
		{2, 2, "vi, 2:i32", 2, 2},
		{0, 1, "vi, 1:i32", 1, 1},
		{0, 2, "vi, 2:i32", 2, 2},
		{8, 1, "vx, 2:i32", 1, 2},
		{8, 2, "vy, 2:i32", 8, 16},
		{8, 2, "vx, 1:i32", 8, 1},
	} {
		for _, size := range []int{16, 32, 64} {
			text := strings.NewReplacer("SIZE", fmt.Sprint(size), "ROW", fmt.Sprint(c.row), "SIDE", c.side, "#X", fmt.Sprintf("#%d", c.swap)).Replace(derivative)
			if c.row == 0 {
				text = strings.Replace(text, "quadrow 0\n", "", 1)
			}
			for _, engine := range engines() {
				checkSides(t, engine, text, c.across, c.bit)
			}
		}
	}
}

// checkSides runs a derivative whose partners are some lanes away, and whose selects read a bit of the lane's number.
func checkSides(t *testing.T, engine exec.Engine, text string, across, bit int) {
	t.Helper()
	p, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := engine.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer prog.Close()
	source, target := make([]uint32, 64), make([]byte, 512)
	value := func(i int) float32 { return float32(i*i) * 0.37 }
	for i := range source {
		source[i] = math.Float32bits(value(i))
	}
	job := exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1, Resources: [][]exec.Buffer{{{Bytes: target}}, buffer(source)}}
	if err := prog.Run(context.Background(), &job); err != nil {
		t.Fatal(err)
	}
	out := words(target)
	at := func(i int) float32 { return math.Float32frombits(out[i]) }
	for i := range 64 {
		near, far := value(i), value(i^across)
		if i&bit != 0 {
			near, far = far, near
		}
		if want := far - near; at(i) != want {
			t.Fatalf("lane %d: a difference of %g; must be %g\n%s", i, at(i), want, text)
		}
		if i >= 21 {
			continue
		}
		// A partner outside of the if has no value: the lane reads its own (package ir, quadswap).
		want := value(i)
		if other := i ^ across; i&bit == 0 && other < 21 {
			want = value(other)
		}
		if at(64+i) != want {
			t.Fatalf("lane %d: the farther side is %g; must be %g\n%s", i, at(64+i), want, text)
		}
	}
}

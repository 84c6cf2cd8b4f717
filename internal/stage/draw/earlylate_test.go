package draw_test

import (
	"bytes"
	"encoding/binary"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// promisedText gives the depth and the stencil reference that stand in push constants
// behind the corners, and counts its invocations.
const promisedText = `
program "given" fragment
subgroup 16
local 1 1 1
push 56
res storage 0 0 count 1
out location f32 0
out fragdepth f32 0
out fragstencilref i32 0
func "main"() L1 {
	v1 = push
	v2 = ld.f32 v1, 48:i32, #0
	out.f32 v2, #1
	v3 = ld.i32 v1, 52:i32, #0
	out.i32 v3, #2
	out.f32 1.0:f32, #0
	v4 = res 0:i32, #0
	v5 = atomadd.i32 v4, 0:i32, 1:i32, #0 !unused
}`

// earlyLate is a draw of a triangle of depth ½ over depths and stencil values that
// alternate.
type earlyLate struct {
	modes     ir.Modes
	tests     state.DepthStencil
	back      bool
	depth     float32 // what the program gives
	reference uint32
	depths    [2]float64
	stencils  [2]float64
}

// draw returns how many invocations there were, how many samples passed, and the
// attachments.
func (x *earlyLate) draw(t *testing.T, e exec.Engine, format0 string) (ran uint32, passed uint64, out []byte) {
	t.Helper()
	c := blank(t, side, side, "R8_UNORM")
	m := c.tests(t, format0)
	var depths, stencils [side * side]float64
	for i := range depths {
		depths[i], stencils[i] = x.depths[i%2], x.stencils[i%2]
	}
	fill(m, format.Depth, depths[:])
	fill(m, format.Stencil, stencils[:])
	s := full(c)
	s.DepthStencil, s.Rasterization.Clockwise = x.tests, !x.back
	p := parse(t, promisedText, 0)
	p.Modes |= x.modes
	push := append(floats(-1, -1, 0.5, 1, 3, -1, 0.5, 1, -1, 3, 0.5, 1, x.depth), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(push[52:], x.reference)
	count := make([]byte, 16)
	paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: p}, s, c, state.Args{Count: 3, Passed: &passed,
		Shader: compute.Args{Push: push, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: count}}}}})
	out = bytes.Clone(c.bytes(0))
	for _, a := range m.Aspects() {
		out = append(out, m.LayerBytes(a, 0, 0)...)
	}
	return binary.LittleEndian.Uint32(count), passed, out
}

// TestEarlyAndLate counts the invocations that are run: not those whose tests fail of
// all that the program may give, unless failing writes a stencil value.
func TestEarlyAndLate(t *testing.T) {
	const all, half = side * side, side * side / 2
	depth := func(o enum.CompareOp) state.DepthStencil {
		return state.DepthStencil{Test: true, Write: true, Compare: o}
	}
	stencil := func(o enum.CompareOp, fail, depthFail enum.StencilOp) state.DepthStencil {
		f := state.StencilFace{Compare: o, Fail: fail, DepthFail: depthFail, CompareMask: 15, WriteMask: 255, Reference: 0x75}
		return state.DepthStencil{Test: true, Compare: enum.CompareOpLess, Stencil: true, Front: f, Back: f}
	}
	const both = ir.EarlyAndLateTests
	for _, x := range []struct {
		name  string
		modes ir.Modes
		tests state.DepthStencil
		back  bool
		want  uint32
	}{
		{"greater, less", both | ir.DepthReplacing | ir.DepthGreater, depth(enum.CompareOpLess), false, half},
		{"greater, less or equal", both | ir.DepthReplacing | ir.DepthGreater, depth(enum.CompareOpLessOrEqual), false, half},
		{"greater, greater", both | ir.DepthReplacing | ir.DepthGreater, depth(enum.CompareOpGreater), false, all},
		{"greater, equal", both | ir.DepthReplacing | ir.DepthGreater, depth(enum.CompareOpEqual), false, half},
		{"greater, not equal", both | ir.DepthReplacing | ir.DepthGreater, depth(enum.CompareOpNotEqual), false, all},
		{"greater, never", both | ir.DepthReplacing | ir.DepthGreater, depth(enum.CompareOpNever), false, 0},
		{"greater, always", both | ir.DepthReplacing | ir.DepthGreater, depth(enum.CompareOpAlways), false, all},
		{"less, greater", both | ir.DepthReplacing | ir.DepthLess, depth(enum.CompareOpGreater), false, half},
		{"less, less", both | ir.DepthReplacing | ir.DepthLess, depth(enum.CompareOpLess), false, all},
		{"less, equal", both | ir.DepthReplacing | ir.DepthLess, depth(enum.CompareOpEqual), false, half},
		{"unchanged, less", both | ir.DepthReplacing | ir.DepthUnchanged, depth(enum.CompareOpLess), false, half},
		{"unchanged, equal", both | ir.DepthReplacing | ir.DepthUnchanged, depth(enum.CompareOpEqual), false, 0},
		{"no promise", both | ir.DepthReplacing, depth(enum.CompareOpLess), false, all},
		{"late", ir.DepthReplacing | ir.DepthGreater, depth(enum.CompareOpLess), false, all},
		{"bounds", both | ir.DepthReplacing, state.DepthStencil{Bounds: true, MinBound: 0.5, MaxBound: 1}, false, half},

		// Of stencil values 0x73 and 0x19 the reference is 0x75: 5 beside 3 and 9.
		{"stencil greater, less", both | ir.StencilReplacing | ir.StencilGreaterFront, stencil(enum.CompareOpLess, enum.StencilOpKeep, enum.StencilOpZero), false, half},
		{"stencil fails", both | ir.StencilReplacing | ir.StencilGreaterFront, stencil(enum.CompareOpLess, enum.StencilOpInvert, enum.StencilOpKeep), false, all},
		{"stencil of the other face", both | ir.StencilReplacing | ir.StencilGreaterFront, stencil(enum.CompareOpLess, enum.StencilOpKeep, enum.StencilOpZero), true, all},
		{"stencil of the back", both | ir.StencilReplacing | ir.StencilGreaterBack, stencil(enum.CompareOpLess, enum.StencilOpKeep, enum.StencilOpZero), true, half},
		{"stencil less, greater", both | ir.StencilReplacing | ir.StencilLessFront, stencil(enum.CompareOpGreater, enum.StencilOpKeep, enum.StencilOpZero), false, half},
		{"stencil unchanged, equal", both | ir.StencilReplacing | ir.StencilUnchangedFront, stencil(enum.CompareOpEqual, enum.StencilOpKeep, enum.StencilOpZero), false, 0},
		{"depth fails", both | ir.StencilReplacing | ir.StencilGreaterFront, stencil(enum.CompareOpAlways, enum.StencilOpKeep, enum.StencilOpKeep), false, half},
		{"depth fails and stencil may", both | ir.StencilReplacing | ir.StencilGreaterFront, stencil(enum.CompareOpGreater, enum.StencilOpZero, enum.StencilOpKeep), false, all},
	} {
		for _, e := range engines() {
			// depths fail Less at even pixels, Greater at odd ones
			d := earlyLate{x.modes, x.tests, x.back, 0.5, 0x75, [2]float64{0.25, 0.75}, [2]float64{0x73, 0x19}}
			if got, _, _ := d.draw(t, e, "D32_SFLOAT_S8_UINT"); got != x.want {
				t.Errorf("%s, %s: %d invocations; want %d", e.Name(), x.name, got, x.want)
			}
		}
	}
}

// TestEarlyAndLateSame draws with random tests and promises that are kept: attachments
// and what passes are the same as with tests behind the program alone.
func TestEarlyAndLateSame(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	skipped := 0
	for range 150 {
		z := randomTests(r)
		x := earlyLate{tests: z, back: r.Intn(2) == 0}
		for i := range 2 {
			x.depths[i], x.stencils[i] = float64(r.Intn(9))/8, float64(r.Intn(256))
		}
		face, unchanged, greater, less := &z.Front, ir.StencilUnchangedFront, ir.StencilGreaterFront, ir.StencilLessFront
		if x.back {
			face, unchanged, greater, less = &z.Back, ir.StencilUnchangedBack, ir.StencilGreaterBack, ir.StencilLessBack
		}
		x.modes = ir.DepthReplacing | ir.StencilReplacing
		switch x.depth = float32(r.Intn(9)) / 8; {
		case r.Intn(3) == 0:
			x.depth = 0.5
			x.modes |= ir.DepthUnchanged
		case x.depth >= 0.5:
			x.modes |= ir.DepthGreater
		default:
			x.modes |= ir.DepthLess
		}
		x.reference = uint32(r.Intn(256))
		switch a, b := x.reference&face.CompareMask, face.Reference&face.CompareMask; {
		case a == b && r.Intn(2) == 0:
			x.modes |= unchanged
		case a >= b:
			x.modes |= greater
		default:
			x.modes |= less
		}
		for _, e := range engines() {
			ran, passed, want := x.draw(t, e, "D24_UNORM_S8_UINT")
			y := x
			y.modes |= ir.EarlyAndLateTests
			ran2, passed2, got := y.draw(t, e, "D24_UNORM_S8_UINT")
			if passed != passed2 || !bytes.Equal(got, want) {
				t.Fatalf("%s, %+v: %d samples passed, not %d, or attachments differ", e.Name(), x, passed2, passed)
			}
			if ran != side*side || ran2 < uint32(passed) {
				t.Fatalf("%s, %+v: %d and %d invocations, %d samples passed", e.Name(), x, ran, ran2, passed)
			}
			skipped += int(ran - ran2)
		}
	}
	if skipped < 1000 {
		t.Errorf("only %d invocations were left out", skipped)
	}
}

// TestEarlyAndLateAlone has the mode without a program that replaces anything be as
// EarlyFragmentTests is: what the tests write stays although the program discards all.
func TestEarlyAndLateAlone(t *testing.T) {
	for _, e := range engines() {
		c := blank(t, side, side, "R8_UNORM")
		m := c.tests(t, "D32_SFLOAT")
		s := full(c)
		s.DepthStencil = state.DepthStencil{Test: true, Write: true, Compare: enum.CompareOpAlways}
		p := parse(t, with(whiteText, "", "demote"), 0)
		p.Modes |= ir.EarlyAndLateTests
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: p}, s, c, state.Args{Count: 3,
			Shader: compute.Args{Push: floats(-1, -1, 0.5, 1, 3, -1, 0.5, 1, -1, 3, 0.5, 1)}})
		if got, _ := value(m, format.Depth, 7); got != 0.5 || c.bytes(0)[7] != 0 {
			t.Errorf("%s: depth %v, color %d; want 0.5 and 0", e.Name(), got, c.bytes(0)[7])
		}
	}
}

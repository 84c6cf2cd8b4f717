package draw_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// slopeText is a fragment program that gives the differences of an input to the
// neighbours in its quad, to the right of what is left and below of what is above, and
// whether the invocation is a helper. Where DEMOTE stands it may end or demote some
// invocations before.
const slopeText = `
program "slope" fragment
subgroup 16
local 1 1 1
in location f32 4 linear
in quad.x i32 0
in quad.y i32 0
in fragcoord f32 0
out location f32 0
out location f32 1
out location f32 2
out location f32 3
func "main"() L1 {
	v1 = in.f32 #0
	v2 = in.i32 #1
	v3 = in.i32 #2
	v20 = in.f32 #3
	v21 = ftou.i32.f32 v20
	v22 = and.i32 v21, 3:i32
	v23 = eq.i32 v22, 2:i32
	DEMOTE
	v4 = quadswap.f32 v1, #1
	v5 = eq.i32 v2, 0:i32
	v6 = fsub.f32 v4, v1
	v7 = fsub.f32 v1, v4
	v8 = select.f32 v5, v6, v7
	v9 = quadswap.f32 v1, #2
	v10 = eq.i32 v3, 0:i32
	v11 = fsub.f32 v9, v1
	v12 = fsub.f32 v1, v9
	v13 = select.f32 v10, v11, v12
	v14 = quadswap.f32 v1, #3
	out.f32 v8, #0
	out.f32 v13, #1
	out.f32 v14, #2
	v15 = helper
	v16 = select.f32 v15, 1.0:f32, 2.0:f32
	out.f32 v16, #3
}`

// TestQuads takes differences in quads of which parts are not covered, or have been
// demoted: helpers have values too, and nothing of theirs is drawn (Vulkan §"Helper
// Invocations").
func TestQuads(t *testing.T) {
	r := rand.New(rand.NewSource(16))
	for n := range 12 {
		c := randomCorners(r)
		demoting := n%3 == 1
		text := strings.Replace(slopeText, "DEMOTE", map[bool]string{true: "if v23 {\n demote\n }\n"}[demoting], 1)
		if n%3 == 2 { // one that does not ask
			text = strings.Replace(text, "v15 = helper", "v15 = eq.i32 v2, 2:i32", 1)
		}
		var first []byte
		for _, e := range engines() {
			for _, size := range []uint32{4, 8, 16, 32, 64} {
				v := blank(t, side, side, "R32G32B32A32_SFLOAT")
				paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, size)}, full(v), v, state.Args{Count: 3, Shader: compute.Args{Push: clip(c), Workers: 1 + n%3}})
				if first == nil {
					first = bytes.Clone(v.bytes(0))
				}
				if !bytes.Equal(first, v.bytes(0)) {
					t.Fatalf("%v: %s with subgroups of %d differs", c, e.Name(), size)
				}
			}
		}
		for i := range side * side {
			x, y := i%side, i/side
			value := func(x, y int) float64 {
				l, _, _ := weighing(c, 256*x+128, 256*y+128)
				return l[0]
			}
			_, _, inside := weighing(c, 256*x+128, 256*y+128)
			want := [4]float64{value(x|1, y) - value(x&^1, y), value(x, y|1) - value(x, y&^1), value(x^1, y^1), 2}
			if !inside || demoting && x%4 == 2 {
				want = [4]float64{}
			}
			for k := range want {
				got := float64(math.Float32frombits(binary.LittleEndian.Uint32(first[16*i+4*k:])))
				if math.Abs(got-want[k]) > 4e-6*(1+math.Abs(want[k])) {
					t.Fatalf("%v, demoting %t, texel %d, component %d is %v; want %v", c, demoting, i, k, got, want[k])
				}
			}
		}
	}
}

// holesText is a fragment program that ends where the column modulo 4 is 2.
const holesText = `
program "holes" fragment
subgroup 16
local 1 1 1
in fragcoord f32 0
out location f32 0
func "main"() L1 {
	v1 = in.f32 #0
	v2 = ftou.i32.f32 v1
	v3 = and.i32 v2, 3:i32
	v4 = eq.i32 v3, 2:i32
	out.f32 1.0:f32, #0
	if v4 {
		kill
	}
}`

// TestKill checks that what ends leaves nothing, also in the depth attachment.
func TestKill(t *testing.T) {
	ways := []string{holesText,
		strings.Replace(holesText, "kill", "block L8() {\nloop L9() {\nif v4 {\nkill\n}\nbr L8\n}\n}", 1),
		strings.Replace(holesText, "kill\n", "call 1(v4)\n", 1) + "\nfunc \"end\"(v1 b1) L1 {\n if v1 {\n kill\n }\n}\n"}
	for i := range 3 * len(engines()) {
		e := engines()[i/3]
		c := blank(t, side, side, "R8_UNORM")
		m := c.tests(t, "D32_SFLOAT")
		s := full(c)
		s.DepthStencil = state.DepthStencil{Test: true, Write: true, Compare: enum.CompareOpAlways}
		passed := uint64(0)
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, ways[i%3], 0)}, s, c, state.Args{Count: 3, Passed: &passed,
			Shader: compute.Args{Push: floats(-1, -1, 0.5, 1, 3, -1, 0.5, 1, -1, 3, 0.5, 1)}})
		for i := range side * side {
			want, deep := byte(255), 0.5
			if i%4 == 2 {
				want, deep = 0, 0
			}
			if got, _ := value(m, 2, i); c.bytes(0)[i] != want || got != deep {
				t.Fatalf("%s: texel %d is %d at depth %v; want %d at %v", e.Name(), i, c.bytes(0)[i], got, want, deep)
			}
		}
		if passed != side*side*3/4 {
			t.Errorf("%d samples passed", passed)
		}
	}
}

// TestOrder draws many triangles over each other: of each pixel's the last one counts,
// however many workers there are.
func TestOrder(t *testing.T) {
	text := strings.NewReplacer("in location f32 4\n", "in primitiveid i32 0\n", "v1 = in.f32 #0", "v0 = in.i32 #0\n v1 = utof.f32.i32 v0").Replace(shownText)
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		c := blank(t, 200, 150, "R32G32B32A32_SFLOAT")
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, subgroup), Fragment: parse(t, text, subgroup)}, full(c), c, state.Args{Count: 9, Index: []byte{0, 1, 2, 0, 1, 2, 0, 1, 2}, IndexBytes: 1,
			Shader: compute.Args{Push: cover, Workers: workers}})
		for i := 0; i < len(c.bytes(0)); i += 16 {
			if id := math.Float32frombits(binary.LittleEndian.Uint32(c.bytes(0)[i:])); id != 2 {
				t.Fatalf("texel %d is of triangle %v", i/16, id)
			}
		}
		return c.bytes(0)
	})
}

// TestQuadLanes checks that programs with operations of groups have quads of four lanes
// that follow each other (Vulkan §"Quad Group Operations").
func TestQuadLanes(t *testing.T) {
	for _, e := range engines() {
		for _, size := range []uint32{4, 16, 64} {
			c := blank(t, side, side, "R32G32_SFLOAT")
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, giveText("subgrouplane i32 0", "i32"), size)}, full(c), c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
			for i := range side * side {
				x, y := i%side, i/side
				if got := int(number(c.bytes(0)[8*i:], 0)) % 4; got != x%2+y%2*2 {
					t.Fatalf("%s: pixel (%d, %d) has lane %d of its quad", e.Name(), x, y, got)
				}
			}
		}
	}
}

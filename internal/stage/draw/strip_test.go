package draw_test

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// tallyText is a fragment program that counts in a variable how often it has run, and
// writes an output for every second column alone.
const tallyText = `
program "tally" fragment
subgroup 16
local 1 1 1
var "count" 1 -1
in fragcoord f32 0
out location f32 0
out location f32 1
func "main"() L1 {
	v1 = pld.i32 0:i32, #0
	v2 = add.i32 v1, 1:i32
	pst.i32 0:i32, v2, #0
	v3 = utof.f32.i32 v2
	out.f32 v3, #0
	v4 = in.f32 #0
	v5 = ftou.i32.f32 v4
	v6 = and.i32 v5, 1:i32
	v7 = eq.i32 v6, 1:i32
	if v7 {
		out.f32 1.0:f32, #1
	}
}`

// TestAfresh checks that each invocation begins with variables that are zero, and with
// outputs that nothing was written to, whichever others were before it.
func TestAfresh(t *testing.T) {
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		c := blank(t, side, side, "R32G32_SFLOAT")
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, tallyText, subgroup)}, full(c), c,
			state.Args{Count: 3, Shader: compute.Args{Push: cover, Workers: workers}})
		for i := range side * side {
			if x, y := number(c.bytes(0)[8*i:], 0), number(c.bytes(0)[8*i:], 1); x != 1 || y != float64(i%side%2) {
				t.Fatalf("texel %d is %v, %v", i, x, y)
			}
		}
		return c.bytes(0)
	})
}

// whereText is a fragment program that gives where it is and its number of the sample.
const whereText = `
program "where" fragment
subgroup 16
local 1 1 1
in fragcoord f32 0
in fragcoord f32 1
in location f32 4
out location f32 0
out location f32 1
out location f32 2
func "main"() L1 {
	v1 = in.f32 #0
	out.f32 v1, #0
	v2 = in.f32 #1
	out.f32 v2, #1
	v3 = in.f32 #2
	out.f32 v3, #2
}`

// TestWhere draws over blocks that are wholly covered and such that are not, with some
// samples or all: each sample of the mask has its own place and what is interpolated
// there, and others have nothing.
func TestWhere(t *testing.T) {
	const width, height = 75, 90
	for _, e := range engines() {
		for _, samples := range []uint32{1, 4} {
			for _, mask := range []*[2]uint32{nil, {5}, {}} {
				for _, each := range []bool{false, true} {
					m, v := image(t, texture.Desc{Format: "R32G32B32A32_SFLOAT", Width: width, Height: height, Samples: int(samples)}, texture.ViewDesc{})
					c := &canvas{images: []*texture.Image{m}}
					c.Colors = []*texture.View{v}
					s := full(c)
					s.Multisample = state.Multisample{Samples: samples, Mask: mask, SampleShading: each, MinShading: 1}
					paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, whereText, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
					for i := range width * height * int(samples) {
						n := i % int(samples)
						x, y := i/int(samples)%width, i/int(samples)/width
						place := [2]float64{float64(x) + 0.5, float64(y) + 0.5}
						if each && samples == 4 {
							p := [4][2]float64{{0.375, 0.125}, {0.875, 0.375}, {0.125, 0.625}, {0.625, 0.875}}[n]
							place = [2]float64{float64(x) + p[0], float64(y) + p[1]}
						}
						want := [3]float64{place[0], place[1], 1 - place[0]/(2*width) - place[1]/(2*height)}
						if mask != nil && mask[0]>>n&1 == 0 {
							want = [3]float64{}
						}
						b := m.Texel(texture.Coord{X: x, Y: y, Sample: n})
						for k := range want {
							if d := number(b, k) - want[k]; d > 1e-6 || d < -1e-6 {
								t.Fatalf("%s, %d samples, mask %v, each %t: (%d, %d, %d), component %d is %v; want %v", e.Name(), samples, mask, each, x, y, n, k, number(b, k), want[k])
							}
						}
					}
				}
			}
		}
	}
}

// patientText is a fragment program that takes 999 steps.
const patientText = `
program "patient" fragment
subgroup 16
local 1 1 1
out location f32 0
func "main"() L1 {
	block L8 {
		loop L9(v1 i32 = 0:i32) {
			v2 = add.i32 v1, 1:i32
			v3 = ult.i32 v2, 1000:i32
			if v3 {
				br L9(v2)
			}
			br L8
		}
	}
	out.f32 1.0:f32, #0
}`

// TestImpatience: where the fragments of the lowest line do not end, as many steps are
// taken as are allowed, however many strips and blocks were gone over before.
func TestImpatience(t *testing.T) {
	text := strings.NewReplacer(
		"out location", "res storage 0 0 count 1\nin fragcoord f32 1\nout location", "block L8 {", "vy = in.f32 #0\nvf = flt.f32 63.0:f32, vy\nvB = res 0:i32, #0\nblock L8 {",
		"v2 = add", "if vf {\nst.i32 vB, 0:i32, v1, #0\n}\nv2 = add", "ult.i32 v2, 1000:i32", "ult.i32 v2, 1000:i32\nv4 = or.b1 v3, vf", "if v3", "if v4").Replace(patientText)
	for _, e := range engines() {
		for _, size := range []uint32{4, 8, 16, 32, 64} {
			c := blank(t, 64, 64, "R8_UNORM")
			p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, size)}, full(c), e, exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			steps := make([]byte, 4)
			err = p.Draw(context.Background(), &c.Target, &state.Args{Count: 3, Instances: 1,
				Shader: compute.Args{Push: cover, Budget: 1000, Workers: 1, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: steps}}}}})
			var budget *exec.BudgetError
			if n := binary.LittleEndian.Uint32(steps); !errors.As(err, &budget) || budget.Steps != 1000 || budget.Func != "main" || n != 1000 {
				t.Errorf("%s, subgroups of %d: %v; %d steps were taken", e.Name(), size, err, n)
			}
			p.Close()
		}
	}
}

// TestPatience: the budget is that of a subgroup of fragments, however many strips and
// blocks are gone over one after the other.
func TestPatience(t *testing.T) {
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		c := blank(t, 64, 64, "R8_UNORM")
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, patientText, subgroup)}, full(c), c,
			state.Args{Count: 3, Shader: compute.Args{Push: cover, Budget: 1000, Workers: workers}})
		return c.bytes(0)
	})
}

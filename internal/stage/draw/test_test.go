package draw_test

import (
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// whiteText is a fragment program that gives white.
const whiteText = `
program "white" fragment
subgroup 16
local 1 1 1
out location f32 0
func "main"() L1 {
	out.f32 1.0:f32, #0
}`

// deepText gives white, the depth that stands in a buffer for the pixel, and the
// stencil reference 0x55.
var deepText = strings.NewReplacer(
	"out location f32 0\nout location f32 1\n", "out location f32 0\nout fragdepth f32 0\nout fragstencilref i32 0\n",
	"out location f32 2\nout location f32 3\n", "", "out.f32 v10, #0", "out.f32 1.0:f32, #0", "out.f32 v11, #1", "out.f32 v10, #1\n\tout.i32 85:i32, #2",
).Replace(strip(loadedText, "source 1", "out.f32 v12", "out.f32 v13", "out.f32 v14", "out.f32 v15", "out.f32 v16", "out.f32 v17"))

// strip drops the lines of a text that contain one of the words.
func strip(text string, words ...string) string {
	var w strings.Builder
next:
	for line := range strings.Lines(text) {
		for _, x := range words {
			if strings.Contains(line, x) {
				continue next
			}
		}
		w.WriteString(line)
	}
	return w.String()
}

// compared compares as the specification's table says (Vulkan §"Compare Operators").
func compared(o enum.CompareOp, x, y float64) bool {
	return [8]bool{false, x < y, x == y, x <= y, x > y, x != y, x >= y, true}[o]
}

// stenciled is a value behind an operation (Vulkan §"Stencil Test").
func stenciled(o enum.StencilOp, v, reference int) int {
	return [8]int{v, 0, reference, min(v+1, 255), max(v-1, 0), ^v & 255, (v + 1) & 255, (v - 1) & 255}[o]
}

// TestDepthStencil draws over random depths and stencil values in random states and
// compares each sample with the tests as the specification tells them.
func TestDepthStencil(t *testing.T) {
	r := rand.New(rand.NewSource(11))
	for _, name := range []string{"D16_UNORM", "X8_D24_UNORM_PACK32", "D32_SFLOAT", "D16_UNORM_S8_UINT", "D24_UNORM_S8_UINT", "D32_SFLOAT_S8_UINT", "S8_UINT"} {
		t.Run(name, func(t *testing.T) {
			for n := range 12 {
				testDepthStencil(t, r, name, randomTests(r), n%3)
			}
		})
	}
}

func randomTests(r *rand.Rand) state.DepthStencil {
	face := func() state.StencilFace {
		op := func() enum.StencilOp { return enum.StencilOp(r.Intn(8)) }
		mask := func() uint32 { return []uint32{255, 15, uint32(r.Intn(256))}[r.Intn(3)] }
		return state.StencilFace{Fail: op(), Pass: op(), DepthFail: op(), Compare: enum.CompareOp(r.Intn(8)), CompareMask: mask(), WriteMask: mask(), Reference: uint32(r.Intn(256))}
	}
	z := state.DepthStencil{Test: r.Intn(5) > 0, Write: r.Intn(3) > 0, Compare: enum.CompareOp(r.Intn(8)), Bounds: r.Intn(3) == 0, MinBound: 0.25, MaxBound: 0.75,
		Stencil: r.Intn(3) > 0, Front: face(), Back: face()}
	if r.Intn(2) == 0 {
		z.Back = z.Front
		z.Back.Reference = 3
	}
	return z
}

// testDepthStencil tests one state: with kind 0 before the fragment program, with 1 and
// 2 behind one that gives depth and reference; 2 demands them before it.
func testDepthStencil(t *testing.T, r *rand.Rand, name string, z state.DepthStencil, kind int) {
	back := r.Intn(2) == 0
	constant := float32(r.Intn(5)) / 4
	var exported []float32
	for range side * side * 8 {
		exported = append(exported, float32(r.Intn(9))/8)
	}
	text := whiteText
	if kind > 0 {
		text = deepText
	}
	push := floats(-1, -1, constant, 1, 3, -1, constant, 1, -1, 3, constant, 1)
	var depths, stencils [side * side]float64
	for i := range depths {
		depths[i], stencils[i] = float64(r.Intn(9))/8, float64([]int{0, 1, 3, 0x55, 127, 254, 255, r.Intn(256)}[r.Intn(8)])
	}
	if z.Front.Reference%3 == 0 {
		stencils[0] = float64(z.Front.Reference)
	}
	for _, e := range engines() {
		c := blank(t, side, side, "R8_UNORM")
		m := c.tests(t, name)
		fill(m, format.Depth, depths[:])
		fill(m, format.Stencil, stencils[:])
		s := full(c)
		s.DepthStencil, s.Rasterization.Clockwise = z, !back
		p := parse(t, text, 0)
		if kind == 2 {
			p.Modes |= ir.EarlyTests
		}
		passed := uint64(0)
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: p}, s, c, state.Args{Count: 3, Passed: &passed,
			Shader: compute.Args{Push: push, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: floats(exported...)}}}}})
		want, count := model{m: m, z: z, back: back, exports: kind == 1, constant: constant, exported: exported, depths: depths[:], stencils: stencils[:]}, uint64(0)
		for i := range depths {
			pass, d, st := want.sample(i)
			if pass {
				count++
			}
			if got := c.bytes(0)[i] == 255; got != pass {
				t.Fatalf("%+v, back %t, kind %d, texel %d: drawn %t; want %t", z, back, kind, i, got, pass)
			}
			if got, ok := value(m, format.Depth, i); ok && got != d {
				t.Fatalf("%+v, back %t, kind %d, texel %d: depth %v; want %v", z, back, kind, i, got, d)
			}
			if got, ok := value(m, format.Stencil, i); ok && got != float64(st) {
				t.Fatalf("%+v, back %t, kind %d, texel %d: stencil %v; want %v", z, back, kind, i, got, st)
			}
		}
		if passed != count {
			t.Fatalf("%d samples passed; want %d", passed, count)
		}
	}
}

// tests gives a canvas an image of depth and stencil.
func (c *canvas) tests(t *testing.T, name string) *texture.Image {
	m, err := texture.NewImage(texture.Desc{Format: name, Dim: ir.Dim2D, Width: side, Height: side})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range m.Aspects() {
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Aspect: a})
		if err != nil {
			t.Fatal(err)
		}
		if a == format.Depth {
			c.Depth = v
		} else {
			c.Stencil = v
		}
	}
	return m
}

// fill stores values, and replaces each by what the format makes of it.
func fill(m *texture.Image, a format.Aspect, list []float64) {
	for i := range list {
		at := texture.Coord{X: i % side, Y: i / side, Aspect: a}
		n := uint64(list[i])
		if a == format.Depth {
			n = uint64(math.Float32bits(float32(list[i])))
		}
		m.Store(at, [4]uint64{n})
		if v, ok := value(m, a, i); ok {
			list[i] = v
		}
	}
}

// value is a depth or a stencil value of an image.
func value(m *texture.Image, a format.Aspect, i int) (float64, bool) {
	for _, has := range m.Aspects() {
		if has == a {
			n := m.Load(texture.Coord{X: i % side, Y: i / side, Aspect: a})[0]
			if a == format.Stencil {
				return float64(n), true
			}
			return float64(math.Float32frombits(uint32(n))), true
		}
	}
	return 0, false
}

// model is the tests as the specification tells them.
type model struct {
	m                *texture.Image
	z                state.DepthStencil
	back, exports    bool
	constant         float32
	exported         []float32
	depths, stencils []float64
}

func (m *model) sample(i int) (pass bool, depth float64, stencil int) {
	_, deep := value(m.m, format.Depth, i)
	_, stenciling := value(m.m, format.Stencil, i)
	depth, stencil = m.depths[i], int(m.stencils[i])
	z, f := &m.z, &m.z.Front
	if m.back {
		f = &m.z.Back
	}
	if deep && z.Bounds && !(depth >= float64(z.MinBound) && depth <= float64(z.MaxBound)) {
		return false, depth, stencil
	}
	own, reference := m.constant, int(f.Reference)
	if m.exports {
		own, reference = m.exported[8*i], 0x55
	}
	one := []float64{float64(own)}
	if deep { // as the format has it
		x, _ := texture.NewImage(texture.Desc{Format: m.m.Format, Dim: ir.Dim2D, Width: side, Height: side})
		fill(x, format.Depth, one)
	}
	near := !deep || !z.Test || compared(z.Compare, one[0], depth)
	pass = near
	if stenciling && z.Stencil {
		ok := compared(f.Compare, float64(reference&int(f.CompareMask)), float64(stencil&int(f.CompareMask)))
		op := f.Fail
		if ok {
			if op = f.DepthFail; near {
				op = f.Pass
			}
		}
		stencil = stencil&^int(f.WriteMask)&255 | stenciled(op, stencil, reference)&int(f.WriteMask)
		pass = pass && ok
	}
	if pass && deep && z.Test && z.Write {
		depth = one[0]
	}
	return pass, depth, stencil
}

// TestDepthRange gives depths outside of 0 and 1: they are clamped to that range, or to
// the viewport's where depths are clamped, or, of floats, not at all (Vulkan §"Depth
// Clamping and Range Adjustment").
func TestDepthRange(t *testing.T) {
	var given []float32
	for i := range side * side * 8 {
		given = append(given, []float32{2, -1, 0.25, 0.95, 0.05}[i/8%5])
	}
	for _, x := range []struct {
		clamp, unrestricted bool
		want                [5]float32
	}{
		{false, false, [5]float32{1, 0, 0.25, 0.95, 0.05}},
		{true, false, [5]float32{0.9, 0.1, 0.25, 0.9, 0.1}},
		{false, true, [5]float32{2, -1, 0.25, 0.95, 0.05}},
	} {
		for _, e := range engines() {
			c := blank(t, side, side, "R8_UNORM")
			m := c.tests(t, "D32_SFLOAT")
			s := full(c)
			s.Viewports[0].MinDepth, s.Viewports[0].MaxDepth = 0.1, 0.9
			s.Rasterization.DepthClamp, s.Rasterization.DepthUnrestricted = x.clamp, x.unrestricted
			s.DepthStencil = state.DepthStencil{Test: true, Write: true, Compare: enum.CompareOpAlways}
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, deepText, 0)}, s, c, state.Args{Count: 3,
				Shader: compute.Args{Push: cover, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: floats(given...)}}}}})
			for i := range side * side {
				if got, _ := value(m, format.Depth, i); float32(got) != x.want[i%5] {
					t.Fatalf("%s, clamp %t, unrestricted %t, texel %d: depth %v; want %v", e.Name(), x.clamp, x.unrestricted, i, got, x.want[i%5])
				}
			}
		}
	}
}

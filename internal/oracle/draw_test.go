package oracle

import (
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/vk"
)

func formatNamed(t *testing.T, name string) *format.Format {
	t.Helper()
	f, ok := format.ByName(name)
	if !ok {
		t.Fatalf("no format %s", name)
	}
	return &f
}

// TestStored checks "Conversion From Floating-Point to Normalized Fixed-Point": a store is "one of the two unsigned binary integer values
// with exactly b bits which are closest to the floating-point value r", and r itself if it is an integer; 0.0 and 1.0 are exact.
func TestStored(t *testing.T) {
	for _, c := range []struct {
		format    string
		in        Number
		low, high float64
	}{
		{"R8_UNORM", point(0), 0, 0},
		{"R8_UNORM", point(1), 255, 255},
		{"R8_UNORM", point(1.5), 255, 255},
		{"R8_UNORM", point(0.5), 127, 128},
		{"R8_UNORM", point(float64(float32(51.0 / 255))), 51, 51},
		{"R8_UNORM", Number{Low: 0.1, High: 0.2}, 25, 51},
		{"R8_SNORM", point(-1), -127, -127},
		{"R8_SNORM", point(-0.5), -64, -63},
		{"R8_SRGB", point(0), 0, 0},
		{"R8_SRGB", point(1), 255, 255},
		{"R16_SFLOAT", point(1 + 0x1p-12), 1, 1 + 0x1p-10},
		{"R16_SFLOAT", point(1), 1, 1},
		{"R16_SFLOAT", point(0x1p-20), 0, 0x1p-20},
		{"R32_SFLOAT", point(0.1), float64(math.Nextafter32(0.1, 0)), float64(float32(0.1))},
	} {
		f := formatNamed(t, c.format)
		n := stored(f.Components()[0], c.in)
		if n.Any || n.Low != c.low || n.High != c.high {
			t.Errorf("%s of %v: %v to %v, any %v; must be %v to %v", c.format, c.in, n.Low, n.High, n.Any, c.low, c.high)
		}
	}
}

// TestBlend checks basic blend operations ("Blend Operations"). Steps have "a precision and dynamic range no lower than that used to
// represent destination components"; a product with ONE or ZERO has no error.
func TestBlend(t *testing.T) {
	c := formatNamed(t, "R8G8B8A8_UNORM").Components()[0]
	source := func(k format.Channel) Number { return point([]float64{0.8, 0.4, 0.2, 0.5}[k]) }
	old := func(format.Channel) Number { return point(0.6) }
	const u = 1.0 / 255
	for _, x := range []struct {
		blend     link.Blend
		low, high float64
	}{
		{link.Blend{SrcColor: enum.BlendFactorOne}, 0.8, 0.8},
		{link.Blend{DstColor: enum.BlendFactorOne}, 0.6, 0.6},
		{link.Blend{SrcColor: enum.BlendFactorOne, DstColor: enum.BlendFactorOne}, 1, 1},
		{link.Blend{SrcColor: enum.BlendFactorSrcAlpha, DstColor: enum.BlendFactorOneMinusSrcAlpha}, 0.7 - 3*u, 0.7 + 3*u},
		{link.Blend{SrcColor: enum.BlendFactorOne, DstColor: enum.BlendFactorOne, ColorOp: enum.BlendOpSubtract}, 0.2 - u, 0.2 + u},
		{link.Blend{SrcColor: enum.BlendFactorOne, DstColor: enum.BlendFactorOne, ColorOp: enum.BlendOpReverseSubtract}, 0, 0},
		{link.Blend{ColorOp: enum.BlendOpMin}, 0.6 - u, 0.6 + u},
		{link.Blend{ColorOp: enum.BlendOpMax}, 0.8 - u, 0.8 + u},
	} {
		n := blend(&x.blend, [4]float32{}, c, source, old)
		if n.Any || math.Abs(n.Low-x.low) > 1e-6 || math.Abs(n.High-x.high) > 1e-6 {
			t.Errorf("%+v: %v to %v; must be %v to %v", x.blend, n.Low, n.High, x.low, x.high)
		}
	}
}

// TestDerivativeRange checks "Derivative Operations": the fine ones are of the row or the column of the invocation, the coarse ones and
// those without a word may be of either.
func TestDerivativeRange(t *testing.T) {
	var members []*request
	for _, v := range []float64{1, 3, 10, 15} { // 2 and 5 along x, 9 and 12 along y
		members = append(members, &request{args: []value{{leaves: []Number{point(v)}}}})
	}
	for lane, want := range [][4]float64{{2, 2, 9, 9}, {2, 2, 12, 12}, {5, 5, 9, 9}, {5, 5, 12, 12}} {
		r := &request{members: members, lane: lane}
		x, y := r.derivative(alongX, true, 0), r.derivative(alongY, true, 0)
		if got := [4]float64{x.Low, x.High, y.Low, y.High}; got != want {
			t.Errorf("fine derivatives of lane %d: %v; must be %v", lane, got, want)
		}
		x, y = r.derivative(alongX, false, 0), r.derivative(alongY, false, 0)
		if got := [4]float64{x.Low, x.High, y.Low, y.High}; got != [4]float64{2, 5, 9, 12} {
			t.Errorf("derivatives of lane %d: %v", lane, got)
		}
		if w := r.derivative(alongBoth, false, 0); w.Low != 11 || w.High != 17 {
			t.Errorf("the width of lane %d: %v to %v; must be 11 to 17", lane, w.Low, w.High)
		}
	}
}

// TestWrap checks "Wrapping Operation".
func TestWrap(t *testing.T) {
	for a, want := range map[Address][8]int{
		Repeat: {1, 2, 3, 0, 1, 2, 3, 0}, Mirror: {2, 1, 0, 0, 1, 2, 3, 3}, ClampToEdge: {0, 0, 0, 0, 1, 2, 3, 3},
		ClampToBorder: {-1, -1, -1, 0, 1, 2, 3, -1}, MirrorClamp: {2, 1, 0, 0, 1, 2, 3, 3},
	} {
		for k, w := range want {
			got, ok := a.wrap(k-3, 4)
			if !ok {
				got = -1
			}
			if got != w {
				t.Errorf("mode %d: texel %d is %d; must be %d", a, k-3, got, w)
			}
		}
	}
}

// TestSampleRange checks "Texel Filtering": weights have at least 4 bits (subTexelPrecisionBits), levels of detail too
// (mipmapPrecisionBits).
func TestSampleRange(t *testing.T) {
	level := func(n int, texels ...float64) (l Level) {
		l.Width, l.Height = n, 1
		for _, v := range texels {
			l.Texels = append(l.Texels, [4]Number{point(v), point(v), point(v), point(v)})
		}
		return l
	}
	tex := &Texture{Levels: []Level{level(4, 0, 1, 0, 0), level(2, 0.25, 0.75), level(1, 0.5)}}
	linear := Sampler{LinearMag: true, LinearMin: true, LinearMip: true, Address: [2]Address{ClampToEdge, ClampToEdge}, MaxLod: 1000}
	for _, c := range []struct {
		name       string
		s          Sampler
		u, lod     float64
		least, end float64 // the range is within
		has        float64
	}{
		{"between two centers", linear, 0.25, 0, 0.4, 0.6, 0.5},
		{"at a center", linear, 0.375, 0, 0.8, 1.01, 1},
		{"between levels", linear, 0.375, 1.5, 0.25, 0.6, 0.4375},
		{"the last level", linear, 0.1, 7, 0.49, 0.51, 0.5},
		{"a nearest texel", Sampler{MaxLod: 1000}, 0.375, 0, 1, 1, 1},
		{"the nearest of two texels", Sampler{MaxLod: 1000}, 0.25, 0, 0, 1, 1},
		{"a level of a nearest filter", Sampler{MaxLod: 1000}, 0.3, 1.2, 0.25, 0.25, 0.25},
		{"a bias", Sampler{MaxLod: 1000, Bias: 5}, 0.3, 0.2, 0.5, 0.5, 0.5},
		{"a greatest level of detail", Sampler{MaxLod: 0.25}, 0.375, 9, 1, 1, 1},
	} {
		list := tex.sample(&c.s, point(c.u), point(0.5), point(c.lod), Number{})
		if len(list) != 4 || list[0].Any || list[0].Low < c.least || list[0].High > c.end || list[0].Low > c.has || list[0].High < c.has {
			t.Errorf("%s: %+v; must be within %v to %v, and have %v", c.name, list, c.least, c.end, c.has)
		}
	}
}

const vertexText = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %p %c %out %o
OpDecorate %p Location 0
OpDecorate %c Location 1
OpDecorate %out BuiltIn Position
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%in4 = OpTypePointer Input %v4
%out4 = OpTypePointer Output %v4
%p = OpVariable %in4 Input
%c = OpVariable %in4 Input
%out = OpVariable %out4 Output
%o = OpVariable %out4 Output
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %p
OpStore %out %x
%y = OpLoad %v4 %c
OpStore %o %y
OpReturn
OpFunctionEnd
`

const fragmentText = `OpCapability Shader
OpCapability DerivativeControl
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %c %o
OpExecutionMode %main OriginUpperLeft
OpDecorate %c Location 0
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%in4 = OpTypePointer Input %v4
%out4 = OpTypePointer Output %v4
%c = OpVariable %in4 Input
%o = OpVariable %out4 Output
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %c
BODY
OpStore %o %y
OpReturn
OpFunctionEnd
`

// drawText returns a draw of triangles with positions and colors in an 8 × 8 picture of floats, which is 9 before.
func drawText(t *testing.T, body string, vertices [][8]float64, depth *Target) (*Draw, *Target) {
	t.Helper()
	version, _ := asm.Target("vulkan1.3")
	job := func(text string, model spirv.ExecutionModel) Job {
		m := facts.Gather(asmtest.Module(t, text, version), nil)
		return Job{Module: m, Entry: m.EntryPoint("main", model), SubgroupSize: 4}
	}
	f := formatNamed(t, "R32G32B32A32_SFLOAT")
	target := NewTarget(f, 8, 8, make([]byte, 8*8*16))
	target.Fill([4]Number{point(9), point(9), point(9), point(9)})
	d := &Draw{Vertex: job(vertexText, spirv.ExecutionModelVertex), Fragment: job(strings.Replace(fragmentText, "BODY", body, 1), spirv.ExecutionModelFragment),
		Instances: 1, Width: 8, Height: 8, Colors: []*Target{target}, Depth: depth,
		State: &vk.FixedState{Assembly: &link.InputAssembly{Topology: enum.TopologyTriangleList}, Rasterization: &link.Rasterization{}, Multisample: &link.Multisample{},
			DepthStencil: &link.DepthStencil{}, Blend: &link.ColorBlend{Attachments: make([]link.Blend, 1)}, Viewports: []vk.Viewport{{Width: 8, Height: 8, MaxDepth: 1}},
			Scissors: []vk.Rect{{Width: 8, Height: 8}}}}
	for i := range vertices {
		d.Vertices = append(d.Vertices, uint32(i))
	}
	d.Input = func(location, vertex, _ uint32) (list []Number) {
		for _, v := range vertices[vertex][4*location : 4*location+4] {
			list = append(list, point(v))
		}
		return list
	}
	return d, target
}

// run runs a draw that has a verdict.
func (w *Draw) run(t *testing.T) {
	t.Helper()
	if out, err := w.Run(t.Context()); err != nil || out.Undecided != "" || out.Pixels > 0 {
		t.Fatalf("%+v, %v", out, err)
	}
}

// TestCommonEdge checks "Basic Polygon Rasterization": a sample on the common edge of two polygons is covered by exactly one of them. On
// the edge of a single polygon it may be covered or not.
func TestCommonEdge(t *testing.T) {
	a, b, c, e := [8]float64{-1, -1, 0, 1, 5, 5, 5, 5}, [8]float64{-1, 1, 0, 1, 5, 5, 5, 5}, [8]float64{1, -1, 0, 1, 5, 5, 5, 5}, [8]float64{1, 1, 0, 1, 5, 5, 5, 5}
	for _, x := range []struct {
		name     string
		vertices [][8]float64
		high     float64 // of the diagonal
	}{
		{"two triangles", [][8]float64{a, b, c, c, b, e}, 5},
		{"one triangle", [][8]float64{a, b, c}, 9},
	} {
		d, target := drawText(t, "%y = OpCopyObject %v4 %x", x.vertices, nil)
		d.run(t)
		for i := range 8 {
			n := target.texel(7-i, i)[0]
			if n.Any || math.Abs(n.High-x.high) > 0.01 || n.Low > 5 || n.Low < 4.99 {
				t.Errorf("%s: texel %d, %d is %v to %v; must be 5 to %v", x.name, 7-i, i, n.Low, n.High, x.high)
			}
		}
		if n := target.texel(0, 0)[0]; n.Any || n.High > 5.01 {
			t.Errorf("%s: the first texel is %v to %v; must be 5", x.name, n.Low, n.High)
		}
	}
}

// TestInterpolationRange checks "Basic Polygon Rasterization": f = (a f_a / w_a + b f_b / w_b + c f_c / w_c) / (a / w_a + b / w_b + c / w_c).
func TestInterpolationRange(t *testing.T) {
	d, target := drawText(t, "%y = OpCopyObject %v4 %x", [][8]float64{{-1, -1, 0, 1, 0, 1, 0, 0}, {6, -2, 0, 2, 4, 1, 0, 0}, {-1, 3, 0, 1, 0, 1, 0, 4}}, nil)
	d.run(t)
	for y := range 7 {
		for x := range 7 - y {
			// The corners are at (0, 0), (16, 0) and (0, 16), with w of 1, 2 and 1.
			b, c := (float64(x)+0.5)/16, (float64(y)+0.5)/16
			over := (1 - b - c) + b/2 + c
			want, fourth := b*4/2/over, c*4/over
			n, m := target.texel(x, y)[0], target.texel(x, y)[3]
			if n.Any || n.Low > want || n.High < want || n.High-n.Low > 0.2 {
				t.Errorf("texel %d, %d: %v to %v; must be about %v", x, y, n.Low, n.High, want)
			}
			if m.Low > fourth || m.High < fourth || m.High-m.Low > 0.2 {
				t.Errorf("texel %d, %d, the last component: %v to %v; must be about %v", x, y, m.Low, m.High, fourth)
			}
		}
	}
}

// TestDerivativesOfDraw checks derivatives of an interpolated number, which is linear on the screen, and seeds wrong results.
func TestDerivativesOfDraw(t *testing.T) {
	d, target := drawText(t, "%y = OpDPdx %v4 %x", [][8]float64{{-1, -1, 0, 1, 0, 0, 0, 0}, {1, -1, 0, 1, 16, 0, 8, 0}, {-1, 1, 0, 1, 0, 16, 8, 0}}, nil)
	d.run(t)
	n := target.texel(2, 2)
	for k, want := range []float64{2, 0, 1, 0} {
		if n[k].Any || n[k].Low > want || n[k].High < want || n[k].High-n[k].Low > 0.05 {
			t.Errorf("component %d: %v to %v; must be %v", k, n[k].Low, n[k].High, want)
		}
	}
	got := make([]byte, 8*8*16)
	for i := range 8 * 8 {
		if copy(got[16*i:], floats(2, 0, 1, 0)); i%8+i/8 >= 8 { // outside
			copy(got[16*i:], floats(9, 9, 9, 9))
		}
	}
	if list, any := target.Judge(got); len(list) != 0 || any != 0 {
		t.Errorf("the right result: %d violations, %d of any value", len(list), any)
	}
	copy(got[16*(8*2+2):], floats(-2))
	list, _ := target.Judge(got)
	if len(list) != 1 || list[0].X != 2 || list[0].Y != 2 || list[0].At <= 0 || d.Fragment.Module.Code.Inst(list[0].At-1).Op() != spirv.OpDPdx {
		t.Errorf("a wrong sign at 2, 2: %+v; must name OpDPdx", list)
	}
}

// TestDepthBias checks "Depth Bias": o = m × depthBiasSlopeFactor + r × depthBiasConstantFactor, with r of at most 2 × 2⁻¹⁶ for 16 bits.
func TestDepthBias(t *testing.T) {
	for _, c := range []struct {
		name            string
		constant, slope float32
		clamp           float32
		low, high       float64 // about
	}{
		{"none", 0, 0, 0, 0.25, 0.25},
		{"constant", 64, 0, 0, 0.25, 0.25 + 64*0x1p-15},
		{"slope", 0, 2, 0, 0.25 + 2*0x1p-5, 0.25 + 2*0x1p-5},
		{"clamp", 0, 2, 0x1p-6, 0.25 + 0x1p-6, 0.25 + 0x1p-6},
	} {
		f := formatNamed(t, "D16_UNORM")
		depth := NewTarget(f, 8, 8, make([]byte, 8*8*2))
		d, _ := drawText(t, "%y = OpCopyObject %v4 %x", [][8]float64{{-1, -1, 0, 1}, {1, -1, 0.25, 1}, {-1, 1, 0, 1}}, depth)
		s := d.State
		s.DepthStencil.DepthTest, s.DepthStencil.DepthWrite, s.DepthStencil.Compare = true, true, enum.CompareOpAlways
		s.Rasterization.DepthBias, s.BiasConstant, s.BiasSlope, s.BiasClamp = true, c.constant, c.slope, c.clamp
		d.run(t)
		// The depth is x / 32, at the center of the fourth pixel 3.5 / 32.
		n := depth.texel(3, 2)[0]
		shift := 3.5/32 - 0.25
		low, high := (c.low+shift)*65535, (c.high+shift)*65535
		if n.Any || n.Low > low || n.High < high || n.Low < low-12 || n.High > high+12 {
			t.Errorf("%s: %v to %v; must be about %v to %v", c.name, n.Low, n.High, low, high)
		}
	}
}

// TestFarVertices checks that each color of a triangle with vertices far away is permitted: its clipped edges have no range.
func TestFarVertices(t *testing.T) {
	d, target := drawText(t, "%y = OpCopyObject %v4 %x", [][8]float64{{-1e20, -1e20, 0, 1, 5}, {3e20, -1e20, 0, 1, 5}, {-1e20, 3e20, 0, 1, 5}}, nil)
	d.run(t)
	for i := range 64 {
		if n := target.texel(i%8, i/8)[0]; !n.Any {
			t.Fatalf("texel %d, %d is %v to %v; must be any", i%8, i/8, n.Low, n.High)
		}
	}
}

// TestDrawLimit checks that a draw of many triangles ends without a verdict.
func TestDrawLimit(t *testing.T) {
	d, target := drawText(t, "%y = OpCopyObject %v4 %x", [][8]float64{{-1, -1, 0, 1}, {-1, 1, 0, 1}, {1, -1, 0, 1}}, nil)
	d.State.Rasterization.Cull = enum.CullModeFrontAndBack
	for len(d.Vertices) < 3<<10 {
		d.Vertices = append(d.Vertices, d.Vertices[:3]...)
	}
	d.Instances = math.MaxUint32
	out, err := d.Run(t.Context())
	if err != nil || !strings.Contains(out.Undecided, "more") || !target.texel(0, 0)[0].Any {
		t.Errorf("%+v, %v; must have no verdict", out, err)
	}
}

// TestLeastInteger checks "Conversion From Normalized Fixed-Point to Floating-Point": the two least signed integers are -1.
func TestLeastInteger(t *testing.T) {
	target := NewTarget(formatNamed(t, "R8_SNORM"), 1, 1, []byte{0})
	target.Fill([4]Number{point(-1)})
	for raw, want := range map[byte]int{0x80: 0, 0x81: 0, 0x82: 1} {
		if list, _ := target.Judge([]byte{raw}); len(list) != want {
			t.Errorf("%#x: %+v; must be %d violations", raw, list, want)
		}
	}
}

// TestDetailRange checks "Scale Factor Operation": max(|mux|, |mvx|) ≤ fx ≤ √2 (|mux| + |mvx|).
func TestDetailRange(t *testing.T) {
	tex := &Texture{Levels: []Level{{Width: 16, Height: 16}}}
	n := tex.detail([2]Number{point(0.25), point(0.25)}, [2]Number{point(0), point(0)})
	if low, high := 2.0, 2+1.5; n.Any || n.Low > low || n.Low < low-0.01 || n.High < high || n.High > high+0.01 {
		t.Errorf("%v to %v; must be %v to %v", n.Low, n.High, low, high)
	}
}

// TestBias checks "LOD Operation": the sum of the biases is clamped to maxSamplerLodBias, which is at least 2.
func TestBias(t *testing.T) {
	for _, c := range []struct{ sampler, shader, low, high float64 }{{0, 1, 1, 1}, {1, 0.5, 1.5, 1.5}, {1, 4, 2, 5}, {0, -3, -3, -2}, {-4, 5, 1, 1}} {
		s := Sampler{Bias: c.sampler}
		if low, high := s.biased(point(0), point(c.shader)); low != c.low || high != c.high {
			t.Errorf("%+v: %v to %v", c, low, high)
		}
	}
	if tex := (&Texture{Levels: []Level{{Width: 1, Height: 1, Texels: make([][4]Number, 1)}}}); tex.sample(&Sampler{MinLod: 2, MaxLod: 1}, point(0), point(0), point(0), Number{}) != nil {
		t.Error("a least level of detail above the greatest one has a value; it is undefined")
	}
}

// TestFractionalViewport checks viewportSubPixelBits, which may be 0: a bound that is no integer may be rounded to one.
func TestFractionalViewport(t *testing.T) {
	d, target := drawText(t, "%y = OpCopyObject %v4 %x", [][8]float64{{-1, -1, 0, 1, 5}, {1, -1, 0, 1, 5}, {-1, 1, 0, 1, 5}}, nil)
	d.State.Viewports[0] = vk.Viewport{X: 2.25, Width: 5.75, Height: 8, MaxDepth: 1}
	d.run(t)
	for x, want := range [][2]float64{{9, 9}, {9, 9}, {5, 9}, {5, 9}, {5, 5}} {
		n := target.texel(x, 1)[0]
		if n.Any || math.Abs(n.Low-want[0]) > 0.01 || math.Abs(n.High-want[1]) > 0.01 {
			t.Errorf("texel %d, 1: %v to %v; must be %v to %v", x, n.Low, n.High, want[0], want[1])
		}
	}
}

// TestDepthRange checks "Depth Clamping and Range Adjustment": without clamping a depth outside of the viewport's range is undefined.
func TestDepthRange(t *testing.T) {
	for _, clamp := range []bool{false, true} {
		depth := NewTarget(formatNamed(t, "D16_UNORM"), 8, 8, make([]byte, 8*8*2))
		d, _ := drawText(t, "%y = OpCopyObject %v4 %x", [][8]float64{{-1, -1, 1, 1}, {1, -1, 1, 1}, {-1, 1, 1, 1}}, depth)
		s := d.State
		s.Viewports[0].MinDepth, s.Viewports[0].MaxDepth = 0.25, 0.75
		s.DepthStencil.DepthTest, s.DepthStencil.DepthWrite, s.DepthStencil.Compare = true, true, enum.CompareOpAlways
		s.Rasterization.DepthBias, s.BiasSlope, s.Rasterization.DepthClamp = true, 0, clamp
		s.BiasConstant = 1 << 14
		d.run(t)
		n := depth.texel(2, 2)[0]
		if n.Any == clamp || clamp && (n.Low > 49151.25 || n.High < 49151.25 || n.High-n.Low > 6) {
			t.Errorf("clamped %t: %+v", clamp, n)
		}
	}
}

// TestViewVolume checks that the near plane clips also if the viewport's range of depths begins above 0: covered pixels are not certain.
func TestViewVolume(t *testing.T) {
	d, target := drawText(t, "%y = OpCopyObject %v4 %x", [][8]float64{{-1, -1, -0.5, 1, 5}, {1, -1, 0.5, 1, 5}, {-1, 1, -0.5, 1, 5}}, nil)
	d.State.Viewports[0].MinDepth = 0.75
	d.run(t)
	if n := target.texel(0, 0)[0]; !n.Any {
		t.Errorf("a pixel before the near plane: %v to %v; must be any", n.Low, n.High)
	}
}

// TestFilterOfFloats checks "Numeric Representation and Computation" for a format of floats with 16 bits: the precision of a filter is relative to
// its texels, also where they cancel.
func TestFilterOfFloats(t *testing.T) {
	tex := &Texture{Unit: 0x1p-10}
	for _, most := range []float64{0, 1, 1000} {
		least := 0x1p-10 * max(most, 1) // a rounding of a product
		if n := tex.filtered(point(0), most); n.Low > -least || n.High < least || n.High > 3*least {
			t.Errorf("%v to %v of texels up to %v; must be ±%v, or up to three times as much", n.Low, n.High, most, least)
		}
	}
	if n := tex.mixed([]Number{point(-1000)}, []Number{point(1000)}, 0.5)[0]; n.High < 0x1p-10*1000 {
		t.Errorf("%v to %v between two levels; must have the error of 1000", n.Low, n.High)
	}
}

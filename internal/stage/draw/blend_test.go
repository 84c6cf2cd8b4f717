package draw_test

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// side is the width and height of the pictures of tests that look at each pixel apart.
const side = 16

// cover is a triangle over all of a picture.
var cover = floats(-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1)

// loadedText is a fragment program whose two colors stand in a buffer, eight floats for
// each pixel.
const loadedText = `
program "loaded" fragment
subgroup 16
local 1 1 1
in fragcoord f32 0
in fragcoord f32 1
out location f32 0
out location f32 1
out location f32 2
out location f32 3
out location f32 0 source 1
out location f32 1 source 1
out location f32 2 source 1
out location f32 3 source 1
res storage 0 0 count 1 nonwritable
func "main"() L1 {
	v1 = in.f32 #0
	v2 = in.f32 #1
	v3 = ftou.i32.f32 v1
	v4 = ftou.i32.f32 v2
	v5 = mul.i32 v4, 16:i32
	v6 = add.i32 v5, v3
	v7 = at 0:i32, v6, #32
	v8 = res 0:i32, #0
	v10 = ld.f32 v8, v7, #0
	v11 = ld.f32 v8, v7, #4
	v12 = ld.f32 v8, v7, #8
	v13 = ld.f32 v8, v7, #12
	v14 = ld.f32 v8, v7, #16
	v15 = ld.f32 v8, v7, #20
	v16 = ld.f32 v8, v7, #24
	v17 = ld.f32 v8, v7, #28
	out.f32 v10, #0
	out.f32 v11, #1
	out.f32 v12, #2
	out.f32 v13, #3
	out.f32 v14, #4
	out.f32 v15, #5
	out.f32 v16, #6
	out.f32 v17, #7
}`

// factor is a blend factor as the specification's table has it (Vulkan §"Blend
// Factors"), of component i.
func factor(f enum.BlendFactor, i int, src, src1, dst, constant [4]float64) float64 {
	switch f {
	case enum.BlendFactorZero:
		return 0
	case enum.BlendFactorOne:
		return 1
	case enum.BlendFactorSrcColor:
		return src[i]
	case enum.BlendFactorOneMinusSrcColor:
		return 1 - src[i]
	case enum.BlendFactorDstColor:
		return dst[i]
	case enum.BlendFactorOneMinusDstColor:
		return 1 - dst[i]
	case enum.BlendFactorSrcAlpha:
		return src[3]
	case enum.BlendFactorOneMinusSrcAlpha:
		return 1 - src[3]
	case enum.BlendFactorDstAlpha:
		return dst[3]
	case enum.BlendFactorOneMinusDstAlpha:
		return 1 - dst[3]
	case enum.BlendFactorConstantColor:
		return constant[i]
	case enum.BlendFactorOneMinusConstantColor:
		return 1 - constant[i]
	case enum.BlendFactorConstantAlpha:
		return constant[3]
	case enum.BlendFactorOneMinusConstantAlpha:
		return 1 - constant[3]
	case enum.BlendFactorSrcAlphaSaturate:
		if i == 3 {
			return 1
		}
		return min(src[3], 1-dst[3])
	case enum.BlendFactorSrc1Color:
		return src1[i]
	case enum.BlendFactorOneMinusSrc1Color:
		return 1 - src1[i]
	case enum.BlendFactorSrc1Alpha:
		return src1[3]
	}
	return 1 - src1[3]
}

// blend is what becomes of a color, and by how much a result in float32 may differ.
func blend(b *state.BlendAttachment, src, src1, dst, constant [4]float64) (out, slack [4]float64) {
	for i := range out {
		op, x, y := b.ColorOp, b.SrcColor, b.DstColor
		if i == 3 {
			op, x, y = b.AlphaOp, b.SrcAlpha, b.DstAlpha
		}
		s, d := src[i]*factor(x, i, src, src1, dst, constant), dst[i]*factor(y, i, src, src1, dst, constant)
		slack[i] = (math.Abs(s) + math.Abs(d)) * 0x1p-21
		switch op {
		case enum.BlendOpAdd:
			out[i] = s + d
		case enum.BlendOpSubtract:
			out[i] = s - d
		case enum.BlendOpReverseSubtract:
			out[i] = d - s
		case enum.BlendOpMin:
			out[i] = min(src[i], dst[i])
		case enum.BlendOpMax:
			out[i] = max(src[i], dst[i])
		}
	}
	return out, slack
}

// clamp clamps colors to what a format in fixed point has.
func clamp(f *format.Format, c [4]float64) [4]float64 {
	for i := range c {
		switch f.Components()[0].Numeric {
		case format.UNorm, format.SRGB:
			c[i] = min(max(c[i], 0), 1)
		case format.SNorm:
			c[i] = min(max(c[i], -1), 1)
		}
	}
	return c
}

// blendFormats are the formats that blending is tested with.
var blendFormats = []string{
	"R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "R8G8B8A8_SRGB", "B8G8R8A8_SRGB", "R8G8B8A8_SNORM", "A2B10G10R10_UNORM_PACK32", "R5G6B5_UNORM_PACK16", "R4G4B4A4_UNORM_PACK16",
	"A1R5G5B5_UNORM_PACK16", "R8_UNORM", "R8G8_UNORM", "R16_UNORM", "R16G16B16A16_UNORM", "R16G16_SNORM", "R16_SFLOAT", "R16G16B16A16_SFLOAT", "R32_SFLOAT",
	"R32G32B32A32_SFLOAT", "B10G11R11_UFLOAT_PACK32",
}

func randomBlend(r *rand.Rand) state.BlendAttachment {
	f := func() enum.BlendFactor { return enum.BlendFactor(r.Intn(19)) }
	return state.BlendAttachment{Enable: true, SrcColor: f(), DstColor: f(), ColorOp: enum.BlendOp(r.Intn(5)),
		SrcAlpha: f(), DstAlpha: f(), AlphaOp: enum.BlendOp(r.Intn(5)), WriteMask: 15}
}

// TestBlend blends random colors in random states and compares with float64: what
// stands in the attachment must be next to the result, up to the rounding of the few
// operations in float32.
func TestBlend(t *testing.T) {
	r := rand.New(rand.NewSource(8))
	for _, name := range blendFormats {
		t.Run(name, func(t *testing.T) {
			for range 12 {
				testBlend(t, r, name, randomBlend(r))
			}
		})
	}
}

// TestBlendAttachments blends the second color of each location with the attachment of the location, for as many attachments as there
// can be (maxFragmentDualSrcAttachments).
func TestBlendAttachments(t *testing.T) {
	var outs, stores strings.Builder
	formats := make([]string, state.MaxColors)
	blends := make([]state.BlendAttachment, state.MaxColors)
	for i := range formats {
		formats[i] = "R32_SFLOAT"
		blends[i] = state.BlendAttachment{Enable: true, SrcColor: enum.BlendFactorSrc1Color, DstColor: enum.BlendFactorZero, WriteMask: 15}
		fmt.Fprintf(&outs, "out location f32 %d\nout location f32 %d source 1\n", 4*i, 4*i)
		fmt.Fprintf(&stores, "\tout.f32 %d.0:f32, #%d\n\tout.f32 %d.0:f32, #%d\n", i+2, 2*i, 3*i+5, 2*i+1)
	}
	text := "program \"two\" fragment\nsubgroup 16\nlocal 1 1 1\n" + outs.String() + "func \"main\"() L1 {\n" + stores.String() + "}"
	for _, e := range engines() {
		c := blank(t, side, side, formats...)
		s := full(c)
		s.Blend.Attachments = blends
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
		for n := range formats {
			for i := range side * side {
				if got, want := number(c.bytes(n), i), float64((n+2)*(3*n+5)); got != want {
					t.Fatalf("%s: texel %d of attachment %d is %g; want %g", e.Name(), i, n, got, want)
				}
			}
		}
	}
}

func testBlend(t *testing.T, r *rand.Rand, name string, b state.BlendAttachment) {
	f, _ := format.ByName(name)
	wild := f.Components()[0].Numeric != format.UFloat // negative numbers and those beyond 1
	var colors []float32
	for range side * side * 8 {
		x := r.Float32()
		if wild && r.Intn(4) == 0 {
			x = 3*x - 1
		}
		colors = append(colors, x)
	}
	constant := [4]float32{r.Float32(), r.Float32(), r.Float32(), r.Float32()}
	before := make([]byte, side*side*f.Bytes)
	for i := range side * side {
		f.SetTexel(before[i*f.Bytes:][:f.Bytes], [4]float64{r.Float64(), r.Float64(), r.Float64(), r.Float64()})
	}
	var first []byte
	for _, e := range engines() {
		c := blank(t, side, side, name)
		copy(c.bytes(0), before)
		s := full(c)
		s.Blend = state.Blend{Attachments: []state.BlendAttachment{b}, Constants: constant}
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, loadedText, 0)}, s, c, state.Args{Count: 3,
			Shader: compute.Args{Push: cover, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: floats(colors...)}}}}})
		if first == nil {
			first = append(first, c.bytes(0)...)
		}
		if string(first) != string(c.bytes(0)) {
			t.Errorf("%+v: engines differ", b)
		}
	}
	for i := range side * side {
		four := func(at int) (c [4]float64) {
			for k := range c {
				c[k] = float64(colors[8*i+at+k])
			}
			return clamp(&f, c)
		}
		var k [4]float64
		for n := range k {
			k[n] = float64(constant[n])
		}
		want, slack := blend(&b, four(0), four(4), f.Texel(before[i*f.Bytes:][:f.Bytes]), clamp(&f, k))
		if fault := near(&f, first[i*f.Bytes:][:f.Bytes], want, slack); fault != "" {
			t.Fatalf("%+v, texel %d: %s", b, i, fault)
		}
	}
}

// near says where a texel is not the nearest one to a color, give or take slack.
func near(f *format.Format, texel []byte, want, slack [4]float64) string {
	for _, k := range f.Components() {
		if k.Channel > format.A {
			continue
		}
		low, high := k.Value(k.Convert(want[k.Channel]-slack[k.Channel])), k.Value(k.Convert(want[k.Channel]+slack[k.Channel]))
		if got := k.Value(k.Raw(texel)); !(got >= low && got <= high) {
			return fmt.Sprintf("component %d is %v; want %v to %v", k.Channel, got, low, high)
		}
	}
	return ""
}

// place is a texel of the first layer.
func place(x, y int) texture.Coord { return texture.Coord{X: x, Y: y} }

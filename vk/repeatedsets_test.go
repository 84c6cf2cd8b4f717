package vk

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// sampledVertex places a vertex by a hash of its numbers. TEXTURE adds a texel of the bound texture to x.
const sampledVertex = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %index %instance %pos %uv
OpDecorate %index BuiltIn VertexIndex
OpDecorate %instance BuiltIn InstanceIndex
OpDecorate %pos BuiltIn Position
OpDecorate %uv Location 0
OpDecorate %t DescriptorSet 0
OpDecorate %t Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 0
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%pt = OpTypePointer UniformConstant %sampled
%pin = OpTypePointer Input %int
%pout = OpTypePointer Output %v4
%pout2 = OpTypePointer Output %v2
%k1 = OpConstant %int 2654435761
%k2 = OpConstant %int 2246822519
%s25 = OpConstant %int 25
%s15 = OpConstant %int 15
%mask = OpConstant %int 127
%scale = OpConstant %float 0.015625
%small = OpConstant %float 0.2
%zero = OpConstant %float 0
%one = OpConstant %float 1
%half = OpConstantComposite %v2 %zero %one
%index = OpVariable %pin Input
%instance = OpVariable %pin Input
%pos = OpVariable %pout Output
%uv = OpVariable %pout2 Output
%t = OpVariable %pt UniformConstant
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %int %index
%n = OpLoad %int %instance
%h1 = OpIMul %int %i %k1
%h2 = OpIMul %int %n %k2
%h = OpIAdd %int %h1 %h2
%b0 = OpShiftRightLogical %int %h %s25
%b1 = OpShiftRightLogical %int %h %s15
%b2 = OpBitwiseAnd %int %b1 %mask
%f0 = OpConvertUToF %float %b0
%f2 = OpConvertUToF %float %b2
%g0 = OpFMul %float %f0 %scale
%g2 = OpFMul %float %f2 %scale
%x0 = OpFSub %float %g0 %one
%y = OpFSub %float %g2 %one
TEXTURE
%r = OpCompositeConstruct %v4 %x %y %zero %one
%c = OpCompositeConstruct %v2 %g0 %g2
OpStore %pos %r
OpStore %uv %c
OpReturn
OpFunctionEnd
`

// sampledFragment shows a sample of the texture with derivatives.
const sampledFragment = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %uv %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %uv Location 0
OpDecorate %out Location 0
OpDecorate %t DescriptorSet 0
OpDecorate %t Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%pt = OpTypePointer UniformConstant %sampled
%pin = OpTypePointer Input %v2
%pout = OpTypePointer Output %v4
%uv = OpVariable %pin Input
%out = OpVariable %pout Output
%t = OpVariable %pt UniformConstant
%main = OpFunction %void None %fn
%l = OpLabel
%at = OpLoad %v2 %uv
%s = OpLoad %sampled %t
%v = OpImageSampleImplicitLod %v4 %s %at
OpStore %out %v
OpReturn
OpFunctionEnd
`

// sampledSets makes sets with textures of several formats, with one level or several, and with several samplers. Two textures of each kind
// have the same code and other texels.
func (x *smallDraws) sampledSets(t *testing.T, l *SetLayout) (sets []*Set) {
	d := x.dev
	pool := must(d.NewPool(PoolInfo{MaxSets: 60}))(t)
	samplers := []*Sampler{
		must(d.NewSampler(SamplerInfo{MaxLod: LodClampNone}))(t),
		must(d.NewSampler(SamplerInfo{Mag: enum.FilterLinear, Min: enum.FilterLinear, MipLinear: true, MaxLod: LodClampNone}))(t),
		must(d.NewSampler(SamplerInfo{Min: enum.FilterLinear}))(t),
	}
	c := must(d.NewCommandBuffer(CommandBufferInfo{}))(t)
	c.Begin(BeginInfo{})
	for i, name := range []string{"R8G8B8A8_UNORM", "R32_SFLOAT", "R16G16_SFLOAT", "R8_UNORM", "A2B10G10R10_UNORM_PACK32"} {
		for kind, levels := range []int{1, 5, 1, 5} {
			m := must(d.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, name), Extent: [3]int{16, 16, 1}, Levels: levels, Usage: ImageSampled | ImageTransferTarget}))(t)
			n, _ := m.Requirements()
			if err := m.Bind(must(d.Allocate(MemoryInfo{Size: n}))(t), 0); err != nil {
				t.Fatal(err)
			}
			for k := range levels {
				color := func(c int) uint32 { return math.Float32bits(float32((7*i+5*k+3*c+kind)%11) / 11) }
				c.ClearColorImage(m, [4]uint32{color(0), color(1), color(2), color(3)}, []ImageRange{{BaseLevel: k, Levels: 1}})
			}
			view := must(d.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
			for _, s := range samplers {
				set := must(pool.Allocate(l))(t)
				if err := set.Update(Write{Images: []ImageDescriptor{{View: view, Sampler: s}}}); err != nil {
					t.Fatal(err)
				}
				sets = append(sets, set)
			}
		}
	}
	if err := c.End(); err != nil {
		t.Fatal(err)
	}
	if err := x.submit(t, c); err != nil {
		t.Fatal(err)
	}
	return sets
}

// TestRandomSets: draws that differ in sets, with textures of several formats and numbers of levels, give the picture of the same draws with
// a viewport set before each. Both kinds of streams begin with pipelines of their own, as pipelines learn from draws. CHIARO_SEEDS=from-to
// runs others.
func TestRandomSets(t *testing.T) {
	from, to := uint64(0), uint64(8)
	if s := os.Getenv("CHIARO_SEEDS"); s != "" {
		if _, err := fmt.Sscanf(s, "%d-%d", &from, &to); err != nil {
			t.Fatal(err)
		}
	}
	x := newSmallDraws(t, placedByOffset)
	d := x.dev
	d.checking = None
	l := must(d.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.CombinedImageSampler, Count: 1, Stages: link.AllStages}}}))(t)
	x.layout, x.sets = must(d.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l}}))(t), x.sampledSets(t, l)
	module := func(text string) *StageInfo {
		return &StageInfo{Module: must(d.NewShaderModule(t.Context(), code(t, text)))(t)}
	}
	texel := "%s = OpLoad %sampled %t\n%v = OpImageSampleExplicitLod %v4 %s %half Lod %one\n%v0 = OpCompositeExtract %float %v 0\n%v1 = OpFMul %float %v0 %small\n%x = OpFAdd %float %x0 %v1"
	rgba := formatOf(t, "R8G8B8A8_UNORM")
	picture := func(seed uint64, apart bool) []byte {
		r := rand.New(rand.NewPCG(8, seed))
		text := []string{"%x = OpFAdd %float %x0 %zero", texel}[seed%2]
		p := must(d.NewGraphicsPipeline(t.Context(), GraphicsPipelineInfo{Vertex: module(strings.Replace(sampledVertex, "TEXTURE", text, 1)), Fragment: module(sampledFragment), Layout: x.layout, State: FixedState{
			Vertex: &link.VertexInput{}, Assembly: &link.InputAssembly{Topology: enum.TopologyTriangleList},
			Rasterization: &link.Rasterization{LineWidth: 1}, Multisample: &link.Multisample{Samples: 1},
			Blend: &link.ColorBlend{Attachments: []link.Blend{{}}}, Rendering: link.Rendering{Color: []link.Format{rgba}},
			Viewports: []Viewport{{Width: smallSize, Height: smallSize, MaxDepth: 1}}, Scissors: []Rect{{Width: smallSize, Height: smallSize}},
			Dynamic: []enum.DynamicState{enum.DynamicStateViewport},
		}}))(t)
		defer p.Close()
		size := []float32{smallSize, 10}[seed/2%2]
		c := must(d.NewCommandBuffer(CommandBufferInfo{}))(t)
		defer c.Close()
		c.Begin(BeginInfo{})
		c.BeginRendering(RenderingInfo{Colors: []AttachmentInfo{{View: x.view, Load: ClearOnLoad}}})
		c.BindGraphicsPipeline(p)
		c.SetViewport(0, []Viewport{{Width: size, Height: size, MaxDepth: 1}})
		c.BindSets(Graphics, x.layout, 0, x.sets[:1], nil)
		n, count, instances := 0, uint32(3), uint32(1)
		for range 200 {
			if r.IntN(8) == 0 {
				count, instances = []uint32{3, 3, 3, 6, 900}[r.IntN(5)]+uint32(r.IntN(2)), 1+r.Uint32N(2)
			}
			if r.IntN(3) > 0 {
				if n = (n/12*12 + (n+6)%12) % len(x.sets); r.IntN(2) == 0 { // else the other texture of the kind
					n = r.IntN(len(x.sets))
				}
				c.BindSets(Graphics, x.layout, 0, x.sets[n:n+1], nil)
			}
			if apart {
				c.SetViewport(0, []Viewport{{Width: size, Height: size, MaxDepth: 1}})
			}
			c.Draw(count, instances, r.Uint32N(60), r.Uint32N(20))
		}
		c.EndRendering()
		if err := c.End(); err != nil {
			t.Fatal(err)
		}
		if err := x.submit(t, c); err != nil {
			t.Fatal(err)
		}
		return bytes.Clone(x.pixels.Bytes())
	}
	for seed := from; seed < to; seed++ {
		if want := picture(seed, true); !bytes.Equal(picture(seed, false), want) {
			t.Errorf("seed %d: the pictures differ", seed)
		} else if bytes.Count(want, []byte{0}) == len(want) {
			t.Errorf("seed %d: nothing is drawn", seed)
		}
	}
}

package vk

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/cputime"
	"github.com/chiaro-gpu/chiaro/link"
)

// placedByOffset writes a corner of a small triangle at the offset in the uniform buffer.
const placedByOffset = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %index %pos %uniform
OpDecorate %index BuiltIn VertexIndex
OpDecorate %pos BuiltIn Position
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %uniform DescriptorSet 0
OpDecorate %uniform Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 0
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%block = OpTypeStruct %v4
%pblock = OpTypePointer Uniform %block
%pv4 = OpTypePointer Uniform %v4
%pin = OpTypePointer Input %int
%pout = OpTypePointer Output %v4
%zero = OpConstant %int 0
%bit = OpConstant %int 1
%fzero = OpConstant %float 0
%one = OpConstant %float 1
%size = OpConstant %float 0.1
%index = OpVariable %pin Input
%pos = OpVariable %pout Output
%uniform = OpVariable %pblock Uniform
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %int %index
%a = OpBitwiseAnd %int %i %bit
%b0 = OpShiftRightLogical %int %i %bit
%b = OpBitwiseAnd %int %b0 %bit
%fa = OpConvertUToF %float %a
%fb = OpConvertUToF %float %b
%sa = OpFMul %float %fa %size
%sb = OpFMul %float %fb %size
%pu = OpAccessChain %pv4 %uniform %zero
%u = OpLoad %v4 %pu
%ux = OpCompositeExtract %float %u 0
%uy = OpCompositeExtract %float %u 1
%x = OpFAdd %float %sa %ux
%y = OpFAdd %float %sb %uy
%p = OpCompositeConstruct %v4 %x %y %fzero %one
OpStore %pos %p
OpReturn
OpFunctionEnd
`

// ones writes ones.
const ones = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%pout = OpTypePointer Output %v4
%one = OpConstant %float 1
%c = OpConstantComposite %v4 %one %one %one %one
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
OpStore %out %c
OpReturn
OpFunctionEnd
`

// BenchmarkSmallDraws draws frames of 10,000 draws of one or two small triangles: with one set, and with the pipeline and a
// dynamic offset bound before each draw.
func BenchmarkSmallDraws(b *testing.B) {
	const size, draws, stride = 64, 10000, 256
	r := newRig(b, DeviceInfo{}, storage)
	d := r.dev
	rgba := formatOf(b, "R8G8B8A8_UNORM")
	color := must(d.NewImage(ImageInfo{Type: enum.ImageType2d, Format: rgba, Extent: [3]int{size, size, 1}, Usage: ImageColorAttachment}))(b)
	n, _ := color.Requirements()
	if err := color.Bind(must(d.Allocate(MemoryInfo{Size: n}))(b), 0); err != nil {
		b.Fatal(err)
	}
	view := must(d.NewImageView(ImageViewInfo{Image: color, Type: enum.ViewType2d}))(b)
	uniform := must(d.NewBuffer(BufferInfo{Size: 400 * stride, Usage: UniformBuffer}))(b)
	memory := must(d.Allocate(MemoryInfo{Size: 400 * stride}))(b)
	if err := uniform.Bind(memory, 0); err != nil {
		b.Fatal(err)
	}
	for i := range 400 {
		at := memory.Bytes()[i*stride:]
		binary.LittleEndian.PutUint32(at, math.Float32bits(float32(i%20)*0.1-1))
		binary.LittleEndian.PutUint32(at[4:], math.Float32bits(float32(i/20)*0.1-1))
	}
	l := must(d.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.UniformBufferDynamic, Count: 1, Stages: link.AllStages}}}))(b)
	layout := must(d.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l}}))(b)
	sets := []*Set{must(must(d.NewPool(PoolInfo{MaxSets: 1}))(b).Allocate(l))(b)}
	if err := sets[0].Update(Write{Buffers: []BufferDescriptor{{Buffer: uniform, Range: 16}}}); err != nil {
		b.Fatal(err)
	}
	module := func(text string) *StageInfo {
		return &StageInfo{Module: must(d.NewShaderModule(b.Context(), code(b, text)))(b)}
	}
	pipeline := must(d.NewGraphicsPipeline(b.Context(), GraphicsPipelineInfo{Vertex: module(placedByOffset), Fragment: module(ones), Layout: layout, State: FixedState{
		Vertex: &link.VertexInput{}, Assembly: &link.InputAssembly{Topology: enum.TopologyTriangleList},
		Rasterization: &link.Rasterization{LineWidth: 1}, Multisample: &link.Multisample{Samples: 1},
		Blend: &link.ColorBlend{Attachments: []link.Blend{{}}}, Rendering: link.Rendering{Color: []link.Format{rgba}},
		Viewports: []Viewport{{Width: size, Height: size, MaxDepth: 1}}, Scissors: []Rect{{Width: size, Height: size}},
	}}))(b)
	for _, bound := range []bool{false, true} {
		b.Run(map[bool]string{false: "once", true: "bound"}[bound], func(b *testing.B) {
			c := must(d.NewCommandBuffer(CommandBufferInfo{}))(b)
			frame := func() {
				c.Begin(BeginInfo{})
				c.BeginRendering(RenderingInfo{Colors: []AttachmentInfo{{View: view, Load: ClearOnLoad}}})
				for i := range draws {
					if bound || i == 0 {
						c.BindGraphicsPipeline(pipeline)
						c.BindSets(Graphics, layout, 0, sets, []uint32{uint32(i % 400 * stride)})
					}
					c.Draw(3, 1, 0, uint32(i))
				}
				c.EndRendering()
				if err := c.End(); err != nil {
					b.Fatal(err)
				}
				if err := r.submit(b, c); err != nil {
					b.Fatal(err)
				}
			}
			frame()
			before, frames := cputime.Now(), 0
			for b.Loop() {
				frame()
				frames++
			}
			b.ReportMetric(float64((cputime.Now()-before).Nanoseconds())/float64(frames*draws), "cpu-ns/draw")
		})
	}
}

package vk

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
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

// The target of small draws, and the places of triangles in the uniform buffer.
const (
	smallSize     = 64
	smallPlaces   = 400
	smallDistance = 256 // bytes between places
)

// smallDraws are the objects of small draws.
type smallDraws struct {
	*rig
	pixels   *Memory
	view     *ImageView
	layout   *PipelineLayout
	sets     []*Set
	others   []*Set // with the descriptors of sets
	pipeline *GraphicsPipeline
}

// newSmallDraws makes a pipeline of a vertex shader that reads a place of the uniform buffer.
func newSmallDraws(b testing.TB, vertex string) *smallDraws {
	x := &smallDraws{rig: newRig(b, DeviceInfo{}, storage)}
	d := x.dev
	rgba := formatOf(b, "R8G8B8A8_UNORM")
	color := must(d.NewImage(ImageInfo{Type: enum.ImageType2d, Format: rgba, Extent: [3]int{smallSize, smallSize, 1}, Usage: ImageColorAttachment}))(b)
	n, _ := color.Requirements()
	x.pixels = must(d.Allocate(MemoryInfo{Size: n}))(b)
	if err := color.Bind(x.pixels, 0); err != nil {
		b.Fatal(err)
	}
	x.view = must(d.NewImageView(ImageViewInfo{Image: color, Type: enum.ViewType2d}))(b)
	uniform := must(d.NewBuffer(BufferInfo{Size: smallPlaces * smallDistance, Usage: UniformBuffer}))(b)
	memory := must(d.Allocate(MemoryInfo{Size: smallPlaces * smallDistance}))(b)
	if err := uniform.Bind(memory, 0); err != nil {
		b.Fatal(err)
	}
	for i := range smallPlaces {
		at := memory.Bytes()[i*smallDistance:]
		binary.LittleEndian.PutUint32(at, math.Float32bits(float32(i%20)*0.1-1))
		binary.LittleEndian.PutUint32(at[4:], math.Float32bits(float32(i/20)*0.1-1))
	}
	l := must(d.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.UniformBufferDynamic, Count: 1, Stages: link.AllStages}}}))(b)
	x.layout = must(d.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l}}))(b)
	pool := must(d.NewPool(PoolInfo{MaxSets: 2}))(b)
	for _, list := range []*[]*Set{&x.sets, &x.others} {
		*list = []*Set{must(pool.Allocate(l))(b)}
		if err := (*list)[0].Update(Write{Buffers: []BufferDescriptor{{Buffer: uniform, Range: 16}}}); err != nil {
			b.Fatal(err)
		}
	}
	module := func(text string) *StageInfo {
		return &StageInfo{Module: must(d.NewShaderModule(b.Context(), code(b, text)))(b)}
	}
	x.pipeline = must(d.NewGraphicsPipeline(b.Context(), GraphicsPipelineInfo{Vertex: module(vertex), Fragment: module(ones), Layout: x.layout, State: FixedState{
		Vertex: &link.VertexInput{}, Assembly: &link.InputAssembly{Topology: enum.TopologyTriangleList},
		Rasterization: &link.Rasterization{LineWidth: 1}, Multisample: &link.Multisample{Samples: 1},
		Blend: &link.ColorBlend{Attachments: []link.Blend{{}}}, Rendering: link.Rendering{Color: []link.Format{rgba}},
		Viewports: []Viewport{{Width: smallSize, Height: smallSize, MaxDepth: 1}}, Scissors: []Rect{{Width: smallSize, Height: smallSize}},
	}}))(b)
	return x
}

// frame draws a number of draws in one rendering. bound binds the pipeline and the place of the draw before each.
func (x *smallDraws) frame(b testing.TB, c *CommandBuffer, draws int, bound bool, draw func(i int)) {
	c.Begin(BeginInfo{})
	c.BeginRendering(RenderingInfo{Colors: []AttachmentInfo{{View: x.view, Load: ClearOnLoad}}})
	for i := range draws {
		if bound || i == 0 {
			c.BindGraphicsPipeline(x.pipeline)
			c.BindSets(Graphics, x.layout, 0, x.sets, []uint32{uint32(i % smallPlaces * smallDistance)})
		}
		draw(i)
	}
	c.EndRendering()
	if err := c.End(); err != nil {
		b.Fatal(err)
	}
	if err := x.submit(b, c); err != nil {
		b.Fatal(err)
	}
}

// TestDrawsAdded: draws with nothing but push constants between them give the picture of draws between which the sets are bound again
// (Vulkan §"Drawing Commands": each has its own firstVertex, vertexOffset and firstInstance).
func TestDrawsAdded(t *testing.T) {
	// An instance is a place more to the right, in eight rows.
	instanced := strings.NewReplacer("%index %pos", "%index %instance %pos", "OpDecorate %pos", "OpDecorate %instance BuiltIn InstanceIndex\nOpDecorate %pos",
		"%pos = OpVariable", "%instance = OpVariable %pin Input\n%pos = OpVariable",
		"%x = OpFAdd %float %sa %ux\n%y = OpFAdd %float %sb %uy", `%n = OpLoad %int %instance
%row = OpShiftRightLogical %int %n %three
%nx = OpConvertUToF %float %n
%ny = OpConvertUToF %float %row
%mx = OpFMul %float %nx %step
%my = OpFMul %float %ny %size
%ax = OpFAdd %float %mx %ux
%ay = OpFAdd %float %my %uy
%x = OpFAdd %float %sa %ax
%y = OpFAdd %float %sb %ay`, "%size = ", "%three = OpConstant %int 3\n%step = OpConstant %float 0.07\n%size = ").Replace(placedByOffset)
	x := newSmallDraws(t, instanced)
	indices := must(x.dev.NewBuffer(BufferInfo{Size: 64, Usage: IndexBuffer}))(t)
	memory := must(x.dev.Allocate(MemoryInfo{Size: 64}))(t)
	if err := indices.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	for i := range memory.Bytes() {
		memory.Bytes()[i] = byte(i * 5 % 7)
	}
	pictures := make(map[bool][]byte)
	x.dev.checking = None // else each draw is checked, and none is added without that
	for _, again := range []bool{false, true} {
		c := must(x.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		x.frame(t, c, 60, false, func(i int) {
			if i == 0 {
				c.BindIndexBuffer(indices, 0, 1)
			}
			if again {
				c.BindSets(Graphics, x.layout, 0, [][]*Set{x.sets, x.others}[i%2], []uint32{0})
			}
			if i/10%2 == 0 {
				c.Draw(uint32(3*(i%3)), uint32(i%4), uint32(i%5), uint32(i%11*3))
			} else {
				c.DrawIndexed(uint32(3*(i%3)), 1, uint32(i%7), int32(i%3), uint32(i))
			}
		})
		pictures[again] = bytes.Clone(x.pixels.Bytes())
	}
	if !bytes.Equal(pictures[false], pictures[true]) {
		t.Error("the pictures differ")
	}
	if n := bytes.Count(pictures[true], []byte{255, 255, 255, 255}); n < 100 || n > smallSize*smallSize-100 {
		t.Errorf("%d white pixels; want some and not all", n)
	}
}

// BenchmarkSmallDraws draws frames of 10,000 draws of one or two small triangles: with one set, and with the pipeline and a
// dynamic offset bound before each draw.
func BenchmarkSmallDraws(b *testing.B) {
	const draws = 10000
	x := newSmallDraws(b, placedByOffset)
	for _, bound := range []bool{false, true} {
		b.Run(map[bool]string{false: "once", true: "bound"}[bound], func(b *testing.B) {
			c := must(x.dev.NewCommandBuffer(CommandBufferInfo{}))(b)
			frame := func() { x.frame(b, c, draws, bound, func(i int) { c.Draw(3, 1, 0, uint32(i)) }) }
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

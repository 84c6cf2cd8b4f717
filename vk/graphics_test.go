package vk

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// positions writes attribute 0 as the position.
const positions = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %in %out
OpDecorate %in Location 0
OpDecorate %out BuiltIn Position
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%pin = OpTypePointer Input %v4
%pout = OpTypePointer Output %v4
%in = OpVariable %pin Input
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %in
OpStore %out %x
OpReturn
OpFunctionEnd
`

// pushed writes the push constants, a vec4, as the color.
const pushed = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out %push
OpExecutionMode %main OriginUpperLeft
OpDecorate %out Location 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%zero = OpConstant %int 0
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%block = OpTypeStruct %v4
%pblock = OpTypePointer PushConstant %block
%pv4 = OpTypePointer PushConstant %v4
%pout = OpTypePointer Output %v4
%push = OpVariable %pblock PushConstant
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%p = OpAccessChain %pv4 %push %zero
%x = OpLoad %v4 %p
OpStore %out %x
OpReturn
OpFunctionEnd
`

func formatOf(t testing.TB, name string) (f link.Format) {
	t.Helper()
	if err := f.UnmarshalText([]byte(name)); err != nil {
		t.Fatal(err)
	}
	return f
}

// scene is a rig with a pipeline that draws triangles of one color to an image of 8×8 pixels, with a depth image.
type scene struct {
	*rig
	layout   *PipelineLayout
	pipeline *GraphicsPipeline
	images   *Memory
	color    *Image
	view     *ImageView
	depth    *ImageView
	vertices *Buffer
	pixels   *Buffer // 256 bytes
	fixed    FixedState
	stages   GraphicsPipelineInfo
}

func newScene(t testing.TB, samples int) *scene {
	t.Helper()
	return newSceneOn(t, samples, DeviceInfo{})
}

// newSceneOn is newScene on a device of its own kind.
func newSceneOn(t testing.TB, samples int, info DeviceInfo) *scene {
	t.Helper()
	s := &scene{rig: newRig(t, info, storage)}
	s.images = must(s.dev.Allocate(MemoryInfo{Size: 1 << 16}))(t)
	rgba, d32 := formatOf(t, "R8G8B8A8_UNORM"), formatOf(t, "D32_SFLOAT")
	s.color = must(s.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: rgba, Extent: [3]int{8, 8, 1}, Samples: samples, Usage: ImageColorAttachment | ImageTransferSource}))(t)
	deep := must(s.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: d32, Extent: [3]int{8, 8, 1}, Samples: samples, Usage: ImageDepthStencilAttachment | ImageTransferSource}))(t)
	for offset, m := range map[uint64]*Image{0: s.color, 16384: deep} {
		if err := m.Bind(s.images, offset); err != nil {
			t.Fatal(err)
		}
	}
	s.view = must(s.dev.NewImageView(ImageViewInfo{Image: s.color, Type: enum.ViewType2d}))(t)
	s.depth = must(s.dev.NewImageView(ImageViewInfo{Image: deep, Type: enum.ViewType2d, Aspect: Depth}))(t)
	s.vertices = must(s.dev.NewBuffer(BufferInfo{Size: 1024, Usage: VertexBufferUsage | IndexBuffer | IndirectBuffer}))(t)
	s.pixels = must(s.dev.NewBuffer(BufferInfo{Size: 256, Usage: TransferTarget}))(t)
	for offset, b := range map[uint64]*Buffer{1024: s.vertices, 2048: s.pixels} {
		if err := b.Bind(s.memory, offset); err != nil {
			t.Fatal(err)
		}
	}
	s.layout = must(s.dev.NewPipelineLayout(PipelineLayoutInfo{Push: []link.Range{{Size: 16, Stages: link.AllStages}}}))(t)
	s.stages = GraphicsPipelineInfo{
		Vertex:   &StageInfo{Module: must(s.dev.NewShaderModule(context.Background(), code(t, positions)))(t)},
		Fragment: &StageInfo{Module: must(s.dev.NewShaderModule(context.Background(), code(t, pushed)))(t)},
		Layout:   s.layout,
	}
	s.fixed = FixedState{
		Vertex: &link.VertexInput{
			Bindings:   []link.VertexBinding{{Stride: 16}},
			Attributes: []link.Attribute{{Format: formatOf(t, "R32G32B32A32_SFLOAT")}},
		},
		Assembly:      &link.InputAssembly{Topology: enum.TopologyTriangleList},
		Rasterization: &link.Rasterization{LineWidth: 1},
		Multisample:   &link.Multisample{Samples: uint32(samples)},
		DepthStencil:  &link.DepthStencil{DepthTest: true, DepthWrite: true, Compare: enum.CompareOpLess},
		Blend:         &link.ColorBlend{Attachments: []link.Blend{{}}},
		Rendering:     link.Rendering{Color: []link.Format{rgba}, Depth: d32},
		Viewports:     []Viewport{{Width: 8, Height: 8, MaxDepth: 1}},
		Scissors:      []Rect{{Width: 8, Height: 8}},
	}
	// Two triangles that cover everything, at depth 0.5 and 0.25; the second only the upper left half.
	for i, v := range [][4]float32{{-1, -1, .5, 1}, {3, -1, .5, 1}, {-1, 3, .5, 1}, {-1, -1, .25, 1}, {1, -1, .25, 1}, {-1, 1, .25, 1}} {
		for k, x := range v {
			s.put(1024, 4*i+k, x)
		}
	}
	return s
}

// build makes the pipeline with the state of fixed.
func (s *scene) build(t testing.TB) {
	t.Helper()
	s.stages.State = s.fixed
	s.pipeline = must(s.dev.NewGraphicsPipeline(context.Background(), s.stages))(t)
}

// paint is push constants of a color.
func (s *scene) paint(c *CommandBuffer, color ...float32) {
	var data []byte
	for _, x := range color {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	c.PushConstants(s.layout, 0, data)
}

// rendering returns a rendering that clears to black and depth 1.
func (s *scene) rendering() RenderingInfo {
	return RenderingInfo{
		Area:   Rect{Width: 8, Height: 8},
		Colors: []AttachmentInfo{{View: s.view, Load: ClearOnLoad, Clear: [4]uint32{0, 0, 0, 0x3f800000}}},
		Depth:  &AttachmentInfo{View: s.depth, Load: ClearOnLoad, Clear: [4]uint32{0x3f800000}},
	}
}

// pixel returns the color of a copied pixel.
func (s *scene) pixel(x, y int) [4]byte { return [4]byte(s.memory.Bytes()[2048+4*(8*y+x):]) }

// copyOut copies the image to the pixels.
func (s *scene) copyOut(c *CommandBuffer, m *Image) {
	c.CopyImageToBuffer(m, s.pixels, []BufferImageCopy{{Extent: [3]int{8, 8, 1}}})
}

// TestDraw draws a red triangle over all, a green one in front of its upper left half, and counts samples.
func TestDraw(t *testing.T) {
	s := newScene(t, 1)
	s.build(t)
	q := must(s.dev.NewQueryPool(QueryPoolInfo{Type: Occlusion, Count: 2}))(t)
	c := s.record(t, func(c *CommandBuffer) {
		c.BeginRendering(s.rendering())
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		s.paint(c, 1, 0, 0, 1)
		c.BeginQuery(q, 0, QueryPrecise)
		c.Draw(3, 1, 0, 0)
		c.EndQuery(q, 0)
		s.paint(c, 0, 1, 0, 1)
		c.Draw(3, 1, 3, 0)
		s.paint(c, 0, 0, 1, 1) // fails the depth test everywhere
		c.BeginQuery(q, 1, QueryPrecise)
		c.Draw(3, 1, 0, 0)
		c.EndQuery(q, 1)
		c.EndRendering()
		s.copyOut(c, s.color)
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	if got := s.pixel(0, 0); got != [4]byte{0, 255, 0, 255} {
		t.Errorf("upper left pixel %v, want green", got)
	}
	if got := s.pixel(7, 7); got != [4]byte{255, 0, 0, 255} {
		t.Errorf("lower right pixel %v, want red", got)
	}
	for i, want := range []uint64{64, 0} {
		if n, ok := q.Result(i); n != want || !ok {
			t.Errorf("query %d: %d %v, want %d", i, n, ok, want)
		}
	}
}

// TestDynamicState draws with a scissor, a depth comparison and a topology that commands set, by indirect arguments and
// indices.
func TestDynamicState(t *testing.T) {
	s := newScene(t, 1)
	s.fixed.Dynamic = []enum.DynamicState{enum.DynamicStateScissor, enum.DynamicStateDepthCompareOp, enum.DynamicStatePrimitiveTopology, enum.DynamicStateCullMode}
	s.fixed.Scissors = []Rect{{}}
	s.build(t)
	for i, n := range []uint32{3, 1, 0, 0, 0} { // 3 indices of 1 instance
		binary.LittleEndian.PutUint32(s.memory.Bytes()[1024+512+4*i:], n)
	}
	for i, n := range []uint16{0, 1, 2} {
		binary.LittleEndian.PutUint16(s.memory.Bytes()[1024+600+2*i:], n)
	}
	c := s.record(t, func(c *CommandBuffer) {
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		c.BindIndexBuffer(s.vertices, 600, 2)
		c.SetTopology(enum.TopologyTriangleList)
		c.SetCullMode(enum.CullModeNone)
		c.SetDepthCompareOp(enum.CompareOpAlways)
		c.BeginRendering(s.rendering())
		s.paint(c, 1, 1, 1, 1)
		c.SetScissors([]Rect{{X: 2, Y: 3, Width: 4, Height: 1}})
		c.DrawIndirect(IndirectInfo{Buffer: s.vertices, Offset: 512, Draws: 1, Stride: 20, Indexed: true})
		c.SetDepthCompareOp(enum.CompareOpNever)
		c.SetScissors([]Rect{{Width: 8, Height: 8}})
		c.DrawIndexed(3, 1, 0, 0, 0)
		c.EndRendering()
		s.copyOut(c, s.color)
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	for y := range 8 {
		for x := range 8 {
			want := [4]byte{0, 0, 0, 255}
			if y == 3 && x >= 2 && x < 6 {
				want = [4]byte{255, 255, 255, 255}
			}
			if got := s.pixel(x, y); got != want {
				t.Errorf("pixel %d %d is %v, want %v", x, y, got, want)
			}
		}
	}
}

// TestRenderingDimensions draws into a level of attachments of one dimension, and into the faces of a cube: views of all types but
// volumes are attachments.
func TestRenderingDimensions(t *testing.T) {
	s := newScene(t, 1)
	s.fixed.DepthStencil, s.fixed.Rendering.Depth = nil, 0
	s.build(t)
	for _, x := range []struct {
		image         enum.ImageType
		view          enum.ViewType
		height, layer int
		flags         ImageFlags
	}{
		{enum.ImageType1d, enum.ViewType1d, 1, 1, 0}, {enum.ImageType1d, enum.ViewType1dArray, 1, 3, 0},
		{enum.ImageType2d, enum.ViewTypeCube, 8, 6, ImageCubeCompatible}, {enum.ImageType2d, enum.ViewTypeCubeArray, 8, 12, ImageCubeCompatible},
	} {
		m := s.image(t, ImageInfo{Type: x.image, Format: formatOf(t, "R8G8B8A8_UNORM"), Extent: [3]int{8, x.height, 1}, Levels: 2 - x.height/8, Layers: x.layer,
			Flags: x.flags, Usage: ImageColorAttachment | ImageTransferSource})
		level := 1 - x.height/8
		r := RenderingInfo{Area: Rect{Width: uint32(8 >> level), Height: uint32(x.height)}, Layers: uint32(x.layer), Colors: []AttachmentInfo{{
			View: must(s.dev.NewImageView(ImageViewInfo{Image: m, Type: x.view, BaseLevel: level, Levels: 1}))(t), Load: ClearOnLoad, Clear: [4]uint32{0, 0, 0x3f800000, 0x3f800000}}}}
		c := s.record(t, func(c *CommandBuffer) {
			c.BeginRendering(r)
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			s.paint(c, 1, 0, 0, 1)
			c.Draw(3, 1, 0, 0)
			c.EndRendering()
			for layer := range 2 { // a draw goes to layer 0; the others are cleared
				c.CopyImageToBuffer(m, s.pixels, []BufferImageCopy{{BufferOffset: uint64(4 * layer), Image: Layers{Level: level, Base: layer % x.layer}, Extent: [3]int{1, 1, 1}}})
			}
		})
		if err := s.submit(t, c); err != nil {
			t.Fatalf("view of type %d: %v", x.view, err)
		}
		second := [4]byte{0, 0, 255, 255}
		if x.layer == 1 {
			second = [4]byte{255, 0, 0, 255}
		}
		if a, b := s.pixel(0, 0), s.pixel(1, 0); a != [4]byte{255, 0, 0, 255} || b != second {
			t.Errorf("view of type %d: layers %v and %v", x.view, a, b)
		}
	}
}

// TestRenderingResolve averages four samples: the diagonal's edge of the second triangle is partly covered.
func TestRenderingResolve(t *testing.T) {
	s := newScene(t, 4)
	s.build(t)
	single := must(s.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R8G8B8A8_UNORM"), Extent: [3]int{8, 8, 1}, Usage: ImageColorAttachment | ImageTransferSource}))(t)
	if err := single.Bind(s.images, 32768); err != nil {
		t.Fatal(err)
	}
	target := must(s.dev.NewImageView(ImageViewInfo{Image: single, Type: enum.ViewType2d}))(t)
	c := s.record(t, func(c *CommandBuffer) {
		r := s.rendering()
		r.Colors[0].Resolve, r.Colors[0].ResolveMode = target, ResolveAverage
		c.BeginRendering(r)
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		s.paint(c, 1, 1, 1, 1)
		c.Draw(3, 1, 3, 0)
		white := [4]uint32{0x3f800000, 0, 0, 0x3f800000}
		c.ClearAttachments(Clears{Area: Rect{X: 7, Y: 7, Width: 1, Height: 1}, Colors: map[int][4]uint32{0: white}})
		c.EndRendering()
		s.copyOut(c, single)
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	if got := s.pixel(0, 0); got[0] != 255 {
		t.Errorf("upper left %v, want white", got)
	}
	if got := s.pixel(4, 3); got[0] == 0 || got[0] == 255 {
		t.Errorf("pixel on the diagonal %v, want gray", got)
	}
	if got := s.pixel(7, 7); got != [4]byte{255, 0, 0, 255} {
		t.Errorf("lower right %v, want the red of the clear", got)
	}
}

// TestGraphicsErrors makes pipelines and records commands that Vulkan forbids.
func TestGraphicsErrors(t *testing.T) {
	s := newScene(t, 1)
	s.stages.State = s.fixed
	broken := func(change func(*GraphicsPipelineInfo)) error {
		info := s.stages
		change(&info)
		_, err := s.dev.NewGraphicsPipeline(context.Background(), info)
		return err
	}
	var linked *LinkError
	if err := broken(func(p *GraphicsPipelineInfo) {
		p.State.Assembly = &link.InputAssembly{Topology: enum.TopologyPatchList}
	}); !errors.As(err, &linked) {
		t.Errorf("patches without tessellation: %v", err)
	}
	for name, change := range map[string]func(*GraphicsPipelineInfo){
		"no vertex": func(p *GraphicsPipelineInfo) { p.Vertex = nil },
		"no layout": func(p *GraphicsPipelineInfo) { p.Layout = nil },
		"topology":  func(p *GraphicsPipelineInfo) { p.State.Assembly = &link.InputAssembly{Topology: 256} },
		"blend factor": func(p *GraphicsPipelineInfo) {
			p.State.Blend = &link.ColorBlend{Attachments: []link.Blend{{SrcColor: 77}}}
		},
		"samples": func(p *GraphicsPipelineInfo) { p.State.Multisample = &link.Multisample{Samples: 3} },
		"dynamic state": func(p *GraphicsPipelineInfo) {
			p.State.Dynamic = []enum.DynamicState{enum.DynamicStateViewportWScaling}
		},
		"wrong stage": func(p *GraphicsPipelineInfo) { p.Vertex = p.Fragment },
	} {
		if broken(change) == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s.build(t)
	for name, record := range map[string]func(c *CommandBuffer){
		"pipeline":   func(c *CommandBuffer) { c.BindGraphicsPipeline(nil) },
		"vertices":   func(c *CommandBuffer) { c.BindVertexBuffers(31, make([]VertexBuffer, 2)) },
		"offset":     func(c *CommandBuffer) { c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices, Offset: 1 << 63}}) },
		"index":      func(c *CommandBuffer) { c.BindIndexBuffer(s.vertices, 0, 3) },
		"index nil":  func(c *CommandBuffer) { c.BindIndexBuffer(nil, 0, 2) },
		"indirect":   func(c *CommandBuffer) { c.DrawIndirect(IndirectInfo{}) },
		"topology":   func(c *CommandBuffer) { c.SetTopology(99) },
		"stencil":    func(c *CommandBuffer) { c.SetStencilOp(FrontFace, 99, 0, 0, 0) },
		"viewports":  func(c *CommandBuffer) { c.SetViewports(make([]Viewport, 17)) },
		"samples":    func(c *CommandBuffer) { c.SetSamples(5) },
		"attachment": func(c *CommandBuffer) { c.BeginRendering(RenderingInfo{Depth: &AttachmentInfo{View: s.view}}) },
		"colors":     func(c *CommandBuffer) { c.BeginRendering(RenderingInfo{Colors: make([]AttachmentInfo, 9)}) },
		"clear":      func(c *CommandBuffer) { c.ClearAttachments(Clears{Colors: map[int][4]uint32{-1: {}}}) },
		"bind point": func(c *CommandBuffer) { c.BindSets(9, s.layout, 0, nil, nil) },
	} {
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		c.Begin(BeginInfo{})
		record(c)
		if err := c.End(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := s.submit(t, s.record(t, func(c *CommandBuffer) { c.BindGraphicsPipeline(s.pipeline); c.Draw(3, 1, 0, 0) })); !errors.Is(err, ErrDeviceLost) {
		t.Errorf("a draw outside of a rendering: %v", err)
	}
}

// TestEveryDynamicState has each state that commands can set copied, and no other.
func TestEveryDynamicState(t *testing.T) {
	seen := map[enum.DynamicState]bool{}
	for _, d := range dynamicStates {
		if seen[d.state] || d.copy == nil {
			t.Errorf("%v: twice, or without a copy", d.state)
		}
		seen[d.state] = true
	}
	for i, s := range setters {
		if s.apply == nil || s.name == "" {
			t.Errorf("setter %d has no row", i)
		}
	}
	if len(commandNames) != int(bindShader)+1 {
		t.Errorf("%d names of %d commands", len(commandNames), bindShader+1)
	}
}

package vk

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/device"
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
)

// TestAttachmentLocations remaps the output location of two color attachments by commands (row C13): the shader writes
// location 0 alone.
func TestAttachmentLocations(t *testing.T) {
	s := newScene(t, 1)
	first, firstView := s.target(t, 1, 1)
	second, secondView := s.target(t, 1, 1)
	s.fixed.DepthStencil = &link.DepthStencil{}
	color := s.fixed.Rendering.Color[0]
	s.fixed.Rendering = link.Rendering{Color: []link.Format{color, color}}
	s.fixed.Blend = &link.ColorBlend{Attachments: make([]link.Blend, 2)}
	s.build(t)
	black := AttachmentInfo{Load: ClearOnLoad, Clear: opaque.Color}
	r := RenderingInfo{Area: Rect{Width: 8, Height: 8}, Colors: []AttachmentInfo{black, black}}
	r.Colors[0].View, r.Colors[1].View = firstView, secondView
	for name, x := range map[string]struct {
		locations []uint32
		want      [2]byte // red of both attachments
	}{
		"nil":      {nil, [2]byte{255, 0}},
		"identity": {[]uint32{0, 1}, [2]byte{255, 0}},
		"swapped":  {[]uint32{1, 0}, [2]byte{0, 255}},
		"unused":   {[]uint32{Unused, 0}, [2]byte{0, 255}},
		"none":     {[]uint32{Unused, Unused}, [2]byte{0, 0}},
	} {
		c := s.record(t, func(c *CommandBuffer) {
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			s.paint(c, 1, 0, 0, 1)
			c.BeginRendering(r)
			c.SetRenderingAttachmentLocations(x.locations)
			c.Draw(3, 1, 0, 0)
			c.EndRendering()
		})
		if err := s.submit(t, c); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if a, b := s.shots(t, first, 0)[0], s.shots(t, second, 0)[0]; a[0] != x.want[0] || b[0] != x.want[1] {
			t.Errorf("%s: %v and %v, want red of %v", name, a, b, x.want)
		}
	}
	// A rendering begins with the default locations.
	c := s.record(t, func(c *CommandBuffer) {
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		s.paint(c, 1, 0, 0, 1)
		c.BeginRendering(r)
		c.SetRenderingAttachmentLocations([]uint32{1, 0})
		c.EndRendering()
		c.BeginRendering(r)
		c.Draw(3, 1, 0, 0)
		c.EndRendering()
	})
	if err := s.submit(t, c); err != nil || s.shots(t, first, 0)[0][0] != 255 {
		t.Errorf("locations outlive their rendering: %v", err)
	}
}

// TestInputIndices reads, in one rendering, the color attachment, the depth and the stencil that draws before wrote, by the
// index that commands give them (row C13).
func TestInputIndices(t *testing.T) {
	s := newScene(t, 1)
	_, firstView := s.target(t, 1, 1)
	second, secondView := s.target(t, 1, 1)
	both := formatOf(t, "D32_SFLOAT_S8_UINT")
	deep := s.image(t, ImageInfo{Type: enum.ImageType2d, Format: both, Extent: [3]int{8, 8, 1}, Usage: ImageDepthStencilAttachment | ImageInputAttachment})
	aspect := func(a Aspect) *ImageView {
		return must(s.dev.NewImageView(ImageViewInfo{Image: deep, Type: enum.ViewType2d, Aspect: a}))(t)
	}
	depth, stencil := aspect(Depth), aspect(Stencil)
	color := s.fixed.Rendering.Color[0]
	s.fixed.Rendering = link.Rendering{Color: []link.Format{color, color}, Depth: both, Stencil: both}
	s.fixed.Blend = &link.ColorBlend{Attachments: make([]link.Blend, 2)}
	replace := link.StencilFace{Pass: enum.StencilOpReplace, Compare: enum.CompareOpAlways, WriteMask: 255, Reference: 51}
	s.fixed.DepthStencil = &link.DepthStencil{DepthTest: true, DepthWrite: true, Compare: enum.CompareOpLess, StencilTest: true, Front: replace, Back: replace}
	s.build(t)
	s.fixed.DepthStencil = &link.DepthStencil{}

	integers := strings.NewReplacer(
		"%image = OpTypeImage %float", "%uint = OpTypeInt 32 0\n%v4u = OpTypeVector %uint 4\n%f255 = OpConstant %float 255\n%scale = OpConstantComposite %v4 %f255 %f255 %f255 %f255\n%image = OpTypeImage %uint",
		"%x = OpImageRead %v4 %i %here", "%u = OpImageRead %v4u %i %here\n%n = OpConvertUToF %v4 %u\n%x = OpFDiv %v4 %n %scale").Replace(inverse)
	pick := func(text string) string {
		return strings.Replace(text, "InputAttachmentIndex 0", "InputAttachmentIndex 7", 1)
	}
	none := func(text string) string {
		return strings.Replace(text, "OpDecorate %in InputAttachmentIndex 0\n", "", 1)
	}
	for name, x := range map[string]struct {
		text  string
		input *ImageView
		m     InputIndices
		want  byte // red of the inverse
	}{
		"color":            {inverse, firstView, InputIndices{}, 0},
		"color 7":          {pick(inverse), firstView, InputIndices{Colors: []uint32{7, Unused}}, 0},
		"depth 7":          {pick(inverse), depth, InputIndices{Colors: []uint32{0, Unused}, Depth: reference(7)}, 191},
		"depth no index":   {none(inverse), depth, InputIndices{Colors: []uint32{0, Unused}, Stencil: reference(3)}, 191},
		"stencil 7":        {pick(integers), stencil, InputIndices{Colors: []uint32{0, Unused}, Depth: reference(6), Stencil: reference(7)}, 204},
		"stencil no index": {none(integers), stencil, InputIndices{Colors: []uint32{0, Unused}, Depth: reference(3)}, 204},
	} {
		reader, layout, set := s.reader(t, x.input, func(p *GraphicsPipelineInfo) {
			r := &p.State.Rendering
			r.Locations, r.DepthInput, r.StencilInput = []link.Ref{link.Unused, 0}, (*link.Ref)(x.m.Depth), (*link.Ref)(x.m.Stencil)
			if r.Inputs = references(identity(2)); x.m.Colors != nil {
				r.Inputs = references(x.m.Colors)
			}
			p.Fragment = &StageInfo{Module: must(s.dev.NewShaderModule(context.Background(), code(t, x.text)))(t)}
		})
		black := AttachmentInfo{Load: ClearOnLoad, Clear: opaque.Color}
		r := RenderingInfo{Area: Rect{Width: 8, Height: 8}, Colors: []AttachmentInfo{black, black},
			Depth: &AttachmentInfo{View: depth, Load: ClearOnLoad, Clear: [4]uint32{0x3f800000}}, Stencil: &AttachmentInfo{View: stencil, Load: ClearOnLoad}}
		r.Colors[0].View, r.Colors[1].View = firstView, secondView
		c := s.record(t, func(c *CommandBuffer) {
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			s.paint(c, 1, 0, 0, 1)
			c.BeginRendering(r)
			c.Draw(3, 1, 3, 0) // the nearer half, at depth ¼
			c.BindGraphicsPipeline(reader)
			c.BindSets(Graphics, layout, 0, []*Set{set}, nil)
			c.SetRenderingAttachmentLocations([]uint32{Unused, 0})
			c.SetRenderingInputAttachmentIndices(x.m)
			c.Draw(3, 1, 0, 0)
			c.EndRendering()
		})
		if err := s.submit(t, c); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := s.shots(t, second, 0)[0]; got[0] != x.want {
			t.Errorf("%s: %v, want red of %d", name, got, x.want)
		}
	}
}

// TestRemapRules breaks each rule of the commands of local reads that concerns their arguments (group 19, row C13). The rules
// of sType, of pointers and of the kind of the pool have no counterpart in Go.
func TestRemapRules(t *testing.T) {
	without := device.Profile{Name: "without", Device: &valid.Device{
		Features: map[string]bool{"dynamicRenderingLocalRead": false},
		Limits:   map[string]uint64{"maxColorAttachments": 4, "maxPerStageDescriptorInputAttachments": 4},
	}}
	with := without
	with.Device = &valid.Device{Features: map[string]bool{"dynamicRenderingLocalRead": true}, Limits: without.Device.Limits}
	off, on := must(Play(without).NewDevice(DeviceInfo{}))(t), must(Play(with).NewDevice(DeviceInfo{}))(t)
	t.Cleanup(func() { off.Close(); on.Close() })
	locations := func(list ...uint32) func(c *CommandBuffer) {
		return func(c *CommandBuffer) { c.SetRenderingAttachmentLocations(list) }
	}
	indices := func(i InputIndices) func(c *CommandBuffer) {
		return func(c *CommandBuffer) { c.SetRenderingInputAttachmentIndices(i) }
	}
	for _, x := range []struct {
		dev    *Device
		rule   string
		colors int
		record func(c *CommandBuffer)
	}{
		{off, "vkCmdSetRenderingAttachmentLocations-dynamicRenderingLocalRead-09509", 1, locations(0)},
		{on, "vkCmdSetRenderingAttachmentLocations-pLocationInfo-09510", 2, locations(0)},
		{on, "vkCmdSetRenderingAttachmentLocations-commandBuffer-09511", -2, locations(0)},
		{on, "vkCmdSetRenderingAttachmentLocations-renderpass", -1, locations(0)},
		{on, "VkRenderingAttachmentLocationInfo-pColorAttachmentLocations-09513", 2, locations(1, 1)},
		{on, "VkRenderingAttachmentLocationInfo-colorAttachmentCount-09514", 5, locations(0, 1, 2, 3, Unused)},
		{on, "VkRenderingAttachmentLocationInfo-pColorAttachmentLocations-09515", 1, locations(4)},
		{off, "vkCmdSetRenderingInputAttachmentIndices-dynamicRenderingLocalRead-09516", 1, indices(InputIndices{})},
		{on, "vkCmdSetRenderingInputAttachmentIndices-pInputAttachmentIndexInfo-09517", 2, indices(InputIndices{Colors: []uint32{0}})},
		{on, "vkCmdSetRenderingInputAttachmentIndices-commandBuffer-09518", -2, indices(InputIndices{})},
		{on, "vkCmdSetRenderingInputAttachmentIndices-renderpass", -1, indices(InputIndices{})},
		{on, "VkRenderingInputAttachmentIndexInfo-pColorAttachmentInputIndices-09522", 2, indices(InputIndices{Colors: []uint32{1, 1}})},
		{on, "VkRenderingInputAttachmentIndexInfo-pColorAttachmentInputIndices-09523", 1, indices(InputIndices{Colors: []uint32{1}, Depth: reference(1)})},
		{on, "VkRenderingInputAttachmentIndexInfo-pColorAttachmentInputIndices-09524", 1, indices(InputIndices{Colors: []uint32{1}, Stencil: reference(1)})},
		{on, "VkRenderingInputAttachmentIndexInfo-colorAttachmentCount-09525", 5, indices(InputIndices{Colors: []uint32{0, 1, 2, 3, Unused}})},
		{on, "VkRenderingInputAttachmentIndexInfo-pDepthInputAttachmentIndex-12274", 1, indices(InputIndices{Colors: []uint32{4}})},
	} {
		c := must(x.dev.NewCommandBuffer(CommandBufferInfo{Secondary: x.colors == -2}))(t)
		if x.colors == -2 { // a rendering of another command buffer
			c.Begin(BeginInfo{Inheritance: &InheritanceInfo{Continue: true, Rendering: &link.Rendering{}}})
		} else {
			c.Begin(BeginInfo{})
		}
		if x.colors >= 0 {
			c.BeginRendering(RenderingInfo{Area: Rect{Width: 8, Height: 8}, Colors: make([]AttachmentInfo, x.colors)})
		}
		x.record(c)
		if c.scope.rendering != nil {
			c.EndRendering()
		}
		if err := c.End(); err == nil || !strings.Contains(err.Error(), "[VUID-"+x.rule+"]") {
			t.Errorf("%s: %v", x.rule, err)
		}
	}
}

// TestPipelineRemap draws with pipelines whose mapping and dithering differ from those of the rendering.
func TestPipelineRemap(t *testing.T) {
	const dither = enum.PipelineFlagsEnableLegacyDithering
	for rule, x := range map[string]struct {
		flags     enum.PipelineFlags
		rendering RenderingFlags
		change    func(r *link.Rendering)
		record    func(c *CommandBuffer)
	}{
		"":                              {flags: dither, rendering: LegacyDithering},
		"VUID-vkCmdDraw-None-09642":     {rendering: LegacyDithering},
		"VUID-vkCmdDraw-None-09643":     {flags: dither},
		"VUID-vkCmdDraw-None-09548":     {record: func(c *CommandBuffer) { c.SetRenderingAttachmentLocations([]uint32{3}) }},
		"VUID-vkCmdDraw-None-09549":     {change: func(r *link.Rendering) { r.Inputs = []link.Ref{3} }},
		"VUID-vkCmdDraw-None-10927":     {change: func(r *link.Rendering) { r.DepthInput = new(link.Ref) }},
		"VUID-vkCmdDraw-None-10928":     {change: func(r *link.Rendering) { r.StencilInput = new(link.Ref) }},
		"VUID-vkCmdDraw-viewMask-06178": {change: func(r *link.Rendering) { r.ViewMask = 1 }},
	} {
		s := newScene(t, 1)
		s.stages.Flags = x.flags
		if x.change != nil {
			x.change(&s.fixed.Rendering)
		}
		s.dev.checking = None // the pipeline may be of a device with other features
		s.build(t)
		s.dev.checking = All
		c := s.record(t, func(c *CommandBuffer) {
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			s.paint(c, 1, 0, 0, 1)
			r := s.rendering()
			r.Flags = x.rendering
			c.BeginRendering(r)
			if x.record != nil {
				x.record(c)
			}
			c.Draw(3, 1, 0, 0)
			c.EndRendering()
		})
		err := s.submit(t, c)
		if rule == "" && err != nil || rule != "" && (!errors.Is(err, ErrDeviceLost) || !strings.Contains(err.Error(), rule)) {
			t.Errorf("%q: %v", rule, err)
		}
	}
}

// TestLegacyDithering draws a gray between two steps (row C15): with the flag of the rendering, or of a subpass, each pixel is
// one of the two, by its coordinates alone; without it all pixels are the nearer one.
func TestLegacyDithering(t *testing.T) {
	s := newScene(t, 1)
	s.fixed.DepthStencil = &link.DepthStencil{}
	s.stages.Flags = enum.PipelineFlagsEnableLegacyDithering
	s.dev.checking = None
	s.build(t)
	image, view := s.target(t, 1, 1)
	pass := must(s.dev.NewRenderPass(RenderPassInfo{Attachments: []AttachmentDescription{{Format: s.fixed.Rendering.Color[0]}}, Subpasses: []Subpass{{Colors: []uint32{0}, Flags: DitheredSubpass}}}))(t)
	f := must(s.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Attachments: []*ImageView{view}, Width: 8, Height: 8, Layers: 1}))(t)
	const gray = 100.4 / 255
	shot := func(begin, end func(c *CommandBuffer)) (out [64][4]byte) {
		c := s.record(t, func(c *CommandBuffer) {
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			s.paint(c, gray, gray, gray, 1)
			begin(c)
			c.Draw(3, 1, 0, 0)
			end(c)
		})
		if err := s.submit(t, c); err != nil {
			t.Fatal(err)
		}
		return s.shots(t, image, 0)
	}
	rendering := func(flags RenderingFlags) func(c *CommandBuffer) {
		return func(c *CommandBuffer) {
			c.BeginRendering(RenderingInfo{Flags: flags, Area: Rect{Width: 8, Height: 8}, Colors: []AttachmentInfo{{View: view}}})
		}
	}
	plain, dithered := shot(rendering(0), (*CommandBuffer).EndRendering), shot(rendering(LegacyDithering), (*CommandBuffer).EndRendering)
	subpass := shot(func(c *CommandBuffer) { c.BeginRenderPass(RenderPassBegin{RenderPass: pass, Framebuffer: f}, Inline) }, (*CommandBuffer).EndRenderPass)
	up := 0
	for i, p := range dithered {
		if plain[i] != [4]byte{100, 100, 100, 255} {
			t.Fatalf("pixel %d without dithering is %v, want 100", i, plain[i])
		}
		if p[0] != 100 && p[0] != 101 || p[1] != p[0] || p[3] != 255 {
			t.Errorf("pixel %d is %v, want 100 or 101", i, p)
		}
		if p[0] == 101 {
			up++
		}
	}
	if up == 0 || up == 64 {
		t.Errorf("%d of 64 pixels are rounded up", up)
	}
	if subpass != dithered {
		t.Error("a dithered subpass differs from a dithered rendering")
	}
}

// TestSuspension continues a rendering in the next command buffer of its submission: nothing is cleared or resolved in between.
func TestSuspension(t *testing.T) {
	s := newScene(t, 4)
	s.build(t)
	single, target := s.target(t, 1, 1)
	part := func(flags RenderingFlags, first uint32, color ...float32) *CommandBuffer {
		return s.record(t, func(c *CommandBuffer) {
			r := s.rendering()
			r.Flags = flags
			r.Colors[0].Resolve, r.Colors[0].ResolveMode = target, ResolveAverage
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			s.paint(c, color...)
			c.BeginRendering(r)
			c.Draw(3, 1, first, 0)
			c.EndRendering()
		})
	}
	first, second, third := part(Suspending, 0, 1, 0, 0, 1), part(Suspending|Resuming, 0, 0, 0, 1, 1), part(Resuming, 3, 0, 1, 0, 1)
	if err := s.dev.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{first, second, third}}); err != nil {
		t.Fatal(err)
	}
	p := s.shots(t, single, 0)
	if p[0] != [4]byte{0, 255, 0, 255} || p[63] != [4]byte{255, 0, 0, 255} {
		t.Errorf("pixels %v and %v, want green and red", p[0], p[63])
	}
	for rule, list := range map[string][]*CommandBuffer{
		"VUID-VkSubmitInfo-pCommandBuffers-06014": {first},
		"VUID-VkSubmitInfo-pCommandBuffers-06015": {third},
		"VUID-VkSubmitInfo-pCommandBuffers-06016": {first, part(0, 0, 1, 1, 1, 1)},
	} {
		if s.dev.Err() != nil {
			s = newScene(t, 4)
			s.build(t)
			_, target = s.target(t, 1, 1)
			first, third = part(Suspending, 0, 1, 0, 0, 1), part(Resuming, 3, 0, 1, 0, 1)
			list = map[int][]*CommandBuffer{0: {first}, 1: {third}, 2: {first, part(0, 0, 1, 1, 1, 1)}}[int(rule[len(rule)-1]-'4')]
		}
		s.dev.Queue().Submit(SubmitInfo{Commands: list})
		if s.dev.WaitIdle(context.Background()); s.dev.Err() == nil || !strings.Contains(s.dev.Err().Error(), rule) {
			t.Errorf("%s: %v", rule, s.dev.Err())
		}
	}
}

// TestContinuedRendering draws from a secondary command buffer in a rendering, which inherits a query and a condition.
func TestContinuedRendering(t *testing.T) {
	s := newScene(t, 1)
	s.build(t)
	s.dev.checking = All
	q := must(s.dev.NewQueryPool(QueryPoolInfo{Type: Occlusion, Count: 1}))(t)
	conditions := s.buffer(t, 2304, 8, ConditionalBuffer)
	s.putWord(2304, 0, 0)
	rendering := s.fixed.Rendering
	continued := func(i InheritanceInfo) *CommandBuffer {
		i.Continue, i.Rendering = true, &rendering
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
		if err := c.Begin(BeginInfo{Inheritance: &i}); err != nil {
			t.Fatal(err)
		}
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		s.paint(c, 1, 1, 1, 1)
		c.Draw(3, 1, 3, 0)
		if err := c.End(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	run := func(i InheritanceInfo) (samples uint64, err error) {
		secondary := continued(i)
		err = s.submit(t, s.record(t, func(c *CommandBuffer) {
			r := s.rendering()
			r.Flags = SecondaryContents
			c.BeginRendering(r)
			c.BeginQuery(q, 0, QueryPrecise)
			c.Execute(secondary)
			c.EndQuery(q, 0)
			c.BeginConditionalRendering(conditions, 0, false)
			c.Execute(secondary)
			c.EndConditionalRendering()
			c.EndRendering()
		}))
		samples, _ = q.Result(0)
		return samples, err
	}
	if n, err := run(InheritanceInfo{Occlusion: true, Control: QueryPrecise, Conditional: true}); err != nil || n < 28 || n > 36 {
		t.Errorf("%d samples, %v; want the upper left half", n, err)
	}
	if _, err := run(InheritanceInfo{Conditional: true}); err == nil || !strings.Contains(err.Error(), "VUID-vkCmdExecuteCommands-commandBuffer-00102") {
		t.Errorf("a query that is not inherited: %v", err)
	}
}

// TestReadsClear reads and overwrites, in one draw over all of a rendering, the attachment that the rendering clears: an input
// attachment has the values before the draw.
func TestReadsClear(t *testing.T) {
	s := newScene(t, 1)
	m := s.image(t, ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R8G8B8A8_UNORM"), Extent: [3]int{64, 64, 1}, Usage: ImageColorAttachment | ImageTransferSource | ImageInputAttachment})
	view := must(s.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
	s.fixed.DepthStencil, s.fixed.Rendering = nil, link.Rendering{Color: s.fixed.Rendering.Color}
	s.fixed.Viewports, s.fixed.Scissors = []Viewport{{Width: 64, Height: 64, MaxDepth: 1}}, []Rect{{Width: 64, Height: 64}}
	reader, layout, set := s.reader(t, view, func(*GraphicsPipelineInfo) {})
	c := s.record(t, func(c *CommandBuffer) {
		c.BeginRendering(RenderingInfo{Area: Rect{Width: 64, Height: 64}, Colors: []AttachmentInfo{{View: view, Load: ClearOnLoad, Clear: [4]uint32{0x3e4ccccd}}}})
		c.Barrier()
		c.BindGraphicsPipeline(reader)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		c.BindSets(Graphics, layout, 0, []*Set{set}, nil)
		c.Draw(3, 1, 0, 0)
		c.EndRendering()
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	if got, want := s.shots(t, m, 0)[9], [4]byte{204, 255, 255, 255}; got != want { // 1 − 51/255
		t.Errorf("the inverse of the clear is %v; must be %v", got, want)
	}
}

// TestRasterizationOrder draws two triangles that write depth, in one draw or with a barrier in between, with a shader that reads
// depth: each fragment has the depth that the fragments before it left (Vulkan §"Rasterization Order", §"Render Pass Feedback Loop").
func TestRasterizationOrder(t *testing.T) {
	for _, ordered := range []bool{true, false} {
		s := newScene(t, 1)
		deep := s.image(t, ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "D32_SFLOAT"), Extent: [3]int{8, 8, 1}, Usage: ImageDepthStencilAttachment | ImageInputAttachment})
		view := must(s.dev.NewImageView(ImageViewInfo{Image: deep, Type: enum.ViewType2d, Aspect: Depth}))(t)
		s.fixed.DepthStencil.Ordered = ordered
		s.stages.Flags = enum.PipelineFlagsDepthStencilAttachmentFeedbackLoop
		reader, layout, set := s.reader(t, view, func(*GraphicsPipelineInfo) {})
		m, color := s.target(t, 1, 1)
		c := s.record(t, func(c *CommandBuffer) {
			c.BeginRendering(RenderingInfo{Area: Rect{Width: 8, Height: 8}, Colors: []AttachmentInfo{{View: color, Load: ClearOnLoad}}, Depth: &AttachmentInfo{View: view, Load: ClearOnLoad, Clear: [4]uint32{0x3f800000}}})
			c.BindGraphicsPipeline(reader)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			c.BindSets(Graphics, layout, 0, []*Set{set}, nil)
			if ordered {
				c.Draw(6, 1, 0, 0)
			} else {
				c.Draw(3, 1, 0, 0)
				c.Barrier()
				c.Draw(3, 1, 3, 0)
			}
			c.EndRendering()
		})
		if err := s.submit(t, c); err != nil {
			t.Fatal(err)
		}
		// The first triangle covers all and reads the clear, 1; the second covers the upper left and reads ½.
		if got := s.shots(t, m, 0); got[0][0] != 128 || got[63][0] != 0 {
			t.Errorf("ordered %t: the inverse of depth is %d under the second triangle, %d beside it; must be 128 and 0", ordered, got[0][0], got[63][0])
		}
	}
}

// TestUnusedAttachments draws with a pipeline of one color attachment, and of none, in a rendering with two: the further ones keep
// their values (VK_EXT_dynamic_rendering_unused_attachments).
func TestUnusedAttachments(t *testing.T) {
	for _, colors := range []int{0, 1} {
		s := newScene(t, 1)
		first, firstView := s.target(t, 1, 1)
		second, secondView := s.target(t, 1, 1)
		s.fixed.DepthStencil = &link.DepthStencil{}
		s.fixed.Rendering = link.Rendering{Color: s.fixed.Rendering.Color[:colors]}
		s.fixed.Blend = &link.ColorBlend{Attachments: make([]link.Blend, colors)}
		s.build(t)
		s.dev.checking = None
		gray := AttachmentInfo{Load: ClearOnLoad, Clear: [4]uint32{0x3e4ccccd, 0x3e4ccccd, 0x3e4ccccd, 0x3e4ccccd}}
		r := RenderingInfo{Area: Rect{Width: 8, Height: 8}, Colors: []AttachmentInfo{gray, gray}}
		r.Colors[0].View, r.Colors[1].View = firstView, secondView
		c := s.record(t, func(c *CommandBuffer) {
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			s.paint(c, 1, 0, 0, 1)
			c.BeginRendering(r)
			c.Draw(3, 1, 0, 0)
			c.EndRendering()
		})
		if err := s.submit(t, c); err != nil {
			t.Fatal(err)
		}
		want := [2]byte{51, 51} // red of both attachments
		if colors == 1 {
			want[0] = 255
		}
		if a, b := s.shots(t, first, 0)[0][0], s.shots(t, second, 0)[0][0]; a != want[0] || b != want[1] {
			t.Errorf("%d color attachments: red is %d and %d; must be %v", colors, a, b, want)
		}
	}
}

// TestPushWithoutLayout sets push constants without a layout, which a device without checks does not need.
func TestPushWithoutLayout(t *testing.T) {
	s := newScene(t, 1)
	s.dev.checking = None
	s.build(t)
	c := s.record(t, func(c *CommandBuffer) {
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		s.paint(c, 0, 0, 0, 1)
		c.PushConstants(nil, 0, []byte{0, 0, 0x80, 0x3f}) // red of 1
		c.BeginRendering(s.rendering())
		c.Draw(3, 1, 0, 0)
		c.EndRendering()
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	if got := s.shots(t, s.color, 0)[0][0]; got != 255 {
		t.Errorf("red is %d; must be 255", got)
	}
}

package vk

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
)

// inverse writes one minus the input attachment of index 0, at set 0, binding 0.
const inverse = `OpCapability Shader
OpCapability InputAttachment
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out %in
OpExecutionMode %main OriginUpperLeft
OpDecorate %out Location 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %in InputAttachmentIndex 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%v2i = OpTypeVector %int 2
%zero = OpConstant %int 0
%here = OpConstantComposite %v2i %zero %zero
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%f1 = OpConstant %float 1
%ones = OpConstantComposite %v4 %f1 %f1 %f1 %f1
%image = OpTypeImage %float SubpassData 0 0 0 2 Unknown
%pimage = OpTypePointer UniformConstant %image
%pout = OpTypePointer Output %v4
%in = OpVariable %pimage UniformConstant
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %image %in
%x = OpImageRead %v4 %i %here
%y = OpFSub %v4 %ones %x
OpStore %out %y
OpReturn
OpFunctionEnd
`

// target makes a color image of 8×8 pixels, and a view of all of its layers.
func (s *scene) target(t testing.TB, samples, layers int) (*Image, *ImageView) {
	t.Helper()
	m := s.image(t, ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R8G8B8A8_UNORM"), Extent: [3]int{8, 8, 1}, Layers: layers, Samples: samples,
		Usage: ImageColorAttachment | ImageTransferSource | ImageInputAttachment})
	kind := enum.ViewType2d
	if layers > 1 {
		kind = enum.ViewType2dArray
	}
	return m, must(s.dev.NewImageView(ImageViewInfo{Image: m, Type: kind}))(t)
}

// reader makes a pipeline of the inverse shader, with a set that has an input attachment.
func (s *scene) reader(t testing.TB, input *ImageView, change func(*GraphicsPipelineInfo)) (*GraphicsPipeline, *PipelineLayout, *Set) {
	t.Helper()
	sets := must(s.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.DescriptorType(iface.InputAttachment), Count: 1, Stages: fragmentOnly(t)}}}))(t)
	layout := must(s.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{sets}}))(t)
	set := must(must(s.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(sets))(t)
	if err := set.Update(Write{Images: []ImageDescriptor{{View: input}}}); err != nil {
		t.Fatal(err)
	}
	info := s.stages
	info.State, info.Layout = s.fixed, layout
	info.Fragment = &StageInfo{Module: must(s.dev.NewShaderModule(context.Background(), code(t, inverse)))(t)}
	change(&info)
	return must(s.dev.NewGraphicsPipeline(context.Background(), info))(t), layout, set
}

// shots copies an image in a submission of its own and returns its pixels.
func (s *scene) shots(t testing.TB, m *Image, layer int) (out [64][4]byte) {
	t.Helper()
	c := s.record(t, func(c *CommandBuffer) {
		c.CopyImageToBuffer(m, s.pixels, []BufferImageCopy{{Image: Layers{Base: layer}, Extent: [3]int{8, 8, 1}}})
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	for i := range out {
		out[i] = s.pixel(i%8, i/8)
	}
	return out
}

func reference(n uint32) *uint32 { return &n }

// words of colors.
var (
	opaque = ClearValue{Color: [4]uint32{0, 0, 0, 0x3f800000}}
	far    = ClearValue{Depth: 0x3f800000}
)

// twoPasses is a render pass that draws to attachment 0, with depth in attachment 2, and then to attachment 1 what it reads
// from attachment 0.
func (s *scene) twoPasses() RenderPassInfo {
	color, deep := s.fixed.Rendering.Color[0], s.fixed.Rendering.Depth
	return RenderPassInfo{
		Attachments: []AttachmentDescription{{Format: color, Load: ClearOnLoad}, {Format: color, Load: DontCare}, {Format: deep, Load: ClearOnLoad}},
		Subpasses: []Subpass{
			{Colors: []uint32{0}, Depth: reference(2)},
			{Inputs: []InputReference{{Attachment: 0, Aspects: Color}}, Colors: []uint32{1}, Preserve: []uint32{2}},
		},
		Dependencies: []Dependency{{Source: 0, Target: 1, ByRegion: true}},
	}
}

// TestSubpasses draws a half in the first subpass and its inverse in the second, with a framebuffer of views and with an
// imageless one, and with the draws in secondary command buffers.
func TestSubpasses(t *testing.T) {
	s := newScene(t, 1)
	first, firstView := s.target(t, 1, 1)
	second, secondView := s.target(t, 1, 1)
	pass := must(s.dev.NewRenderPass(s.twoPasses()))(t)
	views := []*ImageView{firstView, secondView, s.depth}
	whole := must(s.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Attachments: views, Width: 8, Height: 8, Layers: 1}))(t)
	empty := must(s.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Imageless: true, Width: 8, Height: 8, Layers: 1}))(t)
	s.stages.RenderPass = pass
	s.build(t)
	s.fixed.DepthStencil = &link.DepthStencil{}
	reader, layout, set := s.reader(t, firstView, func(p *GraphicsPipelineInfo) { p.Subpass = 1 })
	draws := [2]func(c *CommandBuffer){
		func(c *CommandBuffer) {
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			s.paint(c, 1, 0, 0, 1)
			c.Draw(3, 1, 3, 0)
		},
		func(c *CommandBuffer) {
			c.BindGraphicsPipeline(reader)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			c.BindSets(Graphics, layout, 0, []*Set{set}, nil)
			c.Draw(3, 1, 0, 0)
		},
	}
	continued := func(i int) *CommandBuffer {
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
		if err := c.Begin(BeginInfo{Inheritance: &InheritanceInfo{Continue: true, RenderPass: pass, Subpass: i}}); err != nil {
			t.Fatal(err)
		}
		draws[i](c)
		if err := c.End(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	begin := RenderPassBegin{RenderPass: pass, Framebuffer: whole, Clears: []ClearValue{opaque, {}, far}}
	imageless := begin
	imageless.Framebuffer, imageless.Attachments = empty, views
	for name, record := range map[string]func(c *CommandBuffer){
		"views": func(c *CommandBuffer) {
			c.BeginRenderPass(begin, Inline)
			draws[0](c)
			c.NextSubpass(Inline)
			draws[1](c)
		},
		"imageless": func(c *CommandBuffer) {
			c.BeginRenderPass(imageless, Inline)
			draws[0](c)
			c.NextSubpass(Inline)
			draws[1](c)
		},
		"secondary": func(c *CommandBuffer) {
			c.BeginRenderPass(begin, Secondary)
			c.Execute(continued(0))
			c.NextSubpass(InlineAndSecondary)
			c.Execute(continued(1))
		},
		"nested": func(c *CommandBuffer) {
			nested := func(subpass int) *CommandBuffer {
				n := must(s.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
				n.Begin(BeginInfo{Inheritance: &InheritanceInfo{Continue: true, RenderPass: pass, Subpass: subpass}})
				n.Execute(continued(subpass))
				if err := n.End(); err != nil {
					t.Fatal(err)
				}
				return n
			}
			c.BeginRenderPass(begin, Secondary)
			c.Execute(nested(0))
			c.NextSubpass(Secondary)
			c.Execute(nested(1))
		},
	} {
		if err := s.submit(t, s.record(t, func(c *CommandBuffer) { record(c); c.EndRenderPass() })); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, p := range s.shots(t, first, 0) {
			q := s.shots(t, second, 0)[i]
			if p[3] != 255 || q != [4]byte{255 - p[0], 255, 255, 0} || i == 0 && p[0] != 255 || i == 63 && p[0] != 0 {
				t.Fatalf("%s: pixel %d is %v, and then %v; want red above black, and its inverse", name, i, p, q)
			}
		}
	}
}

// TestFeedbackLoop reads, in a subpass that depends on itself, the attachment that the subpass draws to.
func TestFeedbackLoop(t *testing.T) {
	s := newScene(t, 1)
	image, view := s.target(t, 1, 1)
	pass := must(s.dev.NewRenderPass(RenderPassInfo{
		Attachments:  []AttachmentDescription{{Format: s.fixed.Rendering.Color[0], Load: ClearOnLoad}},
		Subpasses:    []Subpass{{Inputs: []InputReference{{Attachment: 0, Aspects: Color}}, Colors: []uint32{0}}},
		Dependencies: []Dependency{{Source: 0, Target: 0, ByRegion: true, Feedback: true}},
	}))(t)
	f := must(s.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Attachments: []*ImageView{view}, Width: 8, Height: 8, Layers: 1}))(t)
	s.fixed.DepthStencil = &link.DepthStencil{}
	s.stages.RenderPass = pass
	s.stages.Flags = enum.PipelineFlagsColorAttachmentFeedbackLoop
	s.build(t)
	reader, layout, set := s.reader(t, view, func(p *GraphicsPipelineInfo) {})
	c := s.record(t, func(c *CommandBuffer) {
		c.BeginRenderPass(RenderPassBegin{RenderPass: pass, Framebuffer: f, Clears: []ClearValue{opaque}}, Inline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		c.BindGraphicsPipeline(s.pipeline)
		s.paint(c, 1, 0, 0, 1)
		c.Draw(3, 1, 3, 0) // the upper left half
		c.Barrier()
		c.BindGraphicsPipeline(reader)
		c.BindSets(Graphics, layout, 0, []*Set{set}, nil)
		c.Draw(3, 1, 0, 0)
		c.Barrier()
		c.Draw(3, 1, 3, 0)
		c.EndRenderPass()
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	if p := s.shots(t, image, 0); p[0] != [4]byte{255, 0, 0, 255} || p[63] != [4]byte{255, 255, 255, 0} {
		t.Errorf("pixels %v and %v, want the inverse twice, and once", p[0], p[63])
	}
}

// TestDontCare keeps the contents of an attachment that a rendering does not load.
func TestDontCare(t *testing.T) {
	s := newScene(t, 1)
	s.build(t)
	c := s.record(t, func(c *CommandBuffer) {
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		r := s.rendering()
		r.Colors[0].Clear[1] = 0x3f800000
		c.BeginRendering(r)
		c.EndRendering()
		r.Colors[0].Load, r.Depth.Load = DontCare, DontCare
		c.BeginRendering(r)
		s.paint(c, 1, 0, 0, 1)
		c.Draw(3, 1, 3, 0)
		c.EndRendering()
		s.copyOut(c, s.color)
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	if first, last := s.pixel(0, 0), s.pixel(7, 7); first != [4]byte{255, 0, 0, 255} || last != [4]byte{0, 255, 0, 255} {
		t.Errorf("pixels %v and %v, want red and the green before", first, last)
	}
}

// TestResolvingSubpass resolves color by its average and depth by its least value.
func TestResolvingSubpass(t *testing.T) {
	s := newScene(t, 4)
	single, view := s.target(t, 1, 1)
	d32 := s.fixed.Rendering.Depth
	deep := must(s.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: d32, Extent: [3]int{8, 8, 1}, Usage: ImageDepthStencilAttachment | ImageTransferSource}))(t)
	if err := deep.Bind(s.images, 49152); err != nil {
		t.Fatal(err)
	}
	pass := must(s.dev.NewRenderPass(RenderPassInfo{
		Attachments: []AttachmentDescription{{Format: s.fixed.Rendering.Color[0], Samples: 4, Load: ClearOnLoad}, {Format: d32, Samples: 4, Load: ClearOnLoad},
			{Format: s.fixed.Rendering.Color[0]}, {Format: d32}},
		Subpasses: []Subpass{{Colors: []uint32{0}, Depth: reference(1), Resolves: []uint32{2}, DepthResolve: reference(3), DepthResolveMode: ResolveMin}},
	}))(t)
	f := must(s.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Width: 8, Height: 8, Layers: 1, Attachments: []*ImageView{
		s.view, s.depth, view, must(s.dev.NewImageView(ImageViewInfo{Image: deep, Type: enum.ViewType2d, Aspect: Depth}))(t)}}))(t)
	s.stages.RenderPass = pass
	s.build(t)
	c := s.record(t, func(c *CommandBuffer) {
		c.BeginRenderPass(RenderPassBegin{RenderPass: pass, Framebuffer: f, Clears: []ClearValue{opaque, far}}, Inline)
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		s.paint(c, 1, 1, 1, 1)
		c.Draw(3, 1, 3, 0)
		c.EndRenderPass()
		c.CopyImageToBuffer(deep, s.pixels, []BufferImageCopy{{Image: Layers{Aspect: Depth}, Extent: [3]int{8, 8, 1}}})
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	if near, diagonal, away := s.get(2048, 0), s.get(2048, 8*3+4), s.get(2048, 63); near != .25 || diagonal != .25 || away != 1 {
		t.Errorf("depths %v, %v and %v, want ¼, ¼ and 1", near, diagonal, away)
	}
	p := s.shots(t, single, 0)
	if gray := p[8*3+4][0]; p[0][0] != 255 || p[63][0] != 0 || gray == 0 || gray == 255 {
		t.Errorf("pixels %v, %v and %v, want white, gray and black", p[0], p[8*3+4], p[63])
	}
}

// TestViewsOfSubpasses clears an attachment in each view when a subpass first uses the view, and draws the views of each
// subpass alone.
func TestViewsOfSubpasses(t *testing.T) {
	s := newScene(t, 1)
	layers, view := s.target(t, 1, 3)
	s.fixed.DepthStencil = &link.DepthStencil{}
	color := s.fixed.Rendering.Color[0]
	pass := must(s.dev.NewRenderPass(RenderPassInfo{
		Attachments:     []AttachmentDescription{{Format: color, Load: ClearOnLoad}},
		Subpasses:       []Subpass{{Colors: []uint32{0}, ViewMask: 1}, {Colors: []uint32{0}, ViewMask: 5}},
		CorrelatedViews: []uint32{5},
		Dependencies:    []Dependency{{Source: 0, Target: 1, ViewLocal: true}, {Source: 1, Target: 1, ViewLocal: true}},
	}))(t)
	f := must(s.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Attachments: []*ImageView{view}, Width: 8, Height: 8, Layers: 1}))(t)
	s.stages.RenderPass = pass
	s.build(t)
	first := s.pipeline
	s.stages.Subpass = 1
	s.build(t)
	c := s.record(t, func(c *CommandBuffer) {
		c.BeginRenderPass(RenderPassBegin{RenderPass: pass, Framebuffer: f, Clears: []ClearValue{opaque}}, Inline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		c.BindGraphicsPipeline(first)
		s.paint(c, 1, 0, 0, 1)
		c.Draw(3, 1, 0, 0)
		c.NextSubpass(Inline)
		c.BindGraphicsPipeline(s.pipeline)
		s.paint(c, 0, 1, 0, 1)
		c.Draw(3, 1, 3, 0)
		c.EndRenderPass()
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	for layer, want := range [3][2][4]byte{{{0, 255, 0, 255}, {255, 0, 0, 255}}, {{}, {}}, {{0, 255, 0, 255}, {0, 0, 0, 255}}} {
		if p := s.shots(t, layers, layer); p[0] != want[0] || p[63] != want[1] {
			t.Errorf("view %d: %v and %v, want %v", layer, p[0], p[63], want)
		}
	}
}

// TestRenderPassErrors makes render passes and framebuffers that Vulkan forbids.
func TestRenderPassErrors(t *testing.T) {
	s := newScene(t, 1)
	_, a := s.target(t, 1, 1)
	_, b := s.target(t, 1, 1)
	for rule, change := range map[string]func(*RenderPassInfo){
		"VUID-VkRenderPassCreateInfo2-subpassCount-arraylength":              func(r *RenderPassInfo) { r.Subpasses = nil },
		"VUID-VkRenderPassCreateInfo2-attachment-03051":                      func(r *RenderPassInfo) { r.Subpasses[0].Colors[0] = 3 },
		"VUID-VkSubpassDescription2-attachment-03073":                        func(r *RenderPassInfo) { r.Subpasses[1].Preserve[0] = Unused },
		"VUID-VkSubpassDescription2-pPreserveAttachments-03074":              func(r *RenderPassInfo) { r.Subpasses[1].Preserve[0] = 1 },
		"VUID-VkSubpassDescription2-colorAttachmentCount-03063":              func(r *RenderPassInfo) { r.Subpasses[0].Colors = make([]uint32, 9) },
		"VUID-VkSubpassDescription2-pResolveAttachments-parameter":           func(r *RenderPassInfo) { r.Subpasses[0].Resolves = make([]uint32, 2) },
		"VUID-VkSubpassDescription2-multisampledRenderToSingleSampled-06872": func(r *RenderPassInfo) { r.Attachments[2].Samples = 4 },
		"VUID-VkSubpassDescription2-pColorAttachments-02898":                 func(r *RenderPassInfo) { r.Subpasses[1].Colors[0] = 2; r.Subpasses[1].Preserve = nil },
		"VUID-VkSubpassDescription2-pDepthStencilAttachment-02900":           func(r *RenderPassInfo) { r.Subpasses[0].Depth = reference(1) },
		"VUID-VkSubpassDescription2-externalFormatResolve-09335": func(r *RenderPassInfo) {
			r.Subpasses[0].Resolves, r.Subpasses[0].Colors = []uint32{1}, []uint32{Unused}
		},
		"VUID-VkSubpassDescription2-externalFormatResolve-09338": func(r *RenderPassInfo) { r.Subpasses[0].Resolves = []uint32{1} },
		"VUID-VkSubpassDescription2-pResolveAttachments-03067": func(r *RenderPassInfo) {
			r.Attachments[0].Samples, r.Attachments[1].Samples, r.Attachments[2].Samples = 4, 4, 4
			r.Subpasses[0].Resolves = []uint32{1}
		},
		"VUID-VkSubpassDescriptionDepthStencilResolve-pDepthStencilResolveAttachment-03177": func(r *RenderPassInfo) { r.Subpasses[1].DepthResolve = reference(0) },
		"VUID-VkSubpassDescriptionDepthStencilResolve-pDepthStencilResolveAttachment-03178": func(r *RenderPassInfo) { r.Subpasses[0].DepthResolve = reference(0) },
		"VUID-VkSubpassDescriptionDepthStencilResolve-pDepthStencilResolveAttachment-03179": func(r *RenderPassInfo) {
			r.Subpasses[0].DepthResolve, r.Subpasses[0].DepthResolveMode = reference(0), ResolveMin
		},
		"VUID-VkRenderPassCreateInfo2-viewMask-03058":             func(r *RenderPassInfo) { r.Subpasses[0].ViewMask = 1 },
		"VUID-VkRenderPassCreateInfo2-viewMask-03057":             func(r *RenderPassInfo) { r.CorrelatedViews = []uint32{1} },
		"VUID-VkRenderPassCreateInfo2-pCorrelatedViewMasks-03056": func(r *RenderPassInfo) { views(r, 3); r.CorrelatedViews = []uint32{1, 3} },
		"VUID-VkRenderPassCreateInfo2-srcSubpass-02526":           func(r *RenderPassInfo) { r.Dependencies[0].Source = 2 },
		"VUID-VkRenderPassCreateInfo2-dstSubpass-02527":           func(r *RenderPassInfo) { r.Dependencies[0].Target = 2 },
		"VUID-VkSubpassDependency2-srcSubpass-03085":              func(r *RenderPassInfo) { r.Dependencies[0].Source, r.Dependencies[0].Target = External, External },
		"VUID-VkSubpassDependency2-srcSubpass-03084":              func(r *RenderPassInfo) { r.Dependencies[0].Source, r.Dependencies[0].Target = 1, 0 },
		"VUID-VkRenderPassCreateInfo2-viewMask-03059":             func(r *RenderPassInfo) { r.Dependencies[0].ViewLocal = true },
		"VUID-VkSubpassDependency2-dependencyFlags-03090": func(r *RenderPassInfo) {
			views(r, 3)
			r.Dependencies[0].ViewLocal = true
			r.Dependencies[0].Source = External
		},
		"VUID-VkSubpassDependency2-dependencyFlags-03091": func(r *RenderPassInfo) {
			views(r, 3)
			r.Dependencies[0].ViewLocal = true
			r.Dependencies[0].Target = External
		},
		"VUID-VkSubpassDependency2-dependencyFlags-03092":  func(r *RenderPassInfo) { r.Dependencies[0].ViewOffset = 1 },
		"VUID-VkSubpassDependency2-viewOffset-02530":       func(r *RenderPassInfo) { views(r, 3); r.Dependencies[0] = Dependency{ViewLocal: true, ViewOffset: 1} },
		"VUID-VkRenderPassCreateInfo2-pDependencies-03060": func(r *RenderPassInfo) { views(r, 3); r.Dependencies[0] = Dependency{} },
	} {
		info := s.twoPasses()
		change(&info)
		if _, err := s.dev.NewRenderPass(info); err == nil || !strings.Contains(err.Error(), "["+rule+"]") {
			t.Errorf("%s: %v", rule, err)
		}
	}
	pass := must(s.dev.NewRenderPass(s.twoPasses()))(t)
	for rule, change := range map[string]func(*FramebufferInfo){
		"VUID-VkFramebufferCreateInfo-width-00885":           func(f *FramebufferInfo) { f.Height = 0 },
		"VUID-VkFramebufferCreateInfo-width-00886":           func(f *FramebufferInfo) { f.Width = 1 << 15 },
		"VUID-VkFramebufferCreateInfo-flags-03191":           func(f *FramebufferInfo) { f.Imageless = true },
		"VUID-VkFramebufferCreateInfo-attachmentCount-00876": func(f *FramebufferInfo) { f.Attachments = f.Attachments[:2] },
		"VUID-VkFramebufferCreateInfo-pAttachments-00880":    func(f *FramebufferInfo) { f.Attachments[0] = s.depth },
		"VUID-VkFramebufferCreateInfo-flags-04533":           func(f *FramebufferInfo) { f.Width = 9 },
	} {
		info := FramebufferInfo{RenderPass: pass, Attachments: []*ImageView{a, b, s.depth}, Width: 8, Height: 8, Layers: 1}
		change(&info)
		if _, err := s.dev.NewFramebuffer(info); err == nil || !strings.Contains(err.Error(), "["+rule+"]") {
			t.Errorf("%s: %v", rule, err)
		}
	}
}

// views gives all subpasses a view mask.
func views(r *RenderPassInfo, mask uint32) {
	for i := range r.Subpasses {
		r.Subpasses[i].ViewMask = mask
	}
}

// TestPassCommandErrors records the commands of render passes out of order and with objects that do not fit.
func TestPassCommandErrors(t *testing.T) {
	s := newScene(t, 1)
	_, a := s.target(t, 1, 1)
	_, b := s.target(t, 1, 1)
	pass := must(s.dev.NewRenderPass(s.twoPasses()))(t)
	other := s.twoPasses()
	other.Subpasses = other.Subpasses[:1]
	other.Dependencies = nil
	one := must(s.dev.NewRenderPass(other))(t)
	f := must(s.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Attachments: []*ImageView{a, b, s.depth}, Width: 8, Height: 8, Layers: 1}))(t)
	begin := RenderPassBegin{RenderPass: pass, Framebuffer: f, Clears: []ClearValue{opaque, {}, far}}
	secondary := func(info *InheritanceInfo) *CommandBuffer {
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
		c.Begin(BeginInfo{Inheritance: info})
		c.End()
		return c
	}
	for rule, record := range map[string]func(c *CommandBuffer){
		"VUID-vkCmdBeginRenderPass2-renderpass":                         func(c *CommandBuffer) { c.BeginRenderPass(begin, 0); c.BeginRenderPass(begin, 0) },
		"VUID-VkRenderPassBeginInfo-renderPass-00904":                   func(c *CommandBuffer) { x := begin; x.RenderPass = one; c.BeginRenderPass(x, 0) },
		"VUID-VkRenderPassBeginInfo-framebuffer-03207":                  func(c *CommandBuffer) { x := begin; x.Attachments = []*ImageView{a}; c.BeginRenderPass(x, 0) },
		"VUID-VkRenderPassBeginInfo-clearValueCount-00902":              func(c *CommandBuffer) { x := begin; x.Clears = x.Clears[:2]; c.BeginRenderPass(x, 0) },
		"VUID-VkRenderPassBeginInfo-pNext-02852":                        func(c *CommandBuffer) { x := begin; x.Area = Rect{X: 1, Width: 8, Height: 8}; c.BeginRenderPass(x, 0) },
		"VUID-vkCmdNextSubpass2-renderpass":                             func(c *CommandBuffer) { c.NextSubpass(0) },
		"VUID-vkCmdNextSubpass2-None-03102":                             func(c *CommandBuffer) { c.BeginRenderPass(begin, 0); c.NextSubpass(0); c.NextSubpass(0) },
		"VUID-vkCmdEndRenderPass2-None-03103":                           func(c *CommandBuffer) { c.BeginRenderPass(begin, 0); c.EndRenderPass() },
		"VUID-vkCmdEndRenderPass2-None-06171":                           func(c *CommandBuffer) { c.BeginRendering(s.rendering()); c.EndRenderPass() },
		"VUID-vkCmdEndRendering-None-06161":                             func(c *CommandBuffer) { c.BeginRenderPass(begin, 0); c.EndRendering() },
		"VUID-vkCmdBeginRendering-renderpass":                           func(c *CommandBuffer) { c.BeginRenderPass(begin, 0); c.BeginRendering(s.rendering()) },
		"VUID-vkEndCommandBuffer-commandBuffer-00060":                   func(c *CommandBuffer) { c.BeginRenderPass(begin, 0) },
		"VUID-vkCmdSetRenderingAttachmentLocations-commandBuffer-09511": func(c *CommandBuffer) { c.BeginRenderPass(begin, 0); c.SetRenderingAttachmentLocations(nil) },
		"VUID-vkCmdSetRenderingInputAttachmentIndices-commandBuffer-09518": func(c *CommandBuffer) {
			c.BeginRenderPass(begin, 0)
			c.SetRenderingInputAttachmentIndices(InputIndices{})
		},
		"VUID-vkCmdExecuteCommands-pCommandBuffers-00096": func(c *CommandBuffer) { c.BeginRenderPass(begin, 1); c.Execute(secondary(nil)) },
		"VUID-vkCmdExecuteCommands-pCommandBuffers-00100": func(c *CommandBuffer) { c.Execute(secondary(&InheritanceInfo{Continue: true, RenderPass: pass})) },
		"VUID-vkCmdExecuteCommands-pCommandBuffers-06019": func(c *CommandBuffer) {
			c.BeginRenderPass(begin, 1)
			c.Execute(secondary(&InheritanceInfo{Continue: true, RenderPass: pass, Subpass: 1}))
		},
		"VUID-vkCmdExecuteCommands-pBeginInfo-06020": func(c *CommandBuffer) {
			c.BeginRenderPass(begin, 1)
			c.Execute(secondary(&InheritanceInfo{Continue: true, RenderPass: one}))
		},
		"VUID-vkCmdExecuteCommands-colorAttachmentCount-06027": func(c *CommandBuffer) {
			c.BeginRendering(s.rendering())
			c.Execute(secondary(&InheritanceInfo{Continue: true, Rendering: &link.Rendering{}}))
		},
		"VUID-vkCmdExecuteCommands-pDepthAttachment-06029": func(c *CommandBuffer) {
			c.BeginRendering(s.rendering())
			c.Execute(secondary(&InheritanceInfo{Continue: true, Rendering: &link.Rendering{Color: s.fixed.Rendering.Color}}))
		},
	} {
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		c.Begin(BeginInfo{})
		record(c)
		if err := c.End(); err == nil || !strings.Contains(err.Error(), "["+rule+"]") {
			t.Errorf("%s: %v", rule, err)
		}
	}
	c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	if err := c.Begin(BeginInfo{Inheritance: &InheritanceInfo{Continue: true, RenderPass: pass}}); err == nil {
		t.Error("a primary command buffer continues a rendering")
	}
	held := s.record(t, func(c *CommandBuffer) { c.BeginRenderPass(begin, 0); c.NextSubpass(0); c.EndRenderPass() })
	f.Close()
	if err := s.dev.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{held}}); err == nil || errors.Is(err, ErrDeviceLost) {
		t.Errorf("a closed framebuffer is used: %v", err)
	}
}

// TestCompatible compares render passes (Vulkan, Render Pass Compatibility).
func TestCompatible(t *testing.T) {
	s := newScene(t, 1)
	pass := must(s.dev.NewRenderPass(s.twoPasses()))(t)
	for name, x := range map[string]struct {
		change func(*RenderPassInfo)
		want   bool
	}{
		"same": {func(r *RenderPassInfo) {}, true},
		"load": {func(r *RenderPassInfo) { r.Attachments[0].Load = Load }, true},
		"numbers": {func(r *RenderPassInfo) {
			r.Subpasses[1].Colors = []uint32{0}
			r.Subpasses[1].Inputs = []InputReference{{Attachment: 1}}
		}, true},
		"trailing":   {func(r *RenderPassInfo) { r.Subpasses[0].Colors = []uint32{0, Unused} }, true},
		"format":     {func(r *RenderPassInfo) { r.Attachments[1].Format = formatOf(t, "R8G8B8A8_SRGB") }, false},
		"dependency": {func(r *RenderPassInfo) { r.Dependencies = nil }, false},
		"input":      {func(r *RenderPassInfo) { r.Subpasses[1].Inputs = nil }, false},
		"depth":      {func(r *RenderPassInfo) { r.Subpasses[0].Depth = nil }, false},
		"views":      {func(r *RenderPassInfo) { views(r, 1) }, false},
	} {
		info := s.twoPasses()
		x.change(&info)
		if got := must(s.dev.NewRenderPass(info))(t).compatible(pass); got != x.want {
			t.Errorf("%s: compatible is %v, want %v", name, got, x.want)
		}
	}
}

// fragmentOnly is the fragment stage alone.
func fragmentOnly(t testing.TB) link.Stages {
	t.Helper()
	s, ok := link.ParseStage("fragment")
	if !ok {
		t.Fatal("no fragment stage")
	}
	return s
}

// TestOrderedSubpass makes render passes with the flags of VK_EXT_rasterization_order_attachment_access, and with one that Vulkan does not have.
func TestOrderedSubpass(t *testing.T) {
	s := newScene(t, 1)
	for flags, ok := range map[SubpassFlags]bool{OrderedColorSubpass: true, OrderedDepthSubpass | OrderedStencilSubpass: true, 1 << 30: false} {
		info := s.twoPasses()
		info.Subpasses[0].Flags = flags
		if _, err := s.dev.NewRenderPass(info); (err == nil) != ok {
			t.Errorf("flags %#x: %v", flags, err)
		}
	}
}

// TestOrderedSubpassReads inverts, in one draw of two triangles, the attachment that the subpass draws to: the fragments of the second
// triangle read what those of the first one wrote (Vulkan, Rasterization Order), without a barrier.
func TestOrderedSubpassReads(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		s := newSceneOn(t, 1, info)
		image, view := s.target(t, 1, 1)
		pass := must(s.dev.NewRenderPass(RenderPassInfo{
			Attachments: []AttachmentDescription{{Format: s.fixed.Rendering.Color[0], Load: ClearOnLoad}},
			Subpasses:   []Subpass{{Flags: OrderedColorSubpass, Inputs: []InputReference{{Attachment: 0, Aspects: Color}}, Colors: []uint32{0}}},
		}))(t)
		f := must(s.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Attachments: []*ImageView{view}, Width: 8, Height: 8, Layers: 1}))(t)
		s.fixed.DepthStencil = &link.DepthStencil{}
		s.stages.RenderPass = pass
		reader, layout, set := s.reader(t, view, func(p *GraphicsPipelineInfo) {})
		c := s.record(t, func(c *CommandBuffer) {
			c.BeginRenderPass(RenderPassBegin{RenderPass: pass, Framebuffer: f, Clears: []ClearValue{opaque}}, Inline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			c.BindGraphicsPipeline(reader)
			c.BindSets(Graphics, layout, 0, []*Set{set}, nil)
			c.Draw(6, 1, 0, 0)
			c.EndRenderPass()
		})
		if err := s.submit(t, c); err != nil {
			t.Fatal(err)
		}
		if p := s.shots(t, image, 0); p[0] != [4]byte{0, 0, 0, 255} || p[63] != [4]byte{255, 255, 255, 0} {
			t.Errorf("pixels %v and %v; must be the inverse twice, and once", p[0], p[63])
		}
	})
}

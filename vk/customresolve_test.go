package vk

import (
	"context"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// lastSample is the inverse of sample 3 of a multisampled input attachment.
var lastSample = strings.NewReplacer("SubpassData 0 0 0 2", "SubpassData 0 0 1 2", "OpImageRead %v4 %i %here", "OpImageRead %v4 %i %here Sample %three",
	"%zero = OpConstant %int 0", "%zero = OpConstant %int 0\n%three = OpConstant %int 3").Replace(inverse)

// resolver is a scene with four samples, whose pipeline reads the samples in the custom resolve of a rendering.
type resolver struct {
	*scene
	single *Image
	info   RenderingInfo
	reader *GraphicsPipeline
	layout *PipelineLayout
	set    *Set
}

func newResolver(t *testing.T, checking Checking) *resolver {
	s := &resolver{scene: newScene(t, 4)}
	s.dev.checking = checking
	_, from := s.target(t, 4, 1)
	// The resolve attachment has another format than the attachment.
	s.single = must(s.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "B8G8R8A8_UNORM"), Extent: [3]int{8, 8, 1}, Usage: ImageColorAttachment | ImageTransferSource}))(t)
	size, _ := s.single.Requirements()
	if err := s.single.Bind(must(s.dev.Allocate(MemoryInfo{Size: size}))(t), 0); err != nil {
		t.Fatal(err)
	}
	to := must(s.dev.NewImageView(ImageViewInfo{Image: s.single, Type: enum.ViewType2d}))(t)
	s.info = RenderingInfo{Area: Rect{Width: 8, Height: 8}, Flags: CustomResolving, Colors: []AttachmentInfo{
		{View: from, Load: ClearOnLoad, Clear: opaque.Color, Resolve: to, ResolveMode: ResolveCustom}}}
	s.fixed.DepthStencil = &link.DepthStencil{}
	s.fixed.Rendering.Depth = 0
	s.fixed.CustomResolve = &CustomResolve{Colors: []link.Format{formatOf(t, "B8G8R8A8_UNORM")}}
	s.build(t)
	s.reader, s.layout, s.set = s.scene.reader(t, from, func(p *GraphicsPipelineInfo) {
		k := *p.State.CustomResolve
		k.Resolve = true
		p.State.CustomResolve, p.State.Multisample = &k, &link.Multisample{Samples: 1}
		p.Fragment = &StageInfo{Module: must(s.dev.NewShaderModule(context.Background(), code(t, lastSample)))(t)}
	})
	return s
}

// draws draws a triangle over the upper left half, and resolves.
func (s *resolver) draws(c *CommandBuffer, from, resolve func()) {
	c.BeginRendering(s.info)
	c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
	from()
	c.BeginCustomResolve()
	resolve()
	c.EndRendering()
}

// TestCustomResolve resolves by a shader: draws after BeginCustomResolve write the resolve attachment and read the samples of
// the attachment, which they leave. The triangle covers x + y < 8; sample 3 is at (10/16, 14/16).
func TestCustomResolve(t *testing.T) {
	for _, checking := range []Checking{None, All} {
		s := newResolver(t, checking)
		triangle := func(c *CommandBuffer) {
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			s.paint(c, 1, 0, 0, 1)
			c.Draw(3, 1, 3, 0)
		}
		read := func(c *CommandBuffer) {
			c.BindGraphicsPipeline(s.reader)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			c.BindSets(Graphics, s.layout, 0, []*Set{s.set}, nil)
			c.Draw(3, 1, 0, 0)
		}
		secondary := func(resolve bool, record func(*CommandBuffer)) *CommandBuffer {
			k := *s.fixed.CustomResolve
			k.Resolve = resolve
			c := must(s.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
			rendering := s.fixed.Rendering
			if err := c.Begin(BeginInfo{Inheritance: &InheritanceInfo{Continue: true, Rendering: &rendering, Samples: 4, CustomResolve: &k}}); err != nil {
				t.Fatal(err)
			}
			record(c)
			if err := c.End(); err != nil {
				t.Fatal(err)
			}
			return c
		}
		first, second := secondary(false, triangle), secondary(true, read)
		for name, c := range map[string]*CommandBuffer{
			"inline": s.record(t, func(c *CommandBuffer) { s.draws(c, func() { triangle(c) }, func() { read(c) }) }),
			"secondary": s.record(t, func(c *CommandBuffer) {
				s.info.Flags |= SecondaryContents
				s.draws(c, func() { c.Execute(first) }, func() { c.Execute(second) })
			}),
		} {
			if err := s.submit(t, c); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for i, got := range s.shots(t, s.single, 0) {
				want := [4]byte{255, 255, 255, 0}
				if float64(i%8)+10./16+float64(i/8)+14./16 < 8 {
					want[2] = 0 // blue, green, red
				}
				if got != want {
					t.Fatalf("%s, pixel %d, %d: %v, want %v", name, i%8, i/8, got, want)
				}
			}
			// Without a draw the resolve attachment stays.
			before := s.shots(t, s.single, 0)
			s.info.Flags &^= SecondaryContents
			if err := s.submit(t, s.record(t, func(c *CommandBuffer) { s.draws(c, func() {}, func() {}) })); err != nil || s.shots(t, s.single, 0) != before {
				t.Errorf("%s: a custom resolve without a draw changes the attachment, or has the error %v", name, err)
			}
		}
	}
}

// TestCustomResolveErrors has commands and draws that Vulkan forbids.
func TestCustomResolveErrors(t *testing.T) {
	s := newResolver(t, All)
	const begin = "VUID-vkCmdBeginCustomResolveEXT-"
	s.refuses(t, begin+"commandBuffer-11517", func(c *CommandBuffer) { c.BeginCustomResolve() })
	s.refuses(t, begin+"None-11518", func(c *CommandBuffer) {
		s.draws(c, func() { c.BeginCustomResolve() }, func() {})
	})
	info := s.info
	plain := func(change func()) func(c *CommandBuffer) {
		return func(c *CommandBuffer) {
			defer func() { s.info = info }()
			s.info.Colors = append([]AttachmentInfo(nil), info.Colors...)
			change()
			s.draws(c, func() {}, func() {})
		}
	}
	s.refuses(t, begin+"None-11519", plain(func() { s.info.Flags, s.info.Colors[0].ResolveMode = 0, ResolveNone }))
	s.refuses(t, begin+"None-11520", plain(func() { s.info.Flags |= Suspending }))
	s.refuses(t, "VUID-VkRenderingInfo-pColorAttachments-11515", plain(func() { s.info.Flags = 0 }))
	s.refuses(t, "VUID-VkRenderingInfo-flags-11516", plain(func() { s.info.Colors[0].ResolveMode = ResolveAverage }))
	for rule, before := range map[string]bool{"VUID-vkCmdDraw-customResolve-11524": false, "VUID-vkCmdDraw-customResolve-11525": true} {
		s := newResolver(t, All)
		c := s.record(t, func(c *CommandBuffer) {
			draw := func(p *GraphicsPipeline, on bool) func() {
				return func() {
					if on {
						c.BindGraphicsPipeline(p)
						c.Draw(3, 1, 0, 0)
					}
				}
			}
			s.draws(c, draw(s.reader, before), draw(s.pipeline, !before))
		})
		wantRule(t, s.submit(t, c), rule)
	}
	for rule, k := range map[string]CustomResolve{
		"VUID-VkCustomResolveCreateInfoEXT-colorAttachmentCount-11507":    {Colors: make([]link.Format, 9)},
		"VUID-VkCustomResolveCreateInfoEXT-depthAttachmentFormat-11508":   {Depth: formatOf(t, "S8_UINT")},
		"VUID-VkCustomResolveCreateInfoEXT-stencilAttachmentFormat-11511": {Stencil: formatOf(t, "D32_SFLOAT")},
		"VUID-VkCustomResolveCreateInfoEXT-depthAttachmentFormat-11513":   {Depth: formatOf(t, "D24_UNORM_S8_UINT"), Stencil: formatOf(t, "D32_SFLOAT_S8_UINT")},
	} {
		p := s.stages
		p.State = s.fixed
		p.State.CustomResolve = &k
		_, err := s.dev.NewGraphicsPipeline(context.Background(), p)
		wantRule(t, err, rule)
	}
	for rule, change := range map[string]func(*Subpass, *RenderPassInfo){
		"VUID-VkSubpassDescription2-flags-04907": func(p *Subpass, _ *RenderPassInfo) { p.Resolves = []uint32{1} },
		"VUID-VkSubpassDescription2-flags-04908": func(p *Subpass, _ *RenderPassInfo) { p.DepthResolve = reference(1) },
		"VUID-VkSubpassDescription2-flags-04909": func(p *Subpass, r *RenderPassInfo) {
			r.Subpasses = append(r.Subpasses, Subpass{Colors: []uint32{0}})
			r.Dependencies = []Dependency{{Source: 0, Target: 1}}
		},
	} {
		rgba := formatOf(t, "R8G8B8A8_UNORM")
		r := RenderPassInfo{Attachments: []AttachmentDescription{{Format: rgba, Samples: 4}, {Format: rgba}}, Subpasses: []Subpass{{Flags: CustomResolveSubpass | FragmentRegionSubpass, Colors: []uint32{0}}}}
		change(&r.Subpasses[0], &r)
		_, err := s.dev.NewRenderPass(r)
		wantRule(t, err, rule)
	}
}

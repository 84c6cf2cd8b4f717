package vk

import (
	"context"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
)

// singleScene is a scene of draws with four samples to an image of one, and the clear value of a gray.
func singleScene(t *testing.T, info DeviceInfo) (s *scene, single *ImageView, gray [4]uint32) {
	t.Helper()
	s = newSceneOn(t, 4, info)
	s.fixed.DepthStencil = nil
	s.fixed.Rendering.Depth = 0
	s.build(t)
	m := must(s.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: s.color.info.Format, Extent: [3]int{8, 8, 1}, Usage: ImageColorAttachment | ImageTransferSource | ImageTransferTarget, Flags: ImageMultisampled}))(t)
	if err := m.Bind(s.images, 32768); err != nil {
		t.Fatal(err)
	}
	half := uint32(0x3f000000)
	return s, must(s.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t), [4]uint32{half, half, half, 0x3f800000}
}

// half draws the white triangle of the upper left half.
func (s *scene) half(c *CommandBuffer) {
	c.BindGraphicsPipeline(s.pipeline)
	c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
	s.paint(c, 1, 1, 1, 1)
	c.Draw(3, 1, 3, 0)
}

// black draws the same triangle in black.
func (s *scene) black(c *CommandBuffer) {
	s.paint(c, 0, 0, 0, 1)
	c.Draw(3, 1, 3, 0)
}

// all returns the pixels that the last submission has copied out.
func (s *scene) all() (out [64][4]byte) {
	for i := range out {
		out[i] = s.pixel(i%8, i/8)
	}
	return out
}

// TestSingleSampled draws with four samples to an image of one: the pixels are those of an image of four samples that is cleared and resolved.
// A rendering that loads begins with the pixels of the image, one with an area leaves the pixels outside unchanged, and a suspended one
// continues.
func TestSingleSampled(t *testing.T) {
	everyEngine(t, func(t *testing.T, info DeviceInfo) {
		s, single, gray := singleScene(t, info)
		area := Rect{Width: 8, Height: 8}
		attachment := AttachmentInfo{View: single, ResolveMode: ResolveAverage, Load: ClearOnLoad, Clear: gray}
		run := func(what string, record func(c *CommandBuffer)) [64][4]byte {
			t.Helper()
			c := s.record(t, func(c *CommandBuffer) {
				record(c)
				s.copyOut(c, single.image)
			})
			if err := s.submit(t, c); err != nil {
				t.Fatal(what, err)
			}
			before := s.dev.objects.Load()
			if err := c.Reset(); err != nil {
				t.Fatal(err)
			}
			if after := s.dev.objects.Load(); what != "resolved" && after >= before {
				t.Errorf("%s: the recording is reset, and the device has %d objects, and %d before; must have less", what, after, before)
			}
			return s.all()
		}
		want := run("resolved", func(c *CommandBuffer) {
			c.BeginRendering(RenderingInfo{Area: area, Colors: []AttachmentInfo{{View: s.view, Resolve: single, ResolveMode: ResolveAverage, Load: ClearOnLoad, Clear: gray}}})
			s.half(c)
			c.EndRendering()
		})
		if edge := want[8*3+4]; edge == want[0] || edge == want[63] {
			t.Fatalf("the pixel on the diagonal is %v; must be a mixture", edge)
		}
		samples := RenderingInfo{Area: area, Samples: 4, Colors: []AttachmentInfo{attachment}}
		load := samples
		load.Colors = []AttachmentInfo{{View: single, ResolveMode: ResolveAverage}}
		left, outside := load, want
		left.Area.Width = 4
		for i := range outside {
			if i%8 >= 4 {
				outside[i] = want[63]
			}
		}
		over := run("once", func(c *CommandBuffer) {
			c.BeginRendering(samples)
			s.half(c)
			s.black(c)
			c.EndRendering()
		})
		cleared := func(c *CommandBuffer) {
			c.BeginRendering(samples)
			c.EndRendering()
		}
		for name, x := range map[string]struct {
			record func(c *CommandBuffer)
			want   [64][4]byte
		}{
			"cleared": {func(c *CommandBuffer) {
				c.BeginRendering(samples)
				s.half(c)
				c.EndRendering()
			}, want},
			"loaded": {func(c *CommandBuffer) {
				cleared(c)
				c.BeginRendering(load)
				s.half(c)
				c.EndRendering()
			}, want},
			"any content": {func(c *CommandBuffer) { // the row of docs/undefined.md: it is kept
				other, plain, any := samples, RenderingInfo{Area: area}, samples
				other.Colors = []AttachmentInfo{{View: single, ResolveMode: ResolveAverage, Load: ClearOnLoad}} // the implicit image becomes black
				plain.Colors = []AttachmentInfo{{View: single, Load: ClearOnLoad, Clear: gray}}
				any.Colors = []AttachmentInfo{{View: single, ResolveMode: ResolveAverage, Load: DontCare}}
				for _, r := range []RenderingInfo{other, plain} {
					c.BeginRendering(r)
					c.EndRendering()
				}
				c.BeginRendering(any)
				s.half(c)
				c.EndRendering()
			}, want},
			"area": {func(c *CommandBuffer) {
				cleared(c)
				c.BeginRendering(left)
				s.half(c)
				c.EndRendering()
			}, outside},
			"suspended": {func(c *CommandBuffer) {
				suspended, resuming := samples, samples
				suspended.Flags, resuming.Flags = Suspending, Resuming
				c.BeginRendering(suspended)
				s.half(c)
				c.EndRendering()
				c.BeginRendering(resuming)
				s.black(c) // where white was, in the same samples
				c.EndRendering()
			}, over},
		} {
			if got := run(name, x.record); got != x.want {
				t.Errorf("%s: the pixels are %v; must be %v", name, got, x.want)
			}
		}
	})
}

// TestSingleSampledPass does the same in a subpass.
func TestSingleSampledPass(t *testing.T) {
	s, single, gray := singleScene(t, DeviceInfo{})
	pass := must(s.dev.NewRenderPass(RenderPassInfo{
		Attachments: []AttachmentDescription{{Format: s.color.info.Format, Load: ClearOnLoad}},
		Subpasses:   []Subpass{{Colors: []uint32{0}, Samples: 4}},
	}))(t)
	frame := must(s.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Attachments: []*ImageView{single}, Width: 8, Height: 8, Layers: 1}))(t)
	dynamic := s.pipeline
	s.stages.RenderPass = pass
	s.build(t)
	ofPass := s.pipeline
	s.pipeline = dynamic
	var got [2][64][4]byte
	for i, record := range []func(c *CommandBuffer){
		func(c *CommandBuffer) {
			c.BeginRendering(RenderingInfo{Area: Rect{Width: 8, Height: 8}, Samples: 4, Colors: []AttachmentInfo{{View: single, ResolveMode: ResolveAverage, Load: ClearOnLoad, Clear: gray}}})
			s.half(c)
			c.EndRendering()
		},
		func(c *CommandBuffer) {
			s.pipeline = ofPass
			c.BeginRenderPass(RenderPassBegin{RenderPass: pass, Framebuffer: frame, Clears: []ClearValue{{Color: gray}}}, Inline)
			s.half(c)
			c.EndRenderPass()
		},
	} {
		if err := s.submit(t, s.record(t, func(c *CommandBuffer) {
			record(c)
			s.copyOut(c, single.image)
		})); err != nil {
			t.Fatal(err)
		}
		got[i] = s.all()
	}
	if got[0] != got[1] {
		t.Errorf("the pixels are %v; must be %v as of a rendering", got[1], got[0])
	}
}

// TestSingleSampledDraws draws with other samples than the rendering, by a pipeline and by a command.
func TestSingleSampledDraws(t *testing.T) {
	r := newRuled(t)
	m := r.image(t, ImageInfo{Type: enum.ImageType2d, Format: r.color.info.Format, Extent: [3]int{8, 8, 1}, Usage: ImageColorAttachment, Flags: ImageMultisampled})
	view := must(r.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
	info := RenderingInfo{Area: Rect{Width: 8, Height: 8}, Samples: 4, Colors: []AttachmentInfo{{View: view, ResolveMode: ResolveAverage}}}
	pipe := func(samples uint32, dynamic ...enum.DynamicState) *GraphicsPipeline {
		return r.pipe(t, func(i *GraphicsPipelineInfo) {
			i.State.Rendering.Depth, i.State.DepthStencil, i.State.Multisample = 0, &link.DepthStencil{}, &link.Multisample{Samples: samples}
		}, dynamic...)
	}
	two, four, dynamic := pipe(2), pipe(4), pipe(4, enum.DynamicStateRasterizationSamples)
	r.check(t, []ruleRow{
		{[]string{"vkCmdDraw-pNext-07935"}, nil, func(c *CommandBuffer, bad bool) {
			p := four
			if bad {
				p = two
			}
			r.paints(c, info, p, nil)
		}},
		{[]string{"vkCmdDraw-None-09211"}, nil, func(c *CommandBuffer, bad bool) {
			r.paints(c, info, dynamic, func() { c.SetSamples(4 >> flag(bad)) })
		}},
	})
}

// TestSingleSampledRules breaks the rules on such renderings, one each.
func TestSingleSampledRules(t *testing.T) {
	s, single, _ := singleScene(t, DeviceInfo{})
	plain := must(s.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: s.color.info.Format, Extent: [3]int{8, 8, 1}, Usage: ImageColorAttachment}))(t)
	if err := plain.Bind(s.images, 49152); err != nil {
		t.Fatal(err)
	}
	view := must(s.dev.NewImageView(ImageViewInfo{Image: plain, Type: enum.ViewType2d}))(t)
	for rule, info := range map[string]RenderingInfo{
		"VUID-VkRenderingInfo-imageView-06858":           {Samples: 8, Colors: []AttachmentInfo{{View: s.view}}},
		"VUID-VkRenderingInfo-imageView-06859":           {Samples: 4, Colors: []AttachmentInfo{{View: view}}},
		"VUID-VkRenderingAttachmentInfo-imageView-06863": {Samples: 4, Colors: []AttachmentInfo{{View: single, Resolve: view, ResolveMode: ResolveAverage}}},
	} {
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		c.BeginRendering(info)
		wantRule(t, c.Err(), rule)
	}
	_, err := s.dev.NewRenderPass(RenderPassInfo{
		Attachments: []AttachmentDescription{{Format: s.color.info.Format, Samples: 2}}, Subpasses: []Subpass{{Colors: []uint32{0}, Samples: 4}},
	})
	wantRule(t, err, "VUID-VkSubpassDescription2-pNext-06870")
}

// TestSingleSampledMany records many renderings of two attachments: they use two implicit images in turn, which the next recording frees.
func TestSingleSampledMany(t *testing.T) {
	s, single, gray := singleScene(t, DeviceInfo{})
	m := must(s.dev.NewImage(single.image.info))(t)
	if err := m.Bind(s.images, 49152); err != nil {
		t.Fatal(err)
	}
	other := must(s.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
	attachments := []AttachmentInfo{{View: single, ResolveMode: ResolveAverage, Load: ClearOnLoad, Clear: gray}, {View: other, ResolveMode: ResolveAverage}}
	c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	before := s.dev.objects.Load()
	for range 2 {
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			c.BeginRendering(RenderingInfo{Area: Rect{Width: 8, Height: 8}, Samples: 4, Colors: attachments})
			c.EndRendering()
		}
		if err := c.End(); err != nil {
			t.Fatal(err)
		}
		if n := s.dev.objects.Load() - before; n != 6 {
			t.Errorf("the recording has %d objects; must have 6: two images with their memory and their views", n)
		}
	}
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	if c.Close(); s.dev.objects.Load() != before-1 {
		t.Errorf("the device has %d objects; must have %d", s.dev.objects.Load(), before-1)
	}
}

// lastSampleOfHeap is lastSample with the descriptor of the input attachment at the start of a heap.
var lastSampleOfHeap = strings.NewReplacer("OpMemoryModel", `OpCapability UntypedPointersKHR
OpCapability DescriptorHeapEXT
OpExtension "SPV_KHR_untyped_pointers"
OpExtension "SPV_EXT_descriptor_heap"
OpMemoryModel`, `OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %in InputAttachmentIndex 0`, `OpDecorate %in BuiltIn ResourceHeapEXT
OpDecorate %slots ArrayStride 64`, "%pimage = OpTypePointer UniformConstant %image", `%slots = OpTypeRuntimeArray %image
%pimage = OpTypeUntypedPointerKHR UniformConstant`, "%in = OpVariable", "%in = OpUntypedVariableKHR", "%i = OpLoad %image %in", `%at = OpUntypedAccessChainKHR %pimage %slots %in %zero
%i = OpLoad %image %at`).Replace(lastSample)

// TestSingleSampledInputs reads a sample of an attachment of one sample in a subpass of four: all samples have the texel, whether the
// descriptor is in a set or in a heap.
func TestSingleSampledInputs(t *testing.T) {
	s, _, gray := singleScene(t, DeviceInfo{})
	color := s.color.info.Format
	var images [2]*Image
	var views [2]*ImageView
	for i := range images {
		images[i] = s.image(t, ImageInfo{Type: enum.ImageType2d, Format: color, Extent: [3]int{8, 8, 1}, Usage: ImageColorAttachment | ImageInputAttachment | ImageTransferSource, Flags: ImageMultisampled})
		views[i] = must(s.dev.NewImageView(ImageViewInfo{Image: images[i], Type: enum.ViewType2d}))(t)
	}
	pass := must(s.dev.NewRenderPass(RenderPassInfo{
		Attachments: []AttachmentDescription{{Format: color, Load: ClearOnLoad}, {Format: color, Load: DontCare}},
		Subpasses: []Subpass{
			{Colors: []uint32{0}, Samples: 4},
			{Colors: []uint32{1}, Inputs: []InputReference{{Attachment: 0, Aspects: Color}}, Samples: 4},
		},
		Dependencies: []Dependency{{Source: 0, Target: 1, SourceStages: 0x400, TargetStages: 0x80, SourceAccess: 0x100, TargetAccess: 0x10, ByRegion: true}},
	}))(t)
	frame := must(s.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Attachments: views[:], Width: 8, Height: 8, Layers: 1}))(t)
	s.stages.RenderPass = pass
	s.build(t)
	memory := must(s.dev.Allocate(MemoryInfo{Size: 256, DeviceAddress: true}))(t)
	heap := must(s.dev.NewBuffer(BufferInfo{Size: 256, Usage: DeviceAddress}))(t)
	if err := heap.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.dev.WriteDescriptor(memory.Bytes(), DescriptorInfo{Type: link.DescriptorType(iface.InputAttachment), View: views[0]}); err != nil {
		t.Fatal(err)
	}
	for place, shader := range map[string]string{"in a set": lastSample, "mapped to a heap": lastSample, "in a heap": lastSampleOfHeap} {
		inHeap := place != "in a set"
		reader, layout, set := s.reader(t, views[0], func(p *GraphicsPipelineInfo) {
			p.Subpass = 1
			p.Fragment = &StageInfo{Module: must(s.dev.NewShaderModule(context.Background(), code(t, shader)))(t)}
			if inHeap {
				p.Flags, p.Layout = enum.PipelineFlagsDescriptorHeap, nil
			}
			if place == "mapped to a heap" {
				p.Fragment.Mappings = []Mapping{{Mapping: link.Mapping{Source: enum.MappingSourceHeapWithConstantOffset, HeapArrayStride: 64}}}
			}
		})
		if err := s.submit(t, s.record(t, func(c *CommandBuffer) {
			c.BeginRenderPass(RenderPassBegin{RenderPass: pass, Framebuffer: frame, Clears: []ClearValue{{Color: gray}}}, Inline)
			s.half(c)
			c.NextSubpass(Inline)
			c.BindGraphicsPipeline(reader)
			if inHeap {
				c.BindResourceHeap(HeapRange{heap.Address(), 256})
			} else {
				c.BindSets(Graphics, layout, 0, []*Set{set}, nil)
			}
			c.Draw(3, 1, 0, 0)
			c.EndRenderPass()
		})); err != nil {
			t.Fatalf("%s: %v", place, err)
		}
		from, to := s.shots(t, images[0], 0), s.shots(t, images[1], 0)
		for i := range from {
			if to[i][0] != 255-from[i][0] {
				t.Fatalf("%s: pixel %d is %d; must be %d, the inverse of %d", place, i, to[i][0], 255-from[i][0], from[i][0])
			}
		}
	}
}

// TestSingleSampledLayers draws to two layers of a level: the first layer has the draw, the second the texels that it had.
func TestSingleSampledLayers(t *testing.T) {
	s, single, gray := singleScene(t, DeviceInfo{})
	m := s.image(t, ImageInfo{Type: enum.ImageType2d, Format: s.color.info.Format, Extent: [3]int{16, 16, 1}, Levels: 2, Layers: 3, Usage: ImageColorAttachment | ImageTransferSource, Flags: ImageMultisampled})
	part := must(s.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2dArray, BaseLevel: 1, BaseLayer: 1, Levels: 1, Layers: 2}))(t)
	draws := func(v *ImageView, layers uint32) {
		t.Helper()
		if err := s.submit(t, s.record(t, func(c *CommandBuffer) {
			for _, load := range []LoadOp{ClearOnLoad, Load, LoadNone} { // without the operation texels remain
				c.BeginRendering(RenderingInfo{Area: Rect{Width: 8, Height: 8}, Layers: layers, Samples: 4, Colors: []AttachmentInfo{{View: v, ResolveMode: ResolveAverage, Load: load, Clear: gray}}})
				if load == Load {
					s.half(c)
				}
				c.EndRendering()
			}
			if v == single {
				s.copyOut(c, single.image)
			}
		})); err != nil {
			t.Fatal(err)
		}
	}
	pixels := func(layer int) [64][4]byte {
		t.Helper()
		if err := s.submit(t, s.record(t, func(c *CommandBuffer) {
			c.CopyImageToBuffer(m, s.pixels, []BufferImageCopy{{Image: Layers{Level: 1, Base: layer}, Extent: [3]int{8, 8, 1}}})
		})); err != nil {
			t.Fatal(err)
		}
		return s.all()
	}
	draws(single, 1)
	want := s.all()
	var plain [64][4]byte
	for i := range plain {
		plain[i] = want[63]
	}
	draws(part, 2)
	for layer, want := range [3][64][4]byte{{}, want, plain} {
		if got := pixels(layer); got != want {
			t.Errorf("layer %d has the pixels %v; must have %v", layer, got, want)
		}
	}
}

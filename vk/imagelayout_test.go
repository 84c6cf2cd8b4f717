package vk

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
)

// layoutScene is a compute pipeline that accesses images at the bindings 0 and 1 through sets with full checking.
type layoutScene struct {
	*descriptorScene
	typ    link.DescriptorType
	sets   *SetLayout
	layout *PipelineLayout
	pipe   *ComputePipeline
}

func newLayoutScene(t *testing.T, shader, typ string, flags enum.BindingFlags) *layoutScene {
	t.Helper()
	s := &layoutScene{descriptorScene: newDescriptorScene(t), typ: link.DescriptorType(typ)}
	binding := func(n uint32) link.Binding {
		return link.Binding{Binding: n, Type: s.typ, Count: 1, Stages: link.AllStages, Flags: flags}
	}
	s.sets = must(s.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{binding(0), binding(1)}}))(t)
	s.layout = must(s.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{s.sets}}))(t)
	s.pipe = must(s.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: *s.module(t, shader), Layout: s.layout}))(t)
	return s
}

// run returns the findings on a dispatch of groups after prepare, with an image in a layout and a descriptor for another.
func (s *layoutScene) run(t *testing.T, v *ImageView, named ImageLayout, groups uint32, prepare func(c *CommandBuffer)) []string {
	t.Helper()
	set := must(s.pool.Allocate(s.sets))(t)
	sampler := s.sampler(SamplerInfo{})
	rules, err := s.findings(t, func(c *CommandBuffer) {
		d := []ImageDescriptor{{View: v, Sampler: sampler, Layout: named}}
		if err := set.Update(Write{Images: d}, Write{Binding: 1, Images: d}); err != nil {
			t.Fatal(err)
		}
		prepare(c)
		c.BindPipeline(s.pipe)
		c.BindSets(Compute, s.layout, 0, []*Set{set}, nil)
		c.Dispatch(groups, 1, 1)
	})
	if err != nil && len(rules) == 0 {
		t.Fatal(err)
	}
	return rules
}

const (
	rule09600 = "VUID-vkCmdDispatch-None-09600"
	rule00344 = "VUID-vkCmdDispatch-imageLayout-00344"
)

// laid gives all subresources of an image a layout.
func laid(t *testing.T, m *Image, l ImageLayout) {
	t.Helper()
	if err := m.SetLayout(ImageRange{}, l); err != nil {
		t.Fatal(err)
	}
}

// TestImageLayouts accesses images in the layouts of their descriptors and in others (Vulkan, the rules 09600 and 00344 on draws and
// dispatches).
func TestImageLayouts(t *testing.T) {
	sampled := accessShader("IMAGE=%float 2D 0 0 0 1 Unknown", "BODY=%s = OpImageSampleExplicitLod %v4 %x %c2 Lod %f0")
	deep := accessShader("IMAGE=%float 2D 1 0 0 1 Unknown", "BODY=%s = OpImageSampleExplicitLod %v4 %x %c2 Lod %f0")
	writes := accessShader("CAPS=OpCapability StorageImageWriteWithoutFormat", "IMAGE=%float 2D 0 0 0 2 Unknown", "VAR=image", "BODY=OpImageWrite %x %i2 %c4")
	skips := accessShader("CAPS=OpCapability StorageImageWriteWithoutFormat", "WIDE=%bool = OpTypeBool\n%no = OpSpecConstantFalse %bool", "IMAGE=%float 2D 0 0 0 2 Unknown", "VAR=image",
		"BODY=%n = OpLoad %uint %zero\n%is = OpIEqual %bool %n %u1\nOpSelectionMerge %end None\nOpBranchConditional %is %then %end\n%then = OpLabel\nOpImageWrite %x %i2 %c4\nOpBranch %end\n%end = OpLabel")
	skips = strings.NewReplacer("%main = OpFunction", "%pp = OpTypePointer Private %uint\n%zero = OpVariable %pp Private %u0\n%main = OpFunction").Replace(skips)
	combined, storage := string(iface.CombinedImageSampler), string(iface.StorageImage)
	levels := func(i *ImageInfo, v *ImageViewInfo) { i.Levels, v.BaseLevel, v.Levels = 2, 1, 1 }
	layers := func(i *ImageInfo, v *ImageViewInfo) { i.Layers, v.BaseLayer, v.Layers = 3, 1, 1 }
	depth := func(i *ImageInfo, v *ImageViewInfo) { i.Usage, v.Aspect = ImageSampled, Depth }
	none := func(c *CommandBuffer, m *Image) {}
	at := func(l ImageLayout) func(c *CommandBuffer, m *Image) {
		return func(c *CommandBuffer, m *Image) { laid(t, m, l) }
	}
	for name, x := range map[string]struct {
		shader, typ, format string
		change              func(i *ImageInfo, v *ImageViewInfo)
		flags               enum.BindingFlags
		named               ImageLayout
		groups              uint32
		prepare             func(c *CommandBuffer, m *Image)
		want                string
	}{
		"another":         {sampled, combined, "R8G8B8A8_UNORM", nil, 0, ShaderReadOnlyLayout, 1, at(GeneralLayout), rule00344},
		"the same":        {sampled, combined, "R8G8B8A8_UNORM", nil, 0, ShaderReadOnlyLayout, 1, at(ShaderReadOnlyLayout), ""},
		"for reading":     {sampled, combined, "R8G8B8A8_UNORM", nil, 0, ReadOnlyLayout, 1, at(ShaderReadOnlyLayout), ""},
		"not known":       {sampled, combined, "R8G8B8A8_UNORM", nil, 0, ShaderReadOnlyLayout, 1, none, ""},
		"not named":       {sampled, combined, "R8G8B8A8_UNORM", nil, 0, UndefinedLayout, 1, at(GeneralLayout), ""},
		"undefined":       {writes, storage, "R8G8B8A8_UNORM", nil, 0, GeneralLayout, 1, at(UndefinedLayout), rule09600},
		"no groups":       {writes, storage, "R8G8B8A8_UNORM", nil, 0, GeneralLayout, 0, at(UndefinedLayout), ""},
		"partly bound":    {writes, storage, "R8G8B8A8_UNORM", nil, enum.BindingFlagsPartiallyBound, GeneralLayout, 1, at(UndefinedLayout), ""},
		"a branch":        {skips, storage, "R8G8B8A8_UNORM", nil, 0, GeneralLayout, 1, at(UndefinedLayout), ""},
		"alias":           {writes, storage, "R8G8B8A8_UNORM", func(i *ImageInfo, v *ImageViewInfo) { i.Flags = ImageAlias }, 0, GeneralLayout, 1, at(UndefinedLayout), ""},
		"combined layout": {deep, combined, "D32_SFLOAT", depth, 0, DepthReadOnlyLayout, 1, at(DepthStencilReadOnlyLayout), ""},
		"stencil differs": {deep, combined, "D32_SFLOAT_S8_UINT", depth, 0, DepthReadOnlyLayout, 1, at(DepthReadOnlyStencilAttachmentLayout), ""},
		"depth differs":   {deep, combined, "D32_SFLOAT_S8_UINT", depth, 0, DepthReadOnlyLayout, 1, at(DepthAttachmentStencilReadOnlyLayout), rule00344},
		"another level": {writes, storage, "R8G8B8A8_UNORM", levels, 0, GeneralLayout, 1, func(c *CommandBuffer, m *Image) {
			laid(t, m, GeneralLayout)
			c.Transition(m, ImageRange{Levels: 1}, TransferTargetLayout)
		}, ""},
		"this level": {writes, storage, "R8G8B8A8_UNORM", levels, 0, GeneralLayout, 1, func(c *CommandBuffer, m *Image) {
			laid(t, m, GeneralLayout)
			c.Transition(m, ImageRange{BaseLevel: 1, Levels: 1}, TransferTargetLayout)
		}, rule09600},
		"other layers": {writes, storage, "R8G8B8A8_UNORM", layers, 0, GeneralLayout, 1, func(c *CommandBuffer, m *Image) {
			laid(t, m, GeneralLayout)
			c.Transition(m, ImageRange{BaseLayer: 2}, TransferTargetLayout)
			c.Transition(m, ImageRange{Layers: 1}, TransferTargetLayout)
		}, ""},
		"there and back": {writes, storage, "R8G8B8A8_UNORM", nil, 0, GeneralLayout, 1, func(c *CommandBuffer, m *Image) {
			laid(t, m, UndefinedLayout)
			c.Transition(m, ImageRange{}, TransferTargetLayout)
			c.Transition(m, ImageRange{}, GeneralLayout)
		}, ""},
		"by the host": {writes, storage, "R8G8B8A8_UNORM", func(i *ImageInfo, v *ImageViewInfo) { i.Usage |= ImageHostTransfer }, 0, GeneralLayout, 1, func(c *CommandBuffer, m *Image) {
			laid(t, m, UndefinedLayout)
			if err := m.dev.TransitionImageLayout(m, []ImageRange{{}}, GeneralLayout); err != nil {
				t.Fatal(err)
			}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newLayoutScene(t, x.shader, x.typ, x.flags)
			v := s.image(x.format, x.change)
			got := s.run(t, v, x.named, x.groups, func(c *CommandBuffer) { x.prepare(c, v.image) })
			if x.want == "" && len(got) > 0 || x.want != "" && !slices.Equal(got, []string{x.want}) {
				t.Errorf("the findings are %q; must be %q", got, x.want)
			}
		})
	}
}

// TestLayoutsOfCopies moves descriptors with their layouts: by a copy of a set, and by a push after another.
func TestLayoutsOfCopies(t *testing.T) {
	writes := accessShader("CAPS=OpCapability StorageImageWriteWithoutFormat", "IMAGE=%float 2D 0 0 0 2 Unknown", "VAR=image", "BODY=OpImageWrite %x %i2 %c4")
	s := newLayoutScene(t, writes, string(iface.StorageImage), 0)
	v := s.image("R8G8B8A8_UNORM", nil)
	from, to := must(s.pool.Allocate(s.sets))(t), must(s.pool.Allocate(s.sets))(t)
	for _, x := range []struct {
		named ImageLayout
		want  []string
	}{{GeneralLayout, nil}, {ShaderReadOnlyLayout, []string{rule09600}}, {UndefinedLayout, nil}} {
		got, _ := s.findings(t, func(c *CommandBuffer) {
			laid(t, v.image, GeneralLayout)
			d := []ImageDescriptor{{View: v, Layout: x.named}}
			if err := from.Update(Write{Images: d}, Write{Binding: 1, Images: d}); err != nil {
				t.Fatal(err)
			}
			if err := to.Copy(Copy{Source: from, Count: 2}); err != nil {
				t.Fatal(err)
			}
			c.BindPipeline(s.pipe)
			c.BindSets(Compute, s.layout, 0, []*Set{to}, nil)
			c.Dispatch(1, 1, 1)
		})
		if !slices.Equal(got, x.want) {
			t.Errorf("layout %d: the findings are %q; must be %q", x.named, got, x.want)
		}
	}
}

// TestPassLayouts accesses an attachment after a render pass: it has the final layout (Vulkan, VkAttachmentDescription).
func TestPassLayouts(t *testing.T) {
	writes := accessShader("CAPS=OpCapability StorageImageWriteWithoutFormat", "IMAGE=%float 2D 0 0 0 2 Unknown", "VAR=image", "BODY=OpImageWrite %x %i2 %c4")
	for _, x := range []struct {
		final ImageLayout
		want  []string
	}{{GeneralLayout, nil}, {ColorAttachmentLayout, []string{rule09600}}, {UndefinedLayout, nil}} {
		s := newLayoutScene(t, writes, string(iface.StorageImage), 0)
		v := s.image("R8G8B8A8_UNORM", func(i *ImageInfo, v *ImageViewInfo) { i.Usage |= ImageColorAttachment })
		pass := must(s.dev.NewRenderPass(RenderPassInfo{
			Attachments: []AttachmentDescription{{Format: v.image.info.Format, Load: ClearOnLoad, Final: x.final}}, Subpasses: []Subpass{{Colors: []uint32{0}}},
		}))(t)
		f := must(s.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Attachments: []*ImageView{v}, Width: 8, Height: 8, Layers: 1}))(t)
		got := s.run(t, v, GeneralLayout, 1, func(c *CommandBuffer) {
			laid(t, v.image, UndefinedLayout)
			c.BeginRenderPass(RenderPassBegin{RenderPass: pass, Framebuffer: f, Clears: []ClearValue{opaque}}, Inline)
			c.EndRenderPass()
		})
		if !slices.Equal(got, x.want) {
			t.Errorf("final layout %d: the findings are %q; must be %q", x.final, got, x.want)
		}
	}
}

package vk

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
)

// besideTile is shadesTile with another binding of the same image, which is no tile attachment. ACCESS is an access of it.
var besideTile = strings.NewReplacer(
	"%dims %color", "%dims %color %other",
	"%void = OpTypeVoid", "OpDecorate %other DescriptorSet 0\nOpDecorate %other Binding 1\n%void = OpTypeVoid",
	"%p3 = OpTypePointer Input %v3", "%pother = OpTypePointer UniformConstant %image\n%other = OpVariable %pother UniformConstant\n%p3 = OpTypePointer Input %v3",
	"OpImageWrite %i %p %texel", "%o = OpLoad %image %other\nACCESS",
).Replace(shadesTile)

// TestTileRules breaks each rule on the shaders and the attachments of tile shading that full checking judges.
func TestTileRules(t *testing.T) {
	tile := func(c *CommandBuffer, h *tileScene, p *ComputePipeline) {
		c.BindPipeline(p)
		c.BeginPerTile()
		c.Dispatch(1, 1, 1)
		c.EndPerTile()
	}
	inDraw := func(c *CommandBuffer, h *tileScene, _ *ComputePipeline) {
		p, b := h.drawn(t, "0", 20)
		c.BeginPerTile()
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: b}})
		c.BindGraphicsPipeline(p)
		c.Draw(3, 1, 0, 0)
		c.EndPerTile()
	}
	straight := strings.NewReplacer("OpSelectionMerge %end None\nOpBranchConditional %in %then %end\n%then = OpLabel\n", "", "OpBranch %end\n%end = OpLabel\n", "", "MODE", "TileShadingRateQCOM 1 1 1", "STEPX", "1", "STEPY", "1").Replace(shadesTile)
	for _, x := range []struct {
		rule, off, text string
		layers          uint32
		record          func(c *CommandBuffer, h *tileScene, p *ComputePipeline)
	}{
		{"", "", "", 1, tile},
		{"", "", "", 1, inDraw},
		{"VUID-VkRenderPassTileShadingCreateInfoQCOM-tileShading-10658", "tileShading", "", 1, nil},
		{"VUID-vkCmdDispatch-None-10674", "tileShadingPerTileDispatch", "", 1, tile},
		{"VUID-vkCmdDraw-None-10677", "tileShadingPerTileDraw", "", 1, inDraw},
		{"VUID-vkCmdDispatchTileQCOM-None-10669", "tileShadingDispatchTile", "", 1, func(c *CommandBuffer, _ *tileScene, _ *ComputePipeline) {
			c.BeginPerTile()
			c.DispatchTile()
			c.EndPerTile()
		}},
		{"VUID-RuntimeSpirv-OpTypeImage-10707", "tileShadingColorAttachments", "", 1, tile},
		{"VUID-vkCmdDispatch-None-10675", "", strings.Replace(besideTile, "ACCESS", "OpImageWrite %o %p %texel", 1), 1, tile},
		{"VUID-vkCmdDispatch-None-10676", "", strings.Replace(besideTile, "ACCESS", "%q = OpImageRead %v4 %o %p\nOpImageWrite %i %p %q", 1), 1, tile},
		{"VUID-vkCmdDispatch-None-10679", "", straight, 1, func(c *CommandBuffer, h *tileScene, p *ComputePipeline) {
			laid(t, h.image, FeedbackLoopLayout)
			tile(c, h, p)
		}},
		{"", "", straight, 1, func(c *CommandBuffer, h *tileScene, p *ComputePipeline) {
			laid(t, h.image, GeneralLayout)
			tile(c, h, p)
		}},
		{"VUID-RuntimeSpirv-tileSize-10705", "", strings.Replace(shadesTile, "MODE", "TileShadingRateQCOM 1 1 2", 1), 3, func(c *CommandBuffer, _ *tileScene, p *ComputePipeline) {
			c.BindPipeline(p)
			c.BeginPerTile()
			c.DispatchTile()
			c.EndPerTile()
		}},
	} {
		h := newTileScene(t, DeviceInfo{})
		h.dev.checking = All
		p := h.both(t, x.text)
		if x.off != "" {
			h.dev.env.Device = features(false, x.off)
		}
		info := h.rendering(TileShading{Enable: true})
		if x.layers > 1 {
			info.Colors, info.Layers = nil, x.layers
		}
		c := must(h.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		for _, point := range []BindPoint{Compute, Graphics} {
			c.BindSets(point, h.layout, 0, []*Set{h.set}, nil)
		}
		c.BeginRendering(info)
		if x.record != nil {
			x.record(c, h, p)
		}
		c.EndRendering()
		err := c.End()
		if err == nil {
			err = h.submit(t, c)
		}
		if ruleOf(err) != x.rule || x.rule == "" && err != nil {
			t.Errorf("%v; must have the rule %q", err, x.rule)
		}
	}
}

// both makes a layout with the image at two bindings, and a pipeline of a shader for it, which is shadesTile by default.
func (h *tileScene) both(t testing.TB, text string) *ComputePipeline {
	t.Helper()
	var list []link.Binding
	for n := range uint32(2) {
		list = append(list, link.Binding{Binding: n, Type: link.DescriptorType(iface.StorageImage), Count: 1, Stages: link.AllStages})
	}
	sets := must(h.dev.NewSetLayout(SetLayoutInfo{Bindings: list}))(t)
	h.layout = must(h.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{sets}}))(t)
	h.set = must(must(h.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(sets))(t)
	for n := range uint32(2) {
		if err := h.set.Update(Write{Binding: n, Images: []ImageDescriptor{{View: h.view}}}); err != nil {
			t.Fatal(err)
		}
	}
	if text == "" {
		text = shadesTile
	}
	text = strings.NewReplacer("MODE", "LocalSize 1 1 1", "STEPX", "1", "STEPY", "1").Replace(text)
	return must(h.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Code: code(t, text)}, Layout: h.layout}))(t)
}

// TestTilePasses runs tiles in the second subpass of a render pass, in a secondary command buffer: the tile attachment is the color
// attachment. An inheritance that does not fit breaks a rule.
func TestTilePasses(t *testing.T) {
	on := TileShading{Enable: true, Apron: [2]uint32{1, 1}}
	inside := on
	inside.PerTile = true
	for _, x := range []struct {
		rule     string
		inherits TileShading
		perTile  bool
		render   TileShading
		subpass  SubpassFlags
	}{
		{"", inside, true, on, 0},
		{"", inside, true, on, TileApronSubpass},
		{"VUID-VkSubpassDescription2-flags-10683", TileShading{}, true, TileShading{Enable: true}, TileApronSubpass},
		{"VUID-vkCreateRenderPass2-flags-10649", TileShading{}, true, inside, 0},
		{"VUID-VkCommandBufferBeginInfo-flags-10617", TileShading{}, true, on, 0},
		{"VUID-VkCommandBufferBeginInfo-flags-10618", on, true, TileShading{}, 0},
		{"VUID-VkCommandBufferBeginInfo-flags-10619", TileShading{Enable: true, PerTile: true}, true, on, 0},
		{"VUID-VkRenderPassTileShadingCreateInfoQCOM-flags-10660", TileShading{PerTile: true}, true, TileShading{}, 0},
		{"VUID-vkCmdExecuteCommands-pCommandBuffers-10621", on, true, on, 0},
		{"VUID-vkCmdExecuteCommands-pCommandBuffers-10624", inside, false, on, 0},
	} {
		h := newTileScene(t, DeviceInfo{Engine: interp.Engine{}})
		h.dev.checking = All
		err := h.passes(t, on, x.inherits, x.render, x.perTile, x.subpass)
		if ruleOf(err) != x.rule || x.rule == "" && err != nil {
			t.Errorf("%v; must have the rule %q", err, x.rule)
		}
	}
}

func (h *tileScene) passes(t testing.TB, on, inherits, render TileShading, perTile bool, flags SubpassFlags) error {
	t.Helper()
	pass, err := h.dev.NewRenderPass(RenderPassInfo{
		Attachments: []AttachmentDescription{{Format: formatOf(t, "R32_UINT"), Load: ClearOnLoad}},
		Subpasses:   []Subpass{{Colors: []uint32{0}}, {Colors: []uint32{0}, Flags: flags}},
		Tiles:       render,
	})
	if err != nil {
		return err
	}
	f := must(h.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Attachments: []*ImageView{h.view}, Width: 20, Height: 12, Layers: 1}))(t)
	p := h.shader(t, "TileShadingRateQCOM 1 1 1", "1", "1")
	s := must(h.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
	if err := s.Begin(BeginInfo{Inheritance: &InheritanceInfo{Continue: true, RenderPass: pass, Subpass: 1, Tiles: inherits}}); err != nil {
		return err
	}
	s.BindSets(Compute, h.layout, 0, []*Set{h.set}, nil)
	s.BindPipeline(p)
	if inherits.PerTile {
		s.DispatchTile()
	}
	if err := s.End(); err != nil {
		return err
	}
	c := must(h.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	c.BeginRenderPass(RenderPassBegin{RenderPass: pass, Framebuffer: f, Clears: []ClearValue{{Color: [4]uint32{5}}}}, Inline)
	c.NextSubpass(InlineAndSecondary)
	if perTile {
		c.BeginPerTile()
	}
	c.Execute(s)
	if perTile {
		c.EndPerTile()
	}
	c.EndRenderPass()
	c.CopyImageToBuffer(h.image, h.out, []BufferImageCopy{{Extent: [3]int{20, 12, 1}}})
	if err := c.End(); err != nil {
		return err
	}
	if err := h.submit(t, c); err != nil {
		return err
	}
	for i := range 20 * 12 {
		if got := h.bytes[4*i]; got != 5+32 {
			t.Fatalf("pixel %d is %d; must be %d", i, got, 5+32)
		}
	}
	return nil
}

// TestTileDepth reads the depth attachment as a tile attachment through a sampled image, and breaks the rules on its kind.
func TestTileDepth(t *testing.T) {
	sampled := strings.NewReplacer("MODE", "LocalSize 1 1 1", "STEPX", "1", "STEPY", "1",
		"%image = OpTypeImage %uint 2D 0 0 0 2 R32ui", "%float = OpTypeFloat 32\n%v4f = OpTypeVector %float 4\n%f0 = OpConstant %float 0\n%mid = OpConstantComposite %v2f %f0 %f0\n%plain = OpTypeImage %float 2D 0 0 0 1 Unknown\n%image = OpTypeSampledImage %plain",
		"%v2 = OpTypeVector %uint 2", "%float = OpTypeFloat 32\n%v2f = OpTypeVector %float 2\n%v2 = OpTypeVector %uint 2",
		"OpImageWrite %i %p %texel", "",
		"%t = OpImageRead %v4 %i %p\n%old = OpCompositeExtract %uint %t 0", "%t = OpImageSampleExplicitLod %v4f %i %mid Lod %f0\n%ft = OpCompositeExtract %float %t 0\n%old = OpBitcast %uint %ft",
	).Replace(shadesTile)
	sampled = strings.Replace(sampled, "%float = OpTypeFloat 32\n%v4f", "%v4f", 1)
	for _, x := range []struct {
		rule, off, format string
		aspect            Aspect
	}{
		{"", "", "D32_SFLOAT", Depth},
		{"", "", "D32_SFLOAT", 0}, // the aspect of the format
		{"VUID-RuntimeSpirv-OpTypeImage-10708", "tileShadingDepthAttachments", "D32_SFLOAT", Depth},
		{"VUID-RuntimeSpirv-OpTypeSampledImage-10711", "tileShadingSampledAttachments", "D32_SFLOAT", Depth},
		{"VUID-RuntimeSpirv-OpTypeImage-10709", "tileShadingStencilAttachments", "S8_UINT", Stencil},
	} {
		h := newTileScene(t, DeviceInfo{})
		h.dev.checking = All
		m := must(h.dev.Allocate(MemoryInfo{Size: 1 << 16}))(t)
		image := must(h.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, x.format), Extent: [3]int{20, 12, 1}, Usage: ImageDepthStencilAttachment | ImageSampled | ImageInputAttachment}))(t)
		if err := image.Bind(m, 0); err != nil {
			t.Fatal(err)
		}
		view := must(h.dev.NewImageView(ImageViewInfo{Image: image, Type: enum.ViewType2d, Aspect: x.aspect}))(t)
		sampler := must(h.dev.NewSampler(SamplerInfo{}))(t)
		sets := must(h.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.DescriptorType(iface.CombinedImageSampler), Count: 1, Stages: link.AllStages}}}))(t)
		layout := must(h.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{sets}}))(t)
		set := must(must(h.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(sets))(t)
		if err := set.Update(Write{Images: []ImageDescriptor{{View: view, Sampler: sampler}}}); err != nil {
			t.Fatal(err)
		}
		text := sampled
		if x.aspect == Stencil {
			text = strings.NewReplacer("%plain = OpTypeImage %float", "%plain = OpTypeImage %uint", "OpImageSampleExplicitLod %v4f", "OpImageSampleExplicitLod %v4",
				"%ft = OpCompositeExtract %float %t 0\n%old = OpBitcast %uint %ft", "%old = OpCompositeExtract %uint %t 0").Replace(text)
		}
		p := must(h.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Code: code(t, text)}, Layout: layout}))(t)
		if x.off != "" {
			h.dev.env.Device = features(false, x.off)
		}
		c := must(h.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		c.BindSets(Compute, layout, 0, []*Set{set}, nil)
		info := RenderingInfo{Area: Rect{Width: 20, Height: 12}, Tiles: TileShading{Enable: true}}
		if a := &(AttachmentInfo{View: view, Load: ClearOnLoad}); x.aspect != Stencil {
			info.Depth = a
		} else {
			info.Stencil = a
		}
		c.BeginRendering(info)
		c.BindPipeline(p)
		c.BeginPerTile()
		c.Dispatch(1, 1, 1)
		c.EndPerTile()
		c.EndRendering()
		err := c.End()
		if err == nil {
			err = h.submit(t, c)
		}
		if ruleOf(err) != x.rule || x.rule == "" && err != nil {
			t.Errorf("%v; must have the rule %q", err, x.rule)
		}
	}
}

// TestTileInput reads an input attachment of the subpass as a tile attachment, and needs the feature for it.
func TestTileInput(t *testing.T) {
	for _, off := range []string{"", "tileShadingInputAttachments"} {
		h := newTileScene(t, DeviceInfo{})
		h.dev.checking = All
		h.image = must(h.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R32_UINT"), Extent: [3]int{20, 12, 1}, Usage: ImageColorAttachment | ImageInputAttachment | ImageStorage | ImageTransferSource}))(t)
		if err := h.image.Bind(must(h.dev.Allocate(MemoryInfo{Size: 1 << 16}))(t), 0); err != nil {
			t.Fatal(err)
		}
		h.view = must(h.dev.NewImageView(ImageViewInfo{Image: h.image, Type: enum.ViewType2d}))(t)
		sets := must(h.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.DescriptorType(iface.InputAttachment), Count: 1, Stages: link.StageCompute}}}))(t)
		h.layout = must(h.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{sets}}))(t)
		h.set = must(must(h.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(sets))(t)
		if err := h.set.Update(Write{Images: []ImageDescriptor{{View: h.view}}}); err != nil {
			t.Fatal(err)
		}
		pass := must(h.dev.NewRenderPass(RenderPassInfo{
			Attachments: []AttachmentDescription{{Format: formatOf(t, "R32_UINT"), Load: ClearOnLoad}},
			Subpasses:   []Subpass{{Inputs: []InputReference{{Attachment: 0, Aspects: Color}}}},
			Tiles:       TileShading{Enable: true},
		}))(t)
		f := must(h.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Attachments: []*ImageView{h.view}, Width: 20, Height: 12, Layers: 1}))(t)
		p := h.shader(t, "LocalSize 1 1 1", "1", "1")
		if off != "" {
			h.dev.env.Device = features(false, off)
		}
		err := h.submit(t, h.record(t, func(c *CommandBuffer) {
			c.BindSets(Compute, h.layout, 0, []*Set{h.set}, nil)
			c.BeginRenderPass(RenderPassBegin{RenderPass: pass, Framebuffer: f, Clears: []ClearValue{{Color: [4]uint32{5}}}}, Inline)
			c.BindPipeline(p)
			c.BeginPerTile()
			c.Dispatch(1, 1, 1)
			c.EndPerTile()
			c.EndRenderPass()
		}))
		if rule := ruleOf(err); off == "" && err != nil || off != "" && rule != "VUID-RuntimeSpirv-OpTypeImage-10710" {
			t.Errorf("without %q: %v", off, err)
		}
	}
}

// TestTileStages draws with other stages than vertex and fragment stages in a rendering with tile shading.
func TestTileStages(t *testing.T) {
	s := clusterScene(t, DeviceInfo{Checking: All}, unindexed)
	info := s.rendering()
	info.Tiles.Enable = true
	if err := s.submit(t, s.record(t, func(c *CommandBuffer) {
		c.BeginRendering(info)
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		c.DrawCluster(1, 1, 1)
		c.EndRendering()
	})); !strings.HasSuffix(ruleOf(err), "-None-10678") {
		t.Errorf("%v; must break the rule VUID-vkCmdDraw-None-10678", err)
	}
}

// TestTileWrites writes the depth attachment as a tile attachment.
func TestTileWrites(t *testing.T) {
	h := newTileScene(t, DeviceInfo{})
	h.dev.checking = All
	image := must(h.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "D32_SFLOAT"), Extent: [3]int{20, 12, 1}, Usage: ImageDepthStencilAttachment | ImageStorage}))(t)
	if err := image.Bind(must(h.dev.Allocate(MemoryInfo{Size: 1 << 16}))(t), 0); err != nil {
		t.Fatal(err)
	}
	view := must(h.dev.NewImageView(ImageViewInfo{Image: image, Type: enum.ViewType2d, Aspect: Depth}))(t)
	if err := h.set.Update(Write{Images: []ImageDescriptor{{View: view}}}); err != nil {
		t.Fatal(err)
	}
	p := h.shader(t, "LocalSize 1 1 1", "1", "1")
	info := h.rendering(TileShading{Enable: true})
	info.Colors, info.Depth = nil, &AttachmentInfo{View: view, Load: ClearOnLoad}
	err := h.submit(t, h.record(t, func(c *CommandBuffer) {
		c.BindSets(Compute, h.layout, 0, []*Set{h.set}, nil)
		c.BeginRendering(info)
		c.BindPipeline(p)
		c.BeginPerTile()
		c.Dispatch(1, 1, 1)
		c.EndPerTile()
		c.EndRendering()
	}))
	if ruleOf(err) != "VUID-vkCmdDispatch-aspectMask-10673" {
		t.Errorf("%v; must break the rule VUID-vkCmdDispatch-aspectMask-10673", err)
	}
}

// TestTileSanitizer reads and writes a tile attachment beyond the tile, which is 32 pixels wide.
func TestTileSanitizer(t *testing.T) {
	for _, engine := range []exec.Engine{nil, interp.Engine{}} {
		var found []string
		h := newTileScene(t, DeviceInfo{Engine: engine, Sanitize: SanitizeBounds, Reports: func(r Report) { found = append(found, r.Rule) }})
		text := strings.NewReplacer("%u20 = OpConstant %uint 20", "%u20 = OpConstant %uint 33", "MODE", "LocalSize 3 1 1", "STEPX", "16", "STEPY", "1").Replace(shadesTile)
		p := must(h.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Code: code(t, text)}, Layout: h.layout}))(t)
		if err := h.run(t, TileShading{Enable: true}, func(c *CommandBuffer) {
			c.BindPipeline(p)
			c.BeginPerTile()
			c.Dispatch(1, 1, 1)
			c.EndPerTile()
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(found, "VUID-RuntimeSpirv-Coordinate-10713") {
			t.Errorf("%q; must contain VUID-RuntimeSpirv-Coordinate-10713", found)
		}
	}
}

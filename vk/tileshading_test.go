package vk

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
)

// shadesTile adds the width of the tile to the first pixel of its block, if that is in an image of 20×12 pixels.
const shadesTile = `OpCapability Shader
OpCapability TileShadingQCOM
OpExtension "SPV_QCOM_tile_shading"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %dims %color
OpExecutionMode %main MODE
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %dims BuiltIn TileDimensionQCOM
OpDecorate %color DescriptorSet 0
OpDecorate %color Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%v2 = OpTypeVector %uint 2
%v3 = OpTypeVector %uint 3
%v4 = OpTypeVector %uint 4
%u0 = OpConstant %uint 0
%sx = OpConstant %uint STEPX
%sy = OpConstant %uint STEPY
%u20 = OpConstant %uint 20
%u12 = OpConstant %uint 12
%image = OpTypeImage %uint 2D 0 0 0 2 R32ui
%pimage = OpTypePointer TileAttachmentQCOM %image
%color = OpVariable %pimage TileAttachmentQCOM
%p3 = OpTypePointer Input %v3
%p2 = OpTypePointer Input %v2
%id = OpVariable %p3 Input
%dims = OpVariable %p2 Input
%main = OpFunction %void None %fn
%l = OpLabel
%at = OpLoad %v3 %id
%x = OpCompositeExtract %uint %at 0
%y = OpCompositeExtract %uint %at 1
%px = OpIMul %uint %x %sx
%py = OpIMul %uint %y %sy
%inx = OpULessThan %bool %px %u20
%iny = OpULessThan %bool %py %u12
%in = OpLogicalAnd %bool %inx %iny
OpSelectionMerge %end None
OpBranchConditional %in %then %end
%then = OpLabel
%p = OpCompositeConstruct %v2 %px %py
%i = OpLoad %image %color
%t = OpImageRead %v4 %i %p
%old = OpCompositeExtract %uint %t 0
%d = OpLoad %v2 %dims
%w = OpCompositeExtract %uint %d 0
%new = OpIAdd %uint %old %w
%texel = OpCompositeConstruct %v4 %new %u0 %u0 %u0
OpImageWrite %i %p %texel
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
`

// tileScene is a rendering with tile shading to an image of 20×12 pixels.
type tileScene struct {
	*rig
	image  *Image
	view   *ImageView
	layout *PipelineLayout
	set    *Set
	out    *Buffer
	bytes  []byte
}

func newTileScene(t testing.TB, info DeviceInfo) *tileScene {
	t.Helper()
	h := &tileScene{rig: newRig(t, info, storage)}
	m := must(h.dev.Allocate(MemoryInfo{Size: 1 << 16}))(t)
	h.image = must(h.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R32_UINT"), Extent: [3]int{20, 12, 1}, Usage: ImageColorAttachment | ImageStorage | ImageTransferSource}))(t)
	if err := h.image.Bind(m, 0); err != nil {
		t.Fatal(err)
	}
	h.view = must(h.dev.NewImageView(ImageViewInfo{Image: h.image, Type: enum.ViewType2d}))(t)
	h.out = must(h.dev.NewBuffer(BufferInfo{Size: 4 * 20 * 12, Usage: TransferTarget}))(t)
	if err := h.out.Bind(m, 1<<15); err != nil {
		t.Fatal(err)
	}
	h.bytes = m.Bytes()[1<<15:][: 4*20*12 : 4*20*12]
	sets := must(h.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: link.DescriptorType(iface.StorageImage), Count: 1, Stages: link.AllStages}}}))(t)
	h.layout = must(h.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{sets}}))(t)
	h.set = must(must(h.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(sets))(t)
	if err := h.set.Update(Write{Images: []ImageDescriptor{{View: h.view}}}); err != nil {
		t.Fatal(err)
	}
	return h
}

// shader makes a pipeline with a mode and invocations for blocks of a size.
func (h *tileScene) shader(t testing.TB, mode, x, y string) *ComputePipeline {
	t.Helper()
	text := strings.NewReplacer("MODE", mode, "STEPX", x, "STEPY", y).Replace(shadesTile)
	return must(h.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: StageInfo{Code: code(t, text)}, Layout: h.layout}))(t)
}

// rendering is a rendering that clears to 100.
func (h *tileScene) rendering(tiles TileShading) RenderingInfo {
	return RenderingInfo{Area: Rect{Width: 20, Height: 12}, Colors: []AttachmentInfo{{View: h.view, Load: ClearOnLoad, Clear: [4]uint32{100}}}, Tiles: tiles}
}

// run submits a rendering with commands and copies the image out.
func (h *tileScene) run(t testing.TB, tiles TileShading, f func(c *CommandBuffer)) error {
	t.Helper()
	return h.submit(t, h.record(t, func(c *CommandBuffer) {
		c.BindSets(Compute, h.layout, 0, []*Set{h.set}, nil)
		c.BindSets(Graphics, h.layout, 0, []*Set{h.set}, nil)
		c.BeginRendering(h.rendering(tiles))
		f(c)
		c.EndRendering()
		c.CopyImageToBuffer(h.image, h.out, []BufferImageCopy{{Extent: [3]int{20, 12, 1}}})
	}))
}

// TestTileDispatch dispatches the tile: an invocation for each block of the rate, up to the next multiple of 16 pixels. A
// dispatch of workgroups runs once for the only tile. Both see the clear of the rendering and one another.
func TestTileDispatch(t *testing.T) {
	for _, info := range []DeviceInfo{{Workers: 1}, {Workers: 2}, {Workers: 4}, {Engine: interp.Engine{}}} {
		for _, rate := range [][2]string{{"1", "1"}, {"2", "4"}, {"8", "8"}} {
			h := newTileScene(t, info)
			h.dev.checking = All
			tile := h.shader(t, "TileShadingRateQCOM "+rate[0]+" "+rate[1]+" 1", rate[0], rate[1])
			groups := h.shader(t, "LocalSize 4 4 1", "4", "4")
			if err := h.run(t, TileShading{Enable: true}, func(c *CommandBuffer) {
				c.BeginPerTile()
				c.BindPipeline(tile)
				c.DispatchTile()
				c.BindPipeline(groups)
				c.Dispatch(2, 1, 1)
				c.EndPerTile()
			}); err != nil {
				t.Fatal(err)
			}
			step := [2]int{int(rate[0][0] - '0'), int(rate[1][0] - '0')}
			for i := range 20 * 12 {
				x, y := i%20, i/20
				want := uint32(100)
				if x%step[0] == 0 && y%step[1] == 0 {
					want += 32
				}
				if x%4 == 0 && y%4 == 0 {
					want += 32
				}
				if got := binary.LittleEndian.Uint32(h.bytes[4*i:]); got != want {
					t.Fatalf("%+v, rate %v: pixel %d, %d is %d; must be %d", info, rate, x, y, got, want)
				}
			}
		}
	}
}

// TestTileProperties checks the tiles of framebuffers and renderings.
func TestTileProperties(t *testing.T) {
	h := newTileScene(t, DeviceInfo{})
	if tile := must(h.dev.RenderingTile(h.rendering(TileShading{Enable: true, Apron: [2]uint32{2, 3}})))(t); tile != (Tile{32, 16, 1, [2]uint32{2, 3}}) {
		t.Errorf("%+v", tile)
	}
	if tile := must(h.dev.RenderingTile(RenderingInfo{Area: Rect{X: 16, Y: 1, Width: 16, Height: 16}, ViewMask: 5}))(t); tile != (Tile{32, 32, 3, [2]uint32{}}) {
		t.Errorf("%+v", tile)
	}
	p := must(h.dev.NewRenderPass(RenderPassInfo{
		Attachments: []AttachmentDescription{{Format: formatOf(t, "R32_UINT"), Load: ClearOnLoad}},
		Subpasses:   []Subpass{{Colors: []uint32{0}}, {Colors: []uint32{0}, Flags: TileApronSubpass}},
		Tiles:       TileShading{Enable: true, Apron: [2]uint32{1, 1}},
	}))(t)
	f := must(h.dev.NewFramebuffer(FramebufferInfo{RenderPass: p, Attachments: []*ImageView{h.view}, Width: 16, Height: 12, Layers: 1}))(t)
	if tiles := f.Tiles(); !slices.Equal(tiles, []Tile{{16, 16, 1, [2]uint32{}}, {16, 16, 1, [2]uint32{1, 1}}}) {
		t.Errorf("%+v", tiles)
	}
}

// TestTileCommands breaks each rule on commands of tile shading.
func TestTileCommands(t *testing.T) {
	on := TileShading{Enable: true}
	within := func(f func(c *CommandBuffer, p *ComputePipeline)) func(c *CommandBuffer, p *ComputePipeline) {
		return func(c *CommandBuffer, p *ComputePipeline) {
			c.BindPipeline(p)
			c.BeginPerTile()
			f(c, p)
			if c.scope.perTile {
				c.EndPerTile()
			}
		}
	}
	for name, x := range map[string]struct {
		rule, mode string
		tiles      TileShading
		record     func(c *CommandBuffer, p *ComputePipeline)
	}{
		"no tiles":      {"VUID-vkCmdBeginPerTileExecutionQCOM-None-10664", "", TileShading{}, func(c *CommandBuffer, _ *ComputePipeline) { c.BeginPerTile() }},
		"end, no tiles": {"VUID-vkCmdEndPerTileExecutionQCOM-None-10667", "", TileShading{}, func(c *CommandBuffer, _ *ComputePipeline) { c.EndPerTile() }},
		"end alone":     {"VUID-vkCmdEndPerTileExecutionQCOM-None-10666", "", on, func(c *CommandBuffer, _ *ComputePipeline) { c.EndPerTile() }},
		"not ended":     {"VUID-vkCmdEndRendering-None-10645", "", on, func(c *CommandBuffer, _ *ComputePipeline) { c.BeginPerTile() }},
		"clear":         {"VUID-vkCmdClearAttachments-None-10616", "", on, within(func(c *CommandBuffer, _ *ComputePipeline) { c.ClearAttachments(Clears{}) })},
		"wait":          {"VUID-vkCmdWaitEvents-None-10655", "", on, within(func(c *CommandBuffer, _ *ComputePipeline) { c.WaitEvents() })},
		"wait for one":  {"VUID-vkCmdWaitEvents-None-10655", "", on, within(func(c *CommandBuffer, _ *ComputePipeline) { c.WaitEvent(nil) })},
		"timestamp":     {"VUID-vkCmdWriteTimestamp-None-10640", "", on, within(func(c *CommandBuffer, _ *ComputePipeline) { c.WriteTimestamp(nil, 0) })},
		"query":         {"VUID-vkCmdBeginQuery-None-10681", "", on, within(func(c *CommandBuffer, _ *ComputePipeline) { c.BeginQuery(nil, 0, 0) })},
		"query end":     {"VUID-vkCmdEndQuery-None-10682", "", on, within(func(c *CommandBuffer, _ *ComputePipeline) { c.EndQuery(nil, 0) })},
		"feedback":      {"VUID-vkCmdBeginTransformFeedbackEXT-None-10656", "", on, within(func(c *CommandBuffer, _ *ComputePipeline) { c.BeginTransformFeedback(0, nil) })},
		"feedback end":  {"VUID-vkCmdEndTransformFeedbackEXT-None-10657", "", on, within(func(c *CommandBuffer, _ *ComputePipeline) { c.EndTransformFeedback(0, nil) })},
		"tile outside":  {"VUID-vkCmdDispatchTileQCOM-None-10668", "", on, func(c *CommandBuffer, p *ComputePipeline) { c.BindPipeline(p); c.DispatchTile() }},
		"not per tile":  {"VUID-RuntimeSpirv-TileShadingQCOM-10701", "LocalSize 1 1 1", on, func(c *CommandBuffer, p *ComputePipeline) { c.BindPipeline(p); c.Dispatch(1, 1, 1) }},
		"not in tiles":  {"VUID-RuntimeSpirv-TileShadingQCOM-10700", "LocalSize 1 1 1", TileShading{}, func(c *CommandBuffer, p *ComputePipeline) { c.BindPipeline(p); c.Dispatch(1, 1, 1) }},
		"layers":        {"VUID-RuntimeSpirv-z-10704", "TileShadingRateQCOM 1 1 2", on, within(func(c *CommandBuffer, _ *ComputePipeline) { c.DispatchTile() })},
		"begun":         {"VUID-vkCmdBeginRendering-flags-10642", "", TileShading{Enable: true, PerTile: true}, func(*CommandBuffer, *ComputePipeline) {}},
		"apron alone":   {"VUID-VkRenderPassTileShadingCreateInfoQCOM-flags-10659", "", TileShading{Apron: [2]uint32{1, 1}}, func(*CommandBuffer, *ComputePipeline) {}},
		"apron wide":    {"VUID-VkRenderPassTileShadingCreateInfoQCOM-tileApronSize-10662", "", TileShading{Enable: true, Apron: [2]uint32{65, 1}}, func(*CommandBuffer, *ComputePipeline) {}},
		"apron high":    {"VUID-VkRenderPassTileShadingCreateInfoQCOM-tileApronSize-10663", "", TileShading{Enable: true, Apron: [2]uint32{1, 65}}, func(*CommandBuffer, *ComputePipeline) {}},
	} {
		h := newTileScene(t, DeviceInfo{})
		h.dev.checking = All
		mode := x.mode
		if mode == "" {
			mode = "TileShadingRateQCOM 1 1 1"
		}
		p := h.shader(t, mode, "1", "1")
		c := must(h.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		c.BindSets(Compute, h.layout, 0, []*Set{h.set}, nil)
		c.BeginRendering(h.rendering(x.tiles))
		x.record(c, p)
		c.EndRendering()
		err := c.End()
		if err == nil {
			err = h.submit(t, c)
		}
		if ruleOf(err) != x.rule {
			t.Errorf("%s: %v; must have the rule %s", name, err, x.rule)
		}
	}
}

// readsTile writes 1 more than the tile attachment has at the pixel, which is OFFSET to the right, at most 19.
const readsTile = `OpCapability Shader
OpCapability TileShadingQCOM
OpExtension "SPV_QCOM_tile_shading"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %coord %out %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %coord BuiltIn FragCoord
OpDecorate %out Location 0
OpDecorate %color DescriptorSet 0
OpDecorate %color Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v2 = OpTypeVector %uint 2
%v4 = OpTypeVector %uint 4
%v4f = OpTypeVector %float 4
%u1 = OpConstant %uint 1
%u19 = OpConstant %uint 19
%more = OpConstant %uint OFFSET
%image = OpTypeImage %uint 2D 0 0 0 2 R32ui
%pimage = OpTypePointer TileAttachmentQCOM %image
%color = OpVariable %pimage TileAttachmentQCOM
%p4f = OpTypePointer Input %v4f
%po = OpTypePointer Output %uint
%coord = OpVariable %p4f Input
%out = OpVariable %po Output
%main = OpFunction %void None %fn
%l = OpLabel
%at = OpLoad %v4f %coord
%fx = OpCompositeExtract %float %at 0
%fy = OpCompositeExtract %float %at 1
%x0 = OpConvertFToU %uint %fx
%y = OpConvertFToU %uint %fy
%x1 = OpIAdd %uint %x0 %more
%inside = OpULessThan %bool %x1 %u19
%x = OpSelect %uint %inside %x1 %u19
%p = OpCompositeConstruct %v2 %x %y
%i = OpLoad %image %color
%t = OpImageRead %v4 %i %p
%old = OpCompositeExtract %uint %t 0
%new = OpIAdd %uint %old %u1
OpStore %out %new
OpReturn
OpFunctionEnd
`

// drawn makes a pipeline that covers the left columns of the image with three vertices of a buffer.
func (h *tileScene) drawn(t testing.TB, offset string, width uint32) (*GraphicsPipeline, *Buffer) {
	t.Helper()
	return h.shaded(t, strings.Replace(readsTile, "OFFSET", offset, 1), width)
}

// shaded is drawn with a fragment shader.
func (h *tileScene) shaded(t testing.TB, fragment string, width uint32) (*GraphicsPipeline, *Buffer) {
	t.Helper()
	m := must(h.dev.Allocate(MemoryInfo{Size: 64}))(t)
	b := must(h.dev.NewBuffer(BufferInfo{Size: 64, Usage: VertexBufferUsage}))(t)
	if err := b.Bind(m, 0); err != nil {
		t.Fatal(err)
	}
	for i, x := range []float32{-1, -1, .5, 1, 3, -1, .5, 1, -1, 3, .5, 1} {
		binary.LittleEndian.PutUint32(m.Bytes()[4*i:], math.Float32bits(x))
	}
	return must(h.dev.NewGraphicsPipeline(context.Background(), GraphicsPipelineInfo{
		Vertex: &StageInfo{Code: code(t, positions)}, Fragment: &StageInfo{Code: code(t, fragment)}, Layout: h.layout, State: h.drawState(t, width),
	}))(t), b
}

// drawState is the state of draws to the left columns of the image.
func (h *tileScene) drawState(t testing.TB, width uint32) FixedState {
	return FixedState{
		Vertex:        &link.VertexInput{Bindings: []link.VertexBinding{{Stride: 16}}, Attributes: []link.Attribute{{Format: formatOf(t, "R32G32B32A32_SFLOAT")}}},
		Assembly:      &link.InputAssembly{Topology: enum.TopologyTriangleList},
		Rasterization: &link.Rasterization{LineWidth: 1},
		Multisample:   &link.Multisample{Samples: 1},
		Blend:         &link.ColorBlend{Attachments: []link.Blend{{}}},
		Rendering:     link.Rendering{Color: []link.Format{formatOf(t, "R32_UINT")}},
		Viewports:     []Viewport{{Width: 20, Height: 12, MaxDepth: 1}},
		Scissors:      []Rect{{Width: width, Height: 12}},
	}
}

// TestTileReads draws seven triangles over one another. Their fragments read their pixels in the order of rasterization. Then a
// dispatch adds to some pixels, and a draw to the left half reads the pixels of the right half after a barrier.
func TestTileReads(t *testing.T) {
	for _, info := range []DeviceInfo{{Workers: 1}, {Workers: 2}, {Workers: 4}, {Engine: interp.Engine{}}} {
		h := newTileScene(t, info)
		h.dev.checking = All
		own, b := h.drawn(t, "0", 20)
		other, _ := h.drawn(t, "10", 10)
		groups := h.shader(t, "LocalSize 4 4 1", "4", "4")
		if err := h.run(t, TileShading{Enable: true}, func(c *CommandBuffer) {
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: b}})
			c.BindGraphicsPipeline(own)
			c.Draw(3, 7, 0, 0)
			c.BeginPerTile()
			c.BindPipeline(groups)
			c.Dispatch(2, 1, 1)
			c.Barrier()
			c.BindGraphicsPipeline(other)
			c.Draw(3, 1, 0, 0)
			c.EndPerTile()
		}); err != nil {
			t.Fatal(err)
		}
		for i := range 20 * 12 {
			x, y := i%20, i/20
			before := func(x int) uint32 {
				if x%4 == 0 && y%4 == 0 {
					return 107 + 32
				}
				return 107
			}
			want := before(x)
			if x < 10 {
				want = before(x+10) + 1
			}
			if got := binary.LittleEndian.Uint32(h.bytes[4*i:]); got != want {
				t.Fatalf("%+v: pixel %d, %d is %d; must be %d", info, x, y, got, want)
			}
		}
	}
}

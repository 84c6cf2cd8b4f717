package driver

import (
	"encoding/binary"
	"strings"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestTileCommands draws and dispatches for the tile of a rendering: a draw multiplies the image by 0.5, and the two columns of blocks
// of 8×8 pixels store multiples of 3.
func TestTileCommands(t *testing.T) {
	p := newProgram(t)
	pipe := p.multiplier(stageText{abi.ShaderStageVertexBit, cover})
	b, content := p.buffer(8)
	text := strings.Replace(numbers, "OpMemoryModel", "OpCapability TileShadingQCOM\nOpExtension \"SPV_QCOM_tile_shading\"\nOpMemoryModel", 1)
	kernel, layout, set := p.kernel(strings.Replace(text, "LocalSize 4 1 1", "TileShadingRateQCOM 8 8 1", 1), b)
	tiles := abi.RenderPassTileShadingCreateInfoQCOM{SType: abi.StructureTypeRenderPassTileShadingCreateInfoQCOM, Flags: abi.TileShadingRenderPassEnableBitQCOM, TileApronSize: abi.Extent2D{Width: 1, Height: 2}}
	factor := uint32(3)
	pixels := p.drawnIn(unsafe.Pointer(&tiles), func(c abi.CommandBuffer) {
		bindKernel(c, kernel, layout, set)
		do(abi.CmdCmdPushConstants, &abi.CmdPushConstantsArgs{CommandBuffer: c, Layout: layout, StageFlags: abi.ShaderStageComputeBit, Size: 4, PValues: unsafe.Pointer(&factor)})
		do(abi.CmdCmdBeginPerTileExecutionQCOM, &abi.CmdBeginPerTileExecutionQCOMArgs{CommandBuffer: c, PPerTileBeginInfo: &abi.PerTileBeginInfoQCOM{SType: abi.StructureTypePerTileBeginInfoQCOM}})
		do(abi.CmdCmdBindPipeline, &abi.CmdBindPipelineArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointGraphics, Pipeline: pipe})
		do(abi.CmdCmdDraw, &abi.CmdDrawArgs{CommandBuffer: c, VertexCount: 3, InstanceCount: 1})
		do(abi.CmdCmdDispatchTileQCOM, &abi.CmdDispatchTileQCOMArgs{CommandBuffer: c, PDispatchTileInfo: &abi.DispatchTileInfoQCOM{SType: abi.StructureTypeDispatchTileInfoQCOM}})
		do(abi.CmdCmdEndPerTileExecutionQCOM, &abi.CmdEndPerTileExecutionQCOMArgs{CommandBuffer: c, PPerTileEndInfo: &abi.PerTileEndInfoQCOM{SType: abi.StructureTypePerTileEndInfoQCOM}})
	})
	for i, v := range pixels { // 0.5 · 0.5
		if v != 0xff404040 {
			t.Fatalf("pixel %d is %#x; must be 0xff404040", i, v)
		}
	}
	if content[0] != 0 || content[1] != 3 || content[2] != 0 {
		t.Errorf("the words are %d; must begin with 0 3 0", content)
	}
	var tile abi.TilePropertiesQCOM
	must(p, abi.CmdGetDynamicRenderingTilePropertiesQCOM, &abi.GetDynamicRenderingTilePropertiesQCOMArgs{Device: p.device, PProperties: &tile, PRenderingInfo: &abi.RenderingInfo{
		PNext: unsafe.Pointer(&tiles), RenderArea: abi.Rect2D{Extent: abi.Extent2D{Width: 17, Height: 4}}, LayerCount: 2,
	}})
	if tile.TileSize != (abi.Extent3D{Width: 32, Height: 16, Depth: 2}) || tile.ApronSize != (abi.Extent2D{Width: 1, Height: 2}) {
		t.Errorf("%+v; must be 32×16×2 with an apron of 1×2", tile)
	}
	do(abi.CmdDestroyPipeline, &abi.DestroyPipelineArgs{Device: p.device, Pipeline: pipe})
}

// TestFramebufferTiles reads the tiles of the two subpasses of a framebuffer, one at a time.
func TestFramebufferTiles(t *testing.T) {
	p := newProgram(t)
	tiles := abi.RenderPassTileShadingCreateInfoQCOM{SType: abi.StructureTypeRenderPassTileShadingCreateInfoQCOM, Flags: abi.TileShadingRenderPassEnableBitQCOM, TileApronSize: abi.Extent2D{Width: 3, Height: 3}}
	subpasses := [2]abi.SubpassDescription{{}, {Flags: abi.SubpassDescriptionTileShadingApronBitQCOM}}
	var pass abi.RenderPass
	must(p, abi.CmdCreateRenderPass, &abi.CreateRenderPassArgs{Device: p.device, PRenderPass: &pass, PCreateInfo: &abi.RenderPassCreateInfo{SType: abi.StructureTypeRenderPassCreateInfo, PNext: unsafe.Pointer(&tiles), SubpassCount: 2, PSubpasses: &subpasses[0]}})
	var f abi.Framebuffer
	must(p, abi.CmdCreateFramebuffer, &abi.CreateFramebufferArgs{Device: p.device, PFramebuffer: &f, PCreateInfo: &abi.FramebufferCreateInfo{SType: abi.StructureTypeFramebufferCreateInfo, RenderPass: pass, Width: 40, Height: 8, Layers: 1}})
	var list [2]abi.TilePropertiesQCOM
	n := uint32(0)
	args := abi.GetFramebufferTilePropertiesQCOMArgs{Device: p.device, Framebuffer: f, PPropertiesCount: &n}
	if must(p, abi.CmdGetFramebufferTilePropertiesQCOM, &args); n != 2 {
		t.Fatalf("%d properties; must be 2", n)
	}
	n, args.PProperties = 1, &list[0]
	if r := do(abi.CmdGetFramebufferTilePropertiesQCOM, &args); r != abi.Incomplete || n != 1 || list[1].TileSize.Width != 0 {
		t.Errorf("result %d, %d properties; must be VK_INCOMPLETE and 1", r, n)
	}
	n = 2
	must(p, abi.CmdGetFramebufferTilePropertiesQCOM, &args)
	for i, apron := range [2]uint32{0, 3} {
		if x := list[i]; x.TileSize != (abi.Extent3D{Width: 48, Height: 16, Depth: 1}) || x.ApronSize != (abi.Extent2D{Width: apron, Height: apron}) {
			t.Errorf("subpass %d: %+v; must be 48×16×1 with an apron of %d", i, x, apron)
		}
	}
	do(abi.CmdDestroyFramebuffer, &abi.DestroyFramebufferArgs{Device: p.device, Framebuffer: f})
	do(abi.CmdDestroyRenderPass, &abi.DestroyRenderPassArgs{Device: p.device, RenderPass: pass})
}

// TestAbortMessage loses the device by OpAbortKHR, and reads the message, as its type lays it out: 7 at byte 0, 9 at byte 8.
func TestAbortMessage(t *testing.T) {
	t.Setenv("CHIARO_REPORT", "")
	p := newProgram(t)
	b, _ := p.buffer(8)
	text := strings.NewReplacer(
		"OpMemoryModel", "OpCapability AbortKHR\nOpExtension \"SPV_KHR_abort\"\nOpMemoryModel",
		"%void = OpTypeVoid", "OpMemberDecorate %message 0 Offset 0\nOpMemberDecorate %message 1 Offset 8\n%void = OpTypeVoid",
		"%zero = OpConstant %uint 0", "%zero = OpConstant %uint 0\n%seven = OpConstant %uint 7\n%nine = OpConstant %uint 9\n%message = OpTypeStruct %uint %uint\n%text = OpConstantComposite %message %seven %nine",
		"OpReturn\n", "OpAbortKHR %message %text\n",
	).Replace(numbers)
	pipe, layout, set := p.kernel(text, b)
	p.launch(pipe, layout, set, 1)
	if r := do(abi.CmdQueueWaitIdle, &abi.QueueWaitIdleArgs{Queue: p.queue}); r != abi.ErrorDeviceLost {
		t.Fatalf("the wait returned %d; must be VK_ERROR_DEVICE_LOST", r)
	}
	var data [24]byte
	message := abi.DeviceFaultShaderAbortMessageInfoKHR{SType: abi.StructureTypeDeviceFaultShaderAbortMessageInfoKHR}
	info := abi.DeviceFaultDebugInfoKHR{SType: abi.StructureTypeDeviceFaultDebugInfoKHR, PNext: unsafe.Pointer(&message)}
	args := abi.GetDeviceFaultDebugInfoKHRArgs{Device: p.device, PDebugInfo: &info}
	if must(p, abi.CmdGetDeviceFaultDebugInfoKHR, &args); message.MessageDataSize != 20 {
		t.Fatalf("the message has %d bytes; must have 20", message.MessageDataSize)
	}
	message.PMessageData, message.MessageDataSize = unsafe.Pointer(&data[0]), 24
	must(p, abi.CmdGetDeviceFaultDebugInfoKHR, &args)
	want := []uint32{12, 0, 7, 0, 9, 0}
	for i, w := range want {
		if got := binary.LittleEndian.Uint32(data[4*i:]); got != w || message.MessageDataSize != 20 {
			t.Errorf("word %d of %d bytes is %d; must be %d of 20", i, message.MessageDataSize, got, w)
		}
	}
}

// TestViewLocalDependency creates render passes with a dependency for each view and without views. Version 1 permits it without the
// structure of multiview: the rule of version 2 (VUID-VkRenderPassCreateInfo2-viewMask-03059) is there only for that structure.
func TestViewLocalDependency(t *testing.T) {
	p := newProgram(t)
	var subpasses [2]abi.SubpassDescription
	dependency := abi.SubpassDependency{DstSubpass: 1, SrcStageMask: abi.PipelineStageColorAttachmentOutputBit, DstStageMask: abi.PipelineStageFragmentShaderBit, DependencyFlags: abi.DependencyViewLocalBit}
	views := abi.RenderPassMultiviewCreateInfo{SType: abi.StructureTypeRenderPassMultiviewCreateInfo}
	for _, x := range []struct {
		chain unsafe.Pointer
		want  bool
	}{{nil, true}, {unsafe.Pointer(&views), false}} {
		var pass abi.RenderPass
		r := do(abi.CmdCreateRenderPass, &abi.CreateRenderPassArgs{Device: p.device, PRenderPass: &pass, PCreateInfo: &abi.RenderPassCreateInfo{SType: abi.StructureTypeRenderPassCreateInfo, PNext: x.chain, SubpassCount: 2, PSubpasses: &subpasses[0], DependencyCount: 1, PDependencies: &dependency}})
		if r == abi.Success != x.want {
			t.Errorf("result %d with structure %v; must succeed: %v", r, x.chain != nil, x.want)
		}
		do(abi.CmdDestroyRenderPass, &abi.DestroyRenderPassArgs{Device: p.device, RenderPass: pass})
	}
}

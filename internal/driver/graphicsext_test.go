package driver

import (
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// cover makes a triangle that covers the framebuffer.
const cover = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %index %out
OpDecorate %index BuiltIn VertexIndex
OpDecorate %out BuiltIn Position
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%pin = OpTypePointer Input %int
%pout = OpTypePointer Output %v4
%one = OpConstant %int 1
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%f4 = OpConstant %float 4
%index = OpVariable %pin Input
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %int %index
%a = OpBitwiseAnd %int %i %one
%b = OpShiftRightArithmetic %int %i %one
%fa = OpConvertSToF %float %a
%fb = OpConvertSToF %float %b
%ma = OpFMul %float %fa %f4
%mb = OpFMul %float %fb %f4
%x = OpFSub %float %ma %f1
%y = OpFSub %float %mb %f1
%p = OpCompositeConstruct %v4 %x %y %f0 %f1
OpStore %out %p
OpReturn
OpFunctionEnd
`

// gray writes (0.5, 0.5, 0.5, 1).
const gray = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%pout = OpTypePointer Output %v4
%half = OpConstant %float 0.5
%f1 = OpConstant %float 1
%color = OpConstantComposite %v4 %half %half %half %f1
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
OpStore %out %color
OpReturn
OpFunctionEnd
`

// drawn runs commands in a rendering of 4 × 4 pixels that begins with (0.5, 0.5, 0.5, 1), and returns the pixels.
func (p *program) drawn(record func(abi.CommandBuffer)) []uint32 {
	return p.drawnWith(1, record)
}

// drawnWith is drawn in a rendering with a number of samples to the image, which has one.
func (p *program) drawnWith(samples uint32, record func(abi.CommandBuffer)) []uint32 {
	single := abi.MultisampledRenderToSingleSampledInfoEXT{SType: abi.StructureTypeMultisampledRenderToSingleSampledInfoEXT, MultisampledRenderToSingleSampledEnable: 1, RasterizationSamples: samples}
	flags, mode, next := uint32(abi.ImageCreateMultisampledRenderToSingleSampledBitEXT), uint32(abi.ResolveModeAverageBit), unsafe.Pointer(&single)
	if samples == 1 {
		flags, mode, next = 0, 0, nil
	}
	return p.drawnTo(flags, mode, next, record)
}

// drawnIn is drawn in a rendering with a chain.
func (p *program) drawnIn(next unsafe.Pointer, record func(abi.CommandBuffer)) []uint32 {
	return p.drawnTo(0, 0, next, record)
}

func (p *program) drawnTo(flags, mode uint32, next unsafe.Pointer, record func(abi.CommandBuffer)) []uint32 {
	var m abi.Image
	must(p, abi.CmdCreateImage, &abi.CreateImageArgs{Device: p.device, PImage: &m, PCreateInfo: &abi.ImageCreateInfo{Flags: flags, ImageType: abi.ImageType2d, Format: abi.FormatR8g8b8a8Unorm, Extent: abi.Extent3D{Width: 4, Height: 4, Depth: 1}, MipLevels: 1, ArrayLayers: 1, Samples: 1, Usage: abi.ImageUsageColorAttachmentBit | abi.ImageUsageTransferSrcBit}})
	var memory abi.DeviceMemory
	must(p, abi.CmdAllocateMemory, &abi.AllocateMemoryArgs{Device: p.device, PAllocateInfo: &abi.MemoryAllocateInfo{AllocationSize: 4096}, PMemory: &memory})
	must(p, abi.CmdBindImageMemory, &abi.BindImageMemoryArgs{Device: p.device, Image: m, Memory: memory})
	all := abi.ImageSubresourceRange{AspectMask: abi.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}
	var v abi.ImageView
	must(p, abi.CmdCreateImageView, &abi.CreateImageViewArgs{Device: p.device, PView: &v, PCreateInfo: &abi.ImageViewCreateInfo{Image: m, ViewType: abi.ImageViewType2d, Format: abi.FormatR8g8b8a8Unorm, SubresourceRange: all}})
	b, content := p.buffer(16)
	half := math.Float32bits(0.5)
	p.submit(func(c abi.CommandBuffer) {
		do(abi.CmdCmdBeginRendering, &abi.CmdBeginRenderingArgs{CommandBuffer: c, PRenderingInfo: &abi.RenderingInfo{
			PNext: next, RenderArea: abi.Rect2D{Extent: abi.Extent2D{Width: 4, Height: 4}}, LayerCount: 1, ColorAttachmentCount: 1,
			PColorAttachments: &abi.RenderingAttachmentInfo{ImageView: v, ResolveMode: mode, LoadOp: abi.AttachmentLoadOpClear, ClearValue: abi.ClearValue{half, half, half, oneF}},
		}})
		record(c)
		do(abi.CmdCmdEndRendering2KHR, &abi.CmdEndRendering2KHRArgs{CommandBuffer: c, PRenderingEndInfo: &abi.RenderingEndInfoKHR{}})
		do(abi.CmdCmdCopyImageToBuffer, &abi.CmdCopyImageToBufferArgs{CommandBuffer: c, SrcImage: m, DstBuffer: b, RegionCount: 1, PRegions: &abi.BufferImageCopy{ImageSubresource: abi.ImageSubresourceLayers{AspectMask: abi.ImageAspectColorBit, LayerCount: 1}, ImageExtent: abi.Extent3D{Width: 4, Height: 4, Depth: 1}}})
	})
	return content
}

// stageText is the text of the shader of a stage.
type stageText struct {
	stage uint32
	text  string
}

// multiplier makes a pipeline of stages and of gray, which multiplies the pixels of a draw by 0.5.
func (p *program) multiplier(list ...stageText) (pipe abi.Pipeline) {
	p.Helper()
	stages := make([]abi.PipelineShaderStageCreateInfo, len(list)+1)
	for i, x := range append(list, stageText{abi.ShaderStageFragmentBit, gray}) {
		words := p.words(x.text)
		stages[i] = abi.PipelineShaderStageCreateInfo{SType: abi.StructureTypePipelineShaderStageCreateInfo, Stage: x.stage, PName: &mainName[0]}
		must(p, abi.CmdCreateShaderModule, &abi.CreateShaderModuleArgs{Device: p.device, PCreateInfo: &abi.ShaderModuleCreateInfo{SType: abi.StructureTypeShaderModuleCreateInfo, CodeSize: uint(len(words) * 4), PCode: &words[0]}, PShaderModule: &stages[i].Module})
	}
	var layout abi.PipelineLayout
	must(p, abi.CmdCreatePipelineLayout, &abi.CreatePipelineLayoutArgs{Device: p.device, PPipelineLayout: &layout, PCreateInfo: &abi.PipelineLayoutCreateInfo{SType: abi.StructureTypePipelineLayoutCreateInfo}})
	format := uint32(abi.FormatR8g8b8a8Unorm)
	rendering := &abi.PipelineRenderingCreateInfo{SType: abi.StructureTypePipelineRenderingCreateInfo, ColorAttachmentCount: 1, PColorAttachmentFormats: &format}
	must(p, abi.CmdCreateGraphicsPipelines, &abi.CreateGraphicsPipelinesArgs{Device: p.device, CreateInfoCount: 1, PPipelines: &pipe, PCreateInfos: &abi.GraphicsPipelineCreateInfo{
		SType: abi.StructureTypeGraphicsPipelineCreateInfo, PNext: unsafe.Pointer(rendering), StageCount: uint32(len(stages)), PStages: &stages[0], Layout: layout,
		PVertexInputState:   &abi.PipelineVertexInputStateCreateInfo{SType: abi.StructureTypePipelineVertexInputStateCreateInfo},
		PInputAssemblyState: &abi.PipelineInputAssemblyStateCreateInfo{SType: abi.StructureTypePipelineInputAssemblyStateCreateInfo, Topology: abi.PrimitiveTopologyTriangleList},
		PViewportState: &abi.PipelineViewportStateCreateInfo{
			SType: abi.StructureTypePipelineViewportStateCreateInfo, ViewportCount: 1, PViewports: &abi.Viewport{Width: 4, Height: 4, MaxDepth: 1},
			ScissorCount: 1, PScissors: &abi.Rect2D{Extent: abi.Extent2D{Width: 4, Height: 4}},
		},
		PRasterizationState: &abi.PipelineRasterizationStateCreateInfo{SType: abi.StructureTypePipelineRasterizationStateCreateInfo, LineWidth: 1},
		PMultisampleState:   &abi.PipelineMultisampleStateCreateInfo{SType: abi.StructureTypePipelineMultisampleStateCreateInfo, RasterizationSamples: 1},
		PColorBlendState: &abi.PipelineColorBlendStateCreateInfo{SType: abi.StructureTypePipelineColorBlendStateCreateInfo, AttachmentCount: 1, PAttachments: &abi.PipelineColorBlendAttachmentState{
			BlendEnable: 1, SrcColorBlendFactor: abi.BlendFactorDstColor, SrcAlphaBlendFactor: abi.BlendFactorOne, ColorWriteMask: 15,
		}},
	}})
	return pipe
}

// graphicsShaders makes and binds the objects of cover and gray, with the states that a draw needs.
func (p *program) graphicsShaders() func(abi.CommandBuffer) {
	vertex, fragment := p.words(cover), p.words(gray)
	infos := [2]abi.ShaderCreateInfoEXT{
		{Stage: abi.ShaderStageVertexBit, NextStage: abi.ShaderStageFragmentBit, CodeType: abi.ShaderCodeTypeSpirvEXT, CodeSize: uint(4 * len(vertex)), PCode: unsafe.Pointer(&vertex[0]), PName: &mainName[0]},
		{Stage: abi.ShaderStageFragmentBit, CodeType: abi.ShaderCodeTypeSpirvEXT, CodeSize: uint(4 * len(fragment)), PCode: unsafe.Pointer(&fragment[0]), PName: &mainName[0]},
	}
	stages, objects := [2]uint32{abi.ShaderStageVertexBit, abi.ShaderStageFragmentBit}, [2]abi.ShaderEXT{}
	must(p, abi.CmdCreateShadersEXT, &abi.CreateShadersEXTArgs{Device: p.device, CreateInfoCount: 2, PCreateInfos: &infos[0], PShaders: &objects[0]})
	mask, write, on := uint32(1), uint32(15), uint32(1)
	return func(c abi.CommandBuffer) {
		do(abi.CmdCmdBindShadersEXT, &abi.CmdBindShadersEXTArgs{CommandBuffer: c, StageCount: 2, PStages: &stages[0], PShaders: &objects[0]})
		do(abi.CmdCmdSetViewportWithCount, &abi.CmdSetViewportWithCountArgs{CommandBuffer: c, ViewportCount: 1, PViewports: &abi.Viewport{Width: 4, Height: 4, MaxDepth: 1}})
		do(abi.CmdCmdSetScissorWithCount, &abi.CmdSetScissorWithCountArgs{CommandBuffer: c, ScissorCount: 1, PScissors: &abi.Rect2D{Extent: abi.Extent2D{Width: 4, Height: 4}}})
		do(abi.CmdCmdSetRasterizerDiscardEnable, &abi.CmdSetRasterizerDiscardEnableArgs{CommandBuffer: c})
		do(abi.CmdCmdSetVertexInputEXT, &abi.CmdSetVertexInputEXTArgs{CommandBuffer: c})
		do(abi.CmdCmdSetPrimitiveTopology, &abi.CmdSetPrimitiveTopologyArgs{CommandBuffer: c, PrimitiveTopology: abi.PrimitiveTopologyTriangleList})
		do(abi.CmdCmdSetPrimitiveRestartEnable, &abi.CmdSetPrimitiveRestartEnableArgs{CommandBuffer: c})
		do(abi.CmdCmdSetPolygonModeEXT, &abi.CmdSetPolygonModeEXTArgs{CommandBuffer: c, PolygonMode: abi.PolygonModeFill})
		do(abi.CmdCmdSetRasterizationSamplesEXT, &abi.CmdSetRasterizationSamplesEXTArgs{CommandBuffer: c, RasterizationSamples: 1})
		do(abi.CmdCmdSetSampleMaskEXT, &abi.CmdSetSampleMaskEXTArgs{CommandBuffer: c, Samples: 1, PSampleMask: &mask})
		do(abi.CmdCmdSetAlphaToCoverageEnableEXT, &abi.CmdSetAlphaToCoverageEnableEXTArgs{CommandBuffer: c})
		do(abi.CmdCmdSetAlphaToOneEnableEXT, &abi.CmdSetAlphaToOneEnableEXTArgs{CommandBuffer: c})
		do(abi.CmdCmdSetCullMode, &abi.CmdSetCullModeArgs{CommandBuffer: c})
		do(abi.CmdCmdSetFrontFace, &abi.CmdSetFrontFaceArgs{CommandBuffer: c})
		do(abi.CmdCmdSetDepthTestEnable, &abi.CmdSetDepthTestEnableArgs{CommandBuffer: c})
		do(abi.CmdCmdSetDepthWriteEnable, &abi.CmdSetDepthWriteEnableArgs{CommandBuffer: c})
		do(abi.CmdCmdSetDepthBoundsTestEnable, &abi.CmdSetDepthBoundsTestEnableArgs{CommandBuffer: c})
		do(abi.CmdCmdSetDepthBiasEnable, &abi.CmdSetDepthBiasEnableArgs{CommandBuffer: c, DepthBiasEnable: 1})
		do(abi.CmdCmdSetDepthClampEnableEXT, &abi.CmdSetDepthClampEnableEXTArgs{CommandBuffer: c, DepthClampEnable: 1})
		do(abi.CmdCmdSetDepthClipEnableEXT, &abi.CmdSetDepthClipEnableEXTArgs{CommandBuffer: c})
		do(abi.CmdCmdSetDepthClipNegativeOneToOneEXT, &abi.CmdSetDepthClipNegativeOneToOneEXTArgs{CommandBuffer: c})
		do(abi.CmdCmdSetStencilTestEnable, &abi.CmdSetStencilTestEnableArgs{CommandBuffer: c})
		do(abi.CmdCmdSetLogicOpEnableEXT, &abi.CmdSetLogicOpEnableEXTArgs{CommandBuffer: c})
		do(abi.CmdCmdSetColorBlendEnableEXT, &abi.CmdSetColorBlendEnableEXTArgs{CommandBuffer: c, AttachmentCount: 1, PColorBlendEnables: &on})
		do(abi.CmdCmdSetColorWriteMaskEXT, &abi.CmdSetColorWriteMaskEXTArgs{CommandBuffer: c, AttachmentCount: 1, PColorWriteMasks: &write})
		do(abi.CmdCmdSetColorWriteEnableEXT, &abi.CmdSetColorWriteEnableEXTArgs{CommandBuffer: c, AttachmentCount: 1, PColorWriteEnables: &on})
		do(abi.CmdCmdSetConservativeRasterizationModeEXT, &abi.CmdSetConservativeRasterizationModeEXTArgs{CommandBuffer: c})
		do(abi.CmdCmdSetProvokingVertexModeEXT, &abi.CmdSetProvokingVertexModeEXTArgs{CommandBuffer: c})
		do(abi.CmdCmdSetLineRasterizationModeEXT, &abi.CmdSetLineRasterizationModeEXTArgs{CommandBuffer: c})
		do(abi.CmdCmdSetLineStippleEnableEXT, &abi.CmdSetLineStippleEnableEXTArgs{CommandBuffer: c})
		do(abi.CmdCmdSetRasterizationStreamEXT, &abi.CmdSetRasterizationStreamEXTArgs{CommandBuffer: c})
		do(abi.CmdCmdSetAttachmentFeedbackLoopEnableEXT, &abi.CmdSetAttachmentFeedbackLoopEnableEXTArgs{CommandBuffer: c})
		do(abi.CmdCmdSetDiscardRectangleEnableEXT, &abi.CmdSetDiscardRectangleEnableEXTArgs{CommandBuffer: c})
	}
}

// TestAdvancedStates draws with shader objects: sample locations, a depth bias in absolute units, a depth clamp range, fragments
// of 2 × 2 pixels, and a blend operation that multiplies: 0.5 · 0.5.
func TestAdvancedStates(t *testing.T) {
	p := newProgram(t)
	bind := p.graphicsShaders()
	unit := abi.DepthBiasRepresentationInfoEXT{SType: abi.StructureTypeDepthBiasRepresentationInfoEXT, DepthBiasRepresentation: abi.DepthBiasRepresentationFloatEXT}
	operations := [2]uint32{abi.FragmentShadingRateCombinerOpKeepKHR, abi.FragmentShadingRateCombinerOpKeepKHR}
	pixels := p.drawn(func(c abi.CommandBuffer) {
		bind(c)
		do(abi.CmdCmdSetSampleLocationsEnableEXT, &abi.CmdSetSampleLocationsEnableEXTArgs{CommandBuffer: c, SampleLocationsEnable: 1})
		do(abi.CmdCmdSetSampleLocationsEXT, &abi.CmdSetSampleLocationsEXTArgs{CommandBuffer: c, PSampleLocationsInfo: &abi.SampleLocationsInfoEXT{SampleLocationsPerPixel: 1, SampleLocationGridSize: abi.Extent2D{Width: 1, Height: 1}, SampleLocationsCount: 1, PSampleLocations: &abi.SampleLocationEXT{X: 0.25, Y: 0.75}}})
		do(abi.CmdCmdSetDepthBias2EXT, &abi.CmdSetDepthBias2EXTArgs{CommandBuffer: c, PDepthBiasInfo: &abi.DepthBiasInfoEXT{PNext: unsafe.Pointer(&unit), DepthBiasConstantFactor: 0.25}})
		do(abi.CmdCmdSetDepthClampRangeEXT, &abi.CmdSetDepthClampRangeEXTArgs{CommandBuffer: c, DepthClampMode: abi.DepthClampModeUserDefinedRangeEXT, PDepthClampRange: &abi.DepthClampRangeEXT{MinDepthClamp: 0.25, MaxDepthClamp: 0.75}})
		do(abi.CmdCmdSetFragmentShadingRateKHR, &abi.CmdSetFragmentShadingRateKHRArgs{CommandBuffer: c, PFragmentSize: &abi.Extent2D{Width: 2, Height: 2}, CombinerOps: &operations[0]})
		do(abi.CmdCmdSetColorBlendAdvancedEXT, &abi.CmdSetColorBlendAdvancedEXTArgs{CommandBuffer: c, AttachmentCount: 1, PColorBlendAdvanced: &abi.ColorBlendAdvancedEXT{AdvancedBlendOp: abi.BlendOpMultiplyEXT, SrcPremultiplied: 1, DstPremultiplied: 1}})
		do(abi.CmdCmdDraw, &abi.CmdDrawArgs{CommandBuffer: c, VertexCount: 3, InstanceCount: 1})
	})
	for i, v := range pixels {
		if v != 0xff404040 {
			t.Fatalf("pixel %d is %#x; must be 0xff404040", i, v)
		}
	}
}

// sanitized makes a program whose device has sanitizers, and returns the messages that its messenger receives.
func sanitized(t *testing.T, sanitizers string) (*program, *[]heard) {
	t.Helper()
	t.Setenv("CHIARO_SANITIZE", sanitizers)
	list := listen(t)
	messenger := abi.DebugUtilsMessengerCreateInfoEXT{SType: abi.StructureTypeDebugUtilsMessengerCreateInfoEXT, MessageSeverity: severeWarning, MessageType: ofValidation, PfnUserCallback: unsafe.Pointer(t)}
	p := newProgram(t)
	var m abi.DebugUtilsMessengerEXT
	must(p, abi.CmdCreateDebugUtilsMessengerEXT, &abi.CreateDebugUtilsMessengerEXTArgs{Instance: p.instance, PCreateInfo: &messenger, PMessenger: &m})
	t.Cleanup(func() {
		do(abi.CmdDestroyDebugUtilsMessengerEXT, &abi.DestroyDebugUtilsMessengerEXTArgs{Instance: p.instance, Messenger: m})
	})
	return p, list
}

// TestSanitize divides by zero with CHIARO_SANITIZE: the messenger receives a warning.
func TestSanitize(t *testing.T) {
	p, list := sanitized(t, "1")
	b, _ := p.buffer(8)
	pipe, layout, set := p.kernel(strings.Replace(numbers, "OpIMul", "OpUDiv", 1), b)
	p.submit(func(c abi.CommandBuffer) {
		bindKernel(c, pipe, layout, set)
		push(c, layout, 0)
		dispatch(c)
	})
	if len(*list) == 0 || (*list)[0].severity != severeWarning {
		t.Fatalf("a division by zero has the messages %+v; must have a warning", *list)
	}
}

// TestBarrierScopes runs two dispatches that store to a buffer: they race unless the barrier between them makes the first store
// available and visible to the second one (Vulkan, "Memory Dependencies").
func TestBarrierScopes(t *testing.T) {
	const stage, write = abi.PipelineStageComputeShaderBit, abi.AccessShaderWriteBit
	var b, other abi.Buffer
	barrier := func(a abi.CmdPipelineBarrierArgs) func(abi.CommandBuffer) {
		return func(c abi.CommandBuffer) {
			a.CommandBuffer, a.SrcStageMask, a.DstStageMask = c, stage, stage
			do(abi.CmdCmdPipelineBarrier, &a)
		}
	}
	barrier2 := func(i abi.DependencyInfo) func(abi.CommandBuffer) {
		return func(c abi.CommandBuffer) {
			do(abi.CmdCmdPipelineBarrier2, &abi.CmdPipelineBarrier2Args{CommandBuffer: c, PDependencyInfo: &i})
		}
	}
	ofBuffer := func(b *abi.Buffer) func(abi.CommandBuffer) {
		return func(c abi.CommandBuffer) {
			barrier(abi.CmdPipelineBarrierArgs{BufferMemoryBarrierCount: 1, PBufferMemoryBarriers: &abi.BufferMemoryBarrier{SrcAccessMask: write, DstAccessMask: write, Buffer: *b, Size: abi.WholeSize}})(c)
		}
	}
	ofBuffer2 := func(b *abi.Buffer) func(abi.CommandBuffer) {
		return func(c abi.CommandBuffer) {
			barrier2(abi.DependencyInfo{BufferMemoryBarrierCount: 1, PBufferMemoryBarriers: &abi.BufferMemoryBarrier2{SrcStageMask: stage, SrcAccessMask: write, DstStageMask: stage, DstAccessMask: write, Buffer: *b, Size: abi.WholeSize}})(c)
		}
	}
	for _, c := range []struct {
		name    string
		between func(abi.CommandBuffer)
		races   bool
	}{
		{"nothing", func(abi.CommandBuffer) {}, true},
		{"execution alone", barrier(abi.CmdPipelineBarrierArgs{}), true},
		{"a memory barrier", barrier(abi.CmdPipelineBarrierArgs{MemoryBarrierCount: 1, PMemoryBarriers: &abi.MemoryBarrier{SrcAccessMask: write, DstAccessMask: write}}), false},
		{"no source access", barrier(abi.CmdPipelineBarrierArgs{MemoryBarrierCount: 1, PMemoryBarriers: &abi.MemoryBarrier{DstAccessMask: write}}), true},
		{"no target access", barrier(abi.CmdPipelineBarrierArgs{MemoryBarrierCount: 1, PMemoryBarriers: &abi.MemoryBarrier{SrcAccessMask: write}}), true},
		{"a buffer memory barrier", ofBuffer(&b), false},
		{"one of another buffer", ofBuffer(&other), true},
		{"no dependencies", barrier2(abi.DependencyInfo{}), true},
		{"a memory barrier of its own stages", barrier2(abi.DependencyInfo{MemoryBarrierCount: 1, PMemoryBarriers: &abi.MemoryBarrier2{SrcStageMask: stage, SrcAccessMask: write, DstStageMask: stage, DstAccessMask: write}}), false},
		{"other stages", barrier2(abi.DependencyInfo{MemoryBarrierCount: 1, PMemoryBarriers: &abi.MemoryBarrier2{SrcStageMask: stage, SrcAccessMask: write, DstStageMask: abi.PipelineStageTransferBit, DstAccessMask: write}}), true},
		{"a buffer memory barrier of its own stages", ofBuffer2(&b), false},
		{"one of another buffer, of its own stages", ofBuffer2(&other), true},
	} {
		t.Run(c.name, func(t *testing.T) { // a device reports alike races once
			p, list := sanitized(t, "race")
			b, _ = p.buffer(8)
			other, _ = p.buffer(8)
			pipe, layout, set := p.kernel(numbers, b)
			p.submit(func(b abi.CommandBuffer) {
				bindKernel(b, pipe, layout, set)
				push(b, layout, 1)
				dispatch(b)
				c.between(b)
				dispatch(b)
			})
			if is := len(*list) > 0; is != c.races {
				t.Errorf("%d messages; must be a race: %v", len(*list), c.races)
			}
		})
	}
}

// furtherStates sets the states that graphicsShaders leaves open.
func furtherStates(c abi.CommandBuffer) {
	keep := [2]uint32{abi.FragmentShadingRateCombinerOpKeepKHR, abi.FragmentShadingRateCombinerOpKeepKHR}
	do(abi.CmdCmdSetSampleLocationsEnableEXT, &abi.CmdSetSampleLocationsEnableEXTArgs{CommandBuffer: c})
	do(abi.CmdCmdSetDepthBias, &abi.CmdSetDepthBiasArgs{CommandBuffer: c})
	do(abi.CmdCmdSetDepthClampRangeEXT, &abi.CmdSetDepthClampRangeEXTArgs{CommandBuffer: c, DepthClampMode: abi.DepthClampModeViewportRangeEXT})
	do(abi.CmdCmdSetFragmentShadingRateKHR, &abi.CmdSetFragmentShadingRateKHRArgs{CommandBuffer: c, PFragmentSize: &abi.Extent2D{Width: 1, Height: 1}, CombinerOps: &keep[0]})
	do(abi.CmdCmdSetColorBlendAdvancedEXT, &abi.CmdSetColorBlendAdvancedEXTArgs{CommandBuffer: c, AttachmentCount: 1, PColorBlendAdvanced: &abi.ColorBlendAdvancedEXT{AdvancedBlendOp: abi.BlendOpMultiplyEXT, SrcPremultiplied: 1, DstPremultiplied: 1}})
}

// TestSingleSampled draws the triangle with four samples to an image of one: a draw with a mask of two samples multiplies half of them
// by 0.5, and one with a null mask all of them.
func TestSingleSampled(t *testing.T) {
	two := uint32(3)
	for _, x := range []struct {
		mask *uint32
		want uint32
	}{
		{&two, 0xff606060}, // (0.5 + 0.5 · 0.5) / 2 is 95.6, and the two values are rounded before
		{nil, 0xff404040},  // 0.5 · 0.5
	} {
		p := newProgram(t)
		bind := p.graphicsShaders()
		pixels := p.drawnWith(4, func(c abi.CommandBuffer) {
			bind(c)
			do(abi.CmdCmdSetRasterizationSamplesEXT, &abi.CmdSetRasterizationSamplesEXTArgs{CommandBuffer: c, RasterizationSamples: 4})
			do(abi.CmdCmdSetSampleMaskEXT, &abi.CmdSetSampleMaskEXTArgs{CommandBuffer: c, Samples: 4, PSampleMask: x.mask})
			furtherStates(c)
			do(abi.CmdCmdDraw, &abi.CmdDrawArgs{CommandBuffer: c, VertexCount: 3, InstanceCount: 1})
		})
		for i, v := range pixels {
			if v != x.want {
				t.Fatalf("pixel %d is %#x; must be %#x", i, v, x.want)
			}
		}
	}
}

// TestSingleSampledChains reads a subpass that draws with four samples to attachments of one.
func TestSingleSampledChains(t *testing.T) {
	info := abi.MultisampledRenderToSingleSampledInfoEXT{SType: abi.StructureTypeMultisampledRenderToSingleSampledInfoEXT, RasterizationSamples: 4}
	for enable, want := range []int{0, 4} {
		info.MultisampledRenderToSingleSampledEnable = uint32(enable)
		if got := subpass2(&abi.SubpassDescription2{PNext: unsafe.Pointer(&info)}).Samples; got != want {
			t.Errorf("with the value %d the subpass has %d samples; must have %d", enable, got, want)
		}
	}
	p := newProgram(t)
	query := abi.SubpassResolvePerformanceQueryEXT{SType: abi.StructureTypeSubpassResolvePerformanceQueryEXT}
	do(abi.CmdGetPhysicalDeviceFormatProperties2, &abi.GetPhysicalDeviceFormatProperties2Args{
		PhysicalDevice: p.physical, Format: abi.FormatR8g8b8a8Unorm, PFormatProperties: &abi.FormatProperties2{PNext: unsafe.Pointer(&query)},
	})
	if query.Optimal != abi.True {
		t.Error("a resolve in a subpass is not optimal; must be")
	}
}

// TestLoadNone reads the operation that loads nothing: it is another one than a load, because it does not access the texels.
func TestLoadNone(t *testing.T) {
	if got := loadOp(abi.AttachmentLoadOpNone); got != vk.LoadNone {
		t.Errorf("the operation is %d; must be %d", got, vk.LoadNone)
	}
}

package driver

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// writesImage writes a texel of the image at binding 0.
const writesImage = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %v
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %v DescriptorSet 0
OpDecorate %v Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%v2 = OpTypeVector %uint 2
%v4 = OpTypeVector %uint 4
%at = OpConstantNull %v2
%texel = OpConstantNull %v4
%image = OpTypeImage %uint 2D 0 0 0 2 R32ui
%p = OpTypePointer UniformConstant %image
%v = OpVariable %p UniformConstant
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %image %v
OpImageWrite %i %at %texel
OpReturn
OpFunctionEnd
`

// TestImageLayouts dispatches with a descriptor for the layout GENERAL: of an image in it after a barrier of either kind, and of one in
// another layout (VUID-vkCmdDispatch-None-09600).
func TestImageLayouts(t *testing.T) {
	color := abi.ImageSubresourceRange{AspectMask: abi.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}
	for name, x := range map[string]struct {
		to   uint32
		two  bool
		want abi.Result
	}{
		"no barrier":     {abi.ImageLayoutUndefined, false, abi.ErrorDeviceLost},
		"general":        {abi.ImageLayoutGeneral, false, abi.Success},
		"general by two": {abi.ImageLayoutGeneral, true, abi.Success},
		"to copy":        {abi.ImageLayoutTransferDstOptimal, true, abi.ErrorDeviceLost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CHIARO_CHECK", "all")
			p := newProgram(t)
			var m abi.Image
			must(p, abi.CmdCreateImage, &abi.CreateImageArgs{Device: p.device, PImage: &m, PCreateInfo: &abi.ImageCreateInfo{SType: abi.StructureTypeImageCreateInfo, ImageType: abi.ImageType2d, Format: abi.FormatR32Uint,
				Extent: abi.Extent3D{Width: 4, Height: 4, Depth: 1}, MipLevels: 1, ArrayLayers: 1, Samples: 1, Usage: abi.ImageUsageStorageBit | abi.ImageUsageTransferDstBit}})
			var memory abi.DeviceMemory
			must(p, abi.CmdAllocateMemory, &abi.AllocateMemoryArgs{Device: p.device, PAllocateInfo: &abi.MemoryAllocateInfo{SType: abi.StructureTypeMemoryAllocateInfo, AllocationSize: 4096}, PMemory: &memory})
			must(p, abi.CmdBindImageMemory, &abi.BindImageMemoryArgs{Device: p.device, Image: m, Memory: memory})
			var v abi.ImageView
			must(p, abi.CmdCreateImageView, &abi.CreateImageViewArgs{Device: p.device, PView: &v, PCreateInfo: &abi.ImageViewCreateInfo{SType: abi.StructureTypeImageViewCreateInfo, Image: m, ViewType: abi.ImageViewType2d, Format: abi.FormatR32Uint, SubresourceRange: color}})
			pipe, layout, set := p.imageKernel(writesImage, v)
			_, c := p.commands()
			must(p, abi.CmdBeginCommandBuffer, &abi.BeginCommandBufferArgs{CommandBuffer: c, PBeginInfo: &abi.CommandBufferBeginInfo{SType: abi.StructureTypeCommandBufferBeginInfo}})
			switch {
			case x.to == abi.ImageLayoutUndefined:
			case x.two:
				b := abi.ImageMemoryBarrier2{SType: abi.StructureTypeImageMemoryBarrier2, NewLayout: x.to, Image: m, SubresourceRange: color}
				do(abi.CmdCmdPipelineBarrier2, &abi.CmdPipelineBarrier2Args{CommandBuffer: c, PDependencyInfo: &abi.DependencyInfo{SType: abi.StructureTypeDependencyInfo, ImageMemoryBarrierCount: 1, PImageMemoryBarriers: &b}})
			default:
				b := abi.ImageMemoryBarrier{SType: abi.StructureTypeImageMemoryBarrier, NewLayout: x.to, Image: m, SubresourceRange: color}
				do(abi.CmdCmdPipelineBarrier, &abi.CmdPipelineBarrierArgs{CommandBuffer: c, SrcStageMask: 1, DstStageMask: 0x800, ImageMemoryBarrierCount: 1, PImageMemoryBarriers: &b})
			}
			do(abi.CmdCmdBindPipeline, &abi.CmdBindPipelineArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointCompute, Pipeline: pipe})
			do(abi.CmdCmdBindDescriptorSets, &abi.CmdBindDescriptorSetsArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointCompute, Layout: layout, DescriptorSetCount: 1, PDescriptorSets: &set})
			dispatch(c)
			must(p, abi.CmdEndCommandBuffer, &abi.EndCommandBufferArgs{CommandBuffer: c})
			must(p, abi.CmdQueueSubmit, &abi.QueueSubmitArgs{Queue: p.queue, SubmitCount: 1, PSubmits: &abi.SubmitInfo{SType: abi.StructureTypeSubmitInfo, CommandBufferCount: 1, PCommandBuffers: &c}})
			if r := do(abi.CmdQueueWaitIdle, &abi.QueueWaitIdleArgs{Queue: p.queue}); r != x.want {
				t.Errorf("the wait returns %d; must be %d", r, x.want)
			}
		})
	}
}

// imageKernel makes a pipeline and a set with a storage image in the layout GENERAL.
func (p *program) imageKernel(source string, v abi.ImageView) (pipe abi.Pipeline, layout abi.PipelineLayout, set abi.DescriptorSet) {
	p.Helper()
	var sets abi.DescriptorSetLayout
	binding := abi.DescriptorSetLayoutBinding{DescriptorType: abi.DescriptorTypeStorageImage, DescriptorCount: 1, StageFlags: abi.ShaderStageComputeBit}
	must(p, abi.CmdCreateDescriptorSetLayout, &abi.CreateDescriptorSetLayoutArgs{Device: p.device, PSetLayout: &sets, PCreateInfo: &abi.DescriptorSetLayoutCreateInfo{SType: abi.StructureTypeDescriptorSetLayoutCreateInfo, BindingCount: 1, PBindings: &binding}})
	must(p, abi.CmdCreatePipelineLayout, &abi.CreatePipelineLayoutArgs{Device: p.device, PPipelineLayout: &layout, PCreateInfo: &abi.PipelineLayoutCreateInfo{SType: abi.StructureTypePipelineLayoutCreateInfo, SetLayoutCount: 1, PSetLayouts: &sets}})
	var pool abi.DescriptorPool
	must(p, abi.CmdCreateDescriptorPool, &abi.CreateDescriptorPoolArgs{Device: p.device, PDescriptorPool: &pool, PCreateInfo: &abi.DescriptorPoolCreateInfo{SType: abi.StructureTypeDescriptorPoolCreateInfo, MaxSets: 1, PoolSizeCount: 1, PPoolSizes: &abi.DescriptorPoolSize{Type: abi.DescriptorTypeStorageImage, DescriptorCount: 1}}})
	must(p, abi.CmdAllocateDescriptorSets, &abi.AllocateDescriptorSetsArgs{Device: p.device, PDescriptorSets: &set, PAllocateInfo: &abi.DescriptorSetAllocateInfo{SType: abi.StructureTypeDescriptorSetAllocateInfo, DescriptorPool: pool, DescriptorSetCount: 1, PSetLayouts: &sets}})
	do(abi.CmdUpdateDescriptorSets, &abi.UpdateDescriptorSetsArgs{Device: p.device, DescriptorWriteCount: 1, PDescriptorWrites: &abi.WriteDescriptorSet{SType: abi.StructureTypeWriteDescriptorSet, DstSet: set, DescriptorCount: 1, DescriptorType: abi.DescriptorTypeStorageImage,
		PImageInfo: &abi.DescriptorImageInfo{ImageView: v, ImageLayout: abi.ImageLayoutGeneral}}})
	words := p.words(source)
	var module abi.ShaderModule
	must(p, abi.CmdCreateShaderModule, &abi.CreateShaderModuleArgs{Device: p.device, PShaderModule: &module, PCreateInfo: &abi.ShaderModuleCreateInfo{SType: abi.StructureTypeShaderModuleCreateInfo, CodeSize: uint(4 * len(words)), PCode: &words[0]}})
	name := [...]byte{'m', 'a', 'i', 'n', 0}
	must(p, abi.CmdCreateComputePipelines, &abi.CreateComputePipelinesArgs{Device: p.device, CreateInfoCount: 1, PPipelines: &pipe, PCreateInfos: &abi.ComputePipelineCreateInfo{SType: abi.StructureTypeComputePipelineCreateInfo, Layout: layout,
		Stage: abi.PipelineShaderStageCreateInfo{SType: abi.StructureTypePipelineShaderStageCreateInfo, Stage: abi.ShaderStageComputeBit, Module: module, PName: &name[0]}}})
	return pipe, layout, set
}

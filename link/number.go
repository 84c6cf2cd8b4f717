package link

import "github.com/chiaro-gpu/chiaro/iface"

// descriptorNumbers are the descriptor types by VkDescriptorType.
var descriptorNumbers = map[uint32]DescriptorType{
	0: DescriptorType(iface.Sampler), 1: DescriptorType(iface.CombinedImageSampler),
	2: DescriptorType(iface.SampledImage), 3: DescriptorType(iface.StorageImage),
	4: DescriptorType(iface.UniformTexelBuffer), 5: DescriptorType(iface.StorageTexelBuffer),
	6: DescriptorType(iface.UniformBuffer), 7: DescriptorType(iface.StorageBuffer),
	8: UniformBufferDynamic, 9: StorageBufferDynamic,
	10: DescriptorType(iface.InputAttachment), 1000138000: InlineUniformBlock,
	1000150000: DescriptorType(iface.AccelerationStructure), 1000165000: AccelerationStructureNV,
	1000351000: Mutable, 1000440000: SampleWeightImage, 1000440001: BlockMatchImage,
	1000460000: DescriptorType(iface.StorageTensor),
}

// DescriptorTypeOf returns the descriptor type of a VkDescriptorType, and whether there is one.
func DescriptorTypeOf(number uint32) (t DescriptorType, ok bool) {
	t, ok = descriptorNumbers[number]
	return t, ok
}

// stageBits are the stages in the order of VkShaderStageFlagBits.
var stageBits = [...]int{vertex, tessellationControl, tessellationEvaluation, geometry, fragment, compute, task, mesh, raygen, anyHit, closestHit, miss, intersection, callable, compute}

// StagesOf returns the stages of VkShaderStageFlags. Compute also stands for subpass shading.
func StagesOf(flags uint32) (out Stages) {
	if flags == 0x7fffffff { // VK_SHADER_STAGE_ALL
		return AllStages
	}
	for bit, stage := range stageBits {
		out |= Stages(flags>>bit&1) << stage
	}
	return out
}

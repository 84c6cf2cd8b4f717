package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Descriptors have no data for replays: the driver does not have descriptorBufferCaptureReplay.
var descriptorBufferCalls = map[int]call{
	abi.CmdGetDescriptorSetLayoutSizeEXT: run(func(a *abi.GetDescriptorSetLayoutSizeEXTArgs) {
		*a.PLayoutSizeInBytes = setLayouts.get(uint64(a.Layout)).Size()
	}),
	abi.CmdGetDescriptorSetLayoutBindingOffsetEXT: run(func(a *abi.GetDescriptorSetLayoutBindingOffsetEXTArgs) {
		*a.POffset, _, _ = setLayouts.get(uint64(a.Layout)).BindingOffset(a.Binding)
	}),
	abi.CmdGetDescriptorEXT: run(func(a *abi.GetDescriptorEXTArgs) {
		if d := deviceOf(a.Device); d != nil {
			_ = d.vk.WriteDescriptor(abi.Bytes(a.PDescriptor, uint64(a.DataSize)), descriptorInfo(a.PDescriptorInfo)) // the call has no result
		}
	}),
	abi.CmdGetBufferOpaqueCaptureDescriptorDataEXT:    on(func(*abi.GetBufferOpaqueCaptureDescriptorDataEXTArgs) abi.Result { return abi.Success }),
	abi.CmdGetImageOpaqueCaptureDescriptorDataEXT:     on(func(*abi.GetImageOpaqueCaptureDescriptorDataEXTArgs) abi.Result { return abi.Success }),
	abi.CmdGetImageViewOpaqueCaptureDescriptorDataEXT: on(func(*abi.GetImageViewOpaqueCaptureDescriptorDataEXTArgs) abi.Result { return abi.Success }),
	abi.CmdGetSamplerOpaqueCaptureDescriptorDataEXT:   on(func(*abi.GetSamplerOpaqueCaptureDescriptorDataEXTArgs) abi.Result { return abi.Success }),
}

var descriptorBufferCommands = map[int]recorder{
	abi.CmdCmdBindDescriptorBuffersEXT: rec(func(c *commandBuffer, a *abi.CmdBindDescriptorBuffersEXTArgs) {
		c.vk.BindDescriptorBuffers(each(array(a.PBindingInfos, a.BufferCount), func(i *abi.DescriptorBufferBindingInfoEXT) uint64 { return i.Address }))
	}),
	abi.CmdCmdSetDescriptorBufferOffsetsEXT: rec(func(c *commandBuffer, a *abi.CmdSetDescriptorBufferOffsetsEXTArgs) {
		c.vk.SetDescriptorBufferOffsets(bindPoint(a.PipelineBindPoint), pipelineLayouts.get(uint64(a.Layout)), int(a.FirstSet), array(a.PBufferIndices, a.SetCount), array(a.POffsets, a.SetCount))
	}),
	abi.CmdCmdSetDescriptorBufferOffsets2EXT: rec(func(c *commandBuffer, a *abi.CmdSetDescriptorBufferOffsets2EXTArgs) {
		i := a.PSetDescriptorBufferOffsetsInfo
		for _, p := range points(i.StageFlags) {
			c.vk.SetDescriptorBufferOffsets(p, pipelineLayouts.get(uint64(i.Layout)), int(i.FirstSet), array(i.PBufferIndices, i.SetCount), array(i.POffsets, i.SetCount))
		}
	}),
	abi.CmdCmdBindDescriptorBufferEmbeddedSamplersEXT: rec(func(c *commandBuffer, a *abi.CmdBindDescriptorBufferEmbeddedSamplersEXTArgs) {
		c.vk.BindEmbeddedSamplers(bindPoint(a.PipelineBindPoint), pipelineLayouts.get(uint64(a.Layout)), int(a.Set))
	}),
	abi.CmdCmdBindDescriptorBufferEmbeddedSamplers2EXT: rec(func(c *commandBuffer, a *abi.CmdBindDescriptorBufferEmbeddedSamplers2EXTArgs) {
		i := a.PBindDescriptorBufferEmbeddedSamplersInfo
		for _, p := range points(i.StageFlags) {
			c.vk.BindEmbeddedSamplers(p, pipelineLayouts.get(uint64(i.Layout)), int(i.Set))
		}
	}),
}

// descriptorInfo reads the content of a descriptor. The union has a pointer; the one to an address may be null.
func descriptorInfo(i *abi.DescriptorGetInfoEXT) (out vk.DescriptorInfo) {
	out.Type, _ = link.DescriptorTypeOf(i.Type)
	if i.Type == abi.DescriptorTypeAccelerationStructureKHR { // an address, not a pointer
		out.Address = i.Data[0]
		return out
	}
	data := *(*unsafe.Pointer)(unsafe.Pointer(&i.Data))
	if data == nil {
		return out
	}
	switch i.Type {
	case abi.DescriptorTypeSampler:
		out.Sampler = samplers.get(uint64(*(*abi.Sampler)(data)))
	case abi.DescriptorTypeCombinedImageSampler, abi.DescriptorTypeSampledImage, abi.DescriptorTypeStorageImage, abi.DescriptorTypeInputAttachment:
		m := (*abi.DescriptorImageInfo)(data)
		out.View = imageViews.get(uint64(m.ImageView))
		if i.Type == abi.DescriptorTypeCombinedImageSampler {
			out.Sampler = samplers.get(uint64(m.Sampler))
		}
	case abi.DescriptorTypeUniformTexelBuffer, abi.DescriptorTypeStorageTexelBuffer, abi.DescriptorTypeUniformBuffer, abi.DescriptorTypeStorageBuffer:
		b := (*abi.DescriptorAddressInfoEXT)(data)
		out.Address, out.Range, out.Format = b.Address, b.Range, format(b.Format)
	}
	return out
}

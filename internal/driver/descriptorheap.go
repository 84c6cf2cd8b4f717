package driver

import (
	"sync"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// heapSamplers are the samplers of a device that descriptors of sampler heaps name: one for each description.
type heapSamplers struct {
	mu   sync.Mutex
	made map[vk.SamplerInfo]*vk.Sampler
}

// maxHeapSamplers bounds the descriptions of samplers in heaps.
const maxHeapSamplers = 1 << 16

var descriptorHeapCalls = map[int]call{
	abi.CmdWriteSamplerDescriptorsEXT:  on(writeSamplerDescriptors),
	abi.CmdWriteResourceDescriptorsEXT: on(writeResourceDescriptors),
	abi.CmdGetPhysicalDeviceDescriptorSizeEXT: value(func(a *abi.GetPhysicalDeviceDescriptorSizeEXTArgs) uint64 {
		t, _ := link.DescriptorTypeOf(a.DescriptorType)
		return vk.DescriptorSize(t)
	}),
	abi.CmdGetImageOpaqueCaptureDataEXT:   on(func(*abi.GetImageOpaqueCaptureDataEXTArgs) abi.Result { return abi.Success }), // without data: there is no replay
	abi.CmdRegisterCustomBorderColorEXT:   on(registerBorder),
	abi.CmdUnregisterCustomBorderColorEXT: run(unregisterBorder),
}

var descriptorHeapCommands = map[int]recorder{
	abi.CmdCmdBindSamplerHeapEXT: rec(func(c *commandBuffer, a *abi.CmdBindSamplerHeapEXTArgs) {
		c.vk.BindSamplerHeap(vk.HeapRange(a.PBindInfo.HeapRange))
	}),
	abi.CmdCmdBindResourceHeapEXT: rec(func(c *commandBuffer, a *abi.CmdBindResourceHeapEXTArgs) {
		c.vk.BindResourceHeap(vk.HeapRange(a.PBindInfo.HeapRange))
	}),
	abi.CmdCmdPushDataEXT: rec(func(c *commandBuffer, a *abi.CmdPushDataEXTArgs) {
		i, bank := a.PPushDataInfo, uint32(0)
		if b := abi.Find[abi.PushConstantBankInfoNV](i.PNext, abi.StructureTypePushConstantBankInfoNV); b != nil {
			bank = b.Bank
		}
		c.vk.PushDataBank(bank, int(i.Offset), abi.Bytes(i.Data.Address, uint64(i.Data.Size)))
	}),
}

// heapRange returns the range of a heap; nil without one.
func heapRange(i *abi.BindHeapInfoEXT) *vk.HeapRange {
	if i == nil {
		return nil
	}
	r := vk.HeapRange(i.HeapRange)
	return &r
}

// sampler returns the sampler of a description. The device owns it.
func (h *heapSamplers) sampler(d *vk.Device, info vk.SamplerInfo) (*vk.Sampler, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.made[info]; s != nil {
		return s, nil
	}
	if len(h.made) >= maxHeapSamplers {
		return nil, &vk.OutOfMemoryError{Bytes: 1}
	}
	s, err := d.NewSampler(info)
	if err != nil {
		return nil, err
	}
	if h.made == nil {
		h.made = map[vk.SamplerInfo]*vk.Sampler{}
	}
	h.made[info] = s
	return s, nil
}

func writeSamplerDescriptors(a *abi.WriteSamplerDescriptorsEXTArgs) abi.Result {
	d := deviceOf(a.Device)
	return writeDescriptors(d, array(a.PDescriptors, a.SamplerCount), array(a.PSamplers, a.SamplerCount), func(i *abi.SamplerCreateInfo) (vk.DescriptorInfo, error) {
		s, err := d.heapSamplers.sampler(d.vk, samplerInfo(i))
		return vk.DescriptorInfo{Type: "sampler", Sampler: s}, err
	})
}

func writeResourceDescriptors(a *abi.WriteResourceDescriptorsEXTArgs) abi.Result {
	return writeDescriptors(deviceOf(a.Device), array(a.PDescriptors, a.ResourceCount), array(a.PResources, a.ResourceCount), func(i *abi.ResourceDescriptorInfoEXT) (vk.DescriptorInfo, error) {
		return resourceInfo(i), nil
	})
}

// writeDescriptors writes the descriptors of a list to memory of the host.
func writeDescriptors[T any](d *device, to []abi.HostAddressRangeEXT, from []T, read func(*T) (vk.DescriptorInfo, error)) abi.Result {
	if d == nil {
		return abi.ErrorDeviceLost
	}
	for n := range min(len(to), len(from)) {
		info, err := read(&from[n])
		if err == nil {
			err = d.vk.WriteDescriptor(abi.Bytes(to[n].Address, uint64(to[n].Size)), info)
		}
		if err != nil {
			return d.result(err)
		}
	}
	return abi.Success
}

// resourceInfo reads the content of a descriptor in a resource heap; without data it is null.
func resourceInfo(i *abi.ResourceDescriptorInfoEXT) (out vk.DescriptorInfo) {
	out.Type, _ = link.DescriptorTypeOf(i.Type)
	data := *(*unsafe.Pointer)(unsafe.Pointer(&i.Data))
	if data == nil {
		return out
	}
	switch i.Type {
	case abi.DescriptorTypeSampledImage, abi.DescriptorTypeStorageImage, abi.DescriptorTypeInputAttachment:
		if v := (*abi.ImageDescriptorInfoEXT)(data).PView; v != nil {
			x := viewInfo(v)
			out.Image = &x
		}
	case abi.DescriptorTypeUniformTexelBuffer, abi.DescriptorTypeStorageTexelBuffer:
		t := (*abi.TexelBufferDescriptorInfoEXT)(data)
		out.Address, out.Range, out.Format = t.AddressRange.Address, t.AddressRange.Size, format(t.Format)
	case abi.DescriptorTypeUniformBuffer, abi.DescriptorTypeStorageBuffer, abi.DescriptorTypeAccelerationStructureKHR: // of the latter, the size is ignored
		r := (*abi.DeviceAddressRangeKHR)(data)
		out.Address, out.Range = r.Address, r.Size
	}
	return out
}

func registerBorder(a *abi.RegisterCustomBorderColorEXTArgs) abi.Result {
	d := deviceOf(a.Device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	var at *uint32
	if a.RequestIndex != abi.False {
		at = a.PIndex
	}
	i, ok := d.vk.RegisterBorderColor(vk.BorderColor{Color: a.PBorderColor.CustomBorderColor, Format: format(a.PBorderColor.Format)}, at)
	if !ok {
		return abi.ErrorTooManyObjects
	}
	*a.PIndex = i
	return abi.Success
}

func unregisterBorder(a *abi.UnregisterCustomBorderColorEXTArgs) {
	if d := deviceOf(a.Device); d != nil {
		d.vk.UnregisterBorderColor(a.Index)
	}
}

// mappings reads the places of the resources of a shader.
func mappings(i *abi.ShaderDescriptorSetAndBindingMappingInfoEXT) []vk.Mapping {
	return each(array(i.PMappings, i.MappingCount), mapping)
}

// mapping reads the place of resources: the source selects the member of the union.
func mapping(i *abi.DescriptorSetAndBindingMappingEXT) vk.Mapping {
	count, resources := i.BindingCount, enum.ResourceTypes(i.ResourceMask)
	m := vk.Mapping{Mapping: link.Mapping{Set: i.DescriptorSet, First: i.FirstBinding, Count: &count, Resources: &resources, Source: enum.MappingSource(i.Source)}}
	if b := abi.Find[abi.PushConstantBankInfoNV](i.PNext, abi.StructureTypePushConstantBankInfoNV); b != nil {
		m.Bank = &b.Bank
	}
	data := unsafe.Pointer(&i.SourceData)
	switch i.Source {
	case abi.DescriptorMappingSourceHeapWithConstantOffsetEXT:
		x := (*abi.DescriptorMappingSourceConstantOffsetEXT)(data)
		m.HeapOffset, m.HeapArrayStride = uint64(x.HeapOffset), uint64(x.HeapArrayStride)
		m.SamplerHeapOffset, m.SamplerHeapArrayStride = uint64(x.SamplerHeapOffset), uint64(x.SamplerHeapArrayStride)
		m.Embedded = embedded(x.PEmbeddedSampler)
	case abi.DescriptorMappingSourceHeapWithPushIndexEXT:
		x := (*abi.DescriptorMappingSourcePushIndexEXT)(data)
		m.HeapOffset, m.PushOffset, m.IndexStride, m.HeapArrayStride = uint64(x.HeapOffset), uint64(x.PushOffset), x.HeapIndexStride, uint64(x.HeapArrayStride)
		m.SamplerHeapOffset, m.SamplerPushOffset, m.SamplerIndexStride, m.SamplerHeapArrayStride = uint64(x.SamplerHeapOffset), uint64(x.SamplerPushOffset), x.SamplerHeapIndexStride, uint64(x.SamplerHeapArrayStride)
		m.Embedded, m.CombinedIndex = embedded(x.PEmbeddedSampler), x.UseCombinedImageSamplerIndex != 0
	case abi.DescriptorMappingSourceHeapWithIndirectIndexEXT:
		x := (*abi.DescriptorMappingSourceIndirectIndexEXT)(data)
		m.HeapOffset, m.PushOffset, m.AddressOffset, m.IndexStride, m.HeapArrayStride = uint64(x.HeapOffset), uint64(x.PushOffset), uint64(x.AddressOffset), x.HeapIndexStride, uint64(x.HeapArrayStride)
		m.SamplerHeapOffset, m.SamplerPushOffset, m.SamplerAddressOffset = uint64(x.SamplerHeapOffset), uint64(x.SamplerPushOffset), uint64(x.SamplerAddressOffset)
		m.SamplerIndexStride, m.SamplerHeapArrayStride = x.SamplerHeapIndexStride, uint64(x.SamplerHeapArrayStride)
		m.Embedded, m.CombinedIndex = embedded(x.PEmbeddedSampler), x.UseCombinedImageSamplerIndex != 0
	case abi.DescriptorMappingSourceHeapWithIndirectIndexArrayEXT:
		x := (*abi.DescriptorMappingSourceIndirectIndexArrayEXT)(data)
		m.HeapOffset, m.PushOffset, m.AddressOffset, m.IndexStride = uint64(x.HeapOffset), uint64(x.PushOffset), uint64(x.AddressOffset), x.HeapIndexStride
		m.SamplerHeapOffset, m.SamplerPushOffset, m.SamplerAddressOffset, m.SamplerIndexStride = uint64(x.SamplerHeapOffset), uint64(x.SamplerPushOffset), uint64(x.SamplerAddressOffset), x.SamplerHeapIndexStride
		m.Embedded, m.CombinedIndex = embedded(x.PEmbeddedSampler), x.UseCombinedImageSamplerIndex != 0
	case abi.DescriptorMappingSourceResourceHeapDataEXT:
		x := (*abi.DescriptorMappingSourceHeapDataEXT)(data)
		m.HeapOffset, m.PushOffset = uint64(x.HeapOffset), uint64(x.PushOffset)
	case abi.DescriptorMappingSourceHeapWithShaderRecordIndexEXT:
		x := (*abi.DescriptorMappingSourceShaderRecordIndexEXT)(data)
		m.HeapOffset, m.RecordOffset, m.IndexStride, m.HeapArrayStride = uint64(x.HeapOffset), uint64(x.ShaderRecordOffset), x.HeapIndexStride, uint64(x.HeapArrayStride)
		m.SamplerHeapOffset, m.SamplerRecordOffset, m.SamplerIndexStride, m.SamplerHeapArrayStride = uint64(x.SamplerHeapOffset), x.SamplerShaderRecordOffset, x.SamplerHeapIndexStride, uint64(x.SamplerHeapArrayStride)
		m.Embedded, m.CombinedIndex = embedded(x.PEmbeddedSampler), x.UseCombinedImageSamplerIndex != 0
	case abi.DescriptorMappingSourceShaderRecordDataEXT, abi.DescriptorMappingSourceShaderRecordAddressEXT:
		m.RecordOffset = uint64(*(*uint32)(data))
	case abi.DescriptorMappingSourcePushDataEXT, abi.DescriptorMappingSourcePushAddressEXT:
		m.PushOffset = uint64(*(*uint32)(data))
	case abi.DescriptorMappingSourceIndirectAddressEXTValue:
		x := (*abi.DescriptorMappingSourceIndirectAddressEXT)(data)
		m.PushOffset, m.AddressOffset = uint64(x.PushOffset), uint64(x.AddressOffset)
	}
	return m
}

// embedded reads the sampler of a mapping itself; nil if there is none.
func embedded(i *abi.SamplerCreateInfo) *vk.SamplerInfo {
	if i == nil {
		return nil
	}
	x := samplerInfo(i)
	return &x
}

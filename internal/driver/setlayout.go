package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// setLayoutInfo reads the creation of a set layout.
func setLayoutInfo(i *abi.DescriptorSetLayoutCreateInfo) vk.SetLayoutInfo {
	info := vk.SetLayoutInfo{Flags: enum.SetFlags(i.Flags)}
	flags := abi.Find[abi.DescriptorSetLayoutBindingFlagsCreateInfo](i.PNext, abi.StructureTypeDescriptorSetLayoutBindingFlagsCreateInfo)
	mutable := abi.Find[abi.MutableDescriptorTypeCreateInfoEXT](i.PNext, abi.StructureTypeMutableDescriptorTypeCreateInfoEXT)
	bindings := array(i.PBindings, i.BindingCount)
	for n := range bindings {
		b := &bindings[n] // no copy: its samplers may be anything unless it has some
		t, _ := link.DescriptorTypeOf(b.DescriptorType)
		x := link.Binding{Binding: b.Binding, Type: t, Count: b.DescriptorCount, Stages: link.StagesOf(b.StageFlags)}
		if flags != nil && n < int(flags.BindingCount) {
			x.Flags = enum.BindingFlags(array(flags.PBindingFlags, flags.BindingCount)[n])
		}
		if mutable != nil && n < int(mutable.MutableDescriptorTypeListCount) {
			l := array(mutable.PMutableDescriptorTypeLists, mutable.MutableDescriptorTypeListCount)[n]
			for _, k := range array(l.PDescriptorTypes, l.DescriptorTypeCount) {
				t, _ := link.DescriptorTypeOf(k)
				x.Mutable = append(x.Mutable, t)
			}
		}
		sampled := b.DescriptorType == abi.DescriptorTypeSampler || b.DescriptorType == abi.DescriptorTypeCombinedImageSampler
		if sampled && b.PImmutableSamplers != nil && b.DescriptorCount > 0 {
			if info.Samplers == nil {
				info.Samplers = map[uint32][]*vk.Sampler{}
			}
			for _, h := range array(b.PImmutableSamplers, b.DescriptorCount) {
				info.Samplers[b.Binding] = append(info.Samplers[b.Binding], samplers.get(uint64(h)))
			}
		}
		info.Bindings = append(info.Bindings, x)
	}
	return info
}

func createSetLayout(a *abi.CreateDescriptorSetLayoutArgs) abi.Result {
	d := deviceOf(a.Device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	l, err := d.vk.NewSetLayout(setLayoutInfo(a.PCreateInfo))
	return created(d, &setLayouts, l, err, unsafe.Pointer(a.PSetLayout))
}

func getSetLayoutSupport(a *abi.GetDescriptorSetLayoutSupportArgs) {
	d := deviceOf(a.Device)
	if d == nil {
		return
	}
	variable, ok := d.vk.SupportsSetLayout(setLayoutInfo(a.PCreateInfo))
	a.PSupport.Supported = flag(ok)
	if v := abi.Find[abi.DescriptorSetVariableDescriptorCountLayoutSupport](a.PSupport.PNext, abi.StructureTypeDescriptorSetVariableDescriptorCountLayoutSupport); v != nil {
		v.MaxVariableDescriptorCount = variable
	}
}

func createPipelineLayout(a *abi.CreatePipelineLayoutArgs) abi.Result {
	d := deviceOf(a.Device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	l, err := d.vk.NewPipelineLayout(pipelineLayoutInfo(a.PCreateInfo))
	return created(d, &pipelineLayouts, l, err, unsafe.Pointer(a.PPipelineLayout))
}

// pipelineLayoutInfo reads the creation of a pipeline layout.
func pipelineLayoutInfo(i *abi.PipelineLayoutCreateInfo) vk.PipelineLayoutInfo {
	return vk.PipelineLayoutInfo{
		Flags: enum.LayoutFlags(i.Flags), Sets: each(array(i.PSetLayouts, i.SetLayoutCount), setLayoutAt),
		Push: each(array(i.PPushConstantRanges, i.PushConstantRangeCount), pushRange),
	}
}

// setLayoutAt returns the layout of a handle of an array; nil if there is none.
func setLayoutAt(h *abi.DescriptorSetLayout) *vk.SetLayout { return setLayouts.get(uint64(*h)) }

// pushRange reads a range of push constants.
func pushRange(r *abi.PushConstantRange) link.Range {
	return link.Range{Offset: r.Offset, Size: r.Size, Stages: link.StagesOf(r.StageFlags)}
}

package driver

import (
	"sync"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// descriptorPool is a VkDescriptorPool with the handles of its sets.
type descriptorPool struct {
	vk   *vk.Pool
	mu   sync.Mutex
	sets map[uint64]bool
}

// Close frees the pool with its sets.
func (p *descriptorPool) Close() error {
	p.forget()
	return p.vk.Close()
}

// forget drops the handles of all sets.
func (p *descriptorPool) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for h := range p.sets {
		descriptorSets.remove(h)
	}
	clear(p.sets)
}

// template is a VkDescriptorUpdateTemplate: the places of descriptors in memory of the application.
type template struct {
	entries []abi.DescriptorUpdateTemplateEntry
	push    bool
	point   vk.BindPoint
}

// Close does nothing: a template has no object of package vk.
func (*template) Close() error { return nil }

var (
	setLayouts      table[vk.SetLayout]
	descriptorPools table[descriptorPool]
	descriptorSets  table[vk.Set]
	templates       table[template]
)

func descriptorSetOf(h abi.DescriptorSet) *vk.Set { return descriptorSets.get(uint64(h)) }

var descriptorCalls = map[int]call{
	abi.CmdCreateDescriptorSetLayout:     on(createSetLayout),
	abi.CmdDestroyDescriptorSetLayout:    run(func(a *abi.DestroyDescriptorSetLayoutArgs) { destroy(&setLayouts, uint64(a.DescriptorSetLayout)) }),
	abi.CmdGetDescriptorSetLayoutSupport: run(getSetLayoutSupport),
	abi.CmdCreatePipelineLayout:          on(createPipelineLayout),
	abi.CmdDestroyPipelineLayout:         run(func(a *abi.DestroyPipelineLayoutArgs) { destroy(&pipelineLayouts, uint64(a.PipelineLayout)) }),
	abi.CmdCreateDescriptorPool:          on(createDescriptorPool),
	abi.CmdDestroyDescriptorPool:         run(func(a *abi.DestroyDescriptorPoolArgs) { destroy(&descriptorPools, uint64(a.DescriptorPool)) }),
	abi.CmdResetDescriptorPool: on(func(a *abi.ResetDescriptorPoolArgs) abi.Result {
		p := descriptorPools.get(uint64(a.DescriptorPool))
		if p == nil {
			return abi.ErrorDeviceLost
		}
		p.forget()
		return deviceOf(a.Device).result(p.vk.Reset())
	}),
	abi.CmdAllocateDescriptorSets:         on(allocateDescriptorSets),
	abi.CmdFreeDescriptorSets:             on(freeDescriptorSets),
	abi.CmdUpdateDescriptorSets:           run(updateDescriptorSets),
	abi.CmdCreateDescriptorUpdateTemplate: on(createUpdateTemplate),
	abi.CmdDestroyDescriptorUpdateTemplate: run(func(a *abi.DestroyDescriptorUpdateTemplateArgs) {
		destroy(&templates, uint64(a.DescriptorUpdateTemplate))
	}),
	abi.CmdUpdateDescriptorSetWithTemplate: run(updateWithTemplate),
}

func createDescriptorPool(a *abi.CreateDescriptorPoolArgs) abi.Result {
	d, i := deviceOf(a.Device), a.PCreateInfo
	if d == nil {
		return abi.ErrorDeviceLost
	}
	info := vk.PoolInfo{MaxSets: int(i.MaxSets), Flags: vk.PoolFlags(i.Flags)}
	if b := abi.Find[abi.DescriptorPoolInlineUniformBlockCreateInfo](i.PNext, abi.StructureTypeDescriptorPoolInlineUniformBlockCreateInfo); b != nil {
		info.InlineBlocks = int(b.MaxInlineUniformBlockBindings)
	}
	mutable := abi.Find[abi.MutableDescriptorTypeCreateInfoEXT](i.PNext, abi.StructureTypeMutableDescriptorTypeCreateInfoEXT)
	for n, s := range array(i.PPoolSizes, i.PoolSizeCount) {
		t, _ := link.DescriptorTypeOf(s.Type)
		size := vk.PoolSize{Type: t, Count: int(s.DescriptorCount)}
		if mutable != nil && n < int(mutable.MutableDescriptorTypeListCount) {
			l := array(mutable.PMutableDescriptorTypeLists, mutable.MutableDescriptorTypeListCount)[n]
			for _, k := range array(l.PDescriptorTypes, l.DescriptorTypeCount) {
				t, _ := link.DescriptorTypeOf(k)
				size.Mutable = append(size.Mutable, t)
			}
		}
		info.Sizes = append(info.Sizes, size)
	}
	if checking() != vk.All { // Vulkan permits an allocation beyond the sizes to fail or to succeed; it fails with full checking alone
		info.Sizes, info.InlineBlocks = nil, 0
	}
	p, err := d.vk.NewPool(info)
	if err != nil {
		return d.result(err)
	}
	return created(d, &descriptorPools, &descriptorPool{vk: p, sets: map[uint64]bool{}}, nil, unsafe.Pointer(a.PDescriptorPool))
}

func allocateDescriptorSets(a *abi.AllocateDescriptorSetsArgs) abi.Result {
	i := a.PAllocateInfo
	p := descriptorPools.get(uint64(i.DescriptorPool))
	out := array(a.PDescriptorSets, i.DescriptorSetCount)
	clear(out)
	if p == nil {
		return abi.ErrorDeviceLost
	}
	if i.DescriptorSetCount > maxElements {
		return outOfHost
	}
	variable := abi.Find[abi.DescriptorSetVariableDescriptorCountAllocateInfo](i.PNext, abi.StructureTypeDescriptorSetVariableDescriptorCountAllocateInfo)
	for n, h := range array(i.PSetLayouts, i.DescriptorSetCount) {
		var s *vk.Set
		var err error
		if variable != nil && n < int(variable.DescriptorSetCount) {
			s, err = p.vk.AllocateVariable(setLayouts.get(uint64(h)), array(variable.PDescriptorCounts, variable.DescriptorSetCount)[n])
		} else {
			s, err = p.vk.Allocate(setLayouts.get(uint64(h)))
		}
		r := created(deviceOf(a.Device), &descriptorSets, s, err, unsafe.Pointer(&out[n]))
		if r != abi.Success {
			p.free(out[:n])
			clear(out)
			return r
		}
		p.mu.Lock()
		p.sets[uint64(out[n])] = true
		p.mu.Unlock()
	}
	return abi.Success
}

// free closes sets of the pool.
func (p *descriptorPool) free(list []abi.DescriptorSet) {
	for _, h := range list {
		p.mu.Lock()
		own := p.sets[uint64(h)]
		delete(p.sets, uint64(h))
		p.mu.Unlock()
		if own {
			destroy(&descriptorSets, uint64(h))
		}
	}
}

func freeDescriptorSets(a *abi.FreeDescriptorSetsArgs) abi.Result {
	if p := descriptorPools.get(uint64(a.DescriptorPool)); p != nil {
		p.free(array(a.PDescriptorSets, a.DescriptorSetCount))
	}
	return abi.Success
}

func updateDescriptorSets(a *abi.UpdateDescriptorSetsArgs) {
	for list := array(a.PDescriptorWrites, a.DescriptorWriteCount); len(list) > 0; {
		n := 1
		for n < len(list) && list[n].DstSet == list[0].DstSet {
			n++
		}
		_ = descriptorSetOf(list[0].DstSet).Update(writes(list[:n])...) // the call has no result
		list = list[n:]
	}
	for _, c := range array(a.PDescriptorCopies, a.DescriptorCopyCount) {
		_ = descriptorSetOf(c.DstSet).Copy(vk.Copy{
			Source: descriptorSetOf(c.SrcSet), SourceBinding: c.SrcBinding, SourceElement: c.SrcArrayElement,
			Binding: c.DstBinding, Element: c.DstArrayElement, Count: c.DescriptorCount,
		})
	}
}

// writes reads updates of descriptors of one set.
func writes(list []abi.WriteDescriptorSet) []vk.Write {
	out := make([]vk.Write, len(list))
	for i := range list {
		w := &list[i]
		out[i] = vk.Write{Binding: w.DstBinding, Element: w.DstArrayElement}
		s := source{count: w.DescriptorCount}
		switch w.DescriptorType {
		case abi.DescriptorTypeInlineUniformBlock:
			if b := abi.Find[abi.WriteDescriptorSetInlineUniformBlock](w.PNext, abi.StructureTypeWriteDescriptorSetInlineUniformBlock); b != nil {
				s.first, s.count = b.PData, b.DataSize
			}
		case abi.DescriptorTypeAccelerationStructureKHR:
			if b := abi.Find[abi.WriteDescriptorSetAccelerationStructureKHR](w.PNext, abi.StructureTypeWriteDescriptorSetAccelerationStructureKHR); b != nil {
				s.first, s.count, s.stride = unsafe.Pointer(b.PAccelerationStructures), min(s.count, b.AccelerationStructureCount), unsafe.Sizeof(abi.AccelerationStructureKHR(0))
			}
		case abi.DescriptorTypeUniformTexelBuffer, abi.DescriptorTypeStorageTexelBuffer:
			s.first, s.stride = unsafe.Pointer(w.PTexelBufferView), unsafe.Sizeof(abi.BufferView(0))
		case abi.DescriptorTypeUniformBuffer, abi.DescriptorTypeStorageBuffer, abi.DescriptorTypeUniformBufferDynamic, abi.DescriptorTypeStorageBufferDynamic:
			s.first, s.stride = unsafe.Pointer(w.PBufferInfo), unsafe.Sizeof(abi.DescriptorBufferInfo{})
		default:
			s.first, s.stride = unsafe.Pointer(w.PImageInfo), unsafe.Sizeof(abi.DescriptorImageInfo{})
		}
		s.fill(&out[i], w.DescriptorType)
	}
	return out
}

// source is descriptors in memory of the application.
type source struct {
	first  unsafe.Pointer
	count  uint32 // bytes of an inline uniform block
	stride uintptr
}

// fill adds the descriptors to a write.
func (s *source) fill(w *vk.Write, kind uint32) {
	w.Type, _ = link.DescriptorTypeOf(kind)
	if s.first == nil || s.count > vk.MaxSetDescriptors && kind != abi.DescriptorTypeInlineUniformBlock {
		return // no descriptors: the update is an error
	}
	switch kind {
	case abi.DescriptorTypeInlineUniformBlock:
		w.Inline = abi.Bytes(s.first, uint64(s.count))
	case abi.DescriptorTypeAccelerationStructureKHR:
		w.Structures = make([]*vk.AccelerationStructure, s.count)
		for i := range w.Structures {
			w.Structures[i] = structures.get(*at[uint64](s.first, uintptr(i)*s.stride))
		}
	case abi.DescriptorTypeUniformTexelBuffer, abi.DescriptorTypeStorageTexelBuffer:
		w.Texels = make([]*vk.BufferView, s.count)
		for i := range w.Texels {
			w.Texels[i] = bufferViews.get(*at[uint64](s.first, uintptr(i)*s.stride))
		}
	case abi.DescriptorTypeUniformBuffer, abi.DescriptorTypeStorageBuffer, abi.DescriptorTypeUniformBufferDynamic, abi.DescriptorTypeStorageBufferDynamic:
		w.Buffers = make([]vk.BufferDescriptor, s.count)
		for i := range w.Buffers {
			b := at[abi.DescriptorBufferInfo](s.first, uintptr(i)*s.stride)
			w.Buffers[i] = vk.BufferDescriptor{Buffer: buffers.get(uint64(b.Buffer)), Offset: b.Offset, Range: b.Range}
		}
	default:
		w.Images = make([]vk.ImageDescriptor, s.count)
		for i := range w.Images {
			m := at[abi.DescriptorImageInfo](s.first, uintptr(i)*s.stride)
			d := &w.Images[i]
			if kind != abi.DescriptorTypeSampler { // the view of a sampler may be anything
				d.View, d.Layout = imageViews.get(uint64(m.ImageView)), vk.ImageLayout(m.ImageLayout)
			}
			if kind == abi.DescriptorTypeSampler || kind == abi.DescriptorTypeCombinedImageSampler {
				d.Sampler = samplers.get(uint64(m.Sampler))
			}
		}
	}
}

func createUpdateTemplate(a *abi.CreateDescriptorUpdateTemplateArgs) abi.Result {
	i := a.PCreateInfo
	t := &template{
		entries: append([]abi.DescriptorUpdateTemplateEntry(nil), array(i.PDescriptorUpdateEntries, i.DescriptorUpdateEntryCount)...),
		push:    i.TemplateType == abi.DescriptorUpdateTemplateTypePushDescriptors, point: bindPoint(i.PipelineBindPoint),
	}
	return created(deviceOf(a.Device), &templates, t, nil, unsafe.Pointer(a.PDescriptorUpdateTemplate))
}

func updateWithTemplate(a *abi.UpdateDescriptorSetWithTemplateArgs) {
	if t := templates.get(uint64(a.DescriptorUpdateTemplate)); t != nil {
		_ = descriptorSetOf(a.DescriptorSet).Update(t.writes(a.PData)...) // the call has no result
	}
}

// writes returns the updates that the template describes.
func (t *template) writes(data unsafe.Pointer) []vk.Write {
	out := make([]vk.Write, len(t.entries))
	for i, e := range t.entries {
		out[i] = vk.Write{Binding: e.DstBinding, Element: e.DstArrayElement}
		s := source{unsafe.Add(data, e.Offset), e.DescriptorCount, uintptr(e.Stride)}
		s.fill(&out[i], e.DescriptorType)
	}
	return out
}

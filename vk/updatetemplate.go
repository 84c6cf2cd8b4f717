package vk

import (
	"github.com/chiaro-gpu/chiaro/link"
)

// TemplateEntry is descriptors of an update template (VkDescriptorUpdateTemplateEntry). Offset is the element of the list
// of [TemplateData] that has the first descriptor, and Stride the distance to the next: lists have elements of any size.
// Of an inline uniform block, Element, Count and Offset are bytes.
type TemplateEntry struct {
	Binding, Element, Count uint32
	Type                    link.DescriptorType
	Offset, Stride          int // a Stride of 0 is 1
}

// TemplateData is the data of an update by a template. Types of buffers are in Buffers, and so on.
type TemplateData struct {
	Buffers []BufferDescriptor
	Images  []ImageDescriptor
	Texels  []*BufferView
	Inline  []byte

	Structures []*AccelerationStructure
}

// UpdateTemplateInfo describes an update template for sets of a layout, or for the push descriptors of a set of a pipeline
// layout.
type UpdateTemplateInfo struct {
	Entries []TemplateEntry

	SetLayout *SetLayout // nil for push descriptors

	Point  BindPoint
	Layout *PipelineLayout
	Set    int
}

// UpdateTemplate is a list of descriptors to update together (VkDescriptorUpdateTemplate).
type UpdateTemplate struct {
	object
	entries []TemplateEntry
	layout  *SetLayout
	push    bool
	point   BindPoint
	set     int
}

// NewUpdateTemplate makes an update template. The layout may be closed afterwards.
func (d *Device) NewUpdateTemplate(info UpdateTemplateInfo) (*UpdateTemplate, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	t := &UpdateTemplate{layout: info.SetLayout, push: info.SetLayout == nil, point: info.Point, set: info.Set}
	if t.push {
		l, err := pushLayout(d, info.Point, info.Layout, info.Set)
		if err != nil {
			return nil, err
		}
		t.layout = l
	} else if err := check(d, "the set layout", info.SetLayout); err != nil {
		return nil, err
	}
	if len(info.Entries) == 0 {
		return nil, usage("VUID-VkDescriptorUpdateTemplateCreateInfo-descriptorUpdateEntryCount-arraylength", "the template has no entry; must have at least 1")
	}
	for _, e := range info.Entries {
		i := t.layout.find(e.Binding)
		if i < 0 {
			return nil, usage("VUID-VkDescriptorUpdateTemplateEntry-dstBinding-00354", "binding %d is not in the layout of the template; must be", e.Binding)
		}
		slot := &t.layout.slots[i]
		switch {
		case !slot.accepts(e.Type):
			return nil, usage("VUID-VkWriteDescriptorSet-descriptorType-00319", "the entry for binding %d is of the type %q; must be of the type of the binding", e.Binding, e.Type)
		case slot.kind == inlineSlot && (e.Element%4 != 0 || e.Count%4 != 0):
			return nil, usage("VUID-VkDescriptorUpdateTemplateEntry-descriptor-02226", "the entry for the inline uniform block of binding %d has %d bytes from byte %d on; must be multiples of 4", e.Binding, e.Count, e.Element)
		case e.Offset < 0 || e.Stride < 0 || e.Count > MaxSetDescriptors:
			return nil, usage("", "the entry for binding %d has %d descriptors, offset %d and stride %d; must be at most %d, and not negative", e.Binding, e.Count, e.Offset, e.Stride, MaxSetDescriptors)
		}
		if e.Stride == 0 {
			e.Stride = 1
		}
		t.entries = append(t.entries, e)
	}
	d.adopt(&t.object, "update template", nil)
	return t, nil
}

// UpdateWithTemplate updates the descriptors of a template; see [Set.Update].
func (s *Set) UpdateWithTemplate(t *UpdateTemplate, data *TemplateData) error {
	if err := check(nil, "the set", s); err != nil {
		return err
	}
	writes, err := t.writes(s.dev, s.layout, data)
	if err != nil {
		return err
	}
	if t.push {
		return usage("VUID-vkUpdateDescriptorSetWithTemplate-descriptorSet-06995", "%v is for push descriptors; must be for sets", &t.object)
	}
	return s.Update(writes...)
}

// writes returns the writes of a template with its data.
func (t *UpdateTemplate) writes(d *Device, l *SetLayout, data *TemplateData) ([]Write, error) {
	if err := check(d, "the template", t); err != nil {
		return nil, err
	}
	if !t.layout.same(l) {
		return nil, usage("VUID-vkUpdateDescriptorSetWithTemplate-descriptorSet-06995", "%v is for another set layout; must be for that of the set", &t.object)
	}
	if data == nil {
		return nil, usage("VUID-vkUpdateDescriptorSetWithTemplate-pData-01685", "the data is nil; must not be")
	}
	writes := make([]Write, len(t.entries))
	for i := range t.entries {
		e, w := &t.entries[i], &writes[i]
		*w = Write{Binding: e.Binding, Element: e.Element, Type: e.Type}
		ok := false
		switch slotKinds[e.Type] {
		case uniformSlot, storageSlot:
			w.Buffers, ok = pick(data.Buffers, e)
		case texelSlot:
			w.Texels, ok = pick(data.Texels, e)
		case structureSlot:
			w.Structures, ok = pick(data.Structures, e)
		case inlineSlot:
			if w.Inline, ok = pick(data.Inline, e); w.Inline == nil {
				w.Inline = []byte{}
			}
		default:
			w.Images, ok = pick(data.Images, e)
		}
		if !ok {
			return nil, usage("VUID-vkUpdateDescriptorSetWithTemplate-pData-01685", "the data lacks some of the %d descriptors of binding %d from offset %d on with stride %d; must have them", e.Count, e.Binding, e.Offset, e.Stride)
		}
	}
	return writes, nil
}

// pick returns the elements of an entry: a part of the list if they are adjacent.
func pick[T any](list []T, e *TemplateEntry) ([]T, bool) {
	n := int(e.Count)
	stride := e.Stride
	if slotKinds[e.Type] == inlineSlot {
		stride = 1
	}
	switch {
	case n == 0:
		return nil, true
	case e.Offset >= len(list) || (len(list)-1-e.Offset)/stride < n-1:
		return nil, false
	case stride == 1:
		return list[e.Offset : e.Offset+n], true
	}
	out := make([]T, n)
	for i := range out {
		out[i] = list[e.Offset+i*stride]
	}
	return out, true
}

package vk

import (
	"cmp"
	"slices"

	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
)

// SetLayoutInfo describes the layout of descriptor sets.
type SetLayoutInfo struct {
	Flags    link.SetFlags
	Bindings []link.Binding // in any order

	// Samplers has the immutable samplers of bindings, by binding number: one for each descriptor.
	Samplers map[uint32][]*Sampler
}

// SetLayout is the layout of descriptor sets.
type SetLayout struct {
	object
	link  link.Set
	slots []layoutSlot // ascending by number
	many  uint32       // descriptors with dynamic offsets
}

// layoutSlot is one binding.
type layoutSlot struct {
	number    uint32
	kind      slotKind
	count     uint32     // descriptors; bytes of an inline uniform block
	dynamic   uint32     // the number of its first dynamic offset in the set
	immutable []*Sampler // nil if sets have their own
}

// slotKind is the kind of the descriptors of a binding.
type slotKind uint8

const (
	uniformSlot slotKind = iota
	storageSlot
	inlineSlot
	texelSlot    // buffer views
	viewSlot     // image views
	samplerSlot  // samplers
	combinedSlot // image views with samplers
)

// slotKinds are the kinds of the types of descriptors.
var slotKinds = map[link.DescriptorType]slotKind{
	link.DescriptorType(iface.UniformBuffer): uniformSlot, link.UniformBufferDynamic: uniformSlot,
	link.DescriptorType(iface.StorageBuffer): storageSlot, link.StorageBufferDynamic: storageSlot,
	link.InlineUniformBlock:                       inlineSlot,
	link.DescriptorType(iface.UniformTexelBuffer): texelSlot, link.DescriptorType(iface.StorageTexelBuffer): texelSlot,
	link.DescriptorType(iface.SampledImage): viewSlot, link.DescriptorType(iface.StorageImage): viewSlot, link.DescriptorType(iface.InputAttachment): viewSlot,
	link.DescriptorType(iface.Sampler): samplerSlot, link.DescriptorType(iface.CombinedImageSampler): combinedSlot,
}

// maxDescriptors bounds the descriptors of one set layout (maxPerSetDescriptors).
const maxDescriptors = 1 << 20

// MaxInlineBytes is the largest inline uniform block in bytes (maxInlineUniformBlockSize).
const MaxInlineBytes = 1 << 16

// NewSetLayout makes a set layout.
func (d *Device) NewSetLayout(info SetLayoutInfo) (*SetLayout, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	l := &SetLayout{link: link.Set{Flags: info.Flags, Bindings: slices.Clone(info.Bindings)}}
	slices.SortStableFunc(l.link.Bindings, func(x, y link.Binding) int { return cmp.Compare(x.Binding, y.Binding) })
	total := uint64(0)
	for i, b := range l.link.Bindings {
		if i > 0 && l.link.Bindings[i-1].Binding == b.Binding {
			return nil, usage("VUID-VkDescriptorSetLayoutCreateInfo-binding-00279", "binding %d is in the layout twice; must be once", b.Binding)
		}
		kind, ok := slotKinds[b.Type]
		if !ok {
			return nil, &UnsupportedError{Feature: "descriptors of the type " + string(b.Type)}
		}
		s := layoutSlot{number: b.Binding, kind: kind, count: b.Count, dynamic: l.many}
		switch {
		case b.Type == link.UniformBufferDynamic || b.Type == link.StorageBufferDynamic:
			l.many += b.Count
		case kind == inlineSlot && (b.Count%4 != 0 || b.Count > MaxInlineBytes):
			return nil, usage("VUID-VkDescriptorSetLayoutBinding-descriptorType-02209", "the inline uniform block of binding %d has %d bytes; must have a multiple of 4, at most %d", b.Binding, b.Count, MaxInlineBytes)
		}
		if err := s.fix(d, info.Samplers[b.Binding]); err != nil {
			return nil, err
		}
		l.link.Bindings[i].Samplers = s.immutable != nil
		if total += uint64(b.Count); total > maxDescriptors {
			return nil, usage("", "the layout has more than %d descriptors; must have at most as many", maxDescriptors)
		}
		l.slots = append(l.slots, s)
	}
	d.adopt(&l.object, "set layout", nil)
	return l, nil
}

// fix sets the immutable samplers of a binding.
func (s *layoutSlot) fix(d *Device, list []*Sampler) error {
	if list == nil {
		return nil
	}
	if s.kind != samplerSlot && s.kind != combinedSlot || len(list) != int(s.count) {
		return usage("VUID-VkDescriptorSetLayoutBinding-descriptorType-00282", "binding %d has %d immutable samplers; must have one for each of its %d descriptors, which must have samplers", s.number, len(list), s.count)
	}
	for _, x := range list {
		if err := check(d, "an immutable sampler", x); err != nil {
			return err
		}
	}
	s.immutable = slices.Clone(list)
	return nil
}

// dynamicCount returns the number of dynamic offsets of a binding.
func (l *SetLayout) dynamicCount(i int) uint32 {
	end := l.many
	if i+1 < len(l.slots) {
		end = l.slots[i+1].dynamic
	}
	return end - l.slots[i].dynamic
}

// find returns the index of a binding; −1 if there is none.
func (l *SetLayout) find(number uint32) int {
	i, ok := slices.BinarySearchFunc(l.slots, number, func(s layoutSlot, n uint32) int { return cmp.Compare(s.number, n) })
	if !ok {
		return -1
	}
	return i
}

// same reports whether two layouts are identically defined (Vulkan, Pipeline Layout Compatibility).
func (l *SetLayout) same(o *SetLayout) bool {
	if l == o {
		return true
	}
	if l == nil || o == nil || l.link.Flags != o.link.Flags || len(l.link.Bindings) != len(o.link.Bindings) {
		return false
	}
	for i := range l.link.Bindings {
		x, y := &l.link.Bindings[i], &o.link.Bindings[i]
		if x.Binding != y.Binding || x.Type != y.Type || x.Count != y.Count || x.Stages != y.Stages || x.Flags != y.Flags ||
			!slices.Equal(l.slots[i].immutable, o.slots[i].immutable) || !slices.Equal(x.Mutable, y.Mutable) {
			return false
		}
	}
	return true
}

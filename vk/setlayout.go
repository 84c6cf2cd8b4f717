package vk

import (
	"cmp"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/link"
)

// SetLayoutInfo describes the layout of descriptor sets.
type SetLayoutInfo struct {
	Flags    enum.SetFlags
	Bindings []link.Binding // in any order; Mutable has the types that a mutable binding may have

	// Samplers has the immutable samplers of bindings, by binding number: one for each descriptor.
	Samplers map[uint32][]*Sampler
}

// SetLayout is the layout of descriptor sets.
type SetLayout struct {
	object
	link  link.Set
	slots []layoutSlot // ascending by number
	many  uint32       // descriptors with dynamic offsets
	size  uint64       // in a descriptor buffer, in bytes
}

// layoutSlot is one binding.
type layoutSlot struct {
	number    uint32
	kind      slotKind
	typ       link.DescriptorType
	allowed   []link.DescriptorType // of a mutable binding
	count     uint32                // descriptors; bytes of an inline uniform block; the most of a variable binding
	variable  bool                  // sets have counts of their own
	partial   bool                  // descriptors that are not used need not be valid
	late      bool                  // Update may change it after the set was bound, or while it is not used
	dynamic   uint32                // the number of its first dynamic offset in the set
	offset    uint64                // of its first descriptor in a descriptor buffer, in bytes
	immutable []*Sampler            // nil if sets have their own
}

// slotKind is the kind of the descriptors of a binding.
type slotKind uint8

const (
	uniformSlot slotKind = iota
	storageSlot
	structureSlot // acceleration structures, as buffers with their numbers
	inlineSlot
	texelSlot    // buffer views
	viewSlot     // image views
	samplerSlot  // samplers
	combinedSlot // image views with samplers
	mutableSlot  // one of the others, by descriptor
)

// slotKinds are the kinds of the types of descriptors.
var slotKinds = map[link.DescriptorType]slotKind{
	link.DescriptorType(iface.UniformBuffer): uniformSlot, link.UniformBufferDynamic: uniformSlot,
	link.DescriptorType(iface.StorageBuffer): storageSlot, link.StorageBufferDynamic: storageSlot,
	link.AccelerationStructure: structureSlot, link.InlineUniformBlock: inlineSlot,
	link.DescriptorType(iface.UniformTexelBuffer): texelSlot, link.DescriptorType(iface.StorageTexelBuffer): texelSlot,
	link.DescriptorType(iface.SampledImage): viewSlot, link.DescriptorType(iface.StorageImage): viewSlot, link.DescriptorType(iface.InputAttachment): viewSlot,
	link.SampleWeightImage: viewSlot, link.BlockMatchImage: viewSlot,
	link.DescriptorType(iface.Sampler): samplerSlot, link.DescriptorType(iface.CombinedImageSampler): combinedSlot,
	link.Mutable: mutableSlot,
}

// MaxSetDescriptors bounds the descriptors of one set layout (maxPerSetDescriptors).
const MaxSetDescriptors = 1 << 20

// MaxInlineBytes is the largest inline uniform block in bytes (maxInlineUniformBlockSize).
const MaxInlineBytes = 1 << 16

// MaxInlineTotal bounds the bytes of the inline uniform blocks of one layout (maxInlineUniformTotalSize).
const MaxInlineTotal = 256 * MaxInlineBytes

// MaxPushDescriptors bounds the descriptors of a set layout for push descriptors (maxPushDescriptors).
const MaxPushDescriptors = 32

// NewSetLayout makes a set layout.
func (d *Device) NewSetLayout(info SetLayoutInfo) (*SetLayout, error) {
	l, err := d.newSetLayout(&info)
	if err != nil {
		return nil, err
	}
	d.adopt(&l.object, "set layout", nil)
	return l, nil
}

// SupportsSetLayout reports whether NewSetLayout makes a layout, and the largest count of its binding with a variable
// count; 0 if it has none (vkGetDescriptorSetLayoutSupport).
func (d *Device) SupportsSetLayout(info SetLayoutInfo) (variable uint32, ok bool) {
	l, err := d.newSetLayout(&info)
	if err != nil {
		return 0, false
	}
	if n := len(l.slots); n > 0 && l.slots[n-1].variable {
		last, others := &l.slots[n-1], uint32(0)
		for i := range l.slots[:n-1] {
			others += l.slots[i].descriptors()
		}
		if variable = MaxSetDescriptors - others; last.kind == inlineSlot {
			variable = min(variable, MaxInlineBytes)
		}
	}
	return variable, true
}

func (d *Device) newSetLayout(info *SetLayoutInfo) (*SetLayout, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if info.Flags&enum.SetFlagsPerStage != 0 {
		return nil, &UnsupportedError{Feature: "descriptor sets for each stage"}
	}
	l := &SetLayout{link: link.Set{Flags: info.Flags, Bindings: slices.Clone(info.Bindings)}}
	slices.SortStableFunc(l.link.Bindings, func(x, y link.Binding) int { return cmp.Compare(x.Binding, y.Binding) })
	total, inline := uint64(0), uint64(0)
	for i := range l.link.Bindings {
		b := &l.link.Bindings[i]
		if i > 0 && l.link.Bindings[i-1].Binding == b.Binding {
			return nil, usage("VUID-VkDescriptorSetLayoutCreateInfo-binding-00279", "binding %d is in the layout twice; must be once", b.Binding)
		}
		s, err := l.slot(b)
		if err != nil {
			return nil, err
		}
		if err := s.fix(d, info.Samplers[b.Binding]); err != nil {
			return nil, err
		}
		b.Samplers, b.Mutable = s.immutable != nil, s.allowed
		if s.kind == inlineSlot {
			inline += uint64(b.Count)
		}
		if total += uint64(s.descriptors()); total > MaxSetDescriptors || inline > MaxInlineTotal {
			return nil, usage("", "the layout has more than %d descriptors, or than %d bytes of inline uniform blocks; must have at most as many", MaxSetDescriptors, MaxInlineTotal)
		}
		l.slots = append(l.slots, s)
	}
	if err := l.checkFlags(total); err != nil {
		return nil, err
	}
	l.place()
	if d.checking > None {
		return l, l.judge(d)
	}
	return l, nil
}

// judge returns a *LinkError if the layout breaks a rule of set layouts. Rules of pipeline layouts do not apply yet.
func (l *SetLayout) judge(d *Device) error {
	findings := link.Link(&link.Description{Name: "set layout", Layout: &link.Layout{Sets: []link.Set{l.link}}, Env: d.env, Device: d.env.Device})
	findings = slices.DeleteFunc(findings, func(f link.Finding) bool {
		return f.Severity != diag.Error || !strings.HasPrefix(f.Code, "VUID-VkDescriptorSetLayout") && !strings.HasPrefix(f.Code, "VUID-VkMutableDescriptorTypeListEXT")
	})
	if len(findings) > 0 {
		return &LinkError{findings}
	}
	return nil
}

// slot returns the slot of a binding.
func (l *SetLayout) slot(b *link.Binding) (layoutSlot, error) {
	kind, ok := slotKinds[b.Type]
	if !ok {
		return layoutSlot{}, &UnsupportedError{Feature: "descriptors of the type " + string(b.Type)}
	}
	s := layoutSlot{
		number: b.Binding, kind: kind, typ: b.Type, count: b.Count, dynamic: l.many, variable: b.Flags&enum.BindingFlagsVariableDescriptorCount != 0,
		partial: b.Flags&(enum.BindingFlagsPartiallyBound|enum.BindingFlagsUpdateUnusedWhilePending) != 0,
		late:    b.Flags&(enum.BindingFlagsUpdateAfterBind|enum.BindingFlagsUpdateUnusedWhilePending) != 0,
	}
	dynamic := b.Type == link.UniformBufferDynamic || b.Type == link.StorageBufferDynamic
	switch {
	case dynamic && (l.link.Flags&(enum.SetFlagsPushDescriptor|enum.SetFlagsDescriptorBuffer) != 0 || s.variable):
		return s, usage("VUID-VkDescriptorSetLayoutCreateInfo-flags-00280", "binding %d has dynamic buffers; must not have them in a layout for push descriptors or descriptor buffers, or with a variable count", b.Binding)
	case dynamic:
		l.many += b.Count
	case kind == inlineSlot && (b.Count%4 != 0 || b.Count > MaxInlineBytes):
		return s, usage("VUID-VkDescriptorSetLayoutBinding-descriptorType-02209", "the inline uniform block of binding %d has %d bytes; must have a multiple of 4, at most %d", b.Binding, b.Count, MaxInlineBytes)
	case kind == mutableSlot:
		if len(b.Mutable) == 0 {
			return s, usage("VUID-VkMutableDescriptorTypeListEXT-descriptorTypeCount-04597", "the mutable binding %d has no list of types; must have one", b.Binding)
		}
		for _, t := range b.Mutable {
			k, ok := slotKinds[t]
			switch {
			case !ok:
				return s, &UnsupportedError{Feature: "descriptors of the type " + string(t)}
			case k == mutableSlot || k == inlineSlot || t == link.UniformBufferDynamic || t == link.StorageBufferDynamic:
				return s, usage("VUID-VkMutableDescriptorTypeListEXT-pDescriptorTypes-04600", "the mutable binding %d may be of the type %s; must not be", b.Binding, t)
			}
		}
		s.allowed = slices.Clone(b.Mutable)
	}
	return s, nil
}

// descriptors returns the number of descriptors: an inline uniform block is one, its count are bytes.
func (s *layoutSlot) descriptors() uint32 {
	if s.kind == inlineSlot {
		return min(s.count, 1)
	}
	return s.count
}

// checkFlags checks the combinations of flags and bindings on which this package depends; package link has all rules.
func (l *SetLayout) checkFlags(total uint64) error {
	flags := l.link.Flags
	for i := range l.slots {
		s := &l.slots[i]
		switch {
		case s.variable && i != len(l.slots)-1:
			return usage("VUID-VkDescriptorSetLayoutBindingFlagsCreateInfo-pBindingFlags-03004", "binding %d has a variable count, and binding %d is after it; must be the last one", s.number, l.slots[i+1].number)
		case flags&enum.SetFlagsPushDescriptor != 0 && (s.variable || s.kind == inlineSlot || s.kind == mutableSlot):
			return usage("VUID-VkDescriptorSetLayoutCreateInfo-flags-02208", "binding %d of a layout for push descriptors has a variable count, an inline uniform block or mutable descriptors; must not have them", s.number)
		case flags&enum.SetFlagsEmbeddedImmutableSamplers != 0 && (s.kind != samplerSlot || s.immutable == nil):
			return usage("VUID-VkDescriptorSetLayoutBinding-flags-08005", "binding %d of a layout of embedded immutable samplers is no immutable sampler; must be", s.number)
		}
	}
	switch {
	case flags&enum.SetFlagsPushDescriptor != 0 && total > MaxPushDescriptors:
		return usage("VUID-VkDescriptorSetLayoutCreateInfo-flags-00281", "the layout for push descriptors has %d; must have at most %d", total, MaxPushDescriptors)
	case flags&enum.SetFlagsEmbeddedImmutableSamplers != 0 && flags&enum.SetFlagsDescriptorBuffer == 0:
		return usage("VUID-VkDescriptorSetLayoutCreateInfo-flags-08001", "the layout of embedded immutable samplers is not for descriptor buffers; must be")
	case flags&enum.SetFlagsDescriptorBuffer != 0 && flags&(enum.SetFlagsUpdateAfterBindPool|enum.SetFlagsHostOnlyPool) != 0:
		return usage("VUID-VkDescriptorSetLayoutCreateInfo-flags-08002", "the layout is for descriptor buffers and for pools; must be for one of them")
	}
	return nil
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

// accepts reports whether a descriptor of a type may be written to the binding.
func (s *layoutSlot) accepts(t link.DescriptorType) bool {
	return t == s.typ && s.kind != mutableSlot || slices.Contains(s.allowed, t)
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
	return l == o || l != nil && o != nil && l.link.Same(&o.link) && l.sameSamplers(o)
}

// sameSamplers reports whether two layouts with identically defined bindings have identically defined immutable samplers.
func (l *SetLayout) sameSamplers(o *SetLayout) bool {
	return l == o || l == nil || o == nil || slices.EqualFunc(l.slots, o.slots, func(x, y layoutSlot) bool { return slices.EqualFunc(x.immutable, y.immutable, (*Sampler).same) })
}

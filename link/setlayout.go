package link

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// setRules are the rules of descriptor set layouts.
var setRules = func() []Rule {
	out := []Rule{
		{vuid.VkDescriptorSetLayoutCreateInfo_binding_00279, "each binding of a set has its own number"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_09464, "a set for each stage has at most one binding of a number for each stage"},
		{vuid.VkMutableDescriptorTypeListEXT_descriptorTypeCount_04597, "the list of types of a mutable binding has one"},
		{vuid.VkDescriptorSetLayoutBinding_descriptorType_00282, "a binding of samplers has as many immutable samplers as descriptors, or none"},
		{vuid.VkDescriptorSetLayoutBinding_descriptorType_12200, "all immutable samplers of a binding convert from Y′CbCr, or none"},
		{vuid.VkDescriptorSetLayoutBinding_pImmutableSamplers_04009, "no immutable sampler has a border of a color of its own"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_10354, "a set of push descriptors needs VK_KHR_push_descriptor or the feature pushDescriptor"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_00280, "a set of push descriptors has no dynamic buffer"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_02208, "a set of push descriptors has no inline uniform block"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_00281, "a set of push descriptors has no more of them than maxPushDescriptors"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_04590, "a set of push descriptors is not for host-only pools"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_04591, "a set of push descriptors has no mutable descriptor"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_03000, "a set with a binding that is updated after it is bound is for such pools"},
		{vuid.VkDescriptorSetLayoutCreateInfo_descriptorType_03001, "a set with a binding that is updated after it is bound has no dynamic buffer"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_04592, "a set for pools of update after bind is not for host-only pools"},
		{vuid.VkDescriptorSetLayoutCreateInfo_pBindings_07303, "a mutable binding has a list of types"},
		{vuid.VkDescriptorSetLayoutCreateInfo_descriptorType_04594, "a mutable binding has no immutable samplers"},
		{vuid.VkDescriptorSetLayoutBinding_descriptorType_04605, "a mutable binding has no immutable samplers"},
		{vuid.VkDescriptorSetLayoutBinding_flags_09466, "a binding of a set for each stage is only for vertex, fragment and compute stages"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_09463, "a set for each stage needs the feature perStageDescriptorSet"},
		{vuid.VkDescriptorSetLayoutCreateInfo_mutableDescriptorType_04595, "a mutable binding needs the feature mutableDescriptorType"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_04596, "a set for host-only pools needs the feature mutableDescriptorType"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_08000, "a set for descriptor buffers has no dynamic buffer"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_08001, "a set of embedded immutable samplers is for descriptor buffers"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_08002, "a set for descriptor buffers is not for pools of update after bind"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_08003, "a set for descriptor buffers is not for host-only pools"},
		{vuid.VkMutableDescriptorTypeListEXT_descriptorTypeCount_04599, "a binding that is not mutable has no list of types"},
		{vuid.VkMutableDescriptorTypeListEXT_pDescriptorTypes_04598, "the types of a mutable binding are all others"},
		{vuid.VkDescriptorSetLayoutBinding_descriptorType_04604, "an inline uniform block needs the feature inlineUniformBlock"},
		{vuid.VkDescriptorSetLayoutBinding_descriptorType_02209, "an inline uniform block has a multiple of 4 bytes"},
		{vuid.VkDescriptorSetLayoutBinding_descriptorType_08004, "an inline uniform block has no more bytes than maxInlineUniformBlockSize"},
		{vuid.VkDescriptorSetLayoutBinding_flags_08005, "a set of embedded immutable samplers has only samplers"},
		{vuid.VkDescriptorSetLayoutBinding_flags_08006, "a binding of embedded immutable samplers has at most one"},
		{vuid.VkDescriptorSetLayoutBinding_flags_08007, "a binding of embedded immutable samplers has its sampler"},
		{vuid.VkDescriptorSetLayoutBinding_descriptorType_01510, "an input attachment is only for the fragment stage"},
		{vuid.VkDescriptorSetLayoutBinding_descriptorType_12215, "no immutable sampler of a plain sampler converts from Y′CbCr"},
		{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_bindingCount_03002, "a set that has flags of bindings has them for all"},
		{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_flags_03003, "a binding of push descriptors is not updated after it is bound or while unused, and has no variable count"},
		{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_pBindingFlags_03004, "the binding with a variable count is the one with the highest number"},
		{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_pBindingFlags_03015, "a binding with a variable count is no dynamic buffer"},
		{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_None_03011, "input attachments and dynamic buffers are not updated after they are bound"},
	}
	for _, k := range mutableOut {
		out = append(out, Rule{k.code, "a mutable binding is never of the type " + string(k.kind)})
	}
	for _, k := range updatedAfter {
		out = append(out, Rule{k.code, "a binding of its type that is updated after it is bound needs the feature " + k.feature})
	}
	for _, k := range bindingFeatures {
		out = append(out, Rule{k.code, "the flag " + k.flag.String() + " needs the feature " + k.feature})
	}
	return out
}()

// mutableOut are the types that no mutable binding may be of.
var mutableOut = []struct {
	code string
	kind DescriptorType
}{
	{vuid.VkMutableDescriptorTypeListEXT_pDescriptorTypes_04600, Mutable},
	{vuid.VkMutableDescriptorTypeListEXT_pDescriptorTypes_04601, StorageBufferDynamic},
	{vuid.VkMutableDescriptorTypeListEXT_pDescriptorTypes_04602, UniformBufferDynamic},
	{vuid.VkMutableDescriptorTypeListEXT_pDescriptorTypes_04603, InlineUniformBlock},
	{vuid.VkMutableDescriptorTypeListEXT_pDescriptorTypes_09696, "tensor"},
}

// updatedAfter are the features that updates after binding need.
var updatedAfter = []struct {
	code, feature string
	types         []DescriptorType
}{
	{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_descriptorBindingUniformBufferUpdateAfterBind_03005, "descriptorBindingUniformBufferUpdateAfterBind", plainUniforms},
	{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_descriptorBindingSampledImageUpdateAfterBind_03006, "descriptorBindingSampledImageUpdateAfterBind", []DescriptorType{"sampler", "combined_image_sampler", "sampled_image"}},
	{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_descriptorBindingStorageImageUpdateAfterBind_03007, "descriptorBindingStorageImageUpdateAfterBind", []DescriptorType{"storage_image"}},
	{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_descriptorBindingStorageBufferUpdateAfterBind_03008, "descriptorBindingStorageBufferUpdateAfterBind", plainStorage},
	{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_descriptorBindingUniformTexelBufferUpdateAfterBind_03009, "descriptorBindingUniformTexelBufferUpdateAfterBind", []DescriptorType{"uniform_texel_buffer"}},
	{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_descriptorBindingStorageTexelBufferUpdateAfterBind_03010, "descriptorBindingStorageTexelBufferUpdateAfterBind", []DescriptorType{"storage_texel_buffer"}},
	{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_descriptorBindingInlineUniformBlockUpdateAfterBind_02211, "descriptorBindingInlineUniformBlockUpdateAfterBind", inlineBlocks},
	{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_descriptorBindingAccelerationStructureUpdateAfterBind_03570, "descriptorBindingAccelerationStructureUpdateAfterBind", structures},
	{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_descriptorBindingStorageTensorUpdateAfterBind_09697, "descriptorBindingStorageTensorUpdateAfterBind", tensors},
}

// bindingFeatures are the features that flags of bindings need.
var bindingFeatures = []struct {
	code, feature string
	flag          enum.BindingFlags
}{
	{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_descriptorBindingUpdateUnusedWhilePending_03012, "descriptorBindingUpdateUnusedWhilePending", enum.BindingFlagsUpdateUnusedWhilePending},
	{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_descriptorBindingPartiallyBound_03013, "descriptorBindingPartiallyBound", enum.BindingFlagsPartiallyBound},
	{vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_descriptorBindingVariableDescriptorCount_03014, "descriptorBindingVariableDescriptorCount", enum.BindingFlagsVariableDescriptorCount},
}

// set checks one descriptor set layout.
func (l *linker) set(s *Set) {
	l.setFlags(s)
	highest := uint32(0)
	for i := range s.Bindings {
		highest = max(highest, s.Bindings[i].Binding)
	}
	seen := map[uint32]Stages{}
	for i := range s.Bindings {
		b := &s.Bindings[i]
		side := []Side{b.side(s.Number)}
		switch have, twice := seen[b.Binding]; {
		case twice && s.Flags&enum.SetFlagsPerStage == 0:
			l.fail(vuid.VkDescriptorSetLayoutCreateInfo_binding_00279, side, "two bindings have the number %d; must have numbers of their own", b.Binding)
		case have&b.Stages != 0:
			l.fail(vuid.VkDescriptorSetLayoutCreateInfo_flags_09464, side, "two bindings have the number %d for %s; must be for other stages", b.Binding, have&b.Stages)
		}
		seen[b.Binding] |= b.Stages
		const kinds = Stages(1<<(geometry+1) - 1 | 1<<fragment | 1<<compute)
		if s.Flags&enum.SetFlagsPerStage != 0 && b.Count > 0 && b.Stages&^kinds != 0 {
			l.fail(vuid.VkDescriptorSetLayoutBinding_flags_09466, side, "a binding of a set for each stage is for %s; must be for only %s", b.Stages, kinds)
		}
		l.bindingOf(s, b, side)
		l.mutable(b, side)
		l.bindingFlags(s, b, side, highest)
	}
}

// setFlags checks the flags of a set and the properties that depend on them.
func (l *linker) setFlags(s *Set) {
	side := []Side{{Stage: "layout", Slot: fmt.Sprintf("set %d", s.Number), Decorations: s.Flags.String(), path: fmt.Sprintf("layout.sets.%d", s.Number)}}
	push, host := s.Flags&enum.SetFlagsPushDescriptor != 0, s.Flags&enum.SetFlagsHostOnlyPool != 0
	after, buffer := s.Flags&enum.SetFlagsUpdateAfterBindPool != 0, s.Flags&enum.SetFlagsDescriptorBuffer != 0
	if push {
		l.pushSet(s, side)
	}
	if s.Flags&enum.SetFlagsPerStage != 0 {
		l.off(vuid.VkDescriptorSetLayoutCreateInfo_flags_09463, "perStageDescriptorSet", side, "the set is for each stage")
	}
	if host {
		l.off(vuid.VkDescriptorSetLayoutCreateInfo_flags_04596, "mutableDescriptorType", side, "the set is for host-only pools")
	}
	for _, k := range [...]struct {
		code string
		on   bool
		what string
	}{
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_04590, push && host, "is of push descriptors and for host-only pools"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_04592, after && host, "is for pools of update after bind and for host-only pools"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_08002, buffer && after, "is for descriptor buffers and for pools of update after bind"},
		{vuid.VkDescriptorSetLayoutCreateInfo_flags_08003, buffer && host, "is for descriptor buffers and for host-only pools"},
	} {
		if k.on {
			l.fail(k.code, side, "the set %s; must not be both", k.what)
		}
	}
	if s.Flagged != nil && *s.Flagged != 0 && uint64(*s.Flagged) != uint64(len(s.Bindings)) {
		l.fail(vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_bindingCount_03002, side, "the set has flags for %d bindings, and has %d; must have them for all", *s.Flagged, len(s.Bindings))
	}
	if s.Flags&enum.SetFlagsEmbeddedImmutableSamplers != 0 && !buffer {
		l.fail(vuid.VkDescriptorSetLayoutCreateInfo_flags_08001, side, "the set has embedded immutable samplers; must be for descriptor buffers")
	}
}

// pushSet checks a set of push descriptors as a whole.
func (l *linker) pushSet(s *Set, side []Side) {
	ext, known := l.d.Device.Extension("VK_KHR_push_descriptor")
	if known && !ext {
		l.off(vuid.VkDescriptorSetLayoutCreateInfo_flags_10354, "pushDescriptor", side, "the set is of push descriptors without VK_KHR_push_descriptor")
	}
	n := uint64(0)
	for i := range s.Bindings {
		n += uint64(s.Bindings[i].Count)
	}
	l.over(vuid.VkDescriptorSetLayoutCreateInfo_flags_00281, "maxPushDescriptors", n, side, "the number of push descriptors")
}

func (b *Binding) dynamic() bool {
	return b.Type == UniformBufferDynamic || b.Type == StorageBufferDynamic
}

// bindingOf checks a binding in a set with some flags.
func (l *linker) bindingOf(s *Set, b *Binding, side []Side) {
	push, buffer := s.Flags&enum.SetFlagsPushDescriptor != 0, s.Flags&enum.SetFlagsDescriptorBuffer != 0
	switch {
	case push && b.dynamic():
		l.fail(vuid.VkDescriptorSetLayoutCreateInfo_flags_00280, side, "a push descriptor is a %s; must be no dynamic buffer", b.Type)
	case push && b.Type == InlineUniformBlock:
		l.fail(vuid.VkDescriptorSetLayoutCreateInfo_flags_02208, side, "a push descriptor is an inline uniform block; must be none")
	case push && b.Type == Mutable:
		l.fail(vuid.VkDescriptorSetLayoutCreateInfo_flags_04591, side, "a push descriptor is mutable; must not be")
	case buffer && b.dynamic():
		l.fail(vuid.VkDescriptorSetLayoutCreateInfo_flags_08000, side, "a %s is in a descriptor buffer; must be no dynamic buffer", b.Type)
	}
	if b.Type == InlineUniformBlock {
		l.off(vuid.VkDescriptorSetLayoutBinding_descriptorType_04604, "inlineUniformBlock", side, "there is an inline uniform block")
		if b.Count%4 != 0 {
			l.fail(vuid.VkDescriptorSetLayoutBinding_descriptorType_02209, side, "the inline uniform block has %d bytes; must be a multiple of 4", b.Count)
		}
		if !buffer {
			l.over(vuid.VkDescriptorSetLayoutBinding_descriptorType_08004, "maxInlineUniformBlockSize", uint64(b.Count), side, "the size of the inline uniform block")
		}
	}
	if may := l.d.readsAttachments(); b.Type == "input_attachment" && b.Count > 0 && b.Stages&^may != 0 {
		l.fail(vuid.VkDescriptorSetLayoutBinding_descriptorType_01510, side, "the input attachment is for %s; must be only for %s", b.Stages, may)
	}
	l.immutable(b, side)
	if b.Type == "sampler" && b.Ycbcr {
		l.fail(vuid.VkDescriptorSetLayoutBinding_descriptorType_12215, side, "an immutable sampler of a plain sampler converts from Y′CbCr; must not convert")
	}
	if s.Flags&enum.SetFlagsEmbeddedImmutableSamplers == 0 {
		return
	}
	switch {
	case b.Type != "sampler":
		l.fail(vuid.VkDescriptorSetLayoutBinding_flags_08005, side, "a %s is among embedded immutable samplers; must be a sampler", b.Type)
	case b.Count > 1:
		l.fail(vuid.VkDescriptorSetLayoutBinding_flags_08006, side, "a binding has %d embedded immutable samplers; must have at most one", b.Count)
	case b.Count == 1 && !b.Samplers:
		l.fail(vuid.VkDescriptorSetLayoutBinding_flags_08007, side, "a binding of embedded immutable samplers has none; must have it")
	}
}

// readsAttachments returns the stages that read input attachments: the rule has only fragment, but compute also stands for
// subpass shading, which reads them (VK_HUAWEI_subpass_shading).
func (d *Description) readsAttachments() Stages {
	if d.lacks("subpassShading") {
		return StageFragment
	}
	return StageFragment | StageCompute
}

// immutable checks the immutable samplers of a binding, if they are known.
func (l *linker) immutable(b *Binding, side []Side) {
	if b.Immutable == nil || b.Count == 0 || !slices.Contains(samplers, b.Type) {
		return
	}
	if len(b.Immutable) != int(b.Count) {
		l.fail(vuid.VkDescriptorSetLayoutBinding_descriptorType_00282, side, "there are %d immutable samplers of %d descriptors; must be as many", len(b.Immutable), b.Count)
	}
	converts := 0
	for _, s := range b.Immutable {
		if s.Ycbcr {
			converts++
		}
		if s.Border {
			l.fail(vuid.VkDescriptorSetLayoutBinding_pImmutableSamplers_04009, side, "an immutable sampler has a border of a color of its own; must have a fixed one")
			break
		}
	}
	if b.Type != "sampler" && converts > 0 && converts < len(b.Immutable) {
		l.fail(vuid.VkDescriptorSetLayoutBinding_descriptorType_12200, side, "%d of %d immutable samplers convert from Y′CbCr; must be all or none", converts, len(b.Immutable))
	}
}

// mutable checks the types that a binding may be of.
func (l *linker) mutable(b *Binding, side []Side) {
	if b.Type != Mutable {
		if len(b.Mutable) > 0 {
			l.fail(vuid.VkMutableDescriptorTypeListEXT_descriptorTypeCount_04599, side, "a %s has a list of types; must be mutable", b.Type)
		}
		return
	}
	l.off(vuid.VkDescriptorSetLayoutCreateInfo_mutableDescriptorType_04595, "mutableDescriptorType", side, "a binding is mutable")
	switch {
	case b.Mutable != nil && len(b.Mutable) == 0:
		l.fail(vuid.VkMutableDescriptorTypeListEXT_descriptorTypeCount_04597, side, "the list of types of a mutable binding is empty; must have one")
	case b.Mutable == nil:
		l.fail(vuid.VkDescriptorSetLayoutCreateInfo_pBindings_07303, side, "a mutable binding has no list of types; must have one")
	}
	if b.Samplers {
		for _, code := range [...]string{vuid.VkDescriptorSetLayoutCreateInfo_descriptorType_04594, vuid.VkDescriptorSetLayoutBinding_descriptorType_04605} {
			l.fail(code, side, "a mutable binding has immutable samplers; must have none")
		}
	}
	for i, t := range b.Mutable {
		if slices.Contains(b.Mutable[:i], t) {
			l.fail(vuid.VkMutableDescriptorTypeListEXT_pDescriptorTypes_04598, side, "a mutable binding may be %s twice; must be listed once", t)
		}
		for _, k := range mutableOut {
			if t == k.kind {
				l.fail(k.code, side, "a mutable binding may be %s; must not be", t)
			}
		}
	}
}

// bindingFlags checks the flags of a binding.
func (l *linker) bindingFlags(s *Set, b *Binding, side []Side, highest uint32) {
	side[0].Decorations += ", " + b.Flags.String()
	after, variable := b.Flags&enum.BindingFlagsUpdateAfterBind != 0, b.Flags&enum.BindingFlagsVariableDescriptorCount != 0
	if s.Flags&enum.SetFlagsPushDescriptor != 0 && b.Flags&(enum.BindingFlagsUpdateAfterBind|enum.BindingFlagsUpdateUnusedWhilePending|enum.BindingFlagsVariableDescriptorCount) != 0 {
		l.fail(vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_flags_03003, side, "a binding of push descriptors has the flags %s; must not have them", b.Flags)
	}
	if variable && b.Binding != highest {
		l.fail(vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_pBindingFlags_03004, side, "binding %d has a variable count, and the highest is %d; must be the highest", b.Binding, highest)
	}
	if variable && b.dynamic() {
		l.fail(vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_pBindingFlags_03015, side, "a %s has a variable count; must be no dynamic buffer", b.Type)
	}
	for _, k := range bindingFeatures {
		if b.Flags&k.flag != 0 {
			l.off(k.code, k.feature, side, "a binding has the flag "+k.flag.String())
		}
	}
	if !after {
		return
	}
	if s.Flags&enum.SetFlagsUpdateAfterBindPool == 0 {
		l.fail(vuid.VkDescriptorSetLayoutCreateInfo_flags_03000, side, "a binding is updated after it is bound; the set must be for such pools")
	}
	if slices.ContainsFunc(s.Bindings, func(o Binding) bool { return o.dynamic() }) {
		l.fail(vuid.VkDescriptorSetLayoutCreateInfo_descriptorType_03001, side, "a binding is updated after it is bound, and the set has a dynamic buffer; must have none")
	}
	if b.dynamic() || b.Type == "input_attachment" {
		l.fail(vuid.VkDescriptorSetLayoutBindingFlagsCreateInfo_None_03011, side, "a %s is updated after it is bound; must not be", b.Type)
	}
	for _, k := range updatedAfter {
		if slices.Contains(k.types, b.Type) {
			l.off(k.code, k.feature, side, "a "+string(b.Type)+" is updated after it is bound")
		}
	}
}

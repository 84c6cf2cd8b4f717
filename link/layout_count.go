package link

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// The descriptor types that limits count together.
var (
	samplers          = []DescriptorType{"sampler", "combined_image_sampler"}
	uniformBuffers    = []DescriptorType{"uniform_buffer", "uniform_buffer_dynamic"}
	storageBuffers    = []DescriptorType{"storage_buffer", "storage_buffer_dynamic"}
	sampledImages     = []DescriptorType{"combined_image_sampler", "sampled_image", "uniform_texel_buffer"}
	sampledImagesQCOM = []DescriptorType{"combined_image_sampler", "sampled_image", "uniform_texel_buffer", "sample_weight_image", "block_match_image"}
	storageImages     = []DescriptorType{"storage_image", "storage_texel_buffer"}
	inputAttachments  = []DescriptorType{"input_attachment"}
	inlineBlocks      = []DescriptorType{"inline_uniform_block"}
	structures        = []DescriptorType{"acceleration_structure"}
	structuresNV      = []DescriptorType{"acceleration_structure_nv"}
	tensors           = []DescriptorType{"tensor"}
	plainUniforms     = []DescriptorType{"uniform_buffer"}
	dynamicUniforms   = []DescriptorType{"uniform_buffer_dynamic"}
	plainStorage      = []DescriptorType{"storage_buffer"}
	dynamicStorage    = []DescriptorType{"storage_buffer_dynamic"}
	dynamicBuffers    = []DescriptorType{"uniform_buffer_dynamic", "storage_buffer_dynamic"}
)

// when is the state of the feature maintenance7 that a limit needs in order to apply.
type when uint8

const (
	always when = iota
	before7
	since7
)

// countLimit is a limit on the descriptors of a pipeline layout: on descriptors of some
// types, for one stage or in total, in sets that are updated before they are bound or in
// all sets. If there are two limits, the greater one applies.
type countLimit struct {
	code     string
	types    []DescriptorType
	what     string
	limits   [2]string
	perStage bool
	allSets  bool
	when     when
}

var countLimits = []countLimit{
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03016, samplers, "samplers", [2]string{"maxPerStageDescriptorSamplers"}, true, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03017, uniformBuffers, "uniform buffers", [2]string{"maxPerStageDescriptorUniformBuffers"}, true, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03018, storageBuffers, "storage buffers", [2]string{"maxPerStageDescriptorStorageBuffers"}, true, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_06939, sampledImagesQCOM, "sampled images", [2]string{"maxPerStageDescriptorSampledImages"}, true, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03020, storageImages, "storage images", [2]string{"maxPerStageDescriptorStorageImages"}, true, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03021, inputAttachments, "input attachments", [2]string{"maxPerStageDescriptorInputAttachments"}, true, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_02214, inlineBlocks, "inline uniform blocks", [2]string{"maxPerStageDescriptorInlineUniformBlocks"}, true, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03571, structures, "acceleration structures", [2]string{"maxPerStageDescriptorAccelerationStructures"}, true, false, always},
	{vuid.VkPipelineLayoutCreateInfo_pSetLayouts_09698, tensors, "tensors", [2]string{"maxPerStageDescriptorSetStorageTensors"}, true, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03022, samplers, "samplers", [2]string{"maxPerStageDescriptorSamplers", "maxPerStageDescriptorUpdateAfterBindSamplers"}, true, true, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03023, uniformBuffers, "uniform buffers", [2]string{"maxPerStageDescriptorUniformBuffers", "maxPerStageDescriptorUpdateAfterBindUniformBuffers"}, true, true, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03024, storageBuffers, "storage buffers", [2]string{"maxPerStageDescriptorStorageBuffers", "maxPerStageDescriptorUpdateAfterBindStorageBuffers"}, true, true, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03025, sampledImages, "sampled images", [2]string{"maxPerStageDescriptorSampledImages", "maxPerStageDescriptorUpdateAfterBindSampledImages"}, true, true, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03026, storageImages, "storage images", [2]string{"maxPerStageDescriptorStorageImages", "maxPerStageDescriptorUpdateAfterBindStorageImages"}, true, true, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03027, inputAttachments, "input attachments", [2]string{"maxPerStageDescriptorInputAttachments", "maxPerStageDescriptorUpdateAfterBindInputAttachments"}, true, true, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_02215, inlineBlocks, "inline uniform blocks", [2]string{"maxPerStageDescriptorInlineUniformBlocks", "maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks"}, true, true, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03572, structures, "acceleration structures", [2]string{"maxPerStageDescriptorAccelerationStructures", "maxPerStageDescriptorUpdateAfterBindAccelerationStructures"}, true, true, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_09879, tensors, "tensors", [2]string{"maxPerStageDescriptorSetStorageTensors", "maxPerStageDescriptorUpdateAfterBindStorageTensors"}, true, true, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03028, samplers, "samplers", [2]string{"maxDescriptorSetSamplers"}, false, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03029, plainUniforms, "plain uniform buffers", [2]string{"maxDescriptorSetUniformBuffers"}, false, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03030, dynamicUniforms, "dynamic uniform buffers", [2]string{"maxDescriptorSetUniformBuffersDynamic"}, false, false, before7},
	{vuid.VkPipelineLayoutCreateInfo_maintenance7_10003, dynamicUniforms, "dynamic uniform buffers", [2]string{"maxDescriptorSetTotalUniformBuffersDynamic"}, false, false, since7},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03031, plainStorage, "plain storage buffers", [2]string{"maxDescriptorSetStorageBuffers"}, false, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03032, dynamicStorage, "dynamic storage buffers", [2]string{"maxDescriptorSetStorageBuffersDynamic"}, false, false, before7},
	{vuid.VkPipelineLayoutCreateInfo_maintenance7_10004, dynamicStorage, "dynamic storage buffers", [2]string{"maxDescriptorSetTotalStorageBuffersDynamic"}, false, false, since7},
	{vuid.VkPipelineLayoutCreateInfo_None_10005, dynamicBuffers, "dynamic buffers", [2]string{"maxDescriptorSetTotalBuffersDynamic"}, false, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03033, sampledImages, "sampled images", [2]string{"maxDescriptorSetSampledImages"}, false, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03034, storageImages, "storage images", [2]string{"maxDescriptorSetStorageImages"}, false, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03035, inputAttachments, "input attachments", [2]string{"maxDescriptorSetInputAttachments"}, false, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_02216, inlineBlocks, "inline uniform blocks", [2]string{"maxDescriptorSetInlineUniformBlocks"}, false, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03573, structures, "acceleration structures", [2]string{"maxDescriptorSetAccelerationStructures"}, false, false, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_02381, structuresNV, "acceleration structures of NV", [2]string{"maxDescriptorSetAccelerationStructures"}, false, true, always},
	{vuid.VkPipelineLayoutCreateInfo_pSetLayouts_09699, tensors, "tensors", [2]string{"maxDescriptorSetStorageTensors"}, false, false, always},
	{vuid.VkPipelineLayoutCreateInfo_pSetLayouts_03036, samplers, "samplers", [2]string{"maxDescriptorSetSamplers", "maxDescriptorSetUpdateAfterBindSamplers"}, false, true, always},
	{vuid.VkPipelineLayoutCreateInfo_pSetLayouts_03037, plainUniforms, "plain uniform buffers", [2]string{"maxDescriptorSetUniformBuffers", "maxDescriptorSetUpdateAfterBindUniformBuffers"}, false, true, always},
	{vuid.VkPipelineLayoutCreateInfo_pSetLayouts_03038, dynamicUniforms, "dynamic uniform buffers", [2]string{"maxDescriptorSetUniformBuffersDynamic", "maxDescriptorSetUpdateAfterBindUniformBuffersDynamic"}, false, true, before7},
	{vuid.VkPipelineLayoutCreateInfo_maintenance7_10007, dynamicUniforms, "dynamic uniform buffers", [2]string{"maxDescriptorSetTotalUniformBuffersDynamic", "maxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic"}, false, true, since7},
	{vuid.VkPipelineLayoutCreateInfo_pSetLayouts_03039, plainStorage, "plain storage buffers", [2]string{"maxDescriptorSetStorageBuffers", "maxDescriptorSetUpdateAfterBindStorageBuffers"}, false, true, always},
	{vuid.VkPipelineLayoutCreateInfo_pSetLayouts_03040, dynamicStorage, "dynamic storage buffers", [2]string{"maxDescriptorSetStorageBuffersDynamic", "maxDescriptorSetUpdateAfterBindStorageBuffersDynamic"}, false, true, before7},
	{vuid.VkPipelineLayoutCreateInfo_maintenance7_10008, dynamicStorage, "dynamic storage buffers", [2]string{"maxDescriptorSetTotalStorageBuffersDynamic", "maxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic"}, false, true, since7},
	{vuid.VkPipelineLayoutCreateInfo_pSetLayouts_10006, dynamicBuffers, "dynamic buffers", [2]string{"maxDescriptorSetTotalBuffersDynamic", "maxDescriptorSetUpdateAfterBindTotalBuffersDynamic"}, false, true, always},
	{vuid.VkPipelineLayoutCreateInfo_pSetLayouts_03041, sampledImages, "sampled images", [2]string{"maxDescriptorSetSampledImages", "maxDescriptorSetUpdateAfterBindSampledImages"}, false, true, always},
	{vuid.VkPipelineLayoutCreateInfo_pSetLayouts_03042, storageImages, "storage images", [2]string{"maxDescriptorSetStorageImages", "maxDescriptorSetUpdateAfterBindStorageImages"}, false, true, always},
	{vuid.VkPipelineLayoutCreateInfo_pSetLayouts_03043, inputAttachments, "input attachments", [2]string{"maxDescriptorSetInputAttachments", "maxDescriptorSetUpdateAfterBindInputAttachments"}, false, true, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_02217, inlineBlocks, "inline uniform blocks", [2]string{"maxDescriptorSetInlineUniformBlocks", "maxDescriptorSetUpdateAfterBindInlineUniformBlocks"}, false, true, always},
	{vuid.VkPipelineLayoutCreateInfo_descriptorType_03574, structures, "acceleration structures", [2]string{"maxDescriptorSetAccelerationStructures", "maxDescriptorSetUpdateAfterBindAccelerationStructures"}, false, true, always},
	{vuid.VkPipelineLayoutCreateInfo_pSetLayouts_09878, tensors, "tensors", [2]string{"maxDescriptorSetStorageTensors", "maxDescriptorSetUpdateAfterBindStorageTensors"}, false, true, always},
}

// layoutCountRules are the rules of how much a pipeline layout holds.
var layoutCountRules = func() []Rule {
	out := []Rule{
		{vuid.VkPipelineLayoutCreateInfo_setLayoutCount_00286, "a pipeline layout has no more sets than maxBoundDescriptorSets"},
		{vuid.VkPipelineLayoutCreateInfo_flags_13352, "a layout for pipelines without a task stage has independent sets"},
		{vuid.VkPipelineLayoutCreateInfo_pPushConstantRanges_00292, "a stage has one push constant range"},
		{vuid.VkPipelineLayoutCreateInfo_pSetLayouts_00293, "one set of a pipeline layout is of push descriptors"},
		{vuid.VkPipelineLayoutCreateInfo_pSetLayouts_04606, "no set of a pipeline layout is for host-only pools"},
		{vuid.VkPipelineLayoutCreateInfo_pSetLayouts_08008, "all sets of a pipeline layout are for descriptor buffers, or none"},
		{vuid.VkPipelineLayoutCreateInfo_descriptorType_06531, "the inline uniform blocks of a pipeline layout have no more bytes than maxInlineUniformTotalSize"},
		{vuid.VkPipelineLayoutCreateInfo_graphicsPipelineLibrary_06753, "without the feature graphicsPipelineLibrary no set of a pipeline layout is null"},
		{vuid.VkPipelineLayoutCreateInfo_pImmutableSamplers_03566, "the immutable samplers of subsampled images are no more than maxDescriptorSetSubsampledSamplers"},
		{vuid.VkPushConstantRange_stageFlags_requiredbitmask, "a push constant range is for a stage"},
		{vuid.VkPushConstantRange_offset_00294, "a push constant range begins below maxPushConstantsSize"},
		{vuid.VkPushConstantRange_offset_00295, "a push constant range begins at a multiple of 4"},
		{vuid.VkPushConstantRange_size_00296, "a push constant range has bytes"},
		{vuid.VkPushConstantRange_size_00297, "a push constant range has a multiple of 4 bytes"},
		{vuid.VkPushConstantRange_size_00298, "a push constant range ends at maxPushConstantsSize or before"},
	}
	for _, k := range []Kind{Graphics, Compute, RayTracing, ExecutionGraph} {
		out = append(out, Rule{resourceCodes[k], "a stage of " + article(kindNames[k]) + " pipeline can reach no more resources than maxPerStageResources"})
	}
	for _, c := range countLimits {
		most := c.limits[0]
		if c.limits[1] != "" {
			most += " or " + c.limits[1] + ", whichever is greater"
		}
		where := "a pipeline layout has"
		if c.perStage {
			where = "each stage has"
		}
		sets := ""
		if !c.allSets {
			sets = " in sets that are not updated after they are bound"
		}
		out = append(out, Rule{c.code, fmt.Sprintf("%s no more %s%s than %s", where, c.what, sets, most)})
	}
	return out
}()

// layout checks the pipeline layout by itself.
func (l *linker) layout() {
	p := l.d.Layout
	side := []Side{{Stage: "layout"}}
	if most, known := l.d.limit("maxBoundDescriptorSets"); known {
		n := uint64(0)
		for i := range p.Sets {
			n = max(n, uint64(p.Sets[i].Number)+1)
		}
		if n > most {
			l.fail(vuid.VkPipelineLayoutCreateInfo_setLayoutCount_00286, side, "there are %d sets; must be at most maxBoundDescriptorSets, %d", n, most)
		}
	}
	if p.Flags&enum.LayoutFlagsNoTaskShader != 0 && !p.independent() {
		l.fail(vuid.VkPipelineLayoutCreateInfo_flags_13352, side, "the layout has the flag %s; must have %s too", enum.LayoutFlagsNoTaskShader, enum.LayoutFlagsIndependentSets)
	}
	l.setKinds()
	for i := range p.Push {
		l.pushRange(i)
	}
	for i := range countLimits {
		l.count(&countLimits[i])
	}
	if most, known := l.d.limit("maxInlineUniformTotalSize"); known {
		if n := l.descriptors(inlineBlocks, AllStages, true, true); n > most {
			l.fail(vuid.VkPipelineLayoutCreateInfo_descriptorType_06531, side, "the inline uniform blocks have %d bytes; must have at most maxInlineUniformTotalSize, %d", n, most)
		}
	}
	subsampled := uint64(0)
	for i := range p.Sets {
		l.set(&p.Sets[i])
		for k := range p.Sets[i].Bindings {
			for _, s := range p.Sets[i].Bindings[k].Immutable {
				if s.Subsampled {
					subsampled++
				}
			}
		}
	}
	l.over(vuid.VkPipelineLayoutCreateInfo_pImmutableSamplers_03566, "maxDescriptorSetSubsampledSamplers", subsampled, side, "the number of immutable samplers of subsampled images")
	l.stageResources()
}

// resourceTypes are the descriptors that maxPerStageResources counts.
var resourceTypes = []DescriptorType{
	"combined_image_sampler", "sampled_image", "storage_image", "uniform_texel_buffer", "storage_texel_buffer", "uniform_buffer",
	"storage_buffer", "uniform_buffer_dynamic", "storage_buffer_dynamic", "input_attachment", "tensor",
}

// resourceCodes are the rules of maxPerStageResources by the kind of the
// pipeline.
var resourceCodes = map[Kind]string{
	Graphics: vuid.VkGraphicsPipelineCreateInfo_layout_01688, Compute: vuid.VkComputePipelineCreateInfo_layout_01687, RayTracing: vuid.VkRayTracingPipelineCreateInfoKHR_layout_03428,
	ExecutionGraph: vuid.VkExecutionGraphPipelineCreateInfoAMDX_layout_09132,
}

// stageResources checks how many resources of the layout each stage of the
// pipeline can reach. For the fragment stage color attachments count, too.
func (l *linker) stageResources() {
	const limit = "maxPerStageResources"
	code := resourceCodes[l.kind()]
	if _, known := l.d.limit(limit); !known || code == "" {
		return
	}
	for i, s := range l.stages {
		k := StageOf(s.Entry.Model)
		if i > 0 && StageOf(l.stages[i-1].Entry.Model) == k {
			continue
		}
		n := l.descriptors(resourceTypes, 1<<k, true, false)
		if p := l.subpass(); k == fragment && p != nil {
			n += uint64(len(p.Color))
		} else if k == fragment && l.d.Rendering != nil {
			n += uint64(len(l.d.Rendering.Color))
		}
		l.over(code, limit, n, []Side{entrySide(s)}, "the number of resources that the "+entrySide(s).Stage+" stage can reach")
	}
}

// setKinds checks the combination of kinds of sets in a layout.
func (l *linker) setKinds() {
	push, buffers, null := 0, 0, 0
	for i := range l.d.Layout.Sets {
		s := &l.d.Layout.Sets[i]
		side := []Side{{Stage: "layout", Slot: fmt.Sprintf("set %d", s.Number), path: fmt.Sprintf("layout.sets.%d", s.Number)}}
		if s.Null {
			l.off(vuid.VkPipelineLayoutCreateInfo_graphicsPipelineLibrary_06753, "graphicsPipelineLibrary", side, "the set is null")
			null++
		}
		if s.Flags&enum.SetFlagsPushDescriptor != 0 {
			if push++; push == 2 {
				l.fail(vuid.VkPipelineLayoutCreateInfo_pSetLayouts_00293, side, "a second set is of push descriptors; must be one")
			}
		}
		if s.Flags&enum.SetFlagsDescriptorBuffer != 0 {
			buffers++
		}
		if s.Flags&enum.SetFlagsHostOnlyPool != 0 {
			l.fail(vuid.VkPipelineLayoutCreateInfo_pSetLayouts_04606, side, "set %d is for host-only pools; must not be", s.Number)
		}
	}
	if n := len(l.d.Layout.Sets) - null; buffers > 0 && buffers < n {
		l.fail(vuid.VkPipelineLayoutCreateInfo_pSetLayouts_08008, []Side{{Stage: "layout"}}, "%d of %d sets are for descriptor buffers; must be all or none", buffers, n)
	}
}

// pushRange checks one push constant range.
func (l *linker) pushRange(i int) {
	r := &l.d.Layout.Push[i]
	side := []Side{{Stage: "layout", Slot: fmt.Sprintf("push constant range %d", i), Decorations: "for " + r.Stages.String(), path: fmt.Sprintf("layout.push_constants[%d]", i)}}
	for k := range l.d.Layout.Push[:i] {
		if both := l.d.Layout.Push[k].Stages & r.Stages; both != 0 {
			l.fail(vuid.VkPipelineLayoutCreateInfo_pPushConstantRanges_00292, side, "ranges %d and %d are both for %s; must be for other stages", k, i, both)
		}
	}
	if r.Stages == 0 {
		l.fail(vuid.VkPushConstantRange_stageFlags_requiredbitmask, side, "the range is for no stage; must be for some")
	}
	if r.Offset%4 != 0 {
		l.fail(vuid.VkPushConstantRange_offset_00295, side, "the range begins at byte %d; must be a multiple of 4", r.Offset)
	}
	switch {
	case r.Size == 0:
		l.fail(vuid.VkPushConstantRange_size_00296, side, "the range has no bytes; must have some")
	case r.Size%4 != 0:
		l.fail(vuid.VkPushConstantRange_size_00297, side, "the range has %d bytes; must be a multiple of 4", r.Size)
	}
	most, known := l.d.limit("maxPushConstantsSize")
	switch {
	case !known:
	case uint64(r.Offset) >= most:
		l.fail(vuid.VkPushConstantRange_offset_00294, side, "the range begins at byte %d; must be below maxPushConstantsSize, %d", r.Offset, most)
	case uint64(r.Offset)+uint64(r.Size) > most:
		l.fail(vuid.VkPushConstantRange_size_00298, side, "the range ends at byte %d; must be at most maxPushConstantsSize, %d", uint64(r.Offset)+uint64(r.Size), most)
	}
}

// descriptors counts the descriptors of some types that a stage can see. For inline uniform
// blocks it counts the bindings, or their bytes if bytes is set.
func (l *linker) descriptors(types []DescriptorType, stages Stages, allSets, bytes bool) (n uint64) {
	for i := range l.d.Layout.Sets {
		s := &l.d.Layout.Sets[i]
		if !allSets && s.Flags&enum.SetFlagsUpdateAfterBindPool != 0 {
			continue
		}
		for k := range s.Bindings {
			b := &s.Bindings[k]
			switch {
			case b.Stages&stages == 0 || !b.counts(types):
			case b.Type == InlineUniformBlock && !bytes:
				n++
			default:
				n += uint64(b.Count)
			}
		}
	}
	return n
}

// counts reports whether a limit on some types counts the descriptors of a binding. A
// mutable descriptor counts once for each limit that any of its types counts for (Vulkan,
// DescriptorSet and Binding Assignment).
func (b *Binding) counts(types []DescriptorType) bool {
	if b.Type != Mutable {
		return slices.Contains(types, b.Type)
	}
	return slices.ContainsFunc(b.Mutable, func(t DescriptorType) bool { return slices.Contains(types, t) })
}

// count checks one limit.
func (l *linker) count(c *countLimit) {
	most, of := uint64(0), c.limits[0]
	for _, name := range c.limits {
		if name == "" {
			continue
		}
		n, known := l.d.limit(name)
		if !known {
			return
		}
		if n > most {
			most, of = n, name
		}
	}
	if c.when != always {
		if on, known := l.d.feature("maintenance7"); !known || on != (c.when == since7) {
			return
		}
	}
	if !c.perStage {
		if n := l.descriptors(c.types, ^Stages(0), c.allSets, false); n > most {
			l.fail(c.code, []Side{{Stage: "layout"}}, "there are %d %s; must be at most %d, the value of %s", n, c.what, most, of)
		}
		return
	}
	for k := range stageOrder {
		if n := l.descriptors(c.types, 1<<k, c.allSets, false); n > most {
			l.fail(c.code, []Side{{Stage: "layout", Decorations: "for " + stageOrder[k].name}}, "the %s stage has %d %s; must have at most %d, the value of %s", stageOrder[k].name, n, c.what, most, of)
			return
		}
	}
}

package link

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// layoutCodes are the rules of layouts, which each kind of pipeline has under a
// name of its own.
type layoutCodes struct {
	push, pushInside, stage, kind, count, inline string
}

var codesOf = [...]layoutCodes{
	{
		vuid.VkGraphicsPipelineCreateInfo_layout_07987, vuid.VkGraphicsPipelineCreateInfo_layout_10069, vuid.VkGraphicsPipelineCreateInfo_layout_07988,
		vuid.VkGraphicsPipelineCreateInfo_layout_07990, vuid.VkGraphicsPipelineCreateInfo_layout_07991, vuid.VkGraphicsPipelineCreateInfo_None_10391,
	},
	{
		vuid.VkComputePipelineCreateInfo_layout_07987, vuid.VkComputePipelineCreateInfo_layout_10069, vuid.VkComputePipelineCreateInfo_layout_07988,
		vuid.VkComputePipelineCreateInfo_layout_07990, vuid.VkComputePipelineCreateInfo_layout_07991, vuid.VkComputePipelineCreateInfo_None_10391,
	},
	{
		vuid.VkRayTracingPipelineCreateInfoKHR_layout_07987, vuid.VkRayTracingPipelineCreateInfoKHR_layout_10069, vuid.VkRayTracingPipelineCreateInfoKHR_layout_07988,
		vuid.VkRayTracingPipelineCreateInfoKHR_layout_07990, vuid.VkRayTracingPipelineCreateInfoKHR_layout_07991, vuid.VkRayTracingPipelineCreateInfoKHR_None_10391,
	},
	{
		vuid.VkExecutionGraphPipelineCreateInfoAMDX_layout_07987, vuid.VkExecutionGraphPipelineCreateInfoAMDX_layout_10069, vuid.VkExecutionGraphPipelineCreateInfoAMDX_layout_07988,
		vuid.VkExecutionGraphPipelineCreateInfoAMDX_layout_07990, vuid.VkExecutionGraphPipelineCreateInfoAMDX_layout_07991, vuid.VkExecutionGraphPipelineCreateInfoAMDX_None_10391,
	},
}

// layoutRules are the rules of pipeline layouts, for each kind of pipeline.
var layoutRules = func() (out []Rule) {
	for _, c := range codesOf {
		out = append(out,
			Rule{c.push, "a stage with push constants has a push constant range in the layout"},
			Rule{c.pushInside, "the push constants of a stage are inside of the range for it"},
			Rule{c.stage, "each resource that a stage uses has a binding in the layout, for that stage"},
			Rule{c.kind, "the type of a binding corresponds to the kind of the variable"},
			Rule{c.count, "a binding has as many descriptors as the array in the shader"},
			Rule{c.inline, "a variable at an inline uniform block is no array of descriptors"},
		)
	}
	return out
}()

// codes returns the rules for the pipeline that a stage is of.
func (l *linker) codes(s *Shader) layoutCodes {
	switch k := StageOf(s.Entry.Model); {
	case l.d.Kind == ExecutionGraph:
		return codesOf[3]
	case k == compute:
		return codesOf[1]
	case k >= raygen:
		return codesOf[2]
	}
	return codesOf[0]
}

// binding returns the binding of a resource of a stage, or nil if there is none. A set for
// each stage may have several bindings of a number: the binding for the stage is the one of
// the resource.
func (l *Layout) binding(s *Shader, r *iface.Resource) (first *Binding) {
	for i := range l.Sets {
		if l.Sets[i].Number != r.Set {
			continue
		}
		for k := range l.Sets[i].Bindings {
			b := &l.Sets[i].Bindings[k]
			switch {
			case b.Binding != r.Binding:
			case b.Stages>>StageOf(s.Entry.Model)&1 != 0:
				return b
			case first == nil:
				first = b
			}
		}
	}
	return first
}

// takes reports whether a variable of one kind may use a descriptor of a type (Vulkan,
// Shader Resource and Descriptor Type Correspondence).
func takes(t DescriptorType, r *iface.Resource) bool {
	k := r.Type
	if t == DescriptorType(k) {
		return true
	}
	switch k {
	case iface.StorageImage:
		return r.Class == spirv.StorageClassTileAttachmentQCOM && t == InputAttachment
	case iface.Sampler:
		return t == DescriptorType(iface.CombinedImageSampler)
	case iface.SampledImage:
		return t == DescriptorType(iface.CombinedImageSampler) || t == SampleWeightImage || t == BlockMatchImage
	case iface.CombinedImageSampler:
		return t == SampleWeightImage || t == BlockMatchImage
	case iface.UniformBuffer:
		return t == UniformBufferDynamic || t == InlineUniformBlock
	case iface.StorageBuffer:
		return t == StorageBufferDynamic
	case iface.AccelerationStructure:
		return t == AccelerationStructureNV
	}
	return false
}

// resources checks the resources of a stage against the layout (Vulkan, DescriptorSet and
// Binding Assignment).
func (l *linker) resources(s *Shader) {
	c := l.codes(s)
	for i := range s.Entry.Resources {
		r := &s.Entry.Resources[i]
		if !r.Used || r.MissingSet || r.MissingBinding {
			continue
		}
		side := resourceSide(s, r)
		b := l.d.Layout.binding(s, r)
		if b == nil {
			l.fail(c.stage, []Side{side}, "%s is at set %d binding %d, which the layout does not have; must have it", r.Name, r.Set, r.Binding)
			continue
		}
		sides := []Side{side, b.side(r.Set)}
		if b.Stages>>StageOf(s.Entry.Model)&1 == 0 {
			l.fail(c.stage, sides, "%s is used by the %s stage, its binding is for %s; must be for that stage too", r.Name, side.Stage, b.Stages)
		}
		if b.Type == Mutable {
			if len(b.Mutable) > 0 && !slices.ContainsFunc(b.Mutable, func(t DescriptorType) bool { return takes(t, r) }) {
				l.fail(c.kind, sides, "%s is a %s, and the mutable descriptor may be %v; must be one of them", r.Name, r.Type, b.Mutable)
			}
		} else if !takes(b.Type, r) {
			l.fail(c.kind, sides, "%s is a %s, its binding a %s; must correspond", r.Name, r.Type, b.Type)
		}
		switch {
		case b.Type == InlineUniformBlock:
			if len(r.Arrays) > 0 {
				l.fail(c.inline, sides, "%s is an array of descriptors, its binding an inline uniform block; must be no array", r.Name)
			}
		case len(r.Arrays) > 0 && r.Count > uint64(b.Count):
			l.fail(c.count, sides, "%s is an array of %d, its binding has %d descriptors; must have as many", r.Name, r.Count, b.Count)
		}
	}
}

// resourceSide describes a resource of a stage.
func resourceSide(s *Shader, r *iface.Resource) Side {
	side := s.at(r.Inst)
	side.Name, side.Type = r.Name, string(r.Type)
	side.Slot = fmt.Sprintf("set %d binding %d", r.Set, r.Binding)
	for _, n := range r.Arrays {
		if n == 0 {
			side.Type += "[]"
			continue
		}
		side.Type += fmt.Sprintf("[%d]", n)
	}
	return side
}

// side describes a binding of the layout.
func (b *Binding) side(set uint32) Side {
	t := string(b.Type)
	if b.Count != 1 {
		t += fmt.Sprintf("[%d]", b.Count)
	}
	return Side{Stage: "layout", Slot: fmt.Sprintf("set %d binding %d", set, b.Binding), Type: t, Decorations: "for " + b.Stages.String(),
		path: fmt.Sprintf("layout.sets.%d.%d", set, b.Binding)}
}

// pushConstants checks the push constants that a stage uses.
func (l *linker) pushConstants(s *Shader) {
	c, stage := l.codes(s), StageOf(s.Entry.Model)
	for i := range s.Entry.PushConstants {
		p := &s.Entry.PushConstants[i]
		if !p.Used || p.Bank != 0 {
			continue
		}
		side := s.at(p.Inst)
		side.Name, side.Slot = p.Name, fmt.Sprintf("bytes %d to %d", firstByte(p), p.Size)
		var of []Range
		for _, r := range l.d.Layout.Push {
			if r.Stages>>stage&1 != 0 {
				of = append(of, r)
			}
		}
		if len(of) == 0 {
			l.fail(c.push, []Side{side}, "%s is used by the %s stage, for which the layout has no push constant range; must have one", p.Name, side.Stage)
			continue
		}
		inside := slices.ContainsFunc(of, func(r Range) bool {
			return uint64(r.Offset) <= firstByte(p) && p.Size <= uint64(r.Offset)+uint64(r.Size)
		})
		if !inside {
			r := Side{Stage: "layout", Slot: fmt.Sprintf("bytes %d to %d", of[0].Offset, uint64(of[0].Offset)+uint64(of[0].Size)), Decorations: "for " + of[0].Stages.String()}
			l.fail(c.pushInside, []Side{side, r}, "%s reaches from byte %d to %d, the range for its stage from %d to %d; must be inside", p.Name, firstByte(p), p.Size, of[0].Offset, uint64(of[0].Offset)+uint64(of[0].Size))
		}
	}
}

// firstByte returns the offset of the first byte of a block of push constants.
func firstByte(p *iface.Push) uint64 {
	if len(p.Members) == 0 {
		return 0
	}
	first := p.Members[0].Offset
	for _, m := range p.Members {
		first = min(first, m.Offset)
	}
	return first
}

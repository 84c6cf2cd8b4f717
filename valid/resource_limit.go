package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

const descriptorSection = "Vulkan, Descriptor Set Interface"

// resourceLimitFamily checks resources by the limits of a device that the text of the
// interfaces has without a VUID (Vulkan, Shader Resource Interface).
var resourceLimitFamily = family{
	rules: []Rule{
		{Code: "SPV-Block-UniformRange", Section: descriptorSection, Words: "the members of a uniform buffer block are within maxUniformBufferRange", Need: NeedDevice},
		{Code: "SPV-Block-StorageRange", Section: descriptorSection, Words: "the members of a storage buffer block are within maxStorageBufferRange", Need: NeedDevice},
		{Code: "SPV-DescriptorSet-Bound", Section: "Vulkan, DescriptorSet and Binding Assignment", Words: "the number of a descriptor set is below maxBoundDescriptorSets", Need: NeedDevice},
	},
	after: []func(*checker){(*checker).resourceLimits},
}

// resourceLimits checks each variable that may be a descriptor.
func (c *checker) resourceLimits() {
	if !c.vulkan {
		return
	}
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		switch v.Storage {
		case spirv.StorageClassUniform:
			if s := core(v.Type); s.IsStruct() && c.m.Has(s.ID, spirv.DecorationBufferBlock) {
				c.blockRange(v, s, "SPV-Block-StorageRange", "maxStorageBufferRange")
			} else {
				c.blockRange(v, s, "SPV-Block-UniformRange", "maxUniformBufferRange")
			}
		case spirv.StorageClassStorageBuffer:
			c.blockRange(v, core(v.Type), "SPV-Block-StorageRange", "maxStorageBufferRange")
		case spirv.StorageClassUniformConstant:
		default:
			continue
		}
		d, ok := c.m.Decoration(v.ID, spirv.DecorationDescriptorSet)
		if !ok {
			continue
		}
		if most, known := c.limit("SPV-DescriptorSet-Bound", "maxBoundDescriptorSets"); known && uint64(d.Literal()) >= most {
			c.fail(d.Index, "SPV-DescriptorSet-Bound", "%s is in the descriptor set %d; must be below maxBoundDescriptorSets, %d", c.name(v.ID), d.Literal(), most).also(c, v.Index, "the variable")
		}
	}
}

// blockRange checks where the members of a block end. A runtime array at the end has
// no size of its own.
func (c *checker) blockRange(v *facts.Variable, s *facts.Type, code, limit string) {
	if !s.IsStruct() {
		return
	}
	most, known := c.limit(code, limit)
	for k := range s.Members {
		if p := &s.Members[k]; known && p.HasOffset {
			size := p.Size()
			if end := uint64(p.Offset) + size; end < size || end > most {
				c.fail(v.Index, code, "member %d of the block of %s has %d bytes at the offset %d; must end at %s, %d, or before", k, c.name(v.ID), size, p.Offset, limit, most).also(c, s.Index, "the block")
				return
			}
		}
	}
}

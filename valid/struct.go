package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// typeState is the state of the checks of types.
type typeState struct {
	depth []int32 // of each type: how deep structs nest in it
}

// typeStruct checks OpTypeStruct.
func (c *checker) typeStruct(i int, in spirv.Inst) {
	ids := inst.TypeStruct(in).MemberTypes()
	if n := len(ids); n > c.opts.Limits.StructMembers {
		c.fail(i, "SPV-Type-StructMembers", "a struct of %d members; must have at most %d", n, c.opts.Limits.StructMembers)
	}
	t := c.m.Type(in.Result())
	if t == nil {
		return
	}
	for n, id := range ids {
		m := c.m.Type(id)
		if m == nil {
			continue
		}
		if m.IsVoid() || m.Op == spirv.OpTypeFunction || m == t {
			c.fail(i, "SPV-Type-StructMember", "member %d is %s; must be of a type of values", n, c.typeName(m))
			continue
		}
		if c.vulkan {
			c.vulkanMember(i, n, len(ids), m)
		}
	}
	c.structDepth(i, t)
	c.structBuiltIns(i, t)
}

// vulkanMember checks a member of a struct in Vulkan.
func (c *checker) vulkanMember(i, n, count int, m *facts.Type) {
	if m.IsRuntimeArray() && n != count-1 {
		c.fail(i, vuid.StandaloneSpirv_OpTypeRuntimeArray_04680, "member %d of %d is a runtime array; must be the last", n, count)
	}
	if s := c.code.Inst(i).Result(); m.IsRuntimeArray() && !c.m.Has(s, spirv.DecorationBlock) && !c.m.Has(s, spirv.DecorationBufferBlock) {
		c.fail(i, vuid.StandaloneSpirv_OpTypeRuntimeArray_04680, "member %d is a runtime array in a struct that is no Block; must be in a Block", n)
	}
	e := m
	for e.IsArray() && e.Elem != nil {
		e = e.Elem
	}
	if !isOpaque(e) || c.env.BeforeLegalization {
		return
	}
	if !c.capable(spirv.CapabilityDescriptorHeapEXT) {
		c.fail(i, vuid.StandaloneSpirv_None_04667, "member %d is %s, which is opaque; must not be opaque", n, c.typeName(e))
	} else if !isDescriptor(e.Op) && !c.capable(spirv.CapabilityBindlessTextureNV) {
		c.fail(i, vuid.StandaloneSpirv_DescriptorHeapEXT_11482, "member %d is %s, which is opaque and no descriptor; must not be opaque", n, c.typeName(e))
	}
}

// isOpaque reports whether a type is opaque in Vulkan: a value of it cannot be
// in memory that has an address.
func isOpaque(t *facts.Type) bool {
	switch t.Op {
	case spirv.OpTypeImage, spirv.OpTypeSampler, spirv.OpTypeSampledImage, spirv.OpTypeOpaque, spirv.OpTypeAccelerationStructureKHR,
		spirv.OpTypeRayQueryKHR, spirv.OpTypeHitObjectNV, spirv.OpTypeHitObjectEXT, spirv.OpTypeTensorARM, spirv.OpTypeBufferEXT:
		return true
	}
	return false
}

// structDepth checks how deep structs nest.
func (c *checker) structDepth(i int, t *facts.Type) {
	if c.types.depth == nil {
		c.types.depth = c.memory.numbers.Alloc(len(c.m.Types))
	}
	deepest := int32(1)
	for n := range t.Members {
		m := t.Members[n].Type
		for m.IsArray() {
			m = m.Elem
		}
		if m.IsStruct() && m.Index < i {
			deepest = max(deepest, c.types.depth[m.Number]+1)
		}
	}
	c.types.depth[t.Number] = deepest
	if limit := c.opts.Limits.StructDepth; int(deepest) > limit {
		c.fail(i, "SPV-Type-StructDepth", "structs nest %d deep; must nest at most %d deep", deepest, limit)
	}
}

// structBuiltIns checks that all members or none are built-ins.
func (c *checker) structBuiltIns(i int, t *facts.Type) {
	built := 0
	for n := range t.Members {
		if _, ok := c.m.MemberBuiltIn(t.ID, n); ok {
			built++
		}
		m := t.Members[n].Type
		for m.IsArray() {
			m = m.Elem
		}
		if m.IsStruct() && m.Index < i && c.hasBuiltInMember(m) {
			c.fail(i, "SPV-Type-StructBuiltIn", "member %d is a struct of built-ins; must be in no other struct", n).also(c, m.Index, "the struct")
		}
	}
	if built != 0 && built != len(t.Members) {
		c.fail(i, "SPV-Type-StructBuiltIn", "%d of %d members are built-ins; must be all or none", built, len(t.Members))
	}
}

// hasBuiltInMember reports whether the first member of a struct is a built-in.
func (c *checker) hasBuiltInMember(t *facts.Type) bool {
	if len(t.Members) == 0 {
		return false
	}
	_, ok := c.m.MemberBuiltIn(t.ID, 0)
	return ok
}

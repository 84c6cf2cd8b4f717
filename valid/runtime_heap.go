package valid

import (
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// heapMemberRow is the alignment property of a device for descriptors of one type
// that are members of a struct in a heap.
type heapMemberRow struct {
	op    spirv.Op
	limit string
	code  string
}

var heapMemberRows = [...]heapMemberRow{
	{spirv.OpTypeSampler, "samplerDescriptorAlignment", vuid.RuntimeSpirv_samplerDescriptorAlignment_11476},
	{spirv.OpTypeImage, "imageDescriptorAlignment", vuid.RuntimeSpirv_imageDescriptorAlignment_11477},
	{spirv.OpTypeBufferEXT, "bufferDescriptorAlignment", vuid.RuntimeSpirv_bufferDescriptorAlignment_11478},
	{spirv.OpTypeAccelerationStructureKHR, "bufferDescriptorAlignment", vuid.RuntimeSpirv_bufferDescriptorAlignment_11479},
	{spirv.OpTypeTensorARM, "tensorDescriptorAlignment", vuid.RuntimeSpirv_tensorDescriptorAlignment_11480},
}

// heapMemberRules states the rules of the rows in words.
func heapMemberRules() []Rule {
	var out []Rule
	for _, r := range heapMemberRows {
		out = append(out, Rule{Code: r.code, Section: runtimeSection, Words: "the offset of an " + r.op.String() + " member is a multiple of " + r.limit, Need: NeedDevice})
	}
	return out
}

// heapMembers checks the offsets of descriptors in structs.
func (c *checker) heapMembers() {
	if !c.vulkan || !c.capable(spirv.CapabilityDescriptorHeapEXT) {
		return
	}
	for n := range c.m.Types {
		s := &c.m.Types[n]
		for k := range s.Members {
			t := core(s.Members[k].Type)
			if t == nil {
				continue
			}
			for j := range heapMemberRows {
				if r := &heapMemberRows[j]; r.op == t.Op {
					c.heapAlignment(s.ID, k, r)
				}
			}
		}
	}
}

// heapAlignment checks one member by the decoration with its offset.
func (c *checker) heapAlignment(s spirv.ID, member int, r *heapMemberRow) {
	for d := range c.m.BriefDecorations(s, member) {
		offset := uint64(d.Literal())
		switch d.Kind {
		case spirv.DecorationOffset:
		case spirv.DecorationOffsetIdEXT:
			k := c.m.Const(spirv.ID(d.Literal()))
			if k == nil || !k.Known || k.Op == spirv.OpConstantSizeOfEXT {
				continue
			}
			offset = k.Bits
		default:
			continue
		}
		if align, ok := c.limit(r.code, r.limit); ok && align > 0 && offset%align != 0 {
			c.fail(d.Index, r.code, "member %d of %s, an %s, is at byte %d; must be at a multiple of %d, the value of %s", member, c.name(s), r.op, offset, align, r.limit)
		}
	}
}

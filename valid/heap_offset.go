package valid

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// heapOffsetRow is the alignment property of a device for a descriptor that an instruction reads from a heap.
type heapOffsetRow struct {
	op    spirv.Op // that OpLoad yields, or the instruction itself
	heap  spirv.BuiltIn
	limit string
	code  string
}

var heapOffsetRows = [...]heapOffsetRow{
	{spirv.OpTypeSampler, spirv.BuiltInSamplerHeapEXT, "samplerDescriptorAlignment", vuid.RuntimeSpirv_samplerDescriptorAlignment_11348},
	{spirv.OpTypeImage, spirv.BuiltInResourceHeapEXT, "imageDescriptorAlignment", vuid.RuntimeSpirv_imageDescriptorAlignment_11349},
	{spirv.OpTypeAccelerationStructureKHR, spirv.BuiltInResourceHeapEXT, "bufferDescriptorAlignment", vuid.RuntimeSpirv_Result_11350},
	{spirv.OpTypeTensorARM, spirv.BuiltInResourceHeapEXT, "tensorDescriptorAlignment", vuid.RuntimeSpirv_tensorDescriptorAlignment_11481},
	{spirv.OpImageTexelPointer, spirv.BuiltInResourceHeapEXT, "imageDescriptorAlignment", vuid.RuntimeSpirv_imageDescriptorAlignment_11383},
	{spirv.OpBufferPointerEXT, spirv.BuiltInResourceHeapEXT, "bufferDescriptorAlignment", vuid.RuntimeSpirv_bufferDescriptorAlignment_11384},
}

// heapOffsetRules states the rules of the rows in words.
func heapOffsetRules() []Rule {
	var out []Rule
	for _, r := range heapOffsetRows {
		what := "the descriptor of " + r.op.String()
		if r.op.Class() == spirv.ClassTypeDeclaration {
			what = "a loaded " + r.op.String()
		}
		out = append(out, Rule{Code: r.code, Section: runtimeSection, Words: what + " is at a multiple of " + r.limit + " in the heap, as far as constants show it", Need: NeedDevice})
	}
	return out
}

// heapLoad checks a load of a descriptor from a heap.
func (c *checker) heapLoad(i int, in spirv.Inst) {
	if t := c.m.Type(in.Type()); t != nil && isDescriptor(t.Op) {
		c.heapOffset(i, t.Op, inst.Load(in).Pointer())
	}
}

// heapTexel checks the image of a pointer to a texel, heapBuffer the descriptor of a pointer to a buffer.
func (c *checker) heapTexel(i int, in spirv.Inst) {
	image := inst.ImageTexelPointer(in).Image()
	if in.Op() == spirv.OpUntypedImageTexelPointerEXT {
		image = inst.UntypedImageTexelPointerEXT(in).Image()
	}
	c.heapOffset(i, spirv.OpImageTexelPointer, image)
}

func (c *checker) heapBuffer(i int, in spirv.Inst) {
	c.heapOffset(i, spirv.OpBufferPointerEXT, inst.BufferPointerEXT(in).Buffer())
}

// heapOffset checks the offset of a pointer in its heap by the row of op.
func (c *checker) heapOffset(i int, op spirv.Op, pointer spirv.ID) {
	if !c.vulkan || !c.capable(spirv.CapabilityDescriptorHeapEXT) {
		return
	}
	o := c.origin(pointer)
	if o == nil {
		return
	}
	heap, ok := c.m.BuiltIn(o.ID)
	for k := range heapOffsetRows {
		r := &heapOffsetRows[k]
		if !ok || r.op != op || r.heap != heap {
			continue
		}
		align, ok := c.limit(r.code, r.limit)
		if !ok || align == 0 {
			return
		}
		at, step, ok := c.offsetFrom(pointer)
		if !ok || at%divisor(step, align) == 0 { // some multiple of step may lead to a multiple of align
			continue
		}
		steps := ""
		if step != 0 {
			steps = fmt.Sprintf(" plus a multiple of %d", step)
		}
		c.fail(i, r.code, "%s points to byte %d%s of the heap; must point to a multiple of %d, the value of %s", c.name(pointer), at, steps, align, r.limit)
	}
}

// offsetFrom returns the offset of a pointer from its variable: at plus a multiple of step, which is 0 if the offset is
// constant. It returns false if a stride or a member's offset is not known.
func (c *checker) offsetFrom(pointer spirv.ID) (at, step uint64, ok bool) {
	for range maxAlike {
		in := c.code.DefInst(pointer)
		if in == nil {
			return 0, 0, false
		}
		switch in.Op() {
		case spirv.OpVariable, spirv.OpUntypedVariableKHR:
			return at, step, true
		case spirv.OpUntypedAccessChainKHR, spirv.OpUntypedInBoundsAccessChainKHR:
			v := inst.UntypedAccessChainKHR(in)
			t := c.m.Type(v.BaseType())
			for _, id := range v.Indexes() {
				if t, at, step, ok = c.stepFrom(t, id, at, step); !ok {
					return 0, 0, false
				}
			}
			pointer = v.Base()
		default:
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// stepFrom adds the offset of one index of an access chain.
func (c *checker) stepFrom(t *facts.Type, index spirv.ID, at, step uint64) (*facts.Type, uint64, uint64, bool) {
	const most = 1 << 31 // so that no product overflows
	n, constant := c.settled(index)
	switch {
	case t == nil || constant && (n < 0 || n > most):
		return nil, 0, 0, false
	case t.IsStruct():
		if !constant || n >= int64(len(t.Members)) {
			return nil, 0, 0, false
		}
		offset, _, known := c.offset(t, int(n))
		return t.Members[n].Type, at + offset, step, known
	case !t.IsArray():
		return nil, 0, 0, false
	case constant && n == 0:
		return t.Elem, at, step, true
	}
	by, _, known := c.stride(t)
	if !constant {
		return t.Elem, at, divisor(step, by), known
	}
	return t.Elem, at + uint64(n)*by, step, known
}

// divisor returns the greatest common divisor (Euclid); that of 0 and x is x.
func divisor(x, y uint64) uint64 {
	for y != 0 {
		x, y = y, x%y
	}
	return x
}

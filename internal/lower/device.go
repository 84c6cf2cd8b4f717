package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// Sizes and alignments of the descriptors of a heap, in bytes. A buffer's is
// ir.HeapDescriptor.
const (
	samplerDescriptor = 32
	imageDescriptor   = 32
	tensorDescriptor  = 32
)

// deviceConstants evaluates the constants that depend on the device, such as the lengths
// of cooperative matrices, and regathers the facts: array lengths may depend on them.
func (u *unit) deviceConstants() {
	device := facts.Device{}
	for i := range u.facts.Consts {
		c := &u.facts.Consts[i]
		if c.Known || !c.Type.IsInt() {
			continue
		}
		u.at = c.Index
		in := u.facts.Code.Inst(c.Index)
		switch c.Op {
		case spirv.OpConstantSizeOfEXT:
			device[c.ID] = u.descriptorSize(u.facts.Type(inst.ConstantSizeOfEXT(in).TypeOperand()))
		case spirv.OpSpecConstantOp:
			v := inst.SpecConstantOp(in)
			if op := v.Opcode(); (op == spirv.OpCooperativeMatrixLengthKHR || op == spirv.OpCooperativeMatrixLengthNV) && len(v.Operands()) == 1 {
				device[c.ID] = u.lengthOfTile(u.facts.Type(spirv.ID(v.Operands()[0])))
			}
		}
	}
	if len(device) == 0 {
		return
	}
	u.facts = facts.GatherOn(u.facts.Code, u.facts.Spec, device)
	for i := range u.facts.EntryPoints {
		if e := &u.facts.EntryPoints[i]; u.entry != nil && e.Index == u.entry.Index {
			u.entry = e
			return
		}
	}
}

// descriptorSize returns the size of a descriptor in a heap, in bytes.
func (u *unit) descriptorSize(t *facts.Type) uint64 {
	if t == nil {
		u.malformed("a type is missing")
	}
	switch t.Op {
	case spirv.OpTypeBufferEXT, spirv.OpTypeAccelerationStructureKHR:
		return ir.HeapDescriptor
	case spirv.OpTypeImage:
		return imageDescriptor
	case spirv.OpTypeSampler:
		return samplerDescriptor
	case spirv.OpTypeTensorARM:
		return tensorDescriptor
	}
	u.malformed("the size of %s; must be a descriptor type", t.Op)
	return 0
}

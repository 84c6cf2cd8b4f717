package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// pointerCompareFamily checks the comparisons of pointers, and OpArrayLength
// (SPIR-V §3.3.8).
var pointerCompareFamily = family{
	rules: []Rule{
		{Code: "SPV-PtrCompare-Result", Section: "SPIR-V 3.3.8", Words: "OpPtrEqual and OpPtrNotEqual yield a Boolean, OpPtrDiff an integer scalar"},
		{Code: "SPV-PtrCompare-Operand", Section: "SPIR-V 3.3.8", Words: "the operands of pointer comparisons are pointers of one type; untyped pointers have one storage class"},
		{Code: "SPV-PtrCompare-Storage", Section: "SPIR-V 3.3.8", Words: "compared pointers are not physical; logical pointers point to StorageBuffer, or to Workgroup with the capability VariablePointers"},
		{Code: "SPV-PtrCompare-Capability", Section: "SPIR-V 3.3.8", Words: "comparisons of logical pointers need a capability of variable pointers"},
		{Code: "SPV-ArrayLength-Result", Section: "SPIR-V 3.3.8", Words: "OpArrayLength yields an unsigned integer of 32 or 64 bits"},
		{Code: "SPV-ArrayLength-Structure", Section: "SPIR-V 3.3.8", Words: "OpArrayLength has a pointer to a struct that ends with a runtime array; the struct of OpUntypedArrayLengthKHR is a Block"},
		{Code: "SPV-ArrayLength-Member", Section: "SPIR-V 3.3.8", Words: "OpArrayLength names the last member of the struct"},
		{Code: vuid.StandaloneSpirv_OpArrayLength_11805, Section: environment, Words: "OpArrayLength is not of a Block in Uniform"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpArrayLength:           (*checker).arrayLength,
		spirv.OpUntypedArrayLengthKHR: (*checker).arrayLength,
	},
	ops: []group{{(*checker).pointerCompare, []spirv.Op{spirv.OpPtrEqual, spirv.OpPtrNotEqual, spirv.OpPtrDiff}}},
}

func (c *checker) pointerCompare(i int, in spirv.Inst) {
	v, op := inst.PtrEqual(in), in.Op()
	t, x, y := c.m.Type(v.Type()), c.m.TypeOf(v.Operand1()), c.m.TypeOf(v.Operand2())
	if t != nil && x == y {
		if _, lane := laneTypes(t, x); lane != x { // a vector of pointers
			t, x, y = t.Elem, lane, lane
		}
	}
	if t != nil && (op == spirv.OpPtrDiff && !t.IsInt() || op != spirv.OpPtrDiff && !t.IsBool()) {
		c.fail(i, "SPV-PtrCompare-Result", "the result of %s is %s; must be %s", op, c.typeName(t), [...]string{"a Boolean", "an integer scalar"}[b2i(op == spirv.OpPtrDiff)])
	}
	if x == nil || y == nil {
		return
	}
	if !x.IsPointer() || !y.IsPointer() {
		c.fail(i, "SPV-PtrCompare-Operand", "the operands of %s are %s and %s; must be pointers", op, c.typeName(x), c.typeName(y))
		return
	}
	untyped := x.Op == spirv.OpTypeUntypedPointerKHR || y.Op == spirv.OpTypeUntypedPointerKHR
	switch {
	case untyped && op != spirv.OpPtrDiff:
		if x.Storage != y.Storage {
			c.fail(i, "SPV-PtrCompare-Operand", "the operands of %s point to %s and %s; must be the same", op, x.Storage, y.Storage)
		}
	case x != y:
		c.fail(i, "SPV-PtrCompare-Operand", "the operands of %s are %s and %s; must be of one type", op, c.typeName(x), c.typeName(y))
	}
	c.comparable(i, op, x)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// comparable checks whether pointers of a type may be compared.
func (c *checker) comparable(i int, op spirv.Op, p *facts.Type) {
	if p.Storage == spirv.StorageClassPhysicalStorageBuffer {
		c.fail(i, "SPV-PtrCompare-Storage", "%s of pointers to PhysicalStorageBuffer; must be to another storage class", op)
		return
	}
	if !c.logical(p) {
		return
	}
	switch {
	case !c.anyCapable(spirv.CapabilityVariablePointers, spirv.CapabilityVariablePointersStorageBuffer):
		c.fail(i, "SPV-PtrCompare-Capability", "%s of logical pointers; needs the capability VariablePointers or VariablePointersStorageBuffer", op)
	case p.Storage == spirv.StorageClassWorkgroup:
		if !c.capable(spirv.CapabilityVariablePointers) {
			c.fail(i, "SPV-PtrCompare-Storage", "%s of pointers to Workgroup; needs the capability VariablePointers", op)
		}
	case p.Storage != spirv.StorageClassStorageBuffer:
		c.fail(i, "SPV-PtrCompare-Storage", "%s of pointers to %s; must be to StorageBuffer or Workgroup", op, p.Storage)
	}
}

func (c *checker) arrayLength(i int, in spirv.Inst) {
	op := in.Op()
	if t := c.m.Type(in.Type()); t != nil {
		// 64 bits need 64-bit indexing, by a mode or by a flag of the pipeline
		// (RuntimeSpirv-OpArrayLength-11807).
		if !t.IsInt() || t.Width != 32 && t.Width != 64 || t.Signed {
			c.fail(i, "SPV-ArrayLength-Result", "the result of %s is %s; must be an unsigned integer of 32 or 64 bits", op, c.typeName(t))
		}
	}
	s, p, member, ok := c.measured(i, in)
	if !ok {
		return
	}
	if !s.IsStruct() {
		c.fail(i, "SPV-ArrayLength-Structure", "%s is of %s; must be of a struct", op, c.typeName(s))
		return
	}
	n := len(s.Members)
	if n == 0 || s.Members[n-1].Type != nil && !s.Members[n-1].Type.IsRuntimeArray() {
		c.fail(i, "SPV-ArrayLength-Structure", "the last member of the struct %s has a length; must be an OpTypeRuntimeArray", c.name(s.ID))
		return
	}
	if member != uint32(n-1) {
		c.fail(i, "SPV-ArrayLength-Member", "%s names member %d of %s; must name the last, %d", op, member, c.name(s.ID), n-1)
	}
	if op == spirv.OpUntypedArrayLengthKHR && !c.m.Has(s.ID, spirv.DecorationBlock) {
		c.fail(i, "SPV-ArrayLength-Structure", "%s of %s, which is not decorated Block; must be a Block", op, c.name(s.ID))
	}
	if c.vulkan && p != nil && p.Storage == spirv.StorageClassUniform && c.m.Has(s.ID, spirv.DecorationBlock) {
		c.fail(i, vuid.StandaloneSpirv_OpArrayLength_11805, "%s of the uniform block %s; must be of a storage buffer", op, c.name(s.ID))
	}
}

// measured returns the struct of an OpArrayLength, the type of the pointer to
// it, and the member; ok is false if they are not known.
func (c *checker) measured(i int, in spirv.Inst) (s, p *facts.Type, member uint32, ok bool) {
	if in.Op() == spirv.OpUntypedArrayLengthKHR {
		v := inst.UntypedArrayLengthKHR(in)
		p = c.m.TypeOf(v.Pointer())
		if p != nil && p.Op != spirv.OpTypeUntypedPointerKHR {
			c.fail(i, "SPV-ArrayLength-Structure", "%s is %s; must be an untyped pointer", c.name(v.Pointer()), c.typeName(p))
			return nil, nil, 0, false
		}
		s = c.m.Type(v.Structure())
		return s, p, v.ArrayMember(), s != nil
	}
	v := inst.ArrayLength(in)
	p = c.m.TypeOf(v.Structure())
	if p == nil {
		return nil, nil, 0, false
	}
	if p.Op != spirv.OpTypePointer || p.Elem != nil && !p.Elem.IsStruct() {
		c.fail(i, "SPV-ArrayLength-Structure", "%s is %s; must be a pointer to a struct", c.name(v.Structure()), c.typeName(p))
		return nil, nil, 0, false
	}
	return p.Elem, p, v.ArrayMember(), p.Elem != nil
}

package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// arithmeticFamily checks arithmetic and bit instructions (SPIR-V §3.3.13,
// §3.3.14) as far as the typing table (spirv/typing, called from typing.go)
// cannot express the rule: component types of matrix products, pairs as results,
// OpSelect, and the widths of bit instructions in Vulkan.
var arithmeticFamily = family{
	rules: []Rule{
		{Code: "SPV-Arithmetic-Pair", Section: "SPIR-V 3.3.13", Words: "the result of an instruction with a carry, a borrow or upper bits is a struct of two members of the operand type"},
		{Code: vuid.RuntimeSpirv_None_10824, Section: environment, Words: "bit counts, bit reversals and bit-field instructions need 32-bit integers unless the feature maintenance9 is enabled", Need: NeedDevice},
	},
	insts: map[spirv.Op]judge{
		spirv.OpMatrixTimesScalar: (*checker).matrixTimesScalar,
		spirv.OpMatrixTimesMatrix: (*checker).matrixTimesMatrix,
		spirv.OpVectorTimesMatrix: (*checker).vectorTimesMatrix,
		spirv.OpOuterProduct:      (*checker).outerProduct,
		spirv.OpTranspose:         (*checker).transpose,
		spirv.OpSelect:            (*checker).choice,
	},
	ops: []group{
		{(*checker).pairResult, []spirv.Op{spirv.OpIAddCarry, spirv.OpISubBorrow, spirv.OpUMulExtended, spirv.OpSMulExtended}},
		{(*checker).bitsOf32, []spirv.Op{spirv.OpBitCount, spirv.OpBitReverse, spirv.OpBitFieldInsert, spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract}},
	},
}

// pairResult checks a result of two numbers: carry, borrow, or low and high bits.
func (c *checker) pairResult(i int, in spirv.Inst) {
	v := inst.IAddCarry(in)
	t, x := c.m.Type(v.Type()), c.m.TypeOf(v.Operand1())
	if t == nil || x == nil || !t.IsStruct() {
		return
	}
	if len(t.Members) != 2 || t.Members[0].Type != x || t.Members[1].Type != x {
		c.fail(i, "SPV-Arithmetic-Pair", "the result of %s is %s, the operand %s; must be a struct of two members of the operand's type", in.Op(), c.typeName(t), c.typeName(x))
	}
}

// parts reports whether the component types of two types are equal. It is true if
// one is not known: another rule has reported that.
func parts(x, y *facts.Type) bool {
	if x == nil || y == nil {
		return true
	}
	a, b := innermost(x), innermost(y)
	return a == nil || b == nil || a == b
}

// innermost returns the scalar type of a scalar, vector or matrix; nil for a
// cooperative type.
func innermost(t *facts.Type) *facts.Type {
	if t.IsMatrix() {
		t = t.Elem
	}
	if t == nil || cooperative(t) {
		return nil
	}
	return t.Scalar()
}

func (c *checker) matrixTimesScalar(i int, in spirv.Inst) {
	v := inst.MatrixTimesScalar(in)
	t, s := c.m.Type(v.Type()), c.m.TypeOf(v.Scalar())
	if !parts(t, s) || t != nil && s != nil && cooperative(s) && !cooperative(t) {
		c.fail(i, "SPV-Arithmetic-Type", "the scalar of OpMatrixTimesScalar is %s; must have the component type of the matrix", c.typeName(s))
	}
}

func (c *checker) matrixTimesMatrix(i int, in spirv.Inst) {
	v := inst.MatrixTimesMatrix(in)
	t := c.m.Type(v.Type())
	for _, id := range [...]spirv.ID{v.LeftMatrix(), v.RightMatrix()} {
		if m := c.m.TypeOf(id); !parts(t, m) {
			c.fail(i, "SPV-Arithmetic-Type", "the component type of %s is not the component type of the result of OpMatrixTimesMatrix; must be the same", c.name(id))
			return
		}
	}
}

func (c *checker) vectorTimesMatrix(i int, in spirv.Inst) {
	v := inst.VectorTimesMatrix(in)
	t := c.m.Type(v.Type())
	for _, id := range [...]spirv.ID{v.Vector(), v.Matrix()} {
		if m := c.m.TypeOf(id); !parts(t, m) {
			c.fail(i, "SPV-Arithmetic-Type", "the component type of %s is not the component type of the result of OpVectorTimesMatrix; must be the same", c.name(id))
			return
		}
	}
}

func (c *checker) outerProduct(i int, in spirv.Inst) {
	v := inst.OuterProduct(in)
	if !parts(c.m.Type(v.Type()), c.m.TypeOf(v.Vector2())) {
		c.fail(i, "SPV-Arithmetic-Type", "the component type of the second vector of OpOuterProduct is not the component type of the result; must be the same")
	}
}

func (c *checker) transpose(i int, in spirv.Inst) {
	v := inst.Transpose(in)
	if t, m := c.m.Type(v.Type()), c.m.TypeOf(v.Matrix()); t.IsMatrix() && m.IsMatrix() && !parts(t, m) {
		c.fail(i, "SPV-Composite-Type", "OpTranspose of %s yields %s; the components must be the same", c.typeName(m), c.typeName(t))
	}
}

// choice checks OpSelect: the type of the objects, and one condition per
// component. Before SPIR-V 1.4 the objects are scalars, vectors or pointers.
func (c *checker) choice(i int, in spirv.Inst) {
	v := inst.Select(in)
	t, cond := c.m.Type(v.Type()), c.m.TypeOf(v.Condition())
	if t == nil || cond == nil {
		return
	}
	x, y := c.m.TypeOf(v.Object1()), c.m.TypeOf(v.Object2())
	matrices := cooperative(t) || cooperative(cond) || x != nil && cooperative(x) || y != nil && cooperative(y)
	if matrices && (cooperative(t) && !cond.IsBool() || cooperative(cond) || x != nil && x != t || y != nil && y != t) {
		c.fail(i, "SPV-Logic-Type", "OpSelect of %s by %s; must be between two of its type, by a Boolean", c.typeName(t), c.typeName(cond))
		return
	}
	if !c.since(spirv.Version14) && !t.IsScalar() && !t.IsVector() && !t.IsPointer() {
		c.fail(i, "SPV-Logic-Type", "OpSelect between %s before SPIR-V 1.4; must be between scalars, vectors or pointers", c.typeName(t))
		return
	}
	narrow := !cond.IsVector() && t.IsVector() && !c.since(spirv.Version14)
	if narrow || cond.IsVector() && (!t.IsVector() || lengthOf(t) != 0 && lengthOf(cond) != 0 && t.Count != cond.Count) {
		c.fail(i, "SPV-Logic-Type", "the condition of OpSelect is %s, the result %s; must have as many components", c.typeName(cond), c.typeName(t))
	}
}

// bitsOf32 checks the width of the base operand of bit instructions in Vulkan:
// 32 bits without the feature maintenance9.
func (c *checker) bitsOf32(i int, in spirv.Inst) {
	if !c.vulkan || c.env.AllowVulkan32BitBitwise {
		return
	}
	t := c.m.TypeOf(spirv.ID(in[3]))
	if t == nil || t.Scalar() == nil || t.Scalar().Width == 32 {
		return
	}
	if on, known := c.env.Device.feature("maintenance9"); !known || !on {
		c.fail(i, vuid.RuntimeSpirv_None_10824, "%s on %s; needs the feature maintenance9, or integers of 32 bits", in.Op(), c.typeName(t))
	}
}

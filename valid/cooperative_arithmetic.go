package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// cooperativeArithmeticFamily checks componentwise arithmetic on whole cooperative
// matrices (SPV_KHR_cooperative_matrix, SPV_NV_cooperative_matrix): the permitted
// instructions, and matrices of one type. The typing table, which knows no
// cooperative matrices, checks all other operands of these instructions.
var cooperativeArithmeticFamily = family{
	rules: []Rule{
		{Code: "SPV-CooperativeMatrix-Arithmetic", Section: "SPIR-V 3.3.13", Words: "add, subtract, multiply, divide and negate work on the components of cooperative matrices; no other arithmetic, bit or logical instruction has cooperative matrices"},
		{Code: "SPV-CooperativeMatrix-Operands", Section: "SPIR-V 3.3.13", Words: "the cooperative matrices of an arithmetic instruction have the result type, with the component type of the instruction"},
	},
	ops: []group{
		{cooperativeJudge((*cooperatives).matrixArithmetic), componentwise()},
		{cooperativeJudge((*cooperatives).noMatrices), []spirv.Op{
			spirv.OpDot, spirv.OpVectorTimesScalar, spirv.OpVectorTimesMatrix, spirv.OpMatrixTimesVector, spirv.OpMatrixTimesMatrix,
			spirv.OpOuterProduct, spirv.OpTranspose, spirv.OpIAddCarry, spirv.OpISubBorrow, spirv.OpUMulExtended, spirv.OpSMulExtended,
			spirv.OpAny, spirv.OpAll, spirv.OpQuantizeToF16, spirv.OpSatConvertSToU, spirv.OpSatConvertUToS,
		}},
	},
}

// componentwise returns the arithmetic, bit, logical and derivative instructions
// of the typing table's rows.
func componentwise() []spirv.Op {
	var out []spirv.Op
	for _, r := range spirv.Ops() {
		op := spirv.Op(r.Value())
		if _, ok := typing.Of(op); !ok {
			continue
		}
		switch op.Class() {
		case spirv.ClassArithmetic, spirv.ClassBit, spirv.ClassRelationalAndLogical, spirv.ClassDerivative:
			out = append(out, op)
		}
	}
	return out
}

// takesMatrices reports whether an instruction accepts cooperative matrices.
func takesMatrices(op spirv.Op) bool {
	switch op {
	case spirv.OpSNegate, spirv.OpFNegate, spirv.OpIAdd, spirv.OpFAdd, spirv.OpISub, spirv.OpFSub, spirv.OpIMul, spirv.OpFMul,
		spirv.OpSDiv, spirv.OpUDiv, spirv.OpFDiv:
		return true
	}
	return false
}

// matrixArithmetic checks a componentwise instruction with a cooperative matrix as
// result or operand.
func (c *cooperatives) matrixArithmetic(i int, in spirv.Inst) {
	if c.content.all&holdsCooperative == 0 {
		return
	}
	op := in.Op()
	row, _ := typing.Of(op)
	n := len(row.Operands)
	t := c.m.Type(in.Type())
	if len(in) < 3+n || t == nil {
		return
	}
	some := isCooperative(t)
	for _, w := range in[3 : 3+n] {
		some = some || isCooperative(c.m.TypeOf(spirv.ID(w)))
	}
	if !some {
		return
	}
	if !takesMatrices(op) || t.Op == spirv.OpTypeCooperativeMatrixNV && (op == spirv.OpFMul || op == spirv.OpIMul) {
		c.fail(i, "SPV-CooperativeMatrix-Arithmetic", "%s of cooperative matrices; must be an instruction that supports them", op)
		return
	}
	const code = "SPV-CooperativeMatrix-Operands"
	if !isCooperative(t) || t.Elem != nil && !fits(row.Result, t.Elem) {
		c.fail(i, code, "%s of cooperative matrices yields %s; must yield a cooperative matrix of %s components", op, c.typeName(t), row.Result)
		return
	}
	for k, w := range in[3 : 3+n] {
		x := c.m.TypeOf(spirv.ID(w))
		if x == nil || x == t {
			continue
		}
		if isCooperative(x) && x.Op == t.Op && row.Operands[k].Relation != typing.Type && x.Elem != nil && t.Elem != nil &&
			fits(row.Operands[k].Class, x.Elem) && x.Elem.Width == t.Elem.Width && !c.shapesDiffer(t, x) {
			continue
		}
		c.fail(i, code, "operand %d of %s is %s; the result is %s", k+1, op, c.typeName(x), c.typeName(t))
		return
	}
}

// noMatrices checks that an instruction has no cooperative matrix as result or
// operand.
func (c *cooperatives) noMatrices(i int, in spirv.Inst) {
	bad := isCooperative(c.m.Type(in.Type()))
	for _, w := range in[min(3, len(in)):] {
		bad = bad || isCooperative(c.m.TypeOf(spirv.ID(w)))
	}
	if bad {
		c.fail(i, "SPV-CooperativeMatrix-Arithmetic", "%s of cooperative matrices; must be an instruction that supports them", in.Op())
	}
}

// fits reports whether a number belongs to a numeric class.
func fits(k typing.Class, t *facts.Type) bool {
	switch k {
	case typing.Float:
		return t.IsFloat()
	case typing.Int:
		return t.IsInt()
	case typing.UInt:
		return t.IsInt() && !t.Signed
	}
	return t.IsBool()
}

// shapesDiffer reports whether two cooperative matrices are known to differ in
// scope, rows, columns or use.
func (c *cooperatives) shapesDiffer(t, x *facts.Type) bool {
	a, b := c.shapeOfMatrix(t), c.shapeOfMatrix(x)
	return c.differ(a.scope, b.scope) || c.differ(a.rows, b.rows) || c.differ(a.columns, b.columns) || a.use != 0 && b.use != 0 && c.differ(a.use, b.use)
}

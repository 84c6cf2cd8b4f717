package oracle

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// "Implementations may rearrange floating-point operations using any of the mathematical properties governing the expressions in precise
// arithmetic", with another number of roundings, unless they have NoContraction (Vulkan, "Evaluation of Expressions"). The range of a
// number contains its exact value. A rearranged expression differs from it by the roundings of its operations: each one is relative to
// a partial sum of the products that the expression is in real numbers, so that n of them are at most n·u·Σ|products| together, where u is the half
// of the last place of 1 (Higham 2002, "Accuracy and Stability of Numerical Algorithms", section 4.2).

// expression is the float as the result of operations that may be rearranged: products is the sum of the absolute values of the products
// whose sum it is, and steps is the number of its roundings; 0 for a number that is no such result.
type expression struct {
	products float64
	steps    int
	product  bool // it is a product of two numbers
}

// expressionOf returns the expression of a number.
func (n *Number) expressionOf() expression {
	if n.steps == 0 {
		return expression{products: max(math.Abs(n.Low), math.Abs(n.High))}
	}
	return n.expression
}

// The roundings of operations beside sums and products: a quotient has an error of 2.5 ULP, and one more as a product with the reciprocal;
// functions are formulas of several operations.
const divisionSteps, functionSteps = 7, 8

// rearranged widens the result of an instruction that the implementation may combine with those that made its operands.
func (x *frame) rearranged(in spirv.Inst, t *facts.Type, v value) {
	s := t.Scalar()
	if s == nil || !s.IsFloat() || s.Encoded || !x.rearranges(in, t) {
		return
	}
	op, first := in.Op(), 3
	if op == spirv.OpExtInst {
		first = 5
	}
	var args []value
	composed := false // an operand is the result of an operation
	for _, k := range in[first:] {
		of := x.m.TypeOf(spirv.ID(k))
		if of == nil || of.Scalar() == nil || !of.Scalar().IsFloat() {
			return
		}
		a := x.value(spirv.ID(k))
		for i := range a.leaves {
			composed = composed || a.leaves[i].steps > 0
		}
		args = append(args, a)
	}
	if len(args) == 0 {
		return
	}
	fused := op == spirv.OpFAdd || op == spirv.OpFSub
	for i := range v.leaves {
		n := &v.leaves[i]
		n.expression = combined(op, args, i, n)
		alone := fused && single(args, i)
		if composed && !alone && !n.Any {
			n.widen(s.Width)
		}
	}
}

// rearranges reports whether the implementation may combine an instruction with those that made its operands: it is an operation on
// floats that does not only choose or move one, without NoContraction.
func (x *frame) rearranges(in spirv.Inst, t *facts.Type) bool {
	switch op := in.Op(); op {
	case spirv.OpFAdd, spirv.OpFSub, spirv.OpFMul, spirv.OpFDiv, spirv.OpFNegate, spirv.OpVectorTimesScalar, spirv.OpMatrixTimesScalar, spirv.OpDot,
		spirv.OpMatrixTimesVector, spirv.OpVectorTimesMatrix, spirv.OpMatrixTimesMatrix, spirv.OpOuterProduct, spirv.OpExtInst:
	default:
		return false
	}
	id := in.Result()
	if x.m.Has(id, spirv.DecorationNoContraction) {
		return false
	}
	if _, ok := x.m.Decoration(id, spirv.DecorationFPFastMathMode); ok || len(x.modes) > 0 {
		return x.fastMath(id, t)
	}
	return true
}

// single reports whether a sum of component i is of a product of two numbers and a number: it has no other form than the fused one, which
// is in its range.
func single(args []value, i int) bool {
	products := 0
	for _, a := range args {
		if i >= len(a.leaves) {
			return false
		}
		if n := &a.leaves[i]; n.steps > 0 {
			if products++; !n.product {
				return false
			}
		}
	}
	return products <= 1
}

// combined returns the expression of component i of the result n of an operation.
func combined(op spirv.Op, args []value, i int, n *Number) expression {
	at := func(k, i int) expression {
		return args[k].leaves[min(i, len(args[k].leaves)-1)].expressionOf()
	}
	a := at(0, i)
	switch op {
	case spirv.OpFNegate:
		return a
	case spirv.OpFAdd, spirv.OpFSub:
		b := at(1, i)
		return expression{a.products + b.products, a.steps + b.steps + 1, false}
	case spirv.OpFMul, spirv.OpVectorTimesScalar, spirv.OpMatrixTimesScalar:
		b := at(1, i)
		return expression{a.products * b.products, a.steps + b.steps + 1, a.steps+b.steps == 0}
	case spirv.OpFDiv:
		b := args[1].leaves[min(i, len(args[1].leaves)-1)]
		least := min(math.Abs(b.Low), math.Abs(b.High))
		return expression{a.products / least, a.steps + b.steps + divisionSteps, false}
	}
	if op != spirv.OpExtInst && len(args) == 2 { // products of vectors and matrices
		x, y := greatest(args[0]), greatest(args[1])
		terms := min(4, max(len(args[0].leaves), len(args[1].leaves)))
		return expression{float64(terms) * x.products * y.products, x.steps + y.steps + 2*terms, false}
	}
	out := expression{max(math.Abs(n.Low), math.Abs(n.High)), functionSteps, false}
	for _, a := range args {
		out.steps = max(out.steps, greatest(a).steps+functionSteps)
	}
	return out
}

// greatest returns the expression with the most steps and the greatest products of the scalars of a value.
func greatest(v value) (e expression) {
	for i := range v.leaves {
		of := v.leaves[i].expressionOf()
		e = expression{max(e.products, of.products), max(e.steps, of.steps), false}
	}
	return e
}

// maxRoundings bounds the roundings of an expression whose result is not any value.
const maxRoundings = 1 << 16

// widen adds the roundings of the expression to the range: twice n·u·Σ, because a rearranged expression may have more operations.
func (n *Number) widen(width uint32) {
	u := map[uint32]float64{16: 0x1p-11, 32: 0x1p-24, 64: 0x1p-53}[width]
	by := float64(2 * float64(n.steps) * u * n.products)
	if n.steps = min(n.steps, maxRoundings); n.steps == maxRoundings || math.IsInf(by, 0) || math.IsNaN(by) || u == 0 {
		n.Any = true
		return
	}
	n.Low, n.High = n.Low-by, n.High+by
	if width == 32 {
		n.Low, n.High = down(n.Low, 0), up(n.High, 0)
	}
}

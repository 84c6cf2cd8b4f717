package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var cooperativeVectorProductRules = rules{
	spirv.OpCooperativeVectorMatrixMulNV:              cooperativeVectorMul,
	spirv.OpCooperativeVectorMatrixMulAddNV:           cooperativeVectorMulAdd,
	spirv.OpCooperativeVectorOuterProductAccumulateNV: cooperativeVectorOuterProduct,
	spirv.OpCooperativeVectorReduceSumAccumulateNV:    cooperativeVectorReduceSum,
}

// vectorProduct is a product of a matrix in memory with a vector.
type vectorProduct struct {
	function   *function
	input      spirv.ID
	inputAs    numeric
	rows       uint64
	columns    uint64
	matrix     loose
	transposed bool
	bias       *pointer // nil if there is none
	biasAs     numeric
	result     *facts.Type
	how        spirv.CooperativeMatrixOperands
}

func cooperativeVectorMul(f *function, in spirv.Inst) {
	v := inst.CooperativeVectorMatrixMulNV(in)
	stride, _ := v.MatrixStride()
	how, _ := v.CooperativeMatrixOperands()
	p := vectorProduct{function: f, input: v.Input(), inputAs: f.numberOf(v.InputInterpretation()), rows: f.known(v.M()), columns: f.known(v.K()),
		transposed: f.truth(v.Transpose()), result: f.facts.Type(in.Type()), how: how}
	p.from(v.Matrix(), v.MatrixOffset(), v.MatrixInterpretation(), v.MemoryLayout(), stride)
	f.define(in, p.parts()...)
}

func cooperativeVectorMulAdd(f *function, in spirv.Inst) {
	v := inst.CooperativeVectorMatrixMulAddNV(in)
	stride, _ := v.MatrixStride()
	how, _ := v.CooperativeMatrixOperands()
	p := vectorProduct{function: f, input: v.Input(), inputAs: f.numberOf(v.InputInterpretation()), rows: f.known(v.M()), columns: f.known(v.K()),
		transposed: f.truth(v.Transpose()), result: f.facts.Type(in.Type()), how: how}
	p.from(v.Matrix(), v.MatrixOffset(), v.MatrixInterpretation(), v.MemoryLayout(), stride)
	p.bias, p.biasAs = f.array(v.Bias(), v.BiasOffset()), f.numberOf(v.BiasInterpretation())
	if p.biasAs.packed {
		f.malformed("the bias has packed components; must be unpacked")
	}
	f.define(in, p.parts()...)
}

// from sets the memory of the matrix.
func (p *vectorProduct) from(matrix, off, as, layout, stride spirv.ID) {
	rows, columns := p.rows, p.columns
	if p.transposed {
		rows, columns = columns, rows
	}
	p.matrix = p.function.loose(p.function.array(matrix, off), p.function.numberOf(as), layout, stride, rows, columns)
}

// parts returns the components of the result: the bias and then, in order of the
// columns, each product added; floats in 32 bits (64 if an operand has 64)
// by fused multiply-adds, integers in the bits of the result. It is rounded once,
// in the end.
func (p *vectorProduct) parts() []ir.V {
	if !p.result.IsVector() || p.result.Elem == nil {
		p.function.malformed("the result is not a vector; must be one")
	}
	if p.result.Count != p.rows {
		p.function.malformed("the result has %d components; must have %d", p.result.Count, p.rows)
	}
	if n := mul(p.rows, p.columns); n > maxProduct {
		p.function.tooLarge("a product of %d multiplications in each lane; at most %d", n, maxProduct)
	}
	float := p.result.Elem.IsFloat()
	if p.inputAs.float() != float || p.matrix.float() != float || p.bias != nil && p.biasAs.float() != float {
		p.function.unsupported("a product of floats and integers")
	}
	t := p.function.scalar(p.result.Elem)
	if float {
		t = ir.F32
		for _, x := range []ir.Type{p.inputAs.typ, p.matrix.typ, p.biasAs.typ, p.function.scalar(p.result.Elem)} {
			if x == ir.F64 {
				t = ir.F64
			}
		}
	}
	x := p.inputs(t)
	out := make([]ir.V, p.rows)
	for i := range p.rows {
		sum := p.function.b.Const(t, 0)
		if p.bias != nil {
			at := p.function.advance(p.bias, p.function.b.I32(uint32(i)*p.biasAs.typ.Size()))
			sum = p.function.toSum(p.biasAs, p.function.loadScalar(at, p.biasAs.typ), t)
		}
		for k := range p.columns {
			row, column := i, k
			if p.transposed {
				row, column = k, i
			}
			w := p.function.toSum(p.matrix.numeric, p.function.loadScalar(p.function.matrixElement(&p.matrix, row, column), p.matrix.typ), t)
			if float {
				sum = p.function.Make(ir.FFma, t, t, w, x[k], sum)
			} else {
				sum = p.function.b.Op(ir.Add, t, sum, p.function.b.Op(ir.Mul, t, w, x[k]))
			}
		}
		out[i] = p.rounded(sum)
	}
	return out
}

// rounded returns a component of the result.
func (p *vectorProduct) rounded(v ir.V) ir.V {
	to := p.result.Elem
	if to.Encoded {
		return p.function.encode(p.function.encoded(to), narrowing{}, v)
	}
	if s := p.function.scalar(to); s != p.function.b.Func.Type(v) {
		return p.function.Make(ir.FCvt, s, p.function.b.Func.Type(v), v, 0, 0)
	}
	return v
}

// inputs returns the input as it is interpreted, in the type of the sum.
func (p *vectorProduct) inputs(t ir.Type) []ir.V {
	typ := p.function.typeOf(p.input)
	if !typ.IsVector() || len(p.function.scalars(p.input)) == 0 {
		p.function.malformed("the input is not a vector; must be one")
	}
	x := p.function.scalars(p.input)
	if p.inputAs.packed {
		if p.function.scalar(typ.Elem) != ir.I32 {
			p.function.malformed("the packed components are not 32-bit integers; must be")
		}
		x = p.function.recast(x, p.inputAs.typ)
	}
	if uint64(len(x)) < p.columns || !p.inputAs.packed && uint64(len(x)) != p.columns {
		p.function.malformed("the input has %d components; must have %d", len(x), p.columns)
	}
	out := make([]ir.V, p.columns)
	signed := p.how&spirv.CooperativeMatrixOperandsMatrixBSignedComponentsKHRMask != 0
	for i := range out {
		v := x[i]
		if !p.inputAs.packed {
			v = p.function.interpreted(v, typ.Elem, signed, p.inputAs)
		}
		out[i] = p.function.toSum(p.inputAs, v, t)
	}
	return out
}

// toSum returns a number in the type of the sum, which has all floats of less
// bits; an integer of more is cut.
func (f *function) toSum(n numeric, v ir.V, t ir.Type) ir.V {
	switch {
	case n.small:
		v = f.decode(encodings[n.encoding], v)
	case n.typ.IsInt() && t.IsInt() && n.signed && n.typ.Bits() < t.Bits():
		return f.b.Op(ir.SExt, t, v)
	case n.typ.IsInt() && t.IsInt():
		return f.toInt(v, t)
	}
	if s := f.b.Func.Type(v); s != t {
		v = f.Make(ir.FCvt, t, s, v, 0, 0)
	}
	return v
}

// interpreted converts a component of the input: to integers it saturates, to the
// nearest, a half to the even one.
func (f *function) interpreted(v ir.V, from *facts.Type, signed bool, to numeric) ir.V {
	s := f.b.Func.Type(v)
	switch {
	case from.IsInt() && to.float():
		op := ir.UToF
		if signed {
			op = ir.SToF
		}
		if to.small {
			return f.encode(encodings[to.encoding], narrowing{}, f.Make(op, ir.F64, s, v, 0, 0))
		}
		return f.Make(op, to.typ, s, v, 0, 0)
	case from.IsInt():
		return f.clamped(v, signed, to)
	case from.Encoded:
		v = f.decode(f.encoded(from), v)
		s = ir.F32
	}
	switch {
	case to.small:
		return f.encode(encodings[to.encoding], narrowing{}, v)
	case to.typ.IsFloat():
		if s != to.typ {
			v = f.Make(ir.FCvt, to.typ, s, v, 0, 0)
		}
		return v
	}
	op := ir.FToU
	if to.signed {
		op = ir.FToS
	}
	return f.Make(op, to.typ, s, f.Make(ir.FRoundEven, s, s, v, 0, 0), 0, 0)
}

// clamped returns the integer of a type that is nearest to another.
func (f *function) clamped(v ir.V, signed bool, to numeric) ir.V {
	most := to.typ.Mask()
	least := uint64(0)
	if to.signed {
		most >>= 1
		least = ^most
	}
	c := func(x uint64) ir.V { return f.b.Const(ir.I64, x) }
	if !signed {
		v = f.b.Op(ir.UMin, ir.I64, f.toInt(v, ir.I64), c(most))
		return f.toInt(v, to.typ)
	}
	if f.b.Func.Type(v) != ir.I64 {
		v = f.b.Op(ir.SExt, ir.I64, v)
	}
	v = f.b.Op(ir.SMax, ir.I64, v, c(least))
	if to.typ != ir.I64 {
		v = f.b.Op(ir.SMin, ir.I64, v, c(most))
	}
	return f.toInt(v, to.typ)
}

// cooperativeVectorOuterProduct lowers
// OpCooperativeVectorOuterProductAccumulateNV: each product, rounded to the
// type of the matrix, is added to it by an atomic.
func cooperativeVectorOuterProduct(f *function, in spirv.Inst) {
	v := inst.CooperativeVectorOuterProductAccumulateNV(in)
	stride, _ := v.MatrixStride()
	ta, tb := f.typeOf(v.A()), f.typeOf(v.B())
	if !ta.IsVector() || !tb.IsVector() || ta.Elem != tb.Elem || !ta.Elem.IsFloat() {
		f.malformed("the operands of the outer product are not float vectors; must be")
	}
	a, b := f.decoded(v.A()), f.decoded(v.B())
	if n := len(a) * len(b); n > maxProduct {
		f.tooLarge("a product of %d multiplications in each lane; at most %d", n, maxProduct)
	}
	n := f.numberOf(v.MatrixInterpretation())
	if !n.typ.IsFloat() {
		f.unsupported("sums of %s", spirv.ComponentType(f.known(v.MatrixInterpretation())))
	}
	g := f.loose(f.array(v.Pointer(), v.Offset()), n, v.MemoryLayout(), stride, uint64(len(a)), uint64(len(b)))
	for i, x := range a {
		for k, y := range b {
			t := f.b.Func.Type(x)
			product := f.Make(ir.FMul, t, t, x, y, 0)
			if t != n.typ {
				product = f.Make(ir.FCvt, n.typ, t, product, 0, 0)
			}
			f.accumulate(f.matrixElement(&g, uint64(i), uint64(k)), n.typ, product)
		}
	}
}

// accumulate adds to a number in memory by an atomic.
func (f *function) accumulate(p *pointer, t ir.Type, x ir.V) {
	if p.memory == physical {
		p = f.regionPointer(p, t.Size())
	}
	op := ir.AtomAdd
	if t.IsFloat() {
		op = ir.AtomFAdd
	} else if t.Bits() < 32 {
		f.unsupported("on integers of %d bits", t.Bits())
	}
	f.atomic(op, p, t, x)
}

// cooperativeVectorReduceSum lowers OpCooperativeVectorReduceSumAccumulateNV.
func cooperativeVectorReduceSum(f *function, in spirv.Inst) {
	v := inst.CooperativeVectorReduceSumAccumulateNV(in)
	parts := f.scalars(v.V())
	t := f.typeOf(v.V())
	if t.IsVector() && t.Elem.Encoded {
		f.unsupported("on floats encoded as %s", t.Elem.Encoding)
	}
	f.components(t, f.array(v.Pointer(), v.Offset()), func(p *pointer, s ir.Type) {
		f.accumulate(p, s, parts[0])
		parts = parts[1:]
	})
}

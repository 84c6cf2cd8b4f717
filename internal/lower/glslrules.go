package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/direct"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower/mathlib"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// operandsOf returns the scalars of the operands of an extended instruction.
func (f *function) operandsOf(in spirv.Inst) [][]ir.V {
	return f.operands(in[5:])
}

// flushed returns the operands without denormals, if the entry point's mode requires it. Some expansions compute in wider
// floats, in which a denormal operand is a normal number.
func (f *function) flushed(args ...ir.V) []ir.V {
	out := make([]ir.V, len(args))
	for i, v := range args {
		out[i] = f.flush(v)
	}
	return out
}

// each lowers an extended instruction that is one operation per component.
func each(op ir.Op) rule {
	return func(f *function, in spirv.Inst) {
		f.eachComponent(in, f.operandsOf(in), func(t ir.Type, a []direct.Operand[ir.V]) ir.V {
			v, ok := direct.Apply[ir.V](f, direct.Row{Op: op}, t, a...)
			if !ok {
				f.malformed("the instruction is not defined for the types of the operands")
			}
			return v
		})
	}
}

// eachChoice lowers FMin or FMax. The operation returns its first operand if either is NaN, so the
// operand that is less likely to be NaN comes first: a constant, else the second one. In
// min(expression, bound), max(0, expression) and the like a NaN loses to the bound. If signs of
// zeros are significant, −0 is less than +0.
func eachChoice(op ir.Op) rule {
	return func(f *function, in spirv.Inst) {
		f.eachComponent(in, f.operandsOf(in), func(t ir.Type, a []direct.Operand[ir.V]) ir.V {
			if len(a) != 2 {
				f.malformed("%d operands; must be 2", len(a))
			}
			first, second := a[1], a[0]
			if f.b.Func.Val(a[0].Value).Op == ir.Const {
				first, second = a[0], a[1]
			}
			v, ok := direct.Apply[ir.V](f, direct.Row{Op: op}, t, first, second)
			if !ok {
				f.malformed("the instruction is not defined for the types of the operands")
			}
			if f.signedZeros(in, t) {
				return f.orderZeros(op, t, first.Value, second.Value, v)
			}
			return v
		})
	}
}

// orderZeros returns the minimum or maximum v of x and y, with −0 less than +0. Equal operands
// differ in their signs at most: the minimum has the sign if either has it, the maximum if both
// have it.
func (f *function) orderZeros(op ir.Op, t ir.Type, x, y, v ir.V) ir.V {
	bits, both := ir.Int(uint32(t.Bits())), ir.Or
	if op == ir.FMax {
		both = ir.And
	}
	merged := f.b.Op(both, bits, f.b.Op(ir.Bitcast, bits, x), f.b.Op(ir.Bitcast, bits, y))
	return f.b.Select(f.b.Cmp(ir.FEq, x, y), f.b.Op(ir.Bitcast, t, merged), v)
}

// eachOf lowers an extended instruction that build expands for each component; check
// rejects operands of wrong types.
func eachOf(n int, check func(*function, []ir.V), build func(*ir.Builder, []ir.V) ir.V) rule {
	return func(f *function, in spirv.Inst) {
		f.eachComponent(in, f.operandsOf(in), func(_ ir.Type, a []direct.Operand[ir.V]) ir.V {
			if len(a) != n {
				f.malformed("%d operands; must be %d", len(a), n)
			}
			args := make([]ir.V, n)
			for i := range a {
				args[i] = a[i].Value
			}
			f.checkSameType(args...)
			check(f, args)
			return build(f.b, f.flushed(args...))
		})
	}
}

// floatsUpTo returns a check that operands are floats of at most the width of a type.
func floatsUpTo(most ir.Type) func(*function, []ir.V) {
	return func(f *function, args []ir.V) {
		f.checkFloats(args...)
		if t := f.b.Func.Type(args[0]); t.Bits() > most.Bits() {
			f.unsupported("of %d bits", t.Bits())
		}
	}
}

// integers checks that operands are integers.
func integers(f *function, args []ir.V) {
	if t := f.b.Func.Type(args[0]); !t.IsInt() {
		f.malformed("the operand is %s; must be an integer", t)
	}
}

func float1(g func(b *ir.Builder, x ir.V) ir.V, most ir.Type) rule {
	return eachOf(1, floatsUpTo(most), func(b *ir.Builder, a []ir.V) ir.V { return g(b, a[0]) })
}

func float2(g func(b *ir.Builder, x, y ir.V) ir.V, most ir.Type) rule {
	return eachOf(2, floatsUpTo(most), func(b *ir.Builder, a []ir.V) ir.V { return g(b, a[0], a[1]) })
}

func float3(g func(b *ir.Builder, x, y, z ir.V) ir.V) rule {
	return eachOf(3, floatsUpTo(ir.F64), func(b *ir.Builder, a []ir.V) ir.V { return g(b, a[0], a[1], a[2]) })
}

func integer1(g func(b *ir.Builder, x ir.V) ir.V) rule {
	return eachOf(1, integers, func(b *ir.Builder, a []ir.V) ir.V { return g(b, a[0]) })
}

func integer3(g func(b *ir.Builder, x, y, z ir.V) ir.V) rule {
	return eachOf(3, integers, func(b *ir.Builder, a []ir.V) ir.V { return g(b, a[0], a[1], a[2]) })
}

func ldexp(f *function, in spirv.Inst) {
	f.eachComponent(in, f.operandsOf(in), func(t ir.Type, a []direct.Operand[ir.V]) ir.V {
		e := a[1].Value
		switch {
		case !a[1].Type.IsInt():
			f.malformed("the exponent is %s; must be an integer", a[1].Type)
		case a[1].Type.Bits() < 32:
			e = f.b.Op(ir.SExt, ir.I32, e)
		case a[1].Type.Bits() > 32:
			most := uint64(1<<31 - 1)
			e = f.b.Op(ir.SMax, ir.I64, f.b.Op(ir.SMin, ir.I64, e, f.b.Const(ir.I64, most)), f.b.Const(ir.I64, ^most))
			e = f.b.Op(ir.Trunc, ir.I32, e)
		}
		return f.b.Op(ir.FLdexp, t, f.flush(a[0].Value), e)
	})
}

// splitEach returns both results of Modf or Frexp for each component of an operand.
func (f *function) splitEach(id spirv.ID, g func(*ir.Builder, ir.V) (ir.V, ir.V)) (first, second []ir.V) {
	x := f.scalars(id)
	f.checkFloats(x...)
	for _, v := range x {
		a, b := g(f.b, f.flush(v))
		first, second = append(first, a), append(second, b)
	}
	return first, second
}

// convertExponents converts exponents to the integer type t.
func (f *function) convertExponents(x []ir.V, t ir.Type) []ir.V {
	for i := range x {
		if t.IsInt() && t.Bits() > 32 {
			x[i] = f.b.Op(ir.SExt, t, x[i])
		} else {
			x[i] = f.toInt(x[i], t)
		}
	}
	return x
}

func modf(f *function, in spirv.Inst) {
	v := inst.GLSLModf(in)
	fract, whole := f.splitEach(v.X(), mathlib.Modf)
	f.store(f.pointer(v.I()), whole)
	f.define(in, fract...)
}

func modfStruct(f *function, in spirv.Inst) {
	fract, whole := f.splitEach(inst.GLSLModfStruct(in).X(), mathlib.Modf)
	f.define(in, append(fract, whole...)...)
}

func frexp(f *function, in spirv.Inst) {
	v := inst.GLSLFrexp(in)
	s, e := f.splitEach(v.X(), mathlib.Frexp)
	p := f.pointer(v.Exp())
	types := f.flat(p.typ)
	if len(types) == 0 {
		f.malformed("the pointee for the exponent has no scalars")
	}
	f.store(p, f.convertExponents(e, types[0]))
	f.define(in, s...)
}

func frexpStruct(f *function, in spirv.Inst) {
	s, e := f.splitEach(inst.GLSLFrexpStruct(in).X(), mathlib.Frexp)
	types := f.flat(f.facts.Type(in.Type()))
	if len(types) == 0 {
		f.malformed("the result has no members")
	}
	f.define(in, append(s, f.convertExponents(e, types[len(types)-1])...)...)
}

package ptxlower

import "github.com/chiaro-gpu/chiaro/internal/ir"

// cvtBfloat emits a conversion between .bf16 and an integer, .f16, .f64 or .bf16 (PTX ISA, cvt). A .bf16 is the upper half of a float of 32
// bits, so that each conversion from it is one of an exact number.
func (e *emitter) cvtBfloat(to, from string) {
	if e.in.Has(".satfinite") || e.in.Has(".rna") {
		malformed(e.in.Pos, "%s has .satfinite or .rna; must not have it, between these types", e.in.Name())
	}
	if halfKind(from) != bfloat {
		e.result(e.roundedBfloat(e.finish(e.oddFloat(from))))
		return
	}
	v := e.flush(e.fromBfloat(e.read(e.operand(1), ir.I16)))
	t := irType(to)
	if !isFloat(to) && halfKind(to) == noHalf {
		e.result(e.integerOf(v, to))
		return
	}
	for mod, op := range integral {
		if e.in.Has(mod) {
			v = e.b.Op(op, ir.F32, v)
		}
	}
	switch {
	case halfKind(to) == bfloat:
		e.result(e.bfloatOf(e.finish(v)))
		return
	case to == ".f16" && (e.in.Has(".rm") || e.in.Has(".rp")):
		v = e.directedHalf(e.widen(v), e.in.Has(".rp"))
	default:
		v = e.rounded(ir.FCvt, t, v)
	}
	e.result(e.finish(v))
}

// oddFloat emits the second operand, a number of a type, as a float of 32 bits that is rounded to odd: toward zero, with the last bit set if
// it is inexact. A second rounding to fewer bits then gives the correct result (Boldo & Melquiond 2008).
func (e *emitter) oddFloat(from string) ir.V {
	b := e.b
	x := e.read(e.operand(1), irType(from))
	cut := func(op ir.Op) ir.V {
		return b.Emit(ir.Val{Op: op, Type: ir.F32, Flags: ir.RTZ, Args: [4]ir.V{x}})
	}
	var v, exact ir.V
	switch {
	case from == ".f16":
		return b.Op(ir.FCvt, ir.F32, x)
	case from == ".f64":
		v = cut(ir.FCvt)
		exact = b.Op(ir.Or, ir.B1, b.Cmp(ir.FEq, e.widen(v), x), b.Op(ir.Not, ir.B1, b.Cmp(ir.FEq, x, x)))
	case isSigned(from):
		v = cut(ir.SToF)
		exact = b.Cmp(ir.Eq, b.Op(ir.FToS, irType(from), v), x)
	default:
		v = cut(ir.UToF)
		exact = b.Cmp(ir.Eq, b.Op(ir.FToU, irType(from), v), x)
	}
	odd := b.Op(ir.Or, ir.I32, e.as(v, ir.I32), b.Select(exact, b.I32(0), b.I32(1)))
	return e.as(odd, ir.F32)
}

// roundedBfloat emits a float of 32 bits in the rounding mode as .bf16. A bound moves the magnitude up if the lower half is not zero.
func (e *emitter) roundedBfloat(v ir.V) ir.V {
	b := e.b
	var away ir.V // the sign with which the mode moves away from zero
	switch {
	case e.in.Has(".rp"):
		away = b.I32(0)
	case e.in.Has(".rm"):
		away = b.I32(1)
	case e.in.Has(".rn"), e.in.Has(".rz"):
		return e.bfloatOf(v)
	default:
		malformed(e.in.Pos, "%s has no rounding; must have one", e.in.Name())
	}
	bits := e.as(v, ir.I32)
	moves := b.Cmp(ir.Eq, b.Op(ir.LShr, ir.I32, bits, b.I32(31)), away)
	more := b.Op(ir.Add, ir.I32, bits, b.Select(moves, b.I32(0xffff), b.I32(0)))
	const nan = 0x7fff
	out := b.Op(ir.Trunc, ir.I16, b.Op(ir.LShr, ir.I32, more, b.I32(16)))
	return b.Select(b.Cmp(ir.FEq, v, v), out, b.Const(ir.I16, nan))
}

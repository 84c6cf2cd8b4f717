package ptxlower

import "github.com/chiaro-gpu/chiaro/internal/ir"

// directed emits an operation of 32 bits that rounds up or down. The exact result is the sum of two floats of 64 bits, s and r, or the
// sign of the remainder r of the nearest result is known; the nearest result is then at most one step away.
//
//	add, sub   s + r = TwoSum(x, y) (Møller 1965, Knuth)
//	mul        s = x·y, exact
//	fma        s + r = TwoSum(x·y, z)
//	div        r = x − q·y, exact
//	sqrt       r = x − q², exact
func (e *emitter) directed(op ir.Op, t ir.Type, x []ir.V, up bool) ir.V {
	if t == ir.F64 {
		return e.directed64(op, x, up)
	}
	if t != ir.F32 {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	w := e.each(x, e.widen)
	zero := e.b.Const(ir.F64, 0)
	switch op {
	case ir.FDiv:
		q := e.b.Op(op, t, x...)
		r := e.b.Op(ir.FSub, ir.F64, w[0], e.b.Op(ir.FMul, ir.F64, e.widen(q), w[1]))
		negative := e.b.Cmp(ir.FLt, w[1], zero)
		above, below := e.b.Cmp(ir.FLt, zero, r), e.b.Cmp(ir.FLt, r, zero)
		return e.step(q, e.b.Select(negative, below, above), e.b.Select(negative, above, below), up)
	case ir.FSqrt:
		q := e.b.Op(op, t, x...)
		r := e.b.Op(ir.FSub, ir.F64, w[0], e.b.Op(ir.FMul, ir.F64, e.widen(q), e.widen(q)))
		return e.step(q, e.b.Cmp(ir.FLt, zero, r), e.b.Cmp(ir.FLt, r, zero), up)
	case ir.FMul:
		return e.nearest(e.b.Op(ir.FMul, ir.F64, w[0], w[1]), zero, up)
	case ir.FFma:
		return e.sum(e.b.Op(ir.FMul, ir.F64, w[0], w[1]), w[2], up)
	case ir.FSub:
		return e.sum(w[0], e.b.Op(ir.FNeg, ir.F64, w[1]), up)
	}
	return e.sum(w[0], w[1], up)
}

func (e *emitter) widen(v ir.V) ir.V { return e.b.Op(ir.FCvt, ir.F64, v) }

// twoSum emits the nearest sum and its error, which are exact together.
func (e *emitter) twoSum(x, y ir.V) (s, r ir.V) {
	op := func(op ir.Op, a, b ir.V) ir.V { return e.b.Op(op, ir.F64, a, b) }
	s = op(ir.FAdd, x, y)
	z := op(ir.FSub, s, x)
	return s, op(ir.FAdd, op(ir.FSub, x, op(ir.FSub, s, z)), op(ir.FSub, y, z))
}

// sum emits a directed sum. An exact zero sum of unlike zeros or opposite numbers is −0 if it rounds down.
func (e *emitter) sum(x, y ir.V, up bool) ir.V {
	s, r := e.twoSum(x, y)
	v := e.nearest(s, r, up)
	if up {
		return v
	}
	bits := e.b.Op(ir.Or, ir.I64, e.as(x, ir.I64), e.as(y, ir.I64))
	zero := e.b.Op(ir.And, ir.B1, e.b.Cmp(ir.FEq, s, e.b.Const(ir.F64, 0)), e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.Eq, bits, e.b.Const(ir.I64, 0))))
	return e.b.Select(zero, e.b.Const(ir.F32, 1<<31), v)
}

// nearest emits the directed rounding of s + r to 32 bits.
func (e *emitter) nearest(s, r ir.V, up bool) ir.V {
	q := e.b.Op(ir.FCvt, ir.F32, s)
	w := e.widen(q)
	zero := e.b.Const(ir.F64, 0)
	same := e.b.Cmp(ir.FEq, w, s)
	beyond := func(less, rest ir.V) ir.V {
		return e.b.Op(ir.Or, ir.B1, less, e.b.Op(ir.And, ir.B1, same, rest))
	}
	above := beyond(e.b.Cmp(ir.FLt, w, s), e.b.Cmp(ir.FLt, zero, r))
	below := beyond(e.b.Cmp(ir.FLt, s, w), e.b.Cmp(ir.FLt, r, zero))
	return e.step(q, above, below, up)
}

// step emits the float after q if the exact result is above it and rounds up, or the one before it.
func (e *emitter) step(q, above, below ir.V, up bool) ir.V {
	bits := e.as(q, ir.I32)
	negative := e.b.Cmp(ir.SLt, bits, e.b.I32(0))
	zero := e.b.Cmp(ir.FEq, q, e.b.Const(ir.F32, 0))
	one := e.b.I32(1)
	more, less := e.b.Op(ir.Add, ir.I32, bits, one), e.b.Op(ir.Sub, ir.I32, bits, one)
	if up {
		next := e.b.Select(zero, one, e.b.Select(negative, less, more))
		return e.b.Select(above, e.as(next, ir.F32), q)
	}
	next := e.b.Select(zero, e.b.I32(1<<31|1), e.b.Select(negative, more, less))
	return e.b.Select(below, e.as(next, ir.F32), q)
}

// fromBfloat emits a bfloat16 as 32 bits.
func (e *emitter) fromBfloat(v ir.V) ir.V {
	return e.as(e.b.Op(ir.Shl, ir.I32, e.b.Op(ir.ZExt, ir.I32, v), e.b.I32(16)), ir.F32)
}

// bfloatOf emits a float of 32 bits rounded to bfloat16, ties to even, or toward zero with .rz. A NaN is canonical.
func (e *emitter) bfloatOf(v ir.V) ir.V {
	const nan = 0x7fff
	bits := e.as(v, ir.I32)
	if !e.in.Has(".rz") {
		odd := e.b.Op(ir.And, ir.I32, e.b.Op(ir.LShr, ir.I32, bits, e.b.I32(16)), e.b.I32(1))
		bits = e.b.Op(ir.Add, ir.I32, bits, e.b.Op(ir.Add, ir.I32, odd, e.b.I32(0x7fff)))
	}
	out := e.b.Op(ir.Trunc, ir.I16, e.b.Op(ir.LShr, ir.I32, bits, e.b.I32(16)))
	return e.b.Select(e.b.Cmp(ir.FEq, v, v), out, e.b.Const(ir.I16, nan))
}

// oddFma emits a fused multiply-add of bfloat16 numbers rounded to odd in 32 bits, so that a second rounding gives the nearest result
// (Boldo & Melquiond 2008).
func (e *emitter) oddFma(x []ir.V) ir.V {
	w := e.each(x, e.widen)
	s, r := e.twoSum(e.b.Op(ir.FMul, ir.F64, w[0], w[1]), w[2])
	zero := e.b.Const(ir.F64, 0)
	// The odd one of the two neighbours of an inexact sum.
	bits, one := e.as(s, ir.I64), e.b.Const(ir.I64, 1)
	away := e.b.Cmp(ir.Eq, e.b.Cmp(ir.FLt, r, zero), e.b.Cmp(ir.FLt, s, zero))
	next := e.b.Select(away, e.b.Op(ir.Add, ir.I64, bits, one), e.b.Op(ir.Sub, ir.I64, bits, one))
	inexact := e.b.Op(ir.Or, ir.B1, e.b.Cmp(ir.FLt, r, zero), e.b.Cmp(ir.FLt, zero, r))
	even := e.b.Cmp(ir.Eq, e.b.Op(ir.And, ir.I64, bits, one), e.b.Const(ir.I64, 0))
	s = e.b.Select(e.b.Op(ir.And, ir.B1, inexact, even), e.as(next, ir.F64), s)
	// To 32 bits: cut off, and odd if something was cut off.
	q := e.b.Emit(ir.Val{Op: ir.FCvt, Type: ir.F32, Flags: ir.RTZ, Args: [4]ir.V{s}})
	cut := e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.FEq, e.widen(q), s))
	cut = e.b.Op(ir.And, ir.B1, cut, e.b.Cmp(ir.FEq, s, s))
	return e.b.Select(cut, e.as(e.b.Op(ir.Or, ir.I32, e.as(q, ir.I32), e.b.I32(1)), ir.F32), q)
}

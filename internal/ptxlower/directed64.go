package ptxlower

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// directed64 emits an operation of 64 bits that rounds up or down: the nearest result and the sign of the remainder tell whether the float
// beside it is the result. Remainders are sums without error (Møller 1965, Knuth) of products without error; powers of two keep them
// from underflow and overflow.
func (e *emitter) directed64(op ir.Op, x []ir.V, up bool) ir.V {
	q := e.b.Op(op, ir.F64, x...)
	var r ir.V
	switch op {
	case ir.FDiv:
		r = e.remainder64(q, x[1], x[0])
		negative := e.b.Cmp(ir.FLt, x[1], e.double(0))
		r = e.b.Select(negative, e.b.Op(ir.FNeg, ir.F64, r), r)
	case ir.FSqrt:
		r = e.remainder64(q, q, x[0])
	case ir.FMul:
		r = e.b.Op(ir.FNeg, ir.F64, e.remainder64(x[0], x[1], q))
	case ir.FFma:
		r = e.fmaRemainder(x, q)
	case ir.FSub:
		x = []ir.V{x[0], e.b.Op(ir.FNeg, ir.F64, x[1])}
		_, r = e.twoSum(x[0], x[1])
	default:
		_, r = e.twoSum(x[0], x[1])
	}
	zero := e.double(0)
	above, below := e.b.Cmp(ir.FLt, zero, r), e.b.Cmp(ir.FLt, r, zero)
	// A finite result beyond the greatest number is that one, if it rounds toward zero.
	finite := e.b.Bool(true)
	for _, v := range x {
		finite = e.b.Op(ir.And, ir.B1, finite, e.b.Cmp(ir.FLt, e.b.Op(ir.FAbs, ir.F64, v), e.double(math.Inf(1))))
	}
	if op == ir.FDiv {
		finite = e.b.Op(ir.And, ir.B1, finite, e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.FEq, x[1], zero)))
	}
	beyond := func(v ir.V, limit float64) ir.V {
		return e.b.Op(ir.Or, ir.B1, v, e.b.Op(ir.And, ir.B1, finite, e.b.Cmp(ir.FEq, q, e.double(limit))))
	}
	v := e.step64(q, beyond(above, math.Inf(-1)), beyond(below, math.Inf(1)), up)
	if up || op != ir.FAdd && op != ir.FSub && op != ir.FFma {
		return v
	}
	// An exact zero sum of terms with unlike signs is −0 if it rounds down.
	sign := e.as(x[len(x)-1], ir.I64)
	for _, term := range x[:len(x)-1] {
		sign = e.b.Op(ir.Xor, ir.I64, sign, e.as(term, ir.I64))
	}
	unlike := e.b.Cmp(ir.SLt, sign, e.b.Const(ir.I64, 0))
	exact := e.b.Op(ir.And, ir.B1, e.b.Cmp(ir.FEq, q, zero), e.b.Op(ir.Not, ir.B1, below))
	exact = e.b.Op(ir.And, ir.B1, exact, e.b.Op(ir.Not, ir.B1, above))
	return e.b.Select(e.b.Op(ir.And, ir.B1, exact, unlike), e.double(math.Copysign(0, -1)), v)
}

// double returns a constant.
func (e *emitter) double(x float64) ir.V { return e.b.Const(ir.F64, math.Float64bits(x)) }

// remainder64 returns a number with the sign of z − x·y, which are nearly equal. Small ones are multiplied by 2⁶⁰⁰; then only a z of 0 may
// have a product so small that its remainder is none.
func (e *emitter) remainder64(x, y, z ir.V) ir.V {
	b := e.b
	op := func(o ir.Op, list ...ir.V) ir.V { return b.Op(o, ir.F64, list...) }
	small := b.Cmp(ir.FLt, op(ir.FAbs, z), e.double(0x1p-400))
	scale := func(v, when ir.V) ir.V { return b.Select(when, op(ir.FMul, v, e.double(0x1p600)), v) }
	first := b.Cmp(ir.FLt, op(ir.FAbs, x), op(ir.FAbs, y)) // the smaller factor has room
	sx := scale(x, b.Op(ir.And, ir.B1, small, first))
	sy := scale(y, b.Op(ir.And, ir.B1, small, b.Op(ir.Not, ir.B1, first)))
	r := op(ir.FFma, op(ir.FNeg, sx), sy, scale(z, small))
	nothing := b.Op(ir.And, ir.B1, b.Cmp(ir.FEq, z, e.double(0)), b.Cmp(ir.FEq, r, e.double(0)))
	nonzero := b.Op(ir.And, ir.B1, b.Op(ir.Not, ir.B1, b.Cmp(ir.FEq, x, e.double(0))), b.Op(ir.Not, ir.B1, b.Cmp(ir.FEq, y, e.double(0))))
	return b.Select(b.Op(ir.And, ir.B1, nothing, nonzero), op(ir.FNeg, e.unitWithSign(x, y)), r)
}

// unitWithSign returns 1 with the sign of x·y.
func (e *emitter) unitWithSign(x, y ir.V) ir.V {
	sign := e.b.Op(ir.And, ir.I64, e.b.Op(ir.Xor, ir.I64, e.as(x, ir.I64), e.as(y, ir.I64)), e.b.Const(ir.I64, 1<<63))
	return e.as(e.b.Op(ir.Or, ir.I64, sign, e.b.Const(ir.I64, math.Float64bits(1))), ir.F64)
}

// fmaRemainder returns a number with the sign of x₀·x₁ + x₂ − q.
func (e *emitter) fmaRemainder(x []ir.V, q ir.V) ir.V {
	b := e.b
	op := func(o ir.Op, list ...ir.V) ir.V { return b.Op(o, ir.F64, list...) }
	zero := e.double(0)
	isZero := func(v ir.V) ir.V { return b.Cmp(ir.FEq, v, zero) }
	abs := func(v ir.V) ir.V { return op(ir.FAbs, v) }
	p := op(ir.FMul, x[0], x[1])
	none := b.Op(ir.Or, ir.B1, isZero(x[0]), isZero(x[1])) // then the product is exact
	low := b.Op(ir.And, ir.B1, b.Op(ir.Not, ir.B1, none), b.Cmp(ir.FLt, abs(p), e.double(0x1p-900)))
	tiny := b.Op(ir.And, ir.B1, low, b.Cmp(ir.FLe, e.double(0x1p-700), abs(x[2]))) // beside the addend
	low = b.Op(ir.And, ir.B1, low, b.Op(ir.Not, ir.B1, tiny))
	high := b.Op(ir.Or, ir.B1, b.Cmp(ir.FLe, e.double(0x1p900), abs(p)), b.Cmp(ir.FLe, e.double(0x1p900), abs(x[2])))
	high = b.Op(ir.And, ir.B1, high, b.Op(ir.Not, ir.B1, tiny))
	scale := b.Select(low, e.double(0x1p600), b.Select(high, e.double(0x1p-600), e.double(1)))
	// The factor that stays a normal number: the smaller one grows, the greater one shrinks.
	first := b.Cmp(ir.Eq, b.Cmp(ir.FLt, abs(x[0]), abs(x[1])), low)
	one := e.double(1)
	fx, fy := op(ir.FMul, x[0], b.Select(first, scale, one)), op(ir.FMul, x[1], b.Select(first, one, scale))
	c := op(ir.FMul, x[2], scale)
	lost := b.Op(ir.And, ir.B1, isZero(c), b.Op(ir.Not, ir.B1, isZero(x[2]))) // its sign remains
	c = b.Select(lost, op(ir.FMul, e.unitWithSign(x[2], one), e.double(math.SmallestNonzeroFloat64)), c)
	h := op(ir.FMul, fx, fy)
	l := op(ir.FFma, fx, fy, op(ir.FNeg, h))
	// A product far below the last place of the addend counts by its sign alone.
	h = b.Select(tiny, op(ir.FMul, e.unitWithSign(x[0], x[1]), e.double(0x1p-900)), h)
	below := b.Op(ir.And, ir.B1, b.Op(ir.Not, ir.B1, none), b.Cmp(ir.FLt, abs(h), e.double(0x1p-1000)))
	h = b.Select(below, op(ir.FMul, e.unitWithSign(x[0], x[1]), e.double(0x1p-1000)), h)
	l = b.Select(b.Op(ir.Or, ir.B1, b.Op(ir.Or, ir.B1, tiny, below), none), zero, l)
	th, tl := e.twoSum(h, c)
	dh, dl := e.twoSum(th, op(ir.FNeg, op(ir.FMul, q, scale)))
	uh, ul := e.twoSum(tl, l)
	vh := op(ir.FAdd, dh, uh)
	r := b.Select(isZero(vh), op(ir.FAdd, dl, ul), vh)
	return b.Select(isZero(x[2]), op(ir.FNeg, e.remainder64(x[0], x[1], q)), r)
}

// step64 emits the double after q if the exact result is above it and rounds up, or the one before it.
func (e *emitter) step64(q, above, below ir.V, up bool) ir.V {
	b := e.b
	bits, one := e.as(q, ir.I64), b.Const(ir.I64, 1)
	negative := b.Cmp(ir.SLt, bits, b.Const(ir.I64, 0))
	zero := b.Cmp(ir.FEq, q, e.double(0))
	more, less := b.Op(ir.Add, ir.I64, bits, one), b.Op(ir.Sub, ir.I64, bits, one)
	if up {
		return b.Select(above, e.as(b.Select(zero, one, b.Select(negative, less, more)), ir.F64), q)
	}
	return b.Select(below, e.as(b.Select(zero, b.Const(ir.I64, 1<<63|1), b.Select(negative, more, less)), ir.F64), q)
}

// directedInteger emits the conversion of an integer to a float. One of 64 bits is the exact sum of its halves.
func (e *emitter) directedInteger(op ir.Op, t ir.Type, x ir.V, up bool) ir.V {
	high, low := e.b.Op(op, ir.F64, x), e.double(0)
	if e.b.Func.Type(x) == ir.I64 {
		shift := ir.LShr
		if op == ir.SToF {
			shift = ir.AShr
		}
		high = e.b.Op(op, ir.F64, e.b.Op(shift, ir.I64, x, e.b.Const(ir.I64, 32)))
		high = e.b.Op(ir.FMul, ir.F64, high, e.double(0x1p32))
		low = e.b.Op(ir.UToF, ir.F64, e.b.Op(ir.And, ir.I64, x, e.b.Const(ir.I64, 1<<32-1)))
	}
	switch t {
	case ir.F64:
		return e.directed64(ir.FAdd, []ir.V{high, low}, up)
	case ir.F32:
		return e.sum(high, low, up)
	}
	return e.directedHalf(e.b.Op(ir.FAdd, ir.F64, high, low), up) // the sum rounds bits beyond .f16
}

// directedHalf emits the directed rounding of a double to .f16.
func (e *emitter) directedHalf(v ir.V, up bool) ir.V {
	b := e.b
	q := b.Op(ir.FCvt, ir.F16, v)
	w := e.widen(q)
	bits, one := e.as(q, ir.I16), b.Const(ir.I16, 1)
	negative := b.Cmp(ir.SLt, bits, b.Const(ir.I16, 0))
	zero := b.Cmp(ir.FEq, w, e.double(0))
	more, less := b.Op(ir.Add, ir.I16, bits, one), b.Op(ir.Sub, ir.I16, bits, one)
	if up {
		next := b.Select(zero, one, b.Select(negative, less, more))
		return b.Select(b.Cmp(ir.FLt, w, v), e.as(next, ir.F16), q)
	}
	next := b.Select(zero, b.Const(ir.I16, 0x8001), b.Select(negative, more, less))
	return b.Select(b.Cmp(ir.FLt, v, w), e.as(next, ir.F16), q)
}

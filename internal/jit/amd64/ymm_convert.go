package amd64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Doubles for conversions: 2⁵², whose low bits can hold a 32-bit number as itself, 2⁵² + 2³¹, and
// powers of two.
const (
	// In a double from 2⁵² to 2⁵³ the last place is 1. So 2⁵² with the 32-bit number n in the low
	// bits is the double 2⁵² + n, and a subtraction of 2⁵² yields n as a double. In the other
	// direction an addition of 2⁵² to n puts n into the low bits. AVX2 converts only signed 32-bit
	// integers; AVX-512 has instructions for unsigned and for 64-bit ones.
	//
	//	0x4330_0000_nnnn_nnnn        2⁵² + n
	double52 = 0x4330 << 48
	// The bias of a signed number adds 2³¹, for the sign bit that was flipped.
	double52s  = 0x4330000080000000
	double32   = 0x41f0 << 48
	doubleLess = 0x3df0 << 48 // 2⁻³²
)

// ymmConversions are the rules of conversions between all types, except f32 with 32-bit integers
// (ymm_float.go).
//
// The paths between the types, with f64 and 64-bit integers four lanes at a time:
//
//	i64 → f32        f64 rounded to odd, then f32
//	integer → f16    clamped, then f32, exact, then f16
//	float → integer  clamped in doubles
//	f64 → f16        f32 rounded to odd, then f16
//	f16 → f64        f32, exact
func ymmConversions() map[codegen.Rule]ymmEmitter {
	r := map[codegen.Rule]ymmEmitter{}
	for _, t := range integerTypes {
		r[codegen.Rule{ir.ZExt, t, ir.B1}] = ymmFromMask
		for _, from := range integerTypes {
			switch {
			case from.Bits() < t.Bits():
				r[codegen.Rule{ir.ZExt, t, from}] = ymmZeroExtend
				r[codegen.Rule{ir.SExt, t, from}] = ymmSignExtend
			case from.Bits() > t.Bits():
				r[codegen.Rule{ir.Trunc, t, from}] = ymmTruncate
			}
		}
		for _, f := range floatTypes {
			r[codegen.Rule{ir.FToS, t, f}] = ymmToInteger
			r[codegen.Rule{ir.FToU, t, f}] = ymmToInteger
			r[codegen.Rule{ir.SToF, f, t}] = ymmToFloat
			r[codegen.Rule{ir.UToF, f, t}] = ymmToFloat
		}
	}
	for _, t := range allTypes {
		for _, from := range allTypes {
			if t.Bits() == from.Bits() {
				r[codegen.Rule{ir.Bitcast, t, from}] = ymm.copy
			}
		}
	}
	for _, t := range floatTypes {
		for _, from := range floatTypes {
			r[codegen.Rule{ir.FCvt, t, from}] = ymmBetween
		}
	}
	r[codegen.Rule{ir.ZExt, ir.I64, ir.B1}] = func(m ymm, in *vcode.Inst) {
		for i := range 2 {
			m.longMask(0, in.Uses[0], i)
			m.rri(AVX_VPSRLQ, 0, 0, 0, 63)
			m.doneHalf(in, i, 0)
		}
	}
	return r
}

// ymmZeroExtend only widens: narrow lanes have zeros above the value. The IR has no bits above a
// narrow value: each operation on 8 or 16 bits truncates its result (extension).
func ymmZeroExtend(m ymm, in *vcode.Inst) {
	if in.Key.Type != ir.I64 {
		m.copy(in)
		return
	}
	for i := range 2 {
		m.load(wideInt, 0, in.Uses[0], i)
		m.doneHalf(in, i, 0)
	}
}

// The result of a narrow type is truncated again, because the sign bits would be above the value.
func ymmSignExtend(m ymm, in *vcode.Inst) {
	from := uint32(in.Key.From.Bits())
	if in.Key.Type != ir.I64 {
		m.loadVec(0, in.Uses[0])
		m.signExtend(0, from)
		m.truncate(0, uint32(in.Key.Type.Bits()))
		m.done(in, 0)
		return
	}
	for i := range 2 {
		m.fourLanes(0, in.Uses[0], i)
		m.signExtend(0, from)
		m.rr(AVX_VPMOVSXDQ, 0, 0, 0)
		m.doneHalf(in, i, 0)
	}
}

// From 64 bits the low words of both halves come first, and then the bits above the type are
// cleared.
func ymmTruncate(m ymm, in *vcode.Inst) {
	if in.Key.From == ir.I64 {
		m.loadHalf(0, in.Uses[0], 0)
		m.loadHalf(1, in.Uses[0], 1)
		m.lowWords(0, 0, 1)
		m.truncate(0, uint32(in.Key.Type.Bits()))
		m.done(in, 0)
		return
	}
	x, d := m.vec(in.Uses[0], 0), m.dest(in, 0)
	m.word(AVX_VPAND, d, x, 1<<in.Key.Type.Bits()-1)
	m.done(in, d)
}

// asDouble puts four lanes of a float into y as doubles. Every conversion here is exact: f16 to f32,
// and f32 to f64.
func (m ymm) asDouble(y Reg, u vcode.Reg, t ir.Type, i int) {
	switch t {
	case ir.F64:
		m.loadHalf(y, u, i)
		return
	case ir.F16:
		m.floats(y, u, t)
		if i == 1 {
			m.highHalf(y, y)
		}
	default:
		m.fourLanes(y, u, i)
	}
	m.rr(AVX_VCVTPS2PD, y, 0, y)
}

// ymmToInteger truncates a float; it saturates, and NaN yields 0. The bounds of types below 64 bits
// are doubles, or floats if all numbers of the type are.
//
// The clamp in doubles is exact for every bound below 64 bits: 2³² − 1 has 32 significant bits of
// 53. VMAXPD returns its second operand for NaN, so that a NaN becomes the lower bound; the mask of
// ordered lanes makes it 0. A signed result fits in VCVTTPD2DQ; an unsigned one may have bit 31,
// which that instruction reports as out of range, so it comes from the low bits after the addition
// of 2⁵².
func ymmToInteger(m ymm, in *vcode.Inst) {
	t, sign := in.Key.Type, in.IR == ir.FToS
	if t == ir.I64 {
		for i := range 2 {
			m.asDouble(0, in.Uses[0], in.Key.From, i)
			if sign {
				m.cutSigned()
			} else {
				m.cutUnsigned()
			}
			m.doneHalf(in, i, 0)
		}
		return
	}
	least, most := 0.0, math.Ldexp(1, int(t.Bits()))-1
	if sign {
		least, most = -math.Ldexp(1, int(t.Bits())-1), math.Ldexp(1, int(t.Bits())-1)-1
	}
	if t.Bits() < 32 && in.Key.From != ir.F64 {
		m.toNarrow(in, float32(least), float32(most))
		return
	}
	for i := range 2 {
		y := Reg(i)
		m.asDouble(y, in.Uses[0], in.Key.From, i)
		m.rri(AVX_VCMPPD, 2, y, y, ordered)
		m.long(AVX_VMAXPD, y, y, math.Float64bits(least))
		m.long(AVX_VMINPD, y, y, math.Float64bits(most))
		m.rr(AVX_VPAND, y, y, 2)
		if sign {
			m.rr(AVX_VCVTTPD2DQ, y, 0, y)
		} else {
			// Without truncation first, the addition would round to the nearest integer.
			m.rri(AVX_VROUNDPD, y, 0, y, roundTrunc)
			m.long(AVX_VADDPD, y, y, double52)
		}
	}
	if sign {
		m.join(0, 0, 1)
		m.truncate(0, uint32(t.Bits()))
	} else {
		m.lowWords(0, 0, 1)
	}
	m.done(in, 0)
}

// toNarrow is ymmToInteger for the types of 8 and 16 bits, of which all numbers are floats and signed words. The clamp in floats is
// exact, as in doubles, and so is the truncation after it: no number between the bounds is out of range of VCVTTPS2DQ.
//
//	vmaxps    y0, y0, least      the second operand, least, for NaN
//	vminps    y0, y0, most
func (m ymm) toNarrow(in *vcode.Inst, least, most float32) {
	m.floats(0, in.Uses[0], in.Key.From)
	if least < 0 { // else the lower bound is the result for NaN
		m.rri(AVX_VCMPPS, 2, 0, 0, ordered)
	}
	m.word(AVX_VMAXPS, 0, 0, math.Float32bits(least))
	m.word(AVX_VMINPS, 0, 0, math.Float32bits(most))
	if least < 0 {
		m.rr(AVX_VPAND, 0, 0, 2)
	}
	m.rr(AVX_VCVTTPS2DQ, 0, 0, 0)
	// A negative number has bits above the type.
	if least < 0 {
		m.truncate(0, uint32(in.Key.Type.Bits()))
	}
	m.done(in, 0)
}

// cutSigned converts the doubles in Y0 to 64-bit integers: the upper half, rounded down, and the
// remainder. Both are exact.
//
// AVX2 has no conversion between doubles and 64-bit integers. With x = hi·2³² + lo, and lo from 0 to
// 2³² − 1, hi fits in a signed word. Numbers from 2⁶³ on are clamped to the greatest double below it
// first, 2⁶³ − 1024, and the last blend replaces them by 2⁶³ − 1.
func (m ymm) cutSigned() {
	m.rri(AVX_VCMPPD, 1, 0, 0, ordered)
	m.fillLong(2, 0x43e0<<48) // 2⁶³
	m.rri(AVX_VCMPPD, 2, 2, 0, orderedLE)
	m.long(AVX_VMINPD, 0, 0, 0x43e0<<48-1)
	m.long(AVX_VMAXPD, 0, 0, 0xc3e0<<48)
	m.rr(AVX_VPAND, 0, 0, 1)
	m.splitHalves()
	m.rr(AVX_VCVTTPD2DQ, 3, 0, 3)
	m.rr(AVX_VPMOVZXDQ, 3, 0, 3)
	m.rri(AVX_VPSLLQ, 3, 0, 3, 32)
	m.rr(AVX_VPOR, 0, 0, 3)
	m.RMI(AVX_VBLENDVPD, V256, 0, 0, m.longs(1<<63-1), is4(2), 0)
}

// It is cutSigned for unsigned integers. hi may have bit 31 here, so it comes from the low bits of
// 2⁵² + hi; the shift to the upper word removes the exponent. The mask of lanes from 2⁶⁴ on is all
// ones, the greatest result, so that VPOR suffices.
func (m ymm) cutUnsigned() {
	m.fillLong(2, 0x43f0<<48) // 2⁶⁴
	m.rri(AVX_VCMPPD, 2, 2, 0, orderedLE)
	m.long(AVX_VMAXPD, 0, 0, 0) // 0 for NaN
	m.long(AVX_VMINPD, 0, 0, 0x43f0<<48-1)
	m.splitHalves()
	m.long(AVX_VADDPD, 3, 3, double52)
	m.rri(AVX_VPSLLQ, 3, 0, 3, 32)
	m.rr(AVX_VPOR, 0, 0, 3)
	m.rr(AVX_VPOR, 0, 0, 2)
}

// splitHalves truncates the doubles in Y0, and sets Y3 to the multiple of 2³² in them, rounded down,
// and Y0 to the rest, as a 32-bit number. It clobbers Y4.
//
// Rounding down, not toward zero, makes the rest positive: −1 is −1·2³² + (2³² − 1), in two's
// complement the same bits as the result. The product with 2⁻³² is exact, and so is the fused
// multiply-add, since the rest has no more bits than x.
func (m ymm) splitHalves() {
	m.rri(AVX_VROUNDPD, 0, 0, 0, roundTrunc)
	m.long(AVX_VMULPD, 3, 0, doubleLess)
	m.rri(AVX_VROUNDPD, 3, 0, 3, roundFloor)
	m.fillLong(4, double32)
	m.rr(AVX_VFNMADD231PD, 0, 3, 4)
	m.long(AVX_VADDPD, 0, 0, double52)
	m.long(AVX_VPAND, 0, 0, 1<<32-1)
}

// ymmToFloat converts integers, rounded once. For f16 it first clamps them to ±2¹⁷, which still
// overflows to infinity and is exact in f32.
//
// f64 needs no care for 32-bit integers, which are exact. From 64 bits to f32 two roundings happen,
// to f64 and to f32: the first one is to odd, so that the second one is as of the exact number. From
// 64 bits to f16 the clamped value fits in 18 bits and a sign.
func ymmToFloat(m ymm, in *vcode.Inst) {
	t, from, sign := in.Key.Type, in.Key.From, in.IR == ir.SToF
	switch {
	case t == ir.F64:
		for i := range 2 {
			m.wholeDouble(in, i, sign)
			m.doneHalf(in, i, 0)
		}
		return
	case from == ir.I64 && t == ir.F32:
		m.wholeDouble(in, 0, sign)
		m.oddDouble(in)
		m.rr(AVX_VCVTPD2PS, 0, 0, 0)
		// The second half needs Y0 to Y3, so the first one waits in the scratch memory.
		m.RM(AVX_VMOVUPS_ST, V128, 0, 0, m.scratch(scratchOld), 0)
		m.wholeDouble(in, 1, sign)
		m.oddDouble(in)
		m.rr(AVX_VCVTPD2PS, 1, 0, 0)
		m.RM(AVX_VMOVUPS, V128, 0, 0, m.scratch(scratchOld), 0)
		m.join(0, 0, 1)
		m.done(in, 0)
		return
	case from == ir.I64:
		for i := range 2 {
			m.loadHalf(Reg(i), in.Uses[0], i)
			m.limitWide(Reg(i), sign)
		}
		m.lowWords(0, 0, 1)
	default:
		m.loadVec(0, in.Uses[0])
		if sign {
			m.signExtend(0, uint32(from.Bits()))
		}
		switch {
		case t == ir.F16 && sign:
			m.word(AVX_VPMAXSD, 0, 0, 1<<32-aboveF16)
			m.word(AVX_VPMINSD, 0, 0, aboveF16)
		case t == ir.F16:
			m.word(AVX_VPMINUD, 0, 0, aboveF16)
		}
	}
	m.rr(AVX_VCVTDQ2PS, 0, 0, 0)
	if t == ir.F16 {
		m.toHalf(0)
	}
	m.done(in, 0)
}

// ymmBetween converts floats to another width, rounded once. The way from f64 to f16 has an
// intermediate f32, because F16C converts only from f32.
func ymmBetween(m ymm, in *vcode.Inst) {
	t, from := in.Key.Type, in.Key.From
	switch {
	case t == from:
		m.copy(in)
		return
	case t == ir.F64:
		for i := range 2 {
			m.asDouble(0, in.Uses[0], from, i)
			m.doneHalf(in, i, 0)
		}
		return
	case t == ir.F32 && from == ir.F16:
		m.halves(0, in.Uses[0])
		d := m.dest(in, 0)
		m.rr(AVX_VCVTPH2PS, d, 0, 0)
		m.done(in, d)
		return
	case from != ir.F64:
		m.floats(0, in.Uses[0], from)
	default:
		m.single(in, 0)
		m.RM(AVX_VMOVUPS_ST, V128, 0, 0, m.scratch(scratchOld), 0)
		m.single(in, 1)
		m.moveVec(1, 0)
		m.RM(AVX_VMOVUPS, V128, 0, 0, m.scratch(scratchOld), 0)
		m.join(0, 0, 1)
	}
	if t == ir.F16 {
		m.toHalf(0)
	}
	m.done(in, 0)
}

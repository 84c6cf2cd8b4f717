package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// ymmFloats are the rules of f32 operations with several instructions, and of conversions between
// f32 and 32-bit integers. AVX2 has signed conversions alone, no VRANGEPS and no VSCALEFPS; these
// rules build them. Arithmetic with one instruction is in ymm_select.go.
func ymmFloats() map[codegen.Rule]ymmEmitter {
	return map[codegen.Rule]ymmEmitter{
		{ir.NMin, ir.F32, ir.F32}:   ymmNumeric(false),
		{ir.NMax, ir.F32, ir.F32}:   ymmNumeric(true),
		{ir.FLdexp, ir.F32, ir.F32}: ymmLoadExponent,
		{ir.FCanon, ir.F32, ir.F32}: ymmCanonical,
		{ir.FFlush, ir.F32, ir.F32}: ymmFlush,
		{ir.FToS, ir.I32, ir.F32}:   ymmToSigned,
		{ir.FToU, ir.I32, ir.F32}:   ymmToUnsigned,
		{ir.SToF, ir.F32, ir.I32}:   ymmUnaryOp(AVX_VCVTDQ2PS),
		{ir.UToF, ir.F32, ir.I32}:   ymmFromUnsigned,
	}
}

// ymmCanonical makes NaNs canonical.
func ymmCanonical(m ymm, in *vcode.Inst) {
	wrong := m.spare(in.Uses[0])
	a := m.vec(in.Uses[0], 0)
	m.rri(AVX_VCMPPS, wrong, a, a, unordered)
	d := m.dest(in, 0)
	m.RMI(AVX_VBLENDVPS, V256, d, a, m.words(nan32), is4(wrong), 0)
	m.done(in, d)
}

// ymmFlush keeps only the sign of a number without exponent bits.
func ymmFlush(m ymm, in *vcode.Inst) {
	a := m.vec(in.Uses[0], 0)
	m.word(AVX_VPAND, 1, a, 0x7f800000)
	m.zero(2)
	m.rr(AVX_VPCMPEQD, 1, 1, 2)
	m.word(AVX_VPAND, 2, a, 1<<31)
	d := m.dest(in, 0)
	m.blend(d, a, 2, 1)
	m.done(in, d)
}

// ymmNumeric is nmin or nmax: a number wins over a NaN, −0 < +0, and two NaNs yield the canonical one.
func ymmNumeric(most bool) ymmEmitter {
	return func(m ymm, in *vcode.Inst) {
		m.numeric(m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1), most)
		m.done(in, 2)
	}
}

// numeric puts the minimum or maximum of x and y into Y2. It clobbers Y3 and Y4.
//
// The instruction returns its second operand if one is NaN, or if both are zeros. The other steps
// correct these cases:
//
//	minps   x, y              y if unordered
//	x = y: or x, y            the bits are equal, or zeros with different signs
//	y is NaN: x
//	the result is NaN: the canonical NaN
func (m ymm) numeric(x, y Reg, most bool) {
	least, zeros := AVX_VMINPS, AVX_VPOR
	if most {
		least, zeros = AVX_VMAXPS, AVX_VPAND
	}
	m.rr(least, 2, x, y) // y if one is NaN
	m.rri(AVX_VCMPPS, 3, x, y, orderedEQ)
	m.rr(zeros, 4, x, y)
	m.blend(2, 2, 4, 3)
	m.rri(AVX_VCMPPS, 3, y, y, unordered)
	m.blend(2, 2, x, 3)
	m.rri(AVX_VCMPPS, 3, 2, 2, unordered)
	m.RMI(AVX_VBLENDVPS, V256, 2, 2, m.words(nan32), is4(3), 0)
}

// ymmLoadExponent is x·2^n, rounded once. Two multiplications suffice if n is known to fit.
func ymmLoadExponent(m ymm, in *vcode.Inst) {
	if in.Key.Flags&ir.Fits != 0 {
		m.scaleInSteps(in)
		return
	}
	m.scale(m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1))
	m.done(in, 0)
}

// scale sets Y0 to x·2^n, in doubles, which hold the product for every relevant exponent, so that it
// is rounded once. It clobbers Y1 to Y4. The least denormal of f32 is 2⁻¹⁴⁹, and the greatest number
// is below 2¹²⁸. So an exponent of ±400 yields 0 or infinity for every x, like any larger one, and
// x·2^n is in the range of a double. The product is exact, and the conversion to f32 rounds it.
func (m ymm) scale(x, n Reg) {
	m.word(AVX_VPMINSD, 1, n, 400)
	m.word(AVX_VPMAXSD, 1, 1, 1<<32-400)
	m.word(AVX_VPADDD, 1, 1, 1023)
	for i := range Reg(2) {
		d, n := 2+i, 4-4*i // the second iteration may overwrite its input: Y3, Y0
		if i == 1 {
			m.highHalf(1, 1)
			m.highHalf(d, x)
			m.rr(AVX_VCVTPS2PD, d, 0, d)
		} else {
			m.rr(AVX_VCVTPS2PD, d, 0, x)
		}
		// The biased exponents are 623 to 1423, positive, so that zero extension is correct.
		m.rr(AVX_VPMOVZXDQ, n, 0, 1)
		m.rri(AVX_VPSLLQ, n, 0, n, 52)
		m.rr(AVX_VMULPD, d, d, n)
		m.rr(AVX_VCVTPD2PS, d, 0, d)
	}
	m.join(0, 2, 3)
}

// scaleInSteps is x·2^n for operands that fit: x·2^⌊n/2⌋ is exact, and its product with the rest of the power is rounded.
// A NaN is the first factor, so that its bits remain.
func (m ymm) scaleInSteps(in *vcode.Inst) {
	n := m.vec(in.Uses[1], 1)
	m.rri(AVX_VPSRAD, 2, 0, n, 1)
	m.rr(AVX_VPSUBD, 1, n, 2)
	for _, power := range []Reg{1, 2} {
		m.rri(AVX_VPSLLD, power, 0, power, 23)
		m.word(AVX_VPADDD, power, power, 0x3f800000) // 1, the exponent 0
	}
	d := m.dest(in, 0)
	m.rr(AVX_VMULPS, 0, m.vec(in.Uses[0], 0), 2)
	m.rr(AVX_VMULPS, d, 0, 1)
	m.done(in, d)
}

// ymmToSigned truncates and saturates; NaN yields 0. The instruction yields the least integer for
// all that does not fit; its inverted bits are the greatest one. From 2³¹ on the first mask is all
// ones, and xor inverts 0x80000000 to 0x7fffffff. Below −2³¹ the least integer is the saturated
// result already.
func ymmToSigned(m ymm, in *vcode.Inst) {
	t := m.spare(in.Uses[0])
	x := m.vec(in.Uses[0], 0)
	d := m.dest(in, 0)
	switch flags := in.Key.Flags; {
	case flags&ir.AnyNaN != 0 && flags&ir.Fits != 0:
		m.rr(AVX_VCVTTPS2DQ, d, 0, x)
	case flags&ir.AnyNaN != 0:
		m.saturate(t, x)
		m.rr(AVX_VPXOR, d, t, 2)
	default:
		m.saturate(t, x)
		m.rr(AVX_VPXOR, t, t, 2)
		m.rri(AVX_VCMPPS, 2, x, x, ordered)
		m.rr(AVX_VPAND, d, t, 2)
	}
	m.done(in, d)
}

// saturate sets t to the converted x, and Y2 to the lanes in which the bits of t must be inverted.
func (m ymm) saturate(t, x Reg) {
	m.RMI(AVX_VCMPPS, V256, 2, x, m.words(0x4f000000), orderedGE, 0) // 2³¹
	m.rr(AVX_VCVTTPS2DQ, t, 0, x)
}

// ymmToUnsigned truncates and saturates; NaN yields 0. From 2³¹ on the signed conversion yields the
// least integer, 2³¹ as unsigned, to which the rest is added. The subtraction of 2³¹ is exact from
// 2³¹ on, because such an f32 is a multiple of 256.
func ymmToUnsigned(m ymm, in *vcode.Inst) {
	m.zero(1)
	m.rr(AVX_VMAXPS, 0, m.vec(in.Uses[0], 0), 1) // 0 for NaN
	m.rr(AVX_VCVTTPS2DQ, 1, 0, 0)
	m.word(AVX_VSUBPS, 2, 0, 0x4f000000)
	m.rr(AVX_VCVTTPS2DQ, 2, 0, 2)
	// The sign of the first conversion selects the lanes from 2³¹ on: VMAXPS has removed the
	// negative numbers.
	m.rri(AVX_VPSRAD, 3, 0, 1, 31)
	m.rr(AVX_VPAND, 2, 2, 3)
	m.rr(AVX_VPOR, 1, 1, 2)
	m.fill(2, 0x4f800000) // 2³²
	m.rri(AVX_VCMPPS, 2, 2, 0, orderedLE)
	d := m.dest(in, 0)
	m.rr(AVX_VPOR, d, 1, 2)
	m.done(in, d)
}

// ymmFromUnsigned adds the converted halves of a number; both are exact. Only the final addition
// rounds. A number has at most 16 bits in each half, which f32 with 24 bits holds.
func ymmFromUnsigned(m ymm, in *vcode.Inst) {
	x := m.vec(in.Uses[0], 0)
	m.word(AVX_VPAND, 1, x, 0xffff)
	m.rri(AVX_VPSRLD, 0, 0, x, 16)
	m.rr(AVX_VCVTDQ2PS, 1, 0, 1)
	m.rr(AVX_VCVTDQ2PS, 0, 0, 0)
	m.word(AVX_VMULPS, 0, 0, 0x47800000) // 2¹⁶
	d := m.dest(in, 0)
	m.rr(AVX_VADDPS, d, 1, 0)
	m.done(in, d)
}

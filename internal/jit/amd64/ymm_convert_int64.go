package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// limitWide clamps a 64-bit integer to ±2¹⁷, or to 0 and 2¹⁷. It clobbers Y2 to Y4. AVX2 has no
// 64-bit minimum; a comparison and a blend replace it. The unsigned comparison flips the sign bits
// (greater).
func (m ymm) limitWide(y Reg, sign bool) {
	flip := uint64(sign64)
	if sign {
		flip = 0
	}
	m.fillLong(2, aboveF16)
	m.greater(3, 4, y, 2, flip)
	m.rri(AVX_VBLENDVPD, y, y, 2, is4(3))
	if sign {
		m.fillLong(2, 1<<64-aboveF16)
		m.greater(3, 4, 2, y, 0)
		m.rri(AVX_VBLENDVPD, y, y, 2, is4(3))
	}
}

// wholeDouble converts four lanes of an integer to doubles in Y0. The halves of a 64-bit integer are
// exact; Y1 becomes the rounding error of their sum (Fast2Sum, Dekker 1971).
//
// Fast2Sum needs a first operand of greater magnitude, or 0. This holds: a nonzero upper half is at
// least 2³² in magnitude, the lower half is below it. With sum s = a + b the error is b − (s − a).
func (m ymm) wholeDouble(in *vcode.Inst, i int, sign bool) {
	if in.Key.From != ir.I64 {
		m.fourLanes(0, in.Uses[0], i)
		if sign {
			m.signExtend(0, uint32(in.Key.From.Bits()))
		}
		m.toDouble(0, 0, sign)
		return
	}
	m.loadHalf(0, in.Uses[0], i)
	m.rri(AVX_VPSRLQ, 1, 0, 0, 32)
	m.long(AVX_VPAND, 0, 0, 1<<32-1)
	m.long(AVX_VPOR, 0, 0, double52)
	m.long(AVX_VSUBPD, 0, 0, double52)
	if sign {
		// The flipped sign bit adds 2³¹ to the signed upper half, which makes it unsigned.
		m.long(AVX_VPXOR, 1, 1, 1<<31)
		m.long(AVX_VPOR, 1, 1, double52)
		m.long(AVX_VSUBPD, 1, 1, double52s)
	} else {
		m.long(AVX_VPOR, 1, 1, double52)
		m.long(AVX_VSUBPD, 1, 1, double52)
	}
	m.long(AVX_VMULPD, 1, 1, double32)
	m.rr(AVX_VADDPD, 2, 1, 0)
	m.rr(AVX_VSUBPD, 1, 2, 1)
	m.rr(AVX_VSUBPD, 1, 0, 1)
	m.moveVec(0, 2)
}

// oddDouble turns the sum of wholeDouble into one rounded to odd, unless rounding is toward zero.
//
// Rounding to odd (Boldo & Melquiond 2008) truncates and then sets the last bit if any bit was lost.
// A later rounding to at least two bits less then equals a single rounding of the exact value. From
// the sum s, rounded to nearest, and its error e:
//
//	e = 0                     s
//	signs of e and s equal    s is truncated already: set the last bit
//	signs differ              s is one place too far from 0: subtract 1, set the last bit
func (m ymm) oddDouble(in *vcode.Inst) {
	if in.Key.Flags&ir.RTZ != 0 {
		return
	}
	m.zero(2)
	m.rri(AVX_VCMPPD, 2, 1, 2, notEqual)
	m.rr(AVX_VPXOR, 3, 1, 0)
	m.signs(3, 3)
	m.rr(AVX_VPAND, 3, 3, 2)
	m.rr(AVX_VPADDQ, 0, 0, 3)
	m.rri(AVX_VPSRLQ, 2, 0, 2, 63)
	m.rr(AVX_VPOR, 0, 0, 2)
}

// single rounds four doubles to f32, into the lower half of Y0: to odd if they will be rounded to
// f16 afterwards, unless rounding is toward zero. The error of the rounding is exact in f64: a
// difference of a double and its nearest f32. Masks and corrections have 64 bits per lane, and
// lowWords narrows them to the lanes of the f32.
func (m ymm) single(in *vcode.Inst, i int) {
	m.loadHalf(1, in.Uses[0], i)
	m.rr(AVX_VCVTPD2PS, 0, 0, 1)
	if in.Key.Type == ir.F32 || in.Key.Flags&ir.RTZ != 0 {
		return
	}
	m.rr(AVX_VCVTPS2PD, 2, 0, 0)
	m.rr(AVX_VSUBPD, 2, 1, 2) // the rounding error
	m.zero(3)
	m.rri(AVX_VCMPPD, 3, 2, 3, notEqual)
	m.rr(AVX_VPXOR, 2, 2, 1)
	m.signs(2, 2)
	m.rr(AVX_VPAND, 2, 2, 3)
	m.lowWords(2, 2, 2)
	m.lowWords(3, 3, 3)
	m.odd(0, 2, 3)
}

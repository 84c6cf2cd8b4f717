package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// ordered is the quiet predicate of CMPPS: neither operand is NaN.
const ordered = 0x07

// toSigned truncates and saturates; NaN yields 0. The instruction yields the least integer for all
// that does not fit. 2³¹ is the least f32 that does not fit: the greatest one below it is 2³¹ − 128.
func toSigned(m *machine, in *vcode.Inst) {
	x := m.vec(in.Uses[0], 0)
	switch flags := in.Key.Flags; {
	case flags&ir.AnyNaN != 0 && flags&ir.Fits != 0:
		d, o := m.dest(in, 2)
		m.RR(VCVTTPS2DQ, V512, d, 0, x, o)
		m.done(in, d)
		return
	case flags&ir.AnyNaN != 0:
		m.RR(VCVTTPS2DQ, V512, 2, 0, x, 0)
	default:
		m.RRI(VCMPPS, V512, 2, x, x, ordered, 0)
		// The zeroing mask makes NaN 0 without an extra instruction.
		m.RR(VCVTTPS2DQ, V512, 2, 0, x, K(2)|Z)
	}
	m.RMI(VCMPPS, V512, 2, x, m.word32(0x4f000000), orderedGE, BC) // 2³¹
	m.RM(VPBROADCASTD, V512, 2, 0, m.word32(0x7fffffff), K(2))
	m.define(in, 2)
}

// toUnsigned truncates and saturates; NaN yields 0. The instruction yields all ones for all that
// does not fit. The comparison 0 < x is false for NaN and for negative numbers, and the zeroing mask
// turns both into 0.
func toUnsigned(m *machine, in *vcode.Inst) {
	x := m.vec(in.Uses[0], 0)
	m.RR(VPXORD, V128, 1, 1, 1, 0)
	m.RRI(VCMPPS, V512, 2, 1, x, orderedLT, 0)
	m.RR(VCVTTPS2UDQ, V512, 1, 0, x, K(2)|Z)
	m.define(in, 1)
}

// numeric is nmin or nmax: a number wins over a NaN, −0 < +0, and two NaNs yield the canonical one.
// The steps, with m = min:
//
//	y < x ? y : x         wrong for zeros of different signs and for NaN
//	x = y: x | y          −0 | +0 is −0, the lesser; for max x & y
//	x is NaN: y
//	result is NaN: the canonical one
func numeric(most bool) emitter {
	return func(m *machine, in *vcode.Inst) {
		x, y := m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1)
		less, more, zeros := y, x, VPORD
		if most {
			less, more, zeros = x, y, VPANDD
		}
		m.RRI(VCMPPS, V512, 2, less, more, orderedLT, 0)
		m.RR(VPBLENDMD, V512, 2, x, y, K(2))
		m.RRI(VCMPPS, V512, 2, x, y, orderedEQ, 0)
		m.RR(zeros, V512, 2, x, y, K(2))
		// If only y is NaN the first comparison was false, which selected x already.
		m.RRI(VCMPPS, V512, 2, x, x, unordered, 0)
		m.RR(VMOVDQA32, V512, 2, 0, y, K(2))
		m.RRI(VCMPPS, V512, 2, 2, 2, unordered, 0)
		m.RM(VPBROADCASTD, V512, 2, 0, m.word32(0x7fc00000), K(2))
		m.define(in, 2)
	}
}

// loadExponent is u0·2^u1. Exponents beyond ±400 saturate in f32 anyway. VSCALEFPS rounds once,
// denormal results too; multiplication by a constructed power of two would need several steps, since
// 2^n may itself be out of range. The exponents of f32 span 277, from 2⁻¹⁴⁹ to 2¹²⁸, less than 400.
func loadExponent(m *machine, in *vcode.Inst) {
	x, n := m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1)
	if in.Key.Flags&ir.Fits == 0 {
		limit := int32(400)
		m.RM(VPMINSD, V512, 1, n, m.word32(uint32(limit)), BC)
		m.RM(VPMAXSD, V512, 1, 1, m.word32(uint32(-limit)), BC)
		n = 1
	}
	m.RR(VCVTDQ2PS, V512, 1, 0, n, 0)
	d, o := m.dest(in, 0)
	m.RR(VSCALEFPS, V512, d, x, 1, o)
	m.done(in, d)
}

// flush replaces denormals, with exponent bits of 0, by zeros with the same sign. VPTESTNMD selects
// lanes with x & 0x7f800000 = 0: zeros and denormals. MXCSR has flush modes (FTZ, DAZ), but they
// would apply to all operations.
func flush(m *machine, in *vcode.Inst) {
	x := m.vec(in.Uses[0], 0)
	m.broadcast(1, 0x7f800000)
	m.RR(VPTESTNMD, V512, 2, x, 1, 0)
	m.moveVec(0, x)
	m.RM(VPANDD, V512, 0, x, m.word32(1<<31), BC|K(2))
	m.define(in, 0)
}

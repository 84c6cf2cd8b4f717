package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// ymmDoubles are the rules of arithmetic and comparisons of f64, four lanes at a time: a value has two
// halves of four lanes.
func ymmDoubles() map[codegen.Rule]ymmEmitter {
	const f = ir.F64
	lanes := func(do ymmBody) ymmEmitter { return ymmLanewise(f, plain, do) }
	long := func(op Op, v uint64) ymmBody {
		return func(m ymm, in *vcode.Inst, e element) { m.long(op, 0, 0, v) }
	}
	round := func(mode uint8) ymmBody {
		return func(m ymm, in *vcode.Inst, e element) { m.rri(AVX_VROUNDPD, 0, 0, 0, mode) }
	}
	return map[codegen.Rule]ymmEmitter{
		{ir.FAdd, f, f}:       ymmWideOp(AVX_VADDPD),
		{ir.FSub, f, f}:       ymmWideOp(AVX_VSUBPD),
		{ir.FMul, f, f}:       ymmWideOp(AVX_VMULPD),
		{ir.FDiv, f, f}:       ymmWideOp(AVX_VDIVPD),
		{ir.FFma, f, f}:       ymmMultiplyAddWide,
		{ir.FSqrt, f, f}:      lanes(func(m ymm, in *vcode.Inst, e element) { m.rr(AVX_VSQRTPD, 0, 0, 0) }),
		{ir.FNeg, f, f}:       lanes(long(AVX_VPXOR, sign64)),
		{ir.FAbs, f, f}:       lanes(long(AVX_VPAND, sign64-1)),
		{ir.FFloor, f, f}:     lanes(round(roundFloor)),
		{ir.FCeil, f, f}:      lanes(round(roundCeil)),
		{ir.FTrunc, f, f}:     lanes(round(roundTrunc)),
		{ir.FRoundEven, f, f}: lanes(round(roundEven)),
		// VMINPD returns its second operand for NaN and for two zeros, which is u0 here, as the IR
		// requires.
		{ir.FMin, f, f}:   lanes(func(m ymm, in *vcode.Inst, e element) { m.rr(AVX_VMINPD, 0, 1, 0) }),
		{ir.FMax, f, f}:   lanes(func(m ymm, in *vcode.Inst, e element) { m.rr(AVX_VMAXPD, 0, 1, 0) }),
		{ir.NMin, f, f}:   lanes(ymmNumericWide(AVX_VMINPD, AVX_VPOR)),
		{ir.NMax, f, f}:   lanes(ymmNumericWide(AVX_VMAXPD, AVX_VPAND)),
		{ir.FCanon, f, f}: lanes(func(m ymm, in *vcode.Inst, e element) { m.canonicalWide() }),
		{ir.FFlush, f, f}: lanes(ymmFlushWide),
		{ir.FLdexp, f, f}: lanes(ymmScaleWide),

		{ir.FEq, ir.B1, f}: ymmCompareDoubles(orderedEQ),
		{ir.FLt, ir.B1, f}: ymmCompareDoubles(orderedLT),
		{ir.FLe, ir.B1, f}: ymmCompareDoubles(orderedLE),
	}
}

// canonicalWide makes NaNs in Y0 canonical. It clobbers Y3. NaN is the only value that is unordered
// with itself, so that one comparison finds it.
func (m ymm) canonicalWide() {
	m.rri(AVX_VCMPPD, 3, 0, 0, unordered)
	m.RMI(AVX_VBLENDVPD, V256, 0, 0, m.longs(nan64), is4(3), 0)
}

// ymmNumericWide is nmin or nmax, as for f32 (ymm_float.go). AVX-512 has VRANGEPD, which knows the
// sign of zero; AVX2 combines the bits of equal operands: VPOR for the minimum makes −0 of −0 and
// +0, VPAND for the maximum makes +0.
func ymmNumericWide(least, zeros Op) ymmBody {
	return func(m ymm, in *vcode.Inst, e element) {
		m.rr(least, 2, 0, 1) // Y1 if one is NaN
		m.rri(AVX_VCMPPD, 3, 0, 1, orderedEQ)
		m.rr(zeros, 4, 0, 1)
		m.rri(AVX_VBLENDVPD, 2, 2, 4, is4(3))
		m.rri(AVX_VCMPPD, 3, 1, 1, unordered)
		m.rri(AVX_VBLENDVPD, 0, 2, 0, is4(3))
		m.canonicalWide()
	}
}

// ymmFlushWide reduces a number without exponent bits to its sign. Numbers without exponent bits are
// zeros and denormals. MXCSR could flush them too, but only in all operations at once.
func ymmFlushWide(m ymm, in *vcode.Inst, e element) {
	m.long(AVX_VPAND, 1, 0, infinity64)
	m.zero(2)
	m.rr(AVX_VPCMPEQQ, 1, 1, 2)
	m.long(AVX_VPAND, 2, 0, sign64)
	m.rri(AVX_VBLENDVPD, 0, 0, 2, is4(1))
}

// ymmScaleWide is Y0·2^Y1 with Y1 a 32-bit integer. Exponents beyond ±2200 saturate anyway. Exponents
// beyond those of a double are applied in up to two earlier steps: downwards by 2^−969, so that a
// number rounded there would finally be rounded to 0.
//
// AVX-512 has VSCALEFPD. A factor 2^k is the double with k + 1023 in the exponent bits, for k from
// −1022 to 1023. After two rounds the exponent is at most 2200 − 2·1022 = 156, and at least 2·969 −
// 2200 = −262, which one factor covers. In a round each lane multiplies by one of
//
//	2^1022     if the exponent is above 1022
//	2^−969     if the exponent is below −1022
//	1          else
func ymmScaleWide(m ymm, in *vcode.Inst, e element) {
	m.word(AVX_VPMINSD, 1, 1, 2200)
	m.word(AVX_VPMAXSD, 1, 1, 1<<32-2200) // the upper words are still 0, or −0
	for range 2 {
		m.fillLong(2, 1022)
		m.rr(AVX_VPCMPGTD, 2, 1, 2) // compares the low words
		// The mask of the low word is copied to the upper word of each 64-bit lane.
		m.rri(AVX_VPSHUFD, 2, 0, 2, 0xa0)
		m.long(AVX_VPAND, 3, 2, 1022)
		m.rr(AVX_VPSUBD, 1, 1, 3)
		m.fillLong(3, 0x3ff<<52)
		m.RMI(AVX_VBLENDVPD, V256, 3, 3, m.longs(0x7fd<<52), is4(2), 0) // 2^1022
		m.rr(AVX_VMULPD, 0, 0, 3)
		m.fillLong(2, 1<<32-1022)
		m.rr(AVX_VPCMPGTD, 2, 2, 1)
		m.rri(AVX_VPSHUFD, 2, 0, 2, 0xa0)
		m.long(AVX_VPAND, 3, 2, 969)
		m.rr(AVX_VPADDD, 1, 1, 3)
		m.fillLong(3, 0x3ff<<52)
		m.RMI(AVX_VBLENDVPD, V256, 3, 3, m.longs((1023-969)<<52), is4(2), 0)
		m.rr(AVX_VMULPD, 0, 0, 3)
	}
	m.long(AVX_VPADDD, 1, 1, 1023)
	m.rri(AVX_VPSLLQ, 1, 0, 1, 52)
	m.rr(AVX_VMULPD, 0, 0, 1)
}

// fillLong sets all 64-bit lanes to a constant.
func (m ymm) fillLong(y Reg, v uint64) { m.rm(AVX_VMOVUPS, y, 0, m.longs(v)) }

// ymmCompareDoubles compares four lanes at a time and combines both masks. VCMPPD yields a mask with
// 64 bits per lane. VSHUFPS selects one word of each, which is enough, since both words are equal,
// and VPERMQ sorts the quarters (lowWords).
func ymmCompareDoubles(predicate uint8) ymmEmitter {
	return func(m ymm, in *vcode.Inst) {
		for i := range 2 {
			m.withHalfImm(AVX_VCMPPD, Reg(i), m.halfVec(in.Uses[0], i, Reg(i)), in.Uses[1], i, predicate)
		}
		d := m.dest(in, 0)
		m.rri(AVX_VSHUFPS, 0, 0, 1, 0x88)
		m.rri(AVX_VPERMQ, d, 0, 0, 0xd8)
		m.done(in, d)
	}
}

// ymmWideOp is d = u0 op u1 with one instruction for each half. Only the second operand may be in memory.
func ymmWideOp(op Op) ymmEmitter {
	return func(m ymm, in *vcode.Inst) {
		for i := range 2 {
			a := m.halfVec(in.Uses[0], i, 0)
			d := m.destHalf(in, i, 0)
			m.withHalf(op, d, a, in.Uses[1], i)
			m.doneHalf(in, i, d)
		}
	}
}

// ymmMultiplyAddWide is d = u0·u1 + u2, rounded once.
func ymmMultiplyAddWide(m ymm, in *vcode.Inst) {
	for i := range 2 {
		d := m.destHalf(in, i, 0)
		if x, ok := m.halfPhys(in.Uses[2], i); ok && x == d {
			m.withHalf(AVX_VFMADD231PD, d, m.halfVec(in.Uses[0], i, 0), in.Uses[1], i)
			continue
		}
		m.loadHalf(0, in.Uses[0], i)
		m.withHalf(AVX_VFMADD213PD, 0, m.halfVec(in.Uses[1], i, 1), in.Uses[2], i)
		m.doneHalf(in, i, 0)
	}
}

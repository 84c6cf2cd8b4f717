package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// packCurrent is the VCVTPS2PH immediate for the rounding mode of MXCSR. So a switch of MXCSR to
// toward zero applies to f16 too (ymm.lane). AVX-512 has a rounding mode in each instruction.
const packCurrent = 4

// notEqual is the quiet predicate of CMPPS for two different numbers.
const notEqual = 0x0c

// ymmHalves are the rules of f16, which compute in f32 (select_half.go), and of frem.
//
// Each operand is converted to f32, from 128 bits with eight f16. For add, sub, mul, div and sqrt
// the second rounding is harmless: f32 has 24 bits of precision, 2·11 + 2 (Figueroa 1995).
// Multiply-add needs rounding to odd.
func ymmHalves() map[codegen.Rule]ymmEmitter {
	const f = ir.F16
	direct := func(op Op) ymmEmitter { return ymmInFloats(ymmDirect(op, 0)) }
	round := func(mode uint8) ymmEmitter {
		return ymmInFloats(func(m ymm, in *vcode.Inst, e element) { m.rri(AVX_VROUNDPS, 0, 0, 0, mode) })
	}
	return map[codegen.Rule]ymmEmitter{
		{ir.FAdd, f, f}:       direct(AVX_VADDPS),
		{ir.FSub, f, f}:       direct(AVX_VSUBPS),
		{ir.FMul, f, f}:       direct(AVX_VMULPS),
		{ir.FDiv, f, f}:       direct(AVX_VDIVPS),
		{ir.FSqrt, f, f}:      ymmInFloats(func(m ymm, in *vcode.Inst, e element) { m.rr(AVX_VSQRTPS, 0, 0, 0) }),
		{ir.FFma, f, f}:       ymmInFloats(ymmHalfMultiplyAdd),
		{ir.FFloor, f, f}:     round(roundFloor),
		{ir.FCeil, f, f}:      round(roundCeil),
		{ir.FTrunc, f, f}:     round(roundTrunc),
		{ir.FRoundEven, f, f}: round(roundEven),
		{ir.NMin, f, f}:       ymmInFloats(func(m ymm, in *vcode.Inst, e element) { m.numeric(0, 1, false); m.moveVec(0, 2) }),
		{ir.NMax, f, f}:       ymmInFloats(func(m ymm, in *vcode.Inst, e element) { m.numeric(0, 1, true); m.moveVec(0, 2) }),
		{ir.FMin, f, f}:       ymmHalfChoice(0, 1),
		{ir.FMax, f, f}:       ymmHalfChoice(1, 0),
		{ir.FLdexp, f, f}:     ymmHalfLdexp,
		{ir.FNeg, f, f}:       ymmConstOp(AVX_VPXOR, 0x8000),
		{ir.FAbs, f, f}:       ymmConstOp(AVX_VPAND, 0x7fff),
		{ir.FCanon, f, f}:     ymmHalfCanonical,
		{ir.FFlush, f, f}:     ymmHalfFlush,
		{ir.FEq, ir.B1, f}:    ymmHalfCompare(orderedEQ),
		{ir.FLt, ir.B1, f}:    ymmHalfCompare(orderedLT),
		{ir.FLe, ir.B1, f}:    ymmHalfCompare(orderedLE),
		{ir.FRem, f, f}:       ymmRemainder,

		{ir.FRem, ir.F32, ir.F32}: ymmRemainder,
		{ir.FRem, ir.F64, ir.F64}: ymmRemainder,
	}
}

// floats puts a float of 16 or 32 bits into y as f32.
//
// A lane has its f16 in the low 16 bits of 32. The 32-bit words of both 128-bit halves are packed,
// and then the two quarters with data are adjacent:
//
//	vpackusdw  a7 a6 a5 a4, a7 a6 a5 a4 | a3 a2 a1 a0, a3 a2 a1 a0
//	vpermq     a7 a6 a5 a4, a3 a2 a1 a0     in the low 128 bits
//	vcvtph2ps  eight f32
//
// The saturation of the pack has no effect, since a lane has zeros above its f16.
func (m ymm) floats(y Reg, u vcode.Reg, t ir.Type) {
	if t != ir.F16 {
		m.loadVec(y, u)
		return
	}
	m.halves(y, u)
	m.rr(AVX_VCVTPH2PS, y, 0, y)
}

// halves packs the f16 of the lanes of u in the low 128 bits of y.
func (m ymm) halves(y Reg, u vcode.Reg) {
	x := m.vec(u, y)
	m.rr(AVX_VPACKUSDW, y, x, x)
	m.rri(AVX_VPERMQ, y, 0, y, 0x08)
}

// widenHalf moves the low halves of the words of each 128 bits before the high ones, and then selects the quarters of one kind.
//
//	vpshufb    h7 h6 h5 h4, l7 l6 l5 l4 | h3 h2 h1 h0, l3 l2 l1 l0
//	vpermq     l7 l6 l5 l4, l3 l2 l1 l0     in the low 128 bits, or those of h
func (m ymm) widenHalf(in *vcode.Inst, high bool) {
	const lows, highs = 0x08, 0x0d
	control := [...]uint32{0x05040100, 0x0d0c0908, 0x07060302, 0x0f0e0b0a}
	m.rm(AVX_VPSHUFB, 0, m.vec(in.Uses[0], 0), m.vector8([8]uint32(append(control[:], control[:]...))))
	quarters := uint8(lows)
	if high {
		quarters = highs
	}
	m.rri(AVX_VPERMQ, 0, 0, 0, quarters)
	d := m.dest(in, 0)
	m.rr(AVX_VCVTPH2PS, d, 0, 0)
	m.done(in, d)
}

// toHalf rounds y to f16, zero-extended. VCVTPS2PH writes eight f16 to 128 bits; the rest of the
// code expects one per 32-bit lane.
func (m ymm) toHalf(y Reg) {
	m.rri(AVX_VCVTPS2PH, y, 0, y, packCurrent)
	m.rr(AVX_VPMOVZXWD, y, 0, y)
}

// roundToHalf rounds an f32 to f16 and widens it again, as roundThroughF16 or roundSmallSum. near is
// set for a smallSum (fuse_half.go), for which three cheap instructions replace the two conversions.
func (m ymm) roundToHalf(in *vcode.Inst, near bool) {
	x, d := m.vec(in.Uses[0], 0), m.dest(in, 0)
	if near {
		m.word(AVX_VPADDD, 1, x, halfShift)
		m.rr(AVX_VSUBPS, 0, 1, x)
		m.rr(AVX_VSUBPS, d, 1, 0)
	} else {
		m.rri(AVX_VCVTPS2PH, x, 0, 0, packCurrent) // the first operand is the source
		m.rr(AVX_VCVTPH2PS, d, 0, 0)
	}
	m.done(in, d)
}

// ymmInFloats is an operation on f16 with a body for f32. Operand n is in Yn, as each ymmBody
// expects.
func ymmInFloats(do ymmBody) ymmEmitter {
	return func(m ymm, in *vcode.Inst) {
		for n, u := range in.Uses {
			m.floats(Reg(n), u, ir.F16)
		}
		do(m, in, narrowInt)
		m.toHalf(0)
		m.done(in, 0)
	}
}

// ymmHalfMultiplyAdd is Y0·Y1 + Y2 rounded to odd, so that rounding it again is a single rounding. The
// product is exact, and TwoSum yields the rounding error of the sum (Knuth, TAOCP vol. 2, 4.2.2).
//
// A product of two 11-bit numbers has 22 bits, and f32 holds 24. TwoSum has six additions, without a
// condition on the magnitudes of the operands, which Fast2Sum has. The correction is as in
// oddDouble, with 32 bits per lane.
func ymmHalfMultiplyAdd(m ymm, in *vcode.Inst, e element) {
	m.rr(AVX_VMULPS, 0, 0, 1)
	m.rr(AVX_VADDPS, 1, 0, 2)
	if in.Key.Flags&ir.RTZ != 0 { // truncation composes
		m.moveVec(0, 1)
		return
	}
	m.rr(AVX_VSUBPS, 3, 1, 0)
	m.rr(AVX_VSUBPS, 4, 1, 3)
	m.rr(AVX_VSUBPS, 0, 0, 4)
	m.rr(AVX_VSUBPS, 2, 2, 3)
	m.rr(AVX_VADDPS, 0, 0, 2)
	m.zero(2)
	m.rri(AVX_VCMPPS, 2, 0, 2, notEqual)
	m.rr(AVX_VPXOR, 3, 0, 1)
	m.rri(AVX_VPSRAD, 3, 0, 3, 31)
	m.rr(AVX_VPAND, 3, 3, 2)
	m.odd(1, 3, 2)
	m.moveVec(0, 1)
}

// odd turns y, a sum rounded to nearest, into one rounded to odd: it adds less, −1 if the sum is too
// great in magnitude, and sets the last bit if inexact. It works on the bits as an integer: floats
// of one sign are ordered like integers, so that −1 is the next number toward 0.
func (m ymm) odd(y, less, inexact Reg) {
	m.rr(AVX_VPADDD, y, y, less)
	m.rri(AVX_VPSRLD, inexact, 0, inexact, 31)
	m.rr(AVX_VPOR, y, y, inexact)
}

// ymmHalfChoice is u1 if operand a is greater than operand b, else u0. It preserves all bits.
//
// fmin is u0 > u1 ? u1 : u0, fmax u1 > u0 ? u1 : u0. A NaN makes the comparison false, and so
// selects u0. The blend selects the original f16, because a conversion would make a signaling NaN
// quiet.
func ymmHalfChoice(a, b Reg) ymmEmitter {
	return func(m ymm, in *vcode.Inst) {
		for n, u := range in.Uses {
			m.floats(Reg(n), u, ir.F16)
		}
		m.rri(AVX_VCMPPS, 2, a, b, orderedGT)
		m.loadVec(0, in.Uses[0])
		m.blend(0, 0, m.vec(in.Uses[1], 1), 2)
		m.done(in, 0)
	}
}

// ymmHalfLdexp can round in f32 first: only results below all f16 numbers are inexact there. They
// become 0, whatever the first rounding was.
func ymmHalfLdexp(m ymm, in *vcode.Inst) {
	m.floats(0, in.Uses[0], ir.F16)
	m.scale(0, m.vec(in.Uses[1], 1))
	m.toHalf(0)
	m.done(in, 0)
}

// ymmHalfCanonical replaces each NaN of f16 by the one of the IR: its bits without the sign are above those of infinity.
func ymmHalfCanonical(m ymm, in *vcode.Inst) {
	x := m.vec(in.Uses[0], 0)
	m.word(AVX_VPAND, 1, x, 0x7fff)
	m.word(AVX_VPCMPGTD, 1, 1, 0x7c00)
	d := m.dest(in, 0)
	m.RMI(AVX_VBLENDVPS, V256, d, x, m.words(nan16), is4(1), 0)
	m.done(in, d)
}

// ymmHalfFlush keeps the sign alone of numbers with the exponent 0.
func ymmHalfFlush(m ymm, in *vcode.Inst) {
	x := m.vec(in.Uses[0], 0)
	m.word(AVX_VPAND, 1, x, 0x7c00)
	m.zero(2)
	m.rr(AVX_VPCMPEQD, 1, 1, 2)
	m.word(AVX_VPAND, 2, x, 0x8000)
	d := m.dest(in, 0)
	m.blend(d, x, 2, 1)
	m.done(in, d)
}

// ymmHalfCompare compares in f32: widening preserves the order.
func ymmHalfCompare(predicate uint8) ymmEmitter {
	return func(m ymm, in *vcode.Inst) {
		m.floats(0, in.Uses[0], ir.F16)
		m.floats(1, in.Uses[1], ir.F16)
		d := m.dest(in, 0)
		m.rri(AVX_VCMPPS, d, 0, 1, predicate)
		m.done(in, d)
	}
}

// ymmRemainder is frem, lane by lane on the x87 FPU: FPREM is exact and keeps the sign of the
// dividend. AVX-512 uses a long division in doubles with VGETEXPPD and VSCALEFPD
// (machine.remainder), which AVX2 lacks. frem is rare in shaders, so that a loop with the x87 FPU is
// acceptable; its registers have no other use in the code.
func ymmRemainder(m ymm, in *vcode.Inst) {
	t := in.Key.Type
	if t != ir.F64 {
		m.floats(0, in.Uses[0], t)
		m.floats(1, in.Uses[1], t)
		m.remainders(4)
		// FPREM yields a NaN of its own for a dividend of infinity or a divisor of 0.
		m.rri(AVX_VCMPPS, 1, 0, 0, unordered)
		m.RMI(AVX_VBLENDVPS, V256, 0, 0, m.words(nan32), is4(1), 0)
		if t == ir.F16 {
			m.toHalf(0)
		}
		m.done(in, 0)
		return
	}
	for i := range 2 {
		m.loadHalf(0, in.Uses[0], i)
		m.loadHalf(1, in.Uses[1], i)
		m.remainders(8)
		m.canonicalWide()
		m.doneHalf(in, i, 0)
	}
}

// x87 instructions for f32 in memory; their opcodes for f64 are 4 greater.
const (
	x87 = 0xd9
	fld = 0 // onto the stack
	fst = 3 // from it
)

// remainders sets Y0 to the remainders of Y0 by Y1, with lanes of so many bytes, through the scratch
// memory.
//
// FPREM reduces the exponent by up to 63 per execution and reports an incomplete reduction in C2 of
// the status word, which SAHF moves to the parity flag. The loop ends, because the difference of the
// exponents of two doubles is below 2100. The stack of the FPU is empty before and after:
//
//	fld   divisor
//	fld   dividend
//	again: fprem; fnstsw ax; sahf; jp again
//	fstp  result
//	fstp  st(0)          pop the divisor
func (m ymm) remainders(size int32) {
	m.rm(AVX_VMOVUPS_ST, 0, 0, m.scratch(scratchOld))
	m.rm(AVX_VMOVUPS_ST, 1, 0, m.scratch(scratchOperand))
	op := G(x87 + size - 4)
	m.MovI(RCX, uint64(32/size))
	m.GRM(LEA|W, RDX, m.scratch(scratchOld))
	lane, again := m.NewLabel(), m.NewLabel()
	m.Bind(lane)
	m.GRM(op, fld, At(RDX, scratchOperand-scratchOld))
	m.GRM(op, fld, At(RDX, 0))
	m.Bind(again)
	m.Code = append(m.Code, 0xd9, 0xf8, 0xdf, 0xe0, 0x9e) // fprem; fnstsw ax; sahf
	m.Jcc(Parity, again)                                  // the reduction is incomplete
	m.GRM(op, fst, At(RDX, 0))
	m.Code = append(m.Code, 0xdd, 0xd8) // pop the divisor
	m.GI(AddI, true, RDX, size)
	m.GI(SubI, true, RCX, 1)
	m.Jcc(NotEqual, lane)
	m.rm(AVX_VMOVUPS, 0, 0, m.scratch(scratchOld))
}

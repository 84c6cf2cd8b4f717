package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// Rounding of VCVTPS2PH.
const (
	packNearest = 0
	packZero    = 3
)

// halfFloats are the rules of f16. They compute in f32, which has 24 ≥ 2·11+2 bits: then a sum,
// product, quotient or root rounded to 24 bits and again to 11, or fewer if denormal, equals the
// result of one rounding (Figueroa 1995, "When is double rounding innocuous?"). Truncation always
// composes. AVX512-FP16 (Sapphire Rapids) has native f16 arithmetic; this code needs only VCVTPH2PS
// and VCVTPS2PH, which every AVX-512 processor has.
func halfFloats() map[codegen.Rule]emitter {
	const f = ir.F16
	return map[codegen.Rule]emitter{
		{ir.FAdd, f, f}:       inFloats(floatRounded(VADDPS)),
		{ir.FSub, f, f}:       inFloats(floatRounded(VSUBPS)),
		{ir.FMul, f, f}:       inFloats(floatRounded(VMULPS)),
		{ir.FDiv, f, f}:       inFloats(floatRounded(VDIVPS)),
		{ir.FSqrt, f, f}:      inFloats(floatSqrt),
		{ir.FFma, f, f}:       inFloats(floatMultiplyAdd),
		{ir.FFloor, f, f}:     inFloats(floatScale(roundFloor)),
		{ir.FCeil, f, f}:      inFloats(floatScale(roundCeil)),
		{ir.FTrunc, f, f}:     inFloats(floatScale(roundTrunc)),
		{ir.FRoundEven, f, f}: inFloats(floatScale(roundEven)),
		{ir.NMin, f, f}:       inFloats(numberOf(rangeMin)),
		{ir.NMax, f, f}:       inFloats(numberOf(rangeMax)),
		{ir.FMin, f, f}:       halfChoice(0, 1),
		{ir.FMax, f, f}:       halfChoice(1, 0),
		{ir.FLdexp, f, f}:     halfLdexp,
		{ir.FRem, f, f}:       remainder(f),
		{ir.FNeg, f, f}:       constOp(VPXORD, 0x8000),
		{ir.FAbs, f, f}:       constOp(VPANDD, 0x7fff),
		{ir.FCanon, f, f}:     lanewise(f, plain, halfCanonical),
		{ir.FFlush, f, f}:     lanewise(f, plain, halfFlush),

		{ir.FEq, ir.B1, f}: halfCompare(orderedEQ),
		{ir.FLt, ir.B1, f}: halfCompare(orderedLT),
		{ir.FLe, ir.B1, f}: halfCompare(orderedLE),
	}
}

// floats puts a float of 16 or 32 bits into z as f32. 16 lanes with an f16 in the low half are
// packed to 256 bits first (VPMOVDW), because VCVTPH2PS reads adjacent halves:
//
//	zmm  0 h15 | … | 0 h1 | 0 h0
//	ymm  h15 … h1 h0
//	zmm  f15 | … | f1 | f0
func (m *machine) floats(z Reg, u vcode.Reg, t ir.Type) {
	if t != ir.F16 {
		m.loadVec(z, u)
		return
	}
	if bits, ok := m.f.Const(u); ok {
		m.broadcast(z, uint32(scalar.FCvt(32, 16, false, bits)))
		return
	}
	m.RR(VPMOVDW, V512, m.vec(u, z), 0, z, 0)
	m.RR(VCVTPH2PS, V512, z, 0, z, 0)
}

// toHalf rounds z to f16, zero-extended. The result has zeros above each f16, the register format of
// narrow types.
func (m *machine) toHalf(z Reg, o Opt) {
	m.RRI(VCVTPS2PH, V512, z, 0, z, packMode(o), 0)
	m.RR(VPMOVZXWD, V512, z, 0, z, 0)
}

// packMode returns the rounding immediate of VCVTPS2PH.
func packMode(o Opt) uint8 {
	if o == RZ {
		return packZero
	}
	return packNearest
}

// roundThroughF16 rounds an f32 to f16 and widens it again. Operations of f16 that stay in f32
// (package vectorize) need the rounding only, and so no packing.
func (m *machine) roundThroughF16(in *vcode.Inst) {
	d, o := m.dest(in, 0)
	m.RRI(VCVTPS2PH, V512, m.vec(in.Uses[0], 0), 0, 0, packMode(rounding(in)), 0) // the first operand is the source
	m.RR(VCVTPH2PS, V512, d, 0, 0, o)
	m.done(in, d)
}

// Constants of roundSmallSum, as bits.
const (
	halfShift = 13 << 23   // added to the bits of an f32: times 2¹³
	one32     = 0x3f800000 // 1
)

// roundSmallSum rounds x, a smallSum, to f16 precision without a conversion: (2¹³·x) − (2¹³·x − x), a
// variant of Veltkamp splitting (Dekker 1971). The inner difference has 11 bits of x less than 2¹³·x
// has, so its rounding is that to 11 bits, with ties to even. A denormal f16 has fewer bits, but x is
// a multiple of its last one already. Infinity stays infinite, because 13 more in its exponent make it
// a tiny number; 0 becomes one too.
func (m *machine) roundSmallSum(in *vcode.Inst) {
	x := m.vec(in.Uses[0], 0)
	m.RM(VPADDD, V512, 1, x, m.word32(halfShift), BC)
	if d, ok := m.phys(in.Defs[0]); ok && d == x && !in.Merging { // on the FMA ports, which a sum leaves idle
		// x becomes −(x·1) + Z1, in one instruction.
		m.RM(VFNMADD132PS, V512, x, 1, m.word32(one32), BC)
	} else {
		m.RR(VSUBPS, V512, 0, 1, x, 0)
		x = 0
	}
	d, o := m.dest(in, 0)
	m.RR(VSUBPS, V512, d, 1, x, o)
	m.done(in, d)
}

// inFloats is an operation on f16 with a body for f32. Per operation: two instructions for each
// operand, one to compute, two for the result.
func inFloats(do body) emitter {
	return func(m *machine, in *vcode.Inst) {
		for n, u := range in.Uses {
			m.floats(Reg(n), u, ir.F16)
		}
		do(m, in, narrowInt)
		m.toHalf(0, rounding(in))
		m.define(in, 0)
	}
}

func floatRounded(op Op) body {
	return func(m *machine, in *vcode.Inst, e element) { m.RR(op, V512, 0, 0, 1, rounding(in)) }
}

func floatSqrt(m *machine, in *vcode.Inst, e element) {
	m.RR(VSQRTPS, V512, 0, 0, 0, rounding(in))
}

func floatScale(mode uint8) body {
	return func(m *machine, in *vcode.Inst, e element) { m.RRI(VRNDSCALEPS, V512, 0, 0, 0, mode, 0) }
}

// floatMultiplyAdd is Z0·Z1 + Z2 rounded to odd (package scalar): truncated, with the last bit set
// if the result is inexact. Rounding that again to fewer bits is a single rounding (Boldo &
// Melquiond 2008). Truncation, RD and RU of one sum: the three results are equal if it is exact.
// Otherwise RD and RU are neighbors, and truncated is the one nearer to 0, so that setting its last
// bit yields the odd one of both.
func floatMultiplyAdd(m *machine, in *vcode.Inst, e element) {
	if o := rounding(in); o != 0 {
		m.RR(VFMADD213PS, V512, 0, 1, 2, o)
		return
	}
	m.moveVec(3, 0)
	m.moveVec(4, 0)
	m.RR(VFMADD213PS, V512, 0, 1, 2, RZ)
	m.RR(VFMADD213PS, V512, 3, 1, 2, RD)
	m.RR(VFMADD213PS, V512, 4, 1, 2, RU)
	m.odd(0, 3, 4)
}

// odd sets the last bit of z if down and up differ. It clobbers K2.
func (m *machine) odd(z, down, up Reg) {
	m.RRI(VCMPPS, V512, 2, down, up, orNotEQ, 0)
	m.word(narrowInt, VPORD, z, z, 1, K(2))
}

// halfChoice is u1 if operand a is greater than operand b, else u0. It preserves all bits. A
// conversion and back would make signaling NaNs quiet; the comparison uses converted copies, the
// selection the original bits.
func halfChoice(a, b Reg) emitter {
	return func(m *machine, in *vcode.Inst) {
		for n, u := range in.Uses {
			m.loadVec(Reg(n), u)
			m.floats(Reg(2+n), u, ir.F16)
		}
		// False for NaN, and then the first operand remains, as in FMin of the IR.
		m.RRI(VCMPPS, V512, 2, 2+a, 2+b, orderedGT, 0)
		m.RR(VMOVDQA32, V512, 0, 0, 1, K(2))
		m.define(in, 0)
	}
}

// halfLdexp can round in f32 first: only results below all f16 numbers are inexact there.
func halfLdexp(m *machine, in *vcode.Inst) {
	m.floats(0, in.Uses[0], ir.F16)
	m.loadVec(1, in.Uses[1])
	scaleBy(m, in, narrowInt)
	m.toHalf(0, 0)
	m.define(in, 0)
}

// The magnitude of a NaN exceeds the bits of infinity, 0x7c00.
func halfCanonical(m *machine, in *vcode.Inst, e element) {
	m.word(e, VPANDD, 1, 0, 0x7fff, 0)
	m.RMI(VPCMPUD, V512, 2, 1, m.word32(0x7c00), compareGT, BC)
	m.fill(e, 0, nan16, 2)
}

// halfFlush clears all bits but the sign of numbers with the exponent 0, which are denormals and zeros.
func halfFlush(m *machine, in *vcode.Inst, e element) {
	m.RM(VPTESTNMD, V512, 2, 0, m.word32(0x7c00), BC)
	m.word(e, VPANDD, 0, 0, 0x8000, K(2))
}

// Widening preserves order, so that the comparison in f32 is exact.
func halfCompare(predicate uint8) emitter {
	return func(m *machine, in *vcode.Inst) {
		m.floats(0, in.Uses[0], ir.F16)
		m.floats(1, in.Uses[1], ir.F16)
		m.RRI(VCMPPS, V512, 2, 0, 1, predicate, 0)
		m.doneMask(in, 2)
	}
}

package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Immediates of VRANGEPS: minimum or maximum, with the sign of the selected operand.
const (
	rangeMin = 4
	rangeMax = 5
)

// floatOperations are the rules of f64 operations with several instructions, and of frem.
func floatOperations() map[codegen.Rule]emitter {
	return map[codegen.Rule]emitter{
		{ir.NMin, ir.F64, ir.F64}:   lanewise(ir.F64, plain, numberOf(rangeMin)),
		{ir.NMax, ir.F64, ir.F64}:   lanewise(ir.F64, plain, numberOf(rangeMax)),
		{ir.FLdexp, ir.F64, ir.F64}: lanewise(ir.F64, plain, scaleBy),
		{ir.FFlush, ir.F64, ir.F64}: lanewise(ir.F64, plain, flushed),
		{ir.FCanon, ir.F64, ir.F64}: lanewise(ir.F64, plain, canonicalWide),
		{ir.FRem, ir.F64, ir.F64}:   remainder(ir.F64),
		{ir.FRem, ir.F32, ir.F32}:   remainder(ir.F32),
	}
}

// numberOf is the minimum or maximum of two numbers. It first replaces a NaN, also a signaling one,
// by the other operand. If both are NaN, each is replaced by the other, and the conjunction of the
// masks selects the canonical NaN. VRANGEPS orders −0 before +0.
func numberOf(choice uint8) body {
	return func(m *machine, in *vcode.Inst, e element) {
		compare, move := e.op(VCMPPS, VCMPPD), e.op(VMOVDQA32, VMOVDQA64)
		m.RRI(compare, V512, 2, 0, 0, unordered, 0)
		m.RRI(compare, V512, 3, 1, 1, unordered, 0)
		m.RR(move, V512, 0, 0, 1, K(2))
		m.RR(move, V512, 1, 0, 0, K(3))
		m.RRI(e.op(VRANGEPS, VRANGEPD), V512, 0, 0, 1, choice, 0)
		m.RR(KANDW, V128, 2, 2, 3, 0)
		m.canonicalNaN(e, 2)
	}
}

// canonicalNaN sets Z0 to the canonical NaN in the lanes of k.
func (m *machine) canonicalNaN(e element, k Reg) {
	nan := uint64(nan32)
	if e.wide {
		nan = nan64
	}
	m.fill(e, 0, nan, k)
}

// canonicalWide replaces each NaN of 64 bits by the one of the IR.
func canonicalWide(m *machine, in *vcode.Inst, e element) {
	m.RRI(VCMPPD, V512, 2, 0, 0, unordered, 0)
	m.canonicalNaN(e, 2)
}

// scaleBy is Z0·2^Z1 with Z1 a 32-bit integer. Rounding a large one to a float keeps it beyond all
// exponents. VSCALEFPS rounds once, also for denormal results, and saturates by itself.
func scaleBy(m *machine, in *vcode.Inst, e element) {
	if e.wide {
		m.RR(VPMOVQD, V512, 1, 0, 1, 0)
		m.RR(VCVTDQ2PD, V512, 1, 0, 1, 0)
	} else {
		m.RR(VCVTDQ2PS, V512, 1, 0, 1, 0)
	}
	m.RR(e.op(VSCALEFPS, VSCALEFPD), V512, 0, 0, 1, 0)
}

// flushed keeps only the sign of a number without exponent bits.
func flushed(m *machine, in *vcode.Inst, e element) {
	m.RM(VPTESTNMQ, V512, 2, 0, m.constant(e, infinity64), BC)
	m.word(e, VPANDQ, 0, 0, sign64, K(2))
}

// remainder is frem of a type, in doubles, which hold it exactly.
func remainder(t ir.Type) emitter {
	return func(m *machine, in *vcode.Inst) {
		for i := range 2 {
			m.asDouble(0, in.Uses[0], t, i)
			m.asDouble(1, in.Uses[1], t, i)
			m.remainder()
			switch {
			case t == ir.F64:
				m.defineHalf(in, i, 0)
			case i == 0:
				m.RR(VCVTPD2PS, V512, 8, 0, 0, 0)
			default:
				m.RR(VCVTPD2PS, V512, 0, 0, 0, 0)
				m.join(0, 8, 0)
				// A remainder of two f32 numbers is an f32 number, so that the conversions do not
				// round.
				m.defineFloat(in, t, 0)
			}
		}
	}
}

// asDouble puts eight lanes of a float into z as doubles.
func (m *machine) asDouble(z Reg, u vcode.Reg, t ir.Type, i int) {
	if t == ir.F64 {
		m.load(wideInt, z, u, i)
		return
	}
	m.floats(z, u, t)
	if i == 1 {
		m.highHalf(z, z)
	}
	m.RR(VCVTPS2PD, V512, z, 0, z, 0)
}

// defineFloat writes Z0, as f32, to a result of 32 or 16 bits.
func (m *machine) defineFloat(in *vcode.Inst, t ir.Type, o Opt) {
	if t == ir.F16 {
		m.toHalf(0, o)
	}
	m.define(in, 0)
}

// remainder is Z0 = Z0 − Z1·trunc(Z0/Z1), exactly, by long division as in fmod of C libraries. A round
// subtracts a multiple of y·2^k from |x|, with k such that the multiple is below 2⁵²: the quotient,
// rounded toward zero and truncated. The rest is a multiple of the last place of y·2^k and less than
// y·2^k, so the fused operation is exact. It clobbers Z0 to Z5.
func (m *machine) remainder() {
	again, done := m.NewLabel(), m.NewLabel()
	m.word(wideInt, VPANDQ, 2, 0, sign64-1, 0)
	m.word(wideInt, VPANDQ, 3, 1, sign64-1, 0)
	m.RRI(VCMPPD, V512, 2, 2, 3, orderedGE, 0)
	m.RMI(VCMPPD, V512, 2, 2, m.word64(infinity64), orderedLT, K(2)|BC)
	m.RMI(VCMPPD, V512, 2, 3, m.word64(0), orderedGT, K(2)|BC)
	m.Bind(again)
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.Jcc(Equal, done)
	m.RR(VGETEXPPD, V512, 4, 0, 2, 0)
	m.RR(VGETEXPPD, V512, 5, 0, 3, 0)
	m.RR(VSUBPD, V512, 4, 4, 5, 0)
	m.word(wideInt, VSUBPD, 4, 4, 0x4049800000000000, 0) // 51
	m.word(wideInt, VMAXPD, 4, 4, 0, 0)
	m.RR(VSCALEFPD, V512, 4, 3, 4, 0)
	m.RR(VDIVPD, V512, 5, 2, 4, RZ)
	m.RRI(VRNDSCALEPD, V512, 5, 0, 5, roundTrunc, 0)
	m.RR(VFNMADD231PD, V512, 2, 5, 4, K(2))
	m.RRI(VCMPPD, V512, 2, 2, 3, orderedGE, K(2))
	m.Jmp(again)
	m.Bind(done)
	m.word(wideInt, VPANDQ, 4, 0, sign64, 0)
	m.word(wideInt, VPANDQ, 5, 0, sign64-1, 0)
	m.RMI(VCMPPD, V512, 2, 5, m.word64(infinity64), notLT, BC)
	m.RMI(VCMPPD, V512, 3, 3, m.word64(0), notGT, BC)
	m.RR(KORW, V128, 2, 2, 3, 0)
	m.RR(VPORQ, V512, 0, 2, 4, 0)
	m.canonicalNaN(wideInt, 2)
}

package arm64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// remainders are the rules of frem. A remainder of f16 or f32 is computed in f64, where it is exact, and is a number of the narrow type.
func remainders() map[codegen.Rule]emitter {
	return map[codegen.Rule]emitter{
		{ir.FRem, ir.F16, ir.F16}: narrowRemainder,
		{ir.FRem, ir.F32, ir.F32}: narrowRemainder,
		{ir.FRem, ir.F64, ir.F64}: lanewise(ir.F64, plain32, func(m *machine, _ Arr, _ uint32) { m.remainderOfDoubles() }),
	}
}

func narrowRemainder(m *machine, in *vcode.Inst) {
	for i := range 2 {
		for n, u := range in.Uses {
			x := m.vec(u, Reg(n))
			if in.Key.Type == ir.F16 {
				m.fromHalf(Reg(n), x)
				x = Reg(n)
			}
			m.widenFloat(Reg(n), x, i)
		}
		m.remainderOfDoubles()
		m.V2(VFCVTN, [2]Arr{S2, S4}[i], 2, 0)
	}
	m.doneFloat(in, 2)
}

// remainderOfDoubles sets V0 to the remainders of V0 by V1, in two lanes, with the signs of V0. It clobbers V1, V3 and V4, X0 to X2, X16
// and X17.
func (m *machine) remainderOfDoubles() {
	if m.remainder == 0 {
		m.remainder = m.NewLabel()
	}
	m.V2(VFABS, D2, 3, 0)
	m.V2(VFABS, D2, 1, 1)
	for lane := range uint8(2) {
		m.VE(VGETX, D2&^1, X0, 3, lane)
		m.VE(VGETX, D2&^1, X1, 1, lane)
		m.BL(m.remainder)
		m.VE(VINSX, D2&^1, 3, X0, lane)
	}
	m.lanesOf(D2, 4, 1<<63)
	m.bits(VBIF, 0, 3, 4)
	m.canonical(D2, 0, 0) // a NaN has no sign
}

// remainderRoutine emits the function that divides the magnitude x in X0 by the magnitude y in X1, both bits of f64, and returns those of
// the remainder in X0: a long division of the significands, which makes up to 11 bits of the quotient at once. It clobbers X1, X2, X16 and
// X17.
//
//	x = a·2^p, y = b·2^q, x ≥ y      a, b < 2⁵³
//	r = a mod b
//	p − q times                      r = 2·r mod b
//	x mod y = r·2^q
func (m *machine) remainderRoutine() {
	const infinity, one, quotientBits = 0x7ff << 52, 1 << 52, 11
	next, last, none, done := m.NewLabel(), m.NewLabel(), m.NewLabel(), m.NewLabel()
	m.mark(target.SharedCode, nil)
	m.Bind(m.remainder)
	m.MovI(X16, infinity)
	m.R(CMP|W, 0, X0, X16)
	m.BCond(HS, none)
	m.R(CMP|W, 0, X1, X16)
	m.BCond(HI, none)
	m.BZero(CBZ|W, X1, none)
	m.R(CMP|W, 0, X0, X1)
	m.BCond(LO, done)
	m.significand(X0, X2, one)
	m.significand(X1, X16, one)
	m.R(SUB|W, X2, X2, X16)
	m.modulo()
	m.Bind(next)
	m.BZero(CBZ|W, X2, last)
	m.MovI(X17, quotientBits)
	m.R(CMP|W, 0, X2, X17)
	m.Select(CSEL|W, X17, X2, X17, LO)
	m.R(SUB|W, X2, X2, X17)
	m.R(LSLV|W, X0, X0, X17)
	m.modulo()
	m.B(next)

	// The significand moves up to its place, unless the exponent reaches that of denormals before.
	m.Bind(last)
	m.BZero(CBZ|W, X0, done)
	m.R(CLZ|W, X2, X0, 0)
	m.RI(SUBI|W, X2, X2, 63-52)
	m.RI(SUBI|W, X16, X16, 1)
	m.R(CMP|W, 0, X2, X16)
	m.Select(CSEL|W, X2, X2, X16, LO)
	m.R(LSLV|W, X0, X0, X2)
	m.R(SUB|W, X16, X16, X2)
	m.RL(ADD|W, X0, X0, X16, 52) // the leading bit increments the exponent
	m.Bind(done)
	m.emit(Insn{Op: RET})
	m.Bind(none)
	m.MovI(X0, nanHigh64<<32)
	m.emit(Insn{Op: RET})
}

// significand splits the bits of a positive f64 in x: x becomes the significand, e the biased exponent, 1 for a denormal. It clobbers X17.
func (m *machine) significand(x, e Reg, one uint64) {
	m.RI(LSRI|W, e, x, 52)
	m.RI(LSLI|W, x, x, 12)
	m.RI(LSRI|W, x, x, 12)
	m.MovI(X17, one)
	m.cmpI(W, e, 0)
	m.Select(CSEL|W, X17, X17, ZR, NE)
	m.Select(CSINC|W, e, e, ZR, NE)
	m.R(ADD|W, x, x, X17)
}

// modulo is X0 = X0 mod X1. It clobbers X17.
func (m *machine) modulo() {
	m.R(UDIV|W, X17, X0, X1)
	m.emit(Insn{Op: MSUB, Wide: true, D: X0, N: X17, M: X1, A: X0})
}

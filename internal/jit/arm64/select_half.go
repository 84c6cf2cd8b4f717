package arm64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// halves are the rules of f16. Sums, products, quotients and square roots are computed in f32 and rounded twice, with the same result as
// once: 24 bits are more than twice 11 (Figueroa 1995, "When is double rounding innocuous?"). The fused product needs f64.
func halves() map[codegen.Rule]emitter {
	const t = ir.F16
	r := map[codegen.Rule]emitter{
		{ir.FNeg, t, t}:    lanewise(t, plain32, maskWith(VEOR, 0x8000)),
		{ir.FAbs, t, t}:    lanewise(t, plain32, maskWith(VAND, 0x7fff)),
		{ir.FCanon, t, t}:  lanewise(t, plain32, halfCanonical),
		{ir.FFlush, t, t}:  lanewise(t, plain32, halfFlush),
		{ir.FFma, t, t}:    halfFusedProduct,
		{ir.FLdexp, t, t}:  scaleBy,
		{ir.FMin, t, t}:    halfChoice(false),
		{ir.FMax, t, t}:    halfChoice(true),
		{ir.FEq, ir.B1, t}: halfCompare(func(m *machine) { m.s4(VFCMEQ, 0, 0, 1) }),
		{ir.FLt, ir.B1, t}: halfCompare(func(m *machine) { m.s4(VFCMGT, 0, 1, 0) }),
		{ir.FLe, ir.B1, t}: halfCompare(func(m *machine) { m.s4(VFCMGE, 0, 1, 0) }),
	}
	for op, do := range map[ir.Op]body{
		ir.FAdd: direct(VFADD), ir.FSub: direct(VFSUB), ir.FMul: direct(VFMUL), ir.FDiv: direct(VFDIV), ir.FSqrt: single(VFSQRT),
		ir.FFloor: single(VFRINTM), ir.FCeil: single(VFRINTP), ir.FTrunc: single(VFRINTZ), ir.FRoundEven: single(VFRINTN),
		ir.NMin: func(m *machine, t Arr, _ uint32) { m.numeric(t, 0, 1, VFMINNM) },
		ir.NMax: func(m *machine, t Arr, _ uint32) { m.numeric(t, 0, 1, VFMAXNM) },
	} {
		r[codegen.Rule{op, t, t}] = func(m *machine, in *vcode.Inst) {
			m.halfOperands(in)
			do(m, S4, 32)
			m.toHalf(0)
			m.done(in, 0)
		}
	}
	return r
}

// fromHalf converts the f16 in the low bits of each lane of x to f32, exactly.
func (m *machine) fromHalf(d, x Reg) {
	m.V2(VXTN, H4, d, x)
	m.V2(VFCVTL, H4, d, d)
}

// toHalf rounds the f32 in v to f16, with zeros above.
func (m *machine) toHalf(v Reg) {
	m.V2(VFCVTN, H4, v, v)
	m.V2(VUXTL, H4, v, v)
}

// halfOperands loads the operands as f32.
func (m *machine) halfOperands(in *vcode.Inst) {
	for n, u := range in.Uses {
		m.fromHalf(Reg(n), m.vec(u, Reg(n)))
	}
}

func halfCompare(compare func(m *machine)) emitter {
	return func(m *machine, in *vcode.Inst) {
		m.halfOperands(in)
		compare(m)
		m.done(in, 0)
	}
}

// halfChoice is fmin or fmax: the bits of an operand.
func halfChoice(most bool) emitter {
	return func(m *machine, in *vcode.Inst) {
		m.halfOperands(in)
		if most {
			m.s4(VFCMGT, 2, 1, 0)
		} else {
			m.s4(VFCMGT, 2, 0, 1)
		}
		m.bits(VBSL, 2, m.vec(in.Uses[1], 1), m.vec(in.Uses[0], 0))
		m.done(in, 2)
	}
}

// maskWith combines the bits with a constant.
func maskWith(op Op, k uint32) body {
	return func(m *machine, _ Arr, _ uint32) {
		m.fill(1, k)
		m.bits(op, 0, 0, 1)
	}
}

// halfCanonical replaces a NaN: its bits without the sign are above ∞.
func halfCanonical(m *machine, _ Arr, _ uint32) {
	m.fill(1, 0x7fff)
	m.bits(VAND, 1, 0, 1)
	m.fill(2, 0x7c00)
	m.s4(VCMHI, 1, 1, 2)
	m.fill(2, 0x7e00)
	m.bits(VBIT, 0, 2, 1)
}

// halfFlush keeps only the sign of a number without exponent bits.
func halfFlush(m *machine, _ Arr, _ uint32) {
	m.fill(1, 0x7c00)
	m.s4(VCMTST, 1, 0, 1)
	m.fill(2, 0x8000)
	m.bits(VORR, 1, 1, 2)
	m.bits(VAND, 0, 0, 1)
}

// halfFusedProduct is u0·u1 + u2 in f64, then f32 rounded to odd, then f16. The sum is exact in f64 unless u2 is more than 2²⁵ times the
// product; then the product only decides the direction of the rounding, and f64 retains enough of it for that, as u2 is no tie of f16.
func halfFusedProduct(m *machine, in *vcode.Inst) {
	m.halfOperands(in)
	for n := range Reg(3) {
		m.widenFloat(3+n, n, 0)
		m.widenFloat(n, n, 1)
	}
	m.V(VFMLA, D2, 5, 3, 4)
	m.V(VFMLA, D2, 2, 0, 1)
	m.V2(VFCVTXN, S2, 0, 5)
	m.V2(VFCVTXN, S4, 0, 2)
	m.doneFloat(in, 0)
}

// scaleBy is u0·2^u1 of f16 or f32 in f64, which has every product of a relevant exponent exactly, so that it is rounded once. An exponent
// of ±400 yields 0 or ∞ for every u0.
func scaleBy(m *machine, in *vcode.Inst) {
	narrowed := VFCVTN
	if in.Key.Type == ir.F16 {
		m.fromHalf(0, m.vec(in.Uses[0], 0))
		narrowed = VFCVTXN
	} else {
		m.loadVec(0, in.Uses[0])
	}
	m.loadVec(1, in.Uses[1])
	const limit, bias = 400, 1023
	m.fill(2, limit)
	m.s4(VSMIN, 1, 1, 2)
	m.V2(VNEG, S4, 2, 2)
	m.s4(VSMAX, 1, 1, 2)
	m.fill(2, bias)
	m.s4(VADD, 1, 1, 2)
	for i, x := range [...]Reg{3, 0} {
		m.widenFloat(x, 0, i)
		m.widen(VUXTL, x+1, 1, i)
		m.VI(VSHL, D2, x+1, x+1, 52)
		m.V(VFMUL, D2, x, x, x+1)
	}
	m.V2(narrowed, S2, 2, 3)
	m.V2(narrowed, S4, 2, 0)
	m.doneFloat(in, 2)
}

// scaleDouble is u0·2^u1 of f64, rounded once: a product with three powers of two, as one has an exponent from −1022 to 1023. Of the
// first two, −969 leaves −54 or less for the last one. Then a denormal product with them, which may be rounded, is less than half of the
// least denormal in the end.
func scaleDouble(m *machine, in *vcode.Inst) {
	const least, most, step, bias = -1022, 1023, -969, 1023
	fill := func(v Reg, k int32) { m.fill(v, uint32(k)) }
	for i := range 2 {
		m.loadHalf(0, in.Uses[0], i)
		m.loadVec(1, in.Uses[1])
		for n := range 3 {
			fill(2, most)
			if n == 2 {
				m.s4(VSMIN, 3, 1, 2)
				fill(2, least)
				m.s4(VSMAX, 3, 3, 2)
			} else {
				m.s4(VCMGT, 3, 1, 2)
				m.bits(VAND, 3, 3, 2)
				fill(2, least)
				m.s4(VCMGT, 4, 2, 1)
				fill(2, step)
				m.bits(VAND, 4, 4, 2)
				m.bits(VORR, 3, 3, 4)
			}
			m.s4(VSUB, 1, 1, 3)
			fill(2, bias)
			m.s4(VADD, 2, 2, 3)
			m.widen(VUXTL, 2, 2, i)
			m.VI(VSHL, D2, 2, 2, 52)
			m.V(VFMUL, D2, 0, 0, 2)
		}
		m.doneHalf(in, i, 0)
	}
}

package arm64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
)

// narrowTypes are the integers of fewer bits than a lane; the upper bits are zeros.
var narrowTypes = [...]ir.Type{ir.I8, ir.I16}

// divisions are the rules of quotients, remainders and bit fields of all integers.
func divisions() map[codegen.Rule]emitter {
	r := map[codegen.Rule]emitter{}
	for _, t := range [...]ir.Type{ir.I8, ir.I16, ir.I32, ir.I64} {
		for _, op := range [...]ir.Op{ir.UDiv, ir.UMod} {
			r[codegen.Rule{op, t, t}] = lanewise(t, truncated, division(op))
		}
		for _, op := range [...]ir.Op{ir.SDiv, ir.SRem, ir.SMod} {
			r[codegen.Rule{op, t, t}] = lanewise(t, signExtended|truncated, division(op))
		}
		r[codegen.Rule{ir.BitFieldU, t, t}] = lanewise(t, plain32, fieldUnsigned)
		r[codegen.Rule{ir.BitFieldS, t, t}] = lanewise(t, truncated, fieldSigned)
		r[codegen.Rule{ir.BitFieldMask, t, ir.I32}] = lanewise(t, truncated, fieldMask)
	}
	return r
}

// narrow are the rules of integers of 8 and 16 bits, in 32-bit lanes.
func narrow() map[codegen.Rule]emitter {
	r := map[codegen.Rule]emitter{}
	for _, t := range narrowTypes {
		both := signExtended | truncated
		for op, b := range map[ir.Op]struct {
			how extension
			do  body
		}{
			ir.Add: {truncated, direct(VADD)}, ir.Sub: {truncated, direct(VSUB)}, ir.Mul: {truncated, direct(VMUL)},
			ir.And: {plain32, logic(VAND)}, ir.Or: {plain32, logic(VORR)}, ir.Xor: {plain32, logic(VEOR)},
			ir.Not:  {truncated, func(m *machine, _ Arr, _ uint32) { m.V2(VNOT, B16, 0, 0) }},
			ir.UMin: {plain32, direct(VUMIN)}, ir.UMax: {plain32, direct(VUMAX)}, ir.SMin: {both, direct(VSMIN)}, ir.SMax: {both, direct(VSMAX)},
			ir.SAbs: {both, single(VABS)}, ir.Shl: {truncated, shiftBy(VUSHL, false)}, ir.LShr: {plain32, shiftBy(VUSHL, true)},
			ir.AShr: {both, shiftBy(VSSHL, true)}, ir.UMulHi: {plain32, narrowHigh(VUSHR)}, ir.SMulHi: {both, narrowHigh(VSSHR)},
			ir.AddCarry: {plain32, func(m *machine, t Arr, bits uint32) {
				m.V(VADD, t, 0, 0, 1)
				m.VI(VUSHR, t, 0, 0, int64(bits)) // the carry is the bit above the type
			}},
			ir.SubBorrow: {plain32, func(m *machine, t Arr, _ uint32) { lessBit(m, t) }},
			ir.BitCount:  {plain32, func(m *machine, _ Arr, _ uint32) { m.countBits(0, 0) }},
			ir.BitReverse: {plain32, func(m *machine, t Arr, bits uint32) {
				m.reverseBits(0, 0)
				m.VI(VUSHR, t, 0, 0, int64(32-bits)) // a reversed lane has the value at its top
			}},
			ir.FindLsb:  {truncated, func(m *machine, _ Arr, _ uint32) { m.lowest(0, 0) }},
			ir.FindUMsb: {truncated, func(m *machine, _ Arr, _ uint32) { m.highest(0, 0) }},
			ir.FindSMsb: {both, func(m *machine, _ Arr, _ uint32) { m.highestSigned(0, 0) }},
		} {
			r[codegen.Rule{op, t, t}] = lanewise(t, b.how, b.do)
		}
		// Zeros above the values preserve the unsigned order.
		r[codegen.Rule{ir.Eq, ir.B1, t}] = binaryOp(VCMEQ, S4)
		r[codegen.Rule{ir.ULt, ir.B1, t}] = swappedOp(VCMHI, S4)
		r[codegen.Rule{ir.ULe, ir.B1, t}] = swappedOp(VCMHS, S4)
		r[codegen.Rule{ir.SLt, ir.B1, t}] = lanewise(t, signExtended, func(m *machine, t Arr, _ uint32) { m.V(VCMGT, t, 0, 1, 0) })
		r[codegen.Rule{ir.SLe, ir.B1, t}] = lanewise(t, signExtended, func(m *machine, t Arr, _ uint32) { m.V(VCMGE, t, 0, 1, 0) })
	}
	return r
}

// narrowHigh is the high half of a product that fits in 32 bits.
func narrowHigh(shift Op) body {
	return func(m *machine, t Arr, bits uint32) {
		m.V(VMUL, t, 0, 0, 1)
		m.VI(shift, t, 0, 0, int64(bits))
	}
}

// longs are the rules of integers of 64 bits.
func longs() map[codegen.Rule]emitter {
	const t = ir.I64
	r := map[codegen.Rule]emitter{
		{ir.Eq, ir.B1, t}:  longCompare(VCMEQ, false),
		{ir.ULt, ir.B1, t}: longCompare(VCMHI, true),
		{ir.ULe, ir.B1, t}: longCompare(VCMHS, true),
		{ir.SLt, ir.B1, t}: longCompare(VCMGT, true),
		{ir.SLe, ir.B1, t}: longCompare(VCMGE, true),
	}
	scalar := func(op Op) body {
		return scalarBody(func(m *machine, w Op) { m.R(op|w, X0, X0, X1) })
	}
	for op, do := range map[ir.Op]body{
		ir.Add: direct(VADD), ir.Sub: direct(VSUB), ir.And: logic(VAND), ir.Or: logic(VORR), ir.Xor: logic(VEOR),
		ir.Not: func(m *machine, _ Arr, _ uint32) { m.V2(VNOT, B16, 0, 0) },
		ir.Mul: scalar(MUL), ir.UMulHi: scalarBody(func(m *machine, _ Op) { m.R(UMULH, X0, X0, X1) }),
		ir.SMulHi: scalarBody(func(m *machine, _ Op) { m.R(SMULH, X0, X0, X1) }),
		ir.UMin:   choice(VCMHI, true), ir.UMax: choice(VCMHI, false), ir.SMin: choice(VCMGT, true), ir.SMax: choice(VCMGT, false),
		ir.SAbs: single(VABS), ir.Shl: shiftBy(VUSHL, false), ir.LShr: shiftBy(VUSHL, true), ir.AShr: shiftBy(VSSHL, true),
		ir.AddCarry: func(m *machine, t Arr, _ uint32) {
			m.V(VADD, t, 2, 0, 1)
			m.moveVec(1, 0)
			m.moveVec(0, 2)
			lessBit(m, t)
		},
		ir.SubBorrow: func(m *machine, t Arr, _ uint32) { lessBit(m, t) },
		ir.BitCount: func(m *machine, _ Arr, _ uint32) {
			m.V2(VCNT, B16, 0, 0)
			for _, arr := range [...]Arr{B8, H4, S2} {
				m.V2(VUADDLP, arr, 0, 0)
			}
		},
		ir.BitReverse: func(m *machine, _ Arr, _ uint32) {
			m.V2(VRBIT, B16, 0, 0)
			m.V2(VREV64, B16, 0, 0)
		},
		ir.FindLsb: scalarBody(func(m *machine, w Op) {
			m.R(RBIT|w, X1, X0, 0)
			m.R(CLZ|w, X1, X1, 0)
			m.cmpI(w, X0, 0)
			m.Select(CSINV|w, X0, X1, ZR, NE)
		}),
		ir.FindUMsb: fromTop(CLZ, 63),
		ir.FindSMsb: fromTop(CLS, 62),
	} {
		r[codegen.Rule{op, t, t}] = lanewise(t, plain32, do)
	}
	return r
}

// fromTop is k less a count of leading bits.
func fromTop(op Op, k uint64) body {
	return scalarBody(func(m *machine, w Op) {
		m.R(op|w, X1, X0, 0)
		m.MovI(X0, k)
		m.R(SUB|w, X0, X0, X1)
	})
}

// doubles are the rules of f64.
func doubles() map[codegen.Rule]emitter {
	const t = ir.F64
	r := map[codegen.Rule]emitter{
		{ir.FEq, ir.B1, t}: longCompare(VFCMEQ, false),
		{ir.FLt, ir.B1, t}: longCompare(VFCMGT, true),
		{ir.FLe, ir.B1, t}: longCompare(VFCMGE, true),
	}
	for op, do := range map[ir.Op]body{
		ir.FAdd: direct(VFADD), ir.FSub: direct(VFSUB), ir.FMul: direct(VFMUL), ir.FDiv: direct(VFDIV), ir.FSqrt: single(VFSQRT),
		ir.FFma: fusedProduct, ir.FNeg: single(VFNEG), ir.FAbs: single(VFABS), ir.FFloor: single(VFRINTM), ir.FCeil: single(VFRINTP),
		ir.FTrunc: single(VFRINTZ), ir.FRoundEven: single(VFRINTN), ir.FMin: lesserBody(false), ir.FMax: lesserBody(true),
		ir.NMin:   func(m *machine, t Arr, _ uint32) { m.numeric(t, 0, 1, VFMINNM) },
		ir.NMax:   func(m *machine, t Arr, _ uint32) { m.numeric(t, 0, 1, VFMAXNM) },
		ir.FCanon: func(m *machine, t Arr, _ uint32) { m.canonical(t, 0, 0) },
		ir.FFlush: func(m *machine, t Arr, _ uint32) {
			m.lanesOf(t, 1, 0x7ff0000000000000)
			m.V(VCMTST, t, 1, 0, 1)
			m.lanesOf(t, 2, 1<<63)
			m.bits(VORR, 1, 1, 2)
			m.bits(VAND, 0, 0, 1)
		},
	} {
		r[codegen.Rule{op, t, t}] = lanewise(t, plain32, do)
	}
	r[codegen.Rule{ir.FLdexp, t, t}] = scaleDouble
	for _, from := range [...]ir.Type{ir.I64, ir.F64} {
		r[codegen.Rule{ir.Bitcast, ir.I64, from}] = (*machine).copy
		r[codegen.Rule{ir.Bitcast, ir.F64, from}] = (*machine).copy
		r[codegen.Rule{ir.Select, from, ir.B1}] = selectLong
	}
	return r
}

// fusedProduct is V0·V1 + V2, rounded once.
func fusedProduct(m *machine, t Arr, _ uint32) {
	m.V(VFMLA, t, 2, 0, 1)
	m.moveVec(0, 2)
}

// lesserBody is y < x ? y : x, or x < y ? y : x, of x in V0 and y in V1.
func lesserBody(most bool) body {
	return func(m *machine, t Arr, _ uint32) {
		x, y := Reg(0), Reg(1)
		if most {
			x, y = y, x
		}
		m.V(VFCMGT, t, 3, x, y)
		m.bits(VBIT, 0, 1, 3)
	}
}

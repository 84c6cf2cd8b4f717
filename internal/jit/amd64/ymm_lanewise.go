package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// ymmBody emits an operation on operands in Y0, Y1 and Y2, with the result in Y0. It may clobber Y3
// and Y4 too. The operands are always copied to these registers: a body has no register of its own,
// and serves narrow types and 64-bit types alike.
type ymmBody func(m ymm, in *vcode.Inst, e element)

// ymmLanewise is an operation with result and first operand of type t. For 64 bits it emits the body
// twice, for lanes 0 to 3 and 4 to 7. All operands of a half are loaded before its result is stored,
// so that the result may share its slot or its register with an operand.
func ymmLanewise(t ir.Type, how extension, do ymmBody) ymmEmitter {
	e := elementOf(t)
	return func(m ymm, in *vcode.Inst) {
		for i := range m.pieces(e) {
			for n, u := range in.Uses {
				m.load(e, Reg(n), u, i)
				if how&signExtended != 0 {
					m.signExtend(Reg(n), e.bits)
				}
			}
			do(m, in, e)
			if how&truncated != 0 {
				m.truncate(0, e.bits)
			}
			m.store(e, in, i, 0)
		}
	}
}

// load puts an operand, or its i-th four lanes, into y. A 32-bit operand in 64-bit lanes is
// zero-extended. Such operands are the exponent of fldexp and the count of a bit field.
func (m ymm) load(e element, y Reg, u vcode.Reg, i int) {
	switch {
	case !e.wide:
		m.loadVec(y, u)
	case m.class(u) == vcode.Wide:
		m.loadHalf(y, u, i)
	default:
		m.fourLanes(y, u, i)
		m.rr(AVX_VPMOVZXDQ, y, 0, y)
	}
}

// store writes y to the result, or to its i-th four lanes. It clobbers Y3 and Y4.
func (m ymm) store(e element, in *vcode.Inst, i int, y Reg) {
	if e.wide {
		m.doneHalf(in, i, y)
		return
	}
	m.done(in, y)
}

// number is d = a op a constant in all lanes of e.
func (m ymm) number(e element, op Op, d, a Reg, v uint64) {
	if e.wide {
		m.long(op, d, a, v)
		return
	}
	m.word(op, d, a, uint32(v))
}

// signExtend sign-extends a number below 32 bits. AVX2 has arithmetic shifts of 32-bit lanes, which
// extend from any width.
func (m ymm) signExtend(y Reg, bits uint32) {
	if bits < 32 {
		m.rri(AVX_VPSLLD, y, 0, y, uint8(32-bits))
		m.rri(AVX_VPSRAD, y, 0, y, uint8(32-bits))
	}
}

// truncate clears the bits above a number below 32 bits. It restores the invariant of narrow types:
// zeros above the value.
func (m ymm) truncate(y Reg, bits uint32) {
	if bits < 32 {
		m.word(AVX_VPAND, y, y, 1<<bits-1)
	}
}

// ymmDirect is a body of one instruction on Y0 and Y1.
func ymmDirect(narrow, wide Op) ymmBody {
	return func(m ymm, in *vcode.Inst, e element) { m.rr(e.op(narrow, wide), 0, 0, 1) }
}

// ymmNarrow are the rules of arithmetic, logic and comparisons of integers of 8 and 16 bits.
//
// 8 and 16 bits are computed in 32-bit lanes. Packed bytes would have four times the lanes, but
// lanes are invocations: one of eight, whatever the width of its value. Unsigned operations need no
// extension, because the bits above are 0; signed ones need it for comparisons, minima, right shifts
// and divisions.
func ymmNarrow() map[codegen.Rule]ymmEmitter {
	r := map[codegen.Rule]ymmEmitter{}
	for _, t := range narrowTypes {
		r[codegen.Rule{ir.Add, t, t}] = ymmLanewise(t, truncated, ymmDirect(AVX_VPADDD, 0))
		r[codegen.Rule{ir.Sub, t, t}] = ymmLanewise(t, truncated, ymmDirect(AVX_VPSUBD, 0))
		r[codegen.Rule{ir.Mul, t, t}] = ymmLanewise(t, truncated, ymmDirect(AVX_VPMULLD, 0))
		r[codegen.Rule{ir.And, t, t}] = ymmCommutativeOp(AVX_VPAND)
		r[codegen.Rule{ir.Or, t, t}] = ymmCommutativeOp(AVX_VPOR)
		r[codegen.Rule{ir.Xor, t, t}] = ymmCommutativeOp(AVX_VPXOR)
		r[codegen.Rule{ir.Not, t, t}] = ymmConstOp(AVX_VPXOR, uint32(elementOf(t).mask()))
		r[codegen.Rule{ir.UMin, t, t}] = ymmCommutativeOp(AVX_VPMINUD)
		r[codegen.Rule{ir.UMax, t, t}] = ymmCommutativeOp(AVX_VPMAXUD)
		r[codegen.Rule{ir.SMin, t, t}] = ymmLanewise(t, signExtended|truncated, ymmDirect(AVX_VPMINSD, 0))
		r[codegen.Rule{ir.SMax, t, t}] = ymmLanewise(t, signExtended|truncated, ymmDirect(AVX_VPMAXSD, 0))
		r[codegen.Rule{ir.SAbs, t, t}] = ymmLanewise(t, signExtended|truncated, func(m ymm, in *vcode.Inst, e element) { m.rr(AVX_VPABSD, 0, 0, 0) })
		r[codegen.Rule{ir.Shl, t, t}] = ymmLanewise(t, truncated, ymmShiftBy(AVX_VPSLLVD, 0))
		r[codegen.Rule{ir.LShr, t, t}] = ymmLanewise(t, plain, ymmShiftBy(AVX_VPSRLVD, 0))
		r[codegen.Rule{ir.AShr, t, t}] = ymmLanewise(t, signExtended|truncated, ymmShiftBy(AVX_VPSRAVD, 0))
		r[codegen.Rule{ir.UMulHi, t, t}] = ymmLanewise(t, plain, ymmMultiplyShift(AVX_VPSRLD))
		r[codegen.Rule{ir.SMulHi, t, t}] = ymmLanewise(t, signExtended|truncated, ymmMultiplyShift(AVX_VPSRAD))
		r[codegen.Rule{ir.AddCarry, t, t}] = ymmLanewise(t, plain, func(m ymm, in *vcode.Inst, e element) {
			m.rr(AVX_VPADDD, 0, 0, 1)
			// The carry is the bit above the type.
			m.rri(AVX_VPSRLD, 0, 0, 0, uint8(e.bits))
		})
		r[codegen.Rule{ir.SubBorrow, t, t}] = ymmBorrow
		r[codegen.Rule{ir.Eq, ir.B1, t}] = ymmCommutativeOp(AVX_VPCMPEQD)
		// Zeros above the values preserve the unsigned order, so the rules of 32 bits apply.
		r[codegen.Rule{ir.ULt, ir.B1, t}] = ymmBelow
		r[codegen.Rule{ir.ULe, ir.B1, t}] = ymmBelowEqual
		r[codegen.Rule{ir.SLt, ir.B1, t}] = ymmNarrowCompare(t)
		r[codegen.Rule{ir.SLe, ir.B1, t}] = ymmNarrowCompare(t)
		for _, op := range [...]ir.Op{ir.UDiv, ir.UMod} {
			r[codegen.Rule{op, t, t}] = ymmLanewise(t, truncated, ymmDivided)
		}
		for _, op := range [...]ir.Op{ir.SDiv, ir.SRem, ir.SMod} {
			r[codegen.Rule{op, t, t}] = ymmLanewise(t, signExtended|truncated, ymmDivided)
		}
		ymmNarrowBits(r, t)
	}
	return r
}

// ymmNarrowBits adds the rules of bit counts, bit searches and bit fields.
func ymmNarrowBits(r map[codegen.Rule]ymmEmitter, t ir.Type) {
	unary := func(do func(m ymm, d, x Reg)) ymmBody {
		return func(m ymm, in *vcode.Inst, e element) { do(m, 0, 0) }
	}
	r[codegen.Rule{ir.BitCount, t, t}] = ymmLanewise(t, plain, unary(ymm.countBits))
	r[codegen.Rule{ir.BitReverse, t, t}] = ymmLanewise(t, plain, func(m ymm, in *vcode.Inst, e element) {
		m.reverseBits(0, 0)
		// A reversed lane has the value at its top.
		m.rri(AVX_VPSRLD, 0, 0, 0, uint8(32-e.bits))
	})
	r[codegen.Rule{ir.FindLsb, t, t}] = ymmLanewise(t, truncated, unary(ymm.lowest))
	r[codegen.Rule{ir.FindUMsb, t, t}] = ymmLanewise(t, truncated, unary(ymm.highest))
	r[codegen.Rule{ir.FindSMsb, t, t}] = ymmLanewise(t, signExtended|truncated, unary(ymm.highestSigned))
	r[codegen.Rule{ir.BitFieldU, t, t}] = ymmLanewise(t, plain, ymmFieldOf)
	r[codegen.Rule{ir.BitFieldS, t, t}] = ymmLanewise(t, truncated, ymmFieldSigned)
	r[codegen.Rule{ir.BitFieldMask, t, ir.I32}] = ymmLanewise(t, truncated, ymmFieldMask)
}

// ymmNarrowCompare compares signed numbers below 32 bits: it shifts them to the top of their lanes.
// Then the sign bit of the value is the lane's, and one shift replaces the two of a sign extension.
func ymmNarrowCompare(t ir.Type) ymmEmitter {
	by := uint8(32 - t.Bits())
	return func(m ymm, in *vcode.Inst) {
		for n, u := range in.Uses {
			m.rri(AVX_VPSLLD, Reg(n), 0, m.vec(u, Reg(n)), by)
		}
		d := m.dest(in, 0)
		if in.IR == ir.SLt {
			m.rr(AVX_VPCMPGTD, d, 1, 0)
		} else {
			m.rr(AVX_VPCMPGTD, 0, 0, 1)
			m.invert(d, 0)
		}
		m.done(in, d)
	}
}

// ymmShiftBy is a shift with the count modulo the width. Variable vector shifts yield 0 for larger
// counts, unlike the scalar ones, which ignore the upper bits.
func ymmShiftBy(narrow, wide Op) ymmBody {
	return func(m ymm, in *vcode.Inst, e element) {
		m.number(e, AVX_VPAND, 1, 1, uint64(e.bits-1))
		m.rr(e.op(narrow, wide), 0, 0, 1)
	}
}

// ymmMultiplyShift is the high half of a product that fits in 32 bits. 16 bits by 16 bits are at
// most 32 bits; the upper half starts at the type's width.
func ymmMultiplyShift(shift Op) ymmBody {
	return func(m ymm, in *vcode.Inst, e element) {
		m.rr(AVX_VPMULLD, 0, 0, 1)
		m.rri(shift, 0, 0, 0, uint8(e.bits))
	}
}

// ymmDivided divides narrow integers in 32-bit lanes, which hold them exactly.
func ymmDivided(m ymm, in *vcode.Inst, e element) {
	m.divide(in.IR, 0, 1)
	m.moveVec(0, 2)
}

// lowOnes replaces the count in Y2 by that many low one bits, all ones from the lane width on. It
// clobbers Y3. (1 << n) − 1. A shift by the lane width or more yields 0, and 0 − 1 is all ones.
func (m ymm) lowOnes(e element) {
	m.zero(3)
	m.number(e, e.op(AVX_VPADDD, AVX_VPADDQ), 3, 3, 1)
	m.rr(e.op(AVX_VPSLLVD, AVX_VPSLLVQ), 2, 3, 2)
	m.rr(e.op(AVX_VPSUBD, AVX_VPSUBQ), 2, 2, 3)
}

// ymmFieldOf shifts the field to the bottom of the lane and clears the bits above.
func ymmFieldOf(m ymm, in *vcode.Inst, e element) {
	m.lowOnes(e)
	m.rr(e.op(AVX_VPSRLVD, AVX_VPSRLVQ), 0, 0, 1)
	m.rr(AVX_VPAND, 0, 0, 2)
}

// ymmFieldSigned shifts the field to the top of the lane and back.
//
// The shift to the top has lane − n bits, with n clamped to the width of the type. So for 8 bits of
// a 32-bit lane at most 8 bits survive, and the final truncation clears the sign bits above.
func ymmFieldSigned(m ymm, in *vcode.Inst, e element) {
	m.rr(e.op(AVX_VPSRLVD, AVX_VPSRLVQ), 0, 0, 1)
	m.number(narrowInt, AVX_VPMINUD, 2, 2, uint64(e.bits)) // a count has 32 bits
	m.zero(1)
	m.number(e, e.op(AVX_VPADDD, AVX_VPADDQ), 1, 1, uint64(e.lane()))
	m.rr(e.op(AVX_VPSUBD, AVX_VPSUBQ), 1, 1, 2)
	m.rr(e.op(AVX_VPSLLVD, AVX_VPSLLVQ), 0, 0, 1)
	if e.wide {
		m.arithmeticShift(0, 1)
		return
	}
	m.rr(AVX_VPSRAVD, 0, 0, 1)
}

// ymmFieldMask has the offset in Y0 and the count in Y1. Its operands are two 32-bit counts, unlike
// the other bit fields: load zero-extends them for 64-bit results.
func ymmFieldMask(m ymm, in *vcode.Inst, e element) {
	m.moveVec(2, 1)
	m.lowOnes(e)
	m.rr(e.op(AVX_VPSLLVD, AVX_VPSLLVQ), 0, 2, 0)
}

package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// ymmInt64 are the rules of 64-bit integers, four lanes at a time.
//
// AVX2 has addition, subtraction, logic, logical shifts and equality of 64-bit lanes, and a signed
// greater-than. The rest is composed: multiplication from 32-bit products, minima from comparisons,
// bit searches from both words.
func ymmInt64() map[codegen.Rule]ymmEmitter {
	const t = ir.I64
	lanes := func(do ymmBody) ymmEmitter { return ymmLanewise(t, plain, do) }
	r := map[codegen.Rule]ymmEmitter{
		{ir.Add, t, t}:       ymmWideOp(AVX_VPADDQ),
		{ir.Sub, t, t}:       ymmWideOp(AVX_VPSUBQ),
		{ir.Mul, t, t}:       lanes(ymmMultiplyWide),
		{ir.And, t, t}:       ymmWideOp(AVX_VPAND),
		{ir.Or, t, t}:        ymmWideOp(AVX_VPOR),
		{ir.Xor, t, t}:       ymmWideOp(AVX_VPXOR),
		{ir.Not, t, t}:       lanes(func(m ymm, in *vcode.Inst, e element) { m.invert(0, 0) }),
		{ir.UMin, t, t}:      lanes(ymmExtremeWide(false, sign64)),
		{ir.UMax, t, t}:      lanes(ymmExtremeWide(true, sign64)),
		{ir.SMin, t, t}:      lanes(ymmExtremeWide(false, 0)),
		{ir.SMax, t, t}:      lanes(ymmExtremeWide(true, 0)),
		{ir.SAbs, t, t}:      lanes(ymmAbsoluteWide),
		{ir.Shl, t, t}:       lanes(ymmShiftBy(0, AVX_VPSLLVQ)),
		{ir.LShr, t, t}:      lanes(ymmShiftBy(0, AVX_VPSRLVQ)),
		{ir.AShr, t, t}:      lanes(ymmShiftWide),
		{ir.UMulHi, t, t}:    lanes(ymmHighWide),
		{ir.SMulHi, t, t}:    lanes(ymmHighWideSigned),
		{ir.AddCarry, t, t}:  lanes(ymmCarryWide),
		{ir.SubBorrow, t, t}: lanes(ymmBorrowWide),
		{ir.BitCount, t, t}:  lanes(ymmCountWide),
		{ir.FindLsb, t, t}:   lanes(ymmLowestWide),
		{ir.FindUMsb, t, t}:  lanes(ymmHighestWide),
		{ir.FindSMsb, t, t}:  lanes(ymmHighestWideSigned),
		{ir.BitReverse, t, t}: lanes(func(m ymm, in *vcode.Inst, e element) {
			// The bytes of each 64-bit lane are reversed after the bits of each byte.
			m.reverseInBytes(0, 0)
			m.rm(AVX_VPSHUFB, 0, 0, m.vector8([8]uint32{0x04050607, 0x00010203, 0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203, 0x0c0d0e0f, 0x08090a0b}))
		}),
		{ir.BitFieldU, t, t}:         lanes(ymmFieldOf),
		{ir.BitFieldS, t, t}:         lanes(ymmFieldSigned),
		{ir.BitFieldMask, t, ir.I32}: lanes(ymmFieldMask),

		{ir.Eq, ir.B1, t}:  ymmCompareWide,
		{ir.ULt, ir.B1, t}: ymmCompareWide,
		{ir.ULe, ir.B1, t}: ymmCompareWide,
		{ir.SLt, ir.B1, t}: ymmCompareWide,
		{ir.SLe, ir.B1, t}: ymmCompareWide,

		{ir.Select, ir.I64, ir.B1}: ymmSelectWide,
		{ir.Select, ir.F64, ir.B1}: ymmSelectWide,
	}
	for _, op := range [...]ir.Op{ir.UDiv, ir.UMod, ir.SDiv, ir.SRem, ir.SMod} {
		r[codegen.Rule{op, t, t}] = lanes(ymmDivideWide)
	}
	return r
}

// ymmMultiplyWide adds the products of 32-bit halves that contribute to the low 64 bits.
//
// With a = ah·2³² + al, and b alike, the product modulo 2⁶⁴ is al·bl + (ah·bl + al·bh)·2³²; the
// fourth product contributes nothing. AVX-512 has VPMULLQ.
func ymmMultiplyWide(m ymm, in *vcode.Inst, e element) {
	m.rri(AVX_VPSRLQ, 2, 0, 0, 32)
	m.rr(AVX_VPMULUDQ, 2, 2, 1)
	m.rri(AVX_VPSRLQ, 3, 0, 1, 32)
	m.rr(AVX_VPMULUDQ, 3, 3, 0)
	m.rr(AVX_VPADDQ, 2, 2, 3)
	m.rri(AVX_VPSLLQ, 2, 0, 2, 32)
	m.rr(AVX_VPMULUDQ, 0, 0, 1)
	m.rr(AVX_VPADDQ, 0, 0, 2)
}

// greater is d = a > b with 64 bits, after flipping the bits of flip: the sign bit, for unsigned
// numbers. It clobbers t. Flipping the sign bit maps the unsigned order to the signed one: 0 becomes
// the least number.
func (m ymm) greater(d, t, a, b Reg, flip uint64) {
	if flip != 0 {
		m.long(AVX_VPXOR, t, b, flip)
		m.long(AVX_VPXOR, d, a, flip)
		a, b = d, t
	}
	m.rr(AVX_VPCMPGTQ, d, a, b)
}

// ymmExtremeWide is the maximum or minimum of 64-bit integers. AVX2 compares only signed ones: flip is the sign bit for unsigned ones.
func ymmExtremeWide(most bool, flip uint64) ymmBody {
	return func(m ymm, in *vcode.Inst, e element) {
		m.greater(2, 3, 0, 1, flip)
		if most {
			m.rri(AVX_VBLENDVPD, 0, 1, 0, is4(2))
		} else {
			m.rri(AVX_VBLENDVPD, 0, 0, 1, is4(2))
		}
	}
}

// signs sets d to all ones in lanes with negative x. d may be x. AVX2 has no arithmetic shift of
// 64-bit lanes: the upper word's sign is spread in 32 bits and then copied to both words.
func (m ymm) signs(d, x Reg) {
	m.rri(AVX_VPSRAD, d, 0, x, 31)
	m.rri(AVX_VPSHUFD, d, 0, d, 0xf5)
}

// (x xor s) − s, with s the sign as 0 or −1. The least number is its own absolute value.
func ymmAbsoluteWide(m ymm, in *vcode.Inst, e element) {
	m.signs(1, 0)
	m.rr(AVX_VPXOR, 0, 0, 1)
	m.rr(AVX_VPSUBQ, 0, 0, 1)
}

// arithmeticShift shifts x right by n arithmetically: AVX2 has only the logical shift of 64 bits, so
// it shifts x xor its sign. It clobbers Y3. For a negative x this is ¬(¬x >> n): the inverted number
// has zeros above, which the second xor turns into ones.
func (m ymm) arithmeticShift(x, n Reg) {
	m.signs(3, x)
	m.rr(AVX_VPXOR, x, x, 3)
	m.rr(AVX_VPSRLVQ, x, x, n)
	m.rr(AVX_VPXOR, x, x, 3)
}

// The count is modulo 64; the instruction itself would yield 0 from 64 on.
func ymmShiftWide(m ymm, in *vcode.Inst, e element) {
	m.long(AVX_VPAND, 1, 1, 63)
	m.arithmeticShift(0, 1)
}

// ymmHighWide is the high half of an unsigned product; see multiplyHighWide. It preserves Y1.
//
// The four products of 32-bit halves at their places, each with 64 bits. No sum overflows: (2³² −
// 1)² + 2·(2³² − 1) is 2⁶⁴ − 1.
//
//	ah·bh           bits 64 to 127
//	ah·bl, al·bh    bits 32 to 95
//	al·bl           bits 0 to 63
func ymmHighWide(m ymm, in *vcode.Inst, e element) {
	m.rr(AVX_VPMULUDQ, 2, 0, 1)    // ll
	m.rri(AVX_VPSRLQ, 2, 0, 2, 32) // its upper half
	m.rri(AVX_VPSRLQ, 3, 0, 1, 32)
	m.rr(AVX_VPMULUDQ, 4, 0, 3) // lh
	m.rri(AVX_VPSRLQ, 0, 0, 0, 32)
	m.rr(AVX_VPMULUDQ, 3, 0, 3) // hh
	m.rr(AVX_VPMULUDQ, 0, 0, 1) // hl
	m.rr(AVX_VPADDQ, 0, 0, 2)
	m.rri(AVX_VPSRLQ, 2, 0, 0, 32)
	m.rr(AVX_VPADDQ, 3, 3, 2)
	m.long(AVX_VPAND, 0, 0, 1<<32-1)
	m.rr(AVX_VPADDQ, 0, 0, 4)
	m.rri(AVX_VPSRLQ, 0, 0, 0, 32)
	m.rr(AVX_VPADDQ, 0, 0, 3)
}

// ymmHighWideSigned subtracts from the unsigned product each operand if the other is negative. The
// first operand is saved in the scratch memory.
//
// Modulo 2⁶⁴ a negative a is the unsigned number a + 2⁶⁴, and its product with b has b·2⁶⁴ too much.
// AVX-512 has registers for the saved operand; here all five scratch vectors are in use.
func ymmHighWideSigned(m ymm, in *vcode.Inst, e element) {
	m.rm(AVX_VMOVUPS_ST, 0, 0, m.scratch(scratchOperand))
	ymmHighWide(m, in, e)
	m.rm(AVX_VMOVUPS, 2, 0, m.scratch(scratchOperand))
	m.signs(3, 2)
	m.rr(AVX_VPAND, 3, 3, 1)
	m.rr(AVX_VPSUBQ, 0, 0, 3)
	m.signs(3, 1)
	m.rr(AVX_VPAND, 3, 3, 2)
	m.rr(AVX_VPSUBQ, 0, 0, 3)
}

// The sum is less than an operand if and only if it wrapped, so that a + b is compared with b.
func ymmCarryWide(m ymm, in *vcode.Inst, e element) {
	m.rr(AVX_VPADDQ, 0, 0, 1)
	ymmBorrowWide(m, in, e)
}

// ymmBorrowWide is 1 if Y0 < Y1.
func ymmBorrowWide(m ymm, in *vcode.Inst, e element) {
	m.greater(2, 3, 1, 0, sign64)
	m.rri(AVX_VPSRLQ, 0, 0, 2, 63)
}

// ymmCountWide adds the counts of the halves. countBits counts in 32-bit lanes; the sum of both is
// at most 64, in the low word.
func ymmCountWide(m ymm, in *vcode.Inst, e element) {
	m.countBits(0, 0)
	m.rri(AVX_VPSRLQ, 1, 0, 0, 32)
	m.rr(AVX_VPADDD, 0, 0, 1)
	m.long(AVX_VPAND, 0, 0, 1<<32-1)
}

// ymmHighestWide is the number of the upper half's highest bit, plus 32, or else the lower half's.
//
// The 32-bit search returns −1 for 0, which selects between the words. The result has 64 bits, so
// that −1 needs all ones in the upper word too.
//
//	upper word ≠ 0     32 + its highest bit
//	else               the highest bit of the lower word, or −1
func ymmHighestWide(m ymm, in *vcode.Inst, e element) {
	m.highest(0, 0)
	m.word(AVX_VPADDD, 1, 0, 32)
	m.rri(AVX_VPSHUFD, 1, 0, 1, 0xf5) // of the upper half
	m.rri(AVX_VPSHUFD, 2, 0, 0, 0xf5) // negative if there is none
	m.rri(AVX_VPSHUFD, 0, 0, 0, 0xa0) // of the lower half
	m.blend(0, 1, 0, 2)
	m.rri(AVX_VPSRAD, 1, 0, 0, 31)
	m.rri(AVX_VPBLENDD, 0, 0, 1, 0xaa) // sign extension
}

// Bits that differ from the sign bit are ones after xor with the sign.
func ymmHighestWideSigned(m ymm, in *vcode.Inst, e element) {
	m.signs(1, 0)
	m.rr(AVX_VPXOR, 0, 0, 1)
	ymmHighestWide(m, in, e)
}

// x & −x has one bit, which is the highest one too.
func ymmLowestWide(m ymm, in *vcode.Inst, e element) {
	m.zero(1)
	m.rr(AVX_VPSUBQ, 1, 1, 0)
	m.rr(AVX_VPAND, 0, 0, 1)
	ymmHighestWide(m, in, e)
}

// ymmCompareWide compares four lanes at a time and combines both masks. a <= b is computed as not b
// < a, since there is only a greater-than. The inversion is done on the combined mask, once.
func ymmCompareWide(m ymm, in *vcode.Inst) {
	flip := uint64(0)
	if in.IR == ir.ULt || in.IR == ir.ULe {
		flip = sign64
	}
	for i := range 2 {
		d := Reg(i) // Y0 and Y1
		x, y := m.halfVec(in.Uses[0], i, 2), m.halfVec(in.Uses[1], i, 3)
		switch in.IR {
		case ir.Eq:
			m.rr(AVX_VPCMPEQQ, d, x, y)
		case ir.ULt, ir.SLt:
			m.greater(d, 4, y, x, flip)
		default:
			m.greater(d, 4, x, y, flip)
		}
	}
	m.lowWords(0, 0, 1)
	if in.IR == ir.ULe || in.IR == ir.SLe {
		m.invert(0, 0)
	}
	m.done(in, 0)
}

// ymmSelectWide is u0 ? u1 : u2.
func ymmSelectWide(m ymm, in *vcode.Inst) {
	for i := range 2 {
		m.longMask(2, in.Uses[0], i)
		no := m.halfVec(in.Uses[2], i, 0)
		d := m.destHalf(in, i, 0)
		m.withHalfImm(AVX_VBLENDVPD, d, no, in.Uses[1], i, is4(2))
		m.doneHalf(in, i, d)
	}
}

// ymmDivideWide divides lane by lane, through the scratch memory. x86 has no vector division of
// integers, and a double cannot hold a 64-bit dividend. A scalar division costs more than the copies
// through memory (see dividedWide).
func ymmDivideWide(m ymm, in *vcode.Inst, e element) {
	m.rm(AVX_VMOVUPS_ST, 0, 0, m.scratch(scratchOld))
	m.rm(AVX_VMOVUPS_ST, 1, 0, m.scratch(scratchOperand))
	for lane := range int32(4) {
		m.GRM(MOV|W, RAX, m.scratch(scratchOld+8*lane))
		m.GRM(MOV|W, RCX, m.scratch(scratchOperand+8*lane))
		m.divideGen(in.IR)
		m.GRM(MOV_ST|W, RAX, m.scratch(scratchOld+8*lane))
	}
	m.rm(AVX_VMOVUPS, 0, 0, m.scratch(scratchOld))
	if in.IR == ir.SMod { // the remainder is not 0 and has the other sign
		m.zero(2)
		m.rr(AVX_VPXOR, 3, 0, 1)
		m.signs(3, 3)
		m.rr(AVX_VPCMPEQQ, 2, 2, 0)
		m.rr(AVX_VPANDN, 2, 2, 3)
		m.rr(AVX_VPAND, 2, 2, 1)
		m.rr(AVX_VPADDQ, 0, 0, 2)
	}
}

package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// ymmIntegers are the rules of 32-bit integer operations with several instructions.
func ymmIntegers() map[codegen.Rule]ymmEmitter {
	const t = ir.I32
	return map[codegen.Rule]ymmEmitter{
		{ir.UDiv, t, t}:         ymmDivide,
		{ir.SDiv, t, t}:         ymmDivide,
		{ir.UMod, t, t}:         ymmDivide,
		{ir.SRem, t, t}:         ymmDivide,
		{ir.SMod, t, t}:         ymmDivide,
		{ir.UMulHi, t, t}:       ymmHighProduct(AVX_VPMULUDQ),
		{ir.SMulHi, t, t}:       ymmHighProduct(AVX_VPMULDQ),
		{ir.AddCarry, t, t}:     ymmCarry,
		{ir.SubBorrow, t, t}:    ymmBorrow,
		{ir.BitCount, t, t}:     ymmUnaryFunc(ymm.countBits),
		{ir.BitReverse, t, t}:   ymmUnaryFunc(ymm.reverseBits),
		{ir.FindLsb, t, t}:      ymmUnaryFunc(ymm.lowest),
		{ir.FindUMsb, t, t}:     ymmUnaryFunc(ymm.highest),
		{ir.FindSMsb, t, t}:     ymmUnaryFunc(ymm.highestSigned),
		{ir.BitFieldU, t, t}:    ymmBitField,
		{ir.BitFieldS, t, t}:    ymmSignedBitField,
		{ir.BitFieldMask, t, t}: ymmBitFieldMask,
		{ir.Dot4, t, t}:         ymmDotBytes,
	}
}

// ymmAdd is d = u0 + u1. A sum with 1 in the lanes of a mask alone, in place, is u0 minus the mask: −1 or 0.
func ymmAdd(m ymm, in *vcode.Inst) {
	one, ok := m.f.Const(in.Uses[1])
	x, placed := m.phys(in.Defs[0])
	switch {
	case !ok || one != 1 || !in.Merging || in.Uses[0] != in.Defs[0] || m.always(in):
		ymmCommutativeOp(AVX_VPADDD)(m, in)
	case placed:
		m.with(AVX_VPSUBD, x, x, in.Masks[0])
	default:
		m.rm(AVX_VMOVUPS, 0, 0, m.slot(in.Defs[0]))
		m.with(AVX_VPSUBD, 0, 0, in.Masks[0])
		m.rm(AVX_VMOVUPS_ST, 0, 0, m.slot(in.Defs[0]))
	}
}

// ymmUnaryFunc is d = do(u0). do writes d last. d may be the register of x, so that do must not read
// x after writing d.
func ymmUnaryFunc(do func(m ymm, d, x Reg)) ymmEmitter {
	return func(m ymm, in *vcode.Inst) {
		x := m.vec(in.Uses[0], 0)
		d := m.dest(in, 0)
		do(m, d, x)
		m.done(in, d)
	}
}

// ymmHighProduct is the high half of 32-bit products: of the even lanes, and of the odd ones shifted
// to even positions.
//
// VPMULUDQ multiplies the even 32-bit lanes to 64 bits; the upper words of its results are at odd
// positions.
//
//	x >> 32 · y >> 32    the high halves of the odd lanes, in place
//	x · y, >> 32         the high halves of the even lanes
//	blend 0xaa           odd lanes from the first one
func ymmHighProduct(op Op) ymmEmitter {
	return func(m ymm, in *vcode.Inst) {
		x, y := m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1)
		m.rri(AVX_VPSRLQ, 2, 0, x, 32)
		m.rri(AVX_VPSRLQ, 3, 0, y, 32)
		m.rr(op, 2, 2, 3)
		m.rr(op, 3, x, y)
		m.rri(AVX_VPSRLQ, 3, 0, 3, 32)
		d := m.dest(in, 0)
		m.rri(AVX_VPBLENDD, d, 3, 2, 0xaa) // the odd lanes
		m.done(in, d)
	}
}

// lessBit is 1 if a < b, unsigned, and 0 otherwise. It clobbers Y2. max(a, b) = a means a >= b: the
// mask −1 plus 1 is 0, and 0 plus 1 is 1. So the negation of the comparison and the conversion to a
// number are one addition.
func (m ymm) lessBit(in *vcode.Inst, a, b Reg) {
	m.rr(AVX_VPMAXUD, 2, a, b)
	m.rr(AVX_VPCMPEQD, 2, 2, a)
	d := m.dest(in, 0)
	m.word(AVX_VPADDD, d, 2, 1)
	m.done(in, d)
}

// ymmCarry is 1 if the sum is less than an operand.
func ymmCarry(m ymm, in *vcode.Inst) {
	x := m.vec(in.Uses[0], 0)
	m.with(AVX_VPADDD, 1, x, in.Uses[1])
	m.lessBit(in, 1, x)
}

// ymmBorrow is 1 in the lanes with a first operand below the second, as unsigned numbers.
func ymmBorrow(m ymm, in *vcode.Inst) {
	m.lessBit(in, m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1))
}

// countBits sums neighbors in fields of two, four and eight bits (Hacker's Delight, 5-1). It
// clobbers Y1 and Y2. The multiplication by 0x01010101 sums the four bytes in the top one. AVX-512
// has VPOPCNTD on newer processors only.
func (m ymm) countBits(d, x Reg) {
	m.rri(AVX_VPSRLD, 1, 0, x, 1)
	m.word(AVX_VPAND, 1, 1, 0x55555555)
	m.rr(AVX_VPSUBD, 2, x, 1)
	m.rri(AVX_VPSRLD, 1, 0, 2, 2)
	m.word(AVX_VPAND, 1, 1, 0x33333333)
	m.word(AVX_VPAND, 2, 2, 0x33333333)
	m.rr(AVX_VPADDD, 2, 2, 1)
	m.rri(AVX_VPSRLD, 1, 0, 2, 4)
	m.rr(AVX_VPADDD, 2, 2, 1)
	m.word(AVX_VPAND, 2, 2, 0x0f0f0f0f)
	m.word(AVX_VPMULLD, 2, 2, 0x01010101)
	m.rri(AVX_VPSRLD, d, 0, 2, 24)
}

// reverseBits reverses nibbles by table lookup, and then swaps bytes. It clobbers Y1 to Y3. VPSHUFB
// selects bytes within 128 bits, so that the constant has the same positions in both halves.
func (m ymm) reverseBits(d, x Reg) {
	m.reverseInBytes(2, x)
	m.rm(AVX_VPSHUFB, d, 2, m.vector8([8]uint32{0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f}))
}

// reverseInBytes reverses the bits of each byte of x. It clobbers Y1 to Y3. Byte n of the table is
// the reversed nibble n: 0, 8, 4, 12, …. The low nibble's result moves up by four bits, the high
// one's is in place.
func (m ymm) reverseInBytes(d, x Reg) {
	m.rri(AVX_VPSRLD, 1, 0, x, 4)
	m.word(AVX_VPAND, 1, 1, 0x0f0f0f0f)
	m.word(AVX_VPAND, 2, x, 0x0f0f0f0f)
	m.rm(AVX_VMOVUPS, 3, 0, m.vector8([8]uint32{0x0c040800, 0x0e060a02, 0x0d050901, 0x0f070b03, 0x0c040800, 0x0e060a02, 0x0d050901, 0x0f070b03}))
	m.rr(AVX_VPSHUFB, 2, 3, 2)
	m.rr(AVX_VPSHUFB, 1, 3, 1)
	m.rri(AVX_VPSLLD, 2, 0, 2, 4)
	m.rr(AVX_VPOR, d, 2, 1)
}

// highest puts the number of the highest bit of x into d, −1 for 0: the exponent of x as an f32.
// Clearing the bit below the highest one prevents rounding up to the next exponent. A number with bit
// 31 converts to a negative one, whose sign bit makes the result too large, so it is clamped. It
// clobbers Y1.
//
// AVX-512 has VPLZCNTD. Example: 0b1011 & ¬0b0101 is 0b1010, and the f32 10.0 has the exponent 127 +
// 3, so the result is 3. For 0 the exponent bits are 0, and −127 is clamped to −1.
func (m ymm) highest(d, x Reg) {
	m.rri(AVX_VPSRLD, 1, 0, x, 1)
	m.rr(AVX_VPANDN, 1, 1, x)
	m.rr(AVX_VCVTDQ2PS, 1, 0, 1)
	m.rri(AVX_VPSRLD, 1, 0, 1, 23)
	m.word(AVX_VPSUBD, 1, 1, 127)
	m.word(AVX_VPMAXSD, 1, 1, 1<<32-1)
	m.word(AVX_VPMINSD, d, 1, 31)
}

// highestSigned searches the bits that differ from the sign bit. It clobbers Y1 and Y2.
func (m ymm) highestSigned(d, x Reg) {
	m.rri(AVX_VPSRAD, 1, 0, x, 31)
	m.rr(AVX_VPXOR, 2, x, 1)
	m.highest(d, 2)
}

// lowest isolates the lowest bit: x & −x. It clobbers Y1 and Y2.
func (m ymm) lowest(d, x Reg) {
	m.zero(1)
	m.rr(AVX_VPSUBD, 1, 1, x)
	m.rr(AVX_VPAND, 2, x, 1)
	m.highest(d, 2)
}

// ones is all ones shifted left by u, 0 from 32 on.
func (m ymm) ones(y Reg, u vcode.Reg) {
	m.fill(y, 1<<32-1)
	m.with(AVX_VPSLLVD, y, y, u)
}

// ymmBitField extracts u2 bits of u0 from bit u1 on. Variable vector shifts yield 0 from 32 on, as the
// operation requires.
//
// With constant operands one or two instructions suffice:
//
//	up to the top bit      a shift
//	from bit 0             a mask
//	whole bytes            a byte shuffle, in one instruction
//	else                   two shifts, which also clear the bits above
func ymmBitField(m ymm, in *vcode.Inst) {
	off, one := m.f.Const(in.Uses[1])
	count, two := m.f.Const(in.Uses[2])
	x := m.vec(in.Uses[0], 0)
	if one && two && off < 32 && count < 32 {
		d := m.dest(in, 0)
		switch {
		case off+count >= 32:
			m.rri(AVX_VPSRLD, d, 0, x, uint8(off))
		case off == 0:
			m.word(AVX_VPAND, d, x, 1<<count-1)
		case off%8 == 0 && count%8 == 0 && count > 0:
			m.rm(AVX_VPSHUFB, d, x, m.vector8(bytesOf(uint32(off/8), uint32(count/8))))
		default:
			m.rri(AVX_VPSLLD, 0, 0, x, uint8(32-off-count))
			m.rri(AVX_VPSRLD, d, 0, 0, uint8(32-count)&31)
			// A shift by 32 & 31 would leave the field in place.
			if count == 0 {
				m.zero(d)
			}
		}
		m.done(in, d)
		return
	}
	m.with(AVX_VPSRLVD, 0, x, in.Uses[1])
	m.ones(1, in.Uses[2])
	d := m.dest(in, 0)
	m.rr(AVX_VPANDN, d, 1, 0)
	m.done(in, d)
}

// bytesOf selects n bytes of each lane, from byte from on, with zeros above. VPSHUFB clears a byte
// if bit 7 of its selector is set. Positions count within 128 bits, four lanes.
func bytesOf(from, n uint32) (v [8]uint32) {
	for lane := range uint32(8) {
		for i := range uint32(4) {
			pick := uint32(0x80)
			if i < n {
				pick = lane%4*4 + from + i
			}
			v[lane] |= pick << (8 * i)
		}
	}
	return v
}

// ymmSignedBitField shifts the field to the top and back down. A count of 0 shifts by 32: the left
// shift yields 0, and so does the whole operation. Counts above 32 are clamped.
func ymmSignedBitField(m ymm, in *vcode.Inst) {
	m.with(AVX_VPSRLVD, 0, m.vec(in.Uses[0], 0), in.Uses[1])
	m.fill(1, 32)
	m.with(AVX_VPMINUD, 2, 1, in.Uses[2])
	m.rr(AVX_VPSUBD, 1, 1, 2)
	m.rr(AVX_VPSLLVD, 0, 0, 1)
	d := m.dest(in, 0)
	m.rr(AVX_VPSRAVD, d, 0, 1)
	m.done(in, d)
}

// ymmBitFieldMask is u1 ones from bit u0 on. ¬(ones << n) has n low ones, all of them from 32 on.
func ymmBitFieldMask(m ymm, in *vcode.Inst) {
	m.ones(1, in.Uses[1])
	m.invert(1, 1)
	d := m.dest(in, 0)
	m.with(AVX_VPSLLVD, d, 1, in.Uses[0])
	m.done(in, d)
}

// ymmDivide computes quotients and remainders in double precision (select_integer.go).
func ymmDivide(m ymm, in *vcode.Inst) {
	m.divide(in.IR, m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1))
	m.done(in, 2)
}

// divide puts the result of an operation on x and y into Y2. It clobbers Y3 and Y4.
//
// The remainder is x − q·y modulo 2³², which is exact although the product may wrap. In smod the
// result has the sign of the divisor, in srem the dividend's.
func (m ymm) divide(op ir.Op, x, y Reg) {
	m.quotient(x, y, op != ir.UDiv && op != ir.UMod)
	if op != ir.UDiv && op != ir.SDiv {
		m.rr(AVX_VPMULLD, 2, 2, y)
		m.rr(AVX_VPSUBD, 2, x, 2)
	}
	if op == ir.SMod { // the remainder is not 0 and has the other sign
		m.zero(3)
		m.rr(AVX_VPXOR, 4, 2, y)
		m.rr(AVX_VPCMPGTD, 4, 3, 4)
		m.rr(AVX_VPCMPEQD, 3, 3, 2)
		m.rr(AVX_VPANDN, 3, 3, 4)
		m.rr(AVX_VPAND, 3, 3, y)
		m.rr(AVX_VPADDD, 2, 2, 3)
	}
	// The quotient of a division by 0 is infinity or NaN, with unspecified bits here; AVX-512's
	// unsigned conversion yields all ones by itself.
	m.zero(3)
	m.rr(AVX_VPCMPEQD, 3, 3, y) // division by 0 yields all ones
	m.rr(AVX_VPOR, 2, 2, 3)
}

// quotient puts x / y, truncated, into Y2. It clobbers Y3 and Y4. The signed conversion truncates by
// itself. It yields the least number out of range, which is the result of the least number divided
// by −1.
func (m ymm) quotient(x, y Reg, signed bool) {
	half := func(d, t Reg, i int) { // d = four lanes of x / y
		if i == 0 {
			m.toDouble(d, x, signed)
			m.toDouble(t, y, signed)
		} else {
			m.highHalf(d, x)
			m.highHalf(t, y)
			m.toDouble(d, d, signed)
			m.toDouble(t, t, signed)
		}
		m.rr(AVX_VDIVPD, d, d, t)
		if signed {
			m.rr(AVX_VCVTTPD2DQ, d, 0, d)
			return
		}
		m.rri(AVX_VROUNDPD, d, 0, d, roundTrunc)
		m.long(AVX_VADDPD, d, d, 0x4330000000000000) // 2⁵²: the number is in the low bits
	}
	half(2, 3, 0)
	half(3, 4, 1)
	if signed {
		m.join(2, 2, 3)
		return
	}
	m.lowWords(2, 2, 3)
}

// toDouble converts the lower four lanes of x to doubles. An unsigned number becomes the low bits of
// 2⁵², which is then subtracted. An unsigned number from 2³¹ on would become negative in VCVTDQ2PD.
func (m ymm) toDouble(d, x Reg, signed bool) {
	if signed {
		m.rr(AVX_VCVTDQ2PD, d, 0, x)
		return
	}
	m.rr(AVX_VPMOVZXDQ, d, 0, x)
	m.long(AVX_VPOR, d, d, 0x4330000000000000)
	m.long(AVX_VSUBPD, d, d, 0x4330000000000000)
}

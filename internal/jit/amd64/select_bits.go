package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// bitOperations are the rules of bit counts, bit searches and bit fields. For 32 bits
// select_integer.go has forms that use register operands directly, without the copies of lanewise.
func bitOperations() map[codegen.Rule]emitter {
	r := map[codegen.Rule]emitter{}
	for _, t := range [...]ir.Type{ir.I8, ir.I16, ir.I32, ir.I64} {
		r[codegen.Rule{ir.BitCount, t, t}] = lanewise(t, plain, countBits)
		r[codegen.Rule{ir.BitReverse, t, t}] = lanewise(t, plain, reverseBits)
		if t == ir.I32 {
			continue // select_integer.go has the other ones
		}
		r[codegen.Rule{ir.FindLsb, t, t}] = lanewise(t, truncated, lowestBit)
		r[codegen.Rule{ir.FindUMsb, t, t}] = lanewise(t, truncated, highestBit)
		r[codegen.Rule{ir.FindSMsb, t, t}] = lanewise(t, signExtended|truncated, highestSigned)
		r[codegen.Rule{ir.BitFieldU, t, t}] = lanewise(t, plain, fieldOf)
		r[codegen.Rule{ir.BitFieldS, t, t}] = lanewise(t, truncated, fieldSigned)
		r[codegen.Rule{ir.BitFieldMask, t, ir.I32}] = lanewise(t, truncated, fieldMask)
	}
	return r
}

// Variable vector shifts yield zeros, or sign bits, for counts from the lane width on, which is the
// definition of the bit field operations.

// countBits sums neighbors in fields of two, four and eight bits (Warren, Hacker's Delight, 5-1), if
// there is no VPOPCNT. One byte, b = 1101 0110:
//
//	pairs     10 01 01 01     b − (b>>1 & 0x55)
//	nibbles   0011 0010       sums of pairs
//	byte      0000 0101       sum of nibbles
//
// The product with 0x01010101 sums the bytes in the top byte, and the shift isolates it. VPOPCNTD
// (Ice Lake and later) is one instruction instead of twelve.
func countBits(m *machine, in *vcode.Inst, e element) {
	if m.features&CountBits != 0 {
		m.RR(e.op(VPOPCNTD, VPOPCNTQ), V512, 0, 0, 0, 0)
		return
	}
	right, and, add := e.op(VPSRLD, VPSRLQ), e.op(VPANDD, VPANDQ), e.op(VPADDD, VPADDQ)
	m.RRI(right, V512, 1, 0, 0, 1, 0)
	m.word(e, and, 1, 1, 0x5555555555555555, 0)
	m.RR(e.op(VPSUBD, VPSUBQ), V512, 0, 0, 1, 0)
	m.RRI(right, V512, 1, 0, 0, 2, 0)
	m.word(e, and, 1, 1, 0x3333333333333333, 0)
	m.word(e, and, 0, 0, 0x3333333333333333, 0)
	m.RR(add, V512, 0, 0, 1, 0)
	m.RRI(right, V512, 1, 0, 0, 4, 0)
	m.RR(add, V512, 0, 0, 1, 0)
	m.word(e, and, 0, 0, 0x0f0f0f0f0f0f0f0f, 0)
	// The sum is at most 64, so no byte carries into the next.
	m.word(e, e.op(VPMULLD, VPMULLQ), 0, 0, 0x0101010101010101, 0)
	m.RRI(right, V512, 0, 0, 0, uint8(e.lane()-8), 0)
}

// reverseBits swaps bits, pairs, nibbles, and then bytes (Hacker's Delight, 7-1). AVX2 reverses
// nibbles by VPSHUFB (ymm_integer.go); GFNI has an affine transform that reverses the bits of bytes,
// but not all AVX-512 processors have it.
func reverseBits(m *machine, in *vcode.Inst, e element) {
	for _, s := range [...]struct {
		by   uint8
		mask uint64
	}{{1, 0x55555555}, {2, 0x33333333}, {4, 0x0f0f0f0f}} {
		m.RRI(VPSRLD, V512, 1, 0, 0, s.by, 0)
		m.word(narrowInt, VPANDD, 1, 1, s.mask, 0)
		m.word(narrowInt, VPANDD, 0, 0, s.mask, 0)
		m.RRI(VPSLLD, V512, 0, 0, 0, s.by, 0)
		m.RR(VPORD, V512, 0, 0, 1, 0)
	}
	// Rotations by 8 in both directions, each masked to every second byte, exchange the bytes: 3210
	// becomes 0123.
	m.RRI(VPROLD, V512, 1, 0, 0, 8, 0)
	m.word(narrowInt, VPANDD, 1, 1, 0x00ff00ff, 0)
	m.RRI(VPRORD, V512, 0, 0, 0, 8, 0)
	m.word(narrowInt, VPANDD, 0, 0, 0xff00ff00, 0)
	m.RR(VPORD, V512, 0, 0, 1, 0)
	switch {
	case e.wide:
		m.RRI(VPSHUFD, V512, 0, 0, 0, 0xb1, 0) // swap the words
	case e.bits < 32:
		m.RRI(VPSRLD, V512, 0, 0, 0, uint8(32-e.bits), 0)
	}
}

// lowestBit is the highest bit of x & −x. For 0 it is 0, and the result −1, as in SPIR-V (FindILsb).
func lowestBit(m *machine, in *vcode.Inst, e element) {
	m.RR(VPXORD, V128, 1, 1, 1, 0)
	// x & −x, for example 0110 1000 & 1001 1000 = 0000 1000.
	m.RR(e.op(VPSUBD, VPSUBQ), V512, 1, 1, 0, 0)
	m.RR(e.op(VPANDD, VPANDQ), V512, 0, 0, 1, 0)
	highestBit(m, in, e)
}

// highestBit is 31 or 63 minus the number of leading zeros; −1 for 0. VPLZCNTD yields the lane width
// for 0, so that the difference is −1 without a special case.
func highestBit(m *machine, in *vcode.Inst, e element) {
	m.RR(e.op(VPLZCNTD, VPLZCNTQ), V512, 0, 0, 0, 0)
	m.RM(e.op(VPBROADCASTD, VPBROADCASTQ), V512, 1, 0, m.constant(e, uint64(e.lane()-1)), 0)
	m.RR(e.op(VPSUBD, VPSUBQ), V512, 0, 1, 0, 0)
}

// highestSigned is the highest bit that differs from the sign bit.
func highestSigned(m *machine, in *vcode.Inst, e element) {
	m.RRI(e.op(VPSRAD, VPSRAQ), V512, 1, 0, 0, uint8(e.lane()-1), 0)
	m.RR(e.op(VPXORD, VPXORQ), V512, 0, 0, 1, 0)
	highestBit(m, in, e)
}

// lowOnes replaces the count in Z2 by that many low one bits, all ones from the lane width on. It
// sets Z3 to 1. 1 << count, minus 1; from the lane width on the shift yields 0, and 0 − 1 is all
// ones.
func (m *machine) lowOnes(e element) {
	m.RM(e.op(VPBROADCASTD, VPBROADCASTQ), V512, 3, 0, m.constant(e, 1), 0)
	m.RR(e.op(VPSLLVD, VPSLLVQ), V512, 2, 3, 2, 0)
	m.RR(e.op(VPSUBD, VPSUBQ), V512, 2, 2, 3, 0)
}

// fieldOf shifts the field to the bottom of the lane and clears the bits above.
func fieldOf(m *machine, in *vcode.Inst, e element) {
	m.lowOnes(e)
	m.RR(e.op(VPSRLVD, VPSRLVQ), V512, 0, 0, 1, 0)
	m.RR(e.op(VPANDD, VPANDQ), V512, 0, 0, 2, 0)
}

// fieldSigned shifts the field to the top of the lane and back. The distance between the field and
// the top is lane − count:
//
//	lane      ....ffff....      offset 4, count 4
//	down      ........ffff
//	up        ffff00000000      the sign of the field is the sign of the lane
//	down      SSSSSSSSffff      arithmetic shift
//
// A count of 0 shifts by the whole width, which yields 0 upwards, and so 0.
func fieldSigned(m *machine, in *vcode.Inst, e element) {
	m.RR(e.op(VPSRLVD, VPSRLVQ), V512, 0, 0, 1, 0)
	m.word(e, e.op(VPMINUD, VPMINUQ), 2, 2, uint64(e.bits), 0)
	m.RM(e.op(VPBROADCASTD, VPBROADCASTQ), V512, 1, 0, m.constant(e, uint64(e.lane())), 0)
	m.RR(e.op(VPSUBD, VPSUBQ), V512, 1, 1, 2, 0)
	m.RR(e.op(VPSLLVD, VPSLLVQ), V512, 0, 0, 1, 0)
	m.RR(e.op(VPSRAVD, VPSRAVQ), V512, 0, 0, 1, 0)
}

// fieldMask has the offset in Z0 and the count in Z1. It belongs to bit field insertion: base &^
// mask | insert << offset & mask.
func fieldMask(m *machine, in *vcode.Inst, e element) {
	m.moveVec(2, 1)
	m.lowOnes(e)
	m.RR(e.op(VPSLLVD, VPSLLVQ), V512, 0, 2, 0, 0)
}

package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// bitOperations are the rules of bit counts, bit searches and bit fields.
func bitOperations() map[rule]emitter {
	r := map[rule]emitter{}
	for _, t := range [...]ir.Type{ir.I8, ir.I16, ir.I32, ir.I64} {
		r[rule{ir.BitCount, t, t}] = lanewise(t, plain, countBits)
		r[rule{ir.BitReverse, t, t}] = lanewise(t, plain, reverseBits)
		if t == ir.I32 {
			continue // select_integer.go has the other ones
		}
		r[rule{ir.FindLsb, t, t}] = lanewise(t, truncated, lowestBit)
		r[rule{ir.FindUMsb, t, t}] = lanewise(t, truncated, highestBit)
		r[rule{ir.FindSMsb, t, t}] = lanewise(t, signExtended|truncated, highestSigned)
		r[rule{ir.BitFieldU, t, t}] = lanewise(t, plain, fieldOf)
		r[rule{ir.BitFieldS, t, t}] = lanewise(t, truncated, fieldSigned)
		r[rule{ir.BitFieldMask, t, ir.I32}] = lanewise(t, truncated, fieldMask)
	}
	return r
}

// Variable vector shifts yield zeros, or sign bits, for counts from the lane width on, which is the
// definition of the bit field operations.

// countBits sums neighbors in fields of two, four and eight bits (Warren, Hacker's Delight, 5-1), if
// there is no VPOPCNT.
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
	m.word(e, e.op(VPMULLD, VPMULLQ), 0, 0, 0x0101010101010101, 0)
	m.RRI(right, V512, 0, 0, 0, uint8(e.lane()-8), 0)
}

// reverseBits swaps bits, pairs, nibbles, and then bytes (Hacker's Delight, 7-1).
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

// lowestBit is the highest bit of x & −x.
func lowestBit(m *machine, in *vcode.Inst, e element) {
	m.RR(VPXORD, V128, 1, 1, 1, 0)
	m.RR(e.op(VPSUBD, VPSUBQ), V512, 1, 1, 0, 0)
	m.RR(e.op(VPANDD, VPANDQ), V512, 0, 0, 1, 0)
	highestBit(m, in, e)
}

// highestBit is 31 or 63 minus the number of leading zeros; −1 for 0.
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

// lowOnes replaces the count in Z2 by that many low one bits, all ones from the lane width on. It sets
// Z3 to 1.
func (m *machine) lowOnes(e element) {
	m.RM(e.op(VPBROADCASTD, VPBROADCASTQ), V512, 3, 0, m.constant(e, 1), 0)
	m.RR(e.op(VPSLLVD, VPSLLVQ), V512, 2, 3, 2, 0)
	m.RR(e.op(VPSUBD, VPSUBQ), V512, 2, 2, 3, 0)
}

func fieldOf(m *machine, in *vcode.Inst, e element) {
	m.lowOnes(e)
	m.RR(e.op(VPSRLVD, VPSRLVQ), V512, 0, 0, 1, 0)
	m.RR(e.op(VPANDD, VPANDQ), V512, 0, 0, 2, 0)
}

// fieldSigned shifts the field to the top of the lane and back.
func fieldSigned(m *machine, in *vcode.Inst, e element) {
	m.RR(e.op(VPSRLVD, VPSRLVQ), V512, 0, 0, 1, 0)
	m.word(e, e.op(VPMINUD, VPMINUQ), 2, 2, uint64(e.bits), 0)
	m.RM(e.op(VPBROADCASTD, VPBROADCASTQ), V512, 1, 0, m.constant(e, uint64(e.lane())), 0)
	m.RR(e.op(VPSUBD, VPSUBQ), V512, 1, 1, 2, 0)
	m.RR(e.op(VPSLLVD, VPSLLVQ), V512, 0, 0, 1, 0)
	m.RR(e.op(VPSRAVD, VPSRAVQ), V512, 0, 0, 1, 0)
}

// fieldMask has the offset in Z0 and the count in Z1.
func fieldMask(m *machine, in *vcode.Inst, e element) {
	m.moveVec(2, 1)
	m.lowOnes(e)
	m.RR(e.op(VPSLLVD, VPSLLVQ), V512, 0, 2, 0, 0)
}

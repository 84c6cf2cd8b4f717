package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// divide computes quotients and remainders in double precision. Both operands are exact, and a rounded 53-bit quotient of 32-bit numbers never crosses
// an integer. Out of range the conversion back yields all ones and the least number: exactly the
// results of udiv by 0 and of the least number by −1.
func divide(m *machine, in *vcode.Inst) {
	m.divide(in.IR, m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1))
	m.define(in, 2)
}

// divide puts the result of an operation on x and y into Z2. It clobbers Z3 to Z6 and K2.
func (m *machine) divide(op ir.Op, x, y Reg) {
	m.quotient(2, x, y, op != ir.UDiv && op != ir.UMod)
	if op != ir.UDiv && op != ir.SDiv {
		m.RR(VPMULLD, V512, 2, 2, y, 0)
		m.RR(VPSUBD, V512, 2, x, 2, 0)
	}
	if op == ir.SMod { // the remainder is not 0 and has the other sign
		m.RR(VPXORD, V512, 3, 2, y, 0)
		m.RR(VPTESTMD, V512, 2, 2, 2, 0)
		m.RM(VPTESTMD, V512, 2, 3, m.word32(1<<31), BC|K(2))
		m.RR(VPADDD, V512, 2, 2, y, K(2))
	}
	if op != ir.UDiv {
		m.RR(VPTESTNMD, V512, 2, y, y, 0)
		m.RM(VPBROADCASTD, V512, 2, 0, m.word32(1<<32-1), K(2))
	}
}

// quotient puts x / y, truncated, into d. It clobbers Z3 to Z6. VCVTUDQ2PD and VCVTTPD2UDQ are new
// in AVX-512; AVX2 composes both (ymm.toDouble).
func (m *machine) quotient(d, x, y Reg, signed bool) {
	to, from := VCVTUDQ2PD, VCVTTPD2UDQ
	if signed {
		to, from = VCVTDQ2PD, VCVTTPD2DQ
	}
	m.highHalf(3, x)
	m.highHalf(4, y)
	m.RR(to, V512, 5, 0, x, 0)
	m.RR(to, V512, 6, 0, y, 0)
	m.RR(to, V512, 3, 0, 3, 0)
	m.RR(to, V512, 4, 0, 4, 0)
	m.RR(VDIVPD, V512, 5, 5, 6, 0)
	m.RR(VDIVPD, V512, 3, 3, 4, 0)
	m.RR(from, V512, 5, 0, 5, 0)
	m.RR(from, V512, 3, 0, 3, 0)
	m.RRI(VSHUFF32X4, V512, d, 5, 3, lowHalves, 0)
}

// highProduct is the high half of 32-bit products: VPMULUDQ multiplies the even lanes only, so the
// odd ones are shifted to even positions. SMulHi uses VPMULDQ, which sign-extends the even lanes;
// the logical shift of odd lanes is harmless, because it reads the low word.
func highProduct(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		x, y := m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1)
		m.RRI(VPSRLQ, V512, 2, 0, x, 32, 0)
		m.RRI(VPSRLQ, V512, 3, 0, y, 32, 0)
		m.RR(op, V512, 2, 2, 3, 0)
		m.RR(op, V512, 3, x, y, 0)
		m.RRI(VPSRLQ, V512, 3, 0, 3, 32, 0)
		m.MovI(RAX, 0xaaaa) // the odd lanes
		m.RR(KMOVW_KR, V128, 2, 0, RAX, 0)
		m.RR(VMOVDQA32, V512, 3, 0, 2, K(2))
		m.define(in, 3)
	}
}

// bit is 1 in the lanes of k and 0 in the others.
func (m *machine) bit(in *vcode.Inst, k Reg) {
	m.RM(VPBROADCASTD, V512, 0, 0, m.word32(1), K(k)|Z)
	m.define(in, 0)
}

// carry is 1 if the sum is less than an operand.
func carry(m *machine, in *vcode.Inst) {
	x := m.vec(in.Uses[0], 0)
	m.with(VPADDD, 1, x, in.Uses[1], 0)
	m.RRI(VPCMPUD, V512, 2, 1, x, compareLT, 0)
	m.bit(in, 2)
}

// borrow is 1 in the lanes with a first operand below the second, as unsigned numbers.
func borrow(m *machine, in *vcode.Inst) {
	m.withImm(VPCMPUD, 2, m.vec(in.Uses[0], 0), in.Uses[1], compareLT, 0)
	m.bit(in, 2)
}

// leading is 31 minus the number of leading zeros of x, −1 for 0. VPLZCNTD yields 32 for 0, and 31 −
// 32 is −1, as the IR requires.
func (m *machine) leading(in *vcode.Inst, x Reg) {
	m.RR(VPLZCNTD, V512, 0, 0, x, 0)
	m.broadcast(1, 31)
	m.RR(VPSUBD, V512, 0, 1, 0, 0)
	m.define(in, 0)
}

func findHigh(m *machine, in *vcode.Inst) { m.leading(in, m.vec(in.Uses[0], 0)) }

// findSign searches the bits that differ from the sign bit.
func findSign(m *machine, in *vcode.Inst) {
	x := m.vec(in.Uses[0], 0)
	m.RRI(VPSRAD, V512, 1, 0, x, 31, 0)
	m.RR(VPXORD, V512, 0, x, 1, 0)
	m.leading(in, 0)
}

// findLow isolates the lowest bit: x & −x.
func findLow(m *machine, in *vcode.Inst) {
	x := m.vec(in.Uses[0], 0)
	m.RR(VPXORD, V128, 1, 1, 1, 0)
	m.RR(VPSUBD, V512, 1, 1, x, 0)
	m.RR(VPANDD, V512, 0, x, 1, 0)
	m.leading(in, 0)
}

// ones is all ones shifted left by u, 0 from 32 on. Its complement has u low ones, also for u from
// 32 on, without a special case.
func (m *machine) ones(z Reg, u vcode.Reg) {
	m.broadcast(z, 1<<32-1)
	m.RR(VPSLLVD, V512, z, z, m.vec(u, z+1), 0)
}

// bitField extracts u2 bits of u0 from bit u1 on. Variable vector shifts yield 0 from 32 on, as the
// operation requires. With constants a shift and an AND suffice; BEXTR exists for general registers
// only.
func bitField(m *machine, in *vcode.Inst) {
	off, one := m.f.Const(in.Uses[1])
	count, two := m.f.Const(in.Uses[2])
	x := m.vec(in.Uses[0], 0)
	switch {
	case one && two && off < 32 && count < 32:
		d, o := m.dest(in, 0)
		if off+count >= 32 {
			m.RRI(VPSRLD, V512, d, 0, x, uint8(off), o)
			m.done(in, d)
			return
		}
		if off > 0 {
			m.RRI(VPSRLD, V512, 0, 0, x, uint8(off), 0)
			x = 0
		}
		m.RM(VPANDD, V512, d, x, m.word32(1<<count-1), BC|o)
		m.done(in, d)
		return
	}
	m.RR(VPSRLVD, V512, 0, x, m.vec(in.Uses[1], 1), 0)
	m.ones(1, in.Uses[2])
	m.RR(VPANDND, V512, 0, 1, 0, 0)
	m.define(in, 0)
}

// signedBitField shifts the field to the top and back down. The distance to the top is 32 − min(u2,
// 32); for an empty field it is 32, and the shift yields 0.
func signedBitField(m *machine, in *vcode.Inst) {
	m.RR(VPSRLVD, V512, 0, m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1), 0)
	m.broadcast(1, 32)
	m.with(VPMINUD, 2, 1, in.Uses[2], 0)
	m.RR(VPSUBD, V512, 1, 1, 2, 0)
	m.RR(VPSLLVD, V512, 0, 0, 1, 0)
	m.RR(VPSRAVD, V512, 0, 0, 1, 0)
	m.define(in, 0)
}

// bitFieldMask is u1 ones from bit u0 on.
func bitFieldMask(m *machine, in *vcode.Inst) {
	m.ones(1, in.Uses[1])
	m.RM(VPXORD, V512, 1, 1, m.word32(1<<32-1), BC)
	m.RR(VPSLLVD, V512, 0, 1, m.vec(in.Uses[0], 0), 0)
	m.define(in, 0)
}

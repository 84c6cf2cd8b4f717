package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// divisions are the rules of integer division with 8 and 16 bits, which use the 32-bit code
// (select_integer.go), and with 64 bits. 32-bit lanes hold narrow operands exactly, and the result
// is truncated again: the least i8 by −1 is 128, or −128 in the low eight bits.
func divisions() map[codegen.Rule]emitter {
	r := map[codegen.Rule]emitter{}
	for _, t := range narrowTypes {
		r[codegen.Rule{ir.UDiv, t, t}] = lanewise(t, truncated, divided)
		r[codegen.Rule{ir.UMod, t, t}] = lanewise(t, truncated, divided)
		r[codegen.Rule{ir.SDiv, t, t}] = lanewise(t, signExtended|truncated, divided)
		r[codegen.Rule{ir.SRem, t, t}] = lanewise(t, signExtended|truncated, divided)
		r[codegen.Rule{ir.SMod, t, t}] = lanewise(t, signExtended|truncated, divided)
	}
	for _, op := range [...]ir.Op{ir.UDiv, ir.UMod, ir.SDiv, ir.SRem, ir.SMod} {
		r[codegen.Rule{op, ir.I64, ir.I64}] = lanewise(ir.I64, plain, dividedWide)
	}
	return r
}

// divided is a body of divide: divide has its result in Z2, a body in Z0.
func divided(m *machine, in *vcode.Inst, e element) {
	m.divide(in.IR, 0, 1)
	m.moveVec(0, 2)
}

// dividedWide divides Z0 by Z1 lane by lane: both registers rotate once around, and K2 is the mask
// of the original position of the lowest lane. There is no vector instruction, and a double has too
// few bits for 64-bit quotients. DIV with 64 bits costs 14 to 18 cycles on Intel's processors since
// Ice Lake (uops.info) and more on earlier ones, so it dominates the moves between lanes and general
// registers.
func dividedWide(m *machine, in *vcode.Inst, e element) {
	again := m.NewLabel()
	m.MovI(RAX, 1)
	m.RR(KMOVW_KR, V128, 2, 0, RAX, 0)
	m.Bind(again)
	m.RR(VMOVQ_GX, V128, 0, 0, RAX, 0)
	m.RR(VMOVQ_GX, V128, 1, 0, RCX, 0)
	m.divideGen(in.IR)
	m.RR(VPBROADCASTQ_R, V512, 2, 0, RAX, K(2))
	// Two words are one 64-bit lane; after eight rotations the operands are unchanged.
	m.RRI(VALIGND, V512, 0, 0, 0, 2, 0)
	m.RRI(VALIGND, V512, 1, 1, 1, 2, 0)
	m.RRI(KSHIFTLW, V128, 2, 0, 2, 1, 0)
	m.RR(KMOVW_RK, V128, RAX, 0, 2, 0)
	// The bit of the ninth lane ends the loop.
	m.GI(CmpI, false, RAX, 1<<8)
	m.Jcc(NotEqual, again)
	m.moveVec(0, 2)
	if in.IR == ir.SMod { // the remainder is not 0 and has the other sign
		m.RR(VPXORQ, V512, 3, 0, 1, 0)
		m.RMI(VPCMPQ, V512, 2, 3, m.word64(0), compareLT, BC)
		m.RMI(VPCMPQ, V512, 2, 0, m.word64(0), compareNE, K(2)|BC)
		m.RR(VPADDQ, V512, 0, 0, 1, K(2))
	}
}

// divideGen divides RAX by RCX, with the result in RAX. The instruction traps on division by 0,
// which yields all ones here, and on the least number by −1: for −1 the quotient is the negated
// number and the remainder 0. Results for a divisor of 0, from the IR: quotient and remainder are
// both all ones.
func (m *machine) divideGen(op ir.Op) {
	sign := op != ir.UDiv && op != ir.UMod
	divide, done := m.NewLabel(), m.NewLabel()
	// The upper half of the dividend of an unsigned division is 0; Divide sign-extends RAX for a
	// signed one.
	m.GRR(XOR, RDX, RDX)
	if sign {
		negative := m.NewLabel()
		// The least number by −1 overflows, and IDIV traps (#DE), which must never happen in
		// generated code.
		m.GI(CmpI, true, RCX, -1)
		m.Jcc(NotEqual, negative)
		if op == ir.SDiv {
			m.GRR(SUB|W, RDX, RAX)
		}
		m.GRR(MOV|W, RAX, RDX)
		m.Jmp(done)
		m.Bind(negative)
	}
	m.GRR(TEST|W, RCX, RCX)
	m.Jcc(NotEqual, divide)
	m.MovI(RAX, 1<<64-1)
	m.Jmp(done)
	m.Bind(divide)
	m.Divide(sign, RCX)
	if op != ir.UDiv && op != ir.SDiv {
		m.GRR(MOV|W, RAX, RDX)
	}
	m.Bind(done)
}

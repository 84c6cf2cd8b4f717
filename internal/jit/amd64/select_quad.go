package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// quadOrders are VPSHUFD's orders of four lanes: lane i is given that of i xor n.
var quadOrders = [4]uint8{0xe4, 0xb1, 0x4e, 0x1b}

// quadSwap leaves a lane its own value where the other one is not active.
func quadSwap(m *machine, in *vcode.Inst) {
	order := quadOrders[in.Key.Aux&3]
	k := m.execution(in)
	x := m.vec(in.Uses[0], 2)
	m.RM(VPBROADCASTD, V512, 3, 0, m.word32(1), K(k)|Z)
	m.RRI(VPSHUFD, V512, 3, 0, 3, order, 0)
	m.RR(VPTESTMD, V512, 2, 3, 3, 0)
	m.RR(VMOVDQA32, V512, 4, 0, x, 0)
	m.RRI(VPSHUFD, V512, 4, 0, x, order, K(2))
	m.define(in, 4)
}

// allEqual compares with the value of the lowest active lane, floats as floats.
func allEqual(m *machine, in *vcode.Inst) {
	k := m.execution(in)
	x := m.vec(in.Uses[0], 2)
	m.RR(KMOVW_RK, V128, RAX, 0, k, 0)
	m.GRR(TZCNT, RCX, RAX)
	m.RR(VPBROADCASTD_R, V512, 3, 0, RCX, 0)
	m.RR(VPERMD, V512, 3, 3, x, 0)
	if in.Key.From == ir.F32 {
		m.RRI(VCMPPS, V512, 2, x, 3, orderedEQ, K(k))
	} else {
		m.RRI(VPCMPUD, V512, 2, x, 3, compareEQ, K(k))
	}
	m.RR(KXORW, V128, 2, 2, k, 0)
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.truth(in, Equal)
}

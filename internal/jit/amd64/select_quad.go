package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// quadOrders are the VPSHUFD immediates that permute four lanes by i xor n; VSHUFF32X4 uses the same
// for groups of four lanes. Each immediate has two bits per destination lane, lane 0 lowest:
//
//	n    order of sources    immediate
//	0    3 2 1 0             0b11_10_01_00 = 0xe4
//	1    2 3 0 1             0b10_11_00_01 = 0xb1
//	2    1 0 3 2             0b01_00_11_10 = 0x4e
//	3    0 1 2 3             0b00_01_10_11 = 0x1b
var quadOrders = [4]uint8{0xe4, 0xb1, 0x4e, 0x1b}

// permuteXor sets lane i of d to lane i xor n of x, with n below the lanes of a part. It clobbers Z3
// if n crosses both lanes and groups of four. VPSHUFD costs one cycle and VSHUFF32X4 three; VPERMD
// would cost three for any n, and a load of its indices.
func (m *machine) permuteXor(d, x Reg, n uint64, o Opt) {
	near, slow := quadOrders[n&3], quadOrders[n>>2&3]
	switch {
	case n == 0:
		m.RR(VMOVDQA32, V512, d, 0, x, o)
	case n < 4:
		m.RRI(VPSHUFD, V512, d, 0, x, near, o)
	case n&3 == 0:
		m.RRI(VSHUFF32X4, V512, d, x, x, slow, o)
	default:
		// xor acts on each bit of the lane number separately, so both permutations commute.
		m.RRI(VPSHUFD, V512, 3, 0, x, near, 0)
		m.RRI(VSHUFF32X4, V512, d, 3, 3, slow, o)
	}
}

// quadSwap preserves a lane's own value if its partner is inactive. If all lanes are known to be
// active no partner can be inactive, and one instruction remains.
func quadSwap(m *machine, in *vcode.Inst) {
	n := m.prog.QuadLane(in.Key.Aux & 3)
	if in.Key.Aux&(vcode.NearSide|vcode.FarSide) != 0 {
		m.quadSide(in, n)
		return
	}
	if all, ok := m.f.Const(in.Masks[0]); ok && all != 0 {
		x := m.vec(in.Uses[0], 2)
		d, o := m.dest(in, 4)
		m.permuteXor(d, x, n, o)
		m.done(in, d)
		return
	}
	k := m.execution(in)
	x := m.vec(in.Uses[0], 5)
	m.partnerMask(k, n)
	// Z4 starts as the lane's own value; the masked permutation overwrites it in lanes with an
	// active partner.
	m.RR(VMOVDQA32, V512, 4, 0, x, 0)
	m.permuteXor(4, x, n, K(2))
	m.define(in, 4)
}

// sideOrders are the immediates of VPSHUFD and VSHUFF32X4 for one side of a quad, near and far: lane i reads lane i &^ n or i | n of four.
//
//	n    near: sources, immediate        far
//	1    2 2 0 0   0b10_10_00_00 = 0xa0  3 3 1 1   0xf5
//	2    1 0 1 0   0b01_00_01_00 = 0x44  3 2 3 2   0xee
var sideOrders = [2][3]uint8{{1: 0xa0, 2: 0x44}, {1: 0xf5, 2: 0xee}}

// sideOrder returns the side of an instruction, 0 for the near one and 1 for the far one.
func sideOrder(in *vcode.Inst) int {
	if in.Key.Aux&vcode.FarSide != 0 {
		return 1
	}
	return 0
}

// quadSide reads the near or the far side of each quad, of which all lanes are active. n is 1, 2, 4 or 8.
func (m *machine) quadSide(in *vcode.Inst, n uint64) {
	x, side := m.vec(in.Uses[0], 2), sideOrder(in)
	d, o := m.dest(in, 4)
	if n < 4 {
		m.RRI(VPSHUFD, V512, d, 0, x, sideOrders[side][n], o)
	} else {
		m.RRI(VSHUFF32X4, V512, d, x, x, sideOrders[side][n/4], o)
	}
	m.done(in, d)
}

// partnerMask sets K2 to the lanes i with lane i xor n in k. It clobbers Z3. AVX-512 has no
// permutation of mask bits, so that the mask becomes a vector of ones and zeros and back, which
// takes no memory access.
func (m *machine) partnerMask(k Reg, n uint64) {
	m.RM(VPBROADCASTD, V512, 3, 0, m.word32(1), K(k)|Z)
	m.permuteXor(3, 3, n, 0)
	m.RR(VPTESTMD, V512, 2, 3, 3, 0)
}

// demote adds the active lanes to the helpers. Demoted lanes go on as helpers
// (OpDemoteToHelperInvocation): they compute derivatives, but their stores have no effect.
func demote(m *machine, in *vcode.Inst) {
	at := At(R14, m.record.Helpers+8*int32(in.Part))
	m.RM(KMOVW, V128, 2, 0, at, 0)
	m.RR(KORW, V128, 2, 2, m.execution(in), 0)
	m.RM(KMOVW_ST, V128, 2, 0, at, 0)
}

// helper is the mask of helpers.
func helper(m *machine, in *vcode.Inst) {
	m.RM(KMOVW, V128, 2, 0, At(R14, m.record.Helpers+8*int32(in.Part)), 0)
	m.doneMask(in, 2)
}

// allEqual compares with the value of the lowest active lane, floats as floats.
func allEqual(m *machine, in *vcode.Inst) {
	k := m.execution(in)
	x := m.vec(in.Uses[0], 2)
	m.RR(KMOVW_RK, V128, RAX, 0, k, 0)
	m.GRR(TZCNT, RCX, RAX)
	// RCX is the number of the lowest active lane; there is at least one.
	m.RR(VPBROADCASTD_R, V512, 3, 0, RCX, 0)
	m.RR(VPERMD, V512, 3, 3, x, 0)
	if in.Key.From == ir.F32 {
		m.RRI(VCMPPS, V512, 2, x, 3, orderedEQ, K(k))
	} else {
		m.RRI(VPCMPUD, V512, 2, x, 3, compareEQ, K(k))
	}
	// Zero if all active lanes are equal to the first one.
	m.RR(KXORW, V128, 2, 2, k, 0)
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.truth(in, Equal)
}

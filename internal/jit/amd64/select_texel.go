package amd64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// fetchEvery is which lanes are fetched for: lines of a cache are wider than that
// many texels.
const prefetchEvery = 4

// fetchLanes asks for what is likely to be gathered soon, where lanes go on from the
// lane before in.Next as these do from the first: of few of them, as the strips above
// and below fetch what lies between. Their offsets are in off, to which RDX less 2³¹
// is to be added. Machines find out by themselves how loads go on that follow each
// other in equal steps; those of texels that stand in no row do not.
func (m *machine) prefetchLanes(in *vcode.Inst, off Reg) {
	if in.Prefetch > 0 {
		m.RM(VMOVDQU32_ST, V512, off, 0, m.scratch(0), 0)
		m.prefetchAt(in, zmmLanes, math.MinInt32)
	}
}

// fetchFrom is fetchLanes with the offsets of so many lanes in the scratch memory, to
// which RDX and disp are to be added. It uses RAX and RCX.
func (m *machine) prefetchAt(in *vcode.Inst, lanes, disp int32) {
	m.GRM(MOV, RAX, m.scratch(4*int32(in.Prefetch)-4))
	m.GRM(SUB, RAX, m.scratch(0))
	m.GRR(MOVSXD|W, RAX, RAX)
	m.GRR(ADD|W, RAX, RDX)
	for lane := int32(1); lane < lanes; lane += prefetchEvery {
		m.GRM(MOV, RCX, m.scratch(4*lane))
		m.GRM(PREFETCH, allCaches, Indexed(RAX, RCX, 1, disp))
	}
}

// gatherPairs loads two words that stand side by side for each lane at one offset, and
// two at another one, all of which are in range: the texels that a filter weights.
// Where those of one row are apart, those of the other are.
func (m *machine) gatherPairs(in *vcode.Inst) {
	apart, resume := m.NewLabel(), m.NewLabel()
	k := m.execution(in)
	first, second := pairRegs{0, 2, 3}, pairRegs{5, 6, 7}
	near := m.loadWindow
	if in.Prefetch == zmmLanes/2 && m.fixedHandle(in) {
		near = m.loadHalfWindows
	}
	near(in, k, m.vec(in.Uses[1], 1), first, apart)
	near(in, k, m.vec(in.Uses[2], 8), second, apart)
	m.permutePair(in, 0, first)
	m.permutePair(in, 2, second)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(apart)
		m.loadPairsByLane(in, first, second, resume)
		m.Jmp(resume)
	})
}

// nearbyHalves is nearby for lanes that stand in two rows: each half of them has a
// window of half as many words, which begins with the half's first lane. There must be
// no register for the handle. What the loads themselves touch of a line need not be
// asked for, only the one behind it.
func (m *machine) loadHalfWindows(in *vcode.Inst, k, off Reg, z pairRegs, slow Label) {
	const words = windowWords / 2
	m.broadcastFirsts(z.index, off)
	m.RR(VPSUBD, V512, z.index, off, z.index, 0)
	m.RRI(VPRORD, V512, z.index, 0, z.index, 2, 0)
	m.RMI(VPCMPUD, V512, 2, z.index, m.word32(words-2), compareGT, K(k)|BC)
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.Jcc(NotEqual, slow)
	low, high := m.boundsCheckHalves(in, off, z.hi, 4*words, handleLength, slow)
	m.RM(VMOVDQU32, V512, z.lo, 0, low, 0)
	m.RM(VMOVDQU32, V512, z.hi, 0, high, 0)
	m.RM(VPADDD, V512, z.index, z.index, m.vector([16]uint32{8: words, 9: words, 10: words, 11: words, 12: words, 13: words, 14: words, 15: words}), 0)
	m.GRM(PREFETCH, allCaches, plusVectors(low, 2))
	m.GRM(PREFETCH, allCaches, plusVectors(high, 2))
}

// loadPairs is gatherPairs wherever the words are, lane by lane: that is less for the
// machine to do than what its gathers come to. Lanes that are not active load what is
// at the first offset, which is in range where there is any; where none is active, it
// leaves for none.
func (m *machine) loadPairsByLane(in *vcode.Inst, first, second pairRegs, none Label) {
	k := m.execution(in)
	all, ok := m.f.Const(in.Masks[0])
	some := !ok || all == 0
	if some {
		m.RR(KORTESTW, V128, k, 0, k, 0)
		m.Jcc(Equal, none)
	}
	for i, u := range in.Uses[1:3] {
		off := m.vec(u, 4)
		if some {
			m.RR(VMOVDQA32, V512, 4, 0, off, K(k)|Z)
			off = 4
		}
		m.RM(VMOVDQU32_ST, V512, off, 0, m.scratch(64*int32(i)), 0)
	}
	m.GRM(MOV|W, RDX, m.handleWord(in.Uses[0], RAX, 0))
	m.loadLanes(first, 0, int32(in.Key.Aux))
	m.loadLanes(second, 64, int32(in.Key.Aux))
	m.prefetchAt(in, zmmLanes, int32(in.Key.Aux))
	m.deinterleave(in, 0, first)
	m.deinterleave(in, 2, second)
}

// loadLanes loads 64 bits for each lane at RDX, disp and the lane's word of a row of
// the scratch memory: those of the first eight lanes into lo, the others' into hi.
func (m *machine) loadLanes(z pairRegs, row, disp int32) {
	for lane := int32(0); lane < zmmLanes; lane += 2 {
		m.GRM(MOV, RAX, m.scratch(row+4*lane))
		m.GRM(MOV, RCX, m.scratch(row+4*lane+4))
		whole, quarter := z.lo, uint8(lane/2%4)
		if lane >= zmmLanes/2 {
			whole = z.hi
		}
		two := whole
		if quarter > 0 {
			two = z.index
		}
		m.RM(VMOVQ, V128, two, 0, Indexed(RDX, RAX, 1, disp), 0)
		m.RM(VMOVHPD, V128, two, two, Indexed(RDX, RCX, 1, disp), 0)
		if quarter > 0 {
			m.RRI(VINSERTF32X4, V512, whole, whole, two, quarter, 0)
		}
	}
}

package amd64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// prefetchEvery is the distance of lanes that are prefetched for: a cache line holds that many texels
// or more.
const prefetchEvery = 4

// prefetchLanes prefetches the likely next gather, at the distance in.Prefetch describes (vcode.Inst).
// Few lanes suffice, since the strips above and below prefetch between them. The offsets are in off,
// relative to RDX − 2³¹. Hardware prefetchers detect constant strides, but not texels of several rows.
func (m *machine) prefetchLanes(in *vcode.Inst, off Reg) {
	if in.Prefetch > 0 {
		m.RM(VMOVDQU32_ST, V512, off, 0, m.scratch(0), 0)
		m.prefetchAt(in, zmmLanes, math.MinInt32)
	}
}

// prefetchAt is prefetchLanes with the offsets in the scratch memory, relative to RDX and disp. It
// clobbers RAX and RCX.
//
// The distance is the offset of lane Prefetch − 1 minus the offset of lane 0, signed: the next
// gather continues at that distance, if the lanes advance evenly. A prefetch never faults, so that
// it needs no bounds check.
func (m *machine) prefetchAt(in *vcode.Inst, lanes, disp int32) {
	if in.Prefetch > uint32(lanes) { // the slow path of a strided load, with a distance in bytes
		return
	}
	m.GRM(MOV, RAX, m.scratch(4*int32(in.Prefetch)-4))
	m.GRM(SUB, RAX, m.scratch(0))
	m.GRR(MOVSXD|W, RAX, RAX)
	m.GRR(ADD|W, RAX, RDX)
	for lane := int32(1); lane < lanes; lane += prefetchEvery {
		m.GRM(MOV, RCX, m.scratch(4*lane))
		m.GRM(PREFETCH, allCaches, Indexed(RAX, RCX, 1, disp))
	}
}

// gatherPairs loads two adjacent words for each lane at one offset, and two at another one, all in
// range: the 2×2 texels of a bilinear filter. If one row of texels is not in a window the other is not
// either.
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
		m.loadPairsByLane(in, resume, first, second)
		m.Jmp(resume)
	})
}

// loadHalfWindows is loadWindow for lanes in two rows: each half has a window of half the size, from
// its first lane on. The handle must be constant. Only the lines after the windows need a prefetch.
// The rotation right by 2 turns byte distances into word numbers, and a misaligned distance into a
// number above 2³⁰, which the comparison rejects like a negative one. The index words − 2 is the
// last one with a word after it. Numbers from 16 on select the second window in VPERMI2D.
func (m *machine) loadHalfWindows(in *vcode.Inst, k, off Reg, z pairRegs, slow Label) {
	const words = windowWords / 2
	m.broadcastFirsts(z.index, off)
	m.RR(VPSUBD, V512, z.index, off, z.index, 0)
	m.RRI(VPRORD, V512, z.index, 0, z.index, 2, 0)
	m.RMI(VPCMPUD, V512, 2, z.index, m.word32(words-2), compareGT, K(k)|BC)
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.Jcc(NotEqual, slow)
	low, high := m.boundsCheckHalves(in, off, z.hi, 4*words, target.HandleLength, slow)
	m.RM(VMOVDQU32, V512, z.lo, 0, low, 0)
	m.RM(VMOVDQU32, V512, z.hi, 0, high, 0)
	m.RM(VPADDD, V512, z.index, z.index, m.vector([16]uint32{8: words, 9: words, 10: words, 11: words, 12: words, 13: words, 14: words, 15: words}), 0)
	m.GRM(PREFETCH, allCaches, plusVectors(low, 2))
	m.GRM(PREFETCH, allCaches, plusVectors(high, 2))
}

// loadPairsByLane is gatherPair or gatherPairs for arbitrary offsets that are in range, lane by lane: fewer micro-operations than
// gathers of the same words. Inactive lanes load at the first offset, which is in range if any lane is
// active; otherwise it jumps to none.
func (m *machine) loadPairsByLane(in *vcode.Inst, none Label, pairs ...pairRegs) {
	k := m.execution(in)
	all, ok := m.f.Const(in.Masks[0])
	some := !ok || all == 0
	if some {
		m.RR(KORTESTW, V128, k, 0, k, 0)
		m.Jcc(Equal, none)
	}
	for i, u := range in.Uses[1 : 1+len(pairs)] {
		off := m.vec(u, 4)
		if some {
			m.RR(VMOVDQA32, V512, 4, 0, off, K(k)|Z)
			off = 4
		}
		m.RM(VMOVDQU32_ST, V512, off, 0, m.scratch(64*int32(i)), 0)
	}
	m.GRM(MOV|W, RDX, m.handleWord(in.Uses[0], RAX, 0))
	for i, z := range pairs {
		m.loadLanes(z, 64*int32(i), int32(in.Key.Aux))
	}
	if in.Prefetch > 0 {
		m.prefetchAt(in, zmmLanes, int32(in.Key.Aux))
	}
	for i, z := range pairs {
		m.deinterleave(in, 2*i, z)
	}
}

// loadLanes loads 64 bits for each lane at RDX + disp + the lane's word in a row of the scratch
// memory: the first eight lanes into lo, the others into hi.
//
// Four quarters of 128 bits, with two lanes each, form a vector:
//
//	vmovq       two, [rdx + rax + disp]
//	vmovhpd     two, two, [rdx + rcx + disp]
//	vinsertf32x4 whole, whole, two, quarter
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

package amd64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// fetchEvery is which lanes are fetched for: lines of a cache are wider than that
// many texels.
const fetchEvery = 4

// fetchLanes asks for what is likely to be gathered soon, where lanes go on from the
// lane before in.Next as these do from the first: of few of them, as the strips above
// and below fetch what lies between. Their offsets are in off, to which RDX less 2³¹
// is to be added. Machines find out by themselves how loads go on that follow each
// other in equal steps; those of texels that stand in no row do not.
func (m *machine) fetchLanes(in *vcode.Inst, off Reg) {
	if in.Next > 0 {
		m.RM(VMOVDQU32_ST, V512, off, 0, m.scratch(0), 0)
		m.fetchFrom(in, zmmLanes)
	}
}

// fetchFrom is fetchLanes with the offsets of so many lanes in the scratch memory.
func (m *machine) fetchFrom(in *vcode.Inst, lanes int32) {
	m.GRM(MOV, RAX, m.scratch(4*int32(in.Next)-4))
	m.GRM(SUB, RAX, m.scratch(0))
	m.GRR(MOVSXD|W, RAX, RAX)
	m.GRR(ADD|W, RAX, RDX)
	for lane := int32(1); lane < lanes; lane += fetchEvery {
		m.GRM(MOV, RCX, m.scratch(4*lane))
		m.GRM(PREFETCH, allCaches, Indexed(RAX, RCX, 1, math.MinInt32))
	}
}

// gatherPairs loads two words that stand side by side for each lane at one offset, and
// two at another one, all of which are in range: the texels that a filter weights.
// Where those of one row stand in no row of their own, those of the other do not.
func (m *machine) gatherPairs(in *vcode.Inst) {
	apart, on := m.NewLabel(), m.NewLabel()
	k := m.execution(in)
	first, second := pairRegs{0, 2, 3}, pairRegs{5, 6, 7}
	m.nearby(in, k, m.vec(in.Uses[1], 1), first, apart)
	m.nearby(in, k, m.vec(in.Uses[2], 8), second, apart)
	m.pickNumbered(in, 0, first)
	m.pickNumbered(in, 2, second)
	m.Bind(on)
	m.later = append(m.later, func() {
		m.Bind(apart)
		m.gatherPairsApart(in, first, second)
		m.Jmp(on)
	})
}

// gatherPairsApart is gatherPairs wherever the words are. Results may share registers
// with offsets.
func (m *machine) gatherPairsApart(in *vcode.Inst, first, second pairRegs) {
	k := m.execution(in)
	off := m.vec(in.Uses[1], 1)
	m.inRange(in, k, off, handleLength)
	m.fetchLanes(in, off)
	m.gatherHalves(k, 4, first)
	m.RM(VPXORD, V512, 4, m.vec(in.Uses[2], 8), m.word32(1<<31), BC)
	m.gatherHalves(k, 4, second)
	m.pickSecond(in, 0, first)
	m.pickSecond(in, 2, second)
}

// gatherHalves gathers 64 bits for each lane of k at the signed indices in at behind
// RDX: those of the first eight lanes into lo, the others' into hi.
func (m *machine) gatherHalves(k, at Reg, z pairRegs) {
	m.RR(KMOVW, V128, 2, 0, k, 0)
	m.RRI(KSHIFTRW, V128, 3, 0, k, 8, 0)
	m.highHalf(z.number, at)
	m.RR(VPXORD, V128, z.lo, z.lo, z.lo, 0)
	m.RR(VPXORD, V128, z.hi, z.hi, z.hi, 0)
	m.RM(VPGATHERDQ, V512, z.lo, 0, Indexed(RDX, at, 1, 0), K(2))
	m.RM(VPGATHERDQ, V512, z.hi, 0, Indexed(RDX, z.number, 1, 0), K(3))
}

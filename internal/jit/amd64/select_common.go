package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Accesses through a vector of handles: the lanes usually have one handle, as all addresses that a shader computes from one pointer are in
// one region. A test finds out, and then the access is like one through a uniform handle:
//
//	different handles                load or store lane by lane      gatherApart, scatterApart
//	one handle, consecutive words    one load or store
//	one handle                       gather or scatter
//
// The first lane may be inactive and have any handle. If it happens to be the active lanes' handle, the test is right all the same. Without
// an active lane there is no access, as no lane has a valid handle.

// commonHandle sets RAX to the byte offset of the handle of the first lane, and jumps to slow unless it is the handle of all lanes of k. RAX
// is arbitrary if k is empty.
func (m *machine) commonHandle(in *vcode.Inst, k Reg, slow Label) {
	h := m.vec(in.Uses[0], 0)
	m.RR(VPBROADCASTD, V512, 2, 0, h, 0)
	m.RRI(VPCMPUD, V512, 2, 2, h, compareNE, K(k))
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.Jcc(NotEqual, slow)
	m.RR(VMOVD_ST, V128, h, 0, RAX, 0)
	m.ShiftI(ShlI, true, RAX, target.HandleShift)
}

// common emits an access with one handle and consecutive elements, which whole emits for its memory. scattered emits one with other
// offsets, for the field of the handle in memory, and apart one with different handles.
func (m *machine) common(in *vcode.Inst, k Reg, size uint32, field int32, whole, scattered func(Mem), apart func()) {
	if in.Key.Aux > maxDisp { // the fast checks use the immediate as a displacement
		apart()
		return
	}
	different, distant, resume := m.NewLabel(), m.NewLabel(), m.NewLabel()
	at := Indexed(R13, RAX, 1, field)
	m.RR(KORTESTW, V128, k, 0, k, 0)
	m.Jcc(Equal, resume)
	m.commonHandle(in, k, different)
	m.consecutive(k, m.vec(in.Uses[1], 1), size, distant)
	whole(m.firstBytes(in, at, field, int32(16*size), distant))
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(distant)
		scattered(at)
		m.Jmp(resume)
		m.Bind(different)
		apart()
		m.Jmp(resume)
	})
}

// load loads 32 bits for each lane, 0 out of range.
func load(m *machine, in *vcode.Inst) {
	k := m.execution(in)
	m.common(in, k, 4, target.HandleLength, func(at Mem) {
		d, o := m.dest(in, 0)
		m.RM(VMOVDQU32, V512, d, 0, at, o)
		m.done(in, d)
	}, func(at Mem) {
		k := m.execution(in)
		m.inHandle(in, k, m.vec(in.Uses[1], 1), at, target.HandleLength)
		m.RR(VPXORD, V128, 0, 0, 0, 0)
		m.RM(VPGATHERDD, V512, 0, 0, Indexed(RDX, 4, 1, 0), K(2))
		m.define(in, 0)
	}, func() { gatherApart(m, in) })
}

// store stores 32 bits of each lane, in ascending order, nothing out of range and nothing for helpers.
func store(m *machine, in *vcode.Inst) {
	k := m.storingLanes(in)
	m.common(in, k, 4, target.HandleWrites, func(at Mem) {
		m.RM(VMOVDQU32_ST, V512, m.vec(in.Uses[2], 0), 0, at, K(k))
	}, func(at Mem) {
		k := m.storingLanes(in)
		m.inHandle(in, k, m.vec(in.Uses[1], 1), at, target.HandleWrites)
		m.RM(VPSCATTERDD, V512, m.vec(in.Uses[2], 0), 0, Indexed(RDX, 4, 1, 0), K(2))
	}, func() { scatterApart(m, in) })
}

// loadWide loads 64 bits for each lane, 0 out of range.
func loadWide(m *machine, in *vcode.Inst) {
	k := m.execution(in)
	m.common(in, k, 8, target.HandleLength, func(at Mem) {
		m.RM(VMOVDQU64, V512, 7, 0, at, 0)
		m.RM(VMOVDQU64, V512, 8, 0, plusVectors(at, 1), 0)
		m.defineHalf(in, 0, 7)
		m.defineHalf(in, 1, 8)
	}, func(Mem) { gatherWideApart(m, in) }, func() { gatherWideApart(m, in) })
}

// storeWide stores 64 bits of each lane, in ascending order, nothing out of range and nothing for helpers.
func storeWide(m *machine, in *vcode.Inst) {
	k := m.storingLanes(in)
	m.common(in, k, 8, target.HandleWrites, func(at Mem) {
		m.RR(KMOVW, V128, 2, 0, k, 0)
		m.RM(VMOVDQU64_ST, V512, m.half(in.Uses[2], 0, 7), 0, at, K(2))
		m.RRI(KSHIFTRW, V128, 2, 0, 2, 8, 0)
		m.RM(VMOVDQU64_ST, V512, m.half(in.Uses[2], 1, 7), 0, plusVectors(at, 1), K(2))
	}, func(Mem) { scatterWideApart(m, in) }, func() { scatterWideApart(m, in) })
}

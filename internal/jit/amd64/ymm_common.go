package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Accesses through a vector of handles, and searches for regions, whose lanes have one handle (select_common.go,
// select_region.go) with eight lanes.
//
// A kernel that gets its buffers as device addresses, as all kernels of CUDA do, accesses everything in this way. Lane by
// lane an access costs about fifty instructions for eight words. With one handle and consecutive offsets it is one
// load after three comparisons:
//
//	offsets  = first + 0, 4, …, 28       in active lanes
//	handles  = the first one             in active lanes
//	the row is in range of the handle
//
// An inactive first lane has any offset and handle: the slow path is likely then, but its result is the same.

// unlessAll jumps to slow unless y is set in all active lanes. It clobbers RAX and y.
func (m ymm) unlessAll(in *vcode.Inst, y Reg, slow Label) {
	if m.always(in) {
		m.rr(AVX_VMOVMSKPS, RAX, 0, y)
		m.GI(CmpI, false, RAX, allLanes8)
	} else {
		m.with(AVX_VPANDN, y, y, in.Masks[0])
		m.rr(AVX_VMOVMSKPS, RAX, 0, y)
		m.GRR(TEST, RAX, RAX)
	}
	m.Jcc(NotEqual, slow)
}

// commonHandle sets RAX to the number of the handle of the first lane, and jumps to slow unless it is the handle of
// all active lanes. Without an active lane it is arbitrary.
func (m ymm) commonHandle(in *vcode.Inst, slow Label) {
	h := m.vec(in.Uses[0], 0)
	m.rr(AVX_VPBROADCASTD, 2, 0, h)
	m.rr(AVX_VPCMPEQD, 2, 2, h)
	m.unlessAll(in, 2, slow)
	m.RR(AVX_VMOVD_ST, V128, h, 0, RAX, 0)
}

// commonRow returns the memory of consecutive words with one handle, of which field is the length. It jumps to slow
// if the active lanes, of which there is one, have other offsets or handles or the row is not in range.
func (m ymm) commonRow(in *vcode.Inst, field int32, slow Label) Mem {
	// All lanes with an access have the offset that follows from the first lane's.
	off := m.vec(in.Uses[1], 1)
	m.rr(AVX_VPBROADCASTD, 2, 0, off)
	m.rm(AVX_VPADDD, 2, 2, m.vector8(octetOf(0, 4)))
	m.rr(AVX_VPCMPEQD, 2, 2, off)
	m.unlessAll(in, 2, slow)
	m.commonHandle(in, slow)
	m.RR(AVX_VMOVD_ST, V128, off, 0, RDX, 0)
	m.ShiftI(ShlI, true, RAX, target.HandleShift)
	return m.firstBytes(in, Indexed(R13, RAX, 1, field), field, ymmBytes, slow)
}

// isWordAccess reports whether an access has an address that commonRow can check.
func isWordAccess(in *vcode.Inst) bool { return in.Key.Type.Size() == 4 && in.Key.Aux <= maxDisp }

// ymmLoad loads a value for each lane, 0 out of range.
func ymmLoad(m ymm, in *vcode.Inst) {
	if !isWordAccess(in) {
		m.loadApart(in)
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	if !m.always(in) {
		m.rr(AVX_VMOVMSKPS, RAX, 0, m.execution(in, 2))
		m.GRR(TEST, RAX, RAX)
		m.Jcc(Equal, resume)
	}
	at := m.commonRow(in, target.HandleLength, slow)
	d := m.dest(in, 0)
	m.rm(AVX_VMOVUPS, d, 0, at)
	m.done(in, d)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.loadApart(in)
		m.Jmp(resume)
	})
}

// ymmStore stores a value of each lane, in ascending order, nothing out of range and nothing for helpers. A row is
// stored at once if all lanes are active: masked stores are slow on some machines.
func ymmStore(m ymm, in *vcode.Inst) {
	if !isWordAccess(in) || m.facts.Demotes {
		m.storeApart(in)
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	if !m.always(in) {
		m.rr(AVX_VMOVMSKPS, RAX, 0, m.execution(in, 2))
		m.GI(CmpI, false, RAX, allLanes8)
		m.Jcc(NotEqual, slow)
	}
	at := m.commonRow(in, target.HandleWrites, slow)
	m.rm(AVX_VMOVUPS_ST, m.vec(in.Uses[2], 0), 0, at)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.storeApart(in)
		m.Jmp(resume)
	})
}

// ymmRegionOf is regionOf for eight lanes.
func ymmRegionOf(m ymm, in *vcode.Inst) { m.oneRegion(in, m.commonRegion, m.searchRegions) }

// firstWide moves lane 0 of a Wide.
func (m ymm) firstWide(g Reg, u vcode.Reg) {
	m.loadHalf(1, u, 0)
	m.RR(AVX_VMOVQ_GX, V128, 1, 0, g, 0)
}

// commonRegion is regionOf if all active lanes are in the region of the first lane, and jumps to slow otherwise.
func (m ymm) commonRegion(in *vcode.Inst, slow Label) {
	m.loadHalf(1, in.Uses[0], 0)
	m.RR(AVX_VMOVQ_GX, V128, 1, 0, RCX, 0)
	m.findRegion()
	m.RM(AVX_VMOVQ_LD, V128, 2, 0, At(RDX, 0), 0)
	m.rri(AVX_VPERMQ, 2, 0, 2, 0)
	m.GRM(MOV|W, RCX, At(RDX, target.RegionSize))
	m.GI(SubI, true, RCX, int32(in.Key.Aux))
	m.Jcc(Less, slow) // in no region, or greater than it
	m.RR(AVX_VMOVQ, V128, 3, 0, RCX, 0)
	m.rri(AVX_VPERMQ, 3, 0, 3, 0)
	// Out of range: offset > size − Aux, or a sign.
	m.rr(AVX_VPSUBQ, 1, 1, 2)
	m.rr(AVX_VPCMPGTQ, 0, 1, 3)
	m.rr(AVX_VPOR, 0, 0, 1)
	m.loadHalf(1, in.Uses[0], 1)
	m.rr(AVX_VPSUBQ, 1, 1, 2)
	m.rr(AVX_VPCMPGTQ, 4, 1, 3)
	m.rr(AVX_VPOR, 4, 4, 1)
	m.rri(AVX_VSHUFPS, 0, 0, 4, 0xdd) // the high words
	m.rri(AVX_VPERMQ, 0, 0, 0, 0xd8)
	if !m.always(in) {
		m.with(AVX_VPAND, 0, 0, in.Masks[0])
	}
	m.rr(AVX_VMOVMSKPS, RAX, 0, 0)
	m.GRR(TEST, RAX, RAX)
	m.Jcc(NotEqual, slow)
	m.regionHandle()
	d := m.dest(in, 0)
	m.splat(d, RDX)
	m.done(in, d)
}

// ymmRegionOffset is regionOffset for eight lanes.
func ymmRegionOffset(m ymm, in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	m.commonHandle(in, slow)
	// The null handle is below the first region's, so that the difference is no number of a region.
	m.GRM(SUB|W, RAX, arg(target.ArgRegionFirst))
	m.GRM(CMP|W, RAX, arg(target.ArgRegionCount))
	m.Jcc(AboveEqual, slow)
	m.ShiftI(ShlI, true, RAX, target.RegionShift+3)
	m.GRM(ADD|W, RAX, arg(target.ArgRegions))
	m.rm(AVX_VPBROADCASTD, 4, 0, At(RAX, 0))
	m.loadHalf(1, in.Uses[1], 0)
	m.loadHalf(2, in.Uses[1], 1)
	m.lowWords(1, 1, 2)
	d := m.dest(in, 0)
	m.rr(AVX_VPSUBD, d, 1, 4)
	m.done(in, d)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.regionOffsets(in)
		m.Jmp(resume)
	})
}

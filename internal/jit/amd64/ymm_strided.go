package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// ymmBytes is the size of a vector in bytes.
const ymmBytes = 4 * ymmLanes

// broadcastLoad loads 32 bits into all lanes, 0 out of range.
//
// VBROADCASTSS from memory is one load without a shuffle. The slow path serves a failed check, and
// an immediate that is too large for a displacement.
func (m ymm) broadcastLoad(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	at, proven := m.boundsCheck(in, 4, target.HandleLength, slow)
	d := m.dest(in, 0)
	m.rm(AVX_VBROADCASTSS, d, 0, at)
	m.done(in, d)
	if proven {
		return
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.slowLoad(in)
		m.splat(0, RAX)
		m.done(in, 0)
		m.Jmp(resume)
	})
}

// stridedLoad loads consecutive words; see machine.stridedLoad. If the step is one word the lanes
// are adjacent, and each part is one vector load. The slow path gathers, since some lanes may be in
// range.
func (m ymm) stridedLoad(in *vcode.Inst) {
	slow, resume, proven := m.NewLabel(), m.NewLabel(), false
	if in.Step*in.Stride > 4 {
		m.wideStrideLoad(in, slow)
	} else {
		var at Mem
		at, proven = m.boundsCheck(in, ymmBytes*int32(len(in.Defs)), target.HandleLength, slow)
		m.prefetch(in, at, ymmBytes*int32(len(in.Defs)))
		for part := range in.Defs {
			one := partOf(in, part)
			d := m.dest(&one, 0)
			m.rm(AVX_VMOVUPS, d, 0, plusBytes(at, ymmBytes*int32(part)))
			m.done(&one, d)
		}
	}
	if proven {
		return
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.gatherParts(in)
		m.Jmp(resume)
	})
}

// gatherParts is the slow path of a strided load.
func (m ymm) gatherParts(in *vcode.Inst) {
	for part := range in.Defs {
		one := partOf(in, part)
		m.stridedOffsets(in, part)
		k := NoReg // the result of another part may have overwritten its mask
		if in.Merging {
			k = m.execution(&one, 0)
		}
		if !m.sharedRow(in, &one, part, k) {
			m.gatherFrom(&one, k, 1)
		}
	}
}

// sharedRow is gatherFrom for adjacent words of workgroup memory: a masked load of those in range, which is faster
// than a gather. It reports whether the address is one. A row that begins before the memory, as of s[i-1],
// has a first index that is negative as a signed number.
//
//	movsxd rdx, first index
//	vpmaskmovd y0, y2, [r12 + rdx·stride + constants]
func (m ymm) sharedRow(in, one *vcode.Inst, part int, k Reg) bool {
	h, placed := m.f.Const(in.Uses[0])
	start, constant := m.f.Const(in.Uses[2])
	if !placed || h != target.HandleShared*target.HandleBytes || !constant || in.Step*in.Stride != 4 || in.Checked {
		return false
	}
	disp := start + in.Key.Aux + uint64(in.Stride)*uint64(in.IndexOffset) + uint64(part*ymmBytes)
	if start > maxDisp || in.Key.Aux > maxDisp || disp > maxDisp {
		return false
	}
	if _, found := m.inRange(one, k, 1, target.HandleLength); !found {
		return false
	}
	m.GRR(MOVSXD|W, RDX, m.gen(in.Uses[3], RDX))
	m.rm(AVX_VPMASKMOVD, 0, 2, Indexed(R12, RDX, uint8(in.Stride), int32(disp)))
	m.done(one, 0)
	return true
}

func (m ymm) stridedStore(in *vcode.Inst) {
	slow, resume, proven := m.NewLabel(), m.NewLabel(), false
	if in.Step*in.Stride > 4 {
		m.wideStrideStore(in, slow)
	} else {
		var at Mem
		at, proven = m.boundsCheck(in, ymmBytes*int32(len(in.Masks)), target.HandleWrites, slow)
		m.storeParts(in, at)
	}
	if proven {
		return
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.scatterParts(in)
		m.Jmp(resume)
	})
}

// scatterParts is the slow path of a strided store.
func (m ymm) scatterParts(in *vcode.Inst) {
	for part := range in.Masks {
		one := partOf(in, part)
		m.stridedOffsets(in, part)
		m.scatterTo(&one, 1, one.Uses[4])
	}
}

// storeParts stores the vectors of a strided access, nontemporally if permitted
// (select_nontemporal.go). It clobbers RAX. The policy is 0 or has its low bits set, so that one OR
// with the address tests both. VMOVNTPS faults on an address that is not a multiple of 32.
func (m ymm) storeParts(in *vcode.Inst, at Mem) {
	store := func(do func(one *vcode.Inst, at Mem)) {
		for part := range in.Masks {
			one := partOf(in, part)
			do(&one, plusBytes(at, ymmBytes*int32(part)))
		}
	}
	usually := func(one *vcode.Inst, at Mem) { m.storeMasked(one, one.Uses[4], at) }
	if !m.streamable(in) {
		store(usually)
		return
	}
	usual, done := m.NewLabel(), m.NewLabel()
	h, _ := m.f.Const(in.Uses[0])
	m.GRM(LEA|W, RAX, at)
	m.GRM(OR|W, RAX, At(R13, int32(h)+target.HandlePolicy))
	m.GI(AndI, false, RAX, ymmBytes-1)
	m.Jcc(NotEqual, usual)
	store(func(one *vcode.Inst, at Mem) { m.rm(AVX_VMOVNTPS_ST, m.vec(one.Uses[4], 0), 0, at) })
	m.Bind(done)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(usual)
		store(usually)
		m.Jmp(done)
	})
}

// storeMasked stores a vector in the storing lanes. It uses the masked store, which is slow on some
// processors (microcode on AMD's Jaguar), only if these are not all. It clobbers RAX,
// which at must not contain.
//
// The usual case costs a test. The masked store writes no byte of an inactive lane, which matters
// for races: another thread may write to these bytes at the same time. It may not if the handle is owned:
// then a blend of the row takes the place of the masked store.
func (m ymm) storeMasked(in *vcode.Inst, u vcode.Reg, at Mem) {
	value := m.vec(u, 0)
	if m.always(in) && !m.facts.Demotes {
		m.rm(AVX_VMOVUPS_ST, value, 0, at)
		return
	}
	some, resume := m.NewLabel(), m.NewLabel()
	k := m.storingLanes(in, 1)
	m.rr(AVX_VMOVMSKPS, RAX, 0, k)
	m.GI(CmpI, false, RAX, allLanes8)
	m.Jcc(NotEqual, some)
	m.rm(AVX_VMOVUPS_ST, value, 0, at)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(some)
		m.GRR(TEST, RAX, RAX)
		m.Jcc(Equal, resume)
		if h, ok := m.ownable(in); ok {
			masked := m.NewLabel()
			m.GMI(CmpI, false, At(R13, h+target.HandlePolicy), target.HandleOwned)
			m.Jcc(NotEqual, masked)
			m.storeBlended(value, k, at)
			m.Jmp(resume)
			m.Bind(masked)
		}
		m.rm(AVX_VPMASKMOVD_ST, value, k, at)
		m.Jmp(resume)
	})
}

// ownable returns the handle of an access if it is constant and a buffer with texels, which a draw may own.
func (m *machine) ownable(in *vcode.Inst) (handle int32, ok bool) {
	h, ok := m.f.Const(in.Uses[0])
	if !ok {
		return 0, false
	}
	for r, first := range m.layout.Resources {
		if n := int(h / target.HandleBytes); n >= first && n < first+m.layout.Counts[r] {
			return int32(h), m.prog.Res[r].Kind == ir.Texels
		}
	}
	return 0, false
}

// storeBlended stores a vector in the lanes of k, and writes the other words back. A later load of the row takes them from the store
// queue, as it cannot after a masked store. It clobbers Y0, or Y2 if value is Y0.
func (m ymm) storeBlended(value, k Reg, at Mem) {
	row := Reg(0)
	if value == 0 {
		row = 2
	}
	m.rm(AVX_VMOVUPS, row, 0, at)
	m.blend(row, row, value, k)
	m.rm(AVX_VMOVUPS_ST, row, 0, at)
}

// boundsCheckStride is boundsCheck for all words between the lanes, from the first component on. It
// checks whole vectors, because the loads read the words between the components too.
func (m ymm) boundsCheckStride(in *vcode.Inst, field int32, slow Label) (at Mem, words, component int32) {
	w, c := strideOf(in)
	whole := *in
	whole.Key.Aux -= uint64(4 * c)
	at, _ = m.boundsCheck(&whole, int32(ymmBytes*w*len(in.Masks)), field, slow)
	return at, int32(w), int32(c)
}

// wideStrideLoad selects one word of several from consecutive memory. It jumps to slow out
// of range.
func (m ymm) wideStrideLoad(in *vcode.Inst, slow Label) {
	at, words, component := m.boundsCheckStride(in, target.HandleLength, slow)
	for part := range in.Defs {
		one := partOf(in, part)
		m.loadStridedPart(&one, plusBytes(at, ymmBytes*words*int32(part)), words, component)
	}
}

// loadStridedPart loads one part of a strided access.
//
// For two words, component 0, with lanes a to h, lowest first:
//
//	load        a · b · | c · d ·
//	vshufps     a b e f | c d g h        with the next vector, in each 128-bit half
//	vpermq      a b c d | e f g h
//
// With other numbers of words a vector load would use few of them, so each lane is one insertion.
func (m ymm) loadStridedPart(in *vcode.Inst, at Mem, words, component int32) {
	switch words {
	case 2:
		m.rm(AVX_VMOVUPS, 0, 0, at)
		m.RMI(AVX_VSHUFPS, V256, 0, 0, plusBytes(at, 32), uint8(0x88+0x55*component), 0)
		m.rri(AVX_VPERMQ, 0, 0, 0, 0xd8)
	case 4:
		m.loadFourths(0, at, 0)
		m.loadFourths(1, at, 16)
		m.loadFourths(2, at, 32)
		m.loadFourths(3, at, 48)
		all := uint8(0x55 * component)
		m.rri(AVX_VSHUFPS, 0, 0, 1, all)
		m.rri(AVX_VSHUFPS, 2, 2, 3, all)
		m.rri(AVX_VSHUFPS, 0, 0, 2, 0x88)
	default:
		for half := range int32(2) {
			y := Reg(half)
			m.RM(AVX_VMOVD, V128, y, 0, plusBytes(at, 4*(component+words*4*half)), 0)
			for lane := int32(1); lane < 4; lane++ {
				m.RMI(AVX_VPINSRD, V128, y, y, plusBytes(at, 4*(component+words*(4*half+lane))), uint8(lane), 0)
			}
		}
		m.join(0, 0, 1)
	}
	m.done(in, 0)
}

// loadFourths loads the four words at off into the lower half of y, and the words of the lane four
// lanes later into its upper half.
func (m ymm) loadFourths(y Reg, at Mem, off int32) {
	m.RM(AVX_VMOVUPS, V128, y, 0, plusBytes(at, off), 0)
	m.RMI(AVX_VINSERTF128, V256, y, y, plusBytes(at, off+64), 1, 0)
}

// plusBytes returns the memory n bytes later.
func plusBytes(at Mem, n int32) Mem {
	at.Disp += n
	return at
}

// wideStrideStore stores one word of several in consecutive memory. It jumps to slow
// unless all lanes store and all is in range.
func (m ymm) wideStrideStore(in *vcode.Inst, slow Label) {
	m.unlessAllStore(in, slow)
	at, words, component := m.boundsCheckStride(in, target.HandleWrites, slow)
	for part := range in.Masks {
		m.storeLanes(m.vec(in.Uses[4+part], 0), plusBytes(at, 4*component+ymmBytes*words*int32(part)), 4*words)
	}
}

// storeLanes stores the word of each lane, at a distance in bytes. AVX2 has no masked store of single words in a pattern,
// so that each lane is stored from a vector element: VMOVD for the first of four, VPEXTRD for the
// others. It clobbers Y1.
func (m ymm) storeLanes(y Reg, at Mem, distance int32) {
	for lane := range int32(ymmLanes) {
		if lane == 4 {
			m.highHalf(1, y)
			y = 1
		}
		to := plusBytes(at, distance*lane)
		if lane%4 == 0 {
			m.RM(AVX_VMOVD_ST, V128, y, 0, to, 0)
		} else {
			m.RMI(AVX_VPEXTRD, V128, y, 0, to, uint8(lane%4), 0)
		}
	}
}

// stridedOffsets puts the offsets of a part of a strided access into Y1; see machine.stridedOffsets.
func (m ymm) stridedOffsets(in *vcode.Inst, part int) {
	m.splat(1, m.gen(in.Uses[3], RAX))
	m.rm(AVX_VPADDD, 1, 1, m.vector8(octetOf(uint32(part)*ymmLanes*in.Step+in.IndexOffset, in.Step)))
	start := NoReg
	off, ok := m.f.Const(in.Uses[2])
	if !ok {
		m.splat(3, m.gen(in.Uses[2], RAX))
		start = 3
	}
	m.offset(1, in.Stride, start, uint32(off))
	m.moveVec(1, 0)
}

package amd64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
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
	at, proven := m.boundsCheck(in, 4, handleLength, slow)
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
		at, proven = m.boundsCheck(in, ymmBytes*int32(len(in.Defs)), handleLength, slow)
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
		for part := range in.Defs {
			one := partOf(in, part)
			m.stridedOffsets(in, part)
			k := NoReg // the result of another part may have overwritten its mask
			if in.Merging {
				k = m.execution(&one, 0)
			}
			m.gatherFrom(&one, k, 1)
		}
		m.Jmp(resume)
	})
}

func (m ymm) stridedStore(in *vcode.Inst) {
	slow, resume, proven := m.NewLabel(), m.NewLabel(), false
	if in.Step*in.Stride > 4 {
		m.wideStrideStore(in, slow)
	} else {
		var at Mem
		at, proven = m.boundsCheck(in, ymmBytes*int32(len(in.Masks)), handleWrites, slow)
		m.storeParts(in, at)
	}
	if proven {
		return
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		for part := range in.Masks {
			one := partOf(in, part)
			m.stridedOffsets(in, part)
			m.scatterTo(&one, 1, one.Uses[4])
		}
		m.Jmp(resume)
	})
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
	m.GRM(OR|W, RAX, At(R13, int32(h)+handlePolicy))
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
// for races: another thread may write to these bytes at the same time.
func (m ymm) storeMasked(in *vcode.Inst, u vcode.Reg, at Mem) {
	value := m.vec(u, 0)
	if m.always(in) && !m.demotes {
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
		m.rm(AVX_VPMASKMOVD_ST, value, k, at)
		m.Jmp(resume)
	})
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

// wideStrideLoad selects one word of two, four or eight from consecutive memory. It jumps to slow out
// of range.
func (m ymm) wideStrideLoad(in *vcode.Inst, slow Label) {
	at, words, component := m.boundsCheckStride(in, handleLength, slow)
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
// For eight words a vector load would use one word of eight, so each lane is one insertion.
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

// wideStrideStore stores one word of two, four or eight in consecutive memory. It jumps to slow
// unless all lanes store and all is in range. AVX2 has no masked store of single words in a pattern,
// so that each lane is stored from a vector element: VMOVD for the first of four, VPEXTRD for the
// others.
func (m ymm) wideStrideStore(in *vcode.Inst, slow Label) {
	for part := range in.Masks {
		if one := partOf(in, part); !m.always(&one) || m.demotes {
			m.rr(AVX_VMOVMSKPS, RAX, 0, m.storingLanes(&one, 1))
			m.GI(CmpI, false, RAX, allLanes8)
			m.Jcc(NotEqual, slow)
		}
	}
	at, words, component := m.boundsCheckStride(in, handleWrites, slow)
	for part := range in.Masks {
		y := m.vec(in.Uses[4+part], 0)
		for lane := range int32(ymmLanes) {
			if lane == 4 {
				m.highHalf(1, y)
				y = 1
			}
			to := plusBytes(at, 4*(component+words*lane)+ymmBytes*words*int32(part))
			if lane%4 == 0 {
				m.RM(AVX_VMOVD_ST, V128, y, 0, to, 0)
			} else {
				m.RMI(AVX_VPEXTRD, V128, y, 0, to, uint8(lane%4), 0)
			}
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

// inRange sets Y2 to the lanes of k, or of all if k is NoReg, with an access in range at the offsets
// in off in handle u0. It returns the memory that Y4 indexes, signed, with base RDX or R12; see
// machine.inRange. It returns false if no offset can be in range. It clobbers Y3 and preserves Y0 and
// Y1.
//
// In the workgroup memory an offset in range is below 2³¹ already, and the base R12 needs no bias.
// Elsewhere xor with 2³¹ subtracts 2³¹ modulo 2³², and RDX adds it again in 64 bits:
//
//	address = (base + 2³¹ + imm) + sign extension of (off − 2³¹)
func (m ymm) inRange(in *vcode.Inst, k, off Reg, field int32) (Mem, bool) {
	reach := reach(in)
	if in.Key.Aux > math.MaxUint32 || reach > math.MaxUint32 {
		return Mem{}, false
	}
	if n, ok := m.f.Const(in.Uses[0]); ok && n == HandleShared*HandleBytes {
		if uint64(m.prog.SharedBytes) < reach {
			return Mem{}, false
		}
		m.word(AVX_VPMINUD, 2, off, m.prog.SharedBytes-uint32(reach))
		m.rr(AVX_VPCMPEQD, 2, 2, off)
		m.among(2, k)
		m.moveVec(4, off)
		return Indexed(R12, 4, 1, int32(in.Key.Aux)), true
	}
	at := m.handleWord(in.Uses[0], RAX, field)
	if in.Key.Flags&ir.Proven != 0 && k != NoReg {
		at.Disp -= field
		m.GRM(MOV|W, RDX, at)
		m.moveVec(2, k)
		m.word(AVX_VPXOR, 4, off, 1<<31)
		m.MovI(RCX, 1<<31+in.Key.Aux)
		m.GRR(ADD|W, RDX, RCX)
		return Indexed(RDX, 4, 1, 0), true
	}
	m.rm(AVX_VPBROADCASTD, 3, 0, at)
	at.Disp -= field
	m.GRM(MOV|W, RDX, at)
	m.word(AVX_VPMAXUD, 2, 3, uint32(reach))
	m.rr(AVX_VPCMPEQD, 2, 2, 3)
	m.word(AVX_VPSUBD, 3, 3, uint32(reach))
	m.rr(AVX_VPMINUD, 3, 3, off)
	m.rr(AVX_VPCMPEQD, 3, 3, off)
	m.rr(AVX_VPAND, 2, 2, 3)
	m.among(2, k)
	m.word(AVX_VPXOR, 4, off, 1<<31)
	m.MovI(RCX, 1<<31+in.Key.Aux)
	m.GRR(ADD|W, RDX, RCX)
	return Indexed(RDX, 4, 1, 0), true
}

// among intersects y with k, unless that is NoReg.
func (m ymm) among(y, k Reg) {
	if k != NoReg {
		m.rr(AVX_VPAND, y, y, k)
	}
}

// gatherFrom loads a word for each lane of k, or of all if k is NoReg, at the offsets in off, Y1 or
// an allocated register; 0 out of range. VPGATHERDD loads only the lanes with a set sign bit in Y2,
// and clears Y2. The lanes out of range retain the 0 of Y0.
func (m ymm) gatherFrom(in *vcode.Inst, k, off Reg) {
	at, found := m.inRange(in, k, off, handleLength)
	m.zero(0)
	if found {
		if in.Prefetch > 0 && at.Base == RDX {
			m.rm(AVX_VMOVUPS_ST, off, 0, m.scratch(0))
			m.prefetchAt(in, ymmBytes/4, math.MinInt32)
		}
		m.rm(AVX_VPGATHERDD, 0, 2, at)
	}
	m.done(in, 0)
}

// scatterTo stores a word of each lane, in ascending order, nothing out of range and nothing for
// helpers. Stores of different lanes to one address happen in the order of the lanes, so the last
// one wins, as VPSCATTERDD of AVX-512 guarantees.
func (m ymm) scatterTo(in *vcode.Inst, off Reg, u vcode.Reg) {
	at, found := m.inRange(in, m.storingLanes(in, 0), off, handleWrites)
	if !found {
		return
	}
	done := m.NewLabel()
	m.rr(AVX_VMOVMSKPS, RAX, 0, 2)
	m.GRR(TEST, RAX, RAX)
	m.Jcc(Equal, done)
	m.laneBase(at)
	m.rm(AVX_VMOVUPS_ST, m.vec(u, 0), 0, m.scratch(scratchOperand))
	m.eachLane(func() {
		m.GRM(MOV, RCX, m.lane32(scratchOperand))
		m.GRM(MOV_ST, RCX, At(RDX, 0))
	})
	m.Bind(done)
}

// laneBase writes the base from inRange and the indices in Y4 to the scratch memory, for eachLane. It
// clobbers RDX.
func (m ymm) laneBase(at Mem) {
	if at.Base != RDX || at.Disp != 0 {
		m.GRM(LEA|W, RDX, At(at.Base, at.Disp))
	}
	m.GRM(MOV_ST|W, RDX, m.scratch(scratchBase))
	m.rm(AVX_VMOVUPS_ST, 4, 0, m.scratch(scratchOffset))
}

// contiguous jumps to slow unless the offsets in off are consecutive words in the active lanes, and
// all eight words are in range. It returns their memory, which does not use RAX.
//
// Offsets from a computed index are often consecutive at run time although the compiler cannot prove
// it. One comparison with first + 0, 4, …, 28 finds these, and then a vector load replaces the
// gather. Inactive lanes need not match, but their words must be in range, because the load reads
// them. An inactive first lane makes the slow path likely, not wrong.
func (m ymm) contiguous(in *vcode.Inst, off Reg, field int32, slow Label) Mem {
	m.RR(AVX_VMOVD_ST, V128, off, 0, RDX, 0)
	m.rr(AVX_VPBROADCASTD, 2, 0, off)
	m.rm(AVX_VPADDD, 2, 2, m.vector8(octetOf(0, 4)))
	m.rr(AVX_VPCMPEQD, 2, 2, off)
	if !m.always(in) {
		m.with(AVX_VPANDN, 2, 2, in.Masks[0])
		m.rr(AVX_VMOVMSKPS, RAX, 0, 2)
		m.GRR(TEST, RAX, RAX)
	} else {
		m.rr(AVX_VMOVMSKPS, RAX, 0, 2)
		m.GI(CmpI, false, RAX, allLanes8)
	}
	m.Jcc(NotEqual, slow)
	at := m.handleWord(in.Uses[0], RAX, field)
	m.GRM(MOV, RCX, at)
	m.GI(SubI, true, RCX, int32(in.Key.Aux)+ymmBytes)
	m.GRR(CMP|W, RCX, RDX)
	at.Disp -= field
	m.GRM(MOV|W, RCX, at)
	m.Jcc(Less, slow)
	return Indexed(RCX, RDX, 1, int32(in.Key.Aux))
}

// An immediate above maxDisp does not fit in the displacement of the fast path.
func (m ymm) gather(in *vcode.Inst) {
	if len(in.Defs) > 1 {
		m.gatherPairs(in)
		return
	}
	if in.Key.Aux > maxDisp {
		m.gatherFrom(in, m.execution(in, 0), m.vec(in.Uses[1], 1))
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	at := m.contiguous(in, m.vec(in.Uses[1], 1), handleLength, slow)
	d := m.dest(in, 0)
	m.rm(AVX_VMOVUPS, d, 0, at)
	m.done(in, d)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.gatherFrom(in, m.execution(in, 0), m.vec(in.Uses[1], 1))
		m.Jmp(resume)
	})
}

func (m ymm) scatter(in *vcode.Inst) {
	if in.Key.Aux > maxDisp {
		m.scatterTo(in, m.vec(in.Uses[1], 1), in.Uses[2])
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	at := m.contiguous(in, m.vec(in.Uses[1], 1), handleWrites, slow)
	m.storeMasked(in, in.Uses[2], at)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.scatterTo(in, m.vec(in.Uses[1], 1), in.Uses[2])
		m.Jmp(resume)
	})
}

// slotAddress returns the memory of a slot of a private variable, the same slot in all lanes. It
// jumps to slow out of range. The slot is uniform, so that its words of all lanes are one vector: no
// gather is necessary.
func (m ymm) slotAddress(in *vcode.Inst, slow Label) Mem {
	v := m.prog.Vars[in.Key.Aux]
	first := m.record.Private + 4*int32(m.varBase(int(in.Key.Aux)))*m.record.Lanes + ymmBytes*int32(in.Part)
	if n, ok := m.f.Const(in.Uses[0]); ok {
		if n >= uint64(v.Slots) {
			m.Jmp(slow)
			n = 0
		}
		return At(R14, first+int32(n)*4*m.record.Lanes)
	}
	m.loadGen(RAX, in.Uses[0])
	m.GI(CmpI, true, RAX, int32(min(v.Slots, math.MaxInt32)))
	m.Jcc(AboveEqual, slow)
	m.multiply(RAX, uint64(4*m.record.Lanes))
	return Indexed(R14, RAX, 1, first)
}

func (m ymm) slotLoad(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	at := m.slotAddress(in, slow)
	d := m.dest(in, 0)
	m.rm(AVX_VMOVUPS, d, 0, at)
	m.done(in, d)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.zero(0)
		m.done(in, 0)
		m.Jmp(resume)
	})
}

// slotStore merges by reading the old slot: no other thread writes to the memory of a subgroup.
func (m ymm) slotStore(in *vcode.Inst) {
	slow := m.NewLabel()
	at := m.slotAddress(in, slow)
	value := m.vec(in.Uses[1], 0)
	if !m.always(in) {
		m.rm(AVX_VMOVUPS, 1, 0, at)
		m.blend(1, 1, value, m.execution(in, 2))
		value = 1
	}
	m.rm(AVX_VMOVUPS_ST, value, 0, at)
	m.Bind(slow)
}

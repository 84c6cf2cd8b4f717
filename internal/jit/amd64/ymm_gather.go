package amd64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

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
	if n, ok := m.f.Const(in.Uses[0]); ok && n == target.HandleShared*target.HandleBytes {
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
// an allocated register; 0 out of range.
func (m ymm) gatherFrom(in *vcode.Inst, k, off Reg) {
	at, found := m.inRange(in, k, off, target.HandleLength)
	m.zero(0)
	if found {
		if in.Prefetch > 0 && at.Base == RDX {
			m.rm(AVX_VMOVUPS_ST, off, 0, m.scratch(0))
			m.prefetchAt(in, ymmBytes/4, math.MinInt32)
		}
		m.loadWordByLane(at)
	}
	m.done(in, 0)
}

// loadWordByLane writes to Y0 the words at the memory from inRange in the lanes of Y2, and 0 in the
// others. Y0 must be 0 before. It clobbers RAX, Y3 and Y4.
//
// On AMD's Zen 4 one load for each lane is as fast as VPGATHERDD while the words are in the first
// cache, and four times as fast when they stream from memory (measured).
//
// All eight lanes load. A lane outside of Y2 loads the word of the first lane of Y2, which is in
// range, and the last instruction clears it:
//
//	y2     -1  0 -1 -1  0 -1 -1 -1
//	y4      a  ·  c  d  ·  f  g  h
//	load    a  a  c  d  a  f  g  h
//	y0      A  0  C  D  0  F  G  H
func (m ymm) loadWordByLane(at Mem) {
	all, none := m.NewLabel(), m.NewLabel()
	m.rm(AVX_VMOVUPS_ST, 4, 0, m.scratch(0))
	m.rr(AVX_VMOVMSKPS, RAX, 0, 2)
	m.GI(CmpI, false, RAX, allLanes8)
	m.Jcc(Equal, all)
	m.GRR(TZCNT, RAX, RAX) // sets the carry flag if no lane is in range
	m.Jcc(Below, none)
	first := m.scratch(0)
	m.rm(AVX_VPBROADCASTD, 3, 0, Indexed(first.Base, RAX, 4, first.Disp))
	m.blend(4, 3, 4, 2)
	m.rm(AVX_VMOVUPS_ST, 4, 0, m.scratch(0))
	m.Bind(all)
	for lane := range int32(ymmLanes) {
		y := Reg(0)
		if lane >= ymmLanes/2 {
			y = 3
		}
		m.GRM(MOVSXD|W, RAX, m.scratch(4*lane))
		word := Indexed(at.Base, RAX, 1, at.Disp)
		if lane%4 == 0 {
			m.RM(AVX_VMOVD, V128, y, 0, word, 0)
		} else {
			m.RMI(AVX_VPINSRD, V128, y, y, word, uint8(lane%4), 0)
		}
	}
	m.join(0, 0, 3)
	m.rr(AVX_VPAND, 0, 0, 2)
	m.Bind(none)
}

// byteLookup loads one of 256 words for each lane from a constant table, at offsets of which bits above 10 and below 2 do not matter:
// inactive lanes load some word. The table stays in the first cache. VPGATHERDD takes two thirds of the time of loads lane by lane there,
// because their offsets must pass through memory (measured on Zen 4).
func (m ymm) byteLookup(in *vcode.Inst) {
	m.word(AVX_VPAND, 1, m.vec(in.Uses[1], 1), 0x3fc)
	m.GRM(MOV|W, RDX, m.handleWord(in.Uses[0], RAX, 0))
	m.fill(2, 1<<32-1)
	d := m.dest(in, 0)
	m.zero(d)
	m.rm(AVX_VPGATHERDD, d, 2, Indexed(RDX, 1, 1, 0))
	m.done(in, d)
}

// scatterTo stores a word of each lane, in ascending order, nothing out of range and nothing for
// helpers. Stores of different lanes to one address happen in the order of the lanes, so the last
// one wins, as VPSCATTERDD of AVX-512 guarantees.
func (m ymm) scatterTo(in *vcode.Inst, off Reg, u vcode.Reg) {
	at, found := m.inRange(in, m.storingLanes(in, 0), off, target.HandleWrites)
	if !found {
		return
	}
	done, some := m.NewLabel(), m.NewLabel()
	m.rr(AVX_VMOVMSKPS, RAX, 0, 2)
	m.GI(CmpI, false, RAX, allLanes8)
	m.Jcc(NotEqual, some)
	m.storeWordByLane(at, m.vec(u, 0))
	m.Jmp(done)
	m.Bind(some)
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

// storeWordByLane stores the words of y to the memory from inRange, with the index Y4, in ascending order of the lanes, all of which
// are in range. It clobbers RAX and Y3.
func (m ymm) storeWordByLane(at Mem, y Reg) {
	m.rm(AVX_VMOVUPS_ST, 4, 0, m.scratch(0))
	for lane := range int32(ymmLanes) {
		m.GRM(MOVSXD|W, RAX, m.scratch(4*lane))
		word := Indexed(at.Base, RAX, 1, at.Disp)
		if lane == ymmLanes/2 {
			m.highHalf(3, y)
			y = 3
		}
		if lane%4 == 0 {
			m.RM(AVX_VMOVD_ST, V128, y, 0, word, 0)
		} else {
			m.RMI(AVX_VPEXTRD, V128, y, 0, word, uint8(lane%4), 0)
		}
	}
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
	return m.firstBytes(in, m.handleWord(in.Uses[0], RAX, field), field, ymmBytes, slow)
}

// An immediate above maxDisp does not fit in the displacement of the fast path.
func (m ymm) gather(in *vcode.Inst) {
	if in.Key.Type.Bits() < 32 {
		m.gatherNarrow(in)
		return
	}
	switch {
	case len(in.Defs) > 2 && len(in.Uses) == 2:
		m.gatherFours(in)
		return
	case len(in.Defs) > 1:
		m.gatherPairs(in)
		return
	}
	if in.Bytes {
		m.byteLookup(in)
		return
	}
	if in.Key.Aux > maxDisp {
		m.gatherFrom(in, m.execution(in, 0), m.vec(in.Uses[1], 1))
		return
	}
	if in.Distances != nil {
		m.gatherTable(in)
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	at := m.contiguous(in, m.vec(in.Uses[1], 1), target.HandleLength, slow)
	d := m.dest(in, 0)
	m.rm(AVX_VMOVUPS, d, 0, at)
	m.done(in, d)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		if m.prog.Stage == ir.Compute {
			apart := m.NewLabel()
			m.gatherRowPair(in, apart)
			m.Jmp(resume)
			m.Bind(apart)
		}
		m.gatherFrom(in, m.execution(in, 0), m.vec(in.Uses[1], 1))
		m.Jmp(resume)
	})
}

func (m ymm) scatter(in *vcode.Inst) {
	if in.Key.Type.Bits() < 32 {
		m.scatterNarrow(in)
		return
	}
	if in.Key.Aux > maxDisp {
		m.scatterTo(in, m.vec(in.Uses[1], 1), in.Uses[2])
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	at := m.contiguous(in, m.vec(in.Uses[1], 1), target.HandleWrites, slow)
	m.storeMasked(in, in.Uses[2], at)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.scatterTo(in, m.vec(in.Uses[1], 1), in.Uses[2])
		m.Jmp(resume)
	})
}

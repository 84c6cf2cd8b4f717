package amd64

import (
	"math"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// maxDisp is the greatest immediate offset that is used as a displacement. It leaves room for the size
// of the access.
const maxDisp = 1 << 30

// handleWord returns a field of a handle in memory. g is the scratch register for the handle's offset.
func (m *machine) handleWord(h vcode.Reg, g Reg, field int32) Mem {
	if n, ok := m.f.Const(h); ok {
		return At(R13, int32(n)+field)
	}
	return Indexed(R13, m.gen(h, g), 1, field)
}

// boundsCheck emits a jump to slow unless [u1, u1+bytes) is in range of handle u0, where u1 includes
// the immediate. The offset is a 64-bit number of at most 2⁶², so that no sum wraps. It returns the
// memory operand of the access, and whether the check is proven to succeed. It clobbers RAX, RCX and
// RDX.
func (m *machine) boundsCheck(in *vcode.Inst, bytes int32, field int32, slow Label) (at Mem, proven bool) {
	imm := in.Key.Aux + uint64(in.IndexOffset)*uint64(in.Stride)
	if in.Checked {
		p := m.gen(in.Uses[len(in.Uses)-1], RDX)
		if !in.Proven {
			m.GRR(TEST|W, p, p)
			m.Jcc(Equal, slow)
		}
		return At(p, int32(imm)), in.Proven
	}
	if imm > maxDisp {
		m.Jmp(slow)
		return At(RCX, 0), false
	}
	reach := int32(imm) + bytes
	h, placed := m.f.Const(in.Uses[0])
	off, constant := m.f.Const(in.Uses[1])
	constant = constant && off+imm <= maxDisp
	switch {
	case placed && h == HandlePush*HandleBytes && constant && field == handleLength && m.inPushCopy(off+imm, bytes):
		return At(R13, int32(m.layout.Push*HandleBytes)+int32(off+imm)), true
	case placed && h == HandleShared*HandleBytes:
		return m.boundsCheckShared(in, int32(imm), reach, slow)
	case constant:
		at = m.handleWord(in.Uses[0], RAX, field)
		m.GMI(CmpI, true, at, reach+int32(off))
		m.Jcc(Below, slow)
		at.Disp -= field
		m.GRM(MOV|W, RCX, at)
		return At(RCX, int32(imm+off)), false
	}
	s := m.gen(in.Uses[1], RDX)
	at = m.handleWord(in.Uses[0], RAX, field)
	m.GRM(LEA|W, RCX, At(s, reach))
	m.GRM(CMP|W, RCX, at)
	m.Jcc(Above, slow)
	at.Disp -= field
	m.GRM(MOV|W, RCX, at)
	return Indexed(RCX, s, 1, int32(imm)), false
}

// inPushCopy reports whether bytes of the push constants can be read from the copy in the handle
// table, which has zeros after the bytes of the job: whole words only.
func (m *machine) inPushCopy(off uint64, bytes int32) bool {
	return off%4 == 0 && off+uint64(bytes) <= uint64(m.layout.PushBytes)
}

// boundsCheckShared is boundsCheck for the workgroup memory, whose length is known.
func (m *machine) boundsCheckShared(in *vcode.Inst, imm, reach int32, slow Label) (at Mem, proven bool) {
	room := int64(m.prog.SharedBytes) - int64(reach)
	if off, ok := m.f.Const(in.Uses[1]); ok {
		proven = room >= 0 && off <= uint64(room)
		if !proven {
			m.Jmp(slow)
			off = 0
		}
		return At(R12, imm+int32(off)), proven
	}
	if room < 0 {
		m.Jmp(slow)
	}
	s := m.gen(in.Uses[1], RDX)
	m.GI(CmpI, true, s, int32(min(max(room, 0), math.MaxInt32)))
	m.Jcc(Above, slow)
	return Indexed(R12, s, 1, imm), false
}

// broadcastLoad loads 32 bits into all lanes, 0 out of range.
func (m *machine) broadcastLoad(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	at, proven := m.boundsCheck(in, 4, handleLength, slow)
	d, o := m.dest(in, 0)
	m.RM(VPBROADCASTD, V512, d, 0, at, o)
	m.done(in, d)
	if proven {
		return
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.slowLoad(in)
		m.RR(VPBROADCASTD_R, V512, 0, 0, RAX, 0)
		m.define(in, 0)
		m.Jmp(resume)
	})
}

// slowLoad is the slow path of broadcastLoad and scalarLoad: it loads into RAX.
func (m *machine) slowLoad(in *vcode.Inst) {
	if in.Checked {
		m.recheckedLoad(in)
		return
	}
	m.GRR(XOR, RAX, RAX)
	if in.Key.Aux <= maxDisp || in.Key.Aux > math.MaxUint32 {
		return
	}
	out := m.NewLabel()
	m.boundsCheckLarge(in, handleLength)
	m.Jcc(Less, out)
	m.GRM(MOV, RAX, Indexed(RCX, RDX, 1, 0))
	m.Bind(out)
}

// recheckedLoad loads 32 bits into RAX after a failed hoisted check, with a check of its own.
func (m *machine) recheckedLoad(in *vcode.Inst) {
	one := *in
	one.Checked = false
	m.loadOrZero(&one, RAX)
}

// loadOrZero loads 32 bits into d, 0 out of range.
func (m *machine) loadOrZero(in *vcode.Inst, d Reg) {
	slow, resume := m.NewLabel(), m.NewLabel()
	at, _ := m.boundsCheck(in, 4, handleLength, slow)
	m.GRM(MOV, d, at)
	m.Jmp(resume)
	m.Bind(slow)
	m.GRR(XOR, d, d)
	m.Bind(resume)
}

// hoistedBoundsCheck yields the address of offset u1 in handle u0 if the Aux bytes there are in range;
// else null, or it bails out if the instruction is Proven.
func (m *machine) hoistedBoundsCheck(in *vcode.Inst, field int32) {
	whole := *in
	whole.Key.Aux = 0
	slow, resume := m.NewLabel(), m.NewLabel()
	at, _ := m.boundsCheck(&whole, int32(in.Key.Aux), field, slow)
	d := m.destGen(in.Defs[0])
	m.GRM(LEA|W, d, at)
	if in.Proven {
		m.storeGen(in.Defs[0], d)
		m.bailOut(in, slow)
		return
	}
	m.Bind(resume)
	m.storeGen(in.Defs[0], d)
	if in.WordMask != 0 {
		m.copyRecord(in, d, slow, resume)
		return
	}
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.GRR(XOR, d, d)
		m.Jmp(resume)
	})
}

// copyRecord is the slow path of a total check: it copies the words of a record that are in range into
// the frame, with zeros for the others, and sets d to the address of the copy.
func (m *machine) copyRecord(in *vcode.Inst, d Reg, slow, resume Label) {
	to := m.nextRecordCopy
	m.nextRecordCopy += int32(in.Key.Aux)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		for words := in.WordMask; words != 0; words &= words - 1 {
			off := 4 * bits.TrailingZeros64(words)
			one := *in
			one.Key.Aux = uint64(off)
			m.loadOrZero(&one, RCX)
			m.GRM(MOV_ST, RCX, At(RSP, to+int32(off)))
		}
		m.GRM(LEA|W, d, At(RSP, to))
		m.Jmp(resume)
	})
}

// scalarLoad loads 32 bits from handle u0 at offset u1, 0 out of range, and returns their register.
func (m *machine) scalarLoad(in *vcode.Inst) Reg {
	slow, resume := m.NewLabel(), m.NewLabel()
	d := m.inPlace(in)
	at, proven := m.boundsCheck(in, 4, handleLength, slow)
	m.GRM(MOV, d, at)
	if proven {
		return d
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.slowLoad(in)
		if d != RAX {
			m.GRR(MOV, d, RAX)
		}
		m.Jmp(resume)
	})
	return d
}

// boundsCheckLarge is boundsCheck for large immediates. It sets the flags (Less: out of range) instead
// of jumping, sets RAX to 0, and puts the offset into RDX.
func (m *machine) boundsCheckLarge(in *vcode.Inst, field int32) {
	m.loadGen(RDX, in.Uses[1])
	m.MovI(RCX, in.Key.Aux)
	m.GRR(ADD|W, RDX, RCX)
	m.GRM(LEA|W, RAX, m.handleWord(in.Uses[0], RCX, 0))
	m.GRM(MOV, RCX, At(RAX, field))
	m.GI(SubI, true, RCX, 4)
	m.GRR(CMP|W, RCX, RDX)
	m.GRM(MOV|W, RCX, At(RAX, 0))
	m.MovI(RAX, 0)
}

// scalarStore stores the 32 bits of u2, nothing out of range.
func (m *machine) scalarStore(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	at, _ := m.boundsCheck(in, 4, handleWrites, slow)
	m.GRM(MOV_ST, m.gen(in.Uses[2], RAX), at)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		if in.Key.Aux > maxDisp && in.Key.Aux <= math.MaxUint32 {
			m.boundsCheckLarge(in, handleWrites)
			m.Jcc(Less, resume)
			m.GRM(MOV_ST, m.gen(in.Uses[2], RAX), Indexed(RCX, RDX, 1, 0))
		}
		m.Jmp(resume)
	})
}

// allCaches is the register field of PREFETCH for PREFETCHT0, all cache levels.
const allCaches = 1

// prefetch requests the cache lines that the next workgroup will load, of an access of so many bytes.
// If they directly follow the current ones only the last word's line is new. A prefetch never faults,
// so it needs no bounds check.
func (m *machine) prefetch(in *vcode.Inst, at Mem, bytes int32) {
	if in.Prefetch == 0 || in.Prefetch > maxDisp || int64(at.Disp) > maxDisp {
		return
	}
	first := int32(0)
	if in.Prefetch <= uint32(bytes) {
		first = 60
	}
	for off := first; off < bytes; off += 64 {
		next := at
		next.Disp += int32(in.Prefetch) + off
		m.GRM(PREFETCH, allCaches, next)
	}
}

// stridedLoad loads consecutive words: with vector loads if all are in range, which implies that no
// offset wraps or saturates (package vectorize); else lane by lane, out of line.
func (m *machine) stridedLoad(in *vcode.Inst) {
	slow, resume, proven := m.NewLabel(), m.NewLabel(), false
	if in.Step*in.Stride > 4 {
		m.wideStrideLoad(in, slow)
	} else {
		var at Mem
		at, proven = m.boundsCheck(in, 64*int32(len(in.Defs)), handleLength, slow)
		m.prefetch(in, at, 64*int32(len(in.Defs)))
		for part := range in.Defs {
			one := partOf(in, part)
			d, o := m.dest(&one, 0)
			m.RM(VMOVDQU32, V512, d, 0, plusVectors(at, int32(part)), o)
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
			m.gatherFrom(&one, 1)
		}
		m.Jmp(resume)
	})
}

func (m *machine) stridedStore(in *vcode.Inst) {
	slow, resume, proven := m.NewLabel(), m.NewLabel(), false
	if in.Step*in.Stride > 4 {
		m.wideStrideStore(in, slow)
	} else {
		var at Mem
		at, proven = m.boundsCheck(in, 64*int32(len(in.Masks)), handleWrites, slow)
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

// storeOpt returns the mask of the lanes that store, or none if all are known to. It clobbers K1 and
// K2.
func (m *machine) storeOpt(in *vcode.Inst) Opt {
	if all, ok := m.f.Const(in.Masks[0]); !ok || all == 0 || m.demotes {
		return K(m.storingLanes(in))
	}
	return 0
}

// partOf returns an instruction on one part of a strided access.
func partOf(in *vcode.Inst, part int) vcode.Inst {
	one := *in
	one.Part += uint8(part)
	one.Masks, one.Checked = in.Masks[part:part+1], false
	if len(in.Defs) > 0 {
		one.Defs = in.Defs[part : part+1]
	} else {
		one.Uses = append(in.Uses[:4:4], in.Uses[4+part])
	}
	return one
}

// plusVectors returns the memory n vectors later.
func plusVectors(at Mem, n int32) Mem {
	at.Disp += 64 * n
	return at
}

// stridedOffsets puts the offsets of a part of a strided access into Z1: min(u2 + (u3 + Step·lane +
// IndexOffset)·Stride, 2³²−1), with the sum in parentheses modulo 2³².
func (m *machine) stridedOffsets(in *vcode.Inst, part int) {
	m.RM(VMOVDQU32, V512, 1, 0, m.iota16(), 0)
	if part > 0 {
		m.RM(VPADDD, V512, 1, 1, m.word32(uint32(part)*zmmLanes), BC)
	}
	m.RM(VPMULLD, V512, 1, 1, m.word32(in.Step), BC)
	m.RR(VPBROADCASTD_R, V512, 2, 0, m.gen(in.Uses[3], RAX), 0)
	m.RR(VPADDD, V512, 1, 1, 2, 0)
	if in.IndexOffset > 0 {
		m.RM(VPADDD, V512, 1, 1, m.word32(in.IndexOffset), BC)
	}
	start := NoReg
	off, ok := m.f.Const(in.Uses[2])
	if !ok {
		m.RR(VPBROADCASTD_R, V512, 3, 0, m.gen(in.Uses[2], RAX), 0)
		start = 3
	}
	m.moveVec(1, m.offset(1, in.Stride, start, uint32(off)))
}

// inRange sets K2 to the lanes of k with an access in range, at the offsets in off in handle u0; the
// size is 4 bytes, or 8 of a 64-bit atomic or a pair. The address is RDX + Z4, with Z4 as signed
// indices: gathers sign-extend 32-bit indices, so Z4 is the offset − 2³¹ and RDX the base + 2³¹. It
// returns false if no offset can be in range.
func (m *machine) inRange(in *vcode.Inst, k, off Reg, field int32) bool {
	reach := reach(in)
	if in.Key.Aux > math.MaxUint32 || reach > math.MaxUint32 {
		return false
	}
	at := m.handleWord(in.Uses[0], RAX, field)
	m.RM(VPXORD, V512, 4, off, m.word32(1<<31), BC)
	if in.Key.Flags&ir.Proven != 0 {
		at.Disp -= field
		m.RR(KMOVW, V128, 2, 0, k, 0)
		m.MovI(RDX, 1<<31+in.Key.Aux)
		m.GRM(ADD|W, RDX, at)
		return true
	}
	m.RM(VPBROADCASTD, V512, 3, 0, at, 0)
	at.Disp -= field
	m.GRM(MOV|W, RDX, at)
	m.RMI(VPCMPUD, V512, 2, 3, m.word32(uint32(reach)), compareGE, K(k)|BC)
	m.RM(VPSUBD, V512, 3, 3, m.word32(uint32(reach)), BC)
	m.RRI(VPCMPUD, V512, 2, off, 3, compareLE, K(2))
	m.MovI(RCX, 1<<31+in.Key.Aux)
	m.GRR(ADD|W, RDX, RCX)
	return true
}

// gatherFrom loads a word for each lane at the offsets in off, 0 out of range.
func (m *machine) gatherFrom(in *vcode.Inst, off Reg) {
	k := m.execution(in)
	found := m.inRange(in, k, off, handleLength)
	m.RR(VPXORD, V128, 0, 0, 0, 0)
	if found {
		m.prefetchLanes(in, off)
		m.RM(VPGATHERDD, V512, 0, 0, Indexed(RDX, 4, 1, 0), K(2))
	}
	m.define(in, 0)
}

// scatterTo stores a word of each lane, in ascending order, nothing out of range and nothing for
// helpers.
func (m *machine) scatterTo(in *vcode.Inst, off Reg, u vcode.Reg) {
	if m.inRange(in, m.storingLanes(in), off, handleWrites) {
		m.RM(VPSCATTERDD, V512, m.vec(u, 0), 0, Indexed(RDX, 4, 1, 0), K(2))
	}
}

// contiguous jumps to slow unless the offsets in off are consecutive words in the lanes of k, and all
// 16 words are in range. It returns their memory. Divergence analysis cannot prove this if a
// coordinate was clamped, for example, but at run time it is nearly always so.
func (m *machine) contiguous(in *vcode.Inst, k, off Reg, field int32, slow Label) Mem {
	m.RR(VMOVD_ST, V128, off, 0, RDX, 0)
	m.RR(VPBROADCASTD, V512, 2, 0, off, 0)
	m.RM(VPADDD, V512, 2, 2, m.vector([16]uint32{0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60}), 0)
	m.RRI(VPCMPUD, V512, 2, 2, off, compareNE, K(k))
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.Jcc(NotEqual, slow)
	at := m.handleWord(in.Uses[0], RAX, field)
	m.GRM(MOV, RCX, at)
	m.GI(SubI, true, RCX, int32(in.Key.Aux)+64)
	m.GRR(CMP|W, RCX, RDX)
	at.Disp -= field
	m.GRM(MOV|W, RCX, at)
	m.Jcc(Less, slow)
	return Indexed(RCX, RDX, 1, int32(in.Key.Aux))
}

// fixedHandle reports whether the handle of an access is a constant and needs no register.
func (m *machine) fixedHandle(in *vcode.Inst) bool {
	_, ok := m.f.Const(in.Uses[0])
	return ok
}

// windowWords is the size of the window of loadWindow in words.
const windowWords = 32

// pairRegs are scratch registers for a window of 32 words: its halves, and the index of each lane's
// first word in it.
type pairRegs struct{ lo, hi, index Reg }

// loadWindow jumps to slow unless the pairs of words at the offsets in off, in the lanes of k, are in
// a window of windowWords words that starts at the first lane's, all in range. It loads the window
// into lo and hi, and the index of each lane's first word into index. Two loads and permutes are much
// faster than a gather (Intel optimization manual, "Gather and Scatter"). Lanes that sample along a
// row of an image have this pattern nearly always, or nearly never.
func (m *machine) loadWindow(in *vcode.Inst, k, off Reg, z pairRegs, slow Label) {
	m.RR(VMOVD_ST, V128, off, 0, RDX, 0)
	m.RR(VPBROADCASTD, V512, z.index, 0, off, 0)
	m.RR(VPSUBD, V512, z.index, off, z.index, 0)
	m.RRI(VPRORD, V512, z.index, 0, z.index, 2, 0) // between two words: a great number
	m.RMI(VPCMPUD, V512, 2, z.index, m.word32(windowWords-2), compareGT, K(k)|BC)
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.Jcc(NotEqual, slow)
	at := m.handleWord(in.Uses[0], RAX, handleLength)
	m.GRM(MOV, RCX, at)
	m.GI(SubI, true, RCX, int32(in.Key.Aux)+4*windowWords)
	m.GRR(CMP|W, RCX, RDX)
	at.Disp -= handleLength
	m.GRM(MOV|W, RCX, at)
	m.Jcc(Less, slow)
	from := Indexed(RCX, RDX, 1, int32(in.Key.Aux))
	m.RM(VMOVDQU32, V512, z.lo, 0, from, 0)
	m.RM(VMOVDQU32, V512, z.hi, 0, plusVectors(from, 1), 0)
	if in.Prefetch > 0 {
		m.GRM(PREFETCH, allCaches, plusVectors(from, 2))
	}
}

// gatherPair loads two adjacent words for each lane.
func (m *machine) gatherPair(in *vcode.Inst) {
	if in.Key.Aux > maxDisp {
		m.gatherPairSlow(in)
		return
	}
	apart, resume := m.NewLabel(), m.NewLabel()
	z := pairRegs{0, 2, 3}
	m.loadWindow(in, m.execution(in), m.vec(in.Uses[1], 1), z, apart)
	m.permutePair(in, 0, z)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(apart)
		m.gatherPairSlow(in)
		m.Jmp(resume)
	})
}

// permutePair defines results i and i + 1: the words of the window at index and index + 1.
func (m *machine) permutePair(in *vcode.Inst, i int, z pairRegs) {
	m.permuteWindow(in, i, z, func(d Reg) { m.moveVec(d, z.index) })
	m.permuteWindow(in, i+1, z, func(d Reg) { m.RM(VPADDD, V512, d, z.index, m.word32(1), BC) })
}

// deinterleave defines results i and i + 1: the even words and the odd ones.
func (m *machine) deinterleave(in *vcode.Inst, i int, z pairRegs) {
	for n := range 2 {
		m.permuteWindow(in, i+n, z, func(d Reg) { m.RM(VMOVDQA32, V512, d, 0, m.vector(everySecond(uint32(n))), 0) })
	}
}

// permuteWindow defines result i: the words of the window at the indices that index puts into a
// register. It clobbers Z4.
func (m *machine) permuteWindow(in *vcode.Inst, i int, z pairRegs, number func(d Reg)) {
	one := *in
	one.Defs = in.Defs[i : i+1]
	d, o := m.dest(&one, 4)
	to := d
	if o != 0 {
		to = 4
	}
	number(to)
	m.RR(VPERMI2D, V512, to, z.lo, z.hi, 0)
	if to != d {
		m.RR(VMOVDQA32, V512, d, 0, to, o)
	}
	m.done(&one, d)
}

// gatherPairSlow is gatherPair for arbitrary offsets: two gathers of 64 bits for eight lanes each,
// then deinterleave. If a second word may be out of range it gathers each word by itself.
func (m *machine) gatherPairSlow(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	off := m.vec(in.Uses[1], 1)
	k := m.execution(in)
	m.inRange(in, k, off, handleLength)
	if in.Key.Flags&ir.Proven == 0 {
		m.RR(KXORW, V128, 3, k, 2, 0)
		m.RR(KORTESTW, V128, 3, 0, 3, 0)
		m.Jcc(NotEqual, slow)
	}
	m.prefetchLanes(in, off)
	m.RR(VPXORD, V128, 0, 0, 0, 0)
	m.RR(VPXORD, V128, 2, 2, 2, 0)
	m.highHalf(3, 4)
	m.RRI(KSHIFTRW, V128, 3, 0, 2, 8, 0)
	m.RM(VPGATHERDQ, V512, 0, 0, Indexed(RDX, 4, 1, 0), K(2))
	m.RM(VPGATHERDQ, V512, 2, 0, Indexed(RDX, 3, 1, 0), K(3))
	m.deinterleave(in, 0, pairRegs{0, 2, 3})
	m.Bind(resume)
	if in.Key.Flags&ir.Proven != 0 {
		return
	}
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.loadVec(1, in.Uses[1])
		for i := range in.Defs {
			one := *in
			one.Defs, one.Key.Aux = in.Defs[i:i+1], in.Key.Aux+4*uint64(i)
			m.gatherFrom(&one, 1)
		}
		m.Jmp(resume)
	})
}

// everySecond returns the numbers of every second of 32 words.
func everySecond(first uint32) (v [16]uint32) {
	for i := range v {
		v[i] = first + 2*uint32(i)
	}
	return v
}

func (m *machine) gather(in *vcode.Inst) {
	switch {
	case in.Checked:
		m.gatherHalves(in)
		return
	case len(in.Uses) > 2:
		m.gatherPairs(in)
		return
	case len(in.Defs) > 1:
		m.gatherPair(in)
		return
	}
	if in.Key.Aux > maxDisp {
		m.gatherFrom(in, m.vec(in.Uses[1], 1))
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	if m.likelyTwoRuns(in) {
		m.loadHalves(in, m.contiguousHalves(in, m.execution(in), m.vec(in.Uses[1], 1), handleLength, slow))
	} else {
		at := m.contiguous(in, m.execution(in), m.vec(in.Uses[1], 1), handleLength, slow)
		d, o := m.dest(in, 0)
		m.RM(VMOVDQU32, V512, d, 0, at, o)
		m.done(in, d)
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.gatherFrom(in, m.vec(in.Uses[1], 1))
		m.Jmp(resume)
	})
}

func (m *machine) scatter(in *vcode.Inst) {
	if in.Checked {
		m.scatterHalves(in)
		return
	}
	if in.Key.Aux > maxDisp {
		m.scatterTo(in, m.vec(in.Uses[1], 1), in.Uses[2])
		return
	}
	slow, resume := m.NewLabel(), m.NewLabel()
	k := m.storingLanes(in)
	if m.likelyTwoRuns(in) {
		m.storeHalves(in, m.contiguousHalves(in, k, m.vec(in.Uses[1], 1), handleWrites, slow), K(k))
	} else {
		at := m.contiguous(in, k, m.vec(in.Uses[1], 1), handleWrites, slow)
		m.RM(VMOVDQU32_ST, V512, m.vec(in.Uses[2], 0), 0, at, K(k))
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.scatterTo(in, m.vec(in.Uses[1], 1), in.Uses[2])
		m.Jmp(resume)
	})
}

// slotAddress returns the memory of a slot of a private variable, the same slot in all lanes. It jumps
// to slow out of range.
func (m *machine) slotAddress(in *vcode.Inst, slow Label) Mem {
	v := m.prog.Vars[in.Key.Aux]
	first := m.record.Private + 4*int32(m.varBase(int(in.Key.Aux)))*m.record.Lanes + 64*int32(in.Part)
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

func (m *machine) slotLoad(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	at := m.slotAddress(in, slow)
	d, o := m.dest(in, 0)
	m.RM(VMOVDQU32, V512, d, 0, at, o)
	m.done(in, d)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.RR(VPXORD, V128, 0, 0, 0, 0)
		m.define(in, 0)
		m.Jmp(resume)
	})
}

func (m *machine) slotStore(in *vcode.Inst) {
	slow := m.NewLabel()
	at := m.slotAddress(in, slow)
	o := Opt(0)
	if all, ok := m.f.Const(in.Masks[0]); !ok || all == 0 {
		o = K(m.execution(in))
	}
	m.RM(VMOVDQU32_ST, V512, m.vec(in.Uses[1], 0), 0, at, o)
	m.Bind(slow)
}

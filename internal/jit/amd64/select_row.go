package amd64

import (
	"math"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// nearImm is the greatest immediate offset that is a displacement with room to
// spare.
const nearImm = 1 << 30

// handleWord is a field of the handle in a register, which g gets where it has
// to be loaded.
func (m *machine) handleWord(h vcode.Reg, g Reg, field int32) Mem {
	if n, ok := m.f.Const(h); ok {
		return At(R13, int32(n)+field)
	}
	return Indexed(R13, m.gen(h, g), 1, field)
}

// within leaves for far unless bytes bytes from the offset in u1 on are within
// the handle u0. The offset holds 64 bits and no more than 2⁶². It returns the
// operand of the access, and whether it is known that it never leaves. It uses
// RAX, RCX and RDX.
func (m *machine) within(in *vcode.Inst, bytes int32, field int32, far Label) (at Mem, sure bool) {
	imm := in.Key.Aux + uint64(in.IndexOffset)*uint64(in.Stride)
	if in.Checked {
		p := m.gen(in.Uses[len(in.Uses)-1], RDX)
		if !in.Proven {
			m.GRR(TEST|W, p, p)
			m.Jcc(Equal, far)
		}
		return At(p, int32(imm)), in.Proven
	}
	if imm > nearImm {
		m.Jmp(far)
		return At(RCX, 0), false
	}
	reach := int32(imm) + bytes
	h, placed := m.f.Const(in.Uses[0])
	off, constant := m.f.Const(in.Uses[1])
	constant = constant && off+imm <= nearImm
	switch {
	case placed && h == HandlePush*HandleBytes && constant && field == handleLength && m.pushed(off+imm, bytes):
		return At(R13, int32(m.places.Push*HandleBytes)+int32(off+imm)), true
	case placed && h == HandleShared*HandleBytes:
		return m.withinShared(in, int32(imm), reach, far)
	case constant:
		at = m.handleWord(in.Uses[0], RAX, field)
		m.GMI(CmpI, true, at, reach+int32(off))
		m.Jcc(Below, far)
		at.Disp -= field
		m.GRM(MOV|W, RCX, at)
		return At(RCX, int32(imm+off)), false
	}
	s := m.gen(in.Uses[1], RDX)
	at = m.handleWord(in.Uses[0], RAX, field)
	m.GRM(LEA|W, RCX, At(s, reach))
	m.GRM(CMP|W, RCX, at)
	m.Jcc(Above, far)
	at.Disp -= field
	m.GRM(MOV|W, RCX, at)
	return Indexed(RCX, s, 1, int32(imm)), false
}

// pushed reports whether bytes at an offset of the push constants are read from
// their copy, where what the job does not give is 0: whole words.
func (m *machine) pushed(off uint64, bytes int32) bool {
	return off%4 == 0 && off+uint64(bytes) <= uint64(m.places.PushBytes)
}

// withinShared is within for the workgroup memory, whose length is known.
func (m *machine) withinShared(in *vcode.Inst, imm, reach int32, far Label) (at Mem, sure bool) {
	room := int64(m.prog.SharedBytes) - int64(reach)
	if off, ok := m.f.Const(in.Uses[1]); ok {
		sure = room >= 0 && off <= uint64(room)
		if !sure {
			m.Jmp(far)
			off = 0
		}
		return At(R12, imm+int32(off)), sure
	}
	if room < 0 {
		m.Jmp(far)
	}
	s := m.gen(in.Uses[1], RDX)
	m.GI(CmpI, true, s, int32(min(max(room, 0), math.MaxInt32)))
	m.Jcc(Above, far)
	return Indexed(R12, s, 1, imm), false
}

// spreadLoad loads 32 bits into all lanes, 0 out of range.
func (m *machine) spreadLoad(in *vcode.Inst) {
	far, on := m.NewLabel(), m.NewLabel()
	at, sure := m.within(in, 4, handleLength, far)
	d, o := m.dest(in, 0)
	m.RM(VPBROADCASTD, V512, d, 0, at, o)
	m.done(in, d)
	if sure {
		return
	}
	m.Bind(on)
	m.later = append(m.later, func() {
		m.Bind(far)
		m.distantLoad(in)
		m.RR(VPBROADCASTD_R, V512, 0, 0, RAX, 0)
		m.define(in, 0)
		m.Jmp(on)
	})
}

// distantLoad is the load of loadOne where within leaves for far.
func (m *machine) distantLoad(in *vcode.Inst) {
	if in.Checked {
		m.lone(in)
		return
	}
	m.GRR(XOR, RAX, RAX)
	if in.Key.Aux <= nearImm || in.Key.Aux > math.MaxUint32 {
		return
	}
	out := m.NewLabel()
	m.distant(in, handleLength)
	m.Jcc(Less, out)
	m.GRM(MOV, RAX, Indexed(RCX, RDX, 1, 0))
	m.Bind(out)
}

// lone is the load of 32 bits of which no window is known, into RAX.
func (m *machine) lone(in *vcode.Inst) {
	one := *in
	one.Checked = false
	m.orZero(&one, RAX)
}

// orZero loads 32 bits into d, 0 out of range.
func (m *machine) orZero(in *vcode.Inst, d Reg) {
	far, on := m.NewLabel(), m.NewLabel()
	at, _ := m.within(in, 4, handleLength, far)
	m.GRM(MOV, d, at)
	m.Jmp(on)
	m.Bind(far)
	m.GRR(XOR, d, d)
	m.Bind(on)
}

// window is the address of the offset u1 in handle u0, or 0 unless it leaves then.
func (m *machine) window(in *vcode.Inst, field int32) {
	whole := *in
	whole.Key.Aux = 0
	far, on := m.NewLabel(), m.NewLabel()
	at, _ := m.within(&whole, int32(in.Key.Aux), field, far)
	d := m.destGen(in.Defs[0])
	m.GRM(LEA|W, d, at)
	if in.Proven {
		m.storeGen(in.Defs[0], d)
		m.beginAnew(in, far)
		return
	}
	m.Bind(on)
	m.storeGen(in.Defs[0], d)
	if in.WordMask != 0 {
		m.copied(in, d, far, on)
		return
	}
	m.later = append(m.later, func() {
		m.Bind(far)
		m.GRR(XOR, d, d)
		m.Jmp(on)
	})
}

// copied copies out of line the words of a record that are in range, and zeros for
// those that are not, and makes d the address of the copy.
func (m *machine) copied(in *vcode.Inst, d Reg, far, on Label) {
	to := m.nextCopy
	m.nextCopy += int32(in.Key.Aux)
	m.later = append(m.later, func() {
		m.Bind(far)
		for words := in.WordMask; words != 0; words &= words - 1 {
			off := 4 * bits.TrailingZeros64(words)
			one := *in
			one.Key.Aux = uint64(off)
			m.orZero(&one, RCX)
			m.GRM(MOV_ST, RCX, At(RSP, to+int32(off)))
		}
		m.GRM(LEA|W, d, At(RSP, to))
		m.Jmp(on)
	})
}

// loadOne loads 32 bits from handle u0 at offset u1, 0 out of range, and returns where
// they are.
func (m *machine) loadOne(in *vcode.Inst) Reg {
	far, on := m.NewLabel(), m.NewLabel()
	d := m.inPlace(in)
	at, sure := m.within(in, 4, handleLength, far)
	m.GRM(MOV, d, at)
	if sure {
		return d
	}
	m.Bind(on)
	m.later = append(m.later, func() {
		m.Bind(far)
		m.distantLoad(in)
		if d != RAX {
			m.GRR(MOV, d, RAX)
		}
		m.Jmp(on)
	})
	return d
}

// distant is within for large immediates. It sets the flags instead of leaving,
// keeps RAX where that is 0, and puts the offset into RDX.
func (m *machine) distant(in *vcode.Inst, field int32) {
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

// storeOne stores the 32 bits of u2, nothing out of range.
func (m *machine) storeOne(in *vcode.Inst) {
	far, on := m.NewLabel(), m.NewLabel()
	at, _ := m.within(in, 4, handleWrites, far)
	m.GRM(MOV_ST, m.gen(in.Uses[2], RAX), at)
	m.Bind(on)
	m.later = append(m.later, func() {
		m.Bind(far)
		if in.Key.Aux > nearImm && in.Key.Aux <= math.MaxUint32 {
			m.distant(in, handleWrites)
			m.Jcc(Less, on)
			m.GRM(MOV_ST, m.gen(in.Uses[2], RAX), Indexed(RCX, RDX, 1, 0))
		}
		m.Jmp(on)
	})
}

// allCaches is the register field of PREFETCH that brings memory into all caches.
const allCaches = 1

// fetch asks for what the next workgroup loads, where bytes bytes are loaded at
// an address: where that follows on what is loaded now, for its last word, for
// its first is in a line that is here. Nothing is read there, so that it need
// not be in range.
func (m *machine) fetch(in *vcode.Inst, at Mem, bytes int32) {
	if in.Prefetch == 0 || in.Prefetch > nearImm || int64(at.Disp) > nearImm {
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

// rowLoad loads consecutive words: at once where all are in range, which means
// too that no offset wraps or saturates (package widen); else lane by lane, out
// of line.
func (m *machine) rowLoad(in *vcode.Inst) {
	far, on, sure := m.NewLabel(), m.NewLabel(), false
	if in.Step*in.Stride > 4 {
		m.strideLoad(in, far)
	} else {
		var at Mem
		at, sure = m.within(in, 64*int32(len(in.Defs)), handleLength, far)
		m.fetch(in, at, 64*int32(len(in.Defs)))
		for part := range in.Defs {
			one := partOf(in, part)
			d, o := m.dest(&one, 0)
			m.RM(VMOVDQU32, V512, d, 0, further(at, int32(part)), o)
			m.done(&one, d)
		}
	}
	if sure {
		return
	}
	m.Bind(on)
	m.later = append(m.later, func() {
		m.Bind(far)
		for part := range in.Defs {
			one := partOf(in, part)
			m.rowOffsets(in, part)
			m.gatherFrom(&one, 1)
		}
		m.Jmp(on)
	})
}

func (m *machine) rowStore(in *vcode.Inst) {
	far, on, sure := m.NewLabel(), m.NewLabel(), false
	if in.Step*in.Stride > 4 {
		m.strideStore(in, far)
	} else {
		var at Mem
		at, sure = m.within(in, 64*int32(len(in.Masks)), handleWrites, far)
		m.storeParts(in, at)
	}
	if sure {
		return
	}
	m.Bind(on)
	m.later = append(m.later, func() {
		m.Bind(far)
		for part := range in.Masks {
			one := partOf(in, part)
			m.rowOffsets(in, part)
			m.scatterTo(&one, 1, one.Uses[4])
		}
		m.Jmp(on)
	})
}

// storing is the mask of the lanes that store, none where it is known that all
// do. It uses K1 and K2.
func (m *machine) storing(in *vcode.Inst) Opt {
	if all, ok := m.f.Const(in.Masks[0]); !ok || all == 0 || m.demotes {
		return K(m.writers(in))
	}
	return 0
}

// partOf is what an instruction on rows does to one of its parts.
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

// further is the memory n vectors further.
func further(at Mem, n int32) Mem {
	at.Disp += 64 * n
	return at
}

// rowOffsets puts the offsets of a part of a row into Z1: min(u2 + (u3 +
// Step·lane + Ahead)·Stride, 2³²−1), where the sum in parentheses is modulo 2³².
func (m *machine) rowOffsets(in *vcode.Inst, part int) {
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

// inRange finds the lanes of k whose four bytes, or eight of an atomic on as many,
// at the offsets in off are within the handle u0: they become K2. The address to which Z4, as signed
// indices, is to be added stands in RDX. It returns false where no offset can be
// in range.
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
		m.fetchLanes(in, off)
		m.RM(VPGATHERDD, V512, 0, 0, Indexed(RDX, 4, 1, 0), K(2))
	}
	m.define(in, 0)
}

// scatterTo stores a word of each lane, lanes ascending, nothing out of range
// and nothing for helpers.
func (m *machine) scatterTo(in *vcode.Inst, off Reg, u vcode.Reg) {
	if m.inRange(in, m.writers(in), off, handleWrites) {
		m.RM(VPSCATTERDD, V512, m.vec(u, 0), 0, Indexed(RDX, 4, 1, 0), K(2))
	}
}

// consecutive leaves for far unless the offsets in off are those of consecutive
// words in the lanes of k, all 16 words of which are in range. It returns their
// place. Offsets have no shape where a coordinate was clamped, say, and are
// consecutive nearly always.
func (m *machine) consecutive(in *vcode.Inst, k, off Reg, field int32, far Label) Mem {
	m.RR(VMOVD_ST, V128, off, 0, RDX, 0)
	m.RR(VPBROADCASTD, V512, 2, 0, off, 0)
	m.RM(VPADDD, V512, 2, 2, m.vector([16]uint32{0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60}), 0)
	m.RRI(VPCMPUD, V512, 2, 2, off, compareNE, K(k))
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.Jcc(NotEqual, far)
	at := m.handleWord(in.Uses[0], RAX, field)
	m.GRM(MOV, RCX, at)
	m.GI(SubI, true, RCX, int32(in.Key.Aux)+64)
	m.GRR(CMP|W, RCX, RDX)
	at.Disp -= field
	m.GRM(MOV|W, RCX, at)
	m.Jcc(Less, far)
	return Indexed(RCX, RDX, 1, int32(in.Key.Aux))
}

// placed reports whether the handle of an access needs no register.
func (m *machine) placed(in *vcode.Inst) bool {
	_, ok := m.f.Const(in.Uses[0])
	return ok
}

// windowWords are the words that nearby loads.
const windowWords = 32

// pairRegs are scratch registers for two words of each lane that stand side by side:
// those that hold them, in some order, and one for their numbers.
type pairRegs struct{ lo, hi, number Reg }

// nearby leaves for far unless the words at the offsets in off, two of them for each
// lane of k, are among windowWords that begin with the first lane's, all of
// which are in range. It puts those into lo and hi, and into number the number that the
// first word of each lane has among them. Lanes that look at texels along a row of
// an image do so at one place nearly always, or nearly never.
func (m *machine) nearby(in *vcode.Inst, k, off Reg, z pairRegs, far Label) {
	m.RR(VMOVD_ST, V128, off, 0, RDX, 0)
	m.RR(VPBROADCASTD, V512, z.number, 0, off, 0)
	m.RR(VPSUBD, V512, z.number, off, z.number, 0)
	m.RRI(VPRORD, V512, z.number, 0, z.number, 2, 0) // between two words: a great number
	m.RMI(VPCMPUD, V512, 2, z.number, m.word32(windowWords-2), compareGT, K(k)|BC)
	m.RR(KORTESTW, V128, 2, 0, 2, 0)
	m.Jcc(NotEqual, far)
	at := m.handleWord(in.Uses[0], RAX, handleLength)
	m.GRM(MOV, RCX, at)
	m.GI(SubI, true, RCX, int32(in.Key.Aux)+4*windowWords)
	m.GRR(CMP|W, RCX, RDX)
	at.Disp -= handleLength
	m.GRM(MOV|W, RCX, at)
	m.Jcc(Less, far)
	from := Indexed(RCX, RDX, 1, int32(in.Key.Aux))
	m.RM(VMOVDQU32, V512, z.lo, 0, from, 0)
	m.RM(VMOVDQU32, V512, z.hi, 0, further(from, 1), 0)
	if in.Prefetch > 0 {
		m.GRM(PREFETCH, allCaches, further(from, 2))
	}
}

// gatherPair loads two words that stand side by side for each lane.
func (m *machine) gatherPair(in *vcode.Inst) {
	if in.Key.Aux > nearImm {
		m.gatherApart(in)
		return
	}
	apart, on := m.NewLabel(), m.NewLabel()
	z := pairRegs{0, 2, 3}
	m.nearby(in, m.execution(in), m.vec(in.Uses[1], 1), z, apart)
	m.pickNumbered(in, 0, z)
	m.Bind(on)
	m.later = append(m.later, func() {
		m.Bind(apart)
		m.gatherApart(in)
		m.Jmp(on)
	})
}

// pickNumbered defines results i and i + 1 of in: the words of a lane that have its
// number, and the one behind it.
func (m *machine) pickNumbered(in *vcode.Inst, i int, z pairRegs) {
	m.pick(in, i, z, func(d Reg) { m.moveVec(d, z.number) })
	m.pick(in, i+1, z, func(d Reg) { m.RM(VPADDD, V512, d, z.number, m.word32(1), BC) })
}

// pickSecond defines results i and i + 1 of in: the even words and the odd ones.
func (m *machine) pickSecond(in *vcode.Inst, i int, z pairRegs) {
	for n := range 2 {
		m.pick(in, i+n, z, func(d Reg) { m.RM(VMOVDQA32, V512, d, 0, m.vector(everySecond(uint32(n))), 0) })
	}
}

// pick defines result i of in: the words of the pairs that have the numbers that
// number puts into a register. It uses Z4.
func (m *machine) pick(in *vcode.Inst, i int, z pairRegs, number func(d Reg)) {
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

// gatherApart is gatherPair wherever the words are: eight lanes at a time, and then
// the even words apart from the odd ones. Where the second may be out of range each
// is loaded by itself.
func (m *machine) gatherApart(in *vcode.Inst) {
	far, on := m.NewLabel(), m.NewLabel()
	off := m.vec(in.Uses[1], 1)
	k := m.execution(in)
	m.inRange(in, k, off, handleLength)
	if in.Key.Flags&ir.Proven == 0 {
		m.RR(KXORW, V128, 3, k, 2, 0)
		m.RR(KORTESTW, V128, 3, 0, 3, 0)
		m.Jcc(NotEqual, far)
	}
	m.fetchLanes(in, off)
	m.RR(VPXORD, V128, 0, 0, 0, 0)
	m.RR(VPXORD, V128, 2, 2, 2, 0)
	m.highHalf(3, 4)
	m.RRI(KSHIFTRW, V128, 3, 0, 2, 8, 0)
	m.RM(VPGATHERDQ, V512, 0, 0, Indexed(RDX, 4, 1, 0), K(2))
	m.RM(VPGATHERDQ, V512, 2, 0, Indexed(RDX, 3, 1, 0), K(3))
	m.pickSecond(in, 0, pairRegs{0, 2, 3})
	m.Bind(on)
	if in.Key.Flags&ir.Proven != 0 {
		return
	}
	m.later = append(m.later, func() {
		m.Bind(far)
		m.loadVec(1, in.Uses[1])
		for i := range in.Defs {
			one := *in
			one.Defs, one.Key.Aux = in.Defs[i:i+1], in.Key.Aux+4*uint64(i)
			m.gatherFrom(&one, 1)
		}
		m.Jmp(on)
	})
}

// everySecond are the numbers of every second of 32 words.
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
	if in.Key.Aux > nearImm {
		m.gatherFrom(in, m.vec(in.Uses[1], 1))
		return
	}
	far, on := m.NewLabel(), m.NewLabel()
	if m.halved(in) {
		m.loadHalves(in, m.twoRows(in, m.execution(in), m.vec(in.Uses[1], 1), handleLength, far))
	} else {
		at := m.consecutive(in, m.execution(in), m.vec(in.Uses[1], 1), handleLength, far)
		d, o := m.dest(in, 0)
		m.RM(VMOVDQU32, V512, d, 0, at, o)
		m.done(in, d)
	}
	m.Bind(on)
	m.later = append(m.later, func() {
		m.Bind(far)
		m.gatherFrom(in, m.vec(in.Uses[1], 1))
		m.Jmp(on)
	})
}

func (m *machine) scatter(in *vcode.Inst) {
	if in.Checked {
		m.scatterHalves(in)
		return
	}
	if in.Key.Aux > nearImm {
		m.scatterTo(in, m.vec(in.Uses[1], 1), in.Uses[2])
		return
	}
	far, on := m.NewLabel(), m.NewLabel()
	k := m.writers(in)
	if m.halved(in) {
		m.storeHalves(in, m.twoRows(in, k, m.vec(in.Uses[1], 1), handleWrites, far), K(k))
	} else {
		at := m.consecutive(in, k, m.vec(in.Uses[1], 1), handleWrites, far)
		m.RM(VMOVDQU32_ST, V512, m.vec(in.Uses[2], 0), 0, at, K(k))
	}
	m.Bind(on)
	m.later = append(m.later, func() {
		m.Bind(far)
		m.scatterTo(in, m.vec(in.Uses[1], 1), in.Uses[2])
		m.Jmp(on)
	})
}

// slotOf finds a slot of a private variable, the same in all lanes: it leaves
// for far out of range.
func (m *machine) slotOf(in *vcode.Inst, far Label) Mem {
	v := m.prog.Vars[in.Key.Aux]
	first := m.record.Private + 4*int32(m.varBase(int(in.Key.Aux)))*m.record.Lanes + 64*int32(in.Part)
	if n, ok := m.f.Const(in.Uses[0]); ok {
		if n >= uint64(v.Slots) {
			m.Jmp(far)
			n = 0
		}
		return At(R14, first+int32(n)*4*m.record.Lanes)
	}
	m.loadGen(RAX, in.Uses[0])
	m.GI(CmpI, true, RAX, int32(min(v.Slots, math.MaxInt32)))
	m.Jcc(AboveEqual, far)
	m.multiply(RAX, uint64(4*m.record.Lanes))
	return Indexed(R14, RAX, 1, first)
}

func (m *machine) slotLoad(in *vcode.Inst) {
	far, on := m.NewLabel(), m.NewLabel()
	at := m.slotOf(in, far)
	d, o := m.dest(in, 0)
	m.RM(VMOVDQU32, V512, d, 0, at, o)
	m.done(in, d)
	m.Bind(on)
	m.later = append(m.later, func() {
		m.Bind(far)
		m.RR(VPXORD, V128, 0, 0, 0, 0)
		m.define(in, 0)
		m.Jmp(on)
	})
}

func (m *machine) slotStore(in *vcode.Inst) {
	far := m.NewLabel()
	at := m.slotOf(in, far)
	o := Opt(0)
	if all, ok := m.f.Const(in.Masks[0]); !ok || all == 0 {
		o = K(m.execution(in))
	}
	m.RM(VMOVDQU32_ST, V512, m.vec(in.Uses[1], 0), 0, at, o)
	m.Bind(far)
}

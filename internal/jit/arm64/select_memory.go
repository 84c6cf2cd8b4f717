package arm64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// scalarLoad loads 8, 16 or 32 bits from handle u0 at offset u1 into d, 0 out of range.
func (m *machine) scalarLoad(in *vcode.Inst, d Reg) {
	slow, resume := m.NewLabel(), m.NewLabel()
	size := int64(in.Key.Type.Size())
	at, proven := m.boundsCheckIndexed(in, size, target.HandleLength, slow)
	m.Access(loads[size], d, at, address)
	if proven {
		return
	}
	m.Bind(resume)
	m.outOfLine(in, func() {
		m.Bind(slow)
		m.slowLoad(in)
		m.Move(d, X0)
		m.B(resume)
	})
}

// slowLoad is the slow path of loads of one word, into X0. After a failed hoisted check the word may be in range.
func (m *machine) slowLoad(in *vcode.Inst) {
	if in.Checked {
		m.loadOrZero(in)
		return
	}
	m.MovI(X0, 0)
}

// scalarStore stores the 32 bits of u2, nothing out of range. It has no mask: package vectorize emits it only for a uniform store.
func (m *machine) scalarStore(in *vcode.Inst) {
	slow := m.NewLabel()
	at, _ := m.boundsCheckIndexed(in, 4, target.HandleWrites, slow)
	m.storeW(m.gen(in.Uses[2], X0), at)
	m.Bind(slow)
}

// broadcastLoad loads 32 bits into all lanes, 0 out of range.
func (m *machine) broadcastLoad(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	at, proven := m.boundsCheck(in, 4, target.HandleLength, slow)
	d := m.dest(in, 0)
	if at.Disp == 0 {
		m.V(LD1R, S4, d, at.Base, 0)
	} else {
		m.Access(LDRS, d, at, address)
		m.VE(VDUP, S4, d, d, 0)
	}
	m.done(in, d)
	if proven {
		return
	}
	m.Bind(resume)
	m.outOfLine(in, func() {
		m.Bind(slow)
		m.slowLoad(in)
		m.splat(0, X0)
		m.done(in, 0)
		m.B(resume)
	})
}

// partOf returns an instruction on one part of a strided access. Uses are handle, offset, start and index, then for stores one value for
// each part.
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

// strideOf returns the distance of the lanes of a strided access in words, and the accessed word among these.
func strideOf(in *vcode.Inst) (words, component int64) {
	return int64(in.Words()), int64(in.Word())
}

// boundsCheckStride is boundsCheck for all words between the lanes, from the first component on, of all parts.
func (m *machine) boundsCheckStride(in *vcode.Inst, parts int, field int64, slow Label) (at Mem, proven bool) {
	words, component := strideOf(in)
	whole := *in
	whole.Key.Aux -= uint64(4 * component)
	return m.boundsCheck(&whole, vectorBytes*words*int64(parts), field, slow)
}

// stridedLoad loads words at a constant distance: with vector loads if all are in range, which implies that no offset wraps or saturates
// (package vectorize); else lane by lane, out of line.
func (m *machine) stridedLoad(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	at, proven := m.boundsCheckStride(in, len(in.Defs), target.HandleLength, slow)
	words, _ := strideOf(in)
	if words == 1 {
		m.loadRow(in, at)
	} else {
		for part := range in.Defs {
			one := partOf(in, part)
			m.loadPart(&one, plusBytes(at, vectorBytes*words*int64(part)))
		}
	}
	if proven {
		return
	}
	m.Bind(resume)
	m.outOfLine(in, func() {
		m.Bind(slow)
		for part := range in.Defs {
			one := partOf(in, part)
			m.stridedOffsets(in, part)
			k := NoReg // the result of another part may have overwritten its mask
			if in.Merging {
				k = m.execution(&one, 4)
			}
			m.gatherFrom(&one, k, 3)
		}
		m.B(resume)
	})
}

// pairs returns the memory of so many consecutive vectors, in reach of LDP and STP, which take multiples of their size. It may compute the
// address in X0.
func (m *machine) pairs(at Mem, vectors int) Mem {
	const least, most = -1024, 1008 - vectorBytes
	if at.Disp%vectorBytes != 0 || at.Disp < least || at.Disp+vectorBytes*int64(vectors) > most {
		m.plus(X0, at.Base, at.Disp)
		return At(X0, 0)
	}
	return at
}

// inPair is the greatest number of vectors for which all pairs are in reach of an address.
const inPair = 1008 / vectorBytes

// loadRow loads consecutive words, two parts with one instruction.
func (m *machine) loadRow(in *vcode.Inst, at Mem) {
	if n := len(in.Defs); n > 1 && n < inPair {
		at = m.pairs(at, n)
	}
	for part := 0; part < len(in.Defs); part++ {
		one, from := partOf(in, part), plusBytes(at, int64(vectorBytes*part))
		x := m.dest(&one, 0)
		if part+1 == len(in.Defs) || len(in.Defs) >= inPair {
			m.load(x, from)
			m.done(&one, x)
			continue
		}
		part++
		two := partOf(in, part)
		y := m.dest(&two, 1)
		m.emit(Insn{Op: LDPQ, D: x, A: y, N: from.Base, Imm: from.Disp})
		m.done(&one, x)
		m.done(&two, y)
	}
}

// storeRow stores consecutive words in the storing lanes of all parts: two parts with one instruction if these are all lanes, else lane by
// lane, out of line. No byte of an inactive lane is written, as another thread may write to it at the same time.
func (m *machine) storeRow(in *vcode.Inst, at Mem) {
	some, resume := m.NewLabel(), m.NewLabel()
	k, masks := NoReg, map[vcode.Reg]bool{}
	for part := range in.Masks {
		one := partOf(in, part)
		if m.always(&one) && !m.facts.Demotes || !m.facts.Demotes && masks[one.Masks[0]] {
			continue
		}
		masks[one.Masks[0]] = true
		if one := m.storingLanes(&one, 2); k == NoReg {
			k = one
			if one == 2 { // the next part needs V2
				m.moveVec(4, 2)
				k = 4
			}
		} else {
			m.bits(VAND, 4, k, one)
			k = 4
		}
	}
	if k != NoReg {
		m.jumpUnlessEach(k, some)
	}
	n := len(in.Masks)
	to := at
	if n > 1 && n < inPair {
		to = m.pairs(at, n)
	}
	for part := 0; part < n; part++ {
		x, there := m.vec(in.Uses[4+part], 0), plusBytes(to, int64(vectorBytes*part))
		if part+1 == n || n >= inPair {
			m.store(x, there)
			continue
		}
		part++
		m.emit(Insn{Op: STPQ, D: x, A: m.vec(in.Uses[4+part], 1), N: there.Base, Imm: there.Disp})
	}
	if k == NoReg {
		return
	}
	m.Bind(resume)
	m.outOfLine(in, func() {
		m.Bind(some)
		for part := range in.Masks {
			one := partOf(in, part)
			m.maskBits(X0, m.storingLanes(&one, 2))
			v := m.vec(one.Uses[4], 0)
			m.eachLane(func(lane uint8) {
				m.plus(X2, at.Base, at.Disp+int64(vectorBytes*part)+4*int64(lane))
				m.VE(ST1S, S4, v, X2, lane)
			})
		}
		m.B(resume)
	})
}

// jumpUnlessEach jumps to away unless all lanes of a mask are set. It clobbers V1 and X0.
func (m *machine) jumpUnlessEach(k Reg, away Label) {
	m.V2(VUMINV, S4, 1, k)
	m.emit(Insn{Op: FMOVWS, D: X0, N: 1})
	m.BZero(CBZ, X0, away)
}

// loadPart loads one part of a strided access with words between the lanes. LD2 and LD4 load all components and separate them.
func (m *machine) loadPart(in *vcode.Inst, at Mem) {
	words, component := strideOf(in)
	d := Reg(0)
	switch words {
	case 2, 4:
		m.plus(X0, at.Base, at.Disp)
		m.V(map[int64]Op{2: LD2, 4: LD4}[words], S4, 0, X0, 0)
		d = Reg(component)
	default:
		m.plus(X0, at.Base, at.Disp+4*component)
		m.Access(LDRS, 0, At(X0, 0), address)
		for lane := uint8(1); lane < lanes; lane++ {
			m.plus(X0, X0, 4*words)
			m.VE(LD1S, S4, 0, X0, lane)
		}
	}
	m.done(in, d)
}

// stridedStore stores words at a constant distance.
func (m *machine) stridedStore(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	words, component := strideOf(in)
	if words > 1 { // the words between must not be written
		for part := range in.Masks {
			if one := partOf(in, part); !m.always(&one) || m.facts.Demotes {
				m.jumpUnlessEach(m.storingLanes(&one, 2), slow)
			}
		}
	}
	at, proven := m.boundsCheckStride(in, len(in.Masks), target.HandleWrites, slow)
	if words == 1 {
		m.storeRow(in, at)
	}
	for part := range in.Masks {
		if words == 1 {
			break
		}
		one := partOf(in, part)
		to := plusBytes(at, vectorBytes*words*int64(part))
		v := m.vec(one.Uses[4], 0)
		m.plus(X0, to.Base, to.Disp+4*component)
		for lane := range uint8(lanes) {
			m.VE(ST1S, S4, v, X0, lane)
			if lane < lanes-1 {
				m.plus(X0, X0, 4*words)
			}
		}
	}
	if proven && words == 1 {
		return
	}
	m.Bind(resume)
	m.outOfLine(in, func() {
		m.Bind(slow)
		for part := range in.Masks {
			one := partOf(in, part)
			m.stridedOffsets(in, part)
			m.scatterTo(&one, 3, one.Uses[4])
		}
		m.B(resume)
	})
}

// eachLane emits do for each lane, skipped if its 16 bits in X0 (maskBits) are 0.
func (m *machine) eachLane(do func(lane uint8)) {
	for lane := range uint8(lanes) {
		skip := m.NewLabel()
		m.unlessBit(X0, 16*lane, skip)
		do(lane)
		m.Bind(skip)
	}
}

// unlessBit jumps, not far, if a bit of x is 0.
func (m *machine) unlessBit(x Reg, bit uint8, away Label) {
	m.reference(Insn{Op: TBZ, Wide: bit >= 32, D: x, Index: bit}, away)
}

// storingLanes returns the mask of an instruction without helper lanes, in v if that differs. It clobbers V1, V3 and X0.
func (m *machine) storingLanes(in *vcode.Inst, v Reg) Reg {
	k := m.execution(in, v)
	if !m.facts.Demotes {
		return k
	}
	m.expand(3, m.helpers(in))
	m.bits(VBIC, v, k, 3)
	return v
}

// stridedOffsets puts the offsets of a part of a strided access into V3: min(u2 + (u3 + Step·lane + IndexOffset)·Stride, 2³²−1), with the
// sum in parentheses modulo 2³².
func (m *machine) stridedOffsets(in *vcode.Inst, part int) {
	m.splat(1, m.gen(in.Uses[3], X0))
	m.literal(0, quartet(uint32(part)*lanes*in.Step+in.IndexOffset, in.Step))
	m.s4(VADD, 1, 1, 0)
	start := NoReg
	off, ok := m.f.Const(in.Uses[2])
	if !ok {
		m.splat(3, m.gen(in.Uses[2], X0))
		start = 3
	}
	m.offset(1, in.Stride, start, uint32(off))
	m.moveVec(3, 0)
}

// offset puts start + x·stride, or off + x·stride without a start, into V0; a sum beyond 2³² − 1 saturates. It clobbers V1 and V2.
func (m *machine) offset(x Reg, stride uint32, start Reg, off uint32) {
	most := uint32(math.MaxUint32)
	if stride != 0 {
		most = (math.MaxUint32 - off) / stride
	}
	if most < math.MaxUint32 {
		m.fill(2, most)
		m.s4(VCMHI, 2, x, 2)
	}
	if stride != 0 && stride&(stride-1) == 0 {
		m.shiftLeft(0, x, log2(stride))
	} else {
		m.fill(0, stride)
		m.s4(VMUL, 0, 0, x)
	}
	switch {
	case start != NoReg:
		m.s4(VADD, 0, 0, start)
		m.s4(VCMHI, 1, start, 0) // the sum wrapped
		m.bits(VORR, 0, 0, 1)
	case off != 0:
		m.fill(1, off)
		m.s4(VADD, 0, 0, 1)
	}
	if most < math.MaxUint32 {
		m.bits(VORR, 0, 0, 2)
	}
}

// log2 returns the number of the highest bit.
func log2(n uint32) int64 {
	k := int64(0)
	for ; n > 1; n >>= 1 {
		k++
	}
	return k
}

// shiftLeft is d = x << n in each lane.
func (m *machine) shiftLeft(d, x Reg, n int64) { m.VI(VSHL, S4, d, x, n) }

// inRange sets V2 to the lanes of k, or of all if k is NoReg, with an access of size bytes in range at the offsets in off in handle u0, and
// X1 to the address of offset 0, with the immediate. It jumps to none if no offset can be in range. It clobbers X0.
func (m *machine) inRange(in *vcode.Inst, k, off Reg, size uint64, field int64, none Label) {
	if in.Key.Aux > math.MaxUint32 {
		m.B(none)
		return
	}
	where, paired := m.handleWord(in.Uses[0], X1, field), false
	if in.Key.Flags&ir.Proven != 0 && k != NoReg {
		m.moveVec(2, k)
	} else {
		paired = m.pairOf(X0, where, field)
		m.cmpI(W, X0, in.Key.Aux+size)
		m.BCond(LO, none)
		m.plus(X0, X0, -int64(in.Key.Aux+size))
		m.splat(2, X0)
		m.s4(VCMHS, 2, 2, off)
		if k != NoReg {
			m.bits(VAND, 2, 2, k)
		}
	}
	if !paired {
		m.loadX(X1, plusBytes(where, -field))
	}
	m.addI(X1, X1, in.Key.Aux)
}

// gatherFrom loads a word for each lane of k, or of all if k is NoReg, at the offsets in off, which is not V0 to V2; 0 out of range.
func (m *machine) gatherFrom(in *vcode.Inst, k, off Reg) {
	none, some, resume := m.NewLabel(), m.NewLabel(), m.NewLabel()
	m.inRange(in, k, off, 4, target.HandleLength, none)
	m.jumpUnlessEach(2, some)
	load := func(lane uint8) {
		m.VE(VGETW, S2, X2, off, lane)
		m.R(ADD|W, X2, X2, X1)
		m.VE(LD1S, S4, 0, X2, lane)
	}
	m.emit(Insn{Op: FMOVWS, D: X2, N: off})
	m.Access(LDRS, 0, Mem{Base: X1, Index: X2}, address) // clears the other lanes
	for lane := uint8(1); lane < lanes; lane++ {
		load(lane)
	}
	m.Bind(resume)
	m.done(in, 0)
	m.outOfLine(in, func() {
		m.Bind(some)
		m.maskBits(X0, 2)
		m.zero(0)
		m.eachLane(load)
		m.B(resume)
		m.Bind(none)
		m.zero(0)
		m.B(resume)
	})
}

// gather loads words at varying offsets. A result may have the register of an offset that is dead after the instruction, so that several
// ones use copies of the offsets; their masks need none, as a word in range is harmless in an inactive lane.
func (m *machine) gather(in *vcode.Inst) {
	if len(in.Defs) == 1 {
		m.gatherFrom(in, m.execution(in, 4), m.vec(in.Uses[1], 3))
		return
	}
	row := func(i int) Mem { return At(record, int64(m.record.Scratch)+vectorBytes*int64(i)) }
	for i, u := range in.Uses[1:] {
		m.store(m.vec(u, 0), row(i))
	}
	for j := range in.Defs {
		one := *in
		one.Defs = in.Defs[j : j+1]
		one.Key.Aux += uint64(4 * (j % 2))
		one.Key.Flags &^= ir.Proven
		k := NoReg
		if in.Merging {
			k = m.execution(in, 4)
		}
		m.load(3, row(j/2))
		m.gatherFrom(&one, k, 3)
	}
}

// scatter stores words at varying offsets.
func (m *machine) scatter(in *vcode.Inst) {
	m.scatterTo(in, m.vec(in.Uses[1], 3), in.Uses[2])
}

// scatterTo stores a word of each lane at the offsets in off, which is not V0 to V2, in ascending order, nothing out of range and nothing
// for helpers: if lanes have the same offset, the last one wins.
func (m *machine) scatterTo(in *vcode.Inst, off Reg, u vcode.Reg) {
	none, some := m.NewLabel(), m.NewLabel()
	if m.facts.Demotes && off == 3 { // storingLanes clobbers V3
		m.moveVec(5, 3)
		off = 5
	}
	m.inRange(in, m.storingLanes(in, 4), off, 4, target.HandleWrites, none)
	v := m.vec(u, 0)
	m.jumpUnlessEach(2, some)
	store := func(lane uint8) {
		m.VE(VGETW, S2, X2, off, lane)
		m.R(ADD|W, X2, X2, X1)
		m.VE(ST1S, S4, v, X2, lane)
	}
	for lane := range uint8(lanes) {
		store(lane)
	}
	m.Bind(none)
	m.outOfLine(in, func() {
		m.Bind(some)
		m.maskBits(X0, 2)
		m.eachLane(store)
		m.B(none)
	})
}

// slide extracts a vector from two side by side.
func (m *machine) slide(in *vcode.Inst) {
	d := m.dest(in, 0)
	m.emit(Insn{Op: VEXT, Arr: B16, D: d, N: m.vec(in.Uses[0], 0), M: m.vec(in.Uses[1], 1), Index: 4 * uint8(in.Key.Aux)})
	m.done(in, d)
}

// lookupWords is the size of the table of a TableLookup in words.
const lookupWords = 16

// tableLookup loads one of sixteen words for each lane. The table is V0 to V3; TBL selects bytes.
//
//	index & 15              i
//	· 0x04040404            4i  4i   4i   4i
//	+ 0x03020100            4i, 4i+1, 4i+2, 4i+3
func (m *machine) tableLookup(in *vcode.Inst) {
	short, resume := m.NewLabel(), m.NewLabel()
	length := m.handleWord(in.Uses[0], X1, target.HandleLength)
	m.loadX(X0, length)
	m.loadX(X1, plusBytes(length, -target.HandleLength))
	m.cmpI(W, X0, in.Key.Aux+4*lookupWords)
	m.BCond(LO, short)
	m.addI(X1, X1, in.Key.Aux)
	m.Bind(resume)
	which := m.vec(in.Uses[1], 4)
	m.fill(0, lookupWords-1)
	m.bits(VAND, 4, which, 0)
	m.fill(0, 0x04040404)
	m.s4(VMUL, 4, 4, 0)
	m.fill(0, 0x03020100)
	m.s4(VADD, 4, 4, 0)
	for i := range Reg(4) {
		m.load(i, At(X1, vectorBytes*int64(i)))
	}
	m.bits(VTBL4, 0, 0, 4)
	m.done(in, 0)
	m.outOfLine(in, func() {
		m.Bind(short)
		m.copyTable(in)
		m.B(resume)
	})
}

// copyTable copies the words of a table that are in range to the scratch memory, with zeros for the others, and sets X1 to its address. X0
// is the length of the buffer, X1 its address.
func (m *machine) copyTable(in *vcode.Inst) {
	end := m.NewLabel()
	copied := At(record, int64(m.record.Scratch))
	m.zero(0)
	for i := range int64(4) {
		m.store(0, plusBytes(copied, vectorBytes*i))
	}
	m.addI(X1, X1, in.Key.Aux)
	for i := range int64(lookupWords) {
		m.cmpI(W, X0, in.Key.Aux+uint64(4*i)+4)
		m.BCond(LO, end)
		m.loadW(X2, At(X1, 4*i))
		m.storeW(X2, plusBytes(copied, 4*i))
	}
	m.Bind(end)
	m.plus(X1, record, copied.Disp)
}

// slotAddress returns the memory of a slot of a private variable, the same slot in all lanes. It jumps to slow out of range.
// In a work-item loop the first lane is a register.
func (m *machine) slotAddress(in *vcode.Inst, slow Label) Mem {
	v := m.prog.Vars[in.Key.Aux]
	row := 4 * int64(m.record.Lanes)
	first := int64(m.record.Private) + row*int64(m.bases[in.Key.Aux]) + vectorBytes*int64(in.Part)
	if n, ok := m.f.Const(in.Uses[0]); ok {
		if n >= uint64(v.Slots) { // the code after the jump is unreachable
			m.B(slow)
			n = 0
		}
		if u, ok := in.FirstLane(); ok {
			m.multiplyAdd(X1, m.gen(u, X1), 4, record)
			return At(X1, first+int64(n)*row)
		}
		return At(record, first+int64(n)*row)
	}
	s := m.gen(in.Uses[0], X0)
	m.cmpI(0, s, uint64(v.Slots))
	m.BCond(HS, slow)
	m.multiplyAdd(X1, s, uint64(row), record)
	return At(X1, first)
}

func (m *machine) slotLoad(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	at := m.slotAddress(in, slow)
	d := m.dest(in, 0)
	m.load(d, at)
	m.done(in, d)
	m.Bind(resume)
	m.outOfLine(in, func() {
		m.Bind(slow)
		m.zero(0)
		m.done(in, 0)
		m.B(resume)
	})
}

// slotStore merges by reading the old slot: no other thread writes to the memory of a subgroup.
func (m *machine) slotStore(in *vcode.Inst) {
	slow := m.NewLabel()
	at := m.slotAddress(in, slow)
	v := m.vec(in.Uses[1], 0)
	if !m.always(in) {
		m.load(1, at)
		m.bits(VBIT, 1, v, m.execution(in, 2))
		v = 1
	}
	m.store(v, at)
	m.Bind(slow)
}

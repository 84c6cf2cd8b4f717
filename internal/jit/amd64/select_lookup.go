package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// lookupWords is the size of the table of a TableLookup in words.
const lookupWords = 16

// tableAddress returns the memory of the table. It jumps to short if the table is not completely in
// range, with the address, without the immediate, in RCX too. It clobbers RAX. One check covers the
// table, whatever the indices are: they select within sixteen words.
func (m *machine) tableAddress(in *vcode.Inst, short Label) Mem {
	length := m.handleWord(in.Uses[0], RAX, target.HandleLength)
	begin := length
	begin.Disp -= target.HandleLength
	m.GRM(MOV|W, RCX, begin)
	m.GMI(CmpI, true, length, int32(in.Key.Aux)+4*lookupWords)
	m.Jcc(Below, short)
	return At(RCX, int32(in.Key.Aux))
}

// wordEnds returns, for each word from first on, the greatest buffer length that does not contain it.
func wordEnds(in *vcode.Inst, first int) (v [16]uint32) {
	for i := range v {
		v[i] = uint32(in.Key.Aux) + 4*uint32(first+i) + 3
	}
	return v
}

// tableLookup loads one of sixteen words for each lane: the table is one register, with 0 for words
// out of range.
//
// VPERMD reads the low four bits of each index, and the whole table is its memory operand: one
// instruction without a gather.
func (m *machine) tableLookup(in *vcode.Inst) {
	short, resume := m.NewLabel(), m.NewLabel()
	at := m.tableAddress(in, short)
	d, o := m.dest(in, 0)
	m.RM(VPERMD, V512, d, m.vec(in.Uses[1], 1), at, o)
	m.done(in, d)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(short)
		m.RM(VPBROADCASTD, V512, 3, 0, m.handleWord(in.Uses[0], RAX, target.HandleLength), 0)
		m.RMI(VPCMPUD, V512, 2, 3, m.vector(wordEnds(in, 0)), compareGT, 0)
		m.RM(VMOVDQU32, V512, 3, 0, at, K(2)|Z)
		m.RR(VPERMD, V512, 0, m.vec(in.Uses[1], 4), 3, 0)
		m.define(in, 0)
		m.Jmp(resume)
	})
}

// slide is one shift of two vectors side by side; the upper one is the first source:
//
//	valignd d, u1, u0, lanes
func (m *machine) slide(in *vcode.Inst) {
	d, o := m.dest(in, 0)
	m.RRI(VALIGND, V512, d, m.vec(in.Uses[1], 1), m.vec(in.Uses[0], 2), uint8(in.Key.Aux), o)
	m.done(in, d)
}

// byteLookup loads one of 256 words for each lane from a constant table, at offsets of which bits above 10 and below 2 do not matter. VPERMT2D
// selects one of 32 words; eight of them look up all lanes, and masks of three bits of the offset select the result:
//
//	vmovdqu32 z0, [table]            words 0 to 15
//	vpermt2d  z0, z1, [table + 64]   words 16 to 31
//	…                                words 32 to 63 in z2
//	vmovdqa32 z0{k2}, z2             k2: bit 5 of the index
//
// It costs half of a gather of sixteen words, which loads them one by one.
func (m *machine) byteLookup(in *vcode.Inst) {
	table := m.handleWord(in.Uses[0], RAX, target.HandleLength)
	table.Disp -= target.HandleLength
	m.GRM(MOV|W, RCX, table)
	m.RRI(VPSRLD, V512, 1, 0, m.vec(in.Uses[1], 1), 2, 0)
	words := func(z Reg, i int32) { // words 32·i and following
		m.RM(VMOVDQU32, V512, z, 0, At(RCX, 128*i), 0)
		m.RM(VPERMT2D, V512, z, 1, At(RCX, 128*i+64), 0)
	}
	choose := func(bit uint32, k, z, other Reg) { // other where the bit of the index is set
		m.RM(VPTESTMD, V512, k, 1, m.word32(1<<bit), BC)
		m.RR(VMOVDQA32, V512, z, 0, other, K(k))
	}
	words(0, 0)
	words(2, 1)
	choose(5, 2, 0, 2)
	words(2, 2)
	words(3, 3)
	m.RR(VMOVDQA32, V512, 2, 0, 3, K(2))
	choose(6, 1, 0, 2)
	words(2, 4)
	words(3, 5)
	m.RR(VMOVDQA32, V512, 2, 0, 3, K(2))
	words(3, 6)
	words(4, 7)
	m.RR(VMOVDQA32, V512, 3, 0, 4, K(2))
	m.RR(VMOVDQA32, V512, 2, 0, 3, K(1))
	choose(7, 1, 0, 2)
	m.define(in, 0)
}

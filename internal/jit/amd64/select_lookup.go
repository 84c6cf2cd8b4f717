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

package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// bitMask matches w&b == b for a uniform w and b = 1<<lane: the mask is the bits of w. Ballots
// compared with the lane's own bit have this form.
//
// Without the fusion a ballot that is tested per lane costs a broadcast, a vector AND and a
// comparison. The pattern, with the lane numbers in a Sequence:
//
//	b = 1 << lane
//	t = broadcast w & b
//	m = t == b          →   kmovw k, w >> first
func (z *fuser) bitMask(in *vcode.Inst) {
	for i, b := range in.Uses {
		cut := z.FoldableDef(in.Uses[1-i], 1)
		first, ok := z.laneBit(b)
		if !ok || cut == nil || cut.Op != vcode.Lane || cut.IR != ir.And || cut.Key.Type != ir.I32 {
			continue
		}
		word := cut.Uses[0]
		if word == b {
			word = cut.Uses[1]
		} else if cut.Uses[1] != b {
			continue
		}
		from := z.Def[word]
		if from == nil || z.DefBlock[word] != z.Block || z.Defs[word] != 1 || from.Op != vcode.Broadcast || z.Changed(word, from.Uses) {
			continue
		}
		z.Replace(in, fusedBitMask, uint64(first), from.Uses[:1:1], in.Uses[1-i])
		if z.Reads[word] == 0 {
			z.Reads[from.Uses[0]]--
			*from = vcode.Inst{}
		}
		return
	}
}

// laneBit returns the number of the first lane if b is 1<<lane number, with all numbers below 32.
// The limit of 32 excludes parts from lane 32 on, for which the shift count would wrap.
func (z *fuser) laneBit(b vcode.Reg) (first uint32, ok bool) {
	in := z.Def[b]
	if in == nil || z.Defs[b] != 1 || in.Op != vcode.Lane || in.IR != ir.Shl || in.Key.Type != ir.I32 || in.Key.From != ir.I32 || in.Merging || !z.Constant(in.Uses[0], 1) {
		return 0, false
	}
	first, step, ok := z.F.Sequence(in.Uses[1])
	return first, ok && step == 1 && first+zmmLanes <= 32
}

// bitMask moves bits of a general register to a mask.
func (m *machine) bitMask(in *vcode.Inst) {
	g := m.gen(in.Uses[0], RAX)
	if first := uint8(in.Key.Aux); first > 0 {
		m.GRR(MOV, RAX, g)
		m.ShiftI(ShrI, false, RAX, first)
		g = RAX
	}
	d := m.destMask(in, 2)
	m.RR(KMOVW_KR, V128, d, 0, g, 0)
	m.storeMask(in.Defs[0], d)
}

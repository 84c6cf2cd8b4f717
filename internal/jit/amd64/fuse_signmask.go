package amd64

import (
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Masks of which only the signs are read
//
// A blend and a negation of some lanes read the sign bit of each lane of their mask (AVX2). With such a reader alone, a mask
// can be cheaper than all ones or all zeros:
//
//	x < 0                  the integer x itself           for 2 instructions
//	x & 1<<k == 1<<k       x shifted left by 31 − k       for 2 instructions
//	a ^ b                  a ^ b, each of these
//
// Other readers of masks need all bits: a conjunction with a value, or the mask of active lanes.

// maxSignDepth bounds the exclusive ors that one mask is followed through.
const maxSignDepth = 4

// readsSigns makes the mask of an instruction that reads the signs of its first operand cheaper, if it can.
func (z *fuser) readsSigns(in *vcode.Inst) { z.signsOf(in, 0, maxSignDepth) }

// signsOf replaces operand i of an instruction, a mask of which only the signs are read, by a cheaper register with the same signs, or
// makes its definition cheaper.
func (z *fuser) signsOf(in *vcode.Inst, i, depth int) {
	c := in.Uses[i]
	n := z.FoldableDef(c, 1)
	if n == nil || n.Op != vcode.Lane || n.Key.Type != ir.B1 || len(n.Defs) != 1 {
		return
	}
	switch {
	case n.IR == ir.SLt && n.Key.From == ir.I32 && z.Constant(n.Uses[1], 0):
		in.Uses = slices.Clone(in.Uses) // lists are shared
		in.Uses[i] = n.Uses[0]
		z.Reads[n.Uses[0]]++
		z.Drop(c)
	case n.IR == ir.Eq && n.Key.From == ir.I32:
		z.signOfBit(n)
	case n.IR == ir.Xor && n.Key.From == ir.B1 && depth > 0:
		z.signsOf(n, 0, depth-1)
		z.signsOf(n, 1, depth-1)
	}
}

// signOfBit matches q & 1<<k == 1<<k.
func (z *fuser) signOfBit(in *vcode.Inst) {
	for i, r := range in.Uses {
		bit, ok := z.F.Const(in.Uses[1-i])
		cut := z.FoldableDef(r, 1)
		if !ok || bits.OnesCount32(uint32(bit)) != 1 || cut == nil || cut.Op != vcode.Lane || cut.IR != ir.And || cut.Key.Type != ir.I32 {
			continue
		}
		for j, q := range cut.Uses {
			if _, fixed := z.F.Const(q); !fixed && z.Constant(cut.Uses[1-j], uint32(bit)) {
				z.Replace(in, fusedSignOfBit, uint64(bits.LeadingZeros32(uint32(bit))), []vcode.Reg{q}, r)
				return
			}
		}
	}
}

// signOfBit shifts bit 31 − Aux of u0 to the sign.
func (m ymm) signOfBit(in *vcode.Inst) {
	a := m.vec(in.Uses[0], 0)
	d := m.dest(in, 0)
	m.rri(AVX_VPSLLD, d, 0, a, uint8(in.Key.Aux))
	m.done(in, d)
}

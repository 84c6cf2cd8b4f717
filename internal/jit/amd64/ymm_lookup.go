package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// tableLookup looks up both halves of the table and selects one of the two words.
//
// VPERMD of AVX2 selects from eight words by the low three bits of an index; the table has sixteen.
// Both halves are looked up with the same index, and bit 3 selects the result:
//
//	vpermd    ymm0, which, [table]
//	vpermd    ymm2, which, [table + 32]
//	vblendvps d, ymm0, ymm2, which << 28
func (m ymm) tableLookup(in *vcode.Inst) {
	short, resume := m.NewLabel(), m.NewLabel()
	at := m.tableAddress(in, short)
	which := m.vec(in.Uses[1], 1)
	m.rm(AVX_VPERMD, 0, which, at)
	m.rm(AVX_VPERMD, 2, which, plusBytes(at, ymmBytes))
	m.selectByBit3(in, which)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		// A table that is partly out of range is loaded under a mask, with 0 for the words after its
		// end. The length is below the end of the table here, so that the signed comparison is
		// correct.
		m.Bind(short)
		which := m.vec(in.Uses[1], 1)
		for half, y := range [2]Reg{0, 2} {
			m.rm(AVX_VPBROADCASTD, 3, 0, m.handleWord(in.Uses[0], RAX, target.HandleLength))
			ends := wordEnds(in, half*ymmLanes)
			m.rm(AVX_VPCMPGTD, 3, 3, m.vector8([8]uint32(ends[:8])))
			m.rm(AVX_VPMASKMOVD, y, 3, plusBytes(at, int32(half*ymmBytes)))
			m.rr(AVX_VPERMD, y, which, y)
		}
		m.selectByBit3(in, which)
		m.Jmp(resume)
	})
}

// selectByBit3 defines the result: the word in Y0 if bit 3 of which is 0, else the one in Y2. The
// shift moves bit 3 to the sign bit, the only one that VBLENDVPS reads.
func (m ymm) selectByBit3(in *vcode.Inst, which Reg) {
	m.rri(AVX_VPSLLD, 3, 0, which, 28)
	d := m.dest(in, 2)
	m.blend(d, 0, 2, 3)
	m.done(in, d)
}

// slide shifts two vectors side by side. VPALIGNR does so in each half, for which the halves in the middle are one vector:
//
//	u0          l7 l6 l5 l4 | l3 l2 l1 l0
//	u1          h7 h6 h5 h4 | h3 h2 h1 h0
//	vperm2f128  h3 h2 h1 h0 | l7 l6 l5 l4          by four lanes
//	vpalignr    h2 h1 h0 l7 | l6 l5 l4 l3          of it and u0, or of u1 and it
func (m ymm) slide(in *vcode.Inst) {
	const bytes, half, middle = 4, ymmLanes / 2, 0x21
	n, lo, hi := int(in.Key.Aux), in.Uses[0], in.Uses[1]
	d := m.dest(in, 1)
	switch {
	case n == half:
		m.withImm(AVX_VPERM2F128, d, m.vec(lo, 1), hi, middle)
	case n < half:
		m.withImm(AVX_VPERM2F128, 1, m.vec(lo, 1), hi, middle)
		m.withImm(AVX_VPALIGNR, d, 1, lo, uint8(bytes*n))
	default:
		m.withImm(AVX_VPERM2F128, 1, m.vec(lo, 1), hi, middle)
		m.rri(AVX_VPALIGNR, d, m.vec(hi, 2), 1, uint8(bytes*(n-half)))
	}
	m.done(in, d)
}

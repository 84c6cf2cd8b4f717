package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Row pairs
//
// Image filters often number the invocations of a workgroup so that neighbors form small squares: bit 0 of the index is a bit of y, and
// the next bits are x. The texels of eight lanes are near each other in each of two rows then:
//
//	lanes  0 2 4 6     row y,     offsets o0, o0+4, o0+8, o0+12        or o0, o0, o0+4, o0+4 if the image is enlarged
//	lanes  1 3 5 7     row y + 1, offsets o1, o1+4, o1+8, o1+12
//
// Each row has a window of eight words, from the offset of its first lane on. VPERMD takes the words of all lanes out of each window,
// and a blend takes every second lane from the window of the odd lanes. So two loads replace eight.

// rowWords are the words of a window, and rowBytes the bits of a word's distance in bytes from its start.
const (
	rowWords = ymmLanes
	rowBytes = 4 * (rowWords - 1)
)

// rowPair jumps to slow unless the words at the offsets in off, in the active lanes, are in the windows of a row pair, which are in range
// with more bytes after each. It returns the memory of both windows, and the index of each lane's word in Y2. It clobbers RAX, RCX, RDX
// and Y3. A distance that is negative, misaligned or beyond the window has one of the bits that VPTEST finds.
func (m ymm) rowPair(in *vcode.Inst, off Reg, more int32, slow Label) (even, odd Mem) {
	m.rri(AVX_VPERMQ, 2, 0, off, 0)
	m.rr(AVX_VPSUBD, 2, off, 2)
	tested := Reg(2)
	if !m.always(in) {
		m.rr(AVX_VPAND, 3, 2, m.execution(in, 3))
		tested = 3
	}
	m.rm(AVX_VPTEST, tested, 0, m.words(^uint32(rowBytes)))
	m.Jcc(NotEqual, slow)
	m.RR(AVX_VMOVQ_GX, V128, off, 0, RDX, 0)
	m.GRM(MOV, RCX, m.handleWord(in.Uses[0], RCX, target.HandleLength))
	// The signed comparisons fail if the number of bytes is negative: see firstBytes.
	m.GI(SubI, true, RCX, int32(in.Key.Aux)+4*rowWords+more)
	m.GRR(MOV, RAX, RDX) // the even lanes' offset: the upper half becomes 0
	m.GRR(CMP|W, RCX, RAX)
	m.Jcc(Less, slow)
	m.ShiftI(ShrI, true, RDX, 32)
	m.GRR(CMP|W, RCX, RDX)
	m.Jcc(Less, slow)
	m.GRM(MOV|W, RCX, m.handleWord(in.Uses[0], RCX, 0))
	m.rri(AVX_VPSRLD, 2, 0, 2, 2)
	return Indexed(RCX, RAX, 1, int32(in.Key.Aux)), Indexed(RCX, RDX, 1, int32(in.Key.Aux))
}

// permuteRows defines the first results, one for each word from the word of the index in Y2 on. It clobbers Y0, Y3 and Y4.
func (m ymm) permuteRows(in *vcode.Inst, defs []vcode.Reg, even, odd Mem) {
	for n := range defs {
		one := *in
		one.Defs = defs[n : n+1]
		m.rm(AVX_VPERMD, 0, 2, plusBytes(even, int32(4*n)))
		m.rm(AVX_VPERMD, 3, 2, plusBytes(odd, int32(4*n)))
		d := m.dest(&one, 0)
		m.rri(AVX_VPBLENDD, d, 0, 3, 0xaa)
		m.done(&one, d)
	}
}

// gatherRowPair is a gather of one word, of two adjacent ones, or of two at each of two offsets, from row pairs. If the offsets are none,
// it jumps to slow; no result is written then.
func (m ymm) gatherRowPair(in *vcode.Inst, slow Label) {
	if len(in.Uses) == 2 {
		even, odd := m.rowPair(in, m.vec(in.Uses[1], 1), int32(4*len(in.Defs)-4), slow)
		m.permuteRows(in, in.Defs, even, odd)
		return
	}
	for i, u := range in.Uses[1:] {
		even, odd := m.rowPair(in, m.vec(u, 1), 4, slow)
		m.rm(AVX_VMOVUPS_ST, 2, 0, m.scratch(ymmBytes*int32(i)))
		for n, at := range [...]Mem{even, odd} {
			m.GRM(LEA|W, at.Index, at)
			m.GRM(MOV_ST|W, at.Index, m.scratch(scratchBase+16*int32(i)+8*int32(n)))
		}
	}
	for i := range in.Uses[1:] {
		m.rm(AVX_VMOVUPS, 2, 0, m.scratch(ymmBytes*int32(i)))
		m.GRM(MOV|W, RAX, m.scratch(scratchBase+16*int32(i)))
		m.GRM(MOV|W, RDX, m.scratch(scratchBase+16*int32(i)+8))
		m.permuteRows(in, in.Defs[2*i:2*i+2], At(RAX, 0), At(RDX, 0))
	}
}

package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// gatherPairs loads two adjacent words for each lane, or two at each of two offsets: the texels of a
// bilinear filter. Consecutive words take two loads; two rows in a window each are permuted out of it;
// else it loads lane by lane, which is fewer micro-operations than AVX2 gathers.
//
// The ways, the fastest first; texels of neighboring pixels are mostly in a short run of memory.
//
//	consecutive    two vector loads, one word apart
//	window         VPERMD out of 9 words, per row
//	wide window    VPERMD out of 17 words, per row
//	apart          64-bit loads, lane by lane
func (m ymm) gatherPairs(in *vcode.Inst) {
	apart, resume := m.NewLabel(), m.NewLabel()
	if len(in.Uses) > 2 {
		m.gatherWindows(in, apart, resume)
	} else {
		beyond := *in // the second words must be in range too
		beyond.Key.Aux += 4
		m.loadPair(in, m.contiguous(&beyond, m.vec(in.Uses[1], 1), target.HandleLength, apart))
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(apart)
		if m.prog.Stage == ir.Compute {
			apart := m.NewLabel()
			m.gatherRowPair(in, apart)
			m.Jmp(resume)
			m.Bind(apart)
		}
		if in.Key.Flags&ir.Proven == 0 {
			m.gatherPairSlow(in, resume)
		} else {
			m.loadPairsByLane(in, resume)
		}
		m.Jmp(resume)
	})
}

// Constants of a window: its size in words, the bits of the byte distance of a word in it from its
// start, the same for the first half of it, and the shift that moves the bit for the half of the
// window to the sign.
const (
	ymmWindow  = 16
	withinYmms = 4*ymmWindow - 4
	withinYmm  = 4*ymmLanes - 4
	whichYmm   = 31 - 5
)

// window is a row of texels in memory: a vector with the distances in bytes of the first words from the
// first lane's, and the memory of the first lane's word.
type window struct {
	distances Reg
	at        Mem
}

// gatherWindows defines the four results of gatherPairs at two offsets, each from the window of
// ymmWindow words that starts at the first lane's word. It jumps to apart unless the words of all lanes of
// the mask are in these windows, and the windows in range with one word after them. A distance that is
// negative, misaligned or beyond the window has one of the bits that VPTEST finds. If all are in the first
// half, one permutation yields a result; the code for the whole window is out of line.
func (m ymm) gatherWindows(in *vcode.Inst, apart, resume Label) {
	const any, first, second = 0, 2, 1
	// The window is read completely, with one word more, even if no lane needs its end.
	reach := int32(in.Key.Aux) + 4*ymmWindow + 4
	rows := [2]window{{first, At(RDX, int32(in.Key.Aux))}, {second, At(RCX, int32(in.Key.Aux)-reach)}}
	length := m.handleWord(in.Uses[0], RAX, target.HandleLength)
	base := length
	base.Disp -= target.HandleLength
	for i, g := range [...]Reg{RDX, RCX} {
		d := rows[i].distances
		off := m.vec(in.Uses[1+i], d)
		m.RR(AVX_VMOVD_ST, V128, off, 0, g, 0)
		m.rr(AVX_VPBROADCASTD, any, 0, off)
		m.rr(AVX_VPSUBD, d, off, any)
		m.GRM(LEA|W, RCX, At(g, reach))
		m.GRM(CMP|W, RCX, length)
		m.Jcc(Above, apart)
	}
	m.rr(AVX_VPOR, any, first, second)
	if !m.always(in) {
		m.with(AVX_VPAND, any, any, in.Masks[0])
	}
	wide := m.NewLabel()
	m.rm(AVX_VPTEST, any, 0, m.words(^uint32(withinYmm)))
	m.Jcc(NotEqual, wide)
	m.windowsAt(in, rows, base)
	for i, row := range rows {
		m.rri(AVX_VPSRLD, row.distances, 0, row.distances, 2)
		for n := range int32(2) {
			one := *in
			one.Defs = in.Defs[2*i+int(n):][:1]
			d := m.dest(&one, any)
			m.rm(AVX_VPERMD, d, row.distances, plusBytes(row.at, 4*n))
			m.done(&one, d)
		}
	}
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(wide)
		m.rm(AVX_VPTEST, any, 0, m.words(^uint32(withinYmms)))
		m.Jcc(NotEqual, apart)
		m.windowsAt(in, rows, base)
		m.permutePair(in, 0, rows[0])
		m.permutePair(in, 1, rows[1])
		m.Jmp(resume)
	})
}

// windowsAt adds the base address of the memory to the offsets of two windows, and prefetches what follows
// them.
func (m ymm) windowsAt(in *vcode.Inst, rows [2]window, base Mem) {
	for _, row := range rows {
		m.GRM(ADD|W, row.at.Base, base)
		if in.Prefetch > 0 {
			m.GRM(PREFETCH, allCaches, plusBytes(row.at, 8*ymmWindow))
		}
	}
}

// permutePair defines the i-th pair of results: the words in the i-th window, and those after them.
//
// VPERMD has eight words, so that a window of sixteen needs two, and bit 5 of the byte distance
// selects between them. The second word of a pair is the same permutation of memory four bytes
// later:
//
//	index       distance >> 2, of which VPERMD uses three bits
//	n = 0       words 0 to 15 of the window
//	n = 1       words 1 to 16
//
// done of a result that merges clobbers the index and the selection, so they are computed again then.
func (m ymm) permutePair(in *vcode.Inst, i int, row window) {
	const low, index, which = 0, 3, 4
	high := row.distances
	if in.Merging {
		high = index
	}
	for n := range int32(2) {
		one := *in
		one.Defs = in.Defs[2*i+int(n):][:1]
		if n == 0 || in.Merging {
			m.rri(AVX_VPSRLD, index, 0, row.distances, 2)
			m.rri(AVX_VPSLLD, which, 0, row.distances, whichYmm)
		}
		m.rm(AVX_VPERMD, low, index, plusBytes(row.at, 4*n))
		m.rm(AVX_VPERMD, high, index, plusBytes(row.at, 4*n+ymmBytes))
		d := m.dest(&one, low)
		m.blend(d, low, high, which)
		m.done(&one, d)
	}
}

// loadPair loads two results; at is the memory of the second. The second results are the memory four
// bytes later, without a permutation.
func (m ymm) loadPair(in *vcode.Inst, at Mem) {
	for n := range 2 {
		one := *in
		one.Defs = in.Defs[n : n+1]
		d := m.dest(&one, 0)
		m.rm(AVX_VMOVUPS, d, 0, plusBytes(at, int32(4*n-4)))
		m.done(&one, d)
	}
}

// loadPairsByLane is gatherPairs of words in range in all active lanes. Inactive lanes load at the
// first offset, which is in range if any lane is active; otherwise it jumps to none. Their offset
// becomes 0 by the conjunction with the mask.
func (m ymm) loadPairsByLane(in *vcode.Inst, none Label) {
	k := NoReg
	if !m.always(in) {
		k = m.execution(in, 3)
		m.rr(AVX_VMOVMSKPS, RAX, 0, k)
		m.GRR(TEST, RAX, RAX)
		m.Jcc(Equal, none)
	}
	for i, u := range in.Uses[1:] {
		off := m.vec(u, 0)
		if k != NoReg {
			m.rr(AVX_VPAND, 0, off, k)
			off = 0
		}
		m.rm(AVX_VMOVUPS_ST, off, 0, m.scratch(ymmBytes*int32(i)))
	}
	m.GRM(MOV|W, RDX, m.handleWord(in.Uses[0], RAX, 0))
	for i := range in.Uses[1:] {
		m.loadLanes(in, 2*i, RDX)
	}
	if in.Prefetch > 0 {
		m.prefetchAt(in, ymmLanes, int32(in.Key.Aux))
	}
}

// gatherPairSlow is gatherPairs of one offset without a proof: if a word of an active lane is out of
// range, it gathers each word by itself.
func (m ymm) gatherPairSlow(in *vcode.Inst, done Label) {
	slow := m.NewLabel()
	off := m.vec(in.Uses[1], 1)
	k := NoReg
	if !m.always(in) {
		k = m.execution(in, 0)
		m.rr(AVX_VMOVMSKPS, RCX, 0, k)
		m.GRR(TEST, RCX, RCX)
		m.Jcc(Equal, done)
	}
	m.broadcastPair(in, k, off, done)
	at, found := m.inRange(in, k, off, target.HandleLength)
	if !found {
		m.gatherWords(in)
		return
	}
	m.unlessInRange(k, slow)
	m.rr(AVX_VPAND, 0, off, 2)
	m.rm(AVX_VMOVUPS_ST, 0, 0, m.scratch(0))
	base := R12 // the workgroup memory
	if at.Base == RDX {
		base = RDX
		m.GRM(MOV|W, RDX, m.handleWord(in.Uses[0], RAX, 0))
	}
	m.loadLanes(in, 0, base)
	m.Jmp(done)
	m.Bind(slow)
	m.gatherWords(in)
}

// unlessInRange jumps to slow unless the active lanes in k, or all lanes if k is NoReg, are those in range, in Y2 from inRange. The
// comparison of both masks finds whether each active lane has all its words in range. It clobbers RAX and RCX.
func (m ymm) unlessInRange(k Reg, slow Label) {
	m.rr(AVX_VMOVMSKPS, RAX, 0, 2)
	if k == NoReg {
		m.GI(CmpI, false, RAX, allLanes8)
	} else {
		m.rr(AVX_VMOVMSKPS, RCX, 0, k)
		m.GRR(CMP, RAX, RCX)
	}
	m.Jcc(NotEqual, slow)
}

// broadcastPair loads a pair for all lanes and jumps to done if the lanes of k, or all if k is
// NoReg, have the same offset in range, as in lookups of texture descriptors. Two broadcasts from
// memory replace eight pairs of loads.
func (m ymm) broadcastPair(in *vcode.Inst, k, off Reg, done Label) {
	apart := m.NewLabel()
	m.RR(AVX_VMOVD_ST, V128, off, 0, RDX, 0)
	m.rr(AVX_VPBROADCASTD, 2, 0, off)
	m.rr(AVX_VPCMPEQD, 2, 2, off)
	if k != NoReg {
		m.rr(AVX_VPANDN, 2, 2, k)
		m.rr(AVX_VMOVMSKPS, RAX, 0, 2)
		m.GRR(TEST, RAX, RAX)
	} else {
		m.rr(AVX_VMOVMSKPS, RAX, 0, 2)
		m.GI(CmpI, false, RAX, allLanes8)
	}
	m.Jcc(NotEqual, apart)
	at := m.handleWord(in.Uses[0], RAX, target.HandleLength)
	m.GRM(MOV, RCX, at)
	m.GI(SubI, true, RCX, int32(in.Key.Aux)+8)
	m.GRR(CMP|W, RCX, RDX)
	at.Disp -= target.HandleLength
	m.GRM(MOV|W, RCX, at)
	m.Jcc(Less, apart)
	for n := range in.Defs {
		one := *in
		one.Defs = in.Defs[n : n+1]
		d := m.dest(&one, 2)
		m.rm(AVX_VBROADCASTSS, d, 0, Indexed(RCX, RDX, 1, int32(in.Key.Aux)+4*int32(n)))
		m.done(&one, d)
	}
	m.Jmp(done)
	m.Bind(apart)
}

// gatherWords gathers each word of a pair by itself.
func (m ymm) gatherWords(in *vcode.Inst) {
	m.loadVec(1, in.Uses[1])
	for i := range in.Defs {
		one := *in
		one.Defs, one.Key.Aux = in.Defs[i:i+1], in.Key.Aux+4*uint64(i)
		k := NoReg // the first result may have overwritten its mask
		if in.Merging {
			k = m.execution(&one, 0)
		}
		m.gatherFrom(&one, k, 1)
	}
}

// loadLanes defines results i and i + 1 from 64 bits for each lane, at base + the immediate + the
// lane's word in row i/2 of the scratch memory.
//
// Each 64-bit load has both words of a lane. Registers, low lane first:
//
//	half 0     lanes 0 1 | 4 5
//	half 1     lanes 2 3 | 6 7
//	vshufps    lanes 0 1 2 3 | 4 5 6 7, the even or the odd words
//
// So the order of the lanes needs no VPERMQ.
func (m ymm) loadLanes(in *vcode.Inst, i int, base Reg) {
	two := func(y Reg, lane int32) {
		row := ymmBytes * int32(i/2)
		m.GRM(MOV, RAX, m.scratch(row+4*lane))
		m.GRM(MOV, RCX, m.scratch(row+4*lane+4))
		m.RM(AVX_VMOVQ_LD, V128, y, 0, Indexed(base, RAX, 1, int32(in.Key.Aux)), 0)
		m.RM(AVX_VMOVHPD, V128, y, y, Indexed(base, RCX, 1, int32(in.Key.Aux)), 0)
	}
	for half := range Reg(2) { // lanes 0, 1, 4 and 5, and the others
		two(half, 2*int32(half))
		two(2, 2*int32(half)+4)
		m.join(half, half, 2)
	}
	for n, words := range [...]uint8{0x88, 0xdd} { // the even ones and the odd ones
		one := *in
		one.Defs = in.Defs[i+n : i+n+1]
		d := m.dest(&one, 2)
		m.rri(AVX_VSHUFPS, d, 0, 1, words)
		m.done(&one, d)
	}
}

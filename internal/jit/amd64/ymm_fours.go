package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// gatherFours loads three or four adjacent words for each lane, such as the position in the record of a vertex: 128 bits lane by lane,
// which a transposition turns into a vector for each word. If a word of an active lane is out of range, it gathers each word by itself.
func (m ymm) gatherFours(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	off, k := m.vec(in.Uses[1], 1), NoReg
	if !m.always(in) {
		k = m.execution(in, 0)
		m.rr(AVX_VMOVMSKPS, RAX, 0, k)
		m.GRR(TEST, RAX, RAX)
		m.Jcc(Equal, resume)
	}
	base := RDX
	if in.Key.Flags&ir.Proven == 0 {
		at, found := m.inRange(in, k, off, target.HandleLength)
		if !found {
			m.gatherWords(in)
			m.Bind(resume)
			return
		}
		m.unlessInRange(k, slow)
		m.slowPaths = append(m.slowPaths, func() {
			m.Bind(slow)
			m.gatherWords(in)
			m.Jmp(resume)
		})
		if at.Base != RDX {
			base = R12 // the workgroup memory
		}
	}
	if k != NoReg { // inactive lanes load at the offset 0, which is in range if an active lane's offset is
		m.rr(AVX_VPAND, 0, off, k)
		off = 0
	}
	m.rm(AVX_VMOVUPS_ST, off, 0, m.scratch(0))
	if base == RDX {
		m.GRM(MOV|W, RDX, m.handleWord(in.Uses[0], RAX, 0))
	}
	m.loadFours(in, base)
	m.Bind(resume)
}

// loadFours defines the results from 128 bits for each lane, at base + the immediate + the lane's word in the scratch memory, by the
// transposition of records.
func (m ymm) loadFours(in *vcode.Inst, base Reg) {
	for y := range Reg(ymmLanes / 2) {
		m.GRM(MOV, RAX, m.scratch(4*int32(y)))
		m.GRM(MOV, RCX, m.scratch(4*int32(y)+ymmBytes/2))
		m.RM(AVX_VMOVUPS, V128, y, 0, Indexed(base, RAX, 1, int32(in.Key.Aux)), 0)
		m.RMI(AVX_VINSERTF128, V256, y, y, Indexed(base, RCX, 1, int32(in.Key.Aux)), 1, 0)
	}
	m.pairWords(true, len(in.Defs) > 2)
	for n := range in.Defs {
		one := *in
		one.Defs = in.Defs[n : n+1]
		d := m.dest(&one, 3) // done needs no scratch, as no result merges
		m.joinPairs(d, n)
		m.done(&one, d)
	}
}

// pairWords is the first half of a transposition of y0 to y3, which have a record of the lane y in the lower half, and of the lane y + 4
// in the upper one: pairs of the words 0 and 1 if low, of the words 2 and 3 if high. Each letter is a word, x of lane 0 first:
//
//	y0, y1    x0 y0 z0 w0 | x4 …         x1 y1 z1 w1 | x5 …
//	y2, y3    x2 y2 z2 w2 | x6 …         x3 y3 z3 w3 | x7 …
//
//	y4, y1    x0 x1 y0 y1 | …    x2 x3 y2 y3 | …
//	y0, y2    z0 z1 w0 w1 | …    z2 z3 w2 w3 | …
func (m ymm) pairWords(low, high bool) {
	if low {
		m.rr(AVX_VUNPCKLPS, 4, 0, 1)
	}
	if high {
		m.rr(AVX_VUNPCKHPS, 0, 0, 1)
	}
	if low {
		m.rr(AVX_VUNPCKLPS, 1, 2, 3)
	}
	if high {
		m.rr(AVX_VUNPCKHPS, 2, 2, 3)
	}
}

// joinPairs is the other half: the word n of all lanes. It reads only y0, y1, y2 and y4, so that d may be y3.
func (m ymm) joinPairs(d Reg, n int) {
	pairs := [...]struct {
		lo, hi Reg
		order  uint8
	}{{4, 1, 0x44}, {4, 1, 0xee}, {0, 2, 0x44}, {0, 2, 0xee}}[n]
	m.rri(AVX_VSHUFPS, d, pairs.lo, pairs.hi, pairs.order)
}

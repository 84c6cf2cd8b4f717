package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// strideOf returns the distance of the lanes of a strided access in words, and the accessed word
// among these. Example: positions of three floats padded to 16 bytes have 4 words, and y is
// component 1.
func strideOf(in *vcode.Inst) (words, component int) {
	return in.Words(), in.Word()
}

// boundsCheckStride is boundsCheck for all words between the lanes of all parts, from the first
// component on. It is conservative: words between the components that no lane reads are checked too,
// so that an access at the end of a buffer may use the slow path although it is in range.
func (m *machine) boundsCheckStride(in *vcode.Inst, field int32, slow Label) Mem {
	words, component := strideOf(in)
	whole := *in
	whole.Key.Aux -= uint64(4 * component)
	at, _ := m.boundsCheck(&whole, int32(64*words*len(in.Masks)), field, slow)
	return at
}

// wideStrideLoad loads consecutive memory and selects one word of several. It jumps to
// slow out of range. Loading 16 lanes with a stride of 16 bytes reads four vectors; a gather would
// need 16 loads.
func (m *machine) wideStrideLoad(in *vcode.Inst, slow Label) {
	words, _ := strideOf(in)
	if words&(words-1) != 0 || words > 8 {
		m.loadChunk([]vcode.Inst{*in}, slow)
		return
	}
	at := m.boundsCheckStride(in, target.HandleLength, slow)
	for part := range in.Defs {
		one := partOf(in, part)
		m.loadStridedPart(&one, plusVectors(at, int32(part*words)))
	}
}

// loadStridedPart loads one part of a strided access of two, four or eight words. For four words, component 1, and vectors v0 to
// v3 of four lanes each:
//
//	v0:v1  permuted    1 5 9 13 17 21 25 29    in the low half of Z1
//	v2:v3  permuted    the same of lanes 8 to 15, in Z3
//	join               lanes 0 to 15
//
// With two words one permutation suffices, with eight there are four pairs of vectors with four
// lanes each.
func (m *machine) loadStridedPart(in *vcode.Inst, at Mem) {
	words, component := strideOf(in)
	var pick [16]uint32 // for a pair of vectors; with more pairs its first lanes are used
	for i := range pick {
		pick[i] = uint32(component+words*i) % 32
	}
	for pair := range words / 2 {
		z := Reg(2 * pair)
		m.RM(VMOVDQU32, V512, z, 0, at, 0)
		m.RM(VMOVDQU32, V512, z+1, 0, m.vector(pick), 0)
		m.RM(VPERMI2D, V512, z+1, z, plusVectors(at, 1), 0)
		at = plusVectors(at, 2)
	}
	switch words {
	case 4:
		m.RRI(VSHUFF32X4, V512, 1, 1, 3, lowHalves, 0)
	case 8:
		for quarter := uint8(1); quarter < 4; quarter++ {
			m.RRI(VINSERTF32X4, V512, 1, 1, 1+2*Reg(quarter), quarter, 0)
		}
	}
	m.define(in, 1)
}

// wideStrideStore stores one word of several in consecutive memory. It jumps to slow
// unless all lanes are active and all is in range.
func (m *machine) wideStrideStore(in *vcode.Inst, slow Label) {
	m.allLanes(in, slow)
	m.storeLines([]vcode.Inst{*in}, m.boundsCheckStride(in, target.HandleWrites, slow))
}

// storeSpread stores every n-th word of n lines: the values are spread over n vectors, of which only the words of the mask are written.
//
//	words 2, component 0
//	value      0 1 2 3 4 5 6 7 …
//	vector 0   0 . 1 . 2 . 3 . 4 . 5 . 6 . 7 .       mask 0x5555
//	vector 1   8 . 9 . …
func (m *machine) storeSpread(in *vcode.Inst, at Mem) {
	words, _ := strideOf(in)
	z := m.vec(in.Uses[4], 0)
	for i := range words {
		var spread [16]uint32
		for lane := range spread {
			spread[lane] = uint32(i*16+lane) / uint32(words)
		}
		m.RM(VMOVDQU32, V512, 1, 0, m.vector(spread), 0)
		m.RR(VPERMD, V512, 1, 1, z, 0)
		m.RM(VMOVDQU32_ST, V512, 1, 0, at, K(2))
		at = plusVectors(at, 1)
	}
}

// allLanes jumps to slow unless all lanes of a store are active.
func (m *machine) allLanes(in *vcode.Inst, slow Label) {
	for part := range in.Masks {
		one := partOf(in, part)
		if o := m.storeOpt(&one); o != 0 {
			k := m.storingLanes(&one)
			m.RR(KORTESTW, V128, k, 0, k, 0)
			m.Jcc(AboveEqual, slow) // the carry flag is set if k is all ones
		}
	}
}

// storedWords puts the words of a line that a run stores into K2, and reports whether there are any. They are the same in each line if the
// stride divides 16.
func (m *machine) storedWords(run []vcode.Inst, line int) bool {
	words, _ := strideOf(&run[0])
	lanes := uint64(0)
	for lane, w := range wordsOf(words, line) {
		for i := range run {
			if run[i].Word() == w.component {
				lanes |= 1 << lane
			}
		}
	}
	m.MovI(RAX, lanes)
	m.RR(KMOVW_KR, V128, 2, 0, RAX, 0)
	return lanes != 0
}

package amd64

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// gatherTable is a gather with known distances between the offsets of the lanes. One bounds check of all lanes, active or not, replaces those of the
// lanes, and each word has a constant displacement. The usual tables of tiles need fewer than eight loads:
//
//	0 4 8 12  20 24 28 32     two loads of four words
//	0 9 18 27  0 9 18 27      four loads, and a copy of the half
//	0 0 0 0  68 68 68 68      two broadcasts, and a blend
func (m ymm) gatherTable(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	bytes := int32(slices.Max(in.Distances)) + 4
	m.RR(AVX_VMOVD_ST, V128, m.vec(in.Uses[1], 1), 0, RDX, 0)
	var at Mem
	if n, ok := m.f.Const(in.Uses[0]); !ok || n != target.HandleShared*target.HandleBytes {
		at = m.firstBytes(in, m.handleWord(in.Uses[0], RAX, target.HandleLength), target.HandleLength, bytes, slow)
	} else {
		// The size of the workgroup memory is a constant, so that one unsigned comparison decides. An offset that has saturated is
		// above every limit.
		at = Indexed(R12, RDX, 1, int32(in.Key.Aux))
		if limit := int64(m.prog.SharedBytes) - int64(in.Key.Aux) - int64(bytes); limit < 0 {
			m.Jmp(slow)
		} else if !in.Proven {
			m.GI(CmpI, false, RDX, int32(limit))
			m.Jcc(Above, slow)
		}
	}
	d := m.dest(in, 0)
	m.tableWords(d, at, in.Distances)
	m.done(in, d)
	m.Bind(resume)
	// Some lanes may be in range although not all are: each has a check of its own here.
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.gatherFrom(in, m.execution(in, 0), m.vec(in.Uses[1], 1))
		m.Jmp(resume)
	})
}

// tableWords loads the words at the distances from at to d. It clobbers Y3.
//
//	vbroadcastss d, [at+lo]; vbroadcastss ymm3, [at+hi]; vpblendd       one word for each half
//	half d; vinsertf128 d, d, d                                         equal halves
//	half d; half ymm3; vinsertf128 d, d, ymm3                           others
func (m ymm) tableWords(d Reg, at Mem, distances []uint16) {
	lo, hi := distances[:ymmLanes/2], distances[ymmLanes/2:]
	switch {
	case constantStep(lo, 0) && constantStep(hi, 0):
		m.rm(AVX_VBROADCASTSS, d, 0, plusBytes(at, int32(lo[0])))
		if lo[0] != hi[0] {
			m.rm(AVX_VBROADCASTSS, 3, 0, plusBytes(at, int32(hi[0])))
			m.rri(AVX_VPBLENDD, d, d, 3, 0xf0)
		}
	case slices.Equal(lo, hi):
		m.tableHalf(d, at, lo)
		m.join(d, d, d)
	default:
		m.tableHalf(d, at, lo)
		m.tableHalf(3, at, hi)
		m.join(d, d, 3)
	}
}

// tableHalf loads four words to the lower half of d, and clears the upper half, as all VEX instructions of 128 bits do.
//
// VPINSRD has two operations, of which the shuffle needs the port of all shuffles on Intel's processors. One load for four words, where they
// are adjacent, avoids that.
func (m ymm) tableHalf(d Reg, at Mem, distances []uint16) {
	first := plusBytes(at, int32(distances[0]))
	switch {
	case constantStep(distances, 0):
		m.RM(AVX_VBROADCASTSS, V128, d, 0, first, 0)
	case constantStep(distances, 4):
		m.RM(AVX_VMOVUPS, V128, d, 0, first, 0)
	default:
		m.RM(AVX_VMOVD, V128, d, 0, first, 0)
		for i, n := range distances[1:] {
			m.RMI(AVX_VPINSRD, V128, d, d, plusBytes(at, int32(n)), uint8(i+1), 0)
		}
	}
}

// constantStep reports whether each distance is so many bytes more than the one before: 0 if all lanes load one word, 4 if they load
// adjacent words.
func constantStep(distances []uint16, step uint16) bool {
	for i := range distances[1:] {
		if distances[i+1]-distances[i] != step {
			return false
		}
	}
	return true
}

package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// recordAccesses emits a run. If a lane does not store, or a record is out of range, each access takes its own slow path, in order.
func (m ymm) recordAccesses(list []vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	first := &list[0]
	loads := first.Op == vcode.StridedLoad
	var words [chunkWords]*vcode.Inst // by number in the chunk
	for i := range list {
		words[list[i].Word()%chunkWords] = &list[i]
	}
	if loads {
		m.loadRecords(&words, m.boundsCheckChunks(first, slow))
	} else {
		m.unlessAllStore(first, slow)
		at, _, _ := m.boundsCheckStride(first, target.HandleWrites, slow)
		m.storeRecords(&words, at)
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		for i := range list {
			if loads {
				m.gatherParts(&list[i])
			} else {
				m.scatterParts(&list[i])
			}
		}
		m.Jmp(resume)
	})
}

// loadRecords loads a chunk of the record of each lane, and defines the results. Each letter is a word, x of lane 0 first:
//
//	y0 to y3     x0 y0 z0 w0 | x4 y4 z4 w4, and so for the lanes 1 and 5, 2 and 6, 3 and 7
//	transposed   x0 x1 x2 x3 | x4 x5 x6 x7, and so for y, z and w (pairWords, joinPairs)
//
// A record of two words has its words at alternate places of two vectors:
//
//	y0, y1       x0 y0 x1 y1 | x2 y2 x3 y3    x4 y4 x5 y5 | x6 y6 x7 y7
//	vshufps      x0 x1 x4 x5 | x2 x3 x6 x7
//	vpermq       x0 x1 x2 x3 | x4 x5 x6 x7
func (m ymm) loadRecords(words *[chunkWords]*vcode.Inst, at Mem) {
	first := firstOf(words)
	record := int32(4 * first.Words())
	at = plusBytes(at, 4*chunkWords*int32(first.Word()/chunkWords))
	for part := range first.Defs {
		if first.Words() == 2 {
			m.rm(AVX_VMOVUPS, 0, 0, at)
			m.rm(AVX_VMOVUPS, 1, 0, plusBytes(at, ymmBytes))
		} else {
			for y := range Reg(ymmLanes / 2) {
				m.RM(AVX_VMOVUPS, V128, y, 0, plusBytes(at, record*int32(y)), 0)
				m.RMI(AVX_VINSERTF128, V256, y, y, plusBytes(at, record*int32(y+ymmLanes/2)), 1, 0)
			}
			m.pairWords(words[0] != nil || words[1] != nil, words[2] != nil || words[3] != nil)
		}
		for n, in := range words {
			if in == nil {
				continue
			}
			one := partOf(in, part)
			d := m.dest(&one, 3)
			if first.Words() == 2 {
				m.rri(AVX_VSHUFPS, d, 0, 1, [...]uint8{0x88, 0xdd}[n])
				m.rri(AVX_VPERMQ, d, 0, d, 0xd8)
			} else {
				m.joinPairs(d, n)
			}
			m.done(&one, d)
		}
		at = plusBytes(at, record*ymmLanes)
	}
}

// unlessAllStore jumps to slow unless all lanes of a store are active. It clobbers RAX.
func (m ymm) unlessAllStore(in *vcode.Inst, slow Label) {
	for part := range in.Masks {
		if one := partOf(in, part); !m.always(&one) || m.facts.Demotes {
			m.rr(AVX_VMOVMSKPS, RAX, 0, m.storingLanes(&one, 1))
			m.GI(CmpI, false, RAX, allLanes8)
			m.Jcc(NotEqual, slow)
		}
	}
}

// storeRecords stores words of a chunk of the record of each lane, and no other byte: each run of adjacent words at once.
func (m ymm) storeRecords(words *[chunkWords]*vcode.Inst, at Mem) {
	first := firstOf(words)
	at = plusBytes(at, 4*chunkWords*int32(first.Word()/chunkWords))
	for part := range first.Masks {
		for n := 0; n < chunkWords; n++ {
			from := n
			for n < chunkWords && words[n] != nil {
				n++
			}
			if from < n {
				m.storeAdjacent(words[from:n], part, plusBytes(at, int32(4*from)))
			}
		}
		at = plusBytes(at, int32(4*ymmLanes*first.Words()))
	}
}

// storeAdjacent stores adjacent words of the record of each lane. In the code of four, each letter is a word:
//
//	vunpcklps    x0 y0 x1 y1 | …    z0 w0 z1 w1 | …
//	vunpckhps    x2 y2 x3 y3 | …    z2 w2 z3 w3 | …
//	vshufps      x0 y0 z0 w0 | x4 y4 z4 w4, and so for the lanes 1 and 5, 2 and 6, 3 and 7
func (m ymm) storeAdjacent(words []*vcode.Inst, part int, at Mem) {
	record := int32(4 * words[0].Words())
	value := func(n int) Reg { // in y0 to y3 if it is in memory
		one := partOf(words[n], part)
		return m.vec(one.Uses[4], Reg(n))
	}
	if len(words) == 1 {
		m.storeLanes(value(0), at, record)
		return
	}
	x, y := value(0), value(1)
	if len(words) == 2 {
		m.rr(AVX_VUNPCKLPS, 3, x, y)
		m.rr(AVX_VUNPCKHPS, 2, x, y)
		m.storePairs(3, 2, at, record)
		return
	}
	z := value(2)
	w := z // of three words: nothing stores the fourth one
	if len(words) == 4 {
		w = value(3)
	}
	m.rr(AVX_VUNPCKLPS, 4, x, y)
	m.rr(AVX_VUNPCKHPS, 0, x, y)
	m.rr(AVX_VUNPCKLPS, 1, z, w)
	m.rr(AVX_VUNPCKHPS, 2, z, w)
	for lane := range int32(ymmLanes / 2) {
		m.joinPairs(3, int(lane)) // a transposition is its own inverse: lanes take the place of words
		m.storeRow(3, plusBytes(at, lane*record), len(words))
		to := plusBytes(at, (lane+ymmLanes/2)*record)
		if len(words) == 4 {
			m.RMI(AVX_VEXTRACTF128, V256, 3, 0, to, 1, 0)
			continue
		}
		m.highHalf(3, 3)
		m.storeRow(3, to, len(words))
	}
}

// storeRow stores the first three or four words of a vector.
func (m ymm) storeRow(y Reg, at Mem, words int) {
	if words == 4 {
		m.RM(AVX_VMOVUPS_ST, V128, y, 0, at, 0)
		return
	}
	m.RM(AVX_VMOVQ_ST, V128, y, 0, at, 0)
	m.RMI(AVX_VPEXTRD, V128, y, 0, plusBytes(at, 8), 2, 0)
}

// storePairs stores pairs of words, x and y: lo has the lanes 0, 1, 4 and 5, hi the others.
func (m ymm) storePairs(lo, hi Reg, at Mem, record int32) {
	for half := range int32(2) {
		for i, y := range []Reg{lo, hi} {
			to := plusBytes(at, record*(4*half+2*int32(i)))
			// Two records of 8 bytes are 16 bytes of memory. Greater records are stored one by one.
			switch {
			case record == 8 && half == 0:
				m.RM(AVX_VMOVUPS_ST, V128, y, 0, to, 0)
				continue
			case record == 8:
				m.RMI(AVX_VEXTRACTF128, V256, y, 0, to, 1, 0)
				continue
			case half == 1:
				m.highHalf(y, y)
			}
			m.RM(AVX_VMOVQ_ST, V128, y, 0, to, 0)
			m.RM(AVX_VMOVHPD_ST, V128, y, 0, plusBytes(to, record), 0)
		}
	}
}

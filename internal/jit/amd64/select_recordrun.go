package amd64

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Runs of accesses to several words of the same records are emitted together: the bytes of a record move between memory and a
// register at once, and a transposition in registers makes vectors of its words. A run is in one chunk of the record:
//
//	words of a record    a chunk
//	2                    the record of 8 bytes
//	3 and more           16 bytes of it
//
// Word by word, each lane costs two micro-operations for a load (VPINSRD) and three for a store (VPEXTRD). With whole chunks, four
// words of eight lanes cost 16 micro-operations.
//
// AVX-512 has its own form for stores (select_storerun.go), and for loads of records of few words, whose lines of memory it loads as whole
// vectors (loadLines, loadEightWords). Greater records have more lines than a chunk has rows.
//
// A load reads the whole chunk, with words that the program does not read: the bounds check covers whole records, and the bytes of the
// last chunk after them (boundsCheckChunks). A store writes only the words of the run, since other threads may write the other ones.

// chunkWords is the largest number of words of a chunk.
const chunkWords = 4

// recordRun returns the number of instructions at the start of a list that load, or store, different words of a chunk of the same records.
// Package vectorize makes them adjacent (recordrun.go there).
func (m *machine) recordRun(list []vcode.Inst) int {
	first := &list[0]
	if !first.AccessesRecords() {
		return 1
	}
	n, seen := 1, 1<<(first.Word()%chunkWords) // words of one chunk
	for ; n < min(len(list), chunkWords); n++ {
		in := &list[n]
		if in.Op != first.Op || in.Merging || in.Key.Flags != first.Key.Flags || !sameCheckedRecords(first, in) || in.Word()/chunkWords != first.Word()/chunkWords || seen>>(in.Word()%chunkWords)&1 != 0 ||
			m.overwrites(list[:n], in) {
			break
		}
		seen |= 1 << (in.Word() % chunkWords)
	}
	return n
}

// overwrites reports whether a result of in has the place of a result of the list, which nothing reads then: the live interval of an unused
// part ends at its load. A run defines its results part by part, so that the unused one would be written last.
func (m *machine) overwrites(list []vcode.Inst, in *vcode.Inst) bool {
	fr := m.frame
	same := func(x, y vcode.Reg) bool {
		return fr.Regs[x] == fr.Regs[y] && (fr.Regs[x] != regalloc.None || fr.Slots[x] == fr.Slots[y])
	}
	for i := range list {
		for _, x := range list[i].Defs {
			if slices.ContainsFunc(in.Defs, func(y vcode.Reg) bool { return same(x, y) }) {
				return true
			}
		}
	}
	return false
}

// boundsCheckChunks is boundsCheckStride for the loads of a run. The chunk of the last record may end after the record. A shared check
// includes these bytes already: it covers a whole record after the greatest word of the run. The workgroup memory has bytes after its end.
func (m *machine) boundsCheckChunks(first *vcode.Inst, slow Label) Mem {
	words, component := strideOf(first)
	whole := *first
	whole.Key.Aux -= uint64(4 * component)
	bytes := 4 * words * m.f.Form.Lanes * len(first.Defs)
	if h, placed := m.f.Const(first.Uses[0]); words > 2 && !(placed && h == target.HandleShared*target.HandleBytes) {
		bytes += max(0, 4*(chunkWords*(component/chunkWords+1)-words))
	}
	at, _ := m.boundsCheck(&whole, int32(bytes), target.HandleLength, slow)
	return at
}

// wideRecordLoads is stridedLoad for a run of loads.
func (m *machine) wideRecordLoads(list []vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	m.loadChunk(list, slow)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		for i := range list {
			m.gatherParts(&list[i])
		}
		m.Jmp(resume)
	})
}

// loadChunk loads one or more words of a chunk of records. It jumps to slow out of range. The code for four words of 16 lanes:
//
//	words of a record    loads, and permutations
//	4                    4 lines, 4 of two lines and 4 of halves
//	8                    8 lines, 4 of two lines and 8 of quarters
//	others               16 of 128 bits, of which 12 insert, and 8 within 128 bits
//
// A load of 512 bits takes as long as two of 128 bits on Zen 4, and on Intel's cores insertions from memory take no permutation port.
func (m *machine) loadChunk(list []vcode.Inst, slow Label) {
	first := &list[0]
	size, load := first.Words(), m.loadRows
	var words [chunkWords]*vcode.Inst // by number in the chunk
	for i := range list {
		words[list[i].Word()%chunkWords] = &list[i]
	}
	// Whole lines end with the last record, so that the usual check is enough; a chunk may end after it.
	check := func() Mem { return m.boundsCheckStride(first, target.HandleLength, slow) }
	switch {
	case size == 4:
		load = m.loadFourWords
	case size == 8:
		load = m.loadEightWords
	case size < 4, size < 8 && len(list) == 1:
		load = m.loadLines
	default:
		check = func() Mem {
			return plusBytes(m.boundsCheckChunks(first, slow), int32(4*(first.Word()/chunkWords*chunkWords)))
		}
	}
	at := check()
	for part := range first.Defs {
		load(&words, part, at)
		at = plusVectors(at, int32(size))
	}
}

// eachWord defines the results of a part: emit puts the word n of a chunk into a register.
func (m *machine) eachWord(words *[chunkWords]*vcode.Inst, part int, emit func(n int, d Reg, o Opt)) {
	for n, in := range words {
		if in != nil {
			one := partOf(in, part)
			d, o := m.dest(&one, 8)
			emit(n, d, o)
			m.done(&one, d)
		}
	}
}

// loadLines loads words of records of few words from their lines: vectors of consecutive words. Of three words:
//
//	z0, z1, z2            x0 y0 z0 x1 …    z5 x6 …    … z15
//	y of the lanes        0 to 4 from z0, 5 to 10 from z1 (vpermi2d), 11 to 15 from z2 (vpermi2d)
func (m *machine) loadLines(words *[chunkWords]*vcode.Inst, part int, at Mem) {
	first := firstOf(words)
	size := first.Words()
	m.RM(VMOVDQU32, V512, 0, 0, at, 0)
	m.eachWord(words, part, func(n int, d Reg, o Opt) {
		word, have := words[n].Word(), Reg(0)
		for line := 1; line < size; line++ {
			var index [16]uint32
			for lane := range index {
				switch place := lane*size + word; {
				case place/16 == line:
					index[lane] = uint32(16 + place%16)
				case line == 1:
					index[lane] = uint32(place % 16)
				default:
					index[lane] = uint32(lane) // an earlier line, or a later one
				}
			}
			z := Reg(1 + line%2)
			if line == size-1 && o == 0 {
				z = d
			}
			m.RM(VMOVDQU32, V512, z, 0, m.vector(index), 0)
			m.RM(VPERMI2D, V512, z, have, plusVectors(at, int32(line)), 0)
			have = z
		}
		if o != 0 {
			m.RR(VMOVDQA32, V512, d, 0, have, o)
		}
	})
}

// loadFourWords loads records of four words from their lines. A half has eight lanes; each letter is one word of the lanes 0 to 7, or 8 to 15:
//
//	z0, z1     x0 y0    x1 y1    of two lines each (vpermi2d); z2 and z3 the same of z and w
//	results    x0 x1    y0 y1    …
func (m *machine) loadFourWords(words *[chunkWords]*vcode.Inst, part int, at Mem) {
	for half := range Reg(2) {
		line := plusVectors(at, 2*int32(half))
		m.RM(VMOVDQU32, V512, 4, 0, line, 0)
		for pair := range Reg(2) {
			if words[2*pair] == nil && words[2*pair+1] == nil {
				continue
			}
			var index [16]uint32
			for lane := range index {
				index[lane] = uint32(lane%8*4 + lane/8 + 2*int(pair))
			}
			m.RM(VMOVDQU32, V512, 2*pair+half, 0, m.vector(index), 0)
			m.RM(VPERMI2D, V512, 2*pair+half, 4, plusVectors(line, 1), 0)
		}
	}
	m.eachWord(words, part, func(n int, d Reg, o Opt) {
		z := Reg(n / 2 * 2)
		m.RRI(VSHUFF32X4, V512, d, z, z+1, [...]uint8{lowHalves, highHalves}[n%2], o)
	})
}

// loadEightWords loads a chunk of records of eight words from their lines. A quarter has four lanes; each letter is one word of the lanes 0
// to 3, 4 to 7, and so on:
//
//	z0 to z3     x0 y0 z0 w0    x1 y1 z1 w1    x2 …    x3 …    of two lines each (vpermi2d)
//	z4, z5       x0 y0 x1 y1    x2 y2 x3 y3                    z6 and z7 the same of z and w
//	results      x0 x1 x2 x3    y0 y1 y2 y3    …
func (m *machine) loadEightWords(words *[chunkWords]*vcode.Inst, part int, at Mem) {
	chunk := firstOf(words).Word() / chunkWords * chunkWords
	var index [16]uint32
	for lane := range index {
		index[lane] = uint32(lane%4*8 + chunk + lane/4)
	}
	for z := range Reg(4) {
		m.RM(VMOVDQU32, V512, 4, 0, plusVectors(at, 2*int32(z)), 0)
		m.RM(VMOVDQU32, V512, z, 0, m.vector(index), 0)
		m.RM(VPERMI2D, V512, z, 4, plusVectors(at, 2*int32(z)+1), 0)
	}
	if words[0] != nil || words[1] != nil {
		m.RRI(VSHUFF32X4, V512, 4, 0, 1, lowHalves, 0)
		m.RRI(VSHUFF32X4, V512, 5, 2, 3, lowHalves, 0)
	}
	if words[2] != nil || words[3] != nil {
		m.RRI(VSHUFF32X4, V512, 6, 0, 1, highHalves, 0)
		m.RRI(VSHUFF32X4, V512, 7, 2, 3, highHalves, 0)
	}
	m.eachWord(words, part, func(n int, d Reg, o Opt) {
		z := Reg(4 + n/2*2)
		m.RRI(VSHUFF32X4, V512, d, z, z+1, [...]uint8{0x88, 0xdd}[n%2], o)
	})
}

// loadRows loads a chunk of records of any size, 128 bits of each lane, and transposes them as loadRecords of AVX2 does:
//
//	z0 to z3     x0 y0 z0 w0 | x4 y4 z4 w4 | x8 … | x12 …, and so from lane 1, 2 and 3 on
//	z4, z6       x0 x1 y0 y1 | …    x2 x3 y2 y3 | …    z5 and z7 the same of z and w
//	results      x0 x1 x2 x3 | x4 …
func (m *machine) loadRows(words *[chunkWords]*vcode.Inst, part int, at Mem) {
	record := int32(4 * firstOf(words).Words())
	for z := range Reg(4) {
		from := plusBytes(at, record*int32(z))
		m.RM(VMOVUPS, V128, z, 0, from, 0)
		for quarter := int32(1); quarter < 4; quarter++ {
			m.RMI(VINSERTF32X4, V512, z, z, plusBytes(from, 4*record*quarter), uint8(quarter), 0)
		}
	}
	if words[0] != nil || words[1] != nil {
		m.RR(VUNPCKLPS, V512, 4, 0, 1, 0)
		m.RR(VUNPCKLPS, V512, 6, 2, 3, 0)
	}
	if words[2] != nil || words[3] != nil {
		m.RR(VUNPCKHPS, V512, 5, 0, 1, 0)
		m.RR(VUNPCKHPS, V512, 7, 2, 3, 0)
	}
	m.eachWord(words, part, func(n int, d Reg, o Opt) {
		z := Reg(4 + n/2)
		m.RRI(VSHUFPS, V512, d, z, z+2, [...]uint8{lowHalves, highHalves}[n%2], o)
	})
}

// firstOf returns the first access of a chunk.
func firstOf(words *[chunkWords]*vcode.Inst) *vcode.Inst {
	for _, in := range words {
		if in != nil {
			return in
		}
	}
	return nil
}

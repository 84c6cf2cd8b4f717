package amd64

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Stores of several words of the same records, such as the components of a vertex, are emitted together: a whole vector of
// memory is put together from the values and stored once, not once for each word. Records of four words, three of them stored:
//
//	values     x0 x1 x2 …    y0 y1 y2 …    z0 z1 z2 …
//	pairs      x0 y0 x1 y1 …               z0 z1 z2 …
//	vector 0   x0 y0 z0 .  x1 y1 z1 .  …   mask 0x7777

// maxStoreRun is the number of words of a run: four pairs, two fours, a line and two values in memory are all scratch registers.
const maxStoreRun = 8

// storeRun returns the number of instructions at the start of a list that store different words of the same records.
func (m *machine) storeRun(list []vcode.Inst) int {
	if _, wide := m.set.(zmm); !wide || list[0].Op != vcode.StridedStore || list[0].Step*list[0].Stride <= 4 {
		return 1
	}
	n, seen := 1, 1<<list[0].Word()
	for ; n < min(len(list), maxStoreRun); n++ {
		in := &list[n]
		if !sameCheckedRecords(&list[0], in) || seen>>in.Word()&1 != 0 || in.Words() > 2*chunkWords && in.Word()/chunkWords != list[0].Word()/chunkWords {
			break
		}
		seen |= 1 << in.Word()
	}
	return n
}

// sameCheckedRecords reports whether two accesses of one kind are to the same records by the same lanes, with the same bounds check.
func sameCheckedRecords(x, y *vcode.Inst) bool {
	check := func(in *vcode.Inst) vcode.Reg { return in.Uses[len(in.Uses)-1] }
	return x.Op == y.Op && x.Checked == y.Checked && x.Proven == y.Proven && x.SameRecords(y) && (!x.Checked || check(x) == check(y))
}

// wideStrideStores is stridedStore for a run of stores.
func (m *machine) wideStrideStores(list []vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	first := &list[0]
	m.allLanes(first, slow)
	at := m.boundsCheckStride(first, target.HandleWrites, slow)
	run := slices.Clone(list)
	slices.SortFunc(run, func(x, y vcode.Inst) int { return x.Word() - y.Word() })
	m.storeLines(run, at)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		for i := range list {
			m.scatterParts(&list[i])
		}
		m.Jmp(resume)
	})
}

// storedWord names a word of a record: the record is a lane of the part.
type storedWord struct{ record, component int }

// storeLines stores the words of a run, which are in ascending order, in consecutive lines: vectors of memory.
func (m *machine) storeLines(run []vcode.Inst, at Mem) {
	words, _ := strideOf(&run[0])
	whole := 16%words == 0 // no record is in two lines
	switch {
	case words > 2*chunkWords && len(run) > 1:
		// A row has the words of one record, so that the mask is for 128 bits, and the same in all rows.
		lanes := uint64(0)
		for i := range run {
			lanes |= 1 << (run[i].Word() % chunkWords)
		}
		m.MovI(RAX, lanes)
		m.RR(KMOVW_KR, V128, 2, 0, RAX, 0)
	case whole:
		m.storedWords(run, 0)
	}
	for part := range run[0].Masks {
		switch {
		case words > 2*chunkWords && len(run) > 1:
			m.storeRows(run, part, plusBytes(at, int32(4*(run[0].Word()/chunkWords*chunkWords))))
		case whole && len(run) > 1:
			for half := range 2 {
				m.storeRecords(run, part, half, at)
			}
		case whole:
			one := partOf(&run[0], part)
			m.storeSpread(&one, at)
		default:
			for line := range words {
				m.storeLine(run, part, line, at)
			}
		}
		at = plusVectors(at, int32(words))
	}
}

// storeRows stores words of a chunk of great records, 128 bits of each lane: the transposition of loadRows, which is its own inverse. It
// clobbers Z0 to Z8.
func (m *machine) storeRows(run []vcode.Inst, part int, at Mem) {
	o := K(2)
	if len(run) == chunkWords {
		o = 0 // an unmasked store forwards to later loads
	}
	var values [chunkWords]Reg // nothing stores the words without a value
	for n, i := 0, 0; n < chunkWords; n++ {
		if i < len(run) && run[i].Word()%chunkWords == n {
			one := partOf(&run[i], part)
			values[n] = m.vec(one.Uses[4], Reg(n))
			i++
		}
	}
	for pair := range Reg(2) {
		m.RR(VUNPCKLPS, V512, 4+2*pair, values[2*pair], values[2*pair+1], 0)
		m.RR(VUNPCKHPS, V512, 5+2*pair, values[2*pair], values[2*pair+1], 0)
	}
	record := int32(4 * run[0].Words())
	for lane := range int32(4) {
		z := 4 + Reg(lane)/2
		m.RRI(VSHUFPS, V512, 8, z, z+2, [...]uint8{lowHalves, highHalves}[lane%2], 0)
		m.RM(VMOVUPS_ST, V128, 8, 0, plusBytes(at, record*lane), o)
		for quarter := int32(1); quarter < 4; quarter++ {
			m.RMI(VEXTRACTF32X4, V512, 8, 0, plusBytes(at, record*(lane+4*quarter)), uint8(quarter), o)
		}
	}
}

// wordsOf returns the words of a line of records.
func wordsOf(words, line int) (want [16]storedWord) {
	for lane := range want {
		want[lane] = storedWord{(line*16 + lane) / words, (line*16 + lane) % words}
	}
	return want
}

// storeLine stores a line of a part, which may begin and end within a record, word by word of the run. Line 1 of records of three words:
//
//	values         x0 x1 x2 …        y0 y1 y2 …        z0 z1 z2 …
//	x and y        y5 .  x6 y6 .  x7 y7 .  …          vpermi2d
//	x, y and z     y5 z5 x6 y6 z6 x7 y7 z7 …          vpermi2d
//
// So many words of a record cost one permutation less for each line than they are; a scatter costs one micro-operation or more for each lane
// and word. It clobbers Z0 to Z2.
func (m *machine) storeLine(run []vcode.Inst, part, line int, at Mem) {
	words, _ := strideOf(&run[0])
	want := wordsOf(words, line)
	if !m.storedWords(run, line) {
		return
	}
	var z Reg
	var have [16]storedWord
	for k := range run {
		one := partOf(&run[k], part)
		var more [16]storedWord
		for lane := range more {
			more[lane] = storedWord{lane, one.Word()}
		}
		v := m.vec(one.Uses[4], 2)
		if k == 0 {
			z, have = v, more
			if len(run) == 1 {
				z = m.select2(1, z, z, &have, &have, &want)
			} else if v == 2 { // the next value may be in memory too
				m.moveVec(1, v)
				z = 1
			}
			continue
		}
		z = m.select2(Reg((k-1)%2), z, v, &have, &more, &want)
	}
	m.RM(VMOVDQU32_ST, V512, z, 0, plusVectors(at, int32(line)), K(2))
}

// storeRecords stores eight records of a part, for half of its lanes. Four pairs of words are two vectors of four words for each quarter of
// the lanes, so that a line needs one more permutation, not three. It clobbers Z0 to Z8.
func (m *machine) storeRecords(run []vcode.Inst, part, half int, at Mem) {
	words, _ := strideOf(&run[0])
	var pairs [maxStoreRun / 2]Reg
	var holds [len(pairs)][16]storedWord
	n := 0
	for ; 2*n < len(run); n++ {
		pair := run[2*n : min(2*n+2, len(run))]
		pairs[n] = m.pair(pair, part, half, Reg(n), &holds[n])
	}
	if n <= 2 {
		for line := half * words / 2; line < (half+1)*words/2; line++ {
			m.joinLine(pairs[:n], holds[:n], words, line, at)
		}
		return
	}
	// Each quarter of the lanes has four records:
	//
	//	pairs          x0 y0 x1 y1 …         z0 w0 z1 w1 …         the first pairs of eight records
	//	fours[0]       x0 y0 z0 w0  x1 y1 …                        all words of the first two pairs, of four records
	//	fours[1]       the words of the other pairs, or the third pair itself, of eight records
	//	line           x0 y0 z0 w0 and four more words of record 0, and so of record 1
	for quarter := range 2 {
		first := 8*half + 4*quarter
		fours, have := []Reg{4, pairs[2]}, []([16]storedWord){holds[0], holds[2]}
		want := fourWords(run[:4], first)
		m.select2(4, pairs[0], pairs[1], &have[0], &holds[1], &want)
		if n == 4 {
			want = fourWords(run[4:], first)
			fours[1] = m.select2(5, pairs[2], pairs[3], &have[1], &holds[3], &want)
		}
		for line := first * words / 16; line < (first+4)*words/16; line++ {
			m.joinLine(fours, have, words, line, at)
		}
	}
}

// fourWords returns up to four words of each of four records.
func fourWords(run []vcode.Inst, first int) (want [16]storedWord) {
	for lane := range want {
		want[lane] = storedWord{-1, -1}
		if lane%4 < len(run) {
			want[lane] = storedWord{first + lane/4, run[lane%4].Word()}
		}
	}
	return want
}

// joinLine stores a line from one or two registers with its words. It clobbers Z6.
func (m *machine) joinLine(from []Reg, holds [][16]storedWord, words, line int, at Mem) {
	want, have := wordsOf(words, line), holds[0]
	last := len(from) - 1
	z := from[0]
	if last > 0 || have != want {
		z = m.select2(6, z, from[last], &have, &holds[last], &want)
	}
	m.RM(VMOVDQU32_ST, V512, z, 0, plusVectors(at, int32(line)), K(2))
}

// pair returns a register with the words of one or two stores, of eight records if there are two, and says which word each lane holds.
// It uses z if it needs a register.
func (m *machine) pair(list []vcode.Inst, part, half int, z Reg, holds *[16]storedWord) Reg {
	x := partOf(&list[0], part)
	if len(list) == 1 {
		for lane := range holds {
			holds[lane] = storedWord{lane, x.Word()}
		}
		return m.vec(x.Uses[4], z)
	}
	y := partOf(&list[1], part)
	var index [16]uint32
	for lane := range holds {
		record, second := 8*half+lane/2, lane%2
		holds[lane] = storedWord{record, list[second].Word()}
		index[lane] = uint32(16*second + record)
	}
	a, b := m.vec(x.Uses[4], 7), m.vec(y.Uses[4], 8)
	m.RM(VMOVDQU32, V512, z, 0, m.vector(index), 0)
	m.RR(VPERMI2D, V512, z, a, b, 0)
	return z
}

// select2 puts the wanted words of two registers into z, and changes have to the words of z. Other lanes are undefined.
func (m *machine) select2(z, a, b Reg, have, more, want *[16]storedWord) Reg {
	var index [16]uint32
	now := *have
	for lane, w := range want {
		if i := slices.Index(have[:], w); i >= 0 {
			index[lane], now[lane] = uint32(i), w
		} else if i := slices.Index(more[:], w); i >= 0 {
			index[lane], now[lane] = uint32(16+i), w
		} else {
			now[lane] = storedWord{-1, 0}
		}
	}
	*have = now
	m.RM(VMOVDQU32, V512, z, 0, m.vector(index), 0)
	m.RR(VPERMI2D, V512, z, a, b, 0)
	return z
}

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

// maxStoreRun is the number of words of a run: three pairs and two more vectors are all scratch registers.
const maxStoreRun = 6

// storeRun returns the number of instructions at the start of a list that store different words of the same records.
func (m *machine) storeRun(list []vcode.Inst) int {
	if _, wide := m.set.(zmm); !wide || list[0].Op != vcode.StridedStore || list[0].Step*list[0].Stride <= 4 {
		return 1
	}
	n, seen := 1, 1<<list[0].Word()
	for ; n < min(len(list), maxStoreRun); n++ {
		in := &list[n]
		if !sameCheckedRecords(&list[0], in) || seen>>in.Word()&1 != 0 {
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
	words, _ := strideOf(first)
	at := m.boundsCheckStride(first, target.HandleWrites, slow)
	run := slices.Clone(list)
	slices.SortFunc(run, func(x, y vcode.Inst) int { return x.Word() - y.Word() })
	m.storedWords(run)
	for part := range first.Masks {
		for half := range 2 {
			m.storeRecords(run, part, half, at)
		}
		at = plusVectors(at, int32(words))
	}
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

// storeRecords stores eight records of a part, for half of its lanes. It clobbers Z0 to Z4.
func (m *machine) storeRecords(run []vcode.Inst, part, half int, at Mem) {
	words, _ := strideOf(&run[0])
	var pairs [(maxStoreRun + 1) / 2]Reg
	var holds [len(pairs)][16]storedWord
	n := 0
	for ; 2*n < len(run); n++ {
		pair := run[2*n : min(2*n+2, len(run))]
		pairs[n] = m.pair(pair, part, half, Reg(n), &holds[n])
	}
	for line := half * words / 2; line < (half+1)*words/2; line++ {
		var want [16]storedWord
		for lane := range want {
			want[lane] = storedWord{line*16/words + lane/words, lane % words}
		}
		z, have := pairs[0], holds[0]
		for k := 1; k < n; k++ {
			z = m.select2(Reg(3+k%2), z, pairs[k], &have, &holds[k], &want)
		}
		if n == 1 && have != want {
			z = m.select2(3, z, z, &have, &have, &want)
		}
		m.RM(VMOVDQU32_ST, V512, z, 0, plusVectors(at, int32(line)), K(2))
	}
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
	a, b := m.vec(x.Uses[4], 3), m.vec(y.Uses[4], 4)
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

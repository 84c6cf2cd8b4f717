package ptxlower

import (
	"slices"
	"strconv"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// In mma.sp half of the elements of a row of A are 0, and A has only the others, in the layout of an mma with half the k (PTX ISA, "Sparse
// matrix storage"). A chunk of a row has a nibble of metadata, two indices of two bits:
//
//	.f16 .bf16       4 elements, of which 2 are not 0; an index is that of an element
//	.tf32            2 elements, of which 1 is not 0; 0b0100 is the first one, 0b1110 the second
//	8 bits           4 elements, of which 2 are not 0
//	.s4 .u4          8 elements, of which 2 pairs are not 0; an index is that of a pair
//
// The thread of a group of four that has nibble q of row r of the group, and the bit, by the selector F:
//
//	16 and 32 bits   thread n·F + q/4, bit 16r + 4(q mod 4); n is 1 for four nibbles, 2 for eight
//	4 and 8 bits     thread 2F + r + 2(q/8), bit 4(q mod 8); F is 0 for sixteen nibbles

// sparseShapes are the k of the shapes m16n8k of mma.sp, by the type of A.
var sparseShapes = map[string]string{".f16": "16 32", ".bf16": "16 32", ".tf32": "8 16", ".s8": "32 64", ".u8": "32 64", ".e4m3": "64", ".e5m2": "64", ".s4": "64 128", ".u4": "64 128"}

// isSparse reports whether the instruction is mma.sp.
func (e *emitter) isSparse() bool { return e.in.Has(".sp") || e.in.Has(".sp::ordered_metadata") }

// sparseK returns the k of a shape of mma.sp; 0 if it has none for the type of A.
func (e *emitter) sparseK(a string) int {
	for _, m := range e.in.Mods {
		if k, found := strings.CutPrefix(m, ".m16n8k"); found && slices.Contains(strings.Fields(sparseShapes[a]), k) {
			n, _ := strconv.Atoi(k) // a number of the table
			return n
		}
	}
	return 0
}

// sparse emits mma.sp: the sum of the products of the elements of A that are not 0, in their order.
func (e *emitter) sparse(types []string) {
	a := types[1]
	k := e.sparseK(a)
	if k == 0 || !accumulates(types[0], a, types[2]) || types[0] != types[3] || !e.in.Has(".row") || !e.in.Has(".col") {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	if len(e.in.Operands) != 6 {
		malformed(e.in.Pos, "%s has %d operands; must have 6", e.in.Name(), len(e.in.Operands))
	}
	per := matrixElements[a]
	words := k / 2 / per // of a row of A
	s := &sparseMetadata{emitter: e, narrow: per >= 4, nibbles: words}
	if s.narrow {
		s.nibbles = 2 * words
	}
	s.read()
	p := e.matrixProductOf(types)
	rows, columns := e.fragment(1, words/2, p.word), e.fragment(2, words/2, p.word)
	c := e.accumulators(3, types[3], 4)
	group := e.b.Op(ir.And, ir.I32, e.laneID(), e.b.I32(^uint32(3)))
	column := e.b.Op(ir.Shl, ir.I32, e.b.Op(ir.And, ir.I32, e.laneID(), e.b.I32(3)), e.b.I32(3))
	at := func(base ir.V, lane int) ir.V { return e.b.Op(ir.Add, ir.I32, base, e.b.I32(uint32(lane))) }
	for w := range words {
		var y [2][2]ir.V // the words of B of the chunks, by the column
		for n := range 2 {
			for i := range 2 {
				word := 2*w + i
				y[n][i] = e.shuffle(columns[word/4], at(column, 4*n+word%4))
			}
		}
		for r := range 2 {
			x := e.shuffle(rows[2*(w/4)+r], at(group, w%4))
			for n := range 2 {
				c[2*r+n] = p.add(c[2*r+n], x, s.choose(y[n], w, r, per))
			}
		}
	}
	e.writeAccumulators(types[0], e.each(c, p.finish))
}

// sparseMetadata is the metadata of A.
type sparseMetadata struct {
	*emitter
	narrow  bool // elements of 4 and 8 bits
	nibbles int  // of a row
	threads [4]ir.V
	first   int // the first thread of the group that has some
}

// read reads the metadata and the selector.
func (s *sparseMetadata) read() {
	most, step := 3, 1 // of the selector, and the threads for one of its values
	switch {
	case s.nibbles == 8:
		most, step = 1, 2
	case s.nibbles == 16:
		most = 0
	}
	o := s.operand(5)
	selector := s.constantOperand(5)
	if selector > uint64(most) {
		malformed(o.Pos, "the sparsity selector is %d; must be 0 to %d", int64(selector), most)
	}
	s.first = step * int(selector)
	if s.operand(4).Kind == ptx.Immediate {
		malformed(s.operand(4).Pos, "the metadata is a constant; must be a register")
	}
	v := s.emitter.read(s.operand(4), ir.I32)
	group := s.b.Op(ir.And, ir.I32, s.laneID(), s.b.I32(^uint32(3)))
	for i := range s.threads {
		s.threads[i] = s.shuffle(v, s.b.Op(ir.Or, ir.I32, group, s.b.I32(uint32(i))))
	}
}

// index returns an index of a nibble of row r: 0 for the first one.
func (s *sparseMetadata) index(nibble, r, which int) ir.V {
	thread, bit := s.first+nibble/4, 16*r+4*(nibble%4)
	if s.narrow {
		thread, bit = s.first+r+2*(nibble/8), 4*(nibble%8)
	}
	return s.b.Op(ir.BitFieldU, ir.I32, s.threads[thread], s.b.I32(uint32(bit+2*which)), s.b.I32(2))
}

// choose returns the elements of B, of two words, that word w of row r of A is multiplied by.
func (s *sparseMetadata) choose(y [2]ir.V, w, r, per int) ir.V {
	b := s.b
	op := func(o ir.Op, x, y ir.V) ir.V { return b.Op(o, ir.I32, x, y) }
	wordOf := func(i ir.V) ir.V { return b.Select(b.Cmp(ir.ULt, i, b.I32(2)), y[0], y[1]) }
	switch per {
	case 1:
		return wordOf(s.index(w, r, 0))
	case 2:
		var half [2]ir.V
		for i := range half {
			n := s.index(w, r, i)
			half[i] = op(ir.LShr, wordOf(n), op(ir.Shl, op(ir.And, n, b.I32(1)), b.I32(4)))
		}
		return op(ir.Or, op(ir.And, half[0], b.I32(0xffff)), op(ir.Shl, half[1], b.I32(16)))
	}
	v := b.I32(0)
	for i := range 4 { // a byte is an element, or a pair
		n := s.index(2*w+i/2, r, i%2)
		x := op(ir.And, op(ir.LShr, y[i/2], op(ir.Shl, n, b.I32(3))), b.I32(0xff))
		v = op(ir.Or, v, op(ir.Shl, x, b.I32(uint32(8*i))))
	}
	return v
}

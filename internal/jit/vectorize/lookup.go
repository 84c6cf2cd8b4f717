package vectorize

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Table lookup in a register
//
// A load from a table of at most sixteen words at a varying index becomes a permutation of a register that
// holds the whole table, in place of a gather:
//
//	vi = and.i32 vx, 15:i32
//	vo = at 0:i32, vi, #4
//	va = ld.i32 vA, vo, #0           tablelookup va, vA, vx          the index is modulo 16, so no and

// lookupWords is how many words a table has at most, for it to be in one or two registers.
const lookupWords = 16

// lookupIndex returns the index of the word that v loads, modulo lookupWords, if v is a varying load from a
// table of lookupWords at the immediate offset; else 0.
func (w *vectorizer) lookupIndex(v ir.V) ir.V {
	x := w.src.Val(v)
	if x.Op != ir.Ld || x.Aux > maxPairImm || x.Flags&(ir.Volatile|ir.Coherent) != 0 || w.shapes.of[x.Args[1]].kind != varying {
		return 0
	}
	n := ir.V(0)
	off := w.src.Val(x.Args[1])
	constant := func(v ir.V, bits uint64) bool { return w.src.Val(v).Op == ir.Const && w.src.Val(v).Aux == bits }
	switch {
	case off.Op == ir.At && off.Aux == 4 && constant(off.Args[0], 0):
		n = off.Args[1]
	case off.Op == ir.Shl && constant(off.Args[1], 2), off.Op == ir.Mul && constant(off.Args[1], 4):
		n = off.Args[0]
	default:
		return 0
	}
	if w.upperBound(n) >= lookupWords {
		return 0
	}
	if cut := w.src.Val(n); cut.Op == ir.And && constant(cut.Args[1], lookupWords-1) && w.inRegister(cut.Args[0], v) {
		return cut.Args[0]
	}
	if !w.inRegister(n, v) {
		return 0
	}
	return n
}

// byteWords is the size in words of a table with a word for each byte.
const byteWords = 256

// loadsByByte reports whether x loads from a constant table of byteWords words at an index that is a byte.
func (w *vectorizer) loadsByByte(x *ir.Val) bool {
	table, off := w.src.Val(x.Args[0]), w.src.Val(x.Args[1])
	if x.Op != ir.Ld || x.Aux != 0 || table.Op != ir.Table || len(w.p.Tables[table.Aux]) < 4*byteWords || off.Op != ir.At || off.Aux != 4 {
		return false
	}
	begin := w.src.Val(off.Args[0])
	return begin.Op == ir.Const && begin.Aux == 0 && w.upperBound(off.Args[1]) < byteWords
}

// inRegister reports whether the registers of n still hold it at v, which need not use n: v is in the same
// iteration of all loops around the definition, and the next iteration's value of n has other registers.
func (w *vectorizer) inRegister(n, v ir.V) bool {
	return w.accumulators[n] == 0 && w.liveOuts.inside(w.liveOuts.of[v].loop, w.liveOuts.of[n].loop)
}

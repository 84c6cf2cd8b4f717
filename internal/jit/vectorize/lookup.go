package vectorize

import "github.com/chiaro-gpu/chiaro/internal/ir"

// lookupWords is how many words a table has at most for them to be one register, or two.
const lookupWords = 16

// lookupIndex returns the number of the word that lanes which stand in no row load of a table
// of lookupWords from the immediate offset on, or another number that is the same modulo
// lookupWords; 0 (no value) where that is not known.
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

// inRegister reports whether the registers of a value hold it where v stands, which does not
// read it itself: in the same iteration of all loops that it is made in, and where its
// next value lives elsewhere.
func (w *vectorizer) inRegister(n, v ir.V) bool {
	return w.accumulators[n] == 0 && w.liveOuts.inside(w.liveOuts.of[v].loop, w.liveOuts.of[n].loop)
}

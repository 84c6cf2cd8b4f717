package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Runs of record accesses
//
// Lanes access consecutive records if a strided access has more than one word for each lane. Accesses to several words of the
// same records are faster as one: the machine transposes whole records between memory and registers, if the accesses follow each
// other. So later loads move up to the first one, and earlier stores down to the last one:
//
//	stridedload  v1, records, word 0          stridedload  v1, records, word 0
//	lane         v2 = v1 · 2                  stridedload  v4, records, word 1
//	stridedstore v2, records, word 0    →     lane         v2 = v1 · 2
//	stridedload  v4, records, word 1          lane         v5 = v4 · 2
//	lane         v5 = v4 · 2                  stridedstore v2, records, word 0
//	stridedstore v5, records, word 1          stridedstore v5, records, word 1
//
// A load moves over a store of other words of its own records, which cannot write its word, and over stores to private memory, but over no
// other store. A store moves over loads from private memory only to a store of its own chunk, since the values of great records are more than
// the registers. LLVM's machine scheduler clusters memory operations for the same reason.

// maxRecordDistance bounds the instructions that an access moves over.
const maxRecordDistance = 64

// Records of more than twoChunks words have more results than registers. Then only the loads of chunkWords adjacent words, a vector of 128
// bits, are one run.
const (
	chunkWords = 4
	twoChunks  = 2 * chunkWords
)

// sameChunk reports whether two accesses of the same records belong in one run.
func sameChunk(x, y *vcode.Inst) bool {
	return x.Words() <= twoChunks || x.Word()/chunkWords == y.Word()/chunkWords
}

// formRecordRuns makes the accesses to records of each block adjacent. It moves loads only if the machine loads several words of a
// record at once: the results live longer.
func formRecordRuns(f *vcode.Func) {
	for b := range f.Blocks {
		list := f.Blocks[b].Insts
		for i := 0; i < len(list) && f.Form.Records; i++ {
			if in := &list[i]; in.Op == vcode.StridedLoad && in.AccessesRecords() {
				i += raiseLoads(list[i:]) - 1
			}
		}
		for i := len(list) - 1; i >= 0; i-- { // the last stores first, so that the others move to all of them
			if in := &list[i]; in.Op == vcode.StridedStore && in.AccessesRecords() {
				lowerStore(list[i:])
			}
		}
	}
}

// raiseLoads moves the loads of other words of the same records up to the first instruction, a load, and returns the length of the
// run.
func raiseLoads(list []vcode.Inst) int {
	run := 1
	for j := 1; j < min(len(list), maxRecordDistance); j++ {
		in := &list[j]
		if in.AccessesRecords() && in.Op == vcode.StridedLoad && in.SameRecords(&list[0]) && sameChunk(in, &list[0]) && independent(list[run:j], in) {
			load := *in
			copy(list[run+1:j+1], list[run:j])
			list[run] = load
			run++
			continue
		}
		if hasEffect(in) && in.Op != vcode.SlotStore && !(in.AccessesRecords() && in.SameRecords(&list[0])) {
			break
		}
	}
	return run
}

// independent reports whether a load may move up over a list of instructions.
func independent(list []vcode.Inst, load *vcode.Inst) bool {
	for k := range list {
		in := &list[k]
		if in.Op == vcode.StridedStore && in.Word() == load.Word() {
			return false
		}
		if writesOperand(in, load) || slices.ContainsFunc(load.Defs, func(d vcode.Reg) bool {
			return slices.Contains(in.Uses, d) || slices.Contains(in.Masks, d) || slices.Contains(in.Defs, d)
		}) {
			return false
		}
	}
	return true
}

// writesOperand reports whether in writes a register that other reads.
func writesOperand(in, other *vcode.Inst) bool {
	return slices.ContainsFunc(in.Defs, func(d vcode.Reg) bool { return slices.Contains(other.Uses, d) || slices.Contains(other.Masks, d) })
}

// lowerStore moves the first instruction, a store, down to the next store of another word of the same records, if only
// computations, loads of other words of these records and loads from private memory are between them.
func lowerStore(list []vcode.Inst) {
	store, private := &list[0], false
	for j := 1; j < min(len(list), maxRecordDistance); j++ {
		in := &list[j]
		switch same := in.AccessesRecords() && in.SameRecords(store); {
		case same && in.Word() == store.Word():
			return
		case same && in.Op == vcode.StridedStore:
			if private && !sameChunk(in, store) {
				return
			}
			moved := *store
			copy(list, list[1:j])
			list[j-1] = moved
			return
		case !same && !computes(in) && in.Op != vcode.SlotLoad, writesOperand(in, store):
			return
		}
		private = private || in.Op == vcode.SlotLoad
	}
}

// computes reports whether an instruction only computes registers from registers, or the address of an access.
func computes(in *vcode.Inst) bool {
	switch in.Op {
	case vcode.BoundsCheck, vcode.StoreBoundsCheck:
		return !in.Proven && in.WordMask == 0
	case vcode.StridedBase, vcode.Extract, vcode.InputBase, vcode.LinearEnd:
		return true
	}
	return schedulable(in)
}

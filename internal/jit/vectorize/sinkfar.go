package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Sinking into far blocks
//
// A value that only the far block of a branch reads is computed there (partial dead code elimination, Knoop et al. 1994). The vectors of
// an index are an example, if the usual code needs its first lane alone:
//
//	g1 = scalar add g0, 256                g1 = scalar add g0, 256
//	v1 = lane add v0, 256                  jumpifzero ult b1 g1, g2
//	jumpifzero ult b1 g1, g2           →   …
//	…                                      b1: far
//	b1: far                                    v1 = lane add v0, 256
//	    w2 = lane zext v1                      w2 = lane zext v1

// sinkFar moves computations with one use, in the order of a far block, to its start. All their registers are written once, so that they
// have the same values there.
func sinkFar(f *vcode.Func) {
	if !slices.ContainsFunc(f.Blocks, func(b vcode.Block) bool { return b.Far }) {
		return
	}
	// block has, by register, 1 + the block of all its uses, 0 without a use.
	defCount, block := make([]int32, len(f.Classes)), make([]int32, len(f.Classes))
	const several = -1
	for b := range f.Blocks {
		for i := range f.Blocks[b].Insts {
			in := &f.Blocks[b].Insts[i]
			for _, d := range in.Defs {
				defCount[d]++
			}
			for _, r := range slices.Concat(in.Uses, in.Masks) {
				switch block[r] {
				case 0:
					block[r] = int32(b) + 1
				case int32(b) + 1:
				default:
					block[r] = several
				}
			}
		}
	}
	moved := make([][]vcode.Inst, len(f.Blocks)) // last one first
	for b := len(f.Blocks) - 1; b >= 0; b-- {
		list := f.Blocks[b].Insts
		for i := len(list) - 1; i >= 0; i-- {
			in := &list[i]
			if in.Op != vcode.Lane || in.Merging || len(in.Defs) != 1 || hasEffect(in) || in.IR.Is(ir.Reads) || defCount[in.Defs[0]] != 1 {
				continue
			}
			to := block[in.Defs[0]] - 1
			if to < 0 || to == int32(b) || !f.Blocks[to].Far || !writtenOnce(f, in, defCount) {
				continue
			}
			// The far block reads the operands from here on, so that the operands of a moved instruction usually stay.
			moved[to] = append(moved[to], *in)
			for _, r := range slices.Concat(in.Uses, in.Masks) {
				if block[r] != to+1 {
					block[r] = several
				}
			}
			*in = vcode.Inst{Op: vcode.Undef}
		}
	}
	any := false
	for b, list := range moved {
		if len(list) > 0 {
			slices.Reverse(list)
			f.Blocks[b].Insts, any = append(list, f.Blocks[b].Insts...), true
		}
	}
	if any {
		removeIf(f, cleared)
	}
}

// writtenOnce reports whether one instruction writes each operand.
func writtenOnce(f *vcode.Func, in *vcode.Inst, defCount []int32) bool {
	for _, r := range slices.Concat(in.Uses, in.Masks) {
		if _, constant := f.Const(r); !constant && defCount[r] > 1 {
			return false
		}
	}
	return true
}

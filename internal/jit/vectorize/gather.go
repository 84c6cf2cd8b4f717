package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// maxPairDistance bounds how many instructions may stand between two gathers that
// become one.
const maxPairDistance = 64

// maxPairImm bounds the immediate of the second gather.
const maxPairImm = 1 << 20

// mergeGathers makes one gather of two that load words that stand side by side, at the
// same offsets and for the same lanes: components of a vector, or the two texels
// of a row that a filter weights.
func mergeGathers(f *vcode.Func) {
	for b := range f.Blocks {
		pairWords(&f.Blocks[b])
		pairFootprints(&f.Blocks[b])
	}
}

func pairWords(b *vcode.Block) {
	var open []int // gathers that may be the first of a pair
	removed := false
	for i := range b.Insts {
		in := &b.Insts[i]
		switch {
		case in.Op == vcode.Gather && in.Key.Flags&(ir.Volatile|ir.Coherent) == 0:
			k := slices.IndexFunc(open, func(k int) bool { return adjacentWords(b, k, i) })
			if k < 0 {
				open = append(open, i)
				continue
			}
			first := &b.Insts[open[k]]
			first.Defs = append(slices.Clip(first.Defs), in.Defs[0])
			first.Key.Flags &= in.Key.Flags // both are proven, or neither counts as such
			*in = vcode.Inst{Op: vcode.Undef}
			open, removed = slices.Delete(open, k, k+1), true
		case hasEffect(in):
			open = open[:0]
		}
	}
	if removed {
		removeCleared(b)
	}
}

// pairFootprints makes one gather of two of a pair of words each that are known to be
// texels, as of the two rows that a filter weights: what they need is made once.
func pairFootprints(b *vcode.Block) {
	var open []int // pairs that may be the first
	removed := false
	for i := range b.Insts {
		in := &b.Insts[i]
		switch {
		case in.Op == vcode.Gather && len(in.Defs) == 2 && in.Prefetch > 0 && in.Key.Aux <= maxPairImm:
			k := slices.IndexFunc(open, func(k int) bool { return sameFootprint(b, k, i) })
			if k < 0 {
				open = append(open, i)
				continue
			}
			first := &b.Insts[open[k]]
			in.Uses, in.Defs = append(slices.Clip(first.Uses), in.Uses[1]), append(slices.Clip(first.Defs), in.Defs...)
			*first = vcode.Inst{Op: vcode.Undef}
			open, removed = slices.Delete(open, k, k+1), true
		case hasEffect(in):
			open = open[:0]
		}
	}
	if removed {
		removeCleared(b)
	}
}

// sameFootprint reports whether the pairs k and i differ in their offsets alone, and k may
// be loaded where i stands.
func sameFootprint(b *vcode.Block, k, i int) bool {
	first, second := &b.Insts[k], &b.Insts[i]
	if i-k > maxPairDistance || first.Key.Aux != second.Key.Aux || first.Key.Flags != second.Key.Flags || first.Part != second.Part || first.Merging != second.Merging ||
		first.Prefetch != second.Prefetch || first.Uses[0] != second.Uses[0] || !slices.Equal(first.Masks, second.Masks) {
		return false
	}
	for j := k + 1; j <= i; j++ {
		in := &b.Insts[j]
		if slices.ContainsFunc(first.Defs, func(d vcode.Reg) bool {
			return slices.Contains(in.Uses, d) || slices.Contains(in.Masks, d) || slices.Contains(in.Defs, d)
		}) {
			return false
		}
		if j < i && slices.ContainsFunc(in.Defs, func(d vcode.Reg) bool { return slices.Contains(first.Uses, d) || slices.Contains(first.Masks, d) }) {
			return false
		}
	}
	return true
}

// adjacentWords reports whether instruction i loads the words behind those of k, and may
// do so where k stands.
func adjacentWords(b *vcode.Block, k, i int) bool {
	first, second := &b.Insts[k], &b.Insts[i]
	if i-k > maxPairDistance || second.Key.Aux != first.Key.Aux+4 || second.Key.Aux > maxPairImm || first.Part != second.Part || first.Merging != second.Merging ||
		!slices.Equal(first.Uses, second.Uses) || !slices.Equal(first.Masks, second.Masks) {
		return false
	}
	d := second.Defs[0]
	for j := k; j < i; j++ {
		in := &b.Insts[j]
		if slices.Contains(in.Uses, d) || slices.Contains(in.Masks, d) || slices.Contains(in.Defs, d) {
			return false
		}
		for _, r := range in.Defs {
			if slices.Contains(second.Uses, r) || slices.Contains(second.Masks, r) {
				return false
			}
		}
	}
	return true
}

package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Merging of gathers
//
// A bilinear filter loads 2×2 texels at varying offsets. Gathers are the slowest loads, but most of their
// cost is fixed: extracting the offsets and checking the bounds. Two gathers of adjacent words at the same
// offsets become one, and two of such pairs at different offsets (two rows of texels) one again:
//
//	gather v1, h, o1, #0          gather v1 v2, h, o1, #0
//	gather v2, h, o1, #4     →                                →     gather v1 v2 v3 v4, h, o1, o2, #0
//	gather v3, h, o2, #0          gather v3 v4, h, o2, #0
//	gather v4, h, o2, #4
//
// Two pairs at the same offsets, such as a position in a record, become one gather of four words if the machine has it (Form.Fours). So do a
// pair and one word: a gather of three words reads the fourth one too, where it is in range.
//
// It relies on no effect between the loads; none of them is volatile or coherent. Davidson & Jinturkar 1994,
// "Memory access coalescing", merge scalar loads under the same conditions.

// maxPairDistance bounds the instructions between two gathers that are merged.
const maxPairDistance = 64

// maxPairImm bounds the immediate of the second one.
const maxPairImm = 1 << 20

// mergeGathers merges the gathers of each block.
func mergeGathers(f *vcode.Func) {
	for b := range f.Blocks {
		joinGathers(&f.Blocks[b], 1)
		if f.Form.Fours {
			joinGathers(&f.Blocks[b], 2)
		}
		pairFootprints(&f.Blocks[b])
	}
}

// joinGathers merges pairs of gathers of so many adjacent words each, or of so many and of one. A lookup of a byte (loadsByByte) stays one: it loads the whole
// table anyway. Two pairs are no texels, which are near each other, and define all lanes.
func joinGathers(b *vcode.Block, words int) {
	var open []int // candidates for the first of a pair
	removed := false
	for i := range b.Insts {
		in := &b.Insts[i]
		switch {
		case in.Op == vcode.Gather && (len(in.Defs) == words || len(in.Defs) == 1) && !in.Bytes && in.Distances == nil && in.Key.Type.Bits() == 32 && in.Key.Flags&(ir.Volatile|ir.Coherent) == 0 &&
			(words == 1 || in.Prefetch == 0 && !in.Merging):
			k := slices.IndexFunc(open, func(k int) bool { return adjacentWords(b, k, i) })
			if k < 0 {
				if len(in.Defs) == words {
					open = append(open, i)
				}
				continue
			}
			first := &b.Insts[open[k]]
			first.Defs = append(slices.Clip(first.Defs), in.Defs...)
			first.Key.Flags &= in.Key.Flags // proven if both are
			if len(first.Defs) == 3 {
				first.Key.Flags &^= ir.Proven // nothing is known of the fourth word
			}
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

// pairFootprints merges two pairs of words that are proven texels.
func pairFootprints(b *vcode.Block) {
	var open []int // candidates for the first
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

// sameFootprint reports whether the pairs k and i differ in their offsets alone, and pair k may move to i.
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

// adjacentWords reports whether gather i loads the words after the words of gather k, and may move to k.
func adjacentWords(b *vcode.Block, k, i int) bool {
	first, second := &b.Insts[k], &b.Insts[i]
	if i-k > maxPairDistance || second.Key.Aux != first.Key.Aux+4*uint64(len(first.Defs)) || second.Key.Aux > maxPairImm || first.Part != second.Part ||
		first.Merging != second.Merging || first.Quads != second.Quads || !slices.Equal(first.Uses, second.Uses) || !slices.Equal(first.Masks, second.Masks) {
		return false
	}
	// Between the two, nothing may read or write a register of the second, or change its operands.
	for j := k; j < i; j++ {
		in := &b.Insts[j]
		if slices.ContainsFunc(second.Defs, func(d vcode.Reg) bool {
			return slices.Contains(in.Uses, d) || slices.Contains(in.Masks, d) || slices.Contains(in.Defs, d)
		}) {
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

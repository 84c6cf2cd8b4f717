package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// rotateLoops lets the end of a loop stand right behind what alone jumps there,
// so that both become one block: what leaves the loop, and stands between them,
// comes behind the loop.
func rotateLoops(f *vcode.Func) {
	entries := make([]int, len(f.Blocks)) // how many jumps lead to each block
	each(f, func(in *vcode.Inst) {
		if in.Op.Jumps() {
			entries[in.Target]++
		}
	})
	for b := range f.Blocks {
		latch, ok := jumpTarget(f.Blocks[b])
		if !ok || latch <= b+1 || entries[latch] != 1 {
			continue
		}
		if _, ok := jumpTarget(f.Blocks[latch-1]); !ok && !returns(f.Blocks[latch-1]) { // it is run into
			continue
		}
		after, ok := latchEnd(f, latch, b)
		if ok && !jumpsOutBefore(f.Blocks[b+1:latch], after) {
			moveBlocks(f, b+1, latch, after)
			entries = swapRuns(entries, b+1, latch, after)
		}
	}
}

// jumpTarget returns where a block jumps in its end in any case.
func jumpTarget(b vcode.Block) (target int, ok bool) {
	if n := len(b.Insts); n > 0 && b.Insts[n-1].Op == vcode.Jump {
		return b.Insts[n-1].Target, true
	}
	return 0, false
}

func returns(b vcode.Block) bool {
	n := len(b.Insts)
	return n > 0 && b.Insts[n-1].Op == vcode.Return
}

// latchEnd returns the first block behind the run of blocks from latch on, which
// jumps back to a block no later than b.
func latchEnd(f *vcode.Func, latch, b int) (after int, ok bool) {
	for n := latch; n < len(f.Blocks) && !returns(f.Blocks[n]); n++ {
		if target, ok := jumpTarget(f.Blocks[n]); ok {
			return n + 1, target <= b
		}
	}
	return 0, false
}

// jumpsOutBefore reports whether any of the blocks jumps to one before block b.
func jumpsOutBefore(list []vcode.Block, b int) bool {
	return slices.ContainsFunc(list, func(x vcode.Block) bool {
		return slices.ContainsFunc(x.Insts, func(in vcode.Inst) bool { return in.Op.Jumps() && in.Target < b })
	})
}

// swapRuns is a list whose elements from middle up to behind stand before those
// from first up to middle.
func swapRuns[T any](list []T, first, middle, end int) []T {
	return slices.Concat(list[:first], list[middle:end], list[first:middle], list[end:])
}

// moveBlocks reorders blocks as rotated does, and with them where jumps lead.
func moveBlocks(f *vcode.Func, first, middle, end int) {
	f.Blocks = swapRuns(f.Blocks, first, middle, end)
	each(f, func(in *vcode.Inst) {
		switch t := in.Target; {
		case !in.Op.Jumps() || t < first || t >= end:
		case t < middle:
			in.Target = t + end - middle
		default:
			in.Target = t - (middle - first)
		}
	})
}

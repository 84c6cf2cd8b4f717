package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Loop rotation
//
// The vectorizer emits a loop's exits before its end. If a block of the body alone jumps to the end, the
// end moves right after it, and the exit code between them moves out of the loop. The jump disappears, and
// both blocks become one, in which coalesce finds the parameters and their next values:
//
//	top:   …                          top:   …
//	       jump latch                 latch: …
//	exit:  …                   →             jump top
//	       jump after                 exit:  …
//	latch: …                                 jump after
//	       jump top
//
// It is loop inversion (Muchnick 1997) at the level of blocks. LLVM does the like in its block placement.

// rotateLoops moves the ends of loops, in place.
func rotateLoops(f *vcode.Func) {
	entries := make([]int, len(f.Blocks)) // number of jumps to each block
	f.Each(func(in *vcode.Inst) {
		if in.Op.Jumps() {
			entries[in.Target]++
		}
	})
	for b := range f.Blocks {
		latch, ok := jumpTarget(f.Blocks[b])
		if !ok || latch <= b+1 || entries[latch] != 1 {
			continue
		}
		if _, ok := jumpTarget(f.Blocks[latch-1]); !ok && !returns(f.Blocks[latch-1]) { // fall-through
			continue
		}
		after, ok := latchEnd(f, latch, b)
		if ok && !jumpsOutBefore(f.Blocks[b+1:latch], after) {
			moveBlocks(f, b+1, latch, after)
			entries = swapRuns(entries, b+1, latch, after)
		}
	}
}

// jumpTarget returns the target of the unconditional jump at the end of a block, if it has one.
func jumpTarget(b vcode.Block) (target int, ok bool) {
	if n := len(b.Insts); n > 0 && b.Insts[n-1].Op == vcode.Jump {
		return b.Insts[n-1].Target, true
	}
	return 0, false
}

// returns reports whether a block ends with a return.
func returns(b vcode.Block) bool {
	n := len(b.Insts)
	return n > 0 && b.Insts[n-1].Op == vcode.Return
}

// latchEnd returns the block after the run of blocks from latch on that ends with an unconditional jump. It
// returns true if that jump goes back to block b or before.
func latchEnd(f *vcode.Func, latch, b int) (after int, ok bool) {
	for n := latch; n < len(f.Blocks) && !returns(f.Blocks[n]); n++ {
		if target, ok := jumpTarget(f.Blocks[n]); ok {
			return n + 1, target <= b
		}
	}
	return 0, false
}

// jumpsOutBefore reports whether any of the blocks jumps to a block before b.
func jumpsOutBefore(list []vcode.Block, b int) bool {
	return slices.ContainsFunc(list, func(x vcode.Block) bool {
		return slices.ContainsFunc(x.Insts, func(in vcode.Inst) bool { return in.Op.Jumps() && in.Target < b })
	})
}

// swapRuns returns a list with the elements from middle to end before those from first to middle.
func swapRuns[T any](list []T, first, middle, end int) []T {
	return slices.Concat(list[:first], list[middle:end], list[first:middle], list[end:])
}

// moveBlocks reorders blocks as swapRuns does, and adjusts the targets of jumps.
func moveBlocks(f *vcode.Func, first, middle, end int) {
	f.Blocks = swapRuns(f.Blocks, first, middle, end)
	f.Each(func(in *vcode.Inst) {
		switch t := in.Target; {
		case !in.Op.Jumps() || t < first || t >= end:
		case t < middle:
			in.Target = t + end - middle
		default:
			in.Target = t - (middle - first)
		}
	})
}

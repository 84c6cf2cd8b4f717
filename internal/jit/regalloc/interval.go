package regalloc

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// An instruction with number i reads at 2i and writes at 2i+1.

// interval is where a register holds something: from start to end, both
// included. The zero interval is that of a register without mention.
type interval struct {
	start, end int32
	weight     float32 // of its mentions
	loop       int32   // the innermost loop that contains all mentions, or None
	first      int32   // the innermost loop that contains the first mention, or None
	fresh      bool    // its first mention writes it whole
	carried    bool    // it goes round a loop: what one iteration makes of it the next begins with
	seen       bool
}

// loop is a run of instructions that jumps back to its first.
type loop struct {
	first, last int32 // instructions
	parent      int32
	depth       int32
}

// loops finds the loops of the function, outer ones first, and the innermost
// loop of each block. A loop lasts at least as long as those that begin in it.
func (a *Analysis) loops() {
	starts := make([]int32, len(a.f.Blocks)+1)
	n := int32(0)
	for b := range a.f.Blocks {
		starts[b] = n
		n += int32(len(a.f.Blocks[b].Insts))
	}
	starts[len(a.f.Blocks)] = n
	last := make([]int32, len(a.f.Blocks)) // the last block that jumps back to this one
	for b := range a.f.Blocks {
		last[b] = None
		for i := range a.f.Blocks[b].Insts {
			if in := &a.f.Blocks[b].Insts[i]; in.Op.Jumps() && in.Target <= b {
				last[in.Target] = int32(b)
			}
		}
	}
	a.loopOf = make([]int32, len(a.f.Blocks))
	current := int32(None)
	for b := range a.f.Blocks {
		for current != None && a.loop[current].last < starts[b] {
			current = a.loop[current].parent
		}
		if last[b] != None {
			l := loop{first: starts[b], last: starts[last[b]+1] - 1, parent: current}
			if current != None {
				l.depth = a.loop[current].depth + 1
			}
			for p := current; p != None; p = a.loop[p].parent {
				a.loop[p].last = max(a.loop[p].last, l.last)
			}
			current = int32(len(a.loop))
			a.loop = append(a.loop, l)
		}
		a.loopOf[b] = current
	}
}

// common returns the innermost loop that contains two.
func (a *Analysis) common(x, y int32) int32 {
	for x != y {
		switch {
		case x == None || y == None:
			return None
		case a.loop[x].depth >= a.loop[y].depth:
			x = a.loop[x].parent
		default:
			y = a.loop[y].parent
		}
	}
	return x
}

// maxDepth bounds what a use in nested loops counts for.
const maxDepth = 6

// mentions walks the code twice: the first time finds where registers are
// mentioned first and in which loop, the second how long they live.
func (a *Analysis) mentions() {
	weights := [maxDepth + 2]float32{1}
	for i := 1; i < len(weights); i++ {
		weights[i] = 8 * weights[i-1]
	}
	a.walk(func(pos, l int32, in *vcode.Inst) {
		w := weights[0]
		if l != None {
			w = weights[min(a.loop[l].depth, maxDepth)+1]
		}
		if a.machine.Inside != nil {
			a.inside += w * a.machine.Inside(in)
		}
		for _, r := range in.Uses {
			a.first(r, 2*pos, l, w, false)
		}
		for _, r := range in.Masks {
			a.first(r, 2*pos, l, w, false)
		}
		for _, r := range in.Defs {
			at := 2*pos + 1
			if in.Merging {
				at = 2 * pos
			}
			a.first(r, at, l, w, !in.Merging)
		}
	})
	a.walk(func(pos, l int32, in *vcode.Inst) {
		for _, r := range in.Uses {
			a.extend(r, 2*pos, l)
		}
		for _, r := range in.Masks {
			a.extend(r, 2*pos, l)
		}
		for _, r := range in.Defs {
			a.extend(r, 2*pos+1, l)
			if i := &a.intervals[r]; l != None && i.start < 2*a.loop[l].first {
				i.carried = true
			}
		}
	})
	a.walk(func(pos, l int32, in *vcode.Inst) {
		if in.Op == vcode.Copy && len(in.Uses) == 1 && l != None && a.intervals[in.Defs[0]].carried {
			a.intervals[in.Uses[0]].carried = true
		}
	})
}

func (a *Analysis) walk(do func(pos, loop int32, in *vcode.Inst)) {
	pos := int32(0)
	for b := range a.f.Blocks {
		insts := a.f.Blocks[b].Insts
		for i := range insts {
			do(pos, a.loopOf[b], &insts[i])
			pos++
		}
	}
}

// first notes a mention at pos in a loop.
func (a *Analysis) first(r vcode.Reg, pos, l int32, w float32, whole bool) {
	i := &a.intervals[r]
	if !i.seen {
		*i = interval{start: pos, end: pos, loop: l, first: l, fresh: whole, seen: true}
	} else {
		i.loop = a.common(i.loop, l)
	}
	i.weight += w
}

// extend makes the interval reach a mention at pos in loop l, and to the end
// of the outermost loop that contains the mention but not the start. A register
// that is read before it is written, or of which lanes are kept, lives through
// the whole loop: the innermost around all mentions, or where some are behind
// all loops, the outermost around the first. It begins before the first
// instruction, where it already holds what the turn before left.
func (a *Analysis) extend(r vcode.Reg, pos, l int32) {
	i := &a.intervals[r]
	if !i.fresh {
		whole := i.loop
		for p := i.first; whole == None && p != None; p = a.loop[p].parent {
			if a.loop[p].parent == None {
				whole = p
			}
		}
		if whole != None {
			i.start = min(i.start, 2*a.loop[whole].first-1)
			i.end = max(i.end, 2*a.loop[whole].last+1)
		}
	}
	for ; l != None && 2*a.loop[l].first > i.start; l = a.loop[l].parent {
		pos = max(pos, 2*a.loop[l].last+1)
	}
	i.end = max(i.end, pos)
}

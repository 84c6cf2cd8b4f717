package regalloc

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// Positions: instruction i reads its operands at position 2i and writes its results at position 2i+1, so that
// a result may share a register with an operand that dies there.

// interval is the live interval of a register: the positions from start to end, both included. The zero
// interval is that of a register without mentions.
type interval struct {
	start, end   int32
	weight       float32 // the number of mentions, each times 8 for each level of loop nesting, and times farWeight in a far block
	commonLoop   int32   // innermost loop that contains all mentions, or None
	firstLoop    int32   // innermost loop that contains the first mention, or None
	definedFirst bool    // the first mention is a definition of all lanes
	loopCarried  bool    // an iteration of a loop reads the value of the previous one
	mentioned    bool
	pinned       bool // it is a copy of a constant (Machine.Pinned)
}

// loop is a range of instructions with a back edge from inside it to the first one.
type loop struct {
	first, last int32 // indices of instructions
	parent      int32
	depth       int32
	root        int32 // the outermost loop that contains it
	jump        int32 // a loop that contains it, or None; see climb
	end         int32 // the loops inside have the numbers from the next one to this one, exclusive
}

// climb returns the outermost loop among l and the loops around it for which inside is true. inside must be true for l.
// If it is false for a loop, it must be false for all loops around that loop. The cost is logarithmic in the depth, with
// the jump pointers of Myers 1983 ("An applicative random-access stack").
func (a *Analysis) climb(l int32, inside func(*loop) bool) int32 {
	for {
		switch x := &a.loops[l]; {
		case x.jump != None && inside(&a.loops[x.jump]):
			l = x.jump
		case x.parent != None && inside(&a.loops[x.parent]):
			l = x.parent
		default:
			return l
		}
	}
}

// addLoop adds a loop in loop parent, or None.
func (a *Analysis) addLoop(first, last, parent int32) int32 {
	n := int32(len(a.loops))
	l := loop{first: first, last: last, parent: parent, root: n, jump: None}
	if parent != None {
		p := &a.loops[parent]
		l.depth, l.root, l.jump = p.depth+1, p.root, parent
		if j := p.jump; j != None && a.loops[j].jump != None && p.depth-a.loops[j].depth == a.loops[j].depth-a.loops[a.loops[j].jump].depth {
			l.jump = a.loops[j].jump
		}
	}
	a.loops = append(a.loops, l)
	return n
}

// leave closes a loop: the loop around it does not end before it. It returns that loop.
func (a *Analysis) leave(l int32) int32 {
	x := &a.loops[l]
	x.end = int32(len(a.loops))
	if x.parent != None {
		a.loops[x.parent].last = max(a.loops[x.parent].last, x.last)
	}
	return x.parent
}

// findLoops finds the loops of the function, outer ones first, and the innermost loop of each block. A loop
// is the range from a block to the last jump back to it. If two loops overlap, the one that begins first is
// extended to the end of the other, so that loops nest.
func (a *Analysis) findLoops() {
	starts := make([]int32, len(a.f.Blocks)+1)
	n := int32(0)
	for b := range a.f.Blocks {
		starts[b] = n
		n += int32(len(a.f.Blocks[b].Insts))
	}
	starts[len(a.f.Blocks)] = n
	last := make([]int32, len(a.f.Blocks)) // of each block: the last block that jumps back to it
	for b := range a.f.Blocks {
		last[b] = None
		for i := range a.f.Blocks[b].Insts {
			if in := &a.f.Blocks[b].Insts[i]; in.Op.Jumps() && in.Target <= b {
				last[in.Target] = int32(b)
			}
		}
	}
	a.blockLoop = make([]int32, len(a.f.Blocks))
	current := int32(None)
	for b := range a.f.Blocks {
		for current != None && a.loops[current].last < starts[b] {
			current = a.leave(current)
		}
		if last[b] != None {
			current = a.addLoop(starts[b], starts[last[b]+1]-1, current)
		}
		a.blockLoop[b] = current
	}
	for current != None {
		current = a.leave(current)
	}
}

// commonLoop returns the innermost loop that contains the loops x and y, or None. Loops are numbered before
// the loops inside them.
func (a *Analysis) commonLoop(x, y int32) int32 {
	if x == None || y == None || a.loops[x].root != a.loops[y].root {
		return None
	}
	x, y = min(x, y), max(x, y)
	if y < a.loops[x].end {
		return x
	}
	return a.loops[a.climb(x, func(l *loop) bool { return y >= l.end })].parent
}

// maxDepth limits the loop depth in weights. The outermost loop has depth 0.
const maxDepth = 6

// farWeight is the factor of the weight of a mention in a far block: less than one for each level of loops that a far block may have, so
// that its loops do not take the registers of the code that usually runs.
const farWeight = 1.0 / (1 << 12)

// buildIntervals computes the live intervals in three walks over the code. The first finds the first mention of
// each register, and the loops; the second extends the interval over all mentions. The third marks the
// sources of copies into loop-carried registers as loop-carried too: they are the other half of a loop's phi.
func (a *Analysis) buildIntervals() {
	weights := [maxDepth + 2]float32{1}
	for i := 1; i < len(weights); i++ {
		weights[i] = 8 * weights[i-1]
	}
	a.walk(func(pos, b int32, in *vcode.Inst) {
		w, l := weights[0], a.blockLoop[b]
		if l != None {
			w = weights[min(a.loops[l].depth, maxDepth)+1]
		}
		if a.f.Blocks[b].Far {
			w *= farWeight
		}
		if a.machine.InternalMentions != nil {
			a.internalWeight += w * a.machine.InternalMentions(in)
		}
		for _, r := range in.Uses {
			a.noteMention(r, 2*pos, l, w, false)
		}
		for _, r := range in.Masks {
			a.noteMention(r, 2*pos, l, w, false)
		}
		for _, r := range in.Defs {
			at := 2*pos + 1
			if in.Merging {
				at = 2 * pos
			}
			a.noteMention(r, at, l, w, !in.Merging)
		}
	})
	a.walk(func(pos, b int32, in *vcode.Inst) {
		l := a.blockLoop[b]
		for _, r := range in.Uses {
			a.extend(r, 2*pos, l)
		}
		for _, r := range in.Masks {
			a.extend(r, 2*pos, l)
		}
		for _, r := range in.Defs {
			a.extend(r, 2*pos+1, l)
			if i := &a.intervals[r]; l != None && i.start < 2*a.loops[l].first {
				i.loopCarried = true
			}
		}
	})
	a.walk(func(pos, b int32, in *vcode.Inst) {
		if in.Op == vcode.Copy && len(in.Uses) == 1 && a.blockLoop[b] != None && a.intervals[in.Defs[0]].loopCarried {
			a.intervals[in.Uses[0]].loopCarried = true
		}
	})
}

func (a *Analysis) walk(do func(pos, block int32, in *vcode.Inst)) {
	pos := int32(0)
	for b := range a.f.Blocks {
		insts := a.f.Blocks[b].Insts
		for i := range insts {
			a.f.Form.Arena.Poll()
			do(pos, int32(b), &insts[i])
			pos++
		}
	}
}

// noteMention records a mention of r at pos in loop l with weight w. full reports whether it defines all
// lanes.
func (a *Analysis) noteMention(r vcode.Reg, pos, l int32, w float32, full bool) {
	i := &a.intervals[r]
	if !i.mentioned {
		*i = interval{start: pos, end: pos, commonLoop: l, firstLoop: l, definedFirst: full, mentioned: true}
	} else {
		i.commonLoop = a.commonLoop(i.commonLoop, l)
	}
	i.weight += w
}

// extend extends the interval of r to a mention at pos in loop l, and further to the end of the outermost
// loop that contains the mention but not the start of the interval: the next iteration may read the value
// again.
//
// A register with a first mention that does not define all its lanes is live through a whole loop, because it
// holds a value of the previous iteration there: the innermost loop that contains all mentions or, if some
// are after the loops, the outermost loop that contains the first mention. Its interval begins before the
// first instruction of that loop, at an odd position, so that a call at the loop's head saves it.
func (a *Analysis) extend(r vcode.Reg, pos, l int32) {
	i := &a.intervals[r]
	if !i.definedFirst {
		outer := i.commonLoop
		if outer == None && i.firstLoop != None {
			outer = a.loops[i.firstLoop].root
		}
		if outer != None {
			i.start = min(i.start, 2*a.loops[outer].first-1)
			i.end = max(i.end, 2*a.loops[outer].last+1)
		}
	}
	if l != None && 2*a.loops[l].first > i.start {
		outer := a.climb(l, func(l *loop) bool { return 2*l.first > i.start })
		pos = max(pos, 2*a.loops[outer].last+1)
	}
	i.end = max(i.end, pos)
}

package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Divergence analysis
//
// Finds the shape of every value (shape.go), and the loops, ifs and branches at which the lanes of a strip
// part (Karrenberg & Hack 2012; Sampaio et al. 2013 add affine values). Uniform values are computed once
// and uniform branches become jumps, so this analysis decides most of the speed of the code.
//
// It is an abstract interpretation of the structured code. The walk executes the code once, in order, with
// a symbolic set of active lanes in place of each mask. Sets have numbers: equal numbers are equal sets,
// and 0 is the empty set. A varying condition splits the current set into two new ones; a region that all
// its lanes leave together restores the set it began with:
//
//	                           vn uniform              vn varying
//	loop L3(i = 0) {           set 1                   set 2, new in each iteration
//		c = ule.i32 vn, i      uniform                 varying
//		if c { br L2(i) }      all of set 1 or none    a part of set 2: L3 is divergent,
//		j = add.i32 i, 1:i32                           so i is varying after the loop
//		br L3(j)
//	}
//
// Values become varying in three ways: from the operation (transfer.go), at a label that lanes reach by
// branches with different arguments (sync dependence), and by a use outside of a divergent loop (temporal
// divergence). The branches of later iterations feed back into the loop, so the walk repeats until nothing
// changes. Shapes only move up the lattice; if that is not over after maxRounds, everything becomes
// varying.
//
// It relies on the structured control flow of verified programs. It establishes: in every execution of the
// definition all active lanes of a strip get values in the relation of the shape, and all lanes that read
// the value are among them.

// maxRounds bounds the walks before the analysis assumes the worst.
const maxRounds = 12

// divergence is the analysis of one function, and its result.
type divergence struct {
	f        *ir.Func
	p        *ir.Program
	lanes    uint32 // of a part
	liveOuts *liveOuts
	assumed  *assumptions
	of       []shape // the result, by value

	// Results for control flow, by opener. All are false or 0 for other values.
	divergent    []bool          // a loop that its lanes leave in different iterations
	reconverges  []bool          // a block: all its lanes reach its end, or none
	convergent   []bool          // a label to which every branch brings all lanes of the region
	partialExit  []bool          // an if that some but not all of its lanes leave for an outer label
	branchRegion []ir.V          // by br, switch or kill: the outermost region with all its lanes active there, or 0
	together     []togetherLanes // by ir.Count and ir.CountEdge; nil without counters
	branches     []int32         // of a label: how many branches lead to it
	changed      bool            // a shape or loop changed in this walk

	// State of the walk.
	set, sets int           // the active lanes, and the latest number of a set; 0 is the empty set
	reached   []bool        // parameters that have got an argument in this walk
	open      []*openRegion // innermost last
	regions   []*openRegion // by opener
	arena     *arena
}

// togetherLanes are the lanes that execute a counter in a loop together.
type togetherLanes uint8

const (
	iterationLanes togetherLanes = 1 + iota // all lanes of an iteration of the only loop around it
	steadyLanes                             // all lanes of the outermost loop
)

// openRegion is the state of an open block, loop or if in the walk.
type openRegion struct {
	v           ir.V
	op          ir.Op
	entry       int    // the set that entered; for a loop, the set of an iteration
	split       bool   // of an if: the condition is varying
	arm, other  int    // of an if: the sets at the start of both arms
	out         int    // of an if: the set at the end of the first arm
	second      bool   // of an if: in the second arm
	branches    int32  // of a label: how many branches lead to it
	first       ir.V   // the first of them
	partial     bool   // one of them brings a part of the entry set
	partialExit bool   // some but not all lanes left it for an outer label
	sameArgs    []bool // by parameter: all branches bring the same value
	loop        ir.V   // the loop around it, or 0
	index       int    // in divergence.open
	run         int    // index of the outermost region of an unbroken run, which ends here, with the same entry set
	left        int    // if partialExit: all regions between this index and the region are partialExit, too
}

// analyzeDivergence analyses f for parts of so many lanes. The result holds for strips in which the
// assumptions a are true; nil assumes nothing.
func analyzeDivergence(p *ir.Program, f *ir.Func, liveOuts *liveOuts, lanes uint32, a *assumptions, mem *arena) *divergence {
	n := len(f.Vals)
	s := &divergence{
		f: f, p: p, lanes: lanes, liveOuts: liveOuts, assumed: a, of: mem.shapes.Alloc(n), branches: mem.numbers.Alloc(n),
		partialExit: mem.flags.Alloc(n), divergent: mem.flags.Alloc(n), reconverges: mem.flags.Alloc(n), convergent: mem.flags.Alloc(n), branchRegion: mem.labels.Alloc(n),
		reached: mem.flags.Alloc(n), regions: mem.regionsByOpener.Alloc(n), arena: mem,
	}
	for i := range f.Vals {
		if x := &f.Vals[i]; x.Op == ir.Arg || x.Op == ir.Result {
			s.of[i].kind = varying
		}
	}
	for round := 0; ; round++ {
		s.changed = false
		s.walk()
		if !s.changed || !liveOuts.hasLoops { // without loops no walk depends on an earlier one
			return s
		}
		if round == maxRounds {
			s.assumeDivergent()
		}
	}
}

// assumeDivergent makes every value varying and every loop divergent, which is always sound.
func (s *divergence) assumeDivergent() {
	for i := range s.of {
		if s.f.Vals[i].Op != ir.Const {
			s.of[i].kind = varying
		}
	}
	for _, v := range s.f.Code {
		if s.f.Val(v).Op == ir.Loop {
			s.divergent[v] = true
		}
	}
}

// raise moves the shape of v up to one that includes x.
func (s *divergence) raise(v ir.V, x shape) {
	old := s.of[v]
	if old == x || old.kind > x.kind || old.kind == varying {
		return
	}
	if x.kind == uniform { // its alignment follows from the operands in each walk; parameters have none
		s.of[v].align = x.align
		return
	}
	if old.kind == x.kind {
		x = old.join(x)
		if x == old {
			return
		}
	}
	s.of[v] = x
	s.changed = true
}

// newSet returns the number of a new set of lanes.
func (s *divergence) newSet() int {
	s.sets++
	return s.sets
}

// walk executes the code once.
func (s *divergence) walk() {
	s.set, s.sets = 1, 1
	clear(s.reached)
	clear(s.reconverges)
	clear(s.convergent)
	loop, outermost, entered := ir.V(0), ir.V(0), 0 // entered is the set of an iteration of the outermost loop
	for _, v := range s.f.Code {
		x := s.f.Val(v)
		if x.Op != ir.Br && x.Op != ir.Loop {
			s.operands(v, x, loop)
		}
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			s.beginRegion(v, loop)
			if x.Op == ir.Loop {
				if loop == 0 {
					outermost, entered = v, s.set
				}
				loop = v
			}
		case ir.Else:
			r := s.open[len(s.open)-1]
			r.out, r.second = s.set, true
			s.set = r.other
		case ir.End:
			loop = s.endRegion(loop)
		case ir.Br:
			s.branchRegion[v] = s.convergentRegion()
			s.branch(v, x.Args[0], s.f.BrArgs(v), s.set, loop)
			s.set = 0
		case ir.Switch:
			s.switchBranches(v, loop)
		case ir.Kill:
			s.branchRegion[v] = s.convergentRegion()
			s.noteExit(s.set, nil)
			s.set = 0
		case ir.Call:
			if s.p.Effects.Discards {
				s.set = s.newSet()
				s.noteExit(s.set, nil)
			}
		case ir.Count, ir.CountEdge:
			if s.together == nil {
				s.together = make([]togetherLanes, len(s.f.Vals))
			}
			switch s.together[v] = 0; {
			case loop == 0 || s.set != entered:
			case !s.divergent[outermost]:
				s.together[v] = steadyLanes
			case loop == outermost:
				s.together[v] = iterationLanes
			}
		default:
			if x.Op.HasResult() {
				s.raise(v, s.result(v))
			}
		}
	}
	for _, v := range s.f.Results() {
		s.raise(v, shape{kind: varying})
	}
}

// operands uses all operands of v, in loop l.
func (s *divergence) operands(v ir.V, x *ir.Val, l ir.V) {
	for i := range x.Op.Args() {
		s.use(x.Args[i], l)
	}
	for _, a := range s.f.Listed(v) {
		s.use(a, l)
	}
}

// use makes a varying if the use in loop l is temporally divergent.
func (s *divergence) use(a, l ir.V) {
	if s.temporallyDivergent(a, l) {
		s.raise(a, shape{kind: varying})
	}
}

// temporallyDivergent reports whether a use of a in loop l may read values of different iterations in
// different lanes: a divergent loop contains the definition but not the use.
func (s *divergence) temporallyDivergent(a, l ir.V) bool {
	if s.f.Val(a).Op == ir.Const {
		return false
	}
	for x := s.liveOuts.of[a].loop; x != 0 && !s.liveOuts.inside(l, x); x = s.liveOuts.parent[x] {
		if s.divergent[x] {
			return true
		}
	}
	return false
}

// beginRegion opens a region in the given loop, with the current set.
func (s *divergence) beginRegion(v, loop ir.V) {
	x := s.f.Val(v)
	r := s.regions[v]
	if r == nil {
		r = &s.arena.openRegions.Alloc(1)[0]
		s.regions[v] = r
	}
	*r = openRegion{v: v, op: x.Op, entry: s.set, loop: loop, sameArgs: r.sameArgs}
	switch x.Op {
	case ir.If:
		r.arm, r.other = s.set, s.set
		if _, taken := s.assumed.arm(v); !taken && s.of[x.Args[0]].kind != uniform {
			r.split, r.arm, r.other = true, s.newSet(), s.newSet()
		}
		s.set = r.arm
	case ir.Loop:
		params := s.f.Params(v)
		for i, a := range s.f.Inits(v) {
			s.use(a, loop)
			s.flowInto(params[i], a, loop)
		}
		if s.divergent[v] {
			s.set = s.newSet()
		}
		r.entry = s.set
		fallthrough
	default:
		if r.sameArgs == nil {
			r.sameArgs = s.arena.flags.Alloc(int(x.Aux))
		}
		for i := range r.sameArgs {
			r.sameArgs[i] = true
		}
	}
	r.index, r.run = len(s.open), len(s.open)
	if r.index > 0 && s.open[r.index-1].entry == r.entry {
		r.run = s.open[r.index-1].run
	}
	s.open = append(s.open, r)
}

// flowInto merges argument a, used in the given loop, into parameter p, as at a phi.
func (s *divergence) flowInto(p, a, loop ir.V) {
	x := s.of[a]
	if x.kind == address || s.temporallyDivergent(a, loop) {
		x = shape{kind: varying}
	}
	if x.kind == strided && s.of[p].kind == uniform && s.reached[p] || x.kind == uniform && s.of[p].kind == strided {
		x = shape{kind: varying} // uniform from one branch, strided from another
	}
	s.reached[p] = true
	if x.kind == uniform {
		x.align = 0
	}
	s.raise(p, x)
}

// switchBranches sends the current set to the labels of a switch.
func (s *divergence) switchBranches(v, loop ir.V) {
	x := s.f.Val(v)
	s.branchRegion[v] = s.convergentRegion()
	list := s.f.Cases(v)
	labels := []ir.V{x.Args[1]}
	for i := 1; i < len(list); i += 2 {
		labels = append(labels, list[i])
	}
	for _, l := range labels {
		set := s.set
		if s.of[x.Args[0]].kind != uniform {
			set = s.newSet()
		}
		s.branch(v, l, nil, set, loop)
	}
	s.set = 0
}

// branch sends a set with arguments to a label. loop is the loop around the branch.
func (s *divergence) branch(v, label ir.V, args []ir.V, set int, loop ir.V) {
	to := s.regions[label]
	s.noteExit(set, to)
	if set != to.entry {
		to.partial = true
	}
	outer := to.loop
	if to.op == ir.Loop {
		outer = label
	}
	to.branches++
	if to.branches == 1 {
		to.first = v
	}
	params := s.f.Params(label)
	for i, a := range args {
		if to.branches > 1 && s.f.BrArgs(to.first)[i] != a {
			to.sameArgs[i] = false
		}
		s.use(a, loop)
		s.flowInto(params[i], a, outer)
	}
}

// convergentRegion returns the outermost open region with exactly the active lanes, or 0. All open regions
// inside it have the same lanes.
func (s *divergence) convergentRegion() ir.V {
	if n := len(s.open); n > 0 && s.open[n-1].entry == s.set {
		return s.open[s.open[n-1].run].v
	}
	return 0
}

// noteExit records that a set leaves all open regions inside of to, or all of them if to is nil. A loop
// that only a part of its lanes leaves is divergent. Regions that a part has left before are skipped (left, with
// the path halving of Tarjan & van Leeuwen 1984), so that n exits from n nested regions cost no n² steps.
func (s *divergence) noteExit(set int, to *openRegion) {
	last := -1
	if to != nil {
		last = to.index
	}
	for i := len(s.open) - 1; i > last; {
		r := s.open[i]
		switch {
		case set == r.entry:
			i = r.run - 1
		case r.partialExit:
			if r.left >= 0 && s.open[r.left].partialExit {
				r.left = s.open[r.left].left
			}
			i = r.left
		default:
			r.partialExit, r.left = true, i-1
			if r.op == ir.Loop && !s.divergent[r.v] {
				s.divergent[r.v] = true
				s.changed = true
			}
			i--
		}
	}
}

// endRegion closes the innermost region and returns the loop around it. It sets the current set, and makes
// the parameters of a label varying if different lanes may get different arguments.
func (s *divergence) endRegion(loop ir.V) ir.V {
	r := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	if r.op == ir.If {
		s.endIf(r)
		return loop
	}
	for i, p := range s.f.Params(r.v) {
		if r.branches > 1 && r.partial && !r.sameArgs[i] {
			s.raise(p, shape{kind: varying})
		}
	}
	s.convergent[r.v], s.branches[r.v] = !r.partial, r.branches
	if r.op == ir.Loop {
		s.set = 0
		return r.loop
	}
	s.reconverges[r.v] = !r.partialExit
	switch {
	case r.branches == 0:
	case !r.partialExit || !r.partial && (s.set == 0 || s.set == r.entry):
		s.set = r.entry
	default:
		s.set = s.newSet()
	}
	return loop
}

// endIf sets the current set after an if.
func (s *divergence) endIf(r *openRegion) {
	s.partialExit[r.v] = r.partialExit
	first, second := r.out, s.set
	if !r.second {
		first, second = s.set, r.other
	}
	switch {
	case r.split && !r.partialExit:
		s.set = r.entry
	case r.split && (first != 0 || second != 0):
		s.set = s.newSet()
	case first == 0, first == second:
		s.set = second
	case second == 0:
		s.set = first
	default:
		s.set = s.newSet()
	}
}

// assumptions are conditions that the speculative version of the entry point assumes to be true in all
// lanes of a strip (speculate.go). The methods of nil report none.
type assumptions struct {
	arms       map[ir.V]bool // by if: all lanes go to the first arm (true), or to the second
	clamps     map[ir.V]ir.V // by min, max or product: the operand that it equals
	quotients  map[ir.V]bool // monotone values that are the same in all lanes
	remainders map[ir.V]bool // remainders and shifts of an index that ascend as it does
	order      []ir.V        // the code if accesses wait for guards (delay.go), or nil
}

// quotient reports whether v is assumed to be the same in all lanes.
func (a *assumptions) quotient(v ir.V) bool { return a != nil && a.quotients[v] }

// remainder reports whether v is assumed to ascend as the operand does.
func (a *assumptions) remainder(v ir.V) bool { return a != nil && a.remainders[v] }

// arm returns which arm of an if all lanes go to, if that is assumed.
func (a *assumptions) arm(v ir.V) (first, ok bool) {
	if a != nil {
		first, ok = a.arms[v]
	}
	return first, ok
}

// clampOperand returns the operand that a min or max equals, if that is assumed.
func (a *assumptions) clampOperand(v ir.V) (operand ir.V, ok bool) {
	if a != nil {
		operand, ok = a.clamps[v]
	}
	return operand, ok
}

// partLanes returns how many lanes a part has.
func partLanes(p *ir.Program, form vcode.Form) uint32 { return min(p.SubgroupSize, uint32(form.Lanes)) }

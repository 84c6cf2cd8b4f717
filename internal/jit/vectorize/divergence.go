package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// maxRounds is how often shapes are found anew before all are given up.
const maxRounds = 12

// divergence is what is known of a function before it is widened.
type divergence struct {
	f        *ir.Func
	p        *ir.Program
	lanes    uint32 // that a row spans
	liveOuts *liveOuts
	assumed  *assumptions
	of       []shape

	// Of labels and ifs, by opener.
	divergent    []bool // a loop that lanes leave in different iterations
	reconverges  []bool // a block whose lanes all come to its end, or all do not
	convergent   []bool // a label to which lanes go all at once
	partialExit  []bool // an if that lanes leave for a label further out
	branchRegion []ir.V // by br, switch or kill: the outermost region all of whose lanes do it together, or 0
	branches     []int32
	changed      bool

	// Of the walk: sets of lanes have numbers; 0 is the empty one.
	set, sets int
	reached   []bool // parameters into which something has come
	open      []*openRegion
	regions   []*openRegion // by opener
	arena     *arena
}

// funcIndex is an open region of the walk.
type openRegion struct {
	v           ir.V
	op          ir.Op
	entry       int // the set that came in; for a loop, the set of an iteration
	split       bool
	arm, other  int // sets at the start of both arms of an if
	out         int // set at the end of the first arm
	second      bool
	branches    int32
	first       ir.V   // the first br to it
	partial     bool   // a br to it brings not the whole set
	partialExit bool   // some lanes, but not all, left it for a label further out
	sameArgs    []bool // of the parameters: each br brings the same value
	loop        ir.V   // the loop around
}

// analyzeDivergence finds the shapes of all values of f, for rows of so many lanes, where
// that is so which is assumed, if anything is.
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
		if !s.changed || !liveOuts.hasLoops { // nothing comes back to where it was looked at
			return s
		}
		if round == maxRounds {
			s.assumeDivergent()
		}
	}
}

// assumeDivergent knows nothing, which is never wrong.
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

// raise makes what is known of v no more than x.
func (s *divergence) raise(v ir.V, x shape) {
	old := s.of[v]
	if old == x || old.kind > x.kind || old.kind == varying {
		return
	}
	if old.kind == x.kind && x.kind != uniform {
		x = old.join(x)
		if x == old {
			return
		}
	}
	s.of[v] = x
	s.changed = true
}

func (s *divergence) newSet() int {
	s.sets++
	return s.sets
}

func (s *divergence) walk() {
	s.set, s.sets = 1, 1
	clear(s.reached)
	clear(s.reconverges)
	clear(s.convergent)
	loop := ir.V(0)
	for _, v := range s.f.Code {
		x := s.f.Val(v)
		if x.Op != ir.Br && x.Op != ir.Loop {
			s.operands(v, x, loop)
		}
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			s.beginRegion(v, loop)
			if x.Op == ir.Loop {
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

// operands is read for all that an operation reads.
func (s *divergence) operands(v ir.V, x *ir.Val, l ir.V) {
	for i := range x.Op.Args() {
		s.use(x.Args[i], l)
	}
	for _, a := range s.f.Listed(v) {
		s.use(a, l)
	}
}

// use makes a value that is read from within loop l, where lanes may have it
// from different iterations, one that differs.
func (s *divergence) use(a, l ir.V) {
	if s.temporallyDivergent(a, l) {
		s.raise(a, shape{kind: varying})
	}
}

// temporallyDivergent reports whether a is read, from within loop l, where lanes may have
// it from different iterations.
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
	s.open = append(s.open, r)
}

// flowInto makes a parameter know no more than what comes into it.
func (s *divergence) flowInto(p, a, loop ir.V) {
	x := s.of[a]
	if x.kind == address || s.temporallyDivergent(a, loop) {
		x = shape{kind: varying}
	}
	if x.kind == strided && s.of[p].kind == uniform && s.reached[p] || x.kind == uniform && s.of[p].kind == strided {
		x = shape{kind: varying} // it gets both
	}
	s.reached[p] = true
	s.raise(p, x)
}

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

// jointBranch sends a set to a label.
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

// laneSpan is the outermost region that holds no lanes but the active ones, or 0. Those
// within it hold no others either.
func (s *divergence) convergentRegion() (v ir.V) {
	for i := len(s.open) - 1; i >= 0 && s.open[i].entry == s.set; i-- {
		v = s.open[i].v
	}
	return v
}

// noteExit notes that a set leaves all regions inside of to, or all where to is nil.
func (s *divergence) noteExit(set int, to *openRegion) {
	for i := len(s.open) - 1; i >= 0 && s.open[i] != to; i-- {
		r := s.open[i]
		if set == r.entry {
			continue
		}
		r.partialExit = true
		if r.op == ir.Loop && !s.divergent[r.v] {
			s.divergent[r.v] = true
			s.changed = true
		}
	}
}

// epilogue closes the innermost region and returns the loop around it.
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

// assumptions is what all lanes of a strip are taken to do.
type assumptions struct {
	arms   map[ir.V]bool // ifs at which they go the same way: whether that is the first arm
	clamps map[ir.V]ir.V // operations that yield one of their operands
}

func (a *assumptions) arm(v ir.V) (first, ok bool) {
	if a != nil {
		first, ok = a.arms[v]
	}
	return first, ok
}

func (a *assumptions) clampOperand(v ir.V) (operand ir.V, ok bool) {
	if a != nil {
		operand, ok = a.clamps[v]
	}
	return operand, ok
}

// partLanes is how many lanes of a part there are.
func partLanes(p *ir.Program, form vcode.Form) uint32 { return min(p.SubgroupSize, uint32(form.Lanes)) }

package vectorize

import "github.com/chiaro-gpu/chiaro/internal/ir"

// kind says how a value differs between the active lanes of a strip. Kinds are
// ordered: what is known of a value only ever gets less.
type kind uint8

const (
	uniform kind = iota // the same in all lanes
	row                 // base + step·lane modulo 2³² within each part
	address             // an offset: min(U + (row)·stride, 2³²−1), U the same within each part
	varying
)

// shape is the kind of a value and what belongs to it.
type shape struct {
	kind kind
	step uint32 // of a row, of the row in an address
	size uint64 // stride of an address

	regular bool   // of a row, of the row in an address: each part is across more than the one before
	across  uint32 // modulo 2³²; 0 where it is not regular
}

// level reports whether a value is the same within each part.
func (x shape) level() bool { return x.kind == uniform || x.kind == row && x.step == 0 }

// maxStep bounds the steps and strides of addresses, so that no sum of 64 bits
// overflows.
const maxStep = 1 << 20

// maxRounds is how often shapes are found anew before all are given up.
const maxRounds = 12

// shapes is what is known of a function before it is widened.
type shapes struct {
	f       *ir.Func
	p       *ir.Program
	lanes   uint32 // that a row spans
	homes   *homing
	assumed *assumed
	of      []shape

	// Of labels and ifs, by opener.
	diverges []bool // a loop that lanes leave in different iterations
	closed   []bool // a block whose lanes all come to its end, or all do not
	whole    []bool // a label to which lanes go all at once
	leaks    []bool // an if that lanes leave for a label further out
	all      []ir.V // by br, switch or kill: the outermost region all of whose lanes do it together, or 0
	brs      []int32
	changed  bool

	// Of the walk: sets of lanes have numbers; 0 is the empty one.
	set, sets int
	met       []bool // parameters into which something has come
	open      []*place
	places    []*place // by opener
	room      *room
}

// place is an open region of the walk.
type place struct {
	v          ir.V
	op         ir.Op
	entry      int // the set that came in; for a loop, the set of an iteration
	split      bool
	arm, other int // sets at the start of both arms of an if
	out        int // set at the end of the first arm
	second     bool
	brs        int32
	first      ir.V   // the first br to it
	parts      bool   // a br to it brings not the whole set
	leaks      bool   // some lanes, but not all, left it for a label further out
	same       []bool // of the parameters: each br brings the same value
	loop       ir.V   // the loop around
}

// shapesOf finds the shapes of all values of f, for rows of so many lanes, where
// that is so which is assumed, if anything is.
func shapesOf(p *ir.Program, f *ir.Func, homes *homing, lanes uint32, a *assumed, r *room) *shapes {
	n := len(f.Vals)
	s := &shapes{
		f: f, p: p, lanes: lanes, homes: homes, assumed: a, of: r.shapes.Alloc(n), brs: r.numbers.Alloc(n),
		leaks: r.flags.Alloc(n), diverges: r.flags.Alloc(n), closed: r.flags.Alloc(n), whole: r.flags.Alloc(n), all: r.labels.Alloc(n),
		met: r.flags.Alloc(n), places: r.open.Alloc(n), room: r,
	}
	for i := range f.Vals {
		if x := &f.Vals[i]; x.Op == ir.Arg || x.Op == ir.Result {
			s.of[i].kind = varying
		}
	}
	for round := 0; ; round++ {
		s.changed = false
		s.walk()
		if !s.changed || !homes.loops { // nothing comes back to where it was looked at
			return s
		}
		if round == maxRounds {
			s.giveUp()
		}
	}
}

// giveUp knows nothing, which is never wrong.
func (s *shapes) giveUp() {
	for i := range s.of {
		if s.f.Vals[i].Op != ir.Const {
			s.of[i].kind = varying
		}
	}
	for _, v := range s.f.Code {
		if s.f.Val(v).Op == ir.Loop {
			s.diverges[v] = true
		}
	}
}

// raise makes what is known of v no more than x.
func (s *shapes) raise(v ir.V, x shape) {
	old := s.of[v]
	if old == x || old.kind > x.kind || old.kind == varying {
		return
	}
	if old.kind == x.kind && x.kind != uniform {
		x = old.meet(x)
		if x == old {
			return
		}
	}
	s.of[v] = x
	s.changed = true
}

// meet is what is known of a value that has one of two shapes of a kind.
func (x shape) meet(y shape) shape {
	if x.step != y.step || x.size != y.size {
		return shape{kind: varying}
	}
	if x.across != y.across || !y.regular {
		x.regular, x.across = false, 0
	}
	return x
}

func (s *shapes) fresh() int {
	s.sets++
	return s.sets
}

func (s *shapes) walk() {
	s.set, s.sets = 1, 1
	clear(s.met)
	clear(s.closed)
	clear(s.whole)
	loop := ir.V(0)
	for _, v := range s.f.Code {
		x := s.f.Val(v)
		if x.Op != ir.Br && x.Op != ir.Loop {
			s.operands(v, x, loop)
		}
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			s.enter(v, loop)
			if x.Op == ir.Loop {
				loop = v
			}
		case ir.Else:
			r := s.open[len(s.open)-1]
			r.out, r.second = s.set, true
			s.set = r.other
		case ir.End:
			loop = s.leave(loop)
		case ir.Br:
			s.all[v] = s.reach()
			s.branch(v, x.Args[0], s.f.BrArgs(v), s.set, loop)
			s.set = 0
		case ir.Switch:
			s.branches(v, loop)
		case ir.Kill:
			s.all[v] = s.reach()
			s.lose(s.set, nil)
			s.set = 0
		case ir.Call:
			if s.p.Effects.Discards {
				s.set = s.fresh()
				s.lose(s.set, nil)
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
func (s *shapes) operands(v ir.V, x *ir.Val, l ir.V) {
	for i := range x.Op.Args() {
		s.read(x.Args[i], l)
	}
	for _, a := range s.f.Listed(v) {
		s.read(a, l)
	}
}

// read makes a value that is read from within loop l, where lanes may have it
// from different iterations, one that differs.
func (s *shapes) read(a, l ir.V) {
	if s.escapes(a, l) {
		s.raise(a, shape{kind: varying})
	}
}

// escapes reports whether a is read, from within loop l, where lanes may have
// it from different iterations.
func (s *shapes) escapes(a, l ir.V) bool {
	if s.f.Val(a).Op == ir.Const {
		return false
	}
	for x := s.homes.of[a].loop; x != 0 && !s.homes.within(l, x); x = s.homes.outer[x] {
		if s.diverges[x] {
			return true
		}
	}
	return false
}

func (s *shapes) enter(v, loop ir.V) {
	x := s.f.Val(v)
	r := s.places[v]
	if r == nil {
		r = &s.room.places.Alloc(1)[0]
		s.places[v] = r
	}
	*r = place{v: v, op: x.Op, entry: s.set, loop: loop, same: r.same}
	switch x.Op {
	case ir.If:
		r.arm, r.other = s.set, s.set
		if _, taken := s.assumed.way(v); !taken && s.of[x.Args[0]].kind != uniform {
			r.split, r.arm, r.other = true, s.fresh(), s.fresh()
		}
		s.set = r.arm
	case ir.Loop:
		params := s.f.Params(v)
		for i, a := range s.f.Inits(v) {
			s.read(a, loop)
			s.bring(params[i], a, loop)
		}
		if s.diverges[v] {
			s.set = s.fresh()
		}
		r.entry = s.set
		fallthrough
	default:
		if r.same == nil {
			r.same = s.room.flags.Alloc(int(x.Aux))
		}
		for i := range r.same {
			r.same[i] = true
		}
	}
	s.open = append(s.open, r)
}

// bring makes a parameter know no more than what comes into it.
func (s *shapes) bring(p, a, loop ir.V) {
	x := s.of[a]
	if x.kind == address || s.escapes(a, loop) {
		x = shape{kind: varying}
	}
	if x.kind == row && s.of[p].kind == uniform && s.met[p] || x.kind == uniform && s.of[p].kind == row {
		x = shape{kind: varying} // it gets both
	}
	s.met[p] = true
	s.raise(p, x)
}

func (s *shapes) branches(v, loop ir.V) {
	x := s.f.Val(v)
	s.all[v] = s.reach()
	list := s.f.Cases(v)
	labels := []ir.V{x.Args[1]}
	for i := 1; i < len(list); i += 2 {
		labels = append(labels, list[i])
	}
	for _, l := range labels {
		set := s.set
		if s.of[x.Args[0]].kind != uniform {
			set = s.fresh()
		}
		s.branch(v, l, nil, set, loop)
	}
	s.set = 0
}

// branch sends a set to a label.
func (s *shapes) branch(v, label ir.V, args []ir.V, set int, loop ir.V) {
	to := s.places[label]
	s.lose(set, to)
	if set != to.entry {
		to.parts = true
	}
	around := to.loop
	if to.op == ir.Loop {
		around = label
	}
	to.brs++
	if to.brs == 1 {
		to.first = v
	}
	params := s.f.Params(label)
	for i, a := range args {
		if to.brs > 1 && s.f.BrArgs(to.first)[i] != a {
			to.same[i] = false
		}
		s.read(a, loop)
		s.bring(params[i], a, around)
	}
}

// reach is the outermost region that holds no lanes but the active ones, or 0. Those
// within it hold no others either.
func (s *shapes) reach() (v ir.V) {
	for i := len(s.open) - 1; i >= 0 && s.open[i].entry == s.set; i-- {
		v = s.open[i].v
	}
	return v
}

// lose notes that a set leaves all regions inside of to, or all where to is nil.
func (s *shapes) lose(set int, to *place) {
	for i := len(s.open) - 1; i >= 0 && s.open[i] != to; i-- {
		r := s.open[i]
		if set == r.entry {
			continue
		}
		r.leaks = true
		if r.op == ir.Loop && !s.diverges[r.v] {
			s.diverges[r.v] = true
			s.changed = true
		}
	}
}

// leave closes the innermost region and returns the loop around it.
func (s *shapes) leave(loop ir.V) ir.V {
	r := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	if r.op == ir.If {
		s.leaveIf(r)
		return loop
	}
	for i, p := range s.f.Params(r.v) {
		if r.brs > 1 && r.parts && !r.same[i] {
			s.raise(p, shape{kind: varying})
		}
	}
	s.whole[r.v], s.brs[r.v] = !r.parts, r.brs
	if r.op == ir.Loop {
		s.set = 0
		return r.loop
	}
	s.closed[r.v] = !r.leaks
	switch {
	case r.brs == 0:
	case !r.leaks || !r.parts && (s.set == 0 || s.set == r.entry):
		s.set = r.entry
	default:
		s.set = s.fresh()
	}
	return loop
}

func (s *shapes) leaveIf(r *place) {
	s.leaks[r.v] = r.leaks
	first, second := r.out, s.set
	if !r.second {
		first, second = s.set, r.other
	}
	switch {
	case r.split && !r.leaks:
		s.set = r.entry
	case r.split && (first != 0 || second != 0):
		s.set = s.fresh()
	case first == 0, first == second:
		s.set = second
	case second == 0:
		s.set = first
	default:
		s.set = s.fresh()
	}
}

// result is the shape of what an operation yields.
func (s *shapes) result(v ir.V) shape {
	x := s.f.Val(v)
	if a, ok := s.assumed.clamp(v); ok {
		return s.of[a]
	}
	all := true
	for i := range x.Op.Args() {
		all = all && s.of[x.Args[i]].kind == uniform
	}
	switch x.Op {
	case ir.In:
		return s.input(x)
	case ir.Any, ir.All, ir.AllEq, ir.Ballot:
		return shape{}
	case ir.Reduce:
		if x.Aux>>8 == 0 {
			return shape{}
		}
		return shape{kind: varying}
	case ir.Add, ir.Sub, ir.Mul, ir.Shl, ir.At:
		if all {
			break
		}
		if c := s.combine(x); c.kind != varying {
			return c
		}
	}
	if !all && x.Type == ir.I32 && s.level(x) {
		return shape{kind: row}
	}
	if all && !x.Op.Is(ir.Meets) && !x.Op.Is(ir.Writes) && pure(x.Op) {
		return shape{}
	}
	return shape{kind: varying}
}

// level reports whether an operation that general registers compute has
// operands that are the same within each part.
func (s *shapes) level(x *ir.Val) bool {
	switch x.Op {
	case ir.Mul, ir.And, ir.Or, ir.Xor, ir.Not, ir.Shl, ir.LShr, ir.AShr, ir.UMin, ir.UMax, ir.SMin, ir.SMax:
	default:
		return false
	}
	for i := range x.Op.Args() {
		if !s.of[x.Args[i]].level() {
			return false
		}
	}
	return true
}

// pure reports whether the lanes of an operation get the same from the same
// operands.
func pure(op ir.Op) bool {
	return !op.Is(ir.DivergenceSource) && op != ir.Region && op != ir.RegionOff // which Go computes for each lane
}

// combine is the shape of arithmetic on rows.
func (s *shapes) combine(x *ir.Val) shape {
	lost := shape{kind: varying}
	a, b := s.of[x.Args[0]], s.of[x.Args[1]]
	k, constant := s.f.Val(x.Args[1]).Aux, s.f.Val(x.Args[1]).Op == ir.Const
	switch {
	case x.Type != ir.I32:
		return lost
	case x.Op == ir.At:
		switch {
		case a.kind == uniform && b.kind == row && b.step <= maxStep && x.Aux > 0 && x.Aux <= maxStep:
			return shape{kind: address, step: b.step, size: x.Aux, regular: b.regular, across: b.across}
		case a.level() && b.kind == row && b.step > 0 && b.step <= maxStep && x.Aux > 0 && x.Aux <= maxStep:
			return shape{kind: address, step: b.step, size: x.Aux} // each part has a U of its own
		case a.kind == address && b.kind == uniform && x.Aux <= maxStep:
			return a
		}
		return lost
	case a.kind > row || b.kind > row:
		return lost
	case x.Op == ir.Add:
		return a.plus(b, 1)
	case x.Op == ir.Sub:
		return a.plus(b, 1<<32-1)
	case x.Op == ir.Shl && constant:
		return shape{regular: true}.plus(a, 1<<(k&31))
	case x.Op == ir.Mul && constant:
		return shape{regular: true}.plus(a, uint32(k))
	case x.Op == ir.Mul && s.f.Val(x.Args[0]).Op == ir.Const:
		return shape{regular: true}.plus(b, uint32(s.f.Val(x.Args[0]).Aux))
	}
	return lost
}

// plus is the row x + y·k, where x and y are rows or uniform.
func (x shape) plus(y shape, k uint32) shape {
	out := shape{kind: row, step: x.step + y.step*k}
	if (x.regular || x.kind == uniform) && (y.regular || y.kind == uniform) {
		out.regular, out.across = true, x.across+y.across*k
	}
	return out
}

// input is the shape of a built-in. A part lies within one row of the
// workgroup where the rows' length is a multiple of its lanes.
func (s *shapes) input(x *ir.Val) shape {
	sem := s.p.In[x.Aux].Semantic
	if x.Type != ir.I32 {
		return shape{kind: varying}
	}
	width, strip := s.p.LocalSize[0], s.p.SubgroupSize
	rows, strips := width%s.lanes == 0, width%strip == 0
	one := width == s.lanes                                             // each part is a row
	planes := uint64(width)*uint64(s.p.LocalSize[1])%uint64(strip) == 0 // no strip goes on in the next plane
	next := shape{kind: row, step: 1, regular: true, across: s.lanes}
	switch sem {
	case ir.LocalInvocationIndex, ir.SubgroupLocalInvocationId:
		return next
	case ir.GlobalInvocationIdX, ir.LocalInvocationIdX:
		switch {
		case strips:
			return next
		case rows:
			return shape{kind: row, step: 1, regular: one}
		}
	case ir.GlobalInvocationIdY, ir.LocalInvocationIdY:
		switch {
		case strips:
			return shape{}
		case one && planes:
			return shape{kind: row, regular: true, across: 1}
		case rows:
			return shape{kind: row}
		}
	case ir.GlobalInvocationIdZ, ir.LocalInvocationIdZ:
		switch {
		case strips, planes:
			return shape{}
		case rows:
			return shape{kind: row}
		}
	default:
		return shape{}
	}
	return shape{kind: varying}
}

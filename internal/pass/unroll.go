package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Limits on unrolling.
const (
	maxTrips     = 32      // iterations of a loop
	maxUnrolled  = 512     // operations of the unrolled loop
	unrollBudget = 1 << 13 // operations that unrolling may add to a function
	unrollDepth  = 3       // levels of a loop nest, from the inside
	maxAtomics   = 4       // atomics of the unrolled loop that lanes do not share, see below
)

// unroll is full loop unrolling (Muchnick 1997, 17.4.3): a loop with a known trip
// count becomes a copy of its body for each iteration.
//
//	loop L2(v3 i32 = 0:i32) {          A(0)
//		v4 = ult.i32 v3, 2:i32         A(1)
//		if v4 {
//		} else {
//			br L1
//		}
//		A(v3)
//		v5 = add.i32 v3, 1:i32
//		br L2(v5)
//	}
//
// The loop must have no inner loop, one back edge at its end, and an exit test that
// depends on constants only. The trip count comes from evaluating the test for each
// iteration, like LLVM's computeExitCountExhaustively, so any test works that ends
// within maxTrips iterations.
//
// An operation at which lanes meet must not be duplicated, so a loop with one stays. At a barrier subgroups meet as a whole, whichever
// lanes are active and at the same barrier or another one, so it may be.
// The lanes of an iteration stay together in its copy, and effects keep their order.
//
// An atomic is a load and a store for each lane. A processor predicts by the address of a load for which stores it waits. With
// hundreds of such instructions the predictions meet in its table, and loads of other memory wait for stores with addresses that are not known
// yet. So a loop with many atomics stays: a histogram of 16 items for each invocation takes 1.25 times as long if it is unrolled.
// Atomics at a constant offset do not count: the engines combine their lanes.
//
// Nests of loops that select the elements of private arrays are unrolled as a whole (indexednest.go).
func unroll(p *ir.Program, f *ir.Func) {
	budget := unrollBudget
	nests := indexedNests(p, f)
	for depth := range indexedDepth {
		if depth >= unrollDepth && len(nests) == 0 {
			return
		}
		u := &unroller{f: f, edit: editor{f: f}, budget: budget, nests: nests, only: depth >= unrollDepth}
		if !u.run() {
			return
		}
		budget = u.budget
	}
}

// unroller unrolls the innermost loops of a function.
type unroller struct {
	f      *ir.Func
	edit   editor
	budget int
	nests  map[ir.V]bool // loops of nests that are unrolled as a whole
	only   bool          // no other loops
	last   []int         // by value: the last position that reads it
	to     []ir.V        // by value of an unrolled loop: its replacement
	copies []ir.V        // by value of the body: its copy in the current iteration
	code   []ir.V
}

// run unrolls the innermost loops that qualify. It reports whether there were any.
func (u *unroller) run() bool {
	f := u.f
	var plans []*plan
	inner := -1 // position of the last loop that is still open, or −1
	for i, v := range f.Code {
		switch x := f.Val(v); {
		case x.Op == ir.Loop:
			inner = i
		case x.Op == ir.End && f.Val(x.Args[0]).Op == ir.Loop && inner >= 0:
			p := &plan{f: f, start: inner, end: i}
			if inner = -1; u.qualifies(p) {
				u.budget -= p.added()
				plans = append(plans, p)
			}
		}
	}
	if len(plans) == 0 {
		return false
	}
	u.last, u.to = lastUses(f), make([]ir.V, len(f.Vals))
	u.copies = make([]ir.V, len(f.Vals))
	old, at := f.Code, 0
	for _, p := range plans {
		if p.values(u.last) && !p.single {
			continue // each exit would need its own values
		}
		u.code = append(u.code, old[at:p.start]...)
		u.expand(p)
		at = p.end + 1
	}
	f.Code = append(u.code, old[at:]...)
	for _, v := range f.Code {
		redirect(f, v, u.to)
	}
	return at > 0
}

// qualifies reports whether an innermost loop is unrolled.
func (u *unroller) qualifies(p *plan) bool {
	nest := u.nests[u.f.Code[p.start]]
	if u.only && !nest || !nest && p.end-p.start > maxUnrolled || !p.make() || p.added() > u.budget {
		return false
	}
	return nest || p.trips <= maxTrips && p.added() <= maxUnrolled && p.atomics*p.trips <= maxAtomics
}

// lastUses returns, by value, the last position that reads it.
func lastUses(f *ir.Func) []int {
	last := make([]int, len(f.Vals))
	for i, v := range f.Code {
		f.Operands(v, func(a ir.V) { last[a] = i })
	}
	return last
}

// expand writes the copies of the body. The last one ends at the exit test.
func (u *unroller) expand(p *plan) {
	f := u.f
	body := f.Code
	params := f.Params(body[p.start])
	args := append([]ir.V(nil), f.Inits(body[p.start])...)
	next := append([]ir.V(nil), f.BrArgs(body[p.end-1])...)
	c := &copier{from: f, edit: &u.edit, to: u.copies, shared: true}
	all := append(p.defined(), params...)
	copyAll := func(from, to int) {
		for _, v := range body[from:to] {
			u.code = append(u.code, c.copy(v))
		}
	}
	for trip := 0; ; trip++ {
		for _, v := range all {
			c.to[v] = 0
		}
		for i, q := range params {
			c.to[q] = args[i]
		}
		copyAll(p.start+1, p.test)
		if trip == p.trips {
			break
		}
		copyAll(p.stay[0], p.stay[1])
		copyAll(p.fi+1, p.end-1)
		args = make([]ir.V, len(next))
		for i, v := range next {
			args[i] = c.use(v)
		}
	}
	copyAll(p.leave[0], p.leave[1])
	for i := len(p.open) - 1; i >= 0; i-- {
		u.code = append(u.code, u.edit.end(c.to[p.open[i]]))
	}
	for _, v := range all {
		if u.last[v] > p.end {
			u.to[v] = c.to[v]
		}
	}
}

// plan is a loop to unroll, as positions in the code.
type plan struct {
	f          *ir.Func
	start, end int    // of the loop
	test, fi   int    // of the exit test, an if, and its end
	stay       [2]int // range of the arm that stays in the loop
	leave      [2]int // range of the arm that leaves
	open       []ir.V // the blocks around the test
	exits      bool   // the value of the test that leaves
	single     bool   // the test is the only exit
	trips      int    // full iterations
	atomics    int    // in the body, at offsets that are no constants
}

// added returns an upper bound of the growth of the code.
func (p *plan) added() int { return (p.end - p.start) * p.trips }

// make fills the plan. It reports whether the loop qualifies.
func (p *plan) make() bool {
	f := p.f
	label := f.Code[p.start]
	if x := f.Val(f.Code[p.end-1]); x.Op != ir.Br || x.Args[0] != label {
		return false
	}
	inside := map[ir.V]bool{}
	for i := p.start + 1; i < p.end; i++ {
		v := f.Code[i]
		x := f.Val(v)
		if x.Op.Family() == ir.Atomics && f.Val(x.Args[1]).Op != ir.Const {
			p.atomics++
		}
		switch {
		case x.Op.Is(ir.Meets) && x.Op != ir.Barrier, x.Op == ir.Br && x.Args[0] == label && i < p.end-1:
			return false
		case x.Op == ir.Block:
			inside[v] = true
			if p.test == 0 {
				p.open = append(p.open, v)
			}
		case x.Op == ir.If && p.test == 0:
			p.test = i
		case p.test == 0 && x.Op.Is(ir.Control):
			return false
		}
	}
	if p.test == 0 || !p.arms(inside) {
		return false
	}
	p.single = p.ways(inside) == 1
	return p.count()
}

// arms determines which arm of the test leaves the loop.
func (p *plan) arms(inside map[ir.V]bool) bool {
	f := p.f
	mid, depth := 0, 0
	for i := p.test; ; i++ {
		switch f.Val(f.Code[i]).Op {
		case ir.If, ir.Block, ir.Loop:
			depth++
		case ir.Else:
			if depth == 1 {
				mid = i
			}
		case ir.End:
			depth--
		}
		if depth == 0 {
			p.fi = i
			break
		}
	}
	first, second := [2]int{p.test + 1, p.fi}, [2]int{p.fi, p.fi}
	if mid > 0 {
		first[1], second[0] = mid, mid+1
	}
	switch {
	case p.leaves(first, inside):
		p.leave, p.stay, p.exits = first, second, true
	case p.leaves(second, inside):
		p.leave, p.stay, p.exits = second, first, false
	default:
		return false
	}
	return true
}

// leaves reports whether an arm has no control but a final branch out of the loop.
func (p *plan) leaves(arm [2]int, inside map[ir.V]bool) bool {
	for i := arm[0]; i < arm[1]; i++ {
		x := p.f.Val(p.f.Code[i])
		if x.Op == ir.Br {
			return i == arm[1]-1 && !inside[x.Args[0]] && x.Args[0] != p.f.Code[p.start]
		}
		if x.Op.Is(ir.Control) {
			return false
		}
	}
	return false
}

// ways counts the exits of the loop.
func (p *plan) ways(inside map[ir.V]bool) int {
	f := p.f
	inside[f.Code[p.start]] = true
	n := 0
	for _, v := range f.Code[p.start:p.end] {
		x := f.Val(v)
		switch {
		case x.Op == ir.Br && !inside[x.Args[0]]:
			n++
		case x.Op == ir.Switch:
			n += toInt(!inside[x.Args[1]])
			for i, c := range f.Cases(v) {
				n += toInt(i%2 == 1 && !inside[c])
			}
		}
	}
	return n
}

// toInt returns 1 for true and 0 for false.
func toInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// defined returns the values that the body defines.
func (p *plan) defined() []ir.V {
	var list []ir.V
	for _, v := range p.f.Code[p.start+1 : p.end] {
		if p.f.Val(v).Op == ir.Block {
			list = append(list, p.f.Params(v)...)
		}
		list = append(list, v)
	}
	return list
}

// values reports whether values of the loop are read after it.
func (p *plan) values(last []int) bool {
	for _, v := range append(p.defined(), p.f.Params(p.f.Code[p.start])...) {
		if last[v] > p.end {
			return true
		}
	}
	return false
}

// count evaluates the exit test iteration by iteration to find the trip count.
func (p *plan) count() bool {
	f := p.f
	label := f.Code[p.start]
	cond := f.Val(f.Code[p.test]).Args[0]
	params, next := f.Params(label), f.BrArgs(f.Code[p.end-1])
	now := map[ir.V]uint64{} // values in this iteration
	for i, v := range f.Inits(label) {
		if x := f.Val(v); x.Op == ir.Const && len(now) < maxCounters {
			now[params[i]] = x.Aux
		}
	}
	for p.trips = 0; p.trips <= maxIndexedTrips; p.trips++ {
		bits, ok := compute(f, cond, now, computeDepth)
		if !ok {
			return false
		}
		if bits != 0 == p.exits {
			return true
		}
		later := map[ir.V]uint64{}
		for i, v := range next {
			if _, ok := now[params[i]]; !ok {
				continue
			}
			if bits, ok := compute(f, v, now, computeDepth); ok {
				later[params[i]] = bits
			}
		}
		now = later
	}
	return false
}

// Limits on the evaluation of exit tests.
const (
	computeDepth = 6 // depth of expressions
	maxCounters  = 8 // loop parameters with known values
)

// compute evaluates v, which must depend on known values only, and adds the results
// to known. ok is false if it does not, or if the expression is too deep.
func compute(f *ir.Func, v ir.V, known map[ir.V]uint64, depth int) (uint64, bool) {
	if bits, ok := known[v]; ok {
		return bits, true
	}
	x := f.Val(v)
	if x.Op == ir.Const {
		return x.Aux, true
	}
	eval := x.Op.Row().Eval
	if eval == nil || depth == 0 {
		return 0, false
	}
	var a [3]uint64
	for i := range x.Op.Args() {
		bits, ok := compute(f, x.Args[i], known, depth-1)
		if !ok {
			return 0, false
		}
		a[i] = bits
	}
	known[v] = eval(f.Key(v), a[0], a[1], a[2]) & x.Type.Mask()
	return known[v], true
}

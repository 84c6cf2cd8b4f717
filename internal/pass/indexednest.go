package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Limits on the unrolling of a nest that indexes private arrays.
const (
	maxIndexed      = 1 << 12 // operations of the unrolled nest
	maxIndexedTrips = 128     // iterations of one loop
	indexedDepth    = 8       // levels of a nest
	maxNestLoops    = 63      // loops of a function whose counters are told apart
)

// indexedNests returns the loops of nests that must be unrolled as a whole to promote private arrays (scalar replacement; Carr and
// Kennedy 1994). A matrix product sums into such an array, in registers of the graphics processor:
//
//	for i < 8                   stays a loop
//	  for r < 2                 r and c select the element: both loops are unrolled,
//	    for c < 4               and mem2reg makes eight values of the array
//	      sum[r·4 + c] += …
//
// The nest of an access begins at the outermost loop with a counter that selects the element, and includes all loops within it. A
// variable counts only if unrolling makes all its elements known: each access has a constant index, or one that depends on counters alone,
// in a nest of countable loops that stays within the limit. Otherwise the array would remain, and the code would grow for nothing.
//
// Code between barriers may be there once for each subgroup (vectorize), so the limit is for all subgroups together then.
func indexedNests(p *ir.Program, f *ir.Func) map[ir.V]bool {
	n := &nestFinder{f: f, of: map[ir.V]uint64{}, limit: maxIndexed}
	if p.Effects.Barrier {
		n.limit /= max(int(p.Subgroups()), 1)
	}
	if !n.walk() {
		return nil
	}
	n.sizes()
	failed := map[uint64]bool{}
	for _, a := range n.accesses {
		if a.root < 0 || n.loops[a.root].size == 0 {
			failed[a.variable] = true
		}
	}
	nests := map[ir.V]bool{}
	for _, a := range n.accesses {
		if failed[a.variable] {
			continue
		}
		for i := a.root; i < n.loops[a.root].last; i++ {
			nests[f.Code[n.loops[i].start]] = true
		}
	}
	return nests
}

// nestFinder collects the loops of a function, and the accesses to unknown elements.
type nestFinder struct {
	f        *ir.Func
	limit    int               // operations of an unrolled nest
	loops    []nestLoop        // in the order of the code: a loop precedes the loops within it
	of       map[ir.V]uint64   // by value: the loops with counters that it depends on, if it depends on nothing else
	accesses []elementAccesses // with an index that is not constant
}

// nestLoop is a loop as positions in the code.
type nestLoop struct {
	start, end int
	last       int // index after the last loop within it
	size       int // operations of the unrolled loop and the loops within it; 0 if it cannot be unrolled
}

// elementAccesses is an access to an unknown element.
type elementAccesses struct {
	variable uint64
	root     int // index of the outermost loop that selects the element, −1 if something else does
}

// walk finds the loops and the accesses. It reports whether there are accesses that unrolling makes known: none if an access may reach any variable.
func (n *nestFinder) walk() bool {
	f := n.f
	var open []int // by open construct: the loop, or −1
	for i, v := range f.Code {
		x := f.Val(v)
		switch {
		case x.Op == ir.PLdI, x.Op == ir.PStI, x.Op == ir.PAddr:
			return false
		case x.Op == ir.Loop:
			open = append(open, len(n.loops))
			n.counters(v)
			n.loops = append(n.loops, nestLoop{start: i})
		case x.Op == ir.Block, x.Op == ir.If:
			open = append(open, -1)
		case x.Op == ir.End:
			if l := len(open) - 1; l >= 0 {
				if k := open[l]; k >= 0 {
					n.loops[k].end, n.loops[k].last = i, len(n.loops)
				}
				open = open[:l]
			}
		case (x.Op == ir.PLd || x.Op == ir.PSt) && f.Val(x.Args[0]).Op != ir.Const:
			n.accesses = append(n.accesses, elementAccesses{variable: x.Aux, root: n.root(x.Args[0])})
		default:
			n.depends(v)
		}
	}
	return len(n.accesses) > 0
}

// counters notes the parameters of a loop that begin with a constant.
func (n *nestFinder) counters(v ir.V) {
	if len(n.loops) >= maxNestLoops {
		return
	}
	params := n.f.Params(v)
	for i, a := range n.f.Inits(v) {
		if n.f.Val(a).Op == ir.Const {
			n.of[params[i]] = 1 << len(n.loops)
		}
	}
}

// depends notes a pure operation on counters and constants.
func (n *nestFinder) depends(v ir.V) {
	x := n.f.Val(v)
	if !x.Op.Pure() || x.Op.Args() == 0 || x.Op.Args() > 3 {
		return
	}
	var all uint64
	for i := range x.Op.Args() {
		a := x.Args[i]
		if n.f.Val(a).Op == ir.Const {
			continue
		}
		of := n.of[a]
		if of == 0 {
			return
		}
		all |= of
	}
	n.of[v] = all
}

// root returns the outermost loop that selects an element, or −1. Loops are numbered from the outside, so it is the lowest.
func (n *nestFinder) root(index ir.V) int {
	of := n.of[index]
	for k := range maxNestLoops {
		if of>>k&1 != 0 {
			return k
		}
	}
	return -1
}

// sizes computes the sizes of the unrolled loops, from the inside.
func (n *nestFinder) sizes() {
	for k := len(n.loops) - 1; k >= 0; k-- {
		l := &n.loops[k]
		own := l.end - l.start
		for i := k + 1; i < l.last; i = n.loops[i].last {
			inner := &n.loops[i]
			if inner.size == 0 {
				own = n.limit + 1
				break
			}
			own += inner.size - (inner.end - inner.start)
		}
		// Only short loops need a walk over their code: one for each loop would be quadratic in the depth of nesting.
		p := &plan{f: n.f, start: l.start, end: l.end}
		if max(own, l.end-l.start) > n.limit || !p.make() {
			continue
		}
		if size := own * p.trips; size <= n.limit {
			l.size = max(size, 1)
		}
	}
}

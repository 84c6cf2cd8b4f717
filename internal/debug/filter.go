package debug

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/lower"
)

// A condition is false in nearly all invocations. A filter evaluates it for all lanes of a subgroup at once, operator by operator (as a
// vectorized database evaluates a selection; Boncz, Zukowski and Nes 2005, "MonetDB/X100: Hyper-Pipelining Query Execution"), and says
// which lanes need the evaluation by the node.

// maxLanes is the number of lanes that exec.Lanes has.
const maxLanes = 128

// filter returns the lanes in which a condition is true, and those in which it does not know. It is for one goroutine.
type filter func(x *view, lanes exec.Lanes) (yes, unknown exec.Lanes)

// column is the value of a scalar in the lanes of a subgroup.
type column struct {
	kind    kind
	n       [maxLanes]number
	same    bool       // all lanes have n[0]
	unknown exec.Lanes // that have no value
}

// at returns the number in a lane.
func (c *column) at(lane int) number {
	if c.same {
		return c.n[0]
	}
	return c.n[lane]
}

// fill evaluates a scalar for lanes. The kind is the same in all lanes.
type fill func(x *view, lanes exec.Lanes, to *column)

// fillByLane is the fill of a quick form. A lane of another kind than the first, by a choice of two kinds, is unknown.
func fillByLane(q quick) fill {
	return func(x *view, lanes exec.Lanes, to *column) {
		to.unknown = exec.Lanes{}
		first := true
		for lane := range lanes.All {
			x.lane = uint32(lane)
			n, k, ok := q(x)
			if ok && first {
				to.kind, first = k, false
			}
			if !ok || k != to.kind {
				to.unknown = to.unknown.Or(laneSet(lane))
				continue
			}
			to.n[lane] = n
		}
	}
}

func laneSet(lane int) (s exec.Lanes) {
	s[lane>>6] = 1 << (lane & 63)
	return s
}

// fillOf returns the fill of a scalar node; nil if it has no quick form.
func (n *node) fillOf() fill {
	if n.fill != nil || n.quick == nil {
		return n.fill
	}
	return fillByLane(n.quick)
}

// filterOf returns the filter of a node; nil if it has no quick form.
func (n *node) filterOf() filter {
	f := n.fillOf()
	if n.filter != nil || f == nil {
		return n.filter
	}
	var c *column
	return func(x *view, lanes exec.Lanes) (yes, unknown exec.Lanes) {
		if c == nil {
			c = new(column)
		}
		f(x, lanes, c)
		for lane := range lanes.Without(c.unknown).All {
			if c.at(lane).truth(c.kind) {
				yes = yes.Or(laneSet(lane))
			}
		}
		return yes, c.unknown
	}
}

// operateFilter returns the filter of a binary operator; nil if it has none.
func operateFilter(op string, left, right *node) filter {
	switch op {
	case "&&", "||":
		a, b := left.filterOf(), right.filterOf()
		if a == nil || b == nil {
			return nil
		}
		if op == "&&" {
			return func(x *view, lanes exec.Lanes) (yes, unknown exec.Lanes) {
				yes, unknown = a(x, lanes)
				if yes.Empty() {
					return yes, unknown
				}
				yes, more := b(x, yes)
				return yes, unknown.Or(more)
			}
		}
		return func(x *view, lanes exec.Lanes) (yes, unknown exec.Lanes) {
			yes, unknown = a(x, lanes)
			rest := lanes.Without(yes.Or(unknown))
			if rest.Empty() {
				return yes, unknown
			}
			yes2, unknown2 := b(x, rest)
			return yes.Or(yes2), unknown.Or(unknown2)
		}
	case "==", "!=", "<", ">", "<=", ">=":
		return compareFilter(op, left.fillOf(), right.fillOf())
	}
	return nil
}

// notFilter is the filter of the operator !.
func notFilter(of *node) filter {
	f := of.filterOf()
	if f == nil {
		return nil
	}
	return func(x *view, lanes exec.Lanes) (yes, unknown exec.Lanes) {
		yes, unknown = f(x, lanes)
		return lanes.Without(yes.Or(unknown)), unknown
	}
}

// compareFilter compares two scalars as binaryOps does.
func compareFilter(op string, left, right fill) filter {
	if left == nil || right == nil {
		return nil
	}
	f := binaryOps[op]
	var a, b *column
	return func(x *view, lanes exec.Lanes) (yes, unknown exec.Lanes) {
		if a == nil {
			a, b = new(column), new(column)
		}
		left(x, lanes, a)
		right(x, lanes, b)
		unknown = a.unknown.Or(b.unknown)
		k := max(a.kind, b.kind)
		integer := op == "==" && k != float // the usual condition: equal integers of a kind have equal bits
		other := b.n[0].to(b.kind, k)
		for w, set := range lanes.Without(unknown) {
			for ; set != 0; set &= set - 1 {
				lane := w<<6 | bits.TrailingZeros64(set)
				n := a.at(lane).to(a.kind, k)
				if !b.same {
					other = b.n[lane].to(b.kind, k)
				}
				holds := n.i == other.i
				if !integer {
					r, _, _ := f(k, n, other)
					holds = r.i != 0
				}
				if holds {
					yes[w] |= set & -set
				}
			}
		}
		return yes, unknown
	}
}

// fillConstant is the fill of a constant.
func fillConstant(n number, k kind) fill {
	return func(_ *view, lanes exec.Lanes, to *column) {
		to.kind, to.same, to.unknown, to.n[0] = k, true, exec.Lanes{}, n
	}
}

// fill is the fill of a component of the name's value, in a vector or alone.
func (r *reference) fill(i int, single bool) fill {
	return func(x *view, lanes exec.Lanes, to *column) {
		to.unknown = exec.Lanes{}
		switch r.at(x); {
		case r.single != single:
			to.unknown = lanes
		case r.word != nil && i < r.count:
			to.kind = unsigned
			for lane := range lanes.All {
				x.lane = uint32(lane)
				to.n[lane] = number{i: int64(r.word(x, i))}
			}
		case r.of == nil || i >= len(r.places):
			to.unknown = lanes
		default:
			to.kind = kindOf(r.of)
			r.fillPlace(x, r.places[i], lanes, to)
		}
	}
}

// fillComponent is the fill of reference.component.
func (r *reference) fillComponent(name string) fill {
	if r.component(name) == nil {
		return nil
	}
	return r.fill(componentOf(rune(name[0])), false)
}

// fillPlace reads a place in lanes. Its offset is found once if no value of the invocation is a part of it.
func (r *reference) fillPlace(x *view, p lower.Place, lanes exec.Lanes, to *column) {
	constant := (p.Kind == lower.InVariable || p.Kind == lower.InPrivate) && p.Value == 0 && p.Type.Bits() <= 32
	var at uint64
	if constant {
		at = x.offset(p)
	}
	mask := p.Type.Mask()
	for w, set := range lanes {
		for ; set != 0; set &= set - 1 {
			lane := w<<6 | bits.TrailingZeros64(set)
			x.lane = uint32(lane)
			var word uint64
			var err error
			switch {
			case constant:
				word = uint64(x.at.ReadPrivate(at, x.lane)) & mask
			case p.Kind == lower.InRegister:
				word = x.at.Read(x.fn, p.Value, x.lane) & mask
			default:
				word, err = x.read(p)
			}
			if err != nil {
				to.unknown[w] |= set & -set
				continue
			}
			to.n[lane] = numberOf(r.of, word)
		}
	}
}

// mayHit returns the lanes in which a breakpoint of a list may meet its condition. The others need no further look.
func (x *view) mayHit(list []*Breakpoint) exec.Lanes {
	var out exec.Lanes
	x.lane = x.lanes.First()
	for _, b := range list {
		if !b.single() {
			continue
		}
		if b.Condition == "" || b.parse(x) != nil || b.filter == nil {
			return x.lanes
		}
		yes, unknown := b.filter(x, x.lanes.Without(out))
		out = out.Or(yes).Or(unknown)
	}
	return out
}

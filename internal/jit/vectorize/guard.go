package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Programs mostly begin by sending those lanes home that lie beyond the data:
// "if (i >= n) return". In nearly all strips there are none. The entry point is
// therefore widened twice: once for strips of which a few comparisons of numbers
// show that all lanes stay, without a mask from there on, and once for all
// others, which begin anew. That is possible as long as nothing has had an
// effect.

// maxGuarded bounds the operations of a function that is widened twice, and
// maxBetween how many there are for each access that gains by it: compiling
// takes twice as long.
const (
	maxGuarded = 1000
	maxBetween = 13
)

// maxLooked bounds the values of which one condition may be made.
const maxLooked = 32

// maxDead bounds the operations of an arm that is taken to be empty of lanes.
const maxDead = 6

// What is clamped to the data, such as max(i - 1, 0), mostly need not have been:
// it is taken to be the operand, whose lanes are a row, in the same way.

// assumed is what all lanes of a strip are taken to do.
type assumed struct {
	ways   map[ir.V]bool // ifs at which they go the same way: whether that is the first arm
	clamps map[ir.V]ir.V // operations that yield one of their operands
}

func (a *assumed) way(v ir.V) (first, ok bool) {
	if a != nil {
		first, ok = a.ways[v]
	}
	return first, ok
}

func (a *assumed) clamp(v ir.V) (operand ir.V, ok bool) {
	if a != nil {
		operand, ok = a.clamps[v]
	}
	return operand, ok
}

// guards finds what may be assumed at the start of the entry point.
type guards struct {
	assumed
	f    *ir.Func
	s    *shapes
	left int // values of the condition that may still be looked at
}

// guardsOf returns nil where there is nothing.
func guardsOf(f *ir.Func, s *shapes) *assumed {
	g := guards{f: f, s: s, assumed: assumed{map[ir.V]bool{}, map[ir.V]ir.V{}}}
	if len(f.Code) > maxGuarded {
		return nil
	}
	for at := 0; at >= 0 && at < len(f.Code); {
		at = g.step(at)
	}
	if len(g.ways)+len(g.clamps) == 0 || !g.worth() {
		return nil
	}
	return &g.assumed
}

// worth reports whether much of the function is accesses whose masks go and
// whose offsets become rows.
func (g *guards) worth() bool {
	gains := 2 * len(g.clamps)
	for _, v := range g.f.Code {
		if x := g.f.Val(v); (x.Op == ir.Ld || x.Op == ir.St) && g.s.of[x.Args[1]].kind != uniform {
			gains++
		}
	}
	return gains*maxBetween >= len(g.f.Code)
}

// step looks at the operation at a place of the code and returns the place to
// go on from, or −1.
func (g *guards) step(at int) int {
	v := g.f.Code[at]
	switch x := g.f.Val(v); x.Op {
	case ir.Block, ir.End:
		return at + 1
	case ir.If:
		return g.choose(v, at)
	default:
		if !idle(x) {
			return -1
		}
		g.findClamp(v)
		return at + 1
	}
}

// findClamp looks for the greater or the smaller one of a row and a bound that
// is the same in all lanes: 0 or less, or nothing that is known.
func (g *guards) findClamp(v ir.V) {
	x := g.f.Val(v)
	if x.Type != ir.I32 || clamps[x.Op] == 0 {
		return
	}
	for i := range 2 {
		row, bound := x.Args[i], x.Args[1-i]
		from := row
		for from = row; ; {
			next, ok := g.clamps[from]
			if !ok {
				break
			}
			from = next
		}
		b := g.f.Val(bound)
		likely := b.Op != ir.Const || x.Op == ir.SMax && int32(b.Aux) <= 0
		if g.s.of[from].ascends() && g.s.of[from].regular && g.s.of[bound].kind == uniform && likely {
			g.clamps[v] = row
			return
		}
	}
}

// clamps are the operations that yield the lesser of two operands, or the
// greater one, and the relation that then holds.
var clamps = map[ir.Op]ir.Op{ir.SMin: ir.SLe, ir.SMax: ir.SLe, ir.UMin: ir.ULe, ir.UMax: ir.ULe}

// clamp makes a value that is taken to be one of its operands, and leaves for
// the function of all other strips where it is not. It reports whether it is
// one.
func (w *widener) clamp(v ir.V) bool {
	row, ok := w.assumed.clamp(v)
	if !ok {
		return false
	}
	x := w.src.Val(v)
	bound := x.Args[0]
	if bound == row {
		bound = x.Args[1]
	}
	r := relation{clamps[x.Op], bound, row}
	if x.Op == ir.SMin || x.Op == ir.UMin {
		r.low, r.high = row, bound
	}
	w.hold(r)
	w.values[v] = w.value(row)
	return true
}

// idle reports whether an operation has no effect, nor any control.
func idle(x *ir.Val) bool {
	return x.Op.HasResult() && !x.Op.Is(ir.Writes) && !x.Op.Is(ir.Meets) && x.Flags&ir.Volatile == 0 && x.Op != ir.Call && x.Op != ir.Exit
}

// choose takes an if to go the way of the arm that is more than a few
// operations and a branch.
func (g *guards) choose(v ir.V, at int) int {
	other, end := g.arms(at)
	c := g.f.Val(v).Args[0]
	if g.s.of[c].kind == uniform {
		return -1
	}
	if g.leaves(at+1, other) && g.leaves(other+1, end) {
		return -1 // either is as likely
	}
	g.left = maxLooked
	if _, ok := g.relations(c, false, nil); ok && g.leaves(at+1, other) {
		g.ways[v] = false
		if other < end {
			return other + 1
		}
		return end + 1
	}
	g.left = maxLooked
	if _, ok := g.relations(c, true, nil); ok && end-other <= maxDead {
		g.ways[v] = true
		return at + 1
	}
	return -1
}

// arms returns the places of the else, or of the end where there is none, and of
// the end of an if.
func (g *guards) arms(at int) (other, end int) {
	depth := 0
	for i := at; i < len(g.f.Code); i++ {
		switch g.f.Val(g.f.Code[i]).Op {
		case ir.Block, ir.Loop, ir.If:
			depth++
		case ir.Else:
			if depth == 1 {
				other = i
			}
		case ir.End:
			if depth--; depth == 0 {
				if other == 0 {
					other = i
				}
				return other, i
			}
		}
	}
	return at, at
}

// leaves reports whether an arm does nothing but to go away.
func (g *guards) leaves(from, to int) bool {
	return to > from && to-from <= maxDead && g.f.Val(g.f.Code[to-1]).Op == ir.Br
}

// relation is low < high, or low <= high, of numbers of 32 bits, one of which
// is a row and the other the same in all lanes.
type relation struct {
	op        ir.Op // ULt, ULe, SLt or SLe
	low, high ir.V
}

// relations appends what must hold in all lanes for c to be so in all of them,
// and reports whether that is all.
func (g *guards) relations(c ir.V, so bool, list []relation) ([]relation, bool) {
	if g.left--; g.left < 0 {
		return nil, false
	}
	x := g.f.Val(c)
	switch x.Op {
	case ir.Not:
		return g.relations(x.Args[0], !so, list)
	case ir.And, ir.Or:
		if so != (x.Op == ir.And) {
			return nil, false
		}
		list, ok := g.relations(x.Args[0], so, list)
		if !ok {
			return nil, false
		}
		return g.relations(x.Args[1], so, list)
	case ir.Select:
		if first, ok := g.relations(x.Args[0], true, list); ok {
			if first, ok = g.relations(x.Args[1], so, first); ok {
				return first, true
			}
		}
		list, ok := g.relations(x.Args[0], false, list)
		if !ok {
			return nil, false
		}
		return g.relations(x.Args[2], so, list)
	case ir.ULt, ir.ULe, ir.SLt, ir.SLe:
		r := relation{x.Op, x.Args[0], x.Args[1]}
		if !so {
			inverse := map[ir.Op]ir.Op{ir.ULt: ir.ULe, ir.ULe: ir.ULt, ir.SLt: ir.SLe, ir.SLe: ir.SLt}
			r = relation{inverse[x.Op], x.Args[1], x.Args[0]}
		}
		low, high := g.s.of[r.low], g.s.of[r.high]
		ok := low.ascends() && high.kind == uniform || high.ascends() && low.kind == uniform
		return append(list, r), ok && g.f.Type(r.low) == ir.I32
	}
	return nil, false
}

// ascends reports whether a value is a row that nowhere falls, unless it wraps.
func (x shape) ascends() bool {
	return x.kind == row && x.step <= maxStep && x.across <= maxStep
}

// reach is how much more the last lane holds than the first one, for as many
// parts as have one register.
func (w *widener) reach(x shape) uint32 {
	return x.step*uint32(w.dst.Form.Lanes-1) + x.across*uint32(w.parts-1)
}

// guard leaves for the function of all other strips unless an if goes the way
// it was taken to go.
func (w *widener) guard(v ir.V, so bool) {
	g := guards{f: w.src, s: w.shapes, left: maxLooked, assumed: *w.assumed}
	list, _ := g.relations(w.src.Val(v).Args[0], so, nil)
	for _, r := range list {
		w.hold(r)
	}
}

// hold leaves for the function of all other strips unless a relation holds in
// all lanes.
func (w *widener) hold(r relation) {
	low, high := w.shapes.of[r.low], w.shapes.of[r.high]
	if low.kind == row {
		for p := range w.apart(low) {
			w.unless(r.op, w.rowBase(r.low, p), w.gen(r.high), w.reach(low))
		}
		return
	}
	last, op := uint64(1<<32-1), ir.ULe
	if r.op == ir.SLt || r.op == ir.SLe {
		last, op = 1<<31-1, ir.SLe
	}
	for p := range w.apart(high) {
		first := w.rowBase(r.high, p)
		w.unless(r.op, w.gen(r.low), first, 0)
		w.unless(op, first, w.dst.NewConst(vcode.Gen, last), w.reach(high)) // it does not wrap
	}
}

// unless leaves unless x + more is less than y, as op says.
func (w *widener) unless(op ir.Op, x, y vcode.Reg, more uint32) {
	w.emit(vcode.Inst{
		Op: vcode.Guard, IR: op, Key: ir.Key{Type: ir.B1, From: ir.I32}, Uses: []vcode.Reg{x, y}, Step: more, Target: w.otherwise,
	})
}

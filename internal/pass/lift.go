package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Bounds on what lift passes by value.
const (
	maxLifted  = 16   // scalars behind one argument
	maxTargets = 1024 // variables that one argument may point into
)

// lift passes values instead of places: where a function is given the place of
// a variable that only its caller uses, and reads or writes scalars at known
// distances from it, it is given the scalars, keeps them in a variable of its
// own, and hands them back. Nobody else reads or writes the caller's variable
// meanwhile, so that the copies tell nothing. It does so only where all places
// that the program uses are known; what it leaves settle and promote can take.
func lift(p *ir.Program) {
	u := usePrivate(p)
	order, _ := callOrder(p)
	if !u.places || len(order) < len(p.Funcs) { // what nobody calls may use any place
		return
	}
	l := &lifter{p: p, u: u, targets: make([][][]aimed, len(p.Funcs)), taken: make([][]*lifted, len(p.Funcs))}
	for fn, f := range p.Funcs {
		l.targets[fn] = make([][]aimed, len(f.Args))
	}
	for i := len(order) - 1; i >= 0; i-- { // callers first: what they pass is known
		if !l.aim(order[i]) {
			return
		}
	}
	for _, fn := range order { // callees first: a place that is handed on is then only read and written
		l.calls(fn)
		if fn > 0 {
			l.function(fn)
		}
	}
}

// aimed is a slot of a variable.
type aimed struct{ v, slot uint64 }

// lifted is an argument that is replaced by scalars.
type lifted struct {
	cells   []cellAt
	written bool
	local   uint64 // the variable that holds the copies
}

// cellAt is a scalar at a distance from a place, in slots.
type cellAt struct {
	slot uint64
	t    ir.Type
}

type lifter struct {
	p       *ir.Program
	u       *private
	targets [][][]aimed // by function and argument: where it may point
	taken   [][]*lifted // by function and argument: how it is replaced
}

// base follows sums of a place and constants back to an argument or a paddr.
func base(f *ir.Func, v ir.V) (root ir.V, slot uint64, ok bool) {
	for range maxSteps {
		x := f.Val(v)
		if x.Op == ir.PAddr || x.Op == ir.Arg {
			return v, slot, true
		}
		if x.Op != ir.At || f.Val(x.Args[1]).Op != ir.Const || x.Aux > 1<<20 {
			break
		}
		if slot += f.Val(x.Args[1]).Aux * x.Aux; slot > 1<<20 {
			break
		}
		v = x.Args[0]
	}
	return 0, 0, false
}

// aim checks the places that a function uses, and notes those that it passes.
// It reports whether all of the former are known to lie in variables.
func (l *lifter) aim(fn int) bool {
	f := l.p.Funcs[fn]
	for _, v := range f.Code {
		x := f.Val(v)
		switch x.Op {
		case ir.PLdI, ir.PStI:
			for _, t := range l.reach(fn, x.Args[0]) {
				if t.slot+uint64(x.Type.Slots()) > uint64(l.p.Vars[t.v].Slots) {
					return false
				}
			}
			if _, _, ok := base(f, x.Args[0]); !ok || l.reach(fn, x.Args[0]) == nil {
				return false
			}
		case ir.Call:
			callee := f.Callee(v)
			if l.p.Funcs[callee].Texture != nil {
				continue // which takes no place
			}
			for i, a := range f.CallArgs(v) {
				to := &l.targets[callee][i]
				if *to = append(*to, l.reach(fn, a)...); len(*to) > maxTargets {
					return false
				}
				if l.reach(fn, a) == nil && f.Type(a) == ir.I32 { // no place that is known
					*to = append(*to, aimed{slot: 1 << 40})
				}
			}
		}
	}
	return true
}

// reach returns the slots that a value may be the place of, nil if that is not
// known.
func (l *lifter) reach(fn int, v ir.V) []aimed {
	f := l.p.Funcs[fn]
	root, slot, ok := base(f, v)
	if !ok {
		return nil
	}
	x := f.Val(root)
	if x.Op == ir.PAddr {
		return []aimed{{x.Aux, slot}}
	}
	list := append([]aimed(nil), l.targets[fn][x.Aux]...)
	for i := range list {
		list[i].slot += slot
	}
	return list
}

// use is what a function does with one of its arguments.
type use struct {
	lifted
	other bool // it is not only the place of scalars
}

// function replaces the arguments of a function that can be.
func (l *lifter) function(fn int) {
	f := l.p.Funcs[fn]
	uses := l.uses(f)
	l.taken[fn] = make([]*lifted, len(f.Args))
	any := false
	for i := range f.Args {
		if f.Texture == nil && l.fits(fn, uses, i) {
			l.taken[fn][i] = &uses[i].lifted
			any = true
		}
	}
	if any {
		l.replace(fn, f)
	}
}

// uses looks at what becomes of each argument.
func (l *lifter) uses(f *ir.Func) []use {
	uses := make([]use, len(f.Args))
	other := func(v ir.V) {
		if root, _, ok := base(f, v); ok && f.Val(root).Op == ir.Arg {
			uses[f.Val(root).Aux].other = true
		}
	}
	for _, v := range f.Code {
		x := f.Val(v)
		switch x.Op {
		case ir.At: // counts where it is used, if it is a distance from a place
			if _, _, ok := base(f, v); !ok {
				f.Operands(v, other)
			}
		case ir.PLdI, ir.PStI:
			if root, slot, ok := base(f, x.Args[0]); ok && f.Val(root).Op == ir.Arg {
				uses[f.Val(root).Aux].note(cellAt{slot, x.Type}, x.Op == ir.PStI)
			}
			if x.Op == ir.PStI {
				other(x.Args[1])
			}
		default:
			f.Operands(v, other)
		}
	}
	return uses
}

// note adds an access to a scalar.
func (u *use) note(c cellAt, write bool) {
	u.written = u.written || write
	u.other = u.other || c.t.Bits() < 32 && c.t != ir.B1
	for _, d := range u.cells {
		if d == c {
			return
		}
		if d.slot < c.slot+uint64(c.t.Slots()) && c.slot < d.slot+uint64(d.t.Slots()) {
			u.other = true // seen in two ways
		}
	}
	u.cells = append(u.cells, c)
}

// fits decides whether an argument is replaced.
func (l *lifter) fits(fn int, uses []use, i int) bool {
	u := &uses[i]
	if u.other || len(u.cells) > maxLifted || u.written && switchesOut(l.p.Funcs[fn]) {
		return false
	}
	if len(u.cells) == 0 {
		return true // nobody reads it
	}
	mine := map[uint64]bool{}
	for _, t := range l.targets[fn][i] {
		if t.slot >= 1<<40 || l.u.vars[t.v].several || l.u.vars[t.v].fn == fn {
			return false
		}
		mine[t.v] = true
	}
	for k := range uses {
		if o := &uses[k]; k != i && (o.written || o.other || u.written && len(o.cells) > 0) {
			for _, t := range l.targets[fn][k] {
				if mine[t.v] && t.slot < 1<<40 {
					return false
				}
			}
		}
	}
	return true
}

// switchesOut reports whether a switch returns from the function: then there
// is no place for results.
func switchesOut(f *ir.Func) bool {
	for _, v := range f.Code {
		if x := f.Val(v); x.Op == ir.Switch {
			if x.Args[1] == f.Body() {
				return true
			}
			for i, c := range f.Cases(v) {
				if i%2 == 1 && c == f.Body() {
					return true
				}
			}
		}
	}
	return false
}

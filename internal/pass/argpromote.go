package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Limits on promoted arguments.
const (
	maxScalars = 16   // scalars that replace one argument
	maxTargets = 1024 // slots that one argument may point to
)

// promoteArgs is argument promotion: a function that gets the address of its
// caller's variable gets the scalars at that address instead.
//
//	main:  v1 = paddr #0              main:  v1 = paddr #0
//	       call 1(v1)                        v2 = pldi.f32 v1
//	                                         v3 = call 1(v2)
//	                                         psti.f32 v1, v3
//	f(v4): v5 = pldi.f32 v4           f(v4): pst.f32 0:i32, v4, #1
//	       …                                 v5 = pld.f32 0:i32, #1
//	       psti.f32 v4, v6                   pst.f32 0:i32, v6, #1
//	                                         v7 = pld.f32 0:i32, #1
//	                                         br L1(v7)
//
// The function keeps the scalars in a variable of its own, and returns those that it
// writes. LLVM's ArgumentPromotion handles only arguments that are read. The copies
// are correct because only the caller uses its variable: no other argument and no
// other function may access it during the call. All addresses that the program uses
// must be known, or an unknown one might alias. resolveprivate and mem2reg then
// remove both the indirect accesses and the variables.
func promoteArgs(p *ir.Program) {
	u := usePrivate(p)
	order, _ := callOrder(p)
	if !u.indirect || len(order) < len(p.Funcs) { // an unreachable function may use any address
		return
	}
	l := &argPromoter{p: p, u: u, targets: make([][][]target, len(p.Funcs)), promoted: make([][]*promotedArg, len(p.Funcs))}
	for fn, f := range p.Funcs {
		l.targets[fn] = make([][]target, len(f.Args))
	}
	for i := len(order) - 1; i >= 0; i-- { // callers first: they determine where arguments point to
		if !l.collectTargets(order[i]) {
			return
		}
	}
	for _, fn := range order { // callees first: an argument passed on is then only loaded and stored
		l.calls(fn)
		if fn > 0 {
			l.function(fn)
		}
	}
}

// target is a slot of a variable that an address may point to.
type target struct{ v, slot uint64 }

// promotedArg is an argument that scalars replace.
type promotedArg struct {
	cells   []scalarAt
	written bool
	local   uint64 // the callee's variable that holds the copies
}

// scalarAt is a scalar at an offset from the argument, in slots.
type scalarAt struct {
	slot uint64
	t    ir.Type
}

type argPromoter struct {
	p        *ir.Program
	u        *private
	targets  [][][]target     // by function and argument: the slots it may point to
	promoted [][]*promotedArg // by function and argument: its replacement, or nil
}

// base follows sums of an address and constants back to an argument or a paddr.
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

// collectTargets checks the indirect accesses of a function and records where the
// arguments of its calls point to. It reports whether every access is known to be in
// range of its variables.
func (l *argPromoter) collectTargets(fn int) bool {
	f := l.p.Funcs[fn]
	for _, v := range f.Code {
		x := f.Val(v)
		switch x.Op {
		case ir.PLdI, ir.PStI, ir.RayI:
			for _, t := range l.pointsTo(fn, x.Args[0]) {
				if t.slot+accessSlots(x) > uint64(l.p.Vars[t.v].Slots) {
					return false
				}
			}
			if _, _, ok := base(f, x.Args[0]); !ok || l.pointsTo(fn, x.Args[0]) == nil {
				return false
			}
		case ir.Call:
			callee := f.Callee(v)
			if l.p.Funcs[callee].Texture != nil {
				continue // a texture function takes no address
			}
			for i, a := range f.CallArgs(v) {
				to := &l.targets[callee][i]
				if *to = append(*to, l.pointsTo(fn, a)...); len(*to) > maxTargets {
					return false
				}
				if l.pointsTo(fn, a) == nil && f.Type(a) == ir.I32 { // an unknown value, perhaps an address
					*to = append(*to, target{slot: 1 << 40})
				}
			}
		}
	}
	return true
}

// pointsTo returns the slots that an address may point to, or nil if they are
// unknown.
func (l *argPromoter) pointsTo(fn int, v ir.V) []target {
	f := l.p.Funcs[fn]
	root, slot, ok := base(f, v)
	if !ok {
		return nil
	}
	x := f.Val(root)
	if x.Op == ir.PAddr {
		return []target{{x.Aux, slot}}
	}
	list := append([]target(nil), l.targets[fn][x.Aux]...)
	for i := range list {
		list[i].slot += slot
	}
	return list
}

// use summarizes the uses of one argument of a function.
type use struct {
	promotedArg
	other bool // it is used in another way than as the address of a scalar
}

// function promotes the arguments of a function that qualify.
func (l *argPromoter) function(fn int) {
	f := l.p.Funcs[fn]
	uses := l.uses(f)
	l.promoted[fn] = make([]*promotedArg, len(f.Args))
	any := false
	for i := range f.Args {
		if f.Texture == nil && l.fits(fn, uses, i) {
			l.promoted[fn][i] = &uses[i].promotedArg
			any = true
		}
	}
	if any {
		l.replace(fn, f)
	}
}

// uses summarizes the uses of each argument.
func (l *argPromoter) uses(f *ir.Func) []use {
	uses := make([]use, len(f.Args))
	other := func(v ir.V) {
		if root, _, ok := base(f, v); ok && f.Val(root).Op == ir.Arg {
			uses[f.Val(root).Aux].other = true
		}
	}
	for _, v := range f.Code {
		x := f.Val(v)
		switch x.Op {
		case ir.At: // a constant offset counts at the access that uses it
			if _, _, ok := base(f, v); !ok {
				f.Operands(v, other)
			}
		case ir.PLdI, ir.PStI:
			if root, slot, ok := base(f, x.Args[0]); ok && f.Val(root).Op == ir.Arg {
				uses[f.Val(root).Aux].note(scalarAt{slot, x.Type}, x.Op == ir.PStI)
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

// note adds an access to a scalar. Overlapping accesses of different types, and
// types narrower than a slot, cannot be scalars.
func (u *use) note(c scalarAt, write bool) {
	u.written = u.written || write
	u.other = u.other || c.t.Bits() < 32 && c.t != ir.B1
	for _, d := range u.cells {
		if d == c {
			return
		}
		if d.slot < c.slot+uint64(c.t.Slots()) && c.slot < d.slot+uint64(d.t.Slots()) {
			u.other = true // // accesses overlap
		}
	}
	u.cells = append(u.cells, c)
}

// fits decides whether an argument is promoted. Its targets must be variables of one
// caller only, and no other argument may access them if either writes.
func (l *argPromoter) fits(fn int, uses []use, i int) bool {
	u := &uses[i]
	if u.other || len(u.cells) > maxScalars || u.written && switchesOut(l.p.Funcs[fn]) {
		return false
	}
	if len(u.cells) == 0 {
		return true // never accessed
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

// switchesOut reports whether a switch returns from the function. A switch passes no
// arguments, so such a function cannot return promoted scalars.
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

package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// private says how a program uses the private memory of its lanes.
type private struct {
	places bool // reaches it through places: any slot of any variable may be meant
	vars   []varUse
}

// varUse is how a program uses one variable.
type varUse struct {
	fn      int  // the function that uses it, if it is one; −1 none
	several bool // functions use it
	dynamic bool // a slot is known at run time only, or the access is volatile
	loads   bool // is read
	clears  int  // how many pclr name it
}

func usePrivate(p *ir.Program) *private {
	u := &private{vars: make([]varUse, len(p.Vars))}
	for i := range u.vars {
		u.vars[i].fn = -1
	}
	for fn, f := range p.Funcs {
		for _, v := range f.Code {
			u.note(fn, f, f.Val(v))
		}
	}
	return u
}

func (u *private) note(fn int, f *ir.Func, x *ir.Val) {
	switch x.Op {
	case ir.PLdI, ir.PStI:
		u.places = true
		return
	case ir.PAddr:
		u.places = true
	case ir.PLd, ir.PSt, ir.PClr:
	default:
		return
	}
	w := &u.vars[x.Aux]
	w.several = w.several || w.fn >= 0 && w.fn != fn
	w.fn = fn
	w.loads = w.loads || x.Op == ir.PLd
	switch {
	case x.Op == ir.PAddr:
	case x.Op == ir.PClr:
		w.clears++
	case f.Val(x.Args[0]).Op != ir.Const || x.Flags&ir.Volatile != 0:
		w.dynamic = true
	}
}

// release takes the slots from variables that nobody uses any more. The others
// keep their numbers; where the program uses places, they keep their places too.
func release(p *ir.Program) {
	u := usePrivate(p)
	for i := range p.Vars {
		if !u.places && u.vars[i].fn < 0 {
			p.Vars[i].Slots = 0
		}
	}
}

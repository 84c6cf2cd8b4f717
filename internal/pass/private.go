package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// private summarizes how a program uses the private memory of a lane.
type private struct {
	indirect bool // an access through an address: any slot of any variable may be accessed
	vars     []varUse
}

// varUse summarizes the uses of one variable.
type varUse struct {
	fn      int  // a function that uses it; −1 if none does
	several bool // more than one function uses it
	dynamic bool // an access is volatile, has a slot that is not constant, or serves a ray
	loads   bool // it is loaded
	clears  int  // pclr operations on it
}

// usePrivate scans the program.
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

// note adds one operation of function fn.
func (u *private) note(fn int, f *ir.Func, x *ir.Val) {
	switch x.Op {
	case ir.PLdI, ir.PStI, ir.RayI, ir.Trace, ir.Search, ir.Shade, ir.Record, ir.Report, ir.Execute:
		u.indirect = true
		return
	case ir.PAddr, ir.PLd, ir.PSt, ir.PClr, ir.Ray:
	default:
		return
	}
	w := &u.vars[x.Aux]
	w.several = w.several || w.fn >= 0 && w.fn != fn
	w.fn = fn
	w.loads = w.loads || x.Op == ir.PLd || x.Op == ir.Ray
	switch {
	case x.Op == ir.PAddr:
	case x.Op == ir.PClr:
		w.clears++
	case f.Val(x.Args[0]).Op != ir.Const || x.Flags&ir.Volatile != 0 || x.Op == ir.Ray:
		w.dynamic = true
	}
}

// dropUnusedVars removes the slots of unused variables. The variables keep their
// numbers. If the program uses addresses, nothing changes, because addresses number
// the slots of all variables.
func dropUnusedVars(p *ir.Program) {
	u := usePrivate(p)
	for i := range p.Vars {
		if !u.indirect && u.vars[i].fn < 0 {
			p.Vars[i].Slots = 0
		}
	}
}

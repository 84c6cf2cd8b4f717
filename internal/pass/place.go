package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// settle makes accesses to variables of accesses through places that certainly
// lie in one variable. What the latter see is the same: a place within a
// variable is that variable's slot.
func settle(p *ir.Program, f *ir.Func) {
	e := editor{f: f}
	for _, v := range f.Code {
		x := f.Val(v)
		if x.Op != ir.PLdI && x.Op != ir.PStI {
			continue
		}
		number, slot, ok := known(p, f, x)
		if !ok {
			number, slot, ok = clamped(p, f, x)
		} else {
			slot = e.constant(ir.I32, uint64(slot))
			x = f.Val(v)
		}
		if !ok {
			continue
		}
		if x.Op == ir.PLdI {
			x.Op = ir.PLd
		} else {
			x.Op = ir.PSt
		}
		x.Aux, x.Args[0] = number, slot
	}
}

// maxSteps is how many sums known looks through.
const maxSteps = 8

// known returns the variable and the slot, as a number, where the place is a
// constant distance from a variable's first slot, and within it.
func known(p *ir.Program, f *ir.Func, x *ir.Val) (number uint64, slot ir.V, ok bool) {
	at, sum := f.Val(x.Args[0]), uint64(0)
	for range maxSteps {
		if at.Op == ir.PAddr {
			return at.Aux, ir.V(sum), sum+uint64(x.Type.Slots()) <= uint64(p.Vars[at.Aux].Slots)
		}
		i := f.Val(at.Args[1])
		if at.Op != ir.At || i.Op != ir.Const || at.Aux > 1<<30 {
			break
		}
		if sum += i.Aux * at.Aux; sum > 1<<30 {
			break
		}
		at = f.Val(at.Args[0])
	}
	return 0, 0, false
}

// clamped returns the variable and the slot where the place is that of a slot
// which was compared with the variable's size, or else outside of all memory.
// A value of two slots could lie half in the next variable.
func clamped(p *ir.Program, f *ir.Func, x *ir.Val) (number uint64, slot ir.V, ok bool) {
	s := f.Val(x.Args[0])
	if s.Op != ir.Select || x.Type.Slots() != 1 {
		return 0, 0, false
	}
	in, at, out := f.Val(s.Args[0]), f.Val(s.Args[1]), f.Val(s.Args[2])
	if in.Op != ir.ULt || at.Op != ir.At || at.Aux != 1 || out.Op != ir.Const || out.Aux != 1<<32-1 {
		return 0, 0, false
	}
	base, n := f.Val(at.Args[0]), f.Val(in.Args[1])
	if base.Op != ir.PAddr || at.Args[1] != in.Args[0] || n.Op != ir.Const || n.Aux != uint64(p.Vars[base.Aux].Slots) {
		return 0, 0, false
	}
	return base.Aux, in.Args[0], p.PrivateSlots() < 1<<32-1
}

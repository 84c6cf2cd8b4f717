package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// resolvePrivate is the resolution of indirect private accesses: an access through
// an address that is certainly inside one variable becomes a direct one.
//
//	v1 = paddr #1
//	v2 = at v1, 3:i32, #1
//	v3 = pldi.i32 v2           // becomes pld.i32 3:i32, #1
//
// Constant offsets, of at and add, are summed as LLVM's stripAndAccumulateConstantOffsets does. A
// variable index qualifies if the program itself checks it against the variable's
// size, as lowering does for every access chain. An address that was stored to a slot and is loaded from it
// is known (store-to-load forwarding) if nothing between the two may store to the slot.
func resolvePrivate(p *ir.Program, f *ir.Func) {
	e := editor{f: f}
	var stored addresses
	for _, v := range f.Code {
		stored.note(p, f, e.resolve(p, v))
	}
}

// addresses are the slots that hold the address of a variable, from the stores of the straight-line code before an
// operation. Ray tracing pipelines pass the payload of a ray so: its address is stored in the frame of the ray,
// just before the call that loads it.
type addresses map[[2]uint64]uint64 // by variable and slot

// note follows an operation. A load of an address becomes the address. Operations that may store to any slot, and those
// of control flow, where other code may join, forget all addresses.
func (a *addresses) note(p *ir.Program, f *ir.Func, x *ir.Val) {
	switch {
	case x.Op == ir.PSt && f.Val(x.Args[0]).Op == ir.Const:
		slot := f.Val(x.Args[0]).Aux
		delete(*a, [2]uint64{x.Aux, slot})
		delete(*a, [2]uint64{x.Aux, slot + 1})
		if value := f.Val(x.Args[1]); value.Op == ir.PAddr && x.Flags&ir.Volatile == 0 && slot < uint64(p.Vars[x.Aux].Slots) {
			if *a == nil {
				*a = addresses{}
			}
			(*a)[[2]uint64{x.Aux, slot}] = value.Aux
		}
	case x.Op == ir.PLd && x.Type == ir.I32 && x.Flags&ir.Volatile == 0 && f.Val(x.Args[0]).Op == ir.Const:
		if number, ok := (*a)[[2]uint64{x.Aux, f.Val(x.Args[0]).Aux}]; ok {
			x.Op, x.Aux, x.Args = ir.PAddr, number, [4]ir.V{}
		}
	case x.Op == ir.PSt, x.Op == ir.PClr, x.Op == ir.PStI, x.Op.Family() == ir.Rays, x.Op.OfStage(), x.Op.Family() == ir.ControlFlow:
		clear(*a)
	}
}

// resolve resolves the access v, if it is an indirect one, and returns the operation that it is then.
func (e *editor) resolve(p *ir.Program, v ir.V) *ir.Val {
	f := e.f
	x := f.Val(v)
	if x.Op != ir.PLdI && x.Op != ir.PStI && x.Op != ir.RayI {
		return x
	}
	number, slot, ok := constantSlot(p, f, x)
	if !ok {
		number, slot, ok = boundedSlot(p, f, x)
	} else {
		slot = e.constant(ir.I32, uint64(slot))
		x = f.Val(v)
	}
	if !ok {
		return x
	}
	switch x.Op {
	case ir.PLdI:
		x.Op = ir.PLd
	case ir.PStI:
		x.Op = ir.PSt
	default:
		x.Op = ir.Ray
	}
	x.Aux, x.Args[0] = number, slot
	return x
}

// accessSlots returns the number of slots that an indirect operation accesses.
func accessSlots(x *ir.Val) uint64 {
	if x.Op == ir.RayI {
		return ir.RaySlots
	}
	return uint64(x.Type.Slots())
}

// maxSteps limits the sums that constantSlot and base follow.
const maxSteps = 8

// constantSlot returns the variable and the slot number of an access at a constant
// offset in range of one variable. The slot is a plain number, not yet a value.
func constantSlot(p *ir.Program, f *ir.Func, x *ir.Val) (number uint64, slot ir.V, ok bool) {
	at, sum := f.Val(x.Args[0]), uint64(0)
	for range maxSteps {
		if at.Op == ir.PAddr {
			return at.Aux, ir.V(sum), sum+accessSlots(x) <= uint64(p.Vars[at.Aux].Slots)
		}
		i, scale := f.Val(at.Args[1]), at.Aux
		if at.Op == ir.Add {
			scale = 1
		}
		if at.Op != ir.At && at.Op != ir.Add || i.Op != ir.Const || scale > 1<<30 {
			break
		}
		if sum += i.Aux * scale; sum > 1<<30 {
			break
		}
		at = f.Val(at.Args[0])
	}
	return 0, 0, false
}

// boundedSlot returns the variable and slot of an access whose address is
//
//	select(ult(slot, size), at(paddr, slot), 2³²−1)
//
// The direct access does the same: out of range it reads 0 or writes nothing. A
// value of two slots does not qualify: it could overlap the next variable.
func boundedSlot(p *ir.Program, f *ir.Func, x *ir.Val) (number uint64, slot ir.V, ok bool) {
	s := f.Val(x.Args[0])
	if s.Op != ir.Select || accessSlots(x) != 1 {
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

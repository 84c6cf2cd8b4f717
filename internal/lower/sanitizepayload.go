package lower

import "github.com/chiaro-gpu/chiaro/internal/ir"

// The shaders of a ray tracing pipeline share private memory and its shadow, the input RayShadow: the shadow of the slot with an address is
// at this address in it. So payloads, callable data and hit attributes stay undefined from shader to shader until a store. Variables
// with an address in a register have their shadows there. Payloads are undefined at the start of their shader,
// hit attributes at the start of the intersection shader.

// sharesShadow reports whether a variable has its shadow in the shared one.
func (w *follower) sharesShadow(number uint64) bool {
	return w.prog.Stage.OfRays() && w.exposed[number]
}

// incoming returns the source of the value at an address in private memory; nil if it is always defined.
func (w *follower) incoming(f *ir.Func, at ir.V) *source {
	slot := uint64(0)
	for x := f.Val(at); ; x = f.Val(x.Args[0]) {
		switch x.Op {
		case ir.At:
			if i := f.Val(x.Args[1]); i.Op == ir.Const {
				slot += i.Aux * x.Aux
			} else {
				slot += ir.FrameAttributes // fields of a frame have known slots
			}
			continue
		case ir.In:
			switch s := w.prog.In[x.Aux].Semantic; {
			case s == ir.RayPayload && w.prog.Stage == ir.Callable:
				return w.named(undefinedPayload, "the incoming callable data")
			case s == ir.RayPayload:
				return w.named(undefinedPayload, "the incoming payload")
			case s == ir.RayFrame && slot >= ir.FrameAttributes:
				return w.named(undefinedPayload, "the hit attributes")
			case s == ir.RayFrame:
				return nil
			}
		case ir.PAddr:
			return w.of[x.Aux]
		}
		return w.named(undefinedPayload, "a variable of a pointer")
	}
}

// sharedAddress returns the address of the shadow of an address in private memory.
func (x *instrumented) sharedAddress(at ir.V) ir.V {
	base := x.b.OpAux(ir.In, ir.I32, x.inputNumber(ir.Input{Semantic: ir.RayShadow, Type: ir.I32}))
	return x.b.OpAux(ir.At, ir.I32, 1, base, at)
}

// slotAddress returns the address of the shadow of a slot of a variable; out of range for a slot beyond it.
func (x *instrumented) slotAddress(number uint64, slot ir.V) ir.V {
	in := x.b.Cmp(ir.ULt, slot, x.b.I32(x.prog.Vars[number].Slots))
	at := x.sharedAddress(x.b.OpAux(ir.At, ir.I32, 1, x.b.OpAux(ir.PAddr, ir.I32, number), slot))
	return x.b.Select(in, at, x.b.I32(farAway))
}

// setShared stores the shadow of a value of a type.
func (x *instrumented) setShared(at ir.V, t ir.Type, word ir.V) {
	x.b.Op(ir.PStI, ir.I32, at, word)
	if t.Slots() > 1 {
		x.b.Op(ir.PStI, ir.I32, x.b.OpAux(ir.At, ir.I32, 1, at, x.b.I32(1)), word)
	}
}

// poisonAttributes marks the attributes of the candidate as undefined, at the start of an intersection shader.
func (x *instrumented) poisonAttributes() {
	n := x.prog.AttributeSlots
	if n == 0 {
		n = ir.MaxAttributeSlots
	}
	frame := x.b.OpAux(ir.In, ir.I32, x.inputNumber(ir.Input{Semantic: ir.RayFrame, Type: ir.I32}))
	for i := range n {
		at := x.b.OpAux(ir.At, ir.I32, 1, frame, x.b.I32(ir.FrameAttributes+i))
		x.b.Op(ir.PStI, ir.I32, x.sharedAddress(at), x.b.I32(poisoned))
	}
}

// followPassed marks a variable of the storage classes of payloads as undefined until it is stored to.
func (u *unit) followPassed(number, slots uint64, name string) {
	u.followVariable(number, slots, name, false)
	if s := u.followed[number]; s != nil {
		u.followed[number] = &source{undefinedPayload, s.names}
	}
}

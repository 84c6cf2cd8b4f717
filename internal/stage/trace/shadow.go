package trace

import "github.com/chiaro-gpu/chiaro/internal/ir"

// With the sanitizer uninit the shaders of a pipeline share a shadow of private memory: slot n of one variable is the shadow of the
// slot with the address n. The variable is the last one of the program, so no address exceeds its size: passes only make
// variables before it smaller, and their new variables after it have no addresses.

// shadowVariable is the number of the variable until all other ones have theirs.
const shadowVariable = 1<<32 - 1

// shadow returns the address of the shadow, until placeShadow with an unused number.
func (c *composer) shadow() ir.V {
	c.shadows = true
	return c.w.B.OpAux(ir.PAddr, ir.I32, shadowVariable)
}

// placeShadow adds the variable to the program.
func (c *composer) placeShadow() {
	if !c.shadows {
		return
	}
	number := uint64(len(c.prog.Vars))
	c.prog.Vars = append(c.prog.Vars, ir.Var{Name: "shadow", Slots: c.prog.PrivateSlots(), Func: -1})
	for _, f := range c.prog.Funcs {
		for i := range f.Vals {
			if x := &f.Vals[i]; x.Op == ir.PAddr && x.Aux == shadowVariable {
				x.Aux = number
			}
		}
	}
}

// moveShadows copies the shadows of n slots of a frame.
func (c *composer) moveShadows(frame ir.V, to, from, n uint32) {
	if !c.followed() {
		return
	}
	b, shadow := c.w.B, c.shadow()
	at := func(slot uint32) ir.V { return b.OpAux(ir.At, ir.I32, 1, shadow, c.w.Add(frame, b.I32(slot))) }
	for i := range n {
		b.Op(ir.PStI, ir.I32, at(to+i), b.Op(ir.PLdI, ir.I32, at(from+i)))
	}
}

// followed reports whether a shader of the pipeline follows undefined values through addresses.
func (c *composer) followed() bool {
	for _, s := range c.from.Shaders {
		for _, in := range s.In {
			if in.Semantic == ir.RayShadow {
				return true
			}
		}
	}
	return false
}

package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/direct"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

var derivativeRules = rules{
	spirv.OpDPdx:         derivative(acrossX, false),
	spirv.OpDPdy:         derivative(acrossY, false),
	spirv.OpFwidth:       fwidth(false),
	spirv.OpDPdxFine:     derivative(acrossX, true),
	spirv.OpDPdyFine:     derivative(acrossY, true),
	spirv.OpFwidthFine:   fwidth(true),
	spirv.OpDPdxCoarse:   derivative(acrossX, false),
	spirv.OpDPdyCoarse:   derivative(acrossY, false),
	spirv.OpFwidthCoarse: fwidth(false),
}

// The two neighbours of a lane in its quad, as the lane's number with one bit
// flipped (Vulkan, Scope: Quad).
const (
	acrossX = 1
	acrossY = 2
)

// derivative lowers OpDPdx and OpDPdy. Forms that need not be fine are fine too, which Vulkan permits,
// unless Options.CoarseDerivatives is set.
func derivative(direction uint64, fine bool) rule {
	return func(f *function, in spirv.Inst) {
		f.eachComponent(in, f.operands(in[3:]), func(_ ir.Type, a []direct.Operand[ir.V]) ir.V {
			return f.partial(a[0].Value, direction, fine)
		})
	}
}

// fwidth lowers OpFwidth: the sum of the magnitudes of both derivatives.
func fwidth(fine bool) rule {
	return func(f *function, in spirv.Inst) {
		f.eachComponent(in, f.operands(in[3:]), func(t ir.Type, a []direct.Operand[ir.V]) ir.V {
			dx := f.b.Op(ir.FAbs, t, f.partial(a[0].Value, acrossX, fine))
			dy := f.b.Op(ir.FAbs, t, f.partial(a[0].Value, acrossY, fine))
			return f.Make(ir.FAdd, t, t, dx, dy, 0)
		})
	}
}

// partial returns a derivative. A coarse one is the difference of the lane at the quad's first row and
// column, P0, and its neighbour.
func (f *function) partial(x ir.V, direction uint64, fine bool) ir.V {
	d := f.difference(x, direction)
	if fine || !f.options.CoarseDerivatives {
		return d
	}
	other := uint64(acrossX|acrossY) &^ direction // the difference is the same along its own direction
	swapped := f.b.Emit(ir.Val{Op: ir.QuadSwap, Type: f.b.Func.Type(d), Flags: ir.AnyNaN, Args: [4]ir.V{d}, Aux: other})
	return f.b.Select(f.first(other), d, swapped)
}

// difference returns the value of the farther one of a lane and its neighbour
// less the value of the nearer one.
func (f *function) difference(x ir.V, direction uint64) ir.V {
	f.requireQuads("a derivative")
	f.checkFloats(x)
	t := f.b.Func.Type(x)
	// Which NaN a neighbour has makes no difference to a difference of floats.
	other := f.b.Emit(ir.Val{Op: ir.QuadSwap, Type: t, Flags: ir.AnyNaN, Args: [4]ir.V{x}, Aux: direction})
	near := f.first(direction)
	return f.Make(ir.FSub, t, t, f.b.Select(near, other, x), f.b.Select(near, x, other), 0)
}

// first reports whether the lane is in the first column or row of its quad.
func (f *function) first(direction uint64) ir.V {
	var side ir.V
	switch {
	case f.prog.Stage != ir.Fragment:
		side = f.b.Op(ir.And, ir.I32, f.lane(), f.b.I32(uint32(direction)))
	case direction == acrossX: // the caller that forms the fragments defines the positions of a quad's lanes
		side = f.input32(ir.QuadX)
	default:
		side = f.input32(ir.QuadY)
	}
	return f.b.Cmp(ir.Eq, side, f.b.I32(0))
}

// quadOrder applies the execution mode DerivativeGroupQuadsKHR: four consecutive
// lanes are two by two invocations then, so that the
// invocations of the workgroup are numbered quad by quad.
func (u *unit) quadOrder() {
	for _, m := range u.entry.Modes {
		if m.Kind == spirv.ExecutionModeDerivativeGroupQuadsKHR {
			u.quads = true
		}
	}
	if s := u.prog.LocalSize; u.quads && (s[0]%2 != 0 || s[1]%2 != 0) {
		u.malformed("the workgroup of quads has %d×%d×%d invocations; must have even numbers of columns and rows", s[0], s[1], s[2])
	}
}

// inQuads returns component i of a built-in that is the position of an invocation
// in its workgroup, if invocations are numbered quad by quad; false for all
// others.
func (f *function) inQuads(k spirv.BuiltIn, i int) (ir.V, bool) {
	switch k {
	case spirv.BuiltInLocalInvocationId:
		return f.quadCoordinate(i), true
	case spirv.BuiltInGlobalInvocationId:
		group := f.input32(ir.WorkgroupIdX + ir.Semantic(i))
		first := f.b.Op(ir.Mul, ir.I32, group, f.b.I32(f.prog.LocalSize[i]))
		return f.b.Op(ir.Add, ir.I32, first, f.quadCoordinate(i)), true
	case spirv.BuiltInLocalInvocationIndex:
		s := f.prog.LocalSize
		row := f.b.Op(ir.Add, ir.I32, f.quadCoordinate(1), f.b.Op(ir.Mul, ir.I32, f.quadCoordinate(2), f.b.I32(s[1])))
		return f.b.Op(ir.Add, ir.I32, f.quadCoordinate(0), f.b.Op(ir.Mul, ir.I32, row, f.b.I32(s[0]))), true
	}
	return 0, false
}

// quadCoordinate returns a coordinate of the invocation in its workgroup.
func (f *function) quadCoordinate(i int) ir.V {
	s := f.prog.LocalSize
	n := f.input32(ir.LocalInvocationIndex) // as the lanes are numbered
	quad := f.b.Op(ir.LShr, ir.I32, n, f.b.I32(2))
	row := f.b.Op(ir.UDiv, ir.I32, quad, f.b.I32(s[0]/2))
	var at, bit ir.V
	switch i {
	case 0:
		at, bit = f.b.Op(ir.UMod, ir.I32, quad, f.b.I32(s[0]/2)), n
	case 1:
		at, bit = f.b.Op(ir.UMod, ir.I32, row, f.b.I32(s[1]/2)), f.b.Op(ir.LShr, ir.I32, n, f.b.I32(1))
	default:
		return f.b.Op(ir.UDiv, ir.I32, row, f.b.I32(s[1]/2))
	}
	at = f.b.Op(ir.Shl, ir.I32, at, f.b.I32(1))
	return f.b.Op(ir.Or, ir.I32, at, f.b.Op(ir.And, ir.I32, bit, f.b.I32(1)))
}

// requireQuads ends lowering if subgroups are too small for quads: user needs them (Vulkan, Scope: Quad).
func (u *unit) requireQuads(user string) {
	if n := u.options.SubgroupSize; n < 4 {
		u.unsupported("%s in subgroups of %d; a quad needs subgroups of at least 4 invocations", user, n)
	}
}

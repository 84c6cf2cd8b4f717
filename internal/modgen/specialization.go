package modgen

import (
	"fmt"
	"math"

	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// most is the number of specialization constants that a module has at most.
const most = 8

// specialized returns a specialization constant of a scalar type of 32 bits, or
// of Boolean type: one with a value from the dispatch, or an operation on
// two of them.
func (g *maker) specialized(t *typ) value {
	if len(g.spec) < most && g.chance(2) {
		return g.specConstant(t)
	}
	a, b := g.specInput(u32), g.specInput(u32)
	g.names++
	id := fmt.Sprintf("%%so%d", g.names)
	form := "OpSpecConstantOp " + g.typeOf(t)
	switch t.shape.Class {
	case typing.Bool:
		form += " " + choose(g.source, "ULessThan", "IEqual", "SGreaterThanEqual") + " " + a + " " + b
	case typing.Float:
		return g.specConstant(t)
	default:
		c := g.declare(id+"c", "OpSpecConstantOp "+g.typeOf(boolean)+" UGreaterThan "+a+" "+b)
		form += " " + choose(g.source, "IAdd "+a+" "+b, "ISub "+a+" "+b, "IMul "+a+" "+b, "BitwiseXor "+a+" "+b, "BitwiseOr "+a+" "+b,
			"Not "+a, "SNegate "+a, "Select "+c+" "+a+" "+b, "UDiv "+a+" "+g.constant(u32, "3"), "UMod "+a+" "+g.constant(u32, "7"),
			"ShiftRightLogical "+a+" "+g.constant(u32, "5"), "ShiftRightArithmetic "+a+" "+g.constant(u32, "3"))
		if t.is(typing.Int) { // the operands of most have the type of the result
			u := g.declare(id+"u", "OpSpecConstantOp "+g.typeOf(u32)+form[len("OpSpecConstantOp "+g.typeOf(t)):])
			form = "OpSpecConstantOp " + g.typeOf(t) + " IAdd " + u + " " + g.constant(t, "0")
		}
	}
	return value{g.declare(id, form), t, true}
}

// specInput returns the id of a specialization constant of type t, or of another
// constant when there are enough of them.
func (g *maker) specInput(t *typ) string {
	if len(g.spec) < most {
		return g.specConstant(t).id
	}
	return g.constant(t, g.literal(t))
}

// specConstant declares a specialization constant and its value in the dispatch.
func (g *maker) specConstant(t *typ) value {
	if len(g.spec) == most {
		return value{g.constant(t, g.literal(t)), t, true}
	}
	id := fmt.Sprintf("%%sc%d", len(g.spec))
	g.note(fmt.Sprintf("%s SpecId %d", id, len(g.spec)))
	form := "OpSpecConstant " + g.typeOf(t) + " " + g.literal(t)
	x := choose(g.source, 0, 1, 7, 1<<31, math.MaxUint32, uint32(g.intn(1<<16)))
	switch t.shape.Class {
	case typing.Bool:
		form = choose(g.source, "OpSpecConstantTrue ", "OpSpecConstantFalse ") + g.typeOf(t)
		x &= 1
	case typing.Float:
		x = math.Float32bits(choose[float32](g.source, 1, -2, 0.5, 3.25))
	}
	g.spec = append(g.spec, x)
	return value{g.declare(id, form), t, true}
}

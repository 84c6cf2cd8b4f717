package ptx

import "strings"

// The instructions whose types are all of one class (PTX ISA, "Instructions"): bits and integers, or floats. The checker does not tell
// signed, unsigned and untyped integers apart, because assemblers do not.
var (
	integerOps = setOf(`addc subc madc mul24 mad24 clmad sad rem popc clz bfind fns brev bfe bfi bmsk szext dp4a dp2a cnot lop3 shl shr shf prmt
		and or xor not match activemask`)
	floatOps = setOf(`rcp sqrt rsqrt sin cos lg2 ex2 tanh copysign testp fma`)
)

// types checks the types of an instruction against its class.
func (c *checker) types(i *Instr) {
	for _, m := range i.Mods {
		if TypeSize(m) == 0 {
			continue
		}
		switch float := isFloat(m); {
		case integerOps[i.Op] && float:
			c.find(CodeType, i.Pos, "%s has the type %s; must have a type of bits or integers", i.Name(), m)
			return
		case floatOps[i.Op] && !float:
			c.find(CodeType, i.Pos, "%s has the type %s; must have a type of floats", i.Name(), m)
			return
		case float && (i.Op == "mul" || i.Op == "mad") && (i.Has(".lo") || i.Has(".hi") || i.Has(".wide")):
			c.find(CodeType, i.Pos, "%s has the type %s; must have an integer type with .lo, .hi or .wide", i.Name(), m)
			return
		}
	}
}

// isFloat reports whether a type is one of floats, or of several of them.
func isFloat(t string) bool {
	for _, prefix := range []string{".f", ".bf", ".tf", ".e"} {
		if strings.HasPrefix(t, prefix) {
			return true
		}
	}
	return false
}

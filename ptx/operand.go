package ptx

// The sizes of operands (PTX ISA, "Operand Type Checking", "Operand Size Exceeding Instruction-Type Size"): a register has the size of the
// instruction's type; ld, st and cvt may have wider ones. As for types, signed, unsigned, untyped and float registers of one size count as one.

// shapes has the operands of instructions by opcode, a letter for each:
//
//	t  of the size of the instruction's type, or a predicate if that is .pred
//	w  of its double size with .wide, else as t
//	u  of 32 bits
//	p  a predicate
//	l  of the size of the type or wider, also in a vector
//	.  another operand, such as an address
var shapes = map[string]string{
	"add": "ttt", "sub": "ttt", "mul": "wtt", "mad": "wttw", "fma": "tttt", "div": "ttt", "rem": "ttt", "abs": "tt", "neg": "tt",
	"min": "tttt", "max": "tttt", "addc": "ttt", "subc": "ttt", "madc": "tttt", "mul24": "ttt", "mad24": "tttt", "sad": "tttt",
	"dp4a": "uuuu", "dp2a": "uuuu", "popc": "ut", "clz": "ut", "bfind": "ut", "brev": "tt", "bfe": "ttuu", "bfi": "tttuu", "bmsk": "uuu",
	"szext": "uuu", "fns": "uuuu", "rcp": "tt", "sqrt": "tt", "rsqrt": "tt", "sin": "tt", "cos": "tt", "lg2": "tt", "ex2": "tt", "tanh": "tt",
	"copysign": "ttt", "testp": "pt", "setp": "pttp", "selp": "tttp", "slct": "tttu", "and": "ttt", "or": "ttt", "xor": "ttt", "not": "tt",
	"cnot": "tt", "shl": "ttu", "shr": "ttu", "shf": "uuuu", "prmt": "uuuu", "mov": "tt", "ld": "l.", "ldu": "l.", "st": ".l",
	"cvta": "tt", "atom": "t.tt", "red": ".t", "shfl": "uuuuu", "activemask": "u", "isspacep": "p.", "alloca": "tt.", "stacksave": "t", "stackrestore": "t",
}

// mixed are the instructions that have operands of several types if they name several.
var mixed = setOf("add sub fma slct")

// sizes checks the registers among the operands of an instruction.
func (c *checker) sizes(i *Instr, n *names) {
	shape, types := shapes[i.Op], typesOf(i)
	switch {
	case len(types) == 0, len(types) > 1 && mixed[i.Op] && i.Op != "slct":
		return
	case i.Op == "cvt" && len(types) == 2 && len(i.Operands) == 2: // of 2 types each of one value
		c.size(i, i.Operands[0], n, 'l', TypeSize(types[0]))
		c.size(i, i.Operands[1], n, 'l', TypeSize(types[1]))
		return
	}
	list := i.Operands
	if last := len(list) - 1; last >= 0 && i.Has(".L2::cache_hint") { // the last operand is the policy, of 64 bits whatever the type
		c.size(i, list[last], n, 't', 8)
		list = list[:last]
	}
	for k, o := range list {
		if k >= len(shape) {
			return
		}
		size, want := TypeSize(types[0]), shape[k]
		switch {
		case want == 'u':
			size, want = 4, 't'
		case want == 'w' && i.Has(".wide"):
			size, want = 2*size, 't'
		case want == 't' && types[0] == ".pred":
			want = 'p'
		}
		c.size(i, o, n, want, size)
	}
}

// size checks an operand: a register, two of them of which the second is a predicate, or a vector.
func (c *checker) size(i *Instr, o *Operand, n *names, want byte, size int) {
	switch o.Kind {
	case Pair:
		if len(o.Elems) == 2 {
			c.size(i, o.Elems[0], n, want, size)
			c.size(i, o.Elems[1], n, 'p', 0)
		}
		return
	case Vector:
		for _, x := range o.Elems {
			if want == 'l' {
				c.size(i, x, n, want, size)
			}
		}
		return
	}
	v := c.lookup(n, o.Name)
	if o.Kind != Symbol || want == '.' || v == nil || v.Space != ".reg" || v.Vector > 1 && o.Part == "" {
		return
	}
	has := TypeSize(v.Type)
	switch {
	case (want == 'p') != (v.Type == ".pred"):
		c.find(CodeType, o.Pos, "the register %s of %s has the type %s; must%s be .pred", o.Name, i.Name(), v.Type, map[bool]string{true: "", false: " not"}[want == 'p'])
	case want == 'l' && has < size:
		c.find(CodeType, o.Pos, "the register %s of %s has %d bits; must have at least %d", o.Name, i.Name(), 8*has, 8*size)
	case (want == 't' || want == 'w') && has != size:
		c.find(CodeType, o.Pos, "the register %s of %s has %d bits; must have %d", o.Name, i.Name(), 8*has, 8*size)
	}
}

// typesOf returns the types among the modifiers of an instruction, in order.
func typesOf(i *Instr) (list []string) {
	for _, m := range i.Mods {
		if TypeSize(m) > 0 {
			list = append(list, m)
		}
	}
	return list
}

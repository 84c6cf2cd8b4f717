package ptx

import "strings"

// The types of operands (PTX ISA, "Type Checking Rules", "Operand Size Exceeding Instruction-Type Size"): a register has the size of the
// instruction's type; ld, st and cvt may have wider ones. Bits go with every type, signed integers with unsigned ones, and integers never
// with floats. A float register has exactly the size of a float type.

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
	"min": "tttt", "max": "tttt", "addc": "ttt", "subc": "ttt", "madc": "tttt", "mul24": "ttt", "mad24": "tttt", "clmad": "tttt", "sad": "tttt",
	"dp4a": "uuuu", "dp2a": "uuuu", "popc": "ut", "clz": "ut", "bfind": "ut", "brev": "tt", "bfe": "ttuu", "bfi": "tttuu", "bmsk": "uuu",
	"szext": "uuu", "fns": "uuuu", "rcp": "tt", "sqrt": "tt", "rsqrt": "tt", "sin": "tt", "cos": "tt", "lg2": "tt", "ex2": "tt", "tanh": "tt",
	"copysign": "ttt", "testp": "pt", "setp": "pttp", "selp": "tttp", "slct": "tttu", "and": "ttt", "or": "ttt", "xor": "ttt", "not": "tt",
	"cnot": "tt", "shl": "ttu", "shr": "ttu", "shf": "uuuu", "prmt": "uuuu", "mov": "tt", "ld": "l.", "ldu": "l.", "st": ".l",
	"cvta": "tt", "atom": "t.tt", "red": ".t", "shfl": "uuuuu", "activemask": "u", "isspacep": "p.", "vote": "tpu", "alloca": "tt.", "stacksave": "t", "stackrestore": "t",
}

// mixed are the instructions that have operands of several types if they name several.
var mixed = setOf("add sub mul fma slct")

// sizes checks the registers among the operands of an instruction.
func (c *checker) sizes(i *Instr, n *names) {
	shape, types := shapes[i.Op], typesOf(i)
	switch {
	case len(types) == 0, len(types) > 1 && mixed[i.Op] && i.Op != "slct":
		return
	case i.Op == "cvt" && len(types) == 2 && len(i.Operands) == 2: // of 2 types each of one value
		c.size(i, i.Operands[0], n, 'l', types[0])
		c.size(i, i.Operands[1], n, 'l', types[1])
		return
	}
	list := i.Operands
	if (i.Op == "bar" || i.Op == "barrier") && i.Has(".red") { // the number of threads may be absent
		shape = map[int]string{3: "tup", 4: "tuup"}[len(list)]
	}
	if last := len(list) - 1; last >= 0 && i.Has(".L2::cache_hint") { // the last operand is the policy, of 64 bits whatever the type
		c.size(i, list[last], n, 't', ".b64")
		list = list[:last]
	}
	for k, o := range list {
		if k >= len(shape) {
			return
		}
		of, want := types[0], shape[k]
		switch {
		case want == 'u':
			of, want = ".b32", 't'
		case want == 'w' && i.Has(".wide"):
			of, want = doubled[of], 't'
		case want == 't' && of == ".pred":
			want = 'p'
		}
		c.size(i, o, n, want, of)
	}
}

// doubled are the types of the results of .wide.
var doubled = map[string]string{".u16": ".u32", ".s16": ".s32", ".u32": ".u64", ".s32": ".s64"}

// size checks an operand against a type: a register, two of them of which the second is a predicate, or a vector.
func (c *checker) size(i *Instr, o *Operand, n *names, want byte, of string) {
	switch o.Kind {
	case Pair:
		if len(o.Elems) == 2 {
			c.size(i, o.Elems[0], n, want, of)
			c.size(i, o.Elems[1], n, 'p', of)
		}
		return
	case Vector:
		for _, x := range o.Elems {
			if want == 'l' {
				c.size(i, x, n, want, of)
			}
		}
		return
	}
	v := c.lookup(n, o.Name)
	if o.Kind != Symbol || want == '.' || v == nil || v.Space != ".reg" || v.Vector > 1 && o.Part == "" {
		return
	}
	has, size := TypeSize(v.Type), TypeSize(of)
	switch {
	case want == 'p' && o.Neg:
		c.find(CodeType, o.Pos, "the predicate %s of %s has a minus; must have none", o.Name, i.Name())
	case (want == 'p') != (v.Type == ".pred"):
		c.find(CodeType, o.Pos, "the register %s of %s has the type %s; must%s be .pred", o.Name, i.Name(), v.Type, map[bool]string{true: "", false: " not"}[want == 'p'])
	case want == 'l' && has < size:
		c.find(CodeType, o.Pos, "the register %s of %s has %d bits; must have at least %d", o.Name, i.Name(), 8*has, 8*size)
	case (want == 't' || want == 'w') && has != size:
		c.find(CodeType, o.Pos, "the register %s of %s has %d bits; must have %d", o.Name, i.Name(), 8*has, 8*size)
	case want != 'p' && (kindOf(of) == 'f' && kindOf(v.Type) == 'i' || kindOf(of) == 'i' && kindOf(v.Type) == 'f'):
		c.find(CodeType, o.Pos, "the register %s of %s has the type %s; must have bits or the kind of %s", o.Name, i.Name(), v.Type, of)
	case want == 'l' && kindOf(of) == 'f' && kindOf(v.Type) == 'f' && has != size:
		c.find(CodeType, o.Pos, "the float register %s of %s has %d bits; must have %d", o.Name, i.Name(), 8*has, 8*size)
	}
}

// kindOf returns the kind of a type: 'f' of floats, 'i' of integers, 'b' of bits and all others. Registers hold alternate formats such as
// .bf16 and .e4m3x2 as bits.
func kindOf(t string) byte {
	switch {
	case strings.HasPrefix(t, ".f"):
		return 'f'
	case strings.HasPrefix(t, ".u") && t != ".ue8m0x2", strings.HasPrefix(t, ".s") && t != ".s2f6x2" && t != ".samplerref" && t != ".surfref":
		return 'i'
	}
	return 'b'
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

package facts

import (
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// Const is a constant, a specialization constant or an OpUndef (SPIR-V §3.3.7),
// with its value under the specialization.
type Const struct {
	ID    spirv.ID // 0 for a part of an evaluated composite
	Op    spirv.Op // OpConstant, OpSpecConstantOp, OpUndef, …
	Index int      // its instruction; for a part of an evaluated composite, the whole's instruction
	Type  *Type    // nil if it is missing

	// Known reports whether the value is known. It is true for every scalar,
	// null and undefined value, and for every composite with known parts alone.
	// It is false for instructions that are not evaluated (a size that only a
	// device knows, for example), and if operands are missing or have the wrong
	// type.
	Known bool

	// Bits is the value of a scalar, zero-extended to 64 bits; 0 or 1 for a
	// boolean. It is 0 for a null or undefined value.
	Bits uint64

	Elems     []*Const // parts of a composite; nil for a null or undefined one. Parts may be nil
	Replicate bool     // Elems has one element, the value of every part
	Null      bool     // OpConstantNull, or part of one
	Undef     bool     // OpUndef or OpPoisonKHR, or part of one

	Spec      bool // the value depends on specialization: an OpSpecConstant…, or a composite with such a part
	HasSpecID bool
	SpecID    uint32 // operand of the decoration, if HasSpecID
}

// Int returns the value of an integer constant, sign-extended if its type is
// signed. It returns false if c is nil or not a known integer.
func (c *Const) Int() (int64, bool) {
	if c == nil || !c.Known || !c.Type.IsInt() {
		return 0, false
	}
	if w := c.Type.Width; c.Type.Signed && w > 0 && w < 64 {
		return int64(c.Bits<<(64-w)) >> (64 - w), true
	}
	return int64(c.Bits), true
}

// Elem returns part i of a composite constant; nil if c is nil or has no such
// part. For a null or undefined composite it allocates the part.
func (c *Const) Elem(i int) *Const {
	switch {
	case c == nil || i < 0:
		return nil
	case c.Null || c.Undef:
		if t := c.Type.Part(uint64(i)); t != nil {
			return &Const{Op: c.Op, Index: c.Index, Type: t, Known: true, Null: c.Null, Undef: c.Undef}
		}
		return nil
	case c.Replicate:
		if c.Type.Part(uint64(i)) == nil {
			return nil
		}
		return c.Elems[0]
	case i < len(c.Elems):
		return c.Elems[i]
	}
	return nil
}

// constBefore returns the constant of the given id; nil if it is not declared
// before instruction i.
func (g *gatherer) constBefore(id spirv.ID, i int) *Const {
	c := g.Const(id)
	if c == nil || c.Index >= i || c.Op == 0 {
		return nil
	}
	return c
}

// evaluate fills in the constant that instruction i declares. Constants are
// evaluated in order of declaration, so that operands are complete.
func (g *gatherer) evaluate(c *Const, i int, in spirv.Inst) {
	c.ID, c.Op, c.Index, c.Type = in.Result(), in.Op(), i, g.before(in.Type(), i)
	switch c.Op {
	case spirv.OpConstantTrue, spirv.OpConstantFalse:
		c.boolean(c.Op == spirv.OpConstantTrue)
	case spirv.OpSpecConstantTrue, spirv.OpSpecConstantFalse:
		c.Spec = true
		c.boolean(c.Op == spirv.OpSpecConstantTrue)
		if v, ok := g.specialized(c); ok {
			c.boolean(uint32(v) != 0)
		}
	case spirv.OpConstant:
		g.scalar(c, inst.Constant(in).Value())
	case spirv.OpSpecConstant:
		c.Spec = true
		g.scalar(c, inst.SpecConstant(in).Value())
		if v, ok := g.specialized(c); ok && c.Known {
			c.Bits = v & mask(c.Type.Width)
		}
	case spirv.OpConstantNull:
		c.Known, c.Null = c.Type != nil, true
	case spirv.OpUndef, spirv.OpPoisonKHR:
		c.Known, c.Undef = c.Type != nil, true
	case spirv.OpConstantComposite:
		g.composite(c, inst.ConstantComposite(in).Constituents())
	case spirv.OpSpecConstantComposite:
		c.Spec = true
		g.composite(c, inst.SpecConstantComposite(in).Constituents())
	case spirv.OpConstantCompositeReplicateEXT, spirv.OpSpecConstantCompositeReplicateEXT:
		c.Spec = c.Op == spirv.OpSpecConstantCompositeReplicateEXT
		g.replicate(c, inst.ConstantCompositeReplicateEXT(in).Value())
	case spirv.OpConstantDataKHR:
		g.data(c, inst.ConstantDataKHR(in).Data())
	case spirv.OpSpecConstantDataKHR:
		c.Spec = true
		g.data(c, inst.SpecConstantDataKHR(in).Data())
		if v, ok := g.specialized(c); ok {
			g.data(c, []uint32{uint32(v), uint32(v >> 32)}[:min(len(inst.SpecConstantDataKHR(in).Data()), 2)])
		}
	case spirv.OpSpecConstantOp:
		c.Spec = true
		g.operation(c, inst.SpecConstantOp(in))
	}
	if v, ok := g.device[c.ID]; ok && c.Type.IsInt() {
		c.Known, c.Bits = true, v&mask(c.Type.Width)
	}
}

func (c *Const) boolean(x bool) {
	c.Known, c.Bits = c.Type.IsBool(), 0
	if x {
		c.Bits = 1
	}
}

// scalar sets c to the value of a literal.
func (g *gatherer) scalar(c *Const, words []uint32) {
	if (c.Type.IsInt() || c.Type.IsFloat()) && c.Type.Width <= 64 {
		c.Known, c.Bits = true, number(words, c.Type.Width)
	}
}

// specialized returns the value that the specialization assigns to c, and
// records the SpecId of c.
func (g *gatherer) specialized(c *Const) (uint64, bool) {
	d, ok := g.Decoration(c.ID, spirv.DecorationSpecId)
	if !ok || len(d.Operands) == 0 {
		return 0, false
	}
	c.HasSpecID, c.SpecID = true, d.Literal()
	v, ok := g.Spec[c.SpecID]
	return v, ok
}

// composite sets the parts of c.
func (g *gatherer) composite(c *Const, ids []spirv.ID) {
	c.Elems, g.free = g.free[:len(ids):len(ids)], g.free[len(ids):]
	for n, id := range ids {
		c.Elems[n] = g.constBefore(id, c.Index)
	}
	c.settle()
}

// settle computes Known and Spec of a composite from its parts. The constituents
// of a constant are exactly its parts: SPIR-V §3.3.7 does not let a constant
// vector be assembled from smaller vectors, as OpCompositeConstruct does.
func (c *Const) settle() {
	c.Known = c.Type.IsComposite() && c.Type.Parts() == uint64(len(c.Elems))
	for n, e := range c.Elems {
		c.Known = c.Known && e != nil && e.Known && e.Type == c.Type.Part(uint64(n))
		c.Spec = c.Spec || e != nil && e.Spec
	}
}

// replicate sets all parts of c to one value (SPV_EXT_replicated_composites).
func (g *gatherer) replicate(c *Const, id spirv.ID) {
	c.Elems, g.free = g.free[:1:1], g.free[1:]
	e := g.constBefore(id, c.Index)
	c.Elems[0], c.Replicate = e, true
	c.Known = e != nil && e.Known && c.Type.IsComposite()
	if c.Type.IsStruct() {
		for i := range c.Type.Members {
			c.Known = c.Known && c.Type.Members[i].Type == e.Type
		}
	} else {
		c.Known = c.Known && c.Type.Elem == e.Type
	}
	c.Spec = c.Spec || e != nil && e.Spec
}

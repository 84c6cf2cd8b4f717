package facts

import (
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// Const is a constant, a specialization constant, or an OpUndef, with the value
// that it has under the specialization.
type Const struct {
	ID    spirv.ID // 0 of a part of a composite that was evaluated
	Op    spirv.Op // OpConstant, OpSpecConstantOp, OpUndef, …
	Index int      // its instruction; of a part that was evaluated, that of the whole
	Type  *Type    // nil where it is missing

	// Known reports whether the value is: that of every scalar, null and
	// undefined value, and of every composite whose parts all are known. It is
	// false of instructions that are not evaluated, and where operands are
	// missing or of the wrong type.
	Known bool

	// Bits is the value of a scalar, zero-extended to 64 bits; 0 or 1 of a
	// boolean. It is 0 of a null or undefined value.
	Bits uint64

	Elems     []*Const // parts of a composite; nil of a null or undefined one. Parts may be nil
	Replicate bool     // Elems has one element, which stands for all parts
	Null      bool     // OpConstantNull, or part of one
	Undef     bool     // OpUndef or OpPoisonKHR, or part of one

	Spec      bool // it depends on specialization: an OpSpecConstant…, or has such a part
	HasSpecID bool
	SpecID    uint32 // the decoration, where HasSpecID
}

// Int returns the value of an integer constant, sign-extended where its type is
// signed; false where c is nil or not a known integer.
func (c *Const) Int() (int64, bool) {
	if c == nil || !c.Known || !c.Type.IsInt() {
		return 0, false
	}
	if w := c.Type.Width; c.Type.Signed && w > 0 && w < 64 {
		return int64(c.Bits<<(64-w)) >> (64 - w), true
	}
	return int64(c.Bits), true
}

// Elem returns part i of a composite constant, made for the occasion where c is
// null or undefined; nil where c is nil or has no such part.
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

// constBefore returns the constant of the given id, nil where it is not
// declared before instruction i.
func (g *gatherer) constBefore(id spirv.ID, i int) *Const {
	c := g.Const(id)
	if c == nil || c.Index >= i || c.Op == 0 {
		return nil
	}
	return c
}

// evaluate fills in the constant that instruction i makes.
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

// scalar gives c the value of a literal.
func (g *gatherer) scalar(c *Const, words []uint32) {
	if (c.Type.IsInt() || c.Type.IsFloat()) && c.Type.Width <= 64 {
		c.Known, c.Bits = true, number(words, c.Type.Width)
	}
}

// specialized returns the value that the specialization gives to c.
func (g *gatherer) specialized(c *Const) (uint64, bool) {
	d, ok := g.Decoration(c.ID, spirv.DecorationSpecId)
	if !ok || len(d.Operands) == 0 {
		return 0, false
	}
	c.HasSpecID, c.SpecID = true, d.Literal()
	v, ok := g.Spec[c.SpecID]
	return v, ok
}

// composite gives c its parts.
func (g *gatherer) composite(c *Const, ids []spirv.ID) {
	c.Elems, g.elems = g.elems[:len(ids):len(ids)], g.elems[len(ids):]
	for n, id := range ids {
		c.Elems[n] = g.constBefore(id, c.Index)
	}
	c.settle()
}

// settle says whether a composite with all its parts is known. That a vector
// can be made of smaller ones is not for constants (SPIR-V §3.3.7).
func (c *Const) settle() {
	c.Known = c.Type.IsComposite() && c.Type.Parts() == uint64(len(c.Elems))
	for n, e := range c.Elems {
		c.Known = c.Known && e != nil && e.Known && e.Type == c.Type.Part(uint64(n))
		c.Spec = c.Spec || e != nil && e.Spec
	}
}

// replicate gives c one value for all its parts.
func (g *gatherer) replicate(c *Const, id spirv.ID) {
	c.Elems, g.elems = g.elems[:1:1], g.elems[1:]
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

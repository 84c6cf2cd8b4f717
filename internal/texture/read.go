package texture

import "github.com/chiaro-gpu/chiaro/internal/ir"

// access is a texel selected by integer coordinates.
type access struct {
	ok       ir.V // b1: the texel exists
	off      func() ir.V
	resident func() ir.V // 1 if it has memory
}

// address selects the texel of Read, Write, Texel and Fetch (Vulkan §"Integer Texel Coordinate Operations").
// Coordinates outside the view select none: each is compared with the extent as an unsigned integer, so that
// negative ones are outside too.
func (c *code) address(x *texel, a *arguments) access {
	at, layer, sample := append([]ir.V(nil), a.coord...), a.layer, ir.V(0)
	if c.v.dim == ir.DimCube {
		at, layer = at[:2], at[2]
	}
	for i, o := range a.offset {
		at[i] = c.add(at[i], o)
	}
	ok, level := c.Bool(true), ir.V(0)
	if a.lod != 0 {
		ok = c.ult(a.lod, c.shapeWord(ir.ShapeLevelsN))
	}
	if c.v.levels {
		least := c.Op(ir.FToU, ir.I32, c.OpAux(ir.Ld, ir.F32, 4*ir.ShapeMinLod, c.shape, c.I32(0)))
		if level = a.lod; level != 0 {
			ok = c.both(ok, c.Cmp(ir.ULe, least, level))
		} else { // the view's first level
			ok = c.eq(least, c.I32(0))
		}
	}
	m := c.mip(level)
	for i := range c.v.axes() {
		ok = c.both(ok, c.ult(at[i], m.extent[i]))
	}
	switch {
	case !c.v.layered():
		layer = 0
	case layer != 0:
		ok = c.both(ok, c.ult(layer, c.shapeWord(ir.ShapeLayers)))
	}
	if c.v.samples > 0 {
		if sample = a.sampleI; sample == 0 {
			sample = c.I32(0)
		}
		ok = c.both(ok, c.ult(sample, c.I32(1<<c.v.samples)))
	}
	at = at[:c.v.axes()]
	return access{ok, func() ir.V { return c.texelOffset(x, m, at, layer, sample) }, func() ir.V { return c.resident(m, at, layer) }}
}

// read is the body of Read and Fetch. A texel outside the view reads as zero bits (robustImageAccess2); see
// View.ZeroAlpha for its alpha.
func (c *code) read(a *arguments) []ir.V {
	x := c.texelOf()
	p := c.address(&x, a)
	words := c.ifElse(p.ok, x.types(), func() []ir.V { return c.load(&x, p.off(), 0) }, func() []ir.V { return c.zero(&x) })
	n := c.scaleComponents(&x, c.decodeComponents(&x, words), 1)
	if t := x.kind(); c.v.zeroed && n[3] == 0 {
		n[3] = c.Select(p.ok, c.one(t), c.Const(t, 0))
	}
	return c.swizzled(&x, c.fillMissing(&x, n))
}

// write is the body of Write; a write outside the view, or to a texel without memory, is discarded.
func (c *code) write(a *arguments) {
	x := c.texelOf()
	p := c.address(&x, a)
	c.If(p.ok)
	if c.v.sparse {
		c.If(c.eq(p.resident(), c.I32(1)))
	}
	c.store(&x, p.off(), a.data)
	if c.v.sparse {
		c.End()
	}
	c.End()
}

// texelBody is the body of Texel: the byte offset, 2³²−1 outside the view and of a texel without memory.
func (c *code) texelBody(a *arguments) []ir.V {
	x := c.texelOf()
	p := c.address(&x, a)
	none := c.I32(1<<32 - 1)
	if !c.v.sparse {
		return []ir.V{c.Select(p.ok, p.off(), none)}
	}
	return c.ifElse(p.ok, []ir.Type{ir.I32}, func() []ir.V {
		return []ir.V{c.Select(c.eq(p.resident(), c.I32(1)), p.off(), none)}
	}, func() []ir.V { return []ir.V{none} })
}

package texture

import "github.com/chiaro-gpu/chiaro/internal/ir"

// mip is a level of a view, as run-time values.
type mip struct {
	extent [3]ir.V // texels along each axis of the view; two axes for a cube's face
	// byte offset of the level, row pitch, slice or layer pitch
	base, rowPitch, slice ir.V
	level                 ir.V // of the view; no value for the first
}

// axes returns the number of texel coordinates within a layer.
func (k viewKey) axes() int {
	if k.dim == ir.DimCube {
		return 2
	}
	return k.dim.Axes()
}

// mip returns level n of the view; level 0 if n is no value.
func (c *code) mip(n ir.V) (m mip) {
	h, off := c.shape, c.I32(0)
	m.level = n
	if n != 0 {
		if c.t.Op > ir.TextureFetch { // n is in range, but an engine cannot prove it: the mask bounds the load
			n = c.Op(ir.And, ir.I32, n, c.I32(ir.MaxLevels-1))
			m.level = n
		}
		off = c.OpAux(ir.At, ir.I32, 4, off, n)
	}
	word := func(i int) ir.V { return c.OpAux(ir.Ld, ir.I32, uint64(4*(ir.ShapeLevels+ir.MaxLevels*i)), h, off) }
	for i := range c.v.axes() {
		e := c.shapeWord(ir.ShapeWidth + i)
		if n != 0 {
			e = c.extentAt(e, n)
		}
		m.extent[i] = e
	}
	if c.v.dim == ir.DimBuffer {
		return m
	}
	m.base = word(0)
	if c.v.axes() > 1 {
		m.rowPitch = word(1)
	}
	if c.v.layered() || c.v.dim == ir.Dim3D {
		m.slice = word(2)
	}
	return m
}

// extentAt returns a level's extent along an axis of e texels (Vulkan §"Image Mip Level Sizing").
func (c *code) extentAt(e, level ir.V) ir.V {
	if c.v.corner {
		return c.Op(ir.UMax, ir.I32, c.add(c.Op(ir.LShr, ir.I32, c.sub(e, c.I32(1)), level), c.I32(1)), c.I32(2))
	}
	return c.Op(ir.UMax, ir.I32, c.Op(ir.LShr, ir.I32, e, level), c.I32(1))
}

// layered reports whether the view has layers.
func (k viewKey) layered() bool { return k.arrayed || k.dim == ir.DimCube }

// texelOffset returns the byte offset of the texel at the indices at, which must be within the level. layer and
// sample are 0 (no value) if the view has none.
func (c *code) texelOffset(x *texel, m mip, at []ir.V, layer, sample ir.V) ir.V {
	off := c.I32(0)
	if m.base != 0 {
		off = m.base
	}
	if layer != 0 {
		off = c.add(off, c.mul(layer, m.slice))
	}
	if len(at) > 2 {
		off = c.add(off, c.mul(at[2], m.slice))
	}
	if len(at) > 1 {
		off = c.add(off, c.mul(at[1], m.rowPitch))
	}
	if c.t.Op > ir.TextureFetch { // lanes sample unrelated texels: At would reveal no strided access
		return c.add(off, c.mul(at[0], c.I32(uint32(x.Bytes))))
	}
	if sample != 0 { // a row has a row for each sample
		off = c.add(off, c.mul(sample, c.Op(ir.LShr, ir.I32, m.rowPitch, c.I32(uint32(c.v.samples)))))
	}
	return c.OpAux(ir.At, ir.I32, uint64(x.Bytes), off, at[0])
}

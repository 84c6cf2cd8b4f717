package texture

import "github.com/chiaro-gpu/chiaro/internal/ir"

// mip is a level of a view as code sees it.
type mip struct {
	extent         [3]ir.V // texels along each axis of the view; a cube's face has two
	at, row, slice ir.V
}

// axes returns how many axes a texel's place has within a layer.
func (k viewKey) axes() int {
	if k.dim == ir.DimCube {
		return 2
	}
	return k.dim.Axes()
}

// mip returns a level: level 0 where n is no value.
func (c *code) mip(n ir.V) (m mip) {
	h, off := c.shape, c.I32(0)
	if n != 0 {
		if c.t.Op > ir.TextureFetch { // it is a level of the view, but an engine may not know
			n = c.Op(ir.And, ir.I32, n, c.I32(ir.MaxLevels-1))
		}
		off = c.OpAux(ir.At, ir.I32, 4, off, n)
	}
	word := func(i int) ir.V { return c.OpAux(ir.Ld, ir.I32, uint64(4*(ir.ShapeLevels+ir.MaxLevels*i)), h, off) }
	for i := range c.v.axes() {
		e := c.word(ir.ShapeWidth + i)
		if n != 0 {
			e = c.extentAt(e, n)
		}
		m.extent[i] = e
	}
	if c.v.dim == ir.DimBuffer {
		return m
	}
	m.at = word(0)
	if c.v.axes() > 1 {
		m.row = word(1)
	}
	if c.v.layered() || c.v.dim == ir.Dim3D {
		m.slice = word(2)
	}
	return m
}

// extentAt is how many texels of e along an axis a level has (Vulkan §"Image Mip Level
// Sizing").
func (c *code) extentAt(e, level ir.V) ir.V {
	if c.v.corner {
		return c.Op(ir.UMax, ir.I32, c.add(c.Op(ir.LShr, ir.I32, c.sub(e, c.I32(1)), level), c.I32(1)), c.I32(2))
	}
	return c.Op(ir.UMax, ir.I32, c.Op(ir.LShr, ir.I32, e, level), c.I32(1))
}

// layered reports whether the view has layers.
func (k viewKey) layered() bool { return k.arrayed || k.dim == ir.DimCube }

// begin returns where the texel at a place begins, for coordinates that are
// within the level. layer is 0 (no value) where the view has none, sample likewise.
func (c *code) begin(x *texel, m mip, at []ir.V, layer, sample ir.V) ir.V {
	off := c.I32(0)
	if m.at != 0 {
		off = m.at
	}
	if layer != 0 {
		off = c.add(off, c.mul(layer, m.slice))
	}
	if len(at) > 2 {
		off = c.add(off, c.mul(at[2], m.slice))
	}
	if len(at) > 1 {
		off = c.add(off, c.mul(at[1], m.row))
	}
	if c.t.Op > ir.TextureFetch { // no lane's place tells another's
		return c.add(off, c.mul(at[0], c.I32(uint32(x.Bytes))))
	}
	off = c.OpAux(ir.At, ir.I32, uint64(x.Bytes)<<c.v.samples, off, at[0])
	if sample != 0 {
		off = c.OpAux(ir.At, ir.I32, uint64(x.Bytes), off, sample)
	}
	return off
}

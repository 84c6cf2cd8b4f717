package texture

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// resident returns 1 if the block of a texel has memory, else 0. The texel is within level m of the view.
func (c *code) resident(m mip, at []ir.V, layer ir.V) ir.V {
	if c.v.dim == ir.DimBuffer {
		return c.residentTexel(at[0])
	}
	level := c.I32(0)
	if m.level != 0 {
		level = c.OpAux(ir.At, ir.I32, 4*residencyLevel, level, m.level)
	}
	word := func(n int) ir.V { return c.OpAux(ir.Ld, ir.I32, uint64(4*(residencyLevels+n)), c.shape, level) }
	block := func(i int, x ir.V) ir.V { return c.Op(ir.LShr, ir.I32, x, c.shapeWord(residencyShift+i)) }
	n := c.add(word(0), c.mul(block(0, at[0]), word(1)))
	if len(at) > 1 {
		n = c.add(n, c.mul(block(1, at[1]), word(2)))
	}
	z := c.shapeWord(residencySlice)
	if len(at) > 2 {
		z = c.add(z, at[2])
	}
	if layer != 0 {
		z = c.add(z, c.mul(layer, c.shapeWord(residencyLayer)))
		n = c.add(n, c.mul(layer, word(4)))
	}
	n = c.add(n, c.mul(block(2, z), word(3)))
	return c.Op(ir.And, ir.I32, c.pageBit(residencyBits, n), c.I32(1))
}

// pageBit returns a number: its lowest bit is bit n, counted from a word of the shape on.
func (c *code) pageBit(word uint64, n ir.V) ir.V {
	bits := c.OpAux(ir.Ld, ir.I32, 4*word, c.shape, c.OpAux(ir.At, ir.I32, 4, c.I32(0), c.Op(ir.LShr, ir.I32, n, c.I32(5))))
	return c.Op(ir.LShr, ir.I32, bits, c.Op(ir.And, ir.I32, n, c.I32(31)))
}

// residencyCode returns the residency code of a sparse access: 0 if all texels that it reads have memory.
func (c *code) residencyCode(a *arguments) ir.V {
	if !c.v.sparse {
		return c.I32(0)
	}
	if c.t.Op == ir.TextureRead || c.t.Op == ir.TextureFetch {
		x := c.texelOf()
		p := c.address(&x, a)
		return c.sub(c.I32(1), c.ifElse(p.ok, []ir.Type{ir.I32}, func() []ir.V { return []ir.V{p.resident()} }, func() []ir.V { return []ir.V{c.I32(1)} })[0])
	}
	return c.Select(c.flt(c.num(0), c.missing(a)), c.I32(1), c.I32(0))
}

// missing returns a number above 0 if a sample reads a texel without memory. It is the greatest of the texels of an image that
// is 1 where the sampled one has no memory, with the coordinates and the filters of the sample. Texels with weight 0 are not
// read.
func (c *code) missing(a *arguments) ir.V {
	r, t := *c, *c.t
	t.Operands &^= ir.TextureDref | ir.TextureSparse
	integers := c.texelOf()
	r.t, r.looks = &t, true
	r.s.reduction, r.s.rangeClamp, r.s.compare = enum.ReductionMax, false, false
	r.v.swizzle = [4]enum.Swizzle{enum.SwizzleR, enum.SwizzleG, enum.SwizzleB, enum.SwizzleA}
	if integers.kind() != ir.F32 {
		r.s.mag, r.s.min = enum.FilterNearest, enum.FilterNearest
	}
	red, _ := format.ByName("R32_SFLOAT")
	x := texelAs(red)
	s := r.samplePointOf(a)
	if t.Op != ir.TextureGather {
		d := r.computeLod(a)
		if d.samples != 0 {
			return r.anisotropic(&x, &s, &d, a)[0]
		}
		return r.sampleLevels(&x, &s, &d)[0]
	}
	r.s.mag, r.s.min = enum.FilterLinear, enum.FilterLinear
	level := ir.V(0)
	if c.v.levels && c.t.Operands&(ir.TextureLod|ir.TextureBias|ir.TextureGrad) != 0 {
		d := r.computeLod(a)
		level = r.nearestLevel(&d)
	}
	f := filter{code: &r, x: x, m: r.mip(level), samplePoint: s}
	texels := f.gatherTexels(a)
	most := texels[0][0]
	for _, n := range texels[1:] {
		most = r.nmax(most, n[0])
	}
	return most
}

// values reads a texel of a filter: in tells whether it is inside the level, 0 (no value) if it always is. If the code looks for
// texels without memory, it returns 1 for them, 0 for others.
func (f *filter) values(at []ir.V, layer, in ir.V, flags ir.Flags) values {
	if !f.looks {
		return f.texelValues(f.load(&f.x, f.tapOffset(at, layer), flags), in)
	}
	v := f.Select(f.eq(f.resident(f.m, at, layer), f.I32(0)), f.num(1), f.num(0))
	if in != 0 {
		v = f.Select(in, v, f.num(0))
	}
	return values{v}
}

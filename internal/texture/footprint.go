package texture

import "github.com/chiaro-gpu/chiaro/internal/ir"

// granularities2 and granularities3 are the sizes of the groups of texels by the
// granularity of a footprint, as logarithms along x, y and z (Vulkan §"Texel Footprint
// Evaluation"). A reserved one is that which follows.
var (
	granularities2 = [16][4]uint32{
		{1, 1, 0, 1}, {1, 1, 0, 1}, {2, 1, 0, 2}, {2, 2, 0, 3}, {3, 2, 0, 4}, {3, 3, 0, 5}, {4, 3, 0, 6}, {4, 4, 0, 7},
		{6, 6, 0, 11}, {6, 6, 0, 11}, {6, 6, 0, 11}, {6, 6, 0, 11}, {7, 6, 0, 12}, {7, 7, 0, 13}, {8, 7, 0, 14}, {8, 8, 0, 15}}
	granularities3 = [16][4]uint32{
		{1, 1, 1, 1}, {1, 1, 1, 1}, {2, 2, 1, 3}, {2, 2, 1, 3}, {4, 4, 4, 10}, {4, 4, 4, 10}, {4, 4, 4, 10}, {4, 4, 4, 10},
		{4, 4, 4, 10}, {4, 4, 4, 10}, {4, 4, 4, 10}, {5, 4, 4, 11}, {5, 5, 4, 12}, {5, 5, 5, 13}, {6, 5, 5, 14}, {6, 5, 5, 14}}
)

// packed puts a row into one word, a byte each.
func packed(row [4]uint32) uint32 { return row[0] | row[1]<<8 | row[2]<<16 | row[3]<<24 }

// groups is the size of a group of texels in a program.
type groups struct {
	shift       []ir.V // along each axis
	granularity ir.V
}

// groups returns those of a granularity.
func (c *code) groups(granularity ir.V) (g groups) {
	table := &granularities2
	if c.v.dim == ir.Dim3D {
		table = &granularities3
	}
	row := c.OpAux(ir.Ld, ir.I32, 0, c.tables.words(c.Builder, table, packed), c.OpAux(ir.At, ir.I32, 4, c.I32(0), c.Op(ir.UMin, ir.I32, granularity, c.I32(15))))
	at := func(i uint32) ir.V { return c.Op(ir.BitFieldU, ir.I32, row, c.I32(8*i), c.I32(8)) }
	for i := range c.v.axes() {
		g.shift = append(g.shift, at(uint32(i)))
	}
	g.granularity = at(3)
	return g
}

// footprintOf is the body of Footprint: which texels of one level a sample reads. What
// the specification leaves open stands in docs/undefined.md.
func (c *code) footprintOf(a *arguments) []ir.V {
	for i := range c.s.address { // others are not allowed
		c.s.address[i] = ClampToEdge
	}
	d := c.detail(a)
	level, single := c.oneLevel(&d)
	f := filter{code: c, m: c.mip(level), spot: spot{at: a.at}}
	first, last := f.reach(&d, a, c.num(1)), []texelRange(nil)
	if last = first; d.steps != 0 {
		last = f.reach(&d, a, d.steps)
	}
	g, coarser := c.wideEnough(a.data[0], first, last, d.steps != 0)
	anchor, offset := make([]ir.V, len(first)), make([]ir.V, len(first))
	side, log := uint32(8), uint32(3)
	if c.v.dim == ir.Dim3D {
		side, log = 4, 2
	}
	for i := range first {
		lo, hi := c.ends(i, first, last, g)
		top := c.Op(ir.LShr, ir.I32, hi, c.I32(log))
		same := c.eq(c.Op(ir.LShr, ir.I32, lo, c.I32(log)), top)
		anchor[i] = top
		offset[i] = c.Select(same, c.I32(0), c.sub(c.I32(side), c.Op(ir.And, ir.I32, lo, c.I32(side-1))))
	}
	var mask ir.V
	if d.steps == 0 {
		mask = f.covered(first, g, side)
	} else {
		mask = f.alongLine(&d, a, g, side)
	}
	list := append([]ir.V{c.Op(ir.ZExt, ir.I32, single)}, anchor...)
	list = append(append(list, offset...), c.Op(ir.Trunc, ir.I32, mask), c.Op(ir.Trunc, ir.I32, c.Op(ir.LShr, ir.I64, mask, c.Const(ir.I64, 32))), level, coarser)
	if c.t.Coarse { // of one level there is no coarser one
		for i := range list[1:] {
			list[i+1] = c.Select(single, c.I32(0), list[i+1])
		}
	}
	return list
}

// oneLevel returns the level that is asked for, and whether it is the only one.
func (c *code) oneLevel(d *detail) (level, single ir.V) {
	switch {
	case d.level == 0:
		return c.I32(0), c.Bool(true)
	case !c.s.mipLinear:
		return c.nearestLevel(d), c.Bool(true)
	}
	level = c.Op(ir.LShr, ir.I32, d.level, c.I32(8))
	single = c.eq(c.Op(ir.And, ir.I32, d.level, c.I32(fraction-1)), c.I32(0))
	if c.t.Coarse {
		level = c.Op(ir.UMin, ir.I32, c.add(level, c.I32(1)), c.sub(c.word(ir.ShapeLevelsN), c.I32(1)))
	}
	return level, single
}

// texelRange is the first and the last texel along an axis.
type texelRange struct{ lo, hi ir.V }

// reach returns the texels that sample number i reads along each axis; without
// anisotropy there is one.
func (f *filter) reach(d *detail, a *arguments, i ir.V) []texelRange {
	list := make([]texelRange, f.v.axes())
	for k := range list {
		u := a.at[k]
		if d.steps != 0 {
			step := f.fdiv(f.num(1), f.fadd(d.steps, f.num(1)))
			u = f.ffma(f.Select(d.alongX, a.dx[k], a.dy[k]), f.fsub(f.fmul(i, step), f.num(0.5)), u)
		}
		x := f.axis(k, u, 0, f.m.extent[k])
		of := func(with Filter) texelRange {
			if with == Nearest || f.t.Type != ir.F32 {
				s := f.nearest(x)
				return texelRange{s.at, s.at}
			}
			p := f.linear(x)
			if with == Cubic {
				p.lo = f.Op(ir.SMax, ir.I32, f.sub(p.lo, f.I32(1)), f.I32(0))
				p.hi = f.Op(ir.SMin, ir.I32, f.add(p.hi, f.I32(1)), f.sub(x.size, f.I32(1)))
			}
			return texelRange{p.lo, p.hi}
		}
		list[k] = of(f.s.min)
		if f.s.mag != f.s.min {
			mag := of(f.s.mag)
			list[k] = texelRange{f.Select(d.mag, mag.lo, list[k].lo), f.Select(d.mag, mag.hi, list[k].hi)}
		}
	}
	return list
}

// ends returns the first and the last group along an axis of all samples, of which
// first and last are the outermost.
func (c *code) ends(i int, first, last []texelRange, g groups) (lo, hi ir.V) {
	lo = c.Op(ir.SMin, ir.I32, first[i].lo, last[i].lo)
	hi = c.Op(ir.SMax, ir.I32, first[i].hi, last[i].hi)
	return c.Op(ir.LShr, ir.I32, lo, g.shift[i]), c.Op(ir.LShr, ir.I32, hi, g.shift[i])
}

// wideEnough returns the groups of a granularity, or of the first coarser one that
// the mask has room for, and that one's number, or 0 where it is as asked.
func (c *code) wideEnough(asked ir.V, first, last []texelRange, loops bool) (groups, ir.V) {
	if !loops {
		return c.groups(asked), c.I32(0)
	}
	side := c.I32(8)
	if c.v.dim == ir.Dim3D {
		side = c.I32(4)
	}
	asked = c.Op(ir.UMin, ir.I32, asked, c.I32(15))
	end := c.Block(ir.I32)
	loop := c.Loop(asked)
	n := c.Param(loop, 0)
	g := c.groups(n)
	fits := c.eq(n, c.I32(15))
	all := c.Bool(true)
	for i := range first {
		lo, hi := c.ends(i, first, last, g)
		all = c.both(all, c.ult(c.sub(hi, lo), side))
	}
	c.If(c.either(fits, all))
	c.Br(end, n)
	c.End()
	c.Br(loop, c.add(n, c.I32(1)))
	c.End()
	c.End()
	n = c.Param(end, 0)
	g = c.groups(n)
	return g, c.Select(c.eq(g.granularity, c.groups(asked).granularity), c.I32(0), g.granularity)
}

// covered is the mask of the groups of some texels: bit x of row y of slice z is that
// of the group with these numbers modulo the mask's side.
func (f *filter) covered(texels []texelRange, g groups, side uint32) ir.V {
	bits := f.Const(ir.I64, 1)
	for i, t := range texels {
		wide := uint32(1)
		for range i {
			wide *= side
		}
		shifted := func(texel ir.V) ir.V {
			n := f.Op(ir.And, ir.I32, f.Op(ir.LShr, ir.I32, texel, g.shift[i]), f.I32(side-1))
			return f.Op(ir.Shl, ir.I64, bits, f.Op(ir.ZExt, ir.I64, f.mul(n, f.I32(wide))))
		}
		all := f.Op(ir.Or, ir.I64, shifted(t.lo), shifted(t.hi))
		if f.s.mag == Cubic || f.s.min == Cubic { // four texels may be of three groups
			all = f.Op(ir.Or, ir.I64, all, shifted(f.Op(ir.SMin, ir.I32, f.add(t.lo, f.I32(1)), t.hi)))
			all = f.Op(ir.Or, ir.I64, all, shifted(f.Op(ir.SMax, ir.I32, f.sub(t.hi, f.I32(1)), t.lo)))
		}
		bits = all
	}
	return bits
}

// alongLine is the mask of all samples of anisotropy.
func (f *filter) alongLine(d *detail, a *arguments, g groups, side uint32) ir.V {
	end := f.Block(ir.I64)
	loop := f.Loop(f.num(1), f.Const(ir.I64, 0))
	i, mask := f.Param(loop, 0), f.Param(loop, 1)
	mask = f.Op(ir.Or, ir.I64, mask, f.covered(f.reach(d, a, i), g, side))
	f.If(f.fle(d.steps, i))
	f.Br(end, mask)
	f.End()
	f.Br(loop, f.fadd(i, f.num(1)), mask)
	f.End()
	f.End()
	return f.Param(end, 0)
}

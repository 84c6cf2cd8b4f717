package texture

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// granularities2 and granularities3 describe each granularity of a 2D and a 3D footprint: the size of a texel
// group, as logarithms along x, y and z, and the granularity itself (Vulkan §"Texel Footprint Evaluation"). A
// reserved number behaves as the next valid one.
var (
	granularities2 = [16][4]uint32{
		{1, 1, 0, 1}, {1, 1, 0, 1}, {2, 1, 0, 2}, {2, 2, 0, 3}, {3, 2, 0, 4}, {3, 3, 0, 5}, {4, 3, 0, 6}, {4, 4, 0, 7},
		{6, 6, 0, 11}, {6, 6, 0, 11}, {6, 6, 0, 11}, {6, 6, 0, 11}, {7, 6, 0, 12}, {7, 7, 0, 13}, {8, 7, 0, 14}, {8, 8, 0, 15}}
	granularities3 = [16][4]uint32{
		{1, 1, 1, 1}, {1, 1, 1, 1}, {2, 2, 1, 3}, {2, 2, 1, 3}, {4, 4, 4, 10}, {4, 4, 4, 10}, {4, 4, 4, 10}, {4, 4, 4, 10},
		{4, 4, 4, 10}, {4, 4, 4, 10}, {4, 4, 4, 10}, {5, 4, 4, 11}, {5, 5, 4, 12}, {5, 5, 5, 13}, {6, 5, 5, 14}, {6, 5, 5, 14}}
)

// packed packs a row into one word, a byte each.
func packed(row [4]uint32) uint32 { return row[0] | row[1]<<8 | row[2]<<16 | row[3]<<24 }

// groups is the size of texel groups, as run-time values.
type groups struct {
	shift       []ir.V // log₂ of the size along each axis
	granularity ir.V
}

// groups returns the group size of a granularity.
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

// footprintBody is the body of Footprint: the texel groups of one level that a sample would read. The result is
// a mask of 8×8 groups (4×4×4 of a volume), an anchor in units of whole masks, and an offset: group (x, y) is
// bit (x mod 8, y mod 8), so that the mask may wrap around the anchor. Choices that the specification leaves
// open are in docs/undefined.md.
func (c *code) footprintBody(a *arguments) []ir.V {
	for i := range c.s.address { // other modes are invalid
		c.s.address[i] = enum.AddressModeClampToEdge
	}
	d := c.computeLod(a)
	level, single := c.oneLevel(&d)
	f := filter{code: c, m: c.mip(level), samplePoint: samplePoint{coord: a.coord}}
	first, last := f.tapRange(&d, a, c.num(1)), []texelRange(nil)
	if last = first; d.samples != 0 {
		last = f.tapRange(&d, a, d.samples)
	}
	g, coarser := c.coarsenToFit(a.data[0], first, last, d.samples != 0)
	anchor, offset := make([]ir.V, len(first)), make([]ir.V, len(first))
	side, log := uint32(8), uint32(3)
	if c.v.dim == ir.Dim3D {
		side, log = 4, 2
	}
	for i := range first {
		lo, hi := c.groupRange(i, first, last, g)
		top := c.Op(ir.LShr, ir.I32, hi, c.I32(log))
		same := c.eq(c.Op(ir.LShr, ir.I32, lo, c.I32(log)), top)
		anchor[i] = top
		offset[i] = c.Select(same, c.I32(0), c.sub(c.I32(side), c.Op(ir.And, ir.I32, lo, c.I32(side-1))))
	}
	var mask ir.V
	if d.samples == 0 {
		mask = f.footprintMask(first, g, side)
	} else {
		mask = f.anisotropicMask(&d, a, g, side)
	}
	// Results: single level, anchor, offset, mask (low and high word), level, granularity.
	list := append([]ir.V{c.Op(ir.ZExt, ir.I32, single)}, anchor...)
	list = append(append(list, offset...), c.Op(ir.Trunc, ir.I32, mask), c.Op(ir.Trunc, ir.I32, c.Op(ir.LShr, ir.I64, mask, c.Const(ir.I64, 32))), level, coarser)
	if c.t.Coarse { // if one level suffices, the coarse footprint is empty
		for i := range list[1:] {
			list[i+1] = c.Select(single, c.I32(0), list[i+1])
		}
	}
	return list
}

// oneLevel returns the fine or coarse level, as the function requires, and whether the sample reads one level
// only.
func (c *code) oneLevel(d *lod) (level, single ir.V) {
	switch {
	case d.level == 0:
		return c.I32(0), c.Bool(true)
	case !c.s.mipLinear:
		return c.nearestLevel(d), c.Bool(true)
	}
	level = c.Op(ir.LShr, ir.I32, d.level, c.I32(8))
	single = c.eq(c.Op(ir.And, ir.I32, d.level, c.I32(fraction-1)), c.I32(0))
	if c.t.Coarse {
		level = c.Op(ir.UMin, ir.I32, c.add(level, c.I32(1)), c.sub(c.shapeWord(ir.ShapeLevelsN), c.I32(1)))
	}
	return level, single
}

// texelRange is the first and the last texel along an axis.
type texelRange struct{ lo, hi ir.V }

// tapRange returns the texels that probe i of an anisotropic sample reads along each axis; without anisotropy
// there is one probe.
func (f *filter) tapRange(d *lod, a *arguments, i ir.V) []texelRange {
	list := make([]texelRange, f.v.axes())
	for k := range list {
		u := a.coord[k]
		if d.samples != 0 {
			step := f.fdiv(f.num(1), f.fadd(d.samples, f.num(1)))
			u = f.ffma(f.Select(d.alongX, a.dx[k], a.dy[k]), f.fsub(f.fmul(i, step), f.num(0.5)), u)
		}
		x := f.axis(k, u, 0, f.m.extent[k])
		of := func(with enum.Filter) texelRange {
			if with == enum.FilterNearest || f.t.Type != ir.F32 {
				s := f.nearest(x)
				return texelRange{s.at, s.at}
			}
			p := f.linear(x)
			if with == enum.FilterCubic {
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

// groupRange returns the first and the last group along axis i, over all probes; first and last are the
// ranges of the outermost probes.
func (c *code) groupRange(i int, first, last []texelRange, g groups) (lo, hi ir.V) {
	lo = c.Op(ir.SMin, ir.I32, first[i].lo, last[i].lo)
	hi = c.Op(ir.SMax, ir.I32, first[i].hi, last[i].hi)
	return c.Op(ir.LShr, ir.I32, lo, g.shift[i]), c.Op(ir.LShr, ir.I32, hi, g.shift[i])
}

// coarsenToFit returns the groups of the requested granularity, or of the next coarser one at which the mask
// can represent the footprint; and that one's number, 0 if it is the requested one.
func (c *code) coarsenToFit(asked ir.V, first, last []texelRange, loops bool) (groups, ir.V) {
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
		lo, hi := c.groupRange(i, first, last, g)
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

// footprintMask returns the mask of the groups of some texels: bit x of row y of slice z is the group with
// these coordinates modulo side, the mask's extent along each axis.
func (f *filter) footprintMask(texels []texelRange, g groups, side uint32) ir.V {
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
		if f.s.mag == enum.FilterCubic || f.s.min == enum.FilterCubic { // four texels can be in three groups
			all = f.Op(ir.Or, ir.I64, all, shifted(f.Op(ir.SMin, ir.I32, f.add(t.lo, f.I32(1)), t.hi)))
			all = f.Op(ir.Or, ir.I64, all, shifted(f.Op(ir.SMax, ir.I32, f.sub(t.hi, f.I32(1)), t.lo)))
		}
		bits = all
	}
	return bits
}

// anisotropicMask returns the union of the masks of all probes.
func (f *filter) anisotropicMask(d *lod, a *arguments, g groups, side uint32) ir.V {
	end := f.Block(ir.I64)
	loop := f.Loop(f.num(1), f.Const(ir.I64, 0))
	i, mask := f.Param(loop, 0), f.Param(loop, 1)
	mask = f.Op(ir.Or, ir.I64, mask, f.footprintMask(f.tapRange(d, a, i), g, side))
	f.If(f.fle(d.samples, i))
	f.Br(end, mask)
	f.End()
	f.Br(loop, f.fadd(i, f.num(1)), mask)
	f.End()
	f.End()
	return f.Param(end, 0)
}

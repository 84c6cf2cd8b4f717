package texture

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Image processing (Vulkan §"Weight Image Sampling", §"Block Matching", §"Box
// Filter Sampling") reads the first level of a view of two dimensions, texel by
// texel of a region. Regions are bounded, whatever a shader says.
const maxRegion = 64

// second is the other image of a function: weights, or what blocks are matched
// with.
type second struct {
	v             viewKey
	memory, shape ir.V
}

// othersOf returns the keys of the views that t may meet as its other image: one
// that means nothing where it has none. apart is set where it meets one alone.
func othersOf(p *ir.Program, t *ir.Texture, bound []Bound) (keys []viewKey, apart bool) {
	if !t.HasOther() {
		return []viewKey{{}}, true
	}
	var views []*View
	if t.Other < len(bound) {
		views = bound[t.Other].Views
	}
	for _, v := range distinct(views, func(v *View) viewKey { return v.key }, viewKey.word) {
		if t.Matches() && v.dim == ir.Dim2D && !v.arrayed && v.samples == 0 ||
			!t.Matches() && v.arrayed && v.samples == 0 && (v.dim == ir.Dim1D || v.dim == ir.Dim2D) {
			keys = append(keys, v)
		}
	}
	return keys, p.Res[t.Other].Count == 1 && len(views) == 1 && len(keys) == 1
}

// other begins the other image of a function that has one.
func (c *code) other(a *arguments) (o second) {
	if c.t.HasOther() {
		o.memory = c.OpAux(ir.Res, ir.H, uint64(c.t.Other), a.data[0])
		o.shape = c.OpAux(ir.Res, ir.H, uint64(c.t.Other+1), a.data[0])
	}
	return o
}

// processed is the body of the functions of image processing.
func (c *code) processed(a *arguments) ([]ir.V, error) {
	x := c.texelOf()
	from := *c
	from.v, from.memory, from.shape = a.from.v, a.from.memory, a.from.shape
	if x.kind() != ir.F32 || c.v.converted || from.v.converted || c.v.corner || from.v.corner {
		return nil, &UnsupportedError{"image processing of integers, of luma and chroma, or at corners: texture function " + c.t.Op.String()}
	}
	if c.t.HasOther() {
		if y := from.texelOf(); y.kind() != ir.F32 {
			return nil, &UnsupportedError{"image processing with another image of integers: texture function " + c.t.Op.String()}
		}
	}
	switch c.t.Op {
	case ir.TextureBox:
		return c.box(a), nil
	case ir.TextureWeighted:
		return c.weighted(a, &from), nil
	}
	from.v.swizzle = c.v.swizzle // that of the reference is ignored
	m := matcher{code: c, from: &from, size: [2]ir.V{c.extent(a.data[3]), c.extent(a.data[4])}}
	for i := range 2 {
		m.at[i], m.ref[i] = c.corner(a.at[i]), c.corner(a.data[1+i])
	}
	switch c.t.Op {
	case ir.TextureMatchWindow:
		return m.window(), nil
	case ir.TextureMatchGather:
		return m.gather(), nil
	}
	return m.match(c.I32(0), c.I32(0)), nil
}

// corner bounds a coordinate, which has no sign, so that sums stay positive.
func (c *code) corner(v ir.V) ir.V { return c.Op(ir.UMin, ir.I32, v, c.I32(1<<30)) }

// extent bounds a block along one axis.
func (c *code) extent(v ir.V) ir.V {
	return c.Op(ir.UMax, ir.I32, c.Op(ir.UMin, ir.I32, v, c.I32(maxRegion)), c.I32(1))
}

// region visits the texels of a region, x first, and gives each what the last one
// returned: numbers of 32 bits. Both extents are at least 1.
func (c *code) region(size [2]ir.V, inits []ir.V, each func(i, j ir.V, state []ir.V) []ir.V) []ir.V {
	types := make([]ir.Type, len(inits))
	for k, v := range inits {
		types[k] = c.Func.Type(v)
	}
	end := c.Block(types...)
	loop := c.Loop(append([]ir.V{c.I32(0), c.I32(0)}, inits...)...)
	params := append([]ir.V(nil), c.Func.Params(loop)...)
	i, j := params[0], params[1]
	state := each(i, j, params[2:])
	right := c.add(i, c.I32(1))
	over := c.eq(right, size[0])
	i, j = c.Select(over, c.I32(0), right), c.Select(over, c.add(j, c.I32(1)), j)
	c.If(c.eq(j, size[1]))
	c.Br(end, state...)
	c.End()
	c.Br(loop, append([]ir.V{i, j}, state...)...)
	c.End()
	c.End()
	return append([]ir.V(nil), c.Func.Params(end)...)
}

// wrapped is the texel along axis i that an integer near the level names; in is 0
// (no value) where it is surely within.
func (c *code) wrapped(i int, at, size ir.V) (to, in ir.V) {
	last := c.sub(size, c.I32(1))
	switch mode := c.s.address[i]; mode {
	case ClampToBorder:
		return at, c.ult(at, size)
	case Repeat, MirroredRepeat:
		return c.wrap(axis{size: size, mode: mode}, at), 0
	case MirrorClampToEdge:
		at = c.Select(c.slt(at, c.I32(0)), c.Op(ir.Not, ir.I32, at), at)
		return c.Op(ir.SMin, ir.I32, at, last), 0
	}
	return c.Op(ir.SMin, ir.I32, c.Op(ir.SMax, ir.I32, at, c.I32(0)), last), 0
}

// texel reads a texel of the view's first level as whole numbers.
func (c *code) texel(x *texel, m mip, at [2]ir.V) values {
	f := filter{code: c, x: *x, m: m}
	to, in := make([]ir.V, 2), ir.V(0)
	for i := range to {
		var within ir.V
		to[i], within = c.wrapped(i, at[i], m.extent[i])
		in = f.andIn(in, within)
	}
	n := f.tap(to, in)
	if c.whole() {
		n = c.scaled(x, n, 1)
	}
	return n
}

// first is what a reduction begins with.
func (c *code) first() ir.V {
	switch c.s.reduction {
	case Min:
		return c.num(math.Inf(1))
	case Max:
		return c.num(math.Inf(-1))
	}
	return c.num(0)
}

// firsts is that for each number that a texel has.
func (c *code) firsts(which []int) []ir.V {
	list := make([]ir.V, len(which))
	for k := range list {
		list[k] = c.first()
	}
	return list
}

// reduce2 gives a reduction one more number, with a weight.
func (c *code) reduce2(sum, n, weight ir.V) ir.V {
	switch c.s.reduction {
	case Min:
		return c.nmin(sum, n)
	case Max:
		return c.nmax(sum, n)
	}
	return c.ffma(n, weight, sum)
}

// results makes the results of a function of the numbers that texels have.
func (c *code) results(x *texel, which []int, list []ir.V) []ir.V {
	var n values
	for k, i := range which {
		n[i] = c.canon(list[k])
	}
	return c.shown(x, c.complete(x, n))
}

// unnormalized is a coordinate in texels, near the level; a NaN is far to the left.
func (c *code) unnormalized(a *arguments, i int, size ir.V) ir.V {
	length, u := c.utof(size), a.at[i]
	if !c.s.unnormalized {
		u = c.fmul(u, length)
	}
	return c.clamp(u, c.num(-2*maxRegion), c.fadd(length, c.num(2*maxRegion)))
}

// box is the body of Box. Where the box begins, and its extent, are fixed point as
// coordinates of filters are; so the weights add up to what they are divided by.
func (c *code) box(a *arguments) []ir.V {
	x, m := c.texelOf(), c.mip(0)
	var begin, part, end, size, extent [2]ir.V // part and end: the fractions where the box begins and ends
	for i := range 2 {
		wide := c.clamp(a.data[i], c.num(1), c.num(maxRegion))
		u := c.ffma(wide, c.num(-0.5), c.unnormalized(a, i, m.extent[i]))
		fixed := func(v ir.V) ir.V {
			return c.ftos(c.Op(ir.FRoundEven, ir.F32, c.fmul(v, c.num(fraction))))
		}
		at := fixed(u)
		extent[i] = fixed(wide)
		begin[i], part[i] = c.Op(ir.AShr, ir.I32, at, c.I32(8)), c.Op(ir.And, ir.I32, at, c.I32(fraction-1))
		stop := c.add(part[i], extent[i])
		end[i] = c.Op(ir.And, ir.I32, stop, c.I32(fraction-1))
		size[i] = c.Op(ir.LShr, ir.I32, c.add(stop, c.I32(fraction-1)), c.I32(8))
	}
	weight := func(i int, n ir.V) ir.V { // in 256ths
		last := c.both(c.eq(c.add(n, c.I32(1)), size[i]), c.not(c.eq(end[i], c.I32(0))))
		return c.Select(c.eq(n, c.I32(0)), c.sub(c.I32(fraction), part[i]), c.Select(last, end[i], c.I32(fraction)))
	}
	which, _ := c.present(&x)
	sums := c.region(size, c.firsts(which), func(i, j ir.V, state []ir.V) []ir.V {
		n := c.texel(&x, m, [2]ir.V{c.add(begin[0], i), c.add(begin[1], j)})
		w := c.stof(c.mul(weight(0, i), weight(1, j)))
		next := make([]ir.V, len(state))
		for k, of := range which {
			next[k] = c.reduce2(state[k], n[of], w)
		}
		return next
	})
	if c.s.reduction == Average {
		area := c.stof(c.mul(extent[0], extent[1]))
		for k := range sums {
			sums[k] = c.fdiv(sums[k], area)
		}
	}
	return c.results(&x, which, sums)
}

// weighted is the body of Weighted.
func (c *code) weighted(a *arguments, from *code) []ir.V {
	x, m, y, weights := c.texelOf(), c.mip(0), from.texelOf(), from.mip(0)
	packed := from.word(ir.ShapeWeights)
	take := func(at, n uint32) ir.V { return c.Op(ir.BitFieldU, ir.I32, packed, c.I32(at), c.I32(n)) }
	phases := c.Op(ir.Shl, ir.I32, c.I32(1), take(24, 3))
	var begin, phase, size [2]ir.V
	for i := range 2 {
		u := c.unnormalized(a, i, m.extent[i])
		whole := c.floor(u)
		begin[i] = c.sub(c.ftos(whole), take(uint32(6*i), 6))
		phase[i] = c.ftos(c.fmul(c.fsub(u, whole), c.utof(phases))) // exact, and less than phases
		size[i] = c.add(take(uint32(12+6*i), 6), c.I32(1))
	}
	load := func(at []ir.V, layer ir.V) ir.V {
		n := from.numbers(&y, from.load(&y, from.begin(&y, weights, at, layer, 0), 0))
		for i, k := range y.lanes {
			if n[i] != 0 {
				return from.scale(k, n[i], 1)
			}
		}
		return c.num(0)
	}
	weight := func(k, l ir.V) ir.V {
		if from.v.dim == ir.Dim2D {
			return load([]ir.V{k, l}, c.add(c.mul(phase[1], phases), phase[0]))
		}
		packed := func(n, phase ir.V) []ir.V { // groups of four, by phase
			group := c.mul(c.Op(ir.And, ir.I32, n, c.I32(^uint32(3))), phases)
			return []ir.V{c.add(c.add(group, c.Op(ir.Shl, ir.I32, phase, c.I32(2))), c.Op(ir.And, ir.I32, n, c.I32(3)))}
		}
		return c.fmul(load(packed(k, phase[0]), c.I32(0)), load(packed(l, phase[1]), c.I32(1)))
	}
	which, _ := c.present(&x)
	sums := c.region(size, c.firsts(which), func(i, j ir.V, state []ir.V) []ir.V {
		n := c.texel(&x, m, [2]ir.V{c.add(begin[0], i), c.add(begin[1], j)})
		w := weight(i, j)
		none := c.Cmp(ir.FEq, w, c.num(0))
		next := make([]ir.V, len(state))
		for k, of := range which {
			next[k] = c.reduce2(state[k], n[of], w)
			if c.s.reduction != Average {
				next[k] = c.Select(none, state[k], next[k])
			}
		}
		return next
	})
	return c.results(&x, which, sums)
}

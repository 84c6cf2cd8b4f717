package texture

import (
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// maxRegion bounds the extent of a processed region along each axis, in texels, whatever the shader's operands.
// Image processing (Vulkan §"Weight Image Sampling", §"Block Matching", §"Box Filter Sampling") reads the first
// level of 2D views, texel by texel of a region.
const maxRegion = 64

// otherImage is a function's second image: weights, or the reference of block matching.
type otherImage struct {
	v             viewKey
	memory, shape ir.V
}

// othersOf returns the keys of the views that t may use as its second image; the zero key if t has none.
// apart is set if there is exactly one and no null descriptor.
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

// other emits the handles of the function's second image, if it has one.
func (c *code) other(a *arguments) (o otherImage) {
	if c.t.HasOther() {
		o.memory = c.OpAux(ir.Res, ir.H, uint64(c.t.Other), a.data[0])
		o.shape = c.OpAux(ir.Res, ir.H, uint64(c.t.Other+1), a.data[0])
	}
	return o
}

// imageProcessing is the body of the image processing functions.
func (c *code) imageProcessing(a *arguments) ([]ir.V, error) {
	x := c.texelOf()
	from := *c
	from.v, from.memory, from.shape = a.reference.v, a.reference.memory, a.reference.shape
	if x.kind() != ir.F32 || c.v.converted || from.v.converted || c.v.corner || from.v.corner {
		return nil, &UnsupportedError{"image processing of integers, with a conversion, or of a corner-sampled image: texture function " + c.t.Op.String()}
	}
	if c.t.HasOther() {
		if y := from.texelOf(); y.kind() != ir.F32 {
			return nil, &UnsupportedError{"image processing with a second image of integers: texture function " + c.t.Op.String()}
		}
	}
	switch c.t.Op {
	case ir.TextureBox:
		return c.boxBody(a), nil
	case ir.TextureWeighted:
		return c.weightedBody(a, &from), nil
	}
	from.v.swizzle = c.v.swizzle // the reference's own swizzle is ignored
	m := matcher{code: c, reference: &from, size: [2]ir.V{c.clampExtent(a.data[3]), c.clampExtent(a.data[4])}}
	for i := range 2 {
		m.at[i], m.ref[i] = c.clampOrigin(a.coord[i]), c.clampOrigin(a.data[1+i])
	}
	switch c.t.Op {
	case ir.TextureMatchWindow:
		return m.window(), nil
	case ir.TextureMatchGather:
		return m.gather(), nil
	}
	return m.match(c.I32(0), c.I32(0)), nil
}

// clampOrigin bounds an unsigned coordinate so that sums do not overflow.
func (c *code) clampOrigin(v ir.V) ir.V { return c.Op(ir.UMin, ir.I32, v, c.I32(1<<30)) }

// clampExtent bounds a block's extent along one axis to 1 … maxRegion.
func (c *code) clampExtent(v ir.V) ir.V {
	return c.Op(ir.UMax, ir.I32, c.Op(ir.UMin, ir.I32, v, c.I32(maxRegion)), c.I32(1))
}

// forRegion emits a loop over the texels of a region, x in the inner loop. each maps the loop-carried state of
// one iteration to the next; the result is the final state. Both extents must be at least 1.
func (c *code) forRegion(size [2]ir.V, inits []ir.V, each func(i, j ir.V, state []ir.V) []ir.V) []ir.V {
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
	// One loop for both axes: at the end of a row, x restarts and y advances.
	i, j = c.Select(over, c.I32(0), right), c.Select(over, c.add(j, c.I32(1)), j)
	c.If(c.eq(j, size[1]))
	c.Br(end, state...)
	c.End()
	c.Br(loop, append([]ir.V{i, j}, state...)...)
	c.End()
	c.End()
	return append([]ir.V(nil), c.Func.Params(end)...)
}

// wrapTexel wraps a texel index near the level along axis i; in is 0 (no value) if the result is always inside.
func (c *code) wrapTexel(i int, at, size ir.V) (to, in ir.V) {
	last := c.sub(size, c.I32(1))
	switch mode := c.s.address[i]; mode {
	case enum.AddressModeClampToBorder:
		return at, c.ult(at, size)
	case enum.AddressModeRepeat, enum.AddressModeMirroredRepeat:
		return c.wrap(axis{size: size, mode: mode}, at), 0
	case enum.AddressModeMirrorClampToEdge:
		at = c.Select(c.slt(at, c.I32(0)), c.Op(ir.Not, ir.I32, at), at)
		return c.Op(ir.SMin, ir.I32, at, last), 0
	}
	return c.Op(ir.SMin, ir.I32, c.Op(ir.SMax, ir.I32, at, c.I32(0)), last), 0
}

// texelAt reads a texel of the view's first level, scaled.
func (c *code) texelAt(x *texel, m mip, at [2]ir.V) values {
	f := filter{code: c, x: *x, m: m}
	to, in := make([]ir.V, 2), ir.V(0)
	for i := range to {
		var within ir.V
		to[i], within = c.wrapTexel(i, at[i], m.extent[i])
		in = f.andIn(in, within)
	}
	n := f.tap(to, in)
	if c.scalesLate() {
		n = c.scaleComponents(x, n, 1)
	}
	return n
}

// reductionIdentity is the initial value of a reduction.
func (c *code) reductionIdentity() ir.V {
	switch c.s.reduction {
	case enum.ReductionMin:
		return c.num(math.Inf(1))
	case enum.ReductionMax:
		return c.num(math.Inf(-1))
	}
	return c.num(0)
}

// reductionIdentities is the initial value for each listed component.
func (c *code) reductionIdentities(which []int) []ir.V {
	list := make([]ir.V, len(which))
	for k := range list {
		list[k] = c.reductionIdentity()
	}
	return list
}

// reduceWith reduces one more value, with a weight.
func (c *code) reduceWith(sum, n, weight ir.V) ir.V {
	switch c.s.reduction {
	case enum.ReductionMin:
		return c.nmin(sum, n)
	case enum.ReductionMax:
		return c.nmax(sum, n)
	}
	return c.ffma(n, weight, sum)
}

// results returns the function's results from the listed components' values.
func (c *code) results(x *texel, which []int, list []ir.V) []ir.V {
	var n values
	for k, i := range which {
		n[i] = c.canon(list[k])
	}
	return c.swizzled(x, c.fillMissing(x, n))
}

// texelCoordinate returns coordinate i in texels, clamped near the level; NaN is at the lower end.
func (c *code) texelCoordinate(a *arguments, i int, size ir.V) ir.V {
	length, u := c.stof(size), a.coord[i]
	if !c.s.unnormalized {
		u = c.fmul(u, length)
	}
	return c.clamp(u, c.num(-2*maxRegion), c.fadd(length, c.num(2*maxRegion)))
}

// boxBody is the body of Box: the mean over a box around the coordinates, each texel weighted by its area in the
// box. The box's origin and extent are rounded to fixed point, so that the weights, integers, add up to the
// divisor exactly. Along one axis, with a box from 0.25 to 2.5:
//
//	│  0.75  │   1    │ 0.5 ╎  │      weights 192, 256, 128; divisor 576
func (c *code) boxBody(a *arguments) []ir.V {
	x, m := c.texelOf(), c.mip(0)
	var begin, part, end, size, extent [2]ir.V // part and end: fractions, in 256ths, of the box's begin and end
	for i := range 2 {
		wide := c.clamp(a.data[i], c.num(1), c.num(maxRegion))
		u := c.ffma(wide, c.num(-0.5), c.texelCoordinate(a, i, m.extent[i]))
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
	sums := c.forRegion(size, c.reductionIdentities(which), func(i, j ir.V, state []ir.V) []ir.V {
		n := c.texelAt(&x, m, [2]ir.V{c.add(begin[0], i), c.add(begin[1], j)})
		w := c.stof(c.mul(weight(0, i), weight(1, j)))
		next := make([]ir.V, len(state))
		for k, of := range which {
			next[k] = c.reduceWith(state[k], n[of], w)
		}
		return next
	})
	if c.s.reduction == enum.ReductionWeightedAverage {
		area := c.stof(c.mul(extent[0], extent[1]))
		for k := range sums {
			sums[k] = c.fdiv(sums[k], area)
		}
	}
	return c.results(&x, which, sums)
}

// weightedBody is the body of Weighted: the sum of a region of texels, each times a weight from the weight
// image. The fraction of the coordinates selects the phase: the set of weights for that sub-texel position.
// from is the code for the weight image.
func (c *code) weightedBody(a *arguments, from *code) []ir.V {
	x, m, y, weights := c.texelOf(), c.mip(0), from.texelOf(), from.mip(0)
	packed := from.shapeWord(ir.ShapeWeights)
	take := func(at, n uint32) ir.V { return c.Op(ir.BitFieldU, ir.I32, packed, c.I32(at), c.I32(n)) }
	phases := c.Op(ir.Shl, ir.I32, c.I32(1), take(24, 3)) // along each axis
	var begin, phase, size [2]ir.V
	for i := range 2 {
		u := c.texelCoordinate(a, i, m.extent[i])
		whole := c.floor(u)
		begin[i] = c.sub(c.ftos(whole), take(uint32(6*i), 6))
		phase[i] = c.ftos(c.fmul(c.fsub(u, whole), c.stof(phases))) // exact, and less than phases
		size[i] = c.add(take(uint32(12+6*i), 6), c.I32(1))
	}
	load := func(at []ir.V, layer ir.V) ir.V {
		n := from.decodeComponents(&y, from.load(&y, from.texelOffset(&y, weights, at, layer, 0), 0))
		for i, k := range y.channels {
			if n[i] != 0 {
				return from.scaleComponent(k, n[i], 1)
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
	sums := c.forRegion(size, c.reductionIdentities(which), func(i, j ir.V, state []ir.V) []ir.V {
		n := c.texelAt(&x, m, [2]ir.V{c.add(begin[0], i), c.add(begin[1], j)})
		w := weight(i, j)
		none := c.Cmp(ir.FEq, w, c.num(0))
		next := make([]ir.V, len(state))
		for k, of := range which {
			next[k] = c.reduceWith(state[k], n[of], w)
			if c.s.reduction != enum.ReductionWeightedAverage {
				next[k] = c.Select(none, state[k], next[k])
			}
		}
		return next
	})
	return c.results(&x, which, sums)
}

package texture

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// samplePointOf selects the face of a cube and the layer of an array.
func (c *code) samplePointOf(a *arguments) (s samplePoint) {
	s.dref, s.offset = a.dref, a.offset
	layers := c.shapeWord(ir.ShapeLayers)
	if c.v.dim == ir.DimCube {
		s.face = c.selectFace(a)
		if a.layer != 0 {
			layers = c.Op(ir.UDiv, ir.I32, layers, c.I32(6))
		}
	}
	s.coord = a.coord
	if a.layer != 0 { // Vulkan §"Array Layer Selection"
		last := c.utof(c.sub(layers, c.I32(1)))
		s.layer = c.ftos(c.Op(ir.FRoundEven, ir.F32, c.nmin(c.nmax(a.layer, c.num(0)), last)))
	}
	return s
}

// present returns the indices and types of the components that a sample has.
func (c *code) present(x *texel) (which []int, types []ir.Type) {
	if c.s.compare && c.t.Has(ir.TextureDref) {
		return []int{0}, []ir.Type{ir.F32}
	}
	for i, k := range x.channels {
		if k != nil && c.reads(i) {
			which, types = append(which, i), append(types, x.kind())
		}
	}
	return which, types
}

// sampleBody is the body of Sample: cube face and layer, level of detail, then the levels' texels.
func (c *code) sampleBody(a *arguments) []ir.V {
	x := c.texelOf()
	s := c.samplePointOf(a)
	d := c.computeLod(a)
	var n values
	if d.samples != 0 {
		n = c.anisotropic(&x, &s, &d, a)
	} else {
		n = c.sampleLevels(&x, &s, &d)
	}
	return c.finish(&x, n)
}

// finish scales, swizzles and converts sampled values to the function's results.
func (c *code) finish(x *texel, n values) []ir.V {
	if c.t.Has(ir.TextureDref) {
		if !c.s.compare { // the sampler does not compare: docs/undefined.md
			n = values{c.num(0)}
		}
		return []ir.V{c.comparisonResult(n[0])}
	}
	switch {
	case c.scalesInArms():
	case c.filtersBytes():
		n = c.scaleComponents(x, n, fraction)
	case c.scalesLate():
		n = c.scaleComponents(x, n, 1)
	}
	if x.kind() == ir.F32 {
		for i, k := range x.channels {
			if n[i] != 0 && k.Numeric != format.UNorm && k.Numeric != format.SNorm && k.Numeric != format.SRGB {
				n[i] = c.canon(n[i])
			}
		}
	}
	if c.v.converted {
		return c.convert(c.fillMissing(x, n))
	}
	return c.swizzled(x, c.fillMissing(x, n))
}

// comparisonResult applies the view's swizzle to the result of a comparison, which replaces the red component:
// the first component of the swizzled value (Vulkan §"Depth Compare Operation", §"Component Swizzle").
func (c *code) comparisonResult(v ir.V) ir.V {
	switch c.v.swizzle[0] {
	case enum.SwizzleR:
		return v
	case enum.SwizzleOne, enum.SwizzleA:
		return c.num(1)
	}
	return c.num(0)
}

// sampleLevels samples the level, or the two levels, that the level of detail selects.
func (c *code) sampleLevels(x *texel, s *samplePoint, d *lod) values {
	if d.level == 0 {
		return c.sampleLevel(x, s, d, 0)
	}
	if !c.s.mipLinear {
		return c.sampleLevel(x, s, d, c.nearestLevel(d))
	}
	hi := c.Op(ir.LShr, ir.I32, d.level, c.I32(8))
	part := c.Op(ir.And, ir.I32, d.level, c.I32(fraction-1))
	if x.kind() != ir.F32 {
		return c.sampleLevel(x, s, d, hi) // integers are not interpolated; such samplers must not filter levels
	}
	return c.trilinear(x, s, d, hi, part)
}

// trilinear samples level hi and, if part (in 256ths) is not 0, the next level, and interpolates. It is a loop,
// because the code of one level is most of the code. The first iteration interpolates from zeros with weight
// 1, which yields the level's values exactly; if values may be infinite or NaN, a select replaces it.
func (c *code) trilinear(x *texel, s *samplePoint, d *lod, hi, part ir.V) values {
	which, types := c.present(x)
	f := filter{code: c, x: *x}
	if c.unrollsLevels() {
		return c.trilinearUnrolled(x, s, d, hi, part)
	}
	mixes := c.finite(x) && c.s.reduction == enum.ReductionWeightedAverage
	end := c.Block(types...)
	inits := []ir.V{hi, c.Bool(false), c.num(1)} // level, second iteration, weight
	for range which {
		inits = append(inits, c.num(0))
	}
	loop := c.Loop(inits...)
	n, second, weight := c.Param(loop, 0), c.Param(loop, 1), c.Param(loop, 2)
	var before values
	for k, i := range which {
		before[i] = c.Param(loop, 3+k)
	}
	got := c.sampleLevel(x, s, d, n)
	now := f.combine(before, got, weight)
	next := []ir.V{c.add(n, c.I32(1)), c.Bool(true), c.fmul(c.stof(part), c.num(1.0/fraction))}
	if !mixes {
		for _, i := range which {
			now[i] = c.Select(second, now[i], got[i])
		}
	}
	c.If(c.either(second, c.eq(part, c.I32(0))))
	c.Br(end, c.presentValues(which, now)...)
	c.End()
	c.Br(loop, append(next, c.presentValues(which, now)...)...)
	c.End()
	c.End()
	return c.blockValues(end, which)
}

// unrollsLevels reports whether trilinear has no loop.
func (c *code) unrollsLevels() bool { return c.filtersBytes() && c.v.axes() <= 2 && !c.seamless() }

// scalesInArms reports whether trilinearUnrolled scales the values, not finish. The values of the first level, which wait in memory for
// the second one, are then no results of the branch: results are new values in both arms, and stay in registers.
func (c *code) scalesInArms() bool {
	return c.v.levels && c.s.mipLinear && !c.s.anisotropic && c.unrollsLevels()
}

// trilinearUnrolled is trilinear without a loop, for bytes with little code. A lane with part 0 reads level hi twice and interpolates with
// weight 0, which yields its values exactly: sums of bytes are finite, and never −0. So one branch serves all lanes.
func (c *code) trilinearUnrolled(x *texel, s *samplePoint, d *lod, hi, part ir.V) values {
	which, types := c.present(x)
	f := filter{code: c, x: *x}
	scaled := func(n values) []ir.V {
		if c.scalesInArms() {
			n = c.scaleComponents(x, n, fraction)
		}
		return c.presentValues(which, n)
	}
	end := c.Block(types...)
	first := c.sampleLevel(x, s, d, hi)
	c.If(c.not(c.Op(ir.Every, ir.B1, c.eq(part, c.I32(0)))))
	next := c.Op(ir.LShr, ir.I32, c.add(d.level, c.I32(fraction-1)), c.I32(8)) // hi if part is 0
	second := c.sampleLevel(x, s, d, next)
	c.Br(end, scaled(f.combine(first, second, c.fmul(c.stof(part), c.num(1.0/fraction))))...)
	c.End()
	c.Br(end, scaled(first)...)
	c.End()
	return c.blockValues(end, which)
}

// blockValues returns a block's parameters as the listed components.
func (c *code) blockValues(end ir.V, which []int) (out values) {
	for k, i := range which {
		out[i] = c.Param(end, k)
	}
	return out
}

// sampleLevel samples level n, level 0 if n is no value, with the filter for magnification or minification.
func (c *code) sampleLevel(x *texel, s *samplePoint, d *lod, n ir.V) values {
	f := filter{code: c, x: *x, m: c.mip(n), samplePoint: *s}
	if c.s.mag == c.s.min {
		return f.sample(c.s.mag)
	}
	which, types := c.present(x)
	arm := func(with enum.Filter) func() []ir.V {
		return func() (list []ir.V) {
			got := f.sample(with)
			for _, i := range which {
				list = append(list, got[i])
			}
			return list
		}
	}
	var out values
	for k, v := range c.ifElse(d.mag, types, arm(c.s.mag), arm(c.s.min)) {
		out[which[k]] = v
	}
	return out
}

// anisotropic averages equally weighted probes along the footprint's major axis (Vulkan §"Texel Anisotropic
// Filtering"): ⌈ratio⌉ probes, each an isotropic sample. Their level is finer by log₂(ratio) than the level that
// the major axis requires for one isotropic sample. Probe i of N is at i/(N+1) − ½ of the axis:
//
//	    ╭───────────────────╮
//	────┤  ·    ·    ·    ·  ├──▶ major axis, the longer derivative     ratio 4: four probes
//	    ╰───────────────────╯
func (c *code) anisotropic(x *texel, s *samplePoint, d *lod, a *arguments) values {
	which, types := c.present(x)
	if x.kind() != ir.F32 {
		return c.sampleLevels(x, s, d)
	}
	one := c.num(1)
	step := c.fdiv(one, c.fadd(d.samples, one))
	end := c.Block(types...)
	inits := []ir.V{one}
	for range which {
		inits = append(inits, c.num(0))
	}
	loop := c.Loop(inits...)
	i := c.Param(loop, 0)
	along := c.fsub(c.fmul(i, step), c.num(0.5))
	at := *s
	at.coord = make([]ir.V, len(s.coord))
	for k := range at.coord {
		at.coord[k] = c.ffma(c.Select(d.alongX, a.dx[k], a.dy[k]), along, s.coord[k])
	}
	n := c.sampleLevels(x, &at, d) // one probe
	f := filter{code: c, x: *x}
	next := []ir.V{c.fadd(i, one)}
	var sums []ir.V
	for k, w := range which {
		sum := c.Param(loop, 1+k)
		switch f.s.reduction {
		case enum.ReductionMin:
			sum = c.Select(c.Cmp(ir.FEq, i, one), n[w], c.nmin(sum, n[w]))
		case enum.ReductionMax:
			sum = c.Select(c.Cmp(ir.FEq, i, one), n[w], c.nmax(sum, n[w]))
		default:
			sum = c.fadd(sum, n[w])
		}
		sums = append(sums, sum)
	}
	c.If(c.fle(d.samples, i))
	if f.s.reduction == enum.ReductionWeightedAverage {
		means := make([]ir.V, len(sums))
		for k := range sums {
			means[k] = c.fdiv(sums[k], d.samples)
		}
		c.Br(end, means...)
	} else {
		c.Br(end, sums...)
	}
	c.End()
	c.Br(loop, append(next, sums...)...)
	c.End()
	c.End()
	return c.blockValues(end, which)
}

// gatherBody is the body of Gather: one component of the texels (i0,j1), (i1,j1), (i1,j0) and (i0,j0) of level
// 0, or of the level that operands select (Vulkan §"Texel Gathering").
func (c *code) gatherBody(a *arguments) []ir.V {
	x := c.texelOf()
	s := c.samplePointOf(a)
	c.s.reduction, c.s.mag, c.s.min = enum.ReductionWeightedAverage, enum.FilterLinear, enum.FilterLinear
	level := ir.V(0)
	if c.v.levels && c.t.Operands&(ir.TextureLod|ir.TextureBias|ir.TextureGrad) != 0 {
		d := c.computeLod(a)
		level = c.nearestLevel(&d)
	}
	f := filter{code: c, x: x, m: c.mip(level), samplePoint: s}
	texels := f.gatherTexels(a)
	out := make([]ir.V, 4)
	for i, n := range gatherOrder {
		out[i] = c.component(&x, texels[n])
	}
	if c.v.levels && level == 0 { // levels below the view's least LOD read as 0
		none := c.not(c.flt(c.OpAux(ir.Ld, ir.F32, 4*ir.ShapeMinLod, c.shape, c.I32(0)), c.num(1)))
		for i, v := range out {
			out[i] = c.Select(none, c.Const(c.Func.Type(v), 0), v)
		}
	}
	return out
}

// gatherTexels reads a gather's texels in the order i0j0, i1j0, i0j1, i1j1. With four offsets, each is the
// texel (i0,j0) at its own offset; with Nearest, the texel that contains the coordinates.
func (f *filter) gatherTexels(a *arguments) (texels [4]values) {
	switch {
	case f.seamless():
		return f.corners(f.linear(f.axisOf(0)), f.linear(f.axisOf(1)))
	case a.offsets != nil:
		for i, n := range gatherOrder {
			f.offset = a.offsets[2*i:][:2]
			if f.t.Nearest {
				texels[n] = f.sampleNearest()
				continue
			}
			px, py := f.gatherPair(0), f.gatherPair(1)
			texels[n] = f.tap([]ir.V{px.lo, py.lo}, f.andIn(px.loIn, py.loIn))
		}
		return texels
	}
	px, py := f.gatherPair(0), f.gatherPair(1)
	texels[0] = f.tap([]ir.V{px.lo, py.lo}, f.andIn(px.loIn, py.loIn))
	texels[1] = f.tap([]ir.V{px.hi, py.lo}, f.andIn(px.hiIn, py.loIn))
	texels[2] = f.tap([]ir.V{px.lo, py.hi}, f.andIn(px.loIn, py.hiIn))
	texels[3] = f.tap([]ir.V{px.hi, py.hi}, f.andIn(px.hiIn, py.hiIn))
	return texels
}

// gatherPair returns a gather's two texels along an axis, in order. A linear filter may swap mirrored texels,
// because their weights are mirrored too; a gather may not.
func (f *filter) gatherPair(i int) pair {
	a := f.axisOf(i)
	if a.mode != enum.AddressModeMirroredRepeat && a.mode != enum.AddressModeMirrorClampToEdge {
		return f.linear(a)
	}
	whole, _ := f.cubicBase(a)
	var p pair
	p.lo, _ = f.wrapIndex(a, whole)
	p.hi, _ = f.wrapIndex(a, f.add(whole, f.I32(1)))
	return p
}

// gatherOrder maps a gather's components to texels i0j0, i1j0, i0j1, i1j1.
var gatherOrder = [4]int{2, 3, 1, 0}

// component returns the component of a texel that a gather selects.
func (c *code) component(x *texel, n values) ir.V {
	if c.t.Has(ir.TextureDref) {
		if !c.s.compare {
			return c.comparisonResult(c.num(0))
		}
		return c.comparisonResult(n[0])
	}
	if c.scalesLate() {
		n = c.scaleComponents(x, n, 1)
	}
	return c.swizzled(x, c.fillMissing(x, n))[c.t.Component]
}

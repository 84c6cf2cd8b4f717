package texture

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// spot begins a sample: it selects the face of a cube and the layer of an array.
func (c *code) spot(a *arguments) (s spot) {
	s.dref, s.offset = a.dref, a.offset
	layers := c.word(ir.ShapeLayers)
	if c.v.dim == ir.DimCube {
		s.face = c.faced(a)
		if a.layer != 0 {
			layers = c.Op(ir.UDiv, ir.I32, layers, c.I32(6))
		}
	}
	s.at = a.at
	if a.layer != 0 { // Vulkan §"Array Layer Selection"
		last := c.utof(c.sub(layers, c.I32(1)))
		s.layer = c.ftos(c.Op(ir.FRoundEven, ir.F32, c.nmin(c.nmax(a.layer, c.num(0)), last)))
	}
	return s
}

// present are the types of the values that a sample has: those that are numbers.
func (c *code) present(x *texel) (which []int, types []ir.Type) {
	if c.s.compare && c.t.Has(ir.TextureDref) {
		return []int{0}, []ir.Type{ir.F32}
	}
	for i, k := range x.lanes {
		if k != nil && c.reads(i) {
			which, types = append(which, i), append(types, x.kind())
		}
	}
	return which, types
}

// sampled is the body of Sample.
func (c *code) sampled(a *arguments) []ir.V {
	x := c.texelOf()
	s := c.spot(a)
	d := c.detail(a)
	var n values
	if d.steps != 0 {
		n = c.anisotropic(&x, &s, &d, a)
	} else {
		n = c.levels(&x, &s, &d)
	}
	return c.finished(&x, n)
}

// finished makes the results of a function of sampled numbers.
func (c *code) finished(x *texel, n values) []ir.V {
	if c.t.Has(ir.TextureDref) {
		if !c.s.compare { // a sampler that does not compare: docs/undefined.md
			n = values{c.num(0)}
		}
		return []ir.V{c.referred(n[0])}
	}
	switch {
	case c.ofBytes():
		n = c.scaled(x, n, fraction)
	case c.whole():
		n = c.scaled(x, n, 1)
	}
	if x.kind() == ir.F32 {
		for i, k := range x.lanes {
			if n[i] != 0 && k.Numeric != format.UNorm && k.Numeric != format.SNorm && k.Numeric != format.SRGB {
				n[i] = c.canon(n[i])
			}
		}
	}
	if c.v.converted {
		return c.convert(c.complete(x, n))
	}
	return c.shown(x, c.complete(x, n))
}

// referred is what a view shows of a comparison, which stands where the depth stood:
// the first component that its swizzle makes (Vulkan §"Depth Compare Operation",
// §"Component Swizzle").
func (c *code) referred(v ir.V) ir.V {
	switch c.v.swizzle[0] {
	case Red:
		return v
	case One, Alpha:
		return c.num(1)
	}
	return c.num(0)
}

// levels samples the level or the two levels that the level of detail names.
func (c *code) levels(x *texel, s *spot, d *detail) values {
	if d.level == 0 {
		return c.level(x, s, d, 0)
	}
	if !c.s.mipLinear {
		return c.level(x, s, d, c.nearestLevel(d))
	}
	hi := c.Op(ir.LShr, ir.I32, d.level, c.I32(8))
	part := c.Op(ir.And, ir.I32, d.level, c.I32(fraction-1))
	if x.kind() != ir.F32 {
		return c.level(x, s, d, hi) // integers have no means; such samplers must not filter levels
	}
	return c.twoLevels(x, s, d, hi, part)
}

// twoLevels samples a level, and the one behind it where part has a weight: in a loop,
// for the code of one level is most of what there is to compile. The first level is
// mixed with nothing, of which nothing remains; numbers that need not be finite are not.
func (c *code) twoLevels(x *texel, s *spot, d *detail, hi, part ir.V) values {
	which, types := c.present(x)
	f := filter{code: c, x: *x}
	if c.ofBytes() && c.v.axes() <= 2 && !c.s.anisotropic {
		return c.levelAndNext(x, s, d, hi, part)
	}
	mixes := c.finite(x) && c.s.reduction == Average
	end := c.Block(types...)
	inits := []ir.V{hi, c.Bool(false), c.num(1)}
	for range which {
		inits = append(inits, c.num(0))
	}
	loop := c.Loop(inits...)
	n, second, weight := c.Param(loop, 0), c.Param(loop, 1), c.Param(loop, 2)
	var before values
	for k, i := range which {
		before[i] = c.Param(loop, 3+k)
	}
	got := c.level(x, s, d, n)
	now := f.join(before, got, weight)
	next := []ir.V{c.add(n, c.I32(1)), c.Bool(true), c.fmul(c.stof(part), c.num(1.0/fraction))}
	if !mixes {
		for _, i := range which {
			now[i] = c.Select(second, now[i], got[i])
		}
	}
	c.If(c.either(second, c.eq(part, c.I32(0))))
	c.Br(end, c.of(which, now)...)
	c.End()
	c.Br(loop, append(next, c.of(which, now)...)...)
	c.End()
	c.End()
	return c.ended(end, which)
}

// levelAndNext is twoLevels without a loop, for filters that are little code.
func (c *code) levelAndNext(x *texel, s *spot, d *detail, hi, part ir.V) values {
	which, types := c.present(x)
	f := filter{code: c, x: *x}
	end := c.Block(types...)
	first := c.level(x, s, d, hi)
	c.If(c.eq(part, c.I32(0)))
	c.Br(end, c.of(which, first)...)
	c.End()
	second := c.level(x, s, d, c.add(hi, c.I32(1)))
	c.Br(end, c.of(which, f.join(first, second, c.fmul(c.stof(part), c.num(1.0/fraction))))...)
	c.End()
	return c.ended(end, which)
}

// ended are the values that a block ends with, those of which it is said which.
func (c *code) ended(end ir.V, which []int) (out values) {
	for k, i := range which {
		out[i] = c.Param(end, k)
	}
	return out
}

// level samples one level, level 0 where n is no value, with the filter that the
// magnification asks for.
func (c *code) level(x *texel, s *spot, d *detail, n ir.V) values {
	f := filter{code: c, x: *x, m: c.mip(n), spot: *s}
	if c.s.mag == c.s.min {
		return f.sample(c.s.mag)
	}
	which, types := c.present(x)
	arm := func(with Filter) func() []ir.V {
		return func() (list []ir.V) {
			got := f.sample(with)
			for _, i := range which {
				list = append(list, got[i])
			}
			return list
		}
	}
	var out values
	for k, v := range c.choose(d.mag, types, arm(c.s.mag), arm(c.s.min)) {
		out[which[k]] = v
	}
	return out
}

// anisotropic averages samples along the longer derivative (Vulkan §"Texel
// Anisotropic Filtering").
func (c *code) anisotropic(x *texel, s *spot, d *detail, a *arguments) values {
	which, types := c.present(x)
	if x.kind() != ir.F32 {
		return c.levels(x, s, d)
	}
	one := c.num(1)
	step := c.fdiv(one, c.fadd(d.steps, one))
	end := c.Block(types...)
	inits := []ir.V{one}
	for range which {
		inits = append(inits, c.num(0))
	}
	loop := c.Loop(inits...)
	i := c.Param(loop, 0)
	along := c.fsub(c.fmul(i, step), c.num(0.5))
	at := *s
	at.at = make([]ir.V, len(s.at))
	for k := range at.at {
		at.at[k] = c.ffma(c.Select(d.alongX, a.dx[k], a.dy[k]), along, s.at[k])
	}
	n := c.levels(x, &at, d)
	f := filter{code: c, x: *x}
	next := []ir.V{c.fadd(i, one)}
	var sums []ir.V
	for k, w := range which {
		sum := c.Param(loop, 1+k)
		switch f.s.reduction {
		case Min:
			sum = c.Select(c.Cmp(ir.FEq, i, one), n[w], c.nmin(sum, n[w]))
		case Max:
			sum = c.Select(c.Cmp(ir.FEq, i, one), n[w], c.nmax(sum, n[w]))
		default:
			sum = c.fadd(sum, n[w])
		}
		sums = append(sums, sum)
	}
	c.If(c.fle(d.steps, i))
	if f.s.reduction == Average {
		means := make([]ir.V, len(sums))
		for k := range sums {
			means[k] = c.fdiv(sums[k], d.steps)
		}
		c.Br(end, means...)
	} else {
		c.Br(end, sums...)
	}
	c.End()
	c.Br(loop, append(next, sums...)...)
	c.End()
	c.End()
	return c.ended(end, which)
}

// gathered is the body of Gather: the texels at (i0,j1), (i1,j1), (i1,j0) and
// (i0,j0) of level 0, or of the one that operands name (Vulkan §"Texel Gathering").
func (c *code) gathered(a *arguments) []ir.V {
	x := c.texelOf()
	s := c.spot(a)
	c.s.reduction, c.s.mag, c.s.min = Average, Linear, Linear
	level := ir.V(0)
	if c.v.levels && c.t.Operands&(ir.TextureLod|ir.TextureBias|ir.TextureGrad) != 0 {
		d := c.detail(a)
		level = c.nearestLevel(&d)
	}
	f := filter{code: c, x: x, m: c.mip(level), spot: s}
	texels := f.four(a)
	out := make([]ir.V, 4)
	for i, n := range gatherOrder {
		out[i] = c.component(&x, texels[n])
	}
	if c.v.levels && level == 0 { // below the view's least level there is nothing
		none := c.not(c.flt(c.OpAux(ir.Ld, ir.F32, 4*ir.ShapeMinLod, c.shape, c.I32(0)), c.num(1)))
		for i, v := range out {
			out[i] = c.Select(none, c.Const(c.Func.Type(v), 0), v)
		}
	}
	return out
}

// four reads the texels of a gather: i0j0, i1j0, i0j1, i1j1. With four offsets each is
// that at the place (i0,j0) with its own; then the place may count as the texel that
// the coordinates lie in.
func (f *filter) four(a *arguments) (texels [4]values) {
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
			px, py := f.two(0), f.two(1)
			texels[n] = f.tap([]ir.V{px.lo, py.lo}, f.andIn(px.loIn, py.loIn))
		}
		return texels
	}
	px, py := f.two(0), f.two(1)
	texels[0] = f.tap([]ir.V{px.lo, py.lo}, f.andIn(px.loIn, py.loIn))
	texels[1] = f.tap([]ir.V{px.hi, py.lo}, f.andIn(px.hiIn, py.loIn))
	texels[2] = f.tap([]ir.V{px.lo, py.hi}, f.andIn(px.loIn, py.hiIn))
	texels[3] = f.tap([]ir.V{px.hi, py.hi}, f.andIn(px.hiIn, py.hiIn))
	return texels
}

// two returns the texels along an axis of a gather. Where they are mirrored, the first
// stays the first: a filter need not tell them apart, as their weights are mirrored too.
func (f *filter) two(i int) pair {
	a := f.axisOf(i)
	if a.mode != MirroredRepeat && a.mode != MirrorClampToEdge {
		return f.linear(a)
	}
	whole, _ := f.cubicPlace(a)
	var p pair
	p.lo, _ = f.integral(a, whole)
	p.hi, _ = f.integral(a, f.add(whole, f.I32(1)))
	return p
}

// gatherOrder is which of i0j0, i1j0, i0j1 and i1j1 each component of a gather is.
var gatherOrder = [4]int{2, 3, 1, 0}

// component is the one number of a texel that a gather shows.
func (c *code) component(x *texel, n values) ir.V {
	if c.t.Has(ir.TextureDref) {
		if !c.s.compare {
			return c.referred(c.num(0))
		}
		return c.referred(n[0])
	}
	if c.whole() {
		n = c.scaled(x, n, 1)
	}
	return c.shown(x, c.complete(x, n))[c.t.Component]
}

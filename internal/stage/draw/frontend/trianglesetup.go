package frontend

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// triangle emits the set-up of one triangle. Twice the signed area is positive for clockwise
// triangles, as y points down. Vulkan's area (§"Basic Polygon Rasterization") has the opposite sign,
// so a negative area is front-facing unless VK_FRONT_FACE_CLOCKWISE.
func (s *triangleShader) triangle() {
	b := s.B
	var c [3]triangleCorner
	nothing, other := s.begin(c[:])
	if len(s.kept) > 0 {
		b.If(s.Not(nothing)) // a clipped triangle has the weights of its vertices
		s.keep(&c)
		b.End()
	}
	b.If(s.Not(s.any(nothing, other)))
	for i := range c {
		s.snap(&c[i])
	}
	x, y, area := s.edges(&c)
	zero := b.Const(ir.F64, 0)
	turned := b.Cmp(ir.FLt, area, zero)
	front := b.Op(ir.Xor, ir.B1, turned, s.flag(raster.BatchClockwise))
	culled := b.Select(front, s.flag(raster.BatchCullFront), s.flag(raster.BatchCullBack))
	b.If(s.Not(s.any(culled, b.Cmp(ir.FEq, area, zero))))
	s.coverTriangle(&c, turned)
	s.planes(&c, x, y, area, front)
	b.End()
	b.End()
}

// snap rounds the position of a vertex inside of the guard band to 1/256 pixel, to nearest even, the same as in the rasterizer: neighbours
// share vertex positions exactly.
func (s *triangleShader) snap(c *triangleCorner) {
	b := s.B
	for i, v := range c.pixel {
		near := b.Op(ir.FRoundEven, ir.F32, s.FMul(v, s.Float(1<<raster.SubPixelBits)))
		c.at[i] = b.Emit(ir.Val{Op: ir.FToS, Type: ir.I32, Flags: ir.AnyNaN | ir.Fits, Args: [4]ir.V{near}})
	}
}

// keep stores the words of the components that fragments interpolate.
func (s *triangleShader) keep(c *[3]triangleCorner) {
	h := s.Handle(ir.StorageBuffer, layout.BindRecords, false)
	values := make([][3]ir.V, len(s.kept)) // before all stores, so that engines can join loads of adjacent words
	for i, at := range s.kept {
		for k := range c {
			values[i][k] = s.LoadOwn(ir.F32, h, c[k].record, at)
		}
	}
	for i, v := range values {
		s.store(raster.BatchWords+layout.KeptWords*uint32(i), v[0], s.FSub(v[1], v[0]), s.FSub(v[2], v[0]))
	}
}

// edges returns the edge vectors from the first vertex to the second and third, and twice the signed
// area. All are exact in f64. Positions inside of the guard band are below 2²³ sub-pixels, their
// differences below 2²⁴, and the area is below 2⁵⁰; f64 is exact up to 2⁵³.
func (s *triangleShader) edges(c *[3]triangleCorner) (x, y [2]ir.V, area ir.V) {
	b := s.B
	side := func(i, axis int) ir.V {
		return b.Op(ir.SToF, ir.F64, b.Op(ir.Sub, ir.I32, c[i].at[axis], c[0].at[axis]))
	}
	for i := range x {
		x[i], y[i] = side(i+1, 0), side(i+1, 1)
	}
	return x, y, b.Op(ir.FSub, ir.F64, s.times(x[0], y[1]), s.times(x[1], y[0]))
}

// planes stores the plane equations of the primitive: depth, 1/w, barycentric weights (raster's
// flat). Slopes are per pixel, hence the factor 256. A plane is the value at the first vertex and
// two slopes; weights λ₁ and λ₂ are 0 at the first vertex, so they need no constant. With equal w
// the perspective weights are the linear ones, which saves a division for each pixel.
func (s *triangleShader) planes(c *[3]triangleCorner, x, y [2]ir.V, area, front ir.V) {
	b := s.B
	inv := b.Op(ir.FDiv, ir.F64, b.Const(ir.F64, math.Float64bits(1<<raster.SubPixelBits)), area)
	neg := func(v ir.V) ir.V { return b.Op(ir.FNeg, ir.F64, v) }
	l1 := [2]ir.V{s.times(y[1], inv), s.times(neg(x[1]), inv)}
	l2 := [2]ir.V{s.times(neg(y[0]), inv), s.times(x[0], inv)}
	each := func(p [2]ir.V, f func(ir.V) ir.V) [2]ir.V { return [2]ir.V{s.single(f(p[0])), s.single(f(p[1]))} }
	same := func(v ir.V) ir.V { return v }
	s1, s2 := each(l1, same), each(l2, same)

	flat := s.all(b.Cmp(ir.FEq, c[0].inv, c[1].inv), b.Cmp(ir.FEq, c[0].inv, c[2].inv))
	wide := func(v ir.V) ir.V { return b.Op(ir.FCvt, ir.F64, v) }
	by := func(w ir.V) func(ir.V) ir.V { return func(v ir.V) ir.V { return s.times(v, wide(w)) } }
	q1, q2 := each(l1, by(c[1].inv)), each(l2, by(c[2].inv))
	choose := func(p, q [2]ir.V) [2]ir.V { return [2]ir.V{b.Select(flat, p[0], q[0]), b.Select(flat, p[1], q[1])} }
	q1, q2 = choose(s1, q1), choose(s2, q2)

	between := func(u, v, w ir.V) [3]ir.V {
		dv := b.Op(ir.FSub, ir.F64, wide(v), wide(u))
		dw := b.Op(ir.FSub, ir.F64, wide(w), wide(u))
		sum := func(p, q ir.V) ir.V { return b.Op(ir.FAdd, ir.F64, s.times(p, dv), s.times(q, dw)) }
		zero := b.Const(ir.F64, 0)
		return [3]ir.V{s.single(b.Op(ir.FAdd, ir.F64, sum(zero, zero), wide(u))), s.single(sum(l1[0], l2[0])), s.single(sum(l1[1], l2[1]))}
	}
	w := between(c[0].inv, c[1].inv, c[2].inv)
	w = [3]ir.V{c[0].inv, b.Select(flat, s.Float(0), w[1]), b.Select(flat, s.Float(0), w[2])}

	s.store(raster.BatchFlags, s.Or(b.Select(front, b.I32(raster.FrontFacing), b.I32(0)), b.Select(flat, b.I32(0), b.I32(raster.Perspective))))
	for i, n := range [...]uint32{raster.BatchX, raster.BatchY} {
		s.store(n, s.FMul(b.Op(ir.SToF, ir.F32, c[0].at[i]), s.Float(1.0/(1<<raster.SubPixelBits))))
	}
	if !s.key.inPlace || s.key.depth {
		z := between(c[0].depth, c[1].depth, c[2].depth)
		s.store(raster.BatchZ, z[:]...)
	}
	s.store(raster.BatchW, w[:]...)
	s.store(raster.BatchQ1, q1[:]...)
	s.store(raster.BatchQ2, q2[:]...)
	if !s.key.inPlace || s.key.linear {
		s.store(raster.BatchL1, s1[:]...)
		s.store(raster.BatchL2, s2[:]...)
	}
	if !s.key.inPlace {
		s.store(raster.BatchDepth, s.NMax(s.NMax(c[0].depth, c[1].depth), c[2].depth))
		return
	}
	zero := s.Float(0)
	s.store(raster.BatchQ1C, zero, zero)
	if s.key.linear {
		s.store(raster.BatchL1C, zero, zero)
	}
}

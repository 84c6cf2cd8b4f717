package frontend

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// lineEnd is an end of a line in the framebuffer (raster's end), in f64 but for at:
//
//	pixel   position before it is snapped: the corners of the rectangle are computed from it
//	at      snapped position: the planes are computed from it
type lineEnd struct {
	pixel [2]ir.V // in pixels
	at    [2]ir.V // i32, in sub-pixels
	depth ir.V
	inv   ir.V // 1/w
}

// line emits the set-up of one line with rectangular ends ([raster.Rasterizer.Line]). The program covers tiny rectangles and leaves all
// other lines to the rasterizer. Every step is the rasterizer's, in f64, so that both have the same bits.
func (s *triangleShader) line() {
	b := s.B
	var c [2]triangleCorner
	nothing, other := s.begin(c[:])
	b.If(s.Not(s.any(nothing, other))) // no end is clipped
	var e [2]lineEnd
	for i := range e {
		e[i] = s.lineEnd(&c[i])
	}
	// A line covers nothing if both ends are at one position.
	same := s.all(b.Cmp(ir.Eq, e[0].at[0], e[1].at[0]), b.Cmp(ir.Eq, e[0].at[1], e[1].at[1]))
	b.If(s.Not(same))
	at := s.rectangle(&e)
	area := s.doubleArea(&at)
	zero := s.wide(0)
	turned := b.Cmp(ir.FLt, area, zero)
	b.If(s.Not(b.Cmp(ir.FEq, area, zero)))
	// Two corners are exchanged in a counterclockwise rectangle, as in a triangle.
	clockwise := at
	for axis := range 2 {
		clockwise[1][axis], clockwise[3][axis] = b.Select(turned, at[3][axis], at[1][axis]), b.Select(turned, at[1][axis], at[3][axis])
	}
	tiny, empty, verdict := s.cover(at[:], clockwise[:])
	verdict = b.Select(tiny, verdict, b.I32(raster.BatchFallback))
	s.store(raster.BatchState, b.Select(empty, b.I32(raster.BatchEmpty), verdict))
	s.linePlanes(&e, c[1].w)
	for range 3 {
		b.End()
	}
}

// wide is a constant of f64.
func (s *triangleShader) wide(x float64) ir.V { return s.B.Const(ir.F64, math.Float64bits(x)) }

// toDouble converts f32 to f64.
func (s *triangleShader) toDouble(v ir.V) ir.V { return s.B.Op(ir.FCvt, ir.F64, v) }

// plus and minus add and subtract in f64, quotient divides.
func (s *triangleShader) plus(x, y ir.V) ir.V     { return s.B.Op(ir.FAdd, ir.F64, x, y) }
func (s *triangleShader) minus(x, y ir.V) ir.V    { return s.B.Op(ir.FSub, ir.F64, x, y) }
func (s *triangleShader) quotient(x, y ir.V) ir.V { return s.B.Op(ir.FDiv, ir.F64, x, y) }

// lineEnd returns the end of a line at a vertex (transform.project of package raster). The position is inside of the guard band, so that
// it needs no clamp (judge).
func (s *triangleShader) lineEnd(c *triangleCorner) (e lineEnd) {
	e.inv = s.quotient(s.wide(1), s.toDouble(c.w))
	coordinate := func(v ir.V, axis uint32) ir.V {
		v = s.times(s.times(s.toDouble(v), e.inv), s.toDouble(s.Param(ir.F32, batchScale+axis)))
		return s.plus(v, s.toDouble(s.Param(ir.F32, batchOffset+axis)))
	}
	for axis, v := range [...]ir.V{c.x, c.y} {
		e.pixel[axis] = coordinate(v, uint32(axis))
		e.at[axis] = s.snapWide(e.pixel[axis])
	}
	e.depth = coordinate(c.z, 2)
	return e
}

// snapWide rounds a coordinate in pixels to sub-pixels, to nearest even (raster's snap): the sum with 1.5·2⁵² has the rounded
// integer in its low bits.
func (s *triangleShader) snapWide(v ir.V) ir.V {
	b := s.B
	sum := s.plus(s.times(v, s.wide(1<<raster.SubPixelBits)), s.wide(3<<51))
	return b.Op(ir.Trunc, ir.I32, b.Emit(ir.Val{Op: ir.Bitcast, Type: ir.I64, Flags: ir.AnyNaN, Args: [4]ir.V{sum}}))
}

// rectangle returns the corners of the rectangle of a line, in sub-pixels: half of the line's width to both sides of its ends
// (Vulkan §"Basic Line Segment Rasterization").
func (s *triangleShader) rectangle(e *[2]lineEnd) (c [4]subPixels) {
	b := s.B
	dx, dy := s.minus(e[1].pixel[0], e[0].pixel[0]), s.minus(e[1].pixel[1], e[0].pixel[1])
	length := b.Op(ir.FSqrt, ir.F64, s.plus(s.times(dx, dx), s.times(dy, dy)))
	half := s.quotient(s.toDouble(s.Param(ir.F32, batchHalfWidth)), length)
	n := [2]ir.V{s.times(b.Op(ir.FNeg, ir.F64, dy), half), s.times(dx, half)}
	for axis := range 2 {
		low := b.Op(ir.FNeg, ir.F64, n[axis])
		for i, v := range [...]ir.V{n[axis], low, low, n[axis]} {
			c[i][axis] = s.snapWide(s.plus(e[i/2].pixel[axis], v))
		}
	}
	return c
}

// doubleArea returns twice the signed area of a quadrilateral, half of the cross product of its diagonals (the shoelace formula), exact in
// f64: corners are less than 2¹⁴ sub-pixels beyond the guard band, so that the differences are below 2²⁵ and the products below 2⁵⁰.
func (s *triangleShader) doubleArea(c *[4]subPixels) ir.V {
	side := func(i, k, axis int) ir.V {
		return s.B.Op(ir.SToF, ir.F64, s.sub(c[i][axis], c[k][axis]))
	}
	return s.minus(s.times(side(2, 0, 0), side(3, 1, 1)), s.times(side(2, 0, 1), side(3, 1, 0)))
}

// linePlanes stores the planes of a line: linear along it, constant across it (raster's setLinePlanes). w belongs to its second vertex. The
// first vertex has the value 0 of the weight.
func (s *triangleShader) linePlanes(e *[2]lineEnd, w ir.V) {
	b := s.B
	part := [2]ir.V{}
	for axis := range part {
		d := b.Op(ir.SToF, ir.F64, s.sub(e[1].at[axis], e[0].at[axis]))
		part[axis] = s.times(d, s.wide(1.0/(1<<raster.SubPixelBits)))
	}
	length := s.plus(s.times(part[0], part[0]), s.times(part[1], part[1])) // squared
	for axis := range part {
		part[axis] = s.quotient(part[axis], length)
	}
	slopes := func(d ir.V) [2]ir.V { return [2]ir.V{s.single(s.times(part[0], d)), s.single(s.times(part[1], d))} }
	// With equal w the perspective weight is the linear one.
	flat := b.Cmp(ir.FEq, e[0].inv, e[1].inv)
	linear := slopes(s.times(e[1].inv, s.toDouble(w)))
	q, z, inv := slopes(e[1].inv), slopes(s.minus(e[1].depth, e[0].depth)), slopes(s.minus(e[1].inv, e[0].inv))
	for axis := range 2 {
		q[axis], inv[axis] = b.Select(flat, linear[axis], q[axis]), b.Select(flat, s.Float(0), inv[axis])
	}
	const flags = raster.IsLine | raster.FrontFacing
	s.store(raster.BatchFlags, b.Select(flat, b.I32(flags), b.I32(flags|raster.Perspective)))
	for i, n := range [...]uint32{raster.BatchX, raster.BatchY} {
		s.store(n, s.FMul(b.Op(ir.SToF, ir.F32, e[0].at[i]), s.Float(1.0/(1<<raster.SubPixelBits))))
	}
	s.store(raster.BatchZ, s.single(e[0].depth), z[0], z[1])
	s.store(raster.BatchW, s.single(e[0].inv), inv[0], inv[1])
	s.store(raster.BatchQ1, q[:]...)
	s.store(raster.BatchL1, linear[:]...)
}

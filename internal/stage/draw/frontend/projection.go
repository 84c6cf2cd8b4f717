package frontend

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// begin projects the vertices of the primitive and stores its first state: it is empty until its coverage is known, or left to the
// rasterizer. The result is as from outside.
func (s *triangleShader) begin(c []triangleCorner) (nothing, other ir.V) {
	b := s.B
	s.at = s.Add(s.Scaled(s.BuiltIn(ir.WorkgroupIdX), raster.BatchRow*s.words), s.Scaled(s.BuiltIn(ir.LocalInvocationIndex), 4))
	from := s.Scaled(s.BuiltIn(ir.GlobalInvocationIdX), primitiveBytes)
	h := s.Handle(ir.StorageBuffer, layout.BindPrimitiveVertices, false)
	for i := range c {
		s.corner(&c[i], s.LoadOwn(ir.I32, h, from, 4*uint32(i)))
	}
	nothing, other = s.outside(c)
	s.store(raster.BatchState, b.Select(s.all(other, s.Not(nothing)), b.I32(raster.BatchFallback), b.I32(raster.BatchEmpty)))
	return nothing, other
}

// corner projects a vertex (raster's project). The viewport's scale and offset are parameters.
func (s *triangleShader) corner(c *triangleCorner, n ir.V) {
	c.record = s.Mul(n, s.Param(ir.I32, batchStride))
	h := s.Handle(ir.StorageBuffer, layout.BindRecords, false)
	for i, v := range [...]*ir.V{&c.x, &c.y, &c.z, &c.w} {
		*v = s.LoadOwn(ir.F32, h, c.record, 4*uint32(i))
	}
	c.inv = s.B.Op(ir.FDiv, ir.F32, s.Float(1), c.w)
	project := func(v ir.V, axis uint32) ir.V {
		return s.FAdd(s.FMul(s.FMul(v, c.inv), s.Param(ir.F32, batchScale+axis)), s.Param(ir.F32, batchOffset+axis))
	}
	c.pixel = [2]ir.V{project(c.x, 0), project(c.y, 1)}
	c.depth = project(c.z, 2)
}

// outside reports the primitives that cover nothing for certain, and those that the program leaves to the rasterizer (judge). Most
// primitives are inside of the view volume, and need no further test if the viewport is inside of the guard band.
func (s *triangleShader) outside(c []triangleCorner) (nothing, other ir.V) {
	b := s.B
	merge := b.Block(ir.B1, ir.B1)
	b.If(s.Not(s.inside(c)))
	nothing, other = s.judge(c)
	b.Br(merge, nothing, other)
	b.End()
	b.Br(merge, b.Bool(false), b.Bool(false))
	b.End()
	return b.Param(merge, 0), b.Param(merge, 1)
}

// inside reports whether all vertices are certainly inside of the view volume: |x|, |y| and z, or |z|, are at most w, which is finite
// and greater than MinW. Bits of positive floats are ordered as the numbers are; the bits of negative ones, as unsigned integers, are
// greater than all of them, and so are the bits of a NaN in comparison with numbers. A z of −0 counts as negative.
func (s *triangleShader) inside(c []triangleCorner) ir.V {
	b := s.B
	bits := func(v ir.V) ir.V {
		return b.Emit(ir.Val{Op: ir.Bitcast, Type: ir.I32, Flags: ir.AnyNaN, Args: [4]ir.V{v}})
	}
	most := func(x, y ir.V) ir.V { return b.Op(ir.UMax, ir.I32, x, y) }
	var least, greatest ir.V // of w
	const magnitude = 1<<31 - 1
	ofDepth := b.Select(s.flag(raster.BatchNegativeOneToOne), b.I32(magnitude), b.I32(1<<32-1))
	all := s.flag(raster.BatchSafe)
	for i := range c {
		v := &c[i]
		w := bits(v.w)
		n := most(most(s.And(bits(v.x), b.I32(magnitude)), s.And(bits(v.y), b.I32(magnitude))), s.And(bits(v.z), ofDepth))
		all = s.all(all, b.Cmp(ir.ULe, n, w))
		if i == 0 {
			least, greatest = w, w
			continue
		}
		least, greatest = b.Op(ir.UMin, ir.I32, least, w), most(greatest, w)
	}
	return s.all(all, b.Cmp(ir.ULt, b.I32(math.Float32bits(raster.MinW)), least), b.Cmp(ir.ULt, greatest, b.I32(infinity)))
}

const infinity = 0xff << 23 // of f32

// judge is outside for any primitive. Those left to the rasterizer cross the near or far plane or the guard band, or have a depth that
// is no number. These are the outcodes of Cohen and Sutherland: if all vertices are outside of one side, so is the primitive.
// left to bottom only reject; the guard band makes clipping there unnecessary.
func (s *triangleShader) judge(c []triangleCorner) (nothing, other ir.V) {
	b := s.B
	less := func(x, y ir.V) ir.V { return b.Cmp(ir.FLt, x, y) }
	reach := float32(raster.GuardBand)
	if s.key.lines { // their positions are in f64: in viewports of raster.Rasterizer.BatchLines less than a pixel away
		reach--
	}
	inReach := func(v ir.V) ir.V { return less(b.Op(ir.FAbs, ir.F32, v), s.Float(reach)) }
	clips, both := s.flag(raster.BatchDepthClip), s.flag(raster.BatchNegativeOneToOne)
	var sides [7][]ir.V // left, right, top, bottom, near, far, w ≤ 0
	finite, regular := s.Float(0), s.Float(0)
	for i := range c {
		v := &c[i]
		low := b.Op(ir.FNeg, ir.F32, v.w)
		near := b.Select(both, low, s.Float(0))
		for k, side := range [...]ir.V{
			less(v.x, low), less(v.w, v.x), less(v.y, low), less(v.w, v.y),
			s.all(clips, less(v.z, near)), s.all(clips, less(v.w, v.z)), s.Not(less(s.Float(raster.MinW), v.w)),
		} {
			sides[k] = append(sides[k], side)
		}
		for _, x := range [...]ir.V{v.x, v.y, v.z, v.w} { // x − x is 0, or NaN for infinities and NaN
			finite = s.FAdd(finite, s.FSub(x, x))
		}
		regular = s.FAdd(regular, s.FSub(v.depth, v.depth))
		inReach := s.all(inReach(v.pixel[0]), inReach(v.pixel[1]))
		if i == 0 {
			other = s.Not(inReach)
		} else {
			other = s.any(other, s.Not(inReach))
		}
	}
	lost := s.Not(b.Cmp(ir.FEq, finite, s.Float(0)))
	odd := s.Not(b.Cmp(ir.FEq, regular, s.Float(0)))
	nothing, other = lost, s.any(other, odd)
	for k := range sides {
		nothing = s.any(nothing, s.all(slices.Clone(sides[k])...))
		if k >= 4 {
			other = s.any(append([]ir.V{other}, sides[k]...)...)
		}
	}
	return nothing, other
}

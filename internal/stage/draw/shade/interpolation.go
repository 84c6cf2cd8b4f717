package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// Words of a raster.Primitive in memory.
const (
	primitiveID    = 0
	primitiveFlags = 1
	primitiveLayer = 2
	primitiveX     = 3
	primitiveY     = 4
	primitiveZ     = 5 // planes: three floats each
	primitiveW     = 8
	primitiveQ1    = 11
	primitiveQ2    = 14
	primitiveL1    = 17
	primitiveL2    = 20
	primitiveMinZ  = 23
	primitiveMaxZ  = 24
)

// point is a place in a pixel where something is interpolated: pixels from the
// primitive's reference.
type point struct{ dx, dy ir.V }

// weights are those of a primitive's second and third vertex at a spot; the first one
// has the rest.
type weights struct{ b1, b2 ir.V }

// primitiveWord reads a word of the item's primitive.
func (s *shader) primitiveWord(t ir.Type, n uint32) ir.V {
	return s.perItem(func() ir.V {
		return s.LoadOwn(t, s.Handle(ir.StorageBuffer, layout.BindPrimitives, false), s.get(varPrimitive), 4*n)
	})
}

// plane evaluates a linear function of the primitive's at a spot.
func (s *shader) plane(n uint32, at point) ir.V {
	b := s.B
	c, x, y := s.primitiveWord(ir.F32, n), s.primitiveWord(ir.F32, n+1), s.primitiveWord(ir.F32, n+2)
	return b.Op(ir.FFma, ir.F32, y, at.dy, b.Op(ir.FFma, ir.F32, x, at.dx, c))
}

// flagged reports whether the primitive has a flag.
func (s *shader) flagged(flag uint32) ir.V {
	b := s.B
	f := b.Op(ir.And, ir.I32, s.primitiveWord(ir.I32, primitiveFlags), b.I32(flag))
	return b.Cmp(ir.Eq, f, b.I32(flag))
}

// linear returns the weights of linear interpolation.
func (s *shader) linear(at point) weights {
	return weights{s.plane(primitiveL1, at), s.plane(primitiveL2, at)}
}

// perspective returns the weights of interpolation in perspective (Vulkan
// §"Basic Polygon Rasterization"): linear ones where all w are the same.
func (s *shader) perspective(at point) weights {
	b := s.B
	q1, q2 := s.plane(primitiveQ1, at), s.plane(primitiveQ2, at)
	merge := b.Block(ir.F32, ir.F32)
	b.If(s.flagged(flagPerspective))
	w := b.Op(ir.FDiv, ir.F32, s.One(ir.F32), s.plane(primitiveW, at))
	b.Br(merge, b.Op(ir.FMul, ir.F32, q1, w), b.Op(ir.FMul, ir.F32, q2, w))
	b.End()
	b.Br(merge, q1, q2)
	b.End()
	return weights{b.Param(merge, 0), b.Param(merge, 1)}
}

// weightsAt returns the weights at a spot for an interpolation.
func (s *shader) weightsAt(i ir.Interpolation, at point) weights {
	if i == ir.Linear {
		return s.linear(at)
	}
	return s.perspective(at)
}

// vertexWord reads a component of the record of vertex i, and flat that of the provoking
// one. What the stage before did not write is 0.
func (s *shader) vertexWord(in ir.Input, i uint32) ir.V {
	if i == 2 {
		return s.recordWord(in, func() ir.V { return s.vertexRole(raster.ThirdShift) }, 0)
	}
	return s.recordWord(in, nil, i)
}

func (s *shader) flatInput(in ir.Input) ir.V {
	return s.recordWord(in, func() ir.V { return s.vertexRole(raster.ProvokingShift) }, 0)
}

// recordWord reads a component of one of the records that are kept with the primitive:
// the one whose number a function writes, or else i.
func (s *shader) recordWord(in ir.Input, number func() ir.V, i uint32) ir.V {
	at, ok := s.rec.Offset(in.Semantic, in.Index)
	if !ok || at < layout.PositionBytes {
		return s.Zero(in.Type)
	}
	return s.perItem(func() ir.V {
		off, size := s.get(varRecords), s.rec.KeptBytes()
		if number != nil {
			off = s.Add(off, s.Scaled(number(), uint64(size)))
		}
		return s.LoadOwn(in.Type, s.Handle(ir.StorageBuffer, layout.BindRecords, false), off, i*size+at-layout.PositionBytes)
	})
}

// vertexRole is the number of a record that stands in the primitive's flags.
func (s *shader) vertexRole(shift uint32) ir.V {
	return s.And(s.B.Op(ir.LShr, ir.I32, s.primitiveWord(ir.I32, primitiveFlags), s.B.I32(shift)), s.B.I32(3))
}

// interpolated weights a component of the three vertices.
func (s *shader) interpolated(in ir.Input, by weights) ir.V {
	b, t := s.B, in.Type
	wide := func(v ir.V) ir.V { return v }
	if t == ir.F16 { // the weights have 32 bits
		t = ir.F32
		wide = func(v ir.V) ir.V { return b.Op(ir.FCvt, ir.F32, v) }
	}
	a0 := wide(s.vertexWord(in, 0))
	d1 := b.Op(ir.FSub, t, wide(s.vertexWord(in, 1)), a0)
	d2 := b.Op(ir.FSub, t, wide(s.vertexWord(in, 2)), a0)
	v := b.Op(ir.FFma, t, by.b2, d2, b.Op(ir.FFma, t, by.b1, d1, a0))
	if t != in.Type {
		v = b.Op(ir.FCvt, in.Type, v)
	}
	return v
}

// interpolatedAt writes an input at a place that the program chooses, so many pixels
// from the middle of the pixel.
func (s *shader) interpolatedAt(in ir.Input, dx, dy ir.V) ir.V {
	middle := s.isZero(dx) && s.isZero(dy) && !s.key.PerSample
	switch {
	case middle && in.Semantic != ir.Location && s.placeOf(in) == ir.Center: // which is its place then
		return s.readInput(in)
	case in.Semantic == ir.Location && (in.Interpolation == ir.Flat || in.Type != ir.F32 && in.Type != ir.F16):
		return s.flatInput(in)
	}
	c := s.centerPoint()
	at := point{s.FAdd(c.dx, dx), s.FAdd(c.dy, dy)}
	switch in.Semantic {
	case ir.Location:
		return s.interpolated(in, s.weightsAt(in.Interpolation, at))
	case ir.BaryCoord, ir.BaryCoordNoPersp:
		w := s.weightsAt(weightsOf(in), at)
		return s.vertexWeight(in.Index, w)
	case ir.FragCoord:
		if in.Index == 3 {
			return s.plane(primitiveW, at)
		}
	}
	s.Unsupported("input %s elsewhere in the pixel", in.Semantic)
	return s.Zero(in.Type)
}

// isZero reports whether a value is known to be 0, and no −0.
func (s *shader) isZero(v ir.V) bool {
	x := s.B.Func.Val(v)
	return x.Op == ir.Const && x.Aux == 0
}

// vertexWeight is the weight of vertex i.
func (s *shader) vertexWeight(i uint32, by weights) ir.V {
	switch i {
	case 0:
		return s.FSub(s.FSub(s.Float(1), by.b1), by.b2)
	case 1:
		return by.b1
	}
	return by.b2
}

// vertexInput writes an input of vertex i of the primitive, 0 where there is none. Of
// SamplePosition and of attachments it is that of sample i.
func (s *shader) vertexInput(in ir.Input, i ir.V) ir.V {
	switch in.Semantic {
	case ir.SamplePosition:
		return s.position(i, in.Index)
	case ir.TileColor, ir.TileDepth, ir.TileStencil:
		return s.tileImage(in, i)
	}
	v := s.Zero(in.Type)
	for n := range uint32(3) {
		v = s.B.Select(s.B.Cmp(ir.Eq, i, s.B.I32(n)), s.vertexWord(in, n), v)
	}
	return v
}

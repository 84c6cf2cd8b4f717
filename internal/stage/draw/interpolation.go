package draw

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
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

// spot is a place in a pixel where something is interpolated: pixels from the
// primitive's reference.
type spot struct{ dx, dy ir.V }

// weights are those of a primitive's second and third vertex at a spot; the first one
// has the rest.
type weights struct{ b1, b2 ir.V }

// primitiveWord reads a word of the item's primitive.
func (s *fragmentShader) primitiveWord(t ir.Type, n uint32) ir.V {
	return s.ofItem(func() ir.V {
		return s.own(t, s.handle(ir.StorageBuffer, bindPrimitives, false), s.get(varPrimitive), 4*n)
	})
}

// plane evaluates a linear function of the primitive's at a spot.
func (s *fragmentShader) plane(n uint32, at spot) ir.V {
	b := s.b
	c, x, y := s.primitiveWord(ir.F32, n), s.primitiveWord(ir.F32, n+1), s.primitiveWord(ir.F32, n+2)
	return b.Op(ir.FFma, ir.F32, y, at.dy, b.Op(ir.FFma, ir.F32, x, at.dx, c))
}

// flagged reports whether the primitive has a flag.
func (s *fragmentShader) flagged(flag uint32) ir.V {
	b := s.b
	f := b.Op(ir.And, ir.I32, s.primitiveWord(ir.I32, primitiveFlags), b.I32(flag))
	return b.Cmp(ir.Eq, f, b.I32(flag))
}

// linear returns the weights of linear interpolation.
func (s *fragmentShader) linear(at spot) weights {
	return weights{s.plane(primitiveL1, at), s.plane(primitiveL2, at)}
}

// perspective returns the weights of interpolation in perspective (Vulkan
// §"Basic Polygon Rasterization"): linear ones where all w are the same.
func (s *fragmentShader) perspective(at spot) weights {
	b := s.b
	q1, q2 := s.plane(primitiveQ1, at), s.plane(primitiveQ2, at)
	merge := b.Block(ir.F32, ir.F32)
	b.If(s.flagged(flagPerspective))
	w := b.Op(ir.FDiv, ir.F32, s.one(ir.F32), s.plane(primitiveW, at))
	b.Br(merge, b.Op(ir.FMul, ir.F32, q1, w), b.Op(ir.FMul, ir.F32, q2, w))
	b.End()
	b.Br(merge, q1, q2)
	b.End()
	return weights{b.Param(merge, 0), b.Param(merge, 1)}
}

// weightsAt returns the weights at a spot for an interpolation.
func (s *fragmentShader) weightsAt(i ir.Interpolation, at spot) weights {
	if i == ir.Linear {
		return s.linear(at)
	}
	return s.perspective(at)
}

// vertexWord reads a component of the record of vertex i, and flat that of the provoking
// one. What the stage before did not write is 0.
func (s *fragmentShader) vertexWord(in ir.Input, i uint32) ir.V {
	if i == 2 {
		return s.recordWord(in, func() ir.V { return s.role(raster.ThirdShift) }, 0)
	}
	return s.recordWord(in, nil, i)
}

func (s *fragmentShader) flat(in ir.Input) ir.V {
	return s.recordWord(in, func() ir.V { return s.role(raster.ProvokingShift) }, 0)
}

// recordWord reads a component of one of the records that are kept with the primitive:
// the one whose number a function writes, or else i.
func (s *fragmentShader) recordWord(in ir.Input, number func() ir.V, i uint32) ir.V {
	at, ok := s.rec.place(in.Semantic, in.Index)
	if !ok || at < positionBytes {
		return s.zero(in.Type)
	}
	return s.ofItem(func() ir.V {
		off, size := s.get(varRecords), s.rec.kept()
		if number != nil {
			off = s.add(off, s.nth(number(), uint64(size)))
		}
		return s.own(in.Type, s.handle(ir.StorageBuffer, bindRecords, false), off, i*size+at-positionBytes)
	})
}

// role is the number of a record that stands in the primitive's flags.
func (s *fragmentShader) role(shift uint32) ir.V {
	return s.and(s.b.Op(ir.LShr, ir.I32, s.primitiveWord(ir.I32, primitiveFlags), s.b.I32(shift)), s.b.I32(3))
}

// interpolated weights a component of the three vertices.
func (s *fragmentShader) interpolated(in ir.Input, by weights) ir.V {
	b, t := s.b, in.Type
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
func (s *fragmentShader) interpolatedAt(in ir.Input, dx, dy ir.V) ir.V {
	middle := s.isZero(dx) && s.isZero(dy) && !s.key.perSample
	switch {
	case middle && in.Semantic != ir.Location && s.placeOf(in) == ir.Center: // which is its place then
		return s.read(in)
	case in.Semantic == ir.Location && (in.Interpolation == ir.Flat || in.Type != ir.F32 && in.Type != ir.F16):
		return s.flat(in)
	}
	c := s.center()
	at := spot{s.fadd(c.dx, dx), s.fadd(c.dy, dy)}
	switch in.Semantic {
	case ir.Location:
		return s.interpolated(in, s.weightsAt(in.Interpolation, at))
	case ir.BaryCoord, ir.BaryCoordNoPersp:
		w := s.weightsAt(weighing(in), at)
		return s.vertexWeight(in.Index, w)
	case ir.FragCoord:
		if in.Index == 3 {
			return s.plane(primitiveW, at)
		}
	}
	s.unsupported("input %s elsewhere in the pixel", in.Semantic)
	return s.zero(in.Type)
}

// isZero reports whether a value is known to be 0, and no −0.
func (s *fragmentShader) isZero(v ir.V) bool {
	x := s.b.Func.Val(v)
	return x.Op == ir.Const && x.Aux == 0
}

// vertexWeight is the weight of vertex i.
func (s *fragmentShader) vertexWeight(i uint32, by weights) ir.V {
	switch i {
	case 0:
		return s.fsub(s.fsub(s.num(1), by.b1), by.b2)
	case 1:
		return by.b1
	}
	return by.b2
}

// vertexInput writes an input of vertex i of the primitive, 0 where there is none. Of
// SamplePosition and of attachments it is that of sample i.
func (s *fragmentShader) vertexInput(in ir.Input, i ir.V) ir.V {
	switch in.Semantic {
	case ir.SamplePosition:
		return s.position(i, in.Index)
	case ir.TileColor, ir.TileDepth, ir.TileStencil:
		return s.tile(in, i)
	}
	v := s.zero(in.Type)
	for n := range uint32(3) {
		v = s.b.Select(s.b.Cmp(ir.Eq, i, s.b.I32(n)), s.vertexWord(in, n), v)
	}
	return v
}

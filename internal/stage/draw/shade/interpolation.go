package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// point is a place in a pixel where something is interpolated: pixels from the
// primitive's reference.
type point struct{ dx, dy ir.V }

// weights are those of a primitive's second and third vertex at a spot; the first one
// has the rest.
type weights struct{ b1, b2 ir.V }

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

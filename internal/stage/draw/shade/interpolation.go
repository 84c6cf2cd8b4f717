package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// point is an interpolation point, in pixels relative to the primitive's reference point. The
// difference is exact and small, which preserves precision far from the origin. Example: x = 4000.5
// and a reference point at 3998.25 make dx = 2.25. In f32 it has ten more fractional bits than x.
type point struct{ dx, dy ir.V }

// weights are the barycentric weights of the second and third vertex; the first vertex has the rest to
// 1.
type weights struct{ b1, b2 ir.V }

// linear returns the weights of linear interpolation.
func (s *shader) linear(at point) weights {
	return weights{s.plane(primitiveL1, at), s.plane(primitiveL2, at)}
}

// perspective returns the weights of perspective-correct interpolation (Vulkan §"Basic Polygon
// Rasterization"; Blinn 1992, "Hyperbolic Interpolation"): the planes of λ/w divided by the plane of
// 1/w. If all w are equal, the weights are linear.
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

// weightsAt returns the weights at a point for an interpolation mode.
func (s *shader) weightsAt(i ir.Interpolation, at point) weights {
	if i == ir.Linear {
		return s.linear(at)
	}
	return s.perspective(at)
}

// interpolated returns a component of the three vertices, weighted: v₀ + λ₁(v₁−v₀) + λ₂(v₂−v₀). Two
// fused operations, and exact at equal vertices.
func (s *shader) interpolated(in ir.Input, by weights) ir.V {
	b, t := s.B, in.Type
	wide := func(v ir.V) ir.V { return v }
	if t == ir.F16 { // the weights have 32 bits
		t = ir.F32
		wide = func(v ir.V) ir.V { return b.Op(ir.FCvt, ir.F32, v) }
	}
	var a [3]ir.V // the value at the first vertex, and the differences of the others
	for i := range a {
		v, ok := s.keptWord(in, uint32(i))
		if !ok {
			if v = wide(s.vertexWord(in, uint32(i))); i > 0 {
				v = b.Op(ir.FSub, t, v, a[0])
			}
		}
		a[i] = v
	}
	v := b.Op(ir.FFma, t, by.b2, a[2], b.Op(ir.FFma, t, by.b1, a[1], a[0]))
	if t != in.Type {
		v = b.Op(ir.FCvt, in.Type, v)
	}
	return v
}

// vertexWeight returns the weight of vertex i.
func (s *shader) vertexWeight(i uint32, by weights) ir.V {
	switch i {
	case 0:
		return s.FSub(s.FSub(s.Float(1), by.b1), by.b2)
	case 1:
		return by.b1
	}
	return by.b2
}

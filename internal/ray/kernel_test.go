package ray

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestKernel checks that the machine code and the portable code have the same results: all candidates of rays with
// all kinds of flags, in scenes with several instances, and the prepared rays.
func TestKernel(t *testing.T) {
	if !hasKernel {
		t.Skip("the machine code needs AVX2, FMA and BMI1 on amd64")
	}
	n := 3000
	if long() {
		n = 3_000_000
	}
	r := rand.New(rand.NewPCG(21, 22))
	bottoms := []*Structure{
		build(t, Input{Geometries: []Geometry{mesh(soup(r, 200, 0.3), GeometryOpaque), mesh(soup(r, 100, 0.3), 0)}}),
		build(t, Input{Geometries: []Geometry{mesh(ball(4, vec{}, 1), GeometryOpaque)}}),
		build(t, Input{Geometries: []Geometry{{Kind: Boxes, Primitives: 1, BoxData: floats(-1, -1, -1, 1, 1, 1), BoxStride: 24}}}),
		build(t, Input{Geometries: []Geometry{mesh([]triangle{facing(0.5), facing(0.5), facing(0.5)}, 0)}}),
	}
	var in Input
	in.Top = true
	for range 12 {
		i := Instance{Mask: uint8(1 + r.IntN(3)), Flags: InstanceFlags(r.IntN(16)), Bottom: bottoms[r.IntN(4)]}
		for k := range i.Transform {
			i.Transform[k] = r.Float32() - 0.5
		}
		if r.IntN(3) == 0 {
			i.Transform = identity
		}
		in.Instances = append(in.Instances, i)
	}
	s := build(t, in)
	one := build(t, Input{Top: true, Instances: in.Instances[:1]})
	fast, slow := NewWalker(), NewWalker()
	slow.portable = true
	for range n {
		q := randomRay(r)
		q.Flags = RayFlags(r.IntN(1<<10)) & RayFlags(r.IntN(1<<10)) & RayFlags(r.IntN(1<<10))
		if r.IntN(16) == 0 {
			k := r.IntN(3)
			q.Direction[k] *= float32(math.Ldexp(1, r.IntN(200)-100))
			q.Origin[r.IntN(3)] *= float32(math.Ldexp(1, r.IntN(200)-150))
		}
		top := s
		if r.IntN(4) == 0 {
			top = one
		}
		a, b := q, q
		for {
			x, y := fast.Next(top, &a), slow.Next(top, &b)
			if x != y || a != b {
				t.Fatalf("ray %+v: %v %+v, portable %v %+v", q, x, a, y, b)
			}
			if !x {
				break
			}
			if a.Candidate.Kind == Triangles && r.IntN(8) == 0 {
				a.Confirm()
				b.Confirm()
			}
		}
	}
}

package ray

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// exactHit is the intersection of a ray with the plane of a triangle: the distance and the least barycentric coordinate.
type exactHit struct {
	t, least  float64
	primitive int
}

// crossings returns the exact intersections of a ray with the planes of triangles, in the order of their distances: those in the triangles
// or no farther than near from them, in barycentric coordinates. It computes in float64 and, where the error of that could decide, in
// integers, by e.
func crossings(e *exact, q *Query, list []triangle, near float64) (out []exactHit) {
	for i := range list {
		x, ok := filtered(q, &list[i])
		if !ok {
			t, u, v, crosses := e.rational(q, &list[i])
			if !crosses {
				continue
			}
			x = exactHit{t: t, least: min(u, v, 1-u-v)}
		}
		if x.least > -near && x.t > 0 {
			x.primitive = i
			out = append(out, x)
		}
	}
	slices.SortFunc(out, func(a, b exactHit) int {
		if a.t < b.t {
			return -1
		}
		return 1
	})
	return out
}

// filtered computes an intersection in float64 by Cramer's rule. It is not ok if the ray is so near to parallel to the plane that the
// coordinates lack half of their bits.
func filtered(q *Query, p *triangle) (x exactHit, ok bool) {
	var e1, e2, d, o [3]float64
	for k := range 3 {
		e1[k], e2[k] = float64(p[1][k])-float64(p[0][k]), float64(p[2][k])-float64(p[0][k])
		o[k], d[k] = float64(q.Origin[k])-float64(p[0][k]), -float64(q.Direction[k])
	}
	det := func(a, b, c *[3]float64) (sum, size float64) {
		for k := range 3 {
			m, n := (k+1)%3, (k+2)%3
			x, y := a[k]*b[m]*c[n], a[k]*b[n]*c[m]
			sum, size = sum+x-y, size+math.Abs(x)+math.Abs(y)
		}
		return sum, size
	}
	all, size := det(&e1, &e2, &d)
	if math.Abs(all) < 1e-7*size || all == 0 {
		return x, false
	}
	t, _ := det(&e1, &e2, &o)
	u, _ := det(&o, &e2, &d)
	v, _ := det(&e1, &o, &d)
	u, v = u/all, v/all
	return exactHit{t: t / all, least: min(u, v, 1-u-v)}, true
}

// TestRationalScenes compares the closest hits in random scenes with exact arithmetic on each triangle. Where triangles are closer to each
// other, or to an edge, than the rounding of a distance or a coordinate, the exact answer is one of several.
func TestRationalScenes(t *testing.T) {
	t.Parallel()
	rays := 4_000
	if long() {
		rays = 1_000_000
	}
	const near = 1e-4
	const scenes = 20
	r := rand.New(rand.NewPCG(31, 32))
	hits, open := 0, 0
	var e exact
	for i := range scenes {
		list := soup(r, 8+8*i, 0.1+0.04*float32(i))
		if i%4 == 3 {
			list = append(ball(3, vec{}, 0.5), ball(2, vec{0.2, 0.1, 0}, 0.9)...)
		}
		flags := BuildFlags(0)
		if i%2 == 1 {
			flags = BuildPreferFastBuild
		}
		bottom := build(t, Input{Flags: flags, Geometries: []Geometry{mesh(list, GeometryOpaque)}})
		s := build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 0xFF, Bottom: bottom}}})
		w := NewWalker()
		for range rays / scenes {
			q := randomRay(r)
			all := crossings(&e, &q, list, near)
			w.Next(s, &q)
			got := q.Committed
			want := slices.IndexFunc(all, func(x exactHit) bool { return x.least > near })
			switch {
			case want < 0 && len(all) == 0 && got.Kind != None:
				t.Fatalf("scene %d, ray %v %v: %+v; must miss", i, q.Origin, q.Direction, got)
			case want < 0:
				continue
			case got.Kind == None || float64(got.T) > all[want].t*(1+near)+near:
				t.Fatalf("scene %d, ray %v %v: %+v; must be %+v", i, q.Origin, q.Direction, got, all[want])
			}
			hits++
			if want > 0 || len(all) > 1 && all[1].t-all[0].t < 2*near*max(1, all[0].t) {
				open++ // a triangle with an edge at the ray, or one as close
				if !slices.ContainsFunc(all, func(x exactHit) bool { return x.primitive == int(got.Primitive) }) {
					t.Fatalf("scene %d, ray %v %v: %+v; must be one of %+v", i, q.Origin, q.Direction, got, all)
				}
				continue
			}
			if x := all[0]; int(got.Primitive) != x.primitive || math.Abs(float64(got.T)-x.t) > near*max(1, x.t) {
				t.Fatalf("scene %d, ray %v %v: %+v; must be %+v", i, q.Origin, q.Direction, got, x)
			}
		}
	}
	if hits < rays/5 || open > hits/10 {
		t.Errorf("%d hits of %d rays, %d of them at edges", hits, rays, open)
	}
}

package rayscene

import (
	"math"
	"slices"
	"testing"
)

func TestScenes(t *testing.T) {
	for name, want := range map[string]struct{ triangles, instances int }{
		"soup": {1_000_000, 1}, "terrain": {1_000_000, 1}, "instances": {10_092, 10_000}, "room": {2*(6*4000) + 2*500, 1},
	} {
		s := New(name)
		if s == nil || s.Triangles() != want.triangles || len(s.Instances) != want.instances {
			t.Fatalf("%s has %d triangles and %d instances; want %+v", name, s.Triangles(), len(s.Instances), want)
		}
		if slices.ContainsFunc(s.Vertices, func(x float32) bool { return !(math.Abs(float64(x)) <= math.MaxFloat32) }) {
			t.Errorf("%s: a vertex is not finite", name)
		}
		if most := slices.Max(s.Indices); int(most) >= len(s.Vertices)/3 {
			t.Errorf("%s: the index %d of %d vertices", name, most, len(s.Vertices)/3)
		}
		if moved := s.Moved(); len(moved) != len(s.Vertices) || slices.Equal(moved, s.Vertices) {
			t.Errorf("%s: no vertex moves", name)
		}
	}
	if New("none") != nil || len(Names()) != 4 {
		t.Errorf("a scene of no name, or %d names", len(Names()))
	}
}

// TestPlaced proves that the matrix of an instance is a rotation and a scale: its columns have the same length and are
// orthogonal.
func TestPlaced(t *testing.T) {
	for i := range uint32(100) {
		m := placed(i)
		x, y, z := m.linear(vector{1, 0, 0}), m.linear(vector{0, 1, 0}), m.linear(vector{0, 0, 1})
		size := dot(x, x)
		for _, wrong := range []float32{dot(x, y), dot(y, z), dot(z, x), dot(y, y) - size, dot(z, z) - size} {
			if wrong < -1e-6 || wrong > 1e-6 {
				t.Fatalf("instance %d: %v is no rotation", i, m)
			}
		}
	}
}

// TestRays proves that rays have directions of length 1, that the middle ray looks at its point, and that secondary rays leave
// the side of the surface that was hit.
func TestRays(t *testing.T) {
	s := New("room")
	rays := s.Primary(3, 3)
	if d := minus(rays[4].Direction, normal(minus(s.at, s.eye))); dot(d, d) > 1e-10 {
		t.Errorf("the ray in the middle has the direction %v", rays[4].Direction)
	}
	hits := slices.Repeat([]Hit{{T: -1}}, 9)
	if s.Incoherent(rays, hits) != nil {
		t.Error("rays from no hit")
	}
	hits[3] = Hit{T: 2, Primitive: 5}
	for i, r := range append(rays, s.Incoherent(rays, hits)...) {
		if l := dot(r.Direction, r.Direction); l < 1-1e-5 || l > 1+1e-5 {
			t.Errorf("ray %d has a direction of length² %v", i, l)
		}
		if i < 9 {
			continue
		}
		if from := plus(rays[3].Origin, scale(rays[3].Direction, 2)); i >= 9+4 && r.Origin != from {
			t.Errorf("ray %d starts at %v; want %v", i, r.Origin, from)
		}
		_, n := s.surface(&rays[3], &hits[3])
		if dot(n, rays[3].Direction) > 0 || dot(n, r.Direction) < 0 {
			t.Errorf("ray %d leaves the other side", i)
		}
	}
}

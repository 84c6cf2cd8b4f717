package ray

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	_ "github.com/chiaro-gpu/chiaro/internal/testgc"
)

// soup returns n triangles of a size around random places in the cube [-1, 1]³.
func soup(r *rand.Rand, n int, size float32) []triangle {
	list := make([]triangle, n)
	for i := range list {
		var at vec
		for k := range at {
			at[k] = 2*r.Float32() - 1
		}
		for j := range 3 {
			for k := range 3 {
				list[i][j][k] = at[k] + size*(2*r.Float32()-1)
			}
		}
	}
	return list
}

// floats returns the bytes of values.
func floats(values ...float32) (b []byte) {
	for _, x := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// mesh returns a geometry of triangles without indices.
func mesh(list []triangle, flags GeometryFlags) Geometry {
	var b []byte
	for _, t := range list {
		for _, v := range t {
			b = append(b, floats(v[:]...)...)
		}
	}
	return Geometry{Kind: Triangles, Flags: flags, Primitives: uint32(len(list)), Vertices: b, VertexFormat: float3,
		VertexStride: 12, MaxVertex: uint32(3*len(list) - 1)}
}

var identity = [12]float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}

// build builds a structure.
func build(t testing.TB, in Input) *Structure {
	t.Helper()
	s, err := Build(&in)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// scene returns a top level with one instance of geometries.
func scene(t testing.TB, geometries ...Geometry) *Structure {
	t.Helper()
	bottom := build(t, Input{Geometries: geometries})
	return build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 0xFF, Bottom: bottom}}})
}

// randomRay returns a ray from around the cube to a place in it.
func randomRay(r *rand.Rand) Query {
	q := Query{TMax: inf32, Mask: 0xFF}
	for k := range 3 {
		q.Origin[k] = 4*r.Float32() - 2
		q.Direction[k] = (2*r.Float32() - 1) - q.Origin[k]
	}
	switch r.IntN(8) {
	case 0:
		q.Direction[r.IntN(3)] = 0
	case 1:
		k := r.IntN(3)
		d := q.Direction[k]
		q.Direction = [3]float32{}
		q.Direction[k] = d
	}
	return q
}

// brute returns the closest hit of the ray by a test of each triangle.
func brute(list []triangle, q *Query) (best Hit) {
	var l level
	if !l.set(q.Origin, q.Direction, 4, 1) {
		return
	}
	for i := range list {
		if c, ok := l.cross(&list[i]); ok && c.t > q.TMin && c.t < q.TMax && (best.Kind == None || c.t < best.T) {
			best = Hit{Kind: Triangles, T: c.t, U: c.u, V: c.v, Primitive: uint32(i)}
		}
	}
	return best
}

// TestClosest compares the closest hits of random rays with a test of each triangle.
func TestClosest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	list := soup(r, 800, 0.15)
	s := scene(t, mesh(list, GeometryOpaque))
	w := NewWalker()
	hits := 0
	for range 1000 {
		q := randomRay(r)
		want := brute(list, &q)
		if w.Next(s, &q) {
			t.Fatal("an opaque triangle is a candidate")
		}
		got := q.Committed
		if got.Kind != want.Kind || got.Primitive != want.Primitive {
			t.Fatalf("ray %v %v: hit %+v, want %+v", q.Origin, q.Direction, got, want)
		}
		if got.Kind != None {
			hits++
		}
	}
	if hits < 200 {
		t.Errorf("only %d hits", hits)
	}
}

// TestCandidates checks that all non-opaque triangles on a ray are candidates, once each and in their order.
func TestCandidates(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	list := soup(r, 300, 0.5)
	s := scene(t, mesh(list, 0))
	w := NewWalker()
	for range 200 {
		q := randomRay(r)
		var l level
		l.set(q.Origin, q.Direction, 4, 1)
		want := 0
		for i := range list {
			if c, ok := l.cross(&list[i]); ok && c.t > 0 {
				want++
			}
		}
		got, last := 0, float32(0)
		for w.Next(s, &q) {
			got++
			if q.Candidate.T < last || q.Candidate.Opaque != 0 {
				t.Fatalf("candidate %+v after %v", q.Candidate, last)
			}
			last = q.Candidate.T
		}
		if got != want || q.Committed.Kind != None {
			t.Fatalf("%d candidates, want %d", got, want)
		}
	}
}

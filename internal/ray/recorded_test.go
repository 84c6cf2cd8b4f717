package ray

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPlaces finds each primitive by its numbers, and none by numbers that no primitive has.
func TestPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(91, 92))
	const n = 50
	for _, geometries := range [][]Geometry{
		{mesh(soup(r, n, 0.1), 0), mesh(soup(r, n, 0.1), GeometryOpaque)},
		{swept(randomRounds(r, n), 0), swept(randomRounds(r, n), 0)},
		{balls(randomRounds(r, n), 0), balls(randomRounds(r, n), 0)},
	} {
		s := build(t, Input{Geometries: geometries})
		w, found := &Walker{top: &Structure{instances: make([]placed, 1), bottoms: []*Structure{s}}}, map[uint32]bool{}
		for g := range uint32(2) {
			for p := range geometries[g].Primitives {
				place := s.place(g, p)
				if place == UnknownPlace || found[place] || w.keyOf(0, place, 1) != (key{1, 0, g, p}) {
					t.Fatalf("kind %d: primitive %d of geometry %d is at place %d", s.kind, p, g, place)
				}
				found[place] = true
			}
		}
		for _, x := range [][2]uint32{{0, geometries[0].Primitives}, {1, math.MaxUint32}, {2, 0}, {0, math.MaxUint32}, {math.MaxUint32, 0}} {
			if place := s.place(x[0], x[1]); place != UnknownPlace {
				t.Errorf("kind %d: %v is at place %d; must be unknown", s.kind, x, place)
			}
		}
	}
	if place := build(t, Input{}).place(0, 0); place != UnknownPlace {
		t.Errorf("an empty structure has place %d", place)
	}
}

package ray

import "testing"

// TestPointInterval traces a ray with TMin = TMax through a box: the interval has a point, which is a candidate inside of the box, and so is
// a hit there.
func TestPointInterval(t *testing.T) {
	g := Geometry{Kind: Boxes, Primitives: 1, BoxStride: 24, BoxData: floats(0, 0, 0, 1, 1, 1)}
	s := scene(t, g)
	for at, want := range map[float32]bool{1: false, 2: true, 2.5: true, 3: true, 4: false} {
		q := Query{Origin: [3]float32{0.5, 0.5, -2}, Direction: [3]float32{0, 0, 1}, TMin: at, TMax: at, Mask: 0xff}
		got := NewWalker().Next(s, &q)
		if got != want || got && (q.Candidate.T != at || !q.Generate(at, 0)) {
			t.Errorf("distance %v: candidate %v at %v; must be %v", at, got, q.Candidate.T, want)
		}
	}
}

package ir

import (
	"math/rand"
	"testing"
)

// TestDefined compares the tree with explicit sets.
func TestDefined(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const n = 2000
	d := newDefined(n + 1)
	sets := map[V]map[V]bool{0: {}}
	points := []V{0}
	for v := V(1); v <= n; v++ {
		at := points[len(points)-1-r.Intn(min(len(points), 5))]
		if r.Intn(50) == 0 {
			at = points[r.Intn(len(points))]
		}
		set := map[V]bool{v: true}
		for x := range sets[at] {
			set[x] = true
		}
		if d.add(at, v) != v {
			t.Fatal("a value must be the point after its definition")
		}
		sets[v] = set
		points = append(points, v)
	}
	for range 20000 {
		a, b, v := points[r.Intn(n+1)], points[r.Intn(n+1)], V(r.Intn(n+1))
		if got, want := d.has(a, v), sets[a][v]; got != want {
			t.Fatalf("value %d at %d is defined: %v; want %v", v, a, got, want)
		}
		m := d.meet(a, b)
		both := 0
		for x := range sets[a] {
			if sets[b][x] {
				both++
			}
		}
		if len(sets[m]) != both || !(m == 0 || sets[a][m] && sets[b][m]) {
			t.Fatalf("%d and %d meet at %d", a, b, m)
		}
	}
	if d.meet(unreachable, 5) != 5 || d.meet(5, unreachable) != 5 || d.meet(unreachable, unreachable) != unreachable {
		t.Error("an unreachable path changes the set of defined values")
	}
}

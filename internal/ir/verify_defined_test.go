package ir

import (
	"math/rand"
	"testing"
)

// TestDefined compares the tree with plain sets.
func TestDefined(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const n = 2000
	d := newDefined(n + 1)
	sets := map[V]map[V]bool{0: {}}
	places := []V{0}
	for v := V(1); v <= n; v++ {
		at := places[len(places)-1-r.Intn(min(len(places), 5))]
		if r.Intn(50) == 0 {
			at = places[r.Intn(len(places))]
		}
		set := map[V]bool{v: true}
		for x := range sets[at] {
			set[x] = true
		}
		if d.add(at, v) != v {
			t.Fatal("a value is the place behind its definition")
		}
		sets[v] = set
		places = append(places, v)
	}
	for range 20000 {
		a, b, v := places[r.Intn(n+1)], places[r.Intn(n+1)], V(r.Intn(n+1))
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
	if d.meet(nowhere, 5) != 5 || d.meet(5, nowhere) != 5 || d.meet(nowhere, nowhere) != nowhere {
		t.Error("a way that nobody takes changes what is defined")
	}
}

package ray

import (
	"math/rand/v2"
	"runtime"
	"testing"
)

// TestBuildMemory checks that a build of triangles allocates no more than 150 bytes for each of them: the boxes of its items, the
// binary tree, and the structure.
func TestBuildMemory(t *testing.T) {
	const n, most = 100_000, 150
	in := Input{Flags: BuildPreferFastTrace, Geometries: []Geometry{mesh(soup(rand.New(rand.NewPCG(41, 42)), n, 0.02), GeometryOpaque)}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	build(t, in)
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / n; got > most {
		t.Errorf("%d bytes for a triangle; must be at most %d", got, most)
	}
}

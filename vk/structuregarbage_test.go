package vk

import (
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"weak"
)

// TestDroppedStructures checks that builds free the memory of the structures that large builds replaced, although a top level had one of them
// and the collector does not run on its own, and that updates in place and small structures cause no collection.
func TestDroppedStructures(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	r := newRays(t, DeviceInfo{})
	scanned := uint64(0) // that of a process has the objects of all tests
	r.dev.heap.structures.scan = func() uint64 { return scanned }
	const parts, primitives, size = 16, 1 << 15, 16<<15*88 + 1024
	memory := must(r.dev.Allocate(MemoryInfo{Size: 2 * size, DeviceAddress: true}))(t)
	buffer := must(r.dev.NewBuffer(BufferInfo{Size: 2 * size, Usage: DeviceAddress | AccelerationStructureBuildInput | AccelerationStructureStorageArea}))(t)
	if err := buffer.Bind(memory, 0); err != nil {
		t.Fatal(err)
	}
	target := must(r.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: buffer, Offset: size, Size: size, Level: BottomLevel}))(t)
	in := r.bottom(target, 0)
	in.Flags = BuildPreferFastBuild | BuildAllowUpdate
	in.Geometries[0].Triangles.Indices, in.Geometries[0].Triangles.IndexSize = BuildData{Address: buffer.Address()}, 1 // zeros
	in.Geometries = slices.Repeat(in.Geometries, parts)
	in.Ranges = slices.Repeat([]BuildRange{{Primitives: primitives}}, parts)
	top := r.structure(t, TopLevel)
	r.instance(0, target, 0)

	r.build(t, in, r.top(top, 1))
	first := weak.Make(r.dev.heap.structures.content(target).structure)
	runs := collectorRuns()
	for i := range 3 {
		r.build(t, in)
		if first.Value() != nil {
			t.Errorf("build %d: the structure that the top level had is not freed", i)
		}
		if got := collectorRuns(); got != runs+1 {
			t.Errorf("build %d: %d collections; must be 1", i, got-runs)
			break
		}
		runs++
	}

	// A collection that reads more than it frees is not worthwhile, nor is a walk over the instances of top levels for it.
	scanned = 1 << 40
	linked := r.dev.heap.structures.content(top).linked
	r.build(t, in)
	if got := r.dev.heap.structures.content(top).linked; got != linked {
		t.Error("a large heap: a build without a collection walks over the instances")
	}
	if got := collectorRuns(); got != runs {
		t.Errorf("a large heap: %d collections; must be none", got-runs)
	}
	scanned = 0

	// The first build after the last large one frees what that has dropped.
	small := r.bottom(r.structure(t, BottomLevel), 1)
	r.build(t, small)
	runs = collectorRuns()
	in.Update, in.Source = true, target
	for range 3 {
		r.build(t, in, small)
	}
	if got := collectorRuns(); got != runs {
		t.Errorf("updates in place and small builds: %d collections; must be none", got-runs)
	}
}

// collectorRuns returns the number of collections.
func collectorRuns() uint32 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.NumGC
}

// TestFailedBuild checks that the target of a build that fails has no content.
func TestFailedBuild(t *testing.T) {
	r := newRays(t, DeviceInfo{})
	r.dev.checking = None
	bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
	r.instance(0, bottom, 0)
	r.build(t, r.bottom(bottom, 2), r.top(top, 1))
	mixed := r.bottom(bottom, 2)
	mixed.Geometries = append(mixed.Geometries, Geometry{Boxes: &BoxGeometry{Data: r.at(rayBoxes), Stride: 24}})
	mixed.Ranges = append(mixed.Ranges, BuildRange{Primitives: 1})
	if err := r.dev.build(&mixed, "", nil); err == nil {
		t.Fatal("a build of triangles and boxes has no error")
	}
	if c := r.dev.heap.structures.content(bottom); c != nil {
		t.Errorf("the target has the content %+v; must have none", c)
	}
}

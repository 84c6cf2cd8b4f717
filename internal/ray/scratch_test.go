package ray

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestDecoder checks that a top level with instances of a Decoder equals the one of the same list, by one thread and by several, although
// the memory of earlier builds, of other sizes, is used again.
func TestDecoder(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	bottom := build(t, Input{Geometries: []Geometry{mesh(soup(r, 50, 0.3), GeometryOpaque)}})
	var list []Instance
	for i := range 5000 {
		x := Instance{Mask: uint8(r.Uint32()), Custom: uint32(i), Reference: 1, Bottom: bottom}
		for k := range x.Transform {
			x.Transform[k] = r.Float32() - 0.5
		}
		switch {
		case i%7 == 0:
			x.Bottom = nil // inactive
		case i%11 == 0:
			x.Motion = &InstanceMotion{Matrix: x.Transform}
			x.Motion.Matrix[7]++
		}
		list = append(list, x)
	}
	for _, flags := range []BuildFlags{BuildPreferFastTrace, BuildPreferFastBuild, BuildLowMemory} {
		for _, n := range []int{5000, 1, 0, 700, 2049} {
			want := build(t, Input{Top: true, Flags: flags, Instances: list[:n]})
			for _, threads := range []int{1, 3} {
				in := Input{Top: true, Flags: flags, Threads: threads, Count: n}
				in.Decoder = func() func(int, *Instance) { return func(i int, x *Instance) { *x = list[i] } }
				build(t, Input{Flags: flags, Threads: threads, Geometries: []Geometry{mesh(soup(r, 3000, 0.3), 0)}}) // leaves other values in the memory
				got := build(t, in)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("flags %#x, %d instances, %d threads: another structure than that of the list", flags, n, threads)
				}
				in.Flags |= BuildAllowUpdate
				source := build(t, in)
				next, err := Update(&in, source)
				if err != nil {
					t.Fatal(err)
				}
				if len(source.nodes) > 0 && !reflect.DeepEqual(next, source) { // without nodes, the boxes have no meaning
					t.Errorf("flags %#x, %d instances, %d threads: an update without a change is another structure", flags, n, threads)
				}
			}
		}
	}
}

// TestScratch checks that a build uses the smallest list of those that are long enough, and that one without active primitives keeps its list
// until the end, which gives it back.
func TestScratch(t *testing.T) {
	lists := []*[]item{new([]item), new([]item), nil}
	*lists[0], *lists[1] = make([]item, 9), make([]item, 0, 5)
	for n, want := range map[int]int{0: 1, 5: 1, 6: 0, 9: 0, 10: -1} {
		if got := fitting(lists, n); got != want {
			t.Errorf("%d elements: list %d; must be %d", n, got, want)
		}
	}
	b := builder{}
	box := nowhere
	b.sortPoints(make([]point, 0, 7), &box)
	if cap(b.points) != 7 {
		t.Error("a build without active primitives loses its list")
	}
}

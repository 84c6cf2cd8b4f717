package ray

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
)

// TestFresh checks that the types of fresh have no pointers, which the garbage collector would not see, and that memory has the size and
// the alignment of their lists.
func TestFresh(t *testing.T) {
	for _, x := range []reflect.Type{reflect.TypeFor[placed](), reflect.TypeFor[node](), reflect.TypeFor[block](), reflect.TypeFor[wideBounds](),
		reflect.TypeFor[item](), reflect.TypeFor[point](), reflect.TypeFor[mortonKey](), reflect.TypeFor[[width]ref](), reflect.TypeFor[blockRange](),
		reflect.TypeFor[binaryNode]()} {
		if hasPointers(x) || x.Size()%8 != 0 {
			t.Errorf("%v has pointers, or %d bytes", x, x.Size())
		}
	}
	for n := range 100 {
		if list := fresh[placed](n); len(list) != n || cap(list) != n {
			t.Errorf("%d of %d elements", len(list), n)
		}
	}
}

// hasPointers reports whether values of a type have pointers.
func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return t.Kind() > reflect.Complex128
}

// TestFreshStructures checks that a structure does not depend on the former contents of its memory: bytes of 0xA5.
func TestFreshStructures(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	triangles := mesh(soup(r, 4000, 0.1), GeometryOpaque)
	bottom := build(t, Input{Geometries: []Geometry{triangles}})
	list := make([]Instance, 3000)
	for i := range list {
		x := Instance{Transform: identity, Mask: 1, Bottom: bottom}
		switch i % 5 {
		case 1:
			x.Transform = [12]float32{0: 1e-39, 5: 1, 10: 1} // its inverse has no finite value
		case 2:
			x.Transform[0] = inf32
		case 3:
			x.Bottom = nil
		case 4:
			x.Motion = &InstanceMotion{Matrix: identity}
		}
		x.Transform[3] += r.Float32()
		list[i] = x
	}
	for _, in := range []Input{{Geometries: []Geometry{triangles}}, {Geometries: []Geometry{triangles}, Flags: BuildPreferFastBuild},
		{Top: true, Instances: list}, {Top: true, Instances: list, Flags: BuildPreferFastBuild}} {
		want := build(t, in)
		for range 3 {
			var used [][]byte
			for size := 1 << 10; size <= 1<<22; size += size / 3 {
				b := make([]byte, size)
				for i := range b {
					b[i] = 0xA5
				}
				used = append(used, b)
			}
			runtime.KeepAlive(used)
			used = nil
			runtime.GC()
			got := build(t, in)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("top level %v, flags %#x: another structure", in.Top, in.Flags)
			}
			next, err := Update(&in, got)
			if err != nil || !reflect.DeepEqual(next.nodes, got.nodes) || !reflect.DeepEqual(next.blocks, got.blocks) {
				t.Errorf("top level %v, flags %#x: an update without a change is another structure (%v)", in.Top, in.Flags, err)
			}
		}
	}
}

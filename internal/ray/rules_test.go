package ray

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// facing is a triangle around the z axis at z = 1. Its vertices run counterclockwise as a viewer at the origin sees
// them in a right-handed system: it faces a ray along +z from the origin.
func facing(z float32) triangle { return triangle{{-1, -1, z}, {-1, 1, z}, {2, 0, z}} }

// along is a ray from the origin along +z.
func along() Query { return Query{Direction: [3]float32{0, 0, 1}, TMax: inf32, Mask: 0xFF} }

// TestFacing checks the determination of faces (Vulkan, Ray Face Culling) on a triangle by its normal: a face is a
// front face if its normal points against the ray.
func TestFacing(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	list := soup(r, 500, 0.4)
	for range 200 {
		q := randomRay(r)
		var l level
		l.set(q.Origin, q.Direction, 4, 1)
		for i := range list {
			p := &list[i]
			c, ok := l.cross(p)
			if !ok {
				continue
			}
			var normal, along float64
			for k := range 3 {
				u, v := (k+1)%3, (k+2)%3
				normal = float64(p[1][u]-p[0][u])*float64(p[2][v]-p[0][v]) - float64(p[1][v]-p[0][v])*float64(p[2][u]-p[0][u])
				along += normal * float64(q.Direction[k])
			}
			if math.Abs(along) > 1e-5 && c.front != (along < 0) {
				t.Fatalf("triangle %v, direction %v: front %v", *p, q.Direction, c.front)
			}
		}
	}
}

// TestCulling checks the flags of rays, instances and geometries on one triangle against the specification's text.
func TestCulling(t *testing.T) {
	front, back := facing(1), facing(1)
	back[1], back[2] = back[2], back[1]
	type result string
	const (
		miss, hit, candidate result = "miss", "hit", "candidate"
	)
	outcome := func(p triangle, g GeometryFlags, i InstanceFlags, f RayFlags) result {
		bottom := build(t, Input{Geometries: []Geometry{mesh([]triangle{p}, g)}})
		s := build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 0xFF, Flags: i, Bottom: bottom}}})
		q := along()
		q.Flags = f
		switch {
		case NewWalker().Next(s, &q):
			return candidate
		case q.Committed.Kind == None:
			return miss
		}
		return hit
	}
	for _, c := range []struct {
		p    triangle
		g    GeometryFlags
		i    InstanceFlags
		f    RayFlags
		want result
	}{
		{front, 0, 0, 0, candidate},
		{front, GeometryOpaque, 0, 0, hit},
		{front, GeometryOpaque, 0, RayCullFrontFacing, miss},
		{front, GeometryOpaque, 0, RayCullBackFacing, hit},
		{back, GeometryOpaque, 0, RayCullBackFacing, miss},
		{back, GeometryOpaque, 0, RayCullFrontFacing, hit},
		{back, GeometryOpaque, InstanceFlipFacing, RayCullBackFacing, hit},
		{front, GeometryOpaque, InstanceFlipFacing, RayCullBackFacing, miss},
		{back, GeometryOpaque, InstanceNoFaceCull, RayCullBackFacing, hit},
		{front, GeometryOpaque, InstanceNoFaceCull, RayCullFrontFacing, hit},
		{front, 0, InstanceForceOpaque, 0, hit},
		{front, GeometryOpaque, InstanceForceNoOpaque, 0, candidate},
		{front, GeometryOpaque, InstanceForceNoOpaque, RayOpaque, hit},
		{front, 0, InstanceForceOpaque, RayNoOpaque, candidate},
		{front, GeometryOpaque, 0, RayCullOpaque, miss},
		{front, 0, 0, RayCullOpaque, candidate},
		{front, 0, 0, RayCullNoOpaque, miss},
		{front, GeometryOpaque, 0, RayCullNoOpaque, hit},
		{front, 0, InstanceForceOpaque, RayCullOpaque, miss},
		{front, GeometryOpaque, InstanceForceNoOpaque, RayCullNoOpaque, miss},
		{front, GeometryOpaque, 0, RaySkipTriangles, miss},
		{front, GeometryOpaque, 0, RaySkipBoxes, hit},
	} {
		if got := outcome(c.p, c.g, c.i, c.f); got != c.want {
			t.Errorf("geometry %#x, instance %#x, ray %#x: %s, want %s", c.g, c.i, c.f, got, c.want)
		}
	}
}

// TestInterval checks that a triangle is hit for TMin < t < TMax and a box for TMin ≤ t ≤ TMax.
func TestInterval(t *testing.T) {
	s := scene(t, mesh([]triangle{facing(2)}, GeometryOpaque))
	box := Geometry{Kind: Boxes, Primitives: 1, BoxData: floats(-1, -1, 2, 1, 1, 3), BoxStride: 24}
	boxes := scene(t, box)
	below, above := math.Nextafter32(2, 0), math.Nextafter32(2, 3)
	for _, c := range []struct {
		from, to float32
		triangle bool
		box      bool
	}{
		{0, inf32, true, true}, {2, inf32, false, true}, {below, above, true, true}, {0, 2, false, true},
		{above, inf32, false, true}, {2.5, 2.75, false, true}, {3.5, 4, false, false}, {0, 1.5, false, false},
		{3, 1, false, false}, {float32(math.NaN()), inf32, false, false}, {0, float32(math.NaN()), false, false},
		{-5, inf32, true, true},
	} {
		q := along()
		q.TMin, q.TMax = c.from, c.to
		if got := trace(t, s, q).Kind == Triangles; got != c.triangle {
			t.Errorf("[%v, %v]: triangle hit %v", c.from, c.to, got)
		}
		if got := NewWalker().Next(boxes, &q); got != c.box {
			t.Errorf("[%v, %v]: box candidate %v", c.from, c.to, got)
		}
	}
}

// TestMask checks that an instance is visible if its mask and the ray's have a common bit.
func TestMask(t *testing.T) {
	bottom := build(t, Input{Geometries: []Geometry{mesh([]triangle{facing(1)}, GeometryOpaque)}})
	for instance := range 16 {
		s := build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: uint8(instance), Bottom: bottom}}})
		for mask := range 16 {
			q := along()
			q.Mask = uint32(mask) | 0x100 // bits beyond 8 mean nothing
			if got := trace(t, s, q).Kind != None; got != (instance&mask != 0) {
				t.Errorf("masks %#x and %#x: %v", instance, mask, got)
			}
		}
	}
}

// TestNumbers checks the numbers of a hit.
func TestNumbers(t *testing.T) {
	bottom := build(t, Input{Geometries: []Geometry{
		mesh([]triangle{facing(5), facing(6)}, GeometryOpaque), mesh([]triangle{facing(9), facing(3)}, GeometryOpaque)}})
	moved := identity
	moved[11] = 1
	s := build(t, Input{Top: true, Instances: []Instance{{Mask: 1}, {Transform: moved, Mask: 1, Custom: 0xFF00_1234, RecordOffset: 0xFF00_0042, Bottom: bottom}}})
	q := along()
	q.Direction[2] = 2
	h := trace(t, s, q)
	if p := s.Positions(&h, 0); p != fromTriangle(facing(3)) {
		t.Errorf("positions %v", p)
	}
	h.Place = 0
	want := Hit{Kind: Triangles, T: 2, U: 1.0 / 3, V: 1.0 / 3, Instance: 1, Custom: 0x1234, RecordOffset: 0x42, Geometry: 1,
		Primitive: 1, HitKind: FrontFacing, Opaque: 1}
	if fmt.Sprintf("%.5v", h) != fmt.Sprintf("%.5v", want) {
		t.Errorf("hit %+v, want %+v", h, want)
	}
	if o, d := s.ObjectRay(1, &q); o != [3]float32{0, 0, -1} || d != [3]float32{0, 0, 2} {
		t.Errorf("object ray %v %v", o, d)
	}
}

// TestTies checks that the lowest numbers win among equal distances.
func TestTies(t *testing.T) {
	three := []triangle{facing(1), facing(1), facing(1)}
	bottom := build(t, Input{Geometries: []Geometry{mesh(three, 0), mesh(three, 0)}})
	instance := Instance{Transform: identity, Mask: 1, Bottom: bottom}
	s := build(t, Input{Top: true, Instances: []Instance{instance, instance, instance}})
	q, w := along(), NewWalker()
	for i := range uint32(18) {
		if !w.Next(s, &q) {
			t.Fatalf("%d candidates", i)
		}
		if c := q.Candidate; c.Instance != i/6 || c.Geometry != i/3%2 || c.Primitive != i%3 {
			t.Errorf("candidate %d is instance %d, geometry %d, primitive %d", i, c.Instance, c.Geometry, c.Primitive)
		}
	}
	if w.Next(s, &q) || q.Committed.Kind != None {
		t.Error("more candidates")
	}
}

// TestConfirm checks confirmed triangles, generated hits and the end of a traversal.
func TestConfirm(t *testing.T) {
	box := build(t, Input{Geometries: []Geometry{{Kind: Boxes, Primitives: 2, BoxData: floats(-1, -1, 1, 1, 1, 9, -1, -1, 2, 1, 1, 3), BoxStride: 24}}})
	mixed := build(t, Input{Geometries: []Geometry{mesh([]triangle{facing(4)}, 0), mesh([]triangle{facing(6)}, GeometryOpaque)}})
	s := build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 1, Bottom: box}, {Transform: identity, Mask: 1, Bottom: mixed}}})
	w := NewWalker()
	next := func(q *Query, kind Kind, primitive uint32) {
		t.Helper()
		if !w.Next(s, q) || q.Candidate.Kind != kind || q.Candidate.Primitive != primitive {
			t.Fatalf("candidate %+v", q.Candidate)
		}
	}
	end := func(q *Query, tt float32, kind Kind) {
		t.Helper()
		if w.Next(s, q) || q.Candidate.Kind != None || q.Committed.T != tt || q.Committed.Kind != kind {
			t.Fatalf("committed %+v", q.Committed)
		}
	}
	q := along()
	next(&q, Boxes, 0)
	next(&q, Boxes, 1)
	next(&q, Triangles, 0)
	end(&q, 6, Triangles)

	q = along()
	next(&q, Boxes, 0)
	if !q.Generate(5, 77) || q.Generate(5, 78) || q.Generate(-1, 79) {
		t.Error("generated hits")
	}
	next(&q, Boxes, 1)
	next(&q, Triangles, 0)
	end(&q, 5, Boxes)
	if q.Committed.HitKind != 77 || q.Committed.Generated != 1 {
		t.Errorf("committed %+v", q.Committed)
	}

	q = along()
	q.Flags = RayTerminateOnFirstHit
	next(&q, Boxes, 0)
	q.Generate(8, 1)
	end(&q, 8, Boxes)

	q = along()
	q.Flags = RayTerminateOnFirstHit | RaySkipBoxes
	next(&q, Triangles, 0)
	q.Confirm()
	end(&q, 4, Triangles)

	q = along()
	next(&q, Boxes, 0)
	q.Terminate()
	end(&q, 0, None)

	q = along()
	q.Flags = RaySkipBoxes
	next(&q, Triangles, 0)
	q.Confirm()
	end(&q, 4, Triangles)
}

// TestInactive checks primitives and instances that no ray hits.
func TestInactive(t *testing.T) {
	nan := float32(math.NaN())
	dead := facing(1)
	dead[1][0] = nan
	infinite := facing(1)
	infinite[2][1] = inf32
	two := build(t, Input{Geometries: []Geometry{mesh([]triangle{dead, infinite, facing(2)}, GeometryOpaque)}})
	flat := identity
	flat[10] = 0
	bad := identity
	bad[3] = nan
	bottom := build(t, Input{Geometries: []Geometry{mesh([]triangle{facing(1)}, GeometryOpaque)}})
	empty := build(t, Input{})
	top := build(t, Input{Top: true, Instances: []Instance{{Transform: flat, Mask: 1, Bottom: bottom}, {Transform: bad, Mask: 1, Bottom: bottom},
		{Transform: identity, Mask: 1, Bottom: empty}, {Transform: identity, Mask: 1, Bottom: two}}})
	if h := trace(t, top, along()); h.Instance != 3 || h.Primitive != 2 {
		t.Errorf("hit %+v", h)
	}
	for _, s := range []*Structure{nil, empty, bottom, // no top levels
		build(t, Input{Top: true})} {
		if h := trace(t, s, along()); h.Kind != None {
			t.Errorf("hit %+v", h)
		}
	}
	for _, d := range [][3]float32{{}, {nan, 0, 1}, {inf32, 0, 1}} {
		q := along()
		q.Direction = d
		if h := trace(t, top, q); h.Kind != None {
			t.Errorf("direction %v: hit %+v", d, h)
		}
	}
	short := mesh([]triangle{facing(1), facing(2)}, GeometryOpaque)
	short.Vertices = short.Vertices[:40]
	short.Flags = GeometryOpaque
	if h := trace(t, scene(t, short), along()); h.Primitive != 0 || h.Kind != Triangles {
		t.Errorf("hit %+v", h)
	}
}

// TestInfiniteBoxes checks that the corners of active boxes are finite: those beyond the largest float are at it.
func TestInfiniteBoxes(t *testing.T) {
	const most = math.MaxFloat32
	for _, c := range []struct {
		data   []byte
		lo, hi vec
		ok     bool
	}{
		{floats(-inf32, 0, 0, inf32, 1, 1), vec{-most, 0, 0}, vec{most, 1, 1}, true},
		{floats(inf32, 0, 0, inf32, 1, 1), vec{most, 0, 0}, vec{most, 1, 1}, true},
		{floats(-inf32, 0, 0, -inf32, 1, 1), vec{-most, 0, 0}, vec{-most, 1, 1}, true},
		{floats(inf32, 0, 0, -inf32, 1, 1), vec{}, vec{}, false},
	} {
		r := newReader(&Geometry{Kind: Boxes, Primitives: 1, BoxData: c.data, BoxStride: 24})
		if lo, hi, ok := r.box(0); ok != c.ok || ok && (lo != c.lo || hi != c.hi) {
			t.Errorf("%v %v %v, want %v %v %v", lo, hi, ok, c.lo, c.hi, c.ok)
		}
	}
}

// TestFormats checks vertex formats, index sizes and transforms.
func TestFormats(t *testing.T) {
	transform := identity
	transform[11] = 2
	for _, c := range []struct {
		name string
		g    Geometry
		t    float32
	}{
		{"R32G32_SFLOAT", Geometry{VertexFormat: 103, VertexStride: 8, Vertices: floats(-1, -1, -1, 1, 2, 0), Transform: &transform}, 2},
		{"R16G16_SNORM", Geometry{VertexFormat: 78, VertexStride: 4, Vertices: []byte{1, 0x80, 1, 0x80, 1, 0x80, 0xFF, 0x7F, 0xFF, 0x7F, 0, 0}, Transform: &transform}, 2},
		{"R16G16B16A16_SFLOAT", Geometry{VertexFormat: 97, VertexStride: 8, Vertices: []byte{0, 0xBC, 0, 0xBC, 0, 0x42, 0, 0, 0, 0xBC, 0, 0x3C, 0, 0x42, 0, 0, 0, 0x40, 0, 0, 0, 0x42, 0, 0}}, 3},
		{"R8G8B8A8_SNORM", Geometry{VertexFormat: 38, VertexStride: 4, Vertices: []byte{0x81, 0x81, 0x7F, 0, 0x81, 0x7F, 0x7F, 0, 0x7F, 0, 0x7F, 0}}, 1},
		{"32-bit indices", Geometry{VertexFormat: float3, VertexStride: 16, Vertices: floats(9, 9, 9, 9, -1, -1, 4, 0, 2, 0, 4, 0, -1, 1, 4), MaxVertex: 3, IndexSize: 4,
			Indices: []byte{0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0}, FirstVertex: 1}, 4},
		{"16-bit indices", Geometry{VertexFormat: float3, VertexStride: 12, Vertices: floats(-1, -1, 4, 2, 0, 4, -1, 1, 4), IndexSize: 2, Indices: []byte{0, 0, 1, 0, 2, 0}}, 4},
		{"8-bit indices", Geometry{VertexFormat: float3, VertexStride: 12, Vertices: floats(-1, -1, 4, 2, 0, 4, -1, 1, 4), IndexSize: 1, Indices: []byte{0, 1, 2}}, 4},
	} {
		c.g.Kind, c.g.Flags, c.g.Primitives = Triangles, GeometryOpaque, 1
		c.g.MaxVertex = max(c.g.MaxVertex, 2)
		if h := trace(t, scene(t, c.g), along()); h.Kind != Triangles || h.T != c.t {
			t.Errorf("%s: hit %+v", c.name, h)
		}
	}
}

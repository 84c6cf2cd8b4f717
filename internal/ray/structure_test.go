package ray

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// trace returns the committed hit of a ray that only opaque triangles can hit.
func trace(t testing.TB, s *Structure, q Query) Hit {
	t.Helper()
	var w Walker
	if w.Next(s, &q) {
		t.Fatal("a candidate")
	}
	return q.Committed
}

// equalHits compares hits of random rays in two structures.
func equalHits(t *testing.T, a, b *Structure, rays int) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	hits := 0
	for range rays {
		q := randomRay(r)
		x, y := trace(t, a, q), trace(t, b, q)
		x.Place, y.Place = 0, 0
		if x != y {
			t.Fatalf("hits %+v and %+v", x, y)
		}
		if x.Kind != None {
			hits++
		}
	}
	if hits == 0 {
		t.Error("no ray hits")
	}
}

// find returns a function that returns s for reference 7.
func find(s *Structure) func(uint64) *Structure {
	return func(r uint64) *Structure {
		if r == 7 {
			return s
		}
		return nil
	}
}

// TestSerialize checks that a deserialized structure has the same hits, and that cut and changed data end in an
// error or in a structure that can be traced.
func TestSerialize(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	bottom := build(t, Input{Geometries: []Geometry{mesh(soup(r, 50, 0.3), GeometryOpaque), mesh(soup(r, 30, 0.3), GeometryOpaque)}})
	data := make([]byte, bottom.SerializedSize())
	bottom.Serialize(data)
	read, err := Deserialize(append(data, 1, 2, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	if read.Size() != bottom.Size() || read.CompactedSize() != bottom.CompactedSize() {
		t.Error("sizes differ")
	}
	top := build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 1, Bottom: bottom, Reference: 7},
		{Transform: identity, Mask: 1, Reference: 9}, {Transform: identity, Mask: 1, Bottom: bottom, Reference: 7}}})
	if h := top.Handles(); !slices.Equal(h, []uint64{7, 9, 7}) { // one for each instance
		t.Errorf("handles %v", h)
	}
	topData := make([]byte, top.SerializedSize())
	top.Serialize(topData)
	unlinked, err := Deserialize(topData, find(nil))
	if err != nil || !unlinked.Unlinked() {
		t.Fatal(err)
	}
	if h := trace(t, unlinked, randomRay(r)); h.Kind != None {
		t.Error("a hit without a bottom level")
	}
	linked := unlinked.Relink(find(read))
	equalHits(t, top, linked, 200)
	if linked.Relink(find(read)) != linked {
		t.Error("a new structure with the same bottom levels")
	}

	for _, d := range [][]byte{data, topData} {
		for n := 0; n < len(d); n += 1 + len(d)/50 {
			if _, err := Deserialize(d[:n], find(bottom)); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("%d of %d bytes: %v", n, len(d), err)
			}
		}
		for range 500 {
			c := append([]byte(nil), d...)
			for range 1 + r.IntN(4) {
				c[r.IntN(len(c))] = byte(r.Uint32())
			}
			s, err := Deserialize(c, find(bottom))
			if err != nil {
				continue
			}
			if !s.Top() {
				s = build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 1, Bottom: s}}})
			}
			q := randomRay(r)
			for w := NewWalker(); w.Next(s, &q); {
			}
		}
	}
}

// TestBlockGaps checks that a serialized block has its triangles in its first lanes: a traversal and an update stop at the first
// lane without one.
func TestBlockGaps(t *testing.T) {
	const none = math.MaxUint32
	s := build(t, Input{Geometries: []Geometry{mesh([]triangle{facing(1), facing(2), facing(3), facing(4)}, GeometryOpaque)}})
	for _, c := range []struct {
		lanes [4]uint32
		valid bool
	}{
		{[4]uint32{0, 1, 2, 3}, true}, {[4]uint32{0, 1, none, none}, true}, {[4]uint32{none, none, none, none}, true},
		{[4]uint32{none, 1, 2, 3}, false}, {[4]uint32{0, none, none, 3}, false}, {[4]uint32{0, none, 2, none}, false},
	} {
		s.blocks[0].primitive = c.lanes
		data := make([]byte, s.SerializedSize())
		s.Serialize(data)
		if _, err := Deserialize(data, nil); (err == nil) != c.valid || err != nil && !errors.Is(err, ErrCorrupt) {
			t.Errorf("%v: %v", c.lanes, err)
		}
	}
}

// TestUpdate checks that an updated structure has the hits of a new one.
func TestUpdate(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	list := soup(r, 400, 0.2)
	first := build(t, Input{Geometries: []Geometry{mesh(list, GeometryOpaque)}})
	for i := range list {
		for j := range list[i] {
			list[i][j][1] += 0.3 * list[i][j][0]
		}
	}
	moved := mesh(list, GeometryOpaque)
	for _, threads := range []int{1, 3} {
		updated, err := Update(&Input{Geometries: []Geometry{moved}, Threads: threads}, first)
		if err != nil {
			t.Fatal(err)
		}
		old := build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 1, Bottom: first}, {Transform: identity}}})
		turned := identity
		turned[3] = 0.25
		in := Input{Top: true, Instances: []Instance{{Transform: turned, Mask: 1, Bottom: updated}, {Transform: identity}}}
		top, err := Update(&in, old)
		if err != nil {
			t.Fatal(err)
		}
		in.Instances[0].Bottom = build(t, Input{Geometries: []Geometry{moved}})
		equalHits(t, top, build(t, in), 300)
	}
	if _, err := Update(&Input{Geometries: []Geometry{mesh(list[1:], 0)}}, first); err == nil {
		t.Error("an update with another number of primitives")
	}
}

// serialized returns the serialized form of s.
func serialized(s *Structure) []byte {
	b := make([]byte, s.SerializedSize())
	s.Serialize(b)
	return b
}

// TestUpdateReuse checks that an update in the memory of its source is the same structure as one in new memory, which leaves the source
// as it is.
func TestUpdateReuse(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	boxes := Geometry{Kind: Boxes, BoxStride: 24, Primitives: 5000}
	still, moving := mesh(soup(r, 5000, 0.1), GeometryOpaque), mesh(soup(r, 5000, 0.1), GeometryOpaque)
	moving.Moves, moving.Moved = true, mesh(soup(r, 5000, 0.1), 0).Vertices
	for range boxes.Primitives {
		x := r.Float32()
		boxes.BoxData = append(boxes.BoxData, floats(x, x, x, x+1, x+1, x+1)...)
	}
	spheres := swept(nil, 0)
	spheres.Kind, spheres.Primitives = Spheres, 5000
	for range 5000 {
		spheres.Vertices = append(spheres.Vertices, floats(r.Float32(), r.Float32(), r.Float32())...)
		spheres.Rounds.Radii = append(spheres.Rounds.Radii, floats(r.Float32())...)
	}
	for _, g := range []Geometry{still, moving, boxes, spheres} {
		in := Input{Geometries: []Geometry{g}, Threads: 3}
		source, old := build(t, in), build(t, in)
		turn := [12]float32{0, 1, 0, 3, 1, 0, 0, 4, 0, 0, 1, 5}
		switch g.Kind {
		case Triangles:
			in.Geometries[0].Transform = &turn
		case Boxes:
			in.Geometries[0].BoxData = append(slices.Clone(g.BoxData[24*100:]), g.BoxData[:24*100]...)
		default:
			in.Geometries[0].Vertices = append(slices.Clone(g.Vertices[12*100:]), g.Vertices[:12*100]...)
		}
		want, err := Update(&in, source)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(serialized(source), serialized(old)) {
			t.Errorf("%v: the update changes its source", g.Kind)
		}
		in.Reuse = true
		got, err := Update(&in, source)
		if err != nil || !bytes.Equal(serialized(got), serialized(want)) || bytes.Equal(serialized(got), serialized(old)) {
			t.Errorf("%v: the update in the memory of its source is another structure (%v)", g.Kind, err)
		}
		if n := len(got.nodes); n == 0 || &got.nodes[0] != &source.nodes[0] {
			t.Errorf("%v: the update has new memory", g.Kind)
		}
	}
}

// TestUpdateBadInput checks updates with positions that are not finite or outside the memory: these triangles have no
// hits, and the others have their own.
func TestUpdateBadInput(t *testing.T) {
	for _, transform := range []*[12]float32{nil, &identity} {
		for count := 2; count <= 6; count++ {
			var list []triangle
			for i := range count {
				list = append(list, facing(float32(i+1)))
			}
			first := build(t, Input{Geometries: []Geometry{mesh(list, GeometryOpaque)}})
			for _, x := range []float32{float32(math.NaN()), inf32, -inf32} {
				for vertex := range 3 {
					bad := slices.Clone(list)
					bad[0][vertex][vertex] = x
					g := mesh(bad, GeometryOpaque)
					g.Transform = transform
					g.Vertices = g.Vertices[:len(g.Vertices)-12] // the last triangle is not all in the memory
					updated, err := Update(&Input{Geometries: []Geometry{g}}, first)
					if err != nil {
						t.Fatal(err)
					}
					want, kind := uint32(1), Triangles
					if count == 2 {
						want, kind = 0, None
					}
					top := build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 1, Bottom: updated}}})
					if h := trace(t, top, along()); h.Kind != kind || kind != None && h.Primitive != want {
						t.Errorf("%d triangles, %v in vertex %d: hit %+v", count, x, vertex, h)
					}
				}
			}
		}
	}
}

// TestFastBuild checks that a tree by a Morton curve has the hits of a tree by the surface area heuristic.
func TestFastBuild(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	for _, n := range []int{1, 4, 5, 8, 9, 1500} {
		list := soup(r, n, 0.3)
		if n == 9 { // all in one place
			for i := range list {
				list[i] = facing(float32(0.1))
			}
		}
		one := build(t, Input{Geometries: []Geometry{mesh(list, GeometryOpaque)}})
		two := build(t, Input{Geometries: []Geometry{mesh(list, GeometryOpaque)}, Flags: BuildPreferFastBuild, Threads: 2})
		instance := Instance{Transform: identity, Mask: 1, Bottom: one}
		a := build(t, Input{Top: true, Instances: []Instance{instance}})
		instance.Bottom = two
		equalHits(t, a, build(t, Input{Top: true, Instances: []Instance{instance}}), 400)
	}
}

// TestFastBuildOfSingles checks the hits of fast builds whose leaves have one primitive: spheres and instances.
func TestFastBuildOfSingles(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	for _, n := range []int{1, 2, 9, 700} {
		rounds := make([]round, n)
		for i := range rounds {
			rounds[i] = round{centers: [2]vec{{r.Float32(), r.Float32(), r.Float32()}}, radii: [2]float32{0.3}}
		}
		spheres := Input{Geometries: []Geometry{balls(rounds, GeometryOpaque)}}
		bottoms := []*Structure{build(t, spheres)}
		spheres.Flags, spheres.Threads = BuildPreferFastBuild, 2
		bottoms = append(bottoms, build(t, spheres))
		var tops []*Structure
		for i, flags := range []BuildFlags{0, BuildPreferFastBuild} {
			instance := Instance{Transform: identity, Mask: 1, Bottom: bottoms[i]}
			tops = append(tops, build(t, Input{Top: true, Flags: flags, Instances: []Instance{instance}}))
		}
		equalHits(t, tops[0], tops[1], 400)
		ball := build(t, Input{Geometries: []Geometry{mesh(ball(3, vec{}, 0.3), GeometryOpaque)}})
		in := Input{Top: true}
		for range n {
			x := Instance{Transform: identity, Mask: 1, Bottom: ball}
			x.Transform[3], x.Transform[7], x.Transform[11] = r.Float32(), r.Float32(), r.Float32()
			if n > 2 && r.IntN(9) == 0 {
				x.Bottom = nil // inactive
			}
			in.Instances = append(in.Instances, x)
		}
		good := build(t, in)
		in.Flags = BuildPreferFastBuild
		equalHits(t, good, build(t, in), 400)
	}
}

// TestLowMemory checks that a tree with BuildLowMemory has the hits of one without, and needs less memory.
func TestLowMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	for _, n := range []int{1, 5, 32, 33, 3000} {
		list := soup(r, n, 0.05)
		first := build(t, Input{Geometries: []Geometry{mesh(list, GeometryOpaque)}})
		low := build(t, Input{Geometries: []Geometry{mesh(list, GeometryOpaque)}, Flags: BuildLowMemory, Threads: 2})
		instance := Instance{Transform: identity, Mask: 1, Bottom: first}
		a := build(t, Input{Top: true, Instances: []Instance{instance}})
		instance.Bottom = low
		b := build(t, Input{Top: true, Instances: []Instance{instance}})
		if n > 100 {
			equalHits(t, a, b, 2000)
		}
		if x, y := first.CompactedSize(), low.CompactedSize(); y > x || n == 3000 && y > x*9/10 {
			t.Errorf("%d triangles: %d bytes; must be less than %d, by a tenth if they are many", n, y, x)
		}
	}
}

// TestThreads checks that a structure does not depend on the number of goroutines of its build.
func TestThreads(t *testing.T) {
	list := soup(rand.New(rand.NewPCG(11, 12)), 32*binChunk, 0.02)
	for _, n := range []int{9000, len(list)} {
		for _, flags := range []BuildFlags{0, BuildPreferFastBuild} {
			in := Input{Geometries: []Geometry{mesh(list[:4000], 0), mesh(list[4000:n], 0)}, Threads: 1, Flags: flags}
			want := ""
			for _, threads := range []int{1, 2, 4} {
				in.Threads = threads
				s := build(t, in)
				updated, err := Update(&in, s)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range []*Structure{s, updated} { // the vertices have not moved
					bytes := make([]byte, s.SerializedSize())
					s.Serialize(bytes)
					if want == "" {
						want = string(bytes)
					}
					if string(bytes) != want {
						t.Errorf("%d triangles, flags %d: the structure of %d goroutines differs", n, flags, threads)
					}
				}
			}
		}
	}
}

// TestStop checks that an error of Stop ends a build.
func TestStop(t *testing.T) {
	want := errors.New("stop")
	in := Input{Geometries: []Geometry{mesh(soup(rand.New(rand.NewPCG(1, 1)), 10, 1), 0)}, Stop: func() error { return want }}
	if _, err := Build(&in); err != want {
		t.Errorf("error %v", err)
	}
}

// TestWildMeshes checks that all builds and updates of geometries with NaN, infinite, huge and tiny positions, some without
// primitives and some that move, have the same hits on both paths.
func TestWildMeshes(t *testing.T) {
	r := rand.New(rand.NewPCG(37, 38))
	scenes := 12
	if long() {
		scenes = 500
	}
	for range scenes {
		in := Input{Threads: 1 + r.IntN(3)}
		for range 1 + r.IntN(5) {
			n := []int{0, 1, 9, 40, 600}[r.IntN(5)]
			g := mesh(wildTriangles(r, n), GeometryOpaque)
			if n > 0 && r.IntN(2) == 0 {
				g.Moves, g.Moved = true, mesh(wildTriangles(r, n), 0).Vertices
			}
			in.Geometries = append(in.Geometries, g)
		}
		var list []*Structure
		for _, flags := range []BuildFlags{BuildAllowUpdate, BuildAllowUpdate | BuildPreferFastBuild} {
			in.Flags = flags
			built := build(t, in)
			updated, err := Update(&in, built)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range []*Structure{built, updated} {
				list = append(list, build(t, Input{Top: true, Flags: BuildMotion, Instances: []Instance{{Transform: identity, Mask: 0xFF, Bottom: s}}}))
			}
		}
		for range 60 {
			q := randomRay(r)
			if r.IntN(5) == 0 {
				q.Direction[r.IntN(3)] = wildNumbers[r.IntN(len(wildNumbers))]
			}
			q.Time = []float32{0, 0.3, 1, 2, float32(math.NaN())}[r.IntN(5)]
			sameHit(t, list, q)
		}
	}
}

// wildNumbers are numbers with extreme exponents, and those that are not finite.
var wildNumbers = []float32{0, 1e-40, 3e38, -3e38, inf32, -inf32, float32(math.NaN())}

// wildTriangles returns n triangles, of which many have wildNumbers.
func wildTriangles(r *rand.Rand, n int) []triangle {
	list := soup(r, n, 0.3)
	for i := range list {
		switch x := wildNumbers[r.IntN(len(wildNumbers))]; r.IntN(4) {
		case 0:
			list[i][r.IntN(3)][r.IntN(3)] = x
		case 1:
			for v := range 3 {
				list[i][v][r.IntN(3)] *= x
			}
		case 2:
			list[i][1] = list[i][r.IntN(3)]
		}
	}
	return list
}

// sameHit checks that a ray has the same hit in all structures of a list, on both paths.
func sameHit(t *testing.T, list []*Structure, q Query) {
	t.Helper()
	var want Hit
	for i, s := range list {
		for _, portable := range []bool{true, false} {
			w, x := NewWalker(), q
			w.portable = portable
			w.Next(s, &x)
			got := x.Committed
			if got.Place = 0; i == 0 && portable {
				want = got
			} else if got != want {
				t.Fatalf("structure %d, portable %v, ray %+v: %+v, want %+v", i, portable, q, got, want)
			}
		}
	}
}

// TestDown checks the rounding of 64-bit numbers down and up.
func TestDown(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 54))
	numbers := []float64{0, math.Copysign(0, -1), 1e-60, -1e-60, 1e300, -1e300, math.MaxFloat32, math.Inf(1), math.Inf(-1), 1 + 0x1p-30, -1 - 0x1p-30}
	for range 10_000 {
		numbers = append(numbers, math.Ldexp(r.Float64()-0.5, r.IntN(300)-150))
	}
	for _, x := range numbers {
		want := float32(x)
		if float64(want) > x {
			want = math.Nextafter32(want, -inf32)
		}
		if want = max(want, -math.MaxFloat32); down32(x) != want || up32(-x) != -want {
			t.Errorf("%g becomes %g down, and its negative %g up; must be %g and %g", x, down32(x), up32(-x), want, -want)
		}
	}
}

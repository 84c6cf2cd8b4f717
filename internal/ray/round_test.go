package ray

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// swept returns a geometry of swept spheres with both caps, two ends each, without indices.
func swept(list []round, flags GeometryFlags) Geometry {
	g := Geometry{Kind: SweptSpheres, Flags: flags, Primitives: uint32(len(list)), VertexFormat: float3, VertexStride: 12,
		Rounds: Rounds{RadiusFormat: float1, RadiusStride: 4, Chained: true}}
	for _, x := range list {
		for i := range 2 {
			g.Vertices = append(g.Vertices, floats(x.centers[i][:]...)...)
			g.Rounds.Radii = append(g.Rounds.Radii, floats(x.radii[i])...)
		}
	}
	return g
}

// balls returns a geometry of spheres: the first ends of list.
func balls(list []round, flags GeometryFlags) Geometry {
	g := swept(list, flags)
	g.Kind, g.VertexStride, g.Rounds.RadiusStride = Spheres, 24, 8
	return g
}

// randomRounds returns swept spheres in the cube [-1, 1]³. Some have an end inside of the other one.
func randomRounds(r *rand.Rand, n int) []round {
	list := make([]round, n)
	for i := range list {
		x := &list[i]
		for k := range 3 {
			x.centers[0][k] = 2*r.Float32() - 1
			x.centers[1][k] = x.centers[0][k] + 0.6*(r.Float32()-0.5)
		}
		x.radii = [2]float32{0.2 * r.Float32(), 0.2 * r.Float32()}
		if i%8 == 0 {
			x.radii[i/8%2] += 0.5
		}
	}
	return list
}

// enterSphere returns the distance at which a ray enters a sphere; infinity if it does not.
func enterSphere(o, d, center double, radius float64) float64 {
	f := o.sub(center)
	a, b, c := d.dot(d), f.dot(d), f.dot(f)-radius*radius
	h := b*b - a*c
	if h < 0 {
		return math.Inf(1)
	}
	return (-b - math.Sqrt(h)) / a
}

// modelRound returns the distance at which a ray enters a swept sphere, which is the union of the spheres along its axis: the
// closest entry into one of many spheres.
func modelRound(q *Query, x *round) (t, place float64) {
	o, d := toDouble(q.Origin), toDouble(q.Direction)
	a, b := toDouble(x.centers[0]), toDouble(x.centers[1])
	at := func(u float64) float64 {
		return enterSphere(o, d, a.along(u, b.sub(a)), float64(x.radii[0])+u*float64(x.radii[1]-x.radii[0]))
	}
	from, to := 0.0, 1.0
	t = math.Inf(1)
	for range 5 { // closer and closer to the least one
		step := (to - from) / 100
		for i := range 101 {
			if u := from + float64(i)*step; at(u) < t {
				t, place = at(u), u
			}
		}
		from, to = max(place-step, 0), min(place+step, 1)
	}
	return t, place
}

// TestRounds compares the closest hits of spheres and swept spheres with a model of each.
func TestRounds(t *testing.T) {
	n := 150
	if long() {
		n = 100_000
	}
	for _, kind := range []Kind{Spheres, SweptSpheres} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(41, uint64(kind)))
			list := randomRounds(r, 40)
			g := swept(list, GeometryOpaque)
			if kind == Spheres {
				g = balls(list, GeometryOpaque)
				for i := range list {
					list[i].centers[1], list[i].radii[1] = list[i].centers[0], list[i].radii[0]
				}
			}
			s := scene(t, g)
			hits := 0
			for range n {
				q := randomRay(r)
				best, place := math.Inf(1), 0.0
				for i := range list {
					if at, u := modelRound(&q, &list[i]); at >= 0 && at < best {
						best, place = at, u
					}
				}
				h := trace(t, s, q)
				if !checkRound(&q, &h, list, best, place) {
					t.Fatalf("ray %v %v: hit %+v, want %v at %v", q.Origin, q.Direction, h, best, place)
				}
				if h.Kind == kind {
					hits++
				}
			}
			if hits < n/4 {
				t.Errorf("%d hits", hits)
			}
		})
	}
}

// checkRound reports whether a hit is that of the model. A ray may miss where the model hits, or hit where it misses, if it
// passes at a distance that the model cannot tell.
func checkRound(q *Query, h *Hit, list []round, best, place float64) bool {
	if h.Kind == None {
		if math.IsInf(best, 1) {
			return true
		}
		for i := range list { // a smaller one must be missed as well
			x := list[i]
			x.radii[0], x.radii[1] = max(x.radii[0]-1e-5, 0), max(x.radii[1]-1e-5, 0)
			if at, _ := modelRound(q, &x); at >= 1e-5 && !math.IsInf(at, 1) {
				return false
			}
		}
		return true
	}
	x := list[h.Primitive]
	x.radii[0], x.radii[1] = x.radii[0]+1e-5, x.radii[1]+1e-5
	at, u := modelRound(q, &x)
	d := toDouble(q.Direction)
	speed := math.Sqrt(d.dot(d)) // the distances of the ray are multiples of it
	return speed*math.Abs(at-float64(h.T)) < 0.02 && speed*(float64(h.T)-best) < 1e-3 && h.HitKind == FrontFacing &&
		(speed*math.Abs(best-float64(h.T)) > 1e-4 || math.Abs(u-float64(h.U)) < 0.05 || math.Abs(place-float64(h.U)) < 0.05)
}

// TestRoundCaps checks the caps of swept spheres, the places of their hits, and rays that start inside.
func TestRoundCaps(t *testing.T) {
	along := func(x, y, z, dx, dy, dz float32) Query {
		return Query{Origin: [3]float32{x, y, z}, Direction: [3]float32{dx, dy, dz}, TMax: inf32, Mask: 0xFF}
	}
	x := round{centers: [2]vec{{0, 0, 0}, {4, 0, 0}}, radii: [2]float32{1, 1}}
	inside := round{centers: [2]vec{{0, 0, 0}, {1, 0, 0}}, radii: [2]float32{3, 1}}
	other := round{centers: [2]vec{{1, 0, 0}, {0, 0, 0}}, radii: [2]float32{1, 3}}
	point := round{centers: [2]vec{{0, 0, 0}, {4, 0, 0}}}
	for _, c := range []struct {
		name string
		x    round
		caps bool
		q    Query
		t, u float32 // t < 0: a miss
	}{
		{"side", x, true, along(1, 5, 0, 0, -1, 0), 4, 0.25},
		{"side without caps", x, false, along(1, 5, 0, 0, -1, 0), 4, 0.25},
		{"cap 0", x, true, along(-5, 0, 0, 2, 0, 0), 2, 0},
		{"cap 1", x, true, along(9, 0, 0, -2, 0, 0), 2, 1},
		{"no cap 0", x, false, along(-5, 0, 0, 2, 0, 0), -1, 0},
		{"no cap 1", x, false, along(9, 0, 0, -2, 0, 0), -1, 0},
		{"through no cap to the side", x, false, along(-2, 0, 0, 1, 0.4, 0), -1, 0},
		{"inside", x, true, along(2, 0, 0, 0, 1, 0), -1, 0},
		{"inside of a cap", x, true, along(-0.5, 0, 0, -1, 0, 0), -1, 0},
		{"behind", x, true, along(2, 5, 0, 0, 1, 0), -1, 0},
		{"outer end 0", inside, true, along(0, 5, 0, 0, -1, 0), 2, 0},
		{"outer end 1", other, true, along(0, 5, 0, 0, -1, 0), 2, 1},
		{"outer end without a cap", inside, false, along(0, 5, 0, 0, -1, 0), -1, 0},
		{"degenerate", point, true, along(2, 5, 0, 0, -1, 0), -1, 0},
	} {
		g := swept([]round{c.x}, GeometryOpaque)
		g.Rounds.Chained = c.caps
		h := trace(t, scene(t, g), c.q)
		if hit := c.t >= 0; hit != (h.Kind == SweptSpheres) || hit && (h.T != c.t || h.U != c.u) {
			t.Errorf("%s: hit %+v, want %v at %v", c.name, h, c.t, c.u)
		}
	}
}

// TestRoundIndices checks which vertices the indices select, by the examples of the specification.
func TestRoundIndices(t *testing.T) {
	var g Geometry
	g.VertexFormat, g.VertexStride, g.Primitives = float3, 12, 4
	for i := range 7 { // A to G
		g.Vertices = append(g.Vertices, floats(float32(i), 0, 0)...)
		g.Rounds.Radii = append(g.Rounds.Radii, floats(float32(i)/8)...)
	}
	g.Rounds.RadiusFormat, g.Rounds.RadiusStride = float1, 4
	pairs := func(s *Structure) (list [][2]int, caps []uint32) {
		for _, x := range s.rounds {
			if x.radii != [2]float32{x.centers[0][0] / 8, x.centers[1][0] / 8} {
				t.Errorf("radii %v of %v", x.radii, x.centers)
			}
			list, caps = append(list, [2]int{int(x.centers[0][0]), int(x.centers[1][0])}), append(caps, x.caps)
		}
		return list, caps
	}
	for _, c := range []struct {
		name       string
		kind       Kind
		indices    []uint16
		successive bool
		chained    bool
		first      uint32
		want       [][2]int
		caps       []uint32
	}{
		{"pairs of vertices", SweptSpheres, nil, false, true, 0, [][2]int{{0, 1}, {2, 3}, {4, 5}}, []uint32{3, 3, 3}},
		{"list", SweptSpheres, []uint16{6, 5, 5, 4, 4, 3, 2, 1}, false, true, 0, [][2]int{{6, 5}, {5, 4}, {4, 3}, {2, 1}}, []uint32{3, 3, 3, 3}},
		{"successive", SweptSpheres, []uint16{0, 1, 2, 4}, true, true, 0, [][2]int{{0, 1}, {1, 2}, {2, 3}, {4, 5}}, []uint32{3, 2, 2, 3}},
		{"no caps", SweptSpheres, []uint16{0, 1, 2, 4}, true, false, 0, [][2]int{{0, 1}, {1, 2}, {2, 3}, {4, 5}}, []uint32{0, 0, 0, 0}},
		{"first vertex", SweptSpheres, []uint16{0, 1, 3, 9}, true, true, 2, [][2]int{{2, 3}, {3, 4}, {5, 6}}, []uint32{3, 2, 3}},
		{"spheres", Spheres, nil, false, false, 1, [][2]int{{1, 1}, {2, 2}, {3, 3}, {4, 4}}, []uint32{3, 3, 3, 3}},
		{"spheres with indices", Spheres, []uint16{6, 0, 7, 5}, false, false, 0, [][2]int{{6, 6}, {0, 0}, {5, 5}}, []uint32{3, 3, 3}},
	} {
		x := g
		x.Kind, x.FirstVertex, x.Rounds.Successive, x.Rounds.Chained = c.kind, c.first, c.successive, c.chained
		if c.indices != nil {
			x.IndexSize, x.Rounds.IndexStride = 2, 6
			for _, i := range c.indices {
				x.Indices = binary.LittleEndian.AppendUint16(x.Indices, i)
				x.Indices = append(x.Indices, 9, 9, 9, 9)
			}
		}
		s := build(t, Input{Geometries: []Geometry{x}})
		slices.SortFunc(s.rounds, func(a, b round) int { return int(a.primitive) - int(b.primitive) })
		if list, caps := pairs(s); !slices.Equal(list, c.want) || !slices.Equal(caps, c.caps) {
			t.Errorf("%s: %v %v, want %v %v", c.name, list, caps, c.want, c.caps)
		}
	}
}

// TestRoundFormats checks radii of 16 bits and that radii of another format, negative ones and NaNs are inactive.
func TestRoundFormats(t *testing.T) {
	q := Query{Origin: [3]float32{0, 0, -5}, Direction: [3]float32{0, 0, 1}, TMax: inf32, Mask: 0xFF}
	nan := float32(math.NaN())
	for _, c := range []struct {
		name   string
		format uint32
		radii  []byte
		center [3]float32
		t      float32 // 0: a miss
	}{
		{"R32_SFLOAT", 100, floats(2), [3]float32{}, 3},
		{"R16_SFLOAT", 76, []byte{0, 0x40}, [3]float32{}, 3},
		{"a format without a codec", 12345, floats(2), [3]float32{}, 0},
		{"a depth format", 126, floats(2), [3]float32{}, 0},
		{"too few bytes", 100, []byte{0, 0, 0}, [3]float32{}, 0},
		{"no radius", 100, nil, [3]float32{}, 0},
		{"a negative radius", 100, floats(-2), [3]float32{}, 0},
		{"a radius that is a NaN", 100, floats(nan), [3]float32{}, 0},
		{"an infinite radius", 100, floats(inf32), [3]float32{}, 0},
		{"radius 0", 100, floats(0), [3]float32{}, 0},
		{"a center with a NaN", 100, floats(2), [3]float32{0, nan, 0}, 0},
		{"an infinite center", 100, floats(2), [3]float32{0, 0, inf32}, 0},
		{"a huge sphere around the ray", 100, floats(math.MaxFloat32), [3]float32{}, 0},
		{"a huge sphere", 100, floats(1e30), [3]float32{0, 0, 2e30}, 1e30},
	} {
		g := Geometry{Kind: Spheres, Flags: GeometryOpaque, Primitives: 1, VertexFormat: float3, VertexStride: 12, Vertices: floats(c.center[:]...),
			Rounds: Rounds{Radii: c.radii, RadiusFormat: c.format, RadiusStride: 4}}
		if h := trace(t, scene(t, g), q); (h.Kind == Spheres) != (c.t > 0) || h.Kind == Spheres && h.T != c.t {
			t.Errorf("%s: hit %+v, want %v", c.name, h, c.t)
		}
	}
}

// TestRoundCopies checks that serialized, updated and compacted structures have the hits of a new one, and that changed data
// end in an error or in a structure that can be traced.
func TestRoundCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	place := func(s *Structure) *Structure {
		return build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 0xFF, Bottom: s}}})
	}
	for _, geometry := range []func([]round, GeometryFlags) Geometry{balls, swept} {
		old, now := randomRounds(r, 40), randomRounds(r, 40)
		old[3].radii, old[30].radii = [2]float32{}, [2]float32{} // degenerate ones may become others
		first := build(t, Input{Flags: BuildAllowUpdate | BuildAllowCompaction, Geometries: []Geometry{geometry(old, GeometryOpaque)}})
		in := Input{Flags: first.Flags(), Geometries: []Geometry{geometry(now, GeometryOpaque)}}
		next, err := Update(&in, first)
		if err != nil {
			t.Fatal(err)
		}
		fresh := place(build(t, in))
		equalHits(t, fresh, place(next), 300)
		data := make([]byte, next.SerializedSize())
		next.Serialize(data)
		read, err := Deserialize(data, nil)
		if err != nil {
			t.Fatal(err)
		}
		equalHits(t, fresh, place(read.Compact()), 300)
		if n := read.CompactedSize(); n != next.CompactedSize() || n > next.Size() || next.Size() > BuildSizes(&in, 0).Structure {
			t.Errorf("sizes %d, %d, %d", n, next.Size(), BuildSizes(&in, 0).Structure)
		}
		for range 300 {
			c := slices.Clone(data)
			for range 1 + r.IntN(4) {
				c[r.IntN(len(c))] = byte(r.Uint32())
			}
			if s, err := Deserialize(c, nil); err == nil && !s.Top() {
				top, q, w := place(s), randomRay(r), NewWalker()
				for range 100 {
					if !w.Next(top, &q) {
						break
					}
				}
				top.Round(&q.Committed)
			}
		}
	}
}

package ray

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// farTriangle returns a triangle with coordinates up to far, whose box contains the cube if it is a dome.
func farTriangle(far float32, dome bool) triangle {
	if dome {
		const low = -1.0 / 4
		return triangle{{far, low * far, low * far}, {low * far, far, low * far}, {low * far, low * far, far}}
	}
	return triangle{{far, 0, 0}, {far, far / 2, 0}, {far, 0, far / 2}}
}

// farTimes are how many times as large as the cube far primitives are.
var farTimes = []float32{1e3, 1e5, 1e6, 1e10, 1e15, 1e20, 1e30, 3e38}

// met returns how many nodes and leaves below r have boxes that the ray meets.
func (l *level) met(s *Structure, r ref) (n int) {
	if r&leafBit != 0 {
		return 1
	}
	x := &s.nodes[r]
	for i, r := range x.child {
		lo := vec{x.bounds[0][i], x.bounds[2][i], x.bounds[4][i]}
		hi := vec{x.bounds[1][i], x.bounds[3][i], x.bounds[5][i]}
		if near, far := l.slabs(&lo, &hi); r != emptyRef && max32(near, 0) <= far {
			n += l.met(s, r)
		}
	}
	return n + 1
}

// metBy returns how many nodes and leaves of the top level, or of the bottom level of its first instance, rays meet.
func metBy(s *Structure, top bool) (n int) {
	r := rand.New(rand.NewPCG(7_000_001, 1))
	w := NewWalker()
	for range 200 {
		q := randomRay(r)
		w.q, w.top = &q, s
		switch {
		case top && w.enter(&w.world, nil, s.reach, s.spread):
			n += w.world.met(s, s.root)
		case !top && w.enterInstance(0):
			n += w.local.met(s.bottoms[0], s.bottoms[0].root)
		}
	}
	return n
}

// TestFarVisits counts the boxes that rays meet in a structure with one far triangle or one far instance: no more than without it, but for
// the ones of the far one and its ancestors.
func TestFarVisits(t *testing.T) {
	r := rand.New(rand.NewPCG(7_000_002, 1))
	list := soup(r, 20_000, 0.02)
	one := build(t, Input{Geometries: []Geometry{mesh(list[:8], GeometryOpaque)}})
	var instances []Instance
	for range 5000 {
		m := identity
		m[0], m[5], m[10] = 0.02, 0.02, 0.02
		m[3], m[7], m[11] = 2*r.Float32()-1, 2*r.Float32()-1, 2*r.Float32()-1
		instances = append(instances, Instance{Transform: m, Mask: 0xFF, Bottom: one})
	}
	for _, flags := range []BuildFlags{0, BuildPreferFastBuild} {
		bottom := func(list []triangle) *Structure {
			s := build(t, Input{Geometries: []Geometry{mesh(list, GeometryOpaque)}, Flags: flags})
			return build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 0xFF, Bottom: s}}})
		}
		few := metBy(bottom(list), false)
		top := metBy(build(t, Input{Top: true, Instances: instances, Flags: flags}), true)
		for _, far := range farTimes {
			for _, dome := range []bool{false, true} {
				if n := metBy(bottom(append(list[:len(list):len(list)], farTriangle(far, dome))), false); n > 2*few {
					t.Errorf("flags %d, triangle at %g: %d boxes, without it %d", flags, far, n, few)
				}
			}
			m := identity
			m[3] = far
			all := append(instances[:len(instances):len(instances)], Instance{Transform: m, Mask: 0xFF, Bottom: one})
			if n := metBy(build(t, Input{Top: true, Instances: all, Flags: flags}), true); n > 2*top {
				t.Errorf("flags %d, instance at %g: %d boxes, without it %d", flags, far, n, top)
			}
		}
	}
}

// mixedScene returns a scene of primitives of all kinds with many magnitudes, with a far triangle and a far instance, and its triangles.
func mixedScene(t testing.TB, r *rand.Rand) (*Structure, []triangle) {
	list := soup(r, 60, 0.3)
	for i := range list {
		if i%2 == 0 {
			scale := float32(math.Pow(10, float64(r.IntN(8)-4)))
			for v := range 3 {
				for k := range 3 {
					list[i][v][k] *= scale
				}
			}
		}
	}
	far := farTimes[r.IntN(len(farTimes)-1)] // distances beyond the greatest float have no order
	list = append(list, farTriangle(far, r.IntN(2) == 0))
	var rounds []round
	var boxes []float32
	for i := range list {
		lo, hi := list[i].bounds()
		boxes = append(append(boxes, lo[:]...), hi[:]...)
		rounds = append(rounds, round{centers: [2]vec{list[i][0], list[i][1]}, radii: [2]float32{max(0.25, abs32(lo[0])) / 4, 0.1}})
	}
	bottoms := []*Structure{
		build(t, Input{Geometries: []Geometry{mesh(list, 0)}}),
		build(t, Input{Geometries: []Geometry{movingMesh(list, list[:len(list):len(list)])}}),
		build(t, Input{Geometries: []Geometry{{Kind: Boxes, Primitives: uint32(len(list)), BoxData: floats(boxes...), BoxStride: 24}}}),
		build(t, Input{Geometries: []Geometry{balls(rounds, 0)}}),
		build(t, Input{Geometries: []Geometry{swept(rounds, 0)}}),
		build(t, Input{Geometries: []Geometry{mesh(list[:3], 0)}}), // a leaf
	}
	in := Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 0xFF, Bottom: bottoms[0]}}}
	for range 12 {
		m := identity
		for k := range 12 {
			if m[k] += (r.Float32() - 0.5) / 2; k%4 == 3 {
				m[k] *= float32(math.Pow(10, float64(r.IntN(4))))
			}
		}
		in.Instances = append(in.Instances, Instance{Transform: m, Mask: 0xFF, Bottom: bottoms[r.IntN(len(bottoms))]})
	}
	in.Instances[1+r.IntN(12)].Transform[3] = far
	return build(t, in), list
}

// mixedRay returns a ray to a point of a triangle, from near or far.
func mixedRay(r *rand.Rand, list []triangle) Query {
	q := Query{TMax: inf32, Mask: 0xFF}
	p := &list[r.IntN(len(list))]
	a, b := r.Float32(), r.Float32()
	if r.IntN(4) == 0 {
		a, b = 0, float32(r.IntN(3))/2 // a vertex or the middle of an edge
	}
	scale := float32(math.Pow(10, float64(r.IntN(10)-4)))
	for k := range 3 {
		if r.IntN(6) != 0 {
			q.Origin[k] = scale * (2*r.Float32() - 1)
		}
		q.Direction[k] = p[0][k] + a*(p[1][k]-p[0][k]) + b*(p[2][k]-p[0][k]) - q.Origin[k]
	}
	if r.IntN(8) == 0 {
		q.Direction[r.IntN(3)] = 0
	}
	return q
}

// TestFarModel compares traversals of scenes with many magnitudes, by machine code and without it, alone and together, with the model,
// which tests each primitive.
func TestFarModel(t *testing.T) {
	t.Parallel()
	scenes := 40
	if long() {
		scenes = 4000
	}
	candidates := 0
	for seed := range scenes {
		r := rand.New(rand.NewPCG(7_000_003, uint64(seed)))
		s, list := mixedScene(t, r)
		copied := copyScene(t, s)
		fast, slow := NewWalker(), NewWalker()
		slow.portable = true
		decide := func(n int, h *modelHit) (decision, float32) { return ignoreHit, 0 }
		for range 8 {
			packet := Packet{Lanes: 1<<PacketLanes - 1}
			first := mixedRay(r, list)
			for i := range PacketLanes {
				q := mixedRay(r, list)
				if r.IntN(4) != 0 {
					q.Origin = first.Origin
					for k := range 3 {
						q.Direction[k] = first.Direction[k] * (1 + (r.Float32()-0.5)/64)
					}
				}
				x := &packet.Rays
				for k := range 3 {
					x.Origin[k][i], x.Direction[k][i] = q.Origin[k], q.Direction[k]
				}
				x.TMax[i], x.Mask[i] = q.TMax, q.Mask
				all := modelRay(s, &q)
				candidates += len(all)
				for _, w := range []*Walker{fast, slow} {
					for _, s := range []*Structure{s, copied} {
						if err := followModel(s, w, q, all, decide); err != nil {
							t.Fatalf("scene %d, portable %v, copy %v: %v", seed, w == slow, s == copied, err)
						}
					}
				}
			}
			for _, fast.Wide = range []bool{false, true} {
				fast.NextAll(s, &packet)
				for i := range PacketLanes {
					q := packet.query(i)
					want := &q.Committed
					if slow.Next(s, &q) {
						want = &q.Candidate
					}
					if h, found := packet.hit(i), packet.Found>>i&1 != 0; found != (want.Kind != None) || found && h != *want {
						t.Fatalf("scene %d, ray %+v: %v %+v in a packet; alone %+v", seed, packet.query(i), found, h, *want)
					}
				}
			}
		}
	}
	if candidates < 100*scenes {
		t.Errorf("%d candidates in %d scenes", candidates, scenes)
	}
}

// TestFarRational compares the closest hits in scenes of many magnitudes, with a far triangle, with exact arithmetic: the rays start close
// to the small triangles: their boxes have little padding.
func TestFarRational(t *testing.T) {
	t.Parallel()
	scenes := 60
	if long() {
		scenes = 6000
	}
	const near = 1e-4
	var e exact
	hits := 0
	for seed := range scenes {
		r := rand.New(rand.NewPCG(7_000_004, uint64(seed)))
		list := soup(r, 40, 0.5)
		for i := range list { // the magnitude grows with the number
			for v := range 3 {
				for k := range 3 {
					list[i][v][k] *= float32(math.Pow(10, float64(i)/8))
				}
			}
		}
		list = append(list, farTriangle(farTimes[seed%4], seed%8 < 4))
		s := scene(t, mesh(list, GeometryOpaque))
		w := NewWalker()
		for range 50 {
			q := mixedRay(r, list)
			for k := range 3 {
				q.Origin[k] = r.Float32() - 0.5
				if r.IntN(4) == 0 {
					q.Origin[k] = 0
				}
			}
			all := crossings(&e, &q, list, near)
			w.Next(s, &q)
			got := q.Committed
			longest := max(abs32(q.Direction[0]), abs32(q.Direction[1]), abs32(q.Direction[2]))
			// room is by how much the distance of a plane changes by the roundings of the corners.
			room := func(i int) float64 {
				lo, hi := list[i].bounds()
				return 64 * unit * float64(reachOf(lo, hi)/longest)
			}
			limit := math.Inf(1)
			if got.Kind != None {
				limit = float64(got.T)
				hits++
			}
			ok := got.Kind == None || limit <= room(int(got.Primitive)) // the origin may be on the other side of the plane
			for _, x := range all {
				d := 16*near*x.t + room(x.primitive)
				if x.least > near && x.t > d && x.t < limit-d {
					t.Fatalf("scene %d, ray %v %v: %+v; must be %+v", seed, q.Origin, q.Direction, got, x)
				}
				ok = ok || x.primitive == int(got.Primitive) && math.Abs(x.t-limit) <= d
			}
			if !ok {
				t.Fatalf("scene %d, ray %v %v: %+v; must be one of %+v", seed, q.Origin, q.Direction, got, all)
			}
		}
	}
	if hits < 10*scenes {
		t.Errorf("%d hits in %d scenes", hits, scenes)
	}
}

// TestFarWatertight shoots rays at a closed mesh in a structure with a far triangle, from far and near, many of them at vertices and
// edges: each enters as often as it leaves. CHIARO_RAYS is another number of rays.
func TestFarWatertight(t *testing.T) {
	rays := 8_000
	if long() {
		rays = 5_000_000
	}
	if n, err := strconv.Atoi(os.Getenv("CHIARO_RAYS")); err == nil {
		rays = n
	}
	for i, far := range farTimes {
		t.Run(fmt.Sprint(far), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(7_000_005, uint64(i)))
			center := vec{float32(i%3) * 0.3, 0, float32(i % 2)}
			list := ball(6, center, 1)
			beyond := triangle{{far, far, far}, {far, far / 2, far}, {far / 2, far, far}}
			s := scene(t, mesh(list, 0), mesh([]triangle{beyond}, 0))
			w := NewWalker()
			for range rays / len(farTimes) {
				q := Query{TMax: inf32, Mask: 1}
				p := &list[r.IntN(len(list))]
				a, b, f := r.IntN(3), r.IntN(3), float32(r.IntN(3))/2
				away := float32(math.Pow(10, float64(r.IntN(8))))
				for k := range 3 {
					if r.IntN(5) != 0 {
						q.Origin[k] = center[k] + away*(4*r.Float32()-2)
					}
				}
				outside := max(abs32(q.Origin[0]-center[0]), abs32(q.Origin[1]-center[1]), abs32(q.Origin[2]-center[2])) > 1.25
				if !outside {
					continue
				}
				for k := range 3 {
					q.Direction[k] = p[a][k] + f*(p[b][k]-p[a][k]) - q.Origin[k]
				}
				var sides [2]int
				for c := q; w.Next(s, &c); {
					if c.Candidate.Geometry == 0 {
						sides[c.Candidate.HitKind&1]++
					}
				}
				if sides[0] != sides[1] {
					t.Fatalf("a ray from %v along %v enters %d times and leaves %d times", q.Origin, q.Direction, sides[0], sides[1])
				}
			}
		})
	}
}

// TestPad checks that a box inside of another one is inside of it after the padding, which is at least 15 roundoffs of the largest
// coordinate, and that a box without points has none after it.
func TestPad(t *testing.T) {
	r := rand.New(rand.NewPCG(7_000_006, 1))
	number := func() float32 { return float32(math.Ldexp(r.Float64()-0.5, r.IntN(277)-148)) }
	for range 100_000 {
		var lo, hi, inLo, inHi vec
		for k := range 3 {
			a, b, c, d := number(), number(), number(), number()
			lo[k], hi[k] = min(a, b, c, d), max(a, b, c, d)
			inLo[k], inHi[k] = min(a, b), max(a, b)
		}
		outLo, outHi := lo, hi
		pad(&outLo, &outHi)
		pad(&inLo, &inHi)
		least := 15 * unit * float64(reachOf(lo, hi))
		for k := range 3 {
			if inLo[k] < outLo[k] || inHi[k] > outHi[k] {
				t.Fatalf("%v to %v is not inside of %v to %v", inLo, inHi, outLo, outHi)
			}
			const most, tiny = math.MaxFloat32, math.SmallestNonzeroFloat32
			if d := float64(lo[k]) - float64(outLo[k]); d < least-tiny && outLo[k] > -most || outLo[k] < -most || outHi[k] > most {
				t.Fatalf("%v to %v becomes %v to %v", lo, hi, outLo, outHi)
			}
		}
	}
	lo, hi := noLo, noHi
	if pad(&lo, &hi); lo != noLo || hi != noHi {
		t.Errorf("the empty box becomes %v to %v", lo, hi)
	}
}

// TestFarMiss checks that a ray misses a box if it would pass it beyond the greatest distance: it has left one slab before it enters
// another one.
func TestFarMiss(t *testing.T) {
	var l level
	l.set(vec{-2.5e38, 5.5e37, -3e37}, vec{0.0371, -0.073, 0.297}, math.MaxFloat32, 1)
	lo, hi := vec{3e38, 0, 0}, vec{3e38, 1.5e38, 1.5e38}
	if near, far := l.slabs(&lo, &hi); !l.wide || near <= far {
		t.Errorf("wide %v: the ray meets the box from %v to %v", l.wide, near, far)
	}
}

package ray

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// nested returns clouds of small triangles around the origin, each cloud ratio times as large as the one before.
func nested(r *rand.Rand, clouds, each int, ratio float32) []triangle {
	var list []triangle
	scale := float32(math.Pow(float64(ratio), -float64(clouds/2)))
	for range clouds {
		for _, t := range soup(r, each, 0.05) {
			for v := range t {
				for k := range t[v] {
					t[v][k] *= scale
				}
			}
			list = append(list, t)
		}
		scale *= ratio
	}
	return list
}

// TestRefine checks fast builds of scenes with many magnitudes: their hits, that their trees are not too deep, and that the trees do not
// depend on the number of goroutines. Clouds of one triangle each make the deepest trees.
func TestRefine(t *testing.T) {
	r := rand.New(rand.NewPCG(7_000_007, 1))
	for _, c := range []struct {
		clouds, each int
		ratio        float32
	}{{2, 3000, 1e6}, {8, 300, 1e3}, {40, 40, 64}, {240, 1, 2}, {12, 100, 1e5}, {1, 400, 1e20}} {
		list := nested(r, c.clouds, c.each, c.ratio)
		if c.clouds == 1 { // all middles are equal
			for i := range list {
				list[i] = list[0]
			}
		}
		good := scene(t, mesh(list, GeometryOpaque))
		in := Input{Geometries: []Geometry{mesh(list[:len(list)/3], GeometryOpaque), mesh(list[len(list)/3:], GeometryOpaque)}, Flags: BuildPreferFastBuild}
		want := ""
		for _, threads := range []int{1, 2, 4} {
			in.Threads = threads
			s := build(t, in)
			if err := s.check(); err != nil {
				t.Errorf("%+v: %v", c, err)
			}
			if got := string(serialized(s)); want == "" {
				want = got
			} else if got != want {
				t.Errorf("%+v: the structure of %d goroutines differs", c, threads)
			}
			if threads > 1 {
				continue
			}
			in := Input{Geometries: []Geometry{mesh(list, GeometryOpaque)}, Flags: BuildPreferFastBuild}
			fast := build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 0xFF, Bottom: build(t, in)}}})
			w := NewWalker()
			for range 400 {
				a := mixedRay(r, list)
				b := a
				w.Next(good, &a)
				w.Next(fast, &b)
				if a.Committed.Place, b.Committed.Place = 0, 0; a.Committed != b.Committed { // the place depends on the tree
					t.Fatalf("%+v: a ray from %v along %v has %+v; must have %+v", c, a.Origin, a.Direction, b.Committed, a.Committed)
				}
			}
		}
	}
}

// TestRefineSingles checks fast builds of boxes and instances with one far primitive and inactive ones: their hits, and that rays meet
// few boxes.
func TestRefineSingles(t *testing.T) {
	r := rand.New(rand.NewPCG(7_000_008, 1))
	list := soup(r, 3000, 0.02)
	one := build(t, Input{Geometries: []Geometry{mesh(list[:8], GeometryOpaque)}})
	var corners []float32
	var instances []Instance
	for i, p := range list {
		lo, hi := p.bounds()
		if i%7 == 0 {
			lo[0] = float32(math.NaN())
		}
		corners = append(append(corners, lo[:]...), hi[:]...)
		x := Instance{Transform: identity, Mask: 0xFF, Bottom: one}
		if i%7 == 0 {
			x.Bottom = nil
		}
		x.Transform[0], x.Transform[5], x.Transform[10] = 0.02, 0.02, 0.02
		x.Transform[3], x.Transform[7], x.Transform[11] = lo[1], lo[2], hi[0]
		instances = append(instances, x)
	}
	for _, far := range farTimes {
		corners := append(corners[:len(corners):len(corners)], far/2, far/2, far/2, far, far, far)
		instances := append(instances[:len(instances):len(instances)], instances[1])
		instances[len(list)].Transform[7] = far
		boxes := Geometry{Kind: Boxes, Primitives: uint32(len(corners) / 6), BoxData: floats(corners...), BoxStride: 24}
		var tops [2][2]*Structure
		for i, flags := range []BuildFlags{0, BuildPreferFastBuild} {
			bottom := build(t, Input{Geometries: []Geometry{boxes}, Flags: flags, Threads: 2})
			tops[0][i] = build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 0xFF, Bottom: bottom}}})
			tops[1][i] = build(t, Input{Top: true, Instances: instances, Flags: flags, Threads: 2})
		}
		for i := range tops {
			good, fast := metBy(tops[i][0], i == 1), metBy(tops[i][1], i == 1)
			if fast > 4*good {
				t.Errorf("far %g, instances %v: %d boxes with a fast build, %d without", far, i == 1, fast, good)
			}
			w := NewWalker()
			for range 200 {
				a := mixedRay(r, list)
				b := a
				first, second := w.Next(tops[i][0], &a), w.Next(tops[i][1], &b)
				a.Committed.Place, b.Committed.Place = 0, 0
				if first != second || a.Committed != b.Committed || first && a.Candidate.T != b.Candidate.T {
					t.Fatalf("far %g, instances %v: %+v; must be %+v", far, i == 1, b, a)
				}
			}
		}
	}
}

// TestFarBits checks that a far triangle changes no bit of the hits of rays to the others, alone and in packets.
func TestFarBits(t *testing.T) {
	r := rand.New(rand.NewPCG(7_000_009, 1))
	list := soup(r, 2000, 0.1)
	near := scene(t, mesh(list, GeometryOpaque))
	for _, far := range farTimes[:len(farTimes)-1] {
		for _, dome := range []bool{false, true} {
			t.Run(fmt.Sprintf("%g,dome=%v", far, dome), func(t *testing.T) {
				s := scene(t, mesh(append(list[:len(list):len(list)], farTriangle(far, dome)), GeometryOpaque))
				w := NewWalker()
				for range 40 {
					var p Packet
					p.Lanes = 1<<PacketLanes - 1
					first := randomRay(r)
					for i := range PacketLanes {
						q := first
						for k := range 3 {
							q.Direction[k] *= 1 + (r.Float32()-0.5)/64
						}
						x := &p.Rays
						for k := range 3 {
							x.Origin[k][i], x.Direction[k][i] = q.Origin[k], q.Direction[k]
						}
						x.TMax[i], x.Mask[i] = 100, q.Mask
					}
					for i, wide := range []bool{false, true, false} {
						w.Wide, w.portable = wide, i == 2
						w.NextAll(s, &p)
						for lane := range PacketLanes {
							q := p.query(lane)
							if w.Next(near, &q); q.Committed.Kind == None {
								continue
							}
							h := p.hit(lane)
							if h.Place, q.Committed.Place = 0, 0; h != q.Committed {
								t.Fatalf("%+v: %+v; must be %+v", q, h, q.Committed)
							}
						}
					}
				}
			})
		}
	}
}

// TestMortonScale checks that the codes in a box with a size beyond the greatest float differ.
func TestMortonScale(t *testing.T) {
	box := wideBounds{lo: [4]float32{-3e38, 0, 0}, hi: [4]float32{3e38, 0, 1e-45}}
	scale := mortonScale(&box)
	if scale[1] != 0 || scale[2] != 0 {
		t.Errorf("the scales without an extent are %v", scale)
	}
	points := []point{{vec{-3e38, 0, 0}, 0}, {vec{-1e38, 0, 0}, 1}, {vec{3e38, 0, 0}, 2}}
	keys := make([]mortonKey, len(points))
	mortonKeys(keys, points, &box.lo, &scale)
	if !(keys[0].code() < keys[1].code() && keys[1].code() < keys[2].code()) {
		t.Errorf("the codes are %#x", keys)
	}
}

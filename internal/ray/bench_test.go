package ray

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchSoup is a soup of small triangles, its order random in space.
func benchSoup() Geometry {
	return mesh(soup(rand.New(rand.NewPCG(31, 32)), 100_000, 0.02), GeometryOpaque)
}

// BenchmarkBuild builds a bottom level; an operation is a triangle.
func BenchmarkBuild(b *testing.B) {
	for _, c := range []struct {
		name  string
		flags BuildFlags
	}{{"trace", BuildPreferFastTrace}, {"build", BuildPreferFastBuild}} {
		b.Run(c.name, func(b *testing.B) {
			g := benchSoup()
			for n := 0; n < b.N; n += int(g.Primitives) {
				build(b, Input{Geometries: []Geometry{g}, Flags: c.flags})
			}
		})
	}
}

// BenchmarkTop builds a top level; an operation is an instance.
func BenchmarkTop(b *testing.B) {
	r := rand.New(rand.NewPCG(37, 38))
	bottom := build(b, Input{Geometries: []Geometry{mesh(soup(r, 100, 0.02), GeometryOpaque)}})
	list := make([]Instance, 10_000)
	for i := range list {
		m := [12]float32{0: 1, 5: 1, 10: 1}
		for j := range m {
			m[j] += r.Float32() / 4
			if j%4 == 3 {
				m[j] = 100 * r.Float32()
			}
		}
		list[i] = Instance{Transform: m, Mask: 255, Reference: 1, Bottom: bottom}
	}
	for _, c := range []struct {
		name  string
		flags BuildFlags
	}{{"trace", BuildPreferFastTrace}, {"build", BuildPreferFastBuild}} {
		b.Run(c.name, func(b *testing.B) {
			for n := 0; n < b.N; n += len(list) {
				build(b, Input{Top: true, Instances: list, Flags: c.flags})
			}
		})
	}
}

// BenchmarkUpdate updates a bottom level; an operation is a triangle.
func BenchmarkUpdate(b *testing.B) {
	in := Input{Geometries: []Geometry{benchSoup()}}
	s := build(b, in)
	b.ResetTimer()
	for n := 0; n < b.N; n += int(in.Geometries[0].Primitives) {
		if _, err := Update(&in, s); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkClosest traces rays without order to their closest hits; an operation is a ray.
func BenchmarkClosest(b *testing.B) {
	r := rand.New(rand.NewPCG(33, 34))
	s := scene(b, benchSoup())
	rays := make([]Query, 4096)
	for i := range rays {
		rays[i] = randomRay(r)
	}
	for _, portable := range []bool{false, true} {
		name := "kernel"
		if portable {
			name = "portable"
		}
		b.Run(name, func(b *testing.B) {
			w := NewWalker()
			w.portable = portable
			var q Query
			for n := range b.N {
				q = rays[n%len(rays)]
				w.Next(s, &q)
			}
		})
	}
}

// BenchmarkMemory traces rays without order in trees of each preference, and reports the bytes of a triangle.
func BenchmarkMemory(b *testing.B) {
	soup, sphere := benchSoup(), mesh(ball(100, vec{}, 1), GeometryOpaque)
	for _, c := range []struct {
		name  string
		g     Geometry
		flags BuildFlags
	}{{"soup", soup, 0}, {"soup low", soup, BuildLowMemory}, {"soup fast", soup, BuildPreferFastBuild},
		{"ball", sphere, 0}, {"ball low", sphere, BuildLowMemory}, {"ball fast", sphere, BuildPreferFastBuild}} {
		b.Run(c.name, func(b *testing.B) {
			bottom := build(b, Input{Geometries: []Geometry{c.g}, Flags: c.flags})
			s := build(b, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 1, Bottom: bottom}}})
			r := rand.New(rand.NewPCG(33, 34))
			rays := make([]Query, 4096)
			for i := range rays {
				rays[i] = randomRay(r)
			}
			w := NewWalker()
			b.ResetTimer()
			for n := range b.N {
				q := rays[n%len(rays)]
				w.Next(s, &q)
			}
			b.ReportMetric(float64(bottom.CompactedSize())/float64(c.g.Primitives), "B/triangle")
		})
	}
}

// BenchmarkKinds traces rays without order to primitives of each kind, of about the same sizes; an operation is a ray.
func BenchmarkKinds(b *testing.B) {
	const n, size = 100_000, 0.02
	r := rand.New(rand.NewPCG(35, 36))
	from := soup(r, n, size)
	to, rounds := make([]triangle, n), make([]round, n)
	boxes := Geometry{Kind: Boxes, Flags: GeometryOpaque, Primitives: n, BoxStride: 24}
	for i, t := range from {
		lo, hi := t.bounds()
		boxes.BoxData = append(append(boxes.BoxData, floats(lo[:]...)...), floats(hi[:]...)...)
		rounds[i] = round{centers: [2]vec{t[0], t[1]}, radii: [2]float32{size / 4, size / 4}}
		for v := range t {
			to[i][v] = vec{t[v][0] + size, t[v][1], t[v][2]}
		}
	}
	for _, c := range []struct {
		name string
		g    Geometry
	}{{"triangles", mesh(from, GeometryOpaque)}, {"boxes", boxes}, {"spheres", balls(rounds, GeometryOpaque)},
		{"swept", swept(rounds, GeometryOpaque)}, {"moving", movingMesh(from, to)}} {
		s := scene(b, c.g)
		b.Run(c.name, func(b *testing.B) {
			rays := make([]Query, 4096)
			for i := range rays {
				rays[i] = randomRay(r)
				rays[i].Time = 0.5
			}
			w := NewWalker()
			var q Query
			b.ResetTimer()
			for i := range b.N {
				q = rays[i%len(rays)]
				w.Next(s, &q)
			}
		})
	}
}

// BenchmarkFar traces rays in a soup with a far triangle beside one without it, alone and in coherent packets; an operation is a ray.
func BenchmarkFar(b *testing.B) {
	list := soup(rand.New(rand.NewPCG(31, 32)), 100_000, 0.02)
	for _, flags := range []BuildFlags{0, BuildPreferFastBuild} {
		for _, far := range []float32{0, 1e10, 1e30} {
			all := list
			if far > 0 {
				all = append(list[:len(list):len(list)], farTriangle(far, true))
			}
			bottom := build(b, Input{Geometries: []Geometry{mesh(all, GeometryOpaque)}, Flags: flags})
			s := build(b, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 1, Bottom: bottom}}})
			r := rand.New(rand.NewPCG(33, 34))
			rays, packets := make([]Query, 4096), make([]Packet, 256)
			for i := range rays {
				rays[i] = randomRay(r)
			}
			for i := range packets {
				q, p := randomRay(r), &packets[i]
				p.Lanes = 1<<PacketLanes - 1
				for lane := range PacketLanes {
					p.Rays.TMax[lane], p.Rays.Mask[lane] = inf32, 1
					for k := range 3 {
						p.Rays.Origin[k][lane] = q.Origin[k]
						p.Rays.Direction[k][lane] = q.Direction[k] * (1 + (r.Float32()-0.5)/64)
					}
				}
			}
			w := NewWalker()
			name := fmt.Sprintf("fast %v, far %g, ", flags != 0, far)
			b.Run(name+"alone", func(b *testing.B) {
				for n := range b.N {
					q := rays[n%len(rays)]
					w.Next(s, &q)
				}
			})
			b.Run(name+"packets", func(b *testing.B) {
				for n := 0; n < b.N; n += PacketLanes {
					w.NextAll(s, &packets[n/PacketLanes%len(packets)])
				}
			})
		}
	}
}

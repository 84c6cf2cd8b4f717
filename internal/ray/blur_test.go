package ray

import (
	"math"
	"math/rand/v2"
	"testing"
)

// hills returns a mesh of 2n² triangles of about the size 1 around a center.
func hills(n int, center vec) (list []triangle) {
	at := func(i, j int) vec {
		x, y := float32(i)/float32(n)-0.5, float32(j)/float32(n)-0.5
		return vec{center[0] + x, center[1] + y, center[2] + float32(math.Sin(float64(9*x))*math.Cos(float64(7*y))/4)}
	}
	for i := range n {
		for j := range n {
			a, b, c, d := at(i, j), at(i+1, j), at(i, j+1), at(i+1, j+1)
			list = append(list, triangle{a, b, c}, triangle{c, b, d})
		}
	}
	return list
}

// TestBlurredBoxes checks rays from far away and meshes far from 0, with boxes of triangles grown over most of the mesh: the hits equal the ones of
// a test of each triangle, and a ray visits few of the leaves.
func TestBlurredBoxes(t *testing.T) {
	const n = 48
	r := rand.New(rand.NewPCG(83, 84))
	fast, slow := NewWalker(), NewWalker()
	slow.portable = true
	for _, center := range []float32{0, 1 << 17} {
		b := build(t, Input{Geometries: []Geometry{mesh(hills(n, vec{center, 0, -center}), GeometryOpaque)}})
		s := build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 0xFF, Bottom: b}}})
		leaves, rays, hits, blurred := 0, 0, 0, 0
		var packet Packet
		packet.Lanes = 1<<PacketLanes - 1
		var must [PacketLanes][]modelHit
		for range 60 {
			far := math.Ldexp(1, r.IntN(64)) // of the origins of a packet
			if r.IntN(4) == 0 {
				far = 1e36
			}
			direction := vec{r.Float32() - 0.5, r.Float32() - 0.5, -1}
			for i := range PacketLanes {
				q := Query{TMax: inf32, Mask: 0xFF}
				aim := vec{center + r.Float32() - 0.5, r.Float32() - 0.5, -center}
				for k := range 3 {
					d := float64(direction[k]) * (1 + r.Float64()/64)
					q.Direction[k], q.Origin[k] = float32(d), float32(float64(aim[k])-far*d)
				}
				must[i] = modelRay(s, &q)
				hits += min(1, len(must[i]))
				x := &packet.Rays
				for k := range 3 {
					x.Origin[k][i], x.Direction[k][i] = q.Origin[k], q.Direction[k]
				}
				x.TMax[i], x.Mask[i] = q.TMax, q.Mask
				never := func(int, *modelHit) (decision, float32) { return ignoreHit, 0 }
				for _, w := range []*Walker{fast, slow} {
					if err := followModel(s, w, q, must[i], never); err != nil {
						t.Fatal(err)
					}
				}
				slow.q, slow.top, slow.low, slow.high, slow.instance = &q, s, 0, inf32, noInstance
				slow.enterInstance(0)
				if slow.local.blurs(b) {
					blurred++
					slow.walk(b, &slow.local, 0, true, func(ref, int) { leaves++ })
				}
				rays++
			}
			for _, fast.Wide = range []bool{false, true} {
				fast.NextAll(s, &packet)
				for i, list := range must {
					h, found := packet.hit(i), packet.Found>>i&1 != 0
					if found != (len(list) > 0) || found && (key{h.T, h.Instance, h.Geometry, h.Primitive}) != list[0].key {
						t.Fatalf("packet: ray %+v has %v %+v; must have %+v", packet.query(i), found, h, list[:min(1, len(list))])
					}
				}
			}
		}
		if all := blurred * n * n / 16; hits < rays/8 || blurred < rays/2 || leaves > all/4 {
			t.Errorf("center %v: %d rays, %d of them blurred, %d hits: %d of about %d leaves visited", center, rays, blurred, hits, leaves, all)
		}
	}
}

// TestMisses checks the second test of boxes: it never rejects the box of a triangle with a hit, and it rejects boxes in reach of the
// slabs.
func TestMisses(t *testing.T) {
	r := rand.New(rand.NewPCG(85, 86))
	met, missed := [2]int{}, [2]int{}
	for range 200_000 {
		size := math.Ldexp(1, r.IntN(40)-60)
		far := math.Ldexp(1, r.IntN(90)-30)
		if r.IntN(2) == 0 {
			far = size * math.Ldexp(1, 16+r.IntN(40))
		}
		var p triangle
		var o, d vec
		for k := range 3 {
			d[k] = r.Float32() - 0.5
			if r.IntN(8) == 0 {
				d[k] = 0
			}
			o[k] = float32(-far*float64(d[k]) + size*(r.Float64()-0.5))
			for v := range p {
				p[v][k] = float32(size * (r.Float64() - 0.5))
			}
		}
		var l level
		lo, hi := p.bounds()
		if !l.set(o, d, max(reachOf(lo, hi), leastOrigin), 1) {
			continue
		}
		kind := 0
		if l.wide {
			kind = 1
		}
		_, hit := l.meet(&p)
		miss := l.misses(&lo, &hi)
		if hit && miss {
			t.Fatalf("ray %v %v meets %v, wide %v", o, d, p, l.wide)
		}
		pad(&lo, &hi)
		near, last := l.slabs(&lo, &hi)
		if hit {
			met[kind]++
		}
		if miss && near <= last {
			missed[kind]++
		}
	}
	if min(met[0], 50*met[1], missed[0], missed[1]) < 1000 {
		t.Errorf("%d hits, %d misses beyond the slabs", met, missed)
	}
}

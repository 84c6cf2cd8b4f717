package ray

import (
	"math"
	"math/rand/v2"
	"testing"
)

// bundle returns a packet of rays close to a random one; each at most as far as the spread.
func bundle(r *rand.Rand, spread float32) (p Packet) {
	first := randomRay(r)
	p.Lanes = r.Uint32() & (1<<PacketLanes - 1)
	if r.IntN(2) == 0 {
		p.Lanes = 1<<PacketLanes - 1
	}
	var flags RayFlags
	for bit := range 10 {
		if r.IntN(16) == 0 {
			flags |= 1 << bit
		}
	}
	x := &p.Rays
	same := r.IntN(2) == 0 // the origin
	for i := range PacketLanes {
		for k := range 3 {
			x.Origin[k][i] = first.Origin[k]
			if !same {
				x.Origin[k][i] += spread * (r.Float32() - 0.5)
			}
			x.Direction[k][i] = first.Direction[k] + spread*(r.Float32()-0.5)
		}
		x.Time[i] = float32(r.IntN(3)) / 2
		x.TMax[i], x.Mask[i], x.Flags[i] = inf32, 0xFF, uint32(flags)
		switch r.IntN(32) {
		case 0:
			x.TMin[i], x.TMax[i] = r.Float32(), 2*r.Float32()
		case 1:
			x.Mask[i] = uint32(r.IntN(4))
		case 2:
			k := r.IntN(3)
			x.Direction[k][i] *= float32(math.Ldexp(1, r.IntN(200)-100))
			x.Origin[r.IntN(3)][i] *= float32(math.Ldexp(1, r.IntN(200)-150))
		case 3:
			x.Direction[r.IntN(3)][i] = 0
		case 4:
			x.Flags[i] = r.Uint32() & 0x3FF
		}
	}
	return p
}

// query returns the query of a ray.
func (p *Packet) query(i int) Query {
	x := &p.Rays
	return Query{TMin: x.TMin[i], TMax: x.TMax[i], Time: x.Time[i], Flags: RayFlags(x.Flags[i]), Mask: x.Mask[i],
		Origin:    [3]float32{x.Origin[0][i], x.Origin[1][i], x.Origin[2][i]},
		Direction: [3]float32{x.Direction[0][i], x.Direction[1][i], x.Direction[2][i]}}
}

// hit returns the hit of a ray.
func (p *Packet) hit(i int) Hit {
	h := &p.Hits
	return Hit{Kind: Kind(h.Kind[i]), Generated: h.Generated[i], T: h.T[i], U: h.U[i], V: h.V[i], Instance: h.Instance[i],
		Custom: h.Custom[i], RecordOffset: h.RecordOffset[i], Geometry: h.Geometry[i], Primitive: h.Primitive[i],
		HitKind: h.HitKind[i], Opaque: h.Opaque[i], Place: h.Place[i]}
}

// TestPacket checks that rays that start together have the hits of rays alone.
func TestPacket(t *testing.T) {
	n := 3000
	if long() {
		n = 200_000
	}
	r := rand.New(rand.NewPCG(41, 42))
	s, one := kernelScene(t, r)
	grid := scene(t, mesh(tiles(8), GeometryOpaque)) // many rays hit its edges
	w, alone := NewWalker(), NewWalker()
	hits := 0
	for i := range n {
		top := []*Structure{s, one, grid}[i%3]
		w.portable, w.Wide = r.IntN(16) == 0, r.IntN(2) == 0
		p := bundle(r, float32(math.Ldexp(1, -r.IntN(8))))
		if top == grid && r.IntN(2) == 0 {
			for i := range PacketLanes { // along the grid's normal, through vertices and edges
				p.Rays.Origin[0][i], p.Rays.Origin[1][i], p.Rays.Origin[2][i] = float32(i%4)/8, float32(i/4)/16, -2
				p.Rays.Direction[0][i], p.Rays.Direction[1][i], p.Rays.Direction[2][i] = 0, 0, 1
			}
		}
		w.NextAll(top, &p)
		for i := range PacketLanes {
			if p.Lanes>>i&1 == 0 {
				if (p.Found|p.Decided)>>i&1 != 0 {
					t.Fatalf("ray %d has a hit, but does not exist", i)
				}
				continue
			}
			q := p.query(i)
			candidate := alone.Next(top, &q)
			want := q.Committed
			if candidate {
				want = q.Candidate
			}
			found, decided := p.Found>>i&1 != 0, p.Decided>>i&1 != 0
			if found != (want.Kind != None) || found && (p.hit(i) != want || decided == candidate) {
				t.Fatalf("ray %+v: hit %+v (%v, %v); alone %+v (%v)", p.query(i), p.hit(i), found, decided, want, candidate)
			}
			if found {
				hits++
			}
		}
	}
	if hits < n {
		t.Errorf("%d hits of %d packets", hits, n)
	}
}

// tiles returns a square of n×n squares of two triangles in the plane z = 0.
func tiles(n int) (list []triangle) {
	at := func(i, j int) vec { return vec{2*float32(i)/float32(n) - 1, 2*float32(j)/float32(n) - 1, 0} }
	for i := range n {
		for j := range n {
			list = append(list, triangle{at(i, j), at(i+1, j), at(i+1, j+1)}, triangle{at(i, j), at(i+1, j+1), at(i, j+1)})
		}
	}
	return list
}

package ray

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSingularMotion checks that the hits of an instance with a singular matrix at a third of the time do not depend on the other
// instances of the scene: its padding has no bound.
func TestSingularMotion(t *testing.T) {
	const c = math.Sqrt2 / 2
	at := func(x, y, z float32) vec { return vec{c * (x + y), c * (y - x), z} }
	bottom := build(t, Input{Geometries: []Geometry{mesh([]triangle{
		{at(0, -1, -1), at(0, 1, -1), at(0, 1, 1)}, {at(0, -1, -1), at(0, 1, 1), at(0, -1, 1)}}, GeometryOpaque)}})
	matrix := func(s float32) [12]float32 { return [12]float32{s * c, -s * c, 0, 0, c, c, 0, 0, 0, 0, 1, 0} }
	a := Instance{Transform: matrix(1), Mask: 0xFF, Bottom: bottom, Motion: &InstanceMotion{Matrix: matrix(-2)}}
	b := Instance{Transform: [12]float32{1, 0, 0, 100, 0, 1, 0, 100, 0, 0, 1, 100}, Mask: 0xFF, Bottom: bottom}
	alone := build(t, Input{Top: true, Flags: BuildMotion, Instances: []Instance{a}})
	both := build(t, Input{Top: true, Flags: BuildMotion, Instances: []Instance{a, b}})
	r := rand.New(rand.NewPCG(1, 2))
	w := NewWalker()
	hits := 0
	for range 20000 {
		q := Query{Origin: [3]float32{-1, 1 + float32(math.Ldexp(r.Float64()-0.5, -4-r.IntN(16))), r.Float32() - 0.5},
			Direction: [3]float32{1, 0, 0}, TMax: 10, Mask: 0xFF, Time: float32(1.0/3) + float32(math.Ldexp(r.Float64()-0.5, -8-r.IntN(14)))}
		x, y := q, q
		w.Next(alone, &x)
		w.Next(both, &y)
		if x.Committed.Kind != None {
			hits++
		}
		if x.Committed != y.Committed {
			t.Fatalf("time %v, y %v: alone %+v, with another one %+v", q.Time, q.Origin[1], x.Committed, y.Committed)
		}
	}
	if hits < 1000 {
		t.Errorf("%d hits", hits)
	}
}

// TestSpreadBetween compares the bounds of spreads with the spreads at many times: they are not less, and in motions that stay
// far from singular matrices not much greater.
func TestSpreadBetween(t *testing.T) {
	bottom := build(t, Input{Geometries: []Geometry{mesh([]triangle{facing(1)}, GeometryOpaque)}})
	r := rand.New(rand.NewPCG(67, 68))
	shrink, flip := identity, identity
	shrink[0], shrink[5], shrink[10] = 1.0/50, 1.0/50, 1.0/50
	flip[5] = -0.2
	random := func(k float32) (m [12]float32) {
		m = identity
		for i := range m {
			m[i] += k * (r.Float32() - 0.5)
		}
		return m
	}
	list := []Instance{
		{Transform: identity, Motion: &InstanceMotion{Matrix: shrink}},
		{Transform: identity, Motion: &InstanceMotion{Matrix: flip}},
		{Motion: &InstanceMotion{SRT: true, From: turn(1, 1, 1, 0, 3, 0, 0), To: turn(1, 1, 1, 2, 0.5, 7, 0)}},
		{Motion: &InstanceMotion{SRT: true, From: turn(1, 2, 1, 1, 0, 0, 0), To: turn(0.5, 2, 3, 1, 0, 0.25, 0)}},
	}
	for range 200 {
		list = append(list, Instance{Transform: random(1), Motion: &InstanceMotion{Matrix: random(1)}})
		m := InstanceMotion{SRT: true, From: turn(1, 2, 1, r.Float32(), 0, 1, 0), To: turn(2, 1, 1, r.Float32(), 1, 0, 0)}
		for _, i := range []int{1, 2, 3, 5, 6, 8, 13} {
			m.From[i], m.To[i] = r.Float32()-0.5, r.Float32()-0.5
		}
		list = append(list, Instance{Motion: &m})
	}
	bounded := 0
	for i, x := range list {
		x.Bottom = bottom
		top := Structure{instances: make([]placed, 1), motions: []*InstanceMotion{x.Motion}}
		var at placement
		top.instances[0].put(&x, &at)
		scale, offset, ok := at.scale, at.offset, at.bounded
		if i < 4 && ok == (i == 1) {
			t.Errorf("motion %d: bounded %v", i, ok)
		}
		if !ok || scale > maxSpread {
			continue
		}
		bounded++
		var memory placed
		var mostScale, mostOffset float64
		for k := range 1001 {
			s, o := top.at(0, float32(k)/1000, &memory).spread(float64(bottom.reach))
			mostScale, mostOffset = max(mostScale, s), max(mostOffset, o)
		}
		if mostScale > scale || mostOffset > offset {
			t.Errorf("motion %d: spread %v, %v; bounds %v, %v", i, mostScale, mostOffset, scale, offset)
		}
		if scale > 8*mostScale {
			t.Errorf("motion %d: spread %v, much less than its bound %v", i, mostScale, scale)
		}
	}
	if bounded < len(list)/2 {
		t.Errorf("%d of %d motions have bounds", bounded, len(list))
	}
}

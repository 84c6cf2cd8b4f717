package ray

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// modelHit is an intersection of the model: what the text of Vulkan, "Ray Intersection Candidate Determination" to "Ray Intersection
// Confirmation", says of a primitive that a ray meets.
type modelHit struct {
	key
	kind   Kind
	opaque bool
}

// modelRay returns the candidates of a ray, in the order of their keys. Where a ray meets a primitive is computed as the traversal does;
// what the flags, the masks and the micromaps make of it, by the text.
func modelRay(s *Structure, q *Query) (list []modelHit) {
	w := Walker{portable: true, q: q, top: s, low: max(q.TMin, 0), high: q.TMax, time: clampTime(q.Time), moving: noInstance}
	for i := range s.instances {
		p := &s.instances[i]
		if !p.active || !q.valid() || uint32(p.Mask)&q.Mask == 0 || !w.enterInstance(uint32(i)) {
			continue
		}
		b := s.bottoms[i]
		if skip := q.Flags & RaySkipTriangles; b.kind == Boxes {
			if q.Flags&RaySkipBoxes != 0 {
				continue
			}
		} else if skip != 0 { // spheres and swept spheres as well
			continue
		}
		add := func(t float32, geometry, primitive uint32, geometryOpaque bool) {
			h := modelHit{key{t, uint32(i), geometry, primitive}, b.kind, geometryOpaque}
			switch {
			case q.Flags&RayOpaque != 0:
				h.opaque = true
			case q.Flags&RayNoOpaque != 0:
				h.opaque = false
			case p.Flags&InstanceForceOpaque != 0:
				h.opaque = true
			case p.Flags&InstanceForceNoOpaque != 0:
				h.opaque = false
			}
			if h.opaque && q.Flags&RayCullOpaque != 0 || !h.opaque && q.Flags&RayCullNoOpaque != 0 {
				return
			}
			list = append(list, h)
		}
		for place := range uint32(4 * len(b.blocks)) {
			k, lane := &b.blocks[place/4], int(place%4)
			t := b.triangleAt(place, w.time)
			c, ok := w.local.cross(&t)
			if !k.used(lane) || !ok || !(q.TMin < c.t && c.t < q.TMax && c.t >= 0) {
				continue
			}
			front := c.front
			if p.Flags&InstanceFlipFacing != 0 {
				front = !front
			}
			if p.Flags&InstanceNoFaceCull == 0 && q.Flags&map[bool]RayFlags{true: RayCullFrontFacing, false: RayCullBackFacing}[front] != 0 {
				continue
			}
			geometry, primitive := k.geometry[lane], k.primitive[lane]
			is := b.geometries[geometry].Flags&GeometryOpaque != 0
			if b.opacity != nil && b.opacity[geometry].numbers != nil && p.Flags&InstanceDisableMicromaps == 0 {
				m := &b.opacity[geometry]
				state := int64(int32(m.numbers[primitive]))
				if state < 0 {
					state = -1 - state // a special index
				} else {
					state = int64(m.of.state(uint32(state), c.u, c.v))
				}
				two := q.Flags&RayForceMicromap2State != 0 || p.Flags&InstanceForceMicromap2State != 0
				if state == 0 || state == 2 && two {
					continue // ignored
				}
				is = state == 1 || state == 3 && two
			}
			add(c.t, geometry, primitive, is)
		}
		for j := range b.rounds {
			x := &b.rounds[j]
			if c, ok := w.local.crossRound(x); ok && q.TMin <= c.t && c.t <= q.TMax && c.t >= 0 {
				add(c.t, x.geometry, x.primitive, b.geometries[x.geometry].Flags&GeometryOpaque != 0)
			}
		}
		for j := range b.boxes {
			x := &b.boxes[j]
			near, far := w.local.slabs(&x.lo, &x.hi)
			if near = max32(near, max(q.TMin, 0)+0); near <= far && near <= q.TMax {
				add(near, x.geometry, x.primitive, b.geometries[x.geometry].Flags&GeometryOpaque != 0)
			}
		}
	}
	slices.SortFunc(list, func(a, b modelHit) int {
		if a.less(b.key) {
			return -1
		}
		return 1
	})
	return list
}

// decision is the answer of a shader to a candidate.
type decision uint8

const (
	ignoreHit decision = iota
	acceptHit          // confirm a triangle, or generate a hit of a box
	endRay
)

// followModel traces a ray with a walker, and compares each candidate and the last hit with the model. decide chooses what happens to the
// candidate n.
func followModel(s *Structure, w *Walker, q Query, list []modelHit, decide func(n int, h *modelHit) (decision, float32)) error {
	first := q
	var committed *key
	at := 0
	for n := 0; ; n++ {
		var next *modelHit
		for ; at < len(list) && next == nil; at++ {
			if h := &list[at]; committed == nil || h.t < committed.t {
				next = h
			}
		}
		candidate := w.Next(s, &q)
		if next == nil || next.opaque && next.kind != Boxes {
			if next != nil {
				committed = &next.key
			}
			got := key{q.Committed.T, q.Committed.Instance, q.Committed.Geometry, q.Committed.Primitive}
			if candidate || (committed == nil) != (q.Committed.Kind == None) || committed != nil && got != *committed {
				return fmt.Errorf("ray %+v ends with %v %+v; must with %+v", first, candidate, q.Committed, committed)
			}
			return nil
		}
		c := &q.Candidate
		if !candidate || (key{c.T, c.Instance, c.Geometry, c.Primitive}) != next.key || c.Kind != next.kind || (c.Opaque != 0) != next.opaque {
			return fmt.Errorf("ray %+v: candidate %d is %v %+v, and %+v is committed; must be %+v", first, n, candidate, *c, q.Committed, *next)
		}
		what, t := decide(n, next)
		switch {
		case what == acceptHit && next.kind == Boxes:
			if q.Generate(t, 7) {
				committed = &key{t, next.instance, next.geometry, next.primitive}
			}
		case what == acceptHit:
			q.Confirm()
			committed = &next.key
		case what == endRay:
			q.Terminate()
			at = len(list)
		}
		if committed != nil && q.Flags&RayTerminateOnFirstHit != 0 {
			at = len(list)
		}
	}
}

// copyScene returns a scene with the instances of s after their bottom levels went through their serialized form.
func copyScene(t *testing.T, s *Structure) *Structure {
	in, copies := Input{Top: true}, map[*Structure]*Structure{}
	for i := range s.instances {
		x := s.instance(i)
		if b := x.Bottom; b != nil && copies[b] == nil {
			form := make([]byte, b.SerializedSize())
			b.Serialize(form)
			c, err := Deserialize(form, nil)
			if err != nil {
				t.Fatal(err)
			}
			copies[b] = c.Compact()
		}
		x.Bottom = copies[x.Bottom]
		in.Instances = append(in.Instances, x)
	}
	return build(t, in)
}

// one returns one of some flags, or none.
func one(p *pick, list ...RayFlags) RayFlags {
	if i := int(p.byte()); i%2 == 0 {
		return list[i/2%len(list)]
	}
	return 0
}

// checkModel compares the traversals of a scene, and of its serialized copy, with the model, for rays with all flags.
func checkModel(t *testing.T, data []byte) (candidates int) {
	p := &pick{data}
	s := pickScene(t, p)
	for i := range s.instances { // all masks and flags
		x := &s.instances[i]
		x.Mask, x.Flags = p.byte()|1<<(p.byte()%8), InstanceFlags(p.byte()%64)
		if x.Flags&InstanceForceOpaque != 0 {
			x.Flags &^= InstanceForceNoOpaque
		}
	}
	copied := copyScene(t, s)
	fast, slow := NewWalker(), NewWalker()
	slow.portable = true
	var packet Packet
	packet.Lanes = 1<<PacketLanes - 1
	for i := range PacketLanes {
		q := Query{Origin: p.vec(), Direction: p.vec(), TMin: abs32(p.float()), TMax: p.float(), Mask: uint32(p.byte()), Time: p.float()}
		if p.byte()&3 != 0 {
			q.TMin, q.TMax = 0, inf32
		}
		q.Flags = one(p, RayOpaque, RayNoOpaque, RayCullOpaque, RayCullNoOpaque) | one(p, RayCullBackFacing, RayCullFrontFacing) |
			one(p, RaySkipTriangles, RaySkipBoxes, 0, 0) | one(p, RayTerminateOnFirstHit, RayForceMicromap2State, RayTerminateOnFirstHit|RayForceMicromap2State)
		x := &packet.Rays
		for k := range 3 {
			x.Origin[k][i], x.Direction[k][i] = q.Origin[k], q.Direction[k]
		}
		x.TMin[i], x.TMax[i], x.Time[i], x.Mask[i], x.Flags[i] = q.TMin, q.TMax, q.Time, q.Mask, uint32(q.Flags)
		list := modelRay(s, &q)
		candidates += len(list)
		seed := p.byte()
		decide := func(n int, h *modelHit) (decision, float32) {
			return [8]decision{1: acceptHit, 4: endRay}[(int(seed)+n)%8], h.t + float32(seed%4)/8
		}
		for name, w := range map[string]*Walker{"machine code": fast, "portable": slow} {
			for _, s := range []*Structure{s, copied} {
				if err := followModel(s, w, q, list, decide); err != nil {
					t.Fatalf("%s, copy %v: %v", name, s == copied, err)
				}
			}
		}
	}
	for _, fast.Wide = range []bool{false, true} {
		fast.NextAll(s, &packet)
		for i := range PacketLanes {
			q := packet.query(i)
			list := modelRay(s, &q)
			found := packet.Found>>i&1 != 0
			if h := packet.hit(i); found != (len(list) > 0) || found && ((key{h.T, h.Instance, h.Geometry, h.Primitive}) != list[0].key || (h.Opaque != 0) != list[0].opaque) {
				t.Fatalf("packet: ray %+v has %v %+v; must have %+v", q, found, h, list[:min(1, len(list))])
			}
		}
	}
	return candidates
}

// TestModel compares traversals of random scenes of all kinds with the model.
func TestModel(t *testing.T) {
	n := 300
	if long() {
		n = 50_000
	}
	r := rand.New(rand.NewPCG(71, 72))
	candidates := 0
	for range n {
		data := make([]byte, 3000)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		candidates += checkModel(t, data)
	}
	if candidates < n {
		t.Errorf("%d candidates in %d scenes", candidates, n)
	}
}

// elsewhere returns a geometry with the primitives of g at other places.
func elsewhere(p *pick, g Geometry) Geometry {
	move := func(b []byte, least float32) []byte {
		out := make([]byte, 0, len(b))
		for range len(b) / 4 {
			out = append(out, floats(max(float32(int8(p.byte()))/16, least))...)
		}
		return out
	}
	g.Vertices, g.Moved, g.Rounds.Radii = move(g.Vertices, -inf32), move(g.Moved, -inf32), move(g.Rounds.Radii, 0)
	boxes := move(g.BoxData, -inf32)
	for i := 0; i+24 <= len(boxes); i += 24 { // the low corner must not be above the high one
		for k := i; k < i+12; k += 4 {
			a, b := boxes[k:][:4:4], boxes[k+12:][:4:4]
			x, y := math.Float32frombits(binary.LittleEndian.Uint32(a)), math.Float32frombits(binary.LittleEndian.Uint32(b))
			copy(a, floats(min(x, y)))
			copy(b, floats(max(x, y)))
		}
	}
	g.BoxData = boxes
	if g.Opacity != nil {
		g.Opacity = pickOpacity(p)
	}
	if g.Kind == Triangles && g.Opacity == nil {
		g.Opacity = &Opacity{IndexSize: 1, IndexStride: 1, Indices: bytes.Repeat([]byte{0xfc}, int(g.Primitives))} // non-opaque
	}
	return g
}

// TestModelUpdates compares rays through updated structures with the model of structures that were built of the same input.
func TestModelUpdates(t *testing.T) {
	n := 300
	if long() {
		n = 50_000
	}
	r := rand.New(rand.NewPCG(73, 74))
	w := NewWalker()
	candidates := 0
	for range n {
		data := make([]byte, 3000)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		p := &pick{data}
		var updated, fresh [2]*Structure
		for i := range updated {
			from := elsewhere(p, pickGeometry(p)) // all primitives are active
			in := Input{Geometries: []Geometry{from}, Flags: BuildFlags(p.byte()) | BuildAllowUpdate}
			source := build(t, in)
			for range 1 + p.byte()%2 {
				in.Geometries = []Geometry{elsewhere(p, from)}
				var err error
				if source, err = Update(&in, source); err != nil {
					t.Fatal(err)
				}
			}
			updated[i], fresh[i] = source, build(t, in)
		}
		seed := *p
		a, b := build(t, pickInstances(p, updated)), build(t, pickInstances(&seed, fresh))
		for range 8 {
			q := Query{Origin: p.vec(), Direction: p.vec(), TMax: inf32, Mask: 1, Time: p.float(), Flags: one(p, RayForceMicromap2State, RayNoOpaque)}
			list := modelRay(b, &q)
			candidates += len(list)
			if err := followModel(a, w, q, list, func(n int, h *modelHit) (decision, float32) { return ignoreHit, 0 }); err != nil {
				t.Fatal(err)
			}
		}
	}
	if candidates < n {
		t.Errorf("%d candidates in %d scenes", candidates, n)
	}
}

package ray

import (
	"math"
	"math/bits"
)

// PacketLanes is the number of rays of a packet.
const PacketLanes = 16

// PacketRays holds the fields of queries before Committed, each by ray.
type PacketRays struct {
	Origin      [3][PacketLanes]float32
	TMin        [PacketLanes]float32
	Direction   [3][PacketLanes]float32
	TMax, Time  [PacketLanes]float32
	Flags, Mask [PacketLanes]uint32
}

// PacketHits holds the fields of hits, each by ray.
type PacketHits struct {
	Kind, Generated                [PacketLanes]uint32
	T, U, V                        [PacketLanes]float32
	Instance, Custom, RecordOffset [PacketLanes]uint32
	Geometry, Primitive            [PacketLanes]uint32
	HitKind, Opaque, Place         [PacketLanes]uint32
}

// Packet is rays with traversals that begin together.
type Packet struct {
	Rays PacketRays
	// Lanes has bit i if ray i exists, Found if it has a hit, Decided if no shader decides this hit: it is the
	// committed one.
	Lanes, Found, Decided uint32
	Hits                  PacketHits
}

// noPlace is the place of no primitive.
const noPlace = math.MaxUint32

// leastPacket is the number of rays for which a traversal together is worthwhile.
const leastPacket = 4

// packet is the traversal of a packet. The rows have an element for each ray.
type packet struct {
	*Packet
	flags RayFlags
	mask  uint32
	// alike: the rays have the same flags and mask.
	alike bool
	// lower has also the closest hits so far.
	upper, lower packetSession
	// query is the ray of a lane that is alone. It has no hits.
	query Query
	stack [2 * stackSize]packetEntry
}

// packetEntry is an entry of the stack: of all rays the least distance, and the rays that reach the box.
type packetEntry struct {
	entry
	lanes uint64
}

// NextAll is Next for the rays of p at the begin of their traversals.
//
// Rays whose directions have the same signs and the same longest component, and which are close to each other, traverse
// the trees together: a node is fetched once for all (Wald, Slusallek, Benthin and Wagner 2001, "Interactive Rendering
// with Coherent Ray Tracing"). A test of an interval around all rays rejects most of its children (Reshetov, Soupikov and
// Hurley 2005, "Multi-Level Ray Tracing Algorithm"), the test of each ray the others. The tests of the rays are those of
// traversals alone, and the order of a traversal never changes its result.
func (w *Walker) NextAll(s *Structure, p *Packet) {
	p.Found, p.Decided = 0, 0
	if s == nil || !s.top || s.root == emptyRef {
		return
	}
	k := w.packet
	if k == nil {
		k = new(packet)
		w.packet = k
	}
	k.Packet, w.top, w.moving = p, s, noInstance
	if lanes, together := k.begin(w.portable); lanes != 0 {
		if together && hasKernel && !w.portable {
			w.findAll(lanes)
		} else {
			w.eachAlone(lanes, w.search)
		}
		w.describeAll(lanes)
	}
	k.Packet = nil
	k.upper.forget()
	k.lower.forget()
	w.forget()
}

// begin sets the intervals, the flags and the mask. It returns the rays that can hit anything, and reports whether all of them have
// the same flags and mask, and none that hide opaque or other geometries.
func (k *packet) begin(portable bool) (lanes uint32, together bool) {
	r := &k.Rays
	var different bool
	if hasKernel && !portable {
		lanes, different = beginAVX2(r, &k.lower.low, &k.lower.high, k.Lanes)
	} else {
		lanes, different = k.beginPortable()
	}
	for i := range k.lower.place {
		k.lower.place[i] = noPlace
	}
	first := bits.TrailingZeros32(lanes) & (PacketLanes - 1)
	k.flags, k.mask = RayFlags(r.Flags[first]), r.Mask[first]
	k.alike = !different
	return lanes, k.alike && k.flags&(RayCullOpaque|RayCullNoOpaque) == 0
}

// beginPortable is beginAVX2.
func (k *packet) beginPortable() (lanes uint32, different bool) {
	r := &k.Rays
	for rest := k.Lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & (PacketLanes - 1)
		if r.TMin[i] <= r.TMax[i] && r.TMax[i] >= 0 && r.Mask[i]&0xFF != 0 {
			lanes |= 1 << i
		}
	}
	for i := range PacketLanes {
		k.lower.low[i] = max32(r.TMin[i], 0) + 0
	}
	k.lower.high = r.TMax
	first := bits.TrailingZeros32(lanes) & (PacketLanes - 1)
	for i := range PacketLanes {
		if lanes>>i&1 != 0 && (r.Flags[i] != r.Flags[first] || r.Mask[i] != r.Mask[first]) {
			different = true
		}
	}
	return lanes, different
}

// together reports whether the machine code of packets knows all primitives of an instance of b: triangles that neither move
// nor have micromaps, and that are not too far.
func (p *placed) together(b *Structure) bool {
	return b.kind == Triangles && !p.moves && b.moved == nil && b.opacity == nil && b.reach <= farthest
}

// load prepares the walker for a ray alone.
func (w *Walker) load(lane int) {
	k := w.packet
	r, q := &k.Rays, &k.query
	q.TMin, q.TMax, q.Time = r.TMin[lane], r.TMax[lane], r.Time[lane]
	q.Flags, q.Mask = RayFlags(r.Flags[lane]), r.Mask[lane]
	for c := range 3 {
		q.Origin[c], q.Direction[c] = r.Origin[c][lane], r.Direction[c][lane]
	}
	w.q, w.instance = q, noInstance
	if t := clampTime(q.Time); t != w.time { // most rays of a packet have the same time
		w.time, w.moving = t, noInstance
	}
	w.low, w.high = k.lower.low[lane], k.lower.high[lane]
	w.place = k.lower.place[lane]
	w.found = w.place != noPlace
	if w.found {
		w.best = w.keyOf(k.lower.instance[lane], w.place, w.high)
		w.sum, w.second, w.third = k.lower.sum[lane], k.lower.second[lane], k.lower.third[lane]
	}
}

// keyOf returns the key of a hit.
func (w *Walker) keyOf(instance, place uint32, t float32) key {
	b := w.top.bottoms[instance]
	switch {
	case b.kind == Boxes:
		x := &b.boxes[place]
		return key{t, instance, x.geometry, x.primitive}
	case b.kind.isRound():
		x := &b.rounds[place]
		return key{t, instance, x.geometry, x.primitive}
	}
	x := &b.blocks[place/4]
	return key{t, instance, x.geometry[place%4], x.primitive[place%4]}
}

// save stores the hit of a ray alone.
func (w *Walker) save(lane int) {
	if k := w.packet; w.found {
		k.lower.high[lane], k.lower.place[lane], k.lower.instance[lane] = w.best.t, w.place, w.best.instance
		k.lower.sum[lane], k.lower.second[lane], k.lower.third[lane] = w.sum, w.second, w.third
	}
}

// eachAlone calls visit for each of the rays with the walker prepared for it, and stores its hit.
func (w *Walker) eachAlone(lanes uint32, visit func()) {
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes)
		w.load(lane)
		visit()
		w.save(lane)
	}
}

// describeAll sets the hits.
func (w *Walker) describeAll(lanes uint32) {
	k := w.packet
	h := &k.Hits
	if hasKernel && !w.portable && k.alike {
		found := lanes &^ equalAVX2(&k.lower.place, noPlace)
		if found == 0 {
			return
		}
		first := k.lower.instance[bits.TrailingZeros32(found)&(PacketLanes-1)]
		byGo := equalAVX2(k.lower.sumBits(), 0)
		if found&byGo == 0 && found&^equalAVX2(&k.lower.instance, first) == 0 {
			w.describeAlike(first, found)
			return
		}
	}
	h.T = k.lower.high
	k.lower.coordinates(h)
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes) & (PacketLanes - 1)
		place := k.lower.place[lane]
		if place == noPlace {
			continue
		}
		k.Found |= 1 << lane
		if k.lower.sum[lane] == 0 {
			w.load(lane)
			w.describe()
			k.put(lane, &w.hit)
		} else {
			w.describeFast(lane, place)
		}
		if Kind(h.Kind[lane]) != Boxes {
			k.Decided |= h.Opaque[lane] << lane
		}
	}
}

// describeFast sets the hit of a ray that the machine code found, but for its distance and its coordinates.
func (w *Walker) describeFast(lane int, place uint32) {
	k := w.packet
	h, i := &k.Hits, k.lower.instance[lane]
	p := &w.top.instances[i]
	b := w.top.bottoms[i]
	x := &b.blocks[place/4]
	g := x.geometry[place%4]
	h.Kind[lane], h.Generated[lane] = uint32(Triangles), 0
	h.Instance[lane], h.Custom[lane], h.RecordOffset[lane] = i, p.Custom, p.RecordOffset
	h.Geometry[lane], h.Primitive[lane], h.Place[lane] = g, x.primitive[place%4], place
	k.query.Flags = RayFlags(k.Rays.Flags[lane])
	h.Opaque[lane], h.HitKind[lane] = 0, BackFacing
	if k.query.opaque(p.Flags, b.geometries[g].Flags) {
		h.Opaque[lane] = 1
	}
	if (k.lower.sum[lane] > 0) != (p.Flags&InstanceFlipFacing != 0) {
		h.HitKind[lane] = FrontFacing
	}
}

// describeAlike sets the hits of rays with the same flags, which the machine code found in the same instance.
func (w *Walker) describeAlike(instance, found uint32) {
	k := w.packet
	p := &w.top.instances[instance]
	b := w.top.bottoms[instance]
	k.query.Flags = k.flags
	opaque, byGeometry := k.query.opaque(p.Flags, GeometryOpaque), !k.query.opaque(p.Flags, 0)
	h, decided := &k.Hits, uint32(0)
	for rest := found; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & (PacketLanes - 1)
		place := k.lower.place[lane]
		x := &b.blocks[place/4]
		g := x.geometry[place%4]
		h.Geometry[lane], h.Primitive[lane] = g, x.primitive[place%4]
		if opaque && (!byGeometry || b.geometries[g].Flags&GeometryOpaque != 0) {
			decided |= 1 << lane
		}
	}
	x := describedHits{kind: uint32(Triangles), instance: instance, custom: p.Custom, recordOffset: p.RecordOffset, hitKind: FrontFacing}
	if p.Flags&InstanceFlipFacing != 0 {
		x.hitKind = BackFacing
	}
	k.lower.describe(h, &x, decided)
	k.Found, k.Decided = found, decided
}

// describedHits is the fields that the hits of rays in the same instance share, and the kind of the hits with a positive sum.
type describedHits struct{ kind, instance, custom, recordOffset, hitKind uint32 }

// put sets the hit of a ray.
func (p *Packet) put(lane int, x *Hit) {
	h := &p.Hits
	h.Kind[lane], h.Generated[lane] = uint32(x.Kind), x.Generated
	h.T[lane], h.U[lane], h.V[lane] = x.T, x.U, x.V
	h.Instance[lane], h.Custom[lane], h.RecordOffset[lane] = x.Instance, x.Custom, x.RecordOffset
	h.Geometry[lane], h.Primitive[lane] = x.Geometry, x.Primitive
	h.HitKind[lane], h.Opaque[lane], h.Place[lane] = x.HitKind, x.Opaque, x.Place
}

package ray

import (
	"math/bits"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// rows is a number of each ray of a packet.
type rows = [PacketLanes]float32

// packetSession is a traversal of one structure by the rays of a packet, by machine code.
type packetSession struct {
	nodes, blocks unsafe.Pointer
	// leafList and leafSize are the list that the leaves refer to, and the size of its elements.
	leafList unsafe.Pointer
	leafSize int64
	// sp and base are addresses in the packet's stack; first is the first entry of a node.
	sp, base, first unsafe.Pointer
	// near, far and axis are as in levels, of all rays.
	near, far, axis [3]int64
	// plane holds the farthest origins before the near bounds and behind the far ones, by component, and scale the
	// extremes of the negated scales: the interval around all rays.
	plane, scale [6]float32
	// least is the least distance of a candidate, most the largest one of all rays.
	least, most float32
	// ranges holds the least and the negated greatest numbers of the rays: of the origin, near scale and far scale by
	// component, two shears, low, high and grow.
	ranges [14][2]float32

	// The rays in the space of the structure, as in level.
	origin, direction, nearScale, nearOffset, farScale, farOffset [3]rows
	shear                                                         [3]rows
	grow                                                          rows
	// class is the signs of the direction and eight times the longest component. It is −1 for a ray of a wide level,
	// one that cannot hit anything, and one whose distances are so small that they lose precision.
	class [PacketLanes]int32
	// members are the rays of the traversal, all bits set.
	members [PacketLanes]uint32

	low, high rows
	// sum, second and third are the edge functions of the closest hit: their sum and those of the barycentric
	// coordinates.
	sum, second, third rows
	// place and instance are the closest hits; place is noPlace without one.
	place, instance [PacketLanes]uint32
	// distances holds the least distances of a node's children.
	distances [8]float32
	// boxes holds the boxes of the triangles of a block, as a node does; the last four of each vector are not used.
	boxes [6][8]float32

	// current and lanes are the reference at which the traversal goes on, and the rays that reach it.
	current ref
	lanes   uint32
	// block, triangle, half and rest are the place in a leaf where the machine code goes on, if resume is 1: the index
	// of its first block, the number of the triangle in the leaf, 0 or 32 for the half of the packet, and a bit for each
	// triangle after it that the interval meets. slow is the rays that Go tests.
	block, triangle, half, rest, resume, slow uint32
	// number is the number of the instance.
	number uint32
	// leaves is 1 if the machine code leaves all leaves to Go, changed if a distance became less, unboxed if the boxes of
	// triangles are not tested.
	leaves, changed, unboxed uint32
	// culledPositive and culledNegative have the bits of all rays if triangles of that orientation are culled, or 0.
	culledPositive, culledNegative uint32
}

// enterPacketAVX2 sets the rows of s to the rays in the space of the instance p or, if p is nil, in world space.
//
//go:noescape
func enterPacketAVX2(s *packetSession, p *placed, rays *PacketRays, reach, spread float32)

// gatherAVX2 makes the rays of lanes with a class the members of s and returns them. It sets shear and ranges unless the
// members are fewer than leastPacket.
//
//go:noescape
func gatherAVX2(s *packetSession, class int32, lanes uint32) uint32

// walkPacketAVX2 traverses the structure of s. It has the results of walkAVX2.
//
//go:noescape
func walkPacketAVX2(s *packetSession) int

// walkPacketAVX512 is walkPacketAVX2 with vectors of 16 lanes.
//
//go:noescape
func walkPacketAVX512(s *packetSession) int

// hasKernel512 reports whether walkPacketAVX512 runs on this processor.
var hasKernel512 = hasKernel && cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL

// walkPacket traverses the structure of s.
func (w *Walker) walkPacket(s *packetSession) int {
	if w.Wide && hasKernel512 {
		return walkPacketAVX512(s)
	}
	return walkPacketAVX2(s)
}

// coordinatesAVX2 sets the barycentric coordinates of hits.
//
//go:noescape
func coordinatesAVX2(s *packetSession, u, v *rows)

// describeAVX2 sets the hits that are alike, but for the geometry and the primitive. The decided ones are opaque.
//
//go:noescape
func describeAVX2(s *packetSession, h *PacketHits, x *describedHits, decided uint32)

// sumBits returns the bits of sum.
func (s *packetSession) sumBits() *[PacketLanes]uint32 {
	return (*[PacketLanes]uint32)(unsafe.Pointer(&s.sum))
}

// describe is describeAVX2.
func (s *packetSession) describe(h *PacketHits, x *describedHits, decided uint32) {
	describeAVX2(s, h, x, decided)
	s.coordinates(h)
}

// coordinates sets the barycentric coordinates of hits.
func (s *packetSession) coordinates(h *PacketHits) {
	if hasKernel {
		coordinatesAVX2(s, &h.U, &h.V)
	}
}

const (
	// mostShear and mostApart bound how much the directions and the origins of rays that traverse a structure
	// together differ: relative to the longest component, and to the distances in the scene.
	mostShear = 1.0 / 16
	mostApart = 1.0 / 32
)

// findAll finds the hits of rays with the same flags and mask.
func (w *Walker) findAll(lanes uint32) {
	k := w.packet
	switch {
	case w.top.root&leafBit != 0:
		w.visitInstanceAll(w.top.root, lanes)
		return
	case w.top.reach > farthest:
		w.eachAlone(lanes, w.search)
		return
	}
	s := &k.upper
	s.enter(w.top, nil, &k.Rays)
	for lanes != 0 {
		s.low, s.high = k.lower.low, k.lower.high
		group, together := s.gather(lanes)
		lanes &^= group
		if !together {
			few := s.few(lanes)
			lanes &^= few
			w.eachAlone(group|few, w.search)
			continue
		}
		s.start(w.top, &k.stack[0], group)
		s.leaves = 1
		for w.walkPacket(s) == walkLeaf {
			w.visitInstanceAll(s.current, s.lanes)
			s.setHigh(&k.lower.high)
			s.current = emptyRef
		}
	}
}

// visitInstanceAll traverses the bottom level of an instance for rays.
func (w *Walker) visitInstanceAll(r ref, lanes uint32) {
	k := w.packet
	i := uint32(r &^ leafBit)
	p := &w.top.instances[i]
	if uint32(p.Mask)&k.mask == 0 {
		return
	}
	b := w.top.bottoms[i]
	if !p.together(b) || bits.OnesCount32(lanes) < leastPacket {
		w.eachAlone(lanes, func() { w.visitInstance(r, 0) })
		return
	}
	if k.flags&RaySkipTriangles != 0 {
		return
	}
	s := &k.lower
	s.enter(b, p, &k.Rays)
	for lanes != 0 {
		group, together := s.gather(lanes)
		lanes &^= group
		if together && -s.ranges[13][1] <= b.mostGrowth() {
			w.walkTrianglesAll(i, group)
			continue
		}
		few := s.few(lanes)
		lanes &^= few
		w.eachTriangles(i, group|few)
	}
}

// eachTriangles traverses the bottom level of an instance for rays of the lower session, one after the other.
func (w *Walker) eachTriangles(instance, lanes uint32) {
	k := w.packet
	s, m, p := &k.lower, &w.lower, &w.top.instances[instance]
	b := w.top.bottoms[instance]
	m.start(w, b, &w.local, 0)
	m.always = 0
	m.culledPositive, m.culledNegative = culled(k.flags, p.Flags, 15)
	for ; lanes != 0; lanes &= lanes - 1 {
		lane := bits.TrailingZeros32(lanes) & (PacketLanes - 1)
		if s.class[lane] < 0 || s.grow[lane] > b.mostGrowth() {
			w.eachAlone(1<<lane, func() { w.visitInstance(leafBit|ref(instance), 0) })
			m.start(w, b, &w.local, 0) // that traversal has used it
			continue
		}
		levelAVX2(&w.local, s, lane)
		m.low[0], m.high[0] = s.low[lane], s.high[lane]
		m.current, m.sp = b.root, m.base
		for {
			r := walkAVX2(m)
			if m.place != noPlace {
				s.high[lane], s.place[lane], s.instance[lane] = m.high[0], m.place, instance
				s.sum[lane], s.second[lane], s.third[lane] = m.sum, m.second, m.third
				m.place = noPlace
			}
			if r != walkBlock {
				break
			}
			w.load(lane)
			w.instance = instance
			w.visitBlock(b, int(m.block))
			w.save(lane)
			m.high[0] = w.high
		}
	}
}

// few returns the rays of lanes with a class that too few of them have to traverse together.
func (s *packetSession) few(lanes uint32) (few uint32) {
	var members [32]uint32 // by class; the last one is for −1
	for rest := lanes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest) & (PacketLanes - 1)
		members[s.class[i]&31] |= 1 << i
	}
	for rest := lanes; rest != 0; {
		i := bits.TrailingZeros32(rest) & (PacketLanes - 1)
		m := members[s.class[i]&31]
		rest &^= m
		if bits.OnesCount32(m) < leastPacket {
			few |= m
		}
	}
	return few
}

// enter sets the rows to the rays in the space of b, the bottom level of the instance p or a top level.
//
// The interval around the rays has room for roundings of the reach, which the boxes of a far structure would vanish in. It then has
// room for those of the usual reach, and the boxes of the nodes have their own padding.
func (s *packetSession) enter(b *Structure, p *placed, rays *PacketRays) {
	reach := b.reach
	if s.unboxed = 0; b.far() {
		s.unboxed, reach = 1, b.usual
	}
	enterPacketAVX2(s, p, rays, reach, b.spread)
}

// gather makes rays the members of s, which it returns. It reports whether they should traverse together.
func (s *packetSession) gather(lanes uint32) (members uint32, together bool) {
	class := s.class[bits.TrailingZeros32(lanes)&(PacketLanes-1)]
	members = gatherAVX2(s, class, lanes)
	if class < 0 || bits.OnesCount32(members) < leastPacket {
		return members, false
	}
	r := &s.ranges
	if !(-r[9][1]-r[9][0] <= mostShear && -r[10][1]-r[10][0] <= mostShear) {
		return members, false
	}
	grow := -r[13][1]
	apart := grow * (mostApart / (slack * unit))
	for c := range 3 {
		if !(-r[c][1]-r[c][0] <= apart) {
			return members, false
		}
		// The bounds of the interval are beyond those of each ray by more than the roundings of both: a ray's are less than 8 of
		// its origin and 1 of the distance, the interval's 2 of the distance; grow is at least 16 of the origin.
		first, last := r[c][0]-2*grow, 2*grow-r[c][1]
		s.near[c], s.far[c] = int64(64*c), int64(64*c+32)
		if class>>c&1 != 0 {
			s.near[c], s.far[c] = s.far[c], s.near[c]
			first, last = last, first
		}
		s.plane[c], s.plane[3+c] = last, first
		// The products have the difference origin − bound, which is negated. less is nearer to 0 if all scales are positive.
		less, more := min(r[3+c][0], r[6+c][0]), -min(r[3+c][1], r[6+c][1])
		if class>>c&1 != 0 {
			less, more = more, less
		}
		s.scale[2*c], s.scale[2*c+1] = -less*(1-8*unit), -more*(1+8*unit)
	}
	s.least, s.most = r[11][0], -r[12][1]
	w := int64(class >> 3)
	u, v := (w+1)%3, (w+2)%3
	if class>>w&1 != 0 {
		u, v = v, u
	}
	s.axis = [3]int64{16 * u, 16 * v, 16 * w}
	return members, true
}

// start prepares the session for a traversal of b.
func (s *packetSession) start(b *Structure, stack *packetEntry, lanes uint32) {
	s.nodes = unsafe.Pointer(unsafe.SliceData(b.nodes))
	s.blocks = unsafe.Pointer(unsafe.SliceData(b.blocks))
	s.leafList, s.leafSize = b.leafList()
	s.sp = unsafe.Pointer(stack)
	s.base = s.sp
	s.current, s.lanes, s.resume, s.leaves, s.changed = b.root, lanes, 0, 0, 0
}

// forget drops the structure.
func (s *packetSession) forget() { s.nodes, s.blocks, s.leafList = nil, nil, nil }

// setHigh sets the largest distances of candidates.
func (s *packetSession) setHigh(high *rows) {
	s.high = *high
	s.most = 0
	for i, x := range high {
		if s.members[i] != 0 && x > s.most {
			s.most = x
		}
	}
}

// walkTrianglesAll traverses the bottom level of an instance for the members of the session.
func (w *Walker) walkTrianglesAll(instance, lanes uint32) {
	k := w.packet
	s, p := &k.lower, &w.top.instances[instance]
	b := w.top.bottoms[instance]
	s.start(b, &k.stack[stackSize], lanes)
	s.number = instance
	s.culledPositive, s.culledNegative = culled(k.flags, p.Flags, 1<<PacketLanes-1)
	for {
		if w.walkPacket(s) != walkBlock {
			return
		}
		place := 4*s.block + s.triangle
		x := &b.blocks[place/4]
		w.eachAlone(s.slow<<(s.half/4), func() {
			w.enterInstance(instance)
			w.visitTriangle(x, int(place%4), place)
		})
		s.resume, s.changed = 1, 1
	}
}

package ray

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// hasKernel reports whether the machine code runs on this processor.
var hasKernel = cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT

// session is a traversal of one structure by machine code.
type session struct {
	nodes, blocks, level unsafe.Pointer
	// moved is the blocks at time 1; nil if the triangles do not move, or at time 0.
	moved unsafe.Pointer
	// sp and base are addresses in the walker's stack.
	sp, base unsafe.Pointer
	// leafList and leafSize are the list that the leaves refer to, and the size of its elements.
	leafList unsafe.Pointer
	leafSize int64
	// low and high are the walker's, for eight lanes. Go sets the first ones.
	low, high [8]float32
	// near holds the distances of a node's children.
	near [8]float32
	// edges holds the sums of the edge functions of four triangles, and the barycentric coordinates'; sum, second and
	// third are the closest hit's.
	edges              [3][4]float32
	sum, second, third float32
	// current is the reference at which the traversal goes on; emptyRef: the closest entry of the stack.
	current ref
	// place is the closest hit that the machine code found, or noPlace.
	place uint32
	// block is the block that the machine code leaves to Go.
	block uint32
	// leaves is 1 if the machine code leaves all leaves to Go.
	leaves uint32
	// always is 1 if it leaves all blocks with a hit to Go.
	always uint32
	// culledPositive and culledNegative are 15 if triangles of that orientation are culled, or 0.
	culledPositive, culledNegative uint32
	// toMoved and toStill are the time of the ray and 1 minus it. now is the block that is tested, at this time.
	toMoved, toStill float64
	now              block
}

// The results of walkAVX2: the traversal has ended; Go must visit session.block; Go must visit the leaf
// session.current.
const (
	walkEnd = iota
	walkBlock
	walkLeaf
)

// walkAVX2 traverses the structure of s.
//
//go:noescape
func walkAVX2(s *session) int

// The bits of 1/extreme and of extreme, as 32-bit floats.
const (
	leastDirectionBits = 0x2B800000
	mostDirectionBits  = 0x53800000
	leastOriginBits    = 0x17800000 // of leastOrigin
	farthestBits       = 0x7E800000 // of farthest
)

// enterAVX2 sets l to the ray in the space of the instance p or, if p is nil, in world space, as level.set does. It
// returns 0 if level.set must do it: for rays with extreme exponents and for those that cannot hit anything.
//
//go:noescape
func enterAVX2(l *level, p *placed, origin, direction *vec, reach, spread float32) int

// levelAVX2 sets l to a ray of s that has a class.
//
//go:noescape
func levelAVX2(l *level, s *packetSession, lane int)

// enter sets l to a ray in world space and, if p is not nil, transforms it into the space of the instance. It reports
// whether the ray can hit anything.
func (w *Walker) enter(l *level, p *placed, reach, spread float32) bool {
	q := w.q
	if hasKernel && !w.portable && enterAVX2(l, p, (*vec)(&q.Origin), (*vec)(&q.Direction), reach, spread) != 0 {
		return true
	}
	return w.enterPortable(l, p, reach, spread)
}

// start prepares the session for a traversal of b.
func (s *session) start(w *Walker, b *Structure, l *level, sp int) {
	s.nodes = unsafe.Pointer(unsafe.SliceData(b.nodes))
	s.blocks = unsafe.Pointer(unsafe.SliceData(b.blocks))
	s.level = unsafe.Pointer(l)
	s.sp = unsafe.Pointer(&w.stack[sp])
	s.base = s.sp
	s.low[0], s.high[0] = w.low, w.high
	s.leafList, s.leafSize = b.leafList()
	s.moved = nil
	s.current, s.place, s.leaves = b.root, noPlace, 0
}

// leafList returns the list that the leaves of b refer to, and the size of its elements.
func (b *Structure) leafList() (list unsafe.Pointer, size int64) {
	switch {
	case b.top:
		return unsafe.Pointer(unsafe.SliceData(b.instances)), int64(unsafe.Sizeof(placed{}))
	case b.kind == Boxes:
		return unsafe.Pointer(unsafe.SliceData(b.boxes)), int64(unsafe.Sizeof(box{}))
	case b.kind.isRound():
		return unsafe.Pointer(unsafe.SliceData(b.rounds)), int64(unsafe.Sizeof(round{}))
	}
	return unsafe.Pointer(unsafe.SliceData(b.blocks)), blockSize
}

// forget drops the structure.
func (s *session) forget() { s.nodes, s.blocks, s.leafList, s.moved = nil, nil, nil, nil }

// walkFast is walk by machine code, in the session m.
func (w *Walker) walkFast(m *session, s *Structure, l *level, base int, visit func(r ref, sp int)) {
	m.start(w, s, l, base)
	m.leaves = 1
	for walkAVX2(m) == walkLeaf {
		visit(m.current, int(uintptr(m.sp)-uintptr(unsafe.Pointer(&w.stack[0])))/8)
		m.high[0] = w.high
		m.current = emptyRef
	}
}

// culled returns the masks of the triangles of positive and of negative orientation that a ray culls: lanes or 0.
func culled(q RayFlags, i InstanceFlags, lanes uint32) (positive, negative uint32) {
	if i&InstanceNoFaceCull != 0 {
		return 0, 0
	}
	if q&RayCullFrontFacing != 0 {
		positive = lanes
	}
	if q&RayCullBackFacing != 0 {
		negative = lanes
	}
	if i&InstanceFlipFacing != 0 {
		return negative, positive
	}
	return positive, negative
}

// walkTrianglesFast is walk of a bottom level of triangles by machine code.
func (w *Walker) walkTrianglesFast(b *Structure, flags InstanceFlags, sp int) {
	s, q := &w.lower, w.q
	s.start(w, b, &w.local, sp)
	if b.moved != nil && w.time != 0 {
		s.moved = unsafe.Pointer(unsafe.SliceData(b.moved))
		s.toMoved = float64(w.time)
		s.toStill = 1 - s.toMoved
	}
	s.always = 0
	s.culledPositive, s.culledNegative = culled(q.Flags, flags, 15)
	if q.Flags&(RayCullOpaque|RayCullNoOpaque) != 0 || b.opacity != nil && flags&InstanceDisableMicromaps == 0 {
		s.always = 1
	}
	for {
		r := walkAVX2(s)
		if s.place != noPlace {
			k := &b.blocks[s.place/4]
			lane := s.place % 4
			w.win(key{s.high[0], w.instance, k.geometry[lane], k.primitive[lane]}, s.place)
			w.sum, w.second, w.third = s.sum, s.second, s.third
			s.place = noPlace
		}
		if r != walkBlock {
			return
		}
		w.visitBlock(b, int(s.block))
		s.high[0] = w.high
	}
}

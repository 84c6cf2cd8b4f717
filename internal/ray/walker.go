package ray

import "math"

// stackSize is the number of entries of a walker's stack: seven for each level of both trees, whose depth is at most
// maxDepth, and one more for the node that pushes eight.
const (
	maxDepth  = 72
	stackSize = 2 * (maxDepth*(width-1) + 1)
)

// entry is an entry of the stack: the bits of the distance at which the ray enters the box, in the high half, and the
// reference. Distances are not negative, so that entries compare as their distances do.
type entry uint64

// Walker is the memory of traversals. It serves one goroutine at a time.
type Walker struct {
	stack [stackSize]entry
	world level
	local level

	q   *Query
	top *Structure
	// low and high bound the candidates of this traversal; best is the key of the closest one so far if found.
	low, high float32
	best      key
	found     bool
	// place is the primitive of best.
	place uint32
	// sum, second and third are the edge functions of best: their sum, which is 0 unless the machine code found best, and those
	// of the barycentric coordinates.
	sum, second, third float32
	// hit describes best.
	hit Hit
	// upper and lower are the traversals of the top and of a bottom level by machine code.
	upper, lower session
	// portable: the machine code is not used.
	portable bool
	packet   *packet
	// Wide: packets may use vectors of 16 lanes, if the processor has them. The results are the same.
	Wide bool

	// instance is the index of the instance whose bottom level is traversed.
	instance uint32
	// time is the time of the ray. now is the moving instance moving at this time; none if moving is noInstance.
	time   float32
	now    placed
	moving uint32
}

// noInstance is the number of no instance.
const noInstance = math.MaxUint32

// NewWalker returns a walker.
func NewWalker() *Walker { return new(Walker) }

// Next continues the traversal of the top level s until a shader must decide a candidate: it sets q.Candidate and
// returns true. If it returns false, the traversal has ended and q.Committed is its result.
//
// The candidates come in the order of their distances. Each call finds the closest candidate beyond the last one
// by a new traversal; the query need not store the state of a traversal.
func (w *Walker) Next(s *Structure, q *Query) bool {
	q.Candidate.Kind = None
	if q.ended != 0 || s == nil || !s.top || s.root == emptyRef || !q.valid() || q.complete() {
		q.ended = 1
		return false
	}
	w.q, w.top = q, s
	w.find()
	w.forget()
	if !w.found {
		q.ended = 1
		return false
	}
	q.last, q.started = w.best, 1
	if w.hit.Kind != Boxes && w.hit.Opaque != 0 {
		q.commit(w.hit)
		q.ended = 1 // all other candidates are farther
		return false
	}
	q.Candidate = w.hit
	return true
}

// forget drops the structures and the query: a walker that rests in a pool keeps no memory of a destroyed structure.
func (w *Walker) forget() {
	w.q, w.top = nil, nil
	w.upper.forget()
	w.lower.forget()
}

// find finds the closest candidate beyond the last one.
func (w *Walker) find() {
	q := w.q
	w.low, w.high = max(q.TMin, 0), q.limit()
	if q.started != 0 {
		w.low = max(w.low, q.last.t)
	}
	w.low += 0 // −0 becomes 0
	w.found = false
	w.time, w.moving = clampTime(q.Time), noInstance
	w.search()
	if w.found {
		w.describe()
	}
}

// search traverses the top level.
func (w *Walker) search() {
	switch {
	case w.top.root&leafBit != 0:
		w.visitInstance(w.top.root, 0)
	case !w.enter(&w.world, nil, w.top.reach, w.top.spread):
	default:
		w.leaves(&w.upper, w.top, &w.world, 0, w.visitInstance)
	}
}

// enterInstance prepares the traversal of the bottom level of an instance. It reports whether the ray can hit anything.
func (w *Walker) enterInstance(instance uint32) bool {
	w.instance = instance
	p := w.placed()
	return p.active && w.enter(&w.local, p, w.top.bottoms[w.instance].reach, 1)
}

// placed returns the instance that is traversed, at the time of the ray.
func (w *Walker) placed() *placed {
	p := &w.top.instances[w.instance]
	if !p.moves {
		return p
	}
	if w.moving != w.instance {
		w.top.at(w.instance, w.time, &w.now)
		w.moving = w.instance
	}
	return &w.now
}

// enterPortable sets l to a ray in world space and, if p is not nil, transforms it into the space of the instance.
func (w *Walker) enterPortable(l *level, p *placed, reach, spread float32) bool {
	o, d := vec(w.q.Origin), vec(w.q.Direction)
	if p != nil {
		o, d = p.objectRay(o, d)
	}
	return l.set(o, d, reach, spread)
}

// describe sets the hit of the best candidate.
func (w *Walker) describe() {
	p := &w.top.instances[w.best.instance]
	b := w.top.bottoms[w.best.instance]
	w.hit = Hit{Kind: b.kind, T: w.best.t, Instance: w.best.instance, Custom: p.Custom, RecordOffset: p.RecordOffset,
		Geometry: w.best.geometry, Primitive: w.best.primitive, Place: w.place}
	flags := b.geometries[w.best.geometry].Flags
	switch {
	case w.hit.Kind.isRound():
		w.reenter()
		c, _ := w.local.crossRound(&b.rounds[w.place])
		w.hit.U, w.hit.HitKind = c.u, FrontFacing
	case w.hit.Kind == Triangles:
		c := w.crossingOfBest()
		w.hit.U, w.hit.V, w.hit.HitKind = c.u, c.v, BackFacing
		if c.front != (p.Flags&InstanceFlipFacing != 0) {
			w.hit.HitKind = FrontFacing
		}
		flags, _ = b.flagsAt(w.q.Flags, p.Flags, w.best.geometry, w.best.primitive, c.u, c.v)
	}
	if w.q.opaque(p.Flags, flags) {
		w.hit.Opaque = 1
	}
}

// reenter prepares the ray in the space of the best candidate's instance.
func (w *Walker) reenter() {
	if w.instance != w.best.instance {
		w.enterInstance(w.best.instance)
	}
}

// crossingOfBest returns where the ray crosses the best candidate, a triangle. The quotients equal crossNarrow's.
func (w *Walker) crossingOfBest() crossing {
	if w.sum != 0 {
		return crossing{t: w.best.t, u: w.second / w.sum, v: w.third / w.sum, front: w.sum > 0}
	}
	w.reenter()
	t := w.top.bottoms[w.best.instance].triangleAt(w.place, w.time)
	c, _ := w.local.meet(&t)
	return c
}

// leaves visits the leaves of s that the ray reaches, by machine code if there is any. The stack above base is free.
func (w *Walker) leaves(m *session, s *Structure, l *level, base int, visit func(r ref, sp int)) {
	if hasKernel && !w.portable && !l.wide {
		w.walkFast(m, s, l, base, visit)
		return
	}
	w.walk(s, l, base, false, visit)
}

// walk visits the leaves of s that the ray reaches, the closest first. The stack above base is free. Blurred: the level
// blurs s, which has triangles.
func (w *Walker) walk(s *Structure, l *level, base int, blurred bool, visit func(r ref, sp int)) {
	sp := base
	current := entry(math.Float32bits(w.low))<<32 | entry(s.root)
	for {
		r := ref(current)
		if r&leafBit != 0 {
			visit(r, sp)
		} else {
			sp = w.push(&s.nodes[r], l, sp, blurred)
		}
		for {
			if sp == base {
				return
			}
			sp--
			current = w.stack[sp]
			if math.Float32frombits(uint32(current>>32)) <= w.high {
				break
			}
		}
	}
}

// push pushes the children of n that the ray reaches, the closest last.
func (w *Walker) push(n *node, l *level, sp int, blurred bool) int {
	first := sp
	for i := range width {
		lo := vec{n.bounds[0][i], n.bounds[2][i], n.bounds[4][i]}
		hi := vec{n.bounds[1][i], n.bounds[3][i], n.bounds[5][i]}
		near, last := l.slabs(&lo, &hi)
		near, last = max32(near, w.low), min32(last, w.high)
		if !(near <= last) || blurred && l.misses(&lo, &hi) {
			continue
		}
		e := entry(math.Float32bits(near))<<32 | entry(n.child[i])
		at := sp
		for at > first && w.stack[at-1] < e {
			w.stack[at] = w.stack[at-1]
			at--
		}
		w.stack[at] = e
		sp++
	}
	return sp
}

// visitInstance traverses the bottom level of an instance.
func (w *Walker) visitInstance(r ref, sp int) {
	i := uint32(r &^ leafBit)
	p := &w.top.instances[i]
	b, q := w.top.bottoms[i], w.q
	if uint32(p.Mask)&q.Mask == 0 || b.kind != Boxes && q.Flags&RaySkipTriangles != 0 ||
		b.kind == Boxes && q.Flags&RaySkipBoxes != 0 {
		return
	}
	switch {
	case !w.enterInstance(i):
	case b.kind == Boxes:
		w.leaves(&w.lower, b, &w.local, sp, w.visitBox)
	case b.kind.isRound():
		w.leaves(&w.lower, b, &w.local, sp, w.visitRound)
	case w.local.blurs(b):
		w.walk(b, &w.local, sp, true, w.visitTriangles)
	case hasKernel && !w.portable:
		w.walkTrianglesFast(b, p.Flags, sp)
	default:
		w.walk(b, &w.local, sp, false, w.visitTriangles)
	}
}

// visitTriangles tests the triangles of a leaf.
func (w *Walker) visitTriangles(r ref, _ int) {
	first, count := r.blockRange()
	for i := first; i < first+count; i++ {
		w.visitBlock(w.top.bottoms[w.instance], i)
	}
}

// visitBlock tests the triangles of a block.
func (w *Walker) visitBlock(b *Structure, i int) {
	k := &b.blocks[i]
	for lane := range 4 {
		if k.used(lane) {
			w.visitTriangle(k, lane, uint32(4*i+lane))
		}
	}
}

// visitTriangle tests a triangle. It becomes the best candidate if it is the closest one.
func (w *Walker) visitTriangle(b *block, lane int, place uint32) {
	p := &w.top.instances[w.instance]
	bottom := w.top.bottoms[w.instance]
	t := bottom.triangleAt(place, w.time)
	c, ok := w.local.cross(&t)
	q := w.q
	if !ok || !(c.t > q.TMin && c.t >= w.low && c.t < q.TMax && c.t <= w.high) {
		return
	}
	front := c.front != (p.Flags&InstanceFlipFacing != 0)
	if p.Flags&InstanceNoFaceCull == 0 && (front && q.Flags&RayCullFrontFacing != 0 || !front && q.Flags&RayCullBackFacing != 0) {
		return
	}
	k := key{c.t, w.instance, b.geometry[lane], b.primitive[lane]}
	if !w.precedes(k) {
		return
	}
	if flags, ok := bottom.flagsAt(q.Flags, p.Flags, k.geometry, k.primitive, c.u, c.v); ok {
		w.propose(k, place, flags)
	}
}

// visitBox offers the box of a leaf as a candidate. Its distance is the one at which the ray enters it.
func (w *Walker) visitBox(r ref, _ int) {
	place := uint32(r &^ leafBit)
	bottom := w.top.bottoms[w.instance]
	b := &bottom.boxes[place]
	near, far := w.local.slabs(&b.lo, &b.hi)
	near = max32(near, max(w.q.TMin, 0)+0)
	if near <= far && near >= w.low && near <= w.high && isFinite(near) {
		w.offer(key{near, w.instance, b.geometry, b.primitive}, place, bottom.geometries[b.geometry].Flags)
	}
}

// precedes reports whether k comes after the last candidate and before the best one.
func (w *Walker) precedes(k key) bool {
	q := w.q
	return (q.started == 0 || q.last.less(k)) && (!w.found || k.less(w.best)) && (q.Committed.Kind == None || k.t < q.Committed.T)
}

// offer makes a primitive the best candidate if it precedes that one, and if its opacity is not culled.
func (w *Walker) offer(k key, place uint32, flags GeometryFlags) {
	if w.precedes(k) {
		w.propose(k, place, flags)
	}
}

// propose is offer of a primitive that precedes the best candidate.
func (w *Walker) propose(k key, place uint32, flags GeometryFlags) {
	if q := w.q; q.Flags&(RayCullOpaque|RayCullNoOpaque) != 0 {
		opaque := q.opaque(w.top.instances[w.instance].Flags, flags)
		if opaque && q.Flags&RayCullOpaque != 0 || !opaque && q.Flags&RayCullNoOpaque != 0 {
			return
		}
	}
	w.win(k, place)
}

// win makes a primitive the best candidate.
func (w *Walker) win(k key, place uint32) {
	w.best, w.place, w.found, w.high = k, place, true, k.t
	w.sum = 0
}

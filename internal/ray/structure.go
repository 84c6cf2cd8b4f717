package ray

import "slices"

// A Structure is an acceleration structure: a tree over the primitives of geometries (bottom level) or over
// instances (top level). It never changes after its build, but for an update with Input.Reuse, so that any number of
// goroutines may trace it. A nil Structure is empty: every ray misses.
type Structure struct {
	top    bool
	kind   Kind // of the primitives of a bottom level
	flags  BuildFlags
	root   ref
	lo, hi vec
	// Boxes grow by a number of roundings of spread·o in the test of a ray whose origin has coordinates up to o; spread is 1 in a
	// bottom level. reach is at least the largest absolute coordinate of the box, and at least leastOrigin in a bottom level.
	reach, spread float32
	// usual is the median reach of the root's children, and part the median of their longest sides: a few far primitives do not
	// change them.
	usual, part float32

	nodes  []node
	blocks []block
	// moved are the blocks at time 1; nil if no triangle moves.
	moved  []block
	boxes  []box
	rounds []round
	// opacity is the opacity of each geometry; nil if none has a micromap. embedded is the size of the micromaps that no other
	// structure has.
	opacity  []opacityMap
	embedded uint64
	// geometries are the properties of each geometry.
	geometries []geometryInfo
	// instances are the instances of a top level. bottoms has the bottom level of each, motions its motion; motions is nil if none moves.
	instances []placed
	bottoms   []*Structure
	motions   []*InstanceMotion
	register  register
}

// Table maps the device address of a structure to the structure.
type Table map[uint64]*Structure

// geometryInfo is a property list of a geometry.
type geometryInfo struct {
	Flags      GeometryFlags
	Primitives uint32
	moves      bool // its vertices move
}

// box is a primitive of Boxes.
type box struct {
	lo, hi              vec
	geometry, primitive uint32
}

// padded reports whether the boxes of the leaves of a bottom level have a padding. Boxes need none: their test has no other roundings
// than the ones that the level pads.
func (s *Structure) padded() bool { return s.kind == Triangles || s.kind.isRound() }

// setBox sets the box of a bottom level.
func (s *Structure) setBox(b *bounds) {
	s.lo, s.hi, s.reach = b.lo, b.hi, max(reachOf(b.lo, b.hi), leastOrigin)
	s.setUsual()
}

// setUsual sets the usual reach, and the size of a usual part.
func (s *Structure) setUsual() {
	if s.usual, s.part = s.reach, longestSide(&s.lo, &s.hi); s.root&leafBit != 0 { // also without a tree
		return
	}
	n := &s.nodes[s.root]
	var reaches, sides [width]float32
	count := 0
	for i, r := range n.child {
		if r != emptyRef {
			lo, hi := vec{n.bounds[0][i], n.bounds[2][i], n.bounds[4][i]}, vec{n.bounds[1][i], n.bounds[3][i], n.bounds[5][i]}
			reaches[count], sides[count] = max(reachOf(lo, hi), leastOrigin), longestSide(&lo, &hi)
			count++
		}
	}
	if count > 0 {
		slices.Sort(reaches[:count])
		slices.Sort(sides[:count])
		s.usual, s.part = reaches[(count-1)/2], sides[(count-1)/2]
	}
}

// longestSide returns the length of the longest side of a box.
func longestSide(lo, hi *vec) float32 { return max(hi[0]-lo[0], hi[1]-lo[1], hi[2]-lo[2]) }

// mostGrowth is the largest growth of boxes in a bottom level: up to it, the slabs alone tell them apart.
func (s *Structure) mostGrowth() float32 { return s.part / 2 }

// farReaches is how many times as large as the usual one the reach of a far structure is at least.
const farReaches = 64

// far reports whether the reach of s is due to a few far primitives.
func (s *Structure) far() bool { return s.reach > farReaches*s.usual }

// Top reports whether s is a top level.
func (s *Structure) Top() bool { return s != nil && s.top }

// Kind returns the kind of the primitives of a bottom level; None if there are none.
func (s *Structure) Kind() Kind {
	if s == nil {
		return None
	}
	return s.kind
}

// Flags returns the flags of the build.
func (s *Structure) Flags() BuildFlags {
	if s == nil {
		return 0
	}
	return s.flags
}

// ObjectToWorld returns the matrix object to world of instance i at a time, of 3 rows and 4 columns.
func (s *Structure) ObjectToWorld(i uint32, time float32) (m [12]float32) {
	if s == nil || uint64(i) >= uint64(len(s.instances)) {
		return m
	}
	p := &s.instances[i]
	if p.moves {
		return s.motions[i].transformAt(&p.Transform, clampTime(time))
	}
	return p.Transform
}

// instance returns instance i of a top level as an instance of an input.
func (s *Structure) instance(i int) Instance {
	p := &s.instances[i]
	return Instance{Transform: p.Transform, Custom: p.Custom, RecordOffset: p.RecordOffset, Mask: p.Mask, Flags: p.Flags,
		Reference: p.Reference, Bottom: s.bottoms[i], Motion: s.motion(i)}
}

// motion returns the motion of instance i; nil if it does not move.
func (s *Structure) motion(i int) *InstanceMotion {
	if s.motions == nil {
		return nil
	}
	return s.motions[i]
}

// WorldToObject returns its inverse.
func (s *Structure) WorldToObject(i uint32, time float32) (m [12]float32) {
	if s == nil || uint64(i) >= uint64(len(s.instances)) {
		return m
	}
	var now placed
	p := s.at(i, clampTime(time), &now)
	for r := range 3 {
		for c := range 4 {
			m[4*r+c] = float32(p.inverse[c][r])
		}
	}
	return m
}

// ObjectRay returns the ray of q in the object space of instance i.
func (s *Structure) ObjectRay(i uint32, q *Query) (origin, direction [3]float32) {
	if s == nil || uint64(i) >= uint64(len(s.instances)) {
		return
	}
	var now placed
	return s.at(i, clampTime(q.Time), &now).objectRay(q.Origin, q.Direction)
}

// Positions returns the vertex positions of the triangle of a hit at a time, in object space.
func (s *Structure) Positions(h *Hit, time float32) (t [3][3]float32) {
	b, place, ok := s.located(h)
	if !ok || h.Kind != Triangles || place/4 >= uint32(len(b.blocks)) {
		return
	}
	return fromTriangle(b.triangleAt(place, clampTime(time)))
}

// fromTriangle returns t without the package's types.
func fromTriangle(t triangle) [3][3]float32 { return [3][3]float32{t[0], t[1], t[2]} }

package ray

import "fmt"

// check checks that the tree of a deserialized bottom level is one: that each node has one parent, which comes before
// it, that references are inside the lists and that the depth is bounded. It computes the box of the structure, which is finite.
// Wrong boxes and positions are not found: rays then hit and miss wrong primitives.
func (s *Structure) check() error {
	if s.top || s.kind > SweptSpheres {
		return fmt.Errorf("%w: no kind", ErrCorrupt)
	}
	if len(s.moved) != 0 && len(s.moved) != len(s.blocks) {
		return fmt.Errorf("%w: %d of %d blocks move", ErrCorrupt, len(s.moved), len(s.blocks))
	}
	geometry := func(g uint32) bool { return uint64(g) < uint64(len(s.geometries)) }
	for i := range s.blocks {
		for lane := range 4 {
			if lane > 0 && s.blocks[i].used(lane) && !s.blocks[i].used(lane-1) {
				return fmt.Errorf("%w: block %d has a gap between its triangles", ErrCorrupt, i)
			}
			if s.blocks[i].used(lane) && !geometry(s.blocks[i].geometry[lane]) {
				return fmt.Errorf("%w: block %d has no geometry", ErrCorrupt, i)
			}
		}
	}
	for i := range s.boxes {
		if !geometry(s.boxes[i].geometry) {
			return fmt.Errorf("%w: box %d has no geometry", ErrCorrupt, i)
		}
	}
	for i := range s.rounds {
		if !geometry(s.rounds[i].geometry) {
			return fmt.Errorf("%w: sphere %d has no geometry", ErrCorrupt, i)
		}
	}
	if s.root == emptyRef {
		return nil
	}
	depth := make([]uint8, len(s.nodes))
	if err := s.checkRef(s.root, -1, 1, depth); err != nil {
		return err
	}
	for i := range s.nodes {
		if depth[i] == 0 || depth[i] > maxDepth {
			return fmt.Errorf("%w: node %d has no parent or is too deep", ErrCorrupt, i)
		}
		for j, r := range s.nodes[i].child {
			if r == emptyRef {
				s.nodes[i].set(j, noLo, noHi, r)
				continue
			}
			if err := s.checkRef(r, i, depth[i]+1, depth); err != nil {
				return err
			}
		}
	}
	b := s.boxOf(s.root)
	if !b.lo.isFinite() || !b.hi.isFinite() { // a ray's distances would be NaNs, and it would enter children that do not exist
		return fmt.Errorf("%w: the box is infinite", ErrCorrupt)
	}
	if s.padded() && s.root&leafBit != 0 {
		pad(&b.lo, &b.hi)
	}
	s.setBox(&b)
	return nil
}

// checkRef checks a reference of a node and stores the depth of the node to which it refers.
func (s *Structure) checkRef(r ref, parent int, at uint8, depth []uint8) error {
	ok := false
	switch {
	case r&leafBit == 0:
		ok = int64(r) > int64(parent) && int64(r) < int64(len(depth)) && depth[r] == 0
		if ok {
			depth[r] = at
		}
	case s.kind == Triangles:
		first, count := r.blockRange()
		ok = first+count <= len(s.blocks)
	case s.kind == Boxes:
		ok = int(r&^leafBit) < min(len(s.boxes), maxBlocks) // the bits above are a number of blocks
	case s.kind.isRound():
		ok = int(r&^leafBit) < min(len(s.rounds), maxBlocks)
	}
	if !ok {
		return fmt.Errorf("%w: a reference of node %d is wrong", ErrCorrupt, parent)
	}
	return nil
}

// boxOf returns the box of a reference of a bottom level.
func (s *Structure) boxOf(r ref) bounds {
	b := nothing()
	switch {
	case r == emptyRef:
	case r&leafBit == 0:
		n := &s.nodes[r]
		for i := range width {
			b.add(&vec{n.bounds[0][i], n.bounds[2][i], n.bounds[4][i]}, &vec{n.bounds[1][i], n.bounds[3][i], n.bounds[5][i]})
		}
	case s.kind == Triangles:
		first, count := r.blockRange()
		w := nowhere
		growBlocks(&w, s.blocks[first:first+count])
		if s.moved != nil {
			growBlocks(&w, s.moved[first:first+count])
		}
		b.addWide(&w)
	case s.kind == Boxes:
		x := &s.boxes[r&^leafBit]
		b.add(&x.lo, &x.hi)
	case s.kind.isRound():
		lo, hi := s.rounds[r&^leafBit].bounds()
		b.add(&lo, &hi)
	}
	return b
}

// growBlocksPortable grows w by the triangles of blocks, but for components that are a NaN.
func growBlocksPortable(w *wideBounds, blocks []block) {
	for i := range blocks {
		for v := range 3 {
			for c := range 3 {
				for _, x := range blocks[i].vertices[v][c] {
					w.lo[c], w.hi[c] = min32(x, w.lo[c]), max32(x, w.hi[c])
				}
			}
		}
	}
}

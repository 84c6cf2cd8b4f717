package ray

import "fmt"

// Update returns source with the positions, boxes or instances of in: the same tree with new boxes (Lauterbach et al.
// 2006, "RT-DEFORM: Interactive Ray Tracing of Dynamic Scenes using BVHs"). The other properties of in must be those
// of the build of source.
func Update(in *Input, source *Structure) (*Structure, error) {
	switch {
	case source == nil:
		return nil, fmt.Errorf("an update has no source")
	case source.top != in.Top:
		return nil, fmt.Errorf("an update changes the level of the structure")
	case in.Top:
		return updateTop(in, source)
	}
	next, err := newBottom(in)
	if err != nil {
		return nil, err
	}
	if next.kind != source.kind || len(next.geometries) != len(source.geometries) {
		return nil, fmt.Errorf("an update changes the number or the kind of the geometries")
	}
	for i := range next.geometries {
		if next.geometries[i].Primitives != source.geometries[i].Primitives {
			return nil, fmt.Errorf("an update changes the number of primitives of geometry %d", i)
		}
	}
	next.flags, next.root = source.flags, source.root
	next.nodes = large[node](len(source.nodes))
	next.blocks = large[block](len(source.blocks))
	next.boxes = make([]box, len(source.boxes))
	next.rounds = make([]round, len(source.rounds))
	readers := newReaders(in.Geometries)
	moved := movedReaders(in.Geometries, readers)
	if (moved == nil) != (source.moved == nil) {
		return nil, fmt.Errorf("an update begins or ends the motion of a geometry")
	}
	boxes := refreshBlocks(next.blocks, source.blocks, readers, in.Threads)
	if moved != nil {
		next.moved = large[block](len(source.moved))
		boxes = joined(boxes, refreshBlocks(next.moved, source.blocks, moved, in.Threads))
	}
	if source.root&leafBit != 0 && source.root != emptyRef {
		next.refresh(source, readers, source.root)
	}
	next.refit(source, in.Threads, func(r ref) bounds {
		if next.kind == Triangles {
			return leafBox(boxes, r)
		}
		next.refresh(source, readers, r)
		return next.boxOf(r)
	})
	b := next.boxOf(next.root)
	next.lo, next.hi, next.reach = b.lo, b.hi, reachOf(b.lo, b.hi)
	return next, stopError(in)
}

// stopError returns the error of in.Stop.
func stopError(in *Input) error {
	if in.Stop == nil {
		return nil
	}
	return in.Stop()
}

// refresh updates the primitive of a leaf of boxes or spheres from its geometry.
func (s *Structure) refresh(source *Structure, readers []reader, r ref) {
	switch i := r &^ leafBit; {
	case s.kind == Boxes:
		old := &source.boxes[i]
		lo, hi, ok := readers[old.geometry].box(old.primitive)
		if !ok {
			lo, hi = noLo, noHi
		}
		s.boxes[i] = box{lo, hi, old.geometry, old.primitive}
	case s.kind.isRound():
		old := &source.rounds[i]
		x, ok := readers[old.geometry].round(old.primitive)
		s.rounds[i] = numbered(x, ok, old.geometry, old.primitive)
	}
}

// refit computes the nodes of s, which has the tree of source or is source: first the boxes of the leaves, by leaf, then the boxes
// of the nodes, the last one first, because a node comes before its children.
func (s *Structure) refit(source *Structure, threads int, leaf func(r ref) bounds) {
	const chunk = 1 << 8
	n := len(s.nodes)
	parallel(threads, (n+chunk-1)/chunk, func(c int) {
		for i := c * chunk; i < min((c+1)*chunk, n); i++ {
			children, k := source.nodes[i].child, &s.nodes[i]
			k.clear()
			for j, r := range children {
				k.child[j] = r
				if r&leafBit != 0 && r != emptyRef {
					b := leaf(r)
					k.set(j, b.lo, b.hi, r)
				}
			}
		}
	})
	for i := n - 1; i >= 0; i-- {
		for j, r := range s.nodes[i].child {
			if r&leafBit == 0 {
				b := s.boxOf(r)
				s.nodes[i].set(j, b.lo, b.hi, r)
			}
		}
	}
}

// updateTop is Update of a top level.
func updateTop(in *Input, source *Structure) (*Structure, error) {
	if len(in.Instances) != len(source.instances) {
		return nil, fmt.Errorf("an update changes the number of instances")
	}
	next := &Structure{top: true, flags: source.flags, root: source.root, spread: 1}
	next.instances = make([]placed, len(in.Instances))
	for i := range in.Instances {
		next.instances[i] = place(in.Instances[i])
		if next.instances[i].active != source.instances[i].active {
			return Build(in) // an instance became active or inactive
		}
	}
	items := make([]item, len(in.Instances))
	for _, it := range next.instanceItems() {
		items[it.primitive] = it
	}
	next.nodes = large[node](len(source.nodes))
	next.refit(source, in.Threads, func(r ref) bounds {
		it := &items[r&^leafBit]
		return bounds{it.lo, it.hi}
	})
	if next.root != emptyRef && next.root&leafBit == 0 {
		b := next.boxOf(next.root)
		next.lo, next.hi = b.lo, b.hi
	}
	return next, stopError(in)
}

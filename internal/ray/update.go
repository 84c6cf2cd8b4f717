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
	readers := newReaders(in.Geometries)
	moved := movedReaders(in.Geometries, readers)
	if (moved == nil) != (source.moved == nil) {
		return nil, fmt.Errorf("an update begins or ends the motion of a geometry")
	}
	if err := stopError(in); err != nil {
		return nil, err
	}
	next.copyTree(source, in.Reuse)
	team := newTeam(in.Threads, startsOf(readers)[len(readers)]/updateShare)
	defer team.close()
	var boxes []wideBounds
	if next.kind == Triangles {
		boxes = refreshBlocks(next.blocks, source.blocks, readers, team)
	} else {
		boxes = next.refresh(source, readers, team)
	}
	if moved != nil {
		boxes = joined(boxes, refreshBlocks(next.moved, source.blocks, moved, team))
	}
	defer scratchBoxes.give(boxes)
	b := next.refit(team, boxes, source.links)
	next.setBox(&b)
	if in.Reuse {
		return next, nil // the source is no more
	}
	return next, stopError(in)
}

// copyTree gives s the flags of source and memory for the same tree: the memory of source itself, or new memory with any values.
func (s *Structure) copyTree(source *Structure, reuse bool) {
	s.flags, s.root = source.flags, source.root
	if reuse {
		s.nodes, s.blocks, s.moved, s.boxes, s.rounds = source.nodes, source.blocks, source.moved, source.boxes, source.rounds
		return
	}
	s.nodes, s.blocks = large[node](len(source.nodes)), large[block](len(source.blocks))
	s.boxes, s.rounds = make([]box, len(source.boxes)), make([]round, len(source.rounds))
	if source.moved != nil {
		s.moved = large[block](len(source.moved))
	}
}

// stopError returns the error of in.Stop.
func stopError(in *Input) error {
	if in.Stop == nil {
		return nil
	}
	return in.Stop()
}

// links returns the children of node i.
func (s *Structure) links(i int) *[width]ref { return &s.nodes[i].child }

// refresh updates the boxes or the spheres of source from its geometries, and returns the box of each, in memory of scratchBoxes.
func (s *Structure) refresh(source *Structure, readers []reader, team *team) []wideBounds {
	const chunk = 1 << 10
	n := len(source.boxes) + len(source.rounds) // one of them is empty
	boxes := scratchBoxes.take(n)
	team.each((n+chunk-1)/chunk, func(c int) {
		for i := c * chunk; i < min((c+1)*chunk, n); i++ {
			if s.kind == Boxes {
				old := &source.boxes[i]
				lo, hi, ok := readers[old.geometry].box(old.primitive)
				if !ok {
					lo, hi = noLo, noHi
				}
				s.boxes[i] = box{lo, hi, old.geometry, old.primitive}
			} else {
				old := &source.rounds[i]
				x, ok := readers[old.geometry].round(old.primitive)
				s.rounds[i] = numbered(x, ok, old.geometry, old.primitive)
			}
			b := s.boxOf(leafBit | ref(i))
			boxes[i].set(&b.lo, &b.hi)
		}
	})
	return boxes
}

// updateTop is Update of a top level.
func updateTop(in *Input, source *Structure) (*Structure, error) {
	if in.count() != len(source.instances) {
		return nil, fmt.Errorf("an update changes the number of instances")
	}
	next := &Structure{top: true, flags: source.flags, root: source.root, spread: 1}
	team := newTeam(in.Threads, in.count())
	defer team.close()
	items := next.placeAll(in, team)
	defer scratchItems.give(items)
	for i := range next.instances {
		if next.instances[i].active != source.instances[i].active {
			return Build(in) // an instance became active or inactive
		}
	}
	boxes := scratchBoxes.take(in.count())
	defer scratchBoxes.give(boxes)
	for i := range items {
		it := &items[i]
		boxes[it.primitive].set(&it.lo, &it.hi)
	}
	next.nodes = large[node](len(source.nodes))
	b := next.refit(team, boxes, source.links)
	next.lo, next.hi = b.lo, b.hi
	next.setUsual()
	return next, stopError(in)
}

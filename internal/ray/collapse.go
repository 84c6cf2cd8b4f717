package ray

// finish makes the nodes of the wide tree and stores it in s.
func (b *builder) finish(s *Structure) {
	if len(b.items)+len(b.keys) == 0 {
		return
	}
	s.root, s.nodes = b.root, large[node](len(b.links))
	boxes := b.boxes
	if b.single {
		boxes = b.itemBoxes(len(s.instances))
		defer scratchBoxes.give(boxes)
	}
	box := s.refit(b.team, boxes, func(i int) *[width]ref { return &b.links[i] })
	if s.top {
		s.lo, s.hi = box.lo, box.hi
		s.setUsual()
		return
	}
	s.setBox(&box)
}

// itemBoxes returns the boxes of leaves of single items. instances is the number of instances of a top level.
func (b *builder) itemBoxes(instances int) []wideBounds {
	if !b.numbered {
		instances = len(b.items)
	}
	boxes := scratchBoxes.take(instances)
	const chunk = 1 << 11
	b.team.each((len(b.items)+chunk-1)/chunk, func(c int) {
		for i := c * chunk; i < min((c+1)*chunk, len(b.items)); i++ {
			it, at := &b.items[i], i
			if b.numbered {
				at = int(it.primitive)
			}
			boxes[at].set(&it.lo, &it.hi)
		}
	})
	return boxes
}

// collapse makes wide nodes in t: each takes the place of a binary node and repeatedly of its child with the largest
// surface, until it has eight children (Wald, Benthin and Boulos 2008, "Getting Rid of Packets").
func (b *builder) collapse(t *branch, c *child) ref {
	if c.split == 0 {
		return b.leaf(t, c.from, c.to)
	}
	if c.to-c.from <= b.grain {
		return b.later(*c)
	}
	at := len(t.links)
	t.links = append(t.links, [width]ref{})
	var list [width]*child
	n := b.binary.at(c.split)
	list[0], list[1] = &n.left, &n.right
	count := 2
	for count < width {
		largest, area := -1, -1.0
		for i, c := range list[:count] {
			if a := c.area(); c.split != 0 && a > area {
				largest, area = i, a
			}
		}
		if largest < 0 {
			break
		}
		n := b.binary.at(list[largest].split)
		list[largest], list[count] = &n.left, &n.right
		count++
	}
	for i := range width {
		r := emptyRef
		if i < count {
			r = b.collapse(t, list[i])
		}
		t.links[at][i] = r
	}
	return ref(at)
}

// leaf returns the reference to a leaf with the items from from to to, and adds its blocks to t.
func (b *builder) leaf(t *branch, from, to int32) ref {
	switch {
	case b.numbered && b.fast:
		return leafBit | ref(uint32(b.keys[from]))
	case b.numbered:
		return leafBit | ref(b.items[from].primitive)
	case b.single:
		return leafBit | ref(from)
	}
	first := len(t.ranges)
	for at := from; at < to; at += 4 {
		t.ranges = append(t.ranges, blockRange{at, min(at+4, to)})
	}
	return leafOf(first, len(t.ranges)-first)
}

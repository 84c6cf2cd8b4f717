package ray

// finish makes the wide tree of the binary one and stores it in s.
func (b *builder) finish(s *Structure) {
	if len(b.items)+len(b.keys) == 0 {
		return
	}
	s.root, s.nodes = b.rootRef, b.nodes
	if b.fast {
		s.refit(s, b.threads, func(r ref) bounds { return leafBox(b.boxes, r) })
		b.root.bounds = s.boxOf(s.root)
	}
	s.lo, s.hi = b.root.lo, b.root.hi
	if !s.top {
		s.reach = reachOf(s.lo, s.hi)
	}
}

// collapse makes wide nodes: each takes the place of a binary node and repeatedly of its child with the largest
// surface, until it has eight children (Wald, Benthin and Boulos 2008, "Getting Rid of Packets").
func (b *builder) collapse(c *child) ref {
	if c.split == 0 {
		return b.leaf(c)
	}
	at := len(b.nodes)
	b.nodes = append(b.nodes, node{})
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
	var w node
	w.clear()
	for i, c := range list[:count] {
		w.set(i, c.lo, c.hi, b.collapse(c))
	}
	b.nodes[at] = w
	return ref(at)
}

// leaf returns the reference to a leaf.
func (b *builder) leaf(c *child) ref {
	switch {
	case b.numbered:
		return leafBit | ref(b.items[c.from].primitive)
	case b.single:
		return leafBit | ref(c.from)
	}
	first := len(b.blockRanges)
	for at := c.from; at < c.to; at += 4 {
		b.blockRanges = append(b.blockRanges, blockRange{at, min(at+4, c.to)})
	}
	return leafOf(first, len(b.blockRanges)-first)
}

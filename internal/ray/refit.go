package ray

import "unsafe"

// refitChunk is the largest number of nodes that a goroutine computes at a time, and minRefitChunk the least one. A chunk of a small tree
// is one of refitPart parts of it, so that goroutines end at about the same time.
const refitChunk, minRefitChunk, refitPart = 1 << 9, 1 << 5, 16

// refit computes the nodes of s from the boxes of its leaves: of blocks of triangles, of the other primitives or of instances, by the
// index in the reference. Node i has the children link(i), which come after it. refit pads the boxes of leaves, if the structure has
// padding, and returns the box of the root.
//
// A goroutine goes through its nodes from the last one to the first one, so that most children are complete. The nodes that wait for a
// child of another goroutine follow at the end; in the order of a traversal they are the ancestors of the end of a chunk.
func (s *Structure) refit(team *team, leaves []wideBounds, link func(i int) *[width]ref) bounds {
	if s.padded() {
		padAll(leaves, team)
	}
	switch {
	case s.root == emptyRef:
		return nothing()
	case s.root&leafBit != 0:
		return leafBox(leaves, s.root)
	}
	n := len(s.nodes)
	boxes := scratchBoxes.take(n) // a node reads the boxes of its children, which are complete
	defer scratchBoxes.give(boxes)
	size := min(max(n/refitPart, minRefitChunk), refitChunk)
	chunks := (n + size - 1) / size
	late := make([][]int, chunks)
	team.each(chunks, func(c int) {
		from, to := c*size, min((c+1)*size, n)
		var waits [refitChunk]bool
		for i := to - 1; i >= from; i-- {
			children := link(i)
			for _, r := range children {
				if r&leafBit == 0 && (int(r) >= to || waits[int(r)-from]) {
					waits[i-from] = true
				}
			}
			if waits[i-from] {
				late[c] = append(late[c], i)
				continue
			}
			refitNode(&s.nodes[i], children, leaves, boxes, &boxes[i])
		}
	})
	for c := chunks - 1; c >= 0; c-- {
		for _, i := range late[c] {
			refitNode(&s.nodes[i], link(i), leaves, boxes, &boxes[i])
		}
	}
	w := &boxes[s.root]
	return bounds{vec(w.lo[:3]), vec(w.hi[:3])}
}

// refitNode sets n to the children and all to its box. leaves and nodes are the boxes of the leaves and of the nodes.
func refitNode(n *node, children *[width]ref, leaves, nodes []wideBounds, all *wideBounds) {
	if !hasKernel {
		refitNodePortable(n, children, leaves, nodes, all)
		return
	}
	refitNodeAVX2(n, children, unsafe.SliceData(leaves), unsafe.SliceData(nodes), all)
}

// refitNodePortable is refitNode without machine code.
func refitNodePortable(n *node, children *[width]ref, leaves, nodes []wideBounds, all *wideBounds) {
	sum := nothing()
	for j, r := range children {
		b := bounds{noLo, noHi}
		switch {
		case r == emptyRef:
		case r&leafBit != 0:
			b = leafBox(leaves, r)
		default:
			b = bounds{vec(nodes[r].lo[:3]), vec(nodes[r].hi[:3])}
		}
		n.set(j, b.lo, b.hi, r)
		sum.add(&b.lo, &b.hi)
	}
	all.set(&sum.lo, &sum.hi)
}

// leafBox returns the box of a leaf. boxes has the boxes of blocks of triangles, of other primitives or of instances.
func leafBox(boxes []wideBounds, r ref) bounds {
	first, count := r.blockRange() // one box for another primitive; its index is below maxBlocks
	b := nothing()
	for i := range boxes[first : first+count] {
		b.addWide(&boxes[first+i])
	}
	return b
}

package ray

// binAVX2 adds n items to b.
//
//go:noescape
func binAVX2(b *binning, items *item, n int)

// middlesAVX2 sets w to the box of the middles of n items.
//
//go:noescape
func middlesAVX2(w *wideBounds, items *item, n int)

// add adds items.
func (b *binning) add(items []item) {
	if !hasKernel {
		b.addPortable(items)
		return
	}
	binAVX2(b, &items[0], len(items))
}

// middles returns the box of the middles of items.
func middles(items []item) (w wideBounds) {
	if !hasKernel {
		return middlesPortable(items)
	}
	middlesAVX2(&w, &items[0], len(items))
	return w
}

// areasAVX2 sets left[i+1] and right[i] to half the surfaces of the boxes of used bins up to i and from i.
//
//go:noescape
func areasAVX2(box *wideBounds, used int, left, right *float32)

// partitionAVX2 moves the items before a cut to the front and returns their number.
//
//go:noescape
func partitionAVX2(items *item, n, axis int, from, scale float32, cut int32) int

// areas is areasPortable.
func (b *binning) areas(axis int, left, right *[bins + 1]float32) {
	if !hasKernel {
		b.areasPortable(axis, left, right)
		return
	}
	areasAVX2(&b.box[axis][0], int(b.last[0])+1, &left[0], &right[0])
}

// partition is partitionPortable.
func (b *binning) partition(items []item, s split) int {
	if !hasKernel {
		return b.partitionPortable(items, s)
	}
	return partitionAVX2(&items[0], len(items), s.axis, b.from[s.axis], b.scale[s.axis], s.cut)
}

// growBlocksAVX2 grows w by n blocks, as growBlocksPortable does.
//
//go:noescape
func growBlocksAVX2(w *wideBounds, blocks *block, n int)

// growBlocks is growBlocksPortable.
func growBlocks(w *wideBounds, blocks []block) {
	if !hasKernel {
		growBlocksPortable(w, blocks)
		return
	}
	growBlocksAVX2(w, &blocks[0], len(blocks))
}

// readAVX2 reads the triangles of b that have a source in their readers, and sets slow for the others.
//
//go:noescape
func readAVX2(b *batch, readers *reader)

// triangleSize is the size of a triangle in bytes.
const triangleSize = 36

// takeAVX2 makes b the block of triangles at to at+last of x, and sets its box, as takePortable does.
//
//go:noescape
func takeAVX2(b *block, x *batch, at, last int, box *wideBounds)

// pointsAVX2 is pointsPortable.
//
//go:noescape
func pointsAVX2(list *point, b *batch, starts *int, centers *wideBounds) int

// mortonKeysAVX2 is mortonKeysPortable.
//
//go:noescape
func mortonKeysAVX2(keys *mortonKey, points *point, n int, from, scale *[4]float32)

// refitNodeAVX2 is refitNodePortable.
//
//go:noescape
func refitNodeAVX2(n *node, children *[width]ref, leaves, nodes, all *wideBounds)

// placeAVX2 is placed.setPortable of the instance of bottom with the transform m.
//
//go:noescape
func placeAVX2(inverse *[4][3]float64, m *[12]float32, bottom *Structure, x *placement) bool

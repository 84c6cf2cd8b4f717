package raster

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
)

// cover appends the items of a convex polygon and reports whether there are any. The inside is to the right
// of each edge. bounds is the bounding box of the pixels that the polygon may touch.
func (r *Rasterizer) cover(p *draft, edges []edge, bounds Rect) bool {
	bounds = bounds.Intersect(r.limits(p))
	if bounds.Empty() {
		return false
	}
	w := walker{Rasterizer: r, edges: edges, bounds: bounds, number: r.reserve(r.tileOf(bounds.X0, bounds.Y0)), sides: r.sidesOf(p, bounds)}
	var inner [maxEdges]edge
	if r.state.Conservative != enum.ConservativeModeDisabled {
		w.inner = r.conservative(edges, inner[:0])
	}
	w.misaligned = 1 // blocks must begin at even pixels, as quads do
	if r.state.Aligned {
		w.misaligned = Block - 1
	}
	w.start()
	for ty := bounds.Y0 / Tile; ty <= (bounds.Y1-1)/Tile; ty++ {
		for tx := bounds.X0 / Tile; tx <= (bounds.X1-1)/Tile; tx++ {
			w.tile(tx, ty)
		}
	}
	return w.any
}

// walker traverses the tiles of a polygon's bounding box, and in each tile the blocks, rejecting and
// accepting whole squares by the edge functions' extremes at their corners (hierarchical traversal).
type walker struct {
	*Rasterizer
	edges        []edge
	inner        []edge // edges that test for fully covered pixels; empty without State.Inner
	bounds       Rect
	sides        []Rect // the pixels with each sample in the viewport; nil if all samples within the bounds are
	number       uint32 // the primitive's index
	any          bool   // an item was appended
	misaligned   int32  // bits of a block's coordinates that must be 0
	tileInBounds bool   // the current tile is within the bounds

	// Per edge: the least and greatest value of its edge function over the samples of pixel (0, 0),
	// and by how much the value may rise and fall from one pixel to its right and lower neighbours.
	low, high  [maxEdges]int64
	rise, fall [maxEdges]int64
	ease       [maxEdges]int64 // added to a block's greatest value, the least value of its samples

	known bool      // the offsets of the samples and the steps are those of the edges
	steps quadEdges // of three or four edges; a fourth one that is missing is 0 everywhere

	runs [Tile / Block]run // the last run of each column of blocks in the current tile
}

// maxEdges is the greatest number of edges of a polygon that cover accepts: a line's rectangle has four.
const maxEdges = 4

// start computes the parts that all tiles share.
func (w *walker) start() {
	w.offsets = slices.Grow(w.offsets[:0], len(w.samples))[:len(w.samples)]
	for i := range w.edges {
		e := &w.edges[i]
		c := e.at(w.samples[0])
		w.offsets[0][i] = c
		low, high := c, c
		for k, s := range w.samples[1:] {
			c := e.at(s)
			w.offsets[k+1][i] = c
			low, high = min(low, c), max(high, c)
		}
		w.low[i], w.high[i] = low, high
		w.rise[i], w.fall[i] = max(e.a, 0)+max(e.b, 0), min(e.a, 0)+min(e.b, 0)
		w.ease[i] = low - high + (Block-1)*(w.fall[i]-w.rise[i])
	}
	if w.known = hasBlockMask && len(w.edges) >= 3; w.known {
		for i := range w.edges {
			w.steps.a[i], w.steps.b[i] = int32(w.edges[i].a), int32(w.edges[i].b)
		}
	}
}

// tile appends the items of tile (tx, ty), in tiles, which must be in the area.
func (w *walker) tile(tx, ty int32) {
	b := w.bounds.Intersect(Rect{tx * Tile, ty * Tile, (tx + 1) * Tile, (ty + 1) * Tile})
	list := w.items((ty-w.grid.y0)*w.grid.width + tx - w.grid.x0)
	w.tileInBounds = false
	// If the bounds fit in one block, no traversal is needed: blocks may begin at any even pixel.
	if x, y := b.X0&^w.misaligned, b.Y0&^w.misaligned; b.X1-x <= Block && b.Y1-y <= Block {
		w.block(list, min(x, (tx+1)*Tile-Block), min(y, (ty+1)*Tile-Block), false)
		return
	}
	inside := false
	if b.X1-b.X0 > Block && b.Y1-b.Y0 > Block {
		var outside bool
		if outside, inside = w.classify(tx*Tile, ty*Tile, Tile-1); outside {
			return
		}
	}
	w.tileInBounds = b.X1-b.X0 == Tile && b.Y1-b.Y0 == Tile
	if inside && w.tileInBounds && w.state.Runs && len(w.inner) == 0 && w.sides == nil {
		w.fullTile(list, tx*Tile, ty*Tile)
		return
	}
	w.runs = [Tile / Block]run{}
	for y := b.Y0 &^ (Block - 1); y < b.Y1; y += Block {
		w.row(list, b.X0&^(Block-1), b.X1, y)
	}
}

// row appends the items of a row of blocks from x to end. Blocks outside of an edge are on one side of it, so that the blocks outside of no
// edge are neighbours: the first one after them ends the row. The values are the greatest of the edge functions in a block, as
// in classify; a fourth edge that is missing is 0 everywhere.
func (w *walker) row(list *[]uint64, x, end, y int32) {
	var v, step [maxEdges]int64
	for i := range w.edges {
		e := &w.edges[i]
		v[i], step[i] = e.a*int64(x)+e.b*int64(y)+w.high[i]+(Block-1)*w.rise[i], Block*e.a
	}
	v0, v1, v2, v3 := v[0], v[1], v[2], v[3]
	s0, s1, s2, s3 := step[0], step[1], step[2], step[3]
	met := false
	for ; x < end; x += Block {
		if v0|v1|v2|v3 >= 0 {
			met = true
			full := (v0+w.ease[0])|(v1+w.ease[1])|(v2+w.ease[2])|(v3+w.ease[3]) >= 0
			if !full || !w.state.Runs || w.sides != nil || !w.extendRun(*list, x, y) {
				w.block(list, x, y, full)
			}
		} else if met {
			return
		}
		v0, v1, v2, v3 = v0+s0, v1+s1, v2+s2, v3+s3
	}
}

// run is an item that represents a vertical run of fully covered blocks.
type run struct {
	item int   // index of its first word in the tile's list
	next int32 // y of the block that would extend it; 0 if there is no run
	n    int   // blocks after the first
}

// fullTile appends the items of a fully covered tile: one run per column of blocks.
func (w *walker) fullTile(list *[]uint64, x, y int32) {
	w.any = true
	const across = Tile / Block
	words := 1 + w.perPixel
	at := len(*list)
	*list = slices.Grow(*list, across*words)[:at+across*words]
	items := (*list)[at:]
	for i := range items {
		items[i] = ^uint64(0)
	}
	for i := range across {
		items[i*words] = itemHead(w.number, x+Block*int32(i), y) | runBits(MaxRun)
	}
	w.words += across * words
}

// extendRun adds the block at (x, y) to the run above it, and reports whether it did. The edges must cover
// the whole block. If the block is wholly within the bounds but no run ends above it, it begins a run: the
// caller appends its item next.
func (w *walker) extendRun(list []uint64, x, y int32) bool {
	c := &w.runs[x/Block%(Tile/Block)]
	if w.boundsMask(x, y) != ^uint64(0) {
		c.next = 0
		return false
	}
	if y == 0 || c.next != y {
		*c = run{len(list), y + Block, 0}
		return false
	}
	c.next, c.n = y+Block, c.n+1
	list[c.item] = list[c.item]&^runBits(MaxRun) | runBits(c.n)
	return true
}

// classify tests the square of size+1 pixels at (x, y) against all edges: trivial reject (outside one edge),
// trivial accept (inside all), or neither.
func (w *walker) classify(x, y int32, size int64) (outside, inside bool) {
	inside = true
	for i := range w.edges {
		e := &w.edges[i]
		at := e.a*int64(x) + e.b*int64(y)
		if at+w.high[i]+size*w.rise[i] < 0 {
			return true, false
		}
		inside = inside && at+w.low[i]+size*w.fall[i] >= 0
	}
	return false, inside
}

// block appends the item of the block at (x, y) if any of its samples is covered. full tells that the
// block is inside all edges.
func (w *walker) block(list *[]uint64, x, y int32, full bool) {
	frame := w.boundsMask(x, y)
	if len(w.samples) == 1 {
		m := frame
		if !full {
			m &= w.mask(x, y, 0)
		}
		if w.sides != nil {
			m &= w.sides[0].pixelsOf(x, y)
		}
		if m != 0 {
			w.any = true
			*list = append(*list, itemHead(w.number, x, y), m)
			if len(w.inner) > 0 {
				w.appendInner(list, x, y, m)
			}
			w.words += 2
		}
		return
	}
	any := uint64(0)
	masks := w.masks[:w.perPixel]
	atOnce := w.known && !full && len(w.samples) == w.perPixel
	if atOnce {
		w.steps.masks(w.edges, w.offsets, x, y, masks)
	}
	for i := range masks {
		switch {
		case atOnce:
			masks[i] &= frame
		case full:
			masks[i] = frame
		default:
			masks[i] = frame & w.sampleMask(x, y, i)
		}
		if w.sides != nil {
			masks[i] &= w.sidesMask(x, y, i)
		}
		any |= masks[i]
	}
	if any != 0 {
		w.any = true
		*list = append(append(*list, itemHead(w.number, x, y)), masks...)
		if len(w.inner) > 0 {
			w.appendInner(list, x, y, any)
		}
		w.words += 1 + len(masks)
	}
}

// mask returns the block's pixels that have their sample, at location i, inside all edges.
func (w *walker) mask(x, y int32, i int) uint64 {
	if w.known {
		return w.steps.mask(w.edges, &w.offsets[i], x, y)
	}
	s := w.samples[i]
	if len(w.edges) == 3 && !hasBlockMask {
		x0, x1 := max(w.bounds.X0-x, 0), min(w.bounds.X1-x, Block)
		y0, y1 := max(w.bounds.Y0-y, 0), min(w.bounds.Y1-y, Block)
		if (x1-x0)*(y1-y0) <= maxScalarPixels {
			return scalarMask((*[3]edge)(w.edges), Rect{x0, y0, x1, y1}, x, y, s)
		}
	}
	m := ^uint64(0)
	for i := range w.edges {
		e := &w.edges[i]
		m &= e.mask(e.at(s) + e.a*int64(x) + e.b*int64(y))
	}
	return m
}

// maxScalarPixels is the number of pixels up to which testing each is faster than whole-block masks.
const maxScalarPixels = 40

// scalarMask tests each pixel of part, a rectangle within the block at (x, y), against three edges. A pixel
// is inside if no edge value has its sign bit set.
func scalarMask(e *[3]edge, part Rect, x, y int32, s point) (m uint64) {
	var row [3]int64
	for i := range row {
		row[i] = e[i].at(s) + e[i].a*int64(x+part.X0) + e[i].b*int64(y+part.Y0)
	}
	for j := part.Y0; j < part.Y1; j++ {
		u, v, t := row[0], row[1], row[2]
		bits := uint64(0)
		for i := part.X0; i < part.X1; i++ {
			bits |= uint64(^(u | v | t)) >> 63 << (i & 63)
			u, v, t = u+e[0].a, v+e[1].a, t+e[2].a
		}
		m |= bits << (Block * j & 63)
		row[0], row[1], row[2] = row[0]+e[0].b, row[1]+e[1].b, row[2]+e[2].b
	}
	return m
}

// boundsMask returns the pixels of the block at (x, y) that are within the bounds.
func (w *walker) boundsMask(x, y int32) uint64 {
	if w.tileInBounds {
		return ^uint64(0)
	}
	return w.bounds.pixelsOf(x, y)
}

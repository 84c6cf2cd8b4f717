package raster

import "slices"

// cover adds the items of a convex polygon whose edges all turn right, and reports
// whether there are any. bounds are the pixels that it may touch.
func (r *Rasterizer) cover(p *draft, edges []edge, bounds Rect) bool {
	bounds = bounds.Intersect(r.limits(p))
	if bounds.Empty() {
		return false
	}
	w := walker{Rasterizer: r, edges: edges, bounds: bounds, number: r.number(r.tileOf(bounds.X0, bounds.Y0))}
	var inner [maxEdges]edge
	if r.state.Conservative != Exact {
		w.inner = r.conservative(edges, inner[:0])
	}
	w.odd = 1 // quads stand at even pixels
	if r.state.Aligned {
		w.odd = Block - 1
	}
	w.start()
	for ty := bounds.Y0 / Tile; ty <= (bounds.Y1-1)/Tile; ty++ {
		for tx := bounds.X0 / Tile; tx <= (bounds.X1-1)/Tile; tx++ {
			w.tile(tx, ty)
		}
	}
	return w.any
}

// walker goes over the blocks that a polygon may cover.
type walker struct {
	*Rasterizer
	edges  []edge
	inner  []edge // for what is wholly covered, where that is asked for
	bounds Rect
	number uint32 // of the primitive
	any    bool   // something was covered
	odd    int32  // a block stands where these bits of its place are 0
	whole  bool   // the tile lies within the bounds

	// For each edge: its least and greatest value over the samples of pixel
	// (0, 0), and by how much its value may grow and fall within a block.
	low, high  [maxEdges]int64
	rise, fall [maxEdges]int64

	above [Tile / Block]column // of the tile, by column
}

const maxEdges = 4

func (w *walker) start() {
	for i := range w.edges {
		e := &w.edges[i]
		w.low[i], w.high[i] = e.at(w.points[0]), e.at(w.points[0])
		for _, s := range w.points[1:] {
			c := e.at(s)
			w.low[i], w.high[i] = min(w.low[i], c), max(w.high[i], c)
		}
		w.rise[i], w.fall[i] = max(e.a, 0)+max(e.b, 0), min(e.a, 0)+min(e.b, 0)
	}
}

// tile adds the items of one tile, which lies in the area.
func (w *walker) tile(tx, ty int32) {
	b := w.bounds.Intersect(Rect{tx * Tile, ty * Tile, (tx + 1) * Tile, (ty + 1) * Tile})
	list := &w.tiles[(ty-w.grid.y0)*w.grid.width+tx-w.grid.x0]
	w.whole = false
	// What is small lies in one block, wherever it may stand.
	if x, y := b.X0&^w.odd, b.Y0&^w.odd; b.X1-x <= Block && b.Y1-y <= Block {
		w.block(list, min(x, (tx+1)*Tile-Block), min(y, (ty+1)*Tile-Block), false)
		return
	}
	inside := false
	if b.X1-b.X0 > Block && b.Y1-b.Y0 > Block {
		var outside bool
		if outside, inside = w.against(tx*Tile, ty*Tile, Tile-1); outside {
			return
		}
	}
	w.whole = b.X1-b.X0 == Tile && b.Y1-b.Y0 == Tile
	if inside && w.whole && w.state.Runs && len(w.inner) == 0 {
		w.columns(list, tx*Tile, ty*Tile)
		return
	}
	w.above = [Tile / Block]column{}
	for y := b.Y0 &^ (Block - 1); y < b.Y1; y += Block {
		for x := b.X0 &^ (Block - 1); x < b.X1; x += Block {
			full := inside
			if !inside {
				var outside bool
				if outside, full = w.against(x, y, Block-1); outside {
					continue
				}
			}
			if full && w.state.Runs && w.goOn(*list, x, y) {
				continue
			}
			w.block(list, x, y, full)
		}
	}
}

// column is the item of a block that is wholly covered, to which others below may be
// added.
type column struct {
	item int   // where it stands in the tile's list
	end  int32 // the row behind it; 0 where there is none
	n    int   // how many blocks are below the item's
}

// columns adds the items of a tile that is wholly covered.
func (w *walker) columns(list *[]uint64, x, y int32) {
	w.any = true
	const across = Tile / Block
	words := 1 + len(w.points)
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

// goOn adds a block whose pixels within the bounds are all covered to the item of the
// one above, where both are covered whole, and reports whether it did. It notes where
// the next item of the column will stand.
func (w *walker) goOn(list []uint64, x, y int32) bool {
	c := &w.above[x/Block%(Tile/Block)]
	if w.frame(x, y) != ^uint64(0) {
		c.end = 0
		return false
	}
	if y == 0 || c.end != y {
		*c = column{len(list), y + Block, 0}
		return false
	}
	c.end, c.n = y+Block, c.n+1
	list[c.item] = list[c.item]&^runBits(MaxRun) | runBits(c.n)
	return true
}

// against reports whether the square of size+1 pixels at x, y is wholly outside one
// edge or wholly inside all.
func (w *walker) against(x, y int32, size int64) (outside, inside bool) {
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

// block adds the item of a block, where a sample of it is covered.
func (w *walker) block(list *[]uint64, x, y int32, full bool) {
	frame := w.frame(x, y)
	if len(w.points) == 1 {
		m := frame
		if !full {
			m &= w.mask(x, y, w.points[0])
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
	masks := w.masks[:len(w.points)]
	for i, s := range w.points {
		masks[i] = frame
		if !full {
			masks[i] &= w.mask(x, y, s)
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

// mask returns the pixels of a block whose sample at s is inside all edges.
func (w *walker) mask(x, y int32, s point) uint64 {
	if len(w.edges) == 3 {
		x0, x1 := max(w.bounds.X0-x, 0), min(w.bounds.X1-x, Block)
		y0, y1 := max(w.bounds.Y0-y, 0), min(w.bounds.Y1-y, Block)
		if (x1-x0)*(y1-y0) <= fewPixels {
			return few((*[3]edge)(w.edges), Rect{x0, y0, x1, y1}, x, y, s)
		}
	}
	m := ^uint64(0)
	for i := range w.edges {
		e := &w.edges[i]
		m &= e.mask(e.at(s) + e.a*int64(x) + e.b*int64(y))
	}
	return m
}

// fewPixels is up to how many pixels it is quicker to look at each.
const fewPixels = 40

// few returns of a part of a block's pixels those inside three edges, each looked at by
// itself: bits that are negative in none of the edges' values.
func few(e *[3]edge, part Rect, x, y int32, s point) (m uint64) {
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

// frame returns the pixels of a block that are within the bounds.
func (w *walker) frame(x, y int32) uint64 {
	if w.whole {
		return ^uint64(0)
	}
	b := w.bounds
	if x >= b.X0 && y >= b.Y0 && x+Block <= b.X1 && y+Block <= b.Y1 {
		return ^uint64(0)
	}
	x0, x1 := max(b.X0-x, 0), min(b.X1-x, Block)
	y0, y1 := max(b.Y0-y, 0), min(b.Y1-y, Block)
	row := uint64(1)<<x1 - 1<<x0
	m := uint64(0)
	for j := y0; j < y1; j++ {
		m |= row << (Block * j)
	}
	return m
}

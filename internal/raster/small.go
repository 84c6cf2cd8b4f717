package raster

// smallSize is the greatest extent of a small polygon along each axis, in pixels. No two fully covered
// blocks of such a polygon are one above the other: it has no runs.
const smallSize = 2*Block - 1

// small is a convex polygon in so few blocks that a test of each takes less time than the hierarchy of walker. It has one
// sample, at the pixel's centre.
type small struct {
	edges  [maxEdges]edge
	at     [maxEdges]int64 // the edge functions at pixel (0, 0)
	corner int             // number of corners
	number uint32          // the primitive's index
	any    bool            // an item was appended
}

// coverSmall is cover for a small polygon of three or four corners, with the inside to the right of each edge; ok is false if
// it is not small. The items are those of walker. b is not empty.
func (r *Rasterizer) coverSmall(c []point, b Rect) (any, ok bool) {
	low, high := extentOf(c)
	if !hasBlockMask || high.x-low.x > smallSize*one || high.y-low.y > smallSize*one {
		return false, false
	}
	s := small{corner: len(c), number: r.reserve(r.tileOf(b.X0, b.Y0))}
	last := c[len(c)-1]
	for i, p := range c {
		s.edges[i] = edgeOf(last, p)
		s.at[i] = s.edges[i].at(point{centre, centre})
		last = p
	}
	for ty := b.Y0 / Tile; ty <= (b.Y1-1)/Tile; ty++ {
		for tx := b.X0 / Tile; tx <= (b.X1-1)/Tile; tx++ {
			r.smallTile(&s, tx, ty, b)
		}
	}
	return s.any, true
}

// smallTile appends the items of a small polygon in tile (tx, ty), in tiles.
func (r *Rasterizer) smallTile(s *small, tx, ty int32, b Rect) {
	b = b.Intersect(Rect{tx * Tile, ty * Tile, (tx + 1) * Tile, (ty + 1) * Tile})
	list := r.items((ty-r.grid.y0)*r.grid.width + tx - r.grid.x0)
	if x, y, ok := b.block(); ok {
		r.smallBlock(s, list, x, y, b)
		return
	}
	for y := b.Y0 &^ (Block - 1); y < b.Y1; y += Block {
		for x := b.X0 &^ (Block - 1); x < b.X1; x += Block {
			r.smallBlock(s, list, x, y, b)
		}
	}
}

// smallBlock appends the item of the block at (x, y) if it has a covered pixel in b.
func (r *Rasterizer) smallBlock(s *small, list *[]uint64, x, y int32, b Rect) {
	m := b.pixelsOf(x, y) & s.insideThree(0, x, y)
	if s.corner == maxEdges {
		m &= s.insideThree(1, x, y)
	}
	if m != 0 {
		s.any = true
		*list = append(*list, itemHead(s.number, x, y), m)
		r.words += 2
	}
}

// insideThree returns the pixels of the block at (x, y) that are inside of three edges.
func (s *small) insideThree(first int, x, y int32) uint64 {
	var t blockEdges // no value overflows: steps are at most 2¹², and distances some blocks
	edges, at := (*[3]edge)(s.edges[first:]), (*[3]int64)(s.at[first:])
	for i := range edges {
		e := &edges[i]
		t.c[i], t.a[i], t.b[i] = int32(at[i]+e.a*int64(x)+e.b*int64(y)), int32(e.a), int32(e.b)
	}
	return blockMask(&t)
}

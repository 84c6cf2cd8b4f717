package raster

// smallSize is the greatest extent of a small triangle along each axis, in pixels. No two blocks of such a triangle are
// fully covered, so that it has no runs.
const smallSize = 2 * Block

// small is a triangle that is not tiny, but in so few blocks that a test of each takes less time than the hierarchy of
// walker. It has one sample, at the pixel's centre.
type small struct {
	edges  [3]edge
	at     [3]int64 // the edge functions at pixel (0, 0)
	number uint32   // the primitive's index
	any    bool     // an item was appended
}

// coverSmall is cover for a clockwise small triangle; ok is false if it is not small. The items are those of walker.
func (r *Rasterizer) coverSmall(c *[3]point, b Rect) (any, ok bool) {
	const most = smallSize * one
	if !hasBlockMask || max(c[0].x, c[1].x, c[2].x)-min(c[0].x, c[1].x, c[2].x) > most || max(c[0].y, c[1].y, c[2].y)-min(c[0].y, c[1].y, c[2].y) > most {
		return false, false
	}
	s := small{edges: [3]edge{edgeOf(c[0], c[1]), edgeOf(c[1], c[2]), edgeOf(c[2], c[0])}, number: r.reserve(r.tileOf(b.X0, b.Y0))}
	for i := range s.edges {
		s.at[i] = s.edges[i].at(point{centre, centre})
	}
	for ty := b.Y0 / Tile; ty <= (b.Y1-1)/Tile; ty++ {
		for tx := b.X0 / Tile; tx <= (b.X1-1)/Tile; tx++ {
			r.smallTile(&s, tx, ty, b)
		}
	}
	return s.any, true
}

// smallTile appends the items of a small triangle in tile (tx, ty), in tiles.
func (r *Rasterizer) smallTile(s *small, tx, ty int32, b Rect) {
	b = b.Intersect(Rect{tx * Tile, ty * Tile, (tx + 1) * Tile, (ty + 1) * Tile})
	list := r.items((ty-r.grid.y0)*r.grid.width + tx - r.grid.x0)
	if x, y := b.X0&^1, b.Y0&^1; b.X1-x <= Block && b.Y1-y <= Block {
		r.smallBlock(s, list, min(x, (tx+1)*Tile-Block), min(y, (ty+1)*Tile-Block), b)
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
	var t blockEdges // no value overflows: steps are at most 2¹², and distances some blocks
	for i := range s.edges {
		e := &s.edges[i]
		t.c[i], t.a[i], t.b[i] = int32(s.at[i]+e.a*int64(x)+e.b*int64(y)), int32(e.a), int32(e.b)
	}
	if m := b.pixelsOf(x, y) & blockMask(&t); m != 0 {
		s.any = true
		*list = append(*list, itemHead(s.number, x, y), m)
		r.words += 2
	}
}

package raster

// smallSize is the greatest extent of a small polygon along each axis, in pixels. No two fully covered
// blocks of such a polygon are one above the other: it has no runs.
const smallSize = 2*Block - 1

// smallBlocks is the greatest number of blocks of a small polygon along each axis.
const smallBlocks = 3

// small is a convex polygon in so few blocks that a test of each takes less time than the hierarchy of walker. It has one
// sample, at the pixel's centre.
type small struct {
	edges  [2]blockEdges // at pixel (0, 0): the first three, and the last three of four
	four   bool          // the polygon has four corners
	number uint32        // the primitive's index
	any    bool          // an item was appended
}

// coverSmall is cover for a small polygon of three or four corners, with the inside to the right of each edge; ok is false if
// it is not small. The items are those of walker. b is not empty.
func (r *Rasterizer) coverSmall(c []point, b Rect) (any, ok bool) {
	low, high := extentOf(c)
	if !hasBlockMask || high.x-low.x > smallSize*one || high.y-low.y > smallSize*one || b.X1-b.X0 > smallSize+1 || b.Y1-b.Y0 > smallSize+1 {
		return false, false
	}
	s := small{four: len(c) == maxEdges, number: r.reserve(r.tileOf(b.X0, b.Y0))}
	last := c[len(c)-1]
	for i, p := range c {
		e := edgeOf(last, p)
		at := e.at(point{centre, centre})
		if i < 3 {
			s.edges[0].set(i, at, &e)
		}
		if s.four && i > 0 {
			s.edges[1].set(i-1, at, &e)
		}
		last = p
	}
	for ty := b.Y0 / Tile; ty <= (b.Y1-1)/Tile; ty++ {
		for tx := b.X0 / Tile; tx <= (b.X1-1)/Tile; tx++ {
			r.smallTile(&s, tx, ty, b)
		}
	}
	return s.any, true
}

// set sets edge function i. It may wrap around far from a small polygon; near the polygon no value overflows, because steps are at
// most 2¹² and distances some blocks.
func (t *blockEdges) set(i int, at int64, e *edge) {
	t.c[i], t.a[i], t.b[i] = int32(at), int32(e.a), int32(e.b)
}

// move sets m to the edges with the values at pixel (x, y). It copies word by word: a processor would wait for the words of t, which were
// stored just before, if it loaded several at once.
func (t *blockEdges) move(m *blockEdges, x, y int32) {
	m.a[0], m.a[1], m.a[2] = t.a[0], t.a[1], t.a[2]
	m.b[0], m.b[1], m.b[2] = t.b[0], t.b[1], t.b[2]
	m.c[0] = t.c[0] + t.a[0]*x + t.b[0]*y
	m.c[1] = t.c[1] + t.a[1]*x + t.b[1]*y
	m.c[2] = t.c[2] + t.a[2]*x + t.b[2]*y
}

// smallTile appends the items of a small polygon in tile (tx, ty), in tiles.
func (r *Rasterizer) smallTile(s *small, tx, ty int32, b Rect) {
	b = b.Intersect(Rect{tx * Tile, ty * Tile, (tx + 1) * Tile, (ty + 1) * Tile})
	list := r.items((ty-r.grid.y0)*r.grid.width + tx - r.grid.x0)
	x, y, single := b.block()
	across, down := 1, 1
	if !single {
		x, y = b.X0&^(Block-1), b.Y0&^(Block-1)
		across, down = int(b.X1-x+Block-1)/Block, int(b.Y1-y+Block-1)/Block
	}
	var masks [smallBlocks][smallBlocks]uint64
	var e blockEdges
	s.edges[0].move(&e, x, y)
	blockMasks(&e, across, down, &masks)
	if s.four {
		var others [smallBlocks][smallBlocks]uint64
		s.edges[1].move(&e, x, y)
		blockMasks(&e, across, down, &others)
		for i := range masks {
			for j := range others[i] {
				masks[i][j] &= others[i][j]
			}
		}
	}
	items := *list
	for j := range down {
		y0 := y + Block*int32(j)
		for i := range across {
			m := masks[i][j]
			if m == 0 {
				continue
			}
			x0 := x + Block*int32(i)
			if m &= b.pixelsOf(x0, y0); m != 0 {
				items = append(items, itemHead(s.number, x0, y0), m)
			}
		}
	}
	if n := len(items) - len(*list); n > 0 {
		s.any = true
		r.words += n
		*list = items
	}
}

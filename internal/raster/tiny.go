package raster

// tinyExtent is how far apart the vertices of a tiny triangle are at most along each
// axis, in sub-pixels: at all pixels within its bounds, an edge's values fit in 16 bits.
// They are at most 2·tinyExtent²/256 in magnitude and one more, for an edge's factors are
// at most tinyExtent, and so is how far the pixels' centres are from its vertices.
const tinyExtent = 7 * one

// coverTiny is cover for a tiny triangle that turns right and lies in one block, where
// those pixels count whose centres are covered; ok is false where it is not such a one.
func (r *Rasterizer) coverTiny(c *[3]point, b Rect) (any, ok bool) {
	if max(c[0].x, c[1].x, c[2].x)-min(c[0].x, c[1].x, c[2].x) > tinyExtent || max(c[0].y, c[1].y, c[2].y)-min(c[0].y, c[1].y, c[2].y) > tinyExtent {
		return false, false
	}
	tx, ty := b.X0/Tile, b.Y0/Tile
	x, y := min(b.X0&^1, (tx+1)*Tile-Block), min(b.Y0&^1, (ty+1)*Tile-Block)
	if b.X1-x > Block || b.Y1-y > Block {
		return false, false
	}
	m := tinyMask(c, b) << uint(b.X0-x) << uint(Block*(b.Y0-y))
	if m == 0 {
		return false, true
	}
	tile := r.tileOf(b.X0, b.Y0)
	list := &r.tiles[tile]
	*list = append(*list, itemHead(r.number(tile), x, y), m)
	r.words += 2
	return true, true
}

const (
	each = 0x0001000100010001 // of four lanes of 16 bits
	sign = 0x8000 * each
	nth  = 0x0003000200010000
)

// tinyMask returns the pixels of b whose centres a tiny triangle covers, row by row as
// in a block whose first pixel is b's.
//
// The values of an edge at four pixels are one word: the sum of value·2^(16·lane),
// which is linear, so that it steps like a value does. With sign added a lane's high
// bit says that its value is not negative. A lane to the right of b may not hold its
// value; only those still farther to the right would see that.
func tinyMask(c *[3]point, b Rect) (m uint64) {
	u0, ux, uy := tinyEdge(&c[0], &c[1], b)
	v0, vx, vy := tinyEdge(&c[1], &c[2], b)
	w0, wx, wy := tinyEdge(&c[2], &c[0], b)
	width := uint64(1)<<uint(b.X1-b.X0) - 1
	for j := uint(0); j < uint(b.Y1-b.Y0); j++ {
		near := u0 & v0 & w0 & sign
		far := (u0 + ux) & (v0 + vx) & (w0 + wx) & sign
		m |= (flags(near) | flags(far)<<4) & width << (Block * j & 63)
		u0, v0, w0 = u0+uy, v0+vy, w0+wy
	}
	return m
}

// flags gathers the signs of four lanes.
func flags(signs uint64) uint64 { return signs >> 15 * (1<<48 | 1<<33 | 1<<18 | 1<<3) >> 48 & 15 }

// tinyEdge returns the values of the edge from p to q, with sign added, at the first
// four pixels of b's first row; what they gain over four pixels, and over a row. The
// values are those that an edge has.
func tinyEdge(p, q *point, b Rect) (values, four, row uint64) {
	e := edge{a: int64(p.y - q.y), b: int64(q.x - p.x)}
	at := e.a*int64(b.X0*one+centre-p.x) + e.b*int64(b.Y0*one+centre-p.y)
	if !e.leading() {
		at--
	}
	return uint64(at>>SubPixelBits)*each + uint64(e.a)*nth + sign, uint64(4*e.a) * each, uint64(e.b) * each
}

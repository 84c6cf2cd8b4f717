package raster

// tinyExtent is the greatest distance of the vertices of a tiny triangle along each axis, in sub-pixels. It is
// chosen so that an edge's values fit in 16 bits at all pixels of the bounding box: they are at most
// 2·tinyExtent²/256 + 1 in magnitude, for an edge's coefficients, and the distances of pixel centres from
// its vertices, are at most tinyExtent.
const tinyExtent = 7 * one

// coverTiny is cover for a clockwise tiny triangle within one block, with one sample at the pixel's centre;
// ok is false if the triangle is not like that.
func (r *Rasterizer) coverTiny(c *[3]point, b Rect) (any, ok bool) {
	if max(c[0].x, c[1].x, c[2].x)-min(c[0].x, c[1].x, c[2].x) > tinyExtent || max(c[0].y, c[1].y, c[2].y)-min(c[0].y, c[1].y, c[2].y) > tinyExtent {
		return false, false
	}
	x, y, ok := b.block()
	if !ok {
		return false, false
	}
	m := tinyMask(c, b) << uint(b.X0-x) << uint(Block*(b.Y0-y))
	if m == 0 {
		return false, true
	}
	r.addBlock(x, y, m)
	return true, true
}

// coverTinyRectangle is coverTiny for the rectangle of a line: the pixels inside of all four edges.
func (r *Rasterizer) coverTinyRectangle(c *[4]point, b Rect) (any, ok bool) {
	low, high := extentOf(c[:])
	if high.x-low.x > tinyExtent || high.y-low.y > tinyExtent {
		return false, false
	}
	x, y, ok := b.block()
	if !ok {
		return false, false
	}
	m := tinyRectangle(c, b) << uint(b.X0-x) << uint(Block*(b.Y0-y))
	if m == 0 {
		return false, true
	}
	r.addBlock(x, y, m)
	return true, true
}

// addBlock appends an item: the pixels m of the block at (x, y), with one sample.
func (r *Rasterizer) addBlock(x, y int32, m uint64) {
	tile := r.tileOf(x, y)
	list := r.items(tile)
	*list = append(*list, itemHead(r.reserve(tile), x, y), m)
	r.words += 2
}

const (
	perLane   = 0x0001000100010001 // one in each of four 16-bit lanes
	laneSigns = 0x8000 * perLane
	laneIndex = 0x0003000200010000
)

// tinyMask returns the pixels of b with centres covered by a tiny triangle, in rows of Block bits from b's
// first pixel on.
//
// It evaluates an edge at four pixels at once in one 64-bit word (SIMD within a register): the sum of
// value·2^(16·lane). That is linear, so it steps as a single value does. With laneSigns added, a lane's high
// bit is set if its value is not negative. A lane to the right of b may overflow, which disturbs only lanes
// still further right.
func tinyMask(c *[3]point, b Rect) (m uint64) {
	u0, ux, uy := tinyEdge(&c[0], &c[1], b)
	v0, vx, vy := tinyEdge(&c[1], &c[2], b)
	w0, wx, wy := tinyEdge(&c[2], &c[0], b)
	width := uint64(1)<<uint(b.X1-b.X0) - 1
	for j := uint(0); j < uint(b.Y1-b.Y0); j++ {
		near := u0 & v0 & w0 & laneSigns
		far := (u0 + ux) & (v0 + vx) & (w0 + wx) & laneSigns
		m |= (gatherSigns(near) | gatherSigns(far)<<4) & width << (Block * j & 63)
		u0, v0, w0 = u0+uy, v0+vy, w0+wy
	}
	return m
}

// tinyRectangle is tinyMask for four edges. The centres of b's pixels are within the bounding box of the corners (centresOfRectangle), so that
// the values have the bound of a triangle.
func tinyRectangle(c *[4]point, b Rect) (m uint64) {
	u0, ux, uy := tinyEdge(&c[0], &c[1], b)
	v0, vx, vy := tinyEdge(&c[1], &c[2], b)
	w0, wx, wy := tinyEdge(&c[2], &c[3], b)
	t0, tx, ty := tinyEdge(&c[3], &c[0], b)
	width := uint64(1)<<uint(b.X1-b.X0) - 1
	for j := uint(0); j < uint(b.Y1-b.Y0); j++ {
		near := u0 & v0 & w0 & t0 & laneSigns
		far := (u0 + ux) & (v0 + vx) & (w0 + wx) & (t0 + tx) & laneSigns
		m |= (gatherSigns(near) | gatherSigns(far)<<4) & width << (Block * j & 63)
		u0, v0, w0, t0 = u0+uy, v0+vy, w0+wy, t0+ty
	}
	return m
}

// gatherSigns returns the high bits of the four lanes as the low four bits.
func gatherSigns(signs uint64) uint64 { return signs >> 15 * (1<<48 | 1<<33 | 1<<18 | 1<<3) >> 48 & 15 }

// tinyEdge returns the values of the edge from p to q, with laneSigns added, at the first four pixels of b's
// first row; and their increments over four pixels and over a row. The values equal edge.at's.
func tinyEdge(p, q *point, b Rect) (values, four, row uint64) {
	e := edge{a: int64(p.y - q.y), b: int64(q.x - p.x)}
	at := e.a*int64(b.X0*one+centre-p.x) + e.b*int64(b.Y0*one+centre-p.y)
	if !e.leading() {
		at--
	}
	return uint64(at>>SubPixelBits)*perLane + uint64(e.a)*laneIndex + laneSigns, uint64(4*e.a) * perLane, uint64(e.b) * perLane
}

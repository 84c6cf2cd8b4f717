package raster

import "math"

// coverDiamonds covers a line by the diamond-exit rule (Vulkan, Bresenham Line Segment Rasterization): a
// pixel is covered if the line exits the diamond |x−xc| + |y−yc| < ½ around its centre. A wider line is the
// same line drawn several times, one pixel apart along the minor axis.
func (r *Rasterizer) coverDiamonds(p *draft, a, b *end) bool {
	limits := r.limits(p)
	// The ends are moved by (−ε, −ε²), the specification's rule for ties.
	const epsilon = 1.0 / (1 << 16)
	l := segment{
		x0: float64(a.point.x)/one - epsilon, y0: float64(a.point.y)/one - epsilon*epsilon,
		x1: float64(b.point.x)/one - epsilon, y1: float64(b.point.y)/one - epsilon*epsilon,
	}
	l.steep = math.Abs(l.y1-l.y0) > math.Abs(l.x1-l.x0)
	width := int32(r.width() + 0.5)
	if above := float64(width-1) / 2; l.steep {
		l.x0, l.x1 = l.x0-above, l.x1-above
	} else {
		l.y0, l.y1 = l.y0-above, l.y1-above
	}
	first := int32(0)
	if r.state.Stipple.Factor > 0 {
		var count int64
		first, count = l.fragments()
		defer r.advanceStipple(float64(count))
	}
	if limits.Empty() {
		return false
	}
	any := false
	for k := range width {
		c := collector{Rasterizer: r, number: r.reserve(r.tileOf(limits.X0, limits.Y0)), limits: limits}
		l.pixels(limits, func(x, y int32) {
			if !r.state.Stipple.lit(int64(r.stippleCounter) + l.fragmentsBefore(x, y, first)) {
				return
			}
			if l.steep {
				x += k
			} else {
				y += k
			}
			c.add(x, y)
		})
		c.flush()
		any = any || c.any
	}
	return any
}

// segment is a line segment in pixels.
type segment struct {
	x0, y0, x1, y1 float64
	steep          bool // the major axis is y
}

// pixels calls add for each pixel that the line covers (it exits the pixel's diamond), in increasing order
// along the major axis, within the limits on that axis.
func (l *segment) pixels(limits Rect, add func(x, y int32)) {
	u0, u1, low, high := l.x0, l.x1, limits.X0, limits.X1
	if l.steep {
		u0, u1, low, high = l.y0, l.y1, limits.Y0, limits.Y1
	}
	first := max(int32(math.Floor(min(u0, u1)))-1, low)
	last := min(int32(math.Floor(max(u0, u1)))+1, high-1)
	for i := first; i <= last; i++ {
		l.pixelsAt(i, add)
	}
}

// pixelsAt calls add for each such pixel at coordinate i of the major axis: one pixel, or none near the
// ends. Of the minor axis it tests the pixel under the line and its two neighbours.
func (l *segment) pixelsAt(i int32, add func(x, y int32)) {
	u0, u1, v0, v1 := l.x0, l.x1, l.y0, l.y1
	if l.steep {
		u0, u1, v0, v1 = l.y0, l.y1, l.x0, l.x1
	}
	at := float64(float64(i)+0.5-u0) / float64(u1-u0)
	j := int32(math.Floor(float64(v0 + float64(min(max(at, 0), 1)*float64(v1-v0)))))
	for n := j - 1; n <= j+1; n++ {
		x, y := i, n
		if l.steep {
			x, y = n, i
		}
		if l.exitsDiamond(float64(x)+0.5, float64(y)+0.5) {
			add(x, y)
		}
	}
}

// fragments returns the major-axis coordinate of the line's first fragment, and the number of fragments.
func (l *segment) fragments() (first int32, count int64) {
	from, to := l.x0, l.x1
	if l.steep {
		from, to = l.y0, l.y1
	}
	step := int32(1)
	if to < from {
		step = -1
	}
	has := func(i int32) (any bool) {
		l.pixelsAt(i, func(int32, int32) { any = true })
		return any
	}
	first, last := int32(math.Floor(from))-step, int32(math.Floor(to))+step
	for (last-first)*step >= 0 && !has(first) {
		first += step
	}
	for (last-first)*step >= 0 && !has(last) {
		last -= step
	}
	return first, int64((last-first)*step) + 1
}

// fragmentsBefore returns the number of the line's fragments before the one at (x, y); first is the
// major-axis coordinate of its first fragment.
func (l *segment) fragmentsBefore(x, y, first int32) int64 {
	if l.steep {
		x = y
	}
	return int64(max(x-first, first-x))
}

// exitsDiamond reports whether the segment crosses the open diamond around the pixel centre (x, y) and does
// not end in it. It clips the segment to the diamond's four sides (parametric clipping).
func (l *segment) exitsDiamond(x, y float64) bool {
	inside := func(px, py float64) bool { return math.Abs(px-x)+math.Abs(py-y) < 0.5 }
	if inside(l.x1, l.y1) {
		return false
	}
	if inside(l.x0, l.y0) {
		return true
	}
	from, to := 0.0, 1.0
	for _, s := range [4][2]float64{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
		d0 := float64(s[0]*float64(l.x0-x)) + float64(s[1]*float64(l.y0-y)) - 0.5
		d1 := float64(s[0]*float64(l.x1-x)) + float64(s[1]*float64(l.y1-y)) - 0.5
		switch {
		case d0 >= 0 && d1 >= 0:
			return false
		case d0 >= 0:
			from = max(from, d0/float64(d0-d1))
		case d1 >= 0:
			to = min(to, d0/float64(d0-d1))
		}
	}
	return from < to
}

// collector builds items from single pixels: consecutive pixels of one block share an item.
type collector struct {
	*Rasterizer
	number uint32
	limits Rect
	x, y   int32 // of the current block
	mask   uint64
	any    bool
}

// add covers pixel (x, y) if it is within the limits.
func (c *collector) add(x, y int32) {
	if x < c.limits.X0 || y < c.limits.Y0 || x >= c.limits.X1 || y >= c.limits.Y1 {
		return
	}
	if bx, by := x&^(Block-1), y&^(Block-1); bx != c.x || by != c.y {
		c.flush()
		c.x, c.y = bx, by
	}
	c.mask |= 1 << (y%Block*Block + x%Block)
}

// flush appends the item of the current block to its tile.
func (c *collector) flush() {
	if c.mask == 0 {
		return
	}
	list := c.items(c.tileOf(c.x, c.y))
	*list = append(*list, itemHead(c.number, c.x, c.y))
	c.words += 1 + len(c.samples)
	for range c.samples {
		*list = append(*list, c.mask)
	}
	if c.state.Inner {
		*list = append(*list, 0)
	}
	c.mask, c.any = 0, true
}

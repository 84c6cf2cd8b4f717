package raster

import "math"

// diamonds covers a line by the diamond-exit rule (Vulkan, Bresenham Line Segment
// Rasterization): a pixel whose diamond |x−xc| + |y−yc| < ½ the line leaves. A wider
// line is that one several times, side by side along the minor axis.
func (r *Rasterizer) diamonds(p *draft, a, b *end) bool {
	limits := r.limits(p)
	// The ends are moved by (−ε, −ε²), so that no tie is left.
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
		defer r.pass(float64(count))
	}
	if limits.Empty() {
		return false
	}
	any := false
	for k := range width {
		c := collector{Rasterizer: r, number: r.number(r.tileOf(limits.X0, limits.Y0)), limits: limits}
		l.pixels(limits, func(x, y int32) {
			if !r.state.Stipple.lit(int64(r.stippled) + l.along(x, y, first)) {
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

// segment is a line in pixels.
type segment struct {
	x0, y0, x1, y1 float64
	steep          bool // it goes farther along y
}

// pixels calls add for each pixel whose diamond the line leaves, along its major
// axis as far as it lies within the limits.
func (l *segment) pixels(limits Rect, add func(x, y int32)) {
	u0, u1, low, high := l.x0, l.x1, limits.X0, limits.X1
	if l.steep {
		u0, u1, low, high = l.y0, l.y1, limits.Y0, limits.Y1
	}
	first := max(int32(math.Floor(min(u0, u1)))-1, low)
	last := min(int32(math.Floor(max(u0, u1)))+1, high-1)
	for i := first; i <= last; i++ {
		l.column(i, add)
	}
}

// column calls add for each such pixel at place i of the major axis: there is one, or
// none at the ends.
func (l *segment) column(i int32, add func(x, y int32)) {
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
		if l.leaves(float64(x)+0.5, float64(y)+0.5) {
			add(x, y)
		}
	}
}

// fragments returns at which place of the major axis the line's first fragment lies, and
// how many it has.
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
		l.column(i, func(int32, int32) { any = true })
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

// along returns how many fragments of the line lie before that at x, y.
func (l *segment) along(x, y, first int32) int64 {
	if l.steep {
		x = y
	}
	return int64(max(x-first, first-x))
}

// leaves reports whether the line goes through the diamond around a pixel's centre
// and does not end in it.
func (l *segment) leaves(x, y float64) bool {
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

// collector makes items of single pixels.
type collector struct {
	*Rasterizer
	number uint32
	limits Rect
	x, y   int32 // of the block
	mask   uint64
	any    bool
}

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

func (c *collector) flush() {
	if c.mask == 0 {
		return
	}
	list := &c.tiles[(c.y/Tile-c.grid.y0)*c.grid.width+c.x/Tile-c.grid.x0]
	*list = append(*list, itemHead(c.number, c.x, c.y))
	c.words += 1 + len(c.points)
	for range c.points {
		*list = append(*list, c.mask)
	}
	if c.state.Inner {
		*list = append(*list, 0)
	}
	c.mask, c.any = 0, true
}

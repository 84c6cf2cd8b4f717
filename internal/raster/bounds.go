package raster

import "math"

// boundsOf returns the pixels that a polygon may touch.
func boundsOf(c []point) Rect {
	low, high := c[0], c[0]
	for _, p := range c[1:] {
		low = point{min(low.x, p.x), min(low.y, p.y)}
		high = point{max(high.x, p.x), max(high.y, p.y)}
	}
	return Rect{low.x >> SubPixelBits, low.y >> SubPixelBits, high.x>>SubPixelBits + 1, high.y>>SubPixelBits + 1}
}

// limits returns the pixels that a primitive may cover: those of the target, of its
// scissor, and, for the view volume ends there, those whose centres lie in its
// viewport. Points and wide lines whose middle is in it may reach over its edge.
func (r *Rasterizer) limits(p *Primitive) Rect {
	b := r.state.Area.Intersect(r.state.Scissors[p.Viewport])
	if p.Flags&(IsPoint|IsLine) != 0 {
		return b
	}
	v := &r.state.Viewports[p.Viewport]
	x0, x1 := span(v.X, v.Width)
	y0, y1 := span(v.Y, v.Height)
	return b.Intersect(Rect{x0, y0, x1, y1})
}

// span returns the pixels whose centres lie from at to at+size.
func span(at, size float32) (first, end int32) {
	low, high := float64(at), float64(at)+float64(size)
	if low > high {
		low, high = high, low
	}
	pixel := func(x float64) int32 { return int32(min(max(x, -reach), reach)) }
	return pixel(math.Ceil(low - 0.5)), pixel(math.Floor(high-0.5) + 1)
}

package raster

import "math"

// boundsOf returns the pixels that a polygon may touch, with the extra size of
// conservative rasterisation.
func (r *Rasterizer) boundsOf(c []point) Rect {
	low, high := c[0], c[0]
	for _, p := range c[1:] {
		low = point{min(low.x, p.x), min(low.y, p.y)}
		high = point{max(high.x, p.x), max(high.y, p.y)}
	}
	n := r.extra()
	low, high = point{low.x - n, low.y - n}, point{high.x + n, high.y + n}
	return Rect{low.x >> SubPixelBits, low.y >> SubPixelBits, high.x>>SubPixelBits + 1, high.y>>SubPixelBits + 1}
}

// centresOf returns the pixels whose centres a triangle may touch.
func centresOf(c *[3]point) Rect {
	x0, x1 := min(c[0].x, c[1].x, c[2].x), max(c[0].x, c[1].x, c[2].x)
	y0, y1 := min(c[0].y, c[1].y, c[2].y), max(c[0].y, c[1].y, c[2].y)
	first := func(at int32) int32 { return (at + (one - 1 - centre)) >> SubPixelBits }
	end := func(at int32) int32 { return (at + (one - centre)) >> SubPixelBits }
	return Rect{first(x0), first(y0), end(x1), end(y1)}
}

// frame is what primitives of a viewport may cover.
type frame struct {
	polygons Rect // for the view volume ends there, pixels whose centres lie in the viewport
	others   Rect // points and lines whose middle is in it may reach over its edge
}

// frameOf returns the frame of a viewport.
func (s *State) frameOf(viewport int) frame {
	b := s.Area.Intersect(s.Scissors[viewport])
	v := &s.Viewports[viewport]
	x0, x1 := span(v.X, v.Width)
	y0, y1 := span(v.Y, v.Height)
	return frame{b.Intersect(Rect{x0, y0, x1, y1}), b}
}

// limits returns the pixels that a primitive may cover.
func (r *Rasterizer) limits(p *draft) Rect {
	if p.Flags&(IsPoint|IsLine) != 0 {
		return r.frames[p.viewport].others
	}
	return r.frames[p.viewport].polygons
}

// span returns the pixels whose centres lie from at to at+size.
func span(at, size float32) (first, end int32) {
	low, high := float64(at), float64(at)+float64(size)
	if low > high {
		low, high = high, low
	}
	pixel := func(x float64) int32 { return int32(min(max(x, -guardBand), guardBand)) }
	return pixel(math.Ceil(low - 0.5)), pixel(math.Floor(high-0.5) + 1)
}

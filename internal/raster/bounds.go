package raster

import (
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
)

// boundsOf returns the bounding box of the pixels that polygon c may touch, grown by the extra size of
// conservative rasterisation. Overestimation has the pixels whose right or lower sides it touches.
func (r *Rasterizer) boundsOf(c []point) Rect {
	low, high := extentOf(c)
	n := r.extra()
	low, high = point{low.x - n, low.y - n}, point{high.x + n, high.y + n}
	if r.state.Conservative == enum.ConservativeModeOverestimate {
		low.x, low.y = low.x-1, low.y-1
	}
	return Rect{low.x >> SubPixelBits, low.y >> SubPixelBits, high.x>>SubPixelBits + 1, high.y>>SubPixelBits + 1}
}

// extentOf returns the least and the greatest coordinates of polygon c.
func extentOf(c []point) (low, high point) {
	low, high = c[0], c[0]
	for _, p := range c[1:] {
		low = point{min(low.x, p.x), min(low.y, p.y)}
		high = point{max(high.x, p.x), max(high.y, p.y)}
	}
	return low, high
}

// firstCentre returns the first pixel with its centre at or after a coordinate.
func firstCentre(at int32) int32 { return (at + (one - 1 - centre)) >> SubPixelBits }

// endOfCentres returns the first pixel with its centre after a coordinate.
func endOfCentres(at int32) int32 { return (at + (one - centre)) >> SubPixelBits }

// centresOf returns the bounding box of the pixel centres that triangle c may cover.
func centresOf(c *[3]point) Rect {
	x0, x1 := min(c[0].x, c[1].x, c[2].x), max(c[0].x, c[1].x, c[2].x)
	y0, y1 := min(c[0].y, c[1].y, c[2].y), max(c[0].y, c[1].y, c[2].y)
	return Rect{firstCentre(x0), firstCentre(y0), endOfCentres(x1), endOfCentres(y1)}
}

// centresOfRectangle is centresOf for the rectangle of a line.
func centresOfRectangle(c *[4]point) Rect {
	low, high := extentOf(c[:])
	return Rect{firstCentre(low.x), firstCentre(low.y), endOfCentres(high.x), endOfCentres(high.y)}
}

// clipRects are the pixels that the primitives of one viewport may cover.
type clipRects struct {
	polygons Rect   // the scissor and the viewport: polygons end at the view volume
	others   Rect   // the scissor alone: points and lines may reach over the viewport's edge
	inner    Rect   // the pixels of polygons with all samples in the viewport
	sides    []Rect // the pixels with each sample in the viewport, in the order of Rasterizer.samples; nil if inner has all of polygons
}

// clipRectsOf returns the pixels that primitives of a viewport may cover. Clipping ends a polygon at the sides of the view volume (Vulkan,
// "Primitive Clipping"): each sample is inside or outside, wherever the centre of its pixel is.
func (r *Rasterizer) clipRectsOf(viewport int) clipRects {
	v := &r.state.Viewports[viewport]
	c := clipRects{others: r.state.Area.Intersect(r.state.Scissors[viewport])}
	at := len(r.sides)
	for i, s := range r.samples {
		x0, x1 := span(v.X, v.Width, s.x)
		y0, y1 := span(v.Y, v.Height, s.y)
		of := Rect{x0, y0, x1, y1} // of the sample
		if i == 0 {
			c.polygons, c.inner = of, of
		}
		p := &c.polygons
		*p = Rect{min(p.X0, x0), min(p.Y0, y0), max(p.X1, x1), max(p.Y1, y1)}
		c.inner = c.inner.Intersect(of)
		r.sides = append(r.sides, of)
	}
	if c.sides = r.sides[at:]; c.inner == c.polygons {
		c.sides = nil
	}
	c.polygons = c.polygons.Intersect(c.others)
	return c
}

// sidesOf returns the pixels with each sample in the viewport for primitive p; nil if all samples within the bounds are.
func (r *Rasterizer) sidesOf(p *draft, bounds Rect) []Rect {
	c := &r.clipRects[p.viewport]
	if p.Flags&(IsPoint|IsLine) != 0 || c.sides == nil || bounds.Intersect(c.inner) == bounds {
		return nil
	}
	return c.sides
}

// limits returns the pixels that primitive p may cover.
func (r *Rasterizer) limits(p *draft) Rect {
	if p.Flags&(IsPoint|IsLine) != 0 {
		return r.clipRects[p.viewport].others
	}
	return r.clipRects[p.viewport].polygons
}

// span returns the range [first, end) of the pixels with their sample from at to at+size; offset is the place of the sample in its pixel, in
// sub-pixels.
func span(at, size float32, offset int32) (first, end int32) {
	low, high := float64(at), float64(at)+float64(size)
	if low > high {
		low, high = high, low
	}
	pixel := func(x float64) int32 { return int32(min(max(x, -guardBand), guardBand)) }
	o := float64(float64(offset) / one) // a rounded quotient: no host fuses it with the differences
	return pixel(math.Ceil(low - o)), pixel(math.Ceil(high - o))
}

// block returns the position of a block of one tile that has all pixels of r; ok is false if there is none.
func (r Rect) block() (x, y int32, ok bool) {
	x, y = min(r.X0&^1, r.X0|(Tile-1)-(Block-1)), min(r.Y0&^1, r.Y0|(Tile-1)-(Block-1))
	return x, y, r.X1-x <= Block && r.Y1-y <= Block
}

// pixelsOf returns the pixels of the block at (x, y), which has some in r, that are in r.
func (r Rect) pixelsOf(x, y int32) uint64 {
	x0, x1 := max(r.X0-x, 0), min(r.X1-x, Block)
	y0, y1 := max(r.Y0-y, 0), min(r.Y1-y, Block)
	row := (uint64(1)<<x1 - 1) &^ (uint64(1)<<x0 - 1)
	return row * perRow & (^uint64(0) << (Block * y0)) & (^uint64(0) >> (Block * (Block - y1)))
}

const perRow = 0x0101010101010101 // the first pixel of each row of a block

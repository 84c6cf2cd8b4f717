package raster

import (
	"cmp"
	"math"
	"slices"
)

// A smooth line's primitive holds the part of its pixels that is not covered, in units of 1/SmoothLevels,
// in Flags from bit SmoothShift on. It is 0 for all other primitives.
const (
	SmoothShift  = ViewportShift + viewportBits
	SmoothLevels = 64
)

// smoothPixel is the coverage of one pixel.
type smoothPixel struct {
	x, y     int32
	coverage float64 // an area from 0 to 1; after quantize a level from 1 to SmoothLevels
}

// smooth covers an antialiased line (Vulkan, Smooth Lines): each pixel has the area of its intersection with
// the line's rectangle as coverage, quantized to SmoothLevels. The pixels of one level form a primitive,
// because coverage is stored per primitive.
func (r *Rasterizer) smooth(p *draft, a, b *end) {
	r.pixels = r.pixels[:0]
	nx, ny := r.halfWidth(a, b)
	if r.state.Stipple.Factor > 0 {
		l := newDashedLine(a, b, nx, ny)
		r.eachDash(p, l, func(from, to float64) {
			first, last := l.end(from), l.end(to)
			r.pixelAreas(p, &first, &last, nx, ny)
		})
	} else {
		r.pixelAreas(p, a, b, nx, ny)
	}
	r.quantize()
	for rest := r.pixels; len(rest) > 0; {
		level := rest[0].coverage
		c := collector{Rasterizer: r, number: r.reserve(r.tileOf(rest[0].x, rest[0].y)), limits: r.limits(p)}
		for len(rest) > 0 && rest[0].coverage == level {
			c.add(rest[0].x, rest[0].y)
			rest = rest[1:]
		}
		c.flush()
		q := *p
		q.Flags |= uint32(SmoothLevels-level) << SmoothShift
		r.commit(&q, c.any)
	}
}

// quantize adds up the coverage of a pixel by several dashes, rounds it to a level, drops level 0, and sorts
// the pixels by level, then by block.
func (r *Rasterizer) quantize() {
	slices.SortFunc(r.pixels, func(a, b smoothPixel) int { return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x)) })
	list := r.pixels[:0]
	for _, x := range r.pixels {
		if n := len(list); n > 0 && list[n-1].x == x.x && list[n-1].y == x.y {
			list[n-1].coverage = float64(list[n-1].coverage + x.coverage)
		} else {
			list = append(list, x)
		}
	}
	for i := range list {
		list[i].coverage = math.Round(min(list[i].coverage, 1) * SmoothLevels)
	}
	list = slices.DeleteFunc(list, func(x smoothPixel) bool { return x.coverage <= 0 })
	slices.SortFunc(list, func(a, b smoothPixel) int {
		return cmp.Or(cmp.Compare(a.coverage, b.coverage), cmp.Compare(a.y/Block, b.y/Block), cmp.Compare(a.x/Block, b.x/Block), cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x))
	})
	r.pixels = list
}

// pixelAreas appends the pixels, within the limits, that the rectangle around the line a–b intersects, with
// the areas of intersection. It clips the rectangle to each row of pixels, and each row to its pixels.
func (r *Rasterizer) pixelAreas(p *draft, a, b *end, nx, ny float64) {
	l := r.limits(p)
	whole := shape{n: 4, corners: [maxShape][2]float64{{a.x + nx, a.y + ny}, {a.x - nx, a.y - ny}, {b.x - nx, b.y - ny}, {b.x + nx, b.y + ny}}}
	_, _, y0, y1 := whole.bounds()
	for y := max(int32(y0), l.Y0); y < min(int32(y1), l.Y1); y++ {
		row := whole.clip(1, 1, float64(y))
		if row = row.clip(1, -1, -float64(y+1)); row.n < 3 {
			continue
		}
		x0, x1, _, _ := row.bounds()
		for x := max(int32(x0), l.X0); x < min(int32(x1), l.X1); x++ {
			pixel := row.clip(0, 1, float64(x))
			pixel = pixel.clip(0, -1, -float64(x+1))
			if part := pixel.area(); part > 0 {
				r.pixels = append(r.pixels, smoothPixel{x, y, part})
			}
		}
	}
}

// shape is a convex polygon of n corners, in pixels.
type shape struct {
	corners [maxShape][2]float64
	n       int
}

// maxShape bounds the corners: a rectangle clipped four times.
const maxShape = 8

// list returns the corners.
func (s *shape) list() [][2]float64 { return s.corners[:s.n] }

// add appends a corner.
func (s *shape) add(c [2]float64) {
	if s.n < maxShape { // only rounding can make more corners
		s.corners[s.n] = c
		s.n++
	}
}

// bounds returns the shape's bounding box, rounded outwards to whole pixels.
func (s *shape) bounds() (x0, x1, y0, y1 float64) {
	x0, y0 = s.corners[0][0], s.corners[0][1]
	x1, y1 = x0, y0
	for _, c := range s.list() {
		x0, x1, y0, y1 = min(x0, c[0]), max(x1, c[0]), min(y0, c[1]), max(y1, c[1])
	}
	return math.Floor(x0), math.Ceil(x1), math.Floor(y0), math.Ceil(y1)
}

// clip returns the part of the shape with sign·coordinate ≥ least on an axis (Sutherland–Hodgman).
func (s *shape) clip(axis int, sign, least float64) (out shape) {
	for i, a := range s.list() {
		b := s.corners[(i+1)%s.n]
		da, db := float64(sign*a[axis])-least, float64(sign*b[axis])-least
		if da >= 0 {
			out.add(a)
		}
		if da >= 0 != (db >= 0) {
			t := da / float64(da-db)
			out.add([2]float64{a[0] + float64(t*float64(b[0]-a[0])), a[1] + float64(t*float64(b[1]-a[1]))})
		}
	}
	return out
}

// area returns the shape's area in square pixels (sum over a triangle fan).
func (s *shape) area() float64 {
	sum := 0.0
	for i := 2; i < s.n; i++ {
		o, a, b := s.corners[0], s.corners[i-1], s.corners[i]
		sum = float64(sum + float64(float64(float64(a[0]-o[0])*float64(b[1]-o[1]))-float64(float64(a[1]-o[1])*float64(b[0]-o[0]))))
	}
	return math.Abs(sum) / 2
}

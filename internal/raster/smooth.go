package raster

import (
	"cmp"
	"math"
	"slices"
)

// The part of its pixels that a smooth line leaves uncovered stands in a primitive's
// flags, in parts of SmoothLevels from bit SmoothShift on. It is 0 for all else.
const (
	SmoothShift  = ViewportShift + viewportBits
	SmoothLevels = 64
)

// smoothPixel is how much of a pixel is covered.
type smoothPixel struct {
	x, y int32
	part float64 // from 0 to 1; then the level
}

// smooth covers a line as a rectangle that fades out: all pixels that it touches, each as
// far as the rectangle's area in it goes (Vulkan, Smooth Lines). Pixels of one level are
// a primitive.
func (r *Rasterizer) smooth(p *draft, a, b *end) {
	r.pixels = r.pixels[:0]
	nx, ny := r.across(a, b)
	if r.state.Stipple.Factor > 0 {
		l := newDashed(a, b, nx, ny)
		r.eachDash(p, l, func(from, to float64) {
			first, last := l.end(from), l.end(to)
			r.areas(p, &first, &last, nx, ny)
		})
	} else {
		r.areas(p, a, b, nx, ny)
	}
	r.sum()
	for rest := r.pixels; len(rest) > 0; {
		level := rest[0].part
		c := collector{Rasterizer: r, number: r.number(r.tileOf(rest[0].x, rest[0].y)), limits: r.limits(p)}
		for len(rest) > 0 && rest[0].part == level {
			c.add(rest[0].x, rest[0].y)
			rest = rest[1:]
		}
		c.flush()
		q := *p
		q.Flags |= uint32(SmoothLevels-level) << SmoothShift
		r.keep(&q, c.any)
	}
}

// sum adds up what several dashes cover of one pixel, makes levels of it, and brings
// pixels of one level together, block by block. What is less than a half level is left
// out.
func (r *Rasterizer) sum() {
	slices.SortFunc(r.pixels, func(a, b smoothPixel) int { return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x)) })
	list := r.pixels[:0]
	for _, x := range r.pixels {
		if n := len(list); n > 0 && list[n-1].x == x.x && list[n-1].y == x.y {
			list[n-1].part = float64(list[n-1].part + x.part)
		} else {
			list = append(list, x)
		}
	}
	for i := range list {
		list[i].part = math.Round(min(list[i].part, 1) * SmoothLevels)
	}
	list = slices.DeleteFunc(list, func(x smoothPixel) bool { return x.part <= 0 })
	slices.SortFunc(list, func(a, b smoothPixel) int {
		return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.y/Block, b.y/Block), cmp.Compare(a.x/Block, b.x/Block), cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x))
	})
	r.pixels = list
}

// areas appends the pixels that a rectangle touches, within the limits, with the area
// that it has in them.
func (r *Rasterizer) areas(p *draft, a, b *end, nx, ny float64) {
	l := r.limits(p)
	whole := shape{n: 4, corners: [maxShape][2]float64{{a.x + nx, a.y + ny}, {a.x - nx, a.y - ny}, {b.x - nx, b.y - ny}, {b.x + nx, b.y + ny}}}
	_, _, y0, y1 := whole.bounds()
	for y := max(int32(y0), l.Y0); y < min(int32(y1), l.Y1); y++ {
		row := whole.cut(1, 1, float64(y))
		if row = row.cut(1, -1, -float64(y+1)); row.n < 3 {
			continue
		}
		x0, x1, _, _ := row.bounds()
		for x := max(int32(x0), l.X0); x < min(int32(x1), l.X1); x++ {
			pixel := row.cut(0, 1, float64(x))
			pixel = pixel.cut(0, -1, -float64(x+1))
			if part := pixel.area(); part > 0 {
				r.pixels = append(r.pixels, smoothPixel{x, y, part})
			}
		}
	}
}

// shape is the corners of a convex polygon, in pixels.
type shape struct {
	corners [maxShape][2]float64
	n       int
}

// maxShape is a rectangle cut four times.
const maxShape = 8

func (s *shape) list() [][2]float64 { return s.corners[:s.n] }

func (s *shape) add(c [2]float64) {
	if s.n < maxShape { // more there are not but for rounding
		s.corners[s.n] = c
		s.n++
	}
}

// bounds returns the whole pixels that the shape reaches to.
func (s *shape) bounds() (x0, x1, y0, y1 float64) {
	x0, y0 = s.corners[0][0], s.corners[0][1]
	x1, y1 = x0, y0
	for _, c := range s.list() {
		x0, x1, y0, y1 = min(x0, c[0]), max(x1, c[0]), min(y0, c[1]), max(y1, c[1])
	}
	return math.Floor(x0), math.Ceil(x1), math.Floor(y0), math.Ceil(y1)
}

// cut leaves of the shape what lies where sign times the coordinate is at least so much.
func (s *shape) cut(axis int, sign, least float64) (out shape) {
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

// area returns the shape's area.
func (s *shape) area() float64 {
	sum := 0.0
	for i := 2; i < s.n; i++ {
		o, a, b := s.corners[0], s.corners[i-1], s.corners[i]
		sum = float64(sum + float64(float64(float64(a[0]-o[0])*float64(b[1]-o[1]))-float64(float64(a[1]-o[1])*float64(b[0]-o[0]))))
	}
	return math.Abs(sum) / 2
}

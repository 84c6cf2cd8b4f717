package raster

import "math"

// edge is a directed edge of a polygon whose inside lies where
//
//	a·i + b·j + c ≥ 0
//
// for the sample of pixel (i, j). That is exact, for pixels are a whole number of
// sub-pixels apart: of E = a·x + b·y + d in sub-pixels the low bits are the same at
// all pixels, and E ≥ 0 just where ⌊E/256⌋ ≥ 0.
type edge struct {
	a, b int64
	d    int64 // E at the corner of pixel (0, 0), in sub-pixels
	grow int64 // what conservative rasterisation adds to E
}

// edgeOf returns the edge from p to q. The inside is on the left in a framebuffer
// whose y points up, so on the right as it is seen. An edge that is at the top or at
// the left of its polygon has its samples; others have none, so that of two polygons
// that share an edge one has them.
func edgeOf(p, q point) edge {
	dx, dy := int64(q.x)-int64(p.x), int64(q.y)-int64(p.y)
	e := edge{a: -dy, b: dx, d: dy*int64(p.x) - dx*int64(p.y)}
	if !e.leading() {
		e.d--
	}
	return e
}

// leading reports whether the edge is at the top or at the left of its polygon.
func (e *edge) leading() bool { return e.a > 0 || e.a == 0 && e.b > 0 }

// at returns ⌊E/256⌋ for a sample that lies at s in pixel (0, 0).
func (e *edge) at(s point) int64 {
	return (e.d + e.grow + e.a*int64(s.x) + e.b*int64(s.y)) >> SubPixelBits
}

// conservative moves the edge outwards by so many sub-pixels along both axes, or
// inwards where they are negative: a pixel that then touches it is inside.
func (e *edge) conservative(size int64) {
	e.grow = size * (max(e.a, -e.a) + max(e.b, -e.b))
	if size < 0 && !e.leading() {
		e.grow++
	}
}

// mask returns the pixels of a block that are inside, c being the value at its first
// pixel.
func (e *edge) mask(c int64) (m uint64) {
	switch {
	case e.a == 0:
		for j := range Block {
			if c+e.b*int64(j) >= 0 {
				m |= 0xff << (8 * j)
			}
		}
	case e.a > 0: // the pixels from ⌈−r/a⌉ on
		inv := 1 / float64(e.a)
		for j := range Block {
			first := math.Ceil(float64(float64(-(c+e.b*int64(j)))*inv) - tiny)
			m |= (0xff << uint(min(max(first, 0), 8)) & 0xff) << (8 * j)
		}
	default: // the first ⌊r/−a⌋+1 pixels
		inv := 1 / float64(-e.a)
		for j := range Block {
			n := math.Floor(float64(float64(c+e.b*int64(j))*inv)+tiny) + 1
			m |= (1<<uint(min(max(n, 0), 8)) - 1) << (8 * j)
		}
	}
	return m
}

// tiny is more than what a product with a rounded reciprocal can be wrong, and less
// than how far a quotient that is no integer is from one: quotients that matter are
// below 16, denominators below 2²⁵.
const tiny = 1.0 / (1 << 30)

package raster

import "math"

// edge is the edge function of a directed polygon edge (Pineda 1988). The sample of pixel (i, j) is inside if
//
//	a·i + b·j + c ≥ 0
//
// which is exact, although c is rounded down to whole pixels: pixels are a whole number of sub-pixels apart,
// so E = a·x + b·y + d in sub-pixels has the same low bits at all pixels, and E ≥ 0 if and only if
// ⌊E/256⌋ ≥ 0.
type edge struct {
	a, b int64
	d    int64 // E at the corner of pixel (0, 0), in sub-pixels
	grow int64 // added to E by conservative rasterisation
}

// edgeOf returns the edge from p to q. Its inside is to the right, with y down. By the top-left rule
// an edge at the top or left of its polygon owns the samples on it; any other edge is moved by one unit of
// E so that it does not. Of two polygons that share an edge exactly one covers a sample on it.
func edgeOf(p, q point) edge {
	dx, dy := int64(q.x)-int64(p.x), int64(q.y)-int64(p.y)
	e := edge{a: -dy, b: dx, d: dy*int64(p.x) - dx*int64(p.y)}
	if !e.leading() {
		e.d--
	}
	return e
}

// leading reports whether the edge is a top or a left edge of its polygon.
func (e *edge) leading() bool { return e.a > 0 || e.a == 0 && e.b > 0 }

// at returns c = ⌊E/256⌋ for the sample at offset s, in sub-pixels, of pixel (0, 0).
func (e *edge) at(s point) int64 {
	return (e.d + e.grow + e.a*int64(s.x) + e.b*int64(s.y)) >> SubPixelBits
}

// conservative moves the edge outwards by size sub-pixels along both axes (inwards if size is negative): with
// half a pixel, a pixel's centre is inside if its square touches the half-plane, or is in it and does not touch its edge.
func (e *edge) conservative(size int64) {
	e.grow = size * (max(e.a, -e.a) + max(e.b, -e.b))
	switch { // the value of a pixel that touches the edge: edgeOf lets leading edges have it alone
	case size < 0 && e.leading():
		e.grow--
	case size >= 0 && !e.leading():
		e.grow++
	}
}

// mask returns the pixels of a block that are inside; c is the value at the block's first pixel. Each row is
// solved for its first or last inside pixel with a multiplication by a reciprocal.
func (e *edge) mask(c int64) (m uint64) {
	switch {
	case e.a == 0:
		for j := range Block {
			if c+e.b*int64(j) >= 0 {
				m |= 0xff << (8 * j)
			}
		}
	case e.a > 0: // the pixels from ⌈−r/a⌉ on, r being the value at the row's first pixel
		inv := 1 / float64(e.a)
		for j := range Block {
			first := math.Ceil(float64(float64(-(c+e.b*int64(j)))*inv) - quotientTolerance)
			m |= (0xff << uint(min(max(first, 0), 8)) & 0xff) << (8 * j)
		}
	default: // the first ⌊r/−a⌋+1 pixels
		inv := 1 / float64(-e.a)
		for j := range Block {
			n := math.Floor(float64(float64(c+e.b*int64(j))*inv)+quotientTolerance) + 1
			m |= (1<<uint(min(max(n, 0), 8)) - 1) << (8 * j)
		}
	}
	return m
}

// quotientTolerance is greater than the error of a product with a rounded reciprocal, and less than the
// distance of a non-integral quotient from the nearest integer: relevant quotients are below 16,
// denominators below 2²⁵.
const quotientTolerance = 1.0 / (1 << 30)

package tess

import "math"

// segments returns into how many segments an edge of a level is divided, and the
// level as it is clamped, which the lengths of fractional ones depend on.
func (s Spacing) segments(level float32) (n int, clamped float32) {
	low, high := float32(1), float32(MaxLevel)
	switch s {
	case FractionalOdd:
		high--
	case FractionalEven:
		low++
	}
	if !(level > low) { // what is no number as well
		level = low
	}
	level = min(level, high)
	n = int(math.Ceil(float64(level)))
	if s == FractionalOdd && n%2 == 0 || s == FractionalEven && n%2 == 1 {
		n++
	}
	return n, level
}

// unitSteps are the steps of the places of points from 0 to 1. A float has all of them: so the distances of a point from both ends
// are exact, and a shader that computes 1 − x has the place of the point's mirror image.
const unitSteps = 1 << 24

// edge is where the points of a divided edge stand: n+1 numbers from 0 to 1, of
// which the i-th and the (n−i)-th are as far from the two ends.
type edge []float32

// divide returns the points of an edge: all segments are as long where the level is
// a whole number of them; else the first and the last are shorter, and vanish as the
// level falls to two segments less.
func (s Spacing) divide(at edge, n int, level float32) edge {
	at = at[:0]
	for i := 0; i <= n; i++ {
		at = append(at, 0)
	}
	first := float64(1) / float64(n)
	length := first
	if s != Equal && n > 1 {
		length = 1 / float64(level)
		first = float64(1-float64(float64(n-2)*length)) / 2
	}
	for i := 1; i < n; i++ {
		if far := n - i; far < i {
			at[i] = float32(1 - at[far])
			continue
		}
		if 2*i == n {
			at[i] = 0.5
			continue
		}
		at[i] = float32(math.RoundToEven(float64(first+float64(float64(i-1)*length))*unitSteps) / unitSteps)
	}
	at[n] = 1
	return at
}

// inner returns into how many segments the inside is divided, and the clamped level:
// where it would be one and an edge is divided, as if the level were a little more.
func (s Spacing) inner(level float32, divided bool) (n int, clamped float32) {
	n, clamped = s.segments(level)
	if n == 1 && divided {
		return s.segments(math.Nextafter32(1, 2))
	}
	return n, clamped
}

// discards reports whether a level says that the patch is dropped.
func discards(level float32) bool { return !(level > 0) }

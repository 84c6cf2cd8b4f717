package tess

import (
	"math"
	"math/bits"
)

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

// divide returns the points of an edge with n segments. Points of fractional spacings move from their places with the next smaller
// number of segments to their places with the next greater one, as the level grows between the two numbers; two segments grow from nothing.
func (s Spacing) divide(at edge, n int, level float32) edge {
	at = at[:0]
	for i := 0; i <= n; i++ {
		at = append(at, 0)
	}
	fewer, part, grows := n, 0.0, n
	if s != Equal && float32(n) != level {
		fewer = n - 2
		part = 1 - float64((float64(n)-float64(level))/2)
		grows = s.grows(fewer)
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
		from := i
		if i > grows {
			from--
		}
		place := float64(float64(from)/float64(fewer)*(1-part)) + float64(float64(i)/float64(n)*part)
		at[i] = float32(math.RoundToEven(float64(place)*unitSteps) / unitSteps)
	}
	at[n] = 1
	return at
}

// grows returns which segment of each half grows between a number of segments and two more; the middle segment is of both halves.
// Vulkan leaves its place to implementations. It is the place that Direct3D's tessellator defines and that GPUs have in common: the
// halves of an edge are filled in the order of a binary subdivision.
func (s Spacing) grows(fewer int) int {
	half := uint(fewer) / 2 // whole segments of a half
	if half == 0 {
		return 0
	}
	return int(half&^(1<<(bits.Len(half)-1)))*2 + 1
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

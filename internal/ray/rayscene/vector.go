package rayscene

import "math"

// vector is a point or a direction.
type vector [3]float32

// hash mixes the bits of a number and a seed (the finalizer of MurmurHash3, Appleby 2011).
func hash(i, seed uint32) uint32 {
	x := i + seed*0x9e3779b9
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	return x ^ x>>16
}

// unit returns a number in [0, 1) for i.
func unit(i, seed uint32) float32 { return float32(hash(i, seed)>>8) * (1.0 / (1 << 24)) }

// signed returns a number in [−1, 1) for i.
func signed(i, seed uint32) float32 { return float32(2*unit(i, seed)) - 1 }

// times is a product that no addition is fused with: a conversion rounds (Go, Floating-point operators).
func times(a, b float32) float32 { return float32(a * b) }

// noise is value noise: values of a lattice, interpolated. It is about in [−1, 1].
func noise(x, y float32) float32 {
	fx, fy := float32(math.Floor(float64(x))), float32(math.Floor(float64(y)))
	u, v := x-fx, y-fy
	at := uint32(int32(fx))*7919 + uint32(int32(fy))*104729
	smooth := func(t float32) float32 { return times(times(t, t), 3-times(2, t)) }
	mix := func(a, b, t float32) float32 { return a + times(b-a, t) }
	u, v = smooth(u), smooth(v)
	low := mix(signed(at, 11), signed(at+7919, 11), u)
	high := mix(signed(at+104729, 11), signed(at+7919+104729, 11), u)
	return mix(low, high, v)
}

// turbulence is the sum of six octaves of noise (Perlin 1985, "An Image Synthesizer").
func turbulence(x, y float32) float32 {
	sum, a := float32(0), float32(1)
	for range 6 {
		sum += times(a, noise(x, y))
		x, y, a = times(2.03, x)+17, times(2.03, y)+9, a/2
	}
	return sum
}

func dot(a, b vector) float32 { return times(a[0], b[0]) + times(a[1], b[1]) + times(a[2], b[2]) }

func cross(a, b vector) vector {
	return vector{times(a[1], b[2]) - times(a[2], b[1]), times(a[2], b[0]) - times(a[0], b[2]), times(a[0], b[1]) - times(a[1], b[0])}
}

// root is the square root: the rounding of the 64-bit root is the one of the 32-bit root.
func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

func normal(a vector) vector { return scale(a, 1/root(dot(a, a))) }

func scale(a vector, k float32) vector {
	return vector{times(a[0], k), times(a[1], k), times(a[2], k)}
}

func plus(a, b vector) vector { return vector{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

func minus(a, b vector) vector { return vector{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

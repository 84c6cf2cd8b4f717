package ray

import "math"

// level is a ray in the space of one structure, prepared for the tests against its boxes and triangles. The machine
// code reads and writes its fields.
type level struct {
	// near and far are the byte offsets, in a node, of the bounds through which the ray enters and leaves the three
	// slabs of a box.
	near, far [3]int64
	// axis holds the byte offsets, in a vertex of a block, of the components along the axes u, v, w of the ray's
	// own space: the direction is longest along w, and u, v, w have the orientation of x, y, z.
	axis [3]int64
	// A bound b is crossed at b·nearScale+nearOffset or, on the far side, at b·farScale+farOffset, fused.
	nearScale, nearOffset, farScale, farOffset [4]float32
	// origin has the components u, v, w. The ray at w−origin has the offset shear·(w−origin) in u and v; shear[2]
	// is the inverse of the direction's w.
	origin, shear [3]float32

	// wide levels are computed in 64 bits, for rays with extreme exponents.
	wide                         bool
	wideNear, wideFar, wideScale [3]float64
	wideDirection                float64
	component                    [3]int
	// entered is the origin and the direction in the space of the structure, of four components each. The last ones are not used.
	entered [2][4]float32
}

const (
	// unit is the unit roundoff of 32-bit floats.
	unit = 1.0 / (1 << 24)
	// slack is how many roundoffs, relative to the largest component of the ray's origin and of its own corners, a box grows. The level
	// adds the part of the origin, and the bounds of the tree contain the part of the corners (pad): a far primitive does not make the
	// boxes of the others larger.
	//
	// Let D be the sum of both components. No difference of a vertex and the origin is beyond D, and no shear is beyond 1. A sheared
	// component moves by 1 roundoff of D each by the difference along its axis, the difference along w, the shear and its product, and by
	// 2 by the last difference: 6. The signs of the edge functions are exact, and a ray with a hit passes within 6·D of a point of
	// the triangle. The slabs add 2 roundoffs of the origin, by the sum with the growth and by the product with the scale.
	// The sum with the padding rounds by 1 of the corners. The direction without its small components adds 2D/extreme.
	//
	// All other roundings are relative to the distance of a bound: 1 each for the inverse of the direction, its factor and the fused
	// operation. The scales grow by slack, too, because the distance of a hit has up to 10: 3 of the distances of the vertices, and 7 of
	// their mean. So the interval of the box has room for it, and clamping it is rare.
	slack = 16
	// leastOrigin is the least component for which a box grows: its product with slack·unit, times the least scale, is beyond the
	// roundings of numbers without full precision.
	leastOrigin = 1.0 / (1 << 80)
	// leastWide is leastOrigin of a wide level: smaller corners have a padding without full precision.
	leastWide = 0x1p-126
	// extreme bounds the direction and the origin of a level that is computed in 32 bits, and is how much
	// smaller than the largest component of the direction another one may be.
	extreme = 1 << 40
	// farthest is the largest reach of such a level: the sheared vertices are finite, and no padded box ends at the greatest
	// float. Products of far vertices may be infinite. Then the 64-bit code decides about that triangle alone, so that a far
	// one changes neither the time nor the hits of rays to the others.
	farthest = 1 << 126
)

// set prepares the level for a ray in a structure with a reach and a spread. It reports whether the ray can hit
// anything.
func (l *level) set(origin, direction vec, reach, spread float32) bool {
	copy(l.entered[0][:], origin[:])
	copy(l.entered[1][:], direction[:])
	w := 0
	for k := 1; k < 3; k++ {
		if abs32(direction[k]) > abs32(direction[w]) {
			w = k
		}
	}
	longest := abs32(direction[w])
	if !origin.isFinite() || !direction.isFinite() || longest == 0 {
		return false
	}
	u, v := (w+1)%3, (w+2)%3
	if direction[w] < 0 {
		u, v = v, u
	}
	l.component = [3]int{u, v, w}
	for i, k := range l.component {
		l.axis[i] = int64(16 * k)
		l.origin[i] = origin[k]
	}
	l.shear[0] = direction[u] / direction[w]
	l.shear[1] = direction[v] / direction[w]
	l.shear[2] = 1 / direction[w]
	largest := max(abs32(origin[0]), abs32(origin[1]), abs32(origin[2]))
	l.wide = !(longest >= 1.0/extreme && longest <= extreme && largest <= extreme && reach <= farthest)
	if l.wide {
		l.setWide(origin, direction, largest, spread)
		return true
	}
	grow := float32(float32(slack*unit*spread) * max(largest, leastOrigin))
	for k := range 3 {
		d := direction[k]
		if abs32(d) < float32(longest/extreme) {
			d = copysign32(longest/extreme, d)
		}
		g := copysign32(grow, d)
		scale := 1 / d
		l.nearScale[k] = float32(scale * (1 - slack*unit))
		l.farScale[k] = float32(scale * (1 + slack*unit))
		l.nearOffset[k] = -float32((origin[k] + g) * l.nearScale[k])
		l.farOffset[k] = -float32((origin[k] - g) * l.farScale[k])
		l.near[k], l.far[k] = int64(64*k), int64(64*k+32)
		if d < 0 {
			l.near[k], l.far[k] = l.far[k], l.near[k]
		}
	}
	return true
}

// setWide prepares the slabs of a wide level. largest is the largest component of the origin.
func (l *level) setWide(origin, direction vec, largest, spread float32) {
	longest := math.Abs(float64(direction[l.component[2]]))
	for k := range 3 {
		d := float64(direction[k])
		if math.Abs(d) < longest/(1<<60) {
			d = math.Copysign(longest/(1<<60), d)
		}
		grow := math.Copysign(slack*unit*float64(spread)*float64(max(largest, leastWide)), d)
		l.wideNear[k], l.wideFar[k] = float64(origin[k])+grow, float64(origin[k])-grow
		l.wideScale[k] = 1 / d
	}
	l.wideDirection = float64(direction[l.component[2]])
}

// slabs returns the interval of the ray inside the box. The box of a part of the box has an interval inside it,
// because every operation is monotonic. A box without a common interval has near > far.
func (l *level) slabs(lo, hi *vec) (near, far float32) {
	near, far = -inf32, inf32
	if l.wide {
		return l.wideSlabs(lo, hi)
	}
	for k := range 3 {
		a, b := lo[k], hi[k]
		if l.near[k] > l.far[k] {
			a, b = b, a
		}
		near = max32(near, fma32(a, l.nearScale[k], l.nearOffset[k]))
		far = min32(far, fma32(b, l.farScale[k], l.farOffset[k]))
	}
	return near, far
}

// wideSlabs is slabs of a wide level, rounded outwards. A bound at the greatest float is infinite: its padding is beyond that.
func (l *level) wideSlabs(lo, hi *vec) (near, far float32) {
	const outward = 4.0 / (1 << 53)
	from, to := math.Inf(-1), math.Inf(1)
	for k := range 3 {
		a, b := float64(lo[k]), float64(hi[k])
		if a <= -math.MaxFloat32 {
			a = math.Inf(-1)
		}
		if b >= math.MaxFloat32 {
			b = math.Inf(1)
		}
		if l.wideScale[k] < 0 {
			a, b = b, a
		}
		from = max(from, float64((a-l.wideNear[k])*l.wideScale[k])*(1-outward))
		to = min(to, float64((b-l.wideFar[k])*l.wideScale[k])*(1+outward))
	}
	if from > to { // both may be beyond the greatest float
		return inf32, -inf32
	}
	near, far = float32(from), float32(to)
	if float64(near) > from {
		near = math.Nextafter32(near, -inf32)
	}
	if float64(far) < to {
		far = math.Nextafter32(far, inf32)
	}
	return near, far
}

// blurs reports whether most boxes of the triangles of b overlap after their growth: the roundings of a far origin, or of coordinates
// far from 0, are as large as the parts of b.
func (l *level) blurs(b *Structure) bool {
	return l.wide || slack*unit*(max(abs32(l.origin[0]), abs32(l.origin[1]), abs32(l.origin[2]))+b.usual) > b.mostGrowth()
}

// pad grows the box of a triangle, a sphere or a list of them by slack roundoffs of its largest coordinate. A box inside of another one
// is inside of it after that, because every operation is monotonic. A box without points remains as it is.
func pad(lo, hi *vec) {
	if lo[0] > hi[0] {
		return
	}
	const most = math.MaxFloat32
	grow := float32(slack * unit * reachOf(*lo, *hi))
	for k := range lo {
		lo[k], hi[k] = max32(lo[k]-grow, -most), min32(hi[k]+grow, most)
	}
}

// padAll pads boxes.
func padAll(boxes []wideBounds, team *team) {
	const chunk = 1 << 10
	team.each((len(boxes)+chunk-1)/chunk, func(c int) {
		for i := c * chunk; i < min((c+1)*chunk, len(boxes)); i++ {
			pad((*vec)(boxes[i].lo[:3]), (*vec)(boxes[i].hi[:3]))
		}
	})
}

// abs32 returns the absolute value of x.
func abs32(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// copysign32 returns the absolute value of x with the sign of s.
func copysign32(x, s float32) float32 {
	return math.Float32frombits(math.Float32bits(x)&^(1<<31) | math.Float32bits(s)&(1<<31))
}

// max32 and min32 return the second operand if one is a NaN or if both are zero, as the vector instructions do.
func max32(x, y float32) float32 {
	if x > y {
		return x
	}
	return y
}

func min32(x, y float32) float32 {
	if x < y {
		return x
	}
	return y
}

// fma32 returns x·y+z, rounded once. The product is exact in 64 bits. Rounding the 64-bit sum again is wrong only
// if the sum is a tie of 32-bit floats by its own rounding: then round to odd (Boldo and Melquiond 2008,
// "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd") corrects it.
func fma32(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	bits := math.Float64bits(s)
	if bits&(1<<29-1) != 1<<28 && math.Abs(s) >= 0x1p-125 || s == 0 || s-s != 0 {
		return float32(s)
	}
	t := s - p
	rest := (p - (s - t)) + (c - t)
	if rest != 0 && bits&1 == 0 {
		if rest > 0 == (s > 0) {
			bits++
		} else {
			bits--
		}
	}
	return float32(math.Float64frombits(bits))
}

package ray

import "math"

// round is a sphere or a linear swept sphere: the convex hull of two spheres, without the spherical part of an end whose
// cap is off. A sphere has two equal ends. It consists of 4-byte fields.
type round struct {
	centers [2]vec
	radii   [2]float32
	// caps has bit i if the end i has a cap.
	caps                uint32
	geometry, primitive uint32
}

const (
	roundBytes = 44
	roundWords = roundBytes / 4
	bothCaps   = 3
)

// isRound reports whether the primitives of kind k are rounds.
func (k Kind) isRound() bool { return k == Spheres || k == SweptSpheres }

// bounds returns the box of x, rounded outwards. That of an inactive round has no points; that of a degenerate one has some,
// because an update may make it a sphere.
func (x *round) bounds() (lo, hi vec) {
	if !(min(x.radii[0], x.radii[1]) >= 0) {
		return noLo, noHi
	}
	for k := range lo {
		a, b := float64(x.centers[0][k]), float64(x.centers[1][k])
		r, s := float64(x.radii[0]), float64(x.radii[1])
		lo[k], hi[k] = down32(min(a-r, b-s)), up32(max(a+r, b+s))
	}
	return lo, hi
}

// inactiveRadius is the radius of rounds that no ray hits.
const inactiveRadius = -1

// solid reports whether a ray can hit x: it is neither inactive nor degenerate.
func (x *round) solid() bool {
	return min(x.radii[0], x.radii[1]) >= 0 && max(x.radii[0], x.radii[1]) > 0
}

// touch is the point at which a ray enters a round: its distance, and its place along the axis. The place is 0 or 1 on
// the cap of that end, and between them elsewhere.
type touch struct{ t, u float32 }

// double is a vector of 64-bit components.
type double [3]float64

func toDouble(v vec) double { return double{float64(v[0]), float64(v[1]), float64(v[2])} }

func (v double) sub(w double) double { return double{v[0] - w[0], v[1] - w[1], v[2] - w[2]} }

func (v double) over(x float64) double { return double{v[0] / x, v[1] / x, v[2] / x} }

// along returns v+t·d.
func (v double) along(t float64, d double) double {
	return double{v[0] + float64(t*d[0]), v[1] + float64(t*d[1]), v[2] + float64(t*d[2])}
}

// dot returns the scalar product. The conversions forbid that a compiler fuses a product with a sum.
func (v double) dot(w double) float64 {
	return float64(v[0]*w[0]) + float64(v[1]*w[1]) + float64(v[2]*w[2])
}

// crossRound returns the point at which the ray enters x. A ray that enters x at an end without a
// cap, or that starts inside, has none.
//
// The distance is in the interval of the box of x, as the distance of a triangle is (cross).
func (l *level) crossRound(x *round) (c touch, ok bool) {
	t, u, ok := x.enter(toDouble(vec(l.entered[0][:3])), toDouble(vec(l.entered[1][:3])))
	if !ok {
		return c, false
	}
	lo, hi := x.bounds()
	pad(&lo, &hi)
	near, far := l.slabs(&lo, &hi)
	return touch{min32(far, max32(near, float32(t))), u}, near <= far
}

// enter returns the distance at which the ray enters x, and the place along the axis.
func (x *round) enter(o, d double) (t float64, u float32, ok bool) {
	if !x.solid() {
		return 0, 0, false
	}
	c := cone{start: toDouble(x.centers[0]), radius: float64(x.radii[0])}
	c.axis = toDouble(x.centers[1]).sub(c.start)
	c.length = math.Sqrt(c.axis.dot(c.axis))
	narrowing := c.radius - float64(x.radii[1])
	if c.length <= math.Abs(narrowing) { // the hull of a sphere and another one inside of it is a sphere
		if narrowing < 0 {
			u = 1
		}
		t, ok = x.enterCap(o, d, int(u))
		return t, u, ok && t >= 0 && x.hasCap(u)
	}
	c.slope = narrowing / c.length
	// The first of the points at which the ray enters a part of the hull is the one at which it enters the hull.
	t, u, ok = c.enter(o, d)
	for end := range 2 {
		if at, hit := x.enterCap(o, d, end); hit && (!ok || at < t) {
			t, u, ok = at, float32(end), true
		}
	}
	return t, u, ok && t >= 0 && x.hasCap(u)
}

// hasCap reports whether the place u is not at an end without a cap.
func (x *round) hasCap(u float32) bool {
	return !(u == 0 && x.caps&1 == 0 || u == 1 && x.caps&2 == 0)
}

// enterCap returns the distance at which the ray enters the sphere of an end (Haines et al. 2019, "Precision Improvements
// for Ray/Sphere Intersection").
func (x *round) enterCap(o, d double, end int) (t float64, ok bool) {
	r := float64(x.radii[end])
	from := o.sub(toDouble(x.centers[end]))
	square := d.dot(d)
	middle := -from.dot(d) / square // the point of the ray that is closest to the center
	off := from.along(middle, d)
	rest := float64(r*r) - off.dot(off)
	t = middle - math.Sqrt(rest/square)
	return t, r > 0 && rest >= 0 && t-t == 0
}

// leastSide and mostSide bound the places of the side, so that 0 and 1 are the places of the caps.
const (
	leastSide = 1.0 / (1 << 24)
	mostSide  = 1 - 1.0/(1<<24)
)

// cone is the side of a swept sphere: it touches the spheres of both ends.
type cone struct {
	start, axis double // the center of end 0, and the way to the center of end 1
	radius      float64
	length      float64 // of the axis
	slope       float64 // the sine of the angle between axis and side, positive if the cone narrows
}

// enter returns the distance at which the ray enters the cone, if that is between the ends, and its place along the axis.
// It solves k₂t²+2k₁t+k₀ = 0 (Han et al. 2019, "Ray Tracing Generalized Tube Primitives: Method and Applications"): the ray
// is inside of the cone where the polynomial is negative.
func (c *cone) enter(o, d double) (t float64, u float32, ok bool) {
	speed := math.Sqrt(d.dot(d))
	d, w := d.over(speed), c.axis.over(c.length)
	// Distances count from the point of the ray that is closest to the middle of the axis: the products are then of the size
	// of the cone.
	from := o.sub(c.start)
	skipped := -from.along(-0.5, c.axis).dot(d)
	from = from.along(skipped, d)
	cosine := 1 - float64(c.slope*c.slope) // squared
	height, climb, shift := w.dot(from), w.dot(d), float64(c.slope*c.radius)
	k2 := cosine - float64(climb*climb)
	k1 := float64(cosine*from.dot(d)) - float64(climb*(height-shift))
	k0 := float64(cosine*from.dot(from)) - float64(height*height) + float64(float64(2*height)*shift) - float64(c.radius*c.radius)
	root := math.Sqrt(float64(k1*k1) - float64(k0*k2))
	if k1 < 0 {
		t = k0 / (root - k1)
	} else {
		t = -(k1 + root) / k2
	}
	place := (height - shift + float64(t*climb)) / float64(cosine*c.length)
	if !(place >= 0 && place <= 1) { // it is a NaN if the ray misses the cone
		return 0, 0, false
	}
	return (skipped + t) / speed, float32(min(max(place, leastSide), mostSide)), true
}

// visitRound tests the round of a leaf. It becomes the best candidate if it is the closest one.
func (w *Walker) visitRound(r ref, _ int) {
	place := uint32(r &^ leafBit)
	b := w.top.bottoms[w.instance]
	x := &b.rounds[place]
	c, ok := w.local.crossRound(x)
	q := w.q
	if ok && c.t >= q.TMin && c.t >= w.low && c.t <= q.TMax && c.t <= w.high {
		w.offer(key{c.t, w.instance, x.geometry, x.primitive}, place, b.geometries[x.geometry].Flags)
	}
}

// Round returns the centers and radii of the sphere or swept sphere of a hit, in object space.
func (s *Structure) Round(h *Hit) (centers [2][3]float32, radii [2]float32) {
	b, place, ok := s.located(h)
	if !ok || !h.Kind.isRound() || uint64(place) >= uint64(len(b.rounds)) {
		return
	}
	x := &b.rounds[place]
	return [2][3]float32{x.centers[0], x.centers[1]}, x.radii
}

package ray

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactBits is a precision in which sums and products of the coordinates of TestRoundsExact have no rounding.
const exactBits = 1000

func whole(x float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(x) }

func plus(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(exactBits).Add(a, b) }

func minus(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(exactBits).Sub(a, b) }

func times(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(exactBits).Mul(a, b) }

// exactVec is a vector without roundings.
type exactVec [3]*big.Float

func toExact(v vec) (x exactVec) {
	for k := range v {
		x[k] = whole(float64(v[k]))
	}
	return x
}

func (a exactVec) minus(b exactVec) (x exactVec) {
	for k := range x {
		x[k] = minus(a[k], b[k])
	}
	return x
}

func (a exactVec) dot(b exactVec) *big.Float {
	return plus(plus(times(a[0], b[0]), times(a[1], b[1])), times(a[2], b[2]))
}

// rootOf returns the solution of k₂t²+2k₁t+k₀ = 0 at which the polynomial becomes negative: there, a ray enters a quadric. It is not ok if there is
// none.
func rootOf(k2, k1, k0 *big.Float) (t *big.Float, ok bool) {
	h := minus(times(k1, k1), times(k0, k2))
	if h.Sign() < 0 || k2.Sign() == 0 {
		return nil, false
	}
	root := new(big.Float).SetPrec(exactBits).Sqrt(h)
	t = minus(new(big.Float).Neg(k1), root)
	return t.Quo(t, k2), true
}

// exactRound returns the distance at which the ray enters a swept sphere with caps.
func exactRound(q *Query, x *round) (t float64, ok bool) {
	o, d := toExact(q.Origin), toExact(q.Direction)
	var best *big.Float
	offer := func(t *big.Float) {
		if best == nil || t.Cmp(best) < 0 {
			best = t
		}
	}
	ends := [2]exactVec{toExact(x.centers[0]), toExact(x.centers[1])}
	for i := range ends {
		f, r := o.minus(ends[i]), whole(float64(x.radii[i]))
		if t, ok := rootOf(d.dot(d), f.dot(d), minus(f.dot(f), times(r, r))); ok && r.Sign() > 0 {
			offer(t)
		}
	}
	// The cone, multiplied by the square of the length of the axis.
	axis, f, r := ends[1].minus(ends[0]), o.minus(ends[0]), whole(float64(x.radii[0]))
	n := minus(r, whole(float64(x.radii[1])))
	cosine, climb, height := minus(axis.dot(axis), times(n, n)), axis.dot(d), minus(axis.dot(f), times(n, r))
	if cosine.Sign() > 0 {
		k2 := minus(times(cosine, d.dot(d)), times(climb, climb))
		k1 := minus(times(cosine, f.dot(d)), times(climb, height))
		k0 := minus(plus(times(cosine, f.dot(f)), times(whole(2), times(axis.dot(f), times(n, r)))), plus(times(axis.dot(f), axis.dot(f)), times(times(r, r), axis.dot(axis))))
		if t, ok := rootOf(k2, k1, k0); ok {
			// The place along the axis is (height + t·climb)/cosine.
			if at := plus(height, times(t, climb)); at.Sign() >= 0 && at.Cmp(cosine) <= 0 {
				offer(t)
			}
		}
	}
	if best == nil || best.Sign() < 0 {
		return 0, false
	}
	t, _ = best.Float64()
	return t, true
}

// farRay returns a ray from a distance to a place in or near a swept sphere.
func farRay(r *rand.Rand, x *round, distance float64) Query {
	q := Query{TMax: inf32, Mask: 0xFF}
	along := r.Float32()
	for k := range 3 {
		q.Origin[k] = float32(distance) * (4*r.Float32() - 2)
		at := x.centers[0][k] + along*(x.centers[1][k]-x.centers[0][k]) + 2*max(x.radii[0], x.radii[1])*(r.Float32()-0.5)
		q.Direction[k] = at - q.Origin[k]
	}
	return q
}

// TestRoundsExact compares the closest hits of spheres and swept spheres with exact arithmetic, for rays from near and from far: the distance of the
// closest entry is exact but for its rounding to 32 bits, and each ray that enters one hits it.
func TestRoundsExact(t *testing.T) {
	t.Parallel()
	n := 20
	if long() {
		n = 1_000
	}
	r := rand.New(rand.NewPCG(47, 48))
	for _, kind := range []Kind{Spheres, SweptSpheres} {
		for _, distance := range []float64{1, 1e2, 1e4, 1e6, 1e8, 1e10} {
			list := randomRounds(r, 30)
			g := swept(list, GeometryOpaque)
			if kind == Spheres {
				g = balls(list, GeometryOpaque)
				for i := range list {
					list[i].centers[1], list[i].radii[1] = list[i].centers[0], list[i].radii[0]
				}
			}
			s := scene(t, g)
			hits := 0
			for range n {
				q := farRay(r, &list[r.IntN(len(list))], distance)
				best, found := 0.0, false
				for i := range list {
					if at, ok := exactRound(&q, &list[i]); ok && (!found || at < best) {
						best, found = at, true
					}
				}
				h := trace(t, s, q)
				if found != (h.Kind == kind) || found && math.Abs(float64(h.T)-best) > math.Abs(best)/(1<<23) {
					t.Fatalf("kind %v, ray %v %v: hit %+v; must be %v at %v", kind, q.Origin, q.Direction, h, found, best)
				}
				if found {
					hits++
				}
			}
			if hits == 0 {
				t.Errorf("kind %v, from %v: no hits", kind, distance)
			}
		}
	}
}

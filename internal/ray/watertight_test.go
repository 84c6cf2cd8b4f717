package ray

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// long reports whether the long sets run.
func long() bool { return os.Getenv("CHIARO_LONG") != "" }

// ball returns a closed convex mesh: the six faces of a cube with n² cells each, moved to a sphere around center.
func ball(n int, center vec, radius float32) []triangle {
	var list []triangle
	for face := range 6 {
		at := func(x, y int) (p vec) {
			k := face >> 1
			p[k] = float32(2*(face&1) - 1)
			a, b := 2*float32(x)/float32(n)-1, 2*float32(y)/float32(n)-1
			if face&1 == 0 {
				a, b = b, a
			}
			p[(k+1)%3], p[(k+2)%3] = a, b
			length := float32(math.Sqrt(float64(p[0]*p[0]) + float64(p[1]*p[1]) + float64(p[2]*p[2])))
			for k := range p {
				p[k] = center[k] + radius*p[k]/length
			}
			return p
		}
		for y := range n {
			for x := range n {
				a, b, c, d := at(x, y), at(x+1, y), at(x+1, y+1), at(x, y+1)
				list = append(list, triangle{a, b, c}, triangle{a, c, d})
			}
		}
	}
	return list
}

// TestWatertight shoots rays from inside a closed convex mesh, many of them exactly at vertices and edges: each has
// one candidate, neither none nor two. CHIARO_RAYS is another number of rays: 100000000 take ten minutes of CPU time.
func TestWatertight(t *testing.T) {
	rays := 5_000
	if long() {
		rays = 5_000_000
	}
	if n, err := strconv.Atoi(os.Getenv("CHIARO_RAYS")); err == nil {
		rays = n
	}
	for i, m := range []ballShape{{vec{}, 1}, {vec{100, -50, 30}, 1}, {vec{0.1, 0.2, 0.3}, 1e-3}, {vec{}, 1e25}, {vec{}, 1e-25}} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			m.shoot(t, rand.New(rand.NewPCG(15, uint64(i))), rays/5)
		})
	}
}

// ballShape is a mesh about a center.
type ballShape struct {
	center vec
	radius float32
}

// shoot shoots rays from inside of the mesh.
func (m *ballShape) shoot(t *testing.T, r *rand.Rand, rays int) {
	list := ball(6, m.center, m.radius)
	bottom := build(t, Input{Geometries: []Geometry{mesh(list, 0)}})
	s := build(t, Input{Top: true, Instances: []Instance{{Transform: identity, Mask: 1, Bottom: bottom}}})
	w := NewWalker()
	for range rays {
		q := Query{TMax: inf32, Mask: 1}
		p := &list[r.IntN(len(list))]
		i, j := r.IntN(3), r.IntN(3)
		f := r.Float32()
		if r.IntN(2) == 0 {
			f = 0.5
		}
		for k := range 3 {
			q.Origin[k] = m.center[k] + m.radius*0.5*(r.Float32()-0.5)
			if r.IntN(4) == 0 {
				q.Origin[k] = m.center[k]
			}
			q.Direction[k] = p[i][k] + f*(p[j][k]-p[i][k]) - q.Origin[k]
		}
		n := 0
		for c := q; w.Next(s, &c); {
			n++
		}
		if n != 1 {
			t.Fatalf("center %v, radius %v: %d candidates from %v along %v", m.center, m.radius, n, q.Origin, q.Direction)
		}
	}
}

// rational is the exact intersection of a ray and a triangle: t and the barycentric coordinates (Cramer's rule). It
// is not ok if the ray is parallel to the plane.
func rational(q *Query, p *triangle) (t, u, v *big.Rat, ok bool) {
	rat := func(x float32) *big.Rat { return new(big.Rat).SetFloat64(float64(x)) }
	var e1, e2, d, o [3]*big.Rat
	for k := range 3 {
		e1[k] = new(big.Rat).Sub(rat(p[1][k]), rat(p[0][k]))
		e2[k] = new(big.Rat).Sub(rat(p[2][k]), rat(p[0][k]))
		o[k] = new(big.Rat).Sub(rat(q.Origin[k]), rat(p[0][k]))
		d[k] = new(big.Rat).Neg(rat(q.Direction[k]))
	}
	mul := func(x, y *big.Rat) *big.Rat { return new(big.Rat).Mul(x, y) }
	det := func(a, b, c [3]*big.Rat) *big.Rat {
		sum := new(big.Rat)
		for k := range 3 {
			m, n := (k+1)%3, (k+2)%3
			minor := new(big.Rat).Sub(mul(b[m], c[n]), mul(b[n], c[m]))
			sum.Add(sum, mul(a[k], minor))
		}
		return sum
	}
	all := det(e1, e2, d)
	if all.Sign() == 0 {
		return nil, nil, nil, false
	}
	part := func(a, b, c [3]*big.Rat) *big.Rat { return new(big.Rat).Quo(det(a, b, c), all) }
	return part(e1, e2, o), part(o, e2, d), part(e1, o, d), true
}

// TestRational compares the test of triangles with exact arithmetic: both agree except at the edges, and the
// distances and barycentric coordinates are close.
func TestRational(t *testing.T) {
	t.Parallel()
	n := 500
	if long() {
		n = 1_000_000
	}
	r := rand.New(rand.NewPCG(17, 18))
	const near = 1e-4
	hits := 0
	for range n {
		p := soup(r, 1, 0.7)[0]
		q := randomRay(r)
		var l level
		l.set(q.Origin, q.Direction, 2, 1)
		c, got := l.cross(&p)
		tt, uu, vv, ok := rational(&q, &p)
		if !ok {
			continue
		}
		x, _ := tt.Float64()
		u, _ := uu.Float64()
		v, _ := vv.Float64()
		least := min(u, v, 1-u-v)
		if math.Abs(least) < near || math.Abs(x) > 100 {
			continue
		}
		if got != (least > 0) {
			t.Fatalf("triangle %v, ray %v %v: %v, exact t %v u %v v %v", p, q.Origin, q.Direction, got, x, u, v)
		}
		if !got {
			continue
		}
		hits++
		if math.Abs(x-float64(c.t)) > near*math.Max(1, x) || math.Abs(u-float64(c.u)) > 10*near || math.Abs(v-float64(c.v)) > 10*near {
			t.Fatalf("triangle %v, ray %v %v: %+v, exact t %v u %v v %v", p, q.Origin, q.Direction, c, x, u, v)
		}
	}
	if hits < n/100 {
		t.Errorf("only %d hits", hits)
	}
}

// TestFMA compares fma32 with exact arithmetic, near ties of the rounding in particular.
func TestFMA(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for range 20000 {
		x, y := math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32())
		z := math.Float32frombits(r.Uint32())
		if r.IntN(2) == 0 { // near the product, so that bits cancel or the sum is near a tie
			z = math.Float32frombits(math.Float32bits(float32(float64(x)*float64(y))) ^ 1<<31 + r.Uint32N(64) - 32)
			if r.IntN(2) == 0 {
				z *= float32(math.Ldexp(1, r.IntN(60)-30))
			}
		}
		if !isFinite(x) || !isFinite(y) || !isFinite(z) {
			continue
		}
		exact := new(big.Float).SetPrec(2000).SetFloat64(float64(x))
		exact.Mul(exact, new(big.Float).SetPrec(2000).SetFloat64(float64(y)))
		exact.Add(exact, new(big.Float).SetPrec(2000).SetFloat64(float64(z)))
		want, _ := exact.Float32()
		if got := fma32(x, y, z); got != want {
			t.Fatalf("%x·%x+%x = %x, want %x", x, y, z, got, want)
		}
	}
}

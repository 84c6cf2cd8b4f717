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
// one candidate, neither none nor two. CHIARO_RAYS is another number of rays: 100000000 take ten minutes of CPU time. CHIARO_SEEDS=from-to shoots
// this number of other rays for each seed.
func TestWatertight(t *testing.T) {
	rays := 5_000
	if long() {
		rays = 5_000_000
	}
	if n, err := strconv.Atoi(os.Getenv("CHIARO_RAYS")); err == nil {
		rays = n
	}
	from, to := uint64(15), uint64(16)
	if seeds := os.Getenv("CHIARO_SEEDS"); seeds != "" {
		if _, err := fmt.Sscanf(seeds, "%d-%d", &from, &to); err != nil {
			t.Fatal(err)
		}
	}
	for i, m := range []ballShape{{vec{}, 1}, {vec{100, -50, 30}, 1}, {vec{0.1, 0.2, 0.3}, 1e-3}, {vec{}, 1e25}, {vec{}, 1e-25}} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			for seed := from; seed < to; seed++ {
				m.shoot(t, rand.New(rand.NewPCG(seed, uint64(i))), rays/5)
			}
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

// exact computes intersections in integers. Its numbers are memory that it uses again.
type exact struct {
	e1, e2, d, o          [3]big.Int
	all, part, minor, one big.Int
	quotient, divisor     big.Float
}

// rational is the exact intersection of a ray and a triangle: t and the barycentric coordinates (Cramer's rule), rounded. It
// is not ok if the ray is parallel to the plane. All coordinates are multiples of one power of two, of which the quotients do not depend.
func (x *exact) rational(q *Query, p *triangle) (t, u, v float64, ok bool) {
	least := math.MaxInt
	for _, list := range [][3]float32{p[0], p[1], p[2], q.Origin, q.Direction} {
		for _, c := range list {
			if m, e := integer(c); m != 0 {
				least = min(least, e)
			}
		}
	}
	for k := range 3 {
		from := p[0][k]
		x.difference(&x.e1[k], p[1][k], from, least)
		x.difference(&x.e2[k], p[2][k], from, least)
		x.difference(&x.o[k], q.Origin[k], from, least)
		x.difference(&x.d[k], 0, q.Direction[k], least)
	}
	x.determinant(&x.all, &x.e1, &x.e2, &x.d)
	if x.all.Sign() == 0 {
		return 0, 0, 0, false
	}
	return x.over(&x.e1, &x.e2, &x.o), x.over(&x.o, &x.e2, &x.d), x.over(&x.e1, &x.o, &x.d), true
}

// integer returns a finite number as m·2ᵉ.
func integer(x float32) (m int64, e int) {
	bits := math.Float32bits(x)
	m, e = int64(bits&(1<<23-1)), int(bits>>23&0xFF)
	if e == 0 {
		e++
	} else {
		m |= 1 << 23
	}
	if x < 0 {
		m = -m
	}
	return m, e - 150
}

// difference sets z to a−b, in units of 2ᵉ for the exponent.
func (x *exact) difference(z *big.Int, a, b float32, exponent int) {
	set := func(z *big.Int, c float32) {
		m, e := integer(c)
		z.SetInt64(m)
		if m != 0 {
			z.Lsh(z, uint(e-exponent))
		}
	}
	set(z, a)
	set(&x.one, b)
	z.Sub(z, &x.one)
}

// determinant sets z to the determinant of three columns.
func (x *exact) determinant(z *big.Int, a, b, c *[3]big.Int) {
	z.SetInt64(0)
	for k := range 3 {
		m, n := (k+1)%3, (k+2)%3
		x.minor.Mul(&b[m], &c[n])
		x.minor.Sub(&x.minor, x.one.Mul(&b[n], &c[m]))
		z.Add(z, x.one.Mul(&a[k], &x.minor))
	}
}

// over returns a determinant divided by all.
func (x *exact) over(a, b, c *[3]big.Int) float64 {
	x.determinant(&x.part, a, b, c)
	// A number with precision 0 becomes as exact as an integer. The quotient has more bits than a float64.
	x.quotient.SetPrec(0).SetInt(&x.part)
	x.divisor.SetPrec(0).SetInt(&x.all)
	f, _ := x.quotient.Quo(&x.quotient, &x.divisor).Float64()
	return f
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
	var e exact
	for range n {
		p := soup(r, 1, 0.7)[0]
		q := randomRay(r)
		var l level
		l.set(q.Origin, q.Direction, 2, 1)
		c, got := l.cross(&p)
		x, u, v, ok := e.rational(&q, &p)
		if !ok {
			continue
		}
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

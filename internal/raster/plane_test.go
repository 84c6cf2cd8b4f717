package raster

import (
	"math"
	"math/rand"
	"testing"
)

// weights returns the exact weights of a triangle's vertices, in clip space, at a point in normalised device
// coordinates: the solution of Σ bᵢ·(xᵢ − X·wᵢ) = 0, Σ bᵢ·(yᵢ − Y·wᵢ) = 0, Σ bᵢ = 1.
func weights(v [3][4]float32, x, y float64) (b [3]float64) {
	var f, g [3]float64
	for i, p := range v {
		f[i] = float64(p[0]) - x*float64(p[3])
		g[i] = float64(p[1]) - y*float64(p[3])
	}
	sum := 0.0
	for i := range b {
		j, k := (i+1)%3, (i+2)%3
		b[i] = f[j]*g[k] - f[k]*g[j]
		sum += b[i]
	}
	for i := range b {
		b[i] /= sum
	}
	return b
}

func (p Plane) at(x, y float64) float64 {
	return float64(p.C) + float64(p.X)*x + float64(p.Y)*y
}

// TestInterpolation compares weights, depth and 1/w over covered pixels of triangles, clipped or not, with
// the values in clip space.
func TestInterpolation(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	const width, height = 64, 64
	clipped := 0
	for round := range 3000 {
		var v [3][4]float32
		for i := range v {
			w := 0.5 + random.Float32()*3
			if round%3 == 0 {
				w = random.Float32()*4 - 1 // not in front of the eye
			}
			if round%3 == 1 {
				w = 1
			}
			for k := range 2 {
				v[i][k] = (random.Float32()*3 - 1.5) * w
			}
			v[i][2], v[i][3] = (random.Float32()*1.5-0.25)*w, w
		}
		s := state(1, width, height)
		s.DepthClip = round%2 == 0
		r := &Rasterizer{}
		r.Begin(s)
		r.Vertices(records(v[:]...))
		r.Triangle([3]uint32{0, 1, 2}, 0, 0)
		if itemWords(r) == 0 {
			continue
		}
		p := slot{&r.Primitives[0], &r.Rests[0]}
		if v[0][3] < 0 || v[1][3] < 0 || v[2][3] < 0 {
			clipped++
		}
		for i, n := range picture(r, 1, width, height) {
			if n == 0 {
				continue
			}
			x, y := float64(i%width)+0.5, float64(i/width)+0.5
			b := weights(v, x/width*2-1, y/height*2-1)
			dx, dy := x-float64(p.X), y-float64(p.Y)
			iw := 0.0
			z, w := 0.0, 0.0
			for k := range b {
				z += b[k] * float64(v[k][2])
				w += b[k] * float64(v[k][3])
			}
			iw, z = 1/w, z/w
			// Snapping moves the triangle by up to 1/512 pixel; the effect depends on the planes' slopes.
			near := func(what string, got, want float64, f Plane) {
				slack := 1e-5*math.Max(math.Abs(want), 1) + (math.Abs(float64(f.X))+math.Abs(float64(f.Y)))/64
				if math.Abs(got-want) > slack {
					t.Errorf("round %d, pixel %d, %d: %s %g; want %g", round, i%width, i/width, what, got, want)
				}
			}
			q1, q2, pw := p.Q1.at(dx, dy), p.Q2.at(dx, dy), p.W.at(dx, dy)
			near("depth", p.Z.at(dx, dy), z, p.Z)
			near("1/w", pw, iw, p.W)
			if p.Flags&Perspective == 0 {
				pw = 1
			}
			near("b1/w", q1, b[1]*iwOr1(*p.Primitive, iw), p.Q1)
			near("b2/w", q2, b[2]*iwOr1(*p.Primitive, iw), p.Q2)
			near("l1", p.L1.at(dx, dy), b[1]*float64(v[1][3])*iw, p.L1)
			near("l2", p.L2.at(dx, dy), b[2]*float64(v[2][3])*iw, p.L2)
			if s.DepthClip && (z < -1e-3 || z > 1+1e-3) {
				t.Errorf("round %d: depth %g is covered", round, z)
			}
			_ = pw
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if clipped < 50 {
		t.Errorf("%d triangles behind the eye; want more", clipped)
	}
}

func iwOr1(p Primitive, iw float64) float64 {
	if p.Flags&Perspective == 0 {
		return 1
	}
	return iw
}

// TestReferenceIsExact compares a triangle's planes at its reference point with the vertex there.
func TestReferenceIsExact(t *testing.T) {
	r := &Rasterizer{}
	r.Begin(state(1, 64, 64))
	a, b, c := inPixels(8, 8, 64, 64), inPixels(40, 8, 64, 64), inPixels(8, 40, 64, 64)
	a[2], b[2], c[2] = 0.1, 0.9, 0.7
	r.Vertices(records(a, b, c))
	r.Triangle([3]uint32{0, 1, 2}, 2, 7)
	p := slot{&r.Primitives[0], &r.Rests[0]}
	if p.X != 8 || p.Y != 8 || p.Z.C != 0.1 || p.L1 != (Plane{0, 1. / 32, 0}) || p.L2 != (Plane{0, 0, 1. / 32}) || p.Q1 != p.L1 || p.W != (Plane{C: 1}) {
		t.Errorf("%+v", p)
	}
	if p.Provoking() != 2 || p.ID != 7 || p.Flags&(FrontFacing|Perspective|IsPoint|IsLine) != 0 { // clockwise as seen: no front face by default
		t.Errorf("%+v", p)
	}
}

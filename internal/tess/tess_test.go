package tess

import (
	"math"
	"math/rand"
	"slices"
	"testing"
)

func levels(random *rand.Rand) float32 {
	switch random.Intn(4) {
	case 0:
		return float32(1 + random.Intn(5))
	case 1:
		return float32(1 + random.Intn(70))
	}
	return random.Float32() * 20
}

// insideLevels returns levels of the inside that keep its points away from the edges: those of 1 are 1 and as little more as is possible.
func insideLevels(random *rand.Rand) [2]float32 {
	return [2]float32{max(levels(random), 1+1./64), max(levels(random), 1+1./64)}
}

// segmentsOf is what the specification says of an edge's level: clamped to the range of
// the spacing and rounded up to the next whole, odd or even number.
func segmentsOf(s Spacing, level float64) int {
	switch s {
	case FractionalOdd:
		n := int(math.Ceil(math.Min(math.Max(level, 1), 63)))
		return n + 1 - n%2
	case FractionalEven:
		n := int(math.Ceil(math.Min(math.Max(level, 2), 64)))
		return n + n%2
	}
	return int(math.Ceil(math.Min(math.Max(level, 1), 64)))
}

// along returns the different numbers that an edge of the domain has, sorted: those of the
// points for which on says so.
func along(points []Point, on func(Point) (float32, bool)) (list []float32) {
	for _, p := range points {
		if x, ok := on(p); ok {
			list = append(list, x)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// lengths returns the lengths of the segments between points, sorted.
func lengths(at []float32) (list []float64) {
	for i := 1; i < len(at); i++ {
		list = append(list, float64(at[i])-float64(at[i-1]))
	}
	slices.Sort(list)
	return list
}

// surface checks that the triangles cover the domain once: all turn the same way,
// their areas add up to the domain's, and each inner edge has a triangle on both sides.
func surface(t *testing.T, s *Tessellator, clockwise bool, want float64) {
	t.Helper()
	sum := 0.0
	open := map[[2]uint32]int{}
	for i := 0; i < len(s.Indices); i += 3 {
		k := s.Indices[i : i+3]
		a, b, c := s.Points[k[0]], s.Points[k[1]], s.Points[k[2]]
		area := (float64(b.U)-float64(a.U))*(float64(c.V)-float64(a.V)) - (float64(c.U)-float64(a.U))*(float64(b.V)-float64(a.V))
		if clockwise {
			area = -area
		}
		if area < -1e-6 {
			t.Fatalf("triangle %v %v %v turns the wrong way", a, b, c)
		}
		sum += area / 2
		for e := range 3 {
			from, to := k[e], k[(e+1)%3]
			if open[[2]uint32{to, from}] > 0 {
				open[[2]uint32{to, from}]--
			} else {
				open[[2]uint32{from, to}]++
			}
		}
	}
	if math.Abs(sum-want) > 1e-4 {
		t.Fatalf("an area of %g; want %g", sum, want)
	}
	for e, n := range open {
		a, b := s.Points[e[0]], s.Points[e[1]]
		border := a.U == 0 && b.U == 0 || a.V == 0 && b.V == 0
		if want == 1 {
			border = border || a.U == 1 && b.U == 1 || a.V == 1 && b.V == 1
		} else {
			border = border || a.W == 0 && b.W == 0
		}
		if n > 0 && !border {
			t.Fatalf("the edge from %v to %v has a triangle on one side only", a, b)
		}
	}
}

func checkEdge(t *testing.T, what string, got []float32, s Spacing, level float32) {
	t.Helper()
	if n := segmentsOf(s, float64(level)); len(got) != n+1 {
		t.Fatalf("%s: %d points for level %g; want %d", what, len(got), level, n+1)
	}
	n := len(got) - 1
	for i := range got {
		far := got[n-i]
		if i <= n-i && got[i] > 0 && far != 1-got[i] {
			t.Fatalf("%s: points at %g and %g: not as far from both ends", what, got[i], far)
		}
		if i > 0 && got[i] < got[i-1] {
			t.Fatalf("%s: %g behind %g", what, got[i], got[i-1])
		}
	}
	for i, list := 2, lengths(got); i < n; i++ { // all but two have one length
		if d := list[i] - list[n-1]; d < -1e-6 {
			t.Fatalf("%s: segments differ by %g", what, -d)
		}
	}
}

func TestTriangles(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	s := &Tessellator{}
	for range 3000 {
		m := Mode{Spacing: Spacing(random.Intn(3)), Clockwise: random.Intn(2) == 0}
		outer := [4]float32{levels(random), levels(random), levels(random)}
		s.Tessellate(m, outer, insideLevels(random))
		if discards(outer[0]) || discards(outer[1]) || discards(outer[2]) {
			continue
		}
		surface(t, s, m.Clockwise, 0.5)
		checkEdge(t, "u = 0", along(s.Points, func(p Point) (float32, bool) { return p.V, p.U == 0 }), m.Spacing, outer[0])
		checkEdge(t, "v = 0", along(s.Points, func(p Point) (float32, bool) { return p.W, p.V == 0 }), m.Spacing, outer[1])
		checkEdge(t, "w = 0", along(s.Points, func(p Point) (float32, bool) { return p.U, p.W == 0 }), m.Spacing, outer[2])
		for _, p := range s.Points {
			if d := math.Abs(float64(p.U) + float64(p.V) + float64(p.W) - 1); d > 1e-6 {
				t.Fatalf("%v: a sum that is off by %g", p, d)
			}
		}
	}
}

func TestQuads(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	s := &Tessellator{}
	for range 3000 {
		m := Mode{Domain: Quads, Spacing: Spacing(random.Intn(3)), Clockwise: random.Intn(2) == 0}
		outer := [4]float32{levels(random), levels(random), levels(random), levels(random)}
		s.Tessellate(m, outer, insideLevels(random))
		if slices.ContainsFunc(outer[:], discards) {
			continue
		}
		surface(t, s, m.Clockwise, 1)
		checkEdge(t, "u = 0", along(s.Points, func(p Point) (float32, bool) { return p.V, p.U == 0 }), m.Spacing, outer[0])
		checkEdge(t, "v = 0", along(s.Points, func(p Point) (float32, bool) { return p.U, p.V == 0 }), m.Spacing, outer[1])
		checkEdge(t, "u = 1", along(s.Points, func(p Point) (float32, bool) { return p.V, p.U == 1 }), m.Spacing, outer[2])
		checkEdge(t, "v = 1", along(s.Points, func(p Point) (float32, bool) { return p.U, p.V == 1 }), m.Spacing, outer[3])
	}
}

// The counts of the specification's text and figures: quads of equal levels n have
// 2n² triangles, triangles of level n have n rings' worth, and a domain whose levels
// are all 1 is not divided.
func TestCounts(t *testing.T) {
	s := &Tessellator{}
	count := func(m Mode, level float32) (points, primitives int) {
		s.Tessellate(m, [4]float32{level, level, level, level}, [2]float32{level, level})
		return len(s.Points), len(s.Indices) / m.Vertices()
	}
	for _, c := range []struct {
		m                  Mode
		level              float32
		points, primitives int
	}{
		{Mode{}, 1, 3, 1},
		{Mode{}, 2, 7, 6},
		{Mode{}, 3, 12, 13},
		{Mode{}, 4, 19, 24},
		{Mode{Domain: Quads}, 1, 4, 2},
		{Mode{Domain: Quads}, 2, 9, 8},
		{Mode{Domain: Quads}, 64, 65 * 65, 2 * 64 * 64},
		{Mode{Domain: Quads, PointMode: true}, 3, 16, 16},
		{Mode{Domain: Quads, Spacing: FractionalEven}, 1, 9, 8},
		{Mode{Domain: Quads, Spacing: FractionalOdd}, 1.5, 16, 18},
		{Mode{Domain: Isolines}, 1, 2, 1},
		{Mode{Domain: Isolines}, 3, 12, 9},
		{Mode{Domain: Isolines, PointMode: true}, 3, 12, 12},
		{Mode{}, 0, 0, 0},
		{Mode{Domain: Quads}, float32(math.NaN()), 0, 0},
		{Mode{Domain: Quads}, float32(math.Inf(1)), 65 * 65, 2 * 64 * 64},
	} {
		if p, n := count(c.m, c.level); p != c.points || n != c.primitives {
			t.Errorf("%+v, level %g: %d points, %d primitives; want %d, %d", c.m, c.level, p, n, c.points, c.primitives)
		}
	}
}

// Where only the inside is divided once and an edge more often, the inside counts as
// divided a little.
func TestInnerLevelOfOne(t *testing.T) {
	s := &Tessellator{}
	s.Tessellate(Mode{}, [4]float32{2, 1, 1}, [2]float32{1})
	if len(s.Indices) != 3*4 || len(s.Points) != 5 { // all around one point inside
		t.Errorf("%d indices, %d points", len(s.Indices), len(s.Points))
	}
	s.Tessellate(Mode{Spacing: FractionalOdd}, [4]float32{3, 1, 1}, [2]float32{1})
	surface(t, s, false, 0.5)
}

func BenchmarkQuads(b *testing.B) {
	s := &Tessellator{}
	b.ReportAllocs()
	for range b.N {
		s.Tessellate(Mode{Domain: Quads}, [4]float32{64, 64, 64, 64}, [2]float32{64, 64})
	}
}

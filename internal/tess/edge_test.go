package tess

import (
	"math"
	"math/rand"
	"slices"
	"testing"
)

// TestFractional: of n segments n−2 have one length and two, an equal one, which are as long as the others where n−f is 0 and
// vanish as it nears 2, f being the clamped level (Vulkan §"Tessellator Spacing").
func TestFractional(t *testing.T) {
	for _, s := range []Spacing{FractionalOdd, FractionalEven} {
		before, part := 0, 0.0
		for level := 1.0; level <= 65; level += 1. / 64 {
			n, f := s.segments(float32(level))
			at := s.divide(nil, n, f)
			if n == 1 {
				continue
			}
			list := lengths(at)
			if list[1]-list[0] > 1e-7 {
				t.Fatalf("spacing %d, level %g: the shortest segments have the lengths %g and %g; must be equal", s, level, list[0], list[1])
			}
			if n <= 2 {
				continue
			}
			relative := list[0] / list[n-1]
			switch away := float64(n) - float64(f); {
			case relative < 0 || relative > 1+1e-4:
				t.Fatalf("spacing %d, level %g: the two are %g of the others; must be no longer", s, level, relative)
			case away == 0 && math.Abs(relative-1) > 1e-4:
				t.Fatalf("spacing %d, level %g: the two are %g of the others; must be as long", s, level, relative)
			case away >= 2-1./64 && relative > 1./32:
				t.Fatalf("spacing %d, level %g: the two are %g of the others; must vanish", s, level, relative)
			case n == before && relative+1e-4 < part:
				t.Fatalf("spacing %d, level %g: the two fall from %g to %g as the level grows", s, level, part, relative)
			}
			before, part = n, relative
		}
	}
}

// TestShortSegments: the short segments of an edge are where the tessellator of Direct3D has them (Direct3D 11.3 Functional
// Specification, §"Tessellator"), which Vulkan permits. A point is between its places in the two next divisions.
func TestShortSegments(t *testing.T) {
	for _, c := range []struct {
		spacing Spacing
		level   float32
		half    []float32 // the places of points up to the middle
	}{
		// Between 3 and 5 segments, and between 5 and 7, the second ones grow; between 7 and 9 the fourth ones do, of which 1/8 is there.
		{FractionalOdd, 3.25, []float32{0, 0.875/3 + 0.025, 0.875/3 + 0.05}},
		{FractionalOdd, 5.25, []float32{0, 0.175 + 0.125/7, 0.175 + 0.25/7, 0.35 + 0.375/7}},
		{FractionalOdd, 7.25, []float32{0, 0.125 + 0.125/9, 0.25 + 0.25/9, 0.375 + 0.375/9, 0.375 + 0.5/9}},
		// Between 2 and 4 segments the two in the middle grow, between 4 and 6 the second ones, between 6 and 8 the two in the middle.
		{FractionalEven, 3, []float32{0, 0.375, 0.5}},
		{FractionalEven, 5, []float32{0, 0.125 + 0.5/6, 0.125 + 1./6, 0.5}},
		{FractionalEven, 7, []float32{0, 0.5/6 + 0.0625, 1./6 + 0.125, 0.25 + 0.1875, 0.5}},
	} {
		n, f := c.spacing.segments(c.level)
		at := c.spacing.divide(nil, n, f)
		for i, want := range c.half {
			if math.Abs(float64(at[i]-want)) > 1e-6 {
				t.Errorf("spacing %d, level %g: the points are %v; must begin with %v", c.spacing, c.level, at, c.half)
				break
			}
		}
	}
}

// TestSharedEdges: the places along an edge depend on its level and the spacing alone, so
// that patches that share it, whatever else they have and from whichever end they go,
// meet without cracks (Vulkan §"Tessellation").
func TestSharedEdges(t *testing.T) {
	random := rand.New(rand.NewSource(4))
	s := &Tessellator{}
	edges := map[Domain][]func(Point) (float32, bool){
		Triangles: {
			func(p Point) (float32, bool) { return p.V, p.U == 0 },
			func(p Point) (float32, bool) { return p.W, p.V == 0 },
			func(p Point) (float32, bool) { return p.U, p.W == 0 },
		},
		Quads: {
			func(p Point) (float32, bool) { return p.V, p.U == 0 },
			func(p Point) (float32, bool) { return p.U, p.V == 0 },
			func(p Point) (float32, bool) { return p.V, p.U == 1 },
			func(p Point) (float32, bool) { return p.U, p.V == 1 },
		},
	}
	for range 2000 {
		spacing, level := Spacing(random.Intn(3)), max(levels(random), 0.01)
		var want []float32
		for domain, sides := range edges {
			for i, on := range sides {
				outer := [4]float32{levels(random), levels(random), levels(random), levels(random)}
				outer[i] = level
				if slices.ContainsFunc(outer[:], discards) {
					continue
				}
				s.Tessellate(Mode{Domain: domain, Spacing: spacing, Clockwise: random.Intn(2) == 0}, outer, insideLevels(random))
				got := along(s.Points, on)
				if want == nil {
					want = got
				}
				back := slices.Clone(got)
				for k := range back {
					back[k] = 1 - back[k]
				}
				slices.Reverse(back)
				if !slices.Equal(got, want) {
					t.Fatalf("domain %d, edge %d, level %g: %v; another patch has %v", domain, i, level, got, want)
				}
				for k := range got { // what is nearer to 0 has more digits
					if d := math.Abs(float64(back[k] - got[k])); d > 1e-7 {
						t.Fatalf("domain %d, edge %d, level %g: %v; from the other end %v", domain, i, level, got, back)
					}
				}
			}
		}
	}
}

// TestSymmetry: a domain whose levels are all one is the same seen from each of its
// corners.
func TestSymmetry(t *testing.T) {
	s := &Tessellator{}
	near := func(list []Point, p Point) bool {
		return slices.ContainsFunc(list, func(q Point) bool {
			return math.Abs(float64(p.U-q.U))+math.Abs(float64(p.V-q.V))+math.Abs(float64(p.W-q.W)) < 1e-6
		})
	}
	for _, spacing := range []Spacing{Equal, FractionalOdd, FractionalEven} {
		for level := float32(1); level < 12; level += 0.37 {
			all := [4]float32{level, level, level, level}
			s.Tessellate(Mode{Spacing: spacing}, all, [2]float32{level, level})
			for _, p := range s.Points {
				if turned := (Point{p.V, p.W, p.U}); !near(s.Points, turned) {
					t.Fatalf("spacing %d, level %g: %v but not %v", spacing, level, p, turned)
				}
				if mirrored := (Point{p.V, p.U, p.W}); !near(s.Points, mirrored) {
					t.Fatalf("spacing %d, level %g: %v but not %v", spacing, level, p, mirrored)
				}
			}
			s.Tessellate(Mode{Domain: Quads, Spacing: spacing}, all, [2]float32{level, level})
			for _, p := range s.Points {
				if turned := (Point{1 - p.V, p.U, 0}); !near(s.Points, turned) {
					t.Fatalf("spacing %d, level %g: %v but not %v", spacing, level, p, turned)
				}
			}
		}
	}
}

// TestExactMirror: the mirror image of a point, which a shader computes as 1 − x, is a point (Vulkan §"Tessellation Invariance").
func TestExactMirror(t *testing.T) {
	for _, s := range []Spacing{Equal, FractionalOdd, FractionalEven} {
		for level := float32(1); level <= 64; level += 1. / 16 {
			n, f := s.segments(level)
			at := s.divide(nil, n, f)
			for i := range at {
				if 1-at[i] != at[n-i] {
					t.Fatalf("spacing %d, level %g: point %d is %g, and its mirror image %g; must be 1 less it", s, level, i, at[i], at[n-i])
				}
			}
		}
	}
}

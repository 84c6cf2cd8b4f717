package tess

import "testing"

// TestDiagonals divides a square inside into 6×9 cells: the diagonals of cells are symmetric about both axes, and lead from one
// concentric ring to the next at the corners.
func TestDiagonals(t *testing.T) {
	var s Tessellator
	s.Tessellate(Mode{Domain: Quads}, [4]float32{1, 1, 1, 1}, [2]float32{8, 11})
	type edge [2]Point
	edges := map[edge]bool{}
	for i := 0; i < len(s.Indices); i += 3 {
		for k := range 3 {
			a, b := s.Points[s.Indices[i+k]], s.Points[s.Indices[i+(k+1)%3]]
			edges[edge{a, b}], edges[edge{b, a}] = true, true
		}
	}
	for r := float32(1); r < 4; r++ {
		for _, corner := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
			at := func(r float32) (p Point) {
				p.U, p.V = s.inner[0][int(r)], s.inner[1][int(r)]
				if corner[0] {
					p.U = 1 - p.U
				}
				if corner[1] {
					p.V = 1 - p.V
				}
				return p
			}
			if !edges[edge{at(r), at(r + 1)}] {
				t.Errorf("no edge from %v to %v", at(r), at(r+1))
			}
		}
	}
}

// TestMiddleDiagonals divides squares as Direct3D's tessellator does, which the suite of Khronos compares pixel by pixel: the diagonal
// of an undivided square and of the innermost cell leads from u = 1 to v = 1; that of the middle of a side from the start of the outer
// segment to the end of the inner one, counter-clockwise; those of the two halves of a side are mirrored.
func TestMiddleDiagonals(t *testing.T) {
	var s Tessellator
	edges := func(m Mode, level float32) map[[2]Point]bool {
		s.Tessellate(m, [4]float32{level, level, level, level}, [2]float32{level, level})
		list := map[[2]Point]bool{}
		for i := 0; i < len(s.Indices); i += 3 {
			for k := range 3 {
				a, b := s.Points[s.Indices[i+k]], s.Points[s.Indices[i+(k+1)%3]]
				list[[2]Point{a, b}], list[[2]Point{b, a}] = true, true
			}
		}
		return list
	}
	const low, high = 1. / 6, 5. / 6 // of three fractional segments of level 2
	for _, c := range []struct {
		spacing Spacing
		level   float32
		want    [][2]Point
	}{
		{Equal, 1, [][2]Point{{{U: 1}, {V: 1}}}},
		{FractionalOdd, 2, [][2]Point{
			{{U: high, V: low}, {U: low, V: high}},
			{{U: low}, {U: high, V: low}}, {{U: 1, V: low}, {U: high, V: high}}, {{U: high, V: 1}, {U: low, V: high}}, {{V: high}, {U: low, V: low}},
		}},
		{Equal, 5, [][2]Point{
			{{U: .2}, {U: .4, V: .2}}, {{U: .4}, {U: .6, V: .2}}, {{U: .8}, {U: .6, V: .2}}, // a side
			{{U: .4, V: .2}, {U: .6, V: .4}}, {{U: .8, V: .4}, {U: .6, V: .6}}, {{U: .6, V: .8}, {U: .4, V: .6}}, {{U: .2, V: .6}, {U: .4, V: .4}}, // inner sides
			{{U: .6, V: .4}, {U: .4, V: .6}},
		}},
	} {
		got := edges(Mode{Domain: Quads, Spacing: c.spacing}, c.level)
		for _, w := range c.want {
			near := func(a, b Point) bool { return max(abs(a.U-b.U), abs(a.V-b.V)) < 1e-6 }
			found := false
			for e := range got {
				found = found || near(e[0], w[0]) && near(e[1], w[1])
			}
			if !found {
				t.Errorf("spacing %d, level %g: no edge from %v to %v", c.spacing, c.level, w[0], w[1])
			}
		}
	}
}

func abs(x float32) float32 { return max(x, -x) }

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

package tess

import "cmp"

// quads divides the unit square: edge 0 is u = 0, 1 is v = 0, 2 is u = 1, 3 is v = 1.
func (t *Tessellator) quads(outer [4]float32, inner [2]float32) {
	s := t.mode.Spacing
	divided := false
	for i, level := range outer {
		n, f := s.segments(level)
		t.edges[i] = s.divide(t.edges[i], n, f)
		divided = divided || n > 1
	}
	var n [2]int
	for i := range n {
		m, _ := s.segments(inner[i])
		divided = divided || m > 1
	}
	for i := range n {
		var f float32
		n[i], f = s.inner(inner[i], divided)
		t.inner[i] = s.divide(t.inner[i], n[i], f)
	}
	t.outerRing()
	if !divided {
		c := &t.ring[0]
		t.keep([]uint32{c[0][0], c[1][0]}, []uint32{c[3][0], c[2][0]})
		t.addTriangle(c[0][0], c[1][0], c[3][0])
		t.addTriangle(c[1][0], c[2][0], c[3][0])
		return
	}
	t.grid(n)
	for k := range 4 {
		along := t.inner[k%2]
		t.stitch(t.ring[0][k], t.sideParameters(k), t.ring[1][k], along[1:len(along)-1])
	}
}

// quadSides are the edges in the order of a walk around the square, counter-clockwise from
// the origin.
var quadSides = [4]int{1, 2, 3, 0}

// sideParameters returns how far along side k its points stand. Edges are the same from both
// ends, so that the way back needs no other numbers.
func (t *Tessellator) sideParameters(k int) edge { return t.edges[quadSides[k]] }

// outerRing makes the points of the edges: side k from its first corner to its last.
func (t *Tessellator) outerRing() {
	for k := range 4 {
		at := t.sideParameters(k)
		list := t.ring[0][k][:0]
		for i := range len(at) - 1 {
			forth, back := at[i], at[len(at)-1-i]
			switch k {
			case 0:
				list = append(list, t.addPoint(forth, 0, 0))
			case 1:
				list = append(list, t.addPoint(1, forth, 0))
			case 2:
				list = append(list, t.addPoint(back, 1, 0))
			default:
				list = append(list, t.addPoint(0, back, 0))
			}
		}
		t.ring[0][k] = list
	}
	for k := range 4 {
		t.ring[0][k] = append(t.ring[0][k], t.ring[0][(k+1)%4][0])
	}
}

// grid makes the points inside, the triangles between them, and the second ring,
// which is their border. n is how many segments there would be from edge to edge.
// The diagonal of a cell points from the nearest corner of the square inward, so that
// the cells are those of concentric rings. In the middle of a side it points inward along
// the walk around the square, as in stitch, and the innermost cell is divided like a square
// without levels.
func (t *Tessellator) grid(n [2]int) {
	columns, rows := n[0]-1, n[1]-1 // of points
	first := uint32(len(t.Points))
	at := func(i, j int) uint32 { return first + uint32(j*columns+i) }
	for j := range rows {
		for i := range columns {
			t.addPoint(t.inner[0][1+i], t.inner[1][1+j], 0)
		}
	}
	for j := range rows - 1 {
		for i := range columns - 1 {
			t.keep([]uint32{at(i, j), at(i+1, j)}, []uint32{at(i, j+1), at(i+1, j+1)})
			a, b := cmp.Compare(2*i+2, columns), cmp.Compare(2*j+2, rows)
			if a*b > 0 || a == 0 && b != 0 {
				t.addTriangle(at(i, j), at(i+1, j), at(i+1, j+1))
				t.addTriangle(at(i, j), at(i+1, j+1), at(i, j+1))
			} else {
				t.addTriangle(at(i, j), at(i+1, j), at(i, j+1))
				t.addTriangle(at(i+1, j), at(i+1, j+1), at(i, j+1))
			}
		}
	}
	for k := range 4 {
		list := t.ring[1][k][:0]
		for i := range []int{columns, rows}[k%2] {
			switch k {
			case 0:
				list = append(list, at(i, 0))
			case 1:
				list = append(list, at(columns-1, i))
			case 2:
				list = append(list, at(columns-1-i, rows-1))
			default:
				list = append(list, at(0, rows-1-i))
			}
		}
		t.ring[1][k] = list
	}
}

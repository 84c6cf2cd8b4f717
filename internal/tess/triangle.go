package tess

// triangles divides the triangle with the corners u = 1, v = 1 and w = 1: edge 0 is
// u = 0, 1 is v = 0, 2 is w = 0.
func (t *Tessellator) triangles(outer [4]float32, inner float32) {
	s := t.mode.Spacing
	divided := false
	for i, level := range outer[:3] {
		n, f := s.segments(level)
		t.edges[i] = s.divide(t.edges[i], n, f)
		divided = divided || n > 1
	}
	n, f := s.inner(inner, divided)
	divided = divided || n > 1
	t.inner[0] = s.divide(t.inner[0], n, f)
	for k := range 3 {
		t.ringSide(0, k, t.edges[triangleSides[k]], 0)
	}
	t.closeRing(0)
	if !divided {
		t.middle()
		return
	}
	t.rings(n)
}

// middle adds the triangle of a ring without divided sides.
func (t *Tessellator) middle() {
	r := &t.ring[0]
	t.keep([]uint32{r[0][0], r[1][0]}, []uint32{r[2][0]})
	t.addTriangle(r[0][0], r[1][0], r[2][0])
}

// triangleSides are the edges in the order of a walk around the triangle, counter-clockwise
// from w = 1 over u = 1.
var triangleSides = [3]int{1, 2, 0}

// third is the step of a coordinate below ⅓. The coordinates of the middle have the sum 1, exactly.
const third = float32(unitSteps/3) / unitSteps

// rings makes the rings inside, each of two segments less a side than the one around
// it, and fills what lies between. The last is a point or one triangle.
func (t *Tessellator) rings(n int) {
	at := t.inner[0]
	around := [3]edge{t.edges[triangleSides[0]], t.edges[triangleSides[1]], t.edges[triangleSides[2]]}
	for r := 1; 2*r <= n; r++ {
		inside := at[r : n+1-r]
		if 2*r == n {
			middle := t.addPoint(third, third, 1-2*third)
			for k := range 3 {
				t.ring[1][k] = append(t.ring[1][k][:0], middle)
			}
		} else {
			for k := range 3 {
				t.ringSide(1, k, inside, at[r])
			}
			t.closeRing(1)
		}
		for k := range 3 {
			t.stitch(t.ring[0][k], around[k], t.ring[1][k], inside)
			around[k] = inside
		}
		t.ring[0], t.ring[1] = t.ring[1], t.ring[0]
	}
	if n%2 == 1 {
		t.middle()
	}
}

// ringSide makes the points of side k of a ring but its last: at says where they stand
// along the edge of the domain, and from where there the ring's corner comes. That
// corner is where the perpendiculars meet that stand on both edges as far from their
// corner: of its three coordinates two are ⅔ of it.
func (t *Tessellator) ringSide(ring, k int, at edge, from float32) {
	list := t.ring[ring][k][:0]
	deep := float64(from) * 2 / 3         // the coordinate that is 0 on the edge
	long := 1 - float64(deep*3)           // how much the other two change along the side
	whole := 1 - float64(2*float64(from)) // the same on the edge
	for i := range len(at) - 1 {
		var back, forth float32
		if from == 0 {
			back, forth = at[len(at)-1-i], at[i]
		} else {
			part := func(x float32) float32 {
				return float32(deep + float64(long*float64(float64(x)-float64(from))/whole))
			}
			back, forth = part(at[len(at)-1-i]), part(at[i])
		}
		switch d := float32(deep); k {
		case 0: // from w = 1 to u = 1
			list = append(list, t.addPoint(forth, d, back))
		case 1: // to v = 1
			list = append(list, t.addPoint(back, forth, d))
		default:
			list = append(list, t.addPoint(d, back, forth))
		}
	}
	t.ring[ring][k] = list
}

// closeRing ends each side of a ring with the first point of the next.
func (t *Tessellator) closeRing(ring int) {
	sides := &t.ring[ring]
	for k := range 3 {
		sides[k] = append(sides[k], sides[(k+1)%3][0])
	}
}

package tess

import "slices"

// Tessellator subdivides patches. Its memory is used again by the next patch.
type Tessellator struct {
	Points  []Point  // of the last patch
	Indices []uint32 // of its primitives: as many for each as Mode.Vertices says

	// KeepStrips keeps the strips of a patch, which other implementations may divide into other triangles.
	KeepStrips bool
	Strips     []Strip

	mode  Mode
	edges [4]edge
	inner [2]edge
	ring  [2][4][]uint32 // numbers of points along the sides of two rings, the outer first
}

// Strip is the points of two opposite sides of an area, both in one direction. Triangles divide the area, each between a segment of one
// side and a point of the other one; counter-clockwise is outer i, outer i+1, inner j.
type Strip struct{ Outer, Inner []uint32 }

// Tessellate subdivides a patch. A patch of which an outer level that counts is not
// more than 0, or no number, gives nothing.
func (t *Tessellator) Tessellate(m Mode, outer [4]float32, inner [2]float32) {
	t.mode, t.Points, t.Indices, t.Strips = m, t.Points[:0], t.Indices[:0], t.Strips[:0]
	used := map[Domain]int{Triangles: 3, Quads: 4, Isolines: 2}[m.Domain]
	for _, level := range outer[:used] {
		if discards(level) {
			return
		}
	}
	switch m.Domain {
	case Triangles:
		t.triangles(outer, inner[0])
	case Quads:
		t.quads(outer, inner)
	default:
		t.isolines(outer)
	}
	if m.PointMode {
		t.Indices = t.Indices[:0]
		for i := range t.Points {
			t.Indices = append(t.Indices, uint32(i))
		}
	}
}

func (t *Tessellator) addPoint(u, v, w float32) uint32 {
	t.Points = append(t.Points, Point{u, v, w})
	return uint32(len(t.Points) - 1)
}

// addTriangle adds a triangle that turns counter-clockwise.
func (t *Tessellator) addTriangle(a, b, c uint32) {
	if t.mode.Clockwise {
		b, c = c, b
	}
	t.Indices = append(t.Indices, a, b, c)
}

// keep keeps a strip.
func (t *Tessellator) keep(outer, inner []uint32) {
	if t.KeepStrips {
		t.Strips = append(t.Strips, Strip{slices.Clone(outer), slices.Clone(inner)})
	}
}

// stitch triangulates the strip between a side of a ring and the same side of the next inner ring. Both run
// counter-clockwise; at and in are the parameters of their points. The two halves of a strip are mirrored. The
// diagonal of the middle segment leads from the start of the outer segment to the end of the inner one, as in
// Direct3D's tessellator.
func (t *Tessellator) stitch(outer []uint32, at edge, inner []uint32, in edge) {
	t.keep(outer, inner)
	i, j := 0, 0
	for i < len(outer)-1 || j < len(inner)-1 {
		if j == len(inner)-1 || i < len(outer)-1 && before(at[i]+at[i+1], in[j]+in[j+1]) {
			t.addTriangle(outer[i], outer[i+1], inner[j])
			i++
			continue
		}
		t.addTriangle(outer[i], inner[j+1], inner[j])
		j++
	}
}

// before reports whether the triangle of an outer segment precedes the triangle of an inner one. The arguments are twice the
// parameters of their midpoints.
func before(outer, inner float32) bool { return outer < inner || outer == inner && outer > 1 }

// isolines makes lines along u at equal distances along v, none at v = 1.
func (t *Tessellator) isolines(outer [4]float32) {
	lines, _ := Equal.segments(outer[0])
	n, level := t.mode.Spacing.segments(outer[1])
	t.edges[0] = t.mode.Spacing.divide(t.edges[0], n, level)
	t.edges[1] = Equal.divide(t.edges[1], lines, float32(lines))
	for _, v := range t.edges[1][:lines] {
		for i, u := range t.edges[0] {
			p := t.addPoint(u, v, 0)
			if i > 0 {
				t.Indices = append(t.Indices, p-1, p)
			}
		}
	}
}

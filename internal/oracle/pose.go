package oracle

import "github.com/chiaro-gpu/chiaro/enum"

// pose is one choice of the positions that the vertices may have: the edge functions of the opposite edges, each linear in x and y.
type pose struct {
	base, dx, dy [3]float64
	area         float64
}

// orientation is the knowledge about the orientation of a triangle.
type orientation uint8

const (
	gone    orientation = iota // it is certain not to be drawn
	unknown                    // open
	known                      // it is surface.counter
)

// pose computes the edge functions for all positions of the vertices. It returns false for a triangle that is certain not to be drawn.
func (d *drawing) pose(s *surface) bool {
	switch d.orient(s) {
	case known:
		return true
	case unknown:
		if d.State.Rasterization.Polygon != enum.PolygonModeFill {
			panic(stop{why: "lines or points of a polygon whose orientation is not known"})
		}
		d.blur(s)
	}
	return false
}

// orient computes the edge functions for all positions of the vertices, and the orientation.
func (d *drawing) orient(s *surface) orientation {
	ends := func(n Number) []float64 {
		if n.Low == n.High {
			return []float64{n.Low}
		}
		return []float64{n.Low, n.High}
	}
	var xs, ys [3][]float64
	for i, p := range s.points {
		xs[i], ys[i] = ends(p.x), ends(p.y)
	}
	positive, negative := false, false
	var x, y [3]float64
	var choose func(i int)
	choose = func(i int) {
		if i < 3 {
			for _, x[i] = range xs[i] {
				for _, y[i] = range ys[i] {
					choose(i + 1)
				}
			}
			return
		}
		var p pose
		for k := range 3 { // of the edge from vertex k+1 to vertex k+2
			i, j := (k+1)%3, (k+2)%3
			p.dx[k], p.dy[k] = y[i]-y[j], x[j]-x[i]
			p.base[k] = float64(x[i]*y[j]) - float64(x[j]*y[i])
			p.area += p.base[k]
		}
		positive, negative = positive || p.area >= 0, negative || p.area <= 0
		s.poses = append(s.poses, p)
	}
	choose(0)
	if positive && negative {
		for i := range s.points {
			if a, b := &s.points[i], &s.points[(i+1)%3]; a.exact && b.exact && a.x == b.x && a.y == b.y {
				return gone // without an area
			}
		}
		return unknown
	}
	// The y axis of the framebuffer points down: the area is negative for counterclockwise.
	s.counter = negative
	s.front = s.counter == (d.State.Rasterization.Front == enum.FrontFaceCounterClockwise)
	if cull := d.State.Rasterization.Cull; s.front && cull&enum.CullModeFront != 0 || !s.front && cull&enum.CullModeBack != 0 {
		return gone
	}
	for i := range s.poses { // with a positive area
		if p := &s.poses[i]; p.area < 0 {
			for k := range 3 {
				p.base[k], p.dx[k], p.dy[k] = -p.base[k], -p.dx[k], -p.dy[k]
			}
			p.area = -p.area
		}
	}
	w := [3]Number{s.points[0].w, s.points[1].w, s.points[2].w}
	if w[0].isPoint() && w[1].isPoint() && w[2].isPoint() && w[0].Low == w[1].Low && w[1].Low == w[2].Low {
		s.weights = [][3]float64{{1, 1, 1}}
		return known
	}
	for _, a := range ends(w[0]) {
		for _, b := range ends(w[1]) {
			for _, c := range ends(w[2]) {
				s.weights = append(s.weights, [3]float64{1 / a, 1 / b, 1 / c})
			}
		}
	}
	return known
}

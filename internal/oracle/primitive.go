package oracle

import (
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// square is a point on the screen (Vulkan, "Basic Point Rasterization").
type square struct {
	x, y, size Number
	open       bool // its vertex may be outside of the clip volume: some implementations draw it then
}

// segment is a line on the screen (Vulkan, "Basic Line Segment Rasterization"). An implementation draws it as a rectangle, a
// parallelogram or by Bresenham's rule, so that no sample is certain to be covered.
type segment struct {
	from, along [2]float64 // its first end, and the vector to the second one
	length      float64
	half        float64 // half the greatest width
	slack       float64 // greatest error of the ends
}

const (
	leastPointSize = 63 // the least pointSizeRange[1], less its granularity
	granularity    = 1  // the greatest pointSizeGranularity and lineWidthGranularity
)

// outline draws a polygon in the mode line or point: its edges as lines, or its vertices as points, with the face, the depth bias and the
// provoking vertex of the polygon (Vulkan, "Polygon Mode").
func (d *drawing) outline(of *surface) {
	for i, c := range of.corners {
		if next := of.corners[(i+1)%3]; d.State.Rasterization.Polygon == enum.PolygonModeLine {
			d.line(&surface{primitive: of.primitive, provoking: of.provoking, corners: [3]*corner{c, next, next}, front: of.front, bias: of.bias, outlines: true})
			continue
		}
		size := c.size // polygonModePointSize may be false: then the size is 1
		size.Low, size.High = min(size.Low, 1), max(size.High, 1)
		d.point(&surface{primitive: of.primitive, provoking: of.provoking, corners: [3]*corner{c, c, c}, front: of.front, bias: of.bias, outlines: true}, size)
	}
}

// point draws a point of a size.
func (d *drawing) point(s *surface, size Number) {
	if d.State.Rasterization.Discard {
		return
	}
	d.work(triangleWork)
	by := s.distances()
	if by.gone {
		return
	}
	d.selectTarget(s.provoking, s.corners[:]...)
	c := s.corners[0]
	p, ok := d.screen(c)
	if !ok || size.Any || size.infinite() || size.Low <= 0 {
		panic(stop{why: "a point whose position or size is not known"})
	}
	known := true
	for _, n := range [...]Number{p.x, p.y} {
		if n.Low > farthest || n.High < -farthest {
			return // it does not reach the view
		}
		known = known && n.Low >= -farthest && n.High <= farthest
	}
	if size.Low != 1 || size.High != 1 { // the size 1 is supported, others may be rounded
		size.Low = max(min(size.Low, leastPointSize)-granularity, min(size.Low, granularity))
		size.High = max(size.High+granularity, 1)
	}
	s.points = [3]screenPoint{p, p, p}
	s.square = &square{x: p.x, y: p.y, size: size, open: clipped(s.corners) || by.open || len(by.clips) > 0}
	s.widen(float64(size.High / 2))
	if c.leavesDepth() || !known {
		d.blur(s)
		return
	}
	d.fill(s)
}

// widen makes the rectangle of a surface larger.
func (s *surface) widen(by float64) {
	for i := range s.points {
		p := &s.points[i]
		for _, n := range [...]*Number{&p.x, &p.y} {
			n.Low, n.High = n.Low-by, n.High+by
		}
	}
}

// covers returns whether a point has the center of a pixel.
func (q *square) covers(px, py float64) coverage {
	least, most := 0.0, 0.0
	for _, a := range [...]struct {
		n  Number
		at float64
	}{{q.x, px}, {q.y, py}} {
		low, high := a.n.Low-a.at, a.n.High-a.at
		most = max(most, math.Abs(low), math.Abs(high))
		if low > 0 || high < 0 {
			least = max(least, min(math.Abs(low), math.Abs(high)))
		}
	}
	switch {
	case least > q.size.High/2:
		return outside1
	case most < q.size.Low/2 && !q.open:
		return inside1
	}
	return open1
}

// coordinate is PointCoord at the center of a pixel: 1/2 + (xp − xf) / size. The vertex may be rounded or not, and so may the size.
func (q *square) coordinate(px, py float64) []Number {
	axis := func(at float64, n Number) Number {
		out := Number{Low: math.Inf(1), High: math.Inf(-1), At: byInterpolation}
		for _, v := range [...]float64{at - n.Low, at - n.High} {
			for _, size := range [...]float64{q.size.Low, q.size.High} {
				f := 0.5 + v/size
				out.Low, out.High = min(out.Low, f), max(out.High, f)
			}
		}
		e := 4 * operationError
		out.Low, out.High = out.Low-e, out.High+e
		return out
	}
	return []Number{axis(px, q.x), axis(py, q.y)}
}

// line draws a line from the first to the second corner.
func (d *drawing) line(s *surface) {
	st := d.State
	if st.Rasterization.Discard {
		return
	}
	if st.Rasterization.Stippled || st.Rasterization.Lines == enum.LineModeRectangularSmooth {
		panic(stop{why: "stippled or smooth lines"})
	}
	d.work(triangleWork)
	by := s.distances()
	if by.gone {
		return
	}
	d.selectTarget(s.provoking, s.corners[:]...)
	most := 0.0
	for i, c := range s.corners {
		p, ok := d.screen(c)
		if !ok {
			panic(stop{why: "a vertex whose position is not known, or not in front of the viewer"})
		}
		for _, n := range [...]Number{p.x, p.y} {
			most = max(most, math.Abs(n.Low), math.Abs(n.High))
		}
		s.points[i] = p
	}
	if !(most <= farthest) {
		panic(stop{why: "a line with an end far away"})
	}
	width := float64(max(st.Rasterization.LineWidth, 1))
	if width != 1 {
		width += granularity
	}
	l := &segment{half: width / 2, slack: 2.0/leastGrid + float64(most*operationError)}
	for i, axis := range [...]func(p *screenPoint) Number{func(p *screenPoint) Number { return p.x }, func(p *screenPoint) Number { return p.y }} {
		from, to := axis(&s.points[0]), axis(&s.points[1])
		l.slack = max(l.slack, from.High-from.Low, to.High-to.Low)
		l.from[i] = float64((from.Low + from.High) / 2)
		l.along[i] = float64((to.Low+to.High)/2) - l.from[i]
	}
	l.length = math.Hypot(l.along[0], l.along[1])
	s.segment = l
	low, high := s.points[0].w, s.points[1].w
	for _, a := range [...]float64{low.Low, low.High} {
		for _, b := range [...]float64{high.Low, high.High} {
			s.weights = append(s.weights, [3]float64{1 / a, 1 / b, 0})
		}
	}
	s.widen(max(l.across(), l.beyond()))
	if by.open || len(by.clips) > 0 || s.corners[0].leavesDepth() || s.corners[1].leavesDepth() { // a part of it may remain, with other ends
		d.blur(s)
		return
	}
	d.fill(s)
}

// direction returns the greater and the smaller component of the direction of the line. A point may have any direction.
func (l *segment) direction() (major, minor float64) {
	if l.length < 1.0/leastGrid {
		return 1, 1
	}
	x, y := math.Abs(l.along[0]/l.length), math.Abs(l.along[1]/l.length)
	return max(x, y), min(x, y)
}

// across is how far from the line a sample may be that it has. A rectangle has half the width. By Bresenham's rule half the width is along the minor axis, and
// a fragment may deviate by one unit in x and in y from one of the diamond-exit rule (Vulkan, "Bresenham Line Segment Rasterization").
func (l *segment) across() float64 {
	major, minor := l.direction()
	return max(l.half, float64(l.half*major)+major+minor) + l.slack
}

// beyond is how far beyond an end of the line a sample may be that it has: half a diamond, the copies of a fragment along the minor axis, and the
// unit in x and in y.
func (l *segment) beyond() float64 {
	major, minor := l.direction()
	return float64(major/2) + float64(l.half*minor) + major + minor + l.slack
}

// covers returns whether a line may have the center of a pixel.
func (l *segment) covers(px, py float64) coverage {
	if t, across := l.place(px, py); across > l.across() || t < -l.beyond() || t > l.length+l.beyond() {
		return outside1
	}
	return open1
}

// place returns the distance along the line from its first end, and the one from the line.
func (l *segment) place(px, py float64) (along, across float64) {
	x, y := px-l.from[0], py-l.from[1]
	if l.length < 1.0/leastGrid {
		return 0, math.Hypot(x, y)
	}
	ux, uy := l.along[0]/l.length, l.along[1]/l.length
	return float64(x*ux) + float64(y*uy), math.Abs(float64(x*uy) - float64(y*ux))
}

// interpolate returns a number of a line at a pixel. The place along the line may be at the center, which Bresenham's rule permits to be
// before the first end or after the second one, or at another point of a parallelogram's cross section.
func (l *segment) interpolate(px, py float64, v [3]Number, weights [][3]float64) Number {
	n := Number{Low: math.Inf(1), High: math.Inf(-1), At: byInterpolation}
	along, _ := l.place(px, py)
	if l.length < 1.0/leastGrid {
		return hullOf(n, hullOf(v[0], v[1]))
	}
	_, minor := l.direction()
	shift := l.slack + float64(l.half*minor) // of a point of a cross section, which is along the minor axis
	low, high := (along-shift)/l.length, (along+shift)/l.length
	if l.covers(px, py) != outside1 { // between the ends, or at the center
		low, high = min(max(low, 0), 1), min(max(high, 0), 1)
		beyond := l.beyond() / l.length
		low, high = min(low, max((along-l.slack)/l.length, -beyond)), max(high, min((along+l.slack)/l.length, 1+beyond))
	}
	for _, t := range [...]float64{low, high} {
		for _, w := range weights {
			a, b := float64((1-t)*w[0]), float64(t*w[1])
			if a+b <= 0 {
				return Number{Any: true, At: byInterpolation}
			}
			low := float64(a*pick(v[0], a < 0)) + float64(b*pick(v[1], b < 0))
			high := float64(a*pick(v[0], a >= 0)) + float64(b*pick(v[1], b >= 0))
			n.Low, n.High = min(n.Low, low/(a+b)), max(n.High, high/(a+b))
		}
	}
	return n
}

// pick returns the least number of a range, or the greatest one.
func pick(n Number, greatest bool) float64 {
	if greatest {
		return n.High
	}
	return n.Low
}

// primitives draws the primitives of one instance that are no triangles; at returns vertex number i. The provoking vertex of a line is its
// vertex number turned.
func (d *drawing) primitives(n, turned int, at func(i int) *corner) {
	line := func(primitive, i int) {
		if d.geometry != nil {
			d.shadePrimitive(d.before+primitive, at(i), at(i+1))
			return
		}
		d.line(&surface{primitive: d.before + primitive, provoking: at(i + turned), corners: [3]*corner{at(i), at(i + 1), at(i + 1)}, front: true})
	}
	switch d.State.Assembly.Topology {
	case enum.TopologyPointList:
		for i := range n {
			c := at(i)
			if d.geometry != nil {
				d.shadePrimitive(d.before+i, c)
				continue
			}
			d.point(&surface{primitive: d.before + i, provoking: c, corners: [3]*corner{c, c, c}, front: true}, c.size)
		}
	case enum.TopologyLineList:
		for i := 0; i+1 < n; i += 2 {
			line(i/2, i)
		}
	case enum.TopologyLineStrip:
		for i := 0; i+1 < n; i++ {
			line(i, i)
		}
	default:
		if !d.withAdjacency(n, turned, at) {
			d.tessellated(n, at)
		}
	}
}

// pointBuiltIns sets the built-ins that points alone define.
func (s *surface) pointBuiltIns(in *shading, px, py float64) {
	if s.square != nil {
		in.builtIns[spirv.BuiltInPointCoord] = s.square.coordinate(px, py)
	}
}

package oracle

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

const (
	// leastGrid is the number of positions of a pixel's side to which vertices snap, for the least subPixelPrecisionBits.
	leastGrid = 16

	// operationError is the relative error of an operation outside of shaders: "individual results of floating-point operations are
	// accurate to about 1 part in 10⁵" (Vulkan, "Floating-Point Computation").
	operationError = 1e-5

	// interpolationError bounds the error of an interpolated number, as a part of the greatest one of the vertices: of a weight, its product,
	// two sums, and a quotient and its divisor. Vulkan has no other bound.
	interpolationError = 6 * operationError

	// farthest bounds the positions that have a range, in pixels: a position that clipping makes from one farther away may have an
	// error of some pixels, by operationError.
	farthest = 1 << 18
)

// Fixed functions that compute numbers, in Number.At.
const (
	byInterpolation = -1 - iota
	byDepth
	byStencil
)

// coverage is whether a triangle has a sample.
type coverage uint8

const (
	outside1 coverage = iota // outside
	open1                    // either
	inside1                  // inside
)

// place is a vertex on the screen.
type screenPoint struct {
	x, y, z, w Number
	exact      bool
}

// surface is a triangle on the screen.
type surface struct {
	primitive int
	provoking *corner
	corners   [3]*corner
	points    [3]screenPoint
	poses     []pose
	weights   [][3]float64 // 1/w of the vertices: all choices
	front     bool
	counter   bool // its vertices are counterclockwise on the screen
	bias      Number
	clips     [][3]Number // the clip distances of its open planes
	patch     *patch      // nil for none
	whole     bool        // all triangles of the patch; the first point has the rectangle that they may reach
	helpers   bool        // and invocations beyond its samples have their own inputs
	vague     bool        // a triangle of a patch with an open orientation: it may have each sample of its rectangle
	outlines  bool        // a line or a point of a polygon inside of all planes
	square    *square     // of a point; points has the rectangle that it may reach
	segment   *segment    // of a line, likewise
}

// screen returns the position of a vertex in the framebuffer; false if it has none that is known.
func (d *drawing) screen(c *corner) (p screenPoint, ok bool) {
	v := d.State.Viewports[d.viewport]
	for _, n := range [...]Number{c.x, c.y, c.z, c.w} {
		if n.Any || n.infinite() {
			return p, false
		}
	}
	if c.w.Low <= 0x1p-100 {
		return p, false
	}
	var ex, ey bool
	p.x, ex = c.onAxis(c.x, v.X, v.Width)
	p.y, ey = c.onAxis(c.y, v.Y, v.Height)
	p.x, p.y = snapped(p.x, ex), snapped(p.y, ey)
	p.exact = ex && ey
	low, high := quotient(c.z, c.w)
	near, far := float64(v.MinDepth), float64(v.MaxDepth)
	a, b := float64(low*(far-near)), float64(high*(far-near))
	p.z = Number{Low: min(a, b) + near, High: max(a, b) + near}
	if !(c.hasUnitW() && near == 0 && far == 1) { // 1 × x and x + 0 are x
		e := float64((max(math.Abs(a), math.Abs(b))*2 + math.Abs(near)) * operationError)
		p.z.Low, p.z.High = p.z.Low-e, p.z.High+e
		if !c.leavesDepth() {
			least, most := ordered(near, far)
			p.z.Low, p.z.High = max(p.z.Low, least), min(p.z.High, most)
		}
	}
	p.w = c.w
	return p, true
}

// hasUnitW reports whether w is 1.
func (c *corner) hasUnitW() bool { return c.w.isPoint() && c.w.Low == 1 }

// leavesDepth reports whether a vertex may be before the near plane or beyond the far one.
func (c *corner) leavesDepth() bool { return c.z.Low < 0 || c.z.High > c.w.Low }

// onAxis returns the framebuffer coordinate for clip coordinate n of a vertex, and whether it is exact. A bound of the viewport that is no
// integer may be rounded to one: viewportSubPixelBits may be 0 (Vulkan, "Required Limits").
func (c *corner) onAxis(n Number, at, size float32) (out Number, exact bool) {
	low, high := quotient(n, c.w)
	if exact = c.hasUnitW() && n.isPoint() && isWhole(at) && isWhole(size); !exact {
		low, high = low-float64(math.Abs(low)*operationError), high+float64(math.Abs(high)*operationError)
	}
	out = Number{Low: math.Inf(1), High: math.Inf(-1)}
	for _, size := range rounding(size) {
		for _, at := range rounding(at) {
			scale := float64(size / 2)
			origin := at + scale
			a, b := ordered(float64(low*scale), float64(high*scale))
			exact = exact && float64(float32(a)) == a && float64(float32(a+origin)) == a+origin
			if !exact {
				e := float64((max(math.Abs(a), math.Abs(b)) + math.Abs(origin)) * operationError)
				a, b = a-e, b+e
			}
			out.Low, out.High = min(out.Low, a+origin), max(out.High, b+origin)
		}
	}
	return out, exact
}

func isWhole(v float32) bool { return float64(v) == math.Floor(float64(v)) }

// rounding returns the values of a bound of the viewport: the least, the exact and the greatest one.
func rounding(v float32) []float64 {
	if isWhole(v) {
		return []float64{float64(v)}
	}
	return []float64{math.Floor(float64(v)), float64(v), math.Ceil(float64(v))}
}

// quotient returns the range of a quotient with a positive divisor.
func quotient(n, w Number) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, a := range [...]float64{n.Low, n.High} {
		for _, b := range [...]float64{w.Low, w.High} {
			low, high = min(low, a/b), max(high, a/b)
		}
	}
	return low, high
}

// snapped returns the positions to which a coordinate may be rounded: the neighbors in the coarsest grid.
func snapped(n Number, exact bool) Number {
	low, high := math.Floor(n.Low*leastGrid)/leastGrid, math.Ceil(n.High*leastGrid)/leastGrid
	if exact && n.Low == low {
		return n
	}
	return Number{Low: low, High: high}
}

// clipped reports whether a triangle leaves the view volume, so that clipping makes vertices.
func clipped(v [3]*corner) bool {
	for _, c := range v {
		for _, n := range [...]Number{c.x, c.y} {
			if n.High > c.w.Low || n.Low < -c.w.Low {
				return true
			}
		}
		if c.leavesDepth() {
			return true
		}
	}
	return false
}

// selectTarget selects the viewport and the layer of a primitive: the ones of its provoking vertex. All vertices must have one layer (Vulkan,
// "Layer"), but for a mesh shader, whose primitives have it.
func (d *drawing) selectTarget(provoking *corner, of ...*corner) {
	n := provoking.viewport
	if n.Any || n.Bits >= uint64(len(d.State.Viewports)) {
		panic(stop{why: "a primitive whose viewport is not known"})
	}
	d.viewport = int(n.Bits)
	layer := provoking.layer
	if d.views {
		layer = Number{Bits: uint64(d.viewIndex)}
	}
	for _, c := range of {
		layer.Any = layer.Any || d.mesh == nil && !d.views && (c.layer.Any || c.layer.Bits != layer.Bits)
	}
	if layer.Any || layer.Bits >= uint64(len(d.layers)) {
		panic(stop{why: "a primitive whose layer is not known, or beyond the attachments"})
	}
	d.layer = int(layer.Bits)
	d.samples = d.layers[d.layer]
}

// triangle draws a triangle.
func (d *drawing) triangle(primitive int, provoking, a, b, c *corner) {
	if d.geometry != nil {
		d.shadePrimitive(d.before+primitive, a, b, c)
		return
	}
	d.polygon(d.before+primitive, provoking, a, b, c)
}

// polygon draws a triangle after all shaders before the fragments.
func (d *drawing) polygon(primitive int, provoking, a, b, c *corner) {
	if d.State.Rasterization.Discard {
		return
	}
	d.work(triangleWork)
	by := distancesOf([3]*corner{a, b, c})
	if by.gone {
		return
	}
	d.selectTarget(provoking, a, b, c)
	s := &surface{primitive: primitive, provoking: provoking, corners: [3]*corner{a, b, c}, clips: by.clips, patch: d.patch}
	cut := by.open || len(by.clips) > 0
	fill := d.State.Rasterization.Polygon == enum.PolygonModeFill
	far, most := false, 0.0
	for i, v := range s.corners {
		p, ok := d.screen(v)
		if !ok {
			panic(stop{why: "a vertex whose position is not known, or not in front of the viewer"})
		}
		s.points[i] = p
		for _, n := range [...]Number{p.x, p.y} {
			far = far || !(n.Low >= -farthest && n.High <= farthest)
			most = max(most, math.Abs(n.Low), math.Abs(n.High))
		}
	}
	cut = cut || clipped(s.corners)
	if !fill && (far || cut) {
		panic(stop{why: "lines or points of a polygon that leaves the view volume"})
	}
	if far {
		d.blur(s)
		return
	}
	if cut {
		e := 2.0/leastGrid + float64(most*operationError) // vertices that clipping makes are rounded, too
		for i := range s.points {
			p := &s.points[i]
			for _, n := range [...]*Number{&p.x, &p.y} {
				n.Low, n.High = n.Low-e, n.High+e
			}
		}
	}
	if !d.pose(s) {
		return
	}
	for _, c := range s.corners {
		if by.open || c.leavesDepth() {
			d.blur(s)
			return
		}
	}
	s.bias = d.bias(s)
	if !fill {
		d.outline(s)
		return
	}
	d.fill(s)
}

// linear is the weights of an interpolation that is linear on the screen.
var linear = [][3]float64{{1, 1, 1}}

// interpolate returns a number at a place. perspective has all choices of 1/w.
func (s *surface) interpolate(px, py float64, v [3]Number, perspective [][3]float64) Number {
	if v[0].Any || v[1].Any || v[2].Any || v[0].infinite() || v[1].infinite() || v[2].infinite() {
		return Number{Any: true, At: byInterpolation}
	}
	if s.vague {
		return s.between(v)
	}
	if s.square != nil { // "assigned the same associated data"
		v[0].At = byInterpolation
		return v[0]
	}
	n := Number{Low: math.Inf(1), High: math.Inf(-1), At: byInterpolation}
	if s.segment != nil {
		if n = s.segment.interpolate(px, py, v, perspective); n.Any {
			return n
		}
	}
	for i := range s.poses {
		p := &s.poses[i]
		for _, w := range perspective {
			var m [3]float64
			sum := 0.0
			for k := range 3 {
				m[k] = float64((p.base[k] + float64(p.dx[k]*px) + float64(p.dy[k]*py)) * w[k])
				sum += m[k]
			}
			if sum <= 0 { // w <= 0 at a helper invocation
				return Number{Any: true, At: byInterpolation}
			}
			low, high := 0.0, 0.0
			for k := range 3 {
				a, b := float64(m[k]*v[k].Low), float64(m[k]*v[k].High)
				low, high = low+min(a, b), high+max(a, b)
			}
			n.Low, n.High = min(n.Low, low/sum), max(n.High, high/sum)
		}
	}
	most := 0.0
	for _, a := range v {
		most = max(most, math.Abs(a.Low), math.Abs(a.High))
	}
	e := float64(max(most, math.Abs(n.Low), math.Abs(n.High)) * interpolationError)
	n.Low, n.High = n.Low-e, n.High+e
	return n
}

// between returns the numbers of a triangle at samples that it has.
func (s *surface) between(v [3]Number) Number {
	n := hullOf(hullOf(v[0], v[1]), v[2])
	e := float64(max(math.Abs(n.Low), math.Abs(n.High)) * interpolationError)
	return Number{Low: n.Low - e, High: n.High + e, Any: s.helpers, At: byInterpolation}
}

// within limits a number of a covered sample to the range of the vertices.
func within(n Number, v [3]Number) Number {
	if n.Any {
		return n
	}
	low, high := min(v[0].Low, v[1].Low, v[2].Low), max(v[0].High, v[1].High, v[2].High)
	e := float64(max(math.Abs(low), math.Abs(high)) * interpolationError)
	n.Low, n.High = min(max(n.Low, low-e), high+e), max(min(n.High, high+e), low-e)
	return n
}

// covers returns whether a triangle has a sample, and the number of the edge if one edge alone is open.
func (s *surface) covers(px, py float64) (c coverage, edge int) {
	switch {
	case s.whole:
		return s.patch.covers(px, py), -1
	case s.square != nil:
		return s.square.covers(px, py), -1
	case s.segment != nil:
		return s.segment.covers(px, py), -1
	}
	edge, count := -1, 0
	for k := range 3 {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range s.poses {
			p := &s.poses[i]
			e := p.base[k] + float64(p.dx[k]*px) + float64(p.dy[k]*py)
			low, high = min(low, e), max(high, e)
		}
		switch {
		case high < 0:
			return outside1, -1
		case low <= 0:
			edge = k
			count++
		}
	}
	switch {
	case len(s.clips) > 0: // the edge of its neighbor may have other ends
		if c = s.kept(px, py); c == inside1 && count > 0 {
			c = open1
		}
		return c, -1
	case count == 0:
		return inside1, -1
	case count == 1:
		return open1, edge
	}
	return open1, -1
}

// bias returns the depth bias of a triangle (Vulkan, "Depth Bias").
func (d *drawing) bias(s *surface) Number {
	st := d.State
	if !st.Rasterization.DepthBias {
		return Number{}
	}
	slope := Number{Low: math.Inf(1), High: math.Inf(-1)}
	for i := range s.poses {
		p := &s.poses[i]
		var x, y Number
		for k := range 3 {
			z := s.points[k].z
			for _, g := range [...]struct {
				n *Number
				v float64
			}{{&x, p.dx[k]}, {&y, p.dy[k]}} {
				a, b := float64(g.v*z.Low)/p.area, float64(g.v*z.High)/p.area
				g.n.Low, g.n.High = g.n.Low+min(a, b), g.n.High+max(a, b)
			}
		}
		for _, g := range [...]*Number{&x, &y} {
			switch {
			case g.High < 0:
				g.Low, g.High = -g.High, -g.Low
			case g.Low < 0:
				g.Low, g.High = 0, max(-g.Low, g.High)
			}
		}
		slope.Low, slope.High = min(slope.Low, max(x.Low, y.Low)), max(slope.High, math.Hypot(x.High, y.High))
	}
	slope.Low, slope.High = float64(slope.Low*(1-0x1p-12)), float64(slope.High*(1+0x1p-12))
	unit := Number{}
	if k, ok := d.depthComponent(); ok && k.Bits < 32 {
		unit.High = math.Ldexp(2, -k.Bits)
	} else {
		low, high := 0.0, 0.0
		for _, p := range s.points {
			low, high = max(low, p.z.Low), max(high, p.z.High)
		}
		unit.Low, unit.High = math.Ldexp(1, exponent(low*(1-0x1p-20))-23), math.Ldexp(1, exponent(high*(1+0x1p-20))-23)
	}
	product := func(f float32, n Number) (low, high float64) {
		a, b := float64(float64(f)*n.Low), float64(float64(f)*n.High)
		return min(a, b), max(a, b)
	}
	a, b := product(st.BiasConstant, unit)
	low, high := product(st.BiasSlope, slope)
	low, high = low+a, high+b
	switch limit := float64(st.BiasClamp); {
	case limit > 0:
		low, high = min(low, limit), min(high, limit)
	case limit < 0:
		low, high = max(low, limit), max(high, limit)
	}
	return Number{Low: low, High: high}
}

// exponent returns the exponent of a number, at least that of the least normal one.
func exponent(v float64) int {
	if v < 0x1p-126 {
		return -126
	}
	_, e := math.Frexp(v)
	return e - 1
}

// extent is the outermost sides of a viewport along an axis, and how far inwards they may be, in pixels.
type extent struct{ low, high, slack float64 }

// has reports whether a coordinate is certainly between the sides.
func (e extent) has(v float64) bool { return v >= e.low+e.slack && v <= e.high-e.slack }

// view returns the sides of the viewport.
func (d *drawing) view() (x, y extent) {
	side := func(at, size float32) extent {
		e := extent{math.Inf(1), math.Inf(-1), 1.0 / leastGrid}
		for _, a := range rounding(at) {
			for _, n := range rounding(size) {
				e.low, e.high = min(e.low, a, a+n), max(e.high, a, a+n)
			}
		}
		if !isWhole(at) || !isWhole(size) {
			e.slack += 2
		}
		return e
	}
	v := d.State.Viewports[d.viewport]
	return side(v.X, v.Width), side(v.Y, v.Height)
}

// bounds returns the pixels that a triangle may have.
func (d *drawing) bounds(s *surface) (x0, x1, y0, y1 int) {
	limit := func(v float64) int { return int(min(max(v, -1), math.MaxInt32)) } // others have no int
	low := func(n func(*screenPoint) Number) int {
		return limit(math.Floor(min(n(&s.points[0]).Low, n(&s.points[1]).Low, n(&s.points[2]).Low)))
	}
	high := func(n func(*screenPoint) Number) int {
		return limit(math.Ceil(max(n(&s.points[0]).High, n(&s.points[1]).High, n(&s.points[2]).High)))
	}
	x, y := func(p *screenPoint) Number { return p.x }, func(p *screenPoint) Number { return p.y }
	c := d.State.Scissors[d.viewport]
	x0, y0 = max(0, low(x), int(c.X)), max(0, low(y), int(c.Y))
	x1, y1 = min(d.Width, high(x), int(c.X)+int(c.Width)), min(d.Height, high(y), int(c.Y)+int(c.Height))
	if s.square != nil || s.segment != nil {
		return x0, x1, y0, y1 // they may reach over the sides of the viewport
	}
	vx, vy := d.view()
	x0, y0 = max(x0, int(math.Floor(vx.low))), max(y0, int(math.Floor(vy.low)))
	x1, y1 = min(x1, int(math.Ceil(vx.high))), min(y1, int(math.Ceil(vy.high)))
	return x0, x1, y0, y1
}

// blur permits any content of the pixels that a triangle may have: its orientation or its clipping is open.
func (d *drawing) blur(s *surface) {
	x0, x1, y0, y1 := d.bounds(s)
	d.work(max(x1-x0, 0) * max(y1-y0, 0))
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			d.touch(x, y)
			for _, t := range slices.Concat(d.samples...) {
				if t != nil {
					t.open(x, y)
				}
			}
		}
	}
}

// fill draws the fragments of a triangle.
func (d *drawing) fill(s *surface) {
	vx, vy := d.view()
	x0, x1, y0, y1 := d.bounds(s)
	d.work(max(x1-x0, 0) * max(y1-y0, 0))
	for qy := y0 &^ 1; qy < y1; qy += 2 {
		for qx := x0 &^ 1; qx < x1; qx += 2 {
			var q quad
			any := false
			for lane := range 4 {
				px, py := qx+lane&1, qy+lane>>1
				if px < x0 || px >= x1 || py < y0 || py >= y1 {
					continue
				}
				for _, l := range d.locations() {
					x, y := float64(px)+l[0], float64(py)+l[1]
					c, edge := s.covers(x, y)
					if c == inside1 && !(vx.has(x) && vy.has(y)) {
						c = open1
					}
					q.cover[lane], q.edges[lane] = append(q.cover[lane], c), append(q.edges[lane], edge)
					q.covered[lane] = max(q.covered[lane], c)
				}
				any = any || q.covered[lane] != outside1
			}
			if any {
				d.quad(s, qx, qy, &q)
			}
		}
	}
}

func ordered(a, b float64) (low, high float64) { return min(a, b), max(a, b) }

// quad is the invocations of four pixels, with the coverage of each sample.
type quad struct {
	covered [4]coverage // outside1 if no sample can be covered
	cover   [4][]coverage
	edges   [4][]int
}

// quad shades and stores the fragments of four pixels.
func (d *drawing) quad(s *surface, x, y int, q *quad) {
	if d.perSample {
		d.sampleQuad(s, x, y, q)
		return
	}
	var list []*shading
	var lanes []int
	for lane := range 4 {
		if d.quads || q.covered[lane] != outside1 {
			list, lanes = append(list, d.fragmentInput(s, x+lane&1, y+lane>>1, q.covered[lane] != outside1)), append(lanes, lane)
		}
	}
	if d.shaded += len(list); d.shaded > maxFragments {
		panic(stop{why: "more fragments than are judged"})
	}
	var machines []*machine
	why := ""
	if d.quads {
		machines, why = d.shade(d.fragment, true, list)
	}
	for i, lane := range lanes {
		if q.covered[lane] == outside1 {
			continue
		}
		var m *machine
		if d.quads {
			if why == "" {
				m = machines[i]
			}
		} else if one, w := d.shade(d.fragment, false, list[i:i+1]); w == "" {
			m = one[0]
		} else {
			why = w
		}
		if m == nil {
			if d.Pixels++; d.Why == "" {
				d.Why = why
			}
		}
		for n, c := range q.cover[lane] {
			if d.sample = n; c != outside1 {
				d.merge(s, x+lane&1, y+lane>>1, c, q.edges[lane][n], m)
			}
		}
		d.sample = 0
	}
}

// fragmentInput returns the inputs of a fragment shader.
func (d *drawing) fragmentInput(s *surface, x, y int, covered bool) *shading {
	if s.patch != nil && len(s.patch.triangles) > 0 {
		return d.patchInput(s, x, y, covered)
	}
	in := &shading{inputs: map[slot][]Number{}, builtIns: map[spirv.BuiltIn][]Number{}}
	for at, how := range d.flat {
		var v [3]Number
		known := true
		for i, c := range s.corners {
			n, ok := c.outputs[at]
			known = known && ok
			v[i] = n
		}
		switch {
		case how.primitive:
			n, ok := s.provoking.each[at]
			n.At, n.Any = byInterpolation, n.Any || !ok // not by an instruction of this shader
			in.inputs[at] = []Number{n}
		case !known:
			in.inputs[at] = []Number{{Any: true}}
		case how.flat:
			n := s.provoking.outputs[at]
			n.At = byInterpolation // not by an instruction of this shader
			in.inputs[at] = []Number{n}
		default:
			weights := s.weights
			if how.linear {
				weights = linear
			}
			n := d.interpolate(s, x, y, v, weights)
			if covered && s.segment == nil && len(d.samples) == 1 { // with several samples the place may be outside of the primitive
				n = within(n, v)
			}
			in.inputs[at] = []Number{n}
		}
	}
	w := d.interpolate(s, x, y, [3]Number{inverse(s.points[0].w), inverse(s.points[1].w), inverse(s.points[2].w)}, linear)
	z := d.depthAt(s, x, y)
	column, row := d.place(x, y)
	in.builtIns[spirv.BuiltInFragCoord] = []Number{column, row, z, w}
	in.builtIns[spirv.BuiltInFrontFacing] = []Number{{Bits: bit(s.front), Any: s.vague}}
	in.builtIns[spirv.BuiltInPrimitiveId] = []Number{{Bits: uint64(s.primitive)}}
	if d.geometry != nil || d.mesh != nil {
		in.builtIns[spirv.BuiltInPrimitiveId] = []Number{s.provoking.primitive}
	}
	in.builtIns[spirv.BuiltInSampleId] = []Number{{Bits: uint64(d.sample)}}
	at := d.locations()[d.sample]
	in.builtIns[spirv.BuiltInSamplePosition] = []Number{point(at[0]), point(at[1])}
	in.builtIns[spirv.BuiltInLayer] = []Number{{Bits: uint64(d.layer), Any: d.views}}
	in.builtIns[spirv.BuiltInViewIndex] = []Number{{Bits: uint64(d.viewIndex)}}
	in.builtIns[spirv.BuiltInViewportIndex] = []Number{{Bits: uint64(d.viewport)}}
	if len(d.samples) == 1 { // else at any place in the pixel
		s.pointBuiltIns(in, float64(x)+0.5, float64(y)+0.5)
	}
	return in
}

func inverse(w Number) Number { return Number{Low: 1 / w.High, High: 1 / w.Low} }

// depthAt returns the depth of a fragment with its bias.
func (d *drawing) depthAt(s *surface, x, y int) Number {
	if s.patch != nil && len(s.patch.triangles) > 0 {
		return d.patchDepth(s, x, y)
	}
	v := [3]Number{s.points[0].z, s.points[1].z, s.points[2].z}
	n := d.interpolate(s, x, y, v, linear)
	if s.segment == nil { // a fragment of a line may be beyond its ends
		n = within(n, v)
		// Without a bias it is between the planes of the view volume, with the bias it may be elsewhere.
		least, most := d.depthRange()
		n.Low, n.High = min(max(n.Low, least), most), max(min(n.High, most), least)
	}
	n.Low, n.High = n.Low+s.bias.Low, n.High+s.bias.High
	n.At = byDepth
	return n
}

func (d *drawing) depthRange() (least, most float64) {
	v := d.State.Viewports[d.viewport]
	return ordered(float64(v.MinDepth), float64(v.MaxDepth))
}

// limited returns the depth of a sample in the test: clamped to the range of the viewport, else not defined outside of it (Vulkan,
// "Depth Clamping and Range Adjustment").
func (d *drawing) limited(n Number) Number {
	least, most := d.depthRange()
	switch {
	case n.Any || n.Low >= least && n.High <= most:
	case d.State.Rasterization.DepthClamp:
		n.Low, n.High = min(max(n.Low, least), most), min(max(n.High, least), most)
	default:
		n = Number{Any: true, At: n.At}
	}
	return n
}

// readInterpolation finds the inputs of the fragment shader.
func (d *drawing) readInterpolation() {
	d.flat = map[slot]interpolation{}
	m := d.fragment.m
	for _, id := range d.Fragment.Entry.Interface {
		v := m.Variable(id)
		if v == nil || v.Storage != spirv.StorageClassInput {
			continue
		}
		eachSlot(m, v, func(at slot, b spirv.BuiltIn, builtIn bool, _ int, t *facts.Type, how interpolation) {
			if !builtIn {
				how.flat = how.flat || !t.IsFloat()
				d.flat[at] = how
			}
		})
	}
}

// FixedFunction names the fixed function of a negative Number.At.
func FixedFunction(at int) string {
	switch at {
	case byInterpolation:
		return "the interpolation of an input"
	case byStencil:
		return "the stencil test"
	}
	return "the depth of the fragment"
}

package oracle

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/tess"
)

// domainCells divides each side of a domain: the evaluation shader runs for all places of a cell at once.
const domainCells = 32

// cloud draws a patch with an open subdivision: Vulkan leaves the place of the two shorter segments of a fractional level to the implementation.
// Each pixel of the rectangle around all places of the domain may have a primitive of the patch, with inputs between the ones of all vertices.
func (d *drawing) cloud(e *evaluated) {
	if d.State.Rasterization.Discard {
		return
	}
	if e.mode.Vertices() == 3 && (d.State.Rasterization.Polygon != 0 || d.State.Rasterization.DepthBias) {
		panic(stop{why: "triangles of patches in another polygon mode, or with a depth bias"})
	}
	d.work(4 * domainCells * domainCells * triangleWork)
	var all *corner
	box := screenPoint{x: Number{Low: math.Inf(1), High: math.Inf(-1)}, y: Number{Low: math.Inf(1), High: math.Inf(-1)}}
	for i := range domainCells {
		for k := range domainCells {
			u, v := cellOfDomain(i), cellOfDomain(k)
			w := Number{}
			if e.mode.Domain == tess.Triangles {
				if i+k >= domainCells { // its corner with u + v = 1 is of another cell
					continue
				}
				w = Number{Low: max(1-u.High-v.High, 0), High: min(1-u.Low-v.Low, 1)}
			}
			c := d.evaluate(e, u, v, w)
			if all == nil {
				d.selectTarget(c, c)
			}
			p, ok := d.screen(c)
			if !ok {
				panic(stop{why: "a vertex whose position is not known, or not in front of the viewer"})
			}
			box.x, box.y = hullOf(box.x, p.x), hullOf(box.y, p.y)
			all = all.hull(c)
		}
	}
	p, _ := d.screen(all)
	p.x, p.y = box.x, box.y
	s := &surface{primitive: e.primitive, provoking: all, corners: [3]*corner{all, all, all}, points: [3]screenPoint{p, p, p}, weights: linear, vague: true, helpers: d.quads, front: true}
	lost := d.quads
	switch e.mode.Vertices() {
	case 1:
		if lost = lost || all.size.Any || all.size.infinite(); !lost {
			s.widen(float64(all.size.High/2) + granularity)
		}
		s.square = &square{}
	case 2: // a fragment may be beyond the ends of its line
		lost = true
		s.segment = &segment{}
		s.widen(float64(float64(max(d.State.Rasterization.LineWidth, 1)+granularity)/2) + 2.5) // as segment.across and segment.beyond at most
	}
	if lost {
		d.blur(s)
		return
	}
	whole := *s
	whole.patch, whole.whole, whole.vague = d.patch, true, false
	s.square = nil // the pixels have its inputs, but not its place
	d.patch.triangles, d.patch.folded, d.patch.partly = []*surface{s}, true, true
	d.fill(&whole)
}

// cellOfDomain returns the coordinates of a cell.
func cellOfDomain(i int) Number {
	return Number{Low: max(float64(float64(i)/domainCells)-coordinateError, 0), High: min(float64(float64(i+1)/domainCells)+coordinateError, 1)}
}

// hull returns a vertex with the values of both; the first one may be nil.
func (c *corner) hull(next *corner) *corner {
	if c == nil {
		return next
	}
	if c.layer != next.layer || c.viewport != next.viewport {
		panic(stop{why: severalTargets})
	}
	both := func(a, b Number) Number {
		n := hullOf(a, b)
		n.Any = n.Any || a.Bits != b.Bits
		return n
	}
	out := &corner{x: hullOf(c.x, next.x), y: hullOf(c.y, next.y), z: hullOf(c.z, next.z), w: hullOf(c.w, next.w), size: hullOf(c.size, next.size),
		viewport: c.viewport, layer: c.layer, primitive: both(c.primitive, next.primitive), outputs: map[slot]Number{}}
	for at, n := range c.outputs {
		out.outputs[at] = both(n, next.outputs[at])
	}
	return out
}

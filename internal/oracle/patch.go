package oracle

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/tess"
)

// patch is the primitives of a patch. They have no order ("Tessellation Primitive Ordering"), and an implementation may choose other triangles
// for the same strips. Each choice of triangles covers a sample as often as the boundary of the patch winds around it, which is the sum of the
// triangles of one orientation minus the sum for the other one.
type patch struct {
	triangles []*surface // that an implementation may choose
	boundary  []side     // of the triangles of each choice
	folded    bool       // the triangles may have several orientations
	partly    bool       // some of them may be culled
	pixels    map[[4]int]*patchPixel
}

// side is an edge of the boundary of a patch: its middle position on the screen, and how far away from it the edge may be.
type side struct {
	from, to [2]float64
	slack    float64
}

// patchPixel is the primitives of a patch that may have changed a sample.
type patchPixel struct {
	sure    bool         // one of them certainly
	crossed bool         // two of them may, and their order matters
	base    [][][]Number // choices before the patch
	list    [][][]Number // choices after one of the primitives
}

// maxCandidates bounds the triangles of a patch that implementations may choose.
const maxCandidates = 1 << 12

// triangles draws the triangles of a patch.
func (d *drawing) triangles(e *evaluated, t *tess.Tessellator, list []*corner) {
	if len(t.Indices) == 0 || d.State.Rasterization.Discard {
		return
	}
	if d.State.Rasterization.Polygon != 0 || d.State.Rasterization.DepthBias {
		panic(stop{why: "triangles of patches in another polygon mode, or with a depth bias"})
	}
	d.selectTarget(list[0], list...)
	of, open := d.patch, false
	all, add := d.candidates(e, list, &open)
	for _, strip := range t.Strips {
		a, b := strip.Outer, strip.Inner
		for i := range len(a) - 1 {
			for j := range b {
				add(a[i], a[i+1], b[j])
			}
		}
		for j := range len(b) - 1 {
			for i := range a {
				add(a[i], b[j+1], b[j])
			}
		}
	}
	d.work(len(*all) * triangleWork)
	if open { // clipping may make other vertices
		for _, s := range *all {
			if d.orient(s) != gone {
				d.blur(s)
			}
		}
		return
	}
	signs := [2]bool{}
	for _, s := range *all {
		switch d.orient(s) {
		case unknown:
			s.vague, s.helpers, of.folded = true, d.quads, true
		case gone:
			of.partly = of.partly || d.State.Rasterization.Cull != 0
			continue
		default:
			signs[bit(s.counter)] = true
		}
		of.triangles = append(of.triangles, s)
	}
	of.folded = of.folded || signs[0] && signs[1]
	of.partly = of.partly || of.folded && d.State.Rasterization.Cull != 0
	if len(of.triangles) == 0 {
		return
	}
	of.findBoundary(d, t, list)
	whole := *of.triangles[0]
	whole.patch, whole.whole, whole.vague = of, true, false
	for _, s := range of.triangles {
		for _, p := range s.points {
			whole.points[0].x, whole.points[0].y = hullOf(whole.points[0].x, p.x), hullOf(whole.points[0].y, p.y)
		}
	}
	d.fill(&whole)
}

// candidates returns a list of triangles, and a function that adds one to it. open is set if clipping may change one.
func (d *drawing) candidates(e *evaluated, list []*corner, open *bool) (all *[]*surface, add func(a, b, c uint32)) {
	all = &[]*surface{}
	return all, func(a, b, c uint32) {
		if e.mode.Clockwise {
			b, c = c, b
		}
		if len(*all) >= maxCandidates {
			panic(stop{why: "patches with more triangles than are judged"})
		}
		s := &surface{primitive: e.primitive, provoking: list[a], corners: [3]*corner{list[a], list[b], list[c]}}
		*all = append(*all, s)
		*open = *open || clipped(s.corners)
		for i, v := range s.corners {
			p, ok := d.screen(v)
			if !ok {
				panic(stop{why: "a vertex whose position is not known, or not in front of the viewer"})
			}
			s.points[i] = p
			for _, n := range [...]Number{p.x, p.y} {
				*open = *open || !(n.Low >= -farthest && n.High <= farthest)
			}
		}
	}
}

// findBoundary finds the edges of one triangle alone: an edge between two of them has both directions.
func (p *patch) findBoundary(d *drawing, t *tess.Tessellator, list []*corner) {
	count := map[[2]uint32]int{}
	for i := 0; i+2 < len(t.Indices); i += 3 {
		for k := range 3 {
			a, b := t.Indices[i+k], t.Indices[i+(k+1)%3]
			if count[[2]uint32{b, a}] > 0 {
				count[[2]uint32{b, a}]--
			} else {
				count[[2]uint32{a, b}]++
			}
		}
	}
	place := func(i uint32) (at [2]float64, slack float64) {
		s, _ := d.screen(list[i])
		return [2]float64{(s.x.Low + s.x.High) / 2, (s.y.Low + s.y.High) / 2}, math.Hypot(s.x.High-s.x.Low, s.y.High-s.y.Low) / 2
	}
	for e, n := range count {
		if n == 0 || e[0] == e[1] {
			continue
		}
		one := side{}
		var a, b float64
		one.from, a = place(e[0])
		one.to, b = place(e[1])
		one.slack = max(a, b)
		p.boundary = append(p.boundary, one)
	}
}

// winding returns how often the boundary winds around a place, and its edges that may be on the other side of the place.
func (p *patch) winding(x, y float64) (n int, near []side) {
	for _, e := range p.boundary {
		dx, dy := e.to[0]-e.from[0], e.to[1]-e.from[1]
		px, py := x-e.from[0], y-e.from[1]
		along := 0.0
		if length := float64(dx*dx) + float64(dy*dy); length > 0 {
			along = min(max((float64(px*dx)+float64(py*dy))/length, 0), 1)
		}
		if math.Hypot(px-float64(along*dx), py-float64(along*dy)) <= e.slack {
			near = append(near, e)
		}
		if (e.from[1] <= y) == (e.to[1] <= y) {
			continue
		}
		if right := float64(dx*py) - float64(dy*px); e.from[1] <= y && right < 0 {
			n--
		} else if e.from[1] > y && right > 0 {
			n++
		}
	}
	return max(n, -n), near
}

// covers returns whether the triangles of a patch have a sample.
func (p *patch) covers(px, py float64) coverage {
	if !slices.ContainsFunc(p.triangles, func(s *surface) bool { return s.mayHave(px, py) }) {
		return outside1
	}
	switch n, near := p.winding(px, py); {
	case len(near) > 0 || p.partly:
	case n > 0:
		return inside1
	case !p.folded:
		return outside1
	}
	return open1
}

// mayHave reports whether a triangle may have a sample.
func (s *surface) mayHave(px, py float64) bool {
	if s.vague {
		x, y := Number{Low: math.Inf(1), High: math.Inf(-1)}, Number{Low: math.Inf(1), High: math.Inf(-1)}
		for _, p := range s.points {
			x.Low, x.High = min(x.Low, p.x.Low), max(x.High, p.x.High)
			y.Low, y.High = min(y.Low, p.y.Low), max(y.High, p.y.High)
		}
		return x.Low <= px && px <= x.High && y.Low <= py && py <= y.High
	}
	c, _ := s.covers(px, py)
	return c != outside1
}

// several reports whether two triangles of a patch may have a sample. At a corner of the boundary, with the two edges there, one may.
func (p *patch) several(px, py float64) bool {
	n, near := p.winding(px, py)
	corner := len(near) == 2 && (near[0].from == near[1].to || near[0].to == near[1].from)
	return p.folded || p.partly || n > 1 || len(near) > 1 && !corner
}

// at returns the triangles that may have a pixel, or with derivatives one of its quad.
func (p *patch) at(d *drawing, x, y int) (list []*surface) {
	x0, y0, n := x, y, 1
	if d.quads {
		x0, y0, n = x&^1, y&^1, 2
	}
	for _, s := range p.triangles {
		if slices.ContainsFunc(d.locations(), func(l [2]float64) bool {
			for i := range n * n {
				if s.mayHave(float64(x0+i%n)+l[0], float64(y0+i/n)+l[1]) {
					return true
				}
			}
			return false
		}) {
			list = append(list, s)
		}
	}
	return list
}

// provoking returns the vertices that may be the provoking one: one is enough without flat inputs.
func (d *drawing) provoking(s *surface) []*corner {
	for _, how := range d.flat {
		if how.flat || how.primitive {
			return s.corners[:]
		}
	}
	return s.corners[:1]
}

// patchInput returns the inputs of a fragment of a patch, for all triangles that may have it, with any of their vertices as the provoking one.
func (d *drawing) patchInput(s *surface, x, y int, covered bool) *shading {
	var in *shading
	merge := func(to, from []Number) {
		for i := range min(len(to), len(from)) {
			if to[i] = hullOf(to[i], from[i]); to[i].Bits != from[i].Bits {
				to[i].Any = true
			}
		}
	}
	for _, t := range s.patch.at(d, x, y) {
		for _, c := range d.provoking(t) {
			one := *t
			one.provoking = c
			next := d.fragmentInput(&one, x, y, covered)
			if in == nil {
				in = next
				continue
			}
			for at, list := range in.inputs {
				merge(list, next.inputs[at])
			}
			for b, list := range in.builtIns {
				merge(list, next.builtIns[b])
			}
		}
	}
	if in == nil {
		in = &shading{}
	}
	return in
}

// patchDepth returns the depth of a fragment of a patch.
func (d *drawing) patchDepth(s *surface, x, y int) Number {
	n := Number{Any: true}
	for i, t := range s.patch.at(d, x, y) {
		if next := d.depthAt(t, x, y); i == 0 {
			n = next
		} else {
			n = hullOf(n, next)
		}
	}
	return n
}

// merged returns the choices of a sample after a primitive of the patch, which is before or after the others. before are the choices before it.
func (p *patch) merged(d *drawing, s *surface, x, y int, cover coverage, m *machine, before [][][]Number) [][][]Number {
	at := [4]int{x, y, d.sample, d.layer}
	of := p.pixels[at]
	if of == nil {
		of = &patchPixel{base: before}
		p.pixels[at] = of
	} else {
		of.crossed = of.crossed || d.mixes()
	}
	if s.whole && d.mixes() {
		l := d.locations()[d.sample]
		of.crossed = of.crossed || p.several(float64(x)+l[0], float64(y)+l[1])
	}
	of.list = d.atMost(append(of.list, d.storeEach(s, x, y, m, of.base)...))
	if of.sure = of.sure || cover == inside1; of.sure {
		return of.list
	}
	return slices.Concat(of.base, of.list)
}

// mixes reports whether the order of two fragments has an effect on more than the choice of one.
func (d *drawing) mixes() bool {
	b, z := d.State.Blend, d.State.DepthStencil
	if b.Logic || z.StencilTest || z.DepthTest {
		return true
	}
	for i := range b.Attachments {
		if b.Attachments[i].Enable {
			return true
		}
	}
	return false
}

// loseCrossed permits any value of the texels that primitives without an order may change.
func (p *patch) loseCrossed(d *drawing) {
	for at, of := range p.pixels {
		if !of.crossed {
			continue
		}
		for _, t := range d.layers[at[3]][at[2]] {
			if t != nil {
				t.open(at[0], at[1])
			}
		}
	}
}

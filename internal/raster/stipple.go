package raster

import "math"

// Stipple takes parts of lines away (Vulkan, Line Stipple).
type Stipple struct {
	Factor  uint32 // how often a bit of the pattern is used: 1 to 256; 0 is no stipple
	Pattern uint16 // from the least significant bit on: what is drawn
}

// period returns for how long the pattern goes until it is used again.
func (s *Stipple) period() int64 { return 16 * int64(s.Factor) }

// lit reports whether what is drawn while the counter is n is kept.
func (s *Stipple) lit(n int64) bool {
	return s.Factor == 0 || s.Pattern>>(n%s.period()/int64(s.Factor))&1 != 0
}

// ResetStipple says that a strip of lines begins, or a line of its own: the stipple counter is
// then 0.
func (r *Rasterizer) ResetStipple() {
	r.stippled = 0
	clear(r.stipples)
}

// pass moves the stipple counter on.
func (r *Rasterizer) pass(by float64) {
	if s := &r.state.Stipple; s.Factor > 0 {
		r.stippled = math.Mod(float64(r.stippled+by), float64(s.period()))
	}
}

// dashes covers those parts of a line's rectangle that the stipple leaves.
func (r *Rasterizer) dashes(p *draft, a, b *end) {
	nx, ny := r.across(a, b)
	l := newDashed(a, b, nx, ny)
	r.eachDash(p, l, func(from, to float64) {
		r.keep(p, r.dash(p, l, from, to))
	})
}

// eachDash calls dash for the parts of a line that the stipple leaves, and moves the
// counter on. The part of a unit that is behind the line's end is left to the next line
// of the strip.
func (r *Rasterizer) eachDash(p *draft, l *dashed, dash func(from, to float64)) {
	defer r.pass(l.length)
	from, to := r.visible(p, l)
	st, factor := &r.state.Stipple, float64(r.state.Stipple.Factor)
	at := func(bit float64) float64 { return float64(bit*factor) - r.stippled }
	for bit := math.Floor(float64(r.stippled+from) / factor); at(bit) < to; {
		first := bit
		for bit++; st.lit(int64(first*factor)) && st.lit(int64(bit*factor)) && at(bit) < to; bit++ {
		}
		if st.lit(int64(first * factor)) {
			dash(at(first), at(bit))
		}
	}
}

// dashed is a line that is covered in parts.
type dashed struct {
	a, b   *end
	length float64 // pixels
	nx, ny float64 // half its width
}

func newDashed(a, b *end, nx, ny float64) *dashed {
	dx, dy := float64(b.x-a.x), float64(b.y-a.y)
	return &dashed{a, b, math.Sqrt(float64(float64(dx*dx) + float64(dy*dy))), nx, ny}
}

// end returns the place so many pixels along the line, or an end of it.
func (l *dashed) end(d float64) end {
	switch {
	case d <= 0:
		return *l.a
	case d >= l.length:
		return *l.b
	}
	t := d / l.length
	return end{x: float64(l.a.x + float64(t*float64(l.b.x-l.a.x))), y: float64(l.a.y + float64(t*float64(l.b.y-l.a.y)))}
}

// dash covers a part of a line's rectangle: along it the edges are those of the whole,
// across it those that two parts side by side share.
func (r *Rasterizer) dash(p *draft, l *dashed, from, to float64) bool {
	corners := func(a, b *end) [4]point {
		return [4]point{a.beside(l.nx, l.ny), a.beside(-l.nx, -l.ny), b.beside(-l.nx, -l.ny), b.beside(l.nx, l.ny)}
	}
	first, last := l.end(from), l.end(to)
	all, part := corners(l.a, l.b), corners(&first, &last)
	if doubled(all[0], all[1], all[2])+doubled(all[0], all[2], all[3]) <= 0 {
		return false // too thin
	}
	b := r.boundsOf(part[:])
	b = Rect{b.X0 - 1, b.Y0 - 1, b.X1 + 1, b.Y1 + 1}.Intersect(r.boundsOf(all[:]))
	edges := [4]edge{edgeOf(part[0], part[1]), edgeOf(all[1], all[2]), edgeOf(part[2], part[3]), edgeOf(all[3], all[0])}
	return r.cover(p, edges[:], b)
}

// visible returns from where to where along a line, in pixels, it may cover anything.
func (r *Rasterizer) visible(p *draft, d *dashed) (from, to float64) {
	l, a, b := r.limits(p), d.a, d.b
	from, to = 0, d.length
	margin := float64(r.width()) + 2
	for _, x := range [2]struct {
		at, by, low, high float64
	}{{a.x, b.x - a.x, float64(l.X0), float64(l.X1)}, {a.y, b.y - a.y, float64(l.Y0), float64(l.Y1)}} {
		if x.by == 0 {
			continue
		}
		near, far := float64(float64(x.low-margin-x.at)/x.by)*d.length, float64(float64(x.high+margin-x.at)/x.by)*d.length
		from, to = max(from, min(near, far)), min(to, max(near, far))
	}
	return from, to
}

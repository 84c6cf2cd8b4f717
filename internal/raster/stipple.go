package raster

import "math"

// Stipple removes parts of lines (Vulkan, Line Stipple).
type Stipple struct {
	Factor  uint32 // how many times each bit of the pattern is used, 1 to 256; 0 disables the stipple
	Pattern uint16 // set bits are drawn, from the least significant on
}

// period returns the length of the pattern in units of the counter.
func (s *Stipple) period() int64 { return 16 * int64(s.Factor) }

// lit reports whether the pattern draws at counter value n.
func (s *Stipple) lit(n int64) bool {
	return s.Factor == 0 || s.Pattern>>(n%s.period()/int64(s.Factor))&1 != 0
}

// ResetStipple resets the stipple counter. Call it at the start of each line strip, and before each line of
// a line list.
func (r *Rasterizer) ResetStipple() {
	r.stippleCounter = 0
	clear(r.stippleCounters)
}

// advanceStipple advances the stipple counter, modulo the period.
func (r *Rasterizer) advanceStipple(by float64) {
	if s := &r.state.Stipple; s.Factor > 0 {
		r.stippleCounter = math.Mod(float64(r.stippleCounter+by), float64(s.period()))
	}
}

// dashes covers the parts of a line's rectangle that the stipple draws.
func (r *Rasterizer) dashes(p *draft, a, b *end) {
	nx, ny := r.halfWidth(a, b)
	l := newDashedLine(a, b, nx, ny)
	r.eachDash(p, l, func(from, to float64) {
		r.commit(p, r.dash(p, l, from, to))
	})
}

// eachDash calls dash for each maximal drawn part of a line, as distances in pixels from its begin, and
// advances the counter by the line's length. The rest of a unit past the line's end carries over to the
// next line of the strip.
func (r *Rasterizer) eachDash(p *draft, l *dashedLine, dash func(from, to float64)) {
	defer r.advanceStipple(l.length)
	from, to := r.visibleSpan(p, l)
	st, factor := &r.state.Stipple, float64(r.state.Stipple.Factor)
	at := func(bit float64) float64 { return float64(bit*factor) - r.stippleCounter }
	for bit := math.Floor(float64(r.stippleCounter+from) / factor); at(bit) < to; {
		first := bit
		for bit++; st.lit(int64(first*factor)) && st.lit(int64(bit*factor)) && at(bit) < to; bit++ {
		}
		if st.lit(int64(first * factor)) {
			dash(at(first), at(bit))
		}
	}
}

// dashedLine is a line that is covered in parts.
type dashedLine struct {
	a, b   *end
	length float64 // in pixels
	nx, ny float64 // the perpendicular vector of half the line's width
}

// newDashedLine returns the line a–b; (nx, ny) is half its width.
func newDashedLine(a, b *end, nx, ny float64) *dashedLine {
	dx, dy := float64(b.x-a.x), float64(b.y-a.y)
	return &dashedLine{a, b, math.Sqrt(float64(float64(dx*dx) + float64(dy*dy))), nx, ny}
}

// end returns the point at distance d along the line, in pixels, clamped to the line's ends.
func (l *dashedLine) end(d float64) end {
	switch {
	case d <= 0:
		return *l.a
	case d >= l.length:
		return *l.b
	}
	t := d / l.length
	return end{x: float64(l.a.x + float64(t*float64(l.b.x-l.a.x))), y: float64(l.a.y + float64(t*float64(l.b.y-l.a.y)))}
}

// dash covers the part of a line's rectangle between two distances. Its long edges are the whole
// rectangle's, so that rounding does not bend them; its short edges are shared by adjacent parts.
func (r *Rasterizer) dash(p *draft, l *dashedLine, from, to float64) bool {
	corners := func(a, b *end) [4]point {
		return [4]point{a.displaced(l.nx, l.ny), a.displaced(-l.nx, -l.ny), b.displaced(-l.nx, -l.ny), b.displaced(l.nx, l.ny)}
	}
	first, last := l.end(from), l.end(to)
	all, part := corners(l.a, l.b), corners(&first, &last)
	if doubleArea(all[0], all[1], all[2])+doubleArea(all[0], all[2], all[3]) <= 0 {
		return false // too thin to have an area
	}
	b := r.boundsOf(part[:])
	b = Rect{b.X0 - 1, b.Y0 - 1, b.X1 + 1, b.Y1 + 1}.Intersect(r.boundsOf(all[:]))
	edges := [4]edge{edgeOf(part[0], part[1]), edgeOf(all[1], all[2]), edgeOf(part[2], part[3]), edgeOf(all[3], all[0])}
	return r.cover(p, edges[:], b)
}

// visibleSpan returns the range of distances along the line that may be within the limits: a line may be much
// longer than its visible part.
func (r *Rasterizer) visibleSpan(p *draft, d *dashedLine) (from, to float64) {
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

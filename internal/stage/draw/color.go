package draw

import "github.com/chiaro-gpu/chiaro/internal/ir"

// colorKey is what the code for one color attachment depends on.
type colorKey struct {
	format  string // "" where there is none
	layered bool
	blend   BlendAttachment
}

// leave is what becomes of the fragment program's outputs.
func (s *fragmentShader) leave() {
	for n := range s.key.colors {
		if c := &s.key.colors[n]; c.format != "" && c.blend.WriteMask != 0 {
			s.color(uint32(n), c)
		}
	}
}

// color writes one color attachment. One that the program has no output for keeps
// what it has.
func (s *fragmentShader) color(n uint32, c *colorKey) {
	if !s.writes(ir.Location, 4*n) {
		return
	}
	a, ok := s.attachment(bindColor+n, c.format, c.layered)
	if !ok {
		return
	}
	next := a.Pack(s.source(n, 0, &a))
	if !a.Whole(c.blend.WriteMask) {
		next = a.Merge(a.load(), next, c.blend.WriteMask)
	}
	a.store(next)
}

// writes reports whether the program has an output of the semantic whose index is
// one of four from first on.
func (s *fragmentShader) writes(x ir.Semantic, first uint32) bool {
	for _, o := range s.from.Out {
		if o.Semantic == x && o.Index >= first && o.Index < first+4 {
			return true
		}
	}
	return false
}

// source returns the color that the program gives for an attachment, in numbers of
// its format; a component that is not written is 0.
func (s *fragmentShader) source(n, source uint32, a *attachment) (color [4]ir.V) {
	for i := range color {
		color[i] = s.zero(a.Kind())
	}
	for k, o := range s.from.Out {
		if o.Semantic == ir.Location && o.Index/4 == n && o.Source == source {
			color[o.Index%4] = s.typed(s.widened(s.output(k)), a.Signed(), a.Kind())
		}
	}
	return color
}

// widened makes 32 bits of a number of 16.
func (s *fragmentShader) widened(v ir.V) ir.V {
	if s.b.Func.Type(v) == ir.F16 {
		return s.b.Op(ir.FCanon, ir.F32, s.b.Op(ir.FCvt, ir.F32, v))
	}
	return v
}

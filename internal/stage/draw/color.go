package draw

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// colorKey is what the code for one color attachment depends on.
type colorKey struct {
	format  string // "" where there is none
	layered bool
	blend   BlendAttachment
}

// leave is what becomes of the fragment program's outputs, and the tests unless they
// have been before.
func (s *fragmentShader) leave(early bool) {
	tests := !early && (s.key.test.any() || s.key.counts)
	if !tests && !s.colored() {
		return
	}
	set := s.kept()
	if s.multi() {
		s.set(varSet, set)
	} else {
		s.b.If(s.has(set, s.sample()))
		defer s.b.End()
	}
	s.forSamples(func(n ir.V) {
		if tests {
			s.test(n, func() { s.colors(n) })
		} else {
			s.colors(n)
		}
	})
}

// colored reports whether anything is written to a color attachment.
func (s *fragmentShader) colored() bool {
	for n := range s.key.colors {
		if s.key.colors[n].written() && s.writes(ir.Location, 4*uint32(n)) {
			return true
		}
	}
	return false
}

// written reports whether the attachment is there and written to.
func (c *colorKey) written() bool { return c.format != "" && c.blend.WriteMask != 0 }

// colors writes sample n of the color attachments. One that the program has no output
// for keeps what it has.
func (s *fragmentShader) colors(n ir.V) {
	for i := range s.key.colors {
		if c := &s.key.colors[i]; c.written() && s.writes(ir.Location, 4*uint32(i)) {
			s.color(uint32(i), c, n)
		}
	}
}

// color writes sample n of one color attachment.
func (s *fragmentShader) color(i uint32, c *colorKey, n ir.V) {
	a, ok := s.attachment(bindColor+i, c.format, c.layered, n)
	if !ok {
		return
	}
	src := s.source(i, 0, &a)
	mask := c.blend.WriteMask
	var old, next []ir.V
	switch {
	case s.key.logic && a.logical():
		old = a.load()
		next = s.logic(s.key.logicOp, a.Pack(src), old)
	case c.blend.Enable && !s.key.logic && a.Kind() == ir.F32:
		old = a.load()
		next = a.Pack(s.blended(&c.blend, &a, src, s.source(i, 1, &a), a.Unpack(old)))
	default:
		next = a.Pack(src)
	}
	if !a.Complete(mask) {
		if old == nil {
			old = a.load()
		}
		next = a.Merge(old, next, mask)
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
	for i := range color {
		color[i] = s.within(a, i, color[i])
	}
	if s.key.smooth && n == 0 && source == 0 && a.Kind() == ir.F32 {
		color[3] = s.fmul(color[3], s.smoothness())
	}
	if s.key.alphaToOne && a.Kind() == ir.F32 {
		color[3] = s.num(1)
	}
	return color
}

// within clamps an integer to what the attachment's component has: docs/undefined.md.
func (s *fragmentShader) within(a *attachment, i int, v ir.V) ir.V {
	k := a.Component(i)
	if k == nil || k.Bits >= 32 {
		return v
	}
	switch most := uint32(1)<<k.Bits - 1; k.Numeric {
	case format.UInt:
		return s.b.Op(ir.UMin, ir.I32, v, s.b.I32(most))
	case format.SInt:
		return s.b.Op(ir.SMin, ir.I32, s.b.Op(ir.SMax, ir.I32, v, s.b.I32(^(most>>1))), s.b.I32(most>>1))
	}
	return v
}

// widened makes 32 bits of a number of 16.
func (s *fragmentShader) widened(v ir.V) ir.V {
	if s.b.Func.Type(v) == ir.F16 {
		return s.b.Op(ir.FCanon, ir.F32, s.b.Op(ir.FCvt, ir.F32, v))
	}
	return v
}

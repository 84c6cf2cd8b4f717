package shade

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// writeOutputs is the epilogue of the program: late tests unless the tests ran early, then blending
// and the writes to the color attachments.
func (s *shader) writeOutputs(early bool) {
	tests := !early && (s.key.Test.any() || s.key.CountSamples)
	if !tests && !s.colored() {
		return
	}
	// The sample mask and alpha to coverage remove samples before the late tests, so a removed
	// sample writes no depth either (Vulkan §"Fragment Operations").
	set := s.outputCoverage()
	if s.multi() {
		s.set(varSet, set)
		if s.covers != nil && s.limitsCoverage() {
			for n := range s.covers {
				s.covers[n] = s.contains(set, s.B.I32(uint32(n)))
			}
		}
		if s.From.Observed {
			s.Probe(ir.ProbeMask, s.Not(s.B.Cmp(ir.Eq, set, s.B.Const(s.setType(), 0))))
		}
	} else {
		remains := s.contains(set, s.sample())
		s.Probe(ir.ProbeMask, remains)
		s.B.If(remains)
		defer s.B.End()
	}
	s.packColors()
	s.forEachSample(func(n ir.V) {
		if tests {
			s.test(n, func() { s.colors(n) })
		} else {
			s.colors(n)
		}
	})
}

// packColors packs the colors that all samples of an invocation have, before the code for each sample. Blending and logical operations
// depend on the sample; reports of values that a format cannot represent are made for each sample.
func (s *shader) packColors() {
	s.ready = make([][]ir.V, len(s.key.Colors))
	if !s.multi() || s.key.dither || s.Program.Checked(ir.SanitizeUndefined) {
		return
	}
	for i := range s.key.Colors {
		c := &s.key.Colors[i]
		if !c.isWritten() || c.Blend.Enable || !s.hasOutput(ir.Location, 4*uint32(i)) {
			continue
		}
		if a, ok := s.attachment(layout.BindColor+uint32(i), c.Format, c.Layered, s.B.I32(0)); ok && !(s.key.Logic && a.logical()) {
			s.ready[i] = a.Pack(s.source(uint32(i), 0, &a))
		}
	}
}

// colored reports whether the program writes any color attachment, or reports that it does not.
func (s *shader) colored() bool {
	reports := s.Program.Checked(ir.SanitizeInterface)
	for n := range s.key.Colors {
		if s.key.Colors[n].isWritten() && (reports || s.hasOutput(ir.Location, 4*uint32(n))) {
			return true
		}
	}
	return false
}

// colors writes sample n of the color attachments. An attachment without an output of the program
// remains unchanged.
func (s *shader) colors(n ir.V) {
	for i := range s.key.Colors {
		c := &s.key.Colors[i]
		if !c.isWritten() {
			continue
		}
		s.checkWritten(uint32(i), c)
		if s.hasOutput(ir.Location, 4*uint32(i)) {
			s.color(uint32(i), c, n)
		}
	}
}

// color writes sample n of one color attachment.
func (s *shader) color(i uint32, c *colorKey, n ir.V) {
	a, ok := s.attachment(layout.BindColor+i, c.Format, c.Layered, n)
	if !ok {
		return
	}
	next := s.ready[i]
	var src [4]ir.V
	if next == nil {
		src = s.source(i, 0, &a)
	}
	mask := c.Blend.WriteMask
	// The types are known here, so the program reports each covered sample without a condition. A sample that
	// the mask or a test removes does not come here: no value of it is written.
	if s.Program.Checked(ir.SanitizeUndefined) {
		if text := s.mismatch(&a, i); text != "" {
			s.report(ir.SanitizeUndefined, "an output of a fragment of another numeric type than the attachment", text)
		}
	}
	var old []ir.V
	switch {
	case next != nil:
	case s.key.Logic && a.logical():
		old = s.old(i, &a)
		next = s.logic(s.key.logicOp, a.Pack(src), old)
	case c.Blend.Enable && !s.key.Logic && a.Kind() == ir.F32:
		color := s.dithered(&a, s.blended(&c.Blend, &a, src, s.source(i, 1, &a), s.beneath(i, &a)), n)
		if s.keepsColor(i, &a, color, mask) {
			return
		}
		next = a.Pack(color)
	default:
		next = a.Pack(s.dithered(&a, src, n))
	}
	// A texel with masked components needs a read even without blending.
	if !a.Complete(mask) {
		if old == nil {
			old = s.old(i, &a)
		}
		next = a.Merge(old, next, mask)
	}
	s.write(i, &a, next)
}

// source returns the program's output color for an attachment, in the numeric type of its format. A
// component without an output is 0. Vulkan leaves a missing component undefined. The conversion to
// f32 comes first, because outputs may be 16-bit floats.
func (s *shader) source(n, source uint32, a *attachment) (color [4]ir.V) {
	for i := range color {
		color[i] = s.Zero(a.Kind())
	}
	for k, o := range s.From.Out {
		if o.Semantic == ir.Location && o.Index/4 == n && o.Source == source {
			color[o.Index%4] = s.Convert(s.toF32(s.Output(k)), a.Signed(), a.Kind())
		}
	}
	for i := range color {
		color[i] = s.clampInteger(a, n, i, color[i])
	}
	// The coverage of a smooth line multiplies alpha of output 0 only.
	if s.key.smooth && n == 0 && source == 0 && a.Kind() == ir.F32 {
		color[3] = s.FMul(color[3], s.smoothness())
	}
	if s.key.alphaToOne && a.Kind() == ir.F32 {
		color[3] = s.Float(1)
	}
	return color
}

// clampInteger clamps an integer to the range of component i of attachment n (docs/undefined.md).
func (s *shader) clampInteger(a *attachment, n uint32, i int, v ir.V) ir.V {
	k := a.Component(i)
	if k == nil || k.Bits >= 32 {
		return v
	}
	switch most := uint32(1)<<k.Bits - 1; k.Numeric {
	case format.UInt:
		return s.reported(a, n, i, ir.ZExt, v, s.B.Op(ir.UMin, ir.I32, v, s.B.I32(most)))
	case format.SInt:
		return s.reported(a, n, i, ir.SExt, v, s.B.Op(ir.SMin, ir.I32, s.B.Op(ir.SMax, ir.I32, v, s.B.I32(^(most>>1))), s.B.I32(most>>1)))
	}
	return v
}

// reported returns the clamped value of component i of attachment n. A program that reports undefined results
// (lower.Options.Sanitize) logs a value that the clamp changes.
func (s *shader) reported(a *attachment, n uint32, i int, extend ir.Op, v, clamped ir.V) ir.V {
	if !s.Program.Checked(ir.SanitizeUndefined) || s.mismatch(a, n) != "" {
		return clamped
	}
	// A value of another type has one report, about its type: its bits are not a number to clamp.
	text := fmt.Sprintf("the output at Location %d, component %d, is %%ld, which %d bits of the attachment cannot represent", n, i, a.Component(i).Bits)
	s.B.If(s.B.Op(ir.Not, ir.B1, s.B.Cmp(ir.Eq, v, clamped)))
	s.report(ir.SanitizeUndefined, "an integer output of a fragment that the attachment's component cannot represent", text, s.B.Op(extend, ir.I64, v))
	s.B.End()
	return clamped
}

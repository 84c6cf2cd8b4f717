package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// attachment is an attachment in the code of a fragment program: where the texel of
// the pixel stands, and how.
type attachment struct {
	*texture.Texel
	memory, off ir.V
}

// attachment finds the texel of sample n in an attachment. Those with more than
// one layer have that of the primitive, or the view.
func (s *shader) attachment(binding uint32, name string, layered bool, n ir.V) (attachment, bool) {
	x, err := s.Texels.Of(s.B, name)
	if err != nil {
		s.Unsupported("an attachment of format %s", name)
		return attachment{}, false
	}
	b := s.B
	memory := s.Handle(ir.Texels, binding, true)
	word := func(n uint32) ir.V {
		return s.perItem(func() ir.V {
			return s.LoadOwn(ir.I32, s.Handle(ir.ImageShape, binding, false), b.I32(0), 4*(ir.ShapeLevels+ir.MaxLevels*n))
		})
	}
	texel := b.I32(uint32(x.Format().Bytes))
	bytes := b.I32(uint32(x.Format().Bytes) * s.key.Samples)
	off, pitch := word(0), word(1)
	if layered {
		off = s.Add(off, s.Mul(s.layer(), word(2)))
	}
	if s.coarse() || b.Func != s.Program.Funcs[0] {
		px, py, at := s.pixelOf(n)
		off, n = s.Add(off, s.Add(s.Mul(py, pitch), s.Mul(px, bytes))), at
	} else {
		// What differs between the pixels comes last, and without anything that keeps it
		// from being seen to be a row: pixels that are covered are there.
		off = s.Add(s.Add(off, s.Mul(s.corner[1], pitch)), s.Mul(s.corner[0], bytes))
		off = s.Add(off, s.Add(s.Mul(s.inStrip[1], pitch), s.Mul(s.inStrip[0], bytes)))
	}
	if s.key.Samples > 1 {
		off = s.Add(off, s.Mul(n, texel))
	}
	return attachment{x, memory, off}, true
}

// layer is the layer that is drawn to.
func (s *shader) layer() ir.V {
	if s.key.Multiview {
		return s.param(ir.I32, layout.FragmentView)
	}
	return s.primitiveWord(ir.I32, primitiveLayer)
}

// logical reports whether logical operations change the attachment: not where it has
// floats or sRGB (Vulkan §"Logical Operations").
func (a *attachment) logical() bool {
	k := a.Component(0)
	if k == nil {
		k = a.Component(3)
	}
	switch k.Numeric {
	case format.UNorm, format.SNorm, format.UInt, format.SInt, format.UScaled, format.SScaled:
		return true
	}
	return false
}

// load reads the texel.
func (a *attachment) load() []ir.V { return a.Texel.Load(a.memory, a.off, 0) }

// store writes it.
func (a *attachment) store(words []ir.V) { a.Texel.Store(a.memory, a.off, words) }

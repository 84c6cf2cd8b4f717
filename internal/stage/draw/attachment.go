package draw

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
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
func (s *fragmentShader) attachment(binding uint32, name string, layered bool, n ir.V) (attachment, bool) {
	x, err := s.texels.Of(s.b, name)
	if err != nil {
		s.unsupported("an attachment of format %s", name)
		return attachment{}, false
	}
	b := s.b
	memory := s.handle(ir.Texels, binding, true)
	word := func(n uint32) ir.V {
		return s.ofItem(func() ir.V {
			return s.own(ir.I32, s.handle(ir.ImageShape, binding, false), b.I32(0), 4*(ir.ShapeLevels+ir.MaxLevels*n))
		})
	}
	texel := b.I32(uint32(x.Format().Bytes))
	bytes := b.I32(uint32(x.Format().Bytes) * s.key.samples)
	off, pitch := word(0), word(1)
	if layered {
		off = s.add(off, s.mul(s.layer(), word(2)))
	}
	if s.coarse() || b.Func != s.p.Funcs[0] {
		px, py, at := s.pixelOf(n)
		off, n = s.add(off, s.add(s.mul(py, pitch), s.mul(px, bytes))), at
	} else {
		// What differs between the pixels comes last, and without anything that keeps it
		// from being seen to be a row: pixels that are covered are there.
		off = s.add(s.add(off, s.mul(s.corner[1], pitch)), s.mul(s.corner[0], bytes))
		off = s.add(off, s.add(s.mul(s.inStrip[1], pitch), s.mul(s.inStrip[0], bytes)))
	}
	if s.key.samples > 1 {
		off = s.add(off, s.mul(n, texel))
	}
	return attachment{x, memory, off}, true
}

// layer is the layer that is drawn to.
func (s *fragmentShader) layer() ir.V {
	if s.key.views {
		return s.params(ir.I32, fragmentView)
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

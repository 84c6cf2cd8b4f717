package shade

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// attachment is one texel of an attachment in a fragment program: its codec, and the address of the
// pixel's sample. It fetches, converts and stores the words of a texel. Memory is linear, with a
// row for each sample of a pixel row:
//
//	offset = first + layer·layerPitch + y·rowPitch + sample·rowPitch/samples + x·texelBytes
//
// lavapipe and SwiftShader always shade quads. Here lanes are in pixel rows unless the program needs
// quads, so that the addresses of a pixel row are consecutive.
type attachment struct {
	*texture.Texel
	memory, off ir.V
}

// attachment returns the texel of sample n in an attachment. A layered attachment uses the layer of
// the primitive, or the view. An unknown format makes the program unsupported.
func (s *shader) attachment(binding uint32, form *format.Info, layered bool, n ir.V) (attachment, bool) {
	x, err := s.Texels.Of(s.B, form)
	if err != nil {
		s.Unsupported("an attachment of format %v", form)
		return attachment{}, false
	}
	b := s.B
	memory := s.Handle(ir.Texels, binding, true)
	word := func(n uint32) ir.V {
		return s.perItem(func() ir.V {
			return s.LoadOwn(ir.I32, s.Handle(ir.ImageShape, binding, false), b.I32(0), 4*(ir.ShapeLevels+ir.MaxLevels*n))
		})
	}
	// Words 0 to 2: the first byte of the level, and the pitches of rows and layers.
	bytes := b.I32(uint32(x.Format().Bytes))
	off, pitch := word(0), word(1)
	if layered {
		off = s.Add(off, s.Mul(s.layer(), word(2)))
	}
	// The sample is the same in all pixels unless fragments have several pixels.
	addSample := func() {
		if s.key.Samples > 1 {
			off = s.Add(off, s.Mul(n, b.Op(ir.LShr, ir.I32, pitch, b.I32(uint32(bits.Len32(s.key.Samples)-1)))))
		}
	}
	if s.coarse() || b.Func != s.Program.Funcs[0] {
		px, py, at := s.pixelOf(n)
		n = at
		addSample()
		off = s.Add(off, s.Add(s.Mul(py, pitch), s.Mul(px, bytes)))
	} else {
		// Terms that vary between pixels are added last, and the sum is not clamped: the vectorizer
		// then recognises consecutive addresses. Covered pixels are always inside the attachment.
		addSample()
		off = s.Add(s.Add(off, s.Mul(s.corner[1], pitch)), s.Mul(s.corner[0], bytes))
		off = s.Add(off, s.Add(s.Mul(s.inStrip[1], pitch), s.Mul(s.inStrip[0], bytes)))
	}
	return attachment{x, memory, off}, true
}

// layer returns the layer of the framebuffer that the fragment writes.
func (s *shader) layer() ir.V {
	if s.key.Multiview {
		return s.param(ir.I32, layout.FragmentView)
	}
	return s.primitiveWord(ir.I32, primitiveLayer)
}

// logical reports whether logical operations apply to the attachment: they do not apply to
// floating-point and sRGB formats (Vulkan §"Logical Operations"). Component 0 is missing only in
// alpha formats, which have component 3.
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

// load reads the words of the texel.
func (a *attachment) load() []ir.V { return a.Texel.Load(a.memory, a.off, 0) }

// store writes the words of the texel.
func (a *attachment) store(words []ir.V) { a.Texel.Store(a.memory, a.off, words) }

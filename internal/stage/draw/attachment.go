package draw

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// attachment is an attachment in the code of a fragment program: where the texel of
// the pixel stands, and how.
type attachment struct {
	*texture.Texel
	memory, off ir.V
}

// attachment finds the pixel's texel in an attachment. Those with more than one layer
// have that of the primitive.
func (s *fragmentShader) attachment(binding uint32, name string, layered bool) (attachment, bool) {
	x, err := s.texels.Of(s.b, name)
	if err != nil {
		s.unsupported("an attachment of format %s", name)
		return attachment{}, false
	}
	b := s.b
	memory := s.handle(ir.Texels, binding, true)
	shape := s.handle(ir.ImageShape, binding, false)
	word := func(n uint32) ir.V { return s.load(ir.I32, shape, b.I32(0), 4*(ir.ShapeLevels+n)) }
	off := s.add(word(0), s.mul(s.get(varY), word(1)))
	if layered {
		off = s.add(off, s.mul(s.primitiveWord(ir.I32, primitiveLayer), word(2)))
	}
	bytes := uint64(x.Format().Bytes)
	return attachment{x, memory, s.at(off, s.get(varX), bytes)}, true
}

// load reads the texel.
func (a *attachment) load() []ir.V { return a.Texel.Load(a.memory, a.off, 0) }

// store writes it.
func (a *attachment) store(words []ir.V) { a.Texel.Store(a.memory, a.off, words) }

package texture

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Clear gives all texels of a layer, or of a slice of a volume, of a level one value,
// all samples of them: at names the layer, and numbers are as Store takes them. Where
// there is no such layer, or texels are those of blocks, it does nothing.
func (m *Image) Clear(at Coord, v [4]uint64) {
	at.X, at.Y, at.Sample = 0, 0, 0
	p, texel := m.texel(at)
	if texel == nil || m.blocks != nil {
		return
	}
	p.code.Store(texel, v)
	l := &p.levels[at.Level]
	first := m.Row(at)
	for n := p.texel.Bytes; n < len(first); n *= 2 {
		copy(first[n:], first[:n])
	}
	for at.Y = 1; at.Y < l.height; at.Y++ {
		copy(m.Row(at), first)
	}
}

// MaxTexel bounds the bytes of a texel of a view.
const MaxTexel = 32

// EncodeTexel writes a texel of the view with a value, whose numbers are as Image.Store takes
// them, and returns how many bytes it has; 0 where it is none that can be written.
func (v *View) EncodeTexel(to *[MaxTexel]byte, value [4]uint64) int {
	if v == nil || v.part != nil {
		return 0
	}
	f, ok := format.ByName(v.Format())
	if !ok || f.Bytes > MaxTexel {
		return 0
	}
	code, ok := f.Codec(format.InfoByName(v.Format()).Aspects)
	if !ok {
		return 0
	}
	code.Store(to[:f.Bytes], value)
	return f.Bytes
}

// Fill makes all samples of the texels from (x0, y0) up to but not with (x1, y1) of a
// layer of the view's first level a texel, as Texel writes it. What the level does not
// have is left out.
func (v *View) Fill(layer, x0, y0, x1, y1 int, texel []byte) {
	w, h, layers := v.Extent()
	x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, w), min(y1, h)
	if x0 >= x1 || y0 >= y1 || layer < 0 || layer >= layers || len(texel) == 0 {
		return
	}
	size := len(texel) * v.Samples()
	level := ir.ShapeLevels
	at, pitch := v.word(level)+layer*v.word(level+2*ir.MaxLevels)+x0*size, v.word(level+ir.MaxLevels)
	row := func(y int) []byte { return v.memory[at+y*pitch:][:(x1-x0)*size] }
	first := row(y0)
	for n := copy(first, texel); n < len(first); n *= 2 {
		copy(first[n:], first[:n])
	}
	for y := y0 + 1; y < y1; y++ {
		copy(row(y), first)
	}
}

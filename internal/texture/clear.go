package texture

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Clear stores one value to all texels, all samples, of the layer or slice that at names; v is as for Store.
// It does nothing if there is no such layer, or the format is compressed.
func (m *Image) Clear(at Coord, v [4]uint64) {
	at.X, at.Y, at.Sample = 0, 0, 0
	p, texel := m.texel(at)
	if texel == nil || m.blocks != nil {
		return
	}
	p.codec.Store(texel, v)
	l := &p.levels[at.Level]
	first := m.TexelRow(at) // filled by doubling, then copied to the other rows
	for n := p.texel.Bytes; n < len(first); n *= 2 {
		copy(first[n:], first[:n])
	}
	for at.Y = range l.height {
		for at.Sample = range m.Samples {
			copy(m.TexelRow(at), first)
		}
	}
}

// MaxTexel bounds the bytes of a view's texel.
const MaxTexel = 32

// EncodeTexel writes value as a texel of the view's format to to, and returns the texel's size in bytes: 0 if
// the view is nil or its format cannot be encoded. value is as for Image.Store.
func (v *View) EncodeTexel(to *[MaxTexel]byte, value [4]uint64) int {
	if v == nil || v.blocks != nil {
		return 0
	}
	f := v.Info().Texel()
	if f == nil || f.Bytes > MaxTexel {
		return 0
	}
	code, ok := f.Codec(v.Info().Aspects)
	if !ok {
		return 0
	}
	code.Store(to[:f.Bytes], value)
	return f.Bytes
}

// Texel returns the bytes of a texel of a layer of the view's first level; nil if there is none.
func (v *View) Texel(layer, x, y, sample int) []byte {
	w, h, layers := v.Extent()
	f := v.Info().Texel()
	if f == nil || x < 0 || y < 0 || layer < 0 || sample < 0 || x >= w || y >= h || layer >= layers || sample >= v.Samples() {
		return nil
	}
	pitch := v.word(ir.ShapeLevels + ir.MaxLevels)
	at := v.word(ir.ShapeLevels) + layer*v.word(ir.ShapeLevels+2*ir.MaxLevels) + y*pitch + sample*pitch/v.Samples() + x*f.Bytes
	if at < 0 || at+f.Bytes > len(v.memory) {
		return nil
	}
	return v.memory[at : at+f.Bytes]
}

// Rows calls f with the memory of the texels [x0, x1) × [y0, y1) of a layer of the view's first level, with all samples, row by row.
// Texels outside the level are skipped.
func (v *View) Rows(layer, x0, y0, x1, y1 int, f func([]byte)) {
	w, h, layers := v.Extent()
	x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, w), min(y1, h)
	texel := v.Info().Texel()
	if x0 >= x1 || y0 >= y1 || layer < 0 || layer >= layers || texel == nil {
		return
	}
	level, samples := ir.ShapeLevels, v.Samples()
	at, pitch := v.word(level)+layer*v.word(level+2*ir.MaxLevels)+x0*texel.Bytes, v.word(level+ir.MaxLevels)/samples
	for n := y0 * samples; n < y1*samples; n++ {
		f(v.memory[at+n*pitch:][:(x1-x0)*texel.Bytes])
	}
}

// Fill copies a texel, as EncodeTexel returns it, to all samples of the texels [x0, x1) × [y0, y1) of a layer
// of the view's first level. Texels outside the level are skipped.
func (v *View) Fill(layer, x0, y0, x1, y1 int, texel []byte) {
	w, h, layers := v.Extent()
	x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, w), min(y1, h)
	if x0 >= x1 || y0 >= y1 || layer < 0 || layer >= layers || len(texel) == 0 {
		return
	}
	level, samples := ir.ShapeLevels, v.Samples()
	at, pitch := v.word(level)+layer*v.word(level+2*ir.MaxLevels)+x0*len(texel), v.word(level+ir.MaxLevels)/samples
	row := func(n int) []byte { return v.memory[at+n*pitch:][:(x1-x0)*len(texel)] } // rows of samples
	first := row(y0 * samples)
	for n := copy(first, texel); n < len(first); n *= 2 {
		copy(first[n:], first[:n])
	}
	for n := y0*samples + 1; n < y1*samples; n++ {
		copy(row(n), first)
	}
}

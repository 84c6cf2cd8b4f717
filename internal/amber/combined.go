package amber

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Images of depth and stencil together keep the two apart in memory; a script's
// buffer has them in one texel.

// split gives such an image what the buffer holds.
func (b *Buffer) split(m *texture.Image, data []byte) {
	b.combined(func(i int, at texture.Place) {
		texel := data[i*b.Texel.Bytes:]
		for _, c := range b.Texel.Components() {
			switch raw := c.Raw(texel); c.Channel {
			case format.D:
				at.Aspect = format.Depth
				m.Store(at, [4]uint64{uint64(math.Float32bits(float32(c.Value(raw))))})
			case format.S:
				at.Aspect = format.Stencil
				m.Store(at, [4]uint64{raw})
			}
		}
	})
}

// join gives the buffer what such an image holds.
func (b *Buffer) join(m *texture.Image, data []byte) {
	b.combined(func(i int, at texture.Place) {
		texel := data[i*b.Texel.Bytes:]
		for _, c := range b.Texel.Components() {
			switch c.Channel {
			case format.D:
				at.Aspect = format.Depth
				depth := math.Float32frombits(uint32(m.Load(at)[0]))
				c.SetRaw(texel, c.Convert(float64(depth)))
			case format.S:
				at.Aspect = format.Stencil
				c.SetRaw(texel, m.Load(at)[0])
			}
		}
	})
}

// combined calls f for each texel of the base level.
func (b *Buffer) combined(f func(i int, at texture.Place)) {
	w, h := b.Image.Width, b.Image.Height
	for i := range min(w*h, b.Elements()) {
		f(i, texture.Place{X: i % w, Y: i / w})
	}
}

// joinAll does so for all of a script.
func (r *runner) joinAll() {
	for b, m := range r.images.apart {
		b.join(m, r.memory[b])
	}
}

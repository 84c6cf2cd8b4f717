package amber

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Images with depth and stencil have separate memory for the two aspects. A buffer of the
// script has them in one texel if the texel is one word; otherwise all depths come before
// all stencil values, as copies of the two aspects leave them.

// aspects returns the position of a component of the i-th texel in a buffer.
func (b *Buffer) aspects(data []byte, i int, c format.Component) (texel []byte, at format.Component) {
	if whole := b.Texel.Bytes; whole == 4 {
		return data[i*whole:], c
	}
	depth := b.Texel.Bytes - 1
	if c.Channel == format.S {
		c.Shift = 0
		return data[b.Elements()*depth+i:], c
	}
	return data[i*depth:], c
}

// split copies the contents of the buffer into the two aspects of the image.
func (b *Buffer) split(m *texture.Image, data []byte) {
	b.combined(func(i int, at texture.Coord) {
		for _, c := range b.Texel.Components() {
			texel, c := b.aspects(data, i, c)
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

// join copies the two aspects of the image into the buffer.
func (b *Buffer) join(m *texture.Image, data []byte) {
	b.combined(func(i int, at texture.Coord) {
		for _, c := range b.Texel.Components() {
			texel, c := b.aspects(data, i, c)
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
func (b *Buffer) combined(f func(i int, at texture.Coord)) {
	w, h := b.Image.Width, b.Image.Height
	for i := range min(w*h*b.Image.layers(), b.Elements()) {
		f(i, texture.Coord{X: i % w, Y: i / w % h, Layer: i / (w * h)})
	}
}

// joinAll does so for all of a script.
func (r *runner) joinAll() {
	for b, m := range r.images.apart {
		b.join(m, r.memory[b])
	}
}

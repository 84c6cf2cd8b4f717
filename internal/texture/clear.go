package texture

// Clear gives all texels of a layer, or of a slice of a volume, of a level one value,
// all samples of them: at names the layer, and numbers are as Store takes them. Where
// there is no such layer, or texels are those of blocks, it does nothing.
func (m *Image) Clear(at Place, v [4]uint64) {
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

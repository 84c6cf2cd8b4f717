package texture

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// blocks is what an image of a compressed format keeps beside its texels: the
// blocks that they are decoded from, and texels decoded anew for views of another
// format. Programs see texels, of a format that holds each exactly, or, through views
// of a format of a block's size, the blocks.
type blocks struct {
	layout format.Layout
	levels []level // of blocks, as those of a plane are of texels; depth counts slices of blocks
	memory []byte

	mu    sync.Mutex
	shown []*decoded
	bare  bool // there are views of the blocks, which change them unseen
}

// decoded is a plane of texels, and how they are decoded.
type decoded struct {
	code  format.Blocks
	plane *plane
	seen  []byte // the blocks that the texels are decoded from, where there are views of the blocks
}

// newBlocks lays out the blocks of an image and takes memory for them. All bytes
// are 0, and so are the texels until blocks are written.
func (m *Image) newBlocks() error {
	code, _ := m.info.Blocks()
	b := &blocks{layout: m.info.Layout()}
	switch {
	case m.Samples > 1:
		return wrong("%d samples of an image of %s; must be 1", m.Samples, m.Format)
	case m.Dim == ir.Dim1D, code.Depth > 1 && m.Dim != ir.Dim3D:
		return wrong("dimension %s of an image of %s; must be 3d, or 2d where blocks are flat", m.Dim, m.Format)
	case strings.HasPrefix(m.Format, "PVRTC1") && (m.Width&(m.Width-1) != 0 || m.Height&(m.Height-1) != 0):
		return wrong("%d×%d texels of an image of %s; must be powers of two", m.Width, m.Height, m.Format)
	}
	size := uint64(0)
	for _, t := range m.planes[0].levels {
		row, slice := b.layout.Pitches(t.width, t.height)
		x, y, z := b.layout.Blocks(t.width, t.height, t.depth)
		b.levels = append(b.levels, level{width: x, height: y, depth: z, at: uint32(size), row: uint32(row), slice: uint32(slice)})
		size += slice * uint64(z) * uint64(m.Layers)
		if size > MaxBytes {
			return wrong("%d bytes of blocks or more; must be at most %d", size, MaxBytes)
		}
	}
	b.memory = make([]byte, size+spare)
	b.shown = []*decoded{{code: code, plane: &m.planes[0]}}
	m.blocks = b
	return nil
}

// Blocks returns the bytes of a layer of an image of a compressed format, or of a
// slice of blocks of a volume, rows of blocks one behind the other without a gap:
// they are the image's own, and WriteBlocks alone may change them. It is nil where
// there is no such layer, and of an image of another format.
func (m *Image) Blocks(level, layer int) []byte {
	if m.blocks == nil || uint(level) >= uint(m.Levels) {
		return nil
	}
	l := &m.blocks.levels[level]
	if uint(layer) >= uint(l.depth*m.Layers) {
		return nil
	}
	return m.blocks.layer(m.blocks.memory, l, layer)
}

// layer returns the blocks of a layer out of all of an image.
func (b *blocks) layer(all []byte, l *level, layer int) []byte {
	return all[int(l.at)+layer*int(l.slice):][:l.slice:l.slice]
}

// WriteBlocks replaces the blocks from x, y on, counted in blocks, of a layer, or
// of a slice of blocks, and decodes them: rows of so many blocks, one behind the
// other. What has views sees the new texels; no program may run meanwhile. The
// error is a *DescError.
func (m *Image) WriteBlocks(level, layer, x, y, columns int, data []byte) error {
	to := m.Blocks(level, layer)
	if to == nil {
		return wrong("blocks of level %d, layer %d of an image of %s; there are none", level, layer, m.Format)
	}
	l, size := &m.blocks.levels[level], m.blocks.layout.Bytes
	if columns < 1 || columns > l.width || len(data)%(columns*size) != 0 {
		return wrong("%d bytes as rows of %d blocks of %d bytes; must be whole rows of at most %d", len(data), columns, size, l.width)
	}
	rows := len(data) / (columns * size)
	if x < 0 || y < 0 || columns > l.width-x || rows > l.height-y {
		return wrong("%d by %d blocks from %d, %d on; the level has %d by %d", columns, rows, x, y, l.width, l.height)
	}
	for row := range rows {
		copy(to[(y+row)*int(l.row)+x*size:], data[row*columns*size:][:columns*size])
	}
	b := m.blocks
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.shown {
		if b.bare {
			b.refreshRows(d, level, layer, y, rows)
			continue
		}
		b.decode(d, b.memory, level, layer, [2]int{x, y}, [2]int{columns, rows})
	}
	return nil
}

// decode stores the texels of some blocks of a layer; those outside of the level
// have no place. Blocks that others are decoded with change those too, around the
// edges of the level.
func (b *blocks) decode(d *decoded, all []byte, level, layer int, from, count [2]int) {
	var texels [format.MaxBlockTexels][4]float32
	l, t := &b.levels[level], &d.plane.levels[level]
	in := b.layer(all, l, layer)
	if grid := [2]int{l.width, l.height}; d.code.NeedsNeighbors() {
		for i := range from {
			from[i], count[i] = from[i]-1+grid[i], min(count[i]+2, grid[i])
		}
	}
	for y := range count[1] {
		for x := range count[0] {
			column, row := (from[0]+x)%l.width, (from[1]+y)%l.height
			d.code.DecodeAt(texels[:], in, l.width, column, row)
			d.plane.put(t, &d.code, texels[:d.code.Texels()], column, row, layer)
		}
	}
}

// put stores the texels of the block at a column and row of a layer or slice.
func (p *plane) put(t *level, code *format.Blocks, texels [][4]float32, column, row, layer int) {
	slices := t.depth // of a volume; a layer of others is behind the others
	if slices == 1 {
		slices = layer + 1
	}
	for i, v := range texels {
		x := column*code.Width + i%code.Width
		y := row*code.Height + i/code.Width%code.Height
		z := layer*code.Depth + i/(code.Width*code.Height)
		if x >= t.width || y >= t.height || z >= slices {
			continue
		}
		var n [4]uint64
		for ch := range v {
			n[ch] = uint64(math.Float32bits(v[ch]))
		}
		at := int(t.at) + z*int(t.slice) + y*int(t.row) + x*p.texel.Bytes
		p.code.Store(p.memory[at:][:p.texel.Bytes], n)
	}
}

// shownAs returns the texels of an image of a compressed format as another of its
// class has them, "" as its own. Those of each are decoded once.
func (m *Image) shownAs(name string) (*decoded, error) {
	if name == "" {
		name = m.Format
	}
	f := format.InfoByName(name)
	if f == nil || !f.Compressed || f.Class != m.info.Class {
		return nil, wrong("a view as %s of an image of %s; must be a compressed format of its class, or one of a texel as large as its blocks", name, m.Format)
	}
	code, _ := f.Blocks()
	b := m.blocks
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.shown {
		if d.code == code {
			return d, nil
		}
	}
	p, err := m.plane(aspectFormat{format.Color, code.DecodedFormat(), 1, 1})
	if err != nil {
		return nil, err
	}
	d := &decoded{code: code, plane: &p}
	if b.bare {
		d.seen = slices.Clone(b.memory)
	}
	for n, l := range b.levels {
		for layer := range l.depth * m.Layers {
			b.decode(d, b.memory, n, layer, [2]int{}, [2]int{l.width, l.height})
		}
	}
	b.shown = append(b.shown, d)
	return d, nil
}

package texture

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// blocks holds the compressed blocks of an image beside its decoded texels. Programs read the texels, in a
// format that represents each exactly; through block texel views they read and write the blocks. For a view
// of another compressed format of the class the blocks are decoded a second time. Decoding ahead of use costs
// memory, and makes a compressed texel as cheap to sample as a plain one; it is worth it if a texel is read
// more than a few times.
type blocks struct {
	*blockLayout
	memory []byte

	mu        sync.Mutex
	decodings []*decoded
	watched   bool // others change blocks: programs through block texel views, or the owner of the memory
}

// decoded is a plane of texels decoded from the blocks.
type decoded struct {
	code   format.Blocks
	plane  *plane
	source []byte // if the blocks are watched: a copy of them as of their last decoding
}

// blockLayout is the layout of the blocks of a compressed image.
type blockLayout struct {
	code   format.Blocks
	layout format.Layout
	levels []level // of blocks, as a plane's are of texels; depth counts slices of blocks
}

// layBlocks lays out the blocks, which are the memory of the image.
func (m *Layout) layBlocks() error {
	code, _ := m.info.Blocks()
	b := &blockLayout{code: code, layout: m.info.Layout()}
	switch {
	case m.Samples > 1:
		return descErrorf("%d samples of an image of %s; must be 1", m.Samples, m.Format)
	case m.Dim == ir.Dim1D, code.Depth > 1 && m.Dim != ir.Dim3D:
		return descErrorf("dimension %s of an image of %s; must be 3d, or 2d if the blocks are", m.Dim, m.Format)
	case strings.HasPrefix(m.Format, "PVRTC1") && (m.Width&(m.Width-1) != 0 || m.Height&(m.Height-1) != 0):
		return descErrorf("%d×%d texels of an image of %s; must be powers of two", m.Width, m.Height, m.Format)
	}
	size := uint64(0)
	for _, t := range m.parts[0].levels {
		row, slice := b.layout.Pitches(t.width, t.height)
		x, y, z := b.layout.Blocks(t.width, t.height, t.depth)
		b.levels = append(b.levels, level{width: x, height: y, depth: z, base: uint32(size), rowPitch: uint32(row), slice: uint32(slice)})
		size += slice * uint64(z) * uint64(m.Layers)
		if size > MaxBytes {
			return sizeError(size, " of blocks")
		}
	}
	m.blocked, m.size = b, size+tailPadding
	return nil
}

// newBlocks makes the blocks in memory. If it is zero, blocks and texels are zero bytes until blocks are written.
func (m *Image) newBlocks(memory []byte) {
	m.blocks = &blocks{blockLayout: m.blocked, memory: memory, decodings: []*decoded{{code: m.blocked.code, plane: &m.planes[0]}}}
}

// watch makes every later access to decoded texels look for changed blocks. b.mu is held, or b is new.
func (b *blocks) watch() {
	if b.watched {
		return
	}
	b.watched = true
	for _, d := range b.decodings {
		d.source = slices.Clone(b.memory)
	}
}

// Blocks returns the memory of the blocks of a layer (or, of a volume, a slice of blocks) of an image of a
// compressed format, row after row without padding. WriteBlocks alone may change it. It is nil if there is no
// such layer, or the format is not compressed.
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

// layer returns the blocks of a layer; all are the image's blocks.
func (b *blocks) layer(all []byte, l *level, layer int) []byte {
	return all[int(l.base)+layer*int(l.slice):][:l.slice:l.slice]
}

// WriteBlocks replaces a rectangle of blocks of a layer or slice of blocks and decodes them. x, y and columns
// count blocks; data holds rows of columns blocks, one after another. Existing views show the new texels. No
// program may run meanwhile. The error is a *DescError.
func (m *Image) WriteBlocks(level, layer, x, y, columns int, data []byte) error {
	to := m.Blocks(level, layer)
	if to == nil {
		return descErrorf("blocks of level %d, layer %d of an image of %s; must be of an existing level and layer of a compressed format", level, layer, m.Format)
	}
	l, size := &m.blocks.levels[level], m.blocks.layout.Bytes
	if columns < 1 || columns > l.width || len(data)%(columns*size) != 0 {
		return descErrorf("%d bytes in rows of %d blocks of %d bytes; must be whole rows of at most %d blocks", len(data), columns, size, l.width)
	}
	rows := len(data) / (columns * size)
	if x < 0 || y < 0 || columns > l.width-x || rows > l.height-y {
		return descErrorf("%d×%d blocks at (%d, %d); must be within the %d×%d of the level", columns, rows, x, y, l.width, l.height)
	}
	for row := range rows {
		copy(to[(y+row)*int(l.rowPitch)+x*size:], data[row*columns*size:][:columns*size])
	}
	b := m.blocks
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.decodings {
		if b.watched {
			b.refreshTexelRows(d, level, layer, y, rows)
			continue
		}
		b.decode(d, b.memory, level, layer, [2]int{x, y}, [2]int{columns, rows})
	}
	return nil
}

// decode decodes a rectangle of blocks of a layer from the bytes all, and drops texels outside the level. If
// texels depend on neighbouring blocks (PVRTC), the blocks around the rectangle are decoded too, across the
// level's edges.
func (b *blocks) decode(d *decoded, all []byte, level, layer int, from, count [2]int) {
	var texels [format.MaxBlockTexels][4]float32
	l, t := &b.levels[level], &d.plane.levels[level]
	in := b.layer(all, l, layer)
	// Widen the rectangle by one block on each side, modulo the level's extent, which PVRTC wraps around.
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

// put stores the decoded texels of the block at a column and row of a layer or slice.
func (p *plane) put(t *level, code *format.Blocks, texels [][4]float32, column, row, layer int) {
	slices := t.depth // of a volume; other images address layer l as slice l
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
		at := int(t.base) + z*int(t.slice) + y*int(t.rowPitch) + x*p.texel.Bytes
		p.codec.Store(p.memory[at:][:p.texel.Bytes], n)
	}
}

// decodingAs returns the texels decoded as a compressed format of the image's class, "" being its own. Each
// decoding is made once.
func (m *Image) decodingAs(name string) (*decoded, error) {
	if name == "" {
		name = m.Format
	}
	f := format.InfoByName(name)
	if f == nil || !f.Compressed || f.Class != m.info.Class {
		return nil, descErrorf("a view as %s of an image of %s; must be a compressed format of the same class, or a format with texels of the size of its blocks", name, m.Format)
	}
	code, _ := f.Blocks()
	b := m.blocks
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.decodings {
		if d.code == code {
			return d, nil
		}
	}
	p, err := m.plane(aspectFormat{format.Color, code.DecodedFormat(), 1, 1})
	if err != nil {
		return nil, err
	}
	d := &decoded{code: code, plane: &plane{p, make([]byte, p.size)}}
	if b.watched {
		d.source = slices.Clone(b.memory)
	}
	for n, l := range b.levels {
		for layer := range l.depth * m.Layers {
			b.decode(d, b.memory, n, layer, [2]int{}, [2]int{l.width, l.height})
		}
	}
	b.decodings = append(b.decodings, d)
	return d, nil
}

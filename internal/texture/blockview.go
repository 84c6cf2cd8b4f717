package texture

import (
	"bytes"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// A block texel view (VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT) shows an image of a compressed format
// as plain texels, one for each block. A program that writes through it changes blocks without decoding
// them. So every later access to the decoded texels first compares the blocks with a copy made when they were
// decoded, and decodes the changed ones. While a program runs, its decoded texels stay as of its start: a
// write through one view is visible through another only after a dependency, which commands make, not
// shaders (Vulkan §"Shader Memory Access Ordering").

// blockRange is the levels and layers (or slices) of blocks that a view of a compressed image shows.
type blockRange struct {
	*blocks
	of           *decoded // nil for a block texel view
	level, layer [2]int   // [first, end)
}

// blockTexelPlane returns the blocks as texels of a format, and whether the format permits it: an
// uncompressed color format with texels as large as a block.
func (m *Image) blockTexelPlane(name string) (*plane, bool) {
	i := format.InfoByName(name)
	f := i.Texel()
	if f == nil || i.Aspects != format.Color || f.Bytes != m.blocks.layout.Bytes || i.Class != "64-bit" && i.Class != "128-bit" {
		return nil, false
	}
	code, _ := f.Codec(format.Color)
	b := m.blocks
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watch()
	return &plane{planeLayout{aspect: format.Color, texel: *f, codec: code, levels: b.levels}, b.memory}, true
}

// checkBlockView returns an error unless a block texel view has one level (VUID-VkImageViewCreateInfo-image-07072).
func (m *Image) checkBlockView(d ViewDesc) error {
	if d.Levels > 1 {
		return descErrorf("a view as %s of %d levels of an image of %s; must have one level", d.Format, d.Levels, m.Format)
	}
	return nil
}

// blockRangeOf returns the blocks of a view, which must have been checked.
func (m *Image) blockRangeOf(of *decoded, d ViewDesc) *blockRange {
	s := &blockRange{blocks: m.blocks, of: of, level: [2]int{d.BaseLevel, d.BaseLevel + d.Levels}, layer: [2]int{d.BaseLayer, d.BaseLayer + d.Layers}}
	if of == nil {
		return s
	}
	if slices := m.blocks.layout.Depth; d.Dim == ir.Dim3D {
		s.layer = [2]int{0, m.blocks.levels[d.BaseLevel].depth}
	} else {
		s.layer = [2]int{d.BaseLayer / slices, (d.BaseLayer+d.Layers-1)/slices + 1}
	}
	return s
}

// refresh decodes the changed blocks in the range.
func (s *blockRange) refresh() {
	if s == nil || s.of == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := s.level[0]; s.watched && n < s.level[1]; n++ {
		l := &s.levels[n]
		to := s.layer[1]
		if l.depth > 1 || s.levels[0].depth > 1 {
			to = min(to, l.depth) // of a volume
		}
		for layer := s.layer[0]; layer < to; layer++ {
			s.refreshTexelRows(s.of, n, layer, 0, l.height)
		}
	}
}

// refreshTexelRows decodes the blocks of some rows of a layer that differ from the copy; of all rows if texels
// depend on neighbouring blocks. It decodes from the updated copy, because a program may be writing to the
// blocks meanwhile.
func (b *blocks) refreshTexelRows(d *decoded, level, layer, row, rows int) {
	l, size := &b.levels[level], b.layout.Bytes
	if d.code.NeedsNeighbors() {
		row, rows = 0, l.height
	}
	now, seen := b.layer(b.memory, l, layer), b.layer(d.source, l, layer)
	for y := row; y < row+rows; y++ {
		// Most rows are unchanged: compare them whole first.
		if bytes.Equal(now[y*int(l.rowPitch):][:l.rowPitch], seen[y*int(l.rowPitch):][:l.rowPitch]) {
			continue
		}
		for x := range l.width {
			at := y*int(l.rowPitch) + x*size
			if !bytes.Equal(now[at:][:size], seen[at:][:size]) {
				copy(seen[at:][:size], now[at:])
				b.decode(d, d.source, level, layer, [2]int{x, y}, [2]int{1, 1})
			}
		}
	}
}

// refreshTexelRow decodes the changed blocks of one row, the row that contains a texel, in the image's own format.
func (m *Image) refreshTexelRow(at Coord) {
	b := m.blocks
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watched {
		b.refreshTexelRows(b.decodings[0], at.Level, at.Layer+at.Z/b.layout.Depth, at.Y/b.layout.Height, 1)
	}
}

// refreshLayer decodes the changed blocks of a layer or slice of texels, in the image's own format.
func (m *Image) refreshLayer(level, layer int) {
	b := m.blocks
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watched {
		b.refreshTexelRows(b.decodings[0], level, layer/b.layout.Depth, 0, b.levels[level].height)
	}
}

package texture

import (
	"bytes"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// A view of blocks shows an image of a compressed format as one of plain texels, each
// a block (VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT). What a program writes
// through it changes blocks behind the back of the texels decoded from them: those
// are compared with what they were decoded from whenever somebody asks for them. While
// a program runs its texels are those of the blocks as they stood when it began: what
// it writes through one view is not visible through another without a dependency that
// only commands can make (Vulkan §"Shader Memory Access Ordering").

// part is what a view sees of an image in blocks: levels and layers, or slices, of
// blocks.
type part struct {
	*blocks
	of           *decoded // nil of a view of the blocks
	level, layer [2]int   // from the first up to the second
}

// barePlane returns the blocks as texels of a format, and whether that is one: of one
// color texel that is as large as a block.
func (m *Image) barePlane(name string) (*plane, bool) {
	f, ok := format.ByName(name)
	i := format.InfoByName(name)
	if !ok || i.Aspects != format.Color || f.Bytes != m.blocks.layout.Bytes || i.Class != "64-bit" && i.Class != "128-bit" {
		return nil, false
	}
	code, _ := f.Codec(format.Color)
	b := m.blocks
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.bare {
		b.bare = true
		for _, d := range b.shown {
			d.seen = slices.Clone(b.memory)
		}
	}
	return &plane{aspect: format.Color, texel: f, code: code, levels: b.levels, memory: b.memory}, true
}

// bareFits returns what is wrong with a view of blocks: it has one level, and no
// volume (VUID-VkImageViewCreateInfo-image-07072, -04739).
func (m *Image) bareFits(d ViewDesc) error {
	switch {
	case d.Levels > 1:
		return wrong("a view as %s of %d levels of an image of %s; must be of one", d.Format, d.Levels, m.Format)
	case d.Dim == ir.Dim3D:
		return wrong("a view as %s of the volume of an image of %s; must be of its slices", d.Format, m.Format)
	}
	return nil
}

// partOf returns what a view of an image in blocks sees. The levels and layers are
// there.
func (m *Image) partOf(of *decoded, d ViewDesc) *part {
	s := &part{blocks: m.blocks, of: of, level: [2]int{d.BaseLevel, d.BaseLevel + d.Levels}, layer: [2]int{d.BaseLayer, d.BaseLayer + d.Layers}}
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

// refresh decodes anew those of the view's blocks that have changed.
func (s *part) refresh() {
	if s == nil || s.of == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := s.level[0]; s.bare && n < s.level[1]; n++ {
		l := &s.levels[n]
		to := s.layer[1]
		if l.depth > 1 || s.levels[0].depth > 1 {
			to = min(to, l.depth) // of a volume
		}
		for layer := s.layer[0]; layer < to; layer++ {
			s.refreshRows(s.of, n, layer, 0, l.height)
		}
	}
}

// refreshRows decodes anew the blocks of some rows of a layer that are not those
// that its texels were decoded from; of all rows where blocks are decoded with others.
// They are decoded out of a copy: a program may be writing them.
func (b *blocks) refreshRows(d *decoded, level, layer, row, rows int) {
	l, size := &b.levels[level], b.layout.Bytes
	if d.code.NeedsNeighbors() {
		row, rows = 0, l.height
	}
	now, seen := b.layer(b.memory, l, layer), b.layer(d.seen, l, layer)
	for y := row; y < row+rows; y++ {
		if bytes.Equal(now[y*int(l.row):][:l.row], seen[y*int(l.row):][:l.row]) {
			continue
		}
		for x := range l.width {
			at := y*int(l.row) + x*size
			if !bytes.Equal(now[at:][:size], seen[at:][:size]) {
				copy(seen[at:][:size], now[at:])
				b.decode(d, d.seen, level, layer, [2]int{x, y}, [2]int{1, 1})
			}
		}
	}
}

// refreshHeld decodes anew the changed blocks of the image's own texels, of the row
// of blocks that a texel lies in.
func (m *Image) refreshHeld(at Coord) {
	b := m.blocks
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bare {
		b.refreshRows(b.shown[0], at.Level, at.Layer+at.Z/b.layout.Depth, at.Y/b.layout.Height, 1)
	}
}

// refreshLayer is that of all rows of a layer, or of a slice of texels.
func (m *Image) refreshLayer(level, layer int) {
	b := m.blocks
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bare {
		b.refreshRows(b.shown[0], level, layer/b.layout.Depth, 0, b.levels[level].height)
	}
}

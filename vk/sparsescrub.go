package vk

import (
	"bytes"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/transfer"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Shaders do not store to texels without memory. Commands and attachments do: these functions set such texels to zero
// afterwards, so that all reads see zeros (residencyNonResidentStrict, for images).

// partial reports whether the image may have memory in part.
func (m *Image) partial() bool { return m != nil && m.sparse != nil && m.sparse.residency != nil }

// scrub discards the stores of a command to texels without memory, in a box of layers of a level.
func (m *Image) scrub(level, layer, layers int, from, to [3]int) {
	s := m.sparse
	for i, a := range s.residency.Aspects() {
		blocks, ok := s.residency.Blocks(i, level)
		if !ok {
			s.scrubTail(i)
			continue
		}
		var first, end [3]int
		for k := range first {
			first[k], end[k] = max(from[k], 0)/a.Block[k], min((to[k]-1)/a.Block[k]+1, blocks[k])
		}
		p := texture.SparsePlace{Aspect: i, Level: level}
		for p.Layer = layer; p.Layer < min(layer+layers, m.layout.Layers); p.Layer++ {
			for p.Z = first[2]; p.Z < end[2]; p.Z++ {
				for p.Y = first[1]; p.Y < end[1]; p.Y++ {
					for p.X = first[0]; p.X < end[0]; p.X++ {
						if !s.residency.Has(p) {
							s.residency.Rows(p, func(row []byte, _ int) { wipe(row) })
						}
					}
				}
			}
		}
	}
}

// scrubLevel is scrub of whole layers.
func (m *Image) scrubLevel(level, layer, layers int) {
	w, h, d := m.layout.LevelExtent(level)
	m.scrub(level, layer, layers, [3]int{}, [3]int{w, h, d})
}

// scrubTail discards the content of the pages of a mip tail without memory.
func (s *sparseImage) scrubTail(aspect int) {
	all := s.residency.Tail(aspect)
	for n, b := range s.tails[aspect].pages {
		if at := n * SparseBlock; b.memory == nil {
			wipe(all[at:min(at+SparseBlock, len(all))])
		}
	}
}

var zeros [SparseBlock]byte

// wipe clears at most a block. It stores nothing if b is zero: pages that were never stored to stay without memory.
func wipe(b []byte) {
	if !bytes.Equal(b, zeros[:len(b)]) {
		clear(b)
	}
}

// scrub discards the stores of the work to texels without memory.
func (w *imageWork) scrub() {
	m := w.target
	if !m.partial() {
		return
	}
	level := func(s transfer.Subresource) {
		layer, layers := s.BaseLayer, max(s.Layers, 1)
		if m.layout.Dim == ir.Dim3D {
			layer, layers = 0, 1
		} else if len(w.images) > 0 {
			layers = m.layout.Layers - layer // slices of a volume may be layers
		}
		m.scrubLevel(s.Level, layer, layers)
	}
	for i := range w.copies {
		r := &w.copies[i]
		from, size := r.Region()
		var to [3]int
		for k := range to {
			to[k] = from[k] + max(size[k], 1)
		}
		m.scrub(r.Image.Level, r.Image.BaseLayer, max(r.Image.Layers, 1), from, to)
	}
	for i := range w.images {
		level(w.images[i].To)
	}
	for i := range w.blits {
		level(w.blits[i].To)
	}
	for _, r := range w.ranges {
		for n := range m.layout.Levels - r.BaseLevel {
			if r.Levels == 0 || n < r.Levels {
				m.scrubLevel(r.BaseLevel+n, 0, m.layout.Layers)
			}
		}
	}
}

// scrub discards the stores of a rendering to texels without memory.
func (r *rendering) scrub() {
	for i := range r.info.Colors {
		r.info.Colors[i].scrub()
	}
	if r.info.Depth != nil {
		r.info.Depth.scrub()
	}
	if r.info.Stencil != nil {
		r.info.Stencil.scrub()
	}
}

func (a *AttachmentInfo) scrub() {
	for _, v := range [...]*ImageView{a.View, a.Resolve} {
		if v != nil && v.image.partial() {
			v.image.scrubLevel(v.info.BaseLevel, 0, v.image.layout.Layers)
		}
	}
}

package transfer

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// A footprint is the memory that a transfer reads and writes, in rows. A transfer with an error has none.

// Rows calls buffer and image with the rows of the buffer and of the image that the copy accesses.
func (r *BufferImage) Rows(m *texture.Image, bytes []byte, buffer, image func([]byte)) {
	x, err := r.region(m, len(bytes))
	if err != nil {
		return
	}
	for z := range x.count[2] {
		for y := range x.count[1] {
			image(x.surface.row(x.from[0], x.from[1]+y, x.from[2]+z, 0)[:x.count[0]*x.surface.size])
		}
	}
	// The extent of a rotated region is that of the buffer.
	block := x.surface.block
	columns, rows := (x.extent[0]-1)/block.Width+1, (x.extent[1]-1)/block.Height+1
	for z := range x.count[2] {
		for y := range rows {
			buffer(bytes[x.BufferOffset+z*x.slice+y*x.row:][:columns*x.surface.size])
		}
	}
}

// Rows calls read and write with the rows of the images that the copy accesses.
func (r *ImageCopy) Rows(to, from *texture.Image, read, write func([]byte)) {
	x, err := r.region(to, from)
	if err != nil {
		return
	}
	x.from.rows(x.at, x.count, read)
	x.to.rows(x.into, x.count, write)
}

// rows calls f with the rows of a box of elements, of all samples.
func (s *surface) rows(from, count [3]int, f func([]byte)) {
	for z := range count[2] {
		for y := range count[1] {
			for sample := range s.image.Samples {
				f(s.row(from[0], from[1]+y, from[2]+z, sample)[:count[0]*s.size])
			}
		}
	}
}

// Box calls f with the rows of a box of texels of layers of an image, of all samples; corners are two opposite ones.
func (s Subresource) Box(m *texture.Image, corners [2][3]int, f func([]byte)) {
	x, err := surfaceOf(m, s)
	if err != nil {
		return
	}
	var at, extent [3]int
	for i := range 3 {
		at[i] = min(corners[0][i], corners[1][i])
		extent[i] = max(corners[0][i], corners[1][i]) - at[i]
	}
	if m.Dim != ir.Dim3D {
		at[2], extent[2] = 0, x.elements[2]
	}
	from, count, err := x.region(at, extent)
	if err == nil {
		x.rows(from, count, f)
	}
}

// Rows calls f with the rows of the levels and layers of a range.
func (r Range) Rows(m *texture.Image, f func([]byte)) {
	r, err := r.counted(m)
	if err != nil {
		return
	}
	for _, a := range m.Aspects() {
		if r.Aspects != 0 && r.Aspects&a == 0 {
			continue
		}
		for level := r.BaseLevel; level < r.BaseLevel+r.Levels; level++ {
			w, h, d, _ := m.AspectExtent(a, level)
			Subresource{Aspect: a, Level: level, BaseLayer: r.BaseLayer, Layers: r.Layers}.Box(m, [2][3]int{{}, {w, h, d}}, f)
		}
	}
}

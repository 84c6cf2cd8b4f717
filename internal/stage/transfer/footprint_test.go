package transfer

import (
	"bytes"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// TestFootprint copies bytes that are not 0 to an image of zeros: the rows that the copy announces are the bytes that it changes,
// and those that it reads in the buffer have as many bytes.
func TestFootprint(t *testing.T) {
	for _, c := range []struct {
		name string
		d    texture.Desc
		r    BufferImage
		n    int // bytes
	}{
		{"rows", texture.Desc{Format: "R8G8B8A8_UNORM", Dim: ir.Dim2D, Width: 8, Height: 8}, BufferImage{RowLength: 5, Offset: [3]int{1, 2, 0}, Extent: [3]int{3, 4, 1}}, 48},
		{"layers", texture.Desc{Format: "R8_UNORM", Dim: ir.Dim2D, Width: 8, Height: 8, Layers: 4}, BufferImage{Image: Subresource{BaseLayer: 1, Layers: 2}, Extent: [3]int{8, 8, 1}}, 128},
		{"a volume", texture.Desc{Format: "R16_UINT", Dim: ir.Dim3D, Width: 4, Height: 4, Depth: 4}, BufferImage{BufferOffset: 8, Offset: [3]int{0, 1, 2}, Extent: [3]int{2, 2, 2}}, 16},
		{"blocks", texture.Desc{Format: "BC1_RGB_UNORM_BLOCK", Dim: ir.Dim2D, Width: 16, Height: 16}, BufferImage{Offset: [3]int{4, 8, 0}, Extent: [3]int{8, 4, 1}}, 16},
		{"a quarter turn", texture.Desc{Format: "R8_UINT", Dim: ir.Dim2D, Width: 8, Height: 8}, BufferImage{Offset: [3]int{6, 1, 0}, Extent: [3]int{3, 2, 1}, Rotation: 1}, 6},
	} {
		l, err := texture.NewLayout(c.d)
		if err != nil {
			t.Fatal(err)
		}
		memory := make([]byte, l.Size())
		m, err := l.On(memory)
		if err != nil {
			t.Fatal(err)
		}
		buffer := bytes.Repeat([]byte{0x11}, 4096)
		if err := BufferToImage(m, buffer, &c.r); err != nil {
			t.Fatal(c.name, err)
		}
		read, written := 0, 0
		c.r.Rows(m, buffer, func(row []byte) { read += len(row) }, func(row []byte) {
			written += len(row)
			for _, b := range row {
				if b != 0x11 {
					t.Errorf("%s: a byte of the footprint is %#x; must be written", c.name, b)
				}
			}
			clear(row)
		})
		if read != c.n || written != c.n {
			t.Errorf("%s: %d bytes are read and %d written; must be %d", c.name, read, written, c.n)
		}
		if n := bytes.Count(memory, []byte{0x11}); n != 0 {
			t.Errorf("%s: %d bytes are written that the footprint does not have", c.name, n)
		}
	}
}

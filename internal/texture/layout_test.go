package texture

import (
	"bytes"
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestSubresource compares the places of subresources with the addresses of texels.
func TestSubresource(t *testing.T) {
	for _, d := range []Desc{
		{Format: "R8G8B8A8_UNORM", Dim: ir.Dim2D, Width: 300, Height: 7, Layers: 3, Levels: 4},
		{Format: "R16_UINT", Dim: ir.Dim3D, Width: 9, Height: 5, Depth: 6, Levels: 3},
		{Format: "D32_SFLOAT_S8_UINT", Dim: ir.Dim2D, Width: 12, Height: 4, Layers: 2},
		{Format: "G8_B8R8_2PLANE_420_UNORM", Dim: ir.Dim2D, Width: 8, Height: 8},
		{Format: "R8_UNORM", Dim: ir.Dim2D, Width: 16, Height: 16, Samples: 4},
		{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 1024, Height: 16, Packed: true},
	} {
		l, err := NewLayout(d)
		if err != nil {
			t.Fatal(err)
		}
		memory := make([]byte, l.Size())
		m, err := l.On(memory)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range m.Aspects() {
			for level := range m.Levels {
				_, _, depth := m.LevelExtent(level)
				for layer := range m.Layers {
					s, ok := l.Subresource(a, level, layer)
					if !ok {
						t.Fatalf("%+v: no subresource %v %d %d", d, a, level, layer)
					}
					for z := range depth {
						b := m.Texel(Coord{X: 0, Y: 1 % max(m.Height>>level, 1), Z: z, Layer: layer, Level: level, Aspect: a})
						y := uint64(1 % max(m.Height>>level, 1))
						if b == nil { // a plane with fewer rows
							continue
						}
						at := uint64(uintptr(unsafe.Pointer(&b[0])) - uintptr(unsafe.Pointer(&memory[0])))
						if want := s.Offset + y*s.RowPitch + uint64(z)*s.SlicePitch; at != want {
							t.Errorf("%+v: aspect %v level %d layer %d slice %d: texel at %d, subresource says %d", d, a, level, layer, z, at, want)
						}
					}
					if s.Offset+s.Size > l.Size() {
						t.Errorf("%+v: subresource ends at %d of %d", d, s.Offset+s.Size, l.Size())
					}
				}
			}
		}
		if _, ok := l.Subresource(0, m.Levels, 0); ok {
			t.Errorf("%+v: a level too many", d)
		}
		if _, ok := l.Subresource(0, 0, -1); ok {
			t.Errorf("%+v: layer -1", d)
		}
	}
}

// TestAlias has two images in one memory: a store to one is visible in the other.
func TestAlias(t *testing.T) {
	words, err := NewLayout(Desc{Format: "R32_UINT", Dim: ir.Dim2D, Width: 4, Height: 4})
	if err != nil {
		t.Fatal(err)
	}
	colors, err := NewLayout(Desc{Format: "R8G8B8A8_UNORM", Dim: ir.Dim2D, Width: 4, Height: 4})
	if err != nil {
		t.Fatal(err)
	}
	memory := make([]byte, words.Size())
	m, _ := words.On(memory)
	n, err := colors.On(memory)
	if err != nil {
		t.Fatal(err)
	}
	m.Store(Coord{X: 2, Y: 1}, [4]uint64{0x04030201})
	if b := n.Texel(Coord{X: 2, Y: 1}); !bytes.Equal(b, []byte{1, 2, 3, 4}) {
		t.Errorf("the alias has %v", b)
	}
	if _, err := words.On(memory[:len(memory)-1]); err == nil {
		t.Error("an image in too little memory")
	}
}

// TestBlocksInMemory writes BC1 blocks to the memory of an image, before and after its creation: the image decodes both.
// All texels of a BC1 block with two equal colors have this color.
func TestBlocksInMemory(t *testing.T) {
	l, err := NewLayout(Desc{Format: "BC1_RGB_UNORM_BLOCK", Dim: ir.Dim2D, Width: 8, Height: 4})
	if err != nil {
		t.Fatal(err)
	}
	memory := make([]byte, l.Size())
	put := func(block int, color uint16) {
		binary.LittleEndian.PutUint16(memory[8*block:], color)
		binary.LittleEndian.PutUint16(memory[8*block+2:], color)
	}
	const red, blue, one = 0xf800, 0x001f, 0x3f800000
	put(0, red)
	m, err := l.On(memory)
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewView(m, ViewDesc{Dim: ir.Dim2D})
	if err != nil {
		t.Fatal(err)
	}
	look := func(x int, want [3]uint64) {
		t.Helper()
		if got := m.Load(Coord{X: x}); [3]uint64(got[:3]) != want {
			t.Errorf("texel %d is %x, want %x", x, got, want)
		}
	}
	look(0, [3]uint64{one, 0, 0})
	look(4, [3]uint64{})
	put(1, blue)
	v.Memory()
	look(4, [3]uint64{0, 0, one})
	if s, ok := l.Subresource(format.Color, 0, 0); !ok || s.RowPitch != 16 || s.Size != 16 {
		t.Errorf("subresource %+v; want a row of two blocks of 8 bytes", s)
	}
}

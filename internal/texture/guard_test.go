package texture_test

import (
	"bytes"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// guardCases are views of the middle of images.
var guardCases = []struct {
	name  string
	image texture.Desc
	view  texture.ViewDesc
}{
	{"1d", texture.Desc{Dim: ir.Dim1D, Width: 5, Layers: 3}, texture.ViewDesc{Dim: ir.Dim1D, BaseLayer: 1, Layers: 1}},
	{"1d array", texture.Desc{Dim: ir.Dim1D, Width: 5, Layers: 5}, texture.ViewDesc{Dim: ir.Dim1D, Arrayed: true, BaseLayer: 1, Layers: 3}},
	{"2d level", texture.Desc{Dim: ir.Dim2D, Width: 9, Height: 7, Layers: 3, Levels: 3}, texture.ViewDesc{Dim: ir.Dim2D, BaseLayer: 1, Layers: 1, BaseLevel: 1, Levels: 1}},
	{"2d array", texture.Desc{Dim: ir.Dim2D, Width: 4, Height: 3, Layers: 4}, texture.ViewDesc{Dim: ir.Dim2D, Arrayed: true, BaseLayer: 1, Layers: 2}},
	{"3d level", texture.Desc{Dim: ir.Dim3D, Width: 6, Height: 5, Depth: 7, Levels: 3}, texture.ViewDesc{Dim: ir.Dim3D, BaseLevel: 1, Levels: 1}},
	{"slice", texture.Desc{Dim: ir.Dim3D, Width: 6, Height: 5, Depth: 7}, texture.ViewDesc{Dim: ir.Dim2D, BaseLayer: 2, Layers: 1}},
	{"slices", texture.Desc{Dim: ir.Dim3D, Width: 6, Height: 5, Depth: 14, Levels: 2}, texture.ViewDesc{Dim: ir.Dim3D, BaseLevel: 1, Levels: 1, BaseSlice: 2, Slices: 3}},
	{"cube", texture.Desc{Dim: ir.Dim2D, Width: 3, Height: 3, Layers: 18}, texture.ViewDesc{Dim: ir.DimCube, BaseLayer: 6, Layers: 6}},
	{"samples", texture.Desc{Dim: ir.Dim2D, Width: 3, Height: 3, Layers: 3, Samples: 4}, texture.ViewDesc{Dim: ir.Dim2D, BaseLayer: 1, Layers: 1}},
	{"one texel", texture.Desc{Dim: ir.Dim2D}, texture.ViewDesc{Dim: ir.Dim2D}},
}

// TestGuards writes and reads at wild coordinates through views of the middle of images, with a guard pattern in
// all other texels, in every engine: each selected texel of the view is written, no other byte changes, and
// reads outside the view return nothing (Vulkan §"Out-of-Bounds Image Access", robustImageAccess2).
func TestGuards(t *testing.T) {
	const guard, mark = 0xa5, 0x5a5a5a5a
	wild := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 1 << 31, 1<<31 - 1, 1<<32 - 1, 1<<32 - 2, 1 << 16, 1 << 30, 0x7f800000, 0x7fc00000}
	for _, c := range guardCases {
		c.image.Format, c.image.Packed = "R32_UINT", true
		m, err := texture.NewImage(c.image)
		if err != nil {
			t.Fatal(err)
		}
		v, err := texture.NewView(m, c.view)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := texture.NewImage(m.Desc)
		for level := range m.Levels {
			for _, x := range []*texture.Image{m, want} {
				copy(x.LevelBytes(0, level), bytes.Repeat([]byte{guard}, len(x.LevelBytes(0, level))))
			}
		}
		x := ir.Texture{Op: ir.TextureWrite, Dim: c.view.Dim, Arrayed: c.view.Arrayed, Multisampled: m.Samples > 1, Type: ir.I32, Sampler: -1}
		if x.Multisampled {
			x.Operands = ir.TextureSampleI
		}
		n := x.Coordinates()
		r := rand.New(rand.NewSource(32))
		var args, reads [][]uint64
		var inside []bool
		for range 2000 {
			list := []uint64{0}
			for range n + m.Samples/4 {
				list = append(list, uint64(wild[r.Intn(len(wild))]))
			}
			p, in := guardPlace(m, c.view, list[1:], n)
			if inside = append(inside, in); in {
				want.Store(p, [4]uint64{mark})
			}
			reads = append(reads, list)
			args = append(args, append(list[:len(list):len(list)], mark, mark, mark, mark))
		}
		call(t, x, v, nil, args)
		for level := range m.Levels {
			if !bytes.Equal(m.LevelBytes(0, level), want.LevelBytes(0, level)) {
				t.Errorf("%s: level %d is % x; must be % x", c.name, level, m.LevelBytes(0, level), want.LevelBytes(0, level))
			}
		}
		x.Op = ir.TextureRead
		for i, got := range call(t, x, v, nil, reads) {
			texel := [4]uint64{0, 0, 0, 1}
			if inside[i] {
				texel[0] = mark
			}
			if [4]uint64(got) != texel {
				t.Fatalf("%s: %x reads %x; must be %x", c.name, reads[i][1:], got, texel)
			}
		}
	}
}

// guardPlace returns which texel of an image coordinates of a view name, if any.
func guardPlace(m *texture.Image, d texture.ViewDesc, at []uint64, n int) (p texture.Coord, in bool) {
	w, h, depth := m.LevelExtent(d.BaseLevel)
	p.Level, p.Layer = d.BaseLevel, d.BaseLayer
	p.X, in = int(at[0]), at[0] < uint64(w)
	next := 1
	if d.Dim != ir.Dim1D {
		p.Y, in = int(at[1]), in && at[1] < uint64(h)
		next = 2
	}
	switch {
	case d.Slices > 0:
		p.Z, in = d.BaseSlice+int(at[2]), in && at[2] < uint64(d.Slices)
	case d.Dim == ir.Dim3D:
		p.Z, in = int(at[2]), in && at[2] < uint64(depth)
	case n > next: // layers, or faces
		p.Layer, in = d.BaseLayer+int(at[next]), in && at[next] < uint64(d.Layers)
	case m.Dim == ir.Dim3D:
		p.Z, p.Layer = d.BaseLayer, 0
	}
	if m.Samples > 1 {
		p.Sample, in = int(at[n]), in && at[n] < uint64(m.Samples)
	}
	return p, in
}

// TestGuardsOfBuffers does so with texel buffers, of no texel too, that end before a
// whole one.
func TestGuardsOfBuffers(t *testing.T) {
	for _, n := range []int{0, 3, 4, 4*5 + 3} {
		words := make([]uint64, 8)
		memory := raw(words)
		for i := range memory {
			memory[i] = 0xa5
		}
		v, err := texture.NewBufferView(memory[:n:n], "R32_UINT")
		if err != nil {
			t.Fatal(err)
		}
		x := ir.Texture{Op: ir.TextureWrite, Dim: ir.DimBuffer, Type: ir.I32, Sampler: -1}
		var args, reads [][]uint64
		for _, at := range []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 1 << 30, 1<<30 + 1, 1 << 31, 1<<32 - 1, 1<<32 - 4} {
			args, reads = append(args, []uint64{0, at, 7, 7, 7, 7}), append(reads, []uint64{0, at})
		}
		call(t, x, v, nil, args)
		for i, b := range memory {
			want := byte(0xa5)
			if i < n/4*4 {
				want = []byte{7, 0, 0, 0}[i%4]
			}
			if b != want {
				t.Errorf("%d bytes: byte %d is %#x; must be %#x", n, i, b, want)
			}
		}
		x.Op = ir.TextureRead
		for i, got := range call(t, x, v, nil, reads) {
			want := [4]uint64{0, 0, 0, 1}
			if reads[i][1] < uint64(n/4) {
				want[0] = 7
			}
			if [4]uint64(got) != want {
				t.Errorf("%d bytes: texel %d reads %d; must be %d", n, reads[i][1], got, want)
			}
		}
	}
}

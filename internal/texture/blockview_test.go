package texture_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// words are the numbers that a format of unsigned integers has in some bytes.
func words(name string, b []byte) (n [4]uint64) {
	f, _ := format.ByName(name)
	c, _ := f.Codec(format.Color)
	return c.Load(b)
}

// bareCases are images of blocks, and formats of a texel as large as a block.
var bareCases = []struct {
	desc texture.Desc
	as   string
	view texture.ViewDesc // of the blocks
	show texture.ViewDesc // of the texels
}{
	{texture.Desc{Format: "BC1_RGBA_UNORM_BLOCK", Dim: ir.Dim2D, Width: 11, Height: 7, Levels: 3}, "R16G16B16A16_UINT",
		texture.ViewDesc{Dim: ir.Dim2D, BaseLevel: 1, Levels: 1}, texture.ViewDesc{Dim: ir.Dim2D}},
	{texture.Desc{Format: "BC1_RGB_SRGB_BLOCK", Dim: ir.Dim2D, Width: 8, Height: 9}, "R32G32_UINT",
		texture.ViewDesc{Dim: ir.Dim2D}, texture.ViewDesc{Dim: ir.Dim2D, Format: "BC1_RGB_UNORM_BLOCK"}},
	{texture.Desc{Format: "BC4_SNORM_BLOCK", Dim: ir.Dim2D, Width: 16, Height: 4}, "R64_UINT",
		texture.ViewDesc{Dim: ir.Dim2D}, texture.ViewDesc{Dim: ir.Dim2D}},
	{texture.Desc{Format: "BC7_UNORM_BLOCK", Dim: ir.Dim2D, Width: 13, Height: 12, Layers: 3}, "R32G32B32A32_UINT",
		texture.ViewDesc{Dim: ir.Dim2D, Arrayed: true, BaseLayer: 1}, texture.ViewDesc{Dim: ir.Dim2D, Arrayed: true}},
	{texture.Desc{Format: "EAC_R11G11_UNORM_BLOCK", Dim: ir.Dim2D, Width: 5, Height: 5}, "R64G64_UINT",
		texture.ViewDesc{Dim: ir.Dim2D}, texture.ViewDesc{Dim: ir.Dim2D}},
	{texture.Desc{Format: "ASTC_8x5_UNORM_BLOCK", Dim: ir.Dim2D, Width: 17, Height: 11}, "R32G32B32A32_UINT",
		texture.ViewDesc{Dim: ir.Dim2D}, texture.ViewDesc{Dim: ir.Dim2D}},
	{texture.Desc{Format: "PVRTC2_4BPP_UNORM_BLOCK_IMG", Dim: ir.Dim2D, Width: 10, Height: 15}, "R32G32_UINT",
		texture.ViewDesc{Dim: ir.Dim2D}, texture.ViewDesc{Dim: ir.Dim2D}},
	{texture.Desc{Format: "BC4_UNORM_BLOCK", Dim: ir.Dim3D, Width: 6, Height: 5, Depth: 3}, "R32G32_UINT",
		texture.ViewDesc{Dim: ir.Dim2D, Arrayed: true, BaseLayer: 1}, texture.ViewDesc{Dim: ir.Dim3D}},
	{texture.Desc{Format: "BC4_UNORM_BLOCK", Dim: ir.Dim3D, Width: 12, Height: 10, Depth: 6, Levels: 2}, "R32G32_UINT",
		texture.ViewDesc{Dim: ir.Dim3D, BaseLevel: 1, Levels: 1}, texture.ViewDesc{Dim: ir.Dim3D}},
	{texture.Desc{Format: "ASTC_4x4x4_UNORM_BLOCK_EXT", Dim: ir.Dim3D, Width: 6, Height: 5, Depth: 9}, "R32G32B32A32_UINT",
		texture.ViewDesc{Dim: ir.Dim3D}, texture.ViewDesc{Dim: ir.Dim3D}},
}

// TestViewBlocks reads the blocks of images through block texel views, and writes blocks through them: the
// image's blocks and its decoded texels change, on every path of access (Vulkan §"Image Views",
// VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE).
func TestViewBlocks(t *testing.T) {
	r := rand.New(rand.NewSource(23))
	for _, c := range bareCases {
		m, err := texture.NewImage(c.desc)
		if err != nil {
			t.Fatal(err)
		}
		early, err := texture.NewView(m, c.show)
		if err != nil {
			t.Fatal(err)
		}
		writeBlocks(t, m, r)
		c.view.Format = c.as
		v, err := texture.NewView(m, c.view)
		if err != nil {
			t.Fatal(err)
		}
		late, _ := texture.NewView(m, c.show)
		l := format.InfoByName(m.Format).Layout()
		w, h, _ := m.LevelExtent(c.view.BaseLevel)
		columns, rows, _ := l.Blocks(w, h, 1)
		if x, y, _ := v.Extent(); x != columns || y != rows {
			t.Errorf("%s as %s: %d×%d texels; must be %d×%d, one a block", m.Format, c.as, x, y, columns, rows)
		}
		x := ir.Texture{Op: ir.TextureRead, Dim: c.view.Dim, Arrayed: c.view.Arrayed, Type: kind(c.as, format.Color), Sampler: -1}
		_, _, layers := v.Extent()
		var args, stores [][]uint64
		var places [][]byte // of each call
		for n := range columns * rows * layers {
			at := []uint64{0, uint64(n % columns), uint64(n / columns % rows)}
			if layer := n / (columns * rows); c.view.Arrayed || c.view.Dim == ir.Dim3D {
				at = append(at, uint64(layer))
			}
			args = append(args, at)
			places = append(places, m.Blocks(c.view.BaseLevel, c.view.BaseLayer+n/(columns*rows))[n%(columns*rows)*l.Bytes:][:l.Bytes])
		}
		for i, got := range call(t, x, v, nil, args) {
			if want := words(c.as, places[i]); [4]uint64(got) != want {
				t.Errorf("%s as %s: block %v reads %x; must be %x", m.Format, c.as, args[i][1:], got, want)
			}
		}
		fresh := make([][]byte, len(places))
		for i := range fresh {
			fresh[i] = make([]byte, l.Bytes)
			r.Read(fresh[i])
			n := words(c.as, fresh[i])
			stores = append(stores, append(args[i][:len(args[i]):len(args[i])], n[:]...))
		}
		x.Op = ir.TextureWrite
		call(t, x, v, nil, stores)
		for i := range places {
			if string(places[i]) != string(fresh[i]) {
				t.Fatalf("%s as %s: block %v is %x; must be %x", m.Format, c.as, args[i][1:], places[i], fresh[i])
			}
		}
		shows(t, m, c.show, early, late)
	}
}

// shows expects that views of an image in blocks, and the image itself, show the
// texels of the blocks that it has.
func shows(t *testing.T, m *texture.Image, d texture.ViewDesc, views ...*texture.View) {
	t.Helper()
	name := d.Format
	if name == "" {
		name = m.Format
	}
	x := ir.Texture{Op: ir.TextureFetch, Dim: d.Dim, Arrayed: d.Arrayed, Type: ir.F32, Sampler: -1, Operands: ir.TextureLod}
	var args [][]uint64
	var want [][4]uint64
	for level := range m.Levels {
		w, h, depth := m.LevelExtent(level)
		for n := range w * h * depth * m.Layers {
			px, py, rest := n%w, n/w%h, n/(w*h)
			at := []uint64{0, uint64(px), uint64(py)}
			if d.Dim == ir.Dim3D || d.Arrayed {
				at = append(at, uint64(rest))
			}
			z, layer := rest%depth, rest/depth
			args, want = append(args, append(at, uint64(level))), append(want, blockTexel(m, name, level, layer, px, py, z))
			own := blockTexel(m, m.Format, level, layer, px, py, z)
			p := texture.Coord{X: px, Y: py, Z: z, Layer: layer, Level: level}
			if got := m.Load(p); got != own {
				t.Fatalf("%s: texel %+v is %x; must be %x", m.Format, p, got, own)
			}
		}
	}
	for _, v := range views {
		for i, got := range call(t, x, v, nil, args) {
			if [4]uint64(got) != want[i] {
				t.Fatalf("%s as %s: %v reads %x; must be %x", m.Format, name, args[i][1:], got, want[i])
			}
		}
	}
}

// TestViewBlocksHost changes blocks from the host while block texel views exist: all views show the change.
func TestViewBlocksHost(t *testing.T) {
	r := rand.New(rand.NewSource(24))
	m, _ := texture.NewImage(texture.Desc{Format: "BC3_UNORM_BLOCK", Dim: ir.Dim2D, Width: 9, Height: 9, Packed: true})
	if _, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Format: "R32G32B32A32_SFLOAT"}); err != nil {
		t.Fatal(err)
	}
	v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	writeBlocks(t, m, r)
	shows(t, m, texture.ViewDesc{Dim: ir.Dim2D}, v)
	r.Read(m.Blocks(0, 0)) // as a program does
	row := m.TexelRow(texture.Coord{Y: 8})
	layer := m.LayerBytes(0, 0, 0)
	codec := m.Codec(format.Color)
	if want := blockTexel(m, m.Format, 0, 0, 0, 8, 0); codec.Load(row) != want || string(layer[len(layer)-len(row):]) != string(row) {
		t.Error("rows are not those of the blocks")
	}
}

// TestViewBlocksRefused has views of blocks that there cannot be.
func TestViewBlocksRefused(t *testing.T) {
	flat, _ := texture.NewImage(texture.Desc{Format: "BC1_RGBA_UNORM_BLOCK", Dim: ir.Dim2D, Width: 16, Height: 16, Layers: 6, Levels: 3})
	uneven, _ := texture.NewImage(texture.Desc{Format: "ASTC_8x5_UNORM_BLOCK", Dim: ir.Dim2D, Width: 16, Height: 16, Layers: 6})
	for _, c := range []struct {
		m *texture.Image
		d texture.ViewDesc
	}{
		{flat, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1, Format: "R32G32_UINT"}},                // three levels
		{flat, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1, Levels: 1, Format: "R32_UINT"}},        // half a block
		{flat, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1, Levels: 1, Format: "BC4_UNORM_BLOCK"}}, // other blocks
		{flat, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1, Levels: 1, Format: "G16B16G16R16_422_UNORM"}},
		{flat, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1, Levels: 1, Format: "D32_SFLOAT_S8_UINT"}},
		{flat, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1, BaseLevel: 3, Format: "R32G32_UINT"}},
		{uneven, texture.ViewDesc{Dim: ir.DimCube, Format: "R32G32B32A32_UINT"}}, // 2×4 blocks
	} {
		if _, err := texture.NewView(c.m, c.d); !errors.As(err, new(*texture.DescError)) {
			t.Errorf("%s as %+v: %v; must be a *DescError", c.m.Format, c.d, err)
		}
	}
}

// TestViewBlocksWithin writes blocks through one view while the same program reads texels through another, in
// every engine: it reads the texels of the blocks as of its start, and the next run reads the written ones
// (docs/undefined.md).
func TestViewBlocksWithin(t *testing.T) {
	m, _ := texture.NewImage(texture.Desc{Format: "BC1_RGBA_UNORM_BLOCK", Dim: ir.Dim2D, Width: 8, Height: 8})
	blocks, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Format: "R32G32_UINT"})
	if err != nil {
		t.Fatal(err)
	}
	texels, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	solid := func(color uint64) []byte { return binary.LittleEndian.AppendUint64(nil, color|color<<16) } // all of the first color
	shades := [][4]uint64{{f32(1), 0, 0, f32(1)}, {0, f32(1), 0, f32(1)}, {0, 0, f32(1), f32(1)}}
	colors := []uint64{0xf800, 0x07e0, 0x001f} // red, green, blue
	for n := range 4 {
		if err := m.WriteBlocks(0, 0, n%2, n/2, 1, solid(colors[0])); err != nil {
			t.Fatal(err)
		}
	}
	bound := []texture.Bound{{}, {}, {Views: []*texture.View{blocks}}, {}, {}, {Views: []*texture.View{texels}}, {}}
	old := shades[0]
	for _, e := range engines() {
		for run := range 2 { // the first writes green, the second blue
			q, err := texture.Bind(readAndWrite(uint32(colors[1+run]|colors[1+run]<<16)), bound)
			if err != nil {
				t.Fatal(err)
			}
			compiled, err := e.Compile(q, exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			out := make([]uint64, lanes*8)
			job := &exec.Job{Groups: [3]uint32{1, 1, 1}, Workers: 1,
				Resources: [][]exec.Buffer{{}, {{Bytes: raw(out)}}, {blocks.Memory()}, {blocks.Shape()}, {}, {texels.Memory()}, {texels.Shape()}}}
			if err := compiled.Run(context.Background(), job); err != nil {
				t.Fatal(err)
			}
			compiled.Close()
			for i := range 8 {
				if got := [4]uint64(out[4*i:]); got != old {
					t.Errorf("%s: run %d: read %d is %x; must be %x", e.Name(), run, i, got, old)
				}
			}
			for n := range 4 {
				x := ir.Texture{Op: ir.TextureFetch, Dim: ir.Dim2D, Type: ir.F32, Sampler: -1}
				at := []uint64{0, uint64(4*(n%2) + 3), uint64(4*(n/2) + 1)}
				if got := call(t, x, texels, nil, [][]uint64{at})[0]; [4]uint64(got) != shades[1+run] {
					t.Errorf("%s: after run %d: %v is %x; must be %x", e.Name(), run, at[1:], got, shades[1+run])
				}
			}
			old = shades[1+run]
		}
	}
}

// readAndWrite is a program that reads a texel of each of four blocks at resource 5,
// writes the blocks at resource 2, and reads the texels again.
func readAndWrite(word uint32) *ir.Program {
	write := ir.Texture{Op: ir.TextureWrite, Dim: ir.Dim2D, Type: ir.I32, Sampler: -1, Image: 2}
	read := ir.Texture{Op: ir.TextureFetch, Dim: ir.Dim2D, Type: ir.F32, Sampler: -1, Image: 5}
	p := program(write, 4)
	_, results := read.Signature()
	b := ir.NewFunc("main", nil, nil)
	i := b.OpAux(ir.In, ir.I32, 0)
	b.If(b.Cmp(ir.ULt, i, b.I32(4)))
	out := b.OpAux(ir.Res, ir.H, 1, b.I32(0))
	at := b.OpAux(ir.At, ir.I32, 64, b.I32(0), i)
	x, y := b.Op(ir.And, ir.I32, i, b.I32(1)), b.Op(ir.LShr, ir.I32, i, b.I32(1))
	texels := func(behind uint64) {
		for k, v := range b.Call(2, results, b.I32(0), b.Op(ir.Mul, ir.I32, x, b.I32(4)), b.Op(ir.Mul, ir.I32, y, b.I32(4))) {
			b.Emit(ir.Val{Op: ir.St, Type: ir.I64, Args: [4]ir.V{out, at, b.Op(ir.ZExt, ir.I64, b.Op(ir.Bitcast, ir.I32, v))}, Aux: behind + uint64(8*k)})
		}
	}
	texels(0)
	b.Call(1, nil, b.I32(0), x, y, b.I32(word), b.I32(0), b.I32(0), b.I32(0))
	texels(32)
	b.End()
	b.Return()
	p.Funcs = []*ir.Func{b.Finish(), ir.NewTexture("write", write), ir.NewTexture("read", read)}
	p.StateEffects()
	return p
}

package texture_test

import (
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// formats returns the names of the color, depth and stencil formats that images
// are built of, but of those in blocks and with chroma.
func formats() (list []string) {
	for id := range uint32(1000) {
		for _, n := range []uint32{id, 1000156000 + id, 1000340000 + id, 1000460000 + id, 1000464000 + id, 1000470000 + id} {
			i := format.ByID(n)
			if i == nil || i.Compressed {
				continue
			}
			if _, parts := i.ChannelSources(); !parts {
				if _, err := texture.NewImage(texture.Desc{Format: i.Name, Dim: ir.Dim2D, Width: 1}); err == nil {
					list = append(list, i.Name)
				}
			}
		}
	}
	return list
}

// kind returns the type of the numbers of a format's first aspect.
func kind(name string, a format.Aspect) ir.Type {
	i := format.InfoByName(name)
	switch {
	case a == format.Stencil:
		return ir.I32
	case i.Sampled == format.Float:
		return ir.F32
	case i.Wide:
		return ir.I64
	}
	return ir.I32
}

// TestReadFormats reads random and boundary texels of every format, and compares with format.Codec, which has its
// own tests against the specification's formulas.
func TestReadFormats(t *testing.T) {
	if n := len(formats()); n < 140 {
		t.Fatalf("%d formats; must be 140 at least", n)
	}
	r := rand.New(rand.NewSource(1))
	for _, name := range formats() {
		m, err := texture.NewImage(texture.Desc{Format: name, Dim: ir.Dim2D, Width: 16, Height: 8})
		if err != nil {
			t.Fatal(err)
		}
		fill(m, r)
		for _, a := range m.Aspects() {
			clear(m.LayerBytes(a, 0, 0)[:16])
			for i := range m.LayerBytes(a, 0, 0)[16:32] {
				m.LayerBytes(a, 0, 0)[16+i] = 0xff
			}
			v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Aspect: a})
			if err != nil {
				t.Fatal(err)
			}
			x := ir.Texture{Op: ir.TextureRead, Dim: ir.Dim2D, Type: kind(name, a), Sampler: -1}
			var args [][]uint64
			for i := range 128 {
				args = append(args, []uint64{0, uint64(i % 16), uint64(i / 16)})
			}
			for i, got := range call(t, x, v, nil, args) {
				want := m.Load(texture.Coord{X: i % 16, Y: i / 16, Aspect: a})
				if format.InfoByName(name).Wide && x.Type == ir.F32 {
					for k := range want {
						if want[k] = uint64(math.Float32bits(float32(math.Float64frombits(want[k])))); want[k]&0x7fffffff > 0x7f800000 {
							want[k] = 0x7fc00000
						}
					}
				}
				if [4]uint64(got) != want {
					t.Errorf("%s: texel %d % x reads %x; must be %x", name, i, m.Texel(texture.Coord{X: i % 16, Y: i / 16, Aspect: a}), got, want)
					break
				}
			}
		}
	}
}

// TestWriteFormats writes numbers, edges among them, to texels of every color
// format and expects the bytes that format.Codec writes; outside nothing changes.
func TestWriteFormats(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	edges := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 0.25, 2, -2, 1e-7, 6e-8, 65504, 65519, 65520, 1e9, -1e9, 0.0031308, 1.0 / 255, 1.5 / 255, 2.5 / 255,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 65408, 65472, 64512, 64000, 3e38, 1e-40, 0.99999994, 127.5, 128.5}
	for _, name := range formats() {
		i := format.InfoByName(name)
		if i.Aspects != format.Color || i.Wide && i.Sampled == format.Float {
			continue
		}
		m, _ := texture.NewImage(texture.Desc{Format: name, Dim: ir.Dim2D, Width: 16, Height: 16})
		want, _ := texture.NewImage(m.Desc)
		fill(m, r)
		copy(want.LayerBytes(0, 0, 0), m.LayerBytes(0, 0, 0))
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
		if err != nil {
			t.Fatal(err)
		}
		x := ir.Texture{Op: ir.TextureWrite, Dim: ir.Dim2D, Type: kind(name, format.Color), Sampler: -1}
		var args [][]uint64
		for n := range 20 * 20 {
			at := texture.Coord{X: n % 20, Y: n / 20}
			var data [4]uint64
			for k := range data {
				switch {
				case x.Type == ir.F32 && n < 8*20:
					data[k] = uint64(math.Float32bits(edges[r.Intn(len(edges))]))
				case x.Type == ir.F32 && n < 12*20:
					data[k] = uint64(math.Float32bits((float32(r.Intn(512)) + 0.5) / 255))
				case x.Type == ir.F32:
					data[k] = uint64(math.Float32bits(float32(r.NormFloat64())))
				case x.Type == ir.I64:
					data[k] = r.Uint64()
				default:
					data[k] = uint64(r.Uint32())
				}
			}
			args = append(args, append([]uint64{0, uint64(at.X), uint64(at.Y)}, data[:]...))
			want.Store(at, data)
		}
		call(t, x, v, nil, args)
		if got := m.LayerBytes(0, 0, 0); string(got) != string(want.LayerBytes(0, 0, 0)) {
			for n := range 256 {
				at := texture.Coord{X: n % 16, Y: n / 16}
				if g, w := m.Texel(at), want.Texel(at); string(g) != string(w) {
					t.Errorf("%s: writing %x gives % x; must be % x", name, args[at.Y*20+at.X][3:], g, w)
					break
				}
			}
		}
	}
}

// TestGaps reads and writes an image with padded rows like one without, and finds that no access returns the
// padding.
func TestGaps(t *testing.T) {
	d := texture.Desc{Format: "R8G8B8A8_UNORM", Dim: ir.Dim2D, Width: 256, Height: 3, Layers: 2}
	m, err := texture.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	d.Packed = true
	packed, err := texture.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	if m.LayerBytes(0, 0, 0) != nil || m.LevelBytes(0, 0) != nil {
		t.Error("rows without a gap of an image with gaps")
	}
	if n := len(packed.LevelBytes(0, 0)); n != 4*256*3*2 {
		t.Errorf("%d bytes of a packed level", n)
	}
	for layer := range 2 {
		for y := range 3 {
			row := m.TexelRow(texture.Coord{X: 250, Y: y, Layer: layer})
			if len(row) != 24 || cap(row) != 24 {
				t.Fatalf("%d bytes of six texels, room for %d", len(row), cap(row))
			}
			for i := range row {
				row[i] = byte(100*layer + 30*y + i)
			}
			copy(packed.TexelRow(texture.Coord{X: 250, Y: y, Layer: layer}), row)
		}
	}
	for layer := range 2 {
		for y := range 3 {
			for x := range 256 {
				at := texture.Coord{X: x, Y: y, Layer: layer}
				if got, want := m.Load(at), packed.Load(at); got != want {
					t.Fatalf("texel %d, %d of layer %d is %x, packed %x", x, y, layer, got, want)
				}
			}
		}
	}
	if m.TexelRow(texture.Coord{Y: 3}) != nil || m.TexelRow(texture.Coord{X: 256}) != nil {
		t.Error("a row outside of the image")
	}
}

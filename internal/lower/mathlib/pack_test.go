package mathlib

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

type packing struct {
	name string
	n    int
	pack func(b *ir.Builder, x []ir.V) ir.V
	back func(b *ir.Builder, x ir.V) []ir.V
}

var packings = []packing{
	{"Snorm4x8", 4, PackSnorm4x8, UnpackSnorm4x8}, {"Unorm4x8", 4, PackUnorm4x8, UnpackUnorm4x8},
	{"Snorm2x16", 2, PackSnorm2x16, UnpackSnorm2x16}, {"Unorm2x16", 2, PackUnorm2x16, UnpackUnorm2x16}, {"Half2x16", 2, PackHalf2x16, UnpackHalf2x16},
}

func packed(t *testing.T, p packing, x ...float32) uint64 {
	t.Helper()
	c := vectors(t, ir.F32, p.n, func(b *ir.Builder, x []ir.V) []ir.V { return []ir.V{p.pack(b, x)} })
	in := make([]uint64, len(x))
	for i, v := range x {
		in[i] = scalar.Bits32(v)
	}
	return c.run(in...)[0]
}

func TestPack(t *testing.T) {
	for i, r := range []struct {
		x    []float32
		want uint64
	}{
		{[]float32{0, 1, -1, 0.5}, 0x40817f00}, // 63.5 rounds to 64
		{[]float32{0, 1, -1, 0.5}, 0x8000ff00}, // 127.5 rounds to 128
		{[]float32{-2, 0.5}, 0x40008001},       // 16383.5 rounds to 16384
		{[]float32{0.5, 2}, 0xffff8000},        // 32767.5 rounds to 32768
	} {
		if got := packed(t, packings[i], r.x...); got != r.want {
			t.Errorf("Pack%s%g = %#x, want %#x", packings[i].name, r.x, got, r.want)
		}
	}
	// A half goes to the even neighbour: 0.5/255 and 1.5/255 as near as can be.
	if got := packed(t, packings[1], 0.5/255, 1.5/255, inf, -inf); got != 0x00ff0200 {
		t.Errorf("PackUnorm4x8 = %#x, want 0x00ff0200", got)
	}
}

func TestPackOfNaN(t *testing.T) {
	for _, p := range packings[:4] {
		x := make([]float32, p.n)
		x[0], x[1] = nan, nan
		if got := packed(t, p, x...); got != 0 {
			t.Errorf("Pack%s of NaN = %#x, want 0", p.name, got)
		}
	}
}

func TestPackHalf(t *testing.T) {
	for _, r := range []struct {
		x, y float32
		want uint64
	}{{1, -2, 0xc0003c00}, {nan, 1e6, 0x7c007e00}, {65519, 65520, 0x7c007bff}, {0x1p-24, -0x1p-25, 0x80000001}, {-inf, neg0, 0x8000fc00}, {1.00048828125, 1.00146484375, 0x3c023c00}} {
		if got := packed(t, packings[4], r.x, r.y); got != r.want {
			t.Errorf("PackHalf2x16(%g, %g) = %#x, want %#x", r.x, r.y, got, r.want)
		}
	}
	c := build(t, []ir.Type{ir.I32}, func(b *ir.Builder, x []ir.V) []ir.V { return UnpackHalf2x16(b, x[0]) })
	if got := c.run(0xc0000001); scalar.F32(got[0]) != 0x1p-24 || scalar.F32(got[1]) != -2 {
		t.Errorf("UnpackHalf2x16 = %#x", got)
	}
}

func TestUnpack(t *testing.T) {
	for i, r := range []struct {
		x    uint64
		want []float32
	}{
		{0x80817f01, []float32{1.0 / 127, 1, -1, -1}},
		{0xff800100, []float32{0, 1.0 / 255, 128.0 / 255, 1}},
		{0x80007fff, []float32{1, -1}},
		{0xffff0001, []float32{1.0 / 65535, 1}},
	} {
		c := build(t, []ir.Type{ir.I32}, func(b *ir.Builder, x []ir.V) []ir.V { return packings[i].back(b, x[0]) })
		for k, got := range c.run(r.x) {
			if !same(scalar.F32(got), r.want[k]) {
				t.Errorf("Unpack%s(%#x)[%d] = %g, want %g", packings[i].name, r.x, k, scalar.F32(got), r.want[k])
			}
		}
	}
}

func TestPackDouble(t *testing.T) {
	c := build(t, []ir.Type{ir.I32, ir.I32}, func(b *ir.Builder, x []ir.V) []ir.V {
		d := PackDouble2x32(b, x)
		return append(UnpackDouble2x32(b, d), d)
	})
	if got := c.run(0x55555555, 0x3fd55555); got[0] != 0x55555555 || got[1] != 0x3fd55555 || got[2] != 0x3fd5555555555555 {
		t.Errorf("PackDouble2x32 and back = %#x", got)
	}
}

package texture_test

import (
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// TestEveryPattern reads every bit pattern of formats of 8 or 16 bits in every engine, and of wider formats those
// made of boundary bytes, and writes back the values: values and bytes equal format.Codec's, which has its own
// tests against the specification's formulas.
func TestEveryPattern(t *testing.T) {
	r := rand.New(rand.NewSource(31))
	for _, name := range formats() {
		i := format.InfoByName(name)
		if i.Aspects != format.Color || i.Wide && i.Sampled == format.Float {
			continue // depth is not written; a float of 64 bits becomes one of 32
		}
		d := texture.Desc{Format: name, Dim: ir.Dim2D, Width: 256, Packed: true}
		if i.Bytes == 2 {
			d.Height = 256
		}
		m, err := texture.NewImage(d)
		if err != nil {
			t.Fatal(err)
		}
		back, _ := texture.NewImage(m.Desc)
		want, _ := texture.NewImage(m.Desc)
		data := m.LevelBytes(0, 0)
		for n := range data {
			switch {
			case i.Bytes == 1:
				data[n] = byte(n)
			case i.Bytes == 2:
				data[n] = byte(n / 2 >> (8 * (n & 1)))
			default:
				data[n] = []byte{0, 0xff, 0x80, 0x7f, 1, 0xfe, byte(r.Uint32())}[r.Intn(7)]
			}
		}
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
		if err != nil {
			t.Fatal(err)
		}
		to, _ := texture.NewView(back, texture.ViewDesc{Dim: ir.Dim2D})
		x := ir.Texture{Op: ir.TextureRead, Dim: ir.Dim2D, Type: kind(name, format.Color), Sampler: -1}
		var args [][]uint64
		for n := range m.Width * m.Height {
			args = append(args, []uint64{0, uint64(n % 256), uint64(n / 256)})
		}
		for n, got := range call(t, x, v, nil, args) {
			at := texture.Coord{X: n % 256, Y: n / 256}
			number := m.Load(at)
			if [4]uint64(got) != number {
				t.Fatalf("%s: % x reads %x; must be %x", name, m.Texel(at), got, number)
			}
			want.Store(at, number)
			args[n] = append(args[n], number[:]...)
		}
		x.Op = ir.TextureWrite
		call(t, x, to, nil, args)
		for n := range args {
			at := texture.Coord{X: n % 256, Y: n / 256}
			if got, b := back.Texel(at), want.Texel(at); string(got) != string(b) {
				t.Fatalf("%s: % x is written as % x; must be % x", name, m.Texel(at), got, b)
			}
		}
	}
}

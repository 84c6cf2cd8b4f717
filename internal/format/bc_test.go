package format

import (
	"math/rand/v2"
	"testing"
)

// TestBlocks decodes blocks whose texels were worked out by hand from the
// formulas of S3TC and RGTC: the first row, and what all others are.
func TestBlocks(t *testing.T) {
	// Ends: red 31 and blue 31; the codes 0, 1, 2, 3 in the first row, then 0.
	first := []byte{0x00, 0xf8, 0x1f, 0x00, 0xe4, 0, 0, 0}
	// The same ends the other way round: three colors and black.
	second := []byte{0x1f, 0x00, 0x00, 0xf8, 0xe4, 0, 0, 0}
	opaque := []byte{255, 255, 0, 0, 0, 0, 0, 0}
	const third, two = float32(1) / 3, float32(2) / 3
	red, blue := [4]float32{1, 0, 0, 1}, [4]float32{0, 0, 1, 1}
	for _, c := range []struct {
		name  string
		block []byte
		row   [4][4]float32
		rest  [4]float32
	}{
		{"BC1_RGB_UNORM_BLOCK", first, [4][4]float32{red, blue, {two, 0, third, 1}, {third, 0, two, 1}}, red},
		{"BC1_RGB_UNORM_BLOCK", second, [4][4]float32{blue, red, {0.5, 0, 0.5, 1}, {0, 0, 0, 1}}, blue},
		{"BC1_RGBA_UNORM_BLOCK", second, [4][4]float32{blue, red, {0.5, 0, 0.5, 1}, {0, 0, 0, 0}}, blue},
		// Green alone: 63 and 0, equal parts of the formulas.
		{"BC1_RGB_UNORM_BLOCK", []byte{0xe0, 0x07, 0, 0, 0xe4, 0, 0, 0}, [4][4]float32{{0, 1, 0, 1}, {0, 0, 0, 1}, {0, two, 0, 1}, {0, third, 0, 1}}, [4]float32{0, 1, 0, 1}},
		// In sRGB the mixture 0.5 is ((0.5+0.055)/1.055)^2.4 = 0.21404114.
		{"BC1_RGBA_SRGB_BLOCK", second, [4][4]float32{blue, red, {0.21404114, 0, 0.21404114, 1}, {}}, blue},
		// BC2 has its own alpha, in fifteenths, and always four colors.
		{"BC2_UNORM_BLOCK", append([]byte{0x50, 0xfa, 0, 0, 0, 0, 0, 0}, second...), [4][4]float32{{0, 0, 1, 0}, {1, 0, 0, third}, {third, 0, two, two}, {two, 0, third, 1}}, [4]float32{0, 0, 1, 0}},
		{"BC3_UNORM_BLOCK", append(opaque[:8:8], second...), [4][4]float32{blue, red, {third, 0, two, 1}, {two, 0, third, 1}}, blue},
		// Alpha codes 0, 1, 2, 7 are 255, 0, 6/7, 1/7.
		{"BC3_UNORM_BLOCK", append([]byte{255, 0, 0x88, 0x0e, 0, 0, 0, 0}, first...), [4][4]float32{{1, 0, 0, 1}, {0, 0, 1, 0}, {two, 0, third, 6.0 / 7}, {third, 0, two, 1.0 / 7}}, red},
		// Codes 2, 5, 6, 7 with the first end the less: fifths, then the ends of the range.
		{"BC4_UNORM_BLOCK", []byte{0, 255, 0xaa, 0x0f, 0, 0, 0, 0}, [4][4]float32{{0.2, 0, 0, 1}, {0.8, 0, 0, 1}, {0, 0, 0, 1}, {1, 0, 0, 1}}, [4]float32{0, 0, 0, 1}},
		{"BC4_SNORM_BLOCK", []byte{0x80, 0x7f, 0xaa, 0x0f, 0, 0, 0, 0}, [4][4]float32{{-0.6, 0, 0, 1}, {0.6, 0, 0, 1}, {-1, 0, 0, 1}, {1, 0, 0, 1}}, [4]float32{-1, 0, 0, 1}},
		// −127 is more than −128: sevenths of −1 and −1, never the greatest.
		{"BC4_SNORM_BLOCK", []byte{0x81, 0x80, 0xaa, 0x0f, 0, 0, 0, 0}, [4][4]float32{{-1, 0, 0, 1}, {-1, 0, 0, 1}, {-1, 0, 0, 1}, {-1, 0, 0, 1}}, [4]float32{-1, 0, 0, 1}},
		{"BC5_UNORM_BLOCK", []byte{255, 0, 0x88, 0x0e, 0, 0, 0, 0, 51, 102, 0xaa, 0x0f, 0, 0, 0, 0}, [4][4]float32{{1, 0.24, 0, 1}, {0, 0.36, 0, 1}, {6.0 / 7, 0, 0, 1}, {1.0 / 7, 1, 0, 1}}, [4]float32{1, 0.2, 0, 1}},
		{"BC5_SNORM_BLOCK", []byte{127, 0x81, 0x88, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, [4][4]float32{{1, 0, 0, 1}, {-1, 0, 0, 1}, {5.0 / 7, 0, 0, 1}, {-5.0 / 7, 0, 0, 1}}, [4]float32{1, 0, 0, 1}},
	} {
		b, ok := InfoByName(c.name).Blocks()
		if !ok || b.Bytes != len(c.block) {
			t.Errorf("%s: %d bytes, %t", c.name, b.Bytes, ok)
			continue
		}
		var texels [16][4]float32
		b.Decode(texels[:], c.block)
		for i, v := range texels {
			want := c.rest
			if i < 4 {
				want = c.row[i]
			}
			if v != want {
				t.Errorf("%s % x: texel %d is %v; want %v", c.name, c.block, i, v, want)
			}
		}
	}
}

// TestAnyBytesAreABlock decodes blocks of BC1 to BC5 at random: all numbers are in range.
func TestAnyBytesAreABlock(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for i := range infos {
		b, ok := infos[i].Blocks()
		if !ok || b.class > bc5 {
			continue
		}
		block := make([]byte, b.Bytes)
		for range 2000 {
			for j := range block {
				block[j] = byte(r.Uint32())
			}
			var texels [16][4]float32
			b.Decode(texels[:], block)
			low := float32(0)
			if b.signed {
				low = -1
			}
			for _, v := range texels {
				for _, n := range v {
					if !(n >= low && n <= 1) {
						t.Fatalf("%s % x: %v", infos[i].Name, block, v)
					}
				}
			}
		}
	}
}

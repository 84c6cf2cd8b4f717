package format

import (
	"math/rand/v2"
	"testing"
)

// blocksOf returns how the blocks of a format that has them are decoded.
func blocksOf(t testing.TB, name string) *Blocks {
	b, ok := InfoByName(name).Blocks()
	if !ok {
		t.Fatalf("%s has no blocks", name)
	}
	return &b
}

// modelCodes are the numbers of four codes of 8 bits, with or without sRGB.
func modelCodes(c [4]int, srgb bool) (v [4]float32) {
	for ch := range v {
		v[ch] = float32(float64(c[ch]) / 255)
		if srgb && ch < 3 {
			v[ch] = srgbLinear[c[ch]]
		}
	}
	return v
}

// TestPartitions compares the tables of subsets with those that the
// specification prints.
func TestPartitions(t *testing.T) {
	for p := range 64 {
		for i := range 16 {
			if got, want := int(subsets2[p]>>(2*i)&3), subsetOf(2, p, i); got != want {
				t.Errorf("pattern %d of 2, texel %d: %d; want %d", p, i, got, want)
			}
			if got, want := int(subsets3[p]>>(2*i)&3), subsetOf(3, p, i); got != want {
				t.Errorf("pattern %d of 3, texel %d: %d; want %d", p, i, got, want)
			}
		}
	}
}

// TestBC7 decodes a block of mode 6 worked out by hand, one without a mode, and
// blocks at random of every mode, against the model.
func TestBC7(t *testing.T) {
	b := blocksOf(t, "BC7_UNORM_BLOCK")
	var texels [16][4]float32
	// Mode 6, all ends' bits: red 127 and 0, green 0 and 127, blue 64 and 64,
	// alpha 127 and 127, lowest bits 1 and 0. So red is 255 and 0, green 1 and
	// 254, blue 129 and 128, alpha 255 and 254. Indices 0, 15, 8, then 0.
	var s bitString
	put := func(v, n int) {
		for i := range n {
			s = append(s, byte(v>>i&1))
		}
	}
	for _, f := range [][2]int{{64, 7}, {127, 7}, {0, 7}, {0, 7}, {127, 7}, {64, 7}, {64, 7}, {127, 7}, {127, 7}, {1, 1}, {0, 1}, {0, 3}, {15, 4}, {8, 4}} {
		put(f[0], f[1])
	}
	block := make([]byte, 16)
	for i, v := range s {
		block[i/8] |= v << (i % 8)
	}
	b.Decode(texels[:], block)
	// Index 8 is 34 of 64: red (30·255+32)/64 = 120, green (30+34·254+32)/64 =
	// 135, blue (30·129+34·128+32)/64 = 128, alpha (30·255+34·254+32)/64 = 254.
	for i, want := range [][4]int{{255, 1, 129, 255}, {0, 254, 128, 254}, {120, 135, 128, 254}, {255, 1, 129, 255}} {
		if got := texels[i]; got != modelCodes(want, false) {
			t.Errorf("texel %d is %v; want %v of 255", i, got, want)
		}
	}
	b.Decode(texels[:], []byte{0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255})
	if texels != [16][4]float32{} {
		t.Errorf("a block without a mode is %v", texels)
	}
	r := rand.New(rand.NewPCG(1, 7))
	for k := range 4000 {
		for i := range block {
			block[i] = byte(r.Uint32())
		}
		block[0] = (block[0] | 1) << (k % 9)
		for _, name := range []string{"BC7_UNORM_BLOCK", "BC7_SRGB_BLOCK"} {
			b := blocksOf(t, name)
			b.Decode(texels[:], block)
			for i, c := range modelBC7(block) {
				if want := modelCodes(c, b.srgb); texels[i] != want {
					t.Fatalf("%s % x: texel %d is %v; want %v", name, block, i, texels[i], want)
				}
			}
		}
	}
}

// TestBC6H decodes a block of mode 3 worked out by hand, those of reserved
// modes, and blocks at random of every mode, against the model.
func TestBC6H(t *testing.T) {
	var texels [16][4]float32
	unsigned := blocksOf(t, "BC6H_UFLOAT_BLOCK")
	// Mode 3: red 1023 and 0 of 10 bits, the rest 0; index 0, 15, then 0. 1023
	// is 0xffff, times 31/64 0x7bff, which is 65504.
	block := []byte{0xe3, 0x7f, 0, 0, 0, 0, 0, 0, 15 << 4, 0, 0, 0, 0, 0, 0, 0}
	unsigned.Decode(texels[:], block)
	for i, want := range [][4]float32{{65504, 0, 0, 1}, {0, 0, 0, 1}, {65504, 0, 0, 1}} {
		if texels[i] != want {
			t.Errorf("texel %d is %v; want %v", i, texels[i], want)
		}
	}
	r := rand.New(rand.NewPCG(1, 6))
	for k := range 8000 {
		for i := range block {
			block[i] = byte(r.Uint32())
		}
		block[0] = block[0]&^31 | byte(k&31)
		for _, name := range []string{"BC6H_UFLOAT_BLOCK", "BC6H_SFLOAT_BLOCK"} {
			b := blocksOf(t, name)
			b.Decode(texels[:], block)
			for i, h := range modelBC6(block, b.signed) {
				want := [4]float32{3: 1}
				for ch := range h {
					want[ch] = float32(ieee(uint64(h[ch]), 5, 16, true))
				}
				if texels[i] != want {
					t.Fatalf("%s % x: texel %d is %v; want %v", name, block, i, texels[i], want)
				}
			}
			if m := block[0] & 31; m == 19 || m == 23 || m == 27 || m == 31 {
				if texels[7] != [4]float32{3: 1} {
					t.Fatalf("reserved mode %d is %v", m, texels[7])
				}
			}
		}
	}
}

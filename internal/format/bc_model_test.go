package format

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// s3tc is the Khronos Data Format's color block (§"S3TC Compressed Texture Image
// Formats") in numbers: the color of a texel, before sRGB is undone, and whether it is
// the transparent one. four says that there is no such one, whatever the ends.
func s3tc(block []byte, texel int, four bool) (color [3]float64, clear bool) {
	c0, c1 := binary.LittleEndian.Uint16(block), binary.LittleEndian.Uint16(block[2:])
	end := func(c uint16) [3]float64 {
		return [3]float64{float64(c>>11) / 31, float64(c>>5&63) / 63, float64(c&31) / 31}
	}
	a, b := end(c0), end(c1)
	code := binary.LittleEndian.Uint32(block[4:]) >> (2 * texel) & 3
	weights := [4]float64{1, 0, 2.0 / 3, 1.0 / 3}
	if !four && c0 <= c1 {
		if weights[2] = 0.5; code == 3 {
			return color, true
		}
	}
	for i := range color {
		color[i] = weights[code]*a[i] + (1-weights[code])*b[i]
	}
	return color, false
}

// rgtc is the number of a texel of a block of one channel (§"RGTC Compressed Texture
// Image Formats"), from −1 to 1 where it has a sign, else from 0 to 1.
func rgtc(block []byte, texel int, signed bool) float64 {
	a, b, least := float64(block[0])/255, float64(block[1])/255, 0.0
	if signed {
		a, b, least = float64(int8(block[0]))/127, float64(int8(block[1]))/127, -1
	}
	var word uint64
	for i, v := range block[2:8] {
		word |= uint64(v) << (8 * i)
	}
	code := float64(word >> (3 * texel) & 7)
	switch {
	case code == 0:
		return a
	case code == 1:
		return b
	case a > b:
		return ((8-code)*a + (code-1)*b) / 7
	case code == 6:
		return least
	case code == 7:
		return 1
	}
	return ((6-code)*a + (code-1)*b) / 5
}

// bcModel is what a texel of a block of BC1 to BC5 is.
func bcModel(i *Info, block []byte, texel int) [4]float64 {
	signed := i.Numeric == "SNORM"
	v := [4]float64{3: 1}
	colors := block
	switch {
	case strings.HasPrefix(i.Name, "BC4"):
		v[R] = rgtc(block, texel, signed)
		return v
	case strings.HasPrefix(i.Name, "BC5"):
		v[R], v[G] = rgtc(block, texel, signed), rgtc(block[8:], texel, signed)
		return v
	case strings.HasPrefix(i.Name, "BC2"):
		v[A] = float64(binary.LittleEndian.Uint64(block)>>(4*texel)&15) / 15
		colors = block[8:]
	case strings.HasPrefix(i.Name, "BC3"):
		v[A] = rgtc(block, texel, false)
		colors = block[8:]
	}
	color, clear := s3tc(colors, texel, len(block) == 16)
	if clear && strings.HasPrefix(i.Name, "BC1_RGBA") {
		v[A] = 0
	}
	for k, n := range color {
		if v[k] = n; i.Numeric == "SRGB" {
			v[k] = eotf(n)
		}
	}
	return v
}

// TestBC decodes blocks of BC1 to BC5 at random, and such whose ends are equal or at
// the borders, and compares with the model.
func TestBC(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	formats := 0
	for k := range infos {
		i := &infos[k]
		b, ok := i.Blocks()
		if !ok || b.class > bc5 {
			continue
		}
		formats++
		block := make([]byte, b.Bytes)
		var texels [16][4]float32
		for n := range 3000 {
			for j := range block {
				if block[j] = byte(r.Uint32()); n%3 == 0 && j%8 < 4 {
					block[j] = []byte{0, 0xff, 0x7f, 0x81, 1}[r.IntN(5)]
				}
				if i.Numeric == "SNORM" && block[j] == 0x80 && j%8 < 2 {
					block[j]++ // it is −1 as well, and whether it is less than −127 is not said
				}
			}
			b.Decode(texels[:], block)
			for j, got := range texels {
				for ch, want := range bcModel(i, block, j) {
					if g := float64(got[ch]); math.Abs(g-want) > 1.2e-7*math.Abs(want) && math.Abs(g-want) > 1e-12 {
						t.Fatalf("%s % x: texel %d is %v; must be %v in %d", i.Name, block, j, got, want, ch)
					}
				}
			}
		}
	}
	if formats != 12 {
		t.Errorf("%d formats", formats)
	}
}

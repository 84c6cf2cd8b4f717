package format

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// etcWord makes a block of ETC2 of fields, each a lowest bit and a number.
func etcWord(fields ...[2]uint64) []byte {
	var word uint64
	for _, f := range fields {
		word |= f[1] << f[0]
	}
	return binary.BigEndian.AppendUint64(nil, word)
}

// indices gives the first column of texels the indices 0, 1, 2, 3: the high bit
// of each stands 16 above the low one.
var etcIndices = [2]uint64{0, 1<<1 | 1<<(2+16) | 1<<3 | 1<<(3+16)}

// TestETC2Examples decodes the blocks that the Khronos Data Format works out in
// §"ETC2 Compressed Texture Image Formats": what the texels of indices 0, 1, 2
// and 3 are.
func TestETC2Examples(t *testing.T) {
	for _, c := range []struct {
		name, format string
		block        []byte
		want         [4][4]int
	}{
		// (The specification prints 58 for 68 − 18.)
		{"individual", "ETC2_R8G8B8_UNORM_BLOCK",
			etcWord([2]uint64{60, 4}, [2]uint64{52, 11}, [2]uint64{44, 9}, [2]uint64{37, 4}, etcIndices),
			[4][4]int{{86, 205, 171, 255}, {128, 247, 213, 255}, {50, 169, 135, 255}, {8, 127, 93, 255}}},
		{"differential", "ETC2_R8G8B8_UNORM_BLOCK",
			etcWord([2]uint64{59, 29}, [2]uint64{51, 26}, [2]uint64{43, 8}, [2]uint64{56, 4}, [2]uint64{48, 5}, [2]uint64{40, 3}, [2]uint64{37, 2}, [2]uint64{33, 1}, etcIndices),
			[4][4]int{{248, 223, 75, 255}, {255, 243, 95, 255}, {230, 205, 57, 255}, {210, 185, 37, 255}}},
		// The same without the opaque bit: index 0 is the base, 2 is clear.
		{"punchthrough", "ETC2_R8G8B8A1_UNORM_BLOCK",
			etcWord([2]uint64{59, 29}, [2]uint64{51, 26}, [2]uint64{43, 8}, [2]uint64{56, 4}, [2]uint64{48, 5}, [2]uint64{40, 3}, [2]uint64{37, 2}, etcIndices),
			[4][4]int{{239, 214, 66, 255}, {255, 243, 95, 255}, {0, 0, 0, 0}, {210, 185, 37, 255}}},
		// Red 13 is 11 and 01; with the bits above it reads 31 and +1, which is outside.
		{"T", "ETC2_R8G8B8_UNORM_BLOCK",
			etcWord([2]uint64{61, 7}, [2]uint64{59, 3}, [2]uint64{56, 1}, [2]uint64{52, 1}, [2]uint64{48, 8}, [2]uint64{44, 4}, [2]uint64{40, 12}, [2]uint64{36, 13}, [2]uint64{34, 2}, [2]uint64{33, 1}, [2]uint64{32, 1}, etcIndices),
			[4][4]int{{221, 17, 136, 255}, {100, 236, 253, 255}, {68, 204, 221, 255}, {36, 172, 189, 255}}},
		// Green's bits read 3 and, with the one below, −4, which is outside.
		{"H", "ETC2_R8G8B8_UNORM_BLOCK",
			etcWord([2]uint64{59, 13}, [2]uint64{52, 1}, [2]uint64{51, 1}, [2]uint64{50, 1}, [2]uint64{43, 4}, [2]uint64{39, 12}, [2]uint64{35, 13}, [2]uint64{34, 1}, [2]uint64{33, 1}, etcIndices),
			[4][4]int{{253, 49, 168, 255}, {189, 0, 104, 255}, {100, 236, 253, 255}, {36, 172, 189, 255}}},
	} {
		b := blocksOf(t, c.format)
		var texels [16][4]float32
		b.Decode(texels[:], c.block)
		for i, want := range c.want {
			if got := texels[4*i]; got != modelCodes(want, false) {
				t.Errorf("%s % x: index %d is %v of 255; want %v", c.name, c.block, i, scaled255(got), want)
			}
		}
	}
}

func scaled255(v [4]float32) (c [4]float32) {
	for i := range v {
		c[i] = v[i] * 255
	}
	return c
}

// TestETC2Plane decodes the block of mode planar that the specification works
// out, texel by texel.
func TestETC2Plane(t *testing.T) {
	// 12, 64, 62 at the origin; 50, 5, 37 across; 40, 112, 45 down. Blue's bits
	// and the three above read 31 and 3, which is outside.
	block := etcWord([2]uint64{57, 12}, [2]uint64{56, 1}, [2]uint64{49, 0}, [2]uint64{48, 1}, [2]uint64{43, 3}, [2]uint64{39, 6},
		[2]uint64{34, 25}, [2]uint64{33, 1}, [2]uint64{32, 0}, [2]uint64{25, 5}, [2]uint64{19, 37}, [2]uint64{13, 40}, [2]uint64{6, 112}, [2]uint64{0, 45}, [2]uint64{45, 7})
	want := [16][3]int{{48, 129, 251}, {87, 99, 226}, {126, 70, 201}, {164, 40, 175}, {77, 153, 234}, {115, 123, 209}, {154, 94, 183}, {193, 64, 158},
		{105, 177, 217}, {144, 147, 191}, {183, 118, 166}, {221, 88, 141}, {134, 201, 199}, {172, 171, 174}, {211, 142, 149}, {250, 112, 124}}
	for _, name := range []string{"ETC2_R8G8B8_UNORM_BLOCK", "ETC2_R8G8B8A1_UNORM_BLOCK"} {
		var texels [16][4]float32
		blocksOf(t, name).Decode(texels[:], block)
		for i, c := range want {
			if texels[i] != modelCodes([4]int{c[0], c[1], c[2], 255}, false) {
				t.Errorf("%s: texel %d is %v of 255; want %v", name, i, scaled255(texels[i]), c)
			}
		}
	}
}

// TestEACExamples has the examples of the specification: a base, table 13, index
// 3 of the second texel down, with multiplier 2 and 0.
func TestEACExamples(t *testing.T) {
	for _, c := range []struct {
		format           string
		base, multiplier uint64
		want             float64
	}{
		{"EAC_R11_UNORM_BLOCK", 103, 2, 668.0 / 2047},
		{"EAC_R11_UNORM_BLOCK", 103, 0, 818.0 / 2047},
		{"EAC_R11_SNORM_BLOCK", 60, 2, 320.0 / 1023},
		{"EAC_R11_SNORM_BLOCK", 60, 0, 470.0 / 1023},
		{"EAC_R11_SNORM_BLOCK", 0x80, 2, -1},
		{"EAC_R11_SNORM_BLOCK", 0x80, 0, -1},
		{"EAC_R11_UNORM_BLOCK", 255, 0, 2034.0 / 2047},
	} {
		b := blocksOf(t, c.format)
		block := etcWord([2]uint64{56, c.base}, [2]uint64{52, c.multiplier}, [2]uint64{48, 13}, [2]uint64{42, 3})
		if got := b.Texel(block, 0, 1, 0); got != [4]float32{float32(c.want), 0, 0, 1} {
			t.Errorf("%s base %d multiplier %d: %v; want %v", c.format, c.base, c.multiplier, got, c.want)
		}
	}
	// As alpha of ETC2, 8 bits and a multiplier of 0 that is 0.
	b := blocksOf(t, "ETC2_R8G8B8A8_UNORM_BLOCK")
	for multiplier, want := range map[uint64]float32{2: 83, 0: 103} {
		block := append(etcWord([2]uint64{56, 103}, [2]uint64{52, multiplier}, [2]uint64{48, 13}, [2]uint64{42, 3}), make([]byte, 8)...)
		if got := b.Texel(block, 0, 1, 0)[A]; got != want/255 {
			t.Errorf("alpha with multiplier %d is %v; want %v of 255", multiplier, got*255, want)
		}
	}
}

// modelETC decodes one texel's color as the specification tells it.
func modelETC(word uint64, punch bool, x, y int) [4]int {
	get := func(high, low int) int { return int(word >> low & (1<<(high-low+1) - 1)) }
	signed3 := func(v int) int { return (v ^ 4) - 4 }
	clamp := func(v int) int { return max(0, min(255, v)) }
	texel := 4*x + y
	index := get(16+texel, 16+texel)*2 + get(texel, texel)
	opaque := get(33, 33) == 1
	clear := punch && !opaque
	add := func(c [3]int, d int) [4]int { return [4]int{clamp(c[0] + d), clamp(c[1] + d), clamp(c[2] + d), 255} }
	four := func(r, g, b int) [3]int { return [3]int{r * 17, g * 17, b * 17} }
	five := func(v int) int { return v<<3 | v>>2 }
	tables := [8][2]int{{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}}
	distances := [8]int{3, 6, 11, 16, 23, 32, 41, 64}
	second := x >= 2
	if get(32, 32) == 1 {
		second = y >= 2
	}
	shade := func(base [3]int) [4]int {
		table := tables[get(39, 37)]
		if second {
			table = tables[get(36, 34)]
		}
		if clear {
			table[0] = 0
			if index == 2 {
				return [4]int{}
			}
		}
		return add(base, [4]int{table[0], table[1], -table[0], -table[1]}[index])
	}
	if !punch && !opaque {
		if second {
			return shade(four(get(59, 56), get(51, 48), get(43, 40)))
		}
		return shade(four(get(63, 60), get(55, 52), get(47, 44)))
	}
	base := [3]int{get(63, 59), get(55, 51), get(47, 43)}
	sum := [3]int{base[0] + signed3(get(58, 56)), base[1] + signed3(get(50, 48)), base[2] + signed3(get(42, 40))}
	switch {
	case sum[0] < 0 || sum[0] > 31:
		one, two := four(get(60, 59)*4+get(57, 56), get(55, 52), get(51, 48)), four(get(47, 44), get(43, 40), get(39, 36))
		d := distances[get(35, 34)*2+get(32, 32)]
		if clear && index == 2 {
			return [4]int{}
		}
		return [4][4]int{add(one, 0), add(two, d), add(two, 0), add(two, -d)}[index]
	case sum[1] < 0 || sum[1] > 31:
		one := four(get(62, 59), get(58, 56)*2+get(52, 52), get(51, 51)*8+get(49, 47))
		two := four(get(46, 43), get(42, 39), get(38, 35))
		n := get(34, 34)*4 + get(32, 32)*2
		if one[0]<<16+one[1]<<8+one[2] >= two[0]<<16+two[1]<<8+two[2] {
			n++
		}
		d := distances[n]
		if clear && index == 2 {
			return [4]int{}
		}
		return [4][4]int{add(one, d), add(one, -d), add(two, d), add(two, -d)}[index]
	case sum[2] < 0 || sum[2] > 31:
		six := func(v int) float64 { return float64(v<<2 | v>>4) }
		seven := func(v int) float64 { return float64(v<<1 | v>>6) }
		o := [3]float64{six(get(62, 57)), seven(get(56, 56)*64 + get(54, 49)), six(get(48, 48)*32 + get(44, 43)*8 + get(41, 39))}
		h := [3]float64{six(get(38, 34)*2 + get(32, 32)), seven(get(31, 25)), six(get(24, 19))}
		v := [3]float64{six(get(18, 13)), seven(get(12, 6)), six(get(5, 0))}
		c := [4]int{3: 255}
		for i := range o {
			c[i] = clamp(int(math.Floor(float64(x)*(h[i]-o[i])/4 + float64(y)*(v[i]-o[i])/4 + o[i] + 0.5)))
		}
		return c
	}
	if second {
		base = sum
	}
	return shade([3]int{five(base[0]), five(base[1]), five(base[2])})
}

// TestETC2 decodes blocks at random and compares with the model.
func TestETC2(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	for range 4000 {
		word := r.Uint64()
		block := binary.BigEndian.AppendUint64(nil, word)
		for _, name := range []string{"ETC2_R8G8B8_UNORM_BLOCK", "ETC2_R8G8B8_SRGB_BLOCK", "ETC2_R8G8B8A1_UNORM_BLOCK", "ETC2_R8G8B8A1_SRGB_BLOCK"} {
			b := blocksOf(t, name)
			var texels [16][4]float32
			b.Decode(texels[:], block)
			for i := range texels {
				if want := modelCodes(modelETC(word, b.punchThrough, i%4, i/4), b.srgb); texels[i] != want {
					t.Fatalf("%s % x: texel %d is %v; want %v", name, block, i, texels[i], want)
				}
			}
		}
	}
}

// TestEAC decodes blocks at random and compares with the specification's
// formulas in fractions: the numbers are those of 255.875 and 127.875 parts.
func TestEAC(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 8))
	model := func(word uint64, i int, signed bool) float32 {
		modifier := float64(eacModifiers[word>>48&15][word>>(45-3*(i%4*4+i/4))&7])
		multiplier := float64(word >> 52 & 15)
		if multiplier == 0 {
			multiplier = 1.0 / 8
		}
		if signed {
			base := math.Max(float64(int8(word>>56)), -127)
			return float32(math.Max(-1023, math.Min(1023, (base+modifier*multiplier)*8)) / 1023)
		}
		return float32(math.Max(0, math.Min(2047, (float64(word>>56)+0.5+modifier*multiplier)*8)) / 2047)
	}
	for range 4000 {
		block := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, r.Uint64()), r.Uint64())
		for _, name := range []string{"EAC_R11_UNORM_BLOCK", "EAC_R11_SNORM_BLOCK", "EAC_R11G11_UNORM_BLOCK", "EAC_R11G11_SNORM_BLOCK"} {
			b := blocksOf(t, name)
			var texels [16][4]float32
			b.Decode(texels[:], block[:b.Bytes])
			for i := range texels {
				want := [4]float32{model(binary.BigEndian.Uint64(block), i, b.signed), 0, 0, 1}
				if b.Bytes == 16 {
					want[G] = model(binary.BigEndian.Uint64(block[8:]), i, b.signed)
				}
				if texels[i] != want {
					t.Fatalf("%s % x: texel %d is %v; want %v", name, block, i, texels[i], want)
				}
			}
		}
	}
}

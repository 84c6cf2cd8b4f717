package format

import (
	"math"
	"math/rand/v2"
	"testing"
)

// halfDown is the half float below v, 0 to 1.
func halfDown(v float64) float32 {
	best := 0.0
	for e := -14; e <= 0; e++ {
		if unit := math.Ldexp(1, e-10); v < math.Ldexp(1, e+1) {
			return float32(math.Floor(v/unit) * unit)
		}
	}
	return float32(best)
}

// modelNumbers makes the numbers of a texel by the specification's section on
// weight application, for halves.
func modelNumbers(m *modelASTC, out modelTexel) (v [4]float32) {
	if out.bad {
		if m.hdr {
			nan := float32(math.NaN())
			return [4]float32{nan, nan, nan, nan}
		}
		return [4]float32{1, 0, 1, 1}
	}
	for ch, c := range out.c {
		switch {
		case out.halves:
			v[ch] = float32(ieee(uint64(c), 5, 16, true))
		case out.log[ch]:
			e, mt := c>>11, c&0x7ff
			switch {
			case mt < 512:
				mt *= 3
			case mt >= 1536:
				mt = 5*mt - 2048
			default:
				mt = 4*mt - 512
			}
			v[ch] = float32(ieee(uint64(min(e<<10+mt>>3, 0x7bff)), 5, 16, true))
		case m.srgb && ch < 3:
			v[ch] = srgbLinear[c>>8]
		case c == 65535:
			v[ch] = 1
		default:
			v[ch] = halfDown(float64(c) / 65536)
		}
	}
	return v
}

// astcBlocks makes blocks of bits at random, most of which are no errors: a mode
// that fits is looked for.
func astcBlocks(r *rand.Rand, b *Blocks, n int) (blocks [][]byte) {
	for k := 0; len(blocks) < n; k++ {
		block := make([]byte, 16)
		for i := range block {
			block[i] = byte(r.Uint32())
		}
		switch k % 16 {
		case 0: // one color, with an extent or without
			block[0], block[1] = 0xfc, block[1]&0xf2|0x0d
			if k%32 == 0 {
				for i := 1; i < 8; i++ {
					block[i] |= 0xff << max(0, 4-2*i)
				}
			}
		case 1, 2, 3, 4:
			block[1] &^= 0x18 // one partition
		case 5, 6:
			block[1] = block[1]&^0x18 | 0x08 // two
		case 7, 8:
			block[2], block[3] = block[2]&0x7f, block[3]&^1 // modes alike
		}
		var a astcBlock
		if a.read(b, bits128Of(block)); a.invalid && k%8 != 7 {
			continue
		}
		blocks = append(blocks, block)
	}
	return blocks
}

// TestASTC decodes blocks of every size and compares each texel with the model.
func TestASTC(t *testing.T) {
	n := 150
	if testing.Short() {
		n = 20
	}
	for i := range infos {
		b, ok := infos[i].Blocks()
		if !ok || b.class != astc {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(i), 3))
		texels := make([][4]float32, b.Texels())
		errors := 0
		for _, block := range astcBlocks(r, &b, n) {
			b.Decode(texels, block)
			m := modelASTC{b.Width, b.Height, b.Depth, b.hdr, b.srgb, bitsOf(block)}
			for range 24 { // some texels of each
				at := r.IntN(len(texels))
				x, y, z := at%b.Width, at/b.Width%b.Height, at/b.Width/b.Height
				out := m.texel(x, y, z)
				if out.bad {
					errors++
				}
				want := modelNumbers(&m, out)
				for ch := range want {
					if got := texels[at][ch]; got != want[ch] && (got == got || want[ch] == want[ch]) {
						t.Fatalf("%s % x: texel %d, %d, %d is %v; want %v", infos[i].Name, block, x, y, z, texels[at], want)
					}
				}
			}
		}
		if errors == 0 || errors > 20*n {
			t.Errorf("%s: %d texels of %d are errors", infos[i].Name, errors, 24*n)
		}
	}
}

// astcBlockOf makes a block of fields, each a lowest bit and a number.
func astcBlockOf(fields ...[2]int) []byte {
	block := make([]byte, 16)
	for _, f := range fields {
		for i := range 32 {
			if f[1]>>i&1 == 1 {
				block[(f[0]+i)/8] |= 1 << ((f[0] + i) % 8)
			}
		}
	}
	return block
}

// TestASTCByHand decodes blocks that were worked out by hand: four by four
// weights of 0 to 3, which are 0, 21, 43 and 64, in the first row; their bits run
// down from the highest.
func TestASTCByHand(t *testing.T) {
	weights := [2]int{120, 0b00100111}
	gray := astcBlockOf([2]int{0, 0x42}, [2]int{17, 0}, [2]int{25, 255}, weights)
	bright := astcBlockOf([2]int{0, 0x42}, [2]int{13, 2}, [2]int{17, 0x78}, [2]int{25, 0x80}, weights)
	magenta := [4]float32{1, 0, 1, 1}
	for _, c := range []struct {
		name  string
		mode  DecodeMode
		block []byte
		want  [4][4]float32
	}{
		// (65535·21+32)/64 is 21504, (65535·43+32)/64 is 44031, of whose 16 bits a
		// half float holds 11: 44000.
		{"ASTC_4x4_UNORM_BLOCK", DecodeHalf, gray, [4][4]float32{{0, 0, 0, 1}, {0.328125, 0.328125, 0.328125, 1}, {44000.0 / 65536, 44000.0 / 65536, 44000.0 / 65536, 1}, {1, 1, 1, 1}}},
		{"ASTC_4x4_SFLOAT_BLOCK", DecodeHalf, gray, [4][4]float32{{0, 0, 0, 1}, {0.328125, 0.328125, 0.328125, 1}, {44000.0 / 65536, 44000.0 / 65536, 44000.0 / 65536, 1}, {1, 1, 1, 1}}},
		{"ASTC_4x4_UNORM_BLOCK", DecodeUNorm8, gray, [4][4]float32{{0, 0, 0, 1}, {84.0 / 255, 84.0 / 255, 84.0 / 255, 1}, {171.0 / 255, 171.0 / 255, 171.0 / 255, 1}, {1, 1, 1, 1}}},
		// 44031 has a leading bit of 2^15: 9 bits from there are 343 of 512.
		{"ASTC_4x4_UNORM_BLOCK", DecodeExponent, gray, [4][4]float32{{0, 0, 0, 1}, {0.328125, 0.328125, 0.328125, 1}, {343.0 / 512, 343.0 / 512, 343.0 / 512, 1}, {1, 1, 1, 1}}},
		// (128·43+65408·21+32)/64 is 21548, its highest 8 bits 84.
		{"ASTC_4x4_SRGB_BLOCK", DecodeUNorm8, gray, [4][4]float32{{0, 0, 0, 1}, {srgbLinear[84], srgbLinear[84], srgbLinear[84], 1}, {srgbLinear[171], srgbLinear[171], srgbLinear[171], 1}, {1, 1, 1, 1}}},
		// 0x780 is 1 and 0x800 is 2. (0x7800·43+0x8000·21+32)/64 is 31392: exponent
		// 15, 672 above it, which is (4·672−512)/8 = 272 of 1024; for 43 it is 32096, so
		// (4·1376−512)/8 = 624.
		{"ASTC_4x4_SFLOAT_BLOCK", DecodeHalf, bright, [4][4]float32{{1, 1, 1, 1}, {1.265625, 1.265625, 1.265625, 1}, {1 + 624.0/1024, 1 + 624.0/1024, 1 + 624.0/1024, 1}, {2, 2, 2, 1}}},
		{"ASTC_4x4_UNORM_BLOCK", DecodeHalf, bright, [4][4]float32{magenta, magenta, magenta, magenta}},
		{"ASTC_4x4_SFLOAT_BLOCK", DecodeUNorm8, bright, [4][4]float32{magenta, magenta, magenta, magenta}},
		{"ASTC_4x4_SFLOAT_BLOCK", DecodeExponent, bright, [4][4]float32{{1, 1, 1, 1}, {1 + 68.0/256, 1 + 68.0/256, 1 + 68.0/256, 1}, {1 + 156.0/256, 1 + 156.0/256, 1 + 156.0/256, 1}, {2, 2, 2, 1}}},
	} {
		b := blocksOf(t, c.name)
		b.Mode = c.mode
		for x, want := range c.want {
			if got := b.Texel(c.block, x, 0, 0); got != want {
				t.Errorf("%s mode %d % x: texel %d is %v; want %v", c.name, c.mode, c.block, x, got, want)
			}
		}
	}
}

// TestASTCConstant decodes blocks of one color: with numbers of 16 bits and with
// half floats, whose extent is all ones, or is one.
func TestASTCConstant(t *testing.T) {
	color := [][2]int{{64, 0xffff}, {80, 0x8000}, {96, 0x1234}, {112, 0}}
	halves := [][2]int{{64, 0x3c00}, {80, 0xbc00}, {96, 0x7c01}, {112, 0x7c00}}
	none := [][2]int{{12, 0xfffff}, {32, -1}}
	one := [][2]int{{12, 0}, {25, 8}, {38, 2}, {51, 5}}
	with := func(low int, parts ...[][2]int) []byte {
		all := [][2]int{{0, low}}
		for _, p := range parts {
			all = append(all, p...)
		}
		return astcBlockOf(all...)
	}
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		name  string
		mode  DecodeMode
		block []byte
		want  [4]float32
	}{
		{"ASTC_6x6_UNORM_BLOCK", DecodeHalf, with(0xdfc, none, color), [4]float32{1, 0.5, 0x1234 &^ 3 / 65536.0, 0}},
		{"ASTC_6x6_UNORM_BLOCK", DecodeHalf, with(0xdfc, one, color), [4]float32{1, 0.5, 0x1234 &^ 3 / 65536.0, 0}},
		{"ASTC_6x6_SRGB_BLOCK", DecodeHalf, with(0xdfc, one, color), [4]float32{1, srgbLinear[0x80], srgbLinear[0x12], 0}},
		{"ASTC_6x6_UNORM_BLOCK", DecodeHalf, with(0xffc, none, halves), [4]float32{1, 0, 1, 1}},
		{"ASTC_6x6_SRGB_BLOCK", DecodeHalf, with(0xffc, none, halves), [4]float32{1, 0, 1, 1}},
		{"ASTC_6x6_SFLOAT_BLOCK", DecodeHalf, with(0xffc, one, halves), [4]float32{1, -1, nan, inf}},
		{"ASTC_6x6_SFLOAT_BLOCK", DecodeExponent, with(0xffc, one, halves), [4]float32{1, 0, 0, 1}},
		{"ASTC_6x6_SFLOAT_BLOCK", DecodeHalf, with(0xdfc, none, color), [4]float32{1, 0.5, 0x1234 &^ 3 / 65536.0, 0}},
		// In three dimensions the extent has 9 bits each way, and none are reserved.
		{"ASTC_4x4x4_UNORM_BLOCK_EXT", DecodeHalf, with(0x1fc, [][2]int{{10, 0}, {19, 1}, {28, 0}, {37, 1}, {46, 0}, {55, 1}}, color), [4]float32{1, 0.5, 0x1234 &^ 3 / 65536.0, 0}},
		{"ASTC_4x4x4_UNORM_BLOCK_EXT", DecodeHalf, with(0x1fc, [][2]int{{10, 0}, {19, 1}, {28, 0}, {37, 1}, {46, 1}, {55, 1}}, color), [4]float32{1, 0, 1, 1}},
		{"ASTC_4x4x4_UNORM_BLOCK_EXT", DecodeHalf, with(0xdfc, none, color), [4]float32{1, 0.5, 0x1234 &^ 3 / 65536.0, 0}},
	} {
		b := blocksOf(t, c.name)
		b.Mode = c.mode
		got := b.Texel(c.block, 1, 2, 0)
		for ch := range got {
			if got[ch] != c.want[ch] && (got[ch] == got[ch] || c.want[ch] == c.want[ch]) {
				t.Errorf("%s mode %d % x: %v; want %v", c.name, c.mode, c.block, got, c.want)
				break
			}
		}
	}
}

// TestASTCIllegal has a block for each row of the specification's list of
// illegal encodings.
func TestASTCIllegal(t *testing.T) {
	for _, c := range []struct {
		name, size string
		block      []byte
	}{
		{"reserved mode", "4x4", astcBlockOf([2]int{0, 0x10})},
		{"reserved mode beside one color", "4x4", astcBlockOf([2]int{0, 0x1c4})},
		{"reserved bits of one color", "4x4", astcBlockOf([2]int{0, 0x1fc}, [2]int{12, 0xfffff}, [2]int{32, -1})},
		{"one reserved bit of one color", "4x4", astcBlockOf([2]int{0, 0x5fc}, [2]int{12, 0xfffff}, [2]int{32, -1})},
		{"81 weights", "12x12", astcBlockOf([2]int{0, 0x764})},
		{"160 bits of weights", "4x4", astcBlockOf([2]int{0, 0x653})},
		{"16 bits of weights", "4x4", astcBlockOf([2]int{0, 0x41})},
		{"five weights across", "4x4", astcBlockOf([2]int{0, 0xc2})},
		{"five weights down", "5x4", astcBlockOf([2]int{0, 0x62})},
		{"24 integers", "4x4", astcBlockOf([2]int{0, 0x42}, [2]int{11, 2}, [2]int{25, 12})},
		{"13 bits for 8 integers", "4x4", astcBlockOf([2]int{0, 0x453}, [2]int{13, 12})},
		{"two planes and four partitions", "4x4", astcBlockOf([2]int{0, 0x442}, [2]int{11, 3})},
		{"an extent from 3 to 3", "4x4", astcBlockOf([2]int{0, 0xdfc}, [2]int{12, 3}, [2]int{25, 3}, [2]int{51, 5})},
		{"an extent from 5 to 0", "4x4", astcBlockOf([2]int{0, 0xdfc}, [2]int{25, 3}, [2]int{38, 5})},
		{"reserved mode with depth", "3x3x3", astcBlockOf([2]int{0, 0x1e4})},
		{"three weights deep", "4x4x3", astcBlockOf([2]int{0, 0x0e}, [2]int{0, 0x4})},
	} {
		for format, want := range map[string][4]float32{"UNORM": {1, 0, 1, 1}, "SRGB": {1, 0, 1, 1}} {
			name := "ASTC_" + c.size + "_" + format + "_BLOCK"
			if len(c.size) > 3 && c.size[1] == 'x' && len(c.size) == 5 && c.size[3] == 'x' {
				name += "_EXT"
			}
			if got := blocksOf(t, name).Texel(c.block, 1, 1, 0); got != want {
				t.Errorf("%s in %s: %v", c.name, name, got)
			}
		}
	}
}

// TestASTCTables compares the tables of trits, quints and weights with the
// specification's procedures.
func TestASTCTables(t *testing.T) {
	for v, got := range astcTrits {
		for i, want := range modelTrits(v) {
			if int(got>>(2*i)&3) != want {
				t.Errorf("trit %d of %#x is %d; want %d", i, v, got>>(2*i)&3, want)
			}
		}
	}
	for v, got := range astcQuints {
		for i, want := range modelQuints(v) {
			if int(got>>(3*i)&7) != want {
				t.Errorf("quint %d of %#x is %d; want %d", i, v, got>>(3*i)&7, want)
			}
		}
	}
	for i, r := range astcRanges {
		m := modelRange{2, int(r.bits)}
		if r.trit {
			m.base = 3
		}
		if r.quint {
			m.base = 5
		}
		if i > 0 && m.steps() <= steps(astcRanges[i-1]) {
			t.Errorf("range %d is not greater than the one before", i)
		}
		for v := range m.steps() {
			if i < len(astcWeights) {
				if got, want := int(astcWeights[i][v]), m.weight(v>>m.bits, v&(1<<m.bits-1)); got != want {
					t.Errorf("weight %d of range %d is %d; want %d", v, i, got, want)
				}
			}
			if i >= 4 {
				if got, want := int(r.unquantizeColor(uint8(v))), m.color(v>>m.bits, v&(1<<m.bits-1)); got != want {
					t.Errorf("color %d of range %d is %d; want %d", v, i, got, want)
				}
			}
		}
	}
}

func steps(r astcRange) int {
	n := 1 << r.bits
	if r.trit {
		n *= 3
	}
	if r.quint {
		n *= 5
	}
	return n
}

// TestExponent compares colors with a shared exponent with what they must be: of
// 16 bits and of half floats, 9 bits below the greatest, cut off.
func TestExponent(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 20000 {
		c := [4]int32{r.Int32N(65536) >> r.IntN(16), r.Int32N(65536) >> r.IntN(16), r.Int32N(65536) >> r.IntN(16)}
		if r.IntN(20) == 0 {
			c[r.IntN(3)] = 65535
		}
		most := max(c[R], c[G], c[B])
		step := math.Ldexp(1, int(math.Floor(math.Log2(float64(max(most, 1)))))-8) // of the 16 bits
		if most == 65535 {
			step = 256
		}
		for ch, got := range sharedExponentOfUNorm(c) {
			v := float64(c[ch%3])
			if v == 65535 {
				v = 65536
			}
			want := float32(math.Floor(v/step) * step / 65536)
			if ch == 3 {
				want = 1
			}
			if got != want {
				t.Fatalf("%v: %d is %v; want %v", c, ch, got, want)
			}
		}
		h := [4]int32{r.Int32N(0x7c00) >> r.IntN(12), r.Int32N(0x7c00) >> r.IntN(12), r.Int32N(0x7c00) >> r.IntN(12)}
		top := max(ieee(uint64(h[R]), 5, 16, true), ieee(uint64(h[G]), 5, 16, true), ieee(uint64(h[B]), 5, 16, true))
		step = math.Ldexp(1, -24) // the least exponent, 9 bits
		if top >= math.Ldexp(1, -15) {
			step = math.Ldexp(1, int(math.Floor(math.Log2(top)))-8)
		}
		for ch, got := range sharedExponentOfHalf(h) {
			want := float32(math.Floor(ieee(uint64(h[ch%3]), 5, 16, true)/step) * step)
			if ch == 3 {
				want = 1
			}
			if got != want {
				t.Fatalf("%#x: %d is %v; want %v", h, ch, got, want)
			}
		}
	}
}

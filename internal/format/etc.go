package format

import "encoding/binary"

// etcModifiers are by table the lesser and the greater amount that a texel of
// ETC2 is brighter or darker than its base color (Khronos Data Format §"ETC2
// Compressed Texture Image Formats", intensity modifier sets).
var etcModifiers = [8][2]int32{{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}}

// etcDistances are those between the paint colors of modes T and H.
var etcDistances = [8]int32{3, 6, 11, 16, 23, 32, 41, 64}

// eacModifiers are by table and index what a texel of EAC takes times the
// multiplier.
var eacModifiers = [16][8]int8{
	{-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12}, {-2, -5, -8, -13, 1, 4, 7, 12}, {-2, -4, -6, -13, 1, 3, 5, 12},
	{-3, -6, -8, -12, 2, 5, 7, 11}, {-3, -7, -9, -11, 2, 6, 8, 10}, {-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},
	{-2, -6, -8, -10, 1, 5, 7, 9}, {-2, -5, -8, -10, 1, 4, 7, 9}, {-2, -4, -8, -10, 1, 3, 7, 9}, {-2, -5, -7, -10, 1, 4, 6, 9},
	{-3, -4, -7, -10, 2, 3, 6, 9}, {-1, -2, -3, -10, 0, 1, 2, 9}, {-4, -6, -8, -9, 3, 5, 7, 8}, {-3, -5, -7, -9, 2, 4, 6, 8},
}

// etcBlock is what a block of ETC2 says of its colors: four that texels choose
// from in each of two halves, or a plane.
type etcBlock struct {
	paints  [2][4][4]uint8
	flipped bool // the halves lie one on the other, not side by side
	planar  bool
	plane   [3][3]int32 // by channel: at the origin, 4 to the right, 4 down
}

// paint decodes ETC2 with or without alpha.
func (b *Blocks) paint(texels [][4]float32, first int, block []byte) {
	word := binary.BigEndian.Uint64(block[b.Bytes-8:])
	e := b.etcColors(word)
	for i := range texels {
		x, y := (first+i)&3, (first+i)>>2
		var c [4]uint8
		if e.planar {
			c = e.at(int32(x), int32(y))
		} else {
			half := x >> 1
			if e.flipped {
				half = y >> 1
			}
			at := 4*x + y // indices run down the columns
			c = e.paints[half][word>>(at+16)&1<<1|word>>at&1]
		}
		if b.class == etc2Alpha {
			c[A] = uint8(eac(binary.BigEndian.Uint64(block), x, y))
		}
		b.bytes(&texels[i], c[R], c[G], c[B], c[A])
	}
}

// etcColors reads the colors of a block. The mode is told by which of the
// colors' sums overflows.
func (b *Blocks) etcColors(word uint64) (e etcBlock) {
	field := func(at, n int) int32 { return int32(word >> at & (1<<n - 1)) }
	bit33 := field(33, 1) == 1
	e.flipped = field(32, 1) == 1
	hole := b.punch && !bit33
	if !bit33 && !b.punch {
		for h := range 2 {
			at := 4 - 4*h
			e.shade(h, [3]int32{field(56+at, 4) * 17, field(48+at, 4) * 17, field(40+at, 4) * 17}, field(37-3*h, 3), false)
		}
		return e
	}
	var base, sum [3]int32
	for ch := range base {
		base[ch] = field(59-8*ch, 5)
		sum[ch] = base[ch] + extended(field(56-8*ch, 3), 3)
	}
	outside := func(v int32) bool { return v < 0 || v > 31 }
	switch {
	case outside(sum[R]):
		one := [3]int32{field(59, 2)<<2 | field(56, 2), field(52, 4), field(48, 4)}
		two := [3]int32{field(44, 4), field(40, 4), field(36, 4)}
		e.modeT(one, two, etcDistances[field(34, 2)<<1|field(32, 1)], hole)
	case outside(sum[G]):
		one := [3]int32{field(59, 4), field(56, 3)<<1 | field(52, 1), field(51, 1)<<3 | field(47, 3)}
		two := [3]int32{field(43, 4), field(39, 4), field(35, 4)}
		value := func(c [3]int32) int32 { return c[R]<<16 | c[G]<<8 | c[B] }
		index := field(34, 1)<<2 | field(32, 1)<<1
		if value(one) >= value(two) {
			index |= 1
		}
		e.modeH(one, two, etcDistances[index], hole)
	case outside(sum[B]):
		e.planar = true
		six := func(v int32) int32 { return v<<2 | v>>4 }
		seven := func(v int32) int32 { return v<<1 | v>>6 }
		e.plane = [3][3]int32{
			{six(field(57, 6)), six(field(34, 5)<<1 | field(32, 1)), six(field(13, 6))},
			{seven(field(56, 1)<<6 | field(49, 6)), seven(field(25, 7)), seven(field(6, 7))},
			{six(field(48, 1)<<5 | field(43, 2)<<3 | field(39, 3)), six(field(19, 6)), six(field(0, 6))},
		}
	default:
		for h, c := range [2][3]int32{base, sum} {
			e.shade(h, [3]int32{c[R]<<3 | c[R]>>2, c[G]<<3 | c[G]>>2, c[B]<<3 | c[B]>>2}, field(37-3*h, 3), hole)
		}
	}
	return e
}

// shade sets the colors of a half: the base brighter and darker by the amounts
// of a table. Where there is a clear color the lesser amount is 0.
func (e *etcBlock) shade(h int, base [3]int32, table int32, hole bool) {
	m := etcModifiers[table]
	if hole {
		m[0] = 0
	}
	for i, d := range [4]int32{m[0], m[1], -m[0], -m[1]} {
		e.paints[h][i] = shifted(base, d)
	}
	if hole {
		e.paints[h][2] = [4]uint8{}
	}
}

// modeT sets the colors of mode T: the first, and the second with what lies a
// distance from it.
func (e *etcBlock) modeT(one, two [3]int32, distance int32, hole bool) {
	for ch := range one {
		one[ch] *= 17
		two[ch] *= 17
	}
	e.both([4][4]uint8{shifted(one, 0), shifted(two, distance), shifted(two, 0), shifted(two, -distance)}, hole)
}

// modeH sets the colors of mode H: what lies a distance from either color.
func (e *etcBlock) modeH(one, two [3]int32, distance int32, hole bool) {
	for ch := range one {
		one[ch] *= 17
		two[ch] *= 17
	}
	e.both([4][4]uint8{shifted(one, distance), shifted(one, -distance), shifted(two, distance), shifted(two, -distance)}, hole)
}

// both sets the colors of either half.
func (e *etcBlock) both(paints [4][4]uint8, hole bool) {
	if hole {
		paints[2] = [4]uint8{}
	}
	e.paints = [2][4][4]uint8{paints, paints}
}

// shifted returns the opaque color that is brighter by d.
func shifted(c [3]int32, d int32) [4]uint8 {
	return [4]uint8{byteOf(c[R] + d), byteOf(c[G] + d), byteOf(c[B] + d), 255}
}

// byteOf clamps v to 8 bits.
func byteOf(v int32) uint8 { return uint8(min(max(v, 0), 255)) }

// at returns the color of the plane at a texel.
func (e *etcBlock) at(x, y int32) [4]uint8 {
	c := [4]uint8{A: 255}
	for ch, p := range e.plane {
		c[ch] = byteOf((x*(p[1]-p[0]) + y*(p[2]-p[0]) + 4*p[0] + 2) >> 2)
	}
	return c
}

// eacModifier returns what a texel takes times the multiplier.
func eacModifier(word uint64, x, y int) int32 {
	return int32(eacModifiers[word>>48&15][word>>(45-3*(4*x+y))&7])
}

// eac returns the alpha of a texel of ETC2, in 8 bits.
func eac(word uint64, x, y int) uint8 {
	return byteOf(int32(word>>56) + eacModifier(word, x, y)*int32(word>>52&15))
}

// eleven decodes EAC of one or two channels.
func (b *Blocks) eleven(texels [][4]float32, first int, block []byte) {
	for i := range texels {
		x, y := (first+i)&3, (first+i)>>2
		texels[i] = [4]float32{b.eleventh(binary.BigEndian.Uint64(block), x, y), 0, 0, 1}
		if b.class == eac2 {
			texels[i][G] = b.eleventh(binary.BigEndian.Uint64(block[8:]), x, y)
		}
	}
}

// eleventh returns the number of a texel, which is one of 11 bits. A multiplier
// of 0 stands for one eighth; of signed bases −128 is −127.
func (b *Blocks) eleventh(word uint64, x, y int) float32 {
	step := eacModifier(word, x, y)
	if m := int32(word >> 52 & 15); m != 0 {
		step *= 8 * m
	}
	if b.signed {
		base := max(int32(int8(word>>56)), -127)
		return float32(min(max(8*base+step, -1023), 1023)) / 1023
	}
	return float32(min(max(int32(word>>56)*8+4+step, 0), 2047)) / 2047
}

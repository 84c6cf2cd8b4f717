package format

import "encoding/binary"

// etcModifiers are the intensity modifier sets of ETC1 and ETC2: by codeword, the small and the large
// offset of a texel from its base color (Khronos Data Format §"ETC2 Compressed Texture Image Formats").
var etcModifiers = [8][2]int32{{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}}

// etcDistances are the distances of the paint colors in modes T and H.
var etcDistances = [8]int32{3, 6, 11, 16, 23, 32, 41, 64}

// eacModifiers are the modifiers of EAC, by table and texel index; they are multiplied with the block's
// multiplier.
var eacModifiers = [16][8]int8{
	{-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12}, {-2, -5, -8, -13, 1, 4, 7, 12}, {-2, -4, -6, -13, 1, 3, 5, 12},
	{-3, -6, -8, -12, 2, 5, 7, 11}, {-3, -7, -9, -11, 2, 6, 8, 10}, {-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},
	{-2, -6, -8, -10, 1, 5, 7, 9}, {-2, -5, -8, -10, 1, 4, 7, 9}, {-2, -4, -8, -10, 1, 3, 7, 9}, {-2, -5, -7, -10, 1, 4, 6, 9},
	{-3, -4, -7, -10, 2, 3, 6, 9}, {-1, -2, -3, -10, 0, 1, 2, 9}, {-4, -6, -8, -9, 3, 5, 7, 8}, {-3, -5, -7, -9, 2, 4, 6, 8},
}

// etcBlock is a parsed ETC2 color block: four paint colors for each subblock, or a plane.
type etcBlock struct {
	paints  [2][4][4]uint8
	flipped bool // the subblocks are stacked, not side by side
	planar  bool
	plane   [3][3]int32 // by channel: at the origin, 4 texels to the right, 4 down
}

// decodeETC2 decodes ETC2, with or without an EAC alpha block before the color block.
func (b *Blocks) decodeETC2(texels [][4]float32, first int, block []byte) {
	word := binary.BigEndian.Uint64(block[b.Bytes-8:])
	e := b.etcColors(word)
	for i := range texels {
		x, y := (first+i)&3, (first+i)>>2
		var c [4]uint8
		if e.planar {
			c = e.planarColor(int32(x), int32(y))
		} else {
			half := x >> 1
			if e.flipped {
				half = y >> 1
			}
			at := 4*x + y // indices are in column order
			c = e.paints[half][word>>(at+16)&1<<1|word>>at&1]
		}
		if b.class == etc2Alpha {
			c[A] = uint8(eacAlpha(binary.BigEndian.Uint64(block), x, y))
		}
		b.setBytes(&texels[i], c[R], c[G], c[B], c[A])
	}
}

// etcColors parses a color block. Modes T, H and planar are encoded as differential colors with a sum that
// overflows in red, green or blue.
func (b *Blocks) etcColors(word uint64) (e etcBlock) {
	field := func(at, n int) int32 { return int32(word >> at & (1<<n - 1)) }
	bit33 := field(33, 1) == 1
	e.flipped = field(32, 1) == 1
	hole := b.punchThrough && !bit33
	if !bit33 && !b.punchThrough {
		for h := range 2 {
			at := 4 - 4*h
			e.setSubblock(h, [3]int32{field(56+at, 4) * 17, field(48+at, 4) * 17, field(40+at, 4) * 17}, field(37-3*h, 3), false)
		}
		return e
	}
	var base, sum [3]int32
	for ch := range base {
		base[ch] = field(59-8*ch, 5)
		sum[ch] = base[ch] + signExtend(field(56-8*ch, 3), 3)
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
			e.setSubblock(h, [3]int32{c[R]<<3 | c[R]>>2, c[G]<<3 | c[G]>>2, c[B]<<3 | c[B]>>2}, field(37-3*h, 3), hole)
		}
	}
	return e
}

// setSubblock sets the paint colors of a subblock: the base color plus and minus each offset. With punch-through
// alpha (hole) the small offset is 0, and color 2 is transparent.
func (e *etcBlock) setSubblock(h int, base [3]int32, table int32, hole bool) {
	m := etcModifiers[table]
	if hole {
		m[0] = 0
	}
	for i, d := range [4]int32{m[0], m[1], -m[0], -m[1]} {
		e.paints[h][i] = brightened(base, d)
	}
	if hole {
		e.paints[h][2] = [4]uint8{}
	}
}

// modeT sets the paint colors of mode T: the first color, and the second with its neighbours at a distance.
func (e *etcBlock) modeT(one, two [3]int32, distance int32, hole bool) {
	for ch := range one {
		one[ch] *= 17
		two[ch] *= 17
	}
	e.setBoth([4][4]uint8{brightened(one, 0), brightened(two, distance), brightened(two, 0), brightened(two, -distance)}, hole)
}

// modeH sets the paint colors of mode H: the neighbours of both colors at a distance.
func (e *etcBlock) modeH(one, two [3]int32, distance int32, hole bool) {
	for ch := range one {
		one[ch] *= 17
		two[ch] *= 17
	}
	e.setBoth([4][4]uint8{brightened(one, distance), brightened(one, -distance), brightened(two, distance), brightened(two, -distance)}, hole)
}

// setBoth sets the paint colors of both subblocks.
func (e *etcBlock) setBoth(paints [4][4]uint8, hole bool) {
	if hole {
		paints[2] = [4]uint8{}
	}
	e.paints = [2][4][4]uint8{paints, paints}
}

// brightened returns the opaque color c plus d in each channel.
func brightened(c [3]int32, d int32) [4]uint8 {
	return [4]uint8{clampByte(c[R] + d), clampByte(c[G] + d), clampByte(c[B] + d), 255}
}

// clampByte clamps v to 0..255.
func clampByte(v int32) uint8 { return uint8(min(max(v, 0), 255)) }

// planarColor returns the plane's color at a texel.
func (e *etcBlock) planarColor(x, y int32) [4]uint8 {
	c := [4]uint8{A: 255}
	for ch, p := range e.plane {
		c[ch] = clampByte((x*(p[1]-p[0]) + y*(p[2]-p[0]) + 4*p[0] + 2) >> 2)
	}
	return c
}

// eacModifier returns the modifier of a texel.
func eacModifier(word uint64, x, y int) int32 {
	return int32(eacModifiers[word>>48&15][word>>(45-3*(4*x+y))&7])
}

// eacAlpha returns the 8-bit alpha of an ETC2 texel.
func eacAlpha(word uint64, x, y int) uint8 {
	return clampByte(int32(word>>56) + eacModifier(word, x, y)*int32(word>>52&15))
}

// decodeEAC decodes EAC with one or two channels.
func (b *Blocks) decodeEAC(texels [][4]float32, first int, block []byte) {
	for i := range texels {
		x, y := (first+i)&3, (first+i)>>2
		texels[i] = [4]float32{b.eac11(binary.BigEndian.Uint64(block), x, y), 0, 0, 1}
		if b.class == eac2 {
			texels[i][G] = b.eac11(binary.BigEndian.Uint64(block[8:]), x, y)
		}
	}
}

// eac11 returns the 11-bit value of a texel as a float. Multiplier 0 means 1/8; a signed base of −128 is −127.
func (b *Blocks) eac11(word uint64, x, y int) float32 {
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

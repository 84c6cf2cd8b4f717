package format

import "encoding/binary"

// decodeBC123 decodes BC1 to BC3 (Khronos Data Format §"S3TC Compressed Texture Image Formats"): two
// RGB565 endpoints and a 2-bit index per texel; BC2 and BC3 have 8 bytes of alpha before them.
func (b *Blocks) decodeBC123(texels [][4]float32, first int, block []byte) {
	at := b.Bytes - 8
	palette := b.palette(block[at:])
	codes := binary.LittleEndian.Uint32(block[at+4:]) >> (2 * first)
	for i := range texels {
		texels[i] = palette[codes&3]
		codes >>= 2
	}
	switch b.class {
	case bc2:
		alpha := binary.LittleEndian.Uint64(block) >> (4 * first)
		for i := range texels {
			texels[i][A] = float32(alpha&15) / 15
			alpha >>= 4
		}
	case bc3:
		decodeChannel(texels, A, first, block, false)
	}
}

// palette returns the four colors of a block. Only BC1 has the mode with three colors and black,
// selected by the order of the endpoints.
func (b *Blocks) palette(block []byte) (palette [4][4]float32) {
	c0, c1 := binary.LittleEndian.Uint16(block), binary.LittleEndian.Uint16(block[2:])
	weights := [4][2]uint16{{6, 0}, {0, 6}, {4, 2}, {2, 4}} // in sixths
	black := b.class == bc1 && c0 <= c1
	if black {
		weights = [4][2]uint16{{6, 0}, {0, 6}, {3, 3}}
	}
	for i, w := range weights {
		p := &palette[i]
		p[R] = b.unormSixths(w[0]*(c0>>11)+w[1]*(c1>>11), 6*31)
		p[G] = b.unormSixths(w[0]*(c0>>5&63)+w[1]*(c1>>5&63), 6*63)
		p[B] = b.unormSixths(w[0]*(c0&31)+w[1]*(c1&31), 6*31)
		p[A] = 1
	}
	if black && b.punchThrough {
		palette[3][A] = 0
	}
	return palette
}

// unormSixths returns n/whole, linear: endpoints are interpolated before sRGB is decoded.
func (b *Blocks) unormSixths(n, whole uint16) float32 {
	switch {
	case !b.srgb:
		return float32(n) / float32(whole)
	case whole == 6*31:
		return srgbOf186[n]
	}
	return srgbOf378[n]
}

// decodeBC45 decodes BC4 and BC5, one and two channels (Khronos Data Format §"RGTC Compressed Texture Image
// Formats").
func (b *Blocks) decodeBC45(texels [][4]float32, first int, block []byte) {
	for i := range texels {
		texels[i] = [4]float32{3: 1}
	}
	decodeChannel(texels, R, first, block, b.signed)
	if b.class == bc5 {
		decodeChannel(texels, G, first, block[8:], b.signed)
	}
}

// decodeChannel decodes one 8-byte channel: two endpoints and a 3-bit index per texel. If the first endpoint is
// greater, the palette has six interpolated values; else four, and the extremes. Signed endpoints are compared
// before −128 is clamped to −127.
func decodeChannel(texels [][4]float32, at Channel, first int, block []byte, signed bool) {
	x, y, low, whole := int(block[0]), int(block[1]), 0, 255
	if signed {
		x, y, low, whole = int(int8(block[0])), int(int8(block[1])), -127, 127
	}
	steps := 7
	if x <= y {
		steps = 5
	}
	x, y = max(x, low), max(y, low)
	palette := [8]float32{6: float32(low / 127), 7: 1}
	palette[0], palette[1] = float32(x)/float32(whole), float32(y)/float32(whole)
	for i := 1; i < steps; i++ {
		palette[i+1] = float32((steps-i)*x+i*y) / float32(steps*whole)
	}
	codes := binary.LittleEndian.Uint64(block) >> (16 + 3*first)
	for i := range texels {
		texels[i][at] = palette[codes&7]
		codes >>= 3
	}
}

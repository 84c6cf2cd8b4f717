package format

import "encoding/binary"

// Blocks decodes the blocks of a compressed format, each 4 texels wide and 4
// high. It knows BC1 to BC5.
type Blocks struct {
	Bytes  int // size of a block
	class  bc
	punch  bool // BC1 with alpha: the fourth color of three is transparent
	srgb   bool
	signed bool
}

// bc tells the formats of blocks apart.
type bc uint8

const (
	bc1 bc = 1 + iota
	bc2
	bc3
	bc4
	bc5
)

var blockClasses = map[string]bc{"BC1_RGB": bc1, "BC1_RGBA": bc1, "BC2": bc2, "BC3": bc3, "BC4": bc4, "BC5": bc5}

// Blocks returns how the blocks of the format are decoded; ok is false where it
// has none, or of another sort than BC1 to BC5.
func (i *Info) Blocks() (b Blocks, ok bool) {
	class, ok := blockClasses[i.Class]
	return Blocks{i.Bytes, class, i.Class == "BC1_RGBA", i.Numeric == "SRGB", i.Numeric == "SNORM"}, ok
}

// Decode writes the numbers of a block's texels in the order R, G, B, A, row by
// row; absent ones are 0, and 1 for alpha. Each is the nearest to what the
// formulas of the Khronos Data Format (§"S3TC Compressed Texture Image Formats",
// §"RGTC Compressed Texture Image Formats") yield. The block must hold b.Bytes;
// any bytes are a block.
func (b *Blocks) Decode(texels *[16][4]float32, block []byte) {
	for i := range texels {
		texels[i] = [4]float32{3: 1}
	}
	switch b.class {
	case bc1:
		b.colors(texels, block)
	case bc2:
		b.colors(texels, block[8:])
		alpha := binary.LittleEndian.Uint64(block)
		for i := range texels {
			texels[i][A] = float32(alpha>>(4*i)&15) / 15
		}
	case bc3:
		b.colors(texels, block[8:])
		channel(texels, A, block, false)
	case bc4:
		channel(texels, R, block, b.signed)
	case bc5:
		channel(texels, R, block, b.signed)
		channel(texels, G, block[8:], b.signed)
	}
}

// colors decodes the 8 bytes of two colors and what each texel takes of them.
// Only BC1 knows three colors and black.
func (b *Blocks) colors(texels *[16][4]float32, block []byte) {
	c0, c1 := binary.LittleEndian.Uint16(block), binary.LittleEndian.Uint16(block[2:])
	weights := [4][2]uint16{{6, 0}, {0, 6}, {4, 2}, {2, 4}} // in sixths
	black := b.class == bc1 && c0 <= c1
	if black {
		weights = [4][2]uint16{{6, 0}, {0, 6}, {3, 3}}
	}
	var palette [4][4]float32
	for i, w := range weights {
		p := &palette[i]
		p[R] = b.sixth(w[0]*(c0>>11)+w[1]*(c1>>11), 6*31)
		p[G] = b.sixth(w[0]*(c0>>5&63)+w[1]*(c1>>5&63), 6*63)
		p[B] = b.sixth(w[0]*(c0&31)+w[1]*(c1&31), 6*31)
		p[A] = 1
	}
	if black && b.punch {
		palette[3][A] = 0
	}
	codes := binary.LittleEndian.Uint32(block[4:])
	for i := range texels {
		texels[i] = palette[codes>>(2*i)&3]
	}
}

// sixth returns the linear number of n parts of the whole. Colors are mixed
// before sRGB is undone.
func (b *Blocks) sixth(n, whole uint16) float32 {
	switch {
	case !b.srgb:
		return float32(n) / float32(whole)
	case whole == 6*31:
		return srgbOf186[n]
	}
	return srgbOf378[n]
}

// channel decodes the 8 bytes of two numbers of one channel and what each texel
// takes of them. Signed ends are compared as they stand, and −128 is then −127.
func channel(texels *[16][4]float32, at Channel, block []byte, signed bool) {
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
	var codes uint64
	for i, c := range block[2:8] {
		codes |= uint64(c) << (8 * i)
	}
	for i := range texels {
		texels[i][at] = palette[codes>>(3*i)&7]
	}
}

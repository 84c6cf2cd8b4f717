package format

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// Blocks decodes the blocks of a compressed format: BC1 to BC7, ETC2, EAC, ASTC and
// PVRTC. Any bytes are a block: what an encoding leaves out decodes to the error
// color that the Khronos Data Format has for it.
type Blocks struct {
	Bytes                int        // size of a block, 8 or 16
	Width, Height, Depth int        // texels of a block, 3 to 12 each way; Depth is 1 of flat ones
	Mode                 DecodeMode // of ASTC, DecodeHalf at first
	class                compression
	punch                bool // BC1 and ETC2 with alpha of one bit
	srgb                 bool
	signed               bool
	hdr                  bool // ASTC with floats
}

// MaxBlockTexels is how many texels the greatest block has: ASTC of 6×6×6.
const MaxBlockTexels = 216

// DecodeMode is the format that texels of ASTC pass through; other formats and
// ASTC in sRGB have no choice (VkImageViewASTCDecodeModeEXT).
type DecodeMode uint8

// The modes. Half is what Vulkan requires where nothing is said.
const (
	DecodeHalf     DecodeMode = iota // R16G16B16A16_SFLOAT, rounded toward zero
	DecodeUNorm8                     // R8G8B8A8_UNORM: HDR is the error color
	DecodeExponent                   // E5B9G9R9_UFLOAT_PACK32: alpha is 1
)

// compression tells the formats of blocks apart.
type compression uint8

const (
	bc1 compression = 1 + iota
	bc2
	bc3
	bc4
	bc5
	bc6
	bc7
	etc2
	etc2Alpha
	eac1
	eac2
	astc
	pvrtc1
	pvrtc2
)

var compressions = map[string]compression{"BC1_RGB": bc1, "BC1_RGBA": bc1, "BC2": bc2, "BC3": bc3, "BC4": bc4, "BC5": bc5, "BC6H": bc6, "BC7": bc7,
	"ETC2_RGB": etc2, "ETC2_RGBA": etc2, "ETC2_EAC_RGBA": etc2Alpha, "EAC_R": eac1, "EAC_RG": eac2,
	"PVRTC1_2BPP": pvrtc1, "PVRTC1_4BPP": pvrtc1, "PVRTC2_2BPP": pvrtc2, "PVRTC2_4BPP": pvrtc2}

// Blocks returns how the blocks of the format are decoded; ok is false where it
// has none.
func (i *Info) Blocks() (b Blocks, ok bool) {
	b = Blocks{Bytes: i.Bytes, Width: 4, Height: 4, Depth: 1}
	b.punch = i.Class == "BC1_RGBA" || i.Class == "ETC2_RGBA"
	b.srgb = i.Numeric == "SRGB"
	b.signed = i.Numeric == "SNORM" || i.Numeric == "SFLOAT"
	if strings.HasSuffix(i.Class, "_2BPP") {
		b.Width = 8
	}
	if b.class, ok = compressions[i.Class]; ok {
		return b, true
	}
	size, ok := strings.CutPrefix(i.Class, "ASTC_")
	if !ok {
		return Blocks{}, false
	}
	b.class, b.hdr = astc, i.Numeric == "SFLOAT"
	for k, n := range strings.Split(size, "x") {
		v, _ := strconv.Atoi(n)
		*[]*int{&b.Width, &b.Height, &b.Depth}[k] = v
	}
	return b, true
}

// Texels returns how many texels a block has.
func (b *Blocks) Texels() int { return b.Width * b.Height * b.Depth }

// Decode writes the numbers of a block's texels in the order R, G, B, A, row by
// row and slice by slice; absent ones are 0, and 1 for alpha. sRGB is undone.
// Each number is the nearest to what the Khronos Data Format's formulas yield.
// texels must hold b.Texels(), block b.Bytes. A block of PVRTC is a whole image.
func (b *Blocks) Decode(texels [][4]float32, block []byte) {
	if b.NeedsNeighbors() {
		b.DecodeAt(texels, block[:b.Bytes], 1, 0, 0)
		return
	}
	b.some(texels[:b.Texels()], 0, block)
}

// Texel returns the numbers of one texel of a block, as Decode writes them; x, y
// and z must be below the block's Width, Height and Depth.
func (b *Blocks) Texel(block []byte, x, y, z int) [4]float32 {
	var one [1][4]float32
	if b.NeedsNeighbors() {
		var all [32][4]float32
		b.Decode(all[:], block)
		return all[y*b.Width+x]
	}
	b.some(one[:], (z*b.Height+y)*b.Width+x, block)
	return one[0]
}

// DecodedFormat returns the format of one texel that holds each texel of the blocks
// exactly, and its numbers in the least room: what a copy of an image can be that
// no longer needs to be decoded.
func (b *Blocks) DecodedFormat() string {
	switch b.class {
	case bc7, etc2, etc2Alpha, pvrtc1, pvrtc2:
		if b.srgb {
			return "R8G8B8A8_SRGB"
		}
		return "R8G8B8A8_UNORM"
	case bc4, eac1:
		return "R32_SFLOAT"
	case bc5, eac2:
		return "R32G32_SFLOAT"
	case bc6:
		return "R16G16B16A16_SFLOAT"
	case astc:
		switch {
		case b.srgb:
		case b.Mode == DecodeUNorm8:
			return "R8G8B8A8_UNORM"
		case b.Mode == DecodeExponent:
			return "E5B9G9R9_UFLOAT_PACK32"
		default:
			return "R16G16B16A16_SFLOAT"
		}
	}
	return "R32G32B32A32_SFLOAT"
}

// some writes as many texels as there is room for, from the first on.
func (b *Blocks) some(texels [][4]float32, first int, block []byte) {
	switch b.class {
	case bc1, bc2, bc3:
		b.colors(texels, first, block)
	case bc4, bc5:
		b.channels(texels, first, block)
	case bc6:
		b.floats(texels, first, block)
	case bc7:
		b.ends(texels, first, block)
	case etc2, etc2Alpha:
		b.paint(texels, first, block)
	case eac1, eac2:
		b.eleven(texels, first, block)
	case astc:
		b.weighted(texels, first, block)
	}
}

// bytes writes the numbers of four codes of 8 bits to t. Alpha is never in sRGB.
// It writes them one by one, for an array that is returned is stored in parts and
// read as a whole, which waits for the stores.
func (b *Blocks) bytes(t *[4]float32, red, green, blue, alpha uint8) {
	if b.srgb {
		t[R], t[G], t[B], t[A] = srgbLinear[red], srgbLinear[green], srgbLinear[blue], byteNumber(alpha)
		return
	}
	t[R], t[G], t[B], t[A] = byteNumber(red), byteNumber(green), byteNumber(blue), byteNumber(alpha)
}

// byteNumber returns c/255. The product in 64 bits is so near to it that in 32
// both round alike, for each c, and is the quicker.
func byteNumber(c uint8) float32 { return float32(float64(c) * (1.0 / 255)) }

// halfNumber returns the number of a half float; any NaN is the canonical one.
func halfNumber(h uint16) float32 {
	if e := h & 0x7c00; e != 0 && e != 0x7c00 { // all but zeros, denormals, infinity and NaN
		return math.Float32frombits(uint32(h&0x8000)<<16 | (uint32(h&0x7fff)<<13 + 112<<23))
	}
	return half.widen(uint64(h))
}

// words are the 128 bits of a block, or those that are left of them.
type words struct{ lo, hi uint64 }

// wordsOf reads the bits of a block in little-endian order.
func wordsOf(block []byte) words {
	return words{binary.LittleEndian.Uint64(block), binary.LittleEndian.Uint64(block[8:])}
}

// take returns the lowest n bits and drops them; n is at most 63.
func (w *words) take(n uint8) uint32 {
	v := w.lo & (1<<n - 1)
	w.lo = w.lo>>n | w.hi<<(64-n)
	w.hi >>= n
	return uint32(v)
}

// from returns the bits at i and above, i below 128.
func (w words) from(i int) words {
	if i >= 64 {
		return words{w.hi >> (i - 64), 0}
	}
	return words{w.lo>>i | w.hi<<(64-i), w.hi >> i}
}

// first returns the lowest n bits alone.
func (w words) first(n int) words {
	switch {
	case n >= 128:
		return w
	case n >= 64:
		return words{w.lo, w.hi & (1<<(n-64) - 1)}
	}
	return words{w.lo & (1<<n - 1), 0}
}

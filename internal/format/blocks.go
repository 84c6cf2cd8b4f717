package format

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// Blocks decodes the blocks of a compressed format: BC1 to BC7, ETC2, EAC, ASTC or PVRTC. Any bytes
// are a valid block: reserved encodings decode to the error color of the Khronos Data Format. The zero
// Blocks is invalid; use Info.Blocks.
type Blocks struct {
	Bytes                int        // bytes per block, 8 or 16
	Width, Height, Depth int        // texels per block, 3 to 12 along each axis; Depth is 1 for 2D blocks
	Mode                 DecodeMode // for ASTC; Info.Blocks sets DecodeHalf
	class                compression
	punchThrough         bool // one-bit alpha: of BC1 and ETC2
	srgb                 bool
	signed               bool
	hdr                  bool // ASTC SFLOAT
}

// MaxBlockTexels is the number of texels in the greatest block, ASTC 6×6×6.
const MaxBlockTexels = 216

// DecodeMode is the intermediate format of decoded ASTC texels (VkImageViewASTCDecodeModeEXT). It has no effect
// on ASTC in sRGB and on other formats.
type DecodeMode uint8

// The modes. DecodeHalf is Vulkan's default.
const (
	DecodeHalf     DecodeMode = iota // R16G16B16A16_SFLOAT, rounded towards zero
	DecodeUNorm8                     // R8G8B8A8_UNORM; HDR blocks decode to the error color
	DecodeExponent                   // E5B9G9R9_UFLOAT_PACK32; alpha is 1
)

// compression is a family of block encodings.
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

// compressions maps format classes to encodings; ASTC classes carry their block size and are parsed.
var compressions = map[string]compression{"BC1_RGB": bc1, "BC1_RGBA": bc1, "BC2": bc2, "BC3": bc3, "BC4": bc4, "BC5": bc5, "BC6H": bc6, "BC7": bc7,
	"ETC2_RGB": etc2, "ETC2_RGBA": etc2, "ETC2_EAC_RGBA": etc2Alpha, "EAC_R": eac1, "EAC_RG": eac2,
	"PVRTC1_2BPP": pvrtc1, "PVRTC1_4BPP": pvrtc1, "PVRTC2_2BPP": pvrtc2, "PVRTC2_4BPP": pvrtc2}

// Blocks returns the decoder of the format's blocks; ok is false if it is not compressed.
func (i *Info) Blocks() (b Blocks, ok bool) {
	b = Blocks{Bytes: i.Bytes, Width: 4, Height: 4, Depth: 1}
	b.punchThrough = i.Class == "BC1_RGBA" || i.Class == "ETC2_RGBA"
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

// Texels returns the number of texels in a block.
func (b *Blocks) Texels() int { return b.Width * b.Height * b.Depth }

// Decode decodes a block to linear values R, G, B, A, row by row and slice by slice; absent
// channels are 0, alpha 1. Each value is the float nearest to the result of the Khronos Data Format's formulas.
// texels must have at least b.Texels() elements, block b.Bytes. A block of PVRTC is decoded as an
// image of its own.
func (b *Blocks) Decode(texels [][4]float32, block []byte) {
	if b.NeedsNeighbors() {
		b.DecodeAt(texels, block[:b.Bytes], 1, 0, 0)
		return
	}
	b.decodeTexels(texels[:b.Texels()], 0, block)
}

// Texel decodes one texel of a block; x, y and z must be less than the block's Width, Height and Depth.
func (b *Blocks) Texel(block []byte, x, y, z int) [4]float32 {
	var one [1][4]float32
	if b.NeedsNeighbors() {
		var all [32][4]float32
		b.Decode(all[:], block)
		return all[y*b.Width+x]
	}
	b.decodeTexels(one[:], (z*b.Height+y)*b.Width+x, block)
	return one[0]
}

// DecodedFormat returns a small uncompressed format that represents each decoded texel exactly: the format of a decoded copy of an
// image. The name lacks VK_FORMAT_; StoredByName knows it.
func (b *Blocks) DecodedFormat() string {
	switch b.class {
	case bc7, etc2, etc2Alpha, pvrtc1, pvrtc2:
		if b.srgb {
			return "R8G8B8A8_SRGB"
		}
		return "R8G8B8A8_UNORM"
	case bc1, bc2:
		if !b.srgb {
			return storedInfos[0].Name
		}
	case bc3:
		if !b.srgb {
			return storedInfos[1].Name
		}
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

// decodeTexels decodes len(texels) consecutive texels of a block, from index first on.
func (b *Blocks) decodeTexels(texels [][4]float32, first int, block []byte) {
	switch b.class {
	case bc1, bc2, bc3:
		b.decodeBC123(texels, first, block)
	case bc4, bc5:
		b.decodeBC45(texels, first, block)
	case bc6:
		b.decodeBC6H(texels, first, block)
	case bc7:
		b.decodeBC7(texels, first, block)
	case etc2, etc2Alpha:
		b.decodeETC2(texels, first, block)
	case eac1, eac2:
		b.decodeEAC(texels, first, block)
	case astc:
		b.decodeASTC(texels, first, block)
	}
}

// setBytes sets a texel to 8-bit channels; alpha is never sRGB. It assigns the channels one by one: a
// returned array would be stored in parts and loaded as a whole, which defeats store forwarding.
func (b *Blocks) setBytes(t *[4]float32, red, green, blue, alpha uint8) {
	if b.srgb {
		t[R], t[G], t[B], t[A] = srgbLinear[red], srgbLinear[green], srgbLinear[blue], unorm8(alpha)
		return
	}
	t[R], t[G], t[B], t[A] = unorm8(red), unorm8(green), unorm8(blue), unorm8(alpha)
}

// unorm8 returns c/255. The float64 product with the reciprocal rounds to the same float32 as the quotient for
// every c, and is faster.
func unorm8(c uint8) float32 { return float32(float64(c) * (1.0 / 255)) }

// halfToFloat converts the bits of a half float; any NaN becomes the canonical one.
func halfToFloat(h uint16) float32 {
	if e := h & 0x7c00; e != 0 && e != 0x7c00 { // normal numbers: rebias the exponent
		return math.Float32frombits(uint32(h&0x8000)<<16 | (uint32(h&0x7fff)<<13 + 112<<23))
	}
	return half.toFloat32(uint64(h))
}

// bits128 is a block as a bit stream, lowest bit first.
type bits128 struct{ lo, hi uint64 }

// bits128Of returns the bits of a 16-byte block, little-endian.
func bits128Of(block []byte) bits128 {
	return bits128{binary.LittleEndian.Uint64(block), binary.LittleEndian.Uint64(block[8:])}
}

// read removes and returns the lowest n bits, n ≤ 63.
func (w *bits128) read(n uint8) uint32 {
	v := w.lo & (1<<n - 1)
	w.lo = w.lo>>n | w.hi<<(64-n)
	w.hi >>= n
	return uint32(v)
}

// from returns the bits shifted right by i < 128.
func (w bits128) from(i int) bits128 {
	if i >= 64 {
		return bits128{w.hi >> (i - 64), 0}
	}
	return bits128{w.lo>>i | w.hi<<(64-i), w.hi >> i}
}

// low returns the lowest n bits, all others 0.
func (w bits128) low(n int) bits128 {
	switch {
	case n >= 128:
		return w
	case n >= 64:
		return bits128{w.lo, w.hi & (1<<(n-64) - 1)}
	}
	return bits128{w.lo & (1<<n - 1), 0}
}

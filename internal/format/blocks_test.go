package format

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestBlocksOfEveryFormat demands that each compressed format has blocks, and that
// nothing else has.
func TestBlocksOfEveryFormat(t *testing.T) {
	known := 0
	for i := range infos {
		info := &infos[i]
		b, ok := info.Blocks()
		if want := info.Compressed; ok != want {
			t.Errorf("%s: %t", info.Name, ok)
			continue
		}
		if !ok {
			continue
		}
		known++
		if b.Bytes != info.Bytes || b.Texels() != b.Width*b.Height*b.Depth || b.Texels() > MaxBlockTexels {
			t.Errorf("%s: %+v", info.Name, b)
		}
	}
	if known != 16+10+24*3+8 {
		t.Errorf("%d formats in blocks", known)
	}
	for name, want := range map[string][3]int{"BC7_SRGB_BLOCK": {4, 4, 1}, "ETC2_R8G8B8_UNORM_BLOCK": {4, 4, 1}, "ASTC_12x10_SRGB_BLOCK": {12, 10, 1}, "ASTC_6x5x5_SFLOAT_BLOCK_EXT": {6, 5, 5},
		"PVRTC1_2BPP_UNORM_BLOCK_IMG": {8, 4, 1}, "PVRTC2_4BPP_SRGB_BLOCK_IMG": {4, 4, 1}} {
		if b := blocksOf(t, name); [3]int{b.Width, b.Height, b.Depth} != want {
			t.Errorf("%s: %d by %d by %d", name, b.Width, b.Height, b.Depth)
		}
	}
}

func TestByteNumber(t *testing.T) {
	for c := range 256 {
		if got, want := unorm8(uint8(c)), float32(c)/255; got != want {
			t.Errorf("%d: %v; want %v", c, got, want)
		}
	}
}

// everyBlock decodes the bytes in every format, and each texel alone.
func everyBlock(t *testing.T, data []byte, at int) {
	block := make([]byte, 16)
	copy(block, data)
	texels := make([][4]float32, MaxBlockTexels)
	for i := range infos {
		b, ok := infos[i].Blocks()
		if !ok {
			continue
		}
		for b.Mode = DecodeHalf; b.Mode <= DecodeExponent; b.Mode++ {
			b.Decode(texels, block[:b.Bytes])
			n := at % b.Texels()
			got := b.Texel(block[:b.Bytes], n%b.Width, n/b.Width%b.Height, n/b.Width/b.Height)
			for ch, v := range got {
				if v != texels[n][ch] && (v == v || texels[n][ch] == texels[n][ch]) {
					t.Fatalf("%s % x: texel %d is %v alone, %v in the block", infos[i].Name, block, n, got, texels[n])
				}
			}
			if b.class != astc {
				break
			}
		}
	}
}

func TestTexelOfABlock(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		block := make([]byte, 16)
		for i := range block {
			block[i] = byte(r.Uint32())
		}
		everyBlock(t, block, r.IntN(1<<20))
	}
}

// TestPlain stores the texels of blocks in the format that holds them and reads
// them again.
func TestPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for i := range infos {
		b, ok := infos[i].Blocks()
		for b.Mode = DecodeHalf; ok && b.Mode <= DecodeExponent; b.Mode++ {
			f := StoredByName(b.DecodedFormat()).Texel()
			c, _ := f.Codec(Color)
			if c.Sampled != Float {
				t.Fatalf("%s is plain as %s", infos[i].Name, b.DecodedFormat())
			}
			texels, texel := make([][4]float32, b.Texels()), make([]byte, c.Bytes)
			for range 25 {
				block := make([]byte, 16)
				for j := range block {
					block[j] = byte(r.Uint32())
				}
				b.Decode(texels, block[:b.Bytes])
				for _, v := range texels {
					var n [4]uint64
					for ch := range v {
						n[ch] = uint64(math.Float32bits(v[ch]))
					}
					c.Store(texel, n)
					if got := c.Load(texel); got != n {
						t.Fatalf("%s mode %d % x: %v is %#x in %s; want %#x", infos[i].Name, b.Mode, block, v, got, b.DecodedFormat(), n)
					}
				}
			}
		}
	}
}

func FuzzBlocks(f *testing.F) {
	f.Add([]byte{0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0x3c, 0, 0x3c, 0, 0x3c, 0, 0x3c}, 0)
	f.Add([]byte{0x42, 0, 0, 0, 0xfe, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x27}, 5)
	f.Add([]byte{0x80}, 15)
	f.Fuzz(func(t *testing.T, data []byte, at int) { everyBlock(t, data, max(at, 0)) })
}

func TestBlocksAllocateNothing(t *testing.T) {
	var texels [MaxBlockTexels][4]float32
	block := []byte{0x42, 0x10, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	for i := range infos {
		b, ok := infos[i].Blocks()
		if !ok {
			continue
		}
		if n := testing.AllocsPerRun(10, func() {
			b.Decode(texels[:], block[:b.Bytes])
			texels[0] = b.Texel(block[:b.Bytes], 1, 1, 0)
		}); n != 0 {
			t.Errorf("%s: %v allocations", infos[i].Name, n)
		}
	}
}

// BenchmarkBlocks decodes whole blocks, and single texels.
func BenchmarkBlocks(b *testing.B) {
	for _, name := range []string{"BC1_RGB_UNORM_BLOCK", "BC3_SRGB_BLOCK", "BC5_SNORM_BLOCK", "BC6H_UFLOAT_BLOCK", "BC7_UNORM_BLOCK", "ETC2_R8G8B8_UNORM_BLOCK", "ETC2_R8G8B8A8_SRGB_BLOCK",
		"EAC_R11G11_UNORM_BLOCK", "ASTC_4x4_UNORM_BLOCK", "ASTC_8x8_SRGB_BLOCK", "ASTC_12x12_SFLOAT_BLOCK", "ASTC_6x6x6_UNORM_BLOCK_EXT"} {
		k := blocksOf(b, name)
		r := rand.New(rand.NewPCG(6, 6))
		var blocks [64][]byte
		for i := range blocks {
			blocks[i] = make([]byte, 16)
			for j := range blocks[i] {
				blocks[i][j] = byte(r.Uint32())
			}
		}
		if k.class == astc {
			copy(blocks[:], astcBlocks(r, k, len(blocks)))
		}
		var texels [MaxBlockTexels][4]float32
		b.Run("Block/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				k.Decode(texels[:], blocks[i&63])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(k.Texels()), "ns/texel")
		})
		b.Run("Texel/"+name, func(b *testing.B) {
			for i := range b.N {
				texels[0] = k.Texel(blocks[i&63], i&1, i>>1&1, 0)
			}
		})
	}
}

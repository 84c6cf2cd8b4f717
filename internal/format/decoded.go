package format

// The texels of decoded blocks may have a format without a number in Vulkan: [Blocks.DecodedFormat] names it, and [Stored] and
// [StoredByName] find it. Applications cannot, because [ByID] and [InfoByName] do not.
//
// A color of BC1 to BC3 is a multiple of a fraction, for endpoints of n bits and weights in sixths of 1/(6·(2ⁿ−1)). So a texel
// keeps the multiples, not floats of four times the size:
//
//	BC1_DECODED, BC2   bits 0–7 red in 186ths   8–15 blue   16–24 green in 378ths   25–31 alpha in 15ths
//	BC3_DECODED        the same colors          32–47 alpha in 8925ths: sevenths and fifths of 255ths

// firstStored is the number of the first such format. The numbers of VkFormat have 31 bits.
const firstStored = 1 << 31

// storedInfos are the formats in order of their numbers.
var storedInfos = [...]Info{
	{ID: firstStored, Name: "BC1_DECODED", Components: "RGBA", Numeric: "UNORM", Aspects: Color, Bytes: 4},
	{ID: firstStored + 1, Name: "BC3_DECODED", Components: "RGBA", Numeric: "UNORM", Aspects: Color, Bytes: 8},
}

// storedTexels are their layouts.
var storedTexels = [len(storedInfos)]Format{
	{Name: storedInfos[0].Name, Bytes: 4, Packed: true, word: 32, n: 4, comps: [8]Component{0: red186, 1: green378, 2: blue186,
		3: {Channel: A, Numeric: UNorm, Bits: 7, Shift: 25, One: 15}}},
	{Name: storedInfos[1].Name, Bytes: 8, Packed: true, word: 32, n: 4, comps: [8]Component{0: red186, 1: green378, 2: blue186,
		3: {Channel: A, Numeric: UNorm, Bits: 16, Shift: 32, One: 7 * 5 * 255}}},
}

// The components of colors with endpoints of five and six bits.
var (
	red186   = Component{Channel: R, Numeric: UNorm, Bits: 8, One: 6 * 31}
	blue186  = Component{Channel: B, Numeric: UNorm, Bits: 8, Shift: 8, One: 6 * 31}
	green378 = Component{Channel: G, Numeric: UNorm, Bits: 9, Shift: 16, One: 6 * 63}
)

// Stored is ByID for the formats of texels in memory, decoded ones too.
func Stored(id uint32) *Info {
	if i := id - firstStored; id >= firstStored && i < uint32(len(storedInfos)) {
		return &storedInfos[i]
	}
	return ByID(id)
}

// StoredByName is InfoByName for the formats of texels in memory.
func StoredByName(name string) *Info {
	for i := range storedInfos {
		if storedInfos[i].Name == name {
			return &storedInfos[i]
		}
	}
	return InfoByName(name)
}

// one returns the code of 1 in a component of fixed point without sign.
func (c Component) one() uint64 {
	if c.One != 0 {
		return uint64(c.One)
	}
	return c.mask()
}

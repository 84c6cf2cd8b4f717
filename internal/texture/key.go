package texture

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Swizzle is where a component of a view comes from (VkComponentSwizzle).
type Swizzle uint8

// The swizzles.
const (
	Identity Swizzle = iota
	Zero
	One
	Red
	Green
	Blue
	Alpha
	numSwizzles
)

// viewKey is all of a view that its code depends on. The zero viewKey is that of
// the null descriptor.
type viewKey struct {
	format  uint32 // VkFormat of what stands in memory
	dim     ir.Dim
	arrayed bool
	samples uint8 // log2
	levels  bool  // it has more than one
	corner  bool  // its texels lie on corners
	swizzle [4]Swizzle
	conversion
}

// word packs the key; it is never 0 but for the zero key.
func (k viewKey) word() uint64 {
	w := uint64(k.format) | uint64(k.dim)<<32 | uint64(k.samples)<<36
	if k.arrayed {
		w |= 1 << 40
	}
	if k.levels {
		w |= 1 << 41
	}
	if k.corner {
		w |= 1 << 61
	}
	for i, s := range k.swizzle {
		w |= uint64(s) << (42 + 3*i)
	}
	return w | k.conversion.word()<<54
}

// texel returns the format of what stands in memory.
func (k viewKey) texel() format.Format {
	f, _ := format.ByName(format.ByID(k.format).Name)
	return f
}

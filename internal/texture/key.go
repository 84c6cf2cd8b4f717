package texture

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// viewKey is the part of a view on which generated code depends. The zero viewKey is the null descriptor's.
type viewKey struct {
	format  uint32 // VkFormat of the texels in memory
	dim     ir.Dim
	arrayed bool
	samples uint8 // log₂ of the samples
	levels  bool  // more than one level
	corner  bool  // corner-sampled
	zeroed  bool  // see View.ZeroAlpha
	sparse  bool  // some blocks may have no memory: see Residency
	swizzle [4]enum.Swizzle
	conversion
}

// word packs the key into 64 bits; it is 0 for the zero key alone. Programs compare it with the word in a view's
// shape. The bits, from the lowest:
//
//	 0–31  format      32–35  dim         36–39  log₂ samples   40  arrayed   41  more than one level
//	42–53  swizzle, 3 bits each           54–60  conversion     61  corner-sampled
//	62  alpha is 0 outside the view       63  sparse
func (k viewKey) word() uint64 {
	w := uint64(k.format) | uint64(k.dim)<<(32+ir.ShapeDim) | uint64(k.samples)<<36
	if k.arrayed {
		w |= 1 << (32 + ir.ShapeArrayed)
	}
	if k.levels {
		w |= 1 << 41
	}
	if k.corner {
		w |= 1 << 61
	}
	if k.zeroed {
		w |= 1 << 62
	}
	if k.sparse {
		w |= 1 << 63
	}
	for i, s := range k.swizzle {
		w |= uint64(s) << (42 + 3*i)
	}
	return w | k.conversion.word()<<54
}

// texel returns the format of the texels in memory.
func (k viewKey) texel() format.Format {
	if f := format.Stored(k.format).Texel(); f != nil {
		return *f
	}
	return format.Format{}
}

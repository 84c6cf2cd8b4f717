package texture

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Orders of channels, as OpenCL and SPIR-V number them (Image Channel Order).
const (
	orderR     = 0
	orderA     = 1
	orderRG    = 2
	orderRGB   = 4
	orderRGBA  = 5
	orderBGRA  = 6
	orderDepth = 13
	orderBoth  = 14 // depth and stencil
	orderSRGB  = 15
	orderSRGBA = 17
	orderSBGRA = 18
	orderABGR  = 19
)

// channelOrder returns the order of the channels of a format.
func channelOrder(f *format.Format) int {
	first, n := f.Components()[0], len(f.Components())
	srgb := first.Numeric == format.SRGB
	pick := func(linear, encoded int) int {
		if srgb {
			return encoded
		}
		return linear
	}
	switch {
	case f.Has(format.D) && f.Has(format.S):
		return orderBoth
	case f.IsDepthStencil():
		return orderDepth
	case n == 1 && first.Channel == format.A:
		return orderA
	case n == 1:
		return orderR
	case n == 2:
		return orderRG
	case n == 3 || f.Has(format.E):
		return pick(orderRGB, orderSRGB)
	case first.Channel == format.B:
		return pick(orderBGRA, orderSBGRA)
	case first.Channel == format.A && f.Packed:
		return orderABGR
	}
	return pick(orderRGBA, orderSRGBA)
}

// Types of channels, as SPIR-V numbers them (Image Channel Data Type).
const (
	channelSNorm8       = 0
	channelUNorm8       = 2
	channelUNorm565     = 4
	channelUNorm555     = 5
	channelUNorm101010  = 6
	channelHalf         = 13
	channelFloat        = 14
	channelUNorm24      = 15
	channelUNorm1010102 = 16
)

// channelType returns the type of the channels of a format; of one that OpenCL does not have, a type of the same kind.
func channelType(f *format.Format) int {
	c := f.Components()[0]
	width := slices.Index([]int{8, 16, 32}, c.Bits)
	if c.One != 0 { // decoded blocks
		return channelFloat
	}
	switch c.Numeric {
	case format.SNorm, format.SScaled:
		return channelSNorm8 + min(max(width, 0), 1)
	case format.UInt:
		return ir.ChannelUnsignedInt8 + max(width, 0)
	case format.SInt:
		return ir.ChannelSignedInt8 + max(width, 0)
	case format.UNorm, format.SRGB, format.UScaled:
		return unormType(f, width)
	case format.SFloat:
		if c.Bits == 16 {
			return channelHalf
		}
	}
	return channelFloat
}

// unormType returns the type of normalized channels without a sign, the widths of which are 8, 16, 32 bits or others.
func unormType(f *format.Format, width int) int {
	c := f.Components()
	has := func(n, bits int) bool { return len(c) > n && c[n].Bits == bits }
	switch {
	case has(1, 6) && has(2, 5):
		return channelUNorm565
	case has(1, 5) && has(2, 5):
		return channelUNorm555
	case has(1, 10) && has(2, 10) && len(c) == 4 && f.Has(format.A):
		return channelUNorm1010102
	case has(1, 10) && has(2, 10):
		return channelUNorm101010
	case has(0, 24) || has(1, 24):
		return channelUNorm24
	}
	return channelUNorm8 + min(max(width, 0), 1)
}

package format

import (
	"encoding/binary"
	"math"
)

// Raw returns the bits of the component in a texel, at the low end. texel must be a whole texel.
func (c Component) Raw(texel []byte) uint64 {
	var b [9]byte
	copy(b[:], texel[c.Shift/8:])
	v := binary.LittleEndian.Uint64(b[:]) >> (c.Shift % 8)
	if c.Shift%8 != 0 {
		v |= uint64(b[8]) << (64 - c.Shift%8)
	}
	return v & c.mask()
}

// SetRaw stores the low bits of v as the component and leaves all other bits unchanged.
func (c Component) SetRaw(texel []byte, v uint64) {
	for i := 0; i < c.Bits; {
		at, low := (c.Shift+i)/8, (c.Shift+i)%8
		n := min(8-low, c.Bits-i)
		m := byte(1<<n-1) << low
		texel[at] = texel[at]&^m | byte(v>>i)<<low&m
		i += n
	}
}

// mask returns c.Bits ones.
func (c Component) mask() uint64 { return ^uint64(0) >> (64 - c.Bits) }

// Value returns the value of raw bits. Integers of more than 53 bits are rounded; a shared exponent is not
// applied.
func (c Component) Value(raw uint64) float64 {
	signed := int64(raw<<(64-c.Bits)) >> (64 - c.Bits)
	switch c.Numeric {
	case UNorm:
		return float64(raw) / float64(c.one())
	case SNorm:
		return max(float64(signed)/float64(c.mask()>>1), -1)
	case SRGB:
		return srgbToLinear(float64(raw) / float64(c.mask()))
	case SScaled, SInt:
		return float64(signed)
	case SFixed5:
		return float64(signed) / 32
	}
	if m, ok := c.smallFloat(); ok {
		return float64(m.toFloat32(raw))
	}
	switch {
	case c.Numeric == SFloat && c.Bits == 32:
		return float64(math.Float32frombits(uint32(raw)))
	case c.Numeric == SFloat:
		return math.Float64frombits(raw)
	}
	return float64(raw)
}

// Convert returns the bits for a value v: clamped to the component's range and rounded to nearest, ties to even;
// NaN becomes 0 in fixed point (Vulkan §"Conversion from Floating-Point to Normalized Fixed-Point").
func (c Component) Convert(v float64) uint64 {
	switch c.Numeric {
	case UNorm:
		return roundClamped(v*float64(c.one()), 0, float64(c.one()))
	case SRGB:
		return roundClamped(linearToSRGB(v)*float64(c.mask()), 0, float64(c.mask()))
	case SNorm:
		top := float64(c.mask() >> 1)
		return roundClamped(v*top, -top, top) & c.mask()
	case UScaled, UInt:
		return roundClamped(v, 0, float64(c.mask()))
	case SScaled, SInt:
		top := float64(c.mask() >> 1)
		return roundClamped(v, -top-1, top) & c.mask()
	case SFixed5:
		top := float64(c.mask() >> 1)
		return roundClamped(v*32, -top-1, top) & c.mask()
	}
	if m, ok := c.smallFloat(); ok {
		return m.fromFloat64(v)
	}
	switch {
	case c.Numeric == SFloat && c.Bits == 32:
		return uint64(math.Float32bits(float32(v)))
	case c.Numeric == SFloat:
		return math.Float64bits(v)
	}
	return 0
}

// roundClamped rounds v, clamps it to [lo, hi] and returns it in two's complement; NaN becomes 0.
func roundClamped(v, lo, hi float64) uint64 {
	v = math.RoundToEven(v)
	switch {
	case !(v > lo): // NaN too
		if math.IsNaN(v) {
			return 0
		}
		return uint64(int64(lo))
	case v >= hi && hi >= 1<<63:
		return math.MaxUint64 >> (64 - int(math.Log2(hi)))
	case v > hi:
		v = hi
	}
	if v >= 1<<63 {
		return uint64(v)
	}
	return uint64(int64(v))
}

// srgbToLinear is the sRGB EOTF (Khronos Data Format §13.3).
func srgbToLinear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// linearToSRGB is the inverse of srgbToLinear, clamped to [0, 1].
func linearToSRGB(v float64) float64 {
	switch {
	case !(v > 0):
		return 0
	case v <= 0.0031308:
		return v * 12.92
	}
	return float64(1.055*math.Pow(min(v, 1), 1/2.4)) - 0.055 // not fused, on any machine
}

// Texel returns the values of R, G, B and A as a load without a sampler does: absent color channels are 0,
// absent alpha is 1, depth or stencil is the first value. texel must have f.Bytes bytes.
func (f *Format) Texel(texel []byte) [4]float64 {
	v := [4]float64{3: 1}
	scale := 1.0
	for _, c := range f.Components() {
		raw := c.Raw(texel)
		switch c.Channel {
		case R, G, B, A:
			v[c.Channel] = c.Value(raw)
		case D:
			v[0] = c.Value(raw)
		case S:
			if !f.Has(D) {
				v[0] = c.Value(raw)
			}
		case E:
			scale = math.Ldexp(1, int(raw)-sharedBias-sharedMantissa)
		}
	}
	if f.Has(E) { // the mantissas have no implicit bit (Vulkan §"Shared Exponent")
		for _, c := range f.Components() {
			if c.Channel <= B {
				v[c.Channel] = float64(c.Raw(texel)) * scale
			}
		}
	}
	return v
}

// The parameters of E5B9G9R9_UFLOAT_PACK32.
const (
	sharedBias     = 15
	sharedMantissa = 9
)

// SetTexel stores the values R, G, B and A; depth or stencil is the first value. Padding becomes 0. texel must have
// f.Bytes bytes.
func (f *Format) SetTexel(texel []byte, v [4]float64) {
	if f.Has(E) {
		binary.LittleEndian.PutUint32(texel, packSharedExponent(v))
		return
	}
	for _, c := range f.Components() {
		switch c.Channel {
		case R, G, B, A:
			c.SetRaw(texel, c.Convert(v[c.Channel]))
		case D:
			c.SetRaw(texel, c.Convert(v[0]))
		case S:
			if !f.Has(D) {
				c.SetRaw(texel, c.Convert(v[0]))
			}
		default:
			c.SetRaw(texel, 0)
		}
	}
}

// packSharedExponent encodes three values with one exponent (Vulkan §"Shared Exponent").
func packSharedExponent(v [4]float64) uint32 {
	const top = float64(1<<sharedMantissa-1) / (1 << sharedMantissa) * (1 << (31 - sharedBias))
	var c [3]float64
	for i := range c {
		if v[i] > 0 {
			c[i] = min(v[i], top)
		}
	}
	most := max(c[0], c[1], c[2])
	exp := max(-sharedBias-1, int(math.Float64bits(most)>>52)-1023) + 1 + sharedBias
	if roundHalfUp(most*exp2(sharedBias+sharedMantissa-exp)) == 1<<sharedMantissa {
		exp++
	}
	scale := exp2(sharedBias + sharedMantissa - exp)
	word := uint32(exp) << 27
	for i := range c {
		word |= roundHalfUp(c[i]*scale) << (sharedMantissa * i)
	}
	return word
}

// exp2 returns 2^e, −1022 ≤ e ≤ 1023.
func exp2(e int) float64 { return math.Float64frombits(uint64(e+1023) << 52) }

// roundHalfUp rounds v ≥ 0 to the nearest integer, ties up. The conversion forbids that a compiler fuses the caller's product with
// the difference.
func roundHalfUp(v float64) uint32 {
	n := uint32(v)
	if float64(v)-float64(n) >= 0.5 {
		n++
	}
	return n
}

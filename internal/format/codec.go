package format

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Codec reads and writes the texels of a format as shaders see them: four
// numbers of the Sampled type, exactly. It is made once for many texels, and
// reading or writing one allocates nothing.
type Codec struct {
	Sampled Sampled
	Wide    bool // the numbers have 64 bits, else 32
	Bytes   int  // size of a texel
	shared  bool // one exponent for all
	clear   bool // it has bits that belong to no component
	lanes   [4]lane
}

// lane is how one of the four numbers stands in a texel.
type lane struct {
	numeric Numeric
	float   small   // of SFloat and UFloat below 32 bits
	size    uint8   // bytes of the integer to read, 0 where there is no component
	at      uint8   // its first byte
	shift   uint8   // the component's lowest bit in it
	bits    uint8   // the component's width
	mask    uint64  // as many ones
	top     float32 // what stands for 1 in fixed point
	absent  uint64  // the number where there is no component
}

// Codec returns how the texels of an aspect of f are read and written; ok is
// false where f has no such aspect. Depth and stencil are the first of the four
// numbers. Absent numbers are 0, and 1 for alpha (Vulkan §"Conversion to RGBA").
func (f *Format) Codec(a Aspect) (c Codec, ok bool) {
	c.Bytes = f.Bytes
	for _, k := range f.Components() {
		of, place := Color, int(k.Channel)
		switch k.Channel {
		case D:
			of, place = Depth, 0
		case S:
			of, place = Stencil, 0
		case E:
			c.shared = true
			continue
		case X:
			c.clear = true
			continue
		}
		if of != a {
			continue
		}
		c.lanes[place] = f.lane(k)
		ok = true
		switch k.Numeric {
		case UInt:
			c.Sampled = Uint
		case SInt:
			c.Sampled = Int
		}
		c.Wide = k.Bits == 64
	}
	c.lanes[A].absent = c.one()
	return c, ok
}

// one returns the number 1 as c's texels have it.
func (c *Codec) one() uint64 {
	switch {
	case c.Sampled != Float:
		return 1
	case c.Wide:
		return math.Float64bits(1)
	}
	return uint64(math.Float32bits(1))
}

// lane places a component in the integer that holds it: the packed one, or the
// least of 1, 2, 4 or 8 bytes.
func (f *Format) lane(c Component) lane {
	width := f.word
	if !f.Packed {
		width = max(8, 1<<bits.Len(uint(c.Bits-1)))
	}
	l := lane{numeric: c.Numeric, size: uint8(width / 8), at: uint8(c.Shift / width * (width / 8)), shift: uint8(c.Shift % width), bits: uint8(c.Bits), mask: c.mask()}
	if !f.Packed {
		l.at, l.shift = uint8(c.Shift/8), 0
	}
	switch c.Numeric {
	case UNorm, SRGB:
		l.top = float32(c.mask())
	case SNorm:
		l.top = float32(c.mask() >> 1)
	}
	l.float, _ = c.small()
	return l
}

// Load returns the numbers of a texel in the order R, G, B, A: the bits of a
// float, a signed or an unsigned integer as c.Sampled says, 64 where c is Wide,
// else 32 with zeros above. Any NaN of less than 32 bits is the canonical one.
// The texel must hold c.Bytes.
func (c *Codec) Load(texel []byte) (v [4]uint64) {
	if c.shared {
		return loadShared(binary.LittleEndian.Uint32(texel))
	}
	for i := range c.lanes {
		l := &c.lanes[i]
		if l.size == 0 {
			v[i] = l.absent
			continue
		}
		v[i] = l.number(l.word(texel) >> l.shift & l.mask)
	}
	return v
}

// word reads the integer that holds the component.
func (l *lane) word(texel []byte) uint64 {
	b := texel[l.at:]
	switch l.size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// number returns the bits of the number that raw stands for (Vulkan
// §"Conversion From Normalized Fixed-Point to Floating-Point"). The operands of
// the divisions are exact floats, so that each quotient is the nearest.
func (l *lane) number(raw uint64) uint64 {
	signed := int32(raw<<(64-l.bits)>>32) >> (32 - min(l.bits, 32))
	var f float32
	switch l.numeric {
	case UNorm:
		f = float32(int32(raw)) / l.top
	case SRGB:
		f = srgbLinear[uint8(raw)]
	case SNorm:
		f = max(float32(signed)/l.top, -1)
	case UScaled:
		f = float32(int32(raw))
	case SScaled:
		f = float32(signed)
	case SFixed5:
		f = float32(signed) / 32
	case SInt:
		if l.bits == 64 {
			return raw
		}
		return uint64(uint32(signed))
	case UInt:
		return raw
	default:
		if l.bits >= 32 {
			return raw
		}
		f = l.float.widen(raw)
	}
	return uint64(math.Float32bits(f))
}

// Store writes the numbers v, given as Load returns them; those that the format
// has no component for are ignored, and its padding becomes 0. Of depth and
// stencil in one texel only the aspect of c is written. The texel must hold
// c.Bytes.
func (c *Codec) Store(texel []byte, v [4]uint64) {
	if c.shared {
		var f [4]float64
		for i := range f {
			f[i] = float64(math.Float32frombits(uint32(v[i])))
		}
		binary.LittleEndian.PutUint32(texel, shared(f))
		return
	}
	if c.clear {
		clear(texel[:c.Bytes])
	}
	for i := range c.lanes {
		if l := &c.lanes[i]; l.size != 0 {
			l.put(texel, l.pattern(v[i]))
		}
	}
}

// put replaces the component in the integer that holds it.
func (l *lane) put(texel []byte, raw uint64) {
	b := texel[l.at:]
	raw = raw << l.shift
	keep := ^(l.mask << l.shift)
	switch l.size {
	case 1:
		b[0] = b[0]&byte(keep) | byte(raw)
	case 2:
		binary.LittleEndian.PutUint16(b, binary.LittleEndian.Uint16(b)&uint16(keep)|uint16(raw))
	case 4:
		binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)&uint32(keep)|uint32(raw))
	default:
		binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)&keep|raw)
	}
}

// pattern returns the bits that stand for the number n: floats are clamped and
// rounded to nearest, ties to even, NaN is 0 in fixed point (Vulkan §"Conversion
// From Floating-Point to Normalized Fixed-Point"); of integers the low bits are
// kept. The products are exact in 64 bits.
func (l *lane) pattern(n uint64) uint64 {
	f := float64(math.Float32frombits(uint32(n)))
	top := float64(l.top)
	var r float64
	switch l.numeric {
	case UInt, SInt:
		return n & l.mask
	case SRGB:
		return srgbCode(float32(f))
	case UNorm:
		r = within(f*top, 0, top)
	case SNorm:
		r = within(f*top, -top, top)
	case UScaled:
		r = within(f, 0, float64(l.mask))
	case SScaled:
		r = within(f, -float64(l.mask>>1)-1, float64(l.mask>>1))
	case SFixed5:
		r = within(f*32, -float64(l.mask>>1)-1, float64(l.mask>>1))
	default:
		if l.bits >= 32 {
			return n & l.mask
		}
		return l.float.narrow(f)
	}
	return uint64(int32(math.RoundToEven(r))) & l.mask
}

// within clamps v, and makes NaN 0.
func within(v, lo, hi float64) float64 {
	switch {
	case v >= hi:
		return hi
	case v > lo:
		return v
	case v <= lo:
		return lo
	}
	return 0
}

// loadShared reads a texel of E5B9G9R9_UFLOAT_PACK32; each number is exact
// (Vulkan §"Conversion from Shared Exponent").
func loadShared(word uint32) (v [4]uint64) {
	scale := float32(power(int(word>>27) - sharedBias - sharedMantissa))
	for i := range 3 {
		m := float32(word >> (sharedMantissa * i) & (1<<sharedMantissa - 1))
		v[i] = uint64(math.Float32bits(m * scale))
	}
	v[A] = uint64(math.Float32bits(1))
	return v
}

// srgbCode returns the code of 8 bits whose number is nearest to linear in sRGB:
// how many of the bounds between neighbours linear reaches.
func srgbCode(linear float32) uint64 {
	lo, hi := 0, len(srgbBounds)
	for lo < hi {
		if mid := (lo + hi) / 2; linear >= srgbBounds[mid] {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return uint64(lo)
}

// SRGBLinear returns the linear number of each code of sRGB in 8 bits, rounded to
// nearest.
func SRGBLinear() [256]float32 { return srgbLinear }

// SRGBBounds returns the least linear number of each code of sRGB in 8 bits but
// code 0.
func SRGBBounds() [255]float32 { return srgbBounds }

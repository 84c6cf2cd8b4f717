package format

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Codec converts texels to and from the values that shaders see: four components of the Sampled type. It is
// a table, made once per format and aspect; loading and storing allocate nothing.
type Codec struct {
	Sampled Sampled
	Wide    bool // components have 64 bits, else 32
	Bytes   int  // size of a texel
	shared  bool // shared exponent (E5B9G9R9)
	clear   bool // the texel has padding
	fields  [4]field
}

// field is the bit field of one of the four components.
type field struct {
	numeric Numeric
	float   smallFloat // layout of SFloat and UFloat with fewer than 32 bits
	size    uint8      // bytes of the integer that contains it; 0 if the component is absent
	at      uint8      // byte offset of that integer
	shift   uint8      // position of the field's lowest bit in it
	bits    uint8      // width of the field
	mask    uint64     // that many ones
	top     float32    // the code of 1 in fixed point
	absent  uint64     // value of an absent component
	wraps   bool       // integers are truncated: stencil

	codes *[256]uint32 // the values of a fixed-point byte, as the bits of floats; nil of other fields
}

// Codec returns the codec of an aspect of f; ok is false if f lacks the aspect. Depth or stencil is
// component 0. Absent components are 0, alpha 1 (Vulkan §"Conversion to RGBA").
func (f *Format) Codec(a Aspect) (c Codec, ok bool) {
	c.Bytes = f.Bytes
	for _, k := range f.Components() {
		of, index := Color, int(k.Channel)
		switch k.Channel {
		case D:
			of, index = Depth, 0
		case S:
			of, index = Stencil, 0
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
		c.fields[index] = f.fieldOf(k)
		ok = true
		switch k.Numeric {
		case UInt:
			c.Sampled = Uint
		case SInt:
			c.Sampled = Int
		}
		c.Wide = k.Bits == 64
	}
	c.fields[A].absent = c.one()
	return c, ok
}

// one returns the value 1 of c's type.
func (c *Codec) one() uint64 {
	switch {
	case c.Sampled != Float:
		return 1
	case c.Wide:
		return math.Float64bits(1)
	}
	return uint64(math.Float32bits(1))
}

// fieldOf locates a component in the integer that contains it: the packed one, or the smallest aligned one
// of 1, 2, 4 or 8 bytes.
func (f *Format) fieldOf(c Component) field {
	width := f.word
	if !f.Packed {
		width = max(8, 1<<bits.Len(uint(c.Bits-1)))
	}
	l := field{numeric: c.Numeric, size: uint8(width / 8), at: uint8(c.Shift / width * (width / 8)), shift: uint8(c.Shift % width), bits: uint8(c.Bits), mask: c.mask(), wraps: c.Channel == S}
	if !f.Packed {
		l.at, l.shift = uint8(c.Shift/8), 0
	}
	switch c.Numeric {
	case UNorm, SRGB:
		l.top = float32(c.one())
	case SNorm:
		l.top = float32(c.mask() >> 1)
	}
	l.float, _ = c.smallFloat()
	if l.size == 1 && l.bits == 8 {
		switch c.Numeric {
		case UNorm:
			l.codes = &unormCodes
		case SRGB:
			l.codes = &srgbCodes
		}
	}
	return l
}

// The values of the codes of UNorm and SRGB bytes.
var unormCodes, srgbCodes = codesOf(UNorm), codesOf(SRGB)

// codesOf returns the values of the bytes of a numeric format.
func codesOf(n Numeric) (codes [256]uint32) {
	l := field{numeric: n, bits: 8, top: 255}
	for i := range codes {
		codes[i] = uint32(l.decode(uint64(i)))
	}
	return codes
}

// KeepsCodes reports whether Load and then Store leave the bytes of each texel as they are.
func (c *Codec) KeepsCodes() bool {
	for i := range c.fields {
		switch l := &c.fields[i]; {
		case l.size == 0 || l.numeric == UInt || l.numeric == SInt:
		case (l.numeric == UNorm || l.numeric == SRGB) && l.bits <= 16 && l.top == float32(l.mask):
		default:
			return false
		}
	}
	return !c.clear && !c.shared
}

// Load returns the components of a texel in the order R, G, B, A, as the bits of floats or integers by
// c.Sampled: 64 bits if c.Wide, else 32 with zeros above. NaNs of less than 32 bits become the canonical one.
// texel must have at least c.Bytes bytes.
func (c *Codec) Load(texel []byte) (v [4]uint64) {
	if c.shared {
		return unpackSharedExponent(binary.LittleEndian.Uint32(texel))
	}
	for i := range c.fields {
		l := &c.fields[i]
		if l.size == 0 {
			v[i] = l.absent
			continue
		}
		if l.codes != nil {
			v[i] = uint64(l.codes[texel[l.at]])
			continue
		}
		v[i] = l.decode(l.load(texel) >> l.shift & l.mask)
	}
	return v
}

// load reads the integer that contains the field.
func (l *field) load(texel []byte) uint64 {
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

// decode returns the value of a field, as bits (Vulkan §"Conversion From Normalized Fixed-Point to
// Floating-Point"). Both operands of the divisions are exact floats, so that each quotient is correctly
// rounded.
func (l *field) decode(raw uint64) uint64 {
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
		f = l.float.toFloat32(raw)
	}
	return uint64(math.Float32bits(f))
}

// Store writes the components v, represented as Load returns them. Components that the format lacks are
// ignored, padding becomes 0, and in a combined depth-stencil texel only c's aspect is written. texel must have at
// least c.Bytes bytes.
func (c *Codec) Store(texel []byte, v [4]uint64) {
	if c.shared {
		var f [4]float64
		for i := range f {
			f[i] = float64(math.Float32frombits(uint32(v[i])))
		}
		binary.LittleEndian.PutUint32(texel, packSharedExponent(f))
		return
	}
	if c.clear {
		clear(texel[:c.Bytes])
	}
	for i := range c.fields {
		switch l := &c.fields[i]; {
		case l.size == 0:
		case l.codes != nil:
			texel[l.at] = byte(l.encode(v[i]))
		default:
			l.store(texel, l.encode(v[i]))
		}
	}
}

// store replaces the field in the integer that contains it.
func (l *field) store(texel []byte, raw uint64) {
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

// encode returns the field's bits for a value: floats are clamped and rounded to nearest, ties to even, and NaN is 0
// in fixed point (Vulkan §"Conversion From Floating-Point to Normalized Fixed-Point"); integers are clamped, but a
// stencil component is truncated to its low bits. The float64 products are exact.
func (l *field) encode(n uint64) uint64 {
	f := float64(math.Float32frombits(uint32(n)))
	top := float64(l.top)
	var r float64
	switch l.numeric {
	case UInt:
		if l.wraps {
			return n & l.mask
		}
		return min(n, l.mask)
	case SInt:
		if l.bits >= 32 {
			return n & l.mask
		}
		top := int32(l.mask >> 1)
		return uint64(min(max(int32(n), -top-1), top)) & l.mask
	case SRGB:
		return srgbCode(float32(f))
	case UNorm:
		r = clampOrZero(f*top, 0, top)
	case SNorm:
		r = clampOrZero(f*top, -top, top)
	case UScaled:
		r = clampOrZero(f, 0, float64(l.mask))
	case SScaled:
		r = clampOrZero(f, -float64(l.mask>>1)-1, float64(l.mask>>1))
	case SFixed5:
		r = clampOrZero(f*32, -float64(l.mask>>1)-1, float64(l.mask>>1))
	default:
		if l.bits >= 32 {
			return n & l.mask
		}
		return l.float.fromFloat64(f)
	}
	return uint64(int32(math.RoundToEven(r))) & l.mask
}

// clampOrZero clamps v to [lo, hi]; NaN becomes 0.
func clampOrZero(v, lo, hi float64) float64 {
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

// unpackSharedExponent decodes an E5B9G9R9_UFLOAT_PACK32 texel, exactly (Vulkan §"Conversion from Shared
// Exponent").
func unpackSharedExponent(word uint32) (v [4]uint64) {
	scale := float32(exp2(int(word>>27) - sharedBias - sharedMantissa))
	for i := range 3 {
		m := float32(word >> (sharedMantissa * i) & (1<<sharedMantissa - 1))
		v[i] = uint64(math.Float32bits(m * scale))
	}
	v[A] = uint64(math.Float32bits(1))
	return v
}

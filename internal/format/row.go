package format

import (
	"encoding/binary"
	"math"
)

// LoadRow decodes texels next to each other: four floats each, as Load returns them. The format must have float components of at
// most 32 bits; len(values) is a multiple of 4, and texels has a texel for each four.
func (c *Codec) LoadRow(values []float32, texels []byte) {
	if c.shared {
		for n := 0; n+4 <= len(values); n += 4 {
			for i, v := range c.Load(texels[n/4*c.Bytes:]) {
				values[n+i] = math.Float32frombits(uint32(v))
			}
		}
		return
	}
	if n := byteGroups(len(values)); n > 0 && c.isBytes() {
		order := c.groupOrder(false)
		loadBytes(&values[0], &texels[:groupBytes*n][0], n, &order)
		values, texels = values[4*groupTexels*n:], texels[groupBytes*n:]
	}
	for i := range c.fields {
		c.fields[i].loadRow(values[min(i, len(values)):], texels, c.Bytes)
	}
}

// The texels of four normalized bytes that vectors decode and encode together.
const (
	groupTexels = 4
	groupBytes  = 4 * groupTexels
)

// byteGroups returns how many whole groups are in a row of n floats; 0 without vectors.
func byteGroups(n int) int {
	if !hasByteRows {
		return 0
	}
	return n / (4 * groupTexels)
}

// isBytes reports whether a texel is four normalized bytes.
func (c *Codec) isBytes() bool {
	for i := range c.fields {
		if l := &c.fields[i]; l.codes == nil || l.numeric != UNorm {
			return false
		}
	}
	return c.Bytes == 4
}

// groupOrder returns the place of each component in the bytes of a group, or, to store, the component of each byte.
func (c *Codec) groupOrder(stores bool) (order [groupBytes]byte) {
	for k := range order {
		texel, l := k&^3, &c.fields[k&3]
		if at := texel + int(l.at); stores {
			order[at] = byte(k)
		} else {
			order[k] = byte(at)
		}
	}
	return order
}

// loadRow decodes a component: every fourth float.
func (l *field) loadRow(values []float32, texels []byte, size int) {
	switch {
	case l.size == 0:
		one := math.Float32frombits(uint32(l.absent))
		for n := 0; n < len(values); n += 4 {
			values[n] = one
		}
	case l.codes != nil:
		at := int(l.at)
		for n := 0; n < len(values); n += 4 {
			values[n] = math.Float32frombits(l.codes[texels[at]])
			at += size
		}
	case l.isHalf():
		for n, at := 0, int(l.at); n < len(values); n += 4 {
			values[n] = fromHalf(binary.LittleEndian.Uint16(texels[at:]))
			at += size
		}
	case l.whole():
		for n, at := 0, int(l.at); n < len(values); n += 4 {
			values[n] = math.Float32frombits(binary.LittleEndian.Uint32(texels[at:]))
			at += size
		}
	default:
		for n := 0; n < len(values); n += 4 {
			values[n] = math.Float32frombits(uint32(l.decode(l.load(texels) >> l.shift & l.mask)))
			if n+4 < len(values) {
				texels = texels[size:]
			}
		}
	}
}

// whole reports whether the component is a 32-bit float.
func (l *field) whole() bool { return l.numeric == SFloat && l.bits == 32 }

// isHalf reports whether the component is a 16-bit float that has an integer of its own.
func (l *field) isHalf() bool { return l.numeric == SFloat && l.bits == 16 && l.size == 2 }

// The bits of floats of 32 bits that have the exponents of normal floats of 16 bits, without their sign.
const (
	halfRebias  = (127 - 15) << 23
	leastNormal = halfRebias + 1<<23
	halfDrop    = 23 - 10
)

// fromHalf is half.toFloat32. Its first case is normal numbers.
func fromHalf(raw uint16) float32 {
	if e := raw & 0x7c00; e != 0 && e != 0x7c00 {
		return math.Float32frombits(uint32(raw&0x8000)<<16 | (uint32(raw&0x7fff)<<halfDrop + halfRebias))
	}
	return half.toFloat32(uint64(raw))
}

// toHalf is half.fromFloat64. Its first case is numbers that stay normal and finite: a carry of the rounding runs into the
// exponent.
func toHalf(v float32) uint16 {
	b := math.Float32bits(v)
	m := b & (1<<31 - 1)
	if m-leastNormal < math.MaxInt16<<halfDrop {
		r := (m - halfRebias + 1<<(halfDrop-1) - 1 + m>>halfDrop&1) >> halfDrop
		if r < 0x7c00 {
			return uint16(b>>16&0x8000) | uint16(r)
		}
	}
	return uint16(half.fromFloat64(float64(v)))
}

// StoreRow encodes texels next to each other, as Store does. The conditions of LoadRow apply.
func (c *Codec) StoreRow(texels []byte, values []float32) {
	if c.shared {
		for n := 0; n+4 <= len(values); n += 4 {
			var v [4]uint64
			for i := range v {
				v[i] = uint64(math.Float32bits(values[n+i]))
			}
			c.Store(texels[n/4*c.Bytes:], v)
		}
		return
	}
	if c.clear {
		clear(texels[:len(values)/4*c.Bytes])
	}
	if n := byteGroups(len(values)); n > 0 && c.isBytes() {
		order := c.groupOrder(true)
		storeBytes(&texels[:groupBytes*n][0], &values[0], n, &order)
		values, texels = values[4*groupTexels*n:], texels[groupBytes*n:]
	}
	for i := range c.fields {
		c.fields[i].storeRow(texels, values[min(i, len(values)):], c.Bytes)
	}
}

// storeRow encodes a component: every fourth float.
func (l *field) storeRow(texels []byte, values []float32, size int) {
	switch {
	case l.size == 0:
	case l.codes != nil && l.numeric == UNorm:
		at := int(l.at)
		for n := 0; n < len(values); n += 4 {
			texels[at] = unormByte(values[n])
			at += size
		}
	case l.codes != nil:
		for n, at := 0, int(l.at); n < len(values); n += 4 {
			texels[at] = byte(srgbCode(values[n]))
			at += size
		}
	case l.isHalf():
		for n, at := 0, int(l.at); n < len(values); n += 4 {
			binary.LittleEndian.PutUint16(texels[at:], toHalf(values[n]))
			at += size
		}
	case l.whole():
		for n, at := 0, int(l.at); n < len(values); n += 4 {
			binary.LittleEndian.PutUint32(texels[at:], math.Float32bits(values[n]))
			at += size
		}
	default:
		for n := 0; n < len(values); n += 4 {
			l.store(texels, l.encode(uint64(math.Float32bits(values[n]))))
			if n+4 < len(values) {
				texels = texels[size:]
			}
		}
	}
}

// unormByte returns the 8-bit code of a value, as encode does. A float64 that is large enough has no bits for fractions: adding it
// rounds to nearest, ties to even.
func unormByte(v float32) byte {
	const integers = 1 << 52
	return byte(math.Float64bits(clampOrZero(float64(v)*255, 0, 255) + integers))
}

package format

import "math"

// Convert returns a value that from has loaded as one that c stores, both of one Sampled type: floats are rounded to the width of
// c's components, integers are clamped to their range.
func (c *Codec) Convert(from *Codec, v [4]uint64) [4]uint64 {
	if c == from || c.Sampled == Float && c.Wide == from.Wide {
		return v
	}
	for i, n := range v {
		switch {
		case c.Sampled != Float:
			v[i] = c.fields[i].clamp(n, from.Wide, c.Sampled == Int)
		case c.Wide:
			v[i] = math.Float64bits(float64(math.Float32frombits(uint32(n))))
		default:
			v[i] = uint64(math.Float32bits(float32(math.Float64frombits(n))))
		}
	}
	return v
}

// clamp returns the integer nearest to n in the range of the field, as Load returns it. n has 64 bits if it is wide, else 32.
func (l *field) clamp(n uint64, wide, signed bool) uint64 {
	if l.size == 0 {
		return n
	}
	if !signed {
		return min(n, l.mask)
	}
	s := int64(n)
	if !wide {
		s = int64(int32(n))
	}
	top := int64(l.mask >> 1)
	s = min(max(s, -top-1), top)
	if l.bits == 64 {
		return uint64(s)
	}
	return uint64(uint32(s))
}

package oracle

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/link"
)

// Logical operations replace blending (Vulkan, "Logical Operations"). Their operands are the integers that components store. They do not apply
// to formats of floats and to sRGB formats.

// maxLogical bounds the pairs of operands of an operation on components with several permitted integers.
const maxLogical = 1 << 12

// mixed stores the color of a fragment in a texel by a logical operation.
func mixed(op enum.LogicOp, a *link.Blend, t *Target, outputs map[slot]Number, location uint32, cells []Number) {
	applies := !slices.ContainsFunc(t.components, func(c format.Component) bool {
		_, ok := fixed(c)
		return c.Numeric == format.SRGB || !ok && !isInteger(c)
	})
	for k, c := range t.components {
		if a.Writes()>>c.Channel&1 == 0 {
			continue
		}
		n, ok := outputs[slot{location, uint32(c.Channel)}]
		if !ok {
			n = Number{Any: true} // undefined
		}
		if n = stored(c, n); applies {
			n = mixedNumber(op, c, n, cells[k])
		}
		cells[k] = n
	}
}

// mixedNumber is a logical operation of the component of a fragment and the stored one.
func mixedNumber(op enum.LogicOp, c format.Component, s, d Number) Number {
	// The number of an operation is its truth table: from the highest bit on its results for the pairs (s, d) of 00, 01, 10 and 11.
	table := uint64(op)
	of := func(s, d uint64) (v uint64) {
		for i, both := range [...]uint64{^s & ^d, ^s & d, s & ^d, s & d} {
			if table>>(3-i)&1 != 0 {
				v |= both
			}
		}
		return v & (1<<c.Bits - 1)
	}
	at := s.At
	if table>>2 == table&3 { // the source has no effect
		s = Number{}
	}
	if table>>1&5 == table&5 { // nor has the stored one
		d = Number{}
	}
	switch {
	case s.Any || d.Any:
		return Number{Any: true, Blended: true, At: at}
	case isInteger(c):
		return Number{Bits: of(s.Bits, d.Bits), At: at}
	case c.Numeric != format.UNorm, (s.High-s.Low+1)*(d.High-d.Low+1) > maxLogical: // the least two integers of SNORM are one number
		return Number{Any: true, Blended: true, At: at}
	}
	out := Number{Low: math.Inf(1), High: math.Inf(-1), Blended: true, At: at}
	for x := s.Low; x <= s.High; x++ {
		for y := d.Low; y <= d.High; y++ {
			v := float64(of(uint64(x), uint64(y)))
			out.Low, out.High = min(out.Low, v), max(out.High, v)
		}
	}
	return out
}

package shade

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// hueSaturationLuminosity returns the function f of the operations on hue, saturation and luminosity, and
// whether the operation is one of them (Vulkan §"Advanced Blend Operations", pseudocode).
func (m *advanced) hueSaturationLuminosity(s, d rgb) (rgb, bool) {
	switch m.ColorOp {
	case enum.BlendOpHslHue:
		return m.setLuminosity(m.setSaturation(s, d), d), true
	case enum.BlendOpHslSaturation:
		return m.setLuminosity(m.setSaturation(d, s), d), true
	case enum.BlendOpHslColor:
		return m.setLuminosity(s, d), true
	case enum.BlendOpHslLuminosity:
		return m.setLuminosity(d, s), true
	}
	return rgb{}, false
}

// least returns the least component of a color (minv3).
func (m *advanced) least(c rgb) ir.V { return m.NMin(m.NMin(c[0], c[1]), c[2]) }

// greatest returns the greatest component of a color (maxv3).
func (m *advanced) greatest(c rgb) ir.V { return m.NMax(m.NMax(c[0], c[1]), c[2]) }

// luminosity returns the luminosity of a color (lumv3).
func (m *advanced) luminosity(c rgb) ir.V {
	return m.FAdd(m.FAdd(m.FMul(c[0], m.Float(0.30)), m.FMul(c[1], m.Float(0.59))), m.FMul(c[2], m.Float(0.11)))
}

// setSaturation returns a color with the saturation of another one, and the least component 0.
func (m *advanced) setSaturation(c, of rgb) rgb {
	low := m.least(c)
	have, want := m.FSub(m.greatest(c), low), m.FSub(m.greatest(of), m.least(of))
	gray := m.atMost(have, m.zero)
	return m.change(c, func(v ir.V) ir.V {
		return m.B.Select(gray, m.zero, m.quotient(m.FMul(m.FSub(v, low), want), have))
	})
}

// setLuminosity returns a color with the luminosity of another one, in the range 0 to 1.
func (m *advanced) setLuminosity(c, of rgb) rgb {
	more := m.FSub(m.luminosity(of), m.luminosity(c))
	return m.clipColor(m.change(c, func(v ir.V) ir.V { return m.FAdd(v, more) }))
}

// clipColor moves the components of a color into the range 0 to 1, toward its luminosity. Both steps take the
// extremes of the color before them. A gray can exceed the range by a rounding error: it becomes its luminosity.
func (m *advanced) clipColor(c rgb) rgb {
	l, low, high := m.luminosity(c), m.least(c), m.greatest(c)
	under, over := m.below(low, m.zero), m.below(m.one, high)
	return m.change(c, func(v ir.V) ir.V {
		v = m.B.Select(under, m.FAdd(l, m.divided(m.FMul(m.FSub(v, l), l), m.FSub(l, low), m.zero)), v)
		return m.B.Select(over, m.FAdd(l, m.divided(m.FMul(m.FSub(v, l), m.less(l)), m.FSub(high, l), m.zero)), v)
	})
}

// change returns a color of a function of each component.
func (m *advanced) change(c rgb, f func(ir.V) ir.V) rgb {
	return rgb{f(c[0]), f(c[1]), f(c[2])}
}

package shade

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// advancedBlend blends by an advanced operation. The operations and their parameters are part of the key, as in
// blended, so that each one is straight-line code. All formulas have a premultiplied result; an attachment that
// is not premultiplied stores it divided by its alpha. Two groups of operations exist:
//
//	weighted    base colors (not premultiplied), a function f, weights by the overlap of the coverages
//	additional  premultiplied colors, one formula per operation
func (s *shader) advancedBlend(k *state.BlendAttachment, src, dst color) (out color) {
	m := advanced{shader: s, BlendAttachment: k, srcA: src[3], dstA: dst[3], zero: s.Float(0), half: s.Float(0.5), one: s.Float(1)}
	if k.ColorOp >= enum.BlendOpPlus {
		out = m.additional(m.premultiplied(src, k.Advanced.SrcStraight), m.premultiplied(dst, k.Advanced.DstStraight))
	} else {
		out = m.weighted(m.base(src, k.Advanced.SrcStraight), m.base(dst, k.Advanced.DstStraight))
	}
	for i := range 3 {
		if k.Advanced.DstStraight {
			out[i] = m.divided(out[i], out[3], out[i])
		}
	}
	for i := range out {
		if k.Advanced.Clamp {
			out[i] = m.unit(out[i])
		}
		out[i] = s.B.Op(ir.FCanon, ir.F32, out[i]) // the attachment shows the bits of a NaN
	}
	return out
}

// base returns the color that is not premultiplied. A premultiplied color with alpha 0 has the base 0.
func (m *advanced) base(c color, straight bool) (out rgb) {
	for i := range out {
		if out[i] = c[i]; !straight {
			out[i] = m.divided(c[i], c[3], m.zero)
		}
	}
	return out
}

// premultiplied returns the color times its alpha.
func (m *advanced) premultiplied(c color, straight bool) (out rgb) {
	for i := range out {
		if out[i] = c[i]; straight {
			out[i] = m.FMul(c[i], c[3])
		}
	}
	return out
}

// weighted returns the result of an operation of the tables f/X/Y/Z and hue, saturation and luminosity:
// f·p₀ + Y·s·p₁ + Z·d·p₂, and alpha X·p₀ + Y·p₁ + Z·p₂.
func (m *advanced) weighted(s, d rgb) (out color) {
	p0, p1, p2 := m.overlap()
	x, y, z := coefficients(m.ColorOp)
	f, ok := m.hueSaturationLuminosity(s, d)
	for i := range s {
		if !ok {
			f[i] = m.f(s[i], d[i])
		}
		out[i] = m.sum(x, m.FMul(f[i], p0), y, m.FMul(s[i], p1), z, m.FMul(d[i], p2))
	}
	out[3] = m.sum(x, p0, y, p1, z, p2)
	return out
}

// sum adds those terms that have a coefficient of 1. A function f is 0 where X is 0.
func (m *advanced) sum(x bool, p ir.V, y bool, q ir.V, z bool, r ir.V) ir.V {
	total := ir.V(0)
	for i, on := range [...]bool{x, y, z} {
		switch term := [...]ir.V{p, q, r}[i]; {
		case !on:
		case total == 0:
			total = term
		default:
			total = m.FAdd(total, term)
		}
	}
	if total == 0 {
		return m.zero
	}
	return total
}

// overlap returns the weights p₀, p₁ and p₂: the parts of the pixel that both colors cover, only the source,
// and only the destination.
func (m *advanced) overlap() (p0, p1, p2 ir.V) {
	s, d := m.srcA, m.dstA
	switch m.Advanced.Overlap {
	case state.OverlapConjoint:
		return m.NMin(s, d), m.NMax(m.FSub(s, d), m.zero), m.NMax(m.FSub(d, s), m.zero)
	case state.OverlapDisjoint:
		return m.NMax(m.FSub(m.FAdd(s, d), m.one), m.zero), m.NMin(s, m.less(d)), m.NMin(d, m.less(s))
	}
	return m.FMul(s, d), m.FMul(s, m.less(d)), m.FMul(d, m.less(s))
}

// coefficients returns the coefficients X, Y and Z, which are 0 or 1.
func coefficients(op enum.BlendOp) (x, y, z bool) {
	switch op {
	case enum.BlendOpZero:
		return false, false, false
	case enum.BlendOpSrc, enum.BlendOpDstAtop:
		return true, true, false
	case enum.BlendOpDst, enum.BlendOpSrcAtop, enum.BlendOpInvert, enum.BlendOpInvertRgb:
		return true, false, true
	case enum.BlendOpSrcIn, enum.BlendOpDstIn:
		return true, false, false
	case enum.BlendOpSrcOut:
		return false, true, false
	case enum.BlendOpDstOut:
		return false, false, true
	case enum.BlendOpXor:
		return false, true, true
	}
	return true, true, true
}

// f returns the function f of a component of the base colors, in the order of the specification's table. The
// table decides between < and ≤ in each comparison, hence also for a color on the border of two cases.
func (m *advanced) f(s, d ir.V) ir.V {
	two := m.Float(2)
	switch m.ColorOp {
	case enum.BlendOpSrc, enum.BlendOpSrcOver, enum.BlendOpSrcIn, enum.BlendOpSrcAtop:
		return s
	case enum.BlendOpDst, enum.BlendOpDstOver, enum.BlendOpDstIn, enum.BlendOpDstAtop:
		return d
	case enum.BlendOpMultiply:
		return m.FMul(s, d)
	case enum.BlendOpScreen:
		return m.FSub(m.FAdd(s, d), m.FMul(s, d))
	case enum.BlendOpOverlay:
		return m.light(d, s, d)
	case enum.BlendOpDarken:
		return m.NMin(s, d)
	case enum.BlendOpLighten:
		return m.NMax(s, d)
	case enum.BlendOpColordodge:
		return m.first(m.zero, m.atMost(d, m.zero), m.one, m.atMost(m.one, s), m.NMin(m.one, m.quotient(d, m.less(s))))
	case enum.BlendOpColorburn:
		return m.first(m.one, m.atMost(m.one, d), m.zero, m.atMost(s, m.zero), m.less(m.NMin(m.one, m.quotient(m.less(d), s))))
	case enum.BlendOpHardlight:
		return m.light(s, s, d)
	case enum.BlendOpSoftlight:
		return m.softLight(s, d)
	case enum.BlendOpDifference:
		return m.B.Op(ir.FAbs, ir.F32, m.FSub(d, s))
	case enum.BlendOpExclusion:
		return m.FSub(m.FAdd(s, d), m.FMul(two, m.FMul(s, d)))
	case enum.BlendOpInvert:
		return m.less(d)
	case enum.BlendOpInvertRgb:
		return m.FMul(s, m.less(d))
	case enum.BlendOpLineardodge:
		sum := m.FAdd(s, d)
		return m.B.Select(m.atMost(sum, m.one), sum, m.one)
	case enum.BlendOpLinearburn:
		sum := m.FAdd(s, d)
		return m.B.Select(m.below(m.one, sum), m.FSub(sum, m.one), m.zero)
	case enum.BlendOpVividlight:
		burn := m.less(m.NMin(m.one, m.quotient(m.less(d), m.FMul(two, s))))
		dodge := m.NMin(m.one, m.quotient(d, m.FMul(two, m.less(s))))
		return m.first(m.zero, m.atMost(s, m.zero), m.one, m.atMost(m.one, s), m.B.Select(m.below(s, m.half), burn, dodge))
	case enum.BlendOpLinearlight:
		sum := m.FAdd(m.FMul(two, s), d)
		return m.first(m.one, m.below(two, sum), m.zero, m.atMost(sum, m.one), m.FSub(sum, m.one))
	case enum.BlendOpPinlight:
		low := m.FSub(m.FMul(two, s), m.one)
		above := m.B.Select(m.below(s, m.half), m.zero, low)
		return m.B.Select(m.below(d, low), above, m.B.Select(m.below(s, m.FMul(m.half, d)), m.FMul(two, s), d))
	case enum.BlendOpHardmix:
		return m.B.Select(m.below(m.FAdd(s, d), m.one), m.zero, m.one)
	}
	return m.zero
}

// light is the function f of hard light with by = s, of overlay with by = d: by selects the darkening or the lightening case.
func (m *advanced) light(by, s, d ir.V) ir.V {
	two := m.Float(2)
	dark := m.FMul(two, m.FMul(s, d))
	return m.B.Select(m.atMost(by, m.half), dark, m.less(m.FMul(two, m.FMul(m.less(s), m.less(d)))))
}

// softLight is the function f of soft light.
func (m *advanced) softLight(s, d ir.V) ir.V {
	twice := m.FMul(m.Float(2), s)
	dark := m.FSub(d, m.FMul(m.FMul(m.less(twice), d), m.less(d)))
	more := m.FSub(twice, m.one)
	cubic := m.FAdd(m.FMul(m.FSub(m.FMul(m.Float(16), d), m.Float(12)), d), m.Float(3))
	low := m.FAdd(d, m.FMul(m.FMul(more, d), cubic))
	high := m.FAdd(d, m.FMul(more, m.FSub(m.B.Op(ir.FSqrt, ir.F32, d), d)))
	return m.B.Select(m.atMost(s, m.half), dark, m.B.Select(m.atMost(d, m.Float(0.25)), low, high))
}

// additional returns the result of an operation of the table of additional RGB operations. The last three copy
// one component of the source and the rest of the destination.
func (m *advanced) additional(s, d rgb) (out color) {
	sa, da := m.srcA, m.dstA
	alpha := m.FAdd(sa, da)
	switch clipped := m.NMin(m.one, alpha); m.ColorOp {
	case enum.BlendOpPlus:
		return m.each(alpha, s, d, m.FAdd)
	case enum.BlendOpPlusClamped:
		return m.each(clipped, s, d, func(s, d ir.V) ir.V { return m.NMin(m.one, m.FAdd(s, d)) })
	case enum.BlendOpPlusClampedAlpha:
		return m.each(clipped, s, d, func(s, d ir.V) ir.V { return m.NMin(clipped, m.FAdd(s, d)) })
	case enum.BlendOpPlusDarker:
		return m.each(clipped, s, d, func(s, d ir.V) ir.V {
			return m.NMax(m.zero, m.FSub(clipped, m.FAdd(m.FSub(sa, s), m.FSub(da, d))))
		})
	case enum.BlendOpMinus:
		return m.each(m.FSub(da, sa), d, s, m.FSub)
	case enum.BlendOpMinusClamped:
		return m.each(m.NMax(m.zero, m.FSub(da, sa)), d, s, func(d, s ir.V) ir.V { return m.NMax(m.zero, m.FSub(d, s)) })
	case enum.BlendOpContrast:
		halfS, halfD := m.FMul(m.half, sa), m.FMul(m.half, da)
		return m.each(da, s, d, func(s, d ir.V) ir.V {
			return m.FAdd(halfD, m.FMul(m.Float(2), m.FMul(m.FSub(d, halfD), m.FSub(s, halfS))))
		})
	case enum.BlendOpInvertOvgExt:
		return m.each(m.FSub(alpha, m.FMul(sa, da)), s, d, func(_, d ir.V) ir.V {
			return m.FAdd(m.FMul(sa, m.less(d)), m.FMul(m.less(sa), d))
		})
	}
	d[m.ColorOp-enum.BlendOpRed] = s[m.ColorOp-enum.BlendOpRed] // one component of the source
	return color{d[0], d[1], d[2], da}
}

// each returns a color of a function of two colors, and an alpha.
func (m *advanced) each(alpha ir.V, x, y rgb, f func(x, y ir.V) ir.V) color {
	return color{f(x[0], y[0]), f(x[1], y[1]), f(x[2], y[2]), alpha}
}

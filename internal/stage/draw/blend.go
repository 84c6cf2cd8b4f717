package draw

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// color is four numbers in the order R, G, B, A.
type color = [4]ir.V

// blending is one attachment's blending (Vulkan §"Blending").
type blending struct {
	*fragmentShader
	*BlendAttachment
	src, src1, dst, constant color
}

// blended joins the program's colors, src and src1 of its second source, with the
// color in the attachment. In attachments in fixed point colors and factors are
// clamped first.
func (s *fragmentShader) blended(k *BlendAttachment, a *attachment, src, src1, dst color) (out color) {
	m := blending{fragmentShader: s, BlendAttachment: k, dst: dst}
	for i := range out {
		m.src[i], m.src1[i] = s.clamped(a, src[i]), s.clamped(a, src1[i])
		m.constant[i] = s.clamped(a, s.params(ir.F32, fragmentConstants+uint32(i)))
	}
	for i := range out {
		op, x, y := k.ColorOp, k.SrcColor, k.DstColor
		if i == 3 {
			op, x, y = k.AlphaOp, k.SrcAlpha, k.DstAlpha
		}
		out[i] = m.joined(op, x, y, i)
	}
	return out
}

// clamped clamps a number to what the attachment's fixed point has.
func (s *fragmentShader) clamped(a *attachment, v ir.V) ir.V {
	k := a.Component(0)
	if k == nil {
		k = a.Component(3)
	}
	switch k.Numeric {
	case format.UNorm, format.SRGB:
		return s.nmin(s.nmax(v, s.num(0)), s.num(1))
	case format.SNorm:
		return s.nmin(s.nmax(v, s.num(-1)), s.num(1))
	}
	return v
}

// joined is component i of the result.
func (m *blending) joined(op BlendOp, x, y BlendFactor, i int) ir.V {
	switch op {
	case BlendMin:
		return m.b.Op(ir.FMin, ir.F32, m.src[i], m.dst[i])
	case BlendMax:
		return m.b.Op(ir.FMax, ir.F32, m.src[i], m.dst[i])
	}
	s, d := m.times(x, m.src[i], i), m.times(y, m.dst[i], i)
	if op == BlendReverseSubtract {
		s, d = d, s
	}
	switch {
	case d == 0 && s == 0:
		return m.num(0)
	case d == 0:
		return s
	case s == 0 && op == BlendAdd:
		return d
	case s == 0:
		return m.b.Op(ir.FNeg, ir.F32, d)
	case op == BlendAdd:
		return m.fadd(s, d)
	}
	return m.fsub(s, d)
}

// times multiplies a number by a factor. Nothing is left of it (no value) by the
// factor zero, whatever it is.
func (m *blending) times(f BlendFactor, v ir.V, i int) ir.V {
	switch f {
	case FactorZero:
		return 0
	case FactorOne:
		return v
	}
	return m.fmul(v, m.factor(f, i))
}

// factor is the factor of component i.
func (m *blending) factor(f BlendFactor, i int) ir.V {
	less := func(v ir.V) ir.V { return m.fsub(m.num(1), v) }
	switch f {
	case SrcColor:
		return m.src[i]
	case OneMinusSrcColor:
		return less(m.src[i])
	case DstColor:
		return m.dst[i]
	case OneMinusDstColor:
		return less(m.dst[i])
	case SrcAlpha:
		return m.src[3]
	case OneMinusSrcAlpha:
		return less(m.src[3])
	case DstAlpha:
		return m.dst[3]
	case OneMinusDstAlpha:
		return less(m.dst[3])
	case ConstantColor:
		return m.constant[i]
	case OneMinusConstantColor:
		return less(m.constant[i])
	case ConstantAlpha:
		return m.constant[3]
	case OneMinusConstantAlpha:
		return less(m.constant[3])
	case SrcAlphaSaturate:
		if i == 3 {
			return m.num(1)
		}
		return m.nmin(m.src[3], less(m.dst[3]))
	case Src1Color:
		return m.src1[i]
	case OneMinusSrc1Color:
		return less(m.src1[i])
	case Src1Alpha:
		return m.src1[3]
	}
	return less(m.src1[3])
}

// logic is a logical operation on the bits of texels, which leaves the bits of none
// but the components.
func (s *fragmentShader) logic(o LogicOp, src, dst []ir.V) []ir.V {
	out := make([]ir.V, len(src))
	for i := range out {
		out[i] = s.logicOf(o, src[i], dst[i])
	}
	return out
}

// logicOf is one integer of the result (Vulkan §"Logical Operations").
func (s *fragmentShader) logicOf(o LogicOp, x, y ir.V) ir.V {
	t := s.b.Func.Type(x)
	op := func(o ir.Op, x, y ir.V) ir.V { return s.b.Op(o, t, x, y) }
	switch o {
	case LogicClear:
		return s.b.Const(t, 0)
	case LogicAnd:
		return op(ir.And, x, y)
	case LogicAndReverse:
		return op(ir.And, x, s.not(y))
	case LogicAndInverted:
		return op(ir.And, s.not(x), y)
	case LogicNoOp:
		return y
	case LogicXor:
		return op(ir.Xor, x, y)
	case LogicOr:
		return op(ir.Or, x, y)
	case LogicNor:
		return s.not(op(ir.Or, x, y))
	case LogicEquivalent:
		return s.not(op(ir.Xor, x, y))
	case LogicInvert:
		return s.not(y)
	case LogicOrReverse:
		return op(ir.Or, x, s.not(y))
	case LogicCopyInverted:
		return s.not(x)
	case LogicOrInverted:
		return op(ir.Or, s.not(x), y)
	case LogicNand:
		return s.not(op(ir.And, x, y))
	case LogicSet:
		return s.b.Const(t, t.Mask())
	}
	return x
}

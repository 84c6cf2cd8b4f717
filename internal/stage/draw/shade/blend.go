package shade

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// color is a color in the order R, G, B, A.
type color = [4]ir.V

// blending is the blend equation of one attachment under construction (Vulkan §"Blending"). Factors
// and operations are part of the key, so that each equation is straight-line code. Only the
// constants are parameters.
type blending struct {
	shader                   *shader
	attachment               *state.BlendAttachment
	src, src1, dst, constant color
}

// blended blends the outputs src and src1 (dual-source blending) with the color dst of the attachment.
// For fixed-point attachments, colors and constants are clamped to the range of the format first. An advanced
// operation blends color and alpha together: ColorOp equals AlphaOp.
func (s *shader) blended(k *state.BlendAttachment, a *attachment, src, src1, dst color) (out color) {
	if k.ColorOp >= enum.BlendOpZero {
		for i := range src {
			src[i] = s.clampColor(a, src[i])
		}
		return s.advancedBlend(k, src, dst)
	}
	m := blending{shader: s, attachment: k, dst: dst}
	for i := range out {
		m.src[i], m.src1[i] = s.clampColor(a, src[i]), s.clampColor(a, src1[i])
		m.constant[i] = s.clampColor(a, s.param(ir.F32, layout.FragmentConstants+uint32(i)))
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

// clampColor clamps a component to the range of the attachment's fixed-point format. Vulkan
// §"Blending" demands the clamp before blending and for the factors. Float attachments are not
// clamped. NMin and NMax turn a NaN into a bound.
func (s *shader) clampColor(a *attachment, v ir.V) ir.V {
	k := a.Component(0)
	if k == nil {
		k = a.Component(3)
	}
	switch k.Numeric {
	case format.UNorm, format.SRGB:
		return s.NMin(s.NMax(v, s.Float(0)), s.Float(1))
	case format.SNorm:
		return s.NMin(s.NMax(v, s.Float(-1)), s.Float(1))
	}
	return v
}

// joined returns component i of the blend equation.
func (m *blending) joined(op enum.BlendOp, x, y enum.BlendFactor, i int) ir.V {
	// Min and max ignore the factors (Vulkan §"Blend Operations").
	switch op {
	case enum.BlendOpMin:
		return m.shader.B.Op(ir.FMin, ir.F32, m.src[i], m.dst[i])
	case enum.BlendOpMax:
		return m.shader.B.Op(ir.FMax, ir.F32, m.src[i], m.dst[i])
	}
	s, d := m.times(x, m.src[i], i), m.times(y, m.dst[i], i)
	if op == enum.BlendOpReverseSubtract {
		// Reverse subtraction is destination minus source. Subtraction below is source minus
		// destination.
		s, d = d, s
	}
	switch {
	case d == 0 && s == 0:
		return m.shader.Float(0)
	case d == 0:
		return s
	case s == 0 && op == enum.BlendOpAdd:
		return d
	case s == 0:
		return m.shader.B.Op(ir.FNeg, ir.F32, d)
	case op == enum.BlendOpAdd:
		return m.shader.FAdd(s, d)
	}
	return m.shader.FSub(s, d)
}

// times multiplies a component by a blend factor. The factor zero returns no value: even 0·∞
// contributes nothing (docs/undefined.md).
func (m *blending) times(f enum.BlendFactor, v ir.V, i int) ir.V {
	switch f {
	case enum.BlendFactorZero:
		return 0
	case enum.BlendFactorOne:
		return v
	}
	return m.shader.FMul(v, m.factor(f, i))
}

// factor returns the value of a blend factor for component i.
func (m *blending) factor(f enum.BlendFactor, i int) ir.V {
	less := func(v ir.V) ir.V { return m.shader.FSub(m.shader.Float(1), v) }
	switch f {
	case enum.BlendFactorSrcColor:
		return m.src[i]
	case enum.BlendFactorOneMinusSrcColor:
		return less(m.src[i])
	case enum.BlendFactorDstColor:
		return m.dst[i]
	case enum.BlendFactorOneMinusDstColor:
		return less(m.dst[i])
	case enum.BlendFactorSrcAlpha:
		return m.src[3]
	case enum.BlendFactorOneMinusSrcAlpha:
		return less(m.src[3])
	case enum.BlendFactorDstAlpha:
		return m.dst[3]
	case enum.BlendFactorOneMinusDstAlpha:
		return less(m.dst[3])
	case enum.BlendFactorConstantColor:
		return m.constant[i]
	case enum.BlendFactorOneMinusConstantColor:
		return less(m.constant[i])
	case enum.BlendFactorConstantAlpha:
		return m.constant[3]
	case enum.BlendFactorOneMinusConstantAlpha:
		return less(m.constant[3])
	case enum.BlendFactorSrcAlphaSaturate:
		if i == 3 {
			return m.shader.Float(1)
		}
		return m.shader.NMin(m.src[3], less(m.dst[3]))
	case enum.BlendFactorSrc1Color:
		return m.src1[i]
	case enum.BlendFactorOneMinusSrc1Color:
		return less(m.src1[i])
	case enum.BlendFactorSrc1Alpha:
		return m.src1[3]
	}
	return less(m.src1[3])
}

// logic applies a logical operation to the words of texels. Bits outside of the components stay 0.
// Operands are the packed texels, so that one operation handles all components; the formats are
// fixed point or integers.
func (s *shader) logic(o enum.LogicOp, src, dst []ir.V) []ir.V {
	out := make([]ir.V, len(src))
	for i := range out {
		out[i] = s.logicOf(o, src[i], dst[i])
	}
	return out
}

// logicOf applies a logical operation to one word (Vulkan §"Logical Operations").
func (s *shader) logicOf(o enum.LogicOp, x, y ir.V) ir.V {
	t := s.B.Func.Type(x)
	op := func(o ir.Op, x, y ir.V) ir.V { return s.B.Op(o, t, x, y) }
	switch o {
	case enum.LogicOpClear:
		return s.B.Const(t, 0)
	case enum.LogicOpAnd:
		return op(ir.And, x, y)
	case enum.LogicOpAndReverse:
		return op(ir.And, x, s.Not(y))
	case enum.LogicOpAndInverted:
		return op(ir.And, s.Not(x), y)
	case enum.LogicOpNoOp:
		return y
	case enum.LogicOpXor:
		return op(ir.Xor, x, y)
	case enum.LogicOpOr:
		return op(ir.Or, x, y)
	case enum.LogicOpNor:
		return s.Not(op(ir.Or, x, y))
	case enum.LogicOpEquivalent:
		return s.Not(op(ir.Xor, x, y))
	case enum.LogicOpInvert:
		return s.Not(y)
	case enum.LogicOpOrReverse:
		return op(ir.Or, x, s.Not(y))
	case enum.LogicOpCopyInverted:
		return s.Not(x)
	case enum.LogicOpOrInverted:
		return op(ir.Or, s.Not(x), y)
	case enum.LogicOpNand:
		return s.Not(op(ir.And, x, y))
	case enum.LogicOpSet:
		return s.B.Const(t, t.Mask())
	}
	return x
}

package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// rgb is a color without alpha.
type rgb = [3]ir.V

// advanced is an advanced blend operation under construction (Vulkan §"Advanced Blend Operations").
type advanced struct {
	*shader
	*state.BlendAttachment
	srcA, dstA      ir.V // alpha as the shader and the attachment have it, clamped
	zero, half, one ir.V // 0, ½ and 1
}

// less returns 1 − v.
func (m *advanced) less(v ir.V) ir.V { return m.FSub(m.one, v) }

// below reports whether x < y; NaN is below nothing.
func (m *advanced) below(x, y ir.V) ir.V { return m.B.Cmp(ir.FLt, x, y) }

// atMost reports whether x ≤ y; NaN is not.
func (m *advanced) atMost(x, y ir.V) ir.V { return m.B.Cmp(ir.FLe, x, y) }

// quotient returns x/y. All cases of a function are computed, and a select drops those that do not apply: a
// division by 0 in such a case has no effect.
func (m *advanced) quotient(x, y ir.V) ir.V { return m.B.Op(ir.FDiv, ir.F32, x, y) }

// unit clamps to 0…1.
func (m *advanced) unit(v ir.V) ir.V { return m.NMin(m.NMax(v, m.zero), m.one) }

// divided returns x/y, and other if y is 0.
func (m *advanced) divided(x, y, other ir.V) ir.V {
	return m.B.Select(m.B.Cmp(ir.FEq, y, m.zero), other, m.quotient(x, y))
}

// first returns a if isA, else b if isB, else other.
func (m *advanced) first(a, isA, b, isB, other ir.V) ir.V {
	return m.B.Select(isA, a, m.B.Select(isB, b, other))
}

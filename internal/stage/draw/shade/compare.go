package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// compared emits a comparison of the state. less and equal are the operations of the operands' type.
// The fragment's value is x, the attachment's y. Ordered comparisons are false for NaN, and NotEqual
// is true.
func (s *shader) compared(o state.CompareOp, less, equal ir.Op, x, y ir.V) ir.V {
	b := s.B
	switch o {
	case state.Never:
		return b.Bool(false)
	case state.Less:
		return b.Cmp(less, x, y)
	case state.Equal:
		return b.Cmp(equal, x, y)
	case state.LessOrEqual:
		return b.Op(ir.Or, ir.B1, b.Cmp(less, x, y), b.Cmp(equal, x, y))
	case state.Greater:
		return b.Cmp(less, y, x)
	case state.NotEqual:
		return s.Not(b.Cmp(equal, x, y))
	case state.GreaterOrEqual:
		return b.Op(ir.Or, ir.B1, b.Cmp(less, y, x), b.Cmp(equal, x, y))
	}
	return b.Bool(true)
}

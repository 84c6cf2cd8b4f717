package shade

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// compared emits a comparison of the state. less and equal are the operations of the operands' type.
// The fragment's value is x, the attachment's y. Ordered comparisons are false for NaN, and NotEqual
// is true.
func (s *shader) compared(o enum.CompareOp, less, equal ir.Op, x, y ir.V) ir.V {
	b := s.B
	switch o {
	case enum.CompareOpNever:
		return b.Bool(false)
	case enum.CompareOpLess:
		return b.Cmp(less, x, y)
	case enum.CompareOpEqual:
		return b.Cmp(equal, x, y)
	case enum.CompareOpLessOrEqual:
		return b.Op(ir.Or, ir.B1, b.Cmp(less, x, y), b.Cmp(equal, x, y))
	case enum.CompareOpGreater:
		return b.Cmp(less, y, x)
	case enum.CompareOpNotEqual:
		return s.Not(b.Cmp(equal, x, y))
	case enum.CompareOpGreaterOrEqual:
		return b.Op(ir.Or, ir.B1, b.Cmp(less, y, x), b.Cmp(equal, x, y))
	}
	return b.Bool(true)
}

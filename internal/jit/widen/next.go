package widen

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Bounds of the distance in bytes between what two workgroups load one behind the
// other, for which the second one's is fetched while the first runs. Where they
// are nearer the machine finds out by itself how it goes on.
const (
	leastNext = 4096
	mostNext  = 1 << 20
)

// maxSteps is how many operations are followed for what a value will be.
const maxSteps = 16

// inNextGroup is how many bytes further the next workgroup of a row of them loads what v
// loads, where that is far enough to be worth knowing, else 0. Nothing but time
// depends on it.
func (w *widener) inNextGroup(v ir.V) uint32 {
	x := w.src.Val(v)
	if w.group == nil || x.Op != ir.Ld || w.src.Val(x.Args[0]).Op != ir.Res {
		return 0
	}
	if n, ok := w.perGroup(x.Args[1], maxSteps); ok && n >= leastNext && n <= mostNext {
		return uint32(n)
	}
	return 0
}

// perGroup returns how much more a number is in the next workgroup in x, where
// that is the same in all.
func (w *widener) perGroup(v ir.V, depth int) (n uint64, ok bool) {
	x := w.src.Val(v)
	if x.Op == ir.Const {
		return 0, true
	}
	if depth == 0 {
		return 0, false
	}
	arg := func(i int) (uint64, bool) { return w.perGroup(x.Args[i], depth-1) }
	constant := func(i int) (uint64, bool) {
		y := w.src.Val(x.Args[i])
		return y.Aux, y.Op == ir.Const
	}
	switch x.Op {
	case ir.In:
		switch w.p.In[x.Aux].Semantic {
		case ir.WorkgroupIdX:
			return 1, true
		case ir.GlobalInvocationIdX:
			return uint64(w.p.LocalSize[0]), true
		}
		return 0, true
	case ir.Param:
		if label := x.Args[0]; w.src.Val(label).Op == ir.Loop { // as it goes on from where it began
			return w.perGroup(w.src.Inits(label)[x.Aux], depth-1)
		}
		return 0, false
	case ir.Add, ir.At:
		a, first := arg(0)
		b, second := arg(1)
		if x.Op == ir.At {
			b *= x.Aux
		}
		return a + b, first && second
	case ir.Shl:
		a, ok := arg(0)
		k, also := constant(1)
		return a << (k & 31), ok && also
	case ir.Mul:
		a, first := arg(0)
		b, second := arg(1)
		if k, ok := constant(1); ok {
			return a * k, first
		}
		return 0, first && second && a == 0 && b == 0
	case ir.Ld:
		return arg(1)
	case ir.Push, ir.Res:
		return 0, true
	}
	return 0, false
}

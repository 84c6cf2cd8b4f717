package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Bounds of the distance in bytes between what two workgroups load one behind the
// other, for which the second one's is fetched while the first runs. Where they
// are nearer the machine finds out by itself how it goes on, unless workgroups
// have several rows: then it meets a short piece of each of many lines.
const (
	nearNext  = 256
	leastNext = 4096
	mostNext  = 1 << 20
)

// shortLoop is how far from where it begins a loop's counter stops at most, for
// loads in it to be fetched for the next workgroup: what longer ones load does not
// stay in the nearest cache until then.
const shortLoop = 16

// leastLanes is how many lanes a row of the strip has at least, for what it looks at
// to tell where the next one does.
const leastLanes = 4

// maxSteps is how many operations are followed for what a value will be.
const maxSteps = 16

// inNextGroup is how many bytes further the next workgroup of a row of them loads what v
// loads, where that is worth knowing, else 0. Nothing but time depends on it.
func (w *widener) inNextGroup(v ir.V) uint32 {
	x := w.src.Val(v)
	rows := w.p.Invocations() > w.p.LocalSize[0] && w.p.LocalSize[0] > 1
	if w.group == nil && !rows || x.Op != ir.Ld || w.src.Val(x.Args[0]).Op != ir.Res {
		return 0
	}
	n, ok := w.perGroup(x.Args[1], maxSteps)
	far := n >= leastNext && n <= mostNext
	if ok && (w.group != nil && far || w.group == nil && n > 0 && n <= nearNext) {
		return uint32(n)
	}
	return 0
}

// nextLane is the lane that stands where the invocations behind those of a row of the
// strip begin, counted from 1, for a load of texels, else 0. Texels that neighbours
// look at are neighbours, nearly always: those of the next strip or workgroup lie
// from the last lane of a row as those of this one lie from its first.
func (w *widener) nextLane(x *ir.Val) uint32 {
	if x.Flags&ir.Proven == 0 || w.p.LocalSize[0] < leastLanes {
		return 0
	}
	return min(w.p.LocalSize[0], uint32(w.dst.Form.Lanes))
}

// short reports whether a parameter of a loop counts no more than shortLoop
// iterations: the loop goes on while a comparison with a constant holds.
func (w *widener) short(param ir.V) bool {
	if w.counted == nil {
		w.counted = map[ir.V]bool{}
		loop := ir.V(0) // that has begun and not yet tested anything
		for _, v := range w.src.Code {
			switch x := w.src.Val(v); x.Op {
			case ir.Loop:
				loop = v
			case ir.If:
				if loop != 0 {
					w.counts(loop, x.Args[0])
				}
				loop = 0
			}
		}
	}
	return w.counted[param]
}

// counts notes the parameter of a loop that a condition compares with a constant
// near to where it begins.
func (w *widener) counts(loop, condition ir.V) {
	x := w.src.Val(condition)
	switch x.Op {
	case ir.Not:
		w.counts(loop, x.Args[0])
	case ir.SLt, ir.SLe, ir.ULt, ir.ULe:
		p, bound := w.src.Val(x.Args[0]), w.src.Val(x.Args[1])
		if p.Op != ir.Param || p.Args[0] != loop || bound.Op != ir.Const {
			return
		}
		first := w.src.Val(w.src.Inits(loop)[p.Aux])
		w.counted[x.Args[0]] = first.Op == ir.Const && uint32(bound.Aux-first.Aux) <= shortLoop
	}
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
			if w.group == nil && !w.short(v) {
				return 0, false
			}
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
	case ir.Sub:
		a, first := arg(0)
		b, second := arg(1)
		return a - b, first && second
	case ir.SMin, ir.SMax, ir.UMin, ir.UMax: // which hardly ever cut anything off
		a, first := arg(0)
		b, second := arg(1)
		return max(a, b), first && second
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

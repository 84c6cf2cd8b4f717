package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Bounds of the distance in bytes between what two workgroups load one behind the
// other, for which the second one's is fetched while the first runs. Where they
// are nearer the machine finds out by itself how it goes on, unless workgroups
// have several rows: then it meets a short piece of each of many lines.
const (
	maxRowDistance   = 256
	minGroupDistance = 4096
	maxGroupDistance = 1 << 20
)

// maxShortLoop is how far from where it begins a loop's counter stops at most, for
// loads in it to be fetched for the next workgroup: what longer ones load does not
// stay in the nearest cache until then.
const maxShortLoop = 16

// minRowLanes is how many lanes a row of the strip has at least, for what it looks at
// to tell where the next one does.
const minRowLanes = 4

// maxDistanceDepth is how many operations are followed for what a value will be.
const maxDistanceDepth = 16

// prefetchDistance is how many bytes further the next workgroup of a row of them loads what v
// loads, where that is worth knowing, else 0. Nothing but time depends on it.
func (w *vectorizer) prefetchDistance(v ir.V) uint32 {
	x := w.src.Val(v)
	rows := w.p.Invocations() > w.p.LocalSize[0] && w.p.LocalSize[0] > 1
	if !w.wholeGroup && !rows || x.Op != ir.Ld || w.src.Val(x.Args[0]).Op != ir.Res {
		return 0
	}
	n, ok := w.groupDistance(x.Args[1], maxDistanceDepth)
	far := n >= minGroupDistance && n <= maxGroupDistance
	if ok && (w.wholeGroup && far || !w.wholeGroup && n > 0 && n <= maxRowDistance) {
		return uint32(n)
	}
	return 0
}

// prefetchLane is the lane that stands where the invocations behind those of a row of the
// strip begin, counted from 1, for a load of texels, else 0. Texels that neighbours
// look at are neighbours, nearly always: those of the next strip or workgroup lie
// from the last lane of a row as those of this one lie from its first.
func (w *vectorizer) prefetchLane(x *ir.Val) uint32 {
	if x.Flags&ir.Proven == 0 || w.p.LocalSize[0] < minRowLanes {
		return 0
	}
	return min(w.p.LocalSize[0], uint32(w.dst.Form.Lanes))
}

// isShortCounter reports whether a parameter of a loop counts no more than maxShortLoop
// iterations: the loop goes on while a comparison with a constant holds.
func (w *vectorizer) isShortCounter(param ir.V) bool {
	if w.shortCounters == nil {
		w.shortCounters = map[ir.V]bool{}
		loop := ir.V(0) // that has begun and not yet tested anything
		for _, v := range w.src.Code {
			switch x := w.src.Val(v); x.Op {
			case ir.Loop:
				loop = v
			case ir.If:
				if loop != 0 {
					w.noteCounter(loop, x.Args[0])
				}
				loop = 0
			}
		}
	}
	return w.shortCounters[param]
}

// noteCounter notes the parameter of a loop that a condition compares with a constant
// near to where it begins.
func (w *vectorizer) noteCounter(loop, condition ir.V) {
	x := w.src.Val(condition)
	switch x.Op {
	case ir.Not:
		w.noteCounter(loop, x.Args[0])
	case ir.SLt, ir.SLe, ir.ULt, ir.ULe:
		p, bound := w.src.Val(x.Args[0]), w.src.Val(x.Args[1])
		if p.Op != ir.Param || p.Args[0] != loop || bound.Op != ir.Const {
			return
		}
		first := w.src.Val(w.src.Inits(loop)[p.Aux])
		w.shortCounters[x.Args[0]] = first.Op == ir.Const && uint32(bound.Aux-first.Aux) <= maxShortLoop
	}
}

// groupDistance returns how much more a number is in the next workgroup in x, where
// that is the same in all.
func (w *vectorizer) groupDistance(v ir.V, depth int) (n uint64, ok bool) {
	x := w.src.Val(v)
	if x.Op == ir.Const {
		return 0, true
	}
	if depth == 0 {
		return 0, false
	}
	arg := func(i int) (uint64, bool) { return w.groupDistance(x.Args[i], depth-1) }
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
			if !w.wholeGroup && !w.isShortCounter(v) {
				return 0, false
			}
			return w.groupDistance(w.src.Inits(label)[x.Aux], depth-1)
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

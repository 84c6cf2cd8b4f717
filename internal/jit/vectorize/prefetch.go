package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Software prefetch distances
//
// Loads of neighbouring workgroups are mostly at a constant distance: it follows from the offset as an
// affine function of the workgroup ID. The distance becomes a hint of the load (vcode.Inst.Prefetch); the
// machine may prefetch the data of the next workgroup while the current one runs. Results do not depend on
// it.
//
//	vg = in.i32 #0                   workgroup.id.x                 1 more in the next workgroup
//	vi = shl.i32 vg, 10:i32                                     1,024 more
//	vo = at 0:i32, vi, #4            address                    4,096 bytes
//
// Mowry, Lam, Gupta 1992, "Design and evaluation of a compiler algorithm for prefetching", derive distances
// from affine subscripts of loops; here the loop is the dispatch.
//
// The hardware prefetcher follows short constant distances on its own, except for workgroups with
// several y: each is a short run in a cache line of its own.

// Limits of the distance in bytes: the greatest for workgroups with several y, and the range for
// workgroups that are one stream.
const (
	maxRunDistance   = 256
	minGroupDistance = 4096
	maxGroupDistance = 1 << 20
)

// maxShortLoop bounds the iterations of a loop with prefetches: data of longer ones is evicted from the
// first-level cache before its use.
const maxShortLoop = 16

// minRunLanes is the smallest number of lanes with equal y from which their texels predict the next ones.
const minRunLanes = 4

// maxDistanceDepth bounds the depth of operands that are followed.
const maxDistanceDepth = 16

// prefetchDistance returns how many bytes further the next workgroup in x is likely to load than v does, or
// 0 if it is unknown or not worth a prefetch.
func (w *vectorizer) prefetchDistance(v ir.V) uint32 {
	x := w.src.Val(v)
	runs := w.p.Invocations() > w.p.LocalSize[0] && w.p.LocalSize[0] > 1
	if !w.wholeGroup && !runs || x.Op != ir.Ld || !w.sameHandle(x.Args[0]) {
		return 0
	}
	n, ok := w.groupDistance(x.Args[1], maxDistanceDepth)
	far := n >= minGroupDistance && n <= maxGroupDistance
	if ok && (w.wholeGroup && far || !w.wholeGroup && n > 0 && n <= maxRunDistance) {
		return uint32(n)
	}
	return 0
}

// sameHandle reports whether a handle is one of memory that is likely the same in the next workgroup: a resource, or the region of an
// address that all workgroups have.
func (w *vectorizer) sameHandle(h ir.V) bool {
	x := w.src.Val(h)
	if x.Op == ir.Region {
		n, ok := w.groupDistance(x.Args[0], maxDistanceDepth)
		return ok && n == 0
	}
	return x.Op == ir.Res
}

// prefetchLane returns p+1 if the lane p+1 begins a new run of x in the strip, for a load of texels, else 0.
// Texels of neighbouring invocations are neighbours: the next strip or workgroup loads about as far from
// the run's last lane as that lane loads from the first.
func (w *vectorizer) prefetchLane(x *ir.Val) uint32 {
	if x.Flags&ir.Proven == 0 || w.p.LocalSize[0] < minRunLanes || !w.loadsTexels(x) {
		return 0
	}
	return min(w.p.LocalSize[0], uint32(w.dst.Form.Lanes))
}

// loadsTexels reports whether an access is to the memory of an image.
func (w *vectorizer) loadsTexels(x *ir.Val) bool {
	h := w.src.Val(x.Args[0])
	return h.Op == ir.Res && w.p.Res[h.Aux].Kind == ir.Texels
}

// isShortCounter reports whether a parameter of a loop counts at most maxShortLoop iterations: a comparison
// of it with a constant is the first condition in the loop.
func (w *vectorizer) isShortCounter(param ir.V) bool {
	if w.shortCounters == nil {
		w.shortCounters = map[ir.V]bool{}
		loop := ir.V(0) // begun, without a condition so far
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

// noteCounter records the parameter of the loop that the condition compares with a constant close to its
// initial value.
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

// groupDistance returns the difference of v between a workgroup and the next one in x, if it is constant.
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
		if label := x.Args[0]; w.src.Val(label).Op == ir.Loop { // assumes the same iteration in both
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
	case ir.SMin, ir.SMax, ir.UMin, ir.UMax: // clamps hardly ever have an effect
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
	case ir.RegionOff:
		n, ok := arg(1)
		return 0, ok && n == 0
	case ir.Push, ir.Res:
		return 0, true
	}
	return 0, false
}

package pass

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// boundDepth is how many levels of operands numberBound visits.
const boundDepth = 6

// numberBound returns an upper bound of an unsigned number of 32 bits: value-range analysis of expressions, without the conditions
// that guard them. Offsets in workgroup memory mostly have one, because they derive from the invocation's index in the workgroup:
//
//	v1 = in.i32 #0                 local.x, below 64: at most 63
//	v2 = shl.i32 v1, 2:i32         at most 252
//	v3 = add.i32 v2, 1024:i32      at most 1276, so that the sum does not wrap
func numberBound(p *ir.Program, f *ir.Func, v ir.V, depth int) uint32 {
	x := f.Val(v)
	if x.Op == ir.Const {
		return uint32(x.Aux)
	}
	if depth == 0 || x.Type != ir.I32 {
		return math.MaxUint32
	}
	arg := func(i int) uint64 { return uint64(numberBound(p, f, x.Args[i], depth-1)) }
	constant := func() uint64 { // of a shift; 32 if it is not constant
		if y := f.Val(x.Args[1]); y.Op == ir.Const {
			return y.Aux & 31
		}
		return 32
	}
	most := uint64(math.MaxUint32)
	// Sums and products of bounds have 64 bits, so that they do not wrap. An operation that is not here has any result.
	switch x.Op {
	case ir.And, ir.UMin:
		most = min(arg(0), arg(1))
	case ir.UMax:
		most = max(arg(0), arg(1))
	case ir.Add:
		most = arg(0) + arg(1)
	case ir.Mul:
		most = arg(0) * arg(1)
	case ir.Shl:
		most = arg(0) << constant() // 2³² or more if the count is not constant, but for 0
	case ir.LShr: // by an unknown distance it may be the number itself
		most = arg(0) >> (constant() & 31)
	case ir.ZExt:
		most = f.Type(x.Args[0]).Mask()
	case ir.In:
		switch s := p.In[x.Aux].Semantic; s {
		case ir.LocalInvocationIdX, ir.LocalInvocationIdY, ir.LocalInvocationIdZ:
			most = uint64(p.LocalSize[s-ir.LocalInvocationIdX]) - 1
		case ir.LocalInvocationIndex:
			most = uint64(p.Invocations()) - 1
		}
	}
	return uint32(min(most, math.MaxUint32)) // more than that wraps
}

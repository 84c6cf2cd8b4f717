package vectorize

import (
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Workgroup merging: small workgroups as one
//
// A workgroup of one invocation uses one lane of a vector, and each costs an iteration of the loop over workgroups. If no result
// can tell, consecutive workgroups in x become one: of a dispatch of 1,000 workgroups of 1 invocation, 16 of 64. GPU compilers
// know the transformation as thread-block merge (Yang et al. 2010). The conditions are the same as for merged subgroups (merge.go),
// since the lanes of a strip are then invocations of several workgroups.
//
//	local 4 1 1     WorkgroupId.x        →  GlobalInvocationId.x / 4
//	                LocalInvocationId.x  →  GlobalInvocationId.x − 4 · (GlobalInvocationId.x / 4)
//	                NumWorkgroups        →  the same: the run passes the numbers of the dispatch
//	local 256 1 1   the body             →  returns where GlobalInvocationId.x ≥ 4 · NumWorkgroups.x

// Sizes of workgroups: the largest that is merged, and of the merged ones.
const (
	MaxSmallGroup   = 32
	mergedGroup     = 256
	maxGroupsMerged = 64
)

// MergeWorkgroups returns p with workgroups of several consecutive workgroups in x, and their number. It returns nil if the
// workgroups are large enough, or a result could tell. The merged program is for dispatches without a base in x and with less than
// 2³² invocations in x.
func MergeWorkgroups(p *ir.Program, form vcode.Form) (*ir.Program, uint32) {
	small := p.Invocations()
	if p.Stage != ir.Compute || p.Observed || small == 0 || small > MaxSmallGroup || p.QuadRow > 0 || len(p.Funcs) != 1 {
		return nil, 0
	}
	factor := uint32(maxGroupsMerged)
	for factor*small > mergedGroup {
		factor /= 2
	}
	g := groupMerger{p: p.Clone(), local: p.LocalSize[0]}
	g.f = g.p.Funcs[0]
	g.p.LocalSize[0] *= factor
	if !g.rewrite() {
		return nil, 0
	}
	if m := MergeOf(g.p, form); m.Widest <= g.p.SubgroupSize {
		return nil, 0
	}
	return g.p, factor
}

// groupMerger rewrites a program for merged workgroups.
type groupMerger struct {
	p     *ir.Program
	f     *ir.Func
	local uint32 // former LocalSize.x
	code  []ir.V // the new code
}

// rewrite replaces the inputs that tell where a workgroup begins; false if the invocations of a workgroup meet, or if an input
// has another type.
func (g *groupMerger) rewrite() bool {
	for _, in := range g.p.In {
		if in.Type != ir.I32 && g.positions(in.Semantic) {
			return false
		}
	}
	old := g.f.Code
	if slices.ContainsFunc(old, func(v ir.V) bool { return g.f.Val(v).Op.Is(ir.Meets) }) { // a quad may be a workgroup
		return false
	}
	g.code = append(make([]ir.V, 0, len(old)+32), old[0])
	g.guard()
	for _, v := range old[1:] {
		x := *g.f.Val(v)
		if x.Op != ir.In {
			g.code = append(g.code, v)
			continue
		}
		switch g.p.In[x.Aux].Semantic {
		case ir.WorkgroupIdX:
			g.replace(v, g.workgroup())
		case ir.LocalInvocationIdX:
			g.replace(v, g.localX())
		case ir.LocalInvocationIndex:
			rows := g.op(ir.Mul, g.input(ir.LocalInvocationIdZ), g.constant(g.p.LocalSize[1]))
			rows = g.op(ir.Add, rows, g.input(ir.LocalInvocationIdY))
			g.replace(v, g.op(ir.Add, g.localX(), g.op(ir.Mul, rows, g.constant(g.local))))
		default:
			g.code = append(g.code, v)
		}
	}
	g.f.Code = g.code
	return true
}

// positions reports whether an input depends on where a workgroup begins.
func (g *groupMerger) positions(s ir.Semantic) bool {
	return slices.Contains([]ir.Semantic{ir.GlobalInvocationIdX, ir.LocalInvocationIdX, ir.LocalInvocationIdY, ir.LocalInvocationIdZ, ir.WorkgroupIdX, ir.NumWorkgroupsX, ir.LocalInvocationIndex}, s)
}

// guard ends the invocations after the last workgroup of the dispatch.
func (g *groupMerger) guard() {
	end := g.op(ir.Mul, g.input(ir.NumWorkgroupsX), g.constant(g.local))
	beyond := g.emit(ir.Val{Op: ir.ULe, Type: ir.B1, Args: [4]ir.V{end, g.input(ir.GlobalInvocationIdX)}})
	region := g.emit(ir.Val{Op: ir.If, Args: [4]ir.V{beyond}})
	g.emit(ir.Val{Op: ir.Br, Args: [4]ir.V{g.f.Body(), 0, 0, ir.V(len(g.f.Extra))}})
	g.emit(ir.Val{Op: ir.End, Args: [4]ir.V{region}})
}

// workgroup emits the former WorkgroupId.x.
func (g *groupMerger) workgroup() ir.V {
	x := g.input(ir.GlobalInvocationIdX)
	if g.local == 1 {
		return x
	}
	if n := bits.TrailingZeros32(g.local); g.local == 1<<n {
		return g.op(ir.LShr, x, g.constant(uint32(n)))
	}
	return g.op(ir.UDiv, x, g.constant(g.local))
}

// localX emits the former LocalInvocationId.x.
func (g *groupMerger) localX() ir.V {
	return g.op(ir.Sub, g.input(ir.GlobalInvocationIdX), g.op(ir.Mul, g.workgroup(), g.constant(g.local)))
}

// input emits a read of an input, which it adds to the program if it is not there.
func (g *groupMerger) input(s ir.Semantic) ir.V {
	n := slices.IndexFunc(g.p.In, func(in ir.Input) bool { return in.Semantic == s })
	if n < 0 {
		n = len(g.p.In)
		g.p.In = append(g.p.In, ir.Input{Semantic: s, Type: ir.I32})
	}
	return g.emit(ir.Val{Op: ir.In, Type: ir.I32, Aux: uint64(n)})
}

func (g *groupMerger) constant(x uint32) ir.V {
	g.f.Vals = append(g.f.Vals, ir.Val{Op: ir.Const, Type: ir.I32, Aux: uint64(x)})
	return ir.V(len(g.f.Vals) - 1)
}

func (g *groupMerger) op(o ir.Op, x, y ir.V) ir.V {
	return g.emit(ir.Val{Op: o, Type: ir.I32, Args: [4]ir.V{x, y}})
}

// emit appends an operation to the new code.
func (g *groupMerger) emit(x ir.Val) ir.V {
	g.f.Vals = append(g.f.Vals, x)
	v := ir.V(len(g.f.Vals) - 1)
	g.code = append(g.code, v)
	return v
}

// replace makes v another name of x: x + 0.
func (g *groupMerger) replace(v, x ir.V) {
	*g.f.Val(v) = ir.Val{Op: ir.Add, Type: ir.I32, Args: [4]ir.V{x, g.constant(0)}, Origin: g.f.Val(v).Origin}
	g.code = append(g.code, v)
}

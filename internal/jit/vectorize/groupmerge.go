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
// since the lanes of a strip are then invocations of several workgroups. A merged workgroup is one row, whose invocations have the
// order of the former ones: all of a workgroup are before those of the next. n, the GlobalInvocationId.x of a merged one, counts them.
//
//	local 4 2 1     WorkgroupId.x          →  n / 8
//	                LocalInvocationIndex   →  n − 8 · (n / 8)
//	                LocalInvocationId.x    →  LocalInvocationIndex mod 4
//	                LocalInvocationId.y    →  LocalInvocationIndex / 4
//	                GlobalInvocationId.x   →  4 · WorkgroupId.x + LocalInvocationId.x
//	                GlobalInvocationId.y   →  2 · WorkgroupId.y + LocalInvocationId.y
//	                NumWorkgroups          →  the same: the run passes the numbers of the dispatch
//	local 256 1 1   the body               →  returns where n ≥ 8 · NumWorkgroups.x

// Sizes of workgroups: the largest that is merged, and of the merged ones. More than fewGroupsMerged workgroups become one if that leaves
// at least three quarters of the lanes of a row to its workgroups.
const (
	MaxSmallGroup   = 32
	mergedGroup     = 256
	fewGroupsMerged = 64
	maxGroupsMerged = 256
)

// MergedGroups is a program with merged workgroups.
type MergedGroups struct {
	Program *ir.Program
	Factor  uint32 // workgroups that are one
	Written []int  // resources that are stored to, and must share no byte with other bindings
}

// MergeWorkgroups returns p with workgroups of several consecutive workgroups in x. It returns the zero value if the
// workgroups are large enough, or a result could tell. The merged program is for dispatches without a base in x and with less than
// 2³² invocations in a row of workgroups; likely, rows have that many workgroups.
func MergeWorkgroups(p *ir.Program, form vcode.Form, row uint32) MergedGroups {
	small := p.Invocations()
	if p.Stage != ir.Compute || p.Observed || small == 0 || small > MaxSmallGroup || p.QuadRow > 0 || len(p.Funcs) != 1 {
		return MergedGroups{}
	}
	counted := min(p.SubgroupSize, small) // the lanes of a subgroup
	if small%counted != 0 || counted&(counted-1) != 0 || counted > wordLanes {
		counted = 0
	}
	factor := uint32(maxGroupsMerged)
	for factor*small > mergedGroup || factor > fewGroupsMerged && row/4 < factor {
		factor /= 2
	}
	g := groupMerger{p: p.Clone(), local: p.LocalSize, small: small, counted: counted}
	g.f = g.p.Funcs[0]
	g.p.LocalSize = [3]uint32{factor * small, 1, 1}
	for r := range g.p.Res {
		g.p.Res[r].Disjoint = false // it speaks of one former workgroup
	}
	if !g.rewrite() {
		return MergedGroups{}
	}
	m := MergeOf(g.p, form)
	if m.Widest <= g.p.SubgroupSize {
		return MergedGroups{}
	}
	return MergedGroups{g.p, factor, m.Written}
}

// groupMerger rewrites a program for merged workgroups.
type groupMerger struct {
	p       *ir.Program
	f       *ir.Func
	local   [3]uint32 // former LocalSize
	small   uint32    // former number of invocations
	counted uint32    // lanes of a former subgroup; 0 if they are no power of two
	code    []ir.V    // the new code
}

// rewrite replaces the inputs that tell where a workgroup begins; false if the invocations of a workgroup meet, if there is a loop, whose
// budget needs an exit to Go, or if an input has another type.
func (g *groupMerger) rewrite() bool {
	for _, in := range g.p.In {
		if in.Type != ir.I32 && placed(in.Semantic) {
			return false
		}
	}
	old := g.f.Code
	for _, v := range old {
		switch x := g.f.Val(v); {
		case x.Op == ir.Count || x.Op == ir.CountEdge:
			if g.counted == 0 || x.Aux>>32 != 0 {
				return false
			}
			x.Aux |= uint64(g.counted) << 32
		case x.Op.Is(ir.Meets) || x.Op == ir.Loop: // a quad may be a workgroup
			return false
		}
	}
	g.code = append(make([]ir.V, 0, len(old)+32), old[0])
	g.guard()
	for _, v := range old[1:] {
		x := *g.f.Val(v)
		if x.Op == ir.In {
			if y := g.place(g.p.In[x.Aux].Semantic); y != 0 {
				g.replace(v, y)
				continue
			}
		}
		g.code = append(g.code, v)
	}
	g.f.Code = g.code
	return true
}

// placed reports whether an input depends on the place of an invocation or on the number of workgroups in x.
func placed(s ir.Semantic) bool {
	switch s {
	case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY, ir.GlobalInvocationIdZ, ir.LocalInvocationIdX, ir.LocalInvocationIdY,
		ir.LocalInvocationIdZ, ir.WorkgroupIdX, ir.WorkgroupIdY, ir.WorkgroupIdZ, ir.NumWorkgroupsX, ir.LocalInvocationIndex:
		return true
	}
	return false
}

// place emits the former value of an input; 0 if the input has it still.
func (g *groupMerger) place(s ir.Semantic) ir.V {
	switch s {
	case ir.WorkgroupIdX:
		return g.workgroup()
	case ir.LocalInvocationIndex:
		return g.index()
	case ir.LocalInvocationIdX:
		return g.remainder(g.index(), g.local[0])
	case ir.LocalInvocationIdY:
		return g.remainder(g.quotient(g.index(), g.local[0]), g.local[1])
	case ir.LocalInvocationIdZ:
		return g.quotient(g.index(), g.local[0]*g.local[1])
	case ir.GlobalInvocationIdX:
		if g.small == g.local[0] {
			return 0
		}
		return g.global(g.workgroup(), ir.LocalInvocationIdX, 0)
	case ir.GlobalInvocationIdY:
		return g.global(g.input(ir.WorkgroupIdY), ir.LocalInvocationIdY, 1)
	case ir.GlobalInvocationIdZ:
		return g.global(g.input(ir.WorkgroupIdZ), ir.LocalInvocationIdZ, 2)
	}
	return 0
}

// global emits a former GlobalInvocationId of the position of a workgroup.
func (g *groupMerger) global(workgroup ir.V, local ir.Semantic, axis int) ir.V {
	if g.local[axis] == 1 {
		return workgroup
	}
	return g.op(ir.Add, g.op(ir.Mul, workgroup, g.constant(g.local[axis])), g.place(local))
}

// guard ends the invocations after the last workgroup of the dispatch.
func (g *groupMerger) guard() {
	end := g.op(ir.Mul, g.input(ir.NumWorkgroupsX), g.constant(g.small))
	beyond := g.emit(ir.Val{Op: ir.ULe, Type: ir.B1, Args: [4]ir.V{end, g.input(ir.GlobalInvocationIdX)}})
	region := g.emit(ir.Val{Op: ir.If, Args: [4]ir.V{beyond}})
	g.emit(ir.Val{Op: ir.Br, Args: [4]ir.V{g.f.Body(), 0, 0, ir.V(len(g.f.Extra))}})
	g.emit(ir.Val{Op: ir.End, Args: [4]ir.V{region}})
}

// workgroup emits the former WorkgroupId.x.
func (g *groupMerger) workgroup() ir.V { return g.quotient(g.input(ir.GlobalInvocationIdX), g.small) }

// index emits the former LocalInvocationIndex.
func (g *groupMerger) index() ir.V { return g.remainder(g.input(ir.GlobalInvocationIdX), g.small) }

// quotient emits x / n.
func (g *groupMerger) quotient(x ir.V, n uint32) ir.V {
	switch shift := bits.TrailingZeros32(n); {
	case n == 1:
		return x
	case n == 1<<shift:
		return g.op(ir.LShr, x, g.constant(uint32(shift)))
	}
	return g.op(ir.UDiv, x, g.constant(n))
}

// remainder emits x mod n.
func (g *groupMerger) remainder(x ir.V, n uint32) ir.V {
	return g.op(ir.Sub, x, g.op(ir.Mul, g.quotient(x, n), g.constant(n)))
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

// constant returns a constant of 32 bits, which needs no operation in the code.
func (g *groupMerger) constant(x uint32) ir.V {
	g.f.Vals = append(g.f.Vals, ir.Val{Op: ir.Const, Type: ir.I32, Aux: uint64(x)})
	return ir.V(len(g.f.Vals) - 1)
}

// op emits an operation on two numbers of 32 bits.
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
	zero := g.constant(0) // it may move the values
	*g.f.Val(v) = ir.Val{Op: ir.Add, Type: ir.I32, Args: [4]ir.V{x, zero}, Origin: g.f.Val(v).Origin}
	g.code = append(g.code, v)
}

package jit

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
)

// current is the number of the subgroup that runs.
func (v *visit) current() int {
	return int(v.ctx.Args[amd64.ArgCurrent]-v.ctx.Args[amd64.ArgSubgroups]) / amd64.SubgroupBytes
}

// input is a built-in of a type that has no code of its own, cut to the type.
func (v *visit) input() {
	in := v.p.p.In[v.site.Key.Aux]
	for lane := range v.set.All {
		v.define(lane, uint64(v.builtIn(in.Semantic, uint32(lane)))&in.Type.Mask())
	}
}

func (v *visit) builtIn(s ir.Semantic, lane uint32) uint32 {
	p, group := v.p.p, v.group()
	index := uint32(v.current())*p.SubgroupSize + lane
	local := v.local(index)
	switch s {
	case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY, ir.GlobalInvocationIdZ:
		i := s - ir.GlobalInvocationIdX
		return group[i]*p.LocalSize[i] + local[i]
	case ir.LocalInvocationIdX, ir.LocalInvocationIdY, ir.LocalInvocationIdZ:
		return local[s-ir.LocalInvocationIdX]
	case ir.WorkgroupIdX, ir.WorkgroupIdY, ir.WorkgroupIdZ:
		return group[s-ir.WorkgroupIdX]
	case ir.NumWorkgroupsX, ir.NumWorkgroupsY, ir.NumWorkgroupsZ:
		return v.job.Groups[s-ir.NumWorkgroupsX]
	case ir.LocalInvocationIndex:
		return index
	case ir.SubgroupLocalInvocationId:
		return lane
	case ir.SubgroupId:
		return uint32(v.current())
	case ir.NumSubgroups:
		return p.Subgroups()
	}
	return 0
}

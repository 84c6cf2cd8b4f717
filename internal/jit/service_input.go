package jit

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// subgroupIndex returns the index of the current subgroup.
func (c *serviceCall) subgroupIndex() int {
	return int(c.ctx.Args[target.ArgCurrent]-c.ctx.Args[target.ArgSubgroups]) / target.SubgroupBytes
}

// input returns a built-in of a type without machine code, truncated to the type.
func (c *serviceCall) input() {
	in := c.variant.source.In[c.site.Key.Aux]
	for lane := range c.active.All {
		c.define(lane, uint64(c.builtIn(in.Semantic, uint32(lane)))&in.Type.Mask())
	}
}

// WorkgroupId includes the base of vkCmdDispatchBase, and NumWorkgroups does not (Vulkan §"Built-In
// Variables"). GlobalInvocationId is WorkgroupId · WorkgroupSize + LocalInvocationId.
func (c *serviceCall) builtIn(s ir.Semantic, lane uint32) uint32 {
	p, group := c.variant.source, c.group()
	index := uint32(c.subgroupIndex())*p.SubgroupSize + lane
	local := c.localID(index)
	switch s {
	case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY, ir.GlobalInvocationIdZ:
		i := s - ir.GlobalInvocationIdX
		return group[i]*p.LocalSize[i] + local[i]
	case ir.LocalInvocationIdX, ir.LocalInvocationIdY, ir.LocalInvocationIdZ:
		return local[s-ir.LocalInvocationIdX]
	case ir.WorkgroupIdX, ir.WorkgroupIdY, ir.WorkgroupIdZ:
		return group[s-ir.WorkgroupIdX]
	case ir.NumWorkgroupsX, ir.NumWorkgroupsY, ir.NumWorkgroupsZ:
		return c.job.Groups[s-ir.NumWorkgroupsX]
	case ir.LocalInvocationIndex:
		return index
	case ir.SubgroupLocalInvocationId:
		return lane
	case ir.SubgroupId:
		return uint32(c.subgroupIndex())
	case ir.NumSubgroups:
		return p.Subgroups()
	}
	return 0
}

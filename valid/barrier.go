package valid

import (
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// barrierFamily checks barrier instructions (SPIR-V §3.3.20): the execution
// models that may use them, and their scopes and semantics (scope.go,
// semantics.go). That the two halves of a split barrier match along every path
// is checked by split_barrier.go, uniform control flow by uniformity.go.
var barrierFamily = family{
	rules: []Rule{
		{Code: "SPV-Barrier-Model", Section: "SPIR-V 3.3.20", Words: "before SPIR-V 1.3 OpControlBarrier is for tessellation control, compute, kernel, mesh and task shaders"},
		{Code: vuid.StandaloneSpirv_OpControlBarrier_04682, Section: environment, Words: "OpControlBarrier in stages without workgroups has the execution scope Subgroup"},
		{Code: vuid.StandaloneSpirv_OpControlBarrierArriveEXT_13553, Section: environment, Words: "a split barrier has the execution scope Workgroup or Subgroup"},
		{Code: vuid.StandaloneSpirv_SplitBarrierEXT_13552, Section: environment, Words: "split barriers are for compute shaders"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpControlBarrier:          scopeJudge((*scopes).controlBarrier),
		spirv.OpMemoryBarrier:           scopeJudge((*scopes).memoryBarrier),
		spirv.OpControlBarrierArriveEXT: scopeJudge((*scopes).splitBarrier),
		spirv.OpControlBarrierWaitEXT:   scopeJudge((*scopes).splitBarrier),
		spirv.OpMemoryNamedBarrier:      scopeJudge((*scopes).namedBarrier),
	},
}

// inControl is the set of models that may use OpControlBarrier before SPIR-V 1.3.
const inControl = inTessellationControl | inWorkgroups

// inSubgroups is the set of models in which OpControlBarrier synchronizes the
// subgroup alone. A barrier over the workgroup also violates the scope rule
// there, and a user may search for either code: both are reported.
const inSubgroups = inRayTracing&^inCallable | inFragment | inVertex | inTessellationEvaluation | inGeometry

// controlBarrier checks OpControlBarrier: its model, and its execution scope in
// models without workgroups.
func (c *scopes) controlBarrier(i int, in spirv.Inst) {
	v := inst.ControlBarrier(in)
	if !c.since(spirv.Version13) {
		c.onlyIn(i, inControl, "SPV-Barrier-Model")
	}
	alone := c.callerModels() & inSubgroups
	if s, ok := c.scopeOperand(i, v.Execution()); ok && c.vulkan && alone != 0 && s == spirv.ScopeWorkgroup { // other wrong scopes are not execution scopes at all
		c.fail(i, vuid.StandaloneSpirv_OpControlBarrier_04682, "the execution scope of OpControlBarrier is %s in a function that a %s entry point calls; must be Subgroup", s, alone)
	}
	c.barrier(i, v.Execution(), v.Memory(), v.Semantics())
}

// barrier checks the operands of an execution barrier.
func (c *scopes) barrier(i int, execution, memory, sem spirv.ID) {
	c.executionScope(i, execution)
	s, ok := c.memoryScope(i, memory)
	c.semanticsOperand(i, sem, s, ok)
}

func (c *scopes) memoryBarrier(i int, in spirv.Inst) {
	v := inst.MemoryBarrier(in)
	s, ok := c.memoryScope(i, v.Memory())
	c.semanticsOperand(i, v.Semantics(), s, ok)
}

func (c *scopes) namedBarrier(i int, in spirv.Inst) {
	v := inst.MemoryNamedBarrier(in)
	s, ok := c.memoryScope(i, v.Memory())
	c.semanticsOperand(i, v.Semantics(), s, ok)
}

// splitBarrier checks one half of a split barrier (SPV_EXT_split_barrier); Arrive
// and Wait have the same operands.
func (c *scopes) splitBarrier(i int, in spirv.Inst) {
	v := inst.ControlBarrierArriveEXT(in)
	if c.vulkan {
		c.onlyIn(i, inGLCompute, vuid.StandaloneSpirv_SplitBarrierEXT_13552)
	}
	c.barrier(i, v.Execution(), v.Memory(), v.Semantics())
}

package valid

import (
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// scopeFamily checks the operands that are scopes (SPIR-V §3.2.26). The check
// functions of atomics, barriers, memory operands and groups call
// executionScope and memoryScope.
var scopeFamily = family{
	rules: []Rule{
		{Code: "SPV-Scope-Constant", Section: "SPIR-V 3.2.26", Words: "in shaders, a scope is an OpConstant, or any constant with CooperativeMatrixNV"},
		{Code: "SPV-Scope-Type", Section: "SPIR-V 3.2.26", Words: "the scope of a memory operand or an image operand is an integer of 32 bits"},
		{Code: "SPV-Scope-Value", Section: "SPIR-V 3.2.26", Words: "a scope is a defined scope"},
		{Code: "SPV-Scope-NonUniform", Section: "SPIR-V 3.3.24", Words: "the scope of a non-uniform instruction is Subgroup, or Workgroup for a rotation"},
		{Code: "SPV-Scope-Group", Section: "SPIR-V 3.3.21", Words: "the scope of a group instruction is Subgroup or Workgroup"},
		{Code: "SPV-Scope-ShaderCall", Section: "SPIR-V 3.2.26", Words: "the scope ShaderCallKHR needs the capability RayTracingKHR"},
		{Code: "SPV-Scope-QueueFamily", Section: "SPIR-V 3.2.26", Words: "the scope QueueFamily needs the capability VulkanMemoryModel"},
		{Code: "SPV-Scope-Device", Section: "SPIR-V 2.18.1", Words: "with the Vulkan memory model, the memory scope Device needs the capability VulkanMemoryModelDeviceScope"},
		{Code: vuid.StandaloneSpirv_None_04636, Section: environment, Words: "the execution scope is Workgroup or Subgroup"},
		{Code: vuid.StandaloneSpirv_None_04637, Section: environment, Words: "the execution scope is Workgroup only in task, mesh, tessellation control and compute shaders"},
		{Code: vuid.StandaloneSpirv_None_04638, Section: environment, Words: "the memory scope is Device, QueueFamily, Workgroup, ShaderCallKHR, Subgroup or Invocation"},
		{Code: vuid.StandaloneSpirv_ExecutionModel_07320, Section: environment, Words: "in tessellation control shaders with the memory model GLSL450, the memory scope is not Workgroup"},
		{Code: vuid.StandaloneSpirv_None_07321, Section: environment, Words: "the memory scope is Workgroup only in task, mesh, tessellation control and compute shaders"},
		{Code: vuid.StandaloneSpirv_None_04640, Section: environment, Words: "the memory scope is ShaderCallKHR only in ray tracing shaders"},
		{Code: vuid.StandaloneSpirv_None_04642, Section: environment, Words: "the scope of a group operation is Subgroup"},
		{Code: vuid.StandaloneSpirv_SubgroupVoteKHR_07951, Section: environment, Words: "the memory scope is Subgroup only with a subgroup capability"},
		{Code: "SPV-Clock-Result", Section: "SPIR-V, SPV_KHR_shader_clock", Words: "a clock is a 64-bit unsigned integer, or a vector of two 32-bit unsigned integers"},
		{Code: "SPV-Clock-Scope", Section: "SPIR-V, SPV_KHR_shader_clock", Words: "the scope of a clock is a 32-bit integer; in OpenCL it is Device, Workgroup or Subgroup"},
		{Code: vuid.StandaloneSpirv_OpReadClockKHR_04652, Section: environment, Words: "the scope of OpReadClockKHR is Subgroup or Device"},
		{Code: vuid.RuntimeSpirv_vulkanMemoryModel_06265, Section: environment, Words: "with the feature vulkanMemoryModel, the memory scope Device needs the feature vulkanMemoryModelDeviceScope", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_vulkanMemoryModel_06266, Section: environment, Words: "the memory scope QueueFamily needs the feature vulkanMemoryModel", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_shaderSubgroupClock_06267, Section: environment, Words: "OpReadClockKHR of a subgroup needs the feature shaderSubgroupClock", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_shaderDeviceClock_06268, Section: environment, Words: "OpReadClockKHR of the device needs the feature shaderDeviceClock", Need: NeedDevice},
	},
	insts: map[spirv.Op]judge{spirv.OpReadClockKHR: scopeJudge((*scopes).readClock)},
}

// scopeJudge makes a check of instructions with scopes a judge.
func scopeJudge(check func(c *scopes, i int, in spirv.Inst)) judge {
	return func(c *checker, i int, in spirv.Inst) { check(&c.scopes, i, in) }
}

// scopes checks the instructions with scopes and memory semantics: atomics,
// barriers, group instructions and clocks.
type scopes struct{ *position }

// environment is the section with the rules of scopes, semantics and atomics.
const environment = "Vulkan, Validation Rules within a Module"

// inSharing is the models that may name the scope Workgroup.
const inSharing = inTask | inMesh | inTessellationControl | inGLCompute

// constantOperand returns the value of a scope or of semantics; ok is false
// if it is not known. In a shader it must be an OpConstant.
func (c *subject) constantOperand(i int, id spirv.ID, what, code string) (value uint32, ok bool) {
	k := c.declaredConstant(id)
	if c.capable(spirv.CapabilityShader) {
		matrix := c.capable(spirv.CapabilityCooperativeMatrixNV)
		switch {
		case k == nil && c.code.Def(id) >= 0 && !c.typeless(id):
			c.fail(i, code, "the %s of %s is %s, no constant; must be one in a shader", what, c.code.Inst(i).Op(), c.name(id))
		case k != nil && k.Op != spirv.OpConstant && k.Op != spirv.OpConstantNull && !matrix:
			c.fail(i, code, "the %s of %s is %s, an %s; must be an OpConstant in a shader", what, c.code.Inst(i).Op(), c.name(id), k.Op)
		}
	}
	if k == nil || !k.Known || k.Spec || k.Undef || k.Type == nil || !k.Type.IsInt() || k.Type.Width != 32 {
		return 0, false
	}
	return uint32(k.Bits), true
}

// scopeOperand returns the scope that an operand names.
func (c *subject) scopeOperand(i int, id spirv.ID) (spirv.Scope, bool) {
	v, ok := c.constantOperand(i, id, "scope", "SPV-Scope-Constant")
	if !ok {
		return 0, false
	}
	if spirv.KindScope.Enumerant(v) == nil {
		c.fail(i, "SPV-Scope-Value", "the scope is %d; must be a defined scope", v)
		return 0, false
	}
	return spirv.Scope(v), true
}

// executionScope checks the scope for execution of instruction i.
func (c *position) executionScope(i int, id spirv.ID) { c.executionScopeIn(i, id, c.callerModels()) }

// executionScopeIn checks the scope for execution of instruction i, which is about code that
// entry points of some models call.
func (c *position) executionScopeIn(i int, id spirv.ID, models modelSet) {
	s, ok := c.scopeOperand(i, id)
	if !ok {
		return
	}
	op := c.code.Inst(i).Op()
	grouped := op.Class() == spirv.ClassNonUniform
	switch {
	case op == spirv.OpGroupNonUniformRotateKHR:
		if s != spirv.ScopeSubgroup && s != spirv.ScopeWorkgroup {
			c.fail(i, "SPV-Scope-NonUniform", "the scope of %s is %s; must be Subgroup or Workgroup", op, s)
		}
	case (op.Class() == spirv.ClassGroup || op.Class() == spirv.ClassPipe) && s != spirv.ScopeSubgroup && s != spirv.ScopeWorkgroup && !c.vulkan:
		c.fail(i, "SPV-Scope-Group", "the scope of %s is %s; must be Subgroup or Workgroup", op, s)
	case grouped && s != spirv.ScopeSubgroup && !c.vulkan: // Vulkan has a rule of its own
		c.fail(i, "SPV-Scope-NonUniform", "the scope of %s is %s; must be Subgroup", op, s)
	}
	if !c.vulkan {
		return
	}
	switch {
	case grouped || op.Class() == spirv.ClassGroup:
		if s != spirv.ScopeSubgroup {
			c.fail(i, vuid.StandaloneSpirv_None_04642, "the scope of %s is %s; must be Subgroup", op, s)
		}
	case s != spirv.ScopeWorkgroup && s != spirv.ScopeSubgroup:
		code := vuid.StandaloneSpirv_None_04636
		if op == spirv.OpControlBarrierArriveEXT || op == spirv.OpControlBarrierWaitEXT {
			code = vuid.StandaloneSpirv_OpControlBarrierArriveEXT_13553
		}
		c.fail(i, code, "the execution scope of %s is %s; must be Workgroup or Subgroup", op, s)
	case s == spirv.ScopeWorkgroup:
		if bad := models &^ inSharing; bad != 0 {
			c.fail(i, vuid.StandaloneSpirv_None_04637, "the execution scope of %s is Workgroup in a function that a %s entry point calls; must be in %s", op, bad, inSharing)
		}
	}
}

// operandScope checks the scope of a memory operand or an image operand of
// instruction i.
func (c *position) operandScope(i int, id spirv.ID) {
	if t := c.m.TypeOf(id); t != nil && (!t.IsInt() || t.Width != 32) {
		c.fail(i, "SPV-Scope-Type", "the scope of %s is %s; must be an integer of 32 bits", c.code.Inst(i).Op(), c.typeName(t))
		return
	}
	c.memoryScope(i, id)
}

// memoryScope checks the scope for memory of instruction i, and returns it.
func (c *position) memoryScope(i int, id spirv.ID) (s spirv.Scope, ok bool) {
	if s, ok = c.scopeOperand(i, id); !ok {
		return s, false
	}
	op := c.code.Inst(i).Op()
	switch s {
	case spirv.ScopeShaderCallKHR:
		if !c.capable(spirv.CapabilityRayTracingKHR) {
			c.fail(i, "SPV-Scope-ShaderCall", "the scope of %s is ShaderCallKHR; needs the capability RayTracingKHR", op)
		}
	case spirv.ScopeQueueFamily:
		if !c.capable(spirv.CapabilityVulkanMemoryModel) {
			c.fail(i, "SPV-Scope-QueueFamily", "the scope of %s is QueueFamily; needs the capability VulkanMemoryModel", op)
		}
	case spirv.ScopeDevice:
		if c.capable(spirv.CapabilityVulkanMemoryModel) && !c.capable(spirv.CapabilityVulkanMemoryModelDeviceScope) {
			c.fail(i, "SPV-Scope-Device", "the scope of %s is Device in the Vulkan memory model; needs the capability VulkanMemoryModelDeviceScope", op)
		}
	}
	if c.vulkan {
		c.vulkanMemoryScope(i, op, s)
	}
	return s, true
}

func (c *position) vulkanMemoryScope(i int, op spirv.Op, s spirv.Scope) {
	models := c.callerModels()
	switch s {
	case spirv.ScopeDevice:
		if c.capable(spirv.CapabilityVulkanMemoryModel) && !c.feature(vuid.RuntimeSpirv_vulkanMemoryModel_06265, "vulkanMemoryModelDeviceScope") {
			c.fail(i, vuid.RuntimeSpirv_vulkanMemoryModel_06265, "the memory scope of %s is Device; needs the feature vulkanMemoryModelDeviceScope", op)
		}
	case spirv.ScopeQueueFamily:
		if !c.feature(vuid.RuntimeSpirv_vulkanMemoryModel_06266, "vulkanMemoryModel") {
			c.fail(i, vuid.RuntimeSpirv_vulkanMemoryModel_06266, "the memory scope of %s is QueueFamily; needs the feature vulkanMemoryModel", op)
		}
	case spirv.ScopeWorkgroup:
		if models&inTessellationControl != 0 && c.m.Memory == spirv.MemoryModelGLSL450 {
			c.fail(i, vuid.StandaloneSpirv_ExecutionModel_07320, "the memory scope of %s is Workgroup in a TessellationControl entry point; needs another memory model than GLSL450", op)
		}
		if bad := models &^ inSharing; bad != 0 {
			c.fail(i, vuid.StandaloneSpirv_None_07321, "the memory scope of %s is Workgroup in a function that a %s entry point calls; must be in %s", op, bad, inSharing)
		}
	case spirv.ScopeShaderCallKHR:
		if bad := models &^ inRayTracing; bad != 0 {
			c.fail(i, vuid.StandaloneSpirv_None_04640, "the memory scope of %s is ShaderCallKHR in a function that a %s entry point calls; must be in %s", op, bad, inRayTracing)
		}
	case spirv.ScopeSubgroup:
		if c.subgroupScopes() && !c.anyCapable(spirv.CapabilitySubgroupVoteKHR, spirv.CapabilitySubgroupBallotKHR, spirv.CapabilityGroupNonUniform) {
			c.fail(i, vuid.StandaloneSpirv_SubgroupVoteKHR_07951, "the memory scope of %s is Subgroup; needs the capability SubgroupVoteKHR, SubgroupBallotKHR or GroupNonUniform", op)
		}
	case spirv.ScopeInvocation:
	default:
		c.fail(i, vuid.StandaloneSpirv_None_04638, "the memory scope of %s is %s; must be Device, QueueFamily, Workgroup, ShaderCallKHR, Subgroup or Invocation", op, s)
	}
}

// readClock checks OpReadClockKHR.
func (c *scopes) readClock(i int, in spirv.Inst) {
	if t := c.m.Type(in.Type()); t != nil && !(t.IsInt() && t.Width == 64 && !t.Signed) && !(isVectorOf(t, 2, false, 32) && !t.Elem.Signed) {
		c.fail(i, "SPV-Clock-Result", "OpReadClockKHR yields %s; must yield an unsigned integer of 64 bits, or two of 32", c.typeName(t))
	}
	id := inst.ReadClockKHR(in).Scope()
	if t := c.m.TypeOf(id); t != nil && !isWord(t) {
		c.fail(i, "SPV-Clock-Scope", "the scope of OpReadClockKHR is %s; must be an integer of 32 bits", c.typeName(t))
		return
	}
	s, ok := c.scopeOperand(i, id)
	if ok && c.env.API == OpenCL && s != spirv.ScopeDevice && s != spirv.ScopeWorkgroup && s != spirv.ScopeSubgroup {
		c.fail(i, "SPV-Clock-Scope", "the scope of OpReadClockKHR is %s; must be Device, Workgroup or Subgroup in OpenCL", s)
	}
	if !ok || !c.vulkan {
		return
	}
	switch s {
	case spirv.ScopeSubgroup:
		if !c.feature(vuid.RuntimeSpirv_shaderSubgroupClock_06267, "shaderSubgroupClock") {
			c.fail(i, vuid.RuntimeSpirv_shaderSubgroupClock_06267, "OpReadClockKHR of a subgroup; needs the feature shaderSubgroupClock")
		}
	case spirv.ScopeDevice:
		if !c.feature(vuid.RuntimeSpirv_shaderDeviceClock_06268, "shaderDeviceClock") {
			c.fail(i, vuid.RuntimeSpirv_shaderDeviceClock_06268, "OpReadClockKHR of the device; needs the feature shaderDeviceClock")
		}
	default:
		c.fail(i, vuid.StandaloneSpirv_OpReadClockKHR_04652, "the scope of OpReadClockKHR is %s; must be Subgroup or Device", s)
	}
}

package valid

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// runtimeStageFamily checks in which stages a device has instructions, and the
// modes that a subset of Vulkan may lack (Vulkan, Runtime SPIR-V Validation).
var runtimeStageFamily = family{
	rules: []Rule{
		{Code: vuid.RuntimeSpirv_None_06343, Section: runtimeSection, Words: "group operations with subgroup scope are in the stages of subgroupSupportedStages", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_shaderTensorSupportedStages_09901, Section: runtimeSection, Words: "tensors are used in the stages of shaderTensorSupportedStages", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpTypeCooperativeMatrixNV_06322, Section: runtimeSection, Words: "NVIDIA's cooperative matrices are used in the stages of cooperativeMatrixSupportedStages", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_cooperativeMatrixSupportedStages_08985, Section: runtimeSection, Words: "cooperative matrices are used in the stages of cooperativeMatrixSupportedStages", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_cooperativeVectorSupportedStages_10091, Section: runtimeSection, Words: "cooperative vectors are used in the stages of cooperativeVectorSupportedStages", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_shaderSampleRateInterpolationFunctions_06325, Section: runtimeSection, Words: "with VK_KHR_portability_subset, the capability InterpolationFunction needs the feature shaderSampleRateInterpolationFunctions", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_tessellationShader_06326, Section: runtimeSection, Words: "with VK_KHR_portability_subset, the mode Isolines needs the feature tessellationIsolines", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_tessellationShader_06327, Section: runtimeSection, Words: "with VK_KHR_portability_subset, the mode PointMode needs the feature tessellationPointMode", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_subgroupBroadcastDynamicId_06276, Section: runtimeSection, Words: "the Index of OpGroupNonUniformQuadBroadcast is a constant without the feature subgroupBroadcastDynamicId", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_subgroupBroadcastDynamicId_06277, Section: runtimeSection, Words: "the Id of OpGroupNonUniformBroadcast is a constant without the feature subgroupBroadcastDynamicId", Need: NeedDevice},
	},
	insts: map[spirv.Op]judge{
		spirv.OpCapability:                   (*checker).portableCapability,
		spirv.OpGroupNonUniformBroadcast:     (*checker).dynamicBroadcast,
		spirv.OpGroupNonUniformQuadBroadcast: (*checker).dynamicBroadcast,
	},
	ops: []group{
		{(*checker).subgroupStage, scopedGroups()},
		{(*checker).tensorStage, []spirv.Op{spirv.OpTensorReadARM, spirv.OpTensorWriteARM, spirv.OpTensorQuerySizeARM}},
		{(*checker).cooperativeStage, cooperativeOps()},
	},
	after: []func(*checker){(*checker).portableModes},
}

// cooperativeOps are the instructions on cooperative matrices and vectors, the
// types excluded.
func cooperativeOps() []spirv.Op {
	var out []spirv.Op
	for _, r := range spirv.Ops() {
		op := spirv.Op(r.Value())
		if kind, _, _ := cooperativeKind(op); kind != "" {
			out = append(out, op)
		}
	}
	return out
}

// cooperativeKind returns the kind of values of a cooperative instruction, and the
// property with the stages that may have it; empty for other instructions.
func cooperativeKind(op spirv.Op) (kind, property, code string) {
	name := op.String()
	switch {
	case strings.HasPrefix(name, "OpCooperativeVector"):
		return "cooperative vectors", "cooperativeVectorSupportedStages", vuid.RuntimeSpirv_cooperativeVectorSupportedStages_10091
	case !strings.HasPrefix(name, "OpCooperativeMatrix"):
		return "", "", ""
	}
	switch op {
	case spirv.OpCooperativeMatrixLoadNV, spirv.OpCooperativeMatrixStoreNV, spirv.OpCooperativeMatrixMulAddNV, spirv.OpCooperativeMatrixLengthNV:
		return "NVIDIA's cooperative matrices", "cooperativeMatrixSupportedStages", vuid.RuntimeSpirv_OpTypeCooperativeMatrixNV_06322
	}
	return "cooperative matrices", "cooperativeMatrixSupportedStages", vuid.RuntimeSpirv_cooperativeMatrixSupportedStages_08985
}

// stageBits are VkShaderStageFlagBits of the models that have one.
var stageBits = map[modelSet]uint64{
	inVertex: 0x1, inTessellationControl: 0x2, inTessellationEvaluation: 0x4, inGeometry: 0x8, inFragment: 0x10, inGLCompute: 0x20,
	inTaskNV: 0x40, inTaskEXT: 0x40, inMeshNV: 0x80, inMeshEXT: 0x80, inRayGeneration: 0x100, inAnyHit: 0x200, inClosestHit: 0x400,
	inMiss: 0x800, inIntersection: 0x1000, inCallable: 0x2000,
}

// inStages checks whether the stages that reach the walk's function are all in a
// property of the device.
func (c *checker) inStages(i int, code, property, what string) {
	models := c.callerModels()
	if !c.vulkan || models == 0 {
		return
	}
	have, ok := c.limit(code, property)
	if !ok {
		return
	}
	bad := modelSet(0)
	for m, bit := range stageBits {
		if models&m != 0 && have&bit == 0 {
			bad |= m
		}
	}
	if bad != 0 {
		c.fail(i, code, "%s in a function that a %s entry point calls; must be in one of the stages %s", what, bad, property)
	}
}

// subgroupStage checks a group operation by its scope.
func (c *checker) subgroupStage(i int, in spirv.Inst) {
	if !in.Op().HasType() || len(in) < 4 {
		return
	}
	if k := c.m.Const(spirv.ID(in[3])); k != nil && k.Known && spirv.Scope(k.Bits) == spirv.ScopeSubgroup {
		c.inStages(i, vuid.RuntimeSpirv_None_06343, "subgroupSupportedStages", in.Op().String())
	}
}

func (c *checker) tensorStage(i int, in spirv.Inst) {
	c.inStages(i, vuid.RuntimeSpirv_shaderTensorSupportedStages_09901, "shaderTensorSupportedStages", in.Op().String())
}

func (c *checker) cooperativeStage(i int, in spirv.Inst) {
	_, property, code := cooperativeKind(in.Op())
	c.inStages(i, code, property, in.Op().String())
}

// dynamicBroadcast checks the lane that a broadcast reads; before SPIR-V 1.5
// another rule does.
func (c *checker) dynamicBroadcast(i int, in spirv.Inst) {
	code, what := vuid.RuntimeSpirv_subgroupBroadcastDynamicId_06277, "Id"
	if in.Op() == spirv.OpGroupNonUniformQuadBroadcast {
		code, what = vuid.RuntimeSpirv_subgroupBroadcastDynamicId_06276, "Index"
	}
	if !c.vulkan || !c.since(spirv.Version15) || len(in) < 6 || c.m.TypeOf(spirv.ID(in[5])) == nil || c.m.Const(spirv.ID(in[5])) != nil {
		return
	}
	if !c.feature(code, "subgroupBroadcastDynamicId") {
		c.fail(i, code, "the %s of %s is no constant; must be one or have the feature subgroupBroadcastDynamicId", what, in.Op())
	}
}

// lacksPortable reports whether the device is known to be of the portability subset
// and to lack a feature of it.
func (c *checker) lacksPortable(code, feature string) bool {
	if on, known := c.env.Device.extension("VK_KHR_portability_subset"); !on || !known {
		if !known {
			c.unknown(code)
		}
		return false
	}
	return !c.feature(code, feature)
}

func (c *checker) portableCapability(i int, in spirv.Inst) {
	const code = vuid.RuntimeSpirv_shaderSampleRateInterpolationFunctions_06325
	if c.vulkan && spirv.Capability(in[1]) == spirv.CapabilityInterpolationFunction && c.lacksPortable(code, "shaderSampleRateInterpolationFunctions") {
		c.fail(i, code, "the capability InterpolationFunction on a device of VK_KHR_portability_subset without shaderSampleRateInterpolationFunctions; must have it")
	}
}

// portableModes checks the modes of tessellation.
func (c *checker) portableModes() {
	if !c.vulkan {
		return
	}
	for n := range c.m.EntryPoints {
		for _, m := range c.m.EntryPoints[n].Modes {
			code, feature := "", ""
			switch m.Kind {
			case spirv.ExecutionModeIsolines:
				code, feature = vuid.RuntimeSpirv_tessellationShader_06326, "tessellationIsolines"
			case spirv.ExecutionModePointMode:
				code, feature = vuid.RuntimeSpirv_tessellationShader_06327, "tessellationPointMode"
			default:
				continue
			}
			if c.lacksPortable(code, feature) {
				c.fail(m.Index, code, "%s on a device of VK_KHR_portability_subset without %s; must have it", m.Kind, feature)
			}
		}
	}
}

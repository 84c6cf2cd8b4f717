package valid

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// runtimeFamily checks entry points and their modes by the limits and features
// of a device (Vulkan, Runtime SPIR-V Validation).
var runtimeFamily = family{
	rules: append(runtimeRules(), []Rule{
		{Code: vuid.RuntimeSpirv_x_06432, Section: runtimeSection, Words: "a compute workgroup has at most maxComputeWorkGroupInvocations invocations", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_TaskEXT_07294, Section: runtimeSection, Words: "a task workgroup has at most maxTaskWorkGroupInvocations invocations", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_MeshEXT_07298, Section: runtimeSection, Words: "a mesh workgroup has at most maxMeshWorkGroupInvocations invocations", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_denormBehaviorIndependence_06289, Section: runtimeSection, Words: "if denormBehaviorIndependence is 32_BIT_ONLY, the denormal modes of 16 and 64 bits are the same", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_denormBehaviorIndependence_06290, Section: runtimeSection, Words: "if denormBehaviorIndependence is NONE, the denormal modes of all widths are the same", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_roundingModeIndependence_06291, Section: runtimeSection, Words: "if roundingModeIndependence is 32_BIT_ONLY, the rounding modes of 16 and 64 bits are the same", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_roundingModeIndependence_06292, Section: runtimeSection, Words: "if roundingModeIndependence is NONE, the rounding modes of all widths are the same", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_meshAndTaskShaderDerivatives_10153, Section: runtimeSection, Words: "task and mesh shaders have derivative modes only with meshAndTaskShaderDerivatives", Need: NeedDevice},
	}...),
	after: []func(*checker){(*checker).runtime},
}

// groupLimit is the limits of a workgroup of one model.
type groupLimit struct {
	model spirv.ExecutionModel
	size  string // the limit of each dimension, before the suffix [n]
	codes [3]string
	total string // the limit of all
	code  string
}

// groupLimits are the limits of workgroups.
var groupLimits = [...]groupLimit{
	{spirv.ExecutionModelGLCompute, "maxComputeWorkGroupSize", [3]string{vuid.RuntimeSpirv_x_06429, vuid.RuntimeSpirv_y_06430, vuid.RuntimeSpirv_z_06431},
		"maxComputeWorkGroupInvocations", vuid.RuntimeSpirv_x_06432},
	{spirv.ExecutionModelTaskEXT, meshProperty + "maxTaskWorkGroupSize", [3]string{vuid.RuntimeSpirv_TaskEXT_07291, vuid.RuntimeSpirv_TaskEXT_07292, vuid.RuntimeSpirv_TaskEXT_07293},
		meshProperty + "maxTaskWorkGroupInvocations", vuid.RuntimeSpirv_TaskEXT_07294},
	{spirv.ExecutionModelMeshEXT, meshProperty + "maxMeshWorkGroupSize", [3]string{vuid.RuntimeSpirv_MeshEXT_07295, vuid.RuntimeSpirv_MeshEXT_07296, vuid.RuntimeSpirv_MeshEXT_07297},
		meshProperty + "maxMeshWorkGroupInvocations", vuid.RuntimeSpirv_MeshEXT_07298},
}

// meshProperty and meshPropertyNV are the prefixes of the limits of mesh shaders:
// two extensions use the same names.
const (
	meshProperty   = "VkPhysicalDeviceMeshShaderPropertiesEXT::"
	meshPropertyNV = "VkPhysicalDeviceMeshShaderPropertiesNV::"
)

// controlRow is the property that a mode of floats needs.
type controlRow struct {
	mode     spirv.ExecutionMode
	width    uint32
	property string
	code     string
}

// controlRows are the modes of floats.
var controlRows = [...]controlRow{
	{spirv.ExecutionModeSignedZeroInfNanPreserve, 16, "shaderSignedZeroInfNanPreserveFloat16", vuid.RuntimeSpirv_shaderSignedZeroInfNanPreserveFloat16_06293},
	{spirv.ExecutionModeSignedZeroInfNanPreserve, 32, "shaderSignedZeroInfNanPreserveFloat32", vuid.RuntimeSpirv_shaderSignedZeroInfNanPreserveFloat32_06294},
	{spirv.ExecutionModeSignedZeroInfNanPreserve, 64, "shaderSignedZeroInfNanPreserveFloat64", vuid.RuntimeSpirv_shaderSignedZeroInfNanPreserveFloat64_06295},
	{spirv.ExecutionModeDenormPreserve, 16, "shaderDenormPreserveFloat16", vuid.RuntimeSpirv_shaderDenormPreserveFloat16_06296},
	{spirv.ExecutionModeDenormPreserve, 32, "shaderDenormPreserveFloat32", vuid.RuntimeSpirv_shaderDenormPreserveFloat32_06297},
	{spirv.ExecutionModeDenormPreserve, 64, "shaderDenormPreserveFloat64", vuid.RuntimeSpirv_shaderDenormPreserveFloat64_06298},
	{spirv.ExecutionModeDenormFlushToZero, 16, "shaderDenormFlushToZeroFloat16", vuid.RuntimeSpirv_shaderDenormFlushToZeroFloat16_06299},
	{spirv.ExecutionModeDenormFlushToZero, 32, "shaderDenormFlushToZeroFloat32", vuid.RuntimeSpirv_shaderDenormFlushToZeroFloat32_06300},
	{spirv.ExecutionModeDenormFlushToZero, 64, "shaderDenormFlushToZeroFloat64", vuid.RuntimeSpirv_shaderDenormFlushToZeroFloat64_06301},
	{spirv.ExecutionModeRoundingModeRTE, 16, "shaderRoundingModeRTEFloat16", vuid.RuntimeSpirv_shaderRoundingModeRTEFloat16_06302},
	{spirv.ExecutionModeRoundingModeRTE, 32, "shaderRoundingModeRTEFloat32", vuid.RuntimeSpirv_shaderRoundingModeRTEFloat32_06303},
	{spirv.ExecutionModeRoundingModeRTE, 64, "shaderRoundingModeRTEFloat64", vuid.RuntimeSpirv_shaderRoundingModeRTEFloat64_06304},
	{spirv.ExecutionModeRoundingModeRTZ, 16, "shaderRoundingModeRTZFloat16", vuid.RuntimeSpirv_shaderRoundingModeRTZFloat16_06305},
	{spirv.ExecutionModeRoundingModeRTZ, 32, "shaderRoundingModeRTZFloat32", vuid.RuntimeSpirv_shaderRoundingModeRTZFloat32_06306},
	{spirv.ExecutionModeRoundingModeRTZ, 64, "shaderRoundingModeRTZFloat64", vuid.RuntimeSpirv_shaderRoundingModeRTZFloat64_06307},
}

// featureRows are the features that modes need.
var featureRows = [...]struct {
	mode    spirv.ExecutionMode
	feature string
	code    string
}{
	{spirv.ExecutionModeEarlyAndLateFragmentTestsAMD, "shaderEarlyAndLateFragmentTests", vuid.RuntimeSpirv_shaderEarlyAndLateFragmentTests_06767},
	{spirv.ExecutionModeStencilRefUnchangedFrontAMD, "shaderEarlyAndLateFragmentTests", vuid.RuntimeSpirv_shaderEarlyAndLateFragmentTests_06768},
	{spirv.ExecutionModeStencilRefUnchangedBackAMD, "shaderEarlyAndLateFragmentTests", vuid.RuntimeSpirv_shaderEarlyAndLateFragmentTests_06769},
	{spirv.ExecutionModeStencilRefGreaterFrontAMD, "shaderEarlyAndLateFragmentTests", vuid.RuntimeSpirv_shaderEarlyAndLateFragmentTests_06770},
	{spirv.ExecutionModeStencilRefGreaterBackAMD, "shaderEarlyAndLateFragmentTests", vuid.RuntimeSpirv_shaderEarlyAndLateFragmentTests_06771},
	{spirv.ExecutionModeStencilRefLessFrontAMD, "shaderEarlyAndLateFragmentTests", vuid.RuntimeSpirv_shaderEarlyAndLateFragmentTests_06772},
	{spirv.ExecutionModeStencilRefLessBackAMD, "shaderEarlyAndLateFragmentTests", vuid.RuntimeSpirv_shaderEarlyAndLateFragmentTests_06773},
	{spirv.ExecutionModeSubgroupUniformControlFlowKHR, "shaderSubgroupUniformControlFlow", vuid.RuntimeSpirv_SubgroupUniformControlFlowKHR_06379},
	{spirv.ExecutionModeLocalSizeId, "maintenance4", vuid.RuntimeSpirv_LocalSizeId_06434},
}

// runtimeRules states the rules of the rows in words.
func runtimeRules() []Rule {
	var out []Rule
	add := func(code, words string) {
		out = append(out, Rule{Code: code, Section: runtimeSection, Words: words, Need: NeedDevice})
	}
	for _, r := range groupLimits {
		for n, code := range r.codes {
			add(code, "dimension "+itoa(uint64(n))+" of a "+r.model.String()+" workgroup is within "+r.size)
		}
	}
	for _, r := range controlRows {
		add(r.code, r.mode.String()+" for "+itoa(uint64(r.width))+" bits needs "+r.property)
	}
	for _, r := range featureRows {
		add(r.code, r.mode.String()+" needs the feature "+r.feature)
	}
	return out
}

// runtime checks each entry point. Modes that names of the same function share
// are checked once.
func (c *checker) runtime() {
	if !c.vulkan {
		return
	}
	done := map[spirv.ID]bool{}
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		c.groupSize(e)
		if done[e.ID] {
			continue
		}
		done[e.ID] = true
		for _, m := range e.Modes {
			c.runtimeMode(e, m)
		}
		c.independence(e, "denormBehaviorIndependence", spirv.ExecutionModeDenormPreserve, spirv.ExecutionModeDenormFlushToZero,
			vuid.RuntimeSpirv_denormBehaviorIndependence_06289, vuid.RuntimeSpirv_denormBehaviorIndependence_06290)
		c.independence(e, "roundingModeIndependence", spirv.ExecutionModeRoundingModeRTE, spirv.ExecutionModeRoundingModeRTZ,
			vuid.RuntimeSpirv_roundingModeIndependence_06291, vuid.RuntimeSpirv_roundingModeIndependence_06292)
	}
}

// limitName returns the name of a limit without the structure that holds it.
func limitName(limit string) string { return limit[strings.LastIndexByte(limit, ':')+1:] }

// groupSize checks how large a workgroup is.
func (c *checker) groupSize(e *facts.EntryPoint) {
	for k := range groupLimits {
		r := &groupLimits[k]
		if r.model != e.Model || !e.HasLocalSize {
			continue
		}
		all := uint64(1)
		for n, have := range e.LocalSize {
			limit := r.size + "[" + itoa(uint64(n)) + "]"
			if most, ok := c.limit(r.codes[n], limit); ok && uint64(have) > most {
				c.fail(e.Index, r.codes[n], "dimension %d of the workgroup is %d; must be at most %s, %d", n, have, limitName(limit), most)
			}
			all = min(all*uint64(have), 1<<31) // beyond any limit, and no product overflows
		}
		if most, ok := c.limit(r.code, r.total); ok && all > most {
			c.fail(e.Index, r.code, "the workgroup has %d invocations; must have at most %s, %d", all, limitName(r.total), most)
		}
	}
}

// runtimeMode checks one mode.
func (c *checker) runtimeMode(e *facts.EntryPoint, m facts.Mode) {
	switch m.Kind {
	case spirv.ExecutionModeSignedZeroInfNanPreserve, spirv.ExecutionModeDenormPreserve, spirv.ExecutionModeDenormFlushToZero,
		spirv.ExecutionModeRoundingModeRTE, spirv.ExecutionModeRoundingModeRTZ:
		for k := range controlRows {
			r := &controlRows[k]
			if r.mode != m.Kind || len(m.Operands) == 0 || m.Operands[0] != r.width {
				continue
			}
			if on, ok := c.limit(r.code, r.property); ok && on == 0 {
				c.fail(m.Index, r.code, "%s of %d bits on a device without %s; must have it", m.Kind, r.width, r.property)
			}
		}
	case spirv.ExecutionModeDerivativeGroupQuadsKHR, spirv.ExecutionModeDerivativeGroupLinearKHR:
		if modelOf(e.Model)&(inMesh|inTask) == 0 {
			return
		}
		if on, ok := c.limit(vuid.RuntimeSpirv_meshAndTaskShaderDerivatives_10153, "meshAndTaskShaderDerivatives"); ok && on == 0 {
			c.fail(m.Index, vuid.RuntimeSpirv_meshAndTaskShaderDerivatives_10153, "%s of a %s entry point; needs meshAndTaskShaderDerivatives", m.Kind, e.Model)
		}
	default:
		for k := range featureRows {
			r := &featureRows[k]
			if r.mode == m.Kind && !(m.Kind == spirv.ExecutionModeLocalSizeId && c.env.AllowLocalSizeID) && !c.feature(r.code, r.feature) {
				c.fail(m.Index, r.code, "%s without the feature %s; must have it", m.Kind, r.feature)
			}
		}
	}
}

// independence checks whether widths of floats may have modes of their own, of
// two kinds that exclude each other.
func (c *checker) independence(e *facts.EntryPoint, property string, a, b spirv.ExecutionMode, apart, none string) {
	var kind [3]spirv.ExecutionMode // of 16, 32 and 64 bits
	var has [3]bool
	any, at := false, e.Index
	for _, m := range e.Modes {
		if m.Kind != a && m.Kind != b || len(m.Operands) == 0 {
			continue
		}
		k := map[uint32]int{16: 0, 32: 1, 64: 2}[m.Operands[0]]
		kind[k], has[k], any, at = m.Kind, true, true, m.Index
	}
	if !any {
		return
	}
	const only32, noneAtAll = 0, 2 // of VkShaderFloatControlsIndependence
	for _, p := range [...][2]int{{0, 2}, {0, 1}, {1, 2}} {
		if !has[p[0]] || !has[p[1]] || kind[p[0]] == kind[p[1]] {
			continue
		}
		how, ok := c.limit(none, property)
		switch {
		case !ok && p[1]-p[0] == 2:
			c.unknown(apart)
		case ok && how == only32 && p[1]-p[0] == 2:
			c.fail(at, apart, "%s and %s for 16 and 64 bits with %s 32_BIT_ONLY; must be the same", kind[0], kind[2], property)
		case ok && how == noneAtAll:
			c.fail(at, none, "%s and %s for different widths with %s NONE; must be the same", kind[p[0]], kind[p[1]], property)
		}
		return
	}
}

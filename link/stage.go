package link

import (
	"strconv"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// shaderRules are the rules of one stage as a pipeline has it.
var shaderRules = []Rule{
	{vuid.VkPipelineShaderStageCreateInfo_stage_00704, "a geometry stage needs the feature geometryShader"},
	{vuid.VkPipelineShaderStageCreateInfo_stage_00705, "tessellation stages need the feature tessellationShader"},
	{vuid.VkPipelineShaderStageCreateInfo_clustercullingShader_07813, "a cluster culling stage needs the feature clustercullingShader"},
	{vuid.VkPipelineShaderStageCreateInfo_stage_02091, "a mesh stage needs the feature meshShader"},
	{vuid.VkPipelineShaderStageCreateInfo_stage_02092, "a task stage needs the feature taskShader"},
	{vuid.VkPipelineShaderStageCreateInfo_maxClipDistances_00708, "ClipDistance has no more elements than maxClipDistances"},
	{vuid.VkPipelineShaderStageCreateInfo_maxCullDistances_00709, "CullDistance has no more elements than maxCullDistances"},
	{vuid.VkPipelineShaderStageCreateInfo_maxCombinedClipAndCullDistances_00710, "ClipDistance and CullDistance have no more elements than maxCombinedClipAndCullDistances"},
	{vuid.VkPipelineShaderStageCreateInfo_maxSampleMaskWords_00711, "SampleMask has no more elements than maxSampleMaskWords"},
	{vuid.VkPipelineShaderStageCreateInfo_stage_00713, "output patches have 1 to maxTessellationPatchSize vertices"},
	{vuid.VkPipelineShaderStageCreateInfo_stage_00714, "a geometry stage emits 1 to maxGeometryOutputVertices vertices"},
	{vuid.VkPipelineShaderStageCreateInfo_stage_00715, "a geometry stage has 1 to maxGeometryShaderInvocations invocations"},
	{vuid.VkPipelineShaderStageCreateInfo_flags_02784, "subgroups of varying size need the feature subgroupSizeControl"},
	{vuid.VkPipelineShaderStageCreateInfo_flags_02785, "full subgroups need the feature computeFullSubgroups"},
	{vuid.VkPipelineShaderStageCreateInfo_flags_08988, "only compute, task and mesh stages require full subgroups"},
	{vuid.VkPipelineShaderStageCreateInfo_pNext_02754, "a subgroup size is required, or may vary, and not both"},
	{vuid.VkPipelineShaderStageCreateInfo_pNext_02755, "a required subgroup size needs the feature subgroupSizeControl, and a stage of requiredSubgroupSizeStages"},
	{vuid.VkPipelineShaderStageCreateInfo_pNext_02756, "a workgroup has no more invocations than the required subgroup size times maxComputeWorkgroupSubgroups"},
	{vuid.VkPipelineShaderStageCreateInfo_pNext_02757, "full subgroups of a required size divide the width of the workgroup"},
	{vuid.VkPipelineShaderStageCreateInfo_flags_02758, "full subgroups of varying size: maxSubgroupSize divides the width of the workgroup"},
	{vuid.VkPipelineShaderStageCreateInfo_flags_02759, "full subgroups divide the width of the workgroup"},
	{vuid.VkPipelineShaderStageCreateInfo_module_08987, "with cooperative matrices of a subgroup, the subgroup size divides the width of the workgroup"},
	{vuid.VkPipelineShaderStageCreateInfo_module_10169, "with cooperative matrices of a workgroup, the subgroup size divides the width of the workgroup, which has a power of two of subgroups and at most cooperativeMatrixWorkgroupScopeMaxWorkgroupSize invocations"},
	{vuid.VkPipelineShaderStageRequiredSubgroupSizeCreateInfo_requiredSubgroupSize_02760, "a required subgroup size is a power of two"},
	{vuid.VkPipelineShaderStageRequiredSubgroupSizeCreateInfo_requiredSubgroupSize_02761, "a required subgroup size is at least minSubgroupSize"},
	{vuid.VkPipelineShaderStageRequiredSubgroupSizeCreateInfo_requiredSubgroupSize_02762, "a required subgroup size is at most maxSubgroupSize"},
	{vuid.VkSpecializationInfo_offset_00773, "each entry of a specialization begins inside of its data"},
	{vuid.VkSpecializationInfo_pMapEntries_00774, "each entry of a specialization ends inside of its data"},
	{vuid.VkSpecializationInfo_constantID_04911, "the entries of a specialization have a constant each"},
	{vuid.VkSpecializationMapEntry_constantID_00776, "an entry of a specialization has the size of its constant, which is 4 bytes for a Boolean"},
}

// shader checks one stage.
func (l *linker) shader(s *Shader) {
	l.stageFeatures(s)
	l.distances(s)
	l.stageSizes(s)
	l.subgroups(s)
	l.specialization(s)
	l.cooperative(s)
	l.flow(s)
	l.runtime(s)
	l.mappings(s)
}

// off reports the use of a feature that is known to be off.
func (l *linker) off(code, feature string, sides []Side, what string) {
	if l.d.lacks(feature) {
		l.fail(code, sides, "%s; must have the feature %s", what, feature)
	}
}

// stageFeatures checks the features that a kind of stage needs.
func (l *linker) stageFeatures(s *Shader) {
	side := []Side{entrySide(s)}
	switch StageOf(s.Entry.Model) {
	case clusterCulling:
		l.off(vuid.VkPipelineShaderStageCreateInfo_clustercullingShader_07813, "clustercullingShader", side, "there is a cluster culling stage")
	case geometry:
		l.off(vuid.VkPipelineShaderStageCreateInfo_stage_00704, "geometryShader", side, "there is a geometry stage")
	case tessellationControl, tessellationEvaluation:
		l.off(vuid.VkPipelineShaderStageCreateInfo_stage_00705, "tessellationShader", side, "there is a "+side[0].Stage+" stage")
	case mesh:
		l.off(vuid.VkPipelineShaderStageCreateInfo_stage_02091, "meshShader", side, "there is a mesh stage")
	case task:
		l.off(vuid.VkPipelineShaderStageCreateInfo_stage_02092, "taskShader", side, "there is a task stage")
	}
}

// elements returns the number of elements of a built-in array, or 0 if the entry point does
// not have it.
func elements(e *iface.Entry, b spirv.BuiltIn) uint64 {
	n := uint64(0)
	for i := range e.BuiltIns {
		if x := &e.BuiltIns[i]; x.BuiltIn == b && len(x.Type.Arrays) > 0 {
			n = max(n, x.Type.Arrays[len(x.Type.Arrays)-1])
		}
	}
	return n
}

// over reports a number that is above a limit that is known.
func (l *linker) over(code, limit string, n uint64, sides []Side, what string) {
	if most, known := l.d.limit(limit); known && n > most {
		l.fail(code, sides, "%s is %d; must be at most %s, %d", what, n, limit, most)
	}
}

// distances checks the arrays among the built-ins.
func (l *linker) distances(s *Shader) {
	side := []Side{entrySide(s)}
	clip, cull := elements(s.Entry, spirv.BuiltInClipDistance), elements(s.Entry, spirv.BuiltInCullDistance)
	l.over(vuid.VkPipelineShaderStageCreateInfo_maxClipDistances_00708, "maxClipDistances", clip, side, "the length of ClipDistance")
	l.over(vuid.VkPipelineShaderStageCreateInfo_maxCullDistances_00709, "maxCullDistances", cull, side, "the length of CullDistance")
	if clip > 0 && cull > 0 {
		l.over(vuid.VkPipelineShaderStageCreateInfo_maxCombinedClipAndCullDistances_00710, "maxCombinedClipAndCullDistances", clip+cull, side, "the length of ClipDistance and CullDistance")
	}
	l.over(vuid.VkPipelineShaderStageCreateInfo_maxSampleMaskWords_00711, "maxSampleMaskWords", elements(s.Entry, spirv.BuiltInSampleMask), side, "the length of SampleMask")
}

// stageSizes checks the amount of output of a tessellation or geometry stage.
func (l *linker) stageSizes(s *Shader) {
	side := []Side{entrySide(s)}
	within := func(code, limit string, mode spirv.ExecutionMode, asked bool) {
		m, ok := oneOf(s, mode)
		if !ok && !asked {
			return
		}
		n := uint64(0)
		if len(m.Operands) > 0 {
			n = uint64(m.Operands[0])
		}
		if n == 0 {
			l.fail(code, side, "%s is 0; must be greater", mode)
			return
		}
		l.over(code, limit, n, side, mode.String())
	}
	switch StageOf(s.Entry.Model) {
	case tessellationControl, tessellationEvaluation:
		within(vuid.VkPipelineShaderStageCreateInfo_stage_00713, "maxTessellationPatchSize", spirv.ExecutionModeOutputVertices, false)
	case geometry:
		within(vuid.VkPipelineShaderStageCreateInfo_stage_00714, "maxGeometryOutputVertices", spirv.ExecutionModeOutputVertices, true)
		within(vuid.VkPipelineShaderStageCreateInfo_stage_00715, "maxGeometryShaderInvocations", spirv.ExecutionModeInvocations, false)
	}
}

// subgroups checks the requirements of a stage on the subgroup size.
func (l *linker) subgroups(s *Shader) {
	side := []Side{entrySide(s)}
	varying := s.Flags&enum.StageFlagsAllowVaryingSubgroupSize != 0 || s.Object&enum.ObjectFlagsAllowVaryingSubgroupSize != 0
	full := s.Flags&enum.StageFlagsRequireFullSubgroups != 0 || s.Object&enum.ObjectFlagsRequireFullSubgroups != 0
	stage := StageOf(s.Entry.Model)
	groups := stage == compute || stage == task || stage == mesh
	if varying {
		l.off(vuid.VkPipelineShaderStageCreateInfo_flags_02784, "subgroupSizeControl", side, "subgroups may have varying sizes")
	}
	if full {
		l.off(vuid.VkPipelineShaderStageCreateInfo_flags_02785, "computeFullSubgroups", side, "subgroups must be full")
		if !groups {
			l.fail(vuid.VkPipelineShaderStageCreateInfo_flags_08988, side, "the %s stage requires full subgroups; must be a compute, task or mesh stage", side[0].Stage)
		}
	}
	if s.SubgroupSize > 0 {
		l.requiredSize(s, side, varying, groups)
	}
	if full && groups && s.Entry.Workgroup != nil {
		l.fullSubgroups(s, side, varying)
	}
}

// requiredSize checks a subgroup size that is required.
func (l *linker) requiredSize(s *Shader, side []Side, varying, groups bool) {
	n := uint64(s.SubgroupSize)
	if varying {
		l.fail(vuid.VkPipelineShaderStageCreateInfo_pNext_02754, side, "a subgroup size of %d is required and may vary; must not be both", n)
	}
	l.off(vuid.VkPipelineShaderStageCreateInfo_pNext_02755, "subgroupSizeControl", side, "a subgroup size is required")
	if of, known := l.d.limit("requiredSubgroupSizeStages"); known && of&vulkanStage(StageOf(s.Entry.Model)) == 0 {
		l.fail(vuid.VkPipelineShaderStageCreateInfo_pNext_02755, side, "a subgroup size is required of the %s stage; must be a stage of requiredSubgroupSizeStages", side[0].Stage)
	}
	if n&(n-1) != 0 {
		l.fail(vuid.VkPipelineShaderStageRequiredSubgroupSizeCreateInfo_requiredSubgroupSize_02760, side, "the required subgroup size is %d; must be a power of two", n)
	}
	if least, known := l.d.limit("minSubgroupSize"); known && n < least {
		l.fail(vuid.VkPipelineShaderStageRequiredSubgroupSizeCreateInfo_requiredSubgroupSize_02761, side, "the required subgroup size is %d; must be at least minSubgroupSize, %d", n, least)
	}
	l.over(vuid.VkPipelineShaderStageRequiredSubgroupSizeCreateInfo_requiredSubgroupSize_02762, "maxSubgroupSize", n, side, "the required subgroup size")
	if w := s.Entry.Workgroup; w != nil && groups {
		if count, known := l.d.limit("maxComputeWorkgroupSubgroups"); known && invocations(w) > n*count {
			l.fail(vuid.VkPipelineShaderStageCreateInfo_pNext_02756, side, "a workgroup has %d invocations; must have at most %d, the required subgroup size times maxComputeWorkgroupSubgroups", invocations(w), n*count)
		}
	}
}

func invocations(w *iface.Workgroup) uint64 {
	return uint64(w.Size[0]) * uint64(w.Size[1]) * uint64(w.Size[2])
}

// fullSubgroups checks the width of workgroups that must have full subgroups.
func (l *linker) fullSubgroups(s *Shader, side []Side, varying bool) {
	width := uint64(s.Entry.Workgroup.Size[0])
	code, name := vuid.VkPipelineShaderStageCreateInfo_flags_02759, "subgroupSize"
	var n uint64
	var known bool
	switch {
	case s.SubgroupSize > 0:
		code, name, n, known = vuid.VkPipelineShaderStageCreateInfo_pNext_02757, "the required subgroup size", uint64(s.SubgroupSize), true
	case varying:
		code, name = vuid.VkPipelineShaderStageCreateInfo_flags_02758, "maxSubgroupSize"
		n, known = l.d.limit(name)
	default:
		n, known = l.d.limit(name)
	}
	if known && n > 0 && width%n != 0 {
		l.fail(code, side, "subgroups must be full and the width of the workgroup is %d; must be a multiple of %s, %d", width, name, n)
	}
}

// vulkanStage is the bit that Vulkan has for a place in stageOrder.
func vulkanStage(k int) uint64 {
	switch {
	case k == clusterCulling:
		return 1 << 19
	case k <= geometry:
		return 1 << (k - vertex)
	case k == fragment:
		return 1 << 4
	case k == compute:
		return 1 << 5
	case k == task:
		return 1 << 6
	case k == mesh:
		return 1 << 7
	}
	return 1 << (k - raygen + 8)
}

// specialization checks the values of specialization constants.
func (l *linker) specialization(s *Shader) {
	side := entrySide(s)
	seen := map[uint32]bool{}
	for _, e := range s.Specialization {
		side.Slot = "constant " + strconv.FormatUint(uint64(e.ID), 10)
		switch {
		case uint64(e.Offset) >= e.Data:
			l.fail(vuid.VkSpecializationInfo_offset_00773, []Side{side}, "the value of constant %d begins at byte %d of %d; must begin inside", e.ID, e.Offset, e.Data)
		case e.Size > e.Data-uint64(e.Offset):
			l.fail(vuid.VkSpecializationInfo_pMapEntries_00774, []Side{side}, "the value of constant %d has %d bytes from byte %d of %d; must end inside", e.ID, e.Size, e.Offset, e.Data)
		}
		if seen[e.ID] {
			l.fail(vuid.VkSpecializationInfo_constantID_04911, []Side{side}, "constant %d has two values; must have one", e.ID)
		}
		seen[e.ID] = true
		for i := range s.Entry.Constants {
			c := &s.Entry.Constants[i]
			if c.SpecID != e.ID {
				continue
			}
			size := uint64(c.Type.Width+7) / 8
			if c.Type.Kind == iface.Bool {
				size = 4
			}
			if e.Size != size {
				l.fail(vuid.VkSpecializationMapEntry_constantID_00776, []Side{side}, "the value of constant %d has %d bytes; must have %d", e.ID, e.Size, size)
			}
		}
	}
}

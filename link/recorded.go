package link

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// recordedCodes maps rules on states to the rules on the commands that set them: for shader
// objects, and for pipelines with dynamic vertex input or patch control points, the
// description has the values that are set.
var recordedCodes = map[string]string{
	vuid.VkPipelineVertexInputStateCreateInfo_vertexBindingDescriptionCount_00613:            vuid.VkCmdSetVertexInputEXT_vertexBindingDescriptionCount_04791,
	vuid.VkPipelineVertexInputStateCreateInfo_vertexAttributeDescriptionCount_00614:          vuid.VkCmdSetVertexInputEXT_vertexAttributeDescriptionCount_04792,
	vuid.VkPipelineVertexInputStateCreateInfo_binding_00615:                                  vuid.VkCmdSetVertexInputEXT_binding_04793,
	vuid.VkPipelineVertexInputStateCreateInfo_pVertexBindingDescriptions_00616:               vuid.VkCmdSetVertexInputEXT_pVertexBindingDescriptions_04794,
	vuid.VkPipelineVertexInputStateCreateInfo_pVertexAttributeDescriptions_00617:             vuid.VkCmdSetVertexInputEXT_pVertexAttributeDescriptions_04795,
	vuid.VkVertexInputBindingDescription_binding_00618:                                       vuid.VkVertexInputBindingDescription2EXT_binding_04796,
	vuid.VkVertexInputBindingDescription_stride_00619:                                        vuid.VkVertexInputBindingDescription2EXT_stride_04797,
	vuid.VkVertexInputBindingDivisorDescription_vertexAttributeInstanceRateZeroDivisor_02228: vuid.VkVertexInputBindingDescription2EXT_divisor_04798,
	vuid.VkVertexInputBindingDivisorDescription_vertexAttributeInstanceRateDivisor_02229:     vuid.VkVertexInputBindingDescription2EXT_divisor_04799,
	vuid.VkVertexInputBindingDivisorDescription_divisor_01870:                                vuid.VkVertexInputBindingDescription2EXT_divisor_06226,
	vuid.VkVertexInputBindingDivisorDescription_inputRate_01871:                              vuid.VkVertexInputBindingDescription2EXT_divisor_06227,
	vuid.VkVertexInputAttributeDescription_location_00620:                                    vuid.VkVertexInputAttributeDescription2EXT_location_06228,
	vuid.VkVertexInputAttributeDescription_binding_00621:                                     vuid.VkVertexInputAttributeDescription2EXT_binding_06229,
	vuid.VkVertexInputAttributeDescription_offset_00622:                                      vuid.VkVertexInputAttributeDescription2EXT_offset_06230,
	vuid.VkVertexInputAttributeDescription_format_00623:                                      vuid.VkVertexInputAttributeDescription2EXT_format_04805,
	vuid.VkVertexInputAttributeDescription_vertexAttributeAccessBeyondStride_04457:           vuid.VkVertexInputAttributeDescription2EXT_vertexAttributeAccessBeyondStride_04806,
	vuid.VkPipelineTessellationStateCreateInfo_patchControlPoints_01214:                      vuid.VkCmdSetPatchControlPointsEXT_patchControlPoints_04874,
}

// recordedRules are the rules on state that commands set.
var recordedRules = func() []Rule {
	out := []Rule{
		{vuid.VkCmdSetVertexInputEXT_None_08546, "vertex input that a command sets needs the feature vertexInputDynamicState or shaderObject"},
		{vuid.VkCmdSetPatchControlPointsEXT_None_09422, "patch control points that a command sets need the feature extendedDynamicState2PatchControlPoints or shaderObject"},
		{vuid.VkCmdSetTessellationDomainOriginEXT_None_09423, "a domain origin that a command sets needs the feature extendedDynamicState3TessellationDomainOrigin or shaderObject"},
		{vuid.VkCmdSetRenderingAttachmentLocations_dynamicRenderingLocalRead_09509, "locations of color attachments that a command sets need the feature dynamicRenderingLocalRead"},
		{vuid.VkCmdSetRenderingAttachmentLocations_pLocationInfo_09510, "a command sets as many locations as there are color attachments"},
		{vuid.VkCmdSetRenderingInputAttachmentIndices_dynamicRenderingLocalRead_09516, "indices of input attachments that a command sets need the feature dynamicRenderingLocalRead"},
		{vuid.VkCmdSetRenderingInputAttachmentIndices_pInputAttachmentIndexInfo_09517, "a command sets as many indices of input attachments as there are color attachments"},
		{vuid.VkCmdBindShadersEXT_pStages_08463, "one shader object of a stage is bound"},
		{vuid.VkCmdBindShadersEXT_pShaders_08470, "no task stage is bound beside a vertex stage"},
		{vuid.VkCmdBindShadersEXT_pShaders_08471, "no mesh stage is bound beside a vertex stage"},
	}
	for _, r := range vertexRules {
		if code := recordedCodes[r.Code]; code != "" {
			out = append(out, Rule{code, "as a command sets it: " + r.Words})
		}
	}
	return out
}()

// recordedState checks the states that commands set: all of shader objects, and
// the dynamic ones of pipelines.
func (l *linker) recordedState() {
	objects := l.d.Kind == ShaderObjects
	side := []Side{{Stage: "commands"}}
	either := func(code, feature, what string) {
		if l.d.lacks(feature) {
			l.off(code, "shaderObject", side, what+" without the feature "+feature)
		}
	}
	if l.d.Vertex != nil && (objects || l.d.dynamic(enum.DynamicStateVertexInput)) {
		either(vuid.VkCmdSetVertexInputEXT_None_08546, "vertexInputDynamicState", "a command sets vertex input")
		l.recorded = true
		l.vertices()
		l.recorded = false
	}
	if t := l.d.Tessellation; t != nil {
		if objects || l.d.dynamic(enum.DynamicStatePatchControlPoints) {
			either(vuid.VkCmdSetPatchControlPointsEXT_None_09422, "extendedDynamicState2PatchControlPoints", "a command sets the patch control points")
			l.recorded = true
			l.controlPoints(t)
			l.recorded = false
		}
		if t.Origin != enum.DomainOriginUpperLeft && (objects || l.d.dynamic(enum.DynamicStateTessellationDomainOrigin)) {
			either(vuid.VkCmdSetTessellationDomainOriginEXT_None_09423, "extendedDynamicState3TessellationDomainOrigin", "a command sets the domain origin")
		}
	}
	if objects {
		l.recordedReads(side)
		l.bound()
	}
}

// recordedReads checks how commands remap the attachments of dynamic rendering.
func (l *linker) recordedReads(side []Side) {
	r := l.d.Rendering
	if r == nil {
		return
	}
	const feature = "dynamicRenderingLocalRead"
	if r.Locations != nil {
		l.off(vuid.VkCmdSetRenderingAttachmentLocations_dynamicRenderingLocalRead_09509, feature, side, "a command sets the locations of color attachments")
		if len(r.Locations) != len(r.Color) {
			l.fail(vuid.VkCmdSetRenderingAttachmentLocations_pLocationInfo_09510, side, "a command sets %d locations, and there are %d color attachments; must be as many", len(r.Locations), len(r.Color))
		}
	}
	if r.Inputs != nil || r.DepthInput != nil || r.StencilInput != nil {
		l.off(vuid.VkCmdSetRenderingInputAttachmentIndices_dynamicRenderingLocalRead_09516, feature, side, "a command sets the indices of input attachments")
	}
	if r.Inputs != nil && len(r.Inputs) != len(r.Color) {
		l.fail(vuid.VkCmdSetRenderingInputAttachmentIndices_pInputAttachmentIndexInfo_09517, side, "a command sets %d indices, and there are %d color attachments; must be as many", len(r.Inputs), len(r.Color))
	}
	l.localReads()
}

// bound checks the combination of shader objects that are bound together.
func (l *linker) bound() {
	for i := 1; i < len(l.stages); i++ {
		a, b := l.stages[i-1], l.stages[i]
		if k := StageOf(a.Entry.Model); k == StageOf(b.Entry.Model) && (a.Object|b.Object)&enum.ObjectFlagsLinkStage == 0 {
			l.fail(vuid.VkCmdBindShadersEXT_pStages_08463, []Side{entrySide(b), entrySide(a)}, "two %s stages are bound; must be one", stageOrder[k].name)
		}
	}
	v := l.stage(vertex)
	if v == nil || slices.ContainsFunc(l.stages, func(s *Shader) bool { return s.Object&enum.ObjectFlagsLinkStage != 0 }) {
		return // another rule checks linked ones
	}
	for k, code := range map[int]string{task: vuid.VkCmdBindShadersEXT_pShaders_08470, mesh: vuid.VkCmdBindShadersEXT_pShaders_08471} {
		if m := l.stage(k); m != nil {
			l.fail(code, []Side{entrySide(m), entrySide(v)}, "a %s and a vertex stage are bound; must not be both", stageOrder[k].name)
		}
	}
}

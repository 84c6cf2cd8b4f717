package link

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// stateNeed is a state that a command must have set before a draw (Vulkan, Setting State): a
// state that is dynamic in the pipeline, or any state if shader objects are drawn.
type stateNeed struct {
	code    string
	command string // that sets the state, or the commands
	state   enum.DynamicState
	stages  Stages            // one of them must be bound as a shader object; 0 for any graphics stage
	when    []stateCondition  // all must hold
	with    enum.DynamicState // a further state that must be dynamic in the pipeline; 0 if there is none
	either  bool              // a command for the state with is sufficient
	own     bool              // a pipeline must have one of the stages, too
	// vertices reports that draws of mesh tasks do not need the state.
	vertices bool
}

// stateNeeds are the rules of the section, one for each state.
var stateNeeds = [...]stateNeed{
	{code: vuid.VkCmdDraw_None_08617, command: "vkCmdSetLineWidth", state: enum.DynamicStateLineWidth, when: []stateCondition{whenRasterized, whenLines}},
	{code: vuid.VkCmdDraw_None_07834, command: "vkCmdSetDepthBias or vkCmdSetDepthBias2EXT", state: enum.DynamicStateDepthBias, when: []stateCondition{whenRasterized, whenBiased}},
	{code: vuid.VkCmdDraw_None_07835, command: "vkCmdSetBlendConstants", state: enum.DynamicStateBlendConstants, stages: 1 << fragment, when: []stateCondition{whenRasterized, whenConstants}},
	{code: vuid.VkCmdDraw_None_07836, command: "vkCmdSetDepthBounds", state: enum.DynamicStateDepthBounds, when: []stateCondition{whenRasterized, whenBounded}},
	{code: vuid.VkCmdDraw_None_07837, command: "vkCmdSetStencilCompareMask", state: enum.DynamicStateStencilCompareMask, when: []stateCondition{whenRasterized, whenStenciled}},
	{code: vuid.VkCmdDraw_None_07838, command: "vkCmdSetStencilWriteMask", state: enum.DynamicStateStencilWriteMask, when: []stateCondition{whenRasterized, whenStenciled}},
	{code: vuid.VkCmdDraw_None_07839, command: "vkCmdSetStencilReference", state: enum.DynamicStateStencilReference, when: []stateCondition{whenRasterized, whenStenciled}},
	{code: vuid.VkCmdDraw_None_07634, command: "vkCmdSetSampleLocationsEnableEXT", state: enum.DynamicStateSampleLocationsEnable, when: []stateCondition{extended("VK_EXT_sample_locations"), whenRasterized}},
	{code: vuid.VkCmdDraw_None_06666, command: "vkCmdSetSampleLocationsEXT", state: enum.DynamicStateSampleLocations, when: []stateCondition{extended("VK_EXT_sample_locations"), whenRasterized, whenLocated}},
	{code: vuid.VkCmdDraw_None_07840, command: "vkCmdSetCullMode", state: enum.DynamicStateCullMode, when: []stateCondition{whenRasterized}},
	{code: vuid.VkCmdDraw_None_07841, command: "vkCmdSetFrontFace", state: enum.DynamicStateFrontFace, when: []stateCondition{whenRasterized}},
	{code: vuid.VkCmdDraw_None_07843, command: "vkCmdSetDepthTestEnable", state: enum.DynamicStateDepthTestEnable, when: []stateCondition{whenRasterized}},
	{code: vuid.VkCmdDraw_None_07844, command: "vkCmdSetDepthWriteEnable", state: enum.DynamicStateDepthWriteEnable, when: []stateCondition{whenRasterized, whenTested}},
	{code: vuid.VkCmdDraw_None_07845, command: "vkCmdSetDepthCompareOp", state: enum.DynamicStateDepthCompareOp, when: []stateCondition{whenRasterized, whenTested}},
	{code: vuid.VkCmdDraw_None_07846, command: "vkCmdSetDepthBoundsTestEnable", state: enum.DynamicStateDepthBoundsTestEnable, when: []stateCondition{enabled("depthBounds"), whenRasterized}},
	{code: vuid.VkCmdDraw_None_07847, command: "vkCmdSetStencilTestEnable", state: enum.DynamicStateStencilTestEnable, when: []stateCondition{whenRasterized}},
	{code: vuid.VkCmdDraw_None_07848, command: "vkCmdSetStencilOp", state: enum.DynamicStateStencilOp, when: []stateCondition{whenRasterized, whenStenciled}},
	{code: vuid.VkCmdDraw_viewportCount_03417, command: "vkCmdSetViewportWithCount", state: enum.DynamicStateViewportWithCount},
	{code: vuid.VkCmdDraw_scissorCount_03418, command: "vkCmdSetScissorWithCount", state: enum.DynamicStateScissorWithCount},
	{code: vuid.VkCmdDraw_viewportCount_04138, command: "vkCmdSetViewportWScalingNV", state: enum.DynamicStateViewportWScaling, when: []stateCondition{extended("VK_NV_clip_space_w_scaling"), turnedOn(enum.DynamicStateViewportWScalingEnable)}, with: enum.DynamicStateViewportWithCount},
	{code: vuid.VkCmdDraw_shadingRateImage_09233, command: "vkCmdSetCoarseSampleOrderNV", state: enum.DynamicStateViewportCoarseSampleOrder, when: []stateCondition{enabled("shadingRateImage"), whenRasterized}},
	{code: vuid.VkCmdDraw_shadingRateImage_09234, command: "vkCmdSetViewportShadingRatePaletteNV", state: enum.DynamicStateViewportShadingRatePalette, when: []stateCondition{enabled("shadingRateImage"), whenRasterized, whenRateImage}, with: enum.DynamicStateViewportWithCount},
	{code: vuid.VkCmdDraw_None_07878, command: "vkCmdSetExclusiveScissorEnableNV", state: enum.DynamicStateExclusiveScissorEnable, when: []stateCondition{enabled("exclusiveScissor")}},
	{code: vuid.VkCmdDraw_None_07879, command: "vkCmdSetExclusiveScissorNV", state: enum.DynamicStateExclusiveScissor, when: []stateCondition{enabled("exclusiveScissor"), turnedOn(enum.DynamicStateExclusiveScissorEnable)}},
	{code: vuid.VkCmdDraw_None_04876, command: "vkCmdSetRasterizerDiscardEnable", state: enum.DynamicStateRasterizerDiscardEnable},
	{code: vuid.VkCmdDraw_None_04877, command: "vkCmdSetDepthBiasEnable", state: enum.DynamicStateDepthBiasEnable, when: []stateCondition{whenRasterized}},
	{code: vuid.VkCmdDraw_logicOp_04878, command: "vkCmdSetLogicOpEXT", state: enum.DynamicStateLogicOp, stages: 1 << fragment, when: []stateCondition{whenRasterized, whenLogical}},
	{code: vuid.VkCmdDraw_None_07749, command: "vkCmdSetColorWriteEnableEXT", state: enum.DynamicStateColorWriteEnable, stages: 1 << fragment, when: []stateCondition{enabled("colorWriteEnable"), whenRasterized}},
	{code: vuid.VkCmdDraw_rasterizerDiscardEnable_09236, command: "vkCmdSetDiscardRectangleEXT", state: enum.DynamicStateDiscardRectangle, when: []stateCondition{extended("VK_EXT_discard_rectangles"), whenRasterized, turnedOn(enum.DynamicStateDiscardRectangleEnable)}},
	{code: vuid.VkCmdDraw_None_07880, command: "vkCmdSetDiscardRectangleEnableEXT", state: enum.DynamicStateDiscardRectangleEnable, when: []stateCondition{extended("VK_EXT_discard_rectangles"), whenRasterized}},
	{code: vuid.VkCmdDraw_None_07881, command: "vkCmdSetDiscardRectangleModeEXT", state: enum.DynamicStateDiscardRectangleMode, when: []stateCondition{extended("VK_EXT_discard_rectangles"), whenRasterized, turnedOn(enum.DynamicStateDiscardRectangleEnable)}},
	{code: vuid.VkCmdDraw_None_07620, command: "vkCmdSetDepthClampEnableEXT", state: enum.DynamicStateDepthClampEnable, when: []stateCondition{enabled("depthClamp"), whenRasterized}},
	{code: vuid.VkCmdDraw_None_07621, command: "vkCmdSetPolygonModeEXT", state: enum.DynamicStatePolygonMode, when: []stateCondition{whenRasterized}},
	{code: vuid.VkCmdDraw_None_07622, command: "vkCmdSetRasterizationSamplesEXT", state: enum.DynamicStateRasterizationSamples, when: []stateCondition{whenRasterized}},
	{code: vuid.VkCmdDraw_None_07623, command: "vkCmdSetSampleMaskEXT", state: enum.DynamicStateSampleMask, when: []stateCondition{whenRasterized}},
	{code: vuid.VkCmdDraw_None_07624, command: "vkCmdSetAlphaToCoverageEnableEXT", state: enum.DynamicStateAlphaToCoverageEnable, when: []stateCondition{whenRasterized}},
	{code: vuid.VkCmdDraw_None_07625, command: "vkCmdSetAlphaToOneEnableEXT", state: enum.DynamicStateAlphaToOneEnable, when: []stateCondition{enabled("alphaToOne"), whenRasterized}},
	{code: vuid.VkCmdDraw_None_07626, command: "vkCmdSetLogicOpEnableEXT", state: enum.DynamicStateLogicOpEnable, stages: 1 << fragment, when: []stateCondition{enabled("logicOp"), whenRasterized}},
	{code: vuid.VkCmdDraw_None_07627, command: "vkCmdSetColorBlendEnableEXT", state: enum.DynamicStateColorBlendEnable, stages: 1 << fragment, when: []stateCondition{whenRasterized, whenColored}},
	{code: vuid.VkCmdDraw_None_07629, command: "vkCmdSetColorWriteMaskEXT", state: enum.DynamicStateColorWriteMask, stages: 1 << fragment, when: []stateCondition{whenRasterized, whenColored}},
	{code: vuid.VkCmdDraw_None_07630, command: "vkCmdSetRasterizationStreamEXT", state: enum.DynamicStateRasterizationStream, stages: 1 << geometry, when: []stateCondition{enabled("geometryStreams")}, own: true},
	{code: vuid.VkCmdDraw_None_07631, command: "vkCmdSetConservativeRasterizationModeEXT", state: enum.DynamicStateConservativeRasterizationMode, when: []stateCondition{extended("VK_EXT_conservative_rasterization"), whenRasterized}},
	{code: vuid.VkCmdDraw_None_07632, command: "vkCmdSetExtraPrimitiveOverestimationSizeEXT", state: enum.DynamicStateExtraPrimitiveOverestimationSize, when: []stateCondition{extended("VK_EXT_conservative_rasterization"), whenRasterized, whenOverestimated}},
	{code: vuid.VkCmdDraw_None_07633, command: "vkCmdSetDepthClipEnableEXT", state: enum.DynamicStateDepthClipEnable, when: []stateCondition{enabled("depthClipEnable")}},
	{code: vuid.VkCmdDraw_None_07636, command: "vkCmdSetProvokingVertexModeEXT", state: enum.DynamicStateProvokingVertexMode, stages: 1 << vertex, when: []stateCondition{extended("VK_EXT_provoking_vertex"), whenRasterized}},
	{code: vuid.VkCmdDraw_None_08666, command: "vkCmdSetLineRasterizationModeEXT", state: enum.DynamicStateLineRasterizationMode, when: []stateCondition{enabled("stippledRectangularLines", "stippledBresenhamLines", "stippledSmoothLines"), whenRasterized, whenLines}},
	{code: vuid.VkCmdDraw_None_08669, command: "vkCmdSetLineStippleEnableEXT", state: enum.DynamicStateLineStippleEnable, when: []stateCondition{enabled("stippledRectangularLines", "stippledBresenhamLines", "stippledSmoothLines"), whenRasterized, whenLines}},
	{code: vuid.VkCmdDraw_None_07849, command: "vkCmdSetLineStipple", state: enum.DynamicStateLineStipple, when: []stateCondition{enabled("stippledRectangularLines", "stippledBresenhamLines", "stippledSmoothLines"), whenRasterized, whenStippled}},
	{code: vuid.VkCmdDraw_None_07639, command: "vkCmdSetDepthClipNegativeOneToOneEXT", state: enum.DynamicStateDepthClipNegativeOneToOne, when: []stateCondition{enabled("depthClipControl")}},
	{code: vuid.VkCmdDraw_None_09650, command: "vkCmdSetDepthClampRangeEXT", state: enum.DynamicStateDepthClampRange, when: []stateCondition{enabled("depthClampControl"), whenClamped}},
	{code: vuid.VkCmdDraw_None_07640, command: "vkCmdSetViewportWScalingEnableNV", state: enum.DynamicStateViewportWScalingEnable, when: []stateCondition{extended("VK_NV_clip_space_w_scaling")}},
	{code: vuid.VkCmdDraw_None_07641, command: "vkCmdSetViewportSwizzleNV", state: enum.DynamicStateViewportSwizzle, when: []stateCondition{extended("VK_NV_viewport_swizzle")}},
	{code: vuid.VkCmdDraw_None_07642, command: "vkCmdSetCoverageToColorEnableNV", state: enum.DynamicStateCoverageToColorEnable, when: []stateCondition{extended("VK_NV_fragment_coverage_to_color"), whenRasterized}},
	{code: vuid.VkCmdDraw_None_07643, command: "vkCmdSetCoverageToColorLocationNV", state: enum.DynamicStateCoverageToColorLocation, when: []stateCondition{extended("VK_NV_fragment_coverage_to_color"), whenRasterized, turnedOn(enum.DynamicStateCoverageToColorEnable)}},
	{code: vuid.VkCmdDraw_None_07644, command: "vkCmdSetCoverageModulationModeNV", state: enum.DynamicStateCoverageModulationMode, when: []stateCondition{extended("VK_NV_framebuffer_mixed_samples"), whenRasterized}},
	{code: vuid.VkCmdDraw_None_07645, command: "vkCmdSetCoverageModulationTableEnableNV", state: enum.DynamicStateCoverageModulationTableEnable, when: []stateCondition{extended("VK_NV_framebuffer_mixed_samples"), whenRasterized, turnedOn(enum.DynamicStateCoverageModulationMode)}},
	{code: vuid.VkCmdDraw_None_07646, command: "vkCmdSetCoverageModulationTableNV", state: enum.DynamicStateCoverageModulationTable, when: []stateCondition{extended("VK_NV_framebuffer_mixed_samples"), whenRasterized, turnedOn(enum.DynamicStateCoverageModulationTableEnable)}},
	{code: vuid.VkCmdDraw_None_07647, command: "vkCmdSetShadingRateImageEnableNV", state: enum.DynamicStateShadingRateImageEnable, when: []stateCondition{enabled("shadingRateImage"), whenRasterized}},
	{code: vuid.VkCmdDraw_pipelineFragmentShadingRate_09238, command: "vkCmdSetFragmentShadingRateKHR", state: enum.DynamicStateFragmentShadingRate, when: []stateCondition{enabled("pipelineFragmentShadingRate"), whenRasterized}},
	{code: vuid.VkCmdDraw_None_07648, command: "vkCmdSetRepresentativeFragmentTestEnableNV", state: enum.DynamicStateRepresentativeFragmentTestEnable, when: []stateCondition{enabled("representativeFragmentTest"), whenRasterized}},
	{code: vuid.VkCmdDraw_None_07649, command: "vkCmdSetCoverageReductionModeNV", state: enum.DynamicStateCoverageReductionMode, when: []stateCondition{enabled("coverageReductionMode"), whenRasterized}},
	{code: vuid.VkCmdDraw_None_10864, command: "vkCmdSetColorBlendEquationEXT or vkCmdSetColorBlendAdvancedEXT", state: enum.DynamicStateColorBlendEquation, stages: 1 << fragment, when: []stateCondition{whenRasterized, whenBlended}, with: enum.DynamicStateColorBlendAdvanced, either: true},
	{code: vuid.VkCmdDraw_None_08877, command: "vkCmdSetAttachmentFeedbackLoopEnableEXT", state: enum.DynamicStateAttachmentFeedbackLoopEnable, stages: 1 << fragment, when: []stateCondition{enabled("attachmentFeedbackLoopDynamicState"), whenRasterized}},
	{code: vuid.VkCmdDraw_None_07842, command: "vkCmdSetPrimitiveTopology", state: enum.DynamicStatePrimitiveTopology, stages: 1 << vertex, vertices: true},
	{code: vuid.VkCmdDraw_None_04914, command: "vkCmdSetVertexInputEXT", state: enum.DynamicStateVertexInput, stages: 1 << vertex, vertices: true},
	{code: vuid.VkCmdDraw_None_04875, command: "vkCmdSetPatchControlPointsEXT", state: enum.DynamicStatePatchControlPoints, stages: 1 << tessellationControl, when: []stateCondition{whenPatches}, own: true, vertices: true},
	{code: vuid.VkCmdDraw_None_04879, command: "vkCmdSetPrimitiveRestartEnable", state: enum.DynamicStatePrimitiveRestartEnable, stages: 1 << vertex, vertices: true},
	{code: vuid.VkCmdDraw_None_07619, command: "vkCmdSetTessellationDomainOriginEXT", state: enum.DynamicStateTessellationDomainOrigin, stages: 1 << tessellationEvaluation, own: true, vertices: true},
}

// bindNeeds are the stages that vkCmdBindShadersEXT must name before a draw without a pipeline,
// be it for no shader; the feature of the stage, "" if each device has the stage.
var bindNeeds = [...]struct {
	code    string
	stage   int
	feature string
}{
	{vuid.VkCmdDraw_None_08684, vertex, ""},
	{vuid.VkCmdDraw_None_08685, tessellationControl, "tessellationShader"},
	{vuid.VkCmdDraw_None_08686, tessellationEvaluation, "tessellationShader"},
	{vuid.VkCmdDraw_None_08687, geometry, "geometryShader"},
	{vuid.VkCmdDraw_None_08688, fragment, ""},
	{vuid.VkCmdDraw_None_08689, task, "taskShader"},
	{vuid.VkCmdDraw_None_08690, mesh, "meshShader"},
}

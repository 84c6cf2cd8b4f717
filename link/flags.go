package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// flagLimits are the flags that a kind of pipeline may have only with a feature, or never
// if no feature is named.
var flagLimits = [...]struct {
	code    string
	kind    Kind
	flag    enum.PipelineFlags
	feature string
}{
	{vuid.VkCreateRayTracingPipelinesKHR_flags_03816, RayTracing, enum.PipelineFlagsDispatchBase, ""},
	{vuid.VkRayTracingPipelineCreateInfoKHR_rayTraversalPrimitiveCulling_03596, RayTracing, enum.PipelineFlagsRayTracingSkipAabbs, "rayTraversalPrimitiveCulling"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_rayTraversalPrimitiveCulling_03597, RayTracing, enum.PipelineFlagsRayTracingSkipTriangles, "rayTraversalPrimitiveCulling"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_flags_11798, RayTracing, enum.PipelineFlags64BitIndexing, "shader64BitIndexing"},
	{vuid.VkComputePipelineCreateInfo_flags_11798, Compute, enum.PipelineFlags64BitIndexing, "shader64BitIndexing"},
	{vuid.VkGraphicsPipelineCreateInfo_flags_11798, Graphics, enum.PipelineFlags64BitIndexing, "shader64BitIndexing"},
	{vuid.VkRayTracingPipelineCreateInfoNV_flags_03462, RayTracingNV, enum.PipelineFlagsRayTracingSkipAabbs, ""},
	{vuid.VkRayTracingPipelineCreateInfoNV_flags_03463, RayTracingNV, enum.PipelineFlagsRayTracingSkipTriangles, ""},
	{vuid.VkCreateRayTracingPipelinesNV_pNext_10150, RayTracingNV, enum.PipelineFlagsCaptureData, ""},
	{vuid.VkComputePipelineCreateInfo_flags_03369, Compute, enum.PipelineFlagsRayTracingSkipTriangles, ""},
	{vuid.VkComputePipelineCreateInfo_flags_03370, Compute, enum.PipelineFlagsRayTracingSkipAabbs, ""},
	{vuid.VkExecutionGraphPipelineCreateInfoAMDX_flags_11798, ExecutionGraph, enum.PipelineFlags64BitIndexing, "shader64BitIndexing"},
	{vuid.VkExecutionGraphPipelineCreateInfoAMDX_flags_03369, ExecutionGraph, enum.PipelineFlagsRayTracingSkipTriangles, ""},
	{vuid.VkExecutionGraphPipelineCreateInfoAMDX_flags_03370, ExecutionGraph, enum.PipelineFlagsRayTracingSkipAabbs, ""},
	{vuid.VkComputePipelineCreateInfo_shaderEnqueue_09177, Compute, enum.PipelineFlagsLibrary, "shaderEnqueue"},
}

// heapLayouts are the rules that a pipeline for descriptor heaps has no layout,
// by the kind of the pipeline.
var heapLayouts = map[Kind]string{
	Graphics:       vuid.VkGraphicsPipelineCreateInfo_flags_11311,
	Compute:        vuid.VkComputePipelineCreateInfo_flags_11311,
	RayTracing:     vuid.VkRayTracingPipelineCreateInfoKHR_flags_11311,
	ExecutionGraph: vuid.VkExecutionGraphPipelineCreateInfoAMDX_flags_11311,
}

// flagRules are the rules of the flags of pipelines.
var flagRules = func() []Rule {
	out := []Rule{
		{vuid.VkRayTracingPipelineCreateInfoKHR_flags_06546, "a ray tracing pipeline does not skip both triangles and AABBs"},
		{vuid.VkComputePipelineCreateInfo_flags_09178, "a compute pipeline with the capability ShaderEnqueueAMDX is a library"},
		{vuid.VkGraphicsPipelineCreateInfo_flags_11001, "no stage of a pipeline for indirect binding has the mode Xfb"},
		{vuid.VkGraphicsPipelineCreateInfo_pStages_10189, "a graphics pipeline with the capability ShaderEnqueueAMDX is a library for execution graphs"},
		{vuid.VkGraphicsPipelineCreateInfo_flags_10190, "a graphics pipeline for execution graphs has no task and no vertex stage"},
		{vuid.VkCreateComputePipelines_flags_00696, "a compute pipeline derives from one that allows it"},
		{vuid.VkCreateRayTracingPipelinesKHR_flags_03416, "a ray tracing pipeline derives from one that allows it"},
		{vuid.VkComputePipelineCreateInfo_None_11367, "a compute pipeline has a layout"},
		{vuid.VkRayTracingPipelineCreateInfoKHR_None_11369, "a ray tracing pipeline has a layout"},
	}
	for _, k := range flagLimits {
		words := fmt.Sprintf("%s pipeline has no flag %s", article(kindNames[k.kind]), k.flag)
		if k.feature != "" {
			words += " without the feature " + k.feature
		}
		out = append(out, Rule{k.code, words})
	}
	for _, k := range []Kind{Graphics, Compute, RayTracing, ExecutionGraph} {
		out = append(out, Rule{heapLayouts[k], fmt.Sprintf("%s pipeline for descriptor heaps has no layout", article(kindNames[k]))})
	}
	return out
}()

var kindNames = [...]string{Any: "", Graphics: "graphics", Compute: "compute", RayTracing: "ray tracing", ShaderObjects: "shader object", ExecutionGraph: "execution graph", RayTracingNV: "NV ray tracing", DataGraph: "data graph"}

// article puts a or an before a word.
func article(word string) string {
	if word != "" && strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// kind returns the kind of the pipeline, derived from its stages if the description has
// none.
func (l *linker) kind() Kind {
	switch {
	case l.d.Kind == RayTracingNV:
		return RayTracing
	case l.d.Kind != Any:
		return l.d.Kind
	case l.isRays():
		return RayTracing
	case l.isGraphics():
		return Graphics
	case len(l.stages) > 0:
		return Compute
	}
	return Any
}

// flags checks the flags of the pipeline.
func (l *linker) flags() {
	kind := l.kind()
	enqueues := slices.ContainsFunc(l.stages, func(s *Shader) bool {
		return slices.Contains(s.Entry.Capabilities, spirv.CapabilityShaderEnqueueAMDX)
	})
	side := []Side{{Stage: "pipeline", Decorations: l.d.Flags.String()}}
	library := l.d.Flags&enum.PipelineFlagsLibrary != 0
	switch {
	case enqueues && kind == Compute && !library:
		l.fail(vuid.VkComputePipelineCreateInfo_flags_09178, side, "the stage has the capability ShaderEnqueueAMDX; the pipeline must be a library")
	case enqueues && kind == Graphics && (!library || l.d.Flags&enum.PipelineFlagsExecutionGraph == 0):
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_10189, side, "a stage has the capability ShaderEnqueueAMDX; the pipeline must have the flags library and execution_graph")
	}
	if l.d.Flags == 0 {
		return
	}
	if b := l.d.Base; b != nil && l.d.Flags&enum.PipelineFlagsDerivative != 0 && *b&enum.PipelineFlagsAllowDerivatives == 0 {
		switch kind {
		case Compute:
			l.fail(vuid.VkCreateComputePipelines_flags_00696, side, "the pipeline derives from one without the flag %s; must have it", enum.PipelineFlagsAllowDerivatives)
		case RayTracing:
			l.fail(vuid.VkCreateRayTracingPipelinesKHR_flags_03416, side, "the pipeline derives from one without the flag %s; must have it", enum.PipelineFlagsAllowDerivatives)
		case ExecutionGraph:
			l.fail(vuid.VkCreateExecutionGraphPipelinesAMDX_flags_09126, side, "the pipeline derives from one without the flag %s; must have it", enum.PipelineFlagsAllowDerivatives)
		}
	}
	for _, k := range flagLimits {
		if k.kind != kind && k.kind != l.d.Kind || l.d.Flags&k.flag == 0 {
			continue
		}
		if k.feature != "" {
			l.off(k.code, k.feature, side, fmt.Sprintf("the pipeline has the flag %s", k.flag))
			continue
		}
		l.fail(k.code, side, "%s pipeline has the flag %s; must not", article(kindNames[kind]), k.flag)
	}
	const both = enum.PipelineFlagsRayTracingSkipTriangles | enum.PipelineFlagsRayTracingSkipAabbs
	if kind == RayTracing && l.d.Flags&both == both {
		l.fail(vuid.VkRayTracingPipelineCreateInfoKHR_flags_06546, side, "the pipeline skips both triangles and AABBs; must skip at most one of them")
	}
	if code := heapLayouts[kind]; code != "" && l.d.Flags&enum.PipelineFlagsDescriptorHeap != 0 && l.d.Layout != nil {
		l.fail(code, side, "the pipeline is for descriptor heaps and has a layout; must have none")
	}
	if kind == Graphics {
		l.graphicsFlags(side[0])
	}
}

// graphicsFlags checks the flags of a graphics pipeline against its stages.
func (l *linker) graphicsFlags(side Side) {
	for _, s := range l.stages {
		if _, xfb := oneOf(s, spirv.ExecutionModeXfb); xfb && l.d.Flags&enum.PipelineFlagsIndirectBindableBitExt != 0 {
			l.fail(vuid.VkGraphicsPipelineCreateInfo_flags_11001, []Side{entrySide(s), side}, "a stage has the mode Xfb in a pipeline with the flag %s; must not", enum.PipelineFlagsIndirectBindableBitExt)
		}
		if k := StageOf(s.Entry.Model); l.d.Flags&enum.PipelineFlagsExecutionGraph != 0 && (k == vertex || k == task) {
			l.fail(vuid.VkGraphicsPipelineCreateInfo_flags_10190, []Side{entrySide(s), side}, "a pipeline for execution graphs has a %s stage; must not", stageOrder[k].name)
		}
	}
}

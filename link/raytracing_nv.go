package link

import (
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/vuid"
)

// nvCodes maps rules on ray tracing pipelines to the rules of VK_NV_ray_tracing. A rule of
// VK_KHR_ray_tracing_pipeline that is not in the map does not apply to pipelines of
// VK_NV_ray_tracing.
var nvCodes = map[string]string{
	vuid.VkCreateRayTracingPipelinesKHR_flags_03816:                  vuid.VkCreateRayTracingPipelinesNV_flags_03816,
	vuid.VkCreateRayTracingPipelinesKHR_flags_03416:                  vuid.VkCreateRayTracingPipelinesNV_flags_03416,
	vuid.VkRayTracingPipelineCreateInfoKHR_stage_03425:               vuid.VkRayTracingPipelineCreateInfoNV_stage_06232,
	vuid.VkRayTracingPipelineCreateInfoKHR_stage_06899:               vuid.VkRayTracingPipelineCreateInfoNV_stage_06898,
	vuid.VkRayTracingPipelineCreateInfoKHR_flags_11798:               vuid.VkRayTracingPipelineCreateInfoNV_flags_11798,
	vuid.VkRayTracingPipelineCreateInfoKHR_flags_11311:               vuid.VkRayTracingPipelineCreateInfoNV_flags_11311,
	vuid.VkRayTracingPipelineCreateInfoKHR_layout_03428:              vuid.VkRayTracingPipelineCreateInfoNV_layout_03428,
	vuid.VkRayTracingPipelineCreateInfoKHR_None_11369:                vuid.VkRayTracingPipelineCreateInfoNV_None_11368,
	vuid.VkRayTracingShaderGroupCreateInfoKHR_type_03474:             vuid.VkRayTracingShaderGroupCreateInfoNV_type_02413,
	vuid.VkRayTracingShaderGroupCreateInfoKHR_type_03475:             vuid.VkRayTracingShaderGroupCreateInfoNV_type_02414,
	vuid.VkRayTracingShaderGroupCreateInfoKHR_type_03476:             vuid.VkRayTracingShaderGroupCreateInfoNV_type_02415,
	vuid.VkRayTracingShaderGroupCreateInfoKHR_type_03477:             vuid.VkRayTracingShaderGroupCreateInfoNV_type_02416,
	vuid.VkRayTracingShaderGroupCreateInfoKHR_closestHitShader_03478: vuid.VkRayTracingShaderGroupCreateInfoNV_closestHitShader_02417,
	vuid.VkRayTracingShaderGroupCreateInfoKHR_anyHitShader_03479:     vuid.VkRayTracingShaderGroupCreateInfoNV_anyHitShader_02418,
	vuid.VkRayTracingPipelineCreateInfoKHR_flags_11312:               vuid.VkRayTracingPipelineCreateInfoNV_flags_11312,
	codesOf[2].push:       vuid.VkRayTracingPipelineCreateInfoNV_layout_07987,
	codesOf[2].pushInside: vuid.VkRayTracingPipelineCreateInfoNV_layout_10069,
	codesOf[2].stage:      vuid.VkRayTracingPipelineCreateInfoNV_layout_07988,
	codesOf[2].kind:       vuid.VkRayTracingPipelineCreateInfoNV_layout_07990,
	codesOf[2].count:      vuid.VkRayTracingPipelineCreateInfoNV_layout_07991,
	codesOf[2].inline:     vuid.VkRayTracingPipelineCreateInfoNV_None_10391,
}

// nvRules are the rules of pipelines of VK_NV_ray_tracing that others have under
// other names.
var nvRules = func() (out []Rule) {
	for _, f := range [][]Rule{rayRules, layoutRules, layoutCountRules, flagRules, mappingRules} {
		for _, r := range f {
			if code := nvCodes[r.Code]; code != "" {
				out = append(out, Rule{code, "of VK_NV_ray_tracing: " + r.Words})
			}
		}
	}
	return append(out,
		Rule{vuid.VkRayTracingPipelineCreateInfoNV_stageCount_arraylength, "a pipeline of VK_NV_ray_tracing has a stage"},
		Rule{vuid.VkRayTracingPipelineCreateInfoNV_groupCount_arraylength, "a pipeline of VK_NV_ray_tracing has a shader group"})
}()

// notEmpty checks that a pipeline of VK_NV_ray_tracing, which has no libraries, has stages
// and groups.
func (l *linker) notEmpty(r *Rays, side []Side) {
	if l.d.Kind != RayTracingNV {
		return
	}
	if len(l.d.Stages) == 0 {
		l.fail(vuid.VkRayTracingPipelineCreateInfoNV_stageCount_arraylength, side, "the pipeline has no stage; must have one")
	}
	if len(r.Groups) == 0 {
		l.fail(vuid.VkRayTracingPipelineCreateInfoNV_groupCount_arraylength, side, "the pipeline has no shader group; must have one")
	}
}

// nvCode returns the name of a rule for pipelines of VK_NV_ray_tracing, and
// whether it holds for them.
func nvCode(code string) (string, bool) {
	if c, ok := nvCodes[code]; ok {
		return c, true
	}
	of, _, _ := strings.Cut(strings.TrimPrefix(code, "VUID-"), "-")
	return code, !slices.Contains([]string{
		"VkRayTracingPipelineCreateInfoKHR", "vkCreateRayTracingPipelinesKHR", "VkRayTracingShaderGroupCreateInfoKHR", "VkRayTracingPipelineInterfaceCreateInfoKHR",
	}, of)
}

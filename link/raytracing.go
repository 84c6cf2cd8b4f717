package link

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// rayRules are the rules of ray tracing pipelines and their groups.
var rayRules = []Rule{
	{vuid.VkCreateRayTracingPipelinesKHR_rayTracingPipeline_03586, "a ray tracing pipeline needs the feature rayTracingPipeline"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_stage_03425, "a ray tracing pipeline that is no library has a raygen stage"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_stage_06899, "each stage of a ray tracing pipeline is a ray tracing stage"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_maxPipelineRayRecursionDepth_03589, "the recursion depth of a ray tracing pipeline is at most maxRayRecursionDepth"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_flags_03465, "a ray tracing pipeline that is a library has an interface"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_pLibraryInfo_03590, "a ray tracing pipeline with libraries has an interface"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_pLibraries_03591, "the libraries of a ray tracing pipeline have its recursion depth"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_pLibraryInfo_03593, "the libraries of a ray tracing pipeline have the sizes of its interface"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_pLibraryInfo_03595, "libraries of ray tracing pipelines need VK_KHR_pipeline_library"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_flags_04718, "the libraries of a pipeline that skips AABBs skip them too"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_flags_04719, "the libraries of a pipeline that skips triangles skip them too"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_flags_12361, "the libraries of a pipeline for descriptor buffers are for them too"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_flags_12362, "the libraries of a pipeline that is not for descriptor buffers are not for them"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_flags_11275, "the libraries of a pipeline for descriptor heaps are for them too"},
	{vuid.VkRayTracingPipelineCreateInfoKHR_flags_11276, "the libraries of a pipeline that is not for descriptor heaps are not for them"},
	{vuid.VkRayTracingPipelineInterfaceCreateInfoKHR_maxPipelineRayHitAttributeSize_03605, "the hit attributes of an interface have no more bytes than maxRayHitAttributeSize"},
	{vuid.VkRayTracingShaderGroupCreateInfoKHR_type_03474, "a general group has a raygen, miss or callable stage"},
	{vuid.VkRayTracingShaderGroupCreateInfoKHR_type_03475, "a general group has no stage for hits"},
	{vuid.VkRayTracingShaderGroupCreateInfoKHR_type_03476, "a procedural hit group has an intersection stage"},
	{vuid.VkRayTracingShaderGroupCreateInfoKHR_type_03477, "a triangle hit group has no intersection stage"},
	{vuid.VkRayTracingShaderGroupCreateInfoKHR_closestHitShader_03478, "the closest hit shader of a group is a closest hit stage, or none"},
	{vuid.VkRayTracingShaderGroupCreateInfoKHR_anyHitShader_03479, "the any-hit shader of a group is an any-hit stage, or none"},
}

// isRays reports whether the pipeline traces rays.
func (l *linker) isRays() bool {
	return l.d.Kind == RayTracing || l.d.Kind == RayTracingNV || l.d.Kind == Any && len(l.stages) > 0 && StageOf(l.stages[0].Entry.Model) >= raygen
}

// rays checks a ray tracing pipeline.
func (l *linker) rays() {
	for _, s := range l.stages {
		if StageOf(s.Entry.Model) < raygen {
			l.fail(vuid.VkRayTracingPipelineCreateInfoKHR_stage_06899, []Side{entrySide(s)}, "there is a %s stage in a ray tracing pipeline; must be a ray tracing stage", entrySide(s).Stage)
		}
	}
	l.off(vuid.VkCreateRayTracingPipelinesKHR_rayTracingPipeline_03586, "rayTracingPipeline", []Side{{Stage: "pipeline"}}, "the pipeline traces rays")
	r, side := l.d.Rays, []Side{{Stage: "pipeline"}}
	library := l.d.Flags&enum.PipelineFlagsLibrary != 0
	if whole := r != nil || l.d.Kind != Any; whole && !library && !l.d.Library && !l.hasRaygen() {
		l.fail(vuid.VkRayTracingPipelineCreateInfoKHR_stage_03425, side, "the pipeline is no library and has no raygen stage; must have one")
	}
	if r == nil {
		l.payloads(nil)
		return
	}
	l.notEmpty(r, side)
	l.over(vuid.VkRayTracingPipelineCreateInfoKHR_maxPipelineRayRecursionDepth_03589, "VkPhysicalDeviceRayTracingPipelinePropertiesKHR::maxRayRecursionDepth", uint64(r.Depth), side, "the recursion depth")
	if r.Interface != nil {
		l.over(vuid.VkRayTracingPipelineInterfaceCreateInfoKHR_maxPipelineRayHitAttributeSize_03605, "maxRayHitAttributeSize", uint64(r.Interface.HitAttribute), side, "the size of hit attributes")
	}
	if library && r.Interface == nil {
		l.fail(vuid.VkRayTracingPipelineCreateInfoKHR_flags_03465, side, "the pipeline is a library and has no interface; must have one")
	}
	l.rayLibraries(r, side)
	for i := range r.Groups {
		l.group(i)
	}
	l.payloads(r)
}

// hasRaygen reports whether the pipeline or one of its libraries has a raygen
// stage.
func (l *linker) hasRaygen() bool {
	own := l.d.rayLibrary(0)
	return slices.Contains(own.Stages, 1<<raygen)
}

// rayPieces adds the libraries that are described as pipelines to the libraries of the
// shader groups.
func (l *linker) rayPieces() {
	if l.d.Rays == nil {
		return // there are no groups
	}
	own, r := *l.d, *l.d.Rays
	r.Libraries = slices.Clone(r.Libraries)
	for _, b := range own.Libraries {
		r.Libraries = append(r.Libraries, b.rayLibrary(0))
	}
	own.Rays = &r
	l.d = &own
}

// rayLibrary returns what the rules on libraries of shader groups need of a pipeline: its
// stages, then the stages of its own libraries.
func (d *Description) rayLibrary(depth int) RayLibrary {
	out := RayLibrary{Flags: d.Flags}
	for i := range d.Stages {
		stage := d.Stages[i].Stage
		if e := d.Stages[i].Entry; e != nil && StageOf(e.Model) >= 0 {
			stage = 1 << StageOf(e.Model)
		}
		out.Stages = append(out.Stages, stage)
	}
	if r := d.Rays; r != nil {
		out.Interface, out.Depth = r.Interface, &r.Depth
		for i := range r.Libraries {
			out.Stages = append(out.Stages, r.Libraries[i].Stages...)
		}
	}
	for _, b := range d.Libraries {
		if depth < maxLibraries {
			out.Stages = append(out.Stages, b.rayLibrary(depth+1).Stages...)
		}
	}
	return out
}

// libraryFlags are the flags that a pipeline shares with its libraries: of a
// pipeline that has the flag, and of one that has it not.
var libraryFlags = [...]struct {
	flag          enum.PipelineFlags
	with, without string
}{
	{enum.PipelineFlagsRayTracingSkipAabbs, vuid.VkRayTracingPipelineCreateInfoKHR_flags_04718, ""},
	{enum.PipelineFlagsRayTracingSkipTriangles, vuid.VkRayTracingPipelineCreateInfoKHR_flags_04719, ""},
	{enum.PipelineFlagsDescriptorBuffer, vuid.VkRayTracingPipelineCreateInfoKHR_flags_12361, vuid.VkRayTracingPipelineCreateInfoKHR_flags_12362},
	{enum.PipelineFlagsDescriptorHeap, vuid.VkRayTracingPipelineCreateInfoKHR_flags_11275, vuid.VkRayTracingPipelineCreateInfoKHR_flags_11276},
}

// rayLibraries checks the libraries of a ray tracing pipeline.
func (l *linker) rayLibraries(r *Rays, side []Side) {
	if on, known := l.d.Device.Extension("VK_KHR_pipeline_library"); known && !on && (len(r.Libraries) > 0 || r.Interface != nil) {
		l.fail(vuid.VkRayTracingPipelineCreateInfoKHR_pLibraryInfo_03595, side, "the pipeline has libraries or an interface; must have none without VK_KHR_pipeline_library")
	}
	if len(r.Libraries) > 0 && r.Interface == nil {
		l.fail(vuid.VkRayTracingPipelineCreateInfoKHR_pLibraryInfo_03590, side, "the pipeline has libraries and no interface; must have one")
	}
	for i := range r.Libraries {
		b := &r.Libraries[i]
		at := []Side{{Stage: fmt.Sprintf("library %d", i), path: fmt.Sprintf("ray_tracing.libraries[%d]", i)}, side[0]}
		if b.Depth != nil && *b.Depth != r.Depth {
			l.fail(vuid.VkRayTracingPipelineCreateInfoKHR_pLibraries_03591, at, "the recursion depth of library %d is %d, the depth of the pipeline %d; must be the same", i, *b.Depth, r.Depth)
		}
		if b.Interface != nil && r.Interface != nil && *b.Interface != *r.Interface {
			l.fail(vuid.VkRayTracingPipelineCreateInfoKHR_pLibraryInfo_03593, at, "library %d has payloads of %d and hit attributes of %d bytes, the pipeline of %d and %d; must be the same",
				i, b.Interface.Payload, b.Interface.HitAttribute, r.Interface.Payload, r.Interface.HitAttribute)
		}
		for _, k := range libraryFlags {
			has, must := b.Flags&k.flag != 0, l.d.Flags&k.flag != 0
			switch {
			case must && !has:
				l.fail(k.with, at, "the pipeline has the flag %s and library %d has not; must have it", k.flag, i)
			case !must && has && k.without != "":
				l.fail(k.without, at, "library %d has the flag %s and the pipeline has not; must not have it", i, k.flag)
			}
		}
	}
}

// rayStage returns the index in stageOrder of the stage that a group names, and its shader
// if the pipeline itself has it. used reports whether the group names a stage, known
// whether the index is known.
func (l *linker) rayStage(r *Ref) (inputSlot int, s *Shader, used, known bool) {
	if r == nil || *r == Unused {
		return -1, nil, false, true
	}
	n := uint64(*r)
	if n < uint64(len(l.d.Stages)) {
		s = &l.d.Stages[n]
		if s.Entry == nil {
			return -1, nil, true, false
		}
		return StageOf(s.Entry.Model), s, true, true
	}
	n -= uint64(len(l.d.Stages))
	for i := range l.d.Rays.Libraries {
		list := l.d.Rays.Libraries[i].Stages
		if n < uint64(len(list)) {
			for k := range stageOrder {
				if list[n] == 1<<k {
					return k, nil, true, true
				}
			}
		}
		n -= min(n, uint64(len(list)))
	}
	return -1, nil, true, !l.d.Library
}

// group checks one group of a ray tracing pipeline.
func (l *linker) group(i int) {
	g := &l.d.Rays.Groups[i]
	general, procedural := g.Type == enum.GroupTypeGeneral, g.Type == enum.GroupTypeProceduralHitGroup
	for _, k := range [...]struct {
		ref          *Ref
		name, code   string
		stages       Stages
		must, forbid bool
		instead      string // the rule that requires it to be absent
	}{
		{g.General, "general", vuid.VkRayTracingShaderGroupCreateInfoKHR_type_03474, 1<<raygen | 1<<miss | 1<<callable, general, false, ""},
		{g.ClosestHit, "closest hit", vuid.VkRayTracingShaderGroupCreateInfoKHR_closestHitShader_03478, 1 << closestHit, false, general, vuid.VkRayTracingShaderGroupCreateInfoKHR_type_03475},
		{g.AnyHit, "any-hit", vuid.VkRayTracingShaderGroupCreateInfoKHR_anyHitShader_03479, 1 << anyHit, false, general, vuid.VkRayTracingShaderGroupCreateInfoKHR_type_03475},
		{
			g.Intersection, "intersection", vuid.VkRayTracingShaderGroupCreateInfoKHR_type_03476, 1 << intersection, procedural, !procedural,
			[...]string{enum.GroupTypeGeneral: vuid.VkRayTracingShaderGroupCreateInfoKHR_type_03475, enum.GroupTypeTrianglesHitGroup: vuid.VkRayTracingShaderGroupCreateInfoKHR_type_03477}[min(g.Type, enum.GroupTypeTrianglesHitGroup)],
		},
	} {
		if k.name == "general" && !general {
			continue // content of hit groups is not checked here
		}
		inputSlot, s, used, known := l.rayStage(k.ref)
		side := Side{Stage: "ray tracing", Slot: fmt.Sprintf("group %d", i), Type: g.Type.String(), path: fmt.Sprintf("ray_tracing.groups[%d]", i)}
		sides := []Side{side}
		if s != nil {
			sides = append(sides, entrySide(s))
		}
		switch {
		case used && k.forbid:
			l.fail(k.instead, sides, "group %d is a %s and has a stage for %s, number %s; must have none", i, g.Type, k.name, *k.ref)
		case used && known && (inputSlot < 0 || k.stages>>inputSlot&1 == 0):
			what := "which does not exist"
			if inputSlot >= 0 {
				what = "a " + stageOrder[inputSlot].name + " stage"
			}
			l.fail(k.code, sides, "group %d names stage %s as its %s stage, %s; must be one of %s", i, *k.ref, k.name, what, k.stages)
		case !used && k.must:
			l.fail(k.code, sides, "group %d is a %s and has no %s stage; must have one", i, g.Type, k.name)
		}
	}
}

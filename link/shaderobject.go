package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// objectCodes maps rules on pipelines to the rules for shader objects. A rule on pipelines
// that is not in the map does not apply to shader objects.
var objectCodes = map[string]string{
	vuid.VkPipelineShaderStageCreateInfo_stage_02596:                           vuid.VkShaderCreateInfoEXT_pCode_08456,
	vuid.VkPipelineShaderStageCreateInfo_stage_02597:                           vuid.VkShaderCreateInfoEXT_pCode_08457,
	vuid.VkPipelineShaderStageCreateInfo_stage_06685:                           vuid.VkShaderCreateInfoEXT_pCode_08459,
	vuid.VkPipelineShaderStageCreateInfo_pName_00707:                           vuid.VkShaderCreateInfoEXT_pName_08440,
	vuid.VkPipelineShaderStageCreateInfo_stage_00704:                           vuid.VkShaderCreateInfoEXT_stage_08420,
	vuid.VkPipelineShaderStageCreateInfo_stage_00705:                           vuid.VkShaderCreateInfoEXT_stage_08419,
	vuid.VkPipelineShaderStageCreateInfo_stage_02091:                           vuid.VkShaderCreateInfoEXT_stage_08422,
	vuid.VkPipelineShaderStageCreateInfo_stage_02092:                           vuid.VkShaderCreateInfoEXT_stage_08421,
	vuid.VkPipelineShaderStageCreateInfo_maxClipDistances_00708:                vuid.VkShaderCreateInfoEXT_pCode_08448,
	vuid.VkPipelineShaderStageCreateInfo_maxCullDistances_00709:                vuid.VkShaderCreateInfoEXT_pCode_08449,
	vuid.VkPipelineShaderStageCreateInfo_maxCombinedClipAndCullDistances_00710: vuid.VkShaderCreateInfoEXT_pCode_08450,
	vuid.VkPipelineShaderStageCreateInfo_maxSampleMaskWords_00711:              vuid.VkShaderCreateInfoEXT_pCode_08451,
	vuid.VkPipelineShaderStageCreateInfo_stage_00713:                           vuid.VkShaderCreateInfoEXT_pCode_08453,
	vuid.VkPipelineShaderStageCreateInfo_stage_00714:                           vuid.VkShaderCreateInfoEXT_pCode_08454,
	vuid.VkPipelineShaderStageCreateInfo_stage_00715:                           vuid.VkShaderCreateInfoEXT_pCode_08455,
	vuid.VkPipelineShaderStageCreateInfo_flags_02784:                           vuid.VkShaderCreateInfoEXT_flags_09404,
	vuid.VkPipelineShaderStageCreateInfo_flags_02785:                           vuid.VkShaderCreateInfoEXT_flags_09405,
	vuid.VkPipelineShaderStageCreateInfo_flags_08988:                           vuid.VkShaderCreateInfoEXT_flags_08992,
	vuid.VkPipelineShaderStageCreateInfo_flags_02758:                           vuid.VkShaderCreateInfoEXT_flags_08416,
	vuid.VkPipelineShaderStageCreateInfo_flags_02759:                           vuid.VkShaderCreateInfoEXT_flags_08417,
	vuid.VkPipelineLayoutCreateInfo_setLayoutCount_00286:                       vuid.VkShaderCreateInfoEXT_setLayoutCount_12257,
	vuid.VkPipelineLayoutCreateInfo_pPushConstantRanges_00292:                  vuid.VkShaderCreateInfoEXT_pPushConstantRanges_10063,
	vuid.VkPipelineShaderStageCreateInfo_descriptorHeap_11314:                  vuid.VkShaderCreateInfoEXT_descriptorHeap_11314,
	vuid.VkPipelineShaderStageCreateInfo_pNext_11315:                           vuid.VkShaderCreateInfoEXT_pNext_11315,
	vuid.VkPipelineShaderStageCreateInfo_pNext_11316:                           vuid.VkShaderCreateInfoEXT_pNext_11316,
	vuid.VkPipelineShaderStageCreateInfo_pNext_12454:                           vuid.VkShaderCreateInfoEXT_pNext_12454,
	vuid.VkPipelineShaderStageCreateInfo_pNext_11317:                           vuid.VkShaderCreateInfoEXT_pNext_11317,
	vuid.VkPipelineShaderStageCreateInfo_pNext_11318:                           vuid.VkShaderCreateInfoEXT_pNext_11318,
	vuid.VkPipelineShaderStageCreateInfo_pNext_11378:                           vuid.VkShaderCreateInfoEXT_pNext_11378,
	vuid.VkPipelineShaderStageCreateInfo_pNext_11399:                           vuid.VkShaderCreateInfoEXT_pNext_11399,
	codesOf[0].push: vuid.VkShaderCreateInfoEXT_codeType_10064, codesOf[1].push: vuid.VkShaderCreateInfoEXT_codeType_10064,
	codesOf[0].pushInside: vuid.VkShaderCreateInfoEXT_codeType_10065, codesOf[1].pushInside: vuid.VkShaderCreateInfoEXT_codeType_10065,
	codesOf[0].stage: vuid.VkShaderCreateInfoEXT_codeType_10383, codesOf[1].stage: vuid.VkShaderCreateInfoEXT_codeType_10383,
	codesOf[0].kind: vuid.VkShaderCreateInfoEXT_codeType_10384, codesOf[1].kind: vuid.VkShaderCreateInfoEXT_codeType_10384,
	codesOf[0].count: vuid.VkShaderCreateInfoEXT_codeType_10385, codesOf[1].count: vuid.VkShaderCreateInfoEXT_codeType_10385,
	codesOf[0].inline: vuid.VkShaderCreateInfoEXT_codeType_10386, codesOf[1].inline: vuid.VkShaderCreateInfoEXT_codeType_10386,
}

// objectCode returns the name of a rule for shader objects, and whether it holds
// for them.
func objectCode(code string) (string, bool) {
	if c, ok := objectCodes[code]; ok {
		return c, true
	}
	if c, ok := set[code]; ok {
		return c, true
	}
	of, _, _ := strings.Cut(strings.TrimPrefix(code, "VUID-"), "-")
	switch of {
	case "VkGraphicsPipelineCreateInfo", "VkComputePipelineCreateInfo", "VkPipelineShaderStageCreateInfo":
		return code, false
	}
	return code, true
}

// objectFlags are flags of shader objects that only some stages may have, or that need a
// feature: either rule is "" if it does not exist.
var objectFlags = [...]struct {
	flag        enum.ObjectFlags
	stages      Stages
	stageCode   string
	feature     string
	featureCode string
}{
	{enum.ObjectFlagsLinkStage, 1<<(fragment+1) - 1, vuid.VkShaderCreateInfoEXT_flags_08412, "", ""},
	{enum.ObjectFlagsFragmentShadingRateAttachment, 1 << fragment, vuid.VkShaderCreateInfoEXT_flags_08486, "attachmentFragmentShadingRate", vuid.VkShaderCreateInfoEXT_flags_08487},
	{enum.ObjectFlagsFragmentDensityMapAttachment, 1 << fragment, vuid.VkShaderCreateInfoEXT_flags_08488, "fragmentDensityMap", vuid.VkShaderCreateInfoEXT_flags_08489},
	{enum.ObjectFlagsDispatchBase, 1 << compute, vuid.VkShaderCreateInfoEXT_flags_08485, "", ""},
	{enum.ObjectFlagsNoTaskShader, 1 << mesh, vuid.VkShaderCreateInfoEXT_flags_08414, "", ""},
	{enum.ObjectFlagsIndependentSets, AllStages &^ (1 << compute), vuid.VkShaderCreateInfoEXT_stage_12428, "", ""},
	{enum.ObjectFlagsOpacityMicromapDisallowMixedSpecialIndex, AllStages, "", "micromap", vuid.VkShaderCreateInfoEXT_micromap_11623},
	{enum.ObjectFlagsIndirectBindable, AllStages, "", "deviceGeneratedCommands", vuid.VkShaderCreateInfoEXT_flags_11005},
	{enum.ObjectFlags64BitIndexing, AllStages, "", "shader64BitIndexing", vuid.VkShaderCreateInfoEXT_flags_11758},
}

// nextStages are the stages that may follow each stage.
var nextStages = map[int]struct {
	code   string
	stages Stages
}{
	vertex:                 {vuid.VkShaderCreateInfoEXT_nextStage_08427, 1<<tessellationControl | 1<<geometry | 1<<fragment},
	tessellationControl:    {vuid.VkShaderCreateInfoEXT_nextStage_08430, 1 << tessellationEvaluation},
	tessellationEvaluation: {vuid.VkShaderCreateInfoEXT_nextStage_08431, 1<<geometry | 1<<fragment},
	geometry:               {vuid.VkShaderCreateInfoEXT_nextStage_08433, 1 << fragment},
	task:                   {vuid.VkShaderCreateInfoEXT_nextStage_08435, 1 << mesh},
	mesh:                   {vuid.VkShaderCreateInfoEXT_nextStage_08436, 1 << fragment},
	fragment:               {vuid.VkShaderCreateInfoEXT_nextStage_08434, 0},
	compute:                {vuid.VkShaderCreateInfoEXT_nextStage_08434, 0},
}

// agreements are the properties that linked tessellation stages must agree on, or that one
// of them must declare: the modes, and the rules for either.
var agreements = [...]struct {
	what       string
	modes      []spirv.ExecutionMode
	said, same string
}{
	{"the subdivision of primitives", subdivisions, "", vuid.VkCreateShadersEXT_pCreateInfos_08867},
	{
		"the orientation of triangles", []spirv.ExecutionMode{spirv.ExecutionModeVertexOrderCw, spirv.ExecutionModeVertexOrderCcw},
		vuid.VkCreateShadersEXT_pCreateInfos_12224, vuid.VkCreateShadersEXT_pCreateInfos_08868,
	},
	{
		"the spacing of segments", []spirv.ExecutionMode{spirv.ExecutionModeSpacingEqual, spirv.ExecutionModeSpacingFractionalEven, spirv.ExecutionModeSpacingFractionalOdd},
		vuid.VkCreateShadersEXT_pCreateInfos_12225, vuid.VkCreateShadersEXT_pCreateInfos_08870,
	},
	{"the size of output patches", []spirv.ExecutionMode{spirv.ExecutionModeOutputVertices}, "", vuid.VkCreateShadersEXT_pCreateInfos_08871},
}

// objectRules are the rules of shader objects.
var objectRules = func() []Rule {
	out := []Rule{
		{vuid.VkCreateShadersEXT_None_08400, "shader objects need the feature shaderObject"},
		{vuid.VkCreateShadersEXT_pCreateInfos_08402, "if one stage is linked, all vertex, tessellation, geometry and fragment stages are"},
		{vuid.VkCreateShadersEXT_pCreateInfos_08403, "if one stage is linked, all task and mesh stages are"},
		{vuid.VkCreateShadersEXT_pCreateInfos_08404, "task or mesh stages are not linked beside vertex, tessellation or geometry stages"},
		{vuid.VkCreateShadersEXT_pCreateInfos_08405, "a mesh stage that has no task stage is not linked beside one"},
		{vuid.VkCreateShadersEXT_pCreateInfos_08409, "the next stage of a linked stage is the linked stage after it"},
		{vuid.VkCreateShadersEXT_pCreateInfos_08410, "linked stages are of one sort each"},
		{vuid.VkCreateShadersEXT_pCreateInfos_09632, "a mesh stage that may have a task stage has no DrawIndex"},
		{vuid.VkCreateShadersEXT_flags_11472, "if a linked stage is for descriptor heaps, all graphics stages are"},
		{vuid.VkShaderCreateInfoEXT_setLayoutCount_13359, "no set layout of a stage without independent sets is null"},
		{vuid.VkShaderCreateInfoEXT_flags_11006, "a stage for indirect binding has no mode Xfb"},
		{vuid.VkShaderCreateInfoEXT_flags_11290, "a stage for descriptor heaps has no set layouts"},
		{vuid.VkShaderCreateInfoEXT_flags_11370, "a stage for descriptor heaps has no push constant ranges"},
		{vuid.VkShaderCreateInfoEXT_stage_12445, "no shader object is a stage of ray tracing"},
		{vuid.VkShaderCreateInfoEXT_flags_12490, "a stage for descriptor heaps has no independent sets"},
		{vuid.VkShaderCreateInfoEXT_codeType_08872, "a tessellation evaluation stage declares the subdivision of primitives"},
		{vuid.VkShaderCreateInfoEXT_codeType_12226, "a tessellation control stage declares the size of output patches"},
		{vuid.VkShaderCreateInfoEXT_nextStage_08428, "a next stage of tessellation needs the feature tessellationShader"},
		{vuid.VkShaderCreateInfoEXT_nextStage_08429, "a next stage of geometry needs the feature geometryShader"},
	}
	for _, k := range objectFlags {
		if k.stageCode != "" {
			out = append(out, Rule{k.stageCode, fmt.Sprintf("only the stages of the flag %s have it", k.flag)})
		}
		if k.featureCode != "" {
			out = append(out, Rule{k.featureCode, fmt.Sprintf("the flag %s needs the feature %s", k.flag, k.feature)})
		}
	}
	for k := range stageOrder {
		if n, ok := nextStages[k]; ok && k != compute {
			out = append(out, Rule{n.code, fmt.Sprintf("after a %s shader object may come: %s", stageOrder[k].name, n.stages)})
		}
	}
	for _, k := range agreements {
		out = append(out, Rule{k.same, "linked tessellation stages agree on " + k.what})
		if k.said != "" {
			out = append(out, Rule{k.said, "one of two linked tessellation stages declares " + k.what})
		}
	}
	seen := map[string]bool{}
	for _, f := range [][]Rule{shaderRules, layoutRules, layoutCountRules, mappingRules, moduleRules, flowRules} {
		for _, r := range f {
			if c, ok := objectCodes[r.Code]; ok && !seen[c] {
				seen[c] = true
				out = append(out, Rule{c, "of shader objects: " + r.Words})
			}
		}
	}
	return out
}()

// drawn are the stages that draw.
const drawn = Stages(1<<(fragment+1) - 1)

// objects checks shader objects that are made together.
func (l *linker) objects() {
	l.off(vuid.VkCreateShadersEXT_None_08400, "shaderObject", []Side{{Stage: "shader objects"}}, "there are shader objects")
	var linked []*Shader
	for _, s := range l.stages {
		l.object(s)
		if s.Object&enum.ObjectFlagsLinkStage != 0 {
			linked = append(linked, s)
		}
	}
	if len(linked) > 0 {
		l.linked(linked)
	}
	l.drawn()
	if c, e := l.stage(tessellationControl), l.stage(tessellationEvaluation); c != nil && e != nil && (c.Object|e.Object)&enum.ObjectFlagsLinkStage == 0 {
		l.agree(c, e, false)
	}
	l.recordedState()
	if p := l.d.Layout; p != nil {
		null := slices.IndexFunc(p.Sets, func(s Set) bool { return s.Null })
		for _, s := range l.stages {
			if null >= 0 && s.Object&enum.ObjectFlagsIndependentSets == 0 {
				l.fail(vuid.VkShaderCreateInfoEXT_setLayoutCount_13359, []Side{entrySide(s)}, "set %d is null and the %s stage has no independent sets; must not be null", p.Sets[null].Number, entrySide(s).Stage)
			}
		}
	}
}

// object checks one shader object.
func (l *linker) object(s *Shader) {
	side, k := []Side{entrySide(s)}, StageOf(s.Entry.Model)
	for _, f := range objectFlags {
		if s.Object&f.flag == 0 {
			continue
		}
		if f.stageCode != "" && f.stages>>k&1 == 0 {
			l.fail(f.stageCode, side, "the %s stage has the flag %s; must be %s", side[0].Stage, f.flag, f.stages)
			continue
		}
		if f.featureCode != "" {
			l.off(f.featureCode, f.feature, side, fmt.Sprintf("the %s stage has the flag %s", side[0].Stage, f.flag))
		}
	}
	if _, xfb := oneOf(s, spirv.ExecutionModeXfb); xfb && s.Object&enum.ObjectFlagsIndirectBindable != 0 {
		l.fail(vuid.VkShaderCreateInfoEXT_flags_11006, side, "the %s stage has the flag %s and the mode Xfb; must not have both", side[0].Stage, enum.ObjectFlagsIndirectBindable)
	}
	if s.Object&enum.ObjectFlagsDescriptorHeap != 0 && l.d.Layout != nil && len(l.d.Layout.Sets) > 0 {
		l.fail(vuid.VkShaderCreateInfoEXT_flags_11290, side, "the %s stage is for descriptor heaps and there are set layouts; must be none", side[0].Stage)
	}
	if s.Object&enum.ObjectFlagsDescriptorHeap != 0 && l.d.Layout != nil && len(l.d.Layout.Push) > 0 {
		l.fail(vuid.VkShaderCreateInfoEXT_flags_11370, side, "the %s stage is for descriptor heaps and there are push constant ranges; must be none", side[0].Stage)
	}
	if k >= raygen {
		l.fail(vuid.VkShaderCreateInfoEXT_stage_12445, side, "there is a %s shader object; must be a stage that draws or computes", side[0].Stage)
	}
	const both = enum.ObjectFlagsDescriptorHeap | enum.ObjectFlagsIndependentSets
	if s.Object&both == both {
		l.fail(vuid.VkShaderCreateInfoEXT_flags_12490, side, "the %s stage has the flags %s; must not have both", side[0].Stage, both)
	}
	switch k {
	case tessellationEvaluation:
		if _, ok := oneOf(s, subdivisions...); !ok {
			l.fail(vuid.VkShaderCreateInfoEXT_codeType_08872, side, "the stage does not declare the subdivision of primitives; must have Triangles, Quads or Isolines")
		}
	case tessellationControl:
		if _, ok := oneOf(s, spirv.ExecutionModeOutputVertices); !ok {
			l.fail(vuid.VkShaderCreateInfoEXT_codeType_12226, side, "the stage does not declare the size of output patches; must have OutputVertices")
		}
	case mesh:
		if s.Object&enum.ObjectFlagsNoTaskShader == 0 && hasBuiltIn(s.Entry, spirv.BuiltInDrawIndex) {
			l.fail(vuid.VkCreateShadersEXT_pCreateInfos_09632, side, "the mesh stage has DrawIndex and not the flag %s; must have the flag", enum.ObjectFlagsNoTaskShader)
		}
	}
	if s.HasNext {
		l.next(s, k, side)
	}
}

// next checks the stages that may follow a shader object.
func (l *linker) next(s *Shader, k int, side []Side) {
	if n, ok := nextStages[k]; ok && s.Next&^n.stages != 0 {
		l.fail(n.code, side, "after the %s stage may come %s; must be only %s", side[0].Stage, s.Next, n.stages)
	}
	if s.Next&(1<<tessellationControl|1<<tessellationEvaluation) != 0 {
		l.off(vuid.VkShaderCreateInfoEXT_nextStage_08428, "tessellationShader", side, "after the "+side[0].Stage+" stage a tessellation stage may come")
	}
	if s.Next&(1<<geometry) != 0 {
		l.off(vuid.VkShaderCreateInfoEXT_nextStage_08429, "geometryShader", side, "after the "+side[0].Stage+" stage a geometry stage may come")
	}
}

// linked checks shader objects of which some are linked, in the order of stages.
func (l *linker) linked(list []*Shader) {
	heaps := slices.ContainsFunc(list, func(s *Shader) bool { return s.Object&enum.ObjectFlagsDescriptorHeap != 0 })
	for _, s := range l.stages {
		k, side := StageOf(s.Entry.Model), []Side{entrySide(s), entrySide(list[0])}
		if drawn>>k&1 == 0 {
			continue
		}
		if heaps && s.Object&enum.ObjectFlagsDescriptorHeap == 0 {
			l.fail(vuid.VkCreateShadersEXT_flags_11472, side, "the %s stage does not have the flag %s, which a linked stage has; must have it", side[0].Stage, enum.ObjectFlagsDescriptorHeap)
		}
		if s.Object&enum.ObjectFlagsLinkStage == 0 {
			code := vuid.VkCreateShadersEXT_pCreateInfos_08402
			if k == task || k == mesh {
				code = vuid.VkCreateShadersEXT_pCreateInfos_08403
			}
			l.fail(code, side, "the %s stage is not linked and the %s stage is; must be linked too", side[0].Stage, side[1].Stage)
		}
	}
	of := map[int]*Shader{}
	var last *Shader
	for _, s := range list {
		k, side := StageOf(s.Entry.Model), []Side{entrySide(s)}
		if of[k] != nil {
			l.fail(vuid.VkCreateShadersEXT_pCreateInfos_08410, side, "two linked stages are %s; must be one", side[0].Stage)
			continue
		}
		of[k] = s
		if last != nil && last.HasNext && last.Next != 1<<k {
			l.fail(vuid.VkCreateShadersEXT_pCreateInfos_08409, []Side{entrySide(last), side[0]}, "the linked stage after the %s stage is %s, and its possible next stages are %s; must be only that stage", entrySide(last).Stage, side[0].Stage, last.Next)
		}
		last = s
	}
	l.linkedKinds(of)
	if c, e := of[tessellationControl], of[tessellationEvaluation]; c != nil && e != nil {
		l.agree(c, e, true)
	}
}

// linkedKinds checks that linked stages are for vertices or for meshes.
func (l *linker) linkedKinds(of map[int]*Shader) {
	for k := task; k <= mesh; k++ {
		for v := vertex; v <= geometry && of[k] != nil; v++ {
			if of[v] != nil {
				l.fail(vuid.VkCreateShadersEXT_pCreateInfos_08404, []Side{entrySide(of[k]), entrySide(of[v])}, "a %s and a %s stage are linked; must be of one kind", stageOrder[k].name, stageOrder[v].name)
				return
			}
		}
	}
	if t, m := of[task], of[mesh]; t != nil && m != nil && m.Object&enum.ObjectFlagsNoTaskShader != 0 {
		l.fail(vuid.VkCreateShadersEXT_pCreateInfos_08405, []Side{entrySide(m), entrySide(t)}, "the linked mesh stage has the flag %s, and a task stage is linked; must not be", enum.ObjectFlagsNoTaskShader)
	}
}

// agree checks the modes of the two tessellation stages against each other; linked reports
// that they are linked, otherwise they are bound together.
func (l *linker) agree(control, evaluation *Shader, linked bool) {
	both := []Side{entrySide(evaluation), entrySide(control)}
	for _, k := range agreements {
		c, inControl := oneOf(control, k.modes...)
		e, inEvaluation := oneOf(evaluation, k.modes...)
		switch {
		case !inControl && !inEvaluation:
			if k.said != "" && linked {
				l.fail(k.said, both, "neither tessellation stage declares %s; one must declare it", k.what)
			}
		case inControl && inEvaluation && (c.Mode != e.Mode || !slices.Equal(c.Operands, e.Operands)):
			code := k.same
			if !linked {
				code = bound[k.same]
			}
			l.fail(code, both, "the tessellation stages declare %s as %s %v and %s %v; must be the same", k.what, e.Mode, e.Operands, c.Mode, c.Operands)
		}
	}
}

package link

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// stageRules are the rules on the combination of stages.
var stageRules = []Rule{
	{vuid.VkGraphicsPipelineCreateInfo_stage_06897, "a pipeline has one stage of each sort"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_02095, "a pipeline shades either vertices or meshes"},
	{vuid.VkGraphicsPipelineCreateInfo_stage_02096, "a pipeline has a vertex or a mesh stage"},
	{vuid.VkGraphicsPipelineCreateInfo_TaskNV_07063, "task and mesh stages are of one extension"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_09631, "a mesh stage after a task stage has no DrawIndex"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_00729, "a pipeline with a tessellation control stage has an evaluation stage"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_00730, "a pipeline with a tessellation evaluation stage has a control stage"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_00732, "one of the tessellation stages declares the subdivision of primitives"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_00733, "the tessellation stages agree on the subdivision of primitives"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_00734, "one of the tessellation stages declares the size of output patches"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_00735, "the tessellation stages agree on the size of output patches"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_00739, "the input primitives of a geometry stage match the output of tessellation"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_00740, "a PrimitiveId that a fragment stage reads is written by the geometry stage"},
	{vuid.VkGraphicsPipelineCreateInfo_PrimitiveId_06264, "a PrimitiveId that a fragment stage reads is written by the mesh stage"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_02317, "at most one stage has the mode Xfb"},
	{vuid.VkGraphicsPipelineCreateInfo_pStages_02318, "the stage with the mode Xfb is the last one before rasterization"},
	{vuid.VkGraphicsPipelineCreateInfo_None_02322, "no stage has the mode Xfb in a pipeline with a mesh stage"},
}

// pipeline checks the combination of stages and the modes that they must agree on.
func (l *linker) pipeline() {
	l.call()
	l.commands()
	if l.d.Kind == ShaderObjects {
		l.objects()
		return
	}
	if l.d.Kind == DataGraph {
		l.dataGraph()
		return
	}
	l.flags()
	l.robust()
	if l.d.Kind == ExecutionGraph {
		l.graph()
		return
	}
	if l.isGraphics() {
		l.graphics()
	}
	if l.isRays() {
		l.rays()
	}
	for i := 1; i < len(l.stages); i++ {
		k := StageOf(l.stages[i].Entry.Model)
		if k == StageOf(l.stages[i-1].Entry.Model) && k <= fragment {
			l.fail(vuid.VkGraphicsPipelineCreateInfo_stage_06897, []Side{entrySide(l.stages[i]), entrySide(l.stages[i-1])},
				"there are two %s stages; must be one", stageOrder[k].name)
		}
	}
	if len(l.stages) == 0 || StageOf(l.stages[0].Entry.Model) > fragment {
		return
	}
	l.geometric()
	l.tessellation()
	l.primitives()
	l.transformFeedback()
	l.primitiveID()
	l.given()
}

// isGraphics reports whether the pipeline draws.
func (l *linker) isGraphics() bool {
	return l.d.Kind == Graphics || l.d.Kind == Any && len(l.stages) > 0 && StageOf(l.stages[0].Entry.Model) <= fragment
}

// entrySide describes a stage as a whole.
func entrySide(s *Shader) Side {
	side := s.at(-1)
	side.Name = s.Entry.Name
	return side
}

// geometric checks that vertices or meshes are shaded, and not both.
func (l *linker) geometric() {
	var vertices, meshes *Shader
	for _, s := range l.stages {
		switch k := StageOf(s.Entry.Model); {
		case k <= geometry:
			vertices = s
		case k == task || k == mesh:
			meshes = s
		}
	}
	if vertices != nil && meshes != nil {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_02095, []Side{entrySide(meshes), entrySide(vertices)},
			"the pipeline has a %s and a %s stage; must be of one kind", entrySide(meshes).Stage, entrySide(vertices).Stage)
	}
	if !l.d.Library && l.stage(vertex) == nil && l.stage(mesh) == nil {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_stage_02096, []Side{entrySide(l.stages[0])}, "the pipeline has neither a vertex nor a mesh stage; must have one of them")
	}
	t, m := l.stage(task), l.stage(mesh)
	if t != nil && m != nil && (t.Entry.Model == spirv.ExecutionModelTaskNV) != (m.Entry.Model == spirv.ExecutionModelMeshNV) {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_TaskNV_07063, []Side{entrySide(m), entrySide(t)}, "the task stage is %s and the mesh stage %s; must be of one extension", t.Entry.Model, m.Entry.Model)
	}
	if t != nil && m != nil && hasBuiltIn(m.Entry, spirv.BuiltInDrawIndex) {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_09631, []Side{entrySide(m)}, "the mesh stage has DrawIndex after a task stage; must not have it")
	}
}

func hasBuiltIn(e *iface.Entry, b spirv.BuiltIn) bool {
	return slices.ContainsFunc(e.BuiltIns, func(x iface.BuiltIn) bool { return x.BuiltIn == b })
}

// oneOf returns which of several modes an entry point has, and its operands.
func oneOf(s *Shader, modes ...spirv.ExecutionMode) (iface.Mode, bool) {
	if s == nil {
		return iface.Mode{}, false
	}
	for _, m := range s.Entry.Modes {
		if slices.Contains(modes, m.Mode) {
			return m, true
		}
	}
	return iface.Mode{}, false
}

// The modes that say how primitives are subdivided.
var subdivisions = []spirv.ExecutionMode{spirv.ExecutionModeTriangles, spirv.ExecutionModeQuads, spirv.ExecutionModeIsolines}

// tessellation checks the two tessellation stages.
func (l *linker) tessellation() {
	control, evaluation := l.stage(tessellationControl), l.stage(tessellationEvaluation)
	switch {
	case control == nil && evaluation == nil:
		return
	case evaluation == nil:
		if !l.d.Library {
			l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_00729, []Side{entrySide(control)}, "a tessellation control stage without a tessellation evaluation stage; must have both")
		}
		return
	case control == nil:
		if !l.d.Library {
			l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_00730, []Side{entrySide(evaluation)}, "a tessellation evaluation stage without a tessellation control stage; must have both")
		}
		return
	}
	both := []Side{entrySide(evaluation), entrySide(control)}
	c, inControl := oneOf(control, subdivisions...)
	e, inEvaluation := oneOf(evaluation, subdivisions...)
	switch {
	case !inControl && !inEvaluation:
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_00732, both, "no tessellation stage declares the subdivision of primitives; must have Triangles, Quads or Isolines in one")
	case inControl && inEvaluation && c.Mode != e.Mode:
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_00733, both, "the tessellation control stage has %s, the evaluation stage %s; must be the same", c.Mode, e.Mode)
	}
	c, inControl = oneOf(control, spirv.ExecutionModeOutputVertices)
	e, inEvaluation = oneOf(evaluation, spirv.ExecutionModeOutputVertices)
	switch {
	case !inControl && !inEvaluation:
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_00734, both, "no tessellation stage declares the size of output patches; must have OutputVertices in one")
	case inControl && inEvaluation && !slices.Equal(c.Operands, e.Operands):
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_00735, both, "the tessellation stages have OutputVertices %v and %v; must be the same", c.Operands, e.Operands)
	}
}

// primitives checks the input primitives of a geometry stage that follows a tessellation
// stage.
func (l *linker) primitives() {
	g, evaluation := l.stage(geometry), l.stage(tessellationEvaluation)
	if g == nil || evaluation == nil {
		return
	}
	want := spirv.ExecutionModeTriangles
	if _, points := oneOf(evaluation, spirv.ExecutionModePointMode); points {
		want = spirv.ExecutionModeInputPoints
	} else if _, lines := oneOf(evaluation, spirv.ExecutionModeIsolines); lines {
		want = spirv.ExecutionModeInputLines
	}
	got, ok := oneOf(g, spirv.ExecutionModeInputPoints, spirv.ExecutionModeInputLines, spirv.ExecutionModeInputLinesAdjacency,
		spirv.ExecutionModeTriangles, spirv.ExecutionModeInputTrianglesAdjacency)
	if ok && got.Mode != want {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_00739, []Side{entrySide(g), entrySide(evaluation)},
			"the geometry stage expects %s, the output of tessellation needs %s; must be the same", got.Mode, want)
	}
}

// transformFeedback checks which stage captures.
func (l *linker) transformFeedback() {
	var captures []*Shader
	var last *Shader
	for _, s := range l.stages {
		if StageOf(s.Entry.Model) < fragment {
			last = s
		}
		if _, ok := oneOf(s, spirv.ExecutionModeXfb); ok {
			captures = append(captures, s)
		}
	}
	if len(captures) == 0 {
		return
	}
	if len(captures) > 1 {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_02317, []Side{entrySide(captures[1]), entrySide(captures[0])}, "two stages have the mode Xfb; must be one")
	}
	if m := l.stage(mesh); m != nil {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_None_02322, []Side{entrySide(captures[0]), entrySide(m)}, "a stage has the mode Xfb in a pipeline with a mesh stage; must not have it")
	} else if !l.d.Library && captures[0] != last {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_02318, []Side{entrySide(captures[0]), entrySide(last)}, "the %s stage has the mode Xfb, and the %s stage comes after it; must be the last before rasterization", entrySide(captures[0]).Stage, entrySide(last).Stage)
	}
}

// primitiveID checks that a PrimitiveId input of a fragment stage was written, if a stage
// before it must write it.
func (l *linker) primitiveID() {
	f := l.stage(fragment)
	if f == nil || !slices.ContainsFunc(f.Entry.BuiltIns, func(b iface.BuiltIn) bool { return b.BuiltIn == spirv.BuiltInPrimitiveId && b.Used }) {
		return
	}
	writes := func(s *Shader) bool {
		return slices.ContainsFunc(s.Entry.BuiltIns, func(b iface.BuiltIn) bool {
			return b.BuiltIn == spirv.BuiltInPrimitiveId && b.Class == spirv.StorageClassOutput
		})
	}
	if g := l.stage(geometry); g != nil && !writes(g) {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_pStages_00740, []Side{entrySide(f), entrySide(g)}, "the fragment stage reads PrimitiveId, which the geometry stage does not write; must write it")
	}
	if m := l.stage(mesh); m != nil && !writes(m) {
		l.fail(vuid.VkGraphicsPipelineCreateInfo_PrimitiveId_06264, []Side{entrySide(f), entrySide(m)}, "the fragment stage reads PrimitiveId, which the mesh stage does not write; must write it")
	}
}

package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// The rules on draws with shader objects.

// bindNeeds are the stages that BindShaders must have bound, an object or nothing, before a draw without a pipeline, with the
// feature that a device needs for the stage.
var bindNeeds = [...]struct{ rule, feature string }{
	StageVertex:         {vuid.VkCmdDraw_None_08684, ""},
	StageTessControl:    {vuid.VkCmdDraw_None_08685, "tessellationShader"},
	StageTessEvaluation: {vuid.VkCmdDraw_None_08686, "tessellationShader"},
	StageGeometry:       {vuid.VkCmdDraw_None_08687, "geometryShader"},
	StageTask:           {vuid.VkCmdDraw_None_08689, "taskShader"},
	StageMesh:           {vuid.VkCmdDraw_None_08690, "meshShader"},
	StageFragment:       {vuid.VkCmdDraw_None_08688, ""},
}

// checkObjects returns the first finding on the shader objects that a draw of vertices or of mesh tasks uses together, and on the
// states that they need.
func (x *executor) checkObjects(mesh bool) error {
	g := &x.graphics
	c := &g.bound.shaders
	for i, n := range bindNeeds {
		if g.bound.named>>i&1 == 0 && (n.feature == "" || x.dev.feature(n.feature)) {
			x.find(n.rule, "no command has bound a shader object, or none, to the stage %v, and no pipeline is bound; must be", ShaderStage(i))
		}
	}
	x.checkMeshObjects(c, mesh)
	if err := c.checkLinked(); err != nil {
		x.find(err.Rule, "%s", err.Message)
	}
	if g.current.subpass != nil {
		x.find(vuid.VkCmdDraw_None_08876, "shader objects draw in a render pass; must draw in a rendering that BeginRendering began")
	}
	if g.current.info.ViewMask != 0 {
		x.find(vuid.VkCmdDraw_None_10772, "shader objects draw in a rendering with the view mask %#x; must have no views", g.current.info.ViewMask)
	}
	var before *Shader
	for _, s := range c {
		if s == nil {
			continue
		}
		if before != nil {
			x.checkPair(before, s)
		}
		before = s
	}
	x.checkIndependent(c)
	x.checkState(nil, &g.bound.dynamic)
	return x.found()
}

// checkLinked returns an error if an object that was linked with another one is bound without it, or with a third one between
// them; nil if there is none.
func (c *combination) checkLinked() *UsageError {
	for _, s := range c {
		if s == nil {
			continue
		}
		first, last := numStages, ShaderStage(0)
		for _, o := range s.linked {
			if o.info.Stage == StageCompute {
				continue
			}
			if c[o.info.Stage] != o {
				return usage(vuid.VkCmdDraw_None_08698, "%v is linked with an object of the stage %v that is not bound; must be bound together", &s.object, o.info.Stage).(*UsageError)
			}
			first, last = min(first, o.info.Stage), max(last, o.info.Stage)
		}
		for i := first; i < last; i++ {
			if c[i] != nil && !slices.Contains(s.linked, c[i]) {
				return usage(vuid.VkCmdDraw_None_08699, "%v is bound between linked objects; must be linked with them", &c[i].object).(*UsageError)
			}
		}
	}
	return nil
}

// checkPair checks two objects, of which b follows a.
func (x *executor) checkPair(a, b *Shader) {
	if a.info.Next&b.info.Stage.bit() == 0 {
		x.find(vuid.VkCmdDraw_nextStage_10745, "%v follows %v, which was not made for it as the next stage; must be", &b.object, &a.object)
	}
	p, q := a.info.Layout, b.info.Layout
	if !slices.Equal(p.link.Push, q.link.Push) {
		x.find(vuid.VkCmdDraw_None_08878, "%v and %v have different ranges of push constants; must have the same", &a.object, &b.object)
	}
	heaps := a.info.Flags&b.info.Flags&enum.ObjectFlagsDescriptorHeap != 0
	if !heaps && !slices.EqualFunc(p.sets, q.sets, func(s, o *SetLayout) bool { return s == o || s != nil && o != nil && s.same(o) }) {
		x.find(vuid.VkCmdDraw_None_08879, "%v and %v have different layouts of descriptor sets; must have the same", &a.object, &b.object)
	}
}

// meshStages are the stages of mesh pipelines, vertexStages the stages that they replace.
var (
	meshStages   = stagesOf("task", "mesh")
	vertexStages = StageVertex.bit() | StageTessControl.bit() | StageTessEvaluation.bit() | StageGeometry.bit()
)

// bit returns the set of one stage.
func (s ShaderStage) bit() link.Stages { return 1 << link.StageOf(s.model()) }

// stagesOf returns the set of the stages with these names.
func stagesOf(names ...string) (set link.Stages) {
	for _, name := range names {
		s, _ := link.ParseStage(name)
		set |= s
	}
	return set
}

// checkIndependent checks objects for independent sets (VK_KHR_maintenance11).
func (x *executor) checkIndependent(c *combination) {
	all, some := ^enum.ObjectFlags(0), enum.ObjectFlags(0)
	tasks, sets, pushes := true, false, false
	for _, s := range c {
		if s == nil {
			continue
		}
		all, some = all&s.info.Flags, some|s.info.Flags
		if s.info.Flags&enum.ObjectFlagsIndependentSets != 0 {
			tasks = tasks && s.info.Flags&enum.ObjectFlagsNoTaskShader == 0
			sets, pushes = sets || len(s.info.Layout.sets) > 0, pushes || len(s.info.Layout.link.Push) > 0
		}
	}
	if some&enum.ObjectFlagsIndependentSets == 0 {
		return
	}
	if all&enum.ObjectFlagsIndependentSets == 0 {
		x.find(vuid.VkCmdDraw_flags_13361, "some of the bound shader objects have independent sets; must be all or none")
	}
	if !tasks && c[StageTask] != nil {
		x.find(vuid.VkCmdDraw_flags_13365, "%v is bound with shader objects for no task stage that have independent sets; no task stage must be bound", &c[StageTask].object)
	}
	if l := x.pushLayout; pushes && l != nil && l.link.Flags&enum.LayoutFlagsIndependentSets == 0 {
		x.find(vuid.VkCmdDraw_flags_12491, "push constants are set with a layout without independent sets; must have them as the shader objects")
	}
	for i := range x.sets.of[Graphics] {
		l := x.sets.of[Graphics][i].layout
		if l == nil {
			continue
		}
		if sets && l.link.Flags&enum.LayoutFlagsIndependentSets == 0 {
			x.find(vuid.VkCmdDraw_flags_13362, "set %d is bound with a layout without independent sets; must have them as the shader objects", i)
		}
		if !tasks && l.link.Flags&enum.LayoutFlagsNoTaskShader == 0 {
			x.find(vuid.VkCmdDraw_flags_13364, "set %d is bound with a layout for task shaders; must be for none as the shader objects", i)
		}
		var stages link.Stages
		for _, s := range l.sets {
			for k := 0; s != nil && k < len(s.link.Bindings); k++ {
				stages |= s.link.Bindings[k].Stages
			}
		}
		if stages&meshStages != 0 && stages&vertexStages != 0 {
			x.find(vuid.VkCmdDraw_flags_13363, "set %d is bound with a layout for vertex and for mesh stages; must be for one kind", i)
		}
	}
}

// localInputs checks the indices of the input attachments that shader objects read in a rendering.
func (c *drawCheck) localInputs() {
	if c.r.subpass != nil {
		return
	}
	m := &c.graphics.remap.inputs
	colors := m.Colors
	if colors == nil {
		colors = identity(len(c.r.info.Colors))
	}
	for i := range c.d.inputVariables() {
		v := &c.d.inputVariables()[i]
		if v.Index == nil {
			if m.Depth != nil && m.Stencil != nil {
				c.find(vuid.VkCmdDraw_pDepthInputAttachmentIndex_09596, "the input attachment %s has no index, and depth and stencil have one; must have one", v.Name)
			}
			continue
		}
		for n := range uint32(v.Count) {
			at := *v.Index + n
			if !slices.Contains(colors, at) && (m.Depth == nil || *m.Depth != at) && (m.Stencil == nil || *m.Stencil != at) {
				c.find(vuid.VkCmdDraw_InputAttachmentIndex_09597, "the input attachment %s has index %d, and no attachment of the rendering has it; must be the index of one", v.Name, at)
				break
			}
		}
	}
}

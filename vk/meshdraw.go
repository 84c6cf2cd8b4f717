package vk

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/frontend"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// Limits of task and mesh shaders (VkPhysicalDeviceMeshShaderPropertiesEXT).
const (
	MaxMeshWorkgroups      = frontend.MaxMeshGroups      // in a dimension
	MaxMeshWorkgroupsTotal = frontend.MaxMeshGroupsTotal // in all
)

var (
	indirectMeshes = indirectRules{
		"VUID-vkCmdDrawMeshTasksIndirectEXT-drawCount-07089", "VUID-vkCmdDrawMeshTasksIndirectEXT-drawCount-07090",
		"VUID-vkCmdDrawMeshTasksIndirectCountEXT-maxDrawCount-07097", "VUID-vkCmdDrawMeshTasksIndirectCountEXT-countBufferOffset-04129",
	}
	indirectTaskRanges = indirectRules{
		"VUID-vkCmdDrawMeshTasksIndirectNV-drawCount-02156", "VUID-vkCmdDrawMeshTasksIndirectNV-drawCount-02157",
		"VUID-vkCmdDrawMeshTasksIndirectCountNV-maxDrawCount-02183", "VUID-vkCmdDrawMeshTasksIndirectCountNV-countBufferOffset-04129",
	}
)

// meshDraw is a recorded DrawMeshTasks, or DrawMeshTasksIndirect if it has a buffer. If it is ranged, it draws tasks[0] workgroups
// from first on (VK_NV_mesh_shader).
type meshDraw struct {
	tasks    [3]uint32
	indirect IndirectInfo
	ranged   bool
	first    uint32
}

// DrawMeshTasks draws workgroups of the task shader, or of the mesh shader if there is no task shader.
func (c *CommandBuffer) DrawMeshTasks(x, y, z uint32) {
	if !c.begin() {
		return
	}
	for i, rule := range [...]string{vuid.VkCmdDrawMeshTasksEXT_TaskEXT_07322, vuid.VkCmdDrawMeshTasksEXT_TaskEXT_07323, vuid.VkCmdDrawMeshTasksEXT_TaskEXT_07324} {
		if n := [...]uint32{x, y, z}[i]; n > MaxMeshWorkgroups {
			c.fail(usage(rule, "%d workgroups of task or mesh shaders in %c; must be at most %d", n, "xyz"[i], MaxMeshWorkgroups))
			return
		}
	}
	if uint64(x)*uint64(y)*uint64(z) > MaxMeshWorkgroupsTotal {
		c.fail(usage(vuid.VkCmdDrawMeshTasksEXT_TaskEXT_07325, "%d×%d×%d workgroups of task or mesh shaders; must be at most %d in all", x, y, z, MaxMeshWorkgroupsTotal))
		return
	}
	w := take[meshDraw](c)
	*w = meshDraw{tasks: [3]uint32{x, y, z}}
	c.action()
	c.deferred("draw mesh tasks", w)
}

// DrawMeshTasksIndirect draws workgroups, of which the command reads the numbers from a buffer when it runs
// (VkDrawMeshTasksIndirectCommandEXT). Arguments outside of the buffer make the device lost, as do more workgroups than a
// draw may have.
func (c *CommandBuffer) DrawMeshTasksIndirect(info IndirectInfo) {
	if !c.begin() || !c.indirect(&info, &indirectMeshes) {
		return
	}
	w := take[meshDraw](c)
	*w = meshDraw{indirect: info}
	c.action()
	c.deferred("draw mesh tasks indirect", w)
}

// DrawTaskRange draws workgroups in x of shaders of VK_NV_mesh_shader, of which the first one has the number first
// (vkCmdDrawMeshTasksNV).
func (c *CommandBuffer) DrawTaskRange(count, first uint32) {
	if !c.begin() {
		return
	}
	if count > MaxMeshWorkgroups {
		c.fail(usage(vuid.VkCmdDrawMeshTasksNV_taskCount_02119, "%d tasks; must be at most %d", count, MaxMeshWorkgroups))
		return
	}
	w := take[meshDraw](c)
	*w = meshDraw{tasks: [3]uint32{count, 1, 1}, ranged: true, first: first}
	c.action()
	c.deferred("draw mesh tasks", w)
}

// DrawTaskRangeIndirect draws workgroups as DrawTaskRange does, of which the command reads the numbers from a buffer when it
// runs (VkDrawMeshTasksIndirectCommandNV).
func (c *CommandBuffer) DrawTaskRangeIndirect(info IndirectInfo) {
	if !c.begin() || !c.indirect(&info, &indirectTaskRanges) {
		return
	}
	w := take[meshDraw](c)
	*w = meshDraw{indirect: info, ranged: true}
	c.action()
	c.deferred("draw mesh tasks indirect", w)
}

func (w *meshDraw) conditional() {}

func (w *meshDraw) forget() { *w = meshDraw{} }

func (w *meshDraw) run(x *executor) error {
	g := &x.graphics
	g.args = state.Args{Mesh: true, Tasks: w.tasks, TaskRange: w.ranged, FirstTask: w.first}
	switch {
	case w.indirect.Buffer == nil:
		return x.draw(&g.args, false, nil)
	case w.ranged:
		x.order.arguments(&x.dev.printer, &w.indirect, state.TaskRangeBytes)
		return x.draw(&g.args, false, x.readIndirect(&w.indirect, state.TaskRangeBytes))
	}
	x.order.arguments(&x.dev.printer, &w.indirect, state.MeshIndirectBytes)
	return x.draw(&g.args, false, x.readIndirect(&w.indirect, state.MeshIndirectBytes))
}

// meshModelRules are the rules of commands on the execution model of the mesh stage.
var meshModelRules = map[string]string{
	"vkCmdDrawMeshTasksEXT": vuid.VkCmdDrawMeshTasksEXT_MeshEXT_07087, "vkCmdDrawMeshTasksNV": vuid.VkCmdDrawMeshTasksNV_MeshNV_07080,
	"vkCmdDrawMeshTasksIndirectEXT":      "VUID-vkCmdDrawMeshTasksIndirectEXT-MeshEXT-07091",
	"vkCmdDrawMeshTasksIndirectCountEXT": "VUID-vkCmdDrawMeshTasksIndirectCountEXT-MeshEXT-07100",
	"vkCmdDrawMeshTasksIndirectNV":       "VUID-vkCmdDrawMeshTasksIndirectNV-MeshNV-07081",
	"vkCmdDrawMeshTasksIndirectCountNV":  "VUID-vkCmdDrawMeshTasksIndirectCountNV-MeshNV-07082",
}

// checkKind returns an error if a draw of vertices has mesh or cluster culling shaders, or a draw of mesh tasks has no mesh shader or one
// of the other extension. Without checks a draw of vertices does not run the cluster culling stage, and other such draws draw nothing.
func (x *executor) checkKind(d *drawable, a *state.Args, clusters bool) error {
	has, ranged := d.pipeline.IsMesh(), d.pipeline.IsMeshNV()
	culls := x.graphics.bound.pipeline != nil && x.graphics.bound.pipeline.clusters != nil
	switch {
	case has == a.Mesh && ranged == a.TaskRange && culls == clusters || x.dev.checking == None:
		return nil
	case a.TaskRange:
		return usage(vuid.VkCmdDrawMeshTasksNV_MeshNV_07080, "tasks of VK_NV_mesh_shader are drawn without a mesh stage of the model MeshNV; must have one")
	case a.Mesh && ranged:
		return usage(vuid.VkCmdDrawMeshTasksEXT_MeshEXT_07087, "mesh tasks are drawn with a mesh stage of the model MeshNV; must be of MeshEXT")
	case a.Mesh:
		return usage(vuid.VkCmdDrawMeshTasksEXT_MeshEXT_07087, "mesh tasks are drawn without a mesh stage; must have one")
	case culls:
		return usage("", "vertices are drawn with a cluster culling stage; must have none")
	}
	return usage(vuid.VkCmdDraw_stage_06481, "vertices are drawn with a mesh stage; must have none")
}

// checkMeshObjects checks that the bound shader objects have either a vertex stage or a mesh stage, as a draw of vertices or of mesh
// tasks needs.
func (x *executor) checkMeshObjects(c *combination, mesh bool) {
	v, t, m := c[StageVertex], c[StageTask], c[StageMesh]
	tasks, meshes := x.dev.feature("taskShader"), x.dev.feature("meshShader")
	if (tasks || meshes) && (v == nil) == (m == nil) {
		x.find(vuid.VkCmdDraw_None_08693, "both a vertex and a mesh shader object are bound, or none; must be one of them")
	}
	if v != nil && (t != nil || m != nil) {
		x.find(vuid.VkCmdDraw_None_08696, "%v is bound together with a task or mesh shader object; must be without them", &v.object)
	}
	if !mesh {
		if t != nil || m != nil {
			x.find(vuid.VkCmdDraw_None_08885, "vertices are drawn with a task or mesh shader object; must be without them")
		}
		return
	}
	for _, s := range c[StageVertex:StageTask] {
		if s != nil {
			x.find(vuid.VkCmdDrawMeshTasksEXT_pStages_10680, "mesh tasks are drawn with %v of the stage %v; must be without it", &s.object, s.info.Stage)
		}
	}
	if m == nil || !tasks || !meshes {
		return
	}
	switch alone := m.info.Flags&enum.ObjectFlagsNoTaskShader != 0; {
	case !alone && t == nil:
		x.find(vuid.VkCmdDrawMeshTasksEXT_None_08694, "%v has not the flag %s, and no task shader object is bound; must be bound", &m.object, enum.ObjectFlagsNoTaskShader)
	case alone && t != nil:
		x.find(vuid.VkCmdDrawMeshTasksEXT_None_08695, "%v has the flag %s, and a task shader object is bound; must not be", &m.object, enum.ObjectFlagsNoTaskShader)
	}
}

// meshQueries checks that a draw with a pipeline of vertex stages is outside of all queries of mesh primitives.
func (c *drawCheck) meshQueries() {
	for _, q := range c.graphics.queries {
		if q.pool.info.Type == MeshPrimitivesGenerated && !c.d.pipeline.IsMesh() {
			c.find(vuid.VkCmdDraw_stage_07073, "a pipeline with a vertex stage draws while query %d of mesh primitives is active; must not be", q.number)
		}
	}
}

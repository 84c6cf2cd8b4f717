package link

import (
	"fmt"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// Dispatch is a command that dispatches workgroups.
type Dispatch struct {
	Groups [3]uint32  `yaml:"groups"`
	Base   *[3]uint32 `yaml:"base"` // of vkCmdDispatchBase

	// Indirect reports that the groups are in a buffer, at an offset; BufferSize is the size
	// of the buffer, AddressRange of the range of vkCmdDispatchIndirect2KHR, both nil if they
	// are not known.
	Indirect     bool    `yaml:"indirect"`
	Offset       uint64  `yaml:"offset"`
	BufferSize   *uint64 `yaml:"buffer_size"`
	AddressRange *uint64 `yaml:"address_range"`
}

// DrawMeshNV is a draw of VK_NV_mesh_shader.
type DrawMeshNV struct {
	Tasks    uint32 `yaml:"tasks"`
	Indirect bool   `yaml:"indirect"` // the number of tasks is in a buffer
}

// TraceRays is a command that traces rays.
type TraceRays struct {
	Size     [3]uint32    `yaml:"size"` // width, height, depth
	Raygen   *ShaderTable `yaml:"raygen"`
	Miss     *ShaderTable `yaml:"miss"`
	Hit      *ShaderTable `yaml:"hit"`
	Callable *ShaderTable `yaml:"callable"`
}

// ShaderTable is a shader binding table.
type ShaderTable struct {
	Address uint64 `yaml:"address"` // of VK_NV_ray_tracing the offset in its buffer
	Stride  uint64 `yaml:"stride"`
	Size    uint64 `yaml:"size"` // of VK_NV_ray_tracing the size of its buffer
}

// The codes of dispatches, by dimension.
var (
	dispatchCodes = [3]string{vuid.VkCmdDispatch_groupCountX_00386, vuid.VkCmdDispatch_groupCountY_00387, vuid.VkCmdDispatch_groupCountZ_00388}
	indirectCodes = [3]string{vuid.VkDispatchIndirectCommand_x_00417, vuid.VkDispatchIndirectCommand_y_00418, vuid.VkDispatchIndirectCommand_z_00419}
	baseCodes     = [3]string{vuid.VkCmdDispatchBase_baseGroupX_00421, vuid.VkCmdDispatchBase_baseGroupX_00422, vuid.VkCmdDispatchBase_baseGroupZ_00423}
	aboveCodes    = [3]string{vuid.VkCmdDispatchBase_groupCountX_00424, vuid.VkCmdDispatchBase_groupCountY_00425, vuid.VkCmdDispatchBase_groupCountZ_00426}
	taskCodes     = [3]string{vuid.VkCmdDrawMeshTasksEXT_TaskEXT_07322, vuid.VkCmdDrawMeshTasksEXT_TaskEXT_07323, vuid.VkCmdDrawMeshTasksEXT_TaskEXT_07324}
	meshCodes     = [3]string{vuid.VkCmdDrawMeshTasksEXT_TaskEXT_07326, vuid.VkCmdDrawMeshTasksEXT_TaskEXT_07327, vuid.VkCmdDrawMeshTasksEXT_TaskEXT_07328}
	traceCodes    = [3]string{vuid.VkCmdTraceRaysKHR_width_03638, vuid.VkCmdTraceRaysKHR_height_03639, vuid.VkCmdTraceRaysKHR_depth_03640}
	traceCodesNV  = [3]string{vuid.VkCmdTraceRaysNV_width_02469, vuid.VkCmdTraceRaysNV_height_02470, vuid.VkCmdTraceRaysNV_depth_02471}
)

// tableCode is the rules on a shader binding table; a rule is "" if it does not exist.
type tableCode struct {
	name                               string
	address, multiple, longest, inside string
}

var (
	tableCodes = [4]tableCode{
		{"raygen", vuid.VkCmdTraceRaysKHR_pRayGenShaderBindingTable_03682, "", "", ""},
		{"miss", vuid.VkCmdTraceRaysKHR_pMissShaderBindingTable_03685, vuid.VkCmdTraceRaysKHR_stride_03686, vuid.VkCmdTraceRaysKHR_stride_04029, ""},
		{"hit", vuid.VkCmdTraceRaysKHR_pHitShaderBindingTable_03689, vuid.VkCmdTraceRaysKHR_stride_03690, vuid.VkCmdTraceRaysKHR_stride_04035, ""},
		{"callable", vuid.VkCmdTraceRaysKHR_pCallableShaderBindingTable_03693, vuid.VkCmdTraceRaysKHR_stride_03694, vuid.VkCmdTraceRaysKHR_stride_04041, ""},
	}
	tableCodesNV = [4]tableCode{
		{"raygen", vuid.VkCmdTraceRaysNV_raygenShaderBindingOffset_02456, "", "", vuid.VkCmdTraceRaysNV_raygenShaderBindingOffset_02455},
		{"miss", vuid.VkCmdTraceRaysNV_missShaderBindingOffset_02458, vuid.VkCmdTraceRaysNV_missShaderBindingStride_02463, vuid.VkCmdTraceRaysNV_missShaderBindingStride_02466, vuid.VkCmdTraceRaysNV_missShaderBindingOffset_02457},
		{"hit", vuid.VkCmdTraceRaysNV_hitShaderBindingOffset_02460, vuid.VkCmdTraceRaysNV_hitShaderBindingStride_02464, vuid.VkCmdTraceRaysNV_hitShaderBindingStride_02467, vuid.VkCmdTraceRaysNV_hitShaderBindingOffset_02459},
		{"callable", vuid.VkCmdTraceRaysNV_callableShaderBindingOffset_02462, vuid.VkCmdTraceRaysNV_callableShaderBindingStride_02465, vuid.VkCmdTraceRaysNV_callableShaderBindingStride_02468, vuid.VkCmdTraceRaysNV_callableShaderBindingOffset_02461},
	}
)

// actionRules are the rules on commands that dispatch, draw and trace.
var actionRules = func() []Rule {
	out := []Rule{
		{vuid.VkCmdDispatchBase_baseGroupX_00427, "a dispatch with a base that is not zero needs a pipeline or a shader object for such dispatches"},
		{vuid.VkCmdDispatchIndirect_offset_00407, "the groups of an indirect dispatch are inside of their buffer"},
		{vuid.VkCmdDispatchIndirect2KHR_pInfo_13050, "the address range of an indirect dispatch has the size of its groups"},
		{vuid.VkCmdDraw_stage_06481, "a pipeline with a task or mesh stage draws no vertices"},
		{vuid.VkCmdDrawMeshTasksEXT_MeshEXT_07087, "a draw of mesh tasks needs a stage of the model MeshEXT"},
		{vuid.VkCmdDrawMeshTasksEXT_stage_06480, "a pipeline with a vertex, tessellation or geometry stage draws no mesh tasks"},
		{vuid.VkCmdDrawMeshTasksEXT_TaskEXT_07325, "a draw with a task stage has at most maxTaskWorkGroupTotalCount workgroups"},
		{vuid.VkCmdDrawMeshTasksEXT_TaskEXT_07329, "a draw without a task stage has at most maxMeshWorkGroupTotalCount workgroups"},
		{vuid.VkCmdDrawMeshTasksNV_MeshNV_07080, "a draw of NVIDIA's mesh tasks needs a stage of the model MeshNV"},
		{vuid.VkCmdDrawMeshTasksNV_taskCount_02119, "a draw of NVIDIA's mesh tasks has at most maxDrawMeshTasksCount tasks"},
		{vuid.VkDrawMeshTasksIndirectCommandNV_taskCount_02175, "an indirect draw of NVIDIA's mesh tasks has at most maxDrawMeshTasksCount tasks"},
		{vuid.VkCmdTraceRaysKHR_width_03641, "a trace has at most maxRayDispatchInvocationCount rays"},
		{vuid.VkCmdTraceRaysKHR_size_04023, "the size of the raygen table is its stride"},
	}
	for d, axis := range [3]string{"x", "y", "z"} {
		out = append(out,
			Rule{dispatchCodes[d], "a dispatch has at most maxComputeWorkGroupCount workgroups in " + axis}, Rule{indirectCodes[d], "an indirect dispatch has at most maxComputeWorkGroupCount workgroups in " + axis},
			Rule{baseCodes[d], "the base of a dispatch is less than maxComputeWorkGroupCount in " + axis}, Rule{aboveCodes[d], "a dispatch ends within maxComputeWorkGroupCount in " + axis},
			Rule{taskCodes[d], "a draw with a task stage has at most maxTaskWorkGroupCount workgroups in " + axis}, Rule{meshCodes[d], "a draw without a task stage has at most maxMeshWorkGroupCount workgroups in " + axis},
			Rule{traceCodes[d], "a trace has at most maxComputeWorkGroupCount × maxComputeWorkGroupSize rays in " + axis}, Rule{traceCodesNV[d], "a trace of VK_NV_ray_tracing has at most maxComputeWorkGroupCount rays in " + axis})
	}
	for i, codes := range [2][4]tableCode{tableCodes, tableCodesNV} {
		of := [2]string{"", " of VK_NV_ray_tracing"}[i]
		for _, c := range codes {
			for _, r := range []Rule{
				{c.address, "the place of the " + c.name + " table" + of + " is a multiple of shaderGroupBaseAlignment"},
				{c.multiple, "the stride of the " + c.name + " table" + of + " is a multiple of the alignment of handles"},
				{c.longest, "the stride of the " + c.name + " table" + of + " is at most maxShaderGroupStride"},
				{c.inside, "the " + c.name + " table" + of + " begins inside of its buffer"},
			} {
				if r.Code != "" {
					out = append(out, r)
				}
			}
		}
	}
	return out
}()

// actions checks the command that dispatches, draws or traces.
func (l *linker) actions(c *Commands, at func(path string) []Side) {
	if c.Dispatch != nil {
		l.dispatch(c.Dispatch, at("dispatch"))
	}
	if c.Draw && l.d.Kind != ShaderObjects && (l.stage(task) != nil || l.stage(mesh) != nil) {
		l.fail(vuid.VkCmdDraw_stage_06481, at("draw"), "vertices are drawn, and the pipeline has a task or mesh stage; must not")
	}
	if c.DrawMesh != nil {
		l.drawMesh(*c.DrawMesh, at("draw_mesh_tasks"))
	}
	if n := c.DrawMeshNV; n != nil {
		code, side := vuid.VkCmdDrawMeshTasksNV_taskCount_02119, at("draw_mesh_tasks_nv")
		if n.Indirect {
			code = vuid.VkDrawMeshTasksIndirectCommandNV_taskCount_02175
		}
		l.over(code, "VkPhysicalDeviceMeshShaderPropertiesNV::maxDrawMeshTasksCount", uint64(n.Tasks), side, "the number of tasks")
		if m := l.stage(mesh); l.d.Kind != ShaderObjects && (m == nil || m.Entry.Model != spirv.ExecutionModelMeshNV) {
			l.fail(vuid.VkCmdDrawMeshTasksNV_MeshNV_07080, side, "mesh tasks of VK_NV_mesh_shader are drawn; the pipeline must have a stage of the model MeshNV")
		}
	}
	if t := c.TraceRays; t != nil {
		l.trace(t, at("trace_rays"))
	}
	if t := c.TraceRaysNV; t != nil {
		side := at("trace_rays_nv")
		for d, n := range t.Size {
			l.over(traceCodesNV[d], dimension("maxComputeWorkGroupCount", d), uint64(n), side, "the size of the trace")
		}
		l.tables(t, &tableCodesNV, "VkPhysicalDeviceRayTracingPropertiesNV::shaderGroupHandleSize", side)
	}
}

// dimension is the name of the limit of a dimension.
func dimension(limit string, d int) string { return fmt.Sprintf("%s[%d]", limit, d) }

// dispatch checks a dispatch of workgroups.
func (l *linker) dispatch(c *Dispatch, side []Side) {
	if c.Indirect && c.BufferSize != nil && (c.Offset > *c.BufferSize || *c.BufferSize-c.Offset < 12) {
		l.fail(vuid.VkCmdDispatchIndirect_offset_00407, side, "the groups are at byte %d of a buffer of %d bytes; must have 12 bytes", c.Offset, *c.BufferSize)
	}
	if c.AddressRange != nil && *c.AddressRange < 12 {
		l.fail(vuid.VkCmdDispatchIndirect2KHR_pInfo_13050, side, "the address range has %d bytes; must have at least 12", *c.AddressRange)
	}
	for d, n := range c.Groups {
		limit := dimension("maxComputeWorkGroupCount", d)
		switch {
		case c.Indirect:
			l.over(indirectCodes[d], limit, uint64(n), side, "the number of workgroups")
		case c.Base == nil:
			l.over(dispatchCodes[d], limit, uint64(n), side, "the number of workgroups")
		default:
			if most, known := l.d.limit(limit); known && uint64(c.Base[d]) >= most {
				l.fail(baseCodes[d], side, "the base is %d; must be less than %s, %d", c.Base[d], limit, most)
			} else {
				l.over(aboveCodes[d], limit, uint64(c.Base[d])+uint64(n), side, "the end of the workgroups")
			}
		}
	}
	if c.Base == nil || *c.Base == [3]uint32{} {
		return
	}
	if s := l.stage(compute); l.d.Kind == ShaderObjects && s != nil && s.Object&enum.ObjectFlagsDispatchBase == 0 || l.d.Kind != ShaderObjects && l.d.Flags&enum.PipelineFlagsDispatchBase == 0 {
		l.fail(vuid.VkCmdDispatchBase_baseGroupX_00427, side, "the base is %d; the pipeline or the shader object must have the flag %s", *c.Base, enum.PipelineFlagsDispatchBase)
	}
}

// drawMesh checks a draw of workgroups of task or mesh stages.
func (l *linker) drawMesh(groups [3]uint32, side []Side) {
	const in = "VkPhysicalDeviceMeshShaderPropertiesEXT::"
	pipeline := l.d.Kind != ShaderObjects
	if m := l.stage(mesh); pipeline && (m == nil || m.Entry.Model != spirv.ExecutionModelMeshEXT) {
		l.fail(vuid.VkCmdDrawMeshTasksEXT_MeshEXT_07087, side, "mesh tasks are drawn; the pipeline must have a stage of the model MeshEXT")
	}
	for _, s := range l.stages {
		if pipeline && StageOf(s.Entry.Model) <= geometry {
			l.fail(vuid.VkCmdDrawMeshTasksEXT_stage_06480, side, "mesh tasks are drawn, and the pipeline has a %s stage; must have none", entrySide(s).Stage)
			break
		}
	}
	codes, total, of := &meshCodes, vuid.VkCmdDrawMeshTasksEXT_TaskEXT_07329, "Mesh"
	if l.stage(task) != nil {
		codes, total, of = &taskCodes, vuid.VkCmdDrawMeshTasksEXT_TaskEXT_07325, "Task"
	}
	for d, n := range groups {
		l.over(codes[d], in+dimension("max"+of+"WorkGroupCount", d), uint64(n), side, "the number of workgroups")
	}
	l.over(total, in+"max"+of+"WorkGroupTotalCount", product(groups), side, "the number of workgroups")
}

// product is the number of elements of a grid, or the largest number if it is too large.
func product(size [3]uint32) uint64 {
	high, low := bits.Mul64(uint64(size[0])*uint64(size[1]), uint64(size[2]))
	if high != 0 {
		return ^uint64(0)
	}
	return low
}

// trace checks a trace of rays.
func (l *linker) trace(t *TraceRays, side []Side) {
	for d, n := range t.Size {
		count, known := l.d.limit(dimension("maxComputeWorkGroupCount", d))
		size, both := l.d.limit(dimension("maxComputeWorkGroupSize", d))
		if high, most := bits.Mul64(count, size); known && both && high == 0 && uint64(n) > most {
			l.fail(traceCodes[d], side, "the size of the trace is %d; must be at most maxComputeWorkGroupCount[%d] × maxComputeWorkGroupSize[%d], %d", n, d, d, most)
		}
	}
	l.over(vuid.VkCmdTraceRaysKHR_width_03641, "maxRayDispatchInvocationCount", product(t.Size), side, "the number of rays")
	if r := t.Raygen; r != nil && r.Size != r.Stride {
		l.fail(vuid.VkCmdTraceRaysKHR_size_04023, side, "the raygen table has %d bytes and the stride %d; must be the same", r.Size, r.Stride)
	}
	l.tables(t, &tableCodes, "shaderGroupHandleAlignment", side)
}

// tables checks the shader binding tables of a trace.
func (l *linker) tables(t *TraceRays, codes *[4]tableCode, handles string, side []Side) {
	for n, s := range [4]*ShaderTable{t.Raygen, t.Miss, t.Hit, t.Callable} {
		if s == nil {
			continue
		}
		c := &codes[n]
		if of, known := l.d.limit("shaderGroupBaseAlignment"); known && of > 0 && s.Address%of != 0 {
			l.fail(c.address, side, "the %s table is at %d; must be at a multiple of %d", c.name, s.Address, of)
		}
		if of, known := l.d.limit(handles); known && c.multiple != "" && of > 0 && s.Stride%of != 0 {
			l.fail(c.multiple, side, "the stride of the %s table is %d; must be a multiple of %d", c.name, s.Stride, of)
		}
		if c.longest != "" {
			l.over(c.longest, "maxShaderGroupStride", s.Stride, side, "the stride of the "+c.name+" table")
		}
		if c.inside != "" && s.Address >= s.Size {
			l.fail(c.inside, side, "the %s table is at byte %d of a buffer of %d bytes; must be inside", c.name, s.Address, s.Size)
		}
	}
}

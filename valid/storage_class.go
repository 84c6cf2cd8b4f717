package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// storageClassFamily judges which storage classes the entry points of each
// execution model use, and how many variables of each (SPIR-V §3.2.7).
var storageClassFamily = family{
	rules: []Rule{
		{Code: "SPV-Storage-Model", Section: "SPIR-V 3.2.7", Words: "a storage class is used by the execution models that it is for"},
		{Code: "SPV-Storage-Payload", Section: "SPIR-V, SPV_EXT_mesh_shader", Words: "an entry point uses one variable in TaskPayloadWorkgroupEXT at most"},
		{Code: "SPV-Storage-HitAttribute", Section: "SPIR-V, SPV_KHR_ray_tracing", Words: "any-hit and closest-hit shaders do not write to HitAttributeKHR"},
		{Code: vuid.StandaloneSpirv_None_04644, Section: environment, Words: "compute and ray tracing shaders do not use Output"},
		{Code: vuid.StandaloneSpirv_None_04645, Section: environment, Words: "task, mesh and compute shaders alone use Workgroup"},
		{Code: vuid.StandaloneSpirv_None_08720, Section: environment, Words: "fragment shaders alone use TileImageEXT"},
		{Code: vuid.StandaloneSpirv_RayPayloadKHR_04698, Section: environment, Words: "ray generation, closest-hit and miss shaders alone use RayPayloadKHR"},
		{Code: vuid.StandaloneSpirv_IncomingRayPayloadKHR_04699, Section: environment, Words: "closest-hit, any-hit and miss shaders alone use IncomingRayPayloadKHR"},
		{Code: vuid.StandaloneSpirv_IncomingRayPayloadKHR_04700, Section: environment, Words: "an entry point has one variable in IncomingRayPayloadKHR at most"},
		{Code: vuid.StandaloneSpirv_HitAttributeKHR_04701, Section: environment, Words: "intersection, any-hit and closest-hit shaders alone use HitAttributeKHR"},
		{Code: vuid.StandaloneSpirv_HitAttributeKHR_04702, Section: environment, Words: "an entry point has one variable in HitAttributeKHR at most"},
		{Code: vuid.StandaloneSpirv_HitAttributeKHR_04703, Section: environment, Words: "intersection shaders alone write to HitAttributeKHR"},
		{Code: vuid.StandaloneSpirv_CallableDataKHR_04704, Section: environment, Words: "ray generation, closest-hit, miss and callable shaders alone use CallableDataKHR"},
		{Code: vuid.StandaloneSpirv_IncomingCallableDataKHR_04705, Section: environment, Words: "callable shaders alone use IncomingCallableDataKHR"},
		{Code: vuid.StandaloneSpirv_IncomingCallableDataKHR_04706, Section: environment, Words: "an entry point has one variable in IncomingCallableDataKHR at most"},
		{Code: vuid.StandaloneSpirv_ShaderRecordBufferKHR_07119, Section: environment, Words: "ray tracing shaders alone use ShaderRecordBufferKHR"},
		{Code: vuid.StandaloneSpirv_VulkanMemoryModel_04678, Section: environment, Words: "without the Vulkan memory model, built-ins that change while a ray is traced are decorated Volatile in ray tracing shaders"},
		{Code: vuid.StandaloneSpirv_VulkanMemoryModel_04679, Section: environment, Words: "with the Vulkan memory model, built-ins that change while a ray is traced are loaded Volatile in ray tracing shaders"},
		{Code: vuid.StandaloneSpirv_MeshEXT_07107, Section: environment, Words: "mesh shaders do not read from Output"},
		{Code: vuid.RuntimeSpirv_Workgroup_06530, Section: environment, Words: "the variables of a compute shader in Workgroup are no larger than maxComputeSharedMemorySize", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxMeshSharedMemorySize_08754, Section: environment, Words: "the variables of a mesh shader in Workgroup are no larger than maxMeshSharedMemorySize", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxMeshPayloadAndSharedMemorySize_08755, Section: environment, Words: "the variables of a mesh shader in Workgroup and TaskPayloadWorkgroupEXT are no larger than maxMeshPayloadAndSharedMemorySize", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxTaskPayloadSize_08758, Section: environment, Words: "the variables of a task shader in TaskPayloadWorkgroupEXT are no larger than maxTaskPayloadSize", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxTaskSharedMemorySize_08759, Section: environment, Words: "the variables of a task shader in Workgroup are no larger than maxTaskSharedMemorySize", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxTaskPayloadAndSharedMemorySize_08760, Section: environment, Words: "the variables of a task shader in Workgroup and TaskPayloadWorkgroupEXT are no larger than maxTaskPayloadAndSharedMemorySize", Need: NeedDevice},
	},
	after: []func(*checker){(*checker).storageClasses},
}

// classModels is which models may use a storage class; one says what more than
// one variable of it breaks.
var classModels = []struct {
	class  spirv.StorageClass
	models modelSet
	code   string // of Vulkan; "" where SPIR-V alone says it
	vulkan bool   // whether Vulkan alone says it
	one    string
}{
	{spirv.StorageClassOutput, ^(inGLCompute | inRayTracing), vuid.StandaloneSpirv_None_04644, true, ""},
	{spirv.StorageClassWorkgroup, inTask | inMesh | inGLCompute, vuid.StandaloneSpirv_None_04645, true, ""},
	{spirv.StorageClassTileImageEXT, inFragment, vuid.StandaloneSpirv_None_08720, true, ""},
	{spirv.StorageClassRayPayloadKHR, inRayGeneration | inClosestHit | inMiss, vuid.StandaloneSpirv_RayPayloadKHR_04698, false, ""},
	{spirv.StorageClassIncomingRayPayloadKHR, inAnyHit | inClosestHit | inMiss, vuid.StandaloneSpirv_IncomingRayPayloadKHR_04699, false, vuid.StandaloneSpirv_IncomingRayPayloadKHR_04700},
	{spirv.StorageClassHitAttributeKHR, inIntersection | inAnyHit | inClosestHit, vuid.StandaloneSpirv_HitAttributeKHR_04701, false, vuid.StandaloneSpirv_HitAttributeKHR_04702},
	{spirv.StorageClassCallableDataKHR, inRayGeneration | inClosestHit | inMiss | inCallable, vuid.StandaloneSpirv_CallableDataKHR_04704, false, ""},
	{spirv.StorageClassIncomingCallableDataKHR, inCallable, vuid.StandaloneSpirv_IncomingCallableDataKHR_04705, false, vuid.StandaloneSpirv_IncomingCallableDataKHR_04706},
	{spirv.StorageClassShaderRecordBufferKHR, inRayTracing, vuid.StandaloneSpirv_ShaderRecordBufferKHR_07119, false, ""},
	{spirv.StorageClassTaskPayloadWorkgroupEXT, inTaskEXT | inMeshEXT, "", false, "SPV-Storage-Payload"},
}

// maxStorageUses bounds how many pairs of an entry point and a variable are
// looked at, so that thousands of both do not take the square of the time.
const maxStorageUses = 1 << 20

func (c *checker) storageClasses() {
	budget := maxStorageUses
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		if e.Func == nil || budget <= 0 {
			continue
		}
		budget -= len(c.m.Variables)/16 + len(c.m.Functions)/16 + 1
		used := c.m.Globals(e)
		budget -= len(used) + len(e.Interface)
		c.entryStorage(e, used)
		c.entryCounts(e, used)
		c.workgroupSizes(e, used)
	}
}

// entryStorage judges the storage classes of the variables that an entry point
// uses.
func (c *checker) entryStorage(e *facts.EntryPoint, used []*facts.Variable) {
	model := modelOf(e.Model)
	for _, v := range used {
		for k := range classModels {
			row := &classModels[k]
			if row.class != v.Storage {
				continue
			}
			if row.models&model == 0 && (c.vulkan || !row.vulkan) {
				code := row.code
				if code == "" || !c.vulkan {
					code = "SPV-Storage-Model"
				}
				c.fail(e.Index, code, "the %s entry point uses %s in %s; must not", e.Model, c.name(v.ID), v.Storage).also(c, v.Index, "the variable")
			}
		}
		if c.vulkan && !c.capable(spirv.CapabilityVulkanMemoryModel) && c.changing(v, model) && !c.m.Has(v.ID, spirv.DecorationVolatile) {
			c.fail(v.Index, vuid.StandaloneSpirv_VulkanMemoryModel_04678, "the %s entry point uses %s, which is not decorated Volatile; must be", e.Model, c.name(v.ID)).also(c, e.Index, "the entry point").warn() // compilers leave it out, and no validator asks for it
		}
	}
}

// entryCounts judges how many variables of a storage class an entry point has:
// those that it lists, or else uses.
func (c *checker) entryCounts(e *facts.EntryPoint, used []*facts.Variable) {
	for k := range classModels {
		row := &classModels[k]
		if row.one == "" || !c.vulkan && row.code != "" {
			continue
		}
		listed, uses := 0, 0
		for _, id := range e.Interface {
			if v := c.m.Variable(id); v != nil && v.Storage == row.class {
				listed++
			}
		}
		for _, v := range used {
			if v.Storage == row.class {
				uses++
			}
		}
		if n := max(listed, uses); n > 1 {
			c.fail(e.Index, row.one, "the entry point has %d variables in %s; must have one at most", n, row.class)
		}
	}
}

// changing reports whether a variable is a built-in that may change while a
// shader of one of the models traces rays.
func (c *checker) changing(v *facts.Variable, models modelSet) bool {
	b, ok := c.m.BuiltIn(v.ID)
	if !ok {
		return false
	}
	switch b {
	case spirv.BuiltInSMIDNV, spirv.BuiltInWarpIDNV, spirv.BuiltInSubgroupSize, spirv.BuiltInSubgroupLocalInvocationId,
		spirv.BuiltInSubgroupEqMask, spirv.BuiltInSubgroupGeMask, spirv.BuiltInSubgroupGtMask, spirv.BuiltInSubgroupLeMask,
		spirv.BuiltInSubgroupLtMask:
		return models&(inRayGeneration|inClosestHit|inMiss|inIntersection|inCallable) != 0
	case spirv.BuiltInRayTmaxKHR:
		return models&inIntersection != 0
	}
	return false
}

// readBy judges a read by way of a pointer.
func (c *checker) readBy(i int, pointer spirv.ID, p *facts.Type, mask spirv.MemoryAccess) {
	if !c.vulkan {
		return
	}
	if p.Storage == spirv.StorageClassOutput && c.callerModels()&inMeshEXT != 0 {
		c.fail(i, vuid.StandaloneSpirv_MeshEXT_07107, "%s reads from Output in a mesh shader; must not", c.code.Inst(i).Op())
	}
	if p.Storage != spirv.StorageClassInput || mask&spirv.MemoryAccessVolatileMask != 0 || !c.capable(spirv.CapabilityVulkanMemoryModel) {
		return
	}
	if v := c.origin(pointer); v != nil && c.changing(v, c.callerModels()) {
		c.fail(i, vuid.StandaloneSpirv_VulkanMemoryModel_04679, "%s reads %s without Volatile; must have it", c.code.Inst(i).Op(), c.name(v.ID)).also(c, v.Index, "the variable")
	}
}

// workgroupSizes judges how large the variables are that a workgroup shares.
func (c *checker) workgroupSizes(e *facts.EntryPoint, used []*facts.Variable) {
	if !c.vulkan {
		return
	}
	var shared, blocks, payload uint64
	for _, v := range used {
		if v.Type == nil || v.Storage != spirv.StorageClassWorkgroup && v.Storage != spirv.StorageClassTaskPayloadWorkgroupEXT {
			continue
		}
		n := c.content.bytes[v.Type.Number]
		switch {
		case v.Storage == spirv.StorageClassTaskPayloadWorkgroupEXT:
			payload = saturate(payload + n)
		case v.Type.IsStruct() && c.m.Has(v.Type.ID, spirv.DecorationBlock): // all blocks begin at the same byte
			blocks = max(blocks, n)
		default:
			shared = saturate(shared + n)
		}
	}
	shared = saturate(shared + blocks)
	atMost := func(code, limit string, n uint64) {
		if n == 0 {
			return
		}
		if most, ok := c.limit(code, limit); ok && n > most {
			c.fail(e.Index, code, "the variables that a workgroup of the entry point shares take %d bytes; %s is %d", n, limit, most)
		}
	}
	const mesh = "VkPhysicalDeviceMeshShaderPropertiesEXT::"
	switch e.Model {
	case spirv.ExecutionModelGLCompute:
		atMost(vuid.RuntimeSpirv_Workgroup_06530, "maxComputeSharedMemorySize", shared)
	case spirv.ExecutionModelMeshEXT:
		atMost(vuid.RuntimeSpirv_maxMeshSharedMemorySize_08754, mesh+"maxMeshSharedMemorySize", shared)
		atMost(vuid.RuntimeSpirv_maxMeshPayloadAndSharedMemorySize_08755, mesh+"maxMeshPayloadAndSharedMemorySize", shared+payload)
	case spirv.ExecutionModelTaskEXT:
		atMost(vuid.RuntimeSpirv_maxTaskPayloadSize_08758, mesh+"maxTaskPayloadSize", payload)
		atMost(vuid.RuntimeSpirv_maxTaskSharedMemorySize_08759, mesh+"maxTaskSharedMemorySize", shared)
		atMost(vuid.RuntimeSpirv_maxTaskPayloadAndSharedMemorySize_08760, mesh+"maxTaskPayloadAndSharedMemorySize", shared+payload)
	}
}

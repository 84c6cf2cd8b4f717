package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// sharedMemoryFamily checks the memory that the invocations of a workgroup
// share, and other rules of storage classes that apply to one entry point.
var sharedMemoryFamily = family{
	rules: []Rule{
		{Code: "SPV-Storage-Payload", Section: "SPIR-V, SPV_EXT_mesh_shader", Words: "an entry point uses at most one variable in TaskPayloadWorkgroupEXT"},
		{Code: "SPV-Workgroup-Block", Section: "SPIR-V, SPV_KHR_workgroup_memory_explicit_layout", Words: "all or none of the variables in Workgroup of an entry point are blocks, and blocks need the capability WorkgroupMemoryExplicitLayoutKHR"},
		{Code: "SPV-Workgroup-Aliased", Section: "SPIR-V, SPV_KHR_workgroup_memory_explicit_layout", Words: "if an entry point has several blocks in Workgroup, they are Aliased"},
		{Code: "SPV-Storage-HitAttribute", Section: "SPIR-V, SPV_KHR_ray_tracing", Words: "any-hit and closest-hit shaders do not write to HitAttributeKHR"},
		{Code: vuid.RuntimeSpirv_Workgroup_06530, Section: environment, Words: "the variables of a compute shader in Workgroup are within maxComputeSharedMemorySize", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxMeshSharedMemorySize_08754, Section: environment, Words: "the variables of a mesh shader in Workgroup are within maxMeshSharedMemorySize", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxMeshPayloadAndSharedMemorySize_08755, Section: environment, Words: "the variables of a mesh shader in Workgroup and TaskPayloadWorkgroupEXT are within maxMeshPayloadAndSharedMemorySize", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxTaskPayloadSize_08758, Section: environment, Words: "the variables of a task shader in TaskPayloadWorkgroupEXT are within maxTaskPayloadSize", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxTaskSharedMemorySize_08759, Section: environment, Words: "the variables of a task shader in Workgroup are within maxTaskSharedMemorySize", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxTaskPayloadAndSharedMemorySize_08760, Section: environment, Words: "the variables of a task shader in Workgroup and TaskPayloadWorkgroupEXT are within maxTaskPayloadAndSharedMemorySize", Need: NeedDevice},
	},
	after: []func(*checker){(*checker).storageClasses},
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
		used := c.globals(e)
		budget -= len(used)
		c.entryPayload(e, used)
		c.workgroupSizes(e, used)
		c.workgroupBlocks(e, used)
	}
}

// entryPayload checks how many payloads of a task an entry point uses, or from SPIR-V 1.4 on has in its interface.
func (c *checker) entryPayload(e *facts.EntryPoint, used []*facts.Variable) {
	n := 0
	for _, v := range used {
		if v.Storage == spirv.StorageClassTaskPayloadWorkgroupEXT {
			n++
		}
	}
	if c.since(spirv.Version14) {
		listed, mark := 0, c.mark()
		for _, id := range e.Interface {
			if v := c.m.Variable(id); v != nil && c.marks[v.Index] != mark && v.Storage == spirv.StorageClassTaskPayloadWorkgroupEXT {
				c.marks[v.Index] = mark
				listed++
			}
		}
		n = max(n, listed)
	}
	if n > 1 {
		c.fail(e.Index, "SPV-Storage-Payload", "the entry point has %d variables in TaskPayloadWorkgroupEXT; must have at most one", n)
	}
}

// workgroupBlocks checks the variables that share the memory of a workgroup by
// explicit layouts: all or none are blocks, and several blocks are Aliased unless the module may have untyped
// pointers (SPV_KHR_untyped_pointers).
func (c *checker) workgroupBlocks(e *facts.EntryPoint, used []*facts.Variable) {
	explicit := c.capable(spirv.CapabilityWorkgroupMemoryExplicitLayoutKHR)
	if !explicit && (c.vulkan || !c.since(spirv.Version14)) {
		// Vulkan has VUID-StandaloneSpirv-None-10684. Before SPIR-V 1.4, which the extension requires, an interface lists no variables in
		// Workgroup, and no sentence gives their blocks a meaning.
		return
	}
	blocks := 0
	var other, bare *facts.Variable
	judge := func(v *facts.Variable) {
		switch {
		case v == nil || v.Storage != spirv.StorageClassWorkgroup || v.Type == nil || v.Pointer == nil:
		case v.Pointer.Op != spirv.OpTypePointer:
			if !explicit && c.contains(v.Type, holdsBlock) {
				blocks++
			}
		case !v.Type.IsStruct() || !c.m.Has(v.Type.ID, spirv.DecorationBlock):
			other = v
			if !explicit && v.Type.IsStruct() && c.contains(v.Type, holdsBlock) {
				blocks++
			}
		default:
			blocks++
			if !c.m.Has(v.ID, spirv.DecorationAliased) {
				bare = v
			}
		}
	}
	if c.since(spirv.Version14) {
		for _, id := range e.Interface {
			judge(c.m.Variable(id))
		}
	} else {
		for _, v := range used {
			judge(v)
		}
	}
	if !explicit {
		if blocks > 0 {
			c.fail(e.Index, "SPV-Workgroup-Block", "the entry point has a block in Workgroup; needs the capability WorkgroupMemoryExplicitLayoutKHR")
		}
		return
	}
	if blocks > 0 && other != nil {
		c.fail(e.Index, "SPV-Workgroup-Block", "the entry point has blocks in Workgroup, and %s, which is no block; must have only blocks or none", c.name(other.ID)).also(c, other.Index, "the variable")
	} else if blocks > 1 && bare != nil && !c.capable(spirv.CapabilityUntypedPointersKHR) {
		c.fail(e.Index, "SPV-Workgroup-Aliased", "the entry point has %d blocks in Workgroup, and %s is not Aliased; must be Aliased", blocks, c.name(bare.ID)).also(c, bare.Index, "the variable")
	}
}

// workgroupSizes checks how large the variables are that a workgroup shares.
func (c *checker) workgroupSizes(e *facts.EntryPoint, used []*facts.Variable) {
	if !c.vulkan {
		return
	}
	shared, payload := c.workgroupBytes(used), saturate(c.m.SharedBytes(used, spirv.StorageClassTaskPayloadWorkgroupEXT))
	atMost := func(code, limit string, n uint64) {
		if n == 0 {
			return
		}
		if most, ok := c.limit(code, limit); ok && n > most {
			c.fail(e.Index, code, "the variables that a workgroup of the entry point shares have %d bytes; must be at most %s, %d", n, limit, most)
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

// workgroupBytes returns how many bytes variables in Workgroup take, with padding.
func (c *checker) workgroupBytes(used []*facts.Variable) uint64 {
	return saturate(c.m.SharedBytes(used, spirv.StorageClassWorkgroup))
}

package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// storageFamily checks which execution models use which storage classes
// (SPIR-V §3.2.7; Vulkan, Shader Validation).
var storageFamily = family{
	rules: append(storageRules(), []Rule{
		{Code: "SPV-Storage-Model", Section: "SPIR-V 3.2.7", Words: "a variable in a storage class of ray tracing or mesh shading is only used in the execution models of this storage class"},
		{Code: "SPV-Storage-ReadOnly", Section: "SPIR-V, SPV_EXT_mesh_shader", Words: "mesh shaders do not write to TaskPayloadWorkgroupEXT"},
		{Code: vuid.StandaloneSpirv_None_04643, Section: environment, Words: "the storage class of a pointer is a storage class of Vulkan"},
		{Code: vuid.StandaloneSpirv_IncomingRayPayloadKHR_04700, Section: environment, Words: "an entry point has at most one variable in IncomingRayPayloadKHR"},
		{Code: vuid.StandaloneSpirv_HitAttributeKHR_04702, Section: environment, Words: "an entry point has at most one variable in HitAttributeKHR"},
		{Code: vuid.StandaloneSpirv_IncomingCallableDataKHR_04706, Section: environment, Words: "an entry point has at most one variable in IncomingCallableDataKHR"},
		{Code: vuid.StandaloneSpirv_HitAttributeKHR_04703, Section: environment, Words: "only intersection shaders write to HitAttributeKHR"},
	}...),
	insts: map[spirv.Op]judge{
		spirv.OpTypePointer:           (*checker).vulkanStorage,
		spirv.OpTypeUntypedPointerKHR: (*checker).vulkanStorage,
		spirv.OpStore:                 (*checker).hitAttributeStore,
		spirv.OpCopyMemory:            (*checker).hitAttributeStore,
		spirv.OpCopyMemorySized:       (*checker).hitAttributeStore,
	},
	after: []func(*checker){(*checker).storages, (*checker).incoming},
}

// interfaceState is the state of the checks of shader interfaces.
type interfaceState struct {
	numbers []uint8  // by type number: the kinds of numbers in it; nil before the first use
	rows    []uint16 // by type number: the locations of a composite; 0 before the first use
	located []bool   // by type number: a member has a Location; nil before the first use
}

// storageRow is the models that a storage class is allowed in.
type storageRow struct {
	storage spirv.StorageClass
	models  modelSet
	code    string // the rule of Vulkan; empty if only SPIR-V has one
	vulkan  bool   // SPIR-V has none
}

// storageRows are the storage classes that not all models have.
var storageRows = [...]storageRow{
	{spirv.StorageClassOutput, ^(inGLCompute | inRayTracing), vuid.StandaloneSpirv_None_04644, true},
	{spirv.StorageClassWorkgroup, inWorkgroups, vuid.StandaloneSpirv_None_04645, true},
	{spirv.StorageClassTileImageEXT, inFragment, vuid.StandaloneSpirv_None_08720, true},
	{spirv.StorageClassRayPayloadKHR, inRayGeneration | inClosestHit | inMiss, vuid.StandaloneSpirv_RayPayloadKHR_04698, false},
	{spirv.StorageClassIncomingRayPayloadKHR, inClosestHit | inAnyHit | inMiss, vuid.StandaloneSpirv_IncomingRayPayloadKHR_04699, false},
	{spirv.StorageClassHitAttributeKHR, inIntersection | inAnyHit | inClosestHit, vuid.StandaloneSpirv_HitAttributeKHR_04701, false},
	{spirv.StorageClassCallableDataKHR, inRayGeneration | inClosestHit | inMiss | inCallable, vuid.StandaloneSpirv_CallableDataKHR_04704, false},
	{spirv.StorageClassIncomingCallableDataKHR, inCallable, vuid.StandaloneSpirv_IncomingCallableDataKHR_04705, false},
	{spirv.StorageClassShaderRecordBufferKHR, inRayTracing, vuid.StandaloneSpirv_ShaderRecordBufferKHR_07119, false},
	{spirv.StorageClassTaskPayloadWorkgroupEXT, inTaskEXT | inMeshEXT, "", false},
	{spirv.StorageClassHitObjectAttributeNV, inRayGeneration | inClosestHit | inMiss, "", false},
	{spirv.StorageClassHitObjectAttributeEXT, inRayGeneration | inClosestHit | inMiss, "", false},
}

// everyModel is all models.
const everyModel = inMeshEXT<<1 - 1

// storageRules states the rules of the rows in words.
func storageRules() []Rule {
	var out []Rule
	for _, r := range storageRows {
		if r.code != "" {
			out = append(out, Rule{Code: r.code, Section: environment, Words: "only " + (r.models & everyModel).String() + " entry points use variables in " + r.storage.String()})
		}
	}
	return out
}

// storages checks each variable of module scope.
func (c *checker) storages() {
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		if v.Func != nil {
			continue
		}
		for k := range storageRows {
			if r := &storageRows[k]; r.storage == v.Storage {
				c.storageUse(v, r)
			}
		}
	}
}

// storageUse checks the models that use a variable.
func (c *checker) storageUse(v *facts.Variable, r *storageRow) {
	bad := c.usedBy(v) &^ r.models
	if bad == 0 || r.vulkan && !c.vulkan {
		return
	}
	if b, ok := c.m.BuiltIn(v.ID); ok && c.vulkan && c.row(b) != nil {
		return // Vulkan's rules on the built-in have its class in each model
	}
	code := r.code
	if code == "" || !c.vulkan {
		code = "SPV-Storage-Model"
	}
	c.fail(v.Index, code, "the variable %s in %s, which a %s entry point uses; must be in %s", c.name(v.ID), v.Storage, bad, r.models&everyModel)
}

// usedBy returns from which models a variable of module scope is used: the models
// of the entry points that call a function which names it.
func (c *callGraph) usedBy(v *facts.Variable) modelSet {
	if c.users == nil {
		c.users = make([]modelSet, len(c.m.Variables))
		for i := range c.m.Functions {
			f := &c.m.Functions[i]
			for _, g := range f.Globals {
				c.users[g.Number] |= c.models[f.Number]
			}
		}
	}
	return c.users[v.Number]
}

// listedBy returns the models whose interfaces list a variable of module scope.
func (c *callGraph) listedBy(v *facts.Variable) modelSet {
	if c.listed == nil {
		c.listed = make([]modelSet, len(c.m.Variables))
		for n := range c.m.EntryPoints {
			e := &c.m.EntryPoints[n]
			for _, id := range e.Interface {
				if g := c.m.Variable(id); g != nil {
					c.listed[g.Number] |= modelOf(e.Model)
				}
			}
		}
	}
	return c.listed[v.Number]
}

// vulkanStorage checks the storage class of a pointer in Vulkan. Those that a
// capability of an allowed extension brings are checked as enumerants.
func (c *checker) vulkanStorage(i int, in spirv.Inst) {
	if !c.vulkan {
		return
	}
	switch s := spirv.StorageClass(in[2]); s {
	case spirv.StorageClassCrossWorkgroup, spirv.StorageClassGeneric, spirv.StorageClassAtomicCounter, spirv.StorageClassCodeSectionINTEL,
		spirv.StorageClassDeviceOnlyALTERA, spirv.StorageClassHostOnlyALTERA:
		c.fail(i, vuid.StandaloneSpirv_None_04643, "a pointer into %s; must be into a storage class of Vulkan", s)
	}
}

// hitAttributeStore checks the instructions that write memory.
func (c *checker) hitAttributeStore(i int, in spirv.Inst) {
	t := c.m.TypeOf(spirv.ID(in[1]))
	if t == nil || !t.IsPointer() {
		return
	}
	if t.Storage == spirv.StorageClassTaskPayloadWorkgroupEXT && c.callerModels()&inMeshEXT != 0 {
		c.fail(i, "SPV-Storage-ReadOnly", "%s into TaskPayloadWorkgroupEXT in a function that a MeshEXT entry point calls; must be in TaskEXT", in.Op())
	}
	if !c.vulkan || t.Storage != spirv.StorageClassHitAttributeKHR {
		return
	}
	if bad := c.callerModels() & (inAnyHit | inClosestHit); bad != 0 {
		c.fail(i, vuid.StandaloneSpirv_HitAttributeKHR_04703, "%s into HitAttributeKHR in a function that a %s entry point calls; must be in IntersectionKHR", in.Op(), bad)
	}
}

// incoming checks that an entry point has one variable of each storage class
// that the caller fills.
func (c *checker) incoming() {
	if !c.vulkan || !c.capable(spirv.CapabilityRayTracingKHR) && !c.capable(spirv.CapabilityRayTracingNV) {
		return
	}
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		var first [3]*facts.Variable
		for _, id := range e.Interface {
			v := c.m.Variable(id)
			if v == nil {
				continue
			}
			k, code := 0, ""
			switch v.Storage {
			case spirv.StorageClassIncomingRayPayloadKHR:
				k, code = 0, vuid.StandaloneSpirv_IncomingRayPayloadKHR_04700
			case spirv.StorageClassHitAttributeKHR:
				k, code = 1, vuid.StandaloneSpirv_HitAttributeKHR_04702
			case spirv.StorageClassIncomingCallableDataKHR:
				k, code = 2, vuid.StandaloneSpirv_IncomingCallableDataKHR_04706
			default:
				continue
			}
			if first[k] == nil {
				first[k] = v
			} else if first[k] != v {
				c.fail(e.Index, code, "the interface lists %s, a second variable in %s; must list one", c.name(id), v.Storage).also(c, first[k].Index, "the first").also(c, v.Index, "the second")
			}
		}
	}
}

package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// runtimeLimitFamily checks sizes and counts by the limits of a device (Vulkan,
// Runtime SPIR-V Validation).
var runtimeLimitFamily = family{
	rules: append(append(heapMemberRules(), heapOffsetRules()...), []Rule{
		{Code: vuid.RuntimeSpirv_longVector_12296, Section: runtimeSection, Words: "a vector has at most maxVectorComponents components", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxPushDataSize_12455, Section: runtimeSection, Words: "the block of push constants has at most maxPushDataSize bytes", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxShaderWaitQueues_12426, Section: runtimeSection, Words: "the operand of MultipleWaitQueuesQCOM is at most maxShaderWaitQueues", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxMeshOutputMemorySize_08756, Section: runtimeSection, Words: "the outputs of a mesh shader have at most maxMeshOutputMemorySize bytes", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxMeshPayloadAndOutputMemorySize_08757, Section: runtimeSection, Words: "the payload and the outputs of a mesh shader have at most maxMeshPayloadAndOutputMemorySize bytes", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpControlBarrierArriveEXT_13562, Section: runtimeSection, Words: "with split barriers, the variables of a compute shader in Workgroup leave splitBarrierReservedSharedMemory free", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxComputeSharedMemorySize_10168, Section: runtimeSection, Words: "with cooperative matrices of workgroup scope, the variables of a compute shader in Workgroup leave cooperativeMatrixWorkgroupScopeReservedSharedMemory free", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_ShaderEnqueueAMDX_09191, Section: runtimeSection, Words: "the capability ShaderEnqueueAMDX is for compute and mesh shaders"},
		{Code: vuid.RuntimeSpirv_NodePayloadAMDX_09192, Section: runtimeSection, Words: "only compute and mesh shaders use variables in NodePayloadAMDX"},
		{Code: vuid.RuntimeSpirv_maxExecutionGraphShaderPayloadSize_09193, Section: runtimeSection, Words: "a variable in NodePayloadAMDX has at most maxExecutionGraphShaderPayloadSize bytes", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxExecutionGraphShaderOutputNodes_09197, Section: runtimeSection, Words: "a module has at most maxExecutionGraphShaderOutputNodes instructions that allocate node payloads", Need: NeedDevice},
	}...),
	insts: map[spirv.Op]judge{
		spirv.OpTypeVector:      (*checker).longVector,
		spirv.OpTypeVectorIdEXT: (*checker).longVector,
		spirv.OpLoopMerge:       (*checker).waitQueues,

		spirv.OpLoad:                        (*checker).heapLoad,
		spirv.OpImageTexelPointer:           (*checker).heapTexel,
		spirv.OpUntypedImageTexelPointerEXT: (*checker).heapTexel,
		spirv.OpBufferPointerEXT:            (*checker).heapBuffer,
	},
	after: []func(*checker){(*checker).heapMembers, (*checker).pushData, (*checker).meshOutputMemory, (*checker).reservedMemory, (*checker).nodePayloads},
}

// atMost checks a size or count by a limit.
func (c *subject) atMost(i int, code, limit, what string, n uint64) {
	if most, ok := c.limit(code, limit); ok && n > most {
		c.fail(i, code, "%s is %d; must be at most %d, the value of %s", what, n, most, limit)
	}
}

func (c *checker) longVector(i int, in spirv.Inst) {
	if t := c.m.Type(in.Result()); c.vulkan && t != nil && t.Count > 4 && c.capable(spirv.CapabilityLongVectorEXT) {
		c.atMost(i, vuid.RuntimeSpirv_longVector_12296, "maxVectorComponents", "the number of components", t.Count)
	}
}

// waitQueues checks the one operand of MultipleWaitQueuesQCOM, the last of the
// bits of a loop control.
func (c *checker) waitQueues(i int, in spirv.Inst) {
	v := inst.LoopMerge(in)
	words := v.LoopControlWords()
	if c.vulkan && v.LoopControl()&spirv.LoopControlMultipleWaitQueuesQCOMMask != 0 && len(words) > 0 {
		c.atMost(i, vuid.RuntimeSpirv_maxShaderWaitQueues_12426, "maxShaderWaitQueues", "the operand of MultipleWaitQueuesQCOM", uint64(words[len(words)-1]))
	}
}

// pushData checks how large push constants are.
func (c *checker) pushData() {
	if !c.vulkan {
		return
	}
	for n := range c.m.Variables {
		if v := &c.m.Variables[n]; v.Storage == spirv.StorageClassPushConstant && v.Type.IsStruct() && v.Type.Fixed() {
			c.atMost(v.Index, vuid.RuntimeSpirv_maxPushDataSize_12455, "maxPushDataSize", "the number of bytes of the push constants", v.Type.Size(0, false))
		}
	}
}

// meshOutputMemory checks the memory size of a mesh shader's outputs: the scalars
// of the outputs, times the number of vertices or primitives rounded up to the
// granularity of the device. Further memory that a device needs is not known.
func (c *checker) meshOutputMemory() {
	const outputs, both = vuid.RuntimeSpirv_maxMeshOutputMemorySize_08756, vuid.RuntimeSpirv_maxMeshPayloadAndOutputMemorySize_08757
	if !c.vulkan || !c.capable(spirv.CapabilityMeshShadingEXT) {
		return
	}
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		if e.Model != spirv.ExecutionModelMeshEXT || e.Func == nil {
			continue
		}
		used := c.globals(e)
		out, payload := uint64(0), saturate(c.m.SharedBytes(used, spirv.StorageClassTaskPayloadWorkgroupEXT))
		for _, v := range used {
			if v.Type != nil && v.Storage == spirv.StorageClassOutput && v.Type.IsArray() && v.Type.Elem != nil && !c.indexArray(v) {
				out = saturate(out + c.content.of[v.Type.Elem.Number].bytes*min(c.granular(v), maxBytes))
			}
		}
		if out == 0 {
			continue
		}
		c.atMost(e.Index, outputs, meshProperty+"maxMeshOutputMemorySize", "the number of bytes of the outputs", out)
		c.atMost(e.Index, both, meshProperty+"maxMeshPayloadAndOutputMemorySize", "the number of bytes of the payload and the outputs", saturate(out+payload))
	}
}

// granular returns the number of vertices or primitives that an output has memory
// for.
func (c *checker) granular(v *facts.Variable) uint64 {
	name := meshProperty + "meshOutputPerVertexGranularity"
	if c.decorated(v, spirv.DecorationPerPrimitiveEXT) {
		name = meshProperty + "meshOutputPerPrimitiveGranularity"
	}
	g, ok := c.env.Device.limit(name)
	if !ok || g < 2 {
		return v.Type.Count
	}
	return (min(v.Type.Count, maxBytes) + g - 1) / g * g
}

// reservedMemory checks the workgroup memory that compute shaders must leave free.
func (c *checker) reservedMemory() {
	split, matrix := -1, -1
	if c.capable(spirv.CapabilitySplitBarrierEXT) {
		split = c.firstOf(spirv.OpControlBarrierArriveEXT, spirv.OpControlBarrierWaitEXT)
	}
	for n := range c.m.Types {
		if t := &c.m.Types[n]; t.Op == spirv.OpTypeCooperativeMatrixKHR {
			if k := c.m.Const(inst.TypeCooperativeMatrixKHR(c.code.Inst(t.Index)).Scope()); k != nil && k.Known && spirv.Scope(k.Bits) == spirv.ScopeWorkgroup {
				matrix = t.Index
			}
		}
	}
	if !c.vulkan || split < 0 && matrix < 0 {
		return
	}
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		if e.Model != spirv.ExecutionModelGLCompute || e.Func == nil {
			continue
		}
		used := c.workgroupBytes(c.globals(e))
		if split >= 0 {
			c.leaves(e, split, vuid.RuntimeSpirv_OpControlBarrierArriveEXT_13562, "splitBarrierReservedSharedMemory", used)
		}
		if matrix >= 0 {
			c.leaves(e, matrix, vuid.RuntimeSpirv_maxComputeSharedMemorySize_10168, "cooperativeMatrixWorkgroupScopeReservedSharedMemory", used)
		}
	}
}

// leaves checks that an entry point leaves as much of maxComputeSharedMemorySize
// free as the limit reserved, because of the instruction at.
func (c *checker) leaves(e *facts.EntryPoint, at int, code, reserved string, used uint64) {
	all, ok := c.limit(code, "maxComputeSharedMemorySize")
	less, ok2 := c.limit(code, reserved)
	if ok && ok2 && used+less > all {
		c.fail(e.Index, code, "the variables that a workgroup shares have %d bytes; must leave %d of %d free, as %s requires", used, less, all, reserved).also(c, at, "the use")
	}
}

// firstOf returns the first instruction with one of two opcodes, −1 if there is none.
func (c *checker) firstOf(a, b spirv.Op) int {
	for n := range c.m.Functions {
		f := &c.m.Functions[n]
		for i := f.Index; i < f.End; i++ {
			if op := c.code.Inst(i).Op(); op == a || op == b {
				return i
			}
		}
	}
	return -1
}

// nodePayloads checks the shaders of execution graphs: their models, and the
// payload limits of the device.
func (c *checker) nodePayloads() {
	if !c.vulkan || !c.capable(spirv.CapabilityShaderEnqueueAMDX) {
		return
	}
	for n := range c.m.EntryPoints {
		if e := &c.m.EntryPoints[n]; modelOf(e.Model)&(inGLCompute|inMeshEXT) == 0 {
			c.fail(e.Index, vuid.RuntimeSpirv_ShaderEnqueueAMDX_09191, "a %s entry point in a module with the capability ShaderEnqueueAMDX; must be GLCompute or MeshEXT", e.Model)
		}
	}
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		if v.Storage != spirv.StorageClassNodePayloadAMDX || v.Func != nil {
			continue
		}
		if bad := c.usedBy(v) &^ (inGLCompute | inMeshEXT); bad != 0 {
			c.fail(v.Index, vuid.RuntimeSpirv_NodePayloadAMDX_09192, "%s in NodePayloadAMDX, which a %s entry point uses; must only be used by GLCompute and MeshEXT", c.name(v.ID), bad)
		}
		if t := c.nodePayload(v.Type); t != nil {
			c.atMost(v.Index, vuid.RuntimeSpirv_maxExecutionGraphShaderPayloadSize_09193, "maxExecutionGraphShaderPayloadSize", "the number of bytes of the payload", max(t.Size(0, false), c.content.of[t.Number].bytes))
		}
	}
	places, last := uint64(0), -1
	for n := range c.m.Functions {
		f := &c.m.Functions[n]
		for i := f.Index; i < f.End; i++ {
			if c.code.Inst(i).Op() == spirv.OpAllocateNodePayloadsAMDX {
				places, last = places+1, i
			}
		}
	}
	if places > 0 {
		c.atMost(last, vuid.RuntimeSpirv_maxExecutionGraphShaderOutputNodes_09197, "maxExecutionGraphShaderOutputNodes", "the number of OpAllocateNodePayloadsAMDX", places)
	}
}

// nodePayload returns the type of one payload, nil if it is not known.
func (c *checker) nodePayload(t *facts.Type) *facts.Type {
	if t = core(t); t != nil && t.Op == spirv.OpTypeNodePayloadArrayAMDX {
		return c.m.Type(inst.TypeNodePayloadArrayAMDX(c.code.Inst(t.Index)).PayloadType())
	}
	return t
}

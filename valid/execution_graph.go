package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// executionGraphFamily judges shaders that enqueue others, and their payloads
// (SPV_AMDX_shader_enqueue). The outputs that Vulkan speaks of are the payloads
// that OpAllocateNodePayloadsAMDX makes.
var executionGraphFamily = family{
	rules: []Rule{
		{Code: "SPV-NodePayload-Type", Section: "SPIR-V, SPV_AMDX_shader_enqueue", Words: "an array of payloads is of structs"},
		{Code: "SPV-NodePayload-Array", Section: "SPIR-V, SPV_AMDX_shader_enqueue", Words: "payloads are allocated, enqueued, measured and finished by way of a pointer to NodePayloadAMDX, and validity is asked of a type of arrays of payloads"},
		{Code: "SPV-NodePayload-Operand", Section: "SPIR-V, SPV_AMDX_shader_enqueue", Words: "the number of payloads, the index of a node and the length of an array are integers of 32 bits, whether something is finished or valid is a Boolean, and payloads are visible to an invocation, a subgroup or a workgroup"},
		{Code: vuid.RuntimeSpirv_ShaderEnqueueAMDX_09191, Section: environment, Words: "a module with the capability ShaderEnqueueAMDX has compute and mesh shaders alone"},
		{Code: vuid.RuntimeSpirv_NodePayloadAMDX_09192, Section: environment, Words: "variables in NodePayloadAMDX are used by compute and mesh shaders alone"},
		{Code: vuid.RuntimeSpirv_maxExecutionGraphShaderPayloadSize_09193, Section: environment, Words: "a variable in NodePayloadAMDX takes maxExecutionGraphShaderPayloadSize bytes at most", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxExecutionGraphShaderPayloadSize_09194, Section: environment, Words: "payloads that are allocated take maxExecutionGraphShaderPayloadSize bytes at most", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxExecutionGraphShaderPayloadSize_09195, Section: environment, Words: "the payload and all that an entry point allocates take maxExecutionGraphShaderPayloadSize bytes at most", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxExecutionGraphShaderPayloadCount_09196, Section: environment, Words: "an entry point allocates payloads in maxExecutionGraphShaderPayloadCount places at most", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_maxExecutionGraphShaderOutputNodes_09197, Section: environment, Words: "an entry point has maxExecutionGraphShaderOutputNodes instructions OpAllocateNodePayloadsAMDX at most", Need: NeedDevice},
	},
	insts: map[spirv.Op]judge{
		spirv.OpTypeNodePayloadArrayAMDX:     (*checker).typeNodePayload,
		spirv.OpAllocateNodePayloadsAMDX:     (*checker).allocatePayloads,
		spirv.OpEnqueueNodePayloadsAMDX:      (*checker).enqueuePayloads,
		spirv.OpFinishWritingNodePayloadAMDX: (*checker).finishPayload,
		spirv.OpNodePayloadArrayLengthAMDX:   (*checker).payloadLength,
		spirv.OpIsNodePayloadValidAMDX:       (*checker).payloadValid,
	},
	after: []func(*checker){(*checker).executionGraph},
}

// payloads is what a function allocates for other nodes.
type payloads struct {
	places int
	bytes  uint64
}

func (c *checker) typeNodePayload(i int, in spirv.Inst) {
	if t := c.m.Type(inst.TypeNodePayloadArrayAMDX(in).PayloadType()); t != nil && !t.IsStruct() {
		c.fail(i, "SPV-NodePayload-Type", "the payload is %s; must be a struct", c.typeName(t))
	}
}

// payloadPointer judges a pointer to payloads, and returns it; nil where it is
// none.
func (c *checker) payloadPointer(i int, t *facts.Type) *facts.Type {
	if t != nil && (!t.IsPointer() || t.Storage != spirv.StorageClassNodePayloadAMDX) {
		c.fail(i, "SPV-NodePayload-Array", "%s of %s; must be of a pointer to NodePayloadAMDX", c.code.Inst(i).Op(), c.typeName(t))
		return nil
	}
	return t
}

// payloadWord judges an operand that is an integer of 32 bits.
func (c *checker) payloadWord(i int, id spirv.ID, what string) {
	if t := c.m.TypeOf(id); t != nil && !isWord(t) {
		c.fail(i, "SPV-NodePayload-Operand", "%s of %s is %s; must be an integer of 32 bits", what, c.code.Inst(i).Op(), c.typeName(t))
	}
}

func (c *checker) allocatePayloads(i int, in spirv.Inst) {
	v := inst.AllocateNodePayloadsAMDX(in)
	p := c.payloadPointer(i, c.m.Type(v.Type()))
	c.payloadWord(i, v.PayloadCount(), "the number of payloads")
	c.payloadWord(i, v.NodeIndex(), "the index of the node")
	if s, ok := c.scopeOperand(i, v.Visibility()); ok && s != spirv.ScopeInvocation && s != spirv.ScopeSubgroup && s != spirv.ScopeWorkgroup {
		c.fail(i, "SPV-NodePayload-Operand", "the payloads are visible to %s; must be visible to Invocation, Subgroup or Workgroup", s)
	}
	if c.fn == nil || !c.vulkan {
		return
	}
	n, known := c.settled(v.PayloadCount())
	if !known || n < 0 {
		n = 1
	}
	bytes := c.payloadBytes(pointee(p), uint64(n))
	if most, ok := c.limit(vuid.RuntimeSpirv_maxExecutionGraphShaderPayloadSize_09194, "maxExecutionGraphShaderPayloadSize"); ok && bytes > most {
		c.fail(i, vuid.RuntimeSpirv_maxExecutionGraphShaderPayloadSize_09194, "%d bytes of payloads are allocated; maxExecutionGraphShaderPayloadSize is %d", bytes, most)
	}
	if c.payloads == nil {
		c.payloads = make([]payloads, len(c.m.Functions))
	}
	f := &c.payloads[c.fn.Number]
	f.places++
	f.bytes = saturate(f.bytes + bytes)
}

// payloadBytes returns how many bytes so many payloads take.
func (c *checker) payloadBytes(t *facts.Type, n uint64) uint64 {
	if t != nil && t.Op == spirv.OpTypeNodePayloadArrayAMDX {
		t = c.m.Type(inst.TypeNodePayloadArrayAMDX(c.code.Inst(t.Index)).PayloadType())
	}
	if t == nil {
		return 0
	}
	return saturate(min(n, 1<<32) * min(c.content.of[t.Number].bytes, 1<<31))
}

// pointee returns what a pointer points at, nil where it is none.
func pointee(p *facts.Type) *facts.Type {
	if p == nil {
		return nil
	}
	return p.Elem
}

func (c *checker) enqueuePayloads(i int, in spirv.Inst) {
	c.payloadPointer(i, c.m.TypeOf(inst.EnqueueNodePayloadsAMDX(in).PayloadArray()))
}

func (c *checker) finishPayload(i int, in spirv.Inst) {
	v := inst.FinishWritingNodePayloadAMDX(in)
	c.payloadPointer(i, c.m.TypeOf(v.Payload()))
	c.payloadBool(i, v.Type())
}

// payloadBool judges a result that is a Boolean.
func (c *checker) payloadBool(i int, id spirv.ID) {
	if t := c.m.Type(id); t != nil && !t.IsBool() {
		c.fail(i, "SPV-NodePayload-Operand", "%s yields %s; must yield a Boolean", c.code.Inst(i).Op(), c.typeName(t))
	}
}

func (c *checker) payloadLength(i int, in spirv.Inst) {
	v := inst.NodePayloadArrayLengthAMDX(in)
	c.payloadPointer(i, c.m.TypeOf(v.PayloadArray()))
	if t := c.m.Type(v.Type()); t != nil && !isWord(t) {
		c.fail(i, "SPV-NodePayload-Operand", "the length is %s; must be an integer of 32 bits", c.typeName(t))
	}
}

func (c *checker) payloadValid(i int, in spirv.Inst) {
	v := inst.IsNodePayloadValidAMDX(in)
	c.payloadBool(i, v.Type())
	if t := c.m.Type(v.PayloadType()); t != nil && t.Op != spirv.OpTypeNodePayloadArrayAMDX {
		c.fail(i, "SPV-NodePayload-Array", "%s of %s; must be of an array of payloads", in.Op(), c.typeName(t))
	}
	c.payloadWord(i, v.NodeIndex(), "the index of the node")
}

// executionGraph judges the entry points of a module that enqueues.
func (c *checker) executionGraph() {
	if !c.vulkan || !c.capable(spirv.CapabilityShaderEnqueueAMDX) {
		return
	}
	budget := maxStorageUses
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		nodes := e.Model == spirv.ExecutionModelGLCompute || e.Model == spirv.ExecutionModelMeshEXT
		if !nodes {
			c.fail(e.Index, vuid.RuntimeSpirv_ShaderEnqueueAMDX_09191, "the entry point %q is of the model %s in a module with the capability ShaderEnqueueAMDX; must be of GLCompute or MeshEXT", e.Name, e.Model)
		}
		if e.Func == nil || budget <= 0 {
			continue
		}
		used := c.globals(e)
		budget -= len(used) + len(c.m.Functions) + 1
		var bytes uint64
		for _, v := range used {
			if v.Storage != spirv.StorageClassNodePayloadAMDX {
				continue
			}
			if !nodes {
				c.fail(e.Index, vuid.RuntimeSpirv_NodePayloadAMDX_09192, "the entry point %q of the model %s uses %s in NodePayloadAMDX; must be of GLCompute or MeshEXT", e.Name, e.Model, c.name(v.ID)).also(c, v.Index, "the variable")
			}
			size := c.payloadBytes(v.Type, 1)
			if most, ok := c.limit(vuid.RuntimeSpirv_maxExecutionGraphShaderPayloadSize_09193, "maxExecutionGraphShaderPayloadSize"); ok && size > most {
				c.fail(v.Index, vuid.RuntimeSpirv_maxExecutionGraphShaderPayloadSize_09193, "the payload takes %d bytes; maxExecutionGraphShaderPayloadSize is %d", size, most)
			}
			bytes = saturate(bytes + size)
		}
		c.allocated(e, bytes)
	}
}

// allocated judges what an entry point allocates beside its payload, which takes
// so many bytes.
func (c *checker) allocated(e *facts.EntryPoint, bytes uint64) {
	if c.payloads == nil {
		return
	}
	places := 0
	for n := range c.payloads {
		f := &c.payloads[n]
		if f.places == 0 {
			continue
		}
		for _, caller := range c.callersOf(&c.m.Functions[n]) {
			if caller == e {
				places += f.places
				bytes = saturate(bytes + f.bytes)
			}
		}
	}
	for _, o := range [...]struct {
		code, limit string
		n           uint64
		what        string
	}{
		{vuid.RuntimeSpirv_maxExecutionGraphShaderPayloadSize_09195, "maxExecutionGraphShaderPayloadSize", bytes, "bytes of payloads"},
		{vuid.RuntimeSpirv_maxExecutionGraphShaderPayloadCount_09196, "maxExecutionGraphShaderPayloadCount", uint64(places), "arrays of payloads"},
		{vuid.RuntimeSpirv_maxExecutionGraphShaderOutputNodes_09197, "maxExecutionGraphShaderOutputNodes", uint64(places), "instructions that allocate"},
	} {
		if most, ok := c.limit(o.code, o.limit); ok && o.n > most {
			c.fail(e.Index, o.code, "the entry point %q has %d %s; %s is %d", e.Name, o.n, o.what, o.limit, most)
		}
	}
}

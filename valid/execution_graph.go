package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// executionGraphFamily checks shaders that enqueue others, and their payloads
// (SPV_AMDX_shader_enqueue).
var executionGraphFamily = family{
	rules: []Rule{
		{Code: "SPV-NodePayload-Type", Section: "SPIR-V, SPV_AMDX_shader_enqueue", Words: "the element of an array of payloads is a struct"},
		{Code: "SPV-NodePayload-Array", Section: "SPIR-V, SPV_AMDX_shader_enqueue", Words: "payloads are allocated, enqueued, counted and finished through a pointer to NodePayloadAMDX, and OpIsNodePayloadValidAMDX names a type of payload arrays"},
		{Code: "SPV-NodePayload-Operand", Section: "SPIR-V, SPV_AMDX_shader_enqueue", Words: "the number of payloads, a node index and the length of an array are 32-bit integers; the results \"finished\" and \"valid\" are Booleans; payloads are visible to an invocation, a subgroup or a workgroup"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpTypeNodePayloadArrayAMDX:     (*checker).typeNodePayload,
		spirv.OpAllocateNodePayloadsAMDX:     (*checker).allocatePayloads,
		spirv.OpEnqueueNodePayloadsAMDX:      (*checker).enqueuePayloads,
		spirv.OpFinishWritingNodePayloadAMDX: (*checker).finishPayload,
		spirv.OpNodePayloadArrayLengthAMDX:   (*checker).payloadLength,
		spirv.OpIsNodePayloadValidAMDX:       (*checker).payloadValid,
	},
}

func (c *checker) typeNodePayload(i int, in spirv.Inst) {
	if t := c.m.Type(inst.TypeNodePayloadArrayAMDX(in).PayloadType()); t != nil && !t.IsStruct() {
		c.fail(i, "SPV-NodePayload-Type", "the payload is %s; must be a struct", c.typeName(t))
	}
}

// payloadPointer checks that a type is a pointer to payloads, and returns it; nil
// if it is not.
func (c *checker) payloadPointer(i int, t *facts.Type) *facts.Type {
	if t != nil && (!t.IsPointer() || t.Storage != spirv.StorageClassNodePayloadAMDX) {
		c.fail(i, "SPV-NodePayload-Array", "%s of %s; must be of a pointer to NodePayloadAMDX", c.code.Inst(i).Op(), c.typeName(t))
		return nil
	}
	return t
}

// payloadWord checks an operand that is an integer of 32 bits.
func (c *checker) payloadWord(i int, id spirv.ID, what string) {
	if t := c.m.TypeOf(id); t != nil && !isWord(t) {
		c.fail(i, "SPV-NodePayload-Operand", "%s of %s is %s; must be an integer of 32 bits", what, c.code.Inst(i).Op(), c.typeName(t))
	}
}

func (c *checker) allocatePayloads(i int, in spirv.Inst) {
	v := inst.AllocateNodePayloadsAMDX(in)
	c.payloadPointer(i, c.m.Type(v.Type()))
	c.payloadWord(i, v.PayloadCount(), "the number of payloads")
	c.payloadWord(i, v.NodeIndex(), "the index of the node")
	if s, ok := c.scopeOperand(i, v.Visibility()); ok && s != spirv.ScopeInvocation && s != spirv.ScopeSubgroup && s != spirv.ScopeWorkgroup {
		c.fail(i, "SPV-NodePayload-Operand", "the payloads are visible to %s; must be visible to Invocation, Subgroup or Workgroup", s)
	}
}

func (c *checker) enqueuePayloads(i int, in spirv.Inst) {
	c.payloadPointer(i, c.m.TypeOf(inst.EnqueueNodePayloadsAMDX(in).PayloadArray()))
}

func (c *checker) finishPayload(i int, in spirv.Inst) {
	v := inst.FinishWritingNodePayloadAMDX(in)
	c.payloadPointer(i, c.m.TypeOf(v.Payload()))
	c.payloadBool(i, v.Type())
}

// payloadBool checks a result that is a Boolean.
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
		c.fail(i, "SPV-NodePayload-Array", "%s of %s; must have an array of payloads", in.Op(), c.typeName(t))
	}
	c.payloadWord(i, v.NodeIndex(), "the index of the node")
}

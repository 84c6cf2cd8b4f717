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
		{Code: "SPV-NodePayload-Type", Section: "SPIR-V, SPV_AMDX_shader_enqueue", Words: "the element of an array of payloads is a type of numbers, pointers or composites"},
		{Code: "SPV-NodePayload-Array", Section: "SPIR-V, SPV_AMDX_shader_enqueue", Words: "payloads are allocated, enqueued, counted and finished through a pointer to a payload array in NodePayloadAMDX; only allocated payloads are enqueued, and only the payloads of a variable are finished; OpIsNodePayloadValidAMDX names a type of payload arrays"},
		{Code: "SPV-NodePayload-Operand", Section: "SPIR-V, SPV_AMDX_shader_enqueue", Words: "the number of payloads and a node index are 32-bit integers, and the index is less than the size of its array; the length of an array is an unsigned one; the results \"finished\" and \"valid\" are Booleans; payloads are visible to an invocation or a workgroup"},
		{Code: "SPV-NodePayload-Finish", Section: "SPIR-V, SPV_AMDX_shader_enqueue", Words: "payloads are finished only if their struct has the decoration TrackFinishWritingAMDX, and not in a shader with CoalescingAMDX"},
		{Code: "SPV-NodePayload-Decoration", Section: "SPIR-V, SPV_AMDX_shader_enqueue", Words: "the decorations of payloads are on payload arrays, with operands of their kinds; an allocated payload array has NodeMaxPayloadsAMDX, and PayloadNodeArraySizeAMDX or PayloadNodeSparseArrayAMDX; TrackFinishWritingAMDX is on a struct, PayloadDispatchIndirectAMDX on a member that is one to three unsigned integers of at most 32 bits"},
		{Code: "SPV-NodePayload-Mode", Section: "SPIR-V, SPV_AMDX_shader_enqueue", Words: "an entry point has at most one of CoalescingAMDX, StaticNumWorkgroupsAMDX and MaxNumWorkgroupsAMDX; IsApiEntryAMDX is a Boolean; the node of SharesInputWithAMDX is a string constant"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpTypeNodePayloadArrayAMDX:     (*checker).typeNodePayload,
		spirv.OpAllocateNodePayloadsAMDX:     (*checker).allocatePayloads,
		spirv.OpEnqueueNodePayloadsAMDX:      (*checker).enqueuePayloads,
		spirv.OpFinishWritingNodePayloadAMDX: (*checker).finishPayload,
		spirv.OpNodePayloadArrayLengthAMDX:   (*checker).payloadLength,
		spirv.OpIsNodePayloadValidAMDX:       (*checker).payloadValid,
	},
	after: []func(*checker){(*checker).nodeModes},
}

// typeNodePayload checks that payloads have a size: their memory holds numbers, pointers, or composites of these.
func (c *checker) typeNodePayload(i int, in spirv.Inst) {
	id := inst.TypeNodePayloadArrayAMDX(in).PayloadType()
	d := c.code.DefInst(id)
	if d == nil {
		return
	}
	if t := c.m.Type(id); t == nil || isOpaque(t) || t.Op == spirv.OpTypeVoid || t.Op == spirv.OpTypeFunction {
		c.fail(i, "SPV-NodePayload-Type", "the payload is %s, the result of %s; must be a type of numbers, pointers or composites", c.name(id), d.Op())
	}
}

// payloadArray checks that a type is a pointer to a payload array, and returns the
// array; nil if it is not.
func (c *checker) payloadArray(i int, t *facts.Type) *facts.Type {
	switch {
	case t == nil:
	case !t.IsPointer() || t.Storage != spirv.StorageClassNodePayloadAMDX || t.Elem != nil && t.Elem.Op != spirv.OpTypeNodePayloadArrayAMDX:
		c.fail(i, "SPV-NodePayload-Array", "%s of %s; must be of a pointer to a payload array in NodePayloadAMDX", c.code.Inst(i).Op(), c.typeName(t))
	default:
		return t.Elem
	}
	return nil
}

// payloadWord checks an operand that is an integer of 32 bits.
func (c *checker) payloadWord(i int, id spirv.ID, what string) {
	if t := c.m.TypeOf(id); t != nil && !isWord(t) {
		c.fail(i, "SPV-NodePayload-Operand", "%s of %s is %s; must be an integer of 32 bits", what, c.code.Inst(i).Op(), c.typeName(t))
	}
}

func (c *checker) allocatePayloads(i int, in spirv.Inst) {
	v := inst.AllocateNodePayloadsAMDX(in)
	if t := c.payloadArray(i, c.m.Type(v.Type())); t != nil {
		c.allocatedArray(i, t)
	}
	c.payloadWord(i, v.PayloadCount(), "the number of payloads")
	c.payloadWord(i, v.NodeIndex(), "the index of the node")
	if s, ok := c.scopeOperand(i, v.Visibility()); ok && s != spirv.ScopeInvocation && s != spirv.ScopeWorkgroup {
		c.fail(i, "SPV-NodePayload-Operand", "the payloads are visible to %s; must be visible to Invocation or Workgroup", s)
	}
}

// allocatedArray checks the decorations of a payload array that is allocated. An
// array without them that is only declared is accepted (docs/differences.md).
func (c *checker) allocatedArray(i int, t *facts.Type) {
	const code = "SPV-NodePayload-Decoration"
	if !c.m.Has(t.ID, spirv.DecorationNodeMaxPayloadsAMDX) {
		c.fail(i, code, "the allocated payload array %s has no decoration NodeMaxPayloadsAMDX; must have it", c.name(t.ID)).also(c, t.Index, "the array")
	}
	if !c.m.Has(t.ID, spirv.DecorationPayloadNodeArraySizeAMDX) && !c.m.Has(t.ID, spirv.DecorationPayloadNodeSparseArrayAMDX) {
		c.fail(i, code, "the allocated payload array %s has neither PayloadNodeArraySizeAMDX nor PayloadNodeSparseArrayAMDX; must have one", c.name(t.ID)).also(c, t.Index, "the array")
	}
}

func (c *checker) enqueuePayloads(i int, in spirv.Inst) {
	id := inst.EnqueueNodePayloadsAMDX(in).PayloadArray()
	if c.payloadArray(i, c.m.TypeOf(id)) == nil {
		return
	}
	if v := c.m.Variable(id); v != nil {
		c.fail(i, "SPV-NodePayload-Array", "the variable %s is enqueued; must be the result of OpAllocateNodePayloadsAMDX", c.name(id)).also(c, v.Index, "the variable")
	}
}

func (c *checker) finishPayload(i int, in spirv.Inst) {
	v := inst.FinishWritingNodePayloadAMDX(in)
	c.payloadBool(i, v.Type())
	if t := c.payloadArray(i, c.m.TypeOf(v.Payload())); t != nil {
		if c.m.Variable(v.Payload()) == nil {
			c.fail(i, "SPV-NodePayload-Array", "%s is the result of %s; must be a variable in NodePayloadAMDX", c.name(v.Payload()), c.code.DefInst(v.Payload()).Op())
		}
		if p := c.nodePayload(t); p != nil && !c.m.Has(p.ID, spirv.DecorationTrackFinishWritingAMDX) {
			c.fail(i, "SPV-NodePayload-Finish", "the payload is %s, which has no decoration TrackFinishWritingAMDX; must have it", c.typeName(p)).also(c, p.Index, "the payload")
		}
	}
	if c.fn == nil {
		return
	}
	for _, e := range c.callersOf(c.fn) {
		if e.HasMode(spirv.ExecutionModeCoalescingAMDX) {
			c.fail(i, "SPV-NodePayload-Finish", "%s in a function that an entry point with CoalescingAMDX calls; must not be", in.Op()).also(c, e.Index, "the entry point")
			break
		}
	}
}

// payloadBool checks a result that is a Boolean.
func (c *checker) payloadBool(i int, id spirv.ID) {
	if t := c.m.Type(id); t != nil && !t.IsBool() {
		c.fail(i, "SPV-NodePayload-Operand", "%s yields %s; must yield a Boolean", c.code.Inst(i).Op(), c.typeName(t))
	}
}

func (c *checker) payloadLength(i int, in spirv.Inst) {
	v := inst.NodePayloadArrayLengthAMDX(in)
	c.payloadArray(i, c.m.TypeOf(v.PayloadArray()))
	if t := c.m.Type(v.Type()); t != nil && (!isWord(t) || t.Signed) {
		c.fail(i, "SPV-NodePayload-Operand", "the length is %s; must be an unsigned integer of 32 bits", c.typeName(t))
	}
}

func (c *checker) payloadValid(i int, in spirv.Inst) {
	v := inst.IsNodePayloadValidAMDX(in)
	c.payloadBool(i, v.Type())
	if t := c.m.Type(v.PayloadType()); t != nil && t.Op != spirv.OpTypeNodePayloadArrayAMDX {
		c.fail(i, "SPV-NodePayload-Array", "%s of %s; must have an array of payloads", in.Op(), c.typeName(t))
	}
	c.payloadWord(i, v.NodeIndex(), "the index of the node")
	d, ok := c.m.Decoration(v.PayloadType(), spirv.DecorationPayloadNodeArraySizeAMDX)
	if !ok || !d.IDs || len(d.Operands) == 0 {
		return
	}
	size, ok := c.fixedInt(spirv.ID(d.Operands[0]))
	index, ok2 := c.fixedInt(v.NodeIndex())
	if ok && ok2 && index >= size {
		c.fail(i, "SPV-NodePayload-Operand", "the index of the node of %s is %d, the size of the array %d; must be less", in.Op(), index, size)
	}
}

// payloadDecoration checks a decoration of a payload array or of its struct.
func (c *checker) payloadDecoration(i int, id spirv.ID, kind spirv.Decoration, words []uint32) {
	const code = "SPV-NodePayload-Decoration"
	t, array := c.m.Type(id), spirv.OpTypeNodePayloadArrayAMDX
	if kind == spirv.DecorationTrackFinishWritingAMDX {
		if !t.IsStruct() {
			c.fail(i, code, "%s on %s; must be on a struct", kind, c.name(id))
		}
		return
	}
	if t == nil || t.Op != array {
		c.fail(i, code, "%s on %s; must be on a payload array", kind, c.name(id))
		return
	}
	if len(words) == 0 {
		return
	}
	operand := spirv.ID(words[0])
	d := c.code.DefInst(operand)
	switch {
	case d == nil:
	case kind == spirv.DecorationPayloadNodeNameAMDX:
		if !isStringConstant(d) {
			c.fail(i, code, "the name of the node is the result of %s; must be a string constant", d.Op())
		}
	case kind == spirv.DecorationNodeSharesPayloadLimitsWithAMDX:
		if o := c.m.Type(operand); o == nil || o.Op != array || o == t {
			c.fail(i, code, "%s shares its limits with %s; must share them with another payload array", c.name(id), c.name(operand))
		} else if c.m.Has(operand, kind) {
			c.fail(i, code, "%s shares its limits with %s, which shares them with a third; must share them with the last", c.name(id), c.name(operand)).also(c, o.Index, "the other array")
		}
	default:
		if k := c.m.Const(operand); k == nil || !k.Type.IsInt() {
			c.fail(i, code, "%s is %s; must be an integer constant", kind, c.name(operand))
		}
	}
}

// isStringConstant reports whether an instruction declares a string constant.
func isStringConstant(d spirv.Inst) bool {
	return d.Op() == spirv.OpConstantStringAMDX || d.Op() == spirv.OpSpecConstantStringAMDX
}

// dispatchMember checks PayloadDispatchIndirectAMDX on a member.
func (c *checker) dispatchMember(i int, id spirv.ID, member uint32) {
	t := c.m.Type(id)
	if t == nil || uint64(member) >= uint64(len(t.Members)) {
		return
	}
	m := t.Members[member].Type
	if m == nil {
		return
	}
	word, n := m, uint64(1)
	if m.IsVector() {
		word, n = m.Elem, m.Count
	}
	if word != nil && (!word.IsInt() || word.Signed || word.Width > 32 || n > 3) {
		c.fail(i, "SPV-NodePayload-Decoration", "the member with PayloadDispatchIndirectAMDX is %s; must be an unsigned integer of at most 32 bits, or a vector of two or three", c.typeName(m))
	}
}

// nodeModes checks the modes of entry points that are nodes.
func (c *checker) nodeModes() {
	if !c.capable(spirv.CapabilityShaderEnqueueAMDX) {
		return
	}
	const code = "SPV-NodePayload-Mode"
	for k := range c.m.EntryPoints {
		e := &c.m.EntryPoints[k]
		count := -1 // the first mode of the number of workgroups
		for n, m := range e.Modes {
			switch m.Kind {
			case spirv.ExecutionModeCoalescingAMDX, spirv.ExecutionModeStaticNumWorkgroupsAMDX, spirv.ExecutionModeMaxNumWorkgroupsAMDX:
				if count >= 0 && e.Modes[count].Kind != m.Kind {
					c.fail(m.Index, code, "%s and %s; must be at most one of them", e.Modes[count].Kind, m.Kind).also(c, e.Modes[count].Index, "the other")
				}
				count = n
			case spirv.ExecutionModeIsApiEntryAMDX:
				if len(m.Operands) == 0 {
					continue
				}
				if k := c.m.Const(spirv.ID(m.Operands[0])); k != nil && k.Type != nil && !k.Type.IsBool() {
					c.fail(m.Index, code, "IsApiEntryAMDX is %s; must be a Boolean", c.typeName(k.Type))
				}
			case spirv.ExecutionModeSharesInputWithAMDX:
				if len(m.Operands) == 0 {
					continue
				}
				if d := c.code.DefInst(spirv.ID(m.Operands[0])); d != nil && !isStringConstant(d) {
					c.fail(m.Index, code, "the name of the node is the result of %s; must be a string constant", d.Op())
				}
			}
		}
	}
}

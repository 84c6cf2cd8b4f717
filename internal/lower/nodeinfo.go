package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// maxNodePayloads bounds the payloads of a workgroup and of a type, far beyond maxExecutionGraphShaderPayloadCount.
const maxNodePayloads = 1 << 16

// NodeOf returns the description of a node. The module must be valid.
func NodeOf(m *facts.Module, e *facts.EntryPoint) (n *ir.Node, err error) {
	defer catch(&err)
	u := newUnit(m, e, Options{})
	return u.node(), nil
}

// node describes the entry point.
func (u *unit) node() *ir.Node {
	n := &ir.Node{Name: u.entry.Name, Outputs: u.nodeOutputs()}
	for i := range u.entry.Modes {
		m := &u.entry.Modes[i]
		switch word := func(k int) uint32 { return u.modeWord(m, k) }; m.Kind {
		case spirv.ExecutionModeCoalescingAMDX:
			n.Coalescing = true
		case spirv.ExecutionModeStaticNumWorkgroupsAMDX:
			n.Static = [3]uint32{word(0), word(1), word(2)}
		case spirv.ExecutionModeMaxNumWorkgroupsAMDX:
			n.MaxGroups = &[3]uint32{word(0), word(1), word(2)}
		case spirv.ExecutionModeMaxNodeRecursionAMDX:
			n.Recursion = word(0)
		case spirv.ExecutionModeShaderIndexAMDX:
			n.Index = word(0)
		case spirv.ExecutionModeIsApiEntryAMDX:
			n.Internal = word(0) == 0
		case spirv.ExecutionModeSharesInputWithAMDX:
			if len(m.Operands) > 1 {
				n.Shares = &ir.NodeName{Name: u.constantString(spirv.ID(m.Operands[0])), Index: word(1)}
			}
		}
	}
	for _, v := range u.facts.Globals(u.entry) {
		if v.Storage == spirv.StorageClassNodePayloadAMDX {
			u.nodeInput(n, v)
		}
	}
	for i := range n.Outputs {
		o := &n.Outputs[i]
		if o.Stride == 0 {
			continue
		}
		n.AreaBytes = max(n.AreaBytes, u.checkedBytes(roundUp(add(uint64(o.Data), mul(uint64(o.Max), uint64(o.Stride))), 8)))
	}
	return n
}

// modeWord returns an operand of an execution mode, a constant.
func (u *unit) modeWord(m *facts.Mode, k int) uint32 {
	if k >= len(m.Operands) {
		u.malformed("%s has %d operands; must have %d", m.Kind, len(m.Operands), k+1)
	}
	if !m.IDs {
		return m.Operands[k]
	}
	c := u.facts.Const(spirv.ID(m.Operands[k]))
	if c == nil || !c.Known {
		u.malformed("an operand of %s is not a constant; must be one", m.Kind)
	}
	return uint32(c.Bits)
}

// constantString returns the text of a string constant.
func (u *unit) constantString(id spirv.ID) string {
	in := u.facts.Inst(id)
	if in == nil || in.Op() != spirv.OpConstantStringAMDX && in.Op() != spirv.OpSpecConstantStringAMDX {
		u.malformed("%%%d is not a string constant; must be one", id)
	}
	return spirv.String(in[2:])
}

// nodeInput describes the input payload.
func (u *unit) nodeInput(n *ir.Node, v *facts.Variable) {
	t := v.Type
	if isPayloadArray(t) {
		if d, ok := u.facts.Decoration(t.ID, spirv.DecorationNodeMaxPayloadsAMDX); ok && n.Coalescing {
			n.MaxPayloads = u.payloadNumber(d, maxNodePayloads)
		}
		t = u.payloadOf(t)
	}
	n.Input, n.Bytes = true, u.payloadBytes(t)
	for i := range t.Members {
		if m := &t.Members[i]; u.facts.HasMember(t.ID, i, spirv.DecorationPayloadDispatchIndirectAMDX) && m.Type != nil {
			s := m.Type.Scalar()
			if s == nil || !s.IsInt() || s.Width > 32 || m.Type.Leaves > 3 {
				u.malformed("the number of workgroups in a payload is not of one to three words; must be")
			}
			n.GroupsAt, n.Groups, n.GroupBytes = uint32(u.memberOffset(t, i)), uint32(m.Type.Leaves), s.Width/8
		}
	}
}

// isPayloadArray reports whether a type is an array of payloads.
func isPayloadArray(t *facts.Type) bool { return t != nil && t.Op == spirv.OpTypeNodePayloadArrayAMDX }

// payloadOf returns the type of the payloads of an array.
func (u *unit) payloadOf(array *facts.Type) *facts.Type {
	t := u.facts.Type(inst.TypeNodePayloadArrayAMDX(u.facts.Inst(array.ID)).PayloadType())
	if !t.IsStruct() {
		u.malformed("the payload is not a struct; must be one")
	}
	return t
}

// payloadBytes returns the size of a payload.
func (u *unit) payloadBytes(t *facts.Type) uint32 {
	return u.checkedBytes(roundUp(t.Size(0, false), 4))
}

// payloadNumber returns the number that a decoration has as an id.
func (u *unit) payloadNumber(d facts.Decoration, most uint32) uint32 {
	c := u.facts.Const(spirv.ID(d.Literal()))
	if c == nil || !c.Known || c.Bits > uint64(most) {
		u.unsupported("a number of payloads that is no constant up to %d", most)
	}
	return uint32(c.Bits)
}

// nodeOutputs returns the types of payloads that the module sends. Those that the entry point allocates have places.
func (u *unit) nodeOutputs() (list []ir.NodeOutput) {
	allocated := u.allocatedPayloads()
	end := uint64(0)
	for i := range u.facts.Types {
		t := &u.facts.Types[i]
		name, ok := u.facts.Decoration(t.ID, spirv.DecorationPayloadNodeNameAMDX)
		if !isPayloadArray(t) || !ok {
			continue
		}
		o := ir.NodeOutput{Type: uint32(t.ID), Name: u.constantString(spirv.ID(name.Literal())), Bytes: u.payloadBytes(u.payloadOf(t)), Sparse: u.facts.Has(t.ID, spirv.DecorationPayloadNodeSparseArrayAMDX)}
		if d, ok := u.facts.Decoration(t.ID, spirv.DecorationNodeMaxPayloadsAMDX); ok {
			o.Max = u.payloadNumber(d, maxNodePayloads)
		}
		if d, ok := u.facts.Decoration(t.ID, spirv.DecorationPayloadNodeBaseIndexAMDX); ok {
			o.Base = u.payloadNumber(d, 1<<32-1)
		}
		if d, ok := u.facts.Decoration(t.ID, spirv.DecorationPayloadNodeArraySizeAMDX); ok {
			o.Size = u.payloadNumber(d, 1<<32-1)
		}
		if !allocated[t.ID] {
			list = append(list, o)
			continue
		}
		o.Stride, o.Count = ir.PayloadStride(o.Bytes), u.checkedBytes(end)
		o.Rows = u.checkedBytes(end + 4)
		o.Data = u.checkedBytes(roundUp(end+4+ir.NodeRowBytes*uint64(o.Max+1), 8))
		end = roundUp(add(uint64(o.Data), mul(uint64(o.Max), uint64(o.Stride))), 8)
		list = append(list, o)
	}
	return list
}

// allocatedPayloads returns the arrays of payloads that the call tree of the entry point allocates.
func (u *unit) allocatedPayloads() map[spirv.ID]bool {
	found := map[spirv.ID]bool{}
	u.visit(spirv.OpAllocateNodePayloadsAMDX, func(in spirv.Inst) {
		if t := u.facts.Type(inst.AllocateNodePayloadsAMDX(in).Type()); t != nil && t.IsPointer() && t.Elem != nil {
			found[t.Elem.ID] = true
		}
	})
	return found
}

// visit calls a function for the instructions of one opcode in the call tree of the entry point.
func (u *unit) visit(op spirv.Op, each func(in spirv.Inst)) {
	for _, f := range u.facts.CallTree(u.entry) {
		for i := f.Index; i < f.End; i++ {
			if in := u.facts.Code.Inst(i); in.Op() == op {
				each(in)
			}
		}
	}
}

package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var nodeRules = rules{
	spirv.OpAllocateNodePayloadsAMDX:     allocatePayloads,
	spirv.OpEnqueueNodePayloadsAMDX:      enqueuePayloads,
	spirv.OpNodePayloadArrayLengthAMDX:   payloadLength,
	spirv.OpIsNodePayloadValidAMDX:       payloadValid,
	spirv.OpFinishWritingNodePayloadAMDX: finishPayload,
}

// Payloads are in one resource of the program. A workgroup finds its input payloads at NodeInput, and the area of those that it
// sends at NodeArea (see ir.NodeOutput). So an access out of range reaches other payloads, or nothing.

// nodePayload declares the input payload.
func (u *unit) nodePayload(p *pointer, v *facts.Variable) {
	t := v.Type
	if isPayloadArray(t) {
		t = u.payloadOf(t)
	}
	u.checkDepth(t)
	u.bindNodes()
}

// bindNodes returns the number of the resource that has the payloads.
func (u *unit) bindNodes() uint64 {
	return u.bindResource(ir.Resource{Set: ir.PayloadSet, Kind: ir.StorageBuffer, Count: 1})
}

// nodeMemory returns the handle of the memory of the payloads.
func (f *function) nodeMemory() ir.V {
	return f.b.OpAux(ir.Res, ir.H, f.bindNodes(), f.b.I32(0))
}

// placeNodeWord allocates the word that tells all invocations of a workgroup the result of the first one.
func (u *unit) placeNodeWord() {
	if u.prog.Stage != ir.Compute && !u.isMeshNode() || !u.facts.Capable(spirv.CapabilityShaderEnqueueAMDX) {
		return
	}
	u.sends = u.nodeOutputs()
	uses := false
	for _, op := range [...]spirv.Op{spirv.OpAllocateNodePayloadsAMDX, spirv.OpFinishWritingNodePayloadAMDX} {
		u.visit(op, func(spirv.Inst) { uses = true })
	}
	if !uses {
		return
	}
	u.nodeWord = roundUp(uint64(u.prog.SharedBytes), 4)
	u.prog.SharedBytes = u.checkedBytes(u.nodeWord + 4)
}

// isMeshNode reports whether the entry point is a mesh shader of an execution graph.
func (u *unit) isMeshNode() bool {
	return u.prog.Stage == ir.Mesh && u.facts.Capable(spirv.CapabilityShaderEnqueueAMDX)
}

// stepPayload selects a payload of an array.
func (f *function) stepPayload(p *pointer, i operand) {
	t := f.payloadOf(p.typ)
	p.offset = f.addIndex(p.offset, i, uint64(ir.PayloadStride(f.payloadBytes(t))))
	p.typ = t
	p.clearLayout()
}

// payloadTarget returns the places of a type of payloads, and the number of the type.
func (f *function) payloadTarget(array *facts.Type) (*ir.NodeOutput, int) {
	for k := range f.sends {
		if o := &f.sends[k]; array != nil && o.Type == uint32(array.ID) {
			return o, k
		}
	}
	f.unsupported("an array of payloads without a node to which they go")
	return nil, 0
}

// nodeStore stores a word of the payload memory.
func (f *function) nodeStore(h, at, v ir.V, imm uint32) {
	f.b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{h, at, v}, Aux: uint64(imm)})
}

// byFirst computes a word by the first invocation of the workgroup and returns it to all.
func (f *function) byFirst(compute func() ir.V) ir.V {
	f.emit(ir.Val{Op: ir.Barrier}) // all have read the word of the last call
	f.onFirst()
	f.b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{f.b.Op(ir.Wg, ir.H), f.b.I32(0), compute()}, Aux: f.nodeWord})
	f.b.End()
	f.emit(ir.Val{Op: ir.Barrier})
	return f.b.OpAux(ir.Ld, ir.I32, f.nodeWord, f.b.Op(ir.Wg, ir.H), f.b.I32(0))
}

// allocatePayloads lowers OpAllocateNodePayloadsAMDX. An allocation of more payloads than the type may have is an empty array.
func allocatePayloads(f *function, in spirv.Inst) {
	v := inst.AllocateNodePayloadsAMDX(in)
	t := f.facts.Type(v.Type())
	if t == nil || !t.IsPointer() || !isPayloadArray(t.Elem) {
		f.malformed("the result is not a pointer to an array of payloads; must be one")
	}
	o, _ := f.payloadTarget(t.Elem)
	b, h, area := f.b, f.nodeMemory(), f.input32(ir.NodeArea)
	count, index := f.typed(v.PayloadCount(), ir.I32), f.typed(v.NodeIndex(), ir.I32)
	index = b.Op(ir.Add, ir.I32, index, b.I32(o.Base))
	slot := func() ir.V {
		n := b.Select(b.Cmp(ir.ULe, count, b.I32(o.Max)), count, b.I32(0))
		first := f.emit(ir.Val{Op: ir.AtomAdd, Type: ir.I32, Flags: ir.Grouped, Args: [4]ir.V{h, area, n}, Aux: uint64(o.Count)})
		fits := b.Op(ir.And, ir.B1, b.Cmp(ir.ULe, first, b.I32(o.Max)), b.Cmp(ir.ULe, b.Op(ir.Add, ir.I32, first, n), b.I32(o.Max)))
		fits = b.Op(ir.And, ir.B1, fits, b.Cmp(ir.ULt, b.I32(0), n))
		b.If(fits)
		row := b.OpAux(ir.At, ir.I32, ir.NodeRowBytes, area, first)
		f.nodeStore(h, row, n, o.Rows)
		f.nodeStore(h, row, index, o.Rows+4)
		b.Else()
		f.emit(ir.Val{Op: ir.AtomUMin, Type: ir.I32, Args: [4]ir.V{h, area, b.I32(o.Max + 1)}, Aux: uint64(o.Count)}) // the count never wraps
		b.End()
		return b.Select(fits, first, b.I32(o.Max))
	}
	var n ir.V
	if f.scope(v.Visibility()) == spirv.ScopeWorkgroup {
		n = f.byFirst(slot)
	} else {
		n = slot()
	}
	f.checkPayloads(count, n, o)
	at := offset{dyn: b.OpAux(ir.At, ir.I32, uint64(o.Stride), area, n)}
	f.definePointer(in, &pointer{typ: t.Elem, class: spirv.StorageClassNodePayloadAMDX, handle: h, offset: at.plus(uint64(o.Data))})
}

// payloadRow returns the offset of the row of an allocated array.
func (f *function) payloadRow(p *pointer, o *ir.NodeOutput) ir.V {
	area := f.input32(ir.NodeArea)
	n := f.b.Op(ir.Sub, ir.I32, f.b.Op(ir.Sub, ir.I32, f.offsetValue(p.offset), area), f.b.I32(o.Data))
	n = f.b.Op(ir.UDiv, ir.I32, n, f.b.I32(o.Stride))
	n = f.b.Select(f.b.Cmp(ir.ULt, n, f.b.I32(o.Max)), n, f.b.I32(o.Max))
	return f.b.OpAux(ir.At, ir.I32, ir.NodeRowBytes, area, n)
}

// allocatedArray returns a pointer to an array of payloads, and its places.
func (f *function) allocatedArray(id spirv.ID) (*pointer, *ir.NodeOutput) {
	p := f.pointer(id)
	if p.class != spirv.StorageClassNodePayloadAMDX || !isPayloadArray(p.typ) {
		f.malformed("%%%d does not point to an array of payloads; must do so", id)
	}
	o, _ := f.payloadTarget(p.typ)
	return p, o
}

// enqueuePayloads lowers OpEnqueueNodePayloadsAMDX: the graph reads the areas when the workgroups have run.
func enqueuePayloads(f *function, in spirv.Inst) {
	p, o := f.allocatedArray(inst.EnqueueNodePayloadsAMDX(in).PayloadArray())
	f.nodeStore(f.nodeMemory(), f.payloadRow(p, o), f.b.I32(1), o.Rows+8)
}

// payloadLength lowers OpNodePayloadArrayLengthAMDX.
func payloadLength(f *function, in spirv.Inst) {
	id := inst.NodePayloadArrayLengthAMDX(in).PayloadArray()
	if f.facts.Variable(id) != nil {
		f.define(in, f.input32(ir.NodeCount))
		return
	}
	p, o := f.allocatedArray(id)
	f.define(in, f.b.OpAux(ir.Ld, ir.I32, uint64(o.Rows), f.nodeMemory(), f.payloadRow(p, o)))
}

// payloadValid lowers OpIsNodePayloadValidAMDX: the index is in the list of nodes with the name, and below the size of the array.
func payloadValid(f *function, in spirv.Inst) {
	v := inst.IsNodePayloadValidAMDX(in)
	o, k := f.payloadTarget(f.facts.Type(v.PayloadType()))
	b, h, targets := f.b, f.nodeMemory(), f.input32(ir.NodeTargets)
	index := b.Op(ir.Add, ir.I32, f.typed(v.NodeIndex(), ir.I32), b.I32(o.Base))
	count := b.OpAux(ir.Ld, ir.I32, uint64(8*k), h, targets)
	list := b.OpAux(ir.Ld, ir.I32, uint64(8*k+4), h, targets)
	done := b.Block(ir.B1)
	loop := b.Loop(b.I32(0))
	i := b.Func.Params(loop)[0]
	b.If(b.Cmp(ir.ULe, count, i))
	b.Br(done, b.Const(ir.B1, 0))
	b.End()
	b.If(b.Cmp(ir.Eq, b.OpAux(ir.Ld, ir.I32, 0, h, b.OpAux(ir.At, ir.I32, 4, list, i)), index))
	b.Br(done, b.Const(ir.B1, 1))
	b.End()
	b.Br(loop, b.Op(ir.Add, ir.I32, i, b.I32(1)))
	b.End()
	b.End()
	found := b.Func.Params(done)[0]
	if o.Size != 0 {
		found = b.Op(ir.And, ir.B1, found, b.Cmp(ir.ULt, index, b.I32(o.Size)))
	}
	f.define(in, found)
}

// finishPayload lowers OpFinishWritingNodePayloadAMDX: true in the last workgroup of the payload.
func finishPayload(f *function, in spirv.Inst) {
	p := f.pointer(inst.FinishWritingNodePayloadAMDX(in).Payload())
	t := p.typ
	if isPayloadArray(t) {
		t = f.payloadOf(t)
	}
	if p.class != spirv.StorageClassNodePayloadAMDX || !t.IsStruct() {
		f.malformed("the operand is not an input payload; must be one")
	}
	done := f.byFirst(func() ir.V {
		return f.emit(ir.Val{Op: ir.AtomAdd, Type: ir.I32, Args: [4]ir.V{f.nodeMemory(), f.input32(ir.NodeInput), f.b.I32(1)}, Aux: uint64(ir.FinishedAt(f.payloadBytes(t)))})
	})
	f.define(in, f.b.Cmp(ir.Eq, f.b.Op(ir.Add, ir.I32, done, f.b.I32(1)), f.input32(ir.NodeShare)))
}

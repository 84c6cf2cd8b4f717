package lower

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var meshRules = rules{
	spirv.OpSetMeshOutputsEXT:                setMeshOutputs,
	spirv.OpWritePackedPrimitiveIndices4x8NV: writePackedIndices,
}

// hasWorkgroups reports whether the invocations of a stage form workgroups.
func hasWorkgroups(s ir.Stage) bool { return s == ir.Compute || s == ir.Task || s == ir.Mesh }

// ofPrimitive are the built-in outputs of a mesh shader that exist once for each primitive.
var ofPrimitive = map[spirv.BuiltIn]bool{
	spirv.BuiltInPrimitivePointIndicesEXT:    true,
	spirv.BuiltInPrimitiveLineIndicesEXT:     true,
	spirv.BuiltInPrimitiveTriangleIndicesEXT: true,
	spirv.BuiltInCullPrimitiveEXT:            true,
	spirv.BuiltInPrimitiveId:                 true,
	spirv.BuiltInLayer:                       true,
	spirv.BuiltInViewportIndex:               true,
	spirv.BuiltInPrimitiveShadingRateKHR:     true,
	spirv.BuiltInPrimitiveIndicesNV:          true,
	spirv.BuiltInViewportMaskNV:              true,
}

// The payload of a task is in workgroup memory until the task ends. Then its workgroup copies it to
// the memory that the mesh workgroups of the task read, a resource in ir.PayloadSet. So an access out
// of range never reaches the payload of another task. Types determine its layout; both stages have the
// same types (SPV-TaskPayload-Type).

// payloadVariable declares the payload; placePayload allocates it in a task.
func (u *unit) payloadVariable(p *pointer, v *facts.Variable) {
	u.checkDepth(v.Type)
	p.natural = true
	u.prog.PayloadBytes = max(u.prog.PayloadBytes, u.checkedBytes(roundUp(u.extent(v.Type).size, 4)))
	if u.prog.Stage == ir.Mesh {
		u.bindPayload()
	}
}

// bindPayload returns the number of the resource that is the payload of a mesh shader.
func (u *unit) bindPayload() uint64 {
	return u.bindResource(ir.Resource{Set: ir.PayloadSet, Kind: ir.StorageBuffer, Count: 1, NonWritable: true})
}

// placePayload allocates the payload of a task after the other variables in workgroup memory, which
// can all begin at 0.
func (u *unit) placePayload(globals []*facts.Variable) {
	if u.prog.PayloadBytes == 0 || u.prog.Stage == ir.Mesh {
		return
	}
	u.payload = roundUp(uint64(u.prog.SharedBytes), 16)
	u.prog.SharedBytes = u.checkedBytes(add(u.payload, uint64(u.prog.PayloadBytes)))
	for _, v := range globals {
		if p := u.globals[v.ID]; v.Storage == spirv.StorageClassTaskPayloadWorkgroupEXT || p.ofTask {
			p.offset.imm = add(p.offset.imm, u.payload)
		}
	}
}

// payloadHandle returns the handle of the memory of the payload.
func (f *function) payloadHandle() ir.V {
	if f.prog.Stage == ir.Mesh {
		return f.b.OpAux(ir.Res, ir.H, f.bindPayload(), f.b.I32(0))
	}
	return f.b.Op(ir.Wg, ir.H)
}

// writeShared writes an output of a workgroup.
func (f *function) writeShared(s ir.Semantic, index uint32, i, v ir.V) {
	f.b.OpAux(ir.OutAt, ir.I32, f.outputNumber(&ioScalar{semantic: s, index: index, typ: ir.I32}), i, v)
}

// onFirst opens an if that only the first invocation of the workgroup enters.
func (f *function) onFirst() {
	f.b.If(f.b.Cmp(ir.Eq, f.builtIn(spirv.BuiltInLocalInvocationIndex, 0), f.b.I32(0)))
}

// setMeshOutputs lowers OpSetMeshOutputsEXT: the operands of the first invocation count.
func setMeshOutputs(f *function, in spirv.Inst) {
	if f.prog.Stage != ir.Mesh {
		f.malformed("outputs of a mesh in a stage other than mesh")
	}
	v := inst.SetMeshOutputsEXT(in)
	vertices, primitives := f.typed(v.VertexCount(), ir.I32), f.typed(v.PrimitiveCount(), ir.I32)
	f.report(meshVertices, f.b.Cmp(ir.ULt, f.b.I32(f.prog.OutputVertices), vertices), fmt.Sprintf("%%u vertices, more than OutputVertices %d", f.prog.OutputVertices), vertices)
	f.report(meshPrimitives, f.b.Cmp(ir.ULt, f.b.I32(f.prog.OutputPrimitives), primitives), fmt.Sprintf("%%u primitives, more than OutputPrimitivesEXT %d", f.prog.OutputPrimitives), primitives)
	if f.sanitizes(ir.SanitizeBounds) {
		n := f.meshCounts()
		f.b.OpAux(ir.PSt, ir.I32, n, f.b.I32(0), vertices)
		f.b.OpAux(ir.PSt, ir.I32, n, f.b.I32(1), primitives)
	}
	f.onFirst()
	f.writeShared(ir.VertexCount, 0, f.b.I32(0), vertices)
	f.writeShared(ir.PrimitiveCount, 0, f.b.I32(0), primitives)
	f.b.End()
}

// emitMeshTasks lowers OpEmitMeshTasksEXT, which ends the invocation: the operands of the first
// invocation count. All invocations copy the payload after all of them have written it. Compilers omit
// the operand Payload in functions that do not name the payload, so that its presence means nothing.
func (f *function) emitMeshTasks(in spirv.Inst) {
	if f.prog.Stage != ir.Task {
		f.malformed("mesh tasks in a stage other than task")
	}
	v := inst.EmitMeshTasksEXT(in)
	counts := [3]ir.V{f.typed(v.GroupCountX(), ir.I32), f.typed(v.GroupCountY(), ir.I32), f.typed(v.GroupCountZ(), ir.I32)}
	if f.prog.PayloadBytes > 0 {
		f.copyPayload()
	}
	f.onFirst()
	for i, n := range counts {
		f.writeShared(ir.TaskCount, uint32(i), f.b.I32(0), n)
	}
	f.b.End()
	if f.number == 0 {
		f.lowerReturn(nil)
		return
	}
	f.b.Emit(ir.Val{Op: ir.Kill})
}

// copyPayload writes the words of the payload as outputs, in turns of one word for each invocation.
func (f *function) copyPayload() {
	b, size := f.b, f.prog.LocalSize
	f.emit(ir.Val{Op: ir.Barrier})
	done := b.Block()
	loop := b.Loop(f.builtIn(spirv.BuiltInLocalInvocationIndex, 0))
	i := b.Func.Params(loop)[0]
	b.If(b.Cmp(ir.ULe, b.I32(f.prog.PayloadBytes/4), i))
	b.Br(done)
	b.End()
	word := b.OpAux(ir.Ld, ir.I32, f.payload, b.Op(ir.Wg, ir.H), b.OpAux(ir.At, ir.I32, 4, b.I32(0), i))
	f.writeShared(ir.TaskPayload, 0, i, word)
	b.Br(loop, b.Op(ir.Add, ir.I32, i, b.I32(size[0]*size[1]*size[2])))
	b.End()
	b.End()
}

// initialiseMeshOutput initializes an output of mesh by the first invocation. Subgroups run one after
// the other until their first barrier, so that no store of another invocation precedes it.
func (f *function) initialiseMeshOutput(p *pointer, v *facts.Variable) {
	c := f.facts.Const(v.Init)
	if c == nil || c.Type != v.Type {
		f.unsupported("an initializer that is not a constant")
	}
	if c.Undef || c.Null && !f.sanitizes(ir.SanitizeUninit) { // outputs are 0 at the start
		return
	}
	f.onFirst()
	f.store(p, f.constant(c))
	f.b.End()
}

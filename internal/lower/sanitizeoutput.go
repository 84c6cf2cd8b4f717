package lower

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Control barriers divide an execution of a tessellation control shader into phases. Its invocations read undefined values if one
// reads an output that another one writes in the same phase, or if two write different values to an output of the patch in one
// (Vulkan, "Tessellation Control Shader Execution"). To the detector of data races a patch is a workgroup, the outputs are memory
// of it, and each control barrier orders them (SPIR-V, "OpControlBarrier").

var phases = finding{ir.SanitizeRace, "outputs of a patch in one phase"}

// traceOutput logs an access of a scalar of an output of a patch. The value of a load is 0.
func (f *function) traceOutput(p *pointer, t ir.Type, e ir.Event, v ir.V) {
	if f.prog.Stage != ir.TessControl || p.memory != inOutput || f.unmarked || !f.sanitizes(ir.SanitizeRace) {
		return
	}
	one := func(l *ioScalar) {
		e.Kind, e.Domain, e.Size, e.Memory = ir.AccessEvent, ir.EventOutputs, l.typ.Size(), "the output "+p.io.name
		first := f.b.I32(uint32(f.outputNumber(l)) * ir.OutputPlaces * ir.OutputBytes)
		if l.patch || !p.io.arrayed {
			e.Memory = "the patch output " + p.io.name
			f.trace(phases, e, first, v)
			return
		}
		vertex := f.operandValue(p.vertex)
		f.guard(f.b.Cmp(ir.ULt, vertex, f.b.I32(min(f.prog.OutputVertices, ir.OutputPlaces))))
		f.trace(phases, e, f.b.Op(ir.Add, ir.I32, first, f.b.Op(ir.Mul, ir.I32, vertex, f.b.I32(ir.OutputBytes))), v)
		f.b.End()
	}
	list := p.io.scalars
	if p.offset.dyn == 0 {
		if p.offset.imm < uint64(len(list)) && list[p.offset.imm].readableAs(t) {
			one(&list[p.offset.imm])
		}
		return
	}
	at := f.offsetValue(p.offset)
	for i := p.offset.imm; i < uint64(len(list)); i++ {
		if l := &list[i]; l.readableAs(t) {
			f.guard(f.b.Cmp(ir.Eq, at, f.b.I32(uint32(i))))
			one(l)
			f.b.End()
		}
	}
}

// inGroups reports whether the detector of data races follows the control barriers of the stage.
func inGroups(s ir.Stage) bool { return hasWorkgroups(s) || s == ir.TessControl }

// primitiveRules are the rules on the index of a primitive, and on the indices of its vertices, by the kind of primitives of a mesh.
var primitiveRules = []struct {
	mode            ir.Modes
	index, vertices finding
}{
	{ir.OutputPoints, finding{ir.SanitizeBounds, "VUID-PrimitivePointIndicesEXT-PrimitivePointIndicesEXT-07045"}, finding{ir.SanitizeBounds, "VUID-PrimitivePointIndicesEXT-PrimitivePointIndicesEXT-12335"}},
	{ir.OutputLines, finding{ir.SanitizeBounds, "VUID-PrimitiveLineIndicesEXT-PrimitiveLineIndicesEXT-07051"}, finding{ir.SanitizeBounds, "VUID-PrimitiveLineIndicesEXT-PrimitiveLineIndicesEXT-12336"}},
	{0, finding{ir.SanitizeBounds, "VUID-PrimitiveTriangleIndicesEXT-PrimitiveTriangleIndicesEXT-07057"}, finding{ir.SanitizeBounds, "VUID-PrimitiveTriangleIndicesEXT-PrimitiveTriangleIndicesEXT-12337"}},
}

// meshCounts returns the variable with the numbers of vertices and primitives that an invocation has set; 0 before.
func (u *unit) meshCounts() uint64 {
	if u.counts == 0 {
		u.counts = uint64(len(u.prog.Vars)) + 1
		u.prog.Vars = append(u.prog.Vars, ir.Var{Name: "mesh counts", Slots: 2, Func: -1})
	}
	return u.counts - 1
}

// checkPrimitive: indices of a primitive that the mesh does not have, or of vertices that it does not have.
func (f *function) checkPrimitive(p *pointer, l *ioScalar, v ir.V) {
	if l.semantic != ir.PrimitiveIndices || f.prog.Stage != ir.Mesh || !f.sanitizes(ir.SanitizeBounds) {
		return
	}
	n := f.meshCounts()
	vertices, primitives := f.b.OpAux(ir.PLd, ir.I32, n, f.b.I32(0)), f.b.OpAux(ir.PLd, ir.I32, n, f.b.I32(1))
	for _, r := range primitiveRules {
		if r.mode != 0 && !f.prog.Modes.Has(r.mode) {
			continue
		}
		at := f.operandValue(p.vertex)
		f.report(r.index, f.not(f.b.Cmp(ir.ULt, at, primitives)), "primitive %u, beyond the %u primitives of the mesh", at, primitives)
		f.report(r.vertices, f.not(f.b.Cmp(ir.ULt, v, vertices)), "vertex %u of a primitive, beyond the %u vertices of the mesh", v, vertices)
		return
	}
}

package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// The task and mesh shaders of SPV_NV_mesh_shader. They differ from those of SPV_EXT_mesh_shader in four ways:
//
//	number of mesh workgroups     the output TaskCountNV of the task, in x
//	payload                       outputs of the task and inputs of the mesh with PerTaskNV: task memory
//	number of primitives          the output PrimitiveCountNV; all vertices exist
//	indices                       the output PrimitiveIndicesNV, one after the other
//
// The program runs once for each view. So it processes one view, whose number is ViewIndex, and of the outputs with PerViewNV it
// writes the element of that view to the place of the output that is common to all views.

// locationBytes is the distance of locations in task memory.
const locationBytes = 16

// perViewForms are the built-ins whose elements of a view are components of another one.
var perViewForms = map[spirv.BuiltIn]spirv.BuiltIn{
	spirv.BuiltInPositionPerViewNV:     spirv.BuiltInPosition,
	spirv.BuiltInClipDistancePerViewNV: spirv.BuiltInClipDistance,
	spirv.BuiltInCullDistancePerViewNV: spirv.BuiltInCullDistance,
	spirv.BuiltInLayerPerViewNV:        spirv.BuiltInLayer,
	spirv.BuiltInViewportMaskPerViewNV: spirv.BuiltInViewportMaskNV,
}

// ofMeshNV reports whether the entry point is of NVIDIA's execution models.
func (u *unit) ofMeshNV() bool {
	return u.entry.Model == spirv.ExecutionModelTaskNV || u.entry.Model == spirv.ExecutionModelMeshNV
}

// perTask reports whether a variable is in task memory: it or a member of its block has PerTaskNV.
func (u *unit) perTask(v *facts.Variable) bool {
	if !u.ofMeshNV() || (v.Storage == spirv.StorageClassOutput) != (u.prog.Stage == ir.Task) {
		return false
	}
	return u.facts.Has(v.ID, spirv.DecorationPerTaskNV) || u.hasMemberDecoration(v.Type, spirv.DecorationPerTaskNV)
}

// hasMemberDecoration reports whether a member of a struct, or of the structs of an array, has a decoration.
func (u *unit) hasMemberDecoration(t *facts.Type, d spirv.Decoration) bool {
	for t.IsArray() && t.Elem != nil {
		t = t.Elem
	}
	if !t.IsStruct() {
		return false
	}
	for i := range t.Members {
		if u.facts.HasMember(t.ID, i, d) {
			return true
		}
	}
	return false
}

// taskMemory declares a variable in task memory. A block with offsets has its bytes there; another variable begins at its
// location, which has the size of a vector of four words. Both stages compute the same places.
func (u *unit) taskMemory(p *pointer, v *facts.Variable) {
	u.checkDepth(v.Type)
	p.ofTask = true
	size := v.Type.Size(0, false)
	if !u.hasMemberDecoration(v.Type, spirv.DecorationOffset) {
		p.natural = true
		size = u.extent(v.Type).size
		if d, ok := u.facts.Decoration(v.ID, spirv.DecorationLocation); ok {
			p.offset.imm = locationBytes * uint64(min(d.Literal(), maxLocation))
			if c, ok := u.facts.Decoration(v.ID, spirv.DecorationComponent); ok {
				p.offset.imm += 4 * uint64(min(c.Literal(), 3)) // a component has 32 bits
			}
		}
	}
	if v.Init != 0 {
		u.unsupported("an initializer of task memory")
	}
	u.prog.PayloadBytes = max(u.prog.PayloadBytes, u.checkedBytes(roundUp(add(p.offset.imm, size), 4)))
	if u.prog.Stage == ir.Mesh {
		u.bindPayload()
	}
}

// copiesTaskMemory reports whether the end of the entry point copies task memory to the payload.
func (u *unit) copiesTaskMemory() bool {
	return u.entry.Model == spirv.ExecutionModelTaskNV && u.prog.PayloadBytes > 0
}

// beginMeshNV writes the counts that shaders of SPV_NV_mesh_shader cannot write: a task emits a row of workgroups, and all
// vertices of a mesh exist.
func (f *function) beginMeshNV() {
	f.prog.Modes |= ir.MeshNV
	f.onFirst()
	if f.prog.Stage == ir.Task {
		f.writeShared(ir.TaskCount, 1, f.b.I32(0), f.b.I32(1))
		f.writeShared(ir.TaskCount, 2, f.b.I32(0), f.b.I32(1))
	} else {
		f.writeShared(ir.VertexCount, 0, f.b.I32(0), f.b.I32(f.prog.OutputVertices))
	}
	f.b.End()
}

// writePackedIndices lowers OpWritePackedPrimitiveIndices4x8NV: byte i of the word is the index at the offset plus i.
func writePackedIndices(f *function, in spirv.Inst) {
	if f.prog.Stage != ir.Mesh {
		f.malformed("indices of a mesh in a stage other than mesh")
	}
	v, b := inst.WritePackedPrimitiveIndices4x8NV(in), f.b
	at, word := f.typed(v.IndexOffset(), ir.I32), f.typed(v.PackedIndices(), ir.I32)
	to := f.outputNumber(&ioScalar{semantic: ir.FlatIndices, typ: ir.I32, perPrimitive: true})
	for i := range uint32(4) {
		index := b.Op(ir.And, ir.I32, b.Op(ir.LShr, ir.I32, word, b.I32(8*i)), b.I32(0xff))
		b.OpAux(ir.OutAt, ir.I32, to, f.indexPlus(at, i), index)
	}
}

// indexPlus returns a sum that does not wrap, so that a place out of range remains out of range.
func (f *function) indexPlus(at ir.V, n uint32) ir.V {
	return f.b.OpAux(ir.At, ir.I32, 1, f.b.I32(n), at)
}

// isMeshCount reports whether a built-in output of mesh is one number and no array over vertices or primitives.
func (u *unit) isMeshCount(v *facts.Variable) bool {
	k, ok := u.facts.BuiltIn(v.ID)
	return ok && k == spirv.BuiltInPrimitiveCountNV
}

// viewsOf returns the number of views and the type for one view of an output with PerViewNV, which is an array over views.
func (u *unit) viewsOf(t *facts.Type) (views uint64, elem *facts.Type) {
	if !t.IsArray() || t.IsRuntimeArray() || t.Elem == nil || t.Count == 0 {
		u.unsupported("an output for each view that is not an array of known length")
	}
	return t.Count, t.Elem
}

// assignViews scalarizes an output with PerViewNV: the elements of all views have the same locations.
func (u *unit) assignViews(x *ioVariable, t *facts.Type, at *location, like ioScalar) {
	like.perView = false
	views, elem := u.viewsOf(t)
	next := *at
	for n := range views {
		like.view = uint32(n) + 1
		next = *at
		u.assignLocations(x, elem, &next, like)
	}
	*at = next
}

// assignViewsOfBuiltIn scalarizes the form of a built-in that has an element for each view.
func (u *unit) assignViewsOfBuiltIn(x *ioVariable, t *facts.Type, k spirv.BuiltIn, like ioScalar) {
	like.perView = false
	views, elem := u.viewsOf(t)
	for n := range views {
		like.view = uint32(n) + 1
		u.assignBuiltIn(x, elem, k, like)
	}
}

// ofView returns the condition that the program processes the view of a scalar.
func (f *function) ofView(l *ioScalar) ir.V {
	return f.b.Cmp(ir.Eq, f.input32(ir.ViewIndex), f.b.I32(l.view-1))
}

// meshViews are the inputs of the views that a workgroup processes: one, which is ViewIndex.
var meshViews = []spirv.BuiltIn{spirv.BuiltInMeshViewCountNV, spirv.BuiltInMeshViewIndicesNV}

// ofMeshViews reports whether a scalar is one of them.
func (l *ioScalar) ofMeshViews() bool {
	return l.semantic == ir.ViewIndex && slices.Contains(meshViews, l.known)
}

// readMeshViews reads one of them. Elements of MeshViewIndicesNV after the first have the same value (docs/undefined.md).
func (f *function) readMeshViews(l *ioScalar) ir.V {
	if l.known == spirv.BuiltInMeshViewCountNV {
		return f.b.I32(1)
	}
	return f.input32(ir.ViewIndex)
}

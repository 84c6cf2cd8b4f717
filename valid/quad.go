package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// uniform checks operands of an instruction that are the same for a group of
// invocations. It reports whether one of them is not.
func (w *flow) uniform(i int, code, group string, operands ...namedOperand) (found bool) {
	b := w.checker.blockNumber(w.checker.blockOf[i])
	for _, o := range operands {
		p := w.usedIn(o.id, b)
		differs := p&apart != 0 && w.always(b)
		if !differs && p&varies == 0 {
			continue
		}
		f := w.checker.fail(i, code, "%s of %s, %s, %s between the invocations of %s; must be dynamically uniform", o.what, w.checker.code.OpAt(i), w.checker.name(o.id), differing(differs), group)
		if !differs {
			f.warn()
		}
		found = true
	}
	return found
}

// quadAgreement reports whether the result of a group operation is the same for all
// invocations of a quad. The numbers of a quad's invocations begin at a multiple of 4.
func (w *flow) quadAgreement(in spirv.Inst) bool {
	switch op := in.Op(); op {
	case spirv.OpGroupNonUniformQuadBroadcast, spirv.OpGroupNonUniformQuadAllKHR, spirv.OpGroupNonUniformQuadAnyKHR:
		return true
	default:
		if !slices.Contains(combineOps, op) {
			return false
		}
	}
	v := inst.GroupNonUniformIAdd(in)
	id, ok := v.ClusterSize()
	n, known := w.checker.m.Const(id).Int()
	return ok && known && n >= 4 && v.Operation() == spirv.GroupOperationClusteredReduce
}

// interpolated reports whether a fragment shader loads an interpolated value through a
// pointer to an input. An input that is Flat, or PerVertexKHR, is the same for all
// fragments of a primitive, and so for a quad.
func (w *flow) interpolated(v *facts.Variable, pointer spirv.ID) bool {
	if w.checker.models[w.at.Func.Number]&inFragment == 0 || w.checker.m.Has(v.ID, spirv.DecorationFlat) || w.checker.m.Has(v.ID, spirv.DecorationPerVertexKHR) {
		return false
	}
	s := v.Type
	if !s.IsStruct() {
		return true
	}
	flat := func(k int) bool {
		return w.checker.m.HasMember(s.ID, k, spirv.DecorationFlat) || w.checker.m.HasMember(s.ID, k, spirv.DecorationPerVertexKHR)
	}
	if h := chainOf(w.checker.code.DefInst(pointer)); h.base == v.ID && len(h.path) > 0 {
		if k, ok := w.checker.m.Const(h.path[0]).Int(); ok && k >= 0 && k < int64(len(s.Members)) {
			return !flat(int(k))
		}
	}
	for k := range s.Members {
		if !flat(k) {
			return true
		}
	}
	return false
}

// selectsPosition reports whether a shuffle selects x or y of FragCoord, which differ
// between the invocations of a quad.
func (w *flow) selectsPosition(in spirv.Inst) bool {
	v := inst.VectorShuffle(in)
	first := uint32(w.checker.m.TypeOf(v.Vector1()).Components())
	for _, k := range v.Components() {
		from := v.Vector1()
		if k >= first {
			from, k = v.Vector2(), k-first
		}
		d := w.checker.code.DefInst(from)
		if d == nil || d.Op() != spirv.OpLoad || k > 1 {
			continue
		}
		if b, ok := w.checker.m.BuiltIn(inst.Load(d).Pointer()); ok && b == spirv.BuiltInFragCoord {
			return true
		}
	}
	return false
}

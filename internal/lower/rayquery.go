package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var rayQueryRules = rules{
	spirv.OpConvertUToAccelerationStructureKHR: convertToStructure,
	spirv.OpRayQueryInitializeKHR:              rayInitialize,
	spirv.OpRayQueryTerminateKHR:               rayTerminate,
	spirv.OpRayQueryGenerateIntersectionKHR:    rayGenerate,
	spirv.OpRayQueryConfirmIntersectionKHR:     rayConfirm,
	spirv.OpRayQueryProceedKHR:                 rayProceed,

	spirv.OpRayQueryGetRayTMinKHR:           rayFloats(ir.RayTMin, 1),
	spirv.OpRayQueryGetRayFlagsKHR:          rayWord(ir.RayFlags),
	spirv.OpRayQueryGetWorldRayOriginKHR:    rayFloats(ir.RayOrigin, 3),
	spirv.OpRayQueryGetWorldRayDirectionKHR: rayFloats(ir.RayDirection, 3),

	spirv.OpRayQueryGetIntersectionTypeKHR:                                   hitType,
	spirv.OpRayQueryGetIntersectionTKHR:                                      hitFloats(ir.HitT, 1),
	spirv.OpRayQueryGetIntersectionInstanceCustomIndexKHR:                    hitWord(ir.HitCustomIndex),
	spirv.OpRayQueryGetIntersectionInstanceIdKHR:                             hitWord(ir.HitInstance),
	spirv.OpRayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR: hitWord(ir.HitRecordOffset),
	spirv.OpRayQueryGetIntersectionGeometryIndexKHR:                          hitWord(ir.HitGeometry),
	spirv.OpRayQueryGetIntersectionPrimitiveIndexKHR:                         hitWord(ir.HitPrimitive),
	spirv.OpRayQueryGetIntersectionBarycentricsKHR:                           hitFloats(ir.HitU, 2),
	spirv.OpRayQueryGetIntersectionFrontFaceKHR:                              hitIs(ir.HitShaderKind, ir.HitFrontFacing),
	spirv.OpRayQueryGetIntersectionCandidateAABBOpaqueKHR:                    candidateOpaque,

	spirv.OpRayQueryGetIntersectionObjectToWorldKHR:           hitAnswer(ir.RayObjectToWorld, 0, 12),
	spirv.OpRayQueryGetIntersectionWorldToObjectKHR:           hitAnswer(ir.RayWorldToObject, 0, 12),
	spirv.OpRayQueryGetIntersectionObjectRayOriginKHR:         hitAnswer(ir.RayObjectRay, 0, 3),
	spirv.OpRayQueryGetIntersectionObjectRayDirectionKHR:      hitAnswer(ir.RayObjectRay, 3, 3),
	spirv.OpRayQueryGetIntersectionTriangleVertexPositionsKHR: hitAnswer(ir.RayVertices, 0, 9),
	spirv.OpRayQueryGetIntersectionClusterIdNV:                hitCluster,

	spirv.OpRayQueryGetIntersectionSpherePositionNV: hitAnswer(ir.RaySphere, 0, 3),
	spirv.OpRayQueryGetIntersectionSphereRadiusNV:   hitAnswer(ir.RaySphere, 6, 1),
	spirv.OpRayQueryGetIntersectionLSSPositionsNV:   hitAnswer(ir.RaySphere, 0, 6),
	spirv.OpRayQueryGetIntersectionLSSRadiiNV:       hitAnswer(ir.RaySphere, 6, 2),
	spirv.OpRayQueryGetIntersectionLSSHitValueNV:    hitFloats(ir.HitU, 1),
	spirv.OpRayQueryIsSphereHitNV:                   hitIs(ir.HitKind, ir.HitSphere),
	spirv.OpRayQueryIsLSSHitNV:                      hitIs(ir.HitKind, ir.HitSweptSphere),
}

// A ray query is a ray in private memory (internal/ir, "Rays"). Most instructions on it are loads and stores of its
// fields, all as integers: whether the bits of a float are a NaN is then decided once, at the bit cast.

// isRay reports whether values of a type are rays in private memory.
func isRay(t *facts.Type) bool { return t != nil && t.Op == spirv.OpTypeRayQueryKHR }

// isStructure reports whether t is the type of acceleration structures. Their values are numbers of 64 bits.
func isStructure(t *facts.Type) bool { return t != nil && t.Op == spirv.OpTypeAccelerationStructureKHR }

// convertToStructure lowers OpConvertUToAccelerationStructureKHR: the number of a structure is its device address.
func convertToStructure(f *function, in spirv.Inst) {
	parts := f.scalars(inst.ConvertUToAccelerationStructureKHR(in).Accel())
	switch {
	case len(parts) == 1 && f.b.Func.Type(parts[0]) == ir.I64:
		f.define(in, parts[0])
	case len(parts) == 2 && f.b.Func.Type(parts[0]) == ir.I32 && f.b.Func.Type(parts[1]) == ir.I32:
		low, high := f.b.Op(ir.ZExt, ir.I64, parts[0]), f.b.Op(ir.ZExt, ir.I64, parts[1])
		f.define(in, f.b.Op(ir.Or, ir.I64, low, f.b.Op(ir.Shl, ir.I64, high, f.b.Const(ir.I64, 32))))
	default:
		f.malformed("the address is neither an integer of 64 bits nor a vector of two of 32 bits; must be one")
	}
}

// structureDescriptor returns the number of the acceleration structure with a descriptor. The descriptor is a uniform
// buffer with this number.
func (f *function) structureDescriptor(p *pointer) ir.V {
	f.checkBeyondHeap(p)
	switch {
	case p.heap && p.either == 0:
		return f.loadScalar(p, ir.I64)
	case p.heap:
		return f.b.Select(p.either, f.loadScalar(p, ir.I64), f.boundStructure(p.resource, p.element))
	case p.record != nil:
		return f.recordWord(p.record.Offset, ir.I64)
	}
	parts := f.objectParts(p)
	f.checkDescriptor(parts[0], parts[1])
	return f.boundStructure(parts[0], parts[1])
}

// boundStructure returns the number of the acceleration structure of a descriptor of a binding; 0 if the resource is no structure.
func (f *function) boundStructure(resource, element ir.V) ir.V {
	number := func(n uint64) ir.V {
		return f.b.Op(ir.Ld, ir.I64, f.b.OpAux(ir.Res, ir.H, n, element), f.b.I32(0))
	}
	if n, ok := f.constBits(resource); ok {
		return number(n)
	}
	v := f.b.Const(ir.I64, 0)
	for _, n := range f.structures {
		v = f.b.Select(f.b.Cmp(ir.Eq, resource, f.b.I32(uint32(n))), number(n), v)
	}
	return v
}

// rayAt returns the pointer of an operand that points to a ray query.
func (f *function) rayAt(id spirv.ID) *pointer {
	p := f.pointer(id)
	if !isRay(p.typ) || p.memory != inSlots && p.memory != inPrivate {
		f.malformed("%%%d does not point to a ray query in private memory; must do so", id)
	}
	return p
}

// raySlot loads a field of a ray.
func (f *function) raySlot(p *pointer, slot uint64) ir.V {
	at := *p
	at.offset = at.offset.plus(slot)
	return f.loadScalar(&at, ir.I32)
}

// setRaySlot stores a field of a ray: an i32, or the bits of an f32.
func (f *function) setRaySlot(p *pointer, slot uint64, v ir.V) {
	if f.b.Func.Type(v) == ir.F32 {
		v = f.b.Op(ir.Bitcast, ir.I32, v)
	}
	at := *p
	at.offset = at.offset.plus(slot)
	f.storeScalar(&at, ir.I32, v)
}

// requestRay emits a request on a ray.
func (f *function) requestRay(p *pointer, request ir.V) {
	if p.memory == inPrivate {
		f.b.Op(ir.RayI, ir.None, f.offsetValue(p.offset), request)
		return
	}
	p.noteStoreAll()
	f.markAll(p.number)
	f.b.OpAux(ir.Ray, ir.None, p.number, f.offsetValue(p.offset), request)
}

func rayInitialize(f *function, in spirv.Inst) {
	f.beginRay(f.rayAt(inst.RayQueryInitializeKHR(in).RayQuery()), queryRay(in))
}

// queryRay returns the operands of OpRayQueryInitializeKHR that define the ray.
func queryRay(in spirv.Inst) newRay {
	v := inst.RayQueryInitializeKHR(in)
	return newRay{
		structure: v.Accel(), flags: v.RayFlags(), mask: v.CullMask(),
		origin: v.RayOrigin(), least: v.RayTMin(), direction: v.RayDirection(), most: v.RayTMax(),
	}
}

// newRay has the operands that define a ray. The structure, the flags, the mask and the time are 0 if they are missing.
type newRay struct{ structure, flags, mask, origin, least, direction, most, time spirv.ID }

// optional is typed for an operand that may be missing.
func (f *function) optional(id spirv.ID, t ir.Type) ir.V {
	if id == 0 {
		return f.b.Const(t, 0)
	}
	return f.typed(id, t)
}

// beginRay writes a new ray, whose traversal has not begun.
func (f *function) beginRay(p *pointer, r newRay) {
	structure := f.optional(r.structure, ir.I64)
	f.setRaySlot(p, ir.RayStructure, f.b.Op(ir.Trunc, ir.I32, structure))
	f.setRaySlot(p, ir.RayStructure+1, f.b.Op(ir.Trunc, ir.I32, f.b.Op(ir.LShr, ir.I64, structure, f.b.Const(ir.I64, 32))))
	f.setRaySlot(p, ir.RayFlags, f.optional(r.flags, ir.I32))
	f.setRaySlot(p, ir.RayMask, f.optional(r.mask, ir.I32))
	f.setRayVector(p, ir.RayOrigin, r.origin)
	f.setRayVector(p, ir.RayDirection, r.direction)
	least, most := f.typed(r.least, ir.F32), f.typed(r.most, ir.F32)
	f.setRaySlot(p, ir.RayTMin, least)
	f.setRaySlot(p, ir.RayTMax, most)
	f.setRaySlot(p, ir.RayTime, f.optional(r.time, ir.F32))
	f.setRaySlot(p, ir.RayCommitted+ir.HitT, most)
	for _, slot := range [...]uint64{ir.RayCommitted + ir.HitKind, ir.RayCommitted + ir.HitGenerated, ir.RayCandidate + ir.HitKind, ir.RayStarted, ir.RayEnded} {
		f.setRaySlot(p, slot, f.b.I32(0))
	}
}

// setRayVector stores a vector of three floats to a ray.
func (f *function) setRayVector(p *pointer, slot uint64, id spirv.ID) {
	parts := f.scalars(id)
	if len(parts) != 3 || f.b.Func.Type(parts[0]) != ir.F32 {
		f.malformed("%%%d is not a vector of three floats of 32 bits; must be one", id)
	}
	for i, v := range parts {
		f.setRaySlot(p, slot+uint64(i), v)
	}
}

func rayTerminate(f *function, in spirv.Inst) {
	f.setRaySlot(f.rayAt(inst.RayQueryTerminateKHR(in).RayQuery()), ir.RayEnded, f.b.I32(1))
}

// rayProceed continues the traversal; the result reports whether there is a candidate.
func rayProceed(f *function, in spirv.Inst) {
	p := f.rayAt(inst.RayQueryProceedKHR(in).RayQuery())
	f.requestRay(p, f.b.I32(ir.RayProceed))
	f.define(in, f.b.Op(ir.Not, ir.B1, f.b.Cmp(ir.Eq, f.raySlot(p, ir.RayCandidate+ir.HitKind), f.b.I32(ir.HitNone))))
}

// rayConfirm commits the candidate, unless it is a bounding box or none.
func rayConfirm(f *function, in spirv.Inst) {
	p := f.rayAt(inst.RayQueryConfirmIntersectionKHR(in).RayQuery())
	kind := f.raySlot(p, ir.RayCandidate+ir.HitKind)
	f.b.If(f.b.Op(ir.Not, ir.B1, f.b.Op(ir.Or, ir.B1, f.b.Cmp(ir.Eq, kind, f.b.I32(ir.HitNone)), f.b.Cmp(ir.Eq, kind, f.b.I32(ir.HitBox)))))
	f.commitCandidate(p)
	f.b.End()
}

// rayGenerate commits a hit in the candidate, a bounding box, if its distance is in the range of the ray and closer than
// the committed hit.
func rayGenerate(f *function, in spirv.Inst) {
	v := inst.RayQueryGenerateIntersectionKHR(in)
	p, t := f.rayAt(v.RayQuery()), f.typed(v.HitT(), ir.F32)
	b := f.b
	box := b.Cmp(ir.Eq, f.raySlot(p, ir.RayCandidate+ir.HitKind), b.I32(ir.HitBox))
	after := b.Cmp(ir.FLe, f.rayFloat(p, ir.RayTMin), t)
	before := b.Cmp(ir.FLe, t, f.rayFloat(p, ir.RayTMax))
	none := b.Cmp(ir.Eq, f.raySlot(p, ir.RayCommitted+ir.HitKind), b.I32(ir.HitNone))
	closer := b.Op(ir.Or, ir.B1, none, b.Cmp(ir.FLt, t, f.rayFloat(p, ir.RayCommitted+ir.HitT)))
	b.If(b.Op(ir.And, ir.B1, box, b.Op(ir.And, ir.B1, after, b.Op(ir.And, ir.B1, before, closer))))
	f.commitCandidate(p)
	f.setRaySlot(p, ir.RayCommitted+ir.HitT, t)
	f.setRaySlot(p, ir.RayCommitted+ir.HitGenerated, b.I32(1))
	b.End()
}

// commitCandidate copies the candidate to the committed hit, which ends a traversal for any hit.
func (f *function) commitCandidate(p *pointer) {
	for i := range uint64(ir.HitSlots) {
		f.setRaySlot(p, ir.RayCommitted+i, f.raySlot(p, ir.RayCandidate+i))
	}
	any := f.b.Op(ir.And, ir.I32, f.raySlot(p, ir.RayFlags), f.b.I32(uint32(spirv.RayFlagsTerminateOnFirstHitKHRMask)))
	ended := f.b.Op(ir.Not, ir.B1, f.b.Cmp(ir.Eq, any, f.b.I32(0)))
	f.setRaySlot(p, ir.RayEnded, f.b.Op(ir.ZExt, ir.I32, ended))
}

// rayFloat loads a field that is a float.
func (f *function) rayFloat(p *pointer, slot uint64) ir.V {
	return f.b.Op(ir.Bitcast, ir.F32, f.raySlot(p, slot))
}

// rayWord is the rule of an instruction whose result is a field of the ray.
func rayWord(slot uint64) rule {
	return func(f *function, in spirv.Inst) {
		f.define(in, f.raySlot(f.rayAt(inst.RayQueryGetRayFlagsKHR(in).RayQuery()), slot))
	}
}

// rayFloats is the same for n floats.
func rayFloats(slot, n uint64) rule {
	return func(f *function, in spirv.Inst) {
		f.defineFloats(in, f.rayAt(inst.RayQueryGetRayFlagsKHR(in).RayQuery()), slot, n)
	}
}

func (f *function) defineFloats(in spirv.Inst, p *pointer, slot, n uint64) {
	parts := make([]ir.V, n)
	for i := range parts {
		parts[i] = f.rayFloat(p, slot+uint64(i))
	}
	f.define(in, parts...)
}

// hit returns the ray of an instruction about one of its hits, the first slot of the hit, and whether it is the
// committed one.
func (f *function) hit(in spirv.Inst) (p *pointer, first uint64, committed bool) {
	v := inst.RayQueryGetIntersectionTypeKHR(in)
	which, ok := f.constBits(f.typed(v.Intersection(), ir.I32))
	if !ok || which > 1 {
		f.malformed("the intersection is neither the constant 0 nor the constant 1; must be one of them")
	}
	if which == uint64(spirv.RayQueryIntersectionRayQueryCommittedIntersectionKHR) {
		return f.rayAt(v.RayQuery()), ir.RayCommitted, true
	}
	return f.rayAt(v.RayQuery()), ir.RayCandidate, false
}

// hitType lowers OpRayQueryGetIntersectionTypeKHR.
func hitType(f *function, in spirv.Inst) {
	p, first, committed := f.hit(in)
	kind, b := f.raySlot(p, first+ir.HitKind), f.b
	types := [...]spirv.RayQueryCandidateIntersectionType{
		spirv.RayQueryCandidateIntersectionTypeRayQueryCandidateIntersectionTriangleKHR,
		spirv.RayQueryCandidateIntersectionTypeRayQueryCandidateIntersectionAABBKHR,
	}
	triangle, box := uint32(types[0]), uint32(types[1])
	if committed {
		triangle = uint32(spirv.RayQueryCommittedIntersectionTypeRayQueryCommittedIntersectionTriangleKHR)
		box = uint32(spirv.RayQueryCommittedIntersectionTypeRayQueryCommittedIntersectionGeneratedKHR)
	}
	v := b.Select(b.Cmp(ir.Eq, kind, b.I32(ir.HitBox)), b.I32(box), b.I32(triangle))
	if committed {
		none := uint32(spirv.RayQueryCommittedIntersectionTypeRayQueryCommittedIntersectionNoneKHR)
		v = b.Select(b.Cmp(ir.Eq, kind, b.I32(ir.HitNone)), b.I32(none), v)
	}
	f.define(in, v)
}

// hitWord is the rule of an instruction whose result is a field of a hit.
func hitWord(field uint64) rule {
	return func(f *function, in spirv.Inst) {
		p, first, _ := f.hit(in)
		f.define(in, f.raySlot(p, first+field))
	}
}

// hitFloats is the same for n floats.
func hitFloats(field, n uint64) rule {
	return func(f *function, in spirv.Inst) {
		p, first, _ := f.hit(in)
		f.defineFloats(in, p, first+field, n)
	}
}

// hitIs is the rule of an instruction whose result is whether a field has a value.
func hitIs(field uint64, value uint32) rule {
	return func(f *function, in spirv.Inst) {
		p, first, _ := f.hit(in)
		f.define(in, f.b.Cmp(ir.Eq, f.raySlot(p, first+field), f.b.I32(value)))
	}
}

func candidateOpaque(f *function, in spirv.Inst) {
	p := f.rayAt(inst.RayQueryGetIntersectionCandidateAABBOpaqueKHR(in).RayQuery())
	f.define(in, f.b.Cmp(ir.Eq, f.raySlot(p, ir.RayCandidate+ir.HitOpaque), f.b.I32(1)))
}

// hitAnswer is the rule of an instruction whose result is n floats of the answer to a request about a hit.
func hitAnswer(request uint32, first, n uint64) rule {
	return func(f *function, in spirv.Inst) {
		p, _, committed := f.hit(in)
		which := request
		if committed {
			which += ir.RayOfCommitted
		}
		f.requestRay(p, f.b.I32(which))
		f.defineFloats(in, p, ir.RayAnswer+first, n)
	}
}

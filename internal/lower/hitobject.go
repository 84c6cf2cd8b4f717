package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var hitObjectRules = rules{
	spirv.OpHitObjectTraceRayNV:                   traceObject,
	spirv.OpHitObjectTraceRayEXT:                  traceObject,
	spirv.OpHitObjectTraceRayMotionNV:             traceObjectMotion,
	spirv.OpHitObjectTraceRayMotionEXT:            traceObjectMotion,
	spirv.OpHitObjectTraceReorderExecuteEXT:       traceAndShade,
	spirv.OpHitObjectTraceMotionReorderExecuteEXT: traceMotionAndShade,
	spirv.OpHitObjectExecuteShaderNV:              shadeObject,
	spirv.OpHitObjectExecuteShaderEXT:             shadeObject,
	spirv.OpHitObjectReorderExecuteShaderEXT:      shadeObject,

	spirv.OpReorderThreadWithHintNV:       reorder,
	spirv.OpReorderThreadWithHintEXT:      reorder,
	spirv.OpReorderThreadWithHitObjectNV:  reorder,
	spirv.OpReorderThreadWithHitObjectEXT: reorder,

	spirv.OpHitObjectIsEmptyNV:  objectIs(ir.ObjectState, ir.ObjectEmpty),
	spirv.OpHitObjectIsEmptyEXT: objectIs(ir.ObjectState, ir.ObjectEmpty),
	spirv.OpHitObjectIsMissNV:   objectIs(ir.ObjectState, ir.ObjectMiss),
	spirv.OpHitObjectIsMissEXT:  objectIs(ir.ObjectState, ir.ObjectMiss),
	spirv.OpHitObjectIsHitNV:    objectIs(ir.ObjectState, ir.ObjectHit),
	spirv.OpHitObjectIsHitEXT:   objectIs(ir.ObjectState, ir.ObjectHit),

	spirv.OpHitObjectGetRayFlagsEXT:           objectWord(ir.RayFlags),
	spirv.OpHitObjectGetRayTMinNV:             objectFloats(ir.RayTMin, 1),
	spirv.OpHitObjectGetRayTMinEXT:            objectFloats(ir.RayTMin, 1),
	spirv.OpHitObjectGetRayTMaxNV:             objectFloats(ir.RayCommitted+ir.HitT, 1),
	spirv.OpHitObjectGetRayTMaxEXT:            objectFloats(ir.RayCommitted+ir.HitT, 1),
	spirv.OpHitObjectGetCurrentTimeNV:         objectFloats(ir.RayTime, 1),
	spirv.OpHitObjectGetCurrentTimeEXT:        objectFloats(ir.RayTime, 1),
	spirv.OpHitObjectGetWorldRayOriginNV:      objectFloats(ir.RayOrigin, 3),
	spirv.OpHitObjectGetWorldRayOriginEXT:     objectFloats(ir.RayOrigin, 3),
	spirv.OpHitObjectGetWorldRayDirectionNV:   objectFloats(ir.RayDirection, 3),
	spirv.OpHitObjectGetWorldRayDirectionEXT:  objectFloats(ir.RayDirection, 3),
	spirv.OpHitObjectGetHitKindNV:             objectWord(ir.RayCommitted + ir.HitShaderKind),
	spirv.OpHitObjectGetHitKindEXT:            objectWord(ir.RayCommitted + ir.HitShaderKind),
	spirv.OpHitObjectGetPrimitiveIndexNV:      objectWord(ir.RayCommitted + ir.HitPrimitive),
	spirv.OpHitObjectGetPrimitiveIndexEXT:     objectWord(ir.RayCommitted + ir.HitPrimitive),
	spirv.OpHitObjectGetGeometryIndexNV:       objectWord(ir.RayCommitted + ir.HitGeometry),
	spirv.OpHitObjectGetGeometryIndexEXT:      objectWord(ir.RayCommitted + ir.HitGeometry),
	spirv.OpHitObjectGetInstanceIdNV:          objectWord(ir.RayCommitted + ir.HitInstance),
	spirv.OpHitObjectGetInstanceIdEXT:         objectWord(ir.RayCommitted + ir.HitInstance),
	spirv.OpHitObjectGetInstanceCustomIndexNV: objectWord(ir.RayCommitted + ir.HitCustomIndex),

	spirv.OpHitObjectGetInstanceCustomIndexEXT:                 objectWord(ir.RayCommitted + ir.HitCustomIndex),
	spirv.OpHitObjectGetObjectToWorldNV:                        objectAnswer(ir.RayObjectToWorld, 0, 12),
	spirv.OpHitObjectGetObjectToWorldEXT:                       objectAnswer(ir.RayObjectToWorld, 0, 12),
	spirv.OpHitObjectGetWorldToObjectNV:                        objectAnswer(ir.RayWorldToObject, 0, 12),
	spirv.OpHitObjectGetWorldToObjectEXT:                       objectAnswer(ir.RayWorldToObject, 0, 12),
	spirv.OpHitObjectGetObjectRayOriginNV:                      objectAnswer(ir.RayObjectRay, 0, 3),
	spirv.OpHitObjectGetObjectRayOriginEXT:                     objectAnswer(ir.RayObjectRay, 0, 3),
	spirv.OpHitObjectGetObjectRayDirectionNV:                   objectAnswer(ir.RayObjectRay, 3, 3),
	spirv.OpHitObjectGetObjectRayDirectionEXT:                  objectAnswer(ir.RayObjectRay, 3, 3),
	spirv.OpHitObjectGetIntersectionTriangleVertexPositionsEXT: objectAnswer(ir.RayVertices, 0, 9),

	spirv.OpHitObjectIsSphereHitNV:                       objectIs(ir.RayCommitted+ir.HitKind, ir.HitSphere),
	spirv.OpHitObjectIsLSSHitNV:                          objectIs(ir.RayCommitted+ir.HitKind, ir.HitSweptSphere),
	spirv.OpHitObjectGetSpherePositionNV:                 objectAnswer(ir.RaySphere, 0, 3),
	spirv.OpHitObjectGetSphereRadiusNV:                   objectAnswer(ir.RaySphere, 6, 1),
	spirv.OpHitObjectGetLSSPositionsNV:                   objectAnswer(ir.RaySphere, 0, 6),
	spirv.OpHitObjectGetLSSRadiiNV:                       objectAnswer(ir.RaySphere, 6, 2),
	spirv.OpHitObjectGetClusterIdNV:                      hitCluster,
	spirv.OpHitObjectGetAttributesNV:                     getAttributes,
	spirv.OpHitObjectGetAttributesEXT:                    getAttributes,
	spirv.OpHitObjectGetShaderBindingTableRecordIndexNV:  objectWord(ir.ObjectRecord),
	spirv.OpHitObjectGetShaderBindingTableRecordIndexEXT: objectWord(ir.ObjectRecord),
	spirv.OpHitObjectSetShaderBindingTableRecordIndexEXT: setRecord,
	spirv.OpHitObjectGetShaderRecordBufferHandleNV:       recordHandle,
	spirv.OpHitObjectGetShaderRecordBufferHandleEXT:      recordHandle,
}

// A hit object is a frame in private memory and two more slots (internal/ir, "Rays"). The code that traces its ray and runs its
// shader gets its address. The extensions for NV and EXT differ in their instructions that record hits (hitrecord.go).

// isHitObject reports whether t is the type of hit objects.
func isHitObject(t *facts.Type) bool {
	return t != nil && (t.Op == spirv.OpTypeHitObjectNV || t.Op == spirv.OpTypeHitObjectEXT)
}

// objectAt returns the pointer of an operand that points to a hit object.
func (f *function) objectAt(id spirv.ID) *pointer {
	p := f.pointer(id)
	if !isHitObject(p.typ) || p.memory != inSlots && p.memory != inPrivate {
		f.malformed("%%%d does not point to a hit object in private memory; must do so", id)
	}
	f.checkTracing("uses a hit object")
	return p
}

// objectOf returns the pointer of the hit object of an instruction with a result.
func (f *function) objectOf(in spirv.Inst) *pointer {
	return f.objectAt(inst.HitObjectGetRayTMinEXT(in).HitObject())
}

// searchObject writes the ray of a hit object, traces it, and returns the object. The operands after the object are those of
// OpTraceRayKHR, or of OpTraceRayMotionNV.
func (f *function) searchObject(object spirv.ID, t *tracing) *pointer {
	p := f.objectAt(object)
	f.beginTrace(p, t, f.passedAddress(t.payload))
	f.b.Op(ir.Search, ir.None, f.addressParts(p)[0])
	return p
}

func traceObject(f *function, in spirv.Inst) {
	f.searchObject(inst.HitObjectTraceRayEXT(in).HitObject(), tracingOf(inst.TraceRayKHR(in[1:])))
}

func traceObjectMotion(f *function, in spirv.Inst) {
	f.searchObject(inst.HitObjectTraceRayMotionEXT(in).HitObject(), tracingInTime(inst.TraceRayMotionNV(in[1:])))
}

// traceAndShade lowers OpHitObjectTraceReorderExecuteEXT: a trace, a reorder and an execution, all with one payload.
func traceAndShade(f *function, in spirv.Inst) {
	p := f.searchObject(inst.HitObjectTraceReorderExecuteEXT(in).HitObject(), tracingOf(inst.TraceRayKHR(in[1:])))
	f.b.Op(ir.Shade, ir.None, f.addressParts(p)[0])
}

func traceMotionAndShade(f *function, in spirv.Inst) {
	p := f.searchObject(inst.HitObjectTraceMotionReorderExecuteEXT(in).HitObject(), tracingInTime(inst.TraceRayMotionNV(in[1:])))
	f.b.Op(ir.Shade, ir.None, f.addressParts(p)[0])
}

func shadeObject(f *function, in spirv.Inst) {
	v := inst.HitObjectExecuteShaderEXT(in)
	p := f.objectAt(v.HitObject())
	f.setRaySlot(p, ir.FramePayload, f.passedAddress(v.Payload()))
	f.b.Op(ir.Shade, ir.None, f.addressParts(p)[0])
}

// reorder lowers the instructions that reorder invocations: a hint. A subgroup is split by shader at each call of a shader, so that
// no order of its invocations is better than another one.
func reorder(*function, spirv.Inst) {}

// objectIs is the rule of an instruction whose result is whether a slot of a hit object has a value.
func objectIs(slot uint64, value uint32) rule {
	return func(f *function, in spirv.Inst) {
		f.define(in, f.b.Cmp(ir.Eq, f.raySlot(f.objectOf(in), slot), f.b.I32(value)))
	}
}

// objectWord is the rule of an instruction whose result is a slot of a hit object.
func objectWord(slot uint64) rule {
	return func(f *function, in spirv.Inst) { f.define(in, f.raySlot(f.objectOf(in), slot)) }
}

// objectFloats is the same for n floats.
func objectFloats(slot, n uint64) rule {
	return func(f *function, in spirv.Inst) { f.defineFloats(in, f.objectOf(in), slot, n) }
}

// objectAnswer is the rule of an instruction whose result is n floats of the answer to a request about the hit.
func objectAnswer(request uint32, first, n uint64) rule {
	return func(f *function, in spirv.Inst) {
		p := f.objectOf(in)
		f.requestRay(p, f.b.I32(request+ir.RayOfCommitted))
		f.defineFloats(in, p, ir.RayAnswer+first, n)
	}
}

// setRecord lowers OpHitObjectSetShaderBindingTableRecordIndexEXT.
func setRecord(f *function, in spirv.Inst) {
	v := inst.HitObjectSetShaderBindingTableRecordIndexEXT(in)
	f.setRaySlot(f.objectAt(v.HitObject()), ir.ObjectRecord, f.typed(v.SBTRecordIndex(), ir.I32))
}

// recordHandle lowers OpHitObjectGetShaderRecordBufferHandleEXT: the address has two words, the low one first.
func recordHandle(f *function, in spirv.Inst) {
	b := f.b
	address := b.Op(ir.Record, ir.I64, f.addressParts(f.objectOf(in))[0])
	high := b.Op(ir.LShr, ir.I64, address, b.Const(ir.I64, 32))
	f.define(in, b.Op(ir.Trunc, ir.I32, address), b.Op(ir.Trunc, ir.I32, high))
}

// attributesAt returns the pointer of an operand that is a variable with attributes for hit objects.
func (f *function) attributesAt(id spirv.ID) *pointer {
	p := f.pointer(id)
	if p.memory != inSlots {
		f.malformed("%%%d is not a variable with attributes of a hit object; must be one", id)
	}
	if p.extent > ir.MaxAttributeSlots {
		f.tooLarge("hit attributes of %d slots; at most %d", p.extent, ir.MaxAttributeSlots)
	}
	return p
}

// eachAttribute calls yield for each scalar of hit attributes with its place in the hit object: the attributes have the places of
// a variable of this type in the shaders of the hit.
func (f *function) eachAttribute(attributes, object *pointer, yield func(scalar, slot *pointer, t ir.Type)) {
	at := *object
	at.offset = at.offset.plus(ir.FrameCommitted)
	f.scalarsAt(*attributes, func(scalar *pointer, t ir.Type) {
		slot := at
		yield(scalar, &slot, t)
		at.offset = at.offset.plus(uint64(t.Slots()))
	})
}

func getAttributes(f *function, in spirv.Inst) {
	v := inst.HitObjectGetAttributesEXT(in)
	f.eachAttribute(f.attributesAt(v.HitObjectAttribute()), f.objectAt(v.HitObject()), func(scalar, slot *pointer, t ir.Type) {
		f.storeScalar(scalar, t, f.loadScalar(slot, t))
	})
}

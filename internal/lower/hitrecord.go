package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var hitRecordRules = rules{
	spirv.OpHitObjectRecordEmptyNV:              recordEmpty,
	spirv.OpHitObjectRecordEmptyEXT:             recordEmpty,
	spirv.OpHitObjectRecordMissNV:               recordMiss(false, false),
	spirv.OpHitObjectRecordMissMotionNV:         recordMiss(false, true),
	spirv.OpHitObjectRecordMissEXT:              recordMiss(true, false),
	spirv.OpHitObjectRecordMissMotionEXT:        recordMiss(true, true),
	spirv.OpHitObjectRecordHitNV:                recordHit(false, false),
	spirv.OpHitObjectRecordHitMotionNV:          recordHit(false, true),
	spirv.OpHitObjectRecordHitWithIndexNV:       recordHit(true, false),
	spirv.OpHitObjectRecordHitWithIndexMotionNV: recordHit(true, true),
	spirv.OpHitObjectRecordFromQueryEXT:         recordFromQuery,
}

func recordEmpty(f *function, in spirv.Inst) {
	f.setRaySlot(f.objectAt(inst.HitObjectRecordEmptyEXT(in).HitObject()), ir.ObjectState, f.b.I32(ir.ObjectEmpty))
}

// recordMiss is the rule of an instruction that records a miss: its operands are the hit object, the ray flags unless it is of NV, the
// record, the ray, and the time of one with motion.
func recordMiss(flags, motion bool) rule {
	return func(f *function, in spirv.Inst) {
		p := f.objectAt(spirv.ID(in[1]))
		rest, r := in[2:], newRay{}
		if flags {
			r.flags, rest = spirv.ID(rest[0]), rest[1:]
		}
		index := f.typed(spirv.ID(rest[0]), ir.I32)
		r.setInterval(rest[1:], motion)
		f.beginRay(p, r)
		f.setRaySlot(p, ir.ObjectState, f.b.I32(ir.ObjectMiss))
		f.setRaySlot(p, ir.ObjectRecord, index)
	}
}

// setInterval sets the origin, the direction and the interval of a ray, and the time of one with motion: four or five operands.
func (r *newRay) setInterval(operands []uint32, motion bool) {
	r.origin, r.least, r.direction, r.most = spirv.ID(operands[0]), spirv.ID(operands[1]), spirv.ID(operands[2]), spirv.ID(operands[3])
	if motion {
		r.time = spirv.ID(operands[4])
	}
}

// recordHit is the rule of an instruction that records a hit in a primitive of a structure. The record is an operand of the indexed
// forms; else it depends on the instance and the geometry, like the record of a traced ray. The structure knows the rest of the hit
// from the number of its instance.
func recordHit(indexed, motion bool) rule {
	return func(f *function, in spirv.Inst) {
		v, b := inst.HitObjectRecordHitNV(in), f.b
		p, r, rest := f.objectAt(v.HitObject()), newRay{structure: v.AccelerationStructure()}, in[9:]
		if indexed {
			rest = in[8:]
		}
		r.setInterval(rest, motion)
		f.beginRay(p, r)
		for _, x := range [...]struct {
			slot uint64
			id   spirv.ID
		}{{ir.HitInstance, v.InstanceId()}, {ir.HitPrimitive, v.PrimitiveId()}, {ir.HitGeometry, v.GeometryIndex()}, {ir.HitShaderKind, v.HitKind()}} {
			f.setRaySlot(p, ir.RayCommitted+x.slot, f.typed(x.id, ir.I32))
		}
		f.setRaySlot(p, ir.RayCommitted+ir.HitPlace, b.I32(ir.UnknownPlace))
		f.requestRay(p, b.I32(ir.RayInstance+ir.RayOfCommitted))
		for i, slot := range [...]uint64{ir.HitCustomIndex, ir.HitRecordOffset, ir.HitKind} {
			f.setRaySlot(p, ir.RayCommitted+slot, f.raySlot(p, ir.RayAnswer+uint64(i)))
		}
		record := f.typed(v.SBTRecordOffset(), ir.I32) // the index of the indexed forms
		if !indexed {
			geometry := b.Op(ir.Mul, ir.I32, f.typed(v.GeometryIndex(), ir.I32), f.typed(v.SBTRecordStride(), ir.I32))
			record = b.Op(ir.Add, ir.I32, record, b.Op(ir.Add, ir.I32, geometry, f.raySlot(p, ir.RayCommitted+ir.HitRecordOffset)))
		}
		f.setRaySlot(p, ir.ObjectState, b.I32(ir.ObjectHit))
		f.setRaySlot(p, ir.ObjectRecord, record)
		f.setAttributes(p, spirv.ID(in[len(in)-1]))
	}
}

// setAttributes copies a variable to the hit attributes of a hit object.
func (f *function) setAttributes(object *pointer, variable spirv.ID) {
	f.eachAttribute(f.attributesAt(variable), object, func(scalar, slot *pointer, t ir.Type) {
		f.storeScalar(slot, t, f.loadScalar(scalar, t))
	})
}

// recordFromQuery records the committed hit of a ray query; without one the hit object becomes empty (docs/undefined.md). A hit
// that is not in a box has its own attributes, such as barycentric coordinates, and its own hit kind.
func recordFromQuery(f *function, in spirv.Inst) {
	v := inst.HitObjectRecordFromQueryEXT(in)
	p, from, b := f.objectAt(v.HitObject()), f.rayAt(v.RayQuery()), f.b
	for slot := range uint64(ir.RayAnswer) {
		f.setRaySlot(p, slot, f.raySlot(from, slot))
	}
	kind := f.raySlot(p, ir.RayCommitted+ir.HitKind)
	state := b.Select(b.Cmp(ir.Eq, kind, b.I32(ir.HitNone)), b.I32(ir.ObjectEmpty), b.I32(ir.ObjectHit))
	f.setRaySlot(p, ir.ObjectState, state)
	f.setRaySlot(p, ir.ObjectRecord, f.typed(v.SBTRecordIndex(), ir.I32))
	b.If(b.Op(ir.Not, ir.B1, b.Cmp(ir.Eq, kind, b.I32(ir.HitBox))))
	for i := range uint64(2) {
		f.setRaySlot(p, ir.FrameCommitted+i, f.raySlot(p, ir.RayCommitted+ir.HitU+i))
	}
	b.Else()
	if id, ok := v.HitKind(); ok {
		f.setRaySlot(p, ir.RayCommitted+ir.HitShaderKind, f.typed(id, ir.I32))
	}
	f.setAttributes(p, v.HitObjectAttributes())
	b.End()
}

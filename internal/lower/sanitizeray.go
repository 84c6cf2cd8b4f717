package lower

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// rayFindings are the rules for the values of the rays of an instruction (Vulkan, Runtime SPIR-V Validation); a rule is empty if
// Vulkan has none.
type rayFindings struct {
	finite, number, positive, order, time string
	both, skip, opaque                    string // of flags
}

var (
	traceFindings = rayFindings{
		finite: vuid.RuntimeSpirv_OpTraceRayKHR_06355, number: vuid.RuntimeSpirv_OpTraceRayKHR_06358,
		positive: vuid.RuntimeSpirv_OpTraceRayKHR_06356, order: vuid.RuntimeSpirv_OpTraceRayKHR_06357,
		both: vuid.RuntimeSpirv_OpTraceRayKHR_06552, skip: vuid.RuntimeSpirv_OpTraceRayKHR_06892, opaque: vuid.RuntimeSpirv_OpTraceRayKHR_06893,
	}
	traceMotionFindings = rayFindings{
		finite: vuid.RuntimeSpirv_OpTraceRayMotionNV_06361, number: vuid.RuntimeSpirv_OpTraceRayMotionNV_06364,
		positive: vuid.RuntimeSpirv_OpTraceRayMotionNV_06362, order: vuid.RuntimeSpirv_OpTraceRayMotionNV_06363, time: vuid.RuntimeSpirv_OpTraceRayMotionNV_06366,
	}
	queryFindings = rayFindings{
		finite: vuid.RuntimeSpirv_OpRayQueryInitializeKHR_06348, number: vuid.RuntimeSpirv_OpRayQueryInitializeKHR_06351,
		positive: vuid.RuntimeSpirv_OpRayQueryInitializeKHR_06349, order: vuid.RuntimeSpirv_OpRayQueryInitializeKHR_06350,
		both: vuid.RuntimeSpirv_OpRayQueryInitializeKHR_06889, skip: vuid.RuntimeSpirv_OpRayQueryInitializeKHR_06890, opaque: vuid.RuntimeSpirv_OpRayQueryInitializeKHR_06891,
	}
	objectNVFindings = rayFindings{
		finite: vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07705, number: vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07708,
		positive: vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07706, order: vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07707, time: vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07710,
		both: vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07712, skip: vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07713, opaque: vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07714,
	}
	objectEXTFindings = rayFindings{
		finite: vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11878, number: vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11881,
		positive: vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11879, order: vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11880, time: vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11882,
		both: vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11883, skip: vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11884, opaque: vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11885,
	}
)

// hitKind is the rule for the kind of a reported hit.
var hitKind = finding{ir.SanitizeUndefined, vuid.RuntimeSpirv_OpReportIntersectionKHR_06998}

// addRayChecks adds the checks of instructions that begin a ray or report a hit.
func addRayChecks(add func(of ir.Sanitizers, do func(f *function, in spirv.Inst), ops ...spirv.Op)) {
	ray := func(rules *rayFindings, of func(in spirv.Inst) newRay, ops ...spirv.Op) {
		add(ir.SanitizeUndefined, func(f *function, in spirv.Inst) { f.checkRay(rules, of(in)) }, ops...)
	}
	still := func(in spirv.Inst) newRay { return tracingOf(inst.TraceRayKHR(in)).ray }
	moving := func(in spirv.Inst) newRay { return tracingInTime(inst.TraceRayMotionNV(in)).ray }
	ofObject := func(of func(in spirv.Inst) newRay) func(in spirv.Inst) newRay { // its operands follow the hit object
		return func(in spirv.Inst) newRay { return of(in[1:]) }
	}
	ray(&traceFindings, still, spirv.OpTraceRayKHR)
	ray(&traceMotionFindings, moving, spirv.OpTraceRayMotionNV)
	ray(&queryFindings, queryRay, spirv.OpRayQueryInitializeKHR)
	ray(&objectNVFindings, ofObject(still), spirv.OpHitObjectTraceRayNV)
	ray(&objectNVFindings, ofObject(moving), spirv.OpHitObjectTraceRayMotionNV)
	ray(&objectEXTFindings, ofObject(still), spirv.OpHitObjectTraceRayEXT, spirv.OpHitObjectTraceReorderExecuteEXT)
	ray(&objectEXTFindings, ofObject(moving), spirv.OpHitObjectTraceRayMotionEXT, spirv.OpHitObjectTraceMotionReorderExecuteEXT)
	add(ir.SanitizeUndefined, checkReportedKind, spirv.OpReportIntersectionKHR)
}

// checkReportedKind: a kind above 127, which are the kinds of triangles.
func checkReportedKind(f *function, in spirv.Inst) {
	kind := f.typed(inst.ReportIntersectionKHR(in).HitKind(), ir.I32)
	f.report(hitKind, f.b.Cmp(ir.ULt, f.b.I32(127), kind), "a hit of the kind %u; must be at most 127", kind)
}

// checkRay checks the operands of a ray.
func (f *function) checkRay(rules *rayFindings, r newRay) {
	origin, direction := f.scalars(r.origin), f.scalars(r.direction)
	if len(origin) != 3 || len(direction) != 3 || f.b.Func.Type(origin[0]) != ir.F32 || f.b.Func.Type(direction[0]) != ir.F32 {
		return // the lowering of the instruction reports it
	}
	least, most := f.typed(r.least, ir.F32), f.typed(r.most, ir.F32)
	say := func(rule string, c ir.V, text string, args ...ir.V) {
		if rule != "" {
			f.report(finding{ir.SanitizeUndefined, rule}, c, text, args...)
		}
	}
	where := append(origin[:3:3], direction...)
	any := func(list []ir.V, is func(ir.V) ir.V) ir.V {
		c := is(list[0])
		for _, v := range list[1:] {
			c = f.b.Op(ir.Or, ir.B1, c, is(v))
		}
		return c
	}
	infinity, zero := f.floatOf(ir.F32, math.Inf(1)), f.floatOf(ir.F32, 0)
	say(rules.finite, any(where, func(v ir.V) ir.V { return f.b.Cmp(ir.FEq, f.b.Op(ir.FAbs, ir.F32, v), infinity) }),
		"a ray with an infinite origin (%g, %g, %g) or direction (%g, %g, %g)", where...)
	all := append(where[:6:6], least, most)
	say(rules.number, any(all, f.isNaN), "a ray with a NaN: its origin is (%g, %g, %g), its direction (%g, %g, %g), and its distances are %g to %g", all...)
	say(rules.positive, any(all[6:], func(v ir.V) ir.V { return f.b.Cmp(ir.FLt, v, zero) }), "a ray with a negative distance, from %g to %g", least, most)
	say(rules.order, f.b.Cmp(ir.FLt, most, least), "a ray from the distance %g on, above its end %g", least, most)
	if r.time != 0 {
		t := f.typed(r.time, ir.F32)
		inside := f.b.Op(ir.And, ir.B1, f.b.Cmp(ir.FLe, zero, t), f.b.Cmp(ir.FLe, t, f.floatOf(ir.F32, 1)))
		say(rules.time, f.not(inside), "a ray at the time %g; must be from 0 to 1", t)
	}
	flags := f.typed(r.flags, ir.I32)
	one := func(rule string, mask spirv.RayFlags, text string) {
		of := f.b.Op(ir.And, ir.I32, flags, f.b.I32(uint32(mask)))
		rest := f.b.Op(ir.And, ir.I32, of, f.b.Op(ir.Sub, ir.I32, of, f.b.I32(1))) // without its lowest bit
		say(rule, f.not(f.b.Cmp(ir.Eq, rest, f.b.I32(0))), "a ray with the flags 0x%x, with several of "+text, flags)
	}
	one(rules.both, spirv.RayFlagsSkipTrianglesKHRMask|spirv.RayFlagsSkipAABBsKHRMask, "SkipTrianglesKHR and SkipAABBsKHR")
	one(rules.skip, spirv.RayFlagsSkipTrianglesKHRMask|spirv.RayFlagsCullBackFacingTrianglesKHRMask|spirv.RayFlagsCullFrontFacingTrianglesKHRMask,
		"SkipTrianglesKHR, CullBackFacingTrianglesKHR and CullFrontFacingTrianglesKHR")
	one(rules.opaque, spirv.RayFlagsOpaqueKHRMask|spirv.RayFlagsNoOpaqueKHRMask|spirv.RayFlagsCullOpaqueKHRMask|spirv.RayFlagsCullNoOpaqueKHRMask,
		"OpaqueKHR, NoOpaqueKHR, CullOpaqueKHR and CullNoOpaqueKHR")
}

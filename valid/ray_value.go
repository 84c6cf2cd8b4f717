package valid

import (
	"math"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// rayValueFamily checks the constant operands of rays (Vulkan,
// Runtime SPIR-V Validation).
var rayValueFamily = family{rules: rayValueRules()}

// rayCodes are the rules for the values of the rays of an instruction; a code is
// empty if Vulkan has no such rule.
type rayCodes struct {
	finite   string // origin and direction are finite
	number   string // no value is NaN
	positive string // no distance is negative
	order    string // the minimum distance is not above the maximum
	time     string // between 0 and 1
	both     string // triangles and boxes are not skipped both
	skip     string // one way to skip triangles
	opaque   string // one way to treat opacity
}

var (
	traceCodes = rayCodes{
		finite: vuid.RuntimeSpirv_OpTraceRayKHR_06355, number: vuid.RuntimeSpirv_OpTraceRayKHR_06358,
		positive: vuid.RuntimeSpirv_OpTraceRayKHR_06356, order: vuid.RuntimeSpirv_OpTraceRayKHR_06357,
		both: vuid.RuntimeSpirv_OpTraceRayKHR_06552, skip: vuid.RuntimeSpirv_OpTraceRayKHR_06892, opaque: vuid.RuntimeSpirv_OpTraceRayKHR_06893,
	}
	traceMotionCodes = rayCodes{
		finite: vuid.RuntimeSpirv_OpTraceRayMotionNV_06361, number: vuid.RuntimeSpirv_OpTraceRayMotionNV_06364,
		positive: vuid.RuntimeSpirv_OpTraceRayMotionNV_06362, order: vuid.RuntimeSpirv_OpTraceRayMotionNV_06363, time: vuid.RuntimeSpirv_OpTraceRayMotionNV_06366,
	}
	queryCodes = rayCodes{
		finite: vuid.RuntimeSpirv_OpRayQueryInitializeKHR_06348, number: vuid.RuntimeSpirv_OpRayQueryInitializeKHR_06351,
		positive: vuid.RuntimeSpirv_OpRayQueryInitializeKHR_06349, order: vuid.RuntimeSpirv_OpRayQueryInitializeKHR_06350,
		both: vuid.RuntimeSpirv_OpRayQueryInitializeKHR_06889, skip: vuid.RuntimeSpirv_OpRayQueryInitializeKHR_06890, opaque: vuid.RuntimeSpirv_OpRayQueryInitializeKHR_06891,
	}
	hitObjectNVCodes = rayCodes{
		finite: vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07705, number: vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07708,
		positive: vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07706, order: vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07707, time: vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07710,
		both: vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07712, skip: vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07713, opaque: vuid.RuntimeSpirv_OpHitObjectTraceRayNV_07714,
	}
	hitObjectEXTCodes = rayCodes{
		finite: vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11878, number: vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11881,
		positive: vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11879, order: vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11880, time: vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11882,
		both: vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11883, skip: vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11884, opaque: vuid.RuntimeSpirv_OpHitObjectTraceRayEXT_11885,
	}
)

// codesOf returns the rules for the values of an instruction, nil if there
// are none.
func codesOf(op spirv.Op) *rayCodes {
	switch op {
	case spirv.OpTraceRayKHR:
		return &traceCodes
	case spirv.OpTraceRayMotionNV:
		return &traceMotionCodes
	case spirv.OpRayQueryInitializeKHR:
		return &queryCodes
	case spirv.OpHitObjectTraceRayNV, spirv.OpHitObjectTraceRayMotionNV:
		return &hitObjectNVCodes
	case spirv.OpHitObjectTraceRayEXT, spirv.OpHitObjectTraceRayMotionEXT, spirv.OpHitObjectTraceReorderExecuteEXT, spirv.OpHitObjectTraceMotionReorderExecuteEXT:
		return &hitObjectEXTCodes
	}
	return nil
}

// rayValueRules are the rules of all those codes.
func rayValueRules() []Rule {
	out := []Rule{
		{Code: vuid.RuntimeSpirv_OpReportIntersectionKHR_06998, Section: environment, Words: "the hit kind of OpReportIntersectionKHR is at most 127"},
		{Code: vuid.RuntimeSpirv_maxShaderBindingTableRecordIndex_11888, Section: environment, Words: "the record index of OpHitObjectSetShaderBindingTableRecordIndexEXT is at most maxShaderBindingTableRecordIndex", Need: NeedDevice},
	}
	for _, r := range [...]struct {
		name  string
		codes *rayCodes
	}{{"OpTraceRayKHR", &traceCodes}, {"OpTraceRayMotionNV", &traceMotionCodes}, {"OpRayQueryInitializeKHR", &queryCodes}, {"OpHitObjectTraceRayNV", &hitObjectNVCodes}, {"OpHitObjectTraceRayEXT", &hitObjectEXTCodes}} {
		for _, w := range [...]struct{ code, words string }{
			{r.codes.finite, "the origin and the direction of the ray are finite"},
			{r.codes.number, "origin, direction and distances of the ray are no NaN"},
			{r.codes.positive, "the distances of the ray are not negative"},
			{r.codes.order, "the least distance of the ray is at most the greatest"},
			{r.codes.time, "the time of the ray is 0 to 1"},
			{r.codes.both, "the flags of the ray do not skip both triangles and boxes"},
			{r.codes.skip, "the flags of the ray have at most one of SkipTrianglesKHR, CullBackFacingTrianglesKHR and CullFrontFacingTrianglesKHR"},
			{r.codes.opaque, "the flags of the ray have at most one of OpaqueKHR, NoOpaqueKHR, CullOpaqueKHR and CullNoOpaqueKHR"},
		} {
			if w.code != "" {
				out = append(out, Rule{Code: w.code, Section: environment, Words: r.name + ": " + w.words})
			}
		}
	}
	return out
}

// rayValues are the operands of an instruction that are constants.
type rayValues struct {
	flags, least, greatest, origin, direction, time, kind, index *facts.Const
}

// keep records an operand.
func (r *rayValues) keep(name string, k *facts.Const) {
	if k == nil || !k.Known || k.Undef {
		return
	}
	switch name {
	case "RayFlags":
		r.flags = k
	case "RayTmin", "RayTMin", "TMin":
		r.least = k
	case "RayTmax", "RayTMax", "TMax":
		r.greatest = k
	case "RayOrigin", "Origin":
		r.origin = k
	case "RayDirection", "Direction":
		r.direction = k
	case "Time", "CurrentTime":
		r.time = k
	case "HitKind":
		r.kind = k
	case "SBTRecordIndex":
		r.index = k
	}
}

// single returns the value of a constant float of 32 bits.
func single(k *facts.Const) float64 { return float64(math.Float32frombits(uint32(k.Bits))) }

// rayValues checks the constants among the operands of instruction i.
func (c *checker) rayValues(i int, op spirv.Op, r *rayValues) {
	if r.flags != nil && spirv.RayFlags(r.flags.Bits)&spirv.RayFlagsForceOpacityMicromap2StateKHRMask != 0 && !c.capable(spirv.CapabilityRayTracingOpacityMicromapKHR) {
		code := "SPV-Ray-Micromap"
		if c.vulkan {
			code = vuid.RuntimeSpirv_RayTracingOpacityMicromapKHR_11542
		}
		c.fail(i, code, "the flags of %s have ForceOpacityMicromap2StateKHR; needs the capability RayTracingOpacityMicromapKHR", op)
	}
	if !c.vulkan {
		return
	}
	if op == spirv.OpReportIntersectionKHR && r.kind != nil && r.kind.Bits > 127 {
		c.fail(i, vuid.RuntimeSpirv_OpReportIntersectionKHR_06998, "the kind of the hit is %d; must be at most 127", r.kind.Bits).warn() // wrong only if it is executed
	}
	if op == spirv.OpHitObjectSetShaderBindingTableRecordIndexEXT && r.index != nil {
		if l, ok := c.limit(vuid.RuntimeSpirv_maxShaderBindingTableRecordIndex_11888, "maxShaderBindingTableRecordIndex"); ok && r.index.Bits > l {
			c.fail(i, vuid.RuntimeSpirv_maxShaderBindingTableRecordIndex_11888, "the record index is %d; must be at most maxShaderBindingTableRecordIndex, %d", r.index.Bits, l)
		}
	}
	if codes := codesOf(op); codes != nil {
		c.rayFlags(i, op, codes, r.flags)
		c.rayNumbers(i, op, codes, r)
	}
}

// rayFlags checks constant flags. They are wrong only if the instruction is
// executed, so the findings are warnings.
func (c *checker) rayFlags(i int, op spirv.Op, codes *rayCodes, k *facts.Const) {
	if k == nil {
		return
	}
	f := spirv.RayFlags(k.Bits)
	one := func(code string, m spirv.RayFlags) {
		if code != "" && bits.OnesCount32(uint32(f&m)) > 1 {
			c.fail(i, code, "the flags of %s have %s; must have at most one of them", op, f&m).warn()
		}
	}
	one(codes.both, spirv.RayFlagsSkipTrianglesKHRMask|spirv.RayFlagsSkipAABBsKHRMask)
	one(codes.skip, spirv.RayFlagsSkipTrianglesKHRMask|spirv.RayFlagsCullBackFacingTrianglesKHRMask|spirv.RayFlagsCullFrontFacingTrianglesKHRMask)
	one(codes.opaque, spirv.RayFlagsOpaqueKHRMask|spirv.RayFlagsNoOpaqueKHRMask|spirv.RayFlagsCullOpaqueKHRMask|spirv.RayFlagsCullNoOpaqueKHRMask)
}

// rayNumbers checks constant origins, directions, distances and times. They are
// wrong only if the instruction is executed, so the findings are warnings.
func (c *checker) rayNumbers(i int, op spirv.Op, codes *rayCodes, r *rayValues) {
	nan, infinite := false, false
	for _, v := range [...]*facts.Const{r.origin, r.direction} {
		for n := range 3 {
			if e := v.Elem(n); e != nil && e.Known {
				nan = nan || math.IsNaN(single(e))
				infinite = infinite || math.IsInf(single(e), 0)
			}
		}
	}
	for _, d := range [...]*facts.Const{r.least, r.greatest} {
		if d == nil {
			continue
		}
		nan = nan || math.IsNaN(single(d))
		if single(d) < 0 {
			c.fail(i, codes.positive, "a distance of %s is %g; must not be negative", op, single(d)).warn()
		}
	}
	if infinite {
		c.fail(i, codes.finite, "the origin or the direction of %s is infinite; must be finite", op).warn()
	}
	if nan {
		c.fail(i, codes.number, "an operand of %s is NaN; must be a number", op).warn()
	}
	if r.least != nil && r.greatest != nil && single(r.least) > single(r.greatest) {
		c.fail(i, codes.order, "the least distance of %s is %g and the greatest %g; must be in order", op, single(r.least), single(r.greatest)).warn()
	}
	if t := r.time; t != nil && codes.time != "" && !(single(t) >= 0 && single(t) <= 1) {
		c.fail(i, codes.time, "the time of %s is %g; must be 0 to 1", op, single(t)).warn()
	}
}

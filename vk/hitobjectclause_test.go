package vk

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
)

// clauseTypes are the declarations that the instructions of hitObjectClauses use. The variable %att has attributes of hit objects.
const clauseTypes = `
%bool = OpTypeBool
%v2float = OpTypeVector %float 2
%v2uint = OpTypeVector %uint 2
%m4v3 = OpTypeMatrix %v3float 4
%uint_2 = OpConstant %uint 2
%uint_3 = OpConstant %uint 3
%uint_5 = OpConstant %uint 5
%uint_7 = OpConstant %uint 7
%uint_8 = OpConstant %uint 8
%uint_16 = OpConstant %uint 16
%uint_65 = OpConstant %uint 65
%uint_19 = OpConstant %uint 19
%uint_63 = OpConstant %uint 63
%uint_256 = OpConstant %uint 256
%uint_511 = OpConstant %uint 511
%uint_65536 = OpConstant %uint 65536
%float_2 = OpConstant %float 2
%hundred = OpConstant %float 100
%half = OpConstant %float 0.5
%halves = OpConstantComposite %v2float %half %half
%to_att = OpTypePointer HitObjectAttributeV %v2float
%att = OpVariable %to_att HitObjectAttributeV
%to_local = OpTypePointer Function %object
%two = OpTypeArray %object %uint_2
%to_two = OpTypePointer Private %two
%list = OpVariable %to_two Private
%trace_fn = OpTypeFunction %void %to_local %v3float
`

// clauseFunction traces a ray of the hit object at its parameter.
const clauseFunction = `
%trace = OpFunction %void None %trace_fn
%o = OpFunctionParameter %to_local
%from = OpFunctionParameter %v3float
%trace_label = OpLabel
%scene = OpLoad %10 %top
OpHitObjectTraceRayV %o %scene %uint_0 %uint_255 %uint_0 %uint_0 %uint_0 %from %float_0 %32 %float_100 %p
OpReturn
OpFunctionEnd
`

// hitObjectClauses are instructions that store a number in the payload, by the sentences of SPV_EXT_shader_invocation_reorder and
// SPV_NV_shader_invocation_reorder. Rays 0 and 2 hit a triangle whose front they see, at a distance of 4, in instances at 0 and 20; the
// others miss. ARGS(flags, mask, offset, miss) are the operands of a trace. TIME adds the time of %h in hundredths to the payload.
var hitObjectClauses = []struct {
	name, vendor, instructions string
	want                       [4]uint32
}{
	{"only the 16 low bits of the miss index are used", "", "OpHitObjectTraceRayV %h ARGS(0, 255, 0, 65536)\n" +
		"%r = OpHitObjectGetShaderBindingTableRecordIndexV %uint %h\nOpStore %p %r", [4]uint32{7, 0, 7, 0}},
	{"only the 4 low bits of the offset are used", "", "OpHitObjectTraceRayV %h ARGS(0, 255, 19, 0)\n" +
		"%r = OpHitObjectGetShaderBindingTableRecordIndexV %uint %h\nOpStore %p %r", [4]uint32{10, 0, 10, 0}},
	{"only the 8 low bits of the mask are used: none", "", "OpHitObjectTraceRayV %h ARGS(0, 256, 0, 0)\n" +
		"%b = OpHitObjectIsHitV %bool %h\n%r = OpSelect %uint %b %uint_1 %uint_2\nOpStore %p %r", [4]uint32{2, 2, 2, 2}},
	{"only the 8 low bits of the mask are used: all", "", "OpHitObjectTraceRayV %h ARGS(0, 511, 0, 0)\n" +
		"%b = OpHitObjectIsHitV %bool %h\n%r = OpSelect %uint %b %uint_1 %uint_2\nOpStore %p %r", [4]uint32{1, 2, 1, 2}},
	{"a trace that culls opaque triangles misses", "", "OpHitObjectTraceRayV %h ARGS(65, 255, 0, 0)\n" +
		"%b = OpHitObjectIsMissV %bool %h\n%r = OpSelect %uint %b %uint_1 %uint_2\nOpStore %p %r", [4]uint32{1, 1, 1, 1}},
	{"the ray flags", "EXT", "OpHitObjectTraceRayV %h ARGS(65, 255, 0, 0)\n" +
		"%r = OpHitObjectGetRayFlagsEXT %uint %h\nOpStore %p %r", [4]uint32{65, 65, 65, 65}},
	{"the largest t is the one of the hit, or of the ray", "", "OpHitObjectTraceRayV %h ARGS(0, 255, 0, 0)\n" +
		"%f = OpHitObjectGetRayTMaxV %float %h\n%r = OpConvertFToU %uint %f\nOpStore %p %r", [4]uint32{4, 100, 4, 100}},
	{"the hit kind", "", "OpHitObjectTraceRayV %h ARGS(0, 255, 0, 0)\n%b = OpHitObjectIsHitV %bool %h\n" +
		"%k = OpHitObjectGetHitKindV %uint %h\n%r = OpSelect %uint %b %k %uint_3\nOpStore %p %r", [4]uint32{254, 3, 254, 3}},
	{"the attributes", "", "OpHitObjectTraceRayV %h ARGS(0, 255, 0, 0)\n%b = OpHitObjectIsHitV %bool %h\nOpStore %att %halves\n" +
		"OpHitObjectGetAttributesV %h %att\n%a = OpLoad %v2float %att\n%s = OpVectorTimesScalar %v2float %a %hundred\n" +
		"%x = OpCompositeExtract %float %s 0\n%u = OpConvertFToU %uint %x\n%r = OpSelect %uint %b %u %uint_3\nOpStore %p %r", [4]uint32{25, 3, 25, 3}},
	{"the transformation and the ray of the object", "", "OpHitObjectTraceRayV %h ARGS(0, 255, 0, 0)\n%b = OpHitObjectIsHitV %bool %h\n" +
		"%m = OpHitObjectGetObjectToWorldV %m4v3 %h\n%w = OpCompositeExtract %float %m 3 0\n%d = OpHitObjectGetObjectRayOriginV %v3float %h\n" +
		"%dx = OpCompositeExtract %float %d 0\n%d100 = OpFMul %float %dx %hundred\n%sum = OpFAdd %float %w %d100\n" +
		"%u = OpConvertFToU %uint %sum\n%r = OpSelect %uint %b %u %uint_3\nOpStore %p %r", [4]uint32{25, 3, 45, 3}},
	{"the inverse transformation", "", "OpHitObjectTraceRayV %h ARGS(0, 255, 0, 0)\n%b = OpHitObjectIsHitV %bool %h\n" +
		"%m = OpHitObjectGetWorldToObjectV %m4v3 %h\n%w = OpCompositeExtract %float %m 3 0\n%n = OpFNegate %float %w\n" +
		"%u = OpConvertFToU %uint %n\n%r = OpSelect %uint %b %u %uint_3\nOpStore %p %r", [4]uint32{0, 3, 20, 3}},
	{"the numbers of a hit", "", "OpHitObjectTraceRayV %h ARGS(0, 255, 0, 0)\n%b = OpHitObjectIsHitV %bool %h\n" +
		"%i = OpHitObjectGetInstanceIdV %uint %h\n%c = OpHitObjectGetInstanceCustomIndexV %uint %h\n%q = OpHitObjectGetPrimitiveIndexV %uint %h\n" +
		"%g = OpHitObjectGetGeometryIndexV %uint %h\n%c8 = OpIMul %uint %c %uint_8\n%i2 = OpIMul %uint %i %uint_2\n%s1 = OpIAdd %uint %c8 %i2\n" +
		"%s2 = OpIAdd %uint %s1 %q\n%s3 = OpIAdd %uint %s2 %g\n%r = OpSelect %uint %b %s3 %uint_3\nOpStore %p %r", [4]uint32{801, 3, 811, 3}},
	{"the data of a record follow its handle", "", "OpHitObjectTraceRayV %h ARGS(0, 255, 0, 0)\n" +
		"%a = OpHitObjectGetShaderRecordBufferHandleV %v2uint %h\n%x = OpCompositeExtract %uint %a 0\n%r = OpBitwiseAnd %uint %x %uint_63\nOpStore %p %r",
		[4]uint32{32, 32, 32, 32}},
	{"an execution without closest-hit shaders", "", "OpHitObjectTraceRayV %h ARGS(8, 255, 0, 0)\nOpStore %p %uint_3\nOpHitObjectExecuteShaderV %h %p",
		[4]uint32{3, 12, 3, 12}},
	{"no function is called for an empty object", "", "OpHitObjectTraceRayV %h ARGS(0, 255, 0, 0)\nOpHitObjectRecordEmptyV %h\n" +
		"OpStore %p %uint_3\nOpHitObjectExecuteShaderV %h %p\n%b = OpHitObjectIsEmptyV %bool %h\n%hb = OpHitObjectIsHitV %bool %h\n" +
		"%mb = OpHitObjectIsMissV %bool %h\n%e = OpLogicalOr %bool %hb %mb\n%ne = OpLogicalNot %bool %e\n%be = OpLogicalAnd %bool %b %ne\n" +
		"%v = OpLoad %uint %p\n%r = OpSelect %uint %be %v %uint_5\nOpStore %p %r", [4]uint32{3, 3, 3, 3}},
	{"a recorded miss", "EXT", "OpHitObjectRecordMissEXT %h %uint_16 %uint_0 %29 %float_2 %32 %hundred\nOpHitObjectExecuteShaderEXT %h %p\n" +
		"%f = OpHitObjectGetRayTMinEXT %float %h\n%u = OpConvertFToU %uint %f\n%g = OpHitObjectGetRayFlagsEXT %uint %h\n%v = OpLoad %uint %p\n" +
		"%s = OpIAdd %uint %v %u\n%r = OpIAdd %uint %s %g\nOpStore %p %r", [4]uint32{30, 30, 30, 30}},
	{"a recorded miss", "NV", "OpHitObjectRecordMissNV %h %uint_0 %29 %float_2 %32 %hundred\nOpHitObjectExecuteShaderNV %h %p\n" +
		"%f = OpHitObjectGetRayTMinNV %float %h\n%u = OpConvertFToU %uint %f\n%v = OpLoad %uint %p\n%r = OpIAdd %uint %v %u\nOpStore %p %r",
		[4]uint32{14, 14, 14, 14}},
	{"the index of a record that is set", "EXT", "OpHitObjectTraceRayEXT %h ARGS(0, 255, 3, 0)\n%b = OpHitObjectIsHitEXT %bool %h\n" +
		"%i = OpSelect %uint %b %uint_7 %uint_0\nOpHitObjectSetShaderBindingTableRecordIndexEXT %h %i\nOpHitObjectExecuteShaderEXT %h %p",
		[4]uint32{1100, 12, 1101, 12}},
	{"a recorded hit", "NV", "OpStore %att %halves\n" +
		"OpHitObjectRecordHitNV %h %13 %uint_1 %uint_0 %uint_0 %uint_5 %uint_0 %uint_0 %29 %float_0 %32 %float_2 %att\n" +
		"OpHitObjectExecuteShaderNV %h %p\n%k = OpHitObjectGetHitKindNV %uint %h\n%f = OpHitObjectGetRayTMaxNV %float %h\n%t = OpConvertFToU %uint %f\n" +
		"%v = OpLoad %uint %p\n%s = OpIAdd %uint %v %k\n%r = OpIAdd %uint %s %t\nOpStore %p %r", [4]uint32{1108, 1108, 1108, 1108}},
	{"a recorded hit with an index", "NV", "OpStore %att %halves\n" +
		"OpHitObjectRecordHitWithIndexNV %h %13 %uint_1 %uint_0 %uint_0 %uint_5 %uint_7 %29 %float_0 %32 %float_2 %att\n" +
		"OpHitObjectExecuteShaderNV %h %p\nOpHitObjectGetAttributesNV %h %att\n%a = OpLoad %v2float %att\n%x = OpCompositeExtract %float %a 1\n" +
		"%x100 = OpFMul %float %x %hundred\n%u = OpConvertFToU %uint %x100\n%v = OpLoad %uint %p\n%r = OpIAdd %uint %v %u\nOpStore %p %r",
		[4]uint32{1151, 1151, 1151, 1151}},
	{"the time of a trace without one", "", "OpHitObjectTraceRayV %h ARGS(0, 255, 0, 0)\nOpHitObjectExecuteShaderV %h %p\nTIME", [4]uint32{1100, 12, 1101, 12}},
	{"the time of a recorded miss", "EXT", "OpHitObjectRecordMissMotionEXT %h %uint_16 %uint_0 %29 %float_0 %32 %hundred %half\n" +
		"OpHitObjectExecuteShaderEXT %h %p\nTIME", [4]uint32{62, 62, 62, 62}},
	{"the time of a recorded miss", "NV", "OpHitObjectRecordMissMotionNV %h %uint_0 %29 %float_0 %32 %hundred %half\n" +
		"OpHitObjectExecuteShaderNV %h %p\nTIME", [4]uint32{62, 62, 62, 62}},
	{"the time of a recorded hit", "NV", "OpStore %att %halves\n" +
		"OpHitObjectRecordHitMotionNV %h %13 %uint_1 %uint_0 %uint_0 %uint_5 %uint_0 %uint_0 %29 %float_0 %32 %float_2 %half %att\n" +
		"OpHitObjectExecuteShaderNV %h %p\nTIME", [4]uint32{1151, 1151, 1151, 1151}},
	{"the time of a recorded hit with an index", "NV", "OpStore %att %halves\n" +
		"OpHitObjectRecordHitWithIndexMotionNV %h %13 %uint_1 %uint_0 %uint_0 %uint_5 %uint_7 %29 %float_0 %32 %float_2 %half %att\n" +
		"OpHitObjectExecuteShaderNV %h %p\nTIME", [4]uint32{1151, 1151, 1151, 1151}},
	{"an object of a function", "", "%call = OpFunctionCall %void %trace %local %29\nOpHitObjectExecuteShaderV %local %p", [4]uint32{1100, 12, 1101, 12}},
	{"an object of an array", "", "%bit = OpBitwiseAnd %uint %21 %uint_1\n%other = OpBitwiseXor %uint %bit %uint_1\n" +
		"%e0 = OpAccessChain %to_object %list %bit\n%e1 = OpAccessChain %to_object %list %other\nOpHitObjectRecordEmptyV %e1\n" +
		"OpHitObjectTraceRayV %e0 ARGS(0, 255, 0, 0)\nOpHitObjectExecuteShaderV %e1 %p\nOpHitObjectExecuteShaderV %e0 %p", [4]uint32{1100, 12, 1101, 12}},
	{"a committed triangle of a query", "EXT", "OpStore %att %halves\n" +
		"OpRayQueryInitializeKHR %query %13 %uint_0 %uint_255 %29 %float_0 %32 %float_100\n%again = OpRayQueryProceedKHR %bool %query\n" +
		"OpRayQueryConfirmIntersectionKHR %query\n%over = OpRayQueryProceedKHR %bool %query\n" +
		"OpHitObjectRecordFromQueryEXT %h %query %uint_7 %att %uint_5\nOpStore %p %uint_3\nOpHitObjectExecuteShaderEXT %h %p\n" +
		"%b = OpHitObjectIsHitEXT %bool %h\n%k = OpHitObjectGetHitKindEXT %uint %h\nOpHitObjectGetAttributesEXT %h %att\n" +
		"%a = OpLoad %v2float %att\n%x = OpCompositeExtract %float %a 0\n%x100 = OpFMul %float %x %hundred\n%u = OpConvertFToU %uint %x100\n" +
		"%v = OpLoad %uint %p\n%s = OpIAdd %uint %v %k\n%s2 = OpIAdd %uint %s %u\n%r = OpSelect %uint %b %s2 %v\nOpStore %p %r",
		[4]uint32{1379, 3, 1380, 3}},
}

// clauseText returns the assembly of a ray generation shader with the instructions.
func clauseText(t testing.TB, vendor, instructions string) string {
	for {
		before, rest, ok := strings.Cut(instructions, "ARGS(")
		if !ok {
			break
		}
		args, after, _ := strings.Cut(rest, ")")
		a := strings.Split(args, ", ")
		instructions = before + fmt.Sprintf("%%13 %%uint_%s %%uint_%s %%uint_%s %%uint_0 %%uint_%s %%29 %%float_0 %%32 %%float_100 %%p", a[0], a[1], a[2], a[3]) + after
	}
	motion := ""
	if strings.Contains(instructions, "TIME") {
		motion = "OpCapability RayTracingMotionBlurNV\nOpExtension \"SPV_NV_ray_tracing_motion_blur\"\n"
		instructions = strings.Replace(instructions, "TIME", "%now = OpHitObjectGetCurrentTimeV %float %h\n%now100 = OpFMul %float %now %hundred\n"+
			"%now_u = OpConvertFToU %uint %now100\n%got = OpLoad %uint %p\n%r = OpIAdd %uint %got %now_u\nOpStore %p %r", 1)
	}
	local := "%5 = OpLabel\n%local = OpVariable %to_local Function\n"
	types, query := clauseTypes, ""
	if strings.Contains(instructions, "%query") {
		query = "OpCapability RayQueryKHR\nOpExtension \"SPV_KHR_ray_query\"\n"
		types += "%query_type = OpTypeRayQueryKHR\n%to_query = OpTypePointer Function %query_type\n"
		local += "%query = OpVariable %to_query Function\n"
	}
	text := hitObjectText(t, vendor, instructions)
	text = strings.NewReplacer(
		"OpCapability RayTracingKHR\n", "OpCapability RayTracingKHR\n"+query+motion, "%__0 %h", "%__0 %h %att %list",
		"%main = OpFunction", types+clauseFunction+"%main = OpFunction", "%5 = OpLabel\n", local,
	).Replace(text)
	capability, rest, _ := strings.Cut(text, "OpCapability RayTracingKHR\n") // capabilities come before extensions
	lines := strings.Split(rest, "\n")
	var capabilities, others []string
	for _, l := range lines {
		if strings.HasPrefix(l, "OpCapability") {
			capabilities = append(capabilities, l)
		} else {
			others = append(others, l)
		}
	}
	text = capability + "OpCapability RayTracingKHR\n" + strings.Join(append(capabilities, others...), "\n")
	replace := []string{}
	for _, name := range []string{"TraceRay", "ExecuteShader", "RecordEmpty", "IsHit", "IsMiss", "IsEmpty", "GetRayTMax", "GetCurrentTime", "GetHitKind", "GetAttributes",
		"GetObjectToWorld", "GetWorldToObject", "GetObjectRayOrigin", "GetInstanceId", "GetInstanceCustomIndex", "GetPrimitiveIndex", "GetGeometryIndex",
		"GetShaderBindingTableRecordIndex", "GetShaderRecordBufferHandle"} {
		replace = append(replace, "OpHitObject"+name+"V ", "OpHitObject"+name+vendor+" ")
	}
	return strings.NewReplacer(append(replace, "HitObjectAttributeV", "HitObjectAttribute"+vendor)...).Replace(text)
}

// TestHitObjectClauses runs the instructions of hitObjectClauses on both engines and for all sizes of subgroups.
func TestHitObjectClauses(t *testing.T) {
	for engine, of := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		r := newRayScene(t, DeviceInfo{Engine: of})
		for _, c := range hitObjectClauses {
			for _, vendor := range []string{"NV", "EXT"} {
				if c.vendor != "" && c.vendor != vendor {
					continue
				}
				stages := rayStages(t)
				stages[0].StageInfo = StageInfo{Code: code(t, clauseText(t, vendor, c.instructions))}
				for _, size := range []uint32{4, 16, 64} {
					for i := range stages {
						stages[i].SubgroupSize = size
					}
					p := r.pipeline(t, RayTracingPipelineInfo{Stages: stages, Groups: rayGroups(), Depth: 1})
					tables := r.tables(t, p, 0, 1, 2)
					r.run(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 4, 1, 1) })
					for i, want := range c.want {
						if got := r.word(rayOutput+4*i) - 10000; got != want {
							t.Errorf("%s, %s, %s, subgroups of %d: ray %d has %d; must have %d", c.name, vendor, engine, size, i, got, want)
						}
					}
				}
			}
		}
	}
}

// TestHitObjectSpheres reads spheres and swept spheres of hit objects, in object space, in two instances of which one is moved
// (SPV_NV_linear_swept_spheres): the value is 1000 for a sphere, 2000 for a swept sphere, plus a coordinate and radii in hundredths.
func TestHitObjectSpheres(t *testing.T) {
	const (
		begin = "OpHitObjectTraceRayV %h ARGS(0, 255, 0, 0)\n%hit = OpHitObjectIsHitV %bool %h\n" +
			"%ball = OpHitObjectIsSphereHitNV %bool %h\n%swept = OpHitObjectIsLSSHitNV %bool %h\n" +
			"%v1 = OpSelect %uint %ball %uint_1000 %uint_0\n%v2 = OpSelect %uint %swept %uint_2000 %uint_0\n%kind = OpIAdd %uint %v1 %v2\n"
		end = "%sum100 = OpFMul %float %sum %hundred\n%number = OpConvertFToU %uint %sum100\n%value = OpIAdd %uint %kind %number\n" +
			"%r = OpSelect %uint %hit %value %uint_3\nOpStore %p %r"
		sphere = "%center = OpHitObjectGetSpherePositionNV %v3float %h\n%x = OpCompositeExtract %float %center 0\n" +
			"%radius = OpHitObjectGetSphereRadiusNV %float %h\n%sum = OpFAdd %float %x %radius\n"
		swept = "%ends = OpHitObjectGetLSSPositionsNV %two_points %h\n%x = OpCompositeExtract %float %ends 1 0\n" +
			"%radii = OpHitObjectGetLSSRadiiNV %two_floats %h\n%first = OpCompositeExtract %float %radii 0\n%sum = OpFAdd %float %x %first\n"
		none = "%sum = OpFAdd %float %float_0 %float_2\n"
	)
	balls, chain := []float32{.25, .25, 0, 1}, []float32{-1, .25, 0, .5, 3, .25, 0, 1.5}
	for engine, of := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		for _, c := range []struct {
			name, getters string
			list          []float32 // nil for triangles
			want          [4]uint32
		}{
			{"spheres", sphere, balls, [4]uint32{1125, 3, 1125, 3}},
			{"swept spheres", swept, chain, [4]uint32{2350, 3, 2350, 3}},
			{"triangles", none, nil, [4]uint32{200, 3, 200, 3}},
		} {
			r := newRayScene(t, DeviceInfo{Engine: of})
			bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
			info, groups := r.bottom(bottom, 2), rayGroups()
			if c.list != nil {
				info = r.spheres(bottom, len(c.list) > 4, 1, c.list...)
			}
			r.build(t, info)
			r.instance(0, bottom, 0)
			r.instance(1, bottom, 20)
			r.build(t, r.top(top, 2))
			r.write(t, r.set, top)
			stages := rayStages(t)
			text := clauseText(t, "NV", begin+c.getters+end)
			text = strings.NewReplacer(
				"OpCapability RayTracingKHR\n", "OpCapability RayTracingKHR\nOpCapability RayTracingSpheresGeometryNV\n"+
					"OpCapability RayTracingLinearSweptSpheresGeometryNV\n",
				"OpExtension \"SPV_KHR_ray_tracing\"", "OpExtension \"SPV_KHR_ray_tracing\"\nOpExtension \"SPV_NV_linear_swept_spheres\"",
				"%uint_2 = ", "%uint_1000 = OpConstant %uint 1000\n%uint_2000 = OpConstant %uint 2000\n%uint_2 = ",
				"%to_att = ", "%two_points = OpTypeArray %v3float %uint_2\n%two_floats = OpTypeArray %float %uint_2\n%to_att = ",
			).Replace(text)
			stages[0].StageInfo = StageInfo{Code: code(t, text)}
			p := r.pipeline(t, RayTracingPipelineInfo{Stages: stages, Groups: groups, Depth: 1})
			tables := r.tables(t, p, 0, 1, 2)
			r.run(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 4, 1, 1) })
			for i, want := range c.want {
				if got := r.word(rayOutput+4*i) - 10000; got != want {
					t.Errorf("%s, %s: ray %d has %d; must have %d", c.name, engine, i, got, want)
				}
			}
		}
	}
}

package vk

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// The limits of random pipelines. A payload has a word for each of randomWords values, and then its level.
const (
	randomWords      = 5
	randomDepth      = 3
	randomPrimitives = 20
	randomRecord     = 64
	randomTriangles  = 8 // records of triangles, before those of boxes

	randomLeafFlags = "%u513" // opaque, without boxes
)

// randomShader writes the text of one shader. All values are 32-bit integers; a value of an inner block has no use after it. A shader for a
// structure that moves traces rays with times, and its ray queries generate no intersections (VUID-RuntimeSpirv-OpRayQueryGenerateIntersectionKHR-06354).
// Hit objects are of EXT or of NV: text replaces the names of their common instructions.
type randomShader struct {
	r      *rand.Rand
	model  spirv.ExecutionModel
	body   strings.Builder
	count  int
	values []string
	traces int // it may still trace, or query, this often
	depth  int // of blocks
	moves  bool
	nvidia bool // hit objects are of NV
	skips  enum.PipelineFlags
}

// randomInputs are the built-ins of stages: the name, the type, the path to a 32-bit number, and the first letters of the models.
var randomInputs = []struct{ name, kind, path, models string }{
	{"LaunchIdKHR", "v3uint", "%u0", "RMCAIE"}, {"LaunchSizeKHR", "v3uint", "%u1", "RMCAIE"},
	{"PrimitiveId", "uint", "", "CAI"}, {"InstanceId", "uint", "", "CAI"}, {"InstanceCustomIndexKHR", "uint", "", "CAI"},
	{"RayGeometryIndexKHR", "uint", "", "CAI"}, {"HitKindKHR", "uint", "", "CA"}, {"IncomingRayFlagsKHR", "uint", "", "MCAI"},
	{"RayTminKHR", "float", "", "MCAI"}, {"RayTmaxKHR", "float", "", "MCA"},
	{"WorldRayOriginKHR", "v3float", "%u1", "MCAI"}, {"WorldRayDirectionKHR", "v3float", "%u2", "MCAI"},
	{"ObjectRayOriginKHR", "v3float", "%u0", "CAI"}, {"ObjectRayDirectionKHR", "v3float", "%u2", "CAI"},
	{"ObjectToWorldKHR", "matrix", "%u3 %u1", "CAI"}, {"WorldToObjectKHR", "matrix", "%u1 %u2", "CAI"}, {"CurrentRayTimeNV", "float", "", "MCAI"},
}

// letter returns the letter of the model in randomInputs.
func (s *randomShader) letter() string {
	return map[spirv.ExecutionModel]string{
		spirv.ExecutionModelRayGenerationKHR: "R", spirv.ExecutionModelMissKHR: "M", spirv.ExecutionModelClosestHitKHR: "C",
		spirv.ExecutionModelAnyHitKHR: "A", spirv.ExecutionModelIntersectionKHR: "I", spirv.ExecutionModelCallableKHR: "E",
	}[s.model]
}

// emit writes an instruction whose result, if it has one, is a new id.
func (s *randomShader) emit(format string, args ...any) string {
	s.count++
	id := fmt.Sprintf("%%x%d", s.count)
	text := fmt.Sprintf(format, args...)
	if result, ok := strings.CutPrefix(text, "="); ok {
		text = id + " = " + result
	}
	s.body.WriteString(text + "\n")
	return id
}

func (s *randomShader) value() string { return s.values[s.r.IntN(len(s.values))] }

func (s *randomShader) add(id string) { s.values = append(s.values, id) }

// small returns a value less than n, a power of two.
func (s *randomShader) small(n int) string {
	if s.r.IntN(2) == 0 {
		return fmt.Sprintf("%%u%d", s.r.IntN(n))
	}
	return s.emit("=OpBitwiseAnd %%uint %s %%u%d", s.value(), n-1)
}

// word returns a pointer to a word of a variable of a class.
func (s *randomShader) word(class, variable, at string) string {
	return s.emit("=OpAccessChain %%to_%s_uint %s %s", class, variable, at)
}

func (s *randomShader) load(class, variable, at string) string {
	return s.emit("=OpLoad %%uint %s", s.word(class, variable, at))
}

// data returns a word of the buffer.
func (s *randomShader) data(at string) string {
	return s.emit("=OpLoad %%uint %s", s.emit("=OpAccessChain %%to_StorageBuffer_uint %%out %%u0 %s", at))
}

// incoming returns the class of the variable that the caller has given the shader; "" if it has none.
func (s *randomShader) incoming() string {
	switch s.letter() {
	case "M", "C", "A":
		return "IncomingRayPayloadKHR"
	case "E":
		return "IncomingCallableDataKHR"
	}
	return ""
}

// branch writes a block for the lanes with a condition, and perhaps one for the others.
func (s *randomShader) branch(condition string, then func()) {
	merge := s.label()
	block := func(body func()) {
		known, depth := len(s.values), s.depth
		s.depth++
		body()
		s.values, s.depth = s.values[:known], depth
	}
	yes, no := s.label(), merge
	other := s.r.IntN(3) == 0
	if other {
		no = s.label()
	}
	s.emit("OpSelectionMerge %s None\nOpBranchConditional %s %s %s\n%s = OpLabel", merge, condition, yes, no, yes)
	block(then)
	s.emit("OpBranch %s", merge)
	if other {
		s.emit("%s = OpLabel", no)
		block(func() { s.steps(3) })
		s.emit("OpBranch %s", merge)
	}
	s.emit("%s = OpLabel", merge)
}

func (s *randomShader) label() string {
	s.count++
	return fmt.Sprintf("%%x%d", s.count)
}

func (s *randomShader) condition() string {
	op := []string{"OpULessThan", "OpIEqual", "OpSLessThan"}[s.r.IntN(3)]
	a, b := s.value(), s.value()
	if s.r.IntN(2) == 0 {
		a, b = s.small(4), s.small(4)
	}
	return s.emit("=%s %%bool %s %s", op, a, b)
}

// loop repeats a block up to three times.
func (s *randomShader) loop(body func()) {
	head, test, block, next, end := s.label(), s.label(), s.label(), s.label(), s.label()
	n := s.small(4)
	s.emit("OpStore %%i%d %%u0\nOpBranch %s\n%s = OpLabel\nOpLoopMerge %s %s None\nOpBranch %s\n%s = OpLabel", s.depth, head, head, end, next, test, test)
	i := s.emit("=OpLoad %%uint %%i%d", s.depth)
	s.emit("OpBranchConditional %s %s %s\n%s = OpLabel", s.emit("=OpULessThan %%bool %s %s", i, n), block, end, block)
	known, depth, traces := len(s.values), s.depth, s.traces
	if s.model != spirv.ExecutionModelRayGenerationKHR {
		s.traces = 0 // the number of rays is bounded
	}
	s.add(i)
	s.depth++
	body()
	s.values, s.depth, s.traces = s.values[:known], depth, min(traces, s.traces)
	if s.model != spirv.ExecutionModelRayGenerationKHR {
		s.traces = traces
	}
	s.emit("OpBranch %s\n%s = OpLabel", next, next)
	j := s.emit("=OpLoad %%uint %%i%d", s.depth)
	s.emit("OpStore %%i%d %s\nOpBranch %s\n%s = OpLabel", s.depth, s.emit("=OpIAdd %%uint %s %%u1", j), head, end)
}

// ray returns the operands of a trace up to the largest distance: one of the rays of the buffer.
func (s *randomShader) ray(query bool) string {
	return s.rayWith(s.flags(query), query)
}

// flags returns the flags of a ray: one, or another in some lanes. A pipeline that skips boxes has no rays that skip triangles, and the other
// way round (VUID-RuntimeSpirv-OpTraceRayKHR-06553).
func (s *randomShader) flags(query bool) string {
	flags := []string{"%u0", "%u0", "%u1", "%u2", "%u4", "%u8", "%u12", "%u16", "%u32", "%u64", "%u128", "%u256", "%u512", "%u1024"}
	without := map[enum.PipelineFlags]string{enum.PipelineFlagsRayTracingSkipTriangles: "%u512", enum.PipelineFlagsRayTracingSkipAabbs: "%u256"}[s.skips]
	if !query {
		flags = slices.DeleteFunc(flags, func(f string) bool { return f == without })
	}
	flag := func() string { return flags[s.r.IntN(len(flags))] }
	of := flag()
	if s.r.IntN(2) == 0 {
		of = s.emit("=OpSelect %%uint %s %s %s", s.condition(), of, flag())
	}
	return of
}

// rayWith is ray with flags.
func (s *randomShader) rayWith(of string, query bool) string {
	origin, direction := s.line()
	mask := "%u255"
	if s.r.IntN(3) == 0 {
		mask = s.value()
	}
	top := s.emit("=OpLoad %%structure %%top")
	records := fmt.Sprintf(" %s %s %s", s.small(2), s.small(2), s.small(4))
	if query {
		records = ""
	}
	return fmt.Sprintf("%s %s %s%s %s %%f0 %s %%f100", top, of, mask, records, origin, direction)
}

// line returns the origin and the direction of one of the rays of the buffer.
func (s *randomShader) line() (origin, direction string) {
	at := s.emit("=OpIMul %%uint %s %%u8", s.emit("=OpBitwiseAnd %%uint %s %%u127", s.value()))
	vector := func(from int) string {
		var list [3]any
		for k := range list {
			list[k] = s.emit("=OpBitcast %%float %s", s.data(s.emit("=OpIAdd %%uint %s %%u%d", at, from+k)))
		}
		return s.emit("=OpCompositeConstruct %%v3float %s %s %s", list[:]...)
	}
	return vector(0), vector(4)
}

// trace traces a ray by a payload of the shader, or by a hit object, unless the level is the last one: then a ray of a hit object invokes no
// shader. A hit object may also be executed as it is: one of an earlier trace, or an empty one.
func (s *randomShader) trace() {
	level := "%u1"
	if s.incoming() != "" {
		level = s.emit("=OpIAdd %%uint %s %%u1", s.load(s.incoming(), "%in", fmt.Sprintf("%%u%d", randomWords)))
	}
	s.branch(s.emit("=OpULessThanEqual %%bool %s %%u%d", level, randomDepth), func() {
		p := fmt.Sprintf("%%p%d", s.r.IntN(2))
		s.emit("OpStore %s %s", s.word("RayPayloadKHR", p, fmt.Sprintf("%%u%d", randomWords)), level)
		for range s.r.IntN(3) {
			s.emit("OpStore %s %s", s.word("RayPayloadKHR", p, s.small(4)), s.value())
		}
		first := s.letter() == "R" // the only stage that reorders invocations
		moment, motion := "", ""
		if s.moves && s.r.IntN(4) > 0 {
			moment, motion = " "+s.moment(), "Motion"
		}
		switch ray, way := s.ray(false)+moment, s.r.IntN(7); {
		case way < 4:
			s.execute([]string{"OpHitObjectTraceRay" + motion + "EXT OBJECT " + ray + " " + p, "", "miss", "hit"}[way], p)
		case way == 4 && first && !s.nvidia:
			o := s.hitObject()
			s.emit("OpHitObjectTrace%sReorderExecuteEXT %s %s %s%s", motion, o, ray, p, s.hint())
			s.object(o)
		case motion != "":
			s.emit("OpTraceRayMotionNV %s %s", ray, p)
		default:
			s.emit("OpTraceRayKHR %s %s", ray, p)
		}
		at := s.small(4)
		s.add(s.load("RayPayloadKHR", p, at))
		s.change(s.value())
	})
	if s.skips != enum.PipelineFlagsRayTracingSkipTriangles && s.r.IntN(3) == 0 {
		s.branch(s.emit("=OpUGreaterThan %%bool %s %%u%d", level, randomDepth), func() {
			o := s.hitObject()
			s.emit("OpHitObjectTraceRayEXT %s %s %%p0", o, s.rayWith(randomLeafFlags, false))
			s.object(o)
		})
	}
}

// execute makes a hit object by a trace, or by a recorded miss or hit, or leaves one as it is, and perhaps executes it.
func (s *randomShader) execute(from, payload string) {
	o := s.hitObject()
	switch from {
	case "":
	case "miss":
		s.recordMiss(o)
	case "hit":
		if s.nvidia {
			s.recordHit(o)
		} else {
			s.recordQuery(o)
		}
	default:
		s.emit("%s", strings.Replace(from, "OBJECT", o, 1))
	}
	s.object(o)
	first := s.letter() == "R"
	if first && s.r.IntN(2) == 0 {
		s.emit("OpReorderThreadWithHitObjectEXT %s%s", o, s.hint())
	}
	if first && s.r.IntN(4) == 0 {
		s.emit("OpReorderThreadWithHintEXT %s %%u4", s.value())
	}
	switch way := s.r.IntN(4); {
	case way == 0 && first && !s.nvidia:
		s.emit("OpHitObjectReorderExecuteShaderEXT %s %s%s", o, payload, s.hint())
	case way > 0:
		s.emit("OpHitObjectExecuteShaderEXT %s %s", o, payload)
	}
	s.object(o)
}

// hitObject returns a pointer to a hit object: to %h, or to one of an array.
func (s *randomShader) hitObject() string {
	if s.r.IntN(2) == 0 {
		return "%h"
	}
	return s.emit("=OpAccessChain %%to_object %%list %s", s.small(2))
}

// hint returns the operands of a hint, or none.
func (s *randomShader) hint() string {
	if s.r.IntN(2) == 0 {
		return ""
	}
	return " " + s.value() + " %u4"
}

// moment returns a time.
func (s *randomShader) moment() string {
	return s.emit("=OpFMul %%float %s %%f0_25", s.emit("=OpConvertUToF %%float %s", s.emit("=OpBitwiseAnd %%uint %s %%u3", s.value())))
}

// perhapsMoment returns the part of a name and the operand of a time, or nothing.
func (s *randomShader) perhapsMoment() (motion, moment string) {
	if s.r.IntN(2) == 0 {
		return "Motion", " " + s.moment()
	}
	return "", ""
}

// recordHit makes a hit object one of a hit in a primitive of an instance. The record of an indexed form is one of its kind of geometry.
func (s *randomShader) recordHit(o string) {
	origin, direction := s.line()
	motion, moment := s.perhapsMoment()
	top, instance, geometry := s.emit("=OpLoad %%structure %%top"), s.small(randomCount), s.small(2)
	s.emit("OpStore %s %s", s.emit("=OpAccessChain %%to_HitObjectAttributeEXT_float %%att %s", s.small(2)), s.distance(s.value()))
	name, record := "", s.small(4)+" "+s.small(2)
	if s.r.IntN(2) == 0 {
		boxes := s.emit("=OpIEqual %%bool %s %%u1", s.emit("=OpBitwiseAnd %%uint %s %%u3", instance))
		of := s.emit("=OpSelect %%uint %s %%u%d %%u0", boxes, randomTriangles)
		name, record = "WithIndex", s.emit("=OpIAdd %%uint %s %s", of, s.small(randomTriangles))
	}
	primitive := s.emit("=OpBitwiseAnd %%uint %s %%u15", s.value())
	kind := s.emit("=OpBitwiseAnd %%uint %s %%u127", s.value())
	s.emit("OpHitObjectRecordHit%s%sEXT %s %s %s %s %s %s %s %s %%f0 %s %s%s %%att",
		name, motion, o, top, instance, primitive, geometry, kind, record, origin, direction, s.distance(s.value()), moment)
}

// recordMiss makes a hit object one of a miss, or in some lanes an empty one.
func (s *randomShader) recordMiss(o string) {
	origin, direction := s.line()
	motion, moment := s.perhapsMoment()
	flags := " %u16"
	if s.nvidia {
		flags = ""
	}
	s.emit("OpHitObjectRecordMiss%sEXT %s%s %s %s %%f0 %s %%f100%s", motion, o, flags, s.small(4), origin, direction, moment)
	if s.r.IntN(2) == 0 {
		s.branch(s.condition(), func() { s.emit("OpHitObjectRecordEmptyEXT %s", o) })
	}
}

// recordQuery makes a hit object one of the committed intersection of a ray query. Its record is one of those of its kind of geometry.
func (s *randomShader) recordQuery(o string) {
	s.query()
	kind := s.emit("=OpRayQueryGetIntersectionTypeKHR %%uint %%q %%u1")
	of := s.emit("=OpSelect %%uint %s %%u8 %%u0", s.emit("=OpIEqual %%bool %s %%u2", kind))
	record := s.emit("=OpIAdd %%uint %s %s", of, s.small(randomTriangles))
	s.emit("OpStore %s %s", s.emit("=OpAccessChain %%to_HitObjectAttributeEXT_float %%att %s", s.small(2)), s.distance(s.value()))
	s.emit("OpHitObjectRecordFromQueryEXT %s %%q %s %%att %s", o, record, s.emit("=OpBitwiseAnd %%uint %s %%u127", s.value()))
}

// number adds a float, and stores a value.
func (s *randomShader) number(of string) {
	s.add(s.emit("=OpBitcast %%uint %s", of))
	s.change(s.value())
}

// part adds a component of a composite of floats.
func (s *randomShader) part(of string, path ...int) {
	for _, i := range path {
		of += fmt.Sprint(" ", i)
	}
	s.number(s.emit("=OpCompositeExtract %%float %s", of))
}

// object asks a hit object, and perhaps gives it another record of the same kind of geometry, or of misses.
func (s *randomShader) object(o string) {
	for _, is := range []string{"Empty", "Miss"} {
		s.add(s.emit("=OpSelect %%uint %s %s %s", s.emit("=OpHitObjectIs%sEXT %%bool %s", is, o), s.value(), s.value()))
	}
	if s.r.IntN(2) == 0 {
		empty := s.emit("=OpHitObjectIsEmptyEXT %%bool %s", o)
		s.branch(s.emit("=OpLogicalNot %%bool %s", empty), func() { s.objectRay(o) })
	}
	s.branch(s.emit("=OpHitObjectIsHitEXT %%bool %s", o), func() { s.objectHit(o) })
}

// objectRay asks a hit object of a hit or of a miss for its ray and its record.
func (s *randomShader) objectRay(o string) {
	name := []string{"RayTMin", "RayTMax", "CurrentTime"}[s.r.IntN(3)]
	s.number(s.emit("=OpHitObjectGet%sEXT %%float %s", name, o))
	switch way := s.r.IntN(4); {
	case way == 0 && !s.nvidia:
		s.add(s.emit("=OpHitObjectGetRayFlagsEXT %%uint %s", o))
	case way <= 1:
		s.part(s.emit("=OpHitObjectGetWorldRay%sEXT %%v3float %s", []string{"Origin", "Direction"}[s.r.IntN(2)], o), s.r.IntN(3))
	case way == 2:
		old := s.emit("=OpHitObjectGetShaderBindingTableRecordIndexEXT %%uint %s", o)
		if s.nvidia {
			s.add(old)
			return
		}
		s.emit("OpHitObjectSetShaderBindingTableRecordIndexEXT %s %s", o, s.emit("=OpBitwiseXor %%uint %s %s", old, s.small(4)))
	case way == 3:
		handle := s.emit("=OpHitObjectGetShaderRecordBufferHandleEXT %%v2uint %s", o)
		s.add(s.emit("=OpBitwiseAnd %%uint %s %%u127", s.emit("=OpCompositeExtract %%uint %s 0", handle)))
	}
}

// objectHit asks a hit object of a hit.
func (s *randomShader) objectHit(o string) {
	names := []string{"PrimitiveIndex", "InstanceId", "InstanceCustomIndex", "GeometryIndex", "HitKind", "ShaderBindingTableRecordIndex", "RayFlags"}
	if s.nvidia {
		names = names[:6]
	}
	name := names[s.r.IntN(len(names))]
	s.add(s.emit("=OpHitObjectGet%sEXT %%uint %s", name, o))
	s.number(s.emit("=OpHitObjectGetRayTMaxEXT %%float %s", o))
	switch s.r.IntN(4) {
	case 0:
		s.part(s.emit("=OpHitObjectGetObjectRay%sEXT %%v3float %s", []string{"Origin", "Direction"}[s.r.IntN(2)], o), s.r.IntN(3))
	case 1:
		matrix := []string{"ObjectToWorld", "WorldToObject"}[s.r.IntN(2)]
		s.part(s.emit("=OpHitObjectGet%sEXT %%matrix %s", matrix, o), s.r.IntN(4), s.r.IntN(3))
	case 2:
		s.emit("OpHitObjectGetAttributesEXT %s %%att", o)
		s.part(s.emit("=OpLoad %%v2float %%att"), s.r.IntN(2))
	case 3:
		if s.nvidia {
			s.objectSphere(o)
			return
		}
		kind := s.emit("=OpHitObjectGetHitKindEXT %%uint %s", o)
		s.branch(s.emit("=OpUGreaterThan %%bool %s %%u127", kind), func() { // a triangle
			s.part(s.emit("=OpHitObjectGetIntersectionTriangleVertexPositionsEXT %%corners %s", o), s.r.IntN(3), s.r.IntN(3))
		})
	}
}

// objectSphere asks a hit object of a hit for its sphere or its swept sphere.
func (s *randomShader) objectSphere(o string) {
	s.branch(s.emit("=OpHitObjectIsSphereHitNV %%bool %s", o), func() {
		s.part(s.emit("=OpHitObjectGetSpherePositionNV %%v3float %s", o), s.r.IntN(3))
		s.number(s.emit("=OpHitObjectGetSphereRadiusNV %%float %s", o))
	})
	s.branch(s.emit("=OpHitObjectIsLSSHitNV %%bool %s", o), func() {
		s.part(s.emit("=OpHitObjectGetLSSPositionsNV %%ends %s", o), s.r.IntN(2), s.r.IntN(3))
		s.part(s.emit("=OpHitObjectGetLSSRadiiNV %%radii %s", o), s.r.IntN(2))
	})
}

// query runs a ray query, which accepts some candidates.
func (s *randomShader) query() {
	s.emit("OpRayQueryInitializeKHR %%q %s", s.ray(true))
	head, test, block, next, end := s.label(), s.label(), s.label(), s.label(), s.label()
	s.emit("OpBranch %s\n%s = OpLabel\nOpLoopMerge %s %s None\nOpBranch %s\n%s = OpLabel", head, head, end, next, test, test)
	s.emit("OpBranchConditional %s %s %s\n%s = OpLabel", s.emit("=OpRayQueryProceedKHR %%bool %%q"), block, end, block)
	kind := s.emit("=OpRayQueryGetIntersectionTypeKHR %%uint %%q %%u0")
	primitive := s.emit("=OpRayQueryGetIntersectionPrimitiveIndexKHR %%uint %%q %%u0")
	yes, no, box := s.label(), s.label(), s.label()
	s.emit("OpSelectionMerge %s None\nOpBranchConditional %s %s %s\n%s = OpLabel", no, s.emit("=OpIEqual %%bool %s %%u0", kind), yes, box, yes)
	confirm, after := s.label(), s.label()
	s.emit("OpSelectionMerge %s None\nOpBranchConditional %s %s %s\n%s = OpLabel\nOpRayQueryConfirmIntersectionKHR %%q\nOpBranch %s\n%s = OpLabel\nOpBranch %s",
		after, s.emit("=OpIEqual %%bool %s %%u0", s.emit("=OpBitwiseAnd %%uint %s %s", primitive, s.small(4))), confirm, after, confirm, after, after, no)
	s.emit("%s = OpLabel", box)
	if !s.moves {
		s.emit("OpRayQueryGenerateIntersectionKHR %%q %s", s.distance(primitive))
	}
	s.emit("OpBranch %s\n%s = OpLabel\nOpBranch %s\n%s = OpLabel\nOpBranch %s\n%s = OpLabel", no, no, next, next, head, end)
	s.add(s.emit("=OpRayQueryGetIntersectionTypeKHR %%uint %%q %%u1"))
	s.add(s.emit("=OpBitcast %%uint %s", s.emit("=OpRayQueryGetIntersectionTKHR %%float %%q %%u1")))
	for _, is := range []string{"Sphere", "LSS"} {
		s.add(s.emit("=OpSelect %%uint %s %s %s", s.emit("=OpRayQueryIs%sHitNV %%bool %%q %%u1", is), s.value(), s.value()))
	}
}

// distance returns a number that depends on a value.
func (s *randomShader) distance(of string) string {
	return s.emit("=OpFMul %%float %s %%f0_25", s.emit("=OpConvertUToF %%float %s", s.emit("=OpBitwiseAnd %%uint %s %%u15", of)))
}

// call executes a callable shader, which executes others up to a depth of 2.
func (s *randomShader) call() {
	run := func() {
		level := "%u1"
		if s.letter() == "E" {
			level = "%u2"
		}
		s.emit("OpStore %s %s", s.word("CallableDataKHR", "%d", fmt.Sprintf("%%u%d", randomWords)), level)
		s.emit("OpStore %s %s", s.word("CallableDataKHR", "%d", s.small(4)), s.value())
		s.emit("OpExecuteCallableKHR %s %%d", s.small(4))
		s.add(s.load("CallableDataKHR", "%d", s.small(4)))
		s.change(s.value())
	}
	if s.letter() != "E" {
		run()
		return
	}
	s.branch(s.emit("=OpIEqual %%bool %s %%u1", s.load("IncomingCallableDataKHR", "%in", fmt.Sprintf("%%u%d", randomWords))), run)
}

// change stores a value where it outlives its block: in the incoming data, in a payload, or in the results of the invocation.
func (s *randomShader) change(v string) {
	if class := s.incoming(); class != "" && s.r.IntN(4) > 0 {
		p := s.word(class, "%in", s.small(4))
		s.emit("OpStore %s %s", p, s.emit("=OpIAdd %%uint %s %s", s.emit("=OpLoad %%uint %s", p), v))
		return
	}
	x := s.load("Input", "%LaunchIdKHR", "%u0")
	y := s.emit("=OpIMul %%uint %s %s", s.load("Input", "%LaunchIdKHR", "%u1"), s.load("Input", "%LaunchSizeKHR", "%u0"))
	at := s.emit("=OpIMul %%uint %%u8 %s", s.emit("=OpIAdd %%uint %s %s", s.emit("=OpIAdd %%uint %s %s", x, y), fmt.Sprintf("%%u%d", crossRays)))
	p := s.emit("=OpAccessChain %%to_StorageBuffer_uint %%out %%u0 %s", s.emit("=OpIAdd %%uint %s %s", at, s.small(8)))
	s.emit("OpStore %s %s", p, s.emit("=OpIAdd %%uint %s %s", s.emit("=OpIMul %%uint %s %%u15", s.emit("=OpLoad %%uint %s", p)), v))
}

// input loads a built-in.
func (s *randomShader) input() {
	x := randomInputs[s.r.IntN(len(randomInputs))]
	if !strings.Contains(x.models, s.letter()) {
		return
	}
	kind := "uint"
	if x.kind != "uint" && x.kind != "v3uint" {
		kind = "float"
	}
	at := "%" + x.name
	if x.path != "" {
		at = s.emit("=OpAccessChain %%to_Input_%s %s %s", kind, at, x.path)
	}
	v := s.emit("=OpLoad %%%s %s", kind, at)
	if kind == "float" {
		v = s.emit("=OpBitcast %%uint %s", v)
	}
	s.add(v)
}

// attribute returns a pointer to one of the hit attributes.
func (s *randomShader) attribute() string {
	return s.emit("=OpAccessChain %%to_HitAttributeKHR_float %%attribute %s", s.small(2))
}

// step writes a random statement.
func (s *randomShader) step() {
	stage := s.letter()
	switch s.r.IntN(16) {
	case 0, 1, 2:
		op := []string{"OpIAdd", "OpISub", "OpIMul", "OpBitwiseXor", "OpBitwiseOr"}[s.r.IntN(5)]
		s.add(s.emit("=%s %%uint %s %s", op, s.value(), s.value()))
	case 3, 4:
		s.input()
	case 5:
		if class := s.incoming(); class != "" {
			s.add(s.load(class, "%in", s.small(4)))
		}
	case 6, 7:
		s.change(s.value())
	case 8:
		if s.depth < 3 {
			s.branch(s.condition(), func() { s.steps(4) })
		}
	case 9:
		if s.depth < 2 {
			s.loop(func() { s.steps(3) })
		}
	case 10, 11:
		if strings.Contains("RMC", stage) && s.traces > 0 {
			s.traces--
			s.trace()
		}
	case 12:
		if strings.Contains("RMCE", stage) && s.traces > 0 {
			s.traces--
			s.call()
		}
	case 13:
		s.add(s.emit("=OpLoad %%uint %s", s.emit("=OpAccessChain %%to_ShaderRecordBufferKHR_uint %%record %%u0 %s", s.small(8))))
	case 14:
		if s.traces > 0 && s.depth < 2 {
			s.traces--
			s.query()
		}
	case 15:
		switch stage {
		case "C", "A":
			s.add(s.emit("=OpBitcast %%uint %s", s.emit("=OpLoad %%float %s", s.attribute())))
		case "I":
			s.report()
		}
	}
}

// report reports a hit of an intersection shader.
func (s *randomShader) report() {
	s.emit("OpStore %s %s", s.attribute(), s.distance(s.value()))
	hit := s.emit("=OpReportIntersectionKHR %%bool %s %s", s.distance(s.value()), s.emit("=OpBitwiseAnd %%uint %s %%u127", s.value()))
	s.branch(hit, func() { s.change(s.value()) })
}

func (s *randomShader) steps(n int) {
	for range 1 + s.r.IntN(n) {
		s.step()
	}
}

// end ends an any-hit shader: some lanes ignore the intersection, or terminate the ray.
func (s *randomShader) end() {
	for _, op := range []string{"OpIgnoreIntersectionKHR", "OpTerminateRayKHR"} {
		if s.letter() == "A" && s.r.IntN(2) == 0 {
			yes, no := s.label(), s.label()
			s.emit("OpSelectionMerge %s None\nOpBranchConditional %s %s %s\n%s = OpLabel\n%s\n%s = OpLabel", no, s.condition(), yes, no, yes, op, no)
		}
	}
}

// write writes the body.
func (s *randomShader) write() {
	s.values = []string{"%u3", "%u255"}
	if strings.Contains("RMC", s.letter()) {
		s.emit("OpHitObjectRecordEmptyEXT %%h")
		for i := range 2 {
			s.emit("OpHitObjectRecordEmptyEXT %s", s.emit("=OpAccessChain %%to_object %%list %%u%d", i))
		}
	}
	for range 3 {
		s.input()
	}
	s.steps(14)
	switch s.letter() {
	case "R":
		for range 3 {
			s.trace()
		}
	case "I":
		s.report()
	}
	s.change(s.value())
	s.end()
}

// text returns the shader with its declarations.
func (s *randomShader) text() string {
	s.write()
	var head, vars strings.Builder
	list := "%top %out %record %h %list"
	variable := func(name, class, kind string) {
		fmt.Fprintf(&vars, "%%pointer_%s = OpTypePointer %s %%%s\n%%%s = OpVariable %%pointer_%s %s\n", name, class, kind, name, name, class)
		list += " %" + name
	}
	stage := s.letter()
	for _, x := range randomInputs {
		if strings.Contains(x.models, stage) {
			fmt.Fprintf(&head, "OpDecorate %%%s BuiltIn %s\n", x.name, x.name)
			variable(x.name, "Input", x.kind)
		}
	}
	if class := s.incoming(); class != "" {
		variable("in", class, "payload")
	}
	if strings.Contains("RMC", stage) {
		variable("p0", "RayPayloadKHR", "payload")
		variable("p1", "RayPayloadKHR", "payload")
		variable("att", "HitObjectAttributeEXT", "v2float")
	}
	if strings.Contains("RMCE", stage) {
		variable("d", "CallableDataKHR", "payload")
	}
	if strings.Contains("CAI", stage) {
		variable("attribute", "HitAttributeKHR", "v2float")
	}
	for _, class := range []string{"Input", "StorageBuffer", "ShaderRecordBufferKHR", "RayPayloadKHR", "IncomingRayPayloadKHR", "CallableDataKHR", "IncomingCallableDataKHR"} {
		fmt.Fprintf(&vars, "%%to_%s_uint = OpTypePointer %s %%uint\n", class, class)
	}
	text := fmt.Sprintf(randomHead, randomModels[stage], list, head.String(), vars.String()) + s.body.String() + "OpReturn\nOpFunctionEnd\n"
	if s.nvidia {
		text = strings.ReplaceAll(randomNames.ReplaceAllString(text, "${1}NV"), "SPV_EXT_shader_invocation_reorder", "SPV_NV_shader_invocation_reorder")
	}
	return text
}

// randomNames are the names that hit objects of EXT and of NV have in common, but for their end.
var randomNames = regexp.MustCompile(`\b(OpHitObject\w+|OpReorderThread\w+|OpTypeHitObject|ShaderInvocationReorder|HitObjectAttribute)EXT\b`)

// randomModels has the names of models by their letters.
var randomModels = map[string]string{"R": "RayGenerationKHR", "M": "MissKHR", "C": "ClosestHitKHR", "A": "AnyHitKHR", "I": "IntersectionKHR", "E": "CallableKHR"}

// randomHead is the beginning of a shader: the model, the interface, decorations and variables.
var randomHead = func() string {
	var constants strings.Builder
	for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 32, 64, 127, 128, 255, 256, 512, 513, 1024} {
		fmt.Fprintf(&constants, "%%%%u%d = OpConstant %%%%uint %d\n", n, n)
	}
	return `OpCapability RayTracingKHR
OpCapability RayQueryKHR
OpCapability ShaderInvocationReorderEXT
OpCapability RayTracingMotionBlurNV
OpCapability RayTracingOpacityMicromapEXT
OpCapability RayTracingPositionFetchKHR
OpCapability RayTracingSpheresGeometryNV
OpCapability RayTracingLinearSweptSpheresGeometryNV
OpExtension "SPV_KHR_ray_tracing"
OpExtension "SPV_KHR_ray_query"
OpExtension "SPV_EXT_shader_invocation_reorder"
OpExtension "SPV_EXT_opacity_micromap"
OpExtension "SPV_KHR_ray_tracing_position_fetch"
OpExtension "SPV_NV_linear_swept_spheres"
OpExtension "SPV_NV_ray_tracing_motion_blur"
OpMemoryModel Logical GLSL450
OpEntryPoint %s %%main "main" %s
OpDecorate %%top DescriptorSet 0
OpDecorate %%top Binding 0
OpDecorate %%out DescriptorSet 0
OpDecorate %%out Binding 1
OpDecorate %%words ArrayStride 4
OpDecorate %%eight ArrayStride 4
OpDecorate %%O Block
OpMemberDecorate %%O 0 Offset 0
OpDecorate %%R Block
OpMemberDecorate %%R 0 Offset 0
%s%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%uint = OpTypeInt 32 0
%%float = OpTypeFloat 32
%%v2float = OpTypeVector %%float 2
%%v3float = OpTypeVector %%float 3
%%v2uint = OpTypeVector %%uint 2
%%v3uint = OpTypeVector %%uint 3
%%matrix = OpTypeMatrix %%v3float 4
` + constants.String() + `%%f0 = OpConstant %%float 0
%%f0_25 = OpConstant %%float 0.25
%%f100 = OpConstant %%float 100
%%structure = OpTypeAccelerationStructureKHR
%%to_structure = OpTypePointer UniformConstant %%structure
%%top = OpVariable %%to_structure UniformConstant
%%words = OpTypeRuntimeArray %%uint
%%O = OpTypeStruct %%words
%%to_O = OpTypePointer StorageBuffer %%O
%%out = OpVariable %%to_O StorageBuffer
%%eight = OpTypeArray %%uint %%u8
%%R = OpTypeStruct %%eight
%%to_R = OpTypePointer ShaderRecordBufferKHR %%R
%%record = OpVariable %%to_R ShaderRecordBufferKHR
%%payload = OpTypeArray %%uint %%u6
%%object = OpTypeHitObjectEXT
%%to_object = OpTypePointer Private %%object
%%h = OpVariable %%to_object Private
%%objects = OpTypeArray %%object %%u2
%%to_objects = OpTypePointer Private %%objects
%%list = OpVariable %%to_objects Private
%%corners = OpTypeArray %%v3float %%u3
%%ends = OpTypeArray %%v3float %%u2
%%radii = OpTypeArray %%float %%u2
%%query = OpTypeRayQueryKHR
%%to_query = OpTypePointer Function %%query
%%to_uint = OpTypePointer Function %%uint
%%to_Input_float = OpTypePointer Input %%float
%%to_HitAttributeKHR_float = OpTypePointer HitAttributeKHR %%float
%%to_HitObjectAttributeEXT_float = OpTypePointer HitObjectAttributeEXT %%float
%s%%main = OpFunction %%void None %%fn
%%first = OpLabel
%%q = OpVariable %%to_query Function
%%i0 = OpVariable %%to_uint Function
%%i1 = OpVariable %%to_uint Function
`
}()

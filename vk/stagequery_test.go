package vk

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// stageQueries writes a function with ray queries that shaders of all stages call: trace(i) traces rays that depend on i, and stores a word
// for each of its rounds in the results of invocation i. All words depend on i and the scene only, so that each stage stores the same.
type stageQueries struct {
	randomShader
	functions strings.Builder // that trace calls
}

// stageRounds are the rounds of trace, each with its own word of the results.
const stageRounds = 5

// stageTypes are declarations that each module with trace has, after those of its stage.
const stageTypes = `%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%v2float = OpTypeVector %float 2
%v3float = OpTypeVector %float 3
%v4float = OpTypeVector %float 4
%v3uint = OpTypeVector %uint 3
%v2uint = OpTypeVector %uint 2
%matrix = OpTypeMatrix %v3float 4
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%f3 = OpConstant %float 3
%f4 = OpConstant %float 4
%fm1 = OpConstant %float -1
%f0_25 = OpConstant %float 0.25
%f100 = OpConstant %float 100
%factor = OpConstant %uint 2654435761
%takes = OpTypeFunction %void %uint
%structure = OpTypeAccelerationStructureKHR
%to_structure = OpTypePointer UniformConstant %structure
%top = OpVariable %to_structure UniformConstant
%words = OpTypeRuntimeArray %uint
%O = OpTypeStruct %words
%to_O = OpTypePointer StorageBuffer %O
%to_StorageBuffer_uint = OpTypePointer StorageBuffer %uint
%out = OpVariable %to_O StorageBuffer
%query = OpTypeRayQueryKHR
%to_Function_query = OpTypePointer Function %query
%to_Private_query = OpTypePointer Private %query
%to_Private_uint = OpTypePointer Private %uint
%to_Function_uint = OpTypePointer Function %uint
%Private = OpVariable %to_Private_query Private
%hash = OpVariable %to_Private_uint Private
%n = OpVariable %to_Private_uint Private
`

// stageDecorations decorate the types of stageTypes.
const stageDecorations = `OpDecorate %top DescriptorSet 0
OpDecorate %top Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
OpDecorate %words ArrayStride 4
OpDecorate %O Block
OpMemberDecorate %O 0 Offset 0
`

// stageArrays are the types that need constants, and their variables.
const stageArrays = `%list = OpTypeArray %query %u3
%to_Function_list = OpTypePointer Function %list
%to_Private_list = OpTypePointer Private %list
%PrivateList = OpVariable %to_Private_list Private
%corners = OpTypeArray %v3float %u3
%ends = OpTypeArray %v3float %u2
%radii = OpTypeArray %float %u2
%walks_Function = OpTypeFunction %void %to_Function_query
%walks_Private = OpTypeFunction %void %to_Private_query
%walks_FunctionList = OpTypeFunction %void %to_Function_list %uint
%walks_PrivateList = OpTypeFunction %void %to_Private_list %uint
`

// stageDeclarations returns the declarations of a module with trace.
func stageDeclarations() string {
	var constants strings.Builder
	for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 28, 31, 32, 64, 127, 128, 255, 256, 512, 1024} {
		fmt.Fprintf(&constants, "%%u%d = OpConstant %%uint %d\n", n, n)
	}
	return stageTypes + constants.String() + stageArrays
}

// newStageQueries returns the functions of a random trace.
func newStageQueries(seed uint64) string {
	s := &stageQueries{randomShader: randomShader{r: rand.New(rand.NewPCG(seed, 22))}}
	for k := range stageRounds {
		s.round(k)
	}
	trace := s.body.String()
	return s.functions.String() + `%trace = OpFunction %void None %takes
%i = OpFunctionParameter %uint
%first = OpLabel
%Function = OpVariable %to_Function_query Function
%FunctionList = OpVariable %to_Function_list Function
OpStore %hash %i
` + trace + "OpReturn\nOpFunctionEnd\n"
}

// add makes a value a part of the hash.
func (s *stageQueries) add(v string) {
	old := s.emit("=OpIMul %%uint %s %%u31", s.emit("=OpLoad %%uint %%hash"))
	s.emit("OpStore %%hash %s", s.emit("=OpIAdd %%uint %s %s", old, v))
}

func (s *stageQueries) addFloat(v string) { s.add(s.emit("=OpBitcast %%uint %s", v)) }

func (s *stageQueries) addBool(v string) { s.add(s.emit("=OpSelect %%uint %s %%u5 %%u3", v)) }

// addPart adds a component of a composite of floats.
func (s *stageQueries) addPart(of string, path ...int) {
	for _, i := range path {
		of += fmt.Sprint(" ", i)
	}
	s.addFloat(s.emit("=OpCompositeExtract %%float %s", of))
}

// some returns the hash and a mask.
func (s *stageQueries) some(mask int) string {
	v := s.emit("=OpIMul %%uint %s %%factor", s.emit("=OpLoad %%uint %%hash"))
	return s.emit("=OpBitwiseAnd %%uint %s %%u%d", s.emit("=OpShiftRightLogical %%uint %s %%u16", v), mask)
}

// often is a condition that is false in one case of four.
func (s *stageQueries) often() string { return s.emit("=OpINotEqual %%bool %s %%u0", s.some(3)) }

// when writes a block for the invocations with a condition, and perhaps one for the others.
func (s *stageQueries) when(condition string, then, otherwise func()) {
	merge, yes, no := s.label(), s.label(), s.label()
	s.emit("OpSelectionMerge %s None\nOpBranchConditional %s %s %s\n%s = OpLabel", merge, condition, yes, no, yes)
	then()
	s.emit("OpBranch %s\n%s = OpLabel", merge, no)
	otherwise()
	s.emit("OpBranch %s\n%s = OpLabel", merge, merge)
}

func (s *stageQueries) nothing() {}

// round traces one ray, or two side by side, and stores the hash.
func (s *stageQueries) round(k int) {
	trace := func() { s.traceOne() }
	if s.r.IntN(3) == 0 {
		trace = s.traceTwo
	}
	switch s.r.IntN(3) {
	case 0:
		trace()
	case 1:
		s.when(s.often(), trace, s.nothing)
	case 2:
		s.when(s.often(), trace, func() { s.traceOne() })
	}
	at := s.emit("=OpIAdd %%uint %s %%u%d", s.emit("=OpIMul %%uint %s %%u8", s.emit("=OpIAdd %%uint %%i %%u%d", crossRays)), k)
	s.emit("OpStore %s %s", s.emit("=OpAccessChain %%to_StorageBuffer_uint %%out %%u0 %s", at), s.emit("=OpLoad %%uint %%hash"))
}

// start initializes a query.
func (s *stageQueries) start(q string) {
	flags := []int{0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}
	flag := func() string { return fmt.Sprintf("%%u%d", flags[s.r.IntN(len(flags))]) }
	of, mask, least, most := flag(), "%u255", "%f0", "%f100"
	if s.r.IntN(2) == 0 {
		of = s.emit("=OpSelect %%uint %s %s %s", s.often(), of, flag())
	}
	if s.r.IntN(3) == 0 {
		mask = s.some(31)
	}
	if s.r.IntN(3) == 0 {
		least, most = s.distance(s.some(3)), s.emit("=OpSelect %%float %s %%f100 %%f3", s.often())
	}
	at := s.emit("=OpIMul %%uint %s %%u8", s.some(127))
	vector := func(from int) string {
		var list [3]any
		for c := range list {
			list[c] = s.emit("=OpBitcast %%float %s", s.data(s.emit("=OpIAdd %%uint %s %%u%d", at, from+c)))
		}
		return s.emit("=OpCompositeConstruct %%v3float %s %s %s", list[:]...)
	}
	s.emit("OpRayQueryInitializeKHR %s %s %s %s %s %s %s %s", q, s.emit("=OpLoad %%structure %%top"), of, mask, vector(0), least, vector(4), most)
}

// traceOne traces a ray by a query of a random kind, in place or by a function.
func (s *stageQueries) traceOne() {
	class := []string{"Function", "Private"}[s.r.IntN(2)]
	list, call := s.r.IntN(2) == 0, s.r.IntN(2) == 0
	at, q := "", "%"+class
	if list {
		at = s.some(1)
		q = s.emit("=OpAccessChain %%to_%s_query %%%sList %s", class, class, at)
	}
	s.start(q)
	switch {
	case !call:
		s.walk(q)
	case list:
		s.emit("=OpFunctionCall %%void %s %%%sList %s", s.function(class, true), class, at)
	default:
		s.emit("=OpFunctionCall %%void %s %%%s", s.function(class, false), class)
	}
	s.committed(q)
}

// function writes a function that walks a query, or one of an array of them.
func (s *stageQueries) function(class string, list bool) string {
	outer := s.body.String()
	s.body.Reset()
	f, p := s.label(), s.label()
	if list {
		s.emit("%s = OpFunction %%void None %%walks_%sList\n%s = OpFunctionParameter %%to_%s_list", f, class, p, class)
		at := s.emit("=OpFunctionParameter %%uint")
		s.emit("%s = OpLabel", s.label())
		s.walk(s.emit("=OpAccessChain %%to_%s_query %s %s", class, p, at))
	} else {
		s.emit("%s = OpFunction %%void None %%walks_%s\n%s = OpFunctionParameter %%to_%s_query\n%s = OpLabel", f, class, p, class, s.label())
		s.walk(p)
	}
	s.emit("OpReturn\nOpFunctionEnd")
	s.functions.WriteString(s.body.String())
	s.body.Reset()
	s.body.WriteString(outer)
	return f
}

// walk visits the candidates of a query.
func (s *stageQueries) walk(q string) {
	s.emit("OpStore %%n %%u0")
	s.repeat(func() string { return s.emit("=OpRayQueryProceedKHR %%bool %s", q) }, func() { s.candidate(q) })
}

// repeat writes a loop.
func (s *stageQueries) repeat(test func() string, body func()) {
	head, check, block, next, end := s.label(), s.label(), s.label(), s.label(), s.label()
	s.emit("OpBranch %s\n%s = OpLabel\nOpLoopMerge %s %s None\nOpBranch %s\n%s = OpLabel", head, head, end, next, check, check)
	s.emit("OpBranchConditional %s %s %s\n%s = OpLabel", test(), block, end, block)
	body()
	s.emit("OpBranch %s\n%s = OpLabel\nOpBranch %s\n%s = OpLabel", next, next, head, end)
}

// traceTwo traces two rays side by side.
func (s *stageQueries) traceTwo() {
	a, b := "%Function", "%Private"
	if s.r.IntN(2) == 0 {
		a = s.emit("=OpAccessChain %%to_Function_query %%FunctionList %s", s.some(1))
		b = s.emit("=OpAccessChain %%to_Function_query %%FunctionList %%u2")
	}
	s.start(a)
	s.start(b)
	s.emit("OpStore %%n %%u0")
	s.repeat(func() string {
		first := s.emit("=OpRayQueryProceedKHR %%bool %s", a)
		return s.emit("=OpLogicalOr %%bool %s %s", first, s.emit("=OpRayQueryProceedKHR %%bool %s", b))
	}, func() {
		for _, q := range []string{a, b} {
			primitive := s.emit("=OpRayQueryGetIntersectionPrimitiveIndexKHR %%uint %s %%u0", q)
			s.add(primitive)
			s.when(s.often(), func() { s.emit("OpRayQueryConfirmIntersectionKHR %s", q) }, s.nothing)
		}
	})
	s.committed(a)
	s.committed(b)
}

// candidate asks for the candidate of a query, and perhaps accepts it or ends the ray.
func (s *stageQueries) candidate(q string) {
	n := s.emit("=OpIAdd %%uint %s %%u1", s.emit("=OpLoad %%uint %%n"))
	s.emit("OpStore %%n %s", n)
	kind := s.emit("=OpRayQueryGetIntersectionTypeKHR %%uint %s %%u0", q)
	s.add(kind)
	s.common(q, "%u0")
	s.when(s.emit("=OpIEqual %%bool %s %%u0", kind), func() {
		s.surface(q, "%u0")
		s.when(s.often(), func() { s.emit("OpRayQueryConfirmIntersectionKHR %s", q) }, s.nothing)
	}, func() {
		s.addBool(s.emit("=OpRayQueryGetIntersectionCandidateAABBOpaqueKHR %%bool %s", q))
		s.when(s.often(), func() { s.emit("OpRayQueryGenerateIntersectionKHR %s %s", q, s.distance(s.some(15))) }, s.nothing)
	})
	if s.r.IntN(3) == 0 {
		s.when(s.emit("=OpUGreaterThan %%bool %s %%u%d", n, 5+s.r.IntN(4)), func() { s.emit("OpRayQueryTerminateKHR %s", q) }, s.nothing)
	}
}

// committed asks a query for its ray and its committed hit.
func (s *stageQueries) committed(q string) {
	s.add(s.emit("=OpRayQueryGetRayFlagsKHR %%uint %s", q))
	s.addFloat(s.emit("=OpRayQueryGetRayTMinKHR %%float %s", q))
	s.addPart(s.emit("=OpRayQueryGetWorldRayOriginKHR %%v3float %s", q), s.r.IntN(3))
	s.addPart(s.emit("=OpRayQueryGetWorldRayDirectionKHR %%v3float %s", q), s.r.IntN(3))
	kind := s.emit("=OpRayQueryGetIntersectionTypeKHR %%uint %s %%u1", q)
	s.add(kind)
	s.when(s.emit("=OpINotEqual %%bool %s %%u0", kind), func() {
		s.common(q, "%u1")
		s.addFloat(s.emit("=OpRayQueryGetIntersectionTKHR %%float %s %%u1", q))
		s.when(s.emit("=OpIEqual %%bool %s %%u1", kind), func() { s.surface(q, "%u1") }, s.nothing)
	}, s.nothing)
}

// common asks for the properties of all hits.
func (s *stageQueries) common(q, of string) {
	for _, name := range []string{"InstanceCustomIndexKHR", "InstanceIdKHR", "InstanceShaderBindingTableRecordOffsetKHR", "GeometryIndexKHR", "PrimitiveIndexKHR"} {
		s.add(s.emit("=OpRayQueryGetIntersection%s %%uint %s %s", name, q, of))
	}
	s.addPart(s.emit("=OpRayQueryGetIntersectionObjectRayOriginKHR %%v3float %s %s", q, of), s.r.IntN(3))
	s.addPart(s.emit("=OpRayQueryGetIntersectionObjectRayDirectionKHR %%v3float %s %s", q, of), s.r.IntN(3))
	s.addPart(s.emit("=OpRayQueryGetIntersectionObjectToWorldKHR %%matrix %s %s", q, of), s.r.IntN(4), s.r.IntN(3))
	s.addPart(s.emit("=OpRayQueryGetIntersectionWorldToObjectKHR %%matrix %s %s", q, of), s.r.IntN(4), s.r.IntN(3))
}

// surface asks for the properties of hits of triangles, spheres and swept spheres.
func (s *stageQueries) surface(q, of string) {
	ask := func(name, kind string) string { return s.emit("=OpRayQuery%s %%%s %s %s", name, kind, q, of) }
	s.addFloat(ask("GetIntersectionTKHR", "float"))
	s.addBool(ask("GetIntersectionFrontFaceKHR", "bool"))
	s.when(ask("IsSphereHitNV", "bool"), func() {
		s.addPart(ask("GetIntersectionSpherePositionNV", "v3float"), s.r.IntN(3))
		s.addFloat(ask("GetIntersectionSphereRadiusNV", "float"))
	}, func() {
		s.when(ask("IsLSSHitNV", "bool"), func() {
			s.addFloat(ask("GetIntersectionLSSHitValueNV", "float"))
			s.addPart(ask("GetIntersectionLSSPositionsNV", "ends"), s.r.IntN(2), s.r.IntN(3))
			s.addPart(ask("GetIntersectionLSSRadiiNV", "radii"), s.r.IntN(2))
		}, func() {
			s.addPart(ask("GetIntersectionBarycentricsKHR", "v2float"), s.r.IntN(2))
			s.addPart(ask("GetIntersectionTriangleVertexPositionsKHR", "corners"), s.r.IntN(3), s.r.IntN(3))
			s.add(s.emit("=OpBitcast %%uint %s", ask("GetIntersectionClusterIdNV", "int")))
		})
	})
}

package valid

import (
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// rayFamily checks ray tracing, ray queries and hit objects
// (SPV_KHR_ray_tracing, SPV_KHR_ray_query, SPV_NV_shader_invocation_reorder,
// SPV_EXT_shader_invocation_reorder). The required type of an operand follows from
// its name in the grammar, which is the same in all of these instructions.
var rayFamily = family{
	rules: []Rule{
		{Code: "SPV-Ray-Operand", Section: "SPIR-V, SPV_KHR_ray_tracing", Words: "each operand has the type that the instruction requires"},
		{Code: "SPV-Ray-Hint", Section: "SPIR-V, SPV_EXT_shader_invocation_reorder", Words: "a reorder hint requires its number of bits"},
		{Code: "SPV-Ray-Result", Section: "SPIR-V, SPV_KHR_ray_tracing", Words: "the result has the result type of the instruction"},
		{Code: "SPV-Ray-Model", Section: "SPIR-V, SPV_KHR_ray_tracing", Words: "the instruction is in a shader of an execution model that supports it"},
		{Code: "SPV-Ray-Intersection", Section: "SPIR-V, SPV_KHR_ray_query", Words: "the intersection operand is a 32-bit constant, 0 or 1"},
		{Code: "SPV-Ray-Payload", Section: "SPIR-V, SPV_KHR_ray_tracing", Words: "a payload of a ray or a call is a variable of the storage class for it"},
		{Code: "SPV-Ray-Location", Section: "SPIR-V, SPV_NV_ray_tracing", Words: "the number of a payload or of callable data is a constant, the declared Location of a variable of the storage class for it"},
		{Code: "SPV-Ray-Micromap", Section: "SPIR-V, SPV_EXT_opacity_micromap", Words: "the flag ForceOpacityMicromap2StateKHR needs the capability RayTracingOpacityMicromapKHR"},
		{Code: vuid.RuntimeSpirv_RayTracingOpacityMicromapKHR_11542, Section: environment, Words: "the flag ForceOpacityMicromap2StateKHR needs the capability RayTracingOpacityMicromapKHR"},
	},
	ops: []group{{(*checker).ray, rayOps()}},
}

// rayOps are the instructions that ray checks: all that speak of rays,
// ray queries, hit objects or callable shaders.
func rayOps() []spirv.Op {
	var out []spirv.Op
	for _, r := range spirv.Ops() {
		name := r.Name()
		for _, part := range [...]string{"TraceRay", "TraceNV", "TraceMotionNV", "FetchMicroTriangle", "RayQuery", "HitObject", "ReorderThread", "ExecuteCallable", "ReportIntersection", "IgnoreIntersection", "TerminateRay"} {
			if strings.HasPrefix(name, part) {
				out = append(out, spirv.Op(r.Value()))
				break
			}
		}
	}
	return out
}

// raySort is the required type of an operand or a result.
type raySort uint8

const (
	rayAny raySort = iota
	rayBool
	rayWord     // an integer of 32 bits
	rayUnsigned // an unsigned integer of 32 bits
	rayFloat    // a float of 32 bits
	rayVector   // three floats of 32 bits
	rayPair     // two floats of 32 bits
	rayMatrix   // four columns of three floats of 32 bits
	rayTriangle // an array of three vectors
	rayEnds     // an array of two vectors
	rayRadii    // an array of two floats
	rayHandle   // two integers of 32 bits
	rayIntegers // two integers
	rayStructure
	rayQuery
	rayHitObject
	rayPayload
	rayCallable
	rayPayloadNumber
	rayCallableNumber
	rayAttributes
	rayIntersection
)

var rayWords = [...]string{
	rayBool: "a Boolean", rayWord: "an integer of 32 bits", rayUnsigned: "an unsigned integer of 32 bits", rayFloat: "a float of 32 bits",
	rayVector: "a vector of 3 floats of 32 bits", rayPair: "a vector of 2 floats of 32 bits", rayMatrix: "a matrix of 4 columns of 3 floats of 32 bits",
	rayTriangle: "an array of 3 vectors of 3 floats of 32 bits", rayEnds: "an array of 2 vectors of 3 floats of 32 bits",
	rayRadii: "an array of 2 floats of 32 bits", rayHandle: "a vector of 2 integers of 32 bits", rayIntegers: "a vector of 2 integers",
	rayStructure: "an acceleration structure", rayQuery: "a pointer to a ray query", rayHitObject: "a pointer to a hit object",
}

// rayOperands are the required types of operands by their names.
var rayOperands = map[string]raySort{
	"Accel": rayStructure, "AccelerationStructure": rayStructure,
	"RayFlags": rayWord, "CullMask": rayWord, "Cullmask": rayWord,
	"SBTOffset": rayWord, "SBTStride": rayWord, "SBTRecordOffset": rayWord, "SBTRecordStride": rayWord, "SBTRecordIndex": rayWord,
	"SBTIndex": rayUnsigned, "MissIndex": rayWord,
	"RayOrigin": rayVector, "Origin": rayVector, "RayDirection": rayVector, "Direction": rayVector,
	"RayTmin": rayFloat, "RayTMin": rayFloat, "TMin": rayFloat, "RayTmax": rayFloat, "RayTMax": rayFloat, "TMax": rayFloat,
	"Time": rayFloat, "CurrentTime": rayFloat, "HitT": rayFloat, "Hit": rayFloat,
	"InstanceId": rayWord, "PrimitiveId": rayWord, "PrimitiveIndex": rayWord, "Barycentric": rayIntegers, "GeometryIndex": rayWord, "HitKind": rayUnsigned, "Hint": rayWord, "Bits": rayWord,
	"RayQuery": rayQuery, "HitObject": rayHitObject, "Payload": rayPayload, "CallableData": rayCallable,
	"PayloadId": rayPayloadNumber, "CallableDataId": rayCallableNumber,
	"HitObjectAttributes": rayAttributes, "HitObjectAttribute": rayAttributes, "Intersection": rayIntersection,
}

// rayResults are the required types of results. The key is the part of the name of
// the instruction between the queried object and the vendor's suffix.
var rayResults = map[string]raySort{
	"Proceed": rayBool, "FrontFace": rayBool, "CandidateAABBOpaque": rayBool, "IsSphereHit": rayBool, "IsLSSHit": rayBool,
	"IsEmpty": rayBool, "IsHit": rayBool, "IsMiss": rayBool, "Report": rayBool,
	"Type": rayWord, "RayFlags": rayWord, "InstanceCustomIndex": rayWord, "InstanceId": rayWord, "InstanceShaderBindingTableRecordOffset": rayWord,
	"GeometryIndex": rayWord, "PrimitiveIndex": rayWord, "HitKind": rayWord, "ClusterId": rayWord, "ShaderBindingTableRecordIndex": rayWord,
	"T": rayFloat, "RayTMin": rayFloat, "RayTMax": rayFloat, "CurrentTime": rayFloat, "SphereRadius": rayFloat, "LSSHitValue": rayFloat,
	"Barycentrics": rayPair, "ObjectRayDirection": rayVector, "ObjectRayOrigin": rayVector, "WorldRayDirection": rayVector,
	"WorldRayOrigin": rayVector, "SpherePosition": rayVector, "ObjectToWorld": rayMatrix, "WorldToObject": rayMatrix,
	"TriangleVertexPositions": rayTriangle, "LSSPositions": rayEnds, "LSSRadii": rayRadii, "ShaderRecordBufferHandle": rayHandle,
	"FetchMicroTriangleVertexPosition": rayVector, "FetchMicroTriangleVertexBarycentric": rayPair,
}

// rayResult returns the required type of an instruction's result.
func rayResult(op spirv.Op) raySort {
	name := op.Row().Name()
	if op == spirv.OpReportIntersectionKHR {
		return rayBool
	}
	for _, vendor := range [...]string{"KHR", "EXT", "NV"} {
		name = strings.TrimSuffix(name, vendor)
	}
	for _, before := range [...]string{"RayQuery", "HitObject", "Get", "Intersection"} {
		name = strings.TrimPrefix(name, before)
	}
	return rayResults[name]
}

// The models that rays are sent from.
const (
	inSending = inRayGeneration | inClosestHit | inMiss
	inCalling = inSending | inCallable
)

// rayModels returns the models that an instruction may be in.
func rayModels(op spirv.Op) modelSet {
	switch op {
	case spirv.OpIgnoreIntersectionKHR, spirv.OpTerminateRayKHR, spirv.OpIgnoreIntersectionNV, spirv.OpTerminateRayNV:
		return inAnyHit
	case spirv.OpReportIntersectionKHR:
		return inIntersection
	case spirv.OpExecuteCallableKHR, spirv.OpExecuteCallableNV:
		return inCalling
	case spirv.OpFetchMicroTriangleVertexPositionNV, spirv.OpFetchMicroTriangleVertexBarycentricNV:
		return inRayGeneration | inMeshNV | inGLCompute
	}
	switch name := op.Row().Name(); {
	case strings.HasPrefix(name, "ReorderThread"), strings.Contains(name, "ReorderExecute"):
		return inRayGeneration
	case strings.HasPrefix(name, "Trace"), strings.HasPrefix(name, "HitObject"):
		return inSending
	}
	return ^modelSet(0)
}

// ray checks one instruction.
func (c *checker) ray(i int, in spirv.Inst) {
	op := in.Op()
	if allowed := rayModels(op); c.callerModels()&^allowed != 0 {
		c.onlyIn(i, allowed, "SPV-Ray-Model")
	}
	if op.HasType() {
		if t, want := c.m.Type(in.Type()), rayResult(op); t != nil && want != rayAny && !rayFits(t, want) {
			c.fail(i, "SPV-Ray-Result", "%s yields %s; must yield %s", op, c.typeName(t), rayWords[want])
		}
	}
	var r rayValues
	hint, bits := false, false
	for w := c.code.Walk(i); w.Next(); {
		if w.Kind != spirv.KindIdRef || w.Operand == nil {
			continue
		}
		name, id := w.Operand.Name(), spirv.ID(w.Words[0])
		hint, bits = hint || name == "Hint", bits || name == "Bits"
		if c.rayOperand(i, op, name, id) {
			r.keep(name, c.m.Const(id))
		}
	}
	if hint && !bits {
		c.fail(i, "SPV-Ray-Hint", "%s has a hint without its bits; must have both or none", op)
	}
	c.rayValues(i, op, &r)
}

// rayOperandSort returns the required type of an operand. The index of a miss that
// a hit object records has no sign, the index of a trace may have one. The index of
// a callable shader may have one only in SPV_NV_ray_tracing. The index of a record
// that a hit object of SPV_NV_shader_invocation_reorder takes has none.
func rayOperandSort(op spirv.Op, name string) raySort {
	switch op {
	case spirv.OpHitObjectRecordMissNV, spirv.OpHitObjectRecordMissMotionNV, spirv.OpHitObjectRecordMissEXT, spirv.OpHitObjectRecordMissMotionEXT:
		if name == "MissIndex" {
			return rayUnsigned
		}
	case spirv.OpHitObjectRecordHitWithIndexNV, spirv.OpHitObjectRecordHitWithIndexMotionNV:
		if name == "SBTRecordIndex" {
			return rayUnsigned
		}
	case spirv.OpExecuteCallableNV:
		if name == "SBTIndex" {
			return rayWord
		}
	}
	return rayOperands[name]
}

// rayOperand checks an operand and returns whether it has the required type.
func (c *checker) rayOperand(i int, op spirv.Op, name string, id spirv.ID) bool {
	want := rayOperandSort(op, name)
	switch want {
	case rayAny:
		return false
	case rayPayload:
		return c.carried(i, op, name, id, spirv.StorageClassRayPayloadKHR, spirv.StorageClassIncomingRayPayloadKHR)
	case rayCallable:
		return c.carried(i, op, name, id, spirv.StorageClassCallableDataKHR, spirv.StorageClassIncomingCallableDataKHR)
	case rayPayloadNumber:
		c.located(i, op, "payload", id, spirv.StorageClassRayPayloadKHR, spirv.StorageClassIncomingRayPayloadKHR)
		return false
	case rayCallableNumber:
		c.located(i, op, "callable data", id, spirv.StorageClassCallableDataKHR, spirv.StorageClassIncomingCallableDataKHR)
		return false
	case rayAttributes:
		if strings.HasSuffix(op.Row().Name(), "EXT") {
			return c.carried(i, op, name, id, spirv.StorageClassHitObjectAttributeEXT)
		}
		return c.carried(i, op, name, id, spirv.StorageClassHitObjectAttributeNV)
	case rayIntersection:
		t, k := c.m.TypeOf(id), c.declaredConstant(id)
		if t != nil && (!isWord(t) || k == nil) {
			c.fail(i, "SPV-Ray-Intersection", "the intersection of %s is %s; must be a constant integer of 32 bits", op, c.name(id))
		} else if k != nil && k.Known && !k.Spec && k.Bits > 1 {
			c.fail(i, "SPV-Ray-Intersection", "the intersection of %s is %d; must be 0 or 1", op, k.Bits)
		}
		return false
	}
	if name == "SBTIndex" && (op == spirv.OpExecuteCallableKHR || op == spirv.OpExecuteCallableNV) {
		want = rayUnsigned
	}
	t := c.m.TypeOf(id)
	if t == nil {
		return false // told by the rules of ids
	}
	if want == rayHitObject && t.IsPointer() && t.Elem != nil && isHitObject(t.Elem) {
		if of := hitObjectOf(op); t.Elem.Op != of {
			c.fail(i, "SPV-Ray-Operand", "operand %s of %s points to %s; must point to %s", name, op, t.Elem.Op, of)
			return false
		}
	}
	if !rayFits(t, want) {
		c.fail(i, "SPV-Ray-Operand", "operand %s of %s is %s; must be %s", name, op, c.name(id), rayWords[want])
		return false
	}
	return true
}

// isHitObject reports whether a type is a hit object of one of its two extensions.
func isHitObject(t *facts.Type) bool {
	return t.Op == spirv.OpTypeHitObjectNV || t.Op == spirv.OpTypeHitObjectEXT
}

// hitObjectOf returns the type of the hit objects of an instruction, which its extension defines.
func hitObjectOf(op spirv.Op) spirv.Op {
	if strings.HasSuffix(op.Row().Name(), "NV") {
		return spirv.OpTypeHitObjectNV
	}
	return spirv.OpTypeHitObjectEXT
}

// carried checks the payload of a ray, a call or a hit object.
func (c *checker) carried(i int, op spirv.Op, name string, id spirv.ID, allowed ...spirv.StorageClass) bool {
	v := c.m.Variable(id)
	if v == nil {
		if d := c.code.DefInst(id); d != nil && !c.typeless(id) {
			c.fail(i, "SPV-Ray-Payload", "operand %s of %s is the result of %s; must be a variable", name, op, d.Op())
		}
		return false
	}
	if !slices.Contains(allowed, v.Storage) {
		words := allowed[0].String()
		if len(allowed) > 1 {
			words += " or " + allowed[1].String()
		}
		c.fail(i, "SPV-Ray-Payload", "operand %s of %s is a variable of the storage class %s; must be %s", name, op, v.Storage, words).also(c, v.Index, "the variable")
	}
	return false
}

// located checks the number that names a payload or callable data by its location.
func (c *checker) located(i int, op spirv.Op, what string, id spirv.ID, classes ...spirv.StorageClass) {
	if c.m.TypeOf(id) == nil {
		return // told by the rules of ids
	}
	k := c.declaredConstant(id)
	if k == nil {
		c.fail(i, "SPV-Ray-Location", "the number of the %s of %s is %s; must be a constant", what, op, c.name(id))
		return
	}
	n, ok := k.Int()
	if !ok {
		return
	}
	if c.carriers == nil {
		c.carriers = c.locatedCarriers()
	}
	for _, class := range classes {
		if c.carriers[carrier{class, uint64(n)}] {
			return
		}
	}
	// Front ends do not compare the number with the variables: a module that never reads the result may have none.
	c.fail(i, "SPV-Ray-Location", "the number of the %s of %s is %d; must be the Location of a variable in %s or %s", what, op, n, classes[0], classes[1]).warn()
}

// carrier is the storage class and the location of a payload or of callable data.
type carrier struct {
	class    spirv.StorageClass
	location uint64
}

// locatedCarriers returns the payloads and the callable data that the module declares.
func (c *checker) locatedCarriers() map[carrier]bool {
	out := map[carrier]bool{}
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		switch v.Storage {
		case spirv.StorageClassRayPayloadKHR, spirv.StorageClassIncomingRayPayloadKHR, spirv.StorageClassCallableDataKHR, spirv.StorageClassIncomingCallableDataKHR:
			if d, ok := c.m.Decoration(v.ID, spirv.DecorationLocation); ok {
				out[carrier{v.Storage, uint64(d.Literal())}] = true
			}
		}
	}
	return out
}

// rayFits reports whether a type is of a sort.
func rayFits(t *facts.Type, want raySort) bool {
	array := func(n uint64, of raySort) bool {
		return t.Op == spirv.OpTypeArray && t.Count == n && t.Elem != nil && rayFits(t.Elem, of)
	}
	points := func(at ...spirv.Op) bool {
		if !t.IsPointer() || t.Op == spirv.OpTypeUntypedPointerKHR {
			return false
		}
		for _, op := range at {
			if t.Elem == nil || t.Elem.Op == op {
				return true
			}
		}
		return false
	}
	switch want {
	case rayBool:
		return t.IsBool()
	case rayWord:
		return isWord(t)
	case rayUnsigned:
		return isWord(t) && !t.Signed
	case rayFloat:
		return isSingle(t)
	case rayVector:
		return isVectorOf(t, 3, true, 32)
	case rayPair:
		return isVectorOf(t, 2, true, 32)
	case rayHandle:
		return isVectorOf(t, 2, false, 32)
	case rayIntegers:
		return t.IsVector() && t.Components() == 2 && t.Elem != nil && t.Elem.IsInt()
	case rayMatrix:
		return t.IsMatrix() && t.Columns() == 4 && isVectorOf(t.Elem, 3, true, 32)
	case rayTriangle:
		return array(3, rayVector)
	case rayEnds:
		return array(2, rayVector)
	case rayRadii:
		return array(2, rayFloat)
	case rayStructure:
		return t.Op == spirv.OpTypeAccelerationStructureKHR
	case rayQuery:
		return points(spirv.OpTypeRayQueryKHR)
	case rayHitObject:
		return points(spirv.OpTypeHitObjectNV, spirv.OpTypeHitObjectEXT)
	}
	return true
}

package asm

import (
	"strconv"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// instruction names the result of an instruction, or the target of an OpName or
// OpDecorate.
func (n *names) instruction(in spirv.Inst) {
	switch op := in.Op(); op {
	case spirv.OpName:
		n.buf = appendString(n.buf[:0], in[2:])
		n.save(spirv.ID(in[1]), n.buf)
	case spirv.OpDecorate:
		if spirv.Decoration(in[2]) == spirv.DecorationBuiltIn {
			n.builtIn(spirv.ID(in[1]), spirv.BuiltIn(in[3]))
		}
	default:
		id := in.Result()
		if id == 0 || n.ref(id).size != 0 {
			return
		}
		b, ok := n.describe(n.buf[:0], op, id, in)
		n.buf = b
		if ok && len(b) > shortName {
			if ok = n.long < longNames; ok {
				n.long += len(b)
			}
		}
		if !ok {
			n.number(id)
			return
		}
		n.save(id, b)
	}
}

// appendString appends the bytes of a literal string.
func appendString(dst []byte, words []uint32) []byte {
	for _, w := range words {
		for range 4 {
			if byte(w) == 0 {
				return dst
			}
			dst = append(dst, byte(w))
			w >>= 8
		}
	}
	return dst
}

// builtIn names a variable after the built-in that it is, as GLSL spells it.
func (n *names) builtIn(id spirv.ID, b spirv.BuiltIn) {
	for i := range builtInNames {
		if builtInNames[i].builtIn == b {
			n.buf = append(n.buf[:0], builtInNames[i].name...)
			n.save(id, n.buf)
			return
		}
	}
}

// describe makes a name of a type or a constant; ok is false for all else.
func (n *names) describe(b []byte, op spirv.Op, id spirv.ID, in spirv.Inst) (name []byte, ok bool) {
	switch op {
	case spirv.OpConstantTrue:
		b = append(b, "true"...)
	case spirv.OpConstantFalse:
		b = append(b, "false"...)
	case spirv.OpConstant:
		b = n.constant(b, in)
	case spirv.OpTypeInt:
		b = intName(b, in[2], in[3] != 0)
	case spirv.OpTypeFloat:
		b = floatName(b, in)
	case spirv.OpTypeVector:
		b = n.append(appendUint(append(b, 'v'), in[3]), spirv.ID(in[2]))
	case spirv.OpTypeMatrix:
		b = n.append(appendUint(append(b, "mat"...), in[3]), spirv.ID(in[2]))
	case spirv.OpTypeArray:
		b = n.append(append(b, "_arr_"...), spirv.ID(in[2]))
		b = n.append(append(b, '_'), spirv.ID(in[3]))
	case spirv.OpTypeRuntimeArray:
		b = n.append(append(b, "_runtimearr_"...), spirv.ID(in[2]))
	case spirv.OpTypeNodePayloadArrayAMDX:
		b = n.append(append(b, "_payloadarr_"...), spirv.ID(in[2]))
	case spirv.OpTypePointer:
		b = append(append(b, "_ptr_"...), spirv.KindStorageClass.Enumerant(in[2]).Name()...)
		b = n.append(append(b, '_'), spirv.ID(in[3]))
	case spirv.OpTypeUntypedPointerKHR:
		b = append(append(b, "_ptr_"...), spirv.KindStorageClass.Enumerant(in[2]).Name()...)
	case spirv.OpTypeStruct:
		b = appendUint(append(b, "_struct_"...), uint32(id))
	case spirv.OpTypePipe:
		b = append(append(b, "Pipe"...), spirv.KindAccessQualifier.Enumerant(in[2]).Name()...)
	case spirv.OpTypeOpaque:
		b = append(b, "Opaque_"...)
		if at := len(b); len(appendString(b, in[2:])) == at {
			return append(b, '_'), true // of the empty name
		}
		b = appendString(b, in[2:])
	default:
		word := plainTypeName(op)
		return append(b, word...), word != ""
	}
	return b, true
}

// plainTypeName returns the name of a type that has no parameters.
func plainTypeName(op spirv.Op) string {
	switch op {
	case spirv.OpTypeVoid:
		return "void"
	case spirv.OpTypeBool:
		return "bool"
	case spirv.OpTypeEvent:
		return "Event"
	case spirv.OpTypeDeviceEvent:
		return "DeviceEvent"
	case spirv.OpTypeReserveId:
		return "ReserveId"
	case spirv.OpTypeQueue:
		return "Queue"
	case spirv.OpTypePipeStorage:
		return "PipeStorage"
	case spirv.OpTypeNamedBarrier:
		return "NamedBarrier"
	}
	return ""
}

// intName appends the name of an integer type: C's for the usual widths.
func intName(b []byte, width uint32, signed bool) []byte {
	root := ""
	switch width {
	case 8:
		root = "char"
	case 16:
		root = "short"
	case 32:
		root = "int"
	case 64:
		root = "long"
	}
	switch {
	case !signed:
		b = append(b, 'u')
	case root == "":
		b = append(b, 'i')
	}
	if root == "" {
		return appendUint(b, width)
	}
	return append(b, root...)
}

// floatName appends the name of a float type.
func floatName(b []byte, in spirv.Inst) []byte {
	if len(in) > 3 {
		switch spirv.FPEncoding(in[3]) {
		case spirv.FPEncodingBFloat16KHR:
			return append(b, "bfloat16"...)
		case spirv.FPEncodingFloat8E4M3EXT:
			return append(b, "fp8e4m3"...)
		case spirv.FPEncodingFloat8E5M2EXT:
			return append(b, "fp8e5m2"...)
		case spirv.FPEncodingFloat8UnsignedE8M0EXT:
			return append(b, "fp8e8m0"...)
		case spirv.FPEncodingFloat6E2M3EXT:
			return append(b, "fp6e2m3"...)
		case spirv.FPEncodingFloat6E3M2EXT:
			return append(b, "fp6e3m2"...)
		case spirv.FPEncodingFloat4E2M1EXT:
			return append(b, "fp4e2m1"...)
		case spirv.FPEncodingMXInt8EXT:
			return append(b, "mxint8"...)
		}
	}
	switch in[2] {
	case 16:
		return append(b, "half"...)
	case 32:
		return append(b, "float"...)
	case 64:
		return append(b, "double"...)
	}
	return appendUint(append(b, "fp"...), in[2])
}

// constant appends the name of a constant: its type and its value, n for minus.
func (n *names) constant(b []byte, in spirv.Inst) []byte {
	b = append(n.append(b, in.Type()), '_')
	at := len(b)
	num, ok := n.m.Number(in.Type())
	if !ok {
		return strconv.AppendUint(b, uint64(in[3]), 10)
	}
	b = appendNumber(b, num, in[3:])
	for i, c := range b[at:] {
		if c == '-' {
			b[at+i] = 'n'
		}
	}
	return b
}

// builtInNames are the built-ins that give their variables a name.
var builtInNames = [...]struct {
	builtIn spirv.BuiltIn
	name    string
}{
	{spirv.BuiltInPosition, "gl_Position"},
	{spirv.BuiltInPointSize, "gl_PointSize"},
	{spirv.BuiltInClipDistance, "gl_ClipDistance"},
	{spirv.BuiltInCullDistance, "gl_CullDistance"},
	{spirv.BuiltInVertexId, "gl_VertexID"},
	{spirv.BuiltInInstanceId, "gl_InstanceID"},
	{spirv.BuiltInPrimitiveId, "gl_PrimitiveID"},
	{spirv.BuiltInInvocationId, "gl_InvocationID"},
	{spirv.BuiltInLayer, "gl_Layer"},
	{spirv.BuiltInViewportIndex, "gl_ViewportIndex"},
	{spirv.BuiltInTessLevelOuter, "gl_TessLevelOuter"},
	{spirv.BuiltInTessLevelInner, "gl_TessLevelInner"},
	{spirv.BuiltInTessCoord, "gl_TessCoord"},
	{spirv.BuiltInPatchVertices, "gl_PatchVertices"},
	{spirv.BuiltInFragCoord, "gl_FragCoord"},
	{spirv.BuiltInPointCoord, "gl_PointCoord"},
	{spirv.BuiltInFrontFacing, "gl_FrontFacing"},
	{spirv.BuiltInSampleId, "gl_SampleID"},
	{spirv.BuiltInSamplePosition, "gl_SamplePosition"},
	{spirv.BuiltInSampleMask, "gl_SampleMask"},
	{spirv.BuiltInFragDepth, "gl_FragDepth"},
	{spirv.BuiltInHelperInvocation, "gl_HelperInvocation"},
	{spirv.BuiltInNumWorkgroups, "gl_NumWorkGroups"},
	{spirv.BuiltInWorkgroupSize, "gl_WorkGroupSize"},
	{spirv.BuiltInWorkgroupId, "gl_WorkGroupID"},
	{spirv.BuiltInLocalInvocationId, "gl_LocalInvocationID"},
	{spirv.BuiltInGlobalInvocationId, "gl_GlobalInvocationID"},
	{spirv.BuiltInLocalInvocationIndex, "gl_LocalInvocationIndex"},
	{spirv.BuiltInWorkDim, "WorkDim"},
	{spirv.BuiltInGlobalSize, "GlobalSize"},
	{spirv.BuiltInEnqueuedWorkgroupSize, "EnqueuedWorkgroupSize"},
	{spirv.BuiltInGlobalOffset, "GlobalOffset"},
	{spirv.BuiltInGlobalLinearId, "GlobalLinearId"},
	{spirv.BuiltInSubgroupSize, "SubgroupSize"},
	{spirv.BuiltInSubgroupMaxSize, "SubgroupMaxSize"},
	{spirv.BuiltInNumSubgroups, "NumSubgroups"},
	{spirv.BuiltInNumEnqueuedSubgroups, "NumEnqueuedSubgroups"},
	{spirv.BuiltInSubgroupId, "SubgroupId"},
	{spirv.BuiltInSubgroupLocalInvocationId, "SubgroupLocalInvocationId"},
	{spirv.BuiltInVertexIndex, "gl_VertexIndex"},
	{spirv.BuiltInInstanceIndex, "gl_InstanceIndex"},
	{spirv.BuiltInBaseInstance, "gl_BaseInstance"},
	{spirv.BuiltInSubgroupEqMask, "SubgroupEqMaskKHR"},
	{spirv.BuiltInSubgroupGeMask, "SubgroupGeMaskKHR"},
	{spirv.BuiltInSubgroupGtMask, "SubgroupGtMaskKHR"},
	{spirv.BuiltInSubgroupLeMask, "SubgroupLeMaskKHR"},
	{spirv.BuiltInSubgroupLtMask, "SubgroupLtMaskKHR"},
}

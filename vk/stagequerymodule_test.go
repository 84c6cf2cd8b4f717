package vk

import (
	"fmt"
	"strings"
)

// queryStage is a stage that calls trace, and the parts of its module.
type queryStage struct {
	model        string
	capabilities string
	modes        string
	decorations  string
	variables    string // and types
	list         string // of the variables
	index        string // defines %index, the number of the invocation
	end          string // "" for a return
}

// queryHead begins the modules of all stages.
const queryHead = `OpCapability Shader
OpCapability RayQueryKHR
OpCapability RayQueryPositionFetchKHR
OpCapability RayTracingOpacityMicromapEXT
OpCapability RayTracingSpheresGeometryNV
OpCapability RayTracingLinearSweptSpheresGeometryNV
OpCapability RayTracingClusterAccelerationStructureNV
%sOpExtension "SPV_KHR_ray_query"
OpExtension "SPV_KHR_ray_tracing_position_fetch"
OpExtension "SPV_EXT_opacity_micromap"
OpExtension "SPV_NV_linear_swept_spheres"
OpExtension "SPV_NV_cluster_acceleration_structure"
`

// built is the decoration, the variable and the load of a built-in input.
func (x *queryStage) built(name, kind string) string {
	id := "%" + strings.ToLower(name)
	x.decorations += fmt.Sprintf("OpDecorate %s BuiltIn %s\n", id, name)
	x.variables += fmt.Sprintf("%%to%s = OpTypePointer Input %%%s\n%s = OpVariable %%to%s Input\n", id[1:], kind, id, id[1:])
	x.list += " " + id
	return fmt.Sprintf("%%v%s = OpLoad %%%s %s\n", id[1:], kind, id)
}

// global numbers the invocations of workgroups, with an instruction that ends them.
func (x *queryStage) global(end string) {
	x.modes += "OpExecutionMode %main LocalSize 32 1 1\n"
	x.index = x.built("GlobalInvocationId", "v3uint") + "%index = OpCompositeExtract %uint %vglobalinvocationid 0\n"
	x.end = end
}

// primitives numbers the invocations of primitives, four for each.
func (x *queryStage) primitives(own string) {
	x.index = x.built("PrimitiveId", "uint") + own + "%four = OpIMul %uint %vprimitiveid %u4\n%index = OpIAdd %uint %four %own\n"
}

// queryStages returns the stages by name.
func queryStages() map[string]*queryStage {
	m := map[string]*queryStage{
		"compute": {model: "GLCompute"}, "vertex": {model: "Vertex"}, "control": {model: "TessellationControl", capabilities: "OpCapability Tessellation\n"},
		"evaluation": {model: "TessellationEvaluation", capabilities: "OpCapability Tessellation\n"}, "geometry": {model: "Geometry", capabilities: "OpCapability Geometry\n"},
		"fragment": {model: "Fragment", modes: "OpExecutionMode %main OriginUpperLeft\n"},
		"task":     {model: "TaskEXT", capabilities: "OpCapability MeshShadingEXT\nOpExtension \"SPV_EXT_mesh_shader\"\n"},
		"mesh": {model: "MeshEXT", capabilities: "OpCapability MeshShadingEXT\nOpExtension \"SPV_EXT_mesh_shader\"\n",
			modes: "OpExecutionMode %main OutputVertices 3\nOpExecutionMode %main OutputPrimitivesEXT 1\nOpExecutionMode %main OutputTrianglesEXT\n"},
	}
	m["compute"].global("")
	m["task"].global("OpEmitMeshTasksEXT %u0 %u0 %u0\n")
	m["mesh"].global("OpSetMeshOutputsEXT %u0 %u0\nOpReturn\n")
	m["vertex"].index = m["vertex"].built("VertexIndex", "uint") + "%index = OpCopyObject %uint %vvertexindex\n"
	invocation := func(x *queryStage) string {
		return x.built("InvocationId", "uint") + "%own = OpCopyObject %uint %vinvocationid\n"
	}
	x := m["geometry"]
	x.modes = "OpExecutionMode %main InputPoints\nOpExecutionMode %main Invocations 4\nOpExecutionMode %main OutputPoints\nOpExecutionMode %main OutputVertices 1\n"
	x.primitives(invocation(x))
	x = m["control"]
	x.modes = "OpExecutionMode %main OutputVertices 4\n"
	x.primitives(invocation(x))
	x.decorations += "OpDecorate %outer BuiltIn TessLevelOuter\nOpDecorate %outer Patch\nOpDecorate %inner BuiltIn TessLevelInner\nOpDecorate %inner Patch\n"
	x.variables += "%a4 = OpTypeArray %float %u4\n%a2 = OpTypeArray %float %u2\n%pa4 = OpTypePointer Output %a4\n%pa2 = OpTypePointer Output %a2\n" +
		"%outer = OpVariable %pa4 Output\n%inner = OpVariable %pa2 Output\n%ones4 = OpConstantComposite %a4 %f1 %f1 %f1 %f1\n%ones2 = OpConstantComposite %a2 %f1 %f1\n"
	x.list += " %outer %inner"
	x.end = "OpStore %outer %ones4\nOpStore %inner %ones2\nOpReturn\n"
	x = m["evaluation"]
	x.modes = "OpExecutionMode %main Quads\nOpExecutionMode %main SpacingEqual\nOpExecutionMode %main VertexOrderCcw\n"
	x.primitives(x.built("TessCoord", "v3float") + `%u = OpCompositeExtract %float %vtesscoord 0
%v = OpCompositeExtract %float %vtesscoord 1
%iu = OpConvertFToU %uint %u
%iv = OpConvertFToU %uint %v
%iv2 = OpIMul %uint %iv %u2
%own = OpIAdd %uint %iu %iv2
`)
	m["fragment"].index = m["fragment"].built("FragCoord", "v4float") + `%x = OpCompositeExtract %float %vfragcoord 0
%y = OpCompositeExtract %float %vfragcoord 1
%ix = OpConvertFToU %uint %x
%iy = OpConvertFToU %uint %y
%row = OpIMul %uint %iy %u16
%index = OpIAdd %uint %row %ix
`
	rayQueryStages(m)
	return m
}

// loadedRay is code that loads ray %index of the buffer, and the structure.
func loadedRay() string {
	at := "%eight = OpIMul %uint %index %u8\n"
	for k, n := range []int{0, 1, 2, 4, 5, 6} {
		at += fmt.Sprintf("%%a%d = OpIAdd %%uint %%eight %%u%d\n%%b%d = OpAccessChain %%to_StorageBuffer_uint %%out %%u0 %%a%d\n%%c%d = OpLoad %%uint %%b%d\n%%d%d = OpBitcast %%float %%c%d\n", k, n, k, k, k, k, k, k)
	}
	return at + `%origin = OpCompositeConstruct %v3float %d0 %d1 %d2
%direction = OpCompositeConstruct %v3float %d3 %d4 %d5
%s = OpLoad %structure %top
`
}

// rayQueryStages adds the ray stages. "raygen" traces itself; "launch" traces a ray whose other stages do, or executes a callable one.
func rayQueryStages(m map[string]*queryStage) {
	const tracing = "OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\n"
	launch := func() *queryStage {
		x := &queryStage{model: "RayGenerationKHR", capabilities: tracing}
		x.index = x.built("LaunchIdKHR", "v3uint") + "%index = OpCompositeExtract %uint %vlaunchidkhr 0\n"
		return x
	}
	m["raygen"], m["launch"], m["call"] = launch(), launch(), launch()
	x := m["launch"]
	x.variables += "%to_payload = OpTypePointer RayPayloadKHR %uint\n%p = OpVariable %to_payload RayPayloadKHR\n"
	x.list += " %p"
	x.end = loadedRay() + `OpStore %p %index
OpTraceRayKHR %s %u0 %u255 %u0 %u1 %u0 %origin %f0 %direction %f100 %p
OpStore %p %index
OpTraceRayKHR %s %u0 %u0 %u0 %u1 %u0 %origin %f0 %direction %f100 %p
OpReturn
`
	x = m["call"]
	x.variables += "%to_payload = OpTypePointer CallableDataKHR %uint\n%p = OpVariable %to_payload CallableDataKHR\n"
	x.list += " %p"
	x.end = "OpStore %p %index\nOpExecuteCallableKHR %u0 %p\nOpReturn\n"
	for name, model := range map[string]string{"miss": "MissKHR", "closest": "ClosestHitKHR", "any": "AnyHitKHR", "callable": "CallableKHR"} {
		class := "IncomingRayPayloadKHR"
		if name == "callable" {
			class = "IncomingCallableDataKHR"
		}
		m[name] = &queryStage{
			model: model, capabilities: tracing, variables: "%to_in = OpTypePointer " + class + " %uint\n%in = OpVariable %to_in " + class + "\n", list: " %in",
			index: "%index = OpLoad %uint %in\n",
		}
	}
	x = &queryStage{model: "IntersectionKHR", capabilities: tracing}
	x.index = x.built("LaunchIdKHR", "v3uint") + "%index = OpCompositeExtract %uint %vlaunchidkhr 0\n"
	m["intersection"] = x
}

// head returns the module of the stage up to its functions.
func (x *queryStage) head(capabilities string) string {
	capabilities += x.capabilities
	own, extensions := "", ""
	for _, l := range strings.SplitAfter(capabilities, "\n") {
		if strings.HasPrefix(l, "OpExtension") {
			extensions += l
		} else {
			own += l
		}
	}
	return fmt.Sprintf(queryHead+"%sOpMemoryModel Logical GLSL450\nOpEntryPoint %s %%main \"main\" %%top %%out %%hash %%n %%Private %%PrivateList%s\n", own, extensions, x.model, x.list) +
		x.modes + stageDecorations + x.decorations + stageDeclarations() + x.variables
}

// queryMain begins main: one invocation of four does not live.
const queryMain = "%main = OpFunction %void None %fn\n%entry = OpLabel\n"

const queryLives = `%mixed = OpIMul %uint %index %factor
%shifted = OpShiftRightLogical %uint %mixed %u28
%low = OpBitwiseAnd %uint %shifted %u3
%lives = OpINotEqual %bool %low %u0
`

const demotes = "OpDemoteToHelperInvocation"

// text returns the module of the stage. In one of four invocations, trace is not called; with an instruction in kill, they execute it before.
// An empty trace is a stage that does no more than its end.
func (x *queryStage) text(trace, kill string) string {
	var b strings.Builder
	capabilities := ""
	if kill == demotes {
		capabilities = "OpCapability DemoteToHelperInvocation\n"
	}
	call := "OpFunctionCall %void %trace %index\n"
	if trace == "" {
		call = "OpCopyObject %uint %index\n"
	}
	b.WriteString(x.head(capabilities) + trace + queryMain + x.index + queryLives)
	switch {
	case kill == "":
		b.WriteString("OpSelectionMerge %merge None\nOpBranchConditional %lives %yes %merge\n%yes = OpLabel\n%called = " + call + "OpBranch %merge\n%merge = OpLabel\n")
	case kill == demotes:
		b.WriteString("OpSelectionMerge %merge None\nOpBranchConditional %lives %merge %no\n%no = OpLabel\n" + kill + "\nOpBranch %merge\n%merge = OpLabel\n%called = " + call)
	default:
		b.WriteString("OpSelectionMerge %merge None\nOpBranchConditional %lives %merge %no\n%no = OpLabel\n" + kill + "\n%merge = OpLabel\n%called = " + call)
	}
	if x.end == "" {
		b.WriteString("OpReturn\n")
	}
	b.WriteString(x.end + "OpFunctionEnd\n")
	return b.String()
}

// helperText is a stage that traces ray %index to its closest hit, and stores the distance, −1 for a miss. In a fragment shader that demotes one
// invocation of four before, it also stores the differences of distances in the quad.
func (x *queryStage) helperText() string {
	capabilities, demote, differences := "", "", ""
	if x.model == "Fragment" {
		capabilities = "OpCapability DemoteToHelperInvocation\nOpCapability DerivativeControl\n"
		demote = "OpSelectionMerge %merge None\nOpBranchConditional %lives %merge %no\n%no = OpLabel\n" + demotes + "\nOpBranch %merge\n%merge = OpLabel\n"
		differences = "%dx = OpDPdxFine %float %t\n%bx = OpBitcast %uint %dx\nOpStore %p1 %bx\n%dy = OpDPdyFine %float %t\n%by = OpBitcast %uint %dy\nOpStore %p2 %by\n"
	}
	places := fmt.Sprintf("%%moved = OpIAdd %%uint %%index %%u%d\n%%to = OpIMul %%uint %%moved %%u8\n", crossRays)
	for k := range 3 {
		places += fmt.Sprintf("%%to%d = OpIAdd %%uint %%to %%u%d\n%%p%d = OpAccessChain %%to_StorageBuffer_uint %%out %%u0 %%to%d\n", k, k, k, k)
	}
	return x.head(capabilities) + queryMain + x.index + queryLives + loadedRay() + places + demote + `OpRayQueryInitializeKHR %Private %s %u0 %u255 %origin %f0 %direction %f100
OpBranch %head
%head = OpLabel
OpLoopMerge %end %next None
OpBranch %test
%test = OpLabel
%more = OpRayQueryProceedKHR %bool %Private
OpBranchConditional %more %next %end
%next = OpLabel
OpRayQueryConfirmIntersectionKHR %Private
OpBranch %head
%end = OpLabel
%kind = OpRayQueryGetIntersectionTypeKHR %uint %Private %u1
%distance = OpRayQueryGetIntersectionTKHR %float %Private %u1
%misses = OpIEqual %bool %kind %u0
%t = OpSelect %float %misses %fm1 %distance
%bt = OpBitcast %uint %t
OpStore %p0 %bt
` + differences + "OpReturn\nOpFunctionEnd\n"
}

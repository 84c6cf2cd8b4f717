package amber_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// meshScript draws the primitives of workgroups of 4 invocations, each of which stores the vertex of its number: its position from a buffer, and a
// color of it. The first PRIMITIVES invocations store a primitive: indices, a color and PrimitiveId.
const meshScript = `#!amber
SHADER mesh m SPIRV-ASM TARGET_ENV spv1.6
OpCapability MeshShadingEXT
OpExtension "SPV_EXT_mesh_shader"
OpMemoryModel Logical GLSL450
OpEntryPoint MeshEXT %main "main" %local %workgroup %positions %vertices %color %tint %prims %indices
OpExecutionMode %main LocalSize 4 1 1
OpExecutionMode %main OutputVertices 4
OpExecutionMode %main OutputPrimitivesEXT 4
OpExecutionMode %main OUTPUT
OpDecorate %local BuiltIn LocalInvocationIndex
OpDecorate %workgroup BuiltIn WorkgroupId
OpMemberDecorate %Vertex 0 BuiltIn Position
OpMemberDecorate %Vertex 1 BuiltIn PointSize
OpMemberDecorate %Vertex 2 BuiltIn ClipDistance
OpDecorate %Vertex Block
OpMemberDecorate %Primitive 0 PerPrimitiveEXT
OpMemberDecorate %Primitive 0 BuiltIn PrimitiveId
OpMemberDecorate %Primitive 1 PerPrimitiveEXT
OpMemberDecorate %Primitive 1 BuiltIn Layer
OpMemberDecorate %Primitive 2 PerPrimitiveEXT
OpMemberDecorate %Primitive 2 BuiltIn CullPrimitiveEXT
OpDecorate %Primitive Block
OpDecorate %indices BuiltIn KIND
OpDecorate %color Location 0
OpDecorate %tint Location 1
OpDecorate %tint PerPrimitiveEXT
OpDecorate %Positions Block
OpMemberDecorate %Positions 0 Offset 0
OpMemberDecorate %Positions 0 NonWritable
OpDecorate %list ArrayStride 16
OpDecorate %positions DescriptorSet 0
OpDecorate %positions Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%v4 = OpTypeVector %float 4
%u2 = OpTypeVector %uint 2
%u3 = OpTypeVector %uint 3
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u4 = OpConstant %uint 4
%count = OpConstant %uint PRIMITIVES
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%i2 = OpConstant %int 2
%half = OpConstant %float 0.5
%eighth = OpConstant %float 0.125
%one = OpConstant %float 1
%halves = OpConstantComposite %v4 %half %half %half %half
%clip = OpTypeArray %float %u1
%Vertex = OpTypeStruct %v4 %float %clip
%Primitive = OpTypeStruct %int %int %bool
%list = OpTypeRuntimeArray %v4
%Positions = OpTypeStruct %list
%manyvertices = OpTypeArray %Vertex %u4
%manyprims = OpTypeArray %Primitive %u4
%many4 = OpTypeArray %v4 %u4
%index = TYPE
%manyindices = OpTypeArray %index %u4
%inuint = OpTypePointer Input %uint
%inu3 = OpTypePointer Input %u3
%buffer = OpTypePointer StorageBuffer %Positions
%buffer4 = OpTypePointer StorageBuffer %v4
%outvertices = OpTypePointer Output %manyvertices
%outprims = OpTypePointer Output %manyprims
%outmany4 = OpTypePointer Output %many4
%outindices = OpTypePointer Output %manyindices
%out4 = OpTypePointer Output %v4
%outint = OpTypePointer Output %int
%outbool = OpTypePointer Output %bool
%outfloat = OpTypePointer Output %float
%outindex = OpTypePointer Output %index
%local = OpVariable %inuint Input
%workgroup = OpVariable %inu3 Input
%positions = OpVariable %buffer StorageBuffer
%vertices = OpVariable %outvertices Output
%prims = OpVariable %outprims Output
%color = OpVariable %outmany4 Output
%tint = OpVariable %outmany4 Output
%indices = OpVariable %outindices Output
%main = OpFunction %void None %fn
%l = OpLabel
OpSetMeshOutputsEXT %u4 %count
%i = OpLoad %uint %local
%w3 = OpLoad %u3 %workgroup
%w = OpCompositeExtract %uint %w3 0
%w4 = OpIMul %uint %w %u4
%n = OpIAdd %uint %w4 %i
%pa = OpAccessChain %buffer4 %positions %i0 %n
%p = OpLoad %v4 %pa
%va = OpAccessChain %out4 %vertices %i %i0
OpStore %va %p
%sa = OpAccessChain %outfloat %vertices %i %i1
OpStore %sa %one
%c0 = OpFMul %v4 %p %halves
%c = OpFAdd %v4 %c0 %halves
%ca = OpAccessChain %out4 %color %i
OpStore %ca %c
%drawn = OpULessThan %bool %i %count
OpSelectionMerge %end None
OpBranchConditional %drawn %then %end
%then = OpLabel
%nf = OpConvertUToF %float %n
%t = OpFMul %float %nf %eighth
%tv = OpCompositeConstruct %v4 %t %half %t %one
%ta = OpAccessChain %out4 %tint %i
OpStore %ta %tv
%id = OpBitcast %int %n
%ia = OpAccessChain %outint %prims %i %i0
OpStore %ia %id
%culled = OpIEqual %bool %i %CULL
%ba = OpAccessChain %outbool %prims %i %i2
OpStore %ba %culled
%ina = OpAccessChain %outindex %indices %i
%a = OpIAdd %uint %i %u1
%b = OpUMod %uint %a %u4
%d = OpIAdd %uint %b %u1
%e = OpUMod %uint %d %u4
INDEX
OpStore %ina %in
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
END
SHADER fragment f SPIRV-ASM TARGET_ENV spv1.6
OpCapability MeshShadingEXT
OpExtension "SPV_EXT_mesh_shader"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %c %t %id %o
OpExecutionMode %main OriginUpperLeft
OpDecorate %c Location 0
OpDecorate %t Location 1
OpDecorate %t PerPrimitiveEXT
OpDecorate %id BuiltIn PrimitiveId
OpDecorate %id PerPrimitiveEXT
OpDecorate %id Flat
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%v4 = OpTypeVector %float 4
%in4 = OpTypePointer Input %v4
%inint = OpTypePointer Input %int
%out4 = OpTypePointer Output %v4
%c = OpVariable %in4 Input
%t = OpVariable %in4 Input
%id = OpVariable %inint Input
%o = OpVariable %out4 Output
%step = OpConstant %float 0.03125
%half = OpConstant %float 0.5
%halves = OpConstantComposite %v4 %half %half %half %half
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %c
%y = OpLoad %v4 %t
%x2 = OpFMul %v4 %x %halves
%y2 = OpFMul %v4 %y %halves
%z = OpFAdd %v4 %x2 %y2
%n = OpLoad %int %id
%nf = OpConvertSToF %float %n
%b = OpFMul %float %nf %step
%r = OpCompositeInsert %v4 %b %z 2
OpStore %o %r
OpReturn
OpFunctionEnd
END
BUFFER corners DATA_TYPE vec4<float> DATA
POSITIONS
END
BUFFER picture FORMAT R8G8B8A8_UNORM
PIPELINE graphics draw
  ATTACH m
  ATTACH f
  BIND BUFFER corners AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER picture AS color LOCATION 0
  FRAMEBUFFER_SIZE 16 16
  STATE
    PROVOKING_VERTEX first
  END
END
CLEAR draw
RUN draw DRAW_MESH GROUPS 1 1
`

// meshKinds are the outputs of meshScript.
var meshKinds = []struct{ output, kind, index, store string }{
	{"OutputPoints", "PrimitivePointIndicesEXT", "OpTypeInt 32 0", "%in = OpCopyObject %uint %i"},
	{"OutputLinesEXT", "PrimitiveLineIndicesEXT", "OpTypeVector %uint 2", "%in = OpCompositeConstruct %u2 %i %b"},
	{"OutputTrianglesEXT", "PrimitiveTriangleIndicesEXT", "OpTypeVector %uint 3", "%in = OpCompositeConstruct %u3 %i %b %e"},
}

// meshText returns the script of a kind. Its types have no two ids.
func meshText(kind int, positions string, groups, primitives int) string {
	k := meshKinds[kind]
	text := strings.NewReplacer("POSITIONS", positions, "OUTPUT", k.output, "KIND", k.kind, "INDEX\n", k.store+"\n", "GROUPS", fmt.Sprint(groups), "PRIMITIVES", fmt.Sprint(primitives), "%CULL", "%u1").Replace(meshScript)
	own := []string{"%uint", "%u2", "%u3"}[kind]
	text = strings.Replace(text, "%index = TYPE\n", "", 1)
	return strings.NewReplacer("%index %u4", own+" %u4", "Output %index", "Output "+own).Replace(text)
}

// TestPermittedMesh: a primitive has the vertices of its indices and the data of its number, those of a workgroup are drawn in order, and none with
// CullPrimitiveEXT ("Mesh Shader Output"). No right number is called wrong.
func TestPermittedMesh(t *testing.T) {
	random := rand.New(rand.NewSource(47))
	drawn, found, others := 0, 0, 0
	const rounds = 24
	for round := range rounds {
		var positions strings.Builder
		for range 8 {
			fmt.Fprintf(&positions, "%g %g %g 1\n", random.Float32()*1.8-0.9, random.Float32()*1.8-0.9, random.Float32())
		}
		text := meshText(round%3, positions.String(), 1+round/3%2, 3)
		text = strings.Replace(text, "PROVOKING_VERTEX first", "PROVOKING_VERTEX "+[]string{"first", "last"}[round/6%2], 1)
		if round >= rounds/2 { // the color of the provoking vertex
			text = strings.Replace(text, "OpDecorate %c Location 0\n", "OpDecorate %c Location 0\nOpDecorate %c Flat\n", 1)
		}
		p, r := permit(t, "mesh.amber", text)
		right := r.Contents["picture"]
		if len(p.Pictures) != 1 || len(right) == 0 || p.Pictures[0].Undecided != "" {
			t.Fatalf("round %d: %v, undecided %q", round, r.Message, p.Pictures[0].Undecided)
		}
		if list, any := p.Pictures[0].Judge(right); len(list) > 0 || any > len(right)/2 {
			t.Errorf("round %d: %d components with any value, %d are not permitted, the first %+v", round, any, len(list), list[:min(len(list), 1)])
		}
		if round >= rounds/2 && round%3 > 0 {
			p, _ := permit(t, "mesh.amber", strings.NewReplacer("VERTEX first", "VERTEX last", "VERTEX last", "VERTEX first").Replace(text))
			if list, _ := p.Pictures[0].Judge(right); len(list) > 0 {
				others++
			}
		}
		drawn += drawnPixels(right, [4]byte{})
		if findsSeeded(p.Pictures[0], right) {
			found++
		}
	}
	if drawn < 300 || found < rounds/2 {
		t.Errorf("%d pixels are drawn, and %d of %d seeded values are found", drawn, found, rounds)
	}
	if others < 4 { // a line alone has no pixel that it is certain to cover
		t.Errorf("%d pictures with the other provoking vertex are wrong", others)
	}
}

// TestPermittedMeshOrder: Vulkan has no order of the primitives of two workgroups, so that a pixel of both has any value. Those of one workgroup
// have an order.
func TestPermittedMeshOrder(t *testing.T) {
	const square = "-1 -1 0 1\n1 -1 0 1\n1 1 0 1\n-1 1 0 1\n"
	for groups, most := range map[int]int{1: 3 * 16 * 4, 2: 16 * 16 * 4} {
		p, r := permit(t, "mesh.amber", meshText(2, square+square, groups, 3))
		x := p.Pictures[0]
		if x.Undecided != "" {
			t.Fatalf("%s; %v", x.Undecided, r.Message)
		}
		list, any := x.Judge(r.Contents["picture"])
		if len(list) > 0 || any > most || groups == 2 && any < most/2 {
			t.Errorf("%d workgroups: %d components with any value, %d are not permitted", groups, any, len(list))
		}
	}
}

// TestPermittedMeshFaults: open cases of the specification permit everything.
func TestPermittedMeshFaults(t *testing.T) {
	const square = "-1 -1 0 1\n1 -1 0 1\n1 1 0 1\n-1 1 0 1\n"
	text := meshText(2, square, 1, 3)
	for _, c := range []struct{ from, to, want string }{
		{"OpSetMeshOutputsEXT %u4 %count", "OpSetMeshOutputsEXT %u1 %count", "beyond"},
		{"%b = OpUMod %uint %a %u4", "%b = OpIAdd %uint %a %u4", "beyond the vertices"},
		{"%ia = OpAccessChain %outint %prims %i %i0", "%ia = OpAccessChain %outint %prims %i %i1", "layer"},
		{"OpStore %ca %c\n", "OpStore %ca %c\n%cx = OpLoad %v4 %ca\n", "a load of an output"},
		{"OpStore %ba %culled", "", "CullPrimitiveEXT that is open"},
	} {
		changed := strings.Replace(text, c.from, c.to, 1)
		if changed == text {
			t.Fatalf("the script has no %s", c.from)
		}
		p, _ := permit(t, "mesh.amber", changed)
		if why := p.Pictures[0].Undecided; !strings.Contains(why, c.want) {
			t.Errorf("%s: %q; must say %q", c.to, why, c.want)
		}
	}
}

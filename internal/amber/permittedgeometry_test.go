package amber_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// geometryScript draws indexed primitives with restarts, through a geometry shader with two invocations that emits the vertices of the primitive
// at half their distance, moved by InvocationId, and a color of their Position and PrimitiveIdIn.
const geometryScript = `#!amber
SHADER vertex v SPIRV-ASM
` + placedVertex + `END
SHADER geometry g SPIRV-ASM
OpCapability Geometry
OpMemoryModel Logical GLSL450
OpEntryPoint Geometry %main "main" %p %id %in %pos %color %prim
OpExecutionMode %main INPUT
OpExecutionMode %main Invocations 2
OpExecutionMode %main OUTPUT
OpExecutionMode %main OutputVertices 6
OpDecorate %p BuiltIn Position
OpDecorate %id BuiltIn PrimitiveId
OpDecorate %in BuiltIn InvocationId
OpDecorate %pos BuiltIn Position
OpDecorate %prim BuiltIn PrimitiveId
OpDecorate %color Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%v4 = OpTypeVector %float 4
%n = OpConstant %uint CORNERS
%many = OpTypeArray %v4 %n
%inmany = OpTypePointer Input %many
%in4 = OpTypePointer Input %v4
%inint = OpTypePointer Input %int
%out4 = OpTypePointer Output %v4
%outint = OpTypePointer Output %int
%p = OpVariable %inmany Input
%id = OpVariable %inint Input
%in = OpVariable %inint Input
%pos = OpVariable %out4 Output
%color = OpVariable %out4 Output
%prim = OpVariable %outint Output
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%i2 = OpConstant %int 2
%i3 = OpConstant %int 3
%i4 = OpConstant %int 4
%i5 = OpConstant %int 5
%half = OpConstant %float 0.5
%one = OpConstant %float 1
%zero = OpConstant %float 0
%eighth = OpConstant %float 0.125
%halves = OpConstantComposite %v4 %half %half %one %one
%main = OpFunction %void None %fn
%l = OpLabel
%k = OpLoad %int %in
%kf = OpConvertSToF %float %k
%kh = OpFMul %float %kf %half
%move = OpCompositeConstruct %v4 %kh %zero %zero %zero
%d = OpLoad %int %id
%df = OpConvertSToF %float %d
%dd = OpFMul %float %df %eighth
%tint = OpCompositeConstruct %v4 %dd %half %kh %one
%twice = OpIMul %int %d %i2
%next = OpIAdd %int %twice %k
VERTICES
OpEndPrimitive
OpReturn
OpFunctionEnd
END
SHADER fragment f SPIRV-ASM
OpCapability Geometry
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %c %id %o
OpExecutionMode %main OriginUpperLeft
OpDecorate %c Location 0
OpDecorate %id BuiltIn PrimitiveId
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
%id = OpVariable %inint Input
%o = OpVariable %out4 Output
%step = OpConstant %float 0.03125
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %c
%n = OpLoad %int %id
%nf = OpConvertSToF %float %n
%b = OpFMul %float %nf %step
%y = OpCompositeInsert %v4 %b %x 2
OpStore %o %y
OpReturn
OpFunctionEnd
END
BUFFER corners DATA_TYPE vec4<float> DATA
POSITIONS
END
BUFFER indices DATA_TYPE uint16 DATA
INDICES
END
BUFFER picture FORMAT R8G8B8A8_UNORM
PIPELINE graphics draw
  ATTACH v
STAGE  ATTACH f
  VERTEX_DATA corners LOCATION 0
  INDEX_DATA indices
  BIND BUFFER picture AS color LOCATION 0
  FRAMEBUFFER_SIZE 16 16
  STATE
    PRIMITIVE_RESTART on
    PROVOKING_VERTEX first
  END
END
CLEAR draw
RUN draw DRAW_ARRAY AS TOPOLOGY INDEXED START_IDX 0 COUNT 14
`

// emitted returns the assembly that emits n vertices.
func emitted(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%%a%d = OpAccessChain %%in4 %%p %%i%d\n%%x%d = OpLoad %%v4 %%a%d\n%%y%d = OpFMul %%v4 %%x%d %%halves\n%%z%d = OpFAdd %%v4 %%y%d %%move\n", i, i, i, i, i, i, i, i)
		fmt.Fprintf(&b, "%%t%d = OpFAdd %%v4 %%y%d %%tint\nOpStore %%pos %%z%d\nOpStore %%color %%t%d\nOpStore %%prim %%next\nOpEmitVertex\n", i, i, i, i)
	}
	return b.String()
}

// TestPermittedGeometry: the primitives of a geometry shader are those of its invocations in order ("Geometry Shader Execution", "Geometry Shader
// Primitive Ordering"), PrimitiveIdIn counts on over restarts, and no right number is called wrong.
func TestPermittedGeometry(t *testing.T) {
	random := rand.New(rand.NewSource(31))
	drawn, found := 0, 0
	topologies := []struct {
		name, input, output string
		count               int
	}{
		{"POINT_LIST", "InputPoints", "OutputPoints", 1}, {"LINE_LIST", "InputLines", "OutputLineStrip", 2}, {"LINE_STRIP", "InputLines", "OutputLineStrip", 2},
		{"TRIANGLE_LIST", "Triangles", "OutputTriangleStrip", 3}, {"TRIANGLE_STRIP", "Triangles", "OutputTriangleStrip", 3}, {"TRIANGLE_FAN", "Triangles", "OutputTriangleStrip", 3},
		{"LINE_LIST_WITH_ADJACENCY", "InputLinesAdjacency", "OutputLineStrip", 4}, {"LINE_STRIP_WITH_ADJACENCY", "InputLinesAdjacency", "OutputLineStrip", 4},
		{"TRIANGLE_LIST_WITH_ADJACENCY", "InputTrianglesAdjacency", "OutputTriangleStrip", 6},
	}
	const rounds = 36
	for round := range rounds {
		x := topologies[round%len(topologies)]
		var positions, indices strings.Builder
		for range 10 {
			fmt.Fprintf(&positions, "%g %g %g 1\n", random.Float32()*1.8-0.9, random.Float32()*1.8-0.9, random.Float32())
		}
		for i := range 14 {
			n := random.Intn(10)
			if i == 5 && (strings.Contains(x.name, "STRIP") || strings.HasSuffix(x.name, "FAN")) {
				n = 0xffff
			}
			fmt.Fprintf(&indices, "%d ", n)
		}
		text := strings.NewReplacer("POSITIONS", positions.String(), "INDICES", indices.String(), "VERTICES\n", emitted(x.count), "CORNERS", fmt.Sprint(x.count), "INPUT", x.input, "OUTPUT", x.output,
			"TOPOLOGY", x.name, "STAGE", "  ATTACH g\n", "PROVOKING_VERTEX first", "PROVOKING_VERTEX "+[]string{"first", "last"}[round/len(topologies)%2]).Replace(geometryScript)
		p, r := permit(t, "geometry.amber", text)
		right := r.Contents["picture"]
		if len(p.Pictures) != 1 || len(right) == 0 || p.Pictures[0].Undecided != "" {
			t.Fatalf("%s: %v, undecided %q", x.name, r.Message, p.Pictures[0].Undecided)
		}
		if list, any := p.Pictures[0].Judge(right); len(list) > 0 || any > len(right)/2 {
			t.Errorf("round %d, %s: %d components with any value, %d are not permitted, the first %+v", round, x.name, any, len(list), list[:min(len(list), 1)])
		}
		drawn += drawnPixels(right, [4]byte{})
		if findsSeeded(p.Pictures[0], right) {
			found++
		}
	}
	if drawn < 500 || found < rounds/2 {
		t.Errorf("%d pixels are drawn, and %d of %d seeded values are found", drawn, found, rounds)
	}
}

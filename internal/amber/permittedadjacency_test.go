package amber_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// adjacencyScript draws primitives with adjacency without a geometry shader, in a color of PrimitiveId.
const adjacencyScript = `#!amber
SHADER vertex v SPIRV-ASM
` + placedVertex + `END
SHADER fragment f SPIRV-ASM
OpCapability Geometry
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %id %o
OpExecutionMode %main OriginUpperLeft
OpDecorate %id BuiltIn PrimitiveId
OpDecorate %id Flat
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%v4 = OpTypeVector %float 4
%inint = OpTypePointer Input %int
%out4 = OpTypePointer Output %v4
%id = OpVariable %inint Input
%o = OpVariable %out4 Output
%step = OpConstant %float 0.0625
%half = OpConstant %float 0.5
%main = OpFunction %void None %fn
%l = OpLabel
%n = OpLoad %int %id
%nf = OpConvertSToF %float %n
%b = OpFMul %float %nf %step
%y = OpCompositeConstruct %v4 %half %b %half %half
OpStore %o %y
OpReturn
OpFunctionEnd
END
BUFFER corners DATA_TYPE vec4<float> DATA
POSITIONS
END
BUFFER picture FORMAT R8G8B8A8_UNORM
PIPELINE graphics draw
  ATTACH v
  ATTACH f
  VERTEX_DATA corners LOCATION 0
  BIND BUFFER picture AS color LOCATION 0
  FRAMEBUFFER_SIZE 16 16
END
CLEAR draw
RUN draw DRAW_ARRAY AS TOPOLOGY START_IDX 0 COUNT 14
`

// TestPermittedAdjacency: without a geometry shader the adjacent vertices of a primitive have no effect ("Line Lists With Adjacency" to "Triangle
// Strips With Adjacency").
func TestPermittedAdjacency(t *testing.T) {
	random := rand.New(rand.NewSource(47))
	drawn, found := 0, 0
	const rounds = 16
	for round := range rounds {
		topology := []string{"LINE_LIST", "LINE_STRIP", "TRIANGLE_LIST", "TRIANGLE_STRIP"}[round%4] + "_WITH_ADJACENCY"
		var positions strings.Builder
		for range 14 {
			fmt.Fprintf(&positions, "%g %g %g 1\n", random.Float32()*1.8-0.9, random.Float32()*1.8-0.9, random.Float32())
		}
		p, r := permit(t, "adjacency.amber", strings.NewReplacer("POSITIONS", positions.String(), "TOPOLOGY", topology).Replace(adjacencyScript))
		right := r.Contents["picture"]
		if len(p.Pictures) != 1 || len(right) == 0 || p.Pictures[0].Undecided != "" {
			t.Fatalf("%s: %v, undecided %q", topology, r.Message, p.Pictures[0].Undecided)
		}
		if list, any := p.Pictures[0].Judge(right); len(list) > 0 || any > len(right)/4 { // a nearly empty triangle may have any pixels
			t.Errorf("round %d, %s: %d components with any value, %d are not permitted, the first %+v", round, topology, any, len(list), list[:min(len(list), 1)])
		}
		drawn += drawnPixels(right, [4]byte{})
		if findsSeeded(p.Pictures[0], right) {
			found++
		}
	}
	if drawn < 300 || found < rounds/2 {
		t.Errorf("%d pixels are drawn, and %d of %d seeded values are found", drawn, found, rounds)
	}
}

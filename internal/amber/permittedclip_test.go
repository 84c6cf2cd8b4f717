package amber_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// clipScript draws six vertices with two clip distances, two cull distances, and a color of the position.
const clipScript = `#!amber
SHADER vertex v SPIRV-ASM
OpCapability Shader
OpCapability ClipDistance
OpCapability CullDistance
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %p %d %out %o
OpDecorate %p Location 0
OpDecorate %d Location 1
OpMemberDecorate %Vertex 0 BuiltIn Position
OpMemberDecorate %Vertex 1 BuiltIn PointSize
OpMemberDecorate %Vertex 2 BuiltIn ClipDistance
OpMemberDecorate %Vertex 3 BuiltIn CullDistance
OpDecorate %Vertex Block
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%v4 = OpTypeVector %float 4
%u2 = OpConstant %uint 2
%pair = OpTypeArray %float %u2
%Vertex = OpTypeStruct %v4 %float %pair %pair
%in4 = OpTypePointer Input %v4
%outv = OpTypePointer Output %Vertex
%out4 = OpTypePointer Output %v4
%out1 = OpTypePointer Output %float
%outpair = OpTypePointer Output %pair
%p = OpVariable %in4 Input
%d = OpVariable %in4 Input
%out = OpVariable %outv Output
%o = OpVariable %out4 Output
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%i2 = OpConstant %int 2
%i3 = OpConstant %int 3
%size = OpConstant %float SIZE
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %p
%pa = OpAccessChain %out4 %out %i0
OpStore %pa %x
%sa = OpAccessChain %out1 %out %i1
OpStore %sa %size
%y = OpLoad %v4 %d
%d0 = OpCompositeExtract %float %y 0
%d1 = OpCompositeExtract %float %y 1
%d2 = OpCompositeExtract %float %y 2
%d3 = OpCompositeExtract %float %y 3
%ca = OpAccessChain %out1 %out %i2 %i0
OpStore %ca %d0
%cb = OpAccessChain %out1 %out %i2 %i1
OpStore %cb %d1
%cull = OpCompositeConstruct %pair %d2 %d3
%cc = OpAccessChain %outpair %out %i3
OpStore %cc %cull
OpStore %o %x
OpReturn
OpFunctionEnd
END
SHADER fragment f SPIRV-ASM
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %p %o
OpExecutionMode %main OriginUpperLeft
OpDecorate %p Location 0
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%in4 = OpTypePointer Input %v4
%out4 = OpTypePointer Output %v4
%p = OpVariable %in4 Input
%o = OpVariable %out4 Output
%half = OpConstant %float 0.5
%halves = OpConstantComposite %v4 %half %half %half %half
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %p
%y = OpFMul %v4 %x %halves
%z = OpFAdd %v4 %y %halves
OpStore %o %z
OpReturn
OpFunctionEnd
END
BUFFER corners DATA_TYPE vec4<float> DATA
POSITIONS
END
BUFFER away DATA_TYPE vec4<float> DATA
DISTANCES
END
BUFFER picture FORMAT R8G8B8A8_UNORM
PIPELINE graphics p
  ATTACH v
  ATTACH f
  VERTEX_DATA corners LOCATION 0
  VERTEX_DATA away LOCATION 1
  FRAMEBUFFER_SIZE 24 24
  BIND BUFFER picture AS color LOCATION 0
END
CLEAR_COLOR p 9 9 9 255
CLEAR p
RUN p DRAW_ARRAY AS TOPOLOGY START_IDX 0 COUNT 6
`

func clipText(topology string, size float32, positions, distances string) string {
	return strings.NewReplacer("FRAMEBUFFER_SIZE", "FRAMEBUFFER_SIZE", "SIZE", fmt.Sprint(size), "POSITIONS", positions, "DISTANCES", distances, "TOPOLOGY", topology).Replace(clipScript)
}

// TestPermittedDistances: "A clip distance of 0 means the vertex is on the plane, a positive distance means the vertex is inside the clip half-space,
// and a negative distance means the point is outside"; a primitive is discarded if all its vertices have a negative cull
// distance of one number.
func TestPermittedDistances(t *testing.T) {
	const square, left = "-1 -1 0 1\n1 -1 0 1\n-1 1 0 1\n1 1 0 1\n1 1 0 1\n1 1 0 1\n", "-1 1 1 1\n1 1 1 1\n-1 1 1 1\n1 1 1 1\n1 1 1 1\n1 1 1 1\n"
	for _, c := range []struct {
		name, distances string
		drawn           func(x int) bool
	}{
		{"inside", strings.Repeat("1 0.5 1 1\n", 6), func(int) bool { return true }},
		{"a half", left, func(x int) bool { return x >= 12 }},
		{"two planes", strings.ReplaceAll(strings.ReplaceAll(left, "-1 1", "-1 2"), "\n1 1 ", "\n1 -0.5 "), func(x int) bool { return x >= 12 && x < 19 }},
		{"outside of a plane", strings.Repeat("1 -1 1 1\n", 6), func(int) bool { return false }},
		{"culled", strings.Repeat("1 1 1 -0.5\n", 6), func(int) bool { return false }},
		{"one vertex inside the cull half-space", "1 1 -1 -1\n1 1 1 1\n1 1 -1 -1\n1 1 1 1\n1 1 1 1\n1 1 1 1\n", func(int) bool { return true }},
	} {
		p, r := permit(t, "distances.amber", clipText("TRIANGLE_STRIP", 1, square, c.distances))
		x, right := p.Pictures[0], r.Contents["picture"]
		if x.Undecided != "" || len(right) == 0 {
			t.Fatalf("%s: undecided %q, %v", c.name, x.Undecided, r.Message)
		}
		if list, any := x.Judge(right); len(list) > 0 || any > 0 {
			t.Errorf("%s: %d components with any value, %d are not permitted", c.name, any, len(list))
		}
		for px := range 24 {
			if px == 11 || px == 12 || px == 18 || px == 19 { // the clipped edge may be rounded
				continue
			}
			at := (5*24 + px) * 4
			if drawn := [4]byte(right[at:]) != [4]byte{9, 9, 9, 255}; drawn != c.drawn(px) {
				t.Errorf("%s: pixel %d is drawn: %v", c.name, px, drawn)
			}
			wrong := append([]byte(nil), right...)
			if copy(wrong[at:], []byte{9, 9, 9, 255}); !c.drawn(px) {
				copy(wrong[at:], []byte{byte(px * 10), 60, 128, 255})
			}
			if list, _ := x.Judge(wrong); len(list) == 0 {
				t.Errorf("%s: pixel %d may be drawn or not", c.name, px)
			}
		}
	}
}

// TestPermittedClip draws random points, lines and triangles with random distances.
func TestPermittedClip(t *testing.T) {
	random := rand.New(rand.NewSource(26))
	drawn, found, known := 0, 0, 0
	const rounds = 48
	for round := range rounds {
		topology := []string{"TRIANGLE_LIST", "TRIANGLE_STRIP", "TRIANGLE_FAN", "TRIANGLE_LIST", "POINT_LIST", "LINE_LIST"}[round%6]
		p, r := permit(t, "clip.amber", randomClip(random, topology, round))
		x, right := p.Pictures[0], r.Contents["picture"]
		if x.Undecided != "" || len(right) == 0 {
			t.Fatalf("round %d: undecided %q, %v", round, x.Undecided, r.Message)
		}
		list, any := x.Judge(right)
		if len(list) > 0 {
			t.Errorf("round %d, %s: %d components are not permitted, the first %+v", round, topology, len(list), list[0])
		}
		known += len(right) - any
		drawn += drawnPixels(right, [4]byte{9, 9, 9, 255})
		if findsSeeded(x, right) {
			found++
		}
	}
	if drawn < 1000 || found < rounds/2 || known < rounds*24*24*2 {
		t.Errorf("%d pixels are drawn, %d of %d seeded values are found, %d components are known", drawn, found, rounds, known)
	}
}

// randomClip returns a script with random distances, the clip distances of about half of the vertices and few cull distances negative.
func randomClip(random *rand.Rand, topology string, round int) string {
	var positions, distances strings.Builder
	for range 6 {
		w := []float32{1, 0.5 + 2*random.Float32()}[round/6%2]
		fmt.Fprintf(&positions, "%g %g %g %g\n", (random.Float32()*2.2-1.1)*w, (random.Float32()*2.2-1.1)*w, random.Float32()*w, w)
		fmt.Fprintf(&distances, "%g %g %g %g\n", random.Float32()*2-0.6, random.Float32()*3-0.5, random.Float32()*2-0.8, random.Float32())
	}
	return clipText(topology, 1+float32(round%3), positions.String(), distances.String())
}

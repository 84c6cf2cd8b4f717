package amber_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// tessellationScript draws a patch of four vertices with a level on all edges.
const tessellationScript = `#!amber
SHADER vertex v SPIRV-ASM
` + placedVertex + `END
SHADER tessellation_control c SPIRV-ASM
OpCapability Tessellation
OpMemoryModel Logical GLSL450
OpEntryPoint TessellationControl %main "main" %in %out %id %outer %inner
OpExecutionMode %main OutputVertices 4
OpDecorate %pv Block
OpMemberDecorate %pv 0 BuiltIn Position
OpDecorate %id BuiltIn InvocationId
OpDecorate %outer BuiltIn TessLevelOuter
OpDecorate %outer Patch
OpDecorate %inner BuiltIn TessLevelInner
OpDecorate %inner Patch
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%v4 = OpTypeVector %float 4
%n0 = OpConstant %int 0
%n1 = OpConstant %int 1
%n2 = OpConstant %int 2
%n3 = OpConstant %int 3
%u2 = OpConstant %uint 2
%u4 = OpConstant %uint 4
%u32 = OpConstant %uint 32
%level = OpConstant %float LEVEL
%pv = OpTypeStruct %v4
%ain = OpTypeArray %pv %u32
%aout = OpTypeArray %pv %u4
%f4 = OpTypeArray %float %u4
%f2 = OpTypeArray %float %u2
%pain = OpTypePointer Input %ain
%paout = OpTypePointer Output %aout
%pin4 = OpTypePointer Input %v4
%pout4 = OpTypePointer Output %v4
%pint = OpTypePointer Input %int
%pf4 = OpTypePointer Output %f4
%pf2 = OpTypePointer Output %f2
%pf = OpTypePointer Output %float
%in = OpVariable %pain Input
%out = OpVariable %paout Output
%id = OpVariable %pint Input
%outer = OpVariable %pf4 Output
%inner = OpVariable %pf2 Output
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %int %id
%p = OpAccessChain %pin4 %in %i %n0
%x = OpLoad %v4 %p
%q = OpAccessChain %pout4 %out %i %n0
OpStore %q %x
%o0 = OpAccessChain %pf %outer %n0
OpStore %o0 %level
%o1 = OpAccessChain %pf %outer %n1
OpStore %o1 %level
%o2 = OpAccessChain %pf %outer %n2
OpStore %o2 %level
%o3 = OpAccessChain %pf %outer %n3
OpStore %o3 %level
%i0 = OpAccessChain %pf %inner %n0
OpStore %i0 %level
%i1 = OpAccessChain %pf %inner %n1
OpStore %i1 %level
OpReturn
OpFunctionEnd
END
SHADER tessellation_evaluation e SPIRV-ASM
OpCapability Tessellation
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint TessellationEvaluation %main "main" %in %out %tc %o
OpExecutionMode %main DOMAIN
OpExecutionMode %main SPACING
OpExecutionMode %main VertexOrderCcw
OpDecorate %pv Block
OpMemberDecorate %pv 0 BuiltIn Position
OpDecorate %po Block
OpMemberDecorate %po 0 BuiltIn Position
OpDecorate %tc BuiltIn TessCoord
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%v3 = OpTypeVector %float 3
%v4 = OpTypeVector %float 4
%n0 = OpConstant %int 0
%n1 = OpConstant %int 1
%n2 = OpConstant %int 2
%n3 = OpConstant %int 3
%u32 = OpConstant %uint 32
%one = OpConstant %float 1
%pv = OpTypeStruct %v4
%po = OpTypeStruct %v4
%ain = OpTypeArray %pv %u32
%pain = OpTypePointer Input %ain
%pin4 = OpTypePointer Input %v4
%pin3 = OpTypePointer Input %v3
%ppo = OpTypePointer Output %po
%pout4 = OpTypePointer Output %v4
%in = OpVariable %pain Input
%out = OpVariable %ppo Output
%tc = OpVariable %pin3 Input
%o = OpVariable %pout4 Output
%main = OpFunction %void None %fn
%l = OpLabel
%t = OpLoad %v3 %tc
%u = OpCompositeExtract %float %t 0
%v = OpCompositeExtract %float %t 1
%uu = OpCompositeConstruct %v4 %u %u %u %u
%vv = OpCompositeConstruct %v4 %v %v %v %v
%a0 = OpAccessChain %pin4 %in %n0 %n0
%a1 = OpAccessChain %pin4 %in %n1 %n0
%a2 = OpAccessChain %pin4 %in %n2 %n0
%a3 = OpAccessChain %pin4 %in %n3 %n0
%b0 = OpLoad %v4 %a0
%b1 = OpLoad %v4 %a1
%b2 = OpLoad %v4 %a2
%b3 = OpLoad %v4 %a3
%c0 = OpExtInst %v4 %glsl FMix %b0 %b1 %uu
%c1 = OpExtInst %v4 %glsl FMix %b3 %b2 %uu
%x = OpExtInst %v4 %glsl FMix %c0 %c1 %vv
%q = OpAccessChain %pout4 %out %n0
OpStore %q %x
%uv = OpFMul %float %u %v
%y = OpCompositeConstruct %v4 %u %v %uv %one
OpStore %o %y
OpReturn
OpFunctionEnd
END
SHADER fragment f SPIRV-ASM
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %c %o
OpExecutionMode %main OriginUpperLeft
OpDecorate %c Location 0
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%in4 = OpTypePointer Input %v4
%out4 = OpTypePointer Output %v4
%c = OpVariable %in4 Input
%o = OpVariable %out4 Output
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %c
OpStore %o %x
OpReturn
OpFunctionEnd
END
BUFFER corners DATA_TYPE vec4<float> DATA
POSITIONS
END
BUFFER picture FORMAT R8G8B8A8_UNORM
PIPELINE graphics draw
  ATTACH v
  ATTACH c
  ATTACH e
  ATTACH f
  VERTEX_DATA corners LOCATION 0
  PATCH_CONTROL_POINTS 4
  BIND BUFFER picture AS color LOCATION 0
  FRAMEBUFFER_SIZE 16 16
END
CLEAR draw
RUN draw DRAW_ARRAY AS PATCH_LIST START_IDX 0 COUNT 4
`

// TestPermittedTessellation: the subdivision of a domain by levels is given, but not the choice of the triangles between its rings, their order and their first
// vertices ("Triangle Tessellation" to "Isoline Tessellation"). All choices cover the same samples.
func TestPermittedTessellation(t *testing.T) {
	random := rand.New(rand.NewSource(53))
	drawn, found, quads := 0, 0, 0
	const rounds = 24
	for round := range rounds {
		domain, spacing, level := []string{"Quads", "Triangles", "Isolines"}[round%3], "SpacingEqual", []string{"1", "2", "3.5"}[round/3%3]
		if round >= rounds/2 {
			spacing, level = []string{"SpacingFractionalOdd", "SpacingFractionalEven"}[round%2], []string{"3", "4"}[round%2]
		}
		var positions strings.Builder
		for _, p := range [4][2]float32{{-0.85, -0.85}, {0.85, -0.8}, {0.8, 0.85}, {-0.75, 0.8}} {
			fmt.Fprintf(&positions, "%g %g %g 1\n", p[0]+random.Float32()*0.2-0.1, p[1]+random.Float32()*0.2-0.1, random.Float32())
		}
		p, r := permit(t, "tessellation.amber", strings.NewReplacer("POSITIONS", positions.String(), "DOMAIN", domain, "SPACING", spacing, "LEVEL", level).Replace(tessellationScript))
		right := r.Contents["picture"]
		if len(p.Pictures) != 1 || len(right) == 0 || p.Pictures[0].Undecided != "" {
			t.Fatalf("%s, %s %s: %v, undecided %q", domain, spacing, level, r.Message, p.Pictures[0].Undecided)
		}
		if list, any := p.Pictures[0].Judge(right); len(list) > 0 || domain == "Quads" && any > 0 {
			t.Errorf("round %d, %s, %s %s: %d components with any value, %d are not permitted, the first %+v", round, domain, spacing, level, any, len(list), list[:min(len(list), 1)])
		}
		drawn += drawnPixels(right, [4]byte{})
		if domain != "Quads" {
			continue
		}
		quads++
		if findsSeeded(p.Pictures[0], right) {
			found++
		}
	}
	if drawn < 1500 || found < quads {
		t.Errorf("%d pixels are drawn, and %d of %d seeded values are found", drawn, found, quads)
	}
}

// TestPermittedFractional: Vulkan leaves the place of the two shorter segments of a fractional level to the implementation, and a part of their length
// ("Tessellator Spacing"). Each pixel has a primitive of the patch or nothing, and colors between the ones at its vertices.
func TestPermittedFractional(t *testing.T) {
	for _, domain := range []string{"Quads", "Triangles", "Isolines"} {
		for _, at := range []struct{ spacing, level string }{{"SpacingFractionalOdd", "1.25"}, {"SpacingFractionalEven", "5.75"}, {"SpacingEqual", "70"}} {
			p, r := permit(t, "tessellation.amber", strings.NewReplacer("POSITIONS", "-0.3 -0.3 0.25 1 0.3 -0.2 0.5 1 0.3 0.3 0.75 1 -0.3 0.3 0.5 1", "DOMAIN", domain, "SPACING", at.spacing, "LEVEL", at.level).Replace(tessellationScript))
			x, right := p.Pictures[0], r.Contents["picture"]
			if x.Undecided != "" {
				t.Errorf("%s, %v: undecided: %s", domain, at, x.Undecided)
			}
			if list, _ := x.Judge(right); len(list) > 0 || drawnPixels(right, [4]byte{}) < 5 {
				t.Errorf("%s, %v: %d pixels are drawn; %d components are not permitted, the first %+v", domain, at, drawnPixels(right, [4]byte{}), len(list), list[:min(len(list), 1)])
			}
			if domain != "Isolines" && !findsSeeded(x, right) { // lines reach some pixels farther
				t.Errorf("%s, %v: a seeded value outside of the patch is not found", domain, at)
			}
		}
	}
}

// TestPermittedFold: a patch with crossed edges covers where its boundary winds around a sample, and elsewhere perhaps. In both cases a pixel has one of
// its colors, or the one before.
func TestPermittedFold(t *testing.T) {
	for _, spacing := range []string{"SpacingEqual", "SpacingFractionalEven"} {
		p, r := permit(t, "tessellation.amber", strings.NewReplacer("POSITIONS", "-0.8 -0.8 0.25 1 0.8 0.8 0.5 1 0.8 -0.8 0.75 1 -0.8 0.8 0.5 1", "DOMAIN", "Quads", "SPACING", spacing, "LEVEL", "4").Replace(tessellationScript))
		x, right := p.Pictures[0], r.Contents["picture"]
		if list, any := x.Judge(right); len(list) > 0 || any > 0 || x.Undecided != "" {
			t.Errorf("%s: %d components with any value, %d not permitted; undecided %q", spacing, any, len(list), x.Undecided)
		}
		found, drawn := 0, 0
		for i := 0; i+4 <= len(right); i += 4 {
			if [4]byte(right[i:]) == ([4]byte{}) {
				continue
			}
			drawn++
			wrong := slices.Clone(right)
			wrong[i+3] = 0x80 // alpha is 0 or 1
			if list, _ := x.Judge(wrong); len(list) > 0 {
				found++
			}
		}
		if drawn < 20 || found < drawn {
			t.Errorf("%s: %d of %d seeded values are found", spacing, found, drawn)
		}
	}
}

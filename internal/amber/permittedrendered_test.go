package amber_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/amber"
)

// renderedScript draws to both levels of an image, and then a picture of the image.
const renderedScript = `#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment paint SPIRV-ASM
` + positionHead + `%scale = OpConstant %float 0.055
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %at
%c = OpVectorTimesScalar %v4 %x %scale
OpStore %o %c
OpReturn
OpFunctionEnd
END
SHADER fragment show SPIRV-ASM
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %at %o
OpExecutionMode %main OriginUpperLeft
OpDecorate %at BuiltIn FragCoord
OpDecorate %o Location 0
OpDecorate %tex DescriptorSet 0
OpDecorate %tex Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%psampled = OpTypePointer UniformConstant %sampled
%tex = OpVariable %psampled UniformConstant
%in4 = OpTypePointer Input %v4
%out4 = OpTypePointer Output %v4
%at = OpVariable %in4 Input
%o = OpVariable %out4 Output
%scale = OpConstant %float 0.0625
%lod = OpConstant %float LOD
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %at
%xy = OpVectorShuffle %v2 %x %x 0 1
%uv = OpVectorTimesScalar %v2 %xy %scale
%t = OpLoad %sampled %tex
%c = OpImageSampleExplicitLod %v4 %t %uv Lod %lod
OpStore %o %c
OpReturn
OpFunctionEnd
END
IMAGE tex FORMAT TEXEL DIM_2D WIDTH 16 HEIGHT 16 MIP_LEVELS 2
BUFFER picture FORMAT R8G8B8A8_UNORM
SAMPLER s MAG_FILTER FILTER MIN_FILTER FILTER MIN_LOD 0.0 MAX_LOD 1.0
PIPELINE graphics first
  ATTACH v
  ATTACH paint
  BIND BUFFER tex AS color LOCATION 0
  FRAMEBUFFER_SIZE 16 16
END
PIPELINE graphics second
  ATTACH v
  ATTACH paint
  BIND BUFFER tex AS color LOCATION 0 BASE_MIP_LEVEL 1
  FRAMEBUFFER_SIZE 8 8
END
PIPELINE graphics last
  ATTACH v
  ATTACH show
  BIND BUFFER tex AS combined_image_sampler SAMPLER s DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER picture AS color LOCATION 0
  FRAMEBUFFER_SIZE 16 16
END
CLEAR first
CLEAR second
CLEAR last
RUN first DRAW_RECT POS 0 0 SIZE 16 16
RUN second DRAW_RECT POS 0 0 SIZE 8 8
RUN last DRAW_RECT POS 0 0 SIZE 16 16
`

// TestPermittedRendered samples images that were attachments, in each level: no right texel is called wrong, and the components of a picture
// that are changed by 1/16 are.
func TestPermittedRendered(t *testing.T) {
	for _, texel := range []string{"R8G8B8A8_UNORM", "R8G8B8A8_SRGB", "R8G8B8A8_SNORM", "R16G16B16A16_SFLOAT", "R32G32B32A32_SFLOAT"} {
		for _, filter := range []string{"nearest", "linear"} {
			for _, lod := range []string{"0", "1", "0.75"} {
				text := strings.NewReplacer("TEXEL", texel, "FILTER FILTER", filter, "LOD\n", lod+"\n", "MAG_FILTER FILTER", "MAG_FILTER "+filter, "MIN_FILTER FILTER", "MIN_FILTER "+filter).Replace(renderedScript)
				p, r := permit(t, "rendered.amber", text)
				right := r.Contents["picture"]
				if len(right) == 0 || len(p.Pictures) != 2 || p.Pictures[1].Undecided != "" {
					t.Fatalf("%s, %s, level %s: %d pictures, %v %s", texel, filter, lod, len(p.Pictures), r.Message, p.Pictures[len(p.Pictures)-1].Undecided)
				}
				x := p.Pictures[1]
				list, any := x.Judge(right)
				if len(list) > 0 || any > 0 {
					t.Errorf("%s, %s, level %s: %d components with any value, %d are not permitted, the first %+v", texel, filter, lod, any, len(list), list[:min(len(list), 1)])
				}
				wrong := slices.Clone(right)
				for i := range wrong {
					wrong[i] ^= 0x80
				}
				if list, _ := x.Judge(wrong); len(list) < len(right)*3/4 {
					t.Errorf("%s, %s, level %s: %d of %d wrong components are found", texel, filter, lod, len(list), len(right))
				}
			}
		}
	}
}

// TestPermittedLevels: an image with more levels than its size has takes no memory for them. The script fails when it runs.
func TestPermittedLevels(t *testing.T) {
	text := strings.NewReplacer("TEXEL", "R8G8B8A8_UNORM", "LOD\n", "0\n", "FILTER", "nearest", "MIP_LEVELS 2", "MIP_LEVELS 2000000").Replace(renderedScript)
	text = strings.NewReplacer("MAG_nearest", "MAG_FILTER", "MIN_nearest", "MIN_FILTER").Replace(text)
	s, err := amber.Parse("levels.amber", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := amber.Permit(t.Context(), s, amber.Options{}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 100<<20 {
		t.Errorf("%d bytes; must be a few MiB", n)
	}
}

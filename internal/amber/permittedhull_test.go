package amber_test

import (
	"bytes"
	"strings"
	"testing"
)

// hullAccesses are accesses of textures at open texels, with further declarations.
var hullAccesses = []struct{ name, declarations, access string }{
	{"projection", "%v3 = OpTypeVector %float 3\n%two = OpConstant %float 2\n", "%uvq = OpCompositeConstruct %v3 %uv %two\n%c = OpImageSampleProjExplicitLod %v4 %t %uvq Lod %lod\n"},
	{"offset", "%int = OpTypeInt 32 1\n%i2 = OpTypeVector %int 2\n%i3 = OpConstant %int 3\n%off = OpConstantComposite %i2 %i3 %i3\n", "%c = OpImageSampleExplicitLod %v4 %t %uv Lod|ConstOffset %lod %off\n"},
	{"gather", "%int = OpTypeInt 32 1\n%i0 = OpConstant %int 0\n", "%c = OpImageGather %v4 %t %uv %i0\n"},
}

// TestPermittedHulls: the results of filters are between the texels of the image ("Texel Filtering" weights sum to 1), and others are not permitted.
func TestPermittedHulls(t *testing.T) {
	for _, x := range hullAccesses {
		for _, filter := range []string{"nearest", "linear"} {
			text := strings.NewReplacer("TEXEL", "R8G8B8A8_UNORM", "LOD\n", "0.75\n", "MAG_FILTER FILTER", "MAG_FILTER "+filter, "MIN_FILTER FILTER", "MIN_FILTER "+filter,
				"%c = OpImageSampleExplicitLod %v4 %t %uv Lod %lod\n", x.access, "%scale = OpConstant %float 0.0625\n", x.declarations+"%scale = OpConstant %float 0.0625\n").Replace(renderedScript)
			judgedHull(t, x.name+", "+filter, text, 1)
		}
	}
}

// depthScript draws depths from 0.25 to 0.75, and then a picture of them.
const depthScript = `#!amber
SHADER vertex v SPIRV-ASM
` + placedVertex + `END
SHADER fragment paint SPIRV-ASM
` + positionHead + `%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %at
OpStore %o %x
OpReturn
OpFunctionEnd
END
SHADER vertex whole PASSTHROUGH
`

// depthRest is the part of depthScript after the shader that shows the picture.
const depthRest = `BUFFER corners DATA_TYPE vec4<float> DATA
-1 -1 0.25 1  1 -1 0.25 1  -1 1 0.75 1  -1 1 0.75 1  1 -1 0.25 1  1 1 0.75 1
END
IMAGE tex FORMAT TEXEL DIM_2D WIDTH 16 HEIGHT 16
BUFFER color FORMAT R8G8B8A8_UNORM
BUFFER picture FORMAT R8G8B8A8_UNORM
SAMPLER s MAG_FILTER FILTER MIN_FILTER FILTER COMPARES
PIPELINE graphics first
  ATTACH v
  ATTACH paint
  VERTEX_DATA corners LOCATION 0
  BIND BUFFER color AS color LOCATION 0
  BIND BUFFER tex AS depth_stencil
  DEPTH
    TEST on
    WRITE on
    COMPARE_OP always
  END
  FRAMEBUFFER_SIZE 16 16
END
PIPELINE graphics last
  ATTACH whole
  ATTACH show
  BIND BUFFER tex AS combined_image_sampler SAMPLER s DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER picture AS color LOCATION 0
  FRAMEBUFFER_SIZE 16 16
END
CLEAR_DEPTH first 1
CLEAR first
CLEAR last
RUN first DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 6
RUN last DRAW_RECT POS 0 0 SIZE 16 16
`

// depthPicture returns a script that shows the depths of an image of a format by an access, with a filter.
func depthPicture(texel, filter, compares, access string) string {
	_, rest, _ := strings.Cut(renderedScript, "SHADER fragment show")
	show, _, _ := strings.Cut(rest, "IMAGE tex")
	image := "OpTypeImage %float 2D 0"
	if compares != "" {
		image = "OpTypeImage %float 2D 1"
	}
	show = strings.NewReplacer("LOD\n", "0\n", "%scale = ", "%half = OpConstant %float 0.5\n%v3 = OpTypeVector %float 3\n%scale = ", "%c = OpImageSampleExplicitLod %v4 %t %uv Lod %lod\n", access,
		"OpTypeImage %float 2D 0", image).Replace(show)
	return depthScript + "SHADER fragment show" + show + strings.NewReplacer("TEXEL", texel, "MAG_FILTER FILTER", "MAG_FILTER "+filter, "MIN_FILTER FILTER", "MIN_FILTER "+filter, "COMPARES", compares).Replace(depthRest)
}

// TestPermittedDepthTextures: a depth is the first component of a texel, before 0, 0 and 1 ("Conversion to RGBA"), and a comparison is from 0 to 1.
func TestPermittedDepthTextures(t *testing.T) {
	for _, texel := range []string{"D32_SFLOAT", "D16_UNORM"} {
		for _, x := range []struct{ name, compares, access string }{
			{"nearest", "", "%c = OpImageSampleExplicitLod %v4 %t %uv Lod %lod\n"},
			{"linear", "", "%c = OpImageSampleExplicitLod %v4 %t %uv Lod %lod\n"},
			{"linear", "COMPARE on COMPARE_OP less", "%d = OpImageSampleDrefExplicitLod %float %t %uv %half Lod %lod\n%c = OpCompositeConstruct %v4 %d %d %d %d\n"},
		} {
			text := depthPicture(texel, x.name, x.compares, x.access)
			least := 1
			if x.compares != "" {
				least = 0
			}
			judgedHull(t, texel+", "+x.name+" "+x.compares, text, least)
		}
	}
}

// TestPermittedProjectionByZero: a projection divides the coordinates by the last one, so that with 0 they are no numbers, and a comparison has any value.
func TestPermittedProjectionByZero(t *testing.T) {
	p, r := permit(t, "projection.amber", depthPicture("D32_SFLOAT", "nearest", "COMPARE on COMPARE_OP less",
		"%uvq = OpCompositeConstruct %v3 %uv %lod\n%d = OpImageSampleProjDrefExplicitLod %float %t %uvq %half Lod %lod\n%c = OpCompositeConstruct %v4 %d %d %d %d\n"))
	x := p.Pictures[len(p.Pictures)-1]
	right := r.Contents["picture"]
	if len(right) == 0 || x.Buffer.Name != "picture" {
		t.Fatalf("%v, picture %q", r.Message, x.Buffer.Name)
	}
	if list, any := x.Judge(right); len(list) > 0 || any != len(right) || x.Undecided != "" {
		t.Errorf("%d components with any value, %d are not permitted; all %d must have any value", any, len(list), len(right))
	}
}

// judgedHull judges the right picture of a script, in which no component has any value, and one of the greatest values, of which some are wrong.
func judgedHull(t *testing.T, name, text string, least int) {
	t.Helper()
	p, r := permit(t, "hull.amber", text)
	right := r.Contents["picture"]
	x := p.Pictures[len(p.Pictures)-1]
	if len(right) == 0 || x.Buffer.Name != "picture" || x.Undecided != "" {
		t.Fatalf("%s: %v, picture %q undecided %q", name, r.Message, x.Buffer.Name, x.Undecided)
	}
	if list, any := x.Judge(right); len(list) > 0 || any > 0 {
		t.Errorf("%s: %d components with any value, %d are not permitted, the first %+v", name, any, len(list), list[:min(len(list), 1)])
	}
	if list, _ := x.Judge(bytes.Repeat([]byte{255}, len(right))); len(list) < least*len(right)/4 {
		t.Errorf("%s: %d of the greatest values are found", name, len(list))
	}
}

package amber

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
)

// redText is a fragment shader that returns red after the code at BODY.
const redText = `
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main "main" %color
               OpExecutionMode %main OriginUpperLeft
               OpDecorate %color Location 0
       %void = OpTypeVoid
       %bool = OpTypeBool
       %true = OpConstantTrue %bool
      %float = OpTypeFloat 32
         %f0 = OpConstant %float 0
         %f1 = OpConstant %float 1
       %vec4 = OpTypeVector %float 4
        %red = OpConstantComposite %vec4 %f1 %f0 %f0 %f1
 %out_vec4 = OpTypePointer Output %vec4
      %color = OpVariable %out_vec4 Output
      %shape = OpTypeFunction %void
       %main = OpFunction %void None %shape
      %start = OpLabel
BODY
               OpStore %color %red
               OpReturn
               OpFunctionEnd
`

// endlessBody goes round for ever.
const endlessBody = `
               OpBranch %head
       %head = OpLabel
               OpLoopMerge %rest %next None
               OpBranchConditional %true %next %rest
       %next = OpLabel
               OpBranch %head
       %rest = OpLabel`

// hostileScript is a script that draws, with a fragment shader, declarations, additional
// lines of the pipeline, and the commands.
func hostileScript(body, declared, pipeline, run string) string {
	return "#!amber\nSHADER vertex v PASSTHROUGH\nSHADER fragment f SPIRV-ASM" + strings.Replace(redText, "BODY", body, 1) + `END
BUFFER color FORMAT R8G8B8A8_UNORM
` + declared + `
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 8 8
  BIND BUFFER color AS color LOCATION 0
` + pipeline + `
END
` + run + "\n"
}

// TestHostileDraws runs scripts with meaningless draws: each ends soon, with a message that
// has a position and a reason, or with a picture that the specification requires.
func TestHostileDraws(t *testing.T) {
	const all = "RUN p DRAW_RECT POS 0 0 SIZE 8 8"
	const none, red = "EXPECT color IDX 0 0 SIZE 8 8 EQ_RGBA 0 0 0 0", "EXPECT color IDX 0 0 SIZE 8 8 EQ_RGBA 255 0 0 255"
	vertices := func(data string) string { return "BUFFER places DATA_TYPE vec4<float> DATA " + data + " END" }
	const triangle = "VERTEX_DATA places LOCATION 0\n"
	const array = "RUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 3"
	for name, x := range map[string]struct {
		body, declared, pipeline, run string
		status                        Status
		want                          []string // of the message
	}{
		"whole":              {"", "", "", all + "\n" + red, Pass, nil},
		"endless":            {endlessBody, "", "", all, RanOutOfTime, []string{"hostile.amber:", "pipeline p", "budget of 100000 steps", "loop"}},
		"no number":          {"", vertices("nan nan 0 1 nan 1 0 1 1 1 0 1"), triangle, array + "\n" + none, Pass, nil},
		"infinite":           {"", vertices("-inf -inf 0 1 inf -1 0 1 -1 inf 0 1"), triangle, array + "\n" + none, Pass, nil},
		"degenerate":         {"", vertices("-1 -1 0 1 1 1 0 1 0 0 0 1"), triangle, array + "\n" + none, Pass, nil},
		"no w":               {"", vertices("-1 -1 0 0 1 -1 0 0 -1 1 0 0"), triangle, array + "\n" + none, Pass, nil},
		"viewport of size 0": {"", "", "VIEWPORT 0.0 0.0 SIZE 0.0 0.0", all + "\n" + none, Pass, nil},
		"huge viewport":      {"", "", "VIEWPORT -1e30 -1e30 SIZE 2e30 2e30", all, Pass, nil},
		"viewport nowhere":   {"", "", "VIEWPORT 1e9 1e9 SIZE 8.0 8.0", all + "\n" + none, Pass, nil},
		"too few vertices":   {"", vertices("-1 -1 0 1 1 -1 0 1"), triangle, array + "\n" + none, Pass, nil},
		"vertices far off":   {"", vertices("-1 -1 0 1 3 -1 0 1 -1 3 0 1"), triangle, "RUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 4000000000 COUNT 3\n" + none, Pass, nil},
		"wild indices":       {"", vertices("-1 -1 0 1 3 -1 0 1 -1 3 0 1") + "\nBUFFER indices DATA_TYPE uint32 DATA 4294967295 77 4000000000 END", triangle + "INDEX_DATA indices", "RUN p DRAW_ARRAY AS TRIANGLE_LIST INDEXED\n" + none, Pass, nil},
		"no indices":         {"", vertices("-1 -1 0 1 3 -1 0 1 -1 3 0 1"), triangle, "RUN p DRAW_ARRAY AS TRIANGLE_LIST INDEXED", Failed, []string{"needs INDEX_DATA"}},
		"structs as places":  {"", "STRUCT s\n float a\n float b\nEND\nBUFFER places DATA_TYPE s DATA 1 2 END", triangle, array, Failed, []string{"hostile.amber:", "which are no vertex data"}},
		"no vertices":        {"", "", "", array + "\n" + none, Pass, nil},
		"patches":            {"", vertices("-1 -1 0 1 3 -1 0 1 -1 3 0 1"), triangle, "RUN p DRAW_ARRAY AS PATCH_LIST START_IDX 0 COUNT 3", Failed, []string{"hostile.amber:", "patches"}},
		"samples":            {"", "IMAGE other FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 8 HEIGHT 8 SAMPLES 4 FILL 0", "BIND BUFFER other AS color LOCATION 1", all, Failed, []string{"hostile.amber:", "samples"}},
		"smaller attachment": {"", "IMAGE other FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 3 HEIGHT 5 FILL 0", "BIND BUFFER other AS color LOCATION 1", all + "\nEXPECT color IDX 0 0 SIZE 3 5 EQ_RGBA 255 0 0 255", Pass, nil},
		"huge grid":          {"", "", "", "RUN p DRAW_GRID POS 0 0 SIZE 8 8 CELLS 65536 65536", Failed, []string{"hostile.amber:", "a grid of 65536"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := hostileScript(x.body, x.declared, x.pipeline, x.run)
			options := []Options{{Engine: interp.Engine{}, Budget: 100000}}
			if len(jit.Levels()) > 0 {
				options = append(options, Options{Engine: jit.Engine{}, Budget: 100000, Workers: 3})
			}
			for _, o := range options {
				status, message := Failed, ""
				if s, err := Parse("hostile.amber", []byte(text), nil); err != nil {
					message = err.Error()
				} else {
					r := Run(t.Context(), s, o)
					status, message = r.Status, r.Message
				}
				if status != x.status {
					t.Errorf("%s: %s: %s; want %s", o.Engine.Name(), status, message, x.status)
				}
				for _, w := range x.want {
					if !strings.Contains(message, w) {
						t.Errorf("%s: %q; want %q in it", o.Engine.Name(), message, w)
					}
				}
			}
		})
	}
}

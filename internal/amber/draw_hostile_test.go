package amber

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestDrawHostile runs statements and operands of draws that are not permitted. The message has the position.
func TestDrawHostile(t *testing.T) {
	const args = "BUFFER args DATA_TYPE uint32 DATA 3 1 0 0 3 1 0 0 END\nBUFFER many DATA_TYPE uint32 DATA 0xffffffff 3 END\n"
	const indirect = "RUN p DRAW_INDIRECT AS TRIANGLE_LIST BUFFER args"
	const feedback = "TRANSFORM_FEEDBACK BUFFER n BINDING 0"
	for _, x := range []struct{ declared, pipeline, run string }{
		{"", "", indirect + " OFFSET 2"},
		{"", "", indirect + " OFFSET 20"},
		{"", "", indirect + " OFFSET 1000000000"},
		{"", "", indirect + " OFFSET 4294967296"},
		{"", "", indirect + " COUNT 2 STRIDE 6"},
		{"", "", indirect + " COUNT 2 STRIDE 12"},
		{"", "", indirect + " COUNT 2 STRIDE 0"},
		{"", "", indirect + " COUNT 3"},
		{"", "", indirect + " COUNT 4294967295 STRIDE 1073741820"},
		{"", "", indirect + " COUNT 4294967295 COUNT_BUFFER many"},
		{"", "", indirect + " COUNT_BUFFER many COUNT_OFFSET 8"},
		{"", "", indirect + " COUNT_BUFFER many COUNT_OFFSET 2"},
		{"", "", indirect + " COUNT_BUFFER nothing"},
		{"", "", "RUN p DRAW_INDIRECT AS TRIANGLE_LIST INDEXED BUFFER args"},
		{"", "INDEX_DATA indices", "RUN p DRAW_INDIRECT AS TRIANGLE_LIST INDEXED BUFFER args OFFSET 16"},
		{"", "", "RUN p DRAW_BYTE_COUNT AS TRIANGLE_LIST COUNTER many"},
		{"", "", "RUN p DRAW_BYTE_COUNT AS TRIANGLE_LIST COUNTER many STRIDE 0"},
		{"", "", "RUN p DRAW_BYTE_COUNT AS TRIANGLE_LIST COUNTER many STRIDE 6"},
		{"", "", "RUN p DRAW_BYTE_COUNT AS TRIANGLE_LIST COUNTER many STRIDE 4 COUNTER_OFFSET 8"},
		{"", feedback, triangle}, // the shader captures nothing
		{"", "TRANSFORM_FEEDBACK BUFFER n BINDING 4", triangle},
		{"", feedback + " OFFSET 4", triangle},
		{"", feedback + " OFFSET 2", triangle},
		{"", feedback + " SIZE 8", triangle},
		{"", feedback + " COUNTER n COUNTER_OFFSET 4", triangle},
		{"", "TRANSFORM_FEEDBACK BUFFER samples BINDING 0", triangle},
		{"", "SHADING_RATE_ATTACHMENT small TEXEL 8 8", triangle},
		{"", "SHADING_RATE_ATTACHMENT n TEXEL 8 8", triangle},
		{"BUFFER rates FORMAT R8_UINT\n", "SHADING_RATE_ATTACHMENT rates TEXEL 4 8", triangle},
		{"", "VERTEX_DATA places LOCATION 1 SIZE 1000", triangle},
		{"", "VERTEX_DATA places LOCATION 1 SIZE 0", triangle},
		{"IMAGE l FORMAT R8_UNORM DIM_2D WIDTH 8 HEIGHT 8 LAYERS 0 FILL 0\n", "", triangle},
		{"IMAGE l FORMAT R8_UNORM DIM_2D WIDTH 8 HEIGHT 8 LAYERS 1073741824 FILL 0\n", "", triangle},
		{"IMAGE l FORMAT R8_UNORM DIM_2D WIDTH 8 HEIGHT 8 MIP_LEVELS 2 LAYERS 2 FILL 0\n", "", triangle},
		{"IMAGE l FORMAT R8_UNORM DIM_3D WIDTH 8 HEIGHT 8 DEPTH 2 LAYERS 2 FILL 0\n", "", triangle},
		{"BUFFER l FORMAT R8_UNORM LAYERS 1073741824\n", "BIND BUFFER l AS color LOCATION 0", triangle},
		{"", "STATE\nVIEW_MASK 2\nEND", triangle}, // the attachment has one layer
		{"", "STATE\nCOLOR_LOCATIONS 0 1\nEND", triangle},
		{"", "STATE\nCOLOR_INPUTS 0 1\nEND", triangle},
		{"", "BIND BUFFER n AS depth_stencil", triangle},
		{"", "ATTACH input3\nBIND BUFFER color AS input_attachment DESCRIPTOR_SET 0 BINDING 0\nSTATE\nCOLOR_INPUTS 3\nEND", triangle},
		{"", "ATTACH input3\nBIND BUFFER n AS input_attachment DESCRIPTOR_SET 0 BINDING 0", triangle},
		{"", "", "RENDER_PASS\nRENDER_PASS\nEND\nEND"},
		{"", "", "RENDER_PASS\nEXPECT n IDX 0 EQ 0\nEND"},
		{"", "", "RENDER_PASS\n" + triangle},
		{"", "", "RENDER_PASS\nRUN q DRAW_ARRAY AS TRIANGLE_LIST\nEND"},
		{"", "", "DERIVE_PIPELINE q FROM p\nFRAMEBUFFER_SIZE 4 4\nEND\nRENDER_PASS\nCLEAR p\nCLEAR q\nEND"},
		{"", "", "DERIVE_PIPELINE q FROM p\nSTATE\nVIEW_MASK 1\nEND\nEND\nRENDER_PASS\nCLEAR p\nCLEAR q\nEND"},
		{"", "", "DERIVE_PIPELINE q FROM p\nSTATE\nLEGACY_DITHERING on\nEND\nEND\nRENDER_PASS\nCLEAR p\nCLEAR q\nEND"},
		{"", "", "DERIVE_PIPELINE q FROM p\nBIND BUFFER color AS color LOCATION 0\nEND\nRENDER_PASS\nCLEAR p\nCLEAR q\nEND"},
	} {
		text := strings.Replace(stateScript(covering, drawsSmall+"\n"+x.pipeline, x.run), "PIPELINE graphics", args+x.declared+"PIPELINE graphics", 1)
		s, message := runStatus(t, text)
		if s != Failed || !strings.HasPrefix(message, "state.amber:") {
			t.Errorf("%s%s; %s: %s: %s; must fail with a position", x.declared, x.pipeline, x.run, s, message)
		}
	}
}

// TestIndirectEndless: an indirect draw of 2⁶⁴ vertices, and a million draws of a million vertices each, end with the context.
func TestIndirectEndless(t *testing.T) {
	const pipeline = "PIPELINE graphics p\nATTACH v\nATTACH red\nFRAMEBUFFER_SIZE 8 8\nVERTEX_DATA place LOCATION 0\nBIND BUFFER small AS color LOCATION 0\nEND\n"
	for _, x := range []struct{ args, count string }{
		{"DATA 0xffffffff 0xffffffff 0 0 END", ""},
		{"SIZE 4000000 FILL 1000", " COUNT 1000000"},
	} {
		s, err := Parse("endless.amber", []byte(stateShaders+"BUFFER place DATA_TYPE vec4<float> DATA 9 9 0 1 END\nBUFFER args DATA_TYPE uint32 "+x.args+"\n"+
			pipeline+"RUN p DRAW_INDIRECT AS TRIANGLE_LIST BUFFER args"+x.count), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range bothEngines() {
			began := time.Now()
			r := Run(context.Background(), s, Options{Engine: e, Timeout: 200 * time.Millisecond})
			if took := time.Since(began); r.Status != RanOutOfTime || took > 10*time.Second {
				t.Errorf("%s: %s after %v: %s; must be %s soon", e.Name(), r.Status, took, r.Message, RanOutOfTime)
			}
		}
	}
}

// TestFeedbackCounters: a counter beyond the buffer captures nothing, and one that is no multiple of 4 is an error.
func TestFeedbackCounters(t *testing.T) {
	for _, x := range []struct {
		counter string
		want    Status
	}{{"0", Pass}, {"4", Pass}, {"0xfffffffc", Pass}, {"3", Failed}} {
		expect := map[string]string{"0": "5 7", "4": "7 5"}[x.counter]
		if expect == "" {
			expect = "7 7"
		}
		text := captureShaders + "BUFFER counter DATA_TYPE uint32 DATA " + x.counter + " END\n" + capturePipeline + "EXPECT out IDX 0 EQ " + expect + "\n"
		if s, message := runStatus(t, text); s != x.want {
			t.Errorf("counter %s: %s: %s; must be %s", x.counter, s, message, x.want)
		}
	}
}

// captureShaders are a vertex shader that captures its input in buffer 0, and buffers.
const captureShaders = `#!amber
SHADER vertex v SPIRV-ASM
OpCapability Shader
OpCapability TransformFeedback
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %in %out %position
OpExecutionMode %main Xfb
OpDecorate %in Location 0
OpDecorate %out Location 0
OpDecorate %out XfbBuffer 0
OpDecorate %out XfbStride 4
OpDecorate %out Offset 0
OpDecorate %position BuiltIn Position
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%pin = OpTypePointer Input %uint
%pout = OpTypePointer Output %uint
%pposition = OpTypePointer Output %vec4
%in = OpVariable %pin Input
%out = OpVariable %pout Output
%position = OpVariable %pposition Output
%zero = OpConstantNull %vec4
%main = OpFunction %void None %fn
%body = OpLabel
%x = OpLoad %uint %in
OpStore %out %x
OpStore %position %zero
OpReturn
OpFunctionEnd
END
BUFFER values DATA_TYPE uint32 DATA 5 END
BUFFER out DATA_TYPE uint32 DATA 7 7 END
BUFFER color FORMAT R8_UNORM
`

const capturePipeline = `PIPELINE graphics p
  ATTACH v
  FRAMEBUFFER_SIZE 1 1
  VERTEX_DATA values LOCATION 0
  BIND BUFFER color AS color LOCATION 0
  TRANSFORM_FEEDBACK BUFFER out BINDING 0 COUNTER counter
END
RUN p DRAW_ARRAY AS POINT_LIST
`

// TestPassWorkers: a pass of many draws and clears has the same result for any number of workers.
func TestPassWorkers(t *testing.T) {
	pipeline := "ATTACH red\nBIND BUFFER color AS color LOCATION 0\nFRAMEBUFFER_SIZE 200 150\nBLEND\nSRC_COLOR_FACTOR dst_alpha\nDST_COLOR_FACTOR one_minus_src_alpha\nEND"
	var commands strings.Builder
	commands.WriteString("RENDER_PASS\n")
	for i := range 300 {
		fmt.Fprintf(&commands, "CLEAR_COLOR p %d 30 40 %d\n", i%256, i*7%256)
		if i%50 == 0 {
			commands.WriteString("CLEAR p\n")
		}
		fmt.Fprintf(&commands, "RUN p DRAW_RECT POS %d %d SIZE %d %d\n", i*13%150, i*29%100, i%60+1, i%70+1)
	}
	commands.WriteString("END\n")
	text := stateScript(nil, pipeline, commands.String())
	apart := strings.Replace(strings.Replace(text, "RENDER_PASS\n", "", 1), "END\n\n", "\n", 1)
	var want []byte
	for _, script := range []string{apart, text} {
		s, err := Parse("pass.amber", []byte(script), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 3} {
			r := Run(context.Background(), s, Options{Engine: bothEngines()[0], Workers: workers})
			if r.Status != Pass {
				t.Fatal(r.Message)
			}
			if want == nil {
				want = r.Contents["color"]
			}
			if string(want) != string(r.Contents["color"]) {
				t.Errorf("a pass with %d workers differs from single draws", workers)
			}
		}
	}
}

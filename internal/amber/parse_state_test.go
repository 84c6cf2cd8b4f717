package amber

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// stateShaders are: red, (1, 0, 0, ½); count, which counts its invocations in binding 0; drawn, a vertex shader with
// DrawIndex as w; streams, which emits a point that covers everything to stream 1; input3 and uinput3, which write
// the value of input attachment 3, a float or an unsigned integer; flatten and flattened, which write the number of the
// provoking vertex; second, which selects viewport 1; control and evaluation, a counter-clockwise quad over everything.
var stateShaders = `#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment red SPIRV-ASM
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%ptr = OpTypePointer Output %vec4
%out = OpVariable %ptr Output
%one = OpConstant %float 1
%zero = OpConstant %float 0
%half = OpConstant %float 0.5
%red = OpConstantComposite %vec4 %one %zero %zero %half
%main = OpFunction %void None %fn
%body = OpLabel
OpStore %out %red
OpReturn
OpFunctionEnd
END
SHADER fragment count SPIRV-ASM
OpCapability Shader
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %out Location 0
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%ptr = OpTypePointer Output %vec4
%out = OpVariable %ptr Output
%uint = OpTypeInt 32 0
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%block = OpTypeStruct %uint
%pblock = OpTypePointer StorageBuffer %block
%puint = OpTypePointer StorageBuffer %uint
%b = OpVariable %pblock StorageBuffer
%one = OpConstant %float 1
%white = OpConstantComposite %vec4 %one %one %one %one
%main = OpFunction %void None %fn
%body = OpLabel
%at = OpAccessChain %puint %b %u0
%old = OpAtomicIAdd %uint %at %u1 %u0 %u1
OpStore %out %white
OpReturn
OpFunctionEnd
END
SHADER vertex drawn SPIRV-ASM
OpCapability Shader
OpCapability DrawParameters
OpExtension "SPV_KHR_shader_draw_parameters"
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %in %out %index
OpDecorate %in Location 0
OpDecorate %out BuiltIn Position
OpDecorate %index BuiltIn DrawIndex
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%int = OpTypeInt 32 1
%pin = OpTypePointer Input %vec4
%pindex = OpTypePointer Input %int
%pout = OpTypePointer Output %vec4
%in = OpVariable %pin Input
%index = OpVariable %pindex Input
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%body = OpLabel
%p = OpLoad %vec4 %in
%i = OpLoad %int %index
%w = OpConvertSToF %float %i
%q = OpCompositeInsert %vec4 %w %p 3
OpStore %out %q
OpReturn
OpFunctionEnd
END
SHADER geometry streams SPIRV-ASM
OpCapability Geometry
OpCapability GeometryPointSize
OpCapability GeometryStreams
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Geometry %main "main" %_
OpExecutionMode %main Triangles
OpExecutionMode %main Invocations 1
OpExecutionMode %main OutputPoints
OpExecutionMode %main OutputVertices 1
OpMemberDecorate %gl_PerVertex 0 BuiltIn Position
OpMemberDecorate %gl_PerVertex 1 BuiltIn PointSize
OpDecorate %gl_PerVertex Block
OpDecorate %_ Stream 1
%void = OpTypeVoid
%3 = OpTypeFunction %void
%float = OpTypeFloat 32
%v4float = OpTypeVector %float 4
%gl_PerVertex = OpTypeStruct %v4float %float
%_ptr_Output_gl_PerVertex = OpTypePointer Output %gl_PerVertex
%_ = OpVariable %_ptr_Output_gl_PerVertex Output
%int = OpTypeInt 32 1
%int_0 = OpConstant %int 0
%float_0 = OpConstant %float 0
%float_1 = OpConstant %float 1
%15 = OpConstantComposite %v4float %float_0 %float_0 %float_0 %float_1
%_ptr_Output_v4float = OpTypePointer Output %v4float
%int_1 = OpConstant %int 1
%float_16 = OpConstant %float 16
%_ptr_Output_float = OpTypePointer Output %float
%main = OpFunction %void None %3
%5 = OpLabel
%17 = OpAccessChain %_ptr_Output_v4float %_ %int_0
OpStore %17 %15
%21 = OpAccessChain %_ptr_Output_float %_ %int_1
OpStore %21 %float_16
OpEmitStreamVertex %int_1
OpReturn
OpFunctionEnd
END
` + inputShader("input3", "f", "OpCopyObject") + inputShader("uinput3", "u", "OpConvertUToF") + `SHADER vertex flatten SPIRV-ASM
OpCapability Shader
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %n %gl_VertexIndex %_ %p
OpDecorate %n Flat
OpDecorate %n Location 0
OpDecorate %gl_VertexIndex BuiltIn VertexIndex
OpMemberDecorate %gl_PerVertex 0 BuiltIn Position
OpMemberDecorate %gl_PerVertex 1 BuiltIn PointSize
OpMemberDecorate %gl_PerVertex 2 BuiltIn ClipDistance
OpMemberDecorate %gl_PerVertex 3 BuiltIn CullDistance
OpDecorate %gl_PerVertex Block
OpDecorate %p Location 0
%void = OpTypeVoid
%3 = OpTypeFunction %void
%float = OpTypeFloat 32
%_ptr_Output_float = OpTypePointer Output %float
%n = OpVariable %_ptr_Output_float Output
%int = OpTypeInt 32 1
%_ptr_Input_int = OpTypePointer Input %int
%gl_VertexIndex = OpVariable %_ptr_Input_int Input
%float_255 = OpConstant %float 255
%v4float = OpTypeVector %float 4
%uint = OpTypeInt 32 0
%uint_1 = OpConstant %uint 1
%_arr_float_uint_1 = OpTypeArray %float %uint_1
%gl_PerVertex = OpTypeStruct %v4float %float %_arr_float_uint_1 %_arr_float_uint_1
%_ptr_Output_gl_PerVertex = OpTypePointer Output %gl_PerVertex
%_ = OpVariable %_ptr_Output_gl_PerVertex Output
%int_0 = OpConstant %int 0
%_ptr_Input_v4float = OpTypePointer Input %v4float
%p = OpVariable %_ptr_Input_v4float Input
%_ptr_Output_v4float = OpTypePointer Output %v4float
%main = OpFunction %void None %3
%5 = OpLabel
%12 = OpLoad %int %gl_VertexIndex
%13 = OpConvertSToF %float %12
%15 = OpFDiv %float %13 %float_255
OpStore %n %15
%26 = OpLoad %v4float %p
%28 = OpAccessChain %_ptr_Output_v4float %_ %int_0
OpStore %28 %26
OpReturn
OpFunctionEnd
END
SHADER fragment flattened SPIRV-ASM
OpCapability Shader
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %c %n
OpExecutionMode %main OriginUpperLeft
OpDecorate %c Location 0
OpDecorate %n Flat
OpDecorate %n Location 0
%void = OpTypeVoid
%3 = OpTypeFunction %void
%float = OpTypeFloat 32
%v4float = OpTypeVector %float 4
%_ptr_Output_v4float = OpTypePointer Output %v4float
%c = OpVariable %_ptr_Output_v4float Output
%_ptr_Input_float = OpTypePointer Input %float
%n = OpVariable %_ptr_Input_float Input
%main = OpFunction %void None %3
%5 = OpLabel
%12 = OpLoad %float %n
%13 = OpCompositeConstruct %v4float %12 %12 %12 %12
OpStore %c %13
OpReturn
OpFunctionEnd
END
SHADER vertex second SPIRV-ASM TARGET_ENV spv1.3
OpCapability Shader
OpCapability ShaderViewportIndexLayerEXT
OpExtension "SPV_EXT_shader_viewport_index_layer"
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %gl_ViewportIndex %_ %p
OpDecorate %gl_ViewportIndex BuiltIn ViewportIndex
OpMemberDecorate %gl_PerVertex 0 BuiltIn Position
OpMemberDecorate %gl_PerVertex 1 BuiltIn PointSize
OpMemberDecorate %gl_PerVertex 2 BuiltIn ClipDistance
OpMemberDecorate %gl_PerVertex 3 BuiltIn CullDistance
OpDecorate %gl_PerVertex Block
OpDecorate %p Location 0
%void = OpTypeVoid
%3 = OpTypeFunction %void
%int = OpTypeInt 32 1
%_ptr_Output_int = OpTypePointer Output %int
%gl_ViewportIndex = OpVariable %_ptr_Output_int Output
%int_1 = OpConstant %int 1
%float = OpTypeFloat 32
%v4float = OpTypeVector %float 4
%uint = OpTypeInt 32 0
%uint_1 = OpConstant %uint 1
%_arr_float_uint_1 = OpTypeArray %float %uint_1
%gl_PerVertex = OpTypeStruct %v4float %float %_arr_float_uint_1 %_arr_float_uint_1
%_ptr_Output_gl_PerVertex = OpTypePointer Output %gl_PerVertex
%_ = OpVariable %_ptr_Output_gl_PerVertex Output
%int_0 = OpConstant %int 0
%_ptr_Input_v4float = OpTypePointer Input %v4float
%p = OpVariable %_ptr_Input_v4float Input
%_ptr_Output_v4float = OpTypePointer Output %v4float
%main = OpFunction %void None %3
%5 = OpLabel
OpStore %gl_ViewportIndex %int_1
%21 = OpLoad %v4float %p
%23 = OpAccessChain %_ptr_Output_v4float %_ %int_0
OpStore %23 %21
OpReturn
OpFunctionEnd
END
SHADER tessellation_control control SPIRV-ASM
OpCapability Tessellation
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint TessellationControl %main "main" %gl_TessLevelOuter %gl_TessLevelInner
OpExecutionMode %main OutputVertices 1
OpDecorate %gl_TessLevelOuter Patch
OpDecorate %gl_TessLevelOuter BuiltIn TessLevelOuter
OpDecorate %gl_TessLevelInner Patch
OpDecorate %gl_TessLevelInner BuiltIn TessLevelInner
%void = OpTypeVoid
%3 = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%uint_4 = OpConstant %uint 4
%_arr_float_uint_4 = OpTypeArray %float %uint_4
%_ptr_Output__arr_float_uint_4 = OpTypePointer Output %_arr_float_uint_4
%gl_TessLevelOuter = OpVariable %_ptr_Output__arr_float_uint_4 Output
%int = OpTypeInt 32 1
%int_0 = OpConstant %int 0
%int_1 = OpConstant %int 1
%int_2 = OpConstant %int 2
%int_3 = OpConstant %int 3
%float_1 = OpConstant %float 1
%_ptr_Output_float = OpTypePointer Output %float
%uint_2 = OpConstant %uint 2
%_arr_float_uint_2 = OpTypeArray %float %uint_2
%_ptr_Output__arr_float_uint_2 = OpTypePointer Output %_arr_float_uint_2
%gl_TessLevelInner = OpVariable %_ptr_Output__arr_float_uint_2 Output
%main = OpFunction %void None %3
%5 = OpLabel
%19 = OpAccessChain %_ptr_Output_float %gl_TessLevelOuter %int_3
OpStore %19 %float_1
%20 = OpAccessChain %_ptr_Output_float %gl_TessLevelOuter %int_2
OpStore %20 %float_1
%21 = OpAccessChain %_ptr_Output_float %gl_TessLevelOuter %int_1
OpStore %21 %float_1
%22 = OpAccessChain %_ptr_Output_float %gl_TessLevelOuter %int_0
OpStore %22 %float_1
%27 = OpAccessChain %_ptr_Output_float %gl_TessLevelInner %int_1
OpStore %27 %float_1
%28 = OpAccessChain %_ptr_Output_float %gl_TessLevelInner %int_0
OpStore %28 %float_1
OpReturn
OpFunctionEnd
END
SHADER tessellation_evaluation evaluation SPIRV-ASM
OpCapability Tessellation
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint TessellationEvaluation %main "main" %_ %gl_TessCoord
OpExecutionMode %main Quads
OpExecutionMode %main SpacingEqual
OpExecutionMode %main VertexOrderCcw
OpMemberDecorate %gl_PerVertex 0 BuiltIn Position
OpMemberDecorate %gl_PerVertex 1 BuiltIn PointSize
OpMemberDecorate %gl_PerVertex 2 BuiltIn ClipDistance
OpMemberDecorate %gl_PerVertex 3 BuiltIn CullDistance
OpDecorate %gl_PerVertex Block
OpDecorate %gl_TessCoord BuiltIn TessCoord
%void = OpTypeVoid
%3 = OpTypeFunction %void
%float = OpTypeFloat 32
%v4float = OpTypeVector %float 4
%uint = OpTypeInt 32 0
%uint_1 = OpConstant %uint 1
%_arr_float_uint_1 = OpTypeArray %float %uint_1
%gl_PerVertex = OpTypeStruct %v4float %float %_arr_float_uint_1 %_arr_float_uint_1
%_ptr_Output_gl_PerVertex = OpTypePointer Output %gl_PerVertex
%_ = OpVariable %_ptr_Output_gl_PerVertex Output
%int = OpTypeInt 32 1
%int_0 = OpConstant %int 0
%v3float = OpTypeVector %float 3
%_ptr_Input_v3float = OpTypePointer Input %v3float
%gl_TessCoord = OpVariable %_ptr_Input_v3float Input
%v2float = OpTypeVector %float 2
%float_2 = OpConstant %float 2
%float_1 = OpConstant %float 1
%float_0 = OpConstant %float 0
%_ptr_Output_v4float = OpTypePointer Output %v4float
%main = OpFunction %void None %3
%5 = OpLabel
%20 = OpLoad %v3float %gl_TessCoord
%21 = OpVectorShuffle %v2float %20 %20 0 1
%23 = OpVectorTimesScalar %v2float %21 %float_2
%25 = OpCompositeConstruct %v2float %float_1 %float_1
%26 = OpFSub %v2float %23 %25
%28 = OpCompositeExtract %float %26 0
%29 = OpCompositeExtract %float %26 1
%30 = OpCompositeConstruct %v4float %28 %29 %float_0 %float_1
%32 = OpAccessChain %_ptr_Output_v4float %_ %int_0
OpStore %32 %30
OpReturn
OpFunctionEnd
END
BUFFER far DATA_TYPE vec4<float> DATA -1 -1 2 1  3 -1 2 1  -1 3 2 1 END
BUFFER near DATA_TYPE vec4<float> DATA -1 -1 -0.5 1  3 -1 -0.5 1  -1 3 -0.5 1 END
BUFFER restart DATA_TYPE uint32 DATA 0xffffffff 0 1 2 END
BUFFER color FORMAT R8G8B8A8_UNORM
BUFFER small FORMAT R8_UNORM
BUFFER deep FORMAT D32_SFLOAT_S8_UINT
IMAGE layered FORMAT R8_UNORM DIM_2D WIDTH 8 HEIGHT 8 LAYERS 2 FILL 0
BUFFER covered FORMAT R8_UNORM
BUFFER n DATA_TYPE uint32 DATA 0 END
BUFFER indices DATA_TYPE uint32 DATA 0 1 2 END
IMAGE samples FORMAT R8_UNORM DIM_2D WIDTH 8 HEIGHT 8 SAMPLES 4
`

// inputShader returns a fragment shader that writes the value of input attachment 3. Its texels have numbers of a kind, f
// or u, which an instruction converts to floats.
func inputShader(name, kind, convert string) string {
	return "SHADER fragment " + name + " SPIRV-ASM" + strings.NewReplacer("KIND", kind, "CONVERT", convert).Replace(`
OpCapability Shader
OpCapability InputAttachment
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %out Location 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %in InputAttachmentIndex 3
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f = OpTypeFloat 32
%u = OpTypeInt 32 0
%i = OpTypeInt 32 1
%f4 = OpTypeVector %f 4
%u4 = OpTypeVector %u 4
%i2 = OpTypeVector %i 2
%pf4 = OpTypePointer Output %f4
%out = OpVariable %pf4 Output
%image = OpTypeImage %KIND SubpassData 0 0 0 2 Unknown
%pimage = OpTypePointer UniformConstant %image
%in = OpVariable %pimage UniformConstant
%zero = OpConstantNull %i2
%main = OpFunction %void None %fn
%body = OpLabel
%loaded = OpLoad %image %in
%texel = OpImageRead %KIND4 %loaded %zero
%x = OpCompositeExtract %KIND %texel 0
%value = CONVERT %f %x
%all = OpCompositeConstruct %f4 %value %value %value %value
OpStore %out %all
OpReturn
OpFunctionEnd
END
`)
}

// stateScript is a script with a pipeline of 8×8 pixels: vertices in pixels, as x and y, and lines of the pipeline.
func stateScript(vertices []float64, pipeline, commands string) string {
	script := stateShaders
	if vertices != nil {
		script += "BUFFER places DATA_TYPE vec4<float> DATA"
		for i := 0; i < len(vertices); i += 2 {
			script += fmt.Sprintf(" %v %v 0 1", vertices[i]/4-1, vertices[i+1]/4-1)
		}
		pipeline += "\nVERTEX_DATA places LOCATION 0"
		script += " END\n"
	}
	if !strings.Contains(pipeline, "drawn") && !strings.Contains(pipeline, "flatten\n") && !strings.Contains(pipeline, "second") {
		pipeline = "ATTACH v\n" + pipeline
	}
	return script + "PIPELINE graphics p\nFRAMEBUFFER_SIZE 8 8\n" + pipeline + "\nEND\n" + commands + "\n"
}

// runStatus runs a script with all engines and returns its status and message, which must be the same.
func runStatus(t *testing.T, text string) (Status, string) {
	t.Helper()
	s, err := Parse("state.amber", []byte(text), nil)
	if err != nil {
		return Failed, err.Error()
	}
	var first Result
	for i, e := range bothEngines() {
		r := Run(context.Background(), s, Options{Engine: e})
		if i == 0 {
			first = r
		} else if r.Status != first.Status || r.Message != first.Message {
			t.Errorf("%s: %s: %s; the other engine: %s: %s", e.Name(), r.Status, r.Message, first.Status, first.Message)
		}
	}
	return first.Status, first.Message
}

// Pipelines of stateCases.
const (
	drawsRed    = "ATTACH red\nBIND BUFFER color AS color LOCATION 0"
	drawsSmall  = "ATTACH red\nBIND BUFFER small AS color LOCATION 0"
	drawsMulti  = "ATTACH red\nBIND BUFFER samples AS color LOCATION 0\nBIND BUFFER covered AS resolve"
	counts      = "ATTACH count\nBIND BUFFER n AS storage DESCRIPTOR_SET 0 BINDING 0\nBIND BUFFER small AS color LOCATION 0"
	countsMulti = "ATTACH count\nBIND BUFFER n AS storage DESCRIPTOR_SET 0 BINDING 0\nBIND BUFFER samples AS color LOCATION 0"
	inputs      = "ATTACH input3\nBIND BUFFER small AS color LOCATION 0\nBIND BUFFER deep AS depth_stencil"
	uinputs     = "ATTACH uinput3\nBIND BUFFER small AS color LOCATION 0\nBIND BUFFER deep AS depth_stencil"
	everywhere  = "RUN p DRAW_RECT POS 0 0 SIZE 8 8\n"
	line        = "RUN p DRAW_ARRAY AS LINE_LIST\n"
	triangle    = "RUN p DRAW_ARRAY AS TRIANGLE_LIST\n"
)

// covering are the corners of a triangle that covers everything.
var covering = []float64{0, 0, 16, 0, 0, 16}

// stateCases have a line of a STATE block each, and values that the specification demands with it and not without.
var stateCases = []struct {
	line, with string // of the block: the tested one, and others
	vertices   []float64
	pipeline   string
	commands   string
}{
	{"SAMPLE_SHADING 1", "", nil, countsMulti, everywhere + "EXPECT n IDX 0 EQ 256"},
	{"ALPHA_TO_COVERAGE on", "", nil, drawsMulti, everywhere + "EXPECT covered IDX 0 EQ 128"},
	{"ALPHA_TO_ONE on", "", nil, drawsRed, everywhere + "EXPECT color IDX 0 0 SIZE 8 8 EQ_RGBA 255 0 0 255"},
	{"SAMPLE_MASK 0x5", "", nil, drawsMulti, everywhere + "EXPECT covered IDX 0 EQ 128"},
	// A rectangle covers the centers of pixels 1 to 3. The diamonds of pixels 0 to 2 are left; the end is in the diamond of pixel 3.
	{"LINE_MODE bresenham", "", []float64{0.75, 2.5, 3.75, 2.5}, drawsSmall, line + "EXPECT small IDX 16 EQ 255 255 255 0 0 0 0 0"},
	{"LINE_WIDTH 3", "", []float64{0, 2.5, 8, 2.5}, drawsSmall, line + "EXPECT small IDX 0 EQ 0\nEXPECT small IDX 8 EQ 255\nEXPECT small IDX 24 EQ 255\nEXPECT small IDX 32 EQ 0"},
	{"LINE_STIPPLE 2 0x5", "", []float64{0, 2.5, 8, 2.5}, drawsSmall, line + "EXPECT small IDX 16 EQ 255 255 0 0 255 255 0 0"},
	// The triangle is inside of pixel (2, 2) and covers no center.
	{"CONSERVATIVE overestimate", "", []float64{2.125, 2.125, 2.375, 2.125, 2.125, 2.375}, drawsSmall, triangle + "EXPECT small IDX 16 EQ 0 0 255 0"},
	{"EXTRA_OVERESTIMATION 1", "CONSERVATIVE overestimate", []float64{2.125, 2.125, 2.375, 2.125, 2.125, 2.375}, drawsSmall, triangle + "EXPECT small IDX 16 EQ 0 255 255"},
	{"DISCARD_RECTANGLE exclusive 1 0 SIZE 2 8", "", nil, drawsSmall, everywhere + "EXPECT small IDX 0 EQ 255 0 0 255"},
	{"DISCARD_RECTANGLE inclusive 1 0 SIZE 2 8", "", nil, drawsSmall, everywhere + "EXPECT small IDX 0 EQ 0 255 255 0"},
	// Fragments of 4×4 pixels: two on the diagonal, in both triangles, and two others.
	{"SHADING_RATE 4 4", "", nil, counts, everywhere + "EXPECT n IDX 0 EQ 6"},
	// The rate of a primitive without PrimitiveShadingRateKHR is one pixel.
	{"RATE_COMBINERS replace keep", "SHADING_RATE 4 4", nil, counts, everywhere + "EXPECT n IDX 0 EQ 64"},
	{"VIEW_MASK 0x2", "", nil, "ATTACH red\nBIND BUFFER layered AS color LOCATION 0", everywhere + "EXPECT layered IDX 0 EQ 0\nEXPECT layered IDX 64 EQ 255"},
	{"RASTERIZATION_STREAM 1", "", nil, "ATTACH streams\n" + drawsSmall, everywhere + "EXPECT small IDX 0 EQ 255"},
	// An alpha of ½ is 127.5 steps: 127 or 128. The first pixel has the least offset of the matrix.
	{"LEGACY_DITHERING on", "", nil, drawsRed, everywhere + "EXPECT color IDX 0 EQ 255 0 0 127 255 0 0 128"},
	// The triangle is clockwise.
	{"CULL_MODE back", "", covering, drawsSmall, triangle + "EXPECT small IDX 0 EQ 0"},
	{"FRONT_FACE clockwise", "CULL_MODE back", covering, drawsSmall, triangle + "EXPECT small IDX 0 EQ 255"},
	{"PROVOKING_VERTEX last", "", covering, "ATTACH flatten\nATTACH flattened\nBIND BUFFER small AS color LOCATION 0", triangle + "EXPECT small IDX 0 EQ 2"},
	// The first triangle of the strip is clockwise. Without a restart before it, it is the second one, and counter-clockwise.
	{"PRIMITIVE_RESTART on", "CULL_MODE back", covering, drawsSmall + "\nINDEX_DATA restart", "RUN p DRAW_ARRAY AS TRIANGLE_STRIP INDEXED\nEXPECT small IDX 0 EQ 0"},
	// Counter-clockwise from the other corner is clockwise.
	{"DOMAIN_ORIGIN lower_left", "CULL_MODE back", []float64{0, 0}, "ATTACH control\nATTACH evaluation\nPATCH_CONTROL_POINTS 1\n" + drawsSmall, "RUN p DRAW_ARRAY AS PATCH_LIST\nEXPECT small IDX 0 EQ 0"},
	{"RASTERIZER_DISCARD on", "", nil, drawsSmall, everywhere + "EXPECT small IDX 0 EQ 0"},
	{"DEPTH_CLIP off", "", nil, drawsSmall + "\nVERTEX_DATA far LOCATION 0", triangle + "EXPECT small IDX 0 EQ 255"},
	{"NEGATIVE_ONE_TO_ONE on", "", nil, drawsSmall + "\nVERTEX_DATA near LOCATION 0", triangle + "EXPECT small IDX 0 EQ 255"},
	{"BLEND_CONSTANTS 0.2 0 0 0", "", nil, drawsSmall + "\nBLEND\nSRC_COLOR_FACTOR constant_color\nEND", everywhere + "EXPECT small IDX 0 EQ 51"},
	{"LOGIC_OP xor", "", nil, drawsSmall, everywhere + everywhere + "EXPECT small IDX 0 EQ 0"},
	{"COLOR_WRITE_MASK 0 0xe", "", nil, drawsSmall, everywhere + "EXPECT small IDX 0 EQ 0"},
	{"EXTRA_VIEWPORT 0 0 SIZE 2 8", "", covering, "ATTACH second\n" + drawsSmall, triangle + "EXPECT small IDX 0 EQ 255 255 0"},
	{"SCISSOR 0 2 0 SIZE 4 8", "", nil, drawsSmall, everywhere + "EXPECT small IDX 0 EQ 0 0 255 255 255 255 0 0"},
	{"COLOR_LOCATIONS unused", "", nil, drawsSmall, everywhere + "EXPECT small IDX 0 EQ 0"},
	{"COLOR_INPUTS 3", "", nil, inputs, "CLEAR_COLOR p 51 0 0 0\nCLEAR p\n" + everywhere + "EXPECT small IDX 0 EQ 51"},
	{"DEPTH_INPUT 3", "", nil, inputs, "CLEAR p\n" + everywhere + "EXPECT small IDX 0 EQ 255"},
	{"STENCIL_INPUT 3", "", nil, uinputs, "CLEAR_STENCIL p 1\nCLEAR p\n" + everywhere + "EXPECT small IDX 0 EQ 255"},
}

// TestStateKeys checks that each key of a STATE block has the effect that the specification demands: the script
// fails without its line.
func TestStateKeys(t *testing.T) {
	tested := map[string]bool{}
	for _, x := range stateCases {
		tested[strings.Fields(x.line)[0]] = true
		block := func(lines ...string) string {
			return stateScript(x.vertices, x.pipeline+"\nSTATE\n"+strings.Join(lines, "\n")+"\nEND", x.commands)
		}
		if s, message := runStatus(t, block(x.line, x.with)); s != Pass {
			t.Errorf("%s: %s: %s", x.line, s, message)
		}
		if s, message := runStatus(t, block(x.with)); s != Fail {
			t.Errorf("without %s: %s: %s; must fail an expectation", x.line, s, message)
		}
	}
	keys := slices.Sorted(maps.Keys(stateKeys))
	keys = append(keys, slices.Collect(maps.Keys(fixedKeys))...)
	slices.Sort(keys)
	if got := slices.Sorted(maps.Keys(tested)); !slices.Equal(got, keys) {
		t.Errorf("keys with a case are %v; must be %v", got, keys)
	}
	text, err := os.ReadFile("../../docs/scripts.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "```\nSTATE\n")
	block, _, _ = strings.Cut(block, "\nEND")
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^  ([A-Z_]+)`).FindAllStringSubmatch(block, -1) {
		listed = append(listed, m[1])
	}
	if slices.Sort(listed); !slices.Equal(listed, keys) {
		t.Errorf("docs/scripts.md lists %v; must be %v", listed, keys)
	}
}

// TestRunOperands checks that the operands of RUN have an effect: the script fails without them.
func TestRunOperands(t *testing.T) {
	whole := []float64{0, 0, 16, 0, 0, 16}
	red := "\nEXPECT small IDX 0 EQ 255 255 255 255 255 255 255 255"
	for _, x := range []struct {
		vertices             []float64
		pipeline, run, extra string
	}{
		{append([]float64{1, 1, 1, 1, 1, 1}, whole...), drawsSmall + "\nINDEX_DATA indices", "RUN p DRAW_ARRAY AS TRIANGLE_LIST INDEXED", " BASE_VERTEX 3"},
		{append([]float64{1, 1, 1, 1, 1, 1}, whole...), drawsSmall + "\nINDEX_DATA indices", "RUN p DRAW_ARRAY AS TRIANGLE_LIST INDEXED START_IDX 6 COUNT 3", " BASE_VERTEX -3"},
		{whole, "ATTACH drawn\n" + drawsSmall, "RUN p DRAW_ARRAY AS TRIANGLE_LIST", " DRAW_INDEX 1"},
	} {
		if s, message := runStatus(t, stateScript(x.vertices, x.pipeline, x.run+x.extra+red)); s != Pass {
			t.Errorf("%s%s: %s: %s", x.run, x.extra, s, message)
		}
		if s, message := runStatus(t, stateScript(x.vertices, x.pipeline, x.run+red)); s != Fail {
			t.Errorf("%s: %s: %s; must fail", x.run, s, message)
		}
	}
}

// TestStateHostile reads values that a STATE block and RUN do not permit. The message has the position.
func TestStateHostile(t *testing.T) {
	for _, line := range []string{
		"SAMPLE_SHADING 1.5", "SAMPLE_SHADING -0.5", "SAMPLE_SHADING nan", "SAMPLE_SHADING", "ALPHA_TO_COVERAGE maybe", "ALPHA_TO_ONE",
		"SAMPLE_MASK -1", "SAMPLE_MASK 0x10000000000000000", "SAMPLE_MASK 0.5", "LINE_MODE dotted",
		"LINE_WIDTH nan", "LINE_WIDTH inf", "LINE_WIDTH 0", "LINE_WIDTH -3", "LINE_WIDTH 1e30",
		"LINE_STIPPLE 257 1", "LINE_STIPPLE 1 65536", "LINE_STIPPLE 1", "CONSERVATIVE sometimes",
		"EXTRA_OVERESTIMATION nan", "EXTRA_OVERESTIMATION -1", "EXTRA_OVERESTIMATION 1e30",
		"DISCARD_RECTANGLE some 0 0 SIZE 1 1", "DISCARD_RECTANGLE inclusive -1 0 SIZE 1 1", "DISCARD_RECTANGLE inclusive 0 0 1 1",
		"DISCARD_RECTANGLE inclusive 0 0 SIZE 4294967296 1", "SHADING_RATE 3 1", "SHADING_RATE 0 1", "SHADING_RATE 1", "SHADING_RATE 8 8",
		"RATE_COMBINERS keep", "RATE_COMBINERS keep add", "DITHER on",
		"CULL_MODE all", "FRONT_FACE cw", "PROVOKING_VERTEX 0", "DOMAIN_ORIGIN left", "BLEND_CONSTANTS 1 1 1", "LOGIC_OP add", "COLOR_WRITE_MASK 8 0", "COLOR_WRITE_MASK 0 16",
		"EXTRA_VIEWPORT 0 0 8 8", "SCISSOR 16 0 0 SIZE 1 1", "SCISSOR 0 -1 0 SIZE 1 1",
		"VIEW_MASK -1", "LEGACY_DITHERING yes", "VIEW_MASK 4294967296", "RASTERIZATION_STREAM 4", "COLOR_LOCATIONS", "COLOR_LOCATIONS 8", "COLOR_LOCATIONS 0 1 0", "COLOR_LOCATIONS none",
		"COLOR_INPUTS", "COLOR_INPUTS 2 2", "COLOR_INPUTS 1000000000", "DEPTH_INPUT", "DEPTH_INPUT -1", "STENCIL_INPUT unused 1",
	} {
		text := stateScript(nil, drawsSmall+"\nSTATE\n"+line+"\nEND", everywhere)
		number := strings.Count(text[:strings.Index(text, "\n"+line+"\n")], "\n") + 2
		if s, message := runStatus(t, text); s != Failed || !strings.HasPrefix(message, fmt.Sprintf("state.amber:%d:", number)) {
			t.Errorf("%s: %s: %s; must fail at line %d", line, s, message, number)
		}
	}
	rectangles := func(n int) string {
		return stateScript(nil, drawsSmall+"\nSTATE\n"+strings.Repeat("DISCARD_RECTANGLE inclusive 0 0 SIZE 8 8\n", n)+"END", everywhere)
	}
	for n, want := range map[int]Status{8: Pass, 9: NotSupported, 100_000: NotSupported} {
		if s, message := runStatus(t, rectangles(n)); s != want || s != Pass && !strings.Contains(message, "state.amber:") {
			t.Errorf("%d discard rectangles: %s: %s; want %s", n, s, message, want)
		}
	}
	for _, run := range []string{
		"RUN p DRAW_ARRAY AS TRIANGLE_LIST BASE_VERTEX 1", "RUN p DRAW_ARRAY AS TRIANGLE_LIST INDEXED BASE_VERTEX 2147483648",
		"RUN p DRAW_ARRAY AS TRIANGLE_LIST DRAW_INDEX -1", "RUN p DRAW_ARRAY AS TRIANGLE_LIST DRAW_INDEX",
	} {
		if s, message := runStatus(t, stateScript([]float64{0, 0, 16, 0, 0, 16}, drawsSmall+"\nINDEX_DATA indices", run)); s != Failed || !strings.HasPrefix(message, "state.amber:") {
			t.Errorf("%s: %s: %s; must fail with a position", run, s, message)
		}
	}
}

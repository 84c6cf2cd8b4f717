package amber

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// tiny is a compute shader and a pipeline to which a test adds lines.
const tiny = `#!amber
SHADER compute one SPIRV-ASM
; nothing
END
BUFFER a DATA_TYPE uint32 SIZE 8 FILL 0
BUFFER b DATA_TYPE uint32 SIZE 8 FILL 0
SAMPLER s
`

func mustParse(t *testing.T, text string) *Script {
	t.Helper()
	s, err := Parse("test.amber", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFaults checks the messages for faulty scripts and their positions.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, text, code, place, says string }{
		{"unknown word", "#!amber\nFROB x\n", CodeWord, "2:1", `"FROB" is no command`},
		{"buffer without contents", "#!amber\nBUFFER x DATA_TYPE int32\n", CodeEnd, "2:1", "has no contents"},
		{"data without end", "#!amber\nBUFFER x DATA_TYPE int32 DATA\n1 2\n", CodeEnd, "4:1", "must close with END"},
		{"shader without end", "#!amber\nSHADER compute s GLSL\nvoid main() {}\n", CodeEnd, "2:1", "has no END"},
		{"bad number", "#!amber\nBUFFER x DATA_TYPE int32 DATA 1 z END\n", CodeNumber, "2:33", "number of type int32"},
		{"fraction", "#!amber\nBUFFER x DATA_TYPE int32 DATA 1.5 END\n", CodeNumber, "2:31", "cannot hold"},
		{"size zero", "#!amber\nBUFFER x DATA_TYPE int32 SIZE 0 FILL 1\n", CodeNumber, "2:31", "at least 1"},
		{"impossible size", "#!amber\nBUFFER x DATA_TYPE double SIZE 1000000000 FILL 1\n", CodeSize, "2:43", "more than a script may hold"},
		{"incomplete element", "#!amber\nBUFFER x DATA_TYPE vec3<float> DATA 1 2 END\n", CodeSize, "2:32", "take 3 each"},
		{"data against size", "#!amber\nBUFFER x DATA_TYPE int32 SIZE 3 DATA 1 2 END\n", CodeSize, "2:33", "holds 3"},
		{"unknown type", "#!amber\nBUFFER x DATA_TYPE quux SIZE 1 FILL 0\n", CodeType, "2:20", "no type"},
		{"unknown format", "#!amber\nBUFFER x FORMAT R9_UNORM\n", CodeType, "2:17", "no known format"},
		{"twice", "#!amber\nSAMPLER x\nSAMPLER x\n", CodeName, "3:9", "declared twice"},
		{"empty struct", "#!amber\nSTRUCT x\nEND\n", CodeType, "2:1", "no members"},
		{"runtime member", "#!amber\nSTRUCT x\n  float[] a\nEND\n", CodeType, "3:11", "without a length"},
		{"stage", "#!amber\nSHADER pixel s GLSL\nEND\n", CodeWord, "2:8", "no stage"},
		{"form", "#!amber\nSHADER compute s WGSL\nEND\n", CodeWord, "2:18", "SPIRV-ASM, SPIRV-HEX"},
		{"missing file", "#!amber\nSHADER compute s GLSL FILE x.comp\n", CodeFile, "2:28", "cannot be read"},
		{"pipeline kind", "#!amber\nPIPELINE magic p\nEND\n", CodeWord, "2:10", "compute, graphics, raytracing"},
		{"pipeline without shader", "#!amber\nPIPELINE compute p\nEND\n", CodeShader, "2:1", "must have one"},
		{"unknown shader", "#!amber\nPIPELINE compute p\n  ATTACH s\nEND\n", CodeName, "3:10", "no shader declared so far"},
		{"pipeline without end", tiny + "PIPELINE compute p\n  ATTACH one\n", CodeEnd, "10:1", "must close with END"},
		{"stencil face", "#!amber\nPIPELINE graphics p\n  STENCIL sides\n  END\nEND\n", CodeWord, "3:11", "must be a face: front, back, front_and_back"},
		{"word in pipeline", tiny + "PIPELINE compute p\n  ATTACH one\n  FROB\nEND\n", CodeWord, "10:3", "nothing that a pipeline has"},
		{"graphics in compute", tiny + "PIPELINE compute p\n  ATTACH one\n  INDEX_DATA a\nEND\n", CodeWord, "10:3", "must be in a graphics pipeline"},
		{"unknown buffer", tiny + "PIPELINE compute p\n  ATTACH one\n  BIND BUFFER c AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\n", CodeName, "10:15", "no buffer"},
		{"kind of binding", tiny + "PIPELINE compute p\n  ATTACH one\n  BIND BUFFER a AS stuff DESCRIPTOR_SET 0 BINDING 0\nEND\n", CodeWord, "10:20", "bound as"},
		{"no place", tiny + "PIPELINE compute p\n  ATTACH one\n  BIND BUFFER a AS storage\nEND\n", CodeEnd, "10:3", "must have a DESCRIPTOR_SET"},
		{"huge binding", tiny + "PIPELINE compute p\n  ATTACH one\n  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 4294967296\nEND\n", CodeNumber, "10:53", "from 0 to 4294967295"},
		{"subgroup size", tiny + "PIPELINE compute p\n  ATTACH one\n  SUBGROUP one\n   REQUIRED_SIZE 3\n  END\nEND\n", CodeNumber, "11:18", "power of two"},
		{"run nothing", tiny + "RUN p 1 1 1\n", CodeName, "8:5", "no pipeline declared so far"},
		{"extra words", tiny + "COPY a TO b c\n", CodeEnd, "8:13", "; the line must end"},
		{"copy to itself", tiny + "COPY a TO a\n", CodeRun, "8:1", "itself"},
		{"expect nothing", tiny + "EXPECT a\n", CodeEnd, "8:9", "the end of the line; must be"},
		{"expect odd", tiny + "EXPECT a IDX 0 EG 1\n", CodeWord, "8:16", "EQ, NE, LT"},
		{"expect without values", tiny + "EXPECT a IDX 0 EQ\n", CodeEnd, "8:18", "; must be a value"},
		{"expect between values", tiny + "EXPECT a IDX 2 EQ 1\n", CodeSize, "8:1", "no number starts at byte 2"},
		{"tolerance with LT", tiny + "EXPECT a IDX 0 TOLERANCE 1 LT 1\n", CodeWord, "8:28", "EQ alone"},
		{"negative tolerance", tiny + "EXPECT a IDX 0 TOLERANCE -1 EQ 1\n", CodeNumber, "8:26", "at least 0"},
		{"texels of a buffer", tiny + "EXPECT a IDX 0 0 SIZE 1 1 EQ_RGB 1 2 3\n", CodeType, "8:1", "no texels"},
		{"repeat without end", tiny + "REPEAT 2\nCOPY a TO b\n", CodeEnd, "10:1", "must close with END"},
		{"declaration in repeat", tiny + "REPEAT 2\nBUFFER c DATA_TYPE int8 SIZE 1 FILL 0\nEND\n", CodeWord, "9:1", "in REPEAT; must be outside"},
		{"deep repeat", tiny + strings.Repeat("REPEAT 2\n", 20), CodeRun, "24:1", "deeper than"},
		{"engine data", "#!amber\nSET ENGINE_DATA speed 9\n", CodeWord, "2:17", "fence_timeout_ms"},
		{"lod", "#!amber\nSAMPLER s MAX_LOD 1 MIN_LOD 2\n", CodeNumber, "2:1", "below the lowest"},
		{"no script", "hello\n", CodeWord, "1:1", "section in brackets"},
		{"empty", "", CodeEnd, "1:1", "sections in brackets"},
		{"unknown section", "[frob]\n", CodeWord, "1:1", "no section"},
		{"vkscript word", "[compute shader]\nvoid main() {}\n[test]\nfrob 1\n", CodeWord, "4:1", "no command"},
		{"vkscript type", "[compute shader]\n[test]\nssbo 0:1 subdata vec5 0 1\n", CodeType, "3:18", "no known type"},
		{"vkscript values", "[compute shader]\n[test]\nssbo 0:1 subdata vec2 0 1 2 3\n", CodeSize, "3:25", "takes 2"},
		{"vkscript size", "[compute shader]\n[test]\nssbo 0:1 4000000000\n", CodeNumber, "3:10", "from 0 to"},
		{"vkscript binding", "[compute shader]\n[test]\nssbo 0:x 4\n", CodeNumber, "3:6", "as 1 or 0:1"},
		{"vkscript offset", "[compute shader]\n[test]\nssbo 1 subdata int 1073741824 1\n", CodeSize, "3:1", "more than"},
		{"vkscript stage", "[compute shader]\n[test]\ndraw rect 0 0 1 1\n", CodeShader, "3:1", "no shader for a graphics pipeline"},
	} {
		_, err := Parse("test.amber", []byte(c.text), nil)
		var f *Fault
		if !errors.As(err, &f) {
			t.Errorf("%s: %v, want a fault", c.name, err)
			continue
		}
		if f.Code != c.code || f.Pos.String() != c.place || !strings.Contains(f.Message, c.says) || !strings.HasPrefix(err.Error(), "test.amber:"+c.place+": ") {
			t.Errorf("%s: %v, want %s %s %q", c.name, err, c.place, c.code, c.says)
		}
	}
}

func TestLexer(t *testing.T) {
	var got []string
	lex := newLexer("A  \\\n B#c\n\t0x1 \r\n# x\nlast\\", 1, "")
	for w := lex.next(); !w.eof; w = lex.next() {
		got = append(got, fmt.Sprintf("%s@%s", w.text, w.pos))
	}
	want := []string{"A@1:1", "B@2:2", "@2:5", "0x1@3:2", "@3:7", "@4:4", "last\\@5:1"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestShaders(t *testing.T) {
	s, err := Parse("x", []byte(`#!amber
VIRTUAL_FILE v.comp
void main() {}
END
SHADER compute a SPIRV-ASM TARGET_ENV spv1.3
OpNop ; APPEND END
 END
SHADER vertex b PASSTHROUGH
SHADER compute c GLSL VIRTUAL_FILE v.comp
SHADER compute d SPIRV-BIN FILE d.spv
SHADER multi e SPIRV-HEX
0x07230203
END # of e
`), func(name string) ([]byte, error) { return []byte("bytes of " + name), nil })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range s.Shaders {
		got = append(got, fmt.Sprintf("%s %s %s %q %q %d", h.Stage, h.Name, h.Format, h.TargetEnv, h.Source, h.Line))
	}
	want := []string{
		`compute a SPIRV-ASM "spv1.3" "OpNop ; APPEND END\n" 6`,
		`vertex b PASSTHROUGH "" "" 0`,
		`compute c GLSL "" "void main() {}\n" 3`,
		`compute d SPIRV-BIN "" "bytes of d.spv" 0`,
		`multi e SPIRV-HEX "" "0x07230203\n" 12`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestComputePipeline(t *testing.T) {
	s := mustParse(t, tiny+`PIPELINE compute p
  ATTACH one ENTRY_POINT go SPECIALIZE 3 AS uint32 7 \
    SPECIALIZE 4 AS float 1.0
  SHADER_OPTIMIZATION one
    --eliminate-dead-branches
  END
  SUBGROUP one
    FULLY_POPULATED on
    VARYING_SIZE off
    REQUIRED_SIZE 32
  END
  BIND BUFFER a AS push_constant
  BIND BUFFER a AS uniform DESCRIPTOR_SET 1 BINDING 2 DESCRIPTOR_OFFSET 16 DESCRIPTOR_RANGE 8
  BIND BUFFER_ARRAY a b AS storage_dynamic DESCRIPTOR_SET 0 BINDING 1 OFFSET 0 16
  BIND SAMPLER s DESCRIPTOR_SET 0 BINDING 9
END
DERIVE_PIPELINE q FROM p
  BIND BUFFER b AS uniform DESCRIPTOR_SET 1 BINDING 2
END
RUN q 1 2 3
`)
	p, q := s.Pipelines[0], s.Pipelines[1]
	a := p.Stages[0]
	if a.EntryPoint != "go" || !reflect.DeepEqual(a.Specialize, []Specialization{{3, Scalar{Uint, 32}, 7}, {4, Scalar{Float, 32}, 0x3f800000}}) ||
		!reflect.DeepEqual(a.Optimize, []string{"--eliminate-dead-branches"}) || a.Subgroup != (Subgroup{true, false, 32}) {
		t.Errorf("attachment %+v", a)
	}
	if p.Push != s.Buffers[0] || len(p.Bindings) != 3 {
		t.Fatalf("pipeline %+v", p)
	}
	u, d := p.Bindings[0], p.Bindings[1]
	if u.Kind != Uniform || u.Set != 1 || u.Binding != 2 || u.Offsets[0] != 16 || u.Ranges[0] != 8 {
		t.Errorf("uniform %+v", u)
	}
	if d.Kind != StorageDynamic || len(d.Buffers) != 2 || !reflect.DeepEqual(d.DynamicOffsets, []int64{0, 16}) {
		t.Errorf("dynamic %+v", d)
	}
	if q.Bindings[0].Buffers[0].Name != "b" || p.Bindings[0].Buffers[0].Name != "a" || len(q.Bindings) != 3 {
		t.Error("a derived pipeline must replace a binding for itself alone")
	}
	if c := s.Commands[0].(*Dispatch); c.Pipeline != q || c.Groups != [3]uint32{1, 2, 3} {
		t.Errorf("command %+v", c)
	}
}

// TestGraphicsAndRayTracing checks that the parser reads both kinds.
func TestGraphicsAndRayTracing(t *testing.T) {
	s := mustParse(t, `#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment f GLSL
END
SHADER ray_generation r GLSL
END
SHADER closest_hit h GLSL
END
BUFFER frame FORMAT B8G8R8A8_UNORM
BUFFER deep FORMAT D24_UNORM_S8_UINT
BUFFER points DATA_TYPE vec2<float> DATA 0 0 1 1 END
IMAGE tex FORMAT R8_UNORM DIM_2D WIDTH 2 HEIGHT 2 DATA 1 2 3 4 END
SAMPLER s MIN_FILTER linear ADDRESS_MODE_U clamp_to_edge MAX_LOD 4
ACCELERATION_STRUCTURE BOTTOM_LEVEL low
  GEOMETRY TRIANGLES
    0 0 1
    1 0 1   0 1 1
  END
END
ACCELERATION_STRUCTURE TOP_LEVEL high
  BOTTOM_LEVEL_INSTANCE low
    MASK 7
    FLAGS FORCE_OPAQUE
    FLAGS
      TRIANGLE_FLIP_FACING
    END
    TRANSFORM 1 0 0 0  0 1 0 0  0 0 1 5 END
  END
  BOTTOM_LEVEL_INSTANCE low END
END
PIPELINE graphics g
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 4 3
  VIEWPORT 0 0 SIZE 4 3 MIN_DEPTH 0.5
  VERTEX_DATA points LOCATION 0 RATE instance OFFSET 4
  BIND BUFFER frame AS color LOCATION 0
  BIND BUFFER deep AS depth_stencil
  BIND BUFFER tex AS combined_image_sampler SAMPLER s DESCRIPTOR_SET 0 BINDING 0 BASE_MIP_LEVEL 0
  DEPTH
    TEST on
    COMPARE_OP less
    BIAS constant 1 clamp 0 slope 2
  END
  STENCIL front
    TEST on
    FAIL_OP keep
    REFERENCE 3
  END
  STENCIL front_and_back
    PASS_OP replace
  END
  BLEND
    COLOR_OP add
  END
END
PIPELINE raytracing rt
  MAX_RAY_PAYLOAD_SIZE 16
  BIND ACCELERATION_STRUCTURE high DESCRIPTOR_SET 0 BINDING 0
  SHADER_GROUP gr r
  SHADER_GROUP gh h
  SHADER_BINDING_TABLE tr
    gr
  END
END
CLEAR_COLOR g 255 0 0 51
CLEAR g
RUN g DRAW_RECT POS 0 0 SIZE 4 3
RUN g DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 3
RUN rt RAYGEN tr 1 1 1
EXPECT frame IDX 0 0 SIZE 4 3 EQ_RGBA 255 0 0 51 TOLERANCE 1 1 1 5%
`)
	g := s.Pipelines[0].Graphics
	if got := fmt.Sprint(g.State["DEPTH BIAS"], g.State["STENCIL front FAIL_OP"], g.State["STENCIL front PASS_OP"], g.State["STENCIL back PASS_OP"],
		g.State["BLEND COLOR_OP"]); got != "[1 0 2] [keep] [replace] [replace] [add]" {
		t.Errorf("state %s", got)
	}
	if len(s.Buffers[0].Data) != 4*3*4 || len(s.Buffers[1].Data) != 4*3*4 {
		t.Errorf("attachments of %d and %d bytes", len(s.Buffers[0].Data), len(s.Buffers[1].Data))
	}
	if in := s.Structures[1].Instances; len(in) != 2 || in[0].Mask != 7 || len(in[0].Flags) != 2 || in[0].Transform[11] != 5 || in[1].Mask != 255 {
		t.Errorf("instances %+v", in)
	}
	if c := s.Commands[0].(*SetClear); c.Value != [4]float64{1, 0, 0, 0.2} {
		t.Errorf("clear %+v", c)
	}
	e := s.Commands[5].(*ExpectTexels)
	if e.Tolerances[0] != (Tolerance{1.0 / 255, false}) || e.Tolerances[3] != (Tolerance{5, true}) {
		t.Errorf("tolerances %+v", e.Tolerances)
	}
}

func TestVkScript(t *testing.T) {
	s := mustParse(t, `# a comment
[require]
shaderInt64
VK_KHR_16bit_storage
[compute shader spirv]
; [not a section]
OpNop
[test]
ssbo 3 8
ssbo 0:1 subdata vec3 16 1 2 \
  3
uniform ubo 0:2 mat2 0 1 2 3 4
uniform int 4 -1
compute entrypoint go
tolerance 1% 2 3 4
compute 2 1 1
probe ssbo vec3 0:1 16 ~= 1 2 3
probe ssbo uint 3 4 >= 0
`)
	if len(s.Requirements) != 2 || s.Requirements[0].Kind != Feature || s.Requirements[1].Kind != AnyExtension {
		t.Errorf("requirements %+v", s.Requirements)
	}
	if h := s.Shaders[0]; h.Name != "vk_shader_0" || h.Source != "; [not a section]\nOpNop\n" || h.Line != 6 {
		t.Errorf("shader %+v", h)
	}
	var sizes []string
	for _, b := range s.Buffers {
		sizes = append(sizes, fmt.Sprintf("%s %d", b.Name, len(b.Data)))
	}
	if got := strings.Join(sizes, ", "); got != "ssbo 0:3 32, ssbo 0:1 32, ubo 0:2 32, push constants 8, push constants 4 4" {
		t.Errorf("buffers %s", got)
	}
	if p := s.Pipelines[0]; p.Name != "vk_pipeline" || p.Kind != ComputePipeline || len(p.Bindings) != 3 || p.Push == nil {
		t.Errorf("pipeline %+v", p)
	}
	var kinds []string
	for _, c := range s.Commands {
		kinds = append(kinds, fmt.Sprintf("%T@%s", c, c.Position()))
	}
	want := "*amber.Write@10:1 *amber.Write@12:1 *amber.Write@13:1 *amber.Write@13:1 *amber.SetEntryPoint@14:1 *amber.Dispatch@16:1 *amber.ExpectValues@17:1 *amber.ExpectValues@18:1"
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("commands %s", got)
	}
	if e := s.Commands[6].(*ExpectValues); e.Compare != Fuzzy || len(e.Tolerances) != 4 || e.Tolerances[0] != (Tolerance{1, true}) {
		t.Errorf("probe %+v", e)
	}
}

func TestVkScriptGraphics(t *testing.T) {
	s := mustParse(t, `[require]
framebuffer R8G8B8A8_UNORM
fbsize 10 5
[vertex shader passthrough]
[fragment shader]
void main() {}
[vertex data]
0/R32G32_SFLOAT 1/ubyte/vec4
-1 -1   255 0 0 255
 1  1   0 255 0 255 # last
[indices]
0 1 1
[test]
clear color 1 0 0 1
clear
draw arrays indexed TRIANGLE_LIST 0 3
depthTestEnable true
cullMode VK_CULL_MODE_FRONT_BIT | VK_CULL_MODE_BACK_BIT
relative probe rect rgb (0.5, 0.0, 0.5, 1.0) (1.0 0, 0)
probe all rgba 1 0 0 1
`)
	if got := len(s.Buffers); got != 4 || len(s.Buffers[0].Data) != 10*5*4 || len(s.Buffers[1].Data) != 16 || len(s.Buffers[3].Data) != 12 {
		t.Errorf("buffers %+v", s.Buffers)
	}
	_, err := Parse("x", []byte("[vertex shader passthrough]\n[vertex data]\n0/R8_UINT 1/R8_UINT\n1 1\n[test]\ndraw rect 0 0 1 1\n"), nil)
	if err == nil || !strings.Contains(err.Error(), "at most 1") {
		t.Errorf("draw rect with two inputs: %v", err)
	}
}

// FuzzParse checks that no script makes the reader panic or hang, and that the result is
// within its limits.
func FuzzParse(f *testing.F) {
	f.Add([]byte(tiny + "PIPELINE compute p\n ATTACH one\n BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\nRUN p 1 1 1\nEXPECT a IDX 0 EQ 1\n"))
	f.Add([]byte("#!amber\nSTRUCT s\n float a OFFSET 4\nEND\nBUFFER b DATA_TYPE s STD140 SIZE 2 FILL 1\n"))
	f.Add([]byte("[compute shader]\n[test]\nssbo 0:0 subdata vec3 0 1 2 3\ncompute 1 1 1\nprobe ssbo vec3 0:0 0 ~= 1 2 3\n"))
	f.Add([]byte("#!amber\nBUFFER b DATA_TYPE R8G8_SNORM SERIES_FROM 1 INC_BY 2\nREPEAT 3\nEND\n"))
	f.Add([]byte(tiny + "PIPELINE compute p\n ATTACH one\n BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0 ELEMENT 1 MUTABLE storage uniform\n" +
		" BIND BUFFER_ARRAY a NULL AS inline_uniform DESCRIPTOR_SET 0 BINDING 1\n BIND BUFFER a AS push_constant BANK 1\n BIND BUFFER a AS resource_heap\n" +
		" MAP DESCRIPTOR_SET 0 BINDING 2 AS push_data PUSH_OFFSET 4\n ROBUSTNESS one\n  IMAGES robust\n END\nEND\n" +
		"WRITE a IDX 0 ADDRESS a OFFSET 1\nWRITE a IDX 0 DESCRIPTOR BUFFER a OFFSET 0 RANGE 4\nRUN p INDIRECT a OFFSET 4\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse("fuzz", text, nil)
		if err != nil {
			var fault *Fault
			var missing *Unsupported
			if !errors.As(err, &fault) && !errors.As(err, &missing) {
				t.Errorf("%T is no fault: %v", err, err)
			}
			return
		}
		total := 0
		for _, b := range s.Buffers {
			total += len(b.Data)
		}
		if total > MaxBytes {
			t.Errorf("%d bytes", total)
		}
	})
}

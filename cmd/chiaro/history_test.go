package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// history runs chiaro history and returns its output, its messages and its exit code.
func history(args ...string) (out, messages string, code int) {
	var o, e bytes.Buffer
	code = run(append([]string{"history"}, args...), console{strings.NewReader(""), &o, &e, new(lastInput), nil})
	return o.String(), e.String(), code
}

// TestHistory lists the fragments of a pixel: triangles at the depths 0.5 and 0.25 pass a test for less, and one at 0.5 after them does not.
func TestHistory(t *testing.T) {
	out, messages, code := history("testdata/debug_draw.amber", "--pixel", "16,32")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, messages)
	}
	for _, want := range []string{
		"draw 1, primitive 0: passed", "depth    1 → 0.5", "draw 1, primitive 1: passed", "depth    0.5 → 0.25", "draw 2, primitive 0: failed the depth test",
	} {
		before, after, ok := strings.Cut(out, want)
		if !ok {
			t.Fatalf("no %q, in this order, in\n%s", want, before)
		}
		out = after
	}
	if strings.Contains(out, "changed") {
		t.Errorf("a fragment that fails a test changes the pixel: %s", out)
	}
}

// TestHistoryNowhere: a pixel outside of the target has no fragments, and one that is no pixel is refused.
func TestHistoryNowhere(t *testing.T) {
	if out, _, code := history("testdata/debug_draw.amber", "--pixel", "64,4294967295"); code != 0 || !strings.Contains(out, "no fragment of the 2 draws") {
		t.Errorf("outside of the target: exit code %d, %s", code, out)
	}
	for _, pixel := range []string{"", "1", "1,", "-1,0", "1,2,3", "4294967296,0", "x,y"} {
		if _, messages, code := history("testdata/debug_draw.amber", "--pixel", pixel); code == 0 || !strings.Contains(messages, "want two numbers") {
			t.Errorf("--pixel %q: exit code %d, %s", pixel, code, messages)
		}
	}
}

// TestHistoryTests ends the fragments of the draws by every test of Vulkan's chapter Fragment Operations, and lists results of a draw of two
// triangles at the depths 0.5 and 0.25, then of one at 0.5.
func TestHistoryTests(t *testing.T) {
	source, err := os.ReadFile("testdata/debug_draw.amber")
	if err != nil {
		t.Fatal(err)
	}
	const (
		depth   = "DEPTH\n TEST on\n WRITE on\n COMPARE_OP less\n END\n"
		stencil = "STENCIL front_and_back\n TEST on\n REFERENCE 1\n COMPARE_MASK 255\n WRITE_MASK 255\n FAIL_OP keep\n"
		passed  = "passed"
		bounds  = "failed the depth bounds test"
		ref     = "failed the stencil test"
		deep    = "failed the depth test"
		killed  = "discarded by the shader"
		mask    = "no sample left by the sample mask or alpha to coverage"
	)
	many := []string{"BUFFER frame FORMAT R8G8B8A8_UNORM", "IMAGE frame FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 64 HEIGHT 64 SAMPLES 4",
		"BUFFER depth FORMAT D32_SFLOAT_S8_UINT", "IMAGE depth FORMAT D32_SFLOAT_S8_UINT DIM_2D WIDTH 64 HEIGHT 64 SAMPLES 4"}
	kill := []string{"%done = OpLoad %vec4 %local\nOpStore %out %done\nOpReturn", "OpKill"}
	early := []string{"OpExecutionMode %main OriginUpperLeft", "OpExecutionMode %main OriginUpperLeft\nOpExecutionMode %main EarlyFragmentTests"}
	clear := []string{"%two = OpConstant %uint 2", "%two = OpConstant %uint 3", "%quarter = OpConstant %float 0.25", "%quarter = OpConstant %float 0"}
	for name, c := range map[string]struct {
		state string
		edits []string
		want  []string
	}{
		"depth":                   {depth, nil, []string{passed, passed, deep}},
		"depth, early":            {depth, early, []string{passed, passed, deep}},
		"depth, samples":          {depth, many, []string{passed, passed, deep}},
		"bounds":                  {"DEPTH\n BOUNDS min 0 max 0.75\n END\n", nil, []string{bounds, bounds, bounds}},
		"bounds, early":           {"DEPTH\n BOUNDS min 0 max 0.75\n END\n", early, []string{bounds, bounds, bounds}},
		"bounds before depth":     {"DEPTH\n TEST on\n COMPARE_OP never\n BOUNDS min 0 max 0.75\n END\n", nil, []string{bounds, bounds, bounds}},
		"within bounds":           {"DEPTH\n BOUNDS min 0 max 1\n END\n", nil, []string{passed, passed, passed}},
		"stencil":                 {stencil + "COMPARE_OP equal\n END\n", nil, []string{ref, ref, ref}},
		"stencil, early":          {stencil + "COMPARE_OP equal\n END\n", early, []string{ref, ref, ref}},
		"stencil, samples":        {stencil + "COMPARE_OP equal\n END\n", many, []string{ref, ref, ref}},
		"stencil that is written": {stencil + "COMPARE_OP not_equal\n PASS_OP replace\n END\n", nil, []string{passed, ref, ref}},
		"stencil before depth":    {"DEPTH\n TEST on\n COMPARE_OP never\n END\n" + stencil + "COMPARE_OP equal\n END\n", nil, []string{ref, ref, ref}},
		"depth after stencil":     {"DEPTH\n TEST on\n COMPARE_OP never\n END\n" + stencil + "COMPARE_OP always\n END\n", nil, []string{deep, deep, deep}},
		"discard":                 {depth, kill, []string{killed, killed, killed}},
		"discard, samples":        {depth, slices.Concat(kill, many), []string{killed, killed, killed}},
		"discard after the test":  {depth, slices.Concat(kill, early), []string{killed, killed, deep}},
		"alpha to coverage":       {depth + "STATE\n ALPHA_TO_COVERAGE on\n END\n", slices.Concat(many, clear), []string{mask, mask, mask}},
		"alpha of one":            {depth + "STATE\n ALPHA_TO_COVERAGE on\n END\n", many, []string{passed, passed, deep}},
		"no colors written":       {"STATE\n COLOR_WRITE_MASK 0 0\n END\n", nil, []string{passed, passed, passed}},
		"scissor":                 {"STATE\n SCISSOR 0 0 0 SIZE 8 8\n END\n", nil, nil},
		"scissor beside":          {"STATE\n SCISSOR 0 16 32 SIZE 1 1\n END\n", nil, []string{passed, passed, passed}},
		"mask of the state":       {"STATE\n SAMPLE_MASK 0\n END\n", many, nil},
		"mask of other samples":   {"STATE\n SAMPLE_MASK 8\n END\n", many, []string{passed, passed, passed}},
	} {
		t.Run(name, func(t *testing.T) {
			before, _, ok := strings.Cut(string(source), "  DEPTH\n")
			if !ok {
				t.Fatal("the script has no depth state")
			}
			text := before + c.state + "END\nCLEAR_DEPTH p 1.0\nCLEAR_STENCIL p 0\nCLEAR p\n" +
				"RUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 6\nRUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 3\n"
			text = strings.Replace(text, "FORMAT D32_SFLOAT\n", "FORMAT D32_SFLOAT_S8_UINT\n", 1)
			_, fragment, _ := strings.Cut(text, "SHADER fragment")
			head := strings.TrimSuffix(text, fragment)
			text = head + strings.NewReplacer(c.edits...).Replace(fragment)
			file := filepath.Join(t.TempDir(), "tests.amber")
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			out, messages, code := history(file, "--pixel", "16,32")
			if code != 0 {
				t.Fatalf("exit code %d: %s", code, messages)
			}
			var got []string
			for line := range strings.Lines(out) {
				if strings.HasPrefix(line, "draw ") {
					_, result, _ := strings.Cut(line, ": ")
					got = append(got, strings.TrimSpace(result))
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("the results are %q; must be %q\n%s", got, c.want, out)
			}
		})
	}
}

// TestHistoryInstances: fragments have the InstanceIndex of their vertices, which begins with the draw's first instance, whatever the topology,
// while PrimitiveId begins at 0 in each instance (Vulkan, "Programmable Primitive Shading", "PrimitiveId"). A geometry shader's vertices have none.
func TestHistoryInstances(t *testing.T) {
	source, err := os.ReadFile("testdata/debug_draw.amber")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(source), "RUN p")
	before = strings.Replace(before, "COMPARE_OP less", "COMPARE_OP less_or_equal", 1)
	indexed := strings.Replace(before, "BUFFER frame ", "BUFFER numbers DATA_TYPE uint32 DATA 0 1 2 4294967295 3 4 5 END\nBUFFER frame ", 1)
	indexed = strings.Replace(indexed, "  VERTEX_DATA", "  STATE\n PRIMITIVE_RESTART on\n END\n  INDEX_DATA numbers\n  VERTEX_DATA", 1)
	// A geometry shader with the input triangle as its output.
	geometry := "SHADER geometry gs SPIRV-ASM\nOpCapability Geometry\nOpMemoryModel Logical GLSL450\nOpEntryPoint Geometry %main \"main\" %in %out %cin %color\n" +
		"OpExecutionMode %main Triangles\nOpExecutionMode %main Invocations 1\nOpExecutionMode %main OutputTriangleStrip\nOpExecutionMode %main OutputVertices 3\n" +
		"OpDecorate %in BuiltIn Position\nOpDecorate %out BuiltIn Position\nOpDecorate %cin Location 0\nOpDecorate %color Location 0\n" +
		"%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%float = OpTypeFloat 32\n%vec4 = OpTypeVector %float 4\n%uint = OpTypeInt 32 0\n%three = OpConstant %uint 3\n" +
		"%list = OpTypeArray %vec4 %three\n%pin = OpTypePointer Input %list\n%pone = OpTypePointer Input %vec4\n%pout = OpTypePointer Output %vec4\n" +
		"%in = OpVariable %pin Input\n%cin = OpVariable %pin Input\n%out = OpVariable %pout Output\n%color = OpVariable %pout Output\n"
	for i := range 3 {
		geometry += fmt.Sprintf("%%n%d = OpConstant %%uint %d\n", i, i)
	}
	geometry += "%main = OpFunction %void None %fn\n%label = OpLabel\n"
	for i := range 3 {
		geometry += fmt.Sprintf("%%a%[1]d = OpAccessChain %%pone %%in %%n%[1]d\n%%b%[1]d = OpLoad %%vec4 %%a%[1]d\nOpStore %%out %%b%[1]d\n"+
			"%%c%[1]d = OpAccessChain %%pone %%cin %%n%[1]d\n%%d%[1]d = OpLoad %%vec4 %%c%[1]d\nOpStore %%color %%d%[1]d\nOpEmitVertex\n", i)
	}
	geometry += "OpReturn\nOpFunctionEnd\nEND\n"
	staged := strings.Replace(strings.Replace(before, "BUFFER frame ", geometry+"BUFFER frame ", 1), "  ATTACH fs", "  ATTACH gs\n  ATTACH fs", 1)
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a geometry shader": {staged + "RUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 3 START_INSTANCE 1 INSTANCE_COUNT 2\n",
			[]string{"draw 1, primitive 0", "draw 1, primitive 0"}},
		"one instance": {before + "RUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 3\n", []string{"draw 1, primitive 0"}},
		"three instances": {before + "RUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 3 COUNT 3 START_INSTANCE 5 INSTANCE_COUNT 3\n",
			[]string{"draw 1, instance 5, primitive 0", "draw 1, instance 6, primitive 0", "draw 1, instance 7, primitive 0"}},
		"two primitives": {before + "RUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 6 START_INSTANCE 0 INSTANCE_COUNT 2\n",
			[]string{"draw 1, instance 0, primitive 0", "draw 1, instance 0, primitive 1", "draw 1, instance 1, primitive 0", "draw 1, instance 1, primitive 1"}},
		"a strip with restart": {indexed + "RUN p DRAW_ARRAY AS TRIANGLE_STRIP INDEXED START_IDX 0 COUNT 7 START_INSTANCE 1 INSTANCE_COUNT 2\n",
			[]string{"draw 1, instance 1, primitive 0", "draw 1, instance 1, primitive 1", "draw 1, instance 2, primitive 0", "draw 1, instance 2, primitive 1"}},
		"two draws": {before + "RUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 3 COUNT 3 START_INSTANCE 1 INSTANCE_COUNT 1\n" +
			"RUN p DRAW_ARRAY AS TRIANGLE_FAN START_IDX 3 COUNT 3 START_INSTANCE 2 INSTANCE_COUNT 1\n",
			[]string{"draw 1, instance 1, primitive 0", "draw 2, instance 2, primitive 0"}},
		"many instances": {before + "RUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 3 COUNT 3 START_INSTANCE 0 INSTANCE_COUNT 40\n", nil},
	} {
		for n := uint32(0); name == "many instances" && n < 40; n++ {
			c.want = append(c.want, fmt.Sprintf("draw 1, instance %d, primitive 0", n))
		}
		file := filepath.Join(t.TempDir(), "instances.amber")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, messages, code := history(file, "--pixel", "16,32")
		if code != 0 {
			t.Fatalf("%s: exit code %d: %s", name, code, messages)
		}
		var got []string
		for line := range strings.Lines(out) {
			if at, _, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(line, "draw ") {
				got = append(got, at)
			}
		}
		// Fragments that fail the depth test are listed too: the second triangle is nearer than the first of the next instance.
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: the fragments are %q; must be %q\n%s", name, got, c.want, out)
		}
	}
}

// TestHistoryOther clears an image after a draw to another one: the clear is an event before the next draw to the image.
func TestHistoryOther(t *testing.T) {
	source, err := os.ReadFile("testdata/debug_draw.amber")
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	text = text[:strings.Index(text, "RUN p")] + "RUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 3\nRUN q DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 3\n" +
		"CLEAR_COLOR p 255 0 0 255\nCLEAR p\nRUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 3\n"
	text = strings.Replace(text, "CLEAR_DEPTH", "DERIVE_PIPELINE q FROM p\n  BIND BUFFER other AS color LOCATION 0\nEND\nCLEAR_DEPTH", 1)
	text = strings.Replace(text, "BUFFER frame ", "BUFFER other FORMAT R8G8B8A8_UNORM\nBUFFER frame ", 1)
	file := filepath.Join(t.TempDir(), "other.amber")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, messages, code := history(file, "--pixel", "16,32")
	if code != 0 || strings.Count(out, "changed by commands other than draws") != 1 || !strings.Contains(out, "→ (1, 0, 0, 1)") {
		t.Errorf("exit code %d: %s\n%s", code, messages, out)
	}
}

// TestHistoryTargets: the values of another image at the same attachment are no change of the pixel.
func TestHistoryTargets(t *testing.T) {
	out, messages, code := history("../../internal/amber/testdata/state.amber", "--pixel", "1,1")
	if code != 0 || strings.Contains(out, "commands other than draws") {
		t.Errorf("exit code %d: %s\n%s", code, messages, out)
	}
}

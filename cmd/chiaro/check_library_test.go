package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/fossil"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// libraryModule is a shader that reads location 0 and writes location 1.
const libraryModule = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint %s %%main "main" %%i %%o
%s
OpDecorate %%i Location 0
OpDecorate %%o Location %d
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%float = OpTypeFloat 32
%%in = OpTypePointer Input %%float
%%out = OpTypePointer Output %%float
%%i = OpVariable %%in Input
%%o = OpVariable %%out Output
%%main = OpFunction %%void None %%fn
%%l = OpLabel
%%x = OpLoad %%float %%i
OpStore %%o %%x
OpReturn
OpFunctionEnd
`

// writeLibraries writes an archive of four libraries and a pipeline that links them.
// The vertex stage writes to location; libraries is the pNext chain of the first
// library.
func writeLibraries(t *testing.T, file string, location int, libraries string) {
	t.Helper()
	var b bytes.Buffer
	w, err := fossil.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	add := func(tag fossil.Tag, hash fossil.Hash, data []byte) {
		t.Helper()
		if err := w.Add(tag, hash, data, true); err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range []string{fmt.Sprintf(libraryModule, "Vertex", "", location), fmt.Sprintf(libraryModule, "Fragment", "OpExecutionMode %main OriginUpperLeft", 0)} {
		m := asmtest.Module(t, text, spirv.Version10)
		add(fossil.ShaderModule, fossil.Hash(i+1), fossil.Module(fossil.Hash(i+1), m.Encode()))
	}
	add(fossil.PipelineLayout, 3, []byte(`{"version":6,"pipelineLayouts":{"0000000000000003":{"flags":0,"setLayouts":[]}}}`))
	for i, k := range []struct {
		parts, stages, chain string
	}{
		{"1", "", libraries},
		{"2", `{"flags":0,"stage":1,"module":"0000000000000001","name":"main"}`, ""},
		{"4", `{"flags":0,"stage":16,"module":"0000000000000002","name":"main"}`, ""},
		{"8", "", ""},
	} {
		h := fossil.Hash(i + 10)
		add(fossil.GraphicsPipeline, h, fmt.Appendf(nil, `{"version":6,"graphicsPipelines":{"%s":{"flags":2048,"layout":"0000000000000003","renderPass":"0","stages":[%s],
			"pNext":[{"sType":1000320002,"flags":%s}%s]}}}`, h, k.stages, k.parts, k.chain))
	}
	add(fossil.GraphicsPipeline, 20, []byte(`{"version":6,"graphicsPipelines":{"0000000000000014":{"flags":0,"layout":"0000000000000003","renderPass":"0","stages":[],
		"pNext":[{"sType":1000290000,"libraries":["000000000000000a","000000000000000b","000000000000000c","000000000000000d"]}]}}}`))
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestLibraries checks that a pipeline checks the stages of its libraries against
// each other, and that reference cycles between libraries terminate.
func TestLibraries(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a.foz")
	check := func() string {
		t.Helper()
		var out, errs bytes.Buffer
		_ = checkFiles(console{out: &out, err: &errs}, checkFlags{format: "text", targetEnv: "vulkan1.3", jobs: 2}, []string{archive}) // findings are an exit code
		return out.String() + errs.String()
	}
	writeLibraries(t, archive, 1, "")
	if got := check(); !strings.Contains(got, "a.foz#graphics/0000000000000014") || !strings.Contains(got, "08743") || strings.Count(got, "error:") != 1 {
		t.Errorf("the vertex stage does not write what the fragment stage reads:\n%s", got)
	} else if !strings.Contains(got, "a.foz#graphics/0000000000000014:1:35: error:") { // its key in the JSON of the object
		t.Errorf("the finding has no position in the object:\n%s", got)
	}
	writeLibraries(t, archive, 0, "")
	if got := check(); strings.Contains(got, "error:") {
		t.Errorf("the stages fit:\n%s", got)
	}
	writeLibraries(t, archive, 0, `,{"sType":1000290000,"libraries":["000000000000000a","0000000000000014","0000000000000099"]}`)
	if got := check(); !strings.Contains(got, "graphics pipeline 000000000000000a is among its own libraries") || strings.Count(got, "error:") != 1 {
		t.Errorf("the libraries refer to each other:\n%s", got)
	}
	writeLibraries(t, archive, 0, `,{"sType":1000290000,"libraries":["0000000000000014"]}`)
	got := check()
	for _, of := range []string{"000000000000000a", "0000000000000014"} {
		if want := fmt.Sprintf("a.foz#graphics/%s: error: graphics pipeline %[1]s is among its own libraries", of); !strings.Contains(got, want) {
			t.Errorf("no %q where each is a library of the other:\n%s", want, got)
		}
	}
}

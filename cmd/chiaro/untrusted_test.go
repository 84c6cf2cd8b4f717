package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/plain"
)

// hostileName has everything that a terminal, a CI log or a page acts on.
const hostileName = "n</script><script>alert(1)</script>\x1b[31mRED\x1b]0;T\x07\r\n::error file=a.c,line=1::INJECTED\n  ::set-output name=a::b\u202e\u009b31m##[error]z"

// hostileModule has the name wherever a module has text, and one fault with a source line.
func hostileModule() string {
	return strings.ReplaceAll(`OpCapability Shader
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "NAME" %v %b
OpExecutionMode %main LocalSize 1 1 1
%f = OpString "NAME"
OpSource GLSL 450 %f "NAME"
OpName %main "NAME"
OpName %v "NAME"
OpName %b "NAME"
OpName %B "NAME"
OpMemberName %B 0 "NAME"
OpModuleProcessed "NAME"
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
OpDecorate %B Block
OpMemberDecorate %B 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u = OpTypeInt 32 0
%fl = OpTypeFloat 32
%B = OpTypeStruct %u
%pb = OpTypePointer StorageBuffer %B
%b = OpVariable %pb StorageBuffer
%c = OpConstant %u 1
%d = OpConstant %fl 1
%p = OpTypePointer Private %u
%v = OpVariable %p Private
%main = OpFunction %void None %fn
%l = OpLabel
OpLine %f 1 1
%x = OpIAdd %u %c %d
OpStore %v %d
OpReturn
OpFunctionEnd
`, "NAME", hostileName)
}

// unsafeLine returns a line of text that has a character that plain.Line escapes, "" if there is none. Lines of
// workflow commands are the program's own in the format github.
func unsafeLine(text string, github bool) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if github {
			for _, word := range []string{"::error file=", "::error::", "::warning file=", "::notice::"} {
				line = strings.TrimPrefix(line, word)
			}
		}
		if plain.Line(line) != line {
			return line
		}
	}
	return ""
}

// TestUntrustedText runs every command on a module with hostile names.
func TestUntrustedText(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GITHUB_ACTIONS", "")
	text := hostileModule()
	if err := os.WriteFile("evil.spvasm", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var sink bytes.Buffer
	if code := run([]string{"asm", "evil.spvasm", "-o", "evil.spv"}, console{strings.NewReader(""), &sink, &sink, new(lastInput), nil}); code != 0 {
		t.Fatalf("%d: %s", code, sink.String())
	}
	name := "::error file=x::\x1b[31m\u202e"
	if err := os.Mkdir(filepath.FromSlash("::error file=x::\x1b[31m"), 0o777); err == nil {
		data, _ := os.ReadFile("evil.spv")
		if err := os.WriteFile("::error file=x::\x1b[31m/"+"\u202eevil.spv", data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	script := "#!amber\nSHADER compute s SPIRV-ASM\n" + strings.ReplaceAll(text, "\r\n", " ") + "END\nBUFFER \x1b[31mb DATA_TYPE uint8 SIZE 4 FILL 0\nPIPELINE compute p\n  ATTACH s\n BIND BUFFER \x1b[31mb AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\nRUN p 1 1 1\nEXPECT \x1b[31mb IDX 0 EQ 1\n"
	if err := os.WriteFile("evil.amber", []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("evil.pipeline.yaml", []byte("stages:\n  compute: evil.spv\nlayout:\n  sets: {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("named.spvasm", []byte(strings.ReplaceAll(namedText, "NAME", "\x1b[31mRED\x1b]0;P\x07\r\n::error file=a::b\u202e\u009b31m<script>alert")), 0o666); err != nil {
		t.Fatal(err)
	}
	var runs [][]string
	for _, f := range formats {
		for _, file := range []string{"evil.spv", "evil.spvasm", "::error file=x::\x1b[31m", "evil.pipeline.yaml", "evil.amber"} {
			runs = append(runs, []string{"check", "--format", f, file})
		}
	}
	for _, f := range formats {
		runs = append(runs, []string{"run", "--format", f, "evil.amber"}, []string{"test", "--format", f, "--sanitize", "evil.amber"})
	}
	for _, f := range profileFormats {
		if f != "pprof" { // which is binary
			runs = append(runs, []string{"profile", "--format", f, "named.spvasm", "--buffer", "0=uint:1"}, []string{"profile", "--invocations", "--format", f, "named.spvasm", "--buffer", "0=uint:1"})
		}
	}
	for _, f := range []string{"text", "json"} {
		runs = append(runs, []string{"run", "--sanitize", "--format", f, "named.spvasm", "--buffer", "0=uint:1"}, []string{"profiles", "requires", "--format", f, "evil.spv"})
	}
	for _, f := range reflectFormats {
		runs = append(runs, []string{"reflect", "--format", f, "evil.spv"})
	}
	runs = append(runs, [][]string{
		{"dis", "evil.spv"}, {"dis", "--raw-id", "--comment", "--offsets", "evil.spv"}, {"dis", "--ir=all", "evil.spv"}, {"dis", "--asm", "evil.spv"},
		{"link", "evil.pipeline.yaml"}, {"link", "--format", "json", "evil.pipeline.yaml"}, {"link", "--comp", name},
		{"check", "--matrix", "--profile", "min", "evil.spv"}, {"check", name}, {"asm", name}, {"dis", name}, {"explain", name}, {"run", name}, {"bench", name},
		{"reflect", name}, {"profiles", "show", name}, {"profiles", "requires", "evil.spv"}, {"bench", "evil.spv", "-b", "4"}, {"bench", "evil.spv", "-b", name}, {name}, {"check", "--" + name},
		{"reflect", "--entry", name, "evil.spv"},
	}...)
	for _, args := range runs {
		var out, errs bytes.Buffer
		run(args, console{strings.NewReader(""), &out, &errs, new(lastInput), nil})
		github := len(args) > 2 && args[2] == "github"
		for _, s := range []string{out.String(), errs.String()} {
			if line := unsafeLine(s, github); line != "" {
				t.Errorf("%q: %q", args, line)
			}
			if args[0] == "check" && len(args) > 2 && args[2] == "html" && strings.Contains(s, "<script>alert") {
				t.Errorf("%q: a script on the page", args)
			}
		}
		if out.Len()+errs.Len() == 0 {
			t.Errorf("%q: no output", args)
		}
	}
}

// namedText is a shader with an out-of-bounds store. Each of its names contains NAME.
const namedText = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%file = OpString "NAME.comp"
OpSource GLSL 450 %file "NAME
line"
OpName %main "NAMEmain"
OpName %v "NAMEv"
OpName %S "NAMES"
OpMemberName %S 0 "NAMEm"
OpDecorate %S Block
OpMemberDecorate %S 0 Offset 0
OpDecorate %list ArrayStride 4
OpDecorate %v DescriptorSet 0
OpDecorate %v Binding 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%uint = OpTypeInt 32 0
%list = OpTypeRuntimeArray %uint
%S = OpTypeStruct %list
%ptrS = OpTypePointer StorageBuffer %S
%ptr = OpTypePointer StorageBuffer %uint
%v = OpVariable %ptrS StorageBuffer
%c0 = OpConstant %uint 0
%c9 = OpConstant %uint 99
%main = OpFunction %void None %f
%l = OpLabel
OpLine %file 2 1
%p = OpAccessChain %ptr %v %c0 %c9
OpStore %p %c9
OpReturn
OpFunctionEnd
`

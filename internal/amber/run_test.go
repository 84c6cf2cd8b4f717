package amber

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// increment adds a specialization constant (id 0, 1 by default) to the first
// word of the buffer at set 0, binding 0.
const increment = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpEntryPoint GLCompute %other "other"
OpExecutionMode %main LocalSize 1 1 1
OpExecutionMode %other LocalSize 1 1 1
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
OpDecorate %step SpecId 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%seven = OpConstant %uint 7
%step = OpSpecConstant %uint 1
%block = OpTypeStruct %uint
%pblock = OpTypePointer Uniform %block
%puint = OpTypePointer Uniform %uint
%b = OpVariable %pblock Uniform
%main = OpFunction %void None %fn
%l1 = OpLabel
%p1 = OpAccessChain %puint %b %zero
%v1 = OpLoad %uint %p1
%s1 = OpIAdd %uint %v1 %step
OpStore %p1 %s1
OpReturn
OpFunctionEnd
%other = OpFunction %void None %fn
%l2 = OpLabel
%p2 = OpAccessChain %puint %b %zero
OpStore %p2 %seven
OpReturn
OpFunctionEnd
`

func TestRunOrderAndParts(t *testing.T) {
	r := runText(t, "#!amber\nSHADER compute s SPIRV-ASM\n"+increment+`END
BUFFER a DATA_TYPE uint32 SIZE 4 FILL 0
BUFFER b DATA_TYPE uint32 SIZE 80 FILL 0
PIPELINE compute once
  ATTACH s
  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0
END
DERIVE_PIPELINE tens FROM once
  ATTACH s SPECIALIZE 0 AS uint32 10
END
DERIVE_PIPELINE seven FROM once
  ATTACH s ENTRY_POINT other
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0 DESCRIPTOR_OFFSET 256 DESCRIPTOR_RANGE 4
END
RUN once 1 1 1
EXPECT a IDX 0 EQ 1 0
REPEAT 3
RUN tens 1 1 1
END
EXPECT a IDX 0 EQ 31
RUN seven 1 1 1
EXPECT b IDX 252 EQ 0 7 0
EXPECT a IDX 0 EQ 31
`)
	if r.Status != Pass {
		t.Errorf("%s %s", r.Status, r.Message)
	}
}

func TestRunVkScript(t *testing.T) {
	r := runText(t, "[compute shader spirv]\n"+increment+`[test]
ssbo 0 1
ssbo 0 subdata uint 0 5
compute 1 1 1
probe ssbo uint 0 0 == 6
ssbo 0 subdata uint 0 8
compute 1 1 1
probe ssbo uint 0 0 == 9
compute entrypoint other
compute 1 1 1
probe ssbo uint 0 0 == 7
`)
	if r.Status != Pass {
		t.Errorf("%s %s", r.Status, r.Message)
	}
}

// TestRunForms runs one module in hexadecimal words and bytes, as a file, and
// ready in a folder.
func TestRunForms(t *testing.T) {
	words := asmtest.Words(t, increment, 0x10000)
	var inWords, inBytes strings.Builder
	for _, w := range words {
		fmt.Fprintf(&inWords, "0x%08x\n", w)
	}
	for _, b := range asm.Bytes(words) {
		fmt.Fprintf(&inBytes, "%02x ", b)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "spirv", "x.amber"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"m.spv", "spirv/x.amber/p.s.comp.spv"} {
		if err := os.WriteFile(filepath.Join(dir, f), asm.Bytes(words), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const rest = `BUFFER a DATA_TYPE uint32 DATA 41 END
PIPELINE compute p
  ATTACH s
  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
EXPECT a IDX 0 EQ 42
`
	for name, shader := range map[string]string{
		"words": "SPIRV-HEX\n" + inWords.String() + "END\n",
		"bytes": "SPIRV-HEX\n" + inBytes.String() + "\nEND\n",
		"file":  "SPIRV-BIN FILE m.spv\n",
		"ready": "OPENCL-C\nkernel void k() {}\nEND\n",
	} {
		file := filepath.Join(dir, "x.amber")
		if err := os.WriteFile(file, []byte("#!amber\nSHADER compute s "+shader+rest), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := Load(file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		o := Options{Engine: interp.Engine{}}
		if name == "ready" {
			o.SpirvDir, o.ScriptRoot = filepath.Join(dir, "spirv"), dir
		}
		if r := Run(context.Background(), s, o); r.Status != Pass {
			t.Errorf("%s: %s %s", name, r.Status, r.Message)
		}
	}
}

func TestRunGLSL(t *testing.T) {
	_, err1 := exec.LookPath("glslc")
	_, err2 := exec.LookPath("glslangValidator")
	if err1 != nil && err2 != nil {
		t.Skip("neither glslc nor glslangValidator is on the PATH")
	}
	const rest = `BUFFER a DATA_TYPE uint32 DATA 20 END
PIPELINE compute p
  ATTACH s
  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
EXPECT a IDX 0 EQ 42
`
	const good = "#!amber\nSHADER compute s GLSL TARGET_ENV spv1.3\n#version 450\nlayout(set=0, binding=0) buffer B { uint x; };\nvoid main() { x = 2 * x + 2; }\nEND\n"
	if r := runText(t, good+rest); r.Status != Pass {
		t.Errorf("%s %s", r.Status, r.Message)
	}
	bad := strings.Replace(good, "2 * x", "2 * y", 1)
	if r := runText(t, bad+rest); r.Status != Failed || !strings.Contains(r.Message, "test.amber:5:1: shader s does not compile: ") {
		t.Errorf("%s %s", r.Status, r.Message)
	}
	t.Setenv("PATH", "")
	for language, program := range map[string]string{"GLSL": "glslang-tools", "HLSL": "directx-shader-compiler"} {
		r := runText(t, strings.Replace(good, "GLSL", language, 1)+rest)
		if r.Status != Failed || !strings.Contains(r.Message, "test.amber:2:1: shader s is in "+language+", and the PATH has no compiler") || !strings.Contains(r.Message, program) {
			t.Errorf("%s: %s %s", language, r.Status, r.Message)
		}
	}
}

// TestRunHLSL runs a script with a shader in HLSL that has an entry point of another name and includes a virtual file,
// and checks the positions of its errors.
func TestRunHLSL(t *testing.T) {
	found := false
	for _, program := range []string{"dxc", "glslc", "glslangValidator"} {
		_, err := exec.LookPath(program)
		found = found || err == nil
	}
	if !found {
		t.Skip("neither dxc nor glslc nor glslangValidator is on the PATH")
	}
	const text = `#!amber
VIRTUAL_FILE lib/add.hlsli
uint twice(uint x) { return 2 * x; }
#include "two.hlsli"
END
VIRTUAL_FILE lib/two.hlsli
uint two() { return 2; }
END
SHADER compute s HLSL
#include "lib/add.hlsli"
[[vk::binding(0, 0)]] RWStructuredBuffer<uint> a;
[numthreads(1, 1, 1)] void first() { a[0] = twice(a[0]) + two(); }
END
BUFFER a DATA_TYPE uint32 DATA 20 END
PIPELINE compute p
  ATTACH s ENTRY_POINT first
  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
EXPECT a IDX 0 EQ 42
`
	if r := runText(t, text); r.Status != Pass {
		t.Errorf("%s %s", r.Status, r.Message)
	}
	for old, want := range map[string]string{
		"twice(a[0]) + two":  "test.amber:12:",
		"return 2 * x":       "test.amber:3:",
		"{ return 2; }":      "test.amber:7:",
		`#include "lib/add.`: "test.amber:", // where a missing file is reported depends on the compiler
	} {
		bad := strings.Replace(text, old, "nosuch "+old, 1)
		if r := runText(t, bad); r.Status != Failed || !strings.HasPrefix(r.Message, want) || !strings.Contains(r.Message, "shader s does not compile: ") {
			t.Errorf("%s: %s %s, want %s", old, r.Status, r.Message, want)
		}
	}
}

// TestIncludeBeside includes files below the script's folder: from the folder of the shader's file, from the script's
// folder, and from the folder of an included file. No other file is read.
func TestIncludeBeside(t *testing.T) {
	files := map[string]string{
		"sh/c.comp":       "#include \"near.glsl\"\n#include \"sh/far.glsl\"\n",
		"sh/near.glsl":    "#include \"in/deep.glsl\"\n",
		"sh/far.glsl":     "",
		"sh/in/deep.glsl": "#include \"../far.glsl\"\n",
		"out.comp":        "#include \"../secret\"\n",
		"none.comp":       "#include \"none.glsl\"\n",
	}
	for file, want := range map[string]string{"sh/c.comp": "", "out.comp": "../secret", "none.comp": "none.glsl"} {
		text := "#!amber\nSHADER compute c GLSL FILE " + file + "\nSHADER compute d GLSL\n#include \"sh/far.glsl\"\nEND\n"
		s, err := Parse("test.amber", []byte(text), func(name string) ([]byte, error) {
			if f, ok := files[name]; ok {
				return []byte(f), nil
			}
			if strings.HasPrefix(name, "..") {
				t.Errorf("%s: %s was read", file, name)
			}
			return nil, os.ErrNotExist
		})
		if err != nil {
			t.Fatal(err)
		}
		words, outside := s.OutsideInclude(s.Shaders[0])
		if outside != (want != "") || !strings.Contains(words, want) {
			t.Errorf("%s: %q %v, want %q", file, words, outside, want)
		}
		if _, outside := s.OutsideInclude(s.Shaders[1]); outside {
			t.Errorf("%s: the text in the script does not find sh/far.glsl", file)
		}
		if want == "" && s.Files["sh/in/deep.glsl"] == nil {
			t.Errorf("%s: the files are %v", file, s.Files)
		}
	}
}

// TestOutsideInclude checks which shaders include a file that is in no script.
func TestOutsideInclude(t *testing.T) {
	files := map[string]*VirtualFile{
		"lib/a": {Text: "#include \"b\"\n"}, "lib/b": {Text: "#include <lib/a>\n"}, "c": {Text: "#include \"../d\"\n"},
	}
	s := &Script{Files: files}
	for text, want := range map[string]string{
		"": "", "#include \"lib/a\"\n": "", "#include \"lib/b\"\n#include \"x\"\n": " \"x\"", "#include \"c\"\n": " \"../d\"",
		"#include NAME\n": " NAME", "#include \"/lib/a\"\n": " \"/lib/a\"", "#include \"../lib/a\"\n": " \"../lib/a\"",
	} {
		words, outside := s.OutsideInclude(&Shader{Format: HLSL, Source: text})
		if words != want || outside != (want != "") {
			t.Errorf("%q: %q %v, want %q", text, words, outside, want)
		}
	}
}

// TestRunFaults checks the messages for shaders that cannot run.
func TestRunFaults(t *testing.T) {
	const rest = `BUFFER a DATA_TYPE uint32 DATA 0 END
PIPELINE compute p
  ATTACH s ENTRY_POINT NAME
  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
`
	for _, c := range []struct {
		name, shader, entry string
		status              Status
		says                string
	}{
		{"no module", "SPIRV-HEX\n01 02 03\nEND\n", "main", Failed, "2:1: shader s: "},
		{"no entry point", "SPIRV-ASM\n" + increment + "END\n", "third", Failed, `no compute entry point "third"`},
		{"no size", "SPIRV-ASM\n" + strings.Replace(increment, "OpExecutionMode %main LocalSize 1 1 1\n", "", 1) + "END\n", "main", Failed, "shader s: "},
	} {
		text := "#!amber\nSHADER compute s " + c.shader + strings.Replace(rest, "NAME", c.entry, 1)
		if r := runText(t, text); r.Status != c.status || !strings.Contains(r.Message, c.says) {
			t.Errorf("%s: %s %s, want %s %q", c.name, r.Status, r.Message, c.status, c.says)
		}
	}
}

func TestRunEndlessLoop(t *testing.T) {
	text := "#!amber\nSHADER compute s SPIRV-ASM\n" + strings.Replace(increment, "%l1 = OpLabel\n",
		"%l1 = OpLabel\nOpBranch %h\n%h = OpLabel\nOpLoopMerge %m %c None\nOpBranch %c\n%c = OpLabel\nOpBranch %h\n%m = OpLabel\n", 1) + `END
BUFFER a DATA_TYPE uint32 DATA 0 END
PIPELINE compute p
  ATTACH s
  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
`
	line := strings.Count(text, "\n")
	r := Run(context.Background(), mustParse(t, text), Options{Engine: interp.Engine{}, Budget: 1000, Timeout: time.Minute})
	if want := fmt.Sprintf("test.amber:%d:1: pipeline p: budget of 1000 steps", line); r.Status != RanOutOfTime || !strings.HasPrefix(r.Message, want) {
		t.Errorf("%s %s, want %q", r.Status, r.Message, want)
	}
}

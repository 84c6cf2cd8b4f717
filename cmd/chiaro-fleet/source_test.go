package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// doubles multiplies the words of a buffer by two. Its capability Int64 needs a feature that the profile min does not have.
const doubles = `OpCapability Shader
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%v3 = OpTypeVector %uint 3
%toID = OpTypePointer Input %v3
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%toBlock = OpTypePointer Uniform %block
%toWord = OpTypePointer Uniform %uint
%0 = OpConstant %uint 0
%id = OpVariable %toID Input
%b = OpVariable %toBlock Uniform
%main = OpFunction %void None %fn
%l = OpLabel
%at = OpLoad %v3 %id
%i = OpCompositeExtract %uint %at 0
%p = OpAccessChain %toWord %b %0 %i
%x = OpLoad %uint %p
%y = OpIAdd %uint %x %x
OpStore %p %y
OpReturn
OpFunctionEnd
`

// compile is a compiler that has one module for all sources, and rejects those with a mistake. It notes the process
// that starts it. The module and the notes lie beside the compiler.
func compile(args []string) int {
	self, err := os.Executable()
	if err != nil || len(args) == 0 {
		return 1
	}
	noted, err := os.OpenFile(filepath.Join(filepath.Dir(self), "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 1
	}
	_, err = fmt.Fprintln(noted, os.Getppid())
	if errors.Join(err, noted.Close()) != nil {
		return 1
	}
	source := args[len(args)-1]
	text, err := os.ReadFile(source)
	if err != nil || strings.Contains(string(text), "mistake") {
		fmt.Printf("%s:1: error: a mistake\n", source)
		return 1
	}
	module, err := os.ReadFile(filepath.Join(filepath.Dir(self), "module.spv"))
	if out := slices.Index(args, "-o") + 1; err != nil || out == 0 || os.WriteFile(args[out], module, 0o600) != nil {
		return 1
	}
	return 0
}

// TestSourcesLocal checks that sources have the same results on a fleet, and that only the submitting process compiles them.
func TestSourcesLocal(t *testing.T) {
	path := os.Getenv("PATH")
	if made.dir == "" {
		tools(t) // needs the real PATH
	}
	version, _ := asm.Target("vulkan1.1")
	code, err := asm.Assemble([]byte(doubles), asm.AssembleOptions{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	module, log := filepath.Join(bin, "module.spv"), filepath.Join(bin, "log")
	write(t, module, asm.Bytes(code))
	if err := copySelf(filepath.Join(bin, executable("glslc"))); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+path)
	temporary, cache := t.TempDir(), t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, cache)
	}
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temporary)
	}
	const script = "#!amber\nSHADER compute s GLSL\nvoid main() {} // %s\nEND\nBUFFER b DATA_TYPE uint32 DATA 1 2 3 END\nPIPELINE compute p\nATTACH s\nBIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\nRUN p 3 1 1\nEXPECT b IDX 0 EQ %s\n"
	for name, text := range map[string]string{
		"a.comp": "void main() {}", "c.pipeline.yaml": "stages:\n  compute: a.comp\nlayout:\n  sets:\n    0:\n      0: {type: storage_image, stages: [compute]}\n",
		"d.test.yaml": "shader: a.comp\ntests:\n- name: doubles\n  groups: [3]\n  buffers:\n    0: {type: uint, data: [1, 2, 3], expect: [2, 4, 6]}\n",
		"e.amber":     fmt.Sprintf(script, "right", "2 4 6"), "f.amber": fmt.Sprintf(script, "wrong", "2 4 7"), "k.ptx": ".version 7.0\n.target sm_70\n.visible .entry k() { ret; oops; }\n",
	} {
		write(t, filepath.Join(dir, name), []byte(text))
	}
	onBoth(t, dir, 1, "check", "--no-cache", "--target-env", "vulkan1.1", "--profile", "min", "--format", "sarif", ".")
	onBoth(t, dir, 1, "link", "--target-env", "vulkan1.1", "--profile", "min", "--format", "json", "c.pipeline.yaml")
	onBoth(t, dir, 1, "run", "--format", "sarif", "e.amber", "f.amber")
	onBoth(t, dir, 0, "test", "--format", "sarif", "d.test.yaml", "e.amber")
	ready := filepath.Join(dir, "spirv", "f.amber")
	if err := os.MkdirAll(ready, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(ready, "p.s.comp.spv"), asm.Bytes(code))
	onBoth(t, dir, 1, "run", "--format", "sarif", "--spirv-dir", "spirv", "f.amber")
	// The process of the command reports a mistake.
	for _, name := range []string{"g.comp", "h.amber"} {
		text := "mistake"
		if name == "h.amber" {
			text = fmt.Sprintf(script, text, "2 4 6")
		}
		write(t, filepath.Join(dir, name), []byte(text))
		for _, on := range [][]string{nil, {"--on", "local"}} {
			code, out, said := chiaro(t, dir, append([]string{"check", "--no-cache", "--target-env", "vulkan1.1", "a.comp", name}, on...)...)
			if code != 2 || !strings.Contains(out, "a mistake") || strings.Contains(said, "this process keeps 1 item of 2") != (on != nil) {
				t.Errorf("%s %v: exit code %d; want 2 and the mistake\n%s%s", name, on, code, out, said)
			}
		}
	}
	noted, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Fields(string(noted)) {
		if pid, err := strconv.Atoi(line); err != nil || !submitters.pids[pid] {
			t.Errorf("the process %q, no command of this test, started the compiler", line)
		}
	}
	if len(noted) == 0 {
		t.Error("the compiler did not run")
	}
	left, err := filepath.Glob(filepath.Join(temporary, "chiaro-sent-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%q stay: %v", left, err)
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/profile"
)

// countedShader has two workgroups of 64 invocations in the x direction. Invocation i reads word i of one buffer, stores to word 16·i of another, and
// adds to its words 1 and 16·i + 2.
const countedShader = `; SPIR-V
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%v3 = OpTypeVector %uint 3
%pv3 = OpTypePointer Input %v3
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%pblock = OpTypePointer Uniform %block
%puint = OpTypePointer Uniform %uint
%0 = OpConstant %uint 0
%1 = OpConstant %uint 1
%2 = OpConstant %uint 2
%16 = OpConstant %uint 16
%id = OpVariable %pv3 Input
%a = OpVariable %pblock Uniform
%b = OpVariable %pblock Uniform
%main = OpFunction %void None %fn
%l = OpLabel
%at = OpLoad %v3 %id
%i = OpCompositeExtract %uint %at 0
%pa = OpAccessChain %puint %a %0 %i
%x = OpLoad %uint %pa
%i16 = OpIMul %uint %i %16
%pb = OpAccessChain %puint %b %0 %i16
OpStore %pb %x
%p1 = OpAccessChain %puint %b %0 %1
%old1 = OpAtomicIAdd %uint %p1 %1 %0 %1
%i2 = OpIAdd %uint %i16 %2
%p2 = OpAccessChain %puint %b %0 %i2
%old2 = OpAtomicIAdd %uint %p2 %1 %0 %1
OpReturn
OpFunctionEnd
`

// TestProfileInvocations counts by the shader's text: 128 loads of 4 bytes in 8 lines, 128 stores and 256 atomics at 257 words in 128 lines of
// 64 bytes; all invocations add to word 1, which alone is contended, and all but the first lane of each subgroup of 16 wait there.
func TestProfileInvocations(t *testing.T) {
	file := filepath.Join(t.TempDir(), "counted.spvasm")
	if err := os.WriteFile(file, []byte(countedShader), 0o644); err != nil {
		t.Fatal(err)
	}
	output := func(format string) string {
		var out, messages bytes.Buffer
		args := []string{"profile", file, "--invocations", "--groups", "2", "--subgroup-size", "16", "--buffer", "0=uint*128", "--buffer", "1=uint*2048", "--format", format}
		if code := run(args, console{strings.NewReader(""), &out, &messages, new(lastInput), nil}); code != 0 {
			t.Fatalf("exit code %d: %s", code, &messages)
		}
		return out.String()
	}
	var p profile.Profile
	if err := json.Unmarshal([]byte(output("json")), &p); err != nil {
		t.Fatal(err)
	}
	if len(p.Dispatches) != 1 || len(p.Dispatches[0].Buffers) != 2 {
		t.Fatalf("the dispatches %+v; must be one with two buffers", p.Dispatches)
	}
	d := p.Dispatches[0]
	if d.Invocations != 128 || d.Least != d.Most || d.Total != 128*d.Most || d.Most == 0 || len(d.Longest) != 16 {
		t.Errorf("the counts %+v; must be equal for 128 invocations", d)
	}
	for i, want := range []profile.Buffer{
		{Name: "set 0, binding 0", Loads: 128, Read: 512, Lines: 8, Transfers: 8},
		{Name: "set 0, binding 1", Stores: 128, Atomics: 256, Read: 4 * 129, Written: 4 * 257, Lines: 128, Transfers: 128 + 8 + 128, Contended: 1, Serial: 8 * 15},
	} {
		if d.Buffers[i] != want {
			t.Errorf("the buffer %+v; must be %+v", d.Buffers[i], want)
		}
	}
	for _, format := range []string{"text", "html"} {
		if text := output(format); !strings.Contains(text, "set 0, binding 1") || !strings.Contains(text, "invocations: 128") {
			t.Errorf("the %s has no counts of invocations:\n%s", format, text)
		}
	}
}

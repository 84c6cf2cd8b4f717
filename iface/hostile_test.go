package iface_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// TestUnfolded reflects interfaces that would be endless if they were unfolded:
// huge arrays of structs without members, and structs of two of each other.
func TestUnfolded(t *testing.T) {
	doubled := func(first string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "%%s0 = OpTypeStruct %s\n", first)
		for i := 1; i < 60; i++ {
			fmt.Fprintf(&b, "%%s%d = OpTypeStruct %%s%d %%s%d\n", i, i-1, i-1)
		}
		return b.String() + "%t = OpTypeStruct %s59 %s59\n"
	}
	for name, c := range map[string]struct{ annotations, types string }{
		"array of nothing":    {"", "%s = OpTypeStruct\n%a = OpTypeArray %s %n\n%b = OpTypeArray %a %n\n%t = OpTypeStruct %b\n"},
		"doubled nothing":     {"", doubled("")},
		"doubled built-ins":   {"OpMemberDecorate %s0 0 BuiltIn Position\n", doubled("%v4")},
		"doubled huge arrays": {"", "%big = OpTypeArray %v4 %n\n" + doubled("%big")},
	} {
		words, err := asm.Assemble([]byte("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Vertex %main \"main\" %v\nOpDecorate %v Location 0\n"+c.annotations+
			"%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%float = OpTypeFloat 32\n%v4 = OpTypeVector %float 4\n%uint = OpTypeInt 32 0\n%n = OpConstant %uint 4294967295\n"+c.types+
			"%p = OpTypePointer Output %t\n%v = OpVariable %p Output\n%main = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n"), asm.AssembleOptions{Version: spirv.Version16})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m, err := spirv.FromWords(words)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e := iface.Reflect(valid.Assume(facts.Gather(m, nil)))[0]
		if n := len(e.Outputs) + len(e.BuiltIns); n > 1<<13 {
			t.Errorf("%s: %d outputs; must be bounded", name, n)
		}
	}
}

// TestLongBlock reflects a block whose member ends beyond 2⁶⁴ bytes: its size does not wrap around.
func TestLongBlock(t *testing.T) {
	words, err := asm.Assemble([]byte(`OpCapability Shader
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %b
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %S Block
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
OpDecorate %arr ArrayStride 4
OpMemberDecorate %S 0 Offset 8
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%u64 = OpTypeInt 64 0
%n = OpConstant %u64 0x3fffffffffffffff
%arr = OpTypeArray %float %n
%S = OpTypeStruct %arr
%p = OpTypePointer StorageBuffer %S
%b = OpVariable %p StorageBuffer
%main = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd`), asm.AssembleOptions{Version: spirv.Version16})
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.FromWords(words)
	if err != nil {
		t.Fatal(err)
	}
	e := iface.Reflect(valid.Assume(facts.Gather(m, nil)))[0]
	if len(e.Resources) != 1 || e.Resources[0].Block == nil || e.Resources[0].Block.Size != math.MaxUint64 {
		t.Errorf("%+v; want a block of 2⁶⁴-1 bytes", e.Resources)
	}
}

// reflectable returns a module of n entry points and resources, all of which the last entry point uses.
func reflectable(t *testing.T, entries, resources int) *valid.Module {
	var b strings.Builder
	b.WriteString("OpCapability Shader\nOpMemoryModel Logical GLSL450\n")
	for i := range entries {
		fmt.Fprintf(&b, "OpEntryPoint GLCompute %%main \"%d\"\n", i)
	}
	b.WriteString("OpExecutionMode %main LocalSize 1 1 1\nOpDecorate %s Block\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%zero = OpConstant %uint 0\n" +
		"%s = OpTypeStruct %uint\n%ps = OpTypePointer StorageBuffer %s\n%p = OpTypePointer StorageBuffer %uint\n")
	for i := range resources {
		fmt.Fprintf(&b, "%%v%d = OpVariable %%ps StorageBuffer\n", i)
	}
	b.WriteString("%main = OpFunction %void None %fn\n%l = OpLabel\n")
	for i := range resources {
		fmt.Fprintf(&b, "%%a%d = OpAccessChain %%p %%v%d %%zero\n", i, i)
	}
	b.WriteString("OpReturn\nOpFunctionEnd\n")
	m := asmtest.Module(t, b.String(), spirv.Version16)
	return valid.Assume(facts.Gather(m, nil))
}

// TestManyEntryPoints reflects 1,200 entry points that list the same 1,200 resources: 1.4 million in all, or 2.9
// million with members. The lists end early, and the entry points report it; one by one they are whole.
func TestManyEntryPoints(t *testing.T) {
	m := reflectable(t, 1200, 1200)
	n := 0
	list := iface.Reflect(m)
	for _, e := range list {
		n += len(e.Resources)
	}
	if n == 0 || n > 1<<21 || list[0].Incomplete || !list[len(list)-1].Incomplete {
		t.Errorf("%d resources, incomplete %v and %v; want less than %d, false and true", n, list[0].Incomplete, list[len(list)-1].Incomplete, 1<<21)
	}
	k := 0
	for e := range iface.Entries(m, facts.ReadingDefault) {
		if k++; k > 100 {
			break
		}
		if len(e.Resources) != 1200 || e.Incomplete {
			t.Fatalf("%d resources, incomplete %v; want 1200, false", len(e.Resources), e.Incomplete)
		}
	}
}

// TestManyResources reflects an entry point that uses 100,000 resources. A search through all uses for each
// of them takes 10¹⁰ steps.
func TestManyResources(t *testing.T) {
	for _, r := range iface.Reflect(reflectable(t, 1, 100_000))[0].Resources {
		if !r.Used || !r.Block.Members[0].Used {
			t.Fatalf("%s is unused; must be used", r.Name)
		}
	}
}

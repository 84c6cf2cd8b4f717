package lower

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/pass"
)

// copyHead declares a large struct in private and workgroup memory and the function
// f0, which returns words of its argument. COPY is replaced by a copy of an object.
const copyHead = `OpCapability Shader
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %ra ArrayStride 4
OpDecorate %B Block
OpMemberDecorate %B 0 Offset 0
%void = OpTypeVoid
%bool = OpTypeBool
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%u4 = OpTypeVector %u32 4
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u2 = OpConstant %u32 2
%u3 = OpConstant %u32 3
%n601 = OpConstant %u32 601
%n37 = OpConstant %u32 37
%n701 = OpConstant %u32 701
%a37 = OpTypeArray %bool %n37
%E = OpTypeStruct %u4 %u64 %bool
%e = OpTypeArray %E %n601
%w = OpTypeArray %u32 %n701
%S = OpTypeStruct %u32 %e %a37 %w
%ra = OpTypeRuntimeArray %u32
%B = OpTypeStruct %ra
%pB = OpTypePointer StorageBuffer %B
%pBu = OpTypePointer StorageBuffer %u32
%pI = OpTypePointer Input %u32
%pS = OpTypePointer Private %S
%pSu = OpTypePointer Private %u32
%pSl = OpTypePointer Private %u64
%pSb = OpTypePointer Private %bool
%pF = OpTypePointer Function %S
%pFu = OpTypePointer Function %u32
%pFl = OpTypePointer Function %u64
%pFb = OpTypePointer Function %bool
%pWe = OpTypePointer Workgroup %e
%pFe = OpTypePointer Function %e
%pWu = OpTypePointer Workgroup %u32
%ft = OpTypeFunction %u32 %pF %u32
%out = OpVariable %pB StorageBuffer
%id = OpVariable %pI Input
%g = OpVariable %pS Private
%shared = OpVariable %pWe Workgroup
%f0 = OpFunction %u32 None %ft
%s0 = OpFunctionParameter %pF
%i0 = OpFunctionParameter %u32
%l0 = OpLabel
%q0 = OpAccessChain %pFu %s0 %u1 %i0 %u0 %u2
%q1 = OpAccessChain %pFl %s0 %u1 %i0 %u1
%q2 = OpAccessChain %pFb %s0 %u1 %i0 %u2
%q3 = OpAccessChain %pFb %s0 %u2 %i0
%q4 = OpAccessChain %pFu %s0 %u3 %i0
%q5 = OpAccessChain %pFu %s0 %u0
%v0 = OpLoad %u32 %q0
%v1 = OpLoad %u64 %q1
%v2 = OpLoad %bool %q2
%v3 = OpLoad %bool %q3
%v4 = OpLoad %u32 %q4
%v5 = OpLoad %u32 %q5
%c1 = OpUConvert %u32 %v1
%c2 = OpSelect %u32 %v2 %n37 %u0
%c3 = OpSelect %u32 %v3 %n601 %u0
%z1 = OpIAdd %u32 %v0 %c1
%z2 = OpIAdd %u32 %z1 %c2
%z3 = OpIAdd %u32 %z2 %c3
%z4 = OpIAdd %u32 %z3 %v4
%z5 = OpIAdd %u32 %z4 %v5
OpReturnValue %z5
OpFunctionEnd
`

// copyMain writes g and the shared array, copies them and returns the sums.
const copyMain = `%main = OpFunction %void None %fn
%l = OpLabel
%local = OpVariable %pF Function
%array = OpVariable %pFe Function
%i = OpLoad %u32 %id
%k = OpIMul %u32 %i %n37
%j = OpUMod %u32 %k %n37
%wide = OpUConvert %u64 %k
%odd = OpBitwiseAnd %u32 %i %u1
%is = OpIEqual %bool %odd %u1
%p0 = OpAccessChain %pSu %g %u1 %i %u0 %u2
OpStore %p0 %k
%p1 = OpAccessChain %pSl %g %u1 %i %u1
OpStore %p1 %wide
%p2 = OpAccessChain %pSb %g %u1 %i %u2
OpStore %p2 %is
%p3 = OpAccessChain %pSb %g %u2 %i
OpStore %p3 %is
%p4 = OpAccessChain %pSu %g %u3 %i
OpStore %p4 %n701
%p5 = OpAccessChain %pSu %g %u0
OpStore %p5 %u3
%x = OpLoad %S %g
COPY x
OpStore %local %x
OpStore %p0 %u0
%sum = OpFunctionCall %u32 %LAST %local %i
%ws = OpAccessChain %pWu %shared %i %u0 %u3
OpStore %ws %k
OpControlBarrier %u2 %u2 %n264
%y = OpLoad %e %shared
COPY y
OpStore %array %y
%next = OpIAdd %u32 %i %u1
%mod = OpBitwiseAnd %u32 %next %n7
%rs = OpAccessChain %pFu %array %mod %u0 %u3
%neighbour = OpLoad %u32 %rs
%all = OpIAdd %u32 %sum %neighbour
%o = OpAccessChain %pBu %out %u0 %i
OpStore %o %all
OpReturn
OpFunctionEnd
`

// copyModule is a module with depth functions that pass the struct on by value. Between
// each load and the store of its value is between; %VALUE is the value of the
// type TYPE, PART the indexes of a scalar.
func copyModule(depth int, between string) []byte {
	b := &strings.Builder{}
	b.WriteString(strings.Replace(copyHead, "%n37 =", "%n7 = OpConstant %u32 7\n%n264 = OpConstant %u32 264\n%n37 =", 1))
	for n := 1; n <= depth; n++ {
		fmt.Fprintf(b, "%%f%[1]d = OpFunction %%u32 None %%ft\n%%s%[1]d = OpFunctionParameter %%pF\n%%i%[1]d = OpFunctionParameter %%u32\n"+
			"%%l%[1]d = OpLabel\n%%p%[1]d_ = OpVariable %%pF Function\n%%x%[1]d = OpLoad %%S %%s%[1]d\nCOPY x%[1]d\nOpStore %%p%[1]d_ %%x%[1]d\n"+
			"%%r%[1]d = OpFunctionCall %%u32 %%f%[2]d %%p%[1]d_ %%i%[1]d\nOpReturnValue %%r%[1]d\nOpFunctionEnd\n", n, n-1)
	}
	b.WriteString(strings.Replace(copyMain, "%LAST", fmt.Sprintf("%%f%d", depth), 1))
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		if name, ok := strings.CutPrefix(line, "COPY "); ok {
			part, typ := "0", "%S"
			if name == "y" {
				part, typ = "0 0 3", "%e"
			}
			lines[i] = strings.NewReplacer("VALUE", name, "PART", part, "TYPE", typ).Replace(between)
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

// TestLargeCopies runs a program that passes a struct of 4,345 scalars by value: its
// results are the same if the value is copied from its memory at its uses, and if it has memory of its own, which it has
// if it has another use or an instruction writes its memory before the last one. In both cases the copies are loops.
func TestLargeCopies(t *testing.T) {
	want := make([]byte, 4*8)
	for i := range uint32(8) {
		sum := 37*i + 37*i + 701 + 3 + 37*((i+1)%8)
		if i%2 == 1 {
			sum += 37 + 601
		}
		binary.LittleEndian.PutUint32(want[4*i:], sum)
	}
	for _, between := range []string{
		"",
		"%VALUE_part = OpCompositeExtract %u32 %VALUE PART\n%VALUE_sum = OpIAdd %u32 %VALUE_part %u1",
		"%VALUE_insert = OpCompositeInsert TYPE %u0 %VALUE PART",
		"%VALUE_0 = OpAccessChain %pSu %g %u1 %u3 %u0 %u2\nOpStore %VALUE_0 %u0",
	} {
		p := lowered(t, copyModule(2, between), facts.Spec{}, Options{})
		if n := values(p); n > 5_000 {
			t.Errorf("%q: %d values", between, n)
		}
		pass.Run(p)
		for _, e := range engines() {
			got := copied(t, p, e)
			if !bytes.Equal(got, want) {
				t.Errorf("%q, %s: %v, want %v", between, e.Name(), got, want)
			}
		}
	}
}

// TestManyLargeCopies lowers a chain of 600 functions that pass the struct on by value.
// One load and one store of each scalar would exceed the default of Options.MaxValues.
func TestManyLargeCopies(t *testing.T) {
	p := lowered(t, copyModule(600, ""), facts.Spec{}, Options{})
	if n := values(p); n > 200_000 {
		t.Errorf("%d values", n)
	}
}

// TestCopiedMembers copies a struct member by member from one value, as front ends copy a
// struct to another type, and by OpCopyMemory: 2,000 copies of 4,345 scalars are loops.
func TestCopiedMembers(t *testing.T) {
	members := `%VALUE_v = OpLoad %S %g
%VALUE_0 = OpCompositeExtract %u32 %VALUE_v 0
%VALUE_1 = OpCompositeExtract %e %VALUE_v 1
%VALUE_2 = OpCompositeExtract %a37 %VALUE_v 2
%VALUE_3 = OpCompositeExtract %w %VALUE_v 3
%VALUE_p0 = OpAccessChain %pFu %local %u0
%VALUE_p1 = OpAccessChain %pFe %local %u1
%VALUE_p2 = OpAccessChain %pFa %local %u2
%VALUE_p3 = OpAccessChain %pFw %local %u3
OpStore %VALUE_p0 %VALUE_0
OpStore %VALUE_p1 %VALUE_1
OpStore %VALUE_p2 %VALUE_2
OpStore %VALUE_p3 %VALUE_3
`
	types := "%pFa = OpTypePointer Function %a37\n%pFw = OpTypePointer Function %w\n%ft = "
	var want []byte
	for _, k := range []struct {
		name, text string
		times      int
	}{
		{"the whole", "OpStore %local %x\n", 1},
		{"members", members, 1}, {"many members", members, 400},
		{"OpCopyMemory", "OpCopyMemory %local %g\n", 1}, {"many OpCopyMemory", "OpCopyMemory %local %g\n", 400},
	} {
		var text strings.Builder
		for n := range k.times {
			text.WriteString(strings.ReplaceAll(k.text, "VALUE", fmt.Sprint("m", n)))
		}
		source := strings.NewReplacer("OpStore %local %x\n", text.String(), "%ft = ", types).Replace(string(copyModule(0, "")))
		p := lowered(t, []byte(source), facts.Spec{}, Options{})
		if n := values(p); n > 1000+400*k.times {
			t.Errorf("%s: %d values", k.name, n)
		}
		if k.times > 1 {
			continue
		}
		pass.Run(p)
		for _, e := range engines() {
			got := copied(t, p, e)
			if want == nil {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s, %s: %v, want %v", k.name, e.Name(), got, want)
			}
		}
	}
}

// copied runs a program of the tests of copies on one workgroup and returns its output.
func copied(t *testing.T, p *ir.Program, e exec.Engine) []byte {
	t.Helper()
	out := make([]byte, 4*8)
	dispatchOnce(t, p, e, out)
	return out
}

func values(p *ir.Program) int {
	n := 0
	for _, f := range p.Funcs {
		n += len(f.Vals)
	}
	return n
}

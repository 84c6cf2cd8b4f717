package lower

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// argumentModule is a module that passes a struct with an array of n floats by value. load defines %s, the struct, and body
// defines %r, the result of invocation %i.
func argumentModule(n int, load, body string) []byte {
	return []byte(strings.NewReplacer("LENGTH", fmt.Sprint(n), "BYTES", fmt.Sprint(4*n), "LOAD", load, "BODY", body).Replace(`OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %stored ArrayStride 4
OpMemberDecorate %SB 0 Offset 0
OpMemberDecorate %SB 1 Offset BYTES
OpMemberDecorate %In 0 Offset 0
OpDecorate %In Block
OpDecorate %ra ArrayStride 4
OpMemberDecorate %Out 0 Offset 0
OpDecorate %Out Block
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%n = OpConstant %u32 LENGTH
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%f2 = OpConstant %f32 2
%stored = OpTypeArray %f32 %n
%SB = OpTypeStruct %stored %u32
%In = OpTypeStruct %SB
%array = OpTypeArray %f32 %n
%S = OpTypeStruct %array %u32
%null = OpConstantNull %S
%ra = OpTypeRuntimeArray %f32
%Out = OpTypeStruct %ra
%pIn = OpTypePointer StorageBuffer %In
%pSB = OpTypePointer StorageBuffer %SB
%pStored = OpTypePointer StorageBuffer %stored
%pWord = OpTypePointer StorageBuffer %u32
%pOut = OpTypePointer StorageBuffer %Out
%pf = OpTypePointer StorageBuffer %f32
%pId = OpTypePointer Input %u32
%pS = OpTypePointer Function %S
%pF = OpTypePointer Function %f32
%tGet = OpTypeFunction %f32 %S %u32
%tSet = OpTypeFunction %S %S %u32
%id = OpVariable %pId Input
%in = OpVariable %pIn StorageBuffer
%out = OpVariable %pOut StorageBuffer
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %u32 %id
LOADBODY%o = OpAccessChain %pf %out %u0 %i
OpStore %o %r
OpReturn
OpFunctionEnd
%get = OpFunction %f32 None %tGet
%gs = OpFunctionParameter %S
%gi = OpFunctionParameter %u32
%gl = OpLabel
%gv = OpVariable %pS Function
OpStore %gv %gs
%gp = OpAccessChain %pF %gv %u0 %gi
%gr = OpLoad %f32 %gp
%gx = OpCompositeExtract %f32 %gs 0 1
%gsum = OpFAdd %f32 %gr %gx
OpReturnValue %gsum
OpFunctionEnd
%twice = OpFunction %f32 None %tGet
%ts = OpFunctionParameter %S
%ti = OpFunctionParameter %u32
%tl = OpLabel
%t1 = OpFunctionCall %f32 %get %ts %ti
%t2 = OpFunctionCall %f32 %get %ts %u1
%tr = OpFAdd %f32 %t1 %t2
OpReturnValue %tr
OpFunctionEnd
%set = OpFunction %S None %tSet
%ss = OpFunctionParameter %S
%si = OpFunctionParameter %u32
%sl = OpLabel
%sv = OpVariable %pS Function
OpStore %sv %ss
%sp = OpAccessChain %pF %sv %u0 %si
OpStore %sp %f2
%sr = OpLoad %S %sv
OpReturnValue %sr
OpFunctionEnd
`))
}

// TestLargeArguments passes structs with arrays of 10³ to 10⁶ floats, element e of value e mod 1000, to functions and
// returns them by value. The program does not grow with the array, it has no needless copies of the structs, and its results follow from the text of the module. The
// whole set is CHIARO_LONG; by default the largest array is passed once, by the fastest engine.
func TestLargeArguments(t *testing.T) {
	const (
		whole = "%p = OpAccessChain %pSB %in %u0\n%sb = OpLoad %SB %p\n%s = OpCopyLogical %S %sb\n"
		built = "%p = OpAccessChain %pStored %in %u0 %u0\n%ab = OpLoad %stored %p\n%a = OpCopyLogical %array %ab\n" +
			"%q = OpAccessChain %pWord %in %u0 %u1\n%w = OpLoad %u32 %q\n%s = OpCompositeConstruct %S %a %w\n"
		once = "%r = OpFunctionCall %f32 %get %s %i\n"
	)
	long := os.Getenv("CHIARO_LONG") != ""
	for _, k := range []struct {
		name, load, body string
		most             int // elements: each copy needs private memory
		copies           int // of values, apart from parameters and results
		want             func(i int) float32
	}{
		{"an argument", whole, once, 1_000_000, 0, func(i int) float32 { return float32(i + 1) }},
		{"an argument of an argument", whole, "%r = OpFunctionCall %f32 %twice %s %i\n", 100_000, 0, func(i int) float32 { return float32(i + 1 + 2) }},
		{"a struct of an array", built, "%r = OpFunctionCall %f32 %twice %s %i\n", 100_000, 1, func(i int) float32 { return float32(i + 3) }},
		{"null", "%s = OpCopyObject %S %null\n", "%x = OpFunctionCall %f32 %get %null %i\n%y = OpConvertUToF %f32 %i\n%r = OpFAdd %f32 %x %y\n", 60_000, 0, func(i int) float32 { return float32(i) }},
		{"an insertion", whole, "%k = OpCompositeInsert %S %f2 %s 0 1\n%r1 = OpFunctionCall %f32 %get %s %i\n%r2 = OpFunctionCall %f32 %get %k %i\n%r = OpFAdd %f32 %r1 %r2\n", 100_000, 1,
			func(i int) float32 {
				return float32([]int{0 + 1 + 0 + 2, 1 + 1 + 2 + 2, 2 + 1 + 2 + 2, 3 + 1 + 3 + 2}[i])
			}},
		{"results", whole, "%s2 = OpFunctionCall %S %set %s %i\n%s3 = OpFunctionCall %S %set %s2 %u1\n" +
			"%r1 = OpFunctionCall %f32 %get %s2 %i\n%r2 = OpFunctionCall %f32 %get %s3 %u1\n%r = OpFAdd %f32 %r1 %r2\n", 100_000, 2,
			// s2 is s with 2 at i: s2[i] + s2[1]; s3 is s2 with 2 at 1: 2 + 2
			func(i int) float32 {
				second := float32(1)
				if i == 1 {
					second = 2
				}
				return 2 + second + 4
			}},
	} {
		for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
			if n > k.most || n > 10_000 && n != 1_000_000 && !long {
				continue
			}
			p := lowered(t, argumentModule(n, k.load, k.body), facts.Spec{}, Options{})
			if v := values(p); v > 1000 && k.name != "null" {
				t.Errorf("%s, %d elements: %d values", k.name, n, v)
			}
			copies := 0
			for _, v := range p.Vars {
				if v.Name == "value" {
					copies++
				}
			}
			if copies != k.copies {
				t.Errorf("%s, %d elements: %d copies; want %d", k.name, n, copies, k.copies)
			}
			pass.Run(p)
			for e, engine := range engines() {
				if n == 1_000_000 && e != len(engines())-1 && !long {
					continue
				}
				for i, got := range argumentResults(t, p, engine, n) {
					if want := k.want(i); got != want {
						t.Errorf("%s, %d elements, %s: invocation %d is %g, want %g", k.name, n, engine.Name(), i, got, want)
					}
				}
			}
		}
	}
}

// argumentResults runs a program of TestLargeArguments and returns the results of its four invocations.
func argumentResults(t *testing.T, p *ir.Program, e exec.Engine, n int) (results [4]float32) {
	t.Helper()
	prog, err := compute.NewPipeline(p, e, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer prog.Close()
	in, out := make([]byte, 4*n+4), make([]byte, 16)
	for i := range n {
		binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(float32(i%1000)))
	}
	args := compute.Args{Groups: [3]uint32{1, 1, 1}, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: in}}, {Binding: 1}: {{Bytes: out}}}}
	if err := prog.Dispatch(context.Background(), args); err != nil {
		t.Fatal(err)
	}
	for i := range results {
		results[i] = math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:]))
	}
	return results
}

package lower

import (
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
	in, out := make([]byte, 4*n+4), make([]byte, 16)
	for i := range n {
		binary.LittleEndian.PutUint32(in[4*i:], math.Float32bits(float32(i%1000)))
	}
	dispatchOnce(t, p, e, in, out)
	for i := range results {
		results[i] = math.Float32frombits(binary.LittleEndian.Uint32(out[4*i:]))
	}
	return results
}

// forwardedModule passes an array of n words by value through four functions, each of which stores to the variable it was loaded
// from. last is the body of the last function; its argument is %a4.
func forwardedModule(n int, last string) []byte {
	b := strings.Builder{}
	b.WriteString(strings.ReplaceAll(`OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f32 = OpTypeFloat 32
%u32 = OpTypeInt 32 0
%u0 = OpConstant %u32 0
%f1 = OpConstant %f32 1
%f5 = OpConstant %f32 5
%n = OpConstant %u32 LENGTH
%words = OpTypeRuntimeArray %f32
%block = OpTypeStruct %words
%pb = OpTypePointer StorageBuffer %block
%pw = OpTypePointer StorageBuffer %f32
%array = OpTypeArray %f32 %n
%p_array = OpTypePointer Private %array
%p_f32 = OpTypePointer Private %f32
%pId = OpTypePointer Input %u32
%id = OpVariable %pId Input
%out = OpVariable %pb StorageBuffer
%v = OpVariable %p_array Private
%fa = OpTypeFunction %f32 %array
%main = OpFunction %void None %fn
%start = OpLabel
%i = OpLoad %u32 %id
%e = OpAccessChain %p_f32 %v %i
OpStore %e %f5
%a = OpLoad %array %v
%r = OpFunctionCall %f32 %g1 %a
%w = OpAccessChain %pw %out %u0 %i
OpStore %w %r
OpReturn
OpFunctionEnd
`, "LENGTH", fmt.Sprint(n)))
	for k := 1; k <= 4; k++ {
		fmt.Fprintf(&b, "%%g%d = OpFunction %%f32 None %%fa\n%%a%d = OpFunctionParameter %%array\n%%l%d = OpLabel\n", k, k, k)
		body := last
		if k < 4 {
			body = fmt.Sprintf("%%e%d = OpAccessChain %%p_f32 %%v %%u0\nOpStore %%e%d %%f1\n%%r%d = OpFunctionCall %%f32 %%g%d %%a%d\n"+
				"%%x%d = OpCompositeExtract %%f32 %%a%d %d\n%%s%d = OpFAdd %%f32 %%r%d %%x%d\nOpReturnValue %%s%d\n", k, k, k, k+1, k, k, k, k-1, k, k, k, k)
		}
		b.WriteString(body + "OpFunctionEnd\n")
	}
	return []byte(b.String())
}

// TestForwardedArguments: an argument that is in memory is the parameter of a function with one call, so that a chain of calls
// needs one copy. The callee's stores to the variable do not change it, and a function with two calls has two arguments.
func TestForwardedArguments(t *testing.T) {
	const one = "%x4 = OpCompositeExtract %f32 %a4 3\nOpReturnValue %x4\n"
	p := lowered(t, forwardedModule(1_000_000, one), facts.Spec{}, Options{})
	if n := p.PrivateSlots(); n != 2_000_000 {
		t.Errorf("the chain has %d slots; want the variable and one copy", n)
	}
	const two = "%k = OpCompositeInsert %array %f1 %a4 2\n%x4 = OpFunctionCall %f32 %h %a4\n%y4 = OpFunctionCall %f32 %h %k\n" +
		"%z4 = OpFSub %f32 %y4 %x4\nOpReturnValue %z4\nOpFunctionEnd\n%h = OpFunction %f32 None %fa\n%ha = OpFunctionParameter %array\n" +
		"%hl = OpLabel\n%hx = OpCompositeExtract %f32 %ha 2\nOpReturnValue %hx\n"
	for _, c := range []struct {
		last string
		want [4]float32 // element i is 5 in invocation i, the others are 0
	}{
		{one, [4]float32{5, 5, 5, 5}},
		{two, [4]float32{5 + 1, 5 + 1, 5 + 1 - 5, 1}},
	} {
		p := lowered(t, forwardedModule(1000, c.last), facts.Spec{}, Options{})
		pass.Run(p)
		for _, engine := range engines() {
			if got := argumentResults(t, p, engine, 1); got != c.want {
				t.Errorf("%s: %v, want %v", engine.Name(), got, c.want)
			}
		}
	}
}

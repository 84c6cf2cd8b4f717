package oracle

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

const head = `OpCapability Shader
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %floats ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%uvec3 = OpTypeVector %uint 3
%float = OpTypeFloat 32
%vec2 = OpTypeVector %float 2
%floats = OpTypeRuntimeArray %float
%block = OpTypeStruct %floats
%pblock = OpTypePointer StorageBuffer %block
%pfloat = OpTypePointer StorageBuffer %float
%pin = OpTypePointer Input %uvec3
%pu = OpTypePointer Input %uint
%plocal = OpTypePointer Function %float
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u9 = OpConstant %uint 9
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%f3 = OpConstant %float 3
%in = OpVariable %pblock StorageBuffer
%out = OpVariable %pblock StorageBuffer
%id = OpVariable %pin Input
%main = OpFunction %void None %fn
%l = OpLabel
%v = OpVariable %plocal Function
%pi = OpAccessChain %pu %id %u0
%i = OpLoad %uint %pi
%p0 = OpAccessChain %pfloat %in %u0 %u0
%p1 = OpAccessChain %pfloat %in %u0 %u1
%p2 = OpAccessChain %pfloat %in %u0 %u2
%a = OpLoad %float %p0
%b = OpLoad %float %p1
%c = OpLoad %float %p2
%po = OpAccessChain %pfloat %out %u0 %i
`

const tail = `
OpStore %po %r
OpReturn
OpFunctionEnd
`

// runBody runs a body, whose result is %r, on three numbers. The output has a number for each group.
func runBody(t *testing.T, body string, groups uint32, in ...float32) *Result {
	t.Helper()
	return runTo(t, body, groups, int(groups), in...)
}

func runTo(t *testing.T, body string, groups uint32, outputs int, in ...float32) *Result {
	t.Helper()
	return runText(t, head+body+tail, groups, outputs, in...)
}

// runText runs a module in assembly.
func runText(t *testing.T, text string, groups uint32, outputs int, in ...float32) *Result {
	t.Helper()
	return runJob(t, jobOf(t, text, groups, outputs, in...))
}

// runJob runs a dispatch without an error.
func runJob(t *testing.T, j *Job) *Result {
	t.Helper()
	r, err := Run(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// jobOf returns a dispatch of a module in assembly that reads and writes numbers.
func jobOf(t *testing.T, text string, groups uint32, outputs int, in ...float32) *Job {
	t.Helper()
	return dispatchOf(t, text, groups, map[Place][]byte{{0, 0}: floats(in...), {0, 1}: make([]byte, 4*outputs)})
}

// dispatchOf returns a dispatch of a module in assembly with buffers.
func dispatchOf(t *testing.T, text string, groups uint32, buffers map[Place][]byte) *Job {
	t.Helper()
	version, _ := asm.Target("vulkan1.3")
	m := facts.Gather(asmtest.Module(t, text, version), nil)
	return &Job{Module: m, Entry: m.EntryPoint("main", spirv.ExecutionModelGLCompute), Groups: [3]uint32{groups, 1, 1}, Buffers: buffers}
}

func floats(list ...float32) (b []byte) {
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func ulps(v float32, n int) float32 {
	return math.Float32frombits(uint32(int(math.Float32bits(v)) + n))
}

// TestPermitted has results that the specification permits, and others that it does not: of "Precision and Operation of SPIR-V
// Instructions", 32 bits.
func TestPermitted(t *testing.T) {
	third := float32(1.0 / 3)
	nan := float32(math.NaN())
	for _, c := range []struct {
		name, body string
		in         [3]float32
		yes, no    []float32
	}{
		{"a sum is correctly rounded", "%r = OpFAdd %float %a %b", [3]float32{1, 0x1p-25, 0}, []float32{1, 1 + 0x1p-23}, []float32{1 - 0x1p-24, 1 + 0x1p-22, nan}},
		{"an exact sum", "%r = OpFAdd %float %a %b", [3]float32{1, 2, 0}, []float32{3}, []float32{ulps(3, 1), ulps(3, -1)}},
		{"a quotient has 2.5 ULP", "%r = OpFDiv %float %a %b", [3]float32{1, 3, 0}, []float32{third, ulps(third, 2), ulps(third, -2)}, []float32{ulps(third, 4), ulps(third, -4)}},
		// 1 + 2⁻¹² squared is 1 + 2⁻¹¹ + 2⁻²⁴; rounded, the last term is lost or doubled, and fused the difference has it.
		{"a product and a sum may be fused", "%m = OpFMul %float %a %b\n%r = OpFAdd %float %m %c", [3]float32{1 + 0x1p-12, 1 + 0x1p-12, -(1 + 0x1p-11)},
			[]float32{0, 0x1p-24, 0x1p-23}, []float32{-0x1p-24, 0x1p-22}},
		{"a denormal number may be flushed", "%r = OpFMul %float %a %b", [3]float32{0x1p-100, 0x1p-40, 0}, []float32{0, 0x1p-140}, []float32{0x1p-139, -0x1p-140}},
		{"a negation is correct", "%r = OpFNegate %float %a", [3]float32{0.1, 0, 0}, []float32{-0.1}, []float32{0.1, ulps(-0.1, 1)}},
		{"the least of ranges", "%q = OpFDiv %float %a %b\n%r = OpExtInst %float %glsl FMin %q %f1", [3]float32{1, 3, 0}, []float32{third, ulps(third, 1)}, []float32{1, 0}},
		{"a square root of a range", "%q = OpFDiv %float %a %b\n%r = OpExtInst %float %glsl Sqrt %q", [3]float32{1, 4, 0}, []float32{0.5}, []float32{0.51, 0.49, nan}},
		{"no rule for a root of a negative number", "%r = OpExtInst %float %glsl Sqrt %a", [3]float32{-1, 0, 0}, []float32{0, 17, nan}, nil},
		{"a dot product", "%x = OpCompositeConstruct %vec2 %a %b\n%y = OpCompositeConstruct %vec2 %b %c\n%r = OpDot %float %x %y", [3]float32{1, 2, 3}, []float32{8}, []float32{9, 7}},
		{"a variable keeps its value", "OpStore %v %a\n%r = OpLoad %float %v", [3]float32{0.3, 0, 0}, []float32{0.3}, []float32{ulps(0.3, 1)}},
		{"a variable without a store has any value", "%r = OpLoad %float %v", [3]float32{}, []float32{0, 5, nan}, nil},
		{"a load out of range has any value", "%p9 = OpAccessChain %pfloat %in %u0 %u9\n%r = OpLoad %float %p9", [3]float32{}, []float32{0, 5, nan}, nil},
		{"a selection by a known comparison", "%t = OpFOrdLessThan %bool %a %b\n%r = OpSelect %float %t %f1 %f3", [3]float32{1, 2, 0}, []float32{1}, []float32{3}},
		{"a selection by an open comparison", "%q = OpFDiv %float %a %b\n%t = OpFOrdLessThan %bool %q %c\n%r = OpSelect %float %t %f1 %f3", [3]float32{1, 3, third}, []float32{1, 3}, []float32{0.5, 4}},
		{"conversions", "%n = OpConvertFToS %int %a\n%m = OpIAdd %int %n %n\n%r = OpConvertSToF %float %m", [3]float32{-3.75, 0, 0}, []float32{-6}, []float32{-7, -8}},
		{"a conversion out of range has any value", "%n = OpConvertFToS %int %a\n%r = OpConvertSToF %float %n", [3]float32{1e20, 0, 0}, []float32{0, -6}, nil},
		{"a division of integers by 0 has any value", "%n = OpUDiv %uint %u1 %u0\n%r = OpConvertUToF %float %n", [3]float32{}, []float32{0, 5}, nil},
		{"a loop", "OpStore %v %f0\nOpBranch %h\n%h = OpLabel\n%k = OpPhi %uint %u0 %l %k1 %h\n%o = OpLoad %float %v\n%s = OpFAdd %float %o %a\nOpStore %v %s\n" +
			"%k1 = OpIAdd %uint %k %u1\n%t = OpULessThan %bool %k1 %u9\nOpLoopMerge %e %h None\nOpBranchConditional %t %h %e\n%e = OpLabel\n%r = OpLoad %float %v",
			[3]float32{0.5, 0, 0}, []float32{4.5}, []float32{4, 5}},
	} {
		r := runBody(t, c.body, 1, c.in[:]...)
		if r.Undecided != "" {
			t.Errorf("%s: undecided: %s", c.name, r.Undecided)
			continue
		}
		judge := func(v float32) bool {
			return len(r.Judge(map[Place][]byte{{0, 0}: floats(c.in[:]...), {0, 1}: floats(v)})) == 0
		}
		for _, v := range c.yes {
			if !judge(v) {
				t.Errorf("%s: %v is not permitted", c.name, v)
			}
		}
		for _, v := range c.no {
			if judge(v) {
				t.Errorf("%s: %v is permitted", c.name, v)
			}
		}
	}
}

// TestUndecided has dispatches that permit any content, each with its reason.
func TestUndecided(t *testing.T) {
	for body, why := range map[string]string{
		"%q = OpFDiv %float %a %b\n%t = OpFOrdLessThan %bool %q %c\nOpSelectionMerge %e None\nOpBranchConditional %t %x %e\n%x = OpLabel\nOpBranch %e\n%e = OpLabel\n%r = OpCopyObject %float %a": "a branch on a value with several permitted outcomes",
		"OpControlBarrier %u1 %u1 %u0\n%r = OpCopyObject %float %a":                                                 "OpControlBarrier",
		"OpBranch %h\n%h = OpLabel\nOpLoopMerge %e %h None\nOpBranch %h\n%e = OpLabel\n%r = OpCopyObject %float %a": "executions of instructions",
		"%r = OpCopyObject %float %a\nOpStore %p0 %f1":                                                              "a store to a location that another invocation loads",
	} {
		r := runBody(t, body, 2, 1, 3, float32(1.0/3))
		if !strings.Contains(r.Undecided, why) {
			t.Errorf("%s\nundecided: %q; must contain %q", body, r.Undecided, why)
		}
		if list := r.Judge(map[Place][]byte{{0, 1}: floats(17, 18)}); len(list) > 0 {
			t.Errorf("%s\nviolations %v", body, list)
		}
	}
}

// TestViolations checks the order of violations, and bytes that no invocation stores.
func TestViolations(t *testing.T) {
	r := runTo(t, "%q = OpFAdd %float %a %b\n%po2 = OpAccessChain %pfloat %out %u0 %u2\nOpStore %po2 %q\n%r = OpFMul %float %a %b", 1, 3, 2, 3, 0)
	if r.Judge(nil) != nil {
		t.Error("no contents have violations")
	}
	list := r.Judge(map[Place][]byte{{0, 1}: floats(1, 2, 4)})
	if len(list) != 3 || list[0].Offset != 8 || list[1].Offset != 0 || list[2].Offset != 4 || list[0].At >= list[1].At || list[2].At != 0 {
		t.Errorf("violations %+v", list)
	}
}

// TestText checks that numbers are shown as the type of the shader has them.
func TestText(t *testing.T) {
	for _, c := range []struct {
		p    Permitted
		want string
	}{
		{Permitted{Size: 4, Signed: true, Number: Number{Bits: 0xfffffff9}}, "-7"},
		{Permitted{Size: 4, Number: Number{Bits: 0xfffffff9}}, "4294967289"},
		{Permitted{Size: 1, Signed: true, Number: Number{Bits: 0x80}}, "-128"},
		{Permitted{Size: 8, Signed: true, Number: Number{Bits: math.MaxUint64}}, "-1"},
		{Permitted{Size: 4, Float: true, Number: point(float64(float32(0.1)))}, "0.1"},
	} {
		if got := c.p.String(); got != c.want {
			t.Errorf("%+v is %s; must be %s", c.p, got, c.want)
		}
	}
}

package oracle

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// groupHead declares a workgroup of 4 invocations, workgroup memory s, and a buffer b.
const groupHead = `OpCapability Shader
OpCapability AtomicFloat32AddEXT
OpExtension "SPV_EXT_shader_atomic_float_add"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
`

// runGroup runs a body of workgroups on words of a type: "uint" or "float".
func runGroup(t *testing.T, typ, body string, groups uint32, words ...uint32) *Result {
	t.Helper()
	return runGroupText(t, groupHead+groupBody(typ, body), groups, words...)
}

// groupBody returns the rest of the module after groupHead.
func groupBody(typ, body string) string {
	return strings.ReplaceAll(`%array = OpTypeRuntimeArray %T
%block = OpTypeStruct %array
%u4 = OpConstant %uint 4
%four = OpTypeArray %T %u4
%pblock = OpTypePointer StorageBuffer %block
%pb = OpTypePointer StorageBuffer %T
%pfour = OpTypePointer Workgroup %four
%ps = OpTypePointer Workgroup %T
%pin = OpTypePointer Input %uint
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u72 = OpConstant %uint 72
%u264 = OpConstant %uint 264
%b = OpVariable %pblock StorageBuffer
%s = OpVariable %pfour Workgroup
%index = OpVariable %pin Input
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %uint %index
%j = OpISub %uint %u3 %i
%own = OpAccessChain %pb %b %u0 %i
%other = OpAccessChain %pb %b %u0 %j
%first = OpAccessChain %pb %b %u0 %u0
%si = OpAccessChain %ps %s %i
%sj = OpAccessChain %ps %s %j
`, "%T", "%"+typ) + body + "\nOpReturn\nOpFunctionEnd\n"
}

func runGroupText(t *testing.T, text string, groups uint32, words ...uint32) *Result {
	t.Helper()
	var data []byte
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return runJob(t, dispatchOf(t, text, groups, map[Place][]byte{{}: data}))
}

// TestGroups has the permitted values of the numbers of the buffer after a dispatch. The barrier with the semantics 264 (AcquireRelease,
// WorkgroupMemory) orders accesses of workgroup memory; with 72 (AcquireRelease, UniformMemory) those of buffers.
func TestGroups(t *testing.T) {
	const swap = "%v = OpLoad %uint %own\nOpStore %si %v\nBARRIER%w = OpLoad %uint %sj\n"
	for _, c := range []struct {
		name, typ, body string
		groups          uint32
		words           []uint32
		want            []string // by number; "" if the result is not decided
	}{
		{"a barrier of workgroup memory", "uint", strings.Replace(swap, "BARRIER", "OpControlBarrier %u2 %u2 %u264\n", 1) + "OpStore %own %w", 1, []uint32{1, 2, 3, 4}, []string{"4", "3", "2", "1"}},
		{"no barrier: the other has stored, or not", "uint", strings.Replace(swap, "BARRIER", "", 1) + "OpStore %own %w", 1, []uint32{1, 2, 3, 4}, nil},
		{"a barrier of other memory", "uint", strings.Replace(swap, "BARRIER", "OpControlBarrier %u2 %u2 %u72\n", 1) + "OpStore %own %w", 1, []uint32{1, 2, 3, 4}, nil},
		{"a barrier of buffers", "uint", "%v = OpLoad %uint %other\nOpControlBarrier %u2 %u2 %u72\nOpStore %own %v", 1, []uint32{1, 2, 3, 4}, []string{"4", "3", "2", "1"}},
		{"a barrier that does not order buffers", "uint", "%v = OpLoad %uint %other\nOpControlBarrier %u2 %u2 %u264\nOpStore %own %v", 1, []uint32{1, 2, 3, 4}, nil},
		{"a barrier does not order groups", "uint", "%v = OpLoad %uint %other\nOpControlBarrier %u2 %u2 %u72\nOpStore %own %v", 2, []uint32{1, 2, 3, 4}, nil},
		{"a sum of integers", "uint", "%v = OpAtomicIAdd %uint %first %u1 %u0 %i", 3, []uint32{5, 6}, []string{"23"}},
		{"a greatest number", "uint", "%v = OpAtomicUMax %uint %first %u1 %u0 %i", 2, []uint32{2, 6}, []string{"3"}},
		{"atomics of workgroup memory between barriers", "uint", "OpStore %si %i\nOpControlBarrier %u2 %u2 %u264\n%z = OpAccessChain %ps %s %u0\n" +
			"%v = OpAtomicIAdd %uint %z %u1 %u0 %i\nOpControlBarrier %u2 %u2 %u264\n%w = OpLoad %uint %z\nOpStore %own %w", 1, []uint32{9, 9, 9, 9}, []string{"6", "6", "6", "6"}},
		{"an atomic without a barrier before it", "uint", "OpStore %si %i\n%z = OpAccessChain %ps %s %u0\n" +
			"%v = OpAtomicIAdd %uint %z %u1 %u0 %i\nOpControlBarrier %u2 %u2 %u264\n%w = OpLoad %uint %z\nOpStore %own %w", 1, []uint32{9, 9, 9, 9}, nil},
		{"a load of a sum without a barrier", "uint", "%v = OpAtomicIAdd %uint %first %u1 %u0 %u1\n%w = OpLoad %uint %first\n%k = OpIAdd %uint %i %u1\n" +
			"%p = OpAccessChain %pb %b %u0 %k\nOpStore %p %w", 1, []uint32{0, 9, 9, 9, 9}, nil},
		{"atomics of two kinds", "uint", "%v = OpAtomicUMax %uint %first %u1 %u0 %i\n%w = OpAtomicIAdd %uint %first %u1 %u0 %i", 1, []uint32{2, 6}, []string{"any value"}},
		{"the value of an atomic", "uint", "%v = OpAtomicIAdd %uint %first %u1 %u0 %u1\n%k = OpIAdd %uint %i %u1\n%p = OpAccessChain %pb %b %u0 %k\nOpStore %p %v", 1,
			[]uint32{0, 9, 9, 9, 9}, []string{"4", "any value", "any value", "any value", "any value"}},
	} {
		r := runGroup(t, c.typ, c.body, c.groups, c.words...)
		if (r.Undecided == "") != (c.want != nil) {
			open := r.Undecided != ""
			if !open { // decided, and any value
				list, _ := r.Permitted(Place{})
				for _, p := range list {
					open = open || p.Any
				}
			}
			if open != (c.want == nil) {
				t.Errorf("%s: undecided: %q", c.name, r.Undecided)
			}
			continue
		}
		list, _ := r.Permitted(Place{})
		for i, want := range c.want {
			if got := list[i].String(); got != want {
				t.Errorf("%s: number %d: %s; must be %s", c.name, i, got, want)
			}
		}
	}
}

// TestFloatAtomics: four times 0.1 in any order. The sums 0.4 and its neighbor are results of correct rounding; 0.5 is not.
func TestFloatAtomics(t *testing.T) {
	bits := math.Float32bits
	r := runGroup(t, "float", "%c = OpLoad %float %own\n%t = OpAccessChain %pb %b %u0 %u4\n%v = OpAtomicFAddEXT %float %t %u1 %u0 %c", 1,
		bits(0.1), bits(0.1), bits(0.1), bits(0.1), 0)
	list, any := r.Permitted(Place{})
	if any || len(list) != 5 {
		t.Fatalf("%s, %v", r.Undecided, list)
	}
	for _, v := range []float32{0.4, 0.40000004, 0.3, 0.5} {
		content := binary.LittleEndian.AppendUint32(nil, bits(v))
		if p := list[4]; p.Has(content) != (v > 0.39 && v < 0.41) {
			t.Errorf("%v: permitted are %s", v, p.String())
		}
	}
}

// TestDenormalAtomics: the least of 2⁻¹⁴⁰ and 1 may be flushed to 0, since atomics are not among the instructions that "must not flush
// denormalized values".
func TestDenormalAtomics(t *testing.T) {
	bits := math.Float32bits
	head := strings.NewReplacer("AtomicFloat32AddEXT", "AtomicFloat32MinMaxEXT", "SPV_EXT_shader_atomic_float_add", "SPV_EXT_shader_atomic_float_min_max").Replace(groupHead)
	r := runGroupText(t, head+groupBody("float", "%c = OpLoad %float %own\n%t = OpAccessChain %pb %b %u0 %u4\n%v = OpAtomicFMinEXT %float %t %u1 %u0 %c"), 1,
		bits(1), bits(1), bits(1), bits(0x1p-140), bits(2))
	for v, permitted := range map[float32]bool{0: true, 0x1p-140: true, 1: false, -1: false} {
		list, any := r.Permitted(Place{})
		if any || len(list) != 5 || list[4].Has(binary.LittleEndian.AppendUint32(nil, bits(v))) != permitted {
			t.Errorf("%v: permitted %v, %s; must be %v", v, list, r.Undecided, permitted)
		}
	}
}

// TestVulkanMemoryModel: "Private" accesses, those without NonPrivatePointer, are not ordered by barriers, and the accesses or the barrier
// have to make stores available and visible: semantics 24840 is AcquireRelease, WorkgroupMemory, MakeAvailable, MakeVisible.
func TestVulkanMemoryModel(t *testing.T) {
	head := strings.Replace(groupHead, "OpCapability AtomicFloat32AddEXT", "OpCapability VulkanMemoryModel\nOpCapability AtomicFloat32AddEXT", 1)
	head = strings.Replace(head, "Logical GLSL450", "Logical Vulkan", 1)
	head = strings.Replace(head, " %index\n", " %index %s %b\n", 1)
	const swap = "%v = OpLoad %uint %own\nOpStore %si %v STORE\nOpControlBarrier %u2 %u2 SEMANTICS\n%w = OpLoad %uint %sj LOAD\nOpStore %own %w"
	for _, c := range []struct {
		store, load, semantics string
		open                   bool
	}{
		{"NonPrivatePointer", "NonPrivatePointer", "%u24840", false},
		{"", "NonPrivatePointer", "%u24840", true},
		{"NonPrivatePointer", "", "%u24840", true},
		{"NonPrivatePointer", "NonPrivatePointer", "%u264", true},
		{"MakePointerAvailable|NonPrivatePointer %u2", "MakePointerVisible|NonPrivatePointer %u2", "%u264", false},
		{"Aligned|MakePointerAvailable|NonPrivatePointer 4 %u2", "Aligned|MakePointerVisible|NonPrivatePointer 4 %u2", "%u264", false},
		{"MakePointerAvailable|NonPrivatePointer %u3", "MakePointerVisible|NonPrivatePointer %u2", "%u264", true},
	} {
		text := strings.NewReplacer("%u72 =", "%u24840 = OpConstant %uint 24840\n%u72 =", "STORE", c.store, "LOAD", c.load, "SEMANTICS", c.semantics).Replace(groupBody("uint", swap))
		r := runGroupText(t, head+text, 1, 1, 2, 3, 4)
		list, any := r.Permitted(Place{})
		for _, p := range list {
			any = any || p.Any
		}
		if any != c.open {
			t.Errorf("%+v: permitted %v, undecided %q", c, list, r.Undecided)
		}
	}
}

// TestOpaque checks that results which the implementation chooses permit any value, and that other numbers keep their values.
func TestOpaque(t *testing.T) {
	for _, c := range []struct {
		name, body string
		any        bool // the numbers of the buffer may have any value
	}{
		{"exchange", "%x = OpAtomicExchange %uint %own %u1 %u0 %u3\n", true},
		{"exchange of another word", "%word = OpAccessChain %pb %b %u0 %u4\n%x = OpAtomicExchange %uint %word %u1 %u0 %u3\nOpStore %own %u2\n", false},
		{"result of an exchange", "%word = OpAccessChain %pb %b %u0 %u4\n%x = OpAtomicCompareExchange %uint %word %u1 %u0 %u0 %u3 %u0\nOpStore %own %x\n", true},
		{"exchange and an ordered store", "%x = OpAtomicExchange %uint %own %u1 %u0 %u3\nOpControlBarrier %u2 %u2 %u72\nOpStore %own %u2\n", false},
		{"atomic store", "OpAtomicStore %own %u1 %u0 %u3\n", true},
		{"atomic load", "%word = OpAccessChain %pb %b %u0 %u4\n%x = OpAtomicLoad %uint %word %u1 %u0\nOpStore %own %x\n", true},
		{"group operation", "%x = OpGroupNonUniformIAdd %uint %u3 Reduce %i\nOpStore %own %x\n", true},
		{"group operation that is not stored", "%x = OpGroupNonUniformIAdd %uint %u3 Reduce %i\nOpStore %own %u2\n", false},
		{"texel", "%p = OpLoad %image %picture\n%x4 = OpImageRead %uvec4 %p %at\n%x = OpCompositeExtract %uint %x4 0\nOpStore %own %x\n", true},
		{"written texel", "%p = OpLoad %image %picture\nOpImageWrite %p %at %texel\nOpStore %own %u2\n", false},
	} {
		const image = "%uvec2 = OpTypeVector %uint 2\n%uvec4 = OpTypeVector %uint 4\n%image = OpTypeImage %uint 2D 0 0 0 2 R32ui\n" +
			"%pimage = OpTypePointer UniformConstant %image\n%picture = OpVariable %pimage UniformConstant\n" +
			"%at = OpConstantComposite %uvec2 %u1 %u1\n%texel = OpConstantComposite %uvec4 %u1 %u1 %u1 %u1\n%main = OpFunction"
		text := strings.Replace(groupHead, "OpMemoryModel", "OpCapability GroupNonUniformArithmetic\nOpMemoryModel", 1)
		text = strings.Replace(text, "OpDecorate %b B", "OpDecorate %picture DescriptorSet 0\nOpDecorate %picture Binding 1\nOpDecorate %b B", 1)
		text += strings.Replace(groupBody("uint", c.body), "%main = OpFunction", image, 1)
		r := runGroupText(t, text, 1, 9, 9, 9, 9, 9)
		if r.Undecided != "" {
			t.Errorf("%s: undecided: %s", c.name, r.Undecided)
			continue
		}
		list, _ := r.Permitted(Place{0, 0})
		for _, p := range list[:4] {
			if p.Any != c.any || !c.any && p.Bits != 2 {
				t.Errorf("%s: permitted %s; must be any value: %t", c.name, p.String(), c.any)
			}
		}
	}
}

package vk

import (
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// passedObjects passes untyped pointers to a function, each into the descriptor heap or to images of a binding: to an array, of which the
// function selects an element, by way of another function and of a variable; and to an image. y has the first texels.
const passedObjects = `OpCapability Shader
OpCapability SampledBuffer
OpCapability UntypedPointersKHR
OpCapability VariablePointers
OpCapability DescriptorHeapEXT
OpExtension "SPV_EXT_descriptor_heap"
OpExtension "SPV_KHR_untyped_pointers"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %heap %bound %y %local
OpExecutionMode %main LocalSize SIZE 1 1
OpDecorate %local BuiltIn LocalInvocationIndex
OpDecorate %heap BuiltIn ResourceHeapEXT
OpDecorate %images ArrayStride 64
OpDecorate %bound DescriptorSet 0
OpDecorate %bound Binding 0
OpDecorate %y DescriptorSet 0
OpDecorate %y Binding 1
OpDecorate %floats ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u6 = OpConstant %uint 6
%u9 = OpConstant %uint 9
%zero = OpConstant %int 0
%image = OpTypeImage %float Buffer 0 0 0 1 Unknown
%images = OpTypeArray %image %u2
%pair = OpTypeArray %image %u2
%toimages = OpTypePointer UniformConstant %pair
%ptr = OpTypeUntypedPointerKHR UniformConstant
%fetch = OpTypeFunction %float %ptr
%pick = OpTypeFunction %float %ptr %uint
%floats = OpTypeRuntimeArray %float
%block = OpTypeStruct %floats
%toblock = OpTypePointer StorageBuffer %block
%tofloat = OpTypePointer StorageBuffer %float
%toindex = OpTypePointer Input %uint
%heap = OpUntypedVariableKHR %ptr UniformConstant
%bound = OpVariable %toimages UniformConstant
%y = OpVariable %toblock StorageBuffer
%local = OpVariable %toindex Input
%get = OpFunction %float None %fetch
%p = OpFunctionParameter %ptr
%get0 = OpLabel
%i = OpLoad %image %p
%texel = OpImageFetch %vec4 %i %zero
%x = OpCompositeExtract %float %texel 0
OpReturnValue %x
OpFunctionEnd
%select = OpFunction %float None %pick
%q = OpFunctionParameter %ptr
%n = OpFunctionParameter %uint
%select0 = OpLabel
%element = OpUntypedAccessChainKHR %ptr %images %q %n
%picked = OpFunctionCall %float %get %element
OpReturnValue %picked
OpFunctionEnd
%main = OpFunction %void None %fn
%entry = OpLabel
%k = OpLoad %uint %local
%far = OpUntypedAccessChainKHR %ptr %images %heap %u1
%a = OpFunctionCall %float %select %far %k
%all = OpUntypedAccessChainKHR %ptr %images %bound
%b = OpFunctionCall %float %select %all %k
%one = OpUntypedAccessChainKHR %ptr %images %bound %k
%c = OpFunctionCall %float %get %one
%at0 = OpAccessChain %tofloat %y %u0 %k
OpStore %at0 %a
%k1 = OpIAdd %uint %k %u3
%at1 = OpAccessChain %tofloat %y %u0 %k1
OpStore %at1 %b
%k2 = OpIAdd %uint %k %u6
%at2 = OpAccessChain %tofloat %y %u0 %k2
OpStore %at2 %c
OpReturn
OpFunctionEnd
`

// TestPassedObjects checks that a function reads the object of each untyped pointer that calls pass (SPV_KHR_untyped_pointers,
// SPV_EXT_descriptor_heap). An element beyond the array of a binding is no descriptor. Sanitizers report the same as without calls: nothing
// for descriptors that are valid.
func TestPassedObjects(t *testing.T) {
	format := formatOf(t, "R32_SFLOAT")
	for _, c := range []struct {
		size     string
		sanitize Sanitizers
		want     []float32
	}{
		{"3", 0, []float32{2, 4, 6, 6, 2, 0, 6, 2, 0}},
		{"2", SanitizeBounds, []float32{2, 4, -1, 6, 2, -1, 6, 2, -1}},
	} {
		var found []string
		r := newMemoryRigOf(t, DeviceInfo{Sanitize: c.sanitize, Reports: func(x Report) { found = append(found, x.Rule+": "+x.Message) }})
		for at, i := range map[uint64]uint64{64: 2, 128: 4, 192: 6, 1024: 6, 1088: 2} { // element i of x, which is i
			info := DescriptorInfo{Type: imageSet[0].Type, Address: r.xAt + i*4, Range: 4, Format: format}
			if err := r.dev.WriteDescriptor(r.bytes[at:], info); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.dev.WriteDescriptor(r.bytes[2048:], DescriptorInfo{Type: storage, Address: r.yAt, Range: 64}); err != nil {
			t.Fatal(err)
		}
		maps := []Mapping{
			{Mapping: link.Mapping{Source: enum.MappingSourceHeapWithConstantOffset, HeapOffset: 1024, HeapArrayStride: 64}},
			{Mapping: link.Mapping{First: 1, Source: enum.MappingSourceHeapWithConstantOffset, HeapOffset: 2048}},
		}
		shader := code(t, strings.Replace(passedObjects, "SIZE", c.size, 1))
		p := must(r.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap}, Stage: StageInfo{Code: shader, Mappings: maps}}))(t)
		for i := range c.want {
			r.put(64, i, -1)
		}
		if err := r.submit(t, r.record(t, func(c *CommandBuffer) {
			c.BindPipeline(p)
			c.BindResourceHeap(HeapRange{r.address, 4096})
			c.Dispatch(1, 1, 1)
		})); err != nil {
			t.Fatal(err)
		}
		var got []float32
		for i := range c.want {
			got = append(got, r.get(64, i))
		}
		if !slices.Equal(got, c.want) || len(found) > 0 {
			t.Errorf("%s invocations: y = %v and the reports %q; must be %v and none", c.size, got, found, c.want)
		}
	}
}

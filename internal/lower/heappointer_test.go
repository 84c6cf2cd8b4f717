package lower

import (
	"errors"
	"testing"
)

// TestUntypedObjectPointer checks that an untyped pointer to a bound image, which a call passes where others are into the descriptor heap, is
// a feature that is missing: SPV_KHR_untyped_pointers permits it, so the module is not at fault.
func TestUntypedObjectPointer(t *testing.T) {
	const text = `OpCapability Shader
OpCapability SampledBuffer
OpCapability UntypedPointersKHR
OpCapability DescriptorHeapEXT
OpExtension "SPV_EXT_descriptor_heap"
OpExtension "SPV_KHR_untyped_pointers"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %heap %bound
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %heap BuiltIn ResourceHeapEXT
OpDecorateId %images ArrayStrideIdEXT %size
OpDecorate %bound Binding 0
OpDecorate %bound DescriptorSet 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%vec = OpTypeVector %uint 4
%image = OpTypeImage %uint Buffer 0 0 0 1 Unknown
%toimage = OpTypePointer UniformConstant %image
%ptr = OpTypeUntypedPointerKHR UniformConstant
%fetch = OpTypeFunction %uint %ptr
%zero = OpConstant %uint 0
%size = OpConstantSizeOfEXT %uint %image
%images = OpTypeRuntimeArray %image
%heap = OpUntypedVariableKHR %ptr UniformConstant
%bound = OpVariable %toimage UniformConstant
%get = OpFunction %uint None %fetch
%p = OpFunctionParameter %ptr
%body = OpLabel
%i = OpLoad %image %p
%v = OpImageFetch %vec %i %zero
%x = OpCompositeExtract %uint %v 0
OpReturnValue %x
OpFunctionEnd
%main = OpFunction %void None %fn
%entry = OpLabel
%a = OpUntypedAccessChainKHR %ptr %images %heap %zero
%ra = OpFunctionCall %uint %get %a
%b = OpUntypedAccessChainKHR %ptr %image %bound
%rb = OpFunctionCall %uint %get %b
OpReturn
OpFunctionEnd
`
	_, err := stage(t, []byte(text), nil, Options{Descriptors: InHeaps})
	var u *Unsupported
	if !errors.As(err, &u) {
		t.Errorf("error %v; want a missing feature", err)
	}
}

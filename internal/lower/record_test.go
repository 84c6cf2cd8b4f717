package lower

import (
	"errors"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// TestRecordLength checks that the length of an array is a feature that is missing, not a fault of the module, if the address of its block
// is in the shader record, and that it is known if the block has a descriptor in a heap (VkDescriptorSetAndBindingMappingEXT).
func TestRecordLength(t *testing.T) {
	const text = `OpCapability RayTracingKHR
OpExtension "SPV_KHR_ray_tracing"
OpMemoryModel Logical GLSL450
OpEntryPoint RayGenerationKHR %main "main" %buffer
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 1
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%toblock = OpTypePointer StorageBuffer %block
%toword = OpTypePointer StorageBuffer %uint
%buffer = OpVariable %toblock StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%n = OpArrayLength %uint %buffer 0
%at = OpAccessChain %toword %buffer %zero %zero
OpStore %at %n
OpReturn
OpFunctionEnd
`
	for source, missing := range map[RecordSource]bool{RecordIndex: false, RecordAddress: true, RecordData: true} {
		_, err := stage(t, []byte(text), nil, Options{
			Descriptors: InHeaps, Records: []RecordMapping{{First: 1, Count: 1, Types: enum.ResourceTypesAll, Source: source}},
		})
		var u *Unsupported
		if missing != errors.As(err, &u) || !missing && err != nil {
			t.Errorf("source %d has the error %v; a missing feature must be %t", source, err, missing)
		}
	}
}

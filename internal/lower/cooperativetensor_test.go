package lower

import (
	"encoding/binary"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
)

// largeTensor copies 64×64 numbers, all of which one lane holds, from row 10 and column 10 of a tensor of 70×70.
const largeTensor = `OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpCapability TensorAddressingNV
OpCapability CooperativeMatrixTensorAddressingNV
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %in %out
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
OpDecorate %words ArrayStride 4
OpDecorate %S Block
OpMemberDecorate %S 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%n0 = OpConstant %u32 0
%n1 = OpConstant %u32 1
%n2 = OpConstant %u32 2
%n7 = OpConstant %u32 7
%n10 = OpConstant %u32 10
%n64 = OpConstant %u32 64
%n70 = OpConstant %u32 70
%words = OpTypeRuntimeArray %u32
%S = OpTypeStruct %words
%pS = OpTypePointer StorageBuffer %S
%pwords = OpTypePointer StorageBuffer %words
%in = OpVariable %pS StorageBuffer
%out = OpVariable %pS StorageBuffer
%M = OpTypeCooperativeMatrixKHR %u32 %n2 %n64 %n64 %n2
%null = OpConstantNull %M
%tl = OpTypeTensorLayoutNV %n2 %n1
%main = OpFunction %void None %fn
%l = OpLabel
%from = OpAccessChain %pwords %in %n0
%to = OpAccessChain %pwords %out %n0
%t = OpCreateTensorLayoutNV %tl
%t0 = OpTensorLayoutSetDimensionNV %tl %t %n70 %n70
%t1 = OpTensorLayoutSetClampValueNV %tl %t0 %n7
%t2 = OpTensorLayoutSliceNV %tl %t1 %n10 %n64 %n10 %n64
%t3 = OpTensorLayoutSetDimensionNV %tl %t %n64 %n64
%x = OpCooperativeMatrixLoadTensorNV %M %from %null %t2 None None
OpCooperativeMatrixStoreTensorNV %to %x %t3 None None
OpReturn
OpFunctionEnd
`

// TestLargeTensor copies a matrix through tensor layouts: elements outside of the tensor have the clamp value, and the
// code of each component is short.
func TestLargeTensor(t *testing.T) {
	const size, first, side, clamp = 70, 10, 64, 7
	in := make([]byte, 4*size*size)
	value := func(row, column int) uint32 { return uint32(1000*row + column) }
	for i := range size * size {
		binary.LittleEndian.PutUint32(in[4*i:], value(i/size, i%size))
	}
	p := passed(t, []byte(largeTensor), facts.Spec{}, Options{})
	if n := operations(p); n > 6*side*side {
		t.Errorf("%d operations", n)
	}
	for _, e := range engines() {
		out := make([]byte, 4*side*side)
		dispatchOnce(t, p, e, in, out)
		for i := range side * side {
			want, row, column := uint32(clamp), i/side+first, i%side+first
			if row < size && column < size {
				want = value(row, column)
			}
			if got := binary.LittleEndian.Uint32(out[4*i:]); got != want {
				t.Fatalf("%s: component %d is %d, want %d", e.Name(), i, got, want)
			}
		}
	}
}

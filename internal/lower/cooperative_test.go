package lower

import (
	"strings"
	"testing"
)

// cooperativeHead has a matrix of 4×6 numbers in each use, a vector of 8
// numbers, and where they are loaded from.
const cooperativeHead = `OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpCapability CooperativeVectorNV
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %buf
OpExecutionMode %main LocalSize 16 1 1
OpDecorate %ra ArrayStride 4
OpDecorate %S Block
OpMemberDecorate %S 0 Offset 0
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%no = OpConstantFalse %bool
%yes = OpConstantTrue %bool
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%n0 = OpConstant %u32 0
%n1 = OpConstant %u32 1
%n2 = OpConstant %u32 2
%n3 = OpConstant %u32 3
%n4 = OpConstant %u32 4
%n5 = OpConstant %u32 5
%n6 = OpConstant %u32 6
%n8 = OpConstant %u32 8
%n200 = OpConstant %u32 200
%ra = OpTypeRuntimeArray %f32
%S = OpTypeStruct %ra
%pS = OpTypePointer StorageBuffer %S
%pra = OpTypePointer StorageBuffer %ra
%pf = OpTypePointer StorageBuffer %f32
%pa = OpTypePointer PhysicalStorageBuffer %f32
%buf = OpVariable %pS StorageBuffer
%acc = OpTypeCooperativeMatrixKHR %f32 %n3 %n4 %n6 %n2
%A = OpTypeCooperativeMatrixKHR %f32 %n3 %n4 %n6 %n0
%B = OpTypeCooperativeMatrixKHR %f32 %n3 %n4 %n6 %n1
%turned = OpTypeCooperativeMatrixKHR %f32 %n3 %n6 %n4 %n0
%big = OpTypeCooperativeMatrixKHR %f32 %n3 %n200 %n200 %n2
%n255 = OpConstant %u32 255
%huge = OpTypeCooperativeMatrixKHR %f32 %n3 %n255 %n255 %n2
%zhuge = OpConstantNull %huge
%bigA = OpTypeCooperativeMatrixKHR %f32 %n3 %n200 %n200 %n0
%zacc = OpConstantNull %acc
%wide = OpTypeCooperativeMatrixKHR %f32 %n2 %n4 %n6 %n2
%zwide = OpConstantNull %wide
%zA = OpConstantNull %A
%B66 = OpTypeCooperativeMatrixKHR %f32 %n3 %n6 %n6 %n1
%zB = OpConstantNull %B66
%zbig = OpConstantNull %big
%v8 = OpTypeVectorIdEXT %f32 %n8
%v200 = OpTypeVectorIdEXT %f32 %n200
%z8 = OpConstantNull %v8
%z200 = OpConstantNull %v200
%a8 = OpTypeArray %f32 %n8
%a200 = OpTypeArray %u32 %n200
%za8 = OpConstantNull %a8
%za200 = OpConstantNull %a200
%tl = OpTypeTensorLayoutNV %n2 %n1
%tl5 = OpTypeTensorLayoutNV %n5 %n1
%tv = OpTypeTensorViewNV %n2 %no %n1 %n1
%tv1 = OpTypeTensorViewNV %n1 %no %n0
%arr2 = OpTypeArray %u32 %n2
%fcomb = OpTypeFunction %f32 %f32 %f32
%fone = OpTypeFunction %f32 %f32
%fdec = OpTypeFunction %f32 %pa %arr2 %arr2
%main = OpFunction %void None %fn
%entry = OpLabel
%arr = OpAccessChain %pra %buf %n0
`

const cooperativeTail = `
OpReturn
OpFunctionEnd
%comb = OpFunction %f32 None %fcomb
%ca = OpFunctionParameter %f32
%cb = OpFunctionParameter %f32
%cl = OpLabel
OpReturnValue %ca
OpFunctionEnd
%one = OpFunction %f32 None %fone
%oa = OpFunctionParameter %f32
%ol = OpLabel
OpReturnValue %oa
OpFunctionEnd
%dec = OpFunction %f32 None %fdec
%da = OpFunctionParameter %pa
%db = OpFunctionParameter %arr2
%dd = OpFunctionParameter %arr2
%dl = OpLabel
%dr = OpLoad %f32 %da Aligned 4
OpReturnValue %dr
OpFunctionEnd
`

// TestCooperativeRefusals checks that lowering refuses instructions on cooperative matrices, vectors and tensors with an error
// that states the requirement.
func TestCooperativeRefusals(t *testing.T) {
	product := func(input, m, k, layout, turned string) string {
		return "%x = OpCooperativeVectorMatrixMulNV %v8 " + input + " %n1 %arr %n0 %n1 " + m + " " + k + " " + layout + " " + turned + " %n8"
	}
	for _, c := range []struct{ body, want string }{
		{"%x = OpCooperativeMatrixConvertUseEXT %turned %zacc", "the matrix is 6×4 and its source 4×6"},
		{"%x = OpCooperativeMatrixConvertUseEXT %A %zwide", "the matrix has another scope than its source"},
		{"%x = OpCooperativeMatrixReduceEXT %acc %zwide Row %comb", "the result has another scope than the reduced matrix; must have the same"},
		{"%x = OpCooperativeMatrixMulAddKHR %acc %zA %zB %zwide", "the sizes, uses or scopes of the matrices do not match"},
		{"%x = OpCompositeConstructCoopMatQCOM %wide %za8", "a cooperative matrix of scope Workgroup; must be Subgroup"},
		{"%x = OpCooperativeMatrixTransposeNV %A %zacc", "the matrix is 4×6 and its source 4×6"},
		{"%x = OpCooperativeMatrixConvertUseEXT %bigA %zbig", "40000 components per lane; at most 16384"},
		{"%x = OpCooperativeMatrixReduceEXT %A %zA Row %comb", "the reduced matrix is not an accumulator; must be one"},
		{"%x = OpCooperativeMatrixReduceEXT %acc %zacc 2x2 %comb", "the result is 4×6; must be half of 4×6"},
		{"%x = OpCooperativeMatrixReduceEXT %acc %zacc 2x2|Row %comb", "a reduction of"},
		{"%x = OpCooperativeMatrixReduceEXT %big %zbig Row %comb", "a reduction of 40000 components"},
		{"%x = OpCooperativeMatrixReduceEXT %acc %zacc Row %one", "the call has 2 arguments; must have 1"},
		{"%x = OpCooperativeMatrixPerElementOpEXT %acc %zacc %comb", "the call has 3 arguments; must have 2"},
		{"%x = OpCompositeConstructCoopMatQCOM %acc %za8", "no array of 192 bits"},
		{"%x = OpCompositeConstructCoopMatQCOM %big %za200", "a matrix with more lines than a subgroup has lanes: 200 and 16"},
		{product("%z8", "%n8", "%n6", "%n0", "%no"), "the input has 8 components; must have 6"},
		{product("%z8", "%n6", "%n8", "%n0", "%no"), "the result has 8 components; must have 6"},
		{product("%z8", "%n8", "%n8", "%n8", "%no"), "of layout"},
		{"%x = OpCooperativeVectorMatrixMulNV %v200 %z200 %n1 %arr %n0 %n1 %n200 %n200 %n0 %no %n8", "a product of 40000 multiplications"},
		{"%x = OpCooperativeVectorMatrixMulNV %v8 %z8 %n1 %arr %n0 %n5 %n8 %n8 %n0 %no %n8", "a product of floats and integers"},
		{"%x = OpCreateTensorLayoutNV %tl6", "without 1 to 5 dimensions"},
		{"%l = OpCreateTensorLayoutNV %tl\n%x = OpTensorLayoutSetDimensionNV %tl %l %n1", "1 operands; must be 2"},
		{"%v = OpCreateTensorViewNV %tv\n%x = OpTensorViewSetDimensionNV %tv %v %n1 %n1", "is not a permutation"},
		{"%l = OpCreateTensorLayoutNV %tl\n%v = OpCreateTensorViewNV %tv1\n%x = OpCooperativeMatrixLoadTensorNV %acc %arr %zacc %l None TensorView %v", "a view of 1 dimensions on a layout of 2"},
		{"%l = OpCreateTensorLayoutNV %tl5\n%x = OpCooperativeMatrixLoadTensorNV %acc %arr %zacc %l None DecodeFunc %dec", "the value has 5 scalars; must have 2"},
		{"%x = OpCooperativeVectorMatrixMulNV %f32 %z8 %n1 %arr %n0 %n1 %n8 %n8 %n0 %no %n8", "the result is not a vector; must be one"},
		{"%l = OpCreateTensorLayoutNV %tl5\n%x = OpCooperativeMatrixLoadTensorNV %huge %arr %zhuge %l None None", "coordinates that each lane computes"},
	} {
		source := cooperativeHead + c.body + cooperativeTail
		if strings.Contains(c.body, "%tl6") {
			source = strings.Replace(source, "%tl = ", "%tl6 = OpTypeTensorLayoutNV %n6 %n1\n%tl = ", 1)
		}
		_, err := stage(t, []byte(source), nil, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%v; want %q", c.body, err, c.want)
		}
	}
	fragment := strings.NewReplacer("GLCompute", "Fragment", "LocalSize 16 1 1", "OriginUpperLeft").Replace(cooperativeHead)
	_, err := stage(t, []byte(fragment+"%x = OpFNegate %wide %zwide"+cooperativeTail), nil, Options{})
	if err == nil || !strings.Contains(err.Error(), "Workgroup in a stage without workgroups") {
		t.Error(err)
	}
}

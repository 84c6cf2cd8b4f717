package valid

import (
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/vuid"
)

// TestDeviceLimits checks texts on devices of which one limit is known.
func TestDeviceLimits(t *testing.T) {
	const head = `OpCapability Shader
OpCapability Float16
OpCapability VulkanMemoryModel
CAPS
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" VARS
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %arr ArrayStride 4
OpDecorate %st Block
OpMemberDecorate %st 0 Offset 0
OpDecorate %v DescriptorSet 0
OpDecorate %v Binding 0
MARKS%void = OpTypeVoid
%fn = OpTypeFunction %void
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%u32 = OpTypeInt 32 0
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u2 = OpConstant %u32 2
%u3 = OpConstant %u32 3
%u16 = OpConstant %u32 16
%arr = OpTypeRuntimeArray %f32
%st = OpTypeStruct %arr
%pst = OpTypePointer StorageBuffer %st
%pf = OpTypePointer StorageBuffer %f32
%parr = OpTypePointer StorageBuffer %arr
%v = OpVariable %pst StorageBuffer
TYPES
%main = OpFunction %void None %fn
%entry = OpLabel
%e = OpAccessChain %pf %v %u0 %u0
%ea = OpAccessChain %parr %v %u0
BODY
OpReturn
OpFunctionEnd
`
	const (
		vector = "OpCapability CooperativeVectorNV\nOpCapability CooperativeVectorTrainingNV\nOpExtension \"SPV_NV_cooperative_vector\""
		matrix = "OpCapability CooperativeMatrixKHR\nOpExtension \"SPV_KHR_cooperative_matrix\""
		queue  = "OpCapability ShaderEnqueueAMDX\nOpExtension \"SPV_AMDX_shader_enqueue\""
		node   = "%big = OpTypeArray %u32 %u16\n%ps = OpTypeStruct %big\n%na = OpTypeNodePayloadArrayAMDX %ps\n%pn = OpTypePointer NodePayloadAMDX %na"
		vec16  = "%t = OpTypeCooperativeVectorNV %f16 %u16\n%x = OpConstantNull %t"
		vec32  = "%t = OpTypeCooperativeVectorNV %f32 %u16\n%x = OpConstantNull %t"
	)
	for _, k := range []struct {
		code, limit      string
		value, enough    uint64
		caps, types, ins string
	}{
		{vuid.RuntimeSpirv_cooperativeMatrixSupportedStages_08985, "cooperativeMatrixSupportedStages", 0x10, 0x20, matrix,
			"%t = OpTypeCooperativeMatrixKHR %f32 %u3 %u16 %u16 %u2", "%l = OpCooperativeMatrixLengthKHR %u32 %t"},
		{vuid.RuntimeSpirv_cooperativeVectorSupportedStages_10091, "cooperativeVectorSupportedStages", 0x10, 0x20, vector,
			vec32, "OpCooperativeVectorStoreNV %ea %u0 %x"},
		{vuid.RuntimeSpirv_OpTypeCooperativeMatrixNV_06322, "cooperativeMatrixSupportedStages", 0x1, 0x21,
			"OpCapability CooperativeMatrixNV\nOpExtension \"SPV_NV_cooperative_matrix\"",
			"%t = OpTypeCooperativeMatrixNV %f32 %u3 %u16 %u16", "%l = OpCooperativeMatrixLengthNV %u32 %t"},
		{vuid.RuntimeSpirv_maxCooperativeVectorComponents_10094, "maxCooperativeVectorComponents", 8, 16, vector, vec32, ""},
		{vuid.RuntimeSpirv_OpCooperativeVectorReduceSumAccumulateNV_10092, "cooperativeVectorTrainingFloat32Accumulation", 0, 1, vector,
			vec32, "OpCooperativeVectorReduceSumAccumulateNV %ea %u0 %x"},
		{vuid.RuntimeSpirv_OpCooperativeVectorOuterProductAccumulateNV_10093, "cooperativeVectorTrainingFloat16Accumulation", 0, 1, vector,
			vec16, "OpCooperativeVectorOuterProductAccumulateNV %ea %u0 %x %x %u3 %u0"},
		{vuid.RuntimeSpirv_maxExecutionGraphShaderOutputNodes_09197, "maxExecutionGraphShaderOutputNodes", 1, 2, queue,
			node, "%n = OpAllocateNodePayloadsAMDX %pn %u2 %u1 %u0\n%o = OpAllocateNodePayloadsAMDX %pn %u2 %u1 %u1"},
	} {
		t.Run(k.code, func(t *testing.T) {
			listed, marks := "%v", ""
			if strings.Contains(k.types, "%pv") {
				listed += " %pv"
			}
			if strings.Contains(k.types, "%na") {
				marks = "OpDecorateId %na NodeMaxPayloadsAMDX %u16\nOpDecorateId %na PayloadNodeArraySizeAMDX %u16\n"
			}
			text := strings.NewReplacer("CAPS", k.caps, "TYPES", k.types, "BODY\n", k.ins+"\n", "VARS", listed, "MARKS", marks).Replace(head)
			env, _ := ParseEnv("vulkan1.4")
			m := moduleOf(t, text, env.SPIRV)
			for value, want := range map[uint64]bool{k.value: true, k.enough: false} {
				env.Device = &Device{Limits: map[string]uint64{k.limit: value}}
				r := judgeIn(t, m, env)
				got := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Code == k.code })
				if got != want || !want && len(r.Findings) > 0 {
					t.Errorf("%s %d: found %v, want %v: %v", k.limit, value, got, want, r.Findings)
				}
			}
		})
	}
}

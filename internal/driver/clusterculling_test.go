package driver

import (
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// oneCluster emits a draw of three vertices.
const oneCluster = `OpCapability Shader
OpCapability ClusterCullingShadingHUAWEI
OpExtension "SPV_HUAWEI_cluster_culling_shader"
OpMemoryModel Logical GLSL450
OpEntryPoint ClusterCullingHUAWEI %main "main" %count %instances
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %count BuiltIn VertexCountHUAWEI
OpDecorate %instances BuiltIn InstanceCountHUAWEI
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%u1 = OpConstant %uint 1
%u3 = OpConstant %uint 3
%puint = OpTypePointer Output %uint
%count = OpVariable %puint Output
%instances = OpVariable %puint Output
%main = OpFunction %void None %fn
%l = OpLabel
OpStore %count %u3
OpStore %instances %u1
OpDispatchClusterHUAWEI
OpReturn
OpFunctionEnd
`

// TestClusterCommands draws two clusters, direct and indirect, each of which multiplies the image by 0.5.
func TestClusterCommands(t *testing.T) {
	p := newProgram(t)
	pipe := p.multiplier(stageText{abi.ShaderStageClusterCullingBitHUAWEI, oneCluster}, stageText{abi.ShaderStageVertexBit, cover})
	b, words := p.buffer(4)
	copy(words, []uint32{9, 1, 1, 1})
	pixels := p.drawn(func(c abi.CommandBuffer) {
		do(abi.CmdCmdBindPipeline, &abi.CmdBindPipelineArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointGraphics, Pipeline: pipe})
		do(abi.CmdCmdDrawClusterHUAWEI, &abi.CmdDrawClusterHUAWEIArgs{CommandBuffer: c, GroupCountX: 1, GroupCountY: 1, GroupCountZ: 1})
		do(abi.CmdCmdDrawClusterIndirectHUAWEI, &abi.CmdDrawClusterIndirectHUAWEIArgs{CommandBuffer: c, Buffer: b, Offset: 4})
	})
	for i, v := range pixels { // 0.5 · 0.5 · 0.5
		if v != 0xff202020 {
			t.Fatalf("pixel %d is %#x; must be 0xff202020", i, v)
		}
	}
	do(abi.CmdDestroyPipeline, &abi.DestroyPipelineArgs{Device: p.device, Pipeline: pipe})
}

// TestClusterFeatures reads the features of cluster culling. The struct of the shading rate extends another struct of features.
func TestClusterFeatures(t *testing.T) {
	p := newProgram(t)
	rate := abi.PhysicalDeviceClusterCullingShaderVrsFeaturesHUAWEI{SType: abi.StructureTypePhysicalDeviceClusterCullingShaderVrsFeaturesHUAWEI}
	culling := abi.PhysicalDeviceClusterCullingShaderFeaturesHUAWEI{SType: abi.StructureTypePhysicalDeviceClusterCullingShaderFeaturesHUAWEI, PNext: unsafe.Pointer(&rate)}
	p.features(unsafe.Pointer(&culling))
	if culling.ClustercullingShader == 0 || culling.MultiviewClusterCullingShader == 0 || rate.ClusterShadingRate == 0 {
		t.Errorf("the features are %+v and %+v; must be on", culling, rate)
	}
}

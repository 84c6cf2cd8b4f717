package driver

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// covering makes the triangle of cover by a mesh shader.
const covering = `OpCapability MeshShadingEXT
OpExtension "SPV_EXT_mesh_shader"
OpMemoryModel Logical GLSL450
OpEntryPoint MeshEXT %main "main" %index %out %list
OpExecutionMode %main LocalSize 3 1 1
OpExecutionMode %main OutputVertices 3
OpExecutionMode %main OutputPrimitivesEXT 1
OpExecutionMode %main OutputTrianglesEXT
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %vertex Block
OpMemberDecorate %vertex 0 BuiltIn Position
OpDecorate %list BuiltIn PrimitiveTriangleIndicesEXT
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%u3 = OpTypeVector %uint 3
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%three = OpConstant %uint 3
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%f4 = OpConstant %float 4
%vertex = OpTypeStruct %v4
%vertices = OpTypeArray %vertex %three
%primitives = OpTypeArray %u3 %one
%pin = OpTypePointer Input %uint
%pout = OpTypePointer Output %vertices
%pv4 = OpTypePointer Output %v4
%plist = OpTypePointer Output %primitives
%pu3 = OpTypePointer Output %u3
%triangle = OpConstantComposite %u3 %zero %one %two
%index = OpVariable %pin Input
%out = OpVariable %pout Output
%list = OpVariable %plist Output
%main = OpFunction %void None %fn
%l = OpLabel
OpSetMeshOutputsEXT %three %one
%i = OpLoad %uint %index
%a = OpBitwiseAnd %uint %i %one
%b = OpShiftRightLogical %uint %i %one
%fa = OpConvertUToF %float %a
%fb = OpConvertUToF %float %b
%ma = OpFMul %float %fa %f4
%mb = OpFMul %float %fb %f4
%x = OpFSub %float %ma %f1
%y = OpFSub %float %mb %f1
%p = OpCompositeConstruct %v4 %x %y %f0 %f1
%at = OpAccessChain %pv4 %out %i %zero
OpStore %at %p
%first = OpAccessChain %pu3 %list %zero
OpStore %first %triangle
OpReturn
OpFunctionEnd
`

// coveringNV is covering by a mesh shader of VK_NV_mesh_shader. It has no task 0, so that a draw must begin at task 1.
var coveringNV = strings.NewReplacer(
	"OpCapability MeshShadingEXT", "OpCapability MeshShadingNV", "SPV_EXT_mesh_shader", "SPV_NV_mesh_shader",
	"OpEntryPoint MeshEXT %main \"main\" %index %out %list", "OpEntryPoint MeshNV %main \"main\" %index %out %list %count %task",
	"OpDecorate %list BuiltIn PrimitiveTriangleIndicesEXT", "OpDecorate %list BuiltIn PrimitiveIndicesNV\nOpDecorate %count BuiltIn PrimitiveCountNV\nOpDecorate %task BuiltIn WorkgroupId",
	"%primitives = OpTypeArray %u3 %one", "%primitives = OpTypeArray %uint %three",
	"%pu3 = OpTypePointer Output %u3", "%puint = OpTypePointer Output %uint\n%pin3 = OpTypePointer Input %u3",
	"%triangle = OpConstantComposite %u3 %zero %one %two", "%packed = OpConstant %uint 0x00020100\n%count = OpVariable %puint Output\n%task = OpVariable %pin3 Input",
	"OpSetMeshOutputsEXT %three %one", "%id = OpLoad %u3 %task\n%id0 = OpCompositeExtract %uint %id 0\n%n = OpExtInst %uint %glsl UMin %id0 %one\nOpStore %count %n",
	"OpMemoryModel", "%glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel",
	"%first = OpAccessChain %pu3 %list %zero\nOpStore %first %triangle", "OpWritePackedPrimitiveIndices4x8NV %zero %packed",
).Replace(covering)

// TestMeshCommands draws the triangle directly and by both indirect commands, with shader objects; each draw multiplies by 0.5.
func TestMeshCommands(t *testing.T) {
	testMeshCommands(t, covering, []uint32{1, 1, 1, 1}, 0xff101010, func(_ *program, c abi.CommandBuffer, b abi.Buffer, _ uint64) {
		do(abi.CmdCmdDrawMeshTasksEXT, &abi.CmdDrawMeshTasksEXTArgs{CommandBuffer: c, GroupCountX: 1, GroupCountY: 1, GroupCountZ: 1})
		do(abi.CmdCmdDrawMeshTasksIndirectEXT, &abi.CmdDrawMeshTasksIndirectEXTArgs{CommandBuffer: c, Buffer: b, DrawCount: 1, Stride: 12})
		do(abi.CmdCmdDrawMeshTasksIndirectCountEXT, &abi.CmdDrawMeshTasksIndirectCountEXTArgs{CommandBuffer: c, Buffer: b, CountBuffer: b, CountBufferOffset: 12, MaxDrawCount: 1, Stride: 12})
	})
}

// TestTaskRangeCommands does the same with the commands of VK_NV_mesh_shader.
func TestTaskRangeCommands(t *testing.T) {
	testMeshCommands(t, coveringNV, []uint32{1, 1, 1}, 0xff101010, func(_ *program, c abi.CommandBuffer, b abi.Buffer, _ uint64) {
		do(abi.CmdCmdDrawMeshTasksNV, &abi.CmdDrawMeshTasksNVArgs{CommandBuffer: c, TaskCount: 1, FirstTask: 1})
		do(abi.CmdCmdDrawMeshTasksIndirectNV, &abi.CmdDrawMeshTasksIndirectNVArgs{CommandBuffer: c, Buffer: b, DrawCount: 1, Stride: 8})
		do(abi.CmdCmdDrawMeshTasksIndirectCountNV, &abi.CmdDrawMeshTasksIndirectCountNVArgs{CommandBuffer: c, Buffer: b, CountBuffer: b, CountBufferOffset: 8, MaxDrawCount: 1, Stride: 8})
	})
}

// TestMeshAddressCommands draws the triangle by both indirect commands at addresses.
func TestMeshAddressCommands(t *testing.T) {
	testMeshCommands(t, covering, []uint32{1, 1, 1, 1}, 0xff202020, func(_ *program, c abi.CommandBuffer, _ abi.Buffer, address uint64) {
		draws := abi.StridedDeviceAddressRangeKHR{Address: address, Size: 12, Stride: 12}
		do(abi.CmdCmdDrawMeshTasksIndirect2EXT, &abi.CmdDrawMeshTasksIndirect2EXTArgs{CommandBuffer: c, PInfo: &abi.DrawIndirect2InfoKHR{AddressRange: draws, DrawCount: 1}})
		do(abi.CmdCmdDrawMeshTasksIndirectCount2EXT, &abi.CmdDrawMeshTasksIndirectCount2EXTArgs{CommandBuffer: c, PInfo: &abi.DrawIndirectCount2InfoKHR{AddressRange: draws, CountAddressRange: abi.DeviceAddressRangeKHR{Address: address + 12, Size: 4}, MaxDrawCount: 1}})
	})
}

// testMeshCommands makes draws with a mesh shader, each of which multiplies the pixels by 0.5. A buffer, which has an address, has the words
// of indirect draws.
func testMeshCommands(t *testing.T, shader string, indirect []uint32, want uint32, draws func(*program, abi.CommandBuffer, abi.Buffer, uint64)) {
	t.Helper()
	p := newProgram(t)
	bind, mesh := p.graphicsShaders(), p.words(shader)
	info := abi.ShaderCreateInfoEXT{SType: abi.StructureTypeShaderCreateInfoEXT, Flags: abi.ShaderCreateNoTaskShaderBitEXT, Stage: abi.ShaderStageMeshBitEXT, NextStage: abi.ShaderStageFragmentBit, CodeType: abi.ShaderCodeTypeSpirvEXT, CodeSize: uint(4 * len(mesh)), PCode: unsafe.Pointer(&mesh[0]), PName: &mainName[0]}
	stages, objects := [2]uint32{abi.ShaderStageMeshBitEXT, abi.ShaderStageVertexBit}, [2]abi.ShaderEXT{}
	must(p, abi.CmdCreateShadersEXT, &abi.CreateShadersEXTArgs{Device: p.device, CreateInfoCount: 1, PCreateInfos: &info, PShaders: &objects[0]})
	b, address, words := p.addressed(abi.BufferUsageIndirectBufferBit, 4)
	copy(words, indirect)
	pixels := p.drawn(func(c abi.CommandBuffer) {
		bind(c)
		do(abi.CmdCmdBindShadersEXT, &abi.CmdBindShadersEXTArgs{CommandBuffer: c, StageCount: 2, PStages: &stages[0], PShaders: &objects[0]})
		furtherStates(c)
		draws(p, c, b, address)
	})
	for i, v := range pixels {
		if v != want {
			t.Fatalf("pixel %d is %#x; must be %#x", i, v, want)
		}
	}
}

package amber

import "testing"

// traceDown traces the ray from (10·i + ¼, ¼, 5) down the axis z for the invocations i, and stores the custom index of the closest hit;
// 99 for a miss. A candidate that is not opaque is confirmed if its primitive has the number 0; a box is hit at its candidate's T of 3.
const traceDown = `OpCapability Shader
OpCapability RayQueryKHR
OpExtension "SPV_KHR_ray_query"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %top DescriptorSet 0
OpDecorate %top Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%uvec3 = OpTypeVector %uint 3
%float = OpTypeFloat 32
%vec3 = OpTypeVector %float 3
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%structure = OpTypeAccelerationStructureKHR
%query = OpTypeRayQueryKHR
%pin = OpTypePointer Input %uvec3
%pblock = OpTypePointer Uniform %block
%puint = OpTypePointer Uniform %uint
%pstructure = OpTypePointer UniformConstant %structure
%pquery = OpTypePointer Function %query
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%mask = OpConstant %uint 1
%miss = OpConstant %uint 99
%f0 = OpConstant %float 0
%quarter = OpConstant %float 0.25
%three = OpConstant %float 3
%five = OpConstant %float 5
%ten = OpConstant %float 10
%far = OpConstant %float 100
%minus = OpConstant %float -1
%down = OpConstantComposite %vec3 %f0 %f0 %minus
%id = OpVariable %pin Input
%top = OpVariable %pstructure UniformConstant
%out = OpVariable %pblock Uniform
%main = OpFunction %void None %fn
%entry = OpLabel
%q = OpVariable %pquery Function
%ids = OpLoad %uvec3 %id
%i = OpCompositeExtract %uint %ids 0
%fi = OpConvertUToF %float %i
%step = OpFMul %float %fi %ten
%x = OpFAdd %float %step %quarter
%origin = OpCompositeConstruct %vec3 %x %quarter %five
%s = OpLoad %structure %top
OpRayQueryInitializeKHR %q %s %zero %mask %origin %f0 %down %far
OpBranch %loop
%loop = OpLabel
OpLoopMerge %end %next None
OpBranch %proceed
%proceed = OpLabel
%go = OpRayQueryProceedKHR %bool %q
OpBranchConditional %go %candidate %end
%candidate = OpLabel
%kind = OpRayQueryGetIntersectionTypeKHR %uint %q %zero
%isbox = OpIEqual %bool %kind %one
OpSelectionMerge %next None
OpBranchConditional %isbox %box %triangle
%box = OpLabel
OpRayQueryGenerateIntersectionKHR %q %three
OpBranch %next
%triangle = OpLabel
%number = OpRayQueryGetIntersectionPrimitiveIndexKHR %uint %q %zero
%first = OpIEqual %bool %number %zero
OpSelectionMerge %join None
OpBranchConditional %first %take %join
%take = OpLabel
OpRayQueryConfirmIntersectionKHR %q
OpBranch %join
%join = OpLabel
OpBranch %next
%next = OpLabel
OpBranch %loop
%end = OpLabel
%done = OpRayQueryGetIntersectionTypeKHR %uint %q %one
%hit = OpINotEqual %bool %done %zero
%custom = OpRayQueryGetIntersectionInstanceCustomIndexKHR %uint %q %one
%result = OpSelect %uint %hit %custom %miss
%p = OpAccessChain %puint %out %zero %i
OpStore %p %result
OpReturn
OpFunctionEnd
`

// TestStructures traces rays in acceleration structures of a script: with indices, masks, transforms, flags and boxes.
func TestStructures(t *testing.T) {
	r := runText(t, "#!amber\nDEVICE_FEATURE AccelerationStructureFeaturesKHR.accelerationStructure\nDEVICE_EXTENSION VK_KHR_ray_query\nSHADER compute s SPIRV-ASM TARGET_ENV spv1.0\n"+traceDown+`END
ACCELERATION_STRUCTURE BOTTOM_LEVEL triangles
  GEOMETRY TRIANGLES
    0 0 0
    1 0 0
    0 1 0
    0 0 1
    1 0 1
    0 1 1
  END
END
ACCELERATION_STRUCTURE BOTTOM_LEVEL boxes
  GEOMETRY AABBS
    FLAGS OPAQUE NO_DUPLICATE_ANY_HIT
    0 0 0 1 1 1
  END
END
ACCELERATION_STRUCTURE TOP_LEVEL plain
  BLAS_INSTANCE USE triangles
END
ACCELERATION_STRUCTURE TOP_LEVEL high
  BOTTOM_LEVEL_INSTANCE triangles
    INDEX 7
  END
  BOTTOM_LEVEL_INSTANCE triangles
    INDEX 8
    MASK 2
    TRANSFORM
      1 0 0 10
      0 1 0 0
      0 0 1 0
    END
  END
  BOTTOM_LEVEL_INSTANCE boxes
    INDEX 9
    MASK 0x01
    FLAGS FORCE_NO_OPAQUE 1
    TRANSFORM
      1 0 0 20
      0 1 0 0
      0 0 1 0
    END
  END
END
BUFFER a DATA_TYPE uint32 SIZE 4 FILL 0
BUFFER b DATA_TYPE uint32 SIZE 4 FILL 0
PIPELINE compute p
  ATTACH s
  BIND ACCELERATION_STRUCTURE high DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 1
END
PIPELINE compute o
  ATTACH s
  BIND ACCELERATION_STRUCTURE plain DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 1
END
RUN p 1 1 1
RUN o 1 1 1
EXPECT a IDX 0 EQ 7 99 9 99
EXPECT b IDX 0 EQ 0 99 99 99
`)
	if r.Status != Pass {
		t.Errorf("%s %s", r.Status, r.Message)
	}
}

// TestStructureFlags runs scripts with flags that are not supported, or unknown.
func TestStructureFlags(t *testing.T) {
	for flags, want := range map[string]Status{"FORCE_OPAQUE": Pass, "0x3": Pass, "DISABLE_OPACITY_MICROMAPS": NotSupported, "64": NotSupported} {
		r := runText(t, "#!amber\nSHADER compute s SPIRV-ASM TARGET_ENV spv1.0\n"+traceDown+`END
ACCELERATION_STRUCTURE BOTTOM_LEVEL low
  GEOMETRY TRIANGLES
    0 0 0 1 0 0 0 1 0
  END
END
ACCELERATION_STRUCTURE TOP_LEVEL high
  BOTTOM_LEVEL_INSTANCE low
    FLAGS `+flags+`
  END
END
BUFFER a DATA_TYPE uint32 SIZE 4 FILL 0
PIPELINE compute p
  ATTACH s
  BIND ACCELERATION_STRUCTURE high DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 1
END
RUN p 1 1 1
EXPECT a IDX 0 EQ 0
`)
		if r.Status != want {
			t.Errorf("%s: %s %s; must be %s", flags, r.Status, r.Message, want)
		}
	}
}

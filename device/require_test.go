package device

import (
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// kernel has a workgroup of 64 × 4 invocations with 128 bytes of their own
// memory, a push constant at offset 16, and two buffers in sets 0 and 2.
const kernel = `
OpCapability Shader
OpCapability Int64
OpCapability GroupNonUniformBallot
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %shared %a %b %p
OpExecutionMode %main LocalSize 64 4 1
OpDecorate %B Block
OpMemberDecorate %B 0 Offset 0
OpDecorate %P Block
OpMemberDecorate %P 0 Offset 16
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %b DescriptorSet 2
OpDecorate %b Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%long = OpTypeInt 64 0
%n32 = OpConstant %uint 32
%u0 = OpConstant %uint 0
%array = OpTypeArray %uint %n32
%pw = OpTypePointer Workgroup %array
%pwu = OpTypePointer Workgroup %uint
%shared = OpVariable %pw Workgroup
%B = OpTypeStruct %uint
%pb = OpTypePointer StorageBuffer %B
%pbu = OpTypePointer StorageBuffer %uint
%a = OpVariable %pb StorageBuffer
%b = OpVariable %pb StorageBuffer
%P = OpTypeStruct %uint
%pp = OpTypePointer PushConstant %P
%ppu = OpTypePointer PushConstant %uint
%p = OpVariable %pp PushConstant
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpAccessChain %ppu %p %u0
%v = OpLoad %uint %x
%y = OpAccessChain %pbu %a %u0
OpStore %y %v
%z = OpAccessChain %pbu %b %u0
OpStore %z %v
%w = OpAccessChain %pwu %shared %u0
OpStore %w %v
OpReturn
OpFunctionEnd
`

func require(t *testing.T, text string, v spirv.Version) *Requirements {
	t.Helper()
	m := asmtest.Module(t, text, v)
	r, err := Require(t.Context(), facts.Gather(m, nil))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRequire(t *testing.T) {
	r := require(t, kernel, spirv.Version14)
	var declared []string
	for _, d := range r.Declared {
		declared = append(declared, d.What+": "+Words(d.Ways))
	}
	want := []string{
		"SPIR-V 1.4: Vulkan 1.2; or VK_KHR_spirv_1_4",
		"capability Int64: shaderInt64",
		"capability GroupNonUniformBallot: VK_SUBGROUP_FEATURE_BALLOT_BIT of subgroupSupportedOperations in Vulkan 1.1",
	}
	if !slices.Equal(declared, want) {
		t.Errorf("declares\n%s\nwant\n%s", strings.Join(declared, "\n"), strings.Join(want, "\n"))
	}
	for name, want := range map[string]uint64{
		"maxComputeWorkGroupInvocations": 256, "maxComputeWorkGroupSize[0]": 64, "maxComputeWorkGroupSize[1]": 4,
		"maxComputeSharedMemorySize": 128, "maxPushConstantsSize": 20, "maxBoundDescriptorSets": 3,
		"maxPerStageDescriptorStorageBuffers": 2, "maxPerStageResources": 2,
	} {
		if got := r.Limits[name].Value; got != want {
			t.Errorf("%s is %d; want %d", name, got, want)
		}
		delete(r.Limits, name)
	}
	for name, b := range r.Limits {
		t.Errorf("asks for %s of %d", name, b.Value)
	}
}

// TestMissing compares with the requirements of each version on all devices.
func TestMissing(t *testing.T) {
	r := &Requirements{}
	r.Add(require(t, kernel, spirv.Version14))
	r.Add(require(t, kernel, spirv.Version13))
	for _, c := range []struct {
		name  string
		lacks []string
	}{
		{"max", nil},
		{"min1.1", []string{
			"SPIR-V 1.4: Vulkan 1.2; or VK_KHR_spirv_1_4", "capability Int64: shaderInt64",
			"capability GroupNonUniformBallot: VK_SUBGROUP_FEATURE_BALLOT_BIT of subgroupSupportedOperations in Vulkan 1.1",
			"maxComputeWorkGroupInvocations: 128, must be at least 256 (workgroup of main)",
		}},
		{"min1.4", []string{
			"capability Int64: shaderInt64",
			"capability GroupNonUniformBallot: VK_SUBGROUP_FEATURE_BALLOT_BIT of subgroupSupportedOperations in Vulkan 1.1",
		}},
	} {
		p, _ := Builtin(c.name, valid.Vulkan14)
		v := p.Version
		if v == 0 {
			v = valid.Vulkan14
		}
		lacks, unknown := r.Missing(p.Device, v)
		if !slices.Equal(lacks, c.lacks) {
			t.Errorf("%s lacks\n%s\nwant\n%s", c.name, strings.Join(lacks, "\n"), strings.Join(c.lacks, "\n"))
		}
		if (c.name == "max") != (len(unknown) > 0) { // the limits and properties of max are not known
			t.Errorf("%s: not known %q", c.name, unknown)
		}
	}
}

// TestRequiredFlags checks a limit of flags: the device needs the union of all pipelines' flags. A larger number with other flags fails.
func TestRequiredFlags(t *testing.T) {
	const limit = "requiredSubgroupSizeStages"
	var r Requirements
	for _, flags := range []uint64{0x20, 0x1} {
		r.Add(&Requirements{Limits: map[string]Bound{limit: {Value: flags, Why: "a rule"}}})
	}
	for has, want := range map[uint64]bool{0x21: true, 0x3f: true, 0x20: false, 0x40: false, 0: false} {
		lacks, unknown := r.Missing(&valid.Device{Limits: map[string]uint64{limit: has}}, valid.Vulkan14)
		if (len(lacks) == 0) != want || len(unknown) > 0 {
			t.Errorf("0x%x: lacks %q, unknown %q", has, lacks, unknown)
		}
	}
}

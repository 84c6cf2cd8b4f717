package valid

import (
	"context"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// checkText checks the text of a module for Vulkan 1.4.
func checkText(t *testing.T, text string, device *Device) []Finding {
	t.Helper()
	words, err := asm.Assemble([]byte(text), asm.AssembleOptions{Version: spirv.Version14})
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.FromWords(words)
	if err != nil {
		t.Fatal(err)
	}
	env, _ := ParseEnv("vulkan1.4")
	env.Device = device
	r, err := Check(context.Background(), facts.Gather(m, nil), env, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Findings
}

// TestSeverities checks rules whose finding is an error in one case and a warning in another.
func TestSeverities(t *testing.T) {
	const compute = "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n" +
		"%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u = OpTypeInt 32 0\n%u0 = OpConstant %u 0\n%main = OpFunction %void None %fn\n%l = OpLabel\n"
	const done = "OpReturn\nOpFunctionEnd\n"
	const output = "OpCapability Shader\nOpCapability Int64\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %main \"main\" %v\n" +
		"OpExecutionMode %main OriginUpperLeft\nOpDecorate %v Location 0\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n" +
		"%long = OpTypeInt 64 0\n%p = OpTypePointer Output %long\n%zero = OpConstant %long 0\n%v = OpVariable %p Output\n%main = OpFunction %void None %fn\n%l = OpLabel\n"
	min, ok := BuiltinDevice("min", Vulkan14)
	if !ok {
		t.Fatal("no device min")
	}
	for _, c := range []struct {
		name, text, code string
		device           *Device
		want             diag.Severity
	}{
		{"capability for kernels", "OpCapability Shader\nOpCapability BindlessImagesINTEL\nOpExtension \"SPV_INTEL_bindless_images\"\n" + compute + done, "VUID-VkShaderModuleCreateInfo-pCode-08739", nil, diag.Error},
		{"capability of a graphics vendor", "OpCapability Shader\nOpCapability BindlessTextureNV\nOpExtension \"SPV_NV_bindless_texture\"\n" + compute + done, "VUID-VkShaderModuleCreateInfo-pCode-08739", nil, diag.Warning},
		{"on a device", "OpCapability Shader\nOpCapability BindlessTextureNV\nOpExtension \"SPV_NV_bindless_texture\"\n" + compute + done, "VUID-VkShaderModuleCreateInfo-pCode-08739", min, diag.Error},
		{"extension of a graphics vendor", "OpCapability Shader\nOpExtension \"SPV_NV_bindless_texture\"\n" + compute + done, "VUID-VkShaderModuleCreateInfo-pCode-08741", nil, diag.Warning},
		{"unknown extension", "OpCapability Shader\nOpExtension \"SPV_NV_no_such_thing\"\n" + compute + done, "VUID-VkShaderModuleCreateInfo-pCode-08741", nil, diag.Error},
		{"equal literals with two labels", "OpCapability Shader\n" + compute + "OpSelectionMerge %m None\nOpSwitch %u0 %m 1 %a 1 %b\n%a = OpLabel\nOpBranch %m\n%b = OpLabel\nOpBranch %m\n%m = OpLabel\n" + done, "SPV-Switch-Literal", nil, diag.Error},
		{"equal literals with one label", "OpCapability Shader\n" + compute + "OpSelectionMerge %m None\nOpSwitch %u0 %m 1 %a 1 %a\n%a = OpLabel\nOpBranch %m\n%m = OpLabel\n" + done, "SPV-Switch-Literal", nil, diag.Warning},
		{"wide output that is written", output + "OpStore %v %zero\n" + done, "SPV-Interface-OutputWidth", nil, diag.Error},
		{"wide output that is not used", output + done, "SPV-Interface-OutputWidth", nil, diag.Warning},
	} {
		f := checkText(t, c.text, c.device)
		found := false
		for _, x := range f {
			if x.Code != c.code {
				continue
			}
			found = true
			if x.Severity != c.want {
				t.Errorf("%s: severity %v; want %v", c.name, x.Severity, c.want)
			}
		}
		if !found {
			var codes []string
			for _, x := range f {
				codes = append(codes, x.Code)
			}
			t.Errorf("%s: no finding of %s, but %s", c.name, c.code, strings.Join(codes, " "))
		}
	}
}

package valid

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestSeverities checks rules whose finding is an error in one case and a warning in another.
func TestSeverities(t *testing.T) {
	const compute = "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n" +
		"%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u = OpTypeInt 32 0\n%u0 = OpConstant %u 0\n%main = OpFunction %void None %fn\n%l = OpLabel\n"
	groups := "OpCapability Shader\nOpCapability GroupNonUniformClustered\nOpCapability GroupNonUniformRotateKHR\nOpExtension \"SPV_KHR_subgroup_rotate\"\n" +
		strings.Replace(compute, "%main =", "%u3 = OpConstant %u 3\n%main =", 1)
	const done = "OpReturn\nOpFunctionEnd\n"
	const derivatives = "OpCapability Shader\nOpCapability ComputeDerivativeGroupLinearKHR\nOpExtension \"SPV_KHR_compute_shader_derivatives\"\nOpMemoryModel Logical GLSL450\n" +
		"OpEntryPoint GLCompute %main \"main\"\nOpExecutionModeId %main SIZE\nOpExecutionMode %main DerivativeGroupLinearKHR\n"
	const twice = "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %v\nOpExecutionMode %main LocalSize 1 1 1\nOpDecorate %v DescriptorSet 0\n"
	const sampler = "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%s = OpTypeSampler\n%p = OpTypePointer UniformConstant %s\n%v = OpVariable %p UniformConstant\n%main = OpFunction %void None %fn\n%l = OpLabel\n"
	const output = "OpCapability Shader\nOpCapability Int64\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %main \"main\" %v\n" +
		"OpExecutionMode %main OriginUpperLeft\nOpDecorate %v Location 0\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n" +
		"%long = OpTypeInt 64 0\n%p = OpTypePointer Output %long\n%zero = OpConstant %long 0\n%v = OpVariable %p Output\n%main = OpFunction %void None %fn\n%l = OpLabel\n"
	contract := func(global, body string) string {
		text := strings.Replace(compute, "%void =", "OpDecorate %x NoContraction\n%void =", 1)
		return "OpCapability Shader\nOpCapability Float64\n" + strings.Replace(text, "%main = OpF", "%f = OpTypeFloat 32\n%p = OpTypePointer Function %f\n"+global+"%main = OpF", 1) + body + "\n" + done
	}
	constant := func(capabilities, model, class string) string {
		return "OpCapability " + capabilities + "\nOpCapability Linkage\nOpMemoryModel " + model + "\nOpDecorate %c Constant\n%void = OpTypeVoid\n%u = OpTypeInt 32 0\n%p = OpTypePointer " + class +
			" %u\n%fn = OpTypeFunction %void %p\n%f = OpFunction %void None %fn\n%c = OpFunctionParameter %p\n%l = OpLabel\n" + done
	}
	saturated := func(conversion string) string {
		return "OpCapability Kernel\nOpCapability Addresses\nOpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %main \"main\"\nOpDecorate %x SaturatedConversion\n" +
			"%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u = OpTypeInt 32 0\n%f = OpTypeFloat 32\n%u1 = OpConstant %u 1\n%main = OpFunction %void None %fn\n%l = OpLabel\n" + conversion + "\n" + done
	}
	banked := func(decoration string) string {
		return "OpCapability Shader\nOpCapability PushConstantBanksNV\nOpExtension \"SPV_NV_push_constant_bank\"\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n" +
			"OpDecorate %b Block\nOpMemberDecorate %b 0 Offset 0\nOpDecorate %v BankNV 1\n" + decoration + "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u = OpTypeInt 32 0\n%b = OpTypeStruct %u\n" +
			"%p = OpTypePointer PushConstant %b\n%v = OpVariable %p PushConstant\n%main = OpFunction %void None %fn\n%l = OpLabel\n" + done
	}
	member := func(index string) string {
		return "OpCapability Shader\n" + strings.Replace(compute, "%main = OpF", "%s = OpTypeStruct %u\n%ps = OpTypePointer Function %s\n%pu = OpTypePointer Function %u\n"+index+"%main = OpF", 1) +
			"%v = OpVariable %ps Function\n%x = OpAccessChain %pu %v %zero\n" + done
	}
	traced := func(number string) string {
		return "OpCapability RayTracingNV\nOpExtension \"SPV_NV_ray_tracing\"\nOpMemoryModel Logical GLSL450\nOpEntryPoint RayGenerationKHR %main \"main\"\n" +
			"%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u = OpTypeInt 32 0\n%f = OpTypeFloat 32\n%v = OpTypeVector %f 3\n%u0 = OpConstant %u 0\n%f0 = OpConstant %f 0\n" +
			"%zero = OpConstantNull %v\n%as = OpTypeAccelerationStructureKHR\n%a = OpUndef %as\n%main = OpFunction %void None %fn\n%l = OpLabel\n%x = OpIAdd %u %u0 %u0\n" +
			"OpTraceNV %a %u0 %u0 %u0 %u0 %u0 %zero %f0 %zero %f0 " + number + "\n" + done
	}
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
		{"capability of OpenGL", "OpCapability Shader\nOpCapability AtomicStorageOps\nOpExtension \"SPV_KHR_shader_atomic_counter_ops\"\n" + compute + done, "VUID-VkShaderModuleCreateInfo-pCode-08739", nil, diag.Error},
		{"capability of a graphics vendor", "OpCapability Shader\nOpCapability BindlessTextureNV\nOpExtension \"SPV_NV_bindless_texture\"\n" + compute + done, "VUID-VkShaderModuleCreateInfo-pCode-08739", nil, diag.Warning},
		{"on a device", "OpCapability Shader\nOpCapability BindlessTextureNV\nOpExtension \"SPV_NV_bindless_texture\"\n" + compute + done, "VUID-VkShaderModuleCreateInfo-pCode-08739", min, diag.Error},
		{"extension of a graphics vendor", "OpCapability Shader\nOpExtension \"SPV_NV_bindless_texture\"\n" + compute + done, "VUID-VkShaderModuleCreateInfo-pCode-08741", nil, diag.Warning},
		{"unknown extension", "OpCapability Shader\nOpExtension \"SPV_NV_no_such_thing\"\n" + compute + done, "VUID-VkShaderModuleCreateInfo-pCode-08741", nil, diag.Error},
		{"equal literals with two labels", "OpCapability Shader\n" + compute + "OpSelectionMerge %m None\nOpSwitch %u0 %m 1 %a 1 %b\n%a = OpLabel\nOpBranch %m\n%b = OpLabel\nOpBranch %m\n%m = OpLabel\n" + done, "SPV-Switch-Literal", nil, diag.Error},
		{"equal literals with one label", "OpCapability Shader\n" + compute + "OpSelectionMerge %m None\nOpSwitch %u0 %m 1 %a 1 %a\n%a = OpLabel\nOpBranch %m\n%m = OpLabel\n" + done, "SPV-Switch-Literal", nil, diag.Warning},
		{"rotation of clusters of 3", groups + "%r = OpGroupNonUniformRotateKHR %u %u0 %u3 %u0 %u3\n" + done, "SPV-NonUniform-ClusterSize", nil, diag.Warning},
		{"rotation of clusters of 3 on a device", groups + "%r = OpGroupNonUniformRotateKHR %u %u0 %u3 %u0 %u3\n" + done, "SPV-NonUniform-ClusterSize", min, diag.Error},
		{"reduction of clusters of 3", groups + "%r = OpGroupNonUniformIAdd %u %u3 ClusteredReduce %u0 %u3\n" + done, "SPV-NonUniform-ClusterSize", nil, diag.Warning},
		{"reduction of clusters of 3 on a device", groups + "%r = OpGroupNonUniformIAdd %u %u3 ClusteredReduce %u0 %u3\n" + done, "SPV-NonUniform-ClusterSize", min, diag.Error},
		{"derivative groups of a fixed size", strings.Replace(derivatives, "ModeId %main SIZE", "Mode %main LocalSize 1 1 1", 1) + compute[strings.Index(compute, "%void"):] + done, "VUID-StandaloneSpirv-DerivativeGroupLinearKHR-10152", nil, diag.Error},
		{"derivative groups of a size that changes", strings.Replace(derivatives, "SIZE", "LocalSizeId %n %n %n", 1) + strings.Replace(compute[strings.Index(compute, "%void"):], "%main =", "%n = OpSpecConstant %u 1\n%main =", 1) + done, "VUID-StandaloneSpirv-DerivativeGroupLinearKHR-10152", nil, diag.Warning},
		{"a decoration twice", twice + "OpDecorate %v Binding 0\nOpDecorate %v Binding 0\n" + sampler + done, "SPV-Decoration-Twice", nil, diag.Error},
		{"a decoration again by a group", twice + "OpDecorate %v Binding 0\nOpDecorate %g Binding 0\n%g = OpDecorationGroup\nOpGroupDecorate %g %v\n" + sampler + done, "SPV-Decoration-Twice", nil, diag.Warning},
		{"another decoration by a group", twice + "OpDecorate %v Binding 0\nOpDecorate %g Binding 1\n%g = OpDecorationGroup\nOpGroupDecorate %g %v\n" + sampler + done, "SPV-Decoration-Twice", nil, diag.Error},
		{"payload without a variable", traced("%u0"), "SPV-Ray-Location", nil, diag.Warning},
		{"payload of a number that is no constant", traced("%x"), "SPV-Ray-Location", nil, diag.Error},
		{"wide output that is written", output + "OpStore %v %zero\n" + done, "SPV-Interface-OutputWidth", nil, diag.Error},
		{"wide output that is not used", output + done, "SPV-Interface-OutputWidth", nil, diag.Warning},
		{"a variable of void in a function", "OpCapability Shader\n" + strings.Replace(compute, "%main = OpF", "%pv = OpTypePointer Function %void\n%main = OpF", 1) + "%v = OpVariable %pv Function\n" + done, "SPV-Variable-Void", nil, diag.Warning},
		{"NoContraction on a variable", contract("", "%x = OpVariable %p Function"), "SPV-Decoration-Value", nil, diag.Error},
		{"NoContraction on a constant", contract("%x = OpConstant %f 1\n", ""), "SPV-Decoration-Value", nil, diag.Error},
		{"NoContraction on a type", contract("%x = OpTypeFloat 64\n", ""), "SPV-Decoration-Value", nil, diag.Error},
		{"Constant on a parameter of a kernel", constant("Kernel\nOpCapability Addresses", "Physical64 OpenCL", "CrossWorkgroup"), "SPV-Decoration-Variable", nil, diag.Warning},
		{"Constant on a parameter of a shader", constant("Shader", "Logical GLSL450", "Private"), "SPV-Decoration-Variable", nil, diag.Error},
		{"NoContraction on a load", contract("", "%v = OpVariable %p Function\n%x = OpLoad %f %v"), "SPV-Decoration-Value", nil, diag.Warning},
		{"SaturatedConversion on an operation that saturates", saturated("%x = OpSatConvertUToS %u %u1"), "SPV-Decoration-Target", nil, diag.Warning},
		{"SaturatedConversion on another operation that saturates", saturated("%x = OpSatConvertSToU %u %u1"), "SPV-Decoration-Target", nil, diag.Warning},
		{"SaturatedConversion on a conversion to floats", saturated("%x = OpConvertUToF %f %u1"), "SPV-Decoration-Target", nil, diag.Error},
		{"a bank on the block", banked("OpDecorate %b BankNV 1\n"), "SPV-Decoration-Target", nil, diag.Warning},
		{"a bank on a type that is no struct", banked("OpDecorate %u BankNV 1\n"), "SPV-Decoration-Target", nil, diag.Error},
		{"the offset of a bank on a member", banked("OpMemberDecorate %b 0 MemberOffsetNV 16\n"), "SPV-Decoration-NotMember", nil, diag.Warning},
		{"a bank on a member", banked("OpMemberDecorate %b 0 BankNV 1\n"), "SPV-Decoration-NotMember", nil, diag.Error},
		{"a null constant selects a member", member("%zero = OpConstantNull %u\n"), "SPV-AccessChain-Index", nil, diag.Warning},
		{"a specialization constant selects a member", member("%zero = OpSpecConstant %u 0\n"), "SPV-AccessChain-Index", nil, diag.Error},
		{"NoContraction on integers", contract("", "%x = OpIAdd %u %u0 %u0"), "SPV-Decoration-Value", nil, diag.Warning},
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

// TestForeignCapabilities declares each capability that no version and no extension of Vulkan has, with its extension.
// All are errors with a device. Without one, the capabilities that compilers for Vulkan emit are warnings.
func TestForeignCapabilities(t *testing.T) {
	emitted := map[string]bool{
		"BindlessTextureNV": true, "CooperativeMatrixLayoutsARM": true, "DisplacementMicromapNV": true, "Float16ImageAMD": true, "Groups": true,
		"RayQueryProvisionalKHR": true, "RayTracingDisplacementMicromapNV": true, "RayTracingProvisionalKHR": true, "ShaderStereoViewNV": true,
	}
	min, ok := BuiltinDevice("min", Vulkan14)
	if !ok {
		t.Fatal("no device min")
	}
	foreign := 0
	for _, r := range spirv.KindCapability.Enumerants() {
		if len(capabilityWays[spirv.Capability(r.Value())]) > 0 || r.Name() != spirv.Capability(r.Value()).String() {
			continue
		}
		foreign++
		extension := ""
		if names := r.Extensions(); len(names) > 0 {
			extension = fmt.Sprintf("OpExtension %q\n", names[0])
		}
		text := "OpCapability Shader\nOpCapability " + r.Name() + "\n" + extension + "OpMemoryModel Logical GLSL450\n" +
			"OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n" +
			"%main = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n"
		for _, device := range []*Device{nil, min} {
			failed := false
			for _, x := range checkText(t, text, device) {
				failed = failed || x.Severity == diag.Error && strings.HasPrefix(x.Message, "capability "+r.Name()+" ") || x.Severity == diag.Error && strings.HasPrefix(x.Message, "capability "+r.Name()+";")
			}
			if want := device != nil || !emitted[r.Name()]; failed != want {
				t.Errorf("%s, on a device %t: an error %t; want %t", r.Name(), device != nil, failed, want)
			}
		}
	}
	if foreign < 100 {
		t.Errorf("%d capabilities without a counterpart in Vulkan; want at least 100", foreign)
	}
}

// TestDynamicIndexSeverity checks that a dynamic index without its capability is an error on a device without the feature
// of the capability, and a warning elsewhere.
func TestDynamicIndexSeverity(t *testing.T) {
	text := "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %in %v\nOpExecutionMode %main LocalSize 1 1 1\n" +
		"OpDecorate %in BuiltIn WorkgroupId\nOpDecorate %s Block\nOpMemberDecorate %s 0 Offset 0\nOpDecorate %v DescriptorSet 0\nOpDecorate %v Binding 0\n" +
		"%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u = OpTypeInt 32 0\n%u3 = OpTypeVector %u 3\n%pi3 = OpTypePointer Input %u3\n%pi = OpTypePointer Input %u\n" +
		"%in = OpVariable %pi3 Input\n%u0 = OpConstant %u 0\n%u4 = OpConstant %u 4\n%s = OpTypeStruct %u\n%a = OpTypeArray %s %u4\n%pa = OpTypePointer StorageBuffer %a\n" +
		"%pu = OpTypePointer StorageBuffer %u\n%v = OpVariable %pa StorageBuffer\n%main = OpFunction %void None %fn\n%l = OpLabel\n%px = OpAccessChain %pi %in %u0\n" +
		"%x = OpLoad %u %px\n%p = OpAccessChain %pu %v %x %u0\nOpStore %p %u0\nOpReturn\nOpFunctionEnd\n"
	const feature = "shaderStorageBufferArrayDynamicIndexing"
	for _, c := range []struct {
		name   string
		device *Device
		want   diag.Severity
	}{
		{"no device", nil, diag.Warning},
		{"without the feature", &Device{Name: "off", Features: map[string]bool{feature: false}, Limits: map[string]uint64{}, Extensions: map[string]bool{}}, diag.Error},
		{"with the feature", &Device{Name: "on", Features: map[string]bool{feature: true}, Limits: map[string]uint64{}, Extensions: map[string]bool{}}, diag.Warning},
	} {
		n := 0
		for _, x := range checkText(t, text, c.device) {
			if x.Code == "VUID-StandaloneSpirv-StorageBufferArrayDynamicIndexing-10129" {
				n++
				if x.Severity != c.want {
					t.Errorf("%s: severity %v; want %v", c.name, x.Severity, c.want)
				}
			}
		}
		if n != 1 {
			t.Errorf("%s: %d findings; want 1", c.name, n)
		}
	}
}

// TestMatrixBitcast casts cooperative matrices. SPV_KHR_cooperative_matrix permits OpBitcast between components of integers of one width;
// between floats and integers of one width it is a warning, of other widths an error.
func TestMatrixBitcast(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"%u", "%s", ""},
		{"%f", "%u", "warning"},
		{"%s", "%f", "warning"},
		{"%u", "%h", "error"},
		{"%f", "%h", "error"},
	} {
		text := "OpCapability Shader\nOpCapability Float16\nOpCapability VulkanMemoryModel\nOpCapability CooperativeMatrixKHR\nOpExtension \"SPV_KHR_cooperative_matrix\"\n" +
			"OpMemoryModel Logical Vulkan\nOpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 32 1 1\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n" +
			"%u = OpTypeInt 32 0\n%s = OpTypeInt 32 1\n%f = OpTypeFloat 32\n%h = OpTypeFloat 16\n%u2 = OpConstant %u 2\n%u3 = OpConstant %u 3\n%u16 = OpConstant %u 16\n" +
			"%a = OpTypeCooperativeMatrixKHR " + c.from + " %u3 %u16 %u16 %u2\n%b = OpTypeCooperativeMatrixKHR " + c.to + " %u3 %u16 %u16 %u2\n%x = OpConstantNull %a\n" +
			"%main = OpFunction %void None %fn\n%l = OpLabel\n%y = OpBitcast %b %x\nOpReturn\nOpFunctionEnd\n"
		got := ""
		for _, f := range checkText(t, text, nil) {
			if f.Code == "SPV-CooperativeMatrix-Operands" {
				got = f.Severity.String()
			}
		}
		if got != c.want {
			t.Errorf("OpBitcast from %s to %s: %q; want %q", c.from, c.to, got, c.want)
		}
	}
}

// TestEntryPointOfSource names the function of a DebugEntryPoint. The set requires a definition in the function of an OpEntryPoint;
// compilers inline that function or call it from the entry point, so that a module without one has a warning, as has a build
// identifier with too few digits and a line after the last block. A second definition and a scope between blocks are errors.
func TestEntryPointOfSource(t *testing.T) {
	const digits = "00112233445566778899aabbccddeeff"
	for _, c := range []struct{ name, identifier, main, body, code, want string }{
		{"defined in the entry point", digits, "%main", "%x = OpExtInst %void %set DebugFunctionDefinition %df %main\n", "", ""},
		{"not defined", digits, "%main", "", "SPV-DebugInfo-Definition", "warning"},
		{"defined in another function", digits, "%f", "%x = OpExtInst %void %set DebugFunctionDefinition %df %f\n", "SPV-DebugInfo-Definition", "warning"},
		{"defined twice", digits, "%main", "%x = OpExtInst %void %set DebugFunctionDefinition %df %main\n%y = OpExtInst %void %set DebugFunctionDefinition %df %main\n", "SPV-DebugInfo-Definition", "error"},
		{"a scope between blocks", digits, "%main", "%x = OpExtInst %void %set DebugFunctionDefinition %df %main\nOpReturn\n%z = OpExtInst %void %set DebugNoScope\n%b = OpLabel\n", "SPV-Layout-Block", "error"},
		{"a line after the last block", digits, "%main", "%x = OpExtInst %void %set DebugFunctionDefinition %df %main\nOpReturn\n%z = OpExtInst %void %set DebugLine %src %u1 %u1 %u0 %u0\nOpFunctionEnd\n%g = OpFunction %void None %fn\n%b = OpLabel\n", "SPV-Layout-Block", "warning"},
		{"a short identifier", "0", "%main", "%x = OpExtInst %void %set DebugFunctionDefinition %df %main\n", "SPV-DebugInfo-Identifier", "warning"},
		{"an identifier of other letters", strings.ToUpper(digits), "%main", "%x = OpExtInst %void %set DebugFunctionDefinition %df %main\n", "SPV-DebugInfo-Identifier", "error"},
	} {
		text := "OpCapability Shader\nOpExtension \"SPV_KHR_non_semantic_info\"\n%set = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\nOpMemoryModel Logical GLSL450\n" +
			"OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n%s = OpString \"s\"\n%id = OpString \"" + c.identifier + "\"\n" +
			"%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u = OpTypeInt 32 0\n%u0 = OpConstant %u 0\n%u1 = OpConstant %u 1\n%u2 = OpConstant %u 2\n%u100 = OpConstant %u 100\n" +
			"%src = OpExtInst %void %set DebugSource %s\n%cu = OpExtInst %void %set DebugCompilationUnit %u100 %u2 %src %u2\n%tf = OpExtInst %void %set DebugTypeFunction %u0 %void\n" +
			"%df = OpExtInst %void %set DebugFunction %s %tf %src %u1 %u1 %cu %s %u0 %u1\n%de = OpExtInst %void %set DebugEntryPoint %df %cu %s %s\n%bi = OpExtInst %void %set DebugBuildIdentifier %id %u0\n"
		for _, f := range []string{"%main", "%f"} {
			text += f + " = OpFunction %void None %fn\n" + f + "_l = OpLabel\n"
			if f == c.main {
				text += c.body
			}
			text += "OpReturn\nOpFunctionEnd\n"
		}
		code, got := "", ""
		for _, f := range checkText(t, text, nil) {
			code, got = f.Code, f.Severity.String()
		}
		if code != c.code || got != c.want {
			t.Errorf("%s: %s %q; want %s %q", c.name, code, got, c.code, c.want)
		}
	}
}

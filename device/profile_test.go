package device

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// roadmap is a file with every construct of the schema: blocks, a choice of blocks,
// profiles that require others, and options.
const roadmap = `{
  "capabilities": {
    "base": {
      "extensions": {"VK_KHR_spirv_1_4": 1},
      "features": {
        "VkPhysicalDeviceFeatures": {"shaderInt64": true, "geometryShader": false},
        "VkPhysicalDeviceFeatures2": {"features": {"shaderInt16": true}}
      },
      "properties": {
        "VkPhysicalDeviceProperties": {"limits": {
          "maxComputeSharedMemorySize": 32768, "maxComputeWorkGroupSize": [512, 256, 64],
          "minTexelOffset": -8, "minUniformBufferOffsetAlignment": 128, "timestampPeriod": 1.5}},
        "VkPhysicalDeviceSubgroupProperties": {"supportedOperations": ["VK_SUBGROUP_FEATURE_BASIC_BIT", "VK_SUBGROUP_FEATURE_VOTE_BIT"]},
        "VkPhysicalDeviceVulkan12Properties": {"shaderDenormPreserveFloat32": true},
        "VkPhysicalDeviceMeshShaderPropertiesEXT": {"maxMeshOutputVertices": 300}
      },
      "formats": {"VK_FORMAT_R8_UNORM": {}}
    },
    "more": {
      "features": {"VkPhysicalDeviceFeatures": {"shaderInt64": false, "geometryShader": true}},
      "properties": {
        "VkPhysicalDeviceProperties": {"limits": {"maxComputeSharedMemorySize": 16384, "minTexelOffset": -16, "minUniformBufferOffsetAlignment": 64}},
        "VkPhysicalDeviceVulkan11Properties": {"subgroupSupportedOperations": ["VK_SUBGROUP_FEATURE_BALLOT_BIT"]}
      }
    },
    "left": {"features": {"VkPhysicalDeviceVulkan12Features": {"shaderInt8": true}}},
    "right": {"features": {"VkPhysicalDeviceVulkan12Features": {"shaderFloat16": true}}}
  },
  "profiles": {
    "VP_a": {"version": 1, "api-version": "1.1.106", "label": "A", "capabilities": ["base"]},
    "VP_b": {"version": 1, "api-version": "1.3.204", "capabilities": ["more", ["left", "right"]], "optionals": ["none"], "profiles": ["VP_a"]}
  }
}`

func read(t *testing.T, sources ...Source) map[string]Profile {
	t.Helper()
	ps, warnings, err := Read(sources...)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("%v, warnings %q", err, warnings)
	}
	out := map[string]Profile{}
	for _, p := range ps {
		out[p.Name] = p
	}
	return out
}

// TestMerge checks the rules of the schema: the stronger of several promises
// holds, and a choice of blocks makes as many devices.
func TestMerge(t *testing.T) {
	ps := read(t, Source{"r.json", []byte(roadmap)})
	if len(ps) != 3 {
		t.Fatalf("%d profiles; want VP_a and VP_b with left and with right", len(ps))
	}
	for _, c := range []struct {
		profile  string
		features string // on, and with a ! off
		limits   map[string]int64
	}{
		{"VP_a", "shaderInt64 shaderInt16 !geometryShader !shaderInt8 multiview !bufferDeviceAddress", map[string]int64{
			"maxComputeSharedMemorySize": 32768, "maxComputeWorkGroupSize[0]": 512, "maxComputeWorkGroupSize[2]": 64,
			"minTexelOffset": -8, "subgroupSupportedOperations": 3, "shaderDenormPreserveFloat32": 1, "shaderDenormPreserveFloat16": 0,
			"VkPhysicalDeviceMeshShaderPropertiesEXT::maxMeshOutputVertices": 300,
			"maxComputeWorkGroupInvocations":                                 128, // which Vulkan 1.1 requires
		}},
		{"VP_b/left", "shaderInt64 geometryShader shaderInt8 !shaderFloat16 bufferDeviceAddress", map[string]int64{
			"maxComputeSharedMemorySize": 32768, "minTexelOffset": -16, "minUniformBufferOffsetAlignment": 64, "subgroupSupportedOperations": 11,
		}},
		{"VP_b/right", "shaderInt64 geometryShader !shaderInt8 shaderFloat16", nil},
	} {
		p, ok := ps[c.profile]
		if !ok {
			t.Errorf("no profile %s", c.profile)
			continue
		}
		for f := range strings.FieldsSeq(c.features) {
			name, off := strings.CutPrefix(f, "!")
			if on, known := p.Device.Feature(name); on == off || !known {
				t.Errorf("%s: feature %s is %t, known %t", c.profile, name, on, known)
			}
		}
		for name, want := range c.limits {
			if got, ok := p.Device.Limits[name]; !ok || int64(got) != want {
				t.Errorf("%s: %s is %d, %t; want %d", c.profile, name, int64(got), ok, want)
			}
		}
		if !p.Device.Extensions["VK_KHR_spirv_1_4"] {
			t.Errorf("%s: no extension", c.profile)
		}
	}
	if ps["VP_a"].Version != valid.Vulkan11 || ps["VP_b/left"].Version != valid.Vulkan13 || ps["VP_a"].Label != "A" {
		t.Errorf("versions %v and %v", ps["VP_a"].Version, ps["VP_b/left"].Version)
	}
}

// TestRequiredElsewhere demands that a profile may require one of another file.
func TestRequiredElsewhere(t *testing.T) {
	const other = `{"capabilities": {}, "profiles": {"VP_c": {"api-version": "1.2.0", "profiles": ["VP_a"]}}}`
	ps := read(t, Source{"c.json", []byte(other)}, Source{"r.json", []byte(roadmap)})
	if on, _ := ps["VP_c"].Device.Feature("shaderInt64"); !on {
		t.Error("VP_c lacks what VP_a has")
	}
}

// TestFormats checks that the formats of a profile are the formats for vertex
// buffers plus those that every device has, and that nothing is known if it
// has none.
func TestFormats(t *testing.T) {
	const has = `{"formats": {"VK_FORMAT_R8G8B8_UNORM": {"VkFormatProperties": {"bufferFeatures": ["VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT"]}},
		"VK_FORMAT_B8G8R8_UNORM": {"VkFormatProperties3": {"bufferFeatures": ["VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT"]}}}}`
	const profile = `"VP_a": {"api-version": "1.1.0", "capabilities": ["b"]}`
	with := read(t, Source{"a.json", []byte(fileOf(has, profile))})["VP_a"].Device
	without := read(t, Source{"b.json", []byte(fileOf("{}", profile))})["VP_a"].Device
	least, _ := Builtin("min", valid.Vulkan10)
	most, _ := Builtin("max", valid.Vulkan10)
	for _, c := range []struct {
		device    *valid.Device
		format    string
		on, known bool
	}{
		{with, "R8G8B8_UNORM", true, true}, {with, "B8G8R8_UNORM", false, true}, {with, "R8_UNORM", true, true},
		{without, "R8G8B8_UNORM", false, false}, {least.Device, "R8G8B8_UNORM", false, true}, {most.Device, "R8G8B8_UNORM", false, false},
		// Vulkan, Required Format Support.
		{least.Device, "A8B8G8R8_SINT_PACK32", true, true}, {least.Device, "A2B10G10R10_UNORM_PACK32", true, true}, {least.Device, "A2B10G10R10_UINT_PACK32", false, true},
		{least.Device, "R16G16_SFLOAT", true, true}, {least.Device, "R16G16B16_SFLOAT", false, true}, {least.Device, "R32G32B32_SFLOAT", true, true},
		{least.Device, "R64_SFLOAT", false, true}, {least.Device, "B8G8R8A8_UNORM", true, true}, {least.Device, "B8G8R8A8_SNORM", false, true}, {least.Device, "R8G8B8A8_SRGB", false, true},
	} {
		if on, known := c.device.VertexFormat(c.format); on != c.on || known != c.known {
			t.Errorf("%s of %s: %t, known %t; must be %t, %t", c.format, c.device.Name, on, known, c.on, c.known)
		}
	}
}

// TestLists reads the lists of cooperative matrices and vectors.
func TestLists(t *testing.T) {
	const block = `{"properties": {
		"VkCooperativeMatrixPropertiesKHR": [{"MSize": 16, "NSize": 8, "KSize": 32, "AType": "VK_COMPONENT_TYPE_SINT8_KHR", "BType": "VK_COMPONENT_TYPE_UINT8_KHR",
			"CType": "VK_COMPONENT_TYPE_SINT32_KHR", "ResultType": "VK_COMPONENT_TYPE_SINT32_KHR", "saturatingAccumulation": true, "scope": "VK_SCOPE_SUBGROUP_KHR"}],
		"VkCooperativeMatrixFlexibleDimensionsPropertiesNV": [{"MGranularity": 8, "NGranularity": 8, "KGranularity": 16, "AType": "VK_COMPONENT_TYPE_FLOAT_E4M3_NV",
			"BType": "VK_COMPONENT_TYPE_BFLOAT16_KHR", "CType": "VK_COMPONENT_TYPE_FLOAT32_KHR", "ResultType": "VK_COMPONENT_TYPE_FLOAT32_KHR", "scope": "VK_SCOPE_WORKGROUP_KHR", "workgroupInvocations": 128}],
		"VkCooperativeVectorPropertiesNV": [{"inputType": "VK_COMPONENT_TYPE_FLOAT16_NV", "inputInterpretation": "VK_COMPONENT_TYPE_FLOAT16_NV", "matrixInterpretation": "VK_COMPONENT_TYPE_FLOAT_E5M2_NV",
			"biasInterpretation": "VK_COMPONENT_TYPE_FLOAT16_NV", "resultType": "VK_COMPONENT_TYPE_FLOAT16_NV", "transpose": true}]}}`
	d := read(t, Source{"f.json", []byte(fileOf(block, `"p": {"api-version": "1.3", "capabilities": ["b"]}`))})["p"].Device
	khr, flexible := d.Matrices[valid.MatricesKHR], d.Matrices[valid.MatricesFlexible]
	if len(khr) != 1 || khr[0] != (valid.MatrixShape{M: 16, N: 8, K: 32, A: spirv.ComponentTypeSignedInt8NV, B: spirv.ComponentTypeUnsignedInt8NV,
		C: spirv.ComponentTypeSignedInt32NV, Result: spirv.ComponentTypeSignedInt32NV, Saturating: true, Scope: spirv.ScopeSubgroup}) {
		t.Errorf("khr %+v", khr)
	}
	if len(flexible) != 1 || flexible[0].Invocations != 128 || flexible[0].Scope != spirv.ScopeWorkgroup || flexible[0].A != spirv.ComponentTypeFloatE4M3NV {
		t.Errorf("flexible %+v", flexible)
	}
	if _, known := d.Matrices[valid.MatricesNV]; known {
		t.Error("the list of NV is known")
	}
	if len(d.Vectors) != 1 || !d.Vectors[0].Transpose || d.Vectors[0].MatrixAs != spirv.ComponentTypeFloatE5M2NV {
		t.Errorf("vectors %+v", d.Vectors)
	}
}

// file puts a block and a list of profiles into a file.
func fileOf(block, profiles string) string {
	return `{"capabilities": {"b": ` + block + `}, "profiles": {` + profiles + `}}`
}

// TestFaults checks that a fault is reported with its path, and that no input is
// read as more than its contents.
func TestFaults(t *testing.T) {
	limits := func(s string) string {
		return fileOf(`{"properties": {"VkPhysicalDeviceProperties": {"limits": {`+s+`}}}}`, "")
	}
	var chain strings.Builder
	for i := range 100 {
		fmt.Fprintf(&chain, `"p%d": {"api-version": "1.1", "profiles": ["p%d"]}, `, i, i+1)
	}
	chain.WriteString(`"p100": {"api-version": "1.1"}`)
	choices := strings.TrimSuffix(strings.Repeat(`["b", "b"],`, 11), ",")
	for _, c := range []struct{ name, data, want string }{
		{"no JSON", "{\n  \"capabilities\": }", "f.json:2:19: error: invalid character"},
		{"empty", "", "f.json:1:1: error: the file is empty"},
		{"cut", "{\n  \"capabilities\": {", "f.json:2:19: error: the file ends inside of a value"},
		{"two values", "{} {}", "more than one value"},
		{"no object", "[]", "$: an array, must be an object"},
		{"something else", "{}", "no member capabilities"},
		{"feature", fileOf(`{"features": {"VkPhysicalDeviceFeatures": {"shaderInt64": 1}}}`, ""), "capabilities.b.features.VkPhysicalDeviceFeatures.shaderInt64: the number 1, must be true or false"},
		{"struct", fileOf(`{"features": {"VkPhysicalDeviceFeatures": true}}`, ""), "VkPhysicalDeviceFeatures: a Boolean, must be an object"},
		{"extension", fileOf(`{"extensions": {"VK_x": true}}`, ""), "capabilities.b.extensions.VK_x: a Boolean, must be the number of its revision"},
		{"limit", limits(`"maxComputeSharedMemorySize": "x"`), "capabilities.b.properties.VkPhysicalDeviceProperties.limits.maxComputeSharedMemorySize: a string, must be a whole number from 0"},
		{"below 0", limits(`"maxComputeSharedMemorySize": -1`), "the number -1, must be a whole number from 0"},
		{"fraction", limits(`"maxComputeSharedMemorySize": 1.5`), "the number 1.5, must be a whole number"},
		{"too large", limits(`"maxComputeSharedMemorySize": 18446744073709551616`), "must be a whole number"},
		{"list", fileOf(`{"properties": {"VkCooperativeMatrixPropertiesKHR": {}}}`, ""), "VkCooperativeMatrixPropertiesKHR: an object, must be an array"},
		{"component", fileOf(`{"properties": {"VkCooperativeMatrixPropertiesKHR": [{"AType": "FLOAT8"}]}}`, ""), `VkCooperativeMatrixPropertiesKHR[0].AType: "FLOAT8", must be a VkComponentTypeKHR`},
		{"size", fileOf(`{"properties": {"VkCooperativeMatrixPropertiesKHR": [{"AType": "FLOAT16", "BType": "FLOAT16", "CType": "FLOAT16", "MSize": -8}]}}`, ""), "VkCooperativeMatrixPropertiesKHR[0].MSize: the number -8, must be a whole number from 0"},
		{"no block", fileOf("{}", `"p": {"api-version": "1.1", "capabilities": ["c"]}`), `profiles.p.capabilities[0]: no block "c" in capabilities`},
		{"no choice", fileOf("{}", `"p": {"api-version": "1.1", "capabilities": [[]]}`), "profiles.p.capabilities[0]: an empty array"},
		{"no name", fileOf("{}", `"p": {"api-version": "1.1", "capabilities": [[[1]]]}`), "an array, must be the name of a block"},
		{"no version", fileOf("{}", `"p": {}`), "profiles.p: no member api-version"},
		{"version", fileOf("{}", `"p": {"api-version": "one"}`), `profiles.p.api-version: "one", must be one such as`},
		{"version 2", fileOf("{}", `"p": {"api-version": "2.0"}`), "must be one of Vulkan 1"},
		{"itself", fileOf("{}", `"p": {"api-version": "1.1", "profiles": ["p"]}`), "profiles.p.profiles: requires itself: p requires p"},
		{"cycle", fileOf("{}", `"p": {"api-version": "1.1", "profiles": ["q"]}, "q": {"api-version": "1.1", "profiles": ["p"]}`), "p requires q requires p"},
		{"nowhere", fileOf("{}", `"p": {"api-version": "1.1", "profiles": ["q"]}`), `requires "q", which no file has`},
		{"deep", fileOf("{}", chain.String()), "through more than 64 profiles"},
		{"many", fileOf("{}", `"p": {"api-version": "1.1", "capabilities": [`+choices+`]}`), "more than 1024 profiles"},
		{"nested", strings.Repeat("[", 1<<20), "error: "},
		{"large", strings.Repeat(" ", maxFile+1), "must be at most 8388608"},
	} {
		ps, _, err := Read(Source{"f.json", []byte(c.data)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d profiles, error %v; want %q", c.name, len(ps), err, c.want)
		}
	}
}

// TestWarnings checks that unknown parts are named and ignored.
func TestWarnings(t *testing.T) {
	_, warnings, err := Read(Source{"f.json", []byte(fileOf(`{"odd": 1,
		"features": {"VkPhysicalDeviceNewFeaturesX": {"brandNew": true}},
		"properties": {"VkPhysicalDeviceNewPropertiesX": {"newest": {"a": []}}, "VkPhysicalDeviceSubgroupProperties": {"supportedStages": ["VK_SHADER_STAGE_X"]}}}`, ""))})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(warnings, "\n")
	for _, want := range []string{
		"f.json:1:32: warning: capabilities.b.odd: unknown member",
		"capabilities.b.features.VkPhysicalDeviceNewFeaturesX.brandNew: unknown feature",
		"capabilities.b.properties.VkPhysicalDeviceNewPropertiesX.newest: unknown property",
		`supportedStages[0]: unknown flag "VK_SHADER_STAGE_X"`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning %q in\n%s", want, all)
		}
	}
	if len(warnings) != 4 {
		t.Errorf("%d warnings; want 4", len(warnings))
	}
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, `, "f%d": true`, i)
	}
	_, warnings, err = Read(Source{"f.json", []byte(fileOf(`{"features": {"S": {`+b.String()[1:]+`}}}`, ""))})
	if err != nil || len(warnings) != maxWarnings+1 || !strings.Contains(warnings[maxWarnings], "200 further warnings") {
		t.Errorf("%d warnings, %v; want %d and a count", len(warnings), err, maxWarnings)
	}
}

// TestBuiltin checks the built-in names and their versions.
func TestBuiltin(t *testing.T) {
	for _, name := range BuiltinNames() {
		p, ok := Builtin(name, valid.Vulkan12)
		if !ok || p.Name != name || p.Device == nil || p.Device.Name != name {
			t.Errorf("%s: %+v, %t", name, p, ok)
		}
	}
	for _, name := range []string{"", "min1", "min1.5", "max1.0", "min2.0", "mean"} {
		if _, ok := Builtin(name, valid.Vulkan12); ok {
			t.Errorf("%q is a profile", name)
		}
	}
	// Vulkan, Required Limits: 16,384 bytes before 1.4, and 256 invocations in it.
	p, _ := Builtin("min1.4", valid.Vulkan10)
	if p.Device.Limits["maxComputeWorkGroupInvocations"] != 256 || p.Device.Limits["maxStorageBufferRange"] != 1<<27 {
		t.Errorf("min1.4 has %d invocations", p.Device.Limits["maxComputeWorkGroupInvocations"])
	}
}

// FuzzRead demands an answer of any file.
func FuzzRead(f *testing.F) {
	f.Add([]byte(roadmap))
	f.Add([]byte(`{"capabilities": {"b": {}}, "profiles": {"p": {"api-version": "1.1", "profiles": ["p"]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		ps, _, err := Read(Source{"f.json", data})
		if err == nil {
			for _, p := range ps {
				if p.Device == nil || p.Version < valid.Vulkan10 || p.Version > valid.Vulkan14 {
					t.Errorf("%s: version %v", p.Name, p.Version)
				}
			}
		}
	})
}

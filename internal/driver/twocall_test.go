package driver

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// query is a command that returns a list in two calls: the number of its elements, and then the elements.
type query struct {
	name string
	size int // bytes of an element
	get  func(count *uint, to unsafe.Pointer) abi.Result
	void bool // the command has no result
	data bool // data that does not fit is not written in part
}

// listed is a query of a command with a count of 32 bits.
func listed[T, A any](name string, number int, args func(n *uint32, to *T) *A) query {
	return query{name: name, size: int(unsafe.Sizeof(*new(T))), get: func(count *uint, to unsafe.Pointer) abi.Result {
		n := uint32(*count)
		r := do(number, args(&n, (*T)(to)))
		*count = uint(n)
		return r
	}}
}

// dataOf is a query of a command that returns bytes.
func dataOf[A any](name string, number int, args func(size *uint, to unsafe.Pointer) *A) query {
	return query{name: name, size: 1, data: true, get: func(size *uint, to unsafe.Pointer) abi.Result { return do(number, args(size, to)) }}
}

// read calls the command with space for some elements. The memory after them must not change.
func (q *query) read(t *testing.T, space uint) (content []byte, count uint, r abi.Result) {
	t.Helper()
	n := int(space) * q.size
	words := make([]uint64, n/8+1+(q.size+7)/8)
	all := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
	after := all[n:]
	for i := range after {
		after[i] = 0xa5
	}
	count = space
	r = q.get(&count, unsafe.Pointer(&words[0]))
	for i, b := range after {
		if b != 0xa5 {
			t.Errorf("%s with space for %d elements writes byte %d after them", q.name, space, i)
			break
		}
	}
	return all[:n], count, r
}

// check compares the answers to a count, to arrays that are long enough and to shorter ones.
func (q *query) check(t *testing.T) {
	t.Helper()
	n := ^uint(0) >> 33 // ignored
	if r := q.get(&n, nil); r != abi.Success || n == 0 || n > 1<<20 {
		t.Errorf("%s: result %d, %d elements", q.name, r, n)
		return
	}
	whole, count, r := q.read(t, n)
	if r != abi.Success || count != n {
		t.Errorf("%s with space for all %d elements: result %d, count %d", q.name, n, r, count)
	}
	if bytes.Count(whole, []byte{0}) == len(whole) {
		t.Errorf("%s: all elements are zero", q.name)
	}
	for _, space := range []uint{n + 2, n - 1, n / 2, 0} {
		result, want := abi.Result(abi.Success), min(space, n)
		if space < n && !q.void {
			result = abi.Incomplete
		}
		if space < n && q.data {
			want = 0
		}
		content, count, r := q.read(t, space)
		if r != result || count != want {
			t.Errorf("%s with space for %d of %d elements: result %d, count %d; must be %d, %d", q.name, space, n, r, count, result, want)
			continue
		}
		written, rest := content[:int(want)*q.size], content[int(want)*q.size:]
		if !bytes.Equal(written, whole[:len(written)]) {
			t.Errorf("%s with space for %d of %d elements: other elements", q.name, space, n)
		}
		if bytes.Count(rest, []byte{0}) != len(rest) {
			t.Errorf("%s with space for %d of %d elements: more than %d are written", q.name, space, n, want)
		}
	}
}

// TestTwoCalls makes the two calls of the commands that return lists and data.
func TestTwoCalls(t *testing.T) {
	p := newProgram(t)
	families := listed("vkGetPhysicalDeviceQueueFamilyProperties", abi.CmdGetPhysicalDeviceQueueFamilyProperties, func(n *uint32, to *abi.QueueFamilyProperties) *abi.GetPhysicalDeviceQueueFamilyPropertiesArgs {
		return &abi.GetPhysicalDeviceQueueFamilyPropertiesArgs{PhysicalDevice: p.physical, PQueueFamilyPropertyCount: n, PQueueFamilyProperties: to}
	})
	families2 := listed("vkGetPhysicalDeviceQueueFamilyProperties2", abi.CmdGetPhysicalDeviceQueueFamilyProperties2, func(n *uint32, to *abi.QueueFamilyProperties2) *abi.GetPhysicalDeviceQueueFamilyProperties2Args {
		return &abi.GetPhysicalDeviceQueueFamilyProperties2Args{PhysicalDevice: p.physical, PQueueFamilyPropertyCount: n, PQueueFamilyProperties: to}
	})
	families.void, families2.void = true, true
	queries := []query{
		families, families2,
		listed("vkEnumerateInstanceExtensionProperties", abi.CmdEnumerateInstanceExtensionProperties, func(n *uint32, to *abi.ExtensionProperties) *abi.EnumerateInstanceExtensionPropertiesArgs {
			return &abi.EnumerateInstanceExtensionPropertiesArgs{PPropertyCount: n, PProperties: to}
		}),
		listed("vkEnumeratePhysicalDevices", abi.CmdEnumeratePhysicalDevices, func(n *uint32, to *abi.PhysicalDevice) *abi.EnumeratePhysicalDevicesArgs {
			return &abi.EnumeratePhysicalDevicesArgs{Instance: p.instance, PPhysicalDeviceCount: n, PPhysicalDevices: to}
		}),
		listed("vkEnumeratePhysicalDeviceGroups", abi.CmdEnumeratePhysicalDeviceGroups, func(n *uint32, to *abi.PhysicalDeviceGroupProperties) *abi.EnumeratePhysicalDeviceGroupsArgs {
			return &abi.EnumeratePhysicalDeviceGroupsArgs{Instance: p.instance, PPhysicalDeviceGroupCount: n, PPhysicalDeviceGroupProperties: to}
		}),
		listed("vkEnumerateDeviceExtensionProperties", abi.CmdEnumerateDeviceExtensionProperties, func(n *uint32, to *abi.ExtensionProperties) *abi.EnumerateDeviceExtensionPropertiesArgs {
			return &abi.EnumerateDeviceExtensionPropertiesArgs{PhysicalDevice: p.physical, PPropertyCount: n, PProperties: to}
		}),
		listed("vkGetPhysicalDeviceCalibrateableTimeDomainsKHR", abi.CmdGetPhysicalDeviceCalibrateableTimeDomainsKHR, func(n *uint32, to *uint32) *abi.GetPhysicalDeviceCalibrateableTimeDomainsKHRArgs {
			return &abi.GetPhysicalDeviceCalibrateableTimeDomainsKHRArgs{PhysicalDevice: p.physical, PTimeDomainCount: n, PTimeDomains: to}
		}),
		listed("vkGetPhysicalDeviceFragmentShadingRatesKHR", abi.CmdGetPhysicalDeviceFragmentShadingRatesKHR, func(n *uint32, to *abi.PhysicalDeviceFragmentShadingRateKHR) *abi.GetPhysicalDeviceFragmentShadingRatesKHRArgs {
			return &abi.GetPhysicalDeviceFragmentShadingRatesKHRArgs{PhysicalDevice: p.physical, PFragmentShadingRateCount: n, PFragmentShadingRates: to}
		}),
	}
	queries = append(queries, p.productQueries()...)
	queries = append(queries, p.shaderQueries()...)
	for i := range queries {
		queries[i].check(t)
	}
}

// productQueries are the lists of cooperative matrices and vectors.
func (p *program) productQueries() []query {
	const subgroup = 3 // VK_SCOPE_SUBGROUP_KHR
	return []query{
		listed("vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", abi.CmdGetPhysicalDeviceCooperativeMatrixPropertiesKHR, func(n *uint32, to *abi.CooperativeMatrixPropertiesKHR) *abi.GetPhysicalDeviceCooperativeMatrixPropertiesKHRArgs {
			return &abi.GetPhysicalDeviceCooperativeMatrixPropertiesKHRArgs{PhysicalDevice: p.physical, PPropertyCount: n, PProperties: to}
		}),
		listed("vkGetPhysicalDeviceCooperativeMatrixPropertiesNV", abi.CmdGetPhysicalDeviceCooperativeMatrixPropertiesNV, func(n *uint32, to *abi.CooperativeMatrixPropertiesNV) *abi.GetPhysicalDeviceCooperativeMatrixPropertiesNVArgs {
			return &abi.GetPhysicalDeviceCooperativeMatrixPropertiesNVArgs{PhysicalDevice: p.physical, PPropertyCount: n, PProperties: to}
		}),
		listed("vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV", abi.CmdGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV, func(n *uint32, to *abi.CooperativeMatrixFlexibleDimensionsPropertiesNV) *abi.GetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNVArgs {
			return &abi.GetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNVArgs{PhysicalDevice: p.physical, PPropertyCount: n, PProperties: to}
		}),
		listed("vkGetPhysicalDeviceCooperativeMatrixProperties2EXT", abi.CmdGetPhysicalDeviceCooperativeMatrixProperties2EXT, func(n *uint32, to *abi.CooperativeMatrixProperties2EXT) *abi.GetPhysicalDeviceCooperativeMatrixProperties2EXTArgs {
			return &abi.GetPhysicalDeviceCooperativeMatrixProperties2EXTArgs{PhysicalDevice: p.physical, PCooperativeMatrixInfo: &abi.PhysicalDeviceCooperativeMatrixInfo2EXT{SType: abi.StructureTypePhysicalDeviceCooperativeMatrixInfo2EXT, Scope: subgroup}, PPropertyCount: n, PProperties: to}
		}),
		listed("vkGetPhysicalDeviceCooperativeVectorPropertiesNV", abi.CmdGetPhysicalDeviceCooperativeVectorPropertiesNV, func(n *uint32, to *abi.CooperativeVectorPropertiesNV) *abi.GetPhysicalDeviceCooperativeVectorPropertiesNVArgs {
			return &abi.GetPhysicalDeviceCooperativeVectorPropertiesNVArgs{PhysicalDevice: p.physical, PPropertyCount: n, PProperties: to}
		}),
	}
}

// shaderQueries are the metrics of two dispatches, and the data of caches and of a shader object.
func (p *program) shaderQueries() []query {
	b, _ := p.buffer(8)
	_, layout, set := p.kernel(numbers, b)
	setLayout, _ := p.layouts(0)
	code := p.words(numbers)
	var validated abi.ValidationCacheEXT
	must(p, abi.CmdCreateValidationCacheEXT, &abi.CreateValidationCacheEXTArgs{Device: p.device, PCreateInfo: &abi.ValidationCacheCreateInfoEXT{SType: abi.StructureTypeValidationCacheCreateInfoEXT}, PValidationCache: &validated})
	var compiled abi.PipelineCache
	must(p, abi.CmdCreatePipelineCache, &abi.CreatePipelineCacheArgs{Device: p.device, PCreateInfo: &abi.PipelineCacheCreateInfo{}, PPipelineCache: &compiled})
	var metrics abi.ShaderInstrumentationARM
	must(p, abi.CmdCreateShaderInstrumentationARM, &abi.CreateShaderInstrumentationARMArgs{Device: p.device, PCreateInfo: &abi.ShaderInstrumentationCreateInfoARM{SType: abi.StructureTypeShaderInstrumentationCreateInfoARM}, PInstrumentation: &metrics})
	var module abi.ShaderModule
	must(p, abi.CmdCreateShaderModule, &abi.CreateShaderModuleArgs{Device: p.device, PCreateInfo: &abi.ShaderModuleCreateInfo{SType: abi.StructureTypeShaderModuleCreateInfo, CodeSize: uint(4 * len(code)), PCode: &code[0]}, PShaderModule: &module})
	flags := abi.PipelineCreateFlags2CreateInfo{SType: abi.StructureTypePipelineCreateFlags2CreateInfo, Flags: abi.PipelineCreate2InstrumentShadersBitARM}
	info := abi.ComputePipelineCreateInfo{SType: abi.StructureTypeComputePipelineCreateInfo, PNext: unsafe.Pointer(&flags), Layout: layout, Stage: abi.PipelineShaderStageCreateInfo{SType: abi.StructureTypePipelineShaderStageCreateInfo, Stage: abi.ShaderStageComputeBit, Module: module, PName: &mainName[0]}}
	var pipe abi.Pipeline
	must(p, abi.CmdCreateComputePipelines, &abi.CreateComputePipelinesArgs{Device: p.device, PipelineCache: compiled, CreateInfoCount: 1, PPipelines: &pipe, PCreateInfos: &info})
	p.submit(func(c abi.CommandBuffer) {
		bindKernel(c, pipe, layout, set)
		push(c, layout, 3)
		do(abi.CmdCmdBeginShaderInstrumentationARM, &abi.CmdBeginShaderInstrumentationARMArgs{CommandBuffer: c, Instrumentation: metrics})
		dispatch(c)
		dispatch(c)
		do(abi.CmdCmdEndShaderInstrumentationARM, &abi.CmdEndShaderInstrumentationARMArgs{CommandBuffer: c})
	})
	var object abi.ShaderEXT
	must(p, abi.CmdCreateShadersEXT, &abi.CreateShadersEXTArgs{Device: p.device, CreateInfoCount: 1, PShaders: &object, PCreateInfos: &abi.ShaderCreateInfoEXT{SType: abi.StructureTypeShaderCreateInfoEXT,
		Stage: abi.ShaderStageComputeBit, CodeType: abi.ShaderCodeTypeSpirvEXT, CodeSize: uint(4 * len(code)), PCode: unsafe.Pointer(&code[0]), PName: &mainName[0],
		SetLayoutCount: 1, PSetLayouts: &setLayout, PushConstantRangeCount: 1, PPushConstantRanges: &pushOfKernel,
	}})
	descriptions := listed("vkEnumeratePhysicalDeviceShaderInstrumentationMetricsARM", abi.CmdEnumeratePhysicalDeviceShaderInstrumentationMetricsARM, func(n *uint32, to *abi.ShaderInstrumentationMetricDescriptionARM) *abi.EnumeratePhysicalDeviceShaderInstrumentationMetricsARMArgs {
		return &abi.EnumeratePhysicalDeviceShaderInstrumentationMetricsARMArgs{PhysicalDevice: p.physical, PDescriptionCount: n, PDescriptions: to}
	})
	count := uint(0)
	if r := descriptions.get(&count, nil); r != abi.Success || count == 0 {
		p.Fatalf("%d metrics, result %d", count, r)
	}
	// Each block is a VkShaderInstrumentationMetricDataHeaderARM of four words, and a value of each metric.
	values := listed("vkGetShaderInstrumentationValuesARM", abi.CmdGetShaderInstrumentationValuesARM, func(n *uint32, to *[4]uint32) *abi.GetShaderInstrumentationValuesARMArgs {
		return &abi.GetShaderInstrumentationValuesARMArgs{Device: p.device, Instrumentation: metrics, PMetricBlockCount: n, PMetricValues: unsafe.Pointer(to)}
	})
	values.size += 8 * int(count)
	return []query{
		descriptions, values,
		dataOf("vkGetValidationCacheDataEXT", abi.CmdGetValidationCacheDataEXT, func(size *uint, to unsafe.Pointer) *abi.GetValidationCacheDataEXTArgs {
			return &abi.GetValidationCacheDataEXTArgs{Device: p.device, ValidationCache: validated, PDataSize: size, PData: to}
		}),
		dataOf("vkGetPipelineCacheData", abi.CmdGetPipelineCacheData, func(size *uint, to unsafe.Pointer) *abi.GetPipelineCacheDataArgs {
			return &abi.GetPipelineCacheDataArgs{Device: p.device, PipelineCache: compiled, PDataSize: size, PData: to}
		}),
		dataOf("vkGetShaderBinaryDataEXT", abi.CmdGetShaderBinaryDataEXT, func(size *uint, to unsafe.Pointer) *abi.GetShaderBinaryDataEXTArgs {
			return &abi.GetShaderBinaryDataEXTArgs{Device: p.device, Shader: object, PDataSize: size, PData: to}
		}),
	}
}

// TestModuleIdentifiers: the identifier of a module is the identifier of its description, and fits into its array.
func TestModuleIdentifiers(t *testing.T) {
	p := newProgram(t)
	code := p.words(numbers)
	info := abi.ShaderModuleCreateInfo{SType: abi.StructureTypeShaderModuleCreateInfo, CodeSize: uint(4 * len(code)), PCode: &code[0]}
	var module abi.ShaderModule
	must(p, abi.CmdCreateShaderModule, &abi.CreateShaderModuleArgs{Device: p.device, PCreateInfo: &info, PShaderModule: &module})
	var made, described abi.ShaderModuleIdentifierEXT
	do(abi.CmdGetShaderModuleIdentifierEXT, &abi.GetShaderModuleIdentifierEXTArgs{Device: p.device, ShaderModule: module, PIdentifier: &made})
	do(abi.CmdGetShaderModuleCreateInfoIdentifierEXT, &abi.GetShaderModuleCreateInfoIdentifierEXTArgs{Device: p.device, PCreateInfo: &info, PIdentifier: &described})
	if n := made.IdentifierSize; n == 0 || n > uint32(len(made.Identifier)) || made.Identifier == [32]uint8{} {
		t.Errorf("the identifier has %d bytes: % x", n, made.Identifier)
	}
	if made.IdentifierSize != described.IdentifierSize || made.Identifier != described.Identifier {
		t.Errorf("the module has the identifier % x, and its description % x", made.Identifier, described.Identifier)
	}
}

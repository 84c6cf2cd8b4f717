package driver

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// told runs calls and returns the rules that a messenger hears of.
func told(t *testing.T, p *program, list *[]heard, calls func()) (rules []string) {
	t.Helper()
	*list = nil
	calls()
	for _, h := range *list {
		if h.id != "" {
			rules = append(rules, h.id)
		}
	}
	return rules
}

// TestFormCalls breaks rules on the memory of calls: a messenger hears of each, and of none for a call that follows them.
func TestFormCalls(t *testing.T) {
	list := listen(t)
	p, other := newProgram(t), newProgram(t)
	info := abi.DebugUtilsMessengerCreateInfoEXT{SType: abi.StructureTypeDebugUtilsMessengerCreateInfoEXT, MessageSeverity: severeError, MessageType: ofValidation, PfnUserCallback: unsafe.Pointer(&callback)}
	var m abi.DebugUtilsMessengerEXT
	must(p, abi.CmdCreateDebugUtilsMessengerEXT, &abi.CreateDebugUtilsMessengerEXTArgs{Instance: p.instance, PCreateInfo: &info, PMessenger: &m})
	functions := &abi.AllocationCallbacks{PfnAllocation: unsafe.Pointer(&callback), PfnReallocation: unsafe.Pointer(&callback), PfnFree: unsafe.Pointer(&callback)}
	layoutInfo := &abi.PipelineLayoutCreateInfo{SType: abi.StructureTypePipelineLayoutCreateInfo}
	setInfo := &abi.DescriptorSetLayoutCreateInfo{SType: abi.StructureTypeDescriptorSetLayoutCreateInfo}
	layout := func(p *program, a *abi.AllocationCallbacks) (l abi.PipelineLayout) {
		must(p, abi.CmdCreatePipelineLayout, &abi.CreatePipelineLayoutArgs{Device: p.device, PCreateInfo: layoutInfo, PAllocator: a, PPipelineLayout: &l})
		return l
	}
	for _, k := range []struct {
		name  string
		calls func()
		rules []string
	}{
		{"valid calls", func() {
			l := layout(p, functions)
			do(abi.CmdDestroyPipelineLayout, &abi.DestroyPipelineLayoutArgs{Device: p.device, PipelineLayout: l, PAllocator: functions})
			do(abi.CmdDestroyPipelineLayout, &abi.DestroyPipelineLayoutArgs{Device: p.device})
		}, nil},
		{"no creation info", func() {
			var l abi.PipelineLayout
			do(abi.CmdCreatePipelineLayout, &abi.CreatePipelineLayoutArgs{Device: p.device, PPipelineLayout: &l})
		}, []string{"VUID-vkCreatePipelineLayout-pCreateInfo-parameter"}},
		{"no place for the result", func() {
			do(abi.CmdCreateDescriptorSetLayout, &abi.CreateDescriptorSetLayoutArgs{Device: p.device, PCreateInfo: setInfo})
		}, []string{"VUID-vkCreateDescriptorSetLayout-pSetLayout-parameter"}},
		{"a layout of another device", func() {
			l := layout(other, nil)
			do(abi.CmdDestroyPipelineLayout, &abi.DestroyPipelineLayoutArgs{Device: p.device, PipelineLayout: l})
		}, []string{"VUID-vkDestroyPipelineLayout-pipelineLayout-parent"}},
		{"callbacks without a release", func() {
			layout(p, &abi.AllocationCallbacks{PfnAllocation: unsafe.Pointer(&callback), PfnReallocation: unsafe.Pointer(&callback)})
		}, []string{"VUID-vkCreatePipelineLayout-pAllocator-parameter"}},
		{"a layout with callbacks, destroyed without", func() {
			l := layout(p, functions)
			do(abi.CmdDestroyPipelineLayout, &abi.DestroyPipelineLayoutArgs{Device: p.device, PipelineLayout: l})
		}, []string{vuid.VkDestroyPipelineLayout_pipelineLayout_00299}},
		{"a layout without callbacks, destroyed with some", func() {
			l := layout(p, nil)
			do(abi.CmdDestroyPipelineLayout, &abi.DestroyPipelineLayoutArgs{Device: p.device, PipelineLayout: l, PAllocator: functions})
		}, []string{vuid.VkDestroyPipelineLayout_pipelineLayout_00300}},
		{"a set layout without callbacks, destroyed with some", func() {
			var l abi.DescriptorSetLayout
			must(p, abi.CmdCreateDescriptorSetLayout, &abi.CreateDescriptorSetLayoutArgs{Device: p.device, PCreateInfo: setInfo, PSetLayout: &l})
			do(abi.CmdDestroyDescriptorSetLayout, &abi.DestroyDescriptorSetLayoutArgs{Device: p.device, DescriptorSetLayout: l, PAllocator: functions})
		}, []string{vuid.VkDestroyDescriptorSetLayout_descriptorSetLayout_00285}},
		{"a set layout with callbacks, destroyed without", func() {
			var l abi.DescriptorSetLayout
			must(p, abi.CmdCreateDescriptorSetLayout, &abi.CreateDescriptorSetLayoutArgs{Device: p.device, PCreateInfo: setInfo, PAllocator: functions, PSetLayout: &l})
			do(abi.CmdDestroyDescriptorSetLayout, &abi.DestroyDescriptorSetLayoutArgs{Device: p.device, DescriptorSetLayout: l})
		}, []string{vuid.VkDestroyDescriptorSetLayout_descriptorSetLayout_00284}},
		{"validation caches with and without callbacks", func() {
			cacheInfo := &abi.ValidationCacheCreateInfoEXT{SType: abi.StructureTypeValidationCacheCreateInfoEXT}
			for _, a := range []*abi.AllocationCallbacks{functions, nil} {
				var c abi.ValidationCacheEXT
				must(p, abi.CmdCreateValidationCacheEXT, &abi.CreateValidationCacheEXTArgs{Device: p.device, PCreateInfo: cacheInfo, PAllocator: a, PValidationCache: &c})
				wrong := functions
				if a != nil {
					wrong = nil
				}
				do(abi.CmdDestroyValidationCacheEXT, &abi.DestroyValidationCacheEXTArgs{Device: p.device, ValidationCache: c, PAllocator: wrong})
			}
		}, []string{vuid.VkDestroyValidationCacheEXT_validationCache_01537, vuid.VkDestroyValidationCacheEXT_validationCache_01538}},
		{"a module with a chain of a layout, and without code", func() {
			var x abi.ShaderModule
			do(abi.CmdCreateShaderModule, &abi.CreateShaderModuleArgs{Device: p.device, PShaderModule: &x, PCreateInfo: &abi.ShaderModuleCreateInfo{
				SType: abi.StructureTypeShaderModuleCreateInfo, PNext: unsafe.Pointer(layoutInfo), CodeSize: 20,
			}})
		}, []string{vuid.VkCreateShaderModule_pCreateInfo_06904, "VUID-VkShaderModuleCreateInfo-pCode-parameter"}},
		{"a constant range without stages", func() {
			var l abi.PipelineLayout
			do(abi.CmdCreatePipelineLayout, &abi.CreatePipelineLayoutArgs{Device: p.device, PPipelineLayout: &l, PCreateInfo: &abi.PipelineLayoutCreateInfo{
				SType: abi.StructureTypePipelineLayoutCreateInfo, PushConstantRangeCount: 1, PPushConstantRanges: &abi.PushConstantRange{Size: 4},
			}})
		}, []string{"VUID-VkPushConstantRange-stageFlags-requiredbitmask"}},
	} {
		got := told(t, p, list, k.calls)
		for _, rule := range k.rules {
			if !slices.Contains(got, rule) {
				t.Errorf("%s: heard of %v; must hear of %s", k.name, got, rule)
			}
		}
		if len(k.rules) == 0 && len(got) > 0 {
			t.Errorf("%s: heard of %v; must hear of nothing", k.name, got)
		}
	}
}

// TestExplicitForms breaks the rules on memory that the forms do not have.
func TestExplicitForms(t *testing.T) {
	p := newProgram(t)
	d := deviceOf(p.device)
	bare := &device{}
	var b formMemory
	aligned := uintptr(b.alloc(64))
	at := func(n uintptr) (x unsafe.Pointer) {
		*(*uintptr)(unsafe.Pointer(&x)) = (aligned+15)&^15 + n
		return x
	}
	word := func(n uintptr) *uint32 { return (*uint32)(at(n)) }
	named := &abi.SamplerCreateInfo{PNext: unsafe.Pointer(&abi.DebugUtilsObjectNameInfoEXT{SType: abi.StructureTypeDebugUtilsObjectNameInfoEXT, ObjectType: abi.ObjectTypeSampler})}
	part := &abi.GraphicsPipelineLibraryCreateInfoEXT{SType: abi.StructureTypeGraphicsPipelineLibraryCreateInfoEXT, Flags: uint32(enum.PartsFragmentOutputInterface)}
	stale := abi.DescriptorSetLayout(0x123)
	mine, foreign := entry(t, &pipelineLayouts, d), entry(t, &pipelines, bare)
	for _, k := range []struct {
		rule string
		do   func(c *formCheck, wrong bool)
	}{
		{vuid.VkGetShaderBinaryDataEXT_None_08499, func(c *formCheck, wrong bool) {
			a := &abi.GetShaderBinaryDataEXTArgs{PData: at(0)}
			if wrong {
				a.PData = at(4)
			}
			explicitForms[abi.CmdGetShaderBinaryDataEXT](c, unsafe.Pointer(a))
		}},
		{vuid.VkShaderCreateInfoEXT_pCode_08493, func(c *formCheck, wrong bool) {
			i := &abi.ShaderCreateInfoEXT{CodeType: abi.ShaderCodeTypeSpirvEXT, PCode: unsafe.Pointer(word(0))}
			if wrong {
				i.PCode = at(2)
			}
			c.shaderInfo(i)
		}},
		{vuid.VkShaderCreateInfoEXT_setLayoutCount_13360, func(c *formCheck, wrong bool) {
			i := &abi.ShaderCreateInfoEXT{Flags: abi.ShaderCreateIndependentSetsBitKHR, SetLayoutCount: 1, PSetLayouts: new(abi.DescriptorSetLayout)}
			if wrong {
				i.PSetLayouts = &stale
			}
			c.shaderInfo(i)
		}},
		{vuid.VkGraphicsPipelineCreateInfo_flags_06643, func(c *formCheck, wrong bool) {
			i := &abi.GraphicsPipelineCreateInfo{PNext: unsafe.Pointer(part)}
			if wrong {
				i.RenderPass = 0x123
			}
			c.partPass(i)
		}},
		{vuid.VkComputePipelineCreateInfo_commonparent, func(c *formCheck, wrong bool) {
			i := &abi.ComputePipelineCreateInfo{Layout: abi.PipelineLayout(mine), BasePipelineHandle: abi.Pipeline(foreign), BasePipelineIndex: -1}
			if wrong {
				i.Flags = abi.PipelineCreateDerivativeBit
			}
			explicitStructs["VkComputePipelineCreateInfo"](c, unsafe.Pointer(i))
		}},
		{vuid.VkRayTracingPipelineCreateInfoKHR_commonparent, func(c *formCheck, wrong bool) {
			i := &abi.RayTracingPipelineCreateInfoKHR{Layout: abi.PipelineLayout(mine), BasePipelineHandle: abi.Pipeline(foreign), BasePipelineIndex: -1}
			if wrong {
				i.Flags = abi.PipelineCreateDerivativeBit
			}
			explicitStructs["VkRayTracingPipelineCreateInfoKHR"](c, unsafe.Pointer(i))
		}},
		{vuid.VkExecutionGraphPipelineCreateInfoAMDX_commonparent, func(c *formCheck, wrong bool) {
			i := &abi.ExecutionGraphPipelineCreateInfoAMDX{Layout: abi.PipelineLayout(mine), BasePipelineHandle: abi.Pipeline(foreign), BasePipelineIndex: -1}
			if wrong {
				i.Flags = abi.PipelineCreateDerivativeBit
			}
			explicitStructs["VkExecutionGraphPipelineCreateInfoAMDX"](c, unsafe.Pointer(i))
		}},
	} {
		for _, wrong := range []bool{false, true} {
			var got []string
			k.do(&formCheck{device: d, report: func(rule, _ string) { got = append(got, rule) }}, wrong)
			if want := wrong; (len(got) == 1 && got[0] == k.rule) != want || !wrong && len(got) > 0 {
				t.Errorf("%s: wrong is %t, and the check tells of %v", k.rule, wrong, got)
			}
		}
	}
	for _, name := range []string{"ConstantOffset", "PushIndex", "IndirectIndex", "IndirectIndexArray", "ShaderRecordIndex"} {
		name = "VkDescriptorMappingSource" + name + "EXT"
		f := formsByName()[name]
		n := slices.IndexFunc(f.Fields, func(m abi.FormField) bool { return m.Name == "pEmbeddedSampler" })
		for _, kind := range []uint32{abi.ObjectTypeUnknown, abi.ObjectTypeSampler} {
			(*abi.DebugUtilsObjectNameInfoEXT)(named.PNext).ObjectType = kind
			x := b.alloc(f.Size)
			*(**abi.SamplerCreateInfo)(unsafe.Add(x, f.Fields[n].Offset)) = named
			var got []string
			explicitStructs[name](&formCheck{report: func(rule, _ string) { got = append(got, rule) }}, x)
			if (len(got) == 1 && got[0] == "VUID-"+name+"-pEmbeddedSampler-11415") != (kind == abi.ObjectTypeSampler) {
				t.Errorf("%s: the name of an object of the type %d breaks %v", name, kind, got)
			}
		}
	}
	for _, name := range []string{"vkCreateCudaModuleNV", "vkCreateCudaFunctionNV", "vkCreateShaderInstrumentationARM", "vkCreateValidationCacheEXT"} {
		var got []string
		c := &formCheck{device: bare, report: func(rule, _ string) { got = append(got, rule) }}
		f := formsByName()[name]
		c.fields(f, b.alloc(f.Size))
		if !slices.Contains(got, "VUID-"+name+"-device-queuecount") {
			t.Errorf("%s of a device without queues breaks %v", name, got)
		}
	}
}

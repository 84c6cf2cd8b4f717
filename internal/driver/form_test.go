package driver

import (
	"math/bits"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// formMemory builds structs that follow all rules, in memory that it keeps alive.
type formMemory struct {
	device  *device
	handles map[string]uint64
	keep    [][]uint64
}

func newFormMemory(t *testing.T, p *program) *formMemory {
	d := deviceOf(p.device)
	_, c := p.commands()
	m := &formMemory{device: d, handles: map[string]uint64{
		"VkDevice": handleNumber(p.device), "VkPhysicalDevice": handleNumber(p.physical), "VkCommandBuffer": handleNumber(c),
	}}
	for kind, h := range map[string]uint64{
		"VkPipelineLayout": entry(t, &pipelineLayouts, d), "VkDescriptorSetLayout": entry(t, &setLayouts, d), "VkShaderModule": entry(t, &shaderModules, d),
		"VkValidationCacheEXT": entry(t, &validationCaches, d), "VkShaderInstrumentationARM": entry(t, &instrumentations, d), "VkCudaModuleNV": entry(t, &cudaModules, d), "VkCudaFunctionNV": entry(t, &cudaFunctions, d), "VkShaderEXT": entry(t, &shaders, d),
		"VkPipelineCache": entry(t, &pipelineCaches, d), "VkDeferredOperationKHR": entry(t, &deferredOperations, d), "VkPipeline": entry(t, &pipelines, d),
		"VkPipelineBinaryKHR": entry(t, &pipelineBinaries, d), "VkRenderPass": entry(t, &renderPasses, d), "VkSamplerYcbcrConversion": entry(t, &conversions, d),
	} {
		m.handles[kind] = h
	}
	return m
}

// entry makes a handle of a device, with an object that no check looks into.
func entry[T any](t *testing.T, in *table[T], d *device) uint64 {
	h := in.add(new(T))
	in.find(h).device.Store(d)
	t.Cleanup(func() { in.remove(h) })
	return h
}

func (b *formMemory) alloc(bytes uintptr) unsafe.Pointer {
	words := make([]uint64, bytes/8+1)
	b.keep = append(b.keep, words)
	return unsafe.Pointer(&words[0])
}

// build makes a struct, or the arguments of a call, whose arrays have one element.
func (b *formMemory) build(f *abi.Form) unsafe.Pointer {
	p := b.alloc(f.Size)
	b.fill(f, p)
	return p
}

func (b *formMemory) fill(f *abi.Form, p unsafe.Pointer) {
	if f.SType != 0 {
		*(*uint32)(p) = f.SType
	}
	for i := range f.Fields {
		m := &f.Fields[i]
		at := unsafe.Add(p, m.Offset)
		switch {
		case m.Kind == abi.FormLength:
			putWord(at, m.Size, 1)
			continue
		case len(m.Selects) > 0 && m.Selects[0] != *(*uint32)(unsafe.Add(p, m.Selector)):
			continue
		case m.Pointer && m.Optional && m.Count.Size == 0:
			continue
		case m.Pointer:
			if m.Count.Size != 0 {
				b.count(p, m.Count)
			}
			to := b.alloc(max(m.Size, 16))
			*(*unsafe.Pointer)(at) = to
			at = to
		}
		switch m.Kind {
		case abi.FormStruct:
			b.fill(&abi.Forms[m.Of], at)
		case abi.FormHandle:
			*(*uint64)(at) = b.handles[abi.FormHandles[m.Of]]
		case abi.FormEnum, abi.FormBit, abi.FormMask:
			if values := abi.FormSets[m.Of].Values; len(values) > 0 {
				putWord(at, m.Size, values[0])
			}
		case abi.FormString:
			copy(unsafe.Slice((*byte)(at), 5), "main\x00")
		}
	}
}

// count makes the length of an array 1.
func (b *formMemory) count(p unsafe.Pointer, n abi.FormCount) {
	at := unsafe.Add(p, n.Offset)
	if n.Pointer {
		*(*unsafe.Pointer)(at) = b.alloc(8)
		at = *(*unsafe.Pointer)(at)
	}
	putWord(at, n.Size, uint64(max(n.Unit, 1)))
}

func putWord(at unsafe.Pointer, size uintptr, v uint64) {
	if size == 8 {
		*(*uint64)(at) = v
	} else {
		*(*uint32)(at) = uint32(v)
	}
}

// broken returns the rules that a struct or the arguments of a call break.
func (b *formMemory) broken(f *abi.Form, p unsafe.Pointer) (rules []string) {
	c := &formCheck{device: b.device, report: func(rule, _ string) { rules = append(rules, rule) }}
	if f.SType != 0 {
		c.structure(f, p, false)
	} else {
		c.fields(f, p)
	}
	return rules
}

// violation breaks a rule in memory that follows all.
type violation struct {
	rule string
	do   func(p unsafe.Pointer)
}

// violations returns a violation for each rule of a form.
func (b *formMemory) violations(f *abi.Form, foreign *formMemory) (out []violation) {
	add := func(member, end string, do func(p unsafe.Pointer)) {
		out = append(out, violation{"VUID-" + f.Name + "-" + member + "-" + end, do})
	}
	if f.SType != 0 {
		add("sType", "sType", func(p unsafe.Pointer) { *(*uint32)(p) = 3 })
		add("pNext", "pNext", func(p unsafe.Pointer) {
			x := b.alloc(unsafe.Sizeof(abi.Base{}))
			*(*uint32)(x) = 0x7fffffff
			(*abi.Base)(p).PNext = x
		})
		if len(f.Chain) > 0 && f.SType != abi.StructureTypeShaderModuleCreateInfo {
			add("sType", "unique", func(p unsafe.Pointer) {
				x, y := b.build(structForms()[f.Chain[0]]), b.build(structForms()[f.Chain[0]])
				(*abi.Base)(p).PNext, (*abi.Base)(x).PNext = x, y
			})
		}
	}
	shared := 0
	for i := range f.Fields {
		m := &f.Fields[i]
		member := func(p unsafe.Pointer) unsafe.Pointer { return unsafe.Add(p, m.Offset) }
		value := func(p unsafe.Pointer) unsafe.Pointer {
			if m.Pointer {
				return *(*unsafe.Pointer)(member(p))
			}
			return member(p)
		}
		set := func(v uint64) func(p unsafe.Pointer) { return func(p unsafe.Pointer) { putWord(value(p), m.Size, v) } }
		if m.Pointer {
			add(m.Name, "parameter", func(p unsafe.Pointer) { // an optional one may be nil
				if m.Count.Size != 0 {
					b.count(p, m.Count)
				}
				*(*uintptr)(member(p)) = 1
			})
		}
		if len(m.Selects) > 0 || m.Pointer && m.Optional && m.Count.Size == 0 || m.Output {
			continue
		}
		switch m.Kind {
		case abi.FormLength:
			add(m.Name, "arraylength", set(0))
		case abi.FormString:
			add(m.Name, "parameter", func(p unsafe.Pointer) { *(*byte)(value(p)) = 0xff })
		case abi.FormEnum:
			add(m.Name, "parameter", set(0x7ffffff0))
		case abi.FormBit:
			add(m.Name, "parameter", set(0x3))
		case abi.FormMask:
			all := uint64(0)
			for _, v := range abi.FormSets[m.Of].Values {
				if v != 0x7fffffff {
					all |= v
				}
			}
			if all == 0 {
				add(m.Name, "zerobitmask", set(1))
				continue
			}
			add(m.Name, "parameter", set(1<<bits.Len64(all)))
			if !m.Optional && !m.Nullable {
				add(m.Name, "requiredbitmask", set(0))
			}
		case abi.FormHandle:
			add(m.Name, "parameter", set(0x123))
			if rule := "VUID-" + f.Name + "-" + m.Name + "-parent"; isRule(rule) {
				out = append(out, violation{rule, set(foreign.handles[abi.FormHandles[m.Of]])})
			}
			if shared++; shared == 2 && isRule("VUID-"+f.Name+"-commonparent") {
				out = append(out, violation{"VUID-" + f.Name + "-commonparent", set(foreign.handles[abi.FormHandles[m.Of]])})
			}
		}
	}
	return out
}

// TestForms breaks each rule of each struct and command in memory that follows all rules: the check tells of it, and of no other rule.
func TestForms(t *testing.T) {
	b := newFormMemory(t, newProgram(t))
	foreign := newFormMemory(t, newProgram(t))
	for i := range abi.Forms {
		f := &abi.Forms[i]
		if got := b.broken(f, b.build(f)); len(got) > 0 {
			t.Errorf("%s without a violation breaks %v", f.Name, got)
		}
		known := slices.ContainsFunc(vuid.All[:], func(code string) bool {
			return strings.HasPrefix(code, "VUID-"+f.Name+"-") && strings.HasSuffix(code, "-parameter")
		})
		for _, v := range b.violations(f, foreign) {
			if known && !isRule(v.rule) && !strings.HasSuffix(v.rule, "-pNext-pNext") {
				t.Errorf("%s is no rule of Vulkan", v.rule)
			}
			p := b.build(f)
			v.do(p)
			got := slices.Compact(b.broken(f, p))
			if v.rule == "VUID-VkShaderModuleCreateInfo-pNext-pNext" {
				v.rule = "VUID-vkCreateShaderModule-pCreateInfo-06904"
			}
			if !slices.Contains(got, v.rule) || len(got) > 1 && !strings.HasSuffix(v.rule, "-parent") {
				t.Errorf("%s: a violation of %s breaks %v", f.Name, v.rule, got)
			}
		}
	}
}

// TestFormRules compares the rules that package link says the driver checks with the forms: each has a violation above or in
// TestFormCalls, and its struct or command is one that an application can pass.
func TestFormRules(t *testing.T) {
	b := newFormMemory(t, newProgram(t))
	checked := map[string]bool{}
	for _, rule := range explicitRules {
		checked[rule] = true
	}
	for _, rule := range []string{ // of putHandles: see TestRayTracing
		vuid.VkGetRayTracingShaderGroupHandlesKHR_dataSize_02420, vuid.VkGetRayTracingCaptureReplayShaderGroupHandlesKHR_dataSize_03484,
	} {
		checked[rule] = true
	}
	for i := range abi.Forms {
		f := &abi.Forms[i]
		for _, v := range b.violations(f, b) {
			checked[v.rule] = true
		}
		for _, m := range f.Fields { // by the rules of its members
			checked["VUID-"+f.Name+"-"+m.Name+"-parameter"] = checked["VUID-"+f.Name+"-"+m.Name+"-parameter"] || m.Kind == abi.FormStruct && !m.Pointer
		}
	}
	passed := map[string]bool{}
	var pass func(f *abi.Form)
	pass = func(f *abi.Form) {
		if passed[f.Name] {
			return
		}
		passed[f.Name] = true
		for i := range f.Fields {
			if m := &f.Fields[i]; m.Kind == abi.FormStruct {
				pass(&abi.Forms[m.Of])
			}
		}
		for _, s := range f.Chain {
			pass(structForms()[s])
		}
	}
	for n, f := range commandForms() {
		if f != nil && has(n) {
			pass(f)
		}
	}
	for _, name := range []string{"VkPipelineVertexInputStateCreateInfo", "VkPipelineTessellationStateCreateInfo"} { // of graphics pipelines
		pass(formsByName()[name])
	}
	for _, code := range vuid.All {
		a, _ := link.AnswerOf(code)
		of, _, _ := strings.Cut(strings.TrimPrefix(code, "VUID-"), "-")
		switch can := checked[code] && (passed[of] || formsByName()[of] == nil); {
		case a.By == link.ByDriver && !can:
			t.Errorf("%s is not checked, or cannot be broken; the answer is that the driver checks it", code)
		case !a.By.Judged() && can:
			t.Errorf("%s is checked; the answer is %q", code, a.Why)
		}
	}
}

// explicitRules are the rules of TestFormCalls that the forms do not have.
var explicitRules = []string{
	vuid.VkCreateShaderModule_pCreateInfo_06904, vuid.VkShaderCreateInfoEXT_pCode_08493, vuid.VkShaderCreateInfoEXT_setLayoutCount_13360,
	vuid.VkGraphicsPipelineCreateInfo_flags_06643, vuid.VkGetShaderBinaryDataEXT_None_08499,
	vuid.VkDescriptorMappingSourceConstantOffsetEXT_pEmbeddedSampler_11415, vuid.VkDescriptorMappingSourcePushIndexEXT_pEmbeddedSampler_11415,
	vuid.VkDescriptorMappingSourceIndirectIndexEXT_pEmbeddedSampler_11415, vuid.VkDescriptorMappingSourceIndirectIndexArrayEXT_pEmbeddedSampler_11415,
	vuid.VkDescriptorMappingSourceShaderRecordIndexEXT_pEmbeddedSampler_11415,
	vuid.VkDestroyShaderModule_shaderModule_01092, vuid.VkDestroyShaderModule_shaderModule_01093,
	vuid.VkDestroyPipelineLayout_pipelineLayout_00299, vuid.VkDestroyPipelineLayout_pipelineLayout_00300,
	vuid.VkDestroyDescriptorSetLayout_descriptorSetLayout_00284, vuid.VkDestroyDescriptorSetLayout_descriptorSetLayout_00285,
	vuid.VkDestroyShaderEXT_pAllocator_08483, vuid.VkDestroyShaderEXT_pAllocator_08484,
	vuid.VkDestroyValidationCacheEXT_validationCache_01537, vuid.VkDestroyValidationCacheEXT_validationCache_01538,
	vuid.VkComputePipelineCreateInfo_commonparent, vuid.VkRayTracingPipelineCreateInfoKHR_commonparent, vuid.VkExecutionGraphPipelineCreateInfoAMDX_commonparent,
	vuid.VkCreateCudaModuleNV_device_queuecount, vuid.VkCreateCudaFunctionNV_device_queuecount, vuid.VkCreateShaderInstrumentationARM_device_queuecount,
	vuid.VkCreateValidationCacheEXT_device_queuecount,
}

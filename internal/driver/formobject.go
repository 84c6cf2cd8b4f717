package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// handleOwners return the device of the object of a handle, and whether there is one, by the type of the handle.
var handleOwners = map[string]func(h uint64) (*device, bool){
	"VkPhysicalDevice": func(h uint64) (*device, bool) { return nil, physicalOf(dispatchable(h)) != nil },
	"VkDevice": func(h uint64) (*device, bool) {
		d := deviceOf(dispatchable(h))
		return d, d != nil
	},
	"VkCommandBuffer": func(h uint64) (*device, bool) {
		if c := commandBufferOf(dispatchable(h)); c != nil {
			return c.device, true
		}
		return nil, false
	},
	"VkPipelineLayout":           ownerIn(&pipelineLayouts),
	"VkDescriptorSetLayout":      ownerIn(&setLayouts),
	"VkShaderModule":             ownerIn(&shaderModules),
	"VkValidationCacheEXT":       ownerIn(&validationCaches),
	"VkShaderInstrumentationARM": ownerIn(&instrumentations),
	"VkShaderEXT":                ownerIn(&shaders),
	"VkPipelineCache":            ownerIn(&pipelineCaches),
	"VkDeferredOperationKHR":     ownerIn(&deferredOperations),
	"VkPipeline":                 ownerIn(&pipelines),
	"VkPipelineBinaryKHR":        ownerIn(&pipelineBinaries),
	"VkRenderPass":               ownerIn(&renderPasses),
	"VkSamplerYcbcrConversion":   ownerIn(&conversions),
	"VkCudaModuleNV":             ownerIn(&cudaModules),
	"VkCudaFunctionNV":           ownerIn(&cudaFunctions),
}

// ownerIn returns the look-up of a table.
func ownerIn[T any](t *table[T]) func(h uint64) (*device, bool) { return t.owner }

// dispatchable returns the pointer of a dispatchable handle.
func dispatchable(h uint64) *abi.Dispatch {
	if !pointable(uintptr(h), unsafe.Alignof(abi.Dispatch{})) {
		return nil
	}
	return *(**abi.Dispatch)(unsafe.Pointer(&h))
}

// explicitForms check further rules on the memory of calls, by the number of the command.
var explicitForms = map[uint32]func(c *formCheck, args unsafe.Pointer){
	abi.CmdGetShaderBinaryDataEXT: formOf(func(c *formCheck, a *abi.GetShaderBinaryDataEXTArgs) {
		if uintptr(a.PData)%16 != 0 {
			c.tell(vuid.VkGetShaderBinaryDataEXT_None_08499, "pData of vkGetShaderBinaryDataEXT has no alignment of 16 bytes; must have")
		}
	}),
	abi.CmdCreateGraphicsPipelines: formOf(func(c *formCheck, a *abi.CreateGraphicsPipelinesArgs) {
		infos := array(a.PCreateInfos, a.CreateInfoCount)
		for i := range infos {
			c.graphics(&infos[i])
		}
	}),
	abi.CmdDestroyShaderModule: formOf(func(c *formCheck, a *abi.DestroyShaderModuleArgs) {
		c.released(shaderModules.callbacks(uint64(a.ShaderModule)), a.PAllocator, vuid.VkDestroyShaderModule_shaderModule_01092, vuid.VkDestroyShaderModule_shaderModule_01093)
	}),
	abi.CmdDestroyPipelineLayout: formOf(func(c *formCheck, a *abi.DestroyPipelineLayoutArgs) {
		c.released(pipelineLayouts.callbacks(uint64(a.PipelineLayout)), a.PAllocator, vuid.VkDestroyPipelineLayout_pipelineLayout_00299, vuid.VkDestroyPipelineLayout_pipelineLayout_00300)
	}),
	abi.CmdDestroyDescriptorSetLayout: formOf(func(c *formCheck, a *abi.DestroyDescriptorSetLayoutArgs) {
		c.released(setLayouts.callbacks(uint64(a.DescriptorSetLayout)), a.PAllocator, vuid.VkDestroyDescriptorSetLayout_descriptorSetLayout_00284, vuid.VkDestroyDescriptorSetLayout_descriptorSetLayout_00285)
	}),
	abi.CmdDestroyShaderEXT: formOf(func(c *formCheck, a *abi.DestroyShaderEXTArgs) {
		c.released(shaders.callbacks(uint64(a.Shader)), a.PAllocator, vuid.VkDestroyShaderEXT_pAllocator_08483, vuid.VkDestroyShaderEXT_pAllocator_08484)
	}),
	abi.CmdDestroyValidationCacheEXT: formOf(func(c *formCheck, a *abi.DestroyValidationCacheEXTArgs) {
		c.released(validationCaches.callbacks(uint64(a.ValidationCache)), a.PAllocator, vuid.VkDestroyValidationCacheEXT_validationCache_01537, vuid.VkDestroyValidationCacheEXT_validationCache_01538)
	}),
}

// formOf makes a check of the arguments of a call.
func formOf[A any](f func(*formCheck, *A)) func(*formCheck, unsafe.Pointer) {
	return func(c *formCheck, p unsafe.Pointer) { f(c, (*A)(p)) }
}

// explicitStructs check further rules on the memory of structs, by name.
var explicitStructs = map[string]func(c *formCheck, p unsafe.Pointer){
	"VkShaderCreateInfoEXT": formOf((*formCheck).shaderInfo),
	"VkComputePipelineCreateInfo": formOf(func(c *formCheck, i *abi.ComputePipelineCreateInfo) {
		c.derived(i.Flags, i.Layout, i.BasePipelineHandle, i.BasePipelineIndex, vuid.VkComputePipelineCreateInfo_commonparent)
	}),
	"VkRayTracingPipelineCreateInfoKHR": formOf(func(c *formCheck, i *abi.RayTracingPipelineCreateInfoKHR) {
		c.derived(i.Flags, i.Layout, i.BasePipelineHandle, i.BasePipelineIndex, vuid.VkRayTracingPipelineCreateInfoKHR_commonparent)
	}),
	"VkExecutionGraphPipelineCreateInfoAMDX": formOf(func(c *formCheck, i *abi.ExecutionGraphPipelineCreateInfoAMDX) {
		c.derived(i.Flags, i.Layout, i.BasePipelineHandle, i.BasePipelineIndex, vuid.VkExecutionGraphPipelineCreateInfoAMDX_commonparent)
	}),
	"VkDescriptorMappingSourceConstantOffsetEXT": formOf(func(c *formCheck, s *abi.DescriptorMappingSourceConstantOffsetEXT) {
		c.embedded(s.PEmbeddedSampler, vuid.VkDescriptorMappingSourceConstantOffsetEXT_pEmbeddedSampler_11415)
	}),
	"VkDescriptorMappingSourcePushIndexEXT": formOf(func(c *formCheck, s *abi.DescriptorMappingSourcePushIndexEXT) {
		c.embedded(s.PEmbeddedSampler, vuid.VkDescriptorMappingSourcePushIndexEXT_pEmbeddedSampler_11415)
	}),
	"VkDescriptorMappingSourceIndirectIndexEXT": formOf(func(c *formCheck, s *abi.DescriptorMappingSourceIndirectIndexEXT) {
		c.embedded(s.PEmbeddedSampler, vuid.VkDescriptorMappingSourceIndirectIndexEXT_pEmbeddedSampler_11415)
	}),
	"VkDescriptorMappingSourceIndirectIndexArrayEXT": formOf(func(c *formCheck, s *abi.DescriptorMappingSourceIndirectIndexArrayEXT) {
		c.embedded(s.PEmbeddedSampler, vuid.VkDescriptorMappingSourceIndirectIndexArrayEXT_pEmbeddedSampler_11415)
	}),
	"VkDescriptorMappingSourceShaderRecordIndexEXT": formOf(func(c *formCheck, s *abi.DescriptorMappingSourceShaderRecordIndexEXT) {
		c.embedded(s.PEmbeddedSampler, vuid.VkDescriptorMappingSourceShaderRecordIndexEXT_pEmbeddedSampler_11415)
	}),
}

// shaderInfo checks the code and the set layouts of a shader object.
func (c *formCheck) shaderInfo(i *abi.ShaderCreateInfoEXT) {
	if i.CodeType == abi.ShaderCodeTypeSpirvEXT && uintptr(i.PCode)%4 != 0 {
		c.tell(vuid.VkShaderCreateInfoEXT_pCode_08493, "pCode of VkShaderCreateInfoEXT has no alignment of 4 bytes; must have, for it is SPIR-V")
	}
	if i.Flags&abi.ShaderCreateIndependentSetsBitKHR == 0 || i.PSetLayouts == nil {
		return
	}
	for _, h := range array(i.PSetLayouts, i.SetLayoutCount) {
		if h != 0 && setLayouts.get(uint64(h)) == nil {
			c.tell(vuid.VkShaderCreateInfoEXT_setLayoutCount_13360, "an element of pSetLayouts of VkShaderCreateInfoEXT has no object; must be a VkDescriptorSetLayout or VK_NULL_HANDLE")
		}
	}
}

// embedded checks that the sampler of a mapping names no object.
func (c *formCheck) embedded(s *abi.SamplerCreateInfo, rule string) {
	if s == nil {
		return
	}
	n := abi.Find[abi.DebugUtilsObjectNameInfoEXT](s.PNext, abi.StructureTypeDebugUtilsObjectNameInfoEXT)
	if n != nil && n.ObjectType != abi.ObjectTypeUnknown {
		c.tell(rule, "the name of an embedded sampler is for an object; must have the type VK_OBJECT_TYPE_UNKNOWN")
	}
}

// graphics checks the parts of a graphics pipeline that it does not ignore: its stages, its vertex input and its tessellation.
func (c *formCheck) graphics(i *abi.GraphicsPipelineCreateInfo) {
	c.partPass(i)
	r := graphicsReader{GraphicsPipelineCreateInfo: i, parts: allParts}
	r.libraries()
	r.dynamics()
	if r.parts&(enum.PartsPreRasterizationShaders|enum.PartsFragmentShader) != 0 {
		stages := array(i.PStages, i.StageCount)
		for n := range stages {
			r.stages |= stages[n].Stage
			c.structure(formsByName()["VkPipelineShaderStageCreateInfo"], unsafe.Pointer(&stages[n]), false)
		}
	}
	if r.parts&enum.PartsVertexInputInterface != 0 && r.readsVertexInput() {
		c.structure(formsByName()["VkPipelineVertexInputStateCreateInfo"], unsafe.Pointer(i.PVertexInputState), false)
	}
	if r.parts&enum.PartsPreRasterizationShaders != 0 && r.readsTessellation() {
		c.structure(formsByName()["VkPipelineTessellationStateCreateInfo"], unsafe.Pointer(i.PTessellationState), false)
	}
}

// derived checks that a pipeline and its parent are of one device.
func (c *formCheck) derived(flags uint32, layout abi.PipelineLayout, base abi.Pipeline, index int32, rule string) {
	if flags&abi.PipelineCreateDerivativeBit == 0 || index != -1 {
		return // the parent is ignored
	}
	x, _ := pipelineLayouts.owner(uint64(layout))
	y, _ := pipelines.owner(uint64(base))
	if x != nil && y != nil && x != y {
		c.tell(rule, "the layout of a pipeline and its parent are of different devices; must be of one")
	}
}

// partPass checks the render pass of a part of a pipeline that has shaders or the output of fragments.
func (c *formCheck) partPass(i *abi.GraphicsPipelineCreateInfo) {
	const parts = abi.GraphicsPipelineLibraryPreRasterizationShadersBitEXT | abi.GraphicsPipelineLibraryFragmentShaderBitEXT |
		abi.GraphicsPipelineLibraryFragmentOutputInterfaceBitEXT
	l := abi.Find[abi.GraphicsPipelineLibraryCreateInfoEXT](i.PNext, abi.StructureTypeGraphicsPipelineLibraryCreateInfoEXT)
	if l != nil && l.Flags&parts != 0 && i.RenderPass != 0 && renderPasses.get(uint64(i.RenderPass)) == nil {
		c.tell(vuid.VkGraphicsPipelineCreateInfo_flags_06643, "renderPass has no object; must be a VkRenderPass or VK_NULL_HANDLE")
	}
}

// allocated keep, by the number of the command, whether the objects of a call have allocation callbacks.
var allocated = map[uint32]func(args unsafe.Pointer){
	abi.CmdCreateShaderModule: keepOf(func(a *abi.CreateShaderModuleArgs) {
		shaderModules.keep(uint64(*a.PShaderModule), a.PAllocator)
	}),
	abi.CmdCreatePipelineLayout: keepOf(func(a *abi.CreatePipelineLayoutArgs) {
		pipelineLayouts.keep(uint64(*a.PPipelineLayout), a.PAllocator)
	}),
	abi.CmdCreateDescriptorSetLayout: keepOf(func(a *abi.CreateDescriptorSetLayoutArgs) {
		setLayouts.keep(uint64(*a.PSetLayout), a.PAllocator)
	}),
	abi.CmdCreateShadersEXT: keepOf(func(a *abi.CreateShadersEXTArgs) {
		for _, h := range array(a.PShaders, a.CreateInfoCount) {
			shaders.keep(uint64(h), a.PAllocator)
		}
	}),
	abi.CmdCreateValidationCacheEXT: keepOf(func(a *abi.CreateValidationCacheEXTArgs) {
		validationCaches.keep(uint64(*a.PValidationCache), a.PAllocator)
	}),
}

func keepOf[A any](f func(*A)) func(unsafe.Pointer) {
	return func(p unsafe.Pointer) { f((*A)(p)) }
}

// Whether an object has allocation callbacks.
const (
	callbacksUnknown uint32 = iota // no messenger listened at its creation
	callbacksAbsent
	callbacksGiven
)

// released checks that an object has allocation callbacks at its end if it had some at its creation, and only then.
func (c *formCheck) released(had uint32, callbacks *abi.AllocationCallbacks, given, none string) {
	switch {
	case had == callbacksGiven && callbacks == nil:
		c.tell(given, "pAllocator is NULL for an object that was made with allocation callbacks; must be compatible ones")
	case had == callbacksAbsent && callbacks != nil:
		c.tell(none, "pAllocator is not NULL for an object that was made without allocation callbacks; must be NULL")
	}
}

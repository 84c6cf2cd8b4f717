package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// runtimeMemoryFamily judges variables by the limits and features of a device
// (Vulkan, Runtime SPIR-V Validation).
var runtimeMemoryFamily = family{
	rules: append(memoryLimitRules(), []Rule{
		{Code: vuid.RuntimeSpirv_shaderZeroInitializeWorkgroupMemory_06372, Section: runtimeSection, Words: "a variable in Workgroup has an initializer only with shaderZeroInitializeWorkgroupMemory", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_NonWritable_06340, Section: runtimeSection, Words: "storage images and buffers of fragment shaders are NonWritable without fragmentStoresAndAtomics", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_NonWritable_06341, Section: runtimeSection, Words: "storage images and buffers of vertex, tessellation and geometry shaders are NonWritable without vertexPipelineStoresAndAtomics", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_apiVersion_07954, Section: runtimeSection, Words: "before Vulkan 1.3 a storage image of no format is NonWritable without shaderStorageImageWriteWithoutFormat", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_apiVersion_07955, Section: runtimeSection, Words: "before Vulkan 1.3 a storage image of no format is NonReadable without shaderStorageImageReadWithoutFormat", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_None_09558, Section: runtimeSection, Words: "an image of SubpassData has an InputAttachmentIndex without dynamicRenderingLocalRead", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpTypeImage_09644, Section: runtimeSection, Words: "an array of images of SubpassData has an InputAttachmentIndex"},
		{Code: vuid.RuntimeSpirv_Location_06428, Section: runtimeSection, Words: "the storage buffers, storage images and outputs of a fragment shader are maxFragmentCombinedOutputResources at most", Need: NeedDevice},
	}...),
	after: []func(*checker){(*checker).runtimeVariables},
}

// memoryLimit is a limit of how many bytes the variables of storage classes have
// in an entry point.
type memoryLimit struct {
	model   spirv.ExecutionModel
	storage [2]spirv.StorageClass // twice the same where it is one
	limit   string
	code    string
}

// memoryLimits are those limits.
var memoryLimits = [...]memoryLimit{
	{spirv.ExecutionModelGLCompute, [2]spirv.StorageClass{spirv.StorageClassWorkgroup, spirv.StorageClassWorkgroup}, "maxComputeSharedMemorySize", vuid.RuntimeSpirv_Workgroup_06530},
	{spirv.ExecutionModelMeshEXT, [2]spirv.StorageClass{spirv.StorageClassWorkgroup, spirv.StorageClassWorkgroup}, meshProperty + "maxMeshSharedMemorySize", vuid.RuntimeSpirv_maxMeshSharedMemorySize_08754},
	{spirv.ExecutionModelMeshEXT, [2]spirv.StorageClass{spirv.StorageClassTaskPayloadWorkgroupEXT, spirv.StorageClassWorkgroup}, meshProperty + "maxMeshPayloadAndSharedMemorySize", vuid.RuntimeSpirv_maxMeshPayloadAndSharedMemorySize_08755},
	{spirv.ExecutionModelTaskEXT, [2]spirv.StorageClass{spirv.StorageClassTaskPayloadWorkgroupEXT, spirv.StorageClassTaskPayloadWorkgroupEXT}, meshProperty + "maxTaskPayloadSize", vuid.RuntimeSpirv_maxTaskPayloadSize_08758},
	{spirv.ExecutionModelTaskEXT, [2]spirv.StorageClass{spirv.StorageClassWorkgroup, spirv.StorageClassWorkgroup}, meshProperty + "maxTaskSharedMemorySize", vuid.RuntimeSpirv_maxTaskSharedMemorySize_08759},
	{spirv.ExecutionModelTaskEXT, [2]spirv.StorageClass{spirv.StorageClassTaskPayloadWorkgroupEXT, spirv.StorageClassWorkgroup}, meshProperty + "maxTaskPayloadAndSharedMemorySize", vuid.RuntimeSpirv_maxTaskPayloadAndSharedMemorySize_08760},
}

// memoryLimitRules states the rules of the rows in words.
func memoryLimitRules() []Rule {
	var out []Rule
	for _, r := range memoryLimits {
		where := r.storage[0].String()
		if r.storage[1] != r.storage[0] {
			where += " and " + r.storage[1].String()
		}
		out = append(out, Rule{Code: r.code, Section: runtimeSection, Words: "the variables of a " + r.model.String() + " entry point in " + where + " take no more bytes than " + r.limit, Need: NeedDevice})
	}
	return out
}

// runtimeVariables judges the variables by themselves and by entry point.
func (c *checker) runtimeVariables() {
	if !c.vulkan {
		return
	}
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		switch v.Storage {
		case spirv.StorageClassWorkgroup:
			if v.Init != 0 && !c.feature(vuid.RuntimeSpirv_shaderZeroInitializeWorkgroupMemory_06372, "shaderZeroInitializeWorkgroupMemory") {
				c.fail(v.Index, vuid.RuntimeSpirv_shaderZeroInitializeWorkgroupMemory_06372, "%s in Workgroup has an initializer; needs the feature shaderZeroInitializeWorkgroupMemory", c.name(v.ID))
			}
		case spirv.StorageClassUniformConstant:
			c.runtimeImage(v)
			c.storesAllowed(v)
		case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform:
			c.storesAllowed(v)
		}
	}
	if c.env.Device == nil {
		for k := range memoryLimits {
			c.unknown(memoryLimits[k].code)
		}
		c.unknown(vuid.RuntimeSpirv_Location_06428)
		return
	}
	budget := maxInterfaces
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		if budget -= len(c.m.Variables)/16 + len(c.m.Functions)/16 + 1; e.Func == nil || budget <= 0 {
			continue
		}
		c.memorySizes(e, c.m.Globals(e))
	}
}

// runtimeImage judges a variable that is an image.
func (c *checker) runtimeImage(v *facts.Variable) {
	t := core(v.Type)
	if t == nil || t.Image == nil {
		return
	}
	if t.Image.Dim == spirv.DimSubpassData && !c.m.Has(v.ID, spirv.DecorationInputAttachmentIndex) {
		if v.Type.IsArray() {
			c.fail(v.Index, vuid.RuntimeSpirv_OpTypeImage_09644, "%s is an array of images of SubpassData without InputAttachmentIndex; must have it", c.name(v.ID))
		} else if !c.feature(vuid.RuntimeSpirv_None_09558, "dynamicRenderingLocalRead") {
			c.fail(v.Index, vuid.RuntimeSpirv_None_09558, "%s is an image of SubpassData without InputAttachmentIndex; needs the feature dynamicRenderingLocalRead", c.name(v.ID))
		}
	}
	if t.Image.Sampled != 2 || t.Image.Format != spirv.ImageFormatUnknown || t.Image.Dim == spirv.DimSubpassData || c.env.Version >= Vulkan13 {
		return
	}
	for _, r := range [...]struct {
		kind          spirv.Decoration
		feature, code string
	}{
		{spirv.DecorationNonWritable, "shaderStorageImageWriteWithoutFormat", vuid.RuntimeSpirv_apiVersion_07954},
		{spirv.DecorationNonReadable, "shaderStorageImageReadWithoutFormat", vuid.RuntimeSpirv_apiVersion_07955},
	} {
		if !c.m.Has(v.ID, r.kind) && !c.extension(r.code, "VK_KHR_format_feature_flags2") && !c.feature(r.code, r.feature) {
			c.fail(v.Index, r.code, "the storage image %s has no format and is not %s; needs the feature %s", c.name(v.ID), r.kind, r.feature)
		}
	}
}

// storesAllowed judges whether the shaders that use a variable may write it.
func (c *checker) storesAllowed(v *facts.Variable) {
	if !c.storageResource(v) || c.onlyRead(v) {
		return
	}
	used := c.usedBy(v)
	if used&inFragment != 0 && !c.feature(vuid.RuntimeSpirv_NonWritable_06340, "fragmentStoresAndAtomics") {
		c.fail(v.Index, vuid.RuntimeSpirv_NonWritable_06340, "a fragment shader uses %s, which is not NonWritable; needs the feature fragmentStoresAndAtomics", c.name(v.ID))
	}
	if used&(inVertex|inTessellationControl|inTessellationEvaluation|inGeometry) != 0 && !c.feature(vuid.RuntimeSpirv_NonWritable_06341, "vertexPipelineStoresAndAtomics") {
		c.fail(v.Index, vuid.RuntimeSpirv_NonWritable_06341, "a shader before the fragments' uses %s, which is not NonWritable; needs the feature vertexPipelineStoresAndAtomics", c.name(v.ID))
	}
}

// storageResource reports whether a variable is a storage buffer, image, texel
// buffer or tensor.
func (c *checker) storageResource(v *facts.Variable) bool {
	t := core(v.Type)
	switch v.Storage {
	case spirv.StorageClassStorageBuffer:
		return true
	case spirv.StorageClassUniform:
		return t.IsStruct() && c.m.Has(t.ID, spirv.DecorationBufferBlock)
	case spirv.StorageClassUniformConstant:
		return t != nil && (t.Op == spirv.OpTypeTensorARM || t.Image != nil && t.Image.Sampled == 2 && t.Image.Dim != spirv.DimSubpassData)
	}
	return false
}

// onlyRead reports whether a variable or each member of its block is
// NonWritable.
func (c *checker) onlyRead(v *facts.Variable) bool {
	if c.m.Has(v.ID, spirv.DecorationNonWritable) {
		return true
	}
	t := core(v.Type)
	if !t.IsStruct() || len(t.Members) == 0 {
		return false
	}
	for k := range t.Members {
		if !c.m.HasMember(t.ID, k, spirv.DecorationNonWritable) {
			return false
		}
	}
	return true
}

// memorySizes judges how much the variables of an entry point take. Padding is
// left out, so that what is reported is too much in any layout.
func (c *checker) memorySizes(e *facts.EntryPoint, list []*facts.Variable) {
	for k := range memoryLimits {
		r := &memoryLimits[k]
		if r.model != e.Model {
			continue
		}
		sum, block := uint64(0), uint64(0)
		for _, v := range list {
			if v.Storage != r.storage[0] && v.Storage != r.storage[1] {
				continue
			}
			n := c.packed(v.Type)
			if s := core(v.Type); s.IsStruct() && c.m.Has(s.ID, spirv.DecorationBlock) {
				block = max(block, n) // blocks of a workgroup alias one another
			} else {
				sum += n
			}
		}
		if most, ok := c.limit(r.code, r.limit); ok && sum+block > most {
			c.fail(e.Index, r.code, "the variables of the entry point take %d bytes at the least; must be %d at most", sum+block, most)
		}
	}
	if e.Model == spirv.ExecutionModelFragment {
		c.combinedOutputs(e, list)
	}
}

// combinedOutputs judges how many resources a fragment shader writes.
func (c *checker) combinedOutputs(e *facts.EntryPoint, list []*facts.Variable) {
	n := uint64(0)
	for _, v := range list {
		switch {
		case v.Storage == spirv.StorageClassOutput && c.m.Has(v.ID, spirv.DecorationLocation):
			rows, _ := consumed(v.Type)
			n += rows
		case c.storageResource(v) && !c.onlyRead(v):
			count := uint64(1)
			if v.Type.IsArray() {
				count = max(v.Type.Count, 1)
			}
			n += min(count, 1<<32)
		}
	}
	if most, ok := c.limit(vuid.RuntimeSpirv_Location_06428, "maxFragmentCombinedOutputResources"); ok && n > most {
		c.fail(e.Index, vuid.RuntimeSpirv_Location_06428, "the fragment shader writes %d buffers, images and outputs; must be %d at most", n, most)
	}
}

package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// resourceFamily checks the interface of resources (Vulkan, Shader Interfaces,
// Shader Resource Interface): blocks, descriptors and push constants.
var resourceFamily = family{
	rules: []Rule{
		{Code: vuid.StandaloneSpirv_PushConstant_06675, Section: environment, Words: "the struct of a variable in PushConstant or StorageBuffer is a Block"},
		{Code: vuid.StandaloneSpirv_Uniform_06676, Section: environment, Words: "the struct of a variable in Uniform is a Block or a BufferBlock"},
		{Code: vuid.StandaloneSpirv_UniformConstant_06677, Section: environment, Words: "a variable in UniformConstant, StorageBuffer or Uniform has a DescriptorSet and a Binding, or is a descriptor heap"},
		{Code: vuid.StandaloneSpirv_InputAttachmentIndex_06678, Section: environment, Words: "InputAttachmentIndex is on variables in UniformConstant"},
		{Code: vuid.StandaloneSpirv_DescriptorSet_06491, Section: environment, Words: "DescriptorSet and Binding are on variables of a storage class with descriptors"},
		{Code: vuid.StandaloneSpirv_OpVariable_06673, Section: environment, Words: "an entry point lists at most one variable in PushConstant, except with PushConstantBanksNV"},
		{Code: vuid.StandaloneSpirv_OpEntryPoint_06674, Section: environment, Words: "an entry point uses at most one variable in PushConstant, except with PushConstantBanksNV"},
		{Code: vuid.StandaloneSpirv_TileAttachmentQCOM_10695, Section: environment, Words: "a variable in TileAttachmentQCOM has a DescriptorSet and a Binding"},
		{Code: vuid.StandaloneSpirv_TileAttachmentQCOM_10696, Section: environment, Words: "a variable in TileAttachmentQCOM has no Component"},
		{Code: vuid.StandaloneSpirv_OpTypeImage_10693, Section: environment, Words: "the dimension of an image in TileAttachmentQCOM is 2D"},
		{Code: vuid.StandaloneSpirv_OpTypeImage_10694, Section: environment, Words: "an image in TileAttachmentQCOM is sampled or a storage image"},
	},
	after: []func(*checker){(*checker).resources, (*checker).pushConstants},
}

// resources checks each variable. For variables of functions it checks only that
// they are no descriptors.
func (c *checker) resources() {
	if !c.vulkan {
		return
	}
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		c.bound(v)
		switch v.Storage {
		case spirv.StorageClassPushConstant, spirv.StorageClassStorageBuffer:
			if s := core(v.Type); s.IsStruct() && !c.m.Has(s.ID, spirv.DecorationBlock) {
				c.fail(v.Index, vuid.StandaloneSpirv_PushConstant_06675, "%s in %s is of a struct that is no Block; must be a Block", c.name(v.ID), v.Storage).also(c, s.Index, "the struct")
			}
		case spirv.StorageClassUniform:
			if s := core(v.Type); s.IsStruct() && !c.isBlock(s) {
				c.fail(v.Index, vuid.StandaloneSpirv_Uniform_06676, "%s in Uniform is of a struct that is no Block and no BufferBlock; must be one of them", c.name(v.ID)).also(c, s.Index, "the struct")
			}
		case spirv.StorageClassTileAttachmentQCOM:
			c.tileAttachment(v)
		}
	}
}

// bound checks the set and the binding of a descriptor variable.
func (c *checker) bound(v *facts.Variable) {
	switch v.Storage {
	case spirv.StorageClassUniformConstant, spirv.StorageClassStorageBuffer, spirv.StorageClassUniform:
		c.unbound(v)
	case spirv.StorageClassTileAttachmentQCOM:
	default:
		for _, kind := range [...]spirv.Decoration{spirv.DecorationDescriptorSet, spirv.DecorationBinding} {
			if d, ok := c.m.Decoration(v.ID, kind); ok {
				c.fail(d.Index, vuid.StandaloneSpirv_DescriptorSet_06491, "%s on %s in %s; must be on a variable in UniformConstant, Uniform or StorageBuffer", kind, c.name(v.ID), v.Storage).also(c, v.Index, "the variable")
				break
			}
		}
	}
	if d, ok := c.m.Decoration(v.ID, spirv.DecorationInputAttachmentIndex); ok && v.Storage != spirv.StorageClassUniformConstant {
		c.fail(d.Index, vuid.StandaloneSpirv_InputAttachmentIndex_06678, "InputAttachmentIndex on %s in %s; must be on a variable in UniformConstant", c.name(v.ID), v.Storage).also(c, v.Index, "the variable")
	}
}

// isHeap reports whether a variable is a descriptor heap.
func (c *checker) isHeap(v *facts.Variable) bool {
	b, ok := c.m.BuiltIn(v.ID)
	return ok && (b == spirv.BuiltInSamplerHeapEXT || b == spirv.BuiltInResourceHeapEXT)
}

// unbound reports a descriptor variable without DescriptorSet or Binding.
func (c *checker) unbound(v *facts.Variable) {
	set, binding := c.m.Has(v.ID, spirv.DecorationDescriptorSet), c.m.Has(v.ID, spirv.DecorationBinding)
	if set && binding {
		return
	}
	if c.isHeap(v) {
		return
	}
	if c.env.BeforeLegalization && c.usedBy(v) == 0 { // legalization removes it
		return
	}
	missing := "DescriptorSet"
	if set {
		missing = "Binding"
	}
	c.fail(v.Index, vuid.StandaloneSpirv_UniformConstant_06677, "%s in %s has no %s; must have one", c.name(v.ID), v.Storage, missing)
}

// tileAttachment checks a variable in TileAttachmentQCOM.
func (c *checker) tileAttachment(v *facts.Variable) {
	if !c.m.Has(v.ID, spirv.DecorationDescriptorSet) || !c.m.Has(v.ID, spirv.DecorationBinding) {
		c.fail(v.Index, vuid.StandaloneSpirv_TileAttachmentQCOM_10695, "%s in TileAttachmentQCOM has no DescriptorSet or no Binding; must have both", c.name(v.ID))
	}
	if d, ok := c.m.Decoration(v.ID, spirv.DecorationComponent); ok {
		c.fail(d.Index, vuid.StandaloneSpirv_TileAttachmentQCOM_10696, "Component on %s in TileAttachmentQCOM; must have none", c.name(v.ID)).also(c, v.Index, "the variable")
	}
	t := core(v.Type)
	if t == nil || t.Image == nil {
		return
	}
	if t.Image.Dim != spirv.Dim2D {
		c.fail(v.Index, vuid.StandaloneSpirv_OpTypeImage_10693, "the image %s in TileAttachmentQCOM is of %s; must be 2D", c.name(v.ID), t.Image.Dim).also(c, t.Index, "its type")
	}
	if t.Image.Sampled != 1 && t.Image.Sampled != 2 {
		c.fail(v.Index, vuid.StandaloneSpirv_OpTypeImage_10694, "the image %s in TileAttachmentQCOM has Sampled %d; must have 1 or 2", c.name(v.ID), t.Image.Sampled).also(c, t.Index, "its type")
	}
}

// pushConstants checks how many blocks of push constants an entry point has.
func (c *checker) pushConstants() {
	if !c.vulkan || c.capable(spirv.CapabilityPushConstantBanksNV) {
		return
	}
	blocks := 0
	for n := range c.m.Variables {
		if c.m.Variables[n].Storage == spirv.StorageClassPushConstant {
			blocks++
		}
	}
	if blocks < 2 {
		return
	}
	var old *facts.StaticUses
	if c.older() {
		old = c.m.StaticUses(c.env.Reading)
	}
	budget := maxInterfaces
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		c.onePushConstant(e)
		if budget -= len(c.m.Variables)/16 + len(c.m.Functions)/16 + 1; e.Func == nil || budget <= 0 {
			continue
		}
		used := c.globals(e)
		if old != nil {
			used = old.Of(e)
		}
		var first *facts.Variable
		for _, v := range used {
			if v.Storage != spirv.StorageClassPushConstant {
				continue
			}
			if first != nil {
				c.fail(e.Index, vuid.StandaloneSpirv_OpEntryPoint_06674, "the entry point uses %s and %s in PushConstant; must use one", c.name(first.ID), c.name(v.ID)).also(c, v.Index, "the second")
				break
			}
			first = v
		}
	}
}

// onePushConstant checks the list of an entry point.
func (c *checker) onePushConstant(e *facts.EntryPoint) {
	var first spirv.ID
	for _, id := range e.Interface {
		v := c.m.Variable(id)
		if v == nil || v.Storage != spirv.StorageClassPushConstant || id == first {
			continue
		}
		if first != 0 {
			c.fail(e.Index, vuid.StandaloneSpirv_OpVariable_06673, "the interface lists %s and %s in PushConstant; must list one", c.name(first), c.name(id)).also(c, v.Index, "the second")
			return
		}
		first = id
	}
}

package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// runtimeOutputFamily checks how many resources shaders write
// (Vulkan, Runtime SPIR-V Validation).
var runtimeOutputFamily = family{
	rules: []Rule{
		{Code: vuid.RuntimeSpirv_Location_06428, Section: runtimeSection, Words: "the storage buffers, storage images and outputs of a fragment shader are at most maxFragmentCombinedOutputResources", Need: NeedDevice},
	},
	after: []func(*checker){(*checker).runtimeOutputs},
}

// runtimeOutputs checks the outputs and resources that each fragment shader uses.
func (c *checker) runtimeOutputs() {
	if !c.vulkan {
		return
	}
	if c.env.Device == nil {
		c.unknown(vuid.RuntimeSpirv_Location_06428)
		return
	}
	budget := maxInterfaces
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		if e.Model != spirv.ExecutionModelFragment || e.Func == nil || budget <= 0 {
			continue
		}
		budget -= len(c.m.Variables)/16 + len(c.m.Functions)/16 + 1
		c.combinedOutputs(e, c.globals(e))
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

// combinedOutputs checks how many resources a fragment shader writes.
func (c *checker) combinedOutputs(e *facts.EntryPoint, list []*facts.Variable) {
	n := uint64(0)
	for _, v := range list {
		switch {
		case v.Storage == spirv.StorageClassOutput && c.m.Has(v.ID, spirv.DecorationLocation):
			rows, _ := c.consumed(v.Type)
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
		c.fail(e.Index, vuid.RuntimeSpirv_Location_06428, "the fragment shader writes %d buffers, images and outputs; must be at most %d", n, most)
	}
}

package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// storageWidthFamily checks the memory for values of 8 and 16 bits by the features
// of a device (Vulkan, Runtime SPIR-V Validation; 8-Bit Storage, 16-Bit Storage).
var storageWidthFamily = family{
	rules: append(storageWidthRules(),
		Rule{Code: vuid.RuntimeSpirv_None_10980, Section: runtimeSection, Words: "Input and Output contain no 8-bit integers"},
		Rule{Code: vuid.RuntimeSpirv_shaderUniformBufferUnsizedArray_11806, Section: runtimeSection, Words: "the last member of a block in Uniform is no runtime array without the feature shaderUniformBufferUnsizedArray", Need: NeedDevice}),
	after: []func(*checker){(*checker).storageWidths},
}

// storedMemory is a kind of memory for which features allow values of 8 or 16 bits.
type storedMemory uint8

// The kinds of memory.
const (
	storedBuffer  storedMemory = iota // StorageBuffer, ShaderRecordBufferKHR, PhysicalStorageBuffer
	storedUniform                     // blocks in Uniform
	storedPush                        // PushConstant
	storedShared                      // blocks in Workgroup
	storedInOut                       // Input and Output
)

// String returns how a message calls the memory.
func (p storedMemory) String() string {
	return [...]string{"StorageBuffer, ShaderRecordBufferKHR and PhysicalStorageBuffer", "blocks in Uniform", "PushConstant", "blocks in Workgroup", "Input and Output"}[p]
}

// storageWidthRow is the feature that values of one width need in one memory; with
// another feature, narrower, that one is enough.
type storageWidthRow struct {
	memory   storedMemory
	bits     int
	what     contents
	feature  string
	narrower string
	code     string
}

var storageWidthRows = [...]storageWidthRow{
	{storedBuffer, 8, holdsByte, "storageBuffer8BitAccess", "", vuid.RuntimeSpirv_storageBuffer8BitAccess_06328},
	{storedUniform, 8, holdsByte, "uniformAndStorageBuffer8BitAccess", "", vuid.RuntimeSpirv_uniformAndStorageBuffer8BitAccess_06329},
	{storedPush, 8, holdsByte, "storagePushConstant8", "", vuid.RuntimeSpirv_storagePushConstant8_06330},
	{storedShared, 8, holdsByte, "workgroupMemoryExplicitLayout8BitAccess", "", vuid.RuntimeSpirv_workgroupMemoryExplicitLayout8BitAccess_10756},
	{storedBuffer, 16, holdsHalf, "storageBuffer16BitAccess", "storageBuffer8BitAccess", vuid.RuntimeSpirv_storageBuffer16BitAccess_11161},
	{storedUniform, 16, holdsHalf, "uniformAndStorageBuffer16BitAccess", "uniformAndStorageBuffer8BitAccess", vuid.RuntimeSpirv_uniformAndStorageBuffer16BitAccess_06332},
	{storedPush, 16, holdsHalf, "storagePushConstant16", "storagePushConstant8", vuid.RuntimeSpirv_storagePushConstant16_06333},
	{storedShared, 16, holdsHalf, "workgroupMemoryExplicitLayout16BitAccess", "workgroupMemoryExplicitLayout8BitAccess", vuid.RuntimeSpirv_workgroupMemoryExplicitLayout16BitAccess_10757},
	{storedInOut, 16, holdsHalf, "storageInputOutput16", "", vuid.RuntimeSpirv_storageInputOutput16_11162},
}

// storageWidthRules states the rules of the rows in words.
func storageWidthRules() []Rule {
	var out []Rule
	for _, r := range storageWidthRows {
		words := "values of " + itoa(uint64(r.bits)) + " bits in " + r.memory.String() + " need the feature " + r.feature
		if r.narrower != "" {
			words += " or " + r.narrower
		}
		out = append(out, Rule{Code: r.code, Section: runtimeSection, Words: words, Need: NeedDevice})
	}
	return out
}

// storageWidths checks the variables, and the pointees of pointers to physical
// storage buffers.
func (c *checker) storageWidths() {
	if !c.vulkan {
		return
	}
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		if v.Func != nil || v.Type == nil {
			continue
		}
		block := false
		if s := blockOfArrays(v.Type); s != nil {
			block = c.m.Has(s.ID, spirv.DecorationBlock)
			c.unsizedUniform(v, s, block)
		}
		memory := storedBuffer
		switch {
		case v.Storage == spirv.StorageClassStorageBuffer, v.Storage == spirv.StorageClassShaderRecordBufferKHR,
			v.Storage == spirv.StorageClassUniform && !block: // a BufferBlock
		case v.Storage == spirv.StorageClassUniform:
			memory = storedUniform
		case v.Storage == spirv.StorageClassPushConstant:
			memory = storedPush
		case v.Storage == spirv.StorageClassWorkgroup && block:
			memory = storedShared
		case v.Storage == spirv.StorageClassInput, v.Storage == spirv.StorageClassOutput:
			memory = storedInOut
			if c.contains(v.Type, holdsByte) {
				c.fail(v.Index, vuid.RuntimeSpirv_None_10980, "%s in %s contains integers of 8 bits; must contain none", c.name(v.ID), v.Storage)
			}
		default:
			continue
		}
		c.storedWidth(v.Index, memory, v.Type)
	}
	for n := range c.m.Types {
		if t := &c.m.Types[n]; t.Op == spirv.OpTypePointer && t.Storage == spirv.StorageClassPhysicalStorageBuffer && t.Elem != nil {
			c.storedWidth(t.Index, storedBuffer, t.Elem)
		}
	}
}

// storedWidth checks the types in one memory. If untyped pointers may access
// them in wider pieces, it reports nothing.
func (c *checker) storedWidth(i int, memory storedMemory, t *facts.Type) {
	for k := range storageWidthRows {
		r := &storageWidthRows[k]
		if r.memory != memory || !c.contains(t, r.what) || c.feature(r.code, r.feature) {
			continue
		}
		if r.narrower != "" && c.feature(r.code, r.narrower) || c.feature(r.code, "shaderUntypedPointers") && memory != storedInOut {
			continue
		}
		c.fail(i, r.code, "%s contains values of %d bits, in %s; needs the feature %s", c.typeName(t), r.bits, r.memory, r.feature)
	}
}

// unsizedUniform checks the last member of a block in Uniform.
func (c *checker) unsizedUniform(v *facts.Variable, s *facts.Type, block bool) {
	const code = vuid.RuntimeSpirv_shaderUniformBufferUnsizedArray_11806
	if v.Storage != spirv.StorageClassUniform || !block || len(s.Members) == 0 || !s.Members[len(s.Members)-1].Type.IsRuntimeArray() {
		return
	}
	if on, known := c.env.Device.feature("shaderUniformBufferUnsizedArray"); c.older() && !(on && known) {
		c.fail(v.Index, vuid.StandaloneSpirv_OpTypeRuntimeArray_04680, "the block of %s in Uniform ends with a runtime array; must be a BufferBlock in %s, or the device must have the feature shaderUniformBufferUnsizedArray", c.name(v.ID), text11).also(c, s.Index, "the block")
		return
	}
	if !c.feature(code, "shaderUniformBufferUnsizedArray") {
		c.fail(v.Index, code, "the block of %s in Uniform ends with a runtime array; needs the feature shaderUniformBufferUnsizedArray", c.name(v.ID)).also(c, s.Index, "the block")
	}
}

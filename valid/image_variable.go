package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// imageVariableFamily checks the variables that hold images (Vulkan, Validation
// Rules within a Module): their decorations, the stages that may write
// them, and the indices into arrays of descriptors.
var imageVariableFamily = family{
	rules: []Rule{
		{Code: vuid.RuntimeSpirv_apiVersion_07954, Section: environment, Words: "a storage image without a format is NonWritable before Vulkan 1.3 without VK_KHR_format_feature_flags2 and the feature shaderStorageImageWriteWithoutFormat", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_apiVersion_07955, Section: environment, Words: "a storage image without a format is NonReadable before Vulkan 1.3 without VK_KHR_format_feature_flags2 and the feature shaderStorageImageReadWithoutFormat", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_None_09558, Section: environment, Words: "the image of a subpass has an InputAttachmentIndex without the feature dynamicRenderingLocalRead", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpTypeImage_09644, Section: environment, Words: "an array of images of a subpass has an InputAttachmentIndex"},
		{Code: vuid.RuntimeSpirv_NonWritable_06340, Section: environment, Words: "storage images, storage buffers and storage texel buffers of a fragment shader are NonWritable without the feature fragmentStoresAndAtomics", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_NonWritable_06341, Section: environment, Words: "storage images, storage buffers and storage texel buffers of a vertex, tessellation or geometry shader are NonWritable without the feature vertexPipelineStoresAndAtomics", Need: NeedDevice},
		{Code: vuid.StandaloneSpirv_TileShadingQCOM_10686, Section: environment, Words: "the capability TileShadingQCOM is for compute and fragment shaders"},
		{Code: vuid.RuntimeSpirv_TileShadingQCOM_10698, Section: environment, Words: "the capability TileShadingQCOM in a compute shader needs the feature tileShading", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_TileShadingQCOM_10699, Section: environment, Words: "the capability TileShadingQCOM in a fragment shader needs the feature tileShadingFragmentStage", Need: NeedDevice},
		{Code: vuid.StandaloneSpirv_TileAttachmentQCOM_10697, Section: environment, Words: "no instruction queries an image in TileAttachmentQCOM"},
		{Code: vuid.RuntimeSpirv_OpImage_10706, Section: environment, Words: "a texel pointer to TileAttachmentQCOM needs the feature tileShadingAtomicOps", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_tileShadingImageProcessing_10712, Section: environment, Words: "image processing of an image in TileAttachmentQCOM needs the feature tileShadingImageProcessing", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_shaderRelaxedExtendedInstruction_10773, Section: environment, Words: "OpExtInstWithForwardRefsKHR needs the feature shaderRelaxedExtendedInstruction", Need: NeedDevice},
	},
	insts: map[spirv.Op]judge{
		spirv.OpCapability:                imageJudge((*images).tileCapability),
		spirv.OpImageTexelPointer:         imageJudge((*images).tileTexel),
		spirv.OpExtInstWithForwardRefsKHR: imageJudge((*images).relaxedExtInst),
	},
	ops: []group{
		{imageJudge((*images).tileQuery), append(typing.With(typing.Query), spirv.OpImageQueryFormat, spirv.OpImageQueryOrder)},
		{imageJudge((*images).tileProcessing), typing.With(typing.Processing)},
	},
	after: []func(*checker){func(c *checker) { c.image.imageVariables() }, func(c *checker) { c.image.stageWrites() }},
}

// imageWithin returns the image in a variable, or the image in an array there; nil
// if there is none.
func imageWithin(t *facts.Type) (image *facts.Type, array bool) {
	for t.IsArray() {
		t, array = t.Elem, true
	}
	if t == nil || t.Image == nil {
		return nil, array
	}
	return t, array
}

// imageVariables checks the variables of module scope.
func (c *images) imageVariables() {
	if !c.vulkan {
		return
	}
	for n := range c.m.Variables {
		v := &c.m.Variables[n]
		t, array := imageWithin(v.Type)
		if v.Func != nil || t == nil {
			continue
		}
		m := t.Image
		if m.Dim == spirv.DimSubpassData && !c.m.Has(v.ID, spirv.DecorationInputAttachmentIndex) {
			switch {
			case array:
				c.fail(v.Index, vuid.RuntimeSpirv_OpTypeImage_09644, "%s is an array of images of a subpass without InputAttachmentIndex; must have it", c.name(v.ID))
			case !c.feature(vuid.RuntimeSpirv_None_09558, "dynamicRenderingLocalRead"):
				c.fail(v.Index, vuid.RuntimeSpirv_None_09558, "%s is the image of a subpass without InputAttachmentIndex; must have it or the feature dynamicRenderingLocalRead", c.name(v.ID))
			}
		}
		if m.Sampled == 2 && m.Format == spirv.ImageFormatUnknown && m.Dim != spirv.DimSubpassData && m.Dim != spirv.DimTileImageDataEXT && c.env.Version < Vulkan13 {
			c.formatless(v, vuid.RuntimeSpirv_apiVersion_07954, "shaderStorageImageWriteWithoutFormat", spirv.DecorationNonWritable)
			c.formatless(v, vuid.RuntimeSpirv_apiVersion_07955, "shaderStorageImageReadWithoutFormat", spirv.DecorationNonReadable)
		}
	}
}

// formatless checks a storage image without a format.
func (c *images) formatless(v *facts.Variable, code, feature string, d spirv.Decoration) {
	if !c.m.Has(v.ID, d) && !c.feature(code, feature) && !c.extension(code, "VK_KHR_format_feature_flags2") {
		c.fail(v.Index, code, "%s is a storage image without a format and without %s; must have it or the feature %s", c.name(v.ID), d, feature)
	}
}

// stageWrites checks the writes that a stage may not be able to do.
func (c *images) stageWrites() {
	if !c.vulkan || !slices.ContainsFunc(c.m.Variables, func(v facts.Variable) bool { return c.stageWritable(&v) }) {
		return
	}
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		code, feature := vuid.RuntimeSpirv_NonWritable_06341, "vertexPipelineStoresAndAtomics"
		switch e.Model {
		case spirv.ExecutionModelFragment:
			code, feature = vuid.RuntimeSpirv_NonWritable_06340, "fragmentStoresAndAtomics"
		case spirv.ExecutionModelVertex, spirv.ExecutionModelTessellationControl, spirv.ExecutionModelTessellationEvaluation, spirv.ExecutionModelGeometry:
		default:
			continue
		}
		for _, v := range c.globals(e) {
			if !c.stageWritable(v) {
				continue
			}
			if c.feature(code, feature) {
				break
			}
			c.fail(v.Index, code, "%s is writable by the %s entry point %q; must be NonWritable or have the feature %s", c.name(v.ID), e.Model, e.Name, feature).also(c, e.Index, "the entry point")
		}
	}
}

// stageWritable reports whether a variable is a storage image or buffer that is not
// NonWritable.
func (c *images) stageWritable(v *facts.Variable) bool {
	if c.m.Has(v.ID, spirv.DecorationNonWritable) {
		return false
	}
	if t, _ := imageWithin(v.Type); t != nil {
		return v.Storage == spirv.StorageClassUniformConstant && t.Image.Sampled == 2 && t.Image.Dim != spirv.DimSubpassData
	}
	t := v.Type
	for t.IsArray() {
		t = t.Elem
	}
	if !t.IsStruct() || v.Storage != spirv.StorageClassStorageBuffer && !(v.Storage == spirv.StorageClassUniform && c.m.Has(t.ID, spirv.DecorationBufferBlock)) {
		return false
	}
	for n := range t.Members {
		if !c.m.HasMember(t.ID, n, spirv.DecorationNonWritable) {
			return true
		}
	}
	return false
}

// tileCapability checks the stages of a module with tile shading.
func (c *images) tileCapability(i int, in spirv.Inst) {
	if !c.vulkan || spirv.Capability(in[1]) != spirv.CapabilityTileShadingQCOM {
		return
	}
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		switch e.Model {
		case spirv.ExecutionModelGLCompute:
			if !c.feature(vuid.RuntimeSpirv_TileShadingQCOM_10698, "tileShading") {
				c.fail(i, vuid.RuntimeSpirv_TileShadingQCOM_10698, "the capability TileShadingQCOM in a module with a compute shader; needs the feature tileShading").also(c, e.Index, "the entry point")
			}
		case spirv.ExecutionModelFragment:
			if !c.feature(vuid.RuntimeSpirv_TileShadingQCOM_10699, "tileShadingFragmentStage") {
				c.fail(i, vuid.RuntimeSpirv_TileShadingQCOM_10699, "the capability TileShadingQCOM in a module with a fragment shader; needs the feature tileShadingFragmentStage").also(c, e.Index, "the entry point")
			}
		default:
			c.fail(i, vuid.StandaloneSpirv_TileShadingQCOM_10686, "the capability TileShadingQCOM in a module with a %s entry point; must be GLCompute or Fragment", e.Model).also(c, e.Index, "the entry point")
		}
	}
}

// inTile returns the variable in TileAttachmentQCOM from which an image is loaded;
// nil if there is none.
func (c *images) inTile(id spirv.ID) *facts.Variable {
	if v, _ := c.imageOrigin(id); v != nil && v.Storage == spirv.StorageClassTileAttachmentQCOM {
		return v
	}
	return nil
}

func (c *images) tileQuery(i int, in spirv.Inst) {
	if !c.vulkan || !c.capable(spirv.CapabilityTileShadingQCOM) {
		return
	}
	if v := c.inTile(inst.ImageQuerySize(in).Image()); v != nil {
		c.fail(i, vuid.StandaloneSpirv_TileAttachmentQCOM_10697, "%s of %s of the storage class TileAttachmentQCOM; must not query it", in.Op(), c.name(v.ID)).also(c, v.Index, "the variable")
	}
}

func (c *images) tileTexel(i int, in spirv.Inst) {
	p := c.m.TypeOf(inst.ImageTexelPointer(in).Image())
	if c.vulkan && p.IsPointer() && p.Storage == spirv.StorageClassTileAttachmentQCOM && !c.feature(vuid.RuntimeSpirv_OpImage_10706, "tileShadingAtomicOps") {
		c.fail(i, vuid.RuntimeSpirv_OpImage_10706, "OpImageTexelPointer of an image of the storage class TileAttachmentQCOM; needs the feature tileShadingAtomicOps")
	}
}

func (c *images) tileProcessing(i int, in spirv.Inst) {
	if !c.vulkan || !c.capable(spirv.CapabilityTileShadingQCOM) {
		return
	}
	for _, w := range in[3:] {
		if v := c.inTile(spirv.ID(w)); v != nil && !c.feature(vuid.RuntimeSpirv_tileShadingImageProcessing_10712, "tileShadingImageProcessing") {
			c.fail(i, vuid.RuntimeSpirv_tileShadingImageProcessing_10712, "%s of %s of the storage class TileAttachmentQCOM; needs the feature tileShadingImageProcessing", in.Op(), c.name(v.ID)).also(c, v.Index, "the variable")
			return
		}
	}
}

func (c *images) relaxedExtInst(i int, _ spirv.Inst) {
	if c.vulkan && !c.feature(vuid.RuntimeSpirv_shaderRelaxedExtendedInstruction_10773, "shaderRelaxedExtendedInstruction") {
		c.fail(i, vuid.RuntimeSpirv_shaderRelaxedExtendedInstruction_10773, "OpExtInstWithForwardRefsKHR; needs the feature shaderRelaxedExtendedInstruction")
	}
}

package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// tileShadingFamily judges tile shading and tile images (Vulkan, Shader
// Interfaces, Fragment Tile Image Interface; SPV_QCOM_tile_shading).
var tileShadingFamily = family{
	rules: []Rule{
		{Code: vuid.StandaloneSpirv_TileShadingQCOM_10686, Section: environment, Words: "the entry points of a module with TileShadingQCOM are compute and fragment shaders"},
		{Code: vuid.StandaloneSpirv_TileAttachmentQCOM_10689, Section: environment, Words: "a variable in TileAttachmentQCOM needs the capability TileShadingQCOM"},
		{Code: vuid.StandaloneSpirv_NonCoherentTileAttachmentReadQCOM_10690, Section: environment, Words: "the mode NonCoherentTileAttachmentReadQCOM needs the capability TileShadingQCOM"},
		{Code: vuid.StandaloneSpirv_TileShadingRateQCOM_10691, Section: environment, Words: "the mode TileShadingRateQCOM needs the capability TileShadingQCOM"},
		{Code: vuid.StandaloneSpirv_TileAttachmentQCOM_10697, Section: environment, Words: "an image in TileAttachmentQCOM is not queried"},
		{Code: vuid.RuntimeSpirv_TileShadingQCOM_10698, Section: runtimeSection, Words: "a compute shader declares TileShadingQCOM only with tileShading", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_TileShadingQCOM_10699, Section: runtimeSection, Words: "a fragment shader declares TileShadingQCOM only with tileShadingFragmentStage", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_OpImage_10706, Section: runtimeSection, Words: "a pointer to a texel of an image in TileAttachmentQCOM needs tileShadingAtomicOps", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_x_10702, Section: runtimeSection, Words: "the x rate of TileShadingRateQCOM is within maxTileShadingRate", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_y_10703, Section: runtimeSection, Words: "the y rate of TileShadingRateQCOM is within maxTileShadingRate", Need: NeedDevice},
	},
	ops: []group{
		{(*checker).tileQuery, []spirv.Op{spirv.OpImageQuerySizeLod, spirv.OpImageQuerySize, spirv.OpImageQueryLod, spirv.OpImageQueryLevels,
			spirv.OpImageQuerySamples, spirv.OpImageQueryFormat, spirv.OpImageQueryOrder}},
		{(*checker).tileTexel, []spirv.Op{spirv.OpImageTexelPointer, spirv.OpUntypedImageTexelPointerEXT}},
	},
	after: []func(*checker){(*checker).tileShading},
}

// runtimeSection is where the rules stand that a device decides.
const runtimeSection = "Vulkan, Runtime SPIR-V Validation"

// tileShading judges entry points and variables.
func (c *checker) tileShading() {
	if !c.vulkan {
		return
	}
	has := c.capable(spirv.CapabilityTileShadingQCOM)
	for n := range c.m.EntryPoints {
		e := &c.m.EntryPoints[n]
		c.tileModes(e, has)
		if !has {
			continue
		}
		switch e.Model {
		case spirv.ExecutionModelGLCompute:
			if !c.feature(vuid.RuntimeSpirv_TileShadingQCOM_10698, "tileShading") {
				c.fail(e.Index, vuid.RuntimeSpirv_TileShadingQCOM_10698, "a compute shader with TileShadingQCOM; needs the feature tileShading")
			}
		case spirv.ExecutionModelFragment:
			if !c.feature(vuid.RuntimeSpirv_TileShadingQCOM_10699, "tileShadingFragmentStage") {
				c.fail(e.Index, vuid.RuntimeSpirv_TileShadingQCOM_10699, "a fragment shader with TileShadingQCOM; needs the feature tileShadingFragmentStage")
			}
		default:
			c.fail(e.Index, vuid.StandaloneSpirv_TileShadingQCOM_10686, "a %s entry point in a module with TileShadingQCOM; must be GLCompute or Fragment", e.Model)
		}
	}
	if has {
		return
	}
	for n := range c.m.Variables {
		if v := &c.m.Variables[n]; v.Storage == spirv.StorageClassTileAttachmentQCOM {
			c.fail(v.Index, vuid.StandaloneSpirv_TileAttachmentQCOM_10689, "%s is in TileAttachmentQCOM; needs the capability TileShadingQCOM", c.name(v.ID))
		}
	}
}

// tileModes judges the modes of an entry point.
func (c *checker) tileModes(e *facts.EntryPoint, has bool) {
	if m, ok := e.Mode(spirv.ExecutionModeNonCoherentTileAttachmentReadQCOM); ok && !has {
		c.fail(m.Index, vuid.StandaloneSpirv_NonCoherentTileAttachmentReadQCOM_10690, "NonCoherentTileAttachmentReadQCOM; needs the capability TileShadingQCOM")
	}
	m, ok := e.Mode(spirv.ExecutionModeTileShadingRateQCOM)
	if !ok {
		return
	}
	if !has {
		c.fail(m.Index, vuid.StandaloneSpirv_TileShadingRateQCOM_10691, "TileShadingRateQCOM; needs the capability TileShadingQCOM")
	}
	for k, r := range [...]struct{ code, limit string }{
		{vuid.RuntimeSpirv_x_10702, "maxTileShadingRate.x"}, {vuid.RuntimeSpirv_y_10703, "maxTileShadingRate.y"},
	} {
		if k >= len(m.Operands) {
			return
		}
		if most, ok := c.limit(r.code, r.limit); ok && uint64(m.Operands[k]) > most {
			c.fail(m.Index, r.code, "the rate is %d; must be %d at most", m.Operands[k], most)
		}
	}
}

// tileQuery judges what asks an image for its properties.
func (c *checker) tileQuery(i int, in spirv.Inst) {
	if !c.vulkan || !c.capable(spirv.CapabilityTileShadingQCOM) {
		return
	}
	d := c.code.DefInst(inst.ImageQuerySize(in).Image())
	if d == nil || d.Op() != spirv.OpLoad {
		return
	}
	if t := c.m.TypeOf(inst.Load(d).Pointer()); t.IsPointer() && t.Storage == spirv.StorageClassTileAttachmentQCOM {
		c.fail(i, vuid.StandaloneSpirv_TileAttachmentQCOM_10697, "%s of an image in TileAttachmentQCOM; must be of another", in.Op())
	}
}

// tileTexel judges a pointer to a texel.
func (c *checker) tileTexel(i int, in spirv.Inst) {
	if !c.vulkan || !c.capable(spirv.CapabilityTileShadingQCOM) {
		return
	}
	image := spirv.ID(in[3])
	if in.Op() == spirv.OpUntypedImageTexelPointerEXT {
		image = inst.UntypedImageTexelPointerEXT(in).Image()
	}
	if t := c.m.TypeOf(image); t.IsPointer() && t.Storage == spirv.StorageClassTileAttachmentQCOM && !c.feature(vuid.RuntimeSpirv_OpImage_10706, "tileShadingAtomicOps") {
		c.fail(i, vuid.RuntimeSpirv_OpImage_10706, "%s of an image in TileAttachmentQCOM; needs the feature tileShadingAtomicOps", in.Op())
	}
}

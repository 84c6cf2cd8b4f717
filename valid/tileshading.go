package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// tileShadingFamily checks the declarations that need the capability
// TileShadingQCOM, and the shading rate of a tile (SPV_QCOM_tile_shading).
var tileShadingFamily = family{
	rules: []Rule{
		{Code: vuid.StandaloneSpirv_TileAttachmentQCOM_10689, Section: environment, Words: "a variable in TileAttachmentQCOM needs the capability TileShadingQCOM"},
		{Code: vuid.StandaloneSpirv_NonCoherentTileAttachmentReadQCOM_10690, Section: environment, Words: "the mode NonCoherentTileAttachmentReadQCOM needs the capability TileShadingQCOM"},
		{Code: vuid.StandaloneSpirv_TileShadingRateQCOM_10691, Section: environment, Words: "the mode TileShadingRateQCOM needs the capability TileShadingQCOM"},
		{Code: vuid.RuntimeSpirv_x_10702, Section: runtimeSection, Words: "the x rate of TileShadingRateQCOM is within maxTileShadingRate", Need: NeedDevice},
		{Code: vuid.RuntimeSpirv_y_10703, Section: runtimeSection, Words: "the y rate of TileShadingRateQCOM is within maxTileShadingRate", Need: NeedDevice},
	},
	after: []func(*checker){(*checker).tileShading},
}

// runtimeSection is the section with the rules that depend on a device.
const runtimeSection = "Vulkan, Runtime SPIR-V Validation"

// tileShading checks entry points and variables.
func (c *checker) tileShading() {
	if !c.vulkan {
		return
	}
	has := c.capable(spirv.CapabilityTileShadingQCOM)
	for n := range c.m.EntryPoints {
		c.tileModes(&c.m.EntryPoints[n], has)
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

// tileModes checks the modes of an entry point.
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
		{vuid.RuntimeSpirv_x_10702, "maxTileShadingRate[0]"}, {vuid.RuntimeSpirv_y_10703, "maxTileShadingRate[1]"},
	} {
		if k >= len(m.Operands) {
			return
		}
		if most, ok := c.limit(r.code, r.limit); ok && uint64(m.Operands[k]) > most {
			c.fail(m.Index, r.code, "the rate is %d; must be at most %d", m.Operands[k], most)
		}
	}
}

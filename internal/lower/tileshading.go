package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Tile shading (SPV_QCOM_tile_shading). A tile attachment is an image of a descriptor. The run has one tile, which
// begins at pixel 0, 0 of the framebuffer, so TileOffsetQCOM is 0 with and without an active tile. The run binds the
// other built-ins as a bank of push constants without a number.

// tileModes sets the modes of a shader of a module with TileShadingQCOM.
func (u *unit) tileModes() {
	if !u.facts.Capable(spirv.CapabilityTileShadingQCOM) {
		return
	}
	u.prog.Modes |= ir.TileShading
	if u.entry.HasMode(spirv.ExecutionModeNonCoherentTileAttachmentReadQCOM) {
		u.prog.Modes |= ir.TileNonCoherent
	}
}

// tileLocalSize returns the size of the workgroup of a shader with TileShadingRateQCOM, and whether it is one. The
// implementation defines it (Vulkan, vkCmdDispatchTileQCOM): a workgroup has the blocks of 16×16 pixels. For example,
// with the rate 4×2 it has 4×8 invocations.
func (u *unit) tileLocalSize() ([3]uint32, bool) {
	m, ok := u.entry.Mode(spirv.ExecutionModeTileShadingRateQCOM)
	if !ok {
		return [3]uint32{}, false
	}
	if len(m.Operands) != 3 {
		u.malformed("%s has %d operands; must have 3", m.Kind, len(m.Operands))
	}
	size := [3]uint32{2: 1}
	for i := range 2 {
		rate := m.Operands[i]
		if rate == 0 || rate&(rate-1) != 0 {
			u.malformed("the shading rate of a tile is %d×%d; must be two powers of two", m.Operands[0], m.Operands[1])
		}
		if rate > ir.TileGranularity {
			u.unsupported("a shading rate of %d×%d pixels, more than %d,", m.Operands[0], m.Operands[1], ir.TileGranularity)
		}
		size[i] = ir.TileGranularity / rate
	}
	u.prog.TileLayers = max(m.Operands[2], 1) // see docs/undefined.md
	return size, true
}

// tileBuiltIn returns component i of a built-in of the active tile, 0 without one.
func (f *function) tileBuiltIn(k spirv.BuiltIn, i int) ir.V {
	word := i
	switch k {
	case spirv.BuiltInTileOffsetQCOM:
		return f.b.I32(0)
	case spirv.BuiltInTileApronSizeQCOM:
		word += 3
	}
	n := f.bindResource(ir.Resource{Kind: ir.PushBank, Binding: ir.TileBank, Count: 1, NonWritable: true})
	h := f.b.OpAux(ir.Res, ir.H, n, f.b.I32(0))
	return f.emit(ir.Val{Op: ir.Ld, Type: ir.I32, Aux: uint64(4 * word), Args: [4]ir.V{h, f.b.I32(0)}})
}

var (
	beyondTile        = finding{ir.SanitizeBounds, "VUID-RuntimeSpirv-Coordinate-10713"}
	beyondFetchedTile = finding{ir.SanitizeBounds, "VUID-RuntimeSpirv-Coordinate-10714"}
)

// checkTile: a texel of a tile attachment outside of the active tile. Reads reach its apron; without an active tile all are inside.
func (c *textureCall) checkTile() {
	f := c.f
	n, ok := f.constBits(c.on.resource)
	if !ok || n >= uint64(len(f.prog.Res)) || !f.prog.Res[n].Tile || !f.sanitizes(ir.SanitizeBounds) {
		return
	}
	rule := beyondTile
	if c.head.Op == ir.TextureFetch {
		rule = beyondFetchedTile
	}
	outside := f.b.Bool(false)
	for i := range 2 {
		size := f.tileBuiltIn(spirv.BuiltInTileDimensionQCOM, i)
		end := size
		if c.head.Op == ir.TextureRead || c.head.Op == ir.TextureFetch {
			end = f.b.Op(ir.Add, ir.I32, size, f.tileBuiltIn(spirv.BuiltInTileApronSizeQCOM, i))
		}
		active := f.not(f.b.Cmp(ir.Eq, size, f.b.I32(0)))
		beyond := f.b.Op(ir.And, ir.B1, active, f.not(f.b.Cmp(ir.ULt, c.at[i], end)))
		outside = f.b.Op(ir.Or, ir.B1, outside, beyond)
	}
	f.report(rule, outside, "texel (%d, %d) is outside of the tile", c.at[:2]...)
}

package driver

import (
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// tileShading reads the tile shading of a render pass, of a rendering or of an inheritance; nil has none.
func tileShading(i *abi.RenderPassTileShadingCreateInfoQCOM) vk.TileShading {
	if i == nil {
		return vk.TileShading{}
	}
	return vk.TileShading{
		Enable: i.Flags&abi.TileShadingRenderPassEnableBitQCOM != 0, PerTile: i.Flags&abi.TileShadingRenderPassPerTileExecutionBitQCOM != 0,
		Apron: [2]uint32{i.TileApronSize.Width, i.TileApronSize.Height},
	}
}

// tileSize reads the bytes of tile memory of a render pass; nil has none.
func tileSize(i *abi.TileMemorySizeInfoQCOM) uint64 {
	if i == nil {
		return 0
	}
	return i.Size
}

// bindTileMemory binds tile memory, or none.
func bindTileMemory(c *commandBuffer, a *abi.CmdBindTileMemoryQCOMArgs) {
	if a.PTileMemoryBindInfo == nil {
		c.vk.BindTileMemory(nil)
	} else if m := memories.get(uint64(a.PTileMemoryBindInfo.Memory)); m != nil {
		c.vk.BindTileMemory(m)
	}
}

// putTile writes the properties of tiles. The first tile begins at pixel 0, 0.
func putTile(to *abi.TilePropertiesQCOM, t vk.Tile) {
	to.TileSize = abi.Extent3D{Width: t.Width, Height: t.Height, Depth: t.Layers}
	to.ApronSize = abi.Extent2D{Width: t.Apron[0], Height: t.Apron[1]}
	to.Origin = abi.Offset2D{}
}

// framebufferTiles returns the tiles of the subpasses of a framebuffer.
func framebufferTiles(a *abi.GetFramebufferTilePropertiesQCOMArgs) abi.Result {
	f := framebuffers.get(uint64(a.Framebuffer))
	if f == nil {
		return abi.ErrorDeviceLost
	}
	tiles := f.Tiles()
	if a.PProperties == nil {
		*a.PPropertiesCount = uint32(len(tiles))
		return abi.Success
	}
	n := min(int(*a.PPropertiesCount), len(tiles))
	for i := range n {
		putTile(&array(a.PProperties, uint32(n))[i], tiles[i])
	}
	*a.PPropertiesCount = uint32(n)
	if n < len(tiles) {
		return abi.Incomplete
	}
	return abi.Success
}

// renderingTiles returns the tiles of a rendering.
func renderingTiles(a *abi.GetDynamicRenderingTilePropertiesQCOMArgs) abi.Result {
	d := deviceOf(a.Device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	tile, err := d.vk.RenderingTile(renderingInfo(a.PRenderingInfo))
	if err == nil {
		putTile(a.PProperties, tile)
	}
	return d.result(err)
}

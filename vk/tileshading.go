package vk

import (
	"encoding/binary"
	"maps"
	mathbits "math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// Limits of tile shading (VK_QCOM_tile_shading). A rendering has one tile, which begins at pixel 0, 0: the framebuffer, up to the
// next multiple of TileGranularity.
const (
	MaxTileApron       = 64 // pixels along each axis
	MaxTileShadingRate = 8  // pixels along each axis
	TileGranularity    = ir.TileGranularity
)

// TileShading is the tile shading of a rendering (VkRenderPassTileShadingCreateInfoQCOM).
type TileShading struct {
	Enable  bool
	PerTile bool      // of an inheritance: the commands are in a part of the rendering that runs for each tile
	Apron   [2]uint32 // width and height of the pixels around a tile that it can read
}

// Tile describes the tiles of a rendering (VkTilePropertiesQCOM). The first one begins at pixel 0, 0.
type Tile struct {
	Width, Height, Layers uint32
	Apron                 [2]uint32
}

// tileOf returns the tile of a framebuffer.
func tileOf(width, height, layers uint32, apron [2]uint32) Tile {
	up := func(n uint32) uint32 { return (max(n, 1) + TileGranularity - 1) / TileGranularity * TileGranularity }
	return Tile{up(width), up(height), max(layers, 1), apron}
}

// Tiles returns the tiles of each subpass of the framebuffer's render pass (vkGetFramebufferTilePropertiesQCOM).
func (f *Framebuffer) Tiles() (out []Tile) {
	if f == nil || f.pass == nil {
		return nil
	}
	for i := range f.pass.info.Subpasses {
		s := &f.pass.info.Subpasses[i]
		layers := f.info.Layers
		if s.ViewMask != 0 {
			layers = uint32(mathbits.Len32(s.ViewMask))
		}
		out = append(out, tileOf(f.info.Width, f.info.Height, layers, s.apron(f.pass.info.Tiles)))
	}
	return out
}

// apron returns the apron of a subpass, which only subpasses with the flag have.
func (s *Subpass) apron(t TileShading) [2]uint32 {
	if s.Flags&TileApronSubpass == 0 {
		return [2]uint32{}
	}
	return t.Apron
}

// RenderingTile returns the tiles of a rendering (vkGetDynamicRenderingTilePropertiesQCOM).
func (d *Device) RenderingTile(info RenderingInfo) (Tile, error) {
	if err := d.Err(); err != nil {
		return Tile{}, err
	}
	if err := checkTileSize(info.TileMemory); err != nil {
		return Tile{}, err
	}
	width, height, layers := uint32(0), uint32(0), max(info.Layers, 1)
	each := func(a *AttachmentInfo) error {
		if a == nil || a.View == nil {
			return nil
		}
		if err := check(d, "the view of an attachment", a.View); err != nil {
			return err
		}
		if v := a.View.view; v != nil {
			w, h, _ := v.Extent()
			if width == 0 || uint32(w) < width {
				width = uint32(w)
			}
			if height == 0 || uint32(h) < height {
				height = uint32(h)
			}
		}
		return nil
	}
	for i := range info.Colors {
		if err := each(&info.Colors[i]); err != nil {
			return Tile{}, err
		}
	}
	for _, a := range [...]*AttachmentInfo{info.Depth, info.Stencil} {
		if err := each(a); err != nil {
			return Tile{}, err
		}
	}
	if width == 0 {
		width, height = uint32(max(info.Area.X, 0))+info.Area.Width, uint32(max(info.Area.Y, 0))+info.Area.Height
	}
	if info.ViewMask != 0 {
		layers = uint32(mathbits.Len32(info.ViewMask))
	}
	return tileOf(min(width, 1<<30), min(height, 1<<30), layers, info.Tiles.Apron), nil
}

// checkTiles checks the tile shading of a render pass, of a rendering or of an inheritance.
func (d *Device) checkTiles(t *TileShading) error {
	const rule = "VUID-VkRenderPassTileShadingCreateInfoQCOM-"
	switch apron := t.Apron; {
	case t.Enable && d.lacks("tileShading"):
		return usage(rule+"tileShading-10658", "tile shading is enabled; needs the feature tileShading")
	case apron != [2]uint32{} && !t.Enable:
		return usage(rule+"flags-10659", "the apron is %d×%d without tile shading; must be 0×0", apron[0], apron[1])
	case apron != [2]uint32{} && d.lacks("tileShadingApron"):
		return usage(rule+"flags-10659", "the apron is %d×%d; needs the feature tileShadingApron", apron[0], apron[1])
	case t.PerTile && (!t.Enable || d.lacks("tileShadingPerTileDispatch") && d.lacks("tileShadingPerTileDraw")):
		return usage(rule+"flags-10660", "commands run for each tile; needs tile shading, and the feature tileShadingPerTileDispatch or tileShadingPerTileDraw")
	case apron[0] != apron[1] && d.lacks("tileShadingAnisotropicApron"):
		return usage(rule+"tileShadingAnisotropicApron-10661", "the apron is %d×%d; needs the feature tileShadingAnisotropicApron", apron[0], apron[1])
	case apron[0] > MaxTileApron:
		return usage(rule+"tileApronSize-10662", "the apron is %d wide; must be at most %d", apron[0], MaxTileApron)
	case apron[1] > MaxTileApron:
		return usage(rule+"tileApronSize-10663", "the apron is %d high; must be at most %d", apron[1], MaxTileApron)
	}
	return nil
}

// tiles returns the tile shading of the rendering that the recording is in.
func (s *scope) tiles() TileShading {
	switch {
	case s.rendering != nil:
		return s.rendering.info.Tiles
	case s.inherited != nil:
		return s.inherited.Tiles
	}
	return TileShading{}
}

// inTiles reports whether recorded commands run for each tile.
func (s *scope) inTiles() bool {
	return s.perTile || s.rendering == nil && s.inherited != nil && s.inherited.Tiles.PerTile
}

// outsideTiles fails a command that must not run for each tile.
func (c *CommandBuffer) outsideTiles(rule string) bool {
	if !c.scope.inTiles() {
		return true
	}
	c.fail(usage(rule, "the command is in a part of the rendering that runs for each tile; must be outside"))
	return false
}

// BeginPerTile begins a part of a rendering with tile shading: its draws and dispatches run once for each tile
// (vkCmdBeginPerTileExecutionQCOM).
func (c *CommandBuffer) BeginPerTile() {
	if !c.begin() {
		return
	}
	switch {
	case !c.scope.tiles().Enable:
		c.fail(usage("VUID-vkCmdBeginPerTileExecutionQCOM-None-10664", "the command is outside of a rendering with tile shading; must be inside"))
	case c.dev.lacks("tileShadingPerTileDispatch") && c.dev.lacks("tileShadingPerTileDraw"):
		c.fail(usage("VUID-vkCmdBeginPerTileExecutionQCOM-None-10665", "commands run for each tile; needs the feature tileShadingPerTileDispatch or tileShadingPerTileDraw"))
	case c.scope.inTiles():
		c.fail(usage("", "commands run for each tile already; must not"))
	default:
		c.scope.perTile = true
		c.deferred("begin per-tile execution", perTile(true))
	}
}

// EndPerTile ends such a part (vkCmdEndPerTileExecutionQCOM).
func (c *CommandBuffer) EndPerTile() {
	if !c.begin() {
		return
	}
	switch {
	case !c.scope.tiles().Enable:
		c.fail(usage("VUID-vkCmdEndPerTileExecutionQCOM-None-10667", "the command is outside of a rendering with tile shading; must be inside"))
	case !c.scope.perTile:
		c.fail(usage("VUID-vkCmdEndPerTileExecutionQCOM-None-10666", "commands do not run for each tile; must"))
	default:
		c.scope.perTile = false
		c.deferred("end per-tile execution", perTile(false))
	}
}

// perTile is a recorded BeginPerTile, or EndPerTile.
type perTile bool

func (begin perTile) run(x *executor) error {
	r := x.graphics.current
	if bool(begin) && (r == nil || !r.info.Tiles.Enable) {
		return usage("VUID-vkCmdBeginPerTileExecutionQCOM-None-10664", "the command is outside of a rendering with tile shading; must be inside")
	}
	x.setTile(bool(begin))
	return nil
}

// setTile begins or ends the execution for each tile. There is one tile, which is bound to shaders as a bank: banks do not change,
// because recorded draws have them.
func (x *executor) setTile(active bool) {
	g := &x.graphics
	if g.perTile == active {
		return
	}
	g.perTile = active
	if x.banks = maps.Clone(x.banks); !active {
		delete(x.banks, ir.TileBank)
		return
	}
	if x.banks == nil {
		x.banks = map[uint32][]byte{}
	}
	t := g.tile()
	words := make([]byte, 0, 4*ir.TileWords)
	for _, n := range [ir.TileWords]uint32{t.Width, t.Height, t.Layers, t.Apron[0], t.Apron[1]} {
		words = binary.LittleEndian.AppendUint32(words, n)
	}
	x.banks[ir.TileBank] = words
}

// tile returns the tile of the current rendering.
func (g *graphics) tile() Tile {
	w, h, layers := g.current.target.Extent()
	return tileOf(w, h, layers, g.current.info.Tiles.Apron)
}

// DispatchTile runs the compute shader for each tile: an invocation for each block of pixels of the rate of the shader, which has
// TileShadingRateQCOM (vkCmdDispatchTileQCOM).
func (c *CommandBuffer) DispatchTile() {
	if !c.begin() {
		return
	}
	switch {
	case !c.scope.inTiles():
		c.fail(usage("VUID-vkCmdDispatchTileQCOM-None-10668", "commands do not run for each tile; must"))
		return
	case c.dev.lacks("tileShadingDispatchTile"):
		c.fail(usage("VUID-vkCmdDispatchTileQCOM-None-10669", "a tile is dispatched; needs the feature tileShadingDispatchTile"))
		return
	}
	c.action()
	c.deferred("dispatch tile", dispatchTile{})
}

// dispatchTile is a recorded DispatchTile.
type dispatchTile struct{}

func (dispatchTile) flags() QueueFlags { return QueueGraphics }

func (dispatchTile) conditional() {}

func (dispatchTile) run(x *executor) error {
	p := x.computePipeline()
	switch {
	case !x.graphics.perTile:
		return usage("VUID-vkCmdDispatchTileQCOM-None-10668", "commands do not run for each tile; must")
	case p == nil:
		return x.noCompute()
	}
	t, z := x.graphics.tile(), p.stage.Program.TileLayers
	switch {
	case z == 0:
		return usage("", "the shader of %v has no TileShadingRateQCOM; must have it", &p.object)
	case z > t.Layers:
		return usage(vuid.RuntimeSpirv_z_10704, "the shader has the rate %d along z, and the tile has %d layers; must be at most as many", z, t.Layers)
	case t.Layers%z != 0:
		return usage(vuid.RuntimeSpirv_tileSize_10705, "the shader has the rate %d along z, and the tile has %d layers; must be a multiple", z, t.Layers)
	}
	if err := x.flush(); err != nil {
		return err
	}
	return x.launch(p, Compute, [3]uint32{}, [3]uint32{t.Width / TileGranularity, t.Height / TileGranularity, t.Layers / z})
}

// computePipeline returns the bound compute pipeline, or that of the bound shader object; nil if there is none.
func (x *executor) computePipeline() *ComputePipeline {
	if x.pipeline == nil && x.shader != nil {
		return x.shader.compute
	}
	return x.pipeline
}

// noCompute is the error of a dispatch without a compute shader.
func (x *executor) noCompute() error {
	x.find(vuid.VkCmdDraw_None_08606, "no pipeline and no shader object is bound; must be")
	x.find(vuid.VkCmdDispatch_None_10743, "no shader object is bound to the compute stage, and no pipeline; must be")
	return x.found()
}

// checkTiles checks the tile shading of an inheritance. That of a command buffer that continues no rendering must be none.
func (i *InheritanceInfo) checkTiles(d *Device) error {
	var pass TileShading
	of := i.Continue && i.RenderPass != nil
	if of {
		pass = i.RenderPass.info.Tiles
	}
	switch {
	case of && pass.Enable && !i.Tiles.Enable:
		return usage("VUID-VkCommandBufferBeginInfo-flags-10617", "the inheritance has no tile shading, and its render pass has; must have it")
	case (!i.Continue || of) && i.Tiles.Enable && !pass.Enable:
		return usage("VUID-VkCommandBufferBeginInfo-flags-10618", "the inheritance has tile shading, and its render pass has none; must have none")
	case of && i.Tiles.Enable && i.Tiles.Apron != pass.Apron:
		return usage("VUID-VkCommandBufferBeginInfo-flags-10619", "the inheritance has the apron %d×%d, and its render pass %d×%d; must be the same", i.Tiles.Apron[0], i.Tiles.Apron[1], pass.Apron[0], pass.Apron[1])
	}
	return d.checkTiles(&i.Tiles)
}

// checkTiles returns the error of a secondary command buffer with another tile shading than the place where it is executed.
func (c *CommandBuffer) checkTiles(s *CommandBuffer) error {
	const rule = "VUID-vkCmdExecuteCommands-"
	here, there := c.scope.tiles(), orZero(s.inherited).Tiles
	if p := c.scope.pass; p != nil {
		here.Apron = p.pass.info.Tiles.Apron // that of the render pass, whatever its subpass has
	}
	switch open := c.scope.open(); {
	case open && here.Enable && !there.Enable:
		return usage(rule+"pCommandBuffers-10620", "%v has no tile shading, and the rendering has; must have it", &s.object)
	case c.scope.inTiles() && !there.PerTile:
		return usage(rule+"pCommandBuffers-10621", "%v is not to run for each tile, and the commands do here; must be", &s.object)
	case there.Enable && !here.Enable:
		return usage(rule+"pCommandBuffers-10623", "%v has tile shading, and there is none here; must have none", &s.object)
	case there.PerTile && !c.scope.inTiles():
		return usage(rule+"pCommandBuffers-10624", "%v is to run for each tile, and the commands do not here; must not be", &s.object)
	case open && here.Apron != there.Apron:
		return usage(rule+"tileApronSize-10622", "%v has the apron %d×%d, and the rendering %d×%d; must be the same", &s.object, there.Apron[0], there.Apron[1], here.Apron[0], here.Apron[1])
	}
	return nil
}

// checkTileDispatch finds dispatches that tile shading does not permit.
func (x *executor) checkTileDispatch(p *ComputePipeline, idle bool) {
	tiles := p.stage.Program.Modes.Has(ir.TileShading)
	switch g := &x.graphics; {
	case g.perTile && x.dev.lacks("tileShadingPerTileDispatch"):
		x.find(vuid.VkCmdDispatch_None_10674, "a dispatch runs for each tile; needs the feature tileShadingPerTileDispatch")
	case tiles && (g.current == nil || !g.current.info.Tiles.Enable):
		x.find(vuid.RuntimeSpirv_TileShadingQCOM_10700, "the shader has tile shading, and there is none here; must be in a rendering with it")
	case tiles && !g.perTile:
		x.find(vuid.RuntimeSpirv_TileShadingQCOM_10701, "the shader has tile shading, and the dispatch does not run for each tile; must")
	}
	if r := x.graphics.current; r != nil && r.info.Tiles.Enable {
		x.checkTileImages(&descriptorCheck{executor: x, point: Compute, idle: idle, layout: p.layout, mappings: map[ir.Stage][]compute.Mapping{ir.Compute: p.mappings}}, p.uses.of(p.stage))
	}
}

// checkTileDraw finds draws that tile shading does not permit.
func (c *drawCheck) checkTileDraw(u *uses, idle bool) {
	x, enabled, tiles := c.executor, c.r.info.Tiles.Enable, false
	for _, s := range c.d.stages {
		switch p := s.Program; p.Stage {
		case ir.Fragment:
			tiles = p.Modes.Has(ir.TileShading)
		case ir.Vertex:
		default:
			if enabled {
				x.find(vuid.VkCmdDraw_None_10678, "the draw in a rendering with tile shading has a %v stage; must have only vertex and fragment stages", p.Stage)
			}
		}
	}
	if enabled && c.p != nil && c.p.clusters != nil {
		x.find(vuid.VkCmdDraw_None_10678, "the draw in a rendering with tile shading has a cluster culling stage; must have only vertex and fragment stages")
	}
	if x.graphics.perTile && x.dev.lacks("tileShadingPerTileDraw") {
		x.find(vuid.VkCmdDraw_None_10677, "a draw runs for each tile; needs the feature tileShadingPerTileDraw")
	}
	if tiles && !enabled {
		x.find(vuid.RuntimeSpirv_TileShadingQCOM_10700, "the fragment shader has tile shading, and the rendering has none; must have it")
	}
	if tiles && enabled {
		x.checkTileImages(&descriptorCheck{executor: x, point: Graphics, idle: idle, layout: c.d.layout, mappings: c.d.mappings}, u)
	}
}

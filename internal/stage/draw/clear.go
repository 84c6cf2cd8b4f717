package draw

import (
	"math"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Clears describes cleared attachments: the load operations VK_ATTACHMENT_LOAD_OP_CLEAR of a render
// pass, or vkCmdClearAttachments. A clear in a pass is a step with a bin in each tile, so that it
// needs no separate walk over the attachments: each tile is cleared when its worker begins it.
type Clears struct {
	Area state.Rect // empty: everything

	// Layers is the number of layers from BaseLayer on; 0 is all. If ViewMask is not 0, its bits
	// select the layers instead.
	BaseLayer, Layers uint32
	ViewMask          uint32

	Colors         []Clear
	Depth, Stencil Clear
}

// Clear is the clear of one attachment. Value has the form of texture.Image.Store.
type Clear struct {
	Do    bool
	Value [4]uint64
}

// clearWeight is the approximate cost of a tile's clear, in workgroups of fragments.
const clearWeight = 16

// add adds an attachment if it exists and is cleared.
func (x *recordedClear) add(v *texture.View, c *Clear) {
	if !c.Do || v == nil {
		return
	}
	a := clearedView{view: v}
	if a.size = v.EncodeTexel(&a.texel, c.Value); a.size > 0 {
		x.list = append(x.list, a)
	}
}

// clearList makes the bin list of a clear. The caller holds the lock.
func (p *Pass) clearList(c *recordedClear, ticket uint64) *binList {
	s := p.newListLocked(0)
	s.clear, s.ticket, s.width = c, ticket, p.width
	s.items, s.primitives, s.records, s.bins = s.items[:0], s.primitives[:0], s.records[:0], s.bins[:0]
	for y := c.area.Y0 / raster.Tile; y <= (c.area.Y1-1)/raster.Tile; y++ {
		for x := c.area.X0 / raster.Tile; x <= (c.area.X1-1)/raster.Tile; x++ {
			s.bins = append(s.bins, bin{y*p.width + x, 0, clearWeight, false})
		}
	}
	return s
}

// clearTile clears one tile.
func (s *binList) clearTile(tile int) {
	c := s.clear
	x, y := int32(tile)%s.width*raster.Tile, int32(tile)/s.width*raster.Tile
	whole := c.all.Intersect(raster.Rect{X0: x, Y0: y, X1: x + raster.Tile, Y1: y + raster.Tile})
	r := c.area.Intersect(whole)
	s.clearCoarseDepth(tile, r, whole)
	for i := range c.list {
		a := &c.list[i]
		each := func(layer uint32) {
			a.view.Fill(int(layer), int(r.X0), int(r.Y0), int(r.X1), int(r.Y1), a.texel[:a.size])
		}
		for m := c.mask; m != 0; m &= m - 1 {
			each(uint32(bits.TrailingZeros32(m)))
		}
		for layer := c.layers[0]; c.mask == 0 && layer < c.layers[1]; layer++ {
			each(layer)
		}
	}
}

// recordClear records a clear.
func (p *Pass) recordClear(c *Clears) {
	if p.inUse.clears == len(p.clears) {
		p.clears = append(p.clears, &recordedClear{})
	}
	x := p.clears[p.inUse.clears]
	p.inUse.clears++
	w, h, n := p.target.Extent()
	x.all = raster.Rect{X1: int32(w), Y1: int32(h)}
	x.area = x.all
	if c.Area.Width > 0 && c.Area.Height > 0 {
		x.area = x.area.Intersect(c.Area.Raster())
	}
	x.layers, x.mask = [2]uint32{min(c.BaseLayer, n), n}, c.ViewMask
	if c.Layers > 0 {
		x.layers[1] = min(x.layers[0]+min(c.Layers, n), n)
	}
	x.list = x.list[:0]
	for i := range min(len(c.Colors), len(p.target.Colors)) {
		x.add(p.target.Colors[i], &c.Colors[i])
	}
	color := len(x.list)
	x.add(p.target.Depth, &c.Depth)
	// A cleared depth is a coarse depth for all blocks, the most useful start for HiZ.
	x.deep, x.depth = len(x.list) > color, math.Float32frombits(uint32(c.Depth.Value[0]))
	x.add(p.target.Stencil, &c.Stencil)
	if len(x.list) > 0 && !x.area.Empty() {
		p.steps = append(p.steps, step{clear: x})
	}
}

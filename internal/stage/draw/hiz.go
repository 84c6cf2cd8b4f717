package draw

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// Hierarchical Z (HiZ; Greene, Kass, Miller 1993, "Hierarchical Z-Buffer Visibility"), with one level:
// a coarse depth buffer holds the farthest depth of each block of 8×8 pixels. An item farther than that fails
// the depth test at all samples of the block, so its mask is cleared before its fragments run. The
// bounds are conservative; the exact test decides everything else, and the picture is the same.
//
// HiZ rejects nothing for layered depth attachments, several views, coarse fragments, late tests,
// comparisons other than less and greater, and stencil tests that write on failure. An item updates
// coarse depths only if it covers whole blocks, depth is written, and no stencil or depth bounds test
// can exclude a sample.

// coarseDepth is the coarse depth buffer (HiZ) of a tile: for each block a depth such that no sample
// is farther. Depths are multiplied by direction, so that farther is always greater. It has 64
// blocks, 256 bytes of depths for a tile. Example with direction −1 (comparison greater): attachment
// depths 0.2 to 0.7 in a block make far −0.2.
type coarseDepth struct {
	flush     uint64  // Pass.flushes for which the content is valid
	direction float32 // 1: the tests pass smaller depths; −1: greater depths; 0: depths of a clear
	known     bool    // some depth is finite
	far       [tileBlocks * tileBlocks]float32
}

// tileBlocks is the number of blocks in a tile along an axis.
const tileBlocks = raster.Tile / raster.Block

// clear sets all depths.
func (h *coarseDepth) clear(depth float32) {
	h.direction, h.known = 0, depth >= 0 && depth <= 1
	for i := range h.far {
		h.far[i] = depth
	}
}

// forget makes all depths unknown.
func (h *coarseDepth) forget() { h.direction, h.known = 0, false }

// setDirection converts the depths to a direction of tests. Depths of the opposite direction bound the
// wrong side and become unknown.
func (h *coarseDepth) setDirection(direction float32) {
	switch {
	case h.known && h.direction == 0 && h.far[0]*direction < max(direction, 0): // otherwise nothing can be farther
		for i := range h.far {
			h.far[i] *= direction
		}
	case !h.known || h.direction != direction:
		h.known = false
		for i := range h.far {
			h.far[i] = float32(math.Inf(1))
		}
	}
	h.direction = direction
}

// hizMode is the HiZ mode of a draw.
type hizMode struct {
	active       bool    // the draw reads or changes coarse depths
	direction    float32 // as in coarseDepth; 0: the draw can write any depth
	writes       bool    // covered blocks update the coarse depth
	clamp        bool    // depths are clamped to the viewport's range
	unrestricted bool    // depths are not clamped to 0…1
	quantum      float64 // depthQuantum
}

// unknownQuantum disables rejection and updates.
var unknownQuantum = math.Inf(1)

// disableHiZ disables hierarchical Z, for tests.
var disableHiZ bool

// newHiZMode returns the HiZ mode of the draw. Without early Z it neither rejects nor updates.
func (d *recordedDraw) newHiZMode() (s hizMode) {
	k := &d.key.Test
	if disableHiZ || d.pipeline.observed || k.Depth == nil || k.DepthLayered || d.key.Multiview {
		return s
	}
	switch k.Compare {
	case enum.CompareOpLess, enum.CompareOpLessOrEqual:
		s.direction = 1
	case enum.CompareOpGreater, enum.CompareOpGreaterOrEqual:
		s.direction = -1
	}
	early := d.key.EarlyTests(d.pipeline.stages.Fragment) && d.key.MaxPixels <= 1
	if s.direction == 0 || !early || k.Stencil != nil && !(k.Front.KeepsOnFail() && k.Back.KeepsOnFail()) {
		s.active, s.quantum = k.Write, unknownQuantum
		return s
	}
	s.active, s.writes = true, k.Write && k.Stencil == nil && !k.Bounds
	s.clamp, s.unrestricted, s.quantum = k.Clamp, k.Unrestricted, depthQuantum(k.Depth)
	return s
}

// depthQuantum returns a bound of the rounding error of a depth format: two steps of its fixed-point
// grid, 0 for floats.
func depthQuantum(i *format.Info) float64 {
	if f := i.Texel(); f != nil {
		for _, c := range f.Components() {
			if c.Channel == format.D && c.Numeric == format.UNorm {
				return 2 / float64(uint64(1)<<c.Bits-1)
			}
		}
	}
	return 0
}

// hizTest tests the items of a bin: it clears the masks of hidden items, and updates coarse depths
// with the others. The items are in primitive order, and an item that covers its block updates the
// depth for all later ones. The coarse depth is therefore ahead of the attachment, which is correct:
// the fragments run afterwards in the same order.
func (s *binList) hizTest(h *coarseDepth, items []uint64) {
	if s.hiz.direction == 0 {
		h.forget()
		return
	}
	h.setDirection(s.hiz.direction)
	if s.hiz.quantum == unknownQuantum {
		return
	}
	if s.layout.packed {
		s.hizTestQuads(h, items)
		return
	}
	for ; len(items) > 0; items = items[s.layout.words:] {
		item := raster.Item(items[:s.layout.words])
		if whole := s.coversBlock(item); whole || h.known {
			s.hizTestItem(h, item, whole)
		}
	}
}

// hizTestQuads tests quads. They update no coarse depth.
func (s *binList) hizTestQuads(h *coarseDepth, quads []uint64) {
	if !h.known {
		return
	}
	var at raster.Primitive
	for i := range quads {
		q := layout.Quad(quads[i])
		if !q.Covered() {
			continue
		}
		x, y := q.At()
		x, y = x&^(raster.Block-1), y&^(raster.Block-1)
		p := &at
		if n := q.Primitive(); s.batches.Rows != nil {
			at = s.batches.At(int(n / raster.BatchSize)).Depth(uint(n))
		} else {
			p = &s.primitives[n]
		}
		if near, _ := s.depthRange(p, q.Primitive(), x, y, 1); near > float64(h.far[blockOf(x, y)]) {
			quads[i] = uint64(q.Uncovered())
		}
	}
}

// coversBlock reports whether an item covers all samples of an aligned block.
func (s *binList) coversBlock(item raster.Item) bool {
	if !s.hiz.writes {
		return false
	}
	for _, m := range item[1 : 1+s.layout.samples] {
		if m != ^uint64(0) {
			return false
		}
	}
	x, y, _ := s.blocksOf(item)
	return x%raster.Block == 0 && y%raster.Block == 0
}

// blocksOf returns the first pixel of an item's block, and the number of blocks from there downwards.
func (s *binList) blocksOf(item raster.Item) (x, y, blocks int) {
	if s.layout.runs {
		head := raster.Item{item[0]}
		blocks, item = head.TakeRun(), head
	}
	x, y = item.At()
	return x, y, blocks + 1
}

// hizTestItem tests one item. whole reports that it covers its block.
func (s *binList) hizTestItem(h *coarseDepth, item raster.Item, whole bool) {
	x, y, blocks := s.blocksOf(item)
	primitive := item.Primitive()
	p := &s.primitives[primitive]
	near, far := s.depthRange(p, primitive, x, y, blocks)
	if near > float64(h.farthest(x, y, blocks)) {
		clear(item[1:])
		return
	}
	if !whole {
		return
	}
	for n := range blocks {
		if blocks > 1 {
			_, far = s.depthRange(p, primitive, x, y+n*raster.Block, 1)
		}
		if i := blockOf(x, y) + n*tileBlocks; far < float64(h.far[i]) {
			h.far[i], h.known = float32(far), true // the margin exceeds the rounding error
		}
	}
}

// blockOf returns the index of the block that contains a pixel of the tile.
func blockOf(x, y int) int {
	return y%raster.Tile/raster.Block*tileBlocks + x%raster.Tile/raster.Block
}

// farthest returns the greatest coarse depth of blocks below each other. They can be unaligned, but
// are inside of the tile. Depths are numbers, so that comparisons serve in place of max.
func (h *coarseDepth) farthest(x, y, blocks int) float32 {
	first, last := blockOf(x, y), blockOf(x, y+blocks*raster.Block-1)
	beside := blockOf(x+raster.Block-1, y) - first
	most := h.far[first]
	for at := first; at <= last; at += tileBlocks {
		if z := h.far[at]; z > most {
			most = z
		}
		if z := h.far[at+beside]; z > most {
			most = z
		}
	}
	return most
}

// depthRange returns bounds of the depth of primitive n in blocks below each other, in the direction of the
// tests. A margin covers the rounding of the interpolation and of the attachment. With an infinity or a NaN the margin is one, too, or a NaN.
// NaN compares false with everything, and then neither rejects nor updates.
func (s *binList) depthRange(p *raster.Primitive, n uint32, x, y, blocks int) (near, far float64) {
	z := &p.Z
	x0, y0 := float64(x)-float64(p.X), float64(y)-float64(p.Y)
	x1, y1 := x0+raster.Block, y0+float64(blocks*raster.Block)
	a, b := float64(z.X)*x0, float64(z.X)*x1
	c, d := float64(z.Y)*y0, float64(z.Y)*y1
	// 2⁻²⁰ of the sum of magnitudes is at least eight units in the last place of f32 (2⁻²³): more than the
	// roundings of two fused operations and of the coefficients.
	margin := s.hiz.quantum + (math.Abs(float64(z.C))+math.Abs(a)+math.Abs(b)+math.Abs(c)+math.Abs(d))/(1<<20)
	if b < a {
		a, b = b, a
	}
	if d < c {
		c, d = d, c
	}
	least, most := float64(z.C)+a+c, float64(z.C)+b+d
	switch {
	case s.hiz.clamp:
		r := &s.rests[n]
		least, most = limited(least, r.MinZ, r.MaxZ), limited(most, r.MinZ, r.MaxZ)
	case !s.hiz.unrestricted:
		least, most = unit(least), unit(most)
	}
	if s.hiz.quantum > 0 { // the range of fixed point
		least, most = unit(least), unit(most)
	}
	if s.hiz.direction < 0 {
		least, most = -most, -least
	}
	return least - margin, most + margin
}

// limited returns the nearest number from least to most, or NaN if one of the three is NaN.
func limited(z float64, least, most float32) float64 {
	return min(max(z, float64(least)), float64(most))
}

// unit returns the nearest number from 0 to 1, or NaN.
func unit(z float64) float64 {
	switch {
	case z < 0:
		return 0
	case z > 1:
		return 1
	}
	return z
}

// maxKeptTiles bounds the coarse depths that a pass retains.
const maxKeptTiles = 1 << 17

// resetCoarseDepths provides the coarse depths of all tiles, if a step uses HiZ. They remain valid from flush to flush of a
// pass, because steps alone change the attachment; a flush without them can have clears, which they would not show.
func (p *Pass) resetCoarseDepths() {
	if !p.coarseValid {
		p.flushes++
	}
	p.coarse = p.coarse[:0]
	if p.coarseValid = slices.ContainsFunc(p.steps, func(s step) bool { return s.draw != nil && s.draw.hiz.active }); !p.coarseValid {
		return
	}
	if n := len(p.tiles); n <= cap(p.coarse) {
		p.coarse = p.coarse[:n]
	} else {
		p.coarse = make([]coarseDepth, n)
	}
}

// coarseDepth returns the coarse depths of a tile in the current flush. The comparison of numbers
// replaces a loop over all tiles at the start of each flush.
func (s *binList) coarseDepth(tile int) *coarseDepth {
	h := &s.coarse[tile]
	if h.flush != s.flush {
		h.forget()
		h.flush = s.flush
	}
	return h
}

// clearCoarseDepth updates the coarse depths for a clear of a part of a tile.
func (s *binList) clearCoarseDepth(tile int, part, whole raster.Rect) {
	c := s.clear
	first := c.layers[0] == 0 && c.layers[1] > 0
	if c.mask != 0 {
		first = c.mask&1 != 0
	}
	if len(s.coarse) == 0 || !c.deep || !first {
		return
	}
	if h := s.coarseDepth(tile); part == whole {
		h.clear(c.depth)
	} else {
		h.forget()
	}
}

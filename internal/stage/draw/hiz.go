package draw

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Where a block was covered whole at some depth, what lies behind that later in the pass
// fails the depth test at all samples of the block: its items are emptied before their
// fragments are run. Fragments decide nothing else by it, so that a picture is the same.
// Nothing is hidden in depth attachments of several layers, from fragments of several
// pixels, from those whose tests stand behind their program, and where a test that fails
// writes a stencil value.

// coarseDepth is what is known of the depths in a tile while the steps of a pass go through
// it: of each block one behind which no sample lies, in the direction of the tests.
type coarseDepth struct {
	flush     uint64  // of the pass: what is known of an earlier one is not true any more
	direction float32 // 1: tests let pass what is less; −1: what is greater; 0: the depths are those of a clear
	known     bool    // something is known
	far       [tileBlocks * tileBlocks]float32
}

// tileBlocks is how many blocks a tile has along each axis.
const tileBlocks = raster.Tile / raster.Block

// clear makes the depth of all of the tile one.
func (h *coarseDepth) clear(depth float32) {
	h.direction, h.known = 0, depth >= 0 && depth <= 1
	for i := range h.far {
		h.far[i] = depth
	}
}

// forget forgets the depths.
func (h *coarseDepth) forget() { h.direction, h.known = 0, false }

// setDirection makes the horizon one of tests in a direction.
func (h *coarseDepth) setDirection(toward float32) {
	switch {
	case h.known && h.direction == 0 && h.far[0]*toward < max(toward, 0): // else nothing lies behind it
		for i := range h.far {
			h.far[i] *= toward
		}
	case !h.known || h.direction != toward:
		h.known = false
		for i := range h.far {
			h.far[i] = float32(math.Inf(1))
		}
	}
	h.direction = toward
}

// hizMode is what a draw's depth test makes of horizons.
type hizMode struct {
	active       bool    // horizons change by it, or hide what it covers
	direction    float32 // as of a horizon; 0 where what the draw writes may lie anywhere
	writes       bool    // it writes the depth of all that it covers, where the test lets it
	clamp        bool    // depths are clamped to the viewport's
	unrestricted bool    // depths have no range
	quantum      float64 // as quantumOf says
}

// unknownQuantum is a quantum that leaves nothing certain.
var unknownQuantum = math.Inf(1)

// disableHiZ is for tests: nothing is hidden.
var disableHiZ bool

// newHiZMode returns what a draw makes of horizons. Where it is not known that tests come
// before the fragment program, nothing is hidden by the draw or from it.
func (d *recordedDraw) newHiZMode() (s hizMode) {
	k := &d.key.Test
	if disableHiZ || k.Depth == "" || k.DepthLayered || d.key.Multiview {
		return s
	}
	switch k.Compare {
	case state.Less, state.LessOrEqual:
		s.direction = 1
	case state.Greater, state.GreaterOrEqual:
		s.direction = -1
	}
	early := d.key.EarlyTests(d.pipeline.stages.Fragment) && d.key.MaxPixels <= 1
	if s.direction == 0 || !early || k.Stencil != "" && !(k.Front.KeepsOnFail() && k.Back.KeepsOnFail()) {
		s.active, s.quantum = k.Write, unknownQuantum
		return s
	}
	s.active, s.writes = true, k.Write && k.Stencil == "" && !k.Bounds
	s.clamp, s.unrestricted, s.quantum = k.Clamp, k.Unrestricted, depthQuantum(k.Depth)
	return s
}

// depthQuantum is how far depths may lie apart that are one in a format: more than that, for
// they are rounded.
func depthQuantum(name string) float64 {
	if f, ok := format.ByName(name); ok {
		for _, c := range f.Components() {
			if c.Channel == format.D && c.Numeric == format.UNorm {
				return 2 / float64(uint64(1)<<c.Bits-1)
			}
		}
	}
	return 0
}

// hizTest empties items of a tile, all that the sheet has there, where they are hidden, and
// notes what those that are not hide.
func (s *binList) hizTest(h *coarseDepth, items []uint64) {
	if s.hiz.direction == 0 {
		h.forget()
		return
	}
	h.setDirection(s.hiz.direction)
	if s.hiz.quantum == unknownQuantum {
		return
	}
	for ; len(items) > 0; items = items[s.layout.words:] {
		item := raster.Item(items[:s.layout.words])
		if whole := s.coversBlock(item); whole || h.known {
			s.hizTestItem(h, item, whole)
		}
	}
}

// coversBlock reports whether an item covers all samples of a block of its tile's.
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

// blocksOf returns where an item's block begins, and how many blocks there are: that and those
// below it.
func (s *binList) blocksOf(item raster.Item) (x, y, blocks int) {
	if s.layout.runs {
		head := raster.Item{item[0]}
		blocks, item = head.TakeRun(), head
	}
	x, y = item.At()
	return x, y, blocks + 1
}

// hizTestItem is look for one item.
func (s *binList) hizTestItem(h *coarseDepth, item raster.Item, whole bool) {
	x, y, blocks := s.blocksOf(item)
	p := &s.primitives[item.Primitive()]
	near, far := s.depthRange(p, x, y, blocks)
	if near > float64(h.farthest(x, y, blocks)) {
		clear(item[1:])
		return
	}
	if !whole {
		return
	}
	for n := range blocks {
		if blocks > 1 {
			_, far = s.depthRange(p, x, y+n*raster.Block, 1)
		}
		if i := blockOf(x, y) + n*tileBlocks; far < float64(h.far[i]) {
			h.far[i], h.known = float32(far), true // what is rounded is less than the margin
		}
	}
}

// blockOf returns the number of the block of its tile in which a pixel lies.
func blockOf(x, y int) int {
	return y%raster.Tile/raster.Block*tileBlocks + x%raster.Tile/raster.Block
}

// farthest returns the depth behind which no sample of some blocks, one below the other,
// lies. They need not be blocks of the tile's, but lie in it.
func (h *coarseDepth) farthest(x, y, blocks int) float32 {
	most := float32(math.Inf(-1))
	for row := y; ; row = min(row+raster.Block, y+blocks*raster.Block-1) {
		most = max(most, h.far[blockOf(x, row)], h.far[blockOf(x+raster.Block-1, row)])
		if row == y+blocks*raster.Block-1 {
			return most
		}
	}
}

// depthRange returns between which depths a primitive lies in some blocks, in the direction
// of the tests: less and more than any sample's in the attachment by enough for what is
// rounded. Where it is not a number neither is true of it.
func (s *binList) depthRange(p *raster.Primitive, x, y, blocks int) (near, far float64) {
	z := &p.Z
	x0, y0 := float64(x)-float64(p.X), float64(y)-float64(p.Y)
	x1, y1 := x0+raster.Block, y0+float64(blocks*raster.Block)
	a, b := float64(z.X)*x0, float64(z.X)*x1
	c, d := float64(z.Y)*y0, float64(z.Y)*y1
	least, most := float64(z.C)+min(a, b)+min(c, d), float64(z.C)+max(a, b)+max(c, d)
	margin := s.hiz.quantum + (math.Abs(float64(z.C))+max(math.Abs(a), math.Abs(b))+max(math.Abs(c), math.Abs(d)))/(1<<20)
	switch {
	case s.hiz.clamp:
		least, most = limited(least, p.MinZ, p.MaxZ), limited(most, p.MinZ, p.MaxZ)
	case !s.hiz.unrestricted:
		least, most = limited(least, 0, 1), limited(most, 0, 1)
	}
	if s.hiz.quantum > 0 { // fixed point has no more
		least, most = limited(least, 0, 1), limited(most, 0, 1)
	}
	if s.hiz.direction < 0 {
		least, most = -most, -least
	}
	return least - margin, most + margin
}

func limited(z float64, least, most float32) float64 {
	return min(max(z, float64(least)), float64(most))
}

// maxKeptTiles bounds the horizons that a pass keeps for the next one.
const maxKeptTiles = 1 << 17

// resetCoarseDepths makes room for a horizon of each tile, of which nothing is known yet, if a
// step looks at them.
func (p *Pass) resetCoarseDepths() {
	p.flushes++
	p.coarse = p.coarse[:0]
	if !slices.ContainsFunc(p.steps, func(s step) bool { return s.draw != nil && s.draw.hiz.active }) {
		return
	}
	if n := len(p.tiles); n <= cap(p.coarse) {
		p.coarse = p.coarse[:n]
	} else {
		p.coarse = make([]coarseDepth, n)
	}
}

// coarseDepth is what is known of a tile in this flush.
func (s *binList) coarseDepth(tile int) *coarseDepth {
	h := &s.coarse[tile]
	if h.flush != s.flush {
		h.forget()
		h.flush = s.flush
	}
	return h
}

// clearCoarseDepth notes what a clear of a part of a tile makes of its depths.
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

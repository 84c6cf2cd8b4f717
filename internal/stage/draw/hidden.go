package draw

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// Where a block was covered whole at some depth, what lies behind that later in the pass
// fails the depth test at all samples of the block: its items are emptied before their
// fragments are run. Fragments decide nothing else by it, so that a picture is the same.
// Nothing is hidden in depth attachments of several layers, from fragments of several
// pixels, from those whose tests stand behind their program, and where a test that fails
// writes a stencil value.

// horizon is what is known of the depths in a tile while the steps of a pass go through
// it: of each block one behind which no sample lies, in the direction of the tests.
type horizon struct {
	flush  uint64  // of the pass: what is known of an earlier one is not true any more
	toward float32 // 1: tests let pass what is less; −1: what is greater; 0: the depths are those of a clear
	some   bool    // something is known
	far    [acrossTile * acrossTile]float32
}

// acrossTile is how many blocks a tile has along each axis.
const acrossTile = raster.Tile / raster.Block

// clear makes the depth of all of the tile one.
func (h *horizon) clear(depth float32) {
	h.toward, h.some = 0, depth >= 0 && depth <= 1
	for i := range h.far {
		h.far[i] = depth
	}
}

// forget forgets the depths.
func (h *horizon) forget() { h.toward, h.some = 0, false }

// turn makes the horizon one of tests in a direction.
func (h *horizon) turn(toward float32) {
	switch {
	case h.some && h.toward == 0 && h.far[0]*toward < max(toward, 0): // else nothing lies behind it
		for i := range h.far {
			h.far[i] *= toward
		}
	case !h.some || h.toward != toward:
		h.some = false
		for i := range h.far {
			h.far[i] = float32(math.Inf(1))
		}
	}
	h.toward = toward
}

// sight is what a draw's depth test makes of horizons.
type sight struct {
	looks   bool    // horizons change by it, or hide what it covers
	toward  float32 // as of a horizon; 0 where what the draw writes may lie anywhere
	hides   bool    // it writes the depth of all that it covers, where the test lets it
	clamp   bool    // depths are clamped to the viewport's
	free    bool    // depths have no range
	quantum float64 // as quantumOf says
}

// noQuantum is a quantum that leaves nothing certain.
var noQuantum = math.Inf(1)

// blind is for tests: nothing is hidden.
var blind bool

// seen returns what a draw makes of horizons. Where it is not known that tests come
// before the fragment program, nothing is hidden by the draw or from it.
func (d *recorded) seen() (s sight) {
	k := &d.key.test
	if blind || k.depth == "" || k.depthLayered || d.key.views {
		return s
	}
	switch k.compare {
	case Less, LessOrEqual:
		s.toward = 1
	case Greater, GreaterOrEqual:
		s.toward = -1
	}
	early := d.key.early(d.pipeline.stages.Fragment) && d.key.pixels <= 1
	if s.toward == 0 || !early || k.stencil != "" && !(k.front.keeps() && k.back.keeps()) {
		s.looks, s.quantum = k.write, noQuantum
		return s
	}
	s.looks, s.hides = true, k.write && k.stencil == "" && !k.bounds
	s.clamp, s.free, s.quantum = k.clamp, k.unrestricted, quantumOf(k.depth)
	return s
}

// quantumOf is how far depths may lie apart that are one in a format: more than that, for
// they are rounded.
func quantumOf(name string) float64 {
	if f, ok := format.ByName(name); ok {
		for _, c := range f.Components() {
			if c.Channel == format.D && c.Numeric == format.UNorm {
				return 2 / float64(uint64(1)<<c.Bits-1)
			}
		}
	}
	return 0
}

// keeps reports whether a face writes nothing where the depth test fails.
func (f *StencilFace) keeps() bool { return f.Fail == Keep && f.DepthFail == Keep }

// look empties items of a tile, all that the sheet has there, where they are hidden, and
// notes what those that are not hide.
func (s *sheet) look(h *horizon, items []uint64) {
	if s.sight.toward == 0 {
		h.forget()
		return
	}
	h.turn(s.sight.toward)
	if s.sight.quantum == noQuantum {
		return
	}
	for ; len(items) > 0; items = items[s.itemed.words:] {
		item := raster.Item(items[:s.itemed.words])
		if whole := s.whole(item); whole || h.some {
			s.lookAt(h, item, whole)
		}
	}
}

// whole reports whether an item covers all samples of a block of its tile's.
func (s *sheet) whole(item raster.Item) bool {
	if !s.sight.hides {
		return false
	}
	for _, m := range item[1 : 1+s.itemed.samples] {
		if m != ^uint64(0) {
			return false
		}
	}
	x, y, _ := s.at(item)
	return x%raster.Block == 0 && y%raster.Block == 0
}

// at returns where an item's block begins, and how many blocks there are: that and those
// below it.
func (s *sheet) at(item raster.Item) (x, y, blocks int) {
	if s.itemed.columns {
		head := raster.Item{item[0]}
		blocks, item = head.TakeRun(), head
	}
	x, y = item.At()
	return x, y, blocks + 1
}

// lookAt is look for one item.
func (s *sheet) lookAt(h *horizon, item raster.Item, whole bool) {
	x, y, blocks := s.at(item)
	p := &s.primitives[item.Primitive()]
	near, far := s.depths(p, x, y, blocks)
	if near > float64(h.behind(x, y, blocks)) {
		clear(item[1:])
		return
	}
	if !whole {
		return
	}
	for n := range blocks {
		if blocks > 1 {
			_, far = s.depths(p, x, y+n*raster.Block, 1)
		}
		if i := blockOf(x, y) + n*acrossTile; far < float64(h.far[i]) {
			h.far[i], h.some = float32(far), true // what is rounded is less than the margin
		}
	}
}

// blockOf returns the number of the block of its tile in which a pixel lies.
func blockOf(x, y int) int {
	return y%raster.Tile/raster.Block*acrossTile + x%raster.Tile/raster.Block
}

// behind returns the depth behind which no sample of some blocks, one below the other,
// lies. They need not be blocks of the tile's, but lie in it.
func (h *horizon) behind(x, y, blocks int) float32 {
	most := float32(math.Inf(-1))
	for row := y; ; row = min(row+raster.Block, y+blocks*raster.Block-1) {
		most = max(most, h.far[blockOf(x, row)], h.far[blockOf(x+raster.Block-1, row)])
		if row == y+blocks*raster.Block-1 {
			return most
		}
	}
}

// depths returns between which depths a primitive lies in some blocks, in the direction
// of the tests: less and more than any sample's in the attachment by enough for what is
// rounded. Where it is not a number neither is true of it.
func (s *sheet) depths(p *raster.Primitive, x, y, blocks int) (near, far float64) {
	z := &p.Z
	x0, y0 := float64(x)-float64(p.X), float64(y)-float64(p.Y)
	x1, y1 := x0+raster.Block, y0+float64(blocks*raster.Block)
	a, b := float64(z.X)*x0, float64(z.X)*x1
	c, d := float64(z.Y)*y0, float64(z.Y)*y1
	least, most := float64(z.C)+min(a, b)+min(c, d), float64(z.C)+max(a, b)+max(c, d)
	margin := s.sight.quantum + (math.Abs(float64(z.C))+max(math.Abs(a), math.Abs(b))+max(math.Abs(c), math.Abs(d)))/(1<<20)
	switch {
	case s.sight.clamp:
		least, most = limited(least, p.MinZ, p.MaxZ), limited(most, p.MinZ, p.MaxZ)
	case !s.sight.free:
		least, most = limited(least, 0, 1), limited(most, 0, 1)
	}
	if s.sight.quantum > 0 { // fixed point has no more
		least, most = limited(least, 0, 1), limited(most, 0, 1)
	}
	if s.sight.toward < 0 {
		least, most = -most, -least
	}
	return least - margin, most + margin
}

func limited(z float64, least, most float32) float64 {
	return min(max(z, float64(least)), float64(most))
}

// maxKeptHorizons bounds the horizons that a pass keeps for the next one.
const maxKeptHorizons = 1 << 17

// newHorizons makes room for a horizon of each tile, of which nothing is known yet, if a
// step looks at them.
func (p *Pass) newHorizons() {
	p.flushes++
	p.horizons = p.horizons[:0]
	if !slices.ContainsFunc(p.steps, func(s step) bool { return s.draw != nil && s.draw.sight.looks }) {
		return
	}
	if n := len(p.spans); n <= cap(p.horizons) {
		p.horizons = p.horizons[:n]
	} else {
		p.horizons = make([]horizon, n)
	}
}

// horizon is what is known of a tile in this flush.
func (s *sheet) horizon(tile int) *horizon {
	h := &s.horizons[tile]
	if h.flush != s.flush {
		h.forget()
		h.flush = s.flush
	}
	return h
}

// cleared notes what a clear of a part of a tile makes of its depths.
func (s *sheet) cleared(tile int, part, whole raster.Rect) {
	c := s.clear
	first := c.layers[0] == 0 && c.layers[1] > 0
	if c.mask != 0 {
		first = c.mask&1 != 0
	}
	if len(s.horizons) == 0 || !c.deep || !first {
		return
	}
	if h := s.horizon(tile); part == whole {
		h.clear(c.depth)
	} else {
		h.forget()
	}
}

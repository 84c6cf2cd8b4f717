package raster

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/enum"
)

// Rasterizer turns primitives into items, tile by tile. Its results are valid until the next
// [Rasterizer.Begin], which reuses their memory: in the steady state it allocates nothing. Several
// rasterizers may work in parallel on consecutive ranges of a draw's primitives; the items of a tile,
// concatenated in the order of the ranges, are then the whole draw's. A Rasterizer is not safe for
// concurrent use.
type Rasterizer struct {
	// Primitives are the primitives that cover anything; items hold their index. The primitives of one tile are
	// contiguous in chunks; unused slots between chunks hold stale values.
	Primitives []Primitive
	// Rests are the rests of the primitives, by the same indices; there is none with State.Short.
	Rests []PrimitiveRest
	// Varyings are the records of their vertices without the first Layout.Skip words: primitive n has
	// records 3n to 3n+2.
	Varyings []uint32

	state      *State
	records    Records
	views      []transform
	clipRects  []clipRects // per viewport that has a scissor
	sides      []Rect      // of clipRects
	samples    []point     // the sample locations of the pixels of a grid, in sub-pixels
	perPixel   int         // samples of a pixel
	columns    int         // of the grid: 1 unless State.Locations has a grid
	rows       int         // of the grid
	centred    bool        // all samples are at the pixel's centre, for conservative rasterisation
	located    bool        // the locations are State.Locations
	centreOnly bool        // one sample at the centre, and blocks may begin at any even pixel

	projected       []projected   // of all records, if no vertex selects its viewport
	scratch         [3]projected  // of one triangle, if vertices do
	primitive       draft         // the triangle under setup
	tiles           [][]uint64    // the items of each tile
	used            []uint64      // a bit for each tile that can have items
	words           int           // length of all items
	since           int           // length of all items since the last trim
	chunks          []chunk       // per tile
	chunk           *chunk        // the chunk of the primitive under setup; nil before its first item
	recent          *chunk        // the chunk of the last primitive
	dropped         PrimitiveRest // the rest of the primitive under setup, with State.Short
	inPlace         inPlace       // the triangle under setup, with State.InPlace
	grid            grid
	viewportMask    uint32    // with Layout.Mask, the primitive's current and remaining viewports
	stippleCounters []float64 // with Layout.Mask, the counter of each viewport
	stippleCounter  float64   // position in the stipple period, in pixels along the strip or in fragments
	polygon         polygon
	masks           [64]uint64        // scratch of walker.block: one per sample
	offsets         [][maxEdges]int64 // scratch of walker: the edge functions at each sample location of pixel (0, 0)
	pixels          []smoothPixel
}

// grid is the rectangle of tiles that an area touches.
type grid struct {
	x0, y0        int32 // the first tile, in tiles
	width, height int32 // in tiles
}

// gridOf returns the tiles of an area.
func gridOf(area Rect) grid {
	if area.Empty() {
		return grid{}
	}
	g := grid{x0: area.X0 / Tile, y0: area.Y0 / Tile}
	g.width = (area.X1+Tile-1)/Tile - g.x0
	g.height = (area.Y1+Tile-1)/Tile - g.y0
	return g
}

// Begin drops all primitives and items and starts a draw with state s, which must not change until the next
// Begin. s.Area must be within the pixels 0 to 2¹⁶−1 along each axis.
func (r *Rasterizer) Begin(s *State) {
	r.Clear()
	r.state = s
	r.views = r.views[:0]
	for i := range s.Viewports {
		t := s.Viewports[i].transform(s.NegativeOneToOne)
		if s.ClampDepth {
			t.min, t.max = s.MinDepth, s.MaxDepth
		}
		r.views = append(r.views, t)
	}
	r.setSamples(s)
	r.centreOnly = len(r.samples) == 1 && !r.located && s.Conservative == enum.ConservativeModeDisabled && !s.Aligned
	r.clipRects, r.sides = r.clipRects[:0], r.sides[:0]
	for i := range min(len(s.Viewports), len(s.Scissors)) {
		r.clipRects = append(r.clipRects, r.clipRectsOf(i))
	}
	r.grid = gridOf(s.Area)
	n := int(r.grid.width) * int(r.grid.height)
	if most := cap(r.tiles); n > most {
		r.tiles = extend(r.tiles[:most], n-most)
	}
	if most := cap(r.chunks); n > most {
		r.chunks = extend(r.chunks[:most], n-most)
	}
	r.tiles, r.chunks = r.tiles[:n], r.chunks[:n]
	for len(r.used) < (n+63)/64 {
		r.used = append(r.used, 0)
	}
}

// Clear drops all primitives and items. The draw goes on.
func (r *Rasterizer) Clear() {
	r.clearTiles()
	r.Primitives, r.Rests, r.Varyings, r.words = r.Primitives[:0], r.Rests[:0], r.Varyings[:0], 0
	r.chunk, r.recent = nil, nil
}

// maxRetainedWords bounds the memory that is retained for the next draw's items, in 64-bit words. After trimWords of items
// the memory is measured: a list has at most twice the space of its items.
const (
	maxRetainedWords = 1 << 23
	trimWords        = maxRetainedWords / 8
)

// clearTiles drops all items and chunks, and retains the lists' memory. Only the used tiles are visited: a small draw costs
// nothing in the others.
func (r *Rasterizer) clearTiles() {
	for i, set := range r.used {
		r.used[i] = 0
		for ; set != 0; set &= set - 1 {
			n := 64*i + bits.TrailingZeros64(set)
			r.tiles[n], r.chunks[n] = r.tiles[n][:0], chunk{}
		}
	}
	if r.since += r.words; r.since > trimWords {
		r.since = 0
		r.trim()
	}
}

// trim frees the memory of all lists if it is above maxRetainedWords. If draws fill different tiles, the lists of all tiles
// would grow to the greatest draw's size.
func (r *Rasterizer) trim() {
	words := 0
	all := r.tiles[:cap(r.tiles)]
	for i := range all {
		words += cap(all[i])
	}
	if words > maxRetainedWords {
		clear(all)
	}
}

// items returns the list of the items of a tile, to append to.
func (r *Rasterizer) items(tile int32) *[]uint64 {
	r.used[tile/64] |= 1 << (tile % 64)
	return &r.tiles[tile]
}

// NextTile returns the first tile from number i on that can have items, or −1.
func (r *Rasterizer) NextTile(i int) int {
	for at := i / 64; at < len(r.used); at++ {
		set := r.used[at]
		if at == i/64 {
			set &= ^uint64(0) << (i % 64)
		}
		if set != 0 {
			return 64*at + bits.TrailingZeros64(set)
		}
	}
	return -1
}

// tileOf returns the number of the tile that contains pixel (x, y), which must be in the area.
func (r *Rasterizer) tileOf(x, y int32) int32 {
	return (y/Tile-r.grid.y0)*r.grid.width + x/Tile - r.grid.x0
}

// Vertices selects the records that the following primitives number, and projects them once for all
// primitives if no vertex selects its viewport. Earlier primitives are not affected; v's layout must be
// the same throughout a draw.
func (r *Rasterizer) Vertices(v Records) {
	r.records = v
	r.projected = r.projected[:0]
	if v.Viewport >= 0 || len(r.views) == 0 {
		return
	}
	r.projected = extend(r.projected, len(v.Words)/v.Stride)
	for i := range r.projected {
		r.project(&r.projected[i], uint32(i), &r.views[0])
	}
}

// Tiles returns the number of tiles, counted row by row from the area's first tile.
func (r *Rasterizer) Tiles() int { return len(r.tiles) }

// Tile returns the items of tile i, one after another in primitive order (see [Item]). They are valid until
// the next Begin.
func (r *Rasterizer) Tile(i int) []uint64 { return r.tiles[i] }

// ItemWords returns the number of words of the items of all tiles.
func (r *Rasterizer) ItemWords() int { return r.words }

// viewportOf returns the number and transformation of a primitive's viewport, as its provoking vertex or the
// current bit of its mask selects it; nil if there is no such viewport or scissor.
func (r *Rasterizer) viewportOf(provoking uint32) (number uint32, t *transform) {
	switch {
	case r.records.Mask:
		number = uint32(bits.TrailingZeros32(r.viewportMask))
	case r.records.Viewport >= 0:
		number = r.word(provoking, r.records.Viewport)
	}
	if uint64(number) >= uint64(min(len(r.views), len(r.state.Scissors))) {
		return 0, nil
	}
	return number, &r.views[number]
}

// layerOf returns the layer of a primitive: the last one if the framebuffer does not have the layer that the shader names.
func (r *Rasterizer) layerOf(provoking, viewport uint32) uint32 {
	if r.records.Layer < 0 {
		return 0
	}
	n := r.word(provoking, r.records.Layer)
	if r.records.Relative {
		n += viewport
	}
	return min(n, max(r.state.Layers, 1)-1)
}

// word returns the word at an offset of a vertex's record.
func (r *Rasterizer) word(vertex uint32, offset int) uint32 {
	return r.records.Words[int(vertex)*r.records.Stride+offset]
}

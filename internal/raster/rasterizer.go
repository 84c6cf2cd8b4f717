package raster

import "math/bits"

// Rasterizer makes items of primitives. It keeps what it made until [Rasterizer.Begin];
// its memory is used again, so that in the steady state nothing is allocated.
// Several rasterizers may work side by side on parts of a draw: their items, tile by
// tile and one rasterizer after the other, are those of the whole.
type Rasterizer struct {
	// Primitives are the primitives that cover anything, by number. Those of one tile
	// stand side by side, with gaps of which nobody knows the number.
	Primitives []Primitive
	// Kept are the records of their vertices, without what [Layout.Skip] says: Primitives
	// number them.
	Varyings []uint32

	state   *State
	records Records
	views   []transform
	frames  []frame // of viewports that have a scissor
	points  []point // the samples of a pixel
	centred bool    // they are all where the pixel's centre is
	plain   bool    // a pixel is covered where its centre is, and blocks stand at any even pixel

	projected []projected  // of all records, where no vertex chooses its viewport
	own       [3]projected // of one triangle, where one does
	primitive draft        // the triangle that is being looked at
	tiles     [][]uint64   // the items of each tile
	words     int          // of all of them
	shelves   []shelf      // by tile
	shelf     *shelf       // of the primitive that is being covered; nil before its first item
	grid      grid
	left      uint32    // of the primitive's mask of viewports: that which it is being added to, and those that follow
	stipples  []float64 // of the viewports of masks, by number
	stippled  float64   // what of the stipple's period lies behind, in pixels along the strip or in fragments
	polygon   polygon
	masks     [64]uint64 // of a block, by sample
	pixels    []smoothPixel
}

// grid is the tiles that an area touches.
type grid struct {
	x0, y0        int32 // the first, in tiles
	width, height int32 // how many
}

func gridOf(area Rect) grid {
	if area.Empty() {
		return grid{}
	}
	g := grid{x0: area.X0 / Tile, y0: area.Y0 / Tile}
	g.width = (area.X1+Tile-1)/Tile - g.x0
	g.height = (area.Y1+Tile-1)/Tile - g.y0
	return g
}

// Begin forgets all primitives and starts with a state, which must not change until
// the next Begin. Its area begins at no negative place and ends within 2¹⁶ pixels.
func (r *Rasterizer) Begin(s *State) {
	r.state = s
	r.Primitives, r.Varyings, r.words = r.Primitives[:0], r.Varyings[:0], 0
	r.views = r.views[:0]
	for i := range s.Viewports {
		r.views = append(r.views, s.Viewports[i].transform(s.NegativeOneToOne))
	}
	if conservative := s.Conservative != Exact; len(r.points) != max(s.Samples, 1) || r.centred != conservative {
		r.points, r.centred = samplePoints(max(s.Samples, 1)), conservative
		for i := range r.points {
			if conservative { // all samples of a pixel fare alike
				r.points[i] = point{centre, centre}
			}
		}
	}
	r.plain = len(r.points) == 1 && s.Conservative == Exact && !s.Aligned
	r.frames = r.frames[:0]
	for i := range min(len(s.Viewports), len(s.Scissors)) {
		r.frames = append(r.frames, s.frameOf(i))
	}
	r.grid = gridOf(s.Area)
	n := int(r.grid.width) * int(r.grid.height)
	if most := cap(r.tiles); n > most {
		r.tiles = longer(r.tiles[:most], n-most)
	}
	for len(r.shelves) < n {
		r.shelves = append(r.shelves, shelf{})
	}
	r.shelves = r.shelves[:n]
	r.shelf = nil
	clear(r.shelves)
	r.tiles = r.tiles[:n]
	r.emptyTiles()
}

// maxKeptWords bounds the memory that is kept for items, in words.
const maxKeptWords = 1 << 23

// emptyTiles takes all items away. Draws that each fill other tiles would keep as much
// memory as if each filled all of them: what is too much is let go of, and grows again as
// it is needed.
func (r *Rasterizer) emptyTiles() {
	words := 0
	all := r.tiles[:cap(r.tiles)]
	for i := range all {
		all[i] = all[i][:0]
		words += cap(all[i])
	}
	if words > maxKeptWords {
		clear(all)
	}
}

// tileOf returns the number of the tile that has a pixel of the area.
func (r *Rasterizer) tileOf(x, y int32) int32 {
	return (y/Tile-r.grid.y0)*r.grid.width + x/Tile - r.grid.x0
}

// Vertices says which records the following primitives number. What is kept of earlier
// ones stays; their layout must be the same.
func (r *Rasterizer) Vertices(v Records) {
	r.records = v
	r.projected = r.projected[:0]
	if v.Viewport >= 0 || len(r.views) == 0 {
		return
	}
	r.projected = longer(r.projected, len(v.Words)/v.Stride)
	for i := range r.projected {
		r.project(&r.projected[i], uint32(i), &r.views[0])
	}
}

// Tiles returns how many tiles there are.
func (r *Rasterizer) Tiles() int { return len(r.tiles) }

// Tile returns the items of a tile, one behind the other, in the order of their
// primitives. They are valid until Begin.
func (r *Rasterizer) Tile(i int) []uint64 { return r.tiles[i] }

// view returns the viewport of a primitive, nil where there is none; number is what
// its provoking vertex chooses.
func (r *Rasterizer) view(provoking uint32) (number uint32, t *transform) {
	switch {
	case r.records.Mask:
		number = uint32(bits.TrailingZeros32(r.left))
	case r.records.Viewport >= 0:
		number = r.word(provoking, r.records.Viewport)
	}
	if uint64(number) >= uint64(min(len(r.views), len(r.state.Scissors))) {
		return 0, nil
	}
	return number, &r.views[number]
}

// layer returns the layer of a primitive in a viewport; false where the target has no
// such.
func (r *Rasterizer) layer(provoking, viewport uint32) (uint32, bool) {
	if r.records.Layer < 0 {
		return 0, true
	}
	n := r.word(provoking, r.records.Layer)
	if r.records.Relative {
		n += viewport
	}
	return n, n < r.state.Layers
}

func (r *Rasterizer) word(vertex uint32, place int) uint32 {
	return r.records.Words[int(vertex)*r.records.Stride+place]
}

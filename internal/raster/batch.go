package raster

import (
	"math"
	"unsafe"
)

// Batch is triangles that a program has set up, side by side: the words of all of them
// with one number, then those with the next. What a triangle's state does not call for
// has no meaning.
type Batch [batchWords][BatchSize]uint32

// BatchSize is how many triangles a batch has.
const BatchSize = 64

// BatchBytes is the size of a batch in memory.
const BatchBytes = 4 * batchWords * BatchSize

// Words of a triangle of a batch. A plane has three words, or, where its C is 0, two.
const (
	BatchState = iota // the number of the tile it lies in, or one of the states
	BatchBlock        // in a tile: the second half of the item's head; with BatchSplit the same of the mask's first pixel
	BatchMask         // two words: its pixels
	_
	BatchFlags
	BatchX // the primitive's
	BatchY
	BatchZ
	_
	_
	BatchW
	_
	_
	BatchQ1 // X and Y
	_
	BatchQ2
	_
	BatchL1
	_
	BatchL2
	_
	BatchDepth  // the greatest of the vertices'
	BatchPoints // x and y of each vertex, in sub-pixels
	batchWords  = BatchPoints + 6
)

// States of a triangle, beside the number of its tile.
const (
	BatchEmpty     = 1<<32 - 1 - iota // nothing is covered
	BatchUnclipped                    // it needs no clipping, and its face is to be drawn
	BatchFallback                     // it is to be set up by Triangle
	BatchSplit                        // it lies in several tiles, in each of them in one block
)

// BatchParams is what such a program must know.
type BatchParams struct {
	Scale, Offset [3]float32 // the viewport transformation
	Frame         Rect       // pixels that polygons may cover
	X0, Y0, Width int32      // the first tile of the area, and how many a row of them has
	Flags         uint32
}

// Flags of BatchParams.
const (
	BatchCullFront = 1 << iota
	BatchCullBack
	BatchClockwise
	BatchDepthClip
	BatchNegativeOneToOne
	BatchTiny // tiny triangles may be covered
)

// TinyExtent, Reach and MinW are bounds that such programs share with this package: the
// extent of a tiny triangle in sub-pixels, how far vertices may be in pixels, and the
// least w.
const (
	TinyExtent = tinyExtent
	GuardBand  = guardBand
	MinW       = minW
)

// BatchVertices begins with records as [Rasterizer.Vertices] does, where programs can set up
// triangles that number them: p becomes what these must know. Else it returns false.
func (r *Rasterizer) BatchVertices(v Records, p *BatchParams) bool {
	s := r.state
	if v.Viewport >= 0 || v.Layer >= 0 || v.ClipCount+v.CullCount > 0 || len(r.frames) == 0 || s.PolygonMode != Fill {
		return false
	}
	r.records, r.projected = v, r.projected[:0]
	t := &r.views[0]
	*p = BatchParams{Scale: t.scale, Offset: t.offset, Frame: r.frames[0].polygons, X0: r.grid.x0, Y0: r.grid.y0, Width: r.grid.width}
	for i, b := range [...]bool{s.CullFront, s.CullBack, s.Clockwise, s.DepthClip, s.NegativeOneToOne, r.plain} {
		if b {
			p.Flags |= 1 << i
		}
	}
	return true
}

// BatchTriangle adds triangle i of a batch, which is that of the other arguments, as Triangle does.
func (r *Rasterizer) BatchTriangle(b *Batch, i uint, v *[3]uint32, provoking, id uint32) {
	i %= BatchSize
	switch state := b[BatchState][i]; state {
	case BatchEmpty:
		return
	case BatchFallback:
		r.Triangle(*v, provoking, id)
		return
	case BatchUnclipped:
		if !r.setWhole(b, i) {
			return
		}
	case BatchSplit:
		if !r.setSplit(b[BatchBlock][i], b.mask(i)) {
			return
		}
	default:
		r.shelf = nil
		r.setTiny(int32(state), b[BatchBlock][i], b.mask(i))
	}
	q, roles := r.next(v, provoking)
	q.ID, q.Flags, q.Layer = id, b[BatchFlags][i]|roles, 0
	f := func(word int) float32 { return math.Float32frombits(b[word][i]) }
	q.X, q.Y = f(BatchX), f(BatchY)
	q.Z.X, q.Z.Y = f(BatchZ+1), f(BatchZ+2)
	q.Z.C = float32(f(BatchZ) + r.state.Bias.of(q, f(BatchDepth)))
	q.W = Plane{f(BatchW), f(BatchW + 1), f(BatchW + 2)}
	q.Q1, q.Q2 = Plane{0, f(BatchQ1), f(BatchQ1 + 1)}, Plane{0, f(BatchQ2), f(BatchQ2 + 1)}
	q.L1, q.L2 = Plane{0, f(BatchL1), f(BatchL1 + 1)}, Plane{0, f(BatchL2), f(BatchL2 + 1)}
	q.MinZ, q.MaxZ = r.views[0].min, r.views[0].max
}

// setWhole covers a triangle of a batch that needs no clipping.
func (r *Rasterizer) setWhole(b *Batch, i uint) bool {
	var c [3]point
	for k := range c {
		c[k] = point{int32(b[BatchPoints+2*k][i]), int32(b[BatchPoints+2*k+1][i])}
	}
	p := &r.primitive
	p.Flags, p.Layer, p.viewport = 0, 0, 0
	r.shelf = nil
	return r.coverTriangle(p, c)
}

// mask returns the pixels of a tiny triangle.
func (b *Batch) mask(i uint) uint64 { return uint64(b[BatchMask][i]) | uint64(b[BatchMask+1][i])<<32 }

// setSplit adds the items of a tiny triangle that lies in several tiles. The mask begins
// at its first pixel.
func (r *Rasterizer) setSplit(place uint32, mask uint64) bool {
	r.shelf = nil
	x, y := int32(place&0xffff), int32(place>>16)
	r.number(r.tileOf(x, y))
	across, down := uint(min(Tile-x%Tile, Block)), uint(min(Tile-y%Tile, Block)) // in the first tiles
	left := (uint64(1)<<across - 1) * 0x0101010101010101
	above := uint64(1)<<(Block*down) - 1 // all where down is Block
	r.setPart(x, y, mask&left&above)
	r.setPart(x+int32(across), y, mask&^left&above>>across)
	r.setPart(x, y+int32(down), mask&left&^above>>(Block*down))
	r.setPart(x+int32(across), y+int32(down), mask&^left&^above>>(Block*down)>>across)
	return mask != 0
}

// setPart adds the item of a part of a tiny triangle that lies in one tile.
func (r *Rasterizer) setPart(x, y int32, mask uint64) {
	if mask == 0 {
		return
	}
	u, v := min(x&^1, x|(Tile-1)-(Block-1)), min(y&^1, y|(Tile-1)-(Block-1))
	r.setTiny(r.tileOf(x, y), uint32(u)|uint32(v)<<16, mask<<uint(x-u)<<uint(Block*(y-v)))
}

// setTiny adds the item of a tiny triangle of a batch.
func (r *Rasterizer) setTiny(tile int32, place uint32, mask uint64) {
	list := append(r.tiles[tile], uint64(r.number(tile))|uint64(place)<<32, mask)
	if n := len(list); n%8 < 2 && n+8 < cap(list) { // the next line of a cache
		prefetch(unsafe.Pointer(&list[:n+8][n+7]), 0, 1)
	}
	r.tiles[tile] = list
	r.words += 2
}

// BatchParamWords is how many words Words gives.
const BatchParamWords = 14

// Words puts the parameters into words of 32 bits, in their order.
func (p *BatchParams) Words(w []uint32) {
	for i := range 3 {
		w[i], w[3+i] = math.Float32bits(p.Scale[i]), math.Float32bits(p.Offset[i])
	}
	for i, x := range [...]int32{p.Frame.X0, p.Frame.Y0, p.Frame.X1, p.Frame.Y1, p.X0, p.Y0, p.Width} {
		w[6+i] = uint32(x)
	}
	w[13] = p.Flags
}

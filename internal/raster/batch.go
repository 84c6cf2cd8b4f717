package raster

import (
	"math"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/enum"
)

// Batch holds the setup results of BatchSize triangles, which a vectorized program computes one
// triangle per lane. The layout is structure-of-arrays: word w of triangle i is b[w][i], so that a
// program stores one word of all its lanes as one vector. Words that a triangle's state does not
// require are undefined.
type Batch [BatchWords][BatchSize]uint32

// BatchSize is the number of triangles in a batch.
const BatchSize = 64

// BatchRow is the size in bytes of one word of all triangles of a batch.
const BatchRow = 4 * BatchSize

// Indices of a triangle's words in a Batch. A plane equation has three words (C, X, Y), or two (X, Y) if
// the program sets its C to 0.
const (
	BatchState = iota // the tile's number, or one of the states below
	BatchBlock        // x and y of the block, 16 bits each, as in an Item; with BatchSplit of the mask's first pixel
	BatchMask         // two words: the coverage mask of a tiny triangle, low half first
	_
	BatchFlags
	BatchX // Primitive.X
	BatchY
	BatchZ
	_
	_
	BatchW
	_
	_
	BatchQ1 // X and Y; so for Q2, L1, L2
	_
	BatchQ2
	_
	BatchL1
	_
	BatchL2
	_
	BatchDepth  // the greatest depth of the three vertices, for the depth bias
	BatchPoints // x and y of each vertex, in sub-pixels
)

// Further words of a triangle in place ([State.InPlace]): C of Q1, Q2, L1 and L2. It is 0 but for clipped triangles.
const (
	BatchQ1C = BatchPoints + 6 + iota
	BatchQ2C
	BatchL1C
	BatchL2C
	BatchWords // of a batch; words of the caller can follow (Batches)
)

// Values of BatchState other than a tile's number.
const (
	BatchEmpty     = 1<<32 - 1 - iota // culled, or no pixel is covered
	BatchUnclipped                    // needs no clipping, and its face is drawn: only coverage is missing
	BatchFallback                     // needs the general path: Rasterizer.Triangle clips it and sets it up
	BatchSplit                        // a tiny triangle in up to four tiles, in one block of each
)

// BatchParams are the uniform parameters of the vectorized triangle setup.
type BatchParams struct {
	Scale, Offset [3]float32 // the viewport transformation of x, y and z
	Bounds        Rect       // pixels that polygons may cover
	X0, Y0, Width int32      // position of the area's first tile and width of the area, in tiles
	Flags         uint32
	HalfWidth     float32 // of lines, in pixels
}

// Flags of BatchParams.
const (
	BatchCullFront = 1 << iota
	BatchCullBack
	BatchClockwise
	BatchDepthClip
	BatchNegativeOneToOne
	BatchTiny // tiny triangles may be covered by the program
	BatchSafe // triangles inside of the view volume need no clipping
)

// Limits that the vectorized setup shares with this package, so that both classify a triangle alike.
// TinyExtent is the greatest extent of a tiny triangle along each axis, in sub-pixels.
const (
	// GuardBand is the greatest distance of a vertex from the framebuffer's origin along each axis, in pixels.
	TinyExtent = tinyExtent
	// MinW is the bound below which a vertex counts as outside the eye plane: w must be greater.
	GuardBand = guardBand
	MinW      = minW
)

// BatchVertices selects the records that the following primitives number, as [Rasterizer.Vertices] does,
// and fills p for the vectorized setup of their triangles. It returns false, and selects nothing, if the
// state requires the scalar path: vertices that select a viewport or layer, clip or cull distances,
// no scissor, or polygons drawn as lines or points.
func (r *Rasterizer) BatchVertices(v Records, p *BatchParams) bool {
	s := r.state
	if v.Viewport >= 0 || v.Layer >= 0 || v.ClipCount+v.CullCount > 0 || len(r.clipRects) == 0 || s.PolygonMode != enum.PolygonModeFill {
		return false
	}
	r.records, r.projected = v, r.projected[:0]
	t := &r.views[0]
	*p = BatchParams{Scale: t.scale, Offset: t.offset, Bounds: r.clipRects[0].polygons, X0: r.grid.x0, Y0: r.grid.y0, Width: r.grid.width}
	for i, b := range [...]bool{s.CullFront, s.CullBack, s.Clockwise, s.DepthClip, s.NegativeOneToOne, r.centreOnly, s.DepthClip && t.safe()} {
		if b {
			p.Flags |= 1 << i
		}
	}
	return true
}

// BatchTriangle adds triangle i of a batch, as [Rasterizer.Triangle] would with the same v, provoking and id.
func (r *Rasterizer) BatchTriangle(b *Batch, i uint, v *[3]uint32, provoking, id uint32) {
	i %= BatchSize
	var q slot
	var roles uint32
	switch state := b[BatchState][i]; state {
	case BatchEmpty:
		return
	case BatchFallback:
		r.Triangle(*v, provoking, id)
		return
	case BatchUnclipped:
		if !r.batchUnclipped(b, i) {
			return
		}
		q, roles = r.commitVaryings(v, provoking)
	case BatchSplit:
		if !r.batchSplit(b[BatchBlock][i], b.mask(i)) {
			return
		}
		q, roles = r.commitVaryings(v, provoking)
	default:
		q, roles = r.addTiny(int32(state), b[BatchBlock][i], b.mask(i), v, provoking)
	}
	q.ID, q.Flags = id, b[BatchFlags][i]|roles
	f := func(word int) float32 { return math.Float32frombits(b[word][i]) }
	q.X, q.Y = f(BatchX), f(BatchY)
	q.Z.X, q.Z.Y = f(BatchZ+1), f(BatchZ+2)
	bias := float32(0) // −0 + 0 is 0, as with any other path
	if r.state.Bias.Enable {
		bias = r.state.Bias.offset(q.Primitive, f(BatchDepth))
	}
	q.Z.C = float32(f(BatchZ) + bias)
	q.W = Plane{f(BatchW), f(BatchW + 1), f(BatchW + 2)}
	q.Q1, q.Q2 = Plane{0, f(BatchQ1), f(BatchQ1 + 1)}, Plane{0, f(BatchQ2), f(BatchQ2 + 1)}
	if !r.state.Short {
		*q.PrimitiveRest = PrimitiveRest{L1: Plane{0, f(BatchL1), f(BatchL1 + 1)}, L2: Plane{0, f(BatchL2), f(BatchL2 + 1)}, MinZ: r.views[0].min, MaxZ: r.views[0].max}
	}
}

// batchUnclipped covers a triangle that needs no clipping; false if it covers nothing.
func (r *Rasterizer) batchUnclipped(b *Batch, i uint) bool {
	var c [3]point
	for k := range c {
		c[k] = point{int32(b[BatchPoints+2*k][i]), int32(b[BatchPoints+2*k+1][i])}
	}
	p := &r.primitive
	p.Flags, p.Layer, p.viewport = 0, 0, 0
	r.chunk = nil
	return r.coverTriangle(p, c)
}

// mask returns the coverage mask of tiny triangle i.
func (b *Batch) mask(i uint) uint64 { return uint64(b[BatchMask][i]) | uint64(b[BatchMask+1][i])<<32 }

// batchSplit adds the items of a tiny triangle that crosses tile borders. The first pixel of the mask is at
// position (x in the low half, y in the high half); the mask is cut into up to four quadrants at the
// borders.
func (r *Rasterizer) batchSplit(position uint32, mask uint64) bool {
	r.chunk = nil
	x, y := int32(position&0xffff), int32(position>>16)
	r.reserve(r.tileOf(x, y))
	across, down := uint(min(Tile-x%Tile, Block)), uint(min(Tile-y%Tile, Block)) // pixels up to the borders
	left := (uint64(1)<<across - 1) * perRow
	above := uint64(1)<<(Block*down) - 1 // all bits if down is Block
	r.batchPart(x, y, mask&left&above)
	r.batchPart(x+int32(across), y, mask&^left&above>>across)
	r.batchPart(x, y+int32(down), mask&left&^above>>(Block*down))
	r.batchPart(x+int32(across), y+int32(down), mask&^left&^above>>(Block*down)>>across)
	return mask != 0
}

// batchPart adds the item of the quadrant of a tiny triangle that begins at pixel (x, y), in one tile. The
// block is moved to even pixels and into the tile, and the mask with it.
func (r *Rasterizer) batchPart(x, y int32, mask uint64) {
	if mask == 0 {
		return
	}
	u, v := min(x&^1, x|(Tile-1)-(Block-1)), min(y&^1, y|(Tile-1)-(Block-1))
	r.batchTiny(r.tileOf(x, y), uint32(u)|uint32(v)<<16, mask<<uint(x-u)<<uint(Block*(y-v)))
}

// maxTinyCopy is the number of words of a record up to which addTiny copies locations.
const maxTinyCopy = 16

// addTiny adds the item of a tiny triangle in one tile, and takes its slot: [Rasterizer.batchTiny] and [Rasterizer.commitVaryings] for
// the usual triangle, which has three vertices with records of whole locations. Large meshes spend much of their time here.
func (r *Rasterizer) addTiny(tile int32, position uint32, mask uint64, v *[3]uint32, provoking uint32) (q slot, roles uint32) {
	size := r.records.varyings()
	roles = 2 << ThirdShift
	switch provoking {
	case v[0]:
	case v[1]:
		roles |= 1 << ProvokingShift
	case v[2]:
		roles |= 2 << ProvokingShift
	default:
		size = -1
	}
	r.chunk = nil
	records := v[:]
	if v[2] == v[1] { // a line
		records, roles = v[:2], 1<<ThirdShift|roles&^(3<<ThirdShift)
	}
	if size%4 != 0 || size > maxTinyCopy || v[2] == v[0] || r.state.InPlace {
		r.batchTiny(tile, position, mask)
		return r.commitVaryings(v, provoking)
	}
	s := &r.chunks[tile]
	if s.next == s.end {
		r.newChunk(tile)
	}
	n := s.next
	s.next++
	if r.recent != s {
		if r.recent != nil {
			r.prefetchSlot(r.recent.next)
		}
		r.recent = s
	}
	list := r.items(tile)
	*list = append(*list, uint64(n)|uint64(position)<<32, mask)
	r.words += 2
	to := r.Varyings[3*int(n)*size:][:3*size]
	for _, x := range records {
		from := r.records.Words[int(x)*r.records.Stride+r.records.Skip:][:size]
		for ; len(from) >= 4 && len(to) >= 4; from, to = from[4:], to[4:] {
			*(*[4]uint32)(to) = *(*[4]uint32)(from)
		}
	}
	return r.slot(n), roles
}

// batchTiny appends the item of a tiny triangle to its tile.
func (r *Rasterizer) batchTiny(tile int32, position uint32, mask uint64) {
	to := r.items(tile)
	list := append(*to, uint64(r.reserve(tile))|uint64(position)<<32, mask)
	if n := len(list); n%8 < 2 && n+8 < cap(list) { // the list reaches a new cache line soon
		prefetch(unsafe.Pointer(&list[:n+8][n+7]), 0, 1)
	}
	*to = list
	r.words += 2
}

// BatchParamWords is the length of the slice that [BatchParams.Words] fills.
const BatchParamWords = 15

// Words writes the parameters as 32-bit words in the order of the fields: floats as their bits, then
// Bounds, X0, Y0, Width, Flags and HalfWidth. w must have BatchParamWords elements.
func (p *BatchParams) Words(w []uint32) {
	for i := range 3 {
		w[i], w[3+i] = math.Float32bits(p.Scale[i]), math.Float32bits(p.Offset[i])
	}
	for i, x := range [...]int32{p.Bounds.X0, p.Bounds.Y0, p.Bounds.X1, p.Bounds.Y1, p.X0, p.Y0, p.Width} {
		w[6+i] = uint32(x)
	}
	w[13], w[14] = p.Flags, math.Float32bits(p.HalfWidth)
}

// Package raster turns primitives into coverage masks. It knows no shader: it reads a vertex's position and
// the other fixed-function outputs, and refuses to know the meaning of the rest of its record, the formats of
// attachments and the fate of the samples.
//
// A primitive passes these stages:
//
//	records ─ project ─ clip, cull ─ triangle setup ─ cover ─▶ items, per tile, in primitive order
//	          (viewport,  (outcodes)  (plane         (tiles ▸ blocks of 8×8 pixels ▸ one mask per sample)
//	           snap)                  equations)
//
// An [Item] is the coverage of one primitive in one block. A [Primitive] holds the plane equations from
// which fragments interpolate depth, 1/w and the vertices' weights; its vertices' varyings are copied
// beside it. The caller shades the items of one tile in order, and tiles in any order (sort-middle binning,
// as in Mesa's llvmpipe).
//
// Coverage is decided by edge functions (Pineda 1988, "A Parallel Algorithm for Polygon Rasterization") in
// integers: positions are snapped to 8 sub-pixel bits (subPixelPrecisionBits), and the top-left rule settles
// samples on an edge, so that two primitives that share an edge cover each sample exactly once. Tiles and
// blocks that are wholly outside or inside all edges are rejected or accepted without a look at their
// pixels (hierarchical coverage).
//
// Many triangles may be set up at once by a vectorized program, one per lane. It leaves a [Batch], of
// which this package makes items and primitives.
//
// The files, in the order in which a primitive meets them:
//
//	rasterizer.go   Rasterizer: memory of one draw's items, tile grid, choice of viewport and layer
//	state.go        State, Layout, Records: the inputs
//	viewport.go     Viewport, Rect, the viewport transformation
//	project.go      vertices to framebuffer positions, outcodes, guard band
//	survive.go      SurvivesClipping: the count of primitives after clipping
//	triangle.go     triangles: culling, facing, choice of the coverage path
//	clip.go         Sutherland–Hodgman clipping of polygons
//	exact.go        clipping in exact numbers, of primitives that float64 does not clip well
//	plane.go        plane equations of triangles in front of the eye
//	homogeneous.go  plane equations of clipped triangles
//	bias.go         depth bias
//	line.go         lines as rectangles
//	outline.go      edges and corners of polygons in the modes line and point
//	bresenham.go    lines by the diamond-exit rule
//	stipple.go      line stipple
//	smooth.go       antialiased lines
//	point.go        points
//	sample.go       sample locations
//	bounds.go       bounding boxes, scissor and viewport limits
//	edge.go         edge functions
//	blockmask.go    three edge functions in a block
//	cover.go        hierarchical coverage of convex polygons
//	tiny.go         coverage of triangles and lines within one block
//	small.go        coverage of polygons within some blocks
//	conservative.go conservative rasterisation
//	batch.go        triangles set up by a vectorized program
//	batchline.go    lines set up by one
//	inplace.go      triangles that remain where the program stored them
//	primitive.go    Primitive, Item: the outputs
//	chunk.go        per-tile storage of primitives and varyings
//	prefetch.go     cache prefetching
package raster

// SubPixelBits is the number of fraction bits of a snapped position (subPixelPrecisionBits).
const SubPixelBits = 8

const (
	one    = 1 << SubPixelBits // sub-pixels in a pixel
	centre = one / 2
)

// Block is the width and height in pixels of a block, the unit of coverage. A block begins at even pixels,
// so that it consists of whole 2×2 quads, and does not cross tile borders.
const Block = 8

// Tile is the width and height in pixels of a tile, the unit of binning and of order: the items of one tile
// are ordered, items of different tiles are not.
const Tile = 64

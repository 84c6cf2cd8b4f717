// Package raster turns primitives into samples: it projects vertices, clips and
// culls, snaps to sub-pixels, and says of each block of pixels which samples a
// primitive covers, tile by tile and in the order of the primitives. With each
// primitive goes what is needed to interpolate over it ([Primitive]).
//
// Positions are fixed to 8 bits below the pixel (subPixelPrecisionBits) and all
// decisions about coverage are made in integers, so that primitives that share an
// edge share no sample and leave none out.
//
// Many triangles may be set up side by side by a program, which leaves a [Batch] of
// them; what they cover and where that is kept is then found here.
//
// The package knows no shader: it reads of a vertex its position and what else
// fixed function asks for, and refuses to know what the rest of its record means,
// what a format is and what becomes of the samples.
package raster

// SubPixelBits is how many bits of a position lie below the pixel
// (subPixelPrecisionBits).
const SubPixelBits = 8

const (
	one    = 1 << SubPixelBits // a pixel
	centre = one / 2
)

// Block is the width and height in pixels of a block, the unit of coverage. A block
// stands at even pixels and within one tile.
const Block = 8

// Tile is the width and height in pixels of a tile, the unit of order: what covers
// the samples of one tile is kept in order, and tiles have no order.
const Tile = 64

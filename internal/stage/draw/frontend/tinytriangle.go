package frontend

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// subPixels is a position in sub-pixels.
type subPixels = [2]ir.V

// coverTriangle stores the verdict on a triangle that is not culled: cover's, or the vertex positions of a larger triangle, which
// the rasterizer covers.
func (s *triangleShader) coverTriangle(c *[3]triangleCorner, turned ir.V) {
	b := s.B
	at := [3]subPixels{c[0].at, c[1].at, c[2].at}
	list := at
	for axis := range 2 {
		// Two vertices are exchanged in a counterclockwise triangle, so that the inside is at
		// non-negative edge values.
		list[1][axis], list[2][axis] = b.Select(turned, at[2][axis], at[1][axis]), b.Select(turned, at[1][axis], at[2][axis])
	}
	tiny, empty, verdict := s.cover(at[:], list[:])
	verdict = b.Select(tiny, verdict, b.I32(raster.BatchUnclipped))
	b.If(s.Not(tiny))
	for i := range c {
		s.store(raster.BatchPoints+2*uint32(i), c[i].at[:]...)
	}
	b.End()
	s.store(raster.BatchState, b.Select(empty, b.I32(raster.BatchEmpty), verdict))
}

// cover reports whether a convex polygon is tiny: it extends over at most seven pixels. For these the program computes the
// whole coverage, so that Go only appends an item to a bin. The verdict on a tiny polygon is the state of its batch, with the
// coverage mask stored (raster's coverTiny), or empty. An empty polygon of any size can cover no pixel center. c has the corners, and clockwise
// the same corners in clockwise order.
func (s *triangleShader) cover(c, clockwise []subPixels) (tiny, nothing, verdict ir.V) {
	b := s.B
	least := func(op ir.Op, axis int) ir.V {
		v := c[0][axis]
		for i := range c[1:] {
			v = b.Op(op, ir.I32, v, c[1+i][axis])
		}
		return v
	}
	plain := s.flag(raster.BatchTiny)
	empty, split := b.Bool(false), b.Bool(false)
	tiny = plain
	var first, size, block, inBlock [2]ir.V // in pixels
	for axis := range 2 {
		low, high := least(ir.SMin, axis), least(ir.SMax, axis)
		// first and end bound the pixels with a center in the bounding box. A center on its border
		// counts, since it can be on a top or left edge.
		end := s.pixel(high, centre)
		first[axis] = b.Op(ir.SMax, ir.I32, s.pixel(low, 1<<raster.SubPixelBits-1-centre), s.Param(ir.I32, batchFrame+uint32(axis)))
		end = b.Op(ir.SMin, ir.I32, end, s.Param(ir.I32, batchFrame+2+uint32(axis)))
		size[axis] = b.Op(ir.Sub, ir.I32, end, first[axis])
		empty = s.any(empty, b.Cmp(ir.SLe, end, first[axis]))
		// Blocks start at even pixels and stay inside of a tile.
		// An even first pixel preserves quads; in a tile of 64 pixels the last block begins at pixel
		// 56.
		last := s.Or(s.And(first[axis], b.I32(^uint32(raster.Tile-1))), b.I32(raster.Tile-raster.Block))
		block[axis] = b.Op(ir.SMin, ir.I32, s.And(first[axis], b.I32(^uint32(1))), last)
		inBlock[axis] = b.Op(ir.Sub, ir.I32, first[axis], block[axis])
		reach := b.Cmp(ir.SLe, b.Op(ir.Sub, ir.I32, high, low), b.I32(raster.TinyExtent))
		fits := b.Cmp(ir.SLe, s.Add(inBlock[axis], size[axis]), b.I32(raster.Block))
		over := b.Cmp(ir.SLt, s.Or(first[axis], b.I32(raster.Tile-1)), b.Op(ir.Sub, ir.I32, end, b.I32(1)))
		tiny, split = s.all(tiny, reach, s.any(fits, over)), s.any(split, over)
	}
	for axis := range 2 {
		block[axis], inBlock[axis] = b.Select(split, first[axis], block[axis]), b.Select(split, b.I32(0), inBlock[axis])
	}
	low, high := s.tinyMask(clockwise, first, size)
	covered := s.Not(b.Cmp(ir.Eq, s.Or(low, high), b.I32(0)))
	s.leaveMask(low, high, inBlock)
	s.store(raster.BatchBlock, s.Or(block[0], b.Op(ir.Shl, ir.I32, block[1], b.I32(16))))
	tile := func(axis int) ir.V {
		const shift = 6 // log₂ of raster.Tile
		n := b.Op(ir.AShr, ir.I32, first[axis], b.I32(shift))
		return b.Op(ir.Sub, ir.I32, n, s.Param(ir.I32, batchFirst+uint32(axis)))
	}
	number := s.Add(s.Mul(tile(1), s.Param(ir.I32, batchWidth)), tile(0))
	verdict = b.Select(split, b.I32(raster.BatchSplit), b.Select(covered, number, b.I32(raster.BatchEmpty)))
	return tiny, s.all(plain, empty), verdict
}

// centre is the offset of a pixel's center from its corner, in sub-pixels.
const centre = 1 << raster.SubPixelBits / 2

// pixel returns ⌊(v + more) / 2⁸⌋ for a position v in sub-pixels. The shift is arithmetic, so that
// it rounds negative positions down too.
func (s *triangleShader) pixel(v ir.V, more uint32) ir.V {
	return s.B.Op(ir.AShr, ir.I32, s.Add(v, s.B.I32(more)), s.B.I32(raster.SubPixelBits))
}

// leaveMask stores the block's mask from the two words of a mask that starts at a pixel of the block.
func (s *triangleShader) leaveMask(low, high ir.V, pixel [2]ir.V) {
	b := s.B
	long := func(v ir.V) ir.V { return b.Op(ir.ZExt, ir.I64, v) }
	m := b.Op(ir.Or, ir.I64, long(low), b.Op(ir.Shl, ir.I64, long(high), b.Const(ir.I64, 32)))
	m = b.Op(ir.Shl, ir.I64, m, long(s.Add(pixel[0], s.Scaled(pixel[1], raster.Block))))
	s.store(raster.BatchMask, b.Op(ir.Trunc, ir.I32, m), b.Op(ir.Trunc, ir.I32, b.Op(ir.LShr, ir.I64, m, b.Const(ir.I64, 32))))
}

// edgeValues are the values of an edge function (Pineda 1988) at two adjacent pixels of a tiny
// triangle, 16 bits each. The sign bits are inverted: a set bit means inside. Both values advance
// with one addition, because no value overflows into the other (raster's tinyMask). A word at pixel
// x of a pixel row:
//
//	bits     31                16  15                 0
//	value    E(x+1) >> 8           E(x) >> 8
//	two      adds 2·dx to both: pixels x+2 and x+3
//	pixelRow adds dy to both: the next pixel row
//
// Values fit in 16 bits because the extent of a tiny triangle is at most seven pixels.
type edgeValues struct{ at, two, pixelRow ir.V }

// twice copies a 16-bit value to both halves.
func (s *triangleShader) twice(v ir.V) ir.V {
	return s.Add(v, s.B.Op(ir.Shl, ir.I32, v, s.B.I32(16)))
}

// edge returns the edge from p to q at the first two pixels of the first pixel row. Pixels on a top or
// left edge count as inside. Vulkan demands only that exactly one of two adjacent triangles covers a
// sample on their common edge (§"Basic Polygon Rasterization"); top-left is the rule of Direct3D. A
// value of 0 is outside for the other edges: hence the subtraction of 1.
func (s *triangleShader) edge(p, q subPixels, first [2]ir.V) (e edgeValues) {
	b := s.B
	from := func(axis int) ir.V {
		return s.sub(s.Add(b.Op(ir.Shl, ir.I32, first[axis], b.I32(raster.SubPixelBits)), b.I32(centre)), p[axis])
	}
	dx, dy := s.sub(p[1], q[1]), s.sub(q[0], p[0])
	zero := b.I32(0)
	leading := s.any(b.Cmp(ir.SLt, zero, dx), s.all(b.Cmp(ir.Eq, dx, zero), b.Cmp(ir.SLt, zero, dy)))
	at := s.Add(s.Mul(dx, from(0)), s.Mul(dy, from(1)))
	at = s.sub(at, b.Select(leading, zero, b.I32(1)))
	at = b.Op(ir.AShr, ir.I32, at, b.I32(raster.SubPixelBits))
	e.at = s.Add(s.Add(s.twice(at), b.Op(ir.Shl, ir.I32, dx, b.I32(16))), b.I32(signs))
	e.two, e.pixelRow = s.twice(s.Add(dx, dx)), s.twice(dy)
	return e
}

const signs = 1<<31 | 1<<15

// tinyMask returns the pixels that a tiny clockwise polygon covers, in a rectangle at first of up
// to one block: pixel row by pixel row, in two words. Pixels to the right of and below the rectangle are
// computed too, and cleared by masks of pixel columns and pixel rows.
func (s *triangleShader) tinyMask(c []subPixels, first, size [2]ir.V) (low, high ir.V) {
	b := s.B
	edges := make([]edgeValues, len(c))
	for i := range edges {
		edges[i] = s.edge(c[i], c[(i+1)%len(c)], first)
	}
	// Most tiny polygons are in a quarter of the block.
	words := [2]ir.V{s.quarter(edges, 0, 0), b.I32(0)}
	merge := b.Block(ir.I32, ir.I32)
	large := func(axis int) ir.V { return b.Cmp(ir.SLt, b.I32(raster.Block/2), size[axis]) }
	b.If(s.any(large(0), large(1)))
	b.Br(merge, s.Or(words[0], s.quarter(edges, 1, 0)), s.Or(s.quarter(edges, 0, 1), s.quarter(edges, 1, 1)))
	b.End()
	b.Br(merge, words[0], words[1])
	b.End()
	words = [2]ir.V{b.Param(merge, 0), b.Param(merge, 1)}
	columnMask := s.Mul(s.ones(size[0]), b.I32(0x01010101))
	rowMask := func(less uint32) ir.V {
		n := b.Op(ir.SMin, ir.I32, b.Op(ir.SMax, ir.I32, b.Op(ir.Sub, ir.I32, size[1], b.I32(less)), b.I32(0)), b.I32(4))
		full := b.Cmp(ir.Eq, n, b.I32(4))
		return b.Select(full, b.I32(1<<32-1), s.ones(s.Scaled(n, raster.Block)))
	}
	return s.And(words[0], s.And(columnMask, rowMask(0))), s.And(words[1], s.And(columnMask, rowMask(4)))
}

// ones returns n one bits, n < 32.
func (s *triangleShader) ones(n ir.V) ir.V {
	return s.B.Op(ir.Sub, ir.I32, s.B.Op(ir.Shl, ir.I32, s.B.I32(1), n), s.B.I32(1))
}

// quarter returns the pixels that are inside of all edges in a quarter of a block, as they are in a word of its mask: columns 0 to 3 or
// 4 to 7 of pixel rows 0 to 3 or 4 to 7. e are the values at the first pixels of the block.
func (s *triangleShader) quarter(e []edgeValues, column, row uint32) ir.V {
	const size = raster.Block / 2
	e = slices.Clone(e)
	for i := range e {
		e[i].at = s.Add(e[i].at, s.Add(s.Scaled(e[i].two, uint64(column*size/2)), s.Scaled(e[i].pixelRow, uint64(row*size))))
	}
	word := s.B.I32(0)
	for j := range uint32(size) {
		if j > 0 {
			for i := range e {
				e[i].at = s.Add(e[i].at, e[i].pixelRow)
			}
		}
		word = s.Or(word, s.B.Op(ir.Shl, ir.I32, s.fourPixels(e), s.B.I32(raster.Block*j+size*column)))
	}
	return word
}

// fourPixels returns the first four pixels of a pixel row that are inside of all edges.
func (s *triangleShader) fourPixels(e []edgeValues) ir.V {
	b := s.B
	inside := func(k int) ir.V {
		at := make([]ir.V, len(e))
		for i := range at {
			at[i] = e[i].at
			for range k {
				at[i] = s.Add(at[i], e[i].two)
			}
		}
		all := s.And(at[0], at[1])
		// A rectangle has a fourth edge.
		for i := 3; i < len(at); i++ {
			all = s.And(all, at[i])
		}
		return s.And(all, s.And(at[2], b.I32(signs)))
	}
	// Pixels 0 and 2 are at bits 13 and 15, their right neighbours 16 bits above.
	sum := s.Or(b.Op(ir.LShr, ir.I32, inside(0), b.I32(2)), inside(1))
	even := s.And(b.Op(ir.LShr, ir.I32, sum, b.I32(13)), b.I32(0b101))
	return s.Or(even, b.Op(ir.LShr, ir.I32, sum, b.I32(28)))
}

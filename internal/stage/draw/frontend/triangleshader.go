package frontend

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// Words of the set-up program's parameters. The rasterizer's own follow.
const (
	batchCount  = iota // number of invocations
	batchStride        // bytes of a vertex record
	batchRaster
	batchParamWords = batchRaster + raster.BatchParamWords
)

// Words of raster.BatchParams.
const (
	batchScale  = batchRaster
	batchOffset = batchRaster + 3
	batchFrame  = batchRaster + 6
	batchFirst  = batchRaster + 10
	batchWidth  = batchRaster + 12
	batchFlags  = batchRaster + 13

	batchHalfWidth = batchRaster + 14
)

// triangleShader builds the set-up program of triangles or of lines: an invocation sets one of them up and stores a
// lane of raster.Batch. [raster.Rasterizer.Triangle] and [raster.Rasterizer.Line] do the same for a single one. It is faster
// for a few triangles, handles those that the program leaves out, and is the reference of the
// program's tests.
type triangleShader struct {
	*compose.Builder
	key   batchKey
	kept  []uint32 // layout.Record.Kept, of triangles in place
	words uint64   // of a batch with those
	at    ir.V     // byte offset of the triangle's lane
}

// triangleCorner is a vertex of a triangle.
type triangleCorner struct {
	x, y, z, w ir.V    // f32: clip coordinates
	pixel      [2]ir.V // f32: framebuffer position
	at         [2]ir.V // i32: the same in sub-pixels
	depth, inv ir.V    // f32: framebuffer depth; 1/w
	record     ir.V    // i32: byte offset of its record
}

// flag reports whether a flag of raster.BatchParams is set.
func (s *triangleShader) flag(bit uint32) ir.V {
	return s.B.Cmp(ir.Eq, s.And(s.Param(ir.I32, batchFlags), s.B.I32(bit)), s.B.I32(bit))
}

// store stores words of the triangle from word n on.
func (s *triangleShader) store(n uint32, list ...ir.V) {
	h := s.Handle(ir.StorageBuffer, layout.BindTriangles, true)
	s.MarkDisjoint(ir.StorageBuffer, layout.BindTriangles) // lets engines merge subgroups
	for i, v := range list {
		// Structure of arrays: word n of 64 triangles is contiguous, so the store is one vector per
		// part.
		off := raster.BatchRow * (uint64(n) + uint64(i))
		s.B.Emit(ir.Val{Op: ir.St, Type: s.B.Func.Type(v), Flags: ir.Proven, Args: [4]ir.V{h, s.at, v}, Aux: off})
	}
}

// primitiveBytes is the size of a primitive in memory.
const primitiveBytes = uint64(unsafe.Sizeof(primitive{}))

// any returns the disjunction of booleans.
func (s *triangleShader) any(list ...ir.V) ir.V {
	for _, v := range list[1:] {
		list[0] = s.B.Op(ir.Or, ir.B1, list[0], v)
	}
	return list[0]
}

// all returns the conjunction of booleans.
func (s *triangleShader) all(list ...ir.V) ir.V {
	for _, v := range list[1:] {
		list[0] = s.B.Op(ir.And, ir.B1, list[0], v)
	}
	return list[0]
}

// sub subtracts integers of 32 bits.
func (s *triangleShader) sub(x, y ir.V) ir.V { return s.B.Op(ir.Sub, ir.I32, x, y) }

// times multiplies in f64.
func (s *triangleShader) times(x, y ir.V) ir.V { return s.B.Op(ir.FMul, ir.F64, x, y) }

// single rounds to f32.
func (s *triangleShader) single(x ir.V) ir.V { return s.B.Op(ir.FCvt, ir.F32, x) }

package frontend

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// Words of the parameters of the program that sets up triangles; raster's are behind
// them.
const (
	batchCount  = iota // invocations that there are
	batchStride        // bytes of a vertex's record
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
)

// triangleShader writes the program that sets up triangles: an invocation is one of
// them, and leaves what raster.Batch says of it. raster has all of this for one triangle
// at a time too, in [raster.Rasterizer.Triangle]: that is quicker for a few of them, sees
// to those that this program does not set up, and is what it is tested by.
type triangleShader struct {
	*compose.Builder
	at ir.V // where the triangle's words stand
}

// triangleCorner is a vertex of a triangle.
type triangleCorner struct {
	x, y, z, w ir.V    // f32: in clip coordinates
	at         [2]ir.V // i32: in sub-pixels
	depth, inv ir.V    // f32: in the framebuffer; 1/w
	near       ir.V    // b1: it is within reach
}

// flag reports whether a flag of raster.BatchParams is set.
func (s *triangleShader) flag(bit uint32) ir.V {
	return s.B.Cmp(ir.Eq, s.And(s.Param(ir.I32, batchFlags), s.B.I32(bit)), s.B.I32(bit))
}

// store stores words of the triangle from n on.
func (s *triangleShader) store(n uint32, list ...ir.V) {
	h := s.Handle(ir.StorageBuffer, layout.BindTriangles, true)
	s.MarkDisjoint(ir.StorageBuffer, layout.BindTriangles) // so that several subgroups may be run as one
	for i, v := range list {
		off := 4 * raster.BatchSize * (uint64(n) + uint64(i))
		s.B.Emit(ir.Val{Op: ir.St, Type: s.B.Func.Type(v), Flags: ir.Proven, Args: [4]ir.V{h, s.at, v}, Aux: off})
	}
}

// primitiveBytes is the size of a primitive in memory.
const primitiveBytes = uint64(unsafe.Sizeof(primitive{}))

// any is the or of b1.
func (s *triangleShader) any(list ...ir.V) ir.V {
	for _, v := range list[1:] {
		list[0] = s.B.Op(ir.Or, ir.B1, list[0], v)
	}
	return list[0]
}

// all is the and of b1.
func (s *triangleShader) all(list ...ir.V) ir.V {
	for _, v := range list[1:] {
		list[0] = s.B.Op(ir.And, ir.B1, list[0], v)
	}
	return list[0]
}

// times is a product of f64.
func (s *triangleShader) times(x, y ir.V) ir.V { return s.B.Op(ir.FMul, ir.F64, x, y) }

// single rounds to f32.
func (s *triangleShader) single(x ir.V) ir.V { return s.B.Op(ir.FCvt, ir.F32, x) }

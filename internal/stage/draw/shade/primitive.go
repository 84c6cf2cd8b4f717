package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// Flags of a primitive (raster.Primitive.Flags).
const (
	flagFront       = raster.FrontFacing
	flagPerspective = raster.Perspective
	flagPoint       = raster.IsPoint
)

// Words of a raster.Primitive in memory. A test compares them with the Go struct.
const (
	primitiveID    = 0
	primitiveFlags = 1
	primitiveLayer = 2
	primitiveX     = 3
	primitiveY     = 4
	primitiveZ     = 5 // planes: three floats each, value at the reference point and slopes along x and y
	primitiveW     = 8
	primitiveQ1    = 11
	primitiveQ2    = 14
	primitiveL1    = 17
	primitiveL2    = 20
	primitiveMinZ  = 23
	primitiveMaxZ  = 24
)

// primitiveWord reads a word of the item's primitive.
func (s *shader) primitiveWord(t ir.Type, n uint32) ir.V {
	return s.perItem(func() ir.V {
		return s.LoadOwn(t, s.Handle(ir.StorageBuffer, layout.BindPrimitives, false), s.get(varPrimitive), 4*n)
	})
}

// plane evaluates a plane equation of the primitive at a point. C + X·dx + Y·dy by two fused
// operations: the same order in all programs, so that two pipelines compute equal depths for equal
// positions (position invariance across passes).
func (s *shader) plane(n uint32, at point) ir.V {
	b := s.B
	c, x, y := s.primitiveWord(ir.F32, n), s.primitiveWord(ir.F32, n+1), s.primitiveWord(ir.F32, n+2)
	return b.Op(ir.FFma, ir.F32, y, at.dy, b.Op(ir.FFma, ir.F32, x, at.dx, c))
}

// flagged reports whether the primitive has a flag.
func (s *shader) flagged(flag uint32) ir.V {
	b := s.B
	f := b.Op(ir.And, ir.I32, s.primitiveWord(ir.I32, primitiveFlags), b.I32(flag))
	return b.Cmp(ir.Eq, f, b.I32(flag))
}

// vertexWord reads a component of the record of vertex i, flatInput of the provoking vertex. An output
// that the previous stage did not write is 0.
func (s *shader) vertexWord(in ir.Input, i uint32) ir.V {
	if i == 2 {
		return s.recordWord(in, func() ir.V { return s.vertexRole(raster.ThirdShift) }, 0)
	}
	return s.recordWord(in, nil, i)
}

func (s *shader) flatInput(in ir.Input) ir.V {
	return s.recordWord(in, func() ir.V { return s.vertexRole(raster.ProvokingShift) }, 0)
}

// recordWord reads a component of one of the three records of the primitive: record i, or the one
// that number selects. Record i is at a constant offset. Only the records of the third and of the
// provoking vertex need the flags, since points and lines have fewer records.
func (s *shader) recordWord(in ir.Input, number func() ir.V, i uint32) ir.V {
	at, ok := s.rec.Offset(in.Semantic, in.Index)
	if !ok || at < layout.PositionBytes {
		return s.Zero(in.Type)
	}
	return s.perItem(func() ir.V {
		off, size := s.get(varRecords), s.rec.KeptBytes()
		if number != nil {
			off = s.Add(off, s.Scaled(number(), uint64(size)))
		}
		return s.LoadOwn(in.Type, s.Handle(ir.StorageBuffer, layout.BindRecords, false), off, i*size+at-layout.PositionBytes)
	})
}

// vertexRole extracts a vertex number from the primitive's flags. The rasterizer can permute the
// vertices of a primitive.
func (s *shader) vertexRole(shift uint32) ir.V {
	return s.And(s.B.Op(ir.LShr, ir.I32, s.primitiveWord(ir.I32, primitiveFlags), s.B.I32(shift)), s.B.I32(3))
}

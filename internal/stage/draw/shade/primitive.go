package shade

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// Flags of a primitive (raster.Primitive.Flags).
const (
	flagFront       = raster.FrontFacing
	flagPerspective = raster.Perspective
	flagPoint       = raster.IsPoint
)

// Words of a raster.Primitive in memory, and then of its raster.PrimitiveRest. A test compares them with the Go structs.
const (
	primitiveID    = 0
	primitiveFlags = 1
	primitiveX     = 2
	primitiveY     = 3
	primitiveZ     = 4 // planes: three floats each, value at the reference point and slopes along x and y
	primitiveW     = 7
	primitiveQ1    = 10
	primitiveQ2    = 13
	primitiveLayer = raster.PrimitiveWords
	primitiveL1    = raster.PrimitiveWords + 1
	primitiveL2    = raster.PrimitiveWords + 4
	primitiveMinZ  = raster.PrimitiveWords + 7
	primitiveMaxZ  = raster.PrimitiveWords + 8
)

// primitiveNumberBits are the bits of PrimitiveNumber for the primitive's index in its bin list; those above number the list. The bytes of a
// bin list are bounded, so that it has fewer primitives. It has no triangles in place, because programs with messages have none.
const primitiveNumberBits = 20

// primitiveWord reads a word of the item's primitive.
func (s *shader) primitiveWord(t ir.Type, n uint32) ir.V {
	if s.key.InPlace {
		return s.triangleWord(t, n)
	}
	return s.perItem(func() ir.V {
		if n < raster.PrimitiveWords {
			return s.LoadOwn(t, s.Handle(ir.StorageBuffer, layout.BindPrimitives, false), s.primitiveOffset(), 4*n)
		}
		return s.LoadOwn(t, s.Handle(ir.StorageBuffer, layout.BindRests, false), s.Scaled(s.primitiveNumber(), 4*raster.PrimitiveRestWords), 4*(n-raster.PrimitiveWords))
	})
}

// primitiveNumber returns the index of the item's primitive in its bin list.
func (s *shader) primitiveNumber() ir.V {
	return s.B.Op(ir.UDiv, ir.I32, s.primitiveOffset(), s.B.I32(4*raster.PrimitiveWords))
}

// ReadsRests reports whether a program that shade has made reads a raster.PrimitiveRest.
func ReadsRests(p *ir.Program) bool {
	return compose.BindsOwn(p, ir.StorageBuffer, layout.BindRests)
}

// batchWords are the words of a raster.Batch for the words of a primitive.
var batchWords = map[uint32]uint32{
	primitiveFlags: raster.BatchFlags, primitiveX: raster.BatchX, primitiveY: raster.BatchY,
	primitiveZ: raster.BatchZ, primitiveZ + 1: raster.BatchZ + 1, primitiveZ + 2: raster.BatchZ + 2,
	primitiveW: raster.BatchW, primitiveW + 1: raster.BatchW + 1, primitiveW + 2: raster.BatchW + 2,
	primitiveQ1: raster.BatchQ1C, primitiveQ1 + 1: raster.BatchQ1, primitiveQ1 + 2: raster.BatchQ1 + 1,
	primitiveQ2: raster.BatchQ2C, primitiveQ2 + 1: raster.BatchQ2, primitiveQ2 + 2: raster.BatchQ2 + 1,
	primitiveL1: raster.BatchL1C, primitiveL1 + 1: raster.BatchL1, primitiveL1 + 2: raster.BatchL1 + 1,
	primitiveL2: raster.BatchL2C, primitiveL2 + 1: raster.BatchL2, primitiveL2 + 2: raster.BatchL2 + 1,
}

// triangleWord is primitiveWord for a triangle in place. Its layer is the first one, because its vertices select none.
func (s *shader) triangleWord(t ir.Type, n uint32) ir.V {
	switch n {
	case primitiveLayer:
		return s.Zero(t)
	case primitiveID:
		return s.LoadOwn(t, s.Handle(ir.StorageBuffer, layout.BindPrimitiveVertices, false), s.recordsOffset(), 4*layout.TriangleID)
	}
	word, ok := batchWords[n]
	if !ok {
		s.Unsupported("word %d of a primitive in place", n)
		return s.Zero(t)
	}
	v := s.LoadOwn(t, s.Handle(ir.StorageBuffer, layout.BindTriangles, false), s.primitiveOffset(), raster.BatchRow*word)
	if n == primitiveZ { // −0 + 0 is 0, as with a depth bias
		v = s.FAdd(v, s.Float(0))
	}
	return v
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
	if i == 2 && !s.key.InPlace {
		return s.recordWord(in, func() ir.V { return s.vertexRole(raster.ThirdShift) }, 0)
	}
	return s.recordWord(in, nil, i)
}

// flatInput returns an input of the provoking vertex.
func (s *shader) flatInput(in ir.Input) ir.V {
	return s.recordWord(in, func() ir.V { return s.vertexRole(raster.ProvokingShift) }, 0)
}

// recordWord reads a component of one of the three records of the primitive: record i, or the one
// that number selects. Record i is at a constant offset. Only the records of the third and of the
// provoking vertex need the flags, since points and lines have fewer records.
func (s *shader) recordWord(in ir.Input, number func() ir.V, i uint32) ir.V {
	at, ok := s.rec.Offset(in.Semantic, in.Index)
	if !ok || at < layout.PositionBytes {
		return s.Missing(in)
	}
	if s.key.InPlace {
		word := layout.TriangleVertices + i
		if number != nil {
			word = layout.TriangleProvoking
		}
		vertex := s.LoadOwn(ir.I32, s.Handle(ir.StorageBuffer, layout.BindPrimitiveVertices, false), s.recordsOffset(), 4*word)
		return s.LoadOwn(in.Type, s.Handle(ir.StorageBuffer, layout.BindRecords, false), s.Scaled(vertex, uint64(s.rec.Stride)), at)
	}
	return s.perItem(func() ir.V {
		off, size := s.recordsOffset(), s.rec.KeptBytes()
		if number != nil {
			off = s.Add(off, s.Scaled(number(), uint64(size)))
		}
		return s.LoadOwn(in.Type, s.Handle(ir.StorageBuffer, layout.BindRecords, false), off, i*size+at-layout.PositionBytes)
	})
}

// keptWord reads word n of an input that the set-up program keeps with triangles in place; ok is false if it does not.
func (s *shader) keptWord(in ir.Input, n uint32) (v ir.V, ok bool) {
	at, ok := s.rec.Offset(in.Semantic, in.Index)
	i := slices.Index(s.kept, at)
	if !ok || i < 0 || in.Type != ir.F32 {
		return 0, false
	}
	h := s.Handle(ir.StorageBuffer, layout.BindTriangles, false)
	return s.LoadOwn(ir.F32, h, s.primitiveOffset(), raster.BatchRow*(raster.BatchWords+layout.KeptWords*uint32(i)+n)), true
}

// vertexRole extracts a vertex number from the primitive's flags. The rasterizer can permute the
// vertices of a primitive.
func (s *shader) vertexRole(shift uint32) ir.V {
	return s.And(s.B.Op(ir.LShr, ir.I32, s.primitiveWord(ir.I32, primitiveFlags), s.B.I32(shift)), s.B.I32(3))
}

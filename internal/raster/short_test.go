package raster

import (
	"math"
	"math/rand"
	"slices"
	"testing"
)

// TestShort compares primitives without their rests (State.Short) with whole ones: everything but the rests is the same. The primitives
// are points, lines and triangles of all sizes, which clip planes cross, and triangles of batches.
func TestShort(t *testing.T) {
	const vertices = 300
	random := rand.New(rand.NewSource(11))
	v := Records{Layout: Layout{Stride: 8, Skip: 4, Clip: -1, Cull: -1, Size: -1, Viewport: -1, Layer: -1}, Words: make([]uint32, 8*vertices)}
	size := float32(0)
	for i := range v.Words {
		if i%24 == 0 {
			size = float32(math.Exp2(-6 * random.Float64()))
		}
		switch x := 2*random.Float32() - 1; i % 8 {
		case 0, 1:
			v.Words[i] = math.Float32bits(0.5 + size*x)
		case 2:
			v.Words[i] = math.Float32bits(random.Float32())
		case 3:
			v.Words[i] = math.Float32bits(0.9 + x*size)
		default:
			v.Words[i] = random.Uint32()
		}
	}
	var batch Batch
	for i := range batch[BatchState] {
		for word := range batch {
			batch[word][i] = math.Float32bits(random.Float32())
		}
		batch[BatchState][i], batch[BatchBlock][i] = uint32(random.Intn(4)), uint32(8*random.Intn(8))|uint32(8*random.Intn(8))<<16
		if i%3 == 0 {
			batch[BatchState][i], batch[BatchBlock][i] = BatchSplit, 61|uint32(60+random.Intn(4))<<16
		}
		batch[BatchMask][i], batch[BatchMask+1][i] = random.Uint32(), random.Uint32()
	}
	draw := func(short bool) *Rasterizer {
		s := state(1, 2*Tile, 2*Tile)
		s.Short, s.DepthClip, s.LineWidth = short, true, 1
		r := &Rasterizer{}
		r.Begin(s)
		r.Vertices(v)
		for i := uint32(0); i+2 < vertices; i += 3 {
			r.Triangle([3]uint32{i, i + 1, i + 2}, i, i)
			r.Line([2]uint32{i, i + 1}, i+1, i)
			r.Point(i, i)
		}
		if !r.BatchVertices(v, new(BatchParams)) {
			t.Fatal("the state does not permit batches")
		}
		for i := range uint32(BatchSize) {
			r.BatchTriangle(&batch, uint(i), &[3]uint32{i, i + 1, i + 2}, i+2, i)
		}
		return r
	}
	short, all := draw(true), draw(false)
	if len(all.Primitives) < vertices || len(short.Rests) != 0 || len(all.Rests) != len(all.Primitives) {
		t.Fatalf("%d primitives with %d and %d rests; must be %d or more, with 0 and one for each", len(all.Primitives), len(short.Rests), len(all.Rests), vertices)
	}
	if !slices.Equal(short.Primitives, all.Primitives) || !slices.Equal(short.Varyings, all.Varyings) {
		t.Error("the primitives and records differ")
	}
	for i := range all.Tiles() {
		if !slices.Equal(short.Tile(i), all.Tile(i)) {
			t.Errorf("the items of tile %d differ", i)
		}
	}
	if less := all.Bytes() - short.Bytes(); less != 4*PrimitiveRestWords*len(all.Rests) {
		t.Errorf("short primitives need %d bytes less; must be %d", less, 4*PrimitiveRestWords*len(all.Rests))
	}
}

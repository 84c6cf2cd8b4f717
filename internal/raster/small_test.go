package raster

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// TestSmallTriangles compares the items of small triangles with those of the hierarchical traversal: triangles in one tile and
// across tiles, and parts of their bounding boxes.
func TestSmallTriangles(t *testing.T) {
	if !hasBlockMask {
		t.Skip("small triangles have a path of their own with AVX2, which this processor lacks")
	}
	random := rand.New(rand.NewPCG(1, 2))
	var got, want Rasterizer
	s := state(1, 256, 256)
	s.PolygonMode = enum.PolygonModeFill
	for range 20000 {
		var c [3]point
		x, y := random.Int32N(240*one), random.Int32N(240*one)
		for i := range c {
			c[i] = point{x + random.Int32N(smallSize*one+1), y + random.Int32N(smallSize*one+1)}
		}
		if doubleArea(c[0], c[1], c[2]) < 0 {
			c[1], c[2] = c[2], c[1]
		}
		b := centresOf(&c)
		if random.IntN(2) == 0 {
			b.X0, b.Y1 = b.X0+random.Int32N(9), b.Y1-random.Int32N(9)
		}
		if b.Empty() {
			continue
		}
		got.Begin(s)
		want.Begin(s)
		any, ok := got.coverSmall(&c, b)
		edges := [3]edge{edgeOf(c[0], c[1]), edgeOf(c[1], c[2]), edgeOf(c[2], c[0])}
		if covers := want.cover(&want.primitive, edges[:], b); !ok || any != covers {
			t.Fatalf("%v in %v: covered %v, want %v; small %v", c, b, any, covers, ok)
		}
		for n := range got.tiles {
			if !slices.Equal(got.Tile(n), want.Tile(n)) {
				t.Fatalf("%v in %v has the items %x in tile %d, want %x", c, b, got.Tile(n), n, want.Tile(n))
			}
		}
		if got.Bytes() != want.Bytes() {
			t.Fatalf("%v in %v has %d bytes, want %d", c, b, got.Bytes(), want.Bytes())
		}
	}
}

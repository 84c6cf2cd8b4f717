package raster

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// TestSmallPolygons compares the items of small triangles and parallelograms with those of the hierarchical traversal: polygons in
// one tile and across tiles, at the ends of the largest framebuffer and partly outside of it, with corners at and near the centres of
// pixels, and parts of their bounding boxes.
func TestSmallPolygons(t *testing.T) {
	if !hasBlockMask {
		t.Skip("small polygons have a path of their own with AVX2, which this processor lacks")
	}
	random := rand.New(rand.NewPCG(1, 2))
	var got, want Rasterizer
	compared := 0
	for n := range 24000 {
		s := state(1, 256, 256)
		x, y := random.Int32N(240*one), random.Int32N(240*one)
		switch n % 12 {
		case 0: // far from the origin, where edge functions at pixel (0, 0) do not have 32 bits
			s = state(1, 16384, 64)
			x, y = (16384-random.Int32N(300))*one-random.Int32N(one), random.Int32N(60*one)
		case 1:
			s = state(1, 64, 16384)
			x, y = random.Int32N(60*one), (16384-random.Int32N(300))*one-random.Int32N(one)
		case 2: // partly outside
			x, y = random.Int32N(30*one)-15*one, (256-random.Int32N(30))*one
		}
		s.PolygonMode, s.Runs = enum.PolygonModeFill, true
		got.Begin(s)
		grid := int32(1) << random.IntN(SubPixelBits+1) // sub-pixels between corners
		near := func(size int32) point {
			at := func(from int32) int32 { return from + random.Int32N(size*one/grid+1)*grid }
			return point{at(x), at(y)}
		}
		if grid > 1 {
			x, y = x&^(one-1)+centre, y&^(one-1)+centre
		}
		c := []point{near(smallSize), near(smallSize), near(smallSize)}
		if random.IntN(2) == 0 {
			c = []point{near(smallSize / 2), near(smallSize / 2), near(smallSize), {}}
			c[3] = point{c[0].x + c[2].x - c[1].x, c[0].y + c[2].y - c[1].y}
			if random.IntN(2) == 0 {
				c = []point{{x, y}, {c[2].x, y}, c[2], {x, c[2].y}}
			}
		}
		if doubleArea(c[0], c[1], c[2]) < 0 {
			slices.Reverse(c)
		}
		b := got.boundsOf(c)
		if random.IntN(2) == 0 {
			b.X0, b.Y1 = b.X0+random.Int32N(9), b.Y1-random.Int32N(9)
		}
		if b = b.Intersect(s.Area); b.Empty() {
			continue
		}
		want.Begin(s)
		any, ok := got.coverSmall(c, b)
		if !ok {
			continue
		}
		compared++
		edges := make([]edge, len(c))
		for i := range c {
			edges[i] = edgeOf(c[i], c[(i+1)%len(c)])
		}
		if covers := want.cover(&want.primitive, edges, b); any != covers {
			t.Fatalf("%v in %v: covered %v, want %v", c, b, any, covers)
		}
		sameItems(t, &got, &want, c, b)
	}
	if compared < 10000 {
		t.Errorf("%d polygons are small", compared)
	}
}

// sameItems compares the items of two rasterizers for a polygon in a rectangle.
func sameItems(t *testing.T, got, want *Rasterizer, c []point, b Rect) {
	t.Helper()
	for n := range got.tiles {
		if !slices.Equal(got.Tile(n), want.Tile(n)) {
			t.Fatalf("%v in %v has the items %x in tile %d, want %x", c, b, got.Tile(n), n, want.Tile(n))
		}
	}
	if got.words != want.words {
		t.Fatalf("%v in %v has %d words of items, want %d", c, b, got.words, want.words)
	}
}

// TestSquares compares the items of points within one block with those of the hierarchical traversal.
func TestSquares(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var got, want Rasterizer
	s := state(1, 200, 200)
	compared := 0
	for range 20000 {
		got.Begin(s)
		want.Begin(s)
		at, size := point{random.Int32N(210*one) - 5*one, random.Int32N(210*one) - 5*one}, random.Int32N(Block*one)
		c := []point{at, {at.x + size, at.y}, {at.x + size, at.y + size}, {at.x, at.y + size}}
		any, ok := got.coverSquare(&got.primitive, c[0], c[2])
		if !ok {
			continue
		}
		compared++
		edges := []edge{edgeOf(c[0], c[1]), edgeOf(c[1], c[2]), edgeOf(c[2], c[3]), edgeOf(c[3], c[0])}
		b := want.boundsOf(c)
		if covers := size > 0 && want.cover(&want.primitive, edges, b); any != covers {
			t.Fatalf("%v: covered %v, want %v", c, any, covers)
		}
		sameItems(t, &got, &want, c, b)
	}
	if compared < 10000 {
		t.Errorf("%d squares are in one block", compared)
	}
}

package raster

import (
	"math/rand"
	"slices"
	"testing"
)

// TestSplit covers tiny triangles that cross tile borders from one mask of all their pixels, and compares
// with the items of the tile-by-tile traversal.
func TestSplit(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	const side = 3 * Tile
	s := state(1, side, side)
	over := func(first, end int32) bool { return first|(Tile-1) < end-1 }
	fits := func(first, end int32) bool {
		return over(first, end) || min(first&^1, first|(Tile-1)-(Block-1))+Block >= end
	}
	at := func() int32 { return Tile*one*(1+random.Int31n(2)) - random.Int31n(tinyExtent) }
	tried := 0
	for range 20000 {
		x, y := at(), at()
		if random.Intn(3) == 0 {
			x = random.Int31n(side*one - tinyExtent)
		}
		var c [3]point
		for i := range c {
			c[i] = point{x + random.Int31n(tinyExtent+1), y + random.Int31n(tinyExtent+1)}
		}
		if doubleArea(c[0], c[1], c[2]) < 0 {
			c[1], c[2] = c[2], c[1]
		}
		single, all := &Rasterizer{}, &Rasterizer{}
		single.Begin(s)
		all.Begin(s)
		b := centresOf(&c).Intersect(single.clipRects[0].polygons)
		split := over(b.X0, b.X1) || over(b.Y0, b.Y1)
		if doubleArea(c[0], c[1], c[2]) == 0 || b.Empty() || !split || !fits(b.X0, b.X1) || !fits(b.Y0, b.Y1) {
			continue
		}
		tried++
		want := single.coverTriangle(&draft{}, c)
		if got := all.batchSplit(uint32(b.X0)|uint32(b.Y0)<<16, tinyMask(&c, b)); got != want {
			t.Fatalf("%v covers something: %t; must be %t", c, got, want)
		}
		for i := range single.Tiles() {
			if !slices.Equal(single.Tile(i), all.Tile(i)) {
				t.Fatalf("%v covers of tile %d %x; must be %x", c, i, all.Tile(i), single.Tile(i))
			}
		}
	}
	if tried < 5000 {
		t.Errorf("%d triangles lie in several tiles; want more", tried)
	}
}

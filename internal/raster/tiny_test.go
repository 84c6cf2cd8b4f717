package raster

import (
	"math/rand"
	"testing"
)

// TestTinyMask compares the masks of tiny triangles with the edge functions' values, at random positions and
// for random parts of the bounding box.
func TestTinyMask(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 300000 {
		x, y := random.Int31n(1<<22), random.Int31n(1<<22)
		var c [3]point
		for i := range c {
			c[i] = point{x + random.Int31n(tinyExtent+1), y + random.Int31n(tinyExtent+1)}
			if random.Intn(4) == 0 {
				c[i].x = x + tinyExtent*random.Int31n(2)
			}
			if random.Intn(4) == 0 {
				c[i].y = y + tinyExtent*random.Int31n(2)
			}
		}
		if doubleArea(c[0], c[1], c[2]) < 0 {
			c[1], c[2] = c[2], c[1]
		}
		b := centresOf(&c)
		if random.Intn(2) == 0 {
			b.X0, b.Y1 = b.X0+random.Int31n(3), b.Y1-random.Int31n(3)
		}
		if doubleArea(c[0], c[1], c[2]) == 0 || b.Empty() {
			continue
		}
		want := uint64(0)
		for j := b.Y0; j < b.Y1; j++ {
			for i := b.X0; i < b.X1; i++ {
				inside := true
				for k := range c {
					e := edgeOf(c[k], c[(k+1)%3])
					inside = inside && e.at(point{centre, centre})+e.a*int64(i)+e.b*int64(j) >= 0
				}
				if inside {
					want |= 1 << (Block*(j-b.Y0) + i - b.X0)
				}
			}
		}
		if got := tinyMask(&c, b); got != want {
			t.Fatalf("%v in %v covers %#x; must be %#x", c, b, got, want)
		}
	}
}

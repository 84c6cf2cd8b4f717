package raster

import (
	"math/rand"
	"testing"
)

// TestTinyRectangle compares the items of tiny polygons of four corners with those of the hierarchical traversal, for all and for a part of
// their bounding boxes, at random positions: parallelograms, and corners in any place.
func TestTinyRectangle(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	var got, want Rasterizer
	s, compared := state(1, 256, 16384), 0
	for range 40000 {
		x, y := random.Int31n(250*one), random.Int31n(16380*one)
		var c [4]point
		for i := range c {
			c[i] = point{x + random.Int31n(tinyExtent+1), y + random.Int31n(tinyExtent+1)}
			if random.Intn(4) == 0 {
				c[i] = point{x + tinyExtent*random.Int31n(2), y + tinyExtent*random.Int31n(2)}
			}
			if random.Intn(4) == 0 {
				c[i].x, c[i].y = c[i].x&^(one-1)+centre, c[i].y&^(one-1)+centre
			}
		}
		if random.Intn(2) == 0 {
			c[3] = point{c[0].x + c[2].x - c[1].x, c[0].y + c[2].y - c[1].y}
		}
		if doubleArea(c[0], c[1], c[2]) < 0 {
			c[1], c[3] = c[3], c[1]
		}
		got.Begin(s)
		want.Begin(s)
		b := got.boundsOf(c[:])
		if random.Intn(2) == 0 {
			b.X0, b.Y1 = b.X0+random.Int31n(3), b.Y1-random.Int31n(3)
		}
		if b = b.Intersect(s.Area); b.Empty() {
			continue
		}
		any, ok := got.coverTinyRectangle(&c, b)
		if !ok {
			continue
		}
		compared++
		edges := []edge{edgeOf(c[0], c[1]), edgeOf(c[1], c[2]), edgeOf(c[2], c[3]), edgeOf(c[3], c[0])}
		if covers := want.cover(&want.primitive, edges, b); any != covers {
			t.Fatalf("%v in %v: covered %v, want %v", c, b, any, covers)
		}
		sameItems(t, &got, &want, c[:], b)
	}
	if compared < 10000 {
		t.Errorf("%d polygons are tiny", compared)
	}
}

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

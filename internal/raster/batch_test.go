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

// TestTinySlots compares the items, the primitives' slots, the copied records and the roles of tiny triangles with the path of
// all triangles, for records with and without whole locations, each provoking vertex, and tiles that take turns.
func TestTinySlots(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	s := state(1, 3*Tile, 2*Tile)
	for size := range maxTinyCopy + 6 {
		const vertices, skip = 50, 4
		v := Records{Layout: Layout{Stride: skip + size, Skip: skip, Viewport: -1, Layer: -1}, Words: make([]uint32, vertices*(skip+size))}
		for i := range v.Words {
			v.Words[i] = random.Uint32()
		}
		fast, all := &Rasterizer{}, &Rasterizer{}
		var p BatchParams
		for _, r := range []*Rasterizer{fast, all} {
			r.Begin(s)
			if !r.BatchVertices(v, &p) {
				t.Fatal("the state does not permit batches")
			}
		}
		tile := int32(0)
		for i := range uint32(300) {
			if random.Intn(3) == 0 {
				tile = random.Int31n(6)
			}
			n := random.Perm(vertices)
			c := [3]uint32{uint32(n[0]), uint32(n[1]), uint32(n[2])}
			provoking, position, mask := c[random.Intn(3)], random.Uint32(), random.Uint64()
			if random.Intn(20) == 0 {
				provoking = uint32(n[3])
			}
			q, roles := fast.addTiny(tile, position, mask, &c, provoking)
			all.chunk = nil
			all.batchTiny(tile, position, mask)
			want, wantRoles := all.commitVaryings(&c, provoking)
			if q.ID, want.ID = i, i; roles != wantRoles {
				t.Fatalf("%d words: triangle %d has the roles %#x; must be %#x", size, i, roles, wantRoles)
			}
		}
		for i := range fast.Tiles() {
			for k := 0; k < len(all.Tile(i)); k += 2 {
				n := Item(all.Tile(i)[k:]).Primitive()
				if len(fast.Tile(i)) <= k || fast.Tile(i)[k] != all.Tile(i)[k] || fast.Tile(i)[k+1] != all.Tile(i)[k+1] {
					t.Fatalf("%d words: tile %d has another item %d", size, i, k/2)
				}
				if fast.Primitives[n].ID != all.Primitives[n].ID {
					t.Fatalf("%d words: primitive %d has the number %d; must be %d", size, n, fast.Primitives[n].ID, all.Primitives[n].ID)
				}
				if at := 3 * int(n) * size; !slices.Equal(fast.Varyings[at:at+3*size], all.Varyings[at:at+3*size]) {
					t.Fatalf("%d words: primitive %d has other records", size, n)
				}
			}
		}
		if fast.Bytes() != all.Bytes() {
			t.Errorf("%d words: %d bytes; must be %d", size, fast.Bytes(), all.Bytes())
		}
	}
}

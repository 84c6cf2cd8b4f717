package raster

import (
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// byPrimitive returns for each PrimitiveId how many samples its items cover.
func byPrimitive(r *Rasterizer, n int) []int {
	out := make([]int, n)
	for t := range r.Tiles() {
		for list := r.Tile(t); len(list) > 0; list = list[ItemWords(1, r.state.Inner):] {
			p := &r.Primitives[Item(list).Primitive()]
			for m := list[1]; m != 0; m &= m - 1 {
				out[p.ID]++
			}
		}
	}
	return out
}

// TestItemsOfPrimitives covers many tiles with triangles (some clipped), lines and points: each item holds
// the index of its primitive.
func TestItemsOfPrimitives(t *testing.T) {
	random := rand.New(rand.NewSource(7))
	const width, height, n = 300, 200, 120
	for round := range 12 {
		s := state(1, width, height)
		s.PolygonMode, s.LineWidth = enum.PolygonMode(max(round%6-3, 0)), 3
		s.LineMode = enum.LineMode(round % 3)
		if round%4 == 3 {
			s.Conservative = enum.ConservativeModeOverestimate
		}
		var v [][4]float32
		for range 3 * n {
			p := inPixels(random.Float64()*width*1.4-30, random.Float64()*height*1.4-30, width, height)
			p[2] = random.Float32()*1.6 - 0.3 // some before the near plane, some beyond the far plane
			if random.Intn(8) == 0 {
				p[3] = -0.5 // not in front of the eye
			}
			v = append(v, p)
		}
		add := func(r *Rasterizer, i uint32) {
			switch a := 3 * i; i % 5 {
			case 3:
				r.Line([2]uint32{a, a + 1}, a, i)
			case 4:
				r.Point(a, i)
			default:
				r.Triangle([3]uint32{a, a + 1, a + 2}, a, i)
			}
		}
		all := &Rasterizer{}
		all.Begin(s)
		all.Vertices(records(v...))
		for i := range uint32(n) {
			add(all, i)
		}
		got := byPrimitive(all, n)
		for i := range uint32(n) {
			one := &Rasterizer{}
			one.Begin(s)
			one.Vertices(records(v...))
			add(one, i)
			want := 0
			for _, k := range picture(one, 1, width, height) {
				want += k
			}
			if got[i] != want {
				t.Fatalf("round %d: items of primitive %d cover %d samples; want %d", round, i, got[i], want)
			}
		}
	}
}

// TestRetainedTiles fills one tile after another: the memory retained for items is bounded.
func TestRetainedTiles(t *testing.T) {
	const side = 8 * Tile
	s := state(1, side, side)
	r := &Rasterizer{}
	for tile := range 64 {
		x, y := float64(tile%8*Tile)+8, float64(tile/8*Tile)+8
		r.Begin(s)
		r.Vertices(records(inPixels(x, y, side, side), inPixels(x+40, y, side, side), inPixels(x, y+40, side, side)))
		for n := range uint32(8000) {
			r.Triangle([3]uint32{0, 1, 2}, 0, n)
			r.Primitives, r.Varyings = r.Primitives[:0], r.Varyings[:0]
			clear(r.chunks)
		}
	}
	r.Begin(s)
	words := 0
	for _, list := range r.tiles {
		words += cap(list)
	}
	if words > maxRetainedWords {
		t.Errorf("%d words are kept; want up to %d", words, maxRetainedWords)
	}
}

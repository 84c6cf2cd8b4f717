package raster

import (
	"math/rand"
	"slices"
	"testing"
)

// TestRuns compares coverage with and without runs of blocks: the same pixels, fewer items, and no run
// leaves its tile.
func TestRuns(t *testing.T) {
	const width, height = 210, 150
	r := rand.New(rand.NewSource(5))
	for n := range 60 {
		samples := []int{1, 4}[n%2]
		var v [][4]float32
		for range 9 {
			v = append(v, inPixels(r.Float64()*300-45, r.Float64()*220-35, width, height))
		}
		var pictures [2][]int
		var words [2]int
		for k := range pictures {
			s := state(samples, width, height)
			s.Scissors[0] = Rect{3, 5, width - 1, height - 7}
			s.Runs = k == 1
			var x Rasterizer
			x.Begin(s)
			x.Vertices(records(v...))
			for i := range uint32(3) {
				x.Triangle([3]uint32{3 * i, 3*i + 1, 3*i + 2}, 3*i, i)
			}
			words[k] = itemWords(&x)
			for tile := range x.Tiles() {
				for list := x.Tile(tile); k == 1 && len(list) > 0; list = list[ItemWords(samples, false):] {
					item := Item(slices.Clone(list[:1]))
					below := item.TakeRun()
					if _, y := item.At(); y/Tile != (y+Block*(below+1)-1)/Tile {
						t.Fatalf("%d blocks below row %d", below, y)
					}
				}
			}
			pictures[k] = picture(&x, samples, width, height)
		}
		if !slices.Equal(pictures[0], pictures[1]) {
			t.Fatalf("triangles %v: another picture in columns", v)
		}
		if words[1] > words[0] || n == 0 && words[1] == words[0] {
			t.Errorf("triangles %v: %d words in columns, %d without", v, words[1], words[0])
		}
	}
}

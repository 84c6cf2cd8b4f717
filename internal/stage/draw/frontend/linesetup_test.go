package frontend

import (
	"bytes"
	"math/rand"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
)

// lineStates are the states on which lines of a set-up program depend.
func lineStates() map[string]*raster.State {
	list := setStates()
	// These have no program.
	for _, name := range []string{"samples", "conservative", "aligned", "no viewport", "endless", "farther", "deep", "deeper"} {
		delete(list, name)
	}
	for name, width := range map[string]float32{"wide": 2.5, "wider": 6, "widest": 1000, "thin": 0.5} {
		s := *list["plain"]
		s.LineWidth, s.LineMode = width, enum.LineModeRectangular
		list[name] = &s
	}
	short := *list["plain"]
	short.Short = true
	list["short"] = &short
	return list
}

// TestSetUpLines sets lines up by the program and one by one: tile by tile they leave the same items, primitives and records, bit for bit.
func TestSetUpLines(t *testing.T) {
	random := rand.New(rand.NewSource(4))
	const n = 3000
	words, list := strewn(random, n)
	edgeWords, edgeList := extremes(random, n)
	for _, l := range [][]primitive{list, edgeList} {
		for i := range l {
			if l[i].provoking == l[i].v[2] && random.Intn(4) > 0 { // else a vertex of its own, as primitives with outputs have
				l[i].provoking = l[i].v[random.Intn(2)]
			}
		}
	}
	for name, s := range lineStates() {
		linesAlike(t, name, s, words, list)
		linesAlike(t, name+" with extremes", s, edgeWords, edgeList)
	}
}

// linesAlike compares the lines of a state that programs set up with the rasterizer's.
func linesAlike(t *testing.T, name string, s *raster.State, words []uint32, list []primitive) {
	v := raster.Records{Layout: raster.Layout{Stride: 8, Skip: 4, Clip: -1, Cull: -1, Size: -1, Layer: -1, Viewport: -1}, Words: words}
	one := &raster.Rasterizer{}
	one.Begin(s)
	one.Vertices(v)
	for _, p := range list {
		one.Line([2]uint32(p.v[:2]), p.provoking, p.id)
	}
	for _, e := range setEngines() {
		all := &raster.Rasterizer{}
		all.Begin(s)
		var params raster.BatchParams
		if !all.BatchLines(v, &params) {
			t.Fatalf("%s: a program cannot set the lines up", name)
		}
		d := setUpBy(t, e, batchKey{lines: true}, params, v, list)
		others, empty := 0, 0
		for i, p := range list {
			b := &d.batches[i/raster.BatchSize]
			switch b[raster.BatchState][i%raster.BatchSize] {
			case raster.BatchFallback:
				others++
			case raster.BatchEmpty:
				empty++
			}
			all.BatchLine(b, uint(i), [2]uint32(p.v[:2]), p.provoking, p.id)
		}
		t.Logf("%s, %s: %d of %d lines are left to others, %d cover nothing", e.Name(), name, others, len(list), empty)
		if !slices.Equal(all.Varyings, one.Varyings) || !bytes.Equal(compose.BytesOf(all.Primitives), compose.BytesOf(one.Primitives)) || !bytes.Equal(compose.BytesOf(all.Rests), compose.BytesOf(one.Rests)) {
			for i := range min(len(one.Primitives), len(all.Primitives)) {
				if got, want := all.Primitives[i:i+1], one.Primitives[i:i+1]; !bytes.Equal(compose.BytesOf(got), compose.BytesOf(want)) {
					t.Fatalf("%s, %s: first %+v\nmust be %+v", e.Name(), name, got, want)
				}
			}
			t.Fatalf("%s, %s: other primitives or records", e.Name(), name)
		}
		for i := range one.Tiles() {
			if !slices.Equal(all.Tile(i), one.Tile(i)) {
				t.Fatalf("%s, %s: tile %d has other items", e.Name(), name, i)
			}
		}
	}
}

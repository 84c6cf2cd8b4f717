package raster

import (
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// drawn returns the coverage of one primitive as text: a line for each row of pixels.
func drawn(s *State, add func(r *Rasterizer), v ...[4]float32) string {
	r := &Rasterizer{}
	r.Begin(s)
	r.Vertices(records(v...))
	add(r)
	var b strings.Builder
	w := int(s.Area.X1)
	for i, n := range picture(r, s.Samples, w, int(s.Area.Y1)) {
		b.WriteByte(" 123456789"[n])
		if (i+1)%w == 0 {
			b.WriteByte('\n')
		}
	}
	return strings.ReplaceAll(strings.TrimRight(b.String(), "\n "), " ", ".")
}

func rows(s ...string) string { return strings.TrimRight(strings.Join(s, "\n"), ".\n") }

func TestLines(t *testing.T) {
	line := func(r *Rasterizer) { r.Line([2]uint32{0, 1}, 0, 0) }
	at := func(x, y float64) [4]float32 { return inPixels(x, y, 8, 8) }
	for name, c := range map[string]struct {
		mode  enum.LineMode
		width float32
		a, b  [4]float32
		want  string
	}{
		// A level line of width 1 from x = 1 to x = 6 through centres covers the columns of pixels with
		// their centre in between.
		"level":         {enum.LineModeRectangular, 1, at(1, 2.5), at(6, 2.5), rows("........", "........", ".11111..")},
		"back":          {enum.LineModeRectangular, 1, at(6, 2.5), at(1, 2.5), rows("........", "........", ".11111..")},
		"wide":          {enum.LineModeRectangular, 3, at(1, 3.5), at(6, 3.5), rows("........", "........", ".11111..", ".11111..", ".11111..")},
		"steep":         {enum.LineModeRectangular, 2, at(3, 1), at(3, 4), rows("........", "..11....", "..11....", "..11....")},
		"point":         {enum.LineModeRectangular, 1, at(3, 3), at(3, 3), ""},
		"diagonal":      {enum.LineModeBresenham, 1, at(0.5, 0.5), at(4.5, 4.5), rows("1.......", ".1......", "..1.....", "...1....")},
		"diagonal back": {enum.LineModeBresenham, 1, at(4.5, 4.5), at(0.5, 0.5), rows("........", ".1......", "..1.....", "...1....", "....1...")},
		// A line that ends in a pixel's diamond does not exit it.
		"diamonds": {enum.LineModeBresenham, 1, at(0.5, 1.5), at(5.5, 1.5), rows("........", "11111...")},
		"shallow":  {enum.LineModeBresenham, 1, at(0.5, 0.5), at(6.5, 2.5), rows("11......", "..111...", ".....1..")},
		"three":    {enum.LineModeBresenham, 3, at(1.5, 3.5), at(4.5, 3.5), rows("........", "........", ".111....", ".111....", ".111....")},
	} {
		s := state(1, 8, 8)
		s.LineMode, s.LineWidth = c.mode, c.width
		if got := drawn(s, line, c.a, c.b); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// TestLinePlanes interpolates over a line that crosses the eye plane, and compares with clip space.
func TestLinePlanes(t *testing.T) {
	a, b := [4]float32{-1, -0.25, 0.5, 2}, [4]float32{3, 1, 0.5, -1}
	s := state(1, 64, 64)
	r := &Rasterizer{}
	r.Begin(s)
	r.Vertices(records(a, b))
	r.Line([2]uint32{0, 1}, 0, 0)
	if itemWords(r) == 0 {
		t.Fatal("nothing covered")
	}
	p := slot{&r.Primitives[0], &r.Rests[0]}
	for i, n := range picture(r, 1, 64, 64) {
		if n == 0 {
			continue
		}
		dx, dy := float64(i%64)+0.5-float64(p.X), float64(i/64)+0.5-float64(p.Y)
		got := p.Q1.at(dx, dy) / p.W.at(dx, dy)
		// The s at which the line's x/w is the pixel's X: a.x + s·(b.x−a.x) = X·(a.w + s·(b.w−a.w)).
		x := (float64(i%64)+0.5)/32 - 1
		want := (x*2 + 1) / (4 + 3*x)
		if math.Abs(got-want) > 0.02 {
			t.Errorf("pixel %d, %d: %g of the second vertex; want %g", i%64, i/64, got, want)
		}
	}
}

func TestPoints(t *testing.T) {
	point := func(r *Rasterizer) { r.Point(0, 0) }
	if got, want := drawn(state(1, 8, 8), point, inPixels(3.5, 1.5, 8, 8)), rows("........", "...1...."); got != want {
		t.Errorf("a point of size 1:\n%s\nwant\n%s", got, want)
	}
	if got := drawn(state(1, 8, 8), point, inPixels(-0.1, 1.5, 8, 8)); got != "" {
		t.Errorf("a point whose middle is outside:\n%s", got)
	}
	v := records(inPixels(4, 3, 8, 8))
	v.Words = append(v.Words, math.Float32bits(4))
	v.Stride, v.Size = 5, 4
	r := &Rasterizer{}
	r.Begin(state(1, 8, 8))
	r.Vertices(v)
	r.Point(0, 0)
	p := slot{&r.Primitives[0], &r.Rests[0]}
	for i, n := range picture(r, 1, 8, 8) {
		x, y := i%8, i/8
		if want := x >= 2 && x < 6 && y >= 1 && y < 5; want != (n == 1) {
			t.Errorf("a point of size 4 at 4, 3: pixel %d, %d is covered %d times", x, y, n)
		}
	}
	if s, u := p.L1.at(2.5-4, 0), p.L2.at(0, 4.5-3); s != 0.125 || u != 0.875 {
		t.Errorf("PointCoord %g, %g at pixel 2, 4; want 0.125, 0.875", s, u)
	}
}

func TestPolygonModes(t *testing.T) {
	triangle := func(r *Rasterizer) { r.Triangle([3]uint32{0, 1, 2}, 0, 0) }
	at := func(x, y float64) [4]float32 { return inPixels(x, y, 8, 8) }
	s := state(1, 8, 8)
	s.PolygonMode, s.LineMode = enum.PolygonModeLine, enum.LineModeBresenham
	if got, want := drawn(s, triangle, at(0.5, 0.5), at(4.5, 0.5), at(0.5, 4.5)), rows("11111...", "1..1....", "1.1.....", "11......", "1......."); got != want {
		t.Errorf("as lines:\n%s\nwant\n%s", got, want)
	}
	s.PolygonMode = enum.PolygonModePoint
	if got, want := drawn(s, triangle, at(0.5, 0.5), at(4.5, 0.5), at(0.5, 4.5)), rows("1...1...", "........", "........", "........", "1......."); got != want {
		t.Errorf("as points:\n%s\nwant\n%s", got, want)
	}
}

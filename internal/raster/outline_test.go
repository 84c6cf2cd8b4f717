package raster

import (
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// TestClippedOutline draws a polygon that the near plane cuts in the modes line and point: it has the edge and the
// corners that clipping makes (Vulkan, Primitive Clipping; VkPolygonMode).
func TestClippedOutline(t *testing.T) {
	triangle := func(r *Rasterizer) { r.Triangle([3]uint32{0, 1, 2}, 0, 0) }
	at := func(x, y float64, z float32) [4]float32 {
		p := inPixels(x, y, 8, 8)
		p[2] = z
		return p
	}
	v := [][4]float32{at(0.5, 0.5, 0.5), at(6.5, 0.5, -0.5), at(0.5, 6.5, 0.5)}
	s := state(1, 8, 8)
	for _, c := range []struct {
		polygon enum.PolygonMode
		line    enum.LineMode
		want    string
	}{
		{enum.PolygonModeLine, enum.LineModeBresenham, rows("1111....", "1..1....", "1..1....", "1..1....", "1.1.....", "11......", "1.......")},
		{enum.PolygonModePoint, enum.LineModeDefault, rows("1..1....", "........", "........", "...1....", "........", "........", "1.......")},
	} {
		s.PolygonMode, s.LineMode = c.polygon, c.line
		if got := drawn(s, triangle, v...); got != c.want {
			t.Errorf("mode %d:\n%s\nwant\n%s", c.polygon, got, c.want)
		}
	}
	// The sides of the viewport clip no polygon.
	s.PolygonMode, s.LineMode = enum.PolygonModeLine, enum.LineModeBresenham
	if got, want := drawn(s, triangle, at(4.5, 2.5, 0.5), at(12.5, 2.5, 0.5), at(4.5, 10.5, 0.5)), rows("........", "........", "....1111", "....1...", "....1...", "....1...", "....1...", "....1..1"); got != want {
		t.Errorf("over the viewport's sides:\n%s\nwant\n%s", got, want)
	}
	// A side of the guard band is no edge, even if the viewport reaches as far and lines are wide.
	s.LineMode, s.LineWidth = enum.LineModeRectangular, 40
	s.Viewports[0] = Viewport{-40000, 0, 80000, 8, 0, 1}
	s.Area.X1, s.Scissors[0].X1 = 32760, 32760
	far := func(x, y float32) [4]float32 { return [4]float32{x / 40000, y/4 - 1, 0.5, 1} }
	r := &Rasterizer{}
	r.Begin(s)
	r.Vertices(records(far(32700.5, 1.5), far(39000.5, 1.5), far(32700.5, 6.5)))
	triangle(r)
	eachCovered(r, func(p slot, x, y float64) {
		if p.Flags>>ThirdShift&3 == 2 {
			t.Errorf("a side of the guard band covers %g, %g", x, y)
		}
	})
}

// TestClippedOutlineWeights interpolates positions over the edges and corners of clipped polygons: they are where the
// pixels are.
func TestClippedOutlineWeights(t *testing.T) {
	random := rand.New(rand.NewSource(8))
	const size = 64
	made := 0
	for round := range 400 {
		var v [3][4]float32
		for i := range v {
			w := float32(1 + 2*random.Float64())
			v[i] = [4]float32{w * float32(2*random.Float64()-1), w * float32(2*random.Float64()-1), w * float32(3*random.Float64()-1), w}
		}
		s := state(1, size, size)
		s.PolygonMode = enum.PolygonMode(1 + round%2)
		s.LineMode = []enum.LineMode{enum.LineModeBresenham, enum.LineModeRectangular, enum.LineModeRectangularSmooth}[round%3]
		if round%5 == 0 {
			s.Stipple = Stipple{2, 0x3333}
		}
		r := &Rasterizer{}
		r.Begin(s)
		r.Vertices(records(v[:]...))
		r.Triangle([3]uint32{0, 1, 2}, 0, 0)
		eachCovered(r, func(p slot, x, y float64) {
			if p.Flags>>ThirdShift&3 != 2 || p.Provoking() != 0 {
				return
			}
			made++
			dx, dy := x-float64(p.X), y-float64(p.Y)
			q, l := [3]float64{1: p.Q1.at(dx, dy), 2: p.Q2.at(dx, dy)}, [3]float64{1: p.L1.at(dx, dy), 2: p.L2.at(dx, dy)}
			if p.Flags&Perspective != 0 {
				q[1], q[2] = q[1]/p.W.at(dx, dy), q[2]/p.W.at(dx, dy)
			}
			q[0], l[0] = 1-q[1]-q[2], 1-l[1]-l[2]
			var at [4]float64 // in clip coordinates
			var flat [2]float64
			for i := range v {
				for k := range at {
					at[k] += float64(q[i] * float64(v[i][k]))
				}
				for k := range flat {
					flat[k] += float64(l[i]*float64(v[i][k])) / float64(v[i][3])
				}
			}
			z := p.Z.at(dx, dy)
			for k, want := range [2]float64{x, y} {
				clip, linear := (at[k]/at[3]+1)*size/2, (flat[k]+1)*size/2
				if math.Abs(clip-want) > 1.5 || math.Abs(linear-want) > 1.5 || math.Abs(at[2]/at[3]-z) > 1e-3 || math.Abs(z*(1-z)) > 1e-3 {
					t.Fatalf("round %d, %v: coordinate %d of a pixel is %g by perspective, %g by linear weights; want %g. Depth %g, interpolated %g", round, v, k, clip, linear, want, z, at[2]/at[3])
				}
			}
		})
	}
	if made < 1000 {
		t.Errorf("%d pixels of edges and corners that clipping made", made)
	}
}

// TestClippedCornerSize draws a polygon that the near plane cuts in the mode point: its vertices have the sizes of their own, and the
// corners that clipping makes that of the provoking vertex.
func TestClippedCornerSize(t *testing.T) {
	v := Records{Layout: positionOnly}
	v.Stride, v.Size = 5, 4
	for _, c := range [][5]float32{{4, 4, 0.5, 1, 4}, {28, 4, -0.5, 1, 8}, {4, 28, 0.5, 1, 2}} {
		for _, x := range [5]float32{c[0]/16 - 1, c[1]/16 - 1, c[2], c[3], c[4]} {
			v.Words = append(v.Words, math.Float32bits(x))
		}
	}
	for provoking, size := range []int{4, 8, 2} {
		s := state(1, 32, 32)
		s.PolygonMode = enum.PolygonModePoint
		r := &Rasterizer{}
		r.Begin(s)
		r.Vertices(v)
		r.Triangle([3]uint32{0, 1, 2}, uint32(provoking), 0)
		// The plane z = 0 cuts both edges of the second vertex in the middle.
		squares := [][3]int{{4, 4, 4}, {4, 28, 2}, {16, 4, size}, {16, 16, size}}
		for i, n := range picture(r, 1, 32, 32) {
			x, y, want := i%32, i/32, 0
			for _, q := range squares {
				if half := q[2] / 2; x >= q[0]-half && x < q[0]+half && y >= q[1]-half && y < q[1]+half {
					want++
				}
			}
			if n != want {
				t.Errorf("provoking vertex %d: pixel %d, %d is covered %d times; want %d", provoking, x, y, n, want)
			}
		}
	}
}

// eachCovered calls f for the centre of each covered pixel, with its primitive.
func eachCovered(r *Rasterizer, f func(p slot, x, y float64)) {
	for tile := range r.Tiles() {
		for list := r.Tile(tile); len(list) > 0; list = list[ItemWords(1, false):] {
			item := Item(list)
			x, y := item.At()
			for bit := range 64 {
				if item[1]>>bit&1 != 0 {
					f(slot{&r.Primitives[item.Primitive()], &r.Rests[item.Primitive()]}, float64(x+bit%Block)+0.5, float64(y+bit/Block)+0.5)
				}
			}
		}
	}
}

package raster

import (
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// conservativeItems returns per pixel how often it is covered, and how often fully.
func conservativeItems(t *testing.T, r *Rasterizer, samples, side int) (covered, inner []int) {
	t.Helper()
	covered, inner = make([]int, side*side), make([]int, side*side)
	for i := range r.Tiles() {
		for list := r.Tile(i); len(list) > 0; list = list[ItemWords(samples, true):] {
			x, y := Item(list).At()
			for k := range 64 {
				for n := range samples {
					if list[1+n]>>k&1 != list[1]>>k&1 {
						t.Fatal("samples of one pixel fare differently")
					}
				}
				at := (y+k/8)*side + x + k%8
				if list[1]>>k&1 != 0 {
					covered[at]++
				}
				if list[1+samples]>>k&1 != 0 {
					inner[at]++
				}
			}
		}
	}
	return covered, inner
}

// TestInner compares overestimated coverage, underestimated coverage and full coverage with an exact overlap test of squares and triangles
// by separating lines: along an edge or an axis. A square that touches a triangle overlaps it. A square is inside if its corners are, and
// none is on an edge. Vertices of some triangles are at corners and sides of pixels.
func TestInner(t *testing.T) {
	const side = 40
	random := rand.New(rand.NewPCG(3, 5))
	for k := range 600 {
		samples := 1 + 3*(k%2)
		grid := []int{1, 1, one / 4, one}[k/30%4]
		s := state(samples, side, side)
		s.Conservative, s.Inner, s.Aligned = enum.ConservativeModeOverestimate, true, k%3 == 0
		extra := 0
		if k%5 == 0 {
			s.ExtraSize, extra = 1.5, one*3/2
		}
		var c [3]point
		var at [3][4]float32
		for i := range c {
			c[i] = point{int32(random.IntN(side*one/grid) * grid), int32(random.IntN(side*one/grid) * grid)}
			at[i] = inPixels(float64(c[i].x)/one, float64(c[i].y)/one, side, side)
		}
		area := doubleArea(c[0], c[1], c[2])
		if area < 0 {
			c[1], c[2] = c[2], c[1]
		}
		draw := func() (covered, inner []int) {
			r := &Rasterizer{}
			r.Begin(s)
			r.Vertices(records(at[:]...))
			r.Triangle([3]uint32{0, 1, 2}, 0, 0)
			return conservativeItems(t, r, samples, side)
		}
		covered, inner := draw()
		s.Conservative = enum.ConservativeModeUnderestimate
		under, same := draw()
		for i := range covered {
			x, y := i%side*one, i/side*one
			// E is the edges' function at a corner of the square; with the extra size the square is larger.
			outside, whole := area == 0, area != 0
			for n := range c {
				p, q := c[n], c[(n+1)%3]
				most, least := int64(-1)<<62, int64(1)<<62
				for corner := range 4 {
					for grow := range 2 {
						dx, dy := corner%2*one, corner/2*one
						if grow > 0 {
							dx, dy = dx+(corner%2*2-1)*extra, dy+(corner/2*2-1)*extra
						}
						e := int64(q.x-p.x)*(int64(y+dy)-int64(p.y)) - int64(q.y-p.y)*(int64(x+dx)-int64(p.x))
						if most = max(most, e); grow == 0 {
							least = min(least, e)
						}
					}
				}
				outside, whole = outside || most < 0, whole && least > 0
			}
			low, high := point{min(c[0].x, c[1].x, c[2].x), min(c[0].y, c[1].y, c[2].y)}, point{max(c[0].x, c[1].x, c[2].x), max(c[0].y, c[1].y, c[2].y)}
			for _, d := range [4]int{int(high.x) - x + extra, int(high.y) - y + extra, x + one + extra - int(low.x), y + one + extra - int(low.y)} {
				outside = outside || d < 0
			}
			if want := map[bool]int{true: 0, false: 1}[outside]; covered[i] != want {
				t.Fatalf("triangle %v, extra size %d: pixel %d, %d is covered %d times; want %d", c, extra, i%side, i/side, covered[i], want)
			}
			if want := map[bool]int{true: 1}[whole]; inner[i] != want || under[i] != want || same[i] != want {
				t.Fatalf("triangle %v: pixel %d, %d is wholly covered %d, %d and %d times; want %d", c, i%side, i/side, inner[i], under[i], same[i], want)
			}
		}
	}
}

// TestConservativeClipped clips triangles at the near plane: the rest is covered as one polygon, no pixel
// twice.
func TestConservativeClipped(t *testing.T) {
	const side = 64
	random := rand.New(rand.NewPCG(1, 9))
	total := 0
	for range 300 {
		s := state(1, side, side)
		s.Conservative, s.Inner, s.DepthClip = enum.ConservativeModeOverestimate, true, true
		r := &Rasterizer{}
		r.Begin(s)
		var at [3][4]float32
		for i := range at {
			at[i] = [4]float32{random.Float32()*2 - 1, random.Float32()*2 - 1, random.Float32() - 0.5, 1}
		}
		r.Vertices(records(at[:]...))
		r.Triangle([3]uint32{0, 1, 2}, 0, 0)
		covered, inner := conservativeItems(t, r, 1, side)
		for i, n := range covered {
			if n > 1 || inner[i] > n {
				t.Fatalf("triangle %v: pixel %d, %d is covered %d times, wholly %d", at, i%side, i/side, n, inner[i])
			}
			total += n
		}
	}
	if total < 10000 {
		t.Errorf("only %d pixels", total)
	}
}

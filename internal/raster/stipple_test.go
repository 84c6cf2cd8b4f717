package raster

import (
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// path is a list of points, in pixels, connected by lines.
type path [][2]float64

// lines covers the lines of a path: as a strip, or each one as a strip of its own.
func lines(s *State, c path, strip bool) *Rasterizer {
	r := &Rasterizer{}
	r.Begin(s)
	var v [][4]float32
	for _, p := range c {
		v = append(v, inPixels(p[0], p[1], s.Area.X1, s.Area.Y1))
	}
	r.Vertices(records(v...))
	for i := range uint32(len(c) - 1) {
		if i == 0 || !strip {
			r.ResetStipple()
		}
		r.Line([2]uint32{i, i + 1}, i, i)
	}
	return r
}

// drawnPath returns how often each pixel is covered.
func drawnPath(s *State, c path, strip bool) []int {
	return picture(lines(s, c, strip), 1, int(s.Area.X1), int(s.Area.Y1))
}

func randomPath(r *rand.Rand, n int, size float64) (c path) {
	for range n {
		c = append(c, [2]float64{math.Round(r.Float64()*size*16) / 16, math.Round(r.Float64()*size*16) / 16})
	}
	return c
}

// lit is the rule of the specification: whether bit ⌊s/r⌋ mod 16 of the pattern is 1.
func lit(s *Stipple, n int) bool { return s.Pattern>>(n/int(s.Factor)%16)&1 == 1 }

// TestStippleBresenham counts fragments from the begin of each line; in a strip the count continues (Vulkan,
// Line Stipple).
func TestStippleBresenham(t *testing.T) {
	random := rand.New(rand.NewSource(5))
	for round := range 400 {
		c := randomPath(random, 4, 64)
		s := state(1, 64, 64)
		s.LineMode = enum.LineModeBresenham
		strip := round%2 == 0
		want := make([]int, 64*64)
		st := Stipple{Factor: uint32(1 + random.Intn(5)), Pattern: uint16(random.Intn(1 << 16))}
		n := 0
		for i := range len(c) - 1 {
			steep := math.Abs(c[i+1][1]-c[i][1]) > math.Abs(c[i+1][0]-c[i][0])
			axis := 0
			if steep {
				axis = 1
			}
			var list [][2]int
			for k, there := range drawnPath(s, c[i:i+2], false) {
				if there > 0 {
					list = append(list, [2]int{k % 64, k / 64})
				}
			}
			slices.SortFunc(list, func(a, b [2]int) int {
				if c[i+1][axis] < c[i][axis] {
					a, b = b, a
				}
				return a[axis] - b[axis]
			})
			if !strip {
				n = 0
			}
			for _, at := range list {
				if lit(&st, n) {
					want[at[1]*64+at[0]]++
				}
				n++
			}
		}
		s.Stipple = st
		if got := drawnPath(s, c, strip); !slices.Equal(got, want) {
			t.Fatalf("%v, %+v, strip %t: not what the specification says", c, st, strip)
		}
	}
}

// TestStippleScissor cuts off the begin of a line by a scissor, which does not clip: the counter is
// unaffected.
func TestStippleScissor(t *testing.T) {
	for _, mode := range []enum.LineMode{enum.LineModeBresenham, enum.LineModeRectangular} {
		s := state(1, 40, 8)
		s.LineMode, s.Stipple = mode, Stipple{3, 0x9a35}
		c := path{{1, 2.5}, {38, 4.25}}
		all := drawnPath(s, c, true)
		s.Scissors[0] = Rect{17, 0, 40, 8}
		for i, n := range drawnPath(s, c, true) {
			if want := all[i]; i%40 >= 17 && n != want || i%40 < 17 && n != 0 {
				t.Fatalf("mode %d: pixel %d, %d is covered %d times; without a scissor %d", mode, i%40, i/40, n, want)
			}
		}
	}
}

// TestStippleCorner begins lines on a corner of a diamond. The specification moves the ends by (−ε, −ε²), so
// that a start at (4, 4.5) is in the diamond of pixel 3 and a start at (0, 4.5) in the diamond of pixel −1. That
// fragment is the line's first, also if it is outside of the framebuffer.
func TestStippleCorner(t *testing.T) {
	for _, start := range []float64{0, 4} {
		s := state(1, 16, 16)
		s.LineMode, s.Stipple = enum.LineModeBresenham, Stipple{1, 0x000e} // the first fragment is not lit, the next three are
		got := drawnPath(s, path{{start, 4.5}, {start + 8, 4.5}}, false)
		for x := range 16 {
			want := 0
			if n := x - (int(start) - 1); n >= 1 && n <= 3 {
				want = 1
			}
			if got[4*16+x] != want {
				t.Errorf("line from (%v, 4.5): pixel %d is covered %d times; want %d", start, x, got[4*16+x], want)
			}
		}
	}
}

// TestStippleRectangles compares with distances along the line: rectangles of unit length are adjacent, and
// the rest of the last one belongs to the next line.
func TestStippleRectangles(t *testing.T) {
	random := rand.New(rand.NewSource(6))
	for round := range 300 {
		c := randomPath(random, 3, 64)
		s := state(1, 64, 64)
		s.LineMode, s.LineWidth = []enum.LineMode{enum.LineModeDefault, enum.LineModeRectangular}[round%2], 1+4*random.Float32()
		strip := round%3 > 0
		st := Stipple{Factor: uint32(1 + random.Intn(6)), Pattern: uint16(random.Intn(1 << 16))}
		var want, unsure [64 * 64]int
		behind := 0.0
		for i := range 2 {
			a, b := c[i], c[i+1]
			dx, dy := b[0]-a[0], b[1]-a[1]
			length := math.Hypot(dx, dy)
			if !strip {
				behind = 0
			}
			for k, there := range drawnPath(s, c[i:i+2], false) {
				if there == 0 {
					continue
				}
				d := behind + ((float64(k%64)+0.5-a[0])*dx+(float64(k/64)+0.5-a[1])*dy)/length
				if e := math.Abs(d - math.Round(d)); e < 1./64 {
					unsure[k] = 1
				}
				if lit(&st, int(math.Max(d, 0))) {
					want[k]++
				}
			}
			behind += length
		}
		s.Stipple = st
		for k, n := range drawnPath(s, c, strip) {
			if n != want[k] && unsure[k] == 0 {
				t.Fatalf("%v, width %g, %+v, strip %t: pixel %d, %d is covered %d times; want %d", c, s.LineWidth, st, strip, k%64, k/64, n, want[k])
			}
		}
	}
}

// TestStippleWhole draws with a pattern of all ones: nothing is removed.
func TestStippleWhole(t *testing.T) {
	random := rand.New(rand.NewSource(8))
	for round := range 100 {
		c := randomPath(random, 5, 90)
		s := state(1, 64, 64)
		s.LineMode, s.LineWidth = enum.LineMode(round%3), float32(1+round%4)
		want := drawnPath(s, c, true)
		s.Stipple = Stipple{Factor: uint32(1 + round), Pattern: 0xffff}
		if !slices.Equal(drawnPath(s, c, true), want) {
			t.Fatalf("%v, mode %d: a pattern of ones takes something away", c, s.LineMode)
		}
	}
}

// TestStipplePolygon draws a polygon's edges: they are a strip.
func TestStipplePolygon(t *testing.T) {
	s := state(1, 12, 12)
	s.PolygonMode, s.LineMode, s.Stipple = enum.PolygonModeLine, enum.LineModeBresenham, Stipple{2, 0x5555}
	at := func(x, y float64) [4]float32 { return inPixels(x, y, 12, 12) }
	triangle := func(r *Rasterizer) {
		r.Triangle([3]uint32{0, 1, 2}, 0, 0)
	}
	// Fragments 0 to 2 are along the top, from the left, 3 to 5 down the slope and 6 to 8 up
	// the left; of four, the first two are drawn.
	want := rows("............", ".11.........", ".1.1........", "..1.........")
	if got := drawn(s, triangle, at(1.5, 1.5), at(4.5, 1.5), at(1.5, 4.5)); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

// TestStippleHostile draws very long lines: the time is bounded.
func TestStippleHostile(t *testing.T) {
	s := state(1, 64, 64)
	s.Stipple = Stipple{1, 0x5555}
	for _, mode := range []enum.LineMode{enum.LineModeBresenham, enum.LineModeRectangular, enum.LineModeRectangularSmooth} {
		s.LineMode = mode
		for range 200 {
			drawnPath(s, path{{-30000, -29990}, {30000, 30010}, {-30000, 20}, {30000, 21}, {5, 5}, {5, 5}}, true)
		}
	}
}

package raster

import (
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// covering returns the part of each pixel that smooth lines along a path cover, and its number of fragments.
func covering(s *State, c path, strip bool) (part []float64, fragments []int) {
	r := lines(s, c, strip)
	width := int(s.Area.X1)
	part, fragments = make([]float64, width*int(s.Area.Y1)), make([]int, width*int(s.Area.Y1))
	for t := range r.Tiles() {
		for list := r.Tile(t); len(list) > 0; list = list[ItemWords(1, false):] {
			x, y := Item(list).At()
			level := 1 - float64(r.Primitives[Item(list).Primitive()].Flags>>SmoothShift)/SmoothLevels
			for k := range 64 {
				if list[1]>>k&1 != 0 {
					part[(y+k/8)*width+x+k%8] += level
					fragments[(y+k/8)*width+x+k%8]++
				}
			}
		}
	}
	return part, fragments
}

// overlap returns the length of pixel i's intersection with [from, to].
func overlap(i int, from, to float64) float64 {
	return max(min(to, float64(i+1))-max(from, float64(i)), 0)
}

// TestSmoothLevel covers a level line: its area in a pixel is a product.
func TestSmoothLevel(t *testing.T) {
	s := state(1, 64, 64)
	s.LineMode = enum.LineModeRectangularSmooth
	for _, width := range []float32{1, 1.5, 3, 7.25} {
		s.LineWidth = width
		part, _ := covering(s, path{{3.25, 20.375}, {50.5, 20.375}}, false)
		for i, got := range part {
			want := overlap(i%64, 3.25, 50.5) * overlap(i/64, 20.375-float64(width)/2, 20.375+float64(width)/2)
			if math.Abs(got-want) > 0.51/SmoothLevels {
				t.Fatalf("width %g: %g of pixel %d, %d is covered; want %g", width, got, i%64, i/64, want)
			}
		}
	}
}

// TestSmoothArea compares with the count of many points of each pixel inside the rectangle; each pixel has
// one fragment.
func TestSmoothArea(t *testing.T) {
	random := rand.New(rand.NewSource(9))
	const fine = 32
	for range 12 {
		s := state(1, 48, 48)
		s.LineMode, s.LineWidth = enum.LineModeRectangularSmooth, 1+4*random.Float32()
		c := randomPath(random, 2, 48)
		dx, dy := c[1][0]-c[0][0], c[1][1]-c[0][1]
		length := math.Hypot(dx, dy)
		part, fragments := covering(s, c, false)
		for i, got := range part {
			n := 0
			for k := range fine * fine {
				x, y := float64(i%48)+(float64(k%fine)+0.5)/fine-c[0][0], float64(i/48)+(float64(k/fine)+0.5)/fine-c[0][1]
				along, across := (x*dx+y*dy)/length, (x*dy-y*dx)/length
				if along >= 0 && along <= length && math.Abs(across) <= float64(s.LineWidth)/2 {
					n++
				}
			}
			if want := float64(n) / fine / fine; math.Abs(got-want) > 0.51/SmoothLevels+2.0/fine || fragments[i] > 1 {
				t.Fatalf("%v, width %g: %g of pixel %d, %d is covered by %d fragments; want %g", c, s.LineWidth, got, i%48, i/48, fragments[i], want)
			}
		}
	}
}

// TestSmoothStipple draws dashes of a level line; a pixel with the end of one dash and the begin of another
// has one fragment for both.
func TestSmoothStipple(t *testing.T) {
	s := state(1, 64, 64)
	s.LineMode, s.LineWidth, s.Stipple = enum.LineModeRectangularSmooth, 2, Stipple{1, 0xb5b5}
	part, fragments := covering(s, path{{3.5, 10}, {27.25, 10}, {60, 10}}, true)
	for i, got := range part {
		want := 0.0
		for k := range 57 {
			if lit(&s.Stipple, k) {
				want += overlap(i%64, 3.5+float64(k), min(4.5+float64(k), 60)) * overlap(i/64, 9, 11)
			}
		}
		if math.Abs(got-want) > 1.02/SmoothLevels || fragments[i] > 2 || fragments[i] > 1 && i%64 != 27 {
			t.Fatalf("%g of pixel %d, %d is covered by %d fragments; want %g", got, i%64, i/64, fragments[i], want)
		}
	}
}

// TestLineWidth draws with widths out of range: the nearest width in range applies, in any mode.
func TestLineWidth(t *testing.T) {
	for _, mode := range []enum.LineMode{enum.LineModeRectangular, enum.LineModeBresenham, enum.LineModeRectangularSmooth} {
		for width, want := range map[float32]int{0: 1, 1: 1, -3: 1, float32(math.NaN()): 1, 1e30: MaxLineWidth, float32(math.Inf(1)): MaxLineWidth} {
			s := state(1, 8, 300)
			s.LineMode, s.LineWidth = mode, width
			part, _ := covering(s, path{{0, 150.5}, {8, 150.5}}, false)
			sum := 0.0
			for y := range 300 {
				sum += part[8*y+4]
			}
			if sum != float64(want) {
				t.Errorf("mode %d, width %g: %g pixels; want %d", mode, width, sum, want)
			}
		}
	}
}

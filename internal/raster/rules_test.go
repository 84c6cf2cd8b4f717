package raster

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// fixed is the number of fraction bits of a coordinate of exits: ε is 2⁻⁴⁰.
const fixed = 80

// exits is the diamond-exit rule in exact numbers: whether the line from a to b, in units of 2⁻⁸⁰ pixels,
// crosses the diamond of a pixel and does not end in it. The ends are moved by (−ε, −ε²) (Vulkan, Bresenham
// Line Segment Rasterization).
func exits(a, b [2]*big.Int, x, y int64) bool {
	half := new(big.Int).Lsh(big.NewInt(1), fixed-1)
	centre := [2]*big.Int{new(big.Int).Lsh(big.NewInt(2*x+1), fixed-1), new(big.Int).Lsh(big.NewInt(2*y+1), fixed-1)}
	low, high := big.NewRat(-1, 1), big.NewRat(2, 1)
	ends := true // the end is in the diamond
	for _, s := range [4][2]int{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
		// the side function s at a point, less ½: negative inside the diamond
		side := func(p [2]*big.Int) *big.Int {
			sum := new(big.Int).Neg(half)
			for i := range p {
				d := new(big.Int).Sub(p[i], centre[i])
				if s[i] < 0 {
					d.Neg(d)
				}
				sum.Add(sum, d)
			}
			return sum
		}
		from, to := side(a), side(b)
		if from.Sign() >= 0 && to.Sign() >= 0 {
			return false // all of the line is outside
		}
		ends = ends && to.Sign() < 0
		grows := new(big.Int).Sub(to, from)
		if grows.Sign() == 0 {
			continue
		}
		at := new(big.Rat).SetFrac(from.Neg(from), grows)
		if grows.Sign() > 0 && at.Cmp(high) < 0 {
			high = at
		}
		if grows.Sign() < 0 && at.Cmp(low) > 0 {
			low = at
		}
	}
	return !ends && low.Cmp(high) < 0 && low.Cmp(big.NewRat(1, 1)) < 0 && high.Sign() > 0
}

// TestDiamondExit compares lines of several widths with the rule.
func TestDiamondExit(t *testing.T) {
	random := rand.New(rand.NewSource(10))
	const size = 16
	moved := func(p [2]float64, minor int, by float64) (out [2]*big.Int) {
		for i := range p {
			if i == minor {
				p[i] -= by // exact: multiples of 1/256
			}
			out[i] = new(big.Int).Lsh(big.NewInt(int64(p[i]*256)), fixed-8)
		}
		out[0].Sub(out[0], new(big.Int).Lsh(big.NewInt(1), fixed-40))
		out[1].Sub(out[1], big.NewInt(1))
		return out
	}
	for round := range 160 {
		fine := []float64{2, 256, 4, 1}[round%4] // coordinates in halves meet the corners of diamonds
		var c path
		for range 2 {
			c = append(c, [2]float64{math.Round(random.Float64()*size*fine) / fine, math.Round(random.Float64()*size*fine) / fine})
		}
		width := 1 + round%5
		s := state(1, size, size)
		s.LineMode, s.LineWidth = enum.LineModeBresenham, float32(width)+0.25
		minor := 1
		if math.Abs(c[1][1]-c[0][1]) > math.Abs(c[1][0]-c[0][0]) {
			minor = 0
		}
		by := float64(width-1) / 2
		a, b := moved(c[0], minor, by), moved(c[1], minor, by)
		want := make([]int, size*size)
		for x := int64(-8); x < size+8; x++ {
			for y := int64(-8); y < size+8; y++ {
				if c[0] == c[1] || !exits(a, b, x, y) {
					continue
				}
				for k := range int64(width) {
					px, py := x+k*int64(1-minor), y+k*int64(minor)
					if px >= 0 && py >= 0 && px < size && py < size {
						want[py*size+px]++
					}
				}
			}
		}
		for i, n := range drawnPath(s, c, false) {
			if n != want[i] {
				t.Fatalf("%v, width %d: pixel %d, %d is covered %d times; want %d", c, width, i%size, i/size, n, want[i])
			}
		}
	}
}

// TestRectangularLines compares lines with the rectangle of the specification, at samples
// that are not within a hundredth of a pixel of its edges.
func TestRectangularLines(t *testing.T) {
	random := rand.New(rand.NewSource(11))
	for round := range 200 {
		samples := []int{1, 4, 8}[round%3]
		s := state(samples, 48, 48)
		s.LineWidth = 1 + 6*random.Float32()
		c := randomPath(random, 2, 48)
		dx, dy := c[1][0]-c[0][0], c[1][1]-c[0][1]
		length, half := math.Hypot(dx, dy), float64(s.LineWidth)/2
		r := &Rasterizer{}
		r.Begin(s)
		r.Vertices(records(inPixels(c[0][0], c[0][1], 48, 48), inPixels(c[1][0], c[1][1], 48, 48)))
		r.Line([2]uint32{0, 1}, 0, 0)
		at := samplePoints(samples)
		for i, n := range picture(r, samples, 48, 48) {
			p := at[i%samples]
			x, y := float64(i/samples%48)+float64(p.x)/one-c[0][0], float64(i/samples/48)+float64(p.y)/one-c[0][1]
			along, across := (x*dx+y*dy)/length, math.Abs(x*dy-y*dx)/length
			within := min(along, length-along, half-across)
			if math.Abs(within) > 0.01 && (within > 0) != (n == 1) {
				t.Fatalf("%v, width %g: sample %d of pixel %d, %d is covered %d times, %g within", c, s.LineWidth, i%samples, i/samples%48, i/samples/48, n, within)
			}
		}
	}
}

// TestPointSizes compares points with the specification's square, and sizes out of range with the nearest
// size in range.
func TestPointSizes(t *testing.T) {
	nan := float32(math.NaN())
	for size, want := range map[float32]float64{1: 1, 2.5: 2.5, 7.75: 7.75, 0: 1, -4: 1, nan: 1, 0.25: 1, 1024: 1024, 5000: 1024, float32(math.Inf(1)): 1024} {
		for _, samples := range []int{1, 4} {
			const width, height = 1100, 16
			x, y := 550.25, 8.125
			s := state(samples, width, height)
			v := records(inPixels(x, y, width, height))
			v.Words = append(v.Words, math.Float32bits(size))
			v.Stride, v.Size = 5, 4
			r := &Rasterizer{}
			r.Begin(s)
			r.Vertices(v)
			r.Point(0, 0)
			at := samplePoints(samples)
			for i, n := range picture(r, samples, width, height) {
				p := at[i%samples]
				within := want/2 - max(math.Abs(float64(i/samples%width)+float64(p.x)/one-x), math.Abs(float64(i/samples/width)+float64(p.y)/one-y))
				if math.Abs(within) > 1./128 && (within > 0) != (n == 1) {
					t.Fatalf("size %g: sample %d of pixel %d, %d is covered %d times, %g within", size, i%samples, i/samples%width, i/samples/width, n, within)
				}
			}
		}
	}
}

package raster

import (
	"math"
	"math/big"
	"math/rand"
	"testing"
)

// whole returns x·2¹⁵⁷, a whole number if x is a float32.
func whole(x float64) *big.Int {
	n, _ := new(big.Float).SetMantExp(big.NewFloat(x), 157).Int(nil)
	return n
}

func times(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }

// line is a function a·x + b·y + c of a position in pixels.
type line [3]*big.Int

func (l line) negative() line {
	return line{new(big.Int).Neg(l[0]), new(big.Int).Neg(l[1]), new(big.Int).Neg(l[2])}
}

// beyond reports whether the line's function at the centre of pixel (x, y) is positive, and the distance from the line is more than
// 1.01 sub-pixels.
func (l line) beyond(x, y int) bool {
	e := times(l[0], big.NewInt(2*int64(x)+1))
	e.Add(e, times(l[1], big.NewInt(2*int64(y)+1)))
	e.Add(e, times(l[2], big.NewInt(2)))
	if e.Sign() <= 0 {
		return false
	}
	n := times(l[0], l[0])
	n.Add(n, times(l[1], l[1]))
	e.Mul(e, big.NewInt(50*one))
	return times(e, e).Cmp(times(n, big.NewInt(101*101))) > 0
}

// exactTriangle has the functions of a triangle that are positive at its inside, in whole numbers: those of the sides, which
// are 0 at two vertices, and those of depth and w − depth. With snapped set, vertices near the view are at their sub-pixels.
func exactTriangle(r *Rasterizer, n [3]uint32, snapped bool) (lines []line, ok bool) {
	t := &r.views[0]
	var h [3]line
	var z, w [3]*big.Int
	for i, k := range n {
		p := r.position(k)
		z[i], w[i] = whole(float64(p.z)), whole(float64(p.w))
		if v := r.projected[k]; snapped && v.outcode&(outEye|outGuardBand) == 0 {
			h[i] = line{times(w[i], big.NewInt(int64(v.x))), times(w[i], big.NewInt(int64(v.y))), times(w[i], big.NewInt(one))}
			continue
		}
		axis := func(x float32, k int) *big.Int { // the viewport's scale and offset are whole numbers
			s := times(whole(float64(x)), big.NewInt(one*int64(t.scale[k])))
			return s.Add(s, times(w[i], big.NewInt(one*int64(t.offset[k]))))
		}
		h[i] = line{axis(p.x, 0), axis(p.y, 1), times(w[i], big.NewInt(one))}
	}
	cross := func(a, b line) (c line) {
		for i := range c {
			j, k := (i+1)%3, (i+2)%3
			c[i] = times(a[j], b[k])
			c[i].Sub(c[i], times(a[k], b[j]))
		}
		return c
	}
	det := new(big.Int)
	near, far := line{new(big.Int), new(big.Int), new(big.Int)}, line{new(big.Int), new(big.Int), new(big.Int)}
	for i := range h {
		e := cross(h[(i+1)%3], h[(i+2)%3])
		lines = append(lines, e)
		for k := range e {
			near[k].Add(near[k], times(e[k], z[i]))
			far[k].Add(far[k], times(e[k], new(big.Int).Sub(w[i], z[i])))
			if i == 0 {
				det.Add(det, times(h[0][k], e[k]))
			}
		}
	}
	lines = append(lines, near, far)
	if det.Sign() < 0 {
		for i := range lines {
			lines[i] = lines[i].negative()
		}
	}
	return lines, det.Sign() != 0
}

// farVertex returns a vertex in one of several ways: near or far from the view, in front of the eye or not, with any exponents.
func farVertex(random *rand.Rand, depth bool) (v [4]float32) {
	power := func(most float64) float64 { return math.Exp2(math.Floor((random.Float64()*2 - 1) * most)) }
	x, y, w := random.Float64()*4-2, random.Float64()*4-2, 1.0
	switch random.Intn(6) {
	case 0:
		w = power(100)
		x, y = x*w, y*w
	case 1: // far along a direction, often a diagonal through the middle
		f := power(100)
		x, y = f*float64(random.Intn(5)-2), f*float64(random.Intn(5)-2)
	case 2:
		w = -power(100)
		x, y = x*power(100), y*power(100)
	case 3:
		x, y, w = x*power(30), y*power(30), power(30)
	case 4:
		x, y, w = x*power(100), y*power(100), power(100)
	}
	z := 0.5 * w
	if depth {
		z = (random.Float64()*2 - 0.5) * w
	}
	return [4]float32{float32(x), float32(y), float32(z), float32(w)}
}

// TestFarTriangles compares the coverage of triangles with any exponents with exact arithmetic. Samples within a sub-pixel
// of a side are not judged: clipping may snap a corner. Nor are those that depend on whether a vertex is snapped before the triangle
// is clipped. Two triangles on the two sides of an edge cover no sample twice, and leave none out along the edge.
func TestFarTriangles(t *testing.T) {
	random := rand.New(rand.NewSource(4))
	const width, height = 12, 10
	inside, pairs := 0, 0
	const rounds = 1500
	for round := range rounds {
		depth := round%3 == 0
		v := [][4]float32{farVertex(random, depth), farVertex(random, depth), farVertex(random, depth), farVertex(random, depth)}
		s := state(1, width, height)
		s.DepthClip = depth
		var counts [2][]int
		var lines [2][2][]line // of both triangles, with and without snapping
		valid := true
		for k, n := range [2][3]uint32{{0, 1, 2}, {1, 0, 3}} {
			r := &Rasterizer{}
			r.Begin(s)
			r.Vertices(records(v...))
			for m := range lines[k] {
				ok := false
				lines[k][m], ok = exactTriangle(r, n, m == 1)
				valid = valid && ok
				if !depth && ok {
					lines[k][m] = lines[k][m][:3]
				}
			}
			r.Triangle(n, 0, 0)
			counts[k] = picture(r, 1, width, height)
		}
		if !valid {
			continue
		}
		pairs++
		for i := range width * height {
			var within, all [2]bool // clearly inside of all lines; clearly inside of all but the shared edge
			for k := range lines {
				outside := true
				within[k], all[k] = true, true
				for m := range lines[k] {
					out := false
					for n, l := range lines[k][m] {
						ok := l.beyond(i%width, i/width)
						within[k] = within[k] && ok
						all[k] = all[k] && (ok || n == 2)
						out = out || l.negative().beyond(i%width, i/width)
					}
					outside = outside && out
				}
				if within[k] {
					inside++
				}
				if c := counts[k][i]; c > 1 || within[k] && c != 1 || outside && c != 0 {
					t.Fatalf("round %d: triangle %d of %v covers pixel %d, %d %d times; inside %t, outside %t", round, k, v, i%width, i/width, c, within[k], outside)
				}
			}
			// The functions of the shared edge are the third ones. The triangles are on its two sides if the functions have different signs.
			apart := true
			for m := range 2 {
				a, b := lines[0][m][2], lines[1][m][2]
				apart = apart && (a[0].Sign()*b[0].Sign() < 0 || a[1].Sign()*b[1].Sign() < 0)
			}
			if c := counts[0][i] + counts[1][i]; apart && (c > 1 || all[0] && all[1] && c != 1) {
				t.Fatalf("round %d: two triangles of %v cover pixel %d, %d %d times; want once", round, v, i%width, i/width, c)
			}
		}
	}
	t.Logf("%d samples inside in %d pairs", inside, pairs)
	if inside < 10*rounds {
		t.Errorf("%d samples are inside; want more", inside)
	}
}

// TestFarTriangleCoversAll draws a triangle with vertices at ±10²⁰ and above around the whole view, in both ways of clipping.
func TestFarTriangleCoversAll(t *testing.T) {
	for _, f := range []float32{1e3, 1e20, 1e37} {
		for _, depth := range []bool{false, true} {
			s := state(1, 16, 16)
			s.DepthClip = depth
			r := &Rasterizer{}
			r.Begin(s)
			r.Vertices(records([4]float32{-f, -f, 0.5, 1}, [4]float32{3 * f, -f, 0.5, 1}, [4]float32{-f, 3 * f, 0.5, 1}))
			r.Triangle([3]uint32{0, 1, 2}, 0, 0)
			for i, n := range picture(r, 1, 16, 16) {
				if n != 1 {
					t.Fatalf("vertices at %g: pixel %d, %d is covered %d times; want once", f, i%16, i/16, n)
				}
			}
			if p := (slot{&r.Primitives[0], &r.Rests[0]}); math.Abs(p.L1.at(8-float64(p.X), 8-float64(p.Y))-0.25) > 1e-6 {
				t.Errorf("vertices at %g: weight %v in the middle; want 0.25", f, p.L1)
			}
		}
	}
}

// TestFarLines draws lines between far ends through the middle of the view.
func TestFarLines(t *testing.T) {
	for _, c := range [][2][4]float32{
		{{-1e20, 0, 0.5, 1}, {3e20, 0, 0.5, 1}},
		{{-1e30, 1e-20, 0.5, 1}, {1, 0, 5e20, 1e21}},
		{{-1e25, 0, 0.5, 1e-10}, {7e33, 0, 0.5, 1e20}},
	} {
		s := state(1, 15, 15)
		r := &Rasterizer{}
		r.Begin(s)
		r.Vertices(records(c[:]...))
		r.Line([2]uint32{0, 1}, 0, 0)
		for i, n := range picture(r, 1, 15, 15) {
			x, y := i%15, i/15
			if want := y == 7 && (x < 7 || c[1][0] > 1); x != 7 && want != (n == 1) {
				t.Errorf("line %v: pixel %d, %d is covered %d times; inside %t", c, x, y, n, want)
			}
		}
	}
}

// TestHostileClipping clips in viewports and with distances that are no numbers or infinite.
func TestHostileClipping(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, v := range []Viewport{{0, 0, nan, 16, 0, 1}, {nan, 0, 16, 16, 0, 1}, {0, 0, inf, 16, 0, 1}, {inf, -inf, 16, 16, 0, 1}, {0, 0, 3e38, 3e38, 0, 1}, {0, 0, 16, 16, nan, inf}} {
		for _, distance := range []float32{1, nan, inf, -inf} {
			s := state(1, 16, 16)
			s.Viewports[0] = v
			r := &Rasterizer{}
			r.Begin(s)
			list := records([4]float32{-1e20, -1e20, 0.5, 1}, [4]float32{3e20, -1e20, -5, 1}, [4]float32{-1e20, 3e20, 0.5, -1e-20})
			var words []uint32
			for i := range 3 {
				words = append(append(words, list.Words[4*i:4*i+4]...), math.Float32bits(distance*float32(1-i)))
			}
			list.Words, list.Stride, list.Clip, list.ClipCount = words, 5, 4, 1
			r.Vertices(list)
			r.Triangle([3]uint32{0, 1, 2}, 0, 0)
			r.Line([2]uint32{0, 1}, 0, 0)
			r.Line([2]uint32{2, 1}, 0, 0)
		}
	}
}

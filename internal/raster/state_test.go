package raster

import (
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// covered counts the samples covered by a clockwise and by a counter-clockwise triangle.
func covered(s *State) (clockwise, counter int) {
	at := func(x, y float64) [4]float32 { return inPixels(x, y, 16, 16) }
	count := func(v [3]uint32) (n int) {
		r := &Rasterizer{}
		r.Begin(s)
		r.Vertices(records(at(2, 2), at(12, 2), at(2, 12)))
		r.Triangle(v, v[0], 0)
		for _, k := range picture(r, 1, 16, 16) {
			n += k
		}
		return n
	}
	return count([3]uint32{0, 1, 2}), count([3]uint32{0, 2, 1})
}

func TestCulling(t *testing.T) {
	for _, c := range []struct {
		front, back, clockwise bool
		cw, ccw                bool // which of the two is drawn
	}{
		{false, false, false, true, true},
		{true, false, false, true, false}, // front faces are counter-clockwise
		{false, true, false, false, true},
		{true, false, true, false, true},
		{false, true, true, true, false},
		{true, true, false, false, false},
	} {
		s := state(1, 16, 16)
		s.CullFront, s.CullBack, s.Clockwise = c.front, c.back, c.clockwise
		cw, ccw := covered(s)
		if cw > 0 != c.cw || ccw > 0 != c.ccw {
			t.Errorf("%+v: %d clockwise, %d counter-clockwise", c, cw, ccw)
		}
	}
}

func TestScissorAndViewport(t *testing.T) {
	r := &Rasterizer{}
	s := state(1, 32, 32)
	s.Scissors[0] = Rect{3, 5, 9, 17}
	s.Viewports[0] = Viewport{4, 32, 20, -32, 0.25, 0.75} // upside down, from x = 4 to 24
	r.Begin(s)
	r.Vertices(records([4]float32{-3, -3, 1, 1}, [4]float32{5, -3, 1, 1}, [4]float32{-3, 5, 1, 1}))
	r.Triangle([3]uint32{0, 1, 2}, 0, 0)
	for i, n := range picture(r, 1, 32, 32) {
		x, y := i%32, i/32
		if want := x >= 4 && x < 9 && y >= 5 && y < 17; want != (n == 1) {
			t.Fatalf("pixel %d, %d is covered %d times", x, y, n)
		}
	}
	p := slot{&r.Primitives[0], &r.Rests[0]}
	if z := p.Z.at(6-float64(p.X), 6-float64(p.Y)); math.Abs(z-0.75) > 1e-6 || p.MinZ != 0.25 || p.MaxZ != 0.75 {
		t.Errorf("depth %g of %g to %g; want 0.75 of 0.25 to 0.75", z, p.MinZ, p.MaxZ)
	}
}

// bound is a record of a position, a clip distance, a cull distance, a layer and a
// viewport.
func bound(list ...[8]float32) Records {
	v := Records{Layout: Layout{Stride: 8, Clip: 4, ClipCount: 1, Cull: 5, CullCount: 1, Layer: 6, Viewport: 7, Size: -1}}
	for _, c := range list {
		for i, x := range c {
			if i >= 6 {
				v.Words = append(v.Words, uint32(x))
				continue
			}
			v.Words = append(v.Words, math.Float32bits(x))
		}
	}
	return v
}

func TestDistancesLayersViewports(t *testing.T) {
	s := state(1, 16, 16)
	s.Viewports = append(s.Viewports, Viewport{0, 0, 8, 8, 0, 1})
	s.Scissors = append(s.Scissors, Rect{0, 0, 16, 16})
	s.Layers = 3
	draw := func(clip, cull [3]float32, layer, view float32) *Rasterizer {
		r := &Rasterizer{}
		r.Begin(s)
		r.Vertices(bound(
			[8]float32{-1, -1, 0, 1, clip[0], cull[0], layer, view},
			[8]float32{3, -1, 0, 1, clip[1], cull[1], 9, 9},
			[8]float32{-1, 3, 0, 1, clip[2], cull[2], 9, 9}))
		r.Triangle([3]uint32{0, 1, 2}, 0, 0)
		return r
	}
	pixels := func(r *Rasterizer) (n int) {
		for _, k := range picture(r, 1, 16, 16) {
			n += k
		}
		return n
	}
	// The distance is 0 at x = 8: 1 at x = 0 and −3 at x = 32.
	if n := pixels(draw([3]float32{1, -3, 1}, [3]float32{}, 0, 0)); n != 8*16 {
		t.Errorf("half is clipped: %d pixels", n)
	}
	if n := pixels(draw([3]float32{-1, -3, -1}, [3]float32{}, 0, 0)); n != 0 {
		t.Errorf("all is clipped: %d pixels", n)
	}
	nan := float32(math.NaN())
	if n := pixels(draw([3]float32{nan, nan, nan}, [3]float32{}, 0, 0)); n != 0 {
		t.Errorf("clipped by what is no number: %d pixels", n)
	}
	if n := pixels(draw([3]float32{}, [3]float32{-1, -1, -1}, 0, 0)); n != 0 {
		t.Errorf("culled: %d pixels", n)
	}
	if n := pixels(draw([3]float32{}, [3]float32{-1, 0, -1}, 0, 0)); n != 256 {
		t.Errorf("one vertex of three has no negative cull distance: %d pixels", n)
	}
	if n := pixels(draw([3]float32{}, [3]float32{}, 0, 1)); n != 64 {
		t.Errorf("the second viewport: %d pixels", n)
	}
	if n := pixels(draw([3]float32{}, [3]float32{}, 0, 2)); n != 0 {
		t.Errorf("no such viewport: %d pixels", n)
	}
	for _, layer := range []float32{3, 1 << 31, -1} {
		if p := draw([3]float32{}, [3]float32{}, layer, 0).Rests[0]; p.Layer != 2 {
			t.Errorf("layer %v of 3 is %d; must be the last one", layer, p.Layer)
		}
	}
	if r := draw([3]float32{}, [3]float32{}, 2, 1); r.Rests[0].Layer != 2 || r.Primitives[0].Viewport() != 1 {
		t.Errorf("%+v, %+v", r.Primitives[0], r.Rests[0])
	}
}

func TestDepthBias(t *testing.T) {
	for _, c := range []struct {
		b    DepthBias
		z, x float32 // greatest depth, slope
		want float64
	}{
		{DepthBias{Enable: true, Constant: 2, Bits: 16}, 0.5, 0, 2. / 65536},
		{DepthBias{Enable: true, Constant: 2, Float: true}, 0.75, 0, 2. / (1 << 24)}, // 2^(−1−23)
		{DepthBias{Enable: true, Slope: 3, Bits: 24}, 0.5, -0.25, 0.75},
		{DepthBias{Enable: true, Slope: 3, Clamp: 0.5, Bits: 24}, 0.5, 0.25, 0.5},
		{DepthBias{Enable: true, Slope: -3, Clamp: -0.5, Bits: 24}, 0.5, 0.25, -0.5},
		{DepthBias{Constant: 2, Bits: 16}, 0.5, 0, 0},
		{DepthBias{Enable: true, Constant: 2, Float: true, Scale: BiasOfFixedPoint}, 0.0001, 0, 2. / (1 << 24)}, // n is 23 + 1
		{DepthBias{Enable: true, Constant: 2, Bits: 16, Scale: BiasOfFixedPoint}, 0.5, 0, 2. / 65536},
		{DepthBias{Enable: true, Constant: 0.125, Bits: 16, Scale: BiasAbsolute}, 0.5, 0, 0.125},
		{DepthBias{Enable: true, Constant: -0.125, Float: true, Clamp: -0.0625, Scale: BiasAbsolute}, 0.5, 0, -0.0625},
		{DepthBias{Enable: true, Constant: 0.125, Clamp: float32(math.NaN()), Bits: 16, Scale: BiasAbsolute}, 0.5, 0, 0.125},
	} {
		if got := c.b.offset(&Primitive{Z: Plane{X: c.x}}, c.z); float64(got) != c.want {
			t.Errorf("%+v: %g; want %g", c.b, got, c.want)
		}
	}
}

// TestConservative draws by both modes: overestimation covers each pixel that the primitive touches, with its sides and corners,
// underestimation only the pixels inside it that touch no edge. The edges of the second triangle run along sides of pixels.
func TestConservative(t *testing.T) {
	at := func(x, y float64) [4]float32 { return inPixels(x, y, 16, 16) }
	for mode, want := range map[enum.ConservativeMode]func(x, y int) bool{
		enum.ConservativeModeOverestimate:  func(x, y int) bool { return x >= 2 && y >= 2 && x+y <= 12 && max(x, y) < 10 },
		enum.ConservativeModeUnderestimate: func(x, y int) bool { return x >= 3 && y >= 3 && x+y+2 < 12 },
	} {
		for _, first := range []float64{2.25, 3} {
			for turned := range 2 {
				s := state(4, 16, 16)
				s.Conservative = mode
				r := &Rasterizer{}
				r.Begin(s)
				r.Vertices(records(at(first, first), at(12-first, first), at(first, 12-first)))
				r.Triangle([3]uint32{0, uint32(1 + turned), uint32(2 - turned)}, 0, 0)
				for i, n := range picture(r, 4, 16, 16) {
					x, y := i/4%16, i/4/16
					in := want(x, y)
					if first == 3 && mode == enum.ConservativeModeUnderestimate {
						in = in && min(x, y) > 3
					}
					if in != (n == 1) {
						t.Errorf("mode %d, from %g: sample %d of pixel %d, %d is covered %d times", mode, first, i%4, x, y, n)
					}
				}
			}
		}
	}
}

// TestHostile draws with extreme and non-finite positions and states: nothing panics, and coverage is within the target.
func TestHostile(t *testing.T) {
	odd := []float32{0, 1, -1, 1e-38, -1e-38, 1e-45, 1e38, -1e38, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 0.5, 3e4, -3e4}
	random := rand.New(rand.NewSource(4))
	value := func() float32 {
		if random.Intn(3) == 0 {
			return odd[random.Intn(len(odd))]
		}
		return float32(random.NormFloat64() * math.Pow(10, float64(random.Intn(12)-4)))
	}
	r := &Rasterizer{}
	for range 20000 {
		s := state(1, int32(1+random.Intn(100)), int32(1+random.Intn(100)))
		s.Viewports[0] = Viewport{value(), value(), value(), value(), value(), value()}
		s.Scissors[0] = Rect{int32(random.Intn(50)), int32(random.Intn(50)), int32(random.Intn(1000)), int32(random.Intn(1000))}
		s.DepthClip = random.Intn(2) == 0
		s.PolygonMode, s.LineMode = enum.PolygonMode(random.Intn(3)), enum.LineMode(random.Intn(3))
		s.LineWidth = 1 + random.Float32()*7
		s.Conservative = enum.ConservativeMode(random.Intn(3))
		s.ExtraSize = value()
		r.Begin(s)
		var list [][8]float32
		for range 3 {
			v := [8]float32{}
			for k := range 6 {
				v[k] = value()
			}
			list = append(list, v)
		}
		r.Vertices(bound(list...))
		r.Triangle([3]uint32{0, 1, 2}, 0, 0)
		r.Line([2]uint32{0, 1}, 0, 1)
		r.Point(2, 2)
		for i := range r.Tiles() {
			for list := r.Tile(i); len(list) > 0; list = list[2:] {
				x, y := Item(list).At()
				for k := range 64 {
					if list[1]>>k&1 != 0 && (x+k%8 >= int(s.Area.X1) || y+k/8 >= int(s.Area.Y1)) {
						t.Fatalf("pixel %d, %d of %v", x+k%8, y+k/8, s.Area)
					}
				}
				if n := Item(list).Primitive(); int(n) >= len(r.Primitives) {
					t.Fatalf("primitive %d of %d", n, len(r.Primitives))
				}
			}
		}
	}
}

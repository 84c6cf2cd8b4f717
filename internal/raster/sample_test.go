package raster

import (
	"math"
	"math/rand"
	"testing"
)

// TestSampleLocations covers triangles with random custom sample locations in grids of all sizes: by the specification
// sample i of pixel (x, y) is at location (x mod width + y mod height · width) · samples + i. Standard locations and other
// grids precede each one, so that nothing of them may stay.
func TestSampleLocations(t *testing.T) {
	random := rand.New(rand.NewSource(7))
	const width, height = 72, 20
	r := &Rasterizer{}
	for n := range 48 {
		samples := []int{1, 2, 4, 8, 16, 64}[n%6]
		l := &SampleLocations{Width: 1 + n/6%2, Height: 1 + n/12%2}
		for i := range l.Points {
			l.Points[i] = [2]uint8{uint8(random.Intn(256)), uint8(random.Intn(256))}
		}
		s := state(samples, width, height)
		if n%5 > 0 {
			s.Locations = l
		}
		var v [3][4]float32
		for i := range v {
			v[i] = inPixels(random.Float64()*width*1.2-width/10, random.Float64()*height*1.5-height/4, width, height)
		}
		r.Begin(s)
		r.Vertices(records(v[:]...))
		var c [3][2]int64
		for i := range c {
			c[i] = [2]int64{int64(r.projected[i].x), int64(r.projected[i].y)}
		}
		r.Triangle([3]uint32{0, 1, 2}, 0, 0)
		got := picture(r, samples, width, height)
		standard := samplePoints(samples)
		for i, g := range got {
			x, y, k := i/samples%width, i/samples/width, i%samples
			at := standard[k]
			if s.Locations != nil {
				p := l.Points[(x%l.Width+y%l.Height*l.Width)*samples+k]
				at = point{int32(p[0]), int32(p[1])}
			}
			if want := covers(c, int64(x)*256+int64(at.x), int64(y)*256+int64(at.y)); want != (g == 1) {
				t.Fatalf("round %d, %d samples, grid %d×%d, sample %d of pixel %d, %d: covered %d times; want %v", n, samples, l.Width, l.Height, k, x, y, g, want)
			}
		}
	}
}

// TestViewportSides covers triangles that reach over the sides of viewports between samples: polygons end at the view volume (Vulkan, "Primitive
// Clipping"), so that a sample is covered if it is in the triangle and in the viewport, whose left and upper sides own the samples on them.
func TestViewportSides(t *testing.T) {
	random := rand.New(rand.NewSource(11))
	const width, height = 72, 40
	r := &Rasterizer{}
	for n := range 120 {
		samples := []int{1, 2, 4, 8, 16, 64}[n%6]
		s := state(samples, width, height)
		s.Runs = n%4 == 0
		part := func(most int) float32 { return float32(random.Intn(most*256)) / 256 }
		v := Viewport{part(20), part(12), 20 + part(30), 10 + part(20), 0, 1}
		if n%3 == 0 { // whole pixels
			v = Viewport{float32(int(v.X)), float32(int(v.Y)), float32(int(v.Width)), float32(int(v.Height)), 0, 1}
		}
		s.Viewports[0] = v
		l := &SampleLocations{Width: 1 + n/6%2, Height: 1 + n/12%2}
		for i := range l.Points {
			l.Points[i] = [2]uint8{uint8(random.Intn(256)), uint8(random.Intn(256))}
		}
		if n%5 == 0 {
			s.Locations = l
		}
		r.Begin(s)
		r.Vertices(records([4]float32{-1 - part(2), -1 - part(2), .5, 1}, [4]float32{1 + part(2), -1 - part(1), .5, 1}, [4]float32{part(2) - 1, 1 + part(3), .5, 1}))
		var c [3][2]int64
		for i := range c {
			c[i] = [2]int64{int64(r.projected[i].x), int64(r.projected[i].y)}
		}
		r.Triangle([3]uint32{0, 1, 2}, 0, 0)
		standard := samplePoints(samples)
		for i, g := range picture(r, samples, width, height) {
			x, y, k := i/samples%width, i/samples/width, i%samples
			at := standard[k]
			if s.Locations != nil {
				p := l.Points[(x%l.Width+y%l.Height*l.Width)*samples+k]
				at = point{int32(p[0]), int32(p[1])}
			}
			px, py := float64(x)+float64(at.x)/256, float64(y)+float64(at.y)/256
			inside := px >= float64(v.X) && px < float64(v.X)+float64(v.Width) && py >= float64(v.Y) && py < float64(v.Y)+float64(v.Height)
			if want := inside && covers(c, int64(x)*256+int64(at.x), int64(y)*256+int64(at.y)); want != (g == 1) {
				t.Fatalf("round %d, %d samples, viewport %v: sample %d of pixel %d, %d is covered %d times; want %v", n, samples, v, k, x, y, g, want)
			}
		}
	}
}

func TestLocation(t *testing.T) {
	for x, want := range map[float32]uint8{
		-1: 0, 0: 0, 0.5: 128, 0.9375: 240, 1: 240, 255.0 / 256: 240, 1e30: 240, 3.5 / 16: 64, 2.5 / 16: 32, 7. / 256: 0, 9. / 256: 16, float32(math.Inf(-1)): 0, float32(math.Inf(1)): 240,
	} {
		if got := Location(x); got != want {
			t.Errorf("location %v is %d sub-pixels; want %d", x, got, want)
		}
	}
	if got := Location(float32(math.NaN())); got != 0 {
		t.Errorf("location NaN is %d sub-pixels; want 0", got)
	}
}

// TestDepthClampRange demands the user-defined range in place of the viewport's.
func TestDepthClampRange(t *testing.T) {
	s := state(1, 16, 16)
	s.Viewports[0].MinDepth, s.Viewports[0].MaxDepth = 0.75, 0.25
	for _, c := range []struct {
		clamp    bool
		min, max float32
	}{{false, 0.25, 0.75}, {true, 0.375, 0.5}} {
		s.ClampDepth, s.MinDepth, s.MaxDepth = c.clamp, 0.375, 0.5
		r := &Rasterizer{}
		r.Begin(s)
		r.Vertices(records(inPixels(0, 0, 16, 16), inPixels(16, 0, 16, 16), inPixels(0, 16, 16, 16)))
		r.Triangle([3]uint32{0, 1, 2}, 0, 0)
		if p := &r.Rests[0]; p.MinZ != c.min || p.MaxZ != c.max {
			t.Errorf("clamp %v: depths are clamped to %v and %v; want %v and %v", c.clamp, p.MinZ, p.MaxZ, c.min, c.max)
		}
	}
}

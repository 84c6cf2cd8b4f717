package raster

import (
	"cmp"
	"math"
	"math/big"
	"math/rand"
	"testing"
)

// picture counts how often each sample of each pixel was covered.
func picture(r *Rasterizer, samples, width, height int) []int {
	out := make([]int, width*height*samples)
	for t := range r.Tiles() {
		list := r.Tile(t)
		for ; len(list) > 0; list = list[ItemWords(samples, r.state.Inner):] {
			below := 0
			if r.state.Runs {
				below = Item(list).TakeRun()
			}
			x, y := Item(list).At()
			for s := range samples {
				for k := range 64 * (1 + below) {
					if list[1+s]>>(k%64)&1 != 0 {
						out[((y+k/8)*width+x+k%8)*samples+s]++
					}
				}
			}
		}
	}
	return out
}

// itemWords returns how many words the items of all tiles have.
func itemWords(r *Rasterizer) (n int) {
	for t := range r.Tiles() {
		n += len(r.Tile(t))
	}
	return n
}

func state(samples int, width, height int32) *State {
	return &State{
		Viewports: []Viewport{{0, 0, float32(width), float32(height), 0, 1}},
		Scissors:  []Rect{{0, 0, width, height}},
		Area:      Rect{0, 0, width, height},
		Layers:    1, Samples: samples, DepthClip: true, LineWidth: 1,
	}
}

var positionOnly = Layout{Stride: 4, Clip: -1, Cull: -1, Size: -1, Layer: -1, Viewport: -1}

func records(p ...[4]float32) Records {
	v := Records{Layout: positionOnly}
	for _, c := range p {
		for _, x := range c {
			v.Words = append(v.Words, math.Float32bits(x))
		}
	}
	return v
}

// inPixels returns the clip coordinates of a framebuffer position in pixels.
func inPixels(x, y float64, width, height int32) [4]float32 {
	return [4]float32{float32(x/float64(width)*2 - 1), float32(y/float64(height)*2 - 1), 0.5, 1}
}

// covers is the exact model, for coordinates of less than 2³⁰: whether a sample at (x, y) in 1/256 pixels is inside a
// triangle, or on its top or left edge. The rule is as in the specification's figure: an edge is a left edge
// if the inside is to its right, and a top edge if it is level and the inside is below.
func covers(c [3][2]int64, x, y int64) bool {
	cross := func(a, b, p [2]int64) int { return cmp.Compare((b[0]-a[0])*(p[1]-a[1]), (b[1]-a[1])*(p[0]-a[0])) }
	area := cross(c[0], c[1], c[2])
	if area == 0 {
		return false
	}
	for i := range c {
		a, b, third := c[i], c[(i+1)%3], c[(i+2)%3]
		switch s := cross(a, b, [2]int64{x, y}) * area; {
		case s < 0:
			return false
		case s == 0 && a[1] == b[1]: // level: the third vertex must be below
			if third[1] < a[1] {
				return false
			}
		case s == 0: // the inside is on the third vertex's side
			at := new(big.Rat).SetFrac64((third[1]-a[1])*(b[0]-a[0]), b[1]-a[1])
			at.Add(at, new(big.Rat).SetInt64(a[0]))
			if new(big.Rat).SetInt64(third[0]).Cmp(at) < 0 {
				return false
			}
		}
	}
	return true
}

func TestTriangleCoverage(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	const width, height = 40, 36
	for n := range 160 {
		samples := []int{1, 1, 2, 4, 8, 16, 32, 64}[n%8]
		place := func() float64 {
			switch random.Intn(4) {
			case 0:
				return float64(random.Intn(width)) + 0.5 // through centres
			case 1:
				return float64(random.Intn(3*width*16)-width*16) / 16
			}
			return random.Float64()*width*1.5 - width/4
		}
		var c [3][2]int64
		var v [3][4]float32
		for i := range v {
			v[i] = inPixels(place(), place(), width, height)
		}
		if n%5 == 0 {
			v[1][1] = v[0][1] // level
		}
		s := state(samples, width, height)
		s.DepthClip = true
		r := &Rasterizer{}
		r.Begin(s)
		r.Vertices(records(v[:]...))
		for i := range c {
			p := r.projected[i].point
			c[i] = [2]int64{int64(p.x), int64(p.y)}
		}
		r.Triangle([3]uint32{0, 1, 2}, 0, 0)
		got := picture(r, samples, width, height)
		at := samplePoints(samples)
		for y := range int64(height) {
			for x := range int64(width) {
				for k, p := range at {
					want := 0
					if covers(c, x*256+int64(p.x), y*256+int64(p.y)) {
						want = 1
					}
					if g := got[(int(y)*width+int(x))*samples+k]; g != want {
						t.Fatalf("triangle %v, sample %d of pixel %d, %d: covered %d times; want %d", c, k, x, y, g, want)
					}
				}
			}
		}
	}
}

// TestWatertight covers a mesh of triangles with shared edges: each sample in its outline is covered once,
// however the mesh is clipped.
func TestWatertight(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	const width, height, n = 128, 128, 12
	for round := range 40 {
		var v [][4]float32
		for y := range n + 1 {
			for x := range n + 1 {
				p := inPixels(float64(x)*20-50, float64(y)*20-50, width, height)
				if x > 0 && y > 0 && x < n && y < n {
					p[0] += (random.Float32() - 0.5) * 0.2
					p[1] += (random.Float32() - 0.5) * 0.2
				}
				w := float32(1)
				if round%2 == 1 {
					w = 0.25 + random.Float32()*4
				}
				if round%4 == 3 {
					p[2] = random.Float32()
				}
				for i := range p {
					p[i] *= w
				}
				v = append(v, p)
			}
		}
		r := &Rasterizer{}
		s := state(4, width, height)
		s.DepthClip = round%4 == 3
		r.Begin(s)
		r.Vertices(records(v...))
		id := uint32(0)
		for y := range uint32(n) {
			for x := range uint32(n) {
				a := y*(n+1) + x
				b, c, d := a+1, a+n+1, a+n+2
				if random.Intn(2) == 0 {
					r.Triangle([3]uint32{a, b, c}, a, id)
					r.Triangle([3]uint32{b, d, c}, b, id+1)
				} else {
					r.Triangle([3]uint32{a, b, d}, a, id)
					r.Triangle([3]uint32{d, c, a}, d, id+1)
				}
				id += 2
			}
		}
		for i, k := range picture(r, 4, width, height) {
			if k != 1 {
				t.Fatalf("round %d: sample %d of pixel %d, %d is covered %d times; want once", round, i%4, i/4%width, i/4/width, k)
			}
		}
	}
}

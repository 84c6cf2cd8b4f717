package frontend

import (
	"bytes"
	"context"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// setEngines are the interpreter and machine code at each level.
func setEngines() []exec.Engine {
	list := []exec.Engine{interp.Engine{}}
	for _, l := range jit.Levels() {
		list = append(list, jit.Engine{Level: l})
	}
	return list
}

// strewn is triangles all over a picture and around it, most of them tiny: large ones,
// thin ones, such as touch the edges of tiles and of the picture, lie behind the eye, far
// out, before the near plane, share vertices, or have none that is a number.
func strewn(random *rand.Rand, n int) (words []uint32, list []primitive) {
	special := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)), 1e-38, 3e38, -3e38, 1e-37, 1}
	place := func(x float64) float64 {
		if random.Intn(3) == 0 { // in quarters of a pixel
			x = math.Round(x*512) / 512
		}
		return x
	}
	for i := range n {
		x, y, size := random.Float64()*2.4-1.2, random.Float64()*2.4-1.2, 0.06
		switch random.Intn(12) {
		case 0:
			size = 1
		case 1:
			size = 0.002
		case 2:
			x, y = math.Round(x*4)/4, math.Round(y*4)/4 // edges of tiles
		case 3:
			size = 300
		}
		flat := random.Intn(2) == 0
		p := primitive{id: uint32(random.Intn(1 << 20))}
		for k := range p.v {
			p.v[k] = uint32(len(words) / 8)
			w := 1.0
			if !flat {
				w = random.Float64()*1.5 + 0.01
				if random.Intn(8) == 0 {
					w = random.Float64() - 0.8
				}
			}
			v := [8]float32{float32(place(x+(random.Float64()-0.5)*size) * w), float32(place(y+(random.Float64()-0.5)*size) * w), float32((random.Float64()*1.4 - 0.2) * w), float32(w), 1, 2, 3, float32(i)}
			if random.Intn(60) == 0 {
				v[random.Intn(4)] = special[random.Intn(len(special))]
			}
			for _, f := range v {
				words = append(words, math.Float32bits(f))
			}
		}
		if random.Intn(6) == 0 && i > 0 {
			p.v[random.Intn(3)] = uint32(random.Intn(3 * i))
		}
		if random.Intn(20) == 0 {
			p.v[2] = p.v[random.Intn(2)]
		}
		p.provoking = p.v[random.Intn(3)]
		list = append(list, p)
	}
	return words, list
}

// extremes is triangles with clip coordinates at the borders of the view volume, w next to its least and greatest values, zeros of both
// signs, denormal numbers, infinities and NaN. Most of their vertices are in the volume, many just so.
func extremes(random *rand.Rand, n int) (words []uint32, list []primitive) {
	inf, nan, tiny := float32(math.Inf(1)), float32(math.NaN()), float32(math.SmallestNonzeroFloat32)
	minus := float32(math.Copysign(0, -1))
	one := func(list ...float32) float32 { return list[random.Intn(len(list))] }
	next := func(x float32) float32 { return math.Nextafter32(x, one(-inf, inf)) }
	for i := range n {
		p := primitive{id: uint32(i)}
		plain := float32(1)
		if random.Intn(2) == 0 {
			plain = one(raster.MinW, next(raster.MinW), next(next(raster.MinW)), 1e-30, 1e10, math.MaxFloat32/2, math.MaxFloat32, next(math.MaxFloat32))
		}
		for k := range p.v {
			p.v[k] = uint32(3*i + k)
			w := plain
			switch random.Intn(30) {
			case 0:
				w = one(0, minus, tiny, -tiny, inf, -inf, nan, -1, -raster.MinW)
			case 1, 2:
				w = float32(random.Float64() * 3)
			}
			v := [4]float32{}
			for axis := range 3 {
				x := float32(w * (2*random.Float32() - 1))
				if axis == 2 && random.Intn(3) > 0 {
					x = float32(w * random.Float32())
				}
				switch random.Intn(8) {
				case 0:
					x = one(w, -w)
				case 1:
					x = one(0, minus, tiny, -tiny)
				case 2:
					if random.Intn(4) == 0 {
						x = one(next(w), next(-w), inf, -inf, nan, math.Float32frombits(0xffffffff), math.Float32frombits(0x7f800001))
					}
				}
				v[axis] = x
			}
			v[3] = w
			for _, f := range v {
				words = append(words, math.Float32bits(f))
			}
			words = append(words, 1, 2, 3, uint32(i))
		}
		p.provoking = p.v[random.Intn(3)]
		list = append(list, p)
	}
	return words, list
}

// setStates are what triangles that a program sets up depend on.
func setStates() map[string]*raster.State {
	const width, height = 512, 512
	state := func(change func(s *raster.State)) *raster.State {
		s := &raster.State{
			Viewports: []raster.Viewport{{Width: width, Height: height, MaxDepth: 1}}, Scissors: []raster.Rect{{X1: width, Y1: height}},
			Area: raster.Rect{X1: width, Y1: height}, Layers: 1, Samples: 1, LineWidth: 1,
		}
		change(s)
		return s
	}
	return map[string]*raster.State{
		"plain":          state(func(s *raster.State) { s.DepthClip = true }),
		"without a clip": state(func(s *raster.State) {}),
		"symmetric":      state(func(s *raster.State) { s.DepthClip, s.NegativeOneToOne, s.CullBack = true, true, true }),
		"clockwise":      state(func(s *raster.State) { s.Clockwise, s.CullFront = true, true }),
		"nothing":        state(func(s *raster.State) { s.CullBack, s.CullFront = true, true }),
		"scissor":        state(func(s *raster.State) { s.Scissors[0] = raster.Rect{X0: 63, Y0: 5, X1: 257, Y1: 300} }),
		"area":           state(func(s *raster.State) { s.Area, s.Runs = raster.Rect{X0: 130, Y0: 67, X1: 400, Y1: 500}, true }),
		"samples":        state(func(s *raster.State) { s.Samples = 4 }),
		"conservative":   state(func(s *raster.State) { s.Conservative = enum.ConservativeModeOverestimate }),
		"aligned":        state(func(s *raster.State) { s.Aligned = true }),
		"viewport": state(func(s *raster.State) {
			s.Viewports[0] = raster.Viewport{X: 20.3, Y: 400, Width: 300, Height: -411.7, MinDepth: 0.9, MaxDepth: -0.2}
		}),
		"no viewport": state(func(s *raster.State) {
			s.Viewports[0].Width, s.Viewports[0].MaxDepth = float32(math.NaN()), float32(math.Inf(1))
		}),
		"endless": state(func(s *raster.State) { s.Viewports[0].Height, s.Viewports[0].Y = 3e38, -3e38 }),
		"far": state(func(s *raster.State) {
			s.DepthClip, s.NegativeOneToOne, s.Viewports[0] = true, true, raster.Viewport{X: -8192, Y: 8192, Width: 16384, Height: -16384, MinDepth: 1}
		}),
		"farther": state(func(s *raster.State) {
			s.DepthClip, s.Viewports[0] = true, raster.Viewport{X: -40000, Y: -100, Width: 65536, Height: 612, MaxDepth: 1}
		}),
		"deep": state(func(s *raster.State) {
			s.DepthClip, s.Viewports[0].MinDepth, s.Viewports[0].MaxDepth = true, -8e37, 1e37
		}),
		"deeper": state(func(s *raster.State) {
			s.DepthClip, s.Viewports[0].MinDepth, s.Viewports[0].MaxDepth = true, 3e38, -3e38
		}),
		"flat": state(func(s *raster.State) { s.DepthClip, s.Viewports[0].Height = true, 0 }),
		"bias": state(func(s *raster.State) { s.Bias = raster.DepthBias{Enable: true, Constant: 3, Slope: 1.5, Bits: 16} }),
		"float bias": state(func(s *raster.State) {
			s.Bias = raster.DepthBias{Enable: true, Constant: -3, Slope: 0.5, Clamp: 0.1, Float: true}
		}),
	}
}

// TestSetUp sets triangles up by the program and one by one: tile by tile they leave the
// same items, primitives and records, bit for bit.
func TestSetUp(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	const n = 3000
	words, list := strewn(random, n)
	edgeWords, edgeList := extremes(random, n)
	for name, s := range setStates() {
		setUpAlike(t, name, s, words, list)
		setUpAlike(t, name+" with extremes", s, edgeWords, edgeList)
	}
}

// setUpAlike compares the triangles of a state that programs set up with the rasterizer's.
func setUpAlike(t *testing.T, name string, s *raster.State, words []uint32, list []primitive) {
	v := raster.Records{Layout: raster.Layout{Stride: 8, Skip: 4, Clip: -1, Cull: -1, Size: -1, Layer: -1, Viewport: -1}, Words: words}
	one := &raster.Rasterizer{}
	one.Begin(s)
	one.Vertices(v)
	for _, p := range list {
		one.Triangle(p.v, p.provoking, p.id)
	}
	for _, e := range setEngines() {
		all := &raster.Rasterizer{}
		all.Begin(s)
		if !all.BatchVertices(v, new(raster.BatchParams)) {
			t.Fatalf("%s: a program cannot set the triangles up", name)
		}
		var params raster.BatchParams
		all.BatchVertices(v, &params)
		d, other := setUpBy(t, e, batchKey{}, params, v, list), 0
		for i, p := range list {
			b := &d.batches[i/raster.BatchSize]
			if b[raster.BatchState][i%raster.BatchSize] == raster.BatchFallback {
				other++
			}
			all.BatchTriangle(b, uint(i), &p.v, p.provoking, p.id)
		}
		t.Logf("%s, %s: %d of %d triangles are left to others", e.Name(), name, other, len(list))
		if !bytes.Equal(compose.BytesOf(all.Primitives), compose.BytesOf(one.Primitives)) || !bytes.Equal(compose.BytesOf(all.Rests), compose.BytesOf(one.Rests)) || !slices.Equal(all.Varyings, one.Varyings) {
			t.Errorf("%s, %s: other primitives", e.Name(), name)
			for i := range one.Primitives {
				if got, want := all.Primitives[i:i+1], one.Primitives[i:i+1]; !bytes.Equal(compose.BytesOf(got), compose.BytesOf(want)) {
					t.Fatalf("first %+v\nmust be %+v", got, want)
				}
			}
		}
		for i := range one.Tiles() {
			if !slices.Equal(all.Tile(i), one.Tile(i)) {
				t.Fatalf("%s, %s: tile %d has other items", e.Name(), name, i)
			}
		}
	}
}

// setUpBy sets primitives up by the program of a key. The result has their batches.
func setUpBy(t *testing.T, e exec.Engine, key batchKey, params raster.BatchParams, v raster.Records, list []primitive) Binner {
	t.Helper()
	p, err := setUpProgram(key, nil)
	if err != nil {
		t.Fatal(err)
	}
	p = p.Clone()
	pass.Run(p)
	program, err := e.Compile(p, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	d := Binner{Scratch: NewScratch(), Draw: &Draw{Pipeline: &Pipeline{Record: &layout.Record{Stride: 4 * uint32(v.Stride)}}}}
	d.batchParams = params
	if err := d.batchBinding.Resolve(program, ir.Compute, &compute.Args{}, &compose.OwnResources{PerRun: layout.BindDepth}); err != nil {
		t.Fatal(err)
	}
	records := compose.Memory{}
	records.Grow(4 * len(v.Words))
	copy(records.Words(len(v.Words)), v.Words)
	if err := d.setUpBatch(context.Background(), &primitiveList{records: &records, vertices: uint32(len(v.Words) / v.Stride)}, list); err != nil {
		t.Fatal(err)
	}
	return d
}

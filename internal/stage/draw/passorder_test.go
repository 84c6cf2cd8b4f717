package draw_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// turnText is a vertex program like cornersText's whose first color is the number of
// the instance.
var turnText = strings.NewReplacer("in vertexindex i32 0\n", "in vertexindex i32 0\nin instanceindex i32 0\n",
	"out.f32 v11, #4\n", "v16 = in.i32 #1\n\tv17 = utof.f32.i32 v16\n\tout.f32 v17, #4\n").Replace(cornersText)

// machine is the engine for what the interpreter takes long for.
func machine() exec.Engine {
	list := engines()
	return list[len(list)-1]
}

// numbered draws instances over all of a target of one color, in one pass with several
// draws, and returns what is left in the middle of each tile.
func numbered(t *testing.T, side, workers int, instances ...uint32) []float64 {
	t.Helper()
	c := blank(t, side, side, "R32_SFLOAT")
	p, err := draw.New(draw.Stages{Vertex: parse(t, turnText, 0), Fragment: parse(t, shownText, 0)}, full(c), machine(), exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var pass draw.Pass
	if err := pass.Begin(&c.Target, nil, workers); err != nil {
		t.Fatal(err)
	}
	first := uint32(0)
	for _, n := range instances {
		a := state.Args{Count: 3, FirstInstance: first, Instances: n, Shader: compute.Args{Push: cover}}
		if err := pass.Draw(context.Background(), p, &a); err != nil {
			t.Fatal(err)
		}
		first += n
	}
	if err := pass.End(context.Background()); err != nil {
		t.Fatal(err)
	}
	var list []float64
	for y := 0; y < side; y += 64 {
		for x := 0; x < side; x += 64 {
			list = append(list, number(c.bytes(0), (y+min(32, side-y-1))*side+x+min(32, side-x-1)))
		}
	}
	return list
}

// TestPassOrder: the last primitive of many is what is seen, however many chunks they
// make, and however much memory what they cover takes (Vulkan §"Primitive Order").
func TestPassOrder(t *testing.T) {
	for name, x := range map[string]struct {
		side      int
		instances []uint32
	}{
		"many primitives": {16, []uint32{50000, 1, 30000}},
		"many blocks":     {1024, []uint32{130, 7, 10}},
		"many draws":      {80, slices.Repeat([]uint32{2}, 700)},
	} {
		for _, workers := range []int{1, 2, 4} {
			last := float64(0)
			for _, n := range x.instances {
				last += float64(n)
			}
			for i, got := range numbered(t, x.side, workers, x.instances...) {
				if got != last-1 {
					t.Fatalf("%s, %d workers: tile %d shows %g; want %g", name, workers, i, got, last-1)
				}
			}
		}
	}
}

// settled returns the least number of allocations of a run of f, in several tries: which
// worker does what is not the same each time, and one may do something first late.
func settled(f func()) float64 {
	least := testing.AllocsPerRun(10, f)
	for n := 0; n < 20 && least > 0; n++ {
		least = min(least, testing.AllocsPerRun(10, f))
	}
	return least
}

// TestSteadyPass: a frame like one before it allocates nothing.
func TestSteadyPass(t *testing.T) {
	for _, e := range engines() {
		for _, workers := range []int{1, exec.MaxIdleWorkers()} {
			c := blank(t, 200, 200, "R8G8B8A8_UNORM", "R32G32_SFLOAT")
			p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, shownText, 0)}, full(c), e, exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			var pass draw.Pass
			clears := draw.Clears{Colors: []draw.Clear{{Do: true}}}
			a := state.Args{Count: 3, Instances: 1, Shader: compute.Args{Push: cover, Workers: workers}}
			frame := func() {
				if err := pass.Begin(&c.Target, &clears, workers); err != nil {
					t.Fatal(err)
				}
				for range 5 {
					if err := pass.Draw(context.Background(), p, &a); err != nil {
						t.Fatal(err)
					}
				}
				if err := pass.End(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			for range 5 {
				frame()
			}
			if n := settled(frame); n != 0 {
				t.Errorf("%s, %d workers: %g allocations in a pass", e.Name(), workers, n)
			}
			once := func() {
				if err := p.Draw(context.Background(), &c.Target, &a); err != nil {
					t.Fatal(err)
				}
			}
			once()
			if n := settled(once); n != 0 {
				t.Errorf("%s, %d workers: %g allocations in a draw", e.Name(), workers, n)
			}
		}
	}
}

// readerText is a fragment program that gives the first float of a buffer.
const readerText = `
program "reader" fragment
subgroup 16
local 1 1 1
out location f32 0
res storage 0 0 count 1 nonwritable
func "main"() L1 {
	v1 = res 0:i32, #0
	v2 = ld.f32 v1, 0:i32, #0
	out.f32 v2, #0
}`

// countingText is one that stores it first, one greater.
var countingText = strings.NewReplacer(" nonwritable", "", "\tout.f32 v2, #0", `	v3 = fadd.f32 v2, 1.0:f32
	st.f32 v1, 0:i32, v3, #0
	out.f32 v3, #0`).Replace(readerText)

// TestPassDependent: a draw to whose programs the target is bound sees what was drawn
// before and nothing of what is drawn later, in other tiles too, and memory that a draw
// writes is seen by the next one.
func TestPassDependent(t *testing.T) {
	for _, e := range engines() {
		c := blank(t, 128, 1, "R32_SFLOAT")
		s := full(c)
		pipeline := func(vertex, fragment string) *draw.Pipeline {
			p, err := draw.New(draw.Stages{Vertex: parse(t, vertex, 0), Fragment: parse(t, fragment, 0)}, s, e, exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { p.Close() })
			return p
		}
		write, read, count := pipeline(turnText, shownText), pipeline(cornersText, readerText), pipeline(cornersText, countingText)
		counter := floats(40, 0)
		var passed uint64
		var counted state.Statistics
		var pass draw.Pass
		if err := pass.Begin(&c.Target, nil, 2); err != nil {
			t.Fatal(err)
		}
		step := func(p *draw.Pipeline, x, n int, number uint32, buffer []byte) {
			a := state.Args{Count: 3, FirstInstance: number, Instances: 1, Shader: compute.Args{Push: cover}, Passed: &passed, Statistics: &counted}
			a.Area = state.Rect{X: int32(x), Width: uint32(n), Height: 1}
			if buffer != nil {
				a.Shader.Bindings = map[compute.Binding][]exec.Buffer{{}: {{Bytes: buffer}}}
			}
			if err := pass.Draw(context.Background(), p, &a); err != nil {
				t.Fatal(err)
			}
		}
		step(write, 0, 10, 5, nil)
		step(read, 64, 1, 0, c.bytes(0)) // 5
		step(write, 0, 10, 9, nil)
		step(read, 65, 1, 0, c.bytes(0)) // 9
		step(write, 0, 1, 3, nil)
		step(count, 100, 1, 0, counter) // 41
		step(read, 66, 2, 0, counter)   // 41
		step(count, 0, 1, 0, counter)   // 42
		if err := pass.End(context.Background()); err != nil {
			t.Fatal(err)
		}
		for x, want := range map[int]float64{0: 42, 9: 9, 64: 5, 65: 9, 66: 41, 67: 41, 100: 41, 101: 0} {
			if got := number(c.bytes(0), x); got != want {
				t.Errorf("%s: pixel %d is %g; want %g", e.Name(), x, got, want)
			}
		}
		if passed != 10+1+10+1+1+1+2+1 || counted.FragmentInvocations != passed || counted.InputPrimitives != 8 || counted.InputVertices != 24 {
			t.Errorf("%s: %d samples passed, %+v", e.Name(), passed, counted)
		}
	}
}

// TestCoveredClear: of what is cleared and then drawn over the picture is what the draw
// leaves where it covers, and the clear where it does not, discards, or leaves out.
func TestCoveredClear(t *testing.T) {
	const width, height = 200, 140
	holes := strings.Replace(shownText, "v3 = in.f32 #2\n", "v3 = in.f32 #2\n\tv20 = flt.f32 v3, 0.25:f32\n\tif v20 {\n\t\tkill\n\t}\n", 1)
	three := strings.NewReplacer("out location f32 3\n", "", "\tout.f32 1.0:f32, #3\n", "").Replace(shownText)
	for name, x := range map[string]struct {
		format, fragment string
		area             state.Rect
		mask             uint8
		blend            bool
	}{
		"all":          {"R8G8B8A8_UNORM", shownText, state.Rect{}, 15, false},
		"some tiles":   {"R16G16B16A16_SFLOAT", shownText, state.Rect{X: 60, Y: 3, Width: 139, Height: 135}, 15, false},
		"discards":     {"R8G8B8A8_UNORM", holes, state.Rect{}, 15, false},
		"some colors":  {"R8G8B8A8_UNORM", shownText, state.Rect{}, 5, false},
		"no alpha":     {"R8G8B8A8_UNORM", three, state.Rect{}, 15, false},
		"blending":     {"R8G8B8A8_UNORM", shownText, state.Rect{}, 15, true},
		"unused bits":  {"R5G6B5_UNORM_PACK16", shownText, state.Rect{}, 15, false},
		"shared words": {"A2B10G10R10_UNORM_PACK32", shownText, state.Rect{}, 15, false},
	} {
		for _, e := range engines() {
			value := [4]uint64{0x3f000000, 0x3e800000, 0x3f800000, 0x3f400000}
			draws := func(c *canvas, run func(p *draw.Pipeline, a *state.Args)) {
				s := full(c)
				s.Blend.Attachments = []state.BlendAttachment{{Enable: x.blend, SrcColor: enum.BlendFactorOne, DstColor: enum.BlendFactorDstAlpha, SrcAlpha: enum.BlendFactorZero, DstAlpha: enum.BlendFactorOne, WriteMask: x.mask}}
				p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, x.fragment, 0)}, s, e, exec.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				run(p, &state.Args{Count: 3, Instances: 1, Area: x.area, Shader: compute.Args{Push: cover, Workers: 2}})
			}
			want, got := blank(t, width, height, x.format), blank(t, width, height, x.format)
			want.images[0].Clear(place(0, 0), value)
			draws(want, func(p *draw.Pipeline, a *state.Args) {
				if err := p.Draw(context.Background(), &want.Target, a); err != nil {
					t.Fatal(err)
				}
			})
			draws(got, func(p *draw.Pipeline, a *state.Args) {
				var pass draw.Pass
				if err := pass.Begin(&got.Target, &draw.Clears{Colors: []draw.Clear{{Do: true, Value: value}}}, 2); err != nil {
					t.Fatal(err)
				}
				if err := pass.Draw(context.Background(), p, a); err != nil {
					t.Fatal(err)
				}
				if err := pass.End(context.Background()); err != nil {
					t.Fatal(err)
				}
			})
			if string(want.bytes(0)) != string(got.bytes(0)) {
				t.Errorf("%s, %s: another picture than that of a clear and a draw", e.Name(), name)
			}
		}
	}
}

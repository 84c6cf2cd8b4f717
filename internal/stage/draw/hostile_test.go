package draw_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestWildState draws with places, viewports, indices and state that make no sense: no
// panic, and both engines give the same picture, or the same error.
func TestWildState(t *testing.T) {
	r := rand.New(rand.NewSource(17))
	for range 80 {
		seed := r.Int63()
		var first []byte
		var fault string
		for i, e := range engines() {
			got, err := wild(t, e, rand.New(rand.NewSource(seed)))
			text := ""
			if err != nil {
				text = err.Error()
			}
			if i == 0 {
				first, fault = got, text
			}
			if !bytes.Equal(first, got) || (fault == "") != (text == "") {
				t.Errorf("seed %d: engines differ (%q, %q)", seed, fault, text)
			}
		}
	}
}

func wild(t *testing.T, e exec.Engine, r *rand.Rand) ([]byte, error) {
	odd := []float32{0, 1, -1, 0.5, -0.25, 3, 1e-30, 1e30, -1e30, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	pick := func() float32 {
		if r.Intn(3) > 0 {
			return 2*r.Float32() - 1
		}
		return odd[r.Intn(len(odd))]
	}
	var places []float32
	for range 3 {
		w := float32(1)
		if r.Intn(3) == 0 {
			w = pick()
		}
		places = append(places, pick(), pick(), pick(), w)
	}
	c := blank(t, side, side, "R8G8B8A8_UNORM")
	c.tests(t, "D24_UNORM_S8_UINT")
	s := full(c)
	s.Assembly = state.Assembly{Topology: enum.Topology(r.Intn(12)), Restart: r.Intn(2) == 0}
	s.Rasterization = state.Rasterization{PolygonMode: enum.PolygonMode(r.Intn(3)), Cull: enum.CullMode(r.Intn(3)), Clockwise: r.Intn(2) == 0, DepthClip: r.Intn(2) == 0, DepthClamp: r.Intn(2) == 0,
		LastVertex: r.Intn(2) == 0, DepthBias: r.Intn(2) == 0, BiasConstant: pick(), BiasSlope: pick(), BiasClamp: pick(), LineMode: enum.LineMode(r.Intn(3)), Conservative: int8(r.Intn(3) - 1), ExtraOverestimate: pick()}
	if r.Intn(2) == 0 {
		s.Rate = state.ShadingRate{Width: 1 << r.Intn(3), Height: 1 << r.Intn(3), Combiners: [2]enum.RateCombiner{enum.RateCombiner(r.Intn(5)), enum.RateCombiner(r.Intn(5))}}
	}
	s.DepthStencil = randomTests(r)
	s.Blend.Attachments = []state.BlendAttachment{randomBlend(r)}
	if r.Intn(2) == 0 {
		s.Viewports[0] = state.Viewport{X: 100 * pick(), Y: 100 * pick(), Width: 100 * pick(), Height: 100 * pick(), MinDepth: pick(), MaxDepth: pick()}
		s.Scissors[0] = state.Rect{X: int32(r.Uint32()), Y: int32(r.Intn(20)), Width: r.Uint32(), Height: uint32(r.Intn(40))}
	}
	a := state.Args{Count: uint32(r.Intn(12)), First: uint32(r.Intn(3)), Instances: uint32(r.Intn(3)), Shader: compute.Args{Push: floats(places...)}}
	if r.Intn(2) == 0 {
		a.IndexBytes, a.Index = []uint32{1, 2, 3, 4}[r.Intn(4)], make([]byte, 1+r.Intn(20))
		for i := range a.Index {
			a.Index[i] = []byte{0, 1, 2, 3, 255}[r.Intn(5)]
		}
	}
	p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, shownText, 0)}, s, e, exec.Options{})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	err = p.Draw(context.Background(), &c.Target, &a)
	return c.bytes(0), err
}

// TestEndless draws with a fragment program that does not end: that is an error, soon.
func TestEndless(t *testing.T) {
	text := strings.Replace(whiteText, "out.f32 1.0", "loop L9(v1 i32 = 0:i32) {\n v2 = add.i32 v1, 1:i32\n br L9(v2)\n}\nout.f32 1.0", 1)
	text = strings.Replace(text, "br L9(v2)\n", "v3 = ult.i32 v1, 4294967295:i32\nif v3 {\nbr L9(v2)\n}\nbr L8\n", 1)
	text = strings.Replace(strings.Replace(text, "loop L9", "block L8 {\nloop L9", 1), "out.f32 1.0", "}\nout.f32 1.0", 1)
	for _, e := range engines() {
		c := blank(t, side, side, "R8_UNORM")
		p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 0)}, full(c), e, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = p.Draw(context.Background(), &c.Target, &state.Args{Count: 3, Instances: 1, Shader: compute.Args{Push: cover, Budget: 1000}})
		var budget *exec.BudgetError
		if !errors.As(err, &budget) {
			t.Errorf("%s: %v; want an *exec.BudgetError", e.Name(), err)
		}
		p.Close()
	}
}

// TestRefused has state that does not fit.
func TestRefused(t *testing.T) {
	e := engines()[0]
	c := blank(t, side, side, "R8_UNORM")
	stages := draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, whiteText, 0)}
	for want, change := range map[string]func(*state.State, *state.Args){
		"indices of 3 bytes":      func(_ *state.State, a *state.Args) { a.Index, a.IndexBytes = []byte{0}, 3 },
		"topology 11":             func(s *state.State, _ *state.Args) { s.Assembly.Topology = 11 },
		"patches":                 func(s *state.State, _ *state.Args) { s.Assembly.Topology = enum.TopologyPatchList },
		"view 2 of a target of 1": func(s *state.State, _ *state.Args) { s.ViewMask = 5 },
		"0 viewports and 1":       func(s *state.State, _ *state.Args) { s.Viewports = nil },
		"has 1 samples":           func(s *state.State, _ *state.Args) { s.Multisample.Samples = 4 },
		"vertex binding 32":       func(s *state.State, _ *state.Args) { s.Vertex.Bindings = []state.VertexBinding{{Binding: 32}} },
		"vertex attribute 40":     func(s *state.State, _ *state.Args) { s.Vertex.Attributes = []state.VertexAttribute{{Location: 40}} },
		"bytes of push constants": func(_ *state.State, a *state.Args) { a.Shader.Push = make([]byte, 1000) },
	} {
		s, a := full(c), state.Args{Count: 3, Instances: 1, Shader: compute.Args{Push: cover}}
		change(&s, &a)
		p, err := draw.New(stages, s, e, exec.Options{})
		if err == nil {
			err = p.Draw(context.Background(), &c.Target, &a)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	if _, err := draw.New(draw.Stages{}, state.State{}, e, exec.Options{}); err == nil {
		t.Error("a pipeline without a vertex program")
	}
}

// TestBareTarget draws to framebuffers without attachments: up to the greatest size with
// the samples that each may have, and not more.
func TestBareTarget(t *testing.T) {
	const most = 1 << 14
	for samples, refused := range map[uint32]bool{1: false, 4: false, 8: true, 64: true} {
		s := full(blank(t, side, side, "R8_UNORM"))
		s.Blend.Attachments = nil
		s.Viewports[0], s.Scissors[0] = state.Viewport{Width: most, Height: most, MaxDepth: 1}, state.Rect{Width: side, Height: side}
		s.Multisample = state.Multisample{Samples: samples}
		p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, whiteText, 0)}, s, machine(), exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = p.Draw(context.Background(), &state.Target{Width: most, Height: most}, &state.Args{Count: 3, Instances: 1, Shader: compute.Args{Push: cover}})
		var limit *exec.LimitError
		if errors.As(err, &limit) != refused || err != nil && !refused {
			t.Errorf("%d samples: %v", samples, err)
		}
		p.Close()
	}
}

// TestCancelledLines cancels a draw of lines that each take long and cover little: it
// ends soon, and says so.
func TestCancelledLines(t *testing.T) {
	const most = 2048
	s := full(blank(t, side, side, "R8_UNORM"))
	s.Blend.Attachments, s.Assembly.Topology = nil, enum.TopologyLineList
	s.Viewports[0], s.Scissors[0] = state.Viewport{Width: most, Height: most, MaxDepth: 1}, state.Rect{Width: most, Height: most}
	s.Rasterization.LineMode, s.Rasterization.LineWidth = enum.LineModeRectangularSmooth, 128
	p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, whiteText, 0)}, s, machine(), exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	err = p.Draw(ctx, &state.Target{Width: most, Height: most}, &state.Args{Count: 2, Instances: 200,
		Shader: compute.Args{Workers: 1, Push: floats(-1, -1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1)}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v; want the context's error", err)
	}
}

// TestManyInstances draws more instances, and more indices, than a run can visit: a draw without primitives visits none and ends,
// and another one ends with its context.
func TestManyInstances(t *testing.T) {
	for name, x := range map[string]struct {
		args state.Args
		want error
	}{
		"instances of two vertices":       {state.Args{Count: 2, Instances: math.MaxUint32}, nil},
		"instances of restarted strips":   {state.Args{Count: 4, Instances: math.MaxUint32, IndexBytes: 1, Index: []byte{255, 0, 255, 1}}, nil},
		"indices that the buffer has not": {state.Args{Count: math.MaxUint32, Instances: 1, IndexBytes: 1, Index: []byte{0}}, context.DeadlineExceeded},
	} {
		c := blank(t, side, side, "R8_UNORM")
		s := full(c)
		s.Assembly = state.Assembly{Topology: enum.TopologyTriangleStrip, Restart: true}
		p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, whiteText, 0)}, s, machine(), exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		if x.want != nil {
			ctx, cancel = context.WithTimeout(ctx, 100*time.Millisecond)
		}
		x.args.Shader = compute.Args{Push: cover}
		if err := p.Draw(ctx, &c.Target, &x.args); !errors.Is(err, x.want) && err != x.want {
			t.Errorf("%s: %v; want %v", name, err, x.want)
		}
		cancel()
		p.Close()
	}
}

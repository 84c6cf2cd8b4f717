package trace

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// stageProgram returns a program of a ray tracing stage with a frame (variable 0) and a payload (variable 1).
func stageProgram(s ir.Stage, inputs []ir.Input, build func(b *ir.Builder)) *ir.Program {
	b := ir.NewFunc(s.String(), nil, nil)
	build(b)
	return &ir.Program{
		Name: s.String(), Stage: s, SubgroupSize: 8, LocalSize: [3]uint32{1, 1, 1}, In: inputs, Funcs: []*ir.Func{b.Finish()},
		Vars: []ir.Var{{Name: "ray", Slots: ir.FrameSlots, Func: -1}, {Name: "payload", Slots: 1, Func: -1}},
	}
}

// traces emits a trace of the program's frame.
func traces(b *ir.Builder) { b.Op(ir.Trace, ir.None, b.OpAux(ir.PAddr, ir.I32, 0)) }

// TestCompose composes a pipeline of all stages. A closest-hit shader that traces rays is copied for each level of the
// recursion; a shader that traces none is in the program once. The rays of the last level have functions of their own, which run no shader.
func TestCompose(t *testing.T) {
	frame := []ir.Input{{Semantic: ir.RayFrame, Type: ir.I32}, {Semantic: ir.RayPayload, Type: ir.I32}, {Semantic: ir.ShaderRecord, Type: ir.I64}}
	stores := func(b *ir.Builder) {
		b.Op(ir.PStI, ir.I32, b.OpAux(ir.In, ir.I32, 1), b.I32(7))
	}
	p := &Pipeline{
		Shaders: []*ir.Program{
			stageProgram(ir.RayGen, []ir.Input{{Semantic: ir.LaunchId, Type: ir.I32, Index: 1}}, func(b *ir.Builder) {
				b.OpAux(ir.PSt, ir.I32, 1, b.I32(0), b.OpAux(ir.In, ir.I32, 0))
				traces(b)
				b.Op(ir.Execute, ir.None, b.I32(0), b.OpAux(ir.PAddr, ir.I32, 1))
			}),
			stageProgram(ir.Miss, frame, stores),
			stageProgram(ir.ClosestHit, frame, func(b *ir.Builder) { stores(b); traces(b) }),
			stageProgram(ir.AnyHit, frame, stores),
			stageProgram(ir.Intersection, frame, func(b *ir.Builder) {
				accepted := b.Op(ir.Report, ir.B1, b.Const(ir.F32, 0x3f800000), b.I32(3))
				b.If(accepted)
				stores(b)
				b.End()
			}),
			stageProgram(ir.Callable, frame, func(b *ir.Builder) {
				stores(b)
				b.Op(ir.Execute, ir.None, b.I32(1), b.OpAux(ir.In, ir.I32, 1))
			}),
		},
		Groups: []Group{
			{0, Unused, Unused, Unused}, {1, Unused, Unused, Unused}, {Unused, 2, 3, 4}, {Unused, 2, Unused, Unused}, {5, Unused, Unused, Unused},
		},
		Depth: 3, CallableDepth: 2,
	}
	got, err := Compose(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, f := range got.Funcs {
		count[f.Name]++
		for _, v := range f.Code {
			if op := f.Val(v).Op; op.OfStage() {
				t.Errorf("%s has operation %s; must have none of a stage", f.Name, op)
			}
		}
	}
	for name, want := range map[string]int{
		"launch": 1, "raygen": 1, "trace": 4, "closesthit": 3, "miss": 1, "traversal": 2, "anyhit": 1, "intersection": 1, "report": 1,
		"execute": 2, "callable": 2,
	} {
		if count[name] != want {
			t.Errorf("%d functions %s; must be %d", count[name], name, want)
		}
	}
	if got.Stage != ir.Compute || got.LocalSize != [3]uint32{8, 1, 1} || !got.Effects.Rays {
		t.Errorf("stage %s, workgroups of %v, rays %v; must be a compute program of workgroups of 8×1×1 that traces rays", got.Stage, got.LocalSize, got.Effects.Rays)
	}
}

// TestComposeHitObject composes hit objects. The search for a hit runs no shader that nests, so that all levels up to the depth share
// it; a shader that executes hit objects is copied for each level.
func TestComposeHitObject(t *testing.T) {
	objects := func(b *ir.Builder) {
		object := b.OpAux(ir.PAddr, ir.I32, 0)
		b.Op(ir.Search, ir.None, object)
		b.OpAux(ir.PSt, ir.I32, 1, b.I32(0), b.Op(ir.Trunc, ir.I32, b.Op(ir.Record, ir.I64, object)))
		b.Op(ir.Shade, ir.None, object)
	}
	shaders := []*ir.Program{stageProgram(ir.RayGen, nil, objects), stageProgram(ir.Miss, nil, func(*ir.Builder) {}), stageProgram(ir.ClosestHit, nil, objects)}
	for _, s := range shaders {
		s.Vars[0].Slots = ir.ObjectSlots
	}
	got, err := Compose(&Pipeline{
		Shaders: shaders, Depth: 3,
		Groups: []Group{{0, Unused, Unused, Unused}, {1, Unused, Unused, Unused}, {Unused, 2, Unused, Unused}},
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, f := range got.Funcs {
		count[f.Name]++
	}
	for name, want := range map[string]int{"search": 2, "traversal": 2, "shade": 4, "closesthit": 3, "miss": 1, "trace": 0} {
		if count[name] != want {
			t.Errorf("%d functions %s; must be %d", count[name], name, want)
		}
	}
}

// TestComposeErrors composes pipelines with shaders at wrong places, or with too many levels.
func TestComposeErrors(t *testing.T) {
	gen := stageProgram(ir.RayGen, nil, func(*ir.Builder) {})
	for _, p := range []*Pipeline{
		{},
		{Shaders: []*ir.Program{gen}, Depth: MaxDepth + 1},
		{Shaders: []*ir.Program{gen}, CallableDepth: MaxDepth + 1},
		{Shaders: []*ir.Program{gen}, Groups: []Group{{General: 1, ClosestHit: Unused, AnyHit: Unused, Intersection: Unused}}},
		{Shaders: []*ir.Program{gen}, Groups: []Group{{General: -2, ClosestHit: Unused, AnyHit: Unused, Intersection: Unused}}},
		{Shaders: []*ir.Program{gen}, Groups: []Group{{General: Unused, ClosestHit: 0, AnyHit: Unused, Intersection: Unused}}},
	} {
		if _, err := Compose(p, Options{}); err == nil {
			t.Errorf("no error for %v", p.Groups)
		}
	}
}

// TestOrigins composes two shaders: an operation of the composed program has the origin of its shader and what Origins returns for it.
// With Apart the sets of the second shader follow those of the first.
func TestOrigins(t *testing.T) {
	shader := func(s ir.Stage, origin int32) *ir.Program {
		p := stageProgram(s, nil, func(b *ir.Builder) {
			b.Origin = origin
			b.OpAux(ir.Ld, ir.I32, 0, b.OpAux(ir.Res, ir.H, 0, b.I32(0)), b.I32(0))
			if s == ir.RayGen {
				traces(b)
			}
		})
		p.Res = []ir.Resource{{Set: 1, Binding: 2, Kind: ir.StorageBuffer, Count: 1}}
		return p
	}
	unused := Group{Unused, Unused, Unused, Unused}
	first, second := unused, unused
	first.General, second.General = 0, 1
	p := &Pipeline{Shaders: []*ir.Program{shader(ir.RayGen, 7), shader(ir.Miss, 3)}, Groups: []Group{first, second}, Depth: 1, Apart: 4}
	if got := p.Origins(); !slices.Equal(got, []int32{0, 7}) {
		t.Fatalf("origins %v; must be 0 and 7", got)
	}
	got, err := Compose(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int32{"raygen": 7, "miss": 10}
	for _, f := range got.Funcs {
		for _, v := range f.Code {
			if x := f.Val(v); want[f.Name] != 0 && x.Op == ir.Ld && x.Origin != want[f.Name] {
				t.Errorf("the load of %s has origin %d; must be %d", f.Name, x.Origin, want[f.Name])
			}
		}
	}
	if got.Res[0].Set != 1 || got.Res[1].Set != 5 {
		t.Errorf("sets %d and %d; must be 1 and 5", got.Res[0].Set, got.Res[1].Set)
	}
}

// TestComposeBounds checks that Compose returns an error that names the bound for a pipeline that would be too large, and the
// error of Stop as soon as it has one.
func TestComposeBounds(t *testing.T) {
	pipeline := func(stores int, slots uint32) *Pipeline {
		hit := stageProgram(ir.ClosestHit, nil, func(b *ir.Builder) {
			traces(b)
			for range stores {
				b.OpAux(ir.PSt, ir.I32, 1, b.I32(0), b.I32(1))
			}
		})
		hit.Vars[1].Slots = slots
		return &Pipeline{
			Shaders: []*ir.Program{stageProgram(ir.RayGen, nil, traces), hit}, Depth: MaxDepth,
			Groups: []Group{{0, Unused, Unused, Unused}, {Unused, 1, Unused, Unused}},
		}
	}
	const most = 20_000
	many := pipeline(1, 1)
	many.Groups = append(many.Groups, slices.Repeat(many.Groups[1:], most/2)...)
	for _, c := range []struct {
		p    *Pipeline
		want string
	}{
		{pipeline(most/3, 1), "a program of more than 20000 values"},
		{many, "a program of more than 20000 values"},
		{pipeline(1, maxPrivate/MaxDepth+1), "private memory of all levels of recursion"},
	} {
		if _, err := Compose(c.p, Options{MaxValues: most}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v; must contain %q", err, c.want)
		}
	}
	stopped, polls := errors.New("stopped"), 0
	stop := func() error {
		if polls++; polls == 3 {
			return stopped
		}
		return nil
	}
	if _, err := Compose(pipeline(stopInterval, 1), Options{Stop: stop}); err != stopped || polls != 3 {
		t.Errorf("error %v after %d polls; must be the error of Stop after 3", err, polls)
	}
}

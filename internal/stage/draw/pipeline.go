package draw

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/frontend"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/shade"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Stages are the programs of a pipeline.
type Stages = frontend.Stages

// Pipeline is the programs of a graphics pipeline with their state, for one engine. Programs are
// compiled at the first draw that needs them, for its state, attachment formats, views and samplers. A
// Pipeline is safe for concurrent use, apart from Close.
type Pipeline struct {
	stages      frontend.Stages
	state       state.State
	engine      exec.Engine
	options     exec.Options
	hasFragment bool // the caller provided a fragment program
	observed    bool // for a debugger: each fragment of the rasterizer runs, in a lane of its own

	front *frontend.Pipeline

	frontSets, fragmentSets uint64 // the sets of descriptors that the programs before the rasterizer and the fragment program read; see setsOf

	triangles    atomic.Uint64 // upper bound of the triangles drawn so far
	packable     bool          // shade.Packable
	pixels       bool          // shade.CanPackPixels
	stackable    bool          // shade.Stackable
	wholeQuads   atomic.Bool   // bound views need derivatives: no packs of pixels
	long         bool          // shade.Long of the fragment program
	linear       bool          // shade.Linear of the fragment program
	triangleSize atomic.Int32  // smallTriangles, for example
	layers       atomic.Int32  // manyLayers, for example

	mu       sync.Mutex
	fragment compute.Variants[shade.Key]
	passes   exec.FreeList[Pass]         // passes of single draws
	streams  [state.MaxStreams]*Pipeline // that rasterize another stream of the geometry program
}

// New makes a pipeline. It returns a *StateError if the programs do not suit the state. Draw returns
// errors of compilation.
func New(stages Stages, s state.State, e exec.Engine, o exec.Options) (*Pipeline, error) {
	shades := stages.Fragment != nil
	if !shades {
		stages.Fragment = emptyFragment()
	}
	for _, x := range []struct {
		p     *ir.Program
		stage ir.Stage
	}{{stages.Vertex, ir.Vertex}, {stages.Fragment, ir.Fragment}} {
		if x.stage == ir.Vertex && stages.Mesh != nil {
			continue
		}
		if x.p == nil || x.p.Stage != x.stage {
			return nil, state.Errorf("the %s program is missing or of another stage", x.stage)
		}
		if err := x.p.Verify(); err != nil {
			return nil, fmt.Errorf("draw: the %s program: %w", x.stage, err)
		}
	}
	front, err := frontend.NewPipeline(stages, s.Rasterization.Stream)
	if err != nil {
		return nil, err
	}
	p := &Pipeline{stages: stages, front: front, hasFragment: shades, state: s, engine: e, options: o}
	p.frontSets = setsOf(stages.Vertex, stages.TessControl, stages.TessEval, stages.Geometry, stages.Task, stages.Mesh)
	p.fragmentSets = setsOf(stages.Fragment)
	p.observed = stages.Observed()
	p.packable, p.pixels = shade.Packable(stages.Fragment), shade.CanPackPixels(stages.Fragment)
	p.stackable = shade.Stackable(stages.Fragment)
	p.long, p.linear = shade.Long(stages.Fragment), shade.Linear(stages.Fragment)
	p.fragment = compute.Variants[shade.Key]{
		Equal: func(x, y *shade.Key) bool { return *x == *y },
		Copy:  func(x *shade.Key) shade.Key { return *x },
		Make:  func(x *shade.Key) (*ir.Program, error) { return shade.Program(p.stages.Fragment, x, p.front.Record) },
	}
	return p, nil
}

// setsOf returns a bit mask of the descriptor sets that programs read. Bit 63 covers sets 63 and up.
func setsOf(list ...*ir.Program) (sets uint64) {
	for _, p := range list {
		if p == nil {
			continue
		}
		for i := range p.Res {
			sets |= 1 << min(p.Res[i].Set, 63)
		}
	}
	return sets
}

// reads reports whether a program reads one of the sets.
func (p *Pipeline) reads(sets uint64) bool { return (p.frontSets|p.fragmentSets)&sets != 0 }

// IsMeshNV reports whether the pipeline has a mesh program of SPV_NV_mesh_shader.
func (p *Pipeline) IsMeshNV() bool {
	return p.stages.Mesh != nil && p.stages.Mesh.Modes.Has(ir.MeshNV)
}

// IsMesh reports whether the pipeline has a mesh program.
func (p *Pipeline) IsMesh() bool { return p.stages.Mesh != nil }

// forStream returns the pipeline that rasterizes a stream of the geometry program, which the layout of its records depends
// on: p, or another one, which the first draw with the stream makes.
func (p *Pipeline) forStream(stream uint32) (*Pipeline, error) {
	if p.stages.Geometry == nil || stream == p.state.Rasterization.Stream || stream >= state.MaxStreams {
		return p, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if x := p.streams[stream]; x != nil {
		return x, nil
	}
	stages, s := p.stages, p.state
	if !p.hasFragment {
		stages.Fragment = nil
	}
	s.Rasterization.Stream = stream
	x, err := New(stages, s, p.engine, p.options)
	if err == nil {
		p.streams[stream] = x
	}
	return x, err
}

// emptyFragment returns the program of a pipeline without a fragment program.
func emptyFragment() *ir.Program {
	b := ir.NewFunc("main", nil, nil)
	return &ir.Program{Name: "none", Stage: ir.Fragment, Funcs: []*ir.Func{b.Finish()}, SubgroupSize: 16, LocalSize: [3]uint32{1, 1, 1}}
}

// Programs returns the compiled programs: vertex, fragment, tessellation, geometry and set-up
// programs, each most recently used first. Close closes them.
func (p *Pipeline) Programs() (list []exec.Program) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list = p.front.AppendOtherPrograms(p.fragment.AppendPrograms(p.front.AppendVertexPrograms(nil)))
	for _, x := range p.streams {
		if x != nil {
			list = append(list, x.Programs()...)
		}
	}
	return list
}

// Close frees the resources of the engine. No draw may be in progress or follow.
func (p *Pipeline) Close() error {
	err := p.front.Close()
	if e := p.fragment.Close(); err == nil {
		err = e
	}
	for _, x := range p.streams {
		if x == nil {
			continue
		}
		if e := x.Close(); err == nil {
			err = e
		}
	}
	return err
}

// Package draw draws: it makes compute programs of the programs of graphics stages,
// so that any engine runs them as they stand, has vertices run, primitives rasterised
// and fragments run, and puts what they give into attachments. What a shader means it
// leaves to lower, what a program's operations mean to the engines, and coverage to
// raster; it refuses to know which engine runs, and of commands, render passes and
// descriptor sets it knows nothing: what is bound comes as plain maps.
//
// # How
//
// Where a stage's program reads an input stands, in the program that is run, what
// computes it: a vertex attribute is loaded from its buffer and decoded, an input from
// the stage before is interpolated. Outputs are stored, by code behind the stage's
// own, in a record of the vertex, or, as operations on the texel of the pixel, go
// through tests and blending into attachments. So both engines give the same picture,
// and the passes see state, format and shader as one program.
//
// An invocation of the vertex program is a vertex of a list, one of the fragment
// program a pixel of a block of 8×8 pixels, or of a strip of one, from which it goes on
// to the next strip with pixels that are covered. All blocks of a tile are run by one
// worker in the order of the primitives; tiles have no order. So a picture is the same
// whatever the number of workers.
//
// A fragment of several pixels is one invocation too, for a set of samples that are
// those of all its pixels ([ShadingRate]). What a program reads of the attachments at its
// pixel it reads in that order, and so are its critical sections: nothing else is to be
// done for them.
//
// Where transform feedback is active the last stage before the rasterizer leaves a
// second record of each vertex, of what is captured alone; from these the primitives
// are written in order. Statistics are counted where a draw makes what they count, and
// invocations of fragments by their program.
//
// Draws and clears that go to one target are a [Pass]; one draw is a pass by itself.
// First its workers set up (setup.go): each takes its turns at chunks of primitives, runs
// their vertices, rasterises them (triangles.go has a program for what is done for each of
// many triangles), and leaves a sheet of what they cover in each tile.
// Then they take tiles, and go through the sheets, in the order of the turns, with each
// ([exec.Interleaving]); what lies behind blocks that are covered whole is not run
// (hidden.go). Both are done over and over where a pass has more than its
// bounds allow at once.
package draw

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/frontend"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/shade"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Stages are the programs of a pipeline.
type Stages = frontend.Stages

// Pipeline is the programs of a graphics pipeline with their state, and the engine
// that runs them. Programs are compiled when a draw first needs them: for the state,
// for the formats of the attachments, and for the views and samplers that are bound.
// It is safe for concurrent use, Close excepted.
type Pipeline struct {
	stages      frontend.Stages
	state       state.State
	engine      exec.Engine
	options     exec.Options
	hasFragment bool // there is a fragment program that somebody gave

	front *frontend.Pipeline

	triangles atomic.Uint64 // that draws may have had so far

	mu       sync.Mutex
	fragment compose.Variants[shade.Key]
	passes   exec.FreeList[Pass] // of draws by themselves
}

// New makes a pipeline. State that the programs do not fit gives a *StateError; what
// an engine says of programs, Draw returns.
func New(stages Stages, s state.State, e exec.Engine, o exec.Options) (*Pipeline, error) {
	shades := stages.Fragment != nil
	if !shades {
		stages.Fragment = emptyFragment()
	}
	for _, x := range []struct {
		p     *ir.Program
		stage ir.Stage
	}{{stages.Vertex, ir.Vertex}, {stages.Fragment, ir.Fragment}} {
		if x.p == nil || x.p.Stage != x.stage {
			return nil, state.Errorf("no %s program, or one of another stage", x.stage)
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
	p.fragment = compose.Variants[shade.Key]{
		Equal: func(x, y *shade.Key) bool { return *x == *y },
		Copy:  func(x *shade.Key) shade.Key { return *x },
		Make:  func(x *shade.Key) (*ir.Program, error) { return shade.Program(p.stages.Fragment, x, p.front.Record) },
	}
	return p, nil
}

// emptyFragment is the program of a pipeline without one.
func emptyFragment() *ir.Program {
	b := ir.NewFunc("main", nil, nil)
	return &ir.Program{Name: "none", Stage: ir.Fragment, Funcs: []*ir.Func{b.Finish()}, SubgroupSize: 16, LocalSize: [3]uint32{1, 1, 1}}
}

// Programs returns the programs that were compiled so far, those of the vertex program
// first, then the fragment program's, those between and that which sets up triangles; of each the one used last first.
// They are the pipeline's: Close closes them.
func (p *Pipeline) Programs() (list []exec.Program) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.front.AppendOtherPrograms(p.fragment.AppendPrograms(p.front.AppendVertexPrograms(nil)))
}

// Close frees what the engine holds. No Draw may be under way, and none may follow.
func (p *Pipeline) Close() error {
	err := p.front.Close()
	if e := p.fragment.Close(); err == nil {
		err = e
	}
	return err
}

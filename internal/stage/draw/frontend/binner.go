package frontend

import (
	"context"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Scratch is the reusable memory of one worker: a draw like an earlier one allocates nothing. Each
// worker has one, so that stages share nothing while they run.
type Scratch struct {
	Chunks []*chunk // of the current task
	chunk  *chunk   // the current one
	Raster raster.Rasterizer

	Own              compose.OwnResources
	vertexRunner     compose.Runner
	primitiveRunners [numPrimitiveStages]compose.Runner

	batches     []raster.Batch
	batchRunner compose.Runner
	batchWords  compose.Memory // parameters
	batchParams raster.BatchParams

	inPlaces []*inPlace
	inPlace  *inPlace // of the current draw
	waiting  waitingTriangles

	params  compose.Memory // of the vertex program
	records compose.Memory
	primitiveScratch
	meshScratch
	Counted state.Statistics
}

// Binner is the front end of one worker for one draw: it moves chunks of primitives through the stages
// up to the bins of its rasterizer (binning, the "sort-middle" of Molnar et al. 1994).
type Binner struct {
	*Scratch
	*Draw
	View    uint32
	Stop    *atomic.Bool                    // makes the worker stop
	Flush   func(ctx context.Context) error // empties the rasterizer
	FlushAt int                             // bytes in the rasterizer at which Flush is called
}

// Start begins a draw for a view.
func (d *Binner) Start(r *Draw, view uint32, frame *raster.State) {
	d.View, d.Counted = view, state.Statistics{}
	d.Join(r)
	d.Raster.Begin(frame)
}

// Join begins a draw of the current view with the states of the current draw, whose bins it continues.
func (d *Binner) Join(r *Draw) {
	d.Draw = r
	d.params.Grow(4 * layout.VertexWords)
	w := d.params.Words(layout.VertexWords)
	clear(w)
	w[layout.VertexBase], w[layout.VertexBaseInstance], w[layout.VertexDrawIndex], w[layout.VertexViewIndex] = uint32(r.Args.BaseVertex), r.Args.FirstInstance, r.Args.DrawIndex, d.View
	// The built-in BaseVertex is firstVertex in draws without indices (Vulkan §"Built-In
	// Variables").
	if r.Args.Index == nil {
		w[layout.VertexBase] = r.Args.First
	}
}

// End drops everything that the worker retains between runs of programs. They must not be closed before.
func (d *Scratch) End() {
	d.waiting = waitingTriangles{}
	d.vertexRunner.End()
	d.batchRunner.End()
	for i := range d.primitiveRunners {
		d.primitiveRunners[i].End()
	}
}

// flushFull calls Flush if the rasterizer is full.
func (d *Binner) flushFull(ctx context.Context) error {
	if d.Raster.Bytes() < d.FlushAt {
		return nil
	}
	return d.Flush(ctx)
}

// layout returns the record layout that the rasterizer reads.
func (d *Binner) layout() raster.Layout {
	l := d.Pipeline.Record.Raster()
	l.Relative = d.Pipeline.stages.last().Modes.Has(ir.ViewportRelative)
	return l
}

// NewScratch returns the scratch memory of a worker.
func NewScratch() *Scratch { return &Scratch{Own: compose.OwnResources{PerRun: layout.BindDepth}} }

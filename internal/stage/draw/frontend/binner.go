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

// Scratch is what one worker sets up with. It is used again, so that a draw like others
// before allocates nothing.
type Scratch struct {
	Chunks []*chunk // of the turn
	chunk  *chunk   // of them
	Raster raster.Rasterizer

	Own              compose.OwnResources
	vertexRunner     compose.Runner
	primitiveRunners [numPrimitiveStages]compose.Runner

	batches     []raster.Batch
	batchRunner compose.Runner
	batchWords  compose.Memory // parameters
	batchParams raster.BatchParams

	params  compose.Memory // of the vertex program, then of the fragment program
	records compose.Memory
	primitiveScratch
	Counted state.Statistics
}

// Binner is a draw under way at one worker.
type Binner struct {
	*Scratch
	*Draw
	View  uint32
	Stop  *atomic.Bool                    // the worker stops if it is set
	Flush func(ctx context.Context) error // what is rasterised has binBytes
}

// maxRasterBytes is how much is rasterised before full is called.
const maxRasterBytes = 8 << 20

// Start begins a draw for a view at a worker.
func (d *Binner) Start(r *Draw, view uint32, frame *raster.State) {
	d.Draw, d.View, d.Counted = r, view, state.Statistics{}
	d.params.Grow(4 * layout.VertexWords)
	w := d.params.Words(layout.VertexWords)
	clear(w)
	w[layout.VertexBase], w[layout.VertexBaseInstance], w[layout.VertexDrawIndex], w[layout.VertexViewIndex] = uint32(r.Args.BaseVertex), r.Args.FirstInstance, r.Args.DrawIndex, view
	if r.Args.Index == nil {
		w[layout.VertexBase] = r.Args.First
	}
	d.Raster.Begin(frame)
}

// layout is where in the records of vertices raster finds what it reads.
func (d *Binner) layout() raster.Layout {
	l := d.Pipeline.Record.Raster()
	l.Relative = d.Pipeline.stages.last().Modes.Has(ir.ViewportRelative)
	return l
}

// NewScratch returns the scratch of a worker.
func NewScratch() *Scratch { return &Scratch{Own: compose.OwnResources{PerRun: layout.BindDepth}} }

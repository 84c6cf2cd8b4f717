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

// Run takes the chunks of a turn through all stages up to the rasterizer.
func (d *Binner) Run(ctx context.Context) error {
	for _, d.chunk = range d.Chunks {
		if err := d.runVertices(ctx); err != nil {
			return err
		}
		if err := d.runPrimitiveStages(ctx); err != nil {
			return err
		}
	}
	return nil
}

// runVertices runs the vertex program for the chunk.
func (d *Binner) runVertices(ctx context.Context) error {
	d.countChunk()
	n := d.chunk.vertices()
	d.params.Words(1)[layout.VertexCount] = n
	size := int(n) * int(d.Pipeline.vertexRec.Stride)
	d.records.Grow(size)
	o := &d.Own.Buffers
	o[layout.BindParams] = compose.Shared(d.params.Bytes(4 * layout.VertexWords))
	o[layout.BindVertexList] = compose.Shared(compose.BytesOf(d.chunk.list))
	o[layout.BindRecords] = compose.Shared(d.records.Bytes(size))
	d.bindCaptures(n)
	d.vertexRunner.Bind(&d.vertexBinding, &d.Own)
	return d.vertexRunner.RunGroups(ctx, &d.vertexBinding, (n+vertexGroup-1)/vertexGroup)
}

// layout is where in the records of vertices raster finds what it reads.
func (d *Binner) layout() raster.Layout {
	l := d.Pipeline.Record.Raster()
	l.Relative = d.Pipeline.stages.last().Modes.Has(ir.ViewportRelative)
	return l
}

// rasterize rasterises primitives, and runs fragments where that makes much.
func (d *Binner) rasterize(ctx context.Context, f *primitiveList) error {
	if d.state.Rasterization.Discard {
		return nil
	}
	r := &d.Raster
	v := raster.Records{Layout: d.layout(), Words: f.records.Words(int(f.vertices) * int(d.Pipeline.Record.Stride/4))}
	if d.usesBatches(f, v) {
		d.countClipping(f)
		return d.rasterizeBatches(ctx, f)
	}
	r.Vertices(v)
	d.countClipping(f)
	for i := range f.primitives {
		if d.Stop.Load() { // one primitive may take long, and cover little
			return ctx.Err()
		}
		switch p := &f.primitives[i]; f.topology {
		case state.PointList:
			r.Point(p.v[0], p.id)
		case state.LineList, state.LineStrip, state.LineListAdjacency, state.LineStripAdjacency:
			if p.begins || f.topology == state.LineList || f.topology == state.LineListAdjacency {
				r.ResetStipple()
			}
			r.Line([2]uint32(p.v[:2]), p.provoking, p.id)
		default:
			r.Triangle(p.v, p.provoking, p.id)
		}
		if r.Bytes() >= maxRasterBytes {
			if err := d.Flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// NewScratch returns the scratch of a worker.
func NewScratch() *Scratch { return &Scratch{Own: compose.OwnResources{PerRun: layout.BindDepth}} }

package frontend

import (
	"context"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/tess"
)

// primitiveList is the output of a stage: vertex records and the primitives that they form. records
// and tuples refer to scratch memory of the worker, which the next chunk overwrites.
type primitiveList struct {
	records    *compose.Memory
	vertices   uint32
	topology   enum.Topology
	primitives []primitive

	// The tuple of each primitive: number and vertices. Stages that read primitives use it.
	tuples        []uint32
	tupleVertices uint32 // vertices in a tuple
}

// tupleWords returns the size of a tuple.
func (f *primitiveList) tupleWords() int { return int(f.tupleVertices) + 1 }

// primitiveScratch is the scratch memory of the tessellation and geometry stages.
type primitiveScratch struct {
	flows           [numPrimitiveStages]primitiveList // inputs of the stages
	primitiveParams compose.Memory
	tessellator     tess.Tessellator
	points          []uint32       // domain points of patches, pointBytes each
	controlled      compose.Memory // records of patch vertices, after control
	patches         compose.Memory // per-patch data
	evaluated       compose.Memory
	emitted         compose.Memory // records that the geometry program emits
	marks           compose.Memory // emission marks
	primitiveStrip  []uint32
	captured        compose.Memory // captured records of transform feedback
	otherList       primitiveList  // primitives of a stream that is not rasterized
}

// runPrimitiveStage runs a tessellation or geometry program. Its resources are bound already, apart
// from the parameters.
func (d *Binner) runPrimitiveStage(ctx context.Context, i primitiveStage, groups, count, first, vertices uint32) error {
	d.primitiveParams.Grow(4 * primitiveWords)
	w := d.primitiveParams.Words(primitiveWords)
	w[primitiveCount], w[primitiveFirst], w[primitiveVertices], w[primitiveView] = count, first, vertices, d.params.Words(layout.VertexWords)[layout.VertexViewIndex]
	d.Own.Buffers[layout.BindParams] = compose.Shared(d.primitiveParams.Bytes(4 * primitiveWords))
	return d.runPrimitiveProgram(ctx, i, groups)
}

// runPrimitiveProgram runs the program of a stage. Its resources are bound already.
func (d *Binner) runPrimitiveProgram(ctx context.Context, i primitiveStage, groups uint32) error {
	d.primitiveRunners[i].Bind(&d.primitiveBindings[i], &d.Own)
	d.primitiveRunners[i].Job.Log.NewJob() // its workgroups are numbered from 0
	return d.primitiveRunners[i].RunGroups(ctx, &d.primitiveBindings[i], groups, d.Stop)
}

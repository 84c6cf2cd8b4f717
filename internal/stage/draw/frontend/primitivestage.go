package frontend

import (
	"context"

	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/tess"
)

// primitiveList is vertices behind a stage and the primitives that they make.
type primitiveList struct {
	records    *compose.Memory
	vertices   uint32
	topology   state.Topology
	primitives []primitive

	// Of each primitive the number and the vertices: for a stage that reads primitives.
	rows        []uint32
	rowVertices uint32 // vertices of one
}

// rowWords of one primitive in parts.
func (f *primitiveList) rowWords() int { return int(f.rowVertices) + 1 }

// primitiveScratch is what a draw works with in the middle.
type primitiveScratch struct {
	flows           [numPrimitiveStages]primitiveList // before each of the stages
	primitiveParams compose.Memory
	tessellator     tess.Tessellator
	points          []uint32       // of the domains of patches, pointBytes each
	controlled      compose.Memory // records of the vertices of patches
	patches         compose.Memory // records of patches
	evaluated       compose.Memory
	emitted         compose.Memory // records that the geometry program emits
	marks           compose.Memory // and what it says of them
	primitiveStrip  []uint32
	captured        compose.Memory // what transform feedback takes of vertices
	otherList       primitiveList  // primitives of a stream that is not rasterised
}

// runPrimitiveStage runs a program in the middle for so many workgroups; what it reads and
// writes but its parameters is bound.
func (d *Binner) runPrimitiveStage(ctx context.Context, i primitiveStage, groups, count, first, vertices uint32) error {
	d.primitiveParams.Grow(4 * primitiveWords)
	w := d.primitiveParams.Words(primitiveWords)
	w[primitiveCount], w[primitiveFirst], w[primitiveVertices], w[primitiveView] = count, first, vertices, d.params.Words(layout.VertexWords)[layout.VertexViewIndex]
	d.Own.Buffers[layout.BindParams] = compose.Shared(d.primitiveParams.Bytes(4 * primitiveWords))
	d.primitiveRunners[i].Bind(&d.primitiveBindings[i], &d.Own)
	return d.primitiveRunners[i].RunGroups(ctx, &d.primitiveBindings[i], groups)
}

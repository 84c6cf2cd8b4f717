package frontend

import (
	"context"

	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// Run moves the chunks of a task through all stages up to the bins. A chunk passes through all
// stages before the next begins: its records are in the caches from the vertex program to the
// rasterizer. A draw in place has steps of its own (inplace.go).
func (d *Binner) Run(ctx context.Context) error {
	if d.Pipeline.stages.Mesh != nil {
		return d.runMesh(ctx)
	}
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
	// All of the memory, so that the next chunk has the same buffers (exec.Session). VertexCount bounds the program.
	o := &d.Own.Buffers
	o[layout.BindParams] = compose.Shared(d.params.Bytes(4 * layout.VertexWords))
	o[layout.BindVertexList] = compose.Shared(compose.BytesOf(d.chunk.list[:cap(d.chunk.list)]))
	o[layout.BindRecords] = compose.Shared(compose.BytesOf(d.records.Data))
	d.bindCaptures(n)
	d.vertexRunner.Bind(&d.vertexBinding, &d.Own)
	// The last workgroup can be partly idle; the program compares with VertexCount.
	return d.vertexRunner.RunGroups(ctx, &d.vertexBinding, (n+vertexGroup-1)/vertexGroup, d.Stop)
}

// runPrimitiveStages moves the chunk's vertices through tessellation, geometry and rasterization.
func (d *Binner) runPrimitiveStages(ctx context.Context) error {
	f := &d.flows[tessControl]
	*f = primitiveList{&d.records, d.chunk.vertices(), d.state.Assembly.Topology, d.chunk.primitives, d.chunk.tuples, d.chunk.tupleVertices}
	if d.programs[tessEval] != nil {
		return d.tessellate(ctx, f)
	}
	return d.runGeometry(ctx, f)
}

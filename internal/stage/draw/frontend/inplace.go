package frontend

import (
	"context"

	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Small draws in place: the results of the vertex program and of the set-up program remain where they are until their
// fragments are shaded (raster, inplace.go). All small draws of a worker with records and batches of one size share one memory, one after
// the other, so that their jobs have the same buffers (exec.Session), and fragments of all draws too:
//
//	vertices    draw A │ draw B │ …     from a multiple of 64 on: the first workgroup of the draw's vertex job
//	triangles   draw A │ draw B │ …     likewise of the set-up job; their vertices are numbers in the whole memory

// Fragments read primitives as layout describes them.
var _ = [1]struct{}{}[layout.TriangleBytes-primitiveBytes]

// MaxInPlace is the maximum number of triangles of a draw in place.
const MaxInPlace = 1024

// inPlace is the memory of the draws in place of a worker with one size of records and of batches.
type inPlace struct {
	list       []uint32 // VertexIndex and InstanceIndex of each vertex
	records    compose.Memory
	primitives []primitive
	batches    raster.Batches // with the words of layout.Kept after each

	vertices, triangles inPlaceRange
	stride              int // of the records
}

// inPlaceRange is the use of the memory for vertices or for triangles.
type inPlaceRange struct {
	first, used, space int           // first: of the current draw
	content            []inPlaceDraw // by group of inPlaceGroup
}

// inPlaceDraw is the vertex list or the primitives of a draw at their place in memory. Draws of a frame tend to repeat those of an
// earlier flush at the same place. The zero inPlaceDraw is unknown content.
type inPlaceDraw struct {
	run                 triangleRun
	vertices, triangles int // first of each
}

// inPlaceGroup is the unit of the places: a multiple of the workgroups of both programs, which are powers of two.
const inPlaceGroup = max(vertexGroup, raster.BatchSize)

// allocate makes space for n elements of a draw and reports whether there is enough.
func (r *inPlaceRange) allocate(n int) bool {
	r.first, r.used = r.used, r.used+(n+inPlaceGroup-1)&^(inPlaceGroup-1)
	return r.used <= r.space
}

// has reports whether the memory of the current draw has the content of draw x, and notes that it has it from now on.
func (r *inPlaceRange) has(x inPlaceDraw) bool {
	all := x.run.count > 0
	for i := r.first / inPlaceGroup; i < r.used/inPlaceGroup; i++ {
		all = all && r.content[i] == x
		r.content[i] = x
	}
	return all
}

// maxInPlace bounds the kinds of records with a memory of their own.
const maxInPlace = 8

// inPlaceFor returns the memory for a size of records and a number of words of a batch.
func (d *Scratch) inPlaceFor(stride, words int) *inPlace {
	for _, x := range d.inPlaces {
		if x.stride == stride && x.batches.Words == words {
			return x
		}
	}
	if len(d.inPlaces) == maxInPlace {
		d.inPlaces = d.inPlaces[:0] // draws retain the memory that they have
	}
	x := &inPlace{stride: stride, batches: raster.Batches{Words: words}}
	d.inPlaces = append(d.inPlaces, x)
	return x
}

// CanBeInPlace reports whether triangles of the pipeline can be in place, with a state that many triangles suit.
func (p *Pipeline) CanBeInPlace(s *state.State) bool {
	if p.ReadsPrimitives() || s.ViewMask != 0 || s.Rasterization.DepthBias || len(s.Viewports) == 0 || len(s.Scissors) == 0 {
		return false
	}
	l := p.Record.Raster()
	return l.Viewport < 0 && l.Layer < 0 && l.ClipCount+l.CullCount == 0
}

// Forget makes the memory of all draws in place free. Their fragments are complete.
func (d *Scratch) Forget() {
	const kept = 1 << 16
	for _, x := range d.inPlaces {
		if x.vertices.space > kept || x.triangles.space > kept {
			*x = inPlace{stride: x.stride, batches: raster.Batches{Words: x.batches.Words}}
		}
		x.vertices.used, x.triangles.used = 0, 0 // the content remains known
	}
}

// add makes space for a draw. Earlier draws retain the memory that they have.
func (x *inPlace) add(vertices, triangles int) {
	v, t := &x.vertices, &x.triangles
	if some := v.allocate(vertices); t.allocate(triangles) && some {
		return
	}
	for _, r := range [...]*inPlaceRange{v, t} {
		n := r.used - r.first
		*r = inPlaceRange{used: n, space: max(2*r.space, n)}
		r.content = make([]inPlaceDraw, r.space/inPlaceGroup)
	}
	x.list, x.primitives = make([]uint32, listBytes/4*v.space), make([]primitive, t.space)
	x.batches.Rows = make([][raster.BatchSize]uint32, t.space/raster.BatchSize*x.batches.Words)
	x.records = compose.Memory{}
	x.records.Grow(v.space * x.stride)
}

// runVerticesInPlace is runVertices for a draw in place.
func (d *Binner) runVerticesInPlace(ctx context.Context) error {
	x, n := d.inPlaceFor(int(d.Pipeline.Record.Stride), raster.BatchWords+layout.KeptWords*len(d.Pipeline.kept)), int(d.chunk.vertices())
	d.inPlace = x
	x.add(n, len(d.chunk.primitives))
	if !x.vertices.has(d.drawInPlace()) {
		copy(x.list[listBytes/4*x.vertices.first:], d.chunk.list)
	}
	d.params.Words(1)[layout.VertexCount] = uint32(x.vertices.first + n)
	o := &d.Own.Buffers
	o[layout.BindParams] = compose.Shared(d.params.Bytes(4 * layout.VertexWords))
	o[layout.BindVertexList] = compose.Shared(compose.BytesOf(x.list))
	o[layout.BindRecords] = compose.Shared(compose.BytesOf(x.records.Data))
	d.vertexRunner.Bind(&d.vertexBinding, &d.Own)
	return d.vertexRunner.RunGroupsFrom(ctx, &d.vertexBinding, uint32(x.vertices.first/vertexGroup), uint32((n+vertexGroup-1)/vertexGroup), d.Stop)
}

// listInPlace returns the chunk's triangles, with vertices as numbers in the whole memory.
func (d *Binner) listInPlace() primitiveList {
	x, first := d.inPlace, uint32(d.inPlace.vertices.first)
	list := x.primitives[x.triangles.first:][:len(d.chunk.primitives)]
	result := primitiveList{records: &x.records, vertices: first + d.chunk.vertices(), topology: d.state.Assembly.Topology, primitives: list}
	if x.triangles.has(d.drawInPlace()) {
		return result
	}
	for i := range list {
		p, from := &list[i], &d.chunk.primitives[i]
		p.v = [3]uint32{from.v[0] + first, from.v[1] + first, from.v[2] + first}
		p.provoking, p.id, p.begins = from.provoking+first, from.id, from.begins
	}
	return result
}

// drawInPlace returns the content of the memory of the current draw.
func (d *Binner) drawInPlace() inPlaceDraw {
	return inPlaceDraw{d.chunk.run(), d.inPlace.vertices.first, d.inPlace.triangles.first}
}

// rasterizeInPlace is rasterize for a draw in place.
func (d *Binner) rasterizeInPlace(ctx context.Context, f *primitiveList, v raster.Records) error {
	r, x := &d.Raster, d.inPlace
	if !r.BatchVertices(v, &d.batchParams) {
		return nil // without a scissor nothing is drawn
	}
	d.countClipping(f)
	first := x.triangles.first
	if err := d.runSetUp(ctx, x.records.Data, x.primitives, compose.BytesOf(x.batches.Rows), first, len(f.primitives)); err != nil {
		return err
	}
	for at := 0; at < len(f.primitives); at += raster.BatchSize {
		b := x.batches.At((first + at) / raster.BatchSize)
		n := uint(min(len(f.primitives)-at, raster.BatchSize))
		for i := r.BatchInPlace(b, uint32(first+at), 0, n); i < n; i = r.BatchInPlace(b, uint32(first+at), i+1, n) {
			if d.Stop.Load() {
				return ctx.Err()
			}
			p := &f.primitives[at+int(i)]
			r.TriangleInPlace(b, uint32(first+at+int(i)), i, &p.v, p.provoking, p.id)
			if err := d.flushFull(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// BatchesInPlace returns the batches of the worker's draws in place, and the bytes of the current draw.
func (d *Scratch) BatchesInPlace() (list raster.Batches, bytes int) {
	x := d.inPlace
	return x.batches, (x.vertices.used-x.vertices.first)*(x.stride+listBytes) + (x.triangles.used-x.triangles.first)*(4*x.batches.Words+int(primitiveBytes))
}

// BindInPlace binds the primitives and records of draws in place for their fragments.
func (d *Scratch) BindInPlace(o *compose.OwnResources) {
	x, b := d.inPlace, &o.Buffers
	b[layout.BindRecords] = compose.Shared(compose.BytesOf(x.records.Data))
	b[layout.BindPrimitiveVertices] = compose.Shared(compose.BytesOf(x.primitives))
	b[layout.BindTriangles] = compose.Shared(compose.BytesOf(x.batches.Rows))
}

package frontend

import (
	"context"

	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Small draws in place: the results of the vertex program and of the set-up program remain where they are until their
// fragments are shaded (raster, inplace.go). All small draws of a worker with records and batches of one size share one memory, one after
// the other, so that their jobs have the same buffers (exec.Session), and fragments of all draws too:
//
//	vertices    draw A │ draw B │ …     from a multiple of 64 on: the first workgroup of the draw's vertex job
//	triangles   draw A, draw B │ …      likewise of the set-up job; their vertices are numbers in the whole memory
//
// One set-up job has the triangles of several draws with equal parameters: a job of 100 triangles would leave a quarter of its lanes
// idle.

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
	content            []inPlaceDraw // of the draws since the memory was free, then of those that followed before, as far as they are known
	draws              int           // since the memory was free
}

// inPlaceDraw is the vertex list or the primitives of a draw at their place in memory. Draws of a frame tend to repeat those of an
// earlier flush at the same place. The zero inPlaceDraw is unknown content.
type inPlaceDraw struct {
	run                 triangleRun
	vertices, triangles int // first of each
}

// inPlaceGroup is the alignment of jobs: a multiple of the workgroups of both programs, which are powers of two.
const inPlaceGroup = max(vertexGroup, raster.BatchSize)

// align makes the next draw begin with a workgroup.
func (r *inPlaceRange) align() { r.used = (r.used + inPlaceGroup - 1) &^ (inPlaceGroup - 1) }

// fits reports whether there is space for n more elements.
func (r *inPlaceRange) fits(n int) bool { return r.used+n <= r.space }

// grow is for new memory, with space for at least n elements.
func (r *inPlaceRange) grow(n int) {
	*r = inPlaceRange{space: (max(2*r.space, n) + inPlaceGroup - 1) &^ (inPlaceGroup - 1)}
}

// free makes all memory free. The content remains known.
func (r *inPlaceRange) free() { r.used, r.draws = 0, 0 }

// allocate makes space for n elements of a draw.
func (r *inPlaceRange) allocate(n int) { r.first, r.used = r.used, r.used+n }

// has reports whether the memory of the current draw has the content of draw x, and notes that it has it from now on.
func (r *inPlaceRange) has(x inPlaceDraw) bool {
	i := r.draws
	r.draws++
	if i < len(r.content) && r.content[i] == x && x.run.count > 0 {
		return true
	}
	r.content = append(r.content[:i], x)
	return false
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

// CanBeInPlace reports whether triangles of the pipeline can be in place, with a state that many triangles suit. Those of mesh
// programs cannot: their number is known after the program only.
func (p *Pipeline) CanBeInPlace(s *state.State) bool {
	if p.IsMesh() || p.ReadsPrimitives() || s.ViewMask != 0 || s.Rasterization.DepthBias || len(s.Viewports) == 0 || len(s.Scissors) == 0 {
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
		x.vertices.free()
		x.triangles.free()
	}
}

// add makes space for a draw. Earlier draws retain the memory that they have.
func (x *inPlace) add(vertices, triangles int) {
	v, t := &x.vertices, &x.triangles
	v.align()
	if !v.fits(vertices) || !t.fits(triangles) {
		v.grow(vertices)
		t.grow(triangles)
		x.list, x.primitives = make([]uint32, listBytes/4*v.space), make([]primitive, t.space)
		x.batches.Rows = make([][raster.BatchSize]uint32, t.space/raster.BatchSize*x.batches.Words)
		x.records = compose.Memory{}
		x.records.Grow(v.space * x.stride)
	}
	v.allocate(vertices)
	t.allocate(triangles)
}

// Triangles are the triangles of a draw in place.
type Triangles struct {
	primitiveList
	memory          *inPlace
	vertices, first int // of the draw, first of all triangles
}

// waitingTriangles are triangles of draws in place, one after the other, for one set-up job.
type waitingTriangles struct {
	memory   *inPlace
	pipeline *Pipeline
	program  *compute.Variant[batchKey]
	params   raster.BatchParams
	first, n int
}

// Joins reports whether the triangles of chunk i of the draw can follow those that wait for their set-up.
func (d *Binner) Joins(i int) bool {
	w, c := &d.waiting, d.Chunks[i]
	if w.n == 0 {
		return true
	}
	x := w.memory
	v := x.vertices
	v.align()
	return w.pipeline == d.Pipeline && w.program == d.heldBatch && x == d.findInPlace() && v.fits(int(c.vertices())) && x.triangles.fits(len(c.primitives)) && w.params == d.setUpParams()
}

// Fits reports whether chunk i of the draw has space in the memory of draws like it. Otherwise Wait makes new memory.
func (d *Binner) Fits(i int) bool {
	x, c := d.findInPlace(), d.Chunks[i]
	v, t := x.vertices, x.triangles
	v.align()
	t.align()
	return v.fits(int(c.vertices())) && t.fits(len(c.primitives))
}

// setUpParams returns the parameters of the set-up program for the draw.
func (d *Binner) setUpParams() (p raster.BatchParams) {
	d.Raster.BatchVertices(raster.Records{Layout: d.layout()}, &p)
	return p
}

// Wait runs the vertex program for chunk i of the draw. Its triangles wait for SetUp.
func (d *Binner) Wait(ctx context.Context, i int) (t Triangles, err error) {
	d.chunk = d.Chunks[i]
	d.countChunk()
	w := &d.waiting
	if w.n == 0 {
		d.findInPlace().triangles.align()
	}
	if err := d.runVerticesInPlace(ctx); err != nil {
		return Triangles{}, err
	}
	x := d.inPlace
	t = Triangles{d.listInPlace(), x, x.vertices.used - x.vertices.first, x.triangles.first}
	d.outputStream(0, &t.primitiveList)
	if w.n == 0 {
		*w = waitingTriangles{memory: x, pipeline: d.Pipeline, program: d.heldBatch, first: t.first, params: d.setUpParams()}
	}
	w.n += len(t.primitives)
	return t, nil
}

// SetUp sets up all triangles that wait. The current draw must have some of them.
func (d *Binner) SetUp(ctx context.Context) error {
	w, x := &d.waiting, d.waiting.memory
	first, n := w.first, w.n
	d.batchParams = w.params
	*w = waitingTriangles{}
	return d.runSetUp(ctx, x.records.Data, x.primitives, compose.BytesOf(x.batches.Rows), first, n)
}

// findInPlace returns the memory of draws like the current one.
func (d *Binner) findInPlace() *inPlace {
	return d.inPlaceFor(int(d.Pipeline.Record.Stride), raster.BatchWords+layout.KeptWords*len(d.Pipeline.kept))
}

// runVerticesInPlace is runVertices for a draw in place.
func (d *Binner) runVerticesInPlace(ctx context.Context) error {
	x, n := d.findInPlace(), int(d.chunk.vertices())
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

// RasterizeInPlace adds the triangles of a draw in place to the bins, after SetUp.
func (d *Binner) RasterizeInPlace(ctx context.Context, f *Triangles) error {
	r, x := &d.Raster, f.memory
	d.inPlace = x
	v := raster.Records{Layout: d.layout(), Words: f.records.Words(int(f.primitiveList.vertices) * int(d.Pipeline.Record.Stride/4))}
	if !r.BatchVertices(v, &d.batchParams) {
		return nil // without a scissor nothing is drawn
	}
	d.countClipping(&f.primitiveList)
	for at, end := f.first, f.first+len(f.primitives); at < end; {
		batch := at &^ (raster.BatchSize - 1)
		b, n := x.batches.At(batch/raster.BatchSize), uint(min(end-batch, raster.BatchSize))
		for i := r.BatchInPlace(b, uint32(batch), uint(at-batch), n); i < n; i = r.BatchInPlace(b, uint32(batch), i+1, n) {
			if d.Stop.Load() {
				return ctx.Err()
			}
			p := &f.primitives[batch+int(i)-f.first]
			r.TriangleInPlace(b, uint32(batch)+uint32(i), i, &p.v, p.provoking, p.id)
			if err := d.flushFull(ctx); err != nil {
				return err
			}
		}
		at = batch + int(n)
	}
	return nil
}

// Batches returns the batches of the worker's draws in place.
func (f *Triangles) Batches() raster.Batches { return f.memory.batches }

// Bytes returns the bytes of the draw.
func (f *Triangles) Bytes() int {
	x := f.memory
	return f.vertices*(x.stride+listBytes) + len(f.primitives)*(4*x.batches.Words+int(primitiveBytes))
}

// BindInPlace binds the primitives and records of draws in place for their fragments.
func (d *Scratch) BindInPlace(o *compose.OwnResources) {
	x, b := d.inPlace, &o.Buffers
	b[layout.BindRecords] = compose.Shared(compose.BytesOf(x.records.Data))
	b[layout.BindPrimitiveVertices] = compose.Shared(compose.BytesOf(x.primitives))
	b[layout.BindTriangles] = compose.Shared(compose.BytesOf(x.batches.Rows))
}

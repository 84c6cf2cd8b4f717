package frontend

import (
	"context"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// batchAtOnce is the number of triangles between set-up and rasterization. Their set-up data stays
// in the caches. A triangle has 144 bytes of set-up data, 1024 of them 144 KiB: less than the L2
// cache.
const batchAtOnce = 16 * raster.BatchSize

// setUpProgram builds the set-up program for a key. kept are the components that it keeps with triangles in place (layout.Record). Its
// subgroups have the size of the smallest vectors; engines merge subgroups to fill wider registers. It is compiled once
// per pipeline and key, and only for many triangles (draw.manyTriangles).
func setUpProgram(key batchKey, kept []uint32) (*ir.Program, error) {
	main := ir.NewFunc("main", nil, nil).Finish()
	s := &triangleShader{key: key, words: raster.BatchWords, Builder: compose.New("draw", &ir.Program{Name: "triangles", Stage: ir.Compute, Funcs: []*ir.Func{main}, SubgroupSize: 8})}
	if key.inPlace {
		s.kept, s.words = kept, raster.BatchWords+layout.KeptWords*uint64(len(kept))
	}
	s.Program.LocalSize = [3]uint32{raster.BatchSize, 1, 1}
	return s.Build(func(func()) {
		s.B.If(s.B.Cmp(ir.ULt, s.BuiltIn(ir.GlobalInvocationIdX), s.Param(ir.I32, batchCount)))
		if key.lines {
			s.line()
		} else {
			s.triangle()
		}
		s.B.End()
	})
}

// usesBatches reports whether the set-up program handles the triangles or lines, and prepares the rasterizer
// for it. Viewport or layer outputs, clip distances, polygon modes other than fill and several kinds of lines need the
// scalar path.
func (d *Binner) usesBatches(f *primitiveList, v raster.Records) bool {
	if d.heldBatch == nil || len(f.primitives) < d.MinBatch {
		return false
	}
	// The last stage determines the topology. One that reads primitives can have others than the draw, which the program is for.
	switch lines := d.setsUpLines(); state.Corners(f.topology) {
	case 2:
		return lines && d.Raster.BatchLines(v, &d.batchParams)
	case 3:
		return !lines && d.Raster.BatchVertices(v, &d.batchParams)
	}
	return false
}

// setUpBatch runs the set-up program for triangles or lines.
func (d *Binner) setUpBatch(ctx context.Context, f *primitiveList, list []primitive) error {
	if n := (len(list) + raster.BatchSize - 1) / raster.BatchSize; n > len(d.batches) {
		d.batches = make([]raster.Batch, n)
	}
	// All of the memory, so that the next chunk has the same buffers (exec.Session).
	return d.runSetUp(ctx, f.records.Data, list[:cap(list)], compose.BytesOf(d.batches), 0, len(list))
}

// runSetUp runs the set-up program for n triangles of a list, from number first on, a multiple of raster.BatchSize.
func (d *Binner) runSetUp(ctx context.Context, records []uint64, list []primitive, to []byte, first, n int) error {
	d.batchWords.Grow(4 * batchParamWords)
	w := d.batchWords.Words(batchParamWords)
	// The last batch is partly empty; the count masks its idle lanes.
	w[batchCount], w[batchStride] = uint32(first+n), d.Pipeline.Record.Stride
	d.batchParams.Words(w[batchRaster:])
	o := &d.Own.Buffers
	o[layout.BindParams] = compose.Shared(d.batchWords.Bytes(4 * batchParamWords))
	o[layout.BindPrimitiveVertices] = compose.Shared(compose.BytesOf(list))
	o[layout.BindRecords] = compose.Shared(compose.BytesOf(records))
	o[layout.BindTriangles] = compose.Shared(to)
	d.batchRunner.Bind(&d.batchBinding, &d.Own)
	return d.batchRunner.RunGroupsFrom(ctx, &d.batchBinding, uint32(first/raster.BatchSize), uint32(n+raster.BatchSize-1)/raster.BatchSize, d.Stop)
}

// rasterizeBatches sets triangles or lines up with the program and adds them to the bins. Set-up is
// vectorized, but they enter the bins in primitive order.
func (d *Binner) rasterizeBatches(ctx context.Context, f *primitiveList) error {
	for list := f.primitives; len(list) > 0; {
		some := list[:min(len(list), batchAtOnce)]
		list = list[len(some):]
		if err := d.setUpBatch(ctx, f, some); err != nil {
			return err
		}
		for i := 0; i < len(some); i += raster.BatchSize {
			if d.Stop.Load() {
				return ctx.Err()
			}
			if err := d.rasterizeBatch(ctx, &d.batches[i/raster.BatchSize], some[i:min(i+raster.BatchSize, len(some))]); err != nil {
				return err
			}
		}
	}
	return nil
}

// rasterizeBatch adds the triangles or lines of a batch to the bins.
func (d *Binner) rasterizeBatch(ctx context.Context, b *raster.Batch, list []primitive) error {
	r, states, lines := &d.Raster, &b[raster.BatchState], d.setsUpLines()
	for i := range min(uint(len(list)), raster.BatchSize) {
		state := states[i]
		if state == raster.BatchEmpty {
			continue
		}
		p := &list[i]
		if lines {
			r.BatchLine(b, i, [2]uint32(p.v[:2]), p.provoking, p.id)
		} else {
			r.BatchTriangle(b, i, &p.v, p.provoking, p.id)
		}
		if state < raster.BatchSplit {
			continue // a tiny one takes little time and memory
		}
		if d.Stop.Load() {
			return ctx.Err()
		}
		if err := d.flushFull(ctx); err != nil {
			return err
		}
	}
	return d.flushFull(ctx)
}

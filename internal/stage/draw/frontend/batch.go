package frontend

import (
	"context"

	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// batchAtOnce is the number of triangles between set-up and rasterization. Their set-up data stays
// in the caches. A triangle has 144 bytes of set-up data, 1024 of them 144 KiB: less than the L2
// cache.
const batchAtOnce = 16 * raster.BatchSize

// usesBatches reports whether the set-up program handles the triangles, and prepares the rasterizer
// for it. Viewport or layer outputs, clip distances and polygon modes other than fill need the
// scalar path.
func (d *Binner) usesBatches(f *primitiveList, v raster.Records) bool {
	return d.heldBatch != nil && state.Corners(f.topology) == 3 && len(f.primitives) >= d.MinBatch && d.Raster.BatchVertices(v, &d.batchParams)
}

// setUpBatch runs the set-up program for triangles.
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

// rasterizeBatches sets triangles up with the program and adds them to the bins. Set-up is
// vectorized, but triangles enter the bins in primitive order.
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

// rasterizeBatch adds the triangles of a batch to the bins.
func (d *Binner) rasterizeBatch(ctx context.Context, b *raster.Batch, list []primitive) error {
	r, states := &d.Raster, &b[raster.BatchState]
	for i := range min(uint(len(list)), raster.BatchSize) {
		state := states[i]
		if state == raster.BatchEmpty {
			continue
		}
		p := &list[i]
		r.BatchTriangle(b, i, &p.v, p.provoking, p.id)
		if state < raster.BatchSplit {
			continue // a tiny triangle takes little time and memory
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

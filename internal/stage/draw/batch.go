package draw

import (
	"context"

	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// leastBatched is how many triangles a pipeline has been given before the program is made
// that sets them up, for making it takes as long as setting up so many without; leastBatch
// is how many it then does at least: fewer are set up sooner one by one.
var (
	leastBatched uint64 = 1 << 14
	leastBatch          = raster.BatchSize
)

// batchAtOnce is how many are set up before they are rasterised, so that what is said
// of them stays in the caches.
const batchAtOnce = 16 * raster.BatchSize

// batchKey is all that the code of the program that sets up triangles depends on.
type batchKey struct{}

// manyTriangles reports whether the pipeline has been given so many triangles, with those
// of the draw, that a program is to set them up.
func (d *recorded) manyTriangles() bool {
	r, t := &d.state.Rasterization, d.state.Assembly.Topology
	if r.Discard || r.PolygonMode != Fill {
		return false
	}
	n := uint64(d.args.Count)
	if !d.pipeline.reads() {
		if t.corners() != 3 {
			return false
		}
		n = uint64(primitivesOf(t, d.args.Count))
	}
	n *= uint64(d.args.Instances)
	return d.pipeline.triangles.Add(n) >= leastBatched && n >= uint64(leastBatch)
}

// batched prepares the rasterizer for triangles that a program sets up, and reports
// whether it is to do so.
func (d *drawing) batched(f *flow, v raster.Records) bool {
	return d.heldBatch != nil && f.topology.corners() == 3 && len(f.primitives) >= leastBatch && d.raster.BatchVertices(v, &d.batchParams)
}

// batch sets triangles up, which the rasterizer then adds.
func (d *drawing) batch(ctx context.Context, f *flow, list []primitive) error {
	if n := (len(list) + raster.BatchSize - 1) / raster.BatchSize; n > len(d.batches) {
		d.batches = make([]raster.Batch, n)
	}
	d.batchWords.size(4 * batchParamWords)
	w := d.batchWords.words(batchParamWords)
	w[batchCount], w[batchStride] = uint32(len(list)), d.pipeline.rec.stride
	d.batchParams.Words(w[batchRaster:])
	o := &d.own.buffers
	o[bindParams] = shared(d.batchWords.bytes(4 * batchParamWords))
	o[bindParts] = shared(bytesOf(list))
	o[bindRecords] = shared(f.records.bytes(int(f.vertices) * int(d.pipeline.rec.stride)))
	o[bindBatches] = shared(bytesOf(d.batches))
	d.batchRun.bind(&d.batchBound, &d.own)
	return d.batchRun.groups(ctx, &d.batchBound, uint32(len(list)+raster.BatchSize-1)/raster.BatchSize)
}

// triangles rasterises triangles that a program sets up.
func (d *drawing) triangles(ctx context.Context, f *flow) error {
	r := &d.raster
	for list := f.primitives; len(list) > 0; {
		some := list[:min(len(list), batchAtOnce)]
		list = list[len(some):]
		if err := d.batch(ctx, f, some); err != nil {
			return err
		}
		for i := range some {
			if d.pass.setting.stop.Load() {
				return ctx.Err()
			}
			p := &some[i]
			r.BatchTriangle(&d.batches[i/raster.BatchSize], uint(i), &p.v, p.provoking, p.id)
			if r.Bytes() >= sheetBytes {
				if err := d.spill(ctx); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

package frontend

import (
	"context"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// rasterize clips, sets up and rasterizes primitives into the worker's bins, and flushes these if they
// are large.
func (d *Binner) rasterize(ctx context.Context, f *primitiveList) error {
	// Feedback and statistics of the last stage are complete at this point.
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
		if d.Stop.Load() { // one primitive can take long and cover little
			return ctx.Err()
		}
		switch p := &f.primitives[i]; f.topology {
		case enum.TopologyPointList:
			r.Point(p.v[0], p.id)
		case enum.TopologyLineList, enum.TopologyLineStrip, enum.TopologyLineListWithAdjacency, enum.TopologyLineStripWithAdjacency:
			// Vulkan restarts the stipple pattern at each line of a list, and only at the first line
			// of a strip.
			if p.begins || f.topology == enum.TopologyLineList || f.topology == enum.TopologyLineListWithAdjacency {
				r.ResetStipple()
			}
			r.Line([2]uint32(p.v[:2]), p.provoking, p.id)
		default:
			r.Triangle(p.v, p.provoking, p.id)
		}
		if err := d.flushFull(ctx); err != nil {
			return err
		}
	}
	return nil
}

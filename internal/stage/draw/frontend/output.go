package frontend

import (
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// outputStream is the exit of the last stage before the rasterizer: statistics and transform
// feedback for primitives of a stream. It runs before rasterizer discard, which does not affect
// feedback and the count of generated primitives.
func (d *Binner) outputStream(stream uint32, f *primitiveList) {
	if s := d.statistics(); s != nil {
		s.Generated[stream] += uint64(len(f.primitives))
		if d.programs[geometry] != nil {
			s.GeometryPrimitives += uint64(len(f.primitives))
		}
	}
	d.writeFeedback(stream, f)
}

// countChunk counts the primitives and vertices of the chunk.
func (d *Binner) countChunk() {
	if s := d.statistics(); s != nil {
		s.InputPrimitives += uint64(len(d.chunk.primitives))
		s.VertexInvocations += uint64(d.chunk.vertices())
	}
}

// statistics returns the worker's counters, nil if the draw has no statistics.
func (d *Binner) statistics() *state.Statistics {
	if d.Args.Statistics == nil {
		return nil
	}
	return &d.Counted
}

// countClipping counts primitives before and after clipping. The rasterizer has their vertices
// already. The clipper itself runs later, or in the set-up program, which reports no count.
func (d *Binner) countClipping(f *primitiveList) {
	s := d.statistics()
	if s == nil {
		return
	}
	s.ClippingInvocations += uint64(len(f.primitives))
	n := state.Corners(f.topology)
	for i := range f.primitives {
		if p := &f.primitives[i]; d.Raster.SurvivesClipping(p.v[:n], p.provoking) {
			s.ClippingPrimitives++
		}
	}
}

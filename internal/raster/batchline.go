package raster

import (
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
)

// BatchLines is [Rasterizer.BatchVertices] for lines. The program sets up rectangles of one sample, without stipple. In a viewport of
// usual size the position of a vertex near the framebuffer is the same in float32 and float64, but for a small part of a pixel.
func (r *Rasterizer) BatchLines(v Records, p *BatchParams) bool {
	s := r.state
	plain := s.LineMode == enum.LineModeDefault || s.LineMode == enum.LineModeRectangular
	if !r.centreOnly || !plain || s.Stipple.Factor > 0 || len(r.views) == 0 || !r.views[0].safe() || !r.BatchVertices(v, p) {
		return false
	}
	p.Bounds, p.HalfWidth = r.clipRects[0].others, r.width()/2
	return true
}

// BatchLine adds line i of a batch, as [Rasterizer.Line] would with the same v, provoking and id. Its weights C and the weight of a third
// vertex are 0.
func (r *Rasterizer) BatchLine(b *Batch, i uint, v [2]uint32, provoking, id uint32) {
	i %= BatchSize
	var q slot
	var roles uint32
	vertices := [3]uint32{v[0], v[1], v[1]}
	switch state := b[BatchState][i]; state {
	case BatchEmpty:
		return
	case BatchFallback:
		r.Line(v, provoking, id)
		return
	case BatchSplit:
		if !r.batchSplit(b[BatchBlock][i], b.mask(i)) {
			return
		}
		q, roles = r.commitVaryings(&vertices, provoking)
	default:
		q, roles = r.addTiny(int32(state), b[BatchBlock][i], b.mask(i), &vertices, provoking)
	}
	f := func(word int) float32 { return math.Float32frombits(b[word][i]) }
	q.ID, q.Flags = id, b[BatchFlags][i]|roles
	q.X, q.Y = f(BatchX), f(BatchY)
	// −0 + 0 is 0, as with any other path.
	q.Z.C, q.Z.X, q.Z.Y = float32(f(BatchZ)+0), f(BatchZ+1), f(BatchZ+2)
	q.W.C, q.W.X, q.W.Y = f(BatchW), f(BatchW+1), f(BatchW+2)
	q.Q1.C, q.Q1.X, q.Q1.Y = 0, f(BatchQ1), f(BatchQ1+1)
	q.Q2 = Plane{}
	if !r.state.Short {
		*q.PrimitiveRest = PrimitiveRest{L1: Plane{0, f(BatchL1), f(BatchL1 + 1)}, MinZ: r.views[0].min, MaxZ: r.views[0].max}
	}
}

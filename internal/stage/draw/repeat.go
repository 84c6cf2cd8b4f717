package draw

import (
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// repeat records a draw like x, the last one of the pass, if they differ in push constants and the first vertex and instance
// alone, and reports whether it did. The draw uses the programs, resources and states of x, without a search for them. x is
// released after it has no more use, together with d. A draw that is not recorded together with others leaves no x.
func (d *recordedDraw) repeat(x *recordedDraw, from *Pipeline, a *state.Args) bool {
	if x.from != from || (a.Index == nil) != (x.args.Index == nil) || a.IndexBytes != x.args.IndexBytes || a.Passed != x.args.Passed || a.Statistics != x.args.Statistics || a.Count != x.args.Count || a.Instances != x.args.Instances || len(a.Shader.Push) > compute.MaxPushBytes ||
		x.state.Multisample.Mask != nil || x.frame.Locations != nil || x.target == &x.remap.target || len(x.state.Discard.Rectangles) > 0 || x.rates.attachment != nil {
		return false
	}
	d.pipeline, d.from, d.state, d.target, d.key, d.rates = x.pipeline, x.from, x.state, x.target, x.key, x.rates
	d.args = *a
	d.invocations, d.overwrites, d.hiz, d.counts = x.invocations, x.overwrites, x.hiz, [layout.NumCounts]uint64{}
	views, scissors := append(d.frame.Viewports[:0], x.frame.Viewports...), append(d.frame.Scissors[:0], x.frame.Scissors...)
	d.frame = x.frame
	d.frame.Viewports, d.frame.Scissors = views, scissors
	p := d.pipeline
	p.mu.Lock()
	d.front.Like(&x.front, &d.args, &d.state)
	d.heldFragment = x.heldFragment.Use()
	p.mu.Unlock()
	d.fragmentBound.Like(&x.fragmentBound, &d.args.Shader)
	d.manyTriangles() // they count
	d.detach(a)
	return true
}

package draw

import (
	"bytes"
	"context"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// repeatable reports whether x, the last draw of the pass, can be the model of a draw that differs in descriptors, push
// constants, and the first vertex and instance alone. A draw that is not recorded together with others leaves no model, nor does
// a draw of a mesh pipeline.
func (x *recordedDraw) repeatable(from *Pipeline, a *state.Args) bool {
	return x.from == from && !from.IsMesh() && !a.Mesh && (a.Index == nil) == (x.args.Index == nil) && a.IndexBytes == x.args.IndexBytes && a.Passed == x.args.Passed && a.Statistics == x.args.Statistics &&
		a.Count == x.args.Count && a.Instances == x.args.Instances && len(a.Shader.Push) <= compute.MaxPushBytes &&
		x.frame.Locations == nil && x.target != &x.remap.target && len(x.state.Discard.Rectangles) == 0 && x.rates.attachment == nil
}

// repeat records a draw with the programs, resources and states of x, without a search for them. The draws of a pass are
// released together.
func (d *recordedDraw) repeat(x *recordedDraw, a *state.Args) {
	d.copyStates(x, a)
	p := d.pipeline
	p.mu.Lock()
	d.front.Like(&x.front, &d.args, &d.state)
	d.heldFragment = x.heldFragment.Use()
	p.mu.Unlock()
	d.fragmentBound.Like(&x.fragmentBound, &d.args.Shader)
	d.detach(a)
}

// joins reports whether the fragments of the draw, which repeats x, have the same inputs as those of x apart from their primitives. The
// primitives of both can be in one bin list then.
func (d *recordedDraw) joins(x *recordedDraw) bool {
	s := &d.args.Shader
	return !d.key.InPlace && d.state.ViewMask == 0 && d.args.Passed == nil && d.args.Statistics == nil && s.Log == nil && s.Shadow == nil &&
		(d.heldFragment.Program.IR().PushBytes == 0 || bytes.Equal(d.push, x.push))
}

// joinsUnbound is joins for a draw with other sets of descriptors than x: its fragment program reads none of them.
func (d *recordedDraw) joinsUnbound(x *recordedDraw) bool {
	return d.key == x.key && d.heldFragment == x.heldFragment && d.fragmentBound.Unbound() && x.fragmentBound.Unbound() && d.joins(x)
}

// repeatState records a draw with the states of x, and programs and resources of its own: of the stages before the rasterizer only if
// they read sets of descriptors. Release must follow, even after an error.
func (d *recordedDraw) repeatState(ctx context.Context, x *recordedDraw, a *state.Args) error {
	d.copyStates(x, a)
	if x.front.Unbound() {
		if err := d.repeatFront(ctx, x, a); err != nil {
			return err
		}
		d.detach(a)
		return nil
	}
	d.state.Vertex = d.pipeline.state.Vertex
	if a.State != nil {
		d.state.Vertex = a.State.Vertex
	}
	if err := d.hold(ctx, a, x.front.MinBatch > 0); err != nil {
		return err
	}
	if err := d.bind(a); err != nil {
		return err
	}
	d.frame.Short = d.short()
	d.detach(a)
	return nil
}

// repeatFront makes the stages before the rasterizer those of x, and finds the fragment program and its resources.
func (d *recordedDraw) repeatFront(ctx context.Context, x *recordedDraw, a *state.Args) error {
	p := d.pipeline
	p.mu.Lock()
	d.front.Like(&x.front, &d.args, &d.state)
	err := d.holdFragment(ctx, a)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	d.frame.Short = d.short()
	var o compose.OwnResources
	d.ownViews(&o)
	return d.fragmentBound.Resolve(d.heldFragment.Program, ir.Fragment, &d.args.Shader, &o)
}

// copyStates copies the states of x.
func (d *recordedDraw) copyStates(x *recordedDraw, a *state.Args) {
	d.pipeline, d.from, d.state, d.target, d.key, d.rates = x.pipeline, x.from, x.state, x.target, x.key, x.rates
	d.args = *a
	d.invocations, d.overwrites, d.hiz, d.counts = x.invocations, x.overwrites, x.hiz, [layout.NumCounts]uint64{}
	views, scissors := append(d.frame.Viewports[:0], x.frame.Viewports...), append(d.frame.Scissors[:0], x.frame.Scissors...)
	d.frame = x.frame
	d.frame.Viewports, d.frame.Scissors = views, scissors
	d.manyTriangles() // they count
}

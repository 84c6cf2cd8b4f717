package draw

import (
	"bytes"
	"context"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/frontend"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// repeatable reports whether x, the last draw of the pass, can be the model of a draw that differs in descriptors, push
// constants, and the first vertex and instance alone. A draw that is not recorded together with others leaves no model, nor does
// a draw of a mesh pipeline.
func (x *recordedDraw) repeatable(from *Pipeline, a *state.Args) bool {
	return x.alike(from, a) && a.Count == x.args.Count && a.Instances == x.args.Instances && len(a.Shader.Push) <= compute.MaxPushBytes &&
		x.frame.Locations == nil && x.target != &x.remap.target && len(x.state.Discard.Rectangles) == 0 && x.rates.attachment == nil
}

// alike reports whether x is of the same pipeline and of the same kind as a draw with the arguments.
func (x *recordedDraw) alike(from *Pipeline, a *state.Args) bool {
	return x.from == from && !from.IsMesh() && !a.Mesh && (a.Index == nil) == (x.args.Index == nil) && a.IndexBytes == x.args.IndexBytes && a.Passed == x.args.Passed && a.Statistics == x.args.Statistics
}

// addedRanges are the vertices and instances of draws that have become a part of the one before. Their vertices are in chunks together:
//
//	draw 0, 3 vertices, 1 instance, FirstInstance 0   │ recorded
//	draw 1, the same with FirstInstance 1             │ added         one chunk of 6 vertices, 2 primitives
type addedRanges struct {
	list      []state.Range
	vertices  uint64
	triangles uint64 // for the set-up program, the recorded draw included
}

// reset removes all ranges.
func (r *addedRanges) reset() { r.list, r.vertices, r.triangles = r.list[:0], 0, 0 }

// Bounds of added ranges. A draw with more vertices than maxAdded is worth a launch, and has chunks that instances repeat. The sum bounds
// the work of a draw before shading can begin.
const (
	maxAdded    = frontend.ChunkVertices / 8
	maxAddedSum = 32 * frontend.ChunkVertices
)

// accepts reports whether a draw of the range that repeats x, the last step, can become a part of x: no program and no counter can tell
// them apart.
func (x *recordedDraw) accepts(r *state.Range, push []byte) bool {
	s := &x.args.Shader
	switch n := r.Vertices(); {
	case x.front.PerDraw || x.key.InPlace || x.state.ViewMask != 0 || n > maxAdded || x.vertices()+n > maxAddedSum:
		return false
	case x.args.Statistics != nil || x.args.Feedback != nil || s.Log != nil || s.Shadow != nil || s.Hook != nil:
		return false
	case x.front.PushBytes() == 0 && x.heldFragment.Program.IR().PushBytes == 0:
		return true
	}
	return bytes.Equal(push, x.push)
}

// take makes a draw of an accepted range a part of x.
func (x *recordedDraw) take(ctx context.Context, r *state.Range) error {
	p := x.pipeline
	if r.Vertices() == 0 {
		return nil
	}
	if len(x.added.list) == 0 {
		x.added.triangles = x.triangles(x.args.Count, x.args.Instances)
	}
	n := x.triangles(r.Count, r.Instances)
	x.added.list = append(x.added.list, *r)
	x.added.vertices += r.Vertices()
	x.added.triangles += n
	if p.triangles.Add(n) < minBatchTotal || x.added.triangles < uint64(minBatchDraw) || x.front.MinBatch > 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return x.front.AddBatch(ctx, p.engine, minBatchDraw, &compose.OwnResources{PerRun: layout.BindDepth})
}

// Add records a draw that has the arguments of the last one of the pass, but for the range, push constants and the sets of descriptors in
// rebound, if it can become a part of that, and reports whether it does. indexed tells whether the draw has indices.
func (p *Pass) Add(ctx context.Context, r *state.Range, indexed bool, push []byte, rebound uint64) (bool, error) {
	n := len(p.steps)
	if n == 0 || p.steps[n-1].draw == nil {
		return false, nil
	}
	x := p.steps[n-1].draw
	if (x.args.Index != nil) != indexed || x.pipeline.reads(rebound) || !x.accepts(r, push) {
		return false, nil
	}
	return true, x.take(ctx, r)
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
	return d.state.ViewMask == 0 && d.args.Passed == nil && d.args.Statistics == nil && s.Log == nil && s.Shadow == nil &&
		(d.heldFragment.Program.IR().PushBytes == 0 || bytes.Equal(d.push, x.push))
}

// joinsRebound is joins for a draw that binds other descriptor sets than x: its fragment program reads none of them.
func (d *recordedDraw) joinsRebound(x *recordedDraw, rebound uint64) bool {
	return d.key.Pixels == x.key.Pixels && d.heldFragment == x.heldFragment && d.pipeline.fragmentSets&rebound == 0 && d.joins(x)
}

// repeatState records a draw with the states of x, and with programs and resources of its own if they depend on sets of descriptors.
// Release must follow, even after an error.
func (d *recordedDraw) repeatState(ctx context.Context, x *recordedDraw, a *state.Args) error {
	d.copyStates(x, a)
	front, err := d.holdLike(ctx, x, a)
	if err != nil {
		return err
	}
	err = d.bindLike(x, a, front)
	d.frame.Short = d.short()
	d.detach(a)
	return err
}

// bindLike resolves the resources of a draw with the states of x. front tells whether it shares the programs before the rasterizer with x.
func (d *recordedDraw) bindLike(x *recordedDraw, a *state.Args, front bool) error {
	if !front {
		d.state.Vertex = d.pipeline.state.Vertex
		if a.State != nil {
			d.state.Vertex = a.State.Vertex
		}
		return d.bind(a)
	}
	if d.pipeline.frontSets&a.Rebound != 0 {
		if err := d.front.Rebind(&x.front); err != nil {
			return err
		}
	}
	switch {
	case d.pipeline.fragmentSets&a.Rebound == 0:
		d.fragmentBound.Like(&x.fragmentBound, &d.args.Shader)
		return nil
	case d.key.Pixels == x.key.Pixels && x.fragmentBound.Fits(d.heldFragment.Program):
		return d.fragmentBound.Rebind(&x.fragmentBound, d.heldFragment.Program, ir.Fragment, &d.args.Shader)
	}
	return d.bindFragment()
}

// holdLike compiles or finds the programs of a draw with the states of x, and reports whether those before the rasterizer are the ones
// of x.
func (d *recordedDraw) holdLike(ctx context.Context, x *recordedDraw, a *state.Args) (front bool, err error) {
	p := d.pipeline
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frontSets&a.Rebound == 0 {
		d.front.Like(&x.front, &d.args, &d.state)
		front = true
	} else if front, err = d.front.LikeState(ctx, &x.front, &d.args, &d.state, p.engine, p.options); err != nil {
		return false, err
	}
	if p.fragmentSets&a.Rebound == 0 {
		d.heldFragment = x.heldFragment.Use()
		return front, nil
	}
	if d.heldFragment, err = p.fragment.AcquireLike(ctx, x.heldFragment, p.engine, p.options, a.Shader.Of(ir.Fragment)); err != nil {
		return false, err
	}
	return front, d.dropPixels(ctx, a)
}

// bindFragment resolves the resources of the fragment program.
func (d *recordedDraw) bindFragment() error {
	var o compose.OwnResources
	d.ownViews(&o)
	return d.fragmentBound.Resolve(d.heldFragment.Program, ir.Fragment, &d.args.Shader, &o)
}

// keepModel makes the last recorded draw, which a draw with the arguments is to repeat, outlive the next flush: a pass of many draws has
// many flushes, and a draw without a model costs much more.
func (p *Pass) keepModel(from *Pipeline, a *state.Args) {
	if n := p.inUse.draws; a.Repeats && n > 0 && p.draws[n-1].repeatable(from, a) {
		p.model = p.draws[n-1]
	}
}

// releaseDraws releases all recorded draws but the model, which becomes the first of them.
func (p *Pass) releaseDraws() {
	list, m := p.draws[:p.inUse.draws], p.model
	p.inUse.draws, p.inUse.models, p.model = 0, 0, nil
	if m == nil {
		releaseAll(list...)
		return
	}
	n := len(list) - 1
	m.fragmentBound.Keep() // its resources can be of the draws before
	m.front.Keep()
	m.after = nil
	releaseAll(list[:n]...)
	list[0], list[n] = m, list[0]
	if m.chosen() {
		p.inUse.draws, p.inUse.models = 1, 1
	} else {
		m.release()
	}
}

// chosen reports whether the draw would have the same kind of items and the same programs if it were recorded again: the choice changes
// with what the pipeline has drawn so far.
func (d *recordedDraw) chosen() bool {
	packed, pixels := d.packs()
	return packed == d.key.Packed && pixels == d.key.Pixels && d.stacks() == d.key.Stacked &&
		(d.front.MinBatch > 0 || d.triangles(d.args.Count, d.args.Instances) < uint64(minBatchDraw))
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

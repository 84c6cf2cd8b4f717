package draw

import (
	"context"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// recorded is a draw of a pass with all that it was recorded with.
type recorded struct {
	pipeline *Pipeline
	state    State // without what is looked at when it is recorded
	target   *Target
	args     Args      // without what stands in bound
	push     []byte    // args.Shader.Push
	mask     [2]uint32 // *state.Multisample.Mask
	discard  []Rect    // state.Discard.Rectangles

	key       fragmentKey
	vertexKey vertexKey
	middleKey middleKey
	rating    rating
	frame     raster.State
	shaded    uint32 // invocations for each pixel of an item

	heldVertex   *variant[vertexKey]
	heldMiddle   [numMiddle]*variant[middleKey]
	heldFragment *variant[fragmentKey]
	heldBatch    *variant[batchKey] // of the program that sets up triangles; nil: they are too few

	vertexBound, fragmentBound bound
	middleBound                [numMiddle]bound
	batchBound                 bound
	batchArgs                  compute.Args            // of a program without a budget
	programs                   [numMiddle]exec.Program // of middleBound

	opaque bool  // covers
	sight  sight // seen

	counts [numCounts]uint64
}

// Draw draws. It returns a *StateError where state, target and arguments do not fit
// each other, an *exec.LimitError where they exceed a limit, and what compiling and
// running the programs give. What was drawn when it fails stays drawn.
func (p *Pipeline) Draw(ctx context.Context, t *Target, a *Args) error {
	w := p.passes.Get()
	if w == nil {
		w = &Pass{}
	}
	defer p.passes.Put(w, exec.MaxIdleWorkers())
	if err := w.Begin(t, nil, a.Shader.Workers); err != nil {
		return err
	}
	err := w.Draw(ctx, p, a)
	if e := w.End(ctx); err == nil {
		err = e
	}
	return err
}

// fill records a draw. What it holds release gives back, also where it fails.
func (d *recorded) fill(p *Pipeline, t *Target, a *Args) error {
	s := &p.state
	if a.State != nil {
		s = a.State
	}
	if err := a.check(s); err != nil {
		return err
	}
	if err := p.fits(s); err != nil {
		return err
	}
	if err := p.checkFeedback(a, s); err != nil {
		return err
	}
	if err := t.check(max(s.Multisample.Samples, 1), s.ViewMask); err != nil {
		return err
	}
	d.pipeline, d.target, d.state, d.args = p, t, *s, *a
	d.key = fragmentKeyOf(s, t, p.stages.Fragment.Modes.Has(ir.PerSample), a.Passed != nil)
	d.key.inner = s.Rasterization.Conservative != 0 && hasInput(p.stages.Fragment, ir.FullyCovered)
	d.key.tile = tileKeyOf(p.stages.Fragment, t)
	d.rating = p.ratingOf(s, t)
	d.rating.find()
	d.key.pixels = d.rating.pixels(s, p.stages.Fragment)
	d.key.invocations = a.Statistics != nil && p.shades
	d.vertexKey = vertexKey{s.Vertex, a.Feedback != nil}
	d.shaded, d.counts = 1, [numCounts]uint64{}
	if d.key.perSample {
		d.shaded = d.key.samples
	}
	if err := d.hold(a); err != nil {
		return err
	}
	if err := d.bind(a); err != nil {
		return err
	}
	d.rasterState()
	d.opaque, d.sight = d.covers(), d.seen()
	d.part(a)
	return nil
}

// hold holds the programs.
func (d *recorded) hold(a *Args) (err error) {
	p := d.pipeline
	p.mu.Lock()
	defer p.mu.Unlock()
	if d.heldVertex, err = p.vertex.hold(&d.vertexKey, p.engine, p.options, &a.Shader); err != nil {
		return err
	}
	for i, from := range p.stages.middle() {
		if from == nil {
			continue
		}
		d.middleKey.captures = a.Feedback != nil && from == p.stages.last()
		if d.heldMiddle[i], err = p.middle[i].hold(&d.middleKey, p.engine, p.options, &a.Shader); err != nil {
			return err
		}
	}
	if d.manyTriangles() {
		if d.heldBatch, err = p.batch.hold(&batchKey{}, p.engine, exec.Options{}, &d.batchArgs); err != nil {
			return err
		}
	}
	d.heldFragment, err = p.fragment.hold(&d.key, p.engine, p.options, &a.Shader)
	return err
}

// release lets go of all that was recorded but memory.
func (d *recorded) release() {
	if p := d.pipeline; p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
	}
	if d.heldVertex != nil {
		d.heldVertex.release()
	}
	for _, v := range d.heldMiddle {
		if v != nil {
			v.release()
		}
	}
	if d.heldFragment != nil {
		d.heldFragment.release()
	}
	if d.heldBatch != nil {
		d.heldBatch.release()
	}
	d.heldVertex, d.heldMiddle, d.heldFragment, d.heldBatch = nil, [numMiddle]*variant[middleKey]{}, nil, nil
	d.vertexBound.forget()
	d.fragmentBound.forget()
	d.batchBound.forget()
	for i := range d.middleBound {
		d.middleBound[i].forget()
		d.programs[i] = nil
	}
	d.pipeline, d.args, d.state, d.vertexKey, d.rating = nil, Args{}, State{}, vertexKey{}, rating{}
}

// bind finds what the programs read and write.
func (d *recorded) bind(a *Args) error {
	var o own
	for i, b := range a.VertexBuffers {
		if i < MaxBindings {
			o.buffers[bindVertex+i] = b
		}
	}
	copy(o.views[bindColor:], d.target.Colors)
	o.views[bindDepth], o.views[bindStencil] = d.target.Depth, d.target.Stencil
	args := &d.args.Shader
	if err := d.vertexBound.bind(d.heldVertex.program, args, &o); err != nil {
		return err
	}
	for i, v := range d.heldMiddle {
		if v == nil {
			continue
		}
		d.programs[i] = v.program
		if err := d.middleBound[i].bind(v.program, args, &o); err != nil {
			return err
		}
	}
	if d.heldBatch != nil {
		if err := d.batchBound.bind(d.heldBatch.program, &d.batchArgs, &o); err != nil {
			return err
		}
	}
	return d.fragmentBound.bind(d.heldFragment.program, args, &o)
}

// part makes what was recorded independent of what the caller may change before the
// pass ends, and lets go of what was looked at.
func (d *recorded) part(a *Args) {
	d.push = append(d.push[:0], a.Shader.Push...)
	s := &d.args.Shader
	*s = compute.Args{Push: d.push, Regions: s.Regions, Workers: s.Workers, Budget: s.Budget, Log: s.Log}
	d.args.State, d.args.VertexBuffers = nil, nil
	d.discard = append(d.discard[:0], d.state.Discard.Rectangles...)
	d.state.Discard.Rectangles = d.discard
	if m := d.state.Multisample.Mask; m != nil {
		d.mask = *m
		d.state.Multisample.Mask = &d.mask
	}
	d.state.Vertex, d.state.Viewports, d.state.Scissors, d.state.Blend.Attachments = VertexInput{}, nil, nil, nil
}

// done counts what the fragments of the draw have counted.
func (d *recorded) done() {
	if d.args.Passed != nil {
		*d.args.Passed += d.counts[countPassed]
	}
	if s := d.args.Statistics; s != nil {
		s.FragmentInvocations += d.counts[countInvocations]
	}
	d.counts = [numCounts]uint64{}
}

// effects reports whether the draw's programs do anything that others may notice but by
// its attachments: it is then drawn by itself. ordered says that nobody else may run
// vertices of it at the same time.
func (d *recorded) effects() (some, ordered bool) {
	s := &d.pipeline.stages
	for _, p := range [...]*ir.Program{s.Vertex, s.TessControl, s.TessEval, s.Geometry, s.Fragment} {
		if p == nil {
			continue
		}
		some = some || writesMemory(p) || p.Effects.Ordered || len(p.Messages) > 0
		ordered = ordered || p != s.Fragment && (p.Effects.Ordered || len(p.Messages) > 0)
	}
	// A stipple is counted on along a strip.
	alone := d.args.Feedback != nil || d.state.Rasterization.Stipple.Factor > 0
	return some || alone, ordered || alone
}

// rasterState gives raster its part of the state.
func (d *recorded) rasterState() {
	s, r := &d.frame, &d.state.Rasterization
	width, height, layers := d.target.extent()
	views, scissors := s.Viewports[:0], s.Scissors[:0]
	for _, v := range d.state.Viewports {
		views = append(views, raster.Viewport(v))
	}
	for _, x := range d.state.Scissors {
		scissors = append(scissors, x.raster())
	}
	area := raster.Rect{X1: int32(width), Y1: int32(height)}
	if x := d.args.Area; x.Width > 0 && x.Height > 0 {
		area = area.Intersect(x.raster())
	}
	*s = raster.State{
		Viewports: views, Scissors: scissors, Area: area, Layers: layers,
		Samples:   int(max(d.state.Multisample.Samples, 1)),
		CullFront: r.Cull&CullFront != 0, CullBack: r.Cull&CullBack != 0, Clockwise: r.Clockwise,
		PolygonMode: raster.PolygonMode(r.PolygonMode), ProvokingLast: r.LastVertex,
		DepthClip: r.DepthClip, NegativeOneToOne: r.NegativeOneZ,
		LineWidth: r.LineWidth, LineMode: raster.LineMode(r.LineMode), Stipple: raster.Stipple(r.Stipple), ExtraSize: r.ExtraOverestimate,
		Aligned: d.key.pixels > 1, Inner: d.key.inner, Runs: goesOn(d.fragmentBound.program.IR()) && !d.key.inner && len(d.state.Discard.Rectangles) == 0,
	}
	switch {
	case r.Conservative > 0:
		s.Conservative = raster.Overestimate
	case r.Conservative < 0:
		s.Conservative = raster.Underestimate
	}
	if s.LineWidth == 0 {
		s.LineWidth = 1
	}
	if r.DepthBias {
		s.Bias = d.bias()
	}
}

// raster returns the rectangle as raster has it, of what lies at no negative place.
func (r Rect) raster() raster.Rect {
	end := func(at int32, n uint32) int32 { return int32(min(max(int64(at)+int64(n), 0), 1<<16)) }
	return raster.Rect{X0: max(r.X, 0), Y0: max(r.Y, 0), X1: end(r.X, r.Width), Y1: end(r.Y, r.Height)}
}

package draw

import (
	"context"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/frontend"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/shade"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// recordedDraw is a draw of a pass, detached from the caller's memory. Vulkan permits the
// application to change state and push constants after a draw is recorded, so everything but
// buffers, images and indices is a copy.
type recordedDraw struct {
	pipeline *Pipeline
	state    state.State // without the parts that are used at recording only
	target   *state.Target
	args     state.Args   // without resolved resources
	push     []byte       // copy of args.Shader.Push
	mask     [2]uint32    // copy of *state.Multisample.Mask
	discard  []state.Rect // copy of state.Discard.Rectangles

	key         shade.Key
	rates       rateLookup
	frame       raster.State
	invocations uint32 // invocations of an item for each pixel

	front        frontend.Draw
	heldFragment *compute.Variant[shade.Key]

	fragmentBound compose.Binding

	overwrites bool    // overwritesTarget
	hiz        hizMode // newHiZMode

	counts [layout.NumCounts]uint64
}

// fill records a draw. Release must follow, even after an error.
func (d *recordedDraw) fill(ctx context.Context, p *Pipeline, t *state.Target, a *state.Args) error {
	s := &p.state
	if a.State != nil {
		s = a.State
	}
	if err := a.Check(s); err != nil {
		return err
	}
	if err := p.front.CheckTopology(s); err != nil {
		return err
	}
	if err := p.front.CheckFeedback(a, s); err != nil {
		return err
	}
	if err := t.Check(max(s.Multisample.Samples, 1), s.ViewMask); err != nil {
		return err
	}
	d.pipeline, d.target, d.state, d.args = p, t, *s, *a
	d.key = shade.NewKey(s, t, p.stages.Fragment.Modes.Has(ir.PerSample), a.Passed != nil)
	d.key.FullyCovered = s.Rasterization.Conservative != 0 && shade.HasInput(p.stages.Fragment, ir.FullyCovered)
	d.key.Tile = shade.TileKeyOf(p.stages.Fragment, t)
	d.rates = p.newRateLookup(s, t)
	// The order of the following steps matters: the key depends on the rates, the programs on the
	// key, and the bindings on the programs. detach is last, since it drops state that the others
	// read.
	d.rates.resolve()
	d.key.MaxPixels = d.rates.maxPixels(s, p.stages.Fragment)
	d.key.CountInvocations = a.Statistics != nil && p.hasFragment
	d.invocations, d.counts = 1, [layout.NumCounts]uint64{}
	if d.key.PerSample {
		d.invocations = d.key.Samples
	}
	if err := d.hold(ctx, a); err != nil {
		return err
	}
	if err := d.bind(a); err != nil {
		return err
	}
	d.rasterState()
	d.overwrites, d.hiz = d.overwritesTarget(), d.newHiZMode()
	d.detach(a)
	return nil
}

// hold compiles or finds the programs.
func (d *recordedDraw) hold(ctx context.Context, a *state.Args) (err error) {
	p := d.pipeline
	p.mu.Lock()
	defer p.mu.Unlock()
	d.front.Begin(p.front, &d.args, &d.state)
	if d.manyTriangles() {
		d.front.MinBatch = minBatchDraw
	}
	if err = d.front.Acquire(ctx, p.engine, p.options); err != nil {
		return err
	}
	d.heldFragment, err = p.fragment.Acquire(ctx, &d.key, p.engine, p.options, &a.Shader)
	return err
}

// release releases everything but memory. It needs the pipeline's lock, because other draws acquire
// the same program variants at the same time.
func (d *recordedDraw) release() {
	if p := d.pipeline; p != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
	}
	d.front.Release()
	if d.heldFragment != nil {
		d.heldFragment.Release()
	}
	d.heldFragment = nil
	d.fragmentBound.Release()
	d.pipeline, d.args, d.state, d.rates = nil, state.Args{}, state.State{}, rateLookup{}
}

// bind resolves the resources of the programs.
func (d *recordedDraw) bind(a *state.Args) error {
	o := compose.OwnResources{PerRun: layout.BindDepth}
	for i, b := range a.VertexBuffers {
		if i < state.MaxBindings {
			o.Buffers[layout.BindVertex+i] = b
		}
	}
	copy(o.Views[layout.BindColor:], d.target.Colors)
	o.Views[layout.BindDepth], o.Views[layout.BindStencil] = d.target.Depth, d.target.Stencil
	if err := d.front.Resolve(&o); err != nil {
		return err
	}
	return d.fragmentBound.Resolve(d.heldFragment.Program, &d.args.Shader, &o)
}

// detach copies caller-owned state, which may change before the pass ends, and drops state that is no
// longer needed.
func (d *recordedDraw) detach(a *state.Args) {
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
	d.state.Vertex, d.state.Viewports, d.state.Scissors, d.state.Blend.Attachments = state.VertexInput{}, nil, nil, nil
}

// addCounts adds the counters of the draw to the caller's. The counters are 64-bit atomics of all
// fragment workgroups, so they are complete only after the last tile.
func (d *recordedDraw) addCounts() {
	if d.args.Passed != nil {
		*d.args.Passed += d.counts[layout.CountPassed]
	}
	if s := d.args.Statistics; s != nil {
		s.FragmentInvocations += d.counts[layout.CountInvocations]
	}
	d.counts = [layout.NumCounts]uint64{}
}

// sideEffects reports whether the draw has effects other than on its attachments; such a draw is not
// recorded together with others. ordered reports that its vertices must run on one worker. Tile by
// tile, fragments of a later draw run in tile 0 before fragments of an earlier draw in tile 1.
// Attachments cannot reveal this, but memory, messages and feedback can.
func (d *recordedDraw) sideEffects() (some, ordered bool) {
	s := &d.pipeline.stages
	for _, p := range [...]*ir.Program{s.Vertex, s.TessControl, s.TessEval, s.Geometry, s.Fragment} {
		if p == nil {
			continue
		}
		some = some || shade.WritesMemory(p) || p.Effects.Ordered || len(p.Messages) > 0
		ordered = ordered || p != s.Fragment && (p.Effects.Ordered || len(p.Messages) > 0)
	}
	// The stipple counter continues along a primitive strip.
	alone := d.args.Feedback != nil || d.state.Rasterization.Stipple.Factor > 0
	return some || alone, ordered || alone
}

// rasterState sets the rasterizer's state.
func (d *recordedDraw) rasterState() {
	s, r := &d.frame, &d.state.Rasterization
	width, height, layers := d.target.Extent()
	views, scissors := s.Viewports[:0], s.Scissors[:0]
	for _, v := range d.state.Viewports {
		views = append(views, raster.Viewport(v))
	}
	for _, x := range d.state.Scissors {
		scissors = append(scissors, x.Raster())
	}
	area := raster.Rect{X1: int32(width), Y1: int32(height)}
	if x := d.args.Area; x.Width > 0 && x.Height > 0 {
		area = area.Intersect(x.Raster())
	}
	*s = raster.State{
		Viewports: views, Scissors: scissors, Area: area, Layers: layers,
		Samples:   int(max(d.state.Multisample.Samples, 1)),
		CullFront: r.Cull&state.CullFront != 0, CullBack: r.Cull&state.CullBack != 0, Clockwise: r.Clockwise,
		PolygonMode: raster.PolygonMode(r.PolygonMode), ProvokingLast: r.LastVertex,
		DepthClip: r.DepthClip, NegativeOneToOne: r.NegativeOneZ,
		LineWidth: r.LineWidth, LineMode: raster.LineMode(r.LineMode), Stipple: raster.Stipple(r.Stipple), ExtraSize: r.ExtraOverestimate,
		Aligned: d.key.MaxPixels > 1, Inner: d.key.FullyCovered, Runs: shade.WalksStrips(d.fragmentBound.Program.IR()) && !d.key.FullyCovered && len(d.state.Discard.Rectangles) == 0,
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

// readsTarget reports whether the target's memory is bound to the programs. Earlier draws must be
// complete then.
func (d *recordedDraw) readsTarget(memory [][]byte) bool {
	return compose.Overlap(d.args.Index, memory) || d.fragmentBound.Overlaps(memory) || d.front.Overlaps(memory)
}

// bias returns the depth bias. It depends on the resolution of the depth format (Vulkan §"Depth
// Bias"). The resolution r of the formula is 2⁻ⁿ for n bits of fixed point; for floats it depends on
// the greatest depth of each primitive.
func (d *recordedDraw) bias() raster.DepthBias {
	r := &d.state.Rasterization
	b := raster.DepthBias{Enable: true, Constant: r.BiasConstant, Slope: r.BiasSlope, Clamp: r.BiasClamp, Float: true}
	if f, ok := format.ByName(d.target.Depth.Format()); ok {
		for _, k := range f.Components() {
			if k.Channel == format.D && k.Numeric == format.UNorm {
				b.Bits, b.Float = k.Bits, false
			}
		}
	}
	return b
}

// itemWords returns the size of an item in 64-bit words.
func (d *recordedDraw) itemWords() int {
	return raster.ItemWords(int(d.key.Samples), d.key.FullyCovered)
}

// minBatchTotal is the number of triangles of a pipeline from which the set-up program is compiled:
// the compilation costs about as much as their set-up without it. minBatchDraw is the minimum of
// triangles in a draw that uses it.
var (
	minBatchTotal uint64 = 1 << 14
	minBatchDraw         = raster.BatchSize
)

// manyTriangles reports whether the set-up program is worth it for the draw.
func (d *recordedDraw) manyTriangles() bool {
	r, t := &d.state.Rasterization, d.state.Assembly.Topology
	if r.Discard || r.PolygonMode != state.Fill {
		return false
	}
	n := uint64(d.args.Count)
	if !d.pipeline.front.ReadsPrimitives() {
		if t.Corners() != 3 {
			return false
		}
		n = uint64(state.Primitives(t, d.args.Count))
	}
	n *= uint64(d.args.Instances)
	return d.pipeline.triangles.Add(n) >= minBatchTotal && n >= uint64(minBatchDraw)
}

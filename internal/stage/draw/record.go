package draw

import (
	"context"
	"runtime"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/frontend"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/shade"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Bounds of the recorded steps: for each worker, and of all. The bin lists of small draws then stay in the near caches from
// binning to shading: 32 draws of 100 triangles have 600 KB.
const (
	stepsPerWorker = 32
	maxSteps       = 256
)

// stepsFull reports whether the pass has as many steps as it may have.
func (p *Pass) stepsFull() bool { return len(p.steps) >= min(stepsPerWorker*p.workers, maxSteps) }

// Begin begins a pass on a target and records the clears c if it is not nil. workers is the number of
// parallel workers; 0 is GOMAXPROCS. It returns an error if the target is invalid.
func (p *Pass) Begin(t *state.Target, c *Clears, workers int) error {
	if err := t.CheckLimits(); err != nil {
		return err
	}
	colors := append(p.target.Colors[:0], t.Colors...)
	p.target = *t
	p.target.Colors = colors
	if p.workers = workers; workers <= 0 {
		p.workers = runtime.GOMAXPROCS(0)
	}
	w, h, _ := t.Extent()
	p.width = (int32(w) + raster.Tile - 1) / raster.Tile
	tiles := int(p.width) * ((int(h) + raster.Tile - 1) / raster.Tile)
	for len(p.tiles) < tiles {
		p.tiles = append(p.tiles, nil)
	}
	p.tiles = p.tiles[:tiles]
	p.homes, p.workerOf = slices.Grow(p.homes[:0], tiles)[:tiles], slices.Grow(p.workerOf[:0], tiles)[:tiles]
	clear(p.homes)
	p.memory, p.coarseValid = t.Memory(p.memory[:0]), false
	if c != nil {
		p.recordClear(c)
	}
	return nil
}

// Draw records a draw. Invalid arguments are reported at once, errors of execution now or by a later
// Draw, Clear or End. The pipeline must not be closed before End.
func (p *Pass) Draw(ctx context.Context, pipeline *Pipeline, a *state.Args) error {
	if n := len(p.steps); n > 0 && a.Repeats {
		if x := p.steps[n-1].draw; x != nil && x.alike(pipeline, a) {
			r := a.Range()
			if done, err := p.Add(ctx, &r, a.Index != nil, a.Shader.Push, a.Rebound); done || err != nil {
				return err
			}
		}
	}
	if p.stepsFull() {
		p.keepModel(pipeline, a)
		if err := p.flush(ctx); err != nil {
			return err
		}
	}
	if p.inUse.draws == len(p.draws) {
		p.draws = append(p.draws, &recordedDraw{})
	}
	at := p.inUse.draws
	d := p.draws[at]
	like := a.Repeats && at > 0 && p.draws[at-1].repeatable(pipeline, a)
	if like && !pipeline.reads(a.Rebound) {
		x := p.draws[at-1]
		d.repeat(x, a)
		if n := len(p.steps); n > 0 && p.steps[n-1].draw == x && d.joins(x) {
			d.after = x
		}
		p.inUse.draws++
		p.steps = append(p.steps, step{draw: d})
		return nil
	}
	var err error
	if like {
		err = d.repeatState(ctx, p.draws[at-1], a)
	} else {
		err = d.fill(ctx, pipeline, &p.target, a)
	}
	if err != nil {
		d.release()
		return err
	}
	some, ordered := false, false
	if !like { // a model has none
		some, ordered = d.sideEffects()
	}
	alone := some || d.readsTarget(p.memory)
	if alone && len(p.steps) > 0 {
		err := p.flush(ctx)
		if err == nil && like { // its model is released
			d.release()
			err = d.fill(ctx, pipeline, &p.target, a)
		}
		if err != nil {
			d.release()
			return err
		}
	}
	if alone && d.readsTested() {
		if err := d.fillLate(ctx, &p.target, a); err != nil {
			d.release()
			return err
		}
	}
	// A flush in between has reset inUse, so that d may be beyond the draws in use; the exchange
	// moves it to the next position.
	p.draws[p.inUse.draws], p.draws[at] = d, p.draws[p.inUse.draws]
	p.inUse.draws++
	p.ordered = ordered
	p.steps = append(p.steps, step{draw: d})
	if !alone {
		if n := len(p.steps) - 2; like && n >= 0 && p.steps[n].draw == p.draws[at-1] && d.joinsRebound(p.draws[at-1], a.Rebound) {
			d.after = p.draws[at-1]
		}
		return nil
	}
	err = p.flush(ctx)
	p.coarseValid = p.coarseValid && !some // the program may have written the depth attachment
	return err
}

// Clear records a clear.
func (p *Pass) Clear(ctx context.Context, c *Clears) error {
	if p.stepsFull() {
		if err := p.flush(ctx); err != nil {
			return err
		}
	}
	p.recordClear(c)
	return nil
}

// Draw executes a draw as a pass of its own. It returns a *StateError for inconsistent state, target
// and arguments, an *exec.LimitError if they exceed a limit, or errors of compilation and execution.
// After an error the draw can be partly executed.
func (p *Pipeline) Draw(ctx context.Context, t *state.Target, a *state.Args) error {
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

// fill records a draw. Release must follow, even after an error.
func (d *recordedDraw) fill(ctx context.Context, p *Pipeline, t *state.Target, a *state.Args) error {
	s := &p.state
	if a.State != nil {
		s = a.State
	}
	if err := a.Check(s); err != nil {
		return err
	}
	from := p
	p, err := p.forStream(s.Rasterization.Stream)
	if err != nil {
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
	d.pipeline, d.state, d.args = p, *s, *a
	d.from = from
	d.dropOtherStreams()
	d.dropFullMask()
	if d.groups = 0; p.front.IsMesh() != a.Mesh || p.IsMeshNV() != a.TaskRange {
		d.args.Count, d.args.Tasks = 0, [3]uint32{}
	}
	if p.front.IsMesh() {
		d.state.Assembly.Topology, d.state.Assembly.Restart = p.front.MeshTopology(), false
		if d.groups, err = frontend.DrawTotal(&d.args); err != nil {
			return err
		}
	}
	if s = &d.state; s.Locations != nil {
		if len(s.Locations) != len(t.Colors) {
			return state.Errorf("locations of %d color attachments; the target has %d", len(s.Locations), len(t.Colors))
		}
		t = d.remap.apply(s, t)
	}
	d.target = t
	d.key = shade.NewKey(s, t, p.stages.Fragment.Modes.Has(ir.PerSample), a.Passed != nil)
	d.key.FullyCovered = s.Rasterization.Conservative != 0 && shade.HasInput(p.stages.Fragment, ir.FullyCovered)
	d.key.Tile = shade.TileKeyOf(p.stages.Fragment, t)
	d.rates = p.newRateLookup(s, t)
	// The order of the following steps matters: the key depends on the rates, the programs on the
	// key, and the bindings on the programs. detach is last, since it drops state that the others
	// read.
	d.rates.resolve()
	d.key.MaxPixels = d.rates.maxPixels(s, p.stages.Fragment)
	d.key.Packed, d.key.Pixels = d.packs()
	many := d.manyTriangles()
	d.key.InPlace = many && d.inPlace()
	d.key.CountInvocations = a.Statistics != nil && p.hasFragment
	d.key.Stacked = d.stacks()
	d.invocations, d.counts = 1, [layout.NumCounts]uint64{}
	if d.key.PerSample {
		d.invocations = d.key.Samples
	}
	if err := d.hold(ctx, a, many); err != nil {
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

// dropOtherStreams turns rasterization off if it is of a stream without primitives: those of a vertex or an evaluation program are
// in stream 0 (SPIR-V §"Decoration", Stream). For a geometry program the layout of the records leaves out the other streams.
func (d *recordedDraw) dropOtherStreams() {
	if p := d.pipeline; p.stages.Geometry == nil && !p.IsMesh() && d.state.Rasterization.Stream != 0 {
		d.state.Rasterization.Discard = true
	}
}

// dropFullMask removes a sample mask that has all samples: the draw is one without a mask.
func (d *recordedDraw) dropFullMask() {
	m := &d.state.Multisample
	if m.Mask == nil {
		return
	}
	all := uint64(1)<<max(m.Samples, 1) - 1 // of 64 samples: all bits
	if (uint64(m.Mask[0])|uint64(m.Mask[1])<<32)&all == all {
		m.Mask = nil
	}
}

// hold compiles or finds the programs.
func (d *recordedDraw) hold(ctx context.Context, a *state.Args, many bool) (err error) {
	p := d.pipeline
	p.mu.Lock()
	defer p.mu.Unlock()
	d.front.Begin(p.front, &d.args, &d.state)
	d.front.InPlace = d.key.InPlace
	d.front.Depth, d.front.Linear = d.key.ReadsDepth(p.stages.Fragment), p.linear
	if many {
		d.front.MinBatch = minBatchDraw
	}
	if err = d.front.Acquire(ctx, p.engine, p.options); err != nil {
		return err
	}
	return d.holdFragment(ctx, a)
}

// holdFragment is hold for the fragment program. The caller holds the pipeline's lock.
func (d *recordedDraw) holdFragment(ctx context.Context, a *state.Args) (err error) {
	p := d.pipeline
	d.heldFragment, err = p.fragment.Acquire(ctx, &d.key, p.engine, p.options, a.Shader.Of(ir.Fragment))
	if err != nil {
		return err
	}
	return d.dropPixels(ctx, a)
}

// dropPixels replaces a fragment program in packs of pixels, if these views need derivatives. The caller holds the pipeline's lock.
func (d *recordedDraw) dropPixels(ctx context.Context, a *state.Args) (err error) {
	p := d.pipeline
	if !d.key.Pixels || !d.key.NeedsQuads(d.heldFragment.QuadSwaps) {
		return nil
	}
	d.heldFragment.Release()
	d.key.Pixels = false
	p.wholeQuads.Store(true)
	d.heldFragment, err = p.fragment.Acquire(ctx, &d.key, p.engine, p.options, a.Shader.Of(ir.Fragment))
	return err
}

// bind resolves the resources of the programs.
func (d *recordedDraw) bind(a *state.Args) error {
	var o compose.OwnResources
	for _, t := range d.state.Vertex.Attributes { // programs read no other buffers
		if i := int(t.Binding); i < min(len(a.VertexBuffers), state.MaxBindings) {
			o.Buffers[layout.BindVertex+i] = a.Shader.VertexInput(a.VertexBuffers[i])
		}
	}
	d.ownViews(&o)
	if err := d.front.Resolve(&o); err != nil {
		return err
	}
	return d.fragmentBound.Resolve(d.heldFragment.Program, ir.Fragment, &d.args.Shader, &o)
}

// ownViews binds the attachments, and says which buffers the runs of programs bind.
func (d *recordedDraw) ownViews(o *compose.OwnResources) {
	o.PerRun = layout.BindDepth
	copy(o.Views[layout.BindColor:], d.target.Colors)
	o.Views[layout.BindDepth], o.Views[layout.BindStencil] = d.target.Depth, d.target.Stencil
	o.Owned = d.ownsRows()
}

// area returns the pixels that the draw may cover.
func (d *recordedDraw) area() raster.Rect {
	width, height, _ := d.target.Extent()
	area := raster.Rect{X1: int32(width), Y1: int32(height)}
	if x := d.args.Area; x.Width > 0 && x.Height > 0 {
		area = area.Intersect(x.Raster())
	}
	return area
}

// ownsRows reports whether a store may write back the other pixels of its row of a block. Only the worker of a tile accesses the
// tile's pixels in the area, so the area must have whole tiles across: a row that has a covered pixel is in it then. Vulkan
// permits no access from elsewhere to an attachment's pixels in the area meanwhile, but programs that write memory are left as they are.
// Lanes that are not in pixel rows have no row in a block.
func (d *recordedDraw) ownsRows() bool {
	area, s := d.area(), &d.pipeline.stages
	if size := d.heldFragment.Program.IR().LocalSize; size[0] != raster.Block || size[1] < 2 {
		return false
	}
	for _, p := range [...]*ir.Program{s.Vertex, s.TessControl, s.TessEval, s.Geometry, s.Task, s.Mesh, s.Fragment} {
		if p != nil && shade.WritesMemory(p) {
			return false
		}
	}
	return area.X0%raster.Tile == 0 && area.X1%raster.Tile == 0
}

// detach copies caller-owned state, which may change before the pass ends, and drops state that is no
// longer needed.
func (d *recordedDraw) detach(a *state.Args) {
	d.push = append(d.push[:0], a.Shader.Push...)
	s := &d.args.Shader
	*s = compute.Args{Push: d.push, Regions: s.Regions, Rays: s.Rays, Workers: s.Workers, Budget: s.Budget, Log: s.Log, Hook: s.Hook, Schedule: s.Schedule, Lenient: s.Lenient, Shadow: s.Shadow}
	d.args.State, d.args.VertexBuffers = nil, nil
	d.discard = append(d.discard[:0], d.state.Discard.Rectangles...)
	d.state.Discard.Rectangles = d.discard
	if m := d.state.Multisample.Mask; m != nil {
		d.mask = *m
		d.state.Multisample.Mask = &d.mask
	}
	d.state.Vertex, d.state.Viewports, d.state.Scissors, d.state.Blend.Attachments, d.state.Locations = state.VertexInput{}, nil, nil, nil, nil
}

// rasterState sets the rasterizer's state.
func (d *recordedDraw) rasterState() {
	s, r := &d.frame, &d.state.Rasterization
	views, scissors := s.Viewports[:0], s.Scissors[:0]
	for _, v := range d.state.Viewports {
		views = append(views, raster.Viewport(v))
	}
	for _, x := range d.state.Scissors {
		scissors = append(scissors, x.Raster())
	}
	*s = raster.State{
		Viewports: views, Scissors: scissors, Area: d.area(), Layers: d.target.Reached(),
		Samples:   int(max(d.state.Multisample.Samples, 1)),
		CullFront: r.Cull&enum.CullModeFront != 0, CullBack: r.Cull&enum.CullModeBack != 0, Clockwise: r.Clockwise,
		PolygonMode: r.PolygonMode, ProvokingLast: r.LastVertex,
		DepthClip: r.DepthClip, NegativeOneToOne: r.NegativeOneZ, ClampDepth: r.ClampRange, MinDepth: r.MinClamp, MaxDepth: r.MaxClamp,
		Short: d.short(), InPlace: d.key.InPlace, LineWidth: r.LineWidth, LineMode: r.LineMode, Stipple: raster.Stipple(r.Stipple), ExtraSize: r.ExtraOverestimate,
		Aligned: d.key.MaxPixels > 1, Inner: d.key.FullyCovered, Runs: !d.key.Packed && shade.WalksStrips(d.fragmentBound.Program.IR()) && !d.key.FullyCovered && len(d.state.Discard.Rectangles) == 0,
	}
	switch {
	case r.Conservative > 0:
		s.Conservative = enum.ConservativeModeOverestimate
	case r.Conservative < 0:
		s.Conservative = enum.ConservativeModeUnderestimate
	}
	if s.LineWidth == 0 {
		s.LineWidth = 1
	}
	if l := d.state.Multisample.Custom(); l != nil {
		if d.locations == nil {
			d.locations = &raster.SampleLocations{}
		}
		l.Raster(d.locations)
		s.Locations = d.locations
	}
	if r.DepthBias {
		s.Bias = d.bias()
	}
}

// short reports whether nothing reads the rests of the draw's primitives. Coarse fragments find their rate by the layer, and
// hierarchical Z clamps as the depth test does.
func (d *recordedDraw) short() bool {
	return d.key.MaxPixels <= 1 && !d.key.Test.Clamp && !shade.ReadsRests(d.heldFragment.Program.IR())
}

// sideEffects reports whether the draw has effects other than on its attachments; such a draw is not
// recorded together with others. ordered reports that its vertices must run on one worker. Tile by
// tile, fragments of a later draw run in tile 0 before fragments of an earlier draw in tile 1.
// Attachments cannot reveal this, but memory, messages, feedback and reads of other pixels can.
func (d *recordedDraw) sideEffects() (some, ordered bool) {
	s := &d.pipeline.stages
	for _, p := range [...]*ir.Program{s.Vertex, s.TessControl, s.TessEval, s.Geometry, s.Task, s.Mesh, s.Fragment} {
		if p == nil {
			continue
		}
		some = some || shade.WritesMemory(p) || p.Effects.Ordered || len(p.Messages) > 0 || shade.ReadsTileAttachments(p)
		ordered = ordered || p != s.Fragment && (p.Effects.Ordered || len(p.Messages) > 0)
	}
	// The stipple counter continues along a primitive strip.
	alone := d.args.Feedback != nil || d.state.Rasterization.Stipple.Factor > 0 || d.args.Shader.Hook != nil
	return some || alone, ordered || alone
}

// fillLate is fill for a draw whose fragment program reads the depth or stencil attachment. The program reads the values of
// earlier fragments: the tests follow it.
func (d *recordedDraw) fillLate(ctx context.Context, t *state.Target, a *state.Args) error {
	p, late, with := d.pipeline, *a.State, *a
	d.release()
	late.DepthStencil.Late, with.State = true, &late
	return d.fill(ctx, p, t, &with)
}

// readsTested reports whether tests before the fragment program write memory that is bound to the program, which does not
// demand early tests.
func (d *recordedDraw) readsTested() bool {
	k, program := &d.key.Test, d.pipeline.stages.Fragment
	writes := k.Depth != nil && k.Write || k.Stencil != nil && (k.Front.Writes() || k.Back.Writes())
	if !writes || program.Modes.Has(ir.EarlyTests) || !d.key.EarlyTests(program) {
		return false
	}
	return d.fragmentBound.Overlaps([][]byte{d.target.Depth.Memory().Bytes, d.target.Stencil.Memory().Bytes})
}

// readsTarget reports whether the target's memory is bound to the programs. Earlier draws must be
// complete then.
func (d *recordedDraw) readsTarget(memory [][]byte) bool {
	return compose.Overlap(d.args.Index, memory) || d.fragmentBound.Overlaps(memory) || d.front.Overlaps(memory)
}

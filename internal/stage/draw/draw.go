package draw

import (
	"context"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// scratch is what a draw works with. It is used again, so that a draw like others
// before allocates nothing.
type scratch struct {
	assembler assembler
	chunk     chunk
	rating    rating
	raster    raster.Rasterizer
	state     raster.State

	key              fragmentKey
	vertexKey        vertexKey
	middleKey        middleKey
	own              own
	vertex, fragment run
	middle           [numMiddle]run

	params  memory // of the vertex program, then of the fragment program
	records memory
	between
	items  []uint64
	spans  []uint64
	counts [numCounts]uint64
}

// drawing is a draw under way.
type drawing struct {
	*scratch
	pipeline *Pipeline
	state    *State
	target   *Target
	args     *Args
	shaded   uint32 // invocations for each pixel of an item

	vertexProgram, fragmentProgram exec.Program
	programs                       [numMiddle]exec.Program
}

// Draw draws. It returns a *StateError where state, target and arguments do not fit
// each other, an *exec.LimitError where they exceed a limit, and what compiling and
// running the programs give. What was drawn when it fails stays drawn.
func (p *Pipeline) Draw(ctx context.Context, t *Target, a *Args) error {
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
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.scratch()
	defer func() { p.free = append(p.free, w) }()
	w.key = fragmentKeyOf(s, t, p.stages.Fragment.Modes.Has(ir.PerSample), a.Passed != nil)
	w.key.inner = s.Rasterization.Conservative != 0 && hasInput(p.stages.Fragment, ir.FullyCovered)
	w.key.tile = tileKeyOf(p.stages.Fragment, t)
	w.rating = p.ratingOf(s, t)
	w.key.pixels = w.rating.pixels(s, p.stages.Fragment)
	w.key.invocations = a.Statistics != nil && p.shades
	w.vertexKey = vertexKey{s.Vertex, a.Feedback != nil}
	v, err := p.vertex.hold(&w.vertexKey, p.engine, p.options, &a.Shader)
	if err != nil {
		return err
	}
	defer v.release()
	programs, release, err := p.holdMiddle(a, &w.middleKey)
	if err != nil {
		return err
	}
	defer release()
	f, err := p.fragment.hold(&w.key, p.engine, p.options, &a.Shader)
	if err != nil {
		return err
	}
	defer f.release()
	p.mu.Unlock()
	defer p.mu.Lock()
	d := drawing{w, p, s, t, a, 1, v.program, f.program, programs}
	if w.key.perSample {
		d.shaded = w.key.samples
	}
	err = d.draw(ctx)
	if a.Passed != nil {
		*a.Passed += w.counts[countPassed]
	}
	if a.Statistics != nil {
		a.Statistics.FragmentInvocations += w.counts[countInvocations]
	}
	return err
}

// scratch returns one that nobody works with.
func (p *Pipeline) scratch() *scratch {
	if n := len(p.free); n > 0 {
		w := p.free[n-1]
		p.free = p.free[:n-1]
		return w
	}
	return &scratch{}
}

// draw makes the draw, once for each view.
func (d *drawing) draw(ctx context.Context) error {
	d.rasterState()
	if err := d.bind(); err != nil {
		return err
	}
	if d.state.ViewMask == 0 {
		return d.view(ctx, 0)
	}
	for m := d.state.ViewMask; m != 0; m &= m - 1 {
		if err := d.view(ctx, uint32(bits.TrailingZeros32(m))); err != nil {
			return err
		}
	}
	return nil
}

// rasterState gives raster its part of the state.
func (d *drawing) rasterState() {
	s, r := &d.scratch.state, &d.state.Rasterization
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
		LineWidth: r.LineWidth, LineMode: raster.LineMode(r.LineMode), ExtraSize: r.ExtraOverestimate,
		Aligned: d.key.pixels > 1, Inner: d.key.inner, Columns: goesOn(d.fragmentProgram.IR()) && !d.key.inner && len(d.state.Discard.Rectangles) == 0,
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

// bind finds what the programs read and write.
func (d *drawing) bind() error {
	o := &d.own
	*o = own{}
	for i, b := range d.args.VertexBuffers {
		if i < MaxBindings {
			o.buffers[bindVertex+i] = b
		}
	}
	for i, v := range d.target.Colors {
		o.views[bindColor+i] = v
	}
	o.views[bindDepth], o.views[bindStencil] = d.target.Depth, d.target.Stencil
	d.params.size(4 * (vertexWords + fragmentWords))
	all := d.params.words(vertexWords + fragmentWords)
	d.fragmentParams(all[vertexWords:])
	d.counts = [numCounts]uint64{}
	o.buffers[bindCounts] = shared(bytesOf(d.counts[:]))
	return nil
}

// view draws all primitives for one view.
func (d *drawing) view(ctx context.Context, view uint32) error {
	p := d.params.words(vertexWords)
	clear(p)
	p[vertexBase], p[vertexBaseInstance], p[vertexDrawIndex], p[vertexViewIndex] = uint32(d.args.BaseVertex), d.args.FirstInstance, d.args.DrawIndex, view
	if d.args.Index == nil {
		p[vertexBase] = d.args.First
	}
	d.params.words(vertexWords + fragmentWords)[vertexWords+fragmentView] = view
	d.assembler.start(d.args, d.state, d.pipeline.reads())
	d.raster.Begin(&d.scratch.state)
	defer d.allAssembled()
	for d.assembler.next(&d.chunk) {
		if err := d.vertices(ctx); err != nil {
			return err
		}
		if err := d.onward(ctx); err != nil {
			return err
		}
	}
	if err := d.shade(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

// vertices runs the vertex program for the chunk.
func (d *drawing) vertices(ctx context.Context) error {
	d.assembled()
	n := d.chunk.vertices()
	d.params.words(1)[vertexCount] = n
	size := int(n) * int(d.pipeline.vertexRec.stride)
	d.records.size(size)
	o := &d.own.buffers
	o[bindParams] = shared(d.params.bytes(4 * vertexWords))
	o[bindList] = shared(bytesOf(d.chunk.list))
	o[bindRecords] = shared(d.records.bytes(size))
	d.captureRoom(n)
	if err := d.vertex.bind(d.vertexProgram.IR(), &d.args.Shader, &d.own); err != nil {
		return err
	}
	return d.vertex.groups(ctx, d.vertexProgram, (n+vertexGroup-1)/vertexGroup)
}

// batchBytes is how much rasterised primitives may take before fragments are run: so
// much that a tile has many of them, for its texels come into the caches once a batch.
const batchBytes = 32 << 20

// fragments rasterises primitives, and runs fragments where that makes much.
func (d *drawing) fragments(ctx context.Context, f *flow) error {
	if d.state.Rasterization.Discard {
		return nil
	}
	r := &d.raster
	r.Vertices(raster.Records{Layout: d.pipeline.rec.layout(), Words: f.records.words(int(f.vertices) * int(d.pipeline.rec.stride/4))})
	d.clipped(f)
	for i := range f.primitives {
		switch p := &f.primitives[i]; f.topology {
		case PointList:
			r.Point(p.v[0], p.id)
		case LineList, LineStrip, LineListAdjacency, LineStripAdjacency:
			r.Line([2]uint32(p.v[:2]), p.provoking, p.id)
		default:
			r.Triangle(p.v, p.provoking, p.id)
		}
		if r.Bytes() >= batchBytes {
			if err := d.shade(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// shade runs the fragment program for what primitives cover, and forgets them.
func (d *drawing) shade(ctx context.Context) error {
	defer d.raster.Begin(&d.scratch.state)
	d.gather()
	if len(d.items) == 0 {
		return nil
	}
	if d.key.pixels > 1 {
		d.rate()
	}
	o := &d.own.buffers
	o[bindParams] = shared(d.params.bytes(4 * (vertexWords + fragmentWords))[4*vertexWords:])
	o[bindRecords] = shared(bytesOf(d.raster.Kept))
	o[bindPrimitives] = shared(bytesOf(d.raster.Primitives))
	o[bindItems] = shared(bytesOf(d.items))
	if err := d.fragment.bind(d.fragmentProgram.IR(), &d.args.Shader, &d.own); err != nil {
		return err
	}
	d.fragment.job.Spans = d.spans
	words := d.itemWords()
	return d.fragment.groups(ctx, d.fragmentProgram, uint32(len(d.items)/words)*d.shaded)
}

// gather puts the items of all tiles one behind the other: those of a tile are one
// span, for they keep their order.
func (d *drawing) gather() {
	d.items, d.spans = d.items[:0], d.spans[:0]
	words := uint64(d.itemWords())
	for i := range d.raster.Tiles() {
		if tile := d.raster.Tile(i); len(tile) > 0 {
			d.items = append(d.items, tile...)
			d.masked(d.items[len(d.items)-len(tile):], int(words))
			d.discarded(d.items[len(d.items)-len(tile):], int(words))
			d.spans = append(d.spans, uint64(len(d.items))/words*uint64(d.shaded))
		}
	}
}

// masked takes away the samples of items that the state's mask has not (Vulkan
// §"Sample Mask Test").
func (d *drawing) masked(items []uint64, words int) {
	m := d.state.Multisample.Mask
	if m == nil {
		return
	}
	for ; len(items) > 0; items = items[words:] {
		for n := range d.key.samples {
			if m[n/32]>>(n%32)&1 == 0 {
				items[1+n] = 0
			}
		}
	}
}

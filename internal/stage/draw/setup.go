package draw

import (
	"context"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// Setting up is all that comes before fragments: vertices are assembled, run and
// rasterised. Workers take turns at the steps of a pass: each has a few chunks of a
// draw's primitives and leaves sheets, in the order of the turns.

// scratch is what one worker sets up with. It is used again, so that a draw like others
// before allocates nothing.
type scratch struct {
	chunks []*chunk // of the turn
	chunk  *chunk   // of them
	raster raster.Rasterizer

	own    own
	vertex run
	middle [numMiddle]run

	batches     []raster.Batch
	batchRun    run
	batchWords  memory // parameters
	batchParams raster.BatchParams

	params  memory // of the vertex program, then of the fragment program
	records memory
	between
	counted Statistics
}

// drawing is a draw under way at one worker.
type drawing struct {
	*scratch
	*recorded
	pass *Pass
	view uint32
	turn uint64
}

// setting is what workers that set up share.
type setting struct {
	mu    sync.Mutex
	ended sync.Cond // a turn has

	assembler assembler
	at        int      // the step that is being set up
	views     uint32   // that are left of it
	begun     bool     // a view of it is
	turn      uint64   // the next
	turns     []uint64 // of each worker, noTurn of those that have none
	some      bool     // several workers set up

	sheets []*sheet
	bytes  int
	err    error
	failed uint64 // the turn that gave err
	stop   *atomic.Bool
}

const noTurn = math.MaxUint64

// Bounds of what is set up before fragments are run, so that a tile has much of it, whose
// texels come into the caches once: bytes, and sheets.
const (
	setBytes  = 32 << 20
	maxSheets = 256

	sheetBytes = 8 << 20 // of one sheet
)

// turnChunks is how many chunks a turn has where several workers set up.
const turnChunks = 8

// setUp sets steps up, as many as its bounds allow.
func (p *Pass) setUp(ctx context.Context) error {
	x := &p.setting
	workers := p.setters()
	x.some, x.err, x.stop = workers > 1, nil, p.crew.Stop()
	for len(p.scratch) < workers {
		p.scratch = append(p.scratch, &scratch{})
	}
	x.turns = x.turns[:0]
	for range workers {
		x.turns = append(x.turns, noTurn)
	}
	p.ctx = ctx
	if p.setEach == nil {
		p.setEach, x.ended.L = p.setter, &x.mu
	}
	p.crew.Run(ctx, workers, p.setEach)
	p.ctx = nil
	if x.err != nil {
		return x.err
	}
	return ctx.Err()
}

// setters is how many workers set up: no more than there are turns.
func (p *Pass) setters() int {
	if p.ordered {
		return 1
	}
	turns := 0
	for i := p.setting.at; i < len(p.steps) && turns < p.workers; i++ {
		if d := p.steps[i].draw; d != nil {
			turns += max(int(min(uint64(d.args.Count)*uint64(d.args.Instances)/chunkVertices, 1<<20)), 1)
		}
	}
	return max(min(p.workers, turns), 1)
}

// setter is one worker.
func (p *Pass) setter(worker int) {
	x := &p.setting
	d := drawing{scratch: p.scratch[worker], pass: p}
	defer x.end(worker)
	for {
		next, ok := p.take(d.scratch, worker)
		if !ok {
			break
		}
		if err := d.turnTo(next); err != nil {
			x.fail(d.turn, err)
			return
		}
		err := d.set(p.ctx)
		if err == nil && x.some {
			err = d.leave()
			x.end(worker)
		}
		if err != nil {
			x.fail(d.turn, err)
			return
		}
	}
	if d.recorded != nil {
		if err := d.leave(); err != nil {
			x.fail(d.turn, err)
		}
	}
}

// task is what a worker has in its turn: some chunks of a draw for a view.
type task struct {
	draw *recorded
	view uint32
	turn uint64
}

// turnTo turns to a task. Where one worker sets up, what is rasterised of one draw becomes
// one sheet.
func (d *drawing) turnTo(t task) error {
	if d.recorded != t.draw || d.view != t.view || d.pass.some {
		if d.recorded != nil {
			if err := d.leave(); err != nil {
				return err
			}
		}
		d.begin(t.draw, t.view)
	}
	d.turn = t.turn
	return nil
}

// fail keeps the error of the first turn that failed.
func (x *setting) fail(turn uint64, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil || turn < x.failed {
		x.err, x.failed = err, turn
	}
	x.stop.Store(true)
}

// end ends a worker's turn.
func (x *setting) end(worker int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.turns[worker] = noTurn
	x.ended.Broadcast()
}

// take takes the next turn, and reports whether there is one.
func (p *Pass) take(w *scratch, worker int) (t task, ok bool) {
	x := &p.setting
	x.mu.Lock()
	defer x.mu.Unlock()
	for !x.stop.Load() && x.err == nil && x.bytes < setBytes && len(x.sheets) < maxSheets && x.at < len(p.steps) {
		step := &p.steps[x.at]
		if step.clear != nil {
			x.sheets = append(x.sheets, p.clearSheet(step.clear, x.turn))
			x.turn++
			x.at++
			continue
		}
		if t.view, ok = x.next(w, step.draw); ok {
			t.draw, t.turn, x.turns[worker] = step.draw, x.turn, x.turn
			x.turn++
			return t, true
		}
	}
	return task{}, false
}

// next assembles the chunks of a turn, and returns the view that they are drawn for;
// false where the draw has no more of them for the view.
func (x *setting) next(w *scratch, r *recorded) (view uint32, ok bool) {
	if !x.begun {
		if x.views = r.state.ViewMask; x.views == 0 {
			x.views = 1
		}
		x.begun = true
		x.assembler.start(&r.args, &r.state, r.pipeline.reads())
	}
	view = uint32(bits.TrailingZeros32(x.views))
	most := 1
	if x.some {
		most = turnChunks
	}
	w.chunks = w.chunks[:0]
	for len(w.chunks) < most {
		n := len(w.chunks)
		if n == cap(w.chunks) {
			w.chunks = append(w.chunks, &chunk{})[:n]
		}
		if w.chunks = w.chunks[:n+1]; w.chunks[n] == nil {
			w.chunks[n] = &chunk{}
		}
		if !x.assembler.next(w.chunks[n]) {
			w.chunks = w.chunks[:n]
			break
		}
	}
	if len(w.chunks) > 0 {
		return view, true
	}
	if s := r.args.Statistics; s != nil {
		s.InputVertices += x.assembler.vertices
	}
	if x.views &= x.views - 1; x.views != 0 {
		x.assembler.start(&r.args, &r.state, r.pipeline.reads())
		return 0, false
	}
	x.begun = false
	x.at++
	return 0, false
}

// begin begins a draw for a view at a worker.
func (d *drawing) begin(r *recorded, view uint32) {
	d.recorded, d.view, d.counted = r, view, Statistics{}
	d.params.size(4 * (vertexWords + fragmentWords))
	w := d.params.words(vertexWords + fragmentWords)
	clear(w)
	w[vertexBase], w[vertexBaseInstance], w[vertexDrawIndex], w[vertexViewIndex] = uint32(r.args.BaseVertex), r.args.FirstInstance, r.args.DrawIndex, view
	if r.args.Index == nil {
		w[vertexBase] = r.args.First
	}
	r.fragmentParams(w[vertexWords:])
	w[vertexWords+fragmentView] = view
	d.raster.Begin(&r.frame)
}

// set takes the chunks of a turn through all stages up to the rasterizer.
func (d *drawing) set(ctx context.Context) error {
	for _, d.chunk = range d.chunks {
		if err := d.vertices(ctx); err != nil {
			return err
		}
		if err := d.onward(ctx); err != nil {
			return err
		}
	}
	return nil
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
	d.vertex.bind(&d.vertexBound, &d.own)
	return d.vertex.groups(ctx, &d.vertexBound, (n+vertexGroup-1)/vertexGroup)
}

// layout is where in the records of vertices raster finds what it reads.
func (d *drawing) layout() raster.Layout {
	l := d.pipeline.rec.layout()
	l.Relative = d.pipeline.stages.last().Modes.Has(ir.ViewportRelative)
	return l
}

// fragments rasterises primitives, and runs fragments where that makes much.
func (d *drawing) fragments(ctx context.Context, f *flow) error {
	if d.state.Rasterization.Discard {
		return nil
	}
	r := &d.raster
	v := raster.Records{Layout: d.layout(), Words: f.records.words(int(f.vertices) * int(d.pipeline.rec.stride/4))}
	if d.batched(f, v) {
		d.clipped(f)
		return d.triangles(ctx, f)
	}
	r.Vertices(v)
	d.clipped(f)
	for i := range f.primitives {
		if d.pass.setting.stop.Load() { // one primitive may take long, and cover little
			return ctx.Err()
		}
		switch p := &f.primitives[i]; f.topology {
		case PointList:
			r.Point(p.v[0], p.id)
		case LineList, LineStrip, LineListAdjacency, LineStripAdjacency:
			if p.begins || f.topology == LineList || f.topology == LineListAdjacency {
				r.ResetStipple()
			}
			r.Line([2]uint32(p.v[:2]), p.provoking, p.id)
		default:
			r.Triangle(p.v, p.provoking, p.id)
		}
		if r.Bytes() >= sheetBytes {
			if err := d.spill(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// spill makes a sheet of what is rasterised, and where there are enough runs the
// fragments of all up to the worker's turn. It waits until no
// other worker has an earlier turn; those that have later ones go on.
func (d *drawing) spill(ctx context.Context) error {
	if err := d.leave(); err != nil {
		return err
	}
	p := d.pass
	if !p.setting.full() {
		return nil
	}
	return p.runTiles(ctx, p.settled(d.turn))
}

// full reports whether so much is set up that fragments are to be run.
func (x *setting) full() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.bytes >= setBytes
}

// settled waits until all turns before one have ended, and takes the sheets up to it.
func (p *Pass) settled(turn uint64) []*sheet {
	x := &p.setting
	x.mu.Lock()
	defer x.mu.Unlock()
	for x.before(turn) {
		x.ended.Wait()
	}
	p.spilled = p.spilled[:0]
	rest := x.sheets[:0]
	for _, s := range x.sheets {
		if s.turn > turn {
			rest = append(rest, s)
			continue
		}
		p.spilled = append(p.spilled, s)
		x.bytes -= s.used()
	}
	clear(x.sheets[len(rest):])
	x.sheets = rest
	return p.spilled
}

// before reports whether a worker has an earlier turn.
func (x *setting) before(turn uint64) bool {
	for _, t := range x.turns {
		if t < turn {
			return true
		}
	}
	return false
}

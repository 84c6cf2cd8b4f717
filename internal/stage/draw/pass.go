package draw

import (
	"context"
	"runtime"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Pass is draws and clears that go to one target and are made together, tile by tile:
// one worker takes a tile through all of them, so that its texels stay in the caches.
// The picture is that of the same draws made one after the other, whatever the number of
// workers.
//
// What a draw or a clear is given is copied when it is recorded, but for memory: buffers,
// images, indices and what descriptors name must stay as they are until End, and what
// queries and statistics count stands there behind End. Draws whose programs write
// memory, say something or feed back, and those to which the target itself is bound, are
// made when they are recorded, behind all that was recorded before.
//
// A Pass is used again and again, and then allocates nothing. The zero Pass is ready; it
// is for one goroutine.
type Pass struct {
	target  state.Target
	memory  [][]byte // of the attachments
	workers int
	width   int32 // in tiles

	steps   []step
	ordered bool // one worker sets up

	draws  []*recordedDraw // steps that were recorded, the first of them in use
	clears []*recordedClear
	inUse  struct{ draws, clears int }

	ctx           context.Context // of setting up
	crew          exec.Pool
	binners       []*binWorker     // by worker
	binWorkerFunc func(worker int) // setter
	binning

	interleaver exec.Interleaver
	tasks       []exec.Task
	tiles       [][]exec.Piece // by tile
	coarse      []coarseDepth  // by tile, where a step looks at them
	flushes     uint64         // so far
	flushing    []*binList

	free []*binList // that nobody uses
	kept int        // bytes of them
}

// step is a draw or a clear.
type step struct {
	draw  *recordedDraw
	clear *recordedClear
}

// maxSteps bounds the steps that are recorded before they are made.
const maxSteps = 256

// Begin begins with a target, of which it clears some of what it has, if it is given
// what. workers is how many tiles may be run at once; 0 is GOMAXPROCS. It returns what
// is wrong with the target.
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
	p.memory = p.memory[:0]
	for _, v := range colors {
		p.memory = append(p.memory, v.Memory().Bytes)
	}
	p.memory = append(p.memory, t.Depth.Memory().Bytes, t.Stencil.Memory().Bytes)
	if c != nil {
		p.recordClear(c)
	}
	return nil
}

// Draw records a draw. It returns what Pipeline.Draw does: what is wrong with what it is
// given at once, what comes of running it now or from a later Draw, Clear or End. The
// pipeline must not be closed before End.
func (p *Pass) Draw(ctx context.Context, pipeline *Pipeline, a *state.Args) error {
	if len(p.steps) >= maxSteps {
		if err := p.flush(ctx); err != nil {
			return err
		}
	}
	if p.inUse.draws == len(p.draws) {
		p.draws = append(p.draws, &recordedDraw{})
	}
	at := p.inUse.draws
	d := p.draws[at]
	if err := d.fill(pipeline, &p.target, a); err != nil {
		d.release()
		return err
	}
	some, ordered := d.sideEffects()
	alone := some || d.readsTarget(p.memory)
	if alone && len(p.steps) > 0 {
		if err := p.flush(ctx); err != nil {
			d.release()
			return err
		}
	}
	p.draws[p.inUse.draws], p.draws[at] = d, p.draws[p.inUse.draws]
	p.inUse.draws++
	p.ordered = ordered
	p.steps = append(p.steps, step{draw: d})
	if alone {
		return p.flush(ctx)
	}
	return nil
}

// Clear records a clear.
func (p *Pass) Clear(ctx context.Context, c *Clears) error {
	if len(p.steps) >= maxSteps {
		if err := p.flush(ctx); err != nil {
			return err
		}
	}
	p.recordClear(c)
	return nil
}

// End makes all that was recorded and not made yet. Another Begin may follow, also
// where it fails.
func (p *Pass) End(ctx context.Context) error {
	err := p.flush(ctx)
	clear(p.target.Colors)
	clear(p.memory)
	p.target = state.Target{Colors: p.target.Colors[:0]}
	if cap(p.coarse) > maxKeptTiles {
		p.coarse = nil
	}
	return err
}

// flush makes what was recorded.
func (p *Pass) flush(ctx context.Context) error {
	defer p.forget()
	p.resetCoarseDepths()
	p.binning.step, p.binning.started, p.binning.nextTicket = 0, false, 0
	for p.binning.step < len(p.steps) {
		if err := p.bin(ctx); err != nil {
			return err
		}
		list := append(p.flushing[:0], p.lists...)
		clear(p.lists)
		p.flushing, p.lists, p.binning.bytes = list, p.lists[:0], 0
		if err := p.runTiles(ctx, list); err != nil {
			return err
		}
	}
	return nil
}

// forget lets go of the steps, also of those that were not made.
func (p *Pass) forget() {
	p.recycle(p.lists)
	p.lists, p.binning.bytes = p.lists[:0], 0
	for _, d := range p.draws[:p.inUse.draws] {
		d.addCounts()
		d.release()
	}
	clear(p.steps)
	p.steps, p.ordered = p.steps[:0], false
	p.inUse.draws, p.inUse.clears = 0, 0
}

// Draw draws. It returns a *StateError where state, target and arguments do not fit
// each other, an *exec.LimitError where they exceed a limit, and what compiling and
// running the programs give. What was drawn when it fails stays drawn.
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

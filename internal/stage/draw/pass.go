package draw

import (
	"context"
	"runtime"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Pass executes draws and clears on one target together, tile by tile. One worker takes a tile through
// all of them while its texels are in the caches. The result equals the result of the same draws one after
// the other, for any number of workers.
//
// Arguments are copied when a draw or clear is recorded, apart from memory: buffers, images, indices
// and descriptor memory must not change until End, and queries and statistics are complete after End.
// A draw executes at once, after everything before it, if its programs write memory, print, or feed
// back, or if the target's memory is bound to them.
//
// A Pass is reusable, and then allocates nothing. The zero Pass is ready for use by one goroutine.
type Pass struct {
	target  state.Target
	memory  [][]byte // of the attachments
	workers int
	width   int32 // in tiles

	steps   []step
	ordered bool // one worker bins, in order

	draws  []*recordedDraw // recorded steps; the first inUse are in use
	clears []*recordedClear
	inUse  struct{ draws, clears int }

	ctx           context.Context // of binning
	crew          exec.Pool
	binners       []*binWorker     // by worker
	binWorkerFunc func(worker int) // runBinWorker
	binning

	interleaver exec.Interleaver
	tasks       []exec.Task
	tiles       [][]exec.Piece // work lists by tile
	coarse      []coarseDepth  // by tile, if a step uses HiZ
	flushes     uint64         // number of flushes so far
	flushing    []*binList

	free []*binList // unused bin lists
	kept int        // bytes of free
}

// step is a draw or a clear.
type step struct {
	draw  *recordedDraw
	clear *recordedClear
}

// maxSteps bounds the recorded steps.
const maxSteps = 256

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

// Draw records a draw. Invalid arguments are reported at once, errors of execution now or by a later
// Draw, Clear or End. The pipeline must not be closed before End.
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
	if err := d.fill(ctx, pipeline, &p.target, a); err != nil {
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
	// A flush in between has reset inUse, so that d may be beyond the draws in use; the exchange
	// moves it to the next place.
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

// End executes everything that is recorded. Another Begin may follow, even after an error.
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

// flush executes the recorded steps: binning and shading in turns, as bounds demand. An error leaves
// the target partly drawn. The pass is empty and reusable afterwards.
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

// forget drops the steps, executed or not.
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

package draw

import (
	"context"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/stage/draw/frontend"
)

// Setting up is all that comes before fragments: vertices are assembled, run and
// rasterised. Workers take turns at the steps of a pass: each has a few chunks of a
// draw's primitives and leaves sheets, in the order of the turns.

// binWorker is a draw under way at one worker.
type binWorker struct {
	frontend.Binner
	draw   *recordedDraw
	pass   *Pass
	ticket uint64
}

// binning is what workers that set up share.
type binning struct {
	mu        sync.Mutex
	taskEnded sync.Cond // a turn has

	assembler  frontend.Assembler
	step       int      // the step that is being set up
	views      uint32   // that are left of it
	started    bool     // a view of it is
	nextTicket uint64   // the next
	tickets    []uint64 // of each worker, noTurn of those that have none
	parallel   bool     // several workers set up

	lists        []*binList
	bytes        int
	err          error
	failedTicket uint64 // the turn that gave err
	stop         *atomic.Bool
}

const noTicket = math.MaxUint64

// Bounds of what is set up before fragments are run, so that a tile has much of it, whose
// texels come into the caches once: bytes, and sheets.
const (
	maxBinnedBytes = 32 << 20
	maxLists       = 256
)

// taskChunks is how many chunks a turn has where several workers set up.
const taskChunks = 8

// bin sets steps up, as many as its bounds allow.
func (p *Pass) bin(ctx context.Context) error {
	x := &p.binning
	workers := p.binWorkers()
	x.parallel, x.err, x.stop = workers > 1, nil, p.crew.Stop()
	for len(p.binners) < workers {
		d := &binWorker{Binner: frontend.Binner{Scratch: frontend.NewScratch()}, pass: p}
		d.Flush = d.flush
		p.binners = append(p.binners, d)
	}
	x.tickets = x.tickets[:0]
	for range workers {
		x.tickets = append(x.tickets, noTicket)
	}
	p.ctx = ctx
	if p.binWorkerFunc == nil {
		p.binWorkerFunc, x.taskEnded.L = p.runBinWorker, &x.mu
	}
	p.crew.Run(ctx, workers, p.binWorkerFunc)
	p.ctx = nil
	if x.err != nil {
		return x.err
	}
	return ctx.Err()
}

// binWorkers is how many workers set up: no more than there are turns.
func (p *Pass) binWorkers() int {
	if p.ordered {
		return 1
	}
	turns := 0
	for i := p.binning.step; i < len(p.steps) && turns < p.workers; i++ {
		if d := p.steps[i].draw; d != nil {
			turns += max(int(min(uint64(d.args.Count)*uint64(d.args.Instances)/frontend.ChunkVertices, 1<<20)), 1)
		}
	}
	return max(min(p.workers, turns), 1)
}

// runBinWorker is one worker.
func (p *Pass) runBinWorker(worker int) {
	x := &p.binning
	d := p.binners[worker]
	d.Stop = x.stop
	defer d.forget()
	defer x.endTask(worker)
	for {
		next, ok := p.nextTask(d.Scratch, worker)
		if !ok {
			break
		}
		if err := d.switchTo(next); err != nil {
			x.fail(d.ticket, err)
			return
		}
		err := d.Run(p.ctx)
		if err == nil && x.parallel {
			err = d.finishList()
			x.endTask(worker)
		}
		if err != nil {
			x.fail(d.ticket, err)
			return
		}
	}
	if d.draw != nil {
		if err := d.finishList(); err != nil {
			x.fail(d.ticket, err)
		}
	}
}

// forget drops the references to the last draw.
func (d *binWorker) forget() { d.draw, d.Draw, d.Stop = nil, nil, nil }

// task is what a worker has in its turn: some chunks of a draw for a view.
type task struct {
	draw   *recordedDraw
	view   uint32
	ticket uint64
}

// switchTo turns to a task. Where one worker sets up, what is rasterised of one draw becomes
// one sheet.
func (d *binWorker) switchTo(t task) error {
	if d.draw != t.draw || d.View != t.view || d.pass.parallel {
		if d.draw != nil {
			if err := d.finishList(); err != nil {
				return err
			}
		}
		d.draw = t.draw
		d.Start(&t.draw.front, t.view, &t.draw.frame)
	}
	d.ticket = t.ticket
	return nil
}

// fail keeps the error of the first turn that failed.
func (x *binning) fail(turn uint64, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil || turn < x.failedTicket {
		x.err, x.failedTicket = err, turn
	}
	x.stop.Store(true)
}

// endTask ends a worker's turn.
func (x *binning) endTask(worker int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.tickets[worker] = noTicket
	x.taskEnded.Broadcast()
}

// nextTask takes the next turn, and reports whether there is one.
func (p *Pass) nextTask(w *frontend.Scratch, worker int) (t task, ok bool) {
	x := &p.binning
	x.mu.Lock()
	defer x.mu.Unlock()
	for !x.stop.Load() && x.err == nil && x.bytes < maxBinnedBytes && len(x.lists) < maxLists && x.step < len(p.steps) {
		step := &p.steps[x.step]
		if step.clear != nil {
			x.lists = append(x.lists, p.clearList(step.clear, x.nextTicket))
			x.nextTicket++
			x.step++
			continue
		}
		if t.view, ok = x.nextChunks(w, step.draw); ok {
			t.draw, t.ticket, x.tickets[worker] = step.draw, x.nextTicket, x.nextTicket
			x.nextTicket++
			return t, true
		}
	}
	return task{}, false
}

// nextChunks assembles the chunks of a turn, and returns the view that they are drawn for;
// false where the draw has no more of them for the view.
func (x *binning) nextChunks(w *frontend.Scratch, r *recordedDraw) (view uint32, ok bool) {
	if !x.started {
		if x.views = r.state.ViewMask; x.views == 0 {
			x.views = 1
		}
		x.started = true
		x.assembler.Start(&r.args, &r.state, r.pipeline.front.ReadsPrimitives())
	}
	view = uint32(bits.TrailingZeros32(x.views))
	most := 1
	if x.parallel {
		most = taskChunks
	}
	w.Chunks = x.assembler.Fill(w.Chunks, most)
	if len(w.Chunks) > 0 {
		return view, true
	}
	if s := r.args.Statistics; s != nil {
		s.InputVertices += x.assembler.InputVertices
	}
	if x.views &= x.views - 1; x.views != 0 {
		x.assembler.Start(&r.args, &r.state, r.pipeline.front.ReadsPrimitives())
		return 0, false
	}
	x.started = false
	x.step++
	return 0, false
}

// flush makes a sheet of what is rasterised, and where there are enough runs the
// fragments of all up to the worker's turn. It waits until no
// other worker has an earlier turn; those that have later ones go on.
func (d *binWorker) flush(ctx context.Context) error {
	if err := d.finishList(); err != nil {
		return err
	}
	p := d.pass
	if !p.binning.full() {
		return nil
	}
	return p.runTiles(ctx, p.takeUpTo(d.ticket))
}

// full reports whether so much is set up that fragments are to be run.
func (x *binning) full() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.bytes >= maxBinnedBytes
}

// takeUpTo waits until all turns before one have ended, and takes the sheets up to it.
func (p *Pass) takeUpTo(turn uint64) []*binList {
	x := &p.binning
	x.mu.Lock()
	defer x.mu.Unlock()
	for x.hasEarlier(turn) {
		x.taskEnded.Wait()
	}
	p.flushing = p.flushing[:0]
	rest := x.lists[:0]
	for _, s := range x.lists {
		if s.ticket > turn {
			rest = append(rest, s)
			continue
		}
		p.flushing = append(p.flushing, s)
		x.bytes -= s.usedBytes()
	}
	clear(x.lists[len(rest):])
	x.lists = rest
	return p.flushing
}

// hasEarlier reports whether a worker has an earlier turn.
func (x *binning) hasEarlier(turn uint64) bool {
	for _, t := range x.tickets {
		if t < turn {
			return true
		}
	}
	return false
}

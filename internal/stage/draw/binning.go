package draw

import (
	"context"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/stage/draw/frontend"
)

// Binning is the first half of a pass: input assembly to bins. Workers take tasks in order; a task has
// a few chunks of a draw's primitives and a ticket, its number. A task leaves bin lists with its
// ticket. Shading sorts them by ticket, which restores the primitive order for any number of workers;
// the sort is stable, because a task that flushes leaves several lists with one ticket.

// taskChunks is the number of chunks in a task if several workers bin. A task has up to 8 · 4096
// primitives: enough to make its lock and its bin lists cheap.
const taskChunks = 8

// bin bins steps until all are done or a bound is reached.
func (p *Pass) bin(ctx context.Context) error {
	x := &p.binning
	workers := p.binWorkers()
	x.parallel, x.err, x.stop = workers > 1, nil, p.crew.Stop()
	for len(p.binners) < workers {
		d := &binWorker{Binner: frontend.Binner{Scratch: frontend.NewScratch()}, pass: p, worker: len(p.binners)}
		d.Flush = d.flush
		p.binners = append(p.binners, d)
	}
	for _, d := range p.binners {
		d.Scratch.Forget()
		if d.FlushAt = maxListBytes; x.parallel {
			d.FlushAt = maxTaskListBytes
		}
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

// binWorkers returns the number of useful workers: at most the expected number of tasks.
func (p *Pass) binWorkers() int {
	if p.ordered {
		return 1
	}
	tasks, joined := 0, uint64(0) // joined: vertices of draws that share a bin list
	for i := p.binning.step; i < len(p.steps) && tasks < p.workers; i++ {
		d := p.steps[i].draw
		if d == nil {
			continue
		}
		n := d.vertices()
		if d.after != nil && !d.key.InPlace {
			if n += joined; n < frontend.ChunkVertices { // fewer are not worth a worker
				joined = n
				continue
			}
		}
		joined = 0
		tasks += max(int(min(n/frontend.ChunkVertices, 1<<20)), 1)
	}
	return max(min(p.workers, tasks), 1)
}

// runBinWorker is the loop of one worker.
func (p *Pass) runBinWorker(worker int) {
	x := &p.binning
	d := p.binners[worker]
	d.Stop = x.stop
	defer d.forget()
	defer x.endTask(worker)
	for {
		next, ok := p.nextTask(d)
		if !ok {
			break
		}
		if err := d.runTask(next); err != nil {
			x.fail(d.ticket, err)
			return
		}
		if x.parallel && !d.pending() && len(d.series.steps) == 0 {
			x.endTask(worker)
		}
	}
	err := d.finishWaiting(d.current())
	if err == nil {
		err = d.flushJoined()
	}
	if err != nil {
		x.fail(d.ticket, err)
	}
}

// runTask runs a task. The triangles of a draw in place wait for their set-up together with those of the draws that follow.
func (d *binWorker) runTask(t task) error {
	if !t.draw.key.InPlace {
		if err := d.finishWaiting(d.current()); err != nil {
			return err
		}
	}
	if err := d.switchChain(t); err != nil {
		return err
	}
	if !t.draw.key.InPlace {
		return d.runJoined(t)
	}
	for i := range d.Chunks {
		if err := d.wait(t, i); err != nil {
			return err
		}
	}
	return nil
}

// forget drops the references to the last draw.
func (d *binWorker) forget() {
	d.Scratch.End()
	clear(d.waiting)
	d.waiting, d.joined = d.waiting[:0], joinedList{}
	d.series.steps = nil
	d.draw, d.Draw, d.Stop, d.triangles = nil, nil, nil, frontend.Triangles{}
}

// fail records the error of the earliest failed task. Later tasks may have failed only because of
// work that a sequential run would not have begun.
func (x *binning) fail(ticket uint64, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.err == nil || ticket < x.failedTicket {
		x.err, x.failedTicket = err, ticket
	}
	x.stop.Store(true)
}

// nextTask takes the next task, of the worker's series or a new one, and reports whether there is one.
func (p *Pass) nextTask(d *binWorker) (t task, ok bool) {
	for {
		if t, ok = d.nextOfSeries(); ok {
			return t, true
		}
		if t, ok = p.takeTask(d); !ok || t.draw != nil {
			return t, ok
		}
	}
}

// takeTask takes the next task, or a series, of which it returns no task, and reports whether there is one. Clears become bin lists
// on the way. Input assembly is under the lock, because it is sequential: primitive restart and PrimitiveId depend on all earlier
// indices of the draw.
func (p *Pass) takeTask(d *binWorker) (t task, ok bool) {
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
		if x.takeSeries(d, p.steps[x.step:]) {
			return task{}, true
		}
		if t.view, ok = x.nextChunks(d.Scratch, step.draw); ok {
			t.draw, t.ticket = step.draw, x.nextTicket
			if !d.pending() { // the worker has no earlier task
				x.tickets[d.worker] = t.ticket
			}
			x.nextTicket++
			return t, true
		}
	}
	return task{}, false
}

// nextChunks assembles the chunks of a task and returns their view; false if the draw has no more for
// the view.
func (x *binning) nextChunks(w *frontend.Scratch, r *recordedDraw) (view uint32, ok bool) {
	if !x.started {
		if x.views = r.state.ViewMask; x.views == 0 {
			x.views = 1
		}
		x.started = true
		x.start(r)
	}
	view = uint32(bits.TrailingZeros32(x.views))
	most := 1
	if x.parallel {
		most = taskChunks
	}
	if x.fill(w, r, most) {
		return view, true
	}
	if s := r.args.Statistics; s != nil {
		s.InputVertices += x.assembler.InputVertices
	}
	if x.views &= x.views - 1; x.views != 0 {
		// Multiview runs the whole draw for each view in turn. All its primitives of one view
		// precede the next view's.
		x.start(r)
		return 0, false
	}
	x.started = false
	x.step++
	return 0, false
}

// start begins a draw for a view.
func (x *binning) start(r *recordedDraw) {
	x.group = 0
	x.assembler.Start(&r.args, r.added.list, &r.state, r.pipeline.front.ReadsPrimitives())
}

// fill provides the work of a task: some chunks of primitives, or of workgroups in a mesh draw. It
// reports whether there is any.
func (x *binning) fill(w *frontend.Scratch, r *recordedDraw, most int) bool {
	if front := r.pipeline.front; front.IsMesh() {
		first := x.group
		x.group = front.FillGroups(w, r.groups, first, most)
		return x.group > first
	}
	w.Chunks = x.assembler.Fill(w.Chunks, most)
	return len(w.Chunks) > 0
}

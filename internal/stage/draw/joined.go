package draw

import "github.com/chiaro-gpu/chiaro/internal/stage/draw/frontend"

// Small draws that follow each other and whose fragments have the same inputs make a chain (recordedDraw.joins). A worker takes a series of them
// (series.go), and they share bin lists: a tile has few triangles of a draw, but many of a chain. Draws in place also wait for a common
// set-up (package frontend, inplace.go):
//
//	tasks       A B C D │ E F G        chains; a task of another worker, a clear or another state is between them
//	set-up      A B C │ D E F │ G      of draws in place
//	bin lists   A B C D │ E F G

// waitingTask is a chunk of a draw in place whose triangles wait for their set-up.
type waitingTask struct {
	task
	chain     uint64
	triangles frontend.Triangles
}

// maxWaiting is the number of chunks of one set-up job: their records and triangles stay in the second-level cache.
const maxWaiting = 8

// switchChain prepares the worker for a task: of the chain before, if no other task is between them, or of a new one.
func (d *binWorker) switchChain(t task) error {
	switch {
	case d.draw != nil && d.draw == t.draw.after && t.ticket == d.ticket+1:
		// The states are equal, so that the rasterizer goes on with its bins.
		d.draw = t.draw
		d.Join(&t.draw.front)
	case d.draw != t.draw || d.View != t.view || d.pass.parallel:
		if err := d.flushJoined(); err != nil {
			return err
		}
		d.chains++
		d.draw, d.chain = t.draw, d.chains
		d.Start(&t.draw.front, t.view, &t.draw.frame)
	}
	if d.ticket = t.ticket; !d.pending() {
		d.pass.setTicket(d.worker, t.ticket)
	}
	return nil
}

// wait runs the vertex program for a chunk of a draw in place. A draw with statistics does not wait: a later start of the draw would
// drop what it has counted.
func (d *binWorker) wait(t task, chunk int) error {
	counts := t.draw.args.Statistics != nil
	if counts || len(d.waiting) == maxWaiting || !d.Joins(chunk) {
		if err := d.finishWaiting(t); err != nil {
			return err
		}
	}
	if !d.Fits(chunk) { // the list has the memory that it is in
		if err := d.flushJoined(); err != nil {
			return err
		}
	}
	triangles, err := d.Wait(d.pass.ctx, chunk)
	if err != nil {
		return err
	}
	if d.waiting = append(d.waiting, waitingTask{t, d.chain, triangles}); !counts {
		return nil
	}
	if err := d.finishWaiting(t); err != nil {
		return err
	}
	return d.flushJoined()
}

// finishWaiting sets up the triangles that wait and bins them. Task t of the current chain is the current one then.
func (d *binWorker) finishWaiting(t task) error {
	n, chain := len(d.waiting), d.chain
	if n == 0 {
		return nil
	}
	defer func() {
		clear(d.waiting[:n])
		d.waiting = d.waiting[:0]
	}()
	if err := d.resume(d.waiting[0].task, d.waiting[0].chain); err != nil {
		return err
	}
	if err := d.SetUp(d.pass.ctx); err != nil {
		return err
	}
	for i := range d.waiting {
		if err := d.binWaiting(&d.waiting[i]); err != nil {
			return err
		}
	}
	return d.resume(t, chain)
}

// binWaiting adds the triangles of a task to the bins, after their set-up. All are shaded if the bins are full: workers take no task then, but
// this one may have many draws of a series already.
func (d *binWorker) binWaiting(w *waitingTask) error {
	if err := d.resume(w.task, w.chain); err != nil {
		return err
	}
	d.triangles = w.triangles
	d.joined.join(w.ticket, w.triangles.Bytes())
	if err := d.RasterizeInPlace(d.pass.ctx, &w.triangles); err != nil {
		return err
	}
	return d.flushGreat()
}

// runJoined runs the current task, of a draw that is not in place. The list of a small draw, or of a single worker, remains for the next
// ones.
func (d *binWorker) runJoined(t task) error {
	d.joined.join(t.ticket, 0)
	if err := d.Run(d.pass.ctx); err != nil {
		return err
	}
	if d.pass.parallel && (t.draw.args.Statistics != nil || t.draw.vertices() > frontend.ChunkVertices) {
		return d.flushJoined()
	}
	return d.flushGreat()
}

// resume makes a task of a chain the current one.
func (d *binWorker) resume(t task, chain uint64) error {
	if chain != d.chain {
		if err := d.flushJoined(); err != nil {
			return err
		}
		d.draw, d.chain = t.draw, chain
		d.Start(&t.draw.front, t.view, &t.draw.frame)
	} else if d.draw != t.draw {
		d.draw = t.draw
		d.Join(&t.draw.front)
	}
	d.ticket = t.ticket
	d.pass.setTicket(d.worker, d.listTicket())
	return nil
}

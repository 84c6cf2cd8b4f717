package draw

import "github.com/chiaro-gpu/chiaro/internal/stage/draw/frontend"

// Series: if several workers bin, a worker takes a run of small draws at once, not one draw at a time. Draws that follow each other
// are mostly near each other in the picture. So most tiles have the triangles of one worker, which also shades them (runTiles), and
// few triangles move from the caches of one processor to those of another. Two workers, letters are draws:
//
//	one at a time   A C E G │ B D F H    each tile has triangles of both workers
//	series          A B C D │ E F G H

// series is a run of steps that a worker has taken.
type series struct {
	steps     []step // that are not complete
	ticket    uint64 // of the first one
	started   bool   // the first one
	assembler *frontend.Assembler
}

// takeSeries makes the next small draws a series of the worker: a share of those up to the next other step, so that all workers
// end at about the same time. It reports whether there are at least two. The caller holds the lock.
func (x *binning) takeSeries(d *binWorker, steps []step) bool {
	if !x.parallel || x.started {
		return false
	}
	n := 0
	for n < len(steps) && steps[n].draw != nil && steps[n].draw.inSeries() {
		n++
	}
	if n /= len(x.tickets); n < 2 {
		return false
	}
	s := &d.series
	if s.assembler == nil {
		s.assembler = new(frontend.Assembler)
	}
	s.steps, s.ticket, s.started = steps[:n], x.nextTicket, false
	if !d.pending() { // the worker has no earlier task
		x.tickets[d.worker] = s.ticket
	}
	x.nextTicket += uint64(n)
	x.step += n
	return true
}

// inSeries reports whether a draw can be of a series: it is small and has one view.
func (d *recordedDraw) inSeries() bool {
	return d.args.Statistics == nil && (d.key.InPlace || d.after != nil && d.vertices() <= frontend.ChunkVertices)
}

// nextOfSeries returns the next task of the worker's series, if it has one.
func (d *binWorker) nextOfSeries() (t task, ok bool) {
	s, x := &d.series, &d.pass.binning
	for ; len(s.steps) > 0 && !x.stop.Load(); s.steps, s.ticket, s.started = s.steps[1:], s.ticket+1, false {
		r := s.steps[0].draw
		if !s.started {
			s.assembler.Start(&r.args, r.added.list, &r.state, r.pipeline.front.ReadsPrimitives())
			s.started = true
		}
		if d.Chunks = s.assembler.Fill(d.Chunks, taskChunks); len(d.Chunks) > 0 {
			if !d.pending() {
				x.setTicket(d.worker, s.ticket)
			}
			return task{draw: r, ticket: s.ticket}, true
		}
	}
	return task{}, false
}

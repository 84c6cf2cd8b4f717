package draw

import "context"

// Tickets number the tasks of a pass in primitive order. A bin list has the ticket of a task, and lists are shaded in the order of their
// tickets. A worker shades the lists up to a ticket when all tasks before it have ended.

// task is a worker's unit of binning: some chunks of a draw, for one view.
type task struct {
	draw   *recordedDraw
	view   uint32
	ticket uint64
}

// current returns the current task.
func (d *binWorker) current() task { return task{d.draw, d.View, d.ticket} }

// joinedList is the unfinished bin list of the worker: of the chain of the current draw, and in one memory. Zero: there is none.
type joinedList struct {
	ticket uint64 // of the first task
	draws  int
	bytes  int // of draws in place, besides the list
}

// join adds a task to the list.
func (l *joinedList) join(ticket uint64, bytes int) {
	if l.draws == 0 {
		l.ticket = ticket
	}
	l.draws++
	l.bytes += bytes
}

// pending reports whether tasks of the worker wait: their tickets are earlier than the current one.
func (d *binWorker) pending() bool { return len(d.waiting) > 0 || d.joined.draws > 0 }

// listTicket returns the ticket of the current bin list.
func (d *binWorker) listTicket() uint64 {
	if d.joined.draws > 0 {
		return d.joined.ticket
	}
	return d.ticket
}

// setTicket sets the ticket of a worker: the earliest of its tasks that have not ended. takeUpTo waits for it, also a single worker's.
func (x *binning) setTicket(worker int, ticket uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.tickets[worker] = ticket
	x.taskEnded.Broadcast()
}

// endTask marks a worker as idle.
func (x *binning) endTask(worker int) { x.setTicket(worker, noTicket) }

// full reports whether binning has reached its bounds.
func (x *binning) full() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.bytes >= maxBinnedBytes
}

// hasEarlier reports whether a worker has an earlier ticket.
func (x *binning) hasEarlier(ticket uint64) bool {
	for _, t := range x.tickets {
		if t < ticket {
			return true
		}
	}
	return false
}

// takeUpTo waits for all tasks before a ticket and removes the bin lists up to it. It cannot deadlock:
// a worker waits for earlier tickets only, so that the worker with the earliest ticket never waits.
// Idle workers have the greatest ticket.
func (p *Pass) takeUpTo(ticket uint64) []*binList {
	x := &p.binning
	x.mu.Lock()
	defer x.mu.Unlock()
	for x.hasEarlier(ticket) {
		x.taskEnded.Wait()
	}
	p.flushing = p.flushing[:0]
	rest := x.lists[:0]
	for _, s := range x.lists {
		if s.ticket > ticket {
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

// flush finishes the bin list. If binning has reached its bounds, it shades all bin lists up to the
// worker's ticket, after all workers with earlier tickets have finished their tasks. Workers with later tickets
// continue to bin, but cannot shade before this task ends: one worker at a time is here.
func (d *binWorker) flush(ctx context.Context) error {
	if err := d.finishList(); err != nil {
		return err
	}
	p := d.pass
	if !p.binning.full() {
		return nil
	}
	return p.runTiles(ctx, p.takeUpTo(d.listTicket()), false)
}

// flushJoined is flush for the list that is not finished, if there is one.
func (d *binWorker) flushJoined() error {
	if d.joined.draws == 0 {
		return nil
	}
	// All earlier tasks are complete.
	d.pass.setTicket(d.worker, d.joined.ticket)
	err := d.flush(d.pass.ctx)
	d.joined = joinedList{}
	return err
}

// flushGreat is flushJoined for a list with as many bytes as others may have.
func (d *binWorker) flushGreat() error {
	if d.joined.bytes+d.Raster.Bytes() < d.FlushAt {
		return nil
	}
	return d.flushJoined()
}

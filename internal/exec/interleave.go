package exec

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Task is one of the computations that an Interleaver interleaves: a prepared job, or, if Program is nil, the
// Go function Do, which several workers call at once.
type Task struct {
	Program  Program
	Prepared Prepared
	Job      *Job
	Do       func(span int)

	// Prefetch may be nil. An Interleaver calls it before it runs groups of the job, while a worker
	// still runs earlier groups: it should prefetch their inputs into the caches. It may be called
	// for a part of the groups that later run as one batch, and from several workers at once.
	Prefetch func(first, count uint32)

	program int // index of Program in Interleaver.programs
}

// Piece is the work of one task in one span: Count groups of its job from First on. For a task with a Go
// function Count is only a weight, its approximate cost in groups.
type Piece struct {
	Task         int32
	First, Count uint32
}

// Interleaver runs several tasks, alternating between them span by span. Rasterization uses one span for each
// tile, so that the fragments of all draws of a tile run while the tile is in the caches. An Interleaver may
// be used for any number of runs, one at a time; after the first it allocates nothing, except to watch a
// cancellable context. The zero Interleaver is ready to use.
type Interleaver struct {
	queue
	pool     Pool
	ctx      context.Context
	tasks    []Task
	pieces   [][]Piece  // by span
	ends     []uint64   // the queue's spanEnds: a unit of the queue is a group of a piece
	programs []Program  // distinct programs of tasks; a worker slot per program, not per task
	acquired [][]Worker // [worker][program], the workers acquired so far
	each     func(worker int)
	near     nearSpans
	choose   func(alternatives int) int // the schedule of a job; nil for none
}

// Run executes the pieces of all spans. One worker runs the pieces of a span, in order; different spans run
// in any order, which the schedule of a job chooses if there is one. Memory that belongs to one span is
// therefore in the same state as after a sequential run, task after task. workers is as in Job; if one task
// requires a single worker, there is one, which runs the spans in order unless there is a schedule. Run returns
// the error of the lowest-numbered failing task, or ctx.Err(), or the *AbortError of the first task in which an
// invocation aborted.
func (x *Interleaver) Run(ctx context.Context, workers int, tasks []Task, spans [][]Piece) error {
	return x.RunNear(ctx, &x.pool, workers, tasks, spans, nil)
}

// RunNear is Run by the workers of a pool that runs nothing else. If homes is not nil, each worker prefers the spans that have its number
// in homes: their data are near.
func (x *Interleaver) RunNear(ctx context.Context, pool *Pool, workers int, tasks []Task, spans [][]Piece, homes []int32) error {
	x.ctx, x.tasks, x.pieces = ctx, tasks, spans
	defer x.reset()
	x.ends = x.ends[:0]
	total, nonEmpty := uint64(0), 0
	for _, list := range spans {
		before := total
		for i := range list {
			total += uint64(list[i].Count)
		}
		if total > before {
			nonEmpty++
		}
		x.ends = append(x.ends, total)
	}
	if total == 0 {
		return ctx.Err()
	}
	workers = min(x.numberPrograms(workers), nonEmpty)
	for len(x.acquired) < workers {
		x.acquired = append(x.acquired, nil)
	}
	if x.each == nil {
		x.each = x.work
	}
	x.start(total, x.ends, workers, pool.Stop())
	x.near.start(spans, homes, workers)
	pool.Run(ctx, workers, x.each)
	if err := cmp.Or(x.err, ctx.Err()); err != nil {
		// The invocations that did not run might reach the barriers and derivatives of the others. An abort ends one invocation alone, so
		// that its log stays complete.
		for i := range tasks {
			if p := &tasks[i]; p.Program != nil {
				p.Job.Log.Interrupt()
			}
		}
		return err
	}
	for i := range tasks {
		if p := &tasks[i]; p.Program != nil {
			if err := p.Job.abortError(); err != nil {
				return err
			}
		}
	}
	return nil
}

// numberPrograms numbers the distinct programs of the tasks and returns the maximum number of workers.
func (x *Interleaver) numberPrograms(n int) int {
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	for i := range x.tasks {
		p := &x.tasks[i]
		if p.Program == nil {
			continue
		}
		if i > 0 && x.tasks[i-1].Program == p.Program {
			p.program = x.tasks[i-1].program
		} else if p.program = slices.Index(x.programs, p.Program); p.program < 0 {
			p.program = len(x.programs)
			x.programs = append(x.programs, p.Program)
		}
		if p.Job.Hook != nil || p.Job.Schedule != nil || p.Program.IR().Effects.Ordered {
			n = 1
		}
		if p.Job.Schedule != nil {
			x.choose = p.Job.Schedule
		}
	}
	return n
}

// reset drops all references to the tasks of the last run.
func (x *Interleaver) reset() {
	clear(x.programs)
	x.programs = x.programs[:0]
	x.ctx, x.tasks, x.pieces, x.choose = nil, nil, nil, nil
}

// work is the body of one worker: it runs spans until the queue is empty or stopped.
func (x *Interleaver) work(worker int) {
	list := x.acquired[worker][:0]
	for range x.programs {
		list = append(list, nil)
	}
	x.acquired[worker] = list
	defer func() {
		for i, w := range list {
			if w != nil {
				w.Release()
			}
			list[i] = nil
		}
	}()
	if x.choose != nil {
		x.runChosen(list)
		return
	}
	if len(x.near.first) > 0 {
		for i, ok := x.near.take(worker); ok && !x.stop.Load() && x.runSpans(list, i, i+1); i, ok = x.near.take(worker) {
		}
		return
	}
	size := batchSize(1)
	for b, from, to, ok := x.nextBatchSpans(size); ok; b, from, to, ok = x.nextBatchSpans(size) {
		begin := time.Now()
		if !x.runSpans(list, from, to) {
			return
		}
		if b.Count >= uint64(size) { // a shorter batch, at the end of the queue, would make the batch size grow
			size.adapt(time.Since(begin))
		}
	}
}

// runChosen runs all spans in the order of the schedule.
func (x *Interleaver) runChosen(list []Worker) {
	left := make([]int, len(x.pieces))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		k := 0
		if len(left) > 1 {
			k = min(max(x.choose(len(left)), 0), len(left)-1)
		}
		if !x.runSpans(list, left[k], left[k]+1) {
			return
		}
		left = slices.Delete(left, k, k+1)
	}
}

// runSpans runs the pieces of the spans from to to−1. It coalesces pieces of one task with consecutive groups
// into one batch, and prefetches each piece before it runs the piece before it. It returns false on failure.
func (x *Interleaver) runSpans(list []Worker, from, to int) bool {
	var pending Piece
	for i := from; i < to; i++ {
		for _, piece := range x.pieces[i] {
			if pending.Count > 0 && piece.Task == pending.Task && piece.First == pending.First+pending.Count {
				pending.Count += piece.Count
				continue
			}
			if prefetch := x.tasks[piece.Task].Prefetch; prefetch != nil {
				prefetch(piece.First, piece.Count)
			}
			if !x.runPiece(list, pending) {
				return false
			}
			pending = piece
			if do := x.tasks[piece.Task].Do; do != nil {
				do(i)
				advance(x.ctx)
				pending = Piece{}
			}
		}
	}
	return x.runPiece(list, pending)
}

// runPiece runs one piece of a job, and acquires a worker of its program if list has none yet. It returns
// false on failure or if the run is stopped.
func (x *Interleaver) runPiece(list []Worker, piece Piece) bool {
	if piece.Count == 0 {
		return true
	}
	if x.stop.Load() {
		return false
	}
	p := &x.tasks[piece.Task]
	w := list[p.program]
	if w == nil {
		var err error
		if w, err = p.Program.AcquireWorker(x.ctx, x.stop); err != nil {
			x.fail(uint64(piece.Task), err)
			return false
		}
		list[p.program] = w
	}
	if err := w.Run(p.Prepared, Batch{uint64(piece.First), uint64(piece.Count)}); err != nil {
		x.fail(uint64(piece.Task), err)
		return false
	}
	advance(x.ctx)
	return true
}

// nearSpans are the spans of a run with homes: for each worker a list, from which it takes the first one. A worker without a span takes
// the last one of the worker with the most spans, which is the one that its owner would run last. Two workers, numbers are spans:
//
//	worker 0    1 2 5 7 ◀── worker 1 takes 7 after 6
//	worker 1    0 3 4 6
type nearSpans struct {
	mu         sync.Mutex
	spans      []int32 // by worker
	first, end []int   // of each worker's list in spans; both are empty for a run without homes
}

// start makes the lists. Spans of other homes belong to any worker.
func (n *nearSpans) start(spans [][]Piece, homes []int32, workers int) {
	n.spans, n.first, n.end = n.spans[:0], n.first[:0], n.end[:0]
	if homes == nil || workers < 2 {
		return
	}
	for w := range workers {
		n.first = append(n.first, len(n.spans))
		for i := range spans {
			if len(spans[i]) > 0 && int(uint32(homes[i])%uint32(workers)) == w {
				n.spans = append(n.spans, int32(i))
			}
		}
		n.end = append(n.end, len(n.spans))
	}
}

// take removes a span for a worker; ok is false if none is left. A worker takes one span at a time, so that a span that takes long
// leaves the others to other workers.
func (n *nearSpans) take(worker int) (span int, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.first[worker] < n.end[worker] {
		n.first[worker]++
		return int(n.spans[n.first[worker]-1]), true
	}
	from, most := 0, 0
	for w := range n.first {
		if left := n.end[w] - n.first[w]; left > most {
			from, most = w, left
		}
	}
	if most == 0 {
		return 0, false
	}
	n.end[from]--
	return int(n.spans[n.end[from]]), true
}

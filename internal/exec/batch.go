package exec

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Batch is a run of consecutive groups: numbers First to First+Count−1, for
// Job.Group.
type Batch struct {
	First, Count uint64
}

// batchesPerWorker is into how many batches a worker's share is cut, so that
// workers whose groups are quick may take from the others.
const batchesPerWorker = 16

// maxBatch bounds a batch, so that a cancelled job is noticed.
const maxBatch = 4096

// Split hands the job's groups out in batches to WorkerCount(p) workers; each
// gets its batches in ascending order. newWorker is called once for each
// worker, in its goroutine, and returns the function that runs a batch and one
// that frees what the worker holds, or nil. stop is closed over by both: it is
// set when ctx is done or another worker has failed, and a batch that sees it
// returns nil at once. Split returns the error of the lowest batch that
// failed, or ctx.Err(). A panic of a worker becomes a panic of Split.
func (j *Job) Split(ctx context.Context, p *ir.Program, newWorker func(stop *atomic.Bool) (run func(Batch) error, free func())) error {
	total := j.Total()
	if total == 0 {
		return ctx.Err()
	}
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()

	workers := j.WorkerCount(p)
	q := &queue{total: total, size: min(max(total/uint64(workers*batchesPerWorker), 1), maxBatch), stop: &stop}
	if workers == 1 {
		q.work(newWorker)
	} else {
		var wait sync.WaitGroup
		for range workers {
			wait.Go(func() {
				defer q.recover()
				q.work(newWorker)
			})
		}
		wait.Wait()
	}
	if q.panic != nil {
		panic(q.panic)
	}
	if q.err != nil {
		return q.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return j.aborted(p)
}

// queue hands out batches.
type queue struct {
	total, size uint64
	stop        *atomic.Bool

	mu   sync.Mutex
	next uint64
	err  error
	at   uint64 // the batch that gave err

	panic any // of a worker, with its stack
}

// recover keeps a panic for the goroutine that called Split, where somebody
// may recover it; nobody could in a worker's.
func (q *queue) recover() {
	if r := recover(); r != nil {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.panic = fmt.Sprintf("%v\n%s", r, debug.Stack())
		q.stop.Store(true)
	}
}

func (q *queue) take() (Batch, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next >= q.total || q.stop.Load() {
		return Batch{}, false
	}
	b := Batch{q.next, min(q.size, q.total-q.next)}
	q.next += b.Count
	return b, true
}

func (q *queue) fail(b Batch, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil || b.First < q.at {
		q.err, q.at = err, b.First
	}
	q.stop.Store(true)
}

func (q *queue) work(newWorker func(*atomic.Bool) (func(Batch) error, func())) {
	run, free := newWorker(q.stop)
	if free != nil {
		defer free()
	}
	for b, ok := q.take(); ok; b, ok = q.take() {
		if err := run(b); err != nil {
			q.fail(b, err)
			return
		}
	}
}

package exec

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Batch is a run of consecutive groups: numbers First to First+Count−1, for
// Job.Group.
type Batch struct {
	First, Count uint64
}

// shares is which part of an even share of the groups that are left a batch is
// at most: batches become smaller towards the end, so that workers whose groups
// are quick take what others would still have before them.
const shares = 8

// batchTime is how long a batch should run: long beside what it costs to hand
// one out, short beside a job that is worth several workers.
const batchTime = 100 * time.Microsecond

// maxBatch bounds a batch, so that a cancelled job is noticed.
const maxBatch = 4096

// Split hands the job's groups out in batches, of whole spans, to WorkerCount(p) workers, of
// whom its caller is one; each gets its batches in ascending order. newWorker is
// called once for each worker, in its goroutine, and returns the function that
// runs a batch and one that frees what the worker holds, or nil. stop is closed
// over by both: it is set when ctx is done or another worker has failed, and a
// batch that sees it returns nil at once. Split returns the error of the lowest
// batch that failed, or ctx.Err(). A panic of a worker becomes a panic of Split.
func (j *Job) Split(ctx context.Context, p *ir.Program, newWorker func(stop *atomic.Bool) (run func(Batch) error, free func())) error {
	total := j.Total()
	if total == 0 {
		return ctx.Err()
	}
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()

	workers := j.WorkerCount(p)
	q := &queue{total: total, spans: j.Spans, share: uint64(workers) * shares, stop: &stop}
	if workers == 1 {
		q.work(newWorker)
	} else {
		work := func() {
			defer q.recover()
			q.work(newWorker)
		}
		var wait sync.WaitGroup
		for range workers - 1 {
			wait.Go(work)
		}
		work()
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
	total, share uint64
	spans        []uint64 // Job.Spans
	stop         *atomic.Bool

	mu   sync.Mutex
	next uint64
	span int // the first that ends behind next
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

// pace is how many groups a worker takes at once: few at first, and then as many
// as run for about batchTime.
type pace uint64

// ran adapts the pace to how long a batch of that many groups ran.
func (p *pace) ran(d time.Duration) {
	switch {
	case d < batchTime/2:
		*p = min(2**p, maxBatch)
	case d > 2*batchTime:
		*p = max(*p/2, 1)
	}
}

// take hands out a batch of up to most groups, or of one span that has more.
func (q *queue) take(most pace) (Batch, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next >= q.total || q.stop.Load() {
		return Batch{}, false
	}
	b := Batch{q.next, min(max((q.total-q.next)/q.share, 1), uint64(most))}
	if len(q.spans) > 0 {
		b.Count = q.whole(b.Count)
	}
	q.next += b.Count
	return b, true
}

// whole returns how many groups the spans have that come next: as many spans as have
// no more than most groups, but at least one that has some.
func (q *queue) whole(most uint64) (n uint64) {
	for ; q.span < len(q.spans); q.span++ {
		end := q.spans[q.span] - q.next
		if n > 0 && end > most {
			break
		}
		n = end
	}
	return n
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
	p := pace(1)
	for b, ok := q.take(p); ok; b, ok = q.take(p) {
		begin := time.Now()
		if err := run(b); err != nil {
			q.fail(b, err)
			return
		}
		if b.Count >= uint64(p) { // no less was left
			p.ran(time.Since(begin))
		}
	}
}

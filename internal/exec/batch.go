package exec

import (
	"sync"
	"sync/atomic"
	"time"
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
}

// start fills the queue with groups, of whole spans, for so many workers.
func (q *queue) start(total uint64, spans []uint64, workers int, stop *atomic.Bool) {
	q.total, q.spans, q.share, q.stop = total, spans, uint64(workers)*shares, stop
	q.next, q.span, q.err, q.at = 0, 0, nil, 0
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
	b, _, _, ok := q.takeSpans(most)
	return b, ok
}

// takeSpans is take, and returns the spans that the batch is: from and up to but not
// with to.
func (q *queue) takeSpans(most pace) (b Batch, from, to int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next >= q.total || q.stop.Load() {
		return Batch{}, 0, 0, false
	}
	b, from = Batch{q.next, min(max((q.total-q.next)/q.share, 1), uint64(most))}, q.span
	if len(q.spans) > 0 {
		b.Count = q.whole(b.Count)
	}
	q.next += b.Count
	return b, from, q.span, true
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

// fail keeps the error of what stands first, and stops all.
func (q *queue) fail(at uint64, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil || at < q.at {
		q.err, q.at = err, at
	}
	q.stop.Store(true)
}

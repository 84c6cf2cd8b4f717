package exec

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Batch is a range of consecutive groups, First to First+Count−1, as numbered by Job.GroupID.
type Batch struct {
	First, Count uint64
}

// shareDivisor limits a batch to 1/shareDivisor of an even share of the remaining groups. Batches therefore
// shrink towards the end of a job, so that a worker with cheap groups relieves one with expensive groups
// (guided self-scheduling, Polychronopoulos and Kuck 1987).
const shareDivisor = 8

// minShare limits the decrease: the last batches have at least 1/minShare of the adaptive size.
const minShare = 1024

// batchTime is the target duration of a batch: long compared with one lock of the queue, short compared with
// a job that is worth several workers.
const batchTime = 100 * time.Microsecond

// maxBatch limits the groups of a batch, so that cancellation is noticed soon.
const maxBatch = 4096

// queue is the shared work queue of one run. Its groups leave it in ascending order, so each worker receives
// ascending batches: the order of effects that package ir requires of one worker.
type queue struct {
	total, divisor uint64
	spanEnds       []uint64 // Job.SpanEnds
	stop           *atomic.Bool

	mu        sync.Mutex
	nextGroup uint64
	nextSpan  int // index of the first span that ends after nextGroup
	err       error
	errAt     uint64 // first group of the batch that failed with err
}

// start fills the queue with the groups 0 to total−1 for the given number of workers. stop ends the run
// early.
func (q *queue) start(total uint64, spanEnds []uint64, workers int, stop *atomic.Bool) {
	q.total, q.spanEnds, q.divisor, q.stop = total, spanEnds, uint64(workers)*shareDivisor, stop
	q.nextGroup, q.nextSpan, q.err, q.errAt = 0, 0, nil, 0
}

// batchSize is one worker's adaptive batch size, in groups: it starts at 1 and converges to the number of
// groups that run for about batchTime. It is per worker, because a batch of one worker does not measure the
// load of the processor that runs another. It is a heuristic only: no result depends on it.
type batchSize uint64

// maxBatchSize is the size of all groups together.
const maxBatchSize = batchSize(math.MaxUint64)

// adapt doubles or halves the size after a batch of that many groups has run for d. The interval without a
// change is a factor of 4 wide, more than one doubling, so that the size does not oscillate. A batch that is
// much too short grows faster: jobs of cheap groups need few batches.
func (s *batchSize) adapt(d time.Duration) {
	switch {
	case d < batchTime/32:
		*s = min(16**s, maxBatch)
	case d < batchTime/2:
		*s = min(2**s, maxBatch)
	case d > 2*batchTime:
		*s = max(*s/2, 1)
	}
}

// nextBatch removes a batch of at most most groups from the queue, or one span if the next span is longer. It
// returns false if the queue is empty or stopped.
func (q *queue) nextBatch(most batchSize) (Batch, bool) {
	b, _, _, ok := q.nextBatchSpans(most)
	return b, ok
}

// nextBatchSpans is nextBatch, and also returns the batch's spans, as the half-open range from, to.
func (q *queue) nextBatchSpans(most batchSize) (b Batch, from, to int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.nextGroup >= q.total || q.stop.Load() {
		return Batch{}, 0, 0, false
	}
	b, from = Batch{q.nextGroup, min(max((q.total-q.nextGroup)/q.divisor, uint64(most)/minShare, 1), uint64(most), q.total-q.nextGroup)}, q.nextSpan
	if len(q.spanEnds) > 0 {
		b.Count = q.wholeSpans(b.Count)
	}
	q.nextGroup += b.Count
	return b, from, q.nextSpan, true
}

// wholeSpans returns the total length in groups of the spans at the head of the queue: as many whole spans as
// fit in most groups, but at least one non-empty span. It advances nextSpan past them. The caller holds q.mu.
func (q *queue) wholeSpans(most uint64) (n uint64) {
	for ; q.nextSpan < len(q.spanEnds); q.nextSpan++ {
		end := q.spanEnds[q.nextSpan] - q.nextGroup
		if n > 0 && end > most {
			break
		}
		n = end
	}
	return n
}

// fail stops the run, and records err if it belongs to the lowest group so far. The lowest group wins so that
// the reported error does not depend on timing more than necessary.
func (q *queue) fail(at uint64, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil || at < q.errAt {
		q.err, q.errAt = err, at
	}
	q.stop.Store(true)
}

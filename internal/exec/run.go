package exec

import (
	"cmp"
	"context"
	"time"
)

// Run executes a job. It distributes the job's groups in batches of whole spans to job.WorkerCount workers,
// one of which is the caller's goroutine; each worker receives its batches in ascending order. Run returns
// the error of the lowest-numbered failing batch, or ctx.Err(), or the *AbortError of the first invocation
// that aborted. A panic in a worker becomes a panic of Run.
func Run(ctx context.Context, p Program, job *Job) error {
	job = job.WithLog(p.IR())
	prepared, err := prepareAll(p, job)
	if err != nil {
		return err
	}
	defer prepared.Release()
	total, _ := groupCount(prepared, job)
	if total == 0 {
		return ctx.Err()
	}
	d := newDispatch()
	d.ctx, d.program, d.prepared = ctx, p, prepared
	defer d.recycle()
	workers := job.WorkerCount(p.IR())
	d.start(total, job.SpanEnds, workers, d.Stop())
	if job.Schedule != nil { // which interleaves all groups
		d.divisor, d.first = 1, maxBatchSize
	}
	d.Pool.Run(ctx, workers, d.each)
	if err := cmp.Or(d.err, ctx.Err()); err != nil {
		job.Log.Interrupt()
		return err
	}
	return job.abortError()
}

// dispatch is the state of one Run: a job shared by several workers. It is reused, so that a run in the
// steady state allocates nothing.
type dispatch struct {
	Pool
	queue
	ctx      context.Context
	program  Program
	prepared Prepared
	first    batchSize        // of each worker; 0 is 1
	each     func(worker int) // the method value of work, created once so that a run allocates nothing
}

// idleDispatches holds at most maxIdleDispatches dispatches for reuse.
var idleDispatches FreeList[dispatch]

const maxIdleDispatches = 64

// newDispatch returns an idle dispatch, or a new one.
func newDispatch() *dispatch {
	if d := idleDispatches.Get(); d != nil {
		return d
	}
	d := &dispatch{}
	d.each = d.work
	return d
}

// recycle drops all references to the job and returns d to the free list.
func (d *dispatch) recycle() {
	d.ctx, d.program, d.prepared, d.spanEnds, d.first = nil, nil, nil, nil, 0
	idleDispatches.Put(d, maxIdleDispatches)
}

// work is the body of one worker: it runs batches until the queue is empty or stopped.
func (d *dispatch) work(int) {
	w, err := d.program.AcquireWorker(d.ctx, d.Stop())
	if err != nil {
		d.fail(0, err)
		return
	}
	defer w.Release()
	size := max(d.first, 1) // unknown cost: one expensive group must not delay cancellation by a whole batch
	for b, ok := d.nextBatch(size); ok; b, ok = d.nextBatch(size) {
		var begin time.Time
		whole := b.Count >= uint64(size) // a shorter batch, at the end of the queue, would make the batch size grow
		if whole {
			begin = time.Now()
		}
		if err := w.Run(d.prepared, b); err != nil {
			d.fail(b.First, err)
			return
		}
		advance(d.ctx)
		if whole {
			size.adapt(time.Since(begin))
		}
	}
}

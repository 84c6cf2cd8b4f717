package exec

import (
	"context"
	"time"
)

// Run runs a job for a program: it hands the job's groups out in batches, of whole
// spans, to WorkerCount workers, of whom its caller is one; each gets its batches in
// ascending order. It returns the error of the lowest batch that failed, or ctx.Err().
// A panic of a worker becomes a panic of Run.
func Run(ctx context.Context, p Program, job *Job) error {
	job = job.Heard(p.IR())
	ready, err := p.Prepare(job)
	if err != nil {
		return err
	}
	defer ready.Release()
	total := job.Total()
	if total == 0 {
		return ctx.Err()
	}
	s := newSplit()
	s.ctx, s.program, s.ready = ctx, p, ready
	defer s.keep()
	workers := job.WorkerCount(p.IR())
	s.start(total, job.Spans, workers, s.Stop())
	s.Crew.Run(ctx, workers, s.each)
	if s.err != nil {
		return s.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return job.aborted(p.IR())
}

// split is a job that is run by several workers.
type split struct {
	Crew
	queue
	ctx     context.Context
	program Program
	ready   Prepared
	each    func(worker int) // work
}

// splits are those that nobody uses, maxSplits at most.
var splits Kept[split]

const maxSplits = 64

// newSplit returns one of an earlier run, or a new one.
func newSplit() *split {
	if s := splits.Take(); s != nil {
		return s
	}
	s := &split{}
	s.each = s.work
	return s
}

// keep keeps it for another run.
func (s *split) keep() {
	s.ctx, s.program, s.ready, s.spans = nil, nil, nil, nil
	splits.Keep(s, maxSplits)
}

// work runs batches until none is left.
func (s *split) work(int) {
	w, err := s.program.Enter(s.ctx, s.Stop())
	if err != nil {
		s.fail(0, err)
		return
	}
	defer w.Leave()
	p := pace(1)
	for b, ok := s.take(p); ok; b, ok = s.take(p) {
		begin := time.Now()
		if err := w.Run(s.ready, b); err != nil {
			s.fail(b.First, err)
			return
		}
		if b.Count >= uint64(p) { // no less was left
			p.ran(time.Since(begin))
		}
	}
}

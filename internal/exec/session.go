package exec

import (
	"context"
	"slices"
	"sync/atomic"
	"unsafe"
)

// Reusable is a prepared job that can run again after a change of its Groups, Base and Push.
type Reusable interface {
	Prepared

	// Reusable reports whether Reuse is possible: not if the effects of a run are complete only after the Release of
	// its worker.
	Reusable() bool

	// Reuse makes the job's Groups, Base and Push valid for the next run. No worker may be running groups of the job.
	Reuse()
}

// Rebindable is a prepared job that can run again after a change of its descriptors, too.
type Rebindable interface {
	Reusable

	// Rebind is Reuse after a change of the job's Resources. It returns false, and changes nothing, if the job needs a new Prepare.
	// No worker may be running groups of the job.
	Rebind() bool
}

// Session runs jobs one after another on the calling goroutine, as [Run] does with one worker. It retains the worker and the
// prepared job of the last run: a job with the same program and resources costs little. The zero Session is ready for use.
// A Session retains memory of its jobs until End.
type Session struct {
	program   Program
	job       *Job
	prepared  Prepared
	worker    Worker
	stop      *atomic.Bool
	resources []bufferKey // of the prepared job: all descriptors, after the length of their resource
	regions   []Region
	budget    uint64
	log       *Log
	rays      RayService
}

// bufferKey identifies the memory of a descriptor, or a list of descriptors.
type bufferKey struct {
	at     unsafe.Pointer
	bytes  int
	beyond int
	owned  bool
}

// maxSessionBuffers bounds the descriptors of a job that is compared with the last one.
const maxSessionBuffers = 64

// Run runs a job, until stop is set. A job that stop has interrupted is incomplete: Run returns the error of ctx, which is nil
// if ctx has not ended. Then the setter of stop has the error.
func (s *Session) Run(ctx context.Context, p Program, job *Job, stop *atomic.Bool) error {
	if stop == nil || job.Hook != nil || job.Schedule != nil || len(job.SpanEnds) > 0 || len(p.IR().Messages) > 0 {
		s.End()
		return p.Run(ctx, job)
	}
	n, ok := uint64(0), false
	if s.isLast(p, job, stop) && s.reuse(job) {
		n, ok = groupCount(s.prepared, job)
	}
	if !ok {
		if err := s.begin(ctx, p, job, stop); err != nil {
			return err
		}
		n, _ = groupCount(s.prepared, job)
	}
	var err error
	if n > 0 {
		err = s.worker.Run(s.prepared, Batch{0, n})
	}
	// A worker without a run is still bound to a job that is released.
	if r, ok := s.prepared.(Reusable); err != nil || n == 0 || !ok || !r.Reusable() {
		s.End()
	}
	if err != nil {
		return err
	}
	advance(ctx)
	return ctx.Err()
}

// begin prepares a job and acquires a worker, if the last one is of another program.
func (s *Session) begin(ctx context.Context, p Program, job *Job, stop *atomic.Bool) (err error) {
	if s.program != p || s.stop != stop {
		s.End()
	}
	// The last job is released after this one is prepared: a free list could return the same object, which the worker takes for the job
	// to which it is bound.
	prepared, err := prepareAll(p, job)
	if err != nil {
		s.End()
		return err
	}
	if s.prepared != nil {
		s.prepared.Release()
	}
	s.prepared = prepared
	if s.worker == nil {
		if s.worker, err = p.AcquireWorker(ctx, stop); err != nil {
			s.worker = nil
			s.End()
			return err
		}
	}
	s.program, s.job, s.stop, s.regions, s.budget, s.log, s.rays = p, job, stop, job.Regions, job.Budget, job.Log, job.Rays
	s.resources, _ = appendKeys(s.resources[:0], job)
	return nil
}

// isLast reports whether a job equals the prepared one except for Groups, Base, Push and Resources.
func (s *Session) isLast(p Program, job *Job, stop *atomic.Bool) bool {
	return s.prepared != nil && s.program == p && s.job == job && s.stop == stop && s.budget == job.Budget && s.log == job.Log && s.rays == job.Rays &&
		len(s.regions) == len(job.Regions) && unsafe.SliceData(s.regions) == unsafe.SliceData(job.Regions)
}

// reuse makes the prepared job valid for a job that isLast, and reports whether it can.
func (s *Session) reuse(job *Job) bool {
	n := len(s.resources)
	all, ok := appendKeys(s.resources, job)
	s.resources = all[:n]
	if !ok {
		return false
	}
	if slices.Equal(all[:n], all[n:]) {
		s.prepared.(Reusable).Reuse()
		return true
	}
	r, ok := s.prepared.(Rebindable)
	if !ok || !r.Rebind() {
		return false
	}
	s.resources = append(s.resources[:0], all[n:]...)
	return true
}

// appendKeys appends the keys of a job's resources; false if they have too many descriptors.
func appendKeys(keys []bufferKey, job *Job) ([]bufferKey, bool) {
	most := len(keys) + maxSessionBuffers
	for r, list := range job.Resources {
		shared := job.ListOf(r)
		keys = append(keys, bufferKey{unsafe.Pointer(shared), len(list), 0, false})
		if shared != nil { // it does not change during a session
			continue
		}
		for _, b := range list[:min(len(list), maxSessionBuffers)] {
			keys = append(keys, bufferKey{unsafe.Pointer(unsafe.SliceData(b.Bytes)), len(b.Bytes), b.Beyond, b.Owned})
		}
		if len(list) > maxSessionBuffers || len(keys) > most {
			return keys, false
		}
	}
	return keys, true
}

// End releases the worker and the prepared job.
func (s *Session) End() {
	if s.worker != nil {
		s.worker.Release()
	}
	if s.prepared != nil {
		s.prepared.Release()
	}
	clear(s.resources)
	*s = Session{resources: s.resources[:0]}
}

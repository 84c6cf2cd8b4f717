package vk

import (
	"context"
	"errors"

	"github.com/chiaro-gpu/chiaro/internal/exec"
)

// waiter is a goroutine that waits for timelines. It is reused: a wait in the steady state allocates nothing.
type waiter struct{ woken chan struct{} }

// waiting is a waiter of a timeline, and the value for which it waits.
type waiting struct {
	value  uint64
	waiter *waiter
}

// idleWaiters holds at most maxIdleWaiters waiters for reuse.
var idleWaiters exec.FreeList[waiter]

const maxIdleWaiters = 256

func newWaiter() *waiter {
	if w := idleWaiters.Get(); w != nil {
		return w
	}
	return &waiter{make(chan struct{}, 1)}
}

// wake ends the wait. A second wake of the same wait does nothing.
func (w *waiter) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

// recycle makes w idle. No timeline may have it.
func (w *waiter) recycle() {
	select {
	case <-w.woken:
	default:
	}
	idleWaiters.Put(w, maxIdleWaiters)
}

// join makes w wait for a value. It reports false if the timeline has it already.
func (s *timeline) join(w *waiter, value uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.value >= value {
		return false
	}
	s.waits = append(s.waits, waiting{value, w})
	return true
}

// leave ends the waits of w.
func (s *timeline) leave(w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.waits[:0]
	for _, x := range s.waits {
		if x.waiter != w {
			left = append(left, x)
		}
	}
	clear(s.waits[len(left):])
	s.waits = left
}

// point is a timeline and a value.
type point struct {
	timeline *timeline
	value    uint64
}

// wait waits until the timeline has a value; it may be closed with DeferFree.
func (s *timeline) wait(ctx context.Context, value uint64) error {
	one := [1]point{{s, value}}
	return s.dev.waitAny(ctx, one[:])
}

// waitAny waits until a timeline has its value. It returns ErrTimeout if the deadline of ctx passes, another error of ctx,
// or an error that wraps ErrDeviceLost if the device is lost before.
func (d *Device) waitAny(ctx context.Context, points []point) error {
	if ctx == nil {
		return errNoContext
	}
	w := newWaiter()
	defer w.recycle()
	for i, p := range points {
		if !p.timeline.join(w, p.value) {
			leaveAll(points[:i], w)
			return nil
		}
	}
	defer leaveAll(points, w)
	select {
	case <-w.woken:
		return nil
	case <-d.lost:
		select {
		case <-w.woken: // before the loss
			return nil
		default:
			return d.lostCause
		}
	case <-ctx.Done():
		return waitError(ctx)
	}
}

// waitError is the error of a wait that ended with its context: of a wait of a queue, the cause of its end.
func waitError(ctx context.Context) error {
	if _, ok := ctx.(*exec.StopContext); ok {
		return ctx.Err()
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ErrTimeout
	}
	return ctx.Err()
}

func leaveAll(points []point, w *waiter) {
	for _, p := range points {
		p.timeline.leave(w)
	}
}

// waitFor waits for one of the points, or for all.
func (d *Device) waitFor(ctx context.Context, points []point, all bool) error {
	if !all {
		if err := d.waitAny(ctx, points); err != nil {
			return err
		}
	} else {
		for i := range points {
			if err := d.waitAny(ctx, points[i:i+1]); err != nil {
				return err
			}
		}
	}
	if d.printer.queues != nil {
		for _, p := range points {
			if p.timeline.now() >= p.value {
				p.timeline.saw(p.value)
			}
		}
	}
	return nil
}

// WaitFences waits until all fences are signaled, or one of them; see [Semaphore.Wait].
func (d *Device) WaitFences(ctx context.Context, all bool, fences ...*Fence) error {
	if err := d.waitable(len(fences), "VUID-vkWaitForFences-fenceCount-arraylength"); err != nil {
		return err
	}
	points := make([]point, len(fences))
	for i, f := range fences {
		if err := check(d, "a fence", f); err != nil {
			return err
		}
		points[i] = point{&f.timeline, f.goal()}
	}
	return d.waitFor(ctx, points, all)
}

// WaitSemaphores waits until all semaphores have their values, or one of them; see [Semaphore.Wait].
func (d *Device) WaitSemaphores(ctx context.Context, all bool, values ...SemaphoreValue) error {
	if err := d.waitable(len(values), "VUID-VkSemaphoreWaitInfo-semaphoreCount-arraylength"); err != nil {
		return err
	}
	points := make([]point, len(values))
	for i, v := range values {
		if err := check(d, "a semaphore", v.Semaphore); err != nil {
			return err
		}
		if v.Semaphore.binary {
			return usage("VUID-VkSemaphoreWaitInfo-pSemaphores-03256", "the host waits for %v, which is binary; must be a timeline", &v.Semaphore.object)
		}
		points[i] = point{&v.Semaphore.timeline, v.Value}
	}
	return d.waitFor(ctx, points, all)
}

// waitable returns an error if the device is nil or zero, or if a wait is for no object. A wait on a lost device is valid: it
// succeeds for the objects that were signaled before the loss.
func (d *Device) waitable(n int, rule string) error {
	switch {
	case d == nil || d.lost == nil:
		return d.Err()
	case n == 0:
		return usage(rule, "the wait is for no object; must be for at least 1")
	}
	return nil
}

// ResetFences makes fences unsignaled. After an error none is reset.
func (d *Device) ResetFences(fences ...*Fence) error {
	for _, f := range fences {
		if err := check(d, "a fence", f); err != nil {
			return err
		}
		if err := f.reset(false); err != nil {
			return err
		}
	}
	for _, f := range fences {
		if err := f.reset(true); err != nil {
			return err
		}
	}
	return nil
}

package vk

import (
	"context"
	"sync"
)

// timeline is a counter that only grows, with waits.
type timeline struct {
	object
	mu    sync.Mutex
	value uint64
	waits []waiting
}

// Semaphore is a timeline semaphore: a counter that only grows. Binary semaphores are not an object of their own: a
// counter that the n-th signal sets to n orders the same.
type Semaphore struct{ timeline }

// NewSemaphore makes a semaphore with an initial value.
func (d *Device) NewSemaphore(initial uint64) (*Semaphore, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	s := &Semaphore{timeline{value: initial}}
	d.adopt(&s.object, "semaphore", nil)
	return s, nil
}

// Value returns the value.
func (s *Semaphore) Value() uint64 {
	if s == nil {
		return 0
	}
	return s.now()
}

func (s *timeline) now() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.value
}

// Signal sets the value from the host. It must grow.
func (s *Semaphore) Signal(value uint64) error {
	if err := check(nil, "the semaphore", s); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if value <= s.value {
		return usage("VUID-VkSemaphoreSignalInfo-value-03258", "the value %d is signaled and the semaphore has %d; must be greater", value, s.value)
	}
	s.set(value)
	return nil
}

// set sets the value and wakes the waits for it. s.mu is held.
func (s *timeline) set(value uint64) {
	s.value = value
	left := s.waits[:0]
	for _, w := range s.waits {
		if w.value <= value {
			w.waiter.wake()
		} else {
			left = append(left, w)
		}
	}
	clear(s.waits[len(left):])
	s.waits = left
}

// raise sets the value from a queue, and ignores one that does not grow.
func (s *timeline) raise(value uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if value > s.value {
		s.set(value)
	}
}

// Wait waits until the value is at least value. It returns ErrTimeout if the deadline of ctx passes, another error of
// ctx, or an error that wraps ErrDeviceLost if the device is lost before.
func (s *Semaphore) Wait(ctx context.Context, value uint64) error {
	if err := check(nil, "the semaphore", s); err != nil {
		return err
	}
	return s.timeline.wait(ctx, value)
}

// Fence tells the host that a submission is finished.
type Fence struct {
	timeline
	goals  sync.Mutex // guards the fields below
	target uint64     // the value that signals the fence
	queued bool       // a submission will signal it
}

// NewFence makes a fence.
func (d *Device) NewFence(signaled bool) (*Fence, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	f := &Fence{target: 1}
	if signaled {
		f.value = 1
	}
	d.adopt(&f.object, "fence", nil)
	return f, nil
}

// Signaled reports whether the fence is signaled.
func (f *Fence) Signaled() bool { return f != nil && f.now() >= f.goal() }

func (f *Fence) goal() uint64 {
	f.goals.Lock()
	defer f.goals.Unlock()
	return f.target
}

// Reset makes the fence unsignaled. A submission must not be about to signal it.
func (f *Fence) Reset() error {
	if err := check(nil, "the fence", f); err != nil {
		return err
	}
	return f.reset(true)
}

// reset checks that the fence can be reset, and resets it if apply.
func (f *Fence) reset(apply bool) error {
	value := f.now()
	f.goals.Lock()
	defer f.goals.Unlock()
	switch {
	case f.queued && value < f.target:
		return usage("VUID-vkResetFences-pFences-01123", "%v is in use by a queue; must not be", &f.object)
	case apply && value >= f.target:
		f.target, f.queued = f.target+1, false
	}
	return nil
}

// Wait waits until the fence is signaled; see [Semaphore.Wait].
func (f *Fence) Wait(ctx context.Context) error {
	if err := check(nil, "the fence", f); err != nil {
		return err
	}
	return f.timeline.wait(ctx, f.goal())
}

// take makes a submission the one that signals the fence, and returns the value that it signals.
func (f *Fence) take() (uint64, error) {
	value := f.now()
	f.goals.Lock()
	defer f.goals.Unlock()
	if f.queued || value >= f.target {
		return 0, usage("VUID-vkQueueSubmit-fence-00063", "%v is signaled or in use by another submission; must be reset", &f.object)
	}
	f.queued = true
	return f.target, nil
}

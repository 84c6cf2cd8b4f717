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
	marks marks // with the sanitizer race
}

// Semaphore is a timeline semaphore, a counter that only grows, or a binary one. A binary semaphore is a timeline that the
// n-th signal sets to n: submissions have no values for it.
type Semaphore struct {
	timeline
	binary           bool
	signals, awaited uint64 // of a binary semaphore: those that submissions have; guarded by mu
}

// NewSemaphore makes a semaphore with an initial value.
func (d *Device) NewSemaphore(initial uint64) (*Semaphore, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	s := &Semaphore{timeline: timeline{value: initial}}
	d.adopt(&s.object, "semaphore", nil)
	return s, nil
}

// NewBinarySemaphore makes a binary semaphore. A submission that waits for it needs an earlier one that signals it.
func (d *Device) NewBinarySemaphore() (*Semaphore, error) {
	s, err := d.NewSemaphore(0)
	if err == nil {
		s.binary = true
	}
	return s, err
}

// take returns the value for which a submission waits, or that it signals: the given one, or the next of a binary
// semaphore.
func (s *Semaphore) take(value uint64, signal bool) (uint64, error) {
	if !s.binary {
		return value, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if signal {
		if s.signals > s.awaited {
			return 0, usage("VUID-vkQueueSubmit-pSignalSemaphores-00067", "%v is signaled and no submission waits for it; must be unsignaled", &s.object)
		}
		s.signals++
		return s.signals, nil
	}
	if s.signals == s.awaited {
		return 0, usage("VUID-vkQueueSubmit-pWaitSemaphores-03238", "no submission signals %v; must be one", &s.object)
	}
	s.awaited++
	return s.awaited, nil
}

// give takes back a value of a submission that failed.
func (s *Semaphore) give(signal bool) {
	if !s.binary {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if signal {
		s.signals--
	} else {
		s.awaited--
	}
}

// Value returns the value.
func (s *Semaphore) Value() uint64 {
	if s == nil {
		return 0
	}
	value := s.now()
	s.saw(value)
	return value
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
	if s.binary {
		return usage("VUID-VkSemaphoreSignalInfo-semaphore-03257", "the host signals %v, which is binary; must be a timeline", &s.object)
	}
	queues := s.dev.printer.queues
	first, err := s.signal(value, queues.hostMark(value))
	queues.release(first)
	return err
}

// signal sets the value, and adds the mark of the signal, nil for none. It returns the first mark if there are too many.
func (s *Semaphore) signal(value uint64, m *mark) (first *mark, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if value <= s.value {
		return nil, usage("VUID-VkSemaphoreSignalInfo-value-03258", "the value %d is signaled and the semaphore has %d; must be greater", value, s.value)
	}
	if m != nil {
		first = s.marks.add(m)
	}
	s.set(value)
	return first, nil
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
	if s.binary {
		return usage("VUID-VkSemaphoreWaitInfo-pSemaphores-03256", "the host waits for %v, which is binary; must be a timeline", &s.object)
	}
	err := s.timeline.wait(ctx, value)
	if err == nil {
		s.saw(value)
	}
	return err
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
func (f *Fence) Signaled() bool {
	if f == nil {
		return false
	}
	goal := f.goal()
	is := f.now() >= goal
	if is {
		f.saw(goal)
	}
	return is
}

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
	goal := f.goal()
	err := f.timeline.wait(ctx, goal)
	if err == nil {
		f.saw(goal)
	}
	return err
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

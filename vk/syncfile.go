package vk

import "context"

// Export waits for the signal of a binary semaphore and makes the semaphore unsignaled: a sync file then has its payload, which is
// signaled (vkGetSemaphoreFdKHR). The errors are those of [Semaphore.Wait].
func (s *Semaphore) Export(ctx context.Context) error {
	if err := check(nil, "the semaphore", s); err != nil {
		return err
	}
	if !s.binary {
		return usage("VUID-VkSemaphoreGetFdInfoKHR-handleType-03253", "%v is exported as a sync file, and is a timeline; must be binary", &s.object)
	}
	value, err := s.take(0, false)
	if err != nil {
		return usage("VUID-VkSemaphoreGetFdInfoKHR-handleType-03254", "%v is exported as a sync file, and no submission signals it; must be one", &s.object)
	}
	if err := s.timeline.wait(ctx, value); err != nil {
		s.give(false)
		return err
	}
	s.saw(value)
	return nil
}

// Import makes a binary semaphore signaled, with the payload of a sync file that is signaled (vkImportSemaphoreFdKHR).
func (s *Semaphore) Import() error {
	if err := check(nil, "the semaphore", s); err != nil {
		return err
	}
	if !s.binary {
		return usage("", "a sync file is imported to %v, which is a timeline; must be to a binary semaphore", &s.object)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.value != s.signals {
		return usage("VUID-vkImportSemaphoreFdKHR-semaphore-01142", "a payload is imported to %v, which is in use by a queue; must not be", &s.object)
	}
	if s.signals == s.awaited {
		s.signals++
		s.set(s.signals)
	}
	return nil
}

// Export waits for the fence and resets it: a sync file then has its payload, which is signaled (vkGetFenceFdKHR). The errors are
// those of [Semaphore.Wait].
func (f *Fence) Export(ctx context.Context) error {
	if err := check(nil, "the fence", f); err != nil {
		return err
	}
	value := f.now()
	f.goals.Lock()
	pending := f.queued || value >= f.target
	f.goals.Unlock()
	if !pending {
		return usage("VUID-VkFenceGetFdInfoKHR-handleType-01454", "%v is exported as a sync file, is not signaled, and no submission signals it; must be one", &f.object)
	}
	if err := f.Wait(ctx); err != nil {
		return err
	}
	return f.Reset()
}

// Import makes the fence signaled, with the payload of a sync file that is signaled (vkImportFenceFdKHR).
func (f *Fence) Import() error {
	if err := check(nil, "the fence", f); err != nil {
		return err
	}
	if f.Signaled() {
		return nil
	}
	value, err := f.take()
	if err != nil {
		return usage("VUID-vkImportFenceFdKHR-fence-01463", "a payload is imported to %v, which is in use by a queue; must not be", &f.object)
	}
	f.raise(value)
	return nil
}

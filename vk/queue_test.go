package vk

import (
	"context"
	"testing"
)

// TestInstant: a submission without command buffers completes inside Submit if the queue is idle and its waits are satisfied. Otherwise its
// signals follow the commands and waits before it (signal operation order).
func TestInstant(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	q, ctx := r.dev.Queue(), context.Background()
	s, signal := must(r.dev.NewSemaphore(0))(t), must(r.dev.NewSemaphore(0))(t)
	submit := func(info SubmitInfo) *Fence {
		t.Helper()
		info.Fence = must(r.dev.NewFence(false))(t)
		if err := q.Submit(info); err != nil {
			t.Fatal(err)
		}
		return info.Fence
	}

	if f := submit(SubmitInfo{Signal: []SemaphoreValue{{s, 3}}}); !f.Signaled() || s.Value() != 3 {
		t.Error("a submission without work is not finished when Submit returns")
	}
	if f := submit(SubmitInfo{Wait: []SemaphoreValue{{s, 3}}}); !f.Signaled() {
		t.Error("a submission with a wait for a value that the semaphore has is not finished when Submit returns")
	}

	late := submit(SubmitInfo{Wait: []SemaphoreValue{{s, 4}}, Signal: []SemaphoreValue{{signal, 1}}})
	behind := submit(SubmitInfo{Signal: []SemaphoreValue{{signal, 2}}})
	if late.Signaled() || behind.Signaled() || signal.Value() != 0 {
		t.Error("a submission is finished before the wait in front of it")
	}
	s.Signal(4)
	if err := behind.Wait(ctx); err != nil || !late.Signaled() || signal.Value() != 2 {
		t.Errorf("after the signal: %v, semaphore %d, must be 2", err, signal.Value())
	}

	event, c := r.waiting(t)
	running := submit(SubmitInfo{Commands: []*CommandBuffer{c}})
	behind = submit(SubmitInfo{})
	if running.Signaled() || behind.Signaled() {
		t.Error("a submission is finished before the command in front of it")
	}
	event.Set()
	if err := behind.Wait(ctx); err != nil || !running.Signaled() {
		t.Errorf("behind the command: %v", err)
	}
	if err := q.WaitIdle(ctx); err != nil {
		t.Error(err)
	}
}

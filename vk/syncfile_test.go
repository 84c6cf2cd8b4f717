package vk

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestSyncFilePayloads exports and imports payloads: an export waits, makes its object unsignaled and fails at once without a pending
// signal; an import signals an object that no queue uses.
func TestSyncFilePayloads(t *testing.T) {
	d := must(Chiaro().NewDevice(DeviceInfo{}))(t)
	t.Cleanup(func() { d.Close() })
	ctx := context.Background()
	s, f := must(d.NewBinarySemaphore())(t), must(d.NewFence(false))(t)
	gate := must(d.NewSemaphore(0))(t)
	wantRule(t, s.Export(ctx), "VUID-VkSemaphoreGetFdInfoKHR-handleType-03254")
	wantRule(t, f.Export(ctx), "VUID-VkFenceGetFdInfoKHR-handleType-01454")
	wantRule(t, gate.Export(ctx), "VUID-VkSemaphoreGetFdInfoKHR-handleType-03253")
	if err := gate.Import(); err == nil {
		t.Error("a timeline has the payload of a sync file")
	}
	for range 2 { // signaled by imports, also of signaled objects
		if err := errors.Join(s.Import(), s.Import(), f.Import(), f.Import()); err != nil {
			t.Fatal(err)
		}
		if !f.Signaled() {
			t.Fatal("the fence of an import is not signaled")
		}
		if err := errors.Join(s.Export(ctx), f.Export(ctx)); err != nil {
			t.Fatal(err)
		}
		if f.Signaled() {
			t.Fatal("an exported fence is signaled")
		}
	}
	if err := d.Queue().Submit(SubmitInfo{Wait: []SemaphoreValue{{gate, 1}}, Signal: []SemaphoreValue{{s, 0}}, Fence: f}); err != nil {
		t.Fatal(err)
	}
	wantRule(t, s.Import(), "VUID-vkImportSemaphoreFdKHR-semaphore-01142")
	wantRule(t, f.Import(), "VUID-vkImportFenceFdKHR-fence-01463")
	short, end := context.WithTimeout(ctx, time.Millisecond)
	defer end()
	if a, b := s.Export(short), f.Export(short); !errors.Is(a, ErrTimeout) || !errors.Is(b, ErrTimeout) {
		t.Errorf("exports of pending signals: %v, %v; must be ErrTimeout", a, b)
	}
	if err := gate.Signal(1); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Export(ctx), f.Export(ctx)); err != nil {
		t.Error(err)
	}
	wantRule(t, s.Export(ctx), "VUID-VkSemaphoreGetFdInfoKHR-handleType-03254")
}

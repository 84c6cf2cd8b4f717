package vk

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLabels loses a device in labels of the queue and of two command buffers: the error has the open ones.
func TestLabels(t *testing.T) {
	s := newScene(t, 1)
	q := s.dev.Queue()
	q.BeginLabel("app")
	q.BeginLabel("done")
	q.EndLabel()
	first := s.record(t, func(c *CommandBuffer) {
		c.BeginLabel("frame")
		c.BeginLabel("closed")
		c.EndLabel()
	})
	second := s.record(t, func(c *CommandBuffer) {
		c.BeginLabel("pass")
		c.InsertLabel("old")
		c.InsertLabel("here")
		c.Draw(3, 1, 0, 0) // outside of a rendering
	})
	if err := s.submit(t, first); err != nil {
		t.Fatal(err)
	}
	q.InsertLabel("submission")
	err := s.submit(t, second)
	lost := (*LostError)(nil)
	want := []string{"app", "submission", "frame", "pass", "here"}
	if !errors.As(err, &lost) || !slices.Equal(lost.Labels, want) {
		t.Fatalf("%v: must have the labels %q", err, want)
	}
	if text := `draw in "app" > "submission" > "frame" > "pass" > "here": `; !strings.Contains(lost.Error(), text) {
		t.Errorf("%v: must have %s", lost, text)
	}
}

// TestLabelDepth opens and closes more labels than have names.
func TestLabelDepth(t *testing.T) {
	var l labels
	for range maxLabels + 5 {
		l.begin("x")
	}
	for range maxLabels + 4 {
		l.end()
	}
	if got := l.all(); len(got) != 1 || len(l.list) != 1 {
		t.Errorf("%d labels are open; must be 1", len(got))
	}
	l.end()
	if l.end(); len(l.all()) != 0 {
		t.Error("a label is open; must be none")
	}
}

// TestPrivateData has numbers for objects: 0 at first, gone with the object and with the slot.
func TestPrivateData(t *testing.T) {
	r, other := newRig(t, DeviceInfo{}, storage), newRig(t, DeviceInfo{}, storage)
	a, b := must(r.dev.NewPrivateDataSlot())(t), must(r.dev.NewPrivateDataSlot())(t)
	if err := a.Set(r.x, 7); err != nil {
		t.Fatal(err)
	}
	for want, got := range map[uint64]uint64{7: a.Get(r.x), 0: a.Get(r.y) + b.Get(r.x) + a.Get((*Buffer)(nil)) + a.Get(other.x)} {
		if got != want {
			t.Errorf("%d; must be %d", got, want)
		}
	}
	if a.Set(nil, 1) == nil || a.Set((*Image)(nil), 1) == nil || a.Set(other.x, 1) == nil || a.Set(new(Buffer), 1) == nil {
		t.Error("a number for no object of the device; must be an error")
	}
	// An object in use keeps its number, and loses it when it is freed.
	s := must(r.dev.NewSemaphore(0))(t)
	a.Set(s, 9)
	b.Set(s, 10)
	s.Close()
	if len(a.data) != 1 || len(b.data) != 0 {
		t.Errorf("%d and %d numbers; must be 1 and 0", len(a.data), len(b.data))
	}
	if b.Close(); len(r.dev.slots.all) != 1 || b.Set(r.x, 1) == nil {
		t.Error("the slot is closed and has numbers")
	}
}

// TestNames has the name of an object in a message.
func TestNames(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	s := must(r.dev.NewSemaphore(0))(t)
	s.SetName("gate")
	if err := r.dev.Queue().Submit(SubmitInfo{Wait: []SemaphoreValue{{s, 1}}}); err != nil {
		t.Fatal(err)
	}
	var used *InUseError
	if err := s.Close(); !errors.As(err, &used) || !strings.Contains(err.Error(), "semaphore gate") {
		t.Errorf("%v; must have the name", err)
	}
	s.Signal(1)
	for deadline := time.Now().Add(time.Minute); s.Close() != nil; { // the submission ends
		if time.Now().After(deadline) {
			t.Fatal("the semaphore stays in use")
		}
		time.Sleep(time.Millisecond)
	}
}

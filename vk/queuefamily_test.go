package vk

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/enum"
)

// allQueues are one queue of each family, and a second one that copies.
var allQueues = []QueueInfo{{0, 1}, {1, 1}, {2, 2}}

// recordFor records a command buffer for a family.
func (r *rig) recordFor(t testing.TB, family int, record func(c *CommandBuffer)) (*CommandBuffer, error) {
	t.Helper()
	c := must(r.dev.NewCommandBuffer(CommandBufferInfo{Family: family}))(t)
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	record(c)
	return c, c.End()
}

// TestFamilies records a command of each kind for each family: the family must have it (VUID-*-commandBuffer-cmdpool).
func TestFamilies(t *testing.T) {
	s := newSceneOn(t, 1, DeviceInfo{Queues: allQueues})
	s.build(t)
	commands := map[QueueFlags]func(c *CommandBuffer){
		QueueGraphics: func(c *CommandBuffer) { c.BindGraphicsPipeline(s.pipeline) },
		QueueCompute:  func(c *CommandBuffer) { c.BindPipeline(s.saxpy); c.Dispatch(1, 1, 1) },
		QueueTransfer: func(c *CommandBuffer) { c.FillBuffer(s.x, 0, 4, 1) },
	}
	for family, f := range s.dev.Physical().QueueFamilies() {
		for flag, record := range commands {
			c, err := s.recordFor(t, family, record)
			if (err == nil) != (f.Flags&flag != 0) {
				t.Errorf("family %d, a command of %d: %v", family, flag, err)
			}
			for other := range queueFamilies {
				if got := s.dev.FamilyQueue(other, 0).Submit(SubmitInfo{Commands: []*CommandBuffer{c}}); (got == nil) != (err == nil && other == family) {
					t.Errorf("family %d on a queue of family %d: %v", family, other, got)
				}
			}
		}
	}
	for _, bad := range [][]QueueInfo{{{-1, 1}}, {{3, 1}}, {{0, 0}}, {{0, 2}}, {{2, 1}, {2, 1}}} {
		if d, err := Chiaro().NewDevice(DeviceInfo{Queues: bad}); err == nil || d != nil {
			t.Errorf("a device with the queues %v; must be an error", bad)
		}
	}
	if s.dev.FamilyQueue(1, 1) != nil || s.dev.FamilyQueue(2, 1) == nil || s.dev.Queue() != s.dev.FamilyQueue(0, 0) {
		t.Error("the device has other queues than it was made with")
	}
}

// TestWaitBeforeSignal passes a word around four queues: each submission moves it by one place, after the value of the one
// before it. The submissions of the last queue come first.
func TestWaitBeforeSignal(t *testing.T) {
	r := newRig(t, DeviceInfo{Queues: allQueues}, storage)
	binary.LittleEndian.PutUint32(r.memory.Bytes(), 0xcafe)
	order, f := must(r.dev.NewSemaphore(0))(t), must(r.dev.NewFence(false))(t)
	const n = 40
	for i := len(r.dev.queues) - 1; i >= 0; i-- {
		q := r.dev.queues[i]
		for at := uint64(i + 1); at <= n; at += uint64(len(r.dev.queues)) {
			c := must(r.recordFor(t, q.Family(), func(c *CommandBuffer) {
				c.CopyBuffer(r.x, r.x, []BufferCopy{{4 * ((at - 1) % 8), 4 * (at % 8), 4}})
				c.FillBuffer(r.x, 4*((at-1)%8), 4, 0)
			}))(t)
			info := SubmitInfo{Wait: []SemaphoreValue{{order, at - 1}}, Commands: []*CommandBuffer{c}, Signal: []SemaphoreValue{{order, at}}}
			if at == n {
				info.Fence = f
			}
			if err := q.Submit(info); err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := r.dev.WaitFences(ctx, true, f); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		want := uint32(0)
		if i == n%8 {
			want = 0xcafe
		}
		if got := binary.LittleEndian.Uint32(r.memory.Bytes()[4*i:]); got != want {
			t.Errorf("word %d is %#x; must be %#x", i, got, want)
		}
	}
}

// TestBinarySemaphore orders two queues, and has the rules of binary semaphores.
func TestBinarySemaphore(t *testing.T) {
	r := newRig(t, DeviceInfo{Queues: allQueues}, storage)
	s, gate, f := must(r.dev.NewBinarySemaphore())(t), must(r.dev.NewSemaphore(0))(t), must(r.dev.NewFence(false))(t)
	first, second := r.dev.FamilyQueue(1, 0), r.dev.FamilyQueue(2, 0)
	list := []SemaphoreValue{{Semaphore: s}}
	fails := func(rule string, err error) {
		t.Helper()
		if u := new(UsageError); !errors.As(err, &u) || u.Rule != rule {
			t.Errorf("%v; must break %s", err, rule)
		}
	}
	fails("VUID-vkQueueSubmit-pWaitSemaphores-03238", second.Submit(SubmitInfo{Wait: list}))
	write := must(r.recordFor(t, 1, func(c *CommandBuffer) { c.FillBuffer(r.x, 0, 4, 7) }))(t)
	read := must(r.recordFor(t, 2, func(c *CommandBuffer) { c.CopyBuffer(r.x, r.y, []BufferCopy{{0, 0, 4}}) }))(t)
	for range 3 { // the semaphore is used again
		binary.LittleEndian.PutUint32(r.memory.Bytes(), 0)
		if err := first.Submit(SubmitInfo{Wait: []SemaphoreValue{{gate, gate.Value() + 1}}, Commands: []*CommandBuffer{write}, Signal: list}); err != nil {
			t.Fatal(err)
		}
		fails("VUID-vkQueueSubmit-pSignalSemaphores-00067", first.Submit(SubmitInfo{Signal: list}))
		if err := second.Submit(SubmitInfo{Wait: list, Commands: []*CommandBuffer{read}, Fence: f}); err != nil {
			t.Fatal(err)
		}
		fails("VUID-vkQueueSubmit-pWaitSemaphores-03238", second.Submit(SubmitInfo{Wait: list}))
		gate.Signal(gate.Value() + 1)
		if err := f.Wait(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := binary.LittleEndian.Uint32(r.memory.Bytes()[64:]); got != 7 {
			t.Errorf("the copy has %d; must have 7", got)
		}
		f.Reset()
	}
	fails("VUID-VkSemaphoreSignalInfo-semaphore-03257", s.Signal(9))
	fails("VUID-VkSemaphoreWaitInfo-pSemaphores-03256", s.Wait(context.Background(), 1))
	fails("VUID-VkSemaphoreWaitInfo-pSemaphores-03256", r.dev.WaitSemaphores(context.Background(), true, list...))
}

// TestLossEndsWaits loses a device while goroutines and queues wait in all ways: each wait ends with the loss.
func TestLossEndsWaits(t *testing.T) {
	r := newRig(t, DeviceInfo{Queues: allQueues}, storage)
	s, f, e := must(r.dev.NewSemaphore(0))(t), must(r.dev.NewFence(false))(t), must(r.dev.NewEvent())(t)
	other := must(r.dev.NewFence(false))(t)
	ctx := context.Background()
	waits := map[string]func() error{
		"semaphore":      func() error { return s.Wait(ctx, 1) },
		"fence":          func() error { return f.Wait(ctx) },
		"fences":         func() error { return r.dev.WaitFences(ctx, false, f, other) },
		"semaphores":     func() error { return r.dev.WaitSemaphores(ctx, true, SemaphoreValue{s, 1}, SemaphoreValue{s, 2}) },
		"queue":          func() error { return r.dev.Queue().WaitIdle(ctx) },
		"device":         func() error { return r.dev.WaitIdle(ctx) },
		"event's queue":  func() error { return r.dev.FamilyQueue(1, 0).WaitIdle(ctx) },
		"with a timeout": func() error { c, cancel := context.WithTimeout(ctx, time.Hour); defer cancel(); return f.Wait(c) },
	}
	if err := r.dev.Queue().Submit(SubmitInfo{Wait: []SemaphoreValue{{s, 1}}, Fence: f}); err != nil {
		t.Fatal(err)
	}
	c := must(r.recordFor(t, 1, func(c *CommandBuffer) { c.WaitEvents(e) }))(t)
	if err := r.dev.FamilyQueue(1, 0).Submit(SubmitInfo{Commands: []*CommandBuffer{c}}); err != nil {
		t.Fatal(err)
	}
	type result struct {
		name string
		err  error
	}
	results := make(chan result)
	for name, wait := range waits {
		go func() { results <- result{name, wait()} }()
	}
	select {
	case early := <-results:
		t.Errorf("%s ended before the loss: %v", early.name, early.err)
	case <-time.After(5 * time.Millisecond):
	}
	r.dev.lose(&LostError{Command: "test", Cause: errors.New("lost")})
	for range waits {
		select {
		case got := <-results:
			if !errors.Is(got.err, ErrDeviceLost) {
				t.Errorf("%s: %v; must be the loss", got.name, got.err)
			}
		case <-time.After(time.Minute):
			t.Fatal("a wait does not end")
		}
	}
}

// TestWaitAny waits for the first of several fences, and leaves no waiter in the others.
func TestWaitAny(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	a, b := must(r.dev.NewFence(false))(t), must(r.dev.NewFence(false))(t)
	short, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := r.dev.WaitFences(short, false, a, b); !errors.Is(err, ErrTimeout) {
		t.Errorf("no fence is signaled: %v", err)
	}
	go r.dev.Queue().Submit(SubmitInfo{Fence: b})
	if err := r.dev.WaitFences(context.Background(), false, a, b); err != nil || a.Signaled() || !b.Signaled() {
		t.Errorf("the wait for one: %v", err)
	}
	if err := r.dev.WaitFences(short, true, a, b); !errors.Is(err, ErrTimeout) {
		t.Errorf("the wait for both: %v", err)
	}
	if len(a.waits)+len(b.waits) > 0 {
		t.Error("a fence has a wait that ended")
	}
	if err := r.dev.ResetFences(b, a); err != nil || b.Signaled() {
		t.Errorf("reset: %v", err)
	}
	if err := r.dev.WaitFences(short, true); err == nil {
		t.Error("a wait for no fence; must be an error")
	}
}

// TestDepthCopies copies depth and stencil from a buffer to an image and back, on queues without graphics: formats with these aspects have
// the features of such copies (Vulkan §"Format Features", DEPTH_COPY_ON_COMPUTE_QUEUE and its like), and others have none of them.
func TestDepthCopies(t *testing.T) {
	r := newRig(t, DeviceInfo{Queues: allQueues}, storage)
	bytes := r.memory.Bytes()
	for name, sizes := range map[string][2]int{"D16_UNORM": {2, 0}, "D32_SFLOAT": {4, 0}, "S8_UINT": {0, 1}, "D32_SFLOAT_S8_UINT": {4, 1}, "R8G8B8A8_UNORM": {}} {
		f := formatOf(t, name)
		features := r.dev.Physical().FormatProperties(f).Optimal
		for i, bits := range [2][2]FormatFeatures{{FormatDepthCopyCompute, FormatDepthCopyTransfer}, {FormatStencilCopyCompute, FormatStencilCopyTransfer}} {
			for k, bit := range bits {
				n := 4 * sizes[i]
				if (features&bit != 0) != (n > 0) {
					t.Errorf("%s has %#x; must have %#x exactly if it has the aspect", name, features, bit)
				}
				if n == 0 {
					continue
				}
				m := must(r.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: f, Extent: [3]int{2, 2, 1}, Usage: ImageTransferSource | ImageTransferTarget}))(t)
				size, _ := m.Requirements()
				if err := m.Bind(must(r.dev.Allocate(MemoryInfo{Size: size}))(t), 0); err != nil {
					t.Fatal(err)
				}
				for j := range 4 {
					r.put(0, j, 1/float32(j+2))
				}
				clear(bytes[64 : 64+n])
				family := k + 1
				c := must(r.recordFor(t, family, func(c *CommandBuffer) {
					part := []BufferImageCopy{{Extent: [3]int{2, 2, 1}, Image: Layers{Aspect: Aspect(i+1) * Depth}}}
					c.CopyBufferToImage(r.x, m, part)
					c.CopyImageToBuffer(m, r.y, part)
				}))(t)
				q := r.dev.FamilyQueue(family, 0)
				if err := errors.Join(q.Submit(SubmitInfo{Commands: []*CommandBuffer{c}}), q.WaitIdle(t.Context())); err != nil {
					t.Fatal(err)
				}
				if string(bytes[:n]) != string(bytes[64:64+n]) {
					t.Errorf("%s, family %d: %x is copied as %x", name, family, bytes[:n], bytes[64:64+n])
				}
			}
		}
	}
}

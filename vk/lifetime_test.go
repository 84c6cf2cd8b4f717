package vk

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestInUse closes the memory of a running dispatch: an error, or freed after it with DeferFree.
func TestInUse(t *testing.T) {
	for _, later := range []bool{false, true} {
		r := newRig(t, DeviceInfo{DeferFree: later}, storage)
		e, c := r.waiting(t)
		if err := r.dev.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{c}}); err != nil {
			t.Fatal(err)
		}
		for _, x := range []interface{ Close() error }{r.memory, r.x, r.set, r.saxpy, c, e} {
			err := x.Close()
			var used *InUseError
			if later && err != nil || !later && !errors.As(err, &used) {
				t.Errorf("deferred %v: close of %T: %v", later, x, err)
			}
		}
		if later { // the handle is closed for the host at once
			if err := e.Set(); err == nil {
				t.Error("a closed event is set")
			}
			e.change(1)
		} else if err := e.Set(); err != nil {
			t.Fatal(err)
		}
		if err := r.dev.WaitIdle(context.Background()); err != nil {
			t.Fatal(err)
		}
		used, _ := r.dev.Used()
		if later != (used == 0) {
			t.Errorf("deferred %v: %d bytes are in use", later, used)
		}
	}
}

// TestClosedDescriptor dispatches with a descriptor that the shader does not use and that has a closed buffer: a partly bound
// binding permits it, and a tolerant device. The used descriptors remain, while an earlier submission is pending too.
func TestClosedDescriptor(t *testing.T) {
	for _, partly := range []bool{false, true} {
		for _, tolerant := range []bool{false, true} {
			r := newRig(t, DeviceInfo{Tolerant: tolerant, DeferFree: true}, storage)
			bindings := append([]link.Binding(nil), r.layout.link.Bindings...)
			bindings = append(bindings, link.Binding{Binding: 7, Type: link.StorageBuffer, Count: 2, Stages: link.AllStages})
			if partly {
				bindings[len(bindings)-1].Flags = enum.BindingFlagsPartiallyBound
			}
			r.relayout(t, SetLayoutInfo{Bindings: bindings}, PoolInfo{})
			b := must(r.dev.NewBuffer(BufferInfo{Size: 64, Usage: StorageBuffer}))(t)
			m := must(r.dev.Allocate(MemoryInfo{Size: 64}))(t)
			if err := errors.Join(b.Bind(m, 0), r.set.Update(r.both(), Write{Binding: 7, Element: 1, Buffers: []BufferDescriptor{{Buffer: b, Range: 64}}})); err != nil {
				t.Fatal(err)
			}
			event, c := r.waiting(t)
			if err := r.dev.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{c}}); err != nil { // pending until the event
				t.Fatal(err)
			}
			if err := errors.Join(b.Close(), m.Close()); err != nil {
				t.Fatal(err)
			}
			err := r.dev.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{c}})
			if !partly && !tolerant {
				if err == nil || !strings.Contains(err.Error(), "closed") {
					t.Errorf("%v; want an error for the closed buffer", err)
				}
			} else if err != nil {
				t.Errorf("partly bound %v, tolerant %v: %v", partly, tolerant, err)
			}
			event.Set()
			want := float32(106 + 2*3) // the second dispatch adds 2·x[3] = 6 again
			if !partly && !tolerant {
				want = 106
			}
			if err := r.dev.WaitIdle(t.Context()); err != nil || r.get(64, 3) != want {
				t.Errorf("partly bound %v, tolerant %v: y[3] = %v, want %v; %v", partly, tolerant, r.get(64, 3), want, err)
			}
		}
	}
}

// TestFlat makes and closes many of each object: nothing is left.
func TestFlat(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	before, usedBefore := r.dev.Objects(), func() uint64 { n, _ := r.dev.Used(); return n }()
	pool := must(r.dev.NewPool(PoolInfo{MaxSets: 1}))(t)
	info := r.computeInfo(t, Creation{})
	source := must(r.dev.NewPipelineBinaries(PipelineBinaryInfo{Compute: &info}))(t)[0]
	data := []PipelineBinaryData{must(source.Data())(t)}
	source.Close()
	for range 1000 {
		m := must(r.dev.Allocate(MemoryInfo{Size: 4096, DeviceAddress: true}))(t)
		b := must(r.dev.NewBuffer(BufferInfo{Size: 64, Usage: StorageBuffer | DeviceAddress}))(t)
		if err := b.Bind(m, 0); err != nil || b.Address() == 0 {
			t.Fatal(err, b.Address())
		}
		s := must(pool.Allocate(r.layout))(t)
		c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		f := must(r.dev.NewFence(false))(t)
		sem := must(r.dev.NewSemaphore(0))(t)
		e := must(r.dev.NewEvent())(t)
		q := must(r.dev.NewQueryPool(QueryPoolInfo{Count: 3}))(t)
		cache := must(r.dev.NewPipelineCache(nil))(t)
		binary := must(r.dev.NewPipelineBinaries(PipelineBinaryInfo{Data: data}))(t)[0]
		counts := must(r.dev.NewShaderInstrumentation())(t)
		pass := must(r.dev.NewRenderPass(RenderPassInfo{Subpasses: make([]Subpass, 2)}))(t)
		frame := must(r.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Width: 8, Height: 8, Layers: 1}))(t)
		for _, x := range []interface{ Close() error }{m, b, s, c, f, sem, e, q, cache, binary, counts, pass, frame} {
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			x.Close() // does nothing
		}
	}
	pool.Close()
	if n, _ := r.dev.Used(); r.dev.Objects() != before || n != usedBefore {
		t.Errorf("%d objects and %d bytes; must be %d and %d as before", r.dev.Objects(), n, before, usedBefore)
	}
}

// TestTimeline lets a submission wait for a value that the host signals later, and waits for the one that it signals.
func TestTimeline(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	s := must(r.dev.NewSemaphore(5))(t)
	c := r.record(t, func(c *CommandBuffer) { c.FillBuffer(r.y, 0, 4, 1) })
	info := SubmitInfo{Wait: []SemaphoreValue{{s, 6}}, Commands: []*CommandBuffer{c}, Signal: []SemaphoreValue{{s, 9}}}
	if err := r.dev.Queue().Submit(info); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	if err := s.Wait(short, 9); !errors.Is(err, ErrTimeout) {
		t.Errorf("wait before the signal: %v, want a timeout", err)
	}
	if err := s.Signal(5); err == nil {
		t.Error("a signal that does not grow is accepted")
	}
	if err := s.Signal(6); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(context.Background(), 9); err != nil {
		t.Fatal(err)
	}
	if v := s.Value(); v != 9 {
		t.Errorf("value %d, want 9", v)
	}
}

// TestClose closes a device while a submission waits for ever.
func TestClose(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	s := must(r.dev.NewSemaphore(0))(t)
	if err := r.dev.Queue().Submit(SubmitInfo{Wait: []SemaphoreValue{{s, 1}}}); err != nil {
		t.Fatal(err)
	}
	r.dev.Close()
	if err := s.Wait(context.Background(), 1); !errors.Is(err, ErrDeviceLost) {
		t.Errorf("wait after close: %v", err)
	}
	// The queue has finished the submission, but not its work.
	for name, wait := range map[string]func(context.Context) error{"queue": r.dev.Queue().WaitIdle, "device": r.dev.WaitIdle} {
		if err := wait(context.Background()); !errors.Is(err, ErrDeviceLost) {
			t.Errorf("wait for the idle %s after close: %v", name, err)
		}
	}
}

// TestTolerant records commands of wrong use between right ones: a tolerant device leaves them out, each with a message, and runs the
// others. A scope that a wrong command would have opened does not exist.
func TestTolerant(t *testing.T) {
	var list []string
	var last Message
	s := newSceneOn(t, 1, DeviceInfo{Tolerant: true, Messages: func(m Message) { last, list = m, append(list, m.Finding.Rule) }})
	s.build(t)
	pool := must(s.dev.NewQueryPool(QueryPoolInfo{Type: Timestamps, Count: 1}))(t)
	volume := must(s.dev.NewImage(ImageInfo{Type: enum.ImageType3d, Format: formatOf(t, "R8G8B8A8_UNORM"), Extent: [3]int{8, 8, 1}, Usage: ImageColorAttachment}))(t)
	if err := volume.Bind(s.images, 32768); err != nil {
		t.Fatal(err)
	}
	wrong := s.rendering()
	wrong.Colors = []AttachmentInfo{{View: must(s.dev.NewImageView(ImageViewInfo{Image: volume, Type: enum.ViewType3d}))(t)}}
	c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	c.BeginRendering(wrong)
	c.EndRendering()
	c.BeginRendering(s.rendering())
	c.BeginRendering(s.rendering()) // one is active
	c.BindGraphicsPipeline(s.pipeline)
	c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
	s.paint(c, 1, 0, 0, 1)
	c.PushConstants(s.layout, 12, make([]byte, 8)) // beyond the range: the color remains
	c.BeginQuery(pool, 0, 0)                       // of timestamps
	c.Draw(3, 1, 0, 0)
	c.EndRendering()
	c.EndRendering()
	if n := c.Count(); n != 6 {
		t.Errorf("%d commands; must be 6", n)
	}
	s.copyOut(c, s.color)
	if err := c.End(); err != nil {
		t.Fatal(err)
	}
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	if p := s.pixel(7, 7); p != [4]byte{255, 0, 0, 255} {
		t.Errorf("the pixel is %v", p)
	}
	want := []string{"", "VUID-vkCmdEndRendering-None-06161", "VUID-vkCmdBeginRendering-renderpass", "VUID-vkCmdPushConstants-offset-01795", "VUID-vkCmdBeginQuery-queryType-02804", "VUID-vkCmdEndRendering-None-06161"}
	if len(list) != len(want) {
		t.Fatalf("messages %q; must be %d", list, len(want))
	}
	for i := range want {
		if list[i] != want[i] {
			t.Errorf("message %d is of rule %q; must be of %q", i, list[i], want[i])
		}
	}
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	c.BeginRendering(s.rendering())
	if err := c.End(); err == nil || last.Index != 1 {
		t.Errorf("a rendering that does not end: %v, message at command %d; must be at 1", err, last.Index)
	}
}

// TestNil calls everything with nil, zero and closed arguments: errors, no panic.
func TestNil(t *testing.T) {
	r := newRig(t, DeviceInfo{}, storage)
	other := newRig(t, DeviceInfo{}, storage)
	closed := must(r.dev.NewBuffer(BufferInfo{Size: 4, Usage: StorageBuffer}))(t)
	closed.Close()
	loose := must(r.dev.NewBuffer(BufferInfo{Size: 4, Usage: StorageBuffer | TransferTarget}))(t)
	for name, call := range map[string]func() error{
		"bind nil":          func() error { return loose.Bind(nil, 0) },
		"bind foreign":      func() error { return loose.Bind(other.memory, 0) },
		"bind past the end": func() error { return loose.Bind(r.memory, 1<<63) },
		"bind closed":       func() error { return closed.Bind(r.memory, 0) },
		"bind of nil":       func() error { return (*Buffer)(nil).Bind(r.memory, 0) },
		"bind of zero":      func() error { return new(Buffer).Bind(r.memory, 0) },
		"allocate 0":        func() error { _, err := r.dev.Allocate(MemoryInfo{}); return err },
		"allocate all":      func() error { _, err := r.dev.Allocate(MemoryInfo{Size: 1<<64 - 1}); return err },
		"set of nil":        func() error { _, err := r.pool.Allocate(nil); return err },
		"update closed":     func() error { return r.set.Update(Write{Buffers: []BufferDescriptor{{closed, 0, 4}}}) },
		"update loose":      func() error { return r.set.Update(Write{Buffers: []BufferDescriptor{{loose, 0, 4}}}) },
		"update element":    func() error { return r.set.Update(Write{Element: 9, Buffers: []BufferDescriptor{{r.x, 0, 4}}}) },
		"update offset":     func() error { return r.set.Update(Write{Buffers: []BufferDescriptor{{r.x, 1 << 63, WholeSize}}}) },
		"update binding":    func() error { return r.set.Update(Write{Binding: 7, Buffers: []BufferDescriptor{{r.x, 0, 4}}}) },
		"update inline":     func() error { return r.set.Update(Write{Inline: make([]byte, 4)}) },
		"submit nil":        func() error { return r.dev.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{nil}}) },
		"submit semaphore":  func() error { return r.dev.Queue().Submit(SubmitInfo{Wait: []SemaphoreValue{{}}}) },
		"begin nil":         func() error { return (*CommandBuffer)(nil).Begin(BeginInfo{}) },
		"signal nil":        func() error { return (*Semaphore)(nil).Signal(1) },
		"pipeline of nil": func() error {
			_, err := r.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{})
			return err
		},
		"module of nothing": func() error { _, err := r.dev.NewShaderModule(context.Background(), nil); return err },
		"layout of nil": func() error {
			_, err := r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{nil}})
			return err
		},
		"many descriptors": func() error {
			_, err := r.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: storage, Count: 1 << 31}}})
			return err
		},
		"unknown descriptor": func() error {
			_, err := r.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{{Type: "sphere", Count: 1}}})
			return err
		},
	} {
		if err := call(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, record := range map[string]func(c *CommandBuffer){
		"pipeline":       func(c *CommandBuffer) { c.BindPipeline(nil) },
		"foreign":        func(c *CommandBuffer) { c.BindPipeline(other.saxpy) },
		"sets":           func(c *CommandBuffer) { c.BindSets(Compute, r.pipeline, 0, []*Set{new(Set)}, nil) },
		"sets first":     func(c *CommandBuffer) { c.BindSets(Compute, r.pipeline, -1, []*Set{r.set}, nil) },
		"sets many":      func(c *CommandBuffer) { c.BindSets(Compute, r.pipeline, 1, []*Set{r.set}, nil) },
		"sets offsets":   func(c *CommandBuffer) { c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, []uint32{16}) },
		"push":           func(c *CommandBuffer) { c.PushConstants(r.pipeline, 4, make([]byte, 4)) },
		"push negative":  func(c *CommandBuffer) { c.PushConstants(r.pipeline, -4, make([]byte, 4)) },
		"groups":         func(c *CommandBuffer) { c.Dispatch(1, 1<<31, 1) },
		"base":           func(c *CommandBuffer) { c.DispatchBase([3]uint32{1<<32 - 1, 0, 0}, [3]uint32{1, 1, 1}) },
		"indirect":       func(c *CommandBuffer) { c.DispatchIndirect(r.x, 1<<64-4) },
		"copy":           func(c *CommandBuffer) { c.CopyBuffer(r.x, nil, nil) },
		"copy size":      func(c *CommandBuffer) { c.CopyBuffer(r.x, r.y, []BufferCopy{{0, 0, 1 << 63}}) },
		"fill":           func(c *CommandBuffer) { c.FillBuffer(loose, 0, WholeSize, 0) },
		"fill offset":    func(c *CommandBuffer) { c.FillBuffer(r.x, 1<<63, WholeSize, 0) },
		"fill nil":       func(c *CommandBuffer) { c.FillBuffer(nil, 0, WholeSize, 0) },
		"update":         func(c *CommandBuffer) { c.UpdateBuffer(r.x, 0, nil) },
		"event":          func(c *CommandBuffer) { c.WaitEvents(nil) },
		"timestamp":      func(c *CommandBuffer) { c.WriteTimestamp(nil, 0) },
		"execute":        func(c *CommandBuffer) { c.Execute(c) },
		"queries":        func(c *CommandBuffer) { c.CopyQueries(nil, 0, math.MaxInt/2, r.y, 0, 8, Query64) },
		"queries stride": func(c *CommandBuffer) { c.CopyQueries(nil, 0, 2, r.y, 0, 1<<63, Query64) },
	} {
		c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		record(c) // outside a recording: no effect
		c.Begin(BeginInfo{})
		record(c)
		if err := c.End(); err == nil {
			t.Errorf("record %s: no error", name)
		}
	}
	var none *CommandBuffer
	none.Dispatch(1, 1, 1)
	// A dispatch without a pipeline loses the device, and nothing more.
	if err := r.submit(t, r.record(t, func(c *CommandBuffer) { c.Dispatch(1, 1, 1) })); !errors.Is(err, ErrDeviceLost) {
		t.Errorf("dispatch of nothing: %v", err)
	}
}

// TestUntil ends devices by DeviceInfo.Until: without work, before the first command, and while a submission waits for a semaphore or an
// event. The loss is a *LostError with the cause.
func TestUntil(t *testing.T) {
	until := func(ctx context.Context) *Device {
		d := must(Chiaro().NewDevice(DeviceInfo{Until: ctx}))(t)
		t.Cleanup(func() { d.Close() })
		return d
	}
	lost := func(name string, d *Device, cause error) {
		t.Helper()
		<-d.lost
		var e *LostError
		if err := d.WaitIdle(t.Context()); !errors.Is(err, ErrDeviceLost) || !errors.Is(err, cause) || !errors.As(err, &e) || errors.Is(err, ErrTimeout) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	idle, waits, event := until(ctx), until(ctx), until(ctx)
	s, e := must(waits.NewSemaphore(0))(t), must(event.NewEvent())(t)
	c := must(event.NewCommandBuffer(CommandBufferInfo{}))(t)
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	c.WaitEvents(e)
	if err := errors.Join(c.End(), waits.Queue().Submit(SubmitInfo{Wait: []SemaphoreValue{{s, 1}}}), event.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{c}})); err != nil {
		t.Fatal(err)
	}
	cancel(nil)
	lost("idle", idle, context.Canceled)
	lost("semaphore", waits, context.Canceled)
	lost("event", event, context.Canceled)
	past, free := context.WithTimeout(t.Context(), 0)
	defer free()
	late := until(past)
	lost("late", late, context.DeadlineExceeded)
	if err := late.Queue().Submit(SubmitInfo{}); !errors.Is(err, ErrDeviceLost) {
		t.Error(err)
	}
}

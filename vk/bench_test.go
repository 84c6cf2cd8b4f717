package vk

import (
	"context"
	"testing"
)

// BenchmarkRecord records the usual commands of a dispatch: pipeline, set, push constants, dispatch.
func BenchmarkRecord(b *testing.B) {
	r := newRig(b, DeviceInfo{}, storage)
	c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(b)
	sets, data := []*Set{r.set}, push(1)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; {
		c.Begin(BeginInfo{})
		for ; i < b.N && len(c.commands) < 4000; i++ {
			c.BindPipeline(r.saxpy)
			c.BindSets(Compute, r.pipeline, 0, sets, nil)
			c.PushConstants(r.pipeline, 0, data)
			c.Dispatch(1, 1, 1)
		}
		c.End()
	}
}

// BenchmarkSubmit submits nothing and waits for its fence.
func BenchmarkSubmit(b *testing.B) {
	r := newRig(b, DeviceInfo{}, storage)
	f := must(r.dev.NewFence(false))(b)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if err := r.dev.Queue().Submit(SubmitInfo{Fence: f}); err != nil {
			b.Fatal(err)
		}
		f.Wait(ctx)
		f.Reset()
	}
}

// BenchmarkDispatch runs an indirect dispatch of no workgroups 1,000 times in one submission.
func BenchmarkDispatch(b *testing.B) {
	r := newRig(b, DeviceInfo{Workers: 1}, storage)
	c := r.record(b, func(c *CommandBuffer) {
		c.BindPipeline(r.saxpy)
		c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
		c.PushConstants(r.pipeline, 0, push(1))
		for range 1000 {
			c.Dispatch(1, 1, 1)
		}
	})
	b.ReportAllocs()
	for b.Loop() {
		if err := r.submit(b, c); err != nil {
			b.Fatal(err)
		}
	}
}

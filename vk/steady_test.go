package vk

import (
	"context"
	"testing"
)

// again records a command buffer again, submits it and waits: the steady state of a program.
func (r *rig) again(t testing.TB, c *CommandBuffer, f *Fence, list []*CommandBuffer, record func(c *CommandBuffer)) {
	if err := f.Reset(); err != nil {
		t.Fatal(err)
	}
	if err := c.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	record(c)
	if err := c.End(); err != nil {
		t.Fatal(err)
	}
	if err := r.dev.Queue().Submit(SubmitInfo{Commands: list, Fence: f}); err != nil {
		t.Fatal(err)
	}
	if err := f.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// allocations returns the allocations of again in the steady state.
func (r *rig) allocations(t testing.TB, record func(c *CommandBuffer)) float64 {
	c, f := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t), must(r.dev.NewFence(false))(t)
	list := []*CommandBuffer{c}
	for range 3 {
		r.again(t, c, f, list, record)
	}
	return testing.AllocsPerRun(50, func() { r.again(t, c, f, list, record) })
}

// TestDispatchAllocates records, submits and awaits a dispatch with several workers, and one whose buffer has bytes
// after its range.
func TestDispatchAllocates(t *testing.T) {
	r := newRig(t, DeviceInfo{Workers: 2}, storage)
	addressed := must(r.dev.Allocate(MemoryInfo{Size: 64, DeviceAddress: true}))(t)
	defer addressed.Close()
	sets, data := []*Set{r.set}, push(1)
	if n := r.allocations(t, func(c *CommandBuffer) {
		c.BindPipeline(r.saxpy)
		c.BindSets(Compute, r.pipeline, 0, sets, nil)
		c.PushConstants(r.pipeline, 0, data)
		c.Dispatch(2, 1, 1)
	}); n > 0 {
		t.Errorf("%v allocations a submission; must be 0", n)
	}
}

// TestDrawAllocates records, submits and awaits a rendering of two draws.
func TestDrawAllocates(t *testing.T) {
	s := newScene(t, 1)
	s.build(t)
	rendering, vertices, data := s.rendering(), []VertexBuffer{{Buffer: s.vertices}}, make([]byte, 16)
	if n := s.allocations(t, func(c *CommandBuffer) {
		c.BeginRendering(rendering)
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, vertices)
		c.PushConstants(s.layout, 0, data)
		c.Draw(3, 1, 0, 0)
		c.Draw(3, 1, 3, 0)
		c.EndRendering()
	}); n > 0 {
		t.Errorf("%v allocations a submission; must be 0", n)
	}
}

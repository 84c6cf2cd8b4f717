package vk

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// inheriting is a device whose command buffers have the state of the one before.
var inheriting = DeviceInfo{Enabled: map[string]bool{"commandBufferInheritance": true, "shaderObject": true}, Queues: []QueueInfo{{Family: 0, Count: 1}, {Family: 1, Count: 1}}}

// drawAll draws the triangles of a scene without setting any state but the colors.
func (s *scene) drawAll(c *CommandBuffer) {
	s.paint(c, 1, .5, 0, 1)
	c.Draw(3, 1, 0, 0)
	s.paint(c, 0, .25, 1, 1)
	c.Draw(3, 1, 3, 0)
}

// TestCarriedDraws: "all graphics and compute state that is valid at the end of the command buffer executed in a queue is inherited and
// valid at beginning of the command buffer next executed in the same queue": shader objects, pipelines, vertex buffers and dynamic states.
// A secondary command buffer inherits from the one that executes it, which inherits from it.
func TestCarriedDraws(t *testing.T) {
	s := newSceneOn(t, 1, inheriting)
	s.build(t)
	want := s.picture(t, func(c *CommandBuffer) { c.BindGraphicsPipeline(s.pipeline) })
	objects := s.objects(t, 0)
	state := func(c *CommandBuffer) {
		s.setAll(c)
		c.BindShaders([]ShaderStage{StageVertex, StageFragment}, objects)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
	}
	second := func(info *InheritanceInfo, record func(c *CommandBuffer)) *CommandBuffer {
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
		if err := c.Begin(BeginInfo{Inheritance: info}); err != nil {
			t.Fatal(err)
		}
		record(c)
		if err := c.End(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	inside := &InheritanceInfo{Continue: true, Rendering: &link.Rendering{Color: []link.Format{link.FormatR8G8B8A8Unorm}, Depth: link.FormatD32Sfloat}}
	none := func(*CommandBuffer) {}
	for name, x := range map[string]struct{ before, outside, within func(c *CommandBuffer) }{
		"the same command buffer": {none, state, s.drawAll},
		"the one before":          {state, none, s.drawAll},
		"a pipeline before": {func(c *CommandBuffer) {
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		}, none, s.drawAll},
		"a secondary one before":            {none, func(c *CommandBuffer) { c.Execute(second(nil, state)) }, s.drawAll},
		"a secondary one in the one before": {func(c *CommandBuffer) { c.Execute(second(nil, state)) }, none, s.drawAll},
		"a secondary one draws":             {state, none, func(c *CommandBuffer) { c.Execute(second(inside, s.drawAll)) }},
	} {
		clear(s.memory.Bytes()[2048:][:256])
		rendering := s.rendering()
		if name == "a secondary one draws" {
			rendering.Flags = SecondaryContents
		}
		clearing := s.record(t, func(c *CommandBuffer) { // a pipeline without vertices in place of what is left from the cases before
			c.BindVertexBuffers(0, []VertexBuffer{{}})
			c.BindShaders([]ShaderStage{StageVertex, StageFragment}, nil)
		})
		if err := s.submit(t, clearing); err != nil {
			t.Fatal(err)
		}
		if err := s.submit(t, s.record(t, x.before)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		err := s.submit(t, s.record(t, func(c *CommandBuffer) {
			x.outside(c)
			c.BeginRendering(rendering)
			x.within(c)
			c.EndRendering()
			s.copyOut(c, s.color)
		}))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := [256]byte(s.memory.Bytes()[2048:]); got != want {
			t.Errorf("%s: another picture", name)
		}
	}
}

// TestCarriedDispatch carries a compute pipeline, sets, dynamic offsets' and pushed descriptors and push constants over, not to another
// queue, not past the end of an object, and not on a device without the feature.
func TestCarriedDispatch(t *testing.T) {
	bind := func(r *rig, p *ComputePipeline) func(c *CommandBuffer) {
		return func(c *CommandBuffer) {
			c.BindPipeline(p)
			c.BindSets(Compute, r.pipeline, 0, []*Set{r.set}, nil)
			c.PushConstants(r.pipeline, 0, push(3))
		}
	}
	dispatch := func(c *CommandBuffer) { c.Dispatch(2, 1, 1) }
	for name, x := range map[string]struct {
		info  DeviceInfo
		run   func(t *testing.T, r *rig, p *ComputePipeline) error
		fails bool
	}{
		"the next one": {inheriting, func(t *testing.T, r *rig, p *ComputePipeline) error {
			must(0, r.submit(t, r.record(t, bind(r, p))))(t)
			must(0, r.submit(t, r.record(t, func(*CommandBuffer) {})))(t)
			return r.submit(t, r.record(t, dispatch))
		}, false},
		"both in one submission": {inheriting, func(t *testing.T, r *rig, p *ComputePipeline) error {
			err := r.dev.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{r.record(t, bind(r, p)), r.record(t, dispatch)}})
			if err == nil {
				err = r.dev.WaitIdle(context.Background())
			}
			return err
		}, false},
		"another queue": {inheriting, func(t *testing.T, r *rig, p *ComputePipeline) error {
			must(0, r.submit(t, r.record(t, bind(r, p))))(t)
			c, err := r.recordFor(t, 1, dispatch)
			if err == nil {
				err = r.dev.FamilyQueue(1, 0).Submit(SubmitInfo{Commands: []*CommandBuffer{c}})
			}
			if err == nil {
				err = r.dev.WaitIdle(context.Background())
			}
			return err
		}, true},
		"a closed pipeline": {inheriting, func(t *testing.T, r *rig, p *ComputePipeline) error {
			must(0, r.submit(t, r.record(t, bind(r, p))))(t)
			must(0, p.Close())(t)
			return r.submit(t, r.record(t, dispatch))
		}, true},
		"no feature": {DeviceInfo{}, func(t *testing.T, r *rig, p *ComputePipeline) error {
			must(0, r.submit(t, r.record(t, bind(r, p))))(t)
			return r.submit(t, r.record(t, dispatch))
		}, true},
	} {
		r := newRig(t, x.info, storage)
		p := must(r.dev.NewComputePipeline(context.Background(), r.computeInfo(t, Creation{})))(t)
		err := x.run(t, r, p)
		if x.fails != (err != nil) {
			t.Errorf("%s: %v", name, err)
		}
		if got := r.get(64, 5); !x.fails && got != 115 {
			t.Errorf("%s: y[5] is %v, want 115", name, got)
		}
	}
}

// TestCarriedPush: pushed descriptors remain, also after the command buffer that pushed them is recorded again with others.
func TestCarriedPush(t *testing.T) {
	r := newRig(t, inheriting, storage)
	sets := must(r.dev.NewSetLayout(SetLayoutInfo{Flags: enum.SetFlagsPushDescriptor, Bindings: []link.Binding{
		{Binding: 0, Type: storage, Count: 1, Stages: link.StageCompute}, {Binding: 1, Type: storage, Count: 1, Stages: link.StageCompute},
	}}))(t)
	layout := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{sets}, Push: []link.Range{{Size: 4, Stages: link.StageCompute}}}))(t)
	info := r.computeInfo(t, Creation{})
	info.Layout = layout
	p := must(r.dev.NewComputePipeline(context.Background(), info))(t)
	x, y := BufferDescriptor{r.x, 0, WholeSize}, BufferDescriptor{r.y, 0, WholeSize}
	c := r.record(t, func(c *CommandBuffer) {
		c.BindPipeline(p)
		c.PushConstants(layout, 0, push(3))
		c.PushDescriptors(Compute, layout, 0, Write{Buffers: []BufferDescriptor{x}}, Write{Binding: 1, Buffers: []BufferDescriptor{y}})
	})
	must(0, r.submit(t, c))(t)
	must(0, c.Begin(BeginInfo{}))(t)
	c.PushDescriptors(Compute, layout, 0, Write{Buffers: []BufferDescriptor{y}}, Write{Binding: 1, Buffers: []BufferDescriptor{x}})
	must(0, c.End())(t)
	must(0, r.submit(t, r.record(t, func(c *CommandBuffer) { c.Dispatch(2, 1, 1) })))(t)
	if got := r.get(64, 5); got != 115 {
		t.Errorf("y[5] is %v, want 115", got)
	}
}

// TestCarriedMemory ends the memory of carried vertices, indices and descriptors: draws and dispatches read none of it.
func TestCarriedMemory(t *testing.T) {
	s := newSceneOn(t, 1, inheriting)
	s.build(t)
	data := make([]byte, 256)
	for i := range 6 {
		binary.LittleEndian.PutUint32(data[4*i:], uint32(i))
	}
	for _, x := range []float32{-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	m := must(s.dev.Allocate(MemoryInfo{Size: 4096}))(t)
	copy(m.Bytes(), data)
	indices := must(s.dev.NewBuffer(BufferInfo{Size: 256, Usage: IndexBuffer}))(t)
	vertices := must(s.dev.NewBuffer(BufferInfo{Size: 256, Usage: VertexBufferUsage}))(t)
	must(0, indices.Bind(m, 0))(t)
	must(0, vertices.Bind(m, 256))(t)
	must(0, s.submit(t, s.record(t, func(c *CommandBuffer) {
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: vertices}})
		c.BindIndexBuffer(indices, 0, 4)
	})))(t)
	for _, o := range []interface{ Close() error }{indices, vertices, m} {
		must(0, o.Close())(t)
	}
	err := s.submit(t, s.record(t, func(c *CommandBuffer) {
		c.BeginRendering(s.rendering())
		s.paint(c, 1, 1, 1, 1)
		c.DrawIndexed(3, 1, 0, 0, 0)
		c.EndRendering()
		s.copyOut(c, s.color)
	}))
	if got := [4]byte(s.memory.Bytes()[2048:]); err == nil && got == [4]byte{255, 255, 255, 255} {
		t.Errorf("the draw reads memory that has ended")
	}
}

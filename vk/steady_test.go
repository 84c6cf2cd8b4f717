package vk

import (
	"context"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
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

// TestDrawAllocates records, submits and awaits a rendering of two draws, also with dynamic blend states.
func TestDrawAllocates(t *testing.T) {
	s := newScene(t, 1)
	s.build(t)
	blends := s.stages
	blends.State = s.fixed
	blends.State.Dynamic = []enum.DynamicState{enum.DynamicStateColorBlendEnable, enum.DynamicStateColorBlendEquation, enum.DynamicStateColorWriteMask}
	rendering, vertices, data := s.rendering(), []VertexBuffer{{Buffer: s.vertices}}, make([]byte, 16)
	for name, p := range map[string]*GraphicsPipeline{"static": s.pipeline, "dynamic blend states": must(s.dev.NewGraphicsPipeline(context.Background(), blends))(t)} {
		if n := s.allocations(t, func(c *CommandBuffer) {
			c.BeginRendering(rendering)
			c.BindGraphicsPipeline(p)
			c.BindVertexBuffers(0, vertices)
			c.PushConstants(s.layout, 0, data)
			c.SetBlendEnable(0, false)
			c.SetColorWriteMask(0, 15)
			c.Draw(3, 1, 0, 0)
			c.Draw(3, 1, 3, 0)
			c.EndRendering()
		}); n > 0 {
			t.Errorf("%s: %v allocations a submission; must be 0", name, n)
		}
	}
}

// TestCommandsAllocate records, submits and awaits one command of each kind that has a value of its own.
func TestCommandsAllocate(t *testing.T) {
	s := newScene(t, 1)
	s.build(t)
	indirect := s.buffer(t, 3008, 64, IndirectBuffer|ConditionalBuffer)
	s.putWord(3008, 0, 3)
	s.putWord(3008, 1, 1)
	vertices, draws := []VertexBuffer{{Buffer: s.vertices}}, []MultiDraw{{Count: 3}, {First: 3, Count: 3}}

	data, rendering := make([]byte, 16), s.rendering()

	pass := must(s.dev.NewRenderPass(RenderPassInfo{
		Attachments: []AttachmentDescription{{Format: formatOf(t, "R8G8B8A8_UNORM"), Samples: 1, Load: ClearOnLoad}},
		Subpasses:   []Subpass{{Colors: []uint32{0}}, {Colors: []uint32{0}}},
	}))(t)
	frame := must(s.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Attachments: []*ImageView{s.view}, Width: 8, Height: 8, Layers: 1}))(t)
	clears := make([]ClearValue, 1)
	heap := HeapRange{}
	pixels, images := []BufferImageCopy{{Extent: [3]int{8, 8, 1}}}, []ImageCopy{{Extent: [3]int{8, 4, 1}, TargetOffset: [3]int{0, 4, 0}}}
	upload := s.buffer(t, 3072, 256, TransferSource)
	color := must(s.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R8G8B8A8_UNORM"), Extent: [3]int{8, 8, 1}, Usage: ImageTransferSource | ImageTransferTarget}))(t)
	if err := color.Bind(s.images, 32768); err != nil {
		t.Fatal(err)
	}
	samples := must(s.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R8G8B8A8_UNORM"), Samples: 4, Extent: [3]int{8, 8, 1}, Usage: ImageTransferSource}))(t)
	if err := samples.Bind(must(s.dev.Allocate(MemoryInfo{Size: 4096}))(t), 0); err != nil {
		t.Fatal(err)
	}
	blits := []ImageBlit{{SourceBox: [2][3]int{{}, {8, 4, 1}}, TargetBox: [2][3]int{{0, 4, 0}, {3, 8, 1}}}}
	for name, record := range map[string]func(c *CommandBuffer){
		"labels":  func(c *CommandBuffer) { c.BeginLabel("a"); c.InsertLabel("b"); c.EndLabel() },
		"enables": func(c *CommandBuffer) { c.SetLineStippleEnable(false); c.SetDiscardRectangleEnable(false) },
		"heap":    func(c *CommandBuffer) { c.BindResourceHeap(heap); c.PushData(0, data) },
		"render passes": func(c *CommandBuffer) {
			c.BeginRenderPass(RenderPassBegin{RenderPass: pass, Framebuffer: frame, Clears: clears}, Inline)
			c.NextSubpass(Inline)
			c.EndRenderPass()
		},
		"copies": func(c *CommandBuffer) {
			c.CopyImageToBuffer(color, s.pixels, pixels)
			c.CopyBufferToImage(upload, color, pixels)
			c.CopyImage(color, color, images)
			c.ClearColorImage(color, [4]uint32{}, nil)
		},
		"blits and resolves": func(c *CommandBuffer) {
			c.BlitImage(color, color, blits, enum.FilterLinear)
			c.ResolveImage(samples, color, images[:1])
		},
		"draws": func(c *CommandBuffer) {
			c.BeginConditionalRendering(indirect, 0, false)
			c.BeginRendering(rendering)
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, vertices)
			c.PushConstants(s.layout, 0, data)
			c.DrawMulti(draws, 1, 0)
			c.DrawIndirect(IndirectInfo{Buffer: indirect, Draws: 1, Stride: 16})
			c.EndRendering()
			c.EndConditionalRendering()
		},
	} {
		if n := s.allocations(t, record); n > 0 {
			t.Errorf("%s: %v allocations a submission; must be 0", name, n)
		}
	}
}

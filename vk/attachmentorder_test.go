package vk

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestAttachmentRaces runs renderings and transfers: a load operation that clears, or does not care, writes all texels of the render area in
// the stages of the attachment, and a resolve those of its target in the stage of color attachments (Vulkan, "Load Operations", "Render
// Pass Resolve Operations").
func TestAttachmentRaces(t *testing.T) {
	const copying, output, early, late = 1 << 32, 1 << 10, 1 << 8, 1 << 9
	const read, write, colorWrite, depthWrite = transferRead, transferWrite, 1 << 8, 1 << 10
	type rig struct {
		*unwritten
		color, multi, depth *Image
		view, samples, far  *ImageView
	}
	type step func(r *rig, c *CommandBuffer)
	render := func(load LoadOp, area Rect) step {
		return func(r *rig, c *CommandBuffer) {
			c.BeginRendering(RenderingInfo{Area: area, Colors: []AttachmentInfo{{View: r.view, Load: load}}})
			c.EndRendering()
		}
	}
	clear, left := render(ClearOnLoad, Rect{}), render(ClearOnLoad, Rect{0, 0, 2, 4})
	deep := func(r *rig, c *CommandBuffer) {
		c.BeginRendering(RenderingInfo{Depth: &AttachmentInfo{View: r.far, Load: ClearOnLoad}})
		c.EndRendering()
	}
	resolve := func(r *rig, c *CommandBuffer) {
		c.BeginRendering(RenderingInfo{Colors: []AttachmentInfo{{View: r.samples, Load: ClearOnLoad, Resolve: r.view, ResolveMode: ResolveSampleZero}}})
		c.EndRendering()
	}
	out := func(x int) step {
		return func(r *rig, c *CommandBuffer) {
			c.CopyImageToBuffer(r.color, r.y, []BufferImageCopy{{Offset: [3]int{x, 0, 0}, Extent: [3]int{2, 2, 1}}})
		}
	}
	in := func(r *rig, c *CommandBuffer) {
		c.CopyBufferToImage(r.x, r.color, []BufferImageCopy{{Extent: [3]int{2, 2, 1}}})
	}
	deepOut := func(r *rig, c *CommandBuffer) {
		c.CopyImageToBuffer(r.depth, r.y, []BufferImageCopy{{Extent: [3]int{2, 2, 1}}})
	}
	order := func(source, sourceAccess, target, targetAccess uint64) MemoryDependency {
		return MemoryDependency{SourceStages: source, SourceAccess: sourceAccess, TargetStages: target, TargetAccess: targetAccess}
	}
	none := MemoryDependency{}
	for _, k := range []struct {
		name    string
		a       step
		barrier MemoryDependency
		b       step
		races   bool
	}{
		{"a clear and a copy", clear, none, out(0), true},
		{"a clear and a copy in order", clear, order(output, colorWrite, copying, read), out(0), false},
		{"a clear and a copy, of another stage", clear, order(late, depthWrite, copying, read), out(0), true},
		{"a clear and a copy, without the access", clear, order(output, 0, copying, read), out(0), true},
		{"a clear and a copy of texels outside of the area", left, none, out(2), false},
		{"a clear and a copy of texels of the area", left, none, out(1), true},
		{"any content and a copy", render(DontCare, Rect{}), none, out(0), true},
		{"a load and a copy", render(Load, Rect{}), none, out(0), false},
		{"a copy and a clear", in, none, clear, true},
		{"a copy and a clear in order", in, order(copying, write, output, colorWrite), clear, false},
		{"a copy out and a clear in order", out(0), order(copying, 0, output, 0), clear, false},
		{"two clears", clear, none, clear, true},
		{"two clears in order", clear, order(output, colorWrite, output, colorWrite), clear, false},
		{"depth and a copy", deep, none, deepOut, true},
		{"depth and a copy after the early tests", deep, order(early, depthWrite, copying, read), deepOut, false},
		{"depth and a copy after the late tests, which store it", deep, order(late, depthWrite, copying, read), deepOut, false},
		{"depth and a copy after the colors", deep, order(output, colorWrite, copying, read), deepOut, true}, // the access is missing
		{"a resolve and a copy", resolve, none, out(0), true},
		{"a resolve and a copy in order", resolve, order(output, colorWrite, copying, read), out(0), false},
	} {
		r := &rig{unwritten: newCompared(t, nil)}
		make := func(format link.Format, samples int, usage ImageUsage) (*Image, *ImageView) {
			m := r.image(t, ImageInfo{Type: enum.ImageType2d, Format: format, Extent: [3]int{4, 4, 1}, Samples: samples, Usage: usage})
			return m, must(r.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
		}
		r.color, r.view = make(link.FormatR32Uint, 1, ImageColorAttachment|ImageTransferSource|ImageTransferTarget)
		r.multi, r.samples = make(link.FormatR32Uint, 4, ImageColorAttachment)
		r.depth, r.far = make(link.FormatD32Sfloat, 1, ImageDepthStencilAttachment|ImageTransferSource)
		err := r.submit(t, r.record(t, func(c *CommandBuffer) {
			k.a(r, c)
			if k.barrier != none {
				c.Barrier(k.barrier)
			}
			k.b(r, c)
		}))
		if err != nil {
			t.Fatal(k.name, err)
		}
		if is := len(r.reports) > 0; is != k.races {
			t.Errorf("%s: the reports %+v; must be a race: %v", k.name, r.reports, k.races)
		}
	}
}

// TestPresentationOrder: a binary semaphore that no queue has signaled is signaled when a presentation engine has an image for the application
// again, after the submissions for which its presentation waited; a timeline that no queue has signaled orders what the host has seen.
func TestPresentationOrder(t *testing.T) {
	for _, binary := range []bool{true, false} {
		reports := 0
		p := &printer{reports: func(Report) { reports++ }}
		all := &queueOrders{}
		from, to := all.add(), all.add()
		bytes := make([]byte, 1<<17) // too large for the stack, which moves
		for _, o := range []*commandOrder{from, to, from} {
			if o.begin(o.submission+1, nil); o == to || o.submission > 1 {
				o.awaited(&timeline{}, 1, stageColorAttachmentOutput, binary)
			}
			o.add(p, []*commandAccess{{name: "test", stage: stageColorAttachmentOutput, access: accessColorAttachmentWrite, Access: exec.Access{Write: true, Spans: spanOf(bytes)}}}, o.now())
		}
		if is := reports > 0; is == binary {
			t.Errorf("binary %v: %d reports", binary, reports)
		}
	}
}

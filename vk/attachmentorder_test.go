package vk

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestAttachmentRaces runs renderings and transfers: a load operation that clears, or does not care, writes all texels of the render area in
// the stages of the attachment, another reads them, a store operation other than NONE writes them, whatever the draws write, and a resolve writes those
// of its target in the stage of color attachments (Vulkan, "Load Operations", "Store Operations", "Render Pass Resolve Operations").
func TestAttachmentRaces(t *testing.T) {
	const copying, output, early, late = 1 << 32, 1 << 10, 1 << 8, 1 << 9
	const read, write, colorRead, colorWrite, depthRead, depthWrite = transferRead, transferWrite, 1 << 7, 1 << 8, 1 << 9, 1 << 10
	type rig struct {
		*unwritten
		color, multi, depth *Image
		view, samples, far  *ImageView
	}
	type step func(r *rig, c *CommandBuffer)
	render := func(load LoadOp, store StoreOp, area Rect) step {
		return func(r *rig, c *CommandBuffer) {
			c.BeginRendering(RenderingInfo{Area: area, Colors: []AttachmentInfo{{View: r.view, Load: load, Store: store}}})
			c.EndRendering()
		}
	}
	clear, left, loaded := render(ClearOnLoad, Store, Rect{}), render(ClearOnLoad, Store, Rect{0, 0, 2, 4}), render(Load, StoreNone, Rect{})
	suspended := func(r *rig, c *CommandBuffer) {
		for _, flag := range []RenderingFlags{Suspending, Resuming} {
			c.BeginRendering(RenderingInfo{Flags: flag, Colors: []AttachmentInfo{{View: r.view, Load: ClearOnLoad}}})
			c.EndRendering()
		}
	}
	deeper := func(load LoadOp, store StoreOp) step {
		return func(r *rig, c *CommandBuffer) {
			c.BeginRendering(RenderingInfo{Depth: &AttachmentInfo{View: r.far, Load: load, Store: store}})
			c.EndRendering()
		}
	}
	deep, cleared := deeper(ClearOnLoad, Store), deeper(ClearOnLoad, StoreNone)
	resolve := func(r *rig, c *CommandBuffer) {
		c.BeginRendering(RenderingInfo{Colors: []AttachmentInfo{{View: r.samples, Load: ClearOnLoad, Resolve: r.view, ResolveMode: ResolveSampleZero}}})
		c.EndRendering()
	}
	several := func(load LoadOp, store StoreOp) step { // to an implicit image
		return func(r *rig, c *CommandBuffer) {
			c.BeginRendering(RenderingInfo{Samples: 4, Colors: []AttachmentInfo{{View: r.view, ResolveMode: ResolveAverage, Load: load, Store: store}}})
			c.EndRendering()
		}
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
		{"any content and a copy", render(DontCare, StoreNone, Rect{}), none, out(0), true},
		{"a load and a copy", loaded, none, out(0), false},
		{"a load and a copy to it", loaded, none, in, true},
		{"a load and a copy to it in order", loaded, order(output, 0, copying, write), in, false},
		{"a copy and a load", in, none, loaded, true},
		{"a copy and a load in order", in, order(copying, write, output, colorRead), loaded, false},
		{"a copy and a load, for writes alone", in, order(copying, write, output, colorWrite), loaded, true},
		{"a load and a store, and a copy", render(Load, Store, Rect{}), none, out(0), true},
		{"a load and a store, and a copy in order", render(Load, Store, Rect{}), order(output, colorWrite, copying, read), out(0), false},
		{"a load and a store of texels beside the copy", render(Load, Store, Rect{0, 0, 2, 4}), none, out(2), false},
		{"a store without care and a copy", render(LoadNone, StoreDontCare, Rect{}), none, out(0), true},
		{"no access and a copy", render(LoadNone, StoreNone, Rect{}), none, in, false},
		{"a store and a load", clear, none, loaded, true},
		{"a store and a load in order", clear, order(output, colorWrite, output, colorRead), loaded, false},
		{"a suspended rendering and a copy", suspended, none, out(0), true},
		{"a suspended rendering and a copy in order", suspended, order(output, colorWrite, copying, read), out(0), false},
		{"a copy and a clear", in, none, clear, true},
		{"a copy and a clear in order", in, order(copying, write, output, colorWrite), clear, false},
		{"a copy out and a clear in order", out(0), order(copying, 0, output, 0), clear, false},
		{"two clears", clear, none, clear, true},
		{"two clears in order", clear, order(output, colorWrite, output, colorWrite), clear, false},
		{"depth and a copy", deep, none, deepOut, true},
		{"cleared depth and a copy after the early tests", cleared, order(early, depthWrite, copying, read), deepOut, false},
		{"cleared depth and a copy after the late tests", cleared, order(late, depthWrite, copying, read), deepOut, true}, // the access is of the early tests
		{"depth and a copy after the early tests", deep, order(early, depthWrite, copying, read), deepOut, true},          // the store operation is in the late tests
		{"depth and its load in order", deep, order(late, depthWrite, early, depthRead), deeper(Load, StoreNone), false},
		{"depth and its load in the late tests", deep, order(late, depthWrite, late, depthRead), deeper(Load, StoreNone), true},
		{"depth and a copy after the late tests, which store it", deep, order(late, depthWrite, copying, read), deepOut, false},
		{"depth and a copy after the colors", deep, order(output, colorWrite, copying, read), deepOut, true}, // the access is missing
		{"a store of several samples and a copy", several(LoadNone, Store), none, out(0), true},
		{"a store of several samples and a copy in order", several(LoadNone, Store), order(output, colorWrite, copying, read), out(0), false},
		{"a copy and a load of several samples", in, none, several(Load, StoreNone), true},
		{"a copy and a load of several samples in order", in, order(copying, write, output, colorRead), several(Load, StoreNone), false},
		{"no access of several samples and a copy", several(LoadNone, StoreNone), none, in, false},
		{"a resolve and a copy", resolve, none, out(0), true},
		{"a resolve and a copy in order", resolve, order(output, colorWrite, copying, read), out(0), false},
	} {
		r := &rig{unwritten: newCompared(t, nil)}
		make := func(format link.Format, samples int, usage ImageUsage) (*Image, *ImageView) {
			flags := ImageFlags(0)
			if samples == 1 {
				flags = ImageMultisampled
			}
			m := r.image(t, ImageInfo{Type: enum.ImageType2d, Format: format, Extent: [3]int{4, 4, 1}, Samples: samples, Usage: usage, Flags: flags})
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

// TestPassAttachmentRaces runs a render pass of two subpasses, of which the first draws to an attachment and the second reads it, and a copy to or of its
// image: dependencies order load and store operations, which are in the subpasses that use the attachment first and last, with the implicit ones, which
// make writes available and order no transfer (Vulkan, "Render Pass Creation").
func TestPassAttachmentRaces(t *testing.T) {
	const copying, output = 1 << 32, 1 << 10
	const read, write, colorRead, colorWrite = transferRead, transferWrite, 1 << 7, 1 << 8
	of := func(source, target uint32, stages, access, targetStages, targetAccess uint64) Dependency {
		return Dependency{Source: source, Target: target, SourceStages: stages, SourceAccess: access, TargetStages: targetStages, TargetAccess: targetAccess}
	}
	between := of(0, 1, output, colorWrite, output, colorRead|colorWrite)
	for _, k := range []struct {
		name         string
		load         LoadOp
		store        StoreOp
		dependencies []Dependency
		steps        string // i: copy to the image, p: the render pass, o: copy of the image, b: a barrier with all accesses, a: one with none
		races        bool
	}{
		{"a copy before", Load, StoreNone, nil, "ip", true},
		{"a copy before, in order", Load, StoreNone, []Dependency{of(External, 0, copying, write, output, colorRead)}, "ip", false},
		{"a copy before, in order with the other subpass", Load, StoreNone, []Dependency{of(External, 1, copying, write, output, colorRead), between}, "ip", true},
		{"a copy before and a clear, in order for reads", ClearOnLoad, StoreNone, []Dependency{of(External, 0, copying, write, output, colorRead)}, "ip", true},
		{"a copy before, by a barrier", Load, StoreNone, nil, "ibp", false},
		{"a copy before, by a barrier and the implicit dependency", Load, StoreNone, nil, "iap", false},
		{"a copy before, not loaded", LoadNone, StoreNone, nil, "ip", false},
		{"a copy after", LoadNone, Store, []Dependency{between}, "po", true},
		{"a copy after, in order", LoadNone, Store, []Dependency{between, of(1, External, output, colorWrite, copying, read)}, "po", false},
		{"a copy after, in order with the first subpass", LoadNone, Store, []Dependency{between, of(0, External, output, colorWrite, copying, read)}, "po", true},
		{"a copy after, by a barrier", LoadNone, Store, []Dependency{between}, "pbo", false},
		{"a copy after, by the implicit dependency and a barrier without the write", LoadNone, Store, []Dependency{between}, "pao", false},
		{"a copy after, not stored", LoadNone, StoreNone, nil, "po", false},
		{"a clear and a store without a dependency of the subpasses", ClearOnLoad, Store, nil, "p", true},
		{"a clear and a store in order", ClearOnLoad, Store, []Dependency{between}, "p", false},
		{"two render passes", ClearOnLoad, Store, []Dependency{between}, "pp", true},
		{"two render passes in order", ClearOnLoad, Store, []Dependency{between, of(External, 0, output, colorWrite, output, colorWrite)}, "pp", false},
	} {
		u := newCompared(t, nil)
		m := u.image(t, ImageInfo{Type: enum.ImageType2d, Format: link.FormatR32Uint, Extent: [3]int{4, 4, 1}, Usage: ImageColorAttachment | ImageTransferSource | ImageTransferTarget})
		view := must(u.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
		pass := must(u.dev.NewRenderPass(RenderPassInfo{
			Attachments:  []AttachmentDescription{{Format: link.FormatR32Uint, Load: k.load, Store: k.store}},
			Subpasses:    []Subpass{{Colors: []uint32{0}}, {Colors: []uint32{0}}},
			Dependencies: k.dependencies,
		}))(t)
		frame := must(u.dev.NewFramebuffer(FramebufferInfo{RenderPass: pass, Attachments: []*ImageView{view}, Width: 4, Height: 4, Layers: 1}))(t)
		part := []BufferImageCopy{{Extent: [3]int{2, 2, 1}}}
		err := u.submit(t, u.record(t, func(c *CommandBuffer) {
			for _, s := range k.steps {
				switch s {
				case 'i':
					c.CopyBufferToImage(u.x, m, part)
				case 'o':
					c.CopyImageToBuffer(m, u.y, part)
				case 'b':
					c.Barrier(everything...)
				case 'a': // of the accesses that the implicit dependencies lack
					c.Barrier(MemoryDependency{SourceStages: stageAllCommands, SourceAccess: write, TargetStages: stageAllCommands, TargetAccess: read})
				default:
					c.BeginRenderPass(RenderPassBegin{RenderPass: pass, Framebuffer: frame, Clears: make([]ClearValue, 1)}, Inline)
					c.NextSubpass(Inline)
					c.EndRenderPass()
				}
			}
		}))
		if err != nil {
			t.Fatal(k.name, err)
		}
		if is := len(u.reports) > 0; is != k.races {
			t.Errorf("%s: the reports %+v; must be a race: %v", k.name, u.reports, k.races)
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

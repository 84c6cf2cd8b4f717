package vk

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// fetchSampled is fetchTexel of a sampled image.
var fetchSampled = strings.NewReplacer("2D 0 0 0 2 R32ui", "2D 0 0 0 1 Unknown", "OpImageRead %v4 %i %at", "OpImageFetch %v4 %i %at Lod %zero").Replace(fetchTexel)

// TestImageRaces runs pairs of transfers of images: each reads and writes the texels of its regions alone, in its stage, with the
// accesses TRANSFER_READ and TRANSFER_WRITE (Vulkan, "Pipeline Stages", "Access Types").
func TestImageRaces(t *testing.T) {
	const copying, blitting, clearing, resolving, compute = 1 << 32, 1 << 34, 1 << 35, 1 << 33, 1 << 11
	type rig struct {
		*unwritten
		m, other, multi *Image
		b               *Buffer
		fetch           func(c *CommandBuffer, groups uint32)
		sampled         *Image
		sample          func(c *CommandBuffer, groups uint32)
	}
	type step func(r *rig, c *CommandBuffer)
	clear := func(r *rig, c *CommandBuffer) { c.ClearColorImage(r.m, [4]uint32{}, []ImageRange{{}}) }
	level := func(n int) step {
		return func(r *rig, c *CommandBuffer) {
			c.ClearColorImage(r.m, [4]uint32{}, []ImageRange{{BaseLevel: n, Levels: 1}})
		}
	}
	box := func(x, y int) BufferImageCopy {
		return BufferImageCopy{Offset: [3]int{x, y, 0}, Extent: [3]int{2, 2, 1}}
	}
	in := func(x, y int) step {
		return func(r *rig, c *CommandBuffer) { c.CopyBufferToImage(r.b, r.m, []BufferImageCopy{box(x, y)}) }
	}
	out := func(x, y int) step {
		return func(r *rig, c *CommandBuffer) { c.CopyImageToBuffer(r.m, r.y, []BufferImageCopy{box(x, y)}) }
	}
	images := func(x, y int) step {
		return func(r *rig, c *CommandBuffer) {
			c.CopyImage(r.other, r.m, []ImageCopy{{TargetOffset: [3]int{x, y, 0}, Extent: [3]int{2, 2, 1}}})
		}
	}
	blit := func(r *rig, c *CommandBuffer) {
		c.BlitImage(r.m, r.other, []ImageBlit{{SourceBox: [2][3]int{{4, 4, 0}, {2, 2, 1}}, TargetBox: [2][3]int{{0, 0, 0}, {4, 4, 1}}}}, enum.FilterNearest)
	}
	resolve := func(r *rig, c *CommandBuffer) {
		c.ResolveImage(r.multi, r.m, []ImageCopy{{Extent: [3]int{2, 2, 1}}})
	}
	fill := func(at uint64) step { return func(r *rig, c *CommandBuffer) { c.FillBuffer(r.b, at, 4, 0) } }
	fetch := func(r *rig, c *CommandBuffer) { r.fetch(c, 1) }
	sample := func(r *rig, c *CommandBuffer) { r.sample(c, 1) } // texel (0, 0) of level 0
	sampled := func(x, y int) step {
		return func(r *rig, c *CommandBuffer) { c.CopyBufferToImage(r.b, r.sampled, []BufferImageCopy{box(x, y)}) }
	}
	none := MemoryDependency{}
	order := func(source, sourceAccess, target, targetAccess uint64) MemoryDependency {
		return MemoryDependency{SourceStages: source, SourceAccess: sourceAccess, TargetStages: target, TargetAccess: targetAccess}
	}
	const read, write, sampledRead = transferRead, transferWrite, 1 << 32
	for _, k := range []struct {
		name    string
		a       step
		barrier MemoryDependency
		b       step
		races   bool
	}{
		{"two clears", clear, none, clear, true},
		{"clears in order", clear, order(clearing, write, clearing, write), clear, false},
		{"clears by the stage of transfers", clear, order(transferring, write, transferring, write), clear, false},
		{"clears by copies", clear, order(copying, write, copying, write), clear, true},
		{"clears of two levels", level(0), none, level(1), false},
		{"a copy to the texels", in(0, 0), none, out(1, 1), true},
		{"a copy of other texels", in(0, 0), none, out(2, 0), false},
		{"a copy of other rows", in(0, 0), none, out(0, 2), false},
		{"two copies out", out(0, 0), order(copying, 0, copying, write), out(1, 1), true}, // the first write to the buffer is not available
		{"copies out in order", out(0, 0), order(copying, write, copying, write), out(0, 0), false},
		{"a copy and a fill of its buffer", in(0, 0), none, fill(4), true},
		{"a fill past the rows", in(0, 0), none, fill(16), false},
		{"a read before a write", out(0, 0), order(copying, 0, clearing, 0), clear, false},
		{"a copy of images", images(0, 0), none, in(1, 1), true},
		{"a copy of images to other texels", images(0, 0), none, in(2, 2), false},
		{"a blit and its source", blit, none, in(2, 2), true},
		{"a blit and other texels", blit, none, in(0, 2), false},
		{"a blit in order", blit, order(blitting, 0, copying, 0), in(2, 2), false},
		{"a resolve", resolve, none, in(0, 0), true},
		{"a resolve in order", resolve, order(resolving, write, copying, write), in(0, 0), false},
		{"a resolve and other texels", resolve, none, in(2, 0), false},
		{"a clear and a fetch", level(0), none, fetch, true},
		{"a clear and a fetch in order", level(0), order(clearing, write, compute, storageRead), fetch, false},
		{"a clear of a level that is not fetched", level(1), none, fetch, false},
		{"a copy and a fetch of a sampled image", sampled(0, 0), none, sample, true},
		{"a copy and a fetch of a sampled image in order", sampled(0, 0), order(copying, write, compute, sampledRead), sample, false},
		{"a copy and a fetch of a sampled image by another access", sampled(0, 0), order(copying, write, compute, write), sample, true},
		{"a copy of texels that are not fetched", sampled(2, 0), none, sample, false},
		{"a fetch and a copy", sample, none, sampled(0, 0), true},
		{"a fetch and a copy in order", sample, order(compute, 0, copying, 0), sampled(0, 0), false},
		{"two fetches and a barrier of their stores", sample, order(compute, shaderWrite, compute, shaderWrite), sample, false},
	} {
		r := &rig{unwritten: newCompared(t, nil)}
		r.m, r.fetch = r.fetchedOf(t, 1, ImageTransferSource)
		r.sampled, r.sample = r.readOf(t, 1, ImageSampled, link.SampledImage, fetchSampled)
		info := ImageInfo{Type: enum.ImageType2d, Format: link.FormatR32Uint, Extent: [3]int{4, 4, 1}, Usage: ImageTransferSource | ImageTransferTarget}
		r.other = r.image(t, info)
		info.Samples, info.Usage = 4, ImageTransferSource|ImageColorAttachment
		r.multi = r.image(t, info)
		r.b = r.buffer(t)
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

package vk

import (
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
)

// tileRig is a device with two allocations of tile memory: small is the first 64 bytes of large.
type tileRig struct {
	*rig
	small, large *Memory
	first, last  *Buffer // 32 bytes at the offsets 0 and 64 of large
	alias        *Buffer // 32 bytes at the offset 0 of small
}

func newTileRig(t *testing.T, info DeviceInfo) *tileRig {
	t.Helper()
	h := &tileRig{rig: newRig(t, info, storage)}
	h.small = must(h.dev.Allocate(MemoryInfo{Size: 64, Type: TileMemory}))(t)
	h.large = must(h.dev.Allocate(MemoryInfo{Size: 1 << 16, Type: TileMemory}))(t)
	h.first, h.last, h.alias = h.buffer(t, h.large, 0), h.buffer(t, h.large, 64), h.buffer(t, h.small, 0)
	return h
}

// buffer returns a buffer of 32 bytes in tile memory.
func (h *tileRig) buffer(t *testing.T, m *Memory, offset uint64) *Buffer {
	t.Helper()
	b := must(h.dev.NewBuffer(BufferInfo{Size: 32, Usage: BufferTileMemory | StorageBuffer | TransferSource | TransferTarget}))(t)
	if err := b.Bind(m, offset); err != nil {
		t.Fatal(err)
	}
	return b
}

var all32 = []BufferCopy{{Size: 32}}

// TestTileMemoryScope checks when the content of tile memory stays: through the command buffers of a submission, up to an action command
// with less memory bound (Vulkan, "Memory Allocation" and VkTileMemoryBindInfoQCOM). Content that does not stay is zero.
func TestTileMemoryScope(t *testing.T) {
	secondary := func(t *testing.T, h *tileRig, record func(c *CommandBuffer)) *CommandBuffer {
		c := must(h.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		record(c)
		if err := c.End(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	work := func(h *tileRig, c *CommandBuffer) { c.FillBuffer(h.y, 128, 4, 0) }
	for _, x := range []struct {
		name    string
		batches bool // each part is a submission
		source  func(h *tileRig) *Buffer
		kept    bool
		between []func(h *tileRig, c *CommandBuffer)
	}{
		{"command", false, nil, true, nil},
		{"batch", true, nil, false, nil},
		{"command buffer without work", false, nil, true, []func(*tileRig, *CommandBuffer){func(*tileRig, *CommandBuffer) {}}},
		{"command buffer with work", false, nil, false, []func(*tileRig, *CommandBuffer){work}},
		{"enough memory", false, nil, true, []func(*tileRig, *CommandBuffer){func(h *tileRig, c *CommandBuffer) { c.BindTileMemory(h.small); work(h, c) }}},
		{"less memory", false, func(h *tileRig) *Buffer { return h.last }, false, []func(*tileRig, *CommandBuffer){func(h *tileRig, c *CommandBuffer) { c.BindTileMemory(h.small); work(h, c) }}},
		{"less memory without work", false, func(h *tileRig) *Buffer { return h.last }, true, []func(*tileRig, *CommandBuffer){func(h *tileRig, c *CommandBuffer) { c.BindTileMemory(h.small); c.Barrier() }}},
		{"none bound", false, nil, false, []func(*tileRig, *CommandBuffer){func(h *tileRig, c *CommandBuffer) { c.BindTileMemory(h.large); c.BindTileMemory(nil); work(h, c) }}},
		{"another allocation", false, func(h *tileRig) *Buffer { return h.alias }, true, nil},
		{"secondary", false, nil, false, []func(*tileRig, *CommandBuffer){func(h *tileRig, c *CommandBuffer) {
			c.BindTileMemory(h.large)
			c.Execute(secondary(t, h, func(c *CommandBuffer) { work(h, c) }))
		}}},
		{"secondary that binds", false, nil, true, []func(*tileRig, *CommandBuffer){func(h *tileRig, c *CommandBuffer) {
			c.BindTileMemory(h.large)
			c.Execute(secondary(t, h, func(c *CommandBuffer) { c.BindTileMemory(h.large); work(h, c) }))
			work(h, c) // the binding is the one before
		}}},
	} {
		h := newTileRig(t, DeviceInfo{})
		to, from := h.first, h.first
		if x.source != nil {
			if from = x.source(h); from != h.alias {
				to = from
			}
		}
		parts := []*CommandBuffer{h.record(t, func(c *CommandBuffer) {
			c.BindTileMemory(h.large)
			c.CopyBuffer(h.x, to, all32)
		})}
		for _, f := range x.between {
			parts = append(parts, h.record(t, func(c *CommandBuffer) { f(h, c) }))
		}
		parts = append(parts, h.record(t, func(c *CommandBuffer) {
			c.BindTileMemory(from.memory)
			c.CopyBuffer(from, h.y, all32)
		}))
		if x.batches {
			for _, c := range parts {
				if err := h.submit(t, c); err != nil {
					t.Fatal(err)
				}
			}
		} else if err := h.dev.Queue().Submit(SubmitInfo{Commands: parts}); err != nil {
			t.Fatal(err)
		}
		if err := h.dev.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			want := float32(0)
			if x.kept {
				want = float32(i)
			}
			if got := h.get(64, i); got != want {
				t.Errorf("%s: word %d is %v; must be %v", x.name, i, got, want)
				break
			}
		}
	}
}

// TestTileMemoryQueues runs a submission with other content in the same tile memory while one of another queue waits for an event: each has
// its own content.
func TestTileMemoryQueues(t *testing.T) {
	for _, sanitize := range []Sanitizers{0, SanitizeRace, SanitizeUninit} {
		h := newTileRig(t, DeviceInfo{Queues: []QueueInfo{{0, 1}, {1, 1}}, Sanitize: sanitize, Reports: func(r Report) { t.Errorf("sanitizers %d report %s", sanitize, r.Message) }})
		e := must(h.dev.NewEvent())(t)
		one := h.record(t, func(c *CommandBuffer) {
			c.BindTileMemory(h.large)
			c.CopyBuffer(h.x, h.first, all32)
			c.WaitEvents(e)
			c.Barrier()
			c.CopyBuffer(h.first, h.y, all32)
		})
		two, err := h.recordFor(t, 1, func(c *CommandBuffer) {
			c.BindTileMemory(h.large)
			c.FillBuffer(h.first, 0, 32, 0x40e00000) // 7
			c.Barrier()
			c.CopyBuffer(h.first, h.y, []BufferCopy{{0, 32, 32}})
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.dev.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{one}}); err != nil {
			t.Fatal(err)
		}
		other := h.dev.FamilyQueue(1, 0)
		if err := other.Submit(SubmitInfo{Commands: []*CommandBuffer{two}}); err != nil {
			t.Fatal(err)
		}
		if err := other.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		e.Set()
		if err := h.dev.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			if a, b := h.get(64, i), h.get(96, i); a != float32(i) || b != 7 {
				t.Errorf("word %d is %v and %v; must be %d and 7", i, a, b, i)
			}
		}
	}
}

// TestTileMemoryClear clears an attachment in tile memory that is not bound: its content is undefined after the rendering, and the rendering takes its
// turn with the tile memory, so that the submission of another queue keeps its content (VkTileMemoryBindInfoQCOM).
func TestTileMemoryClear(t *testing.T) {
	h := newTileRig(t, DeviceInfo{Queues: []QueueInfo{{0, 1}, {1, 1}}})
	i := must(h.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: link.FormatR32Uint, Extent: [3]int{4, 4, 1}, Usage: ImageColorAttachment | ImageTileMemory}))(t)
	if err := i.Bind(h.large, 0); err != nil {
		t.Fatal(err)
	}
	v := must(h.dev.NewImageView(ImageViewInfo{Image: i, Type: enum.ViewType2d}))(t)
	clears := func(c *CommandBuffer) {
		c.BeginRendering(RenderingInfo{Colors: []AttachmentInfo{{View: v, Load: ClearOnLoad, Clear: [4]uint32{7}}}})
		c.EndRendering()
	}
	for _, part := range []*Memory{nil, h.large} {
		c := h.record(t, func(c *CommandBuffer) {
			c.BindTileMemory(part)
			clears(c)
			c.BindTileMemory(h.large)
			c.CopyBuffer(h.first, h.y, all32)
		})
		if err := h.submit(t, c); err != nil {
			t.Fatal(err)
		}
		want := byte(0)
		if part != nil {
			want = 7
		}
		if got := h.memory.Bytes()[64]; got != want {
			t.Errorf("bound %v: the word is %d; must be %d", part != nil, got, want)
		}
	}
	kept, err := h.recordFor(t, 1, func(c *CommandBuffer) {
		c.BindTileMemory(h.large)
		for i := range 100 {
			c.FillBuffer(h.first, 0, 32, uint32(i))
			c.CopyBuffer(h.first, h.y, []BufferCopy{{Size: 32, Target: 32}})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	other := h.record(t, func(c *CommandBuffer) {
		for range 100 {
			clears(c)
		}
	})
	if err := h.dev.FamilyQueue(1, 0).Submit(SubmitInfo{Commands: []*CommandBuffer{kept}}); err != nil {
		t.Fatal(err)
	}
	if err := h.submit(t, other); err != nil {
		t.Fatal(err)
	}
	if err := h.dev.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := h.memory.Bytes()[96]; got != 99 {
		t.Errorf("the word is %d; must be 99", got)
	}
}

// TestTileMemoryUnwritten checks that the sanitizer uninit reports reads of content that was discarded, and of no other.
func TestTileMemoryUnwritten(t *testing.T) {
	for _, x := range []struct {
		name    string
		between func(h *tileRig, c *CommandBuffer)
		fault   bool
	}{
		{"kept", func(*tileRig, *CommandBuffer) {}, false},
		{"never written", nil, true},
		{"discarded", func(h *tileRig, c *CommandBuffer) {
			c.BindTileMemory(nil)
			c.FillBuffer(h.y, 128, 4, 0)
			c.BindTileMemory(h.large)
		}, true},
		{"written again", func(h *tileRig, c *CommandBuffer) {
			c.BindTileMemory(nil)
			c.FillBuffer(h.y, 128, 4, 0)
			c.BindTileMemory(h.large)
			c.CopyBuffer(h.x, h.first, all32)
			c.Barrier()
		}, false},
	} {
		reports := 0
		h := newTileRig(t, DeviceInfo{Engine: &interp.Engine{}, Sanitize: SanitizeUninit, Reports: func(Report) { reports++ }})
		if err := h.set.Update(Write{Binding: 0, Buffers: []BufferDescriptor{{h.first, 0, 32}}}); err != nil {
			t.Fatal(err)
		}
		h.memory.Bytes()
		c := h.record(t, func(c *CommandBuffer) {
			c.BindTileMemory(h.large)
			if x.between != nil {
				c.CopyBuffer(h.x, h.first, all32)
				c.Barrier()
				x.between(h, c)
			}
			c.BindPipeline(h.saxpy)
			c.BindSets(Compute, h.pipeline, 0, []*Set{h.set}, nil)
			c.PushConstants(h.pipeline, 0, push(2))
			c.Dispatch(2, 1, 1)
		})
		if err := h.submit(t, c); err != nil {
			t.Fatal(err)
		}
		if h.dev.WaitIdle(t.Context()); reports > 0 != x.fault {
			t.Errorf("%s: %d reports; must be some: %v", x.name, reports, x.fault)
		}
	}
}

// TestTileMemoryUnbound fills and copies a buffer in tile memory without memory bound: that is no error, and its content is undefined after each
// command (VkTileMemoryBindInfoQCOM). The tile memory of another queue keeps its content.
func TestTileMemoryUnbound(t *testing.T) {
	h := newTileRig(t, DeviceInfo{Queues: []QueueInfo{{0, 1}, {1, 1}}})
	for _, part := range []*Memory{nil, h.small} { // h.last is beyond it
		c := h.record(t, func(c *CommandBuffer) {
			c.BindTileMemory(part)
			c.FillBuffer(h.last, 0, 32, 0x40e00000)
			c.CopyBuffer(h.last, h.y, all32)
		})
		if err := h.submit(t, c); err != nil {
			t.Fatal(err)
		}
		if got := h.get(64, 0); got != 0 {
			t.Errorf("bound %v: the word is %v; must be 0", part != nil, got)
		}
	}
	kept := h.record(t, func(c *CommandBuffer) {
		c.BindTileMemory(h.large)
		for i := range 100 {
			c.FillBuffer(h.first, 0, 32, uint32(i))
			c.CopyBuffer(h.first, h.y, []BufferCopy{{Size: 32, Target: 32}})
		}
	})
	other, err := h.recordFor(t, 1, func(c *CommandBuffer) {
		for range 100 {
			c.FillBuffer(h.first, 0, 32, 0x40e00000)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.dev.FamilyQueue(1, 0).Submit(SubmitInfo{Commands: []*CommandBuffer{other}}); err != nil {
		t.Fatal(err)
	}
	if err := h.submit(t, kept); err != nil {
		t.Fatal(err)
	}
	if err := h.dev.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := h.memory.Bytes()[96]; got != 99 {
		t.Errorf("the word is %d; must be 99", got)
	}
}

// TestTileMemoryHost writes to mapped tile memory: neither commands nor other allocations see it ("Memory contents within a tile memory heap
// […] are only visible across the command buffers executed in a single […] batch").
func TestTileMemoryHost(t *testing.T) {
	h := newTileRig(t, DeviceInfo{})
	before, _ := h.dev.Used()
	small, large := h.small.Bytes(), h.large.Bytes()
	if len(small) != 64 || len(large) != 1<<16 {
		t.Fatalf("%d and %d bytes are mapped; must be 64 and %d", len(small), len(large), 1<<16)
	}
	small[0], large[0] = 1, 2
	c := h.record(t, func(c *CommandBuffer) {
		c.BindTileMemory(h.large)
		c.CopyBuffer(h.first, h.y, all32)
		c.FillBuffer(h.first, 0, 32, 3)
	})
	if err := h.submit(t, c); err != nil {
		t.Fatal(err)
	}
	if got := h.memory.Bytes()[64]; got != 0 || h.small.Bytes()[0] != 1 || h.large.Bytes()[0] != 2 {
		t.Errorf("commands see %d, and the host %d and %d; must be 0, 1 and 2", got, h.small.Bytes()[0], h.large.Bytes()[0])
	}
	h.first.Close()
	h.last.Close()
	h.large.Close()
	h.alias.Close()
	h.small.Close()
	if after, _ := h.dev.Used(); after != before || h.small.Bytes() != nil {
		t.Errorf("%d bytes are left of the freed memory; must be none", after-before)
	}
}

// TestTileMemoryFollowed checks which images the sanitizer uninit takes for written: one that shares bytes with a written one, also if that was
// written before and kept its content. Buffers are bound while a queue discards.
func TestTileMemoryFollowed(t *testing.T) {
	h := newTileRig(t, DeviceInfo{Sanitize: SanitizeUninit, Reports: func(Report) {}})
	image := func(size, offset uint64) *Image {
		m := must(h.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: link.FormatR32Uint, Extent: [3]int{32, int(size / 128), 1}, Usage: ImageStorage | ImageTileMemory}))(t)
		if err := m.Bind(h.large, offset); err != nil {
			t.Fatal(err)
		}
		return m
	}
	whole, part := image(8192, 1<<13), image(4096, 1<<13+4096)
	d := h.dev.heap.defined
	for range 2 {
		if d.wroteImage(whole); !part.written[0] {
			t.Error("the bytes of the image are written, and it is not; must be")
		}
		if d.discardTile(1<<13+4096, 1<<16); part.written[0] || !whole.written[0] {
			t.Errorf("a part is discarded, and the images are written: %v, and whole %v; must be false and true", part.written[0], whole.written[0])
		}
	}
	c := h.record(t, func(c *CommandBuffer) {
		for range 50 {
			c.BindTileMemory(h.large)
			c.FillBuffer(h.first, 0, 32, 1)
			c.BindTileMemory(nil)
			c.FillBuffer(h.y, 0, 4, 1)
		}
	})
	if err := h.dev.Queue().Submit(SubmitInfo{Commands: []*CommandBuffer{c}}); err != nil {
		t.Fatal(err)
	}
	b := must(h.dev.NewBuffer(BufferInfo{Size: 32, Usage: BufferTileMemory | StorageTexelBuffer}))(t)
	if err := b.Bind(h.large, 128); err != nil { // ends the following
		t.Fatal(err)
	}
	if err := h.dev.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// tileImage returns an image in tile memory and its view.
func (h *tileRig) tileImage(t *testing.T, usage ImageUsage) (*Image, *ImageView) {
	t.Helper()
	m := must(h.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: link.FormatR32Uint, Extent: [3]int{4, 4, 1}, Usage: usage | ImageTileMemory}))(t)
	if err := m.Bind(h.large, 0); err != nil {
		t.Fatal(err)
	}
	return m, must(h.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
}

// TestTileMemoryImage clears an attachment in tile memory to 77 and reads it in a dispatch: the content stays with the memory bound, and is
// reported as undefined after an action command without it.
func TestTileMemoryImage(t *testing.T) {
	for _, kept := range []bool{true, false} {
		reports := 0
		h := newTileRig(t, DeviceInfo{Engine: &interp.Engine{}, Sanitize: SanitizeUninit, Reports: func(Report) { reports++ }})
		h.memory.Bytes()
		h = &tileRig{rig: h.rig, large: must(h.dev.Allocate(MemoryInfo{Size: 1 << 12, Type: TileMemory}))(t)}
		m := must(h.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: link.FormatR32Uint, Extent: [3]int{4, 4, 1}, Usage: ImageColorAttachment | ImageStorage | ImageTileMemory}))(t)
		if err := m.Bind(h.large, 1<<10); err != nil { // beyond the buffers
			t.Fatal(err)
		}
		v := must(h.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
		l := must(h.dev.NewSetLayout(SetLayoutInfo{Bindings: []link.Binding{
			{Binding: 0, Type: link.StorageImage, Count: 1, Stages: link.AllStages}, {Binding: 1, Type: storage, Count: 1, Stages: link.AllStages},
		}}))(t)
		pl := must(h.dev.NewPipelineLayout(PipelineLayoutInfo{Sets: []*SetLayout{l}}))(t)
		set := must(must(h.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(l))(t)
		if err := set.Update(Write{Binding: 0, Images: []ImageDescriptor{{View: v}}}, Write{Binding: 1, Buffers: []BufferDescriptor{{h.y, 0, 32}}}); err != nil {
			t.Fatal(err)
		}
		p := must(h.dev.NewComputePipeline(t.Context(), ComputePipelineInfo{Stage: StageInfo{Code: code(t, fetchTexel)}, Layout: pl}))(t)
		c := h.record(t, func(c *CommandBuffer) {
			c.BindTileMemory(h.large)
			c.BeginRendering(RenderingInfo{Area: Rect{Width: 4, Height: 4}, Colors: []AttachmentInfo{{View: v, Load: ClearOnLoad, Clear: [4]uint32{77}}}})
			c.EndRendering()
			if c.Barrier(); !kept {
				c.BindTileMemory(nil)
				c.FillBuffer(h.y, 128, 4, 0)
				c.BindTileMemory(h.large)
			}
			c.BindPipeline(p)
			c.BindSets(Compute, pl, 0, []*Set{set}, nil)
			c.Dispatch(1, 1, 1)
		})
		if err := h.submit(t, c); err != nil {
			t.Fatal(err)
		}
		want := byte(0)
		if kept {
			want = 77
		}
		h.dev.WaitIdle(t.Context())
		if got := h.memory.Bytes()[64]; got != want || reports > 0 == kept {
			t.Errorf("the texel is %d, with %d reports; must be %d, with reports: %v", got, reports, want, !kept)
		}
	}
}

// TestTileMemoryRules breaks each rule on tile memory.
func TestTileMemoryRules(t *testing.T) {
	const tile = BufferTileMemory | StorageBuffer
	image := ImageInfo{Type: enum.ImageType2d, Format: link.FormatR32Uint, Extent: [3]int{64, 64, 1}, Usage: ImageStorage | ImageTileMemory}
	buffer := func(h *tileRig, info BufferInfo) error { _, err := h.dev.NewBuffer(info); return err }
	off := func(h *tileRig) { h.dev.env.Device = features(false, "tileMemoryHeap") }
	record := func(f func(h *tileRig, c *CommandBuffer)) func(h *tileRig) error {
		return func(h *tileRig) error {
			c := must(h.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
			if err := c.Begin(BeginInfo{}); err != nil {
				return err
			}
			if f(h, c); c.Err() == nil && c.scope.open() {
				c.EndRendering()
			}
			if err := c.End(); err != nil {
				return err
			}
			h.dev.checking = All
			return h.submit(t, c)
		}
	}
	bare := RenderingInfo{Area: Rect{Width: 4, Height: 4}, Flags: SecondaryContents}
	continues := func(h *tileRig, m *Memory) *CommandBuffer {
		c := must(h.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
		if err := c.Begin(BeginInfo{Inheritance: &InheritanceInfo{Continue: true, Rendering: &link.Rendering{}, TileMemory: m}}); err != nil {
			t.Fatal(err)
		}
		if err := c.End(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	resolving := func(h *tileRig) (RenderPassInfo, []*ImageView) {
		_, to := h.tileImage(t, ImageColorAttachment)
		many := h.rig.image(t, ImageInfo{Type: enum.ImageType2d, Format: link.FormatR32Uint, Extent: [3]int{4, 4, 1}, Samples: 4, Usage: ImageColorAttachment})
		from := must(h.dev.NewImageView(ImageViewInfo{Image: many, Type: enum.ViewType2d}))(t)
		return RenderPassInfo{
			Attachments: []AttachmentDescription{{Format: link.FormatR32Uint, Samples: 4}, {Format: link.FormatR32Uint, Samples: 1}},
			Subpasses:   []Subpass{{Colors: []uint32{0}, Resolves: []uint32{1}}},
		}, []*ImageView{from, to}
	}
	dispatch := func(h *tileRig, c *CommandBuffer) {
		if err := h.set.Update(Write{Binding: 0, Buffers: []BufferDescriptor{{h.first, 0, 32}}}); err != nil {
			t.Fatal(err)
		}
		c.BindPipeline(h.saxpy)
		c.BindSets(Compute, h.pipeline, 0, []*Set{h.set}, nil)
		c.PushConstants(h.pipeline, 0, push(2))
		c.Dispatch(2, 1, 1)
	}
	for rule, list := range map[string][]func(h *tileRig) error{
		"VUID-vkAllocateMemory-tileMemoryHeap-10976": {func(h *tileRig) error {
			off(h)
			_, err := h.dev.Allocate(MemoryInfo{Size: 64, Type: TileMemory})
			return err
		}},
		"VUID-VkBufferCreateInfo-tileMemoryHeap-10762": {func(h *tileRig) error { off(h); return buffer(h, BufferInfo{Size: 64, Usage: tile}) }},
		"VUID-VkImageCreateInfo-tileMemoryHeap-10766":  {func(h *tileRig) error { off(h); _, err := h.dev.NewImage(image); return err }},
		"VUID-VkBufferCreateInfo-usage-10763": {
			func(h *tileRig) error {
				return buffer(h, BufferInfo{Size: 64, Usage: tile, Flags: BufferSparseBinding})
			},
			func(h *tileRig) error {
				return buffer(h, BufferInfo{Size: 64, Usage: tile, Flags: BufferCaptureReplay})
			},
		},
		"VUID-VkBufferCreateInfo-usage-10764": {
			func(h *tileRig) error { return buffer(h, BufferInfo{Size: 64, Usage: tile | IndexBuffer}) },
			func(h *tileRig) error { return buffer(h, BufferInfo{Size: 64, Usage: tile | IndirectBuffer}) },
		},
		"": {
			func(h *tileRig) error { return buffer(h, BufferInfo{Size: 64, Usage: tileBuffers}) },
			record(func(h *tileRig, c *CommandBuffer) { c.BindTileMemory(h.large); dispatch(h, c) }),
			record(func(h *tileRig, c *CommandBuffer) {
				c.BindTileMemory(h.large)
				c.BeginRendering(bare)
				c.Execute(continues(h, h.large))
			}),
			record(func(h *tileRig, c *CommandBuffer) { c.BeginRendering(bare); c.Execute(continues(h, nil)) }),
			func(h *tileRig) error { return checkTileSize(TileHeapSize) },
			record(func(h *tileRig, c *CommandBuffer) { // "the structure is ignored" (vkCmdBeginRendering)
				h.dev.checking = None
				c.BeginRendering(RenderingInfo{Area: Rect{Width: 4, Height: 4}, TileMemory: TileHeapSize + 1})
			}),
		},
		"VUID-vkBindBufferMemory-memory-01035": {func(h *tileRig) error {
			return must(h.dev.NewBuffer(BufferInfo{Size: 32, Usage: StorageBuffer}))(t).Bind(h.large, 0)
		}},
		"VUID-vkBindImageMemory-memory-01047": {func(h *tileRig) error {
			i := image
			i.Usage = ImageStorage
			return must(h.dev.NewImage(i))(t).Bind(h.large, 0)
		}},
		"VUID-vkBindBufferMemory-None-10739": {func(h *tileRig) error {
			return must(h.dev.NewBuffer(BufferInfo{Size: 32, Usage: tile}))(t).Bind(h.memory, 2)
		}},
		"VUID-vkBindBufferMemory-memory-10740": {func(h *tileRig) error {
			return must(h.dev.NewBuffer(BufferInfo{Size: 32, Usage: tile}))(t).Bind(h.large, 2)
		}},
		"VUID-vkBindBufferMemory-None-10741": {func(h *tileRig) error {
			return must(h.dev.NewBuffer(BufferInfo{Size: 4096, Usage: tile}))(t).Bind(h.memory, 64)
		}},
		"VUID-vkBindBufferMemory-memory-10742": {func(h *tileRig) error {
			return must(h.dev.NewBuffer(BufferInfo{Size: 64, Usage: tile}))(t).Bind(h.small, 16)
		}},
		"VUID-vkBindImageMemory-None-10735":   {func(h *tileRig) error { return must(h.dev.NewImage(image))(t).Bind(h.memory, 4) }},
		"VUID-vkBindImageMemory-memory-10736": {func(h *tileRig) error { return must(h.dev.NewImage(image))(t).Bind(h.large, 4) }},
		"VUID-vkBindImageMemory-None-10737":   {func(h *tileRig) error { return must(h.dev.NewImage(image))(t).Bind(h.memory, 0) }},
		"VUID-vkBindImageMemory-memory-10738": {func(h *tileRig) error { return must(h.dev.NewImage(image))(t).Bind(h.small, 0) }},
		"VUID-VkTileMemoryBindInfoQCOM-memory-10726": {
			record(func(h *tileRig, c *CommandBuffer) { c.BindTileMemory(h.memory) }),
			func(h *tileRig) error {
				c := must(h.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
				return c.Begin(BeginInfo{Inheritance: &InheritanceInfo{Continue: true, Rendering: &link.Rendering{}, TileMemory: h.memory}})
			},
		},
		"VUID-vkCmdBindTileMemoryQCOM-renderpass": {record(func(h *tileRig, c *CommandBuffer) {
			c.BeginRendering(RenderingInfo{Area: Rect{Width: 4, Height: 4}})
			c.BindTileMemory(h.large)
		})},
		"VUID-vkCmdBindTileMemoryQCOM-commandBuffer-cmdpool": {func(h *tileRig) error {
			_, err := h.recordFor(t, 2, func(c *CommandBuffer) { c.BindTileMemory(h.large) })
			return err
		}},
		"VUID-vkCmdExecuteCommands-memory-10724": {
			record(func(h *tileRig, c *CommandBuffer) {
				c.BindTileMemory(h.large)
				c.BeginRendering(bare)
				c.Execute(continues(h, h.small))
			}),
			record(func(h *tileRig, c *CommandBuffer) { c.BeginRendering(bare); c.Execute(continues(h, h.small)) }),
			record(func(h *tileRig, c *CommandBuffer) {
				c.BindTileMemory(h.large)
				c.BeginRendering(bare)
				c.Execute(continues(h, nil))
			}),
		},
		"VUID-VkTileMemorySizeInfoQCOM-size-10729": {
			func(h *tileRig) error {
				_, err := h.dev.NewRenderPass(RenderPassInfo{Subpasses: []Subpass{{}}, TileMemory: TileHeapSize + 1})
				return err
			},
			func(h *tileRig) error {
				_, err := h.dev.RenderingTile(RenderingInfo{TileMemory: TileHeapSize + 1})
				return err
			},
			record(func(h *tileRig, c *CommandBuffer) {
				c.BeginRendering(RenderingInfo{Area: Rect{Width: 4, Height: 4}, TileMemory: TileHeapSize + 1})
			}),
		},
		"VUID-VkRenderingAttachmentInfo-resolveImageView-10728": {record(func(h *tileRig, c *CommandBuffer) {
			_, views := resolving(h)
			c.BeginRendering(RenderingInfo{Colors: []AttachmentInfo{{View: views[0], Resolve: views[1], ResolveMode: ResolveSampleZero}}})
		})},
		"VUID-VkFramebufferCreateInfo-pAttachments-12327": {func(h *tileRig) error {
			info, views := resolving(h)
			_, err := h.dev.NewFramebuffer(FramebufferInfo{RenderPass: must(h.dev.NewRenderPass(info))(t), Attachments: views, Width: 4, Height: 4, Layers: 1})
			return err
		}},
		"VUID-VkRenderPassBeginInfo-framebuffer-12328": {record(func(h *tileRig, c *CommandBuffer) {
			info, views := resolving(h)
			p := must(h.dev.NewRenderPass(info))(t)
			f := must(h.dev.NewFramebuffer(FramebufferInfo{RenderPass: p, Imageless: true, Width: 4, Height: 4, Layers: 1}))(t)
			c.BeginRenderPass(RenderPassBegin{RenderPass: p, Framebuffer: f, Attachments: views}, Inline)
		})},
		"VUID-vkCmdDispatch-commandBuffer-10746": {
			record(dispatch),
			record(func(h *tileRig, c *CommandBuffer) { c.BindTileMemory(h.small); dispatch(h, c) }),
		},
	} {
		for n, f := range list {
			h := newTileRig(t, DeviceInfo{})
			if err := f(h); ruleOf(err) != rule || rule == "" && err != nil {
				t.Errorf("case %d: %v; must have the rule %q", n, err, rule)
			}
		}
	}
}

// TestTileMemoryDraw draws to an attachment in tile memory, which must be bound.
func TestTileMemoryDraw(t *testing.T) {
	for _, bind := range []bool{true, false} {
		r := newRuled(t)
		m := must(r.dev.Allocate(MemoryInfo{Size: 1 << 12, Type: TileMemory}))(t)
		i := must(r.dev.NewImage(ImageInfo{Type: enum.ImageType2d, Format: r.color.info.Format, Extent: [3]int{8, 8, 1}, Usage: ImageColorAttachment | ImageTileMemory}))(t)
		if err := i.Bind(m, 0); err != nil {
			t.Fatal(err)
		}
		v := must(r.dev.NewImageView(ImageViewInfo{Image: i, Type: enum.ViewType2d}))(t)
		rules, err := r.findings(t, func(c *CommandBuffer) {
			if bind {
				c.BindTileMemory(m)
			}
			r.paints(c, RenderingInfo{Colors: []AttachmentInfo{{View: v}}}, r.pipe(t, nil), nil)
		})
		if want := "VUID-vkCmdDraw-commandBuffer-10746"; slices.Contains(rules, want) == bind || bind && (len(rules) > 0 || err != nil) {
			t.Errorf("bound %v: %q, %v; must have %s if it is not", bind, rules, err, want)
		}
	}
}

// TestTileMemoryLimits checks the size of tile memory, and the resources that fit it.
func TestTileMemoryLimits(t *testing.T) {
	h := newTileRig(t, DeviceInfo{})
	before, _ := h.dev.Used()
	m := must(h.dev.Allocate(MemoryInfo{Size: TileHeapSize, Type: TileMemory}))(t)
	if after, _ := h.dev.Used(); after != before || m.Size() != TileHeapSize || m.Type() != TileMemory {
		t.Errorf("%d bytes of the device, and %d; must be none and %d", after-before, m.Size(), TileHeapSize)
	}
	if _, err := h.dev.Allocate(MemoryInfo{Size: TileHeapSize + 1, Type: TileMemory}); err == nil {
		t.Error("more than the heap is allocated; must be out of memory")
	}
	for n := range 4000 { // all are the beginning of the heap, and together they are smaller than it
		if _, err := h.dev.Allocate(MemoryInfo{Size: 1 << 16, Type: TileMemory}); err != nil || (n+1)<<16 > TileHeapSize {
			t.Fatalf("allocation %d of 64 KiB: %v; must fit the heap", n, err)
		}
	}
	for _, b := range []struct {
		usage BufferUsage
		types uint32
		bytes uint64
	}{{StorageBuffer, 3, 100}, {StorageBuffer | BufferTileMemory, 7, 100}, {StorageBuffer | BufferTileMemory, 7, TileHeapSize}, {StorageBuffer | BufferTileMemory, 3, TileHeapSize + 1}} {
		r := must(h.dev.BufferRequirements(BufferInfo{Size: b.bytes, Usage: b.usage}))(t)
		size, alignment := r.Tile()
		if r.Types != b.types || (size != 0) != (b.types == 7) || (alignment != 0) != (b.types == 7) {
			t.Errorf("usage %#x, %d bytes: the types are %#x, and the tile memory %d at %d", b.usage, b.bytes, r.Types, size, alignment)
		}
	}
	p := Chiaro()
	got, err := p.ImageFormatProperties(ImageInfo{Type: enum.ImageType2d, Format: link.FormatR8G8B8A8Unorm, Usage: ImageSampled | ImageTileMemory})
	if err != nil || got.MaxLevels != 1 || got.MaxLayers != 1 || got.Samples != 1 {
		t.Errorf("%+v, %v; must have one level, layer and sample", got, err)
	}
	for _, i := range []ImageInfo{
		{Type: enum.ImageType3d, Format: link.FormatR8G8B8A8Unorm, Usage: ImageSampled | ImageTileMemory},
		{Type: enum.ImageType2d, Format: link.FormatR8G8B8A8Unorm, Usage: ImageTransferSource | ImageTileMemory},
		{Type: enum.ImageType2d, Format: link.FormatR8G8B8A8Unorm, Usage: ImageSampled | ImageTileMemory, Linear: true},
		{Type: enum.ImageType2d, Format: link.FormatR8G8B8A8Unorm, Usage: ImageSampled | ImageTileMemory, Flags: ImageMutableFormat},
		{Type: enum.ImageType2d, Format: formatOf(t, "BC1_RGB_UNORM_BLOCK"), Usage: ImageSampled | ImageTileMemory},
	} {
		if got, err := p.ImageFormatProperties(i); err == nil {
			t.Errorf("%+v: %+v; must be no format for tile memory", i, got)
		}
		if _, err := h.dev.NewImage(i); err == nil {
			t.Errorf("%+v: is an image for tile memory; must not be", i)
		}
	}
}

package vk

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestPipelineStatistics counts the vertices, primitives and fragments of a rendering, the primitives of stream 0, and the
// invocations of a dispatch, by queries that overlap.
func TestPipelineStatistics(t *testing.T) {
	s := newScene(t, 1)
	s.build(t)
	all := must(s.dev.NewQueryPool(QueryPoolInfo{Type: PipelineStatistics, Count: 2, Statistics: allStatistics &^ ClusterInvocations}))(t)
	generated := must(s.dev.NewQueryPool(QueryPoolInfo{Type: PrimitivesGenerated, Count: 1}))(t)
	samples := must(s.dev.NewQueryPool(QueryPoolInfo{Type: Occlusion, Count: 1}))(t)
	c := s.rig.record(t, func(c *CommandBuffer) {
		c.BeginQuery(all, 0, 0)
		c.BeginRendering(s.rendering())
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		s.paint(c, 1, 0, 0, 1)
		c.Draw(3, 1, 0, 0)
		c.BeginQuery(samples, 0, QueryPrecise)
		c.BeginQueryIndexed(generated, 0, 0, 0)
		c.Draw(6, 2, 0, 0)
		c.EndQueryIndexed(generated, 0, 0)
		c.EndQuery(samples, 0)
		c.EndRendering()
		c.EndQuery(all, 0)
		c.BindPipeline(s.saxpy)
		c.BeginQuery(all, 1, 0)
		c.BindSets(Compute, s.rig.pipeline, 0, []*Set{s.set}, nil)
		c.Dispatch(2, 1, 1)
		c.EndQuery(all, 1)
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	out := make([]byte, 2*14*8)
	if err := all.Results(context.Background(), 0, 2, out, 14*8, Query64|QueryWithAvailability|QueryWait); err != nil {
		t.Fatal(err)
	}
	var got []uint64
	for i := range 28 {
		got = append(got, binary.LittleEndian.Uint64(out[8*i:]))
	}
	// 3 + 6·2 vertices, 1 + 2·2 triangles, of which none is clipped into several or away; 64 fragments of the first, none of
	// it again at equal depth, and the 36 of the nearer half once or, before the depth test, twice.
	want := []uint64{15, 5, 15, 0, 0, 5, 5}
	if !slices.Equal(got[:7], want) || got[7] < 64+28 || got[7] > 64*3+36*2 || !slices.Equal(got[8:14], []uint64{0, 0, 0, 0, 0, 1}) {
		t.Errorf("statistics %v, want %v …", got[:14], want)
	}
	if want := []uint64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 1}; !slices.Equal(got[14:], want) {
		t.Errorf("statistics of the dispatch %v, want %v", got[14:], want)
	}
	if n, ok := generated.Result(0); n != 4 || !ok {
		t.Errorf("%d primitives generated, want 4", n)
	}
	if n, ok := samples.Result(0); n < 28 || n > 36 || !ok {
		t.Errorf("%d samples passed, want the upper left half once", n)
	}
}

// TestQueryResults reads results in all forms, from the host and by a command.
func TestQueryResults(t *testing.T) {
	s := newScene(t, 1)
	q := must(s.dev.NewQueryPool(QueryPoolInfo{Type: PipelineStatistics, Count: 3, Statistics: InputVertices | VertexInvocations}))(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	word := binary.LittleEndian.Uint32
	q.put(1, 1, 7, 9)
	out := []byte{0: 200, 63: 0}
	if err := q.Results(ctx, 0, 3, out, 12, QueryWithAvailability); !errors.Is(err, ErrNotReady) {
		t.Errorf("a query that is not available: %v", err)
	}
	if out[0] != 200 || word(out[8:]) != 0 || word(out[12:]) != 7 || word(out[16:]) != 9 || word(out[20:]) != 1 {
		t.Errorf("results %v", out)
	}
	if err := q.Results(ctx, 0, 1, out, 0, QueryPartial|Query64); !errors.Is(err, ErrNotReady) || out[0] != 0 {
		t.Errorf("a partial result: %v, %d", err, out[0])
	}
	if err := q.Results(ctx, 0, 1, out, 0, QueryWait); !errors.Is(err, ErrTimeout) {
		t.Errorf("a wait for ever: %v", err)
	}
	go q.put(2, 1, 1, 2)
	if err := q.Results(context.Background(), 2, 1, out, 0, QueryWait); err != nil || word(out) != 1 || word(out[4:]) != 2 {
		t.Errorf("a wait: %v, %v", err, out[:8])
	}
	for name, err := range map[string]error{
		"range":  q.Results(ctx, 2, 2, out, 8, 0),
		"stride": q.Results(ctx, 0, 2, out, 4, 0),
		"size":   q.Results(ctx, 0, 2, out[:15], 8, 0),
		"flags":  q.Results(ctx, 0, 1, out, 8, 64),
		"none":   q.Results(ctx, 0, 0, out, 8, 0),
	} {
		if err == nil || errors.Is(err, ErrNotReady) {
			t.Errorf("%s: %v", name, err)
		}
	}
	copied := s.rig.record(t, func(c *CommandBuffer) {
		c.CopyQueries(q, 1, 2, s.pixels, 0, 24, Query64|QueryWithAvailability)
		c.ResetQueries(q, 1, 1)
		c.CopyQueries(q, 0, 2, s.pixels, 64, 12, QueryPartial|QueryWithAvailability|QueryWait)
	})
	if err := s.submit(t, copied); err != nil {
		t.Fatal(err)
	}
	at := s.memory.Bytes()[2048:]
	for i, want := range map[int]uint32{0: 7, 8: 9, 16: 1, 24: 1, 32: 2, 40: 1, 64: 0, 68: 0, 72: 0, 76: 0, 84: 0} {
		if n := word(at[i:]); n != want {
			t.Errorf("byte %d of the copy is %d, want %d", i, n, want)
		}
	}
	if _, ok := q.Result(1); ok {
		t.Error("a query is available after its reset")
	}
}

// TestQueriesOfViews uses a query for each view: the first has their sum (VUID-vkCmdBeginQuery-query-00808).
func TestQueriesOfViews(t *testing.T) {
	s := newScene(t, 1)
	s.fixed.DepthStencil = &link.DepthStencil{}
	s.fixed.Rendering.ViewMask, s.fixed.Rendering.Depth = 5, 0
	s.build(t)
	_, view := s.target(t, 1, 3)
	q := must(s.dev.NewQueryPool(QueryPoolInfo{Type: Occlusion, Count: 4}))(t)
	times := must(s.dev.NewQueryPool(QueryPoolInfo{Count: 4}))(t)
	record := func(first int) *CommandBuffer {
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		c.Begin(BeginInfo{})
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		s.paint(c, 1, 1, 1, 1)
		c.BeginRendering(RenderingInfo{Area: Rect{Width: 8, Height: 8}, ViewMask: 5, Colors: []AttachmentInfo{{View: view}}})
		c.BeginQuery(q, first, 0)
		c.Draw(3, 1, 0, 0)
		c.EndQuery(q, first)
		c.WriteTimestamp(times, first-1)
		c.EndRendering()
		return c
	}
	c := record(1)
	if err := c.End(); err != nil {
		t.Fatal(err)
	}
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint64{0, 128, 0, 0} {
		if n, ok := q.Result(i); n != want || ok != (i == 1 || i == 2) {
			t.Errorf("query %d: %d %v, want %d", i, n, ok, want)
		}
		if n, ok := times.Result(i); ok != (i < 2) || (n > 0) != (i == 0) {
			t.Errorf("timestamp %d: %d %v", i, n, ok)
		}
	}
	if err := record(3).End(); err == nil || !strings.Contains(err.Error(), "00808") {
		t.Errorf("a query of two views at the end of the pool: %v", err)
	}
}

// TestShadingRateAttachment runs one fragment for 2×2 pixels, as the texel of the attachment demands.
func TestShadingRateAttachment(t *testing.T) {
	s := newScene(t, 1)
	s.fixed.ShadingRate = &link.ShadingRate{Width: 1, Height: 1, Combiners: [2]enum.RateCombiner{enum.RateCombinerKeep, enum.RateCombinerReplace}}
	s.stages.Flags = enum.PipelineFlagsRenderingFragmentShadingRateAttachment
	s.dev.checking = None
	s.build(t)
	m := s.image(t, ImageInfo{Type: enum.ImageType2d, Format: formatOf(t, "R8_UINT"), Extent: [3]int{1, 1, 1}, Usage: ImageTransferTarget})
	rates := must(s.dev.NewImageView(ImageViewInfo{Image: m, Type: enum.ViewType2d}))(t)
	q := must(s.dev.NewQueryPool(QueryPoolInfo{Type: PipelineStatistics, Count: 1, Statistics: FragmentInvocations}))(t)
	for texel, want := range map[uint32]uint64{0: 64, 1<<2 | 1: 16, 2 << 2: 16, 2: 16} {
		c := s.record(t, func(c *CommandBuffer) {
			c.ClearColorImage(m, [4]uint32{texel}, []ImageRange{{}})
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			s.paint(c, 1, 1, 1, 1)
			r := s.rendering()
			r.ShadingRate = &ShadingRateAttachment{rates, [2]uint32{8, 8}}
			c.BeginRendering(r)
			c.BeginQuery(q, 0, 0)
			c.Draw(3, 1, 0, 0)
			c.EndQuery(q, 0)
			c.EndRendering()
		})
		if err := s.submit(t, c); err != nil {
			t.Fatal(err)
		}
		if n, _ := q.Result(0); n != want {
			t.Errorf("texel %d: %d fragments, want %d", texel, n, want)
		}
	}
	for _, a := range []ShadingRateAttachment{{rates, [2]uint32{4, 8}}, {rates, [2]uint32{8, 24}}, {s.view, [2]uint32{8, 8}}} {
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		c.Begin(BeginInfo{})
		c.BeginRendering(RenderingInfo{Area: Rect{Width: 8, Height: 8}, ShadingRate: &a})
		if err := c.End(); err == nil || strings.Contains(err.Error(), "00060") {
			t.Errorf("%v: %v", a.Texel, err)
		}
	}
}

// TestQueryErrors makes and begins queries that Vulkan forbids.
func TestQueryErrors(t *testing.T) {
	s := newScene(t, 1)
	for name, info := range map[string]QueryPoolInfo{
		"none": {}, "many": {Count: maxQueries + 1}, "type": {Type: 99, Count: 1}, "no statistics": {Type: PipelineStatistics, Count: 1},
		"statistics": {Type: PipelineStatistics, Count: 1, Statistics: 1 << 20},
	} {
		if _, err := s.dev.NewQueryPool(info); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	times := must(s.dev.NewQueryPool(QueryPoolInfo{Count: 2}))(t)
	statistics := must(s.dev.NewQueryPool(QueryPoolInfo{Type: PipelineStatistics, Count: 2, Statistics: 1}))(t)
	for name, record := range map[string]func(c *CommandBuffer){
		"timestamps":    func(c *CommandBuffer) { c.BeginQuery(times, 0, 0) },
		"precise":       func(c *CommandBuffer) { c.BeginQuery(statistics, 0, QueryPrecise) },
		"stream":        func(c *CommandBuffer) { c.BeginQueryIndexed(statistics, 0, 0, 1) },
		"write":         func(c *CommandBuffer) { c.WriteTimestamp(statistics, 0) },
		"range":         func(c *CommandBuffer) { c.EndQuery(statistics, 2) },
		"partial times": func(c *CommandBuffer) { c.CopyQueries(times, 0, 1, s.pixels, 0, 8, QueryPartial) },
		"offset":        func(c *CommandBuffer) { c.CopyQueries(times, 0, 1, s.pixels, 4, 8, Query64) },
		"end":           func(c *CommandBuffer) { c.CopyQueries(times, 0, 2, s.pixels, 248, 8, Query64) },
	} {
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		c.Begin(BeginInfo{})
		record(c)
		if err := c.End(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestQueryWithoutViews counts samples of a rendering whose attachments have no views: nothing but the render area bounds it
// (VkRenderingAttachmentInfo: an imageView that is VK_NULL_HANDLE is not used).
func TestQueryWithoutViews(t *testing.T) {
	s := newScene(t, 1)
	s.fixed.DepthStencil = nil
	s.build(t)
	q := must(s.dev.NewQueryPool(QueryPoolInfo{Type: Occlusion, Count: 1}))(t)
	for name, info := range map[string]RenderingInfo{
		"no attachments": {}, "a color": {Colors: make([]AttachmentInfo, 1)}, "a depth": {Colors: make([]AttachmentInfo, 2), Depth: &AttachmentInfo{}},
	} {
		info.Area = Rect{X: 1, Y: 2, Width: 5, Height: 4}
		c := s.record(t, func(c *CommandBuffer) {
			c.ResetQueries(q, 0, 1)
			c.BeginRendering(info)
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			c.BeginQuery(q, 0, QueryPrecise)
			c.Draw(3, 1, 0, 0)
			c.EndQuery(q, 0)
			c.EndRendering()
		})
		if err := s.submit(t, c); err != nil {
			t.Fatal(err)
		}
		if n, ok := q.Result(0); n != 20 || !ok {
			t.Errorf("%s: %d samples, %v; must be 20", name, n, ok)
		}
	}
}

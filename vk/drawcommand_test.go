package vk

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// word returns word i of the memory of the scene from an offset on.
func (s *scene) word(offset, i int) uint32 {
	return binary.LittleEndian.Uint32(s.memory.Bytes()[offset+4*i:])
}

func (s *scene) putWord(offset, i int, n uint32) {
	binary.LittleEndian.PutUint32(s.memory.Bytes()[offset+4*i:], n)
}

// buffer makes a buffer in the memory of the scene.
func (s *scene) buffer(t testing.TB, offset, size uint64, usage BufferUsage) *Buffer {
	t.Helper()
	b := must(s.dev.NewBuffer(BufferInfo{Size: size, Usage: usage}))(t)
	if err := b.Bind(s.memory, offset); err != nil {
		t.Fatal(err)
	}
	return b
}

// shot submits a rendering and returns the colors of the copied image.
func (s *scene) shot(t testing.TB, draws func(c *CommandBuffer)) (out [64][4]byte) {
	t.Helper()
	c := s.record(t, func(c *CommandBuffer) {
		c.BindGraphicsPipeline(s.pipeline)
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
		c.BeginRendering(s.rendering())
		s.paint(c, 1, 1, 1, 1)
		draws(c)
		c.EndRendering()
		s.copyOut(c, s.color)
	})
	if err := s.submit(t, c); err != nil {
		t.Fatal(err)
	}
	for i := range out {
		out[i] = s.pixel(i%8, i/8)
	}
	return out
}

// white counts the white pixels of a picture.
func white(p [64][4]byte) (n int) {
	for _, c := range p {
		if c == [4]byte{255, 255, 255, 255} {
			n++
		}
	}
	return n
}

// captured is positions with transform feedback of the position in buffer 0.
var captured = strings.NewReplacer(
	"OpMemoryModel", "OpCapability TransformFeedback\nOpMemoryModel",
	"OpDecorate %in", "OpExecutionMode %main Xfb\nOpDecorate %out XfbBuffer 0\nOpDecorate %out XfbStride 16\nOpDecorate %out Offset 0\nOpDecorate %in").Replace(positions)

// TestTransformFeedback captures six vertices in two passes of feedback with a counter, the last of which does not fit, and
// draws the captured ones by their byte count.
func TestTransformFeedback(t *testing.T) {
	s := newScene(t, 1)
	s.stages.Vertex.Module = must(s.dev.NewShaderModule(context.Background(), code(t, captured)))(t)
	s.fixed.DepthStencil.Compare = enum.CompareOpAlways
	s.build(t)
	target := s.buffer(t, 2304, 100, FeedbackBuffer|VertexBufferUsage)
	counter := s.buffer(t, 2560, 16, FeedbackCounterBuffer|IndirectBuffer)
	q := must(s.dev.NewQueryPool(QueryPoolInfo{Type: TransformFeedbackStream, Count: 1}))(t)
	drawn := must(s.dev.NewQueryPool(QueryPoolInfo{Type: Occlusion, Count: 1}))(t)
	place := []CounterBuffer{{counter, 4}}
	s.shot(t, func(c *CommandBuffer) {
		c.BindTransformFeedbackBuffers(0, []VertexBuffer{{Buffer: target}})
		c.BeginQuery(q, 0, 0)
		c.BeginTransformFeedback(0, nil)
		c.Draw(3, 1, 3, 0)
		c.EndTransformFeedback(0, place)
		c.BeginTransformFeedback(0, place)
		c.Draw(3, 1, 0, 0)
		c.Draw(3, 1, 0, 0) // does not fit
		c.EndTransformFeedback(0, place)
		c.EndQuery(q, 0)
	})
	if n := s.word(2560, 1); n != 96 {
		t.Errorf("the counter is %d bytes, want 96", n)
	}
	for i := range 24 {
		if got, want := s.get(2304, i), s.get(1024, (i+12)%24); got != want {
			t.Errorf("captured component %d is %v, want %v", i, got, want)
		}
	}
	out := make([]byte, 16)
	if err := q.Results(context.Background(), 0, 1, out, 0, Query64); err != nil || out[0] != 2 || out[8] != 3 {
		t.Errorf("written and needed primitives %d and %d: %v; want 2 and 3", out[0], out[8], err)
	}
	s.stages.Vertex.Module = must(s.dev.NewShaderModule(context.Background(), code(t, positions)))(t)
	s.build(t)
	n := white(s.shot(t, func(c *CommandBuffer) {
		c.BindVertexBuffers(0, []VertexBuffer{{Buffer: target}})
		c.BeginQuery(drawn, 0, 0)
		c.DrawByteCount(1, 0, place[0], 16, 16) // 5 vertices: one triangle
		c.EndQuery(drawn, 0)
	}))
	if samples, _ := drawn.Result(0); n < 28 || n > 36 || samples != uint64(n) {
		t.Errorf("%d white pixels, %d samples; want the upper left half", n, samples)
	}
}

// TestConditionalRendering skips draws, clears and dispatches of unsatisfied conditions, and no copies.
func TestConditionalRendering(t *testing.T) {
	s := newScene(t, 1)
	s.build(t)
	conditions := s.buffer(t, 2304, 8, ConditionalBuffer)
	s.putWord(2304, 0, 0)
	s.putWord(2304, 1, 1<<31)
	for _, x := range []struct {
		offset   uint64
		inverted bool
		drawn    bool
	}{{0, false, false}, {0, true, true}, {4, false, true}, {4, true, false}} {
		s.put(64, 0, 100)
		c := s.record(t, func(c *CommandBuffer) {
			c.BindPipeline(s.saxpy)
			c.BindSets(Compute, s.rig.pipeline, 0, []*Set{s.set}, nil)
			c.BindGraphicsPipeline(s.pipeline)
			c.BindVertexBuffers(0, []VertexBuffer{{Buffer: s.vertices}})
			s.paint(c, 1, 1, 1, 1)
			c.BeginConditionalRendering(conditions, x.offset, x.inverted)
			c.Dispatch(2, 1, 1)
			c.BeginRendering(s.rendering())
			c.Draw(3, 1, 0, 0)
			red := [4]uint32{0x3f800000, 0, 0, 0x3f800000}
			c.ClearAttachments(Clears{Area: Rect{Width: 1, Height: 1}, Colors: map[int][4]uint32{0: red}})
			c.DrawMulti([]MultiDraw{{0, 3, 0}}, 1, 0)
			c.EndRendering()
			c.FillBuffer(s.x, 0, 4, 0x3f800000)
			c.EndConditionalRendering()
			s.copyOut(c, s.color)
		})
		if err := s.submit(t, c); err != nil {
			t.Fatal(err)
		}
		first, last, dispatched := s.pixel(0, 0), s.pixel(7, 7), s.get(64, 1) != 100
		if drawn := last == [4]byte{255, 255, 255, 255}; drawn != x.drawn || (first == [4]byte{255, 0, 0, 255}) != x.drawn || dispatched != x.drawn {
			t.Errorf("%+v: first pixel %v, last %v, dispatched %v", x, first, last, dispatched)
		}
		if s.get(0, 0) != 1 {
			t.Error("a condition skips a fill")
		}
		s.put(0, 0, 0)
		s.put(64, 1, 100)
	}
}

// TestMultiDraw draws three ranges at once, of vertices and of indices.
func TestMultiDraw(t *testing.T) {
	s := newScene(t, 1)
	s.fixed.DepthStencil.Compare = enum.CompareOpAlways
	s.build(t)
	for i, n := range []uint16{9, 0, 1, 2} {
		binary.LittleEndian.PutUint16(s.memory.Bytes()[1024+600+2*i:], n)
	}
	base := int32(3)
	half := white(s.shot(t, func(c *CommandBuffer) { c.Draw(3, 1, 3, 0) }))
	for name, x := range map[string]struct {
		draws func(c *CommandBuffer)
		want  int
	}{
		"vertices":     {func(c *CommandBuffer) { c.DrawMulti([]MultiDraw{{0, 0, 0}, {3, 3, 0}, {0, 3, 0}}, 1, 0) }, 64},
		"none":         {func(c *CommandBuffer) { c.DrawMulti(nil, 1, 0) }, 0},
		"indices":      {func(c *CommandBuffer) { c.DrawMultiIndexed([]MultiDraw{{1, 3, 3}}, 1, 0, nil) }, half},
		"indices base": {func(c *CommandBuffer) { c.DrawMultiIndexed([]MultiDraw{{1, 3, 0}}, 1, 0, &base) }, half},
	} {
		got := white(s.shot(t, func(c *CommandBuffer) {
			c.BindIndexBuffer2(s.vertices, 600, 8, 2)
			x.draws(c)
		}))
		if got != x.want {
			t.Errorf("%s: %d white pixels, want %d", name, got, x.want)
		}
	}
}

// TestBoundRanges binds vertices with strides that commands set, and indices with a size: those after it are 0.
func TestBoundRanges(t *testing.T) {
	s := newScene(t, 1)
	s.fixed.DepthStencil.Compare = enum.CompareOpAlways
	s.fixed.Dynamic = []enum.DynamicState{enum.DynamicStateVertexInputBindingStride, enum.DynamicStateViewport, enum.DynamicStateScissor, enum.DynamicStateColorWriteEnable}
	s.build(t)
	for i, n := range []uint16{0, 1, 2} {
		binary.LittleEndian.PutUint16(s.memory.Bytes()[1024+600+2*i:], n)
	}
	draw := func(stride uint32, size uint64, record func(c *CommandBuffer)) int {
		return white(s.shot(t, func(c *CommandBuffer) {
			c.SetViewport(0, []Viewport{{Width: 8, Height: 8, MaxDepth: 1}})
			c.SetScissor(0, []Rect{{Width: 8, Height: 8}})
			c.BindVertexBuffers2(0, []VertexBuffer{{Buffer: s.vertices}}, []uint32{stride})
			c.BindIndexBuffer2(s.vertices, 600, size, 2)
			record(c)
		}))
	}
	all := func(c *CommandBuffer) { c.DrawIndexed(3, 1, 0, 0, 0) }
	if n := draw(16, 6, all); n != 64 {
		t.Errorf("%d pixels, want 64", n)
	}
	if n := draw(0, 6, all); n != 0 {
		t.Errorf("a stride of 0: %d pixels, want 0", n)
	}
	if n := draw(16, 4, all); n != 0 {
		t.Errorf("an index after the size: %d pixels, want 0", n)
	}
	if n := draw(16, WholeSize, func(c *CommandBuffer) { c.SetScissor(0, []Rect{{Width: 2, Height: 3}}); all(c) }); n != 6 {
		t.Errorf("a scissor: %d pixels, want 6", n)
	}
	if n := draw(16, 6, func(c *CommandBuffer) { c.BindIndexBuffer2(nil, 0, 0, 2); all(c) }); n != 0 {
		t.Errorf("the null index buffer: %d pixels, want 0", n)
	}
	if n := draw(16, 6, func(c *CommandBuffer) {
		c.SetColorWriteEnable(false)
		all(c)
		c.SetColorWriteEnable(true)
		c.Draw(3, 1, 3, 0)
	}); n < 28 || n > 36 {
		t.Errorf("writes disabled, then enabled: %d pixels, want the upper left half", n)
	}
}

// TestEnables has stipples and discard rectangles that commands enable.
func TestEnables(t *testing.T) {
	s := newScene(t, 1)
	s.fixed.DepthStencil.Compare = enum.CompareOpAlways
	s.fixed.DiscardRectangles = []Rect{{Width: 4, Height: 8}}
	s.fixed.Dynamic = []enum.DynamicState{enum.DynamicStateDiscardRectangleEnable, enum.DynamicStateDiscardRectangleMode, enum.DynamicStateDiscardRectangle}
	s.build(t)
	for i, want := range map[int]int{0: 64, 1: 32, 2: 32} {
		p := s.shot(t, func(c *CommandBuffer) {
			c.SetDiscardRectangleEnable(i > 0)
			c.SetDiscardRectangleMode(i > 1)
			c.SetDiscardRectangle(0, []Rect{{Width: 4, Height: 8}})
			c.Draw(3, 1, 0, 0)
		})
		if n, left := white(p), p[0][0] == 255; n != want || left != (i < 2) {
			t.Errorf("mode %d: %d white pixels, the first %v; want %d", i, n, left, want)
		}
	}
	e := enabling{}
	list := enum.DynamicStateLineStippleEnable
	if x, ok := enableOf(list); !ok || x != enableStipple {
		t.Error("the line stipple has no enable")
	}
	st := s.pipeline.static
	st.Rasterization.Stipple.Factor = 3
	if e.apply(&st, 1<<enableStipple); st.Rasterization.Stipple.Factor != 3 {
		t.Error("an enable that no command has set changes the state")
	}
	e.set = 1 << enableStipple
	if e.apply(&st, 1<<enableStipple); st.Rasterization.Stipple.Factor != 0 {
		t.Error("a stipple is drawn that is not enabled")
	}
}

// TestDrawCommandErrors records and runs commands that Vulkan forbids.
func TestDrawCommandErrors(t *testing.T) {
	s := newScene(t, 1)
	s.build(t)
	b := s.buffer(t, 2304, 64, FeedbackBuffer|FeedbackCounterBuffer|ConditionalBuffer|IndirectBuffer)
	for name, record := range map[string]func(c *CommandBuffer){
		"feedback bindings": func(c *CommandBuffer) { c.BindTransformFeedbackBuffers(3, make([]VertexBuffer, 2)) },
		"feedback nil":      func(c *CommandBuffer) { c.BindTransformFeedbackBuffers(0, make([]VertexBuffer, 1)) },
		"feedback offset":   func(c *CommandBuffer) { c.BindTransformFeedbackBuffers(0, []VertexBuffer{{b, 2, 4}}) },
		"feedback size":     func(c *CommandBuffer) { c.BindTransformFeedbackBuffers(0, []VertexBuffer{{b, 4, 64}}) },
		"counter":           func(c *CommandBuffer) { c.BeginTransformFeedback(0, []CounterBuffer{{b, 62}}) },
		"counters":          func(c *CommandBuffer) { c.EndTransformFeedback(4, []CounterBuffer{{b, 0}}) },
		"byte count":        func(c *CommandBuffer) { c.DrawByteCount(1, 0, CounterBuffer{b, 0}, 0, 0) },
		"byte count nil":    func(c *CommandBuffer) { c.DrawByteCount(1, 0, CounterBuffer{}, 0, 4) },
		"condition":         func(c *CommandBuffer) { c.BeginConditionalRendering(b, 2, false) },
		"condition usage":   func(c *CommandBuffer) { c.BeginConditionalRendering(s.vertices, 0, false) },
		"draws":             func(c *CommandBuffer) { c.DrawMulti(make([]MultiDraw, MaxMultiDraws+1), 1, 0) },
		"strides":           func(c *CommandBuffer) { c.BindVertexBuffers2(0, []VertexBuffer{{}}, []uint32{1, 2}) },
		"stride":            func(c *CommandBuffer) { c.BindVertexBuffers2(0, []VertexBuffer{{}}, []uint32{1 << 20}) },
		"index size":        func(c *CommandBuffer) { c.BindIndexBuffer2(s.vertices, 0, 2000, 2) },
		"index odd":         func(c *CommandBuffer) { c.BindIndexBuffer2(s.vertices, 0, 3, 2) },
		"device mask":       func(c *CommandBuffer) { c.SetDeviceMask(2) },
		"viewport":          func(c *CommandBuffer) { c.SetViewport(16, make([]Viewport, 1)) },
		"scissor":           func(c *CommandBuffer) { c.SetScissor(math.MaxInt, make([]Rect, 1)) },
		"writes":            func(c *CommandBuffer) { c.SetColorWriteEnable(make([]bool, 9)...) },
	} {
		c := must(s.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		c.Begin(BeginInfo{})
		record(c)
		if err := c.End(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, record := range map[string]func(c *CommandBuffer){
		"end feedback": func(c *CommandBuffer) { c.EndTransformFeedback(0, nil) },
		"feedback":     func(c *CommandBuffer) { c.BeginTransformFeedback(0, nil); c.EndRendering() },
		"twice":        func(c *CommandBuffer) { c.BeginTransformFeedback(0, nil); c.BeginTransformFeedback(0, nil) },
		"condition":    func(c *CommandBuffer) { c.EndConditionalRendering() },
		"conditions": func(c *CommandBuffer) {
			c.BeginConditionalRendering(b, 0, false)
			c.BeginConditionalRendering(b, 0, false)
		},
		"scope": func(c *CommandBuffer) {
			c.BeginConditionalRendering(b, 0, false)
			c.EndRendering()
			c.EndConditionalRendering()
		},
	} {
		s := newScene(t, 1)
		b = s.buffer(t, 2304, 64, ConditionalBuffer)
		c := s.record(t, func(c *CommandBuffer) {
			c.BeginRendering(s.rendering())
			record(c)
			if c.scope.open() {
				c.EndRendering()
			}
		})
		if err := s.submit(t, c); !errors.Is(err, ErrDeviceLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

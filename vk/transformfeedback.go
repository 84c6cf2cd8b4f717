package vk

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// The usages of buffers of transform feedback (VK_EXT_transform_feedback).
const (
	FeedbackBuffer        BufferUsage = 0x800
	FeedbackCounterBuffer BufferUsage = 0x1000
)

// CounterBuffer is the place of a byte count of transform feedback: 32 bits at a multiple of 4. A nil Buffer is none.
type CounterBuffer struct {
	Buffer *Buffer
	Offset uint64
}

// bindFeedback is a recorded BindTransformFeedbackBuffers.
type bindFeedback struct {
	first int
	list  []VertexBuffer
}

// BindTransformFeedbackBuffers binds the buffers that receive vertices, from binding first on.
func (c *CommandBuffer) BindTransformFeedbackBuffers(first int, list []VertexBuffer) {
	if !c.begin() {
		return
	}
	if first < 0 || first > state.MaxFeedbackBuffers || len(list) > state.MaxFeedbackBuffers-first {
		c.fail(usage("VUID-vkCmdBindTransformFeedbackBuffersEXT-firstBinding-02356", "%d buffers of transform feedback from binding %d on; must be at most %d", len(list), first, state.MaxFeedbackBuffers))
		return
	}
	w := take[bindFeedback](c)
	*w = bindFeedback{first, append(w.list, list...)}
	for i := range w.list {
		v := &w.list[i]
		if !c.buffer(v.Buffer, v.Offset, FeedbackBuffer, "VUID-vkCmdBindTransformFeedbackBuffersEXT-pOffsets-02358") {
			return
		}
		left := v.Buffer.size - v.Offset
		if v.Size == 0 || v.Size == WholeSize {
			v.Size = left
		}
		switch {
		case v.Offset%4 != 0:
			c.fail(usage("VUID-vkCmdBindTransformFeedbackBuffersEXT-pOffsets-02359", "vertices are written from offset %d of %v on; must be a multiple of 4", v.Offset, &v.Buffer.object))
			return
		case v.Size > left:
			c.fail(usage("VUID-vkCmdBindTransformFeedbackBuffersEXT-pSizes-02362", "%d bytes from offset %d on receive vertices; must be within the %d bytes of %v", v.Size, v.Offset, v.Buffer.size, &v.Buffer.object))
			return
		}
	}
	c.deferred("bind transform feedback buffers", w)
}

func (w *bindFeedback) forget() { w.list = emptied(w.list) }

func (w *bindFeedback) run(x *executor) error {
	for i, v := range w.list {
		part, _ := v.Buffer.part(v.Offset, v.Size)
		x.graphics.bound.feedback[w.first+i], x.graphics.bound.owners.feedback[w.first+i] = part, v.Buffer
	}
	return nil
}

// feedbackScope is a recorded BeginTransformFeedback or EndTransformFeedback.
type feedbackScope struct {
	end      bool
	first    int
	counters []CounterBuffer
}

// BeginTransformFeedback begins to write vertices to the bound buffers: the buffer of binding first + n after the bytes that
// counter n has, a buffer without a counter from its start on.
func (c *CommandBuffer) BeginTransformFeedback(first int, counters []CounterBuffer) {
	c.feedback("begin transform feedback", first, counters, false, "VUID-vkCmdBeginTransformFeedbackEXT-pCounterBufferOffsets-02370")
}

// EndTransformFeedback ends transform feedback and writes the counters, in bytes.
func (c *CommandBuffer) EndTransformFeedback(first int, counters []CounterBuffer) {
	c.feedback("end transform feedback", first, counters, true, "VUID-vkCmdEndTransformFeedbackEXT-pCounterBufferOffsets-02378")
}

func (c *CommandBuffer) feedback(name string, first int, counters []CounterBuffer, end bool, rule string) {
	tiles := "VUID-vkCmdBeginTransformFeedbackEXT-None-10656"
	if end {
		tiles = "VUID-vkCmdEndTransformFeedbackEXT-None-10657"
	}
	if !c.begin() || !c.outsideTiles(tiles) {
		return
	}
	if first < 0 || first > state.MaxFeedbackBuffers || len(counters) > state.MaxFeedbackBuffers-first {
		c.fail(usage("VUID-vkCmdBeginTransformFeedbackEXT-firstCounterBuffer-02369", "%d counters from binding %d on; must be at most %d", len(counters), first, state.MaxFeedbackBuffers))
		return
	}
	for _, k := range counters {
		if k.Buffer != nil && !c.counter(k, FeedbackCounterBuffer, rule) {
			return
		}
	}
	w := take[feedbackScope](c)
	*w = feedbackScope{end, first, append(w.counters, counters...)}
	c.deferred(name, w)
}

// counter reports whether a command may use 32 bits of a buffer.
func (c *CommandBuffer) counter(k CounterBuffer, use BufferUsage, rule string) bool {
	if !c.buffer(k.Buffer, k.Offset, use, rule) {
		return false
	}
	if _, ok := k.Buffer.part(k.Offset, 4); !ok || k.Offset%4 != 0 {
		c.fail(usage(rule, "a count is at offset %d; must be 4 bytes at a multiple of 4, within the %d bytes of %v", k.Offset, k.Buffer.size, &k.Buffer.object))
		return false
	}
	return true
}

// bytes returns the bytes of the count; nil if there is none.
func (k CounterBuffer) bytes() []byte {
	if k.Buffer == nil {
		return nil
	}
	part, _ := k.Buffer.part(k.Offset, 4)
	return part
}

func (w *feedbackScope) forget() { w.counters = emptied(w.counters) }

func (w *feedbackScope) run(x *executor) error {
	g := &x.graphics
	switch {
	case w.end && g.feedback == nil:
		return usage("VUID-vkCmdEndTransformFeedbackEXT-None-02375", "transform feedback is not active; must be")
	case !w.end && g.feedback != nil:
		return usage("VUID-vkCmdBeginTransformFeedbackEXT-None-02367", "transform feedback is active; must not be")
	case g.current == nil:
		return usage("VUID-vkCmdBeginTransformFeedbackEXT-renderpass", "the command is outside of a rendering; must be inside")
	case g.current.info.ViewMask != 0:
		return usage("VUID-vkCmdBeginTransformFeedbackEXT-None-02373", "transform feedback in a rendering with views; must have none")
	case w.end:
		for i, k := range w.counters {
			if at := k.bytes(); at != nil {
				binary.LittleEndian.PutUint32(at, uint32(g.feedback.Buffers[w.first+i].Next))
			}
		}
		g.feedback = nil
		return nil
	}
	f := &state.Feedback{}
	for i := range f.Buffers {
		f.Buffers[i].Bytes = g.bound.feedback[i]
	}
	for i, k := range w.counters {
		if at := k.bytes(); at != nil {
			n := binary.LittleEndian.Uint32(at)
			if n%4 != 0 {
				return usage("", "the counter of binding %d is %d bytes; must be a multiple of 4", w.first+i, n)
			}
			f.Buffers[w.first+i].Next = uint64(n)
		}
	}
	g.feedback = f
	return nil
}

// drawByteCount is a recorded DrawByteCount.
type drawByteCount struct {
	instances, firstInstance uint32
	counter                  CounterBuffer
	skip, stride             uint32
}

// DrawByteCount draws the vertices that transform feedback has written (vkCmdDrawIndirectByteCountEXT): the counter has their
// bytes, of which skip are subtracted, and a vertex has stride bytes.
func (c *CommandBuffer) DrawByteCount(instances, firstInstance uint32, counter CounterBuffer, skip, stride uint32) {
	if !c.begin() || !c.counter(counter, IndirectBuffer, "VUID-vkCmdDrawIndirectByteCountEXT-counterBufferOffset-04568") {
		return
	}
	if stride == 0 || stride > state.MaxStride {
		c.fail(usage("VUID-vkCmdDrawIndirectByteCountEXT-vertexStride-02289", "the stride of vertices is %d bytes; must be 1 to %d", stride, state.MaxStride))
		return
	}
	c.action()
	w := take[drawByteCount](c)
	*w = drawByteCount{instances, firstInstance, counter, skip, stride}
	c.deferred("draw indirect byte count", w)
}

func (w *drawByteCount) conditional() {}

func (w *drawByteCount) run(x *executor) error {
	n := binary.LittleEndian.Uint32(w.counter.bytes())
	n = (n - min(w.skip, n)) / w.stride
	return x.draw(&state.Args{Count: n, Instances: w.instances, FirstInstance: w.firstInstance}, false, nil)
}

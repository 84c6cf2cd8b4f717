package vk

import "encoding/binary"

// ConditionalBuffer is the usage of buffers with conditions (VK_EXT_conditional_rendering).
const ConditionalBuffer BufferUsage = 0x200

// conditionalWork is a work that an unsatisfied condition skips: a draw, a dispatch or a clear of attachments.
type conditionalWork interface {
	work
	conditional()
}

// conditional reports whether an unsatisfied condition skips the command.
func (k *command) conditional() bool {
	switch k.kind {
	case dispatch, dispatchIndirect, drawVertices, drawIndirect, clearAttachments:
		return true
	case runWork:
		_, ok := k.a.(conditionalWork)
		return ok
	}
	return false
}

// condition is the state of conditional rendering.
type condition struct {
	active    bool
	skip      bool // the condition is not satisfied
	rendering bool // it began in a rendering
}

// beginCondition is a recorded BeginConditionalRendering.
type beginCondition struct {
	place    CounterBuffer
	inverted bool
}

// BeginConditionalRendering begins a condition: the draws, dispatches and clears of attachments up to
// EndConditionalRendering execute only if the 32-bit value in the buffer is not 0, or, inverted, only if it is 0. The value
// is read once, when the command runs.
func (c *CommandBuffer) BeginConditionalRendering(b *Buffer, offset uint64, inverted bool) {
	k := CounterBuffer{b, offset}
	if c.begin() && c.counter(k, ConditionalBuffer, "VUID-VkConditionalRenderingBeginInfoEXT-offset-01983") {
		w := take[beginCondition](c)
		*w = beginCondition{k, inverted}
		c.deferred("begin conditional rendering", w)
	}
}

func (w *beginCondition) run(x *executor) error {
	if x.condition.active {
		return usage("VUID-vkCmdBeginConditionalRenderingEXT-None-01980", "a condition is active; must not be")
	}
	zero := binary.LittleEndian.Uint32(w.place.bytes()) == 0
	x.condition = condition{active: true, skip: zero != w.inverted, rendering: x.graphics.current != nil}
	return nil
}

// endCondition is a recorded EndConditionalRendering.
type endCondition struct{}

// EndConditionalRendering ends the condition. One that began in a rendering ends in the same one.
func (c *CommandBuffer) EndConditionalRendering() {
	if c.begin() {
		c.deferred("end conditional rendering", endCondition{})
	}
}

func (endCondition) run(x *executor) error {
	switch {
	case !x.condition.active:
		return usage("VUID-vkCmdEndConditionalRenderingEXT-None-01985", "no condition is active; must be")
	case !x.condition.rendering && x.graphics.current != nil:
		return usage("VUID-vkCmdEndConditionalRenderingEXT-None-01986", "a condition that began outside of a rendering ends in it; must end outside")
	case x.condition.rendering && x.graphics.current == nil:
		return usage("VUID-vkCmdEndConditionalRenderingEXT-None-01987", "a condition that began in a rendering ends outside; must end in it")
	}
	x.condition = condition{}
	return nil
}

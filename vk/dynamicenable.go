package vk

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// enable is a dynamic state that package draw has as part of another state.
type enable uint8

const (
	enableStipple enable = iota
	enableDiscard
	exclusiveDiscard
	enableWrites // of color attachments, by bits
	numEnables
)

// enabling has the enables that commands have set.
type enabling struct {
	set    uint8 // bits by enable
	writes int   // the color attachments of the last command
	value  [numEnables]uint32
}

// enableStates are the dynamic states of the enables.
var enableStates = [numEnables]enum.DynamicState{
	enum.DynamicStateLineStippleEnable, enum.DynamicStateDiscardRectangleEnable, enum.DynamicStateDiscardRectangleMode, enum.DynamicStateColorWriteEnable,
}

// enableOf returns the enable of a dynamic state.
func enableOf(s enum.DynamicState) (enable, bool) {
	for i, e := range enableStates {
		if e == s {
			return enable(i), true
		}
	}
	return 0, false
}

// off returns the enables that a command has set to false: bits by enable.
func (e *enabling) off() (bits uint8) {
	for i, v := range e.value {
		if e.set>>i&1 != 0 && v == 0 {
			bits |= 1 << i
		}
	}
	return bits
}

// on returns the enables that a command has set to true: bits by enable.
func (e *enabling) on() (bits uint8) { return e.set &^ e.off() }

// apply changes a state by the enables of a set that commands have set.
func (e *enabling) apply(s *state.State, set uint8) {
	set &= e.set
	if set>>enableStipple&1 != 0 && e.value[enableStipple] == 0 {
		s.Rasterization.Stipple = state.LineStipple{}
	}
	if set>>exclusiveDiscard&1 != 0 {
		s.Discard.Exclusive = e.value[exclusiveDiscard] != 0
	}
	if set>>enableDiscard&1 != 0 && e.value[enableDiscard] == 0 {
		s.Discard.Rectangles = nil
	}
	if w := e.value[enableWrites]; set>>enableWrites&1 != 0 && w != 1<<state.MaxColors-1 {
		list := make([]state.BlendAttachment, state.MaxColors)
		for i := range list {
			list[i].WriteMask = 15
		}
		copy(list, s.Blend.Attachments)
		for i := range list {
			if w>>i&1 == 0 {
				list[i].WriteMask = 0
			}
		}
		s.Blend.Attachments = list
	}
}

// setEnable is a recorded setting of an enable.
type setEnable struct {
	enable enable
	value  uint32
	count  int // of color attachments
}

func (w *setEnable) run(x *executor) error {
	b := &x.graphics.bound
	b.have |= 1 << (haveEnables + w.enable)
	e := &b.enables
	e.set |= 1 << w.enable
	e.value[w.enable] = w.value
	if w.enable == enableWrites {
		e.writes = w.count
	}
	return nil
}

func (c *CommandBuffer) enable(name string, e enable, value uint64, count int) {
	if c.begin() {
		w := take[setEnable](c)
		*w = setEnable{e, uint32(value), count}
		c.deferred(name, w)
	}
}

// SetLineStippleEnable enables the line stipple.
func (c *CommandBuffer) SetLineStippleEnable(on bool) {
	c.enable("set line stipple enable", enableStipple, flag(on), 0)
}

// SetDiscardRectangleEnable enables the discard rectangles.
func (c *CommandBuffer) SetDiscardRectangleEnable(on bool) {
	c.enable("set discard rectangle enable", enableDiscard, flag(on), 0)
}

// SetDiscardRectangleMode selects the fragments that discard rectangles keep: those inside of them, or exclusively those
// outside.
func (c *CommandBuffer) SetDiscardRectangleMode(exclusive bool) {
	c.enable("set discard rectangle mode", exclusiveDiscard, flag(exclusive), 0)
}

// SetColorWriteEnable enables the writes of the color attachments from 0 on; the others are written.
func (c *CommandBuffer) SetColorWriteEnable(on ...bool) {
	if len(on) > state.MaxColors {
		if c.begin() {
			c.fail(usage("VUID-vkCmdSetColorWriteEnableEXT-attachmentCount-06656", "writes of %d color attachments; must be at most %d", len(on), state.MaxColors))
		}
		return
	}
	mask := uint64(1<<state.MaxColors - 1)
	for i, x := range on {
		if !x {
			mask &^= 1 << i
		}
	}
	c.enable("set color write enable", enableWrites, mask, len(on))
}

// SetAttachmentFeedbackLoop declares the aspects of attachments that draws also read (vkCmdSetAttachmentFeedbackLoopEnableEXT).
// A draw may always read its attachments: the command has an effect on full checking alone.
func (c *CommandBuffer) SetAttachmentFeedbackLoop(aspects Aspect) {
	if c.begin() {
		c.deferred("set attachment feedback loop enable", setLoops(aspects))
	}
}

// setLoops is a recorded SetAttachmentFeedbackLoop.
type setLoops Aspect

func (w setLoops) run(x *executor) error {
	b := &x.graphics.bound
	b.have |= 1 << haveLoops
	b.loops = Aspect(w)
	return nil
}

// SetDeviceMask selects the physical devices of a group: there is one, device 0.
func (c *CommandBuffer) SetDeviceMask(mask uint32) {
	if c.begin() && mask != 1 {
		c.fail(usage("VUID-vkCmdSetDeviceMask-deviceMask-00108", "the device mask is %#x; must be 1", mask))
	}
}

// SetViewport sets the viewports from number first on; the count is that of the pipeline.
func (c *CommandBuffer) SetViewport(first int, list []Viewport) {
	if !c.begin() {
		return
	}
	if first < 0 || first > state.MaxViewports || len(list) > state.MaxViewports-first {
		c.fail(usage("VUID-vkCmdSetViewport-firstViewport-01223", "%d viewports from number %d on; must be at most %d", len(list), first, state.MaxViewports))
		return
	}
	at := len(c.commands)
	c.SetViewports(list)
	c.from(at, first)
}

// SetScissor sets the scissor rectangles from number first on; the count is that of the pipeline.
func (c *CommandBuffer) SetScissor(first int, list []Rect) {
	if !c.begin() {
		return
	}
	if first < 0 || first > state.MaxViewports || len(list) > state.MaxViewports-first {
		c.fail(usage("VUID-vkCmdSetScissor-firstScissor-00592", "%d scissors from number %d on; must be at most %d", len(list), first, state.MaxViewports))
		return
	}
	at := len(c.commands)
	c.SetScissors(list)
	c.from(at, first)
}

// SetDiscardRectangle sets the discard rectangles from number first on.
func (c *CommandBuffer) SetDiscardRectangle(first int, list []Rect) {
	if !c.begin() {
		return
	}
	if first < 0 || first > state.MaxDiscardRectangles || len(list) > state.MaxDiscardRectangles-first {
		c.fail(usage("VUID-vkCmdSetDiscardRectangleEXT-firstDiscardRectangle-00585", "%d discard rectangles from number %d on; must be at most %d", len(list), first, state.MaxDiscardRectangles))
		return
	}
	at := len(c.commands)
	c.SetDiscardRectangles(list)
	c.from(at, first)
}

// from lets the command at a place replace only the elements of a list from number first on.
func (c *CommandBuffer) from(at, first int) {
	if len(c.commands) > at {
		c.commands[at].x[2] = uint64(first) + 1
	}
}

// memoryOf returns the memory of the list that a command replaces, as an empty list; nil if it replaces a part.
func memoryOf[T any](k *command, list []T) []T {
	if k.x[2] == 0 {
		return list[:0]
	}
	return nil
}

// partial returns the list of a command that SetViewport or SetScissor recorded, merged with the list before it.
func partial[T any](k *command, before, list []T) []T {
	if k.x[2] == 0 {
		return list
	}
	first := int(k.x[2] - 1)
	out := make([]T, max(len(before), first+len(list)))
	copy(out, before)
	copy(out[first:], list)
	return out
}

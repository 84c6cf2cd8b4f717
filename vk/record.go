package vk

import (
	"slices"
	"strconv"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// commandKind is the kind of a recorded command.
type commandKind uint8

const (
	bindPipeline commandKind = iota
	bindSets
	pushConstants
	dispatch
	dispatchIndirect
	copyBuffer
	updateBuffer
	fillBuffer
	setEvent
	resetEvent
	waitEvents
	resetQueries
	writeTimestamp
	copyQueries
	executeCommands
	copyBufferToImage
	copyImageToBuffer
	copyImage
	blitImage
	resolveImage
	clearImage
	bindGraphics
	bindVertexBuffers
	bindIndexBuffer
	drawVertices
	drawIndirect
	beginRendering
	endRendering
	clearAttachments
	setState
	setBlendConstants
	setViewports
	setScissors
	setDiscardRectangles
	setVertexInput
	beginQuery
	endQuery
	barrier
	bindShader
	runWork
)

// commandNames are the names in messages.
var commandNames = [...]string{"bind pipeline", "bind descriptor sets", "push constants", "dispatch", "dispatch indirect", "copy buffer",
	"update buffer", "fill buffer", "set event", "reset event", "wait events", "reset query pool", "write timestamp",
	"copy query pool results", "execute commands", "copy buffer to image", "copy image to buffer", "copy image", "blit image",
	"resolve image", "clear image", "bind pipeline", "bind vertex buffers", "bind index buffer", "draw", "draw indirect",
	"begin rendering", "end rendering", "clear attachments", "set state", "set blend constants", "set viewport", "set scissor",
	"set discard rectangle", "set vertex input", "begin query", "end query", "barrier", "bind shaders"}

// BindPipeline binds a compute pipeline for the following dispatches.
func (c *CommandBuffer) BindPipeline(p *ComputePipeline) {
	if !c.begin() {
		return
	}
	if err := check(c.dev, "the pipeline", p); err != nil {
		c.fail(err)
		return
	}
	if p.node != nil {
		c.fail(usage("VUID-vkCmdBindPipeline-pipeline-03382", "%v is a library; must be linked", &p.object))
		return
	}
	c.refer(&p.object)
	c.commands = append(c.commands, command{kind: bindPipeline, a: p})
}

// BindSets binds descriptor sets for a kind of pipelines, from set number first on. dynamic has the offsets of the dynamic
// descriptors in bytes, in order of sets, bindings and elements. The layout may be closed afterwards.
func (c *CommandBuffer) BindSets(point BindPoint, l *PipelineLayout, first int, sets []*Set, dynamic []uint32) {
	if !c.begin() || !c.mayEndHeaps("VUID-vkCmdBindDescriptorSets-commandBuffer-11295", "VUID-vkCmdBindDescriptorSets-commandBuffer-11296") {
		return
	}
	if err := point.check(); err != nil {
		c.fail(err)
		return
	}
	if err := c.checkSets(l, first, sets, dynamic); err != nil {
		c.fail(err)
		return
	}
	from, offset := len(c.sets), len(c.offsets)
	for _, s := range sets {
		if s != nil {
			c.refer(&s.object)
		}
		c.addSet(s)
	}
	c.pushed.forget(point, first, len(sets))
	c.offsets = append(c.offsets, dynamic...)
	c.commands = append(c.commands, command{kind: bindSets, a: l, x: [4]uint64{uint64(first) | uint64(point)<<32, uint64(from), uint64(len(sets)), uint64(offset)}})
}

// addSet adds a set to the list of the sets that the commands bind.
func (c *CommandBuffer) addSet(s *Set) {
	epoch := uint64(0)
	if s != nil {
		s.mu.RLock()
		epoch = s.epoch
		s.mu.RUnlock()
	}
	c.sets, c.epochs = append(c.sets, s), append(c.epochs, epoch)
}

func (c *CommandBuffer) checkSets(l *PipelineLayout, first int, sets []*Set, dynamic []uint32) error {
	if err := check(c.dev, "the layout", l); err != nil {
		return err
	}
	if first < 0 || first > len(l.sets) || len(sets) > len(l.sets)-first {
		return usage("VUID-vkCmdBindDescriptorSets-firstSet-00360", "%d sets from set %d on are bound; the layout has %d sets", len(sets), first, len(l.sets))
	}
	need := 0
	for i, s := range sets {
		want := l.sets[first+i]
		if s == nil { // with graphicsPipelineLibrary, VK_NULL_HANDLE for sets that no shader uses
			continue
		}
		if err := check(c.dev, "a set", s); err != nil {
			return err
		}
		if s.layout.link.Flags&enum.SetFlagsHostOnlyPool != 0 {
			return usage("VUID-vkCmdBindDescriptorSets-pDescriptorSets-04616", "%v is for the host only; must not be", &s.object)
		}
		if !s.layout.same(want) {
			return usage("VUID-vkCmdBindDescriptorSets-pDescriptorSets-00358", "%v is not of the layout of set %d; must be", &s.object, first+i)
		}
		need += int(s.layout.many)
	}
	if len(dynamic) != need {
		return usage("VUID-vkCmdBindDescriptorSets-dynamicOffsetCount-00359", "%d dynamic offsets are bound; must be %d", len(dynamic), need)
	}
	for _, n := range dynamic {
		if c.dev.checking > None && n%BufferAlignment != 0 {
			return usage("VUID-vkCmdBindDescriptorSets-pDynamicOffsets-01971", "a dynamic offset is %d; must be a multiple of %d", n, BufferAlignment)
		}
	}
	return nil
}

// PushConstants sets bytes of the push constants.
func (c *CommandBuffer) PushConstants(l *PipelineLayout, offset int, data []byte) {
	if !c.starts("vkCmdPushConstants") || !c.mayEndHeaps("VUID-vkCmdPushConstants-commandBuffer-11295", "VUID-vkCmdPushConstants-commandBuffer-11296") {
		return
	}
	if err := c.checkPush(l, offset, len(data)); err != nil {
		c.fail(err)
		return
	}
	c.payload(pushConstants, uint64(offset), data, nil)
	if l != nil {
		c.commands[len(c.commands)-1].a = l
	}
}

// checkPush checks the arguments of PushConstants. Without checks the layout may be nil: the execution needs it for checks alone.
func (c *CommandBuffer) checkPush(l *PipelineLayout, offset, n int) error {
	switch {
	case l != nil:
		if err := check(c.dev, "the layout", l); err != nil {
			return err
		}
		return l.checkPush(offset, n)
	case c.dev.checking > None:
		return usage(vuid.VkPushConstantsInfo_None_09495, "the layout of push constants is nil; must be one")
	case offset < 0 || offset > MaxPushBytes || n > MaxPushBytes-offset:
		return usage("VUID-vkCmdPushConstants-offset-01795", "%d bytes of push constants from offset %d on are set; must be in %d bytes", n, offset, MaxPushBytes)
	}
	return nil
}

// checkPush returns an error unless n bytes from an offset on are push constants of the layout.
func (l *PipelineLayout) checkPush(offset, n int) error {
	switch {
	case offset < 0 || offset%4 != 0:
		return usage("VUID-vkCmdPushConstants-offset-00368", "the offset of push constants is %d; must be a multiple of 4", offset)
	case n == 0:
		return usage("VUID-vkCmdPushConstants-size-arraylength", "no bytes of push constants are set; must be at least 4")
	case n%4 != 0:
		return usage("VUID-vkCmdPushConstants-size-00369", "%d bytes of push constants are set; must be a multiple of 4", n)
	case offset > int(l.push) || n > int(l.push)-offset:
		return usage("VUID-vkCmdPushConstants-offset-01795", "%d bytes of push constants from offset %d on are set; must be in the %d bytes of the layout", n, offset, l.push)
	}
	return nil
}

// payload records a command with bytes.
func (c *CommandBuffer) payload(kind commandKind, offset uint64, data []byte, b *Buffer) {
	at := len(c.data)
	c.data = append(c.data, data...)
	x := command{kind: kind, x: [4]uint64{offset, uint64(at), uint64(len(data))}}
	if b != nil {
		x.a = b
	}
	c.commands = append(c.commands, x)
}

// Dispatch runs x·y·z workgroups of the bound pipeline.
func (c *CommandBuffer) Dispatch(x, y, z uint32) { c.DispatchBase([3]uint32{}, [3]uint32{x, y, z}) }

// DispatchBase runs workgroups whose ids begin at base.
func (c *CommandBuffer) DispatchBase(base, groups [3]uint32) {
	if !c.starts("vkCmdDispatch") {
		return
	}
	if err := compute.CheckGroups(base, groups); err != nil {
		c.fail(&UsageError{Rule: "VUID-vkCmdDispatchBase-groupCountX-00424", Message: err.Error(), Cause: err})
		return
	}
	c.action()
	c.commands = append(c.commands, command{kind: dispatch, x: [4]uint64{
		uint64(base[0]) | uint64(base[1])<<32, uint64(base[2]) | uint64(groups[0])<<32, uint64(groups[1]) | uint64(groups[2])<<32}})
}

// DispatchIndirect runs the number of workgroups that a buffer has when the command runs: three 32-bit numbers at a
// multiple of 4. A number beyond the limits of a dispatch makes the device lost.
func (c *CommandBuffer) DispatchIndirect(b *Buffer, offset uint64) {
	if !c.transfer(b, offset, 12, IndirectBuffer, "VUID-vkCmdDispatchIndirect-offset-00407") {
		return
	}
	c.action()
	c.commands = append(c.commands, command{kind: dispatchIndirect, a: b, x: [4]uint64{offset}})
}

// transfer reports whether a command may use n bytes of a buffer from a multiple of 4 on.
func (c *CommandBuffer) transfer(b *Buffer, offset, n uint64, use BufferUsage, rule string) bool {
	if !c.begin() {
		return false
	}
	if err := check(c.dev, "the buffer", b); err != nil {
		c.fail(err)
		return false
	}
	_, ok := b.part(offset, n)
	switch {
	case b.memory == nil:
		c.fail(usage("", "%v has no memory; must have some", &b.object))
	case !ok || offset%4 != 0:
		c.fail(usage(rule, "%d bytes from offset %d on are used; must be at a multiple of 4 in the %d bytes of %v", n, offset, b.size, &b.object))
	case c.dev.checking > None && b.usage&use == 0:
		c.fail(usage(rule, "%v lacks the usage of the command; must have it", &b.object))
	default:
		c.refer(&b.object)
		c.refer(&b.memory.object)
		return true
	}
	return false
}

// BufferCopy is a range to copy, in bytes.
type BufferCopy struct {
	Source, Target, Size uint64
}

// CopyBuffer copies ranges. The ranges of one buffer must not overlap.
func (c *CommandBuffer) CopyBuffer(source, target *Buffer, regions []BufferCopy) {
	if !c.begin() {
		return
	}
	err := check(c.dev, "the source", source)
	if err == nil {
		err = check(c.dev, "the target", target)
	}
	if err != nil {
		c.fail(err)
		return
	}
	if len(regions) == 0 {
		c.fail(usage("VUID-vkCmdCopyBuffer-regionCount-arraylength", "no region is copied; must be at least 1"))
		return
	}
	for _, r := range regions {
		_, from := source.part(r.Source, r.Size)
		_, to := target.part(r.Target, r.Size)
		if !from || !to || r.Size == 0 {
			c.fail(usage("VUID-vkCmdCopyBuffer-size-00115", "%d bytes are copied from offset %d to offset %d; must be at least 1, in the buffers of %d and %d bytes", r.Size, r.Source, r.Target, source.size, target.size))
			return
		}
	}
	for _, b := range [...]*Buffer{source, target} {
		c.refer(&b.object)
		c.refer(&b.memory.object) // parts of at least a byte need memory
	}
	at := len(c.regions)
	c.regions = append(c.regions, regions...)
	c.commands = append(c.commands, command{kind: copyBuffer, a: source, b: target, x: [4]uint64{uint64(at), uint64(len(regions))}})
}

// MaxUpdate is the largest number of bytes of UpdateBuffer.
const MaxUpdate = 1 << 16

// UpdateBuffer writes bytes to a buffer: a multiple of 4, at most MaxUpdate.
func (c *CommandBuffer) UpdateBuffer(b *Buffer, offset uint64, data []byte) {
	if !c.transfer(b, offset, uint64(len(data)), TransferTarget, "VUID-vkCmdUpdateBuffer-dataSize-00033") {
		return
	}
	if len(data)%4 != 0 || len(data) > MaxUpdate || len(data) == 0 {
		c.fail(usage("VUID-vkCmdUpdateBuffer-dataSize-00037", "%d bytes are written; must be a multiple of 4 from 4 to %d", len(data), MaxUpdate))
		return
	}
	c.payload(updateBuffer, offset, data, b)
}

// FillBuffer writes a word to all of n bytes of a buffer: a multiple of 4, or WholeSize.
func (c *CommandBuffer) FillBuffer(b *Buffer, offset, n uint64, word uint32) {
	none := n == 0
	if n == WholeSize && b != nil && offset < b.size {
		n = (b.size - offset) &^ 3
	}
	rule := "VUID-vkCmdFillBuffer-dstBuffer-00029"
	switch {
	case b == nil:
	case offset >= b.size:
		rule = "VUID-vkCmdFillBuffer-dstOffset-00024"
	case offset%4 != 0:
		rule = "VUID-vkCmdFillBuffer-dstOffset-00025"
	case n > b.size-offset:
		rule = "VUID-vkCmdFillBuffer-size-00027"
	}
	if !c.transfer(b, offset, n, TransferTarget, rule) {
		return
	}
	switch {
	case none:
		c.fail(usage("VUID-vkCmdFillBuffer-size-00026", "0 bytes are filled; must be more"))
		return
	case n%4 != 0:
		c.fail(usage("VUID-vkCmdFillBuffer-size-00028", "%d bytes are filled; must be a multiple of 4", n))
		return
	}
	c.commands = append(c.commands, command{kind: fillBuffer, a: b, x: [4]uint64{offset, n, uint64(word)}})
}

// Barrier orders the commands before it and the commands after it, and makes writes visible (vkCmdPipelineBarrier). A
// queue runs its commands in order and memory is coherent: only descriptors in memory are read again. The sanitizer race orders
// commands by the dependencies alone; without one the barrier is of all stages and accesses.
func (c *CommandBuffer) Barrier(dependencies ...MemoryDependency) {
	if !c.begin() {
		return
	}
	k := command{kind: barrier}
	if list := c.compared(dependencies); list != nil {
		k.a = list
	}
	c.commands = append(c.commands, k)
}

// compared returns a copy of dependencies, to whose memory the commands then refer; nil if the device does not compare commands.
func (c *CommandBuffer) compared(dependencies []MemoryDependency) []MemoryDependency {
	if c.dev.printer.queues == nil || len(dependencies) == 0 {
		return nil
	}
	for _, d := range dependencies {
		if d.Buffer != nil && d.Buffer.memory != nil {
			c.refer(&d.Buffer.object)
			c.refer(&d.Buffer.memory.object)
		}
		if d.Image != nil {
			d.Image.refer(c.refer)
		}
	}
	return slices.Clone(dependencies)
}

// MaxNesting bounds the levels of secondary command buffers that a secondary one executes (maxCommandBufferNestingLevel).
const MaxNesting = 32

// Execute runs secondary command buffers. A secondary command buffer may execute others (VK_EXT_nested_command_buffer).
func (c *CommandBuffer) Execute(list ...*CommandBuffer) {
	if !c.begin() {
		return
	}
	if c.secondary && c.dev.lacks("nestedCommandBuffer") {
		c.fail(usage("VUID-vkCmdExecuteCommands-commandBuffer-09375", "%v is a secondary command buffer and executes others; must not on this device", &c.object))
		return
	}
	for _, s := range list {
		if err := check(c.dev, "a secondary command buffer", s); err != nil {
			c.fail(err)
			return
		}
		switch {
		case !s.secondary || s.state != executable:
			c.fail(usage("VUID-vkCmdExecuteCommands-pCommandBuffers-00089", "%v must be an executable secondary command buffer", &s.object))
			return
		case c.secondary && s.nesting >= MaxNesting:
			c.fail(usage("VUID-vkCmdExecuteCommands-nestedCommandBuffer-09376", "%v has %d levels of secondary command buffers; must have less than %d", &s.object, s.nesting, MaxNesting))
			return
		}
		if err := c.checkExecute(s); err != nil {
			c.fail(err)
			return
		}
		if err := c.checkTileMemory(s); err != nil {
			c.fail(err)
			return
		}
		if err := c.checkTiles(s); err != nil {
			c.fail(err)
			return
		}
	}
	for _, s := range list {
		c.nesting = max(c.nesting, s.nesting+1)
		c.refer(&s.object)
		for _, o := range s.refs {
			c.refer(o)
		}
		c.pushed.current = [numBindPoints][maxSets]*Set{}
		c.commands = append(c.commands, command{kind: executeCommands, a: s, x: [4]uint64{s.stamp}})
	}
}

func uintText(n uint64) string { return strconv.FormatUint(n, 10) }

package driver

import (
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Commands run in order and memory is coherent: only the sanitizer race reads the stages and accesses of a barrier.
var syncCommands = map[int]recorder{
	abi.CmdCmdPipelineBarrier:  rec(func(c *commandBuffer, a *abi.CmdPipelineBarrierArgs) { c.barrier(a) }),
	abi.CmdCmdPipelineBarrier2: rec(func(c *commandBuffer, a *abi.CmdPipelineBarrier2Args) { c.barrier2(a.PDependencyInfo) }),
	abi.CmdCmdSetEvent:         rec(func(c *commandBuffer, a *abi.CmdSetEventArgs) { c.vk.SetEvent(events.get(uint64(a.Event))) }),
	abi.CmdCmdSetEvent2:        rec(func(c *commandBuffer, a *abi.CmdSetEvent2Args) { c.vk.SetEvent(events.get(uint64(a.Event))) }),
	abi.CmdCmdResetEvent:       rec(func(c *commandBuffer, a *abi.CmdResetEventArgs) { c.vk.ResetEvent(events.get(uint64(a.Event))) }),
	abi.CmdCmdResetEvent2:      rec(func(c *commandBuffer, a *abi.CmdResetEvent2Args) { c.vk.ResetEvent(events.get(uint64(a.Event))) }),
	abi.CmdCmdWaitEvents: rec(func(c *commandBuffer, a *abi.CmdWaitEventsArgs) {
		c.vk.WaitEvents(eventList(array(a.PEvents, a.EventCount))...)
	}),
	abi.CmdCmdWaitEvents2: rec(func(c *commandBuffer, a *abi.CmdWaitEvents2Args) {
		c.vk.WaitEvents(eventList(array(a.PEvents, a.EventCount))...)
	}),
}

// dependencies are the memory dependencies of a barrier.
type dependencies []vk.MemoryDependency

// add adds a dependency on all memory and returns it.
func (l *dependencies) add(sourceStages, sourceAccess, targetStages, targetAccess uint64) *vk.MemoryDependency {
	*l = append(*l, vk.MemoryDependency{SourceStages: sourceStages, TargetStages: targetStages, SourceAccess: sourceAccess, TargetAccess: targetAccess})
	return &(*l)[len(*l)-1]
}

// barrier records vkCmdPipelineBarrier: the stages of all its dependencies are the same, also of the one that has no accesses.
func (c *commandBuffer) barrier(a *abi.CmdPipelineBarrierArgs) {
	if c.device == nil || !c.device.comparesCommands {
		c.vk.Barrier()
		return
	}
	var list dependencies
	add := func(source, target uint32) *vk.MemoryDependency {
		return list.add(uint64(a.SrcStageMask), uint64(source), uint64(a.DstStageMask), uint64(target))
	}
	add(0, 0)
	for _, m := range array(a.PMemoryBarriers, a.MemoryBarrierCount) {
		add(m.SrcAccessMask, m.DstAccessMask)
	}
	for _, m := range array(a.PBufferMemoryBarriers, a.BufferMemoryBarrierCount) {
		d := add(m.SrcAccessMask, m.DstAccessMask)
		d.Buffer, d.Offset, d.Size = buffers.get(uint64(m.Buffer)), m.Offset, m.Size
	}
	for _, m := range array(a.PImageMemoryBarriers, a.ImageMemoryBarrierCount) {
		add(m.SrcAccessMask, m.DstAccessMask).Image = images.get(uint64(m.Image))
	}
	c.vk.Barrier(list...)
}

// barrier2 records vkCmdPipelineBarrier2. Without dependencies it orders nothing.
func (c *commandBuffer) barrier2(i *abi.DependencyInfo) {
	if c.device == nil || !c.device.comparesCommands || i == nil {
		c.vk.Barrier()
		return
	}
	list := dependencies{{}}
	for _, m := range array(i.PMemoryBarriers, i.MemoryBarrierCount) {
		list.add(m.SrcStageMask, m.SrcAccessMask, m.DstStageMask, m.DstAccessMask)
	}
	for _, m := range array(i.PBufferMemoryBarriers, i.BufferMemoryBarrierCount) {
		d := list.add(m.SrcStageMask, m.SrcAccessMask, m.DstStageMask, m.DstAccessMask)
		d.Buffer, d.Offset, d.Size = buffers.get(uint64(m.Buffer)), m.Offset, m.Size
	}
	for _, m := range array(i.PImageMemoryBarriers, i.ImageMemoryBarrierCount) {
		list.add(m.SrcStageMask, m.SrcAccessMask, m.DstStageMask, m.DstAccessMask).Image = images.get(uint64(m.Image))
	}
	c.vk.Barrier(list...)
}

func eventList(handles []abi.Event) (out []*vk.Event) {
	for _, h := range handles {
		if e := events.get(uint64(h)); e != nil {
			out = append(out, e)
		}
	}
	return out
}

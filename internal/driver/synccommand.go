package driver

import (
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Commands run in order and memory is coherent: a barrier has no stages, no accesses and no layouts.
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

// barrier records vkCmdPipelineBarrier: the stages of all its dependencies are the same.
func (c *commandBuffer) barrier(a *abi.CmdPipelineBarrierArgs) {
	if c.device == nil || !c.device.comparesCommands {
		c.vk.Barrier()
		return
	}
	stages := vk.MemoryDependency{SourceStages: uint64(a.SrcStageMask), TargetStages: uint64(a.DstStageMask)}
	list := []vk.MemoryDependency{stages}
	add := func(source, target uint32) *vk.MemoryDependency {
		d := stages
		d.SourceAccess, d.TargetAccess = uint64(source), uint64(target)
		list = append(list, d)
		return &list[len(list)-1]
	}
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

// barrier2 records vkCmdPipelineBarrier2.
func (c *commandBuffer) barrier2(i *abi.DependencyInfo) {
	if c.device == nil || !c.device.comparesCommands || i == nil {
		c.vk.Barrier()
		return
	}
	list := []vk.MemoryDependency{{}}
	for _, m := range array(i.PMemoryBarriers, i.MemoryBarrierCount) {
		list = append(list, vk.MemoryDependency{SourceStages: m.SrcStageMask, TargetStages: m.DstStageMask, SourceAccess: m.SrcAccessMask, TargetAccess: m.DstAccessMask})
	}
	for _, m := range array(i.PBufferMemoryBarriers, i.BufferMemoryBarrierCount) {
		list = append(list, vk.MemoryDependency{SourceStages: m.SrcStageMask, TargetStages: m.DstStageMask, SourceAccess: m.SrcAccessMask, TargetAccess: m.DstAccessMask,
			Buffer: buffers.get(uint64(m.Buffer)), Offset: m.Offset, Size: m.Size})
	}
	for _, m := range array(i.PImageMemoryBarriers, i.ImageMemoryBarrierCount) {
		list = append(list, vk.MemoryDependency{SourceStages: m.SrcStageMask, TargetStages: m.DstStageMask, SourceAccess: m.SrcAccessMask, TargetAccess: m.DstAccessMask, Image: images.get(uint64(m.Image))})
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

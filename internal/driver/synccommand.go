package driver

import (
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Commands run in order and memory is coherent: only the sanitizer race reads the stages and accesses of a barrier, and only full checking
// the layouts.
var syncCommands = map[int]recorder{
	abi.CmdCmdPipelineBarrier:  rec(func(c *commandBuffer, a *abi.CmdPipelineBarrierArgs) { c.barrier(a) }),
	abi.CmdCmdPipelineBarrier2: rec(func(c *commandBuffer, a *abi.CmdPipelineBarrier2Args) { c.barrier2(a.PDependencyInfo) }),
	abi.CmdCmdSetEvent: rec(func(c *commandBuffer, a *abi.CmdSetEventArgs) {
		c.vk.SetEvent(events.get(uint64(a.Event)), vk.MemoryDependency{SourceStages: uint64(a.StageMask)})
	}),
	abi.CmdCmdSetEvent2: rec(func(c *commandBuffer, a *abi.CmdSetEvent2Args) {
		c.vk.SetEvent(events.get(uint64(a.Event)), c.dependenciesOf(a.PDependencyInfo)...)
	}),
	abi.CmdCmdResetEvent:  rec(func(c *commandBuffer, a *abi.CmdResetEventArgs) { c.vk.ResetEvent(events.get(uint64(a.Event))) }),
	abi.CmdCmdResetEvent2: rec(func(c *commandBuffer, a *abi.CmdResetEvent2Args) { c.vk.ResetEvent(events.get(uint64(a.Event))) }),
	abi.CmdCmdWaitEvents:  rec(func(c *commandBuffer, a *abi.CmdWaitEventsArgs) { c.waitEvents(a) }),
	abi.CmdCmdWaitEvents2: rec(func(c *commandBuffer, a *abi.CmdWaitEvents2Args) {
		infos := array(a.PDependencyInfos, a.EventCount)
		for i, h := range array(a.PEvents, a.EventCount) {
			if e := events.get(uint64(h)); e != nil && i < len(infos) {
				c.vk.WaitEvent(e, c.dependenciesOf(&infos[i])...)
			}
		}
		for i := range infos {
			c.transitionsOf(&infos[i])
		}
	}),
}

// dependencies are the memory dependencies of a barrier.
type dependencies []vk.MemoryDependency

// add adds a dependency on all memory and returns it.
func (l *dependencies) add(sourceStages, sourceAccess, targetStages, targetAccess uint64) *vk.MemoryDependency {
	*l = append(*l, vk.MemoryDependency{SourceStages: sourceStages, TargetStages: targetStages, SourceAccess: sourceAccess, TargetAccess: targetAccess})
	return &(*l)[len(*l)-1]
}

// barrierLists are the memory barriers of a command with one mask of source and one of target stages.
type barrierLists struct {
	source, target uint32
	memory         []abi.MemoryBarrier
	buffers        []abi.BufferMemoryBarrier
	images         []abi.ImageMemoryBarrier
}

// dependencies returns the dependencies of the lists, if the device compares commands. Their stages are the same, also of the
// one that has no accesses.
func (b *barrierLists) dependencies(c *commandBuffer) (list dependencies) {
	if c.device == nil || !c.device.comparesCommands {
		return nil
	}
	add := func(source, target uint32) *vk.MemoryDependency {
		return list.add(uint64(b.source), uint64(source), uint64(b.target), uint64(target))
	}
	add(0, 0)
	for _, m := range b.memory {
		add(m.SrcAccessMask, m.DstAccessMask)
	}
	for _, m := range b.buffers {
		d := add(m.SrcAccessMask, m.DstAccessMask)
		d.Buffer, d.Offset, d.Size = buffers.get(uint64(m.Buffer)), m.Offset, m.Size
	}
	for _, m := range b.images {
		add(m.SrcAccessMask, m.DstAccessMask).Image = images.get(uint64(m.Image))
	}
	return list
}

// barrier records vkCmdPipelineBarrier.
func (c *commandBuffer) barrier(a *abi.CmdPipelineBarrierArgs) {
	b := barrierLists{
		a.SrcStageMask, a.DstStageMask, array(a.PMemoryBarriers, a.MemoryBarrierCount),
		array(a.PBufferMemoryBarriers, a.BufferMemoryBarrierCount), array(a.PImageMemoryBarriers, a.ImageMemoryBarrierCount),
	}
	c.vk.Barrier(b.dependencies(c)...)
	b.transitions(c)
}

// transitions records the changes of layouts.
func (b *barrierLists) transitions(c *commandBuffer) {
	for i := range b.images {
		m := &b.images[i]
		c.transition(m.Image, &m.SubresourceRange, m.OldLayout, m.NewLayout)
	}
}

// transition records the change of a layout. A barrier between equal layouts changes none.
func (c *commandBuffer) transition(image abi.Image, r *abi.ImageSubresourceRange, from, to uint32) {
	if m := images.get(uint64(image)); m != nil && from != to {
		c.vk.Transition(m, imageRange(r), vk.ImageLayout(to))
	}
}

// transitionsOf records the changes of layouts of an information.
func (c *commandBuffer) transitionsOf(i *abi.DependencyInfo) {
	if i == nil {
		return
	}
	list := array(i.PImageMemoryBarriers, i.ImageMemoryBarrierCount)
	for n := range list {
		m := &list[n]
		c.transition(m.Image, &m.SubresourceRange, m.OldLayout, m.NewLayout)
	}
}

// waitEvents records vkCmdWaitEvents: each event has the same barriers.
func (c *commandBuffer) waitEvents(a *abi.CmdWaitEventsArgs) {
	b := barrierLists{
		a.SrcStageMask, a.DstStageMask, array(a.PMemoryBarriers, a.MemoryBarrierCount),
		array(a.PBufferMemoryBarriers, a.BufferMemoryBarrierCount), array(a.PImageMemoryBarriers, a.ImageMemoryBarrierCount),
	}
	list := b.dependencies(c)
	for _, h := range array(a.PEvents, a.EventCount) {
		if e := events.get(uint64(h)); e != nil {
			c.vk.WaitEvent(e, list...)
		}
	}
	b.transitions(c)
}

// barrier2 records vkCmdPipelineBarrier2.
func (c *commandBuffer) barrier2(i *abi.DependencyInfo) {
	c.vk.Barrier(c.dependenciesOf(i)...)
	c.transitionsOf(i)
}

// dependenciesOf returns the dependencies of an information, if the device compares commands. One without barriers orders nothing.
func (c *commandBuffer) dependenciesOf(i *abi.DependencyInfo) dependencies {
	if c.device == nil || !c.device.comparesCommands || i == nil {
		return nil
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
	return list
}

package driver

import (
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Commands run in order and memory is coherent: a barrier has no stages, no accesses and no layouts.
var syncCommands = map[int]recorder{
	abi.CmdCmdPipelineBarrier:  rec(func(c *commandBuffer, a *abi.CmdPipelineBarrierArgs) { c.vk.Barrier() }),
	abi.CmdCmdPipelineBarrier2: rec(func(c *commandBuffer, a *abi.CmdPipelineBarrier2Args) { c.vk.Barrier() }),
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

func eventList(handles []abi.Event) (out []*vk.Event) {
	for _, h := range handles {
		if e := events.get(uint64(h)); e != nil {
			out = append(out, e)
		}
	}
	return out
}

package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var queueCalls = map[int]call{
	abi.CmdQueueWaitIdle:            on(queueWaitIdle),
	abi.CmdQueueSubmit:              on(queueSubmit),
	abi.CmdQueueSubmit2:             on(queueSubmit2),
	abi.CmdCreateFence:              on(createFence),
	abi.CmdDestroyFence:             run(func(a *abi.DestroyFenceArgs) { destroy(&fences, uint64(a.Fence)) }),
	abi.CmdResetFences:              on(resetFences),
	abi.CmdGetFenceStatus:           on(getFenceStatus),
	abi.CmdWaitForFences:            on(waitForFences),
	abi.CmdCreateSemaphore:          on(createSemaphore),
	abi.CmdDestroySemaphore:         run(func(a *abi.DestroySemaphoreArgs) { destroy(&semaphores, uint64(a.Semaphore)) }),
	abi.CmdGetSemaphoreCounterValue: on(getSemaphoreCounterValue),
	abi.CmdSignalSemaphore:          on(signalSemaphore),
	abi.CmdWaitSemaphores:           on(waitSemaphores),
	abi.CmdCreateEvent:              on(createEvent),
	abi.CmdDestroyEvent:             run(func(a *abi.DestroyEventArgs) { destroy(&events, uint64(a.Event)) }),
	abi.CmdGetEventStatus:           on(getEventStatus),
	abi.CmdSetEvent:                 on(setEvent),
	abi.CmdResetEvent:               on(resetEvent),
}

func queueWaitIdle(a *abi.QueueWaitIdleArgs) abi.Result {
	q := queueOf(a.Queue)
	if q == nil {
		return abi.ErrorDeviceLost
	}
	if err := q.vk.WaitIdle(forever); err != nil {
		return q.device.result(err, q)
	}
	return q.device.result(q.device.vk.Err(), q)
}

// submitFence submits nothing but a fence.
func (q *queue) submitFence(f *vk.Fence) abi.Result {
	if f == nil {
		return abi.Success
	}
	return q.device.result(q.vk.Submit(vk.SubmitInfo{Fence: f}), q)
}

func queueSubmit(a *abi.QueueSubmitArgs) abi.Result {
	q := queueOf(a.Queue)
	if q == nil {
		return abi.ErrorDeviceLost
	}
	submits, fence := array(a.PSubmits, a.SubmitCount), fences.get(uint64(a.Fence))
	for i := range submits {
		s := &submits[i]
		info := vk.SubmitInfo{}
		t := abi.Find[abi.TimelineSemaphoreSubmitInfo](s.PNext, abi.StructureTypeTimelineSemaphoreSubmitInfo)
		var waits, signals []uint64
		if t != nil {
			waits, signals = array(t.PWaitSemaphoreValues, t.WaitSemaphoreValueCount), array(t.PSignalSemaphoreValues, t.SignalSemaphoreValueCount)
		}
		info.Wait = semaphoreValues(array(s.PWaitSemaphores, s.WaitSemaphoreCount), waits)
		if stages := array(s.PWaitDstStageMask, s.WaitSemaphoreCount); len(stages) == len(info.Wait) {
			info.WaitStages = each(stages, func(x *uint32) uint64 { return uint64(*x) })
		}
		info.Signal = semaphoreValues(array(s.PSignalSemaphores, s.SignalSemaphoreCount), signals)
		for _, h := range array(s.PCommandBuffers, s.CommandBufferCount) {
			if c := commandBufferOf(h); c != nil {
				info.Commands = append(info.Commands, c.vk)
			}
		}
		if i == len(submits)-1 {
			info.Fence, fence = fence, nil
		}
		if err := q.vk.Submit(info); err != nil {
			return q.device.result(err, q)
		}
	}
	return q.submitFence(fence)
}

// semaphoreValues pairs semaphores with values; a binary semaphore has none.
func semaphoreValues(list []abi.Semaphore, values []uint64) (out []vk.SemaphoreValue) {
	for i, h := range list {
		v := vk.SemaphoreValue{Semaphore: semaphores.get(uint64(h))}
		if i < len(values) {
			v.Value = values[i]
		}
		if v.Semaphore != nil {
			out = append(out, v)
		}
	}
	return out
}

func queueSubmit2(a *abi.QueueSubmit2Args) abi.Result {
	q := queueOf(a.Queue)
	if q == nil {
		return abi.ErrorDeviceLost
	}
	submits, fence := array(a.PSubmits, a.SubmitCount), fences.get(uint64(a.Fence))
	for i := range submits {
		s := &submits[i]
		var info vk.SubmitInfo
		info.Wait, info.WaitStages = semaphoreInfos(array(s.PWaitSemaphoreInfos, s.WaitSemaphoreInfoCount))
		info.Signal, info.SignalStages = semaphoreInfos(array(s.PSignalSemaphoreInfos, s.SignalSemaphoreInfoCount))
		for _, h := range array(s.PCommandBufferInfos, s.CommandBufferInfoCount) {
			if c := commandBufferOf(h.CommandBuffer); c != nil {
				info.Commands = append(info.Commands, c.vk)
			}
		}
		if i == len(submits)-1 {
			info.Fence, fence = fence, nil
		}
		if err := q.vk.Submit(info); err != nil {
			return q.device.result(err, q)
		}
	}
	return q.submitFence(fence)
}

// semaphoreInfos returns semaphores with values, and the stages of each.
func semaphoreInfos(list []abi.SemaphoreSubmitInfo) (out []vk.SemaphoreValue, stages []uint64) {
	for _, i := range list {
		if s := semaphores.get(uint64(i.Semaphore)); s != nil {
			out, stages = append(out, vk.SemaphoreValue{Semaphore: s, Value: i.Value}), append(stages, i.StageMask)
		}
	}
	return out, stages
}

// createSemaphore makes a binary semaphore, or a timeline.
func createSemaphore(a *abi.CreateSemaphoreArgs) abi.Result {
	d := deviceOf(a.Device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	t := abi.Find[abi.SemaphoreTypeCreateInfo](a.PCreateInfo.PNext, abi.StructureTypeSemaphoreTypeCreateInfo)
	var s *vk.Semaphore
	var err error
	if t != nil && t.SemaphoreType == abi.SemaphoreTypeTimeline {
		s, err = d.vk.NewSemaphore(t.InitialValue)
	} else {
		s, err = d.vk.NewBinarySemaphore()
	}
	return created(d, &semaphores, s, err, unsafe.Pointer(a.PSemaphore))
}

package driver

import (
	"context"
	"time"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// forever has no deadline: a wait ends when the device is lost.
var forever = context.Background()

// timeout returns a context for a timeout in nanoseconds, and the function that ends it.
func timeout(ns uint64) (context.Context, context.CancelFunc) {
	if ns > uint64(1<<62) {
		return forever, func() {}
	}
	return context.WithTimeout(forever, time.Duration(ns))
}

func createFence(a *abi.CreateFenceArgs) abi.Result {
	d := deviceOf(a.Device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	f, err := d.vk.NewFence(a.PCreateInfo.Flags&abi.FenceCreateSignaledBit != 0)
	return created(d, &fences, f, err, unsafe.Pointer(a.PFence))
}

// fenceList returns the fences of handles; stale ones are left out.
func fenceList(handles []abi.Fence) (out []*vk.Fence) {
	for _, h := range handles {
		if f := fences.get(uint64(h)); f != nil {
			out = append(out, f)
		}
	}
	return out
}

func resetFences(a *abi.ResetFencesArgs) abi.Result {
	d := deviceOf(a.Device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	return d.result(d.vk.ResetFences(fenceList(array(a.PFences, a.FenceCount))...))
}

func getFenceStatus(a *abi.GetFenceStatusArgs) abi.Result {
	d, f := deviceOf(a.Device), fences.get(uint64(a.Fence))
	switch {
	case f != nil && f.Signaled():
		return abi.Success
	case d == nil:
		return abi.ErrorDeviceLost
	case d.vk.Err() != nil:
		return d.result(d.vk.Err())
	}
	return abi.NotReady
}

func waitForFences(a *abi.WaitForFencesArgs) abi.Result {
	d := deviceOf(a.Device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	list := fenceList(array(a.PFences, a.FenceCount))
	if a.Timeout == 0 {
		return poll(d, a.WaitAll != 0, len(list), func(i int) bool { return list[i].Signaled() })
	}
	ctx, end := timeout(a.Timeout)
	defer end()
	return d.result(d.vk.WaitFences(ctx, a.WaitAll != 0, list...))
}

// poll answers a wait without time.
func poll(d *device, all bool, n int, done func(int) bool) abi.Result {
	count := 0
	for i := range n {
		if done(i) {
			count++
		}
	}
	switch {
	case count == n || !all && count > 0:
		return abi.Success
	case d.vk.Err() != nil:
		return d.result(d.vk.Err())
	}
	return abi.Timeout
}

func getSemaphoreCounterValue(a *abi.GetSemaphoreCounterValueArgs) abi.Result {
	d, s := deviceOf(a.Device), semaphores.get(uint64(a.Semaphore))
	if d == nil || s == nil {
		return abi.ErrorDeviceLost
	}
	*a.PValue = s.Value()
	return d.result(d.vk.Err())
}

func signalSemaphore(a *abi.SignalSemaphoreArgs) abi.Result {
	s := semaphores.get(uint64(a.PSignalInfo.Semaphore))
	if s == nil {
		return abi.ErrorDeviceLost
	}
	return deviceOf(a.Device).result(s.Signal(a.PSignalInfo.Value))
}

func waitSemaphores(a *abi.WaitSemaphoresArgs) abi.Result {
	d, w := deviceOf(a.Device), a.PWaitInfo
	if d == nil {
		return abi.ErrorDeviceLost
	}
	list := semaphoreValues(array(w.PSemaphores, w.SemaphoreCount), array(w.PValues, w.SemaphoreCount))
	all := w.Flags&abi.SemaphoreWaitAnyBit == 0
	if a.Timeout == 0 {
		return poll(d, all, len(list), func(i int) bool { return list[i].Semaphore.Value() >= list[i].Value })
	}
	ctx, end := timeout(a.Timeout)
	defer end()
	return d.result(d.vk.WaitSemaphores(ctx, all, list...))
}

func createEvent(a *abi.CreateEventArgs) abi.Result {
	d := deviceOf(a.Device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	e, err := d.vk.NewEvent()
	return created(d, &events, e, err, unsafe.Pointer(a.PEvent))
}

func getEventStatus(a *abi.GetEventStatusArgs) abi.Result {
	switch e := events.get(uint64(a.Event)); {
	case e == nil:
		return abi.ErrorDeviceLost
	case e.IsSet():
		return abi.EventSet
	}
	return abi.EventReset
}

func setEvent(a *abi.SetEventArgs) abi.Result {
	e := events.get(uint64(a.Event))
	if e == nil {
		return abi.ErrorDeviceLost
	}
	return deviceOf(a.Device).result(e.Set())
}

func resetEvent(a *abi.ResetEventArgs) abi.Result {
	e := events.get(uint64(a.Event))
	if e == nil {
		return abi.ErrorDeviceLost
	}
	return deviceOf(a.Device).result(e.Reset())
}

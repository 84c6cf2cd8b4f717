package driver

import (
	"cmp"
	"time"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// presentInfo has the parts of the chain of a VkPresentInfoKHR for one of its swapchains.
type presentInfo struct {
	number uint64    // of VK_KHR_present_id; 0 without one
	fence  *vk.Fence // that is signaled when the semaphores of the present are free
	mode   *uint32   // nil for the mode of the swapchain
	time   abi.PresentTimeGOOGLE
}

// presentation reads the chain of a present for swapchain n.
func presentation(chain unsafe.Pointer, n int) (out presentInfo) {
	abi.Chain(chain, func(sType uint32, p unsafe.Pointer) {
		switch sType {
		case abi.StructureTypePresentIdKHR, abi.StructureTypePresentId2KHR: // of one layout
			x := (*abi.PresentIdKHR)(p)
			if l := array(x.PPresentIds, x.SwapchainCount); n < len(l) {
				out.number = l[n]
			}
		case abi.StructureTypeSwapchainPresentFenceInfoKHR:
			x := (*abi.SwapchainPresentFenceInfoKHR)(p)
			if l := array(x.PFences, x.SwapchainCount); n < len(l) {
				out.fence = fences.get(uint64(l[n]))
			}
		case abi.StructureTypeSwapchainPresentModeInfoKHR:
			x := (*abi.SwapchainPresentModeInfoKHR)(p)
			if l := array(x.PPresentModes, x.SwapchainCount); n < len(l) {
				mode := l[n]
				out.mode = &mode
			}
		case abi.StructureTypePresentTimesInfoGOOGLE:
			x := (*abi.PresentTimesInfoGOOGLE)(p)
			if l := array(x.PTimes, x.SwapchainCount); n < len(l) {
				out.time = l[n]
			}
		}
	})
	return out
}

// usualRefresh is the refresh cycle that a surface without one reports: programs divide by it.
const usualRefresh = time.Second / 60

// replaces reports whether a later image replaces one that is not shown yet.
func replaces(mode uint32) bool {
	return mode == abi.PresentModeMailboxKHR || mode == abi.PresentModeFifoLatestReadyKHR
}

var presentCalls = map[int]call{
	abi.CmdWaitForPresentKHR: on(func(a *abi.WaitForPresentKHRArgs) abi.Result {
		return swapchains.get(uint64(a.Swapchain)).waitForPresent(a.PresentId, a.Timeout)
	}),
	abi.CmdWaitForPresent2KHR: on(func(a *abi.WaitForPresent2KHRArgs) abi.Result {
		return swapchains.get(uint64(a.Swapchain)).waitForPresent(a.PPresentWait2Info.PresentId, a.PPresentWait2Info.Timeout)
	}),
	abi.CmdGetRefreshCycleDurationGOOGLE: on(func(a *abi.GetRefreshCycleDurationGOOGLEArgs) abi.Result {
		w := swapchains.get(uint64(a.Swapchain))
		if w == nil {
			return abi.ErrorSurfaceLostKHR
		}
		a.PDisplayTimingProperties.RefreshDuration = uint64(cmp.Or(w.refresh, usualRefresh))
		return abi.Success
	}),
	abi.CmdGetPastPresentationTimingGOOGLE: on(func(a *abi.GetPastPresentationTimingGOOGLEArgs) abi.Result {
		w := swapchains.get(uint64(a.Swapchain))
		if w == nil {
			return abi.ErrorSurfaceLostKHR
		}
		return w.pastTimings(a.PPresentationTimingCount, a.PPresentationTimings)
	}),
	abi.CmdReleaseSwapchainImagesKHR: on(func(a *abi.ReleaseSwapchainImagesKHRArgs) abi.Result {
		w := swapchains.get(uint64(a.PReleaseInfo.Swapchain))
		if w == nil {
			return abi.ErrorSurfaceLostKHR
		}
		for _, n := range array(a.PReleaseInfo.PImageIndices, a.PReleaseInfo.ImageIndexCount) {
			if x := w.take(n); x != nil {
				w.release(x)
			}
		}
		return abi.Success
	}),
}

// waitForPresent waits until a present of a number, or a later one, is shown. A retired swapchain still shows the images that
// were presented before.
func (w *swapchain) waitForPresent(number, nanoseconds uint64) abi.Result {
	if w == nil {
		return abi.ErrorOutOfDateKHR
	}
	ctx, end := timeout(nanoseconds)
	defer end()
	for {
		w.mu.Lock()
		changed, shown, failed := w.changed, w.shown, w.failed
		w.mu.Unlock()
		switch {
		case shown >= number:
			return abi.Success
		case failed != abi.Success:
			return failed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return abi.Timeout
		case <-time.After(lossInterval):
			if err := w.device.vk.Err(); err != nil {
				return w.device.result(err)
			}
		}
	}
}

// maxTimings bounds the times of presents that the application has not read: the last ones.
const maxTimings = 64

// await waits until the desired time of a present: it is not shown before, unless the swapchain ends.
func (w *swapchain) await(x *swapImage) {
	for d := x.time.DesiredPresentTime; d > monotonic() && !w.isRetired(); {
		time.Sleep(time.Duration(min(d-monotonic(), uint64(lossInterval))))
	}
}

// note adds the time of a present. w.mu is held.
func (w *swapchain) note(x *swapImage) {
	if x.time == (abi.PresentTimeGOOGLE{}) {
		return
	}
	if len(w.timings) == maxTimings {
		w.timings = append(w.timings[:0], w.timings[1:]...)
	}
	now := monotonic()
	w.timings = append(w.timings, abi.PastPresentationTimingGOOGLE{PresentID: x.time.PresentID, DesiredPresentTime: x.time.DesiredPresentTime, ActualPresentTime: now, EarliestPresentTime: now})
}

// pastTimings answers a query for the times of presents. Those that are read are dropped.
func (w *swapchain) pastTimings(count *uint32, to *abi.PastPresentationTimingGOOGLE) abi.Result {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := list(count, to, w.timings, func(to *abi.PastPresentationTimingGOOGLE, t abi.PastPresentationTimingGOOGLE) { *to = t })
	if to != nil {
		w.timings = append(w.timings[:0], w.timings[*count:]...)
	}
	return r
}

// capabilities2 writes the limits of swapchains, which are the same for all modes, and the extensions of the struct.
func (s *surface) capabilities2(query unsafe.Pointer, to *abi.SurfaceCapabilities2KHR) abi.Result {
	r := s.capabilities(&to.SurfaceCapabilities)
	if r != abi.Success {
		return r
	}
	mode := abi.Find[abi.SurfacePresentModeKHR](query, abi.StructureTypeSurfacePresentModeKHR)
	abi.Chain(to.PNext, func(sType uint32, p unsafe.Pointer) {
		switch sType {
		case abi.StructureTypeSurfacePresentModeCompatibilityKHR: // a present may have any mode
			x := (*abi.SurfacePresentModeCompatibilityKHR)(p)
			list(&x.PresentModeCount, x.PPresentModes, compatibleModes(mode), func(to *uint32, m uint32) { *to = m })
		case abi.StructureTypeSurfacePresentScalingCapabilitiesKHR: // images are not scaled
			x := (*abi.SurfacePresentScalingCapabilitiesKHR)(p)
			x.SupportedPresentScaling, x.SupportedPresentGravityX, x.SupportedPresentGravityY = 0, 0, 0
			x.MinScaledImageExtent, x.MaxScaledImageExtent = to.SurfaceCapabilities.MinImageExtent, to.SurfaceCapabilities.MaxImageExtent
		case abi.StructureTypeSurfaceCapabilitiesPresentId2KHR:
			(*abi.SurfaceCapabilitiesPresentId2KHR)(p).PresentId2Supported = abi.True
		case abi.StructureTypeSurfaceCapabilitiesPresentWait2KHR:
			(*abi.SurfaceCapabilitiesPresentWait2KHR)(p).PresentWait2Supported = abi.True
		case abi.StructureTypeSurfaceProtectedCapabilitiesKHR:
			(*abi.SurfaceProtectedCapabilitiesKHR)(p).SupportsProtected = abi.False
		}
	})
	return r
}

// compatibleModes are the modes between which a swapchain of a mode can switch: its own first.
func compatibleModes(mode *abi.SurfacePresentModeKHR) []uint32 {
	if mode == nil {
		return nil
	}
	out := []uint32{mode.PresentMode}
	for _, m := range presentModes {
		if m != mode.PresentMode {
			out = append(out, m)
		}
	}
	return out
}

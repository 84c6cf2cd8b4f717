package driver

import (
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/internal/wsi"
)

// TestWaylandSurface clears and presents an image of a window of Wayland by a FIFO: the compositor has the pixels before the swapchain
// ends, the FIFO waits for the second frame until the compositor asks for it, and the window closes with its last user. A host without
// the client library has no such windows.
func TestWaylandSurface(t *testing.T) {
	p := newProgram(t)
	var pixels []byte
	var waits, early, shown, closed atomic.Int32
	calls := wsi.Wayland{
		Open:  func(_, surface unsafe.Pointer) unsafe.Pointer { return surface },
		Close: func(unsafe.Pointer) { closed.Add(1) },
		NewBuffer: func(_ unsafe.Pointer, file, width, height int) unsafe.Pointer {
			pixels, _ = unix.Mmap(file, 0, width*height*wsi.BytesPerPixel, unix.PROT_READ, unix.MAP_SHARED)
			return unsafe.Pointer(&pixels)
		},
		FreeBuffer: func(unsafe.Pointer) {},
		Busy:       func(unsafe.Pointer) bool { return false },
		Show: func(_, _ unsafe.Pointer) bool {
			if waits.Swap(3) > 0 {
				early.Add(1)
			}
			shown.Add(1)
			return true
		},
		Waiting: func(unsafe.Pointer) bool { return waits.Load() > 0 },
		Wait:    func(unsafe.Pointer, int) bool { waits.Add(-1); return true },
	}
	var surface abi.SurfaceKHR
	args := &abi.CreateWaylandSurfaceKHRArgs{Instance: p.instance, PCreateInfo: &abi.WaylandSurfaceCreateInfoKHR{Display: unsafe.Pointer(&calls), Surface: unsafe.Pointer(&waits)}, PSurface: &surface}
	if r := do(abi.CmdCreateWaylandSurfaceKHR, args); r != abi.ErrorUnknown || surface != 0 {
		t.Errorf("without the library the result is %d", r)
	}
	defer func(before wsi.Wayland) { host.Wayland = before }(host.Wayland)
	host.Wayland = calls
	must(p, abi.CmdCreateWaylandSurfaceKHR, args)
	info := abi.SwapchainCreateInfoKHR{Surface: surface, MinImageCount: 2, ImageFormat: abi.FormatB8g8r8a8Unorm, ImageExtent: abi.Extent2D{Width: 5, Height: 4}, ImageArrayLayers: 1, ImageUsage: abi.ImageUsageTransferDstBit, PresentMode: abi.PresentModeFifoKHR}
	var chain abi.SwapchainKHR
	must(p, abi.CmdCreateSwapchainKHR, &abi.CreateSwapchainKHRArgs{Device: p.device, PCreateInfo: &info, PSwapchain: &chain})
	n := uint32(2)
	var images [2]abi.Image
	must(p, abi.CmdGetSwapchainImagesKHR, &abi.GetSwapchainImagesKHRArgs{Device: p.device, Swapchain: chain, PSwapchainImageCount: &n, PSwapchainImages: &images[0]})
	for range 2 {
		var index uint32
		var acquired abi.Semaphore
		must(p, abi.CmdCreateSemaphore, &abi.CreateSemaphoreArgs{Device: p.device, PCreateInfo: &abi.SemaphoreCreateInfo{}, PSemaphore: &acquired})
		must(p, abi.CmdAcquireNextImageKHR, &abi.AcquireNextImageKHRArgs{Device: p.device, Swapchain: chain, Timeout: abi.WholeSize, Semaphore: acquired, PImageIndex: &index})
		_, c := p.commands()
		must(p, abi.CmdBeginCommandBuffer, &abi.BeginCommandBufferArgs{CommandBuffer: c, PBeginInfo: &abi.CommandBufferBeginInfo{}})
		do(abi.CmdCmdClearColorImage, &abi.CmdClearColorImageArgs{CommandBuffer: c, Image: images[index], PColor: &abi.ClearColorValue{0, oneF}, RangeCount: 1, PRanges: &abi.ImageSubresourceRange{AspectMask: abi.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}})
		must(p, abi.CmdEndCommandBuffer, &abi.EndCommandBufferArgs{CommandBuffer: c})
		must(p, abi.CmdQueueSubmit, &abi.QueueSubmitArgs{Queue: p.queue, SubmitCount: 1, PSubmits: &abi.SubmitInfo{WaitSemaphoreCount: 1, PWaitSemaphores: &acquired, CommandBufferCount: 1, PCommandBuffers: &c}})
		must(p, abi.CmdQueuePresentKHR, &abi.QueuePresentKHRArgs{Queue: p.queue, PPresentInfo: &abi.PresentInfoKHR{SwapchainCount: 1, PSwapchains: &chain, PImageIndices: &index}})
	}
	do(abi.CmdDestroySurfaceKHR, &abi.DestroySurfaceKHRArgs{Instance: p.instance, Surface: surface})
	if closed.Load() != 0 {
		t.Error("the window is closed before its swapchain")
	}
	do(abi.CmdDestroySwapchainKHR, &abi.DestroySwapchainKHRArgs{Device: p.device, Swapchain: chain})
	if shown.Load() != 2 || closed.Load() != 1 {
		t.Fatalf("%d frames are shown, and the window is closed %d times", shown.Load(), closed.Load())
	}
	if early.Load() != 0 {
		t.Error("the second frame is shown before the compositor asks for it")
	}
	if len(pixels) != 5*4*wsi.BytesPerPixel || pixels[0] != 0 || pixels[1] != 255 || pixels[2] != 0 {
		t.Errorf("the pixels are %v", pixels)
	}
}

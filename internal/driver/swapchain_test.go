package driver

import (
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/internal/wsi"
)

// TestSwapchain clears and presents three images of a headless surface: each is a file with its color, in order. An acquire
// without free images times out, a retired swapchain has none and shows none, and a window has one swapchain at a time.
func TestSwapchain(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("CHIARO_PRESENT", folder)
	p := newProgram(t)
	var surface abi.SurfaceKHR
	must(p, abi.CmdCreateHeadlessSurfaceEXT, &abi.CreateHeadlessSurfaceEXTArgs{Instance: p.instance, PSurface: &surface})
	info := abi.SwapchainCreateInfoKHR{Surface: surface, MinImageCount: 2, ImageFormat: abi.FormatB8g8r8a8Unorm, ImageExtent: abi.Extent2D{Width: 5, Height: 4}, ImageArrayLayers: 1, ImageUsage: abi.ImageUsageTransferDstBit, PresentMode: abi.PresentModeImmediateKHR}
	var chain abi.SwapchainKHR
	must(p, abi.CmdCreateSwapchainKHR, &abi.CreateSwapchainKHRArgs{Device: p.device, PCreateInfo: &info, PSwapchain: &chain})
	n := uint32(2)
	var images [2]abi.Image
	must(p, abi.CmdGetSwapchainImagesKHR, &abi.GetSwapchainImagesKHRArgs{Device: p.device, Swapchain: chain, PSwapchainImageCount: &n, PSwapchainImages: &images[0]})
	_, c := p.commands()
	var acquired, drawn abi.Semaphore
	for _, s := range []*abi.Semaphore{&acquired, &drawn} {
		must(p, abi.CmdCreateSemaphore, &abi.CreateSemaphoreArgs{Device: p.device, PCreateInfo: &abi.SemaphoreCreateInfo{}, PSemaphore: s})
	}
	colors := []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}}
	for _, k := range colors {
		var index uint32
		must(p, abi.CmdAcquireNextImageKHR, &abi.AcquireNextImageKHRArgs{Device: p.device, Swapchain: chain, Timeout: abi.WholeSize, Semaphore: acquired, PImageIndex: &index})
		must(p, abi.CmdBeginCommandBuffer, &abi.BeginCommandBufferArgs{CommandBuffer: c, PBeginInfo: &abi.CommandBufferBeginInfo{}})
		clear := abi.ClearColorValue{}
		for i, v := range []uint8{k.R, k.G, k.B, k.A} {
			if v == 255 {
				clear[i] = oneF
			}
		}
		do(abi.CmdCmdClearColorImage, &abi.CmdClearColorImageArgs{CommandBuffer: c, Image: images[index], PColor: &clear, RangeCount: 1, PRanges: &abi.ImageSubresourceRange{AspectMask: abi.ImageAspectColorBit, LevelCount: 1, LayerCount: 1}})
		must(p, abi.CmdEndCommandBuffer, &abi.EndCommandBufferArgs{CommandBuffer: c})
		must(p, abi.CmdQueueSubmit, &abi.QueueSubmitArgs{Queue: p.queue, SubmitCount: 1, PSubmits: &abi.SubmitInfo{WaitSemaphoreCount: 1, PWaitSemaphores: &acquired, CommandBufferCount: 1, PCommandBuffers: &c, SignalSemaphoreCount: 1, PSignalSemaphores: &drawn}})
		must(p, abi.CmdQueuePresentKHR, &abi.QueuePresentKHRArgs{Queue: p.queue, PPresentInfo: &abi.PresentInfoKHR{WaitSemaphoreCount: 1, PWaitSemaphores: &drawn, SwapchainCount: 1, PSwapchains: &chain, PImageIndices: &index}})
		must(p, abi.CmdDeviceWaitIdle, &abi.DeviceWaitIdleArgs{Device: p.device})
	}
	var index uint32
	for range 2 {
		must(p, abi.CmdAcquireNextImageKHR, &abi.AcquireNextImageKHRArgs{Device: p.device, Swapchain: chain, Timeout: abi.WholeSize, Semaphore: acquired, PImageIndex: &index})
		must(p, abi.CmdQueueSubmit, &abi.QueueSubmitArgs{Queue: p.queue, SubmitCount: 1, PSubmits: &abi.SubmitInfo{WaitSemaphoreCount: 1, PWaitSemaphores: &acquired}})
	}
	for timeout, want := range map[uint64]abi.Result{0: abi.NotReady, 1000: abi.Timeout} {
		if r := do(abi.CmdAcquireNextImageKHR, &abi.AcquireNextImageKHRArgs{Device: p.device, Swapchain: chain, Timeout: timeout, Semaphore: acquired, PImageIndex: &index}); r != want {
			t.Errorf("an acquire without free images returns %d; must be %d", r, want)
		}
	}
	info.OldSwapchain = chain
	var next abi.SwapchainKHR
	must(p, abi.CmdCreateSwapchainKHR, &abi.CreateSwapchainKHRArgs{Device: p.device, PCreateInfo: &info, PSwapchain: &next})
	if r := do(abi.CmdAcquireNextImageKHR, &abi.AcquireNextImageKHRArgs{Device: p.device, Swapchain: chain, Timeout: abi.WholeSize, Semaphore: acquired, PImageIndex: &index}); r != abi.ErrorOutOfDateKHR {
		t.Errorf("an acquire of a retired swapchain returns %d", r)
	}
	present := func(chain abi.SwapchainKHR) abi.Result {
		return do(abi.CmdQueuePresentKHR, &abi.QueuePresentKHRArgs{Queue: p.queue, PPresentInfo: &abi.PresentInfoKHR{SwapchainCount: 1, PSwapchains: &chain, PImageIndices: &index}})
	}
	if r := present(chain); r != abi.ErrorOutOfDateKHR {
		t.Errorf("a present of a retired swapchain returns %d", r)
	}
	if r := present(next); r != abi.ErrorValidationFailed {
		t.Errorf("a present of an image that is not acquired returns %d", r)
	}
	second := abi.SwapchainKHR(1)
	info.OldSwapchain = 0
	if r := do(abi.CmdCreateSwapchainKHR, &abi.CreateSwapchainKHRArgs{Device: p.device, PCreateInfo: &info, PSwapchain: &second}); r != abi.ErrorNativeWindowInUseKHR || second != 0 {
		t.Errorf("a second swapchain of a window: %d, handle %#x", r, second)
	}
	var area abi.Rect2D
	count := uint32(1)
	must(p, abi.CmdGetPhysicalDevicePresentRectanglesKHR, &abi.GetPhysicalDevicePresentRectanglesKHRArgs{Surface: surface, PRectCount: &count, PRects: &area})
	if area.Extent != (abi.Extent2D{Width: wsi.MaxExtent, Height: wsi.MaxExtent}) {
		t.Errorf("the rectangle of a headless surface is %v", area)
	}
	do(abi.CmdDestroySwapchainKHR, &abi.DestroySwapchainKHRArgs{Device: p.device, Swapchain: chain})
	do(abi.CmdDestroySwapchainKHR, &abi.DestroySwapchainKHRArgs{Device: p.device, Swapchain: next})
	must(p, abi.CmdCreateSwapchainKHR, &abi.CreateSwapchainKHRArgs{Device: p.device, PCreateInfo: &info, PSwapchain: &second})
	do(abi.CmdDestroySurfaceKHR, &abi.DestroySurfaceKHRArgs{Instance: p.instance, Surface: surface})
	do(abi.CmdDestroySwapchainKHR, &abi.DestroySwapchainKHRArgs{Device: p.device, Swapchain: second})
	for i, k := range colors {
		if got := framePixel(t, folder, i+1); got != k {
			t.Errorf("frame %d is %v; must be %v", i+1, got, k)
		}
	}
}

// framePixel returns the first pixel of a frame.
func framePixel(t *testing.T, folder string, number int) color.NRGBA {
	f, err := os.Open(filepath.Join(folder, "frame-0000"+string(rune('0'+number))+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return color.NRGBAModel.Convert(m.At(4, 3)).(color.NRGBA)
}

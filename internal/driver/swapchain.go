package driver

import (
	"context"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/internal/wsi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// swapchain is a VkSwapchainKHR. A goroutine shows presented images in order and returns them to the free ones.
type swapchain struct {
	device  *device
	surface *surface
	before  *swapchain // the one that it replaced: its images are shown first
	size    abi.Extent2D
	mode    uint32
	refresh time.Duration // between two images of a FIFO; 0 if the surface has no vertical blank
	images  []*swapImage

	mu      sync.Mutex
	free    []*swapImage  // in the order in which they were shown
	changed chan struct{} // closed and replaced when free, retired or failed changes
	retired bool          // another swapchain replaced it, or it is closed: presented is closed
	failed  abi.Result    // of a present
	shown   uint64        // the largest number of a present that is shown
	timings []abi.PastPresentationTimingGOOGLE

	presented chan *swapImage // with space for all images
	ended     sync.WaitGroup
}

// swapImage is an image of a swapchain over memory of the surface.
type swapImage struct {
	index  uint32
	owned  bool   // acquired by the application; swapchain.mu guards it
	number uint64 // of its present; 0 without one
	mode   uint32 // of its present
	time   abi.PresentTimeGOOGLE
	vk     *vk.Image
	memory *vk.Memory
	handle uint64
	shown  wsi.Image
	done   *vk.Fence // of the commands before its present
}

var swapchains table[swapchain]

var swapchainCalls = map[int]call{
	abi.CmdCreateSwapchainKHR:    on(createSwapchain),
	abi.CmdDestroySwapchainKHR:   run(func(a *abi.DestroySwapchainKHRArgs) { destroy(&swapchains, uint64(a.Swapchain)) }),
	abi.CmdGetSwapchainImagesKHR: on(getSwapchainImages),
	abi.CmdAcquireNextImageKHR: on(func(a *abi.AcquireNextImageKHRArgs) abi.Result {
		return swapchains.get(uint64(a.Swapchain)).acquire(a.Timeout, a.Semaphore, a.Fence, a.PImageIndex)
	}),
	abi.CmdAcquireNextImage2KHR: on(func(a *abi.AcquireNextImage2KHRArgs) abi.Result {
		i := a.PAcquireInfo
		return swapchains.get(uint64(i.Swapchain)).acquire(i.Timeout, i.Semaphore, i.Fence, a.PImageIndex)
	}),
	abi.CmdQueuePresentKHR: on(queuePresent),
	abi.CmdGetDeviceGroupPresentCapabilitiesKHR: on(func(a *abi.GetDeviceGroupPresentCapabilitiesKHRArgs) abi.Result {
		c := a.PDeviceGroupPresentCapabilities
		c.PresentMask, c.Modes = [32]uint32{1}, abi.DeviceGroupPresentModeLocalBitKHR
		return abi.Success
	}),
	abi.CmdGetDeviceGroupSurfacePresentModesKHR: on(func(a *abi.GetDeviceGroupSurfacePresentModesKHRArgs) abi.Result {
		*a.PModes = abi.DeviceGroupPresentModeLocalBitKHR
		return abi.Success
	}),
}

// Bounds of the number of images.
const (
	leastImages = 2
	mostImages  = 16
)

func createSwapchain(a *abi.CreateSwapchainKHRArgs) abi.Result {
	d, i := deviceOf(a.Device), a.PCreateInfo
	*a.PSwapchain = 0
	if d == nil {
		return abi.ErrorDeviceLost
	}
	s := surfaces.get(uint64(i.Surface))
	if s == nil {
		return abi.ErrorSurfaceLostKHR
	}
	old := swapchains.get(uint64(i.OldSwapchain))
	if old != nil {
		old.retire() // also if the creation fails
	}
	w := &swapchain{device: d, surface: s, before: old, size: i.ImageExtent, mode: i.PresentMode, refresh: s.Refresh(), changed: make(chan struct{}), presented: make(chan *swapImage, mostImages)}
	if !s.attach(w) {
		return abi.ErrorNativeWindowInUseKHR
	}
	for range min(max(i.MinImageCount, leastImages), mostImages) {
		if r := w.addImage(i); r != abi.Success {
			w.closeImages()
			return r
		}
	}
	w.free = append(w.free, w.images...)
	w.ended.Add(1)
	go w.show()
	return created(d, &swapchains, w, nil, unsafe.Pointer(a.PSwapchain))
}

// addImage makes an image over memory of the surface.
func (w *swapchain) addImage(i *abi.SwapchainCreateInfoKHR) abi.Result {
	known := func(f abi.SurfaceFormatKHR) bool { return f.Format == i.ImageFormat }
	if w.size.Width == 0 || w.size.Height == 0 || max(w.size.Width, w.size.Height) > wsi.MaxExtent || !slices.ContainsFunc(surfaceFormats, known) {
		return abi.ErrorInitializationFailed
	}
	x := &swapImage{index: uint32(len(w.images))}
	w.images = append(w.images, x)
	var err error
	if x.shown, err = w.surface.NewImage(int(w.size.Width), int(w.size.Height)); err != nil {
		return surfaceResult(err)
	}
	if x.memory, err = w.device.vk.Allocate(vk.MemoryInfo{Host: x.shown.Pixels()}); err != nil {
		return w.device.result(err)
	}
	info := vk.ImageInfo{
		Type: enum.ImageType2d, Format: format(i.ImageFormat), Extent: [3]int{int(w.size.Width), int(w.size.Height), 1}, Levels: 1, Layers: int(i.ImageArrayLayers), Samples: 1,
		Usage: vk.ImageUsage(i.ImageUsage), Linear: true,
	}
	if i.Flags&abi.SwapchainCreateMutableFormatBitKHR != 0 {
		info.Flags = vk.ImageMutableFormat
	}
	if x.vk, err = w.device.vk.NewImage(info); err != nil {
		return w.device.result(err)
	}
	if err = x.vk.Bind(x.memory, 0); err != nil {
		return w.device.result(err)
	}
	if x.done, err = w.device.vk.NewFence(false); err != nil {
		return w.device.result(err)
	}
	if x.handle = images.add(x.vk); x.handle == 0 {
		return outOfHost
	}
	return abi.Success
}

// memory returns the memory of an image; nil if there is none.
func (w *swapchain) memory(index uint32) *vk.Memory {
	if w == nil || int(index) >= len(w.images) {
		return nil
	}
	return w.images[index].memory
}

// closeImages frees the images and the surface. The last image may be incomplete.
func (w *swapchain) closeImages() {
	for _, x := range w.images {
		images.remove(x.handle)
		discard(x.vk)
		discard(x.memory)
		discard(x.done)
		if x.shown != nil {
			_ = x.shown.Close()
		}
	}
	w.surface.detach(w)
}

// Close shows the images that were presented and frees the swapchain.
func (w *swapchain) Close() error {
	w.retire()
	w.ended.Wait()
	w.closeImages()
	return nil
}

// notify wakes the calls that wait for an image. w.mu is held.
func (w *swapchain) notify() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// retire ends the acquisition and the presentation of images. Images that were presented before are still shown.
func (w *swapchain) retire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.retired {
		w.retired = true
		close(w.presented)
		w.notify()
	}
}

// isRetired reports whether the swapchain is retired.
func (w *swapchain) isRetired() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.retired
}

func getSwapchainImages(a *abi.GetSwapchainImagesKHRArgs) abi.Result {
	w := swapchains.get(uint64(a.Swapchain))
	if w == nil {
		return abi.ErrorSurfaceLostKHR
	}
	return list(a.PSwapchainImageCount, a.PSwapchainImages, w.images, func(to *abi.Image, x *swapImage) { *to = abi.Image(x.handle) })
}

// acquire waits for a free image and signals that it is acquired.
func (w *swapchain) acquire(nanoseconds uint64, s abi.Semaphore, f abi.Fence, index *uint32) abi.Result {
	if w == nil {
		return abi.ErrorSurfaceLostKHR
	}
	ctx, end := timeout(nanoseconds)
	defer end()
	x, r := w.next(ctx, nanoseconds == 0)
	if x == nil {
		return r
	}
	info := vk.SubmitInfo{Fence: fences.get(uint64(f))}
	if b := semaphores.get(uint64(s)); b != nil {
		info.Signal = []vk.SemaphoreValue{{Semaphore: b}}
	}
	if err := w.device.presents.Submit(info); err != nil {
		w.release(x) // it remains free
		return w.device.result(err)
	}
	*index = x.index
	return r
}

// lossInterval is the time after which a wait for an image sees that the device is lost.
const lossInterval = 100 * time.Millisecond

// next takes the image that was free for the longest time; r is the result without one.
func (w *swapchain) next(ctx context.Context, poll bool) (x *swapImage, r abi.Result) {
	for {
		w.mu.Lock()
		changed := w.changed
		switch {
		case w.retired:
			r = abi.ErrorOutOfDateKHR
		case w.failed != abi.Success:
			r = w.failed
		case len(w.free) > 0:
			x, w.free = w.free[0], w.free[1:]
			x.owned = true
		case poll:
			r = abi.NotReady
		}
		w.mu.Unlock()
		if x != nil || r != abi.Success {
			return x, r
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, abi.Timeout
		case <-time.After(lossInterval):
			if err := w.device.vk.Err(); err != nil {
				return nil, w.device.result(err)
			}
		}
	}
}

// release makes an image free.
func (w *swapchain) release(x *swapImage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	x.owned = false
	w.free = append(w.free, x)
	w.notify()
}

func queuePresent(a *abi.QueuePresentKHRArgs) abi.Result {
	q, i := queueOf(a.Queue), a.PPresentInfo
	if q == nil {
		return abi.ErrorDeviceLost
	}
	wait := semaphoreValues(array(i.PWaitSemaphores, i.WaitSemaphoreCount), nil)
	indices, results := array(i.PImageIndices, i.SwapchainCount), array(i.PResults, i.SwapchainCount)
	result := abi.Result(abi.Success)
	for n, h := range array(i.PSwapchains, i.SwapchainCount) {
		r, waits := swapchains.get(uint64(h)).present(q, indices[n], wait, presentation(i.PNext, n))
		if waits {
			wait = nil // the first present that is submitted waits
		}
		if n < len(results) {
			results[n] = r
		}
		if result == abi.Success || r < 0 {
			result = r
		}
	}
	return result
}

// present shows an acquired image after the commands of the queue and the semaphores. It reports whether the queue waits for the
// semaphores: it also does if the swapchain is retired.
func (w *swapchain) present(q *queue, index uint32, wait []vk.SemaphoreValue, as presentInfo) (r abi.Result, waits bool) {
	if w == nil {
		return abi.ErrorOutOfDateKHR, false // a stale handle
	}
	x := w.take(index)
	if x == nil {
		return w.device.result(&vk.UsageError{Rule: "VUID-VkPresentInfoKHR-pImageIndices-01430", Message: "the image of a present is not acquired"}), false
	}
	if err := q.vk.Submit(vk.SubmitInfo{Wait: wait, Fence: x.done}); err != nil {
		w.mu.Lock()
		x.owned = true // the present has no effect
		w.mu.Unlock()
		return w.device.result(err), false
	}
	_ = q.submitFence(as.fence) // a lost device is the result of the present
	x.number, x.time, x.mode = as.number, as.time, w.mode
	if as.mode != nil {
		x.mode = *as.mode
	}
	if r = w.enqueue(x); r == abi.Success {
		r = w.fits()
	}
	return r, true
}

// take ends the application's use of an acquired image and returns the image; nil if it is not acquired.
func (w *swapchain) take(index uint32) *swapImage {
	w.mu.Lock()
	defer w.mu.Unlock()
	if int(index) >= len(w.images) || !w.images[index].owned {
		return nil
	}
	w.images[index].owned = false
	return w.images[index]
}

// enqueue passes an image to show.
func (w *swapchain) enqueue(x *swapImage) abi.Result {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.retired {
		return abi.ErrorOutOfDateKHR
	}
	w.presented <- x
	return w.failed
}

// fits reports whether the window has the size of the images.
func (w *swapchain) fits() abi.Result {
	width, height, ok, err := w.surface.Size()
	switch {
	case err != nil:
		return abi.ErrorSurfaceLostKHR
	case ok && (uint32(width) != w.size.Width || uint32(height) != w.size.Height):
		return abi.ErrorOutOfDateKHR
	}
	return abi.Success
}

// show shows presented images until the swapchain is closed.
func (w *swapchain) show() {
	defer w.ended.Done()
	if w.before != nil {
		w.before.ended.Wait()
		w.before = nil
	}
	var last time.Time
	for x := range w.presented {
		err := x.done.Wait(forever)
		if x.mode == abi.PresentModeFifoLatestReadyKHR {
			time.Sleep(w.refresh - time.Since(last))
		}
		for replaces(x.mode) && err == nil && len(w.presented) > 0 { // a later image replaces this one
			w.recycle(x)
			x = <-w.presented
			err = x.done.Wait(forever)
		}
		if x.mode == abi.PresentModeFifoKHR || x.mode == abi.PresentModeFifoRelaxedKHR {
			if p, ok := w.surface.Surface.(wsi.Pacer); ok {
				p.AwaitFrame()
			}
			time.Sleep(w.refresh - time.Since(last))
		}
		w.await(x)
		last = time.Now()
		r := w.device.result(err)
		if err == nil {
			r = surfaceResult(w.surface.Present(x.shown))
		}
		if r != abi.Success {
			w.mu.Lock()
			w.failed = r
			w.mu.Unlock()
		}
		w.recycle(x)
	}
}

// recycle makes an image free after its present.
func (w *swapchain) recycle(x *swapImage) {
	_ = x.done.Reset() // it is not in use
	w.mu.Lock()
	w.shown = max(w.shown, x.number)
	w.note(x)
	w.mu.Unlock()
	w.release(x)
}

package driver

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/internal/wsi"
)

// surface is a VkSurfaceKHR.
type surface struct {
	wsi.Surface
	end    func()       // frees the objects of a window; nil if it is headless
	native any          // identifies the window: surfaces of one window have equal values
	users  atomic.Int32 // the handle and the swapchains
}

// newSurface returns a surface. native is nil if no other surface can have the window.
func newSurface(to wsi.Surface, native any) *surface {
	s := &surface{Surface: to, native: native}
	if native == nil {
		s.native = s
	}
	s.users.Store(1)
	return s
}

// Close ends the connection to the server of the surface after its last use.
func (s *surface) Close() error {
	if s.users.Add(-1) == 0 && s.end != nil {
		s.end()
	}
	return nil
}

// attached are the swapchains by window. A window has at most one that is not retired.
var attached = struct {
	sync.Mutex
	to map[any]*swapchain
}{to: map[any]*swapchain{}}

// attach makes a swapchain the one of its window. It reports false if another one has the window.
func (s *surface) attach(w *swapchain) bool {
	attached.Lock()
	defer attached.Unlock()
	if other := attached.to[s.native]; other != nil && !other.isRetired() {
		return false
	}
	attached.to[s.native] = w
	s.users.Add(1)
	return true
}

// detach ends the use of a window by a swapchain.
func (s *surface) detach(w *swapchain) {
	attached.Lock()
	if attached.to[s.native] == w {
		delete(attached.to, s.native)
	}
	attached.Unlock()
	_ = s.Close() // it reports no error
}

var surfaces table[surface]

// anySurface answers queries without a surface (VK_GOOGLE_surfaceless_query): its window has any size.
var anySurface = newSurface(wsi.NewHeadless(""), nil)

// surfaceOf returns the surface of a query.
func surfaceOf(h abi.SurfaceKHR) *surface {
	if h == 0 {
		return anySurface
	}
	return surfaces.get(uint64(h))
}

var surfaceCalls = map[int]call{
	abi.CmdDestroySurfaceKHR:        run(func(a *abi.DestroySurfaceKHRArgs) { destroy(&surfaces, uint64(a.Surface)) }),
	abi.CmdCreateHeadlessSurfaceEXT: on(createHeadlessSurface),
	abi.CmdCreateXcbSurfaceKHR: on(func(a *abi.CreateXcbSurfaceKHRArgs) abi.Result {
		return createWindowSurface(a.PCreateInfo.Window, unsafe.Pointer(a.PSurface))
	}),
	abi.CmdCreateXlibSurfaceKHR: on(func(a *abi.CreateXlibSurfaceKHRArgs) abi.Result {
		return createWindowSurface(uint32(a.PCreateInfo.Window), unsafe.Pointer(a.PSurface))
	}),
	abi.CmdCreateWaylandSurfaceKHR: on(func(a *abi.CreateWaylandSurfaceKHRArgs) abi.Result {
		return createWaylandSurface(a.PCreateInfo, unsafe.Pointer(a.PSurface))
	}),
	abi.CmdGetPhysicalDeviceWaylandPresentationSupportKHR: value(func(*abi.GetPhysicalDeviceWaylandPresentationSupportKHRArgs) uint64 {
		return abi.True // each compositor has the format of the images
	}),
	abi.CmdGetPhysicalDeviceXcbPresentationSupportKHR: value(func(a *abi.GetPhysicalDeviceXcbPresentationSupportKHRArgs) uint64 {
		return presentationSupport(a.QueueFamilyIndex, a.Visual_id)
	}),
	abi.CmdGetPhysicalDeviceXlibPresentationSupportKHR: value(func(a *abi.GetPhysicalDeviceXlibPresentationSupportKHRArgs) uint64 {
		return presentationSupport(a.QueueFamilyIndex, uint32(a.VisualID))
	}),
	abi.CmdGetPhysicalDeviceSurfaceSupportKHR: on(func(a *abi.GetPhysicalDeviceSurfaceSupportKHRArgs) abi.Result {
		*a.PSupported = abi.True // a present needs nothing of a queue but its order
		return abi.Success
	}),
	abi.CmdGetPhysicalDeviceSurfaceCapabilitiesKHR: on(func(a *abi.GetPhysicalDeviceSurfaceCapabilitiesKHRArgs) abi.Result {
		return surfaceOf(a.Surface).capabilities(a.PSurfaceCapabilities)
	}),
	abi.CmdGetPhysicalDeviceSurfaceCapabilities2KHR: on(func(a *abi.GetPhysicalDeviceSurfaceCapabilities2KHRArgs) abi.Result {
		return surfaceOf(a.PSurfaceInfo.Surface).capabilities2(a.PSurfaceInfo.PNext, a.PSurfaceCapabilities)
	}),
	abi.CmdGetPhysicalDeviceSurfaceFormatsKHR: on(func(a *abi.GetPhysicalDeviceSurfaceFormatsKHRArgs) abi.Result {
		return list(a.PSurfaceFormatCount, a.PSurfaceFormats, surfaceFormats, func(to *abi.SurfaceFormatKHR, f abi.SurfaceFormatKHR) { *to = f })
	}),
	abi.CmdGetPhysicalDeviceSurfaceFormats2KHR: on(func(a *abi.GetPhysicalDeviceSurfaceFormats2KHRArgs) abi.Result {
		return list(a.PSurfaceFormatCount, a.PSurfaceFormats, surfaceFormats, func(to *abi.SurfaceFormat2KHR, f abi.SurfaceFormatKHR) { to.SurfaceFormat = f })
	}),
	abi.CmdGetPhysicalDeviceSurfacePresentModesKHR: on(func(a *abi.GetPhysicalDeviceSurfacePresentModesKHRArgs) abi.Result {
		return list(a.PPresentModeCount, a.PPresentModes, presentModes, func(to *uint32, m uint32) { *to = m })
	}),
	abi.CmdGetPhysicalDevicePresentRectanglesKHR: on(getPresentRectangles),
}

// surfaceFormats are the formats of images that a window shows as they are.
var surfaceFormats = []abi.SurfaceFormatKHR{
	{Format: abi.FormatB8g8r8a8Srgb, ColorSpace: abi.ColorSpaceSrgbNonlinearKHR},
	{Format: abi.FormatB8g8r8a8Unorm, ColorSpace: abi.ColorSpaceSrgbNonlinearKHR},
}

var presentModes = []uint32{abi.PresentModeFifoKHR, abi.PresentModeMailboxKHR, abi.PresentModeImmediateKHR, abi.PresentModeFifoRelaxedKHR, abi.PresentModeFifoLatestReadyKHR}

// createHeadlessSurface makes a surface that writes frames into the folder of the variable CHIARO_PRESENT.
func createHeadlessSurface(a *abi.CreateHeadlessSurfaceEXTArgs) abi.Result {
	return created(nil, &surfaces, newSurface(wsi.NewHeadless(os.Getenv("CHIARO_PRESENT")), nil), nil, unsafe.Pointer(a.PSurface))
}

// createWindowSurface makes the surface of a window of the X server of the variable DISPLAY.
func createWindowSurface(window uint32, to unsafe.Pointer) abi.Result {
	d, err := wsi.OpenDisplay("")
	if err != nil {
		return abi.ErrorUnknown // the commands have no result for a missing server or window
	}
	w, err := d.NewWindow(window)
	if err != nil {
		d.Close()
		return abi.ErrorUnknown
	}
	s := newSurface(w, window)
	s.end = func() {
		w.Close()
		d.Close()
	}
	return created(nil, &surfaces, s, nil, to)
}

// waylandWindow identifies a window of Wayland: the address of its wl_surface.
type waylandWindow uintptr

// createWaylandSurface makes the surface of a wl_surface.
func createWaylandSurface(i *abi.WaylandSurfaceCreateInfoKHR, to unsafe.Pointer) abi.Result {
	w, err := host.Wayland.NewSurface(i.Display, i.Surface)
	if err != nil {
		return abi.ErrorUnknown // as without an X server
	}
	s := newSurface(w, waylandWindow(i.Surface))
	s.end = w.Close
	return created(nil, &surfaces, s, nil, to)
}

// visuals is the connection that answers questions about visuals. It stays open: a program asks for many.
var visuals = sync.OnceValues(func() (*wsi.Display, error) { return wsi.OpenDisplay("") })

// presentationSupport reports whether windows of a visual can show images.
func presentationSupport(family, visual uint32) uint64 {
	d, err := visuals()
	if err != nil {
		return abi.False
	}
	if depth := d.Depth(visual); depth != 24 && depth != 32 {
		return abi.False
	}
	return abi.True
}

// capabilities writes the limits of swapchains.
func (s *surface) capabilities(to *abi.SurfaceCapabilitiesKHR) abi.Result {
	if s == nil {
		return abi.ErrorSurfaceLostKHR
	}
	width, height, ok, err := s.Size()
	if err != nil {
		return surfaceResult(err)
	}
	size := abi.Extent2D{Width: uint32(width), Height: uint32(height)}
	least, most := size, size
	if !ok {
		size = abi.Extent2D{Width: 0xffffffff, Height: 0xffffffff}
		least, most = abi.Extent2D{Width: 1, Height: 1}, abi.Extent2D{Width: wsi.MaxExtent, Height: wsi.MaxExtent}
	}
	*to = abi.SurfaceCapabilitiesKHR{
		MinImageCount: leastImages, MaxImageCount: mostImages, CurrentExtent: size, MinImageExtent: least, MaxImageExtent: most, MaxImageArrayLayers: 1,
		SupportedTransforms: abi.SurfaceTransformIdentityBitKHR, CurrentTransform: abi.SurfaceTransformIdentityBitKHR,
		SupportedCompositeAlpha: abi.CompositeAlphaOpaqueBitKHR | abi.CompositeAlphaInheritBitKHR,
		SupportedUsageFlags: abi.ImageUsageTransferSrcBit | abi.ImageUsageTransferDstBit | abi.ImageUsageSampledBit |
			abi.ImageUsageColorAttachmentBit | abi.ImageUsageInputAttachmentBit,
	}
	return abi.Success
}

// surfaceResult returns the result of an error of a surface.
func surfaceResult(err error) abi.Result {
	switch {
	case err == nil:
		return abi.Success
	case errors.Is(err, wsi.ErrLost):
		return abi.ErrorSurfaceLostKHR
	}
	return outOfHost
}

// getPresentRectangles returns the window, or the largest image of a headless surface.
func getPresentRectangles(a *abi.GetPhysicalDevicePresentRectanglesKHRArgs) abi.Result {
	var c abi.SurfaceCapabilitiesKHR
	if r := surfaces.get(uint64(a.Surface)).capabilities(&c); r != abi.Success {
		return r
	}
	return list(a.PRectCount, a.PRects, []abi.Extent2D{c.MaxImageExtent}, func(to *abi.Rect2D, e abi.Extent2D) { *to = abi.Rect2D{Extent: e} })
}

package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var hostCopyCalls = map[int]call{
	abi.CmdCopyMemoryToImage: on(func(a *abi.CopyMemoryToImageArgs) abi.Result {
		i := a.PCopyMemoryToImageInfo
		return onDevice(a.Device, func(d *vk.Device) error {
			return d.CopyMemoryToImage(vk.HostImageCopyInfo{
				Image: images.get(uint64(i.DstImage)), Memcpy: i.Flags&abi.HostImageCopyMemcpyBit != 0,
				Regions: each(array(i.PRegions, i.RegionCount), func(r *abi.MemoryToImageCopy) vk.HostImageCopy {
					return hostCopy(r.PHostPointer, r.MemoryRowLength, r.MemoryImageHeight, r.ImageSubresource, r.ImageOffset, r.ImageExtent)
				}),
			})
		})
	}),
	abi.CmdCopyImageToMemory: on(func(a *abi.CopyImageToMemoryArgs) abi.Result {
		i := a.PCopyImageToMemoryInfo
		return onDevice(a.Device, func(d *vk.Device) error {
			return d.CopyImageToMemory(vk.HostImageCopyInfo{
				Image: images.get(uint64(i.SrcImage)), Memcpy: i.Flags&abi.HostImageCopyMemcpyBit != 0,
				Regions: each(array(i.PRegions, i.RegionCount), func(r *abi.ImageToMemoryCopy) vk.HostImageCopy {
					return hostCopy(r.PHostPointer, r.MemoryRowLength, r.MemoryImageHeight, r.ImageSubresource, r.ImageOffset, r.ImageExtent)
				}),
			})
		})
	}),
	abi.CmdCopyImageToImage: on(func(a *abi.CopyImageToImageArgs) abi.Result {
		i := a.PCopyImageToImageInfo
		return onDevice(a.Device, func(d *vk.Device) error {
			return d.CopyImageToImage(vk.HostImageToImage{
				Source: images.get(uint64(i.SrcImage)), Target: images.get(uint64(i.DstImage)), Memcpy: i.Flags&abi.HostImageCopyMemcpyBit != 0,
				Regions: each(array(i.PRegions, i.RegionCount), func(r *abi.ImageCopy2) vk.ImageCopy {
					return imageCopy(r.SrcSubresource, r.DstSubresource, r.SrcOffset, r.DstOffset, r.Extent)
				}),
			})
		})
	}),
	abi.CmdTransitionImageLayout: on(func(a *abi.TransitionImageLayoutArgs) abi.Result {
		return onDevice(a.Device, func(d *vk.Device) error {
			for _, t := range array(a.PTransitions, a.TransitionCount) {
				if err := d.TransitionImageLayout(images.get(uint64(t.Image)), []vk.ImageRange{imageRange(&t.SubresourceRange)}, vk.ImageLayout(t.NewLayout)); err != nil {
					return err
				}
			}
			return nil
		})
	}),
	abi.CmdGetImageSubresourceLayout2: run(func(a *abi.GetImageSubresourceLayout2Args) {
		s := a.PSubresource.ImageSubresource
		m := images.get(uint64(a.Image))
		l, _ := m.Subresource(vk.Aspect(s.AspectMask), int(s.MipLevel), int(s.ArrayLayer)) // zeros if there is none
		size, _ := m.HostSize(vk.Aspect(s.AspectMask), int(s.MipLevel), int(s.ArrayLayer))
		putSubresource(a.PLayout, l, size)
	}),
	abi.CmdGetDeviceImageSubresourceLayout: run(func(a *abi.GetDeviceImageSubresourceLayoutArgs) {
		if d := deviceOf(a.Device); d != nil {
			s := a.PInfo.PSubresource.ImageSubresource
			l, _ := d.vk.ImageSubresource(imageInfo(a.PInfo.PCreateInfo), vk.Aspect(s.AspectMask), int(s.MipLevel), int(s.ArrayLayer))
			putSubresource(a.PLayout, l, l.Size)
		}
	}),
}

// onDevice calls f with the device of a handle and returns the result of its error.
func onDevice(h abi.Device, f func(*vk.Device) error) abi.Result {
	d := deviceOf(h)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	return d.result(f(d.vk))
}

// hostBytes is the length that memory of the application has for vk. Its real length is not known: vk reads and writes the
// bytes of the region only.
const hostBytes = 1 << 40

// hostCopy reads a region of a copy by the host.
func hostCopy(p unsafe.Pointer, row, height uint32, s abi.ImageSubresourceLayers, o abi.Offset3D, e abi.Extent3D) vk.HostImageCopy {
	return vk.HostImageCopy{Host: abi.Bytes(p, hostBytes), RowLength: int(row), ImageHeight: int(height), Image: layers(s), Offset: offset(o), Extent: extent(e)}
}

// putSubresource writes the place of a subresource, and the size of a copy of it by memcpy.
func putSubresource(to *abi.SubresourceLayout2, l vk.SubresourceLayout, size uint64) {
	to.SubresourceLayout = subresourceLayout(l)
	if h := abi.Find[abi.SubresourceHostMemcpySize](to.PNext, abi.StructureTypeSubresourceHostMemcpySize); h != nil {
		h.Size = size
	}
}

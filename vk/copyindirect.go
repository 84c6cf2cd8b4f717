package vk

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/transfer"
)

// AddressCopyFlags are properties of memory at device addresses (VkAddressCopyFlagBitsKHR). They have no effect.
type AddressCopyFlags uint32

// The flags.
const (
	CopyDeviceLocal AddressCopyFlags = 1 << iota
	CopySparse
	CopyProtected // no memory is protected
)

// AddressRange is an array at a device address (VkStridedDeviceAddressRangeKHR), in bytes.
type AddressRange struct {
	Address, Size, Stride uint64
}

// CopyMemoryIndirectInfo describes copies between device addresses (VkCopyMemoryIndirectInfoKHR). The memory has Count elements of
// three 64-bit numbers: the addresses of source and target, and the bytes. They are read when the command runs.
type CopyMemoryIndirectInfo struct {
	SourceFlags, TargetFlags AddressCopyFlags
	Count                    uint32
	Range                    AddressRange
}

// CopyMemoryToImageIndirectInfo describes copies from device addresses to an image (VkCopyMemoryToImageIndirectInfoKHR). The
// memory has Count elements of 56 bytes (VkCopyMemoryToImageIndirectCommandKHR). Subresources has the layers of each copy: they
// are not read from memory. Of a volume, Base and Count are its slices.
type CopyMemoryToImageIndirectInfo struct {
	SourceFlags  AddressCopyFlags
	Count        uint32
	Range        AddressRange
	Target       *Image
	Subresources []Layers
}

// The bytes of an element.
const (
	memoryCopyBytes = 24
	imageCopyBytes  = 56
)

// check checks the array of n elements of a size; rules are on the address, the stride and the count.
func (r *AddressRange) check(n uint32, size uint64, rules [3]string) error {
	switch {
	case r.Address%4 != 0:
		return usage(rules[0], "the parameters of copies are at the address %#x; must be a multiple of 4", r.Address)
	case r.Stride%4 != 0 || r.Stride < size:
		return usage(rules[1], "the parameters of copies have the stride %d; must be a multiple of 4, at least %d", r.Stride, size)
	case uint64(n) > r.Size/r.Stride:
		return usage(rules[2], "there are %d copies, and the parameters have %d bytes at a stride of %d; must be so many", n, r.Size, r.Stride)
	}
	return nil
}

// each calls f with the elements of an array, which it reads once: the host may change them meanwhile.
func (r *AddressRange) each(x *executor, n uint32, size uint64, rule string, f func(i uint32, element []byte) error) error {
	element := make([]byte, size)
	for i := range n {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		at := r.Address + uint64(i)*r.Stride
		b, release, ok := x.dev.heap.at(at, size)
		if !ok {
			return usage(rule, "no memory is at the address %#x of the parameters of copy %d; must be", at, i)
		}
		copy(element, b)
		release()
		if err := f(i, element); err != nil {
			return err
		}
	}
	return nil
}

// copyMemoryIndirect is the recorded command.
type copyMemoryIndirect CopyMemoryIndirectInfo

func (*copyMemoryIndirect) flags() QueueFlags { return anyQueue }

func (w *copyMemoryIndirect) run(x *executor) error {
	return w.Range.each(x, w.Count, memoryCopyBytes, "VUID-VkCopyMemoryIndirectInfoKHR-copyAddressRange-12210", func(i uint32, e []byte) error {
		from, to, size := binary.LittleEndian.Uint64(e), binary.LittleEndian.Uint64(e[8:]), binary.LittleEndian.Uint64(e[16:])
		if x.dev.checking >= All {
			const rule = "VUID-VkCopyMemoryIndirectCommandKHR-"
			for k, v := range [...]uint64{from, to, size} {
				if v%4 != 0 {
					return usage([...]string{rule + "srcAddress-10958", rule + "dstAddress-10959", rule + "size-10960"}[k], "copy %d is of %d bytes from %#x to %#x; must be multiples of 4", i, size, from, to)
				}
			}
		}
		source, release, ok := x.dev.heap.at(from, size)
		if !ok {
			return usage("", "copy %d is of %d bytes from the address %#x, which is no memory; must be", i, size, from)
		}
		defer release()
		target, releaseTarget, ok := x.dev.heap.at(to, size)
		if !ok {
			return usage("", "copy %d is of %d bytes to the address %#x, which is no memory; must be", i, size, to)
		}
		copy(target, source)
		releaseTarget()
		return nil
	})
}

// CopyMemoryIndirect copies between device addresses that are in memory (vkCmdCopyMemoryIndirectKHR, and …NV, which has no size
// of the range: it is the size of Count elements).
func (c *CommandBuffer) CopyMemoryIndirect(info CopyMemoryIndirectInfo) {
	if !c.begin() {
		return
	}
	const rule = "VUID-VkCopyMemoryIndirectInfoKHR-"
	err := info.Range.check(info.Count, memoryCopyBytes, [3]string{rule + "copyAddressRange-10942", rule + "copyAddressRange-10943", rule + "copyCount-10944"})
	switch {
	case err != nil:
	case info.SourceFlags&CopyProtected != 0:
		err = usage(rule+"srcCopyFlags-10940", "the source is protected; must not be")
	case info.TargetFlags&CopyProtected != 0:
		err = usage(rule+"dstCopyFlags-10941", "the target is protected; must not be")
	}
	if err != nil {
		c.fail(err)
		return
	}
	w := take[copyMemoryIndirect](c)
	*w = copyMemoryIndirect(info)
	c.deferred("copy memory indirect", w)
}

// copyImageIndirect is the recorded command.
type copyImageIndirect CopyMemoryToImageIndirectInfo

func (*copyImageIndirect) flags() QueueFlags { return anyQueue }

func (w *copyImageIndirect) forget() { *w = copyImageIndirect{Subresources: w.Subresources[:0]} }

func (w *copyImageIndirect) run(x *executor) error {
	return w.Range.each(x, w.Count, imageCopyBytes, "VUID-VkCopyMemoryToImageIndirectInfoKHR-copyAddressRange-12213", func(i uint32, e []byte) error {
		word := func(n int) int { return int(binary.LittleEndian.Uint32(e[4*n:])) }
		offset := func(n int) int { return int(int32(word(n))) }
		r := transfer.BufferImage{RowLength: word(2), ImageHeight: word(3), Offset: [3]int{offset(8), offset(9), offset(10)}, Extent: [3]int{word(11), word(12), word(13)}}
		if slices.Contains(r.Extent[:], 0) {
			return nil
		}
		w.Subresources[i].name(&r, w.Target)
		at := binary.LittleEndian.Uint64(e)
		source, release, ok := x.dev.heap.from(at)
		if !ok {
			return usage("", "copy %d is from the address %#x, which is no memory; must be", i, at)
		}
		defer release()
		if err := transfer.BufferToImage(w.Target.image, source, &r); err != nil {
			return usage("", "copy %d: %v", i, err)
		}
		x.dev.heap.defined.wroteImage(w.Target)
		(&imageWork{target: w.Target, copies: []transfer.BufferImage{r}}).scrub()
		return nil
	})
}

// name sets the layers, or the slices, of a region of an image.
func (l *Layers) name(r *transfer.BufferImage, m *Image) {
	if r.Image = l.inside(); m.layout.Dim == ir.Dim3D {
		r.Offset[2], r.Extent[2] = l.Base, max(l.Count, 1)
		r.Image.BaseLayer, r.Image.Layers = 0, 1
	}
}

// CopyMemoryToImageIndirect copies from device addresses that are in memory to an image (vkCmdCopyMemoryToImageIndirectKHR, and
// …NV).
func (c *CommandBuffer) CopyMemoryToImageIndirect(info CopyMemoryToImageIndirectInfo) {
	if !c.begin() {
		return
	}
	if err := check(c.dev, "the image", info.Target); err != nil {
		c.fail(err)
		return
	}
	const rule = "VUID-VkCopyMemoryToImageIndirectInfoKHR-"
	m := info.Target
	err := info.Range.check(info.Count, imageCopyBytes, [3]string{rule + "copyAddressRange-10952", rule + "copyAddressRange-10953", rule + "copyCount-10951"})
	switch {
	case err != nil:
	case m.image == nil:
		err = usage("", "%v has no memory; must have some", &m.object)
	case m.layout.Samples > 1:
		err = usage("", "%v has %d samples; must have 1", &m.object, m.layout.Samples)
	case c.dev.checking > None && (m.info.Usage|m.info.StencilUsage)&ImageTransferTarget == 0:
		err = usage(rule+"dstImage-07664", "%v lacks the usage of the command; must have it", &m.object)
	case uint64(len(info.Subresources)) != uint64(info.Count):
		err = usage("", "there are layers of %d copies, and %d copies; must be as many", len(info.Subresources), info.Count)
	}
	for i := range info.Subresources {
		if err != nil {
			break
		}
		r := transfer.BufferImage{Extent: [3]int{1, 1, 1}}
		info.Subresources[i].name(&r, m)
		if e := r.Check(m.image, math.MaxInt); e != nil {
			err = usage("", "the layers of copy %d: %v", i, e)
		}
	}
	if err != nil {
		c.fail(err)
		return
	}
	m.refer(c.each)
	w := take[copyImageIndirect](c)
	info.Subresources = append(w.Subresources, info.Subresources...)
	*w = copyImageIndirect(info)
	c.deferred("copy memory to image indirect", w)
}

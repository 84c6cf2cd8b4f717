package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/transfer"
)

// ImageHostTransfer lets the host copy to and from an image (VK_IMAGE_USAGE_HOST_TRANSFER_BIT).
const ImageHostTransfer ImageUsage = 0x400000

// HostImageCopy is a region of a copy between memory of the host and an image (VkMemoryToImageCopy, VkImageToMemoryCopy).
type HostImageCopy struct {
	Host                   []byte
	RowLength, ImageHeight int // texels; 0 is the extent
	Image                  Layers
	Offset, Extent         [3]int // texels
}

// HostImageCopyInfo describes copies between memory of the host and an image (VkCopyMemoryToImageInfo,
// VkCopyImageToMemoryInfo).
type HostImageCopyInfo struct {
	Image   *Image
	Regions []HostImageCopy

	// Memcpy copies whole subresources with the bytes that the image has in memory (VK_HOST_IMAGE_COPY_MEMCPY_BIT), for an image
	// with an equal description. [Image.HostSize] is the size of a subresource.
	Memcpy bool
}

// HostImageToImage describes copies between images by the host (VkCopyImageToImageInfo).
type HostImageToImage struct {
	Source, Target *Image
	Regions        []ImageCopy
	Memcpy         bool // whole subresources of images with equal descriptions
}

// CopyMemoryToImage copies memory of the host to an image. No submission may use the image meanwhile.
func (d *Device) CopyMemoryToImage(i HostImageCopyInfo) error {
	return d.hostCopy(&i, "VUID-VkCopyMemoryToImageInfo-", "dstImage", true)
}

// CopyImageToMemory copies an image to memory of the host. Commands that write the image must be finished.
func (d *Device) CopyImageToMemory(i HostImageCopyInfo) error {
	return d.hostCopy(&i, "VUID-VkCopyImageToMemoryInfo-", "srcImage", false)
}

// hostCopy copies in one direction, all regions or none.
func (d *Device) hostCopy(i *HostImageCopyInfo, rule, image string, toImage bool) error {
	release, err := d.hostImage(i.Image, rule+image+"-09113")
	if err != nil {
		return err
	}
	defer release()
	if len(i.Regions) == 0 {
		return usage(rule+"regionCount-arraylength", "no region is copied; must be at least 1")
	}
	m := i.Image
	if m.layout.Samples > 1 {
		return usage(rule+image+"-07969", "%v has %d samples; must have 1", &m.object, m.layout.Samples)
	}
	for n := range i.Regions {
		r := i.Regions[n].of(m)
		x := r.inside()
		switch {
		case !i.Memcpy:
			if err := x.Check(m.image, len(r.Host)); err != nil {
				return usage("", "%v", err)
			}
			continue
		case r.RowLength != 0 || r.ImageHeight != 0:
			return usage(rule+"flags-09393", "rows of %d texels and slices of %d rows with Memcpy; must be 0", r.RowLength, r.ImageHeight)
		case r.Offset != [3]int{}:
			return usage(rule+"imageOffset-09114", "the offset is %v with Memcpy; must be 0", r.Offset)
		case r.Extent != m.extentOf(r.Image):
			return usage(rule+image+"-09115", "the extent is %v with Memcpy; must be that of the subresource, %v", r.Extent, m.extentOf(r.Image))
		}
		if err := m.eachSubresource(r.Image, func(b []byte) error { return nil }); err != nil {
			return err
		}
		if size, _ := m.HostSize(r.Image.Aspect, r.Image.Level, r.Image.Base); size*uint64(r.Image.Count) > uint64(len(r.Host)) {
			return usage("", "a region has %d bytes of the host; must have at least %d", len(r.Host), size*uint64(r.Image.Count))
		}
	}
	for n := range i.Regions {
		r := i.Regions[n].of(m)
		if err := r.copy(m, i.Memcpy, toImage); err != nil {
			return err
		}
		if toImage {
			d.heap.defined.wroteLayers(m, r.Image.Level, r.Image.Base, r.Image.Count)
		}
		if toImage && m.partial() {
			m.scrubLevel(r.Image.Level, r.Image.Base, r.Image.Count)
		}
	}
	return nil
}

// copy copies a region that was checked.
func (r *HostImageCopy) copy(m *Image, memcpy, toImage bool) error {
	x := r.inside()
	switch {
	case memcpy:
		host := r.Host
		return m.eachSubresource(r.Image, func(b []byte) error {
			if toImage {
				copy(b, host)
			} else {
				copy(host, b)
			}
			host = host[len(b):]
			return nil
		})
	case toImage:
		return transfer.BufferToImage(m.image, r.Host, &x)
	}
	return transfer.ImageToBuffer(r.Host, m.image, &x)
}

// of returns the region with the number of layers in an image.
func (r HostImageCopy) of(m *Image) *HostImageCopy {
	r.Image = r.Image.of(m)
	return &r
}

func (r *HostImageCopy) inside() transfer.BufferImage {
	return transfer.BufferImage{RowLength: r.RowLength, ImageHeight: r.ImageHeight, Image: r.Image.inside(), Offset: r.Offset, Extent: r.Extent}
}

// hostImage checks an image of a copy by the host, and holds it until release is called.
func (d *Device) hostImage(m *Image, rule string) (release func(), err error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if err := check(d, "the image", m); err != nil {
		return nil, err
	}
	if m.image == nil {
		return nil, usage("", "%v has no memory; must have some", &m.object)
	}
	if d.checking > None && m.info.Usage&ImageHostTransfer == 0 {
		return nil, usage(rule, "%v is not for copies by the host; must have the usage", &m.object)
	}
	var held []*object
	release = func() {
		for _, o := range held {
			o.release()
		}
	}
	m.refer(func(o *object) {
		if err == nil && o.acquire() {
			held = append(held, o)
		} else if err == nil {
			err = usage("", "the copy uses %v, which is closed; must be alive", o)
		}
	})
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// extentOf returns the extent of a subresource in texels; zeros if there is none.
func (m *Image) extentOf(l Layers) [3]int {
	w, h, depth, ok := m.image.AspectExtent(l.Aspect.inside(), l.Level)
	if !ok {
		return [3]int{}
	}
	if m.layout.Dim != ir.Dim3D {
		depth = 1
	}
	return [3]int{w, h, depth}
}

// eachSubresource calls each with the memory of layers of a level.
func (m *Image) eachSubresource(l Layers, each func([]byte) error) error {
	count := l.Count
	if l.Base < 0 || l.Base > m.layout.Layers || count < 1 || count > m.layout.Layers-l.Base {
		return usage("", "%d layers from %d on; the image has %d", count, l.Base, m.layout.Layers)
	}
	for layer := l.Base; layer < l.Base+count; layer++ {
		s, ok := m.layout.Subresource(l.Aspect.inside(), l.Level, layer)
		if !ok {
			return usage("", "level %d of aspect %#x; the image does not have it", l.Level, uint32(l.Aspect))
		}
		all := m.raw(l.Aspect)
		if err := each(all[s.Offset:][:s.Size]); err != nil {
			return err
		}
	}
	return nil
}

// raw returns the memory of the image; of a plane if each has its own.
func (m *Image) raw(a Aspect) []byte {
	if m.layout.Disjoint {
		switch a {
		case Plane1:
			return m.bytes[1]
		case Plane2:
			return m.bytes[2]
		}
	}
	return m.bytes[0]
}

// HostSize returns the bytes of a subresource that a copy with Memcpy has (VkSubresourceHostMemcpySize); ok is false if there is
// no such subresource.
func (m *Image) HostSize(a Aspect, level, layer int) (size uint64, ok bool) {
	l, ok := m.Subresource(a, level, layer)
	return l.Size, ok
}

// CopyImageToImage copies between images by the host. No submission may use them meanwhile.
func (d *Device) CopyImageToImage(i HostImageToImage) error {
	const rule = "VUID-VkCopyImageToImageInfo-"
	for n, m := range []*Image{i.Source, i.Target} {
		release, err := d.hostImage(m, rule+[]string{"srcImage-09111", "dstImage-09112"}[n])
		if err != nil {
			return err
		}
		defer release()
	}
	if len(i.Regions) == 0 {
		return usage(rule+"regionCount-arraylength", "no region is copied; must be at least 1")
	}
	if i.Memcpy && !i.Source.info.equal(&i.Target.info) {
		return usage(rule+"srcImage-09069", "the images have different descriptions with Memcpy; must have equal ones")
	}
	w := imageWork{source: i.Source, target: i.Target}
	w.copyImages(i.Regions)
	list := w.images
	for n := range list {
		r := &list[n]
		if i.Memcpy && (r.FromOffset != [3]int{} || r.ToOffset != [3]int{} || i.Regions[n].Extent != i.Source.extentOf(i.Regions[n].Source)) {
			return usage(rule+"srcOffset-09114", "a region has the offsets %v and %v and the extent %v with Memcpy; must be a whole subresource", r.FromOffset, r.ToOffset, r.Extent)
		}
		if err := r.Check(i.Target.image, i.Source.image); err != nil {
			return usage("", "%v", err)
		}
	}
	for n := range list {
		d.heap.defined.wroteImage(i.Target)
		if err := transfer.Image(i.Target.image, i.Source.image, &list[n]); err != nil {
			return err
		}
		if i.Target.partial() {
			i.Target.scrubLevel(list[n].To.Level, 0, i.Target.layout.Layers)
		}
	}
	return nil
}

// equal reports whether two descriptions are equal.
func (i *ImageInfo) equal(o *ImageInfo) bool {
	a, b := *i, *o
	a.ViewFormats, b.ViewFormats = nil, nil
	return a.Type == b.Type && a.Format == b.Format && a.Extent == b.Extent && max(a.Levels, 1) == max(b.Levels, 1) && max(a.Layers, 1) == max(b.Layers, 1) &&
		max(a.Samples, 1) == max(b.Samples, 1) && a.Usage == b.Usage && a.Flags == b.Flags && a.Linear == b.Linear && a.Corner == b.Corner
}

// TransitionImageLayout changes the layout of ranges of an image by the host (vkTransitionImageLayout). Layouts are the same
// bytes: the call checks its arguments, and full checking notes the layout.
func (d *Device) TransitionImageLayout(m *Image, ranges []ImageRange, to ImageLayout) error {
	release, err := d.hostImage(m, "VUID-VkHostImageLayoutTransitionInfo-image-09055")
	if err != nil {
		return err
	}
	defer release()
	for _, r := range ranges {
		x := transfer.Range{Aspects: r.Aspects.inside(), BaseLevel: r.BaseLevel, Levels: r.Levels, BaseLayer: r.BaseLayer, Layers: r.Layers}
		if err := x.Exists(m.image); err != nil {
			return usage("VUID-VkHostImageLayoutTransitionInfo-subresourceRange-01486", "%v", err)
		}
		if r.Aspects != 0 && format.ByID(uint32(m.info.Format)).Planes == 0 && r.Aspects.inside()&^format.ByID(uint32(m.info.Format)).Aspects != 0 {
			return usage("VUID-VkHostImageLayoutTransitionInfo-aspectMask-08702", "the aspects are %#x of an image of %s; must be its own", uint32(r.Aspects), m.info.Format)
		}
	}
	for _, r := range ranges {
		m.transition(r, to)
	}
	return nil
}
